// What training does for local maps and for readouts of four bits: gain, and descent of the loss itself.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "ports/host/training/local_fit.hpp"
#include "ports/host/training/whole_descent.hpp"
#include "samara/stream.hpp"

namespace {

using namespace samara;
using namespace samara::desk;

constexpr std::size_t rows = 300, columns = 12, outputs = 3;

// Classes by which of three sums of features is largest, with noise.
ClassSample sample_of(double ridge)
{
    ClassSample sample{MatrixF(rows, columns), {}, {}, ridge, std::vector<double>(columns, 100.0)};
    Xoshiro words(stream_key(1, Domain::user, 77));
    for (std::size_t i = 0; i < rows; ++i) {
        double sums[outputs] = {};
        for (std::size_t j = 0; j < columns; ++j) {
            sample.z.row(i)[j] = static_cast<float>(words.below(40));
            sums[j % outputs] += static_cast<double>(sample.z.row(i)[j]) * (1.0 + static_cast<double>(j) / columns);
        }
        for (double& sum : sums) {
            sum += words.below(30);
        }
        sample.classes.push_back(static_cast<std::uint32_t>(std::max_element(sums, sums + outputs) - sums));
        sample.weights.push_back(i % 5 == 0 ? 2.0 : 1.0);
    }
    return sample;
}

double plain_loss(const ClassSample& sample, const std::vector<WholeRow>& readout)
{
    double loss = 0.0, count = 0.0, ridge = 0.0;
    for (std::size_t i = 0; i < rows; ++i) {
        std::vector<double> scores;
        double sum = 0.0;
        for (const WholeRow& output : readout) {
            double score = output.bias;
            for (std::size_t j = 0; j < columns; ++j) {
                score += output.scale * output.q[j] * static_cast<double>(sample.z.row(i)[j]);
            }
            scores.push_back(score);
            sum += std::exp(score);
        }
        loss += sample.weights[i] * (std::log(sum) - scores[sample.classes[i]]);
        count += sample.weights[i];
    }
    for (const WholeRow& output : readout) {
        for (std::size_t j = 0; j < columns; ++j) {
            ridge += sample.variances[j] * std::pow(output.scale * output.q[j], 2.0);
        }
    }
    return loss / count + sample.ridge * ridge;
}

} // namespace

TEST_CASE("the loss of whole weights is what its definition says")
{
    const ClassSample sample = sample_of(1e-3);
    std::vector<WholeRow> readout;
    for (int o = 0; o < static_cast<int>(outputs); ++o) {
        WholeRow row{std::vector<int>(columns), 0.01 * (1 + o), 0.3 * o};
        for (int j = 0; j < static_cast<int>(columns); ++j) {
            row.q[static_cast<std::size_t>(j)] = (3 * j + 5 * o) % 15 - 7;
        }
        readout.push_back(row);
    }
    CHECK(logistic_loss(sample, readout) == doctest::Approx(plain_loss(sample, readout)).epsilon(1e-9));
}

TEST_CASE("descent ends where no single step gains, and the readout finds the classes")
{
    for (const double ridge : {1e-7, 1e-5}) {
        const ClassSample sample = sample_of(ridge);
        // A rough guess, of which one class has too large a bias.
        std::vector<WholeRow> readout(outputs, WholeRow{std::vector<int>(columns, 0), 0.01, 0.0});
        readout[1].bias = 3.0;
        for (std::size_t j = 0; j < columns; ++j) {
            readout[j % outputs].q[j] = 4;
        }
        const double before = logistic_loss(sample, readout);
        descend_logistic(sample, 7, readout);
        const double after = plain_loss(sample, readout);
        CHECK(after < 0.5 * before);
        CAPTURE(before);
        CAPTURE(after);
        CHECK(logistic_loss(sample, readout) == doctest::Approx(after).epsilon(1e-6));
        std::size_t found = 0;
        for (std::size_t i = 0; i < rows; ++i) {
            double scores[outputs];
            for (std::size_t o = 0; o < outputs; ++o) {
                scores[o] = readout[o].bias;
                for (std::size_t j = 0; j < columns; ++j) {
                    scores[o] += readout[o].scale * readout[o].q[j] * static_cast<double>(sample.z.row(i)[j]);
                }
            }
            const auto best = static_cast<std::size_t>(std::max_element(scores, scores + outputs) - scores);
            found += best == sample.classes[i] ? 1 : 0;
        }
        CHECK(found > rows * 8 / 10);
        for (std::size_t o = 0; o < outputs; ++o) {
            CHECK(readout[o].scale > 0.0);
            for (std::size_t j = 0; j < columns; ++j) {
                REQUIRE(std::abs(readout[o].q[j]) <= 7);
                for (const int step : {-1, 1}) {
                    std::vector<WholeRow> other = readout;
                    other[o].q[j] += step;
                    if (std::abs(other[o].q[j]) <= 7) {
                        CHECK(plain_loss(sample, other) > after * (1.0 - 1e-3));
                    }
                }
            }
        }
    }
}

TEST_CASE("gain follows the size of the inputs")
{
    const LocalSpec spec = resolve(LocalSpec{.inputs = 100, .height = 10, .seed = 3});
    MatrixF x(200, 100);
    fill_normals(stream_key(5, Domain::user, 1), x.values);
    const auto gain_at = [&](float deviation) {
        MatrixF scaled = x;
        for (float& v : scaled.values) {
            v *= deviation;
        }
        return gain_of(spec, scaled);
    };
    const std::uint32_t usual = gain_at(32.0f);
    CHECK(usual >= neutral_gain - 1);
    CHECK(usual <= neutral_gain + 2);
    CHECK(gain_at(8.0f) == usual + 2);
    CHECK(gain_at(4.0f) == usual + 3);
    // Of nothing at all nothing is too large.
    CHECK(gain_of(spec, MatrixF(10, 100)) == most_gain);
}
