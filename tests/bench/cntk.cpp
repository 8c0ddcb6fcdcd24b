// How long features of the convolutional NTK take, on one thread: an image of 32 x 32 x 3 pixels at several numbers of
// features, and 1,024 features at several sizes of images; depth 3, windows of 3 x 3. The least of a few runs counts,
// of a processor's time, so that other programs matter little.
//
//   bench-cntk
#include <algorithm>
#include <cstdio>
#include <ctime>
#include <vector>

#include "samara/samara.hpp"

namespace {

using namespace samara;

constexpr std::size_t images = 4, runs = 10;

void measure(std::uint32_t side, std::uint32_t features_of_map)
{
    CntkSpec spec;
    spec.height = spec.width = side;
    spec.channels = 3;
    spec.inputs = side * side * 3;
    spec.features = features_of_map;
    spec = resolve(spec);
    std::vector<float> x(images * spec.inputs), z(images * spec.features);
    for (std::size_t i = 0; i < x.size(); ++i)
        x[i] = 0.01f * static_cast<float>(i * i % 997);
    std::vector<std::uint32_t> work(workspace_bytes(spec) / 4);
    double least = 1e9;
    for (std::size_t run = 0; run < runs; ++run) {
        const std::clock_t begun = std::clock();
        if (features(spec, x, z, images, std::as_writable_bytes(std::span(work))) != Status::ok)
            return;
        least = std::min(least, 1e3 * static_cast<double>(std::clock() - begun) / CLOCKS_PER_SEC / images);
    }
    std::printf("%2u x %2u x 3, %5u features, inner %5u: %8.3f ms an image, %6.3f us a pixel, %9zu bytes\n", side, side,
                spec.features, spec.inner, least, 1000.0 * least / (side * side), workspace_bytes(spec));
}

} // namespace

int main()
{
    for (const std::uint32_t features_of_map : {256u, 512u, 1024u, 2048u, 4096u, 8192u})
        measure(32, features_of_map);
    for (const std::uint32_t side : {8u, 16u, 32u, 64u})
        measure(side, 1024);
}
