#include "ports/host/data/row_weights.hpp"

#include <cmath>
#include <map>
#include <numeric>

#include "ports/host/text/error.hpp"

namespace samara::desk {
namespace {

void require_one_column(const RawTarget& raw, const std::string& option)
{
    if (raw.cols != 1) {
        throw BadInput(option + ": found " + std::to_string(raw.cols) + " columns in " + raw.path + ", expected one");
    }
}

// In units of their mean.
std::vector<float> normalised(const std::vector<double>& weights)
{
    const double mean = std::accumulate(weights.begin(), weights.end(), 0.0) / static_cast<double>(weights.size());
    std::vector<float> result;
    result.reserve(weights.size());
    for (const double weight : weights) {
        result.push_back(static_cast<float>(weight / mean));
    }
    return result;
}

} // namespace

std::vector<float> weights_from(const RawTarget& raw, const std::string& option)
{
    require_one_column(raw, option);
    constexpr double most = 1e30;
    double sum = 0.0;
    std::vector<double> weights;
    weights.reserve(raw.rows);
    for (std::size_t row = 0; row < raw.rows; ++row) {
        const bool number = !raw.numbers.empty();
        if (!number || !(raw.numbers[row] >= 0.0 && raw.numbers[row] <= most)) {
            // Where a cell is no number, the numbers of all are unknown.
            const RawTarget one = number ? RawTarget() : target_from_texts({{raw.texts.front()[row]}}, {}, raw.path);
            const double value = number ? raw.numbers[row] : one.numbers.empty() ? -1.0 : one.numbers.front();
            if (!(value >= 0.0 && value <= most)) {
                throw BadInput(option + ": found " +
                               (number ? number_text(value) : quoted_text(raw.texts.front()[row])) + " in row " +
                               std::to_string(row + 1) + " of " + raw.path +
                               ", expected a number from 0 to 1e30, how often the row counts");
            }
            weights.push_back(value);
        } else {
            weights.push_back(raw.numbers[row]);
        }
        sum += weights.back();
    }
    if (!(sum > 0.0)) {
        throw BadInput(option + ": found 0 in every row of " + raw.path + ", expected some that count");
    }
    return normalised(weights);
}

std::vector<std::uint32_t> groups_from(const RawTarget& raw, const std::string& option)
{
    require_one_column(raw, option);
    std::map<std::string, std::uint32_t> numbers;
    std::vector<std::uint32_t> groups;
    groups.reserve(raw.rows);
    for (std::size_t row = 0; row < raw.rows; ++row) {
        groups.push_back(numbers.emplace(raw.label(row), static_cast<std::uint32_t>(numbers.size())).first->second);
    }
    if (numbers.size() < 2) {
        throw BadInput(option + ": found " + quoted_text(raw.label(0)) + " in every row of " + raw.path +
                       ", expected at least two groups, of which one can be left out");
    }
    return groups;
}

std::vector<double> class_factors(const Target& target)
{
    std::vector<double> factors(target.labels.size());
    double sum = 0.0, classes = 0.0;
    for (std::size_t row = 0; row < target.classes.size(); ++row) {
        factors[target.classes[row]] += target.weight(row);
        sum += target.weight(row);
    }
    for (const double factor : factors) {
        classes += factor > 0.0 ? 1.0 : 0.0;
    }
    for (double& factor : factors) {
        factor = factor > 0.0 ? sum / (classes * factor) : 0.0;
    }
    return factors;
}

void multiply_weights(Target& target, const std::vector<double>& factors)
{
    std::vector<double> weights;
    weights.reserve(target.classes.size());
    double sum = 0.0;
    for (std::size_t row = 0; row < target.classes.size(); ++row) {
        weights.push_back(target.weight(row) * factors[target.classes[row]]);
        sum += weights.back();
    }
    // Rows of classes alone that did not count before are left as they are.
    if (sum > 0.0) {
        target.weights = normalised(weights);
    }
}

} // namespace samara::desk
