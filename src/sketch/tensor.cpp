// TensorSketch. SPEC.md, section 7.7.
#include "samara/sketch/tensor.hpp"

#include "samara/memory.hpp"
#include "simd/vectors.hpp"
#include "sketch/inputs.hpp"

namespace samara {

namespace {

// product *= factor, size/2 + 1 complex numbers.
void multiply_spectra(const float* factor, float* product, std::size_t floats) noexcept
{
    for (std::size_t k = 0; k < floats; k += 2) {
        const float a = product[k], b = product[k + 1], c = factor[k], d = factor[k + 1];
        product[k] = a * c - b * d;
        product[k + 1] = a * d + b * c;
    }
}

} // namespace

Status TensorSketch::init(const TensorSketchSpec& s, std::span<std::byte> memory) noexcept
{
    if (!check(s))
        return Status::bad_spec;
    const std::size_t half = fft_bytes(s.size);
    if (!Bump(memory).aligned())
        return Status::misaligned;
    if (memory.size() < 2 * half)
        return Status::small_workspace;
    for (const bool inverse : {false, true}) {
        RealFft& fft = inverse ? backward_ : forward_;
        if (const Status status = fft.init(s.size, inverse, memory.subspan(inverse ? half : 0, half));
            status != Status::ok)
            return status;
    }
    spec_ = s;
    return Status::ok;
}

Status TensorSketch::check_call(std::size_t outputs, std::span<float> z, std::span<std::byte> work,
                                Buffers& b) const noexcept
{
    if (spec_.size == 0)
        return Status::bad_spec;
    if (z.size() != outputs * spec_.size)
        return Status::wrong_length;
    Bump bump(work);
    if (!bump.aligned())
        return Status::misaligned;
    const std::size_t n = spec_.size;
    b.counts = bump.take<float>(n);
    b.spectrum = bump.take<float>(n + 2);
    b.product = bump.take<float>(n + 2);
    return b.product == nullptr ? Status::small_workspace : Status::ok;
}

void TensorSketch::take(std::uint32_t i, std::span<const float> factor, const Buffers& b, float* out) const noexcept
{
    const std::size_t n = spec_.size;
    const std::span<float> counts(b.counts, n);
    const EntryHash hash(stream_key(spec_.seed, Domain::tensor_hash, i), 0, spec_.size);
    detail::count_dense(hash, factor, counts);
    if (i == 0 && out != nullptr)
        SAMARA_KERNEL(simd, scaled_copy)(b.counts, n, 1.0f, out);
    if (i == 0 && spec_.degree == 1)
        return;
    const std::span<float> spectrum(i == 0 ? b.product : b.spectrum, n + 2);
    static_cast<void>(forward_.forward(counts, spectrum)); // sizes are right: nothing is refused
    if (i == 0)
        return;
    multiply_spectra(b.spectrum, b.product, n + 2);
    if (out != nullptr) {
        static_cast<void>(backward_.backward({b.product, n + 2}, counts));
        SAMARA_KERNEL(simd, scaled_copy)(b.counts, n, 1.0f / static_cast<float>(spec_.size), out);
    }
}

Status TensorSketch::sketch(std::span<const std::span<const float>> factors, std::span<float> z,
                            std::span<std::byte> work) const noexcept
{
    Buffers b{};
    if (const Status status = check_call(1, z, work, b); status != Status::ok)
        return status;
    if (factors.size() != spec_.degree)
        return Status::wrong_length;
    for (const std::span<const float> v : factors)
        if (const Status status = detail::check_vector(v); status != Status::ok)
            return status;
    for (std::uint32_t i = 0; i < spec_.degree; ++i)
        take(i, factors[i], b, i + 1 == spec_.degree ? z.data() : nullptr);
    return detail::check_output(z);
}

Status TensorSketch::power(std::span<const float> x, std::span<float> z, bool all,
                           std::span<std::byte> work) const noexcept
{
    Buffers b{};
    if (const Status status = check_call(all ? spec_.degree : 1, z, work, b); status != Status::ok)
        return status;
    if (const Status status = detail::check_vector(x); status != Status::ok)
        return status;
    for (std::uint32_t i = 0; i < spec_.degree; ++i) {
        float* out = all ? z.data() + std::size_t{i} * spec_.size : i + 1 == spec_.degree ? z.data() : nullptr;
        take(i, x, b, out);
    }
    return detail::check_output(z);
}

Status TensorSketch::sketch(std::span<const float> x, std::span<float> z, std::span<std::byte> work) const noexcept
{
    return power(x, z, false, work);
}
Status TensorSketch::prefixes(std::span<const float> x, std::span<float> z, std::span<std::byte> work) const noexcept
{
    return power(x, z, true, work);
}

namespace {

// Makes the tables at the workspace's beginning, then calls call(tensor, rest of the workspace).
template <class Call>
Status with_tables(const TensorSketchSpec& s, std::span<std::byte> work, Call call) noexcept
{
    if (!check(s))
        return Status::bad_spec;
    if (!Bump(work).aligned())
        return Status::misaligned;
    if (work.size() < workspace_bytes(s))
        return Status::small_workspace;
    TensorSketch tensor;
    if (const Status status = tensor.init(s, work); status != Status::ok)
        return status;
    return call(tensor, work.subspan(TensorSketch::bytes(s)));
}

} // namespace

Status sketch(const TensorSketchSpec& s, std::span<const std::span<const float>> factors, std::span<float> z,
              std::span<std::byte> work) noexcept
{
    return with_tables(s, work,
                       [&](const TensorSketch& t, std::span<std::byte> rest) { return t.sketch(factors, z, rest); });
}
Status sketch(const TensorSketchSpec& s, std::span<const float> x, std::span<float> z,
              std::span<std::byte> work) noexcept
{
    return with_tables(s, work, [&](const TensorSketch& t, std::span<std::byte> rest) { return t.sketch(x, z, rest); });
}
Status prefixes(const TensorSketchSpec& s, std::span<const float> x, std::span<float> z,
                std::span<std::byte> work) noexcept
{
    return with_tables(s, work,
                       [&](const TensorSketch& t, std::span<std::byte> rest) { return t.prefixes(x, z, rest); });
}

} // namespace samara
