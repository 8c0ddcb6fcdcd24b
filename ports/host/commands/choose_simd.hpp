#pragma once

#include <cstdlib>
#include <string>

#include "samara/simd.hpp"

namespace samara::desk {

// Obeys the environment variable SAMARA_SIMD (scalar, sse2, avx2, avx512 or neon64; unset or empty: the best there is).
// Returns a sentence that says what is wrong, or nothing.
inline std::string choose_simd()
{
    const char* wish = std::getenv("SAMARA_SIMD");
    if (wish == nullptr || *wish == '\0')
        return {};
    for (const Simd simd : {Simd::scalar, Simd::sse2, Simd::avx2, Simd::avx512, Simd::neon64}) {
        if (std::string(wish) != name(simd))
            continue;
        if (use_simd(simd) == Status::ok)
            return {};
        return std::string("SAMARA_SIMD is ") + wish + ", which this build or this processor does not offer";
    }
    return std::string("SAMARA_SIMD is '") + wish + "', expected scalar, sse2, avx2, avx512 or neon64";
}

} // namespace samara::desk
