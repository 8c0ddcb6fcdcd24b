// Predictions in whole numbers. See samara/model/whole_predictor.hpp.
#include "samara/model/whole_predictor.hpp"

#include <bit>
#include <cstring>

#include "samara/memory.hpp"

#if defined(__ARM_FEATURE_SIMD32) && defined(__ARM_ARCH_PROFILE) && __ARM_ARCH_PROFILE == 'M'
#include <arm_acle.h>
#define SAMARA_PAIRS_OF_NUMBERS 1
#else
#define SAMARA_PAIRS_OF_NUMBERS 0
#endif

namespace samara {

namespace {

// The features of some products, |z| or relu(z). A function of its own, as are other loops here: together they have
// more numbers than registers.
template <bool absolute>
[[gnu::noinline]] void features_of(const std::int16_t* y, const std::uint16_t* places, std::uint32_t count,
                                   unsigned shift, std::uint8_t* out) noexcept
{
    const auto take = [&] {
        std::int32_t v = y[*places++];
#if SAMARA_PAIRS_OF_NUMBERS
        __asm__("" : "+r"(v)); // else compilers negate 16 bits, which takes them an instruction more
        if (absolute)
            v = v < 0 ? -v : v;
        *out++ = static_cast<std::uint8_t>(__usat(v >> shift, 7));
#else
        if (v < 0)
            v = absolute ? -v : 0;
        v = v >> shift;
        *out++ = static_cast<std::uint8_t>(v < largest_integer ? v : largest_integer);
#endif
    };
    const std::uint16_t* const end = places + count;
    for (count %= 4; count > 0; --count)
        take();
    while (places != end) {
        take();
        take();
        take();
        take();
    }
}

// Features of one block at a time, until 64 of them wait for the readout.
class Waiting {
public:
    Waiting(const WholeModel& m, std::uint8_t* features, std::int32_t* sums) noexcept
        : m_(m), features_(features), sums_(sums), shift_(integer_feature_shift(m.rows.inputs))
    {}
    // Features are of this part of a block's from now on.
    void begin(std::uint32_t part) noexcept { part_ = part; }
    // The features of `count` products y[places[0]], ...
    void take(const std::int16_t* y, const std::uint16_t* places, std::uint32_t count) noexcept
    {
        const std::uint32_t room = whole_chunk - count_, now = count < room ? count : room;
        finish(y, places, now);
        if (count_ == whole_chunk) {
            fold();
            finish(y, places + now, count - now);
        }
    }
    void fold() noexcept
    {
        const std::uint32_t together = m_.readout.together;
        std::uint32_t padded = count_;
        while (padded % together != 0)
            features_[padded++] = 0;
        if (padded != 0)
            m_.readout.add(m_.readout, first_, padded, features_, sums_);
        first_ += count_;
        count_ = 0;
    }

private:
    void finish(const std::int16_t* y, const std::uint16_t* places, std::uint32_t count) noexcept
    {
        if (m_.rows.features != nullptr)
            m_.rows.features(m_.rows, part_, y, places, count, features_ + count_);
        else
            (m_.rows.absolute ? features_of<true> : features_of<false>)(y, places, count, shift_, features_ + count_);
        count_ += count;
    }

    const WholeModel& m_;
    std::uint8_t* features_;
    std::int32_t* sums_;
    unsigned shift_;
    std::uint32_t first_ = 0, count_ = 0, part_ = 0;
};

// CodedRows of a code that was checked, for places in blocks: nothing is looked at again.
struct CodedPlaces {
    const std::byte* at = nullptr;
    std::uint32_t width = 1, bits = 0, held = 0;
    std::uint32_t row = 0; // the next one, which the code has given already

    // Moves on to the next row.
    void next() noexcept { row = behind(row); }
    // Writes the places of rows in the block of `size` rows that begins at `first`; `left` rows are left, behind which
    // there is no code.
    [[gnu::noinline]] std::uint32_t places(std::uint32_t first, std::uint32_t size, std::uint32_t left,
                                           std::uint16_t* out) noexcept
    {
        CodedPlaces walk = *this; // in registers
        const std::uint16_t* const begin = out;
        const std::uint16_t* const end = out + (left < whole_chunk ? left : whole_chunk);
        std::uint32_t place = row - first;
        while (place < size) {
            *out++ = static_cast<std::uint16_t>(place);
            if (out == end) {
                if (left > whole_chunk)
                    place = walk.behind(place);
                break;
            }
            place = walk.behind(place);
        }
        walk.row = place + first;
        *this = walk;
        return static_cast<std::uint32_t>(out - begin);
    }

private:
    [[gnu::always_inline]] std::uint32_t behind(std::uint32_t before) noexcept
    {
        const std::uint32_t most = (1u << width) - 1;
        std::uint32_t field;
        ++before;
        do {
            if (held < width) {
                bits |= read_u8(at++) << held;
                held += 8;
            }
            field = bits & most;
            bits >>= width;
            held -= width;
            before += field;
        } while (field == most);
        return before;
    }
};

// The rows that are kept, whether all, listed or coded.
class Kept {
public:
    explicit Kept(const WholeModel& m) noexcept : kept_(&m.kept), left_(m.kept.all() ? m.rows.rows : m.kept.count())
    {
        if (kept_->coded()) {
            coded_.at = kept_->bytes_from_width() + 1;
            coded_.width = read_u8(kept_->bytes_from_width());
            coded_.row = ~std::uint32_t{0};
            coded_.next();
        } else if (!kept_->all()) {
            coded_.row = kept_->row(0);
        }
    }
    bool any() const noexcept { return left_ != 0; }
    std::uint32_t row() const noexcept { return coded_.row; }
    // Writes the next places in the block of `size` rows that begins at `first`, as many as there are, up to 64.
    std::uint32_t places(std::uint32_t first, std::uint32_t size, std::uint16_t* out) noexcept
    {
        if (left_ == 0)
            return 0;
        std::uint32_t count = 0;
        if (kept_->coded()) {
            count = coded_.places(first, size, left_, out);
        } else {
            const std::uint32_t most = left_ < whole_chunk ? left_ : whole_chunk;
            for (std::uint32_t& row = coded_.row; count < most && row - first < size;) {
                out[count++] = static_cast<std::uint16_t>(row - first);
                row = kept_->all() ? row + 1 : ++at_ < kept_->count() ? kept_->row(at_) : 0;
            }
        }
        left_ -= count;
        return count;
    }

private:
    const ChosenRows* kept_;
    std::uint32_t left_, at_ = 0;
    CodedPlaces coded_; // of rows that are not coded, the next one alone
};

// Memory of one prediction.
struct Rooms {
    std::uint32_t* signs;
    std::int16_t *first_round, *y;
    std::uint16_t* places;
    std::uint8_t* features;
};

void add_features(const WholeModel& m, const Rooms& rooms, std::int32_t* sums) noexcept
{
    const std::uint32_t inputs = m.rows.inputs;
    const unsigned log2_size = block_log2(inputs);
    const std::uint32_t size = std::uint32_t{1} << log2_size;
    const std::uint64_t prefix = stream_prefix(m.rows.seed, static_cast<std::uint64_t>(Domain::hadamard_signs));
    const auto signs_of = [&](std::uint32_t block) noexcept {
        integer_signs(stream_key_behind(prefix, block), {rooms.signs, integer_sign_words(inputs)});
        return rooms.signs;
    };
    integer_first_round(rooms.first_round, log2_size, signs_of(integer_common_block));
    Waiting waiting(m, rooms.features, sums);
    for (Kept kept(m); kept.any();) {
        const std::uint32_t block = kept.row() >> log2_size, first = block << log2_size;
        integer_rows(rooms.first_round, rooms.y, log2_size, signs_of(block));
        // Of pairs all cosines of the block, then all sines.
        const Kept first_part = kept;
        for (std::uint32_t part = 0; part < m.rows.turns.parts; ++part) {
            kept = first_part;
            waiting.begin(part);
            while (const std::uint32_t count = kept.places(first, size, rooms.places))
                waiting.take(rooms.y, rooms.places, count);
        }
    }
    waiting.fold();
}

template <class Number>
Status scores_of(const WholeModel& m, std::span<const Number> x, std::span<std::int32_t> scores,
                 std::span<std::byte> work) noexcept
{
    if (x.size() != m.rows.inputs || scores.size() != m.readout.outputs)
        return Status::wrong_length;
    Bump memory(work);
    if (!memory.aligned())
        return Status::misaligned;
    if (work.size() < whole_bytes(m.rows.inputs))
        return Status::small_workspace;
    const std::size_t size = std::size_t{1} << block_log2(m.rows.inputs);
    const Rooms rooms{memory.take<std::uint32_t>(integer_sign_words(m.rows.inputs)), memory.take<std::int16_t>(size),
                      memory.take<std::int16_t>(size), memory.take<std::uint16_t>(whole_chunk),
                      memory.take<std::uint8_t>(whole_chunk)};
    if (rooms.first_round == nullptr) // more bytes than there can be
        return Status::small_workspace;
    m.scaling.apply(x, rooms.first_round);
    std::memset(rooms.first_round + x.size(), 0, sizeof(std::int16_t) * (size - x.size()));
    for (std::int32_t& sum : scores)
        sum = 0;
    add_features(m, rooms, scores.data());
    m.readout.finish(scores.data());
    return Status::ok;
}

} // namespace

Status whole_scores(const WholeModel& model, std::span<const std::uint8_t> x, std::span<std::int32_t> scores,
                    std::span<std::byte> work) noexcept
{
    return scores_of(model, x, scores, work);
}
Status whole_scores(const WholeModel& model, std::span<const std::int8_t> x, std::span<std::int32_t> scores,
                    std::span<std::byte> work) noexcept
{
    return scores_of(model, x, scores, work);
}
Status whole_scores(const WholeModel& model, std::span<const std::int16_t> x, std::span<std::int32_t> scores,
                    std::span<std::byte> work) noexcept
{
    return scores_of(model, x, scores, work);
}

} // namespace samara
