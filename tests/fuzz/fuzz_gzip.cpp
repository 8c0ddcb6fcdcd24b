// Any bytes as a gzip file: read in pieces of any size it gives the same as read at once, and an error in both.
#include <algorithm>
#include <memory>
#include <sstream>

#include "ports/host/data/gzip.hpp"
#include "sandbox.hpp"

namespace {

// Enough of what a small file may unpack to.
constexpr std::size_t most_bytes = 1u << 16;

struct Read {
    std::string bytes;
    bool good = false;
};

Read read_in_pieces(const std::string& file, std::size_t piece)
{
    Read result;
    result.good = fuzz::accepted([&] {
        samara::desk::GzipReader reader(std::make_unique<std::istringstream>(file), "data.gz");
        std::string buffer(piece, '\0');
        for (std::size_t count = piece; count == piece && result.bytes.size() < most_bytes;) {
            count = reader.read(buffer.data(), piece);
            fuzz::require(count <= piece, "a piece is not longer than asked for");
            result.bytes.append(buffer, 0, count);
        }
    });
    return result;
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    fuzz::Input in(data, size);
    const std::size_t piece = 1u + in.byte();
    const std::string file = in.rest();
    const Read slowly = read_in_pieces(file, piece), at_once = read_in_pieces(file, most_bytes);
    const std::size_t common = std::min({slowly.bytes.size(), at_once.bytes.size(), most_bytes});
    fuzz::require(slowly.bytes.compare(0, common, at_once.bytes, 0, common) == 0, "pieces give the same bytes");
    if (slowly.bytes.size() < most_bytes && at_once.bytes.size() < most_bytes && slowly.good)
        fuzz::require(at_once.good && slowly.bytes == at_once.bytes, "pieces end where the whole does");
    return 0;
}
