// What a program demands of a model. A file of its own, so that programs without demands have none of it.
#include "samara/model.hpp"

namespace samara {

Status Model::open_by(const OpenRules& rules, std::span<const std::byte> bytes, const ModelChecks& checks) noexcept
{
    if (rules.verify != nullptr && !rules.verify(rules.context, bytes))
        return Status::not_verified;
    Model model;
    if (const Status status = model.open(bytes, checks); status != Status::ok)
        return status;
    const Application application = model.application();
    if (application.version < rules.least_version ||
        (rules.input_layout != 0 && application.input_layout != rules.input_layout))
        return Status::wrong_application;
    *this = model;
    return Status::ok;
}

} // namespace samara
