// Functions that are compiled once for each back end, and how the rest of the core calls them.
//
// Each directory of src (a "room") that has such functions lists them in a header, as a macro LIST(X) with an entry
// X(result, name, (arguments)) for each, and says
//
//   SAMARA_KERNELS(room, LIST)          in that header: declares them for every back end that is built
//   SAMARA_KERNEL_TABLES(room, LIST)    in one source that is compiled once
//   SAMARA_KERNEL(room, name)(...)      calls one
//
// Where one back end is built (every device), SAMARA_KERNEL is that function itself, so the linker keeps what is used.
// Where several are built, the call goes through the room's table for the back end in use.
#pragma once

#include <cstddef>
#include <cstdint>

#include "simd/arch.hpp"

#define SAMARA_DECLARE_KERNEL(result, name, arguments) result name arguments;

#if SAMARA_DISPATCH

#define SAMARA_KERNEL_FIELD(result, name, arguments) result(*name) arguments;
#define SAMARA_SCALAR_KERNEL(result, name, arguments) scalar::name,
#define SAMARA_SSE2_KERNEL(result, name, arguments) sse2::name,
#define SAMARA_AVX2_KERNEL(result, name, arguments) avx2::name,
#define SAMARA_AVX512_KERNEL(result, name, arguments) avx512::name,

#define SAMARA_KERNELS(room, LIST)                                                                                     \
    namespace scalar {                                                                                                 \
    LIST(SAMARA_DECLARE_KERNEL)                                                                                        \
    }                                                                                                                  \
    namespace sse2 {                                                                                                   \
    LIST(SAMARA_DECLARE_KERNEL)                                                                                        \
    }                                                                                                                  \
    namespace avx2 {                                                                                                   \
    LIST(SAMARA_DECLARE_KERNEL)                                                                                        \
    }                                                                                                                  \
    namespace avx512 {                                                                                                 \
    LIST(SAMARA_DECLARE_KERNEL)                                                                                        \
    }                                                                                                                  \
    struct room##_kernel_table {                                                                                       \
        LIST(SAMARA_KERNEL_FIELD)                                                                                      \
    };                                                                                                                 \
    extern const room##_kernel_table room##_kernels[back_ends];

#define SAMARA_KERNEL_TABLES(room, LIST)                                                                               \
    constinit const room##_kernel_table room##_kernels[back_ends] = {                                                  \
        {LIST(SAMARA_SCALAR_KERNEL)},                                                                                  \
        {LIST(SAMARA_SSE2_KERNEL)},                                                                                    \
        {LIST(SAMARA_AVX2_KERNEL)},                                                                                    \
        {LIST(SAMARA_AVX512_KERNEL)},                                                                                  \
    };

#define SAMARA_KERNEL(room, name) (::samara::room##_kernels[::samara::back_end_in_use()].name)

namespace samara {

inline constexpr unsigned back_ends = 4;

// 0 scalar, 1 SSE2, 2 AVX2, 3 AVX-512: the one thing that is chosen at run time.
unsigned back_end_in_use() noexcept;

} // namespace samara

#else

#define SAMARA_KERNELS(room, LIST)                                                                                     \
    namespace SAMARA_ARCH {                                                                                            \
    LIST(SAMARA_DECLARE_KERNEL)                                                                                        \
    }
#define SAMARA_KERNEL_TABLES(room, LIST)
#define SAMARA_KERNEL(room, name) (::samara::SAMARA_ARCH::name)

#endif
