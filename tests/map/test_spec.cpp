// Specs: what is refused and by which name, what is filled in, sizes, layout, and what the functions do with bad input.
#include <doctest/doctest.h>

#include <cstring>
#include <limits>
#include <string_view>

#include "measure.hpp"

namespace {

using namespace samara;

template <class Spec>
std::string_view wrong_field(const Spec& s)
{
    return check(s).field;
}

std::vector<float> some_inputs(std::size_t n)
{
    std::vector<float> x(n);
    fill_uniforms(stream_key(5, Domain::user, n), x);
    return x;
}

} // namespace

TEST_CASE("check names the field that is wrong, and what would mend it")
{
    CHECK(check(RffSpec{.inputs = 5}));
    CHECK(wrong_field(RffSpec{}) == "inputs");
    CHECK(wrong_field(RffSpec{.inputs = most_inputs + 1}) == "inputs");
    CHECK(wrong_field(RffSpec{.inputs = 5, .features = 0}) == "features");
    CHECK(wrong_field(RffSpec{.inputs = 5, .features = 1u << 25}) == "features");
    CHECK(wrong_field(RffSpec{.inputs = 5, .features = 7}) == "features");
    CHECK(check(RffSpec{.inputs = 5, .features = 7}).nearest == 8);
    CHECK(check(RffSpec{.inputs = 5, .features = 7, .form = Form::phase}));
    CHECK(wrong_field(RffSpec{.inputs = 5, .kernel = Kernel::laplacian, .rows = Rows::hadamard}) == "rows");
    CHECK(wrong_field(RffSpec{.inputs = 5, .kernel = Kernel::cauchy, .rows = Rows::fastfood}) == "rows");
    CHECK(wrong_field(RffSpec{.inputs = 5, .rows = Rows::unit}) == "rows");
    CHECK(wrong_field(RffSpec{.inputs = 1025, .rows = Rows::quasi}) == "inputs");
    CHECK(wrong_field(RffSpec{.inputs = 5, .kernel = Kernel::cauchy, .orders = Orders::one}) == "orders");
    CHECK(wrong_field(RffSpec{.inputs = 5, .form = Form::phase, .orders = Orders::one}) == "orders");
    CHECK(wrong_field(RffSpec{.inputs = 64, .features = 66, .orders = Orders::one}) == "features");
    CHECK(check(RffSpec{.inputs = 64, .features = 66, .orders = Orders::one}).nearest == 68);
    CHECK(check(RffSpec{.inputs = 64, .features = 68, .orders = Orders::one}));
    for (float b :
         {0.0f, -1.0f, 1e-12f, 1e12f, std::numeric_limits<float>::infinity(), std::numeric_limits<float>::quiet_NaN()})
        CHECK(wrong_field(RffSpec{.inputs = 5, .bandwidth = b}) == "bandwidth");
    CHECK(check(RffSpec{.inputs = 5, .bandwidth = 0x1p30f}));
    CHECK(check(RffSpec{.inputs = 5, .bandwidth = 0x1p-30f}));

    CHECK(wrong_field(ArcCosSpec{.inputs = 5, .order = 2}) == "order");
    CHECK(wrong_field(ArcCosSpec{.inputs = 5, .rows = Rows::quasi}) == "rows");
    CHECK(wrong_field(ArcCosSpec{.inputs = 5, .rows = Rows::gibbs, .orders = Orders::one}) == "orders");
    CHECK(wrong_field(ArcCosSpec{.inputs = 64, .features = 65, .orders = Orders::one}) == "features");
    CHECK(check(ArcCosSpec{.inputs = 64, .features = 65, .orders = Orders::one}).nearest == 66);
    CHECK(wrong_field(ArcCosSpec{.inputs = 5, .rows = Rows::gibbs, .sweeps = 1001}) == "sweeps");
}

TEST_CASE("resolve fills in rows and orders")
{
    CHECK(resolve(RffSpec{.inputs = 16}).rows == Rows::hadamard);
    CHECK(resolve(RffSpec{.inputs = 15}).rows == Rows::dense);
    CHECK(resolve(RffSpec{.inputs = 16, .kernel = Kernel::cauchy}).rows == Rows::dense);
    CHECK(resolve(ArcCosSpec{.inputs = 16}).rows == Rows::hadamard);
    CHECK(resolve(ArcCosSpec{.inputs = 3}).rows == Rows::dense);
    // inputs + 1 <= features / 4; of rff never, because a spec knows no centre.
    CHECK(resolve(RffSpec{.inputs = 4}).orders == Orders::none);
    CHECK(resolve(RffSpec{.inputs = 4, .orders = Orders::one}).orders == Orders::one);
    CHECK(resolve(ArcCosSpec{.inputs = 784, .features = 3140}).orders == Orders::one);
    CHECK(resolve(ArcCosSpec{.inputs = 784, .features = 3139}).orders == Orders::none);
    CHECK(resolve(NtkPolySpec{.inputs = 784, .features = 3140}).orders == Orders::one);
    CHECK(resolve(NtkPolySpec{.inputs = 784, .features = 3139}).orders == Orders::none);
    CHECK(resolve(NngpSpec{.inputs = 64, .features = 259}).orders == Orders::none);
    CHECK(resolve(NngpSpec{.inputs = 64, .features = 260}).orders == Orders::one);
    CHECK(resolve(PolynomialSpec{.inputs = 64, .features = 260}).orders == Orders::one);
    CHECK(resolve(PolynomialSpec{.inputs = 64, .features = 259}).orders == Orders::none);
    // All of a linear kernel is exact: no features are left to be better spent.
    CHECK(resolve(PolynomialSpec{.inputs = 64, .features = 65, .degree = 1}).orders == Orders::one);
    CHECK(resolve(ArcCosSpec{.inputs = 64, .features = 10}).orders == Orders::none);
    CHECK(resolve(RffSpec{.inputs = 64, .form = Form::phase}).orders == Orders::none);
    CHECK(resolve(RffSpec{.inputs = 64, .kernel = Kernel::laplacian}).orders == Orders::none);
    CHECK(resolve(ArcCosSpec{.inputs = 64, .rows = Rows::gibbs}).orders == Orders::none);
    CHECK(resolve(ArcCosSpec{.inputs = 64, .sweeps = 3}).sweeps == 0);
    CHECK(resolve(ArcCosSpec{.inputs = 64, .rows = Rows::gibbs, .sweeps = 3}).sweeps == 3);
    const RffSpec once = resolve(RffSpec{.inputs = 64});
    CHECK(resolve(once) == once);
    CHECK(resolved(once));
    CHECK_FALSE(resolved(RffSpec{.inputs = 64}));
    CHECK_FALSE(resolved(RffSpec{.inputs = 64, .features = 3}));
}

TEST_CASE("the workspace for 784 inputs is below 12 KiB whatever the number of features, and is not overrun")
{
    CHECK(workspace_bytes(resolve(RffSpec{.inputs = 784})) <= 12 * 1024);
    CHECK(workspace_bytes(resolve(RffSpec{.inputs = 784})) ==
          workspace_bytes(resolve(RffSpec{.inputs = 784, .features = 1u << 20})));
    CHECK(workspace_bytes(resolve(ArcCosSpec{.inputs = 784})) <= 12 * 1024);

    const auto paint = [](auto request) {
        const auto spec = resolve(request);
        const std::size_t bytes = workspace_bytes(spec), samples = 3;
        std::vector<std::byte> work(bytes + 64, std::byte{0xa5});
        std::vector<float> x = some_inputs(samples * spec.inputs), z(samples * spec.features + 16, 77.0f);
        CHECK(features(spec, x, std::span(z).first(samples * spec.features), samples, std::span(work).first(bytes)) ==
              Status::ok);
        for (std::size_t i = bytes; i < work.size(); ++i)
            CHECK(work[i] == std::byte{0xa5});
        for (std::size_t i = samples * spec.features; i < z.size(); ++i)
            CHECK(z[i] == 77.0f);
        if (bytes > 0)
            CHECK(features(spec, x, std::span(z).first(samples * spec.features), samples,
                           std::span(work).first(bytes - 1)) == Status::small_workspace);
    };
    for (std::uint32_t d : {1u, 17u, 64u, 65u, 300u}) {
        for (Rows rows : {Rows::hadamard, Rows::dense, Rows::fastfood, Rows::quasi})
            paint(RffSpec{.inputs = d, .features = 600, .rows = rows});
        for (Rows rows : {Rows::hadamard, Rows::dense, Rows::unit, Rows::gibbs})
            paint(ArcCosSpec{.inputs = d, .features = 600, .rows = rows});
    }
}

TEST_CASE("rows do not depend on the number of features")
{
    const auto prefix = [](auto small, auto large, float ratio) {
        small = resolve(small);
        large = resolve(large);
        measure::Points p{1, small.inputs, some_inputs(small.inputs)};
        const std::vector<float> a = measure::features_of(small, p), b = measure::features_of(large, p);
        REQUIRE(a.size() == small.features);
        for (std::size_t i = 0; i < a.size(); ++i)
            CHECK(static_cast<double>(a[i]) == doctest::Approx(static_cast<double>(b[i] * ratio)).epsilon(1e-6));
    };
    for (Rows rows : {Rows::hadamard, Rows::dense, Rows::fastfood, Rows::quasi}) {
        // pairs: whole blocks of 64 rows, 128 features
        prefix(RffSpec{.inputs = 20, .features = 256, .rows = rows, .orders = Orders::none},
               RffSpec{.inputs = 20, .features = 1024, .rows = rows, .orders = Orders::none}, 2.0f);
        prefix(RffSpec{.inputs = 20, .features = 100, .form = Form::phase, .rows = rows, .orders = Orders::none},
               RffSpec{.inputs = 20, .features = 400, .form = Form::phase, .rows = rows, .orders = Orders::none}, 2.0f);
    }
    for (Rows rows : {Rows::hadamard, Rows::dense, Rows::unit, Rows::gibbs})
        prefix(ArcCosSpec{.inputs = 20, .features = 90, .rows = rows, .orders = Orders::none},
               ArcCosSpec{.inputs = 20, .features = 360, .rows = rows, .orders = Orders::none}, 2.0f);
}

TEST_CASE("layout: the constant, x, then by blocks all cosines and all sines; a left-over feature is 0")
{
    const RffSpec spec = resolve(RffSpec{.inputs = 20, .features = 300, .orders = Orders::one, .bandwidth = 4});
    measure::Points p{1, 20, some_inputs(20)};
    const std::vector<float> z = measure::features_of(spec, p);
    double squares = 0.0;
    for (float v : p.values)
        squares += static_cast<double>(v) * static_cast<double>(v);
    const double g = std::exp(-squares / 32);
    CHECK(static_cast<double>(z[0]) == doctest::Approx(g));
    for (std::size_t i = 0; i < 20; ++i)
        CHECK(static_cast<double>(z[1 + i]) == doctest::Approx(g * static_cast<double>(p.values[i]) / 4));
    CHECK(row_count(spec) == 139);
    CHECK(z[299] == 0.0f); // 21 exact, 278 of pairs, one left over

    const RffSpec plain = resolve(RffSpec{.inputs = 20, .features = 128, .orders = Orders::none, .bandwidth = 4});
    const std::vector<float> pairs = measure::features_of(plain, p);
    for (std::size_t j = 0; j < 64; ++j)
        CHECK(static_cast<double>(pairs[j] * pairs[j] + pairs[64 + j] * pairs[64 + j]) == doctest::Approx(1.0 / 64));
}

TEST_CASE("blocks cover the features in order")
{
    const auto cover = [](auto request) {
        const auto spec = resolve(request);
        std::uint32_t next = 0, largest = 0;
        for (std::uint32_t k = 0; k < block_count(spec); ++k) {
            const BlockRange r = block_range(spec, k);
            CHECK(r.first == next);
            CHECK(r.count > 0);
            next += r.count;
            largest = std::max(largest, r.count);
        }
        CHECK(next == spec.features);
        CHECK(largest == largest_block(spec));
    };
    for (std::uint32_t m : {2u, 22u, 24u, 130u, 258u, 1000u}) {
        cover(RffSpec{.inputs = 20, .features = m});
        cover(RffSpec{.inputs = 20, .features = m, .rows = Rows::dense, .orders = Orders::none});
        cover(RffSpec{.inputs = 200, .features = m, .form = Form::phase});
        cover(ArcCosSpec{.inputs = 20, .features = m + 1});
    }
}

TEST_CASE("bad input is refused by name and leaves the output alone")
{
    const RffSpec spec = resolve(RffSpec{.inputs = 20, .features = 100});
    std::vector<float> x = some_inputs(40), z(200, 5.0f);
    alignas(8) static std::byte work[4096];
    const std::vector<float> before = z;
    const auto one = [&](std::size_t d, std::size_t m) {
        return features(spec, std::span(x).first(d), std::span(z).first(m), work);
    };
    CHECK(one(19, 100) == Status::wrong_length);
    CHECK(one(20, 99) == Status::wrong_length);
    CHECK(one(40, 200) == Status::wrong_length);
    CHECK(features(RffSpec{.inputs = 20}, std::span(x).first(20), z, work) == Status::bad_spec);
    CHECK(features(spec, std::span(x).first(20), std::span(z).first(100), std::span(work).subspan(1)) ==
          Status::misaligned);
    CHECK(features(spec, std::span(x).first(20), std::span(z).first(100), std::span(work).first(8)) ==
          Status::small_workspace);
    CHECK(block(spec, block_count(spec), std::span(x).first(20), std::span(z).first(1), work) == Status::wrong_length);
    for (float bad : {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity(),
                      -std::numeric_limits<float>::infinity()}) {
        for (std::size_t at : {std::size_t{0}, std::size_t{19}, std::size_t{37}}) {
            std::vector<float> y = x;
            y[at] = bad;
            CHECK(features(spec, y, z, 2, work) == Status::not_finite);
        }
    }
    x[3] = 0x1.000002p40f;
    CHECK(one(20, 100) == Status::out_of_range);
    CHECK(z == before);
    x[3] = -0x1p40f;
    CHECK(one(20, 100) == Status::ok);
    for (float v : std::span(z).first(100))
        CHECK(std::isfinite(v));
}

TEST_CASE("zero, tiny and huge vectors")
{
    for (Rows rows : {Rows::hadamard, Rows::dense, Rows::unit, Rows::gibbs}) {
        for (std::uint32_t order : {0u, 1u}) {
            for (Orders orders : {Orders::none, Orders::one}) {
                if (rows == Rows::gibbs && orders == Orders::one)
                    continue;
                const ArcCosSpec spec =
                    resolve(ArcCosSpec{.inputs = 20, .features = 100, .order = order, .rows = rows, .orders = orders});
                REQUIRE(resolved(spec));
                measure::Points p{4, 20, std::vector<float>(80)};
                const std::vector<float> x = some_inputs(20);
                for (std::size_t i = 0; i < 20; ++i) {
                    p.values[20 + i] = x[i];
                    p.values[40 + i] = x[i] * 0x1p-90f; // exact
                    p.values[60 + i] = x[i] * 0x1p38f;
                }
                const std::vector<float> z = measure::features_of(spec, p);
                for (std::size_t i = 0; i < 100; ++i) {
                    CHECK(z[i] == 0.0f);
                    // homogeneous to the bit, because the scaling is by powers of two
                    const float scale = order == 1 ? 0x1p-90f : 1.0f, large = order == 1 ? 0x1p38f : 1.0f;
                    CHECK(z[200 + i] == z[100 + i] * scale);
                    CHECK(z[300 + i] == z[100 + i] * large);
                }
            }
        }
    }
}

TEST_CASE("ties of step features are fair")
{
    // One-hot inputs at D = 64 give projections of exactly 0 in 4 % of the rows.
    const ArcCosSpec spec = resolve(
        ArcCosSpec{.inputs = 64, .features = 65536, .order = 0, .rows = Rows::hadamard, .orders = Orders::none});
    measure::Points p{2, 64, std::vector<float>(128)};
    p.values[5] = 1.0f;
    p.values[64 + 5] = -1.0f;
    const std::vector<float> z = measure::features_of(spec, p);
    double on = 0, both = 0, neither = 0;
    for (std::size_t i = 0; i < spec.features; ++i) {
        on += z[i] > 0.0f;
        both += z[i] > 0.0f && z[65536 + i] > 0.0f;
        neither += z[i] == 0.0f && z[65536 + i] == 0.0f;
    }
    CHECK(on / 65536 == doctest::Approx(0.5).epsilon(0.02));
    CHECK(both + neither > 1000); // the ties: x and -x get the same bit there
    CHECK(std::abs(both - neither) < 5 * std::sqrt(both + neither));
}

TEST_CASE("Fixed gives the same features as the functions")
{
    constexpr RffSpec request{.inputs = 20, .features = 100, .seed = 3};
    static Fixed<request> fixed;
    static_assert(sizeof(fixed) == (workspace_bytes(resolve(request)) + 15) / 16 * 16);
    measure::Points p{1, 20, some_inputs(20)};
    const std::vector<float> z = measure::features_of(resolve(request), p);
    float out[100];
    CHECK(fixed.features(std::span<const float, 20>(p.values.data(), 20), out) == Status::ok);
    CHECK(std::memcmp(out, z.data(), sizeof out) == 0);
    float part[decltype(fixed)::block_features];
    for (std::uint32_t k = 0; k < fixed.blocks; ++k) {
        const BlockRange r = block_range(fixed.spec, k);
        CHECK(fixed.block(k, std::span<const float, 20>(p.values.data(), 20), part) == Status::ok);
        CHECK(std::memcmp(part, z.data() + r.first, sizeof(float) * r.count) == 0);
    }
}
