// Layers of relu and step features. SPEC.md, maps of networks.
#include "samara/map_ntk.hpp"

#include "map/row_map.hpp"
#include "map/unit_vector.hpp"
#include "map/whole_map.hpp"
#include "samara/kernel.hpp"
#include "sketch/inputs.hpp"

namespace samara {

namespace {

using namespace detail;

// Each use of randomness in a layer has a seed of its own.
enum class Part : std::uint64_t { step_rows = 0, relu_rows = 1, tensor = 2, second_tensor = 3 };

std::uint64_t seed_of(const LayerPlan& p, std::uint32_t layer, Part part) noexcept
{
    return stream_key(p.seed, Domain::ntk_layers, 4 * std::uint64_t{layer} + static_cast<std::uint64_t>(part)).value;
}

struct Work {
    float *unit, *phi, *psi, *step, *second;
    std::span<std::byte> tables, scratch;
};

Work take_work(const LayerPlan& p, std::span<std::byte> bytes) noexcept
{
    Bump bump(bytes);
    Work w{};
    w.unit = bump.take<float>(p.inputs);
    if (p.exact) {
        w.phi = bump.take<float>(phi_size(p, p.depth - 1));
        if (!p.nngp) {
            w.psi = bump.take<float>(psi_size(p, p.depth - 1));
            w.second = bump.take<float>(p.tensor);
        }
    } else if (p.depth > 1) {
        w.psi = bump.take<float>(p.features);
    }
    if (!p.nngp)
        w.step = bump.take<float>(p.step);
    w.scratch = bytes.last(bump.left());
    if (p.sketch == NtkTensor::count && p.tensor != 0) {
        const std::size_t tables = TensorSketch::bytes({.size = p.tensor});
        w.tables = w.scratch.first(tables);
        w.scratch = w.scratch.subspan(tables);
    }
    return w;
}

// What the centred features take from their mean, on vectors of length 1.
void sample_of_length_one(const RowMap& map, const float*, std::uint32_t, SamplePlan& plan, float*) noexcept
{
    plan = {1.0f, map.amplitude, map.centre, false};
}

// m features of phi, which has n numbers and, where they are centred, length 1.
void rows_of(const LayerPlan& p, std::uint32_t layer, Part part, const float* phi, std::uint32_t n, float* out,
             std::span<std::byte> work) noexcept
{
    const bool relu = part == Part::relu_rows;
    ArcCosSpec spec{.inputs = n,
                    .features = relu ? p.relu : p.step,
                    .order = relu ? 1u : 0u,
                    .rows = relu ? p.rows : step_rows(p.rows),
                    .orders = Orders::none,
                    .sweeps = relu ? p.sweeps : 0,
                    .seed = seed_of(p, layer, part)};
    RowMap map = row_map(spec, code_of(spec), spec.features);
    if (p.exact) {
        map.amplitude = SAMARA_ARCH::sqrt_scalar(0.5f / static_cast<float>(spec.features));
        map.code.finish = relu ? finish_absolute : finish_sign;
        map.code.sample = sample_of_length_one;
    }
    // Lengths are right and numbers finite: nothing is refused.
    static_cast<void>(run(map, {phi, n}, {out, spec.features}, 1, work));
}

// Q of the tensor product of psi with `right`.
class Tensor {
public:
    Tensor(const LayerPlan& p, const Work& w) noexcept : p_(p), w_(w)
    {
        if (p.sketch == NtkTensor::count)
            static_cast<void>(count_.init({.size = p.tensor}, w.tables));
    }
    void operator()(std::uint32_t layer, Part part, std::span<const float> psi, std::span<const float> right,
                    float* out) noexcept
    {
        const std::span<float> z(out, p_.tensor);
        const std::uint64_t seed = seed_of(p_, layer, part);
        if (p_.sketch == NtkTensor::count) {
            const std::span<const float> factors[] = {right, psi};
            count_.set_seed(seed);
            static_cast<void>(count_.sketch(factors, z, w_.scratch));
            return;
        }
        const TensorSrhtSpec spec{.left = static_cast<std::uint32_t>(psi.size()),
                                  .right = static_cast<std::uint32_t>(right.size()),
                                  .features = p_.tensor,
                                  .seed = seed};
        static_cast<void>(sketch(spec, psi, right, z, w_.scratch));
    }

private:
    const LayerPlan& p_;
    const Work& w_;
    TensorSketch count_;
};

float root(double v) noexcept { return SAMARA_ARCH::sqrt_scalar(static_cast<float>(v)); }

void copy_times(const float* x, std::size_t n, float factor, float* out) noexcept
{
    SAMARA_KERNEL(scaled_copy)(x, n, factor, out);
}

// Algorithm 1 of arXiv 2104.01351 and 2 of arXiv 2106.07880: psi is phi and the sketch behind it.
void plain_layers(const LayerPlan& p, const Work& w, Tensor& tensor, float* z) noexcept
{
    const float* in = w.unit;
    for (std::uint32_t l = 0; l < p.depth; ++l) {
        float* out = (p.depth - l) % 2 == 1 ? z : w.psi; // the last one is z
        const auto phi = static_cast<std::uint32_t>(phi_size(p, l));
        if (!p.nngp)
            rows_of(p, l, Part::step_rows, in, phi, w.step, w.scratch);
        rows_of(p, l, Part::relu_rows, in, phi, out, w.scratch);
        if (!p.nngp)
            tensor(l, Part::tensor, {in, psi_size(p, l)}, {w.step, p.step}, out + p.relu);
        in = out;
    }
}

// Eq. (12) of arXiv 2104.01351: psi is phi and the tensor product behind it.
void naive_layers(const LayerPlan& p, const Work& w, float* z) noexcept
{
    const float* in = w.unit;
    for (std::uint32_t l = 0; l < p.depth; ++l) {
        float* out = (p.depth - l) % 2 == 1 ? z : w.psi;
        const auto phi = static_cast<std::uint32_t>(phi_size(p, l));
        const std::size_t psi = psi_size(p, l);
        rows_of(p, l, Part::step_rows, in, phi, w.step, w.scratch);
        rows_of(p, l, Part::relu_rows, in, phi, out, w.scratch);
        for (std::uint32_t i = 0; i < p.step; ++i)
            copy_times(in, psi, w.step[i], out + p.relu + i * psi);
        in = out;
    }
    for (std::uint64_t i = psi_size(p, p.depth); i < p.features; ++i)
        z[i] = 0.0f;
}

// Weights, squared, of what phi and psi are made of: a constant, x, the relu features of each layer so far, and the
// sketches.
struct Weights {
    double phi_constant = 0.0, phi_linear = 1.0, psi_constant = 0.0, psi_linear = 1.0;
    double phi_relu[most_layers], psi_relu[most_layers], psi_tensor[most_layers];

    // S' = mu^2/2 + S/2 + tail1, K' = K (1/2 + c/pi) + k (S - c)/pi + sketches + S'. square: mu^2, which is 2/pi for
    // normal rows.
    void next(std::uint32_t layer, double square) noexcept
    {
        constexpr double over_pi = 0.31830988618379067;
        const double pass = 0.5 + phi_constant * over_pi, of_phi = psi_constant * over_pi;
        psi_linear = psi_linear * pass + phi_linear * (of_phi + 0.5);
        for (std::uint32_t j = 0; j < layer; ++j) {
            psi_relu[j] = psi_relu[j] * pass + phi_relu[j] * (of_phi + 0.5);
            psi_tensor[j] *= pass;
            phi_relu[j] *= 0.5;
        }
        phi_relu[layer] = psi_relu[layer] = psi_tensor[layer] = 1.0;
        phi_constant = square / 2.0 + phi_constant / 2.0;
        phi_linear *= 0.5;
        psi_constant = psi_constant * pass + phi_constant;
    }
};

void exact_layers(const LayerPlan& p, const Work& w, Tensor& tensor, float* z) noexcept
{
    const std::uint32_t d = p.inputs;
    float* const relu = z + 1 + d;
    float* const sketched = relu + std::size_t{p.depth} * p.relu;
    Weights weights;
    // A vector's constant (not at the first layer, which has none), x, and its blocks, each times its weight's root.
    const auto gather = [&](std::uint32_t l, double constant, double linear, const double* of_relu,
                            const double* of_tensor, float* out) {
        if (l > 0)
            *out++ = root(constant);
        copy_times(w.unit, d, root(linear), out);
        out += d;
        for (std::uint32_t j = 0; j < l; ++j, out += p.relu)
            copy_times(relu + std::size_t{j} * p.relu, p.relu, root(of_relu[j]), out);
        for (std::uint32_t j = 0; of_tensor != nullptr && j < l; ++j, out += p.tensor)
            copy_times(sketched + std::size_t{j} * p.tensor, p.tensor, root(of_tensor[j]), out);
    };
    for (std::uint32_t l = 0; l < p.depth; ++l) {
        const auto n = static_cast<std::uint32_t>(phi_size(p, l));
        gather(l, weights.phi_constant, weights.phi_linear, weights.phi_relu, nullptr, w.phi);
        normalise(w.phi, n);
        rows_of(p, l, Part::relu_rows, w.phi, n, relu + std::size_t{l} * p.relu, w.scratch);
        if (!p.nngp) {
            rows_of(p, l, Part::step_rows, w.phi, n, w.step, w.scratch);
            const std::size_t constants = l > 0 ? 1 : 0, psi = psi_size(p, l);
            gather(l, weights.psi_constant, weights.psi_linear, weights.psi_relu, weights.psi_tensor, w.psi);
            float* out = sketched + std::size_t{l} * p.tensor;
            tensor(l, Part::tensor, {w.psi, psi}, {w.step, p.step}, out);
            tensor(l, Part::second_tensor, {w.psi + constants, psi - constants}, {w.phi + constants, n - constants},
                   w.second);
            constexpr float root_over_pi = 0.564189584f;
            SAMARA_KERNEL(add_multiple)(root_over_pi, w.second, p.tensor, out);
        }
        const auto mu = static_cast<double>(p.rows == Rows::unit ? mean_magnitude(n) : 0.797884561f);
        weights.next(l, mu * mu);
    }
    float* at = z;
    *at++ = root(p.nngp ? weights.phi_constant : weights.psi_constant);
    copy_times(w.unit, d, root(p.nngp ? weights.phi_linear : weights.psi_linear), at);
    at = relu;
    for (std::uint32_t j = 0; j < p.depth; ++j, at += p.relu)
        copy_times(at, p.relu, root(p.nngp ? weights.phi_relu[j] : weights.psi_relu[j]), at);
    for (std::uint32_t j = 0; !p.nngp && j < p.depth; ++j, at += p.tensor)
        copy_times(at, p.tensor, root(weights.psi_tensor[j]), at);
    for (; at != z + p.features; ++at)
        *at = 0.0f;
}

Status run_layers(const LayerPlan& p, std::span<const float> x, std::span<float> z, std::size_t samples,
                  std::span<std::byte> bytes) noexcept
{
    if (const Status status = check_vector(x); status != Status::ok)
        return status;
    const Work w = take_work(p, bytes);
    Tensor tensor(p, w);
    for (std::size_t k = 0; k < samples; ++k) {
        const float* in = x.data() + k * p.inputs;
        float* out = z.data() + k * p.features;
        const float length = unit_vector(in, p.inputs, w.unit);
        if (length == 0.0f) {
            for (std::uint32_t i = 0; i < p.features; ++i)
                out[i] = 0.0f;
            continue;
        }
        if (p.exact)
            exact_layers(p, w, tensor, out);
        else if (p.sketch == NtkTensor::none)
            naive_layers(p, w, out);
        else
            plain_layers(p, w, tensor, out);
        copy_times(out, p.features, length, out);
    }
    return Status::ok;
}

} // namespace

Status compute_map(const NngpSpec& s, std::span<const float> x, std::span<float> z, std::size_t samples,
                   std::span<std::byte> work) noexcept
{
    const Status status = check_run(s, x, z, samples, work);
    return status == Status::ok ? run_layers(layer_plan(s), x, z, samples, work) : status;
}
Status compute_map(const NtkSpec& s, std::span<const float> x, std::span<float> z, std::size_t samples,
                   std::span<std::byte> work) noexcept
{
    const Status status = check_run(s, x, z, samples, work);
    return status == Status::ok ? run_layers(layer_plan(s), x, z, samples, work) : status;
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
