#include <limits>

#include "learn/state.hpp"
#include "simd/scalar_math.hpp"
#include "simd/vectors.hpp"

namespace samara {

Status Gram::open(const GramSpec& spec, std::span<std::byte> memory, bool resume) noexcept
{
    if (!check(spec))
        return Status::bad_spec;
    const auto header = detail::new_header(detail::gram_state, {spec.features, spec.outputs});
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

Status Gram::add(std::span<const float> z, std::span<const float> targets) noexcept
{
    if (consumed())
        return Status::consumed;
    const Status status = take_targets(z, targets);
    if (status == Status::ok)
        update(z);
    return status;
}

Status Gram::add_class(std::span<const float> z, std::uint32_t label) noexcept
{
    if (consumed())
        return Status::consumed;
    const Status status = take_label(z, label);
    if (status == Status::ok)
        update(z);
    return status;
}

void Gram::update(std::span<const float> z) noexcept
{
    const std::size_t n = features_;
    float* row = products_;
    for (std::size_t i = 0; i < n; row += ++i)
        SAMARA_KERNEL(simd, add_multiple)(z[i], z.data(), i + 1, row);
    SAMARA_KERNEL(simd, add_multiple)(1.0f, z.data(), n, row);
    row[n] = row[n] + 1.0f;
    for (std::uint32_t o = 0; o < outputs_; ++o) {
        float* sums = weights_ + o * (n + 1);
        SAMARA_KERNEL(simd, add_multiple)(errors_[o], z.data(), n, sums);
        sums[n] = sums[n] + errors_[o];
    }
    count();
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
    const float added = ridge * static_cast<float>(samples());
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
