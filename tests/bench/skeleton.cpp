// How long a million random features of a skeleton take, for skeletons of several costs: two convolutions of 5 x 5 and
// 4 x 4 places, stride 2, over an image of 24 x 24 pixels and 3 channels, and a node of all; circles, on one thread.
//
//   bench-skeleton
#include <chrono>
#include <cmath>
#include <cstdio>
#include <vector>

#include "samara/samara.hpp"

namespace {

using namespace samara;

constexpr std::uint32_t features = 1'000'000, block = 1000;

// Steps of exp(a (r - 1)), at least 2^-32 apart from 1.
std::vector<std::uint32_t> exponential(double a)
{
    std::vector<std::uint32_t> steps;
    double term = std::exp(-a), sum = term;
    for (unsigned j = 1; std::round(sum * 0x1p32) < 0x1p32; ++j) {
        steps.push_back(static_cast<std::uint32_t>(std::round(sum * 0x1p32)));
        term *= a / j;
        sum += term;
    }
    return steps;
}

void measure(const char* name, const SkeletonActivation& activation)
{
    std::vector<std::byte> bytes(8192);
    SkeletonBuilder build(bytes, 4);
    const std::uint32_t pixels = build.circles({24, 24, 3}, 0, 0.5f);
    const std::uint32_t first = build.windows(pixels, {5, 5, 2, 2}, activation);
    build.node(build.windows(first, {4, 4, 2, 2}, activation), activation);
    Skeleton skeleton;
    if (!build.finish(skeleton))
        return;
    std::vector<float> x(skeleton.inputs()), real(block), imaginary(block);
    for (std::size_t i = 0; i < x.size(); ++i)
        x[i] = 0.01f * static_cast<float>(i * 37 % 101);
    std::vector<std::uint32_t> work(skeleton_workspace_bytes(skeleton, block) / 4);
    const auto begun = std::chrono::steady_clock::now();
    double sum = 0.0;
    for (std::uint32_t i = 0; i < features; i += block) {
        if (skeleton_features(skeleton, 1, i, x, real, imaginary, std::as_writable_bytes(std::span(work))) !=
            Status::ok)
            return;
        sum += static_cast<double>(real[0]);
    }
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begun;
    std::printf("%-12s %4zu bytes  cost %8.4f  %7.4f s  (%g)\n", name, skeleton.bytes().size(),
                static_cast<double>(skeleton.cost()) / one_factor, taken.count(), sum);
}

} // namespace

int main()
{
    measure("relu", {SkeletonDual::relu, {}});
    for (const double a : {0.46, 0.8, 1.0, 1.5, 2.0, 2.71}) {
        const std::vector<std::uint32_t> steps = exponential(a);
        char name[24];
        std::snprintf(name, sizeof name, "exp(%g)", a);
        measure(name, {SkeletonDual::series, steps});
    }
}
