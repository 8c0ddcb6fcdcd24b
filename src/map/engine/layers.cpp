// Layers of relu and step features. SPEC.md, sections 15 and 16.
#include "map/engine/layer_run.hpp"
#include "map/engine/values.hpp"
#include "simd/vectors.hpp"
#include "sketch/inputs.hpp"

namespace samara {

namespace engine {

std::uint64_t seed_of(const LayerPlan& p, std::uint32_t layer, LayerSeed use) noexcept
{
    const auto at = static_cast<std::uint64_t>(use); // four indices a layer; uses from 4 on have a range of their own
    return stream_key(p.seed, Domain::ntk_layers, ((at >> 2) << 32) + 4 * std::uint64_t{layer} + (at & 3)).value;
}

// The sizes are right, so init() refuses nothing.
void prepare_count(LayerRun& r) noexcept { static_cast<void>(r.count.init({.size = r.plan.tensor}, r.tables)); }

Status tensor_count(const LayerRun& r, const TensorJob& job) noexcept
{
    const std::span<const float> factors[] = {job.right, job.left};
    TensorSketch sketch = r.count;
    sketch.set_seed(job.seed);
    return sketch.sketch(factors, job.out, r.scratch);
}

Status tensor_srht(const LayerRun& r, const TensorJob& job) noexcept
{
    const TensorSrhtSpec spec{.left = static_cast<std::uint32_t>(job.left.size()),
                              .right = static_cast<std::uint32_t>(job.right.size()),
                              .features = static_cast<std::uint32_t>(job.out.size()),
                              .seed = job.seed};
    return sketch(spec, job.left, job.right, job.out, r.scratch);
}

} // namespace engine

namespace {

using namespace engine;

void take_buffers(LayerRun& r, std::span<std::byte> bytes) noexcept
{
    const LayerPlan& p = r.plan;
    Bump bump(bytes);
    r.unit = bump.take<float>(p.inputs);
    if (p.exact) {
        r.phi = bump.take<float>(phi_size(p, p.depth - 1));
        if (!p.nngp)
            r.psi = bump.take<float>(psi_size(p, p.depth - 1));
        r.second = bump.take<float>(second_size(p));
    } else if (p.depth > 1) {
        r.psi = bump.take<float>(p.features);
    }
    if (!p.nngp)
        r.step = bump.take<float>(p.step);
    r.scratch = bytes.last(bump.left());
    if (p.sketch == NtkTensor::count && p.tensor != 0) {
        const std::size_t tables = TensorSketch::bytes({.size = p.tensor});
        r.tables = r.scratch.first(tables);
        r.scratch = r.scratch.subspan(tables);
    }
}

void copy_times(const float* x, std::size_t n, float factor, float* out) noexcept
{
    SAMARA_KERNEL(simd, scaled_copy)(x, n, factor, out);
}

} // namespace

Status engine::features_of_rows(const LayerRun& r, const FeatureJob& job) noexcept
{
    const LayerPlan& p = r.plan;
    const bool relu = job.kind == LayerFeatures::relu;
    const ArcCosSpec spec{.inputs = static_cast<std::uint32_t>(job.phi.size()),
                          .features = relu ? p.relu : p.step,
                          .order = relu ? 1u : 0u,
                          .rows = relu ? p.rows : step_rows(p.rows),
                          .orders = Orders::none,
                          .sweeps = relu ? p.sweeps : 0,
                          .seed = seed_of(p, job.layer, relu ? LayerSeed::relu_rows : LayerSeed::step_rows)};
    RowSample sample;
    static_cast<RowShape&>(sample.map) =
        row_shape(spec.seed, spec.inputs, spec.features, 0, 1, spec.rows, relu ? r.code.relu : r.code.step);
    sample.map.sweeps = static_cast<std::uint16_t>(spec.sweeps);
    sample.map.scaled_copy = Map<ArcCosSpec>::scales_copy(spec);
    sample.map.by_position = Map<ArcCosSpec>::by_position(spec);
    Map<ArcCosSpec>::scale(spec, spec.features, sample.map);
    if (p.exact)
        sample.map.amplitude = SAMARA_ARCH::sqrt_scalar(0.5f / static_cast<float>(spec.features));
    const Status status = begin(sample, job.phi, r.scratch);
    if (status == Status::ok)
        all_blocks(sample, job.out);
    return status;
}

// Algorithm 1 of arXiv 2104.01351 and Algorithm 2 of arXiv 2106.07880. A layer writes phi and, behind it, the sketch of
// the tensor product; both together are its psi. Layers write alternately into r.psi and z, the last one into z.
Status engine::layers_plain(const LayerRun& r, float* z) noexcept
{
    const LayerPlan& p = r.plan;
    const float* in = r.unit;
    for (std::uint32_t l = 0; l < p.depth; ++l) {
        float* out = (p.depth - l) % 2 == 1 ? z : r.psi;
        const std::uint32_t phi = phi_size(p, l);
        if (!p.nngp)
            static_cast<void>(features_of_rows(r, {l, LayerFeatures::step, {in, phi}, r.step}));
        static_cast<void>(features_of_rows(r, {l, LayerFeatures::relu, {in, phi}, out}));
        if (!p.nngp) {
            const TensorJob job{
                seed_of(p, l, LayerSeed::tensor), {in, psi_size(p, l)}, {r.step, p.step}, {out + p.relu, p.tensor}};
            if (const Status status = r.code.tensor(r, job); status != Status::ok)
                return status;
        }
        in = out;
    }
    copy_times(z, p.features, r.length, z);
    return Status::ok;
}

// Eq. (12) of arXiv 2104.01351: the same with the tensor product itself instead of a sketch of it.
Status engine::layers_naive(const LayerRun& r, float* z) noexcept
{
    const LayerPlan& p = r.plan;
    const float* in = r.unit;
    for (std::uint32_t l = 0; l < p.depth; ++l) {
        float* out = (p.depth - l) % 2 == 1 ? z : r.psi;
        const std::uint32_t phi = phi_size(p, l);
        const std::size_t psi = psi_size(p, l);
        static_cast<void>(features_of_rows(r, {l, LayerFeatures::step, {in, phi}, r.step}));
        static_cast<void>(features_of_rows(r, {l, LayerFeatures::relu, {in, phi}, out}));
        for (std::uint32_t i = 0; i < p.step; ++i)
            copy_times(in, psi, r.step[i], out + p.relu + i * psi);
        in = out;
    }
    const auto made = static_cast<std::uint32_t>(psi_size(p, p.depth));
    copy_times(z, made, r.length, z);
    for (std::uint32_t i = made; i < p.features; ++i)
        z[i] = 0.0f;
    return Status::ok;
}

Status engine::run_layers(const LayerPlan& p, const LayerCode& code, const TwoSeries* series, std::span<const float> x,
                          std::span<float> z, std::size_t samples, std::span<std::byte> bytes) noexcept
{
    LayerRun r{.plan = p, .code = code, .series = series};
    take_buffers(r, bytes);
    if (code.prepare != nullptr)
        code.prepare(r);
    for (std::size_t k = 0; k < samples; ++k) {
        float* out = z.data() + k * p.features;
        r.length = unit_vector(x.data() + k * p.inputs, p.inputs, r.unit);
        if (r.length == 0.0f) {
            for (std::uint32_t i = 0; i < p.features; ++i)
                out[i] = 0.0f;
        } else if (code.layers(r, out) != Status::ok) { // a product left the range of floats, or of a sketch's inputs
            for (float& v : z)
                v = 0.0f;
            return Status::overflow;
        }
    }
    return Status::ok;
}

} // namespace samara
