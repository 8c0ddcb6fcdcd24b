// What maps have in common whose features are one block, because each feature may depend on all of a sketch or of the
// layer before. A predictor cannot make their features piece by piece, so its memory grows with their number, and there
// are no rows to choose from.
//
// Such a map derives from WholeMap<Spec> and has, beside its fields,
//
//   workspace_bytes(spec)                         the workspace, which is the same for any number of samples
//   run(spec, code, x, z, samples, work)          makes all features; lengths, workspace and values have been checked
//
// and, if there is something to choose while compiling, Code and code<kinds>(spec).
#pragma once

#include "samara/map/engine/rows.hpp"

namespace samara {

namespace engine {

struct WholeSample {
    std::span<const float> x;
    std::span<std::byte> work;
};

struct NoCode {
    static constexpr bool complete() noexcept { return true; }
};

} // namespace engine

template <class Spec>
struct WholeMap {
    using Data = NoData;
    using Code = engine::NoCode;
    using Sample = engine::WholeSample;

    template <Kinds>
    static constexpr Code code(const Spec&) noexcept
    {
        return {};
    }
    static constexpr SpecReport across(const Spec&) noexcept { return {}; }
    static constexpr Spec resolve(const Spec& s) noexcept { return s; }

    template <class AnyCode>
    static Status begin(const Spec& s, const AnyCode&, NoData, std::span<const float> x, std::span<std::byte> work,
                        Sample& sample) noexcept
    {
        sample = {x, work};
        return engine::check_call(s.inputs, s.features, Map<Spec>::workspace_bytes(s), x, s.features, 1, work);
    }
    template <class AnyCode>
    static Status block(const Spec& s, const AnyCode& code, NoData, const Sample& sample, std::uint32_t,
                        std::span<float> z) noexcept
    {
        return Map<Spec>::run(s, code, sample.x, z, 1, sample.work);
    }
    template <class AnyCode>
    static Status one(const Spec& s, const AnyCode& code, std::span<const float> x, std::span<float> z,
                      std::span<std::byte> work) noexcept
    {
        return batch(s, code, x, z, 1, work);
    }
    template <class AnyCode>
    static Status batch(const Spec& s, const AnyCode& code, std::span<const float> x, std::span<float> z,
                        std::size_t samples, std::span<std::byte> work) noexcept
    {
        const Status status =
            engine::check_call(s.inputs, s.features, Map<Spec>::workspace_bytes(s), x, z.size(), samples, work);
        return status == Status::ok ? Map<Spec>::run(s, code, x, z, samples, work) : status;
    }
};

} // namespace samara
