#include <kiss_fftr.h>

#include "samara/transform.hpp"
#include "simd/arch.hpp" // refuses -ffast-math

// A KissFFT of somebody else's may have other scalars, and its functions other numbers.
#ifndef kiss_fftr
#error "samara needs the KissFFT that it builds itself (subprojects/samara-kissfft.wrap)"
#endif

namespace samara {

Status RealFft::init(std::size_t n, bool inverse, std::span<std::byte> memory) noexcept
{
    if (!fft_size_ok(n))
        return Status::unsupported_size;
    if ((reinterpret_cast<std::uintptr_t>(memory.data()) & 3u) != 0)
        return Status::misaligned;
    if (memory.size() < fft_bytes(n))
        return Status::small_workspace;
    // KissFFT's state holds pointers: step up to their alignment, for which fft_bytes has room.
    const std::size_t skip = (8 - (reinterpret_cast<std::uintptr_t>(memory.data()) & 7u)) & 7u;
    std::size_t bytes = memory.size() - skip;
    void* state = kiss_fftr_alloc(static_cast<int>(n), inverse ? 1 : 0, memory.data() + skip, &bytes);
    if (state == nullptr)
        return Status::small_workspace;
    state_ = state;
    size_ = n;
    inverse_ = inverse;
    return Status::ok;
}

Status RealFft::forward(std::span<const float> in, std::span<float> out) const noexcept
{
    if (state_ == nullptr || inverse_)
        return Status::unsupported_size;
    if (in.size() != size_ || out.size() != size_ + 2)
        return Status::wrong_length;
    kiss_fftr(static_cast<kiss_fftr_cfg>(state_), in.data(), reinterpret_cast<kiss_fft_cpx*>(out.data()));
    return Status::ok;
}

Status RealFft::backward(std::span<const float> in, std::span<float> out) const noexcept
{
    if (state_ == nullptr || !inverse_)
        return Status::unsupported_size;
    if (in.size() != size_ + 2 || out.size() != size_)
        return Status::wrong_length;
    kiss_fftri(static_cast<kiss_fftr_cfg>(state_), reinterpret_cast<const kiss_fft_cpx*>(in.data()), out.data());
    return Status::ok;
}

} // namespace samara
