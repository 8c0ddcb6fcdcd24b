#include "samara/map/ntk.hpp"

#include "map/engine/layer_run.hpp"
#include "samara/kernel.hpp"

namespace samara {

Status Map<NtkSpec>::run(const NtkSpec& s, const Code& code, std::span<const float> x, std::span<float> z,
                         std::size_t samples, std::span<std::byte> work) noexcept
{
    return engine::run_layers(plan(s), code, nullptr, x, z, samples, work);
}

double Map<NtkSpec>::kernel(const NtkSpec& s, std::span<const float> x, std::span<const float> y) noexcept
{
    return ntk_kernel(x, y, s.depth);
}

} // namespace samara
