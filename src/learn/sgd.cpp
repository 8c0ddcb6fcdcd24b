#include "learn/kernels.hpp"
#include "learn/state.hpp"
#include "simd/math.hpp"
#include "simd/vectors.hpp"

namespace samara {

SAMARA_KERNEL_TABLES(learn, SAMARA_LEARN_KERNELS)

namespace {

constexpr float most_averaged = 0x1p16f; // samples

// These replace the scores s by the derivatives of the loss.
void logistic_errors(float* s, std::uint32_t outputs, std::uint32_t label) noexcept
{
    if (outputs == 1) {
        const float e = SAMARA_ARCH::exp_scalar(s[0] > 0.0f ? -s[0] : s[0]); // in (0, 1]
        const float p = (s[0] > 0.0f ? 1.0f : e) / (1.0f + e);
        s[0] = p - (label != 0 ? 1.0f : 0.0f);
        return;
    }
    softmax({s, outputs}, 1.0f);
    s[label] -= 1.0f;
}

void hinge_errors(float* s, std::uint32_t outputs, std::uint32_t label) noexcept
{
    if (outputs == 1) {
        const float sign = label != 0 ? 1.0f : -1.0f;
        s[0] = sign * s[0] < 1.0f ? -sign : 0.0f;
        return;
    }
    std::uint32_t rival = label == 0 ? 1 : 0;
    for (std::uint32_t o = 0; o < outputs; ++o)
        if (o != label && s[o] > s[rival])
            rival = o;
    const bool wrong = s[label] - s[rival] < 1.0f;
    for (std::uint32_t o = 0; o < outputs; ++o)
        s[o] = 0.0f;
    s[label] = wrong ? -1.0f : 0.0f;
    s[rival] = wrong ? 1.0f : 0.0f;
}

} // namespace

// The digest leaves out rate and ridge: weights, their means and sums of squares have the same meaning for any of them,
// and a device may lower its rate as it learns.
detail::StateHeader detail::new_header(const SgdSpec& spec) noexcept
{
    return new_header(sgd_state, {spec.features, spec.outputs, static_cast<std::uint32_t>(spec.loss),
                                  static_cast<std::uint32_t>(spec.step), spec.average ? 1u : 0u});
}

Status Sgd::open(const SgdSpec& spec, std::span<std::byte> memory, bool resume) noexcept
{
    if (!check(spec))
        return Status::bad_spec;
    const auto header = detail::new_header(spec);
    if (const Status status = begin(header, state_bytes(spec), memory, resume); status != Status::ok)
        return status;
    spec_ = spec;
    const std::size_t n = detail::weight_floats(spec.features, spec.outputs);
    errors_ = floats();
    current_ = errors_ + spec.outputs;
    weights_ = spec.average ? current_ + n : current_;
    squares_ = spec.step == Step::adagrad ? weights_ + n : nullptr;
    return Status::ok;
}

Status Sgd::start(const Readout& readout, std::uint32_t features_id) noexcept
{
    if (const Status status = load_weights(readout, features_id, current_); status != Status::ok)
        return status;
    return spec_.average ? load_weights(readout, features_id, weights_) : Status::ok;
}

Status Sgd::grow(const SgdSpec& spec, std::span<std::byte> memory) noexcept
{
    SgdSpec before;
    Status status = detail::spec_before_growing(spec, memory, before);
    if (status == Status::ok)
        status = resume(before, memory);
    if (status != Status::ok || spec.outputs == before.outputs)
        return status;
    outputs_ = spec.outputs;
    grow_weights(before.outputs, 1u + (spec.average ? 1 : 0) + (spec.step == Step::adagrad ? 1 : 0), 0);
    take_header(detail::new_header(spec));
    status = resume(spec, memory);
    const std::size_t row = std::size_t{features_} + 1;
    for (std::uint32_t o = before.outputs; squares_ != nullptr && o < outputs_; ++o)
        squares_[o * row + features_] = 0.0f; // no gradient was seen there
    return status;
}

Status Sgd::learn(std::span<const float> z, std::span<const float> targets, float weight) noexcept
{
    Status status = check_sample(z, weight);
    if (status == Status::ok)
        status = spec_.loss == Loss::squared ? check_targets(targets) : Status::wrong_length;
    if (status != Status::ok || weight == 0.0f)
        return status;
    if (status = detail::row_scores(current_, z, {errors_, outputs_}); status != Status::ok)
        return status;
    for (std::uint32_t o = 0; o < outputs_; ++o)
        errors_[o] = errors_[o] - targets[o];
    return step(z, weight);
}

Status Sgd::learn_class(std::span<const float> z, std::uint32_t label, float weight) noexcept
{
    Status status = check_sample(z, weight);
    if (status == Status::ok && !detail::label_fits(label, outputs_))
        status = Status::wrong_length;
    if (status != Status::ok || weight == 0.0f)
        return status;
    if (status = detail::row_scores(current_, z, {errors_, outputs_}); status != Status::ok)
        return status;
    if (spec_.loss == Loss::logistic) {
        logistic_errors(errors_, outputs_, label);
    } else if (spec_.loss == Loss::hinge) {
        hinge_errors(errors_, outputs_, label);
    } else {
        const float mean = outputs_ == 1 ? 0.0f : 1.0f / static_cast<float>(outputs_);
        for (std::uint32_t o = 0; o < outputs_; ++o)
            errors_[o] = errors_[o] - ((outputs_ == 1 ? label != 0 : o == label) ? 1.0f - mean : -mean);
    }
    return step(z, weight);
}

// Whether no number of the state can leave the range of floats, by bounds that take one look at the sample.
bool Sgd::stays_finite(std::span<const float> z, float rate) const noexcept
{
    using detail::largest;
    const std::size_t numbers = detail::weight_floats(features_, outputs_);
    const float in_sample = largest(z.data(), z.size()), error = largest(errors_, outputs_);
    float gradient = error * (in_sample > 1.0f ? in_sample : 1.0f);
    if (spec_.step == Step::adagrad) {
        // A square may be added too, and no step is longer than the rate.
        gradient = spec_.ridge > 0.0f ? gradient + spec_.ridge * largest(current_, numbers) : gradient;
        return gradient < 0x1p50f && rate < 0x1p50f;
    }
    const float decay = detail::magnitude(1.0f - rate * spec_.ridge);
    return rate * gradient < detail::least_refused_change &&
           (decay <= 1.0f || decay * largest(current_, numbers) < detail::least_refused_number);
}

Status Sgd::step(std::span<const float> z, float weight) noexcept
{
    const float t = static_cast<float>(samples() + 1);
    const std::size_t n = features_, row = n + 1;
    float rate = spec_.rate;
    if (spec_.step == Step::normalised) {
        // No weight takes away more than the whole error.
        const float most = rate > 1.0f ? rate : 1.0f, share = rate * weight;
        const float length = SAMARA_KERNEL(simd, sum_of_squares)(z.data(), n, 1.0f) + 1.0f;
        rate = (share < most ? share : most) / (length + spec_.ridge);
    } else {
        for (std::uint32_t o = 0; o < outputs_; ++o)
            errors_[o] = errors_[o] * weight;
        if (spec_.step == Step::inverse_root)
            rate = rate / SAMARA_ARCH::sqrt_scalar(t);
    }
    if (!stays_finite(z, rate)) {
        for (std::uint32_t o = 0; o < outputs_; ++o)
            errors_[o] = 0.0f; // they may be infinite
        return Status::overflow;
    }
    count();
    for (std::uint32_t o = 0; o < outputs_; ++o) {
        float* w = current_ + o * row;
        const float error = errors_[o];
        if (spec_.step == Step::adagrad) {
            const float one = 1.0f;
            float* squares = squares_ + o * row;
            SAMARA_KERNEL(learn, adagrad_step)({z.data(), n, error, spec_.ridge, rate, w, squares});
            SAMARA_KERNEL(learn, adagrad_step)({&one, 1, error, 0.0f, rate, w + n, squares + n});
        } else {
            SAMARA_KERNEL(simd, mix)(1.0f - rate * spec_.ridge, -rate * error, z.data(), n, w);
            w[n] = w[n] - rate * error;
        }
    }
    if (spec_.average) {
        // The mean of the weights after each sample, for long enough. Shares of millions of samples would no longer add
        // up to 1, and the mean would wander away from the weights.
        const float of = t < most_averaged ? t : most_averaged;
        SAMARA_KERNEL(simd, mix)((of - 1.0f) / of, 1.0f / of, current_, row * outputs_, weights_);
    }
    return Status::ok;
}

} // namespace samara
