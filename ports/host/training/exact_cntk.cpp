#include "ports/host/training/exact_cntk.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "ports/host/text/error.hpp"
#include "ports/host/training/cntk_lanes.hpp"
#include "ports/host/training/threads.hpp"

namespace samara::desk {
namespace {

constexpr double largest_input = 0x1p40;

void require_computable(const CntkShape& shape, const MatrixF& images)
{
    if (const SpecReport report = check(shape); !report) {
        throw BadInput(std::string("kernel: found a wrong ") + report.field + ", expected " + report.expected);
    }
    if (images.cols != cntk_inputs(shape)) {
        throw BadInput("kernel: found images of " + std::to_string(images.cols) + " numbers, expected " +
                       std::to_string(cntk_inputs(shape)));
    }
    for (std::size_t i = 0; i < images.values.size(); ++i) {
        if (!(std::abs(static_cast<double>(images.values[i])) <= largest_input)) {
            throw BadInput("kernel: found a number in image " + std::to_string(i / images.cols + 1) +
                           " that is not finite or beyond 2^40 in magnitude, expected none");
        }
    }
}

// Along one side of the images: which cell a row or column is of, and `all` over the square of the cell's length.
struct Cells {
    std::vector<std::uint32_t> of;
    std::vector<double> weight;

    Cells(std::uint32_t length, std::uint32_t cells, double all) : of(length), weight(length)
    {
        for (std::uint32_t i = 0; i < length; ++i) {
            of[i] = cntk_cell_of(i, cells, length);
            const double size = cntk_cell_first(of[i] + 1, cells, length) - cntk_cell_first(of[i], cells, length);
            weight[i] = all / (size * size);
        }
    }
};

// What the kernel reads of an image, CntkImages, as doubles one after the other.
class Prepared {
public:
    explicit Prepared(const CntkShape& shape)
        : shape_(shape), pixels_(std::size_t{shape.height} * shape.width), squares_(pixels_), sums_(pixels_)
    {}

    std::size_t size() const { return pixels_ * (shape_.channels + 2 * std::size_t{shape_.depth}); }

    template <class Number>
    CntkImages<Number> parts(const Number* all) const
    {
        const std::size_t places = sizeof(Number) == sizeof(Lanes) ? pixels_ : shape_.height * stride_of_one();
        const Number* roots = all + places * shape_.channels;
        return {.values = all, .roots = roots, .inverse_roots = roots + places * shape_.depth};
    }

    // The same with every row twice, each with a gap behind it.
    std::size_t size_of_one() const { return size() / shape_.width * stride_of_one(); }
    void repeat_rows(const double* all, double* one) const
    {
        const std::size_t gap = cntk_lanes_gap(shape_.width, shape_.patch);
        const auto repeat = [&](std::size_t numbers) {
            for (int time = 0; time < 2; ++time) {
                one = std::fill_n(std::copy_n(all, shape_.width * numbers, one), gap * numbers, 0.0);
            }
            all += shape_.width * numbers;
        };
        for (std::size_t i = 0; i < shape_.height; ++i) {
            repeat(shape_.channels);
        }
        for (std::size_t i = 0; i < 2 * std::size_t{shape_.depth} * shape_.height; ++i) {
            repeat(1);
        }
    }

    void prepare(const float* image, double* all)
    {
        std::copy_n(image, pixels_ * shape_.channels, all);
        for (std::size_t p = 0; p < pixels_; ++p) {
            double sum = 0.0;
            for (std::size_t c = 0; c < shape_.channels; ++c) {
                const double value = all[p * shape_.channels + c];
                sum += value * value;
            }
            squares_[p] = sum;
        }
        double* roots = all + pixels_ * shape_.channels;
        double* inverse_roots = roots + pixels_ * shape_.depth;
        for (std::uint32_t h = 0; h < shape_.depth; ++h) {
            sum_windows();
            for (std::size_t p = 0; p < pixels_; ++p) {
                const double root = std::sqrt(squares_[p]);
                *roots++ = root;
                *inverse_roots++ = root > 0.0 ? 1.0 / root : 0.0;
            }
        }
    }

private:
    std::size_t stride_of_one() const { return 2 * (shape_.width + cntk_lanes_gap(shape_.width, shape_.patch)); }

    void sum_windows()
    {
        const std::size_t reach = shape_.patch / 2, height = shape_.height, width = shape_.width;
        for (std::size_t i = 0; i < height; ++i) {
            const std::size_t end = std::min(height, i + reach + 1);
            for (std::size_t j = 0; j < width; ++j) {
                double sum = 0.0;
                for (std::size_t k = i > reach ? i - reach : 0; k < end; ++k) {
                    sum += squares_[k * width + j];
                }
                sums_[i * width + j] = sum;
            }
        }
        for (std::size_t i = 0; i < height; ++i) {
            for (std::size_t j = 0; j < width; ++j) {
                double sum = 0.0;
                const std::size_t end = std::min(width, j + reach + 1);
                for (std::size_t k = j > reach ? j - reach : 0; k < end; ++k) {
                    sum += sums_[i * width + k];
                }
                squares_[i * width + j] = sum;
            }
        }
    }

    const CntkShape& shape_;
    std::size_t pixels_;
    std::vector<double> squares_, sums_;
};

class Tiles {
public:
    Tiles(const CntkShape& shape, const MatrixF& x, const MatrixF& y, unsigned threads)
        : shape_(shape), x_(x), y_(y), rows_(shape.height, shape.cells_high, 1.0),
          columns_(shape.width, shape.cells_wide, std::pow(shape.patch, -2.0 * shape.depth)),
          kernel_(chosen_cntk_lanes()), result_(x.rows, y.rows)
    {
        // Preparing the images is a small part of the work of a large tile; many tiles keep all threads busy to the
        // end.
        while (side_ > cntk_lanes && down() * across() < std::size_t{16} * threads) {
            side_ /= 2;
        }
        in_pieces(down() * across(), 1, threads, "kernel", [this](std::size_t tile, std::size_t) {
            if (!(same() && tile / across() > tile % across())) {
                compute(tile / across() * side_, tile % across() * side_);
            }
        });
    }

    MatrixD& result() { return result_; }

private:
    // Of equal matrices each pair is computed once.
    bool same() const { return &x_ == &y_; }
    std::size_t down() const { return (x_.rows + side_ - 1) / side_; }
    std::size_t across() const { return (y_.rows + side_ - 1) / side_; }

    void compute(std::size_t first_x, std::size_t first_y)
    {
        const std::size_t end_x = std::min(x_.rows, first_x + side_), end_y = std::min(y_.rows, first_y + side_);
        Prepared prepared(shape_);
        std::vector<double> ones((end_x - first_x) * prepared.size_of_one()), one(prepared.size());
        std::vector<Lanes> eight(prepared.size());
        std::vector<Lanes> work(cntk_lanes_work(shape_.height, shape_.width, shape_.patch, shape_.depth));
        for (std::size_t i = first_x; i < end_x; ++i) {
            prepared.prepare(x_.row(i), one.data());
            prepared.repeat_rows(one.data(), ones.data() + (i - first_x) * prepared.size_of_one());
        }
        CntkLanesTask task = task_of(work);
        task.z = prepared.parts(eight.data());
        for (std::size_t j = first_y; j < end_y; j += cntk_lanes) {
            const std::size_t end = std::min(j + cntk_lanes, end_y);
            for (std::size_t lane = 0; lane < cntk_lanes; ++lane) {
                // Lanes that are left over repeat the last image.
                if (j + lane < end) {
                    prepared.prepare(y_.row(j + lane), one.data());
                }
                for (std::size_t k = 0; k < one.size(); ++k) {
                    eight[k].of[lane] = one[k];
                }
            }
            for (std::size_t i = first_x; i < (same() ? std::min(end_x, end) : end_x); ++i) {
                task.y = prepared.parts<double>(ones.data() + (i - first_x) * prepared.size_of_one());
                Lanes values;
                kernel_(task, values);
                put(i, j, end, values);
            }
        }
    }

    CntkLanesTask task_of(std::vector<Lanes>& work) const
    {
        CntkLanesTask task;
        task.height = shape_.height;
        task.width = shape_.width;
        task.channels = shape_.channels;
        task.patch = shape_.patch;
        task.depth = shape_.depth;
        task.trained_ends = shape_.trained_ends;
        task.cell_of_row = rows_.of.data();
        task.cell_of_column = columns_.of.data();
        task.weight_of_row = rows_.weight.data();
        task.weight_of_column = columns_.weight.data();
        task.rows_apart = (shape_.height - 1) / shape_.cells_high;
        task.columns_apart = (shape_.width - 1) / shape_.cells_wide;
        task.work = work.data();
        return task;
    }

    void put(std::size_t i, std::size_t first, std::size_t end, const Lanes& values)
    {
        for (std::size_t j = first; j < end; ++j) {
            if (same() && j < i) {
                continue;
            }
            result_.row(i)[j] = values.of[j - first];
            if (same()) {
                result_.row(j)[i] = values.of[j - first];
            }
        }
    }

    CntkShape shape_;
    const MatrixF &x_, &y_;
    Cells rows_, columns_;
    CntkLanesKernel kernel_;
    std::size_t side_ = 64; // images on each side of a tile
    MatrixD result_;
};

} // namespace

MatrixD cntk_matrix(const CntkShape& shape, const MatrixF& x, const MatrixF& y, unsigned threads)
{
    require_computable(shape, x);
    if (&x != &y) {
        require_computable(shape, y);
    }
    // Few images in lanes would leave most lanes to waste.
    if (y.rows < cntk_lanes && y.rows < x.rows) {
        const MatrixD other = std::move(Tiles(shape, y, x, threads).result());
        MatrixD k(x.rows, y.rows);
        for (std::size_t i = 0; i < x.rows; ++i) {
            for (std::size_t j = 0; j < y.rows; ++j) {
                k.row(i)[j] = other.row(j)[i];
            }
        }
        return k;
    }
    return std::move(Tiles(shape, x, y, threads).result());
}

} // namespace samara::desk
