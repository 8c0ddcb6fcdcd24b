// A map of rows, resolved and without its type.
#pragma once

#include "samara/detail/row_map.hpp"

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
    MapCode code;
};

// Does not check the spec, which is resolved. m: the rows that are used.
RowMap row_map(const RffSpec& spec, const MapCode& code, std::uint32_t m) noexcept;
RowMap row_map(const ArcCosSpec& spec, const MapCode& code, std::uint32_t m) noexcept;

Status run(const RowMap& map, std::span<const float> x, std::span<float> z, std::size_t samples,
           std::span<std::byte> work) noexcept;
Status run_chosen(const RowMap& map, const ChosenRows& chosen, std::span<const float> x, std::span<float> z,
                  std::span<std::byte> work) noexcept;
Status run_block(const RowMap& map, const ChosenRows& chosen, std::uint32_t k, std::span<const float> x, float* z,
                 std::span<std::byte> work) noexcept;

// What the typed functions of every map of rows do. The spec is resolved: whoever calls has made sure.
template <class Spec>
Status run_map(const Spec& s, const MapCode& code, const ChosenRows& chosen, std::span<const float> x,
               std::span<float> z, std::size_t samples, std::span<std::byte> work) noexcept
{
    if (!chosen.valid(row_count(s)))
        return Status::bad_spec;
    if (chosen.all())
        return run(row_map(s, code, row_count(s)), x, z, samples, work);
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

template <class Spec>
Status run_map_block(const Spec& s, const MapCode& code, const ChosenRows& chosen, std::uint32_t k,
                     std::span<const float> x, std::span<float> z, std::span<std::byte> work) noexcept
{
    if (x.size() != s.inputs || k >= block_count(s) || z.size() < block_range(s, k).count)
        return Status::wrong_length;
    return run_block(row_map(s, code, chosen.all() ? row_count(s) : chosen.count()), chosen, k, x, z.data(), work);
}

} // namespace samara::detail
