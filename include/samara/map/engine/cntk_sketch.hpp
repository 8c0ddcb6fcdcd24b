// Random features of the convolutional NTK without exact low orders: the plain form (form features, orders none), and
// CNTKSketch (form sketch; arXiv 2106.07880, appendix). The kernel is that of samara/kernel/cntk.hpp.
//
// Each pixel p of layer h has two vectors of n = `inner` numbers, phi(h) and the product pi(h), whose inner products
// estimate G(h) and P(h-1) D(h) there. With u a window's vectors, one behind the other, zeros beyond the borders:
//
//   v(h) = u of phi(h-1), phi(0) = x                            psi(h-1) = R u of (phi(h-1), pi(h-1)), an SRHT to n
//   plain:   phi(h) = (1/q) relu features of v(h)               phi_dot(h) = (1/q) step features of v(h)
//   sketch:  phi(h) = (sqrt(N)/q) T (+) sqrt(c_j) Z_j(mu(h))    phi_dot(h) = (1/q) W (+) sqrt(b_j) Y_j(mu(h)),
//            mu(h) = v(h) / sqrt(N), N = N(h) of the pixel, exactly
//   pi(h) = Q2(psi(h-1) (x) phi_dot(h)), a TensorSRHT to n; pi(1) = 0
//
// and the features of a cell of the pooling are an SRHT of the mean of pi(depth) over it. relu and step features are
// those of `arccos` with Hadamard rows and without exact orders. Z_j and Y_j are PolySketch prefixes of degrees 2p + 2
// and 2p' + 1 to n numbers, T and W SRHTs to n. A pixel that sees nothing but zeros has zeros.
//
// The plain form tends to the kernel, with a bias of O(1/inner). Form sketch tends to the kernel with k1 and k0
// replaced by polynomials: those of the Taylor series, cut off (taylor); the same with what was cut off added to the
// last coefficient (fixed, the default); or fitted ones. With the latter two the coefficients add up to 1 and mu is
// brought to length 1, so that no power grows; with taylor its length enters the next layer to the power 4p + 4, and a
// few seeds in a hundred are far off. Variance O(1/inner) + O(1/features of a cell); of form sketch its constants grow
// like 3^degree. If a power or a product leaves the range of floats, or of a sketch's inputs, the status is overflow
// and z is all zeros.
//
// Memory: for each layer but the last a ring of as many rows of pixels as the window has, 2 n numbers a pixel (n in the
// first); a window's vectors; a cell's mean for each cell across; and the largest sketch. Time of each pixel and layer:
// transforms of the window's 2 q^2 n numbers, and of form sketch 4 (p + p') of its q^2 n numbers.
#pragma once

#include "samara/map/engine/cntk_orders.hpp"
#include "samara/map/engine/series.hpp"

namespace samara::engine {

inline constexpr std::uint32_t most_cntk_order = most_taylor_order, most_fitted_order = 7;

constexpr SeriesPlan cntk_relu_series(const CntkSpec& s) noexcept
{
    return {2 * s.relu_degree + 2, s.relu_degree + 2, s.inner, true, s.base};
}
constexpr SeriesPlan cntk_step_series(const CntkSpec& s) noexcept
{
    return {2 * s.step_degree + 1, s.step_degree + 1, s.inner, true, s.base};
}

// The numbers of a window's phi that layer h = 1 ... depth sees, and of all that it sees.
constexpr std::uint64_t cntk_window_phi(const CntkSpec& s, const CntkShape& shape, std::uint32_t h) noexcept
{
    return std::uint64_t{cntk_reach(shape, 1).places()} * (h == 1 ? shape.channels : s.inner);
}
constexpr std::uint64_t cntk_window(const CntkSpec& s, const CntkShape& shape, std::uint32_t h) noexcept
{
    return (h > 2 ? 2 : 1) * cntk_window_phi(s, shape, h);
}
constexpr std::uint64_t cntk_largest_window(const CntkSpec& s, const CntkShape& shape) noexcept
{
    const std::uint64_t first = cntk_window(s, shape, 1), last = cntk_window(s, shape, s.depth);
    return first > last ? first : last;
}
// How many rows of pixels a ring holds.
constexpr std::uint32_t cntk_ring_rows(const CntkShape& shape) noexcept
{
    const std::uint32_t high = cntk_reach(shape, 1).high();
    return high < shape.height ? high : shape.height;
}

// Rings of phi and pi, a window, three vectors, means of the cells across; of form sketch the lengths of phi in the
// image and in all layers but the last, and those of a window.
constexpr std::uint64_t cntk_sketch_floats(const CntkSpec& s, const CntkShape& shape) noexcept
{
    const std::uint64_t ring = std::uint64_t{cntk_ring_rows(shape)} * shape.width;
    const std::uint64_t lengths = s.form == CntkForm::sketch ? s.depth * ring + cntk_reach(shape, 1).places() : 0;
    return (2 * s.depth - 3) * ring * s.inner + lengths + cntk_largest_window(s, shape) +
           (3 + std::uint64_t{shape.cells_wide}) * s.inner;
}
// Of a spec whose windows are no longer than a sketch's inputs may be.
constexpr std::size_t cntk_sketch_scratch(const CntkSpec& s, const CntkShape& shape) noexcept
{
    const auto srht = [](std::uint64_t inputs, std::uint32_t features) {
        return workspace_bytes(SrhtSpec{.inputs = static_cast<std::uint32_t>(inputs), .features = features});
    };
    const TensorSrhtSpec tensor{.left = s.inner, .right = s.inner, .features = s.inner};
    std::size_t most = greatest(
        {srht(cntk_largest_window(s, shape), s.inner), srht(s.inner, features_of_cell(s)), workspace_bytes(tensor)});
    for (const std::uint32_t h : {std::uint32_t{1}, s.depth}) {
        const auto phi = static_cast<std::uint32_t>(cntk_window_phi(s, shape, h));
        most = s.form == CntkForm::features
                   ? greatest({most, sizeof(float) * sample_workspace_floats(Rows::hadamard, phi)})
                   : greatest({most, series_bytes(cntk_relu_series(s), phi, s.inner),
                               series_bytes(cntk_step_series(s), phi, s.inner)});
    }
    return most;
}

// Whether the spec's inner numbers fit: windows into a sketch, and all into 2^30 bytes.
constexpr bool cntk_inner_fits(CntkSpec s, const CntkShape& shape, std::uint32_t inner) noexcept
{
    s.inner = inner;
    return cntk_largest_window(s, shape) <= most_inputs &&
           sizeof(float) * cntk_sketch_floats(s, shape) + cntk_sketch_scratch(s, shape) <= most_cntk_bytes;
}
// The most of them that fit, from the least up.
constexpr std::uint32_t cntk_most_inner(const CntkSpec& s) noexcept
{
    const CntkShape shape = cntk_shape(s);
    std::uint32_t fits = least_sketch, above = most_inner + 1;
    while (above - fits > 1) {
        const std::uint32_t middle = (fits + above) / 2;
        (cntk_inner_fits(s, shape, middle) ? fits : above) = middle;
    }
    return fits;
}

constexpr SpecReport check_cntk_sketch(const CntkSpec& s) noexcept
{
    const CntkShape shape = cntk_shape(s);
    if (s.form == CntkForm::sketch && s.series == CntkSeries::fitted) {
        if (s.relu_degree > most_fitted_order)
            return {Status::bad_spec, "relu-degree", "0 to 7 with series=fitted", most_fitted_order};
        if (s.step_degree > most_fitted_order)
            return {Status::bad_spec, "step-degree", "0 to 7 with series=fitted", most_fitted_order};
    }
    if (features_of_cell(s) == 0)
        return {Status::bad_spec, "features", "at least one for each cell of the pooling", cells_in_all(s)};
    if (cntk_window_phi(s, shape, 1) > most_inputs)
        return {Status::bad_spec, "channels", "so many that a window of pixels has at most 1048576 numbers"};
    if (s.inner != 0 && s.inner < least_sketch)
        return {Status::bad_spec, "inner", "0, or at least 4", least_sketch};
    if (s.inner != 0 && !cntk_inner_fits(s, shape, s.inner))
        return {Status::bad_spec, "inner", "so many that a window has at most 1048576 numbers, and memory 2^30 bytes",
                cntk_most_inner(s)};
    return {};
}
// inner: the features of a cell, but at least 64, as far as that many fit.
constexpr CntkSpec resolved_cntk_sketch(CntkSpec s) noexcept
{
    if (s.inner == 0) {
        const std::uint32_t most = cntk_most_inner(s), wanted = features_of_cell(s) < 64 ? 64 : features_of_cell(s);
        s.inner = wanted < most ? wanted : most;
    }
    return s;
}

constexpr std::size_t cntk_sketch_bytes(const CntkSpec& s) noexcept
{
    const CntkShape shape = cntk_shape(s);
    return static_cast<std::size_t>(sizeof(float) * cntk_sketch_floats(s, shape)) + cntk_sketch_scratch(s, shape);
}

// relu features of all layers but the last, step features and products of all but the first, and the cells' features.
constexpr std::uint64_t cntk_sketch_operations(const CntkSpec& s) noexcept
{
    const CntkShape shape = cntk_shape(s);
    std::uint64_t pixel = 0;
    for (std::uint32_t h = 1; h <= s.depth; ++h) {
        const auto window = static_cast<std::uint32_t>(cntk_window(s, shape, h));
        const auto phi = static_cast<std::uint32_t>(cntk_window_phi(s, shape, h));
        const std::uint64_t rows = layer_row_operations(Rows::hadamard, phi, s.inner, 0);
        const bool sketch = s.form == CntkForm::sketch;
        pixel += 2 * std::uint64_t{window};
        if (h < s.depth)
            pixel += sketch ? series_operations(cntk_relu_series(s), phi) : rows;
        if (h > 1)
            pixel += (sketch ? series_operations(cntk_step_series(s), phi) : rows) + transform_operations(window) +
                     tensor_srht_operations(s.inner, s.inner, s.inner);
    }
    return std::uint64_t{shape.height} * shape.width * pixel +
           cells_in_all(s) * (std::uint64_t{call_operations} + transform_operations(s.inner)) + s.features;
}

} // namespace samara::engine
