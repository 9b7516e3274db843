/* The hidden Markov model predicts for a job submitted now: what it says is kept with the job until that leaves. */
#define _POSIX_C_SOURCE 200809L
#include "markov.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { JOBS = 1 << 16, ROUNDS = 100, SLICE = 1000 }; /* jobs in the system; of a training; visits between two clock looks */

/* One job: its id, 0 for an empty place, then the bins' probabilities, the first negative when nothing was known. */
struct said {
    int64_t job;
    double probabilities[];
};

struct markov {
    surefill_predictor *predictor;
    int64_t size; /* of the predictor */
    int64_t now;  /* time never runs backwards for the predictor, even if the machine's clock does */
    int32_t bins;
    char *table; /* of struct said; open addressing, at most half full */
    size_t room, count, width;
};

struct markov *markov_make(const surefill_bins *bins, int32_t count) {
    struct markov *markov = calloc(1, sizeof *markov);
    surefill_predictor_limits limits;
    surefill_predictor_options options;
    void *memory = NULL;
    if (markov == NULL) return NULL;
    markov->bins = count;
    markov->width = sizeof(struct said) + (size_t)count * sizeof(double);
    if (surefill_predictor_limits_init(&limits) == SUREFILL_OK &&
        surefill_predictor_options_init(&options) == SUREFILL_OK) {
        limits.jobs = JOBS;
        limits.bins = count;
        options.termination = SUREFILL_TERMINATION_ROUNDS; /* of small workloads too it learns more than one round's worth */
        options.threshold = ROUNDS;
        if (surefill_predictor_size(&limits, &markov->size) == SUREFILL_OK &&
            (memory = malloc((size_t)markov->size)) != NULL &&
            surefill_predictor_init(memory, markov->size, &limits, bins, &options, &markov->predictor) == SUREFILL_OK)
            return markov;
    }
    free(memory);
    free(markov);
    return NULL;
}

void markov_free(struct markov *markov) {
    if (markov == NULL) return;
    free(markov->predictor);
    free(markov->table);
    free(markov);
}

static struct said *at(const struct markov *markov, size_t place) {
    return (struct said *)(void *)(markov->table + place * markov->width);
}

/* Where this job is, or would be. There is a table, and it has room. */
static size_t place_of(const struct markov *markov, int64_t job) {
    size_t place = (size_t)((uint64_t)job * 0x9E3779B97F4A7C15u >> 20) & (markov->room - 1);
    while (at(markov, place)->job != 0 && at(markov, place)->job != job) place = (place + 1) & (markov->room - 1);
    return place;
}

static struct said *find(const struct markov *markov, int64_t job) {
    struct said *said;
    if (markov->room == 0) return NULL;
    said = at(markov, place_of(markov, job));
    return said->job == job ? said : NULL;
}

static bool rebuild(struct markov *markov, size_t need) {
    struct markov next = *markov;
    for (next.room = 64; next.room < 2 * need;) next.room *= 2;
    next.table = calloc(next.room, next.width);
    if (next.table == NULL) return false;
    for (size_t place = 0; place < markov->room; place++)
        if (at(markov, place)->job != 0)
            memcpy(at(&next, place_of(&next, at(markov, place)->job)), at(markov, place), next.width);
    free(markov->table);
    *markov = next;
    return true;
}

static struct said *add(struct markov *markov, int64_t job) {
    struct said *said = find(markov, job);
    if (said != NULL) return said;
    if (2 * (markov->count + 1) > markov->room && !rebuild(markov, 2 * (markov->count + 1))) return NULL;
    markov->count++;
    said = at(markov, place_of(markov, job));
    said->job = job;
    return said;
}

/* Closes the gap that the job leaves: whoever stands behind it because it was in the way moves up. */
static void drop(struct markov *markov, int64_t job) {
    size_t place;
    if (find(markov, job) == NULL) return;
    place = place_of(markov, job);
    at(markov, place)->job = 0;
    markov->count--;
    for (size_t next = (place + 1) & (markov->room - 1); at(markov, next)->job != 0; next = (next + 1) & (markov->room - 1)) {
        int64_t moved = at(markov, next)->job;
        size_t home;
        at(markov, next)->job = 0;
        home = place_of(markov, moved);
        if (home != next) memcpy(at(markov, home), at(markov, next), markov->width);
        at(markov, home)->job = moved;
    }
}

static int64_t later(struct markov *markov, int64_t now) {
    if (now > markov->now) markov->now = now;
    return markov->now;
}

void markov_submitted(struct markov *markov, int64_t job, int64_t now) {
    struct said *said;
    int32_t known = 0;
    now = later(markov, now);
    said = add(markov, job);
    if (said != NULL && (surefill_predictor_probabilities(markov->predictor, now, said->probabilities, markov->bins,
                                                          &known) != SUREFILL_OK || !known))
        said->probabilities[0] = -1;
    (void)surefill_predictor_submit(markov->predictor, job, now); /* a full predictor does without this job */
}

void markov_started(struct markov *markov, int64_t job, int64_t now) {
    (void)surefill_predictor_start(markov->predictor, job, later(markov, now));
}

void markov_ended(struct markov *markov, int64_t job, int64_t now) {
    (void)surefill_predictor_end(markov->predictor, job, later(markov, now));
    drop(markov, job);
}

void markov_withdrawn(struct markov *markov, int64_t job, int64_t now) {
    (void)surefill_predictor_cancel(markov->predictor, job, later(markov, now));
    drop(markov, job);
}

const double *markov_probabilities(const struct markov *markov, int64_t job) {
    const struct said *said = find(markov, job);
    return said == NULL || said->probabilities[0] < 0 ? NULL : said->probabilities;
}

void markov_train(struct markov *markov, double seconds) {
    struct timespec begun, now;
    surefill_round round;
    int32_t step = SUREFILL_TRAINING_MORE;
    clock_gettime(CLOCK_MONOTONIC, &begun);
    do {
        if (surefill_predictor_train(markov->predictor, SLICE, &step, &round) != SUREFILL_OK) return;
        clock_gettime(CLOCK_MONOTONIC, &now);
    } while (step == SUREFILL_TRAINING_MORE &&
             (double)(now.tv_sec - begun.tv_sec) + 1e-9 * (double)(now.tv_nsec - begun.tv_nsec) < seconds);
}

/* The time, the sealed predictor, the jobs. */
size_t markov_size(const struct markov *markov) {
    return sizeof markov->now + (size_t)markov->size + markov->count * markov->width;
}

bool markov_save(const struct markov *markov, void *bytes) {
    char *to = bytes;
    if (surefill_predictor_seal(markov->predictor) != SUREFILL_OK) return false;
    memcpy(to, &markov->now, sizeof markov->now);
    memcpy(to += sizeof markov->now, markov->predictor, (size_t)markov->size);
    to += markov->size;
    for (size_t place = 0; place < markov->room; place++) {
        if (at(markov, place)->job == 0) continue;
        memcpy(to, at(markov, place), markov->width);
        to += markov->width;
    }
    return true;
}

bool markov_load(struct markov *markov, const void *bytes, size_t size) {
    const char *from = bytes;
    size_t fixed = sizeof markov->now + (size_t)markov->size, jobs;
    struct markov read = {.size = markov->size, .bins = markov->bins, .width = markov->width};
    void *memory;
    if (size < fixed || (size - fixed) % markov->width != 0) return false;
    jobs = (size - fixed) / markov->width;
    memory = malloc((size_t)markov->size);
    if (memory == NULL) return false;
    memcpy(&read.now, from, sizeof read.now);
    memcpy(memory, from += sizeof read.now, (size_t)markov->size);
    from += markov->size;
    if (surefill_predictor_open(memory, markov->size, &read.predictor) != SUREFILL_OK) goto refused;
    for (; jobs > 0; jobs--, from += markov->width) {
        struct said *said;
        int64_t job;
        memcpy(&job, from, sizeof job);
        if (job == 0 || find(&read, job) != NULL || (said = add(&read, job)) == NULL) goto refused;
        memcpy(said, from, markov->width);
    }
    free(markov->predictor);
    free(markov->table);
    *markov = read;
    return true;
refused:
    free(memory);
    free(read.table);
    return false;
}
