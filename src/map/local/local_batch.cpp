// Local features of several samples: a sample in each lane of 16 bits.
#include "map/local/kernels.hpp"
#include "project/round_inputs.hpp"
#include "samara/map/engine/local_filter.hpp"
#include "samara/project/integer.hpp"

namespace samara::SAMARA_ARCH {

namespace {

#if SAMARA_ARCH_ID != 1

constexpr unsigned lanes = F::size * 2;
typedef std::int16_t V __attribute__((vector_size(2 * lanes)));
// The same where a workspace begins, at a multiple of 4 bytes.
typedef std::int16_t Place __attribute__((vector_size(2 * lanes), may_alias, aligned(4)));

// What is found so far: sums of 32 bits, to which those of 16 bits are added before they may overflow; or maxima, which
// need 16 bits.
struct Found {
    std::int32_t sums[lanes] = {};

    void add(V part)
    {
        for (unsigned lane = 0; lane < lanes; ++lane)
            sums[lane] += part[lane];
    }
};

// |a| <= 127 taps, so that so many fit into 16 bits.
constexpr std::uint32_t places_at_once(std::uint32_t taps) { return 32767 / (127 * taps); }

template <bool maximum, class Sum>
SAMARA_INLINE void walk(const Place* window, const std::uint16_t* f, const LocalShape& shape, std::uint32_t taps,
                        Found& found, Sum sum)
{
    V part = V{} - static_cast<std::int16_t>(maximum ? 32767 : 0);
    const std::uint32_t at_once = places_at_once(taps), right = shape.right(), down = shape.down();
    std::uint32_t room = at_once;
    for (std::uint32_t y = 0; y < f[2]; ++y, window += down) {
        const Place* p = window;
        for (std::uint32_t x = f[1]; x > 0;) {
            const std::uint32_t now = x < room ? x : room;
            for (std::uint32_t i = 0; i < now; ++i, p += right) {
                const V a = sum(p);
                if constexpr (maximum)
                    part = a > part ? a : part;
                else
                    part += a & (a > V{});
            }
            x -= now;
            if constexpr (!maximum) {
                room -= now;
                if (room == 0) {
                    found.add(part);
                    part = V{};
                    room = at_once;
                }
            }
        }
    }
    found.add(part);
}

template <bool maximum>
void find(const Place* x, const std::uint16_t* f, const LocalShape& shape, Found& found)
{
    const std::uint32_t taps = PackedFilter::taps(f), plus = PackedFilter::plus(f);
    const std::uint16_t* const tap = f + PackedFilter::head;
    const Place* const window = x + f[0];
    if (taps == 2 && plus == 1)
        return walk<maximum>(window, f, shape, taps, found, [=](const Place* p) -> V { return p[tap[0]] - p[tap[1]]; });
    if (taps == 4 && plus == 2)
        return walk<maximum>(window, f, shape, taps, found,
                             [=](const Place* p) -> V { return p[tap[0]] + p[tap[1]] - p[tap[2]] - p[tap[3]]; });
    walk<maximum>(window, f, shape, taps, found, [=](const Place* p) {
        V a{};
        for (std::uint32_t i = 0; i < plus; ++i)
            a += p[tap[i]];
        for (std::uint32_t i = plus; i < taps; ++i)
            a -= p[tap[i]];
        return a;
    });
}

void some_samples(const LocalBatch& b, std::size_t first, std::size_t count)
{
    auto* const numbers = b.work;
    for (std::size_t s = 0; s < lanes; ++s)
        if (s < count)
            round_inputs(b.x + (first + s) * b.inputs, b.inputs, numbers + s, lanes);
        else
            for (std::size_t i = 0; i < b.inputs; ++i)
                numbers[i * lanes + s] = 0;
    const auto* const x = reinterpret_cast<const Place*>(numbers);
    const std::uint16_t* f = b.filters;
    for (std::uint32_t i = 0; i < b.count; ++i, f = PackedFilter::behind(f)) {
        Found found;
        if (PackedFilter::maximum(f))
            find<true>(x, f, *b.shape, found);
        else
            find<false>(x, f, *b.shape, found);
        for (std::size_t s = 0; s < count; ++s)
            b.out[(first + s) * b.out_stride + i] =
                static_cast<float>(local_value(found.sums[s], PackedFilter::shift(f)));
    }
}

#endif

} // namespace

void local_inputs(const float* x, std::size_t inputs, std::int16_t* out) { round_inputs(x, inputs, out, 1); }

void local_features(const LocalBatch& b)
{
    std::size_t sample = 0;
#if SAMARA_ARCH_ID != 1
    for (; sample + 1 < b.samples; sample += lanes)
        some_samples(b, sample, b.samples - sample < lanes ? b.samples - sample : lanes);
#endif
    for (; sample < b.samples; ++sample) {
        round_inputs(b.x + sample * b.inputs, b.inputs, b.work, 1);
        float* const out = b.out + sample * b.out_stride;
        const std::uint16_t* f = b.filters;
        for (std::uint32_t i = 0; i < b.count; ++i, f = PackedFilter::behind(f))
            out[i] = static_cast<float>(local_feature(b.work, f, b.shape->right(), b.shape->down()));
    }
}

} // namespace samara::SAMARA_ARCH
