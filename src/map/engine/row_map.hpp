// A map of rows, resolved and without its type.
#pragma once

#include "samara/map_arccos.hpp"

namespace samara::detail {

struct RowMap {
    std::uint64_t seed;
    std::uint32_t inputs, features, exact, rows, per_block, per_row, sweeps;
    std::uint32_t blocks_together; // that the rows may be asked for in one call
    float scale;                   // of the projections
    float amplitude;               // of the random features
    float centre;                  // mu of the exact orders, where there are any
    float bandwidth;               // of Fourier features
    std::size_t row_floats;        // workspace of the rows for a batch; a scaled copy of x lies before it
    std::size_t sample_floats;     // and for one sample
    bool scaled_copy;              // the map may ask for one
    bool rows_apart;               // any row can be made without its block
    bool by_position;              // a feature depends on its row's place in the block: phases and ties
    const float* series;           // coefficients of a map that is a Hermite series
    MapCode code;
};

// Each map has
//   RowMap row_map(const Spec& spec, const MapCode& code, std::uint32_t m) noexcept;
// which does not check the spec; that is resolved. m: the rows that are used.

// What maps of rows on unit or scaled vectors share: everything but scale, amplitude and centre.
RowMap plain_row_map(std::uint64_t seed, std::uint32_t inputs, std::uint32_t features, std::uint32_t exact, Rows rows,
                     const MapCode& code) noexcept;

RowMap row_map(const ArcCosSpec& spec, const MapCode& code, std::uint32_t m) noexcept;

// E|<w, x>| / |x| for rows that are uniform on the sphere of radius sqrt(k): sqrt(k) Gamma(k/2) / (sqrt(pi)
// Gamma((k+1)/2)). From 17 on the asymptotic series, whose error is below 4e-8 there.
float mean_magnitude(std::uint32_t k) noexcept;

Status run(const RowMap& map, std::span<const float> x, std::span<float> z, std::size_t samples,
           std::span<std::byte> work) noexcept;
Status run_chosen(const RowMap& map, const ChosenRows& chosen, std::span<const float> x, std::span<float> z,
                  std::span<std::byte> work) noexcept;
Status run_block(const RowMap& map, std::uint32_t k, std::span<const float> x, float* z,
                 std::span<std::byte> work) noexcept;
Status run_chosen_block(const RowMap& map, const ChosenRows& chosen, std::uint32_t k, std::span<const float> x,
                        float* z, std::span<std::byte> work) noexcept;

template <RowSpec Spec>
Status run(const Spec& s, const MapCode& code, std::span<const float> x, std::span<float> z, std::size_t samples,
           std::span<std::byte> work) noexcept
{
    return run(row_map(s, code, row_count(s)), x, z, samples, work);
}

template <RowSpec Spec>
Status run_chosen(const Spec& s, const MapCode& code, const ChosenRows& chosen, std::span<const float> x,
                  std::span<float> z, std::size_t samples, std::span<std::byte> work) noexcept
{
    if (!chosen.valid(row_count(s)))
        return Status::bad_spec;
    const std::size_t outputs = feature_count(s, chosen);
    if (x.size() / s.inputs != samples || x.size() % s.inputs != 0 || z.size() / outputs != samples ||
        z.size() % outputs != 0)
        return Status::wrong_length;
    if (work.size() < workspace_bytes(s, chosen))
        return Status::small_workspace;
    const RowMap map = row_map(s, code, chosen.count());
    for (const bool writing : {false, true}) // all samples are judged before anything is written
        for (std::size_t k = 0; k < samples; ++k)
            if (const Status status = run_chosen(map, chosen, x.subspan(k * s.inputs, s.inputs),
                                                 writing ? z.subspan(k * outputs, outputs) : std::span<float>(), work);
                status != Status::ok)
                return status;
    return Status::ok;
}

template <RowSpec Spec>
bool block_fits(const Spec& s, std::uint32_t k, std::span<const float> x, std::span<float> z) noexcept
{
    return x.size() == s.inputs && k < block_count(s) && z.size() >= block_range(s, k).count;
}

template <RowSpec Spec>
Status run_block(const Spec& s, const MapCode& code, std::uint32_t k, std::span<const float> x, std::span<float> z,
                 std::span<std::byte> work) noexcept
{
    if (!block_fits(s, k, x, z))
        return Status::wrong_length;
    return run_block(row_map(s, code, row_count(s)), k, x, z.data(), work);
}

template <RowSpec Spec>
Status run_chosen_block(const Spec& s, const MapCode& code, const ChosenRows& chosen, std::uint32_t k,
                        std::span<const float> x, std::span<float> z, std::span<std::byte> work) noexcept
{
    if (!block_fits(s, k, x, z))
        return Status::wrong_length;
    return run_chosen_block(row_map(s, code, chosen.count()), chosen, k, x, z.data(), work);
}

// With all of check() in it, so that its messages, which are no part of the result, do not stay in the image.
template <RowSpec Spec>
[[gnu::noinline, gnu::flatten]] bool is_resolved(const Spec& s) noexcept
{
    return resolved(s);
}

} // namespace samara::detail

namespace samara {

template <RowSpec Spec>
Status features(const Spec& s, std::span<const float> x, std::span<float> z, std::span<std::byte> work) noexcept
{
    return detail::is_resolved(s) ? detail::run(s, detail::code_of(s), x, z, 1, work) : Status::bad_spec;
}
template <RowSpec Spec>
Status features(const Spec& s, std::span<const float> x, std::span<float> z, std::size_t samples,
                std::span<std::byte> work) noexcept
{
    return detail::is_resolved(s) ? detail::run(s, detail::code_of(s), x, z, samples, work) : Status::bad_spec;
}
template <RowSpec Spec>
Status features(const Spec& s, const ChosenRows& chosen, std::span<const float> x, std::span<float> z,
                std::size_t samples, std::span<std::byte> work) noexcept
{
    if (chosen.all())
        return features(s, x, z, samples, work);
    return detail::is_resolved(s) ? detail::run_chosen(s, detail::code_of(s), chosen, x, z, samples, work)
                                  : Status::bad_spec;
}
template <RowSpec Spec>
Status block(const Spec& s, std::uint32_t k, std::span<const float> x, std::span<float> z,
             std::span<std::byte> work) noexcept
{
    return detail::is_resolved(s) ? detail::run_block(s, detail::code_of(s), k, x, z, work) : Status::bad_spec;
}
template <RowSpec Spec>
Status block(const Spec& s, const ChosenRows& chosen, std::uint32_t k, std::span<const float> x, std::span<float> z,
             std::span<std::byte> work) noexcept
{
    if (chosen.all())
        return block(s, k, x, z, work);
    return detail::is_resolved(s) ? detail::run_chosen_block(s, detail::code_of(s), chosen, k, x, z, work)
                                  : Status::bad_spec;
}

} // namespace samara

// Defines the functions of one map, in namespace samara of its own file.
#define SAMARA_ROW_MAP(Spec)                                                                                           \
    template Status features(const Spec&, std::span<const float>, std::span<float>, std::span<std::byte>) noexcept;    \
    template Status features(const Spec&, std::span<const float>, std::span<float>, std::size_t,                       \
                             std::span<std::byte>) noexcept;                                                           \
    template Status features(const Spec&, const ChosenRows&, std::span<const float>, std::span<float>, std::size_t,    \
                             std::span<std::byte>) noexcept;                                                           \
    template Status block(const Spec&, std::uint32_t, std::span<const float>, std::span<float>,                        \
                          std::span<std::byte>) noexcept;                                                              \
    template Status block(const Spec&, const ChosenRows&, std::uint32_t, std::span<const float>, std::span<float>,     \
                          std::span<std::byte>) noexcept;                                                              \
    template Status detail::run(const Spec&, const detail::MapCode&, std::span<const float>, std::span<float>,         \
                                std::size_t, std::span<std::byte>) noexcept;                                           \
    template Status detail::run_chosen(const Spec&, const detail::MapCode&, const ChosenRows&, std::span<const float>, \
                                       std::span<float>, std::size_t, std::span<std::byte>) noexcept;                  \
    template Status detail::run_block(const Spec&, const detail::MapCode&, std::uint32_t, std::span<const float>,      \
                                      std::span<float>, std::span<std::byte>) noexcept;                                \
    template Status detail::run_chosen_block(const Spec&, const detail::MapCode&, const ChosenRows&, std::uint32_t,    \
                                             std::span<const float>, std::span<float>, std::span<std::byte>) noexcept;
