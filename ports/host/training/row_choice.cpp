#include "ports/host/training/row_choice.hpp"

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "ports/host/text/error.hpp"
#include "ports/host/training/blas.hpp"
#include "ports/host/training/choose_rows.hpp"
#include "ports/host/training/train.hpp"

namespace samara::desk {
namespace {

// Some of so many candidates tell any few rows apart, most of them by chance. Of fewer rows than this those are kept
// that also represent all candidates, and a larger ridge chooses them.
constexpr std::size_t few_rows = 200;
constexpr double share_of_candidates = 0.3, ridge_of_few = 10.0;

std::size_t rows_of(const MapSpec& map)
{
    return std::visit([](const auto& s) { return std::size_t{row_count(s)}; }, map);
}

// Weights of four bits have no room for features that differ much in size.
constexpr Deviations alike{10.0, 60.0};

bool is_local(const MapSpec& map) { return std::holds_alternative<LocalSpec>(map); }

SelectionProblem problem_of(const FeatureStage& candidates, const RowSet& rows, const std::string& label,
                            const Deviations& range, bool of_few)
{
    SelectionProblem problem =
        selection_problem(candidates.spec(), centred(accumulate(candidates, rows, origin_of(candidates, rows), label)),
                          rows.y().task, range);
    if (of_few) {
        represent_candidates(problem, share_of_candidates, seed_of(candidates.spec()));
    }
    return problem;
}

// What is tried: of much data and little noise a small ridge chooses best, of few or noisy ones a large one.
constexpr double ridges[] = {0.00003, 0.003, 0.03, 0.3};

// Of local features there are many times more candidates than kept ones, all of them alike: which of these ridges is
// best is told by chance. One that is larger for few rows is as good as any.
constexpr double local_ridge = 0.01, local_rows = 2000.0;

std::vector<double> ridges_to_try(const MapSpec& candidates, const RowSet& rows)
{
    if (is_local(candidates)) {
        return {local_ridge_of(rows)};
    }
    return {std::begin(ridges), std::end(ridges)};
}

// How many transforms are tried: twice as many as the kept rows fill, and on by doubling up to all.
std::vector<std::size_t> blocks_to_try(const Transforms& transforms)
{
    std::vector<std::size_t> tries;
    for (std::size_t blocks = 2 * transforms.least; transforms.rows_each != 0 && blocks < transforms.all; blocks *= 2) {
        tries.push_back(blocks);
    }
    return tries;
}

class RowJudge {
public:
    RowJudge(const RowChoice& choice, const Judge& judge, std::size_t keep, bool of_few)
        : choice_(choice), judge_(judge), keep_(keep), of_few_(of_few),
          plain_(choice.plain, {}, choice.scaling, choice.threads),
          candidates_(choice.candidates, {}, choice.scaling, choice.threads)
    {}

    // Of the plain rows, and of those that each rule chooses.
    std::vector<Losses> losses(const std::vector<ChoosingRule>& rules) const
    {
        return judge_.losses([&](const RowSet& learned) {
            const SelectionProblem problem = problem_of(candidates_, learned, "", range(), of_few_);
            std::vector<FeatureStage> stages{plain_};
            for (const ChoosingRule& rule : rules) {
                stages.push_back(stage(choose_rows(problem, keep_, rule)));
            }
            return stages;
        });
    }
    FeatureStage chosen(const RowSet& rows, const ChoosingRule& rule) const
    {
        return stage(choose_rows(problem_of(candidates_, rows, "candidates", range(), of_few_), keep_, rule));
    }
    const FeatureStage& plain() const { return plain_; }

private:
    FeatureStage stage(std::vector<std::uint16_t> kept) const
    {
        return {choice_.candidates, std::move(kept), choice_.scaling, choice_.threads};
    }

    Deviations range() const { return choice_.alike ? alike : Deviations{}; }

    const RowChoice& choice_;
    const Judge& judge_;
    std::size_t keep_;
    bool of_few_;
    FeatureStage plain_, candidates_;
};

// None where choosing does not pay.
std::optional<ChoosingRule> rule_that_pays(const RowChoice& choice, const RowJudge& judged, const RowSet& rows,
                                           const Transforms& transforms)
{
    std::vector<ChoosingRule> rules;
    for (const double ridge : ridges_to_try(choice.candidates, rows)) {
        rules.push_back({ridge, choice.blocks.value_or(0)});
    }
    std::vector<Losses> losses = judged.losses(rules);
    std::size_t best = 1;
    for (std::size_t i = 2; i < losses.size(); ++i) {
        best = mean_of(losses[i]) < mean_of(losses[best]) ? i : best;
    }
    // Random local features are far behind chosen ones, of whatever data: there they have to be better.
    const bool local = is_local(choice.candidates);
    if (local ? takes_over(losses[best], losses[0]) : !takes_over(losses[0], losses[best])) {
        return std::nullopt;
    }
    const ChoosingRule any = rules[best - 1];
    rules.clear();
    for (const std::size_t blocks : choice.blocks ? std::vector<std::size_t>() : blocks_to_try(transforms)) {
        rules.push_back({any.ridge, blocks});
    }
    if (!rules.empty()) {
        const Losses of_any = losses[best];
        losses = judged.losses(rules);
        for (std::size_t i = 0; i < rules.size(); ++i) {
            if (!takes_over(losses[i + 1], of_any)) {
                return rules[i];
            }
        }
    }
    return any;
}

} // namespace

Transforms transforms_of(const MapSpec& candidates, std::size_t keep)
{
    const std::size_t each = rows_of_a_transform(candidates);
    if (each == 0) {
        return {};
    }
    return {each, (keep + each - 1) / each, (rows_of(candidates) + each - 1) / each};
}

bool are_few(const RowSet& rows) { return rows.count() < few_rows; }

double local_ridge_of(const RowSet& rows)
{
    const auto count = static_cast<double>(rows.count());
    return local_ridge * std::max(1.0, local_rows / count) * (are_few(rows) ? ridge_of_few : 1.0);
}

FeatureStage stage_of_choice(const RowChoice& choice, const RowSet& rows, const Judge& judge)
{
    // Of features that are merged there may be fewer than wanted.
    const std::size_t keep = std::min(rows_of(choice.plain), rows_of(choice.candidates));
    const Transforms transforms = transforms_of(choice.candidates, keep);
    if (choice.blocks && *choice.blocks != 0 && transforms.rows_each == 0) {
        throw BadInput("--blocks: found it with rows that are made one by one, expected hadamard or fastfood rows");
    }
    if (choice.blocks && *choice.blocks != 0 && *choice.blocks < transforms.least) {
        throw BadInput("--blocks: found " + std::to_string(*choice.blocks) + ", expected at least the " +
                       std::to_string(transforms.least) + " transforms that " + std::to_string(keep) + " rows fill");
    }
    if (keep == rows_of(choice.candidates)) {
        return {choice.candidates, {}, choice.scaling, choice.threads};
    }
    const std::string of = " of " + std::to_string(rows_of(choice.candidates)) + " rows";
    const OneBlasThread alone(rows.count() * rows_of(choice.candidates) <= most_numbers_alone);
    const RowJudge judged(choice, judge, keep, is_local(choice.candidates) && are_few(rows));
    const std::optional<ChoosingRule> rule = choice.ridge       ? ChoosingRule{*choice.ridge, choice.blocks.value_or(0)}
                                             : judge.possible() ? rule_that_pays(choice, judged, rows, transforms)
                                                                : std::nullopt;
    if (!rule) {
        if (choice.talk) {
            say("rows: the first " + std::to_string(keep) + of + " are kept, because " +
                (judge.possible() ? "chosen ones are no better on rows that did not choose"
                                  : "there are too few rows of data to choose by"));
        }
        return judged.plain();
    }
    FeatureStage stage = judged.chosen(rows, *rule);
    if (choice.talk && transforms.rows_each != 0) {
        std::vector<bool> touched(transforms.all);
        for (const std::uint16_t row : stage.kept_rows()) {
            touched[row / transforms.rows_each] = true;
        }
        say("rows: " + std::to_string(keep) + " chosen" + of + "; a prediction computes " +
            std::to_string(std::count(touched.begin(), touched.end(), true)) + " of " + std::to_string(transforms.all) +
            " transforms");
    }
    return stage;
}

} // namespace samara::desk
