// Compiled once for each back end with SAMARA_ARCH set to its name, and with what that processor has. Nothing of the
// standard library is called here: the linker could take a function that was compiled for one processor for all of
// them.
//
// Pairs of pixels of one displacement are a plane (samara/kernel/cntk.hpp). Its rows go through the layers one after
// the other: as soon as a layer has the rows of a window, the next makes a row of them. So a ring of rows a layer is
// all that is kept, which stays in the nearest cache.
#include "ports/host/training/cntk_lanes.hpp"

#if defined(__AVX__)
#include <immintrin.h>
#endif

namespace samara::desk::SAMARA_ARCH {

namespace {

constexpr double pi = 3.14159265358979323846;

// Where there are no registers of this size the compiler takes several.
typedef double V __attribute__((vector_size(64), may_alias));

#define SAMARA_DESK_INLINE [[gnu::always_inline]] inline

SAMARA_DESK_INLINE void take_root(V& v)
{
#if defined(__AVX512F__)
    v = reinterpret_cast<V>(_mm512_sqrt_pd(reinterpret_cast<__m512d>(v)));
#elif defined(__AVX__)
    auto* halves = reinterpret_cast<__m256d*>(&v);
    halves[0] = _mm256_sqrt_pd(halves[0]);
    halves[1] = _mm256_sqrt_pd(halves[1]);
#else
    for (std::size_t k = 0; k < cntk_lanes; ++k)
        v[k] = __builtin_sqrt(v[k]);
#endif
}

// With v = 1 - |a| and w = sqrt(1 + |a|), |a| from 0 to 1:
//   k0(|a|) = 1 - sqrt(v) A,        A = acos(1 - v) / (pi sqrt(v)),
//   k1(|a|) = |a| + v sqrt(v) B = |a| k0(|a|) + sqrt(v) w / pi,   k0(-a) = 1 - k0(a),   k1(-a) = k1(a) - a.
// As functions of v, A and B have their next singularity at v = 2; as a function of w, A has it at w = -sqrt(2), so
// that a shorter polynomial does. These interpolate at Chebyshev's points of v in [0, 1] and of w in [1, sqrt(2)], what
// they interpolate being summed by its series at v = 0 in long double. Relative errors: 9e-12, 4e-12 and 6e-12.
constexpr double a_polynomial[] = {
    0x1.ccf6429bdbdbcp-2,   0x1.334ed77128ea2p-5,  0x1.14937bb429f3fp-7,  0x1.4956427cf0ea3p-9,
    0x1.bd3380b28b771p-11,  0x1.6a922017ff665p-12, 0x1.f640c9ea49555p-17, 0x1.2e09d308708p-12,
    -0x1.562a8e77492abp-12, 0x1.56cbd2a265aabp-12, -0x1.5e6c2eaddp-13,    0x1.72412cc38p-15,
};
constexpr double a_by_root[] = {
    0x1.69cada67e8efcp-1, -0x1.4250f128576aap-2, 0x1.51db1f258e27ap-3, -0x1.51f3985bb2488p-4,
    0x1.18e6994595d1fp-5, -0x1.55e51847e012ep-7, 0x1.05b2bd6c472fp-9,  -0x1.73e82549fdfb9p-13,
};
constexpr double b_polynomial[] = {
    0x1.334ed7129df1ep-2,  0x1.ebb1579a328c5p-7,  0x1.3c16e59301fdep-9,  0x1.24991295da927p-11,
    0x1.48500b6be95c6p-13, 0x1.6b5c87e25f05dp-15, 0x1.fd361be565d17p-16, -0x1.37e385c09f45dp-16,
    0x1.d9462f347745dp-16, -0x1.fff746c5p-17,     0x1.4b5e80045d174p-18,
};

// Several places at a time, operation by operation: that of one place waits for the one before it, and a processor
// looks ahead over no more than a few places.
template <std::size_t places>
struct Block {
    V of[places];
};

template <std::size_t places, std::size_t n>
SAMARA_DESK_INLINE void horner(const double (&polynomial)[n], const Block<places>& at, Block<places>& value)
{
    for (std::size_t p = 0; p < places; ++p)
        value.of[p] = at.of[p] * polynomial[n - 1] + polynomial[n - 2];
    for (std::size_t k = n - 2; k-- > 0;)
        for (std::size_t p = 0; p < places; ++p)
            value.of[p] = value.of[p] * at.of[p] + polynomial[k];
}

// k0 over q^2, `over` being 1/q^2, and k1 of a cosine, whichever are asked for. Only those of the first layer can be
// negative. A root takes as long as fifteen other operations, and goes on beside them: w pays where both are made.
template <bool with_step, bool with_relu, bool can_be_negative, std::size_t places>
SAMARA_DESK_INLINE void activate(const Block<places>& cosine, double over, Block<places>& step, Block<places>& relu)
{
    const V zero{};
    Block<places> size, v, root, w, polynomial;
    for (std::size_t p = 0; p < places; ++p) {
        size.of[p] = can_be_negative ? (cosine.of[p] < zero ? -cosine.of[p] : cosine.of[p]) : cosine.of[p];
        v.of[p] = 1.0 - size.of[p];
        v.of[p] = v.of[p] > 0x1p-48 ? v.of[p] : zero; // as the core does: equal windows have the cosine 1
    }
    for (std::size_t p = 0; p < places; ++p) {
        if constexpr (with_step && with_relu) {
            w.of[p] = 1.0 + size.of[p];
            take_root(w.of[p]);
        }
        root.of[p] = v.of[p];
        take_root(root.of[p]);
    }
    if constexpr (with_step) {
        if constexpr (with_relu)
            horner(a_by_root, w, polynomial);
        else
            horner(a_polynomial, v, polynomial);
        for (std::size_t p = 0; p < places; ++p) {
            const V lacking = root.of[p] * polynomial.of[p];
            step.of[p] = over - over * lacking;
            if constexpr (with_relu)
                relu.of[p] = (size.of[p] - size.of[p] * lacking) + (root.of[p] * w.of[p]) * (1.0 / pi);
            if constexpr (can_be_negative) {
                step.of[p] = cosine.of[p] < zero ? over * lacking : step.of[p];
                if constexpr (with_relu)
                    relu.of[p] = cosine.of[p] < zero ? relu.of[p] - size.of[p] : relu.of[p];
            }
        }
    } else {
        horner(b_polynomial, v, polynomial);
        for (std::size_t p = 0; p < places; ++p) {
            const V linear = can_be_negative ? (cosine.of[p] < zero ? zero : size.of[p]) : size.of[p];
            relu.of[p] = (v.of[p] * root.of[p]) * polynomial.of[p] + linear;
        }
    }
}

// The pairs of one displacement, or of two that lie beside each other: where they begin in y and in z, and how many
// rows and columns of them there are. In y columns are counted on through the gap behind the row, and through the row
// again.
struct Plane {
    std::size_t row_of_y, row_of_z, column_of_y, column_of_z, height, width;
    std::size_t gap, gap_end; // places of no pair
};

std::size_t period_of_y(const CntkLanesTask& t) { return t.width + cntk_lanes_gap(t.width, t.patch); }
std::size_t stride_of_y(const CntkLanesTask& t) { return 2 * period_of_y(t); }

// What one layer reads and writes of one row of a plane.
struct Row {
    const CntkLanesTask& task;
    std::size_t width;
    std::size_t at_y, at_z;              // the row's first pixels
    double weight;                       // of the results
    std::size_t layer;                   // 0 for the one that makes G(1)
    const V *const *gammas, *const *pis; // the rows of the windows: three, or as many as lie in the plane
    const V *sums_of_gamma, *sums_of_pi; // sums over the windows, where these are not 3 x 3
    V *gamma, *pi;                       // what is made
    V* results;                          // to which the last layer adds
};

// Sums over windows of 3 x 3, one after the other along a row; places beyond the plane hold 0.
class SumsOfThree {
public:
    SAMARA_DESK_INLINE SumsOfThree(const V* const* rows, const V*)
        : above_(rows[0]), here_(rows[1]), below_(rows[2]), left_{}, middle_(above_[0] + here_[0] + below_[0])
    {}
    SAMARA_DESK_INLINE void next(std::size_t j, V& sum)
    {
        const V right = above_[j + 1] + here_[j + 1] + below_[j + 1];
        sum = left_ + middle_ + right;
        left_ = middle_;
        middle_ = right;
    }

private:
    const V *above_, *here_, *below_;
    V left_, middle_;
};

// Sums that sum_windows() has made.
class SumsOfMany {
public:
    SAMARA_DESK_INLINE SumsOfMany(const V* const*, const V* sums) : sums_(sums) {}
    SAMARA_DESK_INLINE void next(std::size_t j, V& sum) { sum = sums_[j]; }

private:
    const V* sums_;
};

void sum_windows(const V* const* rows, std::size_t count, std::size_t width, std::size_t reach, V* down, V* sums)
{
    for (std::size_t j = 0; j < width; ++j) {
        V sum{};
        for (std::size_t k = 0; k < count; ++k)
            sum += rows[k][j];
        down[j] = sum;
    }
    for (std::size_t j = 0; j < width; ++j) {
        V sum{};
        const std::size_t end = j + reach + 1 < width ? j + reach + 1 : width;
        for (std::size_t k = j > reach ? j - reach : 0; k < end; ++k)
            sum += down[k];
        sums[j] = sum;
    }
}

// Which sums of P the layer before has left: none, those of G as well, or its own.
enum class Before { none, gammas, own };

template <class Sums, Before before, bool can_be_negative, bool last, bool with_relu>
void layer_row(const Row& row)
{
    constexpr bool with_step = before != Before::none;
    const CntkLanesTask& t = row.task;
    const std::size_t in_y = row.layer * t.height * stride_of_y(t) + row.at_y,
                      in_z = row.layer * t.height * t.width + row.at_z;
    const double *roots_of_y = t.y.roots + in_y, *inverse_of_y = t.y.inverse_roots + in_y;
    const V* roots_of_z = reinterpret_cast<const V*>(t.z.roots + in_z);
    const V* inverse_of_z = reinterpret_cast<const V*>(t.z.inverse_roots + in_z);
    const double over = 1.0 / static_cast<double>(t.patch * t.patch);
    V* const gamma_row = row.gamma;
    V* const pi_row = row.pi;
    V* const results = row.results;
    const double weight = row.weight;
    Sums gammas(row.gammas, row.sums_of_gamma), pis(before == Before::own ? row.pis : row.gammas, row.sums_of_pi);
    const auto make = [&]<std::size_t places>(std::size_t first, Block<places> sum) __attribute__((always_inline))
    {
        Block<places> cosine, step, relu;
        for (std::size_t p = 0; p < places; ++p) {
            gammas.next(first + p, sum.of[p]);
            cosine.of[p] = sum.of[p] * (inverse_of_y[first + p] * inverse_of_z[first + p]);
        }
        activate<with_step, with_relu, can_be_negative>(cosine, over, step, relu);
        for (std::size_t p = 0; p < places; ++p) {
            const std::size_t j = first + p;
            V value{};
            if constexpr (with_relu) {
                value = relu.of[p] * (roots_of_y[j] * roots_of_z[j]);
                if constexpr (!last)
                    gamma_row[j] = value;
            }
            if constexpr (with_step) {
                if constexpr (before == Before::own)
                    pis.next(j, sum.of[p]);
                value += sum.of[p] * step.of[p];
                if constexpr (!last)
                    pi_row[j] = value;
            }
            if constexpr (last)
                results[j] += weight * value;
        }
    };
    constexpr std::size_t places = 4;
    std::size_t j = 0;
    for (; j + places <= row.width; j += places)
        make(j, Block<places>{});
    for (; j < row.width; ++j)
        make(j, Block<1>{});
}

using LayerRow = void (*)(const Row&);

template <class Sums>
LayerRow layer_for(const CntkLanesTask& t, std::size_t layer)
{
    if (layer == 0)
        return t.trained_ends ? layer_row<Sums, Before::gammas, true, false, true>
                              : layer_row<Sums, Before::none, true, false, true>;
    const bool own = layer > 1 || t.trained_ends;
    if (layer + 1 < t.depth)
        return own ? layer_row<Sums, Before::own, false, false, true>
                   : layer_row<Sums, Before::gammas, false, false, true>;
    if (t.trained_ends)
        return layer_row<Sums, Before::own, false, true, true>;
    return own ? layer_row<Sums, Before::own, false, true, false> : layer_row<Sums, Before::gammas, false, true, false>;
}

// The products of the pixels. `channels`: how many, or 0 where only the task knows.
template <std::size_t channels>
void product_row(const Row& row)
{
    const std::size_t count = channels > 0 ? channels : row.task.channels;
    const double* y = row.task.y.values + row.at_y * count;
    const V* z = reinterpret_cast<const V*>(row.task.z.values + row.at_z * count);
    V* const gamma = row.gamma;
    for (std::size_t j = 0; j < row.width; ++j) {
        V sum = y[j * count] * z[j * count];
        for (std::size_t c = 1; c < count; ++c)
            sum += y[j * count + c] * z[j * count + c];
        gamma[j] = sum;
    }
}

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
        products = t.channels == 1 ? product_row<1> : t.channels == 3 ? product_row<3> : product_row<0>;
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
        for (std::size_t i = 0; i < plane.height + reach * t.depth; ++i) {
            if (i < plane.height) {
                Row row = row_at(plane, i);
                row.gamma = gamma_row(0, i % ring);
                products(row);
                row.gamma[plane.width] = V{};
            }
            for (std::size_t h = 1; h <= t.depth; ++h)
                if (i >= reach * h && i - reach * h < plane.height)
                    make_row(plane, i - reach * h, h);
        }
        for (std::size_t j = 0; j < plane.width; ++j) {
            const std::size_t of_z = plane.column_of_z + j, of_y = (plane.column_of_y + j) % period_of_y(t);
            if ((j < plane.gap || j >= plane.gap_end) && t.cell_of_column[of_y] == t.cell_of_column[of_z])
                out += t.weight_of_column[of_y] * results[j];
        }
    }

    Row row_at(const Plane& plane, std::size_t i) const
    {
        return {.task = t,
                .width = plane.width,
                .at_y = (plane.row_of_y + i) * stride_of_y(t) + plane.column_of_y,
                .at_z = (plane.row_of_z + i) * t.width + plane.column_of_z,
                .weight = 1.0,
                .layer = 0,
                .gammas = nullptr,
                .pis = nullptr,
                .sums_of_gamma = sums,
                .sums_of_pi = sums + stride,
                .gamma = nullptr,
                .pi = nullptr,
                .results = results};
    }

    // Row i of layer h, from 1 on; the last is added to the results.
    void make_row(const Plane& plane, std::size_t i, std::size_t h)
    {
        const bool last = h == t.depth;
        double weight = 1.0;
        if (last) {
            const std::size_t of_y = plane.row_of_y + i, of_z = plane.row_of_z + i;
            if (t.cell_of_row[of_y] != t.cell_of_row[of_z])
                return;
            weight = t.weight_of_row[of_y];
        }
        const bool own = h > 2 || (h == 2 && t.trained_ends);
        const V* gammas[most_cntk_lanes_patch];
        const V* pis[most_cntk_lanes_patch];
        std::size_t count = 0;
        const std::size_t slot = i % ring, first = i > reach ? i - reach : 0,
                          end = i + reach + 1 < plane.height ? i + reach + 1 : plane.height;
        std::size_t other = slot + first < i ? slot + first + ring - i : slot + first - i;
        if (of_three && i == 0) {
            gammas[count] = zeros;
            pis[count++] = zeros;
        }
        for (std::size_t k = first; k < end; ++k, ++count, other = other + 1 < ring ? other + 1 : 0) {
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
        row.weight = weight;
        row.layer = h - 1;
        row.gammas = gammas;
        row.pis = pis;
        row.gamma = last ? nullptr : gamma_row(h, slot);
        row.pi = last ? nullptr : pi_row(h, slot);
        layers[h - 1](row);
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
    LayerRow products;
};

} // namespace

void cntk_lanes_kernel(const CntkLanesTask& task, Lanes& out)
{
    V sum;
    Pairs(task).kernel(sum);
    *reinterpret_cast<V*>(&out) = sum;
}

} // namespace samara::desk::SAMARA_ARCH
