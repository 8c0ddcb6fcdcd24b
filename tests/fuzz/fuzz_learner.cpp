// Learners: any samples, in states that may have been damaged. What is refused changes nothing.
#include <algorithm>

#include "input.hpp"
#include "samara/learn.hpp"

namespace {

using namespace samara;
using fuzz::Input;
using fuzz::require;

struct Memory {
    std::vector<std::uint32_t> words;
    std::span<std::byte> bytes() { return std::as_writable_bytes(std::span(words)); }
};

SgdSpec spec_of(Input& in, const SgdSpec*)
{
    SgdSpec spec{.features = 1u + in.byte() % 12u, .outputs = 1u + in.byte() % 4u};
    spec.loss = static_cast<Loss>(in.byte() % 4);
    spec.step = static_cast<Step>(in.byte() % 4);
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
    return spec;
}
GramSpec spec_of(Input& in, const GramSpec*)
{
    return {.features = 1u + in.byte() % 12u, .outputs = 1u + in.byte() % 4u};
}

template <class Learner>
Status learn(Learner& learner, std::span<const float> z, std::span<const float> targets)
{
    if constexpr (requires { learner.add(z, targets); })
        return learner.add(z, targets);
    else
        return learner.learn(z, targets);
}
template <class Learner>
Status learn_class(Learner& learner, std::span<const float> z, std::uint32_t label)
{
    if constexpr (requires { learner.add_class(z, label); })
        return learner.add_class(z, label);
    else
        return learner.learn_class(z, label);
}

template <class Learner, class Spec>
void run(Input& in)
{
    const Spec spec = spec_of(in, static_cast<const Spec*>(nullptr));
    const bool good = static_cast<bool>(check(spec));
    Memory memory{std::vector<std::uint32_t>(good ? state_bytes(spec) / 4 : 64)};
    Learner learner;
    const Status opened = learner.open(spec, memory.bytes());
    require((opened == Status::ok) == good, "a learner opens if its spec passes check()");
    if (!good)
        return;
    for (unsigned step = 0; step < 64 && !in.empty(); ++step) {
        const std::vector<std::uint32_t> before = memory.words;
        const std::uint8_t what = in.byte();
        const std::size_t off = what >= 240 ? 1 : 0; // of a length
        Status status = Status::ok;
        bool may_change = false;
        switch (what % 8) {
        case 0:
        case 1: {
            const std::vector<float> z = in.reals(spec.features + off), targets = in.reals(spec.outputs);
            status = learn(learner, z, targets);
            break;
        }
        case 2: {
            const std::vector<float> z = in.reals(spec.features + off);
            status = learn_class(learner, z, in.byte() % 6u);
            break;
        }
        case 3: {
            const std::vector<float> z = in.reals(spec.features + off), untouched(spec.outputs, 7.0f);
            std::vector<float> out = untouched;
            status = learner.scores(z, out);
            // What overflowed is cleared.
            require(status == Status::ok || status == Status::overflow || fuzz::same_bits(out, untouched),
                    "refused scores are untouched");
            break;
        }
        case 4: // damage, and a start anew from what is left
            memory.words[in.half() % memory.words.size()] = in.word();
            status = learner.resume(spec, memory.bytes());
            may_change = true;
            if (status != Status::ok)
                return;
            break;
        case 5: {
            const std::string bytes = in.text(memory.bytes().size());
            std::memcpy(memory.words.data(), bytes.data(), bytes.size());
            if (learner.resume(spec, memory.bytes()) != Status::ok)
                return;
            may_change = true;
            break;
        }
        case 6:
            if constexpr (requires { learner.solve(0.0f); }) {
                status = learner.solve(in.real());
                may_change = true;
            }
            break;
        default:
            if constexpr (requires { learner.merge(learner); }) {
                Memory other = memory;
                Learner second;
                if (second.resume(spec, other.bytes()) == Status::ok)
                    status = learner.merge(second);
            }
        }
        if (status != Status::ok && status != Status::overflow && !may_change)
            require(memory.words == before, "what is refused leaves the state as it was");
        for (std::uint32_t o = 0; o < spec.outputs; ++o)
            static_cast<void>(learner.bias(o));
        static_cast<void>(learner.samples());
    }
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
