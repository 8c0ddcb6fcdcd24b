#include "ports/host/data/rounding.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <limits>
#include <vector>

#include "ports/host/text/error.hpp"

namespace samara::desk {
namespace {

constexpr double fewest_steps = 256;

struct Range {
    double least = std::numeric_limits<double>::infinity();
    double largest = -std::numeric_limits<double>::infinity();

    void take(double value)
    {
        if (std::isfinite(value)) {
            least = std::min(least, value);
            largest = std::max(largest, value);
        }
    }
    // How far apart two neighbours are among the numbers of float32.
    double step() const
    {
        const auto magnitude = static_cast<float>(std::max(std::fabs(least), std::fabs(largest)));
        const float next = std::nextafter(magnitude, std::numeric_limits<float>::infinity());
        return static_cast<double>(next) - static_cast<double>(magnitude);
    }
    bool is_coarse() const { return least < largest && largest - least < fewest_steps * step(); }
};

std::string sentence(const std::string& where, const Range& range)
{
    char numbers[160];
    std::snprintf(numbers, sizeof numbers, " lies from %.12g to %.12g, where float32 numbers are %.3g apart",
                  range.least, range.largest, range.step());
    return where + numbers + ": subtract a constant, so that less is rounded away?";
}

std::string column_text(std::size_t column, const std::vector<std::string>& names)
{
    return "column " + std::to_string(column + 1) +
           (column < names.size() ? " (" + quoted_text(names[column]) + ")" : std::string());
}

} // namespace

std::optional<std::string> note_on_rounded_inputs(TableSource& x)
{
    constexpr std::size_t most_pieces = 16, rows_of_piece = 64;
    const std::size_t pieces = std::min(most_pieces, (x.rows() + rows_of_piece - 1) / rows_of_piece);
    std::vector<Range> ranges(x.cols());
    std::vector<float> values(rows_of_piece * x.cols());
    for (std::size_t piece = 0; piece < pieces; ++piece) {
        const std::size_t last_first = x.rows() - std::min(x.rows(), rows_of_piece);
        const std::size_t first = pieces == 1 ? 0 : last_first / (pieces - 1) * piece;
        const std::size_t count = std::min(rows_of_piece, x.rows() - first);
        x.read(first, count, values.data());
        for (std::size_t i = 0; i < count * x.cols(); ++i) {
            ranges[i % x.cols()].take(static_cast<double>(values[i]));
        }
    }
    for (std::size_t column = 0; column < ranges.size(); ++column) {
        if (ranges[column].is_coarse()) {
            return sentence(x.name() + ": " + column_text(column, x.columns()), ranges[column]);
        }
    }
    return {};
}

std::optional<std::string> note_on_rounded_target(const RawTarget& raw)
{
    std::vector<Range> ranges(raw.cols);
    for (std::size_t i = 0; i < raw.numbers.size(); ++i) {
        ranges[i % raw.cols].take(raw.numbers[i]);
    }
    for (std::size_t column = 0; column < ranges.size(); ++column) {
        if (ranges[column].is_coarse()) {
            const bool one = raw.cols == 1;
            return sentence(raw.path + ": the target" + (one ? "" : "'s " + column_text(column, raw.names)),
                            ranges[column]);
        }
    }
    return {};
}

} // namespace samara::desk
