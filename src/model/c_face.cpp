#include <new>

#include "samara/learn.hpp"
#include "samara/predictor.hpp"
#include "samara/samara.h"

namespace {

using samara::Sgd;
using samara::SgdSpec;
using samara::Status;
using AnyModel = samara::Predictor<samara::Rff, samara::ArcCos>;

constexpr std::size_t opaque_alignment = alignof(samara_model);
static_assert(sizeof(AnyModel) <= sizeof(samara_model) && alignof(AnyModel) <= opaque_alignment);
static_assert(sizeof(Sgd) <= sizeof(samara_learner) && alignof(Sgd) <= opaque_alignment);

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

const AnyModel& object_in(const samara_model* m) { return *std::launder(reinterpret_cast<const AnyModel*>(m->opaque)); }
Sgd& object_in(samara_learner* l) { return *std::launder(reinterpret_cast<Sgd*>(l->opaque)); }
const Sgd& object_in(const samara_learner* l) { return *std::launder(reinterpret_cast<const Sgd*>(l->opaque)); }

int number(Status status) { return static_cast<int>(status); }
std::span<std::byte> bytes(void* p, std::size_t n) { return {static_cast<std::byte*>(p), n}; }
std::span<const float> inputs(const samara_model* m, const float* x) { return {x, object_in(m).model().inputs()}; }
std::span<float> outputs(const samara_model* m, float* scores) { return {scores, object_in(m).model().outputs()}; }

// Makes features at the workspace's start; the rest of the workspace is the model's.
Status features(const samara_model* m, const float* x, void* work, std::size_t size, std::span<float>& z)
{
    const std::size_t count = object_in(m).model().features();
    if (size < samara_learner_workspace_bytes(m))
        return Status::small_workspace;
    z = {static_cast<float*>(work), count};
    return object_in(m).features(inputs(m, x), z, bytes(work, size).subspan(sizeof(float) * count));
}

SgdSpec sgd_spec(const samara_model* m, float rate)
{
    SgdSpec spec;
    spec.features = object_in(m).model().features();
    spec.outputs = object_in(m).model().outputs();
    spec.rate = rate;
    return spec;
}

} // namespace

extern "C" {

int samara_open(samara_model* model, const void* data, size_t size)
{
    AnyModel opened;
    const Status status = opened.open({static_cast<const std::byte*>(data), size});
    if (status == Status::ok)
        ::new (model->opaque) AnyModel(opened);
    return number(status);
}

uint32_t samara_inputs(const samara_model* model) { return object_in(model).model().inputs(); }
uint32_t samara_outputs(const samara_model* model) { return object_in(model).model().outputs(); }
uint32_t samara_features(const samara_model* model) { return object_in(model).model().features(); }
const char* samara_label(const samara_model* model, uint32_t output) { return object_in(model).model().label(output); }
size_t samara_workspace_bytes(const samara_model* model) { return object_in(model).workspace_bytes(); }

int samara_scores(const samara_model* model, const float* x, float* scores, void* work, size_t work_bytes)
{
    return number(object_in(model).scores(inputs(model, x), outputs(model, scores), bytes(work, work_bytes)));
}

int samara_predict(const samara_model* model, const float* x, uint32_t* output, float* scores, void* work,
                   size_t work_bytes)
{
    return number(object_in(model).predict(inputs(model, x), *output, outputs(model, scores), bytes(work, work_bytes)));
}

size_t samara_learner_state_bytes(const samara_model* model) { return samara::state_bytes(sgd_spec(model, 1.0f)); }
size_t samara_learner_workspace_bytes(const samara_model* model)
{
    return samara_workspace_bytes(model) + sizeof(float) * samara_features(model);
}

int samara_learner_start(samara_learner* learner, const samara_model* model, float rate, void* state,
                         size_t state_bytes)
{
    Sgd opened;
    Status status = opened.open(sgd_spec(model, rate), bytes(state, state_bytes));
    if (status == Status::ok)
        status = opened.start(object_in(model).model());
    if (status == Status::ok)
        ::new (learner->opaque) Sgd(opened);
    return number(status);
}

int samara_learner_resume(samara_learner* learner, const samara_model* model, float rate, void* state,
                          size_t state_bytes)
{
    Sgd opened;
    Status status = opened.resume(sgd_spec(model, rate), bytes(state, state_bytes));
    if (status == Status::ok && opened.features_id() != object_in(model).model().features_id())
        status = Status::different_features;
    if (status == Status::ok)
        ::new (learner->opaque) Sgd(opened);
    return number(status);
}

int samara_learn_class(samara_learner* learner, const samara_model* model, const float* x, uint32_t label, void* work,
                       size_t work_bytes)
{
    std::span<float> z;
    const Status status = features(model, x, work, work_bytes, z);
    return number(status == Status::ok ? object_in(learner).learn_class(z, label) : status);
}

int samara_learn_values(samara_learner* learner, const samara_model* model, const float* x, const float* targets,
                        void* work, size_t work_bytes)
{
    std::span<float> z;
    const Status status = features(model, x, work, work_bytes, z);
    return number(status == Status::ok ? object_in(learner).learn(z, {targets, samara_outputs(model)}) : status);
}

int samara_learner_predict(const samara_learner* learner, const samara_model* model, const float* x, uint32_t* output,
                           float* scores, void* work, size_t work_bytes)
{
    std::span<float> z;
    Status status = features(model, x, work, work_bytes, z);
    if (status == Status::ok)
        status = object_in(learner).scores(z, outputs(model, scores));
    if (status == Status::ok)
        *output = samara::best_of(outputs(model, scores));
    return number(status);
}

const char* samara_status_text(int status) { return samara::text(static_cast<Status>(status)); }
}
