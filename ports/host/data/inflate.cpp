#include "ports/host/data/inflate.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "ports/host/text/error.hpp"

namespace samara::desk {
namespace {

[[noreturn]] void refuse(const std::string& name, const std::string& found, const std::string& expected)
{
    throw BadInput(name + ": found " + found + ", expected " + expected);
}

constexpr auto crc_tables = [] {
    std::array<std::array<std::uint32_t, 256>, 4> tables{};
    for (std::uint32_t byte = 0; byte < 256; ++byte) {
        std::uint32_t value = byte;
        for (int bit = 0; bit < 8; ++bit) {
            value = (value >> 1u) ^ ((value & 1u) != 0 ? 0xEDB88320u : 0u);
        }
        tables[0][byte] = value;
    }
    for (std::size_t table = 1; table < tables.size(); ++table) {
        for (std::size_t byte = 0; byte < 256; ++byte) {
            const std::uint32_t before = tables[table - 1][byte];
            tables[table][byte] = (before >> 8u) ^ tables[0][before & 255u];
        }
    }
    return tables;
}();

std::uint32_t crc32(std::string_view bytes)
{
    std::uint32_t crc = 0xFFFFFFFFu;
    const auto* next = reinterpret_cast<const unsigned char*>(bytes.data());
    std::size_t left = bytes.size();
    for (; left >= 4; left -= 4, next += 4) {
        crc ^= std::uint32_t{next[0]} | std::uint32_t{next[1]} << 8u | std::uint32_t{next[2]} << 16u |
               std::uint32_t{next[3]} << 24u;
        crc = crc_tables[3][crc & 255u] ^ crc_tables[2][(crc >> 8u) & 255u] ^ crc_tables[1][(crc >> 16u) & 255u] ^
              crc_tables[0][crc >> 24u];
    }
    for (; left > 0; --left, ++next) {
        crc = (crc >> 8u) ^ crc_tables[0][(crc ^ *next) & 255u];
    }
    return ~crc;
}

// The next 15 bits, first bit lowest, index the table; an entry holds symbol * 16 + length, 0 where no code is.
class HuffmanTable {
public:
    static constexpr unsigned longest = 15;

    // False for lengths that no code has: more codes than there is room for, or, but for a lone code, fewer.
    bool build(std::span<const std::uint8_t> lengths)
    {
        std::array<std::uint32_t, longest + 1> count{}, next{};
        for (const std::uint8_t length : lengths) {
            ++count[length];
        }
        count[0] = 0;
        std::uint32_t room = 0;
        std::uint32_t codes = 0;
        for (unsigned length = 1; length <= longest; ++length) {
            next[length] = (next[length - 1] + count[length - 1]) << 1u;
            room += count[length] << (longest - length);
            codes += count[length];
        }
        if (room > entries_.size() || (room < entries_.size() && codes > 1)) {
            return false;
        }
        entries_.fill(0);
        for (std::size_t symbol = 0; symbol < lengths.size(); ++symbol) {
            const unsigned length = lengths[symbol];
            if (length == 0) {
                continue;
            }
            const std::uint32_t code = next[length]++;
            std::uint32_t reversed = 0;
            for (unsigned bit = 0; bit < length; ++bit) {
                reversed |= ((code >> bit) & 1u) << (length - 1 - bit);
            }
            for (std::size_t place = reversed; place < entries_.size(); place += std::size_t{1} << length) {
                entries_[place] = static_cast<std::uint16_t>(symbol * 16 + length);
            }
        }
        return true;
    }

    unsigned entry(std::uint64_t bits) const { return entries_[bits & (entries_.size() - 1)]; }

private:
    std::array<std::uint16_t, std::size_t{1} << longest> entries_{};
};

class Inflater {
public:
    Inflater(std::string_view bytes, const std::string& name) : bytes_(bytes), name_(name) {}

    // Appends what the stream at `position` holds and moves `position` behind it.
    void run(std::size_t& position, std::string& out)
    {
        position_ = position;
        bits_ = 0;
        held_ = 0;
        start_ = out.size();
        bool last = false;
        while (!last) {
            last = take(1) != 0;
            switch (take(2)) {
            case 0:
                stored(out);
                break;
            case 1:
                fixed_codes();
                compressed(out);
                break;
            case 2:
                dynamic_codes();
                compressed(out);
                break;
            default:
                damaged();
            }
        }
        position = position_ - held_ / 8;
    }

private:
    [[noreturn]] void damaged() const { refuse(name_, "damaged compressed data", "a whole gzip file"); }
    [[noreturn]] void cut_short() const
    {
        refuse(name_, "the end of the file within compressed data (truncated)", "a whole gzip file");
    }

    void fill()
    {
        while (held_ <= 48 && position_ < bytes_.size()) {
            bits_ |= std::uint64_t{static_cast<unsigned char>(bytes_[position_++])} << held_;
            held_ += 8;
        }
    }

    void drop(unsigned count)
    {
        if (count > held_) {
            cut_short();
        }
        bits_ >>= count;
        held_ -= count;
    }

    std::uint32_t take(unsigned count)
    {
        if (held_ < count) {
            fill();
        }
        const auto value = static_cast<std::uint32_t>(bits_ & ((std::uint64_t{1} << count) - 1));
        drop(count);
        return value;
    }

    unsigned symbol(const HuffmanTable& table)
    {
        if (held_ < HuffmanTable::longest) {
            fill();
        }
        const unsigned entry = table.entry(bits_);
        if (entry == 0) {
            held_ < HuffmanTable::longest ? cut_short() : damaged();
        }
        drop(entry & 15u);
        return entry >> 4u;
    }

    void stored(std::string& out)
    {
        drop(held_ % 8);
        const std::uint32_t length = take(16);
        if ((take(16) ^ length) != 0xFFFFu) {
            damaged();
        }
        position_ -= held_ / 8;
        bits_ = 0;
        held_ = 0;
        if (bytes_.size() - position_ < length) {
            cut_short();
        }
        out.append(bytes_.substr(position_, length));
        position_ += length;
    }

    void fixed_codes()
    {
        std::array<std::uint8_t, 288> lengths{};
        for (std::size_t i = 0; i < lengths.size(); ++i) {
            lengths[i] = i < 144 ? 8 : i < 256 ? 9 : i < 280 ? 7 : 8;
        }
        literals_.build(lengths);
        std::array<std::uint8_t, 32> places{};
        places.fill(5);
        distances_.build(places);
    }

    void dynamic_codes()
    {
        constexpr std::array<std::uint8_t, 19> order = {16, 17, 18, 0, 8,  7, 9,  6, 10, 5,
                                                        11, 4,  12, 3, 13, 2, 14, 1, 15};
        const std::size_t literals = take(5) + 257;
        const std::size_t distances = take(5) + 1;
        const std::size_t given = take(4) + 4;
        std::array<std::uint8_t, 19> first{};
        for (std::size_t i = 0; i < given; ++i) {
            first[order[i]] = static_cast<std::uint8_t>(take(3));
        }
        if (literals > 286 || !literals_.build(first)) {
            damaged();
        }
        std::array<std::uint8_t, 320> lengths{};
        std::size_t count = 0;
        while (count < literals + distances) {
            const unsigned code = symbol(literals_);
            if (code < 16) {
                lengths[count++] = static_cast<std::uint8_t>(code);
                continue;
            }
            if (code == 16 && count == 0) {
                damaged();
            }
            const std::uint8_t value = code == 16 ? lengths[count - 1] : std::uint8_t{0};
            const std::size_t repeat = code == 16 ? 3 + take(2) : code == 17 ? 3 + take(3) : 11 + take(7);
            if (count + repeat > literals + distances) {
                damaged();
            }
            std::fill_n(lengths.begin() + static_cast<std::ptrdiff_t>(count), repeat, value);
            count += repeat;
        }
        const std::span<const std::uint8_t> all(lengths);
        if (lengths[256] == 0 || !literals_.build(all.first(literals)) ||
            !distances_.build(all.subspan(literals, distances))) {
            damaged();
        }
    }

    void compressed(std::string& out)
    {
        constexpr std::array<std::uint16_t, 29> bases = {3,  4,  5,  6,   7,   8,   9,   10,  11, 13,
                                                         15, 17, 19, 23,  27,  31,  35,  43,  51, 59,
                                                         67, 83, 99, 115, 131, 163, 195, 227, 258};
        for (;;) {
            const unsigned code = symbol(literals_);
            if (code < 256) {
                out += static_cast<char>(code);
                continue;
            }
            if (code == 256) {
                return;
            }
            if (code > 285) {
                damaged();
            }
            const unsigned extra = code < 265 || code == 285 ? 0 : (code - 261) / 4;
            const std::size_t length = bases[code - 257] + take(extra);
            const unsigned place = symbol(distances_);
            if (place > 29) {
                damaged();
            }
            const unsigned more = place < 4 ? 0 : place / 2 - 1;
            const std::size_t base =
                place < 4 ? place + 1 : (std::size_t{2} + place % 2) * (std::size_t{1} << more) + 1;
            const std::size_t distance = base + take(more);
            if (distance > out.size() - start_) {
                damaged();
            }
            // The copy may overlap what it writes: then it repeats.
            for (std::size_t i = 0; i < length; ++i) {
                out += out[out.size() - distance];
            }
        }
    }

    std::string_view bytes_;
    const std::string& name_;
    std::size_t position_ = 0;
    std::size_t start_ = 0;
    std::uint64_t bits_ = 0;
    unsigned held_ = 0;
    HuffmanTable literals_, distances_;
};

// Behind the header that starts at `position`.
std::size_t after_header(std::string_view bytes, std::size_t position, const std::string& name)
{
    const auto byte = [&](std::size_t index) -> unsigned {
        if (index >= bytes.size()) {
            refuse(name, "the end of the file within a gzip header (truncated)", "a whole gzip file");
        }
        return static_cast<unsigned char>(bytes[index]);
    };
    if (byte(position) != 0x1Fu || byte(position + 1) != 0x8Bu || byte(position + 2) != 8u) {
        refuse(name, position == 0 ? "no gzip signature" : "bytes after the end of the compressed data",
               "a gzip file, as its suffix says");
    }
    const unsigned flags = byte(position + 3);
    if ((flags & 0xE0u) != 0) {
        refuse(name, "reserved flags in the gzip header (damaged)", "a whole gzip file");
    }
    std::size_t next = position + 10;
    if ((flags & 4u) != 0) {
        next += 2 + byte(next) + 256 * byte(next + 1);
    }
    for (const unsigned text : {8u, 16u}) {
        while ((flags & text) != 0 && byte(next++) != 0) {
        }
    }
    return next + ((flags & 2u) != 0 ? 2 : 0);
}

std::uint32_t word_at(std::string_view bytes, std::size_t position)
{
    std::uint32_t value = 0;
    for (std::size_t i = 4; i-- > 0;) {
        value = value << 8u | static_cast<unsigned char>(bytes[position + i]);
    }
    return value;
}

} // namespace

std::string gunzip(std::string_view bytes, const std::string& name)
{
    if (bytes.empty()) {
        refuse(name, "an empty file", "a gzip file, as its suffix says");
    }
    std::string out;
    // On the heap: its tables are large.
    const auto inflater = std::make_unique<Inflater>(bytes, name);
    for (std::size_t position = 0; position < bytes.size();) {
        const std::size_t start = out.size();
        position = after_header(bytes, position, name);
        inflater->run(position, out);
        if (bytes.size() - std::min(position, bytes.size()) < 8) {
            refuse(name, "the end of the file before the checksum (truncated)", "a whole gzip file");
        }
        const std::string_view member = std::string_view(out).substr(start);
        if (word_at(bytes, position) != crc32(member) ||
            word_at(bytes, position + 4) != (member.size() & 0xFFFFFFFFu)) {
            refuse(name, "a checksum that does not fit the contents (damaged)", "a whole gzip file");
        }
        position += 8;
        // Tapes and some tools fill up with zeros.
        if (bytes.find_first_not_of('\0', position) == std::string_view::npos) {
            break;
        }
    }
    return out;
}

} // namespace samara::desk
