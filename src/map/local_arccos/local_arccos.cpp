// Arc-cosine features of patches. See samara/map/local_arccos.hpp.
#include "samara/map/local_arccos.hpp"

#include "map/engine/values.hpp"
#include "samara/memory.hpp"
#include "stream/kernels.hpp"

namespace samara {

namespace {

struct Buffers {
    float* planes;  // x, a channel after the other
    float* weights; // of a filter
    float* row;     // what a filter finds at the places of a row of its window
};

// What normal weights lose where their filter is not to see a constant.
void lose_mean(float* weights, std::uint32_t count) noexcept
{
    float sum = 0.0f;
    for (std::uint32_t i = 0; i < count; ++i)
        sum = sum + weights[i];
    const float mean = sum / static_cast<float>(count);
    for (std::uint32_t i = 0; i < count; ++i)
        weights[i] = weights[i] - mean;
}

float feature(const LocalArcCosSpec& s, const LocalFilters& filters, std::uint32_t number, const Buffers& w) noexcept
{
    const LocalShape& shape = filters.shape;
    Xoshiro words(stream_key_behind(filters.prefix, number));
    const LocalPatch patch = detail::local_patch(filters, words);
    const bool balanced = (words.word() & 1u) != 0 || !shape.series;
    LocalFilter window;
    detail::draw_local_window(shape, patch, words, window);

    const std::uint32_t sites = patch.sites();
    SAMARA_KERNEL(stream, fill_normals)(stream_key(s.seed, Domain::local_weights, number), w.weights, sites);
    if (balanced)
        lose_mean(w.weights, sites);
    const std::size_t plane = std::size_t{shape.height} * shape.width;
    const float* top = w.planes + window.first / shape.right();
    float total = 0.0f;
    for (std::uint32_t y = 0; y < window.height; ++y, top += shape.width) {
        for (std::uint32_t i = 0; i < window.width; ++i)
            w.row[i] = 0.0f;
        const float* weight = w.weights;
        for (std::uint32_t c = 0; c < patch.channels; ++c)
            for (std::uint32_t high = 0; high < patch.high; ++high)
                for (std::uint32_t column = 0; column < patch.side; ++column)
                    SAMARA_KERNEL(simd, add_multiple)
        (*weight++, top + patch.channel[c] * plane + high * shape.width + (column << patch.spread), window.width,
         w.row);
        float sum = 0.0f;
        for (std::uint32_t i = 0; i < window.width; ++i)
            sum = sum + (w.row[i] > 0.0f ? w.row[i] : 0.0f);
        total = total + sum;
    }
    const float freedom = static_cast<float>(balanced ? sites - 1 : sites);
    const float amplitude = SAMARA_ARCH::sqrt_scalar(2.0f / (static_cast<float>(s.features) * freedom));
    return total * (amplitude / static_cast<float>(window.height * window.width));
}

} // namespace

Status Map<LocalArcCosSpec>::run(const LocalArcCosSpec& s, const Code&, std::span<const float> x, std::span<float> z,
                                 std::size_t samples, std::span<std::byte> work) noexcept
{
    const LocalFilters filters = engine::local_filters_of(s);
    const std::size_t plane = s.inputs / s.channels;
    Bump bump(work);
    Buffers w{};
    w.planes = bump.take<float>(s.inputs);
    w.weights = bump.take<float>(most_sites(s));
    w.row = bump.take<float>(filters.shape.width);
    for (std::size_t k = 0; k < samples; ++k) {
        const float* const sample = x.data() + k * s.inputs;
        const std::size_t deeper = filters.shape.series ? plane : 1, right = filters.shape.right();
        for (std::uint32_t c = 0; c < s.channels; ++c)
            for (std::size_t i = 0; i < plane; ++i)
                w.planes[c * plane + i] = sample[c * deeper + i * right];
        for (std::uint32_t n = 0; n < s.features; ++n)
            z[k * s.features + n] = feature(s, filters, n, w);
    }
    return Status::ok;
}

} // namespace samara
