// Readouts that learn on the device, one sample at a time, in memory that the caller provides once.
//
// A learner sees features z (of any map) and a target: values, or a class. All of them carry a bias. Their whole state
// is the memory itself, flat bytes without pointers, so a checkpoint (checkpoint.hpp) or a message is a copy of it.
// Times are for n features and k outputs.
//
//   Sgd   stochastic gradient     n k a sample       4 n k bytes (8 or 12 with AdaGrad, averaging)
//   Rls   recursive least squares n^2 + n k a sample 2 n^2 + 4 n k bytes
//   Rls   with blocks of b        n b + n k          2 n b + 4 n k bytes
//   Gram  sums for a ridge solve  n^2/2 + n k        2 n^2 + 4 n k bytes; two of them add up
//
// Memory starts at a multiple of 4 bytes. Calls leave the state untouched unless they return Status::ok; there are two
// exceptions, Gram::solve(), and the scratch, numbers of a state that mean nothing between two calls: the first
// `outputs` floats behind the header, and the last 2 features + 2 of an Rls without blocks. The results have the same
// bits on every target.
//
// A state stays finite. Targets are below 2^100 in magnitude, sample weights 0 to 2^20, and what would move a number of
// the state beyond the range of floats, or comes so near that it may, is overflow: the sample is not learned. Scores
// beyond the range are overflow too, and are 0 then.
//
// Each sample can have a weight: it counts as so many of them. One of weight 0 changes nothing and is not counted.
//
// A state carries a digest of the spec that it was made with, so that it is not taken for another one of the same
// length. resume() returns different_features if the memory holds no state of this kind, or one of other sizes, and
// different_spec if another field of the spec differs that gives the numbers in it their meaning: loss, step, average,
// forget, prior, block; and not_finite if a number in it is not, which no learner writes. An Sgd's rate and ridge only
// say how the next sample is learned: they may be others after resume().
//
// grow() goes on with a state that was made with fewer outputs, at least two: classes that came later. It works in
// place, in memory for the new state that begins with the old one, and needs no sample again. The new outputs begin
// where "never this class" would have led: at weights of 0 and a bias of -1/outputs, outputs the old ones. It returns
// what resume() does, and wrong_length if the state has more outputs than the spec.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

#include "samara/learn/drift.hpp"
#include "samara/learn/specs.hpp"
#include "samara/readout.hpp"
#include "samara/status.hpp"

namespace samara {

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
    Status check_sample(std::span<const float> z, float weight) const noexcept;
    Status check_targets(std::span<const float> targets) const noexcept;
    void count() noexcept;
    // Replaces the header, but for what was counted and which features they are.
    void take_header(const StateHeader& header) noexcept;
    float* floats() const noexcept;
    // Makes a state of `outputs` one of more: the weights' rows, and what is `behind` them, move.
    void grow_weights(std::uint32_t outputs, std::size_t copies, std::size_t behind) noexcept;

    // The targets of a sample: what the caller gave, or those of a class.
    struct Targets {
        const float* values = nullptr;
        std::uint32_t label = 0, outputs = 0;
        float operator[](std::uint32_t output) const noexcept;
    };
    Status targets_of(std::span<const float> targets, Targets& out) const noexcept;
    Status targets_of(std::uint32_t label, Targets& out) const noexcept;

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
    Status grow(const SgdSpec& spec, std::span<std::byte> memory) noexcept;
    // Starts from the weights of a readout that was made for the features with this number (Model::features_id()). It
    // may have fewer outputs, at least two; the others begin as those of grow(). wrong_length if its sizes are others,
    // not_open if it is a view of nothing, overflow if a weight is 2^120 or more. The readout should have been fitted
    // with the loss of this learner (`samara train --loss`): scores of another loss have another scale, which has to be
    // unlearned first.
    Status start(const Readout& readout, std::uint32_t features_id) noexcept;
    // Starts from a Model, a FixedPredictor or another learner.
    template <class M>
    Status start(const M& model) noexcept
    {
        return start(model.readout(), model.features_id());
    }

    Status learn(std::span<const float> z, std::span<const float> targets, float weight = 1) noexcept;
    Status learn_class(std::span<const float> z, std::uint32_t label, float weight = 1) noexcept;

private:
    Status open(const SgdSpec& spec, std::span<std::byte> memory, bool resume) noexcept;
    Status step(std::span<const float> z, float weight) noexcept;
    bool stays_finite(std::span<const float> z, float rate) const noexcept;

    SgdSpec spec_;
    float* current_ = nullptr;
    float* squares_ = nullptr;
};

class Rls : public detail::LearnerBase {
public:
    Status open(const RlsSpec& spec, std::span<std::byte> memory) noexcept { return open(spec, memory, false); }
    Status resume(const RlsSpec& spec, std::span<std::byte> memory) noexcept { return open(spec, memory, true); }
    Status grow(const RlsSpec& spec, std::span<std::byte> memory) noexcept;
    // As in Sgd. The prior becomes prior |w - w0|^2, w0 the weights of the readout, which should be those of squared
    // loss (`samara train --loss squared`).
    Status start(const Readout& readout, std::uint32_t features_id) noexcept;
    template <class M>
    Status start(const M& model) noexcept
    {
        return start(model.readout(), model.features_id());
    }

    Status learn(std::span<const float> z, std::span<const float> targets, float weight = 1) noexcept;
    Status learn_class(std::span<const float> z, std::uint32_t label, float weight = 1) noexcept;

private:
    Status open(const RlsSpec& spec, std::span<std::byte> memory, bool resume) noexcept;
    Status update(std::span<const float> z, const Targets& targets, float weight) noexcept;
    // Some features in a row, whose inverse is U D U'.
    struct Block {
        std::size_t first, size;
        float *upper, *diagonal; // U by columns, its unit diagonal left out, and D
        float *seen, *gain;      // U' z and P z, room for both
    };
    template <class Call>
    void each_block(Call call) noexcept;
    // The noise, 1/weight, and what the block adds to it: alpha + z' P z.
    float see(const Block& block, std::span<const float> z, float alpha) const noexcept;
    // The same sum, as the update of U and D has it.
    float revise(const Block& block, float alpha) noexcept;
    float shortening(float noise, float alpha) const noexcept;

    RlsSpec spec_;
    float* upper_ = nullptr; // block by block
    float* diagonal_ = nullptr;
};

// Sums of z z' and z y' with z ending in 1, each sample times its weight. float32 sums keep 1e-5 for some 10^6 samples;
// beyond that, or for a fleet, merge several. solve() consumes the sums: from then on, and in every copy of that state,
// add(), add_class(), start(), merge() with it on either side and solve() return consumed.
class Gram : public detail::LearnerBase {
public:
    Status open(const GramSpec& spec, std::span<std::byte> memory) noexcept { return open(spec, memory, false); }
    Status resume(const GramSpec& spec, std::span<std::byte> memory) noexcept { return open(spec, memory, true); }
    // For sums of classes: of those that were added the targets are corrected, as if the new class had been known from
    // the start. consumed after solve().
    Status grow(const GramSpec& spec, std::span<std::byte> memory) noexcept;
    // Remembers which features these are; of the readout only the sizes matter. different_features after a sample.
    Status start(const Readout& readout, std::uint32_t features_id) noexcept;
    template <class M>
    Status start(const M& model) noexcept
    {
        return start(model.readout(), model.features_id());
    }

    Status add(std::span<const float> z, std::span<const float> targets, float weight = 1) noexcept;
    Status add_class(std::span<const float> z, std::uint32_t label, float weight = 1) noexcept;
    // Adds the other's sums to these; different_features unless sizes and features_id() agree, overflow if a sum would
    // be 2^120 or more.
    Status merge(const Gram& other) noexcept;

    // Minimises the mean of (y - w z - bias)^2 over the samples, each as often as its weight says, + ridge |w|^2:
    // factors in place (Cholesky), so the sums are consumed, and scores(), readout(), weight() and bias() are what was
    // learned. A ridge that is negative or not finite, or no samples, are not_definite, and the sums are as they were.
    // If the factoring itself finds the matrix not_definite, or a weight overflows (overflow), the sums are consumed,
    // nothing was learned and samples() is 0: save state() before, to try a larger ridge.
    Status solve(float ridge) noexcept;
    bool consumed() const noexcept;

private:
    Status open(const GramSpec& spec, std::span<std::byte> memory, bool resume) noexcept;
    Status update(std::span<const float> z, const Targets& targets, float weight) noexcept;
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
    // After the beginning of memory() was filled from the checkpoint of a learner with fewer outputs.
    Status grow() noexcept { return Learner::grow(spec, memory_); }
    std::span<std::byte> memory() noexcept { return memory_; }

private:
    alignas(16) std::byte memory_[state_bytes(spec)];
};

} // namespace samara
