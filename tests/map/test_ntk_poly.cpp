// ntk-poly: its contracts in every kind of row and order, and how it takes coefficients that others made.
#include <string_view>

#include <doctest/doctest.h>

#include "contracts.hpp"

using namespace samara;

TEST_CASE("contracts of ntk-poly")
{
    for (Rows rows : {Rows::hadamard, Rows::dense})
        for (Orders orders : {Orders::none, Orders::one, Orders::two})
            for (std::uint32_t inputs : {1u, 11u, 17u, 70u}) {
                const std::uint32_t exact = orders == Orders::two   ? (inputs + 1) * (inputs + 2) / 2
                                            : orders == Orders::one ? inputs + 1
                                                                    : 0;
                for (std::uint32_t depth : {1u, 5u}) {
                    const NtkPolySpec spec{.inputs = inputs,
                                           .features = exact + 301, // several blocks, the last one short
                                           .depth = depth,
                                           .degree = 6 * depth,
                                           .rows = rows,
                                           .orders = orders,
                                           .coefficients = ntk_poly_coefficients(depth, 6 * depth)};
                    REQUIRE(block_count(resolve(spec)) >= 3);
                    measure::check_contracts(spec);
                }
            }
}

TEST_CASE("ntk-poly takes a fit's coefficients as they are, and makes none")
{
    CHECK(ntk_poly_coefficients(2, 8, Remainder::fit).count == 0);
    NtkPolySpec spec{.inputs = 20, .features = 100, .depth = 2, .degree = 3, .remainder = Remainder::fit};
    CHECK(check(spec));
    CHECK(!resolved(resolve(spec)));
    spec.coefficients = {{1.0f, 1.5f, 0.0f, 0.5f}, 4};
    REQUIRE(resolved(resolve(spec)));
    CHECK(resolve(spec).coefficients == spec.coefficients);
    // Where they are from makes no difference to the features.
    NtkPolySpec other = spec;
    other.remainder = Remainder::last;
    const measure::Points p = measure::random_directions(3, 20);
    CHECK(measure::features_of(resolve(spec), p) == measure::features_of(resolve(other), p));
    spec.remainder = static_cast<Remainder>(3);
    CHECK(std::string_view(check(spec).field) == "rest");
}
