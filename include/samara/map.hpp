// Every map. A new one is a header here and a name in the list below; its source is src/map/NAME/NAME.cpp.
#pragma once

#include "samara/map/arccos.hpp"
#include "samara/map/cntk.hpp"
#include "samara/map/cntk_gradient.hpp"
#include "samara/map/local.hpp"
#include "samara/map/local_arccos.hpp"
#include "samara/map/nngp.hpp"
#include "samara/map/ntk.hpp"
#include "samara/map/ntk_gradient.hpp"
#include "samara/map/ntk_poly.hpp"
#include "samara/map/ntk_sketch.hpp"
#include "samara/map/polynomial.hpp"
#include "samara/map/rff.hpp"
#include "samara/map/skeleton.hpp"

namespace samara {

// Types of specs.
template <class... Specs>
struct MapList {
    static constexpr std::size_t count = sizeof...(Specs);
    // Calls call(Spec{}) for each in order until one returns true. Returns whether one did.
    template <class Call>
    static constexpr bool any(Call call)
    {
        return (call(Specs{}) || ...);
    }
    template <template <class...> class Other>
    using In = Other<Specs...>;
    template <class... More>
    using With = MapList<Specs..., More...>;
};

// One line a map.
// clang-format off
#define SAMARA_ALL_MAPS     \
    samara::RffSpec,        \
    samara::ArcCosSpec,     \
    samara::PolynomialSpec, \
    samara::DotSpec,        \
    samara::NngpSpec,       \
    samara::NtkSpec,        \
    samara::NtkSketchSpec,  \
    samara::NtkPolySpec,    \
    samara::NtkGradientSpec, \
    samara::SkeletonSpec,   \
    samara::CntkSpec, \
    samara::CntkGradientSpec, \
    samara::LocalSpec, \
    samara::LocalArcCosSpec
// clang-format on
using AllMaps = MapList<SAMARA_ALL_MAPS>;

} // namespace samara
