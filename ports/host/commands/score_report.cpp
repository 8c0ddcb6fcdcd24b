#include "ports/host/commands/score_report.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include <nlohmann/json.hpp>

#include "ports/host/commands/commands.hpp"
#include "ports/host/text/visible.hpp"
#include "ports/host/training/train.hpp"

namespace samara::desk {
namespace {

// A confusion matrix of more classes is wider than a screen.
constexpr std::size_t most_shown_classes = 20;
constexpr std::size_t most_worst_classes = 10;
constexpr std::size_t most_shown_targets = 20;

// How many rows there are of one class, how many were said to be of it, and how many rightly.
struct ClassCounts {
    std::size_t rows = 0, predicted = 0, right = 0;

    // A NaN where there is nothing to divide by.
    double recall() const { return share(right, rows); }
    double precision() const { return share(right, predicted); }
    // The harmonic mean of the two: 0 where nothing was found of a class that there is.
    double f1() const { return share(2 * right, rows + predicted); }

private:
    static double share(std::size_t part, std::size_t all)
    {
        return all == 0 ? std::numeric_limits<double>::quiet_NaN()
                        : static_cast<double>(part) / static_cast<double>(all);
    }
};

std::string share_text(double share) { return std::isnan(share) ? "-" : per_cent(share); }

std::vector<ClassCounts> counts_of(const Score& score)
{
    const auto& confusion = score.confusion();
    std::vector<ClassCounts> counts(confusion.size());
    for (std::size_t i = 0; i < confusion.size(); ++i) {
        counts[i].right = confusion[i][i];
        for (std::size_t j = 0; j < confusion.size(); ++j) {
            counts[i].rows += confusion[i][j];
            counts[j].predicted += confusion[i][j];
        }
    }
    return counts;
}

std::string classes_text(const Score& score, const std::vector<std::string>& labels)
{
    const std::vector<ClassCounts> counts = counts_of(score);
    std::size_t right = 0;
    for (const ClassCounts& one : counts) {
        right += one.right;
    }
    std::string text = "rows               " + std::to_string(score.rows()) + "\n";
    text += "accuracy           " + per_cent(score.accuracy()) + " (" + std::to_string(right) + " right)\n";
    text += "balanced accuracy  " + per_cent(score.balanced_accuracy()) + "\n";
    if (!std::isnan(score.log_loss())) {
        text += "log-loss           " + short_number(score.log_loss(), 4) + "\n";
    }
    std::vector<std::size_t> shown(labels.size());
    std::iota(shown.begin(), shown.end(), std::size_t{0});
    if (labels.size() <= most_shown_classes) {
        std::vector<std::vector<std::string>> cells(1, {""});
        for (std::size_t i = 0; i < labels.size(); ++i) {
            cells.front().push_back(visible_text(labels[i]));
            cells.push_back({visible_text(labels[i])});
            for (const std::size_t count : score.confusion()[i]) {
                cells.back().push_back(std::to_string(count));
            }
        }
        text += "\nrows: what it is; columns: what was predicted\n" + aligned(cells, "  ", 1);
    } else {
        // Classes that there are no rows of say nothing.
        std::erase_if(shown, [&](std::size_t k) { return counts[k].rows == 0; });
        std::stable_sort(shown.begin(), shown.end(), [&](std::size_t a, std::size_t b) {
            return counts[a].right * counts[b].rows < counts[b].right * counts[a].rows;
        });
        shown.resize(std::min(shown.size(), most_worst_classes));
        text += "\nthe " + std::to_string(shown.size()) + " of " + std::to_string(labels.size()) +
                " classes with the least recall\n";
    }
    std::vector<std::vector<std::string>> cells(1, {"class", "rows", "recall", "precision", "F1"});
    for (const std::size_t k : shown) {
        cells.push_back({visible_text(labels[k]), std::to_string(counts[k].rows), share_text(counts[k].recall()),
                         share_text(counts[k].precision()), share_text(counts[k].f1())});
    }
    return text + (labels.size() <= most_shown_classes ? "\n" : "") + aligned(cells, "  ", 1);
}

std::string values_text(const Score& score, const std::vector<std::string>& names)
{
    std::string text = "rows  " + std::to_string(score.rows()) + "\n";
    text += "RMSE  " + short_number(score.root_mean_squared_error(), 4) + "\n";
    text += "MAE   " + short_number(score.mean_absolute_error(), 4) + "\n";
    text += "R2    " + score.r_squared_text() + "\n";
    if (names.size() == 1 || names.size() > most_shown_targets) {
        return text;
    }
    std::vector<std::vector<std::string>> cells(1, {"target", "RMSE", "R2"});
    for (std::size_t k = 0; k < names.size(); ++k) {
        cells.push_back(
            {visible_text(names[k]), short_number(score.root_mean_squared_error_of(k), 4), score.r_squared_text_of(k)});
    }
    return text + "\n" + aligned(cells, "  ", 1);
}

} // namespace

std::string score_text(const Score& score, const std::vector<std::string>& names)
{
    return score.task() == Task::classify ? classes_text(score, names) : values_text(score, names);
}

nlohmann::ordered_json score_json(const Score& score, const std::vector<std::string>& names)
{
    nlohmann::ordered_json json = {{"rows", score.rows()}};
    if (score.task() == Task::classify) {
        json["accuracy"] = score.accuracy();
        json["balanced_accuracy"] = score.balanced_accuracy();
        json["log_loss"] = score.log_loss();
        json["labels"] = names;
        json["confusion"] = score.confusion();
        const std::vector<ClassCounts> counts = counts_of(score);
        json["classes"] = nlohmann::ordered_json::array();
        for (std::size_t k = 0; k < counts.size(); ++k) {
            json["classes"].push_back({{"label", names[k]},
                                       {"rows", counts[k].rows},
                                       {"predicted", counts[k].predicted},
                                       {"recall", counts[k].recall()},
                                       {"precision", counts[k].precision()},
                                       {"f1", counts[k].f1()}});
        }
        return json;
    }
    json["root_mean_squared_error"] = score.root_mean_squared_error();
    json["mean_absolute_error"] = score.mean_absolute_error();
    json["mean_squared_error"] = score.mean_squared_error();
    json["r_squared"] = score.r_squared();
    json["constant_targets"] = score.constant_targets();
    json["relative_error"] = score.relative_error();
    return json;
}

} // namespace samara::desk
