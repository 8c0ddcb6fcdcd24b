#include "map/row_map.hpp"
#include "map/vector_scale.hpp"

namespace samara {

namespace detail {

namespace {

constexpr float inverse_tau = 0.159154943f;

// e^x of one number.
float exp_of(float x) noexcept
{
    using namespace SAMARA_ARCH;
    float lanes[F::size];
    store(lanes, SAMARA_ARCH::exp(broadcast(x)));
    return lanes[0];
}

} // namespace

RowMap row_map(const RffSpec& s, const MapCode& code, std::uint32_t m) noexcept
{
    RowMap map{};
    map.seed = s.seed;
    map.inputs = s.inputs;
    map.features = s.features;
    map.exact = exact_features(s.orders, s.inputs);
    map.rows = row_count(s);
    map.per_block = block_rows(s.rows, s.inputs);
    map.blocks_together = s.rows == Rows::hadamard ? 8 : 1;
    map.per_row = features_per_row(s);
    map.scale = inverse_tau / s.bandwidth; // rows in turns
    map.amplitude =
        SAMARA_ARCH::sqrt_scalar((s.form == Form::pair ? 1.0f : 2.0f) / static_cast<float>(m)); // eqs. (2), (3) of TEFM
    map.bandwidth = s.bandwidth;
    map.row_floats = rows_workspace_floats(s.rows, s.inputs);
    map.sample_floats = sample_workspace_floats(s.rows, s.inputs);
    map.rows_apart = s.rows == Rows::dense;
    map.by_position = s.form == Form::phase;
    map.code = code;
    return map;
}

void sample_fourier(const RowMap& map, const float*, std::uint32_t, SamplePlan& plan, float*) noexcept
{
    plan = {1.0f, map.amplitude, 0.0f, false};
}

// K = g(x) g(y) (1 + <x,y>/b^2 + ...), g = exp(-|x|^2/(2 b^2)): the mean of cos z and the slope of sin z are g.
void sample_fourier_centred(const RowMap& map, const float* x, std::uint32_t largest, SamplePlan& plan,
                            float* exact) noexcept
{
    const int e = exponent_of(largest);
    float q = scaled_length(x, map.inputs, e) * power_of_two(e) / map.bandwidth;
    q = q < 1024.0f ? q : 1024.0f; // far beyond where g is 0; its square stays finite
    const float g = exp_of(q * q * -0.5f);
    plan = {1.0f, map.amplitude, g, false};
    if (exact != nullptr) {
        exact[0] = g;
        SAMARA_KERNEL(scaled_copy)(x, map.inputs, g / map.bandwidth, exact + 1);
    }
}

Status run(const RffSpec& s, const MapCode& code, const ChosenRows& chosen, std::span<const float> x,
           std::span<float> z, std::size_t samples, std::span<std::byte> work) noexcept
{
    return run_map(s, code, chosen, x, z, samples, work);
}
Status run_block(const RffSpec& s, const MapCode& code, const ChosenRows& chosen, std::uint32_t k,
                 std::span<const float> x, std::span<float> z, std::span<std::byte> work) noexcept
{
    return run_map_block(s, code, chosen, k, x, z, work);
}

} // namespace detail

Status features(const RffSpec& s, std::span<const float> x, std::span<float> z, std::span<std::byte> work) noexcept
{
    return resolved(s) ? detail::run(s, detail::code_of(s), {}, x, z, 1, work) : Status::bad_spec;
}
Status features(const RffSpec& s, std::span<const float> x, std::span<float> z, std::size_t samples,
                std::span<std::byte> work) noexcept
{
    return resolved(s) ? detail::run(s, detail::code_of(s), {}, x, z, samples, work) : Status::bad_spec;
}
Status features(const RffSpec& s, const ChosenRows& chosen, std::span<const float> x, std::span<float> z,
                std::size_t samples, std::span<std::byte> work) noexcept
{
    return resolved(s) ? detail::run(s, detail::code_of(s), chosen, x, z, samples, work) : Status::bad_spec;
}
Status block(const RffSpec& s, std::uint32_t k, std::span<const float> x, std::span<float> z,
             std::span<std::byte> work) noexcept
{
    return block(s, {}, k, x, z, work);
}
Status block(const RffSpec& s, const ChosenRows& chosen, std::uint32_t k, std::span<const float> x, std::span<float> z,
             std::span<std::byte> work) noexcept
{
    return resolved(s) ? detail::run_block(s, detail::code_of(s), chosen, k, x, z, work) : Status::bad_spec;
}

} // namespace samara
