#include <string>
#include <variant>

#include "ports/host/commands/commands.hpp"
#include "ports/host/data/files.hpp"
#include "ports/host/training/compute.hpp"

namespace samara::desk {
namespace {

const CommandPage page = {
    "samara features MAP",
    std::string("Writes the random features of every row of X as float32: the same bits on every\n"
                "machine and for any number of threads.\n\n") +
        map_help,
    with_reading_options({{.name = "--in", .value = "X", .meaning = "the data", .needed = true, .file = FileUse::read},
                          {.name = "--out",
                           .value = "Z",
                           .meaning = "where to write, .npy or .csv",
                           .fallback = "CSV to standard output",
                           .file = FileUse::written},
                          centre_option(),
                          threads_option(),
                          seed_option()})};

} // namespace

int features_command(const std::vector<std::string>& words)
{
    const Arguments arguments(words, page);
    if (arguments.help()) {
        print_text(help_text(page));
        return 0;
    }
    arguments.require_positionals(1, 1, "a map (`samara maps` lists them)");
    auto sketch = parse_sketch(arguments.positionals().front());
    MapRequest request = sketch ? MapRequest{} : requested_map(arguments);
    request.centred = arguments.has("--centre");
    const std::string in = arguments.required_text("--in");
    const std::string out = output_path(arguments);
    const TableReading reading = table_reading(arguments, in);
    const unsigned threads = thread_count(arguments);
    if (sketch) {
        std::visit([&](auto& s) { s.seed = arguments.seed("--seed", s.seed); }, *sketch);
        MatrixF x = read_input(in, reading);
        centre_input(arguments, x, reading);
        write_matrix(out, compute_sketches(fit_sketch(*sketch, x.cols, in), x, threads));
        return 0;
    }
    MatrixF x = read_input(in, reading);
    centre_input(arguments, x, reading);
    write_matrix(out, compute_features(fitted_map(request, x, in), x, threads));
    return 0;
}

} // namespace samara::desk
