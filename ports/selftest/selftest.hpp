#pragma once

/// Runs the self-test and prints its lines, each a name and a digest, through `print`; a line comes without
/// its end. The lines are the same on every target. Returns the number of checks that failed.
int samara_selftest(void (*print)(const char*));
