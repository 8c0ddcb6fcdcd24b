// What Fixed<spec> and the maps share: a map as its sizes and three functions. Not for direct use.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "samara/map.hpp"

namespace samara {
struct RowBlock;
struct FinishArgs;
} // namespace samara

namespace samara::detail {

struct RowMap;

// What one sample needs beside its projections.
struct SamplePlan {
    float factor;    // a power of two: the rows see x * factor
    float amplitude; // of the random features, the factor undone
    float centre;
    bool zero;        // all features are 0
    float square = 0; // of orders two: multiplies the squared projection
};

// The code of a map. Fixed<spec> names the functions that its spec needs, so that only those are linked.
struct MapCode {
    void (*rows)(const RowBlock&) noexcept;
    void (*finish)(const FinishArgs&) noexcept;
    // Fills the plan and, if `exact` is not null, the exact features. `largest`: bits of the largest |x_i|. work: the
    // workspace, from its start, before the rows take it.
    void (*sample)(const RowMap& map, const float* x, std::uint32_t largest, SamplePlan& plan, float* exact,
                   float* work) noexcept;
    std::size_t exact_floats = 0; // of the workspace that the exact features take
};

// Each is a function of its own that calls one kernel.
void rows_hadamard(const RowBlock&) noexcept;
void rows_fastfood(const RowBlock&) noexcept;
void rows_dense_normal(const RowBlock&) noexcept;
void rows_dense_cauchy(const RowBlock&) noexcept;
void rows_dense_laplace(const RowBlock&) noexcept;
void rows_quasi_normal(const RowBlock&) noexcept;
void rows_quasi_cauchy(const RowBlock&) noexcept;
void rows_quasi_laplace(const RowBlock&) noexcept;
void rows_unit(const RowBlock&) noexcept;
void rows_gibbs(const RowBlock&) noexcept;

void finish_pair(const FinishArgs&) noexcept;
void finish_pair_centred(const FinishArgs&) noexcept;
void finish_phase(const FinishArgs&) noexcept;

void sample_fourier(const RowMap&, const float*, std::uint32_t, SamplePlan&, float*, float*) noexcept;
void sample_fourier_centred(const RowMap&, const float*, std::uint32_t, SamplePlan&, float*, float*) noexcept;

constexpr MapCode code_of(const RffSpec& s) noexcept
{
    MapCode code{};
    if (s.rows == Rows::hadamard)
        code.rows = rows_hadamard;
    else if (s.rows == Rows::fastfood)
        code.rows = rows_fastfood;
    else if (s.rows == Rows::dense)
        code.rows = s.kernel == Kernel::gaussian    ? rows_dense_normal
                    : s.kernel == Kernel::laplacian ? rows_dense_cauchy
                                                    : rows_dense_laplace;
    else
        code.rows = s.kernel == Kernel::gaussian    ? rows_quasi_normal
                    : s.kernel == Kernel::laplacian ? rows_quasi_cauchy
                                                    : rows_quasi_laplace;
    const bool centred = s.orders == Orders::one;
    code.finish = s.form == Form::phase ? finish_phase : centred ? finish_pair_centred : finish_pair;
    code.sample = centred ? sample_fourier_centred : sample_fourier;
    return code;
}

// Apart from each other, so that an image without chosen rows does not hold their code.
template <RowSpec Spec>
Status run(const Spec&, const MapCode&, std::span<const float> x, std::span<float> z, std::size_t samples,
           std::span<std::byte> work) noexcept;
template <RowSpec Spec>
Status run_chosen(const Spec&, const MapCode&, const ChosenRows&, std::span<const float> x, std::span<float> z,
                  std::size_t samples, std::span<std::byte> work) noexcept;
template <RowSpec Spec>
Status run_block(const Spec&, const MapCode&, std::uint32_t k, std::span<const float> x, std::span<float> z,
                 std::span<std::byte> work) noexcept;
template <RowSpec Spec>
Status run_chosen_block(const Spec&, const MapCode&, const ChosenRows&, std::uint32_t k, std::span<const float> x,
                        std::span<float> z, std::span<std::byte> work) noexcept;

} // namespace samara::detail
