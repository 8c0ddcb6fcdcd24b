#include "samara/learn.hpp"

#include <bit>
#include <limits>

#include "learn/state.hpp"
#include "simd/vectors.hpp"

namespace samara::detail {

namespace {

// Rows of weights of outputs that nothing has been learned of yet: 0, and as bias the target of "never".
void begin_outputs(float* rows, std::uint32_t known, std::uint32_t outputs, std::uint32_t features) noexcept
{
    for (; outputs > known; --outputs) {
        for (std::uint32_t j = 0; j < features; ++j)
            *rows++ = 0.0f;
        *rows++ = -1.0f / static_cast<float>(known);
    }
}

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
        const auto* numbers = reinterpret_cast<const float*>(memory.data() + state_header_bytes);
        if (!(largest(numbers, (needed - state_header_bytes) / sizeof(float)) <= std::numeric_limits<float>::max()))
            return Status::not_finite;
    }
    state_ = memory.data();
    bytes_ = needed;
    features_ = header.features;
    outputs_ = header.outputs;
    return Status::ok;
}

float* LearnerBase::floats() const noexcept { return reinterpret_cast<float*>(state_ + state_header_bytes); }

void LearnerBase::take_header(const StateHeader& header) noexcept
{
    StateHeader* own = header_of(state_);
    own->outputs = header.outputs;
    own->spec = header.spec;
}

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
    const std::uint32_t most = SAMARA_KERNEL(simd, largest_magnitude_bits)(z.data(), z.size());
    if (most >= 0x7f800000u)
        return Status::not_finite;
    return most > 0x53800000u ? Status::out_of_range : Status::ok;
}

Status LearnerBase::check_sample(std::span<const float> z, float weight) const noexcept
{
    const Status status = check_sample(z);
    if (status != Status::ok || (weight >= 0.0f && weight <= 0x1p20f))
        return status;
    return weight == weight ? Status::out_of_range : Status::not_finite;
}

float largest(const float* x, std::size_t n) noexcept
{
    return std::bit_cast<float>(SAMARA_KERNEL(simd, largest_magnitude_bits)(x, n));
}

Status row_scores(const float* weights, std::span<const float> z, std::span<float> out) noexcept
{
    const Readout rows = view_of(weights, static_cast<std::uint32_t>(z.size()), static_cast<std::uint32_t>(out.size()));
    rows.clear(out);
    rows.add(0, z, out);
    return rows.finish(out);
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
    return out.size() == outputs_ ? row_scores(weights_, z, out) : Status::wrong_length;
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
    const std::uint32_t given = readout.outputs;
    if (readout.features != features_ || given > outputs_ || (given < outputs_ && given < 2))
        return Status::wrong_length;
    const auto number = [&](std::uint32_t o, std::uint32_t j) {
        return j < features_ ? readout.weight(o, j) : readout.bias(o);
    };
    for (std::uint32_t o = 0; weights != nullptr && o < given; ++o)
        for (std::uint32_t j = 0; j <= features_; ++j)
            if (!(magnitude(number(o, j)) < least_refused_number))
                return Status::overflow;
    header_of(state_)->features_id = features_id;
    if (weights == nullptr)
        return Status::ok;
    for (std::uint32_t o = 0; o < given; ++o)
        for (std::uint32_t j = 0; j <= features_; ++j)
            *weights++ = number(o, j);
    begin_outputs(weights, given, outputs_, features_);
    return Status::ok;
}

void LearnerBase::grow_weights(std::uint32_t outputs, std::size_t copies, std::size_t behind) noexcept
{
    const std::size_t before = weight_floats(features_, outputs), after = weight_floats(features_, outputs_);
    float* const floats = this->floats();
    // From the end, because everything moves up.
    const auto move = [&](std::size_t from, std::size_t to, std::size_t n) {
        while (n-- > 0)
            floats[to + n] = floats[from + n];
    };
    move(outputs + copies * before, outputs_ + copies * after, behind);
    for (std::size_t c = copies; c-- > 0;) {
        move(outputs + c * before, outputs_ + c * after, before);
        begin_outputs(floats + outputs_ + c * after + before, outputs, outputs_, features_);
    }
    for (std::uint32_t o = 0; o < outputs_; ++o)
        floats[o] = 0.0f;
}

bool label_fits(std::uint32_t label, std::uint32_t outputs) noexcept { return label < (outputs == 1 ? 2 : outputs); }

Status LearnerBase::check_targets(std::span<const float> targets) const noexcept
{
    if (targets.size() != outputs_)
        return Status::wrong_length;
    const float most = largest(targets.data(), targets.size());
    if (!(most <= std::numeric_limits<float>::max()))
        return Status::not_finite;
    return most < least_refused_change ? Status::ok : Status::overflow;
}

Status LearnerBase::targets_of(std::span<const float> targets, Targets& out) const noexcept
{
    out = {targets.data(), 0, outputs_};
    return check_targets(targets);
}
Status LearnerBase::targets_of(std::uint32_t label, Targets& out) const noexcept
{
    out = {nullptr, label, outputs_};
    return label_fits(label, outputs_) ? Status::ok : Status::wrong_length;
}

// The target of output o is 1 - 1/outputs if it is the label, else -1/outputs; that of a single output is 1 or 0.
float LearnerBase::Targets::operator[](std::uint32_t o) const noexcept
{
    if (values != nullptr)
        return values[o];
    const float mean = outputs == 1 ? 0.0f : 1.0f / static_cast<float>(outputs);
    return ((outputs == 1 ? label != 0 : o == label) ? 1.0f : 0.0f) - mean;
}

} // namespace samara::detail
