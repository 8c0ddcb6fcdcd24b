// Maps of dot-product kernels. SPEC.md, sections 12 and 13.
#include "samara/map/polynomial.hpp"

#include <bit>

#include "simd/vectors.hpp"
#include "sketch/inputs.hpp"

namespace samara {

namespace engine {

namespace {

// The roots of the coefficients by power, each computed in double and rounded once. Where PowerLayout::appended, there
// is one power alone, of x * factor with the number `appended` behind it.
struct PowerRoots {
    float root[most_map_degree + 1] = {};
    float appended = 0.0f, factor = 1.0f;
};

} // namespace

// A call for several samples, whatever the type of the map's spec.
struct PowerRun {
    const PowerLayout& layout;
    const PowerRoots& roots;
    std::uint32_t inputs, features;
    std::uint64_t seed;
    std::span<const float> x;
    std::span<float> z;
    std::size_t samples;
    std::span<std::byte> work;
};

namespace {

float root_of(double c) noexcept { return SAMARA_ARCH::sqrt_scalar(static_cast<float>(c)); }

double power(double base, std::uint32_t exponent) noexcept
{
    double p = 1.0;
    for (std::uint32_t i = 0; i < exponent; ++i)
        p *= base;
    return p;
}

PowerRoots roots_of(const PolynomialSpec& s, const PowerLayout& l) noexcept
{
    PowerRoots r;
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
PowerRoots roots_of(const DotSpec& s, const PowerLayout&) noexcept
{
    PowerRoots r;
    for (std::uint32_t j = 0; j < s.coefficients.count; ++j)
        r.root[j] = root_of(static_cast<double>(s.coefficients.c[j]));
    return r;
}

// Writes the features of the powers that the map has, each times its root. `powers` holds the sketches of all powers
// 1 ... highest, of `width` numbers each.
void copy_shares(const PowerLayout& l, const PowerRoots& r, const float* powers, float* z) noexcept
{
    for (std::uint32_t j = 1; j <= l.highest; ++j) {
        if (((l.powers >> j) & 1u) == 0)
            continue;
        SAMARA_KERNEL(simd, scaled_copy)(powers + std::size_t{j - 1} * l.width, l.width, r.root[j], z);
        z += l.width;
    }
}

// sketch_highest(x, z) sketches the highest power of x, sketch_all(x, z) its powers 1 ... highest.
template <class SketchHighest, class SketchAll>
Status sample_features(const PowerLayout& l, const PowerRoots& r, std::span<const float> x, std::span<float> z,
                       float* appended, float* powers, SketchHighest sketch_highest, SketchAll sketch_all) noexcept
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
            status = sketch_highest(x, std::span(out, l.width));
            SAMARA_KERNEL(simd, scaled_copy)(out, l.width, r.root[l.highest], out);
        } else {
            status = sketch_all(x, std::span(powers, std::size_t{l.highest} * l.width));
            copy_shares(l, r, powers, out);
        }
        out += std::size_t{l.shares} * l.width;
    }
    for (; out != z.data() + z.size(); ++out)
        *out = 0.0f;
    return status == Status::ok ? samara::detail::check_output(z) : status;
}

// Makes the features of all samples. with_sketches(rest of the workspace, call) calls call(sketch_highest, sketch_all).
template <class WithSketches>
Status each_sample(const PowerRun& run, WithSketches with_sketches) noexcept
{
    const PowerLayout& l = run.layout;
    Bump bump(run.work);
    float* powers = bump.take<float>(l.shares > 1 ? std::size_t{l.highest} * l.width : 0);
    float* appended = bump.take<float>(l.appended ? sketch_inputs(run.inputs, l) : 0);
    return with_sketches(run.work.last(bump.left()), [&](auto sketch_highest, auto sketch_all) {
        Status status = Status::ok;
        for (std::size_t k = 0; k < run.samples && status == Status::ok; ++k)
            status = sample_features(l, run.roots, run.x.subspan(k * run.inputs, run.inputs),
                                     run.z.subspan(k * run.features, run.features), appended, powers, sketch_highest,
                                     sketch_all);
        if (status == Status::ok)
            return status;
        for (float& v : run.z) // a power left the range of floats, or of a sketch's inputs
            v = 0.0f;
        return Status::overflow;
    });
}

template <class Spec>
Status run_powers(const Spec& s, const PowerCode& code, std::span<const float> x, std::span<float> z,
                  std::size_t samples, std::span<std::byte> work) noexcept
{
    const PowerLayout l = power_layout(s);
    const PowerRoots r = roots_of(s, l);
    return code.run({.layout = l,
                     .roots = r,
                     .inputs = s.inputs,
                     .features = s.features,
                     .seed = s.seed,
                     .x = x,
                     .z = z,
                     .samples = samples,
                     .work = work});
}

double inner_product(std::span<const float> x, std::span<const float> y) noexcept
{
    double sum = 0.0;
    for (std::size_t i = 0; i < x.size(); ++i)
        sum += static_cast<double>(x[i]) * static_cast<double>(y[i]);
    return sum;
}

} // namespace

Status run_powers_srht(const PowerRun& run) noexcept
{
    const PolySketchSpec spec{.inputs = sketch_inputs(run.inputs, run.layout),
                              .degree = run.layout.highest,
                              .features = run.layout.width,
                              .seed = run.seed};
    return each_sample(run, [&](std::span<std::byte> rest, auto call) {
        return call([&](std::span<const float> v, std::span<float> out) { return sketch(spec, v, out, rest); },
                    [&](std::span<const float> v, std::span<float> out) { return prefixes(spec, v, out, rest); });
    });
}

// The tables of the FFT are made once for all samples.
Status run_powers_count(const PowerRun& run) noexcept
{
    const TensorSketchSpec spec{.size = run.layout.width, .degree = run.layout.highest, .seed = run.seed};
    return each_sample(run, [&](std::span<std::byte> rest, auto call) {
        TensorSketch tensor;
        std::span<std::byte> work;
        if (run.layout.shares != 0) {
            static_cast<void>(tensor.init(spec, rest)); // the spec passed check(), and the workspace its size
            work = rest.subspan(TensorSketch::bytes(spec));
        }
        return call([&](std::span<const float> v, std::span<float> out) { return tensor.sketch(v, out, work); },
                    [&](std::span<const float> v, std::span<float> out) { return tensor.prefixes(v, out, work); });
    });
}

namespace {

// Limited to the range, then rounded to the nearest, ties to even: a float of this size has no fraction.
std::int16_t whole_input(float v) noexcept
{
    constexpr float no_fraction = 0x1.8p23f, most = static_cast<float>(largest_integer);
    v = v > most ? most : v < -most ? -most : v;
    return static_cast<std::int16_t>((v + no_fraction) - no_fraction);
}

} // namespace

namespace {

// The workspace of a sample in whole numbers.
struct IntegerRooms {
    std::uint32_t* signs;
    std::int16_t* inputs;
    std::int32_t* second; // products, of two bytes each, or sums
    std::uint8_t* made;

    IntegerRooms(const IntegerRows& rows, const IntegerPowers& powers, std::span<std::byte> work) noexcept
    {
        const std::size_t words = integer_sign_words(rows.inputs), size = std::size_t{1} << block_log2(rows.inputs);
        const std::size_t bytes = integer_power_bytes(rows, powers) - 4 * words - 2 * size;
        Bump bump(work);
        signs = bump.take<std::uint32_t>(words);
        inputs = bump.take<std::int16_t>(size);
        second = bump.take<std::int32_t>(bytes / sizeof(std::int32_t) - integer_features_at_once / 2);
        made = bump.take<std::uint8_t>(integer_features_at_once);
    }
    std::int16_t* products() const noexcept { return reinterpret_cast<std::int16_t*>(second); }
};

} // namespace

// By the functions that predict on boards: all but the features costs little.
template <PowerForm form>
void begin_integer_powers(const IntegerRows& rows, const IntegerPowers& powers, const float* x,
                          std::span<std::byte> work) noexcept
{
    const IntegerRooms rooms(rows, powers, work);
    const std::size_t size = std::size_t{1} << block_log2(rows.inputs);
    for (std::size_t i = 0; i < size; ++i)
        rooms.inputs[i] = i < rows.inputs ? whole_input(x[i]) : std::int16_t{0};
    if constexpr (form == PowerForm::counted)
        integer_counted_sums(rows, powers, rooms.inputs, rooms.second);
    else
        integer_power_products<form>(rows, powers, rooms.products(), rooms.inputs, [&](std::uint32_t block) {
            integer_signs(stream_key_behind(rows.prefix, block), {rooms.signs, integer_sign_words(rows.inputs)});
            return rooms.signs;
        });
}

template <PowerForm form>
void make_integer_powers(const IntegerRows& rows, const IntegerPowers& powers, std::uint32_t first, std::span<float> z,
                         std::span<std::byte> work) noexcept
{
    const IntegerRooms rooms(rows, powers, work);
    for (std::size_t at = 0; at < z.size(); at += integer_features_at_once) {
        const std::size_t left = z.size() - at;
        const auto count =
            static_cast<std::uint32_t>(left < integer_features_at_once ? left : integer_features_at_once);
        const std::uint32_t begin = first + static_cast<std::uint32_t>(at);
        if constexpr (form == PowerForm::counted)
            integer_counted_features(powers, rooms.second, begin, count, rooms.made);
        else if constexpr (form == PowerForm::linear)
            integer_linear_features(rows, powers, rooms.products(), begin, count, rooms.made);
        else
            integer_square_features(rows, powers, rooms.products(), rooms.inputs, begin, count, rooms.made);
        for (std::uint32_t i = 0; i < count; ++i)
            z[at + i] = static_cast<float>(static_cast<std::int8_t>(rooms.made[i]));
    }
}

template void begin_integer_powers<PowerForm::linear>(const IntegerRows&, const IntegerPowers&, const float*,
                                                      std::span<std::byte>) noexcept;
template void make_integer_powers<PowerForm::linear>(const IntegerRows&, const IntegerPowers&, std::uint32_t,
                                                     std::span<float>, std::span<std::byte>) noexcept;
template void begin_integer_powers<PowerForm::square>(const IntegerRows&, const IntegerPowers&, const float*,
                                                      std::span<std::byte>) noexcept;
template void make_integer_powers<PowerForm::square>(const IntegerRows&, const IntegerPowers&, std::uint32_t,
                                                     std::span<float>, std::span<std::byte>) noexcept;
template void begin_integer_powers<PowerForm::counted>(const IntegerRows&, const IntegerPowers&, const float*,
                                                       std::span<std::byte>) noexcept;
template void make_integer_powers<PowerForm::counted>(const IntegerRows&, const IntegerPowers&, std::uint32_t,
                                                      std::span<float>, std::span<std::byte>) noexcept;

} // namespace engine

using namespace engine;

Status Map<PolynomialSpec>::run(const PolynomialSpec& s, const PowerCode& code, std::span<const float> x,
                                std::span<float> z, std::size_t samples, std::span<std::byte> work) noexcept
{
    if (code.begin != nullptr) {
        const IntegerRows rows = integer_rows(s);
        const IntegerPowers powers = integer_powers(s);
        for (std::size_t k = 0; k < samples; ++k) {
            code.begin(rows, powers, x.data() + k * s.inputs, work);
            code.make(rows, powers, 0, z.subspan(k * s.features, s.features), work);
        }
        return Status::ok;
    }
    return run_powers(s, code, x, z, samples, work);
}
Status Map<PolynomialSpec>::integer_block(const PolynomialSpec& s, const PowerCode& code, const ChosenRows& kept,
                                          const Sample& sample, std::uint32_t k, std::span<float> z) noexcept
{
    const std::uint32_t size = block_rows(s), first = k * size, left = s.features - first;
    const std::span<float> whole = kept.all() ? z : std::span(z.data(), left < size ? left : size);
    code.make(integer_rows(s), integer_powers(s), first, whole, sample.work);
    if (!kept.all())
        kept.move_to_front(kept.position_of(first), static_cast<std::uint32_t>(z.size()), size - 1, z.data());
    return Status::ok;
}

Status Map<DotSpec>::run(const DotSpec& s, const PowerCode& code, std::span<const float> x, std::span<float> z,
                         std::size_t samples, std::span<std::byte> work) noexcept
{
    return run_powers(s, code, x, z, samples, work);
}

namespace {

// What products of rows are off an inner product by, their number, and the shift; the offset is the square of the
// constant.
double integer_kernel(const PolynomialSpec& s, double product) noexcept
{
    const IntegerPowers p = Map<PolynomialSpec>::integer_powers(s);
    double unit = 1.0, all = 1.0;
    if (p.form != PowerForm::counted) {
        const double halved = static_cast<double>(std::uint64_t{1} << (2 * integer_halvings(s.inputs)));
        unit = static_cast<double>(integer_row_square(s.inputs)) / halved;
        all = static_cast<double>(s.features);
    }
    const double value = unit * product + static_cast<double>(p.constant) * static_cast<double>(p.constant);
    return all * power(value, s.degree) / static_cast<double>(std::uint64_t{1} << (2 * p.shift));
}

} // namespace

double Map<PolynomialSpec>::kernel(const PolynomialSpec& s, std::span<const float> x, std::span<const float> y) noexcept
{
    if (x.size() != y.size())
        return 0.0;
    const double product = inner_product(x, y);
    if (s.numbers == Numbers::int8)
        return integer_kernel(s, product);
    return power(static_cast<double>(s.scale) * product + static_cast<double>(s.offset), s.degree);
}

double Map<DotSpec>::kernel(const DotSpec& s, std::span<const float> x, std::span<const float> y) noexcept
{
    if (x.size() != y.size())
        return 0.0;
    const double t = inner_product(x, y);
    double sum = 0.0;
    for (std::uint32_t j = s.coefficients.count; j > 0; --j)
        sum = sum * t + static_cast<double>(s.coefficients.c[j - 1]);
    return sum;
}

} // namespace samara
