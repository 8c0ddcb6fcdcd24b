#include "samara/learn.hpp"

#include "learn/state.hpp"
#include "simd/vectors.hpp"

namespace samara::detail {

namespace {

// A view of rows of weights, each with its bias at the end.
Readout view_of(const float* weights, std::uint32_t features, std::uint32_t outputs) noexcept
{
    const auto* bytes = reinterpret_cast<const std::byte*>(weights);
    const std::size_t row = sizeof(float) * (std::size_t{features} + 1);
    return {ReadoutType::float32, outputs, features, bytes + sizeof(float) * features, nullptr, bytes, row, row,
            add_float32};
}

} // namespace

Status LearnerBase::begin(const StateHeader& header, std::size_t needed, std::span<std::byte> memory,
                          bool resume) noexcept
{
    if ((reinterpret_cast<std::uintptr_t>(memory.data()) & 3u) != 0)
        return Status::misaligned;
    if (memory.size() < needed)
        return Status::small_workspace;
    StateHeader* found = header_of(memory.data());
    if (!resume) {
        for (std::size_t i = 0; i < needed / 4; ++i)
            reinterpret_cast<std::uint32_t*>(memory.data())[i] = 0;
        *found = header;
    } else {
        if (found->magic != header.magic || found->kind != header.kind || found->features != header.features ||
            found->outputs != header.outputs)
            return Status::different_features;
        const std::uint32_t own_bits = header.kind == gram_state ? consumed_bit : 0;
        if (found->spec == 0)
            found->spec = header.spec;
        else if ((found->spec & ~own_bits) != header.spec)
            return Status::different_spec;
    }
    state_ = memory.data();
    bytes_ = needed;
    features_ = header.features;
    outputs_ = header.outputs;
    return Status::ok;
}

float* LearnerBase::floats() const noexcept { return reinterpret_cast<float*>(state_ + state_header_bytes); }

std::uint64_t LearnerBase::samples() const noexcept
{
    if (state_ == nullptr)
        return 0;
    const StateHeader* header = header_of(state_);
    return header->samples_low | std::uint64_t{header->samples_high} << 32;
}

std::uint32_t LearnerBase::features_id() const noexcept
{
    return state_ == nullptr ? 0 : header_of(state_)->features_id;
}

void LearnerBase::count() noexcept
{
    StateHeader* header = header_of(state_);
    header->samples_high += ++header->samples_low == 0 ? 1u : 0u;
}

Status LearnerBase::check_sample(std::span<const float> z) const noexcept
{
    if (state_ == nullptr)
        return Status::not_open;
    if (z.size() != features_)
        return Status::wrong_length;
    const std::uint32_t largest = SAMARA_KERNEL(simd, largest_magnitude_bits)(z.data(), z.size());
    if (largest >= 0x7f800000u)
        return Status::not_finite;
    return largest > 0x53800000u ? Status::out_of_range : Status::ok;
}

void row_scores(const float* weights, std::span<const float> z, std::span<float> out) noexcept
{
    const Readout rows = view_of(weights, static_cast<std::uint32_t>(z.size()), static_cast<std::uint32_t>(out.size()));
    rows.clear(out);
    rows.add(0, z, out);
    rows.finish(out);
}

Status LearnerBase::check_weights() const noexcept
{
    if (state_ == nullptr)
        return Status::not_open;
    const StateHeader* header = header_of(state_);
    if (header->kind != gram_state)
        return Status::ok;
    if ((header->spec & consumed_bit) == 0)
        return Status::not_open;
    return samples() == 0 ? Status::consumed : Status::ok;
}

Status LearnerBase::scores(std::span<const float> z, std::span<float> out) const noexcept
{
    if (const Status status = check_sample(z); status != Status::ok)
        return status;
    if (const Status status = check_weights(); status != Status::ok)
        return status;
    if (out.size() != outputs_)
        return Status::wrong_length;
    row_scores(weights_, z, out);
    return Status::ok;
}

Readout LearnerBase::readout() const noexcept
{
    return check_weights() == Status::ok ? view_of(weights_, features_, outputs_) : Readout{};
}

float LearnerBase::weight(std::uint32_t output, std::uint32_t feature) const noexcept
{
    return check_weights() == Status::ok ? weights_[output * (std::size_t{features_} + 1) + feature] : 0.0f;
}
float LearnerBase::bias(std::uint32_t output) const noexcept { return weight(output, features_); }

Status LearnerBase::load_weights(const Readout& readout, std::uint32_t features_id, float* weights) noexcept
{
    if (state_ == nullptr || readout.weights == nullptr)
        return Status::not_open;
    if (readout.features != features_ || readout.outputs != outputs_)
        return Status::wrong_length;
    header_of(state_)->features_id = features_id;
    if (weights == nullptr)
        return Status::ok;
    for (std::uint32_t o = 0; o < outputs_; ++o) {
        for (std::uint32_t j = 0; j < features_; ++j)
            *weights++ = readout.weight(o, j);
        *weights++ = readout.bias(o);
    }
    return Status::ok;
}

bool label_fits(std::uint32_t label, std::uint32_t outputs) noexcept { return label < (outputs == 1 ? 2 : outputs); }

Status LearnerBase::take_targets(std::span<const float> z, std::span<const float> targets) noexcept
{
    if (const Status status = check_sample(z); status != Status::ok)
        return status;
    if (targets.size() != outputs_)
        return Status::wrong_length;
    if (SAMARA_KERNEL(simd, largest_magnitude_bits)(targets.data(), targets.size()) >= 0x7f800000u)
        return Status::not_finite;
    for (std::uint32_t o = 0; o < outputs_; ++o)
        errors_[o] = targets[o];
    return Status::ok;
}

// The target of output o is 1 - 1/outputs if it is the label, else -1/outputs; that of a single output is 1 or 0.
Status LearnerBase::take_label(std::span<const float> z, std::uint32_t label) noexcept
{
    if (const Status status = check_sample(z); status != Status::ok)
        return status;
    if (!label_fits(label, outputs_))
        return Status::wrong_length;
    const float mean = outputs_ == 1 ? 0.0f : 1.0f / static_cast<float>(outputs_);
    for (std::uint32_t o = 0; o < outputs_; ++o)
        errors_[o] = ((outputs_ == 1 ? label != 0 : o == label) ? 1.0f : 0.0f) - mean;
    return Status::ok;
}

} // namespace samara::detail
