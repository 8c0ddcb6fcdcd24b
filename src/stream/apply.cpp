// The elementary functions over arrays: for the self-test and for measuring their errors.
#include "stream/kernels.hpp"
#include "stream/lanes.hpp"

namespace samara::SAMARA_ARCH {

namespace {

template <class Function>
SAMARA_INLINE void each(const float* in, float* out, std::size_t n, Function function)
{
    for (std::size_t i = 0; i < n; i += F::size) {
        float part[F::size] = {};
        const std::size_t valid = n - i < F::size ? n - i : F::size;
        for (std::size_t k = 0; k < F::size; ++k)
            part[k] = in[i + (k < valid ? k : 0)];
        store(part, function(load(part)));
        for (std::size_t k = 0; k < valid; ++k)
            out[i + k] = part[k];
    }
}

} // namespace

// in and out may be the same.
void apply_function(Elementary function, const float* in, float* out, std::size_t n)
{
    switch (function) {
    case Elementary::sine:
        return each(in, out, n, [](F x) { return sin_cos_turns(x).sine; });
    case Elementary::cosine:
        return each(in, out, n, [](F x) { return sin_cos_turns(x).cosine; });
    case Elementary::log:
        return each(in, out, n, [](F x) { return log(x); });
    case Elementary::exp:
        return each(in, out, n, [](F x) { return exp(x); });
    case Elementary::sqrt:
        return each(in, out, n, [](F x) { return sqrt(x); });
    case Elementary::round:
        return each(in, out, n, [](F x) { return round_to_integer(x); });
    case Elementary::inverse_normal:
        return each(in, out, n, [](F x) { return inverse_normal(bits(x)); });
    case Elementary::fma:
        for (std::size_t i = 0; i < n; i += F::size) {
            float part[3][F::size];
            for (std::size_t k = 0; k < F::size; ++k)
                for (std::size_t j = 0; j < 3; ++j)
                    part[j][k] = in[j * n + (i + k < n ? i + k : i)];
            float result[F::size];
            store(result, fma(load(part[0]), load(part[1]), load(part[2])));
            for (std::size_t k = 0; k < F::size && i + k < n; ++k)
                out[i + k] = result[k];
        }
        return;
    }
}

} // namespace samara::SAMARA_ARCH
