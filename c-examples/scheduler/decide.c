/* One pass of the library over one pool. */
#define _POSIX_C_SOURCE 200809L
#include "decide.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static const double LONGEST = 2;       /* seconds for the decisions of one pool and cycle */
static const int64_t WORK = 10000000;  /* multiply-adds between two looks at the clock: some ten milliseconds */

struct decider {
    surefill_pass_limits limits; /* of the pass; all zero before there is one */
    surefill_pass *pass;
    void *memory;
    int32_t *accepted;
    int32_t *added; /* the pass's candidates' numbers in the pool */
    int32_t room;   /* of both */
};

struct decider *decider_make(void) { return calloc(1, sizeof(struct decider)); }

void decider_free(struct decider *decider) {
    if (decider == NULL) return;
    free(decider->memory);
    free(decider->accepted);
    free(decider->added);
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
    surefill_pass_limits limits;
    int32_t status = surefill_pass_limits_init(&limits);
    int64_t size;
    if (status != SUREFILL_OK) return surefill_status_text(status);
    limits.running = reserve(decider->limits.running, pool->running_count);
    limits.candidates = reserve(decider->limits.candidates, pool->candidate_count);
    limits.processors = larger(decider->limits.processors, larger(pool->nodes, pool->head.nodes));
    limits.bins = larger(decider->limits.bins, bins);
    limits.events_per_bin = larger(decider->limits.events_per_bin, settings->events);
    if (decider->pass != NULL && limits.running == decider->limits.running &&
        limits.candidates == decider->limits.candidates && limits.processors == decider->limits.processors &&
        limits.bins == decider->limits.bins && limits.events_per_bin == decider->limits.events_per_bin)
        return NULL;
    if (decider->room < limits.candidates) {
        int32_t *accepted = realloc(decider->accepted, (size_t)limits.candidates * sizeof *accepted), *added;
        if (accepted == NULL) return "no memory for decisions";
        decider->accepted = accepted;
        added = realloc(decider->added, (size_t)limits.candidates * sizeof *added);
        if (added == NULL) return "no memory for decisions";
        decider->added = added;
        decider->room = limits.candidates;
    }
    status = surefill_pass_size(&limits, &size);
    if (status != SUREFILL_OK) return surefill_status_text(status);
    free(decider->memory);
    decider->pass = NULL;
    decider->memory = malloc((size_t)size);
    if (decider->memory == NULL) return "no memory for a pass";
    status = surefill_pass_init(decider->memory, size, &limits, &decider->pass);
    if (status != SUREFILL_OK) return surefill_status_text(status);
    decider->limits = limits;
    return NULL;
}

static const surefill_distribution *believe(struct beliefs *beliefs, const struct facts *facts, int32_t *status) {
    *status = SUREFILL_OK;
    return beliefs == NULL ? NULL : beliefs_predict(beliefs, facts, status);
}

/* Tells the pass what runs and what waits. Candidates that do not fit are not told: they may be wider than all that is in
 * service, which the pass would refuse. */
static int32_t describe(struct decider *decider, struct beliefs *beliefs, struct pool *pool, int32_t *count) {
    surefill_pass *pass = decider->pass;
    int32_t status = SUREFILL_OK;
    *count = 0;
    for (int32_t i = 0; i < pool->running_count && status == SUREFILL_OK; i++) {
        const struct running *job = &pool->running[i];
        const surefill_distribution *believed = job->ending ? NULL : believe(beliefs, &job->facts, &status);
        if (status == SUREFILL_OK) /* beyond its limit a job is expected to end within a second */
            status = surefill_pass_add_running(pass, job->nodes, job->age, job->ending ? 0 : job->facts.limit, believed,
                                               NULL);
    }
    for (int32_t i = 0; i < pool->candidate_count && status == SUREFILL_OK; i++) {
        struct candidate *job = &pool->candidates[i];
        const surefill_distribution *believed;
        if (job->facts.nodes > pool->idle) {
            job->judged.verdict = SUREFILL_VERDICT_DOES_NOT_FIT;
            continue;
        }
        believed = believe(beliefs, &job->facts, &status);
        if (status == SUREFILL_OK)
            status = surefill_pass_add_candidate(pass, job->facts.nodes, job->facts.limit, believed, NULL);
        decider->added[(*count)++] = i;
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
    status = surefill_pass_begin(decider->pass, pool->now, pool->idle, pool->head.id, pool->head.nodes);
    if (status == SUREFILL_ERROR_HEAD_FITS) {
        decision->outcome = OUTCOME_HEAD_FITS;
        return;
    }
    if (status == SUREFILL_OK) status = describe(decider, beliefs, pool, &count);
    if (status == SUREFILL_OK) status = surefill_rule_init(&rule);
    if (status != SUREFILL_OK) {
        give_up(decision, "describing the pool", surefill_status_text(status));
        return;
    }
    if (beliefs == NULL) { /* a delay is certain or impossible */
        rule.threshold = 0.5;
    } else {
        rule.criterion = settings->criterion;
        rule.threshold = settings->tau;
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
