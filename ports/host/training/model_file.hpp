#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "ports/host/data/matrix.hpp"
#include "ports/host/data/row_set.hpp"
#include "ports/host/text/map_text.hpp"
#include "samara/model.hpp"
#include "samara/predictor.hpp"

namespace samara::desk {

// A sealed model in memory, opened by the core's own code.
class LoadedModel {
public:
    // BadInput names the file and says what is wrong with it; a model whose prediction costs more operations is
    // refused.
    explicit LoadedModel(const std::string& path, std::uint64_t most_operations = default_most_operations);
    // From bytes already in memory, whatever a prediction costs; `name` stands for them in messages.
    LoadedModel(const std::string& bytes, const std::string& name);

    const Model& model() const { return predictor_.model(); }
    using AnyPredictor = AllMaps::In<Predictor>;
    const AnyPredictor& predictor() const { return predictor_; }
    const MapSpec& spec() const { return spec_; }
    std::vector<std::string> labels() const;

    // The outputs of every row, with the bits that a device computes. x.cols is model().inputs(). Inputs that the map
    // refuses are BadInput with row and, where one column is to blame, column; `path` stands for them.
    MatrixF scores(const MatrixF& x, unsigned threads, const std::string& path) const;
    // Calls `body` with the outputs and the number of each row, in order.
    void each_output(const RowSet& rows, unsigned threads,
                     const std::function<void(const float* outputs, std::size_t row)>& body) const;

private:
    void open(const std::string& bytes, const std::string& name, std::uint64_t most_operations);

    std::vector<std::uint32_t> bytes_; // words, so that they are aligned
    AnyPredictor predictor_;
    MapSpec spec_;
};

} // namespace samara::desk
