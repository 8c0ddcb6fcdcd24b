// Any bytes are safe to read as a skeleton, and what is one has nodes that can be found and a kernel.
#include "input.hpp"
#include <cmath>

#include "samara/skeleton/features.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    using namespace samara;
    using fuzz::require;
    // Exactly as long as the input, so that the sanitizer sees a byte too many.
    const auto* const first = reinterpret_cast<const std::byte*>(data);
    std::vector<std::byte> bytes(first, first + size);
    if (size >= 4) {
        const auto length = static_cast<std::uint32_t>(size);
        std::memcpy(bytes.data(), &length, 4);
    }
    Skeleton skeleton;
    if (!Skeleton::read(bytes, skeleton))
        return 0;
    std::uint32_t nodes = 0;
    for (std::uint32_t i = 0; i < skeleton.groups(); ++i) {
        const SkeletonGroup g = skeleton.group(i);
        require(g.first == nodes && g.nodes() >= 1 && g.depth <= most_skeleton_depth, "groups follow each other");
        nodes += g.nodes();
        require(skeleton.group_of(g.first) == i && skeleton.group_of(nodes - 1) == i, "a node's group is found");
        std::uint64_t all = 0;
        for (std::uint32_t j = 0; j <= g.steps && g.steps != 0; ++j)
            all += g.coefficient(j);
        require(g.steps == 0 || all == std::uint64_t{1} << 32, "a series adds up to 1");
    }
    require(nodes == skeleton.nodes(), "all nodes are counted");
    // Windows of many places over many nodes take long.
    if (nodes > 4096 || skeleton.inputs() > 4096)
        return 0;
    const std::vector<float> x(skeleton.inputs(), 0.75f), y(skeleton.inputs(), -0.25f), shorter(x.size() + 1);
    std::vector<double> values(nodes);
    double out = 0.0;
    require(skeleton_kernel(skeleton, x, y, values, out) == Status::ok, "what is read has a kernel");
    require(skeleton_kernel(skeleton, x, shorter, values, out) == Status::wrong_length, "lengths are checked");
    // What is expected to take long is left to the reader of cost().
    if (skeleton.cost() > 1000 * one_factor)
        return 0;
    constexpr std::uint32_t count = 3;
    std::vector<float> real(count), imaginary(count);
    std::vector<std::uint32_t> work(skeleton_workspace_bytes(skeleton, count) / 4);
    const Status status =
        skeleton_features(skeleton, size, 0, x, real, imaginary, std::as_writable_bytes(std::span(work)));
    require(status == Status::ok || status == Status::out_of_range || status == Status::overflow,
            "what is read has features");
    for (std::uint32_t i = 0; i < count; ++i)
        require(std::isfinite(real[i]) && std::isfinite(imaginary[i]), "features are finite");
    return 0;
}
