// The convolutional NTK as samara/kernel/cntk.hpp defines it: all pairs of pixels, every window summed place by place.
// Other functions of the cosine may take the place of k1 and k0.
#pragma once

#include <cmath>
#include <cstdint>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "samara/kernel.hpp"

#include "../simd/support.hpp"

namespace samara::test {

inline std::vector<float> random_image(const CntkShape& shape, RandomNumbers& numbers)
{
    std::vector<float> image(cntk_inputs(shape));
    for (float& value : image)
        value = numbers.symmetric() + numbers.symmetric() + numbers.symmetric();
    return image;
}

// k1 and k0 of a cosine.
struct CntkActivations {
    long double relu, step;
};
inline CntkActivations arccos_activations(long double cosine)
{
    const long double pi = 3.14159265358979323846264338327950288L;
    // Rounding errors at the ends, of which the arc cosine would make 1e-9.
    const long double angle = cosine > 1 - 0x1p-57L ? 0 : cosine < -1 + 0x1p-57L ? pi : std::acos(cosine);
    return {(std::sin(angle) + (pi - angle) * cosine) / pi, 1 - angle / pi};
}
using CntkFunctions = std::function<CntkActivations(long double)>;

class CntkDefinition {
public:
    using Real = long double;

    CntkDefinition(const CntkShape& shape, CntkFunctions functions)
        : s(shape), pixels(std::size_t{s.height} * s.width), activations(std::move(functions))
    {}

    Real kernel(std::span<const float> y, std::span<const float> z) const
    {
        const Real squares = Real{1} * s.patch * s.patch;
        std::vector<Real> gamma = products(y, z), value(gamma.size());
        std::vector<Real> of_y = lengths(y), of_z = lengths(z);
        if (s.trained_ends)
            value = windows(gamma);
        for (std::uint32_t h = 1; h <= s.depth; ++h) {
            of_y = next_lengths(of_y);
            of_z = next_lengths(of_z);
            gamma = windows(gamma);
            for (std::size_t p = 0; p < pixels; ++p) {
                for (std::size_t q = 0; q < pixels; ++q) {
                    const std::size_t at = p * pixels + q;
                    const Real root = std::sqrt(of_y[p] * of_z[q]);
                    const Real cosine = root > 0 ? gamma[at] / root : 0;
                    const CntkActivations k = activations(cosine);
                    gamma[at] = root / squares * k.relu;
                    value[at] *= root > 0 ? k.step / squares : 0;
                    if (h < s.depth || s.trained_ends)
                        value[at] += gamma[at];
                }
            }
            if (h < s.depth)
                value = windows(value);
        }
        return pooled(value);
    }

private:
    static Real real(float value) { return static_cast<Real>(value); }
    std::uint32_t row_of(std::size_t p) const { return static_cast<std::uint32_t>(p / s.width); }
    std::uint32_t column_of(std::size_t p) const { return static_cast<std::uint32_t>(p % s.width); }

    std::vector<Real> products(std::span<const float> y, std::span<const float> z) const
    {
        std::vector<Real> all(pixels * pixels);
        for (std::size_t p = 0; p < pixels; ++p)
            for (std::size_t q = 0; q < pixels; ++q)
                for (std::uint32_t c = 0; c < s.channels; ++c)
                    all[p * pixels + q] += real(y[p * s.channels + c]) * real(z[q * s.channels + c]);
        return all;
    }

    // Calls body with the places of a pixel and its partner, both moved by the same steps, that lie in the image.
    template <class Body>
    void each_step(std::size_t p, std::size_t q, const Body& body) const
    {
        const auto reach = static_cast<std::int64_t>(s.patch / 2), height = static_cast<std::int64_t>(s.height),
                   width = static_cast<std::int64_t>(s.width);
        for (std::int64_t a = -reach; a <= reach; ++a) {
            for (std::int64_t b = -reach; b <= reach; ++b) {
                const std::int64_t i = row_of(p) + a, j = column_of(p) + b, k = row_of(q) + a, l = column_of(q) + b;
                const auto inside = [&](std::int64_t row, std::int64_t column) {
                    return row >= 0 && row < height && column >= 0 && column < width;
                };
                if (inside(i, j) && inside(k, l))
                    body(static_cast<std::size_t>(i) * s.width + static_cast<std::size_t>(j),
                         static_cast<std::size_t>(k) * s.width + static_cast<std::size_t>(l));
            }
        }
    }
    std::vector<Real> windows(const std::vector<Real>& of) const
    {
        std::vector<Real> sums(of.size());
        for (std::size_t p = 0; p < pixels; ++p)
            for (std::size_t q = 0; q < pixels; ++q)
                each_step(p, q, [&](std::size_t a, std::size_t b) { sums[p * pixels + q] += of[a * pixels + b]; });
        return sums;
    }

    std::vector<Real> lengths(std::span<const float> x) const
    {
        std::vector<Real> all(pixels);
        for (std::size_t p = 0; p < pixels; ++p)
            for (std::uint32_t c = 0; c < s.channels; ++c)
                all[p] +=
                    static_cast<Real>(s.patch * s.patch) * real(x[p * s.channels + c]) * real(x[p * s.channels + c]);
        return all;
    }
    std::vector<Real> next_lengths(const std::vector<Real>& of) const
    {
        std::vector<Real> sums(pixels);
        for (std::size_t p = 0; p < pixels; ++p)
            each_step(p, p, [&](std::size_t a, std::size_t) { sums[p] += of[a] / (s.patch * s.patch); });
        return sums;
    }

    Real pooled(const std::vector<Real>& value) const
    {
        Real all = 0;
        for (std::uint32_t i = 0; i < s.cells_high; ++i) {
            for (std::uint32_t j = 0; j < s.cells_wide; ++j) {
                Real sum = 0;
                std::size_t count = 0;
                const auto inside = [&](std::size_t p) {
                    return row_of(p) >= i * s.height / s.cells_high && row_of(p) < (i + 1) * s.height / s.cells_high &&
                           column_of(p) >= j * s.width / s.cells_wide &&
                           column_of(p) < (j + 1) * s.width / s.cells_wide;
                };
                for (std::size_t p = 0; p < pixels; ++p) {
                    for (std::size_t q = 0; q < pixels; ++q) {
                        if (inside(p) && inside(q)) {
                            sum += value[p * pixels + q];
                            ++count;
                        }
                    }
                }
                all += sum / static_cast<Real>(count);
            }
        }
        return all;
    }

    CntkShape s;
    std::size_t pixels;
    CntkFunctions activations;
};

inline long double cntk_by_definition(const CntkShape& shape, std::span<const float> y, std::span<const float> z,
                                      const CntkFunctions& functions = arccos_activations)
{
    return CntkDefinition(shape, functions).kernel(y, z);
}

} // namespace samara::test
