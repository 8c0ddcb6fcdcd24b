// What a user might write: maps as static objects, input made here, digests printed. Compiled with all kinds of flags.
#include <cinttypes>
#include <cstdio>

#include "samara/samara.hpp"

namespace {

using namespace samara;

constexpr std::size_t samples = 9;

template <auto spec>
bool run(const char* name)
{
    static Fixed<spec> map;
    static float x[samples][spec.inputs], z[samples][spec.features];

    // Small integers by a power of two: exact, whatever a compiler does with it.
    std::uint32_t state = 1;
    for (auto& sample : x) {
        for (float& value : sample) {
            state = state * 1664525u + 1013904223u;
            value = static_cast<float>(static_cast<std::int32_t>(state >> 20) - 2048) * 0.0009765625f;
        }
    }
    std::uint32_t crc = 0;
    for (std::size_t i = 0; i < samples; ++i) {
        if (map.features(x[i], z[i]) != Status::ok)
            return false;
        crc = crc32(std::as_bytes(std::span(z[i])), crc);
    }
    std::printf("%s %08" PRIx32 "\n", name, crc);

    const std::size_t all = samples * spec.features;
    if (map.features(std::span(&x[0][0], samples * spec.inputs), std::span(&z[0][0], all), samples) != Status::ok)
        return false;
    std::printf("%s batch %08" PRIx32 "\n", name, crc32(std::as_bytes(std::span(&z[0][0], all))));

    // The last block, whose size the headers compute.
    constexpr std::uint32_t last = Fixed<spec>::blocks - 1;
    static float part[Fixed<spec>::block_features];
    if (map.block(last, x[0], part) != Status::ok)
        return false;
    const std::size_t count = block_range(Fixed<spec>::spec, last).count;
    std::printf("%s block %08" PRIx32 "\n", name, crc32(std::as_bytes(std::span(part).first(count))));
    return true;
}

// What the headers alone decide, at run time here.
void print_sizes(volatile float* bandwidth)
{
    for (const float b : {0.3f, 1.0f, 1e-30f, 1e30f}) {
        *bandwidth = b;
        const RffSpec spec = resolve(RffSpec{.inputs = 64, .features = 300, .bandwidth = *bandwidth});
        std::printf("sizes %d %u %zu %u\n", check(spec) ? 1 : 0, unsigned{block_count(spec)}, workspace_bytes(spec),
                    unsigned{largest_block(spec)});
    }
}

constexpr RffSpec fourier{.inputs = 64, .features = 300, .bandwidth = 2.3f, .seed = 7};
constexpr RffSpec phase{.inputs = 20, .features = 301, .form = Form::phase, .bandwidth = 0.7f, .seed = 8};
constexpr RffSpec laplacian{.inputs = 5, .features = 100, .kernel = Kernel::laplacian, .bandwidth = 3, .seed = 9};
constexpr RffSpec cauchy{.inputs = 33, .features = 200, .kernel = Kernel::cauchy, .rows = Rows::quasi, .seed = 10};
constexpr RffSpec fastfood{.inputs = 33, .features = 200, .rows = Rows::fastfood, .bandwidth = 3.7f, .seed = 11};
constexpr ArcCosSpec relu{.inputs = 64, .features = 300, .seed = 7};
constexpr ArcCosSpec step{.inputs = 17, .features = 90, .order = 0, .rows = Rows::dense, .seed = 12};
constexpr ArcCosSpec gibbs{.inputs = 9, .features = 70, .rows = Rows::gibbs, .seed = 13};

} // namespace

int main()
{
    if (check_environment() != Status::ok) {
        std::puts("the floating-point environment is not the one that bits are promised for");
        return 1;
    }
    float bandwidth = 0;
    print_sizes(&bandwidth);
    const bool done = run<fourier>("fourier") && run<phase>("phase") && run<laplacian>("laplacian") &&
                      run<cauchy>("cauchy") && run<fastfood>("fastfood") && run<relu>("relu") && run<step>("step") &&
                      run<gibbs>("gibbs");
    return done ? 0 : 1;
}
