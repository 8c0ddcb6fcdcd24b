#include "samara/transform.hpp"

#include <bit>

#include "transform/kernels.hpp"

namespace samara {

SAMARA_KERNEL_TABLES(transform, SAMARA_TRANSFORM_KERNELS)

Status hadamard(std::span<float> values) noexcept { return hadamard(values, values.size(), 1); }

Status hadamard(std::span<float> values, std::size_t length, std::size_t count) noexcept
{
    if (!std::has_single_bit(length) || length > largest_transform)
        return Status::unsupported_size;
    if (values.size() / length != count || values.size() % length != 0)
        return Status::wrong_length;
    for (std::size_t i = 0; i < count; ++i)
        SAMARA_KERNEL(transform, hadamard)(values.data() + i * length, static_cast<unsigned>(std::countr_zero(length)));
    return Status::ok;
}

} // namespace samara
