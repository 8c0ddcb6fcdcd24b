// The projection x -> Wx, a block of rows at a time, with W regenerated and never stored: the kinds of rows and what
// each needs.
//
// Rows for the Gaussian kernel and the arc-cosine kernels have E[w w'] = I. `dense`, `fastfood` and `quasi` rows are
// exactly (quasi: marginally) standard normal; `hadamard` rows have directions that are uniform up to O(1/D), and chi
// lengths.
// Time is for one sample, m rows of d inputs; D is the block size.
//
//   kind      rows are                                          time          floats of workspace
//   hadamard  diag(chi) H S H S H S / D^1.5                     m log D       2 D + 3 D / 32
//   fastfood  S H G P H B / sqrt(D)                             m log D       3 D + D / 32
//   dense     independent entries, regenerated in the product   m d           none
//   quasi     Sobol' points through the inverse CDF             m d           none
//   unit      dense rows brought to length sqrt(d)              m d           none
//   gibbs     a Gibbs sampler of |v|^2 N(v) (arXiv 2104.01351)  m d sweeps    d
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#include "samara/status.hpp" // says what is wrong below C++20

namespace samara {

// Numbers are part of the format.
enum class Rows : std::uint8_t { automatic = 0, hadamard = 1, dense = 2, fastfood = 3, quasi = 4, unit = 5, gibbs = 6 };

constexpr const char* word(Rows rows) noexcept
{
    constexpr const char* words[] = {"auto", "hadamard", "dense", "fastfood", "quasi", "unit", "gibbs"};
    return words[static_cast<unsigned>(rows)];
}

inline constexpr std::uint32_t most_inputs = 1u << 20;
inline constexpr std::uint32_t most_features = 1u << 24;
inline constexpr std::uint32_t most_quasi_inputs = 1024;
inline constexpr std::uint32_t most_sweeps = 1000; // of the Gibbs sampler

// log2 of D = max(64, next power of two >= inputs). Smaller blocks are badly biased; 64 is not.
constexpr unsigned block_log2(std::uint32_t inputs) noexcept
{
    return inputs <= 64 ? 6 : static_cast<unsigned>(std::bit_width(inputs - 1));
}

// What rows=auto stands for wherever the kernel's spectrum is radial: Hadamard rows, except for few inputs, where a
// single input would be too large a part of a block.
constexpr Rows structured_rows(std::uint32_t inputs) noexcept { return inputs >= 16 ? Rows::hadamard : Rows::dense; }

constexpr bool rows_in_blocks(Rows rows) noexcept { return rows == Rows::hadamard || rows == Rows::fastfood; }
// Whether a few rows can be made without all of their block, or at less cost.
constexpr bool rows_by_themselves(Rows rows) noexcept { return rows != Rows::fastfood && rows != Rows::quasi; }

// How many rows one block makes; the last block of a map may be shorter.
constexpr std::uint32_t block_rows(Rows rows, std::uint32_t inputs) noexcept
{
    return rows_in_blocks(rows) ? std::uint32_t{1} << block_log2(inputs) : 64;
}

constexpr std::size_t rows_workspace_floats(Rows rows, std::uint32_t inputs) noexcept
{
    const std::size_t d = std::size_t{1} << block_log2(inputs);
    switch (rows) {
    case Rows::hadamard:
        return 2 * d + 3 * d / 32;
    case Rows::fastfood:
        return 3 * d + d / 32;
    case Rows::gibbs:
        return inputs;
    default:
        return 0;
    }
}

// The same for one sample alone, which needs no array of row lengths.
constexpr std::size_t sample_workspace_floats(Rows rows, std::uint32_t inputs) noexcept
{
    const std::size_t d = std::size_t{1} << block_log2(inputs);
    return rows == Rows::hadamard ? d + 3 * d / 32 : rows_workspace_floats(rows, inputs);
}

// An estimate of what it costs to make a row and to multiply one sample with it, in additions, multiplications and the
// like: a normal number is worth about 40 of them. Of Hadamard rows, the transform alone.
constexpr std::uint64_t row_operations(Rows kind, std::uint32_t inputs, std::uint32_t sweeps) noexcept
{
    const std::uint32_t levels = block_log2(inputs);
    switch (kind) {
    case Rows::hadamard:
        return 3 * levels + 4;
    case Rows::fastfood:
        return 2 * levels + 60;
    case Rows::quasi:
        return 40 + std::uint64_t{200} * inputs;
    case Rows::gibbs:
        return 40 + std::uint64_t{inputs} * (40 + 160 * sweeps);
    default:
        return 40 + std::uint64_t{40} * inputs;
    }
}
// What the length of a Hadamard row costs beside its transform.
constexpr std::uint32_t row_length_operations(Rows kind) noexcept { return kind == Rows::hadamard ? 24 : 0; }

// How many rows are made where the first `rows` of a matrix are needed. Blocks are powers of two.
constexpr std::uint32_t rows_made(Rows kind, std::uint32_t inputs, std::uint32_t rows) noexcept
{
    const std::uint32_t rest = rows_in_blocks(kind) ? block_rows(kind, inputs) - 1 : 0;
    return (rows + rest) & ~rest;
}
constexpr std::uint64_t rows_operations(Rows kind, std::uint32_t inputs, std::uint32_t rows,
                                        std::uint32_t sweeps) noexcept
{
    return rows_made(kind, inputs, rows) * (row_operations(kind, inputs, sweeps) + row_length_operations(kind));
}

} // namespace samara
