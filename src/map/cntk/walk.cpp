// Walks over an image through all layers at once. SPEC.md, section 28.3.
//
// Layer h makes its row i as soon as layer h-1 has made row i + r, the last one that the windows of row i see. So a
// ring keeps 2r + 1 rows of each layer's pixels, and all layers advance together, each r rows behind the one before it.
#include "map/cntk/walk.hpp"

#include "map/engine/values.hpp"
#include "samara/memory.hpp"

namespace samara::engine {

std::uint64_t cntk_seed(const CntkSpec& s, std::uint32_t layer, CntkSeed use, std::uint32_t cell) noexcept
{
    const std::uint64_t index =
        (std::uint64_t{cell} << 32) | (std::uint64_t{layer} << 8) | static_cast<std::uint64_t>(use);
    return stream_key(s.seed, Domain::cntk_sketch, index).value;
}

namespace {

void clear(std::span<float> z) noexcept
{
    for (float& v : z)
        v = 0.0f;
}

// Rows of pixels of n numbers each; row i lies at i modulo their count.
struct PixelRows {
    const float* values;
    std::uint32_t n, count;
};

class Walk {
public:
    Walk(const CntkSpec& s, CntkFeatures features, const TwoRoots* series, std::span<std::byte> work) noexcept
        : s_(s), shape_(cntk_shape(s)), reach_(cntk_reach(shape_, 1)), ring_rows_(cntk_ring_rows(shape_)),
          features_(features), series_(series)
    {
        Bump bump(work);
        const auto take = [&bump](std::uint64_t n) {
            const auto count = static_cast<std::size_t>(n);
            return std::span(bump.take<float>(count), count);
        };
        const std::uint64_t ring = std::uint64_t{ring_rows_} * s.width;
        phi_ = take((s.depth - 1) * ring * s.inner).data();
        products_ = take((s.depth - 2) * ring * s.inner).data();
        if (series != nullptr) {
            lengths_ = take(s.depth * ring).data();
            seen_lengths_ = take(reach_.places());
        }
        window_ = take(cntk_largest_window(s, shape_));
        psi_ = take(s.inner);
        step_ = take(s.inner);
        last_ = take(s.inner);
        sums_ = take(std::uint64_t{shape_.cells_wide} * s.inner);
        scratch_ = work.last(bump.left());
    }

    // The features of x 2^-top.
    Status sample(const float* x, int top, std::span<float> z) noexcept
    {
        x_ = x;
        factor_ = power_of_two(-top);
        clear(z);
        clear(sums_);
        const std::uint32_t r = reach_.y;
        for (std::uint32_t t = 0; t < s_.height + s_.depth * r; ++t) {
            if (series_ != nullptr && t < s_.height)
                lengths_of_image(t);
            for (std::uint32_t h = 1; h <= s_.depth; ++h) {
                if (t < h * r || t - h * r >= s_.height)
                    continue;
                const std::uint32_t row = t - h * r;
                if (const Status status = layer_row(h, row); status != Status::ok)
                    return status;
                if (h == s_.depth)
                    if (const Status status = finish_cells(row, z); status != Status::ok)
                        return status;
            }
        }
        SAMARA_KERNEL(simd, scaled_copy)(z.data(), z.size(), power_of_two(top), z.data());
        return Status::ok;
    }

private:
    std::size_t in_ring(std::uint32_t layer, std::uint32_t row) const noexcept
    {
        return (std::size_t{layer} * ring_rows_ + row % ring_rows_) * s_.width;
    }
    // Of layers 1 ... depth - 1; of 2 ... depth - 1; of 0, the image, ... depth - 1.
    float* phi(std::uint32_t h, std::uint32_t row) const noexcept { return phi_ + in_ring(h - 1, row) * s_.inner; }
    float* products(std::uint32_t h, std::uint32_t row) const noexcept
    {
        return products_ + in_ring(h - 2, row) * s_.inner;
    }
    float* lengths(std::uint32_t h, std::uint32_t row) const noexcept { return lengths_ + in_ring(h, row); }

    void lengths_of_image(std::uint32_t row) noexcept
    {
        const float* const pixels = x_ + std::size_t{row} * s_.width * s_.channels;
        for (std::uint32_t j = 0; j < s_.width; ++j)
            lengths(0, row)[j] = SAMARA_ARCH::sqrt_scalar(
                SAMARA_KERNEL(simd, sum_of_squares)(pixels + std::size_t{j} * s_.channels, s_.channels, factor_));
    }

    // Copies the vectors of a window, times `factor`, row by row, zeros for those beyond the borders.
    void copy_window(const PixelRows& from, std::uint32_t row, std::uint32_t column, float factor,
                     float* out) const noexcept
    {
        const std::uint32_t y = reach_.y, x = reach_.x, n = from.n;
        const std::uint32_t before = column < x ? x - column : 0;
        const std::uint32_t behind = s_.width - column <= x ? x - (s_.width - column) + 1 : 0;
        const std::size_t line = std::size_t{reach_.wide()} * n, empty = std::size_t{before} * n;
        const std::size_t copied = line - empty - std::size_t{behind} * n;
        for (std::uint32_t a = 0; a < reach_.high(); ++a, out += line) {
            const std::span<float> whole(out, line);
            if (row + a < y || row + a - y >= s_.height) {
                clear(whole);
                continue;
            }
            const std::size_t first = std::size_t{(row + a - y) % from.count} * s_.width + (column + before - x);
            clear(whole.first(empty));
            SAMARA_KERNEL(simd, scaled_copy)(from.values + first * n, copied, factor, out + empty);
            clear(whole.subspan(empty + copied));
        }
    }

    // The window that layer h sees: phi and behind it the products of the layer below.
    std::span<float> window(std::uint32_t h, std::uint32_t row, std::uint32_t column) noexcept
    {
        const std::span<float> all = window_.first(static_cast<std::size_t>(cntk_window(s_, shape_, h)));
        if (h == 1) {
            copy_window({x_, s_.channels, s_.height}, row, column, factor_, all.data());
            return all;
        }
        copy_window({phi(h - 1, 0), s_.inner, ring_rows_}, row, column, 1.0f, all.data());
        if (h > 2)
            copy_window({products(h - 1, 0), s_.inner, ring_rows_}, row, column, 1.0f, all.data() + all.size() / 2);
        return all;
    }

    // sqrt(N(h)) of a pixel: the length that its window's phi has in the mean.
    float window_length(std::uint32_t h, std::uint32_t row, std::uint32_t column) noexcept
    {
        copy_window({lengths(h - 1, 0), 1, ring_rows_}, row, column, 1.0f, seen_lengths_.data());
        return SAMARA_ARCH::sqrt_scalar(
            SAMARA_KERNEL(simd, sum_of_squares)(seen_lengths_.data(), seen_lengths_.size(), 1.0f));
    }

    Status layer_row(std::uint32_t h, std::uint32_t row) noexcept
    {
        for (std::uint32_t j = 0; j < s_.width; ++j) {
            const std::size_t at = std::size_t{j} * s_.inner;
            const bool last = h == s_.depth;
            const std::span<float> relu(last ? nullptr : phi(h, row) + at, last ? 0 : s_.inner);
            const std::span<float> product(h == 1 ? nullptr
                                           : last ? last_.data()
                                                  : products(h, row) + at,
                                           h == 1 ? 0 : s_.inner);
            if (const Status status = pixel(h, row, j, relu, product); status != Status::ok)
                return status;
            if (last)
                add_to_cell(row, j);
        }
        return Status::ok;
    }

    Status pixel(std::uint32_t h, std::uint32_t row, std::uint32_t column, std::span<float> relu,
                 std::span<float> product) noexcept
    {
        const std::span<float> seen = window(h, row, column);
        const std::span<float> v = seen.first(static_cast<std::size_t>(cntk_window_phi(s_, shape_, h)));
        float length = 0.0f;
        if (series_ != nullptr) {
            length = window_length(h, row, column);
            if (h < s_.depth)
                lengths(h, row)[column] = length / static_cast<float>(s_.patch);
        }
        const bool black =
            series_ != nullptr ? length == 0.0f : SAMARA_KERNEL(simd, largest_magnitude_bits)(v.data(), v.size()) == 0;
        if (black) {
            clear(relu);
            clear(product);
            return Status::ok;
        }
        if (h > 1)
            if (const Status status = mix(cntk_seed(s_, h - 1, CntkSeed::window), seen, psi_); status != Status::ok)
                return status;
        const std::span<float> step = step_.first(h > 1 ? step_.size() : 0);
        if (const Status status = features_({s_, series_, h, v, length, relu, step, scratch_}); status != Status::ok)
            return status;
        if (h == 1)
            return Status::ok;
        const TensorSrhtSpec tensor{
            .left = s_.inner, .right = s_.inner, .features = s_.inner, .seed = cntk_seed(s_, h, CntkSeed::tensor)};
        return sketch(tensor, psi_, step, product, scratch_);
    }

    Status mix(std::uint64_t seed, std::span<const float> x, std::span<float> z) const noexcept
    {
        const SrhtSpec spec{.inputs = static_cast<std::uint32_t>(x.size()),
                            .features = static_cast<std::uint32_t>(z.size()),
                            .seed = seed};
        return sketch(spec, x, z, scratch_);
    }

    static std::uint32_t cell_length(std::uint32_t cell, std::uint32_t cells, std::uint32_t length) noexcept
    {
        return cntk_cell_first(cell + 1, cells, length) - cntk_cell_first(cell, cells, length);
    }
    void add_to_cell(std::uint32_t row, std::uint32_t column) noexcept
    {
        const std::uint32_t down = cntk_cell_of(row, shape_.cells_high, s_.height);
        const std::uint32_t across = cntk_cell_of(column, shape_.cells_wide, s_.width);
        const std::uint32_t pixels =
            cell_length(down, shape_.cells_high, s_.height) * cell_length(across, shape_.cells_wide, s_.width);
        SAMARA_KERNEL(simd, add_multiple)
        (1.0f / static_cast<float>(pixels), last_.data(), s_.inner, sums_.data() + std::size_t{across} * s_.inner);
    }
    // Behind the last row of a line of cells, their features.
    Status finish_cells(std::uint32_t row, std::span<float> z) noexcept
    {
        const std::uint32_t down = cntk_cell_of(row, shape_.cells_high, s_.height);
        if (row + 1 < cntk_cell_first(down + 1, shape_.cells_high, s_.height))
            return Status::ok;
        const std::size_t each = features_of_cell(s_);
        for (std::uint32_t across = 0; across < shape_.cells_wide; ++across) {
            const std::uint32_t cell = down * shape_.cells_wide + across;
            const std::span<float> mean = sums_.subspan(std::size_t{across} * s_.inner, s_.inner);
            if (const Status status = mix(cntk_seed(s_, 0, CntkSeed::last, cell), mean, z.subspan(cell * each, each));
                status != Status::ok)
                return status;
        }
        clear(sums_);
        return Status::ok;
    }

    const CntkSpec& s_;
    CntkShape shape_;
    CntkReach reach_;
    std::uint32_t ring_rows_;
    CntkFeatures features_;
    const TwoRoots* series_;
    float *phi_ = nullptr, *products_ = nullptr, *lengths_ = nullptr;
    std::span<float> seen_lengths_, window_, psi_, step_, last_, sums_;
    std::span<std::byte> scratch_;
    const float* x_ = nullptr;
    float factor_ = 1.0f;
};

} // namespace

Status walk_cntk(const CntkSpec& s, CntkFeatures features, const TwoRoots* series, std::span<const float> x,
                 std::span<float> z, std::size_t samples, std::span<std::byte> work) noexcept
{
    Walk walk(s, features, series, work);
    for (std::size_t k = 0; k < samples; ++k) {
        const std::span<float> out = z.subspan(k * s.features, s.features);
        const std::uint32_t largest = SAMARA_KERNEL(simd, largest_magnitude_bits)(x.data() + k * s.inputs, s.inputs);
        if (largest == 0) {
            clear(out);
        } else if (walk.sample(x.data() + k * s.inputs, exponent_of(largest), out) != Status::ok) {
            clear(z); // a power left the range of floats
            return Status::overflow;
        }
    }
    return Status::ok;
}

} // namespace samara::engine
