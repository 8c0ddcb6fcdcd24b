// Readouts that learn on the device, one sample at a time, in memory that the caller provides once.
//
// A learner sees features z (of any map) and a target: values, or a class. All of them carry a bias. Their whole state
// is the memory itself, flat bytes without pointers, so a checkpoint (checkpoint.hpp) or a message is a copy of it.
// Times are for n features and k outputs.
//
//   Sgd   stochastic gradient     n k a sample       4 n k bytes (8 or 12 with AdaGrad, averaging)
//   Rls   recursive least squares n^2 + n k a sample 2 n^2 + 4 n k bytes
//   Gram  sums for a ridge solve  n^2/2 + n k        2 n^2 + 4 n k bytes; two of them add up
//
// Memory starts at a multiple of 4 bytes. Calls leave the state untouched unless they return Status::ok; the one
// exception is Gram::solve(). The results have the same bits on every target.
//
// A state carries a digest of the spec that it was made with, so that it is not taken for another one of the same
// length. resume() returns different_features if the memory holds no state of this kind, or one of other sizes, and
// different_spec if another field of the spec differs that gives the numbers in it their meaning: loss, step, average,
// forget, prior. An Sgd's rate and ridge only say how the next sample is learned: they may be others after resume().
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

#include "samara/readout.hpp"
#include "samara/status.hpp"

namespace samara {

inline constexpr std::uint32_t most_learner_features = 1u << 16;
inline constexpr std::size_t state_header_bytes = 32; // of every state

enum class Loss : std::uint8_t { squared = 0, logistic = 1, hinge = 2 };
enum class Step : std::uint8_t { constant = 0, inverse_root = 1, adagrad = 2 };

// Stochastic gradient of loss + ridge |w|^2 / 2, without ridge for the bias. One output with logistic or hinge loss
// tells class 1 (score > 0) from class 0; several: softmax, or the hinge of Crammer and Singer (the right class against
// the best wrong one). With squared loss a class is the target 1 - 1/outputs for its output and -1/outputs for the
// others, as in training. A constant step must be below 2 / (|z|^2 + 1) for squared loss.
struct SgdSpec {
    std::uint32_t features = 0; // 1 ... 65,536
    std::uint32_t outputs = 1;  // 1 ... 4,096
    Loss loss = Loss::squared;
    Step step = Step::constant; // rate, rate / sqrt(t), or rate / sqrt(sum of squared gradients) for each weight
    float rate = 0.1f;          // positive
    float ridge = 0;
    bool average = false; // scores() use the mean of all weights so far
    friend constexpr bool operator==(const SgdSpec&, const SgdSpec&) = default;
};

// Minimises sum over t of forget^(T-t) (y - w z)^2 + prior |w|^2 exactly. The inverse is kept as U D U' (Bierman),
// which stays positive definite in float32; forgetting never makes it larger than it was at the start, so inputs that
// do not change for a long time do no harm.
struct RlsSpec {
    std::uint32_t features = 0;
    std::uint32_t outputs = 1;
    float forget = 1; // 2^-1 ... 1
    float prior = 1;  // positive; 1e-3 ... 1 for features of length 1
    friend constexpr bool operator==(const RlsSpec&, const RlsSpec&) = default;
};

struct GramSpec {
    std::uint32_t features = 0;
    std::uint32_t outputs = 1;
    friend constexpr bool operator==(const GramSpec&, const GramSpec&) = default;
};

namespace detail {
// A positive finite float, by its bits.
constexpr bool positive_bits(std::uint32_t u) noexcept { return u > 0 && u < 0x7f800000u; }
// Rows of weights: the features, then the bias.
constexpr std::size_t weight_floats(std::uint32_t features, std::uint32_t outputs) noexcept
{
    return (std::size_t{features} + 1) * outputs;
}
constexpr std::size_t packed_floats(std::size_t n) noexcept { return n * (n + 1) / 2; }
constexpr SpecReport check_learner_sizes(std::uint32_t features, std::uint32_t outputs) noexcept
{
    if (features < 1 || features > most_learner_features)
        return {Status::bad_spec, "features", "1 to 65536"};
    if (outputs < 1 || outputs > most_outputs)
        return {Status::bad_spec, "outputs", "1 to 4096"};
    return {};
}
} // namespace detail

constexpr SpecReport check(const SgdSpec& s) noexcept
{
    if (const SpecReport sizes = detail::check_learner_sizes(s.features, s.outputs); !sizes)
        return sizes;
    if (s.loss > Loss::hinge)
        return {Status::bad_spec, "loss", "squared, logistic or hinge"};
    if (s.step > Step::adagrad)
        return {Status::bad_spec, "step", "constant, inverse_root or adagrad"};
    if (!detail::positive_bits(std::bit_cast<std::uint32_t>(s.rate)))
        return {Status::bad_spec, "rate", "a positive number"};
    const auto ridge = std::bit_cast<std::uint32_t>(s.ridge);
    if (ridge != 0 && !detail::positive_bits(ridge))
        return {Status::bad_spec, "ridge", "0 or a positive number"};
    return {};
}
constexpr SpecReport check(const RlsSpec& s) noexcept
{
    if (const SpecReport sizes = detail::check_learner_sizes(s.features, s.outputs); !sizes)
        return sizes;
    const auto forget = std::bit_cast<std::uint32_t>(s.forget);
    if (forget < 0x3f000000u || forget > 0x3f800000u)
        return {Status::bad_spec, "forget", "0.5 to 1"};
    if (!detail::positive_bits(std::bit_cast<std::uint32_t>(s.prior)))
        return {Status::bad_spec, "prior", "a positive number"};
    return {};
}
constexpr SpecReport check(const GramSpec& s) noexcept { return detail::check_learner_sizes(s.features, s.outputs); }

constexpr std::size_t state_bytes(const SgdSpec& s) noexcept
{
    const std::size_t copies = 1 + (s.step == Step::adagrad ? 1 : 0) + (s.average ? 1 : 0);
    return state_header_bytes + sizeof(float) * (copies * detail::weight_floats(s.features, s.outputs) + s.outputs);
}
constexpr std::size_t state_bytes(const RlsSpec& s) noexcept
{
    const std::size_t n = std::size_t{s.features} + 1;
    return state_header_bytes + sizeof(float) * (detail::packed_floats(n) + 2 * n +
                                                 detail::weight_floats(s.features, s.outputs) + s.outputs);
}
constexpr std::size_t state_bytes(const GramSpec& s) noexcept
{
    return state_header_bytes + sizeof(float) * (detail::packed_floats(std::size_t{s.features} + 1) +
                                                 detail::weight_floats(s.features, s.outputs) + s.outputs);
}

namespace detail {

struct StateHeader;

// What the three learners share: where the state is, and predicting with rows of weights.
class LearnerBase {
public:
    // Samples learned so far.
    std::uint64_t samples() const noexcept;
    // Which features were learned from: what start() was given, else 0.
    std::uint32_t features_id() const noexcept;
    // The whole state, to save or send.
    std::span<const std::byte> state() const noexcept { return {state_, bytes_}; }
    // Scores of one sample: z of spec.features floats, out of spec.outputs. A Gram has none before solve() (not_open),
    // nor after one that failed on its sums (consumed).
    Status scores(std::span<const float> z, std::span<float> out) const noexcept;
    // A view of the learned weights; of nothing where scores() would have none.
    Readout readout() const noexcept;
    // One number of readout(): output < spec.outputs, feature < spec.features; 0 where there is none.
    float weight(std::uint32_t output, std::uint32_t feature) const noexcept;
    float bias(std::uint32_t output) const noexcept;

protected:
    // `header` is that of a state without samples.
    Status begin(const StateHeader& header, std::size_t needed, std::span<std::byte> memory, bool resume) noexcept;
    Status check_weights() const noexcept;
    Status load_weights(const Readout& readout, std::uint32_t features_id, float* weights) noexcept;
    Status check_sample(std::span<const float> z) const noexcept;
    void count() noexcept;
    float* floats() const noexcept;
    // Checks a sample and leaves its targets in errors_.
    Status take_targets(std::span<const float> z, std::span<const float> targets) noexcept;
    Status take_label(std::span<const float> z, std::uint32_t label) noexcept;

    std::byte* state_ = nullptr;
    std::size_t bytes_ = 0;
    std::uint32_t features_ = 0, outputs_ = 0;
    float* weights_ = nullptr; // those that scores() uses
    float* errors_ = nullptr;  // one for each output
};

} // namespace detail

class Sgd : public detail::LearnerBase {
public:
    // Weights start at zero. The memory holds state_bytes(spec) bytes and must outlive this.
    Status open(const SgdSpec& spec, std::span<std::byte> memory) noexcept { return open(spec, memory, false); }
    // Goes on with a state that is in the memory already. A state from before states had a digest gets one.
    Status resume(const SgdSpec& spec, std::span<std::byte> memory) noexcept { return open(spec, memory, true); }
    // Starts from the weights of a readout that was made for the features with this number (Model::features_id()).
    // wrong_length if its sizes are others, not_open if it is a view of nothing.
    Status start(const Readout& readout, std::uint32_t features_id) noexcept;
    // Starts from a Model, a FixedPredictor or another learner.
    template <class M>
    Status start(const M& model) noexcept
    {
        return start(model.readout(), model.features_id());
    }

    Status learn(std::span<const float> z, std::span<const float> targets) noexcept;
    Status learn_class(std::span<const float> z, std::uint32_t label) noexcept;

private:
    Status open(const SgdSpec& spec, std::span<std::byte> memory, bool resume) noexcept;
    Status step(std::span<const float> z) noexcept;
    void current_scores(std::span<const float> z) noexcept;

    SgdSpec spec_;
    float* current_ = nullptr;
    float* squares_ = nullptr;
};

class Rls : public detail::LearnerBase {
public:
    Status open(const RlsSpec& spec, std::span<std::byte> memory) noexcept { return open(spec, memory, false); }
    Status resume(const RlsSpec& spec, std::span<std::byte> memory) noexcept { return open(spec, memory, true); }
    // As in Sgd. The prior becomes prior |w - w0|^2, w0 the weights of the readout.
    Status start(const Readout& readout, std::uint32_t features_id) noexcept;
    template <class M>
    Status start(const M& model) noexcept
    {
        return start(model.readout(), model.features_id());
    }

    Status learn(std::span<const float> z, std::span<const float> targets) noexcept;
    Status learn_class(std::span<const float> z, std::uint32_t label) noexcept;

private:
    Status open(const RlsSpec& spec, std::span<std::byte> memory, bool resume) noexcept;
    void update(std::span<const float> z) noexcept;

    RlsSpec spec_;
    float* upper_ = nullptr;    // U by columns, its unit diagonal left out
    float* diagonal_ = nullptr; // D
    float* gain_ = nullptr;
    float* seen_ = nullptr; // U' z
};

// Sums of z z' and z y' with z ending in 1. float32 sums keep 1e-5 for some 10^6 samples; beyond that, or for a fleet,
// merge several. solve() consumes the sums: from then on, and in every copy of that state, add(), add_class(), start(),
// merge() with it on either side and solve() return consumed.
class Gram : public detail::LearnerBase {
public:
    Status open(const GramSpec& spec, std::span<std::byte> memory) noexcept { return open(spec, memory, false); }
    Status resume(const GramSpec& spec, std::span<std::byte> memory) noexcept { return open(spec, memory, true); }
    // Remembers which features these are; of the readout only the sizes matter. different_features after a sample.
    Status start(const Readout& readout, std::uint32_t features_id) noexcept;
    template <class M>
    Status start(const M& model) noexcept
    {
        return start(model.readout(), model.features_id());
    }

    Status add(std::span<const float> z, std::span<const float> targets) noexcept;
    Status add_class(std::span<const float> z, std::uint32_t label) noexcept;
    // Adds the other's sums to these; different_features unless sizes and features_id() agree.
    Status merge(const Gram& other) noexcept;

    // Minimises (1/samples) sum (y - w z - bias)^2 + ridge |w|^2: factors in place (Cholesky), so the sums are
    // consumed, and scores(), readout(), weight() and bias() are what was learned. A ridge that is negative or not
    // finite, or no samples, are not_definite, and the sums are as they were. If the factoring itself finds the
    // matrix not_definite, or a weight overflows (overflow), the sums are consumed, nothing was learned and samples()
    // is 0: save state() before, to try a larger ridge.
    Status solve(float ridge) noexcept;
    bool consumed() const noexcept;

private:
    Status open(const GramSpec& spec, std::span<std::byte> memory, bool resume) noexcept;
    void update(std::span<const float> z) noexcept;
    void consume(bool learned) noexcept;

    GramSpec spec_;
    float* products_ = nullptr; // lower triangle by rows
};

namespace detail {
constexpr Sgd* learner_of(const SgdSpec&) noexcept { return nullptr; }
constexpr Rls* learner_of(const RlsSpec&) noexcept { return nullptr; }
constexpr Gram* learner_of(const GramSpec&) noexcept { return nullptr; }
template <class Spec>
using LearnerOf = std::remove_pointer_t<decltype(learner_of(Spec{}))>;
} // namespace detail

// A learner with its memory inside. open() it before use.
template <auto spec>
class FixedLearner : public detail::LearnerOf<std::remove_cv_t<decltype(spec)>> {
public:
    static_assert(static_cast<bool>(check(spec)), "the spec does not pass check(): see the field it reports");
    using Learner = detail::LearnerOf<std::remove_cv_t<decltype(spec)>>;

    Status open() noexcept { return Learner::open(spec, memory_); }
    // After memory() was filled from a checkpoint.
    Status resume() noexcept { return Learner::resume(spec, memory_); }
    std::span<std::byte> memory() noexcept { return memory_; }

private:
    alignas(16) std::byte memory_[state_bytes(spec)];
};

} // namespace samara
