// The sealed model: bytes in flash that are used where they lie. SPEC.md, section 20, has their format.
//
// A model is a resolved spec (the seed inside), the map's data, what is done to the inputs, and a linear readout. Any
// byte string is safe to open: the CRC finds accidents, every field is checked as if it had been forged.
//
//   samara::Model model;
//   if (model.open(bytes) == samara::Status::ok) ...      // then a Predictor (predictor.hpp) computes with it
#pragma once

#include <cstring>

#include "samara/map.hpp"
#include "samara/memory.hpp"
#include "samara/model/layout.hpp"
#include "samara/readout.hpp"
#include "samara/status.hpp"

namespace samara {

// What a prediction may cost, in operations(), where a program does not say it. A desk computes so many in a few
// seconds, a Cortex-M4F at 100 MHz in about five minutes. What people run on boards is a thousand times below; a forged
// spec of a few bytes may ask for 2^60.
inline constexpr std::uint64_t default_most_operations = std::uint64_t{1} << 32;
inline constexpr std::uint64_t any_operations = ~std::uint64_t{0};

// What a program demands of a model beyond being whole.
struct OpenRules {
    std::uint64_t most_operations = default_most_operations; // of a prediction: too_many_operations above
    std::uint32_t input_layout = 0;                          // the only one that is taken; 0: any
    std::uint32_t least_version = 0;                         // of Application::version; 0: any. wrong_application else
    // Called with all of the bytes that open() is given before anything in them is read; not_verified unless it returns
    // true. For signatures: examples/signed.cpp.
    bool (*verify)(void* context, std::span<const std::byte> bytes) noexcept = nullptr;
    void* context = nullptr;
};

// A view of a model's bytes, which must outlive it.
class Model {
public:
    // Returns misaligned (bytes start at a multiple of 4), not_a_model, unsupported_version or damaged_model; then an
    // earlier model stays open. Reads every byte once. Bytes behind the model's end are ignored.
    Status open(std::span<const std::byte> bytes) noexcept;
    // The same with the caller's checks, so that a predictor links those of its own maps alone.
    [[gnu::cold]] Status open(std::span<const std::byte> bytes, const ModelChecks& checks) noexcept;
    // The same by rules, most_operations apart, because a model alone computes nothing: not_verified and
    // wrong_application too.
    [[gnu::cold]] Status open_by(const OpenRules& rules, std::span<const std::byte> bytes,
                                 const ModelChecks& checks) noexcept;

    bool is_open() const noexcept { return bytes_ != nullptr; }
    MapId map() const noexcept { return layout_.map; }
    ModelTask task() const noexcept { return layout_.task; }
    std::uint32_t inputs() const noexcept { return layout_.inputs; }
    std::uint32_t outputs() const noexcept { return layout_.outputs; }
    // How many features the readout has.
    std::uint32_t features() const noexcept { return layout_.features; }
    std::uint32_t total_bytes() const noexcept { return layout_.total; }
    // The map's resolved spec and data, if the model is of this map.
    template <Arithmetic arithmetic = Arithmetic::any, FeatureMapSpec Spec>
    bool get(Spec& spec, typename Map<Spec>::Data& data) const noexcept
    {
        return is_open() && spec_fits<Spec, arithmetic>(bytes_, layout_) == Status::ok &&
               read_spec<arithmetic>(bytes_ + layout_.spec.offset, spec) == Status::ok &&
               data_of<Spec, arithmetic>(bytes_, layout_, data);
    }

    // The rows that a map of rows keeps; all of them, where the model does not choose.
    ChosenRows chosen() const noexcept
    {
        ChosenRows rows;
        if (ChosenRows::reads(layout_.data_kind))
            static_cast<void>(ChosenRows::read(
                layout_.data_kind, {bytes_ + layout_.map_data.offset + 4, layout_.map_data.bytes - 4}, rows));
        return rows;
    }

    // What the model says to the application; lives with the bytes. Nothing while no model is open.
    Application application() const noexcept { return is_open() ? application_of(bytes_, layout_) : Application{}; }
    // What a Drift of confidence() begins with; bad_spec to open where the model does not say how sure it was.
    DriftSpec drift(float window = 64) const noexcept { return drift_of(application(), window); }

    // The name of a class or target; "" where the model names none. Ends with a zero; lives with the bytes.
    const char* label(std::uint32_t output) const noexcept;
    bool has_labels() const noexcept { return layout_.labels.bytes != 0; }

    // What training did to its inputs; a predictor needs room for a copy where there is any.
    template <Arithmetic arithmetic = Arithmetic::any>
    InputScaling scaling() const noexcept
    {
        return scaling_of<arithmetic>(bytes_, layout_);
    }
    bool scales_inputs() const noexcept { return layout_.scaling_steps != 0; }
    // Scales one input. x and out have inputs() floats, and out may be x.
    template <Arithmetic arithmetic = Arithmetic::any>
    void scale_input(const float* x, float* out) const noexcept
    {
        if (scales_inputs())
            scaling<arithmetic>().apply(inputs(), x, out);
        else if (x != out)
            std::memcpy(out, x, sizeof(float) * inputs());
    }

    // A view of the model's weights; of nothing while no model is open.
    Readout readout() const noexcept;
    ReadoutType readout_type() const noexcept { return layout_.type; }
    // What makes probabilities of the scores: softmax(scale * scores). 0: the model does not say.
    float probability_scale() const noexcept { return is_open() ? probability_scale_of(bytes_, layout_) : 0.0f; }
    // A number that is the same for models that have the same features; 0 while no model is open.
    std::uint32_t features_id() const noexcept { return is_open() ? samara::features_id(bytes_, layout_) : 0; }

    const std::byte* bytes() const noexcept { return bytes_; }
    const ModelLayout& layout() const noexcept { return layout_; }

private:
    const std::byte* bytes_ = nullptr;
    ModelLayout layout_;
};

} // namespace samara
