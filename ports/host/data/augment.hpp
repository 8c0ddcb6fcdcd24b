// Copies of rows that differ from them as other rows of their kind might: moved, louder or softer, and noisy.
#pragma once

#include <cstddef>
#include <cstdint>

namespace samara::desk {

// How the values of a row lie: `height` rows of `width` places (1: a series), each place of `channels` values. Those
// lie together, or each channel lies by itself.
struct RowGrid {
    std::size_t height = 1, width = 1, channels = 1;
    bool in_runs = false;

    std::size_t values() const { return height * width * channels; }
    // The most places that a copy may be moved by: half of the shorter side. 0: of rows that have no sides.
    std::size_t most_shift() const;
};

struct AugmentSettings {
    std::uint32_t copies = 0; // of each row, beside itself
    std::uint32_t shift = 0;  // places, at the most, each way; what is moved in repeats the edge
    double noise = 0.0;       // normal, in units of the deviation of the row's own channel
    double scale = 0.0;       // a factor from 1 - scale to 1 + scale
    static constexpr std::uint32_t most_copies = 256;
};

class Augmentation {
public:
    Augmentation(const AugmentSettings& settings, const RowGrid& grid, std::uint64_t seed)
        : settings_(settings), grid_(grid), seed_(seed)
    {}

    const AugmentSettings& settings() const { return settings_; }
    const RowGrid& grid() const { return grid_; }
    std::uint64_t seed() const { return seed_; }

    // A function of the seed, the row and the two numbers alone: the same copy in whatever order rows are read, and
    // with whichever others. `number` is the row's in its source.
    void copy(const float* row, std::size_t number, std::uint32_t copy, float* out) const;

private:
    AugmentSettings settings_;
    RowGrid grid_;
    std::uint64_t seed_;
};

} // namespace samara::desk
