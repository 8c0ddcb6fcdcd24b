// The data that the words of `samara train` name.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "ports/host/commands/train_options.hpp"
#include "ports/host/data/row_set.hpp"
#include "ports/host/data/table_source.hpp"
#include "ports/host/data/target.hpp"

namespace samara::desk {

// Inputs and answers that belong together, in memory as long as row sets of them are used.
struct LabelledData {
    Dataset data;
    Target target;
    std::vector<std::string> remarks; // for the user: the task, and what is not as usual

    RowSet rows() const { return {*data.x, target}; }
};

// BadInput for a target that no model can be sealed of: what sealing would find after the training.
void require_sealable(const TrainOptions& options, const Target& target);

std::unique_ptr<LabelledData> read_training_data(const TrainOptions& options);

// All rows, with copies where they are wanted. BadInput where rows have no shape, or a shift leaves it.
RowSet training_rows(const TrainOptions& options, LabelledData& data);

// Of the same width and in the same terms.
std::unique_ptr<LabelledData> read_more_data(const TrainOptions& options, const std::string& in,
                                             const std::string& target, const LabelledData& like);

} // namespace samara::desk
