#include "ports/host/training/exact_local.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>
#include <string>
#include <vector>

#include "ports/host/text/error.hpp"
#include "ports/host/training/threads.hpp"

namespace samara::desk {
namespace {

constexpr double largest_input = 0x1p40;

// A1 of vectors of length 1 (samara/kernel.hpp), for which there is much less time here.
double arccos1(double cosine)
{
    const double c = std::clamp(cosine, -1.0, 1.0);
    return (std::sqrt(1.0 - c * c) + c * (std::numbers::pi - std::acos(c))) * std::numbers::inv_pi;
}

// Along one direction: the chance that a window has two places, over the square of its length there, summed over the
// lengths.
class Shared {
public:
    // Lengths are drawn evenly from 1 to `most`, which is at most n, then where they begin.
    Shared(std::uint32_t n, std::uint32_t most) : n_(n), most_(most), sums_(most + 1), times_length_(most + 1)
    {
        for (std::uint32_t h = 1; h <= most; ++h) {
            const double each = 1.0 / (double{1} * most * (n - h + 1) * h * h);
            sums_[h] = sums_[h - 1] + each;
            times_length_[h] = times_length_[h - 1] + each * h;
        }
    }
    // Of place i and each of the n places.
    void row(std::uint32_t i, std::vector<double>& out) const
    {
        out.resize(n_);
        for (std::uint32_t j = 0; j < n_; ++j) {
            out[j] = of(std::min(i, j), std::max(i, j));
        }
    }

private:
    // Windows of length h > j - i that have both begin from max(0, j - h + 1) to min(i, n - h): so many begin with
    // neither end of the direction near, then with one of them, then with both.
    double of(std::uint32_t i, std::uint32_t j) const
    {
        const std::uint32_t apart = j - i, before = std::min(j + 1, most_), behind = std::min(n_ - i, most_);
        const std::uint32_t one = std::min(before, behind), both = std::max(before, behind);
        double sum = 0.0;
        if (one > apart) {
            sum += times_length_[one] - times_length_[apart] - apart * (sums_[one] - sums_[apart]);
        }
        if (both > one) {
            sum += (behind > before ? i + 1.0 : double{1} * n_ - j) * (sums_[both] - sums_[one]);
        }
        if (most_ > both) {
            sum += (n_ + 1.0) * (sums_[most_] - sums_[both]) - (times_length_[most_] - times_length_[both]);
        }
        return sum;
    }

    std::uint32_t n_, most_;
    std::vector<double> sums_, times_length_; // of the lengths up to each
};

// Patches that differ in nothing but the channels, and the windows that they move in.
struct Patches {
    LocalPatch patch;
    bool balanced;
    double chance; // of one of them
    std::uint32_t tall, wide;
    Shared down, across;

    std::size_t places() const { return std::size_t{tall} * wide; }
};

std::vector<Patches> patches_of(const LocalFilters& filters)
{
    const LocalShape& shape = filters.shape;
    const std::uint32_t sides = local_sides(filters), most_sides = std::max(sides, 1u);
    std::vector<Patches> all;
    for (std::uint32_t i = 0; i < most_sides; ++i) {
        LocalPatch patch;
        patch.side = sides == 0 ? 2 : 3 + 2 * i;
        patch.high = shape.series ? 1 : patch.side;
        const std::uint32_t spreads = shape.series ? local_dilations(filters, patch.side) : 1;
        for (patch.spread = 0; patch.spread < spreads; ++patch.spread) {
            const std::uint32_t tall = shape.height - patch.high + 1;
            const std::uint32_t wide = shape.width - ((patch.side - 1) << patch.spread);
            const Shared down(tall, shape.series ? 1 : tall / 2 + 1);
            const Shared across(wide, shape.series ? wide : wide / 2 + 1);
            const double chance = 1.0 / (double{1} * most_sides * spreads * (shape.series ? 2 : 1));
            for (const bool balanced : {true, false}) {
                if (balanced || shape.series) {
                    all.push_back({patch, balanced, chance, tall, wide, down, across});
                }
            }
        }
    }
    return all;
}

// What the patch finds at all places: a row of sites each, or a column; without means where it is balanced.
struct Found {
    std::vector<double> numbers, lengths;

    void find(const float* x, const LocalShape& shape, const Patches& p, bool columns)
    {
        const std::size_t sites = p.patch.sites(), places = p.places();
        const double freedom = static_cast<double>(p.balanced ? sites - 1 : sites), scale = 1.0 / std::sqrt(freedom);
        numbers.resize(sites * places);
        lengths.resize(places);
        std::vector<double> now(sites);
        for (std::size_t place = 0; place < places; ++place) {
            const float* const first = x + place / p.wide * shape.down() + place % p.wide * shape.right();
            std::size_t site = 0;
            double sum = 0.0;
            for (std::uint32_t c = 0; c < p.patch.channels; ++c) {
                for (std::uint32_t high = 0; high < p.patch.high; ++high) {
                    for (std::uint32_t column = 0; column < p.patch.side; ++column) {
                        const auto value = static_cast<double>(
                            first[std::size_t{p.patch.channel[c]} * shape.deeper() + std::size_t{high} * shape.down() +
                                  (std::size_t{column} << p.patch.spread) * shape.right()]);
                        now[site++] = value;
                        sum += value;
                    }
                }
            }
            const double mean = p.balanced ? sum / static_cast<double>(sites) : 0.0;
            double squares = 0.0;
            for (std::size_t i = 0; i < sites; ++i) {
                const double value = (now[i] - mean) * scale;
                squares += value * value;
                numbers[columns ? i * places + place : place * sites + i] = value;
            }
            lengths[place] = std::sqrt(squares);
        }
    }
};

class LocalKernel {
public:
    LocalKernel(const LocalShape& shape, const std::vector<Patches>& patches) : shape_(shape), patches_(patches) {}

    double operator()(const float* x, const float* y)
    {
        const std::uint32_t channels = shape_.channels;
        double sum = 0.0;
        for (const Patches& patches : patches_) {
            // One channel in half of the cases, two different ones in the others.
            Patches p = patches;
            for (std::uint32_t c = 0; c < channels; ++c) {
                p.patch.channel[0] = c;
                p.patch.channels = 1;
                sum += p.chance / (channels > 1 ? 2.0 * channels : 1.0) * of_patch(x, y, p);
                p.patch.channels = 2;
                for (std::uint32_t d = c + 1; d < channels; ++d) {
                    p.patch.channel[1] = d;
                    sum += p.chance / (double{1} * channels * (channels - 1)) * of_patch(x, y, p);
                }
            }
        }
        return sum;
    }

private:
    // The mean over windows of what is found at two of their places.
    double of_patch(const float* x, const float* y, const Patches& p)
    {
        x_.find(x, shape_, p, false);
        y_.find(y, shape_, p, true);
        const std::size_t sites = p.patch.sites(), places = p.places();
        const double whole = local_whole_windows(shape_.series) / 16.0;
        const double of_whole = whole / (static_cast<double>(places) * static_cast<double>(places));
        products_.resize(places);
        double sum = 0.0;
        for (std::uint32_t i = 0; i < places; ++i) {
            if (!(x_.lengths[i] > 0.0)) {
                continue;
            }
            std::fill(products_.begin(), products_.end(), 0.0);
            for (std::size_t site = 0; site < sites; ++site) {
                const double factor = x_.numbers[i * sites + site];
                const double* const others = y_.numbers.data() + site * places;
                for (std::size_t j = 0; j < places; ++j) {
                    products_[j] += factor * others[j];
                }
            }
            p.across.row(i % p.wide, across_);
            p.down.row(i / p.wide, down_);
            for (std::uint32_t row = 0; row < p.tall; ++row) {
                const double down = (1.0 - whole) * down_[row];
                for (std::uint32_t column = 0; column < p.wide; ++column) {
                    const std::size_t j = std::size_t{row} * p.wide + column;
                    const double lengths = x_.lengths[i] * y_.lengths[j];
                    if (lengths > 0.0) {
                        sum += (of_whole + down * across_[column]) * lengths * arccos1(products_[j] / lengths);
                    }
                }
            }
        }
        return sum;
    }

    const LocalShape& shape_;
    const std::vector<Patches>& patches_;
    Found x_, y_;
    std::vector<double> products_, across_, down_;
};

void require_computable(const MatrixF& rows)
{
    for (std::size_t i = 0; i < rows.values.size(); ++i) {
        if (!(std::abs(static_cast<double>(rows.values[i])) <= largest_input)) {
            throw BadInput("kernel: found a number in row " + std::to_string(i / rows.cols + 1) +
                           " that is not finite or beyond 2^40 in magnitude, expected none");
        }
    }
}

} // namespace

MatrixD local_matrix(const LocalArcCosSpec& spec, const MatrixF& x, const MatrixF& y, unsigned threads)
{
    const LocalArcCosSpec s = resolve(spec);
    for (const MatrixF* const rows : {&x, &y}) {
        if (!check(s) || rows->cols != s.inputs) {
            throw BadInput("kernel: found samples of " + std::to_string(rows->cols) + " numbers, expected " +
                           std::to_string(s.inputs) + " of the map's shape");
        }
        require_computable(*rows);
    }
    const LocalFilters filters = engine::local_filters_of(s);
    const std::vector<Patches> patches = patches_of(filters);
    const bool same = &x == &y;
    MatrixD k(x.rows, y.rows);
    in_pieces(x.rows, 1, threads, "kernel", [&](std::size_t i, std::size_t) {
        LocalKernel kernel(filters.shape, patches);
        for (std::size_t j = same ? i : 0; j < y.rows; ++j) {
            const double value = kernel(x.row(i), y.row(j));
            k.row(i)[j] = value;
            if (same) {
                k.row(j)[i] = value;
            }
        }
    });
    return k;
}

} // namespace samara::desk
