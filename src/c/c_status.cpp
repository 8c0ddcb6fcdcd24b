#include "samara/samara.h"
#include "samara/status.hpp"

namespace {

using samara::Status;

constexpr bool same(samara_status c, Status status) { return static_cast<Status>(c) == status; }
static_assert(same(SAMARA_OK, Status::ok));
static_assert(same(SAMARA_BAD_SPEC, Status::bad_spec));
static_assert(same(SAMARA_WRONG_LENGTH, Status::wrong_length));
static_assert(same(SAMARA_NOT_FINITE, Status::not_finite));
static_assert(same(SAMARA_OUT_OF_RANGE, Status::out_of_range));
static_assert(same(SAMARA_SMALL_WORKSPACE, Status::small_workspace));
static_assert(same(SAMARA_MISALIGNED, Status::misaligned));
static_assert(same(SAMARA_UNSUPPORTED_SIZE, Status::unsupported_size));
static_assert(same(SAMARA_UNSUPPORTED_MAP, Status::unsupported_map));
static_assert(same(SAMARA_UNSUPPORTED_SIMD, Status::unsupported_simd));
static_assert(same(SAMARA_BAD_ENVIRONMENT, Status::bad_environment));
static_assert(same(SAMARA_NOT_A_MODEL, Status::not_a_model));
static_assert(same(SAMARA_UNSUPPORTED_VERSION, Status::unsupported_version));
static_assert(same(SAMARA_DAMAGED_MODEL, Status::damaged_model));
static_assert(same(SAMARA_NOT_OPEN, Status::not_open));
static_assert(same(SAMARA_NOT_DEFINITE, Status::not_definite));
static_assert(same(SAMARA_DIFFERENT_FEATURES, Status::different_features));
static_assert(same(SAMARA_STORAGE_FAILED, Status::storage_failed));
static_assert(same(SAMARA_NO_CHECKPOINT, Status::no_checkpoint));
static_assert(same(SAMARA_OVERFLOW, Status::overflow));
static_assert(same(SAMARA_DIFFERENT_SPEC, Status::different_spec));
static_assert(same(SAMARA_CONSUMED, Status::consumed));
static_assert(same(SAMARA_WRONG_APPLICATION, Status::wrong_application));
static_assert(same(SAMARA_TOO_MANY_OPERATIONS, Status::too_many_operations));
static_assert(same(SAMARA_NOT_VERIFIED, Status::not_verified));
static_assert(same(SAMARA_NO_PROBABILITIES, Status::no_probabilities));

} // namespace

extern "C" const char* samara_status_text(int status)
{
    // Beyond the last one text() knows no name.
    const bool known = status >= 0 && status <= 255;
    return samara::text(known ? static_cast<Status>(status) : static_cast<Status>(255));
}
