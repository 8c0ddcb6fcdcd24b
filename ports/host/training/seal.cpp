#include "ports/host/training/seal.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <span>
#include <stdexcept>
#include <variant>

#include "ports/host/text/error.hpp"

namespace samara::desk {
namespace {

class Bytes {
public:
    void u8(std::uint32_t v) { text_ += static_cast<char>(v & 255u); }
    void u16(std::uint32_t v)
    {
        u8(v);
        u8(v >> 8u);
    }
    void u32(std::uint32_t v)
    {
        u16(v);
        u16(v >> 16u);
    }
    void u64(std::uint64_t v)
    {
        u32(static_cast<std::uint32_t>(v));
        u32(static_cast<std::uint32_t>(v >> 32u));
    }
    void number(float v) { u32(std::bit_cast<std::uint32_t>(v)); }
    void numbers(const std::vector<float>& values)
    {
        for (const float v : values) {
            number(v);
        }
    }
    void text(const std::string& t) { text_ += t; }
    std::string take() { return std::move(text_); }

private:
    std::string text_;
};

template <class Spec>
Bytes beginning(const Spec& s)
{
    Bytes b;
    b.u16(static_cast<std::uint32_t>(detail::map_id(s)));
    b.u16(1);
    b.u32(s.inputs);
    b.u32(s.features);
    return b;
}

std::string spec_section(const RffSpec& s)
{
    Bytes b = beginning(s);
    b.u8(static_cast<std::uint32_t>(s.kernel));
    b.u8(static_cast<std::uint32_t>(s.form));
    b.u8(static_cast<std::uint32_t>(s.rows));
    b.u8(static_cast<std::uint32_t>(s.orders));
    b.number(s.bandwidth);
    b.u32(0);
    b.u64(s.seed);
    return b.take();
}

std::string spec_section(const ArcCosSpec& s)
{
    Bytes b = beginning(s);
    b.u8(s.order);
    b.u8(0);
    b.u8(static_cast<std::uint32_t>(s.rows));
    b.u8(static_cast<std::uint32_t>(s.orders));
    b.u32(s.sweeps);
    b.u32(s.pairs);
    b.u64(s.seed);
    return b.take();
}

std::string spec_section(const PolynomialSpec& s)
{
    Bytes b = beginning(s);
    b.u8(s.degree);
    b.u8(static_cast<std::uint32_t>(s.sketch));
    b.u8(static_cast<std::uint32_t>(s.orders));
    b.u8(0);
    b.number(s.scale);
    b.number(s.offset);
    b.u64(s.seed);
    return b.take();
}

std::string spec_section(const DotSpec& s)
{
    Bytes b = beginning(s);
    b.u8(static_cast<std::uint32_t>(s.sketch));
    b.u8(static_cast<std::uint32_t>(s.orders));
    b.u8(s.coefficients.count);
    b.u8(0);
    b.u64(0);
    b.u64(s.seed);
    for (const float c : s.coefficients.c) {
        b.number(c);
    }
    return b.take();
}

std::string spec_section(const NngpSpec& s)
{
    Bytes b = beginning(s);
    b.u8(static_cast<std::uint32_t>(s.rows));
    b.u8(static_cast<std::uint32_t>(s.orders));
    b.u16(0);
    b.u32(s.depth);
    b.u32(s.sweeps);
    b.u64(s.seed);
    return b.take();
}

std::string spec_section(const NtkSpec& s)
{
    Bytes b = beginning(s);
    b.u8(static_cast<std::uint32_t>(s.sketch));
    b.u8(static_cast<std::uint32_t>(s.rows));
    b.u8(static_cast<std::uint32_t>(s.orders));
    b.u8(0);
    b.u32(s.depth);
    b.u32(s.step);
    b.u32(s.relu);
    b.u32(s.tensor);
    b.u32(s.sweeps);
    b.u32(0);
    b.u64(s.seed);
    return b.take();
}

std::string spec_section(const NtkSketchSpec& s)
{
    Bytes b = beginning(s);
    b.u8(static_cast<std::uint32_t>(s.base));
    b.u8(s.fix_diagonal ? 1 : 0);
    b.u8(static_cast<std::uint32_t>(s.rows));
    b.u8(static_cast<std::uint32_t>(s.orders));
    for (const std::uint32_t n :
         {s.depth, s.relu_degree, s.step_degree, s.relu, s.tensor, s.relu_powers, s.step_powers, 0u}) {
        b.u32(n);
    }
    b.u64(s.seed);
    return b.take();
}

std::string spec_section(const NtkPolySpec& s)
{
    Bytes b = beginning(s);
    b.u8(static_cast<std::uint32_t>(s.rows));
    b.u8(static_cast<std::uint32_t>(s.orders));
    b.u8(s.coefficients.count);
    b.u8(static_cast<std::uint32_t>(s.remainder));
    b.u32(s.depth);
    b.u32(s.degree);
    b.u64(s.seed);
    for (const float c : s.coefficients.c) {
        b.number(c);
    }
    return b.take();
}

std::string spec_section(const NtkGradientSpec& s)
{
    Bytes b = beginning(s);
    b.u32(0);
    b.u32(s.depth);
    b.u32(s.width);
    b.u64(s.seed);
    return b.take();
}

std::string map_data_section(const std::vector<std::uint16_t>& kept)
{
    Bytes b;
    if (!kept.empty()) {
        b.u32(detail::chosen_rows_data);
        b.u32(static_cast<std::uint32_t>(kept.size()));
        for (const std::uint16_t row : kept) {
            b.u16(row);
        }
    }
    return b.take();
}

std::string scaling_section(const Scaling& scaling, std::size_t inputs)
{
    Bytes b;
    if (const std::uint32_t steps = scaling_steps(scaling); steps != 0) {
        b.u32(steps);
        b.u32(static_cast<std::uint32_t>(inputs));
        b.text(scaling_vectors(scaling));
    }
    return b.take();
}

[[noreturn]] void refuse_weight(const TrainedModel& trained, std::size_t output, float value)
{
    const std::string name = output < trained.labels.size() ? " of " + quoted_text(trained.labels[output]) : "";
    throw BadInput("readout: found the weight " + number_text(value) + name +
                   ", expected a number that the readout's type can hold (take a larger ridge, or --readout float32)");
}

std::string readout_section(const TrainedModel& trained, ReadoutType type)
{
    const MatrixF& w = trained.weights;
    Bytes b;
    b.u8(static_cast<std::uint32_t>(type));
    b.u8(static_cast<std::uint32_t>(trained.task));
    b.u16(0);
    b.u32(static_cast<std::uint32_t>(w.rows));
    b.u32(static_cast<std::uint32_t>(w.cols));
    b.u32(0);
    b.numbers(trained.bias);
    std::vector<float> scales;
    for (std::size_t o = 0; o < w.rows; ++o) {
        float largest = 0.0f;
        for (std::size_t j = 0; j < w.cols; ++j) {
            if (!std::isfinite(w.row(o)[j])) {
                refuse_weight(trained, o, w.row(o)[j]);
            }
            largest = std::max(largest, std::abs(w.row(o)[j]));
        }
        scales.push_back(largest > 0.0f ? largest / 127.0f : 1.0f);
        if (!std::isfinite(trained.bias[o])) {
            refuse_weight(trained, o, trained.bias[o]);
        }
    }
    if (type == ReadoutType::int8) {
        b.numbers(scales);
    }
    for (std::size_t o = 0; o < w.rows; ++o) {
        for (std::size_t j = 0; j < w.cols; ++j) {
            const float value = w.row(o)[j];
            if (type == ReadoutType::float32) {
                b.number(value);
            } else if (type == ReadoutType::float16) {
                const std::uint16_t half = half_of(value);
                if ((half & 0x7c00u) == 0x7c00u) {
                    refuse_weight(trained, o, value);
                }
                b.u16(half);
            } else {
                const float steps = std::clamp(std::nearbyint(value / scales[o]), -127.0f, 127.0f);
                b.u8(static_cast<std::uint32_t>(static_cast<std::int32_t>(steps)));
            }
        }
    }
    return b.take();
}

std::string label_section(const TrainedModel& trained)
{
    std::string all;
    for (const std::string& label : trained.labels) {
        if (label.find('\0') != std::string::npos) {
            throw BadInput("label: found " + quoted_text(label) + ", expected no zero byte in it");
        }
        all += label;
        all += '\0';
    }
    return all;
}

} // namespace

std::uint32_t scaling_steps(const Scaling& scaling)
{
    return (scaling.fill.empty() ? 0u : detail::scaling_fill) | (scaling.shift.empty() ? 0u : detail::scaling_affine) |
           (scaling.unit ? detail::scaling_unit : 0u);
}

std::string scaling_vectors(const Scaling& scaling)
{
    Bytes b;
    b.numbers(scaling.fill);
    b.numbers(scaling.shift);
    b.numbers(scaling.factor);
    return b.take();
}

std::uint16_t half_of(float value)
{
    const auto u = std::bit_cast<std::uint32_t>(value);
    const std::uint32_t sign = u >> 16u & 0x8000u;
    const float magnitude = std::abs(value);
    if (!(magnitude < 65520.0f)) {
        return static_cast<std::uint16_t>(sign | (std::isnan(value) ? 0x7e00u : 0x7c00u));
    }
    if (magnitude < 0x1p-14f) { // subnormal halves are multiples of 2^-24
        return static_cast<std::uint16_t>(sign | static_cast<std::uint32_t>(std::nearbyint(magnitude * 0x1p24f)));
    }
    const std::uint32_t bits = u & 0x7fffffffu, odd = bits >> 13u & 1u;
    return static_cast<std::uint16_t>(sign | ((bits - (112u << 23u) + 0x0fffu + odd) >> 13u));
}

std::string seal_model(const TrainedModel& trained, ReadoutType type)
{
    const std::size_t inputs = std::visit([](const auto& s) { return std::size_t{s.inputs}; }, trained.spec);
    const std::string sections[detail::model_sections] = {
        std::visit([](const auto& s) { return spec_section(s); }, trained.spec),
        map_data_section(trained.kept_rows),
        scaling_section(trained.scaling, inputs),
        readout_section(trained, type),
        label_section(trained),
    };
    std::uint64_t total = detail::model_header_bytes;
    for (const std::string& section : sections) {
        total += (section.size() + 15u) & ~std::uint64_t{15};
    }
    if (total + 4 > 0xfffffff0u) {
        throw BadInput("model: found " + std::to_string(total) + " bytes, expected fewer than 2^32");
    }

    Bytes b;
    b.text("samara\x1a\n");
    b.u16(model_version);
    b.u16(detail::model_sections);
    b.u32(static_cast<std::uint32_t>(total) + 4);
    b.text(std::string("xoshiro128++/1\0\0", 16));
    std::uint32_t offset = detail::model_header_bytes;
    for (const std::string& section : sections) {
        b.u32(offset);
        b.u32(static_cast<std::uint32_t>(section.size()));
        offset = detail::round_to_section(std::uint64_t{offset} + section.size());
    }
    b.u64(0);
    for (const std::string& section : sections) {
        b.text(section);
        b.text(std::string((16 - section.size() % 16) % 16, '\0'));
    }
    std::string bytes = b.take();
    Bytes crc;
    crc.u32(crc32(std::as_bytes(std::span<const char>(bytes))));
    bytes += crc.take();

    // What is written here must open; a copy, because a string's bytes may lie anywhere.
    std::vector<std::uint32_t> aligned((bytes.size() + 3) / 4);
    std::memcpy(aligned.data(), bytes.data(), bytes.size());
    Model model;
    if (const Status status = model.open(std::as_bytes(std::span<const std::uint32_t>(aligned)).first(bytes.size()));
        status != Status::ok) {
        throw std::logic_error(std::string("sealing: ") + samara::text(status));
    }
    return bytes;
}

} // namespace samara::desk
