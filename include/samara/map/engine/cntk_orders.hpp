// Random features of the convolutional NTK with the low orders of every layer carried exactly: what is computed, sizes,
// memory and costs. SPEC.md, section 28.2, has every step.
//
// Each pixel has features of the kernels G(h) and E(h) = P(h-1) D(h) + G(h) of its layer (samara/kernel/cntk.hpp):
//
//   G: a constant k, the raw pixels in reach with the roots of the numbers of ways to them, and w random numbers tau
//   E: a constant eta, the raw pixels with weights, and w random numbers omega
//
// A layer sees the sum over its window: of the constants what they have in common, kappa, and the small deviations; of
// the raw pixels the wider reach; of tau and omega a convolution with filters of random signs whose part along
// (1, ..., 1) is exactly 1. With z = <row, rest> + kappa g a projection of all of it, k1 = 1/pi + s/2 + tail1 and k0 =
// 1/2 + s/pi + tail0 need random features of the tails alone: |z| - mu and sign z - mu z. P D has products: what is a
// multiple of a constant only changes weights; the rest is <row', rest of E> (sign z - mu kappa g) and chi (sign z -
// mu z). All random numbers are added, with signs, into tau, omega, and in the end into the features, so no share has
// to be chosen. Constants along the one direction that they have in a typical image, and raw pixels, stay exact;
// what is off that direction is small, is mixed and is added to the random numbers.
//
// Features of a cell: 2 constants, 3 numbers a channel (raw pixels, averaged), then the random ones.
//
// Rows are those of one Walsh-Hadamard transform of `inner` points over exact and random numbers together, of which w =
// inner - (exact numbers, padded to blocks of 64) are random. The bias of such rows falls like 1/inner; the first layer
// takes blocks of 64 points or more, three rounds.
//
// What is common to all pixels of an image varies most from seed to seed, because averages over pixels do not lower it.
// So the rows' normals along the constant, along the raw pixels' common colour and, in the first layer, along the
// window's mean, and the signs of what is added, walk evenly through their range, by multiples of roots of primes.
//
// What was tried (relative Frobenius error / that of the doubly centred Gram matrix; 30 images of 8 x 8 digits, of 16 x
// 16 x 3 normals, and of CIFAR-10 standardised by channel; depth 3, windows of 3 x 3, 2,048 features):
//
//                                                       digits         normals        CIFAR-10
//   transforms of twice as many points, w = features    .015 / .050
//   first layer: blocks of 16 points, equal norms       .016 / .051
//   blocks of 64, equal norms                           .011 / .046    .0042 / .069   .021 / .026
//   blocks of 64 and chi norms, even along the mean     .009 / .045    .0016 / .068   .020 / .020
//   even along constant and colour, even signs          .007 / .044    .0021 / .069   .012 / .021
//
// The first of them costs twice the time, the second is biased by .01 (its mean over 20 seeds); none of the others is.
// Exact numbers side by side in both factors of a product: its deviation is .0126 and not .0028 of the kernel (digits,
// depth 2, 4,096 features). Small vectors added without mixing: .34 and not .035 on images of one pixel. Not done:
// expansions of k1 and k0 around the constant part, which would take k1's tail of .18 to .07 there but give raw pixels
// weights that differ from pixel to pixel; order 2 in the first layer, which needs a product for each pair of its
// window's numbers.
//
// Memory: rings of (patch) rows of pixels, each with (2 depth - 3) w numbers in all layers together, and beside them
// signs and filters, (2 depth - 3) patch^2 w numbers, and a few vectors of `inner`. Time of a pixel: 2 (depth - 1)
// transforms of `inner` points, one of three rounds for the first layer, (2 depth - 3) patch^2 w for the filters.
#pragma once

#include "samara/map/engine/cntk_spec.hpp"

namespace samara::engine {

inline constexpr std::uint32_t most_inner = 16384, least_inner = 128, most_chosen_inner = 4096;

// Numbers that are mixed come in whole blocks of so many.
inline constexpr std::uint32_t cntk_mix = 64;
// Floats of a line of a cache: where the workspace's vectors begin at such lines, packs of them are read at once.
inline constexpr std::uint32_t cntk_line = 16;
// Pixels whose filters are applied together.
inline constexpr std::uint32_t cntk_group = 16;

constexpr std::uint64_t blocks_of(std::uint64_t n, std::uint64_t size) noexcept { return (n + size - 1) / size; }
constexpr std::uint64_t padded_to(std::uint64_t n, std::uint64_t size) noexcept { return blocks_of(n, size) * size; }

// Distances in rows (y) and columns (x) of pixels.
struct CntkReach {
    std::uint32_t y, x;

    constexpr std::uint32_t high() const noexcept { return 2 * y + 1; }
    constexpr std::uint32_t wide() const noexcept { return 2 * x + 1; }
    constexpr std::uint32_t places() const noexcept { return high() * wide(); }
};
// How far the pixels are that `windows` windows, one upon the other, reach from a pixel: no farther than the image.
constexpr CntkReach cntk_reach(const CntkShape& s, std::uint32_t windows) noexcept
{
    const std::uint32_t far = windows * (s.patch / 2);
    return {far < s.height ? far : s.height - 1, far < s.width ? far : s.width - 1};
}

// The numbers that layer h = 2 ... depth carries exactly: the window's constants, and the raw pixels in reach.
constexpr std::uint64_t cntk_exact_numbers(const CntkShape& s, std::uint32_t h) noexcept
{
    return std::uint64_t{cntk_reach(s, 1).places()} + std::uint64_t{cntk_reach(s, h).places()} * s.channels;
}
// Features of a cell that are exact.
constexpr std::uint64_t cntk_exact_features(const CntkShape& s) noexcept { return 2 + 3 * std::uint64_t{s.channels}; }

// Sizes of a resolved spec.
struct CntkPlan {
    CntkShape shape;
    std::uint64_t seed;
    std::uint32_t inner;   // points of the transforms
    std::uint32_t random;  // w
    std::uint32_t cell;    // features of a cell
    std::uint32_t outputs; // random ones of them
    std::uint32_t window;  // places of a window within the image
    std::uint32_t first;   // points of the first layer's transforms

    constexpr std::uint32_t last_blocks() const noexcept
    {
        return static_cast<std::uint32_t>(blocks_of(outputs, inner));
    }
    constexpr std::uint32_t padded_outputs() const noexcept
    {
        return static_cast<std::uint32_t>(padded_to(outputs, 16));
    }
    constexpr std::uint32_t raw(std::uint32_t h) const noexcept
    {
        return cntk_reach(shape, h).places() * shape.channels;
    }
    constexpr std::uint32_t mixed(std::uint32_t h) const noexcept // exact numbers of a layer, padded
    {
        return static_cast<std::uint32_t>(padded_to(window + raw(h), cntk_mix));
    }
    constexpr std::uint32_t relu_fold() const noexcept
    {
        return static_cast<std::uint32_t>(padded_to(window + 1, cntk_mix));
    }
    constexpr std::uint32_t product_fold(std::uint32_t h) const noexcept
    {
        return static_cast<std::uint32_t>(padded_to(3 * window + 3 + 3 * raw(h), cntk_mix));
    }
    // What layer h loses of raw pixels at the image's borders.
    constexpr std::uint32_t border(std::uint32_t h) const noexcept
    {
        return static_cast<std::uint32_t>(padded_to(raw(h), cntk_mix));
    }
    // The longest vector that is put together before it is folded, or added to the last layer's sums.
    constexpr std::uint32_t longest_fold() const noexcept
    {
        std::uint32_t longest = relu_fold();
        for (std::uint32_t h = 2; h <= shape.depth; ++h) {
            const auto of_windows = static_cast<std::uint32_t>(padded_to(3 * window, cntk_mix));
            for (const std::uint32_t n : {border(h), h < shape.depth ? product_fold(h) : of_windows})
                longest = n > longest ? n : longest;
        }
        return longest;
    }
    // Numbers that the last layer adds to its random features: omega, and what is left of the exact ones.
    constexpr std::uint32_t last_fold() const noexcept { return random + 3 * window + 3 * raw(shape.depth); }
};

constexpr CntkPlan cntk_plan(const CntkSpec& s) noexcept
{
    CntkPlan p{};
    p.shape = cntk_shape(s);
    p.seed = s.seed;
    p.inner = s.inner;
    p.window = cntk_reach(p.shape, 1).places();
    p.random = s.inner - static_cast<std::uint32_t>(padded_to(cntk_exact_numbers(p.shape, s.depth), cntk_mix));
    p.cell = features_of_cell(s);
    p.outputs = p.cell - static_cast<std::uint32_t>(cntk_exact_features(p.shape));
    const std::uint32_t inputs = p.window * p.shape.channels;
    p.first = std::bit_ceil(inputs < cntk_mix ? cntk_mix : inputs);
    return p;
}

// The least power of two that leaves room for `random` random numbers beside the exact ones; more than most_inner where
// nothing does.
constexpr std::uint64_t inner_for(const CntkShape& s, std::uint64_t random) noexcept
{
    const std::uint64_t least = padded_to(cntk_exact_numbers(s, s.depth), cntk_mix) + random;
    return std::bit_ceil(least < least_inner ? std::uint64_t{least_inner} : least);
}
// Enough that seven tenths of the features have a random number of their own, but no more than most_chosen_inner if
// that will do.
constexpr std::uint64_t automatic_inner(const CntkShape& s, std::uint64_t outputs) noexcept
{
    const std::uint64_t least = inner_for(s, cntk_mix), wanted = inner_for(s, (7 * outputs + 9) / 10);
    const std::uint64_t enough = wanted < most_chosen_inner ? wanted : std::uint64_t{most_chosen_inner};
    return least > enough ? least : enough;
}

// Words of random signs, by use; each begins at a word.
struct CntkSignWords {
    std::size_t total = 0;

    constexpr std::size_t take(std::uint64_t signs) noexcept
    {
        const std::size_t at = total;
        total += static_cast<std::size_t>(blocks_of(signs, 32));
        return at;
    }
};
// Where they are: of the first layer, and of each later one.
struct CntkFirstSigns {
    std::size_t round[3] = {};
};
struct CntkLayerSigns {
    std::size_t rest_mix, left_mix, rest, left,
        product;                            // the last three of each block of the last layer, one after the other
    std::size_t turned, scaled, relu, both; // of vectors that are added
    std::size_t relu_fold, product_fold, relu_border, product_border;
    std::size_t per_block; // from a block's `rest` to the next block's
};
constexpr CntkFirstSigns first_signs(const CntkPlan& p, CntkSignWords& words) noexcept
{
    CntkFirstSigns at;
    for (std::size_t& round : at.round)
        round = words.take(padded_to(p.random, p.first));
    return at;
}
constexpr CntkLayerSigns layer_signs(const CntkPlan& p, std::uint32_t h, CntkSignWords& words) noexcept
{
    const bool last = h == p.shape.depth;
    CntkLayerSigns at{};
    at.rest_mix = words.take(p.mixed(h));
    at.left_mix = words.take(p.mixed(h));
    at.rest = words.take(p.inner);
    at.left = words.take(p.inner);
    at.per_block = words.total - at.rest;
    words.total += at.per_block * (last ? p.last_blocks() - 1 : 0);
    at.product = words.take(last ? p.padded_outputs() : p.random);
    at.turned = words.take(p.random);
    at.scaled = words.take(p.random);
    at.relu_border = words.take(p.border(h));
    at.product_border = words.take(h > 2 ? p.border(h) : 0);
    if (!last) {
        at.relu = words.take(p.random);
        at.both = words.take(p.random);
        at.relu_fold = words.take(p.relu_fold());
        at.product_fold = words.take(p.product_fold(h));
    }
    return at;
}

// Numbers of a pixel in the ring behind layer h: N, k, and from the second layer on eta and the weights of the raw
// pixels in E; tau and omega.
constexpr std::uint32_t cntk_head(const CntkPlan& p, std::uint32_t h) noexcept
{
    return static_cast<std::uint32_t>(h == 1 ? 16 : padded_to(3 + std::uint64_t{cntk_reach(p.shape, h).places()}, 16));
}
constexpr std::size_t cntk_record(const CntkPlan& p, std::uint32_t h) noexcept
{
    return cntk_head(p, h) + (h == 1 ? 1 : 2) * std::size_t{p.random};
}

// The sums of a cell: of its features, and of what is added to them in the end.
constexpr std::size_t cntk_sums(const CntkPlan& p) noexcept
{
    return static_cast<std::size_t>(padded_to(2 + std::uint64_t{p.last_fold()} + p.padded_outputs(), 16));
}

constexpr std::uint64_t cntk_orders_words(const CntkPlan& p) noexcept
{
    const CntkShape& s = p.shape;
    CntkSignWords signs;
    static_cast<void>(first_signs(p, signs));
    for (std::uint32_t h = 2; h <= s.depth; ++h)
        static_cast<void>(layer_signs(p, h, signs));
    std::uint64_t words = signs.total + blocks_of(p.last_fold(), 32);
    words += (3 * std::uint64_t{s.depth} - 4) * p.random + 3 * p.padded_outputs(); // normals and norms
    words += (2 * std::uint64_t{s.depth} - 3) * p.window * p.random;               // filters
    const CntkReach window = cntk_reach(s, 1);
    for (std::uint32_t h = 1; h < s.depth; ++h)
        words += std::uint64_t{window.high()} * s.width * cntk_record(p, h);
    for (std::uint32_t h = 1; h <= s.depth; ++h) {
        const CntkReach reach = cntk_reach(s, h);
        words += 2 * std::uint64_t{reach.places()} + 2 * reach.high() + (2 + std::uint64_t{s.width}) * reach.wide();
        if (h > 1) {
            words += p.raw(h);
            const std::uint64_t table = std::uint64_t{p.window} * cntk_reach(s, h - 1).places() + reach.places();
            words += (h > 2 ? 2 : 1) * table; // of borders
        }
    }
    words += (window.high() + 1) * std::uint64_t{cntk_reach(s, s.depth).high()}; // ways in rows
    const std::uint32_t widest = cntk_reach(s, s.depth).places();
    words += p.longest_fold() + 2 * std::uint64_t{p.mixed(s.depth)} + 2 * std::uint64_t{p.inner} +
             3 * std::uint64_t{widest} + p.raw(s.depth);
    words += (s.depth > 2 ? 2 : 1) * std::uint64_t{s.width < cntk_group ? s.width : cntk_group} * p.random;
    words += std::uint64_t{s.cells_wide} * cntk_sums(p) + cntk_line - 1;
    return words;
}

// Of a resolved spec.
constexpr std::size_t cntk_orders_bytes(const CntkSpec& s) noexcept
{
    return static_cast<std::size_t>(4 * cntk_orders_words(cntk_plan(s)));
}

// Whether the workspace with so many points is small enough.
constexpr bool cntk_orders_fit(CntkSpec s, std::uint64_t inner) noexcept
{
    s.inner = static_cast<std::uint32_t>(inner);
    return 4 * cntk_orders_words(cntk_plan(s)) <= most_cntk_bytes;
}

constexpr SpecReport check_cntk_orders(const CntkSpec& s) noexcept
{
    const CntkShape shape = cntk_shape(s);
    const std::uint64_t least = cntk_exact_features(shape) + 16;
    if (features_of_cell(s) < least)
        return {Status::bad_spec, "features", "for each cell 18 and 3 a channel, or orders=none",
                least * cells_in_all(s)};
    const std::uint64_t smallest = inner_for(shape, cntk_mix);
    if (smallest > most_inner)
        return {Status::bad_spec, "orders", "none, because so many raw pixels are in reach"};
    if (s.inner != 0 && (!std::has_single_bit(s.inner) || s.inner < smallest))
        return {Status::bad_spec, "inner", "a power of two with 64 numbers beside the exact ones, or 0",
                s.inner < smallest ? smallest : std::uint64_t{std::bit_ceil(s.inner)}};
    if (!cntk_orders_fit(s, smallest))
        return {Status::bad_spec, "orders", "none, because the workspace is above 2^30 bytes with any inner"};
    if (s.inner != 0 && !cntk_orders_fit(s, s.inner))
        return {Status::bad_spec, "inner", "so many that the workspace is at most 2^30 bytes", smallest};
    return {};
}
constexpr CntkSpec resolved_cntk_orders(CntkSpec s) noexcept
{
    if (s.inner == 0) {
        const CntkShape shape = cntk_shape(s);
        const std::uint64_t smallest = inner_for(shape, cntk_mix);
        std::uint64_t inner = automatic_inner(shape, features_of_cell(s) - cntk_exact_features(shape));
        while (inner > smallest && !cntk_orders_fit(s, inner))
            inner /= 2;
        s.inner = static_cast<std::uint32_t>(inner);
    }
    return s;
}

constexpr std::uint64_t cntk_orders_operations(const CntkSpec& s) noexcept
{
    const CntkPlan p = cntk_plan(s);
    const std::uint64_t levels = std::bit_width(p.inner) - 1, transform = p.inner * levels + p.inner;
    std::uint64_t pixel = 3 * std::uint64_t{p.random} * static_cast<std::uint32_t>(std::bit_width(p.first) + 2);
    for (std::uint32_t h = 2; h <= s.depth; ++h) {
        const std::uint64_t blocks = h == s.depth ? p.last_blocks() : 1;
        pixel += 2 * blocks * (transform + 6 * p.inner) + (h > 2 ? 2 : 1) * std::uint64_t{2} * p.window * p.random;
        pixel += 20 * std::uint64_t{p.mixed(h)} + 12 * std::uint64_t{p.random};
        // Weights of raw pixels, and what borders take of them.
        pixel += (h > 2 ? 7 : 3) * std::uint64_t{p.window} * cntk_reach(p.shape, h - 1).places();
    }
    return pixel * p.shape.height * p.shape.width + 40 * std::uint64_t{cntk_orders_words(p)};
}

} // namespace samara::engine
