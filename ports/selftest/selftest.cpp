#include "selftest.hpp"

#include "map_cases.hpp"
#include "ntk_cases.hpp"
#include "room_cases.hpp"
#include "skeleton_cases.hpp"
#include "sketch_cases.hpp"
#include "whole_cases.hpp"

namespace samara::selftest {

void Report::line(const char* name, std::uint32_t crc)
{
    constexpr std::size_t most = 80;
    char text[most + 12];
    std::size_t n = 0;
    for (; name[n] != '\0' && n < most; ++n)
        text[n] = name[n];
    text[n++] = ' ';
    for (int shift = 28; shift >= 0; shift -= 4)
        text[n++] = "0123456789abcdef"[(crc >> shift) & 15u];
    text[n] = '\0';
    print(text);
}

void Report::fail(const char* name, const char* what)
{
    print("FAILED");
    print(name);
    print(what);
    ++failed;
}

} // namespace samara::selftest

int samara_selftest(void (*print)(const char*))
{
    samara::selftest::Report report{print};
    if (samara::check_environment() != samara::Status::ok)
        report.fail("environment", samara::text(samara::check_environment()));
    samara::selftest::stream_cases(report);
    samara::selftest::function_cases(report);
    samara::selftest::transform_cases(report);
    samara::selftest::kernel_cases(report);
    samara::selftest::readout_cases(report);
    samara::selftest::sketch_cases(report);
    samara::selftest::map_cases(report);
    samara::selftest::ntk_cases(report);
    samara::selftest::skeleton_cases(report);
    samara::selftest::whole_cases(report);
    return report.failed;
}
