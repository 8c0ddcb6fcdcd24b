// An image with one map in it, measured: its spec is all that the images differ in.
#pragma once

#include "measure.hpp"
#include "samara/fixed.hpp"

namespace samara::test {

template <auto spec>
inline Fixed<spec> map;
template <auto spec>
inline float z[spec.features];

template <auto spec>
bool one_sample(const float* x)
{
    return map<spec>.features(std::span<const float, spec.inputs>(x, spec.inputs), z<spec>) == Status::ok;
}

template <auto spec>
int measure_map()
{
    return measure(sizeof map<spec>, one_sample<spec>);
}

} // namespace samara::test
