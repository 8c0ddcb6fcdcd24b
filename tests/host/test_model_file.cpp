#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <fstream>
#include <limits>
#include <span>
#include <stdexcept>
#include <vector>

#include <nlohmann/json.hpp>

#include "every_map.hpp"
#include "ports/host/text/error.hpp"
#include "ports/host/training/compute.hpp"
#include "ports/host/training/model_file.hpp"
#include "ports/host/training/seal.hpp"
#include "samara/learn.hpp"
#include "samara/samara.h"

using namespace samara;
using namespace samara::desk;

namespace {

float noise(std::uint32_t& state)
{
    state = state * 1664525u + 1013904223u;
    return static_cast<float>(static_cast<std::int32_t>(state)) * 0x1p-31f;
}

MatrixF some_rows(std::size_t rows, std::size_t cols)
{
    std::uint32_t state = 9;
    MatrixF x(rows, cols);
    for (float& v : x.values) {
        v = noise(state);
    }
    return x;
}

TrainedModel some_model(const std::string& map, std::uint32_t inputs, std::vector<std::uint16_t> kept = {})
{
    TrainedModel t;
    t.spec = fit_map(parse_map(map), some_rows(4, inputs), "rows");
    t.kept_rows = std::move(kept);
    const MatrixF z = compute_features(t.spec, t.kept_rows, some_rows(1, inputs), 1);
    t.weights = MatrixF(3, z.cols);
    std::uint32_t state = 4;
    for (float& w : t.weights.values) {
        w = noise(state);
    }
    t.bias = {0.25f, -1.0f, 3.5f};
    t.labels = {"one", "two", "a third"};
    t.task = Task::classify;
    return t;
}

// The outputs by their definition, in double, but for the features, which are the core's: what this judges is the
// scaling, the readout and their order. The features themselves have the two tests that follow the first.
std::vector<double> expected(const TrainedModel& t, const float* x, std::size_t o_count)
{
    const std::size_t n = std::visit([](const auto& s) { return std::size_t{s.inputs}; }, t.spec);
    MatrixF one(1, n);
    double squares = 0.0;
    for (std::size_t i = 0; i < n; ++i) {
        float v = x[i];
        if (!t.scaling.fill.empty() && std::isnan(v)) {
            v = t.scaling.fill[i];
        }
        if (!t.scaling.shift.empty()) {
            v = (v - t.scaling.shift[i]) * t.scaling.factor[i];
        }
        one.values[i] = v;
        squares += static_cast<double>(v) * static_cast<double>(v);
    }
    if (t.scaling.unit && squares > 0.0) {
        for (float& v : one.values) {
            v = static_cast<float>(static_cast<double>(v) / std::sqrt(squares));
        }
    }
    const MatrixF z = compute_features(t.spec, t.kept_rows, one, 1);
    std::vector<double> y;
    for (std::size_t o = 0; o < o_count; ++o) {
        double sum = static_cast<double>(t.bias[o]);
        for (std::size_t j = 0; j < z.cols; ++j) {
            sum += static_cast<double>(t.weights.row(o)[j]) * static_cast<double>(z.values[j]);
        }
        y.push_back(sum);
    }
    return y;
}

struct Aligned {
    std::vector<std::uint32_t> words;
    std::size_t size;
    explicit Aligned(const std::string& bytes) : words((bytes.size() + 3) / 4), size(bytes.size())
    {
        std::memcpy(words.data(), bytes.data(), bytes.size());
    }
    std::span<const std::byte> view() const { return std::as_bytes(std::span<const std::uint32_t>(words)).first(size); }
};

void restamp(std::string& bytes)
{
    const std::size_t end = bytes.size() - 4;
    const std::uint32_t crc = crc32(std::as_bytes(std::span<const char>(bytes.data(), end)));
    for (unsigned i = 0; i < 4; ++i) {
        bytes[end + i] = static_cast<char>(crc >> (8 * i) & 255u);
    }
}

} // namespace

TEST_CASE("a sealed model computes what was trained, on every map and readout")
{
    std::vector<std::string> maps = {"rff:features=256",
                                     "rff:features=258,orders=none",
                                     "rff:features=100,kernel=laplacian",
                                     "rff:features=130,form=phase",
                                     "rff:features=128,rows=quasi",
                                     "arccos:features=200",
                                     "arccos:features=190,order=0",
                                     "arccos:features=64,rows=unit",
                                     "arccos:features=300,orders=2",
                                     "arccos:features=150,orders=2,rows=unit",
                                     "arccos:features=150,orders=2,pairs=31,rows=dense",
                                     "rff:features=256,rows=fastfood",
                                     "polynomial:features=128",
                                     "polynomial:features=128,sketch=count,orders=none",
                                     "polynomial:features=90,degree=3",
                                     "dot:coefficients=0.5;0.25;0.1,features=130",
                                     "dot:coefficients=0.5;0.25;0.1,features=130,sketch=count",
                                     "nngp:features=130,depth=2",
                                     "nngp:features=130,rows=gibbs",
                                     "ntk:features=130,depth=2",
                                     "ntk:features=131,depth=2,sketch=count",
                                     "ntk:features=130,sketch=none,rows=dense,orders=none",
                                     "ntk-sketch:features=70,relu-powers=32,depth=2,orders=none",
                                     "ntk-sketch:features=170,orders=1,depth=2",
                                     "ntk-sketch:features=70,tensor=32,fix-diagonal=no,base=osnap,rows=dense",
                                     "ntk-poly:features=200",
                                     "ntk-poly:features=201,depth=3,degree=7,rows=dense,orders=none",
                                     "ntk-poly:features=202,depth=3,degree=9,rest=fit"};
    for (const std::string& text : samara::desk::test::every_map(300)) {
        maps.push_back(text);
    }
    for (const std::string& map : maps) {
        for (const ReadoutType type : {ReadoutType::float32, ReadoutType::float16, ReadoutType::int8}) {
            CAPTURE(map);
            const TrainedModel t = some_model(map, 20);
            const LoadedModel model(seal_model(t, type), "model");
            const MatrixF x = some_rows(7, 20);
            const MatrixF found = model.scores(x, 2, "rows");
            // Features of local are whole numbers, some twenty times as large.
            const double allowed = (type == ReadoutType::float32   ? 2e-5
                                    : type == ReadoutType::float16 ? 2e-2
                                                                   : 0.2) *
                                   (map.starts_with("local:") ? 20.0 : 1.0);
            for (std::size_t i = 0; i < x.rows; ++i) {
                const auto exact = expected(t, x.row(i), 3);
                std::vector<float> work(model.predictor().workspace_bytes() / 4);
                float scores[3];
                REQUIRE(model.predictor().scores({x.row(i), x.cols}, scores,
                                                 std::as_writable_bytes(std::span<float>(work))) == Status::ok);
                for (std::size_t o = 0; o < 3; ++o) {
                    CHECK(std::abs(static_cast<double>(scores[o]) - exact[o]) < allowed);
                    // The desk's batches and the device's single samples: the same bits.
                    CHECK(std::bit_cast<std::uint32_t>(scores[o]) == std::bit_cast<std::uint32_t>(found.row(i)[o]));
                }
            }
        }
    }
}

TEST_CASE("the desk's scores of sealed models have the bits of the specification in Python")
{
    std::ifstream file(SAMARA_TEST_VECTORS "/models.json");
    REQUIRE(file.good());
    const auto float_of = [](const nlohmann::json& digits) {
        return std::bit_cast<float>(static_cast<std::uint32_t>(std::stoul(digits.get<std::string>(), nullptr, 16)));
    };
    const nlohmann::json all = nlohmann::json::parse(file);
    unsigned compared = 0;
    for (const auto& known : all.at("cases")) {
        CAPTURE(known.at("spec").dump());
        const auto digits = known.at("bytes").get<std::string>();
        std::string bytes;
        for (std::size_t i = 0; i < digits.size(); i += 2)
            bytes += static_cast<char>(std::stoul(digits.substr(i, 2), nullptr, 16));
        const LoadedModel model(bytes, "model");
        for (const auto& sample : known.at("samples")) {
            MatrixF x(1, model.model().inputs());
            REQUIRE(sample.at("x").size() == x.cols);
            for (std::size_t i = 0; i < x.cols; ++i)
                x.values[i] = float_of(sample.at("x")[i]);
            const MatrixF found = model.scores(x, 1, "rows");
            REQUIRE(found.cols == sample.at("scores").size());
            for (std::size_t o = 0; o < found.cols; ++o, ++compared)
                CHECK(std::bit_cast<std::uint32_t>(found.values[o]) ==
                      std::bit_cast<std::uint32_t>(float_of(sample.at("scores")[o])));
        }
    }
    CHECK(compared >= 50);
}

TEST_CASE("a model whose weights are the features of a sample scores by the exact kernel")
{
    for (std::string map : samara::desk::test::every_map(1500)) {
        if (!samara::desk::test::has_kernel(map)) {
            continue;
        }
        if (map.starts_with("local-arccos")) { // windows of few places vary more than rows
            map.replace(map.find("1500"), 4, "6000");
        }
        CAPTURE(map);
        MatrixF x = some_rows(6, 20);
        for (std::size_t i = 0; i < x.rows; ++i) { // near to each other, so that no kernel is next to nothing
            double squares = 0.0;
            for (std::size_t j = 0; j < x.cols; ++j) {
                x.row(i)[j] = 0.5f * x.row(i)[j] + x.row(0)[j];
                squares += static_cast<double>(x.row(i)[j]) * static_cast<double>(x.row(i)[j]);
            }
            for (std::size_t j = 0; j < x.cols; ++j)
                x.row(i)[j] = static_cast<float>(static_cast<double>(x.row(i)[j]) / std::sqrt(squares));
        }
        TrainedModel t;
        t.spec = fit_map(parse_map(map), x, "rows");
        t.weights = compute_features(t.spec, {}, x, 1);
        t.bias.assign(x.rows, 0.0f);
        t.task = Task::regress;
        const MatrixF found = LoadedModel(seal_model(t, ReadoutType::float32), "model").scores(x, 1, "rows");
        double difference = 0.0, norm = 0.0;
        const MatrixD kernel = kernel_matrix(t.spec, x, 1);
        for (std::size_t i = 0; i < x.rows; ++i)
            for (std::size_t j = 0; j < x.rows; ++j) {
                const double exact = kernel.row(i)[j];
                difference += std::pow(static_cast<double>(found.row(i)[j]) - exact, 2);
                norm += exact * exact;
            }
        // The baseline's few units vary far more than the rows of the others.
        CHECK(std::sqrt(difference / norm) <= (map.find("-gradient") != std::string::npos ? 0.5 : 0.05));
    }
}

TEST_CASE("kept rows are the full map's, with another amplitude")
{
    for (const char* map :
         {"rff:features=512,orders=none", "rff:features=512,orders=1", "rff:features=512,rows=dense,orders=none",
          "rff:features=300,form=phase", "rff:features=300,form=phase,rows=dense",
          "rff:features=300,rows=quasi,orders=none", "arccos:features=300,orders=none",
          "arccos:features=300,orders=1,rows=dense", "arccos:features=300,order=0,orders=none",
          "arccos:features=600,orders=2", "arccos:features=300,orders=2,pairs=70,rows=unit",
          "arccos:features=300,rows=unit,orders=none", "arccos:features=150,rows=gibbs",
          "ntk-poly:features=300,orders=none", "ntk-poly:features=300,orders=1,rows=dense",
          "cntk:features=300,height=4,depth=2"}) {
        CAPTURE(map);
        const MatrixF x = some_rows(5, 20);
        const MapSpec spec = fit_map(parse_map(map), x, "rows");
        const auto check_rows = [&](const auto& s) {
            const std::uint32_t rows = row_count(s), exact = exact_features(s);
            const std::uint32_t per_row = features_per_row(s),
                                per_block = Map<std::remove_cvref_t<decltype(s)>>::block_rows(s);
            // Norms are drawn in turns of 32 rows, of which the second half has the other normal of each word.
            const std::vector<std::uint16_t> kept = {
                0, 3, 15, 16, 31, 32, 47, 48, 63, 64, 65, 79, 80, 100, static_cast<std::uint16_t>(rows - 1)};
            const MatrixF all = compute_features(spec, x, 1), some = compute_features(spec, kept, x, 1);
            REQUIRE(some.cols == exact + kept.size() * per_row);
            const float ratio = std::sqrt(static_cast<float>(rows) / static_cast<float>(kept.size()));
            for (std::size_t i = 0; i < x.rows; ++i) {
                for (std::size_t j = 0; j < exact; ++j)
                    CHECK(some.row(i)[j] == all.row(i)[j]);
                std::size_t at = exact;
                for (std::uint32_t b = 0; b * per_block < rows; ++b)
                    for (std::uint32_t part = 0; part < per_row; ++part)
                        for (const std::uint16_t row : kept) {
                            if (row / per_block != b)
                                continue;
                            const std::uint32_t in_block = std::min(per_block, rows - b * per_block);
                            const float full =
                                all.row(i)[exact + b * per_block * per_row + part * in_block + row % per_block];
                            CHECK(some.row(i)[at++] ==
                                  doctest::Approx(static_cast<double>(full * ratio)).epsilon(1e-5));
                        }
                CHECK(at == some.cols);
            }
            // one block after the other
            const LoadedModel model(seal_model(some_model(map, 20, kept), ReadoutType::float32), "model");
            std::vector<float> work(model.predictor().workspace_bytes() / 4), z(some.cols);
            REQUIRE(model.predictor().features({x.row(2), x.cols}, z, std::as_writable_bytes(std::span<float>(work))) ==
                    Status::ok);
            CHECK(std::memcmp(z.data(), some.row(2), z.size() * sizeof(float)) == 0);
        };
        std::visit(
            [&](const auto& s) {
                if constexpr (RowSpec<std::remove_cvref_t<decltype(s)>>) {
                    check_rows(s);
                }
            },
            spec);
    }
}

TEST_CASE("inputs are scaled as in training")
{
    TrainedModel t = some_model("rff:features=128", 20);
    MatrixF x = some_rows(4, 20);
    for (std::size_t i = 0; i < 20; ++i) {
        t.scaling.shift.push_back(0.1f * static_cast<float>(i));
        t.scaling.factor.push_back(i == 3 ? 0.0f : 1.0f / (1.0f + static_cast<float>(i)));
        t.scaling.fill.push_back(0.5f);
    }
    for (const bool unit : {false, true}) {
        t.scaling.unit = unit;
        x.row(1)[7] = std::numeric_limits<float>::quiet_NaN();
        const LoadedModel model(seal_model(t, ReadoutType::float32), "model");
        const MatrixF found = model.scores(x, 1, "rows");
        for (std::size_t i = 0; i < x.rows; ++i) {
            const auto exact = expected(t, x.row(i), 3);
            for (std::size_t o = 0; o < 3; ++o)
                CHECK(std::abs(static_cast<double>(found.row(i)[o]) - exact[o]) < 1e-4);
        }
    }
    t.scaling.fill.clear();
    const LoadedModel model(seal_model(t, ReadoutType::float32), "model");
    CHECK_THROWS_WITH_AS((void)model.scores(x, 1, "rows.csv"),
                         doctest::Contains("rows.csv: row 2, column 8: found nan"), BadInput);
    CHECK_THROWS_AS((void)model.scores(some_rows(2, 19), 1, "rows.csv"), BadInput);

    // Unit length, whatever the magnitude.
    t.scaling = {};
    t.scaling.unit = true;
    const LoadedModel unit(seal_model(t, ReadoutType::float32), "model");
    MatrixF small = some_rows(1, 20), same = small;
    for (float& v : small.values)
        v *= 0x1p-100f;
    const MatrixF a = unit.scores(small, 1, "rows"), b = unit.scores(same, 1, "rows");
    CHECK(a.values == b.values);
}

TEST_CASE("weights that the readout's type cannot hold are named, with their class")
{
    TrainedModel t = some_model("rff:features=128", 20);
    t.weights.row(1)[7] = -70000.0f;
    CHECK_NOTHROW((void)seal_model(t, ReadoutType::float32));
    CHECK_NOTHROW((void)seal_model(t, ReadoutType::int8));
    CHECK_THROWS_WITH_AS((void)seal_model(t, ReadoutType::float16), doctest::Contains("-70000 of 'two'"), BadInput);
    for (const ReadoutType type : {ReadoutType::float32, ReadoutType::float16, ReadoutType::int8}) {
        t.weights.row(1)[7] = std::numeric_limits<float>::infinity();
        CHECK_THROWS_WITH_AS((void)seal_model(t, type), doctest::Contains("of 'two'"), BadInput);
        t.weights.row(1)[7] = 0.0f;
        t.bias[2] = std::numeric_limits<float>::quiet_NaN();
        CHECK_THROWS_WITH_AS((void)seal_model(t, type), doctest::Contains("of 'a third'"), BadInput);
        t.bias[2] = 0.0f;
    }
    t.scaling.shift.assign(20, 0.0f);
    t.scaling.factor.assign(20, std::numeric_limits<float>::infinity());
    CHECK_THROWS_WITH_AS((void)seal_model(t, ReadoutType::int8), doctest::Contains("scaling: found"), BadInput);
}

TEST_CASE("halves round to nearest")
{
    CHECK(half_of(1.0f) == 0x3c00);
    CHECK(half_of(-2.0f) == 0xc000);
    CHECK(half_of(65504.0f) == 0x7bff);
    CHECK(half_of(65519.9f) == 0x7bff);
    CHECK(half_of(65520.0f) == 0x7c00);
    CHECK(half_of(0x1p-24f) == 1);
    CHECK(half_of(0x1p-25f) == 0);   // a tie, to even
    CHECK(half_of(0x1.8p-24f) == 2); // another
    CHECK(half_of(1.0f + 0x1p-11f) == 0x3c00);
    CHECK(half_of(1.0f + 0x1.8p-10f) == 0x3c02);
    // and are read back exactly, every one of them
    TrainedModel t = some_model("arccos:features=32,orders=none", 20);
    std::vector<float> halves;
    for (std::uint32_t h = 0; h < 0x7c00; h += 7)
        halves.push_back(h < 0x400 ? static_cast<float>(h) * 0x1p-24f
                                   : std::ldexp(static_cast<float>(1024 + h % 1024), static_cast<int>(h / 1024) - 25));
    for (std::size_t first = 0; first + 96 <= halves.size(); first += 96) {
        std::copy_n(halves.begin() + static_cast<std::ptrdiff_t>(first), 96, t.weights.values.begin());
        const LoadedModel model(seal_model(t, ReadoutType::float16), "model");
        for (std::uint32_t i = 0; i < 96; ++i)
            REQUIRE(model.model().readout().weight(i / 32, i % 32) == t.weights.values[i]);
    }
}

TEST_CASE("damaged, hostile and foreign bytes are refused")
{
    const TrainedModel t = some_model("rff:features=128", 20, {1, 5, 9});
    const std::string good = seal_model(t, ReadoutType::int8);
    const Aligned aligned(good);
    Model model;
    REQUIRE(model.open(aligned.view()) == Status::ok);
    CHECK(model.open(aligned.view().subspan(1)) == Status::misaligned);
    for (std::size_t n = 0; n < good.size(); ++n)
        REQUIRE(model.open(aligned.view().first(n)) != Status::ok);
    for (std::size_t i = 0; i < good.size(); ++i) {
        std::string bad = good;
        bad[i] = static_cast<char>(bad[i] ^ 1 << i % 8);
        REQUIRE(model.open(Aligned(bad).view()) != Status::ok);
    }
    // With a forged CRC every field speaks for itself: whatever opens must be safe to use.
    const MatrixF x = some_rows(1, 20);
    unsigned opened = 0;
    for (std::size_t i = 8; i + 4 < good.size(); ++i) {
        for (const int change : {1, 0x80, 0xff}) {
            std::string bad = good;
            bad[i] = static_cast<char>(bad[i] ^ change);
            restamp(bad);
            const Aligned bytes(bad);
            Predictor<Rff, ArcCos> predictor;
            if (predictor.open(bytes.view()) != Status::ok)
                continue;
            ++opened;
            if (predictor.workspace_bytes() > 1u << 20)
                continue;
            std::vector<float> work(predictor.workspace_bytes() / 4), scores(predictor.model().outputs());
            std::vector<float> input(predictor.model().inputs(), 0.5f);
            (void)predictor.scores(input, scores, std::as_writable_bytes(std::span<float>(work)));
        }
    }
    CHECK(opened > 10); // seeds, weights, labels

    std::string newer = good;
    newer[8] = 2;
    CHECK_THROWS_WITH_AS((void)LoadedModel(newer, "m.samara"),
                         doctest::Contains("found a sealed model of format version 2, expected 1"), BadInput);
    CHECK_THROWS_WITH_AS((void)LoadedModel(std::string(), "m.samara"), doctest::Contains("an empty file"), BadInput);
    CHECK_THROWS_AS((void)LoadedModel(good + "x", "m.samara"), BadInput);
    Predictor<ArcCos> other;
    CHECK(other.open(aligned.view()) == Status::unsupported_map);
    float score = 0.0f;
    std::byte none[4] = {};
    CHECK(other.scores({&score, 1}, {&score, 1}, none) == Status::not_open);
}

TEST_CASE("arccos: where its pairs are sealed, and what is refused")
{
    const auto opens = [](std::string bytes) {
        restamp(bytes);
        Model model;
        return model.open(Aligned(bytes).view());
    };
    for (const char* map : {"arccos:features=60,orders=2", "arccos:features=60,orders=2,pairs=14"}) {
        CAPTURE(map);
        const TrainedModel t = some_model(map, 5);
        const std::string good = seal_model(t, ReadoutType::float32);
        const LoadedModel loaded(good, "model");
        CHECK(loaded.spec() == t.spec);
        const std::uint32_t at = loaded.model().layout().spec.offset;
        CHECK(loaded.model().layout().spec.bytes == 32);
        CHECK(good[at + 15] == 3);
        CHECK(good[at + 20] == static_cast<char>(std::get<ArcCosSpec>(t.spec).pairs));
        for (const char pairs : {char{0}, char{16}, char{60}}) { // not resolved, more than all, more than the features
            std::string bad = good;
            bad[at + 20] = pairs;
            CHECK(opens(bad) == Status::damaged_model);
        }
        std::string one = good, zeroth = good;
        one[at + 15] = 2;
        zeroth[at + 12] = 0;
        CHECK(opens(one) == Status::damaged_model);
        CHECK(opens(zeroth) == Status::damaged_model);
    }
    // Of fewer orders these bytes are zeros.
    std::string one = seal_model(some_model("arccos:features=60,orders=1", 5), ReadoutType::float32);
    const std::uint32_t at = LoadedModel(one, "model").model().layout().spec.offset;
    CHECK(opens(one) == Status::ok);
    one[at + 20] = 1;
    CHECK(opens(one) == Status::damaged_model);
}

TEST_CASE("maps of powers: their specs' bytes, and what is refused")
{
    for (const char* map : {"polynomial:features=24,degree=3,seed=77", "polynomial:features=24,offset=0,orders=none",
                            "dot:coefficients=0.5;0;0.25,features=24,sketch=count"}) {
        CAPTURE(map);
        const TrainedModel t = some_model(map, 5);
        const std::string good = seal_model(t, ReadoutType::float32);
        const LoadedModel loaded(good, "model");
        CHECK(loaded.spec() == t.spec);
        const bool dot = loaded.model().map() == Map<DotSpec>::id;
        const std::uint32_t spec_at = loaded.model().layout().spec.offset;
        CHECK(loaded.model().layout().spec.bytes == (dot ? 164 : 32));
        for (const std::uint32_t zero : {15, 16, 20}) {
            std::string bad = good;
            bad[spec_at + zero] = static_cast<char>(bad[spec_at + zero] ^ 0x80); // zeros, or a number's sign or range
            if (zero != 15 && !dot)
                continue;
            restamp(bad);
            Model model;
            CHECK(model.open(Aligned(bad).view()) == Status::damaged_model);
        }
        std::string unused = good, other = good, kept = good;
        unused[spec_at + (dot ? 163 : 13)] = 0x7f; // a coefficient behind the last one, or no sketch
        other[spec_at] = static_cast<char>(dot ? Map<RffSpec>::id : Map<DotSpec>::id); // of another length
        for (std::string* bad : {&unused, &other}) {
            restamp(*bad);
            Model model;
            CHECK(model.open(Aligned(*bad).view()) == Status::damaged_model);
        }
        // A map of a later version opens as a model, and is nobody's here.
        std::string later = good;
        later[spec_at] = 99;
        restamp(later);
        const Aligned bytes(later);
        Model model;
        CHECK(model.open(bytes.view()) == Status::ok);
        Predictor<Rff, ArcCos, Polynomial, Dot> predictor;
        CHECK(predictor.open(bytes.view()) == Status::unsupported_map);
        const Aligned known(good);
        Predictor<Rff, ArcCos> without;
        CHECK(without.open(known.view()) == Status::unsupported_map);

        TrainedModel some = t;
        some.kept_rows = {0, 1};
        CHECK_THROWS_AS((void)seal_model(some, ReadoutType::float32), std::logic_error);
    }
    // Whatever opens is safe to use.
    const std::string good = seal_model(some_model("dot:coefficients=0.5;1,features=24", 5), ReadoutType::float32);
    const std::vector<float> input(5, 0.5f);
    for (std::size_t i = 8; i + 4 < good.size(); ++i) {
        for (const int change : {1, 0x80, 0xff}) {
            std::string bad = good;
            bad[i] = static_cast<char>(bad[i] ^ change);
            restamp(bad);
            const Aligned bytes(bad);
            Predictor<Rff, ArcCos, Polynomial, Dot> predictor;
            if (predictor.open(bytes.view()) != Status::ok || predictor.workspace_bytes() > 1u << 20)
                continue;
            std::vector<float> work(predictor.workspace_bytes() / 4), scores(predictor.model().outputs());
            (void)predictor.scores(input, scores, std::as_writable_bytes(std::span<float>(work)));
        }
    }
    // A power beyond the range of floats leaves the scores as they were.
    const LoadedModel fourth(seal_model(some_model("polynomial:features=24,degree=4", 5), ReadoutType::float32),
                             "model");
    MatrixF x = some_rows(1, 5);
    for (float& v : x.values)
        v = 0x1p40f;
    std::vector<float> work(fourth.predictor().workspace_bytes() / 4), scores(3, 5.0f);
    CHECK(fourth.predictor().scores(x.values, scores, std::as_writable_bytes(std::span<float>(work))) ==
          Status::overflow);
    CHECK(scores == std::vector<float>(3, 5.0f));
    CHECK_THROWS_AS((void)fourth.scores(x, 1, "rows"), BadInput);
}

namespace {

// What each field must not be in a sealed spec, by the field list: values beside its range, and a size of 0 that
// resolve() would choose.
struct WrongBytes : FieldVisitor {
    struct Wrong {
        std::uint32_t at, bytes, value;
    };
    std::vector<Wrong> all;
    void inputs(std::uint32_t, std::uint32_t most) { outside(inputs_offset, 4, {1, most}); }
    void features(std::uint32_t, std::uint32_t most) { outside(features_offset, 4, {1, most}); }
    void whole(std::uint32_t at, const char*, std::uint32_t, Range range, const char*) { outside(at, 4, range); }
    void size(std::uint32_t at, const char*, std::uint32_t value, Range range, const char*)
    {
        outside(at, 4, range);
        if (value != 0 && range.least == 0)
            all.push_back({at, 4, 0});
    }
    void small(std::uint32_t at, const char*, std::uint32_t, Range range, const char*) { outside(at, 1, range); }
    template <class T>
    void choice(std::uint32_t at, const char*, T, std::type_identity_t<Among<T>> among, const char*)
    {
        for (std::uint32_t value = 0; value < 256; ++value)
            if (value >= 32 || ((among.mask >> value) & 1u) == 0)
                all.push_back({at, 1, value});
    }
    void outside(std::uint32_t at, std::uint32_t bytes, Range range)
    {
        if (range.least > 0)
            all.push_back({at, bytes, range.least - 1});
        all.push_back({at, bytes, range.most + 1});
    }
};

} // namespace

TEST_CASE("every map: its spec's bytes in a model, and what is refused")
{
    using All = LoadedModel::AnyPredictor;
    std::vector<std::string> maps = {"nngp:features=24,depth=2,seed=77", "ntk:features=24,depth=2,orders=none",
                                     "ntk-sketch:features=24,tensor=8,orders=none", "ntk-poly:features=24,degree=5",
                                     "ntk-poly:features=24,degree=5,rest=fit"};
    for (const std::string& text : samara::desk::test::every_map(24))
        maps.push_back(text);
    CHECK(spec_bytes<NngpSpec> == 32);
    CHECK(spec_bytes<NtkSpec> == 48);
    CHECK(spec_bytes<NtkSketchSpec> == 56);
    CHECK(spec_bytes<NtkPolySpec> == 164);
    std::uint32_t last = 0;
    static_cast<void>(AllMaps::any([&]<class Spec>(Spec) {
        last = std::max(last, static_cast<std::uint32_t>(Map<Spec>::id));
        return false;
    }));
    REQUIRE(last < 255);
    for (const std::string& map : maps) {
        CAPTURE(map);
        const TrainedModel t = some_model(map, 5);
        const std::string good = seal_model(t, ReadoutType::float32);
        const LoadedModel loaded(good, "model");
        CHECK(loaded.spec() == t.spec);
        const std::uint32_t spec_at = loaded.model().layout().spec.offset;
        const auto opened = [&](std::uint32_t at, std::uint32_t value, std::uint32_t bytes = 1) {
            std::string bad = good;
            for (std::uint32_t i = 0; i < bytes; ++i)
                bad[spec_at + at + i] = static_cast<char>(value >> (8 * i) & 255u);
            restamp(bad);
            Model model;
            return model.open(Aligned(bad).view());
        };
        std::visit(
            [&]<class Spec>(const Spec& spec) {
                CHECK(loaded.model().map() == Map<Spec>::id);
                CHECK(loaded.model().layout().spec.bytes == spec_bytes<Spec>);
                const auto taken = samara::detail::extent_of<Spec>().taken;
                for (std::uint32_t zero = 12; zero < spec_bytes<Spec>; ++zero)
                    for (const std::uint32_t value : {0x01u, 0x80u})
                        CHECK((taken[zero] || opened(zero, value) == Status::damaged_model));
                WrongBytes wrong;
                Map<Spec>::fields(wrong, spec);
                for (const auto& [at, bytes, value] : wrong.all) {
                    CAPTURE(at);
                    CAPTURE(value);
                    CHECK(opened(at, value, bytes) == Status::damaged_model);
                }
                // Not what the bytes are, but one who opens does not know them.
                const Aligned known(good);
                Predictor<Rff, ArcCos, Polynomial, Dot> without;
                Predictor<Nngp> other;
                const bool first = std::is_same_v<Spec, RffSpec> || std::is_same_v<Spec, ArcCosSpec> ||
                                   std::is_same_v<Spec, PolynomialSpec> || std::is_same_v<Spec, DotSpec>;
                CHECK((first ? other.open(known.view()) : without.open(known.view())) == Status::unsupported_map);
            },
            t.spec);
        CHECK(opened(0, last + 1) == Status::ok); // a map of a later version opens as a model
        if (std::holds_alternative<NtkPolySpec>(t.spec)) {
            CHECK(opened(14, 5) == Status::damaged_model);        // coefficients
            CHECK(opened(14, 0) == Status::damaged_model);        // none of them
            CHECK(opened(32 + 3, 0xbf) == Status::damaged_model); // a negative one
            if (std::get<NtkPolySpec>(t.spec).degree == 5)
                CHECK(opened(163, 0x3f) == Status::damaged_model); // one behind the last
        }

        TrainedModel some = t;
        some.kept_rows = {0, 1};
        CHECK_THROWS_AS((void)seal_model(some, ReadoutType::float32), std::logic_error); // no rows, or other features

        // Whatever opens is safe to use.
        for (std::size_t i = 8; i + 4 < good.size(); ++i) {
            for (const int change : {1, 0x80, 0xff}) {
                std::string bad = good;
                bad[i] = static_cast<char>(bad[i] ^ change);
                restamp(bad);
                const Aligned bytes(bad);
                All predictor;
                if (predictor.open(bytes.view()) != Status::ok || predictor.workspace_bytes() > 1u << 20)
                    continue;
                const std::vector<float> input(predictor.model().inputs(), 0.5f);
                std::vector<float> work(predictor.workspace_bytes() / 4), scores(predictor.model().outputs());
                (void)predictor.scores(input, scores, std::as_writable_bytes(std::span<float>(work)));
            }
        }
    }
}

TEST_CASE("predictions leave what they cannot do untouched")
{
    const LoadedModel loaded(seal_model(some_model("arccos:features=128", 20), ReadoutType::float32), "model");
    const auto& predictor = loaded.predictor();
    MatrixF x = some_rows(1, 20);
    std::vector<float> work(predictor.workspace_bytes() / 4 + 1, 77.0f), scores(3, 5.0f);
    const auto bytes = std::as_writable_bytes(std::span<float>(work));
    const auto exactly = bytes.first(predictor.workspace_bytes());
    CHECK(predictor.scores(std::span(x.values).first(19), scores, exactly) == Status::wrong_length);
    CHECK(predictor.scores(x.values, std::span(scores).first(2), exactly) == Status::wrong_length);
    CHECK(predictor.scores(x.values, scores, exactly.first(exactly.size() - 4)) == Status::small_workspace);
    CHECK(predictor.scores(x.values, scores, bytes.subspan(1)) == Status::misaligned);
    x.values[4] = std::numeric_limits<float>::infinity();
    CHECK(predictor.scores(x.values, scores, exactly) == Status::not_finite);
    CHECK(scores == std::vector<float>(3, 5.0f));
    x.values[4] = 1.0f;
    CHECK(predictor.scores(x.values, scores, exactly) == Status::ok);
    CHECK(work.back() == 77.0f);
}

TEST_CASE("the C face predicts and learns as the C++ one")
{
    const TrainedModel t = some_model("rff:features=128", 20);
    const Aligned bytes(seal_model(t, ReadoutType::float16));
    samara_model model;
    REQUIRE(samara_open(&model, bytes.view().data(), bytes.size) == SAMARA_OK);
    CHECK(samara_inputs(&model) == 20);
    CHECK(samara_outputs(&model) == 3);
    CHECK(samara_features(&model) == 128);
    CHECK(std::string(samara_label(&model, 2)) == "a third");
    CHECK(std::string(samara_status_text(samara_open(&model, bytes.words.data(), 3))) == "this is not a sealed model");

    const MatrixF x = some_rows(1, 20);
    std::vector<float> work(samara_learner_workspace_bytes(&model) / 4);
    float scores[3], again[3];
    std::uint32_t output = 9;
    REQUIRE(samara_predict(&model, x.row(0), &output, scores, work.data(), samara_workspace_bytes(&model)) ==
            SAMARA_OK);
    const LoadedModel loaded(seal_model(t, ReadoutType::float16), "model");
    CHECK(std::memcmp(scores, loaded.scores(x, 1, "rows").row(0), sizeof scores) == 0);
    CHECK(output < 3);

    std::vector<float> state(samara_learner_state_bytes(&model) / 4);
    samara_learner learner;
    REQUIRE(samara_learner_start(&learner, &model, 0.1f, state.data(), state.size() * 4) == SAMARA_OK);
    const std::size_t size = work.size() * 4;
    std::uint32_t learned = 9;
    REQUIRE(samara_learner_predict(&learner, &model, x.row(0), &learned, again, work.data(), size) == SAMARA_OK);
    CHECK(learned == output);
    for (unsigned o = 0; o < 3; ++o)
        CHECK(again[o] == doctest::Approx(static_cast<double>(scores[o])).epsilon(1e-5));
    const std::uint32_t wanted = (output + 1) % 3;
    for (unsigned i = 0; i < 200; ++i)
        REQUIRE(samara_learn_class(&learner, &model, x.row(0), wanted, work.data(), size) == SAMARA_OK);
    REQUIRE(samara_learner_predict(&learner, &model, x.row(0), &learned, again, work.data(), size) == SAMARA_OK);
    CHECK(learned == wanted);
    CHECK(again[wanted] == doctest::Approx(2.0 / 3.0).epsilon(0.02));
    // A saved state goes on where it was.
    std::vector<float> saved = state;
    samara_learner resumed;
    REQUIRE(samara_learner_resume(&resumed, &model, 0.1f, saved.data(), saved.size() * 4) == SAMARA_OK);
    float more[3];
    REQUIRE(samara_learner_predict(&resumed, &model, x.row(0), &learned, more, work.data(), size) == SAMARA_OK);
    CHECK(std::memcmp(more, again, sizeof more) == 0);
}
