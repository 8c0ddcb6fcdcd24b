// What other libraries call the things that samara has by another name: for messages to those who know these words.
#pragma once

#include <string>
#include <string_view>

namespace samara::desk {

enum class WordKind { command, option, map, key, value };

struct KnownWord {
    std::string_view name;     // samara's, or nothing where it has no such thing
    std::string_view sentence; // what is to be said beside the name, or in its place

    explicit operator bool() const { return !name.empty() || !sentence.empty(); }
    // What follows the word in a message: ", which samara calls --ridge", or ": " and why there is no such thing.
    std::string text() const;
};

// What samara says for a word of somebody else's; nothing for a word that nobody uses. Capitals and the kind of dash do
// not matter. `of` is the map, of a key, and the key or the option, of a value.
KnownWord known_word(WordKind kind, std::string_view word, std::string_view of = {});

} // namespace samara::desk
