// PolySketch. SPEC.md, section 7.8.
#include "samara/sketch/poly.hpp"

#include "samara/memory.hpp"
#include "simd/vectors.hpp"
#include "sketch/inputs.hpp"
#include "sketch/kernels.hpp"
#include "sketch/sampled.hpp"

namespace samara {

namespace {

using namespace detail;

constexpr unsigned most_levels = padded_log2(most_degree);
constexpr std::uint32_t osnap_nonzeros = 4;

// A vector in the tree: a factor as the caller gave it (raw), or a node's sketch of m numbers.
struct Value {
    const float* data;
    bool raw;
};

// A complete subtree of 2^level factors whose right sibling is not complete yet. Its transform, with which the sibling
// will be multiplied row by row, is kept in the tree's waiting_row(level).
struct Waiting {
    unsigned level;
    bool raw;
};

class Tree {
public:
    // False if the workspace is too small.
    bool init(const PolySketchSpec& s, std::span<std::byte> work) noexcept;

    // Adds the next factor. If `out` is not null it gets the sketch of the factors so far. `last`: none will follow.
    void push(std::span<const float> factor, float* out, bool last) noexcept;

private:
    unsigned log2_of(bool raw) const noexcept { return raw ? leaf_log2_ : node_log2_; }
    float* waiting_row(unsigned level) noexcept { return left_ + std::size_t{level} * m_; }
    void fill_left(bool raw, std::uint32_t* rows) const noexcept;
    // For each group of 16 features: g such that feature l of the group takes row g ^ l.
    void fill_groups(bool left_raw, std::uint32_t* groups) const noexcept;
    // A factor, padded and in the random order that groups of rows need. The last one is kept, because a power has the
    // same factor many times.
    const float* shuffled(const float* factor) noexcept;
    // The signed transform of a value that is one side (0 left, 1 right) of its parent. `level` is that of the value's
    // subtree, `index` the subtree's number among those of its level, from the left.
    void transform(Value v, unsigned level, std::uint32_t index, unsigned side, float* out) noexcept;
    void prepare_left(Value v, unsigned level, std::uint32_t index) noexcept;
    // The parent's sketch; `index` is that of the left subtree.
    void multiply(const Waiting& left, Value right, std::uint32_t index, float* out) noexcept;
    StreamKey key(Domain domain, std::uint64_t index) const noexcept { return stream_key(seed_, domain, index); }
    Bijection bijection(std::uint64_t index, std::uint32_t size) const noexcept;
    PairedRows paired_rows(bool left_raw, bool right_raw) const noexcept;

    std::uint64_t seed_ = 0;
    std::uint32_t inputs_ = 0, m_ = 0, next_ = 0;
    unsigned leaf_log2_ = 0, node_log2_ = 0, waiting_ = 0;
    bool raw_ = false, grouped_ = false;
    float scale_ = 0;
    float *transformed_ = nullptr, *left_ = nullptr, *value_ = nullptr, *folded_ = nullptr, *shuffled_ = nullptr;
    const float* shuffled_from_ = nullptr;
    std::uint32_t *signs_ = nullptr, *rows_ = nullptr;
    // Which rows of a transform go into a product. Left operands, by whether they are raw; null: all rows in order.
    const std::uint32_t* left_rows_[2] = {};
    // Right operands: sketches; and factors (rows, or groups of rows), by whether the left operand is raw.
    const std::uint32_t *sketch_rows_ = nullptr, *factor_rows_[2] = {};
    Waiting stack_[most_levels + 1] = {};
};

bool Tree::init(const PolySketchSpec& s, std::span<std::byte> work) noexcept
{
    seed_ = s.seed;
    inputs_ = s.inputs;
    m_ = s.features;
    leaf_log2_ = leaf_log2(s);
    node_log2_ = node_log2(s);
    raw_ = s.base == PolyBase::srht;
    grouped_ = groups_rows(s);
    scale_ = root_of_inverse(m_);
    const std::size_t longest = std::size_t{1} << (leaf_log2_ > node_log2_ ? leaf_log2_ : node_log2_);
    if (work.size() < workspace_bytes(s))
        return false;
    Bump bump(work);
    transformed_ = bump.take<float>(longest);
    signs_ = bump.take<std::uint32_t>(sign_words(longest));
    rows_ = bump.take<std::uint32_t>(row_chunk);
    left_ = bump.take<float>(std::size_t{padded_log2(s.degree)} * m_);
    value_ = bump.take<float>(m_);
    folded_ = bump.take<float>(m_);
    if (s.degree == 1)
        return true;

    // All nodes share the rows. Their signs are independent, which alone makes the sketch unbiased.
    const bool same = leaf_log2_ == node_log2_;
    const auto left = [&](bool raw) -> const std::uint32_t* {
        if (m_ % (std::uint32_t{1} << log2_of(raw)) == 0)
            return nullptr;
        std::uint32_t* rows = bump.take<std::uint32_t>(m_);
        fill_left(raw, rows);
        return rows;
    };
    const auto paired = [&](bool left_raw, bool right_raw) -> const std::uint32_t* {
        std::uint32_t* rows = bump.take<std::uint32_t>(m_);
        paired_rows(left_raw, right_raw).fill(m_, rows);
        return rows;
    };
    const auto factors = [&](bool left_raw) -> const std::uint32_t* {
        if (!grouped_)
            return same && sketch_rows_ != nullptr ? sketch_rows_ : paired(left_raw, true);
        std::uint32_t* groups = bump.take<std::uint32_t>(((m_ - 1) >> row_group_log2) + 1);
        fill_groups(left_raw, groups);
        return groups;
    };
    if (sketches_left(s))
        left_rows_[false] = left(false);
    if (sketches_right(s))
        sketch_rows_ = paired(false, false);
    if (!raw_)
        return true;
    left_rows_[true] = same && sketches_left(s) ? left_rows_[false] : left(true);
    factor_rows_[true] = factors(true);
    if (sketches_left(s))
        factor_rows_[false] = same ? factor_rows_[true] : factors(false);
    if (grouped_)
        shuffled_ = bump.take<float>(std::size_t{1} << leaf_log2_);
    return true;
}

// Both constructors are long: not inlined, so that a device holds them once.
[[gnu::noinline]] Bijection Tree::bijection(std::uint64_t index, std::uint32_t size) const noexcept
{
    return Bijection(key(Domain::poly_rows, index), size);
}
[[gnu::noinline]] PairedRows Tree::paired_rows(bool left_raw, bool right_raw) const noexcept
{
    return PairedRows(key(Domain::poly_rows, 1), key(Domain::poly_rows, 2), log2_of(left_raw), log2_of(right_raw));
}

void Tree::fill_left(bool raw, std::uint32_t* rows) const noexcept
{
    const std::uint32_t size = std::uint32_t{1} << log2_of(raw);
    const std::uint32_t in_order = m_ - m_ % size;
    for (std::uint32_t k = 0; k < in_order; ++k)
        rows[k] = k & (size - 1);
    SAMARA_KERNEL(sketch, sampled_rows)(bijection(0, size), 0, 0, m_ - in_order, rows + in_order);
}

void Tree::fill_groups(bool left_raw, std::uint32_t* groups) const noexcept
{
    const std::uint32_t n = ((m_ - 1) >> row_group_log2) + 1, block_log2 = leaf_log2_ - row_group_log2;
    const std::uint32_t block = std::uint32_t{1} << block_log2, first = n < block ? n : block;
    const StreamKey lanes = key(Domain::poly_rows, 5);
    SAMARA_KERNEL(sketch, sampled_rows)(bijection(4, block), 0, 0, first, groups);
    std::uint64_t low_bits = 0; // of 16 groups
    for (std::uint32_t g = 0; g < first; ++g, low_bits >>= row_group_log2) {
        if (g % 16 == 0)
            low_bits = splitmix_output(lanes, g / 16);
        groups[g] = (groups[g] << row_group_log2) | (static_cast<std::uint32_t>(low_bits) & 15u);
    }
    if (n == first)
        return;
    const PairedRows paired = paired_rows(left_raw, true);
    for (std::uint32_t start = block; start < n; start += block) {
        const std::uint32_t flip = paired.flip(start >> block_log2);
        for (std::uint32_t g = start; g < n && g < start + block; ++g)
            groups[g] = groups[g - start] ^ flip;
    }
}

const float* Tree::shuffled(const float* factor) noexcept
{
    if (factor == shuffled_from_)
        return shuffled_;
    shuffled_from_ = factor;
    const std::uint32_t size = std::uint32_t{1} << leaf_log2_;
    SAMARA_KERNEL(simd, scaled_copy)(factor, inputs_, 1.0f, transformed_);
    for (std::uint32_t i = inputs_; i < size; ++i)
        transformed_[i] = 0.0f;
    if (m_ == size && sketch_rows_ != nullptr) { // this table holds the same order
        SAMARA_KERNEL(sketch, gather)(transformed_, sketch_rows_, size, 1.0f, shuffled_);
        return shuffled_;
    }
    const Bijection order = bijection(1, size);
    for (std::uint32_t first = 0; first < size; first += row_chunk) {
        const std::uint32_t n = size - first < row_chunk ? size - first : row_chunk;
        SAMARA_KERNEL(sketch, sampled_rows)(order, first, 0, n, rows_);
        SAMARA_KERNEL(sketch, gather)(transformed_, rows_, n, 1.0f, shuffled_ + first);
    }
    return shuffled_;
}

void Tree::transform(Value v, unsigned level, std::uint32_t index, unsigned side, float* out) noexcept
{
    const std::uint64_t signs = (std::uint64_t{level + 1} << 32) | (2 * (index >> 1) + side);
    std::uint32_t n = v.raw ? inputs_ : m_;
    if (v.raw && side == 1 && grouped_) {
        v.data = shuffled(v.data);
        n = std::uint32_t{1} << leaf_log2_;
    }
    SAMARA_KERNEL(sketch, signed_hadamard)(key(Domain::poly_signs, signs), v.data, n, out, log2_of(v.raw), signs_);
}

void Tree::prepare_left(Value v, unsigned level, std::uint32_t index) noexcept
{
    float* out = waiting_row(level);
    if (const std::uint32_t* rows = left_rows_[v.raw]; rows != nullptr) {
        transform(v, level, index, 0, transformed_);
        SAMARA_KERNEL(sketch, gather)(transformed_, rows, m_, 1.0f, out);
        return;
    }
    transform(v, level, index, 0, out);
    const std::uint32_t size = std::uint32_t{1} << log2_of(v.raw);
    for (std::uint32_t k = size; k < m_; k += size)
        SAMARA_KERNEL(simd, scaled_copy)(out, size, 1.0f, out + k);
}

void Tree::multiply(const Waiting& left, Value right, std::uint32_t index, float* out) noexcept
{
    transform(right, left.level, index, 1, transformed_);
    const float* waiting = waiting_row(left.level);
    const std::uint32_t* rows = right.raw ? factor_rows_[left.raw] : sketch_rows_;
    if (right.raw && grouped_)
        SAMARA_KERNEL(sketch, grouped_products)(waiting, transformed_, rows, m_, scale_, out);
    else
        SAMARA_KERNEL(sketch, gather_products)(waiting, transformed_, rows, m_, scale_, out);
}

void Tree::push(std::span<const float> factor, float* out, bool last) noexcept
{
    Value v{factor.data(), raw_};
    if (!raw_) {
        const OsnapSpec osnap{.size = m_, .nonzeros = osnap_nonzeros, .seed = seed_};
        osnap_dense(Osnap(osnap, Domain::poly_hash, std::uint64_t{next_} * osnap_nonzeros), factor, {value_, m_});
        v.data = value_;
    }
    // Complete subtrees of equal size join, as a binary counter carries.
    unsigned level = 0;
    std::uint32_t index = next_;
    while (waiting_ > 0 && stack_[waiting_ - 1].level == level) {
        --waiting_;
        float* to = waiting_ == 0 && out != nullptr ? out : value_;
        multiply(stack_[waiting_], v, index - 1, to);
        v = {to, false};
        ++level;
        index >>= 1;
    }
    ++next_;
    if (out != nullptr) {
        // The sketch of the factors so far is that of a full tree whose missing factors are e_1. A subtree with nothing
        // but e_1 beside it equals its parent, so v rises unchanged until a waiting subtree stands on its left. It is
        // multiplied with that one, and so on with the larger ones before it.
        Value folded = v;
        for (unsigned i = waiting_; i > 0; --i) {
            float* to = i == 1 ? out : folded_;
            const Waiting& left = stack_[i - 1];
            multiply(left, folded, ((next_ - 1) >> left.level) - 1, to);
            folded = {to, false};
        }
        if (folded.raw) { // a single factor
            SAMARA_KERNEL(sketch, signed_hadamard)
            (key(Domain::poly_signs, 0), folded.data, inputs_, transformed_, leaf_log2_, signs_);
            sample_rows(key(Domain::poly_rows, 3), transformed_, leaf_log2_, rows_, {out, m_});
        } else if (folded.data != out) {
            SAMARA_KERNEL(simd, scaled_copy)(folded.data, m_, 1.0f, out);
        }
    }
    if (!last) {
        prepare_left(v, level, index);
        stack_[waiting_++] = {level, v.raw};
    }
}

Status check_call(const PolySketchSpec& s, std::span<float> z, std::size_t length, std::span<std::byte> work,
                  Tree& tree) noexcept
{
    if (z.size() != length)
        return Status::wrong_length;
    if (!Bump(work).aligned())
        return Status::misaligned;
    return tree.init(s, work) ? Status::ok : Status::small_workspace;
}

// Whether no product can leave the range of floats, by bounds of the values' lengths as powers of two, level by level.
bool stays_finite(const PolySketchSpec& s, std::uint32_t largest) noexcept
{
    const int leaf = static_cast<int>(leaf_log2(s)), node = static_cast<int>(node_log2(s));
    const int longest = leaf > node ? leaf : node, excess = longest - node;
    const int inputs = static_cast<int>(padded_log2(s.inputs)), exponent = static_cast<int>(largest >> 23) - 126;
    // All entries of a factor may meet in an OSNAP.
    int bound = exponent + (s.base == PolyBase::srht ? (inputs + 1) / 2 : inputs + 1);
    for (unsigned level = 0; level < padded_log2(s.degree); ++level) {
        bound = 2 * (bound > 0 ? bound : 0);
        if (bound + longest > 126) // a transform multiplies a length by at most the root of its size
            return false;
        // The length of a product: the largest entry of one transform times the length of the other, of which each row
        // occurs at most 1 + m / D times.
        bound += (longest + excess) / 2 + 1;
    }
    return true;
}

Status power(const PolySketchSpec& s, std::span<const float> x, std::span<float> z, bool all,
             std::span<std::byte> work) noexcept
{
    if (!check(s))
        return Status::bad_spec;
    if (x.size() != s.inputs)
        return Status::wrong_length;
    Tree tree;
    const std::size_t m = s.features;
    if (const Status status = check_call(s, z, all ? m * s.degree : m, work, tree); status != Status::ok)
        return status;
    const std::uint32_t largest = SAMARA_KERNEL(simd, largest_magnitude_bits)(x.data(), x.size());
    if (const Status status = check_magnitude(largest); status != Status::ok)
        return status;
    for (std::uint32_t j = 1; j <= s.degree; ++j) {
        const bool last = j == s.degree;
        tree.push(x, all ? z.data() + (j - 1) * m : last ? z.data() : nullptr, last);
    }
    return stays_finite(s, largest) ? Status::ok : check_output(z);
}

} // namespace

Status sketch(const PolySketchSpec& s, std::span<const std::span<const float>> factors, std::span<float> z,
              std::span<std::byte> work) noexcept
{
    if (!check(s))
        return Status::bad_spec;
    if (factors.size() != s.degree)
        return Status::wrong_length;
    for (const std::span<const float> v : factors)
        if (v.size() != s.inputs)
            return Status::wrong_length;
    Tree tree;
    if (const Status status = check_call(s, z, s.features, work, tree); status != Status::ok)
        return status;
    for (const std::span<const float> v : factors)
        if (const Status status = check_vector(v); status != Status::ok)
            return status;
    for (std::size_t j = 0; j < factors.size(); ++j)
        tree.push(factors[j], j + 1 == factors.size() ? z.data() : nullptr, j + 1 == factors.size());
    return check_output(z);
}

Status sketch(const PolySketchSpec& s, std::span<const float> x, std::span<float> z, std::span<std::byte> work) noexcept
{
    return power(s, x, z, false, work);
}

Status prefixes(const PolySketchSpec& s, std::span<const float> x, std::span<float> z,
                std::span<std::byte> work) noexcept
{
    return power(s, x, z, true, work);
}

} // namespace samara
