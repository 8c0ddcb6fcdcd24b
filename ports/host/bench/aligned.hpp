// Memory of benchmarks begins at a cache line, so that a number does not depend on where the heap was.
#pragma once

#include <cstddef>
#include <new>
#include <vector>

namespace samara::desk {

template <class T>
struct LineAllocator {
    using value_type = T;
    static constexpr std::align_val_t line{64};

    LineAllocator() = default;
    template <class U>
    LineAllocator(const LineAllocator<U>&) // NOLINT(google-explicit-constructor): what containers convert
    {}
    T* allocate(std::size_t n) { return static_cast<T*>(::operator new(n * sizeof(T), line)); }
    void deallocate(T* p, std::size_t) { ::operator delete(p, line); }

    friend bool operator==(const LineAllocator&, const LineAllocator&) { return true; }
};

using Floats = std::vector<float, LineAllocator<float>>;

} // namespace samara::desk
