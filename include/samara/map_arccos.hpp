// Random features of the arc-cosine kernels. SPEC.md section 5.
#pragma once

#include "samara/detail/row_map.hpp"
#include "samara/sketch/srht.hpp"

namespace samara {

// Arc-cosine kernels (Cho, Saul), a the angle between x and y:
//   order 1  A1 = |x| |y| (sin a + (pi - a) cos a) / pi = 2 E relu(<w,x>) relu(<w,y>)
//   order 0  A0 = 1 - a / pi = 2 E step(<w,x>) step(<w,y>)
// orders none: sqrt(2/m) relu or step of m rows. orders one: the first inputs + 1 features are the exact constant and
// linear parts, the random ones carry |z| or sign(z) less those (not with gibbs rows, which are not isotropic).
// orders two (order 1 only: a step has no quadratic part): `pairs` features more carry the quadratic part,
// <x,y>^2 / (|x| |y|) times a constant, and the random ones what is left of |z|: .0225 of A1 at x = y, of .182 with
// orders one.
//   pairs = inputs (inputs + 1) / 2   exactly: all products x_i x_j / |x|
//   fewer                             by a TensorSRHT of x (x) x
// Error of A1 (relative, Frobenius) on 500 unit vectors, mean of 5 seeds, default rows:
//                                                     orders none    one     two
//   64 inputs, 4,096 features, images of digits              .026   .0034   .0019   exactly
//                              random directions             .037   .0088   .0016
//    9 inputs,   128 features, random directions             .24    .050    .0091
//   64 inputs, 2,048 features, images of digits              .032   .0051   .0064   by sketch
//                              random directions             .052   .0125   .0102
//              512 features, images of digits                .090   .0087   .0138
//                              random directions             .103   .0262   .0257
// So the exact form pays greatly where it fits; the sketch gains little, or loses.
// rows unit: the exact leverage-score sampler; gibbs: Algorithm 2 of arXiv 2104.01351 with `sweeps` sweeps, which is
// biased for few inputs and few sweeps. Vectors outside 2^-32 ... 2^32 are scaled by a power of two on the way, so that
// tiny ones lose nothing. x = 0 gives 0 everywhere. A projection that is exactly 0 counts as positive or not by a tie
// bit of its row.
//
// The exact features, pairs included, are one block, which a predictor must hold at once: with orders two its RAM grows
// like inputs^2 (64 inputs: 8.6 KB), or with the pairs and the sketch's workspace. So orders=auto never picks two.
struct ArcCosSpec {
    std::uint32_t inputs = 0;
    std::uint32_t features = 1024;
    std::uint32_t order = 1; // 0 or 1
    Rows rows = Rows::automatic;
    Orders orders = Orders::automatic;
    std::uint32_t sweeps = 1; // of gibbs rows, 0 ... 1,000; resolved to 0 for the other kinds
    // Features of the quadratic part, for orders two only. 0: all products if at least 1/16 of the features is left for
    // rows beside them, else 5/6 of what constant and x leave (errors are flat from 3/4 to 9/10).
    std::uint32_t pairs = 0;
    std::uint64_t seed = 0;

    friend constexpr bool operator==(const ArcCosSpec&, const ArcCosSpec&) = default;
};

namespace detail {

// The products x_i x_j, i <= j.
constexpr std::uint64_t all_pairs(std::uint32_t inputs) noexcept { return std::uint64_t{inputs} * (inputs + 1) / 2; }

// The constant, x, and with orders two all products of two inputs.
constexpr std::uint64_t exact_part(Orders orders, std::uint32_t inputs) noexcept
{
    return exact_features(orders, inputs) + (orders == Orders::two ? all_pairs(inputs) : 0);
}

constexpr bool sketches_pairs(const ArcCosSpec& s) noexcept { return s.pairs != 0 && s.pairs < all_pairs(s.inputs); }

constexpr TensorSrhtSpec pair_sketch(std::uint32_t inputs, std::uint32_t pairs, std::uint64_t seed) noexcept
{
    return {.left = inputs, .right = inputs, .features = pairs, .seed = seed};
}

// Workspace of the exact features.
constexpr std::size_t exact_floats(const ArcCosSpec& s) noexcept
{
    return sketches_pairs(s) ? workspace_bytes(pair_sketch(s.inputs, s.pairs, s.seed)) / sizeof(float) : 0;
}

} // namespace detail

constexpr SpecReport check(const ArcCosSpec& s) noexcept
{
    if (const SpecReport sizes = detail::check_sizes(s.inputs, s.features); !sizes)
        return sizes;
    if (s.order > 1)
        return {Status::bad_spec, "order", "0 or 1", 1};
    if (s.rows > Rows::gibbs || s.rows == Rows::fastfood || s.rows == Rows::quasi)
        return {Status::bad_spec, "rows", "auto, hadamard, dense, unit or gibbs"};
    if (s.orders > Orders::two)
        return {Status::bad_spec, "orders", "auto, none, 1 or 2"};
    if (s.orders >= Orders::one && s.rows == Rows::gibbs)
        return {Status::bad_spec, "orders", "none, because gibbs rows are not isotropic"};
    if (s.orders == Orders::two && s.order == 0)
        return {Status::bad_spec, "orders", "auto, none or 1, because order 0 has no quadratic part"};
    if (s.orders == Orders::one && s.features < std::uint64_t{s.inputs} + 2)
        return {Status::bad_spec, "features", "at least inputs + 2 for orders=1", std::uint64_t{s.inputs} + 2};
    if (s.pairs != 0 && s.orders != Orders::two)
        return {Status::bad_spec, "pairs", "0, because orders is not 2"};
    if (s.pairs > detail::all_pairs(s.inputs))
        return {Status::bad_spec, "pairs", "at most inputs (inputs + 1) / 2", detail::all_pairs(s.inputs)};
    const std::uint64_t least = std::uint64_t{s.inputs} + 2 + (s.pairs == 0 ? 1 : s.pairs);
    if (s.orders == Orders::two && s.features < least)
        return {Status::bad_spec, "features", "at least inputs + 2 and the pairs for orders=2", least};
    if (s.sweeps > 1000)
        return {Status::bad_spec, "sweeps", "0 to 1000", 1000};
    return {};
}

constexpr ArcCosSpec resolve(ArcCosSpec s) noexcept
{
    if (!check(s))
        return s;
    if (s.rows == Rows::automatic)
        s.rows = s.inputs >= 16 ? Rows::hadamard : Rows::dense;
    if (s.orders == Orders::automatic) {
        const bool pays = s.rows != Rows::gibbs && detail::exact_orders_pay(s.features, s.inputs, 1);
        s.orders = pays ? Orders::one : Orders::none;
    }
    if (s.orders == Orders::two && s.pairs == 0) {
        const std::uint64_t all = detail::all_pairs(s.inputs);
        const std::uint32_t left = s.features - s.inputs - 1;
        const bool fit = left > all && left - all >= s.features / 16;
        s.pairs = fit ? static_cast<std::uint32_t>(all) : left - (left + 5) / 6;
    }
    if (s.rows != Rows::gibbs)
        s.sweeps = 0;
    return s;
}

constexpr bool resolved(const ArcCosSpec& s) noexcept
{
    return check(s) && s.rows != Rows::automatic && s.orders != Orders::automatic &&
           (s.rows == Rows::gibbs || s.sweeps == 0) && (s.orders != Orders::two || s.pairs != 0);
}

constexpr std::uint32_t features_per_row(const ArcCosSpec&) noexcept { return 1; }
constexpr std::uint32_t exact_features(const ArcCosSpec& s) noexcept
{
    return detail::exact_features(s.orders, s.inputs) + s.pairs;
}

namespace detail {

// The exact features come first, then the rows take the same memory; only Hadamard rows can do without a scaled copy of
// x.
constexpr std::size_t arccos_bytes(const ArcCosSpec& s, std::size_t row_floats) noexcept
{
    const std::size_t rows = row_floats + (s.rows == Rows::hadamard ? 0 : s.inputs), exact = exact_floats(s);
    return sizeof(float) * (rows > exact ? rows : exact);
}

} // namespace detail

constexpr std::size_t workspace_bytes(const ArcCosSpec& s) noexcept
{
    return detail::arccos_bytes(s, rows_workspace_floats(s.rows, s.inputs));
}
constexpr std::size_t block_workspace_bytes(const ArcCosSpec& s) noexcept
{
    return detail::arccos_bytes(s, sample_workspace_floats(s.rows, s.inputs));
}

namespace detail {

void finish_relu(const FinishArgs&) noexcept;
void finish_absolute(const FinishArgs&) noexcept;
void finish_absolute_tail(const FinishArgs&) noexcept;
void finish_step(const FinishArgs&) noexcept;
void finish_sign(const FinishArgs&) noexcept;

void sample_arccos0(const RowMap&, const float*, std::uint32_t, SamplePlan&, float*, float*) noexcept;
void sample_arccos1(const RowMap&, const float*, std::uint32_t, SamplePlan&, float*, float*) noexcept;
void sample_arccos1_centred(const RowMap&, const float*, std::uint32_t, SamplePlan&, float*, float*) noexcept;
void sample_arccos0_centred(const RowMap&, const float*, std::uint32_t, SamplePlan&, float*, float*) noexcept;
// Of orders two. unit: the rows' kind; sketched: or all pairs.
template <bool unit, bool sketched>
void sample_arccos1_two(const RowMap&, const float*, std::uint32_t, SamplePlan&, float*, float*) noexcept;

constexpr MapCode code_of(const ArcCosSpec& s) noexcept
{
    MapCode code{};
    code.rows = s.rows == Rows::hadamard ? rows_hadamard
                : s.rows == Rows::dense  ? rows_dense_normal
                : s.rows == Rows::unit   ? rows_unit
                                         : rows_gibbs;
    const bool centred = s.orders == Orders::one, unit = s.rows == Rows::unit;
    if (s.orders == Orders::two) {
        const bool sketched = sketches_pairs(s);
        code.finish = finish_absolute_tail;
        code.sample = sketched ? (unit ? sample_arccos1_two<true, true> : sample_arccos1_two<false, true>)
                               : (unit ? sample_arccos1_two<true, false> : sample_arccos1_two<false, false>);
        code.exact_floats = exact_floats(s);
    } else if (s.order == 1) {
        code.finish = centred ? finish_absolute : finish_relu;
        code.sample = centred ? sample_arccos1_centred : sample_arccos1;
    } else {
        code.finish = centred ? finish_sign : finish_step;
        code.sample = centred ? sample_arccos0_centred : sample_arccos0;
    }
    return code;
}

} // namespace detail

} // namespace samara
