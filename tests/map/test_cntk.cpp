// The map cntk with exact orders: its expectation, its errors, its memory, and what is refused.
#include <doctest/doctest.h>

#include <numeric>
#include <string>

#include "contracts.hpp"
#include "map/cntk/orders.hpp"
#include "measure.hpp"

namespace {

using namespace samara;
using measure::Points;
using Spec = CntkSpec;

double exact_kernel(const Spec& spec, std::span<const float> x, std::span<const float> y)
{
    const CntkShape shape = cntk_shape(spec);
    std::vector<std::byte> work(cntk_workspace_bytes(shape));
    double value = 0.0;
    REQUIRE(cntk_kernel(shape, x, y, value, work) == Status::ok);
    return value;
}
std::vector<double> exact_gram(const Spec& spec, const Points& images)
{
    return measure::of_pairs(images, [&](auto x, auto y) { return exact_kernel(spec, x, y); });
}

Spec resolved_spec(const Spec& request)
{
    const Spec spec = resolve(request);
    REQUIRE(resolved(spec));
    REQUIRE(spec.orders == Orders::one);
    return spec;
}

// Images whose pixels are related to each other and from image to image.
Points some_images(std::uint32_t inputs)
{
    constexpr std::size_t count = 6;
    Points images{count, inputs, std::vector<float>(count * inputs)};
    fill_normals(stream_key(3, Domain::user, inputs), images.values);
    for (std::size_t i = inputs; i < images.values.size(); ++i)
        images.values[i] = 0.8f * images.values[i] + 0.6f * images.values[i - inputs] + 0.2f;
    return images;
}

// The averaged kernel matrix is as near to the exact one as its own noise lets it be, and what is left of the bias.
void check_expectation(const Spec& request)
{
    Spec spec = resolved_spec(request);
    const Points images = some_images(spec.inputs);
    const std::vector<double> truth = exact_gram(spec, images);
    const unsigned seeds = measure::quick ? 4 : 20;
    std::vector<double> sum(truth.size()), squares(truth.size());
    for (spec.seed = 0; spec.seed < seeds; ++spec.seed) {
        const std::vector<double> g = measure::gram(spec, images);
        for (std::size_t i = 0; i < g.size(); ++i) {
            sum[i] += g[i];
            squares[i] += (g[i] - truth[i]) * (g[i] - truth[i]);
        }
    }
    double error = 0.0, noise = 0.0, norm = 0.0;
    for (std::size_t i = 0; i < truth.size(); ++i) {
        const double difference = sum[i] / seeds - truth[i];
        error += difference * difference;
        noise += std::max(squares[i] / seeds - difference * difference, 0.0) / (seeds - 1);
        norm += truth[i] * truth[i];
    }
    CAPTURE(spec.height);
    CAPTURE(spec.width);
    CAPTURE(spec.channels);
    CAPTURE(spec.patch);
    CAPTURE(spec.depth);
    CAPTURE(spec.inner);
    CAPTURE(std::sqrt(noise / norm));
    CAPTURE(std::sqrt(error / norm));
    CHECK(std::sqrt(error) <= 3 * std::sqrt(noise) + 0.001 * std::sqrt(norm));
}

} // namespace

TEST_CASE("cntk: the expectation is the exact kernel")
{
    for (const std::uint32_t depth : {2u, 3u}) {
        Spec s{.features = 2048, .depth = depth};
        const auto of = [&s](std::uint32_t height, std::uint32_t width, std::uint32_t channels) {
            Spec made = s;
            made.inputs = height * width * channels;
            made.height = height;
            made.width = width;
            made.channels = channels;
            return made;
        };
        check_expectation(of(8, 8, 1));
        check_expectation(of(3, 3, 1));
        check_expectation(of(1, 1, 3));
        check_expectation(of(1, 24, 1));
        check_expectation(of(6, 5, 2));
        s.patch = 5;
        check_expectation(of(8, 8, 1));
        s.patch = 3;
        s.pool = ImagePool::none;
        check_expectation(of(6, 5, 2));
        s.pool = ImagePool::grid;
        s.grid = 2;
        check_expectation(of(6, 5, 2));
    }
}

namespace {

constexpr std::uint8_t digits_and_labels[][65] = {
#include "../../examples/data/digits_test.inc"
};

// Thirty images of pixels from 0 to 1.
Points digits()
{
    constexpr std::size_t count = 30, inputs = 64;
    Points images{count, inputs, {}};
    for (std::size_t i = 0; i < count; ++i)
        for (std::size_t k = 0; k < inputs; ++k)
            images.values.push_back(static_cast<float>(digits_and_labels[i][k]) / 16.0f);
    return images;
}

// The matrix without the means of its rows and columns.
std::vector<double> centred(std::vector<double> k, std::size_t n)
{
    std::vector<double> mean(n);
    double all = 0.0;
    for (std::size_t i = 0; i < k.size(); ++i)
        mean[i % n] += k[i] / static_cast<double>(n);
    for (const double v : mean)
        all += v / static_cast<double>(n);
    for (std::size_t i = 0; i < k.size(); ++i)
        k[i] -= mean[i % n] + mean[i / n] - all;
    return k;
}

// The mean over five seeds of a relative error, and the standard error of the mean.
struct Mean {
    std::vector<double> values;

    double value() const { return std::accumulate(values.begin(), values.end(), 0.0) / count(); }
    double error() const
    {
        double squares = 0.0;
        for (const double v : values)
            squares += (v - value()) * (v - value());
        return std::sqrt(squares / (count() - 1.0) / count());
    }
    double count() const { return static_cast<double>(values.size()); }
    bool within(double most) const { return value() <= most + 3 * error(); }
};
struct Errors {
    Mean whole, centred;
};
Errors errors_on_digits(std::uint32_t features)
{
    const Points images = digits();
    Spec spec = resolved_spec({.inputs = 64, .features = features, .height = 8});
    const std::vector<double> truth = exact_gram(spec, images);
    Errors errors;
    constexpr unsigned seeds = measure::quick ? 2 : 5;
    for (spec.seed = 0; spec.seed < seeds; ++spec.seed) {
        const std::vector<double> g = measure::gram(spec, images);
        errors.whole.values.push_back(measure::relative_error(truth, g));
        errors.centred.values.push_back(
            measure::relative_error(centred(truth, images.count), centred(g, images.count)));
    }
    MESSAGE(features, ": ", errors.whole.value(), ", centred ", errors.centred.value());
    return errors;
}

} // namespace

// Over 200 seeds the means are .0171 and .108 of 512 features, .0083 and .054 of 2,048.
TEST_CASE("cntk: errors on digits, which fall like one over the root of the features")
{
    const Errors few = errors_on_digits(512);
    CHECK(few.whole.within(.02));
    CHECK(few.centred.within(.11));
    if (measure::quick)
        return;
    const Errors many = errors_on_digits(2048);
    CHECK(many.whole.within(.015));
    CHECK(many.centred.within(.06));
    CHECK(many.centred.value() <= .6 * few.centred.value());
    CHECK(errors_on_digits(8192).centred.value() <= .35 * few.centred.value());
}

TEST_CASE("cntk: contracts")
{
    for (const std::uint32_t depth : {2u, 3u, 5u}) {
        Spec s{.inputs = 20, .features = 100, .height = 5, .depth = depth};
        measure::check_contracts(s);
        s.channels = 2;
        s.pool = ImagePool::grid;
        measure::check_contracts(s);
        s.pool = ImagePool::none;
        s.features = 603;
        measure::check_contracts(s);
        s.height = 1;
        s.patch = 15;
        measure::check_contracts(s);
    }
    measure::same_as_fixed<Spec{.inputs = 12, .features = 40, .height = 3, .depth = 2, .inner = 128}>();
}

TEST_CASE("cntk: the workspace has room for what is taken, and no more")
{
    const auto whole = [](const Spec& request) {
        const Spec spec = resolved_spec(request);
        // A float behind the beginning of a line of the cache, so that most is left out before the next.
        constexpr std::size_t line = sizeof(float) * engine::cntk_line;
        std::vector<std::byte> memory(engine::cntk_orders_bytes(spec) + 2 * line);
        const auto begin = reinterpret_cast<std::uintptr_t>(memory.data());
        const auto work =
            std::span(memory).subspan(line - begin % line + sizeof(float), engine::cntk_orders_bytes(spec));
        engine::OrdersRun run{};
        engine::prepare_orders(run, spec, work);
        const float* const end =
            run.row_ways + std::size_t{run.window.high() + 1} * run.layers[spec.depth].reach.high();
        CAPTURE(spec.height);
        CAPTURE(spec.patch);
        CAPTURE(spec.depth);
        CHECK(reinterpret_cast<const std::byte*>(end) == work.data() + work.size());
        // Pieces that are written before others are read do not touch each other.
        CHECK(run.folded + run.plan.longest_fold() == run.rest_exact);
        CHECK(run.plan.longest_fold() >= 3 * run.plan.window);
    };
    for (const std::uint32_t depth : {2u, 3u, 6u})
        for (const std::uint32_t patch : {1u, 3u, 5u, 7u})
            for (const std::uint32_t height : {1u, 3u, 4u, 12u}) {
                Spec s{.inputs = 12 * height, .features = 4000, .height = height, .patch = patch, .depth = depth};
                whole(s);
                s.channels = 3;
                s.pool = ImagePool::grid;
                whole(s);
            }
    whole({.inputs = 9, .features = 60, .height = 3, .patch = 5, .depth = 2});
    whole({.inputs = 16, .features = 9000, .height = 4, .patch = 7, .depth = 2});
}

TEST_CASE("cntk: memory grows with the width alone, and is at most 2^30 bytes")
{
    const auto bytes = [](std::uint32_t height, std::uint32_t width) {
        return workspace_bytes(resolved_spec(
            {.inputs = height * width * 3, .height = height, .width = width, .channels = 3, .inner = 512}));
    };
    CHECK(bytes(64, 32) == bytes(32, 32));
    CHECK(bytes(1024, 32) == bytes(32, 32));
    CHECK(bytes(32, 64) > bytes(32, 32));
    CHECK(bytes(1, 32) < bytes(32, 32));

    // Whatever a spec says, what passes can be computed.
    for (const std::uint32_t height : {1u, 8u, 1024u, most_inputs})
        for (const std::uint32_t patch : {1u, 3u, 15u})
            for (const std::uint32_t depth : {2u, 3u, 16u})
                for (const std::uint32_t channels : {1u, 2u, 1024u})
                    for (const ImagePool pool : {ImagePool::average, ImagePool::grid}) {
                        Spec s{.inputs = most_inputs,
                               .features = most_inputs,
                               .height = height,
                               .channels = channels,
                               .patch = patch,
                               .depth = depth,
                               .pool = pool};
                        if (!check(s))
                            continue;
                        const Spec made = resolve(s);
                        REQUIRE(resolved(made));
                        CHECK(4 * engine::cntk_orders_words(engine::cntk_plan(made)) <= engine::most_cntk_bytes);
                        CHECK(operations(made, NoData{}) < std::uint64_t{1} << 50);
                    }
}

TEST_CASE("cntk: sizes that are chosen, and what is refused")
{
    Spec s{.inputs = 64, .features = 1024, .height = 8};
    CHECK(resolve(s).inner == 1024);
    CHECK(resolve(s).orders == Orders::one);
    s.features = 512;
    CHECK(resolve(s).inner == 512);
    s.features = 100'000;
    CHECK(resolve(s).inner == 4096);

    const auto refused = [](const Spec& spec, const char* field, std::uint64_t nearest) {
        const SpecReport report = check(spec);
        CHECK(report.status == Status::bad_spec);
        CHECK(std::string(report.field) == field);
        CHECK(report.nearest == nearest);
        CHECK(!resolved(resolve(spec)));
    };
    s.features = 20;
    refused(s, "features", 21);
    s.features = 21;
    CHECK(check(s));
    s.pool = ImagePool::none;
    refused(s, "features", 64 * 21);
    s.pool = ImagePool::average;
    s.inner = 64;
    refused(s, "inner", 128);
    s.inner = 257;
    refused(s, "inner", 512);
    s.inner = 128;
    CHECK(check(s));
    // Three times seven steps of windows of fifteen see 43 x 43 pixels, of nine channels.
    refused({.inputs = 64 * 64 * 9, .height = 64, .channels = 9, .patch = 15}, "orders", 0);
    refused({.inputs = most_inputs, .height = 4, .depth = 16}, "orders", 0);
    refused({.inputs = 1 << 18, .height = 4, .depth = 3, .inner = 16384}, "inner", 128);
}
