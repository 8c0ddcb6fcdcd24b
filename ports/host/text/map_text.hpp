#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "ports/host/data/matrix.hpp"
#include "samara/map.hpp"
#include "samara/map/ntk.hpp"
#include "samara/map/ntk_gradient.hpp"
#include "samara/map/ntk_poly.hpp"
#include "samara/map/ntk_sketch.hpp"
#include "samara/map/polynomial.hpp"
#include "samara/sketch.hpp"

namespace samara::desk {

// Maps as text, NAME or NAME:key=value,key=value: the names and keys of `samara maps`. What the user got wrong is
// BadInput that names the map, the key, what was found and what was expected.

// In the order of `samara maps`.
using MapSpec = std::variant<RffSpec, ArcCosSpec, PolynomialSpec, DotSpec, NngpSpec, NtkSpec, NtkSketchSpec,
                             NtkPolySpec, NtkGradientSpec>;

// What a text says by itself. How many inputs there are, and bandwidth=auto, only the data can tell.
struct MapRequest {
    MapSpec spec;
    bool median_bandwidth = false;
};

MapRequest parse_map(std::string_view text);

// The resolved spec for these data; `path` stands for them in messages.
MapSpec fit_map(const MapRequest& request, const MatrixF& data, const std::string& path);

// Every key with its value: a text that gives the same spec for data of the same width.
std::string map_text(const MapSpec& spec);

void set_seed(MapSpec& spec, std::uint64_t seed);
void set_features(MapSpec& spec, std::uint32_t features);
// For the exact kernel, which is the same whatever they are: sizes that pass every check that asks for more features.
void set_sizes_for_kernel(MapSpec& spec);
std::uint64_t seed_of(const MapSpec& spec);
std::uint32_t features_of(const MapSpec& spec);
// The largest number of features that a map of this kind may have.
std::uint32_t most_features_of(const MapSpec& spec);
// Whether its features come from rows, of which some can be kept.
bool has_rows(const MapSpec& spec);
// Whether powers of its numbers may leave the range of floats, though the inputs are within 2^40.
bool has_powers(const MapSpec& spec);
// What keeps them within it.
std::string range_advice(const MapSpec& spec);
std::string name_of(const MapSpec& spec);
// "1;0.5;0.25"
std::string coefficients_text(const Coefficients& coefficients);

// What bandwidth=auto stands for: the median distance between rows, of all of them up to 1,000, else of 1,000 that
// depend on their number alone. The distance is the sum of absolute differences for the laplacian kernel, which is
// then 1/e at the median, and Euclidean for the others: there the gaussian kernel is exp(-1/2), and the cauchy kernel
// between 1/2 (all of the difference in one coordinate) and 1/e (spread over many). 0 for fewer than two rows.
double median_distance(const MatrixF& data, Kernel kernel);

struct KeyHelp {
    std::string name, values, fallback, meaning;
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

// " (did you mean '...'?)", or nothing when no candidate is near.
std::string did_you_mean(std::string_view word, const std::vector<std::string>& candidates);

} // namespace samara::desk
