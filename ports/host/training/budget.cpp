#include "ports/host/training/budget.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "ports/host/text/error.hpp"
#include "ports/host/text/progress.hpp"
#include "ports/host/text/words.hpp"
#include "ports/host/training/scale_fit.hpp"

namespace samara::desk {
namespace {

[[noreturn]] void refuse_budget(const Budget& budget, const std::optional<BoardCost>& cheapest)
{
    throw BadInput("the budget of " + text_of(budget) + ": found no model that fits" +
                   (cheapest ? "; the smallest that was tried takes " + text_of(*cheapest, budget.core) : "") +
                   ", expected more");
}

// The models that were judged within a budget.
class BudgetSearch {
public:
    BudgetSearch(const SweepJudge& judge, const Budget& budget) : judge_(judge), budget_(budget) {}

    enum class Answer : std::uint8_t { judged, far_behind, too_dear };

    // Judges it against the best one so far. The cost of a model is known when its rows are chosen.
    Answer ask(const Recipe& recipe)
    {
        std::optional<Tried> found = judge_.ask(recipe, tried_.empty() ? nullptr : &best(), budget_.core);
        if (!found) {
            return Answer::far_behind;
        }
        if (!budget_.allows(found->recipe.cost)) {
            return Answer::too_dear;
        }
        tried_.push_back(std::move(*found));
        return Answer::judged;
    }
    const Tried& best() const
    {
        return *std::max_element(tried_.begin(), tried_.end(),
                                 [](const Tried& a, const Tried& b) { return a.quality < b.quality; });
    }
    const Tried& last() const { return tried_.back(); }
    // First those that keep up with the best one, the cheapest of them first; then the others, the best first.
    std::vector<Tried> sorted() const
    {
        std::vector<Tried> all = tried_;
        const Losses top = tried_.empty() ? Losses() : best().losses;
        std::stable_sort(all.begin(), all.end(), [&](const Tried& a, const Tried& b) {
            const bool first = keeps_up(top, a.losses), second = keeps_up(top, b.losses);
            if (first != second) {
                return first;
            }
            return first ? budget_.share(a.recipe.cost) < budget_.share(b.recipe.cost) : a.quality > b.quality;
        });
        return all;
    }

private:
    const SweepJudge& judge_;
    const Budget& budget_;
    std::vector<Tried> tried_;
};

// Where there are too few rows to judge by: the smallest model is the safest.
std::vector<Tried> smallest_first(const Recipes& all, const Budget& budget)
{
    std::vector<Tried> tried;
    for (const std::vector<Recipe>& sizes : all.ways) {
        tried.push_back({sizes.front(), {}, 0.0, 0.0});
    }
    std::stable_sort(tried.begin(), tried.end(), [&](const Tried& a, const Tried& b) {
        return budget.share(a.recipe.cost) < budget.share(b.recipe.cost);
    });
    return tried;
}

} // namespace

double Budget::share(const BoardCost& cost) const
{
    const auto of = [](std::uint64_t value, const std::optional<std::uint64_t>& most) {
        return most ? static_cast<double>(value) / static_cast<double>(*most) : 0.0;
    };
    return std::max({of(cost.flash, flash), of(cost.ram, ram), of(cost.instructions, instructions)});
}

std::vector<Tried> within_budget(const RowSet& rows, const RowSet* valid, const SweepRequest& request,
                                 const Budget& budget)
{
    const Recipes all = recipes(rows, valid, request, budget);
    if (all.ways.empty()) {
        refuse_budget(budget, all.too_dear);
    }
    std::uint32_t features = 0;
    for (const std::vector<Recipe>& sizes : all.ways) {
        features = std::max(features, sizes.back().settings.features);
    }
    const SweepJudge judge(rows, valid, request.settings.ridge.seed, features);
    if (!judge.possible()) {
        return smallest_first(all, budget);
    }
    // The largest model of each way, and of ways that are near the best the one before it: more features are rarely
    // worse, and never by much.
    BudgetSearch search(judge, budget);
    std::vector<const Recipe*> smaller;
    std::vector<Losses> losses;
    Progress progress("models", all.ways.size());
    for (const std::vector<Recipe>& sizes : all.ways) {
        std::size_t size = sizes.size();
        auto answer = BudgetSearch::Answer::too_dear;
        while (size > 0 && answer == BudgetSearch::Answer::too_dear) {
            answer = search.ask(sizes[--size]);
        }
        if (answer == BudgetSearch::Answer::judged && size > 0) {
            smaller.push_back(&sizes[size - 1]);
            losses.push_back(search.last().losses);
        }
        progress.advance();
    }
    progress.finish();
    for (std::size_t i = 0; i < smaller.size(); ++i) {
        if (!takes_over(losses[i], search.best().losses)) {
            search.ask(*smaller[i]);
        }
    }
    std::vector<Tried> tried = search.sorted();
    if (tried.empty()) {
        refuse_budget(budget, std::nullopt);
    }
    // Factors of single inputs cost some bytes, and may be worth them.
    Recipe with_factors = tried.front().recipe;
    if (request.settings.fit_scales && can_fit_scales(with_factors.settings.map.spec)) {
        with_factors.settings.fit_scales = true;
        const std::optional<Tried> found = judge.ask(with_factors, &tried.front(), budget.core);
        if (found && budget.allows(found->recipe.cost) && takes_over(tried.front().losses, found->losses)) {
            tried.insert(tried.begin(), *found);
        }
    }
    return tried;
}

std::string text_of(const BoardCost& cost, std::size_t core)
{
    return with_commas(cost.flash) + " bytes of flash, " + with_commas(cost.ram) + " bytes of RAM and " +
           with_commas(cost.instructions) + " instructions on a " + board_cores()[core];
}

std::string text_of(const Budget& budget)
{
    std::string text;
    const auto add = [&](const std::optional<std::uint64_t>& value, const char* what) {
        if (value) {
            text += (text.empty() ? "" : ", ") + with_commas(*value) + what;
        }
    };
    add(budget.flash, " bytes of flash");
    add(budget.ram, " bytes of RAM");
    add(budget.instructions, " instructions");
    return text + " on a " + board_cores()[budget.core];
}

} // namespace samara::desk
