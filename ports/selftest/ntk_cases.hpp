#pragma once

#include "report.hpp"

namespace samara::selftest {

void ntk_cases(Report& report);

} // namespace samara::selftest
