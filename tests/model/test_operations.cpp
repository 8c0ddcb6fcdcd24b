// What a prediction costs: the estimate grows with every field that costs time, counts what is left out too, and does
// not wrap. tests/bench/operations.cpp compares it with time.
#include <doctest/doctest.h>

#include <cstdint>
#include <vector>

#include "small_model.hpp"

using namespace samara;

namespace {

template <class Spec>
std::uint64_t cost(const Spec& request, std::span<const std::byte> rows = {})
{
    const Spec spec = resolve(request);
    REQUIRE(resolved(spec));
    typename Map<Spec>::Data data;
    if constexpr (RowSpec<Spec>)
        data = ChosenRows(rows);
    return operations(spec, data);
}

// A spec whose field is larger costs at least `factor` times as much.
template <class Spec, class Field>
void check_growth(Spec spec, Field Spec::*field, Field larger, double factor)
{
    const std::uint64_t before = cost(spec);
    spec.*field = larger;
    CAPTURE(before);
    CHECK(static_cast<double>(cost(spec)) >= factor * static_cast<double>(before));
}

std::vector<std::byte> numbers(std::initializer_list<std::uint32_t> rows)
{
    std::vector<std::byte> bytes;
    for (const std::uint32_t row : rows)
        for (const unsigned shift : {0u, 8u})
            bytes.push_back(static_cast<std::byte>(row >> shift));
    return bytes;
}

constexpr Rows all_rows[] = {Rows::hadamard, Rows::dense, Rows::fastfood, Rows::quasi, Rows::unit, Rows::gibbs};

} // namespace

TEST_CASE("operations grow with the fields that cost time")
{
    for (const Rows rows : {Rows::hadamard, Rows::dense, Rows::fastfood, Rows::quasi}) {
        const RffSpec rff{.inputs = 100, .features = 2000, .rows = rows, .orders = Orders::none};
        check_growth(rff, &RffSpec::features, 20000u, 9);
        check_growth(rff, &RffSpec::inputs, 1000u, rows == Rows::dense || rows == Rows::quasi ? 8 : 1.05);
    }
    const ArcCosSpec gibbs{.inputs = 100, .features = 200, .rows = Rows::gibbs, .sweeps = 1};
    check_growth(gibbs, &ArcCosSpec::sweeps, 100u, 70);
    check_growth(gibbs, &ArcCosSpec::features, 2000u, 9);
    check_growth(gibbs, &ArcCosSpec::inputs, 1000u, 9);

    const NngpSpec nngp{.inputs = 100, .features = 200, .depth = 2, .rows = Rows::gibbs, .sweeps = 1};
    check_growth(nngp, &NngpSpec::sweeps, 100u, 70);
    check_growth(nngp, &NngpSpec::depth, 16u, 6);
    const NtkSpec ntk{.inputs = 10, .features = 400, .depth = 2, .relu = 200, .rows = Rows::gibbs, .sweeps = 1};
    check_growth(ntk, &NtkSpec::sweeps, 100u, 50);
    check_growth(ntk, &NtkSpec::depth, 16u, 6);
    NtkSpec stepped = ntk;
    stepped.rows = Rows::dense;
    stepped.step = 64;
    check_growth(stepped, &NtkSpec::step, 6400u, 10);
    check_growth(NtkSpec{.inputs = 10, .features = 2000, .relu = 1000}, &NtkSpec::features, 20000u, 0.5);

    const NtkSketchSpec sketch{.inputs = 10, .features = 64, .depth = 1, .relu_degree = 1, .step_degree = 1};
    check_growth(sketch, &NtkSketchSpec::relu_degree, 15u, 3);
    check_growth(sketch, &NtkSketchSpec::step_degree, 15u, 3);
    check_growth(sketch, &NtkSketchSpec::depth, 16u, 6);
    check_growth(sketch, &NtkSketchSpec::relu_powers, 4096u, 5);
    check_growth(sketch, &NtkSketchSpec::step_powers, 4096u, 5);
    for (const PowerSketch kind : {PowerSketch::srht, PowerSketch::count}) {
        const PolynomialSpec power{.inputs = 10, .features = 1024, .degree = 2, .sketch = kind, .offset = 0};
        check_growth(power, &PolynomialSpec::degree, 32u, 6);
        check_growth(power, &PolynomialSpec::features, 10240u, 5);
        check_growth(power, &PolynomialSpec::inputs, 100000u, 10);
    }
    const auto with_degree = [](std::uint32_t degree) {
        NtkPolySpec series{.inputs = 20, .features = 1000, .degree = degree, .rows = Rows::hadamard};
        series.coefficients.count = degree + 1;
        series.coefficients.c[degree] = 1.0f;
        return cost(series);
    };
    CHECK(with_degree(32) > with_degree(4) + 50000);
    const NtkGradientSpec network{.inputs = 10, .features = 1u << 22, .depth = 2, .width = 100};
    check_growth(network, &NtkGradientSpec::width, 1000u, 5);
    check_growth(network, &NtkGradientSpec::depth, 3u, 1.1);
}

TEST_CASE("kept rows cost what has to be made for them")
{
    const std::vector<std::byte> two = numbers({0, 6000}), together = numbers({0, 1});
    for (const Rows rows : {Rows::hadamard, Rows::fastfood, Rows::quasi}) {
        const RffSpec spec{.inputs = 20, .features = 8192, .rows = rows, .orders = Orders::none};
        CAPTURE(word(rows));
        if (rows != Rows::hadamard || block_rows(rows, 20) == 64) {
            // Two blocks against one. Feature pairs: 4,096 rows.
            const std::vector<std::byte> apart = numbers({0, 4000});
            CHECK(cost(spec, apart) > cost(spec, together) + 64 * 20);
            CHECK(cost(spec, apart) < cost(spec) / 5);
        }
    }
    // Rows that are made one by one cost no block, unless a feature depends on its place in the block.
    const ArcCosSpec first{.inputs = 1000, .features = 8192, .order = 1, .rows = Rows::dense, .orders = Orders::none};
    ArcCosSpec zeroth = first;
    zeroth.order = 0;
    CHECK(cost(first, two) > 2 * 1000 * 16);
    CHECK(cost(first, two) < 4 * 1000 * 100);
    CHECK(cost(zeroth, two) > 30 * cost(first, two) / 2);
    CHECK(cost(zeroth, two) > 2 * 64 * 1000 * 16);
    // The lengths of kept Hadamard rows stand in one stream: those before them are drawn too.
    std::vector<std::byte> many;
    for (std::uint32_t row = 0; row < 65536; row += 2)
        for (const unsigned shift : {0u, 8u})
            many.push_back(static_cast<std::byte>(row >> shift));
    const ArcCosSpec huge{
        .inputs = 1u << 20, .features = 1u << 20, .rows = Rows::hadamard, .orders = Orders::none, .seed = 1};
    CHECK(cost(huge, many) > 500'000'000);
    // Every block that is left out costs a search.
    const ArcCosSpec scattered{.inputs = 1, .features = 1u << 24, .rows = Rows::dense, .orders = Orders::none};
    CHECK(cost(scattered, together) > 1'000'000);
}

TEST_CASE("the largest specs cost more than any budget, and the number does not wrap")
{
    constexpr std::uint32_t d = most_inputs;
    for (const Rows rows : all_rows) {
        const bool quasi = rows == Rows::quasi;
        const std::uint32_t inputs = quasi ? most_quasi_inputs : d;
        if (rows != Rows::unit && rows != Rows::gibbs) {
            const RffSpec spec{.inputs = inputs, .features = most_features, .rows = rows, .orders = Orders::none};
            const double each = static_cast<double>(cost(spec)) / (most_features / 2);
            CHECK(each > (rows_in_blocks(rows) ? 20.0 : 10.0 * inputs));
        }
    }
    const ArcCosSpec gibbs{
        .inputs = d, .features = most_features, .rows = Rows::gibbs, .orders = Orders::none, .sweeps = most_sweeps};
    CHECK(static_cast<double>(cost(gibbs)) > 0x1p24 * 0x1p20 * 1000 * 50);
    const NngpSpec nngp{.inputs = d,
                        .features = d,
                        .depth = most_layers,
                        .rows = Rows::gibbs,
                        .orders = Orders::none,
                        .sweeps = most_sweeps};
    CHECK(static_cast<double>(cost(nngp)) > 16 * 0x1p40 * 1000 * 50);
    const NtkSpec ntk{.inputs = d,
                      .features = d,
                      .depth = most_layers,
                      .step = d,
                      .relu = d / 2,
                      .tensor = d / 2,
                      .rows = Rows::gibbs,
                      .orders = Orders::none,
                      .sweeps = most_sweeps};
    CHECK(static_cast<double>(cost(ntk)) > 16 * 0x1p38 * 1000 * 50);
    const NtkGradientSpec network{.inputs = 1, .features = most_features, .depth = 2, .width = most_width - 1};
    CHECK(cost(network) > std::uint64_t{most_features} * 40);
}
