#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "ports/host/bench/bench_lines.hpp"
#include "ports/host/commands/commands.hpp"
#include "ports/host/text/error.hpp"

namespace samara::desk {
namespace {

const CommandPage page = {
    "samara bench",
    "Measures how fast this build is on this machine, on one thread, beside what one would use without it. The best\n"
    "time of many counts, and each baseline takes turns with what it is compared with. The exit status says nothing\n"
    "of times. Streams and transforms are measured for AVX-512 and AVX2 where the machine has them, or for what\n"
    "SAMARA_SIMD says.\n\n"
    "A ratio says how many times as fast as the baseline samara is; where the target is an upper limit, how many\n"
    "times the baseline's time samara takes.\n",
    {{.name = "--quick", .meaning = "a few seconds in place of half a minute, and rougher"},
     {.name = "--json", .meaning = "an array with one JSON object a line of the table; times are in microseconds"}}};

constexpr Effort thorough{0.8, 2, 2.0};
constexpr Effort quick{0.07, 1, 0.8};

std::vector<Simd> back_ends()
{
    const Simd active = active_simd();
    std::vector<Simd> list{active};
    const char* const forced = std::getenv("SAMARA_SIMD");
    if (forced != nullptr && *forced != '\0') {
        return list;
    }
    for (const Simd other : {Simd::avx512, Simd::avx2}) {
        if (other != active && use_simd(other) == Status::ok) {
            list.push_back(other);
        }
    }
    static_cast<void>(use_simd(active));
    return list;
}

const char* unit_text(Unit unit)
{
    return unit == Unit::bytes ? "bytes" : unit == Unit::microseconds ? "us" : "million/s";
}

std::string rounded(double value)
{
    char text[64];
    const int digits = value >= 1000.0 ? 0 : value >= 100.0 ? 1 : value >= 10.0 ? 2 : 3;
    std::snprintf(text, sizeof text, "%.*f", digits, value);
    return text;
}

std::string amount(Unit unit, double value)
{
    return (unit == Unit::bytes ? number_text(value) : rounded(value)) + " " + unit_text(unit);
}

std::string target_text(const BenchLine& line)
{
    if (line.target.bound == Bound::none) {
        return "";
    }
    return (line.target.bound == Bound::at_least ? ">= " : "<= ") + number_text(line.target.value) +
           (line.unit == Unit::bytes ? " bytes" : "x");
}

std::string table(const std::vector<BenchLine>& lines)
{
    std::vector<std::vector<std::string>> rows{{"what", "back end", "samara", "baseline", "its", "ratio", "target"}};
    for (const BenchLine& line : lines) {
        const bool compared = !line.baseline.empty();
        rows.push_back({line.name, line.back_end, amount(line.unit, line.samara), line.baseline,
                        compared ? amount(line.unit, line.baseline_value) : "",
                        compared ? rounded(line.ratio) + "x" : "", target_text(line)});
    }
    return aligned(rows, "", 2);
}

nlohmann::ordered_json json(const std::vector<BenchLine>& lines)
{
    using Json = nlohmann::ordered_json;
    Json array = Json::array();
    for (const BenchLine& line : lines) {
        const bool compared = !line.baseline.empty();
        const Bound bound = line.target.bound;
        array.push_back(
            {{"name", line.name},
             {"back_end", line.back_end},
             {"unit", unit_text(line.unit)},
             {"samara", line.samara},
             {"baseline", compared ? Json(line.baseline) : Json()},
             {"baseline_value", compared ? Json(line.baseline_value) : Json()},
             {"ratio", compared ? Json(line.ratio) : Json()},
             {"bound", bound == Bound::none ? Json() : Json(bound == Bound::at_least ? "at least" : "at most")},
             {"target", bound == Bound::none ? Json() : Json(line.target.value)}});
    }
    return array;
}

} // namespace

int bench_command(const std::vector<std::string>& words)
{
    const Arguments arguments(words, page.options);
    if (arguments.help()) {
        print_text(help_text(page));
        return 0;
    }
    arguments.require_positionals(0, 0, "nothing");
    const std::vector<BenchLine> lines = measure_lines(back_ends(), arguments.has("--quick") ? quick : thorough);
    if (arguments.has("--json")) {
        print_json(json(lines), 1);
    } else {
        print_text(table(lines));
    }
    return 0;
}

} // namespace samara::desk
