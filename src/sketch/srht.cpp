// SRHT and TensorSRHT. SPEC.md, sections 7.5 and 7.6.
#include "samara/memory.hpp"
#include "simd/vectors.hpp"
#include "sketch/inputs.hpp"
#include "sketch/kernels.hpp"
#include "sketch/sampled.hpp"
#include "stream/kernels.hpp"

namespace samara {

namespace {

using namespace detail;

struct Buffers {
    float *left, *right, *shorter;
    std::uint32_t *signs, *rows;
};

Status take_buffers(std::span<std::byte> bytes, std::size_t left, std::size_t right, Buffers& w) noexcept
{
    Bump bump(bytes);
    if (!bump.aligned())
        return Status::misaligned;
    w.left = bump.take<float>(left);
    w.right = bump.take<float>(right);
    w.shorter = bump.take<float>(left < right ? left : right);
    w.signs = bump.take<std::uint32_t>(sign_words(left > right ? left : right));
    w.rows = bump.take<std::uint32_t>(row_chunk);
    return w.rows == nullptr ? Status::small_workspace : Status::ok;
}

// Sampling with replacement: n <= row_chunk random rows of 2^log2_size. The upper bits of a random word are the row.
void independent_rows(StreamKey key, unsigned log2_size, std::uint32_t n, std::uint32_t* rows) noexcept
{
    SAMARA_KERNEL(stream, fill_words)(key, rows, n);
    for (std::uint32_t k = 0; k < n; ++k)
        rows[k] = log2_size == 0 ? 0 : rows[k] >> (32 - log2_size);
}

// Calls body(first, n) for [0, count) in chunks of at most row_chunk.
template <class Body>
void each_chunk(std::uint32_t count, Body body) noexcept
{
    for (std::uint32_t first = 0; first < count; first += row_chunk)
        body(first, count - first < row_chunk ? count - first : row_chunk);
}

} // namespace

Status sketch(const SrhtSpec& s, std::span<const float> x, std::span<float> z, std::span<std::byte> bytes) noexcept
{
    if (!check(s))
        return Status::bad_spec;
    if (x.size() != s.inputs || z.size() != s.features)
        return Status::wrong_length;
    const unsigned log2_size = padded_log2(s.inputs);
    const std::uint32_t size = std::uint32_t{1} << log2_size;
    Buffers w{};
    if (const Status status = take_buffers(bytes, size, 0, w); status != Status::ok)
        return status;
    if (const Status status = check_vector(x); status != Status::ok)
        return status;
    SAMARA_KERNEL(sketch, signed_hadamard)
    (stream_key(s.seed, Domain::srht_signs, 0), x.data(), x.size(), w.left, log2_size, w.signs);

    if (s.sampling == Sampling::with) {
        const float scale = root_of_inverse(s.features);
        each_chunk(s.features, [&](std::uint32_t first, std::uint32_t n) {
            independent_rows(stream_key(s.seed, Domain::srht_rows, 1 + first / row_chunk), log2_size, n, w.rows);
            SAMARA_KERNEL(sketch, gather)(w.left, w.rows, n, scale, z.data() + first);
        });
    } else {
        sample_rows(stream_key(s.seed, Domain::srht_rows, 0), w.left, log2_size, w.rows, z);
    }
    return Status::ok;
}

void detail::sample_rows(StreamKey key, const float* values, unsigned log2_size, std::uint32_t* rows,
                         std::span<float> z) noexcept
{
    const std::uint32_t size = std::uint32_t{1} << log2_size, m = static_cast<std::uint32_t>(z.size());
    if (m < size) {
        const Bijection bijection(key, size);
        each_chunk(m, [&](std::uint32_t first, std::uint32_t n) {
            SAMARA_KERNEL(sketch, sampled_rows)(bijection, first, 0, n, rows);
            SAMARA_KERNEL(sketch, gather)(values, rows, n, root_of_inverse(m), z.data() + first);
        });
        return;
    }
    const std::uint32_t copies = m / size;
    const float scale = root_of_inverse(copies * size);
    for (std::uint32_t c = 0; c < copies; ++c)
        SAMARA_KERNEL(simd, scaled_copy)(values, size, scale, z.data() + std::size_t{c} * size);
    for (std::uint32_t k = copies * size; k < m; ++k)
        z[k] = 0.0f;
}

Status sketch(const TensorSrhtSpec& s, std::span<const float> x, std::span<const float> y, std::span<float> z,
              std::span<std::byte> bytes) noexcept
{
    if (!check(s))
        return Status::bad_spec;
    if (x.size() != s.left || y.size() != s.right || z.size() != s.features)
        return Status::wrong_length;
    const unsigned left_log2 = padded_log2(s.left), right_log2 = padded_log2(s.right);
    const std::uint32_t left = std::uint32_t{1} << left_log2, right = std::uint32_t{1} << right_log2;
    Buffers w{};
    if (const Status status = take_buffers(bytes, left, right, w); status != Status::ok)
        return status;
    const float scale = root_of_inverse(s.features);
    const auto key = [&](Domain domain, std::uint64_t index) { return stream_key(s.seed, domain, index); };
    for (const std::span<const float> v : {x, y})
        if (const Status status = check_vector(v); status != Status::ok)
            return status;
    SAMARA_KERNEL(sketch, signed_hadamard)
    (key(Domain::tensor_signs, 0), x.data(), x.size(), w.left, left_log2, w.signs);
    SAMARA_KERNEL(sketch, signed_hadamard)
    (key(Domain::tensor_signs, 1), y.data(), y.size(), w.right, right_log2, w.signs);
    if (s.sampling == Sampling::with) {
        each_chunk(s.features, [&](std::uint32_t first, std::uint32_t n) {
            const std::uint64_t chunk = first / row_chunk;
            independent_rows(key(Domain::tensor_rows, 4 + 2 * chunk), left_log2, n, w.rows);
            SAMARA_KERNEL(sketch, gather)(w.left, w.rows, n, 1.0f, z.data() + first);
            independent_rows(key(Domain::tensor_rows, 5 + 2 * chunk), right_log2, n, w.rows);
            SAMARA_KERNEL(sketch, gather_products)(z.data() + first, w.right, w.rows, n, scale, z.data() + first);
        });
        return Status::ok;
    }
    // Let a be the longer side and b the shorter one. Features take a's rows in order as often as m holds all of them,
    // and for what remains of m a random choice of them. With each block of b_size features go all rows of b, in the
    // order that PairedRows chooses.
    const bool swapped = left < right;
    const unsigned a_log2 = swapped ? right_log2 : left_log2, b_log2 = swapped ? left_log2 : right_log2;
    const float *a = swapped ? w.right : w.left, *b = swapped ? w.left : w.right;
    const std::uint32_t a_size = std::uint32_t{1} << a_log2, b_size = std::uint32_t{1} << b_log2, m = s.features;
    const PairedRows paired(key(Domain::tensor_rows, 1), key(Domain::tensor_rows, 2), a_log2, b_log2);
    const Bijection shuffle(key(Domain::tensor_rows, 0), a_size);
    const std::uint32_t in_order = m - m % a_size;

    // b in the order of the bijection; of each block only the flip is left to do.
    float* shorter = w.shorter;
    each_chunk(b_size, [&](std::uint32_t first, std::uint32_t n) {
        SAMARA_KERNEL(sketch, sampled_rows)(paired.rows(), first, 0, n, w.rows);
        SAMARA_KERNEL(sketch, gather)(b, w.rows, n, 1.0f, shorter + first);
    });
    each_chunk(m - in_order, [&](std::uint32_t first, std::uint32_t n) {
        SAMARA_KERNEL(sketch, sampled_rows)(shuffle, first, 0, n, w.rows);
        SAMARA_KERNEL(sketch, gather)(a, w.rows, n, 1.0f, z.data() + in_order + first);
    });
    for (std::uint32_t block = 0, first = 0; first < m; ++block, first += b_size) {
        float* out = z.data() + first;
        const std::uint32_t n = m - first < b_size ? m - first : b_size;
        SAMARA_KERNEL(sketch, flipped_products)
        (first < in_order ? a + (first & (a_size - 1)) : out, shorter, paired.flip(block), n, scale, out);
    }
    return Status::ok;
}

} // namespace samara
