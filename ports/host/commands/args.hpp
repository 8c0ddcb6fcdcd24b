#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace samara::desk {

// What an option's value (or a command's arguments) names, if a file: so that no result is written over data.
enum class FileUse { none, read, written };

// One line of the table of a command's options: what is accepted, what --help says and what "did you mean" offers all
// come from it.
struct Option {
    std::string name;         // with its dashes: "--threads"
    std::string value = {};   // what --help calls its value: "N"; empty for a flag, which takes none
    std::string meaning = {}; // for --help, which breaks the lines
    // What holds where the option is not given, as --help says it. The functions of Arguments that are given no
    // fallback read it as the value. Empty: there is none.
    std::string fallback = {};
    std::vector<std::string> choices = {}; // the words that its value is one of; empty: any value
    bool needed = false;                   // --help puts no brackets around it
    FileUse file = FileUse::none;
    // Its value may be left out. What follows is its value only where all that is no option came before.
    bool value_optional = false;
};

// A command as --help shows it.
struct CommandPage {
    std::string usage; // the program, the command and what is no option: "samara kernel MAP"
    std::string about; // whole lines
    std::vector<Option> options;
    FileUse arguments = FileUse::none; // what is no option
};

// Usage, what the command is about, and a line or more for each option; lines that are made here have at most 110
// characters.
std::string help_text(const CommandPage& page);

// argv from `first` on; a program with commands passes 2 to leave its own name and the command out.
std::vector<std::string> words_from(int argc, const char* const* argv, int first = 1);

// Long options in the GNU manner: "--name value", "--name=value", flags, "--" ends the options, "-" alone is
// a positional. "-h" and "--help" are always known. A value that itself begins with "--" needs the "=" form.
// What the user got wrong is BadInput; asking for an option that was not declared is std::logic_error.
class Arguments {
public:
    Arguments(const std::vector<std::string>& words, std::vector<Option> options);
    // Also refuses a file to write that is one to read, or two to write that are one, by whatever names and links:
    // before anything is read.
    Arguments(const std::vector<std::string>& words, const CommandPage& page);

    bool help() const { return help_; }
    bool has(std::string_view name) const;
    const std::vector<std::string>& positionals() const { return positionals_; }

    // Throws BadInput unless the count is within the range; `what` says what they are: "an input file".
    void require_positionals(std::size_t minimum, std::size_t maximum, std::string_view what) const;

    // Of an option whose value may be left out: empty where it was.
    std::string text(std::string_view name, std::string_view fallback) const;
    std::string required_text(std::string_view name) const;
    std::string choice(std::string_view name, const std::vector<std::string>& choices, std::string_view fallback) const;
    // One of the table's words.
    std::string choice(std::string_view name) const;
    unsigned integer(std::string_view name, unsigned minimum, unsigned maximum, unsigned fallback) const;
    unsigned integer(std::string_view name, unsigned minimum, unsigned maximum) const;
    // Any 64-bit number, decimal or hexadecimal after "0x".
    std::uint64_t seed(std::string_view name, std::uint64_t fallback) const;
    // Finite and from minimum to maximum, both included.
    double real(std::string_view name, double minimum, double maximum, double fallback) const;
    double real(std::string_view name, double minimum, double maximum) const;

private:
    const Option* known(std::string_view name) const;
    const Option& declared(std::string_view name) const;
    const std::string* find(std::string_view name) const;
    [[noreturn]] void refuse_unknown(std::string_view name) const;

    std::vector<Option> options_;
    std::map<std::string, std::string, std::less<>> given_;
    std::vector<std::string> positionals_;
    bool help_ = false;
};

} // namespace samara::desk
