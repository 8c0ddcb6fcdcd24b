#pragma once

#include <string>
#include <string_view>

namespace samara::desk {

// What a gzip file holds (RFC 1951 and 1952; several members one after the other are joined). Checks lengths and
// CRC-32; anything wrong is BadInput, where `name` stands for the file.
std::string gunzip(std::string_view bytes, const std::string& name);

} // namespace samara::desk
