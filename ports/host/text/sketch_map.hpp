// Bare sketches, declared as maps are: their names, what they estimate, and their fields, which have no place in
// models.
#pragma once

#include <type_traits>

#include "samara/map.hpp"
#include "samara/sketch.hpp"

namespace samara::desk {

template <class Spec>
struct SketchMap;

inline constexpr const char* sketch_size_meaning = "how many numbers";

template <>
struct SketchMap<CountSketchSpec> {
    static constexpr const char* name = "sketch-count";
    static constexpr const char* estimates[] = {
        "<x,y>, by a CountSketch; for `samara features` only, as all that follow"};
    template <class V, class S>
    static constexpr void fields(V& v, S& s)
    {
        v.whole(0, "features", s.size, {1, most_features}, sketch_size_meaning);
        v.seed(0, s.seed);
    }
};

template <>
struct SketchMap<OsnapSpec> {
    static constexpr const char* name = "sketch-osnap";
    static constexpr const char* estimates[] = {"<x,y>, by an OSNAP sketch"};
    template <class V, class S>
    static constexpr void fields(V& v, S& s)
    {
        v.whole(0, "features", s.size, {1, most_features}, sketch_size_meaning);
        v.whole(0, "nonzeros", s.nonzeros, {1, most_nonzeros}, "of each input's column");
        v.seed(0, s.seed);
    }
};

// What the two sketches by one transform or two have in common.
struct SampledSketchFields {
    template <class V, class S>
    static constexpr void fields(V& v, S& s)
    {
        v.whole(0, "features", s.features, {1, most_features}, sketch_size_meaning);
        v.choice(0, "sampling", s.sampling, {Sampling::without, Sampling::with},
                 "of rows: without replacement or with it");
        v.seed(0, s.seed);
    }
};
template <>
struct SketchMap<SrhtSpec> : SampledSketchFields {
    static constexpr const char* name = "sketch-srht";
    static constexpr const char* estimates[] = {"<x,y>, by a subsampled randomised Hadamard transform"};
};
template <>
struct SketchMap<TensorSrhtSpec> : SampledSketchFields {
    static constexpr const char* name = "sketch-tensor-srht";
    static constexpr const char* estimates[] = {"<x,y>^2, by a TensorSRHT of x with x"};
};

template <>
struct SketchMap<TensorSketchSpec> {
    static constexpr const char* name = "sketch-tensor";
    static constexpr const char* estimates[] = {"<x,y>^degree, by a TensorSketch: CountSketches and FFTs"};
    template <class V, class S>
    static constexpr void fields(V& v, S& s)
    {
        v.whole(0, "features", s.size, {4, most_inputs},
                "how many numbers: even, half of it without prime factors above 5");
        v.whole(0, "degree", s.degree, {1, most_degree}, "the power of x");
        v.seed(0, s.seed);
    }
};

template <>
struct SketchMap<PolySketchSpec> {
    static constexpr const char* name = "sketch-poly";
    static constexpr const char* estimates[] = {"<x,y>^degree, by a PolySketch"};
    template <class V, class S>
    static constexpr void fields(V& v, S& s)
    {
        v.whole(0, "features", s.features, {1, most_inputs}, sketch_size_meaning);
        v.whole(0, "degree", s.degree, {1, most_degree}, "the power of x");
        v.choice(0, "base", s.base, {PolyBase::srht, PolyBase::osnap}, "osnap: every factor is hashed first");
        v.seed(0, s.seed);
    }
};

// Where a spec's name and fields are declared.
template <class Spec>
using DeclarationOf = std::conditional_t<FeatureMapSpec<Spec>, Map<Spec>, SketchMap<Spec>>;

} // namespace samara::desk
