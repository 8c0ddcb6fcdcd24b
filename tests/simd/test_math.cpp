// The elementary functions against double precision, for the back end that this file is compiled for: the bounds are
// those that src/simd/math.hpp promises, and the errors found are printed. SAMARA_LONG takes every float.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <sstream>
#include <string>
#include <vector>

#include "simd/math.hpp"

#include "support.hpp"

namespace samara::SAMARA_ARCH {

namespace {

using test::long_run;
using test::slow_build;

constexpr unsigned lot = 64;
constexpr double pi = 3.14159265358979323846;

// `function` of a lot of values, as words, because a NaN or a zero must not lose its sign on the way.
template <class Function>
void evaluate(const std::uint32_t* in, std::uint32_t* out, Function function)
{
    for (unsigned i = 0; i < lot; i += F::size)
        store(out + i, bits(function(from_bits(load(in + i)))));
}

// Calls visit(argument's bits, result's bits) for every stride-th word of [first, last].
template <class Function, class Visit>
void sweep(std::uint32_t first, std::uint32_t last, std::uint32_t stride, Function function, Visit visit)
{
    std::uint32_t in[lot], out[lot];
    std::uint64_t at = first;
    while (at <= last) {
        unsigned filled = 0;
        for (; filled < lot && at <= last; ++filled, at += stride)
            in[filled] = static_cast<std::uint32_t>(at);
        for (unsigned i = filled; i < lot; ++i)
            in[i] = in[0];
        evaluate(in, out, function);
        for (unsigned i = 0; i < filled; ++i)
            visit(in[i], out[i]);
    }
}

// A prime, or 1 in a long run; coarser in slow builds.
std::uint32_t stride(std::uint32_t prime, std::uint32_t slow_prime)
{
    return long_run() ? 1u : slow_build ? slow_prime : prime;
}

float number(std::uint32_t word) { return std::bit_cast<float>(word); }
std::uint32_t word(float value) { return std::bit_cast<std::uint32_t>(value); }
bool is_nan(std::uint32_t u) { return (u & 0x7fffffffu) > 0x7f800000u; }
bool same(std::uint32_t a, std::uint32_t b) { return a == b || (is_nan(a) && is_nan(b)); }
constexpr std::uint32_t minus = 0x80000000u;

struct Largest {
    double error = 0.0;
    std::uint32_t at = 0;
    std::uint64_t cases = 0;
    void see(double e, std::uint32_t u)
    {
        ++cases;
        if (!(e <= error)) {
            error = e;
            at = u;
        }
    }
};

std::string text(const Largest& largest)
{
    std::ostringstream stream;
    stream << "largest error " << largest.error << " at " << std::hexfloat << number(largest.at) << std::defaultfloat
           << " of " << largest.cases << " cases";
    return stream.str();
}

template <class Function>
std::uint32_t one(Function function, float x)
{
    std::uint32_t in[lot], out[lot];
    for (std::uint32_t& u : in)
        u = word(x);
    evaluate(in, out, function);
    return out[0];
}

} // namespace

TEST_CASE("sine and cosine of turns")
{
    Largest sine, cosine;
    std::uint64_t not_odd = 0, not_even = 0;
    const auto sine_of = [](F t) { return sin_cos_turns(t).sine; };
    const auto cosine_of = [](F t) { return sin_cos_turns(t).cosine; };
    const auto angle = [](std::uint32_t u) {
        const double t = static_cast<double>(number(u));
        return 2.0 * pi * (t - std::nearbyint(t));
    };
    const auto see_sine = [&](std::uint32_t u, std::uint32_t v) {
        sine.see(std::abs(static_cast<double>(number(v)) - std::sin(angle(u))), u);
    };
    const auto see_cosine = [&](std::uint32_t u, std::uint32_t v) {
        cosine.see(std::abs(static_cast<double>(number(v)) - std::cos(angle(u))), u);
    };
    // Every exponent, then more of those where something happens: 2^-4 to 4096.
    const struct {
        std::uint32_t first, last, step;
    } ranges[] = {{0u, word(4096.0f), stride(449, 65537)}, {word(0.0625f), word(4096.0f), stride(53, 16411)}};
    for (const auto& range : ranges) {
        sweep(range.first, range.last, range.step, sine_of, see_sine);
        sweep(range.first, range.last, range.step, cosine_of, see_cosine);
        // Negative angles: an odd and an even function (whole turns give +0 on both sides).
        const std::uint32_t coarse = 17 * range.step;
        std::vector<std::uint32_t> sines, cosines;
        if (long_run())
            break;
        sweep(range.first, range.last, coarse, sine_of, [&](auto, std::uint32_t v) { sines.push_back(v); });
        sweep(range.first, range.last, coarse, cosine_of, [&](auto, std::uint32_t v) { cosines.push_back(v); });
        std::size_t i = 0, k = 0;
        sweep(range.first | minus, range.last | minus, coarse, sine_of,
              [&](auto, std::uint32_t v) { not_odd += number(v) != -number(sines[i++]) ? 1u : 0u; });
        sweep(range.first | minus, range.last | minus, coarse, cosine_of,
              [&](auto, std::uint32_t v) { not_even += v != cosines[k++] ? 1u : 0u; });
        CHECK(i == sines.size());
        CHECK(k == cosines.size());
    }
    MESSAGE("sine: " << text(sine));
    MESSAGE("cosine: " << text(cosine));
    CHECK(sine.error < 1.8e-7);
    CHECK(cosine.error < 1.8e-7);
    CHECK(not_odd == 0);
    CHECK(not_even == 0);
    CHECK(one(sine_of, 0.0f) == word(0.0f));
    CHECK(one(cosine_of, 0.0f) == word(1.0f));
    // Whole numbers of turns, however many.
    for (const float t : {1.0f, 3.0f, 4095.0f, 1048577.0f, 8388607.0f, 16777216.0f, 0x1p60f}) {
        CHECK(number(one(sine_of, t)) == 0.0f);
        CHECK(number(one(cosine_of, t)) == 1.0f);
        CHECK(number(one(sine_of, -t)) == 0.0f);
        CHECK(number(one(cosine_of, -t)) == 1.0f);
    }
}

TEST_CASE("logarithm")
{
    Largest all, near;
    const auto log_of = [](F x) { return log(x); };
    const auto error = [](std::uint32_t u, std::uint32_t v) {
        const double exact = std::log(static_cast<double>(number(u)));
        const double found = static_cast<double>(number(v));
        return exact == 0.0 ? std::abs(found) : std::abs(found / exact - 1.0);
    };
    sweep(0x00800000u, 0x7f7fffffu, stride(251, 65537), log_of,
          [&](std::uint32_t u, std::uint32_t v) { all.see(error(u, v), u); });
    // Where the logarithm crosses 0, and the reduced range around it.
    sweep(word(0.5f), word(2.0f), stride(5, 1021), log_of,
          [&](std::uint32_t u, std::uint32_t v) { near.see(error(u, v), u); });
    sweep(word(1.0f) - 5000, word(1.0f) + 5000, 1, log_of,
          [&](std::uint32_t u, std::uint32_t v) { near.see(error(u, v), u); });
    MESSAGE("log, all: " << text(all));
    MESSAGE("log, 1/2 to 2: " << text(near));
    CHECK(all.error < 1.2e-7);
    CHECK(near.error < 1.2e-7);
    CHECK(number(one(log_of, 1.0f)) == 0.0f);
}

TEST_CASE("exponential")
{
    Largest normal, subnormal;
    const auto exp_of = [](F x) { return exp(x); };
    const double least_normal = static_cast<double>(std::numeric_limits<float>::min());
    const auto see = [&](std::uint32_t u, std::uint32_t v) {
        const double exact = std::exp(static_cast<double>(number(u)));
        const double found = static_cast<double>(number(v));
        if (exact >= least_normal)
            normal.see(std::abs(found / exact - 1.0), u);
        else
            subnormal.see(std::abs(found - exact) * 0x1p149, u);
    };
    sweep(0u, word(88.7f), stride(211, 65537), exp_of, see);
    sweep(minus, word(-104.0f), stride(211, 65537), exp_of, see);
    sweep(word(0.25f), word(88.7f), stride(29, 4099), exp_of, see);
    sweep(word(-0.25f), word(-104.0f), stride(29, 4099), exp_of, see);
    sweep(word(-87.0f), word(-104.0f), stride(1, 67), exp_of, see);
    MESSAGE("exp, relative: " << text(normal));
    MESSAGE("exp, subnormal results, in units of the last place: " << text(subnormal));
    CHECK(normal.error < 1.3e-7);
    CHECK(subnormal.error < 1.0);
    CHECK(one(exp_of, 0.0f) == word(1.0f));
    CHECK(one(exp_of, -0.0f) == word(1.0f));
    const float infinity = std::numeric_limits<float>::infinity();
    for (const float x : {-104.0f, -104.00001f, -1000.0f, -3e38f, -infinity})
        CHECK(one(exp_of, x) == word(0.0f));
    const std::uint32_t top = one(exp_of, 88.7f);
    CHECK(number(top) < infinity);
    for (const float x : {88.70001f, 89.0f, 1000.0f, 3e38f, infinity})
        CHECK(one(exp_of, x) == top);
}

TEST_CASE("inverse normal distribution")
{
    Largest distance, tail, value;
    std::uint64_t not_odd = 0;
    const auto normal_of = [](F k) { return inverse_normal(bits(k)); };
    // Measured in the nearer tail, where nothing cancels.
    const auto see = [&](std::uint32_t k, std::uint32_t v) {
        const double q = (static_cast<double>(k < minus ? k : ~k) + 0.5) * 0x1p-32;
        const double z = static_cast<double>(number(v)) * (k < minus ? 1.0 : -1.0);
        const double error = test::normal_cdf(z) - q;
        distance.see(std::abs(error), k);
        if (q < 0.01)
            tail.see(std::abs(error / q), k);
        const double density = std::exp(-0.5 * z * z) / std::sqrt(2.0 * pi);
        value.see(std::abs(error / density) / std::max(1.0, std::abs(z)), k);
    };
    sweep(0u, 0xffffffffu, long_run() ? 7 : stride(1021, 262147), normal_of, see);
    sweep(0u, 100000u, 1, normal_of, see);
    sweep(0xffffffffu - 100000u, 0xffffffffu, 1, normal_of, see);
    sweep(minus - 1000u, minus + 1000u, 1, normal_of, see);
    std::uint32_t low[lot], high[lot], low_value[lot], high_value[lot];
    test::RandomNumbers numbers(1);
    for (std::uint32_t round = 0; round < (slow_build ? 2000u : 20000u); ++round) {
        for (std::uint32_t i = 0; i < lot; ++i) {
            low[i] = round < 100 ? round * lot + i : numbers.word();
            high[i] = ~low[i];
        }
        evaluate(low, low_value, normal_of);
        evaluate(high, high_value, normal_of);
        for (unsigned i = 0; i < lot; ++i)
            not_odd += low_value[i] != (high_value[i] ^ minus) ? 1u : 0u;
    }
    MESSAGE("inverse normal, CDF: " << text(distance));
    MESSAGE("inverse normal, relative in tails below 1/100: " << text(tail));
    MESSAGE("inverse normal, value, relative beyond 1: " << text(value));
    CHECK(distance.error < 1.2e-7);
    // The tails by themselves: a CDF error of 1.2e-7 would say nothing of the first 500 words.
    CHECK(tail.error < 1e-5);
    CHECK(value.error < 1e-6);
    CHECK(not_odd == 0);
}

TEST_CASE("square root is correctly rounded")
{
    std::uint64_t wrong = 0, wrong_by_integers = 0;
    const auto root_of = [](F x) { return sqrt(x); };
    // Rounding the root in double once more is harmless: 53 >= 2 * 24 + 2.
    const auto see = [&](std::uint32_t u, std::uint32_t v) {
        const std::uint32_t exact = word(static_cast<float>(std::sqrt(static_cast<double>(number(u)))));
        wrong += v != exact ? 1u : 0u;
        wrong_by_integers += word(sqrt_by_integers(number(u))) != exact ? 1u : 0u;
        wrong_by_integers += word(sqrt_scalar(number(u))) != exact ? 1u : 0u;
    };
    sweep(0u, 0x7f800000u, stride(1021, 65537), root_of, see);
    sweep(0u, 0x00800000u, stride(101, 8209), root_of, see);
    sweep(word(1.0f), word(4.0f), stride(37, 8209), root_of, see);
    for (std::uint32_t i = 1; i < 8192; ++i) // squares and their neighbours
        sweep(word(static_cast<float>(i * i)) - 1, word(static_cast<float>(i * i)) + 1, 1, root_of, see);
    CHECK(wrong == 0);
    CHECK(wrong_by_integers == 0);
    CHECK(one(root_of, 0.0f) == 0u);
    CHECK(one(root_of, -0.0f) == minus);
    CHECK(one(root_of, std::numeric_limits<float>::infinity()) == 0x7f800000u);
    CHECK(word(sqrt_by_integers(-0.0f)) == minus);
    CHECK(word(sqrt_by_integers(std::numeric_limits<float>::infinity())) == 0x7f800000u);
    const float invalid[] = {-1.0f, -1e-45f, -std::numeric_limits<float>::infinity(),
                             std::numeric_limits<float>::quiet_NaN()};
    for (const float x : invalid) {
        CHECK(is_nan(one(root_of, x)));
        CHECK(is_nan(word(sqrt_by_integers(x))));
    }
}

TEST_CASE("division is correctly rounded")
{
    std::uint64_t wrong = 0;
    for (const float numerator : {1.0f, -3.0f, 0x1.fffffep0f, 0x1.000002p0f, 0x1.6a09e6p-60f, 0x1p-149f, 7e37f}) {
        const auto quotient = [numerator](F x) { return broadcast(numerator) / x; };
        // Rounding the quotient in double once more is harmless for normal results, and exact ties of subnormal ones
        // cannot lie within double's error.
        const auto see = [&](std::uint32_t u, std::uint32_t v) {
            wrong += v != word(static_cast<float>(static_cast<double>(numerator) / static_cast<double>(number(u))))
                         ? 1u
                         : 0u;
        };
        sweep(1u, 0x7f800000u, stride(8209, 262147), quotient, see);
        sweep(word(1.0f), word(2.0f), stride(997, 65537), quotient, see);
    }
    CHECK(wrong == 0);
}

TEST_CASE("rounding to integers is nearbyint's")
{
    std::uint64_t wrong = 0;
    const auto rounded = [](F x) { return round_to_integer(x); };
    const auto see = [&](std::uint32_t u, std::uint32_t v) { wrong += v != word(std::nearbyint(number(u))) ? 1u : 0u; };
    for (const std::uint32_t sign : {0u, minus}) {
        sweep(sign, sign | 0x7f800000u, stride(1021, 65537), rounded, see);
        sweep(sign | word(0.25f), sign | word(0x1p25f), stride(101, 8209), rounded, see);
        for (std::uint32_t i = 0; i < 20000; ++i) { // ties and their neighbours
            const std::uint32_t tie = sign | word(static_cast<float>(i) + 0.5f);
            sweep(tie - 1, tie + 1, 1, rounded, see);
        }
        for (std::uint32_t i = 0; i < 1000; ++i) {
            const std::uint32_t edge = sign | (word(0x1p22f) - 500 + i), later = sign | (word(0x1p23f) - 500 + i);
            sweep(edge, edge, 1, rounded, see);
            sweep(later, later, 1, rounded, see);
        }
    }
    CHECK(wrong == 0);
}

namespace {

struct Triple {
    std::uint32_t a, b, c;
};

// Compares fma in all its forms with the C library's, which is correctly rounded.
class FmaCases {
public:
    void add(std::uint32_t a, std::uint32_t b, std::uint32_t c)
    {
        held_[filled_++] = {a, b, c};
        if (filled_ == lot)
            flush();
    }
    void add(float a, float b, float c) { add(word(a), word(b), word(c)); }
    void flush()
    {
        if (filled_ == 0)
            return;
        for (unsigned i = filled_; i < lot; ++i)
            held_[i] = held_[0];
        std::uint32_t a[lot], b[lot], c[lot], out[lot];
        for (unsigned i = 0; i < lot; ++i) {
            a[i] = held_[i].a;
            b[i] = held_[i].b;
            c[i] = held_[i].c;
        }
        for (unsigned i = 0; i < lot; i += F::size)
            store(out + i, bits(fma(from_bits(load(a + i)), from_bits(load(b + i)), from_bits(load(c + i)))));
        for (unsigned i = 0; i < filled_; ++i) {
            const float x = number(a[i]), y = number(b[i]), z = number(c[i]);
            const std::uint32_t exact = word(__builtin_fmaf(x, y, z));
            see(of_packs, out[i], exact, held_[i]);
            see(by_integers, word(fma_by_integers(x, y, z)), exact, held_[i]);
            see(through_double, word(fma_through_double(x, y, z)), exact, held_[i]);
            see(scalar_form, word(fma_scalar(x, y, z)), exact, held_[i]);
            ++cases;
            subnormal += (exact & 0x7fffffffu) - 1u < 0x7fffffu ? 1u : 0u;
            infinite += (exact & 0x7fffffffu) == 0x7f800000u ? 1u : 0u;
            const double sum = static_cast<double>(x) * static_cast<double>(y) + static_cast<double>(z);
            differs_from_two_roundings += !same(exact, word(x * y + z)) ? 1u : 0u;
            differs_from_double += !same(exact, word(static_cast<float>(sum))) ? 1u : 0u;
        }
        filled_ = 0;
    }

    struct Wrong {
        std::uint64_t count = 0;
        Triple first{};
    };
    Wrong of_packs, by_integers, through_double, scalar_form;
    std::uint64_t cases = 0, subnormal = 0, infinite = 0, differs_from_two_roundings = 0, differs_from_double = 0;

    void check()
    {
        flush();
        check(of_packs, "packs");
        check(by_integers, "by integers");
        check(through_double, "through double");
        check(scalar_form, "scalar");
    }

private:
    static void see(Wrong& wrong, std::uint32_t found, std::uint32_t exact, Triple t)
    {
        if (!same(found, exact) && wrong.count++ == 0)
            wrong.first = t;
    }
    static void check(const Wrong& wrong, const char* name)
    {
        std::ostringstream text;
        text << name << ", first at " << std::hexfloat << number(wrong.first.a) << " " << number(wrong.first.b) << " "
             << number(wrong.first.c);
        INFO(text.str());
        CHECK(wrong.count == 0);
    }
    Triple held_[lot];
    unsigned filled_ = 0;
};

std::uint32_t parts(std::uint32_t sign, std::uint32_t exponent, std::uint32_t fraction)
{
    return (sign & 1u) << 31 | (exponent & 0xffu) << 23 | (fraction & 0x7fffffu);
}

constexpr std::uint32_t each_kind() { return slow_build ? 40000u : 500000u; }

} // namespace

TEST_CASE("fma of random numbers of all exponents")
{
    test::RandomNumbers numbers(2);
    FmaCases cases;
    const std::uint32_t count = long_run() ? 200000000u : each_kind() * 4;
    for (std::uint32_t i = 0; i < count; ++i)
        cases.add(numbers.word(), numbers.word(), numbers.word());
    // The same with an addend of the product's size, which all exponents alone seldom give.
    for (std::uint32_t i = 0; i < count; ++i) {
        const std::uint32_t a = numbers.word(), b = numbers.word(), c = numbers.word();
        const int near = static_cast<int>((a >> 23) & 0xffu) + static_cast<int>((b >> 23) & 0xffu) - 127 +
                         static_cast<int>(numbers.below(61)) - 30;
        cases.add(a, b, parts(c, static_cast<std::uint32_t>(near < 0 ? 0 : near > 254 ? 254 : near), c >> 3));
    }
    cases.check();
    CHECK(cases.differs_from_two_roundings > cases.cases / 100);
}

TEST_CASE("fma at ties and beside them")
{
    test::RandomNumbers numbers(3);
    FmaCases cases;
    for (std::uint32_t i = 0; i < each_kind(); ++i) {
        // Few bits in each: sums that end in a tie or exactly one far bit beside it.
        const auto few = [&](std::uint32_t exponent) {
            const std::uint32_t kept = numbers.below(13);
            const std::uint32_t fraction = numbers.word() & (0x7fffffu << (23 - kept));
            return parts(numbers.word(), exponent, fraction);
        };
        const std::uint32_t ea = 64 + numbers.below(126), eb = 64 + numbers.below(126);
        const int near = static_cast<int>(ea + eb) - 127 + static_cast<int>(numbers.below(57)) - 28;
        const std::uint32_t ec = static_cast<std::uint32_t>(near < 0 ? 0 : near > 254 ? 254 : near);
        cases.add(few(ea), few(eb), few(ec));
        // (1 + 2^-k)(1 - 2^-k) = 1 - 2^-2k beside half a last place of an addend in [2^24, 2^25): a tie, once the sum
        // has been rounded to double
        const std::uint32_t step = 14 + numbers.below(10), up = 1u << (23 - step), down = 2u << (23 - step);
        const std::uint32_t size = 100 + numbers.below(55), signs = numbers.word();
        cases.add(parts(signs, 127, up), word(1.0f) - down, parts(signs >> 1, 127 + 24, signs >> 2));
        cases.add(parts(signs, size, up), word(1.0f) - down, parts(signs >> 1, size + 24, signs >> 2));
        // a square just above it, and the last place itself
        cases.add(parts(signs, size, up), word(1.0f) + up, parts(signs >> 1, size + 24, signs >> 2));
        // a product just beside half a last place: (2^12 + 1)(2^12 - 1) = 2^24 - 1, (2^12 + 1)^2 = 2^24 + 2^13 + 1
        const float scale = std::ldexp(1.0f, static_cast<int>(numbers.below(80)) - 40);
        const float big = std::ldexp(static_cast<float>(0x800000u | numbers.word() >> 9), 25) * scale;
        const float half = static_cast<float>(4096 + static_cast<int>(numbers.below(3)) - 1) * scale;
        cases.add(half, numbers.below(2) == 0 ? 4097.0f : 4095.0f, numbers.below(2) == 0 ? big : -big);
        cases.add(half, numbers.below(2) == 0 ? 4096.0f : -4096.0f, numbers.below(2) == 0 ? big : -big);
    }
    cases.check();
    // Without these the form through double would pass even without its rounding to odd.
    CHECK(cases.differs_from_double > cases.cases / 1000);
}

TEST_CASE("fma with cancellation")
{
    test::RandomNumbers numbers(4);
    FmaCases cases;
    for (std::uint32_t i = 0; i < each_kind(); ++i) {
        const float a = number(parts(numbers.word(), 66 + numbers.below(120), numbers.word()));
        const float b = number(parts(numbers.word(), 66 + numbers.below(120), numbers.word()));
        const float product = a * b;
        const std::uint32_t nudge = numbers.below(7);
        cases.add(a, b, -product);
        cases.add(word(a), word(b), word(-product) + nudge - 3);
        cases.add(a, b, number(word(product) + nudge) * -0.5f);
        cases.add(a, b, number(word(product) - nudge) * -2.0f);
    }
    cases.check();
    CHECK(cases.differs_from_two_roundings > cases.cases / 4);
}

TEST_CASE("fma with subnormal numbers and results")
{
    test::RandomNumbers numbers(5);
    FmaCases cases;
    for (std::uint32_t i = 0; i < each_kind(); ++i) {
        // Products from 2^-180 to 2^-120, addends from nothing to the first normal ones.
        const std::uint32_t ea = 1 + numbers.below(120);
        const std::uint32_t eb = 254 - 180 + numbers.below(61) > ea ? 254 - 180 + numbers.below(61) - ea : 1;
        const std::uint32_t a = parts(numbers.word(), ea, numbers.word());
        const std::uint32_t b = parts(numbers.word(), eb, numbers.below(2) == 0 ? numbers.word() : 0u);
        cases.add(a, b, parts(numbers.word(), numbers.below(4), numbers.word()));
        cases.add(a, b, parts(numbers.word(), 0, numbers.below(4)));
        cases.add(a, b, parts(numbers.word(), numbers.below(30), 0));
        // A subnormal factor.
        const std::uint32_t tiny = parts(numbers.word(), 0, numbers.word() >> numbers.below(32));
        cases.add(tiny, parts(numbers.word(), 100 + numbers.below(155), numbers.word()), numbers.word() & 0x8fffffffu);
        cases.add(tiny, parts(numbers.word(), 60 + numbers.below(100), numbers.word()),
                  parts(numbers.word(), numbers.below(3), numbers.word()));
        cases.add(tiny, parts(numbers.word(), 0, numbers.word()), parts(numbers.word(), 0, numbers.word()));
    }
    cases.check();
    CHECK(cases.subnormal > cases.cases / 4);
}

TEST_CASE("fma at the edge of overflow, and special values")
{
    test::RandomNumbers numbers(6);
    FmaCases cases;
    for (std::uint32_t i = 0; i < each_kind(); ++i) {
        const std::uint32_t ea = 100 + numbers.below(155), eb = 127 + 252 + numbers.below(4) - ea;
        const std::uint32_t a = parts(numbers.word(), ea, numbers.word());
        const std::uint32_t b = parts(numbers.word(), eb > 254 ? 254 : eb, numbers.word());
        cases.add(a, b, parts(numbers.word(), 220 + numbers.below(35), numbers.word()));
        // The largest number, with half its last place or nearly so.
        const std::uint32_t largest = 0x7f7fffffu - numbers.below(2), sign = numbers.word() & minus;
        const std::uint32_t half = parts(0, 127 + 100 + numbers.below(5), 0);
        const std::uint32_t factor = parts(0, 129, 0) + numbers.below(3) - 1;
        cases.add(half ^ sign, factor, largest ^ sign);
        cases.add(half ^ sign, factor, largest ^ sign ^ minus);
        // A product that overflows by itself and is brought back.
        cases.add(parts(0, 190, numbers.word()) ^ sign, parts(0, 191 + numbers.below(2), numbers.word() >> 9),
                  largest ^ sign ^ minus);
    }
    const float infinity = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();
    const float values[] = {0.0f,     -0.0f, 1.0f,      -1.0f,     1e-45f,   -1e-45f,  1.17549435e-38f, -3.4028235e38f,
                            infinity, nan,   -infinity, 0x1p-100f, 0x1p100f, 0x1p-75f, -0x1p-75f,       3.4028235e38f};
    for (const float a : values)
        for (const float b : values)
            for (const float c : values)
                cases.add(a, b, c);
    cases.check();
    CHECK(cases.infinite > cases.cases / 20);
    CHECK(cases.infinite < cases.cases * 3 / 4);
}

} // namespace samara::SAMARA_ARCH
