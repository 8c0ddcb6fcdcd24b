#pragma once

// What every map promises about its memory, its blocks, bad input, zero and powers of two.
#include <algorithm>
#include <bit>
#include <utility>

#include <doctest/doctest.h>

#include "measure.hpp"

namespace measure {

// A batch, single samples and blocks have the same bits, in a workspace of exactly its size; what is refused leaves the
// output alone.
template <class Spec>
void check_calls(const Spec& request)
{
    using namespace samara;
    const auto spec = resolve(request);
    REQUIRE(resolved(spec));
    CHECK(resolve(spec) == spec);
    constexpr std::size_t samples = 3;
    std::vector<float> x(samples * spec.inputs), z(samples * spec.features), one(spec.features);
    fill_normals(stream_key(1, Domain::user, 1), x);
    std::vector<std::byte> work(workspace_bytes(spec) + 32, std::byte{0xa5});
    const auto exact = std::span(work).first(workspace_bytes(spec));
    REQUIRE(features(spec, x, z, samples, exact) == Status::ok);
    const std::vector<float> before = z;
    for (std::size_t k = 0; k < samples; ++k) {
        const auto sample = std::span(x).subspan(k * spec.inputs, spec.inputs);
        const auto* const row = before.data() + k * spec.features;
        REQUIRE(features(spec, sample, one, exact) == Status::ok);
        CHECK(std::equal(one.begin(), one.end(), row));
        std::fill(one.begin(), one.end(), 0.0f);
        for (std::uint32_t b = 0; b < block_count(spec); ++b) {
            const BlockRange range = block_range(spec, b);
            REQUIRE(block(spec, b, sample, std::span(one).subspan(range.first, range.count), exact) == Status::ok);
        }
        CHECK(std::equal(one.begin(), one.end(), row));
    }
    CHECK(std::all_of(work.end() - 32, work.end(), [](std::byte v) { return v == std::byte{0xa5}; }));
    if (!exact.empty()) {
        CHECK(features(spec, x, z, samples, exact.first(exact.size() - 1)) == Status::small_workspace);
        CHECK(features(spec, x, z, samples, std::span(work).subspan(1)) == Status::misaligned);
    }
    CHECK(features(spec, std::span(x).subspan(1), z, samples, exact) == Status::wrong_length);
    CHECK(features(spec, x, std::span(z).subspan(1), samples, exact) == Status::wrong_length);
    for (const auto& [bad, status] :
         {std::pair{NAN, Status::not_finite}, {INFINITY, Status::not_finite}, {0x1p41f, Status::out_of_range}}) {
        x[2] = bad;
        CHECK(features(spec, x, z, samples, exact) == status);
        CHECK(z == before);
    }
}

// Of a homogeneous map with a depth.
template <class Spec>
void check_contracts(const Spec& request)
{
    using namespace samara;
    check_calls(request);
    const auto spec = resolve(request);
    std::vector<float> x(spec.inputs), one(spec.features);
    fill_normals(stream_key(1, Domain::user, 1), x);
    std::vector<std::byte> work(workspace_bytes(spec));

    // Homogeneous, in powers of two to the bit as long as nothing is subnormal; 0 gives 0, and nothing is lost in
    // tiny vectors.
    std::vector<float> scaled(spec.inputs), other(spec.features);
    REQUIRE(features(spec, x, one, work) == Status::ok);
    for (const float factor : {0x1p-60f, 0x1p36f}) {
        for (std::size_t i = 0; i < scaled.size(); ++i)
            scaled[i] = x[i] * factor;
        REQUIRE(features(spec, scaled, other, work) == Status::ok);
        bool same = true;
        for (std::size_t i = 0; i < other.size(); ++i)
            same = same && other[i] == one[i] * factor;
        CHECK(same);
    }
    std::fill(scaled.begin(), scaled.end(), -0.0f);
    REQUIRE(features(spec, scaled, other, work) == Status::ok);
    CHECK(std::all_of(other.begin(), other.end(), [](float v) { return std::bit_cast<std::uint32_t>(v) == 0; }));
    scaled[0] = 0x1p-149f;
    REQUIRE(features(spec, scaled, other, work) == Status::ok);
    auto damaged = spec;
    damaged.depth = 0;
    CHECK(features(damaged, x, one, work) == Status::bad_spec);
}

// As a template argument a map has the bits of the function.
template <auto request>
void same_as_fixed()
{
    using namespace samara;
    static Fixed<request> map;
    constexpr auto spec = Fixed<request>::spec;
    std::vector<float> x(spec.inputs), z(spec.features), fixed(spec.features);
    fill_normals(stream_key(2, Domain::user, 0), x);
    std::vector<std::byte> work(workspace_bytes(spec));
    REQUIRE(features(spec, x, z, work) == Status::ok);
    REQUIRE(map.features(std::span<const float, spec.inputs>(x), std::span<float, spec.features>(fixed)) == Status::ok);
    CHECK(fixed == z);
    std::vector<float> part(map.block_features);
    for (std::uint32_t k = 0; k < map.blocks; ++k) {
        const BlockRange range = block_range(spec, k);
        REQUIRE(map.block(k, std::span<const float, spec.inputs>(x), part) == Status::ok);
        CHECK(std::equal(part.begin(), part.begin() + range.count, z.begin() + range.first));
    }
}

} // namespace measure
