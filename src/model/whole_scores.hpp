// What all predictions in whole numbers have in common: checks, scaling, and the readout's end.
#pragma once

#include <cstring>

#include "samara/memory.hpp"
#include "samara/model/whole_predictor.hpp"

namespace samara::detail {

// Rooms is the memory of one prediction, taken of a Bump: it has `size` numbers from `inputs` on, null where there can
// be no such memory, and add(), which adds to the sums what the readout makes of them.
template <class Rooms, class Model, class Number>
[[gnu::always_inline]] inline Status scores_by(const Model& m, std::span<const Number> x,
                                               std::span<std::int32_t> scores, std::span<std::byte> work) noexcept
{
    if (x.size() != m.rows.inputs || scores.size() != m.readout.outputs)
        return Status::wrong_length;
    Bump memory(work);
    if (!memory.aligned())
        return Status::misaligned;
    if (work.size() < whole_bytes(m))
        return Status::small_workspace;
    const Rooms rooms(m, memory);
    if (rooms.inputs == nullptr)
        return Status::small_workspace;
    m.scaling.apply(x, rooms.inputs);
    std::memset(rooms.inputs + x.size(), 0, sizeof(std::int16_t) * (rooms.size - x.size()));
    for (std::int32_t& sum : scores)
        sum = 0;
    rooms.add(m, scores.data());
    m.readout.finish(scores.data());
    return Status::ok;
}

} // namespace samara::detail
