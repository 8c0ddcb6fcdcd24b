// Text from outside, such as a label of somebody else's model or a file's name, as it may be shown: what could rewrite
// a terminal, or make a reader see other letters than there are, is spelt in hexadecimal.
#pragma once

#include <string>
#include <string_view>

namespace samara::desk {

// The same text with "\x1b" in place of a control character's or a stray byte's value, and "\u202e" in place of a
// character that turns the direction of writing, breaks the line or is nothing to see. All else stays, other scripts
// too.
std::string visible_text(std::string_view text);

// That between quotes, of the first 60 bytes: a broken file must not print a megabyte. Text from outside goes into a
// message only through here.
std::string quoted_text(std::string_view text);

} // namespace samara::desk
