// Every sketch against an independent implementation in numpy (double precision): relative Frobenius errors of 20 seeds
// on 200 unit vectors, 100 random directions and 100 of scikit-learn's digits.
#include <doctest/doctest.h>

#include <algorithm>
#include <string>

#include "common.hpp"

namespace {

using namespace sketch_test;

constexpr std::uint32_t sizes[] = {256, 1024, 4096};

// The reference's mean and deviation at those sizes. Where a few seeds decide (deviation above half of the mean) the
// median is judged by the reference's ninth decile.
struct Budget {
    const char* name;
    double mean[3], deviation[3], decile[3];
    // Our mean over the reference's: what is better here is known to be, and by how much.
    double least;
    // Of rows that are drawn without replacement: how many there are. The reference draws with replacement; without it
    // m of them leave the share 1 - m/rows of the variance, and all of them only rounding errors.
    double rows = 0.0;
};

constexpr double rounding = 1e-6;

template <class Spec>
Status one_sketch(const Spec& s, std::span<const float> x, std::span<float> z, std::span<std::byte> work)
{
    if constexpr (requires { s.left; })
        return sketch(s, x, x, z, work);
    else
        return sketch(s, x, z, work);
}

template <class Make>
void judge(const Budget& b, double power, Make make)
{
    const measure::Points points = measure::read_points(SAMARA_TEST_DATA "/unit_200x64.csv");
    const std::size_t n = points.count;
    REQUIRE(n == 200);
    std::vector<double> truth;
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j < n; ++j)
            truth.push_back(std::pow(dot(points.row(i), points.row(j)), power));
    for (std::size_t level = 0; level < (quick ? 1u : 3u); ++level) {
        const std::size_t m = sizes[level];
        const unsigned count = quick || level == 2 ? 9 : 20;
        const double seeds = count;
        std::vector<double> errors, average(n * n);
        for (unsigned seed = 0; seed < count; ++seed) {
            auto spec = make(sizes[level]);
            spec.seed = seed;
            std::vector<float> z(n * m);
            std::vector<std::byte> work(workspace_bytes(spec));
            for (std::size_t i = 0; i < n; ++i)
                REQUIRE(one_sketch(spec, points.row(i), std::span(z).subspan(i * m, m), work) == Status::ok);
            const std::vector<double> gram = measure::gram_of(z, n, m);
            errors.push_back(measure::relative_error(truth, gram));
            for (std::size_t i = 0; i < gram.size(); ++i)
                average[i] += gram[i] / count;
        }
        double mean = 0.0;
        for (const double e : errors)
            mean += e / seeds;
        const double left = b.rows == 0.0 ? 1.0 : std::max(0.0, 1.0 - static_cast<double>(m) / b.rows);
        const double expected = b.mean[level] * std::sqrt(left);
        MESSAGE(std::string(b.name), " of ", m, ": ", mean, ", reference ", expected);
        if (left == 0.0) {
            CHECK(*std::max_element(errors.begin(), errors.end()) <= rounding);
            continue;
        }
        if (b.deviation[level] > 0.5 * b.mean[level]) {
            std::sort(errors.begin(), errors.end());
            CHECK(errors[count / 2] <= b.decile[level]);
            continue;
        }
        CHECK(mean <= expected + 3 * b.deviation[level] * std::sqrt(1.0 / seeds + 1.0 / 20));
        CHECK(mean >= b.least * expected);
        CHECK(measure::relative_error(truth, average) <= 3 * expected / std::sqrt(seeds));
    }
}

} // namespace

TEST_CASE("linear sketches meet the reference's error")
{
    judge({"CountSketch", {.1660, .0608, .0213}, {.0376, .0496, .0352}, {.2261, .1204, .0894}, 0.5}, 1,
          [](std::uint32_t m) { return CountSketchSpec{.size = m}; });
    judge({"OSNAP", {.1707, .0879, .0393}, {.0297, .0209, .0155}, {}, 0.5}, 1,
          [](std::uint32_t m) { return OsnapSpec{.size = m, .nonzeros = 4}; });
    judge({"SRHT with replacement", {.1849, .0807, .0405}, {.0361, .0143, .0079}, {}, 0.5}, 1,
          [](std::uint32_t m) { return SrhtSpec{.inputs = 64, .features = m, .sampling = Sampling::with}; });
    // Without replacement 256 numbers of 64 are all of them, four times.
    judge({"SRHT", {.1849, .0807, .0405}, {.0361, .0143, .0079}, {}, 0.5, 64.0}, 1,
          [](std::uint32_t m) { return SrhtSpec{.inputs = 64, .features = m}; });
}

TEST_CASE("SRHT: what rows drawn without replacement leave of the variance")
{
    const measure::Points points = measure::read_points(SAMARA_TEST_DATA "/unit_200x64.csv");
    const auto mean_square = [&](std::uint32_t m, Sampling sampling) {
        double sum = 0.0;
        constexpr unsigned seeds = 200;
        std::vector<float> a(m), b(m);
        SrhtSpec spec{.inputs = 64, .features = m, .sampling = sampling};
        std::vector<std::byte> work(workspace_bytes(spec));
        for (spec.seed = 0; spec.seed < seeds; ++spec.seed)
            for (std::size_t i = 0; i < 20; i += 2) { // of the random directions
                REQUIRE(sketch(spec, points.row(i), a, work) == Status::ok);
                REQUIRE(sketch(spec, points.row(i + 1), b, work) == Status::ok);
                const double error = dot(a, b) - dot(points.row(i), points.row(i + 1));
                sum += error * error / (seeds * 10);
            }
        return sum;
    };
    for (const std::uint32_t m : {16u, 32u, 48u}) {
        CAPTURE(m);
        const double ratio = mean_square(m, Sampling::without) / mean_square(m, Sampling::with);
        const double expected = (64.0 - m) / 63.0;
        CHECK(ratio >= 0.8 * expected);
        CHECK(ratio <= 1.2 * expected);
    }
}

TEST_CASE("sketches of products and powers meet the reference's error")
{
    for (const Sampling sampling : {Sampling::with, Sampling::without})
        judge({sampling == Sampling::with ? "TensorSRHT with replacement" : "TensorSRHT",
               {.2835, .1442, .0722},
               {.0421, .0224, .0159},
               {},
               0.8,
               sampling == Sampling::with ? 0.0 : 64.0 * 64.0},
              2, [sampling](std::uint32_t m) {
                  return TensorSrhtSpec{.left = 64, .right = 64, .features = m, .sampling = sampling};
              });
    const auto tensor = [](std::uint32_t degree) {
        return [degree](std::uint32_t m) { return TensorSketchSpec{.size = m, .degree = degree}; };
    };
    judge({"TensorSketch 2", {.2717, .1319, .0658}, {.0398, .0203, .0098}, {}, 0.5}, 2, tensor(2));
    judge({"TensorSketch 3", {.3985, .2057, .1038}, {.0600, .0640, .0194}, {}, 0.5}, 3, tensor(3));
    const auto poly = [](std::uint32_t degree, PolyBase base) {
        return [=](std::uint32_t m) {
            return PolySketchSpec{.inputs = 64, .degree = degree, .features = m, .base = base};
        };
    };
    judge({"PolySketch 3, osnap", {.4651, .2523, .1220}, {.0892, .0602, .0218}, {}, 0.3}, 3, poly(3, PolyBase::osnap));
    judge({"PolySketch 8, osnap", {.8260, .4373, .2195}, {.2161, .0886, .0268}, {}, 0.3}, 8, poly(8, PolyBase::osnap));
    judge({"PolySketch 3, srht", {.5060, .2384, .1471}, {.1092, .0423, .0659}, {}, 0.2}, 3, poly(3, PolyBase::srht));
    judge({"PolySketch 8, srht", {.8753, .4253, .2178}, {.2453, .0680, .0312}, {}, 0.3}, 8, poly(8, PolyBase::srht));
}
