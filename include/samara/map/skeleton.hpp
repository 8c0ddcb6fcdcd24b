// The kernel of a computation skeleton (arXiv 1703.07872, Algorithm 1): <z(x), z(y)> estimates K_S(x, y) of
// skeleton.hpp, by the real features of skeleton/features.hpp. A feature is a product of a few functions of a few
// inputs each: time is that of cost() factors for each, on average, and memory that of a block.
//
//   pair   the real and the imaginary part of each feature
//   phase  sqrt(2) times the real part; half of the features are turned by a quarter first (the source's Comment 1)
//   real   the real part, of skeletons whose features have no other: all bases are binary or sphere-uniform.
//          Features of binary inputs alone are parities, +-1 by exclusive-or.
//
// Of m features the estimate's standard deviation falls like 1 / sqrt(m), which counts pairs as one.
//
// The skeleton is the map's data, without which it computes nothing; a list of features may be part of them.
#pragma once

#include "samara/map/map.hpp"
#include "samara/skeleton/data.hpp"

namespace samara {

// Numbers are part of the format.
enum class SkeletonForm : std::uint8_t { automatic = 0, pair = 1, phase = 2, real = 3 };

constexpr const char* word(SkeletonForm form) noexcept
{
    constexpr const char* words[] = {"auto", "pair", "phase", "real"};
    return words[static_cast<unsigned>(form)];
}

struct SkeletonSpec {
    std::uint32_t inputs = 0;
    std::uint32_t features = 512;
    SkeletonForm form = SkeletonForm::automatic;
    std::uint32_t normals = 0; // skeleton_normals() of the skeleton
    std::uint64_t seed = 1;

    friend constexpr bool operator==(const SkeletonSpec&, const SkeletonSpec&) = default;
};

namespace engine {

// Rows of a block: so many random features at a time.
inline constexpr std::uint32_t skeleton_block_rows = 64;

// How many nodes are on the way to all factors of a feature, on average, at most: of the nodes at a depth the costliest
// counts. Bases are nodes, so there are no fewer than factors, and where most nodes have no factors far more.
// most_skeleton_visits: so many or more, or the cost of a node is beyond what cost() can say.
inline constexpr std::uint64_t most_skeleton_visits = std::uint64_t{1} << 23;
constexpr std::uint64_t skeleton_visits(const Skeleton& skeleton) noexcept
{
    constexpr std::uint64_t one = one_factor, most = most_skeleton_visits * one;
    // A node has to look through its ranges for a child, some in the time of a visit.
    constexpr std::uint32_t ranges_of_visit = 8;
    std::uint64_t at_depth[most_skeleton_depth + 1] = {};
    std::uint64_t last = 0;
    for (std::uint32_t i = 0; i < skeleton.groups(); ++i) {
        const SkeletonGroup g = skeleton.group(i);
        if (g.cost == ~std::uint32_t{0})
            return most_skeleton_visits;
        last = one;
        if (g.kind != SkeletonKind::base) {
            std::uint64_t below = 0;
            for (std::uint32_t d = 0; d < g.depth; ++d)
                below = at_depth[d] > below ? at_depth[d] : below;
            if (g.kind == SkeletonKind::node)
                last += g.ranges / ranges_of_visit * one;
            // The product is below 2^33 times 2^31.
            last += ((detail::saturated(detail::mean_factors(g)) + std::uint64_t{1}) * (below >> 8)) >> 8;
        }
        last = last < most ? last : most;
        at_depth[g.depth] = last > at_depth[g.depth] ? last : at_depth[g.depth];
    }
    return last / one;
}

struct SkeletonSample {
    std::span<const float> x;
    std::uint32_t* phases;
    float *imaginary, *normals;
};

} // namespace engine

template <>
struct Map<SkeletonSpec> {
    static constexpr MapId id{10};
    static constexpr const char* name = "skeleton";
    static constexpr const char* estimates[] = {
        "the kernel of a computation skeleton: base kernels of a few inputs, averaged and composed with power series"};

    using Data = SkeletonData;
    static constexpr bool needs_data = true;
    using Code = engine::NoCode;
    using Sample = engine::SkeletonSample;

    template <class V, class S>
    static constexpr void fields(V& v, S& s)
    {
        v.inputs(s.inputs, most_inputs);
        v.choice(12, "form", s.form,
                 {SkeletonForm::automatic, SkeletonForm::pair, SkeletonForm::phase, SkeletonForm::real},
                 "real features: pair, real and imaginary parts; phase, sqrt(2) times one of them; auto: real where "
                 "all bases are binary or sphere-uniform, else pair");
        v.made(16, "normals", s.normals, {0, most_inputs},
               "columns of the longest gaussian or sphere-uniform block of the skeleton; 0: there is none");
        v.features(s.features, most_features);
        v.seed(24, s.seed);
    }

    static constexpr SpecReport across(const SkeletonSpec& s) noexcept
    {
        if (s.features % features_per_row(s) != 0)
            return {Status::bad_spec, "features", "an even number, because they come in pairs", s.features + 1};
        return {};
    }
    // auto is pair here: whether all features are real, the skeleton says.
    static constexpr SkeletonSpec resolve(SkeletonSpec s) noexcept
    {
        s.form = s.form == SkeletonForm::automatic ? SkeletonForm::pair : s.form;
        return s;
    }
    static constexpr bool fits(const SkeletonSpec& s, const SkeletonData& data) noexcept
    {
        const std::uint32_t rows = s.features / features_per_row(s);
        if (!data.good() || data.count() > rows || (!data.all() && data.index(data.count() - 1) >= most_features))
            return false;
        const Skeleton skeleton = data.skeleton();
        return skeleton.inputs() == s.inputs && skeleton_normals(skeleton) == s.normals &&
               (s.form != SkeletonForm::real || skeleton_is_real(skeleton));
    }

    static constexpr std::uint32_t features_per_row(const SkeletonSpec& s) noexcept
    {
        return s.form == SkeletonForm::automatic || s.form == SkeletonForm::pair ? 2 : 1;
    }
    static constexpr std::uint32_t exact_features(const SkeletonSpec&) noexcept { return 0; }
    static constexpr std::uint32_t block_rows(const SkeletonSpec&) noexcept { return engine::skeleton_block_rows; }
    static constexpr std::size_t block_workspace_bytes(const SkeletonSpec& s) noexcept
    {
        const std::uint32_t own = s.form == SkeletonForm::phase ? 2 : 1;
        return sizeof(float) * (std::size_t{own} * engine::skeleton_block_rows + s.normals);
    }
    static constexpr std::size_t workspace_bytes(const SkeletonSpec& s) noexcept { return block_workspace_bytes(s); }

    template <Kinds>
    static constexpr Code code(const SkeletonSpec&) noexcept
    {
        return {};
    }
    static Status begin(const SkeletonSpec& s, const Code&, const SkeletonData& data, std::span<const float> x,
                        std::span<std::byte> work, Sample& sample) noexcept;
    static Status block(const SkeletonSpec& s, const Code&, const SkeletonData& data, const Sample& sample,
                        std::uint32_t k, std::span<float> z) noexcept;

    static constexpr std::uint64_t operations(const SkeletonSpec& s, const SkeletonData& data) noexcept
    {
        constexpr std::uint32_t of_feature = 60, of_factor = 60, of_stream = 600, of_normal = 20, of_visit = 30;
        // More than any budget but one without a limit; rows are fewer than 2^63 / most_each.
        constexpr std::uint64_t endless = std::uint64_t{1} << 63, most_each = std::uint64_t{1} << 38;
        const std::uint64_t rows = data.all() ? s.features / features_per_row(s) : data.count();
        const std::uint64_t factor =
            of_factor + (s.normals == 0 ? 0 : of_stream + std::uint64_t{of_normal} * s.normals);
        const std::uint64_t visits = engine::skeleton_visits(data.skeleton());
        const std::uint64_t factors = factor * data.skeleton().cost() >> 16, way = of_visit * visits;
        const std::uint64_t each = of_feature + (factors > way ? factors : way);
        return visits >= engine::most_skeleton_visits || each > most_each ? endless : rows * each;
    }
};

using SkeletonMap = SkeletonSpec;

} // namespace samara
