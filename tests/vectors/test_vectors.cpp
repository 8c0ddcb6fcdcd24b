// The known answers of this directory, which an implementation in another language has made, against the library: on
// every back end that this processor can run.
#include "samara/samara.hpp"
#include "simd/support.hpp"
#include "simd/vectors.hpp"
#include "specs.hpp"
#include "stream/kernels.hpp"

using namespace samara;
using namespace samara::test;

namespace {

// Every entry of a file's list, on every back end.
template <class Body>
void each_entry(const std::string& chapter, const std::string& list, Body body)
{
    const Json file = vectors_of(chapter);
    REQUIRE(!file.at(list).empty());
    on_each_back_end([&](Simd simd) {
        INFO(chapter, " ", list, " on back end ", static_cast<unsigned>(simd));
        std::size_t place = 0;
        for (const Json& entry : file.at(list)) {
            INFO("entry ", place);
            body(entry);
            ++place;
        }
    });
}

// What a call returns for an entry: ok where the entry does not say.
Status expected_status(const Json& e)
{
    const auto name = e.value("status", std::string("ok"));
    REQUIRE((name == "ok" || name == "overflow"));
    return name == "ok" ? Status::ok : Status::overflow;
}

std::vector<float> filled(void (*fill)(StreamKey, std::span<float>) noexcept, StreamKey key, const Json& expected)
{
    std::vector<float> values(expected.size());
    fill(key, values);
    return values;
}

} // namespace

TEST_CASE("streams")
{
    each_entry("streams", "keys", [](const Json& e) {
        const StreamKey key =
            stream_key(long_word(e.at("seed")), e.at("domain").get<std::uint64_t>(), long_word(e.at("index")));
        CHECK(digits(key.value, 16) == e.at("key").get<std::string>());
        for (std::uint32_t i = 0; i < e.at("expansion").size(); ++i)
            CHECK(digits(splitmix_output(key, i), 16) == e.at("expansion")[i].get<std::string>());

        Xoshiro narrow(key);
        for (unsigned i = 0; i < 4; ++i)
            CHECK(text_of(narrow.state(i)) == e.at("narrow_state")[i].get<std::string>());
        for (const Json& w : e.at("narrow_words"))
            CHECK(text_of(narrow.word()) == w.get<std::string>());

        std::vector<std::uint32_t> wide(e.at("wide_words").size());
        fill_words(key, wide);
        check_bits(wide, e.at("wide_words"));

        const auto signs = e.at("signs").get<std::string>();
        std::vector<std::uint32_t> sign_words((signs.size() + 31) / 32);
        fill_sign_words(key, sign_words);
        for (std::size_t i = 0; i < signs.size(); ++i)
            CHECK(((sign_words[i / 32] >> (i % 32)) & 1u) == (signs[i] == '-' ? 1u : 0u));

        check_bits(filled(fill_uniforms, key, e.at("uniforms")), e.at("uniforms"));
        check_bits(filled(fill_normals, key, e.at("normals")), e.at("normals"));
        check_bits(filled(fill_cauchy, key, e.at("cauchy")), e.at("cauchy"));
        check_bits(filled(fill_laplace, key, e.at("laplace")), e.at("laplace"));
        for (const std::uint32_t freedom : {64u, 1000u}) {
            const Json& expected = e.at("chi_" + std::to_string(freedom));
            std::vector<float> chi(expected.size());
            fill_chi(key, freedom, chi);
            check_bits(chi, expected);
        }

        Xoshiro draws(key);
        for (const Json& pair : e.at("below"))
            CHECK(draws.below(pair[0].get<std::uint32_t>()) == pair[1].get<std::uint32_t>());
        for (const Json& b : e.at("bijections")) {
            const Bijection bijection(key, size_of(b, "n"));
            for (std::uint32_t i = 0; i < bijection.size(); ++i)
                CHECK(bijection(i) == b.at("images")[i].get<std::uint32_t>());
        }
    });
    each_entry("streams", "long_fills", [](const Json& e) {
        const auto name = e.at("fill").get<std::string>();
        INFO(name);
        const StreamKey key = stream_key(7, Domain::user, 3);
        std::vector<float> values(size_of(e, "count"));
        std::vector<std::uint32_t> plain(name == "words" ? values.size() : 0);
        if (name == "words")
            fill_words(key, plain);
        else if (name == "uniforms")
            fill_uniforms(key, values);
        else if (name == "normals")
            fill_normals(key, values);
        else if (name == "cauchy")
            fill_cauchy(key, values);
        else if (name == "laplace")
            fill_laplace(key, values);
        else
            fill_chi(key, 64, values);
        const auto all = plain.empty() ? std::as_bytes(std::span(values)) : std::as_bytes(std::span(plain));
        CHECK(text_of(crc32(all)) == e.at("crc32").get<std::string>());
    });
    const Json expected = vectors_of("streams").at("zero_state");
    Xoshiro zero(0, 0, 0, 0);
    for (const Json& w : expected)
        CHECK(text_of(zero.word()) == w.get<std::string>());
}

TEST_CASE("functions and fma")
{
    each_entry("functions", "functions", [](const Json& e) {
        INFO(e.at("name").get<std::string>());
        std::vector<float> values = numbers(e.at("inputs"));
        SAMARA_KERNEL(stream, apply_function)
        (static_cast<Elementary>(e.at("which").get<int>()), values.data(), values.data(), values.size());
        check_bits(values, e.at("outputs"));
    });
    each_entry("functions", "sums_of_squares", [](const Json& e) {
        const std::vector<float> x = numbers(e.at("x"));
        CHECK(text_of(SAMARA_KERNEL(simd, sum_of_squares)(x.data(), x.size(), number(e.at("factor")))) ==
              e.at("result").get<std::string>());
    });
    each_entry("functions", "dots", [](const Json& e) {
        const std::vector<float> x = numbers(e.at("x")), y = numbers(e.at("y"));
        CHECK(text_of(SAMARA_KERNEL(simd, dot)(x.data(), y.data(), x.size())) == e.at("result").get<std::string>());
    });
    const Json fma = vectors_of("functions").at("fma");
    const std::vector<float> a = numbers(fma.at("a")), b = numbers(fma.at("b")), c = numbers(fma.at("c"));
    on_each_back_end([&](Simd) {
        // y += a x of one number is one fma.
        std::vector<float> results = c;
        for (std::size_t i = 0; i < results.size(); ++i)
            SAMARA_KERNEL(simd, add_multiple)(a[i], &b[i], 1, &results[i]);
        check_bits(results, fma.at("results"));
        // Elementary::fma takes three arrays, here 1,000 numbers apart.
        std::vector<float> apart(3000, 1.0f);
        for (std::size_t i = 0; i < a.size(); ++i) {
            apart[i] = a[i];
            apart[1000 + i] = b[i];
            apart[2000 + i] = c[i];
        }
        SAMARA_KERNEL(stream, apply_function)(Elementary::fma, apart.data(), apart.data(), 1000);
        apart.resize(a.size());
        check_bits(apart, fma.at("results"));
    });
}

TEST_CASE("transforms")
{
    each_entry("transforms", "hadamard", [](const Json& e) {
        std::vector<float> values = numbers(e.at("input"));
        REQUIRE(hadamard(values) == Status::ok);
        check_bits(values, e.at("output"));
    });
    each_entry("transforms", "fft", [](const Json& e) {
        const std::size_t n = size_of(e, "n");
        Workspace memory(fft_bytes(n));
        std::vector<float> in = numbers(e.at("input")), out(n + 2);
        RealFft fft;
        REQUIRE(fft.init(n, false, memory.bytes()) == Status::ok);
        REQUIRE(fft.forward(in, out) == Status::ok);
        check_result(out, e, "forward");
        REQUIRE(fft.init(n, true, memory.bytes()) == Status::ok);
        REQUIRE(fft.backward(out, in) == Status::ok);
        check_result(in, e, "backward");
    });
}

TEST_CASE("features")
{
    for (const char* chapter : {"maps", "sketch_maps", "networks", "local"})
        each_entry(chapter, "cases", [](const Json& e) {
            const Json& request = e.at("spec");
            INFO(request.dump());
            with_specs(request, e.contains("resolved") ? e.at("resolved") : request, [&](auto asked, auto expected) {
                const auto spec = resolve(asked);
                REQUIRE(resolved(spec));
                CHECK(spec == expected);
                const std::vector<float> x = numbers(e.at("x"));
                std::vector<float> z(result_size(e, "features"));
                if constexpr (RowSpec<std::remove_cvref_t<decltype(spec)>>) {
                    if (e.contains("kept")) {
                        std::vector<std::byte> kept;
                        for (const std::uint32_t row : e.at("kept").get<std::vector<std::uint32_t>>())
                            for (const unsigned shift : {0u, 8u})
                                kept.push_back(static_cast<std::byte>((row >> shift) & 255u));
                        const ChosenRows chosen(kept);
                        REQUIRE(feature_count(spec, chosen) == z.size());
                        Workspace work(workspace_bytes(spec, chosen));
                        REQUIRE(features(spec, chosen, x, z, 1, work.bytes()) == Status::ok);
                        return check_result(z, e, "features");
                    }
                }
                REQUIRE(spec.features == z.size());
                Workspace work(workspace_bytes(spec));
                REQUIRE(features(spec, x, z, work.bytes()) == expected_status(e));
                check_result(z, e, "features");
            });
        });
}

TEST_CASE("filters of local maps")
{
    const Json file = vectors_of("local");
    for (const Json& e : file.at("filters")) {
        const auto spec = spec_of<LocalSpec>(e.at("spec"));
        const std::uint32_t number = size_of(e, "number");
        CAPTURE(e.at("spec").dump());
        CAPTURE(number);
        REQUIRE(resolved(spec));
        const LocalFilter filter = local_filter(Map<LocalSpec>::filters(spec), number);
        REQUIRE(filter.plus <= filter.taps);
        CHECK(std::vector(filter.tap, filter.tap + filter.plus) == e.at("plus").get<std::vector<std::uint32_t>>());
        CHECK(std::vector(filter.tap + filter.plus, filter.tap + filter.taps) ==
              e.at("minus").get<std::vector<std::uint32_t>>());
        CHECK(filter.first == size_of(e, "first"));
        CHECK(filter.height == size_of(e, "rows"));
        CHECK(filter.width == size_of(e, "columns"));
        CHECK(filter.maximum == e.at("maximum").get<bool>());
        CHECK(filter.shift == e.at("shift").get<std::int32_t>());
    }
}

TEST_CASE("mean magnitudes of unit rows")
{
    const Json means = vectors_of("maps").at("mean_magnitudes");
    for (std::size_t i = 0; i < means.at("inputs").size(); ++i) {
        const auto d = means.at("inputs")[i].get<std::uint32_t>();
        const ArcCosSpec spec =
            resolve(ArcCosSpec{.inputs = d, .features = d + 2, .rows = Rows::unit, .orders = Orders::one, .seed = 1});
        std::vector<float> x(d), z(spec.features);
        x[0] = 1.0f;
        Workspace work(workspace_bytes(spec));
        REQUIRE(features(spec, x, z, work.bytes()) == Status::ok);
        CHECK(text_of(z[0]) == means.at("first_features")[i].get<std::string>());
    }
}

TEST_CASE("coefficients of ntk-poly")
{
    const Json file = vectors_of("networks");
    for (const Json& e : file.at("ntk_poly")) {
        const Coefficients c = ntk_poly_coefficients(size_of(e, "depth"), size_of(e, "degree"), rest_of(e));
        check_bits(std::vector(c.c, c.c + c.count), e.at("coefficients"));
    }
}

TEST_CASE("kernels")
{
    const Json file = vectors_of("kernels");
    for (const Json& e : file.at("pairs")) {
        const std::vector<float> x = numbers(e.at("x")), y = numbers(e.at("y"));
        const auto inputs = static_cast<std::uint32_t>(x.size());
        const auto is = [&](const char* name, double value) {
            INFO(name);
            CHECK(text_of(value) == e.at(name).get<std::string>());
        };
        is("gaussian", gaussian_kernel(x, y, 3.0));
        is("laplacian", laplacian_kernel(x, y, 5.0));
        is("cauchy", cauchy_kernel(x, y, 2.0));
        is("arccos0", arccos0_kernel(x, y));
        is("arccos1", arccos1_kernel(x, y));
        is("nngp_3", nngp_kernel(x, y, 3));
        is("ntk_1", ntk_kernel(x, y, 1));
        is("ntk_3", ntk_kernel(x, y, 3));
        is("ntk_taylor_2_4_3_fixed", ntk_taylor_kernel(x, y, 2, 4, 3, true));
        is("ntk_taylor_2_4_3", ntk_taylor_kernel(x, y, 2, 4, 3, false));
        is("polynomial",
           kernel(resolve(PolynomialSpec{.inputs = inputs, .degree = 3, .scale = 0.3f, .offset = 0.7f}), x, y));
        is("dot",
           kernel(resolve(DotSpec{.inputs = inputs, .coefficients = {.c = {0.5f, 0.25f, 0.0f, 0.125f}, .count = 4}}), x,
                  y));
    }
    for (const Json& e : file.at("cosines")) {
        const double c = std::bit_cast<double>(long_word(e.at("cosine")));
        CHECK(text_of(nngp_of_cosine(c, 2)) == e.at("nngp_2").get<std::string>());
        CHECK(text_of(ntk_of_cosine(c, 5)) == e.at("ntk_5").get<std::string>());
        CHECK(text_of(ntk_taylor_of_cosine(c, 2, 4, 3, true)) == e.at("ntk_taylor_2_4_3_fixed").get<std::string>());
    }
}

TEST_CASE("skeletons")
{
    const Json file = vectors_of("skeletons");
    for (const Json& e : file.at("cases")) {
        INFO(e.at("name").get<std::string>());
        const std::vector<std::byte> form = bytes(e.at("bytes"));
        const std::vector<float> x = numbers(e.at("x")), y = numbers(e.at("y"));
        Skeleton skeleton;
        REQUIRE(Skeleton::read(form, skeleton));
        CHECK(skeleton.inputs() == size_of(e, "inputs"));
        CHECK(skeleton.nodes() == size_of(e, "nodes"));
        REQUIRE(skeleton.groups() == e.at("depth").size());
        for (std::uint32_t i = 0; i < skeleton.groups(); ++i) {
            CHECK(skeleton.group(i).depth == e.at("depth").at(i).get<std::uint32_t>());
            CHECK(skeleton.group(i).cost == e.at("cost").at(i).get<std::uint32_t>());
        }
        std::vector<double> values(skeleton.nodes());
        double value = 0.0;
        REQUIRE(skeleton_kernel(skeleton, x, y, values, value) == Status::ok);
        CHECK(text_of(value) == e.at("kernel").get<std::string>());
        REQUIRE(skeleton_kernel(skeleton, x, x, values, value) == Status::ok);
        CHECK(text_of(value) == e.at("diagonal").get<std::string>());
    }
    each_entry("skeletons", "cases", [](const Json& e) {
        const std::vector<std::byte> form = bytes(e.at("bytes"));
        Skeleton skeleton;
        REQUIRE(Skeleton::read(form, skeleton));
        const std::uint64_t seed = long_word(e.at("seed"));
        const std::uint32_t first = size_of(e, "first"), count = static_cast<std::uint32_t>(e.at("factors").size());
        std::vector<float> real(count), imaginary(count);
        Workspace work(skeleton_workspace_bytes(skeleton, count));
        REQUIRE(skeleton_features(skeleton, seed, first, numbers(e.at("x")), real, imaginary, work.bytes()) ==
                Status::ok);
        check_result(real, e, "real");
        check_result(imaginary, e, "imaginary");
        for (std::uint32_t i = 0; i < count; ++i)
            CHECK(skeleton_factors(skeleton, seed, first + i) == e.at("factors").at(i).get<std::uint64_t>());
    });
}

TEST_CASE("maps of skeletons")
{
    each_entry("skeletons", "maps", [](const Json& e) {
        INFO(e.at("name").get<std::string>());
        const auto spec = spec_of<SkeletonSpec>(e.at("spec"));
        REQUIRE(resolved(spec));
        const std::vector<std::byte> section = bytes(e.at("map_data"));
        SkeletonData data;
        REQUIRE(read_u32(section.data()) == SkeletonData::kind);
        REQUIRE(SkeletonData::read(SkeletonData::kind, std::span(section).subspan(4), data));
        REQUIRE(data_fit(spec, data));
        const std::vector<float> x = numbers(e.at("x"));
        std::vector<float> z(feature_count(spec, data));
        Workspace work(workspace_bytes(spec, data));
        REQUIRE(features(spec, data, x, z, 1, work.bytes()) == Status::ok);
        check_result(z, e, "features");
    });
    each_entry("skeletons", "models", [](const Json& e) {
        INFO(e.at("name").get<std::string>());
        const std::vector<std::byte> file = bytes(e.at("bytes"));
        Workspace sealed(file.size()), again(file.size());
        std::copy(file.begin(), file.end(), sealed.bytes().begin());
        AllMaps::In<Predictor> predictor;
        REQUIRE(predictor.open(sealed.bytes()) == Status::ok);
        Workspace work(predictor.workspace_bytes());
        std::vector<float> scores(predictor.model().outputs());
        REQUIRE(predictor.scores(numbers(e.at("x")), scores, work.bytes()) == Status::ok);
        check_result(scores, e, "scores");
        // Sealed anew from what was read, it has the same bytes.
        const Model& model = predictor.model();
        SkeletonSpec spec;
        SkeletonData data;
        REQUIRE(model.get(spec, data));
        std::string labels;
        for (std::uint32_t o = 0; o < model.outputs(); ++o)
            labels += model.label(o) + std::string(1, '\0');
        const ModelParts parts{
            .task = model.task(), .readout = model.readout(), .type = model.readout_type(), .labels = labels};
        REQUIRE(sealed_bytes(spec, data, parts) == file.size());
        std::size_t written = 0;
        REQUIRE(seal(spec, data, parts, again.bytes(), written) == Status::ok);
        CHECK(text_of(again.bytes()) == e.at("bytes").get<std::string>());
    });
}

TEST_CASE("sketches")
{
    each_entry("sketches", "cases", [](const Json& e) {
        const auto kind = e.at("sketch").get<std::string>();
        INFO(kind);
        const std::vector<float> x = numbers(e.at("x"));
        std::vector<float> z(result_size(e, "result"));
        const auto of_vector = [&](auto spec) {
            Workspace work(workspace_bytes(spec));
            REQUIRE(sketch(spec, std::span<const float>(x), std::span(z), work.bytes()) == Status::ok);
        };
        const auto of_powers = [&](auto spec) {
            Workspace work(workspace_bytes(spec));
            REQUIRE(prefixes(spec, x, z, work.bytes()) == expected_status(e));
        };
        if (kind == "count") {
            of_vector(count_sketch_spec(e));
        } else if (kind == "osnap") {
            of_vector(osnap_spec(e));
        } else if (kind == "srht") {
            of_vector(srht_spec(e));
        } else if (kind == "tensor-srht") {
            const TensorSrhtSpec spec = tensor_srht_spec(e);
            Workspace work(workspace_bytes(spec));
            REQUIRE(sketch(spec, x, numbers(e.at("y")), z, work.bytes()) == Status::ok);
        } else if (kind == "tensor-prefixes") {
            of_powers(tensor_sketch_spec(e));
        } else {
            REQUIRE(kind == "poly-prefixes");
            of_powers(poly_sketch_spec(e));
        }
        check_result(z, e, "result");
    });
    const Json hash = vectors_of("sketches").at("hash");
    const EntryHash entry(stream_key(5, Domain::count_hash, 0), 3, 40);
    for (std::size_t i = 0; i < hash.at("indices").size(); ++i) {
        const EntryHash::Place place = entry(hash.at("indices")[i].get<std::uint32_t>());
        CHECK(place.at == hash.at("places")[i].get<std::uint32_t>());
        CHECK((place.sign != 0 ? '-' : '+') == hash.at("signs").get<std::string>()[i]);
    }
}

TEST_CASE("sealed models")
{
    each_entry("models", "cases", [](const Json& e) {
        INFO(e.at("spec").dump());
        const std::vector<std::byte> file = bytes(e.at("bytes"));
        Workspace sealed(file.size());
        std::copy(file.begin(), file.end(), sealed.bytes().begin());
        Model model;
        REQUIRE(model.open(sealed.bytes()) == Status::ok);
        CHECK(text_of(model.features_id()) == e.at("features_id").get<std::string>());
        for (std::uint32_t o = 0; o < e.at("labels").size(); ++o)
            CHECK(model.label(o) == e.at("labels")[o].get<std::string>());
        const Application application = model.application();
        const Json nothing = {
            {"version", 0}, {"input_layout", 0}, {"confidence", {"00000000", "00000000"}}, {"data", ""}};
        const Json said = e.value("application", nothing);
        CHECK(application.version == said.at("version").get<std::uint32_t>());
        CHECK(application.input_layout == said.at("input_layout").get<std::uint32_t>());
        const std::vector<float> confidence = {application.confidence_mean, application.confidence_spread};
        check_bits(confidence, said.at("confidence"));
        CHECK(text_of(application.data) == said.at("data").get<std::string>());
        const Json scale = e.value("probability_scale", Json("00000000"));
        CHECK(text_of(model.probability_scale()) == scale.get<std::string>());
        for (std::uint32_t j = 0; j < e.at("weights_of_output_0").size(); ++j)
            CHECK(text_of(model.readout().weight(0, j)) == e.at("weights_of_output_0")[j].get<std::string>());
        for (std::uint32_t o = 0; o < model.outputs(); ++o)
            CHECK(text_of(model.readout().bias(o)) == e.at("bias")[o].get<std::string>());

        AllMaps::In<Predictor> predictor;
        REQUIRE(predictor.open(sealed.bytes()) == Status::ok);
        Workspace work(predictor.workspace_bytes());
        std::vector<float> scores(model.outputs()), z(model.features());
        for (const Json& sample : e.at("samples")) {
            const std::vector<float> x = numbers(sample.at("x"));
            std::vector<float> scaled(x.size());
            model.scale_input(x.data(), scaled.data());
            check_bits(scaled, sample.at("scaled"));
            std::uint32_t best = 0;
            REQUIRE(predictor.predict(x, best, scores, work.bytes()) == Status::ok);
            check_bits(scores, sample.at("scores"));
            CHECK(best == sample.at("best").get<std::uint32_t>());
            std::vector<float> probabilities(model.outputs(), -1.0f);
            const Status status = predictor.probabilities(x, probabilities, work.bytes());
            if (sample.contains("probabilities")) {
                REQUIRE(status == Status::ok);
                check_bits(probabilities, sample.at("probabilities"));
            } else {
                CHECK(status == Status::no_probabilities);
                CHECK(probabilities.front() == -1.0f);
            }
        }
        REQUIRE(predictor.features(std::vector{1.0f, -0.5f, 0.25f}, z, work.bytes()) == Status::ok);
        check_result(z, e, "features_of_1_-0.5_0.25");
    });
}

namespace {

template <class Learner>
void learn(Learner& learner, const Json& sample)
{
    const std::vector<float> z = numbers(sample.at("z"));
    const auto add = [&](auto& l, auto... what) {
        if constexpr (requires { l.add(z, what...); })
            return l.add(z, what...);
        else
            return l.learn(z, what...);
    };
    const float weight = sample.contains("weight") ? number(sample.at("weight")) : 1.0f;
    if (sample.contains("targets")) {
        const std::vector<float> targets = numbers(sample.at("targets"));
        REQUIRE(add(learner, std::span<const float>(targets), weight) == Status::ok);
    } else if constexpr (requires { learner.add_class(z, 0u); }) {
        REQUIRE(learner.add_class(z, size_of(sample, "label"), weight) == Status::ok);
    } else {
        REQUIRE(learner.learn_class(z, size_of(sample, "label"), weight) == Status::ok);
    }
}

template <class Learner, class Spec>
void check_learner(const Spec& spec, const Json& e)
{
    Workspace memory(state_bytes(spec));
    Learner learner;
    REQUIRE(learner.open(spec, memory.bytes()) == Status::ok);
    for (const Json& sample : e.at("samples"))
        learn(learner, sample);
    CHECK(text_of(learner.state()) == e.at("state").get<std::string>());
    if constexpr (requires { learner.solve(0.0f); }) {
        REQUIRE(learner.solve(number(e.at("ridge"))) == Status::ok);
        CHECK(text_of(learner.state()) == e.at("solved").get<std::string>());
    }
    std::vector<float> scores(spec.outputs);
    REQUIRE(learner.scores(numbers(e.at("scores_of")), scores) == Status::ok);
    check_bits(scores, e.at("scores"));
}

template <class Learner, class Spec>
void check_growth(const Spec& spec, const Json& e)
{
    Workspace memory(state_bytes(spec));
    const std::vector<std::byte> state = bytes(e.at("state"));
    std::copy(state.begin(), state.end(), memory.bytes().begin());
    Learner learner;
    REQUIRE(learner.grow(spec, memory.bytes()) == Status::ok);
    CHECK(text_of(learner.state()) == e.at("grown").get<std::string>());
}

// Calls call(learner, spec) with an empty learner of the entry's kind.
template <class Call>
void with_learner(const Json& e, Call call)
{
    const auto kind = e.at("learner").get<std::string>();
    INFO(kind, e.value("loss", ""), e.value("step", ""));
    if (kind == "sgd")
        call(Sgd(), sgd_spec(e));
    else if (kind == "rls")
        call(Rls(), rls_spec(e));
    else
        call(Gram(), gram_spec(e));
}

} // namespace

TEST_CASE("learners")
{
    each_entry("learners", "cases", [](const Json& e) {
        with_learner(e, [&]<class Learner>(const Learner&, const auto& spec) { check_learner<Learner>(spec, e); });
    });
    each_entry("learners", "grow", [](const Json& e) {
        with_learner(e, [&]<class Learner>(const Learner&, const auto& spec) { check_growth<Learner>(spec, e); });
    });

    const Json drifting = vectors_of("learners").at("drift");
    Drift drift;
    REQUIRE(drift.open({.mean = number(drifting.at("mean")),
                        .spread = number(drifting.at("spread")),
                        .window = number(drifting.at("window"))}) == Status::ok);
    for (const float value : numbers(drifting.at("values")))
        REQUIRE(drift.watch(value) == Status::ok);
    CHECK(drift.shift() == number(drifting.at("shift")));
    CHECK(drift.spread() == number(drifting.at("spread_after")));

    const Json start = vectors_of("learners").at("start");
    const std::vector<std::byte> file = bytes(start.at("model"));
    Workspace sealed(file.size());
    std::copy(file.begin(), file.end(), sealed.bytes().begin());
    Model model;
    REQUIRE(model.open(sealed.bytes()) == Status::ok);
    const SgdSpec started{.features = model.features(),
                          .outputs = model.outputs(),
                          .step = Step::constant,
                          .rate = 0.25f,
                          .average = true};
    Workspace memory_of_sgd(state_bytes(started));
    Sgd sgd;
    REQUIRE(sgd.open(started, memory_of_sgd.bytes()) == Status::ok);
    REQUIRE(sgd.start(model) == Status::ok);
    CHECK(text_of(sgd.state()) == start.at("state").get<std::string>());
    learn(sgd, start);
    CHECK(text_of(sgd.state()) == start.at("after_it").get<std::string>());

    const Json merge = vectors_of("learners").at("merge");
    const GramSpec spec{.features = 2, .outputs = 1};
    Workspace memory[2] = {Workspace(state_bytes(spec)), Workspace(state_bytes(spec))};
    Gram gram[2];
    for (unsigned i = 0; i < 2; ++i) {
        const std::vector<std::byte> state = bytes(merge.at(i == 0 ? "first" : "second"));
        REQUIRE(state.size() == state_bytes(spec));
        std::copy(state.begin(), state.end(), memory[i].bytes().begin());
        REQUIRE(gram[i].resume(spec, memory[i].bytes()) == Status::ok);
    }
    REQUIRE(gram[0].merge(gram[1]) == Status::ok);
    CHECK(text_of(gram[0].state()) == merge.at("merged").get<std::string>());
}

namespace {

// Two slots in memory, as a flash driver shows them.
struct Slots {
    std::vector<std::byte> bytes[2];

    Storage storage()
    {
        return {this,
                bytes[0].size(),
                8,
                [](void* context, unsigned slot) noexcept {
                    for (std::byte& b : static_cast<Slots*>(context)->bytes[slot])
                        b = std::byte{0xff};
                    return true;
                },
                [](void* context, unsigned slot, std::size_t offset, std::span<const std::byte> data) noexcept {
                    std::copy(data.begin(), data.end(), static_cast<Slots*>(context)->bytes[slot].data() + offset);
                    return true;
                },
                [](void* context, unsigned slot, std::size_t offset, std::span<std::byte> data) noexcept {
                    const std::byte* from = static_cast<Slots*>(context)->bytes[slot].data() + offset;
                    std::copy(from, from + data.size(), data.begin());
                    return true;
                }};
    }
};

} // namespace

TEST_CASE("checkpoints")
{
    const Json file = vectors_of("checkpoints");
    Slots slots;
    for (std::vector<std::byte>& slot : slots.bytes)
        slot.assign(96, std::byte{0xff});
    for (const Json& e : file.at("saves")) {
        REQUIRE(save(slots.storage(), bytes(e.at("state"))) == Status::ok);
        CHECK(text_of(slots.bytes[size_of(e, "slot")]) == e.at("bytes").get<std::string>());
    }
    for (const Json& e : file.at("loads")) {
        Slots given{{bytes(e.at("slots")[0]), bytes(e.at("slots")[1])}};
        std::vector<std::byte> state(bytes(e.at("state")).size());
        REQUIRE(load(given.storage(), state) == Status::ok);
        CHECK(text_of(state) == e.at("state").get<std::string>());
    }
}

TEST_CASE("stored models")
{
    const Json file = vectors_of("checkpoints");
    for (const Json& e : file.at("starts")) {
        const std::vector<std::byte> given[2] = {bytes(e.at("slots")[0]), bytes(e.at("slots")[1])};
        Workspace memory[2] = {Workspace(256), Workspace(256)};
        for (unsigned i = 0; i < 2; ++i)
            std::copy(given[i].begin(), given[i].end(), memory[i].bytes().begin());
        const ModelFlash flash{
            memory,
            {memory[0].bytes().data(), memory[1].bytes().data()},
            256,
            32,
            [](void*, unsigned) noexcept { return false; },
            [](void* context, unsigned slot, std::size_t offset, std::span<const std::byte> data) noexcept {
                std::copy(data.begin(), data.end(), static_cast<Workspace*>(context)[slot].bytes().begin() + offset);
                return true;
            }};
        ModelStore store(flash);
        std::span<const std::byte> model;
        const Status status = store.start(model);
        if (e.at("used").is_null()) {
            CHECK(status == Status::no_checkpoint);
            continue;
        }
        REQUIRE(status == Status::ok);
        const unsigned used = e.at("used").get<unsigned>();
        CHECK(model.data() == memory[used].bytes().data() + model_slot_header_bytes);
        CHECK(model.size() == 50);
        CHECK(store.on_trial() == e.at("trial").get<bool>());
        const std::string after =
            e.contains("slot_then") ? e.at("slot_then").get<std::string>() : e.at("slots")[used].get<std::string>();
        CHECK(text_of(memory[used].bytes().first(256)) == after);
    }
}
