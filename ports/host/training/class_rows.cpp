#include "ports/host/training/class_rows.hpp"

#include <algorithm>
#include <cmath>

#include "ports/host/training/class_lanes.hpp"
#include "ports/host/training/dense.hpp"
#include "ports/host/training/threads.hpp"

namespace samara::desk {
namespace {

// Numbers of features that are multiplied at a time: they stay in a processor's own cache until the derivatives, too,
// have been taken of them.
constexpr std::size_t tile_numbers = std::size_t{1} << 17;

// A block's rows are shared out in stripes. Their number does not depend on the threads, because their sums are added
// up in order; there are fewer where a sum is large.
constexpr std::size_t most_stripes = 16;
constexpr std::size_t stripe_numbers = std::size_t{1} << 25;

struct Stripe {
    double loss = 0.0, squares = 0.0;
    MatrixF weights, scores;
    std::vector<double> bias;
};

double replace_logistic(float* scores, std::size_t outputs, std::size_t wanted)
{
    const auto most = static_cast<double>(*std::max_element(scores, scores + outputs));
    const double own = static_cast<double>(scores[wanted]) - most;
    double sum = 0.0;
    for (std::size_t k = 0; k < outputs; ++k) {
        const double part = std::exp(static_cast<double>(scores[k]) - most);
        scores[k] = static_cast<float>(part);
        sum += part;
    }
    for (std::size_t k = 0; k < outputs; ++k) {
        scores[k] = static_cast<float>(static_cast<double>(scores[k]) / sum);
    }
    scores[wanted] -= 1.0f;
    return std::log(sum) - own;
}

double replace_hinge(float* scores, std::size_t outputs, std::size_t wanted)
{
    double sum = 0.0;
    for (std::size_t k = 0; k < outputs; ++k) {
        const double sign = k == wanted ? 1.0 : -1.0;
        const double short_by = std::max(0.0, 1.0 - sign * static_cast<double>(scores[k]));
        sum += short_by * short_by;
        scores[k] = static_cast<float>(-2.0 * sign * short_by);
    }
    return sum;
}

// To share out fewer products than these takes longer than to make them.
constexpr std::size_t products_worth_threads = std::size_t{1} << 20;

unsigned useful_threads(std::size_t rows, std::size_t features, std::size_t outputs, unsigned threads)
{
    return rows * features * outputs < products_worth_threads ? 1 : threads;
}

// How many rows of so many features are a tile.
std::size_t tile_rows(std::size_t features) { return std::clamp<std::size_t>(tile_numbers / features, 8, 1024); }

} // namespace

double replace_by_derivatives(ClassLoss loss, float* scores, std::size_t outputs, std::size_t wanted)
{
    return loss == ClassLoss::logistic ? replace_logistic(scores, outputs, wanted)
                                       : replace_hinge(scores, outputs, wanted);
}

ClassSums class_sums(const ClassRows& rows, const std::vector<std::uint32_t>& classes,
                     const std::vector<float>& weights, ClassLoss loss, const LinearReadout& readout, unsigned threads)
{
    const std::size_t features = rows.features(), outputs = readout.bias.size();
    const ClassLanes lanes = chosen_class_lanes();
    const MatrixF w = evaluated(view(readout.weights).cast<float>());
    const std::vector<float> bias = evaluated_vector(view(readout.bias).cast<float>());
    const std::size_t count = std::clamp<std::size_t>(stripe_numbers / (features * outputs), 1, most_stripes);
    const std::size_t most = tile_rows(features);
    std::vector<Stripe> stripes(count);
    for (Stripe& stripe : stripes) {
        stripe.weights = MatrixF(outputs, features);
        stripe.scores = MatrixF(most, outputs);
        stripe.bias.resize(outputs);
    }
    rows.in_blocks([&](const MatrixF& z, std::size_t first_row, std::size_t block) {
        in_pieces(count, 1, useful_threads(block, features, outputs, threads), "",
                  [&](std::size_t number, std::size_t) {
                      Stripe& stripe = stripes[number];
                      const std::size_t end = (number + 1) * block / count;
                      for (std::size_t first = number * block / count; first < end; first += most) {
                          const ClassTile tile{z.row(first), std::min(most, end - first), features, outputs};
                          lanes.scores(tile, w.values.data(), stripe.scores.values.data());
                          for (std::size_t i = 0; i < tile.rows; ++i) {
                              const std::size_t row = first_row + first + i;
                              float* const scores = stripe.scores.row(i);
                              if (!(weights[row] > 0.0f)) {
                                  std::fill_n(scores, outputs, 0.0f);
                                  continue;
                              }
                              for (std::size_t k = 0; k < outputs; ++k) {
                                  scores[k] += bias[k];
                              }
                              stripe.loss += static_cast<double>(weights[row]) *
                                             replace_by_derivatives(loss, scores, outputs, classes[row]);
                              for (std::size_t k = 0; k < outputs; ++k) {
                                  stripe.squares += static_cast<double>(weights[row] * scores[k] * scores[k]);
                                  scores[k] *= weights[row];
                                  stripe.bias[k] += static_cast<double>(scores[k]);
                              }
                          }
                          lanes.add_products(tile, stripe.scores.values.data(), stripe.weights.values.data());
                      }
                  });
    });
    ClassSums sums{0.0, 0.0, MatrixD(outputs, features), std::vector<double>(outputs)};
    for (const Stripe& stripe : stripes) {
        sums.loss += stripe.loss;
        sums.squares += stripe.squares;
        view(sums.weights) += view(stripe.weights).cast<double>();
        view(sums.bias) += view(stripe.bias);
    }
    return sums;
}

MatrixF scores_of_rows(const ClassRows& rows, const LinearReadout& readout, unsigned threads)
{
    const std::size_t features = rows.features(), outputs = readout.bias.size();
    const ClassLanes lanes = chosen_class_lanes();
    const MatrixF w = evaluated(view(readout.weights).cast<float>());
    MatrixF scores(rows.rows(), outputs);
    rows.in_blocks([&](const MatrixF& z, std::size_t first_row, std::size_t block) {
        in_pieces(block, tile_rows(features), useful_threads(block, features, outputs, threads), "",
                  [&](std::size_t first, std::size_t end) {
                      const ClassTile tile{z.row(first), end - first, features, outputs};
                      lanes.scores(tile, w.values.data(), scores.row(first_row + first));
                      for (std::size_t i = first; i < end; ++i) {
                          for (std::size_t k = 0; k < outputs; ++k) {
                              scores.row(first_row + i)[k] += static_cast<float>(readout.bias[k]);
                          }
                      }
                  });
    });
    return scores;
}

} // namespace samara::desk
