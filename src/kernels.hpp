// The functions that are compiled once for each back end, and how the rest of the core calls them.
//
// Where one back end is built (every device), SAMARA_KERNEL(f) is that function itself, so the linker keeps what is
// used. Where several are built, it goes through a table that the selector sets once.
#pragma once

#include <cstddef>
#include <cstdint>

#include "learn/adagrad_step.hpp"
#include "map/finish.hpp"
#include "model/readout_block.hpp"
#include "project/block.hpp"
#include "samara/stream.hpp"
#include "simd/arch.hpp"

#define SAMARA_KERNEL_LIST(X)                                                                                          \
    X(void, fill_words, (StreamKey key, std::uint32_t * out, std::size_t n))                                           \
    X(void, fill_uniforms, (StreamKey key, float* out, std::size_t n))                                                 \
    X(void, fill_normals, (StreamKey key, float* out, std::size_t n))                                                  \
    X(void, fill_cauchy, (StreamKey key, float* out, std::size_t n))                                                   \
    X(void, fill_laplace, (StreamKey key, float* out, std::size_t n))                                                  \
    X(void, fill_chi, (StreamKey key, std::uint32_t freedom, float* out, std::size_t n))                               \
    X(void, hadamard, (float* values, unsigned log2_size))                                                             \
    X(std::uint32_t, largest_magnitude_bits, (const float* x, std::size_t n))                                          \
    X(float, sum_of_squares, (const float* x, std::size_t n, float factor))                                            \
    X(void, scaled_copy, (const float* x, std::size_t n, float factor, float* out))                                    \
    X(void, hadamard_rows, (const RowBlock& b))                                                                        \
    X(void, fastfood_rows, (const RowBlock& b))                                                                        \
    X(void, dense_normal_rows, (const RowBlock& b))                                                                    \
    X(void, dense_cauchy_rows, (const RowBlock& b))                                                                    \
    X(void, dense_laplace_rows, (const RowBlock& b))                                                                   \
    X(void, unit_rows, (const RowBlock& b))                                                                            \
    X(void, gibbs_rows, (const RowBlock& b))                                                                           \
    X(void, quasi_normal_rows, (const RowBlock& b))                                                                    \
    X(void, quasi_cauchy_rows, (const RowBlock& b))                                                                    \
    X(void, quasi_laplace_rows, (const RowBlock& b))                                                                   \
    X(void, finish_pair, (const FinishArgs& f))                                                                        \
    X(void, finish_pair_centred, (const FinishArgs& f))                                                                \
    X(void, finish_phase, (const FinishArgs& f))                                                                       \
    X(void, finish_relu, (const FinishArgs& f))                                                                        \
    X(void, finish_absolute, (const FinishArgs& f))                                                                    \
    X(void, finish_absolute_tail, (const FinishArgs& f))                                                               \
    X(void, finish_step, (const FinishArgs& f))                                                                        \
    X(void, finish_sign, (const FinishArgs& f))                                                                        \
    X(void, finish_series, (const FinishArgs& f))                                                                      \
    X(void, finish_series_tail, (const FinishArgs& f))                                                                 \
    X(void, finish_series_rest, (const FinishArgs& f))                                                                 \
    X(void, add_multiple, (float a, const float* x, std::size_t n, float* y))                                          \
    X(void, mix, (float a, float b, const float* x, std::size_t n, float* y))                                          \
    X(float, dot, (const float* a, const float* b, std::size_t n))                                                     \
    X(void, adagrad_step, (const AdagradStep& s))                                                                      \
    X(void, rls_column, (float lambda, float v, std::size_t n, float* u, float* gain))                                 \
    X(void, add_readout_float32, (const ReadoutBlock& r))                                                              \
    X(void, add_readout_float16, (const ReadoutBlock& r))                                                              \
    X(void, add_readout_int8, (const ReadoutBlock& r))                                                                 \
    X(void, signed_hadamard,                                                                                           \
      (StreamKey key, const float* x, std::size_t n, float* y, unsigned log2_size, std::uint32_t* signs))              \
    X(void, sampled_rows,                                                                                              \
      (const Bijection& bijection, std::uint32_t first, std::uint32_t flip, std::size_t n, std::uint32_t* rows))       \
    X(void, gather, (const float* values, const std::uint32_t* rows, std::size_t n, float scale, float* out))          \
    X(void, gather_products,                                                                                           \
      (const float* left, const float* right, const std::uint32_t* rows, std::size_t n, float scale, float* out))      \
    X(void, turned_products,                                                                                           \
      (const float* left, const float* right, std::uint32_t turn, std::size_t n, float scale, float* out))             \
    X(void, grouped_products,                                                                                          \
      (const float* left, const float* right, const std::uint32_t* groups, std::size_t n, float scale, float* out))    \
    X(void, apply_function, (int which, const float* in, float* out, std::size_t n))

namespace samara {

#define SAMARA_DECLARE(result, name, arguments) result name arguments;
#if SAMARA_DISPATCH
namespace scalar {
SAMARA_KERNEL_LIST(SAMARA_DECLARE)
}
namespace sse2 {
SAMARA_KERNEL_LIST(SAMARA_DECLARE)
}
namespace avx2 {
SAMARA_KERNEL_LIST(SAMARA_DECLARE)
}
namespace avx512 {
SAMARA_KERNEL_LIST(SAMARA_DECLARE)
}

struct KernelTable {
#define SAMARA_FIELD(result, name, arguments) result(*name) arguments;
    SAMARA_KERNEL_LIST(SAMARA_FIELD)
#undef SAMARA_FIELD
};
const KernelTable& kernel_table() noexcept;
#define SAMARA_KERNEL(name) (::samara::kernel_table().name)
#else
namespace SAMARA_ARCH {
SAMARA_KERNEL_LIST(SAMARA_DECLARE)
}
#define SAMARA_KERNEL(name) (::samara::SAMARA_ARCH::name)
#endif
#undef SAMARA_DECLARE

} // namespace samara
