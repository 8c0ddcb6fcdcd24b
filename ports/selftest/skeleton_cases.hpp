#pragma once

#include "report.hpp"

namespace samara::selftest {

void skeleton_cases(Report& report);

} // namespace samara::selftest
