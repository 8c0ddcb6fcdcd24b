#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "samara/samara.hpp"

namespace samara::selftest {

struct Report {
    void (*print)(const char*);
    int failed = 0;

    void line(const char* name, std::uint32_t crc);
    void fail(const char* name, const char* what);
};

template <class T>
std::uint32_t crc_of(std::span<const T> values, std::uint32_t so_far = 0)
{
    return crc32(std::as_bytes(values), so_far);
}

} // namespace samara::selftest
