// A model that does not open: each cause has its own sentence.
#include <doctest/doctest.h>

#include <functional>
#include <limits>
#include <span>
#include <string>

#include "ports/host/text/error.hpp"
#include "ports/host/training/model_file.hpp"
#include "ports/host/training/seal.hpp"
#include "samara/model.hpp"

using namespace samara;
using namespace samara::desk;

namespace {

std::string some_model(ReadoutType type)
{
    TrainedModel model;
    model.spec = fit_map(parse_map("arccos:features=32"), MatrixF(2, 4, {1, 2, 3, 4, 5, 6, 7, 8}), "rows");
    model.weights = MatrixF(1, 32);
    model.bias = {0.5f};
    model.scaling.shift = {1, 2, 3, 4};
    model.scaling.factor = {1, 1, 1, 1};
    return seal_model(model, type);
}

std::uint32_t at(const std::string& bytes, std::size_t offset)
{
    return read_u32(reinterpret_cast<const std::byte*>(bytes.data()) + offset);
}

void put(std::string& bytes, std::size_t offset, std::uint32_t value, unsigned count)
{
    for (unsigned i = 0; i < count; ++i) {
        bytes[offset + i] = static_cast<char>(value >> (8 * i) & 255u);
    }
}

// The same with the right CRC behind it.
std::string stamped(std::string bytes)
{
    const std::size_t end = bytes.size() - 4;
    put(bytes, end, crc32(std::as_bytes(std::span<const char>(bytes.data(), end))), 4);
    return bytes;
}

std::string refusal(const std::string& bytes)
{
    try {
        const LoadedModel model(bytes, "m");
    } catch (const BadInput& problem) {
        return problem.what();
    }
    return "opened";
}

std::string changed(const std::function<void(std::string&)>& change, ReadoutType type = ReadoutType::float32)
{
    std::string bytes = some_model(type);
    change(bytes);
    return refusal(stamped(bytes));
}

} // namespace

TEST_CASE("refused models: which version was found, of what, and which is expected")
{
    CHECK(changed([](std::string&) {}) == "opened");
    const std::string by_another = ": the model was made by another version of samara";
    CHECK(changed([](std::string& b) { put(b, 8, 7, 2); }) ==
          "m: found a sealed model of format version 7, expected 1" + by_another);
    CHECK(changed([](std::string& b) { put(b, 10, 7, 2); }) ==
          "m: found a sealed model of 7 sections, expected 5 or 6" + by_another);
    CHECK(changed([](std::string& b) { b.replace(16, 16, std::string("pcg\x1b[1m/2") + std::string(8, '\0')); }) ==
          "m: found a sealed model of the random generator 'pcg\\x1b[1m/2', expected 'xoshiro128++/1'" + by_another);
    CHECK(changed([](std::string& b) { put(b, at(b, 32) + 2, 9, 2); }) ==
          "m: found a spec of the map arccos of spec version 9, expected 1" + by_another);
    CHECK(changed([](std::string& b) {
              put(b, at(b, 32), 999, 2);
              put(b, at(b, 32) + 2, 9, 2);
          }) == "m: found a spec of the map number 999 of spec version 9, expected 1" + by_another);
    CHECK(changed([](std::string& b) { put(b, at(b, 32), 999, 2); }) ==
          "m: found a model of the map number 999, expected one of those that `samara maps` lists");
}

TEST_CASE("refused models: what is no model, cut off, changed, or never was sealed so")
{
    const std::string good = some_model(ReadoutType::float32);
    CHECK(refusal("") == "m: found an empty file, expected a sealed model");
    CHECK(refusal("1,2\n\x1b") == "m: found a file that begins with '1,2\\x0a\\x1b', expected a sealed model");
    CHECK(refusal("\x93NUMPY\x01") == "m: found an NPY file, expected a sealed model");
    CHECK(refusal("/* A sealed model of samara: rff") ==
          "m: found a model that was exported as C, expected a sealed model");
    CHECK(refusal(good.substr(0, 5)) ==
          "m: found the first 5 bytes of a sealed model, and no more, expected a sealed model");
    CHECK(refusal(good.substr(0, 15)).find("the first 15 bytes of a sealed model") != std::string::npos);
    CHECK(refusal("samara\x1a\r\n" + good.substr(8)).find("as by copying it as text") != std::string::npos);
    for (std::size_t size = 16; size < good.size(); ++size) {
        CHECK(refusal(good.substr(0, size)) == "m: found the first " + std::to_string(size) +
                                                   " bytes of a model, expected a sealed model's " +
                                                   std::to_string(good.size()) + ": the file was cut off");
    }
    CHECK(refusal(good + "x").find("expected the " + std::to_string(good.size()) + " of the model in it") !=
          std::string::npos);
    std::string flipped = good;
    flipped[good.size() - 9] ^= 1;
    CHECK(refusal(flipped).find("do not have the CRC-32 that is sealed with them") != std::string::npos);
    CHECK(changed([](std::string& b) { put(b, 36, at(b, 36) + 16, 4); }).find("sizes contradict each other") !=
          std::string::npos);
    constexpr std::uint32_t infinity = 0x7f800000u, half_infinity = 0x7c00u;
    const std::size_t readout = at(good, 32 + 8 * 3), scaling = at(good, 32 + 8 * 2);
    for (const std::size_t number : {readout + 16, readout + 20, scaling + 8, scaling + 36}) {
        CHECK(changed([&](std::string& b) { put(b, number, infinity, 4); }).find("that is not finite") !=
              std::string::npos);
    }
    CHECK(changed([&](std::string& b) { put(b, readout + 22, half_infinity, 2); }, ReadoutType::float16)
              .find("that is not finite") != std::string::npos);
    // A field of the spec that no spec has.
    CHECK(changed([](std::string& b) { put(b, at(b, 32) + 12, 99, 1); }) ==
          "m: found a model whose spec or data are not those of a map arccos with 4 inputs and 32 features in the "
          "readout, expected one as `samara train` seals it");
}

TEST_CASE("refused models: any change is one sentence")
{
    const std::string good = some_model(ReadoutType::int8);
    unsigned refused = 0;
    for (std::size_t i = 0; i + 4 < good.size(); ++i) {
        for (const int change : {1, 0x80, 0xff}) {
            std::string bad = good;
            bad[i] = static_cast<char>(bad[i] ^ change);
            const std::string said = refusal(stamped(bad));
            if (said == "opened") {
                continue;
            }
            ++refused;
            CHECK(said.starts_with("m: found "));
            CHECK(said.find(", expected ") != std::string::npos);
        }
    }
    CHECK(refused > 200);
}
