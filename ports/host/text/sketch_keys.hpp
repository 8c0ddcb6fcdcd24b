// The keys of bare sketches, as map_keys.hpp has those of maps.
#pragma once

#include <string>
#include <type_traits>
#include <vector>

#include "ports/host/text/map_keys.hpp"

namespace samara::desk {

inline constexpr const char* sketch_size_meaning = "how many numbers";

template <class Keys>
void visit_keys(Keys& keys, CountSketchSpec& spec)
{
    keys.whole("features", spec.size, 1, most_features, sketch_size_meaning);
    keys.seed(spec.seed);
}
template <class Keys>
void visit_keys(Keys& keys, OsnapSpec& spec)
{
    keys.whole("features", spec.size, 1, most_features, sketch_size_meaning);
    keys.whole("nonzeros", spec.nonzeros, 1, most_nonzeros, "of each input's column");
    keys.seed(spec.seed);
}
template <class Keys, class Spec>
requires std::is_same_v<Spec, SrhtSpec> || std::is_same_v<Spec, TensorSrhtSpec>
void visit_keys(Keys& keys, Spec& spec)
{
    keys.whole("features", spec.features, 1, most_features, sketch_size_meaning);
    keys.choice("sampling", spec.sampling, {{"without", Sampling::without}, {"with", Sampling::with}},
                "of rows: without replacement or with it");
    keys.seed(spec.seed);
}
template <class Keys>
void visit_keys(Keys& keys, TensorSketchSpec& spec)
{
    keys.whole("features", spec.size, 4, most_inputs,
               "how many numbers: even, half of it without prime factors above 5");
    keys.whole("degree", spec.degree, 1, most_degree, "the power of x");
    keys.seed(spec.seed);
}
template <class Keys>
void visit_keys(Keys& keys, PolySketchSpec& spec)
{
    keys.whole("features", spec.features, 1, most_inputs, sketch_size_meaning);
    keys.whole("degree", spec.degree, 1, most_degree, "the power of x");
    keys.choice("base", spec.base, {{"srht", PolyBase::srht}, {"osnap", PolyBase::osnap}},
                "osnap: every factor is hashed first");
    keys.seed(spec.seed);
}

inline constexpr const char* name_of(const CountSketchSpec&) { return "sketch-count"; }
inline constexpr const char* name_of(const OsnapSpec&) { return "sketch-osnap"; }
inline constexpr const char* name_of(const SrhtSpec&) { return "sketch-srht"; }
inline constexpr const char* name_of(const TensorSrhtSpec&) { return "sketch-tensor-srht"; }
inline constexpr const char* name_of(const TensorSketchSpec&) { return "sketch-tensor"; }
inline constexpr const char* name_of(const PolySketchSpec&) { return "sketch-poly"; }

inline std::vector<std::string> estimates_of(const CountSketchSpec&)
{
    return {"<x,y>, by a CountSketch; for `samara features` only, as all that follow"};
}
inline std::vector<std::string> estimates_of(const OsnapSpec&) { return {"<x,y>, by an OSNAP sketch"}; }
inline std::vector<std::string> estimates_of(const SrhtSpec&)
{
    return {"<x,y>, by a subsampled randomised Hadamard transform"};
}
inline std::vector<std::string> estimates_of(const TensorSrhtSpec&) { return {"<x,y>^2, by a TensorSRHT of x with x"}; }
inline std::vector<std::string> estimates_of(const TensorSketchSpec&)
{
    return {"<x,y>^degree, by a TensorSketch: CountSketches and FFTs"};
}
inline std::vector<std::string> estimates_of(const PolySketchSpec&) { return {"<x,y>^degree, by a PolySketch"}; }

} // namespace samara::desk
