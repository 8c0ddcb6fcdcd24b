#include "ports/host/training/calibration.hpp"

#include <algorithm>
#include <cmath>

namespace samara::desk {
namespace {

// A scale is looked for between 1 over this, in units of the scores' spread, and this.
constexpr double most_scale = 1e4;
constexpr int halvings = 40;

// Of softmax(scale * scores): log of the sum of exp(scale * (f - f_wanted)), and its derivative by the scale less
// `smooth` times that of the mean score.
struct RowLoss {
    double loss = 0.0, slope = 0.0;
};

RowLoss loss_of(const float* scores, std::size_t outputs, std::uint32_t wanted, double scale)
{
    const auto own = static_cast<double>(scores[wanted]);
    const auto most = static_cast<double>(*std::max_element(scores, scores + outputs));
    double sum = 0.0, weighted = 0.0;
    for (std::size_t k = 0; k < outputs; ++k) {
        const double part = std::exp(scale * (static_cast<double>(scores[k]) - most));
        sum += part;
        weighted += part * static_cast<double>(scores[k]);
    }
    return {std::log(sum) + scale * (most - own), weighted / sum - own};
}

double mean_of(const float* scores, std::size_t outputs)
{
    double sum = 0.0;
    for (std::size_t k = 0; k < outputs; ++k) {
        sum += static_cast<double>(scores[k]);
    }
    return sum / static_cast<double>(outputs);
}

// Of the mean loss, by the scale.
double slope_at(const JudgedScores& judged, double smooth, double scale)
{
    const std::size_t outputs = judged.scores.cols;
    double sum = 0.0;
    for (std::size_t i = 0; i < judged.rows(); ++i) {
        const float* const scores = judged.scores.row(i);
        const std::uint32_t wanted = judged.classes[i];
        const double lost = static_cast<double>(scores[wanted]) - mean_of(scores, outputs);
        sum += judged.weight(i) * (loss_of(scores, outputs, wanted, scale).slope + smooth * lost);
    }
    return sum;
}

} // namespace

double JudgedScores::total_weight() const
{
    double sum = 0.0;
    for (std::size_t i = 0; i < rows(); ++i) {
        sum += weight(i);
    }
    return sum;
}

void JudgedScores::add(const float* row, std::uint32_t wanted, float weight)
{
    scores.values.insert(scores.values.end(), row, row + scores.cols);
    ++scores.rows;
    classes.push_back(wanted);
    weights.push_back(weight);
}

double log_loss_of(const float* scores, std::size_t outputs, std::uint32_t wanted, double scale)
{
    return loss_of(scores, outputs, wanted, scale).loss;
}

double log_loss(const JudgedScores& judged, double scale)
{
    double sum = 0.0;
    for (std::size_t i = 0; i < judged.rows(); ++i) {
        sum += judged.weight(i) * loss_of(judged.scores.row(i), judged.scores.cols, judged.classes[i], scale).loss;
    }
    return sum / judged.total_weight();
}

double error_share(const JudgedScores& judged)
{
    double sum = 0.0;
    for (std::size_t i = 0; i < judged.rows(); ++i) {
        const float* const scores = judged.scores.row(i);
        const auto found = std::max_element(scores, scores + judged.scores.cols) - scores;
        sum += static_cast<std::size_t>(found) == judged.classes[i] ? 0.0 : judged.weight(i);
    }
    return sum / judged.total_weight();
}

double probability_scale(const JudgedScores& judged)
{
    double squares = 0.0;
    for (std::size_t i = 0; i < judged.rows(); ++i) {
        const double mean = mean_of(judged.scores.row(i), judged.scores.cols);
        for (std::size_t k = 0; k < judged.scores.cols; ++k) {
            const double around = static_cast<double>(judged.scores.row(i)[k]) - mean;
            squares += around * around;
        }
    }
    const double spread =
        std::sqrt(squares / static_cast<double>(std::max<std::size_t>(1, judged.scores.values.size())));
    if (!(spread > 0.0) || !std::isfinite(spread) || !(judged.total_weight() > 0.0)) {
        return 1.0;
    }
    const double smooth = 1.0 / (static_cast<double>(judged.rows()) + 1.0);
    double low = std::log(1.0 / (most_scale * spread)), high = std::log(most_scale / spread);
    for (int i = 0; i < halvings; ++i) {
        const double middle = 0.5 * (low + high);
        (slope_at(judged, smooth, std::exp(middle)) > 0.0 ? high : low) = middle;
    }
    return std::exp(0.5 * (low + high));
}

} // namespace samara::desk
