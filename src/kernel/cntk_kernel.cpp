// The convolutional NTK of two images. The formulas are in samara/kernel/cntk.hpp.
//
// For a displacement d the pairs of pixels (p, p + d) that lie in both images are a plane. The window's sum over both
// pixels at once stays within this plane, where it is a sum over q x q places; every other step is of one pair. So all
// layers are computed for one displacement after the other.
#include "samara/kernel/cntk.hpp"

#include <algorithm>

#include "kernel/real.hpp"
#include "samara/memory.hpp"
#include "sketch/inputs.hpp"

namespace samara {

namespace {

// k0 and k1 of a cosine, with errors of some units in the last place of 1, but for what the cosine's own error is in
// k0.
struct Activations {
    double step, relu;
};
Activations activations(double cosine) noexcept
{
    const double down = 1.0 - cosine, up = 1.0 + cosine;
    if (!(down > 0x1p-48))
        return {1.0, 1.0};
    if (!(up > 0x1p-48))
        return {0.0, 0.0};
    // Of the angle t: sqrt(1 - cosine) and sqrt(1 + cosine) are to each other as sin(t/2) and cos(t/2), and their
    // product is sin t.
    const double sine_half = real::sqrt(down), cosine_half = real::sqrt(up);
    const double step = 2.0 / real::pi * real::angle(cosine_half, sine_half);
    return {step, cosine * step + sine_half * cosine_half / real::pi};
}

// Numbers of height x width places, row by row.
struct Plane {
    double* values;
    std::uint32_t width;

    double& operator()(std::uint32_t i, std::uint32_t j) const noexcept { return values[std::size_t{i} * width + j]; }
};

// Replaces the numbers in the first height x width places by their sums over the window; `rows` holds those of a row.
// Nothing is ever subtracted: a small number beside large ones keeps its accuracy.
void window_sums(const Plane& plane, std::uint32_t height, std::uint32_t width, std::uint32_t reach,
                 const Plane& rows) noexcept
{
    for (std::uint32_t i = 0; i < height; ++i) {
        for (std::uint32_t j = 0; j < width; ++j) {
            double sum = 0.0;
            for (std::uint32_t k = j > reach ? j - reach : 0, end = std::min(width, j + reach + 1); k < end; ++k)
                sum += plane(i, k);
            rows(i, j) = sum;
        }
    }
    for (std::uint32_t i = 0; i < height; ++i) {
        for (std::uint32_t j = 0; j < width; ++j) {
            double sum = 0.0;
            for (std::uint32_t k = i > reach ? i - reach : 0, end = std::min(height, i + reach + 1); k < end; ++k)
                sum += rows(k, j);
            plane(i, j) = sum;
        }
    }
}

// Along one side of the images: from where on the two pixels of a displacement lie in them, and how many such pairs.
struct Overlap {
    std::uint32_t of_y, of_z, count;

    Overlap(std::uint32_t length, std::int64_t displacement) noexcept
        : of_y(static_cast<std::uint32_t>(displacement < 0 ? -displacement : 0)),
          of_z(static_cast<std::uint32_t>(displacement > 0 ? displacement : 0)), count(length - of_y - of_z)
    {}
};

// 1 over the square of the length of the cell that both pixels are of; 0 where they are of two.
double cell_weight(std::uint32_t p, std::uint32_t q, std::uint32_t cells, std::uint32_t length) noexcept
{
    const std::uint32_t cell = cntk_cell_of(p, cells, length);
    if (cell != cntk_cell_of(q, cells, length))
        return 0.0;
    const double size = cntk_cell_first(cell + 1, cells, length) - cntk_cell_first(cell, cells, length);
    return 1.0 / (size * size);
}

class Pair {
public:
    Pair(const CntkShape& s, std::span<const float> y, std::span<const float> z, double* work) noexcept
        : s_(s), y_(y), z_(z), pixels_(std::size_t{s.height} * s.width), over_(1.0 / (s.patch * s.patch)),
          norms_of_y_(work), norms_of_z_(work + s.depth * pixels_), gamma_(plane(work + 2 * s.depth * pixels_)),
          pi_(plane(gamma_.values + pixels_)), rows_(plane(pi_.values + pixels_))
    {}

    double kernel() noexcept
    {
        norms(y_, norms_of_y_);
        norms(z_, norms_of_z_);
        // Pixels that are farther apart than the largest cell are never of one.
        const auto down = static_cast<std::int64_t>((s_.height - 1) / s_.cells_high);
        const auto along = static_cast<std::int64_t>((s_.width - 1) / s_.cells_wide);
        double sum = 0.0;
        for (std::int64_t i = -down; i <= down; ++i)
            for (std::int64_t j = -along; j <= along; ++j)
                sum += displaced(Overlap(s_.height, i), Overlap(s_.width, j));
        return sum;
    }

private:
    Plane plane(double* values) const noexcept { return {values, s_.width}; }
    std::uint32_t reach() const noexcept { return s_.patch / 2; }

    double product(std::span<const float> x, std::size_t p, std::span<const float> other, std::size_t q) const noexcept
    {
        double sum = 0.0;
        for (std::uint32_t c = 0; c < s_.channels; ++c)
            sum += static_cast<double>(x[p * s_.channels + c]) * static_cast<double>(other[q * s_.channels + c]);
        return sum;
    }

    // The roots of N of all layers. As S is, they are sums over windows, which is why equal images have the cosine 1.
    void norms(std::span<const float> x, double* roots) noexcept
    {
        for (std::size_t p = 0; p < pixels_; ++p)
            gamma_.values[p] = product(x, p, x, p);
        for (std::uint32_t h = 0; h < s_.depth; ++h) {
            window_sums(gamma_, s_.height, s_.width, reach(), rows_);
            for (std::size_t p = 0; p < pixels_; ++p) {
                roots[h * pixels_ + p] = real::sqrt(gamma_.values[p]);
                gamma_.values[p] *= over_;
            }
        }
    }

    double displaced(const Overlap& rows, const Overlap& columns) noexcept
    {
        const std::uint32_t height = rows.count, width = columns.count;
        const auto of_y = [&](std::uint32_t i, std::uint32_t j) {
            return std::size_t{rows.of_y + i} * s_.width + columns.of_y + j;
        };
        const auto of_z = [&](std::uint32_t i, std::uint32_t j) {
            return std::size_t{rows.of_z + i} * s_.width + columns.of_z + j;
        };
        for (std::uint32_t i = 0; i < height; ++i)
            for (std::uint32_t j = 0; j < width; ++j)
                gamma_(i, j) = product(y_, of_y(i, j), z_, of_z(i, j));
        for (std::uint32_t h = 0; h < s_.depth; ++h) {
            const bool last = h + 1 == s_.depth;
            window_sums(gamma_, height, width, reach(), rows_);
            for (std::uint32_t i = 0; i < height; ++i) {
                for (std::uint32_t j = 0; j < width; ++j) {
                    const double before = h > 0 ? pi_(i, j) : s_.trained_ends ? gamma_(i, j) : 0.0;
                    const double root = norms_of_y_[h * pixels_ + of_y(i, j)] * norms_of_z_[h * pixels_ + of_z(i, j)];
                    const Activations k = root > 0.0 ? activations(gamma_(i, j) / root) : Activations{0.0, 0.0};
                    gamma_(i, j) = root * over_ * k.relu;
                    pi_(i, j) = before * (over_ * k.step) + (last && !s_.trained_ends ? 0.0 : gamma_(i, j));
                }
            }
            if (!last)
                window_sums(pi_, height, width, reach(), rows_);
        }
        return pooled(rows, columns);
    }

    double pooled(const Overlap& rows, const Overlap& columns) const noexcept
    {
        double sum = 0.0;
        for (std::uint32_t i = 0; i < rows.count; ++i) {
            const double weight = cell_weight(rows.of_y + i, rows.of_z + i, s_.cells_high, s_.height);
            if (weight == 0.0)
                continue;
            double in_row = 0.0;
            for (std::uint32_t j = 0; j < columns.count; ++j)
                in_row += pi_(i, j) * cell_weight(columns.of_y + j, columns.of_z + j, s_.cells_wide, s_.width);
            sum += weight * in_row;
        }
        return sum;
    }

    CntkShape s_;
    std::span<const float> y_, z_;
    std::size_t pixels_;
    double over_; // 1/q^2
    double *norms_of_y_, *norms_of_z_;
    Plane gamma_, pi_, rows_;
};

} // namespace

Status cntk_kernel(const CntkShape& shape, std::span<const float> y, std::span<const float> z, double& out,
                   std::span<std::byte> work) noexcept
{
    if (!check(shape))
        return Status::bad_spec;
    if (y.size() != cntk_inputs(shape) || z.size() != y.size())
        return Status::wrong_length;
    for (const auto x : {y, z})
        for (const float value : x)
            if (const Status status = detail::check_number(value); status != Status::ok)
                return status;
    if (!Bump(work).aligned())
        return Status::misaligned;
    if (work.size() < cntk_workspace_bytes(shape))
        return Status::small_workspace;
    // The workspace has 4 bytes more than the numbers, which start at a multiple of 8.
    const std::size_t skipped = reinterpret_cast<std::uintptr_t>(work.data()) & 7u;
    out = Pair(shape, y, z, reinterpret_cast<double*>(work.data() + skipped)).kernel();
    return Status::ok;
}

} // namespace samara
