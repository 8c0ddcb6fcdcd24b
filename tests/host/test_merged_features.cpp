// Features of skeletons that are equal: merged ones have the kernel of all.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <vector>

#include "ports/host/skeleton/merged_features.hpp"
#include "samara/skeleton/features.hpp"
#include "tests/host/read_skeleton.hpp"

using namespace samara;
using namespace samara::desk;

namespace {

using Read = test::ReadSkeleton;

struct Features {
    std::vector<float> real, imaginary;

    explicit Features(std::size_t count) : real(count), imaginary(count) {}
};

constexpr std::uint64_t seed = 11;

Features all_of(const Skeleton& s, const std::vector<float>& x, std::uint32_t count)
{
    Features z(count);
    std::vector<std::uint32_t> work(skeleton_workspace_bytes(s, count) / 4);
    REQUIRE(skeleton_features(s, seed, 0, x, z.real, z.imaginary, std::as_writable_bytes(std::span(work))) ==
            Status::ok);
    return z;
}
Features those_of(const Skeleton& s, const std::vector<float>& x, const std::vector<std::uint32_t>& indices)
{
    Features z(indices.size());
    std::vector<std::uint32_t> work(skeleton_workspace_bytes(s, static_cast<std::uint32_t>(indices.size())) / 4);
    REQUIRE(skeleton_features(s, seed, indices, x, z.real, z.imaginary, std::as_writable_bytes(std::span(work))) ==
            Status::ok);
    return z;
}

double product(const Features& a, const Features& b, std::size_t i)
{
    return static_cast<double>(a.real[i]) * static_cast<double>(b.real[i]) +
           static_cast<double>(a.imaginary[i]) * static_cast<double>(b.imaginary[i]);
}

} // namespace

TEST_CASE("merged features have the kernel of all features")
{
    constexpr std::uint32_t draws = 3000;
    const struct {
        const char* text;
        std::vector<float> x, y;
        bool equal_ones;
    } cases[] = {
        {"circle a count=4\nnode b of=a dual=exp(2)", {0.5f, 1, -2, 3}, {1, 0, 2.5f, -1}, true},
        {"binary a count=5\nnode b of=a dual=exp(3)", {1, -1, 1, 1, -1}, {-1, -1, 1, -1, 1}, true},
        {"categorical a count=3 values=5\nnode b of=a dual=exp(3)", {0, 3, 4}, {4, 3, 1}, true},
        {"sphere a columns=3\nnode b of=a dual=series(0;0;.5;.5)", {0.6f, 0, 0.8f}, {0, -0.6f, 0.8f}, true},
        // The same column in two ways, and one column twice in the same way.
        {"circle a\ncircle b column=0 period=2\ncircle c column=0\nnode d of=a,b,c dual=exp(2)", {0.3f}, {1.1f}, true},
        {"gaussian a columns=2\ncategorical b values=3\nnode c of=a,b,b dual=exp(1)",
         {0.5f, 1, 2},
         {0, 0.25f, 2},
         true},
        {"gaussian a columns=2\nnode b of=a dual=identity", {0.5f, 1}, {0, 0.25f}, false},
    };
    for (const auto& c : cases) {
        CAPTURE(c.text);
        const Read read(c.text);
        const MergedFeatures merged = merge_features(read.skeleton, seed, draws);
        CHECK(merged.draws == draws);
        CHECK(std::accumulate(merged.counts.begin(), merged.counts.end(), 0u) == draws);
        CHECK(std::is_sorted(merged.indices.begin(), merged.indices.end()));
        CHECK((merged.indices.size() < draws / 2) == c.equal_ones);
        const Features x = all_of(read.skeleton, c.x, draws), y = all_of(read.skeleton, c.y, draws);
        const Features mx = those_of(read.skeleton, c.x, merged.indices),
                       my = those_of(read.skeleton, c.y, merged.indices);
        double all = 0.0, few = 0.0;
        for (std::size_t i = 0; i < draws; ++i)
            all += product(x, y, i);
        for (std::size_t k = 0; k < merged.indices.size(); ++k)
            few += merged.counts[k] * product(mx, my, k);
        CHECK(few / draws == doctest::Approx(all / draws).epsilon(1e-6));
    }
}

TEST_CASE("what is merged is as often as it should be")
{
    // A Poisson number of factors: none of them with probability 1/e, and about 950 distinct of 10,000 (16 circles).
    const Read read("circle a count=16\nnode b of=a dual=exp(1)");
    const MergedFeatures merged = merge_features(read.skeleton, seed, 10000);
    CHECK(merged.indices.size() > 850);
    CHECK(merged.indices.size() < 1050);
    const std::uint32_t most = *std::max_element(merged.counts.begin(), merged.counts.end());
    // And products of a circle with its conjugate.
    CHECK(most / 10000.0 > std::exp(-1.0) - 0.02);
    CHECK(most / 10000.0 < std::exp(-1.0) + 0.04);
}

TEST_CASE("draws end before there are more distinct features than were asked for")
{
    const Read read("circle a count=16\nnode b of=a dual=exp(1)");
    const MergedFeatures merged = merge_until(read.skeleton, seed, 200, 100000);
    CHECK(merged.indices.size() == 200);
    CHECK(merged.draws > 200);
    const MergedFeatures same = merge_features(read.skeleton, seed, merged.draws),
                         more = merge_features(read.skeleton, seed, merged.draws + 1);
    CHECK(same.indices == merged.indices);
    CHECK(same.counts == merged.counts);
    CHECK(more.indices.size() == 201);
    CHECK(merge_until(read.skeleton, seed, 200, 50).draws == 50);
}
