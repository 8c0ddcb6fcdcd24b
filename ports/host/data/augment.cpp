#include "ports/host/data/augment.hpp"

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include "samara/stream.hpp"

namespace samara::desk {
namespace {

// Copies of a row have keys of their own, for fewer than 2^24 of them.
constexpr unsigned copy_bits = 24;

// Of the values that are numbers: a missing one has no say.
float deviation(const float* row, std::size_t count, std::size_t stride)
{
    double sum = 0.0, squares = 0.0, numbers = 0.0;
    const double first = std::isfinite(row[0]) ? static_cast<double>(row[0]) : 0.0;
    for (std::size_t i = 0; i < count; ++i) {
        const double distance = static_cast<double>(row[i * stride]) - first;
        if (std::isfinite(distance)) {
            sum += distance;
            squares += distance * distance;
            numbers += 1.0;
        }
    }
    return numbers == 0.0 ? 0.0f
                          : static_cast<float>(std::sqrt(std::max(0.0, squares - sum * sum / numbers) / numbers));
}

std::ptrdiff_t moved(Xoshiro& random, std::size_t side, std::uint32_t most)
{
    const std::ptrdiff_t by = static_cast<std::ptrdiff_t>(random.below(2 * most + 1)) - most;
    return side > 1 ? by : 0;
}

std::size_t place(std::size_t at, std::ptrdiff_t by, std::size_t side)
{
    const std::ptrdiff_t from = static_cast<std::ptrdiff_t>(at) - by;
    return static_cast<std::size_t>(std::clamp<std::ptrdiff_t>(from, 0, static_cast<std::ptrdiff_t>(side) - 1));
}

} // namespace

std::size_t RowGrid::most_shift() const
{
    std::size_t most = 0;
    for (const std::size_t side : {height, width}) {
        if (side > 1) {
            most = most == 0 ? side / 2 : std::min(most, side / 2);
        }
    }
    return most;
}

void Augmentation::copy(const float* row, std::size_t number, std::uint32_t copy, float* out) const
{
    const StreamKey key = stream_key(seed_, Domain::user, (static_cast<std::uint64_t>(number) << copy_bits) | copy);
    Xoshiro random(stream_key_behind(key.value, 0));
    const std::ptrdiff_t right = moved(random, grid_.width, settings_.shift);
    const std::ptrdiff_t down = moved(random, grid_.height, settings_.shift);
    const double share = std::ldexp(static_cast<double>(random.word()), -31) - 1.0;
    const auto factor = static_cast<float>(1.0 + settings_.scale * share);
    const std::size_t places = grid_.height * grid_.width;
    const std::size_t of_place = grid_.in_runs ? 1 : grid_.channels, of_channel = grid_.in_runs ? places : 1;
    std::vector<float> normals;
    if (settings_.noise > 0.0) {
        normals.resize(grid_.values());
        fill_normals(stream_key_behind(key.value, 1), normals);
    }
    for (std::size_t c = 0; c < grid_.channels; ++c) {
        const std::size_t first = c * of_channel;
        const float noise =
            normals.empty() ? 0.0f : static_cast<float>(settings_.noise) * deviation(row + first, places, of_place);
        for (std::size_t y = 0; y < grid_.height; ++y) {
            const std::size_t from = place(y, down, grid_.height) * grid_.width;
            for (std::size_t x = 0; x < grid_.width; ++x) {
                const std::size_t to = first + (y * grid_.width + x) * of_place;
                out[to] = factor * row[first + (from + place(x, right, grid_.width)) * of_place];
                if (!normals.empty()) {
                    out[to] += noise * normals[to];
                }
            }
        }
    }
}

} // namespace samara::desk
