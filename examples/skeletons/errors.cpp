// How far random features of skeletons are from their kernel, beside two other feature maps for the same kernel: the
// experiment of arXiv 1703.07872, Figure 3. Images are the middle 24 x 24 pixels; a pixel's value is an angle, a turn
// from 0 to 256, which the source leaves open.
//
//   shallow   exp((r - 1) / 4) of the mean of all pixels' circles, which is a Gaussian kernel: beside it rows of
//   normals deep      5 x 5 patches with stride 2 under the same, 4 x 4 with stride 2 under a relu, a relu of all;
//   beside it the
//             same where the lowest patches' kernels are Gaussian ones with rows of normals (the source's RFS+RR)
//
// and beside both, networks of the skeleton with random weights, as wide as there are features.
//
// Features are complex numbers, those of networks two real ones each; of those of circles the distinct ones are
// counted, drawn until there are so many.
#include <bit>
#include <cmath>
#include <cstdio>
#include <random>
#include <string>
#include <vector>

#include "examples/skeletons/network.hpp"
#include "examples/skeletons/plot.hpp"
#include "examples/skeletons/skeletons.hpp"
#include "ports/host/data/table_source.hpp"
#include "ports/host/skeleton/merged_features.hpp"
#include "ports/host/skeleton/skeleton_part.hpp"
#include "ports/host/skeleton/skeleton_text.hpp"
#include "ports/host/text/error.hpp"
#include "ports/host/training/blas.hpp"
#include "ports/host/training/compute.hpp"
#include "ports/host/training/dense.hpp"
#include "samara/skeleton/features.hpp"

namespace samara::examples {

namespace {

using namespace samara::desk;

constexpr std::size_t side = 24, full = 32, channels = 3, pixels = side * side * channels, images = 128;
constexpr double pi = 3.14159265358979323846;

struct Setting {
    const char* name;
    std::string of_circles, of_gaussians;
    std::size_t patch, stride; // of the Gaussian kernels' blocks
};

// The columns that the Gaussian kernels' blocks have: cosine and sine of each pixel's angle, patch after patch. The
// mean of n circles is 1 - |x - y|^2 / 2n of these, so exp((mean - 1) / 4) = exp(-|x - y|^2 / 8n).
MatrixF blocks_of(const MatrixF& x, std::size_t patch, std::size_t stride)
{
    const std::size_t places = (side - patch) / stride + 1, row = 2 * patch * channels;
    MatrixF blocks(x.rows, places * places * patch * row);
    for (std::size_t i = 0; i < x.rows; ++i) {
        float* out = blocks.row(i);
        for (std::size_t place = 0; place < places * places; ++place)
            for (std::size_t line = 0; line < patch; ++line)
                for (std::size_t k = 0; k < patch * channels; ++k) {
                    const std::size_t top = place / places * stride + line, left = place % places * stride;
                    const double angle = 2.0 * pi * static_cast<double>(x.row(i)[(top * side + left) * channels + k]);
                    *out++ = static_cast<float>(std::cos(angle));
                    *out++ = static_cast<float>(std::sin(angle));
                }
    }
    return blocks;
}

std::vector<Setting> settings()
{
    const auto gaussian = [](std::size_t patch) {
        return "columns=" + std::to_string(2 * patch * patch * channels) +
               " bandwidth=" + number_text(std::sqrt(4.0 * static_cast<double>(patch * patch * channels)));
    };
    const std::string image = "circle x height=24 width=24 channels=3 period=1\n";
    const std::string upper = "windows c of=b patch=4 stride=2 dual=relu\nnode d of=c dual=relu\n";
    return {
        {"shallow", image + "node a of=x dual=exp(0.25)\n", "gaussian a " + gaussian(24) + "\n", 24, 1},
        {"deep", image + "windows b of=x patch=5 stride=2 dual=exp(0.25)\n" + upper,
         "gaussian b height=10 width=10 " + gaussian(5) + "\n" + upper, 5, 2},
    };
}

struct Read {
    SkeletonPart part;
    Skeleton skeleton;
    explicit Read(const std::string& text)
        : part{.bytes = skeleton_from_text(text, "skeleton")}, skeleton(skeleton_of(part))
    {}
};

// The mean of the features' products, each as often as it was drawn.
MatrixD estimate(const Skeleton& skeleton, std::uint64_t seed, const MergedFeatures& merged, const MatrixF& x)
{
    const auto count = static_cast<std::uint32_t>(merged.indices.size());
    MatrixD z(x.rows, 2 * std::size_t{count});
    std::vector<float> real(count), imaginary(count);
    std::vector<std::uint32_t> work(skeleton_workspace_bytes(skeleton, count) / 4);
    for (std::size_t i = 0; i < x.rows; ++i) {
        const Status status = skeleton_features(skeleton, seed, merged.indices, {x.row(i), x.cols}, real, imaginary,
                                                std::as_writable_bytes(std::span(work)));
        if (status != Status::ok)
            throw BadInput(std::string("features: ") + text(status));
        for (std::uint32_t k = 0; k < count; ++k) {
            const double weight = std::sqrt(static_cast<double>(merged.counts[k]) / merged.draws);
            z.row(i)[2 * std::size_t{k}] = weight * static_cast<double>(real[k]);
            z.row(i)[2 * std::size_t{k} + 1] = weight * static_cast<double>(imaginary[k]);
        }
    }
    return multiply_transposed(z, z);
}

MergedFeatures first_of(std::uint32_t count)
{
    MergedFeatures all;
    all.draws = count;
    all.counts.assign(count, 1);
    for (std::uint32_t i = 0; i < count; ++i)
        all.indices.push_back(i);
    return all;
}

// Over all pairs of all repetitions.
struct Errors {
    double sum = 0, squares = 0, most = 0, count = 0;
    double k = 0, e = 0, kk = 0, ee = 0, ke = 0, draws = 0, repetitions = 0;

    void add(const MatrixD& exact, const MatrixD& estimated, std::uint32_t drawn)
    {
        draws += drawn;
        repetitions += 1.0;
        for (std::size_t i = 0; i < exact.values.size(); ++i) {
            const double a = exact.values[i], b = estimated.values[i], error = std::fabs(a - b);
            sum += error;
            squares += error * error;
            most = std::fmax(most, error);
            count += 1.0;
            k += a;
            e += b;
            kk += a * a;
            ee += b * b;
            ke += a * b;
        }
    }
    double mean() const { return sum / count; }
    double largest() const { return most; }
    double rms() const { return std::sqrt(squares / count); }
    double correlation() const { return (ke - k * e / count) / std::sqrt((kk - k * k / count) * (ee - e * e / count)); }
};

// One line of the table, and of the plots.
struct Line {
    std::string kernel, by;
    std::uint32_t count;
    Errors errors;
};

void print(const Line& line)
{
    const Errors& e = line.errors;
    std::printf("%-8s %-4s %6u %9.0f  %8.5f %8.5f %8.5f %9.6f\n", line.kernel.c_str(), line.by.c_str(), line.count,
                e.draws / e.repetitions, e.mean(), e.rms(), e.most, e.correlation());
    std::fflush(stdout);
}

// The middle of some images, from 0 to 1.
MatrixF batch_of(TableSource& table, std::uint64_t seed)
{
    std::mt19937_64 engine(seed);
    std::vector<float> image(table.cols());
    MatrixF x(images, pixels);
    for (std::size_t i = 0; i < images; ++i) {
        table.read(engine() % table.rows(), 1, image.data());
        for (std::size_t row = 0; row < side; ++row)
            for (std::size_t k = 0; k < side * channels; ++k)
                x.row(i)[row * side * channels + k] =
                    image[((row + (full - side) / 2) * full + (full - side) / 2) * channels + k] / 256.0f;
    }
    return x;
}

void plot_errors(const std::string& path, const std::vector<Line>& lines)
{
    struct Measure {
        const char* name;
        double (Errors::*value)() const;
        bool logarithmic;
    };
    const Measure measures[] = {{"mean absolute error", &Errors::mean, true},
                                {"RMS error", &Errors::rms, true},
                                {"largest error", &Errors::largest, true},
                                {"correlation", &Errors::correlation, false}};
    std::vector<Panel> panels;
    for (const char* kernel : {"shallow", "deep"})
        for (const Measure& measure : measures) {
            Panel panel{std::string(kernel) + ": " + measure.name, measure.logarithmic, {}};
            for (const char* by : {"RFS", "RR", "net"}) {
                Curve curve{std::string(kernel) == "deep" && std::string(by) == "RR" ? "RFS+RR" : by, {}};
                for (const Line& line : lines)
                    if (line.kernel == kernel && line.by == by)
                        curve.points.emplace_back(line.count, (line.errors.*measure.value)());
                panel.curves.push_back(curve);
            }
            panels.push_back(panel);
        }
    write_plot(path, panels, 4);
}

} // namespace

int draw_errors(const Job& job)
{
    constexpr std::uint32_t most = 8192, most_of_network = 1024;
    const auto table = open_table(job.images);
    if (table->cols() != full * full * channels || table->rows() < images)
        throw BadInput(job.images + ": found " + std::to_string(table->rows()) + " rows of " +
                       std::to_string(table->cols()) + " numbers, expected at least 128 of 3072");
    std::printf("%-8s %-4s %6s %9s  %8s %8s %8s %9s\n", "kernel", "by", "count", "draws", "mean", "rms", "max", "corr");
    bool ahead = true;
    std::vector<Line> lines;
    for (const Setting& setting : settings()) {
        const Read circles(setting.of_circles), gaussians(setting.of_gaussians);
        std::vector<MatrixF> batches;
        std::vector<MatrixD> exact;
        for (unsigned repetition = 0; repetition < job.repetitions; ++repetition) {
            batches.push_back(batch_of(*table, repetition));
            exact.push_back(kernel_matrix(circles.skeleton, batches.back(), batches.back(), job.threads));
        }
        for (std::uint32_t count = 256; count <= most; count *= 2) {
            Errors rfs, rr, net;
            for (unsigned repetition = 0; repetition < job.repetitions; ++repetition) {
                const MatrixF &x = batches[repetition], blocks = blocks_of(x, setting.patch, setting.stride);
                const MatrixD& k = exact[repetition];
                const std::uint64_t seed = 1000 + repetition;
                const MergedFeatures merged = merge_until(circles.skeleton, seed, count, 1u << 24);
                rfs.add(k, estimate(circles.skeleton, seed, merged, x), merged.draws);
                rr.add(k, estimate(gaussians.skeleton, seed, first_of(count), blocks), count);
                if (count <= most_of_network)
                    net.add(k, row_products(network_features(circles.skeleton, seed, 2 * count, x)), count);
            }
            lines.push_back({setting.name, "RFS", count, rfs});
            print(lines.back());
            lines.push_back({setting.name, "RR", count, rr});
            print(lines.back());
            if (count <= most_of_network) {
                lines.push_back({setting.name, "net", count, net});
                print(lines.back());
            }
            ahead = ahead && rfs.mean() < rr.mean() && rfs.rms() < rr.rms() && rfs.most < rr.most &&
                    rfs.correlation() > rr.correlation();
        }
    }
    plot_errors(job.out + "/figure3.svg", lines);
    std::printf("RFS %s of RR\n", ahead ? "is ahead everywhere" : "is not everywhere ahead");
    return ahead ? 0 : 1;
}

} // namespace samara::examples
