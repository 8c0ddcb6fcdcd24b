// Feature maps: a spec (plain data, the seed inside) and a pure function of one sample.
//
// <z(x), z(y)> estimates a kernel K(x, y) without bias; its standard deviation falls like 1 / sqrt(random features).
// What each map computes, to the bit, is in SPEC.md section 5.
//
//   features(spec, x, z, work)           all features of one sample
//   features(spec, x, z, samples, work)  of several, rows one after the other: the same bits, faster
//   block(spec, k, x, z, work)           block k of them: what a consumer with little memory asks for, one by one
//
// All take a resolved spec. They leave z untouched unless they return Status::ok. x and z must not overlap. The
// workspace starts at a multiple of 4 bytes, holds workspace_bytes(spec) bytes (block_workspace_bytes(spec) for block)
// and means nothing between calls.
// Inputs: finite, |x_i| <= 2^40. Zero vectors and subnormals are ordinary input: see each map.
#pragma once

#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>

#include "samara/project.hpp"
#include "samara/status.hpp"

namespace samara {

// Numbers are part of the format; 0 always means: choose for me.
enum class Kernel : std::uint8_t { gaussian = 0, laplacian = 1, cauchy = 2 };
enum class Form : std::uint8_t { pair = 0, phase = 1 };
// How many low orders of the kernel are carried exactly: none, the constant and the linear one, or (arccos alone) the
// quadratic one too.
enum class Orders : std::uint8_t { automatic = 0, none = 1, one = 2, two = 3 };

inline constexpr std::uint32_t most_map_degree = 32;

// Of a polynomial. c[0] ... c[count - 1]; the others are 0.
struct Coefficients {
    float c[most_map_degree + 1] = {};
    std::uint32_t count = 0;

    friend constexpr bool operator==(const Coefficients&, const Coefficients&) = default;
};

// Random Fourier features of a shift-invariant kernel, d = x - y, b the bandwidth:
//   gaussian   exp(-|d|^2 / (2 b^2))      normal rows
//   laplacian  exp(-|d|_1 / b)            Cauchy entries: dense or quasi rows
//   cauchy     prod 1 / (1 + (d_i/b)^2)   Laplace entries: dense or quasi rows
// form pair: sqrt(1/m) (cos, sin) of m rows, two features each: exact on the diagonal. form phase: sqrt(2/m)
// cos(t + phase), a feature a row. Variance of one kernel value: O(1/m), for pairs of normal rows (1 - K^2)^2 / (2m).
// orders one (gaussian pairs only): the first inputs + 1 features are g and g x / b, g = exp(-|x|^2/(2 b^2)); the
// random ones carry the remainder. If one feature is left over, the last one is 0. x = 0 gives cosines 1 and sines 0
// times the amplitude. Inputs whose projections exceed 2^23 turns carry no phase.
struct RffSpec {
    std::uint32_t inputs = 0;      // 1 ... 2^20 (quasi rows: 1,024)
    std::uint32_t features = 1024; // 1 ... 2^24; even for pairs
    Kernel kernel = Kernel::gaussian;
    Form form = Form::pair;
    Rows rows = Rows::automatic; // hadamard for the gaussian kernel from 16 inputs on, else dense
    Orders orders = Orders::automatic;
    float bandwidth = 1; // b above, 2^-30 ... 2^30
    std::uint64_t seed = 0;

    friend constexpr bool operator==(const RffSpec&, const RffSpec&) = default;
};

namespace detail {

// Positive floats order like their bits, so a range is checked without arithmetic, whatever flags a user compiles with.
constexpr bool bandwidth_ok(float b) noexcept
{
    const auto u = std::bit_cast<std::uint32_t>(b);
    return u >= 0x30800000u && u <= 0x4e800000u; // 2^-30 ... 2^30
}

constexpr bool zero_or_within(float v, std::uint32_t least, std::uint32_t most) noexcept
{
    const auto u = std::bit_cast<std::uint32_t>(v);
    return u == 0 || (u >= least && u <= most);
}
constexpr bool coefficient_ok(float v) noexcept { return zero_or_within(v, 0x21800000u, 0x5d800000u); }
constexpr bool is_zero(float v) noexcept { return std::bit_cast<std::uint32_t>(v) == 0; }

// The constant and x.
constexpr std::uint32_t exact_features(Orders orders, std::uint32_t inputs) noexcept
{
    return orders >= Orders::one ? inputs + 1 : 0;
}

// Carrying x exactly pays where enough random features are left beside it.
constexpr bool exact_orders_pay(std::uint32_t features, std::uint32_t inputs, std::uint32_t least_random) noexcept
{
    return features >= std::uint64_t{inputs} + 1 + least_random && features - inputs - 1 >= features / 16;
}

constexpr SpecReport check_sizes(std::uint32_t inputs, std::uint32_t features) noexcept
{
    if (inputs < 1 || inputs > most_inputs)
        return {Status::bad_spec, "inputs", "1 to 1048576", inputs < 1 ? 1u : most_inputs};
    if (features < 1 || features > most_features)
        return {Status::bad_spec, "features", "1 to 16777216", features < 1 ? 1u : most_features};
    return {};
}

} // namespace detail

// Whether a spec (resolved or not) can be computed; names the first field that is wrong.
constexpr SpecReport check(const RffSpec& s) noexcept
{
    if (const SpecReport sizes = detail::check_sizes(s.inputs, s.features); !sizes)
        return sizes;
    if (s.kernel > Kernel::cauchy)
        return {Status::bad_spec, "kernel", "gaussian, laplacian or cauchy"};
    if (s.form > Form::phase)
        return {Status::bad_spec, "form", "pair or phase"};
    if (s.form == Form::pair && s.features % 2 != 0)
        return {Status::bad_spec, "features", "an even number, because the form is pair",
                std::uint64_t{s.features} + 1};
    if (s.rows > Rows::quasi)
        return {Status::bad_spec, "rows", "auto, hadamard, dense, fastfood or quasi"};
    if (s.kernel != Kernel::gaussian && rows_in_blocks(s.rows))
        return {Status::bad_spec, "rows", "dense or quasi, because only the gaussian kernel's spectrum is radial"};
    if (s.rows == Rows::quasi && s.inputs > most_quasi_inputs)
        return {Status::bad_spec, "inputs", "at most 1024 for quasi rows", most_quasi_inputs};
    if (s.orders > Orders::one)
        return {Status::bad_spec, "orders", "auto, none or 1"};
    if (s.orders == Orders::one && (s.kernel != Kernel::gaussian || s.form != Form::pair))
        return {Status::bad_spec, "orders", "none, because exact orders need the gaussian kernel and form pair"};
    if (s.orders == Orders::one && s.features < std::uint64_t{s.inputs} + 3) {
        const std::uint64_t least = std::uint64_t{s.inputs} + 3;
        return {Status::bad_spec, "features", "an even number, at least inputs + 3 for orders=1", least + least % 2};
    }
    if (!detail::bandwidth_ok(s.bandwidth))
        return {Status::bad_spec, "bandwidth", "2^-30 to 2^30"};
    return {};
}

// Fills in what was automatic. Of a spec that does not pass check(), the same spec.
constexpr RffSpec resolve(RffSpec s) noexcept
{
    if (!check(s))
        return s;
    if (s.rows == Rows::automatic)
        s.rows = s.kernel == Kernel::gaussian && s.inputs >= 16 ? Rows::hadamard : Rows::dense;
    if (s.orders == Orders::automatic) {
        const bool pays =
            s.kernel == Kernel::gaussian && s.form == Form::pair && detail::exact_orders_pay(s.features, s.inputs, 2);
        s.orders = pays ? Orders::one : Orders::none;
    }
    return s;
}

// What follows takes resolved specs only: those that resolve() leaves as they are.
constexpr bool resolved(const RffSpec& s) noexcept
{
    return check(s) && s.rows != Rows::automatic && s.orders != Orders::automatic;
}

constexpr std::uint32_t features_per_row(const RffSpec& s) noexcept { return s.form == Form::pair ? 2 : 1; }

// Features of the exact orders, which come first: 0 if there are none.
template <class Spec>
constexpr std::uint32_t exact_features(const Spec& s) noexcept
{
    return detail::exact_features(s.orders, s.inputs);
}

// Rows of the regenerated matrix.
template <class Spec>
constexpr std::uint32_t row_count(const Spec& s) noexcept
{
    return (s.features - exact_features(s)) / features_per_row(s);
}

constexpr std::size_t workspace_bytes(const RffSpec& s) noexcept
{
    return sizeof(float) * rows_workspace_floats(s.rows, s.inputs);
}

// What block() takes: a little less for Hadamard rows.
template <class Spec>
constexpr std::size_t block_workspace_bytes(const Spec& s) noexcept
{
    return workspace_bytes(s) -
           sizeof(float) * (rows_workspace_floats(s.rows, s.inputs) - sample_workspace_floats(s.rows, s.inputs));
}

// Features [first, first + count) of the map.
struct BlockRange {
    std::uint32_t first, count;
};

// Blocks in order cover all features: the exact ones (if any), then block_rows() rows at a time (the last block may be
// shorter, and holds the left-over feature if there is one).
template <class Spec>
constexpr std::uint32_t block_count(const Spec& s) noexcept
{
    const std::uint32_t per_block = block_rows(s.rows, s.inputs);
    return (row_count(s) + per_block - 1) / per_block + (s.orders >= Orders::one ? 1 : 0);
}
template <class Spec>
constexpr BlockRange block_range(const Spec& s, std::uint32_t k) noexcept
{
    const std::uint32_t exact = exact_features(s);
    if (exact != 0 && k == 0)
        return {0, exact};
    const std::uint32_t per_block = block_rows(s.rows, s.inputs) * features_per_row(s);
    const std::uint32_t first = exact + (exact != 0 ? k - 1 : k) * per_block;
    return {first, k + 1 == block_count(s) ? s.features - first : per_block};
}
// Features of the largest block.
template <class Spec>
constexpr std::uint32_t largest_block(const Spec& s) noexcept
{
    std::uint32_t largest = 0;
    for (const std::uint32_t k : {std::uint32_t{0}, std::uint32_t{1}, block_count(s) - 1}) {
        if (k < block_count(s) && block_range(s, k).count > largest)
            largest = block_range(s, k).count;
    }
    return largest;
}

// Rows of a map that are kept, the others left out: their numbers in ascending order, two bytes each, little-endian, as
// a sealed model holds them. The features of the exact orders stay. A block has the features of its kept rows alone, a
// pair map's cosines and then its sines; the amplitude is that of a map with as many rows as are kept. The bytes must
// outlive their use.
class ChosenRows {
public:
    constexpr ChosenRows() noexcept = default; // all rows
    constexpr explicit ChosenRows(std::span<const std::byte> indices) noexcept : indices_(indices) {}

    constexpr bool all() const noexcept { return indices_.empty(); }
    constexpr std::uint32_t count() const noexcept { return static_cast<std::uint32_t>(indices_.size() / 2); }
    constexpr std::uint32_t row(std::uint32_t i) const noexcept
    {
        return std::to_integer<std::uint32_t>(indices_[2 * std::size_t{i}]) |
               std::to_integer<std::uint32_t>(indices_[2 * std::size_t{i} + 1]) << 8;
    }
    constexpr const std::byte* bytes() const noexcept { return indices_.data(); }
    // The first of them that is not below `row`.
    constexpr std::uint32_t position_of(std::uint32_t wanted) const noexcept
    {
        std::uint32_t low = 0, high = count();
        while (low < high) {
            const std::uint32_t middle = low + (high - low) / 2;
            (row(middle) < wanted ? low : high) = row(middle) < wanted ? middle + 1 : middle;
        }
        return low;
    }
    // Whether they ascend and lie below `rows`.
    constexpr bool valid(std::uint32_t rows) const noexcept
    {
        if (indices_.size() % 2 != 0)
            return false;
        for (std::uint32_t i = 0; i < count(); ++i)
            if (row(i) >= rows || (i > 0 && row(i) <= row(i - 1)))
                return false;
        return true;
    }

private:
    std::span<const std::byte> indices_;
};

// With some rows kept: how many features, which of them block k holds (there may be none), and the workspace that
// features() takes. block() takes block_workspace_bytes(spec) and a z of largest_block(spec) floats, of which it fills
// the first block_range(spec, chosen, k).count.
template <class Spec>
constexpr std::uint32_t feature_count(const Spec& s, const ChosenRows& chosen) noexcept
{
    return chosen.all() ? s.features : exact_features(s) + chosen.count() * features_per_row(s);
}
template <class Spec>
constexpr BlockRange block_range(const Spec& s, const ChosenRows& chosen, std::uint32_t k) noexcept
{
    const std::uint32_t exact = exact_features(s), block = exact != 0 ? k - 1 : k;
    if (chosen.all() || (exact != 0 && k == 0))
        return block_range(s, k);
    const std::uint32_t per_block = block_rows(s.rows, s.inputs), first = chosen.position_of(block * per_block);
    return {exact + first * features_per_row(s),
            (chosen.position_of((block + 1) * per_block) - first) * features_per_row(s)};
}
template <class Spec>
constexpr std::size_t workspace_bytes(const Spec& s, const ChosenRows& chosen) noexcept
{
    const std::uint32_t rows = row_count(s), whole = block_rows(s.rows, s.inputs);
    const std::size_t block = chosen.all() ? 0 : std::size_t{rows < whole ? rows : whole} * features_per_row(s);
    return workspace_bytes(s) + sizeof(float) * block;
}

// Maps whose features come from rows: RffSpec here, others in headers of their own.
template <class Spec>
concept RowSpec = requires(const Spec& s)
{
    {
        features_per_row(s)
        } -> std::same_as<std::uint32_t>;
};

// bad_spec for a spec that is not resolved; wrong_length, small_workspace, misaligned, not_finite or out_of_range for
// what is handed in. block(): k < block_count(spec), z of block_range(spec, k).count floats.
template <RowSpec Spec>
Status features(const Spec& spec, std::span<const float> x, std::span<float> z, std::span<std::byte> work) noexcept;
template <RowSpec Spec>
Status features(const Spec& spec, std::span<const float> x, std::span<float> z, std::size_t samples,
                std::span<std::byte> work) noexcept;
template <RowSpec Spec>
Status features(const Spec& spec, const ChosenRows& chosen, std::span<const float> x, std::span<float> z,
                std::size_t samples, std::span<std::byte> work) noexcept;
template <RowSpec Spec>
Status block(const Spec& spec, std::uint32_t k, std::span<const float> x, std::span<float> z,
             std::span<std::byte> work) noexcept;
template <RowSpec Spec>
Status block(const Spec& spec, const ChosenRows& chosen, std::uint32_t k, std::span<const float> x, std::span<float> z,
             std::span<std::byte> work) noexcept;

} // namespace samara
