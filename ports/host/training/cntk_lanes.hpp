// The convolutional NTK of one image with eight others at a time, for processors that add eight numbers at once.
#pragma once

#include <cstddef>
#include <cstdint>

namespace samara::desk {

inline constexpr std::size_t cntk_lanes = 8;
inline constexpr std::size_t most_cntk_lanes_patch = 255, most_cntk_lanes_depth = 32;

// The numbers of eight images at one place.
struct alignas(64) Lanes {
    double of[cntk_lanes];
};

// N, G and P are here without the factors 1/q^2 of their layers: times q^(2h-2), q^2h and q^2h. One factor in the
// weights of the results takes the place of all of them.
//
// What the kernel reads of eight images (Number: Lanes), pixel by pixel, or of one (Number: double). Of one, each row
// is there twice, and behind each of the two is a gap of cntk_lanes_gap() zeros.
template <class Number>
struct CntkImages {
    const Number* values = nullptr;        // pixel by pixel, its channels together
    const Number* roots = nullptr;         // sqrt(N) of all layers, each pixel by pixel
    const Number* inverse_roots = nullptr; // 1/sqrt(N), 0 where N is 0
};

// What a kernel of eight pairs is computed from. The names are those of samara::CntkShape, which check() has taken.
struct CntkLanesTask {
    std::size_t height = 0, width = 0, channels = 1;
    std::size_t patch = 3, depth = 3;
    bool trained_ends = false;
    // Of each row and of each column, the cell that it is of, and 1 over the square of the cell's length; those of the
    // columns times q^-2L.
    const std::uint32_t* cell_of_row = nullptr;
    const std::uint32_t* cell_of_column = nullptr;
    const double* weight_of_row = nullptr;
    const double* weight_of_column = nullptr;
    // Pixels of one cell are at most so many rows and columns apart.
    std::size_t rows_apart = 0, columns_apart = 0;

    CntkImages<double> y;
    CntkImages<Lanes> z;
    Lanes* work = nullptr; // of cntk_lanes_work() numbers
};

// Windows do not reach over so many places. With a gap as long as their reach, the pixels beyond the end of a row can
// be paired with those at its beginning, of another displacement, so that all rows are of one length; 0 where this
// would leave too many gaps. Forced inline, for cntk_lanes.cpp.
[[gnu::always_inline]] constexpr std::size_t cntk_lanes_gap(std::size_t width, std::size_t patch)
{
    return patch / 2 * 4 <= width ? patch / 2 : 0;
}

// Room for rows of numbers, each with one place more, as windows reach beyond the last. For each layer but the last the
// rows of a window of G and of P, of the pixels' products the same, a row of zeros, three of sums and one of results.
constexpr std::size_t cntk_lanes_work(std::size_t height, std::size_t width, std::size_t patch, std::size_t depth)
{
    return ((2 * depth - 1) * (patch < height ? patch : height) + 5) * (width + 1);
}

using CntkLanesKernel = void (*)(const CntkLanesTask& task, Lanes& out);

// The function for the vector unit that active_simd() names.
CntkLanesKernel chosen_cntk_lanes();

} // namespace samara::desk
