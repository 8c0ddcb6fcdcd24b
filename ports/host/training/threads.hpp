#pragma once

#include <cstddef>
#include <functional>
#include <string>

namespace samara::desk {

// Calls body(first, end) for consecutive pieces of [0, count) of at most `piece` each (1 or more), from as many as
// `threads` threads, of which the caller's is one. A progress line is named `label`; there is none where it is empty.
// What a call throws ends the work and is thrown here, the first of them if there are several.
void in_pieces(std::size_t count, std::size_t piece, unsigned threads, const std::string& label,
               const std::function<void(std::size_t first, std::size_t end)>& body);

} // namespace samara::desk
