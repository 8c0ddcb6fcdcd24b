// How soon learners follow a sensor that has drifted, and in how much memory: a readout that was trained on three
// quarters of the digits, the others dimmed and moved by a pixel, 50 of them learned from and the rest judged; the mean
// over 30 choices of the 50.
//
//   gzip -dc examples/data/digits.csv.gz | bench-drift
#include <array>
#include <cmath>
#include <cstdio>
#include <vector>

#include "samara/samara.hpp"

namespace {

using namespace samara;

constexpr std::uint32_t inputs = 64, classes = 10, learned = 50;
constexpr std::uint32_t map_features = 256;
constexpr GramSpec sums{.features = map_features, .outputs = classes};
constexpr auto spec = resolve(ArcCosSpec{.inputs = inputs, .features = map_features});
using Row = std::array<float, map_features>;

struct Digit {
    std::array<float, inputs> pixels;
    std::uint32_t label;
};

std::vector<Digit> read_digits()
{
    std::vector<Digit> digits;
    for (Digit d{};;) {
        for (float& pixel : d.pixels)
            if (std::scanf("%f,", &pixel) != 1)
                return digits;
        if (std::scanf("%u", &d.label) != 1)
            return digits;
        digits.push_back(d);
    }
}

std::array<float, inputs> drifted(const Digit& digit)
{
    std::array<float, inputs> x{};
    for (std::size_t i = 0; i < inputs; ++i)
        x[i] = i % 8 == 0 ? 0.0f : 0.6f * digit.pixels[i - 1];
    return x;
}

Row features_of(std::span<const float, inputs> x)
{
    static Fixed<spec> map;
    Row z;
    static_cast<void>(map.features(x, z));
    return z;
}

struct Sample {
    Row z;
    std::uint32_t label;
};

// A fixed order of the samples for each seed.
void shuffle(std::vector<Sample>& samples, std::uint32_t seed)
{
    std::uint64_t state = 2 * std::uint64_t{seed} + 1;
    for (std::size_t i = samples.size(); i > 1; --i) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        std::swap(samples[i - 1], samples[(state >> 33) % i]);
    }
}

template <class Learner>
double right(const Learner& learner, const std::vector<Sample>& samples)
{
    unsigned count = 0;
    float scores[classes];
    for (std::size_t i = learned; i < samples.size(); ++i)
        count += learner.scores(samples[i].z, scores) == Status::ok && best_of(scores) == samples[i].label ? 1 : 0;
    return count / static_cast<double>(samples.size() - learned);
}

template <class Learner, class Spec>
void print_line(const char* name, const Spec& learner_spec, const Gram& sealed, std::vector<Sample> samples)
{
    constexpr unsigned orders = 30;
    std::vector<std::byte> memory(state_bytes(learner_spec));
    double before = 0.0, sum = 0.0, squares = 0.0;
    for (unsigned seed = 0; seed < orders; ++seed) {
        shuffle(samples, seed);
        Learner learner;
        if (learner.open(learner_spec, memory) != Status::ok || learner.start(sealed) != Status::ok)
            return;
        before += right(learner, samples) / orders;
        for (std::size_t i = 0; i < learned; ++i)
            if (learner.learn_class(samples[i].z, samples[i].label) != Status::ok)
                std::printf("refused\n");
        const double after = right(learner, samples);
        sum += after / orders;
        squares += after * after / orders;
    }
    std::printf("%-28s %8zu %8.1f %8.1f %6.1f\n", name, memory.size(), 100.0 * before, 100.0 * sum,
                100.0 * std::sqrt(squares - sum * sum));
}

} // namespace

int main()
{
    const std::vector<Digit> digits = read_digits();
    if (digits.size() < 8 * learned) {
        std::fprintf(stderr, "bench-drift: found %zu digits, expected rows of 64 pixels and the digit\n",
                     digits.size());
        return 2;
    }
    static FixedLearner<sums> gram;
    bool good = gram.open() == Status::ok;
    std::vector<Sample> samples;
    for (std::size_t i = 0; i < digits.size() && good; ++i) {
        if (i % 4 == 0)
            samples.push_back({features_of(drifted(digits[i])), digits[i].label});
        else
            good = gram.add_class(features_of(digits[i].pixels), digits[i].label) == Status::ok;
    }
    if (!good || gram.solve(1.0f) != Status::ok)
        return 1;
    std::printf("%-28s %8s %8s %8s %6s\n", "learner", "bytes", "before", "after", "+-");
    const auto sgd = [&](const char* name, SgdSpec s) {
        s.features = map_features;
        s.outputs = classes;
        print_line<Sgd>(name, s, gram, samples);
    };
    sgd("Sgd", {});
    sgd("Sgd rate .3", {.rate = 0.3f});
    sgd("Sgd adagrad .03", {.step = Step::adagrad, .rate = 0.03f});
    for (const float prior : {0.1f, 1.0f, 10.0f})
        for (const std::uint32_t block : {0u, 1u, 4u, 8u, 10u, 16u, 32u}) {
            char name[64];
            std::snprintf(name, sizeof name, "Rls prior %g block %u", static_cast<double>(prior), block);
            print_line<Rls>(
                name,
                RlsSpec{.features = map_features, .outputs = classes, .forget = 0.999f, .prior = prior, .block = block},
                gram, samples);
        }
    return 0;
}
