// Text of lines that are a kind, a name, and keys with values: "circle pixels height=24 width=24". `#` begins a
// comment.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace samara::desk {

class KeyLine {
public:
    // The words of a line, of which the comment is gone. BadInput for a word behind the name that is no key with a
    // value, and for a key that comes twice.
    KeyLine(std::string_view words, const std::string& file, std::size_t number);

    const std::string& kind() const { return kind_; } // empty where there is no word
    const std::string& name() const { return name_; } // empty where there is one
    std::size_t number() const { return number_; }

    // A key's value, or nothing; it counts as looked at.
    std::optional<std::string> value(const std::string& key);
    // The same as a whole number in a range; BadInput for anything else.
    std::uint32_t whole(const std::string& key, std::uint32_t least, std::uint32_t most, std::uint32_t otherwise);
    std::uint32_t whole_of(const std::string& key, const std::string& text, std::uint32_t least,
                           std::uint32_t most) const;

    // BadInput where there is a key that was never looked at.
    void refuse_other_keys() const;
    // BadInput that names the file and the line.
    [[noreturn]] void refuse(const std::string& what) const;

private:
    std::string file_;
    std::size_t number_;
    std::string kind_, name_;
    std::map<std::string, std::string> values_;
    std::set<std::string> known_;
};

// Those with words in them.
std::vector<KeyLine> key_lines(std::string_view text, const std::string& file);

} // namespace samara::desk
