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

// k1 of one layer, as its random rows see it: k1(s) = constant + s/2 + square s^2 + tail(s). For normal rows these are
// the Taylor coefficients of arXiv 2106.07880, Eq. (6): constant = 1/pi, square = 1/(2 pi). Without `two`, square is 0
// and the tail begins with s^2.
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

// The estimate of a kernel of x and y is a weighted sum of inner products. These are the weights of
//   1,  cos = <x, y>,  cos^2 (the products of entries; with `two` alone),  <relu features of layer j>.
// A vector that holds each of these parts, times the root of its weight, has the kernel as its inner product.
struct KernelWeights {
    float constant = 0.0f, cosine = 1.0f, cosine_squared = 0.0f;
    float relu[most_layers];
};

// How the weights change from layer to layer. Let S be the NNGP kernel and K the NTK of the layers so far, both of
// vectors of length 1. The next layer has (arXiv 2106.07880, Definition 1, Eq. (3) and (4))
//   S' = k1(S),   K' = K k0(S) + S',   with k0(s) = 1/2 + s/pi + tail0(s) and k1 as in ReluSeries.
// Let c and k be the constants of S and K, so that S = c + S~ and K = k + K~, and let b and w be the weights of cos in
// S and in K. Multiplying out gives
//   S' = constant + S/2 + square (c^2 + 2 c S~ + S~^2) + tail(S)
//   K' = K (1/2 + c/pi) + k S~/pi + K~ S~/pi + K tail0(S) + S'.
// Whatever is a multiple of 1, of S~ or of K only changes the weights of parts that are there already. With `two` so do
// the first terms of S~^2 = b^2 cos^2 + ... and of K~ S~ = b w cos^2 + ... What remains is new: tail(S) and the rest of
// S~^2 are the layer's relu features, K tail0(S) and the rest of K~ S~/pi its tensor features, both of weight 1.
struct Weights {
    KernelWeights nngp, ntk;       // of S, whose vector is phi, and of K, whose vector is psi
    float ntk_tensor[most_layers]; // of <tensor features of layer j> in K

    template <bool two>
    void next(std::uint32_t layer, const ReluSeries& k1) noexcept
    {
        const float c = nngp.constant, square_c = k1.square * c;
        // What S~ is multiplied with in S', K in K', and S~ in K': there by the term k S~/pi and within S'.
        const float nngp_to_nngp = two ? 0.5f + (square_c + square_c) : 0.5f;
        const float ntk_to_ntk = 0.5f + c * over_pi;
        const float by_constant = ntk.constant * over_pi, nngp_to_ntk = by_constant + nngp_to_nngp;
        if constexpr (two) {
            const float from_square = k1.square * (nngp.cosine * nngp.cosine);
            ntk.cosine_squared = ntk.cosine_squared * ntk_to_ntk + nngp.cosine_squared * nngp_to_ntk +
                                 (nngp.cosine * ntk.cosine * over_pi + from_square);
            nngp.cosine_squared = nngp.cosine_squared * nngp_to_nngp + from_square;
        }
        ntk.cosine = ntk.cosine * ntk_to_ntk + nngp.cosine * nngp_to_ntk;
        for (std::uint32_t j = 0; j < layer; ++j) {
            ntk.relu[j] = ntk.relu[j] * ntk_to_ntk + nngp.relu[j] * nngp_to_ntk;
            ntk_tensor[j] *= ntk_to_ntk;
            nngp.relu[j] *= nngp_to_nngp;
        }
        nngp.relu[layer] = ntk.relu[layer] = ntk_tensor[layer] = 1.0f;
        nngp.constant = two ? k1.constant + c * 0.5f + square_c * c : k1.constant + c * 0.5f;
        nngp.cosine *= nngp_to_nngp;
        ntk.constant = ntk.constant * ntk_to_ntk + nngp.constant;
    }
};

// Computes the layers of one sample. Until finish(), z holds the features of all layers so far without their weights.
template <bool two>
class ExactLayers {
public:
    ExactLayers(const LayerRun& r, float* z) noexcept
        : r_(r), p_(r.plan), z_(z), products_(z + 1 + p_.inputs), relu_(products_ + p_.pairs),
          tensor_(relu_ + std::size_t{p_.depth} * p_.relu)
    {
        if constexpr (two)
            all_products(r.unit, p_.inputs, 1.0f, 1.0f, products_);
    }

    Status compute() noexcept
    {
        for (std::uint32_t l = 0; l < p_.depth; ++l) {
            gather_phi(l);
            if (const Status status = make_relu_and_step(l); status != Status::ok)
                return status;
            if (const Status status = p_.nngp ? Status::ok : make_tensor(l); status != Status::ok)
                return status;
            const ReluSeries series = relu_series<two>(p_, r_.code.relu, phi_size(p_, l));
            if constexpr (two)
                if (const Status status = l == 0 ? Status::ok : add_square(l, series.square_root); status != Status::ok)
                    return status;
            weights_.template next<two>(l, series);
        }
        finish();
        return Status::ok;
    }

private:
    // Writes the vector of a kernel: constant, x, products and relu features of the layers before layer l, each times
    // the root of its weight. Returns where it ends. Layer 0 sees x alone: nothing else has a weight yet.
    float* gather(std::uint32_t l, const KernelWeights& weights, float* out) const noexcept
    {
        if (l > 0)
            *out++ = root(weights.constant);
        copy_times(r_.unit, p_.inputs, root(weights.cosine), out);
        out += p_.inputs;
        if constexpr (two) {
            if (l > 0) {
                copy_times(products_, p_.pairs, root(weights.cosine_squared), out);
                out += p_.pairs;
            }
        }
        for (std::uint32_t j = 0; j < l; ++j, out += p_.relu)
            copy_times(relu_ + std::size_t{j} * p_.relu, p_.relu, root(weights.relu[j]), out);
        return out;
    }
    void gather_phi(std::uint32_t l) noexcept
    {
        static_cast<void>(gather(l, weights_.nngp, r_.phi));
        normalise(r_.phi, phi_size(p_, l)); // S of x with itself is 1
    }
    void gather_psi(std::uint32_t l) noexcept
    {
        float* out = gather(l, weights_.ntk, r_.psi);
        for (std::uint32_t j = 0; j < l; ++j, out += p_.tensor)
            copy_times(tensor_ + std::size_t{j} * p_.tensor, p_.tensor, root(weights_.ntk_tensor[j]), out);
    }

    // The relu features of tail(S), and for ntk the step features of tail0(S), whose memory the layers share.
    Status make_relu_and_step(std::uint32_t l) noexcept
    {
        const std::span<const float> phi{r_.phi, phi_size(p_, l)};
        const Status status = r_.code.features(r_, {l, LayerFeatures::relu, phi, relu_ + std::size_t{l} * p_.relu});
        if (status != Status::ok || p_.nngp)
            return status;
        return r_.code.features(r_, {l, LayerFeatures::step, phi, r_.step});
    }

    // The tensor features: a sketch of psi (x) step for K tail0(S), and for K~ S~/pi one of psi~ (x) phi~, the vectors
    // without their constants. With `two` the products x (x) x have gone into the weights of cos^2: what is left is
    // psi~ (x) (phi~ without x) and (psi~ without x) (x) x.
    Status make_tensor(std::uint32_t l) noexcept
    {
        gather_psi(l);
        const std::size_t constants = l > 0 ? 1 : 0, d = p_.inputs;
        const std::span<const float> psi{r_.psi, psi_size(p_, l)}, phi{r_.phi, phi_size(p_, l)};
        const std::span<float> out{tensor_ + std::size_t{l} * p_.tensor, p_.tensor}, second{r_.second, p_.tensor};
        const auto add = [&](LayerSeed seed, std::span<const float> left, std::span<const float> right) {
            const Status status = r_.code.tensor(r_, {seed_of(p_, l, seed), left, right, second});
            SAMARA_KERNEL(simd, add_multiple)(root_over_pi, second.data(), p_.tensor, out.data());
            return status;
        };
        Status status = r_.code.tensor(r_, {seed_of(p_, l, LayerSeed::tensor), psi, {r_.step, p_.step}, out});
        if (status != Status::ok || (two && l == 0))
            return status;
        if constexpr (!two)
            return add(LayerSeed::second_tensor, psi.subspan(constants), phi.subspan(constants));
        status = add(LayerSeed::second_tensor, psi.subspan(constants), phi.subspan(constants + d));
        return status == Status::ok
                   ? add(LayerSeed::third_tensor, psi.subspan(constants + d), phi.subspan(constants, d))
                   : status;
    }

    // Adds square S~^2, without its part in cos^2, to the relu features. With phi~ = x (+) rest the inner products of
    // phi~ (x) phi~ without x (x) x are those of (sqrt2 x (+) rest) (x) rest. It scales x in place: nobody reads phi
    // afterwards.
    Status add_square(std::uint32_t l, float series_root) noexcept
    {
        float* const x = r_.phi + 1;
        const std::uint32_t d = p_.inputs, rest = phi_size(p_, l) - 1 - d;
        copy_times(x, d, root_two, x);
        const Status status = tensor_srht(
            r_, {seed_of(p_, l, LayerSeed::relu_square), {x, d + rest}, {x + d, rest}, {r_.second, p_.relu}});
        SAMARA_KERNEL(simd, add_multiple)(series_root, r_.second, p_.relu, relu_ + std::size_t{l} * p_.relu);
        return status;
    }

    // Turns z into the features: the vector of S for nngp, of K for ntk, times |x|. What is left over is 0.
    void finish() noexcept
    {
        const KernelWeights& weights = p_.nngp ? weights_.nngp : weights_.ntk;
        const auto factor = [&](float weight) { return root(weight) * r_.length; };
        z_[0] = factor(weights.constant);
        copy_times(r_.unit, p_.inputs, factor(weights.cosine), z_ + 1);
        if constexpr (two)
            copy_times(products_, p_.pairs, factor(weights.cosine_squared), products_);
        float* at = relu_;
        for (std::uint32_t j = 0; j < p_.depth; ++j, at += p_.relu)
            copy_times(at, p_.relu, factor(weights.relu[j]), at);
        for (std::uint32_t j = 0; !p_.nngp && j < p_.depth; ++j, at += p_.tensor)
            copy_times(at, p_.tensor, factor(weights_.ntk_tensor[j]), at);
        for (; at != z_ + p_.features; ++at)
            *at = 0.0f;
    }

    const LayerRun& r_;
    const LayerPlan& p_;
    float *z_, *products_, *relu_, *tensor_; // the features, and where each kind begins among them
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
    return ExactLayers<two>(r, z).compute();
}
template Status layers_exact<false>(const LayerRun&, float*) noexcept;
template Status layers_exact<true>(const LayerRun&, float*) noexcept;

} // namespace samara::engine
