// The map of skeletons: its features are those of the skeleton, weighed; what they estimate, and how long they are.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <map>

#include "measure.hpp"
#include "samara/skeleton/features.hpp"
#include "skeleton_examples.hpp"
#include "skeleton_models.hpp"

namespace {

using namespace samara;
using namespace samara::test;

// The first sample, and others that are nearer and nearer to it.
std::vector<std::vector<float>> near_samples(const Skeleton& s)
{
    std::vector<std::vector<float>> all = {sample(s, 1), sample(s, 2)};
    for (const float step : {0.5f, 0.125f}) {
        std::vector<float> x = all[0];
        for (std::uint32_t i = 0; i < 10 && i < s.inputs(); i += 3)
            x[i] += step;
        all.push_back(x);
    }
    return all;
}

struct PlainFeatures {
    std::vector<float> real, imaginary;
};
PlainFeatures plain_features(const Skeleton& s, std::uint64_t seed, const std::vector<Listed>& list,
                             const std::vector<float>& x)
{
    std::vector<std::uint32_t> indices;
    for (const Listed& l : list)
        indices.push_back(l.index);
    PlainFeatures z{std::vector<float>(list.size()), std::vector<float>(list.size())};
    Work work(skeleton_workspace_bytes(s, static_cast<std::uint32_t>(list.size())));
    REQUIRE(skeleton_features(s, seed, indices, x, z.real, z.imaginary, work.bytes()) == Status::ok);
    return z;
}

// The map's features as the skeleton's, in blocks. Those that are turned have another cosine: they agree to rounding.
void check_features(const SkeletonSpec& spec, const Skeleton& s, const SkeletonData& data,
                    const std::vector<Listed>& list, const std::vector<float>& x)
{
    const bool pair = spec.form == SkeletonForm::pair, phase = spec.form == SkeletonForm::phase;
    std::uint32_t sum = 0;
    for (const Listed& l : list)
        sum += l.times;
    const float root = std::sqrt(1.0f / static_cast<float>(sum)), scale = phase ? root * 0x1.6a09e6p+0f : root;
    const PlainFeatures plain = plain_features(s, spec.seed, list, x);
    const std::vector<float> z = map_features(spec, data, x);
    REQUIRE(z.size() == list.size() * (pair ? 2 : 1));
    std::uint32_t turned = 0;
    for (std::size_t k = 0; k < list.size(); ++k) {
        CAPTURE(k);
        const std::size_t first = k / whole * whole, rows = std::min<std::size_t>(whole, list.size() - first);
        const float weight = list[k].times == 1 ? scale : std::sqrt(static_cast<float>(list[k].times)) * scale;
        const float re = weight * plain.real[k], im = weight * plain.imaginary[k];
        if (pair) {
            CHECK(word_of(z[2 * first + k - first]) == word_of(re));
            CHECK(word_of(z[2 * first + rows + k - first]) == word_of(im));
        } else if (phase && skeleton_quarter_turn(s, spec.seed, list[k].index)) {
            ++turned;
            CHECK(std::fabs(z[k] + im) <= 1e-6f * weight * 10.0f);
        } else if (phase) {
            CHECK(word_of(z[k]) == word_of(re));
        } else {
            CHECK(z[k] == re);
        }
    }
    if (phase) { // half of them
        CHECK(turned > list.size() / 4);
        CHECK(turned < list.size() * 3 / 4);
    }
}

std::vector<Listed> all_of(std::uint32_t rows)
{
    std::vector<Listed> list;
    for (std::uint32_t i = 0; i < rows; ++i)
        list.push_back({i, 1});
    return list;
}

const Skeleton& skeleton_for(SkeletonForm form) { return form == SkeletonForm::real ? real_ones() : mixed(); }

} // namespace

TEST_CASE("skeleton map: features are the skeleton's, weighed, with and without a list")
{
    constexpr std::uint32_t rows = 2 * whole + 30;
    std::vector<Listed> some, once, far;
    for (std::uint32_t i = 0; i < whole + 20; ++i) {
        some.push_back({3 * i + i % 2, 1 + i % 5});
        once.push_back({2 * i + 1, 1});
        far.push_back({60000 + 1000 * i, i == 7 ? 70000u : 1u});
    }
    for (const SkeletonForm form : {SkeletonForm::pair, SkeletonForm::phase, SkeletonForm::real}) {
        CAPTURE(static_cast<int>(form));
        const Skeleton& s = skeleton_for(form);
        const SkeletonSpec spec = spec_for(s, form, rows);
        REQUIRE(resolved(spec));
        for (const std::uint64_t k : {1u, 2u}) {
            check_features(spec, s, SkeletonData(s), all_of(rows), sample(s, k));
            for (const auto& list : {some, once, far}) {
                const ListedData listed(s, list);
                REQUIRE(data_fit(spec, listed.data));
                CHECK(listed.data.sum() == good_form(list).sum);
                check_features(spec, s, listed.data, list, sample(s, k));
            }
        }
    }
}

TEST_CASE("skeleton map: blocks of a list are what all features are")
{
    const Skeleton& s = mixed();
    std::vector<Listed> list;
    for (std::uint32_t i = 0; i < whole + 1; ++i)
        list.push_back({5 * i, 1 + i % 3});
    const ListedData listed(s, list);
    for (const SkeletonForm form : {SkeletonForm::pair, SkeletonForm::phase}) {
        const SkeletonSpec spec = spec_for(s, form, 3 * whole);
        const std::vector<float> x = sample(s, 3), z = map_features(spec, listed.data, x);
        Work work(block_workspace_bytes(spec));
        const std::uint32_t each = features_per_row(spec), counts[] = {whole * each, each, 0};
        REQUIRE(block_count(spec) == 3);
        for (std::uint32_t k = 0; k < 3; ++k) {
            const BlockRange range = block_range(spec, listed.data, k);
            CHECK(range.count == counts[k]);
            std::vector<float> part(block_range(spec, k).count, 7.0f);
            REQUIRE(block(spec, listed.data, k, x, part, work.bytes()) == Status::ok);
            CHECK(std::equal(part.begin(), part.begin() + range.count, z.begin() + range.first));
            CHECK(std::all_of(part.begin() + range.count, part.end(), [](float v) { return v == 7.0f; }));
        }
    }
}

TEST_CASE("skeleton map: merged features have the Gram matrix of all that were drawn")
{
    constexpr std::uint32_t rows = 1000;
    // What a feature is made of: the exponent of each input, the same of a feature and its conjugate; and whether it is
    // turned.
    struct Exponents {
        std::array<int, 8> of{};
        bool binary;
    };
    for (const SkeletonForm form : {SkeletonForm::pair, SkeletonForm::phase, SkeletonForm::real}) {
        CAPTURE(static_cast<int>(form));
        const bool real = form == SkeletonForm::real;
        const Skeleton& s = real ? signs() : circles();
        const SkeletonSpec spec = spec_for(s, form, rows);
        std::map<std::array<int, 8>, std::size_t> places;
        std::vector<Listed> list;
        for (std::uint32_t i = 0; i < rows; ++i) {
            Exponents e{{}, real};
            skeleton_factors(
                s, spec.seed, i,
                [](void* context, const SkeletonFactor& factor) {
                    auto& [of, binary] = *static_cast<Exponents*>(context);
                    of[factor.node] = binary ? of[factor.node] ^ 1 : of[factor.node] + (factor.which == 0 ? 1 : -1);
                },
                &e);
            std::array<int, 8> opposite = e.of;
            for (int& n : opposite)
                n = real ? n : -n;
            std::array<int, 8> key = std::min(e.of, opposite);
            key[7] = form == SkeletonForm::phase && skeleton_quarter_turn(s, spec.seed, i) ? 1 : 0;
            const auto [found, is_new] = places.emplace(key, list.size());
            if (is_new)
                list.push_back({i, 0});
            ++list[found->second].times;
        }
        CHECK(list.size() < rows / 2);
        const ListedData merged(s, list);
        REQUIRE(data_fit(spec, merged.data));
        CHECK(merged.data.sum() == rows);
        for (std::uint64_t i = 1; i < 5; ++i)
            for (std::uint64_t j = 1; j <= i; ++j) {
                const std::vector<float> x = sample(s, i), y = sample(s, j);
                const double all =
                    product(map_features(spec, SkeletonData(s), x), map_features(spec, SkeletonData(s), y));
                const double few = product(map_features(spec, merged.data, x), map_features(spec, merged.data, y));
                CHECK(std::fabs(all - few) < 2e-6);
            }
    }
}

TEST_CASE("skeleton map: every form is unbiased")
{
    constexpr unsigned seeds = measure::quick ? 200 : 400;
    constexpr std::uint32_t rows = measure::quick ? 64 : 256;
    for (const SkeletonForm form : {SkeletonForm::pair, SkeletonForm::phase, SkeletonForm::real}) {
        CAPTURE(static_cast<int>(form));
        const Skeleton& s = skeleton_for(form);
        const std::vector<std::vector<float>> points = near_samples(s);
        const std::size_t n = points.size();
        std::vector<double> sum(n), squares(n);
        for (unsigned seed = 0; seed < seeds; ++seed) {
            const SkeletonSpec spec = spec_for(s, form, rows, 1000 + seed);
            const std::vector<float> z = map_features(spec, SkeletonData(s), points[0]);
            for (std::size_t j = 0; j < n; ++j) {
                const double estimate = product(z, map_features(spec, SkeletonData(s), points[j]));
                sum[j] += estimate;
                squares[j] += estimate * estimate;
            }
        }
        bool sharp = false;
        for (std::size_t j = 0; j < n; ++j) {
            const double mean = sum[j] / seeds, truth = kernel_of(s, points[0], points[j]),
                         error = std::sqrt(std::max(squares[j] / seeds - mean * mean, 0.0) / (seeds - 1));
            CAPTURE(j);
            CAPTURE(mean);
            CAPTURE(truth);
            CAPTURE(error);
            CHECK(std::fabs(mean - truth) <= 4.0 * error + 1e-6);
            // A constant that is wrong by a tenth would be seen; phase without its sqrt(2) is wrong by a half.
            sharp = sharp || std::fabs(1.1 * mean - truth) > 4.0 * error + 1e-6;
        }
        CHECK(sharp);
    }
}

TEST_CASE("skeleton map: a pair is as long as its bases are")
{
    constexpr std::uint32_t rows = 2 * whole;
    const SkeletonSpec one = spec_for(circles(), SkeletonForm::pair, rows);
    const std::vector<float> z = map_features(one, SkeletonData(circles()), sample(circles(), 1));
    const auto squared = [](const std::vector<float>& features, std::uint32_t k) {
        const std::size_t at = 2 * (k / whole * whole) + k % whole;
        return std::pow(static_cast<double>(features[at]), 2) + std::pow(static_cast<double>(features[at + whole]), 2);
    };
    for (std::uint32_t k = 0; k < rows; ++k)
        CHECK(squared(z, k) * rows == doctest::Approx(1.0).epsilon(1e-6));

    // A sphere's base feature is at most sqrt(d / 2) long, and there are as many as there are factors.
    Made m;
    const auto steps = exponential(2.0);
    constexpr std::uint32_t columns = 5;
    m.build.node(m.build.base(SkeletonBase::sphere, {}, 0, columns), series(steps));
    const Skeleton& s = m.finish();
    const SkeletonSpec spec = spec_for(s, SkeletonForm::pair, rows);
    const std::vector<float> along = {0, 0.6f, 0.8f, 0, 0}, any = sample(s, 1);
    double largest = 0.0;
    for (const std::vector<float>& x : {along, any}) {
        const std::vector<float> features = map_features(spec, SkeletonData(s), x);
        for (std::uint32_t k = 0; k < rows; ++k) {
            const auto factors = static_cast<double>(skeleton_factors(s, spec.seed, k));
            const double bound = std::pow(columns / 2.0, factors);
            CHECK(squared(features, k) * rows <= bound * (1.0 + 1e-5));
            largest = std::max(largest, factors > 0.0 ? squared(features, k) * rows / bound : 0.0);
        }
    }
    CHECK(largest > 1.0 - 1e-5); // the bound is met where x has two columns next to each other alone
}

TEST_CASE("skeleton map: of signs alone features are parities")
{
    const Skeleton& s = signs();
    constexpr std::uint32_t rows = 150;
    const SkeletonSpec spec = spec_for(s, SkeletonForm::real, rows);
    const std::vector<float> x = {1.0f, -1.0f, 0.0f, -0.0f, 0x1p-149f, -0x1p-149f, 5.0f};
    const std::uint32_t negative = 0b0101110; // those that are not above 0
    const std::vector<float> z = map_features(spec, SkeletonData(s), x);
    const float weight = std::sqrt(1.0f / rows);
    for (std::uint32_t k = 0; k < rows; ++k) {
        std::uint32_t product = 0;
        skeleton_factors(
            s, spec.seed, k,
            [](void* context, const SkeletonFactor& f) { *static_cast<std::uint32_t*>(context) ^= 1u << f.node; },
            &product);
        const int ones = std::popcount(product & negative);
        CHECK(word_of(z[k]) == word_of(ones % 2 == 0 ? weight : -weight));
    }
}
