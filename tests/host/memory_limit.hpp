// --most-memory for as long as this lives.
#pragma once

#include <cstdint>

#include "ports/host/data/memory_limit.hpp"

namespace samara::test {

class MemoryLimit {
public:
    explicit MemoryLimit(std::uint64_t bytes) { desk::set_most_memory(bytes); }
    MemoryLimit(const MemoryLimit&) = delete;
    MemoryLimit& operator=(const MemoryLimit&) = delete;
    ~MemoryLimit() { desk::set_most_memory(0); }
};

} // namespace samara::test
