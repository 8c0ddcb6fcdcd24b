#pragma once

#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "ports/host/commands/args.hpp"
#include "ports/host/data/csv_header.hpp"
#include "ports/host/data/matrix.hpp"
#include "ports/host/text/map_text.hpp"
#include "ports/host/training/compute.hpp"

namespace samara::desk {

struct TableReading; // data/table_source.hpp

// Each takes the words after its name and returns the exit code: 0 done, 1 a check failed. What the user got wrong
// is BadInput, which main turns into 2.
int maps_command(const std::vector<std::string>& words);
int features_command(const std::vector<std::string>& words);
int kernel_command(const std::vector<std::string>& words);
int compare_command(const std::vector<std::string>& words);
int train_command(const std::vector<std::string>& words);
int evaluate_command(const std::vector<std::string>& words);
int predict_command(const std::vector<std::string>& words);
int inspect_command(const std::vector<std::string>& words);
int export_command(const std::vector<std::string>& words);
int merge_command(const std::vector<std::string>& words);
int selftest_command(const std::vector<std::string>& words);
int bench_command(const std::vector<std::string>& words);

// What the commands share.

// To standard output, at once; BadInput when it cannot take all of it.
void print_text(const std::string& text);

// The same with JSON. So many outer `levels` of it have a line for each member, the others are on one line. What is
// no UTF-8 in a text is replaced, and a number that is not finite is null.
void print_json(const nlohmann::ordered_json& value, unsigned levels);

// Rows of cells as text in aligned columns, each line after `indent`. The columns from `right_from` on are flush
// right.
std::string aligned(const std::vector<std::vector<std::string>>& rows, const std::string& indent,
                    std::size_t right_from);

// The value of --threads, else as many as the machine runs at once.
unsigned thread_count(const Arguments& arguments);
// By --most-operations: what a prediction may cost.
std::uint64_t most_operations(const Arguments& arguments);
// By --limit.
KernelKind kernel_kind(const Arguments& arguments);

// The value of --header.
CsvHeader csv_header(const Arguments& arguments);
// Of a command that has --target: --header and --target-header.
TableReading table_reading(const Arguments& arguments, bool blanks_are_missing);

// At least one row and column, all finite and in range.
MatrixF read_input(const std::string& path, CsvHeader header);

// The value of --out, "-" (standard output) without it. What write_matrix would refuse at the end of a long
// computation is refused here.
std::string output_path(const Arguments& arguments);

// The one positional argument, with the value of --seed in place of its seed.
MapRequest requested_map(const Arguments& arguments);

// As fit_map; says on standard error what bandwidth=auto has come to, because other data give another.
MapSpec fitted_map(const MapRequest& request, const MatrixF& data, const std::string& path,
                   MapUse use = MapUse::features);

// Help that several commands have in common.
inline constexpr const char* map_help =
    "MAP is NAME or NAME:key=value,key=value; `samara maps` lists names, keys and values.\n"
    "Files are .npy or .csv by their suffix, one sample a row.\n";
// Options that several commands have.
Option threads_option();       // for thread_count
Option seed_option();          // for requested_map
Option limit_option();         // for kernel_kind
Option header_option();        // for csv_header
Option target_header_option(); // for table_reading
Option most_operations_option();
Option model_inputs_option();

} // namespace samara::desk
