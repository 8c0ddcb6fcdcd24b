#include "ports/host/commands/augment_options.hpp"

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ports/host/data/number.hpp"
#include "ports/host/text/error.hpp"
#include "ports/host/text/words.hpp"

namespace samara::desk {
namespace {

constexpr std::uint32_t default_copies = 8;
constexpr double most_noise = 10.0, most_scale = 0.95;

[[noreturn]] void refuse(const std::string& key, const std::string& found, const std::string& expected)
{
    throw BadInput("--augment: " + key + ": found " + quoted_text(found) + ", expected " + expected);
}

std::uint32_t whole(const std::string& key, const std::string& text, std::uint32_t least, std::uint32_t most)
{
    const std::optional<double> value = number_of(text);
    if (!value || !(*value >= least && *value <= most) ||
        *value != static_cast<double>(static_cast<std::uint32_t>(*value))) {
        refuse(key, text, "a whole number from " + std::to_string(least) + " to " + std::to_string(most));
    }
    return static_cast<std::uint32_t>(*value);
}

double share(const std::string& key, const std::string& text, double most)
{
    const std::optional<double> value = number_of(text);
    if (!value || !(*value >= 0.0 && *value <= most)) {
        refuse(key, text, "a number from 0 to " + number_text(most));
    }
    return *value;
}

void take(const std::string& key, const std::string& value, AugmentOptions& options)
{
    AugmentSettings& settings = options.settings;
    constexpr std::uint32_t most_side = 65535;
    const std::pair<const char*, std::uint32_t*> sizes[] = {{"height", &options.height},
                                                            {"width", &options.width},
                                                            {"channels", &options.channels},
                                                            {"length", &options.length}};
    for (const auto& [name, size] : sizes) {
        if (key == name) {
            *size = whole(key, value, 1, most_side);
            return;
        }
    }
    if (key == "copies") {
        settings.copies = whole(key, value, 1, AugmentSettings::most_copies);
    } else if (key == "shift") {
        settings.shift = whole(key, value, 0, most_side);
    } else if (key == "noise") {
        settings.noise = share(key, value, most_noise);
    } else if (key == "scale") {
        settings.scale = share(key, value, most_scale);
    } else {
        const std::vector<std::string> keys = {"shift",  "noise", "scale",    "copies",
                                               "height", "width", "channels", "length"};
        throw BadInput("--augment: found " + quoted_text(key) + did_you_mean(key, keys) + ", expected " + one_of(keys));
    }
}

std::string text_of(const RowGrid& grid)
{
    const std::string channels = std::to_string(grid.channels) + (grid.channels == 1 ? " channel" : " channels");
    return grid.in_runs ? channels + " of " + std::to_string(grid.width)
                        : std::to_string(grid.height) + " x " + std::to_string(grid.width) + " x " + channels;
}

// What the option's own sizes come to, one of which the number of columns may tell.
RowGrid named_grid(const AugmentOptions& options, const TableSource& x)
{
    const bool image = options.height != 0 || options.width != 0;
    if (image && options.length != 0) {
        refuse("length", std::to_string(options.length),
               "it beside channels alone: height and width are those of images");
    }
    RowGrid grid{image ? options.height : 1, image ? options.width : options.length, options.channels, !image};
    if (image && grid.channels == 0) {
        grid.channels = 1;
    }
    std::size_t* const sizes[] = {&grid.height, &grid.width, &grid.channels};
    std::size_t told = 1;
    for (const std::size_t* const size : sizes) {
        told *= std::max<std::size_t>(*size, 1);
    }
    for (std::size_t* const size : sizes) {
        if (*size == 0) {
            *size = x.cols() / told;
            told *= std::max<std::size_t>(*size, 1);
        }
    }
    if (grid.values() != x.cols()) {
        throw BadInput("--augment: found sizes of " + std::to_string(told) + " values, expected the " +
                       std::to_string(x.cols()) + " columns of " + x.name());
    }
    return grid;
}

} // namespace

Option augment_option()
{
    return {.name = "--augment",
            .value = "KEY=N,...",
            .meaning = "rows that are learned from have copies beside them (copies=8), for images and series: moved by "
                       "up to shift= places, times 1-scale to 1+scale, and with normal noise= of so many deviations of "
                       "the row's channel. Rows that judge have none. The map says what a row is, or the NPY's shape, "
                       "or here height=, width=, channels=, length="};
}

std::optional<AugmentOptions> read_augment_options(const Arguments& arguments, const RidgeRequest& ridge)
{
    if (!arguments.has("--augment")) {
        return std::nullopt;
    }
    AugmentOptions options;
    options.settings.copies = default_copies;
    const std::string text = arguments.required_text("--augment");
    for (std::size_t begin = 0; begin <= text.size();) {
        const std::size_t comma = std::min(text.find(',', begin), text.size());
        const std::string word = text.substr(begin, comma - begin);
        const std::size_t equals = word.find('=');
        if (equals == std::string::npos) {
            throw BadInput("--augment: found " + quoted_text(word) + ", expected KEY=N, as in shift=2,noise=0.05");
        }
        take(word.substr(0, equals), word.substr(equals + 1), options);
        begin = comma + 1;
    }
    const AugmentSettings& settings = options.settings;
    if (settings.shift == 0 && !(settings.noise > 0.0) && !(settings.scale > 0.0)) {
        throw BadInput("--augment: found " + quoted_text(text) +
                       ", whose copies are the rows themselves, expected shift=, noise= or scale= above 0");
    }
    if (arguments.has("--exact")) {
        throw BadInput("--augment: found it with --exact, expected one of them");
    }
    if (ridge.method == RidgeMethod::loo) {
        throw BadInput("--ridge: found loo with --augment, expected cv, holdout, a number or auto: no row can be left "
                       "out without its copies");
    }
    return options;
}

RowGrid grid_of(const AugmentOptions& options, const MapRequest* map, const TableSource& x)
{
    const std::vector<std::uint64_t>& shape = x.row_shape();
    const std::optional<RowGrid> of_map = map == nullptr ? std::nullopt : grid_of_map(*map, x.cols(), shape, x.name());
    RowGrid grid;
    if (of_map) {
        grid = *of_map;
        if (options.names_sizes()) {
            const RowGrid named = named_grid(options, x);
            if (named.height != grid.height || named.width != grid.width || named.channels != grid.channels) {
                throw BadInput("--augment: found sizes of " + text_of(named) + ", expected the " + text_of(grid) +
                               " of the map " + name_of(map->spec));
            }
        }
    } else if (options.names_sizes()) {
        grid = named_grid(options, x);
    } else if (shape.size() == 3) {
        grid = {shape[0], shape[1], shape[2], false};
    } else if (shape.size() == 2) {
        throw BadInput("--augment: found rows of " + std::to_string(shape[0]) + " x " + std::to_string(shape[1]) +
                       " in " + x.name() + ", expected height=" + std::to_string(shape[0]) +
                       " with it for images, or channels=" + std::to_string(shape[0]) + " for series");
    } else {
        throw BadInput(
            "--augment: found rows of " + x.name() +
            " without a shape, expected a map of images or series, height= or width= or channels= or length= "
            "with it, or an NPY of several dimensions");
    }
    if (options.settings.shift > grid.most_shift()) {
        refuse("shift", std::to_string(options.settings.shift),
               "at most " + std::to_string(grid.most_shift()) + ", half of the shortest side of rows of " +
                   text_of(grid));
    }
    return grid;
}

} // namespace samara::desk
