#include "samara/learn.hpp"

#include "learn/state.hpp"
#include "readout/kernels.hpp"
#include "samara/memory.hpp"
#include "samara/model.hpp"
#include "simd/vectors.hpp"

namespace samara::detail {

namespace {

StateHeader* header_of(std::byte* state) noexcept { return reinterpret_cast<StateHeader*>(state); }

} // namespace

Status LearnerBase::begin(std::uint32_t kind, std::uint32_t features, std::uint32_t outputs, std::size_t needed,
                          std::span<std::byte> memory, bool resume) noexcept
{
    if ((reinterpret_cast<std::uintptr_t>(memory.data()) & 3u) != 0)
        return Status::misaligned;
    if (memory.size() < needed)
        return Status::small_workspace;
    StateHeader* header = header_of(memory.data());
    if (!resume) {
        for (std::size_t i = 0; i < needed / 4; ++i)
            reinterpret_cast<std::uint32_t*>(memory.data())[i] = 0;
        *header = {state_magic, kind, features, outputs, 0, 0, 0, 0};
    } else if (header->magic != state_magic || header->kind != kind || header->features != features ||
               header->outputs != outputs) {
        return Status::different_features;
    }
    state_ = memory.data();
    bytes_ = needed;
    features_ = features;
    outputs_ = outputs;
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

// One feature after the other in segments, and the bias last: the readout's order.
void row_scores(const float* weights, std::uint32_t features, std::uint32_t outputs, const float* z,
                float* out) noexcept
{
    const std::size_t row = std::size_t{features} + 1;
    for (std::uint32_t o = 0; o < outputs; ++o)
        out[o] = 0.0f;
    SAMARA_KERNEL(readout, add_readout_float32)
    ({reinterpret_cast<const std::byte*>(weights), sizeof(float) * row, outputs, z, features, out});
    for (std::uint32_t o = 0; o < outputs; ++o)
        out[o] = out[o] + weights[o * row + features];
}

Status LearnerBase::scores(std::span<const float> z, std::span<float> out) const noexcept
{
    if (const Status status = check_sample(z); status != Status::ok)
        return status;
    if (out.size() != outputs_)
        return Status::wrong_length;
    row_scores(weights_, features_, outputs_, z.data(), out.data());
    return Status::ok;
}

float LearnerBase::weight(std::uint32_t output, std::uint32_t feature) const noexcept
{
    return weights_[output * (std::size_t{features_} + 1) + feature];
}
float LearnerBase::bias(std::uint32_t output) const noexcept { return weight(output, features_); }

Status LearnerBase::load_weights(const Model& model, float* weights) noexcept
{
    if (state_ == nullptr || !model.is_open())
        return Status::not_open;
    if (model.features() != features_ || model.outputs() != outputs_)
        return Status::wrong_length;
    header_of(state_)->features_id = model.features_id();
    if (weights == nullptr)
        return Status::ok;
    for (std::uint32_t o = 0; o < outputs_; ++o) {
        for (std::uint32_t j = 0; j < features_; ++j)
            *weights++ = model.weight(o, j);
        *weights++ = model.bias(o);
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

// One-hot minus 1/outputs; a single output is 1 or 0.
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
