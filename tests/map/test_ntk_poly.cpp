// ntk-poly: its contracts in every kind of row and order.
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
