#include "samara/status.hpp"

namespace samara {

const char* text(Status status) noexcept
{
    switch (status) {
    case Status::ok:
        return "ok";
    case Status::bad_spec:
        return "a field of the spec is out of range";
    case Status::wrong_length:
        return "a length does not match the spec";
    case Status::not_finite:
        return "an input is not a finite number";
    case Status::out_of_range:
        return "an input's magnitude is above 2^40, or a category is none";
    case Status::small_workspace:
        return "the workspace is too small";
    case Status::misaligned:
        return "a buffer does not start at a multiple of 4 bytes";
    case Status::unsupported_size:
        return "this length is not supported";
    case Status::unsupported_map:
        return "this map is not linked in";
    case Status::unsupported_simd:
        return "this SIMD back end is not available";
    case Status::bad_environment:
        return "the floating-point environment is not IEEE's default";
    case Status::not_a_model:
        return "this is not a sealed model";
    case Status::unsupported_version:
        return "the model was made by a newer version";
    case Status::damaged_model:
        return "the model is damaged";
    case Status::not_open:
        return "nothing was opened yet";
    case Status::not_definite:
        return "the matrix is not positive definite; take a larger ridge";
    case Status::different_features:
        return "these have not the same features";
    case Status::storage_failed:
        return "the storage failed";
    case Status::no_checkpoint:
        return "no slot holds a whole state or model";
    case Status::overflow:
        return "a result left the range of floats";
    case Status::different_spec:
        return "the state was made with another spec";
    case Status::consumed:
        return "the sums were consumed by solve()";
    case Status::wrong_application:
        return "the model is of another input layout or too old for this application";
    case Status::too_many_operations:
        return "a prediction costs more operations than are allowed";
    case Status::no_probabilities:
        return "the model does not say what makes probabilities of its scores";
    case Status::not_verified:
        return "the bytes were not verified";
    }
    return "unknown status";
}

} // namespace samara
