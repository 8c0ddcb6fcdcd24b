#include "measure.hpp"

std::vector<double> measure::gram_of(const std::vector<float>& z, std::size_t n, std::size_t m)
{
    std::vector<double> g(n * n);
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j <= i; ++j) {
            const float *a = z.data() + i * m, *b = z.data() + j * m;
            double part[4] = {}; // apart, so that the compiler may use vectors
            std::size_t k = 0;
            for (; k + 4 <= m; k += 4)
                for (std::size_t l = 0; l < 4; ++l)
                    part[l] += static_cast<double>(a[k + l]) * static_cast<double>(b[k + l]);
            for (; k < m; ++k)
                part[0] += static_cast<double>(a[k]) * static_cast<double>(b[k]);
            g[i * n + j] = g[j * n + i] = part[0] + part[1] + part[2] + part[3];
        }
    return g;
}
