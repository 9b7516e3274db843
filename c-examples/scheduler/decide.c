/* One pass of the library over one pool. */
#include "decide.h"

#include "clock.h"
#include "order.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const double LONGEST = 2;       /* seconds for the decisions of one pool and cycle */
static const int64_t WORK = 10000000;  /* multiply-adds between two looks at the clock: some ten milliseconds */

struct decider {
    surefill_pass_capacity capacity; /* of the pass; all zero before there is one */
    surefill_pass *pass;
    void *memory;
    int32_t *accepted;
    struct place *places; /* of the pass's candidates: their numbers in the pool */
    int32_t room;         /* of both */
};

struct decider *decider_make(void) { return calloc(1, sizeof(struct decider)); }

void decider_free(struct decider *decider) {
    if (decider == NULL) return;
    free(decider->memory);
    free(decider->accepted);
    free(decider->places);
    free(decider);
}

static int32_t larger(int32_t one, int32_t other) { return one > other ? one : other; }

/* A pass with room for this pool. Returns what failed, NULL for nothing. */
static const char *prepare(struct decider *decider, const struct settings *settings, int32_t bins,
                           const struct pool *pool) {
    surefill_pass_capacity capacity;
    int32_t status = surefill_pass_capacity_init(&capacity);
    int64_t size;
    if (status != SUREFILL_OK) return surefill_status_text(status);
    capacity.running = pool_room(decider->capacity.running, pool->running_count);
    capacity.candidates = pool_room(decider->capacity.candidates, pool->candidate_count);
    capacity.processors = larger(decider->capacity.processors, larger(pool->nodes, pool->head.nodes));
    capacity.bins = larger(decider->capacity.bins, bins);
    capacity.events_per_bin = larger(decider->capacity.events_per_bin, settings->events);
    if (decider->pass != NULL && capacity.running == decider->capacity.running &&
        capacity.candidates == decider->capacity.candidates && capacity.processors == decider->capacity.processors &&
        capacity.bins == decider->capacity.bins && capacity.events_per_bin == decider->capacity.events_per_bin)
        return NULL;
    if (decider->room < capacity.candidates) {
        int32_t *accepted = realloc(decider->accepted, (size_t)capacity.candidates * sizeof *accepted);
        struct place *places;
        if (accepted == NULL) return "no memory for decisions";
        decider->accepted = accepted;
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

/* The order in which candidates that fit are tried. */
static int32_t arrange(struct decider *decider, const struct settings *settings, struct beliefs *beliefs,
                       struct pool *pool, int32_t *count) {
    for (int32_t i = 0; i < pool->candidate_count; i++)
        if (pool->candidates[i].facts.nodes > pool->idle)
            pool->candidates[i].judged.verdict = SUREFILL_VERDICT_DOES_NOT_FIT;
    return order_candidates(settings, beliefs, pool, decider->places, count);
}

/* Tells the pass what runs and what waits. Candidates that do not fit are not told: they may be wider than all that is
 * in service, which the pass would refuse. */
static int32_t describe(struct decider *decider, const struct settings *settings, struct beliefs *beliefs,
                        struct pool *pool, int32_t *count) {
    surefill_pass *pass = decider->pass;
    int32_t status = SUREFILL_OK;
    for (int32_t i = 0; i < pool->running_count && status == SUREFILL_OK; i++) {
        const struct running *job = &pool->running[i];
        const surefill_distribution *believed = job->ending ? NULL : beliefs_predict(beliefs, &job->facts, &status);
        if (status == SUREFILL_OK) /* beyond its limit a job is expected to end within a second */
            status = surefill_pass_add_running(pass, job->nodes, job->age, job->ending ? 0 : job->facts.limit, believed,
                                               NULL);
    }
    if (status == SUREFILL_OK) status = arrange(decider, settings, beliefs, pool, count);
    for (int32_t i = 0; i < *count && status == SUREFILL_OK; i++) {
        const struct facts *facts = &pool->candidates[decider->places[i].index].facts;
        const surefill_distribution *believed = beliefs_predict(beliefs, facts, &status);
        if (status == SUREFILL_OK) status = surefill_pass_add_candidate(pass, facts->nodes, facts->limit, believed, NULL);
    }
    return status;
}

/* Commits it, and keeps what is needed to see later what it costs. */
static int32_t accept(struct decider *decider, struct beliefs *beliefs, int32_t criterion, struct pool *pool,
                      int32_t chosen, int32_t *idle) {
    bool seconds = criterion == SUREFILL_CRITERION_SECONDS || criterion == SUREFILL_CRITERION_RELATIVE;
    int32_t unit = seconds ? SUREFILL_CRITERION_SECONDS : criterion, status;
    struct candidate *candidate = &pool->candidates[decider->places[chosen].index];
    double before = 0, after = 0;
    struct verdict *judged = &candidate->judged;
    status = surefill_pass_spent(decider->pass, unit, &before);
    if (status == SUREFILL_OK) status = surefill_pass_commit(decider->pass, chosen);
    if (status == SUREFILL_OK) status = surefill_pass_spent(decider->pass, unit, &after);
    if (status == SUREFILL_OK)
        status = surefill_pass_judgement(decider->pass, chosen, &judged->delay, &judged->exactness, &judged->verdict);
    if (status != SUREFILL_OK || beliefs == NULL) return status;
    *idle -= candidate->facts.nodes;
    /* Accepted by the limits, unmeasured, or by a bound: nothing to learn from. */
    if (judged->exactness == SUREFILL_DELAY_AT_LEAST || judged->exactness == SUREFILL_DELAY_AT_MOST) return SUREFILL_OK;
    judged->missing = pool->head.nodes - *idle - candidate->facts.nodes;
    judged->predicted = fmax(after - before, 0);
    if (!seconds) judged->predicted = fmin(judged->predicted, 1);
    judged->told = delays_told(beliefs_delays(beliefs), pool->key, criterion, judged->predicted);
    return SUREFILL_OK;
}

static void give_up(struct decision *decision, const char *what, const char *why) {
    decision->outcome = OUTCOME_ERROR;
    decision->accepted_count = 0;
    snprintf(decision->message, sizeof decision->message, "%s: %s", what, why);
}

void decide(struct decider *decider, const struct settings *settings, struct beliefs *beliefs, double spent,
            struct pool *pool, struct decision *decision) {
    surefill_rule rule;
    double begun = clock_seconds();
    double before = 0;
    int32_t status, step = SUREFILL_STEP_MORE, chosen, count = 0, idle = pool->idle;
    const char *wrong;
    *decision = (struct decision){.outcome = OUTCOME_NOTHING, .head_median = -1};
    for (int32_t i = 0; i < pool->candidate_count; i++) pool->candidates[i].judged = (struct verdict){.delay = 0};
    wrong = prepare(decider, settings, beliefs == NULL ? 1 : beliefs_bins(beliefs), pool);
    if (wrong != NULL) {
        give_up(decision, "preparing a pass", wrong);
        return;
    }
    decision->accepted = decider->accepted;
    status = surefill_pass_begin(decider->pass, pool->now, pool->idle, pool->head.id, pool->head.nodes,
                                 order_within(pool->now - pool->head.submit));
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
            status = accept(decider, beliefs, rule.criterion, pool, chosen, &idle);
            if (status == SUREFILL_OK) decision->accepted[decision->accepted_count++] = decider->places[chosen].index;
        } else if (clock_seconds() - begun > LONGEST) {
            decision->outcome = OUTCOME_OUT_OF_TIME;
            break;
        }
    }
    for (int32_t i = 0; i < count && status == SUREFILL_OK; i++) {
        struct verdict *judged = &pool->candidates[decider->places[i].index].judged;
        status = surefill_pass_judgement(decider->pass, i, &judged->delay, &judged->exactness, &judged->verdict);
    }
    if (status != SUREFILL_OK) give_up(decision, "deciding", surefill_status_text(status));
}
