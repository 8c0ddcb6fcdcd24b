// One map over awkward inputs, one sample at a time, in a batch and block by block: one checksum.
#pragma once

#include "inputs.hpp"
#include "report.hpp"
#include "samara/map.hpp"

namespace samara::selftest {

inline constexpr std::size_t most_inputs_here = 130, most_features_here = 600;

// Shared by all cases.
inline float inputs[sample_kinds * most_inputs_here];
inline float single[sample_kinds * most_features_here];
inline float batch[sample_kinds * most_features_here];
alignas(16) inline std::byte memory[25600];

template <class Spec>
void case_of(Report& report, const char* name, Spec request)
{
    const Spec spec = resolve(request);
    if (!resolved(spec) || workspace_bytes(spec) > sizeof memory || spec.inputs > most_inputs_here ||
        spec.features > most_features_here)
        return report.fail(name, "the self-test's own spec is wrong");
    const std::size_t d = spec.inputs, m = spec.features;
    for (unsigned k = 0; k < sample_kinds; ++k)
        fill_sample(std::span(inputs + k * d, d), k);

    for (std::size_t k = 0; k < sample_kinds; ++k)
        if (features(spec, std::span(inputs + k * d, d), std::span(single + k * m, m), memory) != Status::ok)
            return report.fail(name, "one sample was refused");
    const std::uint32_t crc = crc_of<float>(std::span(single, sample_kinds * m));
    report.line(name, crc);

    if (features(spec, std::span(inputs, sample_kinds * d), std::span(batch, sample_kinds * m), sample_kinds, memory) !=
        Status::ok)
        return report.fail(name, "the batch was refused");
    if (crc_of<float>(std::span(batch, sample_kinds * m)) != crc)
        report.fail(name, "the batch has other bits");
    if constexpr (RowSpec<Spec>) {
        // Ordinary samples only, which take the shared path.
        for (unsigned k = 0; k < sample_kinds; ++k)
            fill_plain(std::span(inputs + k * d, d), 100 + k);
        if (features(spec, std::span(inputs, sample_kinds * d), std::span(batch, sample_kinds * m), sample_kinds,
                     memory) != Status::ok)
            return report.fail(name, "the plain batch was refused");
        for (std::size_t k = 0; k < sample_kinds; ++k)
            if (features(spec, std::span(inputs + k * d, d), std::span(single + k * m, m), memory) != Status::ok)
                return report.fail(name, "a plain sample was refused");
        if (crc_of<float>(std::span(batch, sample_kinds * m)) != crc_of<float>(std::span(single, sample_kinds * m)))
            report.fail(name, "the plain batch has other bits");
    }

    for (std::uint32_t b = 0; b < block_count(spec); ++b) {
        const BlockRange range = block_range(spec, b);
        if (block(spec, b, std::span(inputs, d), std::span(batch, range.count), memory) != Status::ok)
            return report.fail(name, "a block was refused");
        if (crc_of<float>(std::span(batch, range.count)) != crc_of<float>(std::span(single + range.first, range.count)))
            report.fail(name, "a block has other bits");
    }
}

} // namespace samara::selftest
