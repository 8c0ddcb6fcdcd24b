#include "ports/host/skeleton/skeleton_text.hpp"

#include <algorithm>
#include <bit>
#include <map>
#include <optional>
#include <utility>

#include "ports/host/data/number.hpp"
#include "ports/host/skeleton/skeleton_dual.hpp"
#include "ports/host/text/error.hpp"
#include "ports/host/text/key_lines.hpp"
#include "ports/host/text/words.hpp"
#include "samara/skeleton/build.hpp"

namespace samara::desk {
namespace {

constexpr std::uint32_t most_grid = 65535;
constexpr double pi = 3.14159265358979323846;

const std::pair<const char*, SkeletonBase> bases[] = {
    {"binary", SkeletonBase::binary},     {"circle", SkeletonBase::circle},
    {"gaussian", SkeletonBase::gaussian}, {"categorical", SkeletonBase::categorical},
    {"sphere", SkeletonBase::sphere},     {"sphere-uniform", SkeletonBase::sphere_uniform},
};

// One line, as it stands there, and what becomes of it.
struct Line {
    KeyLine text;

    std::optional<SkeletonBase> base;
    bool windows = false;
    bool series = false; // a grid of channels and places in time
    SkeletonGrid grid;
    std::vector<std::pair<std::size_t, std::string>> parts; // lines, and what stands behind the name in brackets
    enum class Visit { not_yet, on_the_way, done } visit = Visit::not_yet;
    bool is_part = false;
    std::uint32_t group = 0, first = 0;

    explicit Line(KeyLine words) : text(std::move(words)) {}
    const std::string& name() const { return text.name(); }
};

class Parser {
public:
    Parser(std::string_view text, const std::string& name) : name_(name)
    {
        for (KeyLine& words : key_lines(text, name)) {
            add_line(Line(std::move(words)));
        }
    }

    std::vector<std::byte> build()
    {
        if (lines_.empty()) {
            throw BadInput(name_ + ": found no nodes, expected lines such as 'circle pixels count=4'");
        }
        for (Line& line : lines_) {
            find_parts(line);
        }
        for (std::size_t i = 0; i < lines_.size(); ++i) {
            visit(i);
        }
        const std::size_t last = output();
        std::vector<std::byte> bytes(most_skeleton_bytes);
        SkeletonBuilder builder(bytes, static_cast<std::uint32_t>(lines_.size()));
        // Base nodes in the order of their lines, so that their columns are.
        for (Line& line : lines_) {
            if (line.base) {
                add_base(builder, line);
            }
        }
        for (const std::size_t i : order_) {
            if (!lines_[i].base) {
                add_internal(builder, lines_[i]);
            }
        }
        // The last node is the skeleton's. What is left is a base alone, which is the only line then.
        const SkeletonGrid& grid = lines_[last].grid;
        if (grid.height * grid.width * grid.channels != 1) {
            lines_[last].text.refuse("found " + std::to_string(grid.height * grid.width * grid.channels) +
                                     " nodes at the end, expected one: a node that is made of them");
        }
        Skeleton skeleton;
        if (!builder.finish(skeleton)) {
            throw BadInput(name_ + ": found more than a skeleton has room for, expected at most 2^22 bytes, and 2^24 "
                                   "nodes that a node is made of");
        }
        bytes.resize(skeleton.bytes().size());
        return bytes;
    }

private:
    void add_line(Line line)
    {
        std::vector<std::string> kinds;
        for (const auto& [word, base] : bases) {
            kinds.emplace_back(word);
            if (line.text.kind() == word) {
                line.base = base;
            }
        }
        line.windows = line.text.kind() == "windows";
        if (!line.base && !line.windows && line.text.kind() != "node") {
            kinds.insert(kinds.end(), {"windows", "node"});
            line.text.refuse("found " + quoted_text(line.text.kind()) + did_you_mean(line.text.kind(), kinds) +
                             ", expected " + one_of(kinds));
        }
        if (line.name().empty() || line.name().find('=') != std::string::npos) {
            line.text.refuse("found no name behind '" + line.text.kind() + "', expected one");
        }
        if (line.name().find_first_of(",[]()") != std::string::npos) {
            line.text.refuse("found the name " + quoted_text(line.name()) +
                             ", expected no commas, brackets or parentheses");
        }
        if (const auto [same, is_new] = by_name_.emplace(line.name(), lines_.size()); !is_new) {
            line.text.refuse("found the name " + quoted_text(line.name()) + " again, which line " +
                             std::to_string(lines_[same->second].text.number()) + " has, expected another one");
        }
        if (lines_.size() == most_grid) {
            line.text.refuse("found more than 65535 groups of nodes, expected fewer");
        }
        lines_.push_back(std::move(line));
    }

    // 1 / (period or 2 pi bandwidth), which must be a float.
    std::uint32_t turns(Line& line, const std::string& key, double otherwise, double factor) const
    {
        const std::optional<std::string> text = line.text.value(key);
        const std::optional<double> number = text ? number_of(*text) : std::optional(otherwise);
        const float result = number && *number > 0.0 ? static_cast<float>(1.0 / (factor * *number)) : 0.0f;
        constexpr float least = 0x1p-60f, most = 0x1p60f;
        if (!(result > least && result < most)) {
            line.text.refuse(key + ": found " + quoted_text(text.value_or("")) +
                             ", expected a positive number between 2^-60 and 2^60");
        }
        return std::bit_cast<std::uint32_t>(result);
    }

    // "5x3", or "5": both, over a series all channels and 5 places.
    std::pair<std::uint32_t, std::uint32_t> pair(Line& line, const std::string& key, std::uint32_t rows_of_one,
                                                 bool required) const
    {
        const std::optional<std::string> text = line.text.value(key);
        if (!text) {
            if (required) {
                line.text.refuse("found no " + key + ", expected " + key + "=, such as " + key + "=3x3");
            }
            return {1, 1};
        }
        const std::size_t cross = text->find('x');
        const std::uint32_t second =
            line.text.whole_of(key, cross == std::string::npos ? *text : text->substr(cross + 1), 1, most_grid);
        const std::uint32_t first = cross != std::string::npos
                                        ? line.text.whole_of(key, text->substr(0, cross), 1, most_grid)
                                        : (rows_of_one == 0 ? second : rows_of_one);
        return {first, second};
    }

    void find_parts(Line& line)
    {
        if (line.base) {
            return;
        }
        const std::optional<std::string> of = line.text.value("of");
        if (!of) {
            line.text.refuse("found no of, expected of=, with what '" + line.name() + "' is made of");
        }
        std::string_view rest = *of;
        for (bool more = true; more;) {
            const std::size_t comma = std::min(rest.find(','), rest.size());
            std::string_view part = rest.substr(0, comma);
            more = comma < rest.size();
            rest.remove_prefix(std::min(comma + 1, rest.size()));
            const std::size_t bracket = std::min(part.find('['), part.size());
            const std::string part_name(part.substr(0, bracket));
            const auto found = by_name_.find(part_name);
            if (found == by_name_.end()) {
                std::vector<std::string> names;
                for (const auto& [known, at] : by_name_) {
                    names.push_back(known);
                }
                line.text.refuse("of: found " + quoted_text(part_name) + did_you_mean(part_name, names) +
                                 ", expected the name of a line");
            }
            lines_[found->second].is_part = true;
            line.parts.emplace_back(found->second, part.substr(bracket));
        }
        if (line.windows && (line.parts.size() != 1 || !line.parts[0].second.empty())) {
            line.text.refuse("of: found " + quoted_text(*of) + ", expected the name of one grid");
        }
    }

    // What a line is made of comes before it; a line that is met on the way to itself is part of itself.
    void visit(std::size_t start)
    {
        std::vector<std::pair<std::size_t, std::size_t>> way = {{start, 0}};
        if (lines_[start].visit == Line::Visit::done) {
            return;
        }
        lines_[start].visit = Line::Visit::on_the_way;
        while (!way.empty()) {
            auto& [at, part] = way.back();
            Line& line = lines_[at];
            if (part == line.parts.size()) {
                line.visit = Line::Visit::done;
                order_.push_back(at);
                way.pop_back();
                continue;
            }
            const std::size_t next = line.parts[part++].first;
            if (lines_[next].visit == Line::Visit::on_the_way) {
                line.text.refuse(
                    next == at ? "found '" + line.name() + "' made of itself, expected a graph without cycles"
                               : "found '" + line.name() + "' made of '" + lines_[next].name() +
                                     "', which is made of it (line " + std::to_string(lines_[next].text.number()) +
                                     "), expected a graph without cycles");
            }
            if (lines_[next].visit == Line::Visit::not_yet) {
                lines_[next].visit = Line::Visit::on_the_way;
                way.emplace_back(next, 0);
            }
        }
    }

    // The one line that no other is made of. It is the last of the order by then: all others lead to it.
    std::size_t output() const
    {
        std::optional<std::size_t> found;
        for (std::size_t i = 0; i < lines_.size(); ++i) {
            if (lines_[i].is_part) {
                continue;
            }
            if (found) {
                lines_[i].text.refuse("found '" + lines_[i].name() + "', which nothing is made of, as '" +
                                      lines_[*found].name() + "' of line " +
                                      std::to_string(lines_[*found].text.number()) + ", expected one end");
            }
            found = i;
        }
        return *found;
    }

    void read_grid(Line& line) const
    {
        const bool series = line.text.value("length").has_value();
        const bool image = line.text.value("height").has_value() || line.text.value("width").has_value();
        const bool row = line.text.value("count").has_value();
        if ((series ? 1 : 0) + (image ? 1 : 0) + (row ? 1 : 0) > 1) {
            line.text.refuse("found several of height and width, length, and count, expected one of these");
        }
        if (row && line.text.value("channels")) {
            line.text.refuse("found count and channels, expected one of them");
        }
        const std::uint32_t channels = line.text.whole("channels", 1, image ? most_skeleton_nodes : most_grid, 1);
        line.series = series;
        if (series) {
            line.grid = {channels, line.text.whole("length", 1, most_grid, 1), 1};
        } else if (image) {
            line.grid = {line.text.whole("height", 1, most_grid, 1), line.text.whole("width", 1, most_grid, 1),
                         channels};
        } else {
            line.grid = {1, 1, row ? line.text.whole("count", 1, most_skeleton_nodes, 1) : channels};
        }
    }

    void add_base(SkeletonBuilder& builder, Line& line)
    {
        constexpr std::uint32_t most_columns = 1u << 20;
        read_grid(line);
        const SkeletonBase base = *line.base;
        const bool sphere = base == SkeletonBase::sphere || base == SkeletonBase::sphere_uniform;
        std::uint32_t columns = 1, own = 0;
        if (sphere || base == SkeletonBase::gaussian) {
            columns = line.text.whole("columns", sphere ? 2 : 1, most_columns, sphere ? 0 : 1);
            if (columns == 0) {
                line.text.refuse("found no columns, expected columns=, 2 or more");
            }
        }
        if (base == SkeletonBase::circle) {
            own = turns(line, "period", 2.0 * pi, 1.0);
        } else if (base == SkeletonBase::gaussian) {
            own = turns(line, "bandwidth", 1.0, 2.0 * pi);
        } else if (base == SkeletonBase::categorical) {
            own = line.text.whole("values", 2, most_categories, 0);
            if (own == 0) {
                line.text.refuse("found no values, expected values=, how many there are");
            }
        }
        const std::uint32_t column = line.text.whole("column", 0, most_columns - 1, next_column_);
        line.text.refuse_other_keys();
        const double nodes = static_cast<double>(line.grid.height) * line.grid.width * line.grid.channels;
        if (column + nodes * columns > most_columns) {
            line.text.refuse("found columns up to " +
                             std::to_string(static_cast<std::uint64_t>(column + nodes * columns)) +
                             ", expected at most 1048576");
        }
        line.first = nodes_;
        line.group = builder.base(base, line.grid, column, columns, own);
        nodes_ += static_cast<std::uint32_t>(nodes);
        next_column_ = std::max(next_column_, column + static_cast<std::uint32_t>(nodes) * columns);
    }

    SkeletonActivation activation(Line& line)
    {
        const std::optional<std::string> text = line.text.value("dual");
        if (!text) {
            line.text.refuse("found no dual, expected dual=, " + dual_words());
        }
        try {
            return activation_of(*text, steps_);
        } catch (const BadInput& problem) {
            line.text.refuse(std::string("dual: ") + problem.what());
        }
    }

    void add_internal(SkeletonBuilder& builder, Line& line)
    {
        const SkeletonActivation dual = activation(line);
        if (line.windows) {
            add_windows(builder, line, dual);
        } else {
            add_node(builder, line, dual);
        }
        nodes_ += line.grid.height * line.grid.width;
        std::uint32_t depth = 0;
        for (const auto& [part, which] : line.parts) {
            depth = std::max(depth, depth_[part]);
        }
        depth_[static_cast<std::size_t>(&line - lines_.data())] = depth + 1;
        if (depth + 1 > most_skeleton_depth) {
            line.text.refuse("found '" + line.name() + "' with " + std::to_string(depth + 1) +
                             " layers below it, expected at most " + std::to_string(most_skeleton_depth));
        }
        if (nodes_ > most_skeleton_nodes) {
            line.text.refuse("found more than 2^24 nodes, expected fewer");
        }
    }

    void add_windows(SkeletonBuilder& builder, Line& line, const SkeletonActivation& dual)
    {
        const Line& of = lines_[line.parts[0].first];
        const auto [height, width] = pair(line, "patch", of.series ? of.grid.height : 0, true);
        const auto [down, right] = pair(line, "stride", of.series ? 1 : 0, false);
        line.text.refuse_other_keys();
        if (height > of.grid.height || width > of.grid.width) {
            line.text.refuse("patch: found " + std::to_string(height) + "x" + std::to_string(width) +
                             ", expected at most the " + std::to_string(of.grid.height) + "x" +
                             std::to_string(of.grid.width) + " of '" + of.name() + "'");
        }
        line.series = of.series;
        line.grid = {(of.grid.height - height) / down + 1, (of.grid.width - width) / right + 1, 1};
        line.first = nodes_;
        line.group = builder.windows(of.group, {height, width, down, right}, dual);
    }

    void add_node(SkeletonBuilder& builder, Line& line, const SkeletonActivation& dual)
    {
        line.text.refuse_other_keys();
        std::vector<SkeletonGroup::Range> ranges;
        for (const auto& [part, which] : line.parts) {
            const Line& of = lines_[part];
            const std::uint32_t all = of.grid.height * of.grid.width * of.grid.channels;
            const auto [first, count] = nodes_in(line, of, which, all);
            ranges.push_back({of.first + first, count});
        }
        line.first = nodes_;
        line.group = builder.node(ranges, dual);
    }

    // "", "[3]" or "[3..7]": first, and how many.
    std::pair<std::uint32_t, std::uint32_t> nodes_in(const Line& line, const Line& of, const std::string& which,
                                                     std::uint32_t all) const
    {
        if (which.empty()) {
            return {0, all};
        }
        if (which.back() != ']') {
            line.text.refuse("of: found " + quoted_text(of.name() + which) + ", expected a bracket at its end");
        }
        const std::string inside = which.substr(1, which.size() - 2);
        const std::size_t dots = inside.find("..");
        const std::string what = "of: " + of.name();
        const std::uint32_t first = line.text.whole_of(what, inside.substr(0, dots), 0, all - 1);
        const std::uint32_t last =
            dots == std::string::npos ? first : line.text.whole_of(what, inside.substr(dots + 2), first, all - 1);
        return {first, last - first + 1};
    }

    const std::string& name_;
    std::vector<Line> lines_;
    std::map<std::string, std::size_t> by_name_;
    std::vector<std::size_t> order_;
    std::map<std::size_t, std::uint32_t> depth_;
    std::vector<std::uint32_t> steps_; // of the line at hand
    std::uint32_t nodes_ = 0, next_column_ = 0;
};

} // namespace

std::vector<std::byte> skeleton_from_text(std::string_view text, const std::string& name)
{
    return Parser(text, name).build();
}

} // namespace samara::desk
