// The nonlinearities. SPEC.md section 5.
#include "map/finish.hpp"

#include "kernels.hpp"
#include "stream/lanes.hpp"

namespace samara::SAMARA_ARCH {

namespace {

SAMARA_INLINE F load_part(const float* p, unsigned valid)
{
    if (valid == F::size)
        return load(p);
    float full[F::size] = {};
    for (unsigned i = 0; i < valid; ++i)
        full[i] = p[i];
    return load(full);
}
SAMARA_INLINE void store_part(float* p, F v, unsigned valid)
{
    if (valid == F::size) {
        store(p, v);
        return;
    }
    float full[F::size];
    store(full, v);
    for (unsigned i = 0; i < valid; ++i)
        p[i] = full[i];
}

// body(i, t, valid) for each pack of projections, in order, so that a result may overwrite its own projection.
template <class Body>
SAMARA_INLINE void each_pack(const FinishArgs& f, Body body)
{
    std::uint32_t i = 0;
    for (; i + F::size <= f.rows; i += F::size)
        body(i, load(f.t + i), F::size);
    if (i < f.rows)
        body(i, load_part(f.t + i, f.rows - i), f.rows - i);
}

// A bit a row for projections that are exactly 0: bit i of the block's stream of ties, drawn only when one occurs.
class Ties {
public:
    SAMARA_INLINE explicit Ties(const FinishArgs& f) : f_(f) {}
    // All ones in the lanes from row i on whose bit is 1; i must not decrease.
    SAMARA_INLINE U at(std::uint32_t i)
    {
        if (drawn_ == 0)
            words_ = Xoshiro(stream_key(f_.seed, Domain::ties, f_.index));
        for (; drawn_ <= i / 32; ++drawn_)
            word_ = words_.word();
        return sign_bits(word_ >> (i % 32));
    }

private:
    const FinishArgs& f_;
    Xoshiro words_{1, 2, 3, 4};
    std::uint32_t drawn_ = 0, word_ = 0;
};

// yes where t > 0, or t = 0 and the tie bit says so; else no.
template <class Emit>
SAMARA_INLINE void each_step(const FinishArgs& f, F yes, F no, Emit emit)
{
    Ties ties(f);
    const F zero = broadcast(0.0f);
    each_pack(f, [&](std::uint32_t i, F t, unsigned valid) {
        F r = select(t > zero, yes, no);
        const auto tied = t == zero;
        if (any(tied))
            r = select(tied, select_by_words(ties.at(i) == broadcast(0u), no, yes), r);
        emit(i, t, r, valid);
    });
}

} // namespace

void finish_pair(const FinishArgs& f)
{
    const F amplitude = broadcast(f.amplitude);
    each_pack(f, [&](std::uint32_t i, F t, unsigned valid) {
        const SinCos v = sin_cos_turns(t);
        store_part(f.out + i, v.cosine * amplitude, valid);
        store_part(f.out + f.rows + i, v.sine * amplitude, valid);
    });
}

// cos z - g and sin z - z g, z = 2 pi t: what is left of them after their exact orders 0 and 1
void finish_pair_centred(const FinishArgs& f)
{
    const F amplitude = broadcast(f.amplitude), g = broadcast(f.centre), slope = broadcast(-6.28318548f * f.centre);
    each_pack(f, [&](std::uint32_t i, F t, unsigned valid) {
        const SinCos v = sin_cos_turns(t);
        store_part(f.out + i, (v.cosine - g) * amplitude, valid);
        store_part(f.out + f.rows + i, fma(t, slope, v.sine) * amplitude, valid);
    });
}

void finish_phase(const FinishArgs& f)
{
    const F amplitude = broadcast(f.amplitude);
    Wide wide(stream_key(f.seed, Domain::phases, f.index));
    each_pack(f, [&](std::uint32_t i, F t, unsigned valid) {
        const U word = next_words(wide.part[(i / F::size) % Wide::packs]);
        const F phase = to_float(shift_right<8>(word)) * broadcast(0x1p-24f);
        store_part(f.out + i, sin_cos_turns(t + phase).cosine * amplitude, valid);
    });
}

void finish_relu(const FinishArgs& f)
{
    const F amplitude = broadcast(f.amplitude), zero = broadcast(0.0f);
    each_pack(f, [&](std::uint32_t i, F t, unsigned valid) {
        store_part(f.out + i, select(t > zero, t, zero) * amplitude, valid);
    });
}

void finish_absolute(const FinishArgs& f)
{
    const F amplitude = broadcast(f.amplitude), centre = broadcast(f.centre);
    each_pack(f, [&](std::uint32_t i, F t, unsigned valid) {
        store_part(f.out + i, (absolute(t) - centre) * amplitude, valid);
    });
}

void finish_step(const FinishArgs& f)
{
    each_step(f, broadcast(f.amplitude), broadcast(0.0f),
              [&](std::uint32_t i, F, F r, unsigned valid) { store_part(f.out + i, r, valid); });
}

void finish_sign(const FinishArgs& f)
{
    const F amplitude = broadcast(f.amplitude), slope = broadcast(-f.centre);
    each_step(f, broadcast(1.0f), broadcast(-1.0f), [&](std::uint32_t i, F t, F r, unsigned valid) {
        store_part(f.out + i, fma(t, slope, r) * amplitude, valid);
    });
}

} // namespace samara::SAMARA_ARCH
