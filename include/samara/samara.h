/* The C face (C99): open a sealed model, predict, and go on learning. Which maps a model may have is decided where the
 * library is built (all by default), or by one line in a C++ file of the program's: samara/c_face.hpp says how. A
 * single model that is known beforehand needs less: `samara export --c-function`.
 *
 * Nothing is allocated and no pointer but those given here is kept. Functions that return int give a number of
 * samara_status; outputs are untouched unless it is SAMARA_OK. Workspaces and states start at a multiple of
 * 4 bytes. */
#ifndef SAMARA_SAMARA_H
#define SAMARA_SAMARA_H

#include <stddef.h>
#include <stdint.h>

#include "samara/version.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The numbers of samara::Status; they keep their meaning in all versions. */
enum samara_status {
    SAMARA_OK = 0,
    SAMARA_BAD_SPEC = 1,             /* a field of a spec is out of range: of the learner, the rate */
    SAMARA_WRONG_LENGTH = 2,         /* an input, an output or a label does not fit the model */
    SAMARA_NOT_FINITE = 3,           /* an input is infinite or not a number */
    SAMARA_OUT_OF_RANGE = 4,         /* an input's magnitude is above 2^40, or a category is none */
    SAMARA_SMALL_WORKSPACE = 5,      /* the workspace or the state is too short */
    SAMARA_MISALIGNED = 6,           /* a workspace, state or model does not start at a multiple of 4 bytes */
    SAMARA_UNSUPPORTED_SIZE = 7,     /* a transform of this length is not offered */
    SAMARA_UNSUPPORTED_MAP = 8,      /* the model's map is not among those linked in */
    SAMARA_UNSUPPORTED_SIMD = 9,     /* the back end is not in this build, or this processor cannot run it */
    SAMARA_BAD_ENVIRONMENT = 10,     /* rounding, subnormals or precision are not IEEE's defaults */
    SAMARA_NOT_A_MODEL = 11,         /* the bytes do not begin as a sealed model does */
    SAMARA_UNSUPPORTED_VERSION = 12, /* made by a newer library */
    SAMARA_DAMAGED_MODEL = 13,       /* sizes that contradict each other, a wrong CRC, or a number that is not finite */
    SAMARA_NOT_OPEN = 14,            /* nothing was opened yet */
    SAMARA_NOT_DEFINITE = 15,        /* a matrix to factor is not positive definite */
    SAMARA_DIFFERENT_FEATURES = 16,  /* a state and a model, or two states, do not have the same features */
    SAMARA_STORAGE_FAILED = 17,      /* the storage's own function reported a failure */
    SAMARA_NO_CHECKPOINT = 18,       /* neither slot holds a whole state or model */
    SAMARA_OVERFLOW = 19,            /* a result left the range of floats */
    SAMARA_DIFFERENT_SPEC = 20,      /* the state was made with another spec */
    SAMARA_CONSUMED = 21,            /* the sums were consumed by solving */
    SAMARA_WRONG_APPLICATION = 22,   /* another input layout, or an older version, than samara_open_with demands */
    SAMARA_TOO_MANY_OPERATIONS = 23, /* a prediction would cost more operations than opening allows */
    SAMARA_NOT_VERIFIED = 24,        /* the caller's own check of the bytes refused them */
    SAMARA_NO_PROBABILITIES = 25     /* the model does not say what makes probabilities of its scores */
};

/* Opaque; the caller's; all zeros, as static memory is, until it is opened. It may be moved or copied freely: the
 * model's bytes stay where they are. */
typedef struct samara_model {
    uint64_t opaque[80];
} samara_model;

/* What a prediction may cost where a program does not say it, in additions, multiplications and the like: a desk
 * computes so many in a few seconds, a microcontroller in minutes. */
#define SAMARA_MOST_OPERATIONS UINT64_C(0x100000000)

/* What a program demands of a model beyond being whole. All zeros demand nothing more than samara_open() does. */
typedef struct samara_open_rules {
    uint64_t most_operations; /* of a prediction; 0: SAMARA_MOST_OPERATIONS; UINT64_MAX: any number */
    uint32_t input_layout;    /* the only one that is taken; 0: any */
    uint32_t least_version;   /* of the application's versions; 0: any */
    /* Called with all of the bytes before anything in them is read, if it is not null; returns 0 to refuse them. */
    int (*verify)(void *context, const void *bytes, size_t size);
    void *context;
} samara_open_rules;

/* The bytes must stay where they are, at a multiple of 4, as long as the model is in use. An earlier model stays open
 * where the status is not SAMARA_OK. rules: null or what is demanded; they are not kept. */
int samara_open(samara_model *model, const void *bytes, size_t size);
int samara_open_with(samara_model *model, const void *bytes, size_t size, const samara_open_rules *rules);

uint32_t samara_inputs(const samara_model *model);
uint32_t samara_outputs(const samara_model *model);
uint32_t samara_features(const samara_model *model);
/* The name of a class or target, "" where there is none. */
const char *samara_label(const samara_model *model, uint32_t output);

/* What a prediction costs, about; and what the model says to the application: a version, the number of its input
 * layout, and some bytes (null and 0 where there are none). */
uint64_t samara_operations(const samara_model *model);
uint32_t samara_application_version(const samara_model *model);
uint32_t samara_input_layout(const samara_model *model);
const void *samara_application_data(const samara_model *model, size_t *size);

/* The workspace of samara_scores, samara_predict and samara_probabilities. */
size_t samara_workspace_bytes(const samara_model *model);

/* x: samara_inputs() floats, unscaled; scores: samara_outputs(). SAMARA_OVERFLOW is the one status besides SAMARA_OK
 * that writes scores, zeros: the model's weights made a score beyond the range of floats. */
int samara_scores(const samara_model *model, const float *x, float *scores, void *work, size_t work_bytes);
/* The same, and in *output the one with the largest score. */
int samara_predict(const samara_model *model, const float *x, uint32_t *output, float *scores, void *work,
                   size_t work_bytes);

/* How probable each class is: samara_outputs() numbers. SAMARA_NO_PROBABILITIES where the model does not say. */
int samara_probabilities(const samara_model *model, const float *x, float *probabilities, void *work,
                         size_t work_bytes);

/* A readout that begins as the sealed one and goes on learning by stochastic gradient (squared loss, normalised steps:
 * no sample, however large, makes it diverge). Opaque; the memory is the caller's. */
typedef struct samara_learner {
    uint64_t opaque[16];
} samara_learner;

/* The size of the state, as a constant and for a model. The state is all that the learner knows: save it, and resume
 * from it. */
#define SAMARA_LEARNER_STATE_BYTES(features, outputs) \
    (32 + sizeof(float) * ((sizeof(char) * (features) + 1) * (outputs) + (outputs)))
size_t samara_learner_state_bytes(const samara_model *model);
/* The workspace of the functions below: samara_workspace_bytes() and room for all features. */
size_t samara_learner_workspace_bytes(const samara_model *model);

/* Starts a state with the model's readout. rate: which share of a sample's error one step takes away, above 0 and below
 * 2; 0.1 where nothing else is known. */
int samara_learner_start(samara_learner *learner, const samara_model *model, float rate, void *state,
                         size_t state_bytes);
/* Goes on with a state that was saved; the rate may be another one. A state from before steps were normalised is
 * SAMARA_DIFFERENT_SPEC. */
int samara_learner_resume(samara_learner *learner, const samara_model *model, float rate, void *state,
                          size_t state_bytes);
/* A target that the weights cannot follow within the range of floats is SAMARA_OVERFLOW, and nothing is learned. */
int samara_learn_class(samara_learner *learner, const samara_model *model, const float *x, uint32_t label, void *work,
                       size_t work_bytes);
/* targets: samara_outputs() floats. */
int samara_learn_values(samara_learner *learner, const samara_model *model, const float *x, const float *targets,
                        void *work, size_t work_bytes);
int samara_learner_predict(const samara_learner *learner, const samara_model *model, const float *x, uint32_t *output,
                           float *scores, void *work, size_t work_bytes);

/* A short lower-case sentence; static. */
const char *samara_status_text(int status);

#ifdef __cplusplus
}
#endif

#endif
