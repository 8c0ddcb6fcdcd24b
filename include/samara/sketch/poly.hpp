// PolySketch: a sketch of v_1 (x) ... (x) v_p, of x^(p), and of all powers x^(1) ... x^(p) in one pass (Ahle et al.,
// arXiv 1909.01410; Lemma 1 of arXiv 2106.07880).
//
// The p factors in order are the leaves of a binary tree. Each inner node sketches the tensor product of its two
// children to m numbers by a TensorSRHT of its own. Where p is no power of two the missing factors are e_1. A node with
// nothing but e_1 on its right equals its left child; that is cheaper and more accurate than another sketch (of degrees
// 3, 5 and 6 the variance is 11, 27 and 18 in a hundred less, 16 inputs, 64 numbers). The powers of x come from one
// tree, because x^(j) (x) e_1^(p-j) has the nodes of x^(p) wherever all leaves are x: only those on the path to the
// first e_1 are new, and the left operands along that path are transformed once.
//
//   base srht   the lowest nodes take the factors themselves; the sketch of a single factor is an SRHT
//   base osnap  each leaf is an OSNAP (4 non-zeros) to m numbers first: for long sparse inputs
//
// E <z, z'> = product of <v_i, v_i'>. Row j of the prefixes equals the sketch of degree j with the same seed and size.
// Nodes in the same position of trees of different degrees are the same.
//
// A product takes a row of each operand for each feature. Rows are paired one by one. The exception are factors on the
// right of 9 inputs and more, not much longer than the features (D <= M below), with at least 512 features: their rows
// are paired in groups of 16, because gathering single rows would take as long as a transform. Within a group, rows
// differ in the last bits of their numbers alone, so the factor's entries are put in a random order first. (That order
// alone would do for one product, but then two entries collide in all products of a tree or in none.)
//
// Memory, in 4-byte words, D = padded inputs (base osnap: as M), M = padded m, l = log2 of the leaves: max(D, M) (1 +
// 1/32) + (l + 2) m + 256, and for tables of rows at most 5 m, 2 m where D = M; with groups at most 2 m + D + m/16, or
// 3 m + D + m/8 where D < M. Time for all prefixes: 3 p / 2 transforms of D and at most p log2(p) / 2 of M.
#pragma once

#include "samara/sketch/hash.hpp"
#include "samara/sketch/srht.hpp"

namespace samara {

enum class PolyBase : std::uint8_t { srht = 0, osnap = 1 };

constexpr const char* word(PolyBase base) noexcept { return base == PolyBase::srht ? "srht" : "osnap"; }

inline constexpr std::uint32_t most_degree = 64;

struct PolySketchSpec {
    std::uint32_t inputs = 0;      // of each factor, 1 ... 2^20
    std::uint32_t degree = 2;      // p, 1 ... 64
    std::uint32_t features = 1024; // m, 1 ... 2^20; at least 4 for base osnap
    PolyBase base = PolyBase::srht;
    std::uint64_t seed = 0;

    friend constexpr bool operator==(const PolySketchSpec&, const PolySketchSpec&) = default;
};

constexpr SpecReport check(const PolySketchSpec& s) noexcept
{
    if (const SpecReport inputs = detail::check_inputs("inputs", s.inputs); !inputs)
        return inputs;
    if (s.degree < 1 || s.degree > most_degree)
        return {Status::bad_spec, "degree", "1 to 64", s.degree < 1 ? 1u : most_degree};
    if (s.features < 1 || s.features > most_inputs)
        return {Status::bad_spec, "features", "1 to 1048576", s.features < 1 ? 1u : most_inputs};
    if (s.base > PolyBase::osnap)
        return {Status::bad_spec, "base", "srht or osnap"};
    if (s.base == PolyBase::osnap && s.features < 4)
        return {Status::bad_spec, "features", "at least 4 for base osnap", 4};
    return {};
}

namespace detail {

// log2 of the lengths to which a leaf and an inner node are padded.
constexpr unsigned leaf_log2(const PolySketchSpec& s) noexcept
{
    return padded_log2(s.base == PolyBase::srht ? s.inputs : s.features);
}
constexpr unsigned node_log2(const PolySketchSpec& s) noexcept { return padded_log2(s.features); }

// Whether the rows of factors on the right are paired in groups of 16.
inline constexpr unsigned row_group_log2 = 4;
constexpr bool groups_rows(const PolySketchSpec& s) noexcept
{
    return s.base == PolyBase::srht && s.features >= 512 && leaf_log2(s) >= row_group_log2 &&
           leaf_log2(s) <= node_log2(s);
}
// Whether any left, or any right, operand of a product is a sketch. The others are factors.
constexpr bool sketches_left(const PolySketchSpec& s) noexcept
{
    return s.degree > (s.base == PolyBase::srht ? 2u : 1u);
}
constexpr bool sketches_right(const PolySketchSpec& s) noexcept
{
    return s.degree > (s.base == PolyBase::srht ? 3u : 1u);
}

// The memory of the tables of rows, and of a factor in its random order.
constexpr std::size_t poly_table_words(const PolySketchSpec& s) noexcept
{
    const std::size_t m = s.features, leaf = std::size_t{1} << leaf_log2(s), node = std::size_t{1} << node_log2(s);
    const bool same = leaf == node, both = sketches_left(s);
    std::size_t words = sketches_right(s) ? m : 0;
    if (both && m < node)
        words += m;
    if (s.base == PolyBase::osnap || s.degree == 1)
        return words;
    if ((m & (leaf - 1)) != 0 && !(both && same))
        words += m;
    const std::size_t beside = both && !same ? 2 : 1; // factors on the right, beside factors and beside sketches
    if (groups_rows(s))
        return words + beside * (((m - 1) >> row_group_log2) + 1) + leaf;
    return words + (same && sketches_right(s) ? 0 : beside * m);
}

} // namespace detail

constexpr std::size_t workspace_bytes(const PolySketchSpec& s) noexcept
{
    const unsigned leaf = detail::leaf_log2(s), node = detail::node_log2(s);
    const std::size_t longest = std::size_t{1} << (leaf > node ? leaf : node);
    const std::size_t vectors = std::size_t{detail::padded_log2(s.degree) + 2} * s.features;
    return 4 * (longest + detail::sign_words(longest) + detail::row_chunk + vectors + detail::poly_table_words(s));
}

// These sketch: `degree` factors, each of `inputs` numbers; the power x^(degree); the powers x^(1) ... x^(degree), one
// after the other in z (degree * features numbers). They return bad_spec, wrong_length, misaligned, small_workspace,
// not_finite or out_of_range, and z is as it was; or overflow if a product left the range of floats, and z is all
// zeros. Powers of small vectors become subnormal or 0.
Status sketch(const PolySketchSpec& spec, std::span<const std::span<const float>> factors, std::span<float> z,
              std::span<std::byte> work) noexcept;
Status sketch(const PolySketchSpec& spec, std::span<const float> x, std::span<float> z,
              std::span<std::byte> work) noexcept;
Status prefixes(const PolySketchSpec& spec, std::span<const float> x, std::span<float> z,
                std::span<std::byte> work) noexcept;

} // namespace samara
