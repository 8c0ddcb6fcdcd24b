// The library's version; version.h has it for the preprocessor and for C.
#pragma once

#include "samara/version.h"

namespace samara {

inline constexpr char version[] = SAMARA_VERSION;
inline constexpr int version_major = SAMARA_VERSION_MAJOR;
inline constexpr int version_minor = SAMARA_VERSION_MINOR;
inline constexpr int version_patch = SAMARA_VERSION_PATCH;

} // namespace samara
