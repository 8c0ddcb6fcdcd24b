// The results file of `uci`: a line a result, whole at any time, so that an interrupted run finds what there is.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <tuple>

#include "uci_protocol.hpp"

namespace samara::uci {

// What a result is of. The text is part of it: a method that has changed is computed anew.
struct Key {
    std::string set, method, text;
    std::uint64_t seed = 0;

    bool operator<(const Key& other) const
    {
        return std::tie(set, method, text, seed) < std::tie(other.set, other.method, other.text, other.seed);
    }
};

struct Result {
    Outcome outcome;
    double seconds = 0.0;
};

class Results {
public:
    // Reads the file or makes an empty one; BadInput names file and line.
    explicit Results(std::string path);

    const Result* find(const Key& key) const;
    // From any thread.
    void add(const Key& key, Result result);

private:
    void read();
    void write() const;

    std::string path_;
    std::map<Key, Result> all_;
    std::mutex writing_;
};

} // namespace samara::uci
