// How a map declares the fields of its spec, once. Everything else follows from that declaration: which values are
// good, where each field lies in a sealed model, its key and its words on the command line, help, and the tables of
// SPEC.md, sections 10 to 19.
//
// A map declares its fields in a function of two arguments, a visitor and a spec (const or not):
//
//   template <class V, class S>
//   static constexpr void fields(V& v, S& s)
//   {
//       v.inputs(s.inputs, most_inputs);
//       v.choice(12, "rows", s.rows, {Rows::automatic, Rows::hadamard}, "random rows");
//       v.whole(16, "depth", s.depth, {1, 16}, "hidden layers");
//       v.features(s.features, most_features);
//       v.seed(24, s.seed);
//   }
//
// The first argument of an entry is the field's offset in the model's spec section (bytes 0 to 3 are the map's number
// and the spec's version, 4 to 7 the inputs, 8 to 11 the features). The order of the entries is that of the keys.
//
//   whole         4 bytes   a whole number in a range
//   size          4 bytes   the same, for a number of features, of which the kernel is independent
//   made          4 bytes   the same, which no user gives: it follows from the map's data
//   small         1 byte    a whole number up to 255
//   choice        1 byte    one of a few values, the default first; word(value) is its name
//   real          4 bytes   a float in a range, or 0 where that is allowed
//   bandwidth     4 bytes   a float in the scale of the data, from which the desk can choose it
//   coefficients  1 byte for their count, 132 for 33 floats
//   seed          8 bytes
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <type_traits>

#include "samara/status.hpp"

namespace samara {

inline constexpr std::uint32_t most_map_degree = 32;

// The coefficients c[0] ... c[count - 1] of a polynomial; the others are 0.
struct Coefficients {
    float c[most_map_degree + 1] = {};
    std::uint32_t count = 0;

    friend constexpr bool operator==(const Coefficients&, const Coefficients&) = default;
};

// Whole numbers from `least` to `most`.
struct Range {
    std::uint32_t least, most;
};

// Positive floats from `least` to `most`, given and compared as bits: positive floats order like their bits, and so no
// compiler flag of a user changes the result. `zero`: 0 is good as well.
struct Reals {
    std::uint32_t least, most; // bits
    bool zero = false;
    const char* text; // for messages

    constexpr bool holds(float v) const noexcept
    {
        const auto bits = std::bit_cast<std::uint32_t>(v);
        return (zero && bits == 0) || (bits >= least && bits <= most);
    }
};
inline constexpr Reals scale_range{0x30800000u, 0x4e800000u, false, "2^-30 to 2^30"};
inline constexpr Reals offset_range{0x30800000u, 0x4e800000u, true, "0, 2^-30 to 2^30"};
inline constexpr Reals coefficient_range{0x21800000u, 0x5d800000u, true, "0, 2^-60 to 2^60"};

constexpr bool is_zero(float v) noexcept { return std::bit_cast<std::uint32_t>(v) == 0; }

// The values that a choice offers, in the order of the help; none above 31.
template <class T>
struct Among {
    static constexpr std::uint32_t most = 8;
    T values[most] = {};
    std::uint32_t count = 0, mask = 0;

    constexpr Among(std::initializer_list<T> list) noexcept
    {
        for (const T v : list) {
            values[count++] = v;
            mask |= std::uint32_t{1} << static_cast<std::uint32_t>(v);
        }
    }
    constexpr bool holds(T v) const noexcept
    {
        const auto n = static_cast<std::uint32_t>(v);
        return n < 32 && ((mask >> n) & 1u) != 0;
    }
};

// The names of choices that are not of an enumeration.
constexpr const char* word(bool v) noexcept { return v ? "yes" : "no"; }
constexpr const char* word(std::uint32_t v) noexcept { return v == 0 ? "0" : v == 1 ? "1" : "2"; }

// Whether a user gives a map's coefficients, or the desk makes them from the other fields.
enum class CoefficientsFrom : std::uint8_t { user, fields };

inline constexpr std::uint32_t inputs_offset = 4, features_offset = 8;

// A visitor that is interested in a few kinds of fields inherits the others from here.
struct FieldVisitor {
    constexpr void inputs(std::uint32_t, std::uint32_t) noexcept {}
    constexpr void features(std::uint32_t, std::uint32_t) noexcept {}
    constexpr void whole(std::uint32_t, const char*, std::uint32_t, Range, const char*) noexcept {}
    constexpr void size(std::uint32_t, const char*, std::uint32_t, Range, const char*) noexcept {}
    constexpr void made(std::uint32_t, const char*, std::uint32_t, Range, const char*) noexcept {}
    constexpr void small(std::uint32_t, const char*, std::uint32_t, Range, const char*) noexcept {}
    template <class T>
    constexpr void choice(std::uint32_t, const char*, T, std::type_identity_t<Among<T>>, const char*) noexcept
    {}
    constexpr void real(std::uint32_t, const char*, float, const Reals&, const char*) noexcept {}
    constexpr void bandwidth(std::uint32_t, const char*, float, const char*) noexcept {}
    constexpr void coefficients(std::uint32_t, std::uint32_t, const Coefficients&, CoefficientsFrom) noexcept {}
    constexpr void seed(std::uint32_t, std::uint64_t) noexcept {}
};

namespace detail {

// What is expected of coefficients; null if they are good.
constexpr const char* wrong_coefficients(const Coefficients& k, CoefficientsFrom from) noexcept
{
    const bool given = from == CoefficientsFrom::user;
    if (k.count > most_map_degree + 1 || (given && k.count == 0))
        return "1 to 33 of them";
    for (std::uint32_t j = 0; j <= most_map_degree; ++j)
        if (!(j < k.count ? coefficient_range.holds(k.c[j]) : is_zero(k.c[j])))
            return "each 0, or 2^-60 to 2^60";
    return given && is_zero(k.c[k.count - 1]) ? "the last one above 0" : nullptr;
}

// Finds the first field whose value is not good.
struct FieldCheck {
    SpecReport report;

    constexpr void note(bool good, const char* field, std::uint64_t nearest = 0, const char* expected = "") noexcept
    {
        if (!good && report.status == Status::ok)
            report = {Status::bad_spec, field, expected, nearest};
    }
    constexpr void inputs(std::uint32_t v, std::uint32_t most) noexcept { whole(4, "inputs", v, {1, most}, ""); }
    constexpr void features(std::uint32_t v, std::uint32_t most) noexcept { whole(8, "features", v, {1, most}, ""); }
    constexpr void whole(std::uint32_t, const char* key, std::uint32_t v, Range range, const char*) noexcept
    {
        note(v >= range.least && v <= range.most, key, v < range.least ? range.least : range.most);
    }
    constexpr void size(std::uint32_t at, const char* key, std::uint32_t v, Range range, const char* m) noexcept
    {
        whole(at, key, v, range, m);
    }
    constexpr void made(std::uint32_t at, const char* key, std::uint32_t v, Range range, const char* m) noexcept
    {
        whole(at, key, v, range, m);
    }
    constexpr void small(std::uint32_t at, const char* key, std::uint32_t v, Range range, const char* m) noexcept
    {
        whole(at, key, v, range, m);
    }
    template <class T>
    constexpr void choice(std::uint32_t, const char* key, T v, std::type_identity_t<Among<T>> among,
                          const char*) noexcept
    {
        note(among.holds(v), key);
    }
    constexpr void real(std::uint32_t, const char* key, float v, const Reals& range, const char*) noexcept
    {
        note(range.holds(v), key);
    }
    constexpr void bandwidth(std::uint32_t at, const char* key, float v, const char* m) noexcept
    {
        real(at, key, v, scale_range, m);
    }
    constexpr void coefficients(std::uint32_t, std::uint32_t, const Coefficients& k, CoefficientsFrom from) noexcept
    {
        const char* const expected = wrong_coefficients(k, from);
        note(expected == nullptr, "coefficients", 0, expected);
    }
    constexpr void seed(std::uint32_t, std::uint64_t) noexcept {}
};

// Whether the fields that the desk has to make are there.
struct FieldsMade : FieldVisitor {
    bool all = true;
    constexpr void coefficients(std::uint32_t, std::uint32_t, const Coefficients& k, CoefficientsFrom) noexcept
    {
        all = all && k.count != 0;
    }
};

} // namespace detail

} // namespace samara
