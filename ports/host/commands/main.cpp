// The desk tool `samara`: finds the command, and turns what goes wrong into one line and an exit code.
#include <algorithm>
#include <cstdio>
#include <exception>
#include <new>
#include <stdexcept>
#include <string>
#include <vector>

#include "ports/host/commands/args.hpp"
#include "ports/host/commands/choose_simd.hpp"
#include "ports/host/commands/commands.hpp"
#include "ports/host/text/error.hpp"
#include "ports/host/text/other_words.hpp"
#include "samara/simd.hpp"
#include "samara/version.hpp"

namespace samara::desk {
namespace {

struct Command {
    const char* name;
    const char* summary;
    int (*run)(const std::vector<std::string>& words);
};

constexpr Command commands[] = {
    {"maps", "lists the maps, their keys and the kernels they estimate", maps_command},
    {"features", "computes random features of data", features_command},
    {"kernel", "computes the exact kernel that a map estimates", kernel_command},
    {"compare", "measures how near the features come to the exact kernel", compare_command},
    {"train", "fits a model to data and seals it", train_command},
    {"sweep", "models of many sizes: how good they are, and what they cost on a board", sweep_command},
    {"evaluate", "measures how good a sealed model's predictions are", evaluate_command},
    {"predict", "computes a sealed model's predictions", predict_command},
    {"inspect", "says what is in a sealed model and what it costs on a device", inspect_command},
    {"export", "writes a sealed model as C, to link into firmware", export_command},
    {"merge", "adds up what several devices have gathered, and seals the result", merge_command},
    {"selftest", "checks that this build computes the promised bits", selftest_command},
    {"bench", "measures speed beside common alternatives", bench_command},
};

std::string overview()
{
    std::vector<std::vector<std::string>> rows;
    for (const Command& command : commands) {
        rows.push_back({command.name, command.summary});
    }
    return "usage: samara COMMAND [ARGUMENTS]\n\n"
           "Random features for kernel machines, from weights that are never stored.\n\n" +
           aligned(rows, "  ", 2) +
           "\n`samara COMMAND --help` or `samara help COMMAND` says more of one; `samara --version` prints the "
           "version.\n"
           "The environment variable SAMARA_SIMD chooses the vector unit: scalar, sse2, avx2, avx512 or neon64.\n"
           "Exit status: 0 done, 1 a check failed, 2 bad input.\n";
}

const Command& command_named(const std::string& name)
{
    std::vector<std::string> names;
    std::string list;
    for (const Command& command : commands) {
        if (name == command.name) {
            return command;
        }
        names.emplace_back(command.name);
        list += (list.empty() ? "" : ", ") + names.back();
    }
    const KnownWord known = known_word(WordKind::command, name);
    throw BadInput("found the unknown command " + quoted_text(name) +
                   (known ? known.text() + "; " : did_you_mean(name, names) + ", ") + "expected one of " + list +
                   ", help");
}

int run(std::vector<std::string> words)
{
    if (words.empty()) {
        throw BadInput("found no command, expected one of those that `samara help` lists");
    }
    std::string name = words.front();
    words.erase(words.begin());
    if (name == "--version") {
        Arguments(words, std::vector<Option>{}).require_positionals(0, 0, "nothing");
        print_text(std::string("samara ") + version + "\n");
        return 0;
    }
    if (name == "help" || name == "--help" || name == "-h") {
        const Arguments arguments(words, std::vector<Option>{});
        arguments.require_positionals(0, 1, "one command");
        if (arguments.positionals().empty() || arguments.positionals().front() == "help") {
            print_text(overview());
            return 0;
        }
        name = arguments.positionals().front();
        words = {"--help"};
    }
    if (name.starts_with('-') && name.size() > 1) {
        throw BadInput("found the option " + quoted_text(name) + " before a command" +
                       known_word(WordKind::command, name).text() + ", expected the command first");
    }
    const Command& command = command_named(name);
    if (const std::string problem = choose_simd(); !problem.empty()) {
        throw BadInput(problem);
    }
    if (const Status status = check_environment(); status != Status::ok) {
        throw BadInput(text(status));
    }
    return command.run(words);
}

// Always one line, whatever a file's name or the environment holds.
int fail(const std::string& message)
{
    std::fprintf(stderr, "samara: %s\n", visible_text(message).c_str());
    return 2;
}

int run_and_report(int argc, const char* const* argv)
{
    try {
        return run(words_from(argc, argv));
    } catch (const BadInput& problem) {
        return fail(problem.what());
    } catch (const std::bad_alloc&) {
        return fail("there is not enough memory for matrices of this size");
    } catch (const std::length_error&) {
        return fail("there is not enough memory for matrices of this size");
    } catch (const std::exception& problem) {
        return fail(std::string("internal error: ") + problem.what());
    }
}

} // namespace
} // namespace samara::desk

int main(int argc, char** argv)
{
    try {
        return samara::desk::run_and_report(argc, argv);
    } catch (...) {
        // Not even the message could be made.
        std::fputs("samara: there is not enough memory\n", stderr);
        return 2;
    }
}
