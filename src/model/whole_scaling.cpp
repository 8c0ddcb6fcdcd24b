// Inputs as whole numbers. samara/model/whole_scaling.hpp says why both forms give the same.
#include "samara/model/whole_scaling.hpp"

#include <bit>
#include <type_traits>

#include "samara/model/layout.hpp"
#include "samara/project/integer.hpp"
#include "simd/pairs.hpp"
#include "simd/scalar_math.hpp"

namespace samara {

namespace {

inline std::int32_t clamped(std::int32_t v) noexcept
{
#if SAMARA_PAIRS_OF_NUMBERS
    v = __ssat(v, 8);
    return v < -largest_integer ? -largest_integer : v;
#endif
    return v > largest_integer ? largest_integer : v < -largest_integer ? -largest_integer : v;
}

// One factor and shift, taken apart once for all inputs that share them.
class Line {
public:
    Line(std::int32_t shift, std::uint8_t code) noexcept
        : eighths_(code & 7u), up_((code >> 3) > 16 ? (code >> 3) - 16u : 0),
          down_((code >> 3) < 16 ? 16u - (code >> 3) : 0), added_(shift * (std::int32_t{1} << down_)),
          most_(std::int32_t{1} << (28 - up_))
    {}
    std::int32_t operator()(std::int32_t x) const noexcept
    {
        // x (8 + m), at most 2^20, from additions.
        std::int32_t t = x * 8;
        if (eighths_ != 0)
            t += ((eighths_ & 1u) != 0 ? x : 0) + ((eighths_ & 2u) != 0 ? x * 2 : 0) +
                 ((eighths_ & 4u) != 0 ? x * 4 : 0);
        // What is shifted up beyond 2^28 is clamped whatever is added to it.
        if (up_ != 0) {
            t = t > most_ ? most_ : t < -most_ ? -most_ : t;
            t *= std::int32_t{1} << up_;
        }
        return clamped((t + added_) >> (3 + down_));
    }

private:
    std::uint32_t eighths_, up_, down_;
    std::int32_t added_, most_;
};

// The same of a float.
float line_of_float(float x, std::int32_t shift, std::uint8_t code) noexcept
{
    if ((std::bit_cast<std::uint32_t>(x) & 0x7fffffffu) > 0x53800000u)
        return x;
    const float factor = std::bit_cast<float>((111u + (code >> 3)) << 23 | (code & 7u) << 20);
    const float v = SAMARA_ARCH::fma_scalar(x, factor, static_cast<float>(shift) * 0.125f);
    if (v >= 127.0f)
        return 127.0f;
    if (v < -127.0f)
        return -127.0f;
    const auto whole = static_cast<std::int32_t>(v);
    return static_cast<float>(static_cast<float>(whole) > v ? whole - 1 : whole);
}

// Calls begin(k)(i) for each input i that takes number k, without a division.
template <class Begin>
[[gnu::always_inline]] inline void each_input(const WholeScaling& s, std::size_t n, Begin begin) noexcept
{
    const std::size_t step = s.run != 0 ? 1 : s.length;
    for (std::uint32_t k = 0; k < s.length; ++k) {
        const auto make = begin(k);
        const std::size_t end = s.run != 0 ? (k + 1) * std::size_t{s.run} : n;
        for (std::size_t i = s.run != 0 ? k * std::size_t{s.run} : k; i < end; i += step)
            make(i);
    }
}

// The numbers are one behind the other in most calls, and functions of those know it.
template <class Number, class Stride>
[[gnu::always_inline]] inline void apply_whole(const WholeScaling& s, std::span<const Number> x, std::int16_t* out,
                                               Stride stride) noexcept
{
    if (s.length == 0) {
        for (std::size_t i = 0; i < x.size(); ++i)
            out[i * stride] = static_cast<std::int16_t>(clamped(x[i]));
        return;
    }
    if (s.length == 1 && (s.factor(0) & 7u) == 0 && s.factor(0) >> 3 <= 24) {
        // A power of two for all inputs, as training chooses it: two shifts and an addition.
        const std::uint32_t exponent = s.factor(0) >> 3, down = exponent < 16 ? 16 - exponent : 0,
                            left = exponent < 16 ? 3 : exponent - 13, right = 3 + down;
        const std::int32_t added = s.shift(0) * (std::int32_t{1} << down);
        for (const Number v : x) {
            *out = static_cast<std::int16_t>(clamped((v * (std::int32_t{1} << left) + added) >> right));
            out += stride;
        }
        return;
    }
    each_input(s, x.size(), [&](std::uint32_t k) {
        return [&, line = Line(s.shift(k), s.factor(k))](std::size_t i) {
            out[i * stride] = static_cast<std::int16_t>(line(x[i]));
        };
    });
}

} // namespace

using Side = std::integral_constant<std::uint32_t, 1>;

void WholeScaling::apply(std::span<const std::uint8_t> x, std::int16_t* out) const noexcept
{
    apply_whole(*this, x, out, Side());
}
void WholeScaling::apply(std::span<const std::int8_t> x, std::int16_t* out) const noexcept
{
    apply_whole(*this, x, out, Side());
}
void WholeScaling::apply(std::span<const std::int16_t> x, std::int16_t* out) const noexcept
{
    apply_whole(*this, x, out, Side());
}
void WholeScaling::apply(std::span<const std::uint8_t> x, std::int16_t* out, std::uint32_t stride) const noexcept
{
    apply_whole(*this, x, out, stride);
}
void WholeScaling::apply(std::span<const std::int8_t> x, std::int16_t* out, std::uint32_t stride) const noexcept
{
    apply_whole(*this, x, out, stride);
}
void WholeScaling::apply(std::span<const std::int16_t> x, std::int16_t* out, std::uint32_t stride) const noexcept
{
    apply_whole(*this, x, out, stride);
}

void WholeScaling::apply(std::uint32_t n, const float* x, float* out) const noexcept
{
    each_input(*this, n, [&](std::uint32_t k) {
        return
            [x, out, added = shift(k), code = factor(k)](std::size_t i) { out[i] = line_of_float(x[i], added, code); };
    });
}

void scale_to_whole(const InputScaling& scaling, std::uint32_t n, const float* x, float* out) noexcept
{
    WholeScaling{scaling.vectors(), scaling.length(), whole_run(scaling.steps(), n, scaling.length())}.apply(n, x, out);
}

} // namespace samara
