#pragma once

#include "report.hpp"

namespace samara::selftest {

void sketch_cases(Report& report);

} // namespace samara::selftest
