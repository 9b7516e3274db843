/* The library's hidden Markov model of run times. It keeps what it said of each job when that was submitted. */
#include "markov.h"

#include "clock.h"

#include <stdlib.h>
#include <string.h>

enum { JOBS = 1 << 16, ROUNDS = 100, SLICE = 1000 }; /* jobs in the system; of a training; visits between two clock looks */

struct markov {
    surefill_predictor *predictor;
    int64_t size; /* of the predictor */
    int64_t now;  /* of the last event */
};

struct markov *markov_make(const surefill_bins *bins, int32_t count) {
    struct markov *markov = calloc(1, sizeof *markov);
    surefill_predictor_options options;
    void *memory = NULL;
    if (markov == NULL) return NULL;
    if (surefill_predictor_options_init(SUREFILL_PREDICTOR_HMM, &options) == SUREFILL_OK) {
        options.jobs = JOBS;
        options.bins = count;
        options.termination = SUREFILL_TERMINATION_ROUNDS; /* of small workloads too it learns more than one round's worth */
        options.threshold = ROUNDS;
        if (surefill_predictor_size(&options, &markov->size) == SUREFILL_OK &&
            (memory = malloc((size_t)markov->size)) != NULL &&
            surefill_predictor_init(memory, markov->size, &options, bins, &markov->predictor) == SUREFILL_OK)
            return markov;
    }
    free(memory);
    free(markov);
    return NULL;
}

void markov_free(struct markov *markov) {
    if (markov == NULL) return;
    free(markov->predictor);
    free(markov);
}

/* The time of an event: one that is a little late happens now, an earlier one means that the clock was set back. */
static int64_t time_of(struct markov *markov, int64_t now) {
    if (now < markov->now && markov->now - now <= SUREFILL_MAX_LATE_SECONDS) return markov->now;
    if (now < markov->now) surefill_predictor_set_clock(markov->predictor, now);
    return markov->now = now;
}

void markov_submitted(struct markov *markov, int64_t job, int64_t now) {
    (void)surefill_predictor_submit(markov->predictor, job, NULL, 0, time_of(markov, now)); /* a full one does without this job */
}

void markov_started(struct markov *markov, int64_t job, int64_t now) {
    (void)surefill_predictor_start(markov->predictor, job, time_of(markov, now));
}

void markov_ended(struct markov *markov, int64_t job, int64_t now) {
    (void)surefill_predictor_end(markov->predictor, job, time_of(markov, now));
}

void markov_withdrawn(struct markov *markov, int64_t job, int64_t now) {
    (void)surefill_predictor_cancel(markov->predictor, job, time_of(markov, now));
}

bool markov_said(const struct markov *markov, int64_t job, void *memory, int64_t length, surefill_distribution **said) {
    int32_t answer;
    return surefill_predictor_said(markov->predictor, job, memory, length, &answer, said) == SUREFILL_OK &&
           answer == SUREFILL_PREDICTION_MADE;
}

void markov_train(struct markov *markov, double seconds) {
    double begun = clock_seconds();
    surefill_round round;
    int32_t step = SUREFILL_STEP_MORE;
    do
        if (surefill_predictor_train(markov->predictor, SLICE, &step, &round) != SUREFILL_OK) return;
    while (step == SUREFILL_STEP_MORE && clock_seconds() - begun < seconds);
}

/* The time, the sealed predictor. */
size_t markov_size(const struct markov *markov) { return sizeof markov->now + (size_t)markov->size; }

bool markov_save(const struct markov *markov, void *bytes) {
    if (surefill_predictor_seal(markov->predictor) != SUREFILL_OK) return false;
    memcpy(bytes, &markov->now, sizeof markov->now);
    memcpy((char *)bytes + sizeof markov->now, markov->predictor, (size_t)markov->size);
    return true;
}

bool markov_load(struct markov *markov, const void *bytes, size_t size) {
    struct markov read = {.size = markov->size};
    void *memory;
    if (size != markov_size(markov)) return false;
    memory = malloc((size_t)markov->size);
    if (memory == NULL) return false;
    memcpy(&read.now, bytes, sizeof read.now);
    memcpy(memory, (const char *)bytes + sizeof read.now, (size_t)markov->size);
    if (surefill_predictor_open(memory, markov->size, &read.predictor) != SUREFILL_OK) {
        free(memory);
        return false;
    }
    free(markov->predictor);
    *markov = read;
    return true;
}
