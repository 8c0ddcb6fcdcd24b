// A skeleton of text, with the bytes that it is read from.
#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>
#include <vector>

#include "ports/host/skeleton/skeleton_text.hpp"
#include "samara/skeleton.hpp"

namespace samara::test {

struct ReadSkeleton {
    std::vector<std::byte> bytes;
    Skeleton skeleton;

    explicit ReadSkeleton(const std::string& text) : bytes(desk::skeleton_from_text(text, "net.txt"))
    {
        if (!Skeleton::read(bytes, skeleton))
            throw std::logic_error("what a text was made into is no skeleton");
    }
};

} // namespace samara::test
