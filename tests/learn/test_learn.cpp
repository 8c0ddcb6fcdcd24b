#include <doctest/doctest.h>

#include <cmath>
#include <cstring>
#include <initializer_list>
#include <limits>
#include <vector>

#include "samara/learn.hpp"
#include "simd/support.hpp"

using namespace samara;
using samara::test::RandomNumbers;

namespace {

// A linear world: features, the weights behind it, noise.
struct World {
    RandomNumbers numbers;
    unsigned features, outputs;
    std::vector<double> truth; // rows of features + 1
    World(unsigned n, unsigned k, std::uint64_t seed) : numbers(seed), features(n), outputs(k)
    {
        for (unsigned i = 0; i < k * (n + 1); ++i)
            truth.push_back(static_cast<double>(numbers.symmetric()));
    }
    std::vector<float> z, y;
    void next(float noise)
    {
        z.resize(features);
        y.resize(outputs);
        for (float& v : z)
            v = numbers.symmetric() * std::sqrt(3.0f / static_cast<float>(features));
        for (unsigned o = 0; o < outputs; ++o) {
            double sum = truth[o * (features + 1) + features];
            for (unsigned j = 0; j < features; ++j)
                sum += truth[o * (features + 1) + j] * static_cast<double>(z[j]);
            y[o] = static_cast<float>(sum) + noise * numbers.symmetric();
        }
    }
    template <class Learner>
    double worst(const Learner& learner) const
    {
        double worst = 0.0;
        for (unsigned o = 0; o < outputs; ++o)
            for (unsigned j = 0; j <= features; ++j)
                worst = std::max(worst,
                                 std::abs(static_cast<double>(learner.weight(o, j)) - truth[o * (features + 1) + j]));
        return worst;
    }
};

// Ridge by elimination in double: weights of one output, the bias last.
std::vector<double> solved(std::vector<std::vector<double>> a, std::vector<double> b)
{
    const std::size_t n = b.size();
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t r = i + 1; r < n; ++r) {
            const double f = a[r][i] / a[i][i];
            for (std::size_t c = i; c < n; ++c)
                a[r][c] -= f * a[i][c];
            b[r] -= f * b[i];
        }
    for (std::size_t i = n; i-- > 0;) {
        for (std::size_t c = i + 1; c < n; ++c)
            b[i] -= a[i][c] * b[c];
        b[i] /= a[i][i];
    }
    return b;
}

// Sums of forgotten squares in double.
struct Reference {
    std::vector<std::vector<double>> a;
    std::vector<double> b;
    explicit Reference(std::size_t n) : a(n, std::vector<double>(n)), b(n) {}
    void add(const std::vector<float>& z, double y, double forget)
    {
        std::vector<double> v(z.begin(), z.end());
        v.push_back(1.0);
        for (std::size_t i = 0; i < v.size(); ++i) {
            for (std::size_t j = 0; j < v.size(); ++j)
                a[i][j] = forget * a[i][j] + v[i] * v[j];
            b[i] = forget * b[i] + v[i] * y;
        }
    }
};

template <auto spec>
double accuracy_of_classes(unsigned samples)
{
    // Cubes that overlap. The best rule is right in 91 % of three classes and in 95.5 % of two.
    static FixedLearner<spec> learner;
    REQUIRE(learner.open() == Status::ok);
    RandomNumbers numbers(5);
    std::vector<float> z(spec.features), scores(spec.outputs);
    const unsigned classes = spec.outputs == 1 ? 2 : spec.outputs;
    unsigned right = 0;
    for (unsigned t = 0; t < samples + 1000; ++t) {
        const std::uint32_t label = numbers.below(classes);
        for (unsigned j = 0; j < spec.features; ++j)
            z[j] = 0.5f * numbers.symmetric() + (j == label ? 0.7f : 0.0f);
        REQUIRE(learner.scores(z, scores) == Status::ok);
        std::uint32_t found = 0;
        for (unsigned o = 1; o < spec.outputs; ++o)
            found = scores[o] > scores[found] ? o : found;
        if (spec.outputs == 1)
            found = scores[0] > (spec.loss == Loss::squared ? 0.5f : 0.0f) ? 1 : 0;
        if (t >= samples)
            right += found == label ? 1 : 0;
        else
            REQUIRE(learner.learn_class(z, label) == Status::ok);
    }
    return right / 1000.0;
}

} // namespace

TEST_CASE("stochastic gradient finds a linear map with every step rule")
{
    const auto error = [](const SgdSpec& spec, unsigned samples) {
        std::vector<std::byte> memory(state_bytes(spec));
        Sgd learner;
        REQUIRE(learner.open(spec, memory) == Status::ok);
        World world(7, 2, 11);
        for (unsigned t = 0; t < samples; ++t) {
            world.next(0.05f);
            REQUIRE(learner.learn(world.z, world.y) == Status::ok);
        }
        CHECK(learner.samples() == samples);
        return world.worst(learner);
    };
    SgdSpec spec{.features = 7, .outputs = 2, .rate = 0.3f};
    const double constant = error(spec, 3000);
    CHECK(constant < 0.06);
    spec.average = true;
    spec.rate = 0.3f;
    const double averaged = error(spec, 20000);
    CHECK(averaged < 0.01);
    CHECK(averaged < constant);
    spec.average = false;
    spec.step = Step::inverse_root;
    spec.rate = 1.0f;
    CHECK(error(spec, 20000) < 0.02);
    spec.step = Step::adagrad;
    spec.rate = 0.2f;
    CHECK(error(spec, 20000) < 0.03);
}

TEST_CASE("a ridge pulls the weights to zero, and not the bias")
{
    const SgdSpec spec{.features = 1, .outputs = 1, .rate = 0.05f, .ridge = 0.5f};
    std::vector<std::byte> memory(state_bytes(spec));
    Sgd learner;
    REQUIRE(learner.open(spec, memory) == Status::ok);
    for (unsigned t = 0; t < 4000; ++t) { // z = +-1, y = 3 z + 2: w (1 + ridge) = 3
        const float z = t % 2 == 0 ? 1.0f : -1.0f, y = 3.0f * z + 2.0f;
        REQUIRE(learner.learn({&z, 1}, {&y, 1}) == Status::ok);
    }
    CHECK(learner.weight(0, 0) == doctest::Approx(2.0).epsilon(0.02));
    CHECK(learner.bias(0) == doctest::Approx(2.0).epsilon(0.02));
}

TEST_CASE("classes are told apart with every loss")
{
    CHECK(accuracy_of_classes<SgdSpec{.features = 5, .outputs = 3, .rate = 0.2f}>(4000) > 0.89);
    CHECK(accuracy_of_classes<SgdSpec{.features = 5, .outputs = 3, .loss = Loss::logistic, .rate = 0.5f}>(4000) > 0.89);
    CHECK(accuracy_of_classes<SgdSpec{
              .features = 5, .outputs = 3, .loss = Loss::hinge, .rate = 0.05f, .ridge = 1e-3f, .average = true}>(4000) >
          0.89);
    CHECK(accuracy_of_classes<SgdSpec{.features = 5, .outputs = 1, .rate = 0.2f}>(4000) > 0.93);
    CHECK(accuracy_of_classes<SgdSpec{
              .features = 5, .outputs = 1, .loss = Loss::logistic, .step = Step::adagrad, .rate = 0.5f}>(4000) > 0.93);
    CHECK(accuracy_of_classes<SgdSpec{.features = 5, .outputs = 1, .loss = Loss::hinge, .rate = 0.05f}>(4000) > 0.93);
}

TEST_CASE("recursive least squares is the ridge solution after every sample")
{
    const RlsSpec spec{.features = 6, .outputs = 2, .forget = 0.97f, .prior = 1e-4f};
    std::vector<std::byte> memory(state_bytes(spec));
    Rls learner;
    REQUIRE(learner.open(spec, memory) == Status::ok);
    World world(6, 2, 3);
    Reference reference[2] = {Reference(7), Reference(7)};
    for (unsigned t = 1; t <= 400; ++t) {
        world.next(0.3f);
        REQUIRE(learner.learn(world.z, world.y) == Status::ok);
        for (unsigned o = 0; o < 2; ++o)
            reference[o].add(world.z, static_cast<double>(world.y[o]), 0.97);
        if (t < 60 || t % 100 != 0)
            continue;
        for (unsigned o = 0; o < 2; ++o) {
            const auto exact = solved(reference[o].a, reference[o].b);
            for (unsigned j = 0; j < 7; ++j)
                CHECK(static_cast<double>(learner.weight(o, j)) == doctest::Approx(exact[j]).epsilon(2e-3));
        }
    }
}

TEST_CASE("a million updates in float32 do not disturb recursive least squares")
{
    // Long stretches in which one direction does not move: without care the inverse grows without bound there.
    const RlsSpec spec{.features = 8, .outputs = 1, .forget = 0.998f, .prior = 1e-3f};
    std::vector<std::byte> memory(state_bytes(spec));
    Rls learner;
    REQUIRE(learner.open(spec, memory) == Status::ok);
    World world(8, 1, 17);
    Reference reference(9);
    const unsigned updates = test::slow_build ? 100'000 : 1'000'000;
    for (unsigned t = 0; t < updates; ++t) {
        world.next(0.1f);
        const bool still = t / 20'000 % 2 == 1;
        if (still && t < updates - 20'000) {
            double changed = static_cast<double>(world.y[0]);
            for (unsigned j = 4; j < 8; ++j) {
                changed -= world.truth[j] * static_cast<double>(world.z[j]);
                world.z[j] = 0.0f;
            }
            world.y[0] = static_cast<float>(changed);
        }
        REQUIRE(learner.learn(world.z, world.y) == Status::ok);
        if (t >= updates - 20'000) // 0.998^20000 is nothing: the reference needs no earlier sample
            reference.add(world.z, static_cast<double>(world.y[0]), 0.998);
    }
    const auto exact = solved(reference.a, reference.b);
    double worst = 0.0;
    for (unsigned j = 0; j < 9; ++j)
        worst = std::max(worst, std::abs(static_cast<double>(learner.weight(0, j)) - exact[j]));
    MESSAGE("after " << updates << " updates: " << worst << " from the exact solution");
    CHECK(worst < 1e-3);
    CHECK(learner.samples() == updates);
}

TEST_CASE("sums for a ridge solve: the solution, and two halves that add up")
{
    constexpr unsigned n = 20, k = 3, samples = 2000;
    const GramSpec spec{.features = n, .outputs = k};
    std::vector<std::byte> memory[4];
    Gram all, parts[2], again;
    for (auto& m : memory)
        m.resize(state_bytes(spec));
    REQUIRE(all.open(spec, memory[0]) == Status::ok);
    REQUIRE(parts[0].open(spec, memory[1]) == Status::ok);
    REQUIRE(parts[1].open(spec, memory[2]) == Status::ok);
    World world(n, k, 23);
    std::vector<Reference> reference(k, Reference(n + 1));
    for (unsigned t = 0; t < samples; ++t) {
        world.next(0.5f);
        REQUIRE(all.add(world.z, world.y) == Status::ok);
        REQUIRE(parts[t % 3 == 0].add(world.z, world.y) == Status::ok);
        for (unsigned o = 0; o < k; ++o)
            reference[o].add(world.z, static_cast<double>(world.y[o]), 1.0);
    }
    // A state is its bytes.
    memory[3] = memory[1];
    REQUIRE(again.resume(spec, memory[3]) == Status::ok);
    CHECK(again.samples() == parts[0].samples());
    REQUIRE(again.merge(parts[1]) == Status::ok);
    CHECK(again.samples() == samples);
    REQUIRE(all.solve(1e-3f) == Status::ok);
    REQUIRE(again.solve(1e-3f) == Status::ok);
    for (unsigned o = 0; o < k; ++o) {
        auto a = reference[o].a;
        for (unsigned j = 0; j < n; ++j)
            a[j][j] += 1e-3 * samples;
        const auto exact = solved(a, reference[o].b);
        for (unsigned j = 0; j <= n; ++j) {
            CHECK(std::abs(static_cast<double>(all.weight(o, j)) - exact[j]) < 2e-5);
            CHECK(std::abs(all.weight(o, j) - again.weight(o, j)) < 1e-5f);
        }
    }
    Gram other;
    std::vector<std::byte> small(state_bytes(GramSpec{.features = n, .outputs = 1}));
    REQUIRE(other.open({.features = n, .outputs = 1}, small) == Status::ok);
    CHECK(all.merge(other) == Status::different_features);
    CHECK(other.solve(1.0f) == Status::not_definite); // no samples
}

TEST_CASE("a matrix that is not definite is refused")
{
    const GramSpec spec{.features = 2, .outputs = 1};
    std::vector<std::byte> memory(state_bytes(spec));
    Gram gram;
    REQUIRE(gram.open(spec, memory) == Status::ok);
    const float z[2] = {1.0f, 1.0f}, y = 1.0f;
    for (unsigned t = 0; t < 4; ++t)
        REQUIRE(gram.add(z, {&y, 1}) == Status::ok);
    CHECK(gram.solve(0.0f) == Status::not_definite);
}

TEST_CASE("learners have the same bits on every back end, and refuse without a change")
{
    const SgdSpec sgd{.features = 37, .outputs = 3, .loss = Loss::logistic, .step = Step::adagrad, .average = true};
    const RlsSpec rls{.features = 37, .outputs = 3, .forget = 0.99f};
    const GramSpec gram{.features = 37, .outputs = 3};
    std::vector<std::byte> first;
    test::on_each_back_end([&](Simd) {
        std::vector<std::byte> a(state_bytes(sgd)), b(state_bytes(rls)), c(state_bytes(gram));
        Sgd s;
        Rls r;
        Gram g;
        REQUIRE(s.open(sgd, a) == Status::ok);
        REQUIRE(r.open(rls, b) == Status::ok);
        REQUIRE(g.open(gram, c) == Status::ok);
        World world(37, 3, 2);
        for (unsigned t = 0; t < 60; ++t) {
            world.next(0.1f);
            REQUIRE(s.learn_class(world.z, t % 3) == Status::ok);
            REQUIRE(r.learn(world.z, world.y) == Status::ok);
            REQUIRE(g.add(world.z, world.y) == Status::ok);
        }
        std::vector<std::byte> state = a;
        state.insert(state.end(), b.begin(), b.end());
        state.insert(state.end(), c.begin(), c.end());
        if (first.empty())
            first = state;
        CHECK(state == first);

        world.z[5] = std::numeric_limits<float>::infinity();
        CHECK(s.learn_class(world.z, 1) == Status::not_finite);
        CHECK(r.learn(world.z, world.y) == Status::not_finite);
        CHECK(g.add(world.z, world.y) == Status::not_finite);
        world.z[5] = 0x1p41f;
        CHECK(s.learn_class(world.z, 1) == Status::out_of_range);
        world.z[5] = 0.0f;
        CHECK(s.learn_class(world.z, 3) == Status::wrong_length);
        CHECK(s.learn(world.z, world.y) == Status::wrong_length); // softmax has no values to learn
        world.y[1] = std::numeric_limits<float>::quiet_NaN();
        CHECK(r.learn(world.z, world.y) == Status::not_finite);
        world.z.pop_back();
        CHECK(g.add_class(world.z, 1) == Status::wrong_length);
        std::vector<std::byte> after = a;
        after.insert(after.end(), b.begin(), b.end());
        after.insert(after.end(), c.begin(), c.end());
        CHECK(after == first);
    });
    Sgd closed;
    float z[1] = {}, out[1] = {};
    CHECK(closed.scores(z, out) == Status::not_open);
    std::vector<std::byte> memory(state_bytes(sgd) - 1);
    CHECK(closed.open(sgd, memory) == Status::small_workspace);
    memory.resize(state_bytes(sgd) + 4);
    CHECK(closed.open(sgd, std::span(memory).subspan(1)) == Status::misaligned);
    CHECK(closed.resume(sgd, memory) == Status::different_features); // not a state
    CHECK(closed.open({.features = 0}, memory) == Status::bad_spec);
    CHECK(closed.open({.features = 4, .rate = -1.0f}, memory) == Status::bad_spec);
}

namespace {

// The digest by its definition: CRC-32 of the fields as words, without the highest bit.
std::uint32_t digest_of(std::initializer_list<std::uint32_t> fields)
{
    std::uint32_t crc = 0xffffffffu;
    for (const std::uint32_t field : fields) {
        for (unsigned bit = 0; bit < 32; ++bit) {
            const bool odd = ((crc ^ (field >> bit)) & 1u) != 0;
            crc = (crc >> 1) ^ (odd ? 0xedb88320u : 0u);
        }
    }
    return ~crc & 0x7fffffffu;
}

std::uint32_t last_header_word(const std::vector<std::byte>& state)
{
    std::uint32_t word;
    std::memcpy(&word, state.data() + 28, sizeof word);
    return word;
}
void set_last_header_word(std::vector<std::byte>& state, std::uint32_t word)
{
    std::memcpy(state.data() + 28, &word, sizeof word);
}

template <class Learner, class Spec>
std::vector<std::byte> opened(const Spec& spec)
{
    std::vector<std::byte> memory(state_bytes(spec));
    Learner learner;
    REQUIRE(learner.open(spec, memory) == Status::ok);
    return memory;
}
template <class Learner, class Spec>
Status resumed(const Spec& spec, std::vector<std::byte> state)
{
    Learner learner;
    return learner.resume(spec, state);
}

// Sums of two features and one output, of which a ridge solve has something to learn.
const GramSpec gram_spec{.features = 2, .outputs = 1};
std::vector<std::byte> sums()
{
    std::vector<std::byte> memory = opened<Gram>(gram_spec);
    Gram gram;
    REQUIRE(gram.resume(gram_spec, memory) == Status::ok);
    for (unsigned t = 0; t < 8; ++t) {
        const float z[2] = {t % 2 == 0 ? 1.0f : -1.0f, t % 4 < 2 ? 1.0f : -1.0f}, y = 2.0f * z[0] - z[1] + 0.5f;
        REQUIRE(gram.add(z, {&y, 1}) == Status::ok);
    }
    return memory;
}

} // namespace

TEST_CASE("a state is not resumed as that of another spec of the same length")
{
    const SgdSpec average{.features = 5, .outputs = 2, .average = true};
    const std::vector<std::byte> state = opened<Sgd>(average);
    SgdSpec other = average;
    other.average = false;
    other.step = Step::adagrad;
    REQUIRE(state_bytes(other) == state_bytes(average));
    CHECK(resumed<Sgd>(other, state) == Status::different_spec);
    other = average;
    other.loss = Loss::hinge;
    CHECK(resumed<Sgd>(other, state) == Status::different_spec);
    other = average;
    other.step = Step::inverse_root;
    CHECK(resumed<Sgd>(other, state) == Status::different_spec);
    // The numbers in a state mean the same with any rate and ridge.
    other = average;
    other.rate = 0.01f;
    other.ridge = 0.5f;
    CHECK(resumed<Sgd>(other, state) == Status::ok);
    CHECK(resumed<Sgd>(SgdSpec{.features = 4, .outputs = 2, .average = true}, state) == Status::different_features);

    const RlsSpec rls{.features = 5, .outputs = 2, .forget = 0.99f, .prior = 0.5f};
    RlsSpec forgetful = rls, loose = rls;
    forgetful.forget = 0.9f;
    loose.prior = 0.25f;
    CHECK(resumed<Rls>(rls, opened<Rls>(rls)) == Status::ok);
    CHECK(resumed<Rls>(forgetful, opened<Rls>(rls)) == Status::different_spec);
    CHECK(resumed<Rls>(loose, opened<Rls>(rls)) == Status::different_spec);
}

TEST_CASE("the digest of a spec is that of its fields, and a state without one gets it")
{
    const SgdSpec sgd{.features = 5, .outputs = 2, .loss = Loss::logistic, .step = Step::adagrad, .average = true};
    const RlsSpec rls{.features = 3, .outputs = 1, .forget = 0.5f, .prior = 2.0f};
    CHECK(last_header_word(opened<Sgd>(sgd)) == digest_of({5, 2, 1, 2, 1}));
    CHECK(last_header_word(opened<Rls>(rls)) == digest_of({3, 1, 0x3f000000u, 0x40000000u}));
    CHECK(last_header_word(opened<Gram>(gram_spec)) == digest_of({2, 1}));

    std::vector<std::byte> state = opened<Sgd>(sgd);
    const std::uint32_t digest = last_header_word(state);
    set_last_header_word(state, 0);
    Sgd learner;
    REQUIRE(learner.resume(sgd, state) == Status::ok);
    CHECK(last_header_word(state) == digest);
    // The highest bit has a meaning for a Gram alone, and none without a digest.
    set_last_header_word(state, digest | 0x80000000u);
    CHECK(resumed<Sgd>(sgd, state) == Status::different_spec);
    std::vector<std::byte> gram = opened<Gram>(gram_spec);
    set_last_header_word(gram, 0x80000000u);
    CHECK(resumed<Gram>(gram_spec, gram) == Status::different_spec);
}

TEST_CASE("solved sums are not added to any more, and sums are no weights")
{
    std::vector<std::byte> memory = sums(), more_memory = sums();
    Gram gram, more;
    REQUIRE(gram.resume(gram_spec, memory) == Status::ok);
    REQUIRE(more.resume(gram_spec, more_memory) == Status::ok);
    const float z[2] = {1.0f, 1.0f}, y = 1.0f;
    float score = 7.0f;
    CHECK(gram.scores(z, {&score, 1}) == Status::not_open);
    CHECK(score == 7.0f);
    CHECK(gram.weight(0, 0) == 0.0f);
    CHECK(gram.bias(0) == 0.0f);
    CHECK_FALSE(gram.consumed());

    REQUIRE(gram.solve(0.0f) == Status::ok);
    CHECK(last_header_word(memory) == (digest_of({2, 1}) | 0x80000000u));
    const std::vector<std::byte> solved_state = memory;
    std::vector<std::byte> copy = memory;
    Gram again; // a copy of a solved state is one
    REQUIRE(again.resume(gram_spec, copy) == Status::ok);
    for (Gram* solved_gram : {&gram, &again}) {
        CHECK(solved_gram->consumed());
        CHECK(solved_gram->samples() == 8);
        CHECK(solved_gram->add(z, {&y, 1}) == Status::consumed);
        CHECK(solved_gram->add_class(z, 1) == Status::consumed);
        CHECK(solved_gram->merge(more) == Status::consumed);
        CHECK(more.merge(*solved_gram) == Status::consumed);
        CHECK(solved_gram->solve(0.5f) == Status::consumed);
        CHECK(solved_gram->start(*solved_gram) == Status::consumed);
        REQUIRE(solved_gram->scores(z, {&score, 1}) == Status::ok);
        CHECK(score == doctest::Approx(1.5));
        CHECK(solved_gram->weight(0, 0) == doctest::Approx(2.0));
        CHECK(solved_gram->weight(0, 1) == doctest::Approx(-1.0));
        CHECK(solved_gram->bias(0) == doctest::Approx(0.5));
    }
    CHECK(memory == solved_state);
    CHECK(copy == solved_state);
    CHECK(more_memory == sums());

    // What was learned is where another learner starts.
    const SgdSpec spec{.features = 2, .outputs = 1, .average = true};
    std::vector<std::byte> sgd_memory = opened<Sgd>(spec);
    Sgd sgd;
    REQUIRE(sgd.resume(spec, sgd_memory) == Status::ok);
    CHECK(sgd.start(more) == Status::not_open);
    REQUIRE(sgd.start(gram) == Status::ok);
    float started = 0.0f;
    REQUIRE(sgd.scores(z, {&started, 1}) == Status::ok);
    CHECK(started == score);
}

TEST_CASE("the mean of the weights stays with them, however many samples there were")
{
    const SgdSpec spec{.features = 2, .outputs = 1, .average = true};
    const float z[2] = {};
    for (const std::uint32_t learned : {0u, 12'000'000u, 0xfffffff0u})
        for (const float target : {1.3f, -3.1f}) {
            std::vector<std::byte> memory = opened<Sgd>(spec);
            std::memcpy(memory.data() + 20, &learned, sizeof learned); // the header's count
            Sgd learner;
            REQUIRE(learner.resume(spec, memory) == Status::ok);
            const float weights[2] = {}, bias = 0.5f * target;
            REQUIRE(learner.start(float_readout(1, 2, weights, 2, &bias, 1), 1) == Status::ok);
            bool good = true;
            for (unsigned t = 0; t < 500'000; ++t)
                good = learner.learn(z, {&target, 1}) == Status::ok && good;
            CHECK(good);
            float score = 0.0f;
            REQUIRE(learner.scores(z, {&score, 1}) == Status::ok);
            CHECK(score == doctest::Approx(static_cast<double>(target)).epsilon(0.005));
        }
}

TEST_CASE("a solve that fails on the sums consumes them, one that cannot begin does not")
{
    const float inf = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();
    const float same[2] = {1.0f, 1.0f}, y = 1.0f;
    std::vector<std::byte> memory = opened<Gram>(gram_spec);
    Gram gram;
    REQUIRE(gram.resume(gram_spec, memory) == Status::ok);
    CHECK(gram.solve(1.0f) == Status::not_definite); // no samples
    for (unsigned t = 0; t < 4; ++t)
        REQUIRE(gram.add(same, {&y, 1}) == Status::ok);
    const std::vector<std::byte> before = memory;
    for (const float ridge : {-1.0f, nan, inf})
        CHECK(gram.solve(ridge) == Status::not_definite);
    CHECK(memory == before);

    CHECK(gram.solve(0.0f) == Status::not_definite);
    CHECK(gram.consumed());
    CHECK(gram.samples() == 0);
    float score = 7.0f;
    CHECK(gram.scores(same, {&score, 1}) == Status::consumed);
    CHECK(score == 7.0f);
    CHECK(gram.weight(0, 0) == 0.0f);
    CHECK(gram.add(same, {&y, 1}) == Status::consumed);
    CHECK(gram.start(gram) == Status::consumed);
    CHECK(gram.solve(1.0f) == Status::consumed);
    std::vector<std::byte> saved = before; // the state of before takes a larger ridge
    REQUIRE(gram.resume(gram_spec, saved) == Status::ok);
    CHECK(gram.solve(0.5f) == Status::ok);

    // A weight beyond the range of floats.
    const GramSpec one{.features = 1, .outputs = 1};
    std::vector<std::byte> tiny = opened<Gram>(one);
    Gram steep;
    REQUIRE(steep.resume(one, tiny) == Status::ok);
    for (const float sign : {1.0f, -1.0f}) {
        const float z = sign * 0x1p-70f, target = sign * 0x1p60f;
        REQUIRE(steep.add({&z, 1}, {&target, 1}) == Status::ok);
    }
    CHECK(steep.solve(0.0f) == Status::overflow);
    CHECK(steep.scores(std::span(same).first(1), {&score, 1}) == Status::consumed);
}
