#include <bit>
#include <cfloat>

#include "samara/simd.hpp"

namespace samara {

namespace {

// Volatile, so that the compiler does not compute them in its own environment.
float sum(float a, float b) noexcept
{
    volatile float x = a, y = b;
    return x + y;
}
float product(float a, float b) noexcept
{
    volatile float x = a, y = b;
    return x * y;
}
bool same_bits(float a, float b) noexcept { return std::bit_cast<unsigned>(a) == std::bit_cast<unsigned>(b); }

} // namespace

Status check_environment() noexcept
{
#if defined(FLT_EVAL_METHOD) && FLT_EVAL_METHOD != 0
    return Status::bad_environment;
#else
    // Ties to even, in both directions and for both signs: any other rounding mode moves one of these.
    if (!same_bits(sum(1.0f, 0x1p-24f), 1.0f) || !same_bits(sum(0x1.000002p0f, 0x1p-24f), 0x1.000004p0f) ||
        !same_bits(sum(-1.0f, -0x1p-24f), -1.0f) || !same_bits(sum(-0x1.000002p0f, -0x1p-24f), -0x1.000004p0f) ||
        !same_bits(sum(1.0f, 0x1.8p-24f), 0x1.000002p0f) || !same_bits(sum(-1.0f, -0x1.8p-24f), -0x1.000002p0f))
        return Status::bad_environment;
    // Subnormal results and subnormal operands survive.
    if (!same_bits(product(0x1p-126f, 0.5f), 0x1p-127f) || !same_bits(product(0x1p-149f, 0x1p30f), 0x1p-119f) ||
        !same_bits(sum(0x1p-149f, 0x1p-149f), 0x1p-148f))
        return Status::bad_environment;
    return Status::ok;
#endif
}

} // namespace samara
