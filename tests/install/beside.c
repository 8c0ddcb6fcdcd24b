/* A program that has a KissFFT of its own, of double or int16 scalars, beside samara's, which is of floats: C99 and C++20.
   It prints the prediction of a model whose features come through samara's FFT. */
#include <kiss_fft.h>
#include <kiss_fftr.h>
#include <samara/samara.h>
#ifdef __cplusplus
#include <samara/samara.hpp>
#endif

#include <stdint.h>
#include <stdio.h>

#include "model.h"

#define LENGTH 48

/* All of a wave is in one bin, of the real and of the complex transform. */
static int own_fft_is_right(void)
{
    /* The fixed-point transform divides by the length, the others do not. */
    const double one = sizeof(kiss_fft_scalar) == 2 ? 16384.0 : 1.0;
    const double height = sizeof(kiss_fft_scalar) == 2 ? one / 2 : LENGTH * one / 2;
    const double close = sizeof(kiss_fft_scalar) == 2 ? 8.0 : 1e-12;
    kiss_fft_scalar wave[LENGTH];
    kiss_fft_cpx complex_wave[LENGTH], bins[LENGTH], same[LENGTH];
    kiss_fftr_cfg real = kiss_fftr_alloc(LENGTH, 0, NULL, NULL);
    kiss_fft_cfg plain = kiss_fft_alloc(LENGTH, 0, NULL, NULL);
    int i, good = real != NULL && plain != NULL && kiss_fft_next_fast_size(LENGTH - 1) == LENGTH;
    for (i = 0; i < LENGTH; ++i) {
        const double turn = 6.283185307179586476925287;
        wave[i] = (kiss_fft_scalar)(one * cos(turn * 5 * i / LENGTH));
        complex_wave[i].r = wave[i];
        complex_wave[i].i = 0;
    }
    if (!good)
        return 0;
    kiss_fftr(real, wave, bins);
    kiss_fft(plain, complex_wave, same);
    for (i = 0; i <= LENGTH / 2; ++i) {
        const double wanted = i == 5 ? height : 0.0;
        good = good && fabs(bins[i].r - wanted) <= close && fabs((double)bins[i].i) <= close;
        good = good && fabs(same[i].r - wanted) <= close && fabs((double)same[i].i) <= close;
    }
    kiss_fft_free(real);
    kiss_fft_free(plain);
    kiss_fft_cleanup();
    return good;
}

int main(void)
{
    static uint64_t work[1 << 14];
    samara_model opened;
    float x[MODEL_INPUTS], score[1];
    int i, status;
    if (!own_fft_is_right()) {
        printf("the program's own FFT is wrong\n");
        return 1;
    }
    for (i = 0; i < MODEL_INPUTS; ++i)
        x[i] = (float)(i % 7 - 3) / 16.0f;
    status = samara_open(&opened, model, sizeof model);
    if (status == SAMARA_OK)
        status = samara_scores(&opened, x, score, work, sizeof work);
    if (status != SAMARA_OK) {
        printf("%s\n", samara_status_text(status));
        return 1;
    }
    printf("%.9g\n", score[0]);
    return own_fft_is_right() ? 0 : 1;
}
