#include "ports/host/training/scaling.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>

#include "ports/host/text/error.hpp"
#include "samara/model.hpp"

namespace samara::desk {
namespace {

constexpr std::size_t block_rows_read = 4096;
constexpr float limit = 1099511627776.0f;

[[noreturn]] void refuse(const std::string& name, std::size_t row, std::size_t column, float value)
{
    throw BadInput(name + ": row " + std::to_string(row + 1) + ", column " + std::to_string(column + 1) + ": found " +
                   number_text(value) +
                   (std::isnan(value)
                        ? ", expected a number (a model that was trained with --missing mean fills missing ones)"
                    : std::isfinite(value) ? ", expected a magnitude of at most 2^40 (about 1.1e12)"
                                           : ", expected a finite number"));
}

// Of one column, in double, around its first value: a mean far from zero costs no digits.
struct Column {
    std::size_t count = 0;
    double first = 0.0, sum = 0.0, squares = 0.0;
    float least = std::numeric_limits<float>::infinity(), most = -std::numeric_limits<float>::infinity();

    void add(float value)
    {
        first = count == 0 ? static_cast<double>(value) : first;
        const double distance = static_cast<double>(value) - first;
        ++count;
        sum += distance;
        squares += distance * distance;
        least = std::min(least, value);
        most = std::max(most, value);
    }
    double mean() const { return first + sum / static_cast<double>(count); }
    double deviation(std::size_t rows) const
    {
        const double mean_distance = sum / static_cast<double>(count);
        // Filled values lie at the mean and add nothing.
        return std::sqrt(std::max(0.0, squares - sum * mean_distance) / static_cast<double>(rows));
    }
};

} // namespace

ColumnSpreads column_spreads(const RowSet& rows)
{
    // Of columns of one variance, the square of the sum of variances over the sum of squares is their number.
    constexpr double share_of_columns = 0.05;
    const RowSet some = rows.sample(block_rows_read);
    std::vector<Column> columns(rows.x().cols());
    some.in_blocks(some.count(), [&](const MatrixF& x, const std::vector<std::size_t>& at) {
        for (std::size_t i = 0; i < at.size(); ++i) {
            for (std::size_t j = 0; j < x.cols; ++j) {
                if (std::fabs(x.row(i)[j]) <= limit) {
                    columns[j].add(x.row(i)[j]);
                }
            }
        }
    });
    ColumnSpreads spreads;
    double sum = 0.0, squares = 0.0, varying = 0.0;
    for (const Column& column : columns) {
        const double deviation = column.count == 0 ? 0.0 : column.deviation(column.count);
        if (deviation > 0.0) {
            spreads.least = varying > 0.0 ? std::min(spreads.least, deviation) : deviation;
            spreads.most = std::max(spreads.most, deviation);
            sum += deviation * deviation;
            squares += deviation * deviation * deviation * deviation;
            varying += 1.0;
        }
    }
    spreads.wild = varying > 1.0 && sum * sum < (1.0 + share_of_columns * (varying - 1.0)) * squares;
    return spreads;
}

LearnedScaling learn_scaling(const RowSet& rows, ScalingKind kind, bool fill_missing, Channels channels)
{
    // One for each column, or for all columns of a channel.
    const bool of_channels = kind == ScalingKind::channel || kind == ScalingKind::global;
    const std::size_t length = kind == ScalingKind::global ? 1 : of_channels ? channels.count : rows.x().cols();
    const bool runs = kind == ScalingKind::channel && channels.in_runs && length > 1 && length < rows.x().cols();
    const std::size_t run = rows.x().cols() / std::max<std::size_t>(length, 1);
    const std::size_t values = rows.count() * (rows.x().cols() / std::max<std::size_t>(length, 1));
    std::vector<Column> columns(length);
    const bool needed = fill_missing || of_channels || kind == ScalingKind::centre ||
                        kind == ScalingKind::standardise || kind == ScalingKind::minmax;
    rows.in_blocks(std::min(block_rows_read, rows.count()), [&](const MatrixF& x, const std::vector<std::size_t>& at) {
        for (std::size_t i = 0; i < at.size(); ++i) {
            const float* const row = x.row(i);
            for (std::size_t j = 0; j < x.cols; ++j) {
                if (!(std::fabs(row[j]) <= limit)) {
                    if (std::isnan(row[j]) && fill_missing) {
                        continue;
                    }
                    refuse(rows.x().name(), at[i], j, row[j]);
                }
                if (needed) {
                    columns[runs ? j / run : j % length].add(row[j]);
                }
            }
        }
    });
    LearnedScaling result;
    Scaling& scaling = result.scaling;
    scaling.unit = kind == ScalingKind::unit;
    scaling.runs = runs;
    for (std::size_t j = 0; j < columns.size(); ++j) {
        const Column& column = columns[j];
        if (fill_missing) {
            if (column.count == 0) {
                throw BadInput(rows.x().name() + (of_channels ? ": channel " : ": column ") + std::to_string(j + 1) +
                               ": found no value at all, expected at least one for --missing mean");
            }
            scaling.fill.push_back(static_cast<float>(column.mean()));
        }
        if (kind == ScalingKind::centre) {
            scaling.shift.push_back(static_cast<float>(column.mean()));
            scaling.factor.push_back(1.0f);
        }
        const bool standardise = kind == ScalingKind::standardise || of_channels;
        if (!standardise && kind != ScalingKind::minmax) {
            continue;
        }
        const double shift = standardise ? column.mean() : static_cast<double>(column.least);
        const double width = standardise ? column.deviation(values)
                                         : static_cast<double>(column.most) - static_cast<double>(column.least);
        const auto factor = static_cast<float>(1.0 / width);
        const bool constant = column.least == column.most || !(width > 0.0) || !(factor <= limit);
        if (constant) {
            result.constant.push_back(j);
        }
        scaling.shift.push_back(static_cast<float>(shift));
        scaling.factor.push_back(constant ? 1.0f : factor);
    }
    return result;
}

void apply_scaling(const Scaling& scaling, float* x, std::size_t count, std::size_t cols)
{
    if (!scaling.whole.empty()) {
        const auto length = static_cast<std::uint32_t>(scaling.whole.size() / 3);
        const WholeScaling sealed{scaling.whole.data(), length,
                                  scaling.runs ? static_cast<std::uint32_t>(cols) / length : 0};
        for (std::size_t i = 0; i < count; ++i) {
            sealed.apply(static_cast<std::uint32_t>(cols), x + i * cols, x + i * cols);
        }
        return;
    }
    const std::uint32_t steps = (scaling.fill.empty() ? 0u : scaling_fill) |
                                (scaling.shift.empty() ? 0u : scaling_affine) | (scaling.unit ? scaling_unit : 0u);
    if (steps == 0) {
        return;
    }
    // As it lies in a model.
    std::vector<std::byte> section(8);
    write_u32(section.data(), steps);
    write_u32(section.data() + 4, static_cast<std::uint32_t>(std::max(scaling.fill.size(), scaling.shift.size())));
    for (const auto* vector : {&scaling.fill, &scaling.shift, &scaling.factor}) {
        const auto bytes = std::as_bytes(std::span<const float>(*vector));
        section.insert(section.end(), bytes.begin(), bytes.end());
    }
    const InputScaling sealed{section.data()};
    for (std::size_t i = 0; i < count; ++i) {
        sealed.apply(static_cast<std::uint32_t>(cols), x + i * cols, x + i * cols);
    }
}

void require_usable(const Scaling& scaling, const MatrixF& x, const std::vector<std::size_t>& numbers,
                    const std::string& name)
{
    for (std::size_t i = 0; i < numbers.size(); ++i) {
        const float* const row = x.row(i);
        for (std::size_t j = 0; j < x.cols; ++j) {
            if (!(std::fabs(row[j]) <= limit) && !(std::isnan(row[j]) && !scaling.fill.empty())) {
                refuse(name, numbers[i], j, row[j]);
            }
        }
    }
}

} // namespace samara::desk
