#include "ports/host/training/gradient_state.hpp"

#include <array>
#include <cstring>
#include <fstream>
#include <span>

#include "ports/host/data/files.hpp"
#include "ports/host/text/error.hpp"
#include "samara/memory.hpp"

namespace samara::desk {
namespace {

constexpr char magic[] = "samara gradient 1\n";

struct Header {
    std::uint32_t identity, epoch;
    std::uint64_t position, right, features, outputs;
    double loss;
};

template <class State>
auto arrays(State& state)
{
    return std::array{&state.weights.values, &state.squares.values, &state.bias, &state.bias_squares};
}

std::uint32_t crc_of(const Header& header) { return crc32(std::as_bytes(std::span(&header, 1))); }

} // namespace

void save_state(const std::string& path, std::uint32_t identity, const GradientState& state)
{
    const Header header{identity,           state.epoch,        state.position, state.right,
                        state.weights.cols, state.weights.rows, state.loss};
    write_file(path, [&](std::ostream& out) {
        const auto write = [&](const void* bytes, std::size_t size) {
            out.write(static_cast<const char*>(bytes), static_cast<std::streamsize>(size));
        };
        write(magic, sizeof magic - 1);
        write(&header, sizeof header);
        std::uint32_t crc = crc_of(header);
        for (const auto* const array : arrays(state)) {
            write(array->data(), array->size() * sizeof(float));
            crc = crc32(std::as_bytes(std::span(*array)), crc);
        }
        write(&crc, sizeof crc);
    });
}

void load_state(const std::string& path, std::uint32_t identity, std::size_t rows, GradientState& state)
{
    std::ifstream in = open_input(path);
    const auto read = [&](void* bytes, std::size_t size) {
        in.read(static_cast<char*>(bytes), static_cast<std::streamsize>(size));
    };
    char first[sizeof magic - 1] = {};
    Header header{};
    read(first, sizeof first);
    read(&header, sizeof header);
    if (!in || std::memcmp(first, magic, sizeof first) != 0) {
        throw BadInput(path + ": found no state of a training, expected one or no such file");
    }
    if (header.identity != identity || header.features != state.weights.cols || header.outputs != state.weights.rows) {
        throw BadInput(path + ": found the state of a training with another map, other data or other options, expected "
                              "that of this one or no such file");
    }
    std::uint32_t crc = crc_of(header), stored = 0;
    for (auto* const array : arrays(state)) {
        read(array->data(), array->size() * sizeof(float));
        crc = crc32(std::as_bytes(std::span(*array)), crc);
    }
    read(&stored, sizeof stored);
    if (!in || stored != crc || in.peek() != std::ifstream::traits_type::eof() || header.position > rows) {
        throw BadInput(path + ": found a damaged state, expected a whole one or no such file");
    }
    state.epoch = header.epoch;
    state.position = header.position;
    state.right = header.right;
    state.loss = header.loss;
}

} // namespace samara::desk
