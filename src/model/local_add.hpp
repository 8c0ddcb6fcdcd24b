// Local features behind each other, to the readout.
#pragma once

#include "samara/model/local_predictor.hpp"

namespace samara::detail {

// Folds the features that next() gives, 64 at a time. A readout takes less time for features without a sign, and few
// have one, of windows of few places: those are added one by one.
template <class Next>
[[gnu::always_inline]] inline void add_local(const LocalModel& m, std::uint32_t count, std::uint32_t* room,
                                             std::int32_t* sums, Next next) noexcept
{
    auto* const features = reinterpret_cast<std::uint8_t*>(room);
    for (std::uint32_t first = 0; first < count; first += whole_chunk) {
        const std::uint32_t now = count - first < whole_chunk ? count - first : whole_chunk;
        for (std::uint32_t i = 0; i < now; ++i) {
            const std::int32_t z = next();
            features[i] = static_cast<std::uint8_t>(z >= 0 ? z : 0);
            if (z < 0)
                m.readout.add_one(m.readout, first + i, z, sums);
        }
        m.readout.add(m.readout, first, now, room, sums);
    }
}

} // namespace samara::detail
