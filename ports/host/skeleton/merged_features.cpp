#include "ports/host/skeleton/merged_features.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <unordered_map>
#include <utility>

#include "samara/skeleton/features.hpp"
#include "samara/stream.hpp"

namespace samara::desk {
namespace {

// What a factor is a power of: base, first column, its value (turns or number of categories); of a sphere also which of
// its features. Nodes that have the same column in the same way have the same base features.
using Root = std::array<std::uint32_t, 4>;

// The roots of a feature with their exponents, as words. Equal features have equal keys.
using Key = std::vector<std::uint32_t>;

struct HashOfKey {
    std::size_t operator()(const Key& key) const
    {
        std::uint64_t hash = key.size();
        for (const std::uint32_t word : key) {
            hash = mix64(hash ^ word) + splitmix_increment;
        }
        return static_cast<std::size_t>(hash);
    }
};

// A feature as it is drawn, factor after factor.
class Powers {
public:
    Powers(const Skeleton& skeleton, std::uint64_t seed, bool quarter_turns)
        : seed_(seed), skeleton_(skeleton), quarter_turns_(quarter_turns)
    {
        for (std::uint32_t i = 0; i < skeleton.groups(); ++i) {
            groups_.push_back(skeleton.group(i));
        }
    }

    Key key_of(std::uint32_t index)
    {
        exponents_.clear();
        unique_ = false;
        skeleton_factors(
            skeleton_, seed_, index,
            [](void* self, const SkeletonFactor& factor) { static_cast<Powers*>(self)->multiply(factor); }, this);
        if (unique_) {
            return {index};
        }
        // The lesser of the feature's and its conjugate's.
        Key least = std::min(key(false), key(true));
        if (quarter_turns_ && skeleton_quarter_turn(skeleton_, seed_, index)) {
            least.insert(least.end(), {turned, turned});
        }
        return least;
    }

private:
    static constexpr std::uint32_t turned = ~0u; // no base has this number

    void multiply(const SkeletonFactor& factor)
    {
        const SkeletonGroup& g = groups_[factor.group];
        const Root root = {g.what, g.column + factor.node * g.columns, g.value, 0};
        std::int64_t& exponent = exponents_[root];
        switch (g.base()) {
        case SkeletonBase::binary:
            exponent ^= 1;
            return;
        case SkeletonBase::circle:
            exponent += factor.which == 0 ? 1 : -1;
            return;
        case SkeletonBase::categorical:
            exponent = (exponent + factor.which) % g.value;
            return;
        case SkeletonBase::sphere:
            exponents_[{g.what, root[1], factor.which, g.columns}] += 1;
            return;
        default:
            unique_ = true;
        }
    }

    Key key(bool conjugate) const
    {
        std::map<Root, std::int64_t> all;
        for (const auto& [root, exponent] : exponents_) {
            if (exponent == 0) {
                continue;
            }
            const auto base = static_cast<SkeletonBase>(root[0]);
            if (!conjugate || base == SkeletonBase::binary) {
                all[root] = exponent;
            } else if (base == SkeletonBase::circle) {
                all[root] = -exponent;
            } else if (base == SkeletonBase::categorical) {
                all[root] = root[2] - exponent;
            } else {
                all[{root[0], root[1], root[2] ^ 1u, root[3]}] = exponent;
            }
        }
        // An index alone is the key of what is equal to nothing; no other has one word.
        Key words;
        for (const auto& [root, exponent] : all) {
            words.insert(words.end(), root.begin(), root.end());
            words.push_back(static_cast<std::uint32_t>(exponent));
        }
        return words;
    }

    std::uint64_t seed_;
    const Skeleton& skeleton_;
    bool quarter_turns_;
    std::vector<SkeletonGroup> groups_;
    std::map<Root, std::int64_t> exponents_;
    bool unique_ = false;
};

} // namespace

MergedFeatures merge_until(const Skeleton& skeleton, std::uint64_t seed, std::uint32_t distinct,
                           std::uint32_t most_draws, bool quarter_turns)
{
    MergedFeatures merged;
    Powers powers(skeleton, seed, quarter_turns);
    std::unordered_map<Key, std::uint32_t, HashOfKey> places;
    for (std::uint32_t i = 0; i < most_draws; ++i) {
        const auto [found, is_new] =
            places.emplace(powers.key_of(i), static_cast<std::uint32_t>(merged.indices.size()));
        if (!is_new) {
            ++merged.counts[found->second];
        } else if (merged.indices.size() == distinct) {
            break;
        } else {
            merged.indices.push_back(i);
            merged.counts.push_back(1);
        }
        merged.draws = i + 1;
    }
    return merged;
}

MergedFeatures merge_features(const Skeleton& skeleton, std::uint64_t seed, std::uint32_t draws, bool quarter_turns)
{
    return merge_until(skeleton, seed, draws, draws, quarter_turns);
}

} // namespace samara::desk
