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
#include "ports/host/data/files.hpp"
#include "ports/host/text/error.hpp"

namespace samara::desk {
namespace {

class MatrixSource : public TableSource {
public:
    MatrixSource(MatrixF matrix, const std::string& name) : TableSource(name), matrix_(std::move(matrix)) {}

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
    ArraySource(ArrayFile file, const std::string& name) : TableSource(name), file_(std::move(file)) {}

    std::size_t rows() const override { return file_.layout.rows; }
    std::size_t cols() const override { return file_.layout.cols; }
    void read(std::size_t first, std::size_t count, float* values) override
    {
        read_values(*file_.stream, file_.layout, std::uint64_t{first} * cols(), count * cols(), values, name());
    }

private:
    ArrayFile file_;
};

std::vector<CsvColumn> columns_of(const std::string& target)
{
    std::vector<CsvColumn> columns;
    for (std::size_t begin = 0; begin <= target.size();) {
        const std::size_t comma = std::min(target.find(',', begin), target.size());
        std::string_view word = std::string_view(target).substr(begin, comma - begin);
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
            throw BadInput("--target: found " + quoted_text(target) +
                           ", expected a file, or a column by its name or its number from 1");
        }
        column.name = word;
        columns.push_back(column);
    }
    return columns;
}

void require_file(const std::string& target)
{
    if (std::error_code ignored; !std::filesystem::exists(target, ignored)) {
        throw BadInput("--target: found " + quoted_text(target) +
                       ", of which there is no file, expected a file, or a column of the inputs' CSV file");
    }
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

std::unique_ptr<TableSource> table_of(MatrixF matrix, const std::string& name)
{
    return std::make_unique<MatrixSource>(std::move(matrix), name);
}

std::unique_ptr<TableSource> open_table(const std::string& path, bool blanks_are_missing)
{
    if (data_format(path) == DataFormat::csv) {
        CsvReading reading;
        reading.blanks_are_missing = blanks_are_missing;
        return table_of(parse_csv_table(read_data_text(path), path, reading).numbers, path);
    }
    ArrayFile file = open_array(path);
    if (file.layout.fortran_order && file.layout.cols > 1 && file.layout.rows > 1) {
        // Its rows are all over the file.
        MatrixF matrix(file.layout.rows, file.layout.cols);
        std::vector<float> column(matrix.rows);
        for (std::size_t j = 0; j < matrix.cols; ++j) {
            read_values(*file.stream, file.layout, std::uint64_t{j} * matrix.rows, matrix.rows, column.data(), path);
            for (std::size_t i = 0; i < matrix.rows; ++i) {
                matrix.row(i)[j] = column[i];
            }
        }
        return table_of(std::move(matrix), path);
    }
    return std::make_unique<ArraySource>(std::move(file), path);
}

Dataset open_dataset(const std::string& in, const std::string& target, bool blanks_are_missing)
{
    Dataset data;
    if (names_a_file(target)) {
        // Before the data are read, which may be long, and wrong because they hold the target themselves.
        require_file(target);
        data.x = open_table(in, blanks_are_missing);
        data.y = read_target(target, data.x->rows(), in);
        return data;
    }
    if (data_format(in) != DataFormat::csv) {
        throw BadInput("--target: found " + quoted_text(target) +
                       ", expected a file (.npy, .csv or .idx), because only a CSV file has named columns");
    }
    CsvReading reading;
    reading.blanks_are_missing = blanks_are_missing;
    reading.text_columns = columns_of(target);
    CsvTable table = parse_csv_table(read_data_text(in), in, reading);
    if (table.numbers.cols == 0) {
        throw BadInput(in + ": found no column beside the target, expected at least one input");
    }
    std::vector<std::string> names;
    for (const CsvColumn& column : reading.text_columns) {
        if (!table.header.empty()) {
            const auto last = static_cast<int>(table.header.size()) + 1;
            names.push_back(column.number == 0 ? column.name
                                               : table.header[static_cast<std::size_t>(
                                                     (column.number > 0 ? column.number : last + column.number) - 1)]);
        }
    }
    data.y = target_from_texts(std::move(table.texts), std::move(names), in);
    data.x = table_of(std::move(table.numbers), in);
    return data;
}

} // namespace samara::desk
