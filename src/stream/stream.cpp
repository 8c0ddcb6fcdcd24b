#include "samara/stream.hpp"

#include "stream/kernels.hpp"

namespace samara {

SAMARA_KERNEL_TABLES(stream, SAMARA_STREAM_KERNELS)

void fill_words(StreamKey key, std::span<std::uint32_t> out) noexcept
{
    SAMARA_KERNEL(stream, fill_words)(key, out.data(), out.size());
}
void fill_sign_words(StreamKey key, std::span<std::uint32_t> out) noexcept
{
    Xoshiro words(key);
    for (std::uint32_t& w : out)
        w = words.word();
}
void fill_uniforms(StreamKey key, std::span<float> out) noexcept
{
    SAMARA_KERNEL(stream, fill_uniforms)(key, out.data(), out.size());
}
void fill_normals(StreamKey key, std::span<float> out) noexcept
{
    SAMARA_KERNEL(stream, fill_normals)(key, out.data(), out.size());
}
void fill_cauchy(StreamKey key, std::span<float> out) noexcept
{
    SAMARA_KERNEL(stream, fill_cauchy)(key, out.data(), out.size());
}
void fill_laplace(StreamKey key, std::span<float> out) noexcept
{
    SAMARA_KERNEL(stream, fill_laplace)(key, out.data(), out.size());
}
void fill_chi(StreamKey key, std::uint32_t freedom, std::span<float> out) noexcept
{
    SAMARA_KERNEL(stream, fill_chi)(key, freedom, out.data(), out.size());
}

} // namespace samara
