// Random Fourier features of shift-invariant kernels.
#pragma once

#include <bit>

#include "samara/map/engine/orders.hpp"
#include "samara/map/engine/row_cost.hpp"
#include "samara/map/map.hpp"

namespace samara {

// Numbers are part of the format.
enum class Kernel : std::uint8_t { gaussian = 0, laplacian = 1, cauchy = 2 };
enum class Form : std::uint8_t { pair = 0, phase = 1 };

constexpr const char* word(Kernel kernel) noexcept
{
    constexpr const char* words[] = {"gaussian", "laplacian", "cauchy"};
    return words[static_cast<unsigned>(kernel)];
}
constexpr const char* word(Form form) noexcept { return form == Form::pair ? "pair" : "phase"; }

// With d = x - y and b the bandwidth:
//   gaussian   exp(-|d|^2 / (2 b^2))      normal rows
//   laplacian  exp(-|d|_1 / b)            Cauchy entries: dense or quasi rows
//   cauchy     prod 1 / (1 + (d_i/b)^2)   Laplace entries: dense or quasi rows
// form pair: sqrt(1/m) (cos, sin) of m rows, two features for each; K(x, x) is exact. form phase: sqrt(2/m) cos(t +
// phase), one feature for each. Variance of one kernel value: O(1/m), for pairs of normal rows (1 - K^2)^2 / (2m).
// Memory and time: those of the rows (project.hpp), and a sine and a cosine for each row.
//
// orders one (gaussian pairs only): the first inputs + 1 features are g and g x / b, g = exp(-|x|^2/(2 b^2)); the
// random ones carry the remainder. If one feature is left over, the last one is 0. x = 0 gives cosines 1 and sines 0
// times the amplitude. They expand the kernel around x = 0, so that they lower its error on data around 0 and raise it
// on data far from there; the kernel does not see a shift, and a spec does not know the data: orders=auto is none.
// Products of inputs with rows beyond 2^23 turns (of 2 pi) have no fraction: their phase is lost.
struct RffSpec {
    std::uint32_t inputs = 0;
    std::uint32_t features = 1024;
    Kernel kernel = Kernel::gaussian;
    Form form = Form::pair;
    Rows rows = Rows::automatic; // gaussian: structured_rows(inputs), else dense
    Orders orders = Orders::automatic;
    float bandwidth = 1;
    Numbers numbers = Numbers::float32;
    std::uint64_t seed = 0;

    friend constexpr bool operator==(const RffSpec&, const RffSpec&) = default;
};

namespace engine {

void plan_fourier(const RowMap&, const float*, std::uint32_t, SamplePlan&) noexcept;
void plan_fourier_centred(const RowMap&, const float*, std::uint32_t, SamplePlan&) noexcept;
void exact_fourier(const RowMap&, const float*, const SamplePlan&, float*, float*) noexcept;
// Those of angles, which are whole.
void finish_integer_pair(const FinishArgs&) noexcept;
void finish_integer_phase(const FinishArgs&) noexcept;
// Of a prediction in whole numbers: cosines and sines, as bytes with a sign.
void whole_waves(const IntegerRows&, std::uint32_t part, const std::int16_t* y, const std::uint16_t* places,
                 std::uint32_t count, std::uint8_t* out) noexcept;

} // namespace engine

template <>
struct Map<RffSpec> : MapOfRows<RffSpec> {
    static constexpr MapId id{1};
    static constexpr const char* name = "rff";
    static constexpr const char* estimates[] = {"gaussian   exp(-|x-y|^2 / (2 b^2)), b the bandwidth",
                                                "laplacian  exp(-sum |x_i-y_i| / b); dense or quasi rows",
                                                "cauchy     prod 1 / (1 + ((x_i-y_i)/b)^2); dense or quasi rows"};

    template <class V, class S>
    static constexpr void fields(V& v, S& s)
    {
        v.inputs(s.inputs, most_inputs);
        v.choice(12, "kernel", s.kernel, {Kernel::gaussian, Kernel::laplacian, Kernel::cauchy},
                 "the kernel to estimate");
        v.bandwidth(16, "bandwidth", s.bandwidth, "b; auto: the median distance of the data");
        v.choice(13, "form", s.form, {Form::pair, Form::phase},
                 "cosine and sine of each row, or one cosine with a random phase");
        v.choice(14, "rows", s.rows, {Rows::automatic, Rows::hadamard, Rows::dense, Rows::fastfood, Rows::quasi},
                 automatic_rows_help);
        v.choice(15, "orders", s.orders, {Orders::automatic, Orders::none, Orders::one},
                 "low orders carried exactly (1: gaussian kernel and pairs only, for centred data); auto: none");
        v.choice(20, "numbers", s.numbers, {Numbers::float32, Numbers::int8},
                 "int8: whole numbers throughout, of inputs from -127 to 127");
        v.features(s.features, most_features);
        v.seed(24, s.seed);
    }

    static constexpr SpecReport across(const RffSpec& s) noexcept
    {
        if (s.numbers == Numbers::int8) {
            if (s.kernel != Kernel::gaussian)
                return {Status::bad_spec, "kernel", "gaussian with numbers=int8"};
            if (s.rows != Rows::automatic && s.rows != Rows::hadamard)
                return {Status::bad_spec, "rows", "auto or hadamard with numbers=int8"};
            if (s.orders == Orders::one)
                return {Status::bad_spec, "orders", "auto or none with numbers=int8"};
            if (s.inputs > most_integer_inputs)
                return {Status::bad_spec, "inputs", "at most 16384 with numbers=int8", most_integer_inputs};
            const auto bandwidth = std::bit_cast<std::uint32_t>(s.bandwidth);
            if (bandwidth < least_integer_bandwidth || bandwidth > most_integer_bandwidth)
                return {Status::bad_spec, "bandwidth", "1 to 65536 with numbers=int8, in the units of whole inputs"};
        }
        if (s.form == Form::pair && s.features % 2 != 0)
            return {Status::bad_spec, "features", "an even number, because the form is pair",
                    std::uint64_t{s.features} + 1};
        if (s.kernel != Kernel::gaussian && rows_in_blocks(s.rows))
            return {Status::bad_spec, "rows", "dense or quasi, because only the gaussian kernel's spectrum is radial"};
        if (s.rows == Rows::quasi && s.inputs > most_quasi_inputs)
            return {Status::bad_spec, "inputs", "at most 1024 for quasi rows", most_quasi_inputs};
        if (s.orders == Orders::one && (s.kernel != Kernel::gaussian || s.form != Form::pair))
            return {Status::bad_spec, "orders", "none, because exact orders need the gaussian kernel and form pair"};
        if (const std::uint64_t least = std::uint64_t{s.inputs} + 3; s.orders == Orders::one && s.features < least)
            return {Status::bad_spec, "features", "an even number, at least inputs + 3 for orders=1",
                    least + least % 2};
        return {};
    }

    static constexpr RffSpec resolve(RffSpec s) noexcept
    {
        if (s.rows == Rows::automatic)
            s.rows = s.numbers == Numbers::int8     ? Rows::hadamard
                     : s.kernel == Kernel::gaussian ? structured_rows(s.inputs)
                                                    : Rows::dense;
        if (s.orders == Orders::automatic)
            s.orders = Orders::none;
        return s;
    }

    static constexpr std::uint32_t features_per_row(const RffSpec& s) noexcept { return s.form == Form::pair ? 2 : 1; }
    static constexpr std::uint32_t exact_features(const RffSpec& s) noexcept
    {
        return engine::linear_features(s.orders, s.inputs);
    }

    // A row's phase is that of its place.
    static constexpr bool by_position(const RffSpec& s) noexcept { return s.form == Form::phase; }

    template <Kinds kinds>
    static constexpr engine::RowCode functions(const RffSpec& s) noexcept
    {
        using namespace engine;
        RowCode code;
        if (s.numbers == Numbers::int8) {
            if constexpr (kinds.has(Rows::hadamard) && kinds.has(Numbers::int8) && kinds.has(Orders::none)) {
                code.rows = integer_angle_rows;
                code.plan = plan_fourier;
                code.finish = s.form == Form::phase ? finish_integer_phase : finish_integer_pair;
            }
            return code;
        }
        if (s.kernel == Kernel::gaussian) {
            constexpr Kinds own = kinds.among(Rows::hadamard, Rows::dense, Rows::fastfood, Rows::quasi);
            code.rows = normal_rows<own>(s.rows);
            code.kept_rows = normal_kept_rows<own>(s.rows);
        } else {
            const bool laplacian = s.kernel == Kernel::laplacian; // its spectrum is Cauchy's
            if constexpr (kinds.has(Rows::dense))
                if (s.rows == Rows::dense)
                    code.rows = code.kept_rows = laplacian ? dense_cauchy_rows : dense_laplace_rows;
            if constexpr (kinds.has(Rows::quasi))
                if (s.rows == Rows::quasi)
                    code.rows = laplacian ? quasi_cauchy_rows : quasi_laplace_rows;
        }
        if constexpr (kinds.has(Orders::one)) {
            if (s.orders == Orders::one) {
                code.finish = finish_pair_centred;
                code.plan = plan_fourier_centred;
                code.exact = exact_fourier;
            }
        }
        if constexpr (kinds.has(Orders::none)) {
            if (s.orders == Orders::none) {
                code.finish = s.form == Form::phase ? finish_phase : finish_pair;
                code.plan = plan_fourier;
            }
        }
        return code;
    }

    // Whether it computes with whole numbers, and what of.
    static constexpr bool is_whole(const RffSpec& s) noexcept { return s.numbers == Numbers::int8; }
    static constexpr bool negative_features = true;
    static constexpr IntegerRows integer_rows(const RffSpec& s) noexcept
    {
        IntegerRows rows{stream_prefix(s.seed, static_cast<std::uint64_t>(Domain::hadamard_signs)), s.inputs,
                         s.features / features_per_row(s)};
        rows.turns = integer_turns(s.inputs, std::bit_cast<std::uint32_t>(s.bandwidth));
        rows.turns.sine_rows = s.form == Form::phase ? integer_sine_rows : 0;
        rows.turns.parts = static_cast<std::uint8_t>(features_per_row(s));
        rows.features = engine::whole_waves;
        return rows;
    }

    static void scale(const RffSpec& s, std::uint32_t m, engine::RowMap& map) noexcept;
    static double kernel(const RffSpec& s, std::span<const float> x, std::span<const float> y) noexcept;
    static constexpr std::uint64_t operations(const RffSpec& s, const ChosenRows& chosen) noexcept
    {
        return engine::row_map_operations(s, chosen, engine::finish_operations);
    }
};

using Rff = RffSpec;

} // namespace samara
