#include "ports/host/training/compute.hpp"

#include <algorithm>
#include <cmath>
#include <span>
#include <stdexcept>
#include <string>
#include <variant>
#include <vector>

#include "ports/host/data/memory_limit.hpp"
#include "ports/host/text/error.hpp"
#include "ports/host/training/exact_cntk.hpp"
#include "ports/host/training/exact_local.hpp"
#include "ports/host/training/map_data.hpp"
#include "ports/host/training/map_twin.hpp"
#include "ports/host/training/threads.hpp"

namespace samara::desk {
namespace {

constexpr std::size_t batch_rows = 256;

std::span<const float> row_of(const MatrixF& matrix, std::size_t index) { return {matrix.row(index), matrix.cols}; }

template <class Spec>
void features_of_rows(const Spec& spec, const MapData& all_data, const MatrixF& x, MatrixF& z, std::size_t first,
                      std::size_t end)
{
    const auto data = all_data.of(spec);
    // Of floats, so that it is aligned as a workspace must be.
    std::vector<float> work((workspace_bytes(spec, data) + sizeof(float) - 1) / sizeof(float));
    const std::size_t count = end - first;
    const Status status = features(spec, data, {x.row(first), count * x.cols}, {z.row(first), count * z.cols}, count,
                                   std::as_writable_bytes(std::span<float>(work)));
    if (status == Status::overflow) {
        throw BadInput(std::string("features: found a row of which a power leaves the range of floats, expected ") +
                       MapTwin<Spec>::overflow_advice(spec));
    }
    if (status == Status::out_of_range) {
        throw BadInput("features: found a row with an input that is none of its categories, expected whole numbers "
                       "from 0 on, fewer than values= says");
    }
    if (status != Status::ok) {
        throw std::logic_error(std::string("features: ") + text(status));
    }
}

// A result that cannot fit is refused at once: many systems hand out memory that they do not have, and end the
// program when it is used.
template <typename T>
Matrix<T> matrix_that_fits(std::size_t rows, std::size_t cols)
{
    const double gigabytes = 1e-9 * static_cast<double>(rows) * static_cast<double>(cols) * sizeof(T);
    const double memory = 1e-9 * machine_memory();
    if (memory > 0.0 && gigabytes > memory) {
        throw BadInput("found a result of " + std::to_string(rows) + " rows and " + std::to_string(cols) +
                       " columns, which takes " + std::to_string(std::llround(gigabytes)) +
                       " GB, expected at most the " + std::to_string(std::llround(memory)) + " GB of this machine");
    }
    return Matrix<T>(rows, cols);
}

// Few rows must keep all threads busy too; a batch is only there for speed.
std::size_t batch_for(std::size_t rows, unsigned threads)
{
    return std::clamp<std::size_t>(rows / (std::size_t{4} * threads), 1, batch_rows);
}

} // namespace

MatrixF compute_features(const MapSpec& spec, const MatrixF& x, unsigned threads)
{
    return compute_features(spec, {}, x, threads);
}

MatrixF compute_features(const MapSpec& spec, const std::vector<std::uint16_t>& kept_rows, const MatrixF& x,
                         unsigned threads)
{
    const MapData data(spec, kept_rows);
    const std::size_t width =
        std::visit([&](const auto& s) { return std::size_t{feature_count(s, data.of(s))}; }, spec);
    auto z = matrix_that_fits<float>(x.rows, width);
    in_pieces(x.rows, batch_for(x.rows, threads), threads, "features", [&](std::size_t first, std::size_t end) {
        std::visit([&](const auto& s) { features_of_rows(s, data, x, z, first, end); }, spec);
    });
    return z;
}

MatrixF compute_sketches(const SketchSpec& spec, const MatrixF& x, unsigned threads)
{
    return std::visit(
        [&](const auto& s) {
            const auto width = [&] {
                if constexpr (requires { s.size; }) {
                    return s.size;
                } else {
                    return s.features;
                }
            }();
            auto z = matrix_that_fits<float>(x.rows, width);
            in_pieces(x.rows, batch_for(x.rows, threads), threads, "sketches", [&](std::size_t first, std::size_t end) {
                std::vector<float> work((workspace_bytes(s) + sizeof(float) - 1) / sizeof(float));
                auto bytes = std::as_writable_bytes(std::span<float>(work));
                TensorSketch tensor; // the FFT's tables are made once
                if constexpr (std::is_same_v<std::remove_cvref_t<decltype(s)>, TensorSketchSpec>) {
                    static_cast<void>(tensor.init(s, bytes));
                    bytes = bytes.subspan(TensorSketch::bytes(s));
                }
                for (std::size_t i = first; i < end; ++i) {
                    const std::span<float> row(z.row(i), z.cols);
                    Status status;
                    if constexpr (requires { s.left; }) {
                        status = sketch(s, row_of(x, i), row_of(x, i), row, bytes);
                    } else if constexpr (std::is_same_v<std::remove_cvref_t<decltype(s)>, TensorSketchSpec>) {
                        status = tensor.sketch(row_of(x, i), row, bytes);
                    } else {
                        status = sketch(s, row_of(x, i), row, bytes);
                    }
                    if (status == Status::overflow) {
                        throw BadInput("features: found a row of which a power leaves the range of floats, expected "
                                       "smaller inputs");
                    }
                    if (status != Status::ok) {
                        throw std::logic_error(std::string("sketches: ") + text(status));
                    }
                }
            });
            return z;
        },
        spec);
}

namespace {

template <class Spec>
double kernel_value(const Spec& spec, std::span<const float> x, std::span<const float> y, KernelKind kind)
{
    return kind == KernelKind::limit ? MapTwin<Spec>::limit(spec, x, y) : kernel(spec, x, y);
}

// All pairs of rows; of a matrix with itself each pair once. make() gives each thread's row a function of two rows.
template <class Make>
MatrixD all_pairs(const MatrixF& x, const MatrixF& y, unsigned threads, const Make& make)
{
    const bool same = &x == &y;
    auto k = matrix_that_fits<double>(x.rows, y.rows);
    // Row by row: the first have the most to do, and a piece of several would leave one thread with the rest.
    in_pieces(x.rows, 1, threads, "kernel", [&](std::size_t i, std::size_t) {
        auto value_of = make();
        for (std::size_t j = same ? i : 0; j < y.rows; ++j) {
            const double value = value_of(row_of(x, i), row_of(y, j));
            k.row(i)[j] = value;
            if (same) {
                k.row(j)[i] = value;
            }
        }
    });
    return k;
}

} // namespace

MatrixD kernel_matrix(const MapSpec& spec, const MatrixF& x, unsigned threads, KernelKind kind)
{
    return kernel_matrix(spec, x, x, threads, kind);
}

MatrixD kernel_matrix(const MapSpec& spec, const MatrixF& x, const MatrixF& y, unsigned threads, KernelKind kind)
{
    if (spec.skeleton) {
        return kernel_matrix(skeleton_of(*spec.skeleton), x, y, threads);
    }
    return std::visit(
        [&]<class Spec>(const Spec& s) -> MatrixD {
            if constexpr (DataSpec<Spec>) {
                throw std::logic_error("kernel: a map of skeletons has none");
            } else if constexpr (ImageSpec<Spec>) {
                return cntk_matrix(cntk_shape(s), x, y, threads);
            } else if constexpr (std::is_same_v<Spec, LocalArcCosSpec>) {
                return local_matrix(s, x, y, threads);
            } else if constexpr (!KernelSpec<Spec>) {
                throw BadInput(std::string(Map<Spec>::name) + ": found a map whose kernel has no closed form, expected "
                                                              "another one (local-arccos), or its features");
            } else {
                return all_pairs(x, y, threads, [&] {
                    return
                        [&](std::span<const float> a, std::span<const float> b) { return kernel_value(s, a, b, kind); };
                });
            }
        },
        spec);
}

MatrixD kernel_matrix(const Skeleton& skeleton, const MatrixF& x, const MatrixF& y, unsigned threads)
{
    return all_pairs(x, y, threads, [&] {
        return [&skeleton, values = std::vector<double>(skeleton.nodes())](std::span<const float> a,
                                                                           std::span<const float> b) mutable {
            double value = 0.0;
            if (const Status status = skeleton_kernel(skeleton, a, b, values, value); status != Status::ok) {
                throw std::logic_error(std::string("kernel: ") + text(status));
            }
            return value;
        };
    });
}

} // namespace samara::desk
