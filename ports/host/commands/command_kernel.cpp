#include <string>

#include "ports/host/commands/commands.hpp"
#include "ports/host/data/files.hpp"
#include "ports/host/text/error.hpp"
#include "ports/host/training/compute.hpp"
#include "ports/host/training/train.hpp"

namespace samara::desk {
namespace {

const CommandPage page = {
    "samara kernel MAP",
    std::string("Writes the exact kernel that MAP's features estimate, as float64: entry (i, j) is\n"
                "of row i of X and row j of Y. The map's features and seed do not matter.\n\n"
                "skeleton:file=FILE reads a graph of kernels as text, a line a group of nodes:\n\n"
                "    circle   pixels height=24 width=24 channels=3 period=2\n"
                "    windows  first  of=pixels patch=5x5 stride=2 dual=exp(0.25)\n"
                "    node     all    of=first dual=relu\n\n"
                "Bases: binary, circle, gaussian, categorical, sphere; duals: identity, relu, step, exp(a),\n"
                "series(c0;c1;...).\n\n") +
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

// Of X with itself, or with the other data.
template <class Kernel>
void write_kernel(const Arguments& arguments, const std::string& in, TableReading reading, const MatrixF& x,
                  const MapSpec& spec, const std::string& out, const Kernel& kernel)
{
    if (!arguments.has("--with")) {
        write_matrix(out, kernel(x));
        return;
    }
    const std::string with = arguments.required_text("--with");
    reading.columns = x.cols;
    const MatrixF y = read_input(with, reading);
    if (y.cols != x.cols) {
        throw BadInput(with + ": found " + std::to_string(y.cols) + " columns, expected " + std::to_string(x.cols) +
                       " as in " + in);
    }
    require_image(spec, y.row_shape, with);
    write_matrix(out, kernel(y));
}

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
    const TableReading reading = table_reading(arguments, in);
    const unsigned threads = thread_count(arguments);
    const KernelKind kind = kernel_kind(arguments);
    const MatrixF x = read_input(in, reading);
    const MapSpec spec = fitted_map(request, x, in, MapUse::kernel);
    write_kernel(arguments, in, reading, x, spec, out,
                 [&](const MatrixF& y) { return kernel_matrix(spec, x, y, threads, kind); });
    return 0;
}

} // namespace samara::desk
