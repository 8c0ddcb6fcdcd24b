// The plain form of random features of the convolutional NTK (form features, orders none), and CNTKSketch (form
// sketch).
#pragma once

#include "samara/map/engine/cntk_spec.hpp"

namespace samara::engine {

inline constexpr std::uint32_t most_cntk_order = 15;

constexpr SpecReport check_cntk_sketch(const CntkSpec&) noexcept { return {}; }
constexpr CntkSpec resolved_cntk_sketch(const CntkSpec& s) noexcept { return s; }
constexpr std::size_t cntk_sketch_bytes(const CntkSpec&) noexcept { return 0; }
constexpr std::uint64_t cntk_sketch_operations(const CntkSpec&) noexcept { return 0; }

struct CntkSketchCode {
    RowCode step, relu;
};

} // namespace samara::engine
