// Predictions in whole numbers with local maps, from what a sensor or a camera gives, without a float and without a
// multiplication before the readout. SPEC.md, chapter 30.
//
//   inputs of 1 or 2 bytes -> int8 in int16 -> for each kept filter: sums over its window to a feature of 7 bits ->
//   each 64 features: the readout in int32 -> scores
//
// FixedPredictor has these functions for models that are known while compiling; WholePredictor opens others.
#pragma once

#include "samara/map/local.hpp"
#include "samara/model/whole_predictor.hpp"

namespace samara {

struct LocalModel;

namespace detail {

// Makes all features of a sample and folds them. Filters are drawn anew, or read from a table.
using AddLocal = void (*)(const LocalModel&, const std::int16_t* x, std::uint32_t* room, std::int32_t* sums) noexcept;
void add_drawn(const LocalModel&, const std::int16_t* x, std::uint32_t* room, std::int32_t* sums) noexcept;
void add_of_table(const LocalModel&, const std::int16_t* x, std::uint32_t* room, std::int32_t* sums) noexcept;

// The numbers of a model's kept rows, one a call.
class KeptNumbers {
public:
    explicit KeptNumbers(const WholeKept& kept) noexcept : kept_(kept), code_(kept.at, kept.width) {}
    std::uint32_t operator()() noexcept
    {
        const std::uint32_t i = i_++;
        return kept_.count == 0 ? i : kept_.width == 0 ? read_u16(kept_.at + 2 * std::size_t{i}) : code_.next();
    }

private:
    WholeKept kept_;
    CodedRows<std::byte> code_;
    std::uint32_t i_ = 0;
};

} // namespace detail

struct LocalModel {
    LocalRows rows;
    WholeKept kept;
    WholeScaling scaling;
    WholeReadout readout;
    detail::AddLocal add = detail::add_drawn;
    const std::uint16_t* table = nullptr; // packed filters of the kept rows, one after the other
};

// x in whole numbers, and up to 64 features, of two bytes each where the readout multiplies with them.
constexpr std::size_t local_bytes(std::uint32_t inputs) noexcept
{
    return (sizeof(std::int16_t) * std::size_t{inputs} + 3) / 4 * 4 + 2 * whole_chunk;
}
constexpr std::size_t whole_bytes(const LocalModel& model) noexcept { return local_bytes(model.rows.inputs); }

// As those of a WholeModel: wrong_length, misaligned or small_workspace, and nothing else can fail.
template <class Number>
Status whole_scores(const LocalModel& model, std::span<const Number> x, std::span<std::int32_t> scores,
                    std::span<std::byte> work) noexcept;

// The packed filters of so many kept rows: their words, while compiling, and where there is room for them. `next` gives
// their numbers.
template <std::size_t size>
struct LocalTable {
    std::uint16_t words[size] = {};
};
template <class Next>
constexpr std::size_t local_table_words(const LocalFilters& filters, std::uint32_t count, Next next)
{
    std::size_t words = 0;
    for (std::uint32_t i = 0; i < count; ++i)
        words += PackedFilter::head + local_filter(filters, next()).taps;
    return words;
}
template <class Next>
constexpr void write_local_table(const LocalFilters& filters, std::uint32_t count, Next next, std::uint16_t* table)
{
    for (std::uint32_t i = 0; i < count; ++i) {
        const PackedFilter filter(local_filter(filters, next()));
        for (std::uint32_t j = 0; j < PackedFilter::head + PackedFilter::taps(filter.words); ++j)
            *table++ = filter.words[j];
    }
}
template <std::size_t size, class Next>
constexpr LocalTable<size> local_table(const LocalFilters& filters, std::uint32_t count, Next next)
{
    LocalTable<size> table;
    write_local_table(filters, count, next, table.words);
    return table;
}

} // namespace samara
