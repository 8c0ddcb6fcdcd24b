// NTKSketch: the Neural Tangent Kernel by sketches of Taylor series, Algorithm 1 of arXiv 2106.07880.
//
// On x/|x|, with PolySketch prefixes Z_j of degree 2p + 2 and Y_j of degree 2p' + 1 (sketch_poly.hpp), c_j and b_j the
// coefficients of k1 and k0 (kernel.hpp: ntk_taylor_kernel), and T, W, R, V, Q1 SRHTs:
//   phi(0) = Q1 x to r numbers, psi(0) = V phi(0) to s
//   phi     = T (+) sqrt(c_j) Z_j(phi) to r           lines 7, 8; the power 0 is one number
//   phi_dot = W (+) sqrt(b_j) Y_j(phi) to s
//   psi     = R (Q2(psi (x) phi_dot) (+) phi) to s    line 9, Q2 a TensorSRHT
// and the features are |x| G psi. G has Hadamard rows (project.hpp), E[g g'] = I, in place of independent normals.
//
// What it estimates is not K_NTK but the kernel with both series cut off, ntk_taylor_kernel(): that is where the error
// goes as the sizes grow. fix_diagonal (the default) puts the mass that was cut off on the highest coefficients, so
// that the diagonal is exact, and brings phi to its exact length 1 at each layer; without it the estimate is the
// text's own, and for depths above 1 a few seeds in a hundred are far off: phi's length enters the next layer to the
// power 4p + 4. Variance O(1/size) for each of the sizes, constants growing like 3^degree. All features are one block.
//
// Time of a sample: for each layer, prefixes of degrees 2p + 2 and 2p' + 1 and SRHTs of p + 2 and p' + 1 times `size`.
// Zeros of the input cost nothing with base osnap. Where phi's powers leave the range of floats, which takes
// fix_diagonal=no, the status is out_of_range and z is all zeros.
#pragma once

#include "samara/map_ntk.hpp"
#include "samara/sketch_poly.hpp"

namespace samara {

struct NtkSketchSpec {
    std::uint32_t inputs = 0;      // 1 ... 2^20
    std::uint32_t features = 1024; // s*, 1 ... 2^20
    std::uint32_t depth = 1;       // 1 ... 16
    std::uint32_t relu_degree = 4; // p, 0 ... 15
    std::uint32_t step_degree = 4; // p', 0 ... 15
    std::uint32_t size = 0;        // r = s = m = n1, at least 4; 0: features
    bool fix_diagonal = true;
    PolyBase base = PolyBase::srht; // of the PolySketches, and of Q1
    std::uint64_t seed = 0;

    friend constexpr bool operator==(const NtkSketchSpec&, const NtkSketchSpec&) = default;
};

template <>
inline constexpr bool whole_map<NtkSketchSpec> = true;

constexpr SpecReport check(const NtkSketchSpec& s) noexcept
{
    if (s.inputs < 1 || s.inputs > most_inputs)
        return {Status::bad_spec, "inputs", "1 to 1048576", s.inputs < 1 ? 1u : most_inputs};
    if (s.features < 1 || s.features > most_inputs)
        return {Status::bad_spec, "features", "1 to 1048576", s.features < 1 ? 1u : most_inputs};
    if (s.depth < 1 || s.depth > most_layers)
        return {Status::bad_spec, "depth", "1 to 16", s.depth < 1 ? 1u : most_layers};
    if (s.relu_degree > 15)
        return {Status::bad_spec, "relu-degree", "0 to 15", 15};
    if (s.step_degree > 15)
        return {Status::bad_spec, "step-degree", "0 to 15", 15};
    if ((s.size == 0 ? s.features : s.size) < 4 || s.size > 32768)
        return {Status::bad_spec, "size", "4 to 32768, or 0 for as many as there are features", 4};
    if (s.size == 0 && s.features > 32768)
        return {Status::bad_spec, "size", "4 to 32768, because there are more features than that", 32768};
    if (s.base > PolyBase::osnap)
        return {Status::bad_spec, "base", "srht or osnap"};
    return {};
}

constexpr NtkSketchSpec resolve(NtkSketchSpec s) noexcept
{
    if (check(s) && s.size == 0)
        s.size = s.features;
    return s;
}
constexpr bool resolved(const NtkSketchSpec& s) noexcept { return check(s) && s.size != 0; }

namespace detail {

// Degrees of the two PolySketches.
constexpr std::uint32_t relu_powers(const NtkSketchSpec& s) noexcept { return 2 * s.relu_degree + 2; }
constexpr std::uint32_t step_powers(const NtkSketchSpec& s) noexcept { return 2 * s.step_degree + 1; }
// Powers beside the constant: 1 and the even ones; the odd ones.
constexpr std::uint32_t relu_terms(const NtkSketchSpec& s) noexcept { return s.relu_degree + 2; }
constexpr std::uint32_t step_terms(const NtkSketchSpec& s) noexcept { return s.step_degree + 1; }

constexpr PolySketchSpec poly_spec(const NtkSketchSpec& s, std::uint32_t degree, std::uint64_t seed) noexcept
{
    return {.inputs = s.size, .degree = degree, .features = s.size, .base = s.base, .seed = seed};
}

// All prefixes of the longer series, and those that it has with the constant before them: the sketch of e_1^(degree)
// is a single number.
constexpr std::size_t power_floats(const NtkSketchSpec& s) noexcept
{
    const std::uint32_t degrees = relu_powers(s) > step_powers(s) ? relu_powers(s) : step_powers(s);
    const std::uint32_t terms = relu_terms(s) > step_terms(s) ? relu_terms(s) : step_terms(s);
    return std::size_t{degrees} * s.size + 1 + std::size_t{terms} * s.size;
}
constexpr std::size_t ntk_sketch_scratch(const NtkSketchSpec& s) noexcept
{
    const std::uint32_t terms = relu_terms(s) > step_terms(s) ? relu_terms(s) : step_terms(s);
    std::size_t most = workspace_bytes(SrhtSpec{.inputs = s.inputs, .features = s.size});
    const std::size_t rows = sizeof(float) * rows_workspace_floats(Rows::hadamard, s.size);
    most = rows > most ? rows : most;
    for (const std::size_t bytes :
         {workspace_bytes(poly_spec(s, relu_powers(s), 0)), workspace_bytes(poly_spec(s, step_powers(s), 0)),
          workspace_bytes(SrhtSpec{.inputs = 1 + terms * s.size, .features = s.size}),
          workspace_bytes(TensorSrhtSpec{.left = s.size, .right = s.size, .features = s.size})})
        most = bytes > most ? bytes : most;
    return piece_bytes(most);
}

} // namespace detail

// x at length 1; phi, phi_dot and psi; the sketched product beside phi; the powers; and a sketch's own.
constexpr std::size_t workspace_bytes(const NtkSketchSpec& s) noexcept
{
    return sizeof(float) * (s.inputs + 5 * std::size_t{s.size} + detail::power_floats(s)) +
           detail::ntk_sketch_scratch(s);
}

// The Neural Tangent Kernel itself; ntk_taylor_kernel(x, y, depth, relu_degree, step_degree, fix_diagonal) is what the
// features converge to.
double kernel(const NtkSketchSpec& spec, std::span<const float> x, std::span<const float> y) noexcept;

} // namespace samara
