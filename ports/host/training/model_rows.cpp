#include "ports/host/training/model_rows.hpp"

#include <algorithm>
#include <numeric>

#include "ports/host/text/error.hpp"
#include "ports/host/text/map_text.hpp"
#include "ports/host/training/scaling.hpp"
#include "samara/model.hpp"

namespace samara::desk {
namespace {

bool fills_missing(const LoadedModel& model) { return (model.model().layout().scaling_steps & scaling_fill) != 0; }

} // namespace

Task task_of(const LoadedModel& model)
{
    return model.model().task() == ModelTask::classify ? Task::classify : Task::regress;
}

std::vector<std::string> class_names(const LoadedModel& model)
{
    std::vector<std::string> names = model.labels();
    for (std::size_t k = names.size(); k < model.model().outputs(); ++k) {
        names.push_back(std::to_string(k));
    }
    return names;
}

TableReading reading_for(const LoadedModel& model, TableReading reading)
{
    reading.columns = reading.columns != 0 ? reading.columns : model.model().inputs();
    reading.blanks_are_missing = fills_missing(model);
    return reading;
}

void require_shape(const LoadedModel& model, const TableSource& x)
{
    if (x.cols() != model.model().inputs()) {
        throw BadInput(x.name() + ": found " + std::to_string(x.cols()) + " columns, expected the " +
                       std::to_string(model.model().inputs()) + " that the model was trained with" +
                       (x.cols() > model.model().inputs() ? ", without columns of answers" : ""));
    }
    require_image(model.spec(), x.row_shape(), x.name());
}

void predict_rows(const LoadedModel& model, TableSource& x, unsigned threads,
                  const std::function<void(const MatrixF&, std::size_t)>& body)
{
    constexpr std::size_t block = 4096;
    require_shape(model, x);
    Scaling filling;
    if (fills_missing(model)) {
        filling.fill.resize(x.cols());
    }
    for (std::size_t first = 0; first < x.rows(); first += block) {
        MatrixF some(std::min(block, x.rows() - first), x.cols());
        x.read(first, some.rows, some.values.data());
        std::vector<std::size_t> numbers(some.rows);
        std::iota(numbers.begin(), numbers.end(), first);
        require_usable(filling, some, numbers, x.name());
        body(model.scores(some, threads, x.name()), first);
    }
}

} // namespace samara::desk
