// The loops over the random numbers of a pixel of the map `cntk`. All lengths are multiples of 16, and those of tau and
// omega of 64. A ring holds them part by part: 64 numbers of each pixel of a row, then the next 64 of each. So filters
// read memory in order. `part` is the distance from a pixel's part to its next.
#pragma once

#include "simd/kernels.hpp"

namespace samara {

inline constexpr std::uint32_t cntk_part = 64;

// Rows of the first layer: blocks of 2^log2_size points, three rounds of signs and transforms.
struct CntkFirstArgs {
    const float* window; // at length 1
    std::uint32_t inputs;
    unsigned log2_size;
    const std::uint32_t* signs[3];
    float* y;             // room for one block
    const float* norms;   // of the rows, over their points
    const float* normals; // what rows have along the common direction
    float common;         // and the window
    float amplitude;
    float* out; // (|z| - mu) amplitude
    std::size_t part;
    std::uint32_t count;
};

// Convolutions of `count` pixels of a row, from pixel `first` on, with one filter for each of the `numbers`.
struct CntkFilterArgs {
    const float* const* rows; // of each row of the window the numbers of its pixel 0; null outside the image
    std::uint32_t high, wide; // of the window
    std::size_t part;
    std::uint32_t width, first, count, numbers;
    const float* filter; // place by place, `numbers` each
    float* out;          // pixel by pixel
};

// What an inner layer makes of a pixel's projections, y of G's features and left of E's. What the first numbers of
// tau_out and omega_out hold is added to.
struct CntkInnerArgs {
    const float *y, *left, *normals, *of_raw, *of_products, *tau, *omega;
    const std::uint32_t *product, *turned, *scaled, *relu, *both;
    float kappa, chi, raw, products, inverse;
    float product_scale, relu_scale; // of random features of P D, and of G
    float straight, across;          // of omega, and of omega with signs
    float tau_scale, pass;           // of tau in omega and in tau
    float *tau_out, *omega_out;
    std::size_t part;
    std::uint32_t tau_begun, omega_begun; // so many of them hold something already: multiples of 64
    std::uint32_t count;
};

// The last layer's products, added to sums.
struct CntkLastArgs {
    const float *y, *left, *normals, *of_raw, *of_products;
    const std::uint32_t* product;
    float kappa, chi, raw, products, inverse;
    float* sums;
    std::uint32_t count;
};

// sums += straight omega + across (+-omega) + tau_scale (+-tau)
struct CntkCarryArgs {
    const float *tau, *omega;
    const std::uint32_t *turned, *scaled;
    float straight, across, tau_scale;
    float* sums;
    std::uint32_t count;
};

// Lays out the numbers of E's features for their transform: packs of sixteen exact ones at every `step` packs, random
// ones between and behind, then zeros.
struct CntkSpreadArgs {
    const float *exact, *random;
    std::uint32_t exact_packs, random_packs, packs, step;
    float* out;
};

// Three mixtures of two vectors: products[k] P + raw[k] G.
struct CntkLeaveArgs {
    const float *products, *raw; // P, G
    std::uint32_t count;
    float of_products[3], of_raw[3];
    float* out; // three vectors
};

// Blocks of 64 numbers, with signs and transformed. The numbers are `in` as far as its `used` ones, then zeros up to
// `count`; what comes out, times factor, is written to `out`, or added to it.
struct CntkMixArgs {
    const float* in;
    std::uint32_t used, count;
    const std::uint32_t* signs;
    float factor;
    bool add;
    float* out; // may be `in`
    std::size_t part;
    std::uint32_t random; // behind so many numbers out, from the first again: added
};

// cntk_normals: normals that are spread evenly: of the words start + i step. signed_transform: signs first.
// cntk_transform: the same of tau's numbers and, behind them, those in y. cntk_weigh: a pixel's channels times its
// weight.
#define SAMARA_CNTK_KERNELS(X)                                                                                         \
    X(void, cntk_mix, (const CntkMixArgs& a))                                                                          \
    X(void, cntk_first, (const CntkFirstArgs& a))                                                                      \
    X(void, cntk_normals, (std::uint32_t start, std::uint32_t step, std::uint32_t count, float* out))                  \
    X(void, cntk_filter, (const CntkFilterArgs& a))                                                                    \
    X(void, cntk_inner, (const CntkInnerArgs& a))                                                                      \
    X(void, cntk_last, (const CntkLastArgs& a))                                                                        \
    X(void, cntk_carry, (const CntkCarryArgs& a))                                                                      \
    X(void, cntk_spread, (const CntkSpreadArgs& a))                                                                    \
    X(void, cntk_transform,                                                                                            \
      (const float* tau, std::uint32_t numbers, float* y, unsigned log2_size, const std::uint32_t* signs))             \
    X(void, signed_transform, (float* y, unsigned log2_size, const std::uint32_t* signs))                              \
    X(void, cntk_leave, (const CntkLeaveArgs& a))                                                                      \
    X(void, cntk_weigh,                                                                                                \
      (const float* pixels, const float* weights, std::uint32_t count, std::uint32_t channels, float* out))
SAMARA_KERNELS(cntk, SAMARA_CNTK_KERNELS)

} // namespace samara
