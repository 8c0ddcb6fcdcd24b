// Maps of dot-product kernels. SPEC.md section 10.
#include "samara/map_polynomial.hpp"

#include <bit>

#include "map/engine/whole_map.hpp"
#include "simd/vectors.hpp"
#include "sketch/inputs.hpp"

namespace samara {

namespace {

using namespace detail;

// The roots of the coefficients: of the binomial expansion in double, each rounded once.
struct Roots {
    float root[most_map_degree + 1] = {};
    float appended = 0.0f, factor = 1.0f; // of orders none: x * factor with `appended` behind
};

float root_of(double c) noexcept { return SAMARA_ARCH::sqrt_scalar(static_cast<float>(c)); }

double power(double base, std::uint32_t exponent) noexcept
{
    double p = 1.0;
    for (std::uint32_t i = 0; i < exponent; ++i)
        p *= base;
    return p;
}

Roots roots_of(const PolynomialSpec& s, const PowerLayout& l) noexcept
{
    Roots r;
    if (l.appended) {
        r.factor = SAMARA_ARCH::sqrt_scalar(s.scale);
        r.appended = SAMARA_ARCH::sqrt_scalar(s.offset);
        r.root[s.degree] = 1.0f;
        return r;
    }
    double binomial = 1.0;
    for (std::uint32_t j = 0; j <= s.degree; ++j) {
        r.root[j] = root_of(binomial * power(static_cast<double>(s.scale), j) *
                            power(static_cast<double>(s.offset), s.degree - j));
        binomial = binomial * (s.degree - j) / (j + 1); // exact: every quotient is a binomial coefficient
    }
    return r;
}
Roots roots_of(const DotSpec& s, const PowerLayout&) noexcept
{
    Roots r;
    for (std::uint32_t j = 0; j < s.coefficients.count; ++j)
        r.root[j] = root_of(static_cast<double>(s.coefficients.c[j]));
    return r;
}

// z = roots times shares, from all powers 1 ... highest of `width` numbers each.
void copy_shares(const PowerLayout& l, const Roots& r, const float* powers, float* z) noexcept
{
    for (std::uint32_t j = 1; j <= l.highest; ++j) {
        if (((l.powers >> j) & 1u) == 0)
            continue;
        SAMARA_KERNEL(simd, scaled_copy)(powers + std::size_t{j - 1} * l.width, l.width, r.root[j], z);
        z += l.width;
    }
}

// Sketch: one(x, z) of the highest power, all(x, z) of all of them.
template <class One, class All>
Status sample(const PowerLayout& l, const Roots& r, std::span<const float> x, std::span<float> z, float* appended,
              float* powers, One one, All all) noexcept
{
    float* out = z.data();
    if (l.constant != 0)
        *out++ = r.root[0];
    if (l.linear != 0) {
        SAMARA_KERNEL(simd, scaled_copy)(x.data(), x.size(), r.root[1], out);
        out += l.linear;
    }
    Status status = Status::ok;
    if (l.shares != 0) {
        if (l.appended) {
            SAMARA_KERNEL(simd, scaled_copy)(x.data(), x.size(), r.factor, appended);
            appended[x.size()] = r.appended;
            x = {appended, x.size() + 1};
        }
        if (l.shares == 1) {
            status = one(x, std::span(out, l.width));
            SAMARA_KERNEL(simd, scaled_copy)(out, l.width, r.root[l.highest], out);
        } else {
            status = all(x, std::span(powers, std::size_t{l.highest} * l.width));
            copy_shares(l, r, powers, out);
        }
        out += std::size_t{l.shares} * l.width;
    }
    for (; out != z.data() + z.size(); ++out)
        *out = 0.0f;
    return status == Status::ok ? check_output(z) : status;
}

template <class Spec>
Status run_powers(const Spec& s, std::span<const float> x, std::span<float> z, std::size_t samples,
                  std::span<std::byte> work) noexcept
{
    if (const Status status = check_run(s, x, z, samples, work); status != Status::ok)
        return status;
    if (const Status status = check_vector(x); status != Status::ok)
        return status;

    const PowerLayout l = layout_of(s);
    const Roots r = roots_of(s, l);
    Bump bump(work);
    float* powers = bump.take<float>(l.shares > 1 ? std::size_t{l.highest} * l.width : 0);
    float* appended = bump.take<float>(l.appended ? sketch_inputs(s.inputs, l) : 0);
    const std::size_t left = bump.left();
    const std::span<std::byte> rest = work.last(left);
    const auto each = [&](auto one, auto all) {
        Status status = Status::ok;
        for (std::size_t k = 0; k < samples && status == Status::ok; ++k)
            status = sample(l, r, x.subspan(k * s.inputs, s.inputs), z.subspan(k * s.features, s.features), appended,
                            powers, one, all);
        if (status != Status::ok) // a power left the range of floats
            for (float& v : z)
                v = 0.0f;
        return status;
    };
    if (l.shares == 0 || s.sketch == PowerSketch::srht) {
        const PolySketchSpec poly = poly_sketch_of(s, l);
        return each([&](std::span<const float> v, std::span<float> out) { return sketch(poly, v, out, rest); },
                    [&](std::span<const float> v, std::span<float> out) { return prefixes(poly, v, out, rest); });
    }
    const TensorSketchSpec spec = tensor_sketch_of(s, l);
    TensorSketch tensor;
    if (const Status status = tensor.init(spec, rest); status != Status::ok)
        return status;
    const std::span<std::byte> call = rest.subspan(TensorSketch::bytes(spec));
    return each([&](std::span<const float> v, std::span<float> out) { return tensor.sketch(v, out, call); },
                [&](std::span<const float> v, std::span<float> out) { return tensor.prefixes(v, out, call); });
}

double dot(std::span<const float> x, std::span<const float> y) noexcept
{
    double sum = 0.0;
    for (std::size_t i = 0; i < x.size(); ++i)
        sum += static_cast<double>(x[i]) * static_cast<double>(y[i]);
    return sum;
}

} // namespace

Status compute_map(const PolynomialSpec& s, std::span<const float> x, std::span<float> z, std::size_t samples,
                   std::span<std::byte> work) noexcept
{
    return run_powers(s, x, z, samples, work);
}
Status compute_map(const DotSpec& s, std::span<const float> x, std::span<float> z, std::size_t samples,
                   std::span<std::byte> work) noexcept
{
    return run_powers(s, x, z, samples, work);
}

SAMARA_WHOLE_MAP(PolynomialSpec)
SAMARA_WHOLE_MAP(DotSpec)

double kernel(const PolynomialSpec& s, std::span<const float> x, std::span<const float> y) noexcept
{
    if (x.size() != y.size())
        return 0.0;
    return power(static_cast<double>(s.scale) * dot(x, y) + static_cast<double>(s.offset), s.degree);
}

double kernel(const DotSpec& s, std::span<const float> x, std::span<const float> y) noexcept
{
    if (x.size() != y.size())
        return 0.0;
    const double t = dot(x, y);
    double sum = 0.0;
    for (std::uint32_t j = s.coefficients.count; j > 0; --j)
        sum = sum * t + static_cast<double>(s.coefficients.c[j - 1]);
    return sum;
}

} // namespace samara
