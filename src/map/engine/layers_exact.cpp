// Layers that carry the low orders of their kernels exactly. SPEC.md, section 14.6; the formulas: map/ntk.hpp.
#include "map/engine/layer_run.hpp"
#include "map/engine/magnitude.hpp"
#include "map/engine/quadratic.hpp"
#include "map/engine/values.hpp"
#include "simd/vectors.hpp"

namespace samara::engine {

namespace {

constexpr float over_pi = 0.318309886f, root_over_pi = 0.564189584f, root_two = 1.41421354f;

float root(float v) noexcept { return SAMARA_ARCH::sqrt_scalar(v); }

void copy_times(const float* x, std::size_t n, float factor, float* out) noexcept
{
    SAMARA_KERNEL(simd, scaled_copy)(x, n, factor, out);
}

// A layer's k1: constant + s/2 + square s^2 + tail.
struct ReluSeries {
    float constant, square, square_root;
};

template <bool two>
ReluSeries relu_series(const LayerPlan& p, const RowCode& rows, std::uint32_t inputs) noexcept
{
    const bool unit = p.rows == Rows::unit;
    const float mu = mean_magnitude(rows, inputs);
    if constexpr (two) {
        const float k = static_cast<float>(inputs);
        const float a = unit ? quadratic_of_magnitude<true>(mu, k) : quadratic_of_magnitude<false>(mu, k);
        const float slope = unit ? quadratic_root<true>(a, k) : a;
        return {unit ? constant_beside<true>(mu, a, k) : constant_beside<false>(mu, a, k), slope * slope, slope};
    } else {
        return {mu * mu * 0.5f, 0.0f, 0.0f};
    }
}

// Squared weights of what phi and psi are made of: a constant, x, products of its entries, the relu features of each
// layer so far, and the sketches.
struct Weights {
    float phi_constant = 0.0f, phi_linear = 1.0f, phi_square = 0.0f;
    float psi_constant = 0.0f, psi_linear = 1.0f, psi_square = 0.0f;
    float phi_relu[most_layers], psi_relu[most_layers], psi_tensor[most_layers];

    // With S = c + S~ and K = k + K~ by their constants, b and w what x weighs in them:
    // S' = constant + S/2 + square (c^2 + 2 c S~ + b^2 cos^2 + sketch) + tail1
    // K' = K (1/2 + c/pi) + k S~ / pi + b w cos^2 / pi + sketches + S'
    template <bool two>
    void next(std::uint32_t layer, const ReluSeries& relu) noexcept
    {
        const float c = phi_constant, twice = relu.square * c;
        const float of_phi = two ? 0.5f + (twice + twice) : 0.5f;
        const float of_psi = 0.5f + c * over_pi, cross = psi_constant * over_pi, onward = cross + of_phi;
        if constexpr (two) {
            const float own = relu.square * (phi_linear * phi_linear);
            psi_square = psi_square * of_psi + phi_square * onward + (phi_linear * psi_linear * over_pi + own);
            phi_square = phi_square * of_phi + own;
        }
        psi_linear = psi_linear * of_psi + phi_linear * onward;
        for (std::uint32_t j = 0; j < layer; ++j) {
            psi_relu[j] = psi_relu[j] * of_psi + phi_relu[j] * onward;
            psi_tensor[j] *= of_psi;
            phi_relu[j] *= of_phi;
        }
        phi_relu[layer] = psi_relu[layer] = psi_tensor[layer] = 1.0f;
        phi_constant = two ? relu.constant + c * 0.5f + twice * c : relu.constant + c * 0.5f;
        phi_linear *= of_phi;
        psi_constant = psi_constant * of_psi + phi_constant;
    }
};

// One sample's layers. z holds the features of all layers so far, before their weights.
template <bool two>
class ExactLayers {
public:
    ExactLayers(const LayerRun& r, float* z) noexcept
        : r_(r), p_(r.plan), z_(z), products_(z + 1 + p_.inputs), relu_(products_ + p_.pairs),
          sketched_(relu_ + std::size_t{p_.depth} * p_.relu)
    {
        if constexpr (two)
            all_products(r.unit, p_.inputs, 1.0f, 1.0f, products_);
    }

    Status run() noexcept
    {
        for (std::uint32_t l = 0; l < p_.depth; ++l) {
            gather_phi(l);
            if (const Status status = relu_and_step(l); status != Status::ok)
                return status;
            if (const Status status = p_.nngp ? Status::ok : tensors(l); status != Status::ok)
                return status;
            const ReluSeries series = relu_series<two>(p_, r_.code.relu, phi_size(p_, l));
            if constexpr (two)
                if (const Status status = l == 0 ? Status::ok : square(l, series.square_root); status != Status::ok)
                    return status;
            weights_.template next<two>(l, series);
        }
        finish();
        return Status::ok;
    }

private:
    // A vector's constant (not at the first layer, which has none), x, products, blocks, times their weights' roots.
    float* gather(std::uint32_t l, float constant, float linear, float square, const float* of_relu,
                  float* out) const noexcept
    {
        if (l > 0)
            *out++ = root(constant);
        copy_times(r_.unit, p_.inputs, root(linear), out);
        out += p_.inputs;
        if constexpr (two) {
            if (l > 0) {
                copy_times(products_, p_.pairs, root(square), out);
                out += p_.pairs;
            }
        }
        for (std::uint32_t j = 0; j < l; ++j, out += p_.relu)
            copy_times(relu_ + std::size_t{j} * p_.relu, p_.relu, root(of_relu[j]), out);
        return out;
    }
    void gather_phi(std::uint32_t l) noexcept
    {
        static_cast<void>(
            gather(l, weights_.phi_constant, weights_.phi_linear, weights_.phi_square, weights_.phi_relu, r_.phi));
        normalise(r_.phi, phi_size(p_, l));
    }
    void gather_psi(std::uint32_t l) noexcept
    {
        float* out =
            gather(l, weights_.psi_constant, weights_.psi_linear, weights_.psi_square, weights_.psi_relu, r_.psi);
        for (std::uint32_t j = 0; j < l; ++j, out += p_.tensor)
            copy_times(sketched_ + std::size_t{j} * p_.tensor, p_.tensor, root(weights_.psi_tensor[j]), out);
    }

    Status relu_and_step(std::uint32_t l) noexcept
    {
        const std::span<const float> phi{r_.phi, phi_size(p_, l)};
        const Status status = r_.code.features(r_, {l, Part::relu_rows, phi, relu_ + std::size_t{l} * p_.relu});
        if (status != Status::ok || p_.nngp)
            return status;
        return r_.code.features(r_, {l, Part::step_rows, phi, r_.step});
    }

    // psi (x) step, and what is left of the product of phi and psi without their constants: with `two` x (x) x is not.
    Status tensors(std::uint32_t l) noexcept
    {
        gather_psi(l);
        const std::size_t constants = l > 0 ? 1 : 0, d = p_.inputs;
        const std::span<const float> psi{r_.psi, psi_size(p_, l)}, phi{r_.phi, phi_size(p_, l)};
        const std::span<float> out{sketched_ + std::size_t{l} * p_.tensor, p_.tensor}, second{r_.second, p_.tensor};
        const auto add = [&](Part part, std::span<const float> left, std::span<const float> right) {
            const Status status = r_.code.tensor(r_, {seed_of(p_, l, part), left, right, second});
            SAMARA_KERNEL(simd, add_multiple)(root_over_pi, second.data(), p_.tensor, out.data());
            return status;
        };
        Status status = r_.code.tensor(r_, {seed_of(p_, l, Part::tensor), psi, {r_.step, p_.step}, out});
        if (status != Status::ok || (two && l == 0))
            return status;
        if constexpr (!two)
            return add(Part::second_tensor, psi.subspan(constants), phi.subspan(constants));
        status = add(Part::second_tensor, psi.subspan(constants), phi.subspan(constants + d));
        return status == Status::ok ? add(Part::third_tensor, psi.subspan(constants + d), phi.subspan(constants, d))
                                    : status;
    }

    // S~^2 without that of x: (sqrt2 x (+) rest) (x) rest. The last that sees this layer's phi.
    Status square(std::uint32_t l, float series_root) noexcept
    {
        float* const x = r_.phi + 1;
        const std::uint32_t d = p_.inputs, rest = phi_size(p_, l) - 1 - d;
        copy_times(x, d, root_two, x);
        const Status status =
            tensor_srht(r_, {seed_of(p_, l, Part::relu_square), {x, d + rest}, {x + d, rest}, {r_.second, p_.relu}});
        SAMARA_KERNEL(simd, add_multiple)(series_root, r_.second, p_.relu, relu_ + std::size_t{l} * p_.relu);
        return status;
    }

    void finish() noexcept
    {
        const Weights& w = weights_;
        const auto factor = [&](float weight) { return root(weight) * r_.length; };
        z_[0] = factor(p_.nngp ? w.phi_constant : w.psi_constant);
        copy_times(r_.unit, p_.inputs, factor(p_.nngp ? w.phi_linear : w.psi_linear), z_ + 1);
        if constexpr (two)
            copy_times(products_, p_.pairs, factor(p_.nngp ? w.phi_square : w.psi_square), products_);
        float* at = relu_;
        for (std::uint32_t j = 0; j < p_.depth; ++j, at += p_.relu)
            copy_times(at, p_.relu, factor(p_.nngp ? w.phi_relu[j] : w.psi_relu[j]), at);
        for (std::uint32_t j = 0; !p_.nngp && j < p_.depth; ++j, at += p_.tensor)
            copy_times(at, p_.tensor, factor(w.psi_tensor[j]), at);
        for (; at != z_ + p_.features; ++at)
            *at = 0.0f;
    }

    const LayerRun& r_;
    const LayerPlan& p_;
    float *z_, *products_, *relu_, *sketched_;
    Weights weights_;
};

} // namespace

void plan_length_one(const RowMap& map, const float*, std::uint32_t, SamplePlan& plan) noexcept
{
    plan = {.factor = 1.0f, .amplitude = map.amplitude, .centre = map.centre};
}

template <bool unit>
void plan_length_one_two(const RowMap& map, const float*, std::uint32_t, SamplePlan& plan) noexcept
{
    const float a = quadratic_of_magnitude<unit>(map.centre, static_cast<float>(map.inputs));
    plan = {.factor = 1.0f, .amplitude = map.amplitude, .centre = map.centre - a, .square = -a};
}
template void plan_length_one_two<false>(const RowMap&, const float*, std::uint32_t, SamplePlan&) noexcept;
template void plan_length_one_two<true>(const RowMap&, const float*, std::uint32_t, SamplePlan&) noexcept;

template <bool two>
Status layers_exact(const LayerRun& r, float* z) noexcept
{
    return ExactLayers<two>(r, z).run();
}
template Status layers_exact<false>(const LayerRun&, float*) noexcept;
template Status layers_exact<true>(const LayerRun&, float*) noexcept;

} // namespace samara::engine
