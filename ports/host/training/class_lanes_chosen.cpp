#include "ports/host/training/class_lanes.hpp"
#include "samara/simd.hpp"

#ifndef SAMARA_ARCH
#define SAMARA_ARCH scalar
#endif

#define SAMARA_CLASS_LANES(arch)                                                                                       \
    namespace arch {                                                                                                   \
    void class_scores(const ClassTile& tile, const float* weights, float* scores);                                     \
    void add_class_products(const ClassTile& tile, const float* scores, float* sums);                                  \
    }

namespace samara::desk {

SAMARA_CLASS_LANES(SAMARA_ARCH)
#if SAMARA_DISPATCH
SAMARA_CLASS_LANES(sse2)
SAMARA_CLASS_LANES(avx2)
SAMARA_CLASS_LANES(avx512)
#endif

ClassLanes chosen_class_lanes()
{
#if SAMARA_DISPATCH
    switch (active_simd()) {
    case Simd::avx512:
        return {avx512::class_scores, avx512::add_class_products};
    case Simd::avx2:
        return {avx2::class_scores, avx2::add_class_products};
    case Simd::sse2:
        return {sse2::class_scores, sse2::add_class_products};
    default:
        break;
    }
#endif
    return {SAMARA_ARCH::class_scores, SAMARA_ARCH::add_class_products};
}

} // namespace samara::desk
