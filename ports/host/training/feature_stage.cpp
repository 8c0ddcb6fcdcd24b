#include "ports/host/training/feature_stage.hpp"

#include <algorithm>
#include <memory>
#include <span>
#include <stdexcept>
#include <utility>
#include <variant>

#include "ports/host/text/error.hpp"
#include "ports/host/text/progress.hpp"
#include "ports/host/training/map_twin.hpp"
#include "ports/host/training/scaling.hpp"
#include "ports/host/training/threads.hpp"

namespace samara::desk {
namespace {

constexpr std::size_t batch_rows = 128;

} // namespace

FeatureStage::FeatureStage(MapSpec spec, std::vector<std::uint16_t> kept_rows, Scaling scaling, unsigned threads)
    : spec_(std::move(spec)), kept_rows_(std::move(kept_rows)), data_(spec_, kept_rows_), scaling_(std::move(scaling)),
      threads_(threads)
{
    features_ = std::visit([&](const auto& s) { return feature_count(s, data_.of(s)); }, spec_);
}

FeatureStage FeatureStage::with_factors(std::vector<float> factors) const
{
    FeatureStage other = *this;
    other.factors_ = std::move(factors);
    return other;
}

std::size_t FeatureStage::block_rows() const
{
    return std::clamp<std::size_t>((std::size_t{1} << 24u) / features_, 16, 4096);
}

void FeatureStage::compute_some(MatrixF& x, std::size_t first, std::size_t end, const std::vector<float>& shift,
                                MatrixF& z) const
{
    apply_scaling(scaling_, x.row(first), end - first, x.cols);
    std::visit(
        [&](const auto& s) {
            // Of floats, so that it is aligned as a workspace must be.
            const auto data = data_.of(s);
            std::vector<float> work((workspace_bytes(s, data) + sizeof(float) - 1) / sizeof(float));
            const Status status = samara::features(s, data, {x.row(first), (end - first) * x.cols},
                                                   {z.row(first), (end - first) * z.cols}, end - first,
                                                   std::as_writable_bytes(std::span<float>(work)));
            if (status == Status::overflow) {
                using Twin = MapTwin<std::remove_cvref_t<decltype(s)>>;
                throw BadInput(std::string("features: found a row of which a power leaves the range of floats, "
                                           "expected ") +
                               Twin::overflow_advice(s) + (Twin::scaling_helps ? " (--scale may make them so)" : ""));
            }
            if (status == Status::out_of_range && spec_.skeleton && has_categories(skeleton_of(*spec_.skeleton))) {
                throw BadInput("features: found a row with an input that is none of its categories, expected whole "
                               "numbers from 0 on, fewer than values= says (and no --scale)");
            }
            if (status == Status::not_finite || status == Status::out_of_range) {
                throw BadInput("--scale: found an input of a magnitude over 2^40 after scaling, expected data whose "
                               "columns differ less from those of the training rows");
            }
            if (status != Status::ok) {
                throw std::logic_error(std::string("features: ") + text(status));
            }
        },
        spec_);
    for (std::size_t i = first; i < end && !factors_.empty(); ++i) {
        float* const row = z.row(i);
        for (std::size_t j = 0; j < z.cols; ++j) {
            row[j] *= factors_[j];
        }
    }
    for (std::size_t i = first; i < end && !shift.empty(); ++i) {
        float* const row = z.row(i);
        for (std::size_t j = 0; j < z.cols; ++j) {
            row[j] -= shift[j];
        }
    }
}

void FeatureStage::compute(MatrixF& x, std::size_t count, const std::vector<float>& shift, MatrixF& z) const
{
    in_pieces(count, std::clamp<std::size_t>(count / threads_, 1, batch_rows), threads_, "",
              [&](std::size_t first, std::size_t end) { compute_some(x, first, end, shift, z); });
}

void FeatureStage::in_blocks(const RowSet& rows, const std::string& label, const std::vector<float>& shift,
                             const std::function<void(const MatrixF&, const std::vector<std::size_t>&)>& body) const
{
    const std::size_t most = std::min(block_rows(), rows.count());
    MatrixF z(most, features_);
    const auto progress = label.empty() ? nullptr : std::make_unique<Progress>(label, rows.count());
    rows.in_blocks(most, [&](MatrixF& x, const std::vector<std::size_t>& numbers) {
        require_usable(scaling_, x, numbers, rows.x().name());
        compute(x, numbers.size(), shift, z);
        body(z, numbers);
        if (progress) {
            progress->advance(numbers.size());
        }
    });
}

MatrixF FeatureStage::all(const RowSet& rows) const
{
    MatrixF z(rows.count(), features_);
    MatrixF x = rows.inputs();
    require_usable(scaling_, x, rows.numbers(), rows.x().name());
    compute(x, x.rows, {}, z);
    return z;
}

} // namespace samara::desk
