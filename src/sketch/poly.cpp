// PolySketch. SPEC.md, sketches.
#include "samara/sketch_poly.hpp"

#include "samara/memory.hpp"
#include "sketch/inputs.hpp"
#include "sketch/sampled.hpp"

namespace samara {

namespace {

using namespace detail;

constexpr unsigned most_levels = padded_log2(most_degree);
constexpr std::uint32_t osnap_nonzeros = 4;

// A vector in the tree: a factor as it came (raw), or m numbers.
struct Value {
    const float* data;
    bool raw;
};

// A complete subtree that waits for its right sibling: what that will be multiplied with, row by row.
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
    // Rows of a left operand (null: all in order), and of the right operand that goes with it.
    const std::uint32_t* left_rows(bool raw) const noexcept { return left_rows_[raw && !same_ ? 1 : 0]; }
    const std::uint32_t* right_rows(bool left_raw, bool right_raw) const noexcept
    {
        return right_rows_[same_ || !right_raw ? 0 : left_raw ? 2 : 1];
    }
    unsigned log2_of(bool raw) const noexcept { return raw ? leaf_log2_ : node_log2_; }
    float* waiting_row(unsigned level) noexcept { return left_ + std::size_t{level} * m_; }
    // Transforms a value for one side (0 left, 1 right) of the parent of the subtree of `level` at `place`.
    void transform(Value v, unsigned level, std::uint32_t place, unsigned side) noexcept;
    void prepare_left(Value v, unsigned level, std::uint32_t place) noexcept;
    void multiply(const Waiting& left, Value right, std::uint32_t place, float* out) noexcept;
    StreamKey key(Domain domain, std::uint64_t index) const noexcept { return stream_key(seed_, domain, index); }

    std::uint64_t seed_ = 0;
    std::uint32_t inputs_ = 0, m_ = 0, next_ = 0;
    unsigned leaf_log2_ = 0, node_log2_ = 0, waiting_ = 0;
    bool raw_ = false, same_ = false;
    float scale_ = 0;
    float *transformed_ = nullptr, *left_ = nullptr, *value_ = nullptr, *folded_ = nullptr;
    std::uint32_t *signs_ = nullptr, *rows_ = nullptr;
    const std::uint32_t *left_rows_[2] = {}, *right_rows_[3] = {};
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
    same_ = leaf_log2_ == node_log2_;
    scale_ = root_of_inverse(m_);
    const std::size_t longest = std::size_t{1} << (leaf_log2_ > node_log2_ ? leaf_log2_ : node_log2_);
    Bump bump(work);
    transformed_ = bump.take<float>(longest);
    signs_ = bump.take<std::uint32_t>(sign_words(longest));
    rows_ = bump.take<std::uint32_t>(row_chunk);
    left_ = bump.take<float>(std::size_t{padded_log2(s.degree)} * m_);
    value_ = bump.take<float>(m_);
    folded_ = bump.take<float>(m_);
    const unsigned tables = same_ ? 2 : 5;
    std::uint32_t* table = bump.take<std::uint32_t>(std::size_t{tables} * m_);
    if (table == nullptr)
        return false;
    if (s.degree == 1)
        return true;

    // All nodes share the rows: their signs are independent, and those make the sketch unbiased.
    const auto paired = [&](bool left_raw, bool right_raw) {
        std::uint32_t* out = table;
        table += m_;
        PairedRows(key(Domain::poly_rows, 1), key(Domain::poly_rows, 2), log2_of(left_raw), log2_of(right_raw))
            .fill(m_, out);
        return out;
    };
    const auto shuffled = [&](bool raw) -> std::uint32_t* {
        const std::uint32_t size = std::uint32_t{1} << log2_of(raw);
        std::uint32_t* out = table;
        table += m_;
        if (m_ % size == 0)
            return nullptr;
        const Bijection shuffle(key(Domain::poly_rows, 0), size);
        if (size < 16) {
            for (std::uint32_t k = 0; k < m_; ++k)
                out[k] = shuffle(k & (size - 1));
        } else {
            SAMARA_KERNEL(sampled_rows)(shuffle, 0, 0, m_, out);
        }
        return out;
    };
    left_rows_[0] = shuffled(false);
    right_rows_[0] = paired(false, false);
    if (!same_) {
        left_rows_[1] = shuffled(true);
        right_rows_[1] = paired(false, true);
        right_rows_[2] = paired(true, true);
    }
    return true;
}

void Tree::transform(Value v, unsigned level, std::uint32_t place, unsigned side) noexcept
{
    const std::uint64_t index = (std::uint64_t{level + 1} << 32) | (2 * (place >> 1) + side);
    SAMARA_KERNEL(signed_hadamard)
    (key(Domain::poly_signs, index), v.data, v.raw ? inputs_ : m_, transformed_, log2_of(v.raw), signs_);
}

void Tree::prepare_left(Value v, unsigned level, std::uint32_t place) noexcept
{
    transform(v, level, place, 0);
    float* out = waiting_row(level);
    if (const std::uint32_t* rows = left_rows(v.raw); rows != nullptr) {
        SAMARA_KERNEL(gather)(transformed_, rows, m_, 1.0f, out);
        return;
    }
    const std::uint32_t size = std::uint32_t{1} << log2_of(v.raw);
    for (std::uint32_t k = 0; k < m_; k += size)
        SAMARA_KERNEL(scaled_copy)(transformed_, size, 1.0f, out + k);
}

// place: of the left operand, at its level.
void Tree::multiply(const Waiting& left, Value right, std::uint32_t place, float* out) noexcept
{
    transform(right, left.level, place, 1);
    SAMARA_KERNEL(gather_products)
    (waiting_row(left.level), transformed_, right_rows(left.raw, right.raw), m_, scale_, out);
}

void Tree::push(std::span<const float> factor, float* out, bool last) noexcept
{
    Value v{factor.data(), raw_};
    if (!raw_) {
        const OsnapSpec osnap{.size = m_, .nonzeros = osnap_nonzeros, .seed = seed_};
        osnap_dense(Osnap(osnap, Domain::poly_hash, std::uint64_t{next_} * osnap_nonzeros), factor, {value_, m_});
        v.data = value_;
    }
    // Subtrees that are complete now: as carries in binary.
    unsigned level = 0;
    std::uint32_t place = next_;
    while (waiting_ > 0 && stack_[waiting_ - 1].level == level) {
        multiply(stack_[--waiting_], v, place - 1, value_);
        v = {value_, false};
        ++level;
        place >>= 1;
    }
    ++next_;
    if (out != nullptr) {
        // The smaller complete subtrees to the right of a waiting one pass through e_1 up to its level.
        Value folded = v;
        for (unsigned i = waiting_; i > 0; --i) {
            float* to = i == 1 ? out : folded_;
            const Waiting& left = stack_[i - 1];
            multiply(left, folded, ((next_ - 1) >> left.level) - 1, to);
            folded = {to, false};
        }
        if (folded.raw) { // a single factor
            SAMARA_KERNEL(signed_hadamard)
            (key(Domain::poly_signs, 0), folded.data, inputs_, transformed_, leaf_log2_, signs_);
            sample_rows(key(Domain::poly_rows, 3), transformed_, leaf_log2_, rows_, {out, m_});
        } else if (folded.data != out) {
            SAMARA_KERNEL(scaled_copy)(folded.data, m_, 1.0f, out);
        }
    }
    if (!last) {
        prepare_left(v, level, place);
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

// Whether no product can leave the range of floats: log2 of a bound of the sum of magnitudes, through all levels.
bool stays_finite(const PolySketchSpec& s, std::uint32_t largest) noexcept
{
    const int exponent = static_cast<int>(largest >> 23) - 126; // x_i < 2^exponent
    int bound = static_cast<int>(padded_log2(s.inputs)) + exponent;
    for (unsigned level = 0; level < padded_log2(s.degree); ++level) {
        bound = 2 * (bound > 0 ? bound : 0);
        if (bound > 126)
            return false;
        bound += static_cast<int>(padded_log2(s.features)) / 2 + 1; // m entries of them over the root of m
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
    const std::uint32_t largest = SAMARA_KERNEL(largest_magnitude_bits)(x.data(), x.size());
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
