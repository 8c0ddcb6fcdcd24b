#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "ports/host/data/augment.hpp"
#include "ports/host/data/matrix.hpp"
#include "ports/host/skeleton/skeleton_words.hpp"
#include "ports/host/text/words.hpp"
#include "samara/map.hpp"
#include "samara/sketch.hpp"

namespace samara::desk {

// Maps as text, NAME or NAME:key=value,key=value: the names and keys of `samara maps`. What the user got wrong is
// BadInput that names the map, the key, what was found and what was expected.

// In the order of `samara maps`.
using AnySpec = AllMaps::In<std::variant>;

// A map as the desk has it: its spec, and of a map of skeletons what it computes with.
struct MapSpec : AnySpec {
    using AnySpec::AnySpec;
    MapSpec() = default;

    std::shared_ptr<const SkeletonPart> skeleton = nullptr;
};

// What a text says by itself. How many inputs there are, bandwidth=auto and the shape of rows, only the data can tell.
struct MapRequest {
    MapSpec spec;
    bool median_bandwidth = false;
    bool own_bandwidth = false; // the text says what it is, or auto
    bool centred = false;       // the data's mean is subtracted, so that orders=auto of rff may be 1
    SkeletonWords skeleton = {};
};

MapRequest parse_map(std::string_view text);

// What a map is wanted for. Its exact kernel does not depend on sizes: then none of them is refused, and the spec is
// not resolved.
enum class MapUse { features, kernel };

// The resolved spec for these data; `path` stands for them in messages.
MapSpec fit_map(const MapRequest& request, const MatrixF& data, const std::string& path, MapUse use = MapUse::features);

// The channels of a row: of images those of a pixel lie together, of series each lies by itself.
struct Channels {
    std::size_t count = 1;
    bool in_runs = false;
};
// Those of a row of so many columns, by the map's keys where it is one of images or series, else by what a row was:
// height x width x channels. `path` stands for the data in messages.
Channels image_channels(const MapRequest& request, std::size_t columns, const std::vector<std::uint64_t>& row_shape,
                        const std::string& path);

// How a row's values lie, where the map is one of images or series, or its skeleton says so; else nothing.
std::optional<RowGrid> grid_of_map(const MapRequest& request, std::size_t columns,
                                   const std::vector<std::uint64_t>& row_shape, const std::string& path);

// BadInput where a row was no image of the fitted map's sizes. Rows without a shape, and maps of other data, pass.
void require_image(const MapSpec& spec, const std::vector<std::uint64_t>& row_shape, const std::string& path);
// The same of the sizes that the rows of `first` tell.
void require_same_images(const MapRequest& request, const std::vector<std::uint64_t>& first_shape,
                         const std::string& first, const std::vector<std::uint64_t>& row_shape,
                         const std::string& path);

// Every key with its value: a text that gives the same spec for data of the same width.
std::string map_text(const MapSpec& spec);

void set_seed(MapSpec& spec, std::uint64_t seed);
void set_features(MapSpec& spec, std::uint32_t features);
std::uint64_t seed_of(const MapSpec& spec);
std::uint32_t features_of(const MapSpec& spec);
// The largest number of features that a map of this kind may have.
std::uint32_t most_features_of(const MapSpec& spec);
// Whether its features come from rows, of which some can be kept.
bool has_rows(const MapSpec& spec);
// Whether inputs are numbers of any unit, and not pixels, turns or categories.
bool takes_any_scale(const MapSpec& spec);
std::string name_of(const MapSpec& spec);
// "1;0.5;0.25"
std::string coefficients_text(const Coefficients& coefficients);

// What bandwidth=auto stands for: the median distance between rows, of all of them up to 1,000, else of 1,000 that
// depend on their number alone. The distance is the sum of absolute differences for the laplacian kernel, which is
// then 1/e at the median, and Euclidean for the others: there the gaussian kernel is exp(-1/2), and the cauchy kernel
// between 1/2 (all of the difference in one coordinate) and 1/e (spread over many). 0 for fewer than two rows.
double median_distance(const MatrixF& data, Kernel kernel);

struct KeyHelp {
    std::string name, values, fallback, meaning; // fallback: the present value
    // Where the field lies in a model's spec, and how long it is; 0 bytes: nowhere.
    std::uint32_t offset = 0, bytes = 0, count_offset = 0;
    // Not a key: the data, or the other fields, say what it is.
    bool from_data = false;
    bool is_size = false;    // the kernel does not depend on it
    std::string stored = {}; // values in the spec's bytes, where they are not those of the key
    // Of a choice: its words and their numbers.
    std::vector<std::pair<std::string, std::uint32_t>> numbers = {};
};
struct MapHelp {
    std::string name;
    std::vector<std::string> estimates;
    std::vector<KeyHelp> keys;
};
std::vector<MapHelp> map_catalogue();

// Sketches by themselves, for `samara features`: sketch-NAME, with keys as maps have them.
using SketchSpec = std::variant<CountSketchSpec, OsnapSpec, SrhtSpec, TensorSrhtSpec, TensorSketchSpec, PolySketchSpec>;
// Nothing where the name is not a sketch's.
std::optional<SketchSpec> parse_sketch(std::string_view text);
// For data of so many columns.
SketchSpec fit_sketch(SketchSpec spec, std::size_t columns, const std::string& path);
std::vector<MapHelp> sketch_catalogue();

// The fields that are no keys because the desk makes them from others, with their values: none, of most maps.
std::vector<KeyHelp> made_fields(const MapSpec& spec);

// A Markdown table of every field of a map, as SPEC.md, sections 10 to 19, has it.
std::string spec_table(const std::string& map);

} // namespace samara::desk
