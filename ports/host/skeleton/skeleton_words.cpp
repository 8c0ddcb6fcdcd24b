#include "ports/host/skeleton/skeleton_words.hpp"

#include <algorithm>
#include <charconv>
#include <numeric>
#include <optional>
#include <string_view>

#include "ports/host/data/files.hpp"
#include "ports/host/skeleton/skeleton_text.hpp"
#include "ports/host/text/error.hpp"
#include "ports/host/text/words.hpp"
#include "samara/project.hpp"

namespace samara::desk {
namespace {

constexpr std::uint64_t most_grid = 65535; // rows or columns of a grid

[[noreturn]] void refuse(const std::string& key, const std::string& found, const std::string& expected)
{
    throw BadInput("skeleton: " + key + ": found " + quoted_text(found) + ", expected " + expected);
}

std::optional<std::uint64_t> whole_number(const std::string& text)
{
    std::uint64_t number = 0;
    const auto [stop, status] = std::from_chars(text.data(), text.data() + text.size(), number);
    return status == std::errc() && stop == text.data() + text.size() ? std::optional(number) : std::nullopt;
}

// At the semicolons, but for those in parentheses.
std::vector<std::string> split(const std::string& text)
{
    std::vector<std::string> parts(1);
    int depth = 0;
    for (const char c : text) {
        depth += c == '(' ? 1 : c == ')' ? -1 : 0;
        if (c == ';' && depth == 0) {
            parts.emplace_back();
        } else {
            parts.back() += c;
        }
    }
    return parts;
}

std::string text_of(const RowGrid& grid)
{
    return grid.in_runs ? "channels=" + std::to_string(grid.channels) + " length=" + std::to_string(grid.width)
                        : "height=" + std::to_string(grid.height) + " width=" + std::to_string(grid.width);
}

} // namespace

const std::vector<SkeletonKey>& skeleton_keys()
{
    static const std::vector<SkeletonKey> keys = {
        {"file", "FILE", "", "the skeleton as text (samara kernel --help has an example), instead of the keys to dual"},
        {"base", "circle, binary, gaussian, categorical, sphere, sphere-uniform", "circle",
         "the kernel of each input; sphere: of a pixel's channels, or of all inputs"},
        {"period", "a positive number", "", "of circle: a number comes back after so much; 2 pi without it"},
        {"bandwidth", "a positive number", "", "of gaussian: 1 without it"},
        {"values", "2 to 1048576", "", "of categorical: how many there are"},
        {"height", "1 to 65535", "", "of an image, whose rows follow each other, a pixel's channels together"},
        {"width", "1 to 65535", "", "of an image"},
        {"length", "1 to 65535", "", "of a series, whose channels follow each other"},
        {"channels", "1 to 1048576", "", "of an image or a series; 1 without it"},
        {"patch", "5x3;4", "",
         "a convolution each: rows x columns of a patch, or one number: of an image both, of a series places of all "
         "channels. Rows of two dimensions (.npy) are images where a patch has an x, else series"},
        {"stride", "2x2;1", "", "of each convolution, or one for all; 1 without it"},
        {"dual", "identity, relu, step, exp(a), series(c0;c1;...)", "relu",
         "of each convolution and of the nodes behind them, joined by ';', or one for all"},
        {"merge", "no, yes", "no", "yes: features that are equal are one, as often as they were drawn"},
        {"draws", "0 to 16777216", "0", "of merge: how many features are drawn; 0: until as many as wanted differ"},
    };
    return keys;
}

SkeletonWords::SkeletonWords(const std::vector<std::pair<std::string, std::string>>& given)
{
    for (const SkeletonKey& key : skeleton_keys()) {
        for (const auto& [name, value] : given) {
            if (name == key.name) {
                words_[name] = value;
            }
        }
    }
    const std::string merge = get("merge", "no");
    if (merge != "no" && merge != "yes") {
        refuse("merge", merge, "yes or no");
    }
    merge_ = merge == "yes";
    const auto draws = whole_number(get("draws", "0"));
    if (!draws || *draws > most_features) {
        refuse("draws", words_.at("draws"), "a whole number from 0 to " + std::to_string(most_features));
    }
    draws_ = static_cast<std::uint32_t>(*draws);
    if (draws_ != 0 && !merge_) {
        refuse("draws", words_.at("draws"), "it beside merge=yes");
    }
    for (const auto& [name, value] : words_) {
        if (has("file") && name != "file" && name != "merge" && name != "draws") {
            refuse(name, value, "no more keys beside file= than features, form, merge, draws and seed");
        }
    }
    if (has("file") && file().empty()) {
        refuse("file", "", "the name of a file");
    }
    for (const auto& [name, value] : words_) {
        // They become words of a line.
        if (name != "file" && value.find_first_of(" \t\r\n#") != std::string::npos) {
            refuse(name, value, "a value without blanks and #");
        }
    }
    static const std::vector<std::string> bases = {"circle",      "binary", "gaussian",
                                                   "categorical", "sphere", "sphere-uniform"};
    const std::string base = get("base", "circle");
    if (std::find(bases.begin(), bases.end(), base) == bases.end()) {
        throw BadInput("skeleton: base: found " + quoted_text(base) + did_you_mean(base, bases) + ", expected " +
                       one_of(bases));
    }
    if (has("height") != has("width")) {
        throw BadInput("skeleton: found " + std::string(has("height") ? "height" : "width") +
                       " alone, expected height and width");
    }
    if (has("length") && has("height")) {
        throw BadInput("skeleton: found height and length, expected those of an image or that of a series");
    }
    for (const auto& [key, of] :
         {std::pair{"period", "circle"}, {"bandwidth", "gaussian"}, {"values", "categorical"}}) {
        if (has(key) && base != of) {
            refuse(key, words_.at(key), "it beside base=" + std::string(of));
        }
    }
    if (has("stride") && !has("patch")) {
        refuse("stride", words_.at("stride"), "it beside patch=");
    }
}

std::string SkeletonWords::get(const std::string& key, const std::string& otherwise) const
{
    const auto found = words_.find(key);
    return found == words_.end() ? otherwise : found->second;
}

std::string SkeletonWords::text() const
{
    std::string all;
    for (const SkeletonKey& key : skeleton_keys()) {
        if (has(key.name)) {
            all.append(all.empty() ? "" : ",").append(key.name).append("=").append(words_.at(key.name));
        }
    }
    return all;
}

std::optional<RowGrid> SkeletonWords::grid(std::size_t columns, const std::vector<std::uint64_t>& row_shape,
                                           const std::string& path) const
{
    const auto size = [&](const char* key, std::uint64_t otherwise) {
        const auto number = has(key) ? whole_number(get(key, "")) : std::optional(otherwise);
        const std::uint64_t most = key == std::string("channels") ? most_inputs : most_grid;
        if (!number || *number < 1 || *number > most) {
            refuse(key, get(key, ""), "a whole number from 1 to " + std::to_string(most));
        }
        return static_cast<std::size_t>(*number);
    };
    RowGrid grid;
    if (has("height")) {
        grid = {size("height", 1), size("width", 1), size("channels", 1), false};
    } else if (has("length")) {
        grid = {1, size("length", 1), size("channels", 1), true};
    } else if (row_shape.size() == 3) {
        grid = {row_shape[0], row_shape[1], row_shape[2], false};
    } else if (row_shape.size() == 2) {
        // A patch of two sizes is one of an image.
        const bool image = get("patch", "").find('x') != std::string::npos;
        grid = image ? RowGrid{row_shape[0], row_shape[1], 1, false} : RowGrid{1, row_shape[1], row_shape[0], true};
    } else if (has("patch")) {
        throw BadInput("skeleton: found patch= and no shape of a row, expected height= and width=, or length=, or data "
                       "of several dimensions (.npy)");
    } else {
        if (has("channels")) {
            refuse("channels", get("channels", ""), "it beside height= and width=, or length=");
        }
        return std::nullopt;
    }
    if (grid.channels != size("channels", grid.channels)) {
        refuse("channels", get("channels", ""),
               "the " + std::to_string(grid.channels) + " of " + path + ", or the other sizes of a row beside it");
    }
    if (grid.values() != columns) {
        throw BadInput(path + ": found " + std::to_string(columns) + " columns, expected " +
                       std::to_string(grid.values()) + ": " + text_of(grid) +
                       (grid.in_runs ? "" : " channels=" + std::to_string(grid.channels)));
    }
    return grid;
}

std::string SkeletonWords::built(std::size_t columns, const std::vector<std::uint64_t>& row_shape,
                                 const std::string& path) const
{
    const std::vector<std::string> patches = has("patch") ? split(get("patch", "")) : std::vector<std::string>();
    const std::optional<RowGrid> grid = this->grid(columns, row_shape, path);
    const bool image = grid && !grid->in_runs, series = grid && grid->in_runs;

    const std::string base = get("base", "circle");
    const bool sphere = base == "sphere" || base == "sphere-uniform";
    if (sphere && series) {
        refuse("base", base, "another one for a series, where the channels of a place are not side by side");
    }
    std::string line = base + " x ";
    if (!grid) {
        line += sphere ? "columns=" + std::to_string(columns) : "count=" + std::to_string(columns);
    } else if (image && (sphere || base == "gaussian")) {
        line += text_of(*grid) + " columns=" + std::to_string(grid->channels);
    } else {
        line += text_of(*grid) + (image ? " channels=" + std::to_string(grid->channels) : "");
    }
    for (const char* key : {"period", "bandwidth", "values"}) {
        if (has(key)) {
            line.append(" ").append(key).append("=").append(get(key, ""));
        }
    }
    std::string text = line + "\n";

    const std::vector<std::string> strides = split(get("stride", "1")), duals = split(get("dual", "relu"));
    if (strides.size() != 1 && strides.size() != patches.size()) {
        refuse("stride", get("stride", ""), "one, or one for each patch");
    }
    if (duals.size() != 1 && duals.size() < patches.size() + 1) {
        refuse("dual", get("dual", ""),
               "one for all, or one for each patch and at least one more for the node behind them");
    }
    std::string last = "x";
    const std::size_t layers = std::max(duals.size(), patches.size() + 1);
    for (std::size_t i = 0; i < layers; ++i) {
        const std::string name = "layer" + std::to_string(i + 1);
        text.append(i < patches.size() ? "windows " : "node ").append(name).append(" of=").append(last);
        if (i < patches.size()) {
            text.append(" patch=").append(patches[i]);
            text.append(" stride=").append(strides[strides.size() == 1 ? 0 : i]);
        }
        text.append(" dual=").append(duals[duals.size() == 1 ? 0 : i]).append("\n");
        last = name;
    }
    return text;
}

SkeletonPart SkeletonWords::part(std::size_t columns, const std::vector<std::uint64_t>& row_shape,
                                 const std::string& path) const
{
    SkeletonPart part;
    part.keys = text();
    part.bytes = has("file") ? skeleton_from_text(read_file(file()), file())
                             : skeleton_from_text(built(columns, row_shape, path), "the skeleton of these words");
    const std::uint32_t inputs = skeleton_of(part).inputs();
    if (inputs != columns) {
        throw BadInput(path + ": found " + std::to_string(columns) + " columns, expected the " +
                       std::to_string(inputs) + " of " + (has("file") ? file() : "the skeleton"));
    }
    return part;
}

} // namespace samara::desk
