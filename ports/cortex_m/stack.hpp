#pragma once

#include <cstddef>

namespace samara::port {

/// Fills the part of the stack that is free now with a pattern.
void paint_stack();

/// The most bytes of stack that were in use at once since `paint_stack`, counted from the place where it
/// was called. A function that reserves space and writes none of it is not seen.
std::size_t worst_stack_use();

} // namespace samara::port
