#include "samara/model.hpp"

#include <cstring>

#include "map/engine/vector_scale.hpp"
#include "simd/vectors.hpp"

namespace samara {

namespace {

float read_float(const std::byte* p) noexcept { return std::bit_cast<float>(detail::read_u32(p)); }

constexpr std::uint32_t infinity_bits = 0x7f800000u, largest_bits = 0x53800000u; // 2^40

bool finite_floats(const std::byte* p, std::size_t n) noexcept
{
    for (; n > 0; --n, p += 4)
        if ((detail::read_u32(p) & infinity_bits) == infinity_bits)
            return false;
    return true;
}
bool finite_halves(const std::byte* p, std::size_t n) noexcept
{
    for (; n > 0; --n, p += 2)
        if ((detail::read_u16(p) & 0x7c00u) == 0x7c00u)
            return false;
    return true;
}

} // namespace

Status Model::open(std::span<const std::byte> bytes) noexcept
{
    // A map that this version does not know is left to those who may: opening it in a predictor fails.
    return open(bytes, detail::any_spec_fits<RffSpec, ArcCosSpec, PolynomialSpec, DotSpec, NngpSpec, NtkSpec,
                                             NtkSketchSpec, NtkPolySpec, NtkGradientSpec>);
}

Status Model::open(std::span<const std::byte> bytes, detail::SpecFits fits) noexcept
{
    const std::byte* p = bytes.data();
    if ((reinterpret_cast<std::uintptr_t>(p) & 3u) != 0)
        return Status::misaligned;
    detail::ModelLayout m;
    if (const Status status = detail::read_layout(bytes, m); status != Status::ok)
        return status;
    if (crc32(bytes.first(m.total - 4)) != detail::read_u32(p + m.total - 4))
        return Status::damaged_model;
    const std::size_t weights = std::size_t{m.outputs} * m.features;
    const std::uint32_t floats = (m.weights_at - m.bias_at) / 4;
    if (!finite_floats(p + m.bias_at, floats) ||
        (m.type == ReadoutType::float32 && !finite_floats(p + m.weights_at, weights)) ||
        (m.type == ReadoutType::float16 && !finite_halves(p + m.weights_at, weights)) ||
        (m.scaling.bytes != 0 && !finite_floats(p + m.scaling.offset + 8, m.scaling.bytes / 4 - 2)))
        return Status::damaged_model;
    if (!fits(p, m))
        return Status::damaged_model;
    bytes_ = p;
    layout_ = m;
    return Status::ok;
}

ChosenRows Model::chosen() const noexcept { return detail::chosen_rows(bytes_, layout_); }

const char* Model::label(std::uint32_t output) const noexcept
{
    if (layout_.labels.bytes == 0 || output >= layout_.outputs)
        return "";
    const char* name = reinterpret_cast<const char*>(bytes_ + layout_.labels.offset);
    for (; output > 0; --output)
        name += std::strlen(name) + 1;
    return name;
}

void Model::scale_input(const float* x, float* out) const noexcept
{
    detail::scale_input(layout_.scaling_steps, bytes_ + layout_.scaling.offset + 8, layout_.inputs, x, out);
}

Readout Model::readout() const noexcept
{
    return is_open() ? detail::readout_of(bytes_, layout_, detail::add_of(layout_.type)) : Readout{};
}

std::uint32_t Model::features_id() const noexcept { return is_open() ? detail::features_id(bytes_, layout_) : 0; }

namespace detail {

void scale_input(std::uint32_t steps, const std::byte* vectors, std::uint32_t n, const float* x, float* out) noexcept
{
    const std::byte* fill = vectors;
    const std::byte* shift = vectors + ((steps & scaling_fill) != 0 ? 4 * std::size_t{n} : 0);
    const std::byte* factor = shift + 4 * std::size_t{n};
    for (std::uint32_t i = 0; i < n; ++i) {
        float v = x[i];
        if ((steps & scaling_fill) != 0 && (std::bit_cast<std::uint32_t>(v) & 0x7fffffffu) > infinity_bits)
            v = read_float(fill + 4 * std::size_t{i});
        if ((steps & scaling_affine) != 0)
            v = (v - read_float(shift + 4 * std::size_t{i})) * read_float(factor + 4 * std::size_t{i});
        out[i] = v;
    }
    if ((steps & scaling_unit) == 0)
        return;
    // 0 stays 0; what the map refuses stays as it is, so that it is refused.
    const std::uint32_t largest = SAMARA_KERNEL(simd, largest_magnitude_bits)(out, n);
    if (largest == 0 || largest > largest_bits)
        return;
    const int e = exponent_of(largest);
    const float length = scaled_length(out, n, e);
    for (std::uint32_t i = 0; i < n; ++i)
        out[i] = out[i] * power_of_two(-e) / length;
}

} // namespace detail

} // namespace samara
