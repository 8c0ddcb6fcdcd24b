#include "samara/stream.hpp"

#include "kernels.hpp"

namespace samara {

void fill_words(StreamKey key, std::span<std::uint32_t> out) noexcept
{
    SAMARA_KERNEL(fill_words)(key, out.data(), out.size());
}
void fill_sign_words(StreamKey key, std::span<std::uint32_t> out) noexcept
{
    Xoshiro words(key);
    for (std::uint32_t& w : out)
        w = words.word();
}
void fill_uniforms(StreamKey key, std::span<float> out) noexcept
{
    SAMARA_KERNEL(fill_uniforms)(key, out.data(), out.size());
}
void fill_normals(StreamKey key, std::span<float> out) noexcept
{
    SAMARA_KERNEL(fill_normals)(key, out.data(), out.size());
}
void fill_cauchy(StreamKey key, std::span<float> out) noexcept
{
    SAMARA_KERNEL(fill_cauchy)(key, out.data(), out.size());
}
void fill_laplace(StreamKey key, std::span<float> out) noexcept
{
    SAMARA_KERNEL(fill_laplace)(key, out.data(), out.size());
}
void fill_chi(StreamKey key, std::uint32_t freedom, std::span<float> out) noexcept
{
    SAMARA_KERNEL(fill_chi)(key, freedom, out.data(), out.size());
}

} // namespace samara
