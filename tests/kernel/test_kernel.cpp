// The exact kernels: values computed elsewhere, closed forms, and the neighbourhoods where formulas lose digits.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "samara/kernel.hpp"
#include "samara/map.hpp"

#include "../simd/support.hpp"

namespace {

using namespace samara;
using namespace samara::test;
using V = std::span<const float>;

constexpr long double pi = 3.14159265358979323846264338327950288L;

double relative(double found, long double exact)
{
    return static_cast<double>(std::abs((static_cast<long double>(found) - exact) / exact));
}

std::vector<float> random_vector(std::size_t n, RandomNumbers& numbers)
{
    std::vector<float> v(n);
    for (float& value : v)
        value = numbers.symmetric() + numbers.symmetric() + numbers.symmetric();
    return v;
}

// Computed with numpy in double, from the formulas.
struct Case {
    const char* name;
    double (*kernel)(V, V);
    std::size_t inputs;
    std::vector<float> x, y;
    std::vector<double> values; // row after row
    double absolute;            // accepted beside 1e-5 relative: inputs have three decimals
};

const Case cases[] = {
    {
        "gaussian",
        [](V x, V y) { return gaussian_kernel(x, y, 1.0); },
        3,
        {-0.327f, -0.974f, 0.495f, 0.425f, -0.441f, -0.1f, -1.804f, -0.882f, 0.217f, 0.596f, -0.009f, -0.823f},
        {-0.355f, 0.525f, -1.367f, 1.205f, -0.229f, -0.805f, -1.039f, -1.129f, 0.763f},
        {0.057417020225606366, 0.10065821608243836, 0.7397843900767715, 0.2073343648007937, 0.562601059335379,
         0.18624272181302012, 0.037099454981583874, 0.005182400049477452, 0.62364436560366, 0.4758053200034402,
         0.8107443521687329, 0.03989475170314509},
        8.107443521687329e-08,
    },
    {
        "laplacian",
        [](V x, V y) { return laplacian_kernel(x, y, 1.0); },
        4,
        {-0.702f, 1.564f, -0.078f, 1.117f, 0.667f, 0.124f, -1.346f, -0.28f, 0.395f, 0.955f, 1.743f, 0.472f, 2.09f,
         -0.366f, 0.304f, -0.351f},
        {-0.692f, -1.698f, -1.894f, 1.371f, -1.605f, -0.858f, -1.299f, 0.004f, -1.434f, -1.363f, 0.377f, 0.15f},
        {0.004786288554225947, 0.003486001156948887, 0.006213692215844749, 0.004607821929992752, 0.02773666763018044,
         0.0032115551138800417, 0.00025455337983957285, 0.000660178701331094, 0.0029234232601511845,
         0.00032424861700138327, 0.0021441758919131756, 0.006127306634849761},
        2.7736667630180438e-09,
    },
    {
        "cauchy",
        [](V x, V y) { return cauchy_kernel(x, y, 1.0); },
        3,
        {0.384f, -1.571f, 0.92f, 1.254f, -1.964f, 0.638f, -0.963f, 0.012f, -0.526f, -0.307f, -2.443f, -1.526f},
        {0.101f, -1.119f, 0.233f, -0.831f, -0.302f, 0.713f, 0.983f, -0.405f, 2.103f},
        {0.5222827285448344, 0.1483501175497842, 0.1299855540999282, 0.21516656714207455, 0.04942976225480608,
         0.08631316161767298, 0.13056888823874035, 0.3529078475418719, 0.02249316597637957, 0.07606236136315413,
         0.023366742142505538, 0.0051403544810318174},
        5.222827285448343e-08,
    },
    {
        "arccos0",
        arccos0_kernel,
        3,
        {0.048f, -0.761f, 0.53f, 0.642f, -0.592f, -0.594f, -0.666f, -1.03f, 2.038f, 0.904f, -1.947f, -0.539f},
        {-0.34f, -1.812f, 0.956f, 0.995f, 0.255f, 0.834f, -0.168f, 0.61f, -0.23f, 0.048f, -0.761f, 0.53f, -0.642f,
         0.592f, 0.594f, -1.332f, -2.06f, 4.076f},
        {0.9209220288237273,
         0.5773737669960153,
         0.10063984040751843,
         1.0,
         0.44569614388834855,
         0.8113161988527496,
         0.5417059032144009,
         0.4982765582852291,
         0.3451789423645508,
         0.5543038561116514,
         0.0,
         0.3657538253436891,
         0.8049567284669371,
         0.5791335687507821,
         0.28907363465802044,
         0.8113161988527496,
         0.6342461746563108,
         1.0,
         0.7003105981270338,
         0.49494195150821596,
         0.19628981706592785,
         0.7060398813554551,
         0.15865356110897477,
         0.5184432762176123},
        1e-07,
    },
    {
        "arccos1",
        arccos1_kernel,
        3,
        {0.048f, -0.761f, 0.53f, 0.642f, -0.592f, -0.594f, -0.666f, -1.03f, 2.038f, 0.904f, -1.947f, -0.539f},
        {-0.34f, -1.812f, 0.956f, 0.995f, 0.255f, 0.834f, -0.168f, 0.61f, -0.23f, 0.048f, -0.761f, 0.53f, -0.642f,
         0.592f, 0.594f, -1.332f, -2.06f, 4.076f},
        {1.8724100385652427,
         0.5503393127662809,
         0.0020755475517861928,
         0.862325,
         0.23344199589224787,
         3.758244611537879,
         0.8474177183528875,
         0.44103103159779417,
         0.08535630941154698,
         0.39994999589224783,
         0.0,
         0.7069098214984321,
         4.1572430030529235,
         1.4194457246813577,
         0.11706778801064517,
         1.8791223057689395,
         1.381838910749216,
         11.3158,
         3.0773793385590062,
         0.9089852732507696,
         0.0356825649843132,
         1.3969361814650103,
         0.029954474320530416,
         3.662001541145097},
        1.13158e-06,
    },
};

// The same in long double, with the angle or its supplement to full relative precision.
struct Exact {
    long double angle, supplement, lengths;
};

Exact exact_angle(V x, V y)
{
    long double xx = 0, yy = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
        xx += static_cast<long double>(x[i]) * static_cast<long double>(x[i]);
        yy += static_cast<long double>(y[i]) * static_cast<long double>(y[i]);
    }
    const long double nx = std::sqrt(xx), ny = std::sqrt(yy);
    long double minus = 0, plus = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
        const long double a = static_cast<long double>(x[i]) * ny, b = static_cast<long double>(y[i]) * nx;
        minus += (a - b) * (a - b);
        plus += (a + b) * (a + b);
    }
    minus = std::sqrt(minus);
    plus = std::sqrt(plus);
    return {2 * std::atan2(minus, plus), 2 * std::atan2(plus, minus), nx * ny};
}

long double exact_arccos0(const Exact& e) { return e.supplement / pi; }

// sin s - s cos s of the supplement s; below 1/8 by its series s^3/3 - s^5/30 + s^7/840 - s^9/45360 + ...
long double exact_arccos1(const Exact& e)
{
    const long double s = e.supplement, u = s * s;
    const long double series =
        s * u / 3 * (1 - u / 10 * (1 - u / 28 * (1 - u / 54 * (1 - u / 88 * (1 - u / 130 * (1 - u / 180))))));
    const long double shape = s < 0.125L ? series : std::sin(s) - s * std::cos(s);
    return e.lengths * shape / pi;
}

struct Errors {
    double order0 = 0.0, order1 = 0.0;
    void see(V x, V y)
    {
        const Exact e = exact_angle(x, y);
        order0 = std::max(order0, relative(arccos0_kernel(x, y), exact_arccos0(e)));
        order1 = std::max(order1, relative(arccos1_kernel(x, y), exact_arccos1(e)));
    }
};

} // namespace

TEST_CASE("kernels: values computed elsewhere")
{
    for (const Case& c : cases) {
        const std::size_t rows = c.x.size() / c.inputs, columns = c.y.size() / c.inputs;
        REQUIRE(c.values.size() == rows * columns);
        for (std::size_t i = 0; i < rows; ++i) {
            for (std::size_t j = 0; j < columns; ++j) {
                INFO(std::string(c.name) << " of " << i << " and " << j);
                const V x = V(c.x).subspan(i * c.inputs, c.inputs), y = V(c.y).subspan(j * c.inputs, c.inputs);
                const double expected = c.values[i * columns + j];
                CHECK(std::abs(c.kernel(x, y) - expected) <= 1e-5 * std::abs(expected) + c.absolute);
                CHECK(c.kernel(x, y) == c.kernel(y, x));
            }
        }
    }
}

TEST_CASE("kernels: bandwidths, against the C library")
{
    RandomNumbers numbers(1);
    double gaussian = 0.0, laplacian = 0.0, cauchy = 0.0;
    for (int round = 0; round < 2000; ++round) {
        const std::size_t n = 1 + numbers.below(40);
        const std::vector<float> x = random_vector(n, numbers), y = random_vector(n, numbers);
        const double b = std::ldexp(1.0 + round / 4000.0, static_cast<int>(numbers.below(12)) - 2);
        long double squares = 0, absolute = 0, product = 1;
        for (std::size_t i = 0; i < n; ++i) {
            const long double d =
                (static_cast<long double>(x[i]) - static_cast<long double>(y[i])) / static_cast<long double>(b);
            squares += d * d;
            absolute += std::abs(d);
            product /= 1 + d * d;
        }
        if (squares < 1200)
            gaussian = std::max(gaussian, relative(gaussian_kernel(x, y, b), std::exp(-squares / 2)));
        if (absolute < 600)
            laplacian = std::max(laplacian, relative(laplacian_kernel(x, y, b), std::exp(-absolute)));
        cauchy = std::max(cauchy, relative(cauchy_kernel(x, y, b), product));
    }
    MESSAGE("relative errors: gaussian " << gaussian << ", laplacian " << laplacian << ", cauchy " << cauchy);
    CHECK(gaussian < 1e-12);
    CHECK(laplacian < 1e-12);
    CHECK(cauchy < 1e-12);

    // Far apart: nothing left, and no more than that.
    const float far[] = {1e6f}, origin[] = {0.0f}, huge[] = {0x1p40f};
    CHECK(gaussian_kernel(far, origin, 1.0) == 0.0);
    CHECK(laplacian_kernel(far, origin, 1.0) == 0.0);
    CHECK(gaussian_kernel(huge, origin, 0x1p-30) == 0.0);
    CHECK(relative(cauchy_kernel(far, origin, 1.0), 1.0L / (1.0L + 1e12L)) < 1e-12);
    CHECK(relative(gaussian_kernel(huge, origin, 0x1p40), std::exp(-0.5L)) < 1e-12);
    // 0 below exp(-700), and not above
    const float edge[] = {699.0f}, beyond[] = {701.0f};
    CHECK(relative(laplacian_kernel(edge, origin, 1.0), std::exp(-699.0L)) < 1e-12);
    CHECK(laplacian_kernel(beyond, origin, 1.0) == 0.0);
}

TEST_CASE("kernels: parallel, orthogonal and antiparallel vectors")
{
    RandomNumbers numbers(2);
    for (int round = 0; round < 200; ++round) {
        const std::size_t n = 2 + numbers.below(30);
        const std::vector<float> x = random_vector(n, numbers);
        double squares = 0.0;
        for (const float v : x)
            squares += static_cast<double>(v) * static_cast<double>(v);
        // Powers of two only: other factors round each coordinate for itself.
        for (const float factor : {1.0f, 0.25f, 1024.0f}) {
            std::vector<float> y = x, opposite = x;
            for (std::size_t i = 0; i < n; ++i) {
                y[i] *= factor;
                opposite[i] *= -factor;
            }
            const double length = squares * static_cast<double>(factor);
            CHECK(std::abs(arccos0_kernel(x, y) - 1.0) < 1e-12);
            CHECK(std::abs(arccos1_kernel(x, y) / length - 1.0) < 1e-12);
            CHECK(arccos0_kernel(x, opposite) >= 0.0);
            CHECK(arccos0_kernel(x, opposite) < 1e-12);
            CHECK(arccos1_kernel(x, opposite) >= 0.0);
            CHECK(arccos1_kernel(x, opposite) < 1e-12 * length);
        }
        CHECK(gaussian_kernel(x, x, 0.5) == 1.0);
        CHECK(laplacian_kernel(x, x, 0.5) == 1.0);
        CHECK(cauchy_kernel(x, x, 0.5) == 1.0);
        // Turned by a right angle in pairs of coordinates.
        std::vector<float> turned(x.size() / 2 * 2),
            even(x.begin(), x.begin() + static_cast<std::ptrdiff_t>(turned.size()));
        double even_squares = 0.0;
        for (std::size_t i = 0; i < turned.size(); i += 2) {
            turned[i] = -2.0f * even[i + 1];
            turned[i + 1] = 2.0f * even[i];
            even_squares += std::pow(static_cast<double>(even[i]), 2) + std::pow(static_cast<double>(even[i + 1]), 2);
        }
        CHECK(std::abs(arccos0_kernel(even, turned) - 0.5) < 1e-12);
        CHECK(relative(arccos1_kernel(even, turned), 2.0L * static_cast<long double>(even_squares) / pi) < 1e-12);
    }
    const float a[] = {1.0f, 0.0f}, b[] = {0.0f, 3.0f}, c[] = {2.0f, 2.0f}, d[] = {-5.0f, 0.0f};
    CHECK(arccos0_kernel(a, b) == doctest::Approx(0.5).epsilon(1e-14));
    CHECK(arccos0_kernel(a, c) == doctest::Approx(0.75).epsilon(1e-14));
    CHECK(arccos0_kernel(c, d) == doctest::Approx(0.25).epsilon(1e-14));
    CHECK(arccos0_kernel(a, d) == 0.0);
    CHECK(arccos1_kernel(a, d) == 0.0);
    CHECK(arccos1_kernel(a, b) == doctest::Approx(static_cast<double>(3 / pi)).epsilon(1e-14));
    CHECK(arccos1_kernel(a, c) == doctest::Approx(static_cast<double>((2 + 1.5L * pi) / pi)).epsilon(1e-14));
    CHECK(arccos1_kernel(a, a) == doctest::Approx(1.0).epsilon(1e-14));
}

TEST_CASE("kernels: arc-cosine at every angle")
{
    Errors errors;
    RandomNumbers numbers(3);
    for (int round = 0; round < 5000; ++round) {
        const std::size_t n = 2 + numbers.below(20);
        errors.see(random_vector(n, numbers), random_vector(n, numbers));
    }
    for (int i = 1; i < 3000; ++i) { // in a plane, away from the ends
        const double t = static_cast<double>(pi) * i / 3000.0;
        const float x[] = {3.0f, 0.0f},
                    y[] = {static_cast<float>(2.0 * std::cos(t)), static_cast<float>(2.0 * std::sin(t))};
        errors.see(x, y);
    }
    MESSAGE("relative errors: order 0 " << errors.order0 << ", order 1 " << errors.order1);
    CHECK(errors.order0 < 1e-12);
    CHECK(errors.order1 < 1e-12);
}

TEST_CASE("kernels: almost parallel and almost antiparallel vectors of floats")
{
    Errors parallel, antiparallel;
    RandomNumbers numbers(4);
    for (int round = 0; round < 3000; ++round) {
        const std::size_t n = 2 + numbers.below(100);
        const std::vector<float> x = random_vector(n, numbers);
        std::vector<float> y = x;
        // The largest coordinate to the next float, or all of them by a few; or all times a number, which rounds each.
        std::size_t largest = 0;
        for (std::size_t i = 0; i < n; ++i)
            largest = std::abs(x[i]) > std::abs(x[largest]) ? i : largest;
        const float toward = numbers.below(2) == 0 ? 100.0f : -100.0f;
        if (round % 3 == 0)
            y[largest] = std::nextafter(y[largest], toward);
        else
            for (float& v : y)
                v = round % 3 == 1 ? v * (1.0f + static_cast<float>(numbers.below(64)) * 0x1p-23f) : v * 1.7f;
        std::vector<float> opposite = y;
        for (float& v : opposite)
            v = -v;
        parallel.see(x, y);
        // Two equal vectors may come out of the rounding: their kernel is 0, and has no relative error.
        if (exact_angle(x, opposite).supplement > 1e-9L)
            antiparallel.see(x, opposite);
    }
    for (int exponent = 1; exponent < 24; ++exponent) { // one coordinate smaller and smaller
        const float x[] = {1.0f, 0.0f, 2.0f}, y[] = {1.0f, std::ldexp(1.0f, -exponent), 2.0f},
                    z[] = {-1.0f, std::ldexp(1.0f, -exponent), -2.0f};
        parallel.see(x, y);
        antiparallel.see(x, z);
    }
    MESSAGE("relative errors: parallel " << parallel.order0 << ", " << parallel.order1 << "; antiparallel "
                                         << antiparallel.order0 << ", " << antiparallel.order1);
    CHECK(parallel.order0 < 1e-6);
    CHECK(parallel.order1 < 1e-6);
    CHECK(antiparallel.order0 < 1e-6);
    CHECK(antiparallel.order1 < 1e-6);
}

TEST_CASE("kernels: zero vectors, empty vectors and vectors of different lengths")
{
    const float zero[] = {0.0f, -0.0f, 0.0f}, x[] = {1.0f, -2.0f, 0.5f}, longer[] = {1.0f, -2.0f, 0.5f, 0.0f};
    CHECK(arccos0_kernel(zero, x) == 0.0);
    CHECK(arccos0_kernel(x, zero) == 0.0);
    CHECK(arccos0_kernel(zero, zero) == 0.0);
    CHECK(arccos1_kernel(zero, x) == 0.0);
    CHECK(arccos1_kernel(x, zero) == 0.0);
    CHECK(arccos1_kernel(zero, zero) == 0.0);
    CHECK(gaussian_kernel(zero, zero, 1.0) == 1.0);
    CHECK(relative(gaussian_kernel(zero, x, 1.0), std::exp(-0.5L * 5.25L)) < 1e-12);
    CHECK(relative(laplacian_kernel(x, zero, 2.0), std::exp(-1.75L)) < 1e-12);
    CHECK(relative(cauchy_kernel(x, zero, 1.0), 1.0L / (2.0L * 5.0L * 1.25L)) < 1e-12);

    CHECK(gaussian_kernel(x, longer, 1.0) == 0.0);
    CHECK(laplacian_kernel(x, longer, 1.0) == 0.0);
    CHECK(cauchy_kernel(x, longer, 1.0) == 0.0);
    CHECK(arccos0_kernel(x, longer) == 0.0);
    CHECK(arccos1_kernel(x, longer) == 0.0);
    CHECK(gaussian_kernel(longer, x, 1.0) == 0.0);
    CHECK(arccos1_kernel(longer, x) == 0.0);

    // Subnormal numbers are numbers: squares of 2^-149 are far from vanishing in double.
    const float tiny = std::numeric_limits<float>::denorm_min();
    const float a[] = {tiny, 0.0f}, b[] = {tiny, tiny}, c[] = {-tiny, 0.0f}, d[] = {0x1p40f, 0.0f};
    CHECK(arccos0_kernel(a, b) == doctest::Approx(0.75).epsilon(1e-12));
    CHECK(arccos0_kernel(a, d) == doctest::Approx(1.0).epsilon(1e-12));
    CHECK(arccos0_kernel(a, c) == 0.0);
    CHECK(relative(arccos1_kernel(a, a), 0x1p-298L) < 1e-12);
    CHECK(relative(arccos1_kernel(a, d), 0x1p-109L) < 1e-12);
    CHECK(relative(arccos1_kernel(d, d), 0x1p80L) < 1e-12);
}

TEST_CASE("kernels: a spec's kernel is the one that it names")
{
    const float x[] = {1.0f, -2.0f, 0.5f}, y[] = {0.3f, -1.0f, 0.7f};
    RffSpec rff;
    rff.inputs = 3;
    rff.bandwidth = 1.5f;
    CHECK(kernel(rff, x, y) == gaussian_kernel(x, y, 1.5));
    rff.kernel = Kernel::laplacian;
    CHECK(kernel(rff, x, y) == laplacian_kernel(x, y, 1.5));
    rff.kernel = Kernel::cauchy;
    CHECK(kernel(rff, x, y) == cauchy_kernel(x, y, 1.5));
    ArcCosSpec arccos;
    arccos.inputs = 3;
    arccos.order = 0;
    CHECK(kernel(arccos, x, y) == arccos0_kernel(x, y));
    arccos.order = 1;
    CHECK(kernel(arccos, x, y) == arccos1_kernel(x, y));
}
