// Compiled once for each back end with SAMARA_ARCH set to its name, and with what that processor has. Nothing of the
// standard library is called here: the linker could take a function that was compiled for one processor for all of
// them.
//
// Pairs of pixels of one displacement are a plane (samara/kernel/cntk.hpp). Its rows go through the layers one after
// the other: as soon as a layer has the rows of a window, the next makes a row of them. So a ring of rows a layer is
// all that is kept, which stays in the nearest cache.
#include "ports/host/training/cntk_lanes.hpp"

#include "ports/host/training/cntk_layers.hpp"

namespace samara::desk::SAMARA_ARCH {

namespace {

// The pairs of one displacement, or of two that lie beside each other: where they begin in y and in z, and how many
// rows and columns of them there are. In y columns are counted on through the gap behind the row, and through the row
// again.
struct Plane {
    std::size_t row_of_y, row_of_z, column_of_y, column_of_z, height, width;
    std::size_t gap, gap_end; // places of no pair
};

class Pairs {
public:
    explicit Pairs(const CntkLanesTask& task)
        : t(task), reach(task.patch / 2), of_three(task.patch == 3), stride(task.width + 1),
          ring(task.patch < task.height ? task.patch : task.height), work(reinterpret_cast<V*>(task.work)),
          zeros(work + (2 * task.depth - 1) * ring * stride), down(zeros + stride), sums(down + stride),
          results(sums + 2 * stride)
    {
        for (std::size_t j = 0; j < stride; ++j)
            zeros[j] = V{};
        for (std::size_t h = 0; h < t.depth; ++h)
            layers[h] = of_three ? layer_for<SumsOfThree>(t, h) : layer_for<SumsOfMany>(t, h);
        of_channels = t.channels == 1 ? for_channels<1>(t) : t.channels == 3 ? for_channels<3>(t) : for_channels<0>(t);
    }

    void kernel(V& out)
    {
        out = V{};
        for (std::size_t i = 0; i < 2 * t.rows_apart + 1; ++i) {
            const std::size_t of_y = beyond(t.rows_apart, i), of_z = beyond(i, t.rows_apart);
            add_planes({.row_of_y = of_y,
                        .row_of_z = of_z,
                        .column_of_y = 0,
                        .column_of_z = 0,
                        .height = t.height - of_y - of_z,
                        .width = t.width,
                        .gap = t.width,
                        .gap_end = t.width},
                       out);
        }
    }

private:
    static std::size_t beyond(std::size_t a, std::size_t b) { return a > b ? a - b : 0; }

    // A row of the ring of what a layer leaves, 0 for the products; P has none of these.
    V* gamma_row(std::size_t layer, std::size_t slot) const { return work + (layer * ring + slot) * stride; }
    V* pi_row(std::size_t layer, std::size_t slot) const { return gamma_row(t.depth + layer - 1, slot); }

    // Of one displacement of rows. Beside the column j of z is column j + k of y, counted on: so the first width - k of
    // them are apart by k, then comes the gap, and the last are apart by period - k to the other side.
    void add_planes(Plane plane, V& out)
    {
        const std::size_t period = period_of_y(t);
        const bool joined = period - t.width == reach;
        for (std::size_t k = 0; k < period; ++k) {
            const bool left = k < t.width && k <= t.columns_apart;
            const bool right = period - k < t.width && period - k <= t.columns_apart;
            const std::size_t gap = beyond(t.width, k), gap_end = right ? period - k : t.width;
            if (left && right && joined) {
                plane.column_of_y = k;
                plane.column_of_z = 0;
                plane.width = t.width;
                plane.gap = gap;
                plane.gap_end = gap_end;
                add_plane(plane, out);
                continue;
            }
            if (left)
                add_part(plane, k, 0, gap, out);
            if (right)
                add_part(plane, 0, gap_end, t.width - gap_end, out);
        }
    }
    void add_part(Plane plane, std::size_t column_of_y, std::size_t column_of_z, std::size_t width, V& out)
    {
        plane.column_of_y = column_of_y;
        plane.column_of_z = column_of_z;
        plane.width = plane.gap = plane.gap_end = width;
        add_plane(plane, out);
    }

    void add_plane(const Plane& plane, V& out)
    {
        for (std::size_t j = 0; j < plane.width; ++j)
            results[j] = V{};
        for (std::size_t h = 0; h <= t.depth; ++h)
            slots[h] = 0;
        for (std::size_t i = 0; i < plane.height + reach * t.depth; ++i) {
            if (i < plane.height)
                make_products(plane, i);
            for (std::size_t h = 1; h <= t.depth; ++h)
                if (i >= reach * h && i - reach * h < plane.height)
                    make_row(plane, i - reach * h, h);
            if (i >= reach * t.depth)
                add_results(plane, i - reach * t.depth, out);
        }
    }

    // Behind the last of some rows of one cell, what they have left.
    void add_results(const Plane& plane, std::size_t i, V& out)
    {
        const std::size_t row = plane.row_of_y + i;
        if (i + 1 < plane.height && t.cell_of_row[row + 1] == t.cell_of_row[row])
            return;
        const std::size_t period = period_of_y(t);
        V sum{};
        for (std::size_t j = 0; j < plane.width; ++j) {
            const std::size_t of_z = plane.column_of_z + j, on = plane.column_of_y + j,
                              of_y = on < period ? on : on - period;
            if ((j < plane.gap || j >= plane.gap_end) && t.cell_of_column[of_y] == t.cell_of_column[of_z])
                sum += t.weight_of_column[of_y] * results[j];
            results[j] = V{};
        }
        out += t.weight_of_row[row] * sum;
    }

    Row row_at(const Plane& plane, std::size_t i) const
    {
        return {.task = t,
                .width = plane.width,
                .at_y = (plane.row_of_y + i) * stride_of_y(t) + plane.column_of_y,
                .at_z = (plane.row_of_z + i) * t.width + plane.column_of_z,
                .layer = 0,
                .gammas = nullptr,
                .pis = nullptr,
                .sums_of_gamma = sums,
                .sums_of_pi = sums + stride,
                .products = nullptr,
                .gamma = nullptr,
                .pi = nullptr,
                .results = results};
    }

    // The slot of a layer's row that is made now; afterwards it is the turn of the next.
    std::size_t take_slot(std::size_t layer)
    {
        const std::size_t slot = slots[layer];
        slots[layer] = slot + 1 < ring ? slot + 1 : 0;
        return slot;
    }

    void make_products(const Plane& plane, std::size_t i)
    {
        products = gamma_row(0, take_slot(0));
        products[plane.width] = V{};
        if (of_three && i > 0)
            return; // the first layer makes them
        Row row = row_at(plane, i);
        row.gamma = products;
        of_channels.products(row);
    }

    // Row i of layer h, from 1 on; the last is added to the results.
    void make_row(const Plane& plane, std::size_t i, std::size_t h)
    {
        const bool last = h == t.depth;
        const std::size_t slot = take_slot(h);
        if (last && t.cell_of_row[plane.row_of_y + i] != t.cell_of_row[plane.row_of_z + i])
            return;
        const bool own = h > 2 || (h == 2 && t.trained_ends);
        const V* gammas[most_cntk_lanes_patch];
        const V* pis[most_cntk_lanes_patch];
        std::size_t count = 0;
        const std::size_t before = i < reach ? i : reach,
                          rows = i + reach < plane.height ? before + reach + 1 : before + plane.height - i;
        std::size_t other = slot < before ? slot + ring - before : slot - before;
        if (of_three && i == 0) {
            gammas[count] = zeros;
            pis[count++] = zeros;
        }
        for (std::size_t k = 0; k < rows; ++k, ++count, other = other + 1 < ring ? other + 1 : 0) {
            gammas[count] = gamma_row(h - 1, other);
            pis[count] = own ? pi_row(h - 1, other) : zeros;
        }
        if (of_three && count < 3) {
            gammas[count] = zeros;
            pis[count] = zeros;
        }
        if (!of_three) {
            sum_windows(gammas, count, plane.width, reach, down, sums);
            if (own)
                sum_windows(pis, count, plane.width, reach, down, sums + stride);
        }
        Row row = row_at(plane, i);
        row.layer = h - 1;
        row.gammas = gammas;
        row.pis = pis;
        row.gamma = last ? nullptr : gamma_row(h, slot);
        row.pi = last ? nullptr : pi_row(h, slot);
        if (h == 1 && of_three && i + 1 < plane.height) {
            row.products = products;
            of_channels.with_products(row);
        } else {
            layers[h - 1](row);
        }
        if (last)
            return;
        // G is 0 in the gap by itself.
        row.gamma[plane.width] = row.pi[plane.width] = V{};
        for (std::size_t j = plane.gap; j < plane.gap_end; ++j)
            row.pi[j] = V{};
    }

    const CntkLanesTask& t;
    std::size_t reach;
    bool of_three;
    std::size_t stride, ring; // numbers of a row, rows of a ring
    V *work, *zeros, *down, *sums, *results;
    LayerRow layers[most_cntk_lanes_depth];
    std::size_t slots[most_cntk_lanes_depth + 1]; // of each layer's next row
    V* products = nullptr;                        // of the newest row of pixels
    OfChannels of_channels;
};

} // namespace

void cntk_lanes_kernel(const CntkLanesTask& task, Lanes& out)
{
    V sum;
    Pairs(task).kernel(sum);
    *reinterpret_cast<V*>(&out) = sum;
}

} // namespace samara::desk::SAMARA_ARCH
