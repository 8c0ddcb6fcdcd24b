#include "ports/host/data/memory_limit.hpp"

#include <unistd.h>

#include <charconv>
#include <cstddef>
#include <cstdio>
#include <system_error>

#include "ports/host/text/error.hpp"

namespace samara::desk {
namespace {

// Where the system does not say how much it has.
constexpr double usual_memory = 8e9;

// 0: what the machine has decides.
std::uint64_t limit = 0;

} // namespace

double machine_memory()
{
    const auto pages = static_cast<double>(::sysconf(_SC_PHYS_PAGES));
    const auto page = static_cast<double>(::sysconf(_SC_PAGESIZE));
    return pages > 0.0 && page > 0.0 ? pages * page : 0.0;
}

std::uint64_t most_memory()
{
    if (limit != 0) {
        return limit;
    }
    const double memory = machine_memory();
    return static_cast<std::uint64_t>(0.5 * (memory > 0.0 ? memory : usual_memory));
}

void set_most_memory(std::uint64_t bytes) { limit = bytes; }

void require_memory(const std::string& name, const std::string& found, double bytes)
{
    const auto most = static_cast<double>(most_memory());
    if (bytes > most) {
        throw BadInput(name + ": found " + found + ", which takes " + bytes_text(bytes) +
                       " of memory, expected at most the " + bytes_text(most) + " of --most-memory");
    }
}

std::uint64_t parse_bytes(std::string_view text, const std::string& name)
{
    double number = 0.0;
    const auto [stop, status] = std::from_chars(text.data(), text.data() + text.size(), number);
    std::string_view unit(stop, static_cast<std::size_t>(text.data() + text.size() - stop));
    if (unit.size() == 2 && (unit[1] == 'B' || unit[1] == 'b')) {
        unit.remove_suffix(1);
    }
    double factor = unit.empty() ? 1.0 : 0.0, thousands = 1.0;
    for (const std::string_view letters : {"kK", "mM", "gG", "tT"}) {
        thousands *= 1000.0;
        factor = unit.size() == 1 && letters.find(unit[0]) != std::string_view::npos ? thousands : factor;
    }
    constexpr double most = 1e18;
    const double bytes = number * factor;
    if (status != std::errc() || !(bytes >= 1.0 && bytes <= most)) {
        throw BadInput(name + ": found " + quoted_text(text) +
                       ", expected a number of bytes, perhaps with K, M, G or T behind it");
    }
    return static_cast<std::uint64_t>(bytes);
}

std::string bytes_text(double bytes)
{
    const char* unit = "bytes";
    for (const char* const larger : {"KB", "MB", "GB", "TB", "PB", "EB"}) {
        // So that nothing is rounded to 1000 of a unit.
        if (bytes < 999.5) {
            break;
        }
        bytes /= 1000.0;
        unit = larger;
    }
    char text[64];
    std::snprintf(text, sizeof text, "%.3g %s", bytes, unit);
    return text;
}

} // namespace samara::desk
