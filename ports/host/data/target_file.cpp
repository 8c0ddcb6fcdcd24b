#include "ports/host/data/target_file.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "ports/host/data/csv.hpp"
#include "ports/host/data/data_file.hpp"
#include "ports/host/data/label.hpp"
#include "ports/host/data/memory_limit.hpp"
#include "ports/host/data/npy_text.hpp"
#include "ports/host/text/error.hpp"

namespace samara::desk {
namespace {

using Columns = std::vector<std::vector<std::string>>;

[[noreturn]] void refuse_first_line(const std::string& path, std::size_t column, const std::string& text,
                                    const std::string& expected)
{
    throw BadInput(path + ": line 1, column " + std::to_string(column + 1) + ": found " + quoted_text(text) + expected +
                   target_header_advice);
}

// Whether the first of these lines is a header, by what stands below it and beside it.
bool begins_with_names(const Columns& columns, const TableSource& data, const std::vector<std::string>* labels,
                       const std::string& path)
{
    const std::size_t lines = columns.front().size();
    std::size_t numbers = 0, doubtful = 0, blanks = 0, other = 0;
    bool above_numbers = false;
    for (std::size_t j = 0; j < columns.size(); ++j) {
        const CellKind kind = kind_of_cell(columns[j].front());
        numbers += kind == CellKind::number ? 1 : 0;
        doubtful += kind == CellKind::doubtful ? 1 : 0;
        blanks += kind == CellKind::blank ? 1 : 0;
        other = kind == CellKind::number ? other : j;
        above_numbers = above_numbers || is_name_above_numbers(columns[j]);
    }
    if (numbers == columns.size() || lines < 2) {
        return false;
    }
    const std::string& text = columns[other].front();
    if (numbers != 0) {
        refuse_first_line(path, other, text, " beside numbers, expected numbers, or names of all columns");
    }
    if (above_numbers) {
        if (doubtful + blanks == columns.size()) {
            refuse_first_line(path, other, text, " above numbers, expected a number or a name");
        }
        return true;
    }
    const std::vector<std::string>& column = columns.front();
    const bool one_more = lines == data.rows() + 1;
    if (labels != nullptr) {
        return one_more && doubtful == 0 && std::find(labels->begin(), labels->end(), column.front()) == labels->end();
    }
    if (lines == data.rows() && is_name_above_classes(column)) {
        refuse_first_line(path, 0, text, ", which no other line has, expected a class, or a line more under a header");
    }
    return one_more && doubtful == 0 && data.has_header() && is_unlike_the_rest(column);
}

RawTarget target_of_csv(const std::string& path, const TableSource& data, const TableReading& reading)
{
    CsvTable table = parse_csv_texts(read_data_text(path), path, reading.target_header);
    Columns& columns = table.texts;
    std::vector<std::string> names = std::move(table.header);
    const bool found =
        reading.target_header == CsvHeader::automatic && begins_with_names(columns, data, reading.labels, path);
    if (found) {
        for (auto& column : columns) {
            names.push_back(std::move(column.front()));
            column.erase(column.begin());
        }
    }
    for (std::size_t j = 0; j < columns.size(); ++j) {
        if (columns[j].front().find_first_not_of(" \t") == std::string::npos) {
            throw BadInput(path + ": line 1, column " + std::to_string(j + 1) +
                           ": found an empty cell, expected a label or a number");
        }
    }
    RawTarget raw = target_from_texts(std::move(columns), std::move(names), path);
    if (found && raw.numbers.empty()) {
        raw.notes.push_back(path + ": the first line, " + quoted_text(raw.names.front()) + ", is taken for a header");
    }
    return raw;
}

RawTarget target_of_array(const std::string& path)
{
    const ArrayFile file = open_array(path, {}, true);
    const ArrayLayout& layout = file.layout;
    if (is_text(layout.type)) {
        return target_from_texts(read_npy_texts(*file.stream, layout, path), {}, path);
    }
    RawTarget raw;
    raw.path = path;
    raw.rows = layout.rows;
    raw.cols = layout.cols;
    raw.integers = layout.type.kind != 'f';
    require_memory(path, shape_text(layout),
                   sizeof(double) * static_cast<double>(layout.rows) * static_cast<double>(layout.cols));
    raw.numbers.resize(layout.rows * layout.cols);
    read_table(*file.stream, layout, raw.numbers.data(), path);
    const bool large = std::any_of(raw.numbers.begin(), raw.numbers.end(),
                                   [](double number) { return !(std::fabs(number) < most_integer); });
    if (raw.integers && large) { // so they have eight bytes
        return target_from_texts(read_npy_texts(*file.stream, layout, path), {}, path);
    }
    return raw;
}

} // namespace

RawTarget read_target(const std::string& path, const TableSource& data, const TableReading& reading,
                      const std::string& option)
{
    const bool csv = data_format(path) == DataFormat::csv;
    RawTarget raw = csv ? target_of_csv(path, data, reading) : target_of_array(path);
    if (raw.rows != data.rows()) {
        const bool headed = csv && (reading.target_header == CsvHeader::yes || !raw.names.empty());
        const bool first_line_matters = csv && (headed ? raw.rows + 1 == data.rows() : raw.rows == data.rows() + 1);
        throw BadInput(path + ": found " + (option == "--target" ? "a target of " : "") + std::to_string(raw.rows) +
                       (raw.rows == 1 ? " row" : " rows") + (headed ? " under a header" : "") + ", expected " +
                       std::to_string(data.rows()) + " as in " + data.name() +
                       (data.has_header() ? " under its header" : "") +
                       (first_line_matters ? target_header_advice : ""));
    }
    return raw;
}

} // namespace samara::desk
