#include "ports/host/training/cntk_lanes.hpp"
#include "samara/simd.hpp"

#ifndef SAMARA_ARCH
#define SAMARA_ARCH scalar
#endif

namespace samara::desk {

namespace SAMARA_ARCH {
void cntk_lanes_kernel(const CntkLanesTask& task, Lanes& out);
}
#if SAMARA_DISPATCH
namespace sse2 {
void cntk_lanes_kernel(const CntkLanesTask& task, Lanes& out);
}
namespace avx2 {
void cntk_lanes_kernel(const CntkLanesTask& task, Lanes& out);
}
namespace avx512 {
void cntk_lanes_kernel(const CntkLanesTask& task, Lanes& out);
}
#endif

CntkLanesKernel chosen_cntk_lanes()
{
#if SAMARA_DISPATCH
    switch (active_simd()) {
    case Simd::avx512:
        return avx512::cntk_lanes_kernel;
    case Simd::avx2:
        return avx2::cntk_lanes_kernel;
    case Simd::sse2:
        return sse2::cntk_lanes_kernel;
    default:
        break;
    }
#endif
    return SAMARA_ARCH::cntk_lanes_kernel;
}

} // namespace samara::desk
