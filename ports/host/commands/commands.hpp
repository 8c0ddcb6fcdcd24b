#pragma once

#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "ports/host/commands/args.hpp"
#include "ports/host/data/matrix.hpp"
#include "ports/host/data/table_reading.hpp"
#include "ports/host/text/map_text.hpp"
#include "ports/host/training/compute.hpp"

namespace samara::desk {

// Each takes the words after its name and returns the exit code: 0 done, 1 a check failed. What the user got wrong
// is BadInput, which main turns into 2.
int maps_command(const std::vector<std::string>& words);
int features_command(const std::vector<std::string>& words);
int kernel_command(const std::vector<std::string>& words);
int compare_command(const std::vector<std::string>& words);
int train_command(const std::vector<std::string>& words);
int sweep_command(const std::vector<std::string>& words);
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

// By --header, --format, --columns and --most-memory; the format and the columns are those of `in`.
TableReading table_reading(const Arguments& arguments, const std::string& in);
// The same of a command that has --target, and so --target-header.
TableReading dataset_reading(const Arguments& arguments, const std::string& in);

// The value of --target; empty where `in` has the answers in itself and no other are asked for.
std::string target_words(const Arguments& arguments, const std::string& in, const TableReading& reading);

// At least one row and column, all finite and in range.
MatrixF read_input(const std::string& path, const TableReading& reading);

// By --centre: less the mean of the rows, or of those of a file. Says so to a map whose automatic orders depend on it.
void centre_input(const Arguments& arguments, MatrixF& x, const TableReading& reading);

// The value of --out, "-" (standard output) without it. What write_matrix would refuse at the end of a long
// computation is refused here.
std::string output_path(const Arguments& arguments);

// The one positional argument, with the value of --seed in place of its seed.
MapRequest requested_map(const Arguments& arguments);

// What a map's skeleton is like, and how many features its list stands for; nothing of other maps.
void say_skeleton(const MapSpec& map);
// BadInput where --out would overwrite the file that a skeleton is read from.
void require_skeleton_apart(const MapRequest& request, const Arguments& arguments);

// As fit_map; says on standard error what bandwidth=auto has come to, because other data give another, and what a
// skeleton is like.
MapSpec fitted_map(const MapRequest& request, const MatrixF& data, const std::string& path,
                   MapUse use = MapUse::features);

// Help that several commands have in common.
inline constexpr const char* map_help =
    "MAP is NAME or NAME:key=value,key=value; `samara maps` lists names, keys and values.\n"
    "Files are .npy, .npz, .csv, .libsvm or IDX (.idx, or a name like images-idx3-ubyte), one sample a row, each but\n"
    ".npz perhaps with .gz behind it.\n";
// Options that several commands have.
Option threads_option();         // for thread_count
Option seed_option();            // for requested_map
Option centre_option();          // for centre_input
Option limit_option();           // for kernel_kind
Option most_operations_option(); // for most_operations
Option model_inputs_option();
// A command's own options, and behind them those of all commands that read data: for table_reading().
std::vector<Option> with_reading_options(std::vector<Option> own);
// The same where the data have answers: for dataset_reading().
std::vector<Option> with_dataset_options(std::vector<Option> own);

} // namespace samara::desk
