#include "ports/host/training/whole_inputs.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <variant>

#include "ports/host/text/error.hpp"
#include "samara/map.hpp"
#include "samara/model/whole_scaling.hpp"

namespace samara::desk {
namespace {

constexpr double deviation = 32.0, brightness = 38.0; // of each input by itself, and of all of them together
// By how much more an input may count than it did: there is room for two and a half deviations then.
constexpr double most_gain = 1.5;

double value_of(std::uint8_t code) { return std::ldexp(8.0 + (code & 7u), static_cast<int>(code >> 3u) - 19); }

// The byte of the factor that is nearest to `wanted`, by its logarithm; its value in `factor`.
std::uint8_t nearest_factor(double wanted, bool power_of_two, double& factor)
{
    std::uint8_t best = whole_factor(0, least_whole_exponent);
    double least = std::numeric_limits<double>::infinity();
    for (std::uint32_t e = least_whole_exponent; e < 32; ++e) {
        for (std::uint32_t m = 0; m < (power_of_two ? 1u : 8u); ++m) {
            const double value = value_of(whole_factor(m, e));
            const double distance = std::fabs(std::log(value / wanted));
            if (distance < least) {
                least = distance;
                best = whole_factor(m, e);
                factor = value;
            }
        }
    }
    return best;
}

bool holds(double shift) { return std::fabs(shift) <= 32767.0; }

// The form of a model: all shifts, then all factors.
class WholeBytes {
public:
    void add(double shift, std::uint8_t code)
    {
        const auto bits = static_cast<std::uint16_t>(static_cast<std::int16_t>(shift));
        bytes_.push_back(static_cast<std::byte>(bits & 255u));
        bytes_.push_back(static_cast<std::byte>(bits >> 8u));
        factors_.push_back(static_cast<std::byte>(code));
    }
    std::vector<std::byte> all() const
    {
        std::vector<std::byte> bytes = bytes_;
        bytes.insert(bytes.end(), factors_.begin(), factors_.end());
        return bytes;
    }

private:
    std::vector<std::byte> bytes_, factors_;
};

// With a number for each column in place of one for each run.
Scaling without_runs(Scaling scaling, std::size_t columns)
{
    if (scaling.runs) {
        for (std::vector<float>* const vector : {&scaling.fill, &scaling.shift, &scaling.factor}) {
            const std::size_t run = vector->empty() ? 1 : columns / vector->size();
            std::vector<float> all;
            for (const float v : *vector) {
                all.insert(all.end(), run, v);
            }
            *vector = std::move(all);
        }
        scaling.runs = false;
    }
    return scaling;
}

} // namespace

bool is_whole(const MapSpec& spec)
{
    return std::visit(
        []<class Spec>(const Spec& s) {
            if constexpr (requires { Map<Spec>::is_whole(s); }) {
                return Map<Spec>::is_whole(s);
            } else {
                return false;
            }
        },
        spec);
}

Scaling whole_inputs(const Scaling& learned, ScalingKind kind, std::size_t columns, const std::string& name,
                     std::string& remark)
{
    if (kind == ScalingKind::none) {
        return learned; // inputs are whole numbers already; what is not is rounded
    }
    if (kind == ScalingKind::centre || kind == ScalingKind::unit) {
        throw BadInput(std::string("--scale: found ") + (kind == ScalingKind::unit ? "unit" : "centre") +
                       ", expected none, global, channel, standardise or minmax with numbers=int8");
    }
    const bool global = learned.factor.size() == 1, minmax = kind == ScalingKind::minmax;
    const double most = minmax ? 127.0 : global ? brightness : deviation;
    const std::size_t n = learned.factor.size();
    Scaling whole, floats = learned;
    whole.runs = learned.runs;
    WholeBytes pairs;
    for (std::size_t j = 0; j < n; ++j) {
        floats.factor[j] = learned.factor[j] * static_cast<float>(most);
        double factor = 1.0;
        const double wanted = static_cast<double>(learned.factor[j]) * most;
        const std::uint8_t code = nearest_factor(wanted, global, factor);
        // v = floor(x F + C / 8): the half of rounding is in C.
        const double shift = std::round(8.0 * (0.5 - static_cast<double>(learned.shift[j]) * factor));
        const bool near = std::fabs(std::log(factor / wanted)) < 1.0;
        if (!holds(shift) || !near || !learned.fill.empty()) {
            remark = name +
                     (learned.fill.empty() ? ": the mean or the deviation of column " + std::to_string(j + 1) +
                                                 " is beyond what a scaling to whole numbers holds"
                                           : ": missing values are filled") +
                     ", so inputs are scaled in floats";
            return without_runs(std::move(floats), columns);
        }
        pairs.add(shift, code);
    }
    whole.whole = pairs.all();
    return whole;
}

Scaling with_whole_factors(const Scaling& scaling, const std::vector<float>& factors)
{
    const std::size_t length = scaling.whole.size() / 3, n = factors.size();
    const WholeScaling before{scaling.whole.data(), static_cast<std::uint32_t>(length)};
    double squares = 0.0, largest = 0.0;
    for (const float factor : factors) {
        squares += static_cast<double>(factor) * static_cast<double>(factor);
        largest = std::max(largest, static_cast<double>(factor));
    }
    const double all = std::min(std::sqrt(static_cast<double>(n) / squares), most_gain / largest);
    WholeBytes pairs;
    for (std::size_t i = 0; i < n; ++i) {
        const auto k = static_cast<std::uint32_t>(scaling.runs ? i / (n / length) : i % length);
        const double old_factor = value_of(before.factor(k)), old_shift = before.shift(k);
        double factor = 1.0;
        const std::uint8_t code = nearest_factor(old_factor * all * static_cast<double>(factors[i]), false, factor);
        // floor(x F + C / 8) is 0 around the same x as before.
        const double shift = std::round(4.0 + (old_shift - 4.0) * factor / old_factor);
        if (holds(shift)) {
            pairs.add(shift, code);
        } else {
            pairs.add(old_shift, before.factor(k));
        }
    }
    Scaling whole = scaling;
    whole.whole = pairs.all();
    whole.runs = false;
    return whole;
}

} // namespace samara::desk
