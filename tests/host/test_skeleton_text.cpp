// Skeletons as text: what lines make, and what is said of those that make nothing.
#include <doctest/doctest.h>

#include <cmath>
#include <string>
#include <vector>

#include "ports/host/skeleton/skeleton_text.hpp"
#include "ports/host/text/error.hpp"
#include "samara/skeleton/build.hpp"
#include "tests/host/read_skeleton.hpp"

using namespace samara;
using namespace samara::desk;

namespace {

using Read = test::ReadSkeleton;

std::string refusal(const std::string& text)
{
    try {
        (void)skeleton_from_text(text, "net.txt");
    } catch (const BadInput& problem) {
        return problem.what();
    }
    return "accepted";
}

double kernel_of(const Skeleton& s, const std::vector<float>& x, const std::vector<float>& y)
{
    std::vector<double> values(s.nodes());
    double out = 0.0;
    REQUIRE(skeleton_kernel(s, x, y, values, out) == Status::ok);
    return out;
}

constexpr SkeletonActivation relu{SkeletonDual::relu, {}};

} // namespace

TEST_CASE("lines of text are the groups that a program builds")
{
    const std::vector<std::uint32_t> half = {0x40000000u, 0x80000000u};
    std::vector<std::byte> bytes(4096);
    SkeletonBuilder build(bytes, 8);
    const std::uint32_t pixels = build.circles({6, 5, 2}, 0, 0.5f);
    build.base(SkeletonBase::categorical, {}, 60, 1, 4);
    build.base(SkeletonBase::gaussian, {1, 1, 2}, 70, 3, std::bit_cast<std::uint32_t>(0.125f));
    build.base(SkeletonBase::sphere, {}, 76, 4);
    const std::uint32_t first = build.windows(pixels, {3, 2, 2, 1}, {SkeletonDual::series, half});
    build.windows(first, {2, 2, 1, 1}, relu);
    const SkeletonGroup::Range all[] = {{64 + 8, 3}, {60, 1}, {0, 3}, {62, 1}, {61, 1}, {63, 1}};
    build.node(all, {SkeletonDual::step, {}});
    Skeleton wanted;
    REQUIRE(build.finish(wanted));

    // In any order, with comments and blanks.
    const Read read("# the end first\n"
                    "node all of=second,kind,pixels[0..2],place[1],place[0],side dual=step   # of six\n"
                    "\r\n"
                    "circle pixels width=5 height=6 channels=2 period=2\n"
                    "\twindows\tsecond of=first dual=relu patch=2\n"
                    "categorical kind values=4\n"
                    "gaussian place column=70 count=2 columns=3 bandwidth=1.2732395447351628\n"
                    "sphere side columns=4\n"
                    "windows first of=pixels patch=3x2 stride=2x1 dual=series(.25;.25;.5)");
    REQUIRE(read.bytes.size() == wanted.bytes().size());
    CHECK(std::equal(read.bytes.begin(), read.bytes.end(), wanted.bytes().begin()));
}

TEST_CASE("series are grids of channels and places")
{
    const Read series("circle x channels=3 length=20\n"
                      "windows a of=x patch=5 stride=2 dual=relu\n"
                      "windows b of=a patch=2 dual=relu\n"
                      "node top of=b dual=relu\n");
    const SkeletonGroup a = series.skeleton.group(1), b = series.skeleton.group(2);
    CHECK(a.patch_height == 3);
    CHECK(a.patch_width == 5);
    CHECK(a.height == 1);
    CHECK(a.width == 8);
    CHECK(b.patch_height == 1);
    CHECK(b.width == 7);
    CHECK(series.skeleton.inputs() == 60);
}

TEST_CASE("words of activations are their functions")
{
    const auto at = [](const std::string& dual, float angle) {
        const Read read("circle x\nnode y of=x dual=" + dual);
        return kernel_of(read.skeleton, {0.0f}, {angle});
    };
    for (const float angle : {0.0f, 0.5f, 2.0f, 3.0f}) {
        const double r = std::cos(static_cast<double>(angle));
        CHECK(at("identity", angle) == doctest::Approx(r).epsilon(1e-6));
        for (const double a : {0.01, 0.25, 1.0, 7.5, 40.0, 512.0}) {
            CAPTURE(a);
            CHECK(at("exp(" + number_text(a) + ")", angle) == doctest::Approx(std::exp(a * (r - 1.0))).epsilon(1e-4));
        }
        CHECK(at("series(0;0.5;0;0.5)", angle) == doctest::Approx(0.5 * r + 0.5 * r * r * r).epsilon(1e-6));
        CHECK(at("series(0;0.5;0;0.5;0)", angle) == doctest::Approx(0.5 * r + 0.5 * r * r * r).epsilon(1e-6));
    }
}

TEST_CASE("bases are scaled as their words say")
{
    const Read circle("circle x period=24"), angle("circle x"), wide("gaussian x columns=2 bandwidth=3");
    CHECK(kernel_of(circle.skeleton, {1.0f}, {13.0f}) == doctest::Approx(-1.0));
    CHECK(kernel_of(angle.skeleton, {1.0f}, {1.5f}) == doctest::Approx(std::cos(0.5)).epsilon(1e-6));
    CHECK(kernel_of(wide.skeleton, {1.0f, 2.0f}, {4.0f, -2.0f}) ==
          doctest::Approx(std::exp(-25.0 / 18.0)).epsilon(1e-6));
}

TEST_CASE("what is no skeleton is said with its line")
{
    const struct {
        const char *text, *message;
    } cases[] = {
        {"", "net.txt: found no nodes"},
        {"# nothing\n\n", "net.txt: found no nodes"},
        {"circel x", "net.txt: line 1: found 'circel' (did you mean 'circle'?), expected binary"},
        {"circle", "line 1: found no name behind 'circle'"},
        {"circle count=3", "line 1: found no name behind 'circle'"},
        {"circle a[0]", "line 1: found the name 'a[0]', expected no commas"},
        {"circle a\n\ncircle a", "line 3: found the name 'a' again, which line 1 has"},
        {"circle a count", "line 1: found 'count', expected a key with a value"},
        {"circle a count=", "line 1: found 'count=', expected a key with a value"},
        {"circle a count=1 count=2", "line 1: found 'count' twice"},
        {"circle a cuont=2", "line 1: found the key 'cuont' (did you mean 'count'?), expected"},
        {"circle a values=2", "line 1: found the key 'values'"},
        {"circle a count=0", "line 1: count: found '0', expected a whole number from 1 to 16777216"},
        {"circle a count=2.5", "line 1: count: found '2.5'"},
        {"circle a count=2 height=3", "line 1: found several of height and width, length, and count"},
        {"circle a count=2 channels=3", "line 1: found count and channels"},
        {"circle a height=70000", "line 1: height: found '70000', expected a whole number from 1 to 65535"},
        {"circle a height=2000 width=2000", "line 1: found columns up to 4000000, expected at most 1048576"},
        {"circle a column=1048576", "line 1: column: found '1048576'"},
        {"circle a period=0", "line 1: period: found '0', expected a positive number"},
        {"circle a period=-1", "line 1: period: found '-1'"},
        {"circle a period=nan", "line 1: period: found 'nan'"},
        {"circle a period=1e40", "line 1: period: found '1e40'"},
        {"gaussian a bandwidth=x", "line 1: bandwidth: found 'x'"},
        {"categorical a", "line 1: found no values, expected values="},
        {"categorical a values=1", "line 1: values: found '1', expected a whole number from 2"},
        {"sphere a", "line 1: found no columns, expected columns=, 2 or more"},
        {"sphere a columns=1", "line 1: columns: found '1'"},
        {"circle a count=2", "line 1: found 2 nodes at the end, expected one"},
        {"circle a\ncircle b", "line 2: found 'b', which nothing is made of, as 'a' of line 1, expected one end"},
        {"circle a\nnode b dual=relu", "line 2: found no of, expected of="},
        {"circle a\nnode b of=a", "line 2: found no dual, expected dual=, identity, relu, step, exp(a)"},
        {"circle a\nnode b of=c dual=relu", "line 2: of: found 'c'"},
        {"circle pixels\nnode b of=pixel dual=relu", "line 2: of: found 'pixel' (did you mean 'pixels'?)"},
        {"circle a\nnode b of=a, dual=relu", "line 2: of: found ''"},
        {"circle a count=3\nnode b of=a[3] dual=relu", "line 2: of: a: found '3', expected a whole number from 0 to 2"},
        {"circle a count=3\nnode b of=a[2..1] dual=relu",
         "line 2: of: a: found '1', expected a whole number from 2 to 2"},
        {"circle a count=3\nnode b of=a[1 dual=relu", "line 2: of: found 'a[1', expected a bracket at its end"},
        {"node b of=b dual=relu", "line 1: found 'b' made of itself"},
        {"node a of=b dual=relu\nnode b of=c dual=relu\nnode c of=a dual=relu",
         "line 3: found 'c' made of 'a', which is made of it (line 1), expected a graph without cycles"},
        {"circle a\nwindows b of=a,a patch=1 dual=relu", "line 2: of: found 'a,a', expected the name of one grid"},
        {"circle a\nwindows b of=a dual=relu", "line 2: found no patch, expected patch="},
        {"circle a height=3 width=3\nwindows b of=a patch=4x1 dual=relu",
         "line 2: patch: found 4x1, expected at most the 3x3 of 'a'"},
        {"circle a\nwindows b of=a patch=0 dual=relu", "line 2: patch: found '0'"},
        {"circle a\nwindows b of=a patch=x dual=relu", "line 2: patch: found ''"},
        {"circle a\nnode b of=a dual=tanh", "line 2: dual: found 'tanh', expected identity, relu, step"},
        {"circle a\nnode b of=a dual=exp(0)", "line 2: dual: found 'exp(0)', expected exp(a) with a above 0"},
        {"circle a\nnode b of=a dual=exp(1e3)", "line 2: dual: found 'exp(1e3)'"},
        {"circle a\nnode b of=a dual=exp(nan)", "line 2: dual: found 'exp(nan)'"},
        {"circle a\nnode b of=a dual=series(.5;.4)",
         "line 2: dual: found 'series(.5;.4)', whose coefficients add up to 0.9, expected 1"},
        {"circle a\nnode b of=a dual=series(1.5;-.5)", "line 2: dual: found the coefficient '-.5'"},
        {"circle a\nnode b of=a dual=series(1;)", "line 2: dual: found the coefficient ''"},
        {"circle a\nnode b of=a dual=series(1)", "line 2: dual: found 'series(1)', which is 1 whatever its inputs"},
        {"circle a\nnode b of=a patch=2 dual=relu", "line 2: found the key 'patch'"},
        {"circle a \x1b[31m=2", "line 1: found the key '\\x1b[31m'"},
    };
    for (const auto& c : cases) {
        CAPTURE(c.text);
        const std::string said = refusal(c.text);
        CAPTURE(said);
        CHECK(said.find(c.message) != std::string::npos);
        CHECK(said.starts_with("net.txt: "));
    }
}

TEST_CASE("layers are at most as many as a skeleton may have")
{
    for (const std::uint32_t layers : {most_skeleton_depth, most_skeleton_depth + 1}) {
        std::string text = "circle n0\n";
        for (std::uint32_t i = 1; i <= layers; ++i) {
            text += "node n" + std::to_string(i) + " of=n" + std::to_string(i - 1) + " dual=identity\n";
        }
        const bool deep = layers > most_skeleton_depth;
        CHECK(refusal(text).find(deep ? "line 66: found 'n65' with 65 layers below it" : "accepted") !=
              std::string::npos);
    }
}
