#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace samara::desk {

struct OptionRule {
    std::string name; // with its dashes: "--threads"
    bool takes_value = true;
};

// argv from `first` on; a program with commands passes 2 to leave its own name and the command out.
std::vector<std::string> words_from(int argc, const char* const* argv, int first = 1);

// Long options in the GNU manner: "--name value", "--name=value", flags, "--" ends the options, "-" alone is
// a positional. "-h" and "--help" are always known. A value that itself begins with "--" needs the "=" form.
// What the user got wrong is BadInput; asking for an option that was not declared is std::logic_error.
class Arguments {
public:
    Arguments(const std::vector<std::string>& words, std::vector<OptionRule> known);

    bool help() const { return help_; }
    bool has(std::string_view name) const;
    const std::vector<std::string>& positionals() const { return positionals_; }

    // Throws BadInput unless the count is within the range; `what` says what they are: "an input file".
    void require_positionals(std::size_t minimum, std::size_t maximum, std::string_view what) const;

    std::string text(std::string_view name, std::string_view fallback) const;
    std::string required_text(std::string_view name) const;
    std::string choice(std::string_view name, const std::vector<std::string>& choices, std::string_view fallback) const;
    unsigned integer(std::string_view name, unsigned minimum, unsigned maximum, unsigned fallback) const;
    // Any 64-bit number, decimal or hexadecimal after "0x".
    std::uint64_t seed(std::string_view name, std::uint64_t fallback) const;
    // Finite and from minimum to maximum, both included.
    double real(std::string_view name, double minimum, double maximum, double fallback) const;

private:
    const OptionRule* rule_for(std::string_view name) const;
    const std::string* find(std::string_view name) const;
    [[noreturn]] void refuse_unknown(std::string_view name) const;

    std::vector<OptionRule> known_;
    std::map<std::string, std::string, std::less<>> given_;
    std::vector<std::string> positionals_;
    bool help_ = false;
};

} // namespace samara::desk
