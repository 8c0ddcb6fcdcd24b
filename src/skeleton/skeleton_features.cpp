// Features of skeletons. SPEC.md, section 27.4.
#include "samara/skeleton/features.hpp"

#include <bit>

#include "samara/memory.hpp"
#include "simd/scalar_math.hpp"
#include "simd/vectors.hpp"
#include "skeleton/draw.hpp"
#include "skeleton/generate.hpp"
#include "skeleton/kernels.hpp"

namespace samara {

SAMARA_KERNEL_TABLES(skeleton, SAMARA_SKELETON_KERNELS)

namespace {

// The fraction of t, in 2^-32, rounded to nearest, a half away from 0. Of integers alone: no rounding mode, no soft
// float.
std::uint32_t phase_of(float t) noexcept
{
    const auto u = std::bit_cast<std::uint32_t>(t);
    const std::uint32_t exponent = u >> 23 & 255u, mantissa = (u & 0x7fffffu) | 0x800000u;
    constexpr std::uint32_t whole = 118; // here the mantissa's last bit is 2^-32
    std::uint32_t phase = 0;
    if (exponent >= whole)
        phase = exponent - whole < 32 ? mantissa << (exponent - whole) : 0;
    else if (whole - exponent <= 24)
        phase = (mantissa + (1u << (whole - exponent - 1))) >> (whole - exponent);
    return u >> 31 != 0 ? 0u - phase : phase;
}

Xoshiro words_of(std::uint64_t seed, std::uint32_t i) noexcept
{
    return Xoshiro(stream_key(seed, Domain::skeleton_features, i));
}

// Whether x > 0, of a number that is none but finite: of integers, for boards without floats.
bool positive(float x) noexcept { return std::bit_cast<std::int32_t>(x) > 0; }

// Which of its base's features a factor is, as far as one word says it; the words of normals are passed over.
std::uint32_t which_of(const SkeletonGroup& g, Xoshiro& words) noexcept
{
    switch (g.base()) {
    case SkeletonBase::circle:
        return words.word() >> 31;
    case SkeletonBase::categorical:
        return detail::index_below(words.word(), g.value);
    case SkeletonBase::sphere:
        return detail::index_below(words.word(), 2 * g.columns);
    case SkeletonBase::gaussian:
    case SkeletonBase::sphere_uniform:
        static_cast<void>(words.word());
        static_cast<void>(words.word());
        return 0;
    default:
        return 0;
    }
}

// A product of base features of one sample: its angle, and what is not 1 of its length.
class Product {
public:
    Product(std::span<const float> x, std::span<float> normals) noexcept : x_(x), normals_(normals) {}

    void begin() noexcept
    {
        phase_ = 0;
        re_ = 1.0f;
        im_ = 0.0f;
    }
    std::uint32_t phase() const noexcept { return phase_; }
    float re() const noexcept { return re_; }
    float im() const noexcept { return im_; }

    void operator()(const SkeletonGroup& g, std::uint32_t node, Xoshiro& words) noexcept
    {
        const float* const x = x_.data() + g.column + std::size_t{node} * g.columns;
        switch (g.base()) {
        case SkeletonBase::binary:
            phase_ += positive(*x) ? 0u : 1u << 31;
            return;
        case SkeletonBase::circle: {
            const std::uint32_t angle = phase_of(std::bit_cast<float>(g.value) * *x);
            phase_ += which_of(g, words) != 0 ? 0u - angle : angle;
            return;
        }
        case SkeletonBase::gaussian: {
            draw_normals(g.columns, words);
            float sum = 0.0f;
            for (std::uint32_t j = 0; j < g.columns; ++j)
                sum = SAMARA_ARCH::fma_scalar(normals_[j], x[j], sum);
            phase_ += phase_of(std::bit_cast<float>(g.value) * sum);
            return;
        }
        case SkeletonBase::categorical: {
            const std::uint64_t exponent = which_of(g, words);
            const std::uint64_t part = exponent * static_cast<std::uint32_t>(*x) % g.value;
            phase_ += static_cast<std::uint32_t>(((part << 32) + g.value / 2) / g.value);
            return;
        }
        case SkeletonBase::sphere: {
            const std::uint32_t k = which_of(g, words), j = k >> 1;
            const float length = SAMARA_ARCH::sqrt_scalar(0.5f * static_cast<float>(g.columns));
            const float next = length * x[j + 1 == g.columns ? 0 : j + 1];
            multiply(length * x[j], (k & 1u) != 0 ? -next : next);
            return;
        }
        case SkeletonBase::sphere_uniform: {
            draw_normals(g.columns, words);
            float sum = 0.0f, squares = 0.0f;
            for (std::uint32_t j = 0; j < g.columns; ++j) {
                sum = SAMARA_ARCH::fma_scalar(normals_[j], x[j], sum);
                squares = SAMARA_ARCH::fma_scalar(normals_[j], normals_[j], squares);
            }
            const float length = SAMARA_ARCH::sqrt_scalar(static_cast<float>(g.columns));
            multiply(squares > 0.0f ? length * (sum / SAMARA_ARCH::sqrt_scalar(squares)) : 0.0f, 0.0f);
            return;
        }
        }
    }

private:
    void draw_normals(std::uint32_t count, Xoshiro& words) noexcept
    {
        const std::uint32_t low = words.word(), high = words.word();
        fill_normals({low | std::uint64_t{high} << 32}, normals_.first(count));
    }
    void multiply(float a, float b) noexcept
    {
        const float re = SAMARA_ARCH::fma_scalar(-im_, b, re_ * a);
        im_ = SAMARA_ARCH::fma_scalar(im_, a, re_ * b);
        re_ = re;
    }

    std::span<const float> x_;
    std::span<float> normals_;
    std::uint32_t phase_ = 0;
    float re_ = 1.0f, im_ = 0.0f;
};

bool all_finite(std::span<const float> x) noexcept
{
    for (const float v : x)
        if ((std::bit_cast<std::uint32_t>(v) & 0x7fffffffu) >= 0x7f800000u)
            return false;
    return true;
}

} // namespace

Status detail::check_skeleton_inputs(const Skeleton& skeleton, std::span<const float> x) noexcept
{
    for (std::uint32_t i = 0; i < skeleton.groups(); ++i) {
        const SkeletonGroup g = skeleton.group(i);
        if (g.kind != SkeletonKind::base || g.base() != SkeletonBase::categorical)
            continue;
        for (std::uint32_t node = 0; node < g.nodes(); ++node) {
            const float v = x[g.column + node];
            if (!(v >= 0.0f && v < static_cast<float>(g.value)) ||
                static_cast<float>(static_cast<std::uint32_t>(v)) != v)
                return Status::out_of_range;
        }
    }
    return Status::ok;
}

void detail::draw_products(const SkeletonDraw& d, std::span<const float> x, std::span<const std::uint32_t> indices,
                           const SkeletonProducts& out) noexcept
{
    Product product(x, out.normals);
    GroupsAtHand groups(d.skeleton);
    for (std::size_t k = 0; k < indices.size(); ++k) {
        Xoshiro words = words_of(d.seed, indices[k]);
        product.begin();
        draw_feature(groups, words,
                     [&](const Place& place, const SkeletonGroup& g, Xoshiro& more) { product(g, place.node, more); });
        out.phases[k] = product.phase() + (d.quarter_turns ? words.word() >> 31 << 30 : 0);
        out.re[k] = product.re();
        if (out.im != nullptr)
            out.im[k] = product.im();
    }
}

std::size_t skeleton_workspace_bytes(const Skeleton& skeleton, std::uint32_t count) noexcept
{
    return sizeof(float) * (std::size_t{count} + skeleton_normals(skeleton));
}

namespace {

// index(k) is the number of the k-th feature.
template <class Index>
Status make_features(const Skeleton& skeleton, std::uint64_t seed, Index index, std::span<const float> x,
                     std::span<float> real, std::span<float> imaginary, std::span<std::byte> work) noexcept
{
    if (skeleton.groups() == 0 || x.size() != skeleton.inputs() || real.size() != imaginary.size() ||
        real.size() > ~std::uint32_t{0})
        return Status::wrong_length;
    const auto count = static_cast<std::uint32_t>(real.size());
    if ((reinterpret_cast<std::uintptr_t>(work.data()) & 3u) != 0)
        return Status::misaligned;
    if (work.size() < skeleton_workspace_bytes(skeleton, count))
        return Status::small_workspace;
    if (!all_finite(x))
        return Status::not_finite;
    if (const Status status = detail::check_skeleton_inputs(skeleton, x); status != Status::ok)
        return status;
    auto* const phases = reinterpret_cast<std::uint32_t*>(work.data());
    const std::span<float> normals(reinterpret_cast<float*>(phases + count), skeleton_normals(skeleton));
    constexpr std::uint32_t piece = 64;
    std::uint32_t indices[piece];
    for (std::uint32_t first = 0; first < count; first += piece) {
        const std::uint32_t n = count - first < piece ? count - first : piece;
        for (std::uint32_t k = 0; k < n; ++k)
            indices[k] = index(first + k);
        detail::draw_products({skeleton, seed, false}, x, std::span(indices).first(n),
                              {phases + first, real.data() + first, imaginary.data() + first, normals});
    }
    SAMARA_KERNEL(skeleton, turn)(phases, count, real.data(), imaginary.data());
    if (all_finite(real) && all_finite(imaginary))
        return Status::ok;
    for (std::uint32_t k = 0; k < count; ++k)
        real[k] = imaginary[k] = 0.0f;
    return Status::overflow;
}

} // namespace

Status skeleton_features(const Skeleton& skeleton, std::uint64_t seed, std::uint32_t first, std::span<const float> x,
                         std::span<float> real, std::span<float> imaginary, std::span<std::byte> work) noexcept
{
    if (real.size() > ~first)
        return Status::wrong_length;
    return make_features(
        skeleton, seed, [first](std::uint32_t k) { return first + k; }, x, real, imaginary, work);
}

Status skeleton_features(const Skeleton& skeleton, std::uint64_t seed, std::span<const std::uint32_t> indices,
                         std::span<const float> x, std::span<float> real, std::span<float> imaginary,
                         std::span<std::byte> work) noexcept
{
    if (real.size() != indices.size())
        return Status::wrong_length;
    return make_features(
        skeleton, seed, [indices](std::uint32_t k) { return indices[k]; }, x, real, imaginary, work);
}

void skeleton_factors(const Skeleton& skeleton, std::uint64_t seed, std::uint32_t i,
                      void (*sink)(void* context, const SkeletonFactor& factor), void* context) noexcept
{
    if (skeleton.groups() == 0)
        return;
    Xoshiro words = words_of(seed, i);
    detail::GroupsAtHand groups(skeleton);
    detail::draw_feature(groups, words, [&](const detail::Place& place, const SkeletonGroup& g, Xoshiro& more) {
        sink(context, {place.group, place.node, which_of(g, more)});
    });
}

std::uint64_t skeleton_factors(const Skeleton& skeleton, std::uint64_t seed, std::uint32_t i) noexcept
{
    std::uint64_t count = 0;
    const auto add = [](void* sum, const SkeletonFactor&) { ++*static_cast<std::uint64_t*>(sum); };
    skeleton_factors(skeleton, seed, i, add, &count);
    return count;
}

bool skeleton_quarter_turn(const Skeleton& skeleton, std::uint64_t seed, std::uint32_t i) noexcept
{
    if (skeleton.groups() == 0)
        return false;
    Xoshiro words = words_of(seed, i);
    detail::GroupsAtHand groups(skeleton);
    detail::draw_feature(groups, words, [](const detail::Place&, const SkeletonGroup& g, Xoshiro& more) {
        static_cast<void>(which_of(g, more));
    });
    return words.word() >> 31 != 0;
}

} // namespace samara
