// The one thing in the core that is set at run time, on hosts whose build holds several back ends: which of them
// computes.
#include "samara/simd.hpp"

#include "simd/vectors.hpp"

#if SAMARA_DISPATCH
#include <atomic>
#include <cpuid.h>
#endif

namespace samara {

SAMARA_KERNEL_TABLES(simd, SAMARA_SIMD_KERNELS)

const char* name(Simd simd) noexcept
{
    switch (simd) {
    case Simd::scalar:
        return "scalar";
    case Simd::sse2:
        return "sse2";
    case Simd::avx2:
        return "avx2";
    case Simd::avx512:
        return "avx512";
    case Simd::neon64:
        return "neon64";
    }
    return "unknown";
}

#if SAMARA_DISPATCH

namespace {

constexpr unsigned not_chosen = back_ends;
constinit std::atomic<unsigned> active{not_chosen};

// What the processor has and the operating system saves: feature bits alone do not say the latter.
bool available(Simd simd) noexcept
{
    if (simd == Simd::scalar || simd == Simd::sse2)
        return true;
    if (simd == Simd::neon64)
        return false;
    unsigned a = 0, b = 0, c = 0, d = 0;
    if (__get_cpuid(1, &a, &b, &c, &d) == 0)
        return false;
    const bool fma = ((c >> 12) & 1u) != 0, os_saves = ((c >> 27) & 1u) != 0, avx = ((c >> 28) & 1u) != 0;
    if (!fma || !os_saves || !avx)
        return false;
    unsigned low = 0, high = 0;
    __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    if ((low & 0x6u) != 0x6u) // SSE and AVX registers
        return false;
    if (__get_cpuid_count(7, 0, &a, &b, &c, &d) == 0)
        return false;
    if (((b >> 5) & 1u) == 0) // AVX2
        return false;
    if (simd == Simd::avx2)
        return true;
    constexpr unsigned needed = (1u << 16) | (1u << 17) | (1u << 28) | (1u << 30); // F, DQ, CD, BW
    return (b & needed) == needed && (low & 0xe6u) == 0xe6u;                       // and masks and upper halves saved
}

} // namespace

unsigned back_end_in_use() noexcept
{
    unsigned index = active.load(std::memory_order_relaxed);
    if (index == not_chosen) {
        const Simd best = available(Simd::avx512) ? Simd::avx512 : available(Simd::avx2) ? Simd::avx2 : Simd::sse2;
        index = static_cast<unsigned>(best);
        active.store(index, std::memory_order_relaxed); // all threads would choose the same
    }
    return index;
}

Simd active_simd() noexcept { return static_cast<Simd>(back_end_in_use()); }

Status use_simd(Simd simd) noexcept
{
    if (!available(simd))
        return Status::unsupported_simd;
    active.store(static_cast<unsigned>(simd), std::memory_order_relaxed);
    return Status::ok;
}

#else

Simd active_simd() noexcept
{
    constexpr Simd of_arch[] = {Simd::scalar, Simd::scalar, Simd::sse2, Simd::avx2, Simd::avx512, Simd::neon64};
    return of_arch[SAMARA_ARCH_ID];
}

Status use_simd(Simd simd) noexcept { return simd == active_simd() ? Status::ok : Status::unsupported_simd; }

#endif

} // namespace samara
