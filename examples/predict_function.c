/* One model that is known beforehand, from C99: `samara export --c-function` wrote data/digits.h and data/digits.cpp. No
 * memory but theirs is needed, and no code but that of this model is linked. */
#include "data/digits.h"
#include "print_c.h"

static const uint8_t images[][65] = {
#include "data/digits_test.inc"
};

int example_main(void)
{
    const unsigned count = sizeof images / sizeof images[0];
    unsigned right = 0;
    if (digits_check() != 0)
        return 1;
    for (unsigned i = 0; i < count; ++i) {
        float x[DIGITS_INPUTS];
        uint32_t digit = 0;
        for (unsigned j = 0; j < DIGITS_INPUTS; ++j)
            x[j] = images[i][j];
        if (digits_predict(x, &digit) != 0)
            return 1;
        right += digit == images[i][64];
    }
    print_text("right ");
    print_decimal(right);
    print_text("\nram ");
    print_decimal(DIGITS_RAM_BYTES);
    print_text("\n");
    return 10 * right > 9 * count ? 0 : 1;
}
