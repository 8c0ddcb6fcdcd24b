// Any text as a CSV table: as numbers and as text, and what was read is written and read again with the same bits.
#include <bit>
#include <cmath>
#include <sstream>

#include "ports/host/data/csv.hpp"
#include "sandbox.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    using namespace samara::desk;
    const std::string text(reinterpret_cast<const char*>(data), size);
    MatrixF numbers;
    if (fuzz::accepted([&] { numbers = parse_csv(text, "data.csv"); }) && numbers.rows > 0) {
        fuzz::require(numbers.values.size() == numbers.rows * numbers.cols, "a table is full");
        std::ostringstream out;
        write_csv(out, numbers);
        MatrixF again;
        fuzz::require(fuzz::accepted([&] { again = parse_csv(out.str(), "again.csv", CsvHeader::no); }),
                      "what is written can be read");
        fuzz::require(again.rows == numbers.rows && again.cols == numbers.cols, "a table keeps its size");
        for (std::size_t i = 0; i < numbers.values.size(); ++i)
            fuzz::require(std::bit_cast<std::uint32_t>(again.values[i]) ==
                                  std::bit_cast<std::uint32_t>(numbers.values[i]) ||
                              (std::isnan(again.values[i]) && std::isnan(numbers.values[i])),
                          "a table keeps its numbers");
    }
    CsvTable table;
    if (fuzz::accepted([&] { table = parse_csv_texts(text, "data.csv"); }) && !table.texts.empty()) {
        std::ostringstream out;
        for (std::size_t row = 0; row < table.texts.front().size(); ++row)
            for (std::size_t column = 0; column < table.texts.size(); ++column) {
                fuzz::require(table.texts[column].size() == table.texts.front().size(), "columns are equally long");
                write_csv_cell(out, table.texts[column][row]);
                out << (column + 1 < table.texts.size() ? ',' : '\n');
            }
    }
    return 0;
}
