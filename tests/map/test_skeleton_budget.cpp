// The errors of the map of skeletons beside those of an independent implementation of the same algorithm.
#include <doctest/doctest.h>

#include "../skeleton/support.hpp"
#include "judge.hpp"

namespace {

using namespace samara;
using namespace samara::test;
using measure::Row;

const measure::Points& angles()
{
    static const measure::Points p = measure::read_points(SAMARA_TEST_DATA "/angles_60x16.csv");
    return p;
}

// The kernel of all pairs of samples, whose angles are multiplied first.
std::vector<double> kernels(const Skeleton& s, float factor)
{
    measure::Points points = angles();
    for (float& angle : points.values)
        angle *= factor;
    std::vector<double> values(s.nodes());
    return measure::of_pairs(points, [&](auto x, auto y) {
        double out = 0.0;
        REQUIRE(skeleton_kernel(s, x, y, values, out) == Status::ok);
        return out;
    });
}

// Each row has a number of draws, which are complex features (pairs here), the reference's mean relative error over 20
// seeds and the deviation of one seed's. A mean of 20 lies within three standard errors of it, on either side; a row
// without a reference is held against the exact value alone. That is the mean square: an estimate of one feature is
// the cosine of an angle, whose square has the mean (1 + K') / 2, where K' is the kernel of the angles times two.
void judge_skeleton(const std::string& name, const Skeleton& s, std::initializer_list<Row> rows)
{
    const measure::Points& points = angles();
    REQUIRE(points.count == 60);
    REQUIRE(s.inputs() == points.inputs);
    const std::vector<double> truth = kernels(s, 1.0f), twice = kernels(s, 2.0f);
    double variance = 0.0, squares_of_truth = 0.0;
    for (std::size_t i = 0; i < truth.size(); ++i) {
        variance += 0.5 * (1.0 + twice[i]) - truth[i] * truth[i];
        squares_of_truth += truth[i] * truth[i];
    }
    for (const Row& row : rows) {
        if (measure::quick && row.features > 600)
            continue;
        SkeletonSpec spec = {.inputs = s.inputs(), .features = 2 * row.features, .form = SkeletonForm::pair};
        REQUIRE(resolved(spec));
        const SkeletonData data(s);
        std::vector<float> z(points.count * spec.features);
        std::vector<std::uint32_t> work(workspace_bytes(spec, data) / 4);
        std::vector<double> errors;
        double mean = 0.0, squares = 0.0, fourths = 0.0;
        constexpr unsigned seeds = 20; // of fewer the spread says too little
        for (spec.seed = 0; spec.seed < seeds; ++spec.seed) {
            REQUIRE(features(spec, data, points.values, z, points.count, std::as_writable_bytes(std::span(work))) ==
                    Status::ok);
            errors.push_back(measure::relative_error(truth, measure::gram_of(z, points.count, spec.features)));
            mean += errors.back() / seeds;
            squares += std::pow(errors.back(), 2) / seeds;
            fourths += std::pow(errors.back(), 4) / seeds;
        }
        CAPTURE(name);
        CAPTURE(row.features);
        const double exact = variance / squares_of_truth / row.features,
                     spread = std::sqrt((fourths - squares * squares) / (seeds - 1));
        MESSAGE(name, ", ", row.features, ": root mean square ", std::sqrt(squares), ", exact ", std::sqrt(exact));
        CHECK(std::fabs(squares - exact) <= 4.0 * spread);
        if (row.deviation == 0.0)
            continue;
        measure::judge_errors(name, row, errors, 0.5);
        CHECK(mean >= row.mean - 3 * row.deviation * std::sqrt(1.0 / seeds + 1.0 / 20));
    }
}

} // namespace

// At 4,096 draws the reference's 20 seeds have less of exp(1/4), exp(1) and the two relus than such features have on
// average: .0065, .0176 and .0140, where the exact root mean squares are .0090, .0202 and .0165. These rows are held
// against the exact value alone.
TEST_CASE("skeleton map: one layer has the reference's error")
{
    const auto quarter = exponential(0.25), one = exponential(1.0);
    Made slow, fast;
    slow.build.node(slow.build.circles({1, 1, 16}, 0, radians), series(quarter));
    fast.build.node(fast.build.circles({1, 1, 16}, 0, radians), series(one));
    judge_skeleton("exp(1/4)", slow.finish(), {{256, .0308, .0092}, {1024, .0176, .0075}, {4096, 0, 0}});
    judge_skeleton("exp(1)", fast.finish(), {{256, .0866, .0266}, {1024, .0368, .0098}, {4096, 0, 0}});
}

TEST_CASE("skeleton map: several layers have the reference's error")
{
    // Four nodes of four inputs each, two of two of these, and one of both.
    const auto quarter = exponential(0.25);
    Made deep;
    const auto fours = deep.build.windows(deep.build.circles({1, 16, 1}, 0, radians), {1, 4, 1, 4}, series(quarter));
    deep.build.node(deep.build.windows(fours, {1, 2, 1, 2}, relu), relu);
    judge_skeleton("exp(1/4), relu, relu", deep.finish(),
                   {{256, .0265, .0096}, {1024, .0134, .0042}, {4096, .0074, .0027}});

    Made twice;
    const auto halves = twice.build.windows(twice.build.circles({1, 16, 1}, 0, radians), {1, 8, 1, 8}, relu);
    twice.build.node(halves, relu);
    judge_skeleton("relu, relu", twice.finish(), {{256, .0624, .0204}, {1024, .0315, .0088}, {4096, 0, 0}});
}
