#include "ports/host/data/libsvm.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <system_error>

#include "ports/host/data/memory_limit.hpp"
#include "ports/host/data/number.hpp"
#include "ports/host/text/error.hpp"
#include "samara/map.hpp"

namespace samara::desk {
namespace {

constexpr std::string_view blanks = " \t\r\v\f";

class LibsvmParser {
public:
    LibsvmParser(std::string_view text, std::size_t columns, const std::string& name)
        : text_(text), columns_(columns), name_(name)
    {}

    SparseTable parse()
    {
        constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
        if (text_.starts_with(byte_order_mark)) {
            text_.remove_prefix(byte_order_mark.size());
        }
        while (!text_.empty()) {
            const std::size_t end = std::min(text_.find('\n'), text_.size());
            ++line_;
            std::string_view row = text_.substr(0, end);
            const bool commented = row.find('#') != std::string_view::npos;
            row = row.substr(0, row.find('#'));
            text_.remove_prefix(std::min(end + 1, text_.size()));
            if (row.find_first_not_of(blanks) != std::string_view::npos) {
                read_row(row);
            } else {
                // Where there are labels it is no row. Where there are none it may be a row of zeros alone; a comment
                // in front of all rows is not.
                blank_ = blank_ || table_.inputs.rows() != 0 || !commented;
                refuse_blank();
            }
        }
        if (table_.inputs.rows() == 0) {
            throw BadInput(name_ + ": found no line with values, expected lines such as '1 3:0.5 7:2'");
        }
        table_.inputs.cols = columns_ != 0 ? columns_ : largest_;
        if (table_.inputs.cols == 0) {
            throw BadInput(name_ + ": found no index:value in any line, expected at least one");
        }
        require_usable_width(name_, table_.inputs.rows(), table_.inputs.cols);
        return std::move(table_);
    }

private:
    [[noreturn]] void fail(const std::string& found, const std::string& expected) const
    {
        throw BadInput(name_ + ": line " + std::to_string(line_) + ": found " + found + ", expected " + expected);
    }

    static std::string_view next_word(std::string_view& row)
    {
        row.remove_prefix(std::min(row.find_first_not_of(blanks), row.size()));
        const std::string_view word = row.substr(0, row.find_first_of(blanks));
        row.remove_prefix(word.size());
        return word;
    }

    void refuse_blank() const
    {
        if (blank_ && table_.inputs.rows() != 0 && table_.labels.empty()) {
            fail("no label, with or behind a line without values", "a label in front of every row, 0 say");
        }
    }

    void read_row(std::string_view row)
    {
        std::string_view word = next_word(row);
        const bool labelled = word.find(':') == std::string_view::npos;
        if (labelled) {
            double ignored = 0.0;
            if (parse_number(word, ignored) == Reading::not_a_number) {
                fail("the label " + quoted_text(word), "one number");
            }
            // A number's sign is no part of its name: "+1" and "1" are one class.
            table_.labels.emplace_back(word.substr(word.starts_with('+') ? 1 : 0));
            word = next_word(row);
        }
        if (table_.labels.size() != (labelled ? table_.inputs.rows() + 1 : 0)) {
            fail(labelled ? "a label" : "no label",
                 labelled ? "none, as in the lines before" : "one as in the lines before");
        }
        if (word.starts_with("qid:")) {
            word = next_word(row);
        }
        std::uint32_t last = 0;
        for (; !word.empty(); word = next_word(row)) {
            last = read_entry(word, last);
        }
        largest_ = std::max<std::size_t>(largest_, last);
        table_.inputs.starts.push_back(table_.inputs.values.size());
        refuse_blank();
    }

    std::uint32_t read_entry(std::string_view word, std::uint32_t last)
    {
        const std::size_t colon = word.find(':');
        std::uint32_t index = 0;
        const char* const end = word.data() + std::min(colon, word.size());
        const auto [stop, status] = std::from_chars(word.data(), end, index);
        if (colon == std::string_view::npos || stop != end ||
            (status != std::errc() && status != std::errc::result_out_of_range)) {
            fail(quoted_text(word), "index:value");
        }
        const std::size_t most = columns_ != 0 ? columns_ : most_inputs;
        if (status != std::errc() || index < 1 || index > most) {
            fail("the index of " + quoted_text(word), "one from 1 to " + std::to_string(most));
        }
        if (index <= last) {
            fail("the index " + std::to_string(index) + " behind " + std::to_string(last), "ascending ones");
        }
        float value = 0.0f;
        switch (parse_number(word.substr(colon + 1), value)) {
        case Reading::number:
            break;
        case Reading::too_large:
            fail(quoted_text(word), "a number within float32's range behind the colon");
        case Reading::not_a_number:
            fail(quoted_text(word), "a number behind the colon");
        }
        table_.inputs.columns.push_back(index - 1);
        table_.inputs.values.push_back(value);
        return index;
    }

    std::string_view text_;
    std::size_t columns_;
    const std::string& name_;
    std::size_t line_ = 0;
    std::size_t largest_ = 0;
    bool blank_ = false;
    SparseTable table_;
};

} // namespace

SparseTable parse_libsvm(std::string_view text, std::size_t columns, const std::string& name)
{
    const auto entries = static_cast<double>(std::count(text.begin(), text.end(), ':'));
    const auto lines = static_cast<double>(std::count(text.begin(), text.end(), '\n'));
    require_memory(name, "a table of so many entries",
                   static_cast<double>(text.size()) + entries * (sizeof(float) + sizeof(std::uint32_t)) +
                       lines * (sizeof(std::size_t) + sizeof(std::string)));
    return LibsvmParser(text, columns, name).parse();
}

} // namespace samara::desk
