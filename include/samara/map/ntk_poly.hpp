// Random features of the Neural Tangent Kernel of any depth by one polynomial, at the cost of one layer.
//
// On unit vectors the kernel is a function of the cosine a alone, with a power series of positive coefficients
// (arXiv 2106.07880, Definition 1 and Remark 1). Cut off at `degree`, with the mass that was cut off put back on
// higher coefficients, or fitted as the Remark has it, it is P(a) = sum of c_j a^j, exact at a = 1: K_NTK(x, x) =
// (depth + 1) |x|^2. A feature is |x| sqrt(1/m) f(<w, x> / |x|), w a random row, h_j the orthonormal Hermite
// polynomials,
//   f = sum of s_j sqrt(c_j) h_j,  s = 1, 1, -1, -1, 1, 1, ...
// because E h_i(<w,u>) h_j(<w,v>) = [i = j] <u,v>^j. Any signs would do; these are the relu's own, and keep f small:
// with all of them + it grows like a power of the degree.
//
// E <z(x), z(y)> = |x||y| P(a), without bias. Variance of one value: O(1/m), near (sum of c_j, j >= 2)^2 / m |x|^2|y|^2
// for vectors far apart with orders one. High powers have heavy tails: once in many seeds a row is nearly parallel to x
// and makes a large feature, and where all vectors of a data set point nearly the same way it does so for all of them.
// This is worst if the remainder is on the last coefficient alone: then the usual error for vectors in random
// directions is a few per cent less, but for images of digits it is half as large again in the mean, and a few seeds
// have several times that error. orders one: the first inputs + 1 features are sqrt(c_0) |x| and sqrt(c_1) x, and the
// random ones carry the rest. orders two: sqrt(c_2) x_i x_j / |x| of all pairs too, inputs (inputs + 1) / 2 features
// more: for few inputs. They are one block with the constant and x, which a predictor must hold at once; so orders=auto
// never picks two.
//
// <w, x> / |x| beyond 6, once in 5e8 rows, counts as 6. x = 0 gives 0 everywhere. Vectors outside 2^-32 ... 2^32 are
// scaled by a power of two and back. Memory and time: those of the rows, and 3 operations a degree for each feature.
// This is a map of rows: it has blocks, rows can be chosen, and a predictor folds its features block by block.
#pragma once

#include "samara/map/engine/orders.hpp"
#include "samara/map/engine/row_cost.hpp"
#include "samara/map/map.hpp"

namespace samara {

inline constexpr std::uint32_t most_ntk_depth = 32;

// Where the sum of the coefficients that were cut off is added: to the upper half of the others in proportion, or to
// the last one. fit: nothing is cut off; the desk's programs fit coefficients to the kernel, none negative, with the
// same sum. Means over 20 seeds of the relative Frobenius error at 2,048 features, of 500 unit vectors of 64 numbers,
// depths 1 / 2 / 3:
//                     spread                 last                   fit
//   digits, degree 8  .023 / .040 / .055     .035 / .072 / .109     .018 / .035 / .051
//          degree 32  .011 / .020 / .022     .013 / .024 / .028     .011 / .018 / .022
//   random directions
//           degree 8  .043 / .045 / .046     .054 / .077 / .092     .052 / .057 / .062
//          degree 32  .042 / .043 / .042     .041 / .041 / .040     .044 / .042 / .041
// Fit has less bias than spread, at degree 8 a quarter to two fifths less (root mean square over the angle, to depth 5)
// and at 32 2 to 15 %, and heavier tails: of the digits at degree 8 its median error is a quarter to a third less,
// while a few seeds dominate its mean. So it pays for low degrees and data that point nearly the same way.
enum class Remainder : std::uint8_t { spread = 0, last = 1, fit = 2 };

constexpr const char* word(Remainder remainder) noexcept
{
    return remainder == Remainder::spread ? "spread" : remainder == Remainder::last ? "last" : "fit";
}

struct NtkPolySpec {
    std::uint32_t inputs = 0;
    std::uint32_t features = 1024;
    std::uint32_t depth = 1; // says where the coefficients are from
    std::uint32_t degree = 32;
    Remainder remainder = Remainder::spread;
    Rows rows = Rows::automatic; // structured_rows(inputs)
    Orders orders = Orders::automatic;
    // degree + 1 of them, as ntk_poly_coefficients() or a fit makes them. A spec without them is never resolved().
    Coefficients coefficients = {};
    std::uint64_t seed = 0;

    friend constexpr bool operator==(const NtkPolySpec&, const NtkPolySpec&) = default;
};

// The power series of the kernel at cosine 0, cut off at `degree`, with the rest put back as `remainder` says; computed
// in double and rounded once each. There are none (count 0) for a depth or degree outside the spec's ranges, and for
// fit, which the desk's programs make.
Coefficients ntk_poly_coefficients(std::uint32_t depth, std::uint32_t degree,
                                   Remainder remainder = Remainder::spread) noexcept;

namespace engine {

// `two`: with orders two.
void plan_series(const RowMap&, const float*, std::uint32_t, SamplePlan&) noexcept;
template <bool two>
void exact_series(const RowMap&, const float*, const SamplePlan&, float*, float*) noexcept;

} // namespace engine

template <>
struct Map<NtkPolySpec> : MapOfRows<NtkPolySpec> {
    static constexpr MapId id{8};
    static constexpr const char* name = "ntk-poly";
    static constexpr const char* estimates[] = {
        "the Neural Tangent Kernel as ntk does, but of any depth by one polynomial of the given degree"};

    template <class V, class S>
    static constexpr void fields(V& v, S& s)
    {
        v.inputs(s.inputs, most_inputs);
        v.whole(16, "depth", s.depth, {1, most_ntk_depth}, "hidden layers");
        v.whole(20, "degree", s.degree, {2, most_map_degree}, "of the polynomial");
        v.choice(15, "rest", s.remainder, {Remainder::spread, Remainder::last, Remainder::fit},
                 "the part of the series that was cut off: on the upper half of the powers, or on the last one; fit: a "
                 "fitted polynomial in the series' place");
        v.choice(12, "rows", s.rows, {Rows::automatic, Rows::hadamard, Rows::dense}, automatic_rows_help);
        v.choice(13, "orders", s.orders, {Orders::automatic, Orders::none, Orders::one, Orders::two},
                 "low orders carried exactly; auto: none, or 1 where it pays");
        v.coefficients(14, 32, s.coefficients, CoefficientsFrom::fields);
        v.features(s.features, most_features);
        v.seed(24, s.seed);
    }

    static constexpr SpecReport across(const NtkPolySpec& s) noexcept
    {
        const std::uint64_t least = engine::exact_part(s.orders, s.inputs) + 1;
        if (s.orders == Orders::one && s.features < least)
            return {Status::bad_spec, "features", "at least inputs + 2 for orders=1", least};
        if (s.orders == Orders::two && s.features < least)
            return {Status::bad_spec, "features", "at least inputs (inputs + 3) / 2 + 2 for orders=2",
                    least > most_features ? 0 : least};
        if (s.coefficients.count != 0 && s.coefficients.count != s.degree + 1)
            return {Status::bad_spec, "coefficients", "none, or degree + 1 of them", std::uint64_t{s.degree} + 1};
        return {};
    }

    static constexpr NtkPolySpec resolve(NtkPolySpec s) noexcept
    {
        if (s.rows == Rows::automatic)
            s.rows = structured_rows(s.inputs);
        if (s.orders == Orders::automatic)
            s.orders = engine::exact_orders_pay(s.features, s.inputs, 1) ? Orders::one : Orders::none;
        return s;
    }

    static constexpr std::uint32_t exact_features(const NtkPolySpec& s) noexcept
    {
        return static_cast<std::uint32_t>(engine::exact_part(s.orders, s.inputs));
    }
    // Hadamard rows multiply as they copy.
    static constexpr bool scales_copy(const NtkPolySpec& s) noexcept { return s.rows != Rows::hadamard; }

    template <Kinds kinds>
    static constexpr engine::RowCode functions(const NtkPolySpec& s) noexcept
    {
        using namespace engine;
        constexpr Kinds own = kinds.among(Rows::hadamard, Rows::dense);
        RowCode code{.rows = normal_rows<own>(s.rows), .kept_rows = normal_kept_rows<own>(s.rows)};
        code.plan = plan_series;
        if constexpr (kinds.has(Orders::none))
            if (s.orders == Orders::none)
                code.finish = finish_series;
        if constexpr (kinds.has(Orders::one)) {
            if (s.orders == Orders::one) {
                code.finish = finish_series_tail;
                code.exact = exact_series<false>;
            }
        }
        if constexpr (kinds.has(Orders::two)) {
            if (s.orders == Orders::two) {
                code.finish = finish_series_rest;
                code.exact = exact_series<true>;
            }
        }
        return code;
    }

    static void scale(const NtkPolySpec& s, std::uint32_t m, engine::RowMap& map) noexcept;
    // The NTK itself, which P approximates.
    static double kernel(const NtkPolySpec& s, std::span<const float> x, std::span<const float> y) noexcept;
    static constexpr std::uint64_t operations(const NtkPolySpec& s, const ChosenRows& chosen) noexcept
    {
        return engine::row_map_operations(s, chosen, 3 * s.degree + 4) +
               (s.orders == Orders::two ? engine::all_pairs(s.inputs) : 0);
    }
};

using NtkPoly = NtkPolySpec;

} // namespace samara
