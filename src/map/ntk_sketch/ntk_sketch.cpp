// NTKSketch. SPEC.md, section 17.
#include "samara/map/ntk_sketch.hpp"

#include "map/engine/finish.hpp"
#include "map/engine/layer_run.hpp"
#include "map/engine/power_series.hpp"
#include "map/engine/values.hpp"
#include "samara/kernel.hpp"
#include "samara/memory.hpp"
#include "sketch/inputs.hpp"

namespace samara {

// The series of k1 (relu) and of k0 (step).
struct engine::TwoSeries {
    const NtkSketchSpec& spec;
    TwoRoots roots;
};

namespace {

using namespace engine;

TwoSeries two_series(const NtkSketchSpec& s) noexcept
{
    return {s, taylor_roots(s.relu_degree, s.step_degree, s.fix_diagonal)};
}

// Seeds of a layer's sketches, and of what is drawn once.
enum class SketchSeed : std::uint64_t {
    relu_powers = 0,
    step_powers = 1,
    relu_mix = 2,
    step_mix = 3,
    tensor = 4,
    mix = 5
};
enum class OnceSeed : std::uint64_t { base = 0, first_mix = 1, last_rows = 2 };

std::uint64_t seed_of(const NtkSketchSpec& s, std::uint32_t layer, SketchSeed use) noexcept
{
    return stream_key(s.seed, Domain::ntk_sketch_layers, 8 * std::uint64_t{layer} + static_cast<std::uint64_t>(use))
        .value;
}
std::uint64_t seed_of(const NtkSketchSpec& s, OnceSeed use) noexcept
{
    return stream_key(s.seed, Domain::ntk_sketch_mix, static_cast<std::uint64_t>(use)).value;
}

Status series_features(const TwoSeries& both, LayerFeatures kind, std::uint32_t layer, std::span<const float> phi,
                       std::span<float> out, std::span<std::byte> work) noexcept
{
    const NtkSketchSpec& s = both.spec;
    const bool relu = kind == LayerFeatures::relu;
    const SeriesPlan plan = relu ? relu_series(s) : step_series(s);
    return mix_series({.plan = plan,
                       .roots = relu ? both.roots.relu : both.roots.step,
                       .powers = seed_of(s, layer, relu ? SketchSeed::relu_powers : SketchSeed::step_powers),
                       .mix = seed_of(s, layer, relu ? SketchSeed::relu_mix : SketchSeed::step_mix)},
                      phi, out, work);
}

struct Buffers {
    std::span<float> unit, phi, step, psi, pair; // pair: the sketched product and, behind it, the next phi
    std::span<std::byte> scratch;
};

Status mix(const Buffers& w, std::uint64_t seed, std::span<const float> x, std::span<float> z) noexcept
{
    const SrhtSpec spec{
        .inputs = static_cast<std::uint32_t>(x.size()), .features = static_cast<std::uint32_t>(z.size()), .seed = seed};
    return sketch(spec, x, z, w.scratch);
}

Status first_sketch(const NtkSketchSpec& s, const Buffers& w) noexcept
{
    const std::uint64_t seed = seed_of(s, OnceSeed::base);
    const Status status = s.base == PolyBase::srht ? mix(w, seed, w.unit, w.phi)
                                                   : sketch(OsnapSpec{.size = s.relu, .nonzeros = 4, .seed = seed},
                                                            w.unit, w.phi, w.scratch);
    if (s.fix_diagonal)
        normalise(w.phi.data(), s.relu);
    return status == Status::ok ? mix(w, seed_of(s, OnceSeed::first_mix), w.phi, w.psi) : status;
}

Status next_layer(const NtkSketchSpec& s, const TwoSeries& series, const Buffers& w, std::uint32_t l) noexcept
{
    const std::span<float> product = w.pair.first(s.tensor), phi = w.pair.subspan(s.tensor);
    if (const Status status = series_features(series, LayerFeatures::step, l, w.phi, w.step, w.scratch);
        status != Status::ok)
        return status;
    if (const Status status = series_features(series, LayerFeatures::relu, l, w.phi, phi, w.scratch);
        status != Status::ok)
        return status;
    if (s.fix_diagonal)
        normalise(phi.data(), s.relu);
    SAMARA_KERNEL(simd, scaled_copy)(phi.data(), s.relu, 1.0f, w.phi.data());
    const TensorSrhtSpec tensor{
        .left = s.tensor, .right = s.tensor, .features = s.tensor, .seed = seed_of(s, l, SketchSeed::tensor)};
    if (const Status status = sketch(tensor, w.psi, w.step, product, w.scratch); status != Status::ok)
        return status;
    return mix(w, seed_of(s, l, SketchSeed::mix), w.pair, w.psi);
}

void finish_linear(const FinishArgs& f) noexcept { SAMARA_KERNEL(simd, scaled_copy)(f.t, f.rows, f.amplitude, f.out); }

void plan_linear(const RowMap& map, const float*, std::uint32_t, SamplePlan& plan) noexcept
{
    plan = {.factor = 1.0f, .amplitude = map.amplitude, .centre = 0.0f};
}

// Algorithm 1 of arXiv 2106.07880 for x / |x|; the last projection multiplies with |x|.
Status sample_features(const NtkSketchSpec& s, const TwoSeries& series, RowFunction last_rows, const Buffers& w,
                       float length, std::span<float> z) noexcept
{
    Status status = first_sketch(s, w);
    for (std::uint32_t l = 0; l < s.depth && status == Status::ok; ++l)
        status = next_layer(s, series, w, l);
    if (status != Status::ok)
        return status;
    RowSample projected;
    static_cast<RowShape&>(projected.map) =
        row_shape(seed_of(s, OnceSeed::last_rows), s.tensor, s.features, 0, 1, s.rows,
                  {.rows = last_rows, .finish = finish_linear, .plan = plan_linear});
    projected.map.amplitude = length * samara::detail::root_of_inverse(s.features);
    status = begin(projected, w.psi, w.scratch);
    if (status == Status::ok)
        all_blocks(projected, z.data());
    return status;
}

Status run_published_form(const NtkSketchSpec& s, RowFunction last_rows, std::span<const float> x, std::span<float> z,
                          std::size_t samples, std::span<std::byte> work) noexcept
{
    Bump bump(work);
    const auto take = [&](std::uint32_t n) { return std::span(bump.take<float>(n), n); };
    Buffers w{take(s.inputs), take(s.relu), take(s.tensor), take(s.tensor), take(s.tensor + s.relu), {}};
    w.scratch = work.last(bump.left());
    const TwoSeries series = two_series(s);
    for (float& v : z)
        v = 0.0f;
    for (std::size_t k = 0; k < samples; ++k) {
        const float length = unit_vector(x.data() + k * s.inputs, s.inputs, w.unit.data());
        if (length == 0.0f)
            continue;
        if (const Status status =
                sample_features(s, series, last_rows, w, length, z.subspan(k * s.features, s.features));
            status != Status::ok) { // a power left the range of floats
            for (float& v : z)
                v = 0.0f;
            return Status::overflow;
        }
    }
    return Status::ok;
}

Status features_of_series(const LayerRun& r, const FeatureJob& job) noexcept
{
    const std::uint32_t features = job.kind == LayerFeatures::relu ? r.plan.relu : r.plan.step;
    return series_features(*r.series, job.kind, job.layer, job.phi, {job.out, features}, r.scratch);
}

} // namespace

Status Map<NtkSketchSpec>::run(const NtkSketchSpec& s, const Code& code, std::span<const float> x, std::span<float> z,
                               std::size_t samples, std::span<std::byte> work) noexcept
{
    if (s.orders == Orders::none)
        return run_published_form(s, code.rows, x, z, samples, work);
    LayerCode layers;
    layers.layers = layers_exact<false>;
    layers.features = features_of_series;
    layers.tensor = tensor_srht;
    const TwoSeries series = two_series(s);
    return run_layers(plan(s), layers, &series, x, z, samples, work);
}

double Map<NtkSketchSpec>::kernel(const NtkSketchSpec& s, std::span<const float> x, std::span<const float> y) noexcept
{
    return ntk_kernel(x, y, s.depth);
}

} // namespace samara
