#include "ports/host/bench/bench_baseline.hpp"

#include <random>

namespace samara::desk {

void plain_hadamard(float* values, std::size_t count)
{
    for (std::size_t half = 1; half < count; half *= 2) {
        for (std::size_t first = 0; first < count; first += 2 * half) {
            for (std::size_t index = first; index < first + half; ++index) {
                const float left = values[index];
                const float right = values[index + half];
                values[index] = left + right;
                values[index + half] = left - right;
            }
        }
    }
}

// A template's function left out of line would be a weak symbol with this machine's instructions in it, and the linker
// might take it for the whole program. So the generator has a type of this file, which what is made for it inherits,
// and the rest is flattened.
namespace {
struct Generator : std::mt19937 {
    using std::mt19937::mt19937;
};
} // namespace

[[gnu::flatten]] void standard_normals(float* values, std::size_t count)
{
    Generator generator(1);
    std::normal_distribution<float> distribution;
    for (std::size_t index = 0; index < count; ++index) {
        values[index] = distribution(generator);
    }
}

} // namespace samara::desk
