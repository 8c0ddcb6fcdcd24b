#include "ports/host/data/npy_header.hpp"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <set>
#include <system_error>

#include "ports/host/text/error.hpp"

namespace samara::desk {
namespace {

[[noreturn]] void refuse(const std::string& name, const std::string& found, const std::string& expected)
{
    throw BadInput(name + ": found " + found + ", expected " + expected);
}

class HeaderParser {
public:
    HeaderParser(std::string_view text, const std::string& name) : text_(text), name_(name) {}

    NpyHeader parse()
    {
        expect('{');
        while (!accept('}')) {
            const std::string key = string_literal("a quoted key or '}'");
            expect(':');
            const bool first_time = seen_.insert(key).second;
            if (key == "descr" && first_time) {
                header_.descr = descr_value();
            } else if (key == "fortran_order" && first_time) {
                header_.fortran_order = boolean();
            } else if (key == "shape" && first_time) {
                shape();
            } else {
                fail("key " + quoted_text(key), "'descr', 'fortran_order' and 'shape', each once");
            }
            if (!accept(',')) {
                expect('}');
                break;
            }
        }
        skip_space();
        if (position_ < text_.size()) {
            fail_here("nothing after the closing '}'");
        }
        for (const char* const key : {"descr", "fortran_order", "shape"}) {
            if (!seen_.contains(key)) {
                fail("no key '" + std::string(key) + "'", "'descr', 'fortran_order' and 'shape'");
            }
        }
        return header_;
    }

private:
    [[noreturn]] void fail(const std::string& found, const std::string& expected) const
    {
        refuse(name_ + ": malformed NPY header", found, expected);
    }

    [[noreturn]] void fail_here(const std::string& expected) const
    {
        const std::string_view rest = text_.substr(std::min(position_, text_.size()));
        fail(rest.empty() ? "the end of the header" : quoted_text(rest.substr(0, 20)), expected);
    }

    void skip_space() { position_ = std::min(text_.find_first_not_of(" \t\r\n", position_), text_.size()); }

    bool accept(char wanted)
    {
        skip_space();
        if (position_ < text_.size() && text_[position_] == wanted) {
            ++position_;
            return true;
        }
        return false;
    }

    void expect(char wanted)
    {
        if (!accept(wanted)) {
            fail_here(std::string("'") + wanted + "'");
        }
    }

    std::string string_literal(const std::string& expected)
    {
        skip_space();
        const char quote = position_ < text_.size() ? text_[position_] : ' ';
        if (quote != '\'' && quote != '"') {
            fail_here(expected);
        }
        const std::size_t end = text_.find(quote, position_ + 1);
        if (end == std::string_view::npos) {
            fail_here("a closing quote");
        }
        const std::string_view contents = text_.substr(position_ + 1, end - position_ - 1);
        position_ = end + 1;
        return std::string(contents);
    }

    std::string descr_value()
    {
        skip_space();
        if (position_ < text_.size() && (text_[position_] == '[' || text_[position_] == '(')) {
            refuse(name_, "the structured dtype " + quoted_text(text_.substr(position_)),
                   "a plain bool, integer or float array");
        }
        return string_literal("a quoted dtype");
    }

    bool boolean()
    {
        skip_space();
        for (const std::string_view word : {"True", "False"}) {
            if (text_.substr(position_).starts_with(word)) {
                position_ += word.size();
                return word == "True";
            }
        }
        fail_here("True or False for 'fortran_order'");
    }

    void shape()
    {
        expect('(');
        const std::size_t begin = position_ - 1;
        bool comma = true;
        while (!accept(')')) {
            if (!comma) {
                fail_here("',' or ')' in the shape");
            }
            skip_space();
            std::uint64_t dimension = 0;
            const char* const first = text_.data() + position_;
            const auto [end, status] = std::from_chars(first, text_.data() + text_.size(), dimension);
            if (status != std::errc()) {
                fail_here("a dimension that fits 64 bits");
            }
            position_ += static_cast<std::size_t>(end - first);
            // Python 2 wrote long integers with this suffix.
            accept('L');
            header_.shape.push_back(dimension);
            comma = accept(',');
        }
        header_.shape_text = text_.substr(begin, position_ - begin);
        if (header_.shape.size() == 1 && !comma) {
            fail("the shape " + quoted_text(header_.shape_text), "a tuple such as (3,)");
        }
    }

    std::string_view text_;
    const std::string& name_;
    std::size_t position_ = 0;
    NpyHeader header_;
    std::set<std::string> seen_;
};

} // namespace

NpyHeader parse_npy_header(std::string_view text, const std::string& name) { return HeaderParser(text, name).parse(); }

} // namespace samara::desk
