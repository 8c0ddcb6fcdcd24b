// The words of `samara train` for steps in place of solving.
#pragma once

#include "ports/host/commands/args.hpp"
#include "ports/host/training/gradient.hpp"
#include "ports/host/training/ridge.hpp"

namespace samara::desk {

// What would choose or judge by solving is refused beside --epochs, and so is what belongs to --epochs without it.
GradientSettings gradient_settings(const Arguments& arguments, const RidgeRequest& ridge);

} // namespace samara::desk
