/* The same model from C99: opened at run time, in memory that the program owns, and taught one more image. */
#include <samara/samara.h>

#include "digits_model.h"
#include "print_c.h"

static const uint8_t images[][65] = {
#include "digits_test.inc"
};

static samara_model model;
static samara_learner learner;
static float x[64], scores[10];
static float work[1024], state[10 * 1100];

static void read(const uint8_t *image)
{
    for (int i = 0; i < 64; ++i)
        x[i] = image[i];
}

int example_main(void)
{
    const unsigned count = sizeof images / sizeof images[0];
    unsigned right = 0;
    int status = samara_open(&model, digits_model, sizeof digits_model);
    if (status != SAMARA_OK || samara_workspace_bytes(&model) > sizeof work || samara_outputs(&model) > 10) {
        print_text(samara_status_text(status));
        return 1;
    }
    for (unsigned i = 0; i < count; ++i) {
        uint32_t digit = 0;
        read(images[i]);
        if (samara_predict(&model, x, &digit, scores, work, sizeof work) != SAMARA_OK)
            return 1;
        right += digit == images[i][64];
    }
    print_text("right ");
    print_decimal(right);
    print_text("\nlabel ");
    print_text(samara_label(&model, 7));
    print_text("\n");

    /* The first image is from now on a 3. */
    if (samara_learner_workspace_bytes(&model) > sizeof work ||
        samara_learner_start(&learner, &model, 0.5f, state, sizeof state) != SAMARA_OK)
        return 1;
    uint32_t digit = 0;
    unsigned steps = 0;
    read(images[0]);
    for (; steps < 100 && digit != 3; ++steps)
        if (samara_learn_class(&learner, &model, x, 3, work, sizeof work) != SAMARA_OK ||
            samara_learner_predict(&learner, &model, x, &digit, scores, work, sizeof work) != SAMARA_OK)
            return 1;
    print_text("steps ");
    print_decimal(steps);
    print_text("\n");
    return digit == 3 && 10 * right > 9 * count ? 0 : 1;
}
