// Random features of the convolutional Neural Tangent Kernel of images (samara/kernel/cntk.hpp says which), from a ring
// of a few rows of pixels: memory grows with the width of the image and not with its height.
//
// form features with orders one (the default) carries the low orders of every layer exactly (map/engine/cntk_orders.hpp
// has the estimator, its order of variance, memory, cost and what was tried). orders none is the plain random-feature
// form, form sketch is CNTKSketch of arXiv 2106.07880 (both: map/engine/cntk_sketch.hpp).
//
// E <z(x), z(y)> is the kernel for form features, up to a bias that falls like 1 / inner; form sketch tends to the
// kernel with its series cut off. Variance O(1/features) + O(1/inner). x = 0 gives 0.
//
// Of orders one without cells the random features are rows, of which some can be kept: that saves readout, not time.
// Of all other forms all features are one block.
#pragma once

#include "samara/map/engine/cntk_orders.hpp"
#include "samara/map/engine/cntk_sketch.hpp"
#include "samara/map/map.hpp"

namespace samara {

namespace engine {

struct CntkCode {
    Status (*run)(const CntkSpec&, std::span<const float> x, std::span<float> z, std::size_t samples,
                  std::span<std::byte> work) noexcept = nullptr;

    constexpr bool complete() const noexcept { return run != nullptr; }
};

Status run_cntk_orders(const CntkSpec&, std::span<const float> x, std::span<float> z, std::size_t samples,
                       std::span<std::byte> work) noexcept;
Status run_cntk_plain(const CntkSpec&, std::span<const float> x, std::span<float> z, std::size_t samples,
                      std::span<std::byte> work) noexcept;
Status run_cntk_sketch(const CntkSpec&, std::span<const float> x, std::span<float> z, std::size_t samples,
                       std::span<std::byte> work) noexcept;

// All features of a sample where they are rows; else what makes them.
struct CntkSample {
    std::span<const float> x, made;
    std::span<std::byte> work;
};
// Block k of the features of a sample: first the exact ones, then rows, or those of them that are kept, as features of
// a map that has only these.
void copy_cntk_block(std::span<const float> made, const ChosenRows& kept, std::uint32_t exact, std::uint32_t k,
                     std::span<float> z) noexcept;

inline constexpr std::uint32_t cntk_block_rows = 64;

} // namespace engine

template <>
struct Map<CntkSpec> {
    static constexpr MapId id{11};
    static constexpr const char* name = "cntk";
    static constexpr const char* estimates[] = {
        "the convolutional Neural Tangent Kernel of images: of ReLU networks with square windows, zero beyond the "
        "borders"};

    template <class V, class S>
    static constexpr void fields(V& v, S& s)
    {
        engine::image_fields(v, s);
        v.choice(13, "form", s.form, {CntkForm::features, CntkForm::sketch},
                 "random features, or CNTKSketch: power series, sketched");
        v.choice(14, "orders", s.orders, {Orders::automatic, Orders::none, Orders::one},
                 "low orders of every layer carried exactly; auto: 1 for form=features");
        v.size(40, "inner", s.inner, {0, engine::most_inner},
               "numbers of a pixel's vectors: memory and time follow it; 0: from the features");
        v.whole(44, "relu-degree", s.relu_degree, {0, engine::most_cntk_order},
                "form=sketch: the relu's series ends with the power 2 p + 2");
        v.whole(48, "step-degree", s.step_degree, {0, engine::most_cntk_order},
                "form=sketch: the step's series ends with the power 2 p + 1");
        v.choice(52, "series", s.series, {CntkSeries::fixed, CntkSeries::taylor, CntkSeries::fitted},
                 "form=sketch: Taylor with its rest at the end, Taylor cut off, or fitted");
        v.choice(15, "base", s.base, {PolyBase::srht, PolyBase::osnap},
                 "form=sketch: osnap: every factor is hashed first");
        v.features(s.features, most_inputs);
        v.seed(engine::image_seed_offset, s.seed);
    }

    static constexpr bool exact(const CntkSpec& s) noexcept
    {
        return s.form == CntkForm::features && s.orders != Orders::none;
    }
    static constexpr SpecReport across(const CntkSpec& s) noexcept
    {
        if (const SpecReport image = engine::image_across(s); !image)
            return image;
        if (s.form == CntkForm::sketch && s.orders == Orders::one)
            return {Status::bad_spec, "orders", "auto or none with form=sketch"};
        if (s.form == CntkForm::features) {
            constexpr const char* only = "the default, because form=features has no series";
            const CntkSpec plain;
            if (s.relu_degree != plain.relu_degree)
                return {Status::bad_spec, "relu-degree", only, plain.relu_degree};
            if (s.step_degree != plain.step_degree)
                return {Status::bad_spec, "step-degree", only, plain.step_degree};
            if (s.series != plain.series)
                return {Status::bad_spec, "series", only};
            if (s.base != plain.base)
                return {Status::bad_spec, "base", only};
        }
        return exact(s) ? engine::check_cntk_orders(s) : engine::check_cntk_sketch(s);
    }
    static constexpr CntkSpec resolve(const CntkSpec& s) noexcept
    {
        CntkSpec made = engine::image_resolved(s);
        made.orders = exact(s) ? Orders::one : Orders::none;
        return exact(s) ? engine::resolved_cntk_orders(made) : engine::resolved_cntk_sketch(made);
    }

    // Whether the random features are rows: of one cell, with exact orders.
    static constexpr bool has_rows(const CntkSpec& s) noexcept { return exact(s) && s.pool == ImagePool::average; }
    static constexpr std::uint32_t features_per_row(const CntkSpec&) noexcept { return 1; }
    static constexpr std::uint32_t exact_features(const CntkSpec& s) noexcept
    {
        return has_rows(s) ? static_cast<std::uint32_t>(engine::cntk_exact_features(cntk_shape(s))) : s.features;
    }
    static constexpr std::uint32_t block_rows(const CntkSpec&) noexcept { return engine::cntk_block_rows; }
    static constexpr std::size_t workspace_bytes(const CntkSpec& s) noexcept
    {
        const std::size_t made = has_rows(s) ? sizeof(float) * s.features : 0;
        return made + (exact(s) ? engine::cntk_orders_bytes(s) : engine::cntk_sketch_bytes(s));
    }
    static constexpr std::size_t block_workspace_bytes(const CntkSpec& s) noexcept { return workspace_bytes(s); }

    using Data = ChosenRows;
    using Sample = engine::CntkSample;
    using Code = engine::CntkCode;
    template <Kinds kinds>
    static constexpr Code code(const CntkSpec& s) noexcept
    {
        if (!kinds.has(s.orders))
            return {};
        return {exact(s)                       ? engine::run_cntk_orders
                : s.form == CntkForm::features ? engine::run_cntk_plain
                                               : engine::run_cntk_sketch};
    }
    static Status begin(const CntkSpec& s, const Code& code, const ChosenRows&, std::span<const float> x,
                        std::span<std::byte> work, Sample& sample) noexcept
    {
        const std::size_t made = has_rows(s) ? s.features : 0, bytes = sizeof(float) * made;
        Status status = engine::check_call(s.inputs, s.features, workspace_bytes(s), x, s.features, 1, work);
        if (status != Status::ok)
            return status;
        const std::span<float> z(reinterpret_cast<float*>(work.data()), made);
        sample = {x, z, work.subspan(bytes)};
        return made != 0 ? code.run(s, x, z, 1, sample.work) : Status::ok;
    }
    static Status block(const CntkSpec& s, const Code& code, const ChosenRows& kept, const Sample& sample,
                        std::uint32_t k, std::span<float> z) noexcept
    {
        if (!has_rows(s))
            return code.run(s, sample.x, z, 1, sample.work);
        engine::copy_cntk_block(sample.made, kept, exact_features(s), k, z);
        return Status::ok;
    }
    static Status one(const CntkSpec& s, const Code& code, std::span<const float> x, std::span<float> z,
                      std::span<std::byte> work) noexcept
    {
        return batch(s, code, x, z, 1, work);
    }
    static Status batch(const CntkSpec& s, const Code& code, std::span<const float> x, std::span<float> z,
                        std::size_t samples, std::span<std::byte> work) noexcept
    {
        const Status status = engine::check_call(s.inputs, s.features, workspace_bytes(s), x, z.size(), samples, work);
        return status == Status::ok ? code.run(s, x, z, samples, work) : status;
    }
    static constexpr std::uint64_t operations(const CntkSpec& s, const ChosenRows&) noexcept
    {
        return exact(s) ? engine::cntk_orders_operations(s) : engine::cntk_sketch_operations(s);
    }
};

using Cntk = CntkSpec;

} // namespace samara
