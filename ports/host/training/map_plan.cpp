#include "ports/host/training/map_plan.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "ports/host/training/dense.hpp"
#include "ports/host/training/scale_fit.hpp"
#include "ports/host/training/scaling.hpp"
#include "ports/host/training/whole_inputs.hpp"

namespace samara::desk {
namespace {

// The best bandwidth hardly depends on how many rows and features it is judged with.
constexpr std::size_t bandwidth_rows = 1500;
constexpr std::uint32_t bandwidth_features = 2048;

// The same holds for a scaling.
constexpr std::size_t scaling_rows = 2000;
constexpr std::uint32_t scaling_features = 256;

// A mean of the inputs that is shorter than this share of the bandwidth changes nothing.
constexpr double negligible_mean = 0.02;
constexpr std::size_t mean_rows = 10000;
// As many as the median is taken of.
constexpr std::size_t median_rows = 1000;

// The median first: of bandwidths that are as good the one that is nearest to it is taken.
constexpr double multiples_of_median[] = {1.0, 0.7071, 1.4142, 0.5, 2.0, 0.3536, 0.25};

std::string errors_text(const Losses& simpler, const Losses& other)
{
    return "error " + short_number(mean_of(other), 4) + " against " + short_number(mean_of(simpler), 4) +
           " on left-out rows";
}

// The scaling after which the rows' mean is 0, where it can be had and is not so already.
std::optional<Scaling> centred(const MapPlan& plan, const RowSet& rows)
{
    const auto* const rff = std::get_if<RffSpec>(&plan.spec());
    if (rff == nullptr || plan.scaling().unit) {
        return std::nullopt;
    }
    MatrixF x = rows.sample(mean_rows).inputs();
    apply_scaling(plan.scaling(), x.values.data(), x.rows, x.cols);
    const Eigen::VectorXd mean = view(x).cast<double>().colwise().mean().transpose();
    if (!(mean.norm() > negligible_mean * static_cast<double>(rff->bandwidth))) {
        return plan.scaling();
    }
    Scaling scaling = with_factors(plan.scaling(), std::vector<float>(x.cols, 1.0f));
    for (std::size_t i = 0; i < x.cols; ++i) {
        scaling.shift[i] +=
            static_cast<float>(mean[static_cast<Eigen::Index>(i)] / static_cast<double>(scaling.factor[i]));
    }
    return scaling;
}

// Whether the request leaves open if orders 0 and 1 are exact, and they may be.
bool orders_are_open(const MapRequest& request, const MapSpec& plain)
{
    return std::visit(
        [&]<class Spec>(Spec spec) {
            if constexpr (RowSpec<Spec> && requires { spec.orders; }) {
                const Spec& resolved = std::get<Spec>(plain);
                const bool open =
                    spec.orders == Orders::automatic && engine::exact_orders_pay(resolved.features, resolved.inputs, 2);
                spec = resolved;
                spec.orders = Orders::one;
                return open && check(spec);
            } else {
                return false;
            }
        },
        request.spec);
}

} // namespace

MapPlan::MapPlan(const RowSet& rows, const TrainSettings& settings)
    : request_(settings.map), name_(rows.x().name()), threads_(settings.threads)
{
    Prepared prepared = prepare(rows, settings, MapUse::features);
    scaling_ = std::move(prepared.scaling);
    spec_ = std::move(prepared.spec);
    sample_ = rows.sample(2).inputs();
    apply_scaling(scaling_, sample_.values.data(), sample_.rows, sample_.cols);
    request_.median_bandwidth = false;
    if (const auto* const rff = std::get_if<RffSpec>(&spec_)) {
        std::get<RffSpec>(request_.spec).bandwidth = rff->bandwidth;
    } else if (const auto* const local = std::get_if<LocalSpec>(&spec_)) {
        std::get<LocalSpec>(request_.spec).gain = local->gain;
    }
}

MapSpec MapPlan::fitted(const MapRequest& request) const { return fit_map(request, sample_, name_); }

MapSpec MapPlan::of_features(std::uint32_t features) const
{
    MapRequest request = request_;
    desk::set_features(request.spec, features);
    return fitted(request);
}

MapSpec MapPlan::candidates(std::uint32_t count) const
{
    MapRequest request = request_;
    desk::set_features(request.spec, count);
    std::visit(
        [&]<class Spec>(Spec& wanted) {
            if constexpr (RowSpec<Spec>) {
                const auto& kept = std::get<Spec>(spec_);
                if constexpr (requires { wanted.orders; }) {
                    wanted.orders = kept.orders;
                }
                if constexpr (requires { wanted.pairs; }) {
                    wanted.pairs = kept.pairs;
                }
            }
        },
        request.spec);
    return fitted(request);
}

void MapPlan::set_features(std::uint32_t features)
{
    desk::set_features(request_.spec, features);
    spec_ = fitted(request_);
}

void MapPlan::set_bandwidth(double bandwidth)
{
    for (MapSpec* const spec : {&request_.spec, &spec_}) {
        if (auto* const rff = std::get_if<RffSpec>(spec)) {
            // Whole numbers have a range of bandwidths that a fraction of the median may leave.
            const bool whole = rff->numbers == Numbers::int8;
            rff->bandwidth = static_cast<float>(whole ? std::clamp(bandwidth, 1.0, 65536.0) : bandwidth);
        }
    }
}

void MapPlan::set_orders(Orders orders)
{
    std::visit(
        [&](auto& spec) {
            if constexpr (requires { spec.orders = orders; }) {
                spec.orders = orders;
            }
        },
        request_.spec);
    spec_ = fitted(request_);
}

bool has_median(const RowSet& rows, const TrainSettings& settings)
{
    // A map that has no bandwidth scales as one that has.
    TrainSettings scaling = settings;
    scaling.map = parse_map(is_whole(settings.map.spec) ? "arccos:numbers=int8" : "arccos");
    scaling.talk = false;
    MatrixF x = rows.sample(median_rows).inputs();
    apply_scaling(MapPlan(rows, scaling).scaling(), x.values.data(), x.rows, x.cols);
    return median_distance(x, Kernel::gaussian) > 0.0;
}

void choose_scaling(const RowSet& rows, const RowSet* valid, TrainSettings& settings)
{
    if (!std::holds_alternative<LocalSpec>(settings.map.spec) || settings.scaling != ScalingKind::automatic) {
        return;
    }
    settings.scaling = ScalingKind::global;
    const Channels channels = image_channels(settings.map, rows.x().cols(), rows.x().row_shape(), rows.x().name());
    const Judge judge(rows.sample(scaling_rows), valid, 0, settings.ridge);
    if (!channels.in_runs || channels.count == 1 || !judge.possible()) {
        return;
    }
    TrainSettings by_channel = settings;
    by_channel.scaling = ScalingKind::channel;
    const auto losses = [&](const TrainSettings& tried) {
        return judge.losses(MapPlan(rows, tried).stage(scaling_features));
    };
    const Losses global = losses(settings), channel = losses(by_channel);
    const bool pays = takes_over(global, channel);
    if (settings.talk) {
        say(std::string("scale: one for ") + (pays ? "each channel: " : "all channels: one for each has ") +
            errors_text(global, channel));
    }
    settings = pays ? by_channel : settings;
}

void choose_bandwidth(MapPlan& plan, const RowSet& rows, const RowSet* valid, const TrainSettings& settings)
{
    const auto* const rff = std::get_if<RffSpec>(&plan.spec());
    if (rff == nullptr || (!settings.map.median_bandwidth && settings.bandwidths.empty())) {
        return;
    }
    std::vector<double> tries = settings.bandwidths;
    if (tries.empty() && searches(settings.ridge.method)) {
        for (const double multiple : multiples_of_median) {
            tries.push_back(static_cast<double>(rff->bandwidth) * multiple);
        }
    }
    if (tries.empty()) {
        return;
    }
    const Judge judge(rows.sample(bandwidth_rows), valid, 0, settings.ridge);
    std::size_t best = 0;
    Losses least;
    for (std::size_t i = 0; i < tries.size() && judge.possible(); ++i) {
        plan.set_bandwidth(tries[i]);
        Losses losses = judge.losses(plan.stage(std::min(settings.features, bandwidth_features)));
        if (i == 0 || takes_over(least, losses)) {
            best = i;
            least = std::move(losses);
        }
    }
    plan.set_bandwidth(tries[best]);
    if (settings.talk) {
        say("bandwidth " + short_number(tries[best], 4) +
            (judge.possible() ? " chosen of " + std::to_string(tries.size()) + " by the error on left-out rows (" +
                                    std::to_string(judge.rows()) + " rows)"
                              : ", because there are too few rows to choose by"));
    }
}

void choose_scales(MapPlan& plan, const RowSet& rows, const Judge& judge, const TrainSettings& settings)
{
    if (!judge.possible() || rows.count() < fewest_rows_for_scales) {
        if (settings.talk) {
            say("scales: there are too few rows to learn factors of single inputs from");
        }
        return;
    }
    const auto scaled = [&](const RowSet& learned) {
        return with_factors(plan.scaling(), fit_scales(plan.spec(), plan.scaling(), learned, settings.ridge.seed));
    };
    const FeatureStage plain = plan.stage();
    const std::vector<Losses> losses = judge.once().losses([&](const RowSet& learned) {
        return std::vector<FeatureStage>{plain, FeatureStage(plan.spec(), {}, scaled(learned), settings.threads)};
    });
    const bool pays = takes_over(losses[0], losses[1]);
    if (settings.talk) {
        say(std::string("scales: a factor for each input ") + (pays ? "is taken: " : "is not taken: ") +
            errors_text(losses[0], losses[1]));
    }
    if (pays) {
        plan.set_scaling(scaled(rows));
    }
}

void choose_orders(MapPlan& plan, const RowSet& rows, const Judge& judge, const TrainSettings& settings)
{
    if (!orders_are_open(settings.map, plan.spec())) {
        return;
    }
    plan.set_orders(Orders::none);
    MapPlan exact = plan;
    if (std::holds_alternative<RffSpec>(plan.spec())) {
        std::optional<Scaling> around_mean = centred(plan, rows);
        if (!around_mean) {
            return;
        }
        exact.set_scaling(std::move(*around_mean));
    }
    exact.set_orders(Orders::one);
    if (!judge.possible()) {
        return;
    }
    const Losses none = judge.losses(plan.stage()), one = judge.losses(exact.stage());
    const bool pays = takes_over(none, one);
    if (settings.talk) {
        say(std::string("orders=") + (pays ? "1" : "none") + ": exact low orders have " + errors_text(none, one));
    }
    if (pays) {
        plan = std::move(exact);
    }
}

} // namespace samara::desk
