/* What a C example needs of the program around it: print_c.cpp. */
#ifndef SAMARA_EXAMPLES_PRINT_C_H
#define SAMARA_EXAMPLES_PRINT_C_H

#ifdef __cplusplus
extern "C" {
#endif

void print_text(const char *text);
void print_decimal(unsigned value);
int example_main(void);

#ifdef __cplusplus
}
#endif

#endif
