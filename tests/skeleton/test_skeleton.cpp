// Skeletons: their bytes, what follows from them, and exact kernels against values that were computed elsewhere.
#include <doctest/doctest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#include "samara/kernel.hpp"

#include "support.hpp"

namespace {

using namespace samara;

using namespace samara::test;

void check_matrix(const Skeleton& s, const std::vector<std::vector<float>>& points,
                  const std::vector<std::vector<double>>& values)
{
    for (std::size_t i = 0; i < points.size(); ++i)
        for (std::size_t j = 0; j < points.size(); ++j) {
            CAPTURE(i);
            CAPTURE(j);
            CHECK(kernel_of(s, points[i], points[j]) == doctest::Approx(values[i][j]).epsilon(1e-5));
        }
}

} // namespace

// Computed in double with numpy, from the definition.
TEST_CASE("kernels of three skeletons, layered and not, of every base")
{
    SUBCASE("circles under one exponential")
    {
        Made m;
        const auto steps = exponential(0.25);
        m.build.node(m.build.circles({1, 1, 4}, 0, radians), series(steps));
        const Skeleton& s = m.finish();
        CHECK(s.inputs() == 4);
        CHECK(s.nodes() == 5);
        CHECK(s.depth() == 1);
        CHECK(s.cost() / double{one_factor} == doctest::Approx(0.25).epsilon(1e-3));
        check_matrix(s,
                     {{2.737f, -0.992f, 2.643f, 0.0f},
                      {0.025f, 1.467f, -0.274f, 0.617f},
                      {1.939f, 1.471f, 0.467f, -0.847f},
                      {2.429f, -1.15f, 0.98f, -0.728f}},
                     {{1.0, 0.6940082731847629, 0.7794332106528693, 0.9159279779218036},
                      {0.6940082731847629, 1.0, 0.8557663506401773, 0.7284121851613696},
                      {0.7794332106528693, 0.8557663506401773, 1.0, 0.8758488603480855},
                      {0.9159279779218036, 0.7284121851613696, 0.8758488603480855, 1.0}});
    }
    SUBCASE("a graph without layers")
    {
        Made m;
        const auto steps = exponential(2.0);
        const std::uint32_t angles = m.build.circles({1, 1, 4}, 0, radians);
        REQUIRE(angles == 0);
        const SkeletonGroup::Range first[] = {{0, 3}}, second[] = {{1, 3}}, both[] = {{4, 1}, {5, 1}},
                                   last[] = {{6, 1}, {0, 1}};
        m.build.node(first, series(steps));
        m.build.node(second, relu);
        m.build.node(both, identity);
        m.build.node(last, relu);
        const Skeleton& s = m.finish();
        CHECK(s.depth() == 3);
        CHECK(s.group_of(3) == 0);
        CHECK(s.group_of(4) == 1);
        CHECK(s.group_of(7) == 4);
        // (2 + 1) / 2 factors of the identity, and 1 of the base node.
        CHECK(s.cost() / double{one_factor} == doctest::Approx(1.25).epsilon(1e-4));
        check_matrix(s,
                     {{-1.959f, 1.074f, 1.764f, 1.622f},
                      {2.657f, -1.371f, 2.306f, 0.068f},
                      {1.385f, -1.707f, -0.896f, -0.749f},
                      {1.078f, 1.824f, -2.291f, 1.662f}},
                     {{1.0, 0.3538958655255377, 0.11573162602888323, 0.16435731721786181},
                      {0.3538958655255377, 1.0, 0.479466102723565, 0.34365900624010887},
                      {0.11573162602888323, 0.479466102723565, 1.0, 0.6378350195757352},
                      {0.16435731721786181, 0.34365900624010887, 0.6378350195757352, 1.0}});
    }
    SUBCASE("mixed bases")
    {
        Made m;
        const auto of_exp = exponential(1.0), of_poly = steps_of({0.0, 0.5, 0.5});
        m.build.base(SkeletonBase::binary, {}, 0);
        m.build.base(SkeletonBase::categorical, {}, 1, 1, 4);
        m.build.base(SkeletonBase::gaussian, {}, 2, 2, word_of(static_cast<float>(0.8 / (2 * pi))));
        m.build.base(SkeletonBase::sphere, {}, 4, 3);
        const SkeletonGroup::Range first[] = {{0, 1}, {1, 1}}, second[] = {{2, 1}, {3, 1}}, last[] = {{4, 1}, {5, 1}};
        m.build.node(first, series(of_exp));
        m.build.node(second, relu);
        m.build.node(last, series(of_poly));
        const Skeleton& s = m.finish();
        CHECK(s.inputs() == 7);
        check_matrix(s,
                     {{-1, 0, 0.09f, -0.367f, -0.876054349259019f, -0.4123765762973146f, -0.249948667661306f},
                      {1, 0, 0.307f, 0.896f, 0.008715881443166065f, -0.035994216424092326f, 0.9993139895922024f},
                      {-1, 0, 1.635f, 0.603f, -0.7226674960798486f, 0.37603091721493775f, -0.5799589980405293f},
                      {-1, 3, 2.432f, -0.808f, 0.06589970507893882f, 0.8663671881683932f, 0.49504052777090984f},
                      {-1, 3, 0.934f, 1.006f, -0.5486450552045156f, 0.751387246237393f, -0.3666139789907382f}},
                     {{1.0, 0.2702530516169363, 0.7188901304029445, 0.2965539968583268, 0.4362256925133318},
                      {0.2702530516169363, 1.0, 0.22560059640742722, 0.23335326913617863, 0.22390801458678933},
                      {0.7188901304029445, 0.22560059640742722, 1.0, 0.39398979242797694, 0.640877593507376},
                      {0.2965539968583268, 0.23335326913617863, 0.39398979242797694, 1.0, 0.6461482224467856},
                      {0.4362256925133318, 0.22390801458678933, 0.640877593507376, 0.6461482224467856, 1.0}});
    }
}

TEST_CASE("windows are the nodes that they stand for")
{
    // 5 x 4 pixels of 2 channels under patches of 3 x 2 with strides 2 and 1: 2 x 3 of them.
    constexpr std::uint32_t height = 5, width = 4, channels = 2;
    std::vector<float> x(height * width * channels), y(x.size());
    for (std::size_t i = 0; i < x.size(); ++i) {
        x[i] = static_cast<float>(i * i % 17) * 0.3f;
        y[i] = static_cast<float>(i * 5 % 13) * 0.4f;
    }
    for (const SkeletonActivation& activation : {relu, step, identity}) {
        Made short_form, long_form;
        const auto pixels = short_form.build.circles({height, width, channels}, 0, 0.1f);
        const auto patches = short_form.build.windows(pixels, {3, 2, 2, 1}, activation);
        short_form.build.node(patches, relu);
        const Skeleton& s = short_form.finish();
        CHECK(s.group(1).height == 2);
        CHECK(s.group(1).width == 3);

        long_form.build.circles({height, width, channels}, 0, 0.1f);
        for (std::uint32_t row = 0; row < 2; ++row)
            for (std::uint32_t column = 0; column < 3; ++column) {
                SkeletonGroup::Range ranges[3];
                for (std::uint32_t i = 0; i < 3; ++i)
                    ranges[i] = {((2 * row + i) * width + column) * channels, 2 * channels};
                long_form.build.node(ranges, activation);
            }
        const SkeletonGroup::Range all[] = {{40, 1}, {41, 1}, {42, 1}, {43, 1}, {44, 1}, {45, 1}};
        long_form.build.node(all, relu);
        const Skeleton& t = long_form.finish();
        CHECK(s.nodes() == t.nodes());
        CHECK(s.cost() == t.cost());
        CHECK(kernel_of(s, x, y) == doctest::Approx(kernel_of(t, x, y)).epsilon(1e-14));
        CHECK(kernel_of(s, x, x) == doctest::Approx(1.0).epsilon(1e-14));
    }
}

TEST_CASE("dual activations are those of their names")
{
    for (const double mean : {-1.0, -0.6, 0.0, 0.3, 0.999, 1.0}) {
        // Two circles whose kernels are the mean.
        const std::vector<float> x = {0.0f}, y = {static_cast<float>(std::acos(mean))};
        const double rounded = std::cos(static_cast<double>(y[0]) * 2.0 * pi * static_cast<double>(radians));
        const auto of = [&](const SkeletonActivation& activation) {
            Made m;
            m.build.node(m.build.circles({}, 0, radians), activation);
            return kernel_of(m.finish(), x, y);
        };
        const auto steps = exponential(0.25), square = steps_of({0.25, 0.25, 0.5});
        CHECK(of(identity) == doctest::Approx(rounded).epsilon(1e-12));
        CHECK(of(relu) == doctest::Approx(nngp_of_cosine(rounded, 1)).epsilon(1e-12));
        CHECK(of(step) ==
              doctest::Approx(1.0 - std::acos(std::fmin(std::fmax(rounded, -1.0), 1.0)) / pi).epsilon(1e-7));
        CHECK(of(series(steps)) == doctest::Approx(std::exp(0.25 * (rounded - 1.0))).epsilon(1e-8));
        CHECK(of(series(square)) == doctest::Approx(0.25 + 0.25 * rounded + 0.5 * rounded * rounded).epsilon(1e-8));
    }
}

TEST_CASE("a skeleton has one form, and every other change of its bytes is refused or another skeleton")
{
    Made m;
    const auto steps = exponential(0.5);
    const auto pixels = m.build.base(SkeletonBase::gaussian, {4, 4, 2}, 3, 2, word_of(0.25f));
    const auto patches = m.build.windows(pixels, {2, 3, 1, 1}, series(steps));
    const auto top = m.build.windows(patches, {2, 2, 1, 1}, relu);
    REQUIRE(top == 2);
    const SkeletonGroup::Range ranges[] = {{38, 2}, {0, 5}};
    m.build.node(ranges, step);
    const Skeleton& s = m.finish();
    CHECK(s.inputs() == 3 + 32 * 2);
    CHECK(s.groups() == 4);
    CHECK(s.depth() == 3);

    std::vector<std::byte> bytes(s.bytes().begin(), s.bytes().end());
    Skeleton other;
    CHECK_FALSE(Skeleton::read({}, other));
    for (std::size_t size = 0; size < bytes.size(); ++size)
        CHECK_FALSE(Skeleton::read(std::span(bytes).first(size), other));
    std::vector<float> x(s.inputs(), 0.5f), y(s.inputs(), 0.25f);
    unsigned accepted = 0;
    for (std::size_t at = 0; at < bytes.size(); ++at)
        for (const unsigned change : {1u, 2u, 16u, 128u, 255u}) {
            std::vector<std::byte> changed = bytes;
            changed[at] ^= static_cast<std::byte>(change);
            if (!Skeleton::read(changed, other))
                continue;
            ++accepted;
            // What is accepted can be used.
            std::vector<double> values(other.nodes());
            double out = 0.0;
            x.resize(other.inputs());
            y.resize(other.inputs());
            CHECK(skeleton_kernel(other, x, y, values, out) == Status::ok);
        }
    CHECK(accepted > 20);                   // turns, steps of the series and the like
    CHECK(accepted < bytes.size() * 5 / 2); // none of lengths, numbers, depths and costs
}

TEST_CASE("what cannot be built is refused")
{
    std::vector<std::byte> bytes(1 << 12);
    Skeleton skeleton;
    const auto refused = [&](auto call) {
        SkeletonBuilder build(bytes, 8);
        const std::uint32_t base = build.circles({3, 3, 1}, 0, 1.0f);
        call(build, base);
        return !build.finish(skeleton);
    };
    const std::vector<std::uint32_t> falling = {7, 6};
    const SkeletonGroup::Range outside[] = {{8, 2}}, later[] = {{9, 1}}, empty[] = {{0, 0}};
    CHECK_FALSE(refused([](auto&, auto) {}));
    CHECK(refused([](auto& build, auto) { build.circles({0, 3, 1}, 0, 1.0f); }));
    CHECK(refused([](auto& build, auto) { build.circles({70000, 1, 1}, 0, 1.0f); }));
    CHECK(refused([](auto& build, auto) { build.circles({}, 0, 0.0f); }));
    CHECK(refused([](auto& build, auto) { build.circles({}, 0, -1.0f); }));
    CHECK(refused([](auto& build, auto) { build.circles({}, 0, INFINITY); }));
    CHECK(refused([](auto& build, auto) { build.circles({}, 1u << 20, 1.0f); }));
    CHECK(refused([](auto& build, auto) { build.base(SkeletonBase::categorical, {}, 0, 1, 1); }));
    CHECK(refused([](auto& build, auto) { build.base(SkeletonBase::sphere, {}, 0, 1); }));
    CHECK(refused([](auto& build, auto) { build.base(SkeletonBase::binary, {}, 0, 1, 1); }));
    CHECK(refused([](auto& build, auto base) { build.windows(base, {4, 1, 1, 1}, relu); }));
    CHECK(refused([](auto& build, auto base) { build.windows(base, {1, 1, 0, 1}, relu); }));
    CHECK(refused([](auto& build, auto base) { build.windows(base + 1, {1, 1, 1, 1}, relu); }));
    CHECK(refused([&](auto& build, auto base) { build.node(base, series(falling)); }));
    CHECK(refused([&](auto& build, auto base) { build.node(base, SkeletonActivation{SkeletonDual::relu, falling}); }));
    CHECK(refused([](auto& build, auto base) { build.node(base, SkeletonActivation{SkeletonDual::series, {}}); }));
    CHECK(refused([&](auto& build, auto) { build.node(outside, relu); }));
    CHECK(refused([&](auto& build, auto) { build.node(later, relu); }));
    CHECK(refused([&](auto& build, auto) { build.node(empty, relu); }));
    CHECK(refused([](auto& build, auto base) {
        for (unsigned i = 0; i < 8; ++i)
            build.node(base, relu);
    }));
    std::vector<std::byte> little(60);
    SkeletonBuilder build(little, 1);
    build.circles({}, 0, 1.0f);
    CHECK(build.finish(skeleton));
    SkeletonBuilder full{std::span<std::byte>(little).first(51), 1};
    full.circles({}, 0, 1.0f);
    CHECK_FALSE(full.finish(skeleton));
}

TEST_CASE("a skeleton that is too deep is refused")
{
    std::vector<std::byte> bytes(1 << 14);
    for (const std::uint32_t layers : {most_skeleton_depth, most_skeleton_depth + 1}) {
        SkeletonBuilder build(bytes, layers + 1);
        std::uint32_t below = build.circles({}, 0, 1.0f);
        for (std::uint32_t i = 0; i < layers; ++i)
            below = build.node(below, relu);
        Skeleton skeleton;
        CHECK(build.finish(skeleton) == (layers == most_skeleton_depth));
    }
}

TEST_CASE("lengths that do not fit are refused")
{
    Made m;
    m.build.node(m.build.circles({1, 1, 3}, 2, 1.0f), relu);
    const Skeleton& s = m.finish();
    CHECK(s.inputs() == 5);
    const std::vector<float> x(5), shorter(4);
    std::vector<double> values(4), fewer(3);
    double out = 7.0;
    CHECK(skeleton_kernel(s, x, shorter, values, out) == Status::wrong_length);
    CHECK(skeleton_kernel(s, shorter, x, values, out) == Status::wrong_length);
    CHECK(skeleton_kernel(s, x, x, fewer, out) == Status::small_workspace);
    CHECK(skeleton_kernel(Skeleton(), {}, {}, values, out) == Status::wrong_length);
    CHECK(out == 7.0);
    CHECK(skeleton_kernel(s, x, x, values, out) == Status::ok);
    CHECK(out == doctest::Approx(1.0));
}

namespace {

// Made while compiling: bytes that a program can have in flash.
constexpr auto flash = [] {
    struct {
        std::byte bytes[96] = {};
        std::size_t size = 0;
    } made;
    SkeletonBuilder build(made.bytes, 2);
    build.node(build.circles({1, 1, 3}, 0, 0.25f), {SkeletonDual::relu, {}});
    Skeleton skeleton;
    made.size = build.finish(skeleton) ? skeleton.bytes().size() : 0;
    return made;
}();
static_assert(flash.size == 16 + 8 + 32 + 32);
static_assert([] {
    Skeleton skeleton;
    return Skeleton::read(std::span(flash.bytes).first(flash.size), skeleton) && skeleton.nodes() == 4;
}());

} // namespace
