#include <algorithm>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "ports/host/commands/commands.hpp"
#include "ports/host/commands/sweep_figure.hpp"
#include "ports/host/commands/train_options.hpp"
#include "ports/host/commands/training_data.hpp"
#include "ports/host/data/number.hpp"
#include "ports/host/data/output_place.hpp"
#include "ports/host/text/error.hpp"
#include "ports/host/text/progress.hpp"
#include "ports/host/text/words.hpp"
#include "ports/host/training/budget.hpp"
#include "ports/host/training/whole_inputs.hpp"

namespace samara::desk {
namespace {

constexpr std::uint32_t default_sizes[] = {16, 32, 64, 128, 256};
constexpr std::size_t most_sizes = 32;

// Options of `samara train` that mean the same here.
constexpr const char* shared_options[] = {
    "--in",      "--target",       "--loss",         "--balance", "--weights",     "--groups",      "--task",
    "--scale",   "--fit-scales",   "--missing",      "--ridge",   "--ridge-folds", "--bandwidths",  "--candidates",
    "--readout", "--valid-in",     "--valid-target", "--json",    "--threads",     "--seed",        "--flash",
    "--ram",     "--instructions", "--for",          "--header",  "--format",      "--most-memory", "--augment"};

std::vector<Option> own_options()
{
    return {{"--sizes", "N,N", "the numbers of features to try", "16,32,64,128,256"},
            {.name = "--plot",
             .value = "FILE",
             .meaning = "draws accuracy against flash and against instructions with gnuplot, as .svg or .png",
             .file = FileUse::written}};
}

const CommandPage& page()
{
    static const CommandPage made = [] {
        CommandPage p{"samara sweep [MAP]",
                      "Trains models of several sizes and kinds and prints for each how good it is on rows that it did "
                      "not see\n"
                      "(three parts of the rows in turn, or those of --valid-in), and what it takes on a board. "
                      "Models that no other\n"
                      "one beats at its flash or at its instructions have a mark. With a budget (--flash, --ram, "
                      "--instructions) only\n"
                      "those within it. `samara train --flash 8K ...` seals the best one.\n",
                      {}};
        for (const Option& option : train_page().options) {
            const auto* const end = std::end(shared_options);
            if (std::find(std::begin(shared_options), end, option.name) != end) {
                p.options.push_back(option);
            }
        }
        for (Option& option : own_options()) {
            p.options.push_back(std::move(option));
        }
        return p;
    }();
    return made;
}

std::vector<std::uint32_t> sizes_from(const Arguments& arguments)
{
    if (!arguments.has("--sizes")) {
        return {std::begin(default_sizes), std::end(default_sizes)};
    }
    const std::string text = arguments.required_text("--sizes");
    std::vector<std::uint32_t> sizes;
    for (std::size_t begin = 0; begin <= text.size();) {
        const std::size_t comma = std::min(text.find(',', begin), text.size());
        const std::optional<double> value = number_of(std::string_view(text).substr(begin, comma - begin));
        if (!value || !(*value >= 1.0 && *value <= 65536.0) ||
            *value != static_cast<double>(static_cast<std::uint32_t>(*value)) || sizes.size() == most_sizes) {
            throw BadInput("--sizes: found " + quoted_text(text) + ", expected at most " + std::to_string(most_sizes) +
                           " whole numbers from 1 to 65536, joined by commas");
        }
        sizes.push_back(static_cast<std::uint32_t>(*value));
        begin = comma + 1;
    }
    std::sort(sizes.begin(), sizes.end());
    sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
    return sizes;
}

// Whether no other model is better and takes no more.
template <class Cost>
bool unbeaten(const std::vector<Tried>& all, const Tried& one, Cost cost)
{
    return std::none_of(all.begin(), all.end(), [&](const Tried& other) {
        const bool better = other.quality > one.quality, cheaper = cost(other) < cost(one);
        return (better && cost(other) <= cost(one)) || (cheaper && other.quality >= one.quality);
    });
}

std::vector<SweepPoint> points_of(const std::vector<Tried>& all)
{
    std::vector<SweepPoint> points;
    for (const Tried& tried : all) {
        const TrainSettings& settings = tried.recipe.settings;
        points.push_back({name_of(settings.map.spec) + (is_whole(settings.map.spec) ? ", whole numbers" : ""),
                          text_of(tried.recipe), tried.quality, tried.standard_error, tried.recipe.cost,
                          unbeaten(all, tried, [](const Tried& t) { return t.recipe.cost.flash; }),
                          unbeaten(all, tried, [](const Tried& t) { return t.recipe.cost.instructions; })});
    }
    return points;
}

void print_table(const std::vector<SweepPoint>& points, Task task, const Budget& budget)
{
    std::vector<std::vector<std::string>> cells = {
        {"", "model", task == Task::classify ? "accuracy" : "R2", "+-", "flash", "RAM", "instructions"}};
    for (const SweepPoint& point : points) {
        char quality[32], error[32];
        const double unit = task == Task::classify ? 100.0 : 1.0;
        std::snprintf(quality, sizeof quality, task == Task::classify ? "%.2f" : "%.4f", unit * point.quality);
        std::snprintf(error, sizeof error, task == Task::classify ? "%.2f" : "%.4f", unit * point.standard_error);
        const char* const marks[] = {" ", "f", "i", "fi"};
        cells.push_back({marks[(point.least_flash ? 1 : 0) + (point.least_instructions ? 2 : 0)], point.model, quality,
                         error, with_commas(point.cost.flash), with_commas(point.cost.ram),
                         with_commas(point.cost.instructions)});
    }
    print_text(aligned(cells, "", 2) + "Costs are about those of a " + board_cores()[budget.core] +
               ". f, i: no other model is as good with as little flash, with as few instructions.\n");
}

void print_points(const std::vector<SweepPoint>& points, Task task, const Budget& budget)
{
    nlohmann::ordered_json json;
    json["core"] = board_cores()[budget.core];
    json["measure"] = task == Task::classify ? "accuracy" : "r_squared";
    json["models"] = nlohmann::ordered_json::array();
    for (const SweepPoint& point : points) {
        json["models"].push_back({{"model", point.model},
                                  {"quality", point.quality},
                                  {"standard_error", point.standard_error},
                                  {"flash_bytes", point.cost.flash},
                                  {"ram_bytes", point.cost.ram},
                                  {"instructions", point.cost.instructions},
                                  {"best_for_flash", point.least_flash},
                                  {"best_for_instructions", point.least_instructions}});
    }
    print_json(json, 1);
}

} // namespace

int sweep_command(const std::vector<std::string>& words)
{
    const Arguments known(words, page());
    if (known.help()) {
        print_text(help_text(page()));
        return 0;
    }
    const std::vector<std::uint32_t> sizes = sizes_from(known);
    std::string plot;
    if (known.has("--plot")) {
        plot = known.required_text("--plot");
        require_figure(plot);
        require_writable(plot);
    }
    // The same words are read as `samara train` reads them, among all of its options.
    CommandPage all = train_page();
    for (Option& option : own_options()) {
        all.options.push_back(std::move(option));
    }
    const Arguments arguments(words, all);
    TrainOptions options = read_train_options(arguments, TrainUse::sweep);
    const auto data = read_training_data(options);
    std::unique_ptr<LabelledData> more;
    if (!options.valid_in.empty()) {
        more = read_more_data(options, options.valid_in, options.valid_target, *data);
    }
    settle_loss(options.loss, false, data->target, {more == nullptr ? nullptr : &more->target}, options.settings);
    const RowSet rows = training_rows(options, *data);
    const auto valid = more == nullptr ? nullptr : std::make_unique<RowSet>(more->rows());
    require_rows(rows, valid.get(), options.settings);
    for (const std::string& remark : data->remarks) {
        say(remark);
    }
    options.sweep.settings.ridge = options.settings.ridge;
    options.sweep.sizes = sizes;
    const Recipes found = recipes(rows, valid.get(), options.sweep, options.budget);
    if (found.ways.empty()) {
        throw BadInput("no model to try: found none " +
                       (options.budget.any() ? "within the budget of " + text_of(options.budget)
                                             : std::string("whose cost on a board is known")) +
                       ", expected others");
    }
    const SweepJudge judge(rows, valid.get(), options.settings.ridge.seed, sizes.back());
    if (!judge.possible()) {
        throw BadInput(rows.x().name() + ": found " + std::to_string(rows.originals().count()) +
                       " rows, expected at least 24 to judge models by");
    }
    std::vector<Tried> tried;
    std::size_t count = 0;
    for (const std::vector<Recipe>& way : found.ways) {
        count += way.size();
    }
    Progress progress("models", count);
    for (const std::vector<Recipe>& way : found.ways) {
        for (const Recipe& recipe : way) {
            tried.push_back(*judge.ask(recipe, nullptr, options.budget.core));
            progress.advance();
        }
    }
    progress.finish();
    std::stable_sort(tried.begin(), tried.end(),
                     [](const Tried& a, const Tried& b) { return a.recipe.cost.flash < b.recipe.cost.flash; });
    const std::vector<SweepPoint> points = points_of(tried);
    if (!plot.empty()) {
        draw(points, rows.y().task, board_cores()[options.budget.core], plot);
        say(plot + ": drawn");
    }
    options.json ? print_points(points, rows.y().task, options.budget)
                 : print_table(points, rows.y().task, options.budget);
    return 0;
}

} // namespace samara::desk
