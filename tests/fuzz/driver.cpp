// Runs a fuzzer where there is no libFuzzer: on every file of some directories, and on so many changed copies of each.
// The changes depend on nothing but the files, so what fails once fails always; the input that did is written to
// crash-input in the working directory.
//
//   PROGRAM [--copies N] DIRECTORY...
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);
extern "C" const char* __asan_default_options() { return "abort_on_error=1:allocator_may_return_null=0"; }
extern "C" const char* __ubsan_default_options() { return "halt_on_error=1:abort_on_error=1:print_stacktrace=1"; }

namespace {

using Bytes = std::vector<std::uint8_t>;

const Bytes* present = nullptr;

extern "C" void keep_input(int)
{
    const int file = ::open("crash-input", O_WRONLY | O_CREAT | O_TRUNC, 0644);
    if (file >= 0 && present != nullptr) {
        // Nothing can be done where this fails: the program ends in any case.
        [[maybe_unused]] const auto written = ::write(file, present->data(), present->size());
        ::close(file);
    }
    std::signal(SIGABRT, SIG_DFL);
    std::abort();
}

std::uint64_t next(std::uint64_t& state)
{
    state += 0x9e3779b97f4a7c15u;
    std::uint64_t z = state;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

// One to four small changes: a bit, a byte, a number at an edge, a part left out, doubled, or taken from another file.
Bytes changed(Bytes bytes, const std::vector<Bytes>& files, std::uint64_t& random)
{
    constexpr std::uint8_t edges[] = {0, 1, 0x7f, 0x80, 0xff, ' ', ',', '\n', '"', '0', '9', '-', '.', 'e'};
    const unsigned changes = 1 + next(random) % 4;
    for (unsigned i = 0; i < changes; ++i) {
        const std::size_t size = bytes.size(), at = size == 0 ? 0 : next(random) % size;
        const std::size_t count = std::min<std::size_t>(1 + next(random) % 16, size - at);
        const auto place = bytes.begin() + static_cast<std::ptrdiff_t>(at),
                   end = place + static_cast<std::ptrdiff_t>(count);
        switch (next(random) % 6) {
        case 0:
            if (size != 0)
                *place = static_cast<std::uint8_t>(*place ^ 1u << next(random) % 8);
            break;
        case 1:
            if (size != 0)
                *place = edges[next(random) % std::size(edges)];
            break;
        case 2:
            std::fill(place, end, edges[next(random) % 5]);
            break;
        case 3:
            bytes.erase(place, end);
            break;
        case 4: {
            const Bytes part(place, end);
            bytes.insert(place, part.begin(), part.end());
            break;
        }
        default: {
            const Bytes& other = files[next(random) % files.size()];
            if (!other.empty()) {
                const std::size_t from = next(random) % other.size();
                const std::size_t most = std::min<std::size_t>(other.size() - from, 64);
                bytes.insert(place, other.begin() + static_cast<std::ptrdiff_t>(from),
                             other.begin() + static_cast<std::ptrdiff_t>(from + most));
            }
        }
        }
    }
    return bytes;
}

void run(const Bytes& bytes)
{
    // A copy of exactly this length, so that a sanitizer sees a byte too many.
    const Bytes exact(bytes.begin(), bytes.end());
    present = &exact;
    LLVMFuzzerTestOneInput(exact.data(), exact.size());
}

} // namespace

int main(int count, char** words)
{
    std::signal(SIGABRT, keep_input);
    std::signal(SIGSEGV, keep_input);
    unsigned long copies = 0;
    std::vector<std::string> names;
    for (int i = 1; i < count; ++i) {
        if (std::string(words[i]) == "--copies" && i + 1 < count) {
            copies = std::strtoul(words[++i], nullptr, 10);
            continue;
        }
        for (const auto& entry : std::filesystem::recursive_directory_iterator(words[i]))
            if (entry.is_regular_file())
                names.push_back(entry.path().string());
    }
    if (names.empty()) {
        std::fputs("found no files\n", stderr);
        return 2;
    }
    std::sort(names.begin(), names.end());
    std::vector<Bytes> files;
    for (const std::string& name : names) {
        std::ifstream in(name, std::ios::binary);
        files.emplace_back(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>());
    }
    unsigned long runs = 0;
    std::uint64_t random = 1;
    for (const Bytes& file : files) {
        run(file);
        ++runs;
        for (unsigned long i = 0; i < copies; ++i, ++runs)
            run(changed(file, files, random));
    }
    std::fprintf(stderr, "%zu files, %lu runs\n", files.size(), runs);
    return 0;
}
