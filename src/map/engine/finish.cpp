// The nonlinearities. SPEC.md, sections 10.5, 11.6 and 18.5.
#include "map/engine/finish.hpp"

#include "map/engine/kernels.hpp"
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

// Whether a projection that is exactly 0 counts as positive: bit i of the block's stream of ties for row i. Words are
// drawn only as far as ties occur.
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

// 1 where t > 0, or t = 0 and the tie bit says so, else 0; or, with signs, else -1, and less centre t. Times amplitude.
// A device that opens any model at run time has both: one body serves them there.
#if SAMARA_ARCH_ID == 1
[[gnu::noinline]]
#else
SAMARA_INLINE
#endif
void steps(const FinishArgs& f, bool signs)
{
    Ties ties(f);
    const F zero = broadcast(0.0f), amplitude = broadcast(f.amplitude), slope = broadcast(-f.centre),
            yes = signs ? broadcast(1.0f) : amplitude, no = broadcast(signs ? -1.0f : 0.0f);
    each_pack(f, [&](std::uint32_t i, F t, unsigned valid) {
        F r = select(t > zero, yes, no);
        const auto tied = t == zero;
        if (any(tied))
            r = select(tied, select_by_words(ties.at(i) == broadcast(0u), no, yes), r);
        store_part(f.out + i, signs ? fma(t, slope, r) * amplitude : r, valid);
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

// cos z - g and sin z - g z, z = 2 pi t: what the exact constant and linear features leave of cosine and sine.
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

// |t| less its projection on 1 and t^2: see quadratic.hpp.
void finish_absolute_tail(const FinishArgs& f)
{
    const F amplitude = broadcast(f.amplitude), centre = broadcast(f.centre), square = broadcast(f.square);
    each_pack(f, [&](std::uint32_t i, F t, unsigned valid) {
        store_part(f.out + i, fma(t * square, t, absolute(t) - centre) * amplitude, valid);
    });
}

namespace {

// The features of numbers=int8: a product that is not negative, shifted down and at most 127. `amplitude` is the power
// of two of the shift.
SAMARA_INLINE F shifted_down(F magnitude, F amplitude)
{
    const F exact = magnitude * amplitude, nearest = round_to_integer(exact), most = broadcast(127.0f);
    const F floor = select(nearest > exact, nearest - broadcast(1.0f), nearest);
    return select(floor > most, most, floor);
}

} // namespace

void finish_integer_relu(const FinishArgs& f)
{
    const F zero = broadcast(0.0f), amplitude = broadcast(f.amplitude);
    each_pack(f, [&](std::uint32_t i, F t, unsigned valid) {
        store_part(f.out + i, shifted_down(select(t > zero, t, zero), amplitude), valid);
    });
}

void finish_integer_absolute(const FinishArgs& f)
{
    const F amplitude = broadcast(f.amplitude);
    each_pack(f, [&](std::uint32_t i, F t, unsigned valid) {
        store_part(f.out + i, shifted_down(absolute(t), amplitude), valid);
    });
}

void finish_step(const FinishArgs& f) { steps(f, false); }

void finish_sign(const FinishArgs& f) { steps(f, true); }

namespace {

// h_(j+1) = z h_j / sqrt(j+1) - sqrt(j/(j+1)) h_(j-1), the orthonormal Hermite polynomials of the normal distribution
constexpr float inverse_root[] = {1.0f,         0.707106769f, 0.577350259f, 0.5f,         0.44721359f,  0.408248305f,
                                  0.377964467f, 0.353553385f, 0.333333343f, 0.316227764f, 0.301511347f, 0.288675129f,
                                  0.277350098f, 0.267261237f, 0.258198887f, 0.25f,        0.242535621f, 0.235702261f,
                                  0.22941573f,  0.223606795f, 0.218217894f, 0.213200718f, 0.208514407f, 0.204124153f,
                                  0.200000003f, 0.196116135f, 0.192450091f, 0.188982233f, 0.185695335f, 0.182574183f,
                                  0.179605305f, 0.176776692f, 0.17407766f};
constexpr float ratio[] = {0.0f,         0.707106769f, 0.816496611f, 0.866025388f, 0.89442718f,  0.912870944f,
                           0.925820112f, 0.935414374f, 0.942809045f, 0.948683321f, 0.953462601f, 0.957427084f,
                           0.960768938f, 0.96362412f,  0.966091812f, 0.968245864f, 0.970142484f, 0.971825302f,
                           0.973328531f, 0.97467941f,  0.975900054f, 0.977008402f, 0.978019297f, 0.978945017f,
                           0.979795873f, 0.980580688f, 0.981306791f, 0.981980503f, 0.982607365f, 0.983192086f,
                           0.98373878f,  0.984250963f, 0.984731913f};

constexpr std::uint32_t series_terms = 33;

// The factors of h_j: roots of the coefficients with the signs + + - - + + - - ... (samara/map/ntk_poly.hpp says why).
struct SeriesFactors {
    float of[series_terms + F::size] = {};
    std::uint32_t terms;

    // Terms below `first` are carried exactly and left out.
    SAMARA_INLINE SeriesFactors(const float* c, std::uint32_t first)
    {
        terms = 1;
        for (std::uint32_t j = 0; j < series_terms; ++j) {
            terms = c[j] > 0.0f ? j + 1 : terms;
            of[j] = j < first ? 0.0f : c[j];
        }
        for (std::uint32_t j = 0; j < terms; j += F::size)
            store(of + j, sqrt(load(of + j)));
        for (std::uint32_t j = 2; j < terms; ++j)
            of[j] = (j & 2u) != 0 ? -of[j] : of[j];
    }
};

// Clenshaw's sum. It is one long chain of dependent steps, so several packs are computed side by side.
template <unsigned packs>
SAMARA_INLINE void sum_series(const SeriesFactors& factors, const F (&z)[packs], F (&sum)[packs])
{
    F before[packs];
    for (unsigned p = 0; p < packs; ++p)
        sum[p] = before[p] = broadcast(0.0f);
    for (std::uint32_t j = factors.terms; j-- > 0;) {
        const F factor = broadcast(factors.of[j]), slope = broadcast(inverse_root[j]),
                back = broadcast(-ratio[j + 1 < series_terms ? j + 1 : j]);
        for (unsigned p = 0; p < packs; ++p) {
            const F next = fma(z[p] * slope, sum[p], fma(back, before[p], factor));
            before[p] = sum[p];
            sum[p] = next;
        }
    }
}

SAMARA_INLINE F clamped(F z)
{
    const F high = broadcast(6.0f), low = broadcast(-6.0f);
    z = select(z < high, z, high);
    return select(z > low, z, low);
}

SAMARA_INLINE void finish_factors(const FinishArgs& f, const SeriesFactors& factors)
{
    const F amplitude = broadcast(f.amplitude), centre = broadcast(f.centre);
    constexpr unsigned packs = 4;
    std::uint32_t i = 0;
    for (; i + packs * F::size <= f.rows; i += packs * F::size) {
        F z[packs], sum[packs];
        for (unsigned p = 0; p < packs; ++p)
            z[p] = clamped(load(f.t + i + p * F::size) * centre);
        sum_series(factors, z, sum);
        for (unsigned p = 0; p < packs; ++p)
            store(f.out + i + p * F::size, sum[p] * amplitude);
    }
    for (; i < f.rows; i += F::size) {
        const unsigned valid = f.rows - i < F::size ? f.rows - i : F::size;
        const F z[1] = {clamped(load_part(f.t + i, valid) * centre)};
        F sum[1];
        sum_series(factors, z, sum);
        store_part(f.out + i, sum[0] * amplitude, valid);
    }
}

} // namespace

void finish_series(const FinishArgs& f) { finish_factors(f, SeriesFactors(f.series, 0)); }

void finish_series_tail(const FinishArgs& f) { finish_factors(f, SeriesFactors(f.series, 2)); }

void finish_series_rest(const FinishArgs& f) { finish_factors(f, SeriesFactors(f.series, 3)); }

} // namespace samara::SAMARA_ARCH
