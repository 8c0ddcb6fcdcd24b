// How long the exact kernel of convolutional networks takes.
//
//     bench-cntk-exact [HEIGHT WIDTH CHANNELS PATCH DEPTH]
//
// Of smooth random images, 32 x 32 x 3 unless others are asked for: milliseconds a pair, by eight pairs at a time on
// one and on two threads, and by the core's function. The best of three runs.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <limits>
#include <span>
#include <vector>

#include "ports/host/training/exact_cntk.hpp"
#include "samara/simd.hpp"

namespace {

using namespace samara;
using namespace samara::desk;

MatrixF smooth_images(const CntkShape& shape, std::size_t count)
{
    MatrixF images(count, cntk_inputs(shape));
    std::uint32_t state = 1;
    for (std::size_t i = 0; i < count; ++i) {
        float last = 0.0f;
        for (std::size_t k = 0; k < images.cols; ++k) {
            state = state * 1664525u + 1013904223u;
            last = 0.8f * last + static_cast<float>(static_cast<std::int32_t>(state)) * 0x1p-31f;
            images.row(i)[k] = last;
        }
    }
    return images;
}

struct Seconds {
    double wall = std::numeric_limits<double>::infinity(), processor = wall;
};

template <class Action>
Seconds best_seconds(const Action& action)
{
    Seconds best;
    for (int run = 0; run < 5; ++run) {
        const auto start = std::chrono::steady_clock::now();
        const std::clock_t clock = std::clock();
        action();
        best.processor = std::min(best.processor, static_cast<double>(std::clock() - clock) / CLOCKS_PER_SEC);
        best.wall =
            std::min(best.wall, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
    }
    return best;
}

} // namespace

int main(int count, char** words)
{
    CntkShape shape{.height = 32, .width = 32, .channels = 3};
    std::uint32_t* const fields[] = {&shape.height, &shape.width, &shape.channels, &shape.patch, &shape.depth};
    for (int i = 1; i < count && i <= 5; ++i)
        *fields[i - 1] = static_cast<std::uint32_t>(std::strtoul(words[i], nullptr, 10));
    if (!check(shape)) {
        std::fprintf(stderr, "no such shape\n");
        return 1;
    }
    const MatrixF x = smooth_images(shape, 16), y = smooth_images(shape, 32);
    const auto pairs = static_cast<double>(x.rows * y.rows);
    std::printf("%u x %u x %u, patch %u, depth %u, %s\n", shape.height, shape.width, shape.channels, shape.patch,
                shape.depth, name(active_simd()));
    MatrixD k;
    for (const unsigned threads : {1u, 2u}) {
        const Seconds seconds = best_seconds([&] { k = cntk_matrix(shape, x, y, threads); });
        std::printf("%u threads  %9.4f ms a pair, %.4f of a processor\n", threads, 1e3 * seconds.wall / pairs,
                    1e3 * seconds.processor / pairs);
    }
    std::vector<double> work(cntk_workspace_bytes(shape) / sizeof(double) + 1);
    double value = 0.0;
    const Seconds seconds = best_seconds([&] {
        if (cntk_kernel(shape, {x.row(1), x.cols}, {y.row(9), y.cols}, value,
                        std::as_writable_bytes(std::span(work))) != Status::ok)
            std::abort();
    });
    std::printf("the core   %9.4f ms a pair\n", 1e3 * seconds.wall);
    std::printf("error      %9.2g of the core's\n", std::abs(k.row(1)[9] / value - 1.0));
}
