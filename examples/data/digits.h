/* Predictions by a sealed model of samara: arccos:order=1,rows=hadamard,sweeps=0,orders=none,pairs=0,features=2048,seed=0, 128 rows kept; 64 inputs, 10 outputs.

   Functions return 0 (SAMARA_OK), or a number that samara_status_text() of samara/samara.h explains, and
   leave their outputs untouched then. They share static memory: one call at a time. Compile the source
   beside this header as C++20 and link the library. */
#ifndef SAMARA_FUNCTION_digits
#define SAMARA_FUNCTION_digits

#include <stdint.h>

#define DIGITS_INPUTS 64u
#define DIGITS_OUTPUTS 10u
#define DIGITS_MODEL_BYTES 1796u
/* Static memory of the functions; the stack comes on top. */
#define DIGITS_RAM_BYTES 576u

#ifdef __cplusplus
extern "C" {
#endif

/* Whether flash still holds the model that was compiled: to call once. */
int digits_check(void);

/* x: DIGITS_INPUTS floats, unscaled, as the training saw them; output: the number of the largest score. */
int digits_predict(const float *x, uint32_t *output);

/* scores: DIGITS_OUTPUTS floats. */
int digits_scores(const float *x, float *scores);

#ifdef __cplusplus
}
#endif

#endif
