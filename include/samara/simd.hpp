// Which vector unit computes, and whether the floating-point environment keeps the contract of equal bits.
#pragma once

#include <cstdint>

#include "samara/status.hpp"

namespace samara {

enum class Simd : std::uint8_t { scalar, sse2, avx2, avx512, neon64 };

// The back end in use. On x86 hosts the best that the processor and its operating system allow is chosen at the first
// call of any function, unless use_simd() was called before; elsewhere it is fixed when the library is built.
Simd active_simd() noexcept;
const char* name(Simd simd) noexcept;

// Host builds only: forces a back end. unsupported_simd if it is not in this build or this processor cannot run it.
// Every back end gives the same bits, so this changes speed alone. Call it before other threads compute.
Status use_simd(Simd simd) noexcept;

// Checks that results are rounded to nearest even, subnormals are kept, and there is no excess precision. Returns
// bad_environment if not.
Status check_environment() noexcept;

} // namespace samara
