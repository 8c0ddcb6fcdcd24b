#include "print_c.h"

#include "print.hpp"

void print_text(const char* text) { example::print(text); }
void print_decimal(unsigned value) { example::print_number(value); }

SAMARA_EXAMPLE_MAIN { return example_main(); }
