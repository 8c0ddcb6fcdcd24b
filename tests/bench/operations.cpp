// What samara::operations() says of a sample against the time that it takes: one line a spec, and at the end the least
// and the greatest number of nanoseconds for an operation. Estimates are good where these two are a small factor apart.
//
// One number at a time, as boards compute; with `vectors` as this machine does it best, which is up to sixteen times
// faster for what is done in lanes alone.
//
//   bench-operations [MAP|all] [vectors]
#include <algorithm>
#include <bit>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include "samara/samara.hpp"
#include "samara/skeleton/build.hpp"

namespace {

using namespace samara;
using Clock = std::chrono::steady_clock;

double least = 1e9, greatest = 0.0;

// Every second of the rows, or every 50th, as a model keeps them.
std::vector<std::byte> every(std::uint32_t step, std::uint32_t rows)
{
    std::vector<std::byte> bytes;
    for (std::uint32_t row = step / 2; row < rows && row < ChosenRows::most; row += step)
        for (const unsigned shift : {0u, 8u})
            bytes.push_back(static_cast<std::byte>(row >> shift));
    return bytes;
}

template <class Spec>
void print_line(const std::string& name, const Spec& spec, const typename Map<Spec>::Data& data)
{
    const std::uint64_t count = operations(spec, data);
    if (count > 200'000'000u)
        return; // only slow
    std::vector<float> x(spec.inputs), z(feature_count(spec, data));
    fill_normals(stream_key(1, Domain::user, 0), x);
    std::vector<std::uint32_t> work(workspace_bytes(spec, data) / 4 + 1);
    const auto memory = std::as_writable_bytes(std::span(work));
    double best = 1e9, whole = 0.0;
    for (int i = 0; i < 2 || (whole < 0.003 && i < 1000); ++i) {
        const auto begun = Clock::now();
        if (features(spec, data, x, z, 1, memory) != Status::ok)
            return;
        const double taken = std::chrono::duration<double>(Clock::now() - begun).count();
        best = std::min(best, taken);
        whole += taken;
    }
    const double each = best * 1e9 / static_cast<double>(count);
    least = std::min(least, each);
    greatest = std::max(greatest, each);
    std::printf("%-78s %14llu %12.1f us %8.3f ns\n", name.c_str(), static_cast<unsigned long long>(count), best * 1e6,
                each);
    std::fflush(stdout);
}

// `words`: what the fields that vary are, for the line.
template <class Spec>
void measure(const std::string& words, Spec request)
{
    const Spec spec = resolve(request);
    if (!resolved(spec))
        return;
    const std::string name = std::string(Map<Spec>::name) + ' ' + std::to_string(spec.inputs) + " to " +
                             std::to_string(spec.features) + ' ' + words;
    print_line(name, spec, {});
    if constexpr (RowSpec<Spec>) {
        for (const std::uint32_t step : {2u, 50u}) {
            const std::vector<std::byte> rows = every(step, row_count(spec));
            if (!rows.empty())
                print_line(name + " every " + std::to_string(step), spec, ChosenRows(rows));
        }
    }
}

constexpr std::uint32_t all_inputs[] = {1, 20, 300, 4000}, all_features[] = {8, 300, 5000};
constexpr Rows all_rows[] = {Rows::hadamard, Rows::dense, Rows::fastfood, Rows::quasi, Rows::unit, Rows::gibbs};
constexpr Orders all_orders[] = {Orders::none, Orders::one, Orders::two};

template <class Spec, class Vary>
void measure_sizes(const std::string& words, Spec spec, Vary vary)
{
    for (const std::uint32_t inputs : all_inputs)
        for (const std::uint32_t features : all_features) {
            spec.inputs = inputs;
            spec.features = features;
            vary(words, spec);
        }
}
template <class Spec, class Vary>
void measure_rows_and_orders(Spec spec, Vary vary)
{
    for (const Rows rows : all_rows)
        for (const Orders orders : all_orders) {
            spec.rows = rows;
            spec.orders = orders;
            measure_sizes(std::string(word(rows)) + " orders " + word(orders), spec, vary);
        }
}

struct Fill : FieldVisitor {
    std::uint32_t count;
    void coefficients(std::uint32_t, std::uint32_t, Coefficients& k, CoefficientsFrom) const
    {
        k.count = count;
        for (std::uint32_t j = 0; j < count; ++j)
            k.c[j] = 0.5f;
    }
};

void measure_map(const RffSpec& spec)
{
    measure_rows_and_orders(spec, [](const std::string& words, const RffSpec& s) { measure(words, s); });
}
void measure_map(ArcCosSpec spec)
{
    for (const std::uint32_t sweeps : {0u, 1u, 10u, 100u})
        for (const std::uint32_t order : {0u, 1u}) {
            spec.sweeps = sweeps;
            spec.order = order;
            measure_rows_and_orders(spec, [&](const std::string& words, const ArcCosSpec& s) {
                if (sweeps == 0 || s.rows == Rows::gibbs)
                    measure(words + " order " + std::to_string(order) + " sweeps " + std::to_string(sweeps), s);
            });
        }
}
template <class Spec>
void measure_powers(Spec spec, std::uint32_t degree)
{
    for (const PowerSketch sketch : {PowerSketch::srht, PowerSketch::count})
        for (const Orders orders : {Orders::none, Orders::one}) {
            spec.sketch = sketch;
            spec.orders = orders;
            measure_sizes(std::string(word(sketch)) + " orders " + word(orders) + " degree " + std::to_string(degree),
                          spec, [](const std::string& words, const Spec& s) { measure(words, s); });
        }
}
void measure_map(PolynomialSpec spec)
{
    for (const std::uint32_t degree : {1u, 2u, 3u, 8u, 32u}) {
        spec.degree = degree;
        spec.scale = 0.001f;
        spec.offset = degree == 8 ? 0.0f : 0.5f;
        measure_powers(spec, degree);
    }
}
void measure_map(DotSpec spec)
{
    for (const std::uint32_t count : {2u, 3u, 9u, 33u}) {
        Fill fill;
        fill.count = count;
        Map<DotSpec>::fields(fill, spec);
        measure_powers(spec, count - 1);
    }
}
template <class Spec>
void measure_layers(Spec spec)
{
    for (const std::uint32_t depth : {1u, 3u, 16u})
        for (const std::uint32_t sweeps : {0u, 1u, 30u}) {
            spec.depth = depth;
            spec.sweeps = sweeps;
            measure_rows_and_orders(spec, [&](std::string words, const Spec& s) {
                words += " depth " + std::to_string(depth) + " sweeps " + std::to_string(sweeps);
                if (sweeps == 0 || s.rows == Rows::gibbs)
                    measure(words, s);
            });
        }
}
void measure_map(const NngpSpec& spec) { measure_layers(spec); }
void measure_map(NtkSpec spec)
{
    for (const NtkTensor sketch : {NtkTensor::srht, NtkTensor::count, NtkTensor::none}) {
        std::printf("%s:\n", word(sketch));
        spec.sketch = sketch;
        measure_layers(spec);
    }
}
void measure_map(NtkSketchSpec spec)
{
    for (const PolyBase base : {PolyBase::srht, PolyBase::osnap})
        for (const std::uint32_t depth : {1u, 5u})
            for (const std::uint32_t degree : {1u, 4u, 15u})
                for (const Rows rows : {Rows::hadamard, Rows::dense})
                    for (const Orders orders : {Orders::none, Orders::one}) {
                        spec.base = base;
                        spec.depth = depth;
                        spec.relu_degree = spec.step_degree = degree;
                        spec.rows = rows;
                        spec.orders = orders;
                        measure_sizes(std::string(word(base)) + ' ' + word(rows) + " orders " + word(orders) +
                                          " depth " + std::to_string(depth) + " degree " + std::to_string(degree),
                                      spec,
                                      [](const std::string& words, const NtkSketchSpec& s) { measure(words, s); });
                    }
}
void measure_map(NtkPolySpec spec)
{
    for (const std::uint32_t degree : {2u, 8u, 32u}) {
        Fill fill;
        fill.count = degree + 1;
        spec.degree = degree;
        Map<NtkPolySpec>::fields(fill, spec);
        measure_rows_and_orders(spec, [&](const std::string& words, const NtkPolySpec& s) {
            measure(words + " degree " + std::to_string(degree), s);
        });
    }
}
void measure_map(NtkGradientSpec spec)
{
    for (const std::uint32_t depth : {1u, 4u, 16u})
        for (const std::uint32_t width : {1u, 10u, 100u, 700u}) {
            spec.depth = depth;
            spec.width = width;
            for (const std::uint32_t inputs : all_inputs) {
                spec.inputs = inputs;
                spec.features = static_cast<std::uint32_t>(Map<NtkGradientSpec>::features_of_width(spec, width));
                measure("depth " + std::to_string(depth) + " width " + std::to_string(width), spec);
            }
        }
}

void measure_map(CntkGradientSpec spec)
{
    for (const ImagePool pool : {ImagePool::average, ImagePool::grid, ImagePool::none})
        for (const std::uint32_t patch : {1u, 3u, 5u})
            for (const std::uint32_t depth : {2u, 5u})
                for (const std::uint32_t side : {4u, 12u, 32u})
                    for (const std::uint32_t filters : {1u, 8u, 50u}) {
                        spec.pool = pool;
                        spec.patch = patch;
                        spec.depth = depth;
                        spec.height = spec.width = side;
                        spec.channels = 3;
                        spec.inputs = 3 * side * side;
                        spec.filters = filters;
                        const std::uint64_t made = Map<CntkGradientSpec>::features_of_filters(spec, filters);
                        if (made > most_features)
                            continue;
                        spec.features = static_cast<std::uint32_t>(made);
                        measure(std::string(word(pool)) + " patch " + std::to_string(patch) + " depth " +
                                    std::to_string(depth) + " filters " + std::to_string(filters),
                                spec);
                    }
}

void measure_windows(CntkSpec spec, const std::string& words, std::initializer_list<std::uint32_t> inners)
{
    spec.channels = 3;
    for (const std::uint32_t patch : {1u, 3u, 5u})
        for (const std::uint32_t depth : {2u, 4u})
            for (const std::uint32_t side : {4u, 12u})
                for (const std::uint32_t inner : inners) {
                    spec.patch = patch;
                    spec.depth = depth;
                    spec.height = spec.width = side;
                    spec.inputs = 3 * side * side;
                    spec.inner = inner;
                    measure(words + " patch " + std::to_string(patch) + " depth " + std::to_string(depth) + " inner " +
                                std::to_string(inner),
                            spec);
                }
}
void measure_map(CntkSpec spec)
{
    spec.orders = Orders::none;
    measure_windows(spec, "features", {16, 128, 1024});
    spec.form = CntkForm::sketch;
    for (const PolyBase base : {PolyBase::srht, PolyBase::osnap}) {
        spec.base = base;
        measure_windows(spec, std::string("sketch ") + word(base), {16, 128, 1024});
    }
    spec = {.features = 1024, .orders = Orders::one};
    measure_windows(spec, "orders 1", {256, 1024, 4096});
}

// A relu of windows over a series of inputs, and one of blocks with normals.
void measure_map(SkeletonSpec spec)
{
    std::vector<std::byte> bytes(1024);
    for (const bool blocks : {false, true})
        for (const std::uint32_t inputs : {20u, 300u, 4000u})
            for (const std::uint32_t features : all_features) {
                SkeletonBuilder build(bytes, 3);
                const auto turns = std::bit_cast<std::uint32_t>(0.25f);
                const std::uint32_t base = blocks
                                               ? build.base(SkeletonBase::gaussian, {1, inputs / 10, 1}, 0, 10, turns)
                                               : build.base(SkeletonBase::circle, {1, inputs, 1}, 0, 1, turns);
                const auto layer = build.windows(base, {1, 2, 1, 1}, {.dual = SkeletonDual::relu});
                build.node(layer, {.dual = SkeletonDual::relu});
                Skeleton skeleton;
                if (!build.finish(skeleton))
                    return;
                spec.inputs = inputs;
                spec.features = features;
                spec.normals = skeleton_normals(skeleton);
                print_line(std::string("skeleton ") + std::to_string(inputs) + " to " + std::to_string(features) +
                               (blocks ? " gaussian" : " circle"),
                           resolve(spec), SkeletonData(skeleton));
            }
}

// Images and series, with few places and with many.
void measure_map(LocalSpec spec)
{
    for (const bool series : {false, true})
        for (const std::uint32_t side : {4u, 12u, 60u})
            for (const std::uint32_t channels : {1u, 3u})
                for (const std::uint32_t pairs : {1u, 4u})
                    for (const LocalKinds kinds : {LocalKinds::sum, LocalKinds::max})
                        for (const std::uint32_t features : all_features) {
                            spec.inputs = side * side * channels;
                            spec.height = series ? 0 : side;
                            spec.channels = channels;
                            spec.pairs = pairs;
                            spec.kinds = kinds;
                            spec.features = features;
                            measure(std::string(series ? "series" : "image") + " channels " + std::to_string(channels) +
                                        " pairs " + std::to_string(pairs) + ' ' + word(kinds),
                                    spec);
                        }
}
void measure_map(LocalArcCosSpec spec)
{
    for (const bool series : {false, true})
        for (const std::uint32_t side : {4u, 12u, 60u})
            for (const std::uint32_t channels : {1u, 3u})
                for (const std::uint32_t largest : {3u, 9u})
                    for (const std::uint32_t features : all_features) {
                        spec.inputs = side * side * channels;
                        spec.height = series ? 0 : side;
                        spec.channels = channels;
                        spec.largest = largest;
                        spec.features = features;
                        measure(std::string(series ? "series" : "image") + " channels " + std::to_string(channels) +
                                    " largest " + std::to_string(largest),
                                spec);
                    }
}

} // namespace

int main(int count, char** words)
{
    if (count < 3 && use_simd(Simd::scalar) != Status::ok)
        return 1;
    static_cast<void>(AllMaps::any([&]<class Spec>(Spec spec) {
        if (count < 2 || std::strcmp(words[1], "all") == 0 || std::strcmp(words[1], Map<Spec>::name) == 0)
            measure_map(spec);
        return false;
    }));
    std::printf("nanoseconds for an operation: %.3f to %.3f\n", least, greatest);
    return 0;
}
