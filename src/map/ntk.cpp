// Layers of relu and step features. SPEC.md, maps of networks.
#include "samara/map_ntk.hpp"

#include "map/layers.hpp"
#include "map/row_map.hpp"
#include "map/unit_vector.hpp"
#include "map/whole_map.hpp"
#include "samara/kernel.hpp"
#include "sketch/inputs.hpp"

namespace samara {

namespace detail {

std::uint64_t seed_of(const LayerPlan& p, std::uint32_t layer, Part part) noexcept
{
    return stream_key(p.seed, Domain::ntk_layers, 4 * std::uint64_t{layer} + static_cast<std::uint64_t>(part)).value;
}

// Lengths are right: sketches refuse no more than magnitudes above 2^40, which only series can reach.
void prepare_count(LayerRun& r) noexcept { static_cast<void>(r.count.init({.size = r.plan.tensor}, r.tables)); }

Status tensor_count(const LayerRun& r, const TensorJob& job) noexcept
{
    const std::span<const float> factors[] = {job.right, job.psi};
    TensorSketch sketch = r.count;
    sketch.set_seed(job.seed);
    return sketch.sketch(factors, job.out, r.scratch);
}

Status tensor_srht(const LayerRun& r, const TensorJob& job) noexcept
{
    const TensorSrhtSpec spec{.left = static_cast<std::uint32_t>(job.psi.size()),
                              .right = static_cast<std::uint32_t>(job.right.size()),
                              .features = r.plan.tensor,
                              .seed = job.seed};
    return sketch(spec, job.psi, job.right, job.out, r.scratch);
}

void sample_length_one(const RowMap& map, const float*, std::uint32_t, SamplePlan& plan, float*, float*) noexcept
{
    plan = {1.0f, map.amplitude, map.centre, false};
}

} // namespace detail

namespace {

using namespace detail;

void take_work(LayerRun& r, std::span<std::byte> bytes) noexcept
{
    const LayerPlan& p = r.plan;
    Bump bump(bytes);
    r.unit = bump.take<float>(p.inputs);
    if (p.exact) {
        r.phi = bump.take<float>(phi_size(p, p.depth - 1));
        if (!p.nngp) {
            r.psi = bump.take<float>(psi_size(p, p.depth - 1));
            r.second = bump.take<float>(p.tensor);
        }
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

float root(float v) noexcept { return SAMARA_ARCH::sqrt_scalar(v); }

void copy_times(const float* x, std::size_t n, float factor, float* out) noexcept
{
    SAMARA_KERNEL(scaled_copy)(x, n, factor, out);
}

} // namespace

Status detail::features_of_rows(const LayerRun& r, const FeatureJob& job) noexcept
{
    const LayerPlan& p = r.plan;
    const bool relu = job.part == Part::relu_rows;
    const ArcCosSpec spec{.inputs = static_cast<std::uint32_t>(job.phi.size()),
                          .features = relu ? p.relu : p.step,
                          .order = relu ? 1u : 0u,
                          .rows = relu ? p.rows : step_rows(p.rows),
                          .orders = Orders::none,
                          .sweeps = relu ? p.sweeps : 0,
                          .seed = seed_of(p, job.layer, job.part)};
    RowMap map = row_map(spec, relu ? r.code.relu : r.code.step, spec.features);
    if (p.exact)
        map.amplitude = root(0.5f / static_cast<float>(spec.features));
    return run(map, job.phi, {job.out, spec.features}, 1, r.scratch);
}
// Algorithm 1 of arXiv 2104.01351 and 2 of arXiv 2106.07880: psi is phi and the sketch behind it.
Status detail::layers_plain(const LayerRun& r, float* z) noexcept
{
    const LayerPlan& p = r.plan;
    const float* in = r.unit;
    for (std::uint32_t l = 0; l < p.depth; ++l) {
        float* out = (p.depth - l) % 2 == 1 ? z : r.psi; // the last one is z
        const std::uint32_t phi = phi_size(p, l);
        if (!p.nngp)
            static_cast<void>(features_of_rows(r, {l, Part::step_rows, {in, phi}, r.step}));
        static_cast<void>(features_of_rows(r, {l, Part::relu_rows, {in, phi}, out}));
        if (!p.nngp) {
            const TensorJob job{
                seed_of(p, l, Part::tensor), {in, psi_size(p, l)}, {r.step, p.step}, {out + p.relu, p.tensor}};
            if (const Status status = r.code.tensor(r, job); status != Status::ok)
                return status;
        }
        in = out;
    }
    copy_times(z, p.features, r.length, z);
    return Status::ok;
}

// Eq. (12) of arXiv 2104.01351: psi is phi and the tensor product behind it.
Status detail::layers_naive(const LayerRun& r, float* z) noexcept
{
    const LayerPlan& p = r.plan;
    const float* in = r.unit;
    for (std::uint32_t l = 0; l < p.depth; ++l) {
        float* out = (p.depth - l) % 2 == 1 ? z : r.psi;
        const std::uint32_t phi = phi_size(p, l);
        const std::size_t psi = psi_size(p, l);
        static_cast<void>(features_of_rows(r, {l, Part::step_rows, {in, phi}, r.step}));
        static_cast<void>(features_of_rows(r, {l, Part::relu_rows, {in, phi}, out}));
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

namespace {

// Weights, squared, of what phi and psi are made of: a constant, x, the relu features of each layer so far, and the
// sketches.
struct Weights {
    float phi_constant = 0.0f, phi_linear = 1.0f, psi_constant = 0.0f, psi_linear = 1.0f;
    float phi_relu[most_layers], psi_relu[most_layers], psi_tensor[most_layers];

    // S' = mu^2/2 + S/2 + tail1, K' = K (1/2 + c/pi) + k (S - c)/pi + sketches + S'. square: mu^2, which is 2/pi for
    // normal rows.
    void next(std::uint32_t layer, float square) noexcept
    {
        constexpr float over_pi = 0.318309886f;
        const float pass = 0.5f + phi_constant * over_pi, of_phi = psi_constant * over_pi;
        psi_linear = psi_linear * pass + phi_linear * (of_phi + 0.5f);
        for (std::uint32_t j = 0; j < layer; ++j) {
            psi_relu[j] = psi_relu[j] * pass + phi_relu[j] * (of_phi + 0.5f);
            psi_tensor[j] *= pass;
            phi_relu[j] *= 0.5f;
        }
        phi_relu[layer] = psi_relu[layer] = psi_tensor[layer] = 1.0f;
        phi_constant = square * 0.5f + phi_constant * 0.5f;
        phi_linear *= 0.5f;
        psi_constant = psi_constant * pass + phi_constant;
    }
};

} // namespace

Status detail::layers_exact(const LayerRun& r, float* z) noexcept
{
    const LayerPlan& p = r.plan;
    const std::uint32_t d = p.inputs;
    float* const relu = z + 1 + d;
    float* const sketched = relu + std::size_t{p.depth} * p.relu;
    Weights weights;
    // A vector's constant (not at the first layer, which has none), x, and its blocks, each times its weight's root.
    const auto gather = [&](std::uint32_t l, float constant, float linear, const float* of_relu, const float* of_tensor,
                            float* out) {
        if (l > 0)
            *out++ = root(constant);
        copy_times(r.unit, d, root(linear), out);
        out += d;
        for (std::uint32_t j = 0; j < l; ++j, out += p.relu)
            copy_times(relu + std::size_t{j} * p.relu, p.relu, root(of_relu[j]), out);
        for (std::uint32_t j = 0; of_tensor != nullptr && j < l; ++j, out += p.tensor)
            copy_times(sketched + std::size_t{j} * p.tensor, p.tensor, root(of_tensor[j]), out);
    };
    for (std::uint32_t l = 0; l < p.depth; ++l) {
        const std::uint32_t n = phi_size(p, l);
        gather(l, weights.phi_constant, weights.phi_linear, weights.phi_relu, nullptr, r.phi);
        normalise(r.phi, n);
        const auto features_of = [&](Part part, float* out) { return r.code.features(r, {l, part, {r.phi, n}, out}); };
        if (const Status status = features_of(Part::relu_rows, relu + std::size_t{l} * p.relu); status != Status::ok)
            return status;
        if (!p.nngp) {
            if (const Status status = features_of(Part::step_rows, r.step); status != Status::ok)
                return status;
            const std::size_t constants = l > 0 ? 1 : 0, psi = psi_size(p, l);
            gather(l, weights.psi_constant, weights.psi_linear, weights.psi_relu, weights.psi_tensor, r.psi);
            float* out = sketched + std::size_t{l} * p.tensor;
            const TensorJob jobs[] = {{seed_of(p, l, Part::tensor), {r.psi, psi}, {r.step, p.step}, {out, p.tensor}},
                                      {seed_of(p, l, Part::second_tensor),
                                       {r.psi + constants, psi - constants},
                                       {r.phi + constants, n - constants},
                                       {r.second, p.tensor}}};
            for (const TensorJob& job : jobs)
                if (const Status status = r.code.tensor(r, job); status != Status::ok)
                    return status;
            constexpr float root_over_pi = 0.564189584f;
            SAMARA_KERNEL(add_multiple)(root_over_pi, r.second, p.tensor, out);
        }
        const float mu = p.rows == Rows::unit ? mean_magnitude(n) : 0.797884561f;
        weights.next(l, mu * mu);
    }
    const auto factor = [&](float weight) { return root(weight) * r.length; };
    float* at = z;
    *at++ = factor(p.nngp ? weights.phi_constant : weights.psi_constant);
    copy_times(r.unit, d, factor(p.nngp ? weights.phi_linear : weights.psi_linear), at);
    at = relu;
    for (std::uint32_t j = 0; j < p.depth; ++j, at += p.relu)
        copy_times(at, p.relu, factor(p.nngp ? weights.phi_relu[j] : weights.psi_relu[j]), at);
    for (std::uint32_t j = 0; !p.nngp && j < p.depth; ++j, at += p.tensor)
        copy_times(at, p.tensor, factor(weights.psi_tensor[j]), at);
    for (; at != z + p.features; ++at)
        *at = 0.0f;
    return Status::ok;
}

Status detail::run_layers(const LayerPlan& p, const LayerCode& code, const TwoSeries* series, std::span<const float> x,
                          std::span<float> z, std::size_t samples, std::span<std::byte> bytes) noexcept
{
    if (const Status status = check_vector(x); status != Status::ok)
        return status;
    LayerRun r{p, code, series, 0.0f, nullptr, nullptr, nullptr, nullptr, nullptr, {}, {}, {}};
    take_work(r, bytes);
    if (code.prepare != nullptr)
        code.prepare(r);
    for (std::size_t k = 0; k < samples; ++k) {
        float* out = z.data() + k * p.features;
        r.length = unit_vector(x.data() + k * p.inputs, p.inputs, r.unit);
        if (r.length == 0.0f) {
            for (std::uint32_t i = 0; i < p.features; ++i)
                out[i] = 0.0f;
            continue;
        }
        if (const Status status = code.layers(r, out); status != Status::ok) {
            for (float& v : z)
                v = 0.0f;
            return status;
        }
    }
    return Status::ok;
}

template <detail::LayerSpec Spec>
Status detail::run(const Spec& s, const LayerCode& code, std::span<const float> x, std::span<float> z,
                   std::size_t samples, std::span<std::byte> work) noexcept
{
    const Status status = check_run(s, x, z, samples, work);
    return status == Status::ok ? run_layers(layer_plan(s), code, nullptr, x, z, samples, work) : status;
}

template Status detail::run(const NngpSpec&, const LayerCode&, std::span<const float>, std::span<float>, std::size_t,
                            std::span<std::byte>) noexcept;
template Status detail::run(const NtkSpec&, const LayerCode&, std::span<const float>, std::span<float>, std::size_t,
                            std::span<std::byte>) noexcept;

template <detail::LayerSpec Spec>
Status compute_map(const Spec& s, std::span<const float> x, std::span<float> z, std::size_t samples,
                   std::span<std::byte> work) noexcept
{
    return detail::run(s, code_of(s), x, z, samples, work);
}

SAMARA_WHOLE_MAP(NngpSpec)
SAMARA_WHOLE_MAP(NtkSpec)

double kernel(const NngpSpec& s, std::span<const float> x, std::span<const float> y) noexcept
{
    return nngp_kernel(x, y, s.depth);
}
double kernel(const NtkSpec& s, std::span<const float> x, std::span<const float> y) noexcept
{
    return ntk_kernel(x, y, s.depth);
}

} // namespace samara
