/* One pass of the library over one pool. */
#define _POSIX_C_SOURCE 200809L
#include "decide.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static const double LONGEST = 2;       /* seconds for the decisions of one pool and cycle */
static const int64_t WORK = 10000000;  /* multiply-adds between two looks at the clock: some ten milliseconds */

/* A wait in seconds, as the library takes it. */
static int64_t within(int64_t seconds) {
    if (seconds < 0) return 0;
    return seconds < SUREFILL_MAX_SECONDS ? seconds : SUREFILL_MAX_SECONDS;
}

/* Where a candidate comes in the pass. */
struct place {
    int32_t run;  /* candidates of one rank that are neighbours */
    double value; /* the smaller the earlier */
    int32_t index;
};

struct decider {
    surefill_pass_capacity capacity; /* of the pass; all zero before there is one */
    surefill_pass *pass;
    void *memory;
    int32_t *accepted;
    int32_t *added; /* the pass's candidates' numbers in the pool */
    struct place *places;
    int32_t room;   /* of all three */
};

struct decider *decider_make(void) { return calloc(1, sizeof(struct decider)); }

void decider_free(struct decider *decider) {
    if (decider == NULL) return;
    free(decider->memory);
    free(decider->accepted);
    free(decider->added);
    free(decider->places);
    free(decider);
}

static double seconds_since(const struct timespec *then) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)(now.tv_sec - then->tv_sec) + 1e-9 * (double)(now.tv_nsec - then->tv_nsec);
}

static int32_t larger(int32_t one, int32_t other) { return one > other ? one : other; }

/* Room with a reserve, so that a queue that grows does not cost a new block in every cycle. */
static int32_t reserve(int32_t have, int32_t need) { return need <= have ? have : larger(64, need + need / 2); }

/* A pass with room for this pool. Returns what failed, NULL for nothing. */
static const char *prepare(struct decider *decider, const struct settings *settings, int32_t bins,
                           const struct pool *pool) {
    surefill_pass_capacity capacity;
    int32_t status = surefill_pass_capacity_init(&capacity);
    int64_t size;
    if (status != SUREFILL_OK) return surefill_status_text(status);
    capacity.running = reserve(decider->capacity.running, pool->running_count);
    capacity.candidates = reserve(decider->capacity.candidates, pool->candidate_count);
    capacity.processors = larger(decider->capacity.processors, larger(pool->nodes, pool->head.nodes));
    capacity.bins = larger(decider->capacity.bins, bins);
    capacity.events_per_bin = larger(decider->capacity.events_per_bin, settings->events);
    if (decider->pass != NULL && capacity.running == decider->capacity.running &&
        capacity.candidates == decider->capacity.candidates && capacity.processors == decider->capacity.processors &&
        capacity.bins == decider->capacity.bins && capacity.events_per_bin == decider->capacity.events_per_bin)
        return NULL;
    if (decider->room < capacity.candidates) {
        int32_t *accepted = realloc(decider->accepted, (size_t)capacity.candidates * sizeof *accepted), *added;
        struct place *places;
        if (accepted == NULL) return "no memory for decisions";
        decider->accepted = accepted;
        added = realloc(decider->added, (size_t)capacity.candidates * sizeof *added);
        if (added == NULL) return "no memory for decisions";
        decider->added = added;
        places = realloc(decider->places, (size_t)capacity.candidates * sizeof *places);
        if (places == NULL) return "no memory for decisions";
        decider->places = places;
        decider->room = capacity.candidates;
    }
    status = surefill_pass_size(&capacity, &size);
    if (status != SUREFILL_OK) return surefill_status_text(status);
    free(decider->memory);
    decider->pass = NULL;
    decider->memory = malloc((size_t)size);
    if (decider->memory == NULL) return "no memory for a pass";
    status = surefill_pass_init(decider->memory, size, &capacity, &decider->pass);
    if (status != SUREFILL_OK) return surefill_status_text(status);
    decider->capacity = capacity;
    return NULL;
}

static const surefill_distribution *believe(struct beliefs *beliefs, const struct facts *facts, int32_t *status) {
    *status = SUREFILL_OK;
    return beliefs == NULL ? NULL : beliefs_predict(beliefs, facts, status);
}

static int by_place(const void *one, const void *other) {
    const struct place *a = one, *b = other;
    if (a->run != b->run) return a->run < b->run ? -1 : 1;
    if (a->value != b->value) return a->value < b->value ? -1 : 1;
    return (a->index > b->index) - (a->index < b->index);
}

/* The order in which candidates that fit are tried: the site's, and within one rank the preset's. */
static int32_t arrange(struct decider *decider, const struct settings *settings, struct beliefs *beliefs,
                       struct pool *pool, int32_t *count) {
    int32_t status = SUREFILL_OK, run = 0;
    *count = 0;
    for (int32_t i = 0; i < pool->candidate_count && status == SUREFILL_OK; i++) {
        struct candidate *job = &pool->candidates[i];
        struct place place = {.index = i, .value = 0};
        if (i > 0 && job->rank != job[-1].rank) run++;
        place.run = run;
        if (job->facts.nodes > pool->idle) {
            job->judged.verdict = SUREFILL_VERDICT_DOES_NOT_FIT;
            continue;
        }
        if (beliefs != NULL) {
            const surefill_distribution *believed = beliefs_predict(beliefs, &job->facts, &status);
            int64_t waited = pool->now - job->facts.submit;
            if (status == SUREFILL_OK)
                status = surefill_preset_candidate_value(&settings->preset, believed, job->facts.limit, job->facts.nodes,
                                                         within(waited), &place.value);
        }
        decider->places[(*count)++] = place;
    }
    qsort(decider->places, (size_t)*count, sizeof *decider->places, by_place);
    for (int32_t i = 0; i < *count; i++) decider->added[i] = decider->places[i].index;
    return status;
}

/* Tells the pass what runs and what waits. Candidates that do not fit are not told: they may be wider than all that is
 * in service, which the pass would refuse. */
static int32_t describe(struct decider *decider, const struct settings *settings, struct beliefs *beliefs,
                        struct pool *pool, int32_t *count) {
    surefill_pass *pass = decider->pass;
    int32_t status = SUREFILL_OK;
    for (int32_t i = 0; i < pool->running_count && status == SUREFILL_OK; i++) {
        const struct running *job = &pool->running[i];
        const surefill_distribution *believed = job->ending ? NULL : believe(beliefs, &job->facts, &status);
        if (status == SUREFILL_OK) /* beyond its limit a job is expected to end within a second */
            status = surefill_pass_add_running(pass, job->nodes, job->age, job->ending ? 0 : job->facts.limit, believed,
                                               NULL);
    }
    if (status == SUREFILL_OK) status = arrange(decider, settings, beliefs, pool, count);
    for (int32_t i = 0; i < *count && status == SUREFILL_OK; i++) {
        const struct facts *facts = &pool->candidates[decider->added[i]].facts;
        const surefill_distribution *believed = believe(beliefs, facts, &status);
        if (status == SUREFILL_OK) status = surefill_pass_add_candidate(pass, facts->nodes, facts->limit, believed, NULL);
    }
    return status;
}

static void give_up(struct decision *decision, const char *what, const char *why) {
    decision->outcome = OUTCOME_ERROR;
    decision->accepted_count = 0;
    snprintf(decision->message, sizeof decision->message, "%s: %s", what, why);
}

void decide(struct decider *decider, const struct settings *settings, struct beliefs *beliefs, double spent,
            struct pool *pool, struct decision *decision) {
    surefill_rule rule;
    struct timespec begun;
    double before = 0;
    int32_t status, step = SUREFILL_STEP_MORE, chosen, count = 0;
    const char *wrong;
    clock_gettime(CLOCK_MONOTONIC, &begun);
    *decision = (struct decision){.outcome = OUTCOME_NOTHING, .head_median = -1};
    for (int32_t i = 0; i < pool->candidate_count; i++) pool->candidates[i].judged = (struct verdict){.delay = 0};
    wrong = prepare(decider, settings, beliefs == NULL ? 1 : beliefs_bins(beliefs), pool);
    if (wrong != NULL) {
        give_up(decision, "preparing a pass", wrong);
        return;
    }
    decision->accepted = decider->accepted;
    status = surefill_pass_begin(decider->pass, pool->now, pool->idle, pool->head.id, pool->head.nodes,
                                 within(pool->now - pool->head.submit));
    if (status == SUREFILL_ERROR_HEAD_FITS) {
        decision->outcome = OUTCOME_HEAD_FITS;
        return;
    }
    if (status == SUREFILL_OK) status = describe(decider, settings, beliefs, pool, &count);
    if (status == SUREFILL_OK)
        status = beliefs == NULL ? surefill_rule_init(&rule)
                                 : surefill_preset_rule(&settings->preset, waits_recent(beliefs_waits(beliefs)), &rule);
    if (status != SUREFILL_OK) {
        give_up(decision, "describing the pool", surefill_status_text(status));
        return;
    }
    if (beliefs == NULL) { /* a delay is certain or impossible */
        rule.or_easy = 0;
        rule.criterion = SUREFILL_CRITERION_PROBABILITY;
        rule.threshold = 0.5;
    } else {
        /* The pass may remember some of what this head job has been charged: nothing counts twice. */
        status = surefill_pass_spent(decider->pass, rule.criterion, &before);
        rule.budget = fmax(settings->budget - spent + before, 0);
    }
    decision->outcome = OUTCOME_DONE;
    if (status == SUREFILL_OK && surefill_pass_head_start_quantile(decider->pass, 0.5, &decision->head_median) != SUREFILL_OK)
        decision->head_median = -1; /* never, with these nodes */
    while (status == SUREFILL_OK && count > 0) {
        status = surefill_pass_decide(decider->pass, &rule, WORK, &step, &chosen);
        if (status != SUREFILL_OK || step == SUREFILL_STEP_DONE) break;
        if (step == SUREFILL_STEP_ACCEPT) {
            status = surefill_pass_commit(decider->pass, chosen);
            if (status == SUREFILL_OK) decision->accepted[decision->accepted_count++] = decider->added[chosen];
        } else if (seconds_since(&begun) > LONGEST) {
            decision->outcome = OUTCOME_OUT_OF_TIME;
            break;
        }
    }
    for (int32_t i = 0; i < count && status == SUREFILL_OK; i++) {
        struct verdict *judged = &pool->candidates[decider->added[i]].judged;
        status = surefill_pass_judgement(decider->pass, i, &judged->delay, &judged->exactness, &judged->verdict);
    }
    if (status != SUREFILL_OK) give_up(decision, "deciding", surefill_status_text(status));
}
