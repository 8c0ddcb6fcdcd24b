// A sealed model and the rows of a file.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "ports/host/data/table_source.hpp"
#include "ports/host/training/model_file.hpp"
#include "ports/host/training/trained.hpp"

namespace samara::desk {

Task task_of(const LoadedModel& model);
// Labels where the model has them, else the outputs' numbers from 0.
std::vector<std::string> class_names(const LoadedModel& model);

// What the model says of its inputs, beside what the user said.
TableReading reading_for(const LoadedModel& model, TableReading reading);

// BadInput for another number of columns than the model has inputs, and for images of another shape.
void require_shape(const LoadedModel& model, const TableSource& x);

// Calls `body` with the outputs of consecutive rows and the number of the first of them. What the model cannot take
// is BadInput with row and column.
void predict_rows(const LoadedModel& model, TableSource& x, unsigned threads,
                  const std::function<void(const MatrixF& outputs, std::size_t first)>& body);

} // namespace samara::desk
