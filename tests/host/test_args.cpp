#include <doctest/doctest.h>

#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include "ports/host/commands/args.hpp"
#include "ports/host/text/error.hpp"

namespace {

using samara::desk::Arguments;
using samara::desk::BadInput;
using Words = std::vector<std::string>;

Arguments parse(const Words& words)
{
    return Arguments(
        words,
        {{"--threads", "N"}, {"--seed", "S"}, {"--scale", "R"}, {"--kernel", "K"}, {"--output", "Y"}, {"--quiet"}});
}

std::string refusal(const std::function<void()>& action)
{
    try {
        action();
    } catch (const BadInput& problem) {
        return problem.what();
    }
    return "accepted";
}

std::string refusal(const Words& words)
{
    return refusal([&] { parse(words); });
}

} // namespace

TEST_CASE("args: values, flags, positionals and the end of options")
{
    const Arguments arguments = parse({"in.csv", "--threads", "4", "--scale=-2.5", "--quiet", "-", "--", "--seed"});
    CHECK(arguments.integer("--threads", 1, 64, 1) == 4);
    CHECK(arguments.real("--scale", -10.0, 10.0, 1.0) == -2.5);
    CHECK(arguments.has("--quiet"));
    CHECK_FALSE(arguments.has("--seed"));
    CHECK_FALSE(arguments.help());
    CHECK(arguments.positionals() == Words{"in.csv", "-", "--seed"});
}

TEST_CASE("args: values that look like something else")
{
    CHECK(parse({"--scale", "-3"}).real("--scale", -5.0, 5.0, 0.0) == -3.0);
    CHECK(parse({"--output", "-"}).text("--output", "") == "-");
    CHECK(parse({"--output=--odd=name"}).text("--output", "") == "--odd=name");
    CHECK(parse({"--output="}).text("--output", "other").empty());
}

TEST_CASE("args: fallbacks when an option is not given")
{
    const Arguments arguments = parse({});
    CHECK(arguments.integer("--threads", 1, 64, 7) == 7);
    CHECK(arguments.seed("--seed", 99) == 99);
    CHECK(arguments.real("--scale", 0.0, 1.0, 0.5) == 0.5);
    CHECK(arguments.text("--output", "-") == "-");
    CHECK(arguments.choice("--kernel", {"gauss", "laplace"}, "gauss") == "gauss");
    CHECK(arguments.positionals().empty());
}

TEST_CASE("args: help")
{
    CHECK(parse({"-h"}).help());
    CHECK(parse({"in.csv", "--help", "--help"}).help());
    CHECK_FALSE(parse({"--", "--help"}).help());
}

TEST_CASE("args: an unknown option is named with the nearest known one")
{
    CHECK(refusal(Words{"--thread", "4"}) == "found the unknown option '--thread' (did you mean "
                                             "'--threads'?), expected one of those that --help lists");
    CHECK(refusal(Words{"--sede=1"}).find("'--sede' (did you mean '--seed'?)") != std::string::npos);
    CHECK(refusal(Words{"--halp"}).find("(did you mean '--help'?)") != std::string::npos);
    CHECK(refusal(Words{"--wavelength"}) ==
          "found the unknown option '--wavelength', expected one of those that --help lists");
    CHECK(refusal(Words{"-x"}).find("unknown option '-x'") != std::string::npos);
    CHECK(refusal(Words{"--=3"}).find("unknown option '--'") != std::string::npos);
    CHECK(refusal(Words{"--" + std::string(100000, 'x')}).size() < 200);
}

TEST_CASE("args: an option given twice, without its value, or with one it does not take")
{
    CHECK(refusal(Words{"--seed", "1", "--seed=1"}) == "--seed: found the option twice, expected it once");
    CHECK(refusal(Words{"--quiet", "--quiet"}).starts_with("--quiet: found the option twice"));
    CHECK(refusal(Words{"--seed"}) == "--seed: found nothing after the option, expected a value");
    CHECK(refusal(Words{"--seed", "--quiet"}) == "--seed: found '--quiet' after the option, expected a value");
    CHECK(refusal(Words{"--seed", "-h"}).starts_with("--seed: found '-h'"));
    CHECK(refusal(Words{"--quiet=yes"}) == "--quiet: found 'yes', expected no value");
}

TEST_CASE("args: integers are whole and within range")
{
    for (const std::string found : {"0", "65", "-1", "4x", "", "1.5", " 4", "0x4", "4294967297", "four"}) {
        CAPTURE(found);
        const Arguments arguments = parse({"--threads=" + found});
        CHECK(refusal([&] { arguments.integer("--threads", 1, 64, 1); }) ==
              "--threads: found '" + found + "', expected a whole number from 1 to 64");
    }
    CHECK(parse({"--threads=1"}).integer("--threads", 1, 64, 9) == 1);
    CHECK(parse({"--threads=64"}).integer("--threads", 1, 64, 9) == 64);
}

TEST_CASE("args: seeds take all 64 bits, decimal or hexadecimal")
{
    CHECK(parse({"--seed=18446744073709551615"}).seed("--seed", 0) == 18446744073709551615ull);
    CHECK(parse({"--seed=0xDeadBeef00000001"}).seed("--seed", 0) == 0xDEADBEEF00000001ull);
    for (const std::string found : {"18446744073709551616", "-1", "0x", "0x1G", "", "12a"}) {
        CAPTURE(found);
        const Arguments arguments = parse({"--seed=" + found});
        CHECK(refusal([&] { arguments.seed("--seed", 0); }).starts_with("--seed: found '" + found + "', expected"));
    }
}

TEST_CASE("args: real numbers are finite and within range")
{
    for (const std::string found : {"nan", "inf", "-0.1", "1.01", "1e999", "", "0,5", "0.5x"}) {
        CAPTURE(found);
        const Arguments arguments = parse({"--scale=" + found});
        CHECK(refusal([&] { arguments.real("--scale", 0.0, 1.0, 0.5); }) ==
              "--scale: found '" + found + "', expected a number from 0 to 1");
    }
    CHECK(parse({"--scale=1e-3"}).real("--scale", 0.0, 1.0, 0.5) == 1e-3);
}

TEST_CASE("args: a choice is one of the list")
{
    CHECK(parse({"--kernel=laplace"}).choice("--kernel", {"gauss", "laplace"}, "gauss") == "laplace");
    const Arguments arguments = parse({"--kernel=gaus"});
    CHECK(refusal([&] {
              arguments.choice("--kernel", {"gauss", "laplace", "arc"}, "arc");
          }) == "--kernel: found 'gaus', expected 'gauss', 'laplace' or 'arc' (did you mean 'gauss'?)");
}

TEST_CASE("args: required values and counts of positionals")
{
    CHECK(parse({"--output=x"}).required_text("--output") == "x");
    CHECK(refusal([] { parse({}).required_text("--output"); }) == "found no --output, expected --output Y");
    CHECK(refusal([] { parse({"--output="}).required_text("--output"); }).starts_with("--output: found no value"));
    CHECK_NOTHROW(parse({"a"}).require_positionals(1, 1, "an input file"));
    CHECK(refusal([] { parse({}).require_positionals(1, 1, "an input file"); }) ==
          "found no argument, expected an input file");
    CHECK(refusal([] { parse({"a"}).require_positionals(2, 2, "a model and an input file"); }) ==
          "found no argument after 'a', expected a model and an input file");
    CHECK(refusal([] {
              parse({"a", "b"}).require_positionals(1, 1, "an input file");
          }) == "found the extra argument 'b', expected an input file and nothing more but options");
    CHECK(refusal([] { parse({"a"}).require_positionals(0, 0, ""); }) ==
          "found the extra argument 'a', expected options only");
}

TEST_CASE("args: what the table says is what is read without the option, and what is shown")
{
    const std::vector<samara::desk::Option> options = {
        {.name = "--in", .value = "X", .meaning = "the data", .needed = true},
        {"--seeds", "N", "how many seeds: the map's own and those that follow it", "10"},
        {"--scale", "R", "a share", "1e-4"},
        {.name = "--kernel",
         .value = "K",
         .meaning = "its shape",
         .fallback = "arc",
         .choices = {"gauss", "laplace", "arc"}},
        {"--out", "Z", "where to write", "standard output"},
        {.name = "--quiet", .meaning = "say nothing"}};
    const Arguments none({}, options);
    CHECK(none.integer("--seeds", 1, 100) == 10);
    CHECK(none.real("--scale", 0.0, 1.0) == 1e-4);
    CHECK(none.choice("--kernel") == "arc");
    CHECK_THROWS_AS(none.integer("--out", 1, 100), std::logic_error);
    CHECK(Arguments({"--seeds", "3"}, options).integer("--seeds", 1, 100) == 3);
    CHECK(refusal([&] { Arguments({"--kernel=ark"}, options).choice("--kernel"); }) ==
          "--kernel: found 'ark', expected 'gauss', 'laplace' or 'arc' (did you mean 'arc'?)");
    CHECK(samara::desk::help_text({"tool go MAP", "Goes.\n", options}) ==
          "usage: tool go MAP --in X [--seeds N] [--scale R] [--kernel K] [--out Z] [--quiet]\n\n"
          "Goes.\n\n"
          "  --in X      the data\n"
          "  --seeds N   how many seeds: the map's own and those that follow it (default: 10)\n"
          "  --scale R   a share (default: 1e-4)\n"
          "  --kernel K  gauss, laplace or arc: its shape (default: arc)\n"
          "  --out Z     where to write (default: standard output)\n"
          "  --quiet     say nothing\n");
    CHECK(samara::desk::help_text({"tool", "Rests.\n", {}}) == "usage: tool\n\nRests.\n");
}

TEST_CASE("args: help breaks its lines between words and keeps them under each other")
{
    std::string meaning = "word";
    for (int i = 0; i < 40; ++i) {
        meaning += " word";
    }
    const std::string text =
        samara::desk::help_text({"tool", "Does.\n", {{"--long", "N", meaning}, {"--x", "N", "short"}}});
    CHECK(text.find("\n  --long N  word word") != std::string::npos);
    CHECK(text.find("\n            word word") != std::string::npos);
    for (std::size_t begin = 0; begin < text.size();) {
        const std::size_t end = text.find('\n', begin);
        CHECK(end - begin <= 110);
        CHECK((end == begin || text[end - 1] != ' '));
        begin = end + 1;
    }
}

TEST_CASE("args: an option nobody declared is a mistake of the program")
{
    CHECK_THROWS_AS(parse({}).text("--never", ""), std::logic_error);
}

TEST_CASE("args: words_from leaves out what comes first")
{
    const char* const argv[] = {"samara", "fit", "--seed", "1"};
    CHECK(samara::desk::words_from(4, argv, 2) == Words{"--seed", "1"});
    CHECK(samara::desk::words_from(4, argv).size() == 3);
    CHECK(samara::desk::words_from(1, argv, 2).empty());
}
