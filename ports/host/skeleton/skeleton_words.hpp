// The keys of the map `skeleton` that say what its skeleton is: a file with its text, or a builder's words.
//
//   file=net.txt                          text as skeleton_text.hpp has it
//   base=circle,period=2,                 a base node for each input ...
//   height=24,width=24,channels=3,        ... of an image (or channels=, length= of a series; else in a row)
//   patch=5;4,stride=2,                   two convolutions
//   dual=exp(0.25);relu;relu              of each, and of the node that all of the last is in
//
// Without patch= the skeleton is fully connected: a node of all inputs, and one upon another for each further dual.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ports/host/data/augment.hpp"
#include "ports/host/skeleton/skeleton_part.hpp"

namespace samara::desk {

struct SkeletonKey {
    const char *name, *values, *fallback, *meaning;
};
const std::vector<SkeletonKey>& skeleton_keys();

class SkeletonWords {
public:
    SkeletonWords() = default;
    // Those of `given` that are skeleton_keys(). BadInput for a merge or draws that are none, and for words that do not
    // go together.
    explicit SkeletonWords(const std::vector<std::pair<std::string, std::string>>& given);

    bool has(const std::string& key) const { return words_.count(key) != 0; }
    // The file with the text, or "".
    std::string file() const { return has("file") ? words_.at("file") : ""; }
    bool merge() const { return merge_; }
    std::uint32_t draws() const { return draws_; }
    // "base=circle,period=2", in the order of skeleton_keys().
    std::string text() const;

    // The skeleton for data of so many columns, of which `path` is the name; row_shape is what a row was where it had
    // several dimensions. BadInput where they do not fit.
    SkeletonPart part(std::size_t columns, const std::vector<std::uint64_t>& row_shape, const std::string& path) const;
    // How a row's values lie, where the words or the data say so.
    std::optional<RowGrid> grid(std::size_t columns, const std::vector<std::uint64_t>& row_shape,
                                const std::string& path) const;
    // What a builder's words come to, as the text of a skeleton.
    std::string built(std::size_t columns, const std::vector<std::uint64_t>& row_shape, const std::string& path) const;

private:
    std::string get(const std::string& key, const std::string& otherwise) const;

    std::map<std::string, std::string> words_;
    bool merge_ = false;
    std::uint32_t draws_ = 0;
};

} // namespace samara::desk
