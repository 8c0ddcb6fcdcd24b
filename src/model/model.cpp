#include "samara/model.hpp"

#include <cstring>

#include "map/engine/values.hpp"
#include "samara/model/fold.hpp"
#include "simd/vectors.hpp"

namespace samara {

namespace {

float read_float(const std::byte* p) noexcept { return std::bit_cast<float>(read_u32(p)); }

constexpr std::uint32_t infinity_bits = 0x7f800000u, largest_bits = 0x53800000u; // 2^40

bool finite_floats(const std::byte* p, std::size_t n) noexcept
{
    for (; n > 0; --n, p += 4)
        if ((read_u32(p) & infinity_bits) == infinity_bits)
            return false;
    return true;
}
bool finite_halves(const std::byte* p, std::size_t n) noexcept
{
    for (; n > 0; --n, p += 2)
        if ((read_u16(p) & 0x7c00u) == 0x7c00u)
            return false;
    return true;
}

template <class... Specs>
struct ChecksOf {
    static constexpr ModelChecks value = checks_of<Arithmetic::any, Specs...>;
};

} // namespace

Status Model::open(std::span<const std::byte> bytes) noexcept
{
    // The spec of a map that this version does not know is not checked; a predictor refuses to open it.
    return open(bytes, AllMaps::In<ChecksOf>::value);
}

Status Model::open(std::span<const std::byte> bytes, const ModelChecks& checks) noexcept
{
    const std::byte* p = bytes.data();
    if ((reinterpret_cast<std::uintptr_t>(p) & 3u) != 0)
        return Status::misaligned;
    ModelLayout m;
    if (const Status status = checks.layout(bytes, m); status != Status::ok)
        return status;
    if (crc32(bytes.first(m.total - 4)) != read_u32(p + m.total - 4))
        return Status::damaged_model;
    const std::size_t weights = std::size_t{m.outputs} * m.features;
    if (!finite_floats(p + m.bias_at, (m.floats_end - m.bias_at) / 4) ||
        (m.type == ReadoutType::float32 && !finite_floats(p + m.weights_at, weights)) ||
        (m.type == ReadoutType::float16 && !finite_halves(p + m.weights_at, weights)) ||
        (m.scaling.bytes != 0 && !scales_whole(m.scaling_steps) &&
         !finite_floats(p + m.scaling.offset + 8, m.scaling.bytes / 4 - 2)))
        return Status::damaged_model;
    if (const Status status = checks.fits(p, m); status != Status::ok)
        return status;
    bytes_ = p;
    layout_ = m;
    return Status::ok;
}

const char* Model::label(std::uint32_t output) const noexcept
{
    if (layout_.labels.bytes == 0 || output >= layout_.outputs)
        return "";
    const char* name = reinterpret_cast<const char*>(bytes_ + layout_.labels.offset);
    for (; output > 0; --output)
        name += std::strlen(name) + 1;
    return name;
}

Readout Model::readout() const noexcept
{
    if (!is_open())
        return {};
    return is_whole(layout_.type) ? whole_readout_of(bytes_, layout_, nullptr)
                                  : readout_of(bytes_, layout_, detail::float_add_of(layout_.type));
}

[[gnu::noinline]] void InputScaling::apply(std::uint32_t n, const float* x, float* out) const noexcept
{
    if (whole != nullptr)
        return whole(*this, n, x, out);
    // Where there is only unit length to do there are no vectors.
    const std::uint32_t steps = this->steps(), length = this->length();
    const bool affine = (steps & scaling_affine) != 0;
    const std::byte* fill = vectors();
    const std::byte* shift = (steps & scaling_fill) != 0 ? fill + 4 * std::size_t{length} : fill;
    const std::byte* factor = affine ? shift + 4 * std::size_t{length} : shift;
    std::size_t at = 0; // of input i, in each vector
    for (std::uint32_t i = 0; i < n; ++i) {
        float v = x[i];
        if ((steps & scaling_fill) != 0 && (std::bit_cast<std::uint32_t>(v) & 0x7fffffffu) > infinity_bits)
            v = read_float(fill + at);
        if (affine)
            v = (v - read_float(shift + at)) * read_float(factor + at);
        out[i] = v;
        at = at + 4 == 4 * std::size_t{length} ? 0 : at + 4;
    }
    if ((steps & scaling_unit) == 0)
        return;
    // The vector 0 stays 0. Numbers that the map refuses are not scaled, so that it does refuse them.
    const std::uint32_t largest = SAMARA_KERNEL(simd, largest_magnitude_bits)(out, n);
    if (largest == 0 || largest > largest_bits)
        return;
    const int e = engine::exponent_of(largest);
    const float norm = engine::scaled_length(out, n, e);
    for (std::uint32_t i = 0; i < n; ++i)
        out[i] = out[i] * engine::power_of_two(-e) / norm;
}

Status detail::take_fold_memory(const BlockPlan& blocks, std::uint32_t inputs, const InputScaling& scaling,
                                std::span<const float>& x, std::span<float>& z, std::span<std::byte>& work) noexcept
{
    if (x.size() != inputs)
        return Status::wrong_length;
    Bump memory(work);
    if (!memory.aligned())
        return Status::misaligned;
    const bool scaled = scaling.any();
    if (work.size() < fold_bytes(blocks, scaled ? inputs : 0))
        return Status::small_workspace;
    if (scaled) {
        float* copy = memory.take<float>(inputs);
        scaling.apply(inputs, x.data(), copy);
        x = {copy, inputs};
    }
    z = {memory.take<float>(blocks.largest), blocks.largest};
    work = work.last(memory.left());
    return Status::ok;
}

} // namespace samara
