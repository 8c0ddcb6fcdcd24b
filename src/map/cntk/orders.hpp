// Features of the convolutional NTK with exact low orders: what a run needs, and the steps of a layer. SPEC.md,
// section 28.2.
#pragma once

#include "map/cntk/steps.hpp"
#include "samara/map/cntk.hpp"

namespace samara::engine {

// Roots of the numbers of ways of so many windows from a pixel to each one in reach, along one axis, of an image
// without borders (but not farther than the image is long), and their inverses.
struct Ways {
    const float *root, *inverse;
};

// One axis of the image, as the ways to raw pixels need it.
struct Axis {
    std::uint32_t length, far; // far: half the window, as far as the image reaches
};

// Of what is lost at borders.
struct BorderTable {
    const float* signs; // of all places in the reach of the layer below, for each of the window; in E over the roots
                        // of the ways, because its weights come times these
    const float* given_back; // of all places in reach: the sum of what goes back to those that have these signs
};

struct OrdersLayer {
    CntkReach reach;
    CntkLayerSigns signs;
    const float *normals, *of_raw, *of_products; // of rows along coordinates of their own
    const float *tau_filter, *omega_filter;
    const float* common; // of length 1: the raw pixels of an image of one colour
    Ways rows, columns;
    const float *roots, *inverses; // of all places in reach
    BorderTable raw_border, product_border;
    const float* at_column; // pixel by pixel of a row: the ways that there are, over the root of those without borders
    float* ring;            // what the layer hands on; rows in turn, of the first to the last but one
    // The directions along which numbers are kept exact: those of a typical image.
    float raw_direction[4][4], eta_direction[4][4]; // and three more, orthogonal to it and to each other
    float k_direction[2], omega_direction[2];
    float raw_scale; // of the raw pixels that this layer sees in G
};

inline constexpr std::uint32_t most_order_layers = most_layers + 1;

struct OrdersRun {
    CntkPlan plan;
    CntkReach window;
    const std::uint32_t* signs;
    CntkFirstSigns first;
    const std::uint32_t* last_signs;
    const float* norms;                    // of the first layer's rows
    OrdersLayer layers[most_order_layers]; // from 1 on
    float window_root;                     // 1 / sqrt(places of a window): kappa = window_root * sum
    float over_patch, square_over_patch;   // sqrt(1/2) / q, 1 / q^2
    float pi_over_patch;                   // 1 / (sqrt(pi) q)
    float *folded, *rest_exact, *left_exact, *y, *left;
    float *around, *raw_weights, *product_weights, *border_weights; // of the raw pixels in reach
    float *tau, *omega;                                             // of a group of pixels
    float* row_ways; // of the layer's row, then of each row of its window in the layer below
    float* sums;     // of each cell of a row of cells
    const float* x;  // the image
    float factor;    // a power of two: pixels are seen times it
};

// Where a cell's sums are.
struct CellSums {
    float *constants, *folded, *windows, *raw, *random;
};
CellSums sums_of(const OrdersRun& r, std::uint32_t cell) noexcept;

// Takes the workspace's pieces and fills in what no sample changes.
void prepare_orders(OrdersRun& r, const CntkSpec& s, std::span<std::byte> work) noexcept;
// The ways from a pixel of an axis, over the roots of those without borders: 2 reach + 1 numbers.
void ways_from(const Axis& axis, std::uint32_t windows, std::uint32_t pixel, const Ways& free, std::uint32_t reach,
               float* out) noexcept;

void first_row(const OrdersRun& r, std::uint32_t row) noexcept;
// Row `row` of layer h >= 2.
void layer_row(const OrdersRun& r, std::uint32_t h, std::uint32_t row) noexcept;

// A pixel of a layer's ring. A row of it has the heads of all pixels, then their tau, then their omega, part by part.
struct RingPixel {
    float *head, *tau, *omega; // no omega behind the first layer
    std::size_t part;
};
inline RingPixel ring_pixel(const OrdersRun& r, std::uint32_t h, std::uint32_t row, std::uint32_t column) noexcept
{
    const std::size_t width = r.plan.shape.width, head = cntk_head(r.plan, h);
    // NOLINTNEXTLINE(clang-analyzer-core.DivideZero): windows have a row
    float* const first = r.layers[h].ring + row % r.window.high() * width * cntk_record(r.plan, h);
    float* const tau = first + width * head + std::size_t{column} * cntk_part;
    return {first + column * head, tau, h == 1 ? nullptr : tau + width * r.plan.random, width * cntk_part};
}

} // namespace samara::engine
