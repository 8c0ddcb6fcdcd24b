// Skeletons over awkward inputs: features, exact kernels, and the map.
#include "skeleton_cases.hpp"

#include "inputs.hpp"

namespace samara::selftest {

namespace {

constexpr std::uint32_t columns = 55, count = 60;
float inputs[sample_kinds * columns];
float real[count], imaginary[count];
double values[64];
alignas(4) std::byte bytes[640], memory[1100];

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

constexpr std::uint64_t seed = 0x123456789abcdef;
constexpr std::uint32_t rows = 70, listed = 66;
float features_of_map[2 * rows];

// Bases whose features have no imaginary part.
bool real_ones(Skeleton& out)
{
    constexpr std::uint32_t steps[] = {0x20000000u, 0x60000000u, 0xa0000000u};
    SkeletonBuilder build(bytes, 3);
    build.base(SkeletonBase::binary, {1, 1, 9}, 0);
    build.base(SkeletonBase::sphere_uniform, {}, 9, 4);
    const SkeletonGroup::Range all[] = {{0, 9}, {9, 1}};
    build.node(all, {SkeletonDual::series, steps});
    return build.finish(out);
}

// Behind the skeleton in `bytes` a list of features, of which one counts five times.
bool with_list(const Skeleton& skeleton, SkeletonData& out)
{
    std::byte* const list = bytes + skeleton.bytes().size();
    constexpr std::uint32_t size = SkeletonData::list_header_bytes + 4 * listed;
    if (skeleton.bytes().size() + size > sizeof bytes)
        return false;
    write_u16(list, 2);
    write_u16(list + 2, 2);
    write_u32(list + 4, listed + 4);
    for (std::uint32_t i = 0; i < listed; ++i) {
        write_u16(list + 8 + 2 * std::size_t{i}, 1000 + 7 * i);
        write_u16(list + 8 + 2 * std::size_t{listed + i}, i == 3 ? 5 : 1);
    }
    return SkeletonData::of(std::span(bytes).first(skeleton.bytes().size() + size), listed, out);
}

// The features of all samples.
bool add_map(const SkeletonData& data, SkeletonForm form, std::uint32_t& crc)
{
    const Skeleton skeleton = data.skeleton();
    const SkeletonSpec spec{.inputs = skeleton.inputs(),
                            .features = form == SkeletonForm::pair ? 2 * rows : rows,
                            .form = form,
                            .normals = skeleton_normals(skeleton),
                            .seed = seed};
    const std::span<float> z = std::span(features_of_map).first(feature_count(spec, data));
    for (unsigned kind = 0; kind < sample_kinds; ++kind) {
        const std::span<float> x = std::span(inputs).first(spec.inputs);
        fill_sample(x, kind);
        const Status status = features(spec, data, x, z, 1, memory);
        if (status != Status::ok && status != Status::overflow)
            return false;
        crc = crc_of<float>(z, crc);
    }
    return true;
}

void map_case(Report& report)
{
    Skeleton skeleton;
    SkeletonData list;
    std::uint32_t crc = 0;
    if (!mixed(skeleton) || !add_map(SkeletonData(skeleton), SkeletonForm::pair, crc) || !with_list(skeleton, list) ||
        !add_map(list, SkeletonForm::phase, crc) || !real_ones(skeleton) ||
        !add_map(SkeletonData(skeleton), SkeletonForm::real, crc))
        return report.fail("skeleton/map", "refused data or a sample");
    report.line("skeleton/map", crc);
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
        const Status status = skeleton_features(skeleton, seed, 1000, sample(kind), real, imaginary, memory);
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
    map_case(report);
}

} // namespace samara::selftest
