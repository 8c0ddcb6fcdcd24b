// What is normal, learned on the board: the mean of the random features of normal samples is a kernel density estimate,
// <z(x), mean z> the density at x, and what lies far below the normal ones' densities is an anomaly. Nothing comes from
// a desk but the spec. The samples are analyses of wines; one cultivar is normal, the two others are not.
#include "print.hpp"
#include "samara/samara.hpp"

namespace {

constexpr std::size_t inputs = 13;
constexpr float wines[][inputs + 1] = {
#include "data/wine.inc"
};
constexpr std::size_t wine_count = sizeof wines / sizeof wines[0];
constexpr std::size_t normal = 0, learned = 40; // cultivar; how many of its 59 wines are learned from

constexpr samara::RffSpec spec{
    .inputs = inputs, .features = 256, .orders = samara::Orders::one, .bandwidth = 4, .seed = 1};

samara::Fixed<spec> map;
float mean[inputs], deviation[inputs], x[inputs], z[spec.features], centre[spec.features];
float densities[wine_count];

bool features_of(const float* wine)
{
    for (std::size_t i = 0; i < inputs; ++i)
        x[i] = (wine[i] - mean[i]) / deviation[i];
    return map.features(x, z) == samara::Status::ok;
}

} // namespace

SAMARA_EXAMPLE_MAIN
{
    // The normal wines come first. Mean and mean absolute deviation of each input, as they come.
    for (std::size_t k = 0; k < learned; ++k)
        for (std::size_t i = 0; i < inputs; ++i)
            mean[i] += wines[k][i] / learned;
    for (std::size_t k = 0; k < learned; ++k)
        for (std::size_t i = 0; i < inputs; ++i) {
            const float off = wines[k][i] - mean[i];
            deviation[i] += (off < 0 ? -off : off) / learned;
        }

    example::Meter meter;
    for (std::size_t k = 0; k < learned; ++k) {
        meter.begin();
        if (!features_of(wines[k]))
            return 1;
        for (std::size_t j = 0; j < spec.features; ++j)
            centre[j] += z[j] / learned;
        meter.end();
    }

    float threshold = 1;
    for (std::size_t k = 0; k < wine_count; ++k) {
        if (!features_of(wines[k]))
            return 1;
        for (std::size_t j = 0; j < spec.features; ++j)
            densities[k] += z[j] * centre[j];
        if (k < learned && densities[k] < threshold)
            threshold = densities[k];
    }
    unsigned found = 0, others = 0, false_alarms = 0, unseen = 0;
    for (std::size_t k = learned; k < wine_count; ++k) {
        const bool alarm = densities[k] < threshold;
        if (wines[k][inputs] == normal) {
            ++unseen;
            false_alarms += alarm ? 1 : 0;
        } else {
            ++others;
            found += alarm ? 1 : 0;
        }
    }
    example::line("anomalies", others);
    example::line("found", found);
    example::line("unseen_normal", unseen);
    example::line("false_alarms", false_alarms);
    example::line("ram", sizeof map + sizeof z + sizeof centre + sizeof mean + sizeof deviation);
    meter.report();
    return 10 * found > 9 * others && 5 * false_alarms < unseen ? 0 : 1;
}
