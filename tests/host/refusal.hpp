// What a user is told where something is refused.
#pragma once

#include <string>

#include "ports/host/text/error.hpp"

namespace samara::desk::test {

// The sentence, or "accepted".
template <class Action>
std::string refusal(Action action)
{
    try {
        action();
    } catch (const BadInput& problem) {
        return problem.what();
    }
    return "accepted";
}

} // namespace samara::desk::test
