#include "transform/walsh_hadamard.hpp"

#include "transform/kernels.hpp"

namespace samara::SAMARA_ARCH {

void hadamard(float* values, unsigned log2_size)
{
    const std::size_t n = std::size_t{1} << log2_size;
    if (n >= F::size) {
        transform(values, log2_size, nullptr);
        return;
    }
    for (std::size_t h = 1; h < n; h *= 2) {
        for (std::size_t i = 0; i < n; ++i) {
            if ((i & h) == 0) {
                const float a = values[i], b = values[i + h];
                values[i] = a + b;
                values[i + h] = a - b;
            }
        }
    }
}

} // namespace samara::SAMARA_ARCH
