// What can go wrong, as a value. The core never throws, aborts or prints.
#pragma once

// Below C++20; compilers whose C++20 was not finished yet say a number in between.
#if !defined(__cplusplus) || __cplusplus <= 201703L
#error "samara is a C++20 library: compile with -std=c++20 or later"
#endif

#include <cstdint>

namespace samara {

// A number keeps its meaning in all versions; samara.h has the same ones for C.
enum class [[nodiscard]] Status : std::uint8_t{
    ok,
    bad_spec,            // a field of the spec is out of range; check() names it
    wrong_length,        // an input, output or batch has not the length that the spec says
    not_finite,          // an input is infinite or not a number
    out_of_range,        // an input's magnitude is above 2^40, or a category is none
    small_workspace,     // the workspace is shorter than workspace_bytes() says
    misaligned,          // a workspace or model does not start at a multiple of 4 bytes
    unsupported_size,    // a transform of this length is not offered
    unsupported_map,     // the map is not among those linked in
    unsupported_simd,    // the back end is not in this build, or this processor cannot run it
    bad_environment,     // rounding, subnormals or precision are not IEEE's defaults
    not_a_model,         // the bytes do not begin as a sealed model does
    unsupported_version, // of a model or of a part of it: made by a newer library
    damaged_model,       // its sizes contradict each other, its CRC is wrong, or a number in it is not finite
    not_open,            // open() has not succeeded yet
    not_definite,        // a matrix to factor is not positive definite: try a larger ridge
    different_features,  // two states or a state and a model do not have the same features
    storage_failed,      // the storage's own function reported a failure
    no_checkpoint,       // neither slot holds a whole state, or a whole model
    overflow,            // a result left the range of floats
    different_spec,      // the state was made with another spec
    consumed,            // the sums were consumed by solve()
    wrong_application,   // the model is not of the input layout, or older than the version, that open() demands
    too_many_operations, // a prediction would cost more operations than open() allows
    not_verified,        // the caller's own check of the bytes, of a signature perhaps, refused them
    no_probabilities,    // the model does not say what makes probabilities of its scores
};

// A short lower-case sentence without a full stop; static storage.
const char* text(Status status) noexcept;

// What a spec's check found. If `status` is not ok: the name of the first field that is wrong, what was expected there
// (empty where the field's own range or choices say it), and, if one other number would be right, that number (else 0).
// All text is static.
struct [[nodiscard]] SpecReport {
    Status status = Status::ok;
    const char* field = "";
    const char* expected = "";
    std::uint64_t nearest = 0;

    constexpr explicit operator bool() const noexcept { return status == Status::ok; }
};

} // namespace samara
