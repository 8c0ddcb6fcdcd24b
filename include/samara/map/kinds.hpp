// Choices that several maps have in common, and which of them a program opens.
#pragma once

#include <cstdint>

#include "samara/project.hpp"
#include "samara/project/integer.hpp"

namespace samara {

// What structured_rows() decides, in the words of a field's help.
inline constexpr const char* automatic_rows_help =
    "random rows; auto: hadamard where the kernel allows them and from 16 inputs on, else dense";

// Which low orders of the kernel a map carries exactly: none, the constant and the linear one, or the quadratic one
// too. Even: none, and the odd orders are left out. Numbers are part of the format; 0 always means that resolve()
// chooses.
enum class Orders : std::uint8_t { automatic = 0, none = 1, one = 2, two = 3, even = 4 };

constexpr const char* word(Orders orders) noexcept
{
    constexpr const char* words[] = {"auto", "none", "1", "2", "even"};
    return words[static_cast<unsigned>(orders)];
}

// A program that opens models at run time links the code of all kinds of rows and orders that they may have. Instead it
// can name those that it opens: kinds(Rows::hadamard, Orders::none). Then a model that needs another kind is
// Status::unsupported_map, and the code of other kinds is not linked. If no rows are named, all of them are opened. If
// no orders are named, none and one are opened: two, which brings sketches along, and even, neither of which resolve()
// chooses, are opened if they are named, and where nothing is restricted. If no numbers are named, floats are opened.
struct Kinds {
    std::uint32_t rows = ~std::uint32_t{0}, orders = ~std::uint32_t{0}, numbers = ~std::uint32_t{0}; // bits

    constexpr bool has(Rows kind) const noexcept { return (rows >> static_cast<unsigned>(kind) & 1u) != 0; }
    constexpr bool has(Orders kind) const noexcept { return (orders >> static_cast<unsigned>(kind) & 1u) != 0; }
    constexpr bool has(Numbers kind) const noexcept { return (numbers >> static_cast<unsigned>(kind) & 1u) != 0; }
    // The same, with no rows but those given, which are the ones that a map offers.
    template <class... Kind>
    constexpr Kinds among(Kind... named) const noexcept
    {
        return {rows & ((std::uint32_t{1} << static_cast<unsigned>(named)) | ...), orders, numbers};
    }
};

namespace detail {

constexpr std::uint32_t bit_of(Rows, Rows kind) noexcept { return std::uint32_t{1} << static_cast<unsigned>(kind); }
constexpr std::uint32_t bit_of(Orders, Orders kind) noexcept { return std::uint32_t{1} << static_cast<unsigned>(kind); }
constexpr std::uint32_t bit_of(Numbers, Numbers kind) noexcept
{
    return std::uint32_t{1} << static_cast<unsigned>(kind);
}
template <class Of, class Kind>
constexpr std::uint32_t bit_of(Of, Kind) noexcept
{
    return 0;
}

} // namespace detail

template <class... Kind>
constexpr Kinds kinds(Kind... named) noexcept
{
    const std::uint32_t rows = (detail::bit_of(Rows{}, named) | ...), orders = (detail::bit_of(Orders{}, named) | ...),
                        numbers = (detail::bit_of(Numbers{}, named) | ...);
    return {rows != 0 ? rows : ~std::uint32_t{0},
            orders != 0 ? orders : detail::bit_of(Orders{}, Orders::none) | detail::bit_of(Orders{}, Orders::one),
            numbers != 0 ? numbers : detail::bit_of(Numbers{}, Numbers::float32)};
}

inline constexpr Kinds all_kinds{};

// Whether code for models in whole numbers (of their specs, kept rows, scalings and readouts) is of interest too.
enum class Arithmetic { any, floats };

// A map of which a program opens some kinds: Predictor<Only<ArcCos, kinds(Rows::hadamard)>>.
template <class Spec, Kinds opened>
struct Only {};

} // namespace samara
