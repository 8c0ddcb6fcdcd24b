// Recursive least squares as Bierman's update of P = U D U': U unit upper triangular, D positive. G. J. Bierman,
// Factorization Methods for Discrete Sequential Estimation, 1977, chapter V.
#include "learn/kernels.hpp"
#include "learn/state.hpp"
#include "simd/scalar_math.hpp"
#include "simd/vectors.hpp"

namespace samara {

// The state holds the inverse of sums that are weighted by forget and begin with prior, so the digest has both. That of
// the exact solution is from before there were blocks.
detail::StateHeader detail::new_header(const RlsSpec& spec) noexcept
{
    const std::uint32_t forget = std::bit_cast<std::uint32_t>(spec.forget);
    const std::uint32_t prior = std::bit_cast<std::uint32_t>(spec.prior);
    return spec.block == 0 ? new_header(rls_state, {spec.features, spec.outputs, forget, prior})
                           : new_header(rls_state, {spec.features, spec.outputs, forget, prior, spec.block});
}

Status Rls::open(const RlsSpec& spec, std::span<std::byte> memory, bool resume) noexcept
{
    if (!check(spec))
        return Status::bad_spec;
    const auto header = detail::new_header(spec);
    if (const Status status = begin(header, state_bytes(spec), memory, resume); status != Status::ok)
        return status;
    spec_ = spec;
    const std::size_t n = std::size_t{spec.features} + 1;
    errors_ = floats();
    weights_ = errors_ + spec.outputs;
    upper_ = weights_ + n * spec.outputs;
    const std::size_t block = spec.block == 0 ? n : spec.block;
    diagonal_ = upper_ + detail::block_floats(n, block) - n;
    if (!resume)
        for (std::size_t j = 0; j < n; ++j)
            diagonal_[j] = 1.0f / spec.prior;
    return Status::ok;
}

Status Rls::grow(const RlsSpec& spec, std::span<std::byte> memory) noexcept
{
    RlsSpec before;
    Status status = detail::spec_before_growing(spec, memory, before);
    if (status == Status::ok)
        status = resume(before, memory);
    if (status != Status::ok || spec.outputs == before.outputs)
        return status;
    // The inverse is that of the samples, whatever their targets were.
    const std::size_t weights_end = detail::weight_floats(features_, before.outputs) + before.outputs;
    outputs_ = spec.outputs;
    grow_weights(before.outputs, 1, (state_bytes(before) - state_header_bytes) / sizeof(float) - weights_end);
    take_header(detail::new_header(spec));
    return resume(spec, memory);
}

Status Rls::start(const Readout& readout, std::uint32_t features_id) noexcept
{
    return load_weights(readout, features_id, weights_);
}

Status Rls::learn(std::span<const float> z, std::span<const float> targets, float weight) noexcept
{
    Targets given;
    Status status = check_sample(z, weight);
    if (status == Status::ok)
        status = targets_of(targets, given);
    return status == Status::ok && weight != 0.0f ? update(z, given, weight) : status;
}

Status Rls::learn_class(std::span<const float> z, std::uint32_t label, float weight) noexcept
{
    Targets given;
    Status status = check_sample(z, weight);
    if (status == Status::ok)
        status = targets_of(label, given);
    return status == Status::ok && weight != 0.0f ? update(z, given, weight) : status;
}

// Calls call(block) with each block of (z, 1). Where there is one, `seen` and `gain` are kept in the state.
template <class Call>
void Rls::each_block(Call call) noexcept
{
    const std::size_t n = std::size_t{features_} + 1;
    if (spec_.block == 0) {
        call(Block{0, n, upper_, diagonal_, diagonal_ + 2 * n, diagonal_ + n});
        return;
    }
    float seen[most_rls_block], gain[most_rls_block];
    float* upper = upper_;
    for (std::size_t first = 0; first < n; first += spec_.block) {
        const std::size_t left = n - first, size = left < spec_.block ? left : spec_.block;
        call(Block{first, size, upper, diagonal_ + first, seen, gain});
        upper += size * (size - 1) / 2;
    }
}

float Rls::see(const Block& b, std::span<const float> z, float alpha) const noexcept
{
    // seen = U' z, which Bierman calls f. D is divided by forget, but never exceeds its value at the start; until the
    // sample is taken it stays where it is, and what it will be is in gain.
    const float most = 1.0f / spec_.prior;
    const float* column = b.upper;
    for (std::size_t j = 0; j < b.size; column += j, ++j) {
        const float input = b.first + j < features_ ? z[b.first + j] : 1.0f;
        b.seen[j] = input + SAMARA_KERNEL(simd, dot)(column, z.data() + b.first, j);
        const float d = b.diagonal[j] / spec_.forget;
        b.gain[j] = d < most ? d : most;
        alpha = alpha + b.seen[j] * (b.gain[j] * b.seen[j]);
    }
    return alpha;
}

float Rls::revise(const Block& b, float alpha) noexcept
{
    float* u = b.upper;
    for (std::size_t j = 0; j < b.size; u += j, ++j) {
        const float d = b.gain[j], f = b.seen[j], v = d * f;
        const float next = SAMARA_ARCH::fma_scalar(f, v, alpha);
        b.diagonal[j] = d * (alpha / next);
        SAMARA_KERNEL(learn, rls_column)(-f / alpha, v, j, u, b.gain);
        b.gain[j] = v;
        alpha = next;
    }
    return alpha;
}

// Each block takes what the others see for noise, so the step of them all is too long while they know little. What
// helped most, on digits and on other data that drifted, is noise that is the root of their number times as much; once
// there were more samples than features, none of that is left.
float Rls::shortening(float noise, float alpha) const noexcept
{
    const std::size_t blocks = (std::size_t{features_} + spec_.block) / spec_.block;
    return (SAMARA_ARCH::sqrt_scalar(static_cast<float>(blocks)) - 1.0f) * noise * ((alpha - noise) / alpha);
}

Status Rls::update(std::span<const float> z, const Targets& targets, float weight) noexcept
{
    const std::size_t n = std::size_t{features_} + 1;
    const float noise = 1.0f / weight;
    float alpha = noise;
    each_block([&](const Block& b) { alpha = see(b, z, alpha); });
    if (spec_.block != 0)
        alpha = alpha + shortening(noise, alpha);
    // So that the weights and U stay in range: they change by at most the error times the root of P's largest number.
    constexpr float most_error = 0x1p50f;
    bool finite = alpha < detail::least_refused_change;
    for (std::uint32_t o = 0; o < outputs_ && finite; ++o) {
        float score = 0.0f;
        finite = detail::row_scores(weights_ + o * n, z, {&score, 1}) == Status::ok &&
                 detail::magnitude(targets[o] - score) < most_error;
        errors_[o] = finite ? targets[o] - score : 0.0f;
    }
    if (!finite) {
        for (std::size_t j = 0; spec_.block == 0 && j < n; ++j)
            diagonal_[2 * n + j] = 0.0f; // they may be infinite
        return Status::overflow;
    }
    each_block([&](const Block& b) {
        if (spec_.block != 0)
            static_cast<void>(see(b, z, noise));
        const float own = revise(b, noise), all = spec_.block != 0 ? alpha : own;
        for (std::uint32_t o = 0; o < outputs_; ++o)
            SAMARA_KERNEL(simd, add_multiple)(errors_[o] / all, b.gain, b.size, weights_ + o * n + b.first);
    });
    for (std::uint32_t o = 0; spec_.block == 0 && o < outputs_; ++o)
        errors_[o] = targets[o];
    count();
    return Status::ok;
}

} // namespace samara
