// Whether the processor computes with two numbers of 16 bits in a word: Arm's M profile with the DSP extension.
#pragma once

#if defined(__ARM_FEATURE_SIMD32) && defined(__ARM_ARCH_PROFILE) && __ARM_ARCH_PROFILE == 'M'
#include <arm_acle.h>
#define SAMARA_PAIRS_OF_NUMBERS 1
#else
#define SAMARA_PAIRS_OF_NUMBERS 0
#endif
