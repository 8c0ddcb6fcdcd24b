// Learners: any samples, in states that may have been damaged. What is refused changes nothing, and as long as nothing
// but samples went in, the state and the scores are finite.
#include <algorithm>
#include <cmath>

#include "input.hpp"
#include "samara/learn.hpp"

namespace {

using namespace samara;
using fuzz::Input;
using fuzz::require;

SgdSpec spec_of(Input& in, const SgdSpec*)
{
    SgdSpec spec{.features = 1u + in.byte() % 12u, .outputs = 1u + in.byte() % 4u};
    spec.loss = static_cast<Loss>(in.byte() % 4);
    spec.step = static_cast<Step>(in.byte() % 5); // 4 is none
    const std::uint8_t more = in.byte();
    spec.average = more % 2 != 0;
    if (more >= 64)
        spec.rate = in.real();
    if (more >= 128)
        spec.ridge = in.real();
    return spec;
}
RlsSpec spec_of(Input& in, const RlsSpec*)
{
    RlsSpec spec{.features = 1u + in.byte() % 12u, .outputs = 1u + in.byte() % 4u};
    const std::uint8_t more = in.byte();
    if (more >= 64)
        spec.forget = in.real();
    if (more >= 128)
        spec.prior = in.real();
    if (more % 2 != 0)
        spec.block = in.byte() % 40u;
    return spec;
}
GramSpec spec_of(Input& in, const GramSpec*)
{
    return {.features = 1u + in.byte() % 12u, .outputs = 1u + in.byte() % 4u};
}

// RandomNumbers at the end of a state that mean nothing between two calls, besides the outputs behind its header.
std::size_t scratch_at_end(const SgdSpec&) { return 0; }
std::size_t scratch_at_end(const RlsSpec& spec) { return spec.block == 0 ? 2 * (std::size_t{spec.features} + 1) : 0; }
std::size_t scratch_at_end(const GramSpec&) { return 0; }

template <class Learner>
Status learn(Learner& learner, std::span<const float> z, std::span<const float> targets, float weight)
{
    if constexpr (requires { learner.add(z, targets, weight); })
        return learner.add(z, targets, weight);
    else
        return learner.learn(z, targets, weight);
}
template <class Learner>
Status learn_class(Learner& learner, std::span<const float> z, std::uint32_t label, float weight)
{
    if constexpr (requires { learner.add_class(z, label, weight); })
        return learner.add_class(z, label, weight);
    else
        return learner.learn_class(z, label, weight);
}

template <class Learner, class Spec>
class Life {
public:
    Life(Input& in, const Spec& spec) : in_(in), spec_(spec), words_(state_bytes(spec) / 4)
    {
        require(learner_.open(spec_, bytes()) == Status::ok, "a learner opens if its spec passes check()");
    }

    void run()
    {
        for (unsigned step = 0; step < 64 && !in_.empty(); ++step) {
            const std::vector<std::uint32_t> before = words_;
            may_change_ = false;
            const Status status = one_step();
            if (over_)
                return;
            if (!may_change_ && status != Status::ok)
                require(unchanged(before, status), "what is refused leaves the state as it was");
            require(!clean_ || finite(floats()), "what is finite stays finite");
            for (std::uint32_t o = 0; o < spec_.outputs; ++o)
                static_cast<void>(learner_.bias(o));
            static_cast<void>(learner_.samples());
        }
    }

private:
    std::span<std::byte> bytes() { return std::as_writable_bytes(std::span(words_)); }
    std::span<const float> floats() const
    {
        return {reinterpret_cast<const float*>(words_.data()) + state_header_bytes / 4,
                words_.size() - state_header_bytes / 4};
    }
    static bool finite(std::span<const float> x)
    {
        return std::all_of(x.begin(), x.end(), [](float v) { return std::isfinite(v); });
    }
    // A sample that overflows is found while it is worked on, in the scratch.
    bool unchanged(const std::vector<std::uint32_t>& before, Status status) const
    {
        const std::size_t header = state_header_bytes / 4, after = header + spec_.outputs;
        const std::size_t end = words_.size() - scratch_at_end(spec_);
        for (std::size_t i = 0; i < words_.size(); ++i) {
            const bool scratch = status == Status::overflow && ((i >= header && i < after) || i >= end);
            if (!scratch && words_[i] != before[i])
                return false;
        }
        return true;
    }

    Status one_step()
    {
        const std::uint8_t what = in_.byte();
        const std::size_t length = spec_.features + (what >= 240 ? 1u : 0u); // one too many is refused
        const float weight = what % 16 >= 8 ? 1.0f : in_.real();
        switch (what % 8) {
        case 0:
        case 1: {
            const std::vector<float> z = in_.reals(length), targets = in_.reals(spec_.outputs);
            return learn(learner_, z, targets, weight);
        }
        case 2: {
            const std::vector<float> z = in_.reals(length);
            return learn_class(learner_, z, in_.byte() % 6u, weight);
        }
        case 3:
            return scores(length);
        case 4: // damage, and a start anew from what is left
            words_[in_.half() % words_.size()] = in_.word();
            return resume();
        case 5:
            if (what < 160)
                return grow();
            {
                const std::string image = in_.text(bytes().size());
                std::memcpy(words_.data(), image.data(), image.size());
            }
            return resume();
        case 6:
            if constexpr (requires { learner_.solve(0.0f); }) {
                may_change_ = true;
                return learner_.solve(in_.real());
            }
            return Status::ok;
        default:
            return merge();
        }
    }

    Status scores(std::size_t length)
    {
        const std::vector<float> z = in_.reals(length), untouched(spec_.outputs, 7.0f);
        std::vector<float> out = untouched;
        const Status status = learner_.scores(z, out);
        if (status == Status::ok)
            require(!clean_ || finite(out), "scores are finite");
        else // what overflowed is cleared
            require(status == Status::overflow ? finite(out) : fuzz::same_bits(out, untouched),
                    "refused scores are untouched");
        return status;
    }

    Status resume()
    {
        may_change_ = true;
        clean_ = false;
        const Status status = learner_.resume(spec_, bytes());
        over_ = status != Status::ok;
        return status;
    }

    // To one output more. Memory of what was grown from may have been used for the new state.
    Status grow()
    {
        Spec larger = spec_;
        larger.outputs += 1;
        may_change_ = true;
        words_.resize(state_bytes(larger) / 4);
        const Status status = learner_.grow(larger, bytes());
        over_ = status != Status::ok;
        if (!over_)
            spec_ = larger;
        return status;
    }

    Status merge()
    {
        if constexpr (requires { learner_.merge(learner_); }) {
            std::vector<std::uint32_t> copy = words_;
            Learner second;
            if (second.resume(spec_, std::as_writable_bytes(std::span(copy))) == Status::ok)
                return learner_.merge(second);
        }
        return Status::ok;
    }

    Input& in_;
    Spec spec_;
    std::vector<std::uint32_t> words_;
    Learner learner_;
    bool clean_ = true; // nothing but samples went in
    bool may_change_ = false, over_ = false;
};

template <class Learner, class Spec>
void run(Input& in)
{
    const Spec spec = spec_of(in, static_cast<const Spec*>(nullptr));
    if (check(spec)) {
        Life<Learner, Spec>(in, spec).run();
        return;
    }
    std::vector<std::uint32_t> words(64);
    Learner learner;
    require(learner.open(spec, std::as_writable_bytes(std::span(words))) != Status::ok,
            "a learner does not open if its spec does not pass check()");
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    Input in(data, size);
    switch (in.byte() % 3) {
    case 0:
        run<Sgd, SgdSpec>(in);
        break;
    case 1:
        run<Rls, RlsSpec>(in);
        break;
    default:
        run<Gram, GramSpec>(in);
    }
    return 0;
}
