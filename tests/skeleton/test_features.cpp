// Random features of skeletons: what they estimate, how long they are, and how many factors they have.
#include <doctest/doctest.h>

#include <complex>
#include <random>

#include "samara/skeleton/features.hpp"
#include "skeleton/draw.hpp"

#include "../simd/support.hpp"
#include "support.hpp"

namespace {

using namespace samara;
using namespace samara::test;

// Emulated and sanitised runs take fewer draws.
#ifdef SAMARA_QUICK
constexpr std::uint32_t draws = 20'000;
#else
constexpr std::uint32_t draws = 200'000;
#endif

struct Features {
    std::vector<float> real, imaginary;
};

Features features(const Skeleton& s, const std::vector<float>& x, std::uint32_t count = draws, std::uint64_t seed = 1,
                  std::uint32_t first = 0)
{
    Features z{std::vector<float>(count), std::vector<float>(count)};
    std::vector<std::uint32_t> work(skeleton_workspace_bytes(s, count) / 4);
    REQUIRE(skeleton_features(s, seed, first, x, z.real, z.imaginary, std::as_writable_bytes(std::span(work))) ==
            Status::ok);
    return z;
}

// The mean of psi(x) conj(psi(y)) must be the kernel within what its own spread allows.
void check_unbiased(const Skeleton& s, const std::vector<float>& x, const std::vector<float>& y, double allowed = 0.0)
{
    const Features a = features(s, x), b = features(s, y);
    double sum = 0.0, squares = 0.0;
    for (std::size_t i = 0; i < a.real.size(); ++i) {
        const double product = static_cast<double>(a.real[i]) * static_cast<double>(b.real[i]) +
                               static_cast<double>(a.imaginary[i]) * static_cast<double>(b.imaginary[i]);
        sum += product;
        squares += product * product;
    }
    const double n = draws, mean = sum / n, spread = std::sqrt(std::fmax(squares / n - mean * mean, 0.0) / n);
    CAPTURE(mean);
    CAPTURE(spread);
    CHECK(std::fabs(mean - kernel_of(s, x, y)) < 4.5 * spread + allowed + 1e-6);
}

std::vector<float> unit(std::vector<float> v)
{
    double squares = 0.0;
    for (const float x : v)
        squares += static_cast<double>(x) * static_cast<double>(x);
    for (float& x : v)
        x = static_cast<float>(static_cast<double>(x) / std::sqrt(squares));
    return v;
}

} // namespace

TEST_CASE("features of every base estimate its kernel, and are as long as they should be")
{
    struct Case {
        SkeletonBase base;
        std::uint32_t columns, value;
        std::vector<float> x, y;
        double longest; // 0: always 1
    };
    const std::vector<float> u = unit({1, 2, -2, 0.5f}), v = unit({0.5f, 1, -1, -2});
    const Case cases[] = {
        {SkeletonBase::binary, 1, 0, {1}, {-1}, 0},
        {SkeletonBase::circle, 1, word_of(radians), {1}, {2.2f}, 0},
        {SkeletonBase::gaussian, 3, word_of(0.2f), {1, 0, 0.5f}, {0.5f, 0.75f, -0.25f}, 0},
        {SkeletonBase::categorical, 1, 5, {3}, {3}, 0},
        {SkeletonBase::categorical, 1, 5, {3}, {1}, 0},
        {SkeletonBase::categorical, 1, 7, {0}, {6}, 0},
        {SkeletonBase::sphere, 4, 0, u, v, std::sqrt(2.0)},
        {SkeletonBase::sphere_uniform, 4, 0, u, v, 2.0},
    };
    for (const Case& c : cases) {
        CAPTURE(static_cast<int>(c.base));
        Made m;
        m.build.base(c.base, {}, 0, c.columns, c.value);
        const Skeleton& s = m.finish();
        check_unbiased(s, c.x, c.y);
        check_unbiased(s, c.x, c.x);
        const Features z = features(s, c.x, 2000);
        for (std::size_t i = 0; i < z.real.size(); ++i) {
            const double length = std::hypot(static_cast<double>(z.real[i]), static_cast<double>(z.imaginary[i]));
            if (c.longest == 0.0)
                CHECK(length == doctest::Approx(1.0).epsilon(1e-6));
            else
                CHECK(length <= c.longest * (1.0 + 1e-6));
        }
    }
}

TEST_CASE("features of skeletons estimate their kernels")
{
    std::mt19937 engine(3);
    const auto angles = [&](std::size_t n) {
        std::vector<float> x(n);
        for (float& v : x)
            v = static_cast<float>(engine() % 1000) * 0.001f;
        return x;
    };
    const auto quarter = exponential(0.25), one = exponential(1.0), polynomial = steps_of({0.1, 0.2, 0.0, 0.7});
    SUBCASE("shallow")
    {
        for (const auto& steps : {quarter, one, polynomial}) {
            Made m;
            m.build.node(m.build.circles({1, 1, 12}, 0, 0.5f), series(steps));
            const Skeleton& s = m.finish();
            const std::vector<float> x = angles(12), y = angles(12);
            check_unbiased(s, x, y);
        }
    }
    SUBCASE("deep, of windows")
    {
        for (const SkeletonActivation& last : {relu, identity}) {
            Made m;
            const auto pixels = m.build.circles({6, 5, 2}, 1, 0.5f);
            const auto first = m.build.windows(pixels, {3, 2, 1, 1}, series(quarter));
            m.build.node(m.build.windows(first, {2, 2, 2, 2}, relu), last);
            const Skeleton& s = m.finish();
            const std::vector<float> x = angles(61), y = angles(61);
            check_unbiased(s, x, y);
            check_unbiased(s, x, x);
        }
    }
    SUBCASE("windows that see places unlike each other")
    {
        // The kernels of the six places are 1, 1, -1, -1, -1 and 1.
        Made m;
        const auto places = m.build.circles({2, 4, 1}, 0, 0.5f);
        m.build.node(m.build.windows(places, {2, 3, 1, 1}, identity), identity);
        check_unbiased(m.finish(), std::vector<float>(8), {0, 0, 1, 1, 1, 1, 0, 0});
    }
    SUBCASE("a step, whose cut-off is a thousandth of its factors")
    {
        Made m;
        m.build.node(m.build.circles({1, 1, 3}, 0, 0.5f), step);
        check_unbiased(m.finish(), angles(3), angles(3), 1e-3);
    }
    SUBCASE("mixed bases without layers")
    {
        Made m;
        m.build.base(SkeletonBase::binary, {}, 0);
        m.build.base(SkeletonBase::categorical, {}, 1, 1, 4);
        m.build.base(SkeletonBase::gaussian, {}, 2, 2, word_of(0.2f));
        m.build.base(SkeletonBase::sphere, {}, 4, 3);
        const SkeletonGroup::Range first[] = {{0, 1}, {1, 1}, {1, 1}}, second[] = {{2, 1}, {3, 1}},
                                   last[] = {{4, 1}, {5, 1}, {0, 1}};
        m.build.node(first, series(one));
        m.build.node(second, series(polynomial));
        m.build.node(last, series(polynomial));
        const Skeleton& s = m.finish();
        const std::vector<float> u = unit({1, 2, -2}), v = unit({1, 1, 0.5f});
        check_unbiased(s, {-1, 2, 0.25f, -0.5f, u[0], u[1], u[2]}, {1, 2, 0.75f, 0.25f, v[0], v[1], v[2]});
    }
}

TEST_CASE("the number of factors has the distribution that its series says")
{
    // The coefficients of relu's series: 1/pi, 1/2, then t(i) / (pi (2i+1) (2i+2)) of 2i + 2; of step's: 1/2, then
    // t(i) / (pi (2i+1)) of 2i + 1; t(i) = C(2i, i) / 4^i.
    // Sums of as many digits as there are: of one double the last are worth a thousandth of the rarest terms.
    constexpr long double exact_pi = 3.14159265358979323846264338327950288L;
    long double t = 1.0L, relu_sum = 1.0L / exact_pi + 0.5L, step_sum = 0.5L;
    const auto at = [](long double p) { return static_cast<std::uint64_t>(p * 0x1p62L); };
    for (std::uint32_t i = 0; i < 30000; ++i) {
        const long double odd = 2.0L * i + 1.0L, relu_part = t / (exact_pi * odd * (odd + 1.0L)),
                          step_part = t / (exact_pi * odd);
        if (i < 40 || i % 1000 == 0) {
            CHECK(detail::relu_factors(at(relu_sum + 0.002L * relu_part)) == 2 * i + 2);
            CHECK(detail::relu_factors(at(relu_sum + 0.98L * relu_part)) == 2 * i + 2);
            CHECK(detail::step_factors(at(step_sum + 0.002L * step_part)) == 2 * i + 1);
            CHECK(detail::step_factors(at(step_sum + 0.98L * step_part)) == 2 * i + 1);
        }
        relu_sum += relu_part;
        step_sum += step_part;
        t *= odd / (odd + 1.0L);
    }
    CHECK(detail::relu_factors(0) == 0);
    CHECK(detail::relu_factors(at(1.0L / exact_pi) + 1000) == 1);
    CHECK(detail::relu_factors((std::uint64_t{1} << 62) - 1) == most_factors);
    CHECK(detail::step_factors((std::uint64_t{1} << 61) - 1) == 0);
    CHECK(detail::step_factors((std::uint64_t{1} << 62) - 1) == most_factors - 1);
}

TEST_CASE("features have as many factors as the cost says")
{
    const auto one = exponential(1.0), three = exponential(3.0);
    for (const auto& steps : {one, three}) {
        Made m;
        const auto pixels = m.build.circles({6, 6, 1}, 0, 0.5f);
        m.build.node(m.build.windows(pixels, {2, 2, 1, 1}, series(steps)), series(three));
        const Skeleton& s = m.finish();
        double sum = 0.0, squares = 0.0;
        for (std::uint32_t i = 0; i < draws; ++i) {
            const auto factors = static_cast<double>(skeleton_factors(s, 5, i));
            sum += factors;
            squares += factors * factors;
        }
        const double mean = sum / draws, spread = std::sqrt((squares / draws - mean * mean) / draws);
        CHECK(std::fabs(mean - s.cost() / double{one_factor}) < 4.5 * spread);
    }
}

TEST_CASE("features depend on the seed and their number alone, on every back end")
{
    Made m;
    const auto pixels = m.build.circles({4, 4, 1}, 2, 0.3f);
    m.build.base(SkeletonBase::gaussian, {}, 0, 5, word_of(0.1f));
    const auto patches = m.build.windows(pixels, {2, 2, 1, 1}, relu);
    const SkeletonGroup::Range all[] = {{m.skeleton.nodes() + 16, 1}, {17, 9}};
    m.build.node(all, relu);
    REQUIRE(patches == 2);
    const Skeleton& s = m.finish();
    std::vector<float> x(s.inputs());
    for (std::size_t i = 0; i < x.size(); ++i)
        x[i] = 0.1f * static_cast<float>(i * i % 11);
    const Features whole = features(s, x, 300), other = features(s, x, 300, 2);
    CHECK(whole.real != other.real);
    on_each_back_end([&](Simd) {
        for (const std::uint32_t first : {0u, 1u, 100u, 293u}) {
            const std::uint32_t count = first == 293 ? 7 : 60;
            const Features part = features(s, x, count, 1, first);
            for (std::uint32_t i = 0; i < count; ++i) {
                CHECK(word_of(part.real[i]) == word_of(whole.real[first + i]));
                CHECK(word_of(part.imaginary[i]) == word_of(whole.imaginary[first + i]));
            }
        }
    });
}

TEST_CASE("calls that cannot be done leave everything as it was")
{
    Made m;
    m.build.base(SkeletonBase::categorical, {}, 0, 1, 3);
    const Skeleton& s = m.finish();
    std::vector<std::uint32_t> work(8);
    const auto memory = std::as_writable_bytes(std::span(work));
    std::vector<float> real(4, 7.0f), imaginary(4, 7.0f), fewer(3);
    const auto status = [&](std::vector<float> x, std::span<float> out, std::span<std::byte> bytes,
                            std::uint32_t first = 0) {
        return skeleton_features(s, 1, first, x, out, imaginary, bytes);
    };
    CHECK(skeleton_workspace_bytes(s, 4) == 16);
    CHECK(status({1}, fewer, memory) == Status::wrong_length);
    CHECK(status({1, 2}, real, memory) == Status::wrong_length);
    CHECK(status({1}, real, memory, 0xfffffffe) == Status::wrong_length);
    CHECK(status({1}, real, memory.first(15)) == Status::small_workspace);
    CHECK(status({1}, real, memory.subspan(1, 20)) == Status::misaligned);
    for (const float bad : {3.0f, -1.0f, 0.5f, 1e9f, -0.5f})
        CHECK(status({bad}, real, memory) == Status::out_of_range);
    CHECK(status({NAN}, real, memory) == Status::not_finite);
    CHECK(status({INFINITY}, real, memory) == Status::not_finite);
    CHECK(skeleton_features(Skeleton(), 1, 0, {}, real, imaginary, memory) == Status::wrong_length);
    CHECK(skeleton_factors(Skeleton(), 1, 0) == 0);
    CHECK(real == std::vector<float>(4, 7.0f));
    CHECK(imaginary == std::vector<float>(4, 7.0f));
    CHECK(status({2}, real, memory) == Status::ok);
}

TEST_CASE("a product beyond the range of floats is an overflow, and zeros")
{
    Made m;
    const auto four = steps_of({0.0, 0.0, 0.0, 0.0, 1.0});
    m.build.node(m.build.base(SkeletonBase::sphere, {}, 0, 2), series(four));
    const Skeleton& s = m.finish();
    const std::vector<float> x(2, 0x1p33f), fits(2, 0x1p30f);
    std::vector<std::uint32_t> work(8);
    const auto memory = std::as_writable_bytes(std::span(work));
    std::vector<float> real(4, 7.0f), imaginary(4, 7.0f);
    CHECK(skeleton_features(s, 1, 0, x, real, imaginary, memory) == Status::overflow);
    CHECK(real == std::vector<float>(4));
    CHECK(imaginary == std::vector<float>(4));
    CHECK(skeleton_features(s, 1, 0, fits, real, imaginary, memory) == Status::ok);
    CHECK(real != std::vector<float>(4));
}

TEST_CASE("angles are rounded to the nearest of 2^32")
{
    Made m;
    m.build.circles({}, 0, 1.0f);
    const Skeleton& s = m.finish();
    // The sine, in that of the least angle.
    const double least = std::sin(2.0 * pi * 0x1p-32);
    const auto sine = [&](float x) { return std::fabs(static_cast<double>(features(s, {x}, 1).imaginary[0])) / least; };
    CHECK(sine(0x1p-34f) == 0.0);
    CHECK(sine(0.99f * 0x1p-33f) == 0.0);
    CHECK(sine(0x1p-33f) == doctest::Approx(1.0));
    CHECK(sine(1.49f * 0x1p-32f) == doctest::Approx(1.0));
    CHECK(sine(-1.51f * 0x1p-32f) == doctest::Approx(2.0));
    CHECK(sine(0x1p-20f) == doctest::Approx(4096.0));
    CHECK(sine(3.25f) * least == doctest::Approx(1.0));
    CHECK(sine(-1048576.25f) * least == doctest::Approx(1.0));
    CHECK(sine(0x1p39f) == 0.0);
}
