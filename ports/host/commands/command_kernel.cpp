#include <string>

#include "ports/host/commands/commands.hpp"
#include "ports/host/data/files.hpp"
#include "ports/host/text/error.hpp"
#include "ports/host/training/compute.hpp"

namespace samara::desk {
namespace {

const CommandPage page = {
    "samara kernel MAP",
    std::string("Writes the exact kernel that MAP's features estimate, as float64: entry (i, j) is\n"
                "of row i of X and row j of Y. The map's features and seed do not matter.\n\n") +
        map_help,
    with_reading_options(
        {{.name = "--in",
          .value = "X",
          .meaning = "the data, which bandwidth=auto is taken from",
          .needed = true,
          .file = FileUse::read},
         {.name = "--with", .value = "Y", .meaning = "the other data", .fallback = "X itself", .file = FileUse::read},
         {.name = "--out",
          .value = "K",
          .meaning = "where to write, .npy or .csv",
          .fallback = "CSV to standard output",
          .file = FileUse::written},
         limit_option(),
         threads_option(),
         {"--seed", "S", "accepted, but the kernel does not depend on it"}})};

} // namespace

int kernel_command(const std::vector<std::string>& words)
{
    const Arguments arguments(words, page);
    if (arguments.help()) {
        print_text(help_text(page));
        return 0;
    }
    const MapRequest request = requested_map(arguments);
    const std::string in = arguments.required_text("--in");
    const std::string out = output_path(arguments);
    TableReading reading = table_reading(arguments, in);
    const unsigned threads = thread_count(arguments);
    const KernelKind kind = kernel_kind(arguments);
    const MatrixF x = read_input(in, reading);
    if (!arguments.has("--with")) {
        write_matrix(out, kernel_matrix(fitted_map(request, x, in, MapUse::kernel), x, threads, kind));
        return 0;
    }
    const std::string with = arguments.required_text("--with");
    reading.columns = x.cols;
    const MatrixF y = read_input(with, reading);
    if (y.cols != x.cols) {
        throw BadInput(with + ": found " + std::to_string(y.cols) + " columns, expected " + std::to_string(x.cols) +
                       " as in " + in);
    }
    write_matrix(out, kernel_matrix(fitted_map(request, x, in, MapUse::kernel), x, y, threads, kind));
    return 0;
}

} // namespace samara::desk
