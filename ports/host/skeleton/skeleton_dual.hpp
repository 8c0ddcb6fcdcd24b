// Dual activations of skeletons as text: identity, relu, step, exp(a), series(c0;c1;...).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "samara/skeleton/build.hpp"

namespace samara::desk {

// `steps` gets those of a series, and must live as long as what is returned. BadInput, without a place, for anything
// that is none of them.
SkeletonActivation activation_of(const std::string& text, std::vector<std::uint32_t>& steps);

// "identity, relu, step, exp(a) or series(c0;c1;...)"
std::string dual_words();

} // namespace samara::desk
