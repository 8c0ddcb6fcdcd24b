// One local feature of one sample, as boards compute it.
#include "map/local/local_found.hpp"

namespace samara {

namespace {

[[gnu::noinline]] std::int32_t any(const std::int16_t* row, const std::uint16_t* f, std::uint32_t step,
                                   std::uint32_t down) noexcept
{
    return detail::local::any_signs(row, f, f[1], f[2], step, down);
}

} // namespace

std::int32_t local_feature(const std::int16_t* x, const std::uint16_t* filter, std::uint32_t right,
                           std::uint32_t down) noexcept
{
    const std::int16_t* const row = x + filter[0];
    const std::int32_t found = detail::local::found_by(row, filter, filter[1], filter[2], right, down,
                                                       [=] { return any(row, filter, right, down); });
    return local_value(found, PackedFilter::shift(filter));
}

} // namespace samara
