// Recursive least squares as Bierman's update of P = U D U': U unit upper triangular, D positive. G. J. Bierman,
// Factorization Methods for Discrete Sequential Estimation, 1977, chapter V.
#include "learn/kernels.hpp"
#include "learn/state.hpp"
#include "simd/scalar_math.hpp"
#include "simd/vectors.hpp"

namespace samara {

Status Rls::open(const RlsSpec& spec, std::span<std::byte> memory, bool resume) noexcept
{
    if (!check(spec))
        return Status::bad_spec;
    // The state holds the inverse of sums that are weighted by forget and begin with prior, so the digest has both.
    const auto header =
        detail::new_header(detail::rls_state, {spec.features, spec.outputs, std::bit_cast<std::uint32_t>(spec.forget),
                                               std::bit_cast<std::uint32_t>(spec.prior)});
    if (const Status status = begin(header, state_bytes(spec), memory, resume); status != Status::ok)
        return status;
    spec_ = spec;
    const std::size_t n = std::size_t{spec.features} + 1;
    errors_ = floats();
    weights_ = errors_ + spec.outputs;
    upper_ = weights_ + n * spec.outputs;
    diagonal_ = upper_ + n * (n - 1) / 2;
    gain_ = diagonal_ + n;
    seen_ = gain_ + n;
    if (!resume)
        for (std::size_t j = 0; j < n; ++j)
            diagonal_[j] = 1.0f / spec.prior;
    return Status::ok;
}

Status Rls::start(const Readout& readout, std::uint32_t features_id) noexcept
{
    return load_weights(readout, features_id, weights_);
}

Status Rls::learn(std::span<const float> z, std::span<const float> targets) noexcept
{
    const Status status = take_targets(z, targets);
    if (status == Status::ok)
        update(z);
    return status;
}

Status Rls::learn_class(std::span<const float> z, std::uint32_t label) noexcept
{
    const Status status = take_label(z, label);
    if (status == Status::ok)
        update(z);
    return status;
}

void Rls::update(std::span<const float> z) noexcept
{
    const std::size_t n = std::size_t{features_} + 1;
    const float most = 1.0f / spec_.prior;
    // Here seen_ = U' z, which Bierman calls f. D is divided by forget, but never exceeds its value at the start.
    const auto input = [&](std::size_t j) { return j + 1 < n ? z[j] : 1.0f; };
    const float* column = upper_;
    for (std::size_t j = 0; j < n; column += j, ++j) {
        seen_[j] = input(j) + SAMARA_KERNEL(simd, dot)(column, z.data(), j);
        const float d = diagonal_[j] / spec_.forget;
        diagonal_[j] = d < most ? d : most;
    }
    float alpha = 1.0f;
    float* u = upper_;
    for (std::size_t j = 0; j < n; u += j, ++j) {
        const float f = seen_[j], v = diagonal_[j] * f, next = SAMARA_ARCH::fma_scalar(f, v, alpha);
        diagonal_[j] = diagonal_[j] * (alpha / next);
        SAMARA_KERNEL(learn, rls_column)(-f / alpha, v, j, u, gain_);
        gain_[j] = v;
        alpha = next;
    }
    const std::size_t row = n;
    for (std::uint32_t o = 0; o < outputs_; ++o) {
        float* w = weights_ + o * row;
        float score = 0.0f;
        detail::row_scores(w, z, {&score, 1});
        SAMARA_KERNEL(simd, add_multiple)((errors_[o] - score) / alpha, gain_, n, w);
    }
    count();
}

} // namespace samara
