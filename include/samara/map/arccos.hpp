// Random features of the arc-cosine kernels.
#pragma once

#include "samara/map/engine/orders.hpp"
#include "samara/map/engine/row_cost.hpp"
#include "samara/map/map.hpp"
#include "samara/project/integer.hpp"
#include "samara/sketch/srht.hpp"

namespace samara {

// Arc-cosine kernels (Cho, Saul), a the angle between x and y:
//   order 1  A1 = |x| |y| (sin a + (pi - a) cos a) / pi = 2 E relu(<w,x>) relu(<w,y>)
//   order 0  A0 = 1 - a / pi = 2 E step(<w,x>) step(<w,y>)
// orders none: the features are sqrt(2/m) relu(z) or step(z) of the products z with m rows. orders one: the first
// inputs + 1 features are the exact constant and linear parts of the kernel; the random ones are |z| or sign(z) less
// those (not with gibbs rows, which are not isotropic). orders two (order 1 only: a step has no quadratic part):
// `pairs` features more carry the quadratic part, <x,y>^2 / (|x| |y|) times a constant, and the random ones what is
// left of |z|. They contribute .0225 of A1 at x = y, with orders one .182.
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
//
// orders even (order 1 only): the features are sqrt(1/(2m)) |z|, and the kernel is the even part of A1, that of x and y
// and of x and -y in the mean, |x| |y| (sin a + (pi/2 - a) cos a) / pi. It does not tell x from -x, so it is for inputs
// that lie on one side of 0, as brightness does: there a feature of |z| says more than one of relu(z).
//
// numbers int8: inputs are rounded to whole numbers from -127 to 127, rows are Hadamard rows of one length in int16
// (project/integer.hpp), and features are whole numbers from 0 to 127,
//   min(floor(relu(z) / 2^s), 127), with orders even min(floor(|z| / 2^s), 127), s = integer_feature_shift(inputs).
// So <z(x), z(y)> estimates the kernel times features r 4^-(s + h) / 2, with orders even times 2 features r 4^-(s + h),
// h = integer_halvings(inputs) and r = integer_row_square(inputs), up to what rounding down and the limit of 127 take:
// the kernel function has that factor. Products are |x| sqrt(r) / 2^h in the root mean square, and inputs whose root
// mean square is about 32 use the features' range well. Rows of one length instead of normal ones do not change the
// kernel but for that factor; blocks of 64 are biased by less than .01. Variance O(1/features), and in each feature
// 1/12 of rounding. A prediction of such a model with an integer readout and integer inputs needs no floating point:
// model/whole_predictor.hpp.
//
// rows unit: the exact leverage-score sampler; gibbs: Algorithm 2 of arXiv 2104.01351 with `sweeps` sweeps, which is
// biased for few inputs and few sweeps. Vectors outside 2^-32 ... 2^32 are scaled by a power of two and back, so that
// tiny ones lose nothing. x = 0 gives 0 everywhere. Whether a projection that is exactly 0 counts as positive is
// decided by a random bit of its row (a tie).
//
// The exact features, with their pairs, are one block, which a predictor must hold at once: with orders two its RAM
// grows like inputs^2 (64 inputs: 8.6 KB), or with the pairs and the sketch's workspace. So orders=auto never chooses
// two.
struct ArcCosSpec {
    std::uint32_t inputs = 0;
    std::uint32_t features = 1024;
    std::uint32_t order = 1;
    Rows rows = Rows::automatic; // structured_rows(inputs)
    Orders orders = Orders::automatic;
    std::uint32_t sweeps = 1; // of gibbs rows; resolved to 0 for the other kinds
    // How many features carry the quadratic part, for orders two only. 0: all products, if they leave at least 1/16 of
    // the features for rows; else 5/6 of what constant and x leave (from 3/4 to 9/10 the errors hardly differ).
    std::uint32_t pairs = 0;
    Numbers numbers = Numbers::float32;
    std::uint64_t seed = 0;

    friend constexpr bool operator==(const ArcCosSpec&, const ArcCosSpec&) = default;
};

namespace engine {

constexpr bool sketches_pairs(const ArcCosSpec& s) noexcept { return s.pairs != 0 && s.pairs < all_pairs(s.inputs); }

constexpr TensorSrhtSpec pair_sketch(std::uint32_t inputs, std::uint32_t pairs, std::uint64_t seed) noexcept
{
    return {.left = inputs, .right = inputs, .features = pairs, .seed = seed};
}

// The workspace of the exact features.
constexpr std::size_t exact_floats(const ArcCosSpec& s) noexcept
{
    return sketches_pairs(s) ? workspace_bytes(pair_sketch(s.inputs, s.pairs, s.seed)) / sizeof(float) : 0;
}

void plan_arccos0(const RowMap&, const float*, std::uint32_t, SamplePlan&) noexcept;
void plan_arccos0_centred(const RowMap&, const float*, std::uint32_t, SamplePlan&) noexcept;
void plan_arccos1(const RowMap&, const float*, std::uint32_t, SamplePlan&) noexcept;
void plan_arccos1_centred(const RowMap&, const float*, std::uint32_t, SamplePlan&) noexcept;
void plan_arccos1_integer(const RowMap&, const float*, std::uint32_t, SamplePlan&) noexcept;
void exact_arccos0(const RowMap&, const float*, const SamplePlan&, float*, float*) noexcept;
void exact_arccos1(const RowMap&, const float*, const SamplePlan&, float*, float*) noexcept;
// Those of orders two. `unit`: rows are of kind unit; `sketched`: the pairs are a sketch, not all products.
template <bool unit>
void plan_arccos1_two(const RowMap&, const float*, std::uint32_t, SamplePlan&) noexcept;
template <bool unit, bool sketched>
void exact_arccos1_two(const RowMap&, const float*, const SamplePlan&, float*, float*) noexcept;

} // namespace engine

template <>
struct Map<ArcCosSpec> : MapOfRows<ArcCosSpec> {
    static constexpr MapId id{2};
    static constexpr const char* name = "arccos";
    static constexpr const char* estimates[] = {
        "order 1  |x| |y| (sin a + (pi - a) cos a) / pi, a the angle between x and y", "order 0  1 - a / pi"};

    template <class V, class S>
    static constexpr void fields(V& v, S& s)
    {
        v.inputs(s.inputs, most_inputs);
        v.choice(12, "order", s.order, {1, 0}, "1: relu features, 0: step features");
        v.choice(14, "rows", s.rows, {Rows::automatic, Rows::hadamard, Rows::dense, Rows::unit, Rows::gibbs},
                 automatic_rows_help);
        v.whole(16, "sweeps", s.sweeps, {0, most_sweeps}, "sweeps of the Gibbs sampler, for gibbs rows only");
        v.choice(15, "orders", s.orders, {Orders::automatic, Orders::none, Orders::one, Orders::two, Orders::even},
                 "low orders carried exactly (not for gibbs rows; 2: for order=1 only); even: |z| in place of relu(z), "
                 "for order=1; auto: none, or 1 where it pays");
        v.size(20, "pairs", s.pairs, {0, most_features},
               "features of order 2, for orders=2; all d (d+1) / 2 are exact, fewer a sketch; 0: all if there is "
               "room");
        v.choice(13, "numbers", s.numbers, {Numbers::float32, Numbers::int8},
                 "int8: whole numbers throughout, of inputs from -127 to 127");
        v.features(s.features, most_features);
        v.seed(24, s.seed);
    }

    static constexpr SpecReport across(const ArcCosSpec& s) noexcept
    {
        if (s.numbers == Numbers::int8) {
            if (s.order != 1)
                return {Status::bad_spec, "order", "1 with numbers=int8", 1};
            if (s.rows != Rows::automatic && s.rows != Rows::hadamard)
                return {Status::bad_spec, "rows", "auto or hadamard with numbers=int8"};
            if (s.orders == Orders::one || s.orders == Orders::two)
                return {Status::bad_spec, "orders", "auto, none or even with numbers=int8"};
            if (s.inputs > most_integer_inputs)
                return {Status::bad_spec, "inputs", "at most 16384 with numbers=int8", most_integer_inputs};
        }
        if ((s.orders == Orders::one || s.orders == Orders::two) && s.rows == Rows::gibbs)
            return {Status::bad_spec, "orders", "none or even, because gibbs rows are not isotropic"};
        if (s.orders == Orders::two && s.order == 0)
            return {Status::bad_spec, "orders", "auto, none or 1, because order 0 has no quadratic part"};
        if (s.orders == Orders::even && s.order == 0)
            return {Status::bad_spec, "orders", "auto, none or 1, because all of order 0 but its constant is odd"};
        if (s.orders == Orders::one && s.features < std::uint64_t{s.inputs} + 2)
            return {Status::bad_spec, "features", "at least inputs + 2 for orders=1", std::uint64_t{s.inputs} + 2};
        if (s.pairs != 0 && s.orders != Orders::two)
            return {Status::bad_spec, "pairs", "0, because orders is not 2"};
        if (s.pairs > engine::all_pairs(s.inputs))
            return {Status::bad_spec, "pairs", "at most inputs (inputs + 1) / 2", engine::all_pairs(s.inputs)};
        const std::uint64_t least = std::uint64_t{s.inputs} + 2 + (s.pairs == 0 ? 1 : s.pairs);
        if (s.orders == Orders::two && s.features < least)
            return {Status::bad_spec, "features", "at least inputs + 2 and the pairs for orders=2", least};
        return {};
    }

    static constexpr ArcCosSpec resolve(ArcCosSpec s) noexcept
    {
        if (s.rows == Rows::automatic)
            s.rows = s.numbers == Numbers::int8 ? Rows::hadamard : structured_rows(s.inputs);
        if (s.orders == Orders::automatic) {
            const bool pays = s.rows != Rows::gibbs && s.numbers == Numbers::float32 &&
                              engine::exact_orders_pay(s.features, s.inputs, 1);
            s.orders = pays ? Orders::one : Orders::none;
        }
        if (s.orders == Orders::two && s.pairs == 0) {
            const std::uint64_t all = engine::all_pairs(s.inputs);
            const std::uint32_t left = s.features - s.inputs - 1;
            const bool fit = left > all && left - all >= s.features / 16;
            s.pairs = fit ? static_cast<std::uint32_t>(all) : left - (left + 5) / 6;
        }
        if (s.rows != Rows::gibbs)
            s.sweeps = 0;
        return s;
    }

    static constexpr std::uint32_t exact_features(const ArcCosSpec& s) noexcept
    {
        return engine::linear_features(s.orders, s.inputs) + s.pairs;
    }
    // Only Hadamard rows need no scaled copy of x: they multiply while they copy it.
    static constexpr bool scales_copy(const ArcCosSpec& s) noexcept { return s.rows != Rows::hadamard; }
    // The rows of whole numbers come in blocks.
    static constexpr bool keeps_by_themselves(const ArcCosSpec& s) noexcept { return s.numbers == Numbers::float32; }
    // Order 0 needs tie bits, which belong to positions in a whole block.
    static constexpr bool by_position(const ArcCosSpec& s) noexcept { return s.order == 0; }
    // The exact features are made first; then the rows use the same memory.
    static constexpr std::size_t workspace_floats(const ArcCosSpec& s, std::size_t row_floats) noexcept
    {
        const std::size_t rows = MapOfRows::workspace_floats(s, row_floats), exact = engine::exact_floats(s);
        return rows > exact ? rows : exact;
    }

    template <Kinds kinds>
    static constexpr engine::RowCode functions(const ArcCosSpec& s) noexcept
    {
        using namespace engine;
        constexpr Kinds own = kinds.among(Rows::hadamard, Rows::dense, Rows::unit, Rows::gibbs);
        if (s.numbers == Numbers::int8) {
            RowCode whole;
            if constexpr (kinds.has(Rows::hadamard) && kinds.has(Numbers::int8)) {
                whole.rows = integer_hadamard_rows;
                whole.plan = plan_arccos1_integer;
            }
            if constexpr (kinds.has(Orders::even) && kinds.has(Numbers::int8))
                if (s.orders == Orders::even)
                    whole.finish = finish_integer_absolute;
            if constexpr (kinds.has(Orders::none) && kinds.has(Numbers::int8))
                if (s.orders == Orders::none)
                    whole.finish = finish_integer_relu;
            return whole;
        }
        RowCode code{.rows = normal_rows<own>(s.rows),
                     .mean_magnitude = mean_function<own>(s.rows),
                     .kept_rows = normal_kept_rows<own>(s.rows)};
        if constexpr (kinds.has(Orders::two)) {
            if (s.orders == Orders::two) {
                const bool unit = s.rows == Rows::unit, sketched = sketches_pairs(s);
                code.finish = finish_absolute_tail;
                code.plan = unit ? plan_arccos1_two<true> : plan_arccos1_two<false>;
                code.exact = sketched ? (unit ? exact_arccos1_two<true, true> : exact_arccos1_two<false, true>)
                                      : (unit ? exact_arccos1_two<true, false> : exact_arccos1_two<false, false>);
                code.exact_floats = exact_floats(s);
            }
        }
        if constexpr (kinds.has(Orders::one)) {
            if (s.orders == Orders::one) {
                code.finish = s.order == 1 ? finish_absolute : finish_sign;
                code.plan = s.order == 1 ? plan_arccos1_centred : plan_arccos0_centred;
                code.exact = s.order == 1 ? exact_arccos1 : exact_arccos0;
            }
        }
        if constexpr (kinds.has(Orders::even)) {
            if (s.orders == Orders::even) {
                code.finish = finish_absolute;
                code.plan = plan_arccos1;
            }
        }
        if constexpr (kinds.has(Orders::none)) {
            if (s.orders == Orders::none) {
                code.finish = s.order == 1 ? finish_relu : finish_step;
                code.plan = s.order == 1 ? plan_arccos1 : plan_arccos0;
            }
        }
        return code;
    }

    // Whether it computes with whole numbers, and what of.
    static constexpr bool is_whole(const ArcCosSpec& s) noexcept { return s.numbers == Numbers::int8; }
    static constexpr bool negative_features = false;
    static constexpr IntegerRows integer_rows(const ArcCosSpec& s) noexcept
    {
        return {stream_prefix(s.seed, static_cast<std::uint64_t>(Domain::hadamard_signs)), s.inputs, s.features,
                s.orders == Orders::even};
    }

    static void scale(const ArcCosSpec& s, std::uint32_t m, engine::RowMap& map) noexcept;
    static double kernel(const ArcCosSpec& s, std::span<const float> x, std::span<const float> y) noexcept;
    static constexpr std::uint64_t operations(const ArcCosSpec& s, const ChosenRows& chosen) noexcept
    {
        // All pairs, or a sketch of them.
        const std::uint32_t pairs =
            engine::sketches_pairs(s) ? 2 * transform_operations(s.inputs) + 4 * s.pairs : s.pairs;
        return engine::row_map_operations(s, chosen, engine::finish_operations) + pairs;
    }
};

using ArcCos = ArcCosSpec;

} // namespace samara
