#include "ports/host/training/model_file.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <span>
#include <utility>
#include <variant>

#include "ports/host/data/files.hpp"
#include "ports/host/text/error.hpp"
#include "ports/host/text/words.hpp"
#include "ports/host/training/compute.hpp"
#include "ports/host/training/model_refusal.hpp"
#include "ports/host/training/threads.hpp"

namespace samara::desk {
namespace {

constexpr std::size_t batch = 64;
// With more features than this they are made block by block and not all at once.
constexpr std::uint32_t most_features_at_once = 1u << 16;

} // namespace

LoadedModel::LoadedModel(const std::string& path, std::uint64_t most_operations)
{
    open(read_file(path), path, most_operations);
}
LoadedModel::LoadedModel(const std::string& bytes, const std::string& name) { open(bytes, name, any_operations); }

void LoadedModel::open(const std::string& bytes, const std::string& name, std::uint64_t most_operations)
{
    bytes_.resize((bytes.size() + 3) / 4);
    std::memcpy(bytes_.data(), bytes.data(), bytes.size());
    const auto view = std::as_bytes(std::span<const std::uint32_t>(bytes_)).first(bytes.size());
    if (const Status status = predictor_.open(view, {.most_operations = any_operations}); status != Status::ok) {
        throw BadInput(name + ": " + model_refusal(view, status));
    }
    if (view.size() != model().total_bytes()) {
        throw BadInput(name + ": found " + std::to_string(view.size()) + " bytes, expected the " +
                       std::to_string(model().total_bytes()) + " of the model in it");
    }
    if (predictor_.operations() > most_operations) {
        throw BadInput(name + ": found a model of which a prediction costs about " +
                       with_commas(predictor_.operations()) + " operations, expected at most " +
                       with_commas(most_operations) + " (--most-operations any takes it all the same)");
    }
    // No other map opens.
    static_cast<void>(AllMaps::any([&](auto spec) {
        typename Map<decltype(spec)>::Data data;
        if (!model().get(spec, data)) {
            return false;
        }
        spec_ = MapSpec(spec);
        if constexpr (DataSpec<decltype(spec)>) {
            spec_.skeleton = std::make_shared<const SkeletonPart>(part_of(data));
        }
        return true;
    }));
}

std::vector<std::string> LoadedModel::labels() const
{
    std::vector<std::string> names;
    // One behind the other, because label() looks for each from the first one on.
    const char* name = model().label(0);
    for (std::uint32_t o = 0; model().has_labels() && o < model().outputs(); ++o) {
        name += names.emplace_back(name).size() + 1;
    }
    return names;
}

MatrixF LoadedModel::scores(const MatrixF& x, unsigned threads, const std::string& path) const
{
    if (x.cols != model().inputs()) {
        throw BadInput(path + ": found " + std::to_string(x.cols) + " columns, expected the " +
                       std::to_string(model().inputs()) + " that the model was trained with");
    }
    MatrixF scores(x.rows, model().outputs());
    in_pieces(x.rows, batch, threads, "predictions", [&](std::size_t first, std::size_t end) {
        const std::size_t count = end - first;
        std::vector<float> scaled(x.cols);
        for (std::size_t i = first; i < end; ++i) {
            model().scale_input(x.row(i), scaled.data());
            for (std::size_t j = 0; j < x.cols; ++j) {
                if (!(std::abs(scaled[j]) <= 0x1p40f)) {
                    throw BadInput(path + ": row " + std::to_string(i + 1) + ", column " + std::to_string(j + 1) +
                                   ": found " + number_text(x.row(i)[j]) +
                                   ", expected a finite number of magnitude at most 2^40 (after scaling)");
                }
            }
        }
        const bool at_once = model().features() <= most_features_at_once;
        const std::size_t bytes = at_once ? predictor_.workspace_bytes(count) : predictor_.workspace_bytes();
        std::vector<float> work(bytes / sizeof(float) + 1);
        Status status = Status::small_workspace; // row by row then
        if (at_once) {
            status = predictor_.scores({x.row(first), count * x.cols}, {scores.row(first), count * scores.cols}, count,
                                       std::as_writable_bytes(std::span<float>(work)));
        }
        for (std::size_t i = first; status != Status::ok && i < end; ++i) {
            const std::span<float> row(scores.row(i), scores.cols);
            const Status one = predictor_.scores({x.row(i), x.cols}, row, std::as_writable_bytes(std::span(work)));
            if (one == Status::out_of_range && spec_.skeleton && has_categories(skeleton_of(*spec_.skeleton))) {
                throw BadInput(path + ": row " + std::to_string(i + 1) +
                               ": found an input that is none of its categories, expected whole numbers from 0 on, "
                               "fewer than the model's values=");
            }
            if (one != Status::ok) {
                throw BadInput(path + ": row " + std::to_string(i + 1) + ": found inputs of which " + text(one) +
                               ", expected ones that the model's weights make scores of");
            }
        }
    });
    return scores;
}

void LoadedModel::each_output(const RowSet& rows, unsigned threads,
                              const std::function<void(const float* outputs, std::size_t row)>& body) const
{
    constexpr std::size_t block = 4096;
    rows.in_blocks(std::min(block, rows.count()), [&](MatrixF& x, const std::vector<std::size_t>& numbers) {
        MatrixF some(numbers.size(), x.cols);
        std::copy_n(x.values.begin(), some.values.size(), some.values.begin());
        const MatrixF outputs = scores(some, threads, rows.x().name());
        for (std::size_t i = 0; i < numbers.size(); ++i) {
            body(outputs.row(i), numbers[i]);
        }
    });
}

} // namespace samara::desk
