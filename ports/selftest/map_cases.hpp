#pragma once

#include "report.hpp"

namespace samara::selftest {

void map_cases(Report& report);

} // namespace samara::selftest
