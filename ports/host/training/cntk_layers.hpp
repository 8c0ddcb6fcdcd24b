// What the layers of the convolutional NTK make of one row of pairs of pixels. For cntk_lanes.cpp alone, which is
// compiled once for each back end.
#pragma once

#include "ports/host/training/cntk_activations.hpp"

namespace samara::desk::SAMARA_ARCH {

SAMARA_DESK_INLINE std::size_t period_of_y(const CntkLanesTask& t)
{
    return t.width + cntk_lanes_gap(t.width, t.patch);
}
SAMARA_DESK_INLINE std::size_t stride_of_y(const CntkLanesTask& t) { return 2 * period_of_y(t); }

// What one layer reads and writes of one row of a plane.
struct Row {
    const CntkLanesTask& task;
    std::size_t width;
    std::size_t at_y, at_z;              // the row's first pixels
    std::size_t layer;                   // 0 for the one that makes G(1)
    const V *const *gammas, *const *pis; // the rows of the windows: three, or as many as lie in the plane
    const V *sums_of_gamma, *sums_of_pi; // sums over the windows, where these are not 3 x 3
    V* products;                         // of the row below, where the first layer makes them on the way
    V *gamma, *pi;                       // what is made
    V* results;                          // to which the last layer adds
};

// Products of the pixels of one row. `channels`: how many, or 0 where only the task knows.
template <std::size_t channels>
class Products {
public:
    SAMARA_DESK_INLINE Products(const CntkLanesTask& t, std::size_t at_y, std::size_t at_z)
        : count_(channels > 0 ? channels : t.channels), y_(t.y.values + at_y * count_),
          z_(reinterpret_cast<const V*>(t.z.values + at_z * count_))
    {}
    SAMARA_DESK_INLINE void at(std::size_t j, V& sum) const
    {
        sum = y_[j * count_] * z_[j * count_];
        for (std::size_t c = 1; c < count_; ++c)
            sum += y_[j * count_ + c] * z_[j * count_ + c];
    }

private:
    std::size_t count_;
    const double* y_;
    const V* z_;
};

// Sums over windows of 3 x 3, one after the other along a row; places beyond the plane hold 0.
class SumsOfThree {
public:
    SAMARA_DESK_INLINE SumsOfThree(const Row&, const V* const* rows, const V*)
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

// The same of the pixels' products, of which those of the lowest row are made on the way and kept. Else they would be a
// loop that waits for memory; here there is enough to do meanwhile.
template <std::size_t channels>
class SumsOfNewProducts {
public:
    SAMARA_DESK_INLINE SumsOfNewProducts(const Row& row, const V* const* rows, const V*)
        : above_(rows[0]), here_(rows[1]), below_(row.products), width_(row.width),
          products_(row.task, row.at_y + stride_of_y(row.task), row.at_z + row.task.width), left_{}
    {
        column(0, middle_);
    }
    SAMARA_DESK_INLINE void next(std::size_t j, V& sum)
    {
        V right{};
        if (j + 1 < width_)
            column(j + 1, right);
        sum = left_ + middle_ + right;
        left_ = middle_;
        middle_ = right;
    }

private:
    SAMARA_DESK_INLINE void column(std::size_t j, V& sum)
    {
        V product;
        products_.at(j, product);
        below_[j] = product;
        sum = above_[j] + here_[j] + product;
    }

    const V *above_, *here_;
    V* below_;
    std::size_t width_;
    Products<channels> products_;
    V left_, middle_;
};

// Sums that sum_windows() has made.
class SumsOfMany {
public:
    SAMARA_DESK_INLINE SumsOfMany(const Row&, const V* const*, const V* sums) : sums_(sums) {}
    SAMARA_DESK_INLINE void next(std::size_t j, V& sum) { sum = sums_[j]; }

private:
    const V* sums_;
};

inline void sum_windows(const V* const* rows, std::size_t count, std::size_t width, std::size_t reach, V* down, V* sums)
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

template <class SumsOfGamma, class SumsOfPi, Before before, bool can_be_negative, bool last, bool with_relu>
void layer_row(const Row& row)
{
    constexpr bool with_step = before != Before::none;
    const CntkLanesTask& t = row.task;
    const std::size_t in_y = row.layer * t.height * stride_of_y(t) + row.at_y,
                      in_z = row.layer * t.height * t.width + row.at_z;
    const double *roots_of_y = t.y.roots + in_y, *inverse_of_y = t.y.inverse_roots + in_y;
    const V* roots_of_z = reinterpret_cast<const V*>(t.z.roots + in_z);
    const V* inverse_of_z = reinterpret_cast<const V*>(t.z.inverse_roots + in_z);
    V* const gamma_row = row.gamma;
    V* const pi_row = row.pi;
    V* const results = row.results;
    SumsOfGamma gammas(row, row.gammas, row.sums_of_gamma);
    SumsOfPi pis(row, before == Before::own ? row.pis : row.gammas, row.sums_of_pi);
    const auto make = [&]<std::size_t places>(std::size_t first, Places<places>) __attribute__((always_inline))
    {
        Block<places> sum, cosine, step, relu;
        for (std::size_t p = 0; p < places; ++p) {
            gammas.next(first + p, sum.of[p]);
            cosine.of[p] = sum.of[p] * (inverse_of_y[first + p] * inverse_of_z[first + p]);
        }
        activate<with_step, with_relu, can_be_negative>(cosine, step, relu);
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
                if constexpr (last)
                    value += results[j];
                (last ? results : pi_row)[j] = value + sum.of[p] * step.of[p];
            }
        }
    };
    constexpr std::size_t places = 4;
    const std::size_t width = row.width; // what is written might be the row's, for all that the compiler knows
    std::size_t j = 0;
    for (; j + places <= width; j += places)
        make(j, Places<places>{});
    for (; j < width; ++j)
        make(j, Places<1>{});
}

using LayerRow = void (*)(const Row&);

template <class SumsOfGamma, class SumsOfPi>
LayerRow first_layer(const CntkLanesTask& t)
{
    return t.trained_ends ? layer_row<SumsOfGamma, SumsOfPi, Before::gammas, true, false, true>
                          : layer_row<SumsOfGamma, SumsOfPi, Before::none, true, false, true>;
}

template <class Sums>
LayerRow layer_for(const CntkLanesTask& t, std::size_t layer)
{
    if (layer == 0)
        return first_layer<Sums, Sums>(t);
    const bool own = layer > 1 || t.trained_ends;
    if (layer + 1 < t.depth)
        return own ? layer_row<Sums, Sums, Before::own, false, false, true>
                   : layer_row<Sums, Sums, Before::gammas, false, false, true>;
    if (t.trained_ends)
        return layer_row<Sums, Sums, Before::own, false, true, true>;
    return own ? layer_row<Sums, Sums, Before::own, false, true, false>
               : layer_row<Sums, Sums, Before::gammas, false, true, false>;
}

template <std::size_t channels>
void product_row(const Row& row)
{
    const Products<channels> products(row.task, row.at_y, row.at_z);
    for (std::size_t j = 0; j < row.width; ++j)
        products.at(j, row.gamma[j]);
}

// The products of the pixels of a row, and the first layer that makes those of the row below.
struct OfChannels {
    LayerRow products, with_products;
};
template <std::size_t channels>
OfChannels for_channels(const CntkLanesTask& t)
{
    return {product_row<channels>, first_layer<SumsOfNewProducts<channels>, SumsOfThree>(t)};
}

} // namespace samara::desk::SAMARA_ARCH
