// The maps of networks: their expectation where it is known, how their errors fall, and their contracts.
#include <doctest/doctest.h>

#include "contracts.hpp"
#include "expectation.hpp"

namespace {

using namespace samara;
using measure::check_contracts;
using measure::check_mean;
using measure::check_mean_of;
using measure::same_as_fixed;

double length(std::span<const float> x)
{
    double sum = 0.0;
    for (const float v : x)
        sum += static_cast<double>(v) * static_cast<double>(v);
    return std::sqrt(sum);
}

double cosine(std::span<const float> x, std::span<const float> y)
{
    double sum = 0.0;
    for (std::size_t i = 0; i < x.size(); ++i)
        sum += static_cast<double>(x[i]) * static_cast<double>(y[i]);
    const double lengths = length(x) * length(y);
    return lengths > 0.0 ? sum / lengths : 0.0;
}

NtkPolySpec poly(std::uint32_t inputs, std::uint32_t features, std::uint32_t depth, std::uint32_t degree, Rows rows,
                 Orders orders)
{
    return {.inputs = inputs,
            .features = features,
            .depth = depth,
            .degree = degree,
            .rows = rows,
            .orders = orders,
            .coefficients = ntk_poly_coefficients(depth, degree)};
}

double polynomial(const Coefficients& c, double a)
{
    double sum = 0.0;
    for (std::uint32_t j = c.count; j > 0; --j)
        sum = sum * a + static_cast<double>(c.c[j - 1]);
    return sum;
}

const measure::Points& points()
{
    static const measure::Points p = measure::read_points(SAMARA_TEST_DATA "/unit_200x64.csv");
    return p;
}

} // namespace

TEST_CASE("depth 1: ntk and nngp are unbiased in every kind of row, sketch and order")
{
    for (std::uint32_t d : {2u, 3u, 5u, 17u}) {
        for (Rows rows : {Rows::dense, Rows::hadamard, Rows::unit}) {
            const double bias = rows == Rows::hadamard ? 2e-3 : 0.0;
            for (Orders orders : {Orders::none, Orders::one, Orders::two}) {
                const std::uint32_t pairs = orders == Orders::two ? d * (d + 1) / 2 : 0;
                check_mean("nngp", NngpSpec{.inputs = d, .features = 80 + pairs, .rows = rows, .orders = orders}, bias);
                for (NtkTensor sketch : {NtkTensor::srht, NtkTensor::count})
                    check_mean("ntk",
                               NtkSpec{.inputs = d,
                                       .features = (orders == Orders::none ? 0 : d + 1 + pairs) + 80,
                                       .step = 48,
                                       .relu = 32,
                                       .tensor = 48,
                                       .sketch = sketch,
                                       .rows = rows,
                                       .orders = orders},
                               bias);
            }
        }
        check_mean("naive", NtkSpec{.inputs = d,
                                    .features = 8 + 8 * d,
                                    .step = 8,
                                    .relu = 8,
                                    .sketch = NtkTensor::none,
                                    .rows = Rows::dense});
    }
    // One sweep from an exact start is off by .1 in two inputs; 50 have forgotten it.
    check_mean("gibbs", NtkSpec{.inputs = 3, .features = 64, .rows = Rows::gibbs, .orders = Orders::none, .sweeps = 50},
               1e-3);
}

TEST_CASE("ntk-poly estimates its polynomial")
{
    const auto try_spec = [](const NtkPolySpec& spec) {
        const auto truth = [&](auto x, auto y) {
            return length(x) * length(y) * polynomial(spec.coefficients, cosine(x, y));
        };
        // Of few seeds the spread says too little about the tails.
        check_mean_of("ntk-poly", spec, truth, measure::quick ? 0.1 : 0.0);
    };
    for (Orders orders : {Orders::none, Orders::one, Orders::two})
        for (std::uint32_t d : {3u, 17u}) {
            const std::uint32_t features = d + 1 + (orders == Orders::two ? d * (d + 1) / 2 : 0) + 300;
            for (std::uint32_t degree : {2u, 3u})
                try_spec(poly(d, features, 2, degree, Rows::dense, orders));
            // The kernel's own last coefficient is so large that 180,000 rows do not know its mean: smaller ones.
            NtkPolySpec high = poly(d, features, 2, 7, Rows::dense, orders);
            high.coefficients = {{0.5f, 0.4f, 0.3f, 0.2f, 0.1f, 0.05f, 0.02f, 0.005f}, 8};
            try_spec(high);
        }
}

TEST_CASE("ntk-sketch without the diagonal's mending estimates the kernel cut off")
{
    for (PolyBase base : {PolyBase::srht, PolyBase::osnap})
        for (std::uint32_t p : {0u, 1u})
            check_mean_of(
                "ntk-sketch",
                NtkSketchSpec{.inputs = 5,
                              .features = 64,
                              .relu_degree = p,
                              .step_degree = p,
                              .relu = 48,
                              .tensor = 80,
                              .fix_diagonal = false,
                              .base = base,
                              .rows = p == 0 ? Rows::hadamard : Rows::dense},
                [&](auto x, auto y) { return ntk_taylor_kernel(x, y, 1, p, p, false); }, 0.02);
}

TEST_CASE("ntk-sketch with exact orders is unbiased for one layer")
{
    for (PolyBase base : {PolyBase::srht, PolyBase::osnap})
        for (std::uint32_t p : {0u, 1u, 2u})
            for (std::uint32_t d : {2u, 5u, 17u})
                check_mean_of("ntk-sketch, orders 1",
                              NtkSketchSpec{.inputs = d,
                                            .features = d + 1 + 80,
                                            .relu_degree = p,
                                            .step_degree = 3 - p,
                                            .base = base,
                                            .orders = Orders::one},
                              [&](auto x, auto y) { return ntk_taylor_kernel(x, y, 1, p, 3 - p, true); });
}

TEST_CASE("the polynomial of ntk-poly is the kernel's power series, exact on the diagonal")
{
    constexpr double pi = 3.14159265358979323846;
    const Coefficients first = ntk_poly_coefficients(1, 8, Remainder::last);
    CHECK(first.count == 9);
    const double known[] = {1 / pi, 1.0, 1.5 / pi, 0.0, 5.0 / (24 * pi), 0.0, 7.0 / (80 * pi), 0.0};
    for (int j = 0; j < 8; ++j)
        CHECK(static_cast<double>(first.c[j]) == doctest::Approx(known[j]).epsilon(1e-6));
    for (std::uint32_t depth : {1u, 2u, 3u, 7u, 16u, 32u})
        for (std::uint32_t degree : {2u, 9u, 32u}) {
            for (const Remainder remainder : {Remainder::spread, Remainder::last}) {
                const Coefficients c = ntk_poly_coefficients(depth, degree, remainder);
                CAPTURE(depth);
                CAPTURE(degree);
                CHECK(polynomial(c, 1.0) == doctest::Approx(depth + 1.0).epsilon(1e-6));
                for (const float v : c.c)
                    CHECK(v >= 0.0f);
                // What was put elsewhere is at most all of the upper half there.
                double moved = 0.0;
                for (std::uint32_t j = degree / 2 + 1; j <= degree; ++j)
                    moved += static_cast<double>(c.c[j]) * std::pow(0.3, j);
                CHECK(std::abs(polynomial(c, 0.3) - ntk_of_cosine(0.3, depth)) <= moved + 3e-6 * (depth + 1));
            }
        }
    CHECK(ntk_poly_coefficients(0, 8).count == 0);
    CHECK(ntk_poly_coefficients(1, 33).count == 0);
}

TEST_CASE("exact orders of every layer lower the error by at least the factors measured for them")
{
    for (std::uint32_t depth : {1u, 2u, 3u}) {
        if (measure::quick && depth > 1)
            break;
        NtkSpec none{.inputs = 64, .features = 1024, .depth = depth, .orders = Orders::none}, one = none;
        one.orders = Orders::one;
        const double without = measure::errors_over_seeds(none, points(), 10).mean,
                     with = measure::errors_over_seeds(one, points(), 10).mean,
                     by_poly = measure::errors_over_seeds(poly(64, 1024, depth, 32, Rows::hadamard, Orders::one),
                                                          points(), 10)
                                   .mean;
        MESSAGE("depth ", depth, ": orders none ", without, ", orders 1 ", with, ", ntk-poly ", by_poly);
        CHECK(without >= 2.0 * with);
        CHECK(without >= 2.0 * by_poly);
    }
}

TEST_CASE("products of two inputs, carried exactly, lower the errors for few inputs")
{
    const measure::Points p = measure::random_directions(60, 9);
    const auto gain = [&](auto spec, double least) {
        spec.orders = Orders::one;
        const double one = measure::errors_over_seeds(spec, p, 10).mean;
        spec.orders = Orders::two;
        const double two = measure::errors_over_seeds(spec, p, 10).mean;
        MESSAGE("depth ", spec.depth, ": orders 1 ", one, ", 2 ", two);
        CHECK(one >= least * two);
    };
    for (std::uint32_t depth : {1u, 2u, 3u}) {
        if (measure::quick && depth > 1)
            break;
        gain(NngpSpec{.inputs = 9, .features = 512, .depth = depth}, 3.0);
        gain(NtkSpec{.inputs = 9, .features = 512, .depth = depth}, depth == 1 ? 2.2 : 1.25);
        gain(poly(9, 512, depth, 32, Rows::dense, Orders::one), 1.2);
    }
}

TEST_CASE("with the quadratic order deep layers tend to the right kernel")
{
    if (measure::quick)
        return;
    // The mean over seeds shows a wrong weight of any part, the spread hides it.
    const measure::Points p = measure::random_directions(40, 5);
    for (Rows rows : {Rows::dense, Rows::unit})
        for (std::uint32_t depth : {2u, 3u, 5u}) {
            const auto close = [&](auto spec, double most) {
                const measure::Errors few = measure::errors_over_seeds(spec, p, 40);
                CAPTURE(depth);
                CHECK(few.of_mean_kernel <= most);
                CHECK(few.of_mean_kernel <= 0.35 * few.mean);
            };
            close(NngpSpec{.inputs = 5, .features = 1024, .depth = depth, .rows = rows, .orders = Orders::two}, 0.002);
            for (NtkTensor sketch : {NtkTensor::srht, NtkTensor::count})
                close(NtkSpec{.inputs = 5,
                              .features = 1024,
                              .depth = depth,
                              .sketch = sketch,
                              .rows = rows,
                              .orders = Orders::two},
                      0.02);
        }
}

TEST_CASE("errors fall like 1/sqrt(features) towards the right kernel")
{
    if (measure::quick)
        return;
    const auto falls = [](const char* name, auto spec, double least) {
        spec.features = 512;
        const double few = measure::errors_over_seeds(spec, points(), 12).mean;
        spec.features = 8192;
        const double many = measure::errors_over_seeds(spec, points(), 3).mean;
        MESSAGE(std::string(name), ": 512 features ", few, ", 8,192 ", many);
        CHECK(few >= least * many); // 4 if it falls like the root of 16
    };
    falls("ntk depth 2, orders none", NtkSpec{.inputs = 64, .depth = 2, .orders = Orders::none}, 2.8);
    falls("ntk depth 3", NtkSpec{.inputs = 64, .depth = 3}, 3.2);
    falls("nngp depth 3", NngpSpec{.inputs = 64, .depth = 3}, 3.2);
    falls("ntk-poly depth 1", poly(64, 512, 1, 32, Rows::hadamard, Orders::one), 2.8);
}

TEST_CASE("ntk-sketch comes near the kernel cut off, and the mended one to the kernel's diagonal")
{
    const auto error = [](bool fix, std::uint32_t size, std::uint32_t many) {
        NtkSketchSpec spec = resolve(NtkSketchSpec{.inputs = 64,
                                                   .features = size,
                                                   .depth = 2,
                                                   .relu_degree = 2,
                                                   .step_degree = 2,
                                                   .fix_diagonal = fix,
                                                   .orders = Orders::none});
        const measure::Points& p = points();
        std::vector<double> truth;
        for (std::size_t i = 0; i < p.count; ++i)
            for (std::size_t j = 0; j < p.count; ++j)
                truth.push_back(ntk_taylor_kernel(p.row(i), p.row(j), 2, 2, 2, fix));
        double sum = 0.0;
        for (spec.seed = 0; spec.seed < many; ++spec.seed)
            sum += measure::relative_error(truth, measure::gram(spec, p));
        return sum / many;
    };
    // The reference, with OSNAP and independent normals at the end, is at .26 with 1,024 numbers (p = 4).
    CHECK(error(true, 1024, measure::quick ? 1 : 5) <= 0.15);
    CHECK(error(false, 1024, measure::quick ? 1 : 5) <= 0.2);
    if (!measure::quick) {
        const double few = error(true, 256, 8), many = error(true, 4096, 2);
        MESSAGE("256: ", few, ", 4,096: ", many);
        CHECK(few >= 2.5 * many);
    }
}

TEST_CASE("the bias of two layers falls with their width")
{
    if (measure::quick)
        return;
    // E of the diagonal is right at any width; off it two layers see too small a kernel, arXiv 2104.01351's limit.
    const std::vector<float> x = {1.0f, 0.0f}, y = {0.0f, 1.0f};
    const auto mean = [&](std::uint32_t width) {
        NngpSpec spec =
            resolve(NngpSpec{.inputs = 2, .features = width, .depth = 2, .rows = Rows::dense, .orders = Orders::none});
        std::vector<float> a(width), b(width);
        std::vector<std::byte> work(workspace_bytes(spec));
        double sum = 0.0;
        constexpr unsigned draws = 60000;
        for (spec.seed = 0; spec.seed < draws; ++spec.seed) {
            REQUIRE(features(spec, x, a, work) == Status::ok);
            REQUIRE(features(spec, y, b, work) == Status::ok);
            for (std::size_t i = 0; i < width; ++i)
                sum += static_cast<double>(a[i]) * static_cast<double>(b[i]) / draws;
        }
        return sum;
    };
    const double exact = nngp_kernel(x, y, 2), at4 = exact - mean(4), at16 = exact - mean(16);
    MESSAGE("width 4: ", at4, ", 16: ", at16);
    CHECK(at4 > 0.02);
    CHECK(at16 > 0.0);
    CHECK(at4 / at16 >= 2.5); // 4 but for higher orders
    CHECK(at4 / at16 <= 6.0);
}

TEST_CASE("contracts of the maps of one block")
{
    for (Rows rows : {Rows::dense, Rows::hadamard, Rows::unit, Rows::gibbs})
        for (std::uint32_t depth : {1u, 2u, 5u}) {
            if (rows != Rows::gibbs) {
                check_contracts(
                    NngpSpec{.inputs = 11, .features = 103, .depth = depth, .rows = rows, .orders = Orders::two});
                for (NtkTensor sketch : {NtkTensor::srht, NtkTensor::count})
                    check_contracts(NtkSpec{.inputs = 11,
                                            .features = 203,
                                            .depth = depth,
                                            .sketch = sketch,
                                            .rows = rows,
                                            .orders = Orders::two});
            }
            const Orders orders = rows == Rows::gibbs ? Orders::none : Orders::one;
            check_contracts(NngpSpec{.inputs = 17, .features = 103, .depth = depth, .rows = rows, .orders = orders});
            for (NtkTensor sketch : {NtkTensor::srht, NtkTensor::count}) {
                check_contracts(NtkSpec{
                    .inputs = 17, .features = 203, .depth = depth, .sketch = sketch, .rows = rows, .orders = orders});
                check_contracts(NtkSpec{.inputs = 17,
                                        .features = 203,
                                        .depth = depth,
                                        .sketch = sketch,
                                        .rows = rows,
                                        .orders = Orders::none});
            }
        }
    check_contracts(NtkSpec{.inputs = 5, .features = 203, .depth = 3, .sketch = NtkTensor::none});
    check_contracts(NngpSpec{.inputs = 17, .features = 64, .depth = 3, .orders = Orders::none});
    for (PolyBase base : {PolyBase::srht, PolyBase::osnap})
        for (bool fix : {false, true})
            for (std::uint32_t p : {0u, 1u, 3u})
                check_contracts(NtkSketchSpec{.inputs = 17,
                                              .features = 50,
                                              .depth = 2,
                                              .relu_degree = p,
                                              .step_degree = 3 - p,
                                              .relu = 40,
                                              .tensor = 24 + 8 * p,
                                              .relu_powers = 19 * p + 10,
                                              .step_powers = 33,
                                              .fix_diagonal = fix,
                                              .base = base,
                                              .rows = fix ? Rows::dense : Rows::hadamard,
                                              .orders = Orders::none});
    for (std::uint32_t depth : {1u, 2u, 5u})
        for (PolyBase base : {PolyBase::srht, PolyBase::osnap})
            check_contracts(NtkSketchSpec{.inputs = 17,
                                          .features = 203,
                                          .depth = depth,
                                          .relu_degree = depth - 1,
                                          .relu_powers = 30,
                                          .step_powers = 21,
                                          .base = base,
                                          .orders = Orders::one});
}

TEST_CASE("every map as a template argument has the bits of the function")
{
    same_as_fixed<NngpSpec{.inputs = 20, .features = 90, .depth = 2}>();
    same_as_fixed<NtkSpec{.inputs = 20, .features = 190, .depth = 3}>();
    same_as_fixed<NtkSpec{.inputs = 9, .features = 190, .depth = 3, .orders = Orders::two}>();
    same_as_fixed<NngpSpec{.inputs = 9, .features = 90, .depth = 2, .rows = Rows::unit, .orders = Orders::two}>();
    same_as_fixed<NtkSpec{.inputs = 20, .features = 100, .orders = Orders::none}>();
    same_as_fixed<NtkSpec{.inputs = 20, .features = 120, .sketch = NtkTensor::count, .rows = Rows::unit}>();
    same_as_fixed<NtkSpec{.inputs = 4, .features = 60, .depth = 2, .sketch = NtkTensor::none, .rows = Rows::gibbs}>();
    same_as_fixed<NtkSketchSpec{.inputs = 20, .features = 30, .depth = 2, .rows = Rows::dense}>();
    same_as_fixed<NtkSketchSpec{.inputs = 20, .features = 121, .depth = 2, .orders = Orders::one}>();
    constexpr Coefficients c{{0.5f, 0.25f, 0.125f, 0.0f, 0.125f}, 5};
    same_as_fixed<NtkPolySpec{.inputs = 20, .features = 190, .degree = 4, .coefficients = c}>();
    same_as_fixed<NtkPolySpec{.inputs = 9, .features = 99, .degree = 4, .orders = Orders::two, .coefficients = c}>();
    same_as_fixed<NtkPolySpec{
        .inputs = 20, .features = 19, .degree = 4, .rows = Rows::dense, .orders = Orders::none, .coefficients = c}>();
    same_as_fixed<PolynomialSpec{.inputs = 20, .features = 90}>();
    same_as_fixed<DotSpec{.inputs = 20, .features = 90, .sketch = PowerSketch::count, .coefficients = c}>();
    same_as_fixed<RffSpec{.inputs = 20, .features = 200}>();
    same_as_fixed<ArcCosSpec{.inputs = 20, .features = 101, .order = 0}>();
}

TEST_CASE("a report names the features that mend a spec, or how many it would take")
{
    const auto report = [](NtkSpec spec) {
        spec.inputs = spec.inputs == 0 ? 5 : spec.inputs;
        return check(spec);
    };
    const auto mended = [&](NtkSpec spec) {
        const SpecReport wrong = report(spec);
        CHECK(std::string(wrong.field) == "features");
        spec.features = static_cast<std::uint32_t>(wrong.nearest);
        CHECK(report(spec));
        --spec.features;
        CHECK(!report(spec));
    };
    mended({.features = 1});
    mended({.features = 8, .relu = 2000});
    mended({.features = 1024, .tensor = 2000});
    mended({.features = 2, .sketch = NtkTensor::count});
    for (Orders orders : {Orders::one, Orders::two})
        for (std::uint32_t depth : {1u, 3u})
            mended({.features = 9, .depth = depth, .orders = orders});
    mended({.features = 10, .step = 3, .relu = 4, .sketch = NtkTensor::none});
    CHECK(report({.depth = 3, .step = 1000, .relu = 1000, .sketch = NtkTensor::none}).nearest == 6001001000);
    CHECK(std::string(report({.inputs = 2000, .orders = Orders::two}).field) == "orders");
    CHECK(std::string(check(NngpSpec{.inputs = 2000, .orders = Orders::two}).field) == "orders");
    CHECK(check(NngpSpec{.inputs = 9, .features = 30, .orders = Orders::two}).nearest == 56);
    CHECK(check(NtkPolySpec{.inputs = 9, .features = 30, .orders = Orders::two}).nearest == 56);
}

TEST_CASE("a seed's own worst input makes no feature that is not written")
{
    // x along the signs that the step's PolySketch of the first layer gives the rows which it takes: its 31st power
    // comes near 2^90, where sketches refuse more than 2^40.
    constexpr std::uint32_t d = 1024;
    unsigned refused = 0;
    constexpr int steps = measure::quick ? 100 : 1000;
    for (std::uint64_t seed = 3; seed < 6; ++seed) {
        const NtkSketchSpec spec = resolve(NtkSketchSpec{.inputs = d,
                                                         .features = 1 + d + 8,
                                                         .relu_degree = 0,
                                                         .step_degree = 15,
                                                         .relu = 4,
                                                         .tensor = 4,
                                                         .relu_powers = 4,
                                                         .step_powers = 4,
                                                         .orders = Orders::one,
                                                         .seed = seed});
        REQUIRE(resolved(spec));
        const std::uint64_t poly = stream_key(seed, Domain::ntk_sketch_layers, 1).value;
        const auto key = [&](Domain domain, std::uint64_t index) { return stream_key(poly, domain, index); };
        const std::uint32_t rows[] = {Bijection(key(Domain::poly_rows, 0), d)(0),
                                      Bijection(key(Domain::poly_rows, 1), d)(0)};
        std::vector<float> along(d), noise(d), x(d), z(spec.features);
        for (std::uint64_t i = 0; i < 31; ++i) {
            const StreamKey signs = key(Domain::poly_signs, i < 30 ? (1ull << 32) + i : (2ull << 32) + 15);
            for (std::uint32_t k = 0; k < d; ++k) {
                const bool sign = ((splitmix_output(signs, k / 64) >> (k % 64)) & 1u) != 0,
                           row = (std::popcount(rows[i < 30 ? i % 2 : 1] & k) & 1) != 0;
                along[k] += sign != row ? -1.0f : 1.0f;
            }
        }
        fill_normals(stream_key(seed, Domain::user, 0), noise);
        std::vector<std::byte> work(workspace_bytes(spec));
        for (int step = 0; step <= steps; ++step) {
            const float t = static_cast<float>(step) / static_cast<float>(steps);
            for (std::uint32_t k = 0; k < d; ++k)
                x[k] = t * along[k] + (1.0f - t) * 5.57f * noise[k];
            std::fill(z.begin(), z.end(), NAN);
            const Status status = features(spec, x, z, work);
            CHECK((status == Status::ok || status == Status::overflow));
            refused += status == Status::ok ? 0 : 1;
            CHECK(std::all_of(z.begin(), z.end(), [&](float v) {
                return status == Status::ok ? std::isfinite(v) : std::bit_cast<std::uint32_t>(v) == 0;
            }));
        }
    }
    CHECK(refused > 0);
}

TEST_CASE("sixteen layers neither overflow nor fade")
{
    const measure::Points p = measure::some_points(20);
    const auto diagonal = [&](auto request) {
        const auto spec = resolve(request);
        REQUIRE(resolved(spec));
        const std::vector<double> g = measure::gram(spec, p), k = measure::exact(spec, p);
        for (std::size_t i = 0; i < 5; ++i) {
            CAPTURE(i);
            CHECK(g[7 * i] / k[7 * i] >= 0.5);
            CHECK(g[7 * i] / k[7 * i] <= 2.0);
        }
    };
    diagonal(NngpSpec{.inputs = 20, .features = 1024, .depth = 16});
    diagonal(NtkSpec{.inputs = 20, .features = 4096, .depth = 16});
    diagonal(NtkSpec{.inputs = 20, .features = 4096, .depth = 16, .orders = Orders::none});
}

TEST_CASE("specs of the maps of networks")
{
    const auto field = [](const auto& spec) { return std::string(check(spec).field); };
    CHECK(field(NtkSpec{.inputs = 4, .depth = 17}) == "depth");
    CHECK(field(NtkSpec{.inputs = 4, .rows = Rows::quasi}) == "rows");
    CHECK(field(NtkSpec{.inputs = 4, .rows = Rows::gibbs, .orders = Orders::one}) == "orders");
    CHECK(field(NtkSpec{.inputs = 4, .sketch = NtkTensor::none, .orders = Orders::one}) == "orders");
    const SpecReport sizes = check(NtkSpec{.inputs = 4, .features = 100, .relu = 20, .tensor = 30});
    CHECK(std::string(sizes.field) == "features");
    CHECK(sizes.nearest == 50);
    const SpecReport large =
        check(NtkSpec{.inputs = 64, .depth = 3, .step = 100, .relu = 10, .sketch = NtkTensor::none});
    CHECK(std::string(large.field) == "features");
    CHECK(large.nearest == 10 * (1 + 100 + 10000) + 64000000ull);
    CHECK(field(NtkSpec{.inputs = 4, .features = 28, .relu = 14, .tensor = 14, .sketch = NtkTensor::count}) ==
          "tensor");
    CHECK(resolve(NtkSpec{.inputs = 64, .features = 2048}).orders == Orders::one);
    CHECK(resolve(NtkSpec{.inputs = 64, .features = 64}).orders == Orders::none);
    const NtkSpec given = resolve(NtkSpec{.inputs = 64, .features = 512, .relu = 256, .tensor = 256});
    CHECK(given.orders == Orders::none);
    CHECK(given.step == 256);
    CHECK(field(NtkSketchSpec{.inputs = 4, .relu = 3}) == "relu");
    CHECK(field(NtkSketchSpec{.inputs = 4, .step_powers = 32769}) == "step-powers");
    CHECK(field(NtkSketchSpec{.inputs = 4, .features = 3}) == "relu");
    CHECK(resolved(resolve(
        NtkSketchSpec{.inputs = 4, .features = 3, .relu = 4, .tensor = 5, .relu_powers = 6, .step_powers = 7})));
    CHECK(field(NtkSketchSpec{.inputs = 4, .rows = Rows::unit}) == "rows");
    CHECK(field(NtkSketchSpec{.inputs = 4, .rows = Rows::dense, .orders = Orders::one}) == "rows");
    CHECK(field(NtkSketchSpec{.inputs = 4, .fix_diagonal = false, .orders = Orders::one}) == "orders");
    CHECK(field(NtkSketchSpec{.inputs = 4, .step_degree = 0, .orders = Orders::one}) == "step-degree");
    CHECK(resolve(NtkSketchSpec{.inputs = 4, .step_degree = 0}).orders == Orders::none);
    CHECK(resolve(NtkSketchSpec{.inputs = 4, .fix_diagonal = false}).orders == Orders::none);
    const NtkSketchSpec sketched = resolve(NtkSketchSpec{.inputs = 64, .features = 1024, .depth = 2});
    CHECK(sketched.orders == Orders::one);
    CHECK(65 + 2 * (sketched.relu + sketched.tensor) == 1023);
    CHECK(check(NtkSketchSpec{.inputs = 64, .features = 1024, .relu = 100, .tensor = 200, .orders = Orders::one})
              .nearest == 365);
    CHECK(field(NtkSketchSpec{.inputs = 4, .relu_degree = 16}) == "relu-degree");
    CHECK(field(NtkPolySpec{.inputs = 4, .degree = 1}) == "degree");
    CHECK(field(NtkPolySpec{.inputs = 4, .degree = 3, .coefficients = {{1.0f}, 1}}) == "coefficients");
    CHECK(!resolved(resolve(NtkPolySpec{.inputs = 4})));
}
