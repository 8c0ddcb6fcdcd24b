#include "skeleton/kernels.hpp"
#include "stream/lanes.hpp"

namespace samara::SAMARA_ARCH {

namespace {

SAMARA_INLINE void turn_pack(const std::uint32_t* phases, float* re, float* im)
{
    const SinCos v = sin_cos_turns(to_float(load(phases)) * broadcast(0x1p-32f));
    const F a = load(re), b = load(im);
    store(re, fma(flip_sign(b, broadcast(0x80000000u)), v.sine, a * v.cosine));
    store(im, fma(b, v.cosine, a * v.sine));
}

} // namespace

void turn(const std::uint32_t* phases, std::size_t count, float* re, float* im)
{
    std::size_t i = 0;
    for (; i + F::size <= count; i += F::size)
        turn_pack(phases + i, re + i, im + i);
    if (i == count)
        return;
    std::uint32_t phase[F::size] = {};
    float a[F::size] = {}, b[F::size] = {};
    for (std::size_t k = 0; i + k < count; ++k) {
        phase[k] = phases[i + k];
        a[k] = re[i + k];
        b[k] = im[i + k];
    }
    turn_pack(phase, a, b);
    for (std::size_t k = 0; i + k < count; ++k) {
        re[i + k] = a[k];
        im[i + k] = b[k];
    }
}

} // namespace samara::SAMARA_ARCH
