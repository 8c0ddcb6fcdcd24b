// The rows of the regenerated matrices: Sobol' points, the laws of each kind, and the memory they use.
#include <doctest/doctest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "project/kernels.hpp"
#include "project/sobol.hpp"
#include "samara/project.hpp"
#include "samara/simd.hpp"
#include "samara/stream.hpp"
#include "stream/lanes.hpp"

#include "../simd/support.hpp"

namespace {

using namespace samara;
using namespace samara::test;
namespace inside = samara::SAMARA_ARCH;

constexpr double pi = 3.14159265358979323846;

// Every row kernel; the memory that it needs is that of its kind.
struct Kind {
    const char* name;
    Rows rows;
    void (*make)(const RowBlock&);
};

const Kind kinds[] = {
    {"hadamard", Rows::hadamard,
     [](const RowBlock& b) {
         SAMARA_KERNEL(project, hadamard_rows)
         (b);
     }},
    {"fastfood", Rows::fastfood,
     [](const RowBlock& b) {
         SAMARA_KERNEL(project, fastfood_rows)
         (b);
     }},
    {"dense normal", Rows::dense,
     [](const RowBlock& b) {
         SAMARA_KERNEL(project, dense_normal_rows)
         (b);
     }},
    {"dense cauchy", Rows::dense,
     [](const RowBlock& b) {
         SAMARA_KERNEL(project, dense_cauchy_rows)
         (b);
     }},
    {"dense laplace", Rows::dense,
     [](const RowBlock& b) {
         SAMARA_KERNEL(project, dense_laplace_rows)
         (b);
     }},
    {"unit", Rows::unit,
     [](const RowBlock& b) {
         SAMARA_KERNEL(project, unit_rows)
         (b);
     }},
    {"gibbs", Rows::gibbs,
     [](const RowBlock& b) {
         SAMARA_KERNEL(project, gibbs_rows)
         (b);
     }},
    {"quasi normal", Rows::quasi,
     [](const RowBlock& b) {
         SAMARA_KERNEL(project, quasi_normal_rows)
         (b);
     }},
    {"quasi cauchy", Rows::quasi,
     [](const RowBlock& b) {
         SAMARA_KERNEL(project, quasi_cauchy_rows)
         (b);
     }},
    {"quasi laplace", Rows::quasi,
     [](const RowBlock& b) {
         SAMARA_KERNEL(project, quasi_laplace_rows)
         (b);
     }},
};

const Kind& kind(const char* wanted)
{
    return *std::find_if(std::begin(kinds), std::end(kinds),
                         [&](const Kind& k) { return std::string(k.name) == wanted; });
}

RowBlock block_of(const Kind& k, std::uint64_t seed, std::uint32_t inputs, std::uint32_t index)
{
    RowBlock b{};
    b.factor = 1.0f;
    b.seed = seed;
    b.inputs = inputs;
    b.index = index;
    b.rows = block_rows(k.rows, inputs);
    b.first_row = index * b.rows;
    b.scale = 1.0f;
    b.blocks = 1;
    b.out_block = b.rows;
    b.sweeps = 1;
    b.samples = 1;
    b.x_stride = inputs;
    b.out_stride = b.rows;
    return b;
}

// One block of the matrix, rows by inputs, from its products with the unit vectors.
struct Extractor {
    const Kind& k;
    std::uint32_t inputs;
    std::vector<float> work, unit, columns;
    Extractor(const Kind& which, std::uint32_t n)
        : k(which), inputs(n), work(rows_workspace_floats(which.rows, n)), unit(std::size_t{n} * n)
    {
        for (std::uint32_t i = 0; i < n; ++i)
            unit[std::size_t{i} * n + i] = 1.0f;
    }
    // Entry (row, input) is at input * rows + row.
    const std::vector<float>& operator()(std::uint64_t seed, std::uint32_t index)
    {
        RowBlock b = block_of(k, seed, inputs, index);
        columns.resize(std::size_t{inputs} * b.rows);
        b.samples = inputs;
        b.x = unit.data();
        b.out = columns.data();
        b.work = work.data();
        k.make(b);
        return columns;
    }
};

// Joe and Kuo's numbers of 2010 (new-joe-kuo-6.21201) as scipy.stats.qmc.Sobol(scramble=False) has them, its Gray code
// order undone: points 0 to 16 in 32nds, and the direction numbers' upper 30 bits.
const struct {
    unsigned dimension;
    std::uint32_t points[17];
} first_points[] = {
    {1, {0, 16, 8, 24, 4, 20, 12, 28, 2, 18, 10, 26, 6, 22, 14, 30, 1}},
    {2, {0, 16, 24, 8, 20, 4, 12, 28, 30, 14, 6, 22, 10, 26, 18, 2, 17}},
    {3, {0, 16, 24, 8, 12, 28, 20, 4, 18, 2, 10, 26, 30, 14, 6, 22, 29}},
    {4, {0, 16, 24, 8, 4, 20, 28, 12, 10, 26, 18, 2, 14, 30, 22, 6, 31}},
    {5, {0, 16, 8, 24, 4, 20, 12, 28, 22, 6, 30, 14, 18, 2, 26, 10, 31}},
    {6, {0, 16, 8, 24, 12, 28, 4, 20, 6, 22, 14, 30, 10, 26, 2, 18, 25}},
    {7, {0, 16, 24, 8, 20, 4, 12, 28, 26, 10, 2, 18, 14, 30, 22, 6, 11}},
    {8, {0, 16, 8, 24, 20, 4, 28, 12, 10, 26, 2, 18, 30, 14, 22, 6, 17}},
    {9, {0, 16, 8, 24, 20, 4, 28, 12, 10, 26, 2, 18, 30, 14, 22, 6, 5}},
    {10, {0, 16, 8, 24, 28, 12, 20, 4, 22, 6, 30, 14, 10, 26, 2, 18, 19}},
    {100, {0, 16, 8, 24, 20, 4, 28, 12, 10, 26, 2, 18, 30, 14, 22, 6, 11}},
    {512, {0, 16, 8, 24, 4, 20, 12, 28, 2, 18, 10, 26, 6, 22, 14, 30, 25}},
    {1000, {0, 16, 8, 24, 12, 28, 4, 20, 18, 2, 26, 10, 30, 14, 22, 6, 3}},
    {1023, {0, 16, 24, 8, 4, 20, 28, 12, 14, 30, 22, 6, 10, 26, 18, 2, 11}},
    {1024, {0, 16, 8, 24, 20, 4, 28, 12, 22, 6, 30, 14, 2, 18, 10, 26, 11}},
};
const struct {
    unsigned dimension;
    std::uint32_t numbers[30];
} direction_numbers[] = {
    {2, {0x80000000u, 0xc0000000u, 0xa0000000u, 0xf0000000u, 0x88000000u, 0xcc000000u, 0xaa000000u, 0xff000000u,
         0x80800000u, 0xc0c00000u, 0xa0a00000u, 0xf0f00000u, 0x88880000u, 0xcccc0000u, 0xaaaa0000u, 0xffff0000u,
         0x80008000u, 0xc000c000u, 0xa000a000u, 0xf000f000u, 0x88008800u, 0xcc00cc00u, 0xaa00aa00u, 0xff00ff00u,
         0x80808080u, 0xc0c0c0c0u, 0xa0a0a0a0u, 0xf0f0f0f0u, 0x88888888u, 0xccccccccu}},
    {10, {0x80000000u, 0x40000000u, 0xe0000000u, 0xb0000000u, 0x98000000u, 0x94000000u, 0x8a000000u, 0x5b000000u,
          0x33800000u, 0xd9c00000u, 0x72200000u, 0x3f100000u, 0xc1b80000u, 0xa6ec0000u, 0x53860000u, 0x29f50000u,
          0x0a3a8000u, 0x1b2ac000u, 0xd392e000u, 0x69ff7000u, 0xea380800u, 0xab2c0400u, 0x4ba60e00u, 0xfde50b00u,
          0x60028980u, 0xf006c940u, 0x7834e8a0u, 0x241a75b0u, 0x123a8b38u, 0xcf2ac99cu}},
    {100, {0x80000000u, 0x40000000u, 0xa0000000u, 0x50000000u, 0x58000000u, 0x14000000u, 0x5a000000u, 0x75000000u,
           0x6c800000u, 0x87c00000u, 0xdc600000u, 0xf6700000u, 0xcb780000u, 0x4b840000u, 0xd2660000u, 0x79070000u,
           0x82c78000u, 0xf8e4c000u, 0x9db9a000u, 0x0917d000u, 0xcae00800u, 0x14b00400u, 0x83983e00u, 0x7e341100u,
           0xc77e0080u, 0xa5f31840u, 0xad598da0u, 0x38a7fcb0u, 0x7df80c38u, 0xf9440c6cu}},
    {1000, {0x80000000u, 0x40000000u, 0x60000000u, 0x90000000u, 0x18000000u, 0x0c000000u, 0xd2000000u, 0xc9000000u,
            0xba800000u, 0xdb400000u, 0x72e00000u, 0x4ef00000u, 0xcfc80000u, 0x837c0000u, 0xdcd60000u, 0xa6190000u,
            0x85e38000u, 0x3f764000u, 0x1f0ba000u, 0x0c5e7000u, 0xf1861800u, 0x90c2fc00u, 0xef221e00u, 0xbd574500u,
            0x2edc9480u, 0x66c023c0u, 0x50232aa0u, 0xf8d016d0u, 0xd01a2638u, 0x7ae48934u}},
    {1024, {0x80000000u, 0x40000000u, 0xa0000000u, 0xb0000000u, 0x58000000u, 0x84000000u, 0x4a000000u, 0x1d000000u,
            0x83800000u, 0xfec00000u, 0x52200000u, 0x5ad00000u, 0xf3f80000u, 0x6d6c0000u, 0x0bf60000u, 0x75af0000u,
            0x32d48000u, 0x6ffd4000u, 0x036fe000u, 0xecf5f000u, 0xb32f7800u, 0xcb945400u, 0x891cfa00u, 0x169a6f00u,
            0xc659ab80u, 0xd379c740u, 0xff2831a0u, 0xad941850u, 0xa21d8208u, 0xf61d3b3cu}},
};

// Direction numbers of the first `dimensions` dimensions, 32 each.
std::vector<std::uint32_t> sobol_table(unsigned dimensions, unsigned count)
{
    std::vector<std::uint32_t> table(std::size_t{dimensions} * count);
    inside::SobolDimensions reader;
    for (unsigned d = 0; d < dimensions; ++d)
        reader.next(table.data() + std::size_t{d} * count, count);
    return table;
}

std::uint32_t sobol_point(const std::uint32_t* v, std::uint32_t index)
{
    std::uint32_t x = 0;
    for (unsigned k = 0; index >> k != 0; ++k)
        x ^= ((index >> k) & 1u) != 0 ? v[k] : 0u;
    return x;
}

} // namespace

TEST_CASE("Sobol' points are the published ones")
{
    const std::vector<std::uint32_t> table = sobol_table(most_quasi_inputs, 32);
    for (const auto& expected : first_points) {
        INFO("dimension " << expected.dimension);
        for (std::uint32_t i = 0; i < 17; ++i)
            CHECK(sobol_point(&table[(expected.dimension - 1) * 32], i) == expected.points[i] << 27);
    }
    for (const auto& expected : direction_numbers) {
        INFO("dimension " << expected.dimension);
        for (unsigned k = 0; k < 30; ++k)
            CHECK(table[(expected.dimension - 1) * 32 + k] == expected.numbers[k]);
    }
    // Van der Corput's sequence in the first dimension: the index's bits, reversed.
    for (unsigned k = 0; k < 32; ++k)
        CHECK(table[k] == 0x80000000u >> k);
    // The reader gives the same however many numbers are asked for.
    std::uint64_t wrong = 0;
    for (const unsigned count : {0u, 1u, 2u, 7u, 13u, 31u}) {
        const std::vector<std::uint32_t> fewer = sobol_table(most_quasi_inputs, count);
        for (unsigned d = 0; d < most_quasi_inputs; ++d)
            for (unsigned k = 0; k < count; ++k)
                wrong += fewer[d * count + k] != table[d * 32 + k] ? 1u : 0u;
    }
    CHECK(wrong == 0);
}

TEST_CASE("2^k Sobol' points fill 2^k intervals, in every dimension")
{
    const unsigned most = long_run() ? 20 : slow_build ? 8 : 12;
    const std::vector<std::uint32_t> table = sobol_table(most_quasi_inputs, 32);
    std::uint64_t wrong = 0;
    std::vector<std::uint32_t> seen(std::size_t{1} << most);
    std::uint32_t mark = 0;
    for (unsigned d = 0; d < most_quasi_inputs; ++d) {
        for (unsigned k = 1; k <= most; ++k) {
            ++mark;
            std::uint32_t x = 0; // by Gray's code: the same set of points
            for (std::uint32_t i = 0; i < (1u << k); ++i) {
                std::uint32_t& cell = seen[x >> (32 - k)];
                wrong += cell == mark ? 1u : 0u;
                cell = mark;
                x ^= table[d * 32 + static_cast<unsigned>(std::countr_one(i))];
            }
        }
        // Every bit, as linear algebra: number k leads with bit 31 - k and has nothing below.
        for (unsigned k = 0; k < 32; ++k)
            wrong += static_cast<unsigned>(std::countr_zero(table[d * 32 + k])) != 31 - k ? 1u : 0u;
    }
    CHECK(wrong == 0);
}

TEST_CASE("quasi rows are shifted Sobol' points through the inverse distribution")
{
    const struct {
        const char* name;
        double (*lower)(double); // the distribution function below 0; symmetry gives the rest
        double relative;
    } laws[] = {
        {"quasi normal", [](double x) { return normal_cdf(x); }, 1e-5},
        {"quasi cauchy", [](double x) { return std::atan(-1.0 / x) / pi; }, 5e-7},
        {"quasi laplace", [](double x) { return 0.5 * std::exp(x); }, 5e-6},
    };
    for (const auto& law : laws) {
        for (const std::uint32_t inputs : {1u, 2u, 3u, 33u, 64u}) {
            INFO(std::string(law.name) << " " << inputs);
            Extractor extract(kind(law.name), inputs);
            const std::vector<std::uint32_t> table = sobol_table(inputs, 32);
            Xoshiro words(stream_key(5, Domain::quasi_shift, 0));
            std::vector<std::uint32_t> shifts(inputs);
            for (std::uint32_t& shift : shifts)
                shift = words.word();
            double largest = 0.0;
            std::uint64_t wrong_side = 0;
            for (const std::uint32_t index : {0u, 1u, 2u, 15u, 1000u}) {
                const std::vector<float>& w = extract(5, index);
                for (std::uint32_t c = 0; c < inputs; ++c) {
                    for (std::uint32_t r = 0; r < 64; ++r) {
                        const std::uint32_t k = sobol_point(&table[c * 32], index * 64 + r) ^ shifts[c];
                        const bool low = k < 0x80000000u;
                        const double value = static_cast<double>(w[c * 64 + r]);
                        const double tail = (static_cast<double>(low ? k : ~k) + 0.5) * 0x1p-32;
                        wrong_side += low ? value > 0.0 : value < 0.0;
                        largest = std::max(largest, std::abs(law.lower(low ? value : -value) / tail - 1.0));
                    }
                }
            }
            CHECK(wrong_side == 0);
            CHECK(largest < law.relative);
        }
    }
}

TEST_CASE("dense rows are their rows' streams")
{
    for (const std::uint32_t inputs : {1u, 2u, 7u, 64u, 65u, 130u}) {
        INFO("inputs " << inputs);
        Extractor normal(kind("dense normal"), inputs), cauchy(kind("dense cauchy"), inputs),
            laplace(kind("dense laplace"), inputs);
        on_each_back_end([&](Simd simd) {
            INFO(std::string(name(simd)));
            for (const std::uint32_t index : {0u, 3u}) {
                const std::vector<float> z = normal(7, index), c = cauchy(7, index), l = laplace(7, index);
                std::uint64_t wrong = 0;
                for (std::uint32_t r = 0; r < 64; ++r) {
                    const StreamKey key = stream_key(7, Domain::dense_rows, index * 64 + r);
                    Xoshiro for_normals(key), for_others(key);
                    inside::NormalPair pair{};
                    for (std::uint32_t i = 0; i < inputs; ++i) {
                        float lanes[inside::F::size];
                        if (i % 2 == 0)
                            pair = inside::normals(inside::broadcast(for_normals.word()));
                        store(lanes, i % 2 == 0 ? pair.first : pair.second);
                        wrong += z[i * 64 + r] != lanes[0] ? 1u : 0u;
                        const auto word = inside::broadcast(for_others.word());
                        store(lanes, inside::cauchy(word));
                        wrong += c[i * 64 + r] != lanes[0] ? 1u : 0u;
                        store(lanes, inside::laplace(word));
                        wrong += l[i * 64 + r] != lanes[0] ? 1u : 0u;
                    }
                }
                CHECK(wrong == 0);
            }
        });
    }
}

namespace {

// E[w w'] over all rows of many blocks, less the identity: the largest distances, in standard errors taken from the
// blocks themselves, and the largest entry.
struct Isotropy {
    double diagonal_score, other_score, largest_error;
    double mean_square, square_score; // of the rows' lengths, over the inputs, and (mean - 1) in standard errors
};

Isotropy isotropy(const Kind& which, std::uint32_t inputs, std::uint32_t blocks, std::uint64_t seed)
{
    Extractor extract(which, inputs);
    const std::uint32_t rows = block_rows(which.rows, inputs);
    std::vector<double> sum(std::size_t{inputs} * inputs), squares(sum.size());
    double length = 0.0, length_squares = 0.0;
    for (std::uint32_t index = 0; index < blocks; ++index) {
        const std::vector<float>& w = extract(seed, index);
        double trace = 0.0;
        for (std::uint32_t i = 0; i < inputs; ++i) {
            for (std::uint32_t j = 0; j <= i; ++j) {
                const float *a = &w[std::size_t{i} * rows], *b = &w[std::size_t{j} * rows];
                float part[8] = {};
                for (std::uint32_t r = 0; r < rows; r += 8)
                    for (std::uint32_t k = 0; k < 8; ++k)
                        part[k] += a[r + k] * b[r + k];
                double mean = 0.0;
                for (const float p : part)
                    mean += static_cast<double>(p) / rows;
                mean -= i == j ? 1.0 : 0.0;
                trace += i == j ? mean : 0.0;
                sum[std::size_t{i} * inputs + j] += mean;
                squares[std::size_t{i} * inputs + j] += mean * mean;
            }
        }
        length += trace / inputs;
        length_squares += trace / inputs * (trace / inputs);
    }
    Isotropy found{};
    const auto score = [&](double s, double s2) {
        const double variance = s2 / blocks - s / blocks * (s / blocks);
        return s / blocks / std::sqrt(variance / blocks);
    };
    for (std::uint32_t i = 0; i < inputs; ++i) {
        for (std::uint32_t j = 0; j <= i; ++j) {
            const std::size_t at = std::size_t{i} * inputs + j;
            double& largest = i == j ? found.diagonal_score : found.other_score;
            largest = std::max(largest, std::abs(score(sum[at], squares[at])));
            found.largest_error = std::max(found.largest_error, std::abs(sum[at] / blocks));
        }
    }
    found.mean_square = 1.0 + length / blocks;
    found.square_score = score(length, length_squares);
    return found;
}

} // namespace

TEST_CASE("rows for isotropic kernels have E[w w'] = I")
{
    const std::uint32_t many = long_run() ? 20000 : slow_build ? 100 : 1500;
    const struct {
        const char* name;
        std::uint32_t inputs, blocks;
        double noise; // bound of any entry's error, in 1 / sqrt(blocks)
    } cases[] = {
        {"hadamard", 64, many, 0.2},     {"hadamard", 128, many / 4, 0.1}, {"hadamard", 50, many, 0.2},
        {"fastfood", 64, many, 1.0},     {"fastfood", 128, many / 4, 0.8}, {"fastfood", 50, many, 1.0},
        {"dense normal", 33, many, 0.9}, {"unit", 17, many, 0.9},
    };
    for (const auto& c : cases) {
        if (slow_build && c.inputs > 64)
            continue;
        INFO(std::string(c.name) << " of " << c.inputs);
        const Isotropy found = isotropy(kind(c.name), c.inputs, c.blocks, 3);
        MESSAGE(std::string(c.name) << " of " << c.inputs << ": diagonal " << found.diagonal_score << ", other "
                                    << found.other_score << " standard errors, at most " << found.largest_error
                                    << "; |w|^2/d " << found.mean_square << " (" << found.square_score << ")");
        CHECK(found.diagonal_score < 5.5);
        CHECK(found.other_score < 6.0);
        CHECK(found.largest_error < c.noise / std::sqrt(c.blocks));
        if (c.name != std::string("unit")) {
            CHECK(std::abs(found.square_score) < 5.0);
            CHECK(std::abs(found.mean_square - 1.0) < 0.2 / std::sqrt(c.blocks));
        }
    }
}

TEST_CASE("block rows are orthogonal with chi lengths, and mixed well")
{
    const std::uint32_t blocks = slow_build ? 20 : 300;
    for (const std::uint32_t inputs : {64u, 128u}) {
        INFO("inputs " << inputs);
        Extractor hadamard(kind("hadamard"), inputs), fastfood(kind("fastfood"), inputs);
        double slant = 0.0, fourth[2] = {}, lengths[2][2] = {};
        for (std::uint32_t index = 0; index < blocks; ++index) {
            for (unsigned which = 0; which < 2; ++which) {
                const std::vector<float>& w = (which == 0 ? hadamard : fastfood)(9, index);
                std::vector<double> norm(inputs);
                for (std::uint32_t r = 0; r < inputs; ++r) {
                    for (std::uint32_t c = 0; c < inputs; ++c) {
                        const double v = static_cast<double>(w[c * inputs + r]);
                        norm[r] += v * v;
                        fourth[which] += v * v * v * v;
                    }
                    const double share = norm[r] / inputs - 1.0;
                    lengths[which][0] += share;
                    lengths[which][1] += share * share;
                }
                for (std::uint32_t r = 1; which == 0 && r < inputs; ++r) {
                    double product = 0.0;
                    for (std::uint32_t c = 0; c < inputs; ++c)
                        product += static_cast<double>(w[c * inputs + r]) * static_cast<double>(w[c * inputs + r - 1]);
                    slant = std::max(slant, std::abs(product) / std::sqrt(norm[r] * norm[r - 1]));
                }
            }
        }
        CHECK(slant < 1e-5);
        const double rows = static_cast<double>(blocks) * inputs, d = inputs;
        for (unsigned which = 0; which < 2; ++which) {
            // |w|^2 is chi-square with d degrees over d: mean 1, variance 2/d.
            CHECK(std::abs(lengths[which][0] / rows) < 5.0 * std::sqrt(2.0 / d / rows));
            const double variance = lengths[which][1] / rows / (2.0 / d);
            CHECK(std::abs(variance - 1.0) < 5.0 * std::sqrt((2.0 + 12.0 / d) / rows) + 0.01);
            // Entries' fourth moment: 3 for normals, up to O(1/d).
            CHECK(std::abs(fourth[which] / (rows * d) - 3.0) < 12.0 / d + 5.0 * 10.0 / std::sqrt(rows));
        }
    }
}

TEST_CASE("unit and gibbs rows have length sqrt(d)")
{
    for (const char* which : {"unit", "gibbs"}) {
        for (const std::uint32_t inputs : {1u, 2u, 3u, 16u, 17u, 64u, 65u, 100u, 257u}) {
            INFO(std::string(which) << " " << inputs);
            Extractor extract(kind(which), inputs);
            double largest = 0.0;
            for (const std::uint32_t index : {0u, 1u, 5u}) {
                const std::vector<float>& w = extract(2, index);
                for (std::uint32_t r = 0; r < 64; ++r) {
                    double squares = 0.0;
                    for (std::uint32_t c = 0; c < inputs; ++c)
                        squares += std::pow(static_cast<double>(w[c * 64 + r]), 2);
                    largest = std::max(largest, std::abs(std::sqrt(squares / inputs) - 1.0));
                }
            }
            CHECK(largest < 1e-6);
        }
    }
}

// Directions without a preference: of length sqrt(d) a coordinate's fourth power has the mean 3 d / (d + 2).
TEST_CASE("gibbs rows that were swept often are isotropic")
{
    const Kind& gibbs = kind("gibbs");
    for (const std::uint32_t inputs : {2u, 3u, 5u}) {
        CAPTURE(inputs);
        std::vector<float> work(rows_workspace_floats(gibbs.rows, inputs)), unit(std::size_t{inputs} * inputs), out;
        for (std::uint32_t i = 0; i < inputs; ++i)
            unit[std::size_t{i} * inputs + i] = 1.0f;
        double fourth = 0.0, cross = 0.0;
        constexpr std::uint32_t blocks = 150;
        for (std::uint32_t index = 0; index < blocks; ++index) {
            RowBlock b = block_of(gibbs, 7, inputs, index);
            b.sweeps = 20;
            b.samples = inputs;
            b.x = unit.data();
            b.work = work.data();
            out.resize(std::size_t{inputs} * b.rows);
            b.out = out.data();
            gibbs.make(b);
            for (std::uint32_t r = 0; r < b.rows; ++r) {
                const auto first = static_cast<double>(out[r]), second = static_cast<double>(out[b.rows + r]);
                fourth += std::pow(first, 4) / (blocks * b.rows);
                cross += first * second / (blocks * b.rows);
            }
        }
        CHECK(std::abs(fourth / (3.0 * inputs / (inputs + 2.0)) - 1.0) < 0.06);
        CHECK(std::abs(cross) < 0.04);
    }
}

TEST_CASE("unit rows point where dense rows do")
{
    for (const std::uint32_t inputs : {2u, 5u, 64u}) {
        Extractor unit(kind("unit"), inputs), dense(kind("dense normal"), inputs);
        const std::vector<float>&u = unit(4, 1), &z = dense(4, 1);
        double largest = 0.0;
        for (std::uint32_t r = 0; r < 64; ++r) {
            double squares = 0.0;
            for (std::uint32_t c = 0; c < inputs; ++c)
                squares += std::pow(static_cast<double>(z[c * 64 + r]), 2);
            const double factor = std::sqrt(inputs / squares);
            for (std::uint32_t c = 0; c < inputs; ++c)
                largest = std::max(
                    largest,
                    std::abs(static_cast<double>(u[c * 64 + r]) / (static_cast<double>(z[c * 64 + r]) * factor) - 1.0));
        }
        CHECK(largest < 1e-6);
    }
}

TEST_CASE("rows write what they were asked for, in their workspace and nowhere else, the same on every back end")
{
    constexpr float paint = 77.25f;
    constexpr std::size_t margin = 48;
    RandomNumbers numbers(6);
    for (const Kind& k : kinds) {
        for (const std::uint32_t inputs : {1u, 3u, 16u, 63u, 64u, 65u, 200u}) {
            if (slow_build && inputs != 3 && inputs != 65)
                continue;
            const std::size_t floats = rows_workspace_floats(k.rows, inputs);
            const std::uint32_t full = block_rows(k.rows, inputs);
            constexpr std::size_t most_samples = 14;
            std::vector<float> x(most_samples * (inputs + 3));
            for (float& v : x)
                v = numbers.symmetric();
            for (const std::uint32_t rows : {full, full - 1, 17u, 1u}) {
                std::vector<std::vector<float>> expected; // of each sample by itself, on the first back end
                on_each_back_end([&](Simd simd) {
                    for (const std::size_t samples : {std::size_t{1}, std::size_t{2}, std::size_t{5}, most_samples}) {
                        if (slow_build && samples == 2)
                            continue;
                        INFO(std::string(k.name) << " of " << inputs << ", " << rows << " rows, " << samples
                                                 << " samples, " << std::string(name(simd)));
                        RowBlock b = block_of(k, 8, inputs, 2);
                        b.rows = rows;
                        b.scale = 0.75f;
                        b.x_stride = inputs + 3;
                        b.out_stride = rows + 5;
                        std::vector<float> out(margin + samples * b.out_stride + margin, paint);
                        std::vector<float> work(margin + floats + margin, paint);
                        const std::vector<float> before = x;
                        b.samples = samples;
                        b.x = x.data();
                        b.out = out.data() + margin;
                        b.work = work.data() + margin;
                        k.make(b);
                        std::size_t spilt = 0, wrong = 0;
                        for (std::size_t i = 0; i < margin; ++i) {
                            spilt += work[i] != paint || work[margin + floats + i] != paint ? 1u : 0u;
                            spilt += out[i] != paint || out[out.size() - 1 - i] != paint ? 1u : 0u;
                        }
                        for (std::size_t s = 0; s < samples; ++s)
                            for (std::size_t i = rows; i < b.out_stride; ++i)
                                spilt += b.out[s * b.out_stride + i] != paint ? 1u : 0u;
                        CHECK(spilt == 0);
                        CHECK(x == before);
                        if (expected.empty()) {
                            for (std::size_t s = 0; s < most_samples; ++s) {
                                RowBlock one = b;
                                expected.emplace_back(rows);
                                one.samples = 1;
                                one.x = x.data() + s * b.x_stride;
                                one.out = expected.back().data();
                                k.make(one);
                            }
                        }
                        for (std::size_t s = 0; s < samples; ++s)
                            wrong +=
                                std::memcmp(b.out + s * b.out_stride, expected[s].data(), rows * sizeof(float)) != 0;
                        CHECK(wrong == 0);
                    }
                });
            }
        }
    }
}

TEST_CASE("several Hadamard blocks in one call are those of one call each")
{
    constexpr float paint = 77.25f;
    RandomNumbers numbers(9);
    const Kind& k = kind("hadamard");
    for (const std::uint32_t inputs : {5u, 64u, 65u, 200u}) {
        const std::uint32_t rows = block_rows(k.rows, inputs);
        std::vector<float> x(inputs), work(rows_workspace_floats(k.rows, inputs));
        for (float& v : x)
            v = numbers.symmetric();
        constexpr std::uint32_t most = 11;
        const std::size_t apart = rows + 7;
        std::vector<float> expected(most * apart, paint);
        RowBlock b = block_of(k, 12, inputs, 3);
        b.x = x.data();
        b.work = work.data();
        b.out_block = apart;
        for (std::uint32_t i = 0; i < most; ++i) {
            b.index = 3 + i;
            b.first_row = b.index * rows;
            b.out = expected.data() + i * apart;
            k.make(b);
        }
        b.index = 3;
        b.first_row = 3 * rows;
        on_each_back_end([&](Simd simd) {
            for (std::uint32_t blocks = 1; blocks <= most; ++blocks) {
                INFO("inputs " << inputs << ", " << blocks << " blocks, " << std::string(name(simd)));
                std::vector<float> out(most * apart, paint), painted(work.size() + 96, paint);
                b.blocks = blocks;
                b.out = out.data();
                b.work = painted.data() + 48;
                k.make(b);
                const auto end = static_cast<std::ptrdiff_t>(blocks * apart);
                CHECK(std::memcmp(out.data(), expected.data(), blocks * apart * sizeof(float)) == 0);
                CHECK(std::count(out.begin() + end, out.end(), paint) == out.end() - out.begin() - end);
                CHECK(std::count(painted.begin(), painted.begin() + 48, paint) == 48);
                CHECK(std::count(painted.end() - 48, painted.end(), paint) == 48);
            }
        });
    }
}

TEST_CASE("products are linear in the sample, row by row")
{
    RandomNumbers numbers(7);
    for (const Kind& k : kinds) {
        for (const std::uint32_t inputs : {5u, 64u, 100u}) {
            INFO(std::string(k.name) << " " << inputs);
            Extractor extract(k, inputs);
            const std::vector<float> w = extract(6, 1);
            const std::uint32_t rows = block_rows(k.rows, inputs);
            std::vector<float> x(inputs), out(rows), work(rows_workspace_floats(k.rows, inputs));
            for (float& v : x)
                v = numbers.symmetric();
            RowBlock b = block_of(k, 6, inputs, 1);
            b.scale = 0.5f;
            b.x = x.data();
            b.out = out.data();
            b.work = work.data();
            k.make(b);
            double largest = 0.0;
            for (std::uint32_t r = 0; r < rows; ++r) {
                double exact = 0.0, magnitude = 0.0;
                for (std::uint32_t c = 0; c < inputs; ++c) {
                    const double v = static_cast<double>(w[std::size_t{c} * rows + r]), t = static_cast<double>(x[c]);
                    exact += 0.5 * v * t;
                    magnitude += 0.5 * std::abs(v * t);
                }
                largest = std::max(largest, std::abs(static_cast<double>(out[r]) - exact) / magnitude);
            }
            CHECK(largest < 2e-6);
        }
    }
}
