#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "samara/learn.hpp"
#include "simd/support.hpp"

using namespace samara;
using samara::test::RandomNumbers;

namespace {

const DriftSpec spec{.mean = 5.0f, .spread = 2.0f, .window = 50.0f};

// Uniform with this mean and standard deviation.
float uniform(RandomNumbers& numbers, float mean, float spread)
{
    return mean + spread * std::sqrt(3.0f) * numbers.symmetric();
}

// After how many samples drift is noticed; `most` if it is not.
unsigned noticed_after(float mean, float spread, unsigned most, std::uint64_t seed = 1)
{
    Drift drift;
    REQUIRE(drift.open(spec) == Status::ok);
    RandomNumbers numbers(seed);
    for (unsigned t = 0; t < 500; ++t) {
        REQUIRE(drift.watch(uniform(numbers, spec.mean, spec.spread)) == Status::ok);
        REQUIRE_FALSE(drift.drifted());
    }
    for (unsigned t = 0; t < most; ++t) {
        REQUIRE(drift.watch(uniform(numbers, mean, spread)) == Status::ok);
        if (drift.drifted())
            return t;
    }
    return most;
}

} // namespace

TEST_CASE("nothing is noticed while nothing changes, and a change of mean or spread soon is")
{
    CHECK(noticed_after(5.0f, 2.0f, 100'000) == 100'000);
    CHECK(noticed_after(7.0f, 2.0f, 1000) < 100); // one spread higher
    CHECK(noticed_after(3.0f, 2.0f, 1000) < 100);
    CHECK(noticed_after(5.0f, 6.0f, 1000) < 100);
    CHECK(noticed_after(5.0f, 0.2f, 1000) < 150);
}

TEST_CASE("the shift has the unit that it says, and the spread its own")
{
    double sum = 0.0, squares = 0.0;
    const unsigned runs = 400;
    for (unsigned run = 0; run < runs; ++run) {
        Drift drift;
        REQUIRE(drift.open(spec) == Status::ok);
        RandomNumbers numbers(100 + run);
        for (unsigned t = 0; t < 400; ++t)
            REQUIRE(drift.watch(uniform(numbers, 5.0f, 2.0f)) == Status::ok);
        CHECK(drift.samples() == 400);
        sum += static_cast<double>(drift.shift());
        squares += static_cast<double>(drift.shift()) * static_cast<double>(drift.shift());
        CHECK(drift.spread() == doctest::Approx(1.0).epsilon(0.4));
    }
    CHECK(std::abs(sum / runs) < 0.15);
    CHECK(squares / runs == doctest::Approx(1.0).epsilon(0.2));
}

TEST_CASE("one wild sample is no drift, and what is no number is refused")
{
    Drift drift;
    REQUIRE(drift.open(spec) == Status::ok);
    RandomNumbers numbers(3);
    for (unsigned t = 0; t < 200; ++t)
        REQUIRE(drift.watch(uniform(numbers, 5.0f, 2.0f)) == Status::ok);
    REQUIRE(drift.watch(3e38f) == Status::ok);
    CHECK_FALSE(drift.drifted());
    const float shift = drift.shift();
    CHECK(drift.watch(std::numeric_limits<float>::infinity()) == Status::not_finite);
    CHECK(drift.watch(std::nanf("")) == Status::not_finite);
    CHECK(drift.shift() == shift);
    CHECK(drift.samples() == 201);
    for (unsigned t = 0; t < 100; ++t)
        REQUIRE(drift.watch(-3e38f) == Status::ok);
    CHECK(drift.drifted());
    CHECK(std::isfinite(drift.shift()));

    CHECK(drift.open({.spread = 0.0f}) == Status::bad_spec);
    CHECK(drift.open({.window = 1.0f}) == Status::bad_spec);
    CHECK(drift.open({.mean = std::nanf("")}) == Status::bad_spec);
    CHECK(drift.samples() == 301); // as it was
}

TEST_CASE("confidence is what the best score has before the second")
{
    CHECK(confidence({}) == 0.0f);
    CHECK(confidence(std::vector<float>{0.25f}) == 0.25f);
    CHECK(confidence(std::vector<float>{1.0f, 3.0f, 2.5f}) == 0.5f);
    CHECK(confidence(std::vector<float>{3.0f, 1.0f, 2.5f}) == 0.5f);
    CHECK(confidence(std::vector<float>{2.0f, 2.0f}) == 0.0f);
    CHECK(confidence(std::vector<float>{-1.0f, -3.0f}) == 2.0f);
}
