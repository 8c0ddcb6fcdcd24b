// Local features of images and series. See samara/map/local.hpp.
#include "samara/map/local.hpp"

#include "map/local/kernels.hpp"

namespace samara {

SAMARA_KERNEL_TABLES(local, SAMARA_LOCAL_KERNELS)

using engine::local_block;

Status Map<LocalSpec>::begin(const LocalSpec& s, const Code&, const ChosenRows&, std::span<const float> x,
                             std::span<std::byte> work, Sample& sample) noexcept
{
    const Status status = engine::check_call(s.inputs, s.features, block_workspace_bytes(s), x, s.features, 1, work);
    if (status != Status::ok)
        return status;
    auto* const numbers = reinterpret_cast<std::int16_t*>(work.data());
    SAMARA_KERNEL(local, local_inputs)(x.data(), s.inputs, numbers);
    sample = {filters(s), numbers};
    return Status::ok;
}

Status Map<LocalSpec>::block(const LocalSpec&, const Code&, const ChosenRows& chosen, const Sample& sample,
                             std::uint32_t k, std::span<float> z) noexcept
{
    const std::uint32_t first = chosen.position_of(k * local_block);
    const LocalShape& shape = sample.filters.shape;
    for (std::uint32_t i = 0; i < z.size(); ++i) {
        const std::uint32_t number = chosen.all() ? k * local_block + i : chosen.row(first + i);
        const PackedFilter filter(local_filter(sample.filters, number));
        z[i] = static_cast<float>(local_feature(sample.x, filter.words, shape.right(), shape.down()));
    }
    return Status::ok;
}

Status Map<LocalSpec>::batch(const LocalSpec& s, const Code&, std::span<const float> x, std::span<float> z,
                             std::size_t samples, std::span<std::byte> work) noexcept
{
    const Status status = engine::check_call(s.inputs, s.features, workspace_bytes(s), x, z.size(), samples, work);
    if (status != Status::ok)
        return status;
    const LocalFilters drawn = filters(s);
    auto* const packed = reinterpret_cast<std::uint16_t*>(work.data());
    LocalBatch b{&drawn.shape, x.data(), s.inputs, samples, packed, 0, nullptr, s.features, nullptr};
    b.work = reinterpret_cast<std::int16_t*>(packed + filters_at_once(s) * PackedFilter::most);
    for (std::uint32_t first = 0; first < s.features; first += b.count) {
        b.count = s.features - first < filters_at_once(s) ? s.features - first : filters_at_once(s);
        std::uint16_t* end = packed;
        for (std::uint32_t i = 0; i < b.count; ++i) {
            const PackedFilter filter(local_filter(drawn, first + i));
            for (std::uint32_t j = 0; j < PackedFilter::head + PackedFilter::taps(filter.words); ++j)
                *end++ = filter.words[j];
        }
        b.out = z.data() + first;
        SAMARA_KERNEL(local, local_features)(b);
    }
    return Status::ok;
}

} // namespace samara
