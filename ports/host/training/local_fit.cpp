#include "ports/host/training/local_fit.hpp"

#include <algorithm>
#include <cstddef>
#include <span>
#include <stdexcept>
#include <vector>

namespace samara::desk {
namespace {

constexpr std::size_t most_rows = 512;
constexpr std::uint32_t asked_features = 256;
// So many of a feature's values may be cut off.
constexpr double cut_off = 0.005;

} // namespace

std::uint32_t gain_of(LocalSpec spec, const MatrixF& rows)
{
    spec.features = asked_features;
    const std::size_t count = std::min(rows.rows, most_rows);
    std::vector<float> z(count * asked_features), work(workspace_bytes(spec) / sizeof(float) + 1);
    for (spec.gain = most_gain; spec.gain > 1; --spec.gain) {
        const Status status = features(spec, std::span<const float>(rows.row(0), count * rows.cols), z, count,
                                       std::as_writable_bytes(std::span(work)));
        if (status != Status::ok) {
            throw std::logic_error(std::string("local: ") + text(status));
        }
        std::size_t too_large = 0, varying = 0;
        for (std::size_t j = 0; j < asked_features; ++j) {
            std::size_t cut = 0, present = 0;
            for (std::size_t i = 0; i < count; ++i) {
                cut += z[i * asked_features + j] >= static_cast<float>(largest_integer) ? 1 : 0;
                present += z[i * asked_features + j] > 0.0f ? 1 : 0;
            }
            varying += present != 0 ? 1 : 0;
            too_large += static_cast<double>(cut) > cut_off * static_cast<double>(count) ? 1 : 0;
        }
        if (2 * too_large <= varying) {
            break;
        }
    }
    return spec.gain;
}

} // namespace samara::desk
