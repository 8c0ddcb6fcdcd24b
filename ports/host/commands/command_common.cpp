#include <algorithm>
#include <charconv>
#include <system_error>
#include <thread>

#include <nlohmann/json.hpp>

#include "ports/host/commands/commands.hpp"
#include "ports/host/data/data_file.hpp"
#include "ports/host/data/files.hpp"
#include "ports/host/data/memory_limit.hpp"
#include "ports/host/data/output_place.hpp"
#include "ports/host/text/error.hpp"
#include "ports/host/text/words.hpp"
#include "ports/host/training/train.hpp"
#include "samara/map.hpp"
#include "samara/model.hpp"

namespace samara::desk {
namespace {

using Json = nlohmann::ordered_json;

std::string json_text(const Json& value, unsigned levels, std::size_t indent)
{
    const auto on_one_line = [](const Json& scalar) {
        // In ASCII, so that no label can turn a terminal around.
        return scalar.dump(-1, ' ', true, Json::error_handler_t::replace);
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

// How many characters a text shows: bytes that go on with one of UTF-8 are not counted.
std::size_t width_of(const std::string& text)
{
    return static_cast<std::size_t>(std::count_if(
        text.begin(), text.end(), [](char byte) { return (static_cast<unsigned char>(byte) & 0xC0u) != 0x80u; }));
}

std::vector<Option> with_options_of_data(std::vector<Option> own, bool with_answers)
{
    own.push_back({.name = "--header",
                   .value = "H",
                   .meaning = "whether CSV files begin with names of columns; auto: where no input of the first line "
                              "is a number, and what could be either is refused",
                   .fallback = "auto",
                   .choices = {"auto", "yes", "no"}});
    if (with_answers) {
        own.push_back({.name = "--target-header",
                       .value = "H",
                       .meaning = "the same of targets in CSV files of their own (default: --header's value)",
                       .choices = {"auto", "yes", "no"}});
    }
    own.push_back({.name = "--format",
                   .value = "F",
                   .meaning = "of the inputs",
                   .fallback = "by the file's name",
                   .choices = {"npy", "npz", "csv", "libsvm", "idx"}});
    own.push_back({.name = "--columns",
                   .value = "N",
                   .meaning = "how many a libsvm file has",
                   .fallback = "as its largest index says, or the model"});
    own.push_back({.name = "--most-memory",
                   .value = "SIZE",
                   .meaning = "that the data of one file may take, in bytes or with K, M, G or T behind the number",
                   .fallback = "half of the machine's"});
    return own;
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

Option centre_option()
{
    return {.name = "--centre",
            .value = "FILE",
            .meaning =
                "subtracts the mean of the rows, or of FILE's rows; orders=auto of rff is 1 then where that takes "
                "at most a quarter of the features",
            .file = FileUse::read,
            .value_optional = true};
}

Option limit_option()
{
    return {.name = "--limit",
            .meaning = "the kernel that the features tend to: of ntk-sketch with its series cut off, of ntk-poly the "
                       "polynomial"};
}

Option model_inputs_option()
{
    return {.name = "--in",
            .value = "X",
            .meaning = "the inputs: .npy, .npz, .csv, .libsvm or IDX, each but .npz perhaps with .gz behind it",
            .needed = true,
            .file = FileUse::read};
}

std::vector<Option> with_reading_options(std::vector<Option> own)
{
    return with_options_of_data(std::move(own), false);
}

std::vector<Option> with_dataset_options(std::vector<Option> own) { return with_options_of_data(std::move(own), true); }

TableReading table_reading(const Arguments& arguments, const std::string& in)
{
    if (arguments.has("--most-memory")) {
        set_most_memory(parse_bytes(arguments.required_text("--most-memory"), "--most-memory"));
    }
    TableReading reading;
    if (arguments.has("--format")) {
        const std::string format = arguments.choice("--format");
        reading.format = format == "npy"      ? DataFormat::npy
                         : format == "npz"    ? DataFormat::npz
                         : format == "csv"    ? DataFormat::csv
                         : format == "libsvm" ? DataFormat::libsvm
                                              : DataFormat::idx;
    }
    reading.columns = arguments.integer("--columns", 1, most_inputs, 0);
    if (reading.columns != 0 && data_format(in, reading) != DataFormat::libsvm) {
        throw BadInput("--columns: found it with " + in + ", expected a libsvm file: others say how many they have");
    }
    reading.header = header_from(arguments.choice("--header"));
    return reading;
}

TableReading dataset_reading(const Arguments& arguments, const std::string& in)
{
    TableReading reading = table_reading(arguments, in);
    reading.target_header =
        arguments.has("--target-header") ? header_from(arguments.choice("--target-header")) : reading.header;
    return reading;
}

std::string aligned(const std::vector<std::vector<std::string>>& rows, const std::string& indent,
                    std::size_t right_from)
{
    std::vector<std::size_t> widths;
    for (const auto& row : rows) {
        widths.resize(std::max(widths.size(), row.size()));
        for (std::size_t column = 0; column < row.size(); ++column) {
            widths[column] = std::max(widths[column], width_of(row[column]));
        }
    }
    std::string text;
    for (const auto& row : rows) {
        std::string line = indent;
        for (std::size_t column = 0; column < row.size(); ++column) {
            const std::string blanks(widths[column] - width_of(row[column]), ' ');
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

std::string target_words(const Arguments& arguments, const std::string& in, const TableReading& reading)
{
    const bool in_the_file = !arguments.has("--target") && data_format(in, reading) == DataFormat::libsvm;
    return in_the_file ? "" : arguments.required_text("--target");
}

MatrixF read_input(const std::string& path, const TableReading& reading)
{
    MatrixF matrix = read_matrix(path, reading);
    if (matrix.rows == 0 || matrix.cols == 0) {
        throw BadInput(path + ": found " + std::to_string(matrix.rows) + " rows and " + std::to_string(matrix.cols) +
                       " columns, expected at least one of each");
    }
    require_finite(matrix, path);
    return matrix;
}

void centre_input(const Arguments& arguments, MatrixF& x, const TableReading& reading)
{
    if (!arguments.has("--centre")) {
        return;
    }
    const std::string path = arguments.text("--centre", "");
    std::vector<double> sums(x.cols);
    const auto subtract_mean_of = [&](const MatrixF& rows) {
        for (std::size_t i = 0; i < rows.rows; ++i) {
            for (std::size_t j = 0; j < rows.cols; ++j) {
                sums[j] += static_cast<double>(rows.row(i)[j]);
            }
        }
        for (std::size_t i = 0; i < x.rows; ++i) {
            for (std::size_t j = 0; j < x.cols; ++j) {
                x.row(i)[j] -= static_cast<float>(sums[j] / static_cast<double>(rows.rows));
            }
        }
    };
    if (path.empty()) {
        subtract_mean_of(MatrixF(x));
        return;
    }
    TableReading other = reading;
    other.format = {};
    const MatrixF rows = read_input(path, other);
    if (rows.cols != x.cols) {
        throw BadInput("--centre: found " + std::to_string(rows.cols) + " columns in " + path + ", expected the " +
                       std::to_string(x.cols) + " of the data");
    }
    subtract_mean_of(rows);
}

std::string output_path(const Arguments& arguments)
{
    std::string path = arguments.has("--out") ? arguments.required_text("--out") : "-";
    static_cast<void>(output_format(path));
    require_writable(path);
    return path;
}

void say_skeleton(const MapSpec& map)
{
    if (map.skeleton) {
        say("skeleton: " + skeleton_summary(skeleton_of(*map.skeleton)));
        if (!map.skeleton->list.indices.empty()) {
            say("skeleton: " + list_summary(map.skeleton->list) +
                (map.skeleton->wanted == 0 ? ""
                                           : "; " + with_commas(map.skeleton->wanted) +
                                                 " distinct ones were wanted, but no more than these were found"));
        }
    }
}

void require_skeleton_apart(const MapRequest& request, const Arguments& arguments)
{
    if (request.skeleton.has("file") && arguments.has("--out")) {
        require_distinct({{"the skeleton", request.skeleton.file()}}, {{"--out", arguments.required_text("--out")}});
    }
}

MapRequest requested_map(const Arguments& arguments)
{
    arguments.require_positionals(1, 1, "a map (`samara maps` lists them)");
    MapRequest request = parse_map(arguments.positionals().front());
    set_seed(request.spec, arguments.seed("--seed", seed_of(request.spec)));
    require_skeleton_apart(request, arguments);
    return request;
}

MapSpec fitted_map(const MapRequest& request, const MatrixF& data, const std::string& path, MapUse use)
{
    MapSpec spec = fit_map(request, data, path, use);
    if (request.median_bandwidth) {
        say("bandwidth=auto: the map is " + map_text(spec));
    }
    say_skeleton(spec);
    return spec;
}

} // namespace samara::desk
