// Which pixels occur together in random features: arXiv 1703.07872, Figure 4. Of 500,000 features of four skeletons
// over an image of 24 x 24 pixels, the correlation between whether four chosen pixels are in a feature and whether each
// other one is. For a fully connected one it is the same everywhere; convolutions bring neighbours together.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include "examples/skeletons/plot.hpp"
#include "examples/skeletons/skeletons.hpp"
#include "ports/host/skeleton/skeleton_part.hpp"
#include "ports/host/skeleton/skeleton_text.hpp"
#include "samara/skeleton/features.hpp"

namespace samara::examples {

namespace {

using namespace samara::desk;

constexpr std::uint32_t side = 24, pixels = side * side, features = 500000;

struct Kernel {
    const char* name;
    std::string layers;
};

// Patches of 4 x 4 with stride 2 while there is room.
std::vector<Kernel> kernels()
{
    const std::string relu = " patch=4 stride=2 dual=relu\n", first = "windows a of=x" + relu,
                      second = "windows b of=a" + relu, third = "windows c of=b" + relu;
    const auto all = [](const char* of) { return std::string("node top of=") + of + " dual=relu\n"; };
    return {{"flat", all("x")},
            {"one convolution", first + all("a")},
            {"two", first + second + all("b")},
            {"three", first + second + third + all("c")}};
}

// How often each pixel is in a feature, and together with each of the chosen ones.
struct Counts {
    std::vector<double> single = std::vector<double>(pixels);
    std::vector<std::vector<double>> pair;
};

Counts count(const Skeleton& skeleton, const std::vector<std::uint32_t>& chosen)
{
    Counts counts;
    counts.pair.assign(chosen.size(), std::vector<double>(pixels));
    std::vector<std::uint32_t> seen;
    for (std::uint32_t i = 0; i < features; ++i) {
        seen.clear();
        skeleton_factors(
            skeleton, 1, i,
            [](void* context, const SkeletonFactor& factor) {
                static_cast<std::vector<std::uint32_t>*>(context)->push_back(factor.node);
            },
            &seen);
        std::sort(seen.begin(), seen.end());
        seen.erase(std::unique(seen.begin(), seen.end()), seen.end());
        for (const std::uint32_t pixel : seen) {
            counts.single[pixel] += 1.0;
        }
        for (std::size_t c = 0; c < chosen.size(); ++c) {
            if (std::binary_search(seen.begin(), seen.end(), chosen[c])) {
                for (const std::uint32_t pixel : seen) {
                    counts.pair[c][pixel] += 1.0;
                }
            }
        }
    }
    return counts;
}

} // namespace

int draw_pixels(const Job& job)
{
    const std::vector<std::uint32_t> chosen = {5 * side + 5, 5 * side + 17, 12 * side + 12, 17 * side + 6};
    std::vector<Heat> squares;
    std::printf("%-16s %8s  %s\n", "kernel", "cost", "mean correlation of a pixel with others 1, 2, 4, 8, 16 away");
    for (const Kernel& kernel : kernels()) {
        const SkeletonPart part{
            .bytes = skeleton_from_text("circle x height=24 width=24 period=1\n" + kernel.layers, "skeleton")};
        const Skeleton skeleton = skeleton_of(part);
        const Counts counts = count(skeleton, chosen);
        std::vector<double> sums(side + 1), numbers(side + 1);
        for (std::size_t c = 0; c < chosen.size(); ++c) {
            Heat heat{kernel.name, side, std::vector<double>(pixels), chosen[c]};
            const double own = counts.single[chosen[c]] / features;
            for (std::uint32_t pixel = 0; pixel < pixels; ++pixel) {
                const double other = counts.single[pixel] / features, both = counts.pair[c][pixel] / features;
                const double spread = std::sqrt(own * (1.0 - own) * other * (1.0 - other));
                const double correlation = spread > 0.0 ? (both - own * other) / spread : 0.0;
                const auto apart = [&](std::uint32_t a, std::uint32_t b) { return a > b ? a - b : b - a; };
                const std::uint32_t away =
                    std::max(apart(pixel / side, chosen[c] / side), apart(pixel % side, chosen[c] % side));
                sums[away] += correlation;
                numbers[away] += 1.0;
                // Correlations above a tenth are the brightest: one of a pixel with itself would leave the rest dark.
                heat.values[pixel] = correlation / 0.1;
            }
            squares.push_back(heat);
        }
        std::printf("%-16s %8.3f ", kernel.name, skeleton.cost() / double{one_factor});
        for (const std::uint32_t away : {1u, 2u, 4u, 8u, 16u})
            std::printf(" %8.4f", sums[away] / numbers[away]);
        std::printf("\n");
    }
    write_heat(job.out + "/figure4.svg", squares, 4);
    return 0;
}

} // namespace samara::examples
