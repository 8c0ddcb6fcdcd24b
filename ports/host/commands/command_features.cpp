#include <string>
#include <variant>

#include "ports/host/commands/commands.hpp"
#include "ports/host/data/files.hpp"
#include "ports/host/training/compute.hpp"

namespace samara::desk {
namespace {

const std::string help = std::string("usage: samara features MAP --in X [--out Z] [--threads N] [--seed S]\n\n"
                                     "Writes the random features of every row of X as float32: the same bits on every\n"
                                     "machine and for any number of threads.\n\n") +
                         map_help +
                         "\n"
                         "  --in X       the data\n"
                         "  --out Z      where to write (default: CSV to standard output)\n" +
                         threads_help + seed_help;

} // namespace

int features_command(const std::vector<std::string>& words)
{
    const Arguments arguments(words, {{"--in"}, {"--out"}, {"--threads"}, {"--seed"}});
    if (arguments.help()) {
        print_text(help);
        return 0;
    }
    arguments.require_positionals(1, 1, "a map");
    auto sketch = parse_sketch(arguments.positionals().front());
    const MapRequest request = sketch ? MapRequest{} : requested_map(arguments);
    const std::string in = arguments.required_text("--in");
    const std::string out = output_path(arguments);
    const unsigned threads = thread_count(arguments);
    if (sketch) {
        std::visit([&](auto& s) { s.seed = arguments.seed("--seed", s.seed); }, *sketch);
        const MatrixF x = read_input(in);
        write_matrix(out, compute_sketches(fit_sketch(*sketch, x.cols, in), x, threads));
        return 0;
    }
    const MatrixF x = read_input(in);
    write_matrix(out, compute_features(fitted_map(request, x, in), x, threads));
    return 0;
}

} // namespace samara::desk
