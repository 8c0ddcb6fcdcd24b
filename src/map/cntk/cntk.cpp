// Holds the place of the form with exact orders.
#include "samara/map/cntk.hpp"

namespace samara {

Status engine::run_cntk_orders(const CntkSpec&, std::span<const float>, std::span<float>, std::size_t,
                               std::span<std::byte>) noexcept
{
    return Status::bad_spec;
}

} // namespace samara
