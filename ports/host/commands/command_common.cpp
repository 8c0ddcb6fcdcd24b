#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <filesystem>
#include <system_error>
#include <thread>

#include <nlohmann/json.hpp>

#include "ports/host/commands/commands.hpp"
#include "ports/host/data/files.hpp"
#include "ports/host/data/table_source.hpp"
#include "ports/host/text/error.hpp"
#include "samara/model.hpp"

namespace samara::desk {
namespace {

using Json = nlohmann::ordered_json;

std::string json_text(const Json& value, unsigned levels, std::size_t indent)
{
    const auto on_one_line = [](const Json& scalar) {
        return scalar.dump(-1, ' ', false, Json::error_handler_t::replace);
    };
    if (!value.is_structured() || value.empty()) {
        return on_one_line(value);
    }
    const bool broken = levels != 0;
    std::string text(1, value.is_object() ? '{' : '[');
    for (const auto& [key, member] : value.items()) {
        text += text.size() == 1 ? "" : broken ? "," : ", ";
        text.append(broken ? "\n" : "").append(broken ? indent + 2 : 0, ' ');
        text += value.is_object() ? on_one_line(key) + ": " : "";
        text += json_text(member, broken ? levels - 1 : 0, indent + 2);
    }
    text.append(broken ? "\n" : "").append(broken ? indent : 0, ' ');
    return text + (value.is_object() ? '}' : ']');
}

CsvHeader header_from(const std::string& word)
{
    return word == "yes" ? CsvHeader::yes : word == "no" ? CsvHeader::no : CsvHeader::automatic;
}

} // namespace

void print_text(const std::string& text)
{
    write_file("-", [&](std::ostream& out) { out << text; });
}

void print_json(const nlohmann::ordered_json& value, unsigned levels)
{
    print_text(json_text(value, levels, 0) + '\n');
}

Option threads_option() { return {"--threads", "N", "how many threads compute", "all of the machine"}; }

Option most_operations_option()
{
    return {"--most-operations", "N", "what a prediction may cost, which `samara inspect` says; any: no limit",
            std::to_string(default_most_operations)};
}

Option seed_option() { return {"--seed", "S", "in place of the map's own seed"}; }

Option limit_option()
{
    return {.name = "--limit",
            .meaning = "the kernel that the features tend to: of ntk-sketch with its series cut off, of ntk-poly the "
                       "polynomial"};
}

Option header_option()
{
    return {.name = "--header",
            .value = "H",
            .meaning = "whether CSV files begin with names of columns; auto: where no input of the first line is a "
                       "number, and what could be either is refused",
            .fallback = "auto",
            .choices = {"auto", "yes", "no"}};
}

Option target_header_option()
{
    return {.name = "--target-header",
            .value = "H",
            .meaning = "the same of targets in CSV files of their own (default: --header's value)",
            .choices = {"auto", "yes", "no"}};
}

Option model_inputs_option()
{
    return {.name = "--in",
            .value = "X",
            .meaning = "the inputs: .npy, .csv or IDX, each perhaps with .gz behind it",
            .needed = true};
}

std::string aligned(const std::vector<std::vector<std::string>>& rows, const std::string& indent,
                    std::size_t right_from)
{
    std::vector<std::size_t> widths;
    for (const auto& row : rows) {
        widths.resize(std::max(widths.size(), row.size()));
        for (std::size_t column = 0; column < row.size(); ++column) {
            widths[column] = std::max(widths[column], row[column].size());
        }
    }
    std::string text;
    for (const auto& row : rows) {
        std::string line = indent;
        for (std::size_t column = 0; column < row.size(); ++column) {
            const std::string blanks(widths[column] - row[column].size(), ' ');
            line += column == 0 ? "" : "  ";
            line += column < right_from ? row[column] + blanks : blanks + row[column];
        }
        line.erase(line.find_last_not_of(' ') + 1);
        text += line + '\n';
    }
    return text;
}

KernelKind kernel_kind(const Arguments& arguments)
{
    return arguments.has("--limit") ? KernelKind::limit : KernelKind::own;
}

std::uint64_t most_operations(const Arguments& arguments)
{
    const Option option = most_operations_option();
    const std::string text = arguments.text(option.name, option.fallback);
    if (text == "any") {
        return any_operations;
    }
    std::uint64_t value = 0;
    const char* const end = text.data() + text.size();
    const auto [stop, status] = std::from_chars(text.data(), end, value);
    if (status != std::errc() || stop != end || value == 0) {
        throw BadInput(option.name + ": found " + quoted_text(text) + ", expected a whole number above 0, or any");
    }
    return value;
}

unsigned thread_count(const Arguments& arguments)
{
    return arguments.integer("--threads", 1, 1024, std::max(1u, std::thread::hardware_concurrency()));
}

CsvHeader csv_header(const Arguments& arguments) { return header_from(arguments.choice("--header")); }

TableReading table_reading(const Arguments& arguments, bool blanks_are_missing)
{
    TableReading reading;
    reading.blanks_are_missing = blanks_are_missing;
    reading.header = csv_header(arguments);
    reading.target_header =
        arguments.has("--target-header") ? header_from(arguments.choice("--target-header")) : reading.header;
    return reading;
}

MatrixF read_input(const std::string& path, CsvHeader header)
{
    MatrixF matrix = read_matrix(path, header);
    if (matrix.rows == 0 || matrix.cols == 0) {
        throw BadInput(path + ": found " + std::to_string(matrix.rows) + " rows and " + std::to_string(matrix.cols) +
                       " columns, expected at least one of each");
    }
    require_finite(matrix, path);
    return matrix;
}

std::string output_path(const Arguments& arguments)
{
    std::string path = arguments.has("--out") ? arguments.required_text("--out") : "-";
    if (path == "-") {
        return path;
    }
    const std::filesystem::path file(path);
    std::string suffix = file.extension().string();
    for (char& letter : suffix) {
        letter = letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
    }
    if (suffix != ".npy" && suffix != ".csv") {
        throw BadInput(path + ": found " + (suffix.empty() ? "no suffix" : "the suffix " + quoted_text(suffix)) +
                       ", expected '.npy' or '.csv'");
    }
    std::error_code ignored;
    if (std::filesystem::is_directory(file, ignored)) {
        throw BadInput(path + ": found a directory, expected a file");
    }
    const std::string directory = file.has_parent_path() ? file.parent_path().string() : ".";
    if (::access(directory.c_str(), W_OK | X_OK) != 0) {
        throw BadInput(path + ": cannot write in its directory: " + std::generic_category().message(errno));
    }
    return path;
}

MapRequest requested_map(const Arguments& arguments)
{
    arguments.require_positionals(1, 1, "a map");
    MapRequest request = parse_map(arguments.positionals().front());
    set_seed(request.spec, arguments.seed("--seed", seed_of(request.spec)));
    return request;
}

MapSpec fitted_map(const MapRequest& request, const MatrixF& data, const std::string& path, MapUse use)
{
    const MapSpec spec = fit_map(request, data, path, use);
    if (request.median_bandwidth) {
        std::fprintf(stderr, "samara: bandwidth=auto: the map is %s\n", map_text(spec).c_str());
    }
    return spec;
}

} // namespace samara::desk
