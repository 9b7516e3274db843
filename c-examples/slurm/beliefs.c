/* A decaying histogram of the run times of every user's jobs, completed by everybody's. Licence: GPL-2.0-or-later. */
#include "beliefs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BINS = 24, USERS = 4096, BIN_WORDS = 80, DISTRIBUTION_WORDS = 160 };
static const double DECAY = 0.9; /* how fast a user's older jobs lose weight */
static const double SHARED = 2;  /* of how many own jobs everybody's jobs have the weight */

/* Users lie where their number's remainder says; those who meet there share a history. */
struct history {
    double jobs;
    double everybody[BINS];
    double users[USERS][BINS];
};

struct beliefs {
    int64_t bins_memory[BIN_WORDS], distribution_memory[DISTRIBUTION_WORDS];
    surefill_bins *bins;
    struct history history;
};

struct beliefs *beliefs_make(void) {
    struct beliefs *beliefs = calloc(1, sizeof *beliefs);
    int32_t count = 0;
    if (beliefs == NULL) return NULL;
    if (surefill_bins_init_default(beliefs->bins_memory, sizeof beliefs->bins_memory, &beliefs->bins) != SUREFILL_OK ||
        surefill_bins_count(beliefs->bins, &count) != SUREFILL_OK || count != BINS) {
        free(beliefs);
        return NULL;
    }
    return beliefs;
}

void beliefs_free(struct beliefs *beliefs) { free(beliefs); }

static double *of_user(struct beliefs *beliefs, int64_t user) {
    return beliefs->history.users[(uint64_t)user % USERS];
}

/* This history needs neither submissions nor starts. */
void beliefs_submitted(struct beliefs *beliefs, const struct facts *facts, int64_t now) {
    (void)beliefs, (void)facts, (void)now;
}

void beliefs_started(struct beliefs *beliefs, const struct facts *facts, int64_t now) {
    (void)beliefs, (void)facts, (void)now;
}

void beliefs_withdrawn(struct beliefs *beliefs, const struct facts *facts, int64_t now) {
    (void)beliefs, (void)facts, (void)now;
}

void beliefs_ended(struct beliefs *beliefs, const struct facts *facts, int64_t run_time, int64_t now) {
    double *user = of_user(beliefs, facts->user);
    int32_t bin;
    (void)now;
    if (surefill_bins_index(beliefs->bins, (double)run_time, &bin) != SUREFILL_OK) return;
    for (int i = 0; i < BINS; i++) user[i] *= DECAY;
    user[bin] += 1;
    beliefs->history.everybody[bin] += 1;
    beliefs->history.jobs += 1;
}

const surefill_distribution *beliefs_predict(struct beliefs *beliefs, const struct facts *facts, int32_t *status) {
    const double *user = of_user(beliefs, facts->user);
    double counts[BINS];
    surefill_distribution *made;
    *status = SUREFILL_OK;
    if (beliefs->history.jobs == 0) return NULL;
    for (int i = 0; i < BINS; i++)
        counts[i] = user[i] + SHARED * beliefs->history.everybody[i] / beliefs->history.jobs;
    *status = surefill_distribution_init_counts(beliefs->distribution_memory, sizeof beliefs->distribution_memory,
                                                beliefs->bins, counts, BINS, &made);
    return *status == SUREFILL_OK ? made : NULL;
}

int32_t beliefs_bins(const struct beliefs *beliefs) {
    (void)beliefs;
    return BINS;
}

double beliefs_jobs(const struct beliefs *beliefs) { return beliefs->history.jobs; }

void *beliefs_save(const struct beliefs *beliefs, size_t *size) {
    void *copy = malloc(sizeof beliefs->history);
    if (copy != NULL) memcpy(copy, &beliefs->history, sizeof beliefs->history);
    *size = sizeof beliefs->history;
    return copy;
}

bool beliefs_load(struct beliefs *beliefs, const void *bytes, size_t size) {
    struct history *read;
    bool good = size == sizeof *read;
    if (!good || (read = malloc(sizeof *read)) == NULL) return false;
    memcpy(read, bytes, sizeof *read);
    good = read->jobs >= 0 && read->jobs < 1e15;
    for (int i = 0; i < BINS; i++) {
        good = good && read->everybody[i] >= 0 && read->everybody[i] <= read->jobs;
        for (int user = 0; user < USERS; user++) good = good && read->users[user][i] >= 0 && read->users[user][i] <= 1e3;
    }
    if (good) beliefs->history = *read;
    free(read);
    return good;
}
