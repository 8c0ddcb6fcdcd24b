#include "ports/host/data/gzip.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <new>
#include <utility>

#include <zlib.h>

#include "ports/host/data/memory_limit.hpp"
#include "ports/host/text/error.hpp"

namespace samara::desk {
namespace {

constexpr std::size_t piece_bytes = 16384;

// For inflateInit2: the longest window that there is, and a gzip header in front.
constexpr int gzip_window = 15 + 16;

const char* const whole_file = "a whole gzip file";

// As far as the system tells how long the file is.
double most_unpacked(std::istream& compressed)
{
    compressed.seekg(0, std::ios::end);
    const std::streamoff size = compressed.tellg();
    compressed.clear();
    compressed.seekg(0, std::ios::beg);
    compressed.clear();
    return size < 0 ? std::numeric_limits<double>::infinity() : most_expansion * static_cast<double>(size);
}

// Room for so many more characters. While a text moves to a larger place both are taken, and the limit counts that.
void make_room(std::string& text, std::size_t more, const std::string& name)
{
    const std::size_t least = text.size() + more, there = text.capacity();
    if (least <= there) {
        return;
    }
    require_memory(name, "compressed data that go on", static_cast<double>(there) + static_cast<double>(least));
    const std::uint64_t most = most_memory() - there;
    text.reserve(static_cast<std::size_t>(std::clamp<std::uint64_t>(2 * std::uint64_t{there}, least, most)));
}

} // namespace

struct GzipReader::State {
    z_stream stream{};
    std::array<unsigned char, piece_bytes> piece;
    bool first_member = true, inside = false, ended = false;
};

GzipReader::GzipReader(std::unique_ptr<std::istream> compressed, std::string name)
    : compressed_(std::move(compressed)), name_(std::move(name)), most_bytes_(most_unpacked(*compressed_)),
      state_(std::make_unique<State>())
{
    if (::inflateInit2(&state_->stream, gzip_window) != Z_OK) {
        throw std::bad_alloc();
    }
}

GzipReader::~GzipReader() { ::inflateEnd(&state_->stream); }

void GzipReader::refuse(const std::string& found, const std::string& expected) const
{
    throw BadInput(name_ + ": found " + found + ", expected " + expected);
}

// Whether there is a byte to unpack; the next piece of the file is read where there is none.
bool GzipReader::fill()
{
    z_stream& stream = state_->stream;
    if (stream.avail_in == 0) {
        compressed_->read(reinterpret_cast<char*>(state_->piece.data()), piece_bytes);
        if (compressed_->bad()) {
            refuse("a read error", "a readable file");
        }
        stream.next_in = state_->piece.data();
        stream.avail_in = static_cast<uInt>(compressed_->gcount());
    }
    return stream.avail_in != 0;
}

// False at the end of the file.
bool GzipReader::begin_member()
{
    z_stream& stream = state_->stream;
    const bool first = std::exchange(state_->first_member, false);
    if (first && !fill()) {
        refuse("an empty file", "a gzip file, as its suffix says");
    }
    // Tapes and some tools fill up with zeros.
    bool zeros = false;
    while (!first && fill() && *stream.next_in == 0) {
        ++stream.next_in;
        --stream.avail_in;
        zeros = true;
    }
    if (!fill()) {
        return false;
    }
    // zlib checks the rest of the signature; this byte tells what is no gzip file at all.
    constexpr unsigned char signature = 0x1F;
    if (zeros || *stream.next_in != signature) {
        refuse(first ? "no gzip signature" : "bytes after the end of the compressed data",
               "a gzip file, as its suffix says");
    }
    ::inflateReset(&stream);
    return true;
}

std::size_t GzipReader::read(char* target, std::size_t count)
{
    z_stream& stream = state_->stream;
    std::size_t done = 0;
    while (done < count && !state_->ended) {
        if (!state_->inside && !begin_member()) {
            state_->ended = true;
            break;
        }
        state_->inside = true;
        if (!fill()) {
            refuse("the end of the file within compressed data (truncated)", whole_file);
        }
        const std::size_t asked = std::min<std::size_t>(count - done, std::numeric_limits<uInt>::max());
        stream.next_out = reinterpret_cast<Bytef*>(target + done);
        stream.avail_out = static_cast<uInt>(asked);
        const int status = ::inflate(&stream, Z_NO_FLUSH);
        done += asked - stream.avail_out;
        if (status == Z_STREAM_END) {
            state_->inside = false;
        } else if (status == Z_MEM_ERROR) {
            throw std::bad_alloc();
        } else if (status != Z_OK && status != Z_BUF_ERROR) {
            // zlib's own words, "incorrect data check" for instance.
            refuse(std::string("damaged compressed data (") + (stream.msg != nullptr ? stream.msg : "unknown") + ")",
                   whole_file);
        }
    }
    return done;
}

void GzipReader::append_rest(std::string& text)
{
    std::array<char, 4 * piece_bytes> piece;
    for (std::size_t count = piece.size(); count == piece.size();) {
        count = read(piece.data(), piece.size());
        make_room(text, count, name_);
        text.append(piece.data(), count);
    }
}

std::string GzipReader::read_rest()
{
    std::string text;
    append_rest(text);
    return text;
}

} // namespace samara::desk
