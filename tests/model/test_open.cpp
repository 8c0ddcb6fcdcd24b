// Opening a model of which one field is wrong, with the CRC that these bytes should have: every field is checked for
// itself. SPEC.md, chapter 20, has the places.
#include <doctest/doctest.h>

#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "samara/samara.hpp"

using namespace samara;

namespace {

constexpr std::uint32_t inputs = 3, outputs = 2, width = 16;
enum Section : std::uint32_t { of_file, of_spec, of_data, of_scaling, of_readout, of_labels };

std::vector<std::uint32_t> sealed(ReadoutType type)
{
    const RffSpec spec = resolve(RffSpec{.inputs = inputs, .features = width});
    const std::vector<float> weights(outputs * width, 0.5f), bias(outputs, 1.0f), scaling(inputs, 2.0f);
    const std::string labels("no\0yes\0", 7);
    const ModelParts parts{.readout = float_readout(outputs, width, weights.data(), width, bias.data(), 1),
                           .type = type,
                           .fill = scaling,
                           .shift = scaling,
                           .factor = scaling,
                           .unit = true,
                           .labels = labels};
    std::vector<std::uint32_t> words(sealed_bytes(spec, {}, parts) / 4);
    std::size_t size = 0;
    REQUIRE(seal(spec, {}, parts, std::as_writable_bytes(std::span(words)), size) == Status::ok);
    return words;
}

struct Forged {
    std::vector<std::uint32_t> words;
    explicit Forged(std::vector<std::uint32_t> w) : words(std::move(w)) {}
    std::byte* bytes() { return std::as_writable_bytes(std::span(words)).data(); }
    std::uint32_t place(Section section, std::uint32_t offset)
    {
        return offset + (section == of_file ? 0 : read_u32(bytes() + 32 + 8 * (section - 1)));
    }
    Status open()
    {
        const std::size_t size = 4 * words.size();
        write_u32(bytes() + size - 4, crc32({bytes(), size - 4}));
        Predictor<Only<Rff, kinds(Rows::dense)>> predictor;
        const Status status = predictor.open({bytes(), size});
        // A predictor of floats alone does not look into what says to be whole numbers.
        Model model;
        const Status of_model = model.open({bytes(), size});
        CHECK(of_model == (status == Status::unsupported_map ? Status::damaged_model : status));
        return status;
    }
};

// A model whose scaling has shift and factor, of `length` numbers, or none and unit length; `says`: what it says.
Status status_of_scaling(std::uint32_t length, bool vectors, std::uint32_t says)
{
    constexpr std::uint32_t count = 12;
    const RffSpec spec = resolve(RffSpec{.inputs = count, .features = width});
    const std::vector<float> weights(width, 0.5f), numbers(length, 2.0f);
    const float bias = 1.0f;
    ModelParts parts{.readout = float_readout(1, width, weights.data(), width, &bias, 1), .unit = !vectors};
    if (vectors)
        parts.shift = parts.factor = numbers;
    std::vector<std::uint32_t> words(sealed_bytes(spec, {}, parts) / 4);
    std::size_t size = 0;
    REQUIRE(seal(spec, {}, parts, std::as_writable_bytes(std::span(words)), size) == Status::ok);
    Forged forged(words);
    write_u32(forged.bytes() + forged.place(of_scaling, 4), says);
    return forged.open();
}

// The status where `bytes` of a section are replaced by a number.
Status status_with(const std::vector<std::uint32_t>& good, Section section, std::uint32_t offset, unsigned bytes,
                   std::uint32_t value)
{
    Forged forged(good);
    std::byte* const p = forged.bytes() + forged.place(section, offset);
    for (unsigned i = 0; i < bytes; ++i)
        p[i] = static_cast<std::byte>(value >> (8 * i) & 255u);
    return forged.open();
}

} // namespace

TEST_CASE("open: every field of a model is checked behind a right CRC")
{
    constexpr std::uint32_t nan = 0x7fc00000u, infinite = 0xff800000u;
    for (const ReadoutType type : {ReadoutType::float32, ReadoutType::float16, ReadoutType::int8}) {
        CAPTURE(static_cast<int>(type));
        const std::vector<std::uint32_t> good = sealed(type);
        REQUIRE(Forged(good).open() == Status::ok);
        const auto total = static_cast<std::uint32_t>(4 * good.size());
        const auto with = [&](Section section, std::uint32_t offset, unsigned bytes, std::uint32_t value) {
            CAPTURE(static_cast<int>(section));
            CAPTURE(offset);
            CAPTURE(value);
            return status_with(good, section, offset, bytes, value);
        };
        CHECK(with(of_file, 0, 1, 'S') == Status::not_a_model);
        CHECK(with(of_file, 7, 1, '\r') == Status::not_a_model);
        CHECK(with(of_file, 8, 2, 2) == Status::unsupported_version);
        CHECK(with(of_file, 10, 2, 4) == Status::unsupported_version);
        CHECK(with(of_file, 10, 2, 7) == Status::unsupported_version);
        for (const std::uint32_t wrong : {0u, 16u, 80u, total - 16, total - 4, total - 2, total + 4, 0xffffffffu})
            CHECK(with(of_file, 12, 4, wrong) == Status::damaged_model);
        CHECK(with(of_file, 16, 1, 'X') == Status::unsupported_version);
        CHECK(with(of_file, 31, 1, 1) == Status::unsupported_version);
        CHECK(with(of_file, 72, 4, 1) == Status::damaged_model);
        CHECK(with(of_file, 76, 4, 1) == Status::damaged_model);
        for (std::uint32_t section = 0; section < 5; ++section) {
            const std::uint32_t offset = read_u32(reinterpret_cast<const std::byte*>(good.data()) + 32 + 8 * section),
                                bytes = read_u32(reinterpret_cast<const std::byte*>(good.data()) + 36 + 8 * section);
            for (const std::uint32_t wrong : {0u, offset - 16, offset + 1, offset + 16, 0xfffffff0u})
                CHECK(with(of_file, 32 + 8 * section, 4, wrong) == Status::damaged_model);
            for (const std::uint32_t wrong : {bytes + 1, bytes + 16, bytes + 1024, 0xffffffffu})
                CHECK(with(of_file, 36 + 8 * section, 4, wrong) == Status::damaged_model);
        }
        CHECK(with(of_spec, 2, 2, 99) == Status::unsupported_version);
        for (const std::uint32_t wrong : {0u, 2u, 4u, most_inputs + 1, 0xffffffffu})
            CHECK(with(of_spec, inputs_offset, 4, wrong) == Status::damaged_model);
        for (const std::uint32_t wrong : {0u, 14u, 18u, 0xffffffffu})
            CHECK(with(of_spec, features_offset, 4, wrong) == Status::damaged_model);

        for (const std::uint32_t wrong : {0u, 1u, 2u, 4u, 9u, 15u, 0x80000007u})
            CHECK(with(of_scaling, 0, 4, wrong) == Status::damaged_model);
        CHECK(with(of_scaling, 0, 4, scaling_whole) == Status::unsupported_map);
        CHECK(with(of_scaling, 0, 4, 3) == Status::ok); // without unit length: another model, and a whole one
        for (const std::uint32_t wrong : {0u, 2u, 4u})
            CHECK(with(of_scaling, 4, 4, wrong) == Status::damaged_model);
        for (std::uint32_t i = 0; i < 3 * inputs; ++i)
            for (const std::uint32_t wrong : {nan, infinite})
                CHECK(with(of_scaling, 8 + 4 * i, 4, wrong) == Status::damaged_model);

        CHECK(with(of_readout, 0, 1, 3) == Status::unsupported_map);
        CHECK(with(of_readout, 0, 1, 4) == Status::unsupported_map);
        CHECK(with(of_readout, 0, 1, 5) == Status::damaged_model);
        CHECK(with(of_readout, 1, 1, 2) == Status::damaged_model);
        CHECK(with(of_readout, 2, 2, 1) == Status::damaged_model);
        for (const std::uint32_t wrong : {0u, 1u, 3u, most_outputs + 1, 0xffffffffu})
            CHECK(with(of_readout, 4, 4, wrong) == Status::damaged_model);
        for (const std::uint32_t wrong : {0u, 15u, 17u, most_features + 1, 0xffffffffu})
            CHECK(with(of_readout, 8, 4, wrong) == Status::damaged_model);
        CHECK(with(of_readout, 12, 4, 1) == Status::damaged_model);
        for (const std::uint32_t wrong : {nan, infinite}) {
            CHECK(with(of_readout, 16, 4, wrong) == Status::damaged_model);
            CHECK(with(of_readout, 20, 4, wrong) == Status::damaged_model);
            if (type == ReadoutType::int8) // the scales
                CHECK(with(of_readout, 28, 4, wrong) == Status::damaged_model);
            if (type == ReadoutType::float32)
                CHECK(with(of_readout, 24 + 4 * (outputs * width - 1), 4, wrong) == Status::damaged_model);
        }
        if (type == ReadoutType::float16)
            for (const std::uint32_t wrong : {0x7c00u, 0xfe00u})
                CHECK(with(of_readout, 24 + 2 * (outputs * width - 1), 2, wrong) == Status::damaged_model);

        CHECK(with(of_labels, 6, 1, 'x') == Status::damaged_model);
        CHECK(with(of_labels, 2, 1, 'x') == Status::damaged_model);
        CHECK(with(of_labels, 0, 1, 0) == Status::damaged_model);
        CHECK(with(of_labels, 0, 1, 0xff) == Status::ok);
    }
}

TEST_CASE("open: the length of a scaling's vectors divides the inputs, and is that of what is there")
{
    for (const std::uint32_t length : {1u, 2u, 3u, 4u, 6u, 12u})
        for (std::uint32_t says = 0; says <= 25; ++says)
            CHECK(status_of_scaling(length, true, says) == (says == length ? Status::ok : Status::damaged_model));
    for (const std::uint32_t says : {0u, 1u, 3u, 12u, 24u, 0x80000000u, 0x4000000cu, 0xffffffffu})
        CHECK(status_of_scaling(12, false, says) == (says == 12 ? Status::ok : Status::damaged_model));
    for (const std::uint32_t says : {0x40000003u, 0x80000003u, 0xfffffffdu})
        CHECK(status_of_scaling(3, true, says) == Status::damaged_model);
}
