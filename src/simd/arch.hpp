// What every source file knows about the back end that it is being compiled for.
//
// A kernel file is compiled once for each back end with SAMARA_ARCH set to its name; all that it defines lives in
// namespace samara::SAMARA_ARCH, so that no AVX instruction can end up under a name that an older CPU might call.
#pragma once

#ifdef __FAST_MATH__
#error "samara's own files must not be compiled with -ffast-math or -Ofast: features would have other bits"
#endif

#include <cstddef>
#include <cstdint>

#ifndef SAMARA_ARCH
#define SAMARA_ARCH scalar
#endif
#ifndef SAMARA_DISPATCH
#define SAMARA_DISPATCH 0
#endif

// Forced, so that even an unoptimised build leaves no out-of-line copy of a helper.
#define SAMARA_INLINE [[gnu::always_inline]] inline

#define SAMARA_ARCH_ID_scalar 1
#define SAMARA_ARCH_ID_sse2 2
#define SAMARA_ARCH_ID_avx2 3
#define SAMARA_ARCH_ID_avx512 4
#define SAMARA_ARCH_ID_neon64 5
#define SAMARA_ARCH_JOIN_(a, b) a##b
#define SAMARA_ARCH_JOIN(a, b) SAMARA_ARCH_JOIN_(a, b)
#define SAMARA_ARCH_ID SAMARA_ARCH_JOIN(SAMARA_ARCH_ID_, SAMARA_ARCH)
