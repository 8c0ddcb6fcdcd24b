#include "ports/host/data/table_source.hpp"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <istream>
#include <sstream>
#include <string_view>
#include <utility>
#include <vector>

#include "ports/host/data/csv.hpp"
#include "ports/host/data/data_file.hpp"
#include "ports/host/data/sparse.hpp"
#include "ports/host/data/target_file.hpp"
#include "ports/host/text/error.hpp"

namespace samara::desk {
namespace {

class MatrixSource : public TableSource {
public:
    MatrixSource(MatrixF matrix, const std::string& name, std::vector<std::string> columns)
        : TableSource(name, std::move(columns)), matrix_(std::move(matrix))
    {
        set_row_shape(matrix_.row_shape);
    }

    std::size_t rows() const override { return matrix_.rows; }
    std::size_t cols() const override { return matrix_.cols; }
    void read(std::size_t first, std::size_t count, float* values) override
    {
        std::copy_n(matrix_.row(first), count * matrix_.cols, values);
    }

private:
    MatrixF matrix_;
};

class ArraySource : public TableSource {
public:
    ArraySource(ArrayFile file, const std::string& name) : TableSource(name), file_(std::move(file))
    {
        set_row_shape(file_.layout.row_shape);
    }

    std::size_t rows() const override { return file_.layout.rows; }
    std::size_t cols() const override { return file_.layout.cols; }
    void read(std::size_t first, std::size_t count, float* values) override
    {
        read_values(*file_.stream, file_.layout, std::uint64_t{first} * cols(), count * cols(), values, name());
    }

private:
    ArrayFile file_;
};

// Made dense in the pieces that are asked for.
class SparseSource : public TableSource {
public:
    SparseSource(SparseRows sparse, const std::string& name) : TableSource(name), sparse_(std::move(sparse)) {}

    std::size_t rows() const override { return sparse_.rows(); }
    std::size_t cols() const override { return sparse_.cols; }
    void read(std::size_t first, std::size_t count, float* values) override
    {
        make_dense(sparse_, first, count, values);
    }

private:
    SparseRows sparse_;
};

std::vector<CsvColumn> columns_of(const std::string& words, const std::string& option)
{
    std::vector<CsvColumn> columns;
    for (std::size_t begin = 0; begin <= words.size();) {
        const std::size_t comma = std::min(words.find(',', begin), words.size());
        std::string_view word = std::string_view(words).substr(begin, comma - begin);
        begin = comma + 1;
        CsvColumn column;
        constexpr std::string_view prefix = "column:";
        if (word.starts_with(prefix)) {
            word.remove_prefix(prefix.size());
            const char* const end = word.data() + word.size();
            int number = 0;
            const auto [stop, status] = std::from_chars(word.data(), end, number);
            column.number = status == std::errc() && stop == end ? number : 0;
        }
        if (word.empty() || word == "0") {
            throw BadInput(option + ": found " + quoted_text(words) +
                           ", expected a file, or a column by its name or its number from 1");
        }
        column.name = word;
        column.option = option;
        columns.push_back(column);
    }
    if (option != "--target" && columns.size() != 1) {
        throw BadInput(option + ": found " + quoted_text(words) + ", expected one column");
    }
    return columns;
}

CsvReading csv_reading(const TableReading& reading)
{
    CsvReading csv;
    csv.blanks_are_missing = reading.blanks_are_missing;
    csv.header = reading.header;
    return csv;
}

void require_file(const std::string& path, const std::string& option)
{
    if (std::error_code ignored; !std::filesystem::exists(path, ignored)) {
        throw BadInput(option + ": found " + quoted_text(path) +
                       ", of which there is no file, expected a file, or a column of the inputs' CSV file");
    }
}

// A CSV file apart: the columns that were asked for as text, and the others as the source.
std::unique_ptr<TableSource> split_csv(const std::string& in, const CsvReading& csv, std::vector<RawTarget>& taken)
{
    CsvTable table = parse_csv_table(read_data_text(in), in, csv);
    if (table.numbers.cols == 0) {
        throw BadInput(in + ": found no column beside the target, expected at least one input");
    }
    // The header's names, apart: of the columns in the order they were asked for, of the inputs in that of the file.
    std::vector<std::string> names, inputs;
    std::vector<bool> is_taken(table.header.size());
    for (const CsvColumn& column : csv.text_columns) {
        if (!table.header.empty()) {
            const std::size_t place = find_column(table.header, column, in) - 1;
            names.push_back(table.header[place]);
            is_taken[place] = true;
        }
    }
    for (std::size_t j = 0; j < table.header.size(); ++j) {
        if (!is_taken[j]) {
            inputs.push_back(std::move(table.header[j]));
        }
    }
    // All columns of one option are one target.
    for (std::size_t first = 0; first < csv.text_columns.size();) {
        std::vector<std::vector<std::string>> texts;
        std::vector<std::string> own;
        std::size_t end = first;
        for (; end < csv.text_columns.size() && csv.text_columns[end].option == csv.text_columns[first].option; ++end) {
            texts.push_back(std::move(table.texts[end]));
            if (!names.empty()) {
                own.push_back(names[end]);
            }
        }
        taken.push_back(target_from_texts(std::move(texts), std::move(own), in));
        first = end;
    }
    return table_of(std::move(table.numbers), in, std::move(inputs));
}

} // namespace

bool names_a_file(const std::string& target)
{
    std::error_code ignored;
    if (target.starts_with("column:")) {
        return false;
    }
    return std::filesystem::exists(target, ignored) || data_format_if_known(target).has_value();
}

std::unique_ptr<TableSource> table_of(MatrixF matrix, const std::string& name, std::vector<std::string> columns)
{
    return std::make_unique<MatrixSource>(std::move(matrix), name, std::move(columns));
}

std::unique_ptr<TableSource> open_table(const std::string& path, const TableReading& reading)
{
    if (data_format(path, reading) == DataFormat::csv) {
        CsvTable table = parse_csv_table(read_data_text(path), path, csv_reading(reading));
        return table_of(std::move(table.numbers), path, std::move(table.header));
    }
    if (std::optional<SparseTable> sparse = read_sparse(path, reading)) {
        return std::make_unique<SparseSource>(std::move(sparse->inputs), path);
    }
    ArrayFile file = open_array(path, reading);
    const bool several = file.layout.rows > 1 || !file.layout.row_shape.empty();
    if (file.layout.fortran_order && file.layout.cols > 1 && several) {
        // Its rows are all over the file, and dimensions within a row in another order.
        return table_of(whole_table(file, path), path);
    }
    return std::make_unique<ArraySource>(std::move(file), path);
}

Dataset open_dataset(const std::string& in, const std::string& target, const TableReading& reading,
                     const std::vector<ColumnBeside>& beside)
{
    // What is a column of `in`, and what is a file: before the data are read, which may be long, and wrong because they
    // hold the target themselves.
    CsvReading csv = csv_reading(reading);
    const auto is_column = [](const std::string& words) { return !words.empty() && !names_a_file(words); };
    const auto add = [&](const std::string& words, const std::string& option) {
        if (!is_column(words)) {
            if (!words.empty()) {
                require_file(words, option);
            }
            return;
        }
        if (data_format(in, reading) != DataFormat::csv) {
            throw BadInput(option + ": found " + quoted_text(words) +
                           ", expected a file (.npy, .csv or .idx), because only a CSV file has named columns");
        }
        for (const CsvColumn& column : columns_of(words, option)) {
            if (column.number == 0 && reading.header == CsvHeader::no) {
                throw BadInput(option + ": found the name " + quoted_text(column.name) +
                               " beside --header no, expected column:NUMBER, because a row names no columns");
            }
            csv.text_columns.push_back(column);
        }
    };
    add(target, "--target");
    for (const ColumnBeside& one : beside) {
        add(one.words, one.option);
    }

    Dataset data;
    std::vector<RawTarget> taken;
    if (target.empty()) {
        std::optional<SparseTable> sparse = read_sparse(in, reading);
        if (!sparse || sparse->labels.empty()) {
            throw BadInput(in + ": found no labels in it, expected --target to say what they are");
        }
        data.y = target_from_texts({std::move(sparse->labels)}, {}, in);
        data.x = std::make_unique<SparseSource>(std::move(sparse->inputs), in);
    } else {
        data.x = csv.text_columns.empty() ? open_table(in, reading) : split_csv(in, csv, taken);
    }
    std::size_t next = 0;
    if (!target.empty()) {
        data.y = is_column(target) ? std::move(taken[next++]) : read_target(target, *data.x, reading);
    }
    TableReading plain = reading;
    plain.labels = nullptr;
    for (const ColumnBeside& one : beside) {
        data.beside.push_back(is_column(one.words) ? std::move(taken[next++])
                                                   : read_target(one.words, *data.x, plain, one.option));
    }
    return data;
}

} // namespace samara::desk
