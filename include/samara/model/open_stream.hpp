// Predictions of streams with a sealed model of the map local that arrives at run time: what FixedStream is for models
// that are known while compiling. No floating point is linked.
#pragma once

#include "samara/model/local_stream.hpp"
#include "samara/model/open_whole.hpp"

namespace samara {

// How an opened model is used. Memory or time: `form` as samara/map/engine/local_stream.hpp says it; filters are kept
// in the workspace, in 12 to 32 bytes each, or drawn anew whenever they are needed: a few hundred instructions for each
// filter, of a running stream as often as steps are given to them.
struct StreamChoice {
    std::uint32_t hop = 0; // 1 to the window; 0: the window
    StreamForm form = StreamForm::automatic;
    bool keep_filters = true;
    std::uint32_t together = 0; // steps that a running stream gives to its filters at a time; 0: 16 of series, one row
};

class LocalStream {
public:
    // Returns what WholePredictor<Local>::open() does, and unsupported_map also where the model scales each place of a
    // window by its own factor. The bytes must outlive this. A stream has to be started anew.
    Status open(std::span<const std::byte> bytes, const OpenRules& rules = {}) noexcept;

    const Model& model() const noexcept { return model_; }
    // Of a step: a sample's channels, or a row's pixels with their channels.
    std::uint32_t numbers() const noexcept;
    // Bytes of the workspace that a choice needs, which starts at a multiple of 4 bytes: stream_bytes() and the filters
    // that are kept. 0 before a model is open, and for a hop that is longer than the window. It draws all filters.
    std::size_t workspace_bytes(const StreamChoice& choice) const noexcept;

    // not_open; bad_spec for a hop that is longer than the window; misaligned or small_workspace. An earlier stream
    // goes on where the status is not ok. The workspace must outlive the stream.
    Status start(const StreamChoice& choice, std::span<std::byte> work) noexcept;

    // x: numbers() of uint8, int8 or int16; wrong_length where there are not so many, not_open before start().
    template <class Number, std::size_t extent>
    Status push(std::span<Number, extent> x) noexcept
    {
        return plan_.window == 0 ? Status::not_open : push_step(source(), state_, std::span<const Number>(x), work_);
    }
    // Whether the last step has completed a window that is to be answered.
    bool due() const noexcept { return state_.due(); }
    // The scores of the last window: model().outputs(). wrong_length where none is due, not_open before start().
    Status scores(std::span<std::int32_t> scores) const noexcept;
    // The same, and in `output` the class: the one with the largest score.
    Status predict(std::uint32_t& output, std::span<std::int32_t> scores) const noexcept
    {
        const Status status = this->scores(scores);
        if (status == Status::ok)
            output = best_of(scores);
        return status;
    }
    // The next step is the first one again.
    void reset() noexcept { state_ = {}; }

private:
    StreamSource source() const noexcept;
    StreamPlan plan_of(const StreamChoice& choice) const noexcept;
    static std::size_t bytes_of(const StreamPlan& plan, bool keep_filters) noexcept;

    Model model_;
    LocalModel local_;
    StreamPlan plan_;
    StreamState state_;
    std::span<std::byte> work_;
    const std::uint16_t* table_ = nullptr;
};

} // namespace samara
