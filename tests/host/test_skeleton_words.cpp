// Skeletons by a builder's words: what the words come to, what is said of those that come to nothing, and the parts
// that maps have of them.
#include <doctest/doctest.h>

#include <algorithm>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "ports/host/skeleton/skeleton_part.hpp"
#include "ports/host/skeleton/skeleton_text.hpp"
#include "ports/host/skeleton/skeleton_words.hpp"
#include "ports/host/text/error.hpp"
#include "tests/host/read_skeleton.hpp"
#include "tests/host/temporary_directory.hpp"

using namespace samara;
using namespace samara::desk;

namespace {

using Given = std::vector<std::pair<std::string, std::string>>;
using Shape = std::vector<std::uint64_t>;

// What a call throws.
template <class Call>
std::string refusal(Call call)
{
    try {
        call();
    } catch (const BadInput& problem) {
        return problem.what();
    }
    return "accepted";
}
std::string refused(const Given& given)
{
    return refusal([&] { (void)SkeletonWords(given); });
}
std::string refused(const Given& given, std::size_t columns, const Shape& shape = {})
{
    return refusal([&] { (void)SkeletonWords(given).part(columns, shape, "x.npy"); });
}
std::string built(const Given& given, std::size_t columns, const Shape& shape = {})
{
    const SkeletonWords words(given);
    const std::string text = words.built(columns, shape, "x.npy");
    // The part is what the text says.
    const SkeletonPart part = words.part(columns, shape, "x.npy");
    CHECK(part.bytes == skeleton_from_text(text, "net.txt"));
    CHECK(part.keys == words.text());
    CHECK(part.list.indices.empty());
    return text;
}

} // namespace

TEST_CASE("skeleton words: what they come to")
{
    CHECK(built({}, 6) == "circle x count=6\nnode layer1 of=x dual=relu\n");
    CHECK(built({{"base", "binary"}, {"dual", "exp(0.25)"}}, 3) ==
          "binary x count=3\nnode layer1 of=x dual=exp(0.25)\n");
    CHECK(built({{"period", "2"}}, 3) == "circle x count=3 period=2\nnode layer1 of=x dual=relu\n");
    CHECK(built({{"base", "gaussian"}, {"bandwidth", "0.5"}}, 3) ==
          "gaussian x count=3 bandwidth=0.5\nnode layer1 of=x dual=relu\n");
    CHECK(built({{"base", "categorical"}, {"values", "7"}}, 3) ==
          "categorical x count=3 values=7\nnode layer1 of=x dual=relu\n");
    CHECK(built({{"base", "sphere"}}, 5) == "sphere x columns=5\nnode layer1 of=x dual=relu\n");
    CHECK(built({{"base", "sphere-uniform"}}, 5) == "sphere-uniform x columns=5\nnode layer1 of=x dual=relu\n");
    // Each further dual is a node upon the last; one alone is everybody's.
    CHECK(built({{"dual", "relu;step;identity"}}, 2) ==
          "circle x count=2\nnode layer1 of=x dual=relu\nnode layer2 of=layer1 dual=step\n"
          "node layer3 of=layer2 dual=identity\n");
    // Semicolons in parentheses are the series' own.
    CHECK(built({{"dual", "series(0;.5;.5);exp(2);series(1e-3;.999)"}}, 2) ==
          "circle x count=2\nnode layer1 of=x dual=series(0;.5;.5)\nnode layer2 of=layer1 dual=exp(2)\n"
          "node layer3 of=layer2 dual=series(1e-3;.999)\n");

    // Convolutions, of images whose shape is said, and of series.
    CHECK(built({{"height", "8"},
                 {"width", "6"},
                 {"channels", "2"},
                 {"patch", "3x2;2"},
                 {"stride", "2x1;1"},
                 {"dual", "exp(1);relu;step;relu"}},
                96) == "circle x height=8 width=6 channels=2\n"
                       "windows layer1 of=x patch=3x2 stride=2x1 dual=exp(1)\n"
                       "windows layer2 of=layer1 patch=2 stride=1 dual=relu\n"
                       "node layer3 of=layer2 dual=step\n"
                       "node layer4 of=layer3 dual=relu\n");
    CHECK(built({{"height", "4"}, {"width", "4"}, {"patch", "2;2"}, {"stride", "2"}}, 16) ==
          "circle x height=4 width=4 channels=1\nwindows layer1 of=x patch=2 stride=2 dual=relu\n"
          "windows layer2 of=layer1 patch=2 stride=2 dual=relu\nnode layer3 of=layer2 dual=relu\n");
    CHECK(built({{"length", "9"}, {"channels", "3"}, {"patch", "5"}}, 27) ==
          "circle x channels=3 length=9\nwindows layer1 of=x patch=5 stride=1 dual=relu\n"
          "node layer2 of=layer1 dual=relu\n");
    CHECK(built({{"length", "9"}}, 9) == "circle x channels=1 length=9\nnode layer1 of=x dual=relu\n");
    // Of an image a block is a pixel's channels.
    CHECK(built({{"base", "sphere"}, {"height", "2"}, {"width", "3"}, {"channels", "4"}}, 24) ==
          "sphere x height=2 width=3 columns=4\nnode layer1 of=x dual=relu\n");
    CHECK(built({{"base", "gaussian"}, {"height", "2"}, {"width", "3"}, {"channels", "4"}, {"bandwidth", "2"}}, 24) ==
          "gaussian x height=2 width=3 columns=4 bandwidth=2\nnode layer1 of=x dual=relu\n");
}

TEST_CASE("skeleton words: the shape of data of several dimensions")
{
    const std::string rest = "\nnode layer1 of=x dual=relu\n";
    CHECK(built({}, 24, {2, 3, 4}) == "circle x height=2 width=3 channels=4" + rest);
    CHECK(built({{"base", "sphere"}}, 24, {2, 3, 4}) == "sphere x height=2 width=3 columns=4" + rest);
    CHECK(built({{"patch", "2"}}, 24, {2, 3, 4}) == "circle x height=2 width=3 channels=4\n"
                                                    "windows layer1 of=x patch=2 stride=1 dual=relu\n"
                                                    "node layer2 of=layer1 dual=relu\n");
    // Two are channels and places, and with a patch of two sizes an image.
    CHECK(built({}, 12, {3, 4}) == "circle x channels=3 length=4" + rest);
    CHECK(built({{"patch", "2"}}, 12, {3, 4}) == "circle x channels=3 length=4\n"
                                                 "windows layer1 of=x patch=2 stride=1 dual=relu\n"
                                                 "node layer2 of=layer1 dual=relu\n");
    CHECK(built({{"patch", "2x3"}}, 12, {3, 4}) == "circle x height=3 width=4 channels=1\n"
                                                   "windows layer1 of=x patch=2x3 stride=1 dual=relu\n"
                                                   "node layer2 of=layer1 dual=relu\n");
    // What is said comes before what the data have; one dimension, or more than three, say nothing.
    CHECK(built({{"height", "4"}, {"width", "6"}}, 24, {2, 3, 4}) == "circle x height=4 width=6 channels=1" + rest);
    CHECK(built({{"length", "24"}}, 24, {2, 3, 4}) == "circle x channels=1 length=24" + rest);
    CHECK(built({}, 24, {24}) == "circle x count=24" + rest);
    CHECK(built({}, 24, {2, 3, 2, 2}) == "circle x count=24" + rest);
    CHECK(built({{"channels", "4"}}, 24, {2, 3, 4}) == "circle x height=2 width=3 channels=4" + rest);
    CHECK(built({{"channels", "3"}}, 12, {3, 4}) == "circle x channels=3 length=4" + rest);
    CHECK(refused({{"channels", "2"}}, 24, {2, 3, 4}) ==
          "skeleton: channels: found '2', expected the 4 of x.npy, or the other sizes of a row beside it");
    CHECK(refused({{"channels", "4"}}, 12, {3, 4}) ==
          "skeleton: channels: found '4', expected the 3 of x.npy, or the other sizes of a row beside it");
    CHECK(refused({}, 24, {2, 3, 5}) == "x.npy: found 24 columns, expected 30: height=2 width=3 channels=5");
    CHECK(refused({}, 24, {2, 3}) == "x.npy: found 24 columns, expected 6: channels=2 length=3");
}

TEST_CASE("skeleton words: those that do not go together")
{
    CHECK(refused({{"merge", "perhaps"}}) == "skeleton: merge: found 'perhaps', expected yes or no");
    CHECK(refused({{"merge", ""}}) == "skeleton: merge: found '', expected yes or no");
    const std::string draws = ", expected a whole number from 0 to 16777216";
    for (const char* wrong : {"-1", "16777217", "5.0", "", "x", "99999999999999999999"})
        CHECK(refused({{"merge", "yes"}, {"draws", wrong}}) ==
              "skeleton: draws: found '" + std::string(wrong) + "'" + draws);
    CHECK(refused({{"draws", "5"}}) == "skeleton: draws: found '5', expected it beside merge=yes");
    CHECK(refused({{"draws", "5"}, {"merge", "no"}}) == "skeleton: draws: found '5', expected it beside merge=yes");
    CHECK(refused({{"draws", "0"}}) == "accepted");
    CHECK(refused({{"merge", "yes"}, {"draws", "16777216"}}) == "accepted");
    CHECK(refused({{"file", "a"}, {"base", "circle"}}) == "skeleton: base: found 'circle', expected no more keys "
                                                          "beside file= than features, form, merge, draws and seed");
    CHECK(refused({{"file", "a b#"}, {"merge", "yes"}, {"draws", "3"}}) == "accepted");
    CHECK(refused({{"file", ""}}) == "skeleton: file: found '', expected the name of a file");
    CHECK(refused({{"base", "disc"}}) ==
          "skeleton: base: found 'disc', expected circle, binary, gaussian, categorical, "
          "sphere or sphere-uniform");
    CHECK(refused({{"base", "cirlce"}}).find("did you mean 'circle'?") != std::string::npos);
    CHECK(refused({{"base", "node"}}).find("skeleton: base: found 'node'") == 0);
    for (const char* wrong : {"2 column=1", "2\tx", "2\nnode", "2#", " "})
        CHECK(refused({{"period", wrong}}).find("expected a value without blanks and #") != std::string::npos);
    CHECK(refused({{"height", "3"}}) == "skeleton: found height alone, expected height and width");
    CHECK(refused({{"width", "3"}}) == "skeleton: found width alone, expected height and width");
    CHECK(refused({{"length", "3"}, {"height", "3"}, {"width", "2"}}) ==
          "skeleton: found height and length, expected those of an image or that of a series");
    CHECK(refused({{"base", "binary"}, {"period", "2"}}) ==
          "skeleton: period: found '2', expected it beside base=circle");
    CHECK(refused({{"bandwidth", "2"}}) == "skeleton: bandwidth: found '2', expected it beside base=gaussian");
    CHECK(refused({{"values", "2"}}) == "skeleton: values: found '2', expected it beside base=categorical");
    CHECK(refused({{"stride", "2"}}) == "skeleton: stride: found '2', expected it beside patch=");
    // Keys of the map, which are no words.
    CHECK(refused({{"features", "64"}, {"form", "phase"}}) == "accepted");
}

TEST_CASE("skeleton words: those that the data do not fit, and values that are none")
{
    CHECK(refused({{"patch", "2"}}, 6) ==
          "skeleton: found patch= and no shape of a row, expected height= and width=, or "
          "length=, or data of several dimensions (.npy)");
    CHECK(refused({{"channels", "2"}}, 6) ==
          "skeleton: channels: found '2', expected it beside height= and width=, or length=");
    CHECK(refused({{"height", "2"}, {"width", "4"}}, 6) ==
          "x.npy: found 6 columns, expected 8: height=2 width=4 channels=1");
    CHECK(refused({{"length", "4"}}, 6) == "x.npy: found 6 columns, expected 4: channels=1 length=4");
    for (const char* wrong : {"0", "65536", "x", "-1", "2.0"}) {
        const std::string expected = "found '" + std::string(wrong) + "', expected a whole number from 1 to 65535";
        CHECK(refused({{"length", wrong}}, 6) == "skeleton: length: " + expected);
        CHECK(refused({{"height", wrong}, {"width", "2"}}, 6) == "skeleton: height: " + expected);
        CHECK(refused({{"width", wrong}, {"height", "2"}}, 6) == "skeleton: width: " + expected);
    }
    CHECK(refused({{"length", "6"}, {"channels", "0"}}, 6) ==
          "skeleton: channels: found '0', expected a whole number from 1 to 1048576");
    const Given image = {{"height", "2"}, {"width", "3"}, {"patch", "2;1"}};
    const auto with = [&](const char* key, const char* value) {
        Given given = image;
        given.emplace_back(key, value);
        return refused(given, 6);
    };
    CHECK(with("stride", "1;1") == "accepted");
    CHECK(with("stride", "1;1;1") == "skeleton: stride: found '1;1;1', expected one, or one for each patch");
    for (const char* wrong : {"relu;relu", "exp(1);step"})
        CHECK(with("dual", wrong) == "skeleton: dual: found '" + std::string(wrong) +
                                         "', expected one for all, or one for each patch and at least one more for the "
                                         "node behind them");
    CHECK(with("dual", "relu;relu;relu") == "accepted");
    for (const char* base : {"sphere", "sphere-uniform"})
        CHECK(refused({{"base", base}, {"length", "3"}, {"channels", "2"}}, 6) ==
              "skeleton: base: found '" + std::string(base) +
                  "', expected another one for a series, where the channels of a place are not side by side");

    // What only the text's reader sees.
    const std::string here = "the skeleton of these words: line ";
    CHECK(refused({{"base", "sphere"}}, 1) ==
          here + "1: columns: found '1', expected a whole number from 2 to 1048576");
    CHECK(refused({{"base", "categorical"}}, 6) == here + "1: found no values, expected values=, how many there are");
    CHECK(refused({{"base", "categorical"}, {"values", "1"}}, 6) ==
          here + "1: values: found '1', expected a whole number from 2 to 1048576");
    CHECK(refused({{"period", "0"}}, 6) ==
          here + "1: period: found '0', expected a positive number between 2^-60 and 2^60");
    CHECK(refused({{"height", "2"}, {"width", "3"}, {"patch", "3"}}, 6) ==
          here + "2: patch: found 3x3, expected at most the 2x3 of 'x'");
    for (const char* wrong : {"relo", "relu)", "relu);relu", "(relu;relu"})
        CHECK(refused({{"dual", wrong}}, 6).find(here + "2: dual: found '" + wrong + "', expected identity, relu") ==
              0);
}

TEST_CASE("skeleton words: as text they give themselves again")
{
    const Given cases[] = {
        {},
        {{"base", "circle"}, {"period", "2"}},
        {{"dual", "series(0;.5;.5);exp(2)"}, {"merge", "yes"}, {"draws", "300"}, {"base", "binary"}},
        {{"stride", "2x1"}, {"patch", "3x2"}, {"channels", "2"}, {"width", "6"}, {"height", "8"}},
        {{"file", "net.txt"}, {"merge", "no"}},
    };
    const char* const texts[] = {
        "",
        "base=circle,period=2",
        "base=binary,dual=series(0;.5;.5);exp(2),merge=yes,draws=300",
        "height=8,width=6,channels=2,patch=3x2,stride=2x1",
        "file=net.txt,merge=no",
    };
    for (std::size_t i = 0; i < std::size(cases); ++i) {
        const SkeletonWords words(cases[i]);
        const std::string text = words.text();
        CHECK(text == texts[i]);
        Given again;
        for (std::size_t at = 0; at < text.size();) {
            const std::size_t end = std::min(text.find(',', at), text.size()), equals = text.find('=', at);
            again.emplace_back(text.substr(at, equals - at), text.substr(equals + 1, end - equals - 1));
            at = end + 1;
        }
        const SkeletonWords read(again);
        CHECK(read.text() == text);
        CHECK(read.merge() == words.merge());
        CHECK(read.draws() == words.draws());
        CHECK(read.file() == words.file());
    }
    CHECK(SkeletonWords(cases[2]).merge());
    CHECK(SkeletonWords(cases[2]).draws() == 300);
    CHECK(SkeletonWords(cases[4]).file() == "net.txt");
    // Names have nothing in them that separates words.
    for (const SkeletonKey& key : skeleton_keys())
        CHECK(std::string(key.name).find_first_of(",= ") == std::string::npos);
}

TEST_CASE("skeleton words: of a file")
{
    const TemporaryDirectory place;
    const std::string path = place.file("net.txt");
    std::ofstream(path) << "circle a count=4\nnode b of=a dual=exp(2)\n";
    const SkeletonPart part = SkeletonWords(Given{{"file", path}}).part(4, {2, 2}, "x.npy");
    CHECK(skeleton_of(part).inputs() == 4);
    CHECK(skeleton_of(part).groups() == 2);
    CHECK(part.keys == "file=" + path);
    CHECK(refused({{"file", path}}, 5) == "x.npy: found 5 columns, expected the 4 of " + path);
    std::ofstream(path) << "circle a count=4\nnode b of=c dual=exp(2)\n";
    CHECK(refused({{"file", path}}, 4).find(path + ": line 2: of: found 'c'") == 0);
    CHECK(refused({{"file", place.file("none.txt")}}, 4).find(place.file("none.txt") + ": cannot open") == 0);
}

TEST_CASE("skeleton parts: bytes, lists and what is kept of them")
{
    const SkeletonPart part = SkeletonWords(Given{{"dual", "exp(2)"}}).part(3, {}, "x.csv");
    const std::vector<std::byte> plain = data_bytes(part, {});
    CHECK(plain == part.bytes);
    const auto list_of = [&](const MergedFeatures& list) {
        const std::vector<std::byte> bytes = data_bytes(part, list);
        SkeletonData data;
        REQUIRE(SkeletonData::of(bytes, static_cast<std::uint32_t>(list.indices.size()), data));
        CHECK(data.good());
        const SkeletonPart again = part_of(data);
        CHECK(again.bytes == part.bytes);
        CHECK(again.keys.empty());
        CHECK(again.list.draws == list.draws);
        CHECK(again.list.indices == list.indices);
        CHECK(again.list.counts == list.counts);
        return bytes.size() - part.bytes.size();
    };
    CHECK(list_of({3, {1, 5, 7}, {1, 1, 1}}) == 8 + 3 * 2);
    CHECK(list_of({5, {1, 5, 7}, {1, 3, 1}}) == 8 + 3 * 4);
    CHECK(list_of({65537, {1, 0xffff}, {0xffff, 2}}) == 8 + 2 * 4);
    CHECK(list_of({3, {1, 5, 65536}, {1, 1, 1}}) == 8 + 3 * 4);
    CHECK(list_of({65538, {1, 5, 65536}, {1, 65536, 1}}) == 8 + 3 * 8);
    SkeletonData all;
    REQUIRE(SkeletonData::of(plain, 0, all));
    const SkeletonPart unlisted = part_of(all);
    CHECK(unlisted.bytes == part.bytes);
    CHECK(unlisted.list.indices.empty());
    CHECK(unlisted.list.draws == 0);

    // Some of a list, or where there is none of all features.
    const MergedFeatures some = kept_of({9, {2, 4, 6, 8}, {1, 3, 4, 1}}, {1, 3});
    CHECK(some.indices == std::vector<std::uint32_t>{4, 8});
    CHECK(some.counts == std::vector<std::uint32_t>{3, 1});
    CHECK(some.draws == 4);
    const MergedFeatures numbered = kept_of({}, {0, 3, 65535});
    CHECK(numbered.indices == std::vector<std::uint32_t>{0, 3, 65535});
    CHECK(numbered.counts == std::vector<std::uint32_t>{1, 1, 1});
    CHECK(numbered.draws == 3);

    CHECK(skeleton_summary(skeleton_of(part)) ==
          "4 nodes in 2 groups, depth 1, complexity 2 (factors of a feature, on average)");
    const test::ReadSkeleton one("circle a");
    CHECK(skeleton_summary(one.skeleton) ==
          "1 node in 1 group, depth 0, complexity 1 (factors of a feature, on average)");
    MergedFeatures many{4096, {}, {}};
    many.indices.resize(512);
    CHECK(list_summary({2, {3, 8}, {1, 1}}) == "2 features, each drawn once");
    CHECK(list_summary(many) == "512 distinct features stand for 4,096 drawn, 8 times as many");
    CHECK_THROWS_AS((void)skeleton_of(SkeletonPart{}), std::logic_error);
}
