// What a fuzzer's bytes are read as: numbers from the front, as long as there are any.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <span>
#include <string>
#include <vector>

namespace fuzz {

class Input {
public:
    Input(const std::uint8_t* data, std::size_t size) : rest_(data, size) {}

    bool empty() const { return rest_.empty(); }
    // Behind the end there are zeros.
    std::uint8_t byte() { return static_cast<std::uint8_t>(number<1>()); }
    std::uint32_t half() { return number<2>(); }
    std::uint32_t word() { return number<4>(); }
    // Any pattern of bits, or a small number: most of what a sensor says is neither huge nor NaN.
    float real()
    {
        const std::uint8_t kind = byte();
        if (kind >= 250)
            return std::bit_cast<float>(word());
        return (static_cast<float>(kind) - 125.0f) / 16.0f;
    }
    std::vector<float> reals(std::size_t count)
    {
        std::vector<float> values(count);
        for (float& v : values)
            v = real();
        return values;
    }
    std::string text(std::size_t most)
    {
        const std::size_t count = most < rest_.size() ? most : rest_.size();
        std::string taken(reinterpret_cast<const char*>(rest_.data()), count);
        rest_ = rest_.subspan(count);
        return taken;
    }
    std::string rest() { return text(rest_.size()); }

private:
    template <unsigned bytes>
    std::uint32_t number()
    {
        std::uint32_t value = 0;
        for (unsigned i = 0; i < bytes && !rest_.empty(); ++i) {
            value |= std::uint32_t{rest_.front()} << (8 * i);
            rest_ = rest_.subspan(1);
        }
        return value;
    }

    std::span<const std::uint8_t> rest_;
};

// A promise that was broken ends the program, as the sanitizers do.
inline void require(bool kept, const char* promise)
{
    if (!kept) {
        std::fprintf(stderr, "broken: %s\n", promise);
        std::abort();
    }
}

inline bool same_bits(std::span<const float> a, std::span<const float> b)
{
    return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size_bytes()) == 0);
}

} // namespace fuzz
