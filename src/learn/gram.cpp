#include <limits>

#include "learn/state.hpp"
#include "simd/scalar_math.hpp"
#include "simd/vectors.hpp"

namespace samara {

detail::StateHeader detail::new_header(const GramSpec& spec) noexcept
{
    return new_header(gram_state, {spec.features, spec.outputs});
}

Status Gram::open(const GramSpec& spec, std::span<std::byte> memory, bool resume) noexcept
{
    if (!check(spec))
        return Status::bad_spec;
    const auto header = detail::new_header(spec);
    if (const Status status = begin(header, state_bytes(spec), memory, resume); status != Status::ok)
        return status;
    spec_ = spec;
    errors_ = floats();
    weights_ = errors_ + spec.outputs;
    products_ = weights_ + detail::weight_floats(spec.features, spec.outputs);
    return Status::ok;
}

bool Gram::consumed() const noexcept
{
    return state_ != nullptr && (detail::header_of(state_)->spec & detail::consumed_bit) != 0;
}

Status Gram::start(const Readout& readout, std::uint32_t features_id) noexcept
{
    if (consumed())
        return Status::consumed;
    if (samples() != 0)
        return Status::different_features;
    return load_weights(readout, features_id, nullptr);
}

Status Gram::grow(const GramSpec& spec, std::span<std::byte> memory) noexcept
{
    GramSpec before;
    Status status = detail::spec_before_growing(spec, memory, before);
    if (status == Status::ok)
        status = resume(before, memory);
    if (status == Status::ok && consumed())
        status = Status::consumed;
    if (status != Status::ok || spec.outputs == before.outputs)
        return status;
    outputs_ = spec.outputs;
    const std::size_t n = std::size_t{features_} + 1, triangle = detail::packed_floats(n);
    grow_weights(before.outputs, 1, triangle);
    take_header(detail::new_header(spec));
    status = resume(spec, memory);
    // The targets of k classes are one-hot minus 1/k: with more of them each was too low by the difference.
    const float known = static_cast<float>(before.outputs), all = static_cast<float>(outputs_);
    const float* sums_of_z = products_ + triangle - n;
    for (std::uint32_t o = 0; o < outputs_; ++o) {
        float* sums = weights_ + o * n;
        if (o >= before.outputs)
            for (std::size_t j = 0; j < n; ++j)
                sums[j] = 0.0f;
        const float more = o < before.outputs ? 1.0f / known - 1.0f / all : -1.0f / all;
        SAMARA_KERNEL(simd, add_multiple)(more, sums_of_z, n, sums);
    }
    return status;
}

Status Gram::add(std::span<const float> z, std::span<const float> targets, float weight) noexcept
{
    if (consumed())
        return Status::consumed;
    Targets given;
    Status status = check_sample(z, weight);
    if (status == Status::ok)
        status = targets_of(targets, given);
    return status == Status::ok && weight != 0.0f ? update(z, given, weight) : status;
}

Status Gram::add_class(std::span<const float> z, std::uint32_t label, float weight) noexcept
{
    if (consumed())
        return Status::consumed;
    Targets given;
    Status status = check_sample(z, weight);
    if (status == Status::ok)
        status = targets_of(label, given);
    return status == Status::ok && weight != 0.0f ? update(z, given, weight) : status;
}

Status Gram::update(std::span<const float> z, const Targets& targets, float weight) noexcept
{
    const std::size_t n = features_;
    const float in_sample = detail::largest(z.data(), n), reach = in_sample > 1.0f ? in_sample : 1.0f;
    // The largest products are those with a target: z is at most 2^40 and the weight 2^20.
    for (std::uint32_t o = 0; o < outputs_; ++o)
        if (!(weight * detail::magnitude(targets[o]) * reach < detail::least_refused_change))
            return Status::overflow;
    float* row = products_;
    for (std::size_t i = 0; i < n; row += ++i)
        SAMARA_KERNEL(simd, add_multiple)(weight * z[i], z.data(), i + 1, row);
    SAMARA_KERNEL(simd, add_multiple)(weight, z.data(), n, row);
    row[n] = row[n] + weight;
    for (std::uint32_t o = 0; o < outputs_; ++o) {
        float* sums = weights_ + o * (n + 1);
        errors_[o] = targets[o];
        SAMARA_KERNEL(simd, add_multiple)(weight * errors_[o], z.data(), n, sums);
        sums[n] = sums[n] + weight * errors_[o];
    }
    count();
    return Status::ok;
}

Status Gram::merge(const Gram& other) noexcept
{
    if (state_ == nullptr || other.state_ == nullptr)
        return Status::not_open;
    if (!(spec_ == other.spec_) || features_id() != other.features_id())
        return Status::different_features;
    if (consumed() || other.consumed())
        return Status::consumed;
    const std::size_t all =
        detail::weight_floats(features_, outputs_) + detail::packed_floats(std::size_t{features_} + 1);
    for (std::size_t i = 0; i < all; ++i)
        if (!(detail::magnitude(weights_[i] + other.weights_[i]) < detail::least_refused_number))
            return Status::overflow;
    SAMARA_KERNEL(simd, add_multiple)(1.0f, other.weights_, all, weights_);
    detail::StateHeader* header = detail::header_of(state_);
    const std::uint64_t sum = samples() + other.samples();
    header->samples_low = static_cast<std::uint32_t>(sum);
    header->samples_high = static_cast<std::uint32_t>(sum >> 32);
    return Status::ok;
}

void Gram::consume(bool learned) noexcept
{
    detail::StateHeader* header = detail::header_of(state_);
    header->spec |= detail::consumed_bit;
    if (!learned)
        header->samples_low = header->samples_high = 0;
}

Status Gram::solve(float ridge) noexcept
{
    if (state_ == nullptr)
        return Status::not_open;
    if (consumed())
        return Status::consumed;
    if (!(ridge >= 0.0f && ridge <= std::numeric_limits<float>::max()) || samples() == 0)
        return Status::not_definite;
    const std::size_t n = std::size_t{features_} + 1;
    const float added = ridge * products_[detail::packed_floats(n) - 1]; // samples, each times its weight
    // Cholesky's L replaces the lower triangle row by row; row i needs all rows above it.
    float* row = products_;
    for (std::size_t i = 0; i < n; row += ++i) {
        const float* above = products_;
        for (std::size_t j = 0; j < i; above += ++j)
            row[j] = (row[j] - SAMARA_KERNEL(simd, dot)(row, above, j)) / above[j];
        const float left = row[i] + (i + 1 < n ? added : 0.0f) - SAMARA_KERNEL(simd, sum_of_squares)(row, i, 1.0f);
        if (!(left > 0.0f) || !(left < 0x1p120f)) {
            consume(false);
            return Status::not_definite;
        }
        row[i] = SAMARA_ARCH::sqrt_scalar(left);
    }
    for (std::uint32_t o = 0; o < outputs_; ++o) {
        float* w = weights_ + o * n;
        row = products_;
        for (std::size_t i = 0; i < n; row += ++i)
            w[i] = (w[i] - SAMARA_KERNEL(simd, dot)(row, w, i)) / row[i];
        for (std::size_t i = n; i-- > 0;) {
            row -= i + 1;
            w[i] = w[i] / row[i];
            SAMARA_KERNEL(simd, add_multiple)(-w[i], row, i, w);
        }
    }
    const bool finite = SAMARA_KERNEL(simd, largest_magnitude_bits)(weights_, n * outputs_) < 0x7f800000u;
    consume(finite);
    return finite ? Status::ok : Status::overflow;
}

} // namespace samara
