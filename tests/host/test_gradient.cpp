// Training by steps: that it learns, that threads and interruptions change nothing, and whose state it goes on from.
#include <doctest/doctest.h>

#include <chrono>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "ports/host/data/files.hpp"
#include "ports/host/text/error.hpp"
#include "ports/host/training/gradient.hpp"
#include "ports/host/training/score.hpp"
#include "samara/stream.hpp"
#include "tests/host/refusal.hpp"

namespace {

using namespace samara;
using namespace samara::desk;
using samara::desk::test::refusal;

constexpr std::size_t rows = 150;

// Angles, of which the first tells the class and, nearly, the value.
struct Problem {
    std::unique_ptr<TableSource> x;
    Target classes, values;

    Problem()
    {
        MatrixF inputs(rows, 6);
        fill_uniforms(stream_key(3, Domain::user, 0), inputs.values);
        classes.task = samara::desk::Task::classify;
        classes.labels = {"left", "middle", "right"};
        values.values = MatrixF(rows, 2);
        for (std::size_t i = 0; i < rows; ++i) {
            const float first = inputs.row(i)[0];
            classes.classes.push_back(first < 0.33f ? 0 : first < 0.66f ? 1 : 2);
            values.values.row(i)[0] = 1000.0f + 50.0f * std::cos(6.2831853f * first);
            values.values.row(i)[1] = 7.0f; // does not vary
        }
        x = table_of(inputs, "rows");
    }
};

FeatureStage stage_of(const std::string& map, const TableSource& x, unsigned threads)
{
    return {fit_map(parse_map(map), MatrixF(1, x.cols()), "rows"), {}, {}, threads};
}

const char* const map = "skeleton:period=1,features=20000,dual=exp(1)";

GradientSettings settings_of(std::uint32_t epochs, const std::string& state = "")
{
    GradientSettings settings;
    settings.epochs = epochs;
    settings.state = state;
    settings.talk = false;
    return settings;
}

struct StateFile {
    std::string path;
    explicit StateFile(const std::string& end = "")
        : path((std::filesystem::temp_directory_path() / "samara-test-gradient.state").string() + end)
    {
        std::filesystem::remove(path);
    }
    StateFile(const StateFile&) = delete;
    StateFile& operator=(const StateFile&) = delete;
    ~StateFile() { std::filesystem::remove(path); }
};

bool same(const TrainedModel& a, const TrainedModel& b)
{
    return a.weights.values == b.weights.values && a.bias == b.bias;
}

} // namespace

TEST_CASE("gradient: classes are learned with both losses, values in units of their spread")
{
    const Problem task;
    const FeatureStage stage = stage_of("skeleton:period=1,features=500", *task.x, 1);
    const RowSet classes(*task.x, task.classes), values(*task.x, task.values);
    for (const GradientLoss loss : {GradientLoss::logistic, GradientLoss::squared}) {
        GradientSettings settings = settings_of(40);
        settings.loss = loss;
        TrainedModel model = train_by_gradient(stage, classes, settings);
        model.spec = stage.spec();
        CHECK(score_of(model, classes, 1).accuracy() > 0.93);
        // A penalty that outweighs everything leaves no weights to speak of.
        settings.ridge = 1e6;
        const TrainedModel flat = train_by_gradient(stage, classes, settings);
        double before = 0.0, after = 0.0;
        for (std::size_t j = 0; j < model.weights.values.size(); ++j) {
            before += std::abs(static_cast<double>(model.weights.values[j]));
            after += std::abs(static_cast<double>(flat.weights.values[j]));
        }
        CHECK(after < 0.1 * before);
    }
    TrainedModel model = train_by_gradient(stage, values, settings_of(60));
    model.spec = stage.spec();
    const Score score = score_of(model, values, 1);
    CHECK(score.r_squared() > 0.9);
    CHECK(std::abs(static_cast<double>(model.bias[1]) - 7.0) < 1e-3);
    // Values eight times as large are learned the same, to the bit.
    Problem larger;
    for (float& v : larger.values.values.values) {
        v *= 8.0f;
    }
    const TrainedModel other = train_by_gradient(stage, RowSet(*larger.x, larger.values), settings_of(60));
    CHECK(other.bias[0] == 8.0f * model.bias[0]);
    CHECK(other.weights.values[5] == 8.0f * model.weights.values[5]);
    CHECK(model.bias[0] != doctest::Approx(1000.0));
}

TEST_CASE("gradient: the same weights with any number of threads, and after an interruption")
{
    const Problem task;
    const RowSet set(*task.x, task.classes);
    const TrainedModel whole = train_by_gradient(stage_of(map, *task.x, 1), set, settings_of(3));
    CHECK(same(whole, train_by_gradient(stage_of(map, *task.x, 3), set, settings_of(3))));
    const StateFile file;
    const FeatureStage stage = stage_of(map, *task.x, 2);
    // Two epochs, and later a third.
    static_cast<void>(train_by_gradient(stage, set, settings_of(2, file.path)));
    CHECK(same(whole, train_by_gradient(stage, set, settings_of(3, file.path))));
    // In the middle of the first one.
    std::filesystem::remove(file.path);
    GradientSettings often = settings_of(3, file.path);
    often.save_seconds = 0;
    std::size_t calls = 0;
    const FillRow stops = [&](std::uint32_t, std::size_t row, float* x) {
        if (++calls == rows / 2) {
            throw BadInput("stopped");
        }
        task.x->read(row, 1, x);
    };
    CHECK(refusal([&] { train_by_gradient(stage, set, often, stops); }) == "stopped");
    CHECK(same(whole, train_by_gradient(stage, set, settings_of(3, file.path))));
    // Nothing is left to do; and as many rows are not asked for again.
    bool asked = false;
    const FillRow fill = [&](std::uint32_t, std::size_t, float*) { asked = true; };
    CHECK(same(whole, train_by_gradient(stage, set, settings_of(3, file.path), fill)));
    CHECK(!asked);
}

TEST_CASE("gradient: the state is kept after an epoch too, if a second has passed")
{
    const Problem task;
    const RowSet set(*task.x, task.classes);
    const FeatureStage stage = stage_of("skeleton:period=1,features=64", *task.x, 1);
    const StateFile file;
    const FillRow stops = [&](std::uint32_t epoch, std::size_t row, float* x) {
        if (epoch == 1) {
            throw BadInput("stopped");
        }
        if (row == 0) {
            std::this_thread::sleep_for(std::chrono::milliseconds(1050));
        }
        task.x->read(row, 1, x);
    };
    CHECK(refusal([&] { train_by_gradient(stage, set, settings_of(3, file.path), stops); }) == "stopped");
    std::vector<std::uint32_t> epochs;
    const TrainedModel rest =
        train_by_gradient(stage, set, settings_of(3, file.path), {},
                          [&](std::uint32_t epoch, const TrainedModel&) { epochs.push_back(epoch); });
    CHECK(epochs == std::vector<std::uint32_t>{1, 2});
    CHECK(same(rest, train_by_gradient(stage, set, settings_of(3))));
}

TEST_CASE("gradient: weights that leave the range of floats end it, and no state has them")
{
    const Problem task;
    const RowSet set(*task.x, task.classes);
    const FeatureStage stage = stage_of("skeleton:period=1,features=64", *task.x, 1);
    const StateFile file;
    GradientSettings settings = settings_of(5, file.path);
    settings.ridge = 1e30;
    const std::string text = refusal([&] { train_by_gradient(stage, set, settings); });
    CHECK(text.starts_with("training: found scores that leave the range of floats in epoch "));
    CHECK(text.ends_with(", expected finite ones (take a smaller --rate than 10 or a smaller --ridge)"));
    CHECK(!std::filesystem::exists(file.path));
}

TEST_CASE("gradient: what is called for each row and each epoch")
{
    const Problem task;
    const RowSet set(*task.x, task.classes);
    const FeatureStage stage = stage_of("skeleton:period=1,features=64", *task.x, 1);
    std::vector<std::vector<int>> seen(2, std::vector<int>(rows));
    std::vector<std::size_t> first_order, second_order;
    const FillRow fill = [&](std::uint32_t epoch, std::size_t row, float* x) {
        ++seen[epoch][row];
        (epoch == 0 ? first_order : second_order).push_back(row);
        task.x->read(row, 1, x);
    };
    std::vector<std::uint32_t> epochs;
    const TrainedModel model =
        train_by_gradient(stage, set, settings_of(2), fill, [&](std::uint32_t epoch, const TrainedModel& so_far) {
            epochs.push_back(epoch);
            CHECK(so_far.weights.cols == 64);
        });
    CHECK(epochs == std::vector<std::uint32_t>{0, 1});
    for (const auto& of_epoch : seen) {
        CHECK(of_epoch == std::vector<int>(rows, 1));
    }
    CHECK(first_order != second_order);
    CHECK(same(model, train_by_gradient(stage, set, settings_of(2))));
}

TEST_CASE("gradient: a state of another training, or none, or a damaged one, is refused and stays")
{
    const Problem task;
    const RowSet set(*task.x, task.classes);
    const FeatureStage stage = stage_of("skeleton:period=1,features=64", *task.x, 1);
    const StateFile file;
    static_cast<void>(train_by_gradient(stage, set, settings_of(1, file.path)));
    const std::string good = read_file(file.path);
    const auto refused = [&](const FeatureStage& other, const GradientSettings& settings) {
        return refusal([&] { train_by_gradient(other, set, settings); });
    };
    const std::string other_training = file.path + ": found the state of a training with another map";
    CHECK(refused(stage_of("skeleton:period=1,features=64,seed=2", *task.x, 1), settings_of(2, file.path))
              .starts_with(other_training));
    CHECK(refused(stage_of("skeleton:period=2,features=64", *task.x, 1), settings_of(2, file.path))
              .starts_with(other_training));
    GradientSettings settings = settings_of(2, file.path);
    settings.rate = 1.0;
    CHECK(refused(stage, settings).starts_with(other_training));
    settings = settings_of(2, file.path);
    settings.loss = GradientLoss::squared;
    CHECK(refused(stage, settings).starts_with(other_training));
    // Other inputs, or other answers with the same mean and spread.
    Problem other;
    MatrixF inputs(rows, 6);
    other.x->read(0, rows, inputs.row(0));
    inputs.row(rows - 1)[5] += 0.01f;
    const auto other_x = table_of(inputs, "rows");
    const RowSet other_inputs(*other_x, task.classes);
    CHECK(refusal([&] {
              train_by_gradient(stage, other_inputs, settings_of(2, file.path));
          }).starts_with(other_training));
    const StateFile of_values(".values");
    const RowSet values(*task.x, task.values);
    static_cast<void>(train_by_gradient(stage, values, settings_of(1, of_values.path)));
    CHECK(refusal([&] { train_by_gradient(stage, values, settings_of(2, of_values.path)); }) == "accepted");
    std::swap(other.values.values.row(3)[0], other.values.values.row(4)[0]);
    const RowSet swapped(*task.x, other.values);
    CHECK(refusal([&] {
              train_by_gradient(stage, swapped, settings_of(3, of_values.path));
          }).starts_with(of_values.path + ": found the state of a training with another map"));
    // That of more epochs than are wanted.
    CHECK(refusal([&] { train_by_gradient(stage, values, settings_of(1, of_values.path)); }) ==
          of_values.path + ": found the state after 2 epochs and 0 rows, expected at most 1 of --epochs");
    for (const std::size_t at : {good.size() / 2, good.size() - 1}) {
        std::string bad = good;
        bad[at] = static_cast<char>(bad[at] ^ 1);
        std::ofstream(file.path, std::ios::binary) << bad;
        CHECK(refused(stage, settings_of(2, file.path)).starts_with(file.path + ": found a damaged state"));
    }
    for (const std::string& bad : {good + "x", good.substr(0, good.size() - 1)}) {
        std::ofstream(file.path, std::ios::binary) << bad;
        CHECK(refused(stage, settings_of(2, file.path)).starts_with(file.path + ": found a damaged state"));
        CHECK(read_file(file.path) == bad);
    }
    std::ofstream(file.path, std::ios::binary) << "x";
    CHECK(refused(stage, settings_of(2, file.path)).starts_with(file.path + ": found no state of a training"));
}
