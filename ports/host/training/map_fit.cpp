// The part of a map that its data decide.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <limits>
#include <memory>
#include <span>
#include <type_traits>
#include <variant>

#include "ports/host/text/error.hpp"
#include "ports/host/text/map_describer.hpp"
#include "ports/host/text/map_text.hpp"
#include "ports/host/training/local_fit.hpp"
#include "ports/host/training/map_twin.hpp"
#include "samara/stream.hpp"

namespace samara::desk {
namespace {

constexpr std::size_t most_sampled_rows = 1000;

// All rows, or one out of each of 1,000 equal stretches: sorted data are covered evenly, and its place within the
// stretch is random, so that data with a period are not met in step.
std::vector<std::size_t> sampled_rows(std::size_t rows)
{
    std::vector<std::size_t> chosen(std::min(rows, most_sampled_rows));
    for (std::size_t index = 0; index < chosen.size(); ++index) {
        const std::size_t first = index * rows / chosen.size();
        const std::size_t end = (index + 1) * rows / chosen.size();
        chosen[index] = first + static_cast<std::size_t>(mix64(index + 1) % (end - first));
    }
    return chosen;
}

double distance(const float* x, const float* y, std::size_t count, bool absolute)
{
    double sum = 0.0;
    for (std::size_t i = 0; i < count; ++i) {
        const double difference = static_cast<double>(x[i]) - static_cast<double>(y[i]);
        sum += absolute ? std::fabs(difference) : difference * difference;
    }
    return absolute ? sum : std::sqrt(sum);
}

// A field of a spec with its present value and what it may be.
template <class Spec>
KeyHelp field_of(const Spec& spec, const std::string& name)
{
    for (KeyHelp& field : all_fields(spec)) {
        if (field.name == name) {
            return std::move(field);
        }
    }
    return {name, "another value", "", ""};
}

template <class Spec>
std::string found_text(const Spec& spec, const std::string& field, const std::string& path)
{
    const std::string value = field_of(spec, field).fallback;
    return field == "inputs" ? value + " (the columns of " + path + ")" : value.empty() ? "none" : "'" + value + "'";
}

// What would mend a field, or that nothing can.
template <class Spec>
std::string remedy_text(const Spec& spec, const SpecReport& report)
{
    if (report.nearest == 0) {
        return "";
    }
    const std::uint32_t most = most_features_of(MapSpec(spec));
    if (report.field == std::string("features") && report.nearest > most) {
        const bool counted = report.nearest < std::uint64_t{1} << 63;
        return "; that is " + (counted ? std::to_string(report.nearest) : "more than 2^40") + ", and at most " +
               std::to_string(most) + " can be had";
    }
    return "; the nearest is " + std::to_string(report.nearest);
}

template <class Spec>
void require_good(const Spec& spec, const SpecReport& report, const std::string& path)
{
    if (!report) {
        // Where the core leaves it to the field's own range or choices, they are said here.
        const std::string expected = report.expected[0] != '\0' ? report.expected : field_of(spec, report.field).values;
        throw BadInput(std::string(Map<Spec>::name) + ": " + report.field + ": found " +
                       found_text(spec, report.field, path) + ", expected " + expected + remedy_text(spec, report));
    }
}

void set_median_bandwidth(RffSpec& spec, const MatrixF& data, const std::string& path)
{
    const double median = median_distance(data, spec.kernel);
    if (!scale_range.holds(static_cast<float>(median))) {
        throw BadInput("rff: bandwidth: found the median distance " + number_text(median) + " between the rows of " +
                       path + ", expected one from 2^-30 to 2^30 or the bandwidth as a number");
    }
    spec.bandwidth = static_cast<float>(median);
}
template <class Spec>
void set_median_bandwidth(Spec&, const MatrixF&, const std::string&)
{}

// Of data around 0, where exact low orders pay.
void carry_orders(RffSpec& spec)
{
    if (spec.orders == Orders::automatic && spec.kernel == Kernel::gaussian && spec.form == Form::pair &&
        engine::exact_orders_pay(spec.features, spec.inputs, 2)) {
        spec.orders = Orders::one;
    }
}
template <class Spec>
void carry_orders(Spec&)
{}

std::string shape_text(std::span<const std::uint64_t> shape)
{
    std::string text;
    for (const std::uint64_t size : shape) {
        text.append(text.empty() ? "" : " x ").append(std::to_string(size));
    }
    return text;
}

// Height, width and channels of images whose rows have this shape. With height=1 rows of two dimensions are series:
// length and channels.
std::array<std::uint64_t, 3> sizes_told(std::uint32_t height, const std::vector<std::uint64_t>& shape,
                                        const std::string& path)
{
    if (shape.size() > 3) {
        throw BadInput(path + ": found rows of " + shape_text(shape) +
                       ", expected height x width, or height x width x channels");
    }
    const bool series = shape.size() == 2 && height == 1 && shape[0] != 1;
    return {series ? 1 : shape[0], series ? shape[0] : shape[1], shape.size() == 3 ? shape[2] : series ? shape[1] : 1};
}

// The sizes of an image that the data tell.
template <ImageSpec Spec>
void set_image(Spec& spec, const std::vector<std::uint64_t>& shape, const std::string& path)
{
    if (shape.empty()) {
        if (spec.height == 0 && spec.width == 0) {
            throw BadInput(std::string(Map<Spec>::name) + ": found neither height nor width, and rows of " + path +
                           " without a shape, expected height= or width= or both, or an NPY of four dimensions (rows, "
                           "height, width, channels) or of three");
        }
        return;
    }
    const auto told = sizes_told(spec.height, shape, path);
    std::uint32_t* const sizes[] = {&spec.height, &spec.width, &spec.channels};
    const char* const names[] = {"height", "width", "channels"};
    for (std::size_t i = 0; i < std::size(sizes); ++i) {
        if (*sizes[i] != 0 && *sizes[i] != told[i]) {
            const std::string found = std::to_string(*sizes[i]), expected = std::to_string(told[i]);
            std::string message = Map<Spec>::name;
            message.append(": ").append(names[i]).append(": found '").append(found).append("', expected the ");
            message.append(expected).append(" of ").append(path).append(", whose rows are ").append(shape_text(shape));
            throw BadInput(message);
        }
        *sizes[i] = static_cast<std::uint32_t>(told[i]); // at most the columns, which are checked
    }
}
// The same of a map of images or series.
template <class Spec>
concept LocalShaped = std::is_same_v<Spec, LocalSpec> || std::is_same_v<Spec, LocalArcCosSpec>;

template <LocalShaped Spec>
void set_image(Spec& spec, const std::vector<std::uint64_t>& shape, const std::string& path)
{
    const bool image = spec.height != 0 || spec.width != 0, series = spec.channels != 0 || spec.length != 0;
    if (shape.empty() || (shape.size() == 1 && (image || series))) { // the spec alone can tell
        return;
    }
    if (shape.size() == 2 && !image && !series) {
        throw BadInput(std::string(Map<Spec>::name) + ": found neither height nor channels, and rows of " + path +
                       " that are " + shape_text(shape) +
                       ", expected height= for images of height x width, or channels= for series of channels x length");
    }
    if (shape.size() < 2 || shape.size() > 3) {
        throw BadInput(path + ": found rows of " + shape_text(shape) +
                       ", expected height x width, height x width x channels, or channels x length");
    }
    const bool of_series = shape.size() == 2 && !image;
    const std::uint64_t told[] = {of_series ? 0 : shape[0], of_series ? 0 : shape[1],
                                  of_series           ? shape[0]
                                  : shape.size() == 3 ? shape[2]
                                                      : 1,
                                  of_series ? shape[1] : 0};
    std::uint32_t* const sizes[] = {&spec.height, &spec.width, &spec.channels, &spec.length};
    const char* const names[] = {"height", "width", "channels", "length"};
    for (std::size_t i = 0; i < std::size(sizes); ++i) {
        if (*sizes[i] != 0 && *sizes[i] != told[i]) {
            throw BadInput(std::string(Map<Spec>::name) + ": " + names[i] + ": found '" + std::to_string(*sizes[i]) +
                           "', expected the " + std::to_string(told[i]) + " of " + path + ", whose rows are " +
                           shape_text(shape));
        }
        *sizes[i] = static_cast<std::uint32_t>(std::min<std::uint64_t>(told[i], most_inputs));
    }
}
template <class Spec>
void set_image(Spec&, const std::vector<std::uint64_t>&, const std::string&)
{}

// What a spec has of its data where it is left open.
void settle(LocalSpec& spec, const LocalSpec& request, const MatrixF& data)
{
    if (request.gain == 0) {
        spec.gain = gain_of(spec, data);
    }
}
template <class Spec>
void settle(Spec&, const Spec&, const MatrixF&)
{}

// What of the spec the skeleton says.
void set_form(SkeletonSpec& spec, const Skeleton& skeleton, const std::string& path)
{
    const bool real = skeleton_is_real(skeleton);
    spec.normals = skeleton_normals(skeleton);
    if (spec.form == SkeletonForm::automatic && real) {
        spec.form = SkeletonForm::real;
    }
    if (spec.form == SkeletonForm::real && !real) {
        throw BadInput("skeleton: form: found 'real' for " + path +
                       ", expected pair, phase or auto, because not all bases are binary or sphere-uniform");
    }
}

// As what a spec is checked before the skeleton is known: form=auto may yet be the form whose features come singly.
template <class Spec>
Spec before_data(const Spec& spec)
{
    return spec;
}
SkeletonSpec before_data(SkeletonSpec spec)
{
    spec.form = spec.form == SkeletonForm::automatic ? SkeletonForm::real : spec.form;
    return spec;
}

// Draws as many features as there may be with those that differ, or so many.
void merge(SkeletonSpec& spec, std::uint32_t draws, SkeletonPart& part)
{
    // Where few can differ, no number of draws finds more.
    constexpr std::uint32_t most_each = 256, fewest_draws = 1u << 20;
    const std::uint32_t rows = row_count(spec);
    const bool turns = spec.form == SkeletonForm::phase;
    const std::uint64_t most = std::max<std::uint64_t>(std::uint64_t{most_each} * rows, fewest_draws);
    part.list = draws != 0
                    ? merge_features(skeleton_of(part), spec.seed, draws, turns)
                    : merge_until(skeleton_of(part), spec.seed, rows,
                                  static_cast<std::uint32_t>(std::min<std::uint64_t>(most, most_features)), turns);
    part.wanted = draws == 0 && part.list.indices.size() < rows ? rows : 0;
    spec.features = static_cast<std::uint32_t>(part.list.indices.size()) * features_per_row(spec);
}

} // namespace

double median_distance(const MatrixF& data, Kernel kernel)
{
    const std::vector<std::size_t> rows = sampled_rows(data.rows);
    std::vector<double> distances;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        for (std::size_t j = 0; j < i; ++j) {
            distances.push_back(distance(data.row(rows[i]), data.row(rows[j]), data.cols, kernel == Kernel::laplacian));
        }
    }
    if (distances.empty()) {
        return 0.0;
    }
    const auto middle = distances.begin() + static_cast<std::ptrdiff_t>(distances.size() / 2);
    std::nth_element(distances.begin(), middle, distances.end());
    if (distances.size() % 2 != 0) {
        return *middle;
    }
    return 0.5 * (*std::max_element(distances.begin(), middle) + *middle);
}

MapSpec fit_map(const MapRequest& request, const MatrixF& data, const std::string& path, MapUse use)
{
    return std::visit(
        [&](auto spec) -> MapSpec {
            using Spec = decltype(spec);
            const auto require = [&](const Spec& checked) {
                const SpecReport report = check(checked);
                if (use == MapUse::features || !field_of(checked, report.field).is_size) {
                    require_good(checked, report, path);
                }
            };
            spec.inputs =
                static_cast<std::uint32_t>(std::min<std::size_t>(data.cols, std::numeric_limits<std::uint32_t>::max()));
            set_image(spec, data.row_shape, path);
            // Before the distances, which take their time.
            require(before_data(spec));
            if (request.median_bandwidth) {
                set_median_bandwidth(spec, data, path);
            }
            MapTwin<Spec>::complete(spec);
            std::shared_ptr<SkeletonPart> part;
            if constexpr (DataSpec<Spec>) {
                part = std::make_shared<SkeletonPart>(request.skeleton.part(data.cols, data.row_shape, path));
                set_form(spec, skeleton_of(*part), path);
            }
            require(spec);
            if (request.centred) {
                carry_orders(spec);
            }
            if (use == MapUse::features) {
                const Spec open = spec;
                spec = resolve(spec);
                settle(spec, open, data);
            }
            if constexpr (DataSpec<Spec>) {
                if (use == MapUse::features && request.skeleton.merge()) {
                    merge(spec, request.skeleton.draws(), *part);
                }
            }
            MapSpec fitted(spec);
            fitted.skeleton = part;
            return fitted;
        },
        request.spec);
}

void require_image(const MapSpec& spec, const std::vector<std::uint64_t>& row_shape, const std::string& path)
{
    std::visit(
        [&]<class Spec>(const Spec& s) {
            if constexpr (ImageSpec<Spec>) {
                const std::array<std::uint64_t, 3> sizes{s.height, s.width, s.channels};
                const bool known = sizes[0] != 0 && sizes[1] != 0 && sizes[2] != 0;
                if (known && !row_shape.empty() && sizes_told(s.height, row_shape, path) != sizes) {
                    throw BadInput(path + ": found rows of " + shape_text(row_shape) + ", expected " +
                                   shape_text(sizes) + ", the images of the map " + Map<Spec>::name);
                }
            } else if constexpr (LocalShaped<Spec>) {
                // Of a spec whose sizes are known set_image() compares them with the shape.
                if (row_shape.size() == 3 && engine::is_series(s)) {
                    throw BadInput(path + ": found rows of " + shape_text(row_shape) + ", expected " +
                                   std::to_string(s.channels) + " x " + std::to_string(s.length) +
                                   ", the series of the map " + Map<Spec>::name);
                }
                Spec told = s;
                set_image(told, row_shape, path);
            }
        },
        spec);
}

void require_same_images(const MapRequest& request, const std::vector<std::uint64_t>& first_shape,
                         const std::string& first, const std::vector<std::uint64_t>& row_shape, const std::string& path)
{
    MapSpec fitted(request.spec);
    std::visit([&](auto& spec) { set_image(spec, first_shape, first); }, fitted);
    require_image(fitted, row_shape, path);
}

std::optional<RowGrid> grid_of_map(const MapRequest& request, std::size_t columns,
                                   const std::vector<std::uint64_t>& row_shape, const std::string& path)
{
    return std::visit(
        [&]<class Spec>(Spec spec) -> std::optional<RowGrid> {
            if constexpr (ImageSpec<Spec> || LocalShaped<Spec>) {
                spec.inputs = static_cast<std::uint32_t>(std::min<std::size_t>(columns, most_inputs + 1));
                set_image(spec, row_shape, path);
                require_good(spec, check(spec), path);
                if constexpr (ImageSpec<Spec>) {
                    const CntkShape shape = cntk_shape(spec);
                    return RowGrid{shape.height, shape.width, shape.channels, false};
                } else {
                    const LocalShape shape = engine::local_filters_of(resolve(spec)).shape;
                    return RowGrid{shape.height, shape.width, shape.channels, shape.series};
                }
            } else if constexpr (DataSpec<Spec>) {
                return request.skeleton.grid(columns, row_shape, path);
            } else {
                return std::nullopt;
            }
        },
        request.spec);
}

Channels image_channels(const MapRequest& request, std::size_t columns, const std::vector<std::uint64_t>& row_shape,
                        const std::string& path)
{
    const bool own =
        std::visit([]<class Spec>(const Spec&) { return ImageSpec<Spec> || LocalShaped<Spec>; }, request.spec);
    if (own) {
        const RowGrid grid = *grid_of_map(request, columns, row_shape, path);
        return {grid.channels, grid.in_runs};
    }
    if (row_shape.size() == 3) {
        return {static_cast<std::size_t>(row_shape[2]), false};
    }
    throw BadInput("--scale: found channel for the map " + name_of(request.spec) + " and rows of " + path +
                   " without channels, expected a map of images, or an NPY of four dimensions: rows, height, width, "
                   "channels");
}

SketchSpec fit_sketch(SketchSpec sketch, std::size_t columns, const std::string& path)
{
    const auto inputs =
        static_cast<std::uint32_t>(std::min<std::size_t>(columns, std::numeric_limits<std::uint32_t>::max()));
    std::visit(
        [&](auto& spec) {
            if constexpr (requires { spec.inputs; }) {
                spec.inputs = inputs;
            } else if constexpr (requires { spec.left; }) {
                spec.left = spec.right = inputs;
            }
            const SpecReport report = check(spec);
            if (!report) {
                const std::string field = report.field;
                const bool size = field == "size" || field == "features";
                throw BadInput(std::string(SketchMap<std::remove_cvref_t<decltype(spec)>>::name) + ": " +
                               (size ? "features" : "inputs") + ": found " +
                               (size ? "'" + described(spec).front().fallback + "'"
                                     : std::to_string(inputs) + " (the columns of " + path + ")") +
                               ", expected " + report.expected + "; the nearest is " + std::to_string(report.nearest));
            }
        },
        sketch);
    return sketch;
}

} // namespace samara::desk
