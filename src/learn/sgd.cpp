#include "learn/kernels.hpp"
#include "learn/state.hpp"
#include "simd/math.hpp"
#include "simd/vectors.hpp"

namespace samara {

SAMARA_KERNEL_TABLES(learn, SAMARA_LEARN_KERNELS)

namespace {

// These replace the scores s by the derivatives of the loss.
void logistic_errors(float* s, std::uint32_t outputs, std::uint32_t label) noexcept
{
    if (outputs == 1) {
        const float e = SAMARA_ARCH::exp_scalar(s[0] > 0.0f ? -s[0] : s[0]); // in (0, 1]
        const float p = (s[0] > 0.0f ? 1.0f : e) / (1.0f + e);
        s[0] = p - (label != 0 ? 1.0f : 0.0f);
        return;
    }
    float top = s[0], sum = 0.0f;
    for (std::uint32_t o = 1; o < outputs; ++o)
        top = s[o] > top ? s[o] : top;
    for (std::uint32_t o = 0; o < outputs; ++o) {
        s[o] = SAMARA_ARCH::exp_scalar(s[o] - top);
        sum = sum + s[o];
    }
    for (std::uint32_t o = 0; o < outputs; ++o)
        s[o] = s[o] / sum - (o == label ? 1.0f : 0.0f);
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

Status Sgd::open(const SgdSpec& spec, std::span<std::byte> memory, bool resume) noexcept
{
    if (!check(spec))
        return Status::bad_spec;
    // The digest leaves out rate and ridge: weights, their means and sums of squares have the same meaning for any of
    // them, and a device may lower its rate as it learns.
    const auto header =
        detail::new_header(detail::sgd_state, {spec.features, spec.outputs, static_cast<std::uint32_t>(spec.loss),
                                               static_cast<std::uint32_t>(spec.step), spec.average ? 1u : 0u});
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

void Sgd::current_scores(std::span<const float> z) noexcept { detail::row_scores(current_, z, {errors_, outputs_}); }

Status Sgd::learn(std::span<const float> z, std::span<const float> targets) noexcept
{
    if (const Status status = check_sample(z); status != Status::ok)
        return status;
    if (targets.size() != outputs_ || spec_.loss != Loss::squared)
        return Status::wrong_length;
    if (SAMARA_KERNEL(simd, largest_magnitude_bits)(targets.data(), targets.size()) >= 0x7f800000u)
        return Status::not_finite;
    current_scores(z);
    for (std::uint32_t o = 0; o < outputs_; ++o)
        errors_[o] = errors_[o] - targets[o];
    return step(z);
}

Status Sgd::learn_class(std::span<const float> z, std::uint32_t label) noexcept
{
    if (const Status status = check_sample(z); status != Status::ok)
        return status;
    if (!detail::label_fits(label, outputs_))
        return Status::wrong_length;
    current_scores(z);
    if (spec_.loss == Loss::logistic) {
        logistic_errors(errors_, outputs_, label);
    } else if (spec_.loss == Loss::hinge) {
        hinge_errors(errors_, outputs_, label);
    } else {
        const float mean = outputs_ == 1 ? 0.0f : 1.0f / static_cast<float>(outputs_);
        for (std::uint32_t o = 0; o < outputs_; ++o)
            errors_[o] = errors_[o] - ((outputs_ == 1 ? label != 0 : o == label) ? 1.0f - mean : -mean);
    }
    return step(z);
}

Status Sgd::step(std::span<const float> z) noexcept
{
    count();
    const float t = static_cast<float>(samples());
    const float rate = spec_.step == Step::inverse_root ? spec_.rate / SAMARA_ARCH::sqrt_scalar(t) : spec_.rate;
    const std::size_t n = features_, row = n + 1;
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
    if (spec_.average) // the mean of the weights after each sample
        SAMARA_KERNEL(simd, mix)((t - 1.0f) / t, 1.0f / t, current_, row * outputs_, weights_);
    return Status::ok;
}

} // namespace samara
