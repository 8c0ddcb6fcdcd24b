#include <string>

#include "ports/host/commands/commands.hpp"
#include "ports/selftest/selftest.hpp"

namespace samara::desk {
namespace {

const CommandPage page = {
    "samara selftest",
    "Computes digests of everything whose bits are promised, one a line: the lines are the same on\n"
    "every machine. Exit status 1 if a check fails.\n",
    {}};

} // namespace

int selftest_command(const std::vector<std::string>& words)
{
    const Arguments arguments(words, page.options);
    if (arguments.help()) {
        print_text(help_text(page));
        return 0;
    }
    arguments.require_positionals(0, 0, "nothing");
    // The callback cannot carry a place to collect lines; none throws past the core, which has no unwind tables.
    static std::string lines;
    static bool complete;
    lines.clear();
    complete = true;
    const int failed = samara_selftest([](const char* line) {
        try {
            lines += line;
            lines += '\n';
        } catch (...) {
            complete = false;
        }
    });
    print_text(lines);
    return failed == 0 && complete ? 0 : 1;
}

} // namespace samara::desk
