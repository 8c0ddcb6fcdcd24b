// How much memory the data of one file may take (--most-memory), so that a small file which claims or unpacks to
// gigabytes is an error in place of a machine that swaps.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace samara::desk {

// Bytes; half of the machine's memory as long as nothing else was said.
std::uint64_t most_memory();
void set_most_memory(std::uint64_t bytes);

// BadInput, which names the file, what was found in it, how much that takes and the limit.
void require_memory(const std::string& name, const std::string& found, double bytes);

// "1500000", "64M", "1.5GB": K, M, G and T are thousands of each other. BadInput with `name` for anything else.
std::uint64_t parse_bytes(std::string_view text, const std::string& name);

// "1.5 GB": short, for messages.
std::string bytes_text(double bytes);

// What the system says, or 0.
double machine_memory();

} // namespace samara::desk
