#include "examples/skeletons/network.hpp"

#include <bit>
#include <cmath>
#include <vector>

#include "ports/host/text/error.hpp"
#include "ports/host/training/blas.hpp"
#include "samara/stream.hpp"

namespace samara::examples {

namespace {

using desk::MatrixF;

constexpr double pi = 3.14159265358979323846;

float activation(const SkeletonGroup& g, float t)
{
    switch (g.dual()) {
    case SkeletonDual::relu:
        return t > 0.0f ? std::sqrt(2.0f) * t : 0.0f;
    case SkeletonDual::step:
        return t > 0.0f ? std::sqrt(2.0f) : 0.0f;
    case SkeletonDual::identity:
        return t;
    default:
        break;
    }
    // h_(j+1) = (t h_j - sqrt(j) h_(j-1)) / sqrt(j + 1)
    double sum = 0.0, before = 0.0, now = 1.0;
    for (std::uint32_t j = 0; j <= g.steps; ++j) {
        sum += std::sqrt(static_cast<double>(g.coefficient(j)) * 0x1p-32) * now;
        const double next = (static_cast<double>(t) * now - std::sqrt(static_cast<double>(j)) * before) /
                            std::sqrt(static_cast<double>(j) + 1.0);
        before = now;
        now = next;
    }
    return static_cast<float>(sum);
}

// The nodes that a node is made of.
std::vector<std::uint32_t> children(const Skeleton& skeleton, const SkeletonGroup& g, std::uint32_t node)
{
    std::vector<std::uint32_t> all;
    if (g.kind == SkeletonKind::windows) {
        const SkeletonGroup source = skeleton.group(g.source);
        for (std::uint32_t row = 0; row < g.patch_height; ++row)
            for (std::uint32_t k = 0; k < g.patch_width * source.channels; ++k) {
                const std::uint32_t top = node / g.width * g.stride_height + row,
                                    left = node % g.width * g.stride_width;
                all.push_back(source.first + (top * source.width + left) * source.channels + k);
            }
    } else {
        for (std::uint32_t i = 0; i < g.ranges; ++i)
            for (std::uint32_t k = 0; k < g.range(i).count; ++k)
                all.push_back(g.range(i).first + k);
    }
    return all;
}

// Cosine and sine of a circle's angle, for every row.
MatrixF circle(const SkeletonGroup& g, std::uint32_t node, const MatrixF& x)
{
    if (g.base() != SkeletonBase::circle)
        throw desk::BadInput("network: found a base that is no circle, expected circles alone");
    MatrixF out(x.rows, 2);
    const auto turns = static_cast<double>(std::bit_cast<float>(g.value));
    for (std::size_t i = 0; i < x.rows; ++i) {
        const double angle = 2.0 * pi * turns * static_cast<double>(x.row(i)[g.column + node]);
        out.row(i)[0] = static_cast<float>(std::cos(angle));
        out.row(i)[1] = static_cast<float>(std::sin(angle));
    }
    return out;
}

} // namespace

MatrixF network_features(const Skeleton& skeleton, std::uint64_t seed, std::uint32_t width, const MatrixF& x)
{
    std::vector<MatrixF> outputs;
    for (std::uint32_t i = 0; i < skeleton.groups(); ++i) {
        const SkeletonGroup g = skeleton.group(i);
        for (std::uint32_t node = 0; node < g.nodes(); ++node) {
            if (g.kind == SkeletonKind::base) {
                outputs.push_back(circle(g, node, x));
                continue;
            }
            const std::vector<std::uint32_t> parts = children(skeleton, g, node);
            std::size_t columns = 0;
            for (const std::uint32_t part : parts)
                columns += outputs[part].cols;
            MatrixF seen(x.rows, columns), weights(width, columns), out(x.rows, width);
            const float share = 1.0f / std::sqrt(static_cast<float>(parts.size()));
            for (std::size_t row = 0; row < x.rows; ++row) {
                float* to = seen.row(row);
                for (const std::uint32_t part : parts)
                    for (std::size_t k = 0; k < outputs[part].cols; ++k)
                        *to++ = share * outputs[part].row(row)[k];
            }
            fill_normals(stream_key(seed, Domain::user, g.first + node), weights.values);
            desk::multiply_transposed(seen, x.rows, weights, out);
            for (float& v : out.values)
                v = activation(g, v) / std::sqrt(static_cast<float>(width));
            outputs.push_back(std::move(out));
        }
    }
    return outputs.back();
}

} // namespace samara::examples
