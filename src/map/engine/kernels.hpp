// The nonlinearities that make features of projections.
#pragma once

#include "map/engine/finish.hpp"
#include "simd/kernels.hpp"

namespace samara {

#define SAMARA_MAP_KERNELS(X)                                                                                          \
    X(void, finish_pair, (const FinishArgs& f))                                                                        \
    X(void, finish_pair_centred, (const FinishArgs& f))                                                                \
    X(void, finish_phase, (const FinishArgs& f))                                                                       \
    X(void, finish_relu, (const FinishArgs& f))                                                                        \
    X(void, finish_absolute, (const FinishArgs& f))                                                                    \
    X(void, finish_absolute_tail, (const FinishArgs& f))                                                               \
    X(void, finish_integer_relu, (const FinishArgs& f))                                                                \
    X(void, finish_integer_absolute, (const FinishArgs& f))                                                            \
    X(void, finish_step, (const FinishArgs& f))                                                                        \
    X(void, finish_sign, (const FinishArgs& f))                                                                        \
    X(void, finish_series, (const FinishArgs& f))                                                                      \
    X(void, finish_series_tail, (const FinishArgs& f))                                                                 \
    X(void, finish_series_rest, (const FinishArgs& f))
SAMARA_KERNELS(map, SAMARA_MAP_KERNELS)

} // namespace samara
