#include "uci_results.hpp"

#include <charconv>
#include <cstddef>
#include <filesystem>
#include <iterator>
#include <ostream>
#include <system_error>
#include <utility>

#include "ports/host/data/csv.hpp"
#include "ports/host/data/files.hpp"
#include "ports/host/text/error.hpp"

namespace samara::uci {
namespace {

using desk::number_text;
using desk::quoted_text;

constexpr const char* columns[] = {"set",   "method",     "text",     "seed",   "map",
                                   "ridge", "validation", "accuracy", "seconds"};

[[noreturn]] void refuse(const std::string& path, std::size_t line, const std::string& problem)
{
    throw desk::BadInput(path + ": line " + std::to_string(line) + ": " + problem);
}

template <class Number>
Number number(const std::string& path, const std::string& cell, std::size_t line, const char* column)
{
    Number value{};
    const auto [stop, status] = std::from_chars(cell.data(), cell.data() + cell.size(), value);
    if (status != std::errc() || stop != cell.data() + cell.size()) {
        refuse(path, line, std::string(column) + ": found " + quoted_text(cell) + ", expected a number");
    }
    return value;
}

double share(const std::string& path, const std::string& cell, std::size_t line, const char* column)
{
    const auto value = number<double>(path, cell, line, column);
    if (!(value >= 0.0 && value <= 100.0)) {
        refuse(path, line, std::string(column) + ": found " + quoted_text(cell) + ", expected a number from 0 to 100");
    }
    return value;
}

} // namespace

Results::Results(std::string path) : path_(std::move(path))
{
    if (std::filesystem::exists(path_)) {
        read();
    } else {
        write(); // what cannot be written is known at once
    }
}

const Result* Results::find(const Key& key) const
{
    const auto place = all_.find(key);
    return place == all_.end() ? nullptr : &place->second;
}

void Results::add(const Key& key, Result result)
{
    const std::lock_guard lock(writing_);
    all_[key] = std::move(result);
    write();
}

void Results::read()
{
    const desk::CsvTable table = desk::parse_csv_texts(desk::read_file(path_), path_);
    if (table.texts.size() != std::size(columns) || table.rows == 0) {
        refuse(path_, 1,
               "found " + std::to_string(table.texts.size()) + " columns, expected the " +
                   std::to_string(std::size(columns)) + " of a results file");
    }
    for (std::size_t column = 0; column < std::size(columns); ++column) {
        if (table.texts[column][0] != columns[column]) {
            refuse(path_, 1,
                   "found " + quoted_text(table.texts[column][0]) + ", expected the column '" + columns[column] + "'");
        }
    }
    for (std::size_t row = 1; row < table.rows; ++row) {
        const auto cell = [&](std::size_t column) -> const std::string& { return table.texts[column][row]; };
        const std::size_t line = row + 1;
        Result result;
        result.outcome.map = cell(4);
        result.outcome.ridge = number<double>(path_, cell(5), line, columns[5]);
        result.outcome.validation = share(path_, cell(6), line, columns[6]);
        result.outcome.accuracy = share(path_, cell(7), line, columns[7]);
        result.seconds = number<double>(path_, cell(8), line, columns[8]);
        all_[{cell(0), cell(1), cell(2), number<std::uint64_t>(path_, cell(3), line, columns[3])}] = std::move(result);
    }
}

void Results::write() const
{
    desk::write_file(path_, [&](std::ostream& out) {
        for (const char* column : columns) {
            out << (column == columns[0] ? "" : ",") << column;
        }
        out << '\n';
        for (const auto& [key, result] : all_) {
            const std::string cells[] = {key.set,
                                         key.method,
                                         key.text,
                                         number_text(key.seed),
                                         result.outcome.map,
                                         number_text(result.outcome.ridge),
                                         number_text(result.outcome.validation),
                                         number_text(result.outcome.accuracy),
                                         number_text(result.seconds)};
            for (const std::string& cell : cells) {
                out << (&cell == cells ? "" : ",");
                desk::write_csv_cell(out, cell);
            }
            out << '\n';
        }
    });
}

} // namespace samara::uci
