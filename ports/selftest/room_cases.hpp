#pragma once

#include "report.hpp"

namespace samara::selftest {

void stream_cases(Report& report);
void function_cases(Report& report);
void transform_cases(Report& report);
void kernel_cases(Report& report);
void readout_cases(Report& report);

} // namespace samara::selftest
