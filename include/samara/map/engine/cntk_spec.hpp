// The spec of the map `cntk`, for the headers of its two forms.
#pragma once

#include "samara/map/engine/image.hpp"
#include "samara/map/kinds.hpp"
#include "samara/sketch/poly.hpp"

namespace samara {

// Numbers are part of the format.
enum class CntkForm : std::uint8_t { features = 0, sketch = 1 };

constexpr const char* word(CntkForm form) noexcept { return form == CntkForm::features ? "features" : "sketch"; }

// The polynomials that stand for k1 and k0 in form sketch: the Taylor series, cut off; the same with what is cut off
// added to its last coefficient; polynomials fitted to the functions on [-1, 1].
enum class CntkSeries : std::uint8_t { taylor = 0, fixed = 1, fitted = 2 };

constexpr const char* word(CntkSeries series) noexcept
{
    constexpr const char* words[] = {"taylor", "fixed", "fitted"};
    return words[static_cast<unsigned>(series)];
}

struct CntkSpec {
    std::uint32_t inputs = 0;
    std::uint32_t features = 1024; // the same number for each cell of the pooling; what is left over is 0
    std::uint32_t height = 0, width = 0, channels = 0;
    std::uint32_t patch = 3;
    std::uint32_t depth = 3;
    ImagePool pool = ImagePool::average;
    std::uint32_t grid = 0;
    CntkForm form = CntkForm::features;
    Orders orders = Orders::automatic; // one or none; resolved to one for form features, else to none
    std::uint32_t inner = 0; // numbers that a pixel's vectors have, memory and time follow it; 0: from the features
    std::uint32_t relu_degree = 2, step_degree = 2; // p and p' of form sketch: powers up to 2 p + 2 and 2 p' + 1
    CntkSeries series = CntkSeries::fixed;
    PolyBase base = PolyBase::srht; // of form sketch's PolySketches
    std::uint64_t seed = 0;

    friend constexpr bool operator==(const CntkSpec&, const CntkSpec&) = default;
};

namespace engine {

// Of a workspace, whichever form.
inline constexpr std::uint64_t most_cntk_bytes = std::uint64_t{1} << 30;

constexpr std::uint32_t cells_in_all(const CntkSpec& s) noexcept
{
    const CntkShape shape = cntk_shape(s);
    return shape.cells_high * shape.cells_wide;
}
constexpr std::uint32_t features_of_cell(const CntkSpec& s) noexcept { return s.features / cells_in_all(s); }

} // namespace engine

} // namespace samara
