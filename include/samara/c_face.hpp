// The functions of samara.h, for the maps that a program names. The library itself has them for those that it was built
// with (-Dmaps_in_c, all of them by default); a program that opens fewer, and links no code of others, has one C++ file
//
//   #include <samara/c_face.hpp>
//   SAMARA_C_FACE(samara::Only<samara::ArcCos, samara::kinds(samara::Rows::hadamard)>)
//
// which takes the library's place when it is linked before it.
#pragma once

#include <new>

#include "samara/learn.hpp"
#include "samara/predictor.hpp"
#include "samara/samara.h"

namespace samara {

template <class... Maps>
struct CFace {
    using AnyModel = Predictor<Maps...>;

    static_assert(sizeof(AnyModel) <= sizeof(samara_model));
    static_assert(alignof(AnyModel) <= alignof(samara_model));
    static_assert(sizeof(Sgd) <= sizeof(samara_learner));
    static_assert(alignof(Sgd) <= alignof(samara_learner));
    static_assert(state_bytes(SgdSpec{.features = 7, .outputs = 3}) == SAMARA_LEARNER_STATE_BYTES(7, 3));

    static const AnyModel& in(const samara_model* m)
    {
        return *std::launder(reinterpret_cast<const AnyModel*>(m->opaque));
    }
    static Sgd& in(samara_learner* l) { return *std::launder(reinterpret_cast<Sgd*>(l->opaque)); }
    static const Sgd& in(const samara_learner* l) { return *std::launder(reinterpret_cast<const Sgd*>(l->opaque)); }
    static int number(Status status) { return static_cast<int>(status); }
    static std::span<std::byte> bytes(void* p, std::size_t n) { return {static_cast<std::byte*>(p), n}; }
    static std::span<const float> inputs(const samara_model* m, const float* x) { return {x, in(m).model().inputs()}; }
    static std::span<float> outputs(const samara_model* m, float* scores) { return {scores, in(m).model().outputs()}; }

    static_assert(SAMARA_MOST_OPERATIONS == default_most_operations);

    static int open(samara_model* model, const void* data, std::size_t size)
    {
        AnyModel opened;
        const Status status = opened.open({static_cast<const std::byte*>(data), size});
        if (status == Status::ok)
            ::new (model->opaque) AnyModel(opened);
        return number(status);
    }
    static bool verified(void* rules, std::span<const std::byte> data) noexcept
    {
        const auto& r = *static_cast<const samara_open_rules*>(rules);
        return r.verify(r.context, data.data(), data.size()) != 0;
    }
    static int open_with(samara_model* model, const void* data, std::size_t size, const samara_open_rules* demanded)
    {
        samara_open_rules given{};
        if (demanded != nullptr)
            given = *demanded;
        OpenRules rules{.input_layout = given.input_layout, .least_version = given.least_version};
        if (given.most_operations != 0)
            rules.most_operations = given.most_operations;
        if (given.verify != nullptr) {
            rules.verify = verified;
            rules.context = &given;
        }
        AnyModel opened;
        const Status status = opened.open({static_cast<const std::byte*>(data), size}, rules);
        if (status == Status::ok)
            ::new (model->opaque) AnyModel(opened);
        return number(status);
    }
    static const void* application_data(const samara_model* m, std::size_t* size)
    {
        const std::span<const std::byte> data = in(m).model().application().data;
        *size = data.size();
        return data.empty() ? nullptr : data.data();
    }
    static int scores(const samara_model* m, const float* x, float* scores, void* work, std::size_t size)
    {
        return number(in(m).scores(inputs(m, x), outputs(m, scores), bytes(work, size)));
    }
    static int predict(const samara_model* m, const float* x, std::uint32_t* output, float* scores, void* work,
                       std::size_t size)
    {
        return number(in(m).predict(inputs(m, x), *output, outputs(m, scores), bytes(work, size)));
    }

    static int probabilities(const samara_model* m, const float* x, float* p, void* work, std::size_t size)
    {
        return number(in(m).probabilities(inputs(m, x), outputs(m, p), bytes(work, size)));
    }

    static std::size_t learner_bytes(const samara_model* m)
    {
        return in(m).workspace_bytes() + sizeof(float) * in(m).model().features();
    }
    // Makes features at the workspace's start; the rest of the workspace is the model's.
    static Status features(const samara_model* m, const float* x, void* work, std::size_t size, std::span<float>& z)
    {
        const std::size_t count = in(m).model().features();
        if (size < learner_bytes(m))
            return Status::small_workspace;
        z = {static_cast<float*>(work), count};
        return in(m).features(inputs(m, x), z, bytes(work, size).subspan(sizeof(float) * count));
    }
    static SgdSpec sgd_spec(const samara_model* m, float rate)
    {
        SgdSpec spec;
        spec.features = in(m).model().features();
        spec.outputs = in(m).model().outputs();
        spec.rate = rate;
        return spec;
    }
    static int start(samara_learner* learner, const samara_model* m, float rate, void* state, std::size_t size)
    {
        if (!in(m).model().is_open())
            return number(Status::not_open);
        Sgd opened;
        Status status = opened.open(sgd_spec(m, rate), bytes(state, size));
        if (status == Status::ok)
            status = opened.start(in(m).model());
        if (status == Status::ok)
            ::new (learner->opaque) Sgd(opened);
        return number(status);
    }
    static int resume(samara_learner* learner, const samara_model* m, float rate, void* state, std::size_t size)
    {
        if (!in(m).model().is_open())
            return number(Status::not_open);
        Sgd opened;
        Status status = opened.resume(sgd_spec(m, rate), bytes(state, size));
        if (status == Status::ok && opened.features_id() != in(m).model().features_id())
            status = Status::different_features;
        if (status == Status::ok)
            ::new (learner->opaque) Sgd(opened);
        return number(status);
    }
    static int learn_class(samara_learner* learner, const samara_model* m, const float* x, std::uint32_t label,
                           void* work, std::size_t size)
    {
        std::span<float> z;
        const Status status = features(m, x, work, size, z);
        return number(status == Status::ok ? in(learner).learn_class(z, label) : status);
    }
    static int learn_values(samara_learner* learner, const samara_model* m, const float* x, const float* targets,
                            void* work, std::size_t size)
    {
        std::span<float> z;
        const Status status = features(m, x, work, size, z);
        return number(status == Status::ok ? in(learner).learn(z, {targets, in(m).model().outputs()}) : status);
    }
    static int learner_predict(const samara_learner* learner, const samara_model* m, const float* x,
                               std::uint32_t* output, float* scores, void* work, std::size_t size)
    {
        std::span<float> z;
        Status status = features(m, x, work, size, z);
        if (status == Status::ok)
            status = in(learner).scores(z, outputs(m, scores));
        if (status == Status::ok)
            *output = best_of(outputs(m, scores));
        return number(status);
    }
};

} // namespace samara

// Defines every function of samara.h that depends on the maps. To be used once in a program, outside any namespace.
#define SAMARA_C_FACE(...)                                                                                             \
    extern "C" {                                                                                                       \
    int samara_open(samara_model* m, const void* data, size_t size)                                                    \
    {                                                                                                                  \
        return samara::CFace<__VA_ARGS__>::open(m, data, size);                                                        \
    }                                                                                                                  \
    int samara_open_with(samara_model* m, const void* data, size_t size, const samara_open_rules* rules)               \
    {                                                                                                                  \
        return samara::CFace<__VA_ARGS__>::open_with(m, data, size, rules);                                            \
    }                                                                                                                  \
    uint64_t samara_operations(const samara_model* m) { return samara::CFace<__VA_ARGS__>::in(m).operations(); }       \
    uint32_t samara_application_version(const samara_model* m)                                                         \
    {                                                                                                                  \
        return samara::CFace<__VA_ARGS__>::in(m).model().application().version;                                        \
    }                                                                                                                  \
    uint32_t samara_input_layout(const samara_model* m)                                                                \
    {                                                                                                                  \
        return samara::CFace<__VA_ARGS__>::in(m).model().application().input_layout;                                   \
    }                                                                                                                  \
    const void* samara_application_data(const samara_model* m, size_t* size)                                           \
    {                                                                                                                  \
        return samara::CFace<__VA_ARGS__>::application_data(m, size);                                                  \
    }                                                                                                                  \
    uint32_t samara_inputs(const samara_model* m) { return samara::CFace<__VA_ARGS__>::in(m).model().inputs(); }       \
    uint32_t samara_outputs(const samara_model* m) { return samara::CFace<__VA_ARGS__>::in(m).model().outputs(); }     \
    uint32_t samara_features(const samara_model* m) { return samara::CFace<__VA_ARGS__>::in(m).model().features(); }   \
    const char* samara_label(const samara_model* m, uint32_t output)                                                   \
    {                                                                                                                  \
        return samara::CFace<__VA_ARGS__>::in(m).model().label(output);                                                \
    }                                                                                                                  \
    size_t samara_workspace_bytes(const samara_model* m)                                                               \
    {                                                                                                                  \
        return samara::CFace<__VA_ARGS__>::in(m).workspace_bytes();                                                    \
    }                                                                                                                  \
    int samara_scores(const samara_model* m, const float* x, float* scores, void* work, size_t size)                   \
    {                                                                                                                  \
        return samara::CFace<__VA_ARGS__>::scores(m, x, scores, work, size);                                           \
    }                                                                                                                  \
    int samara_predict(const samara_model* m, const float* x, uint32_t* output, float* scores, void* work,             \
                       size_t size)                                                                                    \
    {                                                                                                                  \
        return samara::CFace<__VA_ARGS__>::predict(m, x, output, scores, work, size);                                  \
    }                                                                                                                  \
    int samara_probabilities(const samara_model* m, const float* x, float* p, void* work, size_t size)                 \
    {                                                                                                                  \
        return samara::CFace<__VA_ARGS__>::probabilities(m, x, p, work, size);                                         \
    }                                                                                                                  \
    size_t samara_learner_state_bytes(const samara_model* m)                                                           \
    {                                                                                                                  \
        return samara::state_bytes(samara::CFace<__VA_ARGS__>::sgd_spec(m, 1));                                        \
    }                                                                                                                  \
    size_t samara_learner_workspace_bytes(const samara_model* m)                                                       \
    {                                                                                                                  \
        return samara::CFace<__VA_ARGS__>::learner_bytes(m);                                                           \
    }                                                                                                                  \
    int samara_learner_start(samara_learner* l, const samara_model* m, float rate, void* state, size_t size)           \
    {                                                                                                                  \
        return samara::CFace<__VA_ARGS__>::start(l, m, rate, state, size);                                             \
    }                                                                                                                  \
    int samara_learner_resume(samara_learner* l, const samara_model* m, float rate, void* state, size_t size)          \
    {                                                                                                                  \
        return samara::CFace<__VA_ARGS__>::resume(l, m, rate, state, size);                                            \
    }                                                                                                                  \
    int samara_learn_class(samara_learner* l, const samara_model* m, const float* x, uint32_t label, void* work,       \
                           size_t size)                                                                                \
    {                                                                                                                  \
        return samara::CFace<__VA_ARGS__>::learn_class(l, m, x, label, work, size);                                    \
    }                                                                                                                  \
    int samara_learn_values(samara_learner* l, const samara_model* m, const float* x, const float* targets,            \
                            void* work, size_t size)                                                                   \
    {                                                                                                                  \
        return samara::CFace<__VA_ARGS__>::learn_values(l, m, x, targets, work, size);                                 \
    }                                                                                                                  \
    int samara_learner_predict(const samara_learner* l, const samara_model* m, const float* x, uint32_t* output,       \
                               float* scores, void* work, size_t size)                                                 \
    {                                                                                                                  \
        return samara::CFace<__VA_ARGS__>::learner_predict(l, m, x, output, scores, work, size);                       \
    }                                                                                                                  \
    }
