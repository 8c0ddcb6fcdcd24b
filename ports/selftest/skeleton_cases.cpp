// Skeletons over awkward inputs: features, and exact kernels.
#include "skeleton_cases.hpp"

#include "inputs.hpp"

namespace samara::selftest {

namespace {

constexpr std::uint32_t columns = 55, count = 60;
float inputs[sample_kinds * columns];
float real[count], imaginary[count];
double values[64];
alignas(4) std::byte bytes[512], memory[512];

// Every base but the categorical one, whose inputs are no awkward numbers; windows, a node of several groups, a relu.
bool mixed(Skeleton& out)
{
    constexpr std::uint32_t quarter = 0x3e800000u; // as a float
    constexpr std::uint32_t few[] = {0x40000000u, 0xc0000000u, 0xf0000000u};
    constexpr std::uint32_t more[] = {0x20000000u, 0x60000000u, 0xa0000000u};
    SkeletonBuilder build(bytes, 8);
    const std::uint32_t pixels = build.base(SkeletonBase::circle, {5, 4, 2}, 0, 1, quarter);
    build.base(SkeletonBase::binary, {}, 40);
    build.base(SkeletonBase::gaussian, {}, 41, 7, quarter);
    build.base(SkeletonBase::sphere, {}, 48, 3);
    build.base(SkeletonBase::sphere_uniform, {}, 51, 4);
    build.windows(pixels, {3, 2, 2, 1}, {SkeletonDual::series, few});
    const SkeletonGroup::Range all[] = {{40, 1}, {41, 1}, {42, 1}, {43, 1}, {44, 6}};
    build.node(build.node(all, {SkeletonDual::series, more}), {SkeletonDual::relu, {}});
    return build.finish(out);
}

} // namespace

void skeleton_cases(Report& report)
{
    Skeleton skeleton;
    if (!mixed(skeleton) || skeleton_workspace_bytes(skeleton, count) > sizeof memory || skeleton.nodes() > 64)
        return report.fail("skeleton", "the self-test's own skeleton is wrong");
    const auto sample = [](unsigned kind) { return std::span(inputs + kind * columns, columns); };
    std::uint32_t features = 0, kernels = 0;
    for (unsigned kind = 0; kind < sample_kinds; ++kind) {
        fill_sample(sample(kind), kind);
        const Status status =
            skeleton_features(skeleton, 0x123456789abcdef, 1000, sample(kind), real, imaginary, memory);
        if (status != Status::ok && status != Status::overflow)
            return report.fail("skeleton/features", "refused a sample");
        features = crc_of<float>(imaginary, crc_of<float>(real, features));
    }
    for (unsigned kind = 0; kind < sample_kinds; ++kind) {
        double kernel = 0.0;
        if (skeleton_kernel(skeleton, sample(0), sample(kind), values, kernel) != Status::ok)
            return report.fail("skeleton/kernel", "refused a pair");
        kernels = crc_of<double>({&kernel, 1}, kernels);
    }
    report.line("skeleton/features", features);
    report.line("skeleton/kernel", kernels);
}

} // namespace samara::selftest
