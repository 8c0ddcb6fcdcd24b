// Streams of opened models. See samara/model/open_stream.hpp.
#include "samara/model/open_stream.hpp"

namespace samara {

Status LocalStream::open(std::span<const std::byte> bytes, const OpenRules& rules) noexcept
{
    Model model;
    const Status status = model.open_by(rules, bytes, checks_of<Arithmetic::any, LocalSpec>);
    if (status != Status::ok)
        return status;
    LocalSpec spec;
    ChosenRows kept;
    const ModelLayout& m = model.layout();
    if (!model.get(spec, kept) || !is_whole(m.type) || !detail::scales_to_whole(m))
        return Status::unsupported_map;
    if (operations(spec, kept) + std::uint64_t{2} * m.outputs * m.features > rules.most_operations)
        return Status::too_many_operations;
    const std::byte* const p = model.bytes();
    WholeScaling scaling = detail::whole_scaling_of(p, m);
    if (!steps_scale_alike(Map<LocalSpec>::filters(spec).shape, scaling.length, scaling.run))
        return Status::unsupported_map;
    scaling.run = 0; // of a step
    local_ = detail::whole_model_of(spec, kept, scaling, p, m);
    model_ = model;
    plan_ = {};
    state_ = {};
    return Status::ok;
}

std::uint32_t LocalStream::numbers() const noexcept
{
    const LocalShape& shape = local_.rows.filters.shape;
    return !model_.is_open() ? 0 : shape.series ? shape.channels : shape.down();
}

StreamPlan LocalStream::plan_of(const StreamChoice& choice) const noexcept
{
    const LocalShape& shape = local_.rows.filters.shape;
    const std::uint32_t window = shape.series ? shape.width : shape.height, hop = choice.hop == 0 ? window : choice.hop;
    if (!model_.is_open() || hop > window)
        return {};
    return stream_plan(local_.rows.filters, model_.layout().features, hop, choice.form, choice.together,
                       detail::KeptNumbers(local_.kept));
}

std::size_t LocalStream::bytes_of(const StreamPlan& plan, bool keep_filters) noexcept
{
    const std::size_t bytes = plan.bytes, table = keep_filters ? piece_bytes(2 * std::size_t{plan.words}) : 0;
    return plan.window == 0 ? 0 : bytes <= SIZE_MAX - table ? bytes + table : SIZE_MAX;
}

std::size_t LocalStream::workspace_bytes(const StreamChoice& choice) const noexcept
{
    return bytes_of(plan_of(choice), choice.keep_filters);
}

Status LocalStream::start(const StreamChoice& choice, std::span<std::byte> work) noexcept
{
    if (!model_.is_open())
        return Status::not_open;
    const StreamPlan plan = plan_of(choice);
    if (plan.window == 0)
        return Status::bad_spec;
    if (!Bump(work).aligned())
        return Status::misaligned;
    if (work.size() < bytes_of(plan, choice.keep_filters))
        return Status::small_workspace;
    plan_ = plan;
    state_ = {};
    work_ = work.first(plan.bytes);
    table_ = nullptr;
    local_.add = detail::add_drawn;
    if (choice.keep_filters) {
        auto* const table = reinterpret_cast<std::uint16_t*>(work.data() + plan.bytes);
        const detail::KeptNumbers numbers(local_.kept);
        if (plan.running)
            stream_table(local_.rows.filters, plan, numbers, table);
        else
            write_local_table(local_.rows.filters, plan.features, numbers, table);
        table_ = table;
        local_.add = detail::add_of_table;
    }
    local_.table = table_;
    return Status::ok;
}

StreamSource LocalStream::source() const noexcept
{
    const bool kept = table_ != nullptr;
    return {.plan = plan_,
            .scaling = local_.scaling,
            .advance = !plan_.running ? nullptr
                       : kept         ? detail::advance_of_table
                                      : detail::advance_drawn,
            .table = table_,
            .drawn = &local_};
}

Status LocalStream::scores(std::span<std::int32_t> scores) const noexcept
{
    if (plan_.window == 0)
        return Status::not_open;
    const detail::AddStream add = !plan_.running      ? detail::of_window
                                  : table_ != nullptr ? detail::running_of_table
                                                      : detail::running_drawn;
    return stream_scores(local_, source(), state_, scores, work_, add);
}

} // namespace samara
