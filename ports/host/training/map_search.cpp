#include "ports/host/training/map_search.hpp"
#include "ports/host/training/map_twin.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "ports/host/training/judge.hpp"
#include "ports/host/training/map_plan.hpp"
#include "ports/host/training/scale_fit.hpp"

namespace samara::desk {
namespace {

// What is told apart by so many rows and features is what counts for more of them, too.
constexpr std::size_t searched_rows = 2000;
constexpr std::uint32_t searched_features = 256;

struct Way {
    const char* map;
    double multiple; // of the median distance, for a bandwidth; else 0
};
// The simplest comes first, and stays where nothing else is clearly better: plain random rows of a map without a
// bandwidth. The last of them is a linear model.
constexpr Way ways[] = {{"arccos:orders=none", 0.0},
                        {"rff:orders=none,bandwidth=auto", 1.0},
                        {"rff:orders=none,bandwidth=auto", 0.7071},
                        {"rff:orders=none,bandwidth=auto", 1.4142},
                        {"rff:orders=none,bandwidth=auto", 0.5},
                        {"rff:orders=none,bandwidth=auto", 2.0},
                        {"rff:orders=none,bandwidth=auto", 0.3536},
                        {"rff:orders=none,bandwidth=auto", 0.25},
                        {"ntk-poly:orders=none", 0.0},
                        {"polynomial:degree=1,offset=0,orders=1", 0.0}};

constexpr const char* linear = "polynomial";

// What a way comes to for these rows: a map and what belongs to it, in the place of what the settings leave open.
struct Try {
    const Way* way;
    TrainSettings settings;
    MapPlan plan;
};

std::optional<Try> tried(const Way& way, ScalingKind scaling, const RowSet& some, const TrainSettings& wanted)
{
    TrainSettings settings = wanted;
    settings.any_map = false;
    settings.talk = false;
    settings.scaling = scaling;
    settings.map = parse_map(way.map);
    set_seed(settings.map.spec, seed_of(wanted.map.spec));
    if (name_of(settings.map.spec) == linear) {
        if (some.x().cols() > wanted.features) {
            return std::nullopt;
        }
        settings.features = static_cast<std::uint32_t>(some.x().cols());
        settings.candidates = 0;
        settings.fit_scales = false;
    }
    auto* const rff = std::get_if<RffSpec>(&settings.map.spec);
    if (rff != nullptr && settings.features % 2 != 0) {
        rff->form = Form::phase; // pairs have an even number
    }
    settings.fit_scales = settings.fit_scales && can_fit_scales(settings.map.spec);
    set_features(settings.map.spec, std::min(settings.features, searched_features));
    if (rff != nullptr && !has_median(some, settings)) {
        return std::nullopt;
    }
    MapPlan plan(some, settings);
    if (rff != nullptr) {
        plan.set_bandwidth(static_cast<double>(std::get<RffSpec>(plan.spec()).bandwidth) * way.multiple);
        rff->bandwidth = std::get<RffSpec>(plan.spec()).bandwidth;
        settings.map.median_bandwidth = false;
    }
    return Try{&way, std::move(settings), std::move(plan)};
}

std::string text_of(const Try& now)
{
    const std::string name = name_of(now.plan.spec());
    return (name == linear ? "linear" : name) +
           (now.way->multiple > 0.0 ? " at " + short_number(now.way->multiple, 2) + " of the median" : std::string()) +
           (now.settings.scaling == ScalingKind::none ? " of inputs as they are" : "");
}

// What was found, in place of what was open.
void take(TrainSettings settings, TrainSettings& into)
{
    settings.talk = into.talk;
    into = std::move(settings);
    set_features(into.map.spec, into.features);
    // Whether low orders are exact is asked later, of the map that was taken.
    std::visit(
        []<class Spec>(Spec& spec) {
            if constexpr (OpenOrders<Spec>) {
                spec.orders = Orders::automatic;
            }
        },
        into.map.spec);
}

// The best way so far.
class Search {
public:
    explicit Search(const Judge& judge) : judge_(judge), once_(judge.once()) {}

    // Its error, for the user. Where nothing can be judged the first way is the best one.
    std::optional<double> ask(const Try& now)
    {
        if (!judge_.possible()) {
            best_ = best_ ? best_ : now;
            return std::nullopt;
        }
        // What is far behind after one deal of the rows need not be asked again.
        Losses first = once_.losses(now.plan.stage());
        const double error = mean_of(first);
        if (best_ && falls_behind(first_, first)) {
            return error;
        }
        Losses all = judge_.losses(now.plan.stage());
        if (!best_ || takes_over(all_, all)) {
            best_ = now;
            first_ = std::move(first);
            all_ = std::move(all);
        }
        return error;
    }

    bool found() const { return best_.has_value(); }
    const Try& best() const { return *best_; }

private:
    const Judge& judge_;
    Judge once_;
    std::optional<Try> best_;
    Losses first_, all_; // of the best one
};

} // namespace

bool choose_map(const RowSet& rows, const RowSet* valid, TrainSettings& settings, const char* only)
{
    const bool any_scaling = settings.scaling == ScalingKind::automatic;
    const RowSet some = rows.sample(searched_rows);
    const Judge judge(some, valid, 0, settings.ridge);
    Search search(judge);
    std::string said;
    const auto ask = [&](const Way& way, ScalingKind scaling) {
        const std::optional<Try> now = tried(way, scaling, some, settings);
        if (const std::optional<double> error = now ? search.ask(*now) : std::nullopt) {
            said += (said.empty() ? "" : ", ") + text_of(*now) + " " + short_number(*error, 4);
        }
    };
    for (const Way& way : ways) {
        if (only != nullptr && name_of(parse_map(way.map).spec) != only) {
            continue;
        }
        ask(way, any_scaling ? ScalingKind::standardise : settings.scaling);
    }
    if (!search.found()) {
        return false;
    }
    if (any_scaling) {
        // Inputs of one unit, as of an image, may be better as they are.
        ask(*search.best().way, ScalingKind::none);
    }
    const Try found = search.best();
    take(found.settings, settings);
    if (!settings.talk) {
        return true;
    }
    if (judge.possible()) {
        say("maps tried, with their errors on " + std::to_string(judge.rows()) + " left-out rows: " + said);
    }
    say("map: " + text_of(found) + (judge.possible() ? "" : ", because there are too few rows to choose by"));
    return true;
}

} // namespace samara::desk
