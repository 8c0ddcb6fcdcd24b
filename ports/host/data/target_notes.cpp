#include "ports/host/data/target.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "ports/host/data/csv_header.hpp"
#include "ports/host/data/label.hpp"
#include "ports/host/data/number.hpp"
#include "ports/host/text/error.hpp"

namespace samara::desk {
namespace {

// Beyond so many different numbers they are hardly classes; below, hardly values.
constexpr std::size_t few = 20;

std::string listed(const std::vector<std::string>& names)
{
    constexpr std::size_t most_shown = 8;
    std::string list;
    for (std::size_t i = 0; i < names.size() && i < most_shown; ++i) {
        list += (i == 0 ? "" : ", ") + quoted_text(names[i]);
    }
    return list + (names.size() > most_shown ? ", ..." : "");
}

// Whole numbers of which there are few, spelled as floats or kept in an array of floats. 0: there is no such thing.
std::size_t likely_classes(const RawTarget& raw)
{
    std::set<double> values;
    for (const double number : raw.numbers) {
        if (number != std::floor(number) || (values.insert(number), values.size() > few)) {
            return 0;
        }
    }
    return values.size() >= 2 && 2 * values.size() <= raw.rows ? values.size() : 0;
}

void note_odd_labels(const RawTarget& raw, const Target& target, std::vector<std::string>& notes)
{
    std::map<double, std::string> of_number;
    for (std::size_t k = 0; k < target.labels.size(); ++k) {
        const std::string& label = target.labels[k];
        const std::optional<double> number = number_of(label);
        if ((number && std::isnan(*number)) || stands_for_missing(label)) {
            const auto rows = std::count(target.classes.begin(), target.classes.end(), k);
            notes.push_back(raw.path + ": the class " + quoted_text(label) + " of " + std::to_string(rows) +
                            (rows == 1 ? " row" : " rows") + " is trained like any other: are these labels missing?");
        } else if (number && std::fabs(*number) < most_integer) {
            const auto [same, first_time] = of_number.emplace(*number, label);
            if (!first_time) {
                notes.push_back(raw.path + ": " + quoted_text(same->second) + " and " + quoted_text(label) +
                                " are two classes, although they are one number");
            }
        }
    }
}

} // namespace

std::string task_text(const Target& target)
{
    const bool classify = target.task == Task::classify;
    const std::size_t count = target.outputs();
    return std::string("task: ") + (classify ? "classify, " : "regress, ") + std::to_string(count) +
           (classify     ? " classes"
            : count == 1 ? " target"
                         : " targets") +
           (target.labels.empty() ? "" : ": ") + listed(target.labels);
}

std::vector<std::string> notes_on(const RawTarget& raw, const Target& target, bool task_was_given)
{
    std::vector<std::string> notes = raw.notes;
    if (target.task == Task::classify) {
        note_odd_labels(raw, target, notes);
        const std::size_t classes = target.labels.size();
        if (!task_was_given && raw.integers && classes > few && 2 * classes > raw.rows) {
            notes.push_back(raw.path + ": the target looks like numbers, with " + std::to_string(classes) +
                            " different ones in " + std::to_string(raw.rows) + " rows; --task regress?");
        }
    } else if (!task_was_given && raw.cols == 1) {
        const std::size_t classes = likely_classes(raw);
        if (classes != 0) {
            notes.push_back(raw.path + ": the target looks like " + std::to_string(classes) +
                            " classes; --task classify?");
        }
    }
    return notes;
}

} // namespace samara::desk
