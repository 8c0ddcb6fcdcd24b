#pragma once

#include "report.hpp"

namespace samara::selftest {

// Predictions in whole numbers.
void whole_cases(Report& report);

} // namespace samara::selftest
