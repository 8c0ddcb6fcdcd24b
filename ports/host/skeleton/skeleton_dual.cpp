#include "ports/host/skeleton/skeleton_dual.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "ports/host/data/number.hpp"
#include "ports/host/text/error.hpp"

namespace samara::desk {
namespace {

constexpr double whole = 0x1p32;

// The probabilities of at most j factors, rounded, as long as they are not 1.
std::vector<std::uint32_t> steps_of(const std::vector<double>& terms)
{
    std::vector<std::uint32_t> steps;
    double sum = 0.0;
    for (std::size_t j = 0; j + 1 < terms.size(); ++j) {
        sum += terms[j];
        if (std::round(sum * whole) >= whole) {
            break;
        }
        steps.push_back(static_cast<std::uint32_t>(std::round(sum * whole)));
    }
    return steps;
}

// What stands between "NAME(" and ")", where the text begins with NAME.
std::optional<std::string_view> argument_of(std::string_view text, std::string_view name)
{
    if (!text.starts_with(name) || text.size() < name.size() + 2 || text[name.size()] != '(' || text.back() != ')') {
        return std::nullopt;
    }
    return text.substr(name.size() + 1, text.size() - name.size() - 2);
}

std::vector<double> poisson(const std::string& text, std::string_view argument)
{
    constexpr double most = 512.0;
    const std::optional<double> a = number_of(argument);
    if (!a || !(*a > 0.0 && *a <= most)) {
        throw BadInput("found " + quoted_text(text) + ", expected exp(a) with a above 0 and at most 512");
    }
    std::vector<double> terms;
    // By logarithms, because e^-a may be tiny; far enough behind the mean nothing is left of 2^-32.
    const double last = *a + 12.0 * std::sqrt(*a) + 40.0;
    for (double j = 0.0; j < last; j += 1.0) {
        terms.push_back(std::exp(j * std::log(*a) - *a - std::lgamma(j + 1.0)));
    }
    return terms;
}

std::vector<double> coefficients(const std::string& text, std::string_view list)
{
    constexpr double tolerance = 1e-6;
    std::vector<double> terms;
    double sum = 0.0;
    for (bool more = true; more;) {
        const std::size_t end = std::min(list.find(';'), list.size());
        const std::optional<double> c = number_of(list.substr(0, end));
        if (!c || !(*c >= 0.0 && std::isfinite(*c))) {
            throw BadInput("found the coefficient " + quoted_text(list.substr(0, end)) + " in " + quoted_text(text) +
                           ", expected 0 or a positive number");
        }
        terms.push_back(*c);
        sum += *c;
        more = end < list.size();
        list.remove_prefix(std::min(end + 1, list.size()));
    }
    if (std::fabs(sum - 1.0) > tolerance) {
        throw BadInput("found " + quoted_text(text) + ", whose coefficients add up to " + number_text(sum) +
                       ", expected 1");
    }
    while (terms.back() == 0.0) {
        terms.pop_back();
    }
    for (double& c : terms) {
        c /= sum;
    }
    return terms;
}

} // namespace

std::string dual_words() { return "identity, relu, step, exp(a) or series(c0;c1;...)"; }

SkeletonActivation activation_of(const std::string& text, std::vector<std::uint32_t>& steps)
{
    steps.clear();
    if (text == "identity") {
        return {SkeletonDual::identity, {}};
    }
    if (text == "relu") {
        return {SkeletonDual::relu, {}};
    }
    if (text == "step") {
        return {SkeletonDual::step, {}};
    }
    if (const auto argument = argument_of(text, "exp")) {
        steps = steps_of(poisson(text, *argument));
    } else if (const auto list = argument_of(text, "series")) {
        steps = steps_of(coefficients(text, *list));
        if (steps.empty()) {
            throw BadInput("found " + quoted_text(text) + ", which is 1 whatever its inputs, expected more terms");
        }
    } else {
        throw BadInput("found " + quoted_text(text) + ", expected " + dual_words());
    }
    if (steps.size() >= most_factors) {
        throw BadInput("found " + std::to_string(steps.size() + 1) + " coefficients, expected at most 65536");
    }
    return {SkeletonDual::series, steps};
}

} // namespace samara::desk
