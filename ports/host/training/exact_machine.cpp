// The reference that features are compared with.
#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "ports/host/text/error.hpp"
#include "ports/host/training/blas.hpp"
#include "ports/host/training/compute.hpp"
#include "ports/host/training/train.hpp"

namespace samara::desk {

ExactMachine::ExactMachine(const RowSet& rows, const TrainSettings& settings) : threads_(settings.threads)
{
    if (rows.count() > most_rows) {
        throw BadInput("--exact: found " + std::to_string(rows.count()) + " rows, expected at most " +
                       std::to_string(most_rows) + ", because a machine of n rows needs n x n numbers");
    }
    const Prepared prepared = prepare(rows, settings, MapUse::kernel);
    spec_ = prepared.spec;
    scaling_ = prepared.scaling;
    x_ = rows.inputs();
    apply_scaling(scaling_, x_.values.data(), x_.rows, x_.cols);

    const MatrixD y = encoded_outputs(rows);
    std::vector<double> bandwidths = settings.bandwidths;
    auto* const rff = std::get_if<RffSpec>(&spec_);
    const bool given = settings.ridge.method == RidgeMethod::value || settings.ridge.method == RidgeMethod::rule;
    if (rff != nullptr && bandwidths.empty() && settings.map.median_bandwidth && !given) {
        for (const double multiple : {0.25, 0.35, 0.5, 0.71, 1.0, 1.41, 2.0}) {
            bandwidths.push_back(multiple * static_cast<double>(rff->bandwidth));
        }
    }
    if (rff == nullptr || bandwidths.empty()) {
        bandwidths.assign(1, rff == nullptr ? 1.0 : static_cast<double>(rff->bandwidth));
    }
    double best = bandwidths.front();
    std::optional<KernelProblem> problem; // of the bandwidth in the spec
    for (const double bandwidth : bandwidths) {
        if (rff != nullptr) {
            rff->bandwidth = static_cast<float>(bandwidth);
        }
        problem.emplace(kernel_matrix(spec_, x_, threads_), y, rows.y().task, words_of(rows));
        const Readout readout = problem->choose(settings.ridge, x_.rows);
        if (bandwidth == bandwidths.front() || readout.error < readout_.error) {
            readout_ = readout;
            best = bandwidth;
        }
    }
    // The kernel may have taken hours: that of the last bandwidth is there.
    if (rff != nullptr && best != bandwidths.back()) {
        rff->bandwidth = static_cast<float>(best);
        problem.emplace(kernel_matrix(spec_, x_, threads_), y, rows.y().task, words_of(rows));
    }
    if (!problem->solve(readout_.ridge, alpha_, readout_.bias)) {
        refuse_ridge(readout_.ridge);
    }
}

Score ExactMachine::score(const RowSet& rows) const
{
    Score score(rows.y().task, alpha_.rows);
    constexpr std::size_t block = 512;
    std::vector<float> outputs(alpha_.rows);
    rows.in_blocks(std::min(block, rows.count()), [&](MatrixF& x, const std::vector<std::size_t>& numbers) {
        require_usable(scaling_, x, numbers, rows.x().name());
        MatrixF some(numbers.size(), x.cols);
        std::copy_n(x.values.begin(), some.values.size(), some.values.begin());
        apply_scaling(scaling_, some.values.data(), some.rows, some.cols);
        const MatrixD found = multiply(alpha_, kernel_matrix(spec_, x_, some, threads_));
        for (std::size_t i = 0; i < numbers.size(); ++i) {
            for (std::size_t k = 0; k < outputs.size(); ++k) {
                outputs[k] = static_cast<float>(found.row(k)[i] + readout_.bias[k]);
            }
            score.add(rows.y(), numbers[i], outputs.data());
        }
    });
    return score;
}

} // namespace samara::desk
