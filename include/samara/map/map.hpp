// Feature maps: a spec (plain data, the seed inside) and a pure function of one sample.
//
// <z(x), z(y)> estimates a kernel K(x, y); its standard deviation falls like 1 / sqrt(random features). What each map
// estimates is in its own header, what it computes, to the bit, in SPEC.md, sections 9 to 19.
//
//   features(spec, x, z, work)           all features of one sample
//   features(spec, x, z, samples, work)  those of several samples, one after the other: the same bits, faster
//   block(spec, k, x, z, work)           block k of one sample's features, for a consumer with little memory
//
// Blocks in order cover all features: first those that carry low orders of the kernel exactly, where there are any,
// then block after block of rows. Maps that cannot be cut (map/engine/whole.hpp) have one block.
//
// All of these take a resolved spec (bad_spec else). x and z must not overlap. The workspace starts at a multiple of 4
// bytes (misaligned else) and holds workspace_bytes(spec) bytes, for block() block_workspace_bytes(spec)
// (small_workspace else); its contents are of no use between calls. Inputs are finite (not_finite else) and |x_i| <=
// 2^40 (out_of_range else); zero vectors and subnormals are ordinary inputs, and each map says what it does with them.
// Lengths that do not fit are wrong_length. z is untouched unless the status is ok, with one exception: if a power or a
// product leaves the range of floats, which only maps of sketches and of skeletons can meet, the status is overflow and
// z is all zeros.
#pragma once

#include <concepts>
#include <type_traits>

#include "samara/map/data.hpp"
#include "samara/map/engine/whole.hpp"
#include "samara/map/fields.hpp"
#include "samara/map/kinds.hpp"

namespace samara {

// The number of a map in models. A user's own maps take first_user_map and above.
enum class MapId : std::uint16_t {};
inline constexpr std::uint16_t first_user_map = 0x8000;

// Specialised by each map; see map/fields.hpp, and map/engine for what the kinds of maps bring along.
template <class Spec>
struct Map;

template <class Spec>
concept FeatureMapSpec = requires
{
    Map<Spec>::id;
    Map<Spec>::name;
};
// Maps whose features come row by row, a few for each: blocks of them are made, and some rows can be chosen.
template <class Spec>
concept BlockSpec = FeatureMapSpec<Spec> && requires(const Spec& s)
{
    Map<Spec>::block_rows(s);
};
// Those of which some rows can be kept: the map's data say which.
template <class Spec>
concept RowSpec = BlockSpec<Spec> && std::is_same_v<typename Map<Spec>::Data, ChosenRows>;
// Those that compute nothing without their data.
template <class Spec>
concept DataSpec = FeatureMapSpec<Spec> && requires
{
    Map<Spec>::needs_data;
};

// Features [first, first + count) of a map.
struct BlockRange {
    std::uint32_t first, count;
};

// Whether each field by itself is good, which is enough for the exact kernel. `expected` stays empty: the field's own
// range or choices say it.
template <FeatureMapSpec Spec>
constexpr SpecReport check_fields(const Spec& s) noexcept
{
    detail::FieldCheck fields;
    Map<Spec>::fields(fields, s);
    return fields.report;
}

// Whether a spec (resolved or not) can be computed; names the first field that is wrong.
template <FeatureMapSpec Spec>
constexpr SpecReport check(const Spec& s) noexcept
{
    const SpecReport fields = check_fields(s);
    return fields ? Map<Spec>::across(s) : fields;
}

// Chooses what is automatic. A spec that does not pass check() is returned as it is.
template <FeatureMapSpec Spec>
constexpr Spec resolve(const Spec& s) noexcept
{
    return check(s) ? Map<Spec>::resolve(s) : s;
}

// Whether resolve() would change nothing and nothing is missing. All functions below need such a spec. resolve() cannot
// make everything: coefficients that are fitted to a kernel come from the desk's programs.
template <FeatureMapSpec Spec>
constexpr bool resolved(const Spec& s) noexcept
{
    detail::FieldsMade made;
    Map<Spec>::fields(made, s);
    return made.all && check(s) && Map<Spec>::resolve(s) == s;
}

// The following functions count features, rows and blocks. All of them take resolved specs.
template <BlockSpec Spec>
constexpr std::uint32_t features_per_row(const Spec& s) noexcept
{
    return Map<Spec>::features_per_row(s);
}
// How many features carry low orders exactly. These come first.
template <BlockSpec Spec>
constexpr std::uint32_t exact_features(const Spec& s) noexcept
{
    return Map<Spec>::exact_features(s);
}
// Rows, each of which makes its features by itself.
template <FeatureMapSpec Spec>
constexpr std::uint32_t row_count(const Spec& s) noexcept
{
    if constexpr (BlockSpec<Spec>)
        return (s.features - exact_features(s)) / features_per_row(s);
    else
        return 0;
}
// Whether data fit the spec.
template <FeatureMapSpec Spec>
constexpr bool data_fit(const Spec& s, const typename Map<Spec>::Data& data) noexcept
{
    if constexpr (DataSpec<Spec>)
        return Map<Spec>::fits(s, data);
    else
        return data.valid(row_count(s));
}
// How many features there are, if `data` chooses some rows.
template <FeatureMapSpec Spec>
constexpr std::uint32_t feature_count(const Spec& s, const typename Map<Spec>::Data& data) noexcept
{
    if constexpr (BlockSpec<Spec>)
        return data.all() ? s.features : exact_features(s) + data.count() * features_per_row(s);
    else
        return s.features;
}
// The blocks of a map, whatever the type of its spec; a constant where the spec is one.
struct BlockPlan {
    std::uint32_t count = 1, largest = 0, features = 0;  // largest: features of the largest block
    std::uint32_t exact = 0, per_block = 0, per_row = 1; // per_block: features of a whole block of rows
    std::size_t bytes = 0;                               // the workspace of block()

    constexpr BlockRange range(NoData, std::uint32_t k) const noexcept
    {
        if (exact != 0 && k == 0)
            return {0, exact};
        const std::uint32_t first = exact + (exact != 0 ? k - 1 : k) * per_block;
        return {first, k + 1 == count ? features - first : per_block};
    }
    template <class Data>
    constexpr BlockRange range(const Data& chosen, std::uint32_t k) const noexcept
    {
        if (chosen.all() || (exact != 0 && k == 0))
            return range(NoData{}, k);
        const std::uint32_t rows = per_block / per_row, begin = (exact != 0 ? k - 1 : k) * rows,
                            first = chosen.position_of(begin);
        return {exact + first * per_row, (chosen.position_of(begin + rows) - first) * per_row};
    }
};

// The workspace of block(). With Hadamard rows it is smaller than that of features().
template <FeatureMapSpec Spec>
constexpr std::size_t block_workspace_bytes(const Spec& s) noexcept
{
    if constexpr (BlockSpec<Spec>)
        return Map<Spec>::block_workspace_bytes(s);
    else
        return Map<Spec>::workspace_bytes(s);
}
template <FeatureMapSpec Spec>
constexpr std::size_t workspace_bytes(const Spec& s) noexcept
{
    return Map<Spec>::workspace_bytes(s);
}
template <FeatureMapSpec Spec>
constexpr std::size_t workspace_bytes(const Spec& s, const typename Map<Spec>::Data& data) noexcept
{
    if constexpr (BlockSpec<Spec>) {
        const std::uint32_t rows = row_count(s), whole = Map<Spec>::block_rows(s);
        const std::size_t block =
            data.all() && !DataSpec<Spec> ? 0 : std::size_t{rows < whole ? rows : whole} * features_per_row(s);
        return workspace_bytes(s) + sizeof(float) * block;
    } else {
        return workspace_bytes(s);
    }
}

template <FeatureMapSpec Spec>
[[gnu::cold]] constexpr BlockPlan block_plan(const Spec& s) noexcept
{
    BlockPlan plan{.largest = s.features, .features = s.features, .per_block = s.features};
    plan.bytes = block_workspace_bytes(s);
    if constexpr (BlockSpec<Spec>) {
        plan.exact = exact_features(s);
        plan.per_row = features_per_row(s);
        plan.per_block = Map<Spec>::block_rows(s) * plan.per_row;
        // A feature that is left over belongs to the last block; where there are pairs, a block is even.
        const std::uint32_t random = s.features - plan.exact, over = random % plan.per_row;
        const std::uint32_t blocks = (random - over + plan.per_block - 1) / plan.per_block;
        const std::uint32_t last = blocks == 0 ? 0 : random - (blocks - 1) * plan.per_block;
        plan.count = blocks + (plan.exact != 0 ? 1 : 0);
        plan.largest = blocks > 1 && plan.per_block > last ? plan.per_block : last;
        plan.largest = plan.exact > plan.largest ? plan.exact : plan.largest;
    }
    return plan;
}

template <FeatureMapSpec Spec>
constexpr std::uint32_t block_count(const Spec& s) noexcept
{
    return block_plan(s).count;
}
// The features of block k < block_count(spec). The last block may be shorter; it holds the left-over feature if there
// is one.
template <FeatureMapSpec Spec>
constexpr BlockRange block_range(const Spec& s, std::uint32_t k) noexcept
{
    return block_plan(s).range(NoData{}, k);
}
// The same if `data` chooses some rows. A block may have none of them.
template <FeatureMapSpec Spec>
constexpr BlockRange block_range(const Spec& s, const typename Map<Spec>::Data& data, std::uint32_t k) noexcept
{
    return block_plan(s).range(data, k);
}
// How many features the largest block has: a buffer for one block needs as many floats.
template <FeatureMapSpec Spec>
constexpr std::uint32_t largest_block(const Spec& s) noexcept
{
    return block_plan(s).largest;
}

namespace detail {

template <class Spec>
concept MayBeWhole = requires(const Spec& s)
{
    Map<Spec>::is_whole(s);
};

// Tells the compiler what read_spec() has seen where floats alone are of interest, that a spec computes with them: what
// whole numbers need is dropped.
template <Arithmetic arithmetic, FeatureMapSpec Spec>
[[gnu::always_inline]] constexpr void know_numbers([[maybe_unused]] Spec& s) noexcept
{
    if constexpr (arithmetic == Arithmetic::floats && MayBeWhole<Spec>)
        s.numbers = Numbers::float32;
}

// Everything that it calls is inlined: then the compiler sees that check()'s messages are not used, and drops them.
// Cold, because it is called once and had better be small than fast.
template <Arithmetic arithmetic = Arithmetic::any, FeatureMapSpec Spec>
[[gnu::noinline, gnu::flatten, gnu::cold]] bool is_resolved(const Spec& s) noexcept
{
    Spec known = s;
    know_numbers<arithmetic>(known);
    return resolved(known);
}

template <FeatureMapSpec Spec>
constexpr auto all_code(const Spec& s) noexcept
{
    return Map<Spec>::template code<all_kinds>(s);
}

// These call a map with a resolved spec and its code.
template <FeatureMapSpec Spec, class Code>
Status run_one(const Spec& s, const Code& code, std::span<const float> x, std::span<float> z,
               std::span<std::byte> work) noexcept
{
    if (x.size() != s.inputs || z.size() != s.features)
        return Status::wrong_length;
    return work.size() < workspace_bytes(s) ? Status::small_workspace : Map<Spec>::one(s, code, x, z, work);
}
template <FeatureMapSpec Spec, class Code>
Status run_batch(const Spec& s, const Code& code, std::span<const float> x, std::span<float> z, std::size_t samples,
                 std::span<std::byte> work) noexcept
{
    if (samples == 0)
        return x.empty() && z.empty() ? Status::ok : Status::wrong_length;
    return samples == 1 ? run_one(s, code, x, z, work) : Map<Spec>::batch(s, code, x, z, samples, work);
}
// Here z may be longer than the block.
template <FeatureMapSpec Spec, class Code, class Data>
Status run_block(const Spec& s, const Code& code, const Data& data, std::uint32_t k, std::span<const float> x,
                 std::span<float> z, std::span<std::byte> work) noexcept
{
    if (x.size() != s.inputs || k >= block_count(s) || z.size() < block_range(s, k).count)
        return Status::wrong_length;
    typename Map<Spec>::Sample sample;
    const std::span<float> made = z.first(block_range(s, data, k).count);
    const Status status = Map<Spec>::begin(s, code, data, x, work, sample);
    return status == Status::ok ? Map<Spec>::block(s, code, data, sample, k, made) : status;
}

} // namespace detail

template <FeatureMapSpec Spec>
Status features(const Spec& s, std::span<const float> x, std::span<float> z, std::span<std::byte> work) noexcept
{
    return detail::is_resolved(s) ? detail::run_one(s, detail::all_code(s), x, z, work) : Status::bad_spec;
}
template <FeatureMapSpec Spec>
Status features(const Spec& s, std::span<const float> x, std::span<float> z, std::size_t samples,
                std::span<std::byte> work) noexcept
{
    return detail::is_resolved(s) ? detail::run_batch(s, detail::all_code(s), x, z, samples, work) : Status::bad_spec;
}
template <FeatureMapSpec Spec>
Status block(const Spec& s, std::uint32_t k, std::span<const float> x, std::span<float> z,
             std::span<std::byte> work) noexcept
{
    return detail::is_resolved(s) ? detail::run_block(s, detail::all_code(s), NoData{}, k, x, z, work)
                                  : Status::bad_spec;
}
// The same with the map's data; bad_spec if they do not fit the spec.
template <FeatureMapSpec Spec>
Status features(const Spec& s, const typename Map<Spec>::Data& data, std::span<const float> x, std::span<float> z,
                std::size_t samples, std::span<std::byte> work) noexcept;
template <FeatureMapSpec Spec>
Status block(const Spec& s, const typename Map<Spec>::Data& data, std::uint32_t k, std::span<const float> x,
             std::span<float> z, std::span<std::byte> work) noexcept
{
    const bool good = detail::is_resolved(s) && data_fit(s, data);
    return good ? detail::run_block(s, detail::all_code(s), data, k, x, z, work) : Status::bad_spec;
}

namespace detail {

// Of a resolved spec and data that fit it.
template <FeatureMapSpec Spec, class Code, class Data>
Status run_with_data(const Spec& s, const Code& code, const Data& data, std::span<const float> x, std::span<float> z,
                     std::size_t samples, std::span<std::byte> work) noexcept
{
    if constexpr (!DataSpec<Spec>)
        if (data.all())
            return run_batch(s, code, x, z, samples, work);
    const std::size_t outputs = feature_count(s, data);
    if (const Status status =
            engine::check_call(s.inputs, feature_count(s, data), workspace_bytes(s, data), x, z.size(), samples, work);
        status != Status::ok)
        return status;
    const BlockPlan blocks = block_plan(s);
    const std::span<float> made(reinterpret_cast<float*>(work.data() + workspace_bytes(s)), blocks.largest);
    typename Map<Spec>::Sample sample;
    const auto begin = [&](std::size_t i) {
        return Map<Spec>::begin(s, code, data, x.subspan(i * s.inputs, s.inputs), work.first(blocks.bytes), sample);
    };
    // Every sample before anything is written. Maps without data of their own have nothing to check beyond check_call.
    for (std::size_t i = 0; i < samples && DataSpec<Spec>; ++i)
        if (const Status status = begin(i); status != Status::ok)
            return status;
    for (std::size_t i = 0; i < samples; ++i) {
        static_cast<void>(begin(i));
        for (std::uint32_t k = 0; k < blocks.count; ++k) {
            const BlockRange range = blocks.range(data, k);
            const std::span<float> out = z.subspan(i * outputs + range.first, range.count);
            const bool exact = k == 0 && blocks.exact != 0;
            const std::span<float> room = exact ? out : made.first(range.count);
            if (const Status status = Map<Spec>::block(s, code, data, sample, k, room); status != Status::ok) {
                for (float& v : z) // a product left the range of floats
                    v = 0.0f;
                return status;
            }
            for (std::uint32_t j = 0; j < range.count && !exact; ++j)
                out[j] = room[j];
        }
    }
    return Status::ok;
}

} // namespace detail

template <FeatureMapSpec Spec>
Status features(const Spec& s, const typename Map<Spec>::Data& data, std::span<const float> x, std::span<float> z,
                std::size_t samples, std::span<std::byte> work) noexcept
{
    const bool good = detail::is_resolved(s) && data_fit(s, data);
    return good ? detail::run_with_data(s, detail::all_code(s), data, x, z, samples, work) : Status::bad_spec;
}

// Maps whose exact kernel is computed without memory.
template <class Spec>
concept KernelSpec = FeatureMapSpec<Spec> && requires(const Spec& s, std::span<const float> x)
{
    Map<Spec>::kernel(s, x, x);
};

// The kernel that a map estimates, exactly: 0 where x and y have different lengths. Those that need memory have
// functions of their own: skeleton_kernel(), and for maps of images cntk_kernel().
template <KernelSpec Spec>
double kernel(const Spec& s, std::span<const float> x, std::span<const float> y) noexcept
{
    return Map<Spec>::kernel(s, x, y);
}

// An estimate of the cost of one sample's features, in additions, multiplications and the like; what regenerates random
// numbers is counted too. It is right within a factor of ten or so (tests/bench/operations.cpp measures that), and
// below 2^64 with room to spare for every spec that passes check(); 2^63 or more where nothing bounds it.
template <FeatureMapSpec Spec>
constexpr std::uint64_t operations(const Spec& s, const typename Map<Spec>::Data& data) noexcept
{
    std::uint64_t own = 0;
    if constexpr (requires { Map<Spec>::operations(s, data); })
        own = Map<Spec>::operations(s, data);
    return own + (4 * s.inputs + feature_count(s, data) + 64);
}

} // namespace samara
