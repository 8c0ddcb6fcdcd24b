// Weights times features. SPEC.md, section 20.6: within a segment the one shape of sums, then onto the output's total.
#include <cstring>

#include "readout/kernels.hpp"
#include "samara/readout.hpp"
#include "simd/fold.hpp"

namespace samara::SAMARA_ARCH {

namespace {

// F::size weights as floats. Those of float16 and int8 may lie at any byte.
template <ReadoutType type>
SAMARA_INLINE F load_weights(const std::byte* p)
{
    if constexpr (type == ReadoutType::float32) {
        float w[F::size];
        std::memcpy(w, __builtin_assume_aligned(p, 4), sizeof w);
        return load(w);
    } else if constexpr (type == ReadoutType::float16) {
        std::uint32_t h[F::size];
        for (unsigned i = 0; i < F::size; ++i) {
            std::uint16_t half;
            std::memcpy(&half, p + 2 * i, 2);
            h[i] = half;
        }
        // A half's exponent has a bias that is 112 less than a float's. The multiplication by 2^112 makes up for that;
        // it is exact, for subnormal halves too.
        const U u = load(h);
        const F magnitude = from_bits(shift_left<13>(u & broadcast(0x7fffu))) * broadcast(0x1p112f);
        return from_bits(bits(magnitude) | shift_left<16>(u & broadcast(0x8000u)));
    } else {
        std::uint32_t q[F::size];
        for (unsigned i = 0; i < F::size; ++i)
            q[i] = static_cast<std::uint32_t>(static_cast<std::int32_t>(static_cast<std::int8_t>(p[i])));
        return to_float(load(q));
    }
}

template <ReadoutType type>
SAMARA_INLINE float segment_sum(const std::byte* w, const float* z, std::uint32_t count)
{
    constexpr std::size_t size = weight_bytes(type);
    if constexpr (F::size == 1) {
        // One weight at a time. Where packs are wider, places behind the end count as 0 * 0, which changes no total:
        // what stays -0 without it is added to a total that is not -0.
        float sums[16] = {};
        for (std::uint32_t i = 0; i < count; ++i)
            sums[i % 16] = fma_scalar(load_weights<type>(w + i * size).v, z[i], sums[i % 16]);
        for (unsigned h = 8; h > 0; h /= 2)
            for (unsigned k = 0; k < h; ++k)
                sums[k] = sums[k] + sums[k + h];
        return sums[0];
    }
    F sum[sum_packs];
    for (F& s : sum)
        s = broadcast(0.0f);
    std::uint32_t i = 0;
    for (; i + 16 <= count; i += 16)
        for (unsigned p = 0; p < sum_packs; ++p)
            sum[p] = fma(load_weights<type>(w + (i + p * F::size) * size), load(z + i + p * F::size), sum[p]);
    if (i < count) {
        alignas(4) std::byte last_w[16 * size] = {};
        float last_z[16] = {};
        std::memcpy(last_w, w + i * size, (count - i) * size);
        std::memcpy(last_z, z + i, (count - i) * sizeof(float));
        for (unsigned p = 0; p < sum_packs; ++p)
            sum[p] = fma(load_weights<type>(last_w + p * F::size * size), load(last_z + p * F::size), sum[p]);
    }
    return fold(sum);
}

template <ReadoutType type>
void add_typed(const ReadoutBlock& r)
{
    for (std::uint32_t first = 0; first < r.count; first += readout_segment) {
        const std::uint32_t left = r.count - first, count = left < readout_segment ? left : readout_segment;
        const std::byte* w = r.weights + (r.first + first) * std::size_t{weight_bytes(type)};
        for (std::uint32_t o = 0; o < r.outputs; ++o, w += r.stride)
            r.totals[o] = r.totals[o] + segment_sum<type>(w, r.z + first, count);
    }
}

} // namespace

void add_readout_float32(const ReadoutBlock& r) { add_typed<ReadoutType::float32>(r); }
void add_readout_float16(const ReadoutBlock& r) { add_typed<ReadoutType::float16>(r); }
void add_readout_int8(const ReadoutBlock& r) { add_typed<ReadoutType::int8>(r); }

} // namespace samara::SAMARA_ARCH
