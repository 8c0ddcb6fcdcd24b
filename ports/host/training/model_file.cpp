#include "ports/host/training/model_file.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <span>
#include <utility>
#include <variant>

#include "ports/host/data/files.hpp"
#include "ports/host/text/error.hpp"
#include "ports/host/training/compute.hpp"
#include "ports/host/training/threads.hpp"

namespace samara::desk {
namespace {

constexpr std::size_t batch = 64;

} // namespace

LoadedModel::LoadedModel(const std::string& path) { open(read_file(path), path); }
LoadedModel::LoadedModel(const std::string& bytes, const std::string& name) { open(bytes, name); }

void LoadedModel::open(const std::string& bytes, const std::string& name)
{
    bytes_.resize((bytes.size() + 3) / 4);
    std::memcpy(bytes_.data(), bytes.data(), bytes.size());
    const auto view = std::as_bytes(std::span<const std::uint32_t>(bytes_)).first(bytes.size());
    if (const Status status = predictor_.open(view); status != Status::ok) {
        std::string found = text(status);
        if (status == Status::unsupported_version && bytes.size() >= 10) {
            found = "format version " + std::to_string(detail::read_u16(bytes.data() + 8));
        }
        throw BadInput(name + ": found " + (bytes.empty() ? "an empty file" : found) +
                       ", expected a sealed model of format version " + std::to_string(model_version));
    }
    if (view.size() != model().total_bytes()) {
        throw BadInput(name + ": found " + std::to_string(view.size()) + " bytes, expected the " +
                       std::to_string(model().total_bytes()) + " of the model in it");
    }
    const std::byte* spec = model().bytes() + model().layout().spec.offset;
    // No other map opens.
    const auto take = [&](auto map) {
        if (model().map() == detail::map_id(map)) {
            (void)detail::read_spec(spec, map);
            spec_ = map;
        }
    };
    [&]<std::size_t... I>(std::index_sequence<I...>) { (take(std::variant_alternative_t<I, MapSpec>{}), ...); }
    (std::make_index_sequence<std::variant_size_v<MapSpec>>());
}

std::vector<std::string> LoadedModel::labels() const
{
    std::vector<std::string> names;
    for (std::uint32_t o = 0; model().layout().labels.bytes != 0 && o < model().outputs(); ++o) {
        names.emplace_back(model().label(o));
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
        MatrixF scaled(end - first, x.cols);
        for (std::size_t i = first; i < end; ++i) {
            model().scale_input(x.row(i), scaled.row(i - first));
            for (std::size_t j = 0; j < x.cols; ++j) {
                const float v = scaled.row(i - first)[j];
                if (!std::isfinite(v) || std::abs(v) > 0x1p40f) {
                    throw BadInput(path + ": row " + std::to_string(i + 1) + ", column " + std::to_string(j + 1) +
                                   ": found " + number_text(x.row(i)[j]) +
                                   ", expected a finite number of magnitude at most 2^40 (after scaling)");
                }
            }
        }
        // Batches of features where the map makes them faster so; block by block as the core folds them.
        std::visit(
            [&](const auto& s) {
                const ChosenRows chosen = model().chosen();
                const std::size_t count = end - first, width = model().features();
                MatrixF z(count, width);
                std::vector<float> work((samara::workspace_bytes(s, chosen) + 3) / 4);
                const auto bytes = std::as_writable_bytes(std::span<float>(work));
                const Status status = features(s, chosen, scaled.values, z.values, count, bytes);
                if (status != Status::ok) {
                    throw BadInput(path + ": found a row of which " + text(status));
                }
                const Readout readout = model().readout();
                for (std::size_t i = 0; i < count; ++i) {
                    const std::span<float> totals(scores.row(first + i), scores.cols);
                    readout.clear(totals);
                    for (std::uint32_t k = 0; k < block_count(s); ++k) {
                        const BlockRange range = block_range(s, chosen, k);
                        readout.add(range.first, {z.row(i) + range.first, range.count}, totals);
                    }
                    readout.finish(totals);
                }
            },
            spec_);
    });
    return scores;
}

} // namespace samara::desk
