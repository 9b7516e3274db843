/* One pass of the library over a machine of shared nodes. */
#include "share_pass.h"

#include "clock.h"
#include "order.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const double LONGEST = 2;     /* seconds for the decisions of one pool and cycle */
static const int64_t WORK = 1000000; /* steps between two looks at the clock: some ten milliseconds */

struct sharer {
    struct machine machine;
    surefill_node_pass_capacity capacity; /* of the pass; all zero before there is one */
    surefill_node_pass *pass;
    void *memory;
    struct place *places; /* of the pass's candidates: their numbers in the pool */
    int32_t *accepted;
    const surefill_request **wishes; /* of the pool's candidates, NULL for none */
    int32_t room;                    /* of all three */
};

struct sharer *sharer_make(void) { return calloc(1, sizeof(struct sharer)); }

void sharer_free(struct sharer *sharer) {
    if (sharer == NULL) return;
    machine_free(&sharer->machine);
    free(sharer->memory);
    free(sharer->places);
    free(sharer->accepted);
    free(sharer->wishes);
    free(sharer);
}

static int32_t larger(int32_t one, int32_t other) { return one > other ? one : other; }

/* On how many nodes all candidates together may be at most. */
static int64_t count_parts(const struct share *share) {
    int64_t parts = 0;
    for (int32_t i = 0; i < share->wish_count; i++) {
        int32_t count = share->wishes[i].request.count;
        parts += count < share->node_count ? count : share->node_count;
    }
    return parts;
}

/* Room for what is known of this number of candidates. */
static bool prepare_lists(struct sharer *sharer, int32_t count) {
    struct place *places;
    int32_t *accepted;
    const surefill_request **wishes;
    if (count <= sharer->room) return true;
    count = pool_room(sharer->room, count);
    if ((places = realloc(sharer->places, (size_t)count * sizeof *places)) == NULL) return false;
    sharer->places = places;
    if ((accepted = realloc(sharer->accepted, (size_t)count * sizeof *accepted)) == NULL) return false;
    sharer->accepted = accepted;
    if ((wishes = realloc(sharer->wishes, (size_t)count * sizeof *wishes)) == NULL) return false;
    sharer->wishes = wishes;
    sharer->room = count;
    return true;
}

/* A pass with room for this share. Returns what failed, NULL for nothing. A pass is kept as long as there is room: it
 * remembers what the head job has been charged. */
static const char *prepare_pass(struct sharer *sharer, const struct settings *settings, int32_t bins,
                                const struct share *share) {
    const surefill_node_pass_capacity *have = &sharer->capacity;
    surefill_node_pass_capacity capacity;
    int32_t status = surefill_node_pass_capacity_init(&capacity);
    int64_t size;
    if (status != SUREFILL_OK) return surefill_status_text(status);
    capacity.resources = share->kinds;
    capacity.nodes = larger(have->nodes, share->node_count);
    capacity.running = pool_room(have->running, sharer->machine.held_count);
    capacity.candidates = pool_room(have->candidates, share->wish_count);
    capacity.parts = pool_room(have->parts, count_parts(share));
    capacity.bins = larger(have->bins, bins);
    capacity.events_per_bin = larger(have->events_per_bin, settings->events);
    if (sharer->pass != NULL && capacity.resources == have->resources && capacity.nodes == have->nodes &&
        capacity.running == have->running && capacity.candidates == have->candidates && capacity.parts == have->parts &&
        capacity.bins == have->bins && capacity.events_per_bin == have->events_per_bin)
        return NULL;
    free(sharer->memory);
    sharer->pass = NULL;
    sharer->memory = NULL;
    status = surefill_node_pass_size(&capacity, &size);
    if (status != SUREFILL_OK) return surefill_status_text(status);
    sharer->memory = malloc((size_t)size);
    if (sharer->memory == NULL) return "no memory for a pass";
    status = surefill_node_pass_init(sharer->memory, size, &capacity, &sharer->pass);
    if (status != SUREFILL_OK) return surefill_status_text(status);
    sharer->capacity = capacity;
    return NULL;
}

/* Tells the pass what runs. What is nobody's ends at its time for certain. */
static int32_t describe_running(struct sharer *sharer, struct beliefs *beliefs, const struct share *share) {
    int32_t status = SUREFILL_OK;
    for (int32_t i = 0; i < sharer->machine.held_count && status == SUREFILL_OK; i++) {
        const struct held *held = &sharer->machine.held[i];
        const struct share_job *job = held->job < 0 ? NULL : &share->jobs[held->job];
        const surefill_distribution *believed = job == NULL ? NULL : beliefs_predict(beliefs, &job->facts, &status);
        if (status == SUREFILL_OK)
            status = surefill_node_pass_add_running(sharer->pass, sharer->machine.nodes, held->handle, job == NULL ? 0 : job->age,
                                                    job == NULL ? order_within(held->until) : job->facts.limit, believed, NULL);
    }
    return status;
}

/* Tells it what waits, in the order in which it is tried; *count is how many they are. */
static int32_t describe_waiting(struct sharer *sharer, const struct settings *settings, struct beliefs *beliefs,
                                struct pool *pool, const struct share *share, int32_t *count) {
    int32_t status;
    for (int32_t i = 0; i < pool->candidate_count; i++) {
        sharer->wishes[i] = NULL;
        pool->candidates[i].judged = (struct verdict){.verdict = SUREFILL_VERDICT_DOES_NOT_FIT};
    }
    for (int32_t i = 0; i < share->wish_count; i++) {
        if (pool->candidates[share->wishes[i].candidate].started) continue;
        sharer->wishes[share->wishes[i].candidate] = &share->wishes[i].request;
        pool->candidates[share->wishes[i].candidate].judged.verdict = SUREFILL_VERDICT_UNDECIDED;
    }
    status = order_candidates(settings, beliefs, pool, sharer->places, count);
    for (int32_t i = 0; i < *count && status == SUREFILL_OK; i++) {
        int32_t index = sharer->places[i].index;
        const struct facts *facts = &pool->candidates[index].facts;
        const surefill_distribution *believed = beliefs_predict(beliefs, facts, &status);
        if (status == SUREFILL_OK)
            status = surefill_node_pass_add_candidate(sharer->pass, sharer->machine.nodes, sharer->wishes[index],
                                                      SUREFILL_FIT_APART, facts->limit, believed, NULL);
    }
    return status;
}

/* Commits the candidate and notes its nodes. */
static int32_t accept(struct sharer *sharer, struct share *share, struct decision *decision, int32_t chosen) {
    int32_t index = sharer->places[chosen].index, count = 0, job;
    int32_t status = surefill_node_pass_placement(sharer->pass, chosen, sharer->machine.parts, sharer->machine.part_room,
                                                  &count);
    if (status == SUREFILL_OK) status = surefill_node_pass_commit(sharer->pass, sharer->machine.nodes, chosen, &job);
    for (int32_t i = 0; i < count && status == SUREFILL_OK; i++) {
        const struct share_spot spot = {.candidate = index, .id = share->nodes[sharer->machine.parts[i].node].id};
        if (!share_add_spot(share, &spot)) status = SUREFILL_ERROR_FULL;
    }
    if (status == SUREFILL_OK) decision->accepted[decision->accepted_count++] = index;
    return status;
}

static void give_up(struct decision *decision, const char *what, const char *why) {
    decision->outcome = OUTCOME_ERROR;
    decision->accepted_count = 0;
    snprintf(decision->message, sizeof decision->message, "%s: %s", what, why);
}

/* The rule for this head job. */
static int32_t make_rule(const struct sharer *sharer, const struct settings *settings, struct beliefs *beliefs, double spent,
                         surefill_rule *rule) {
    double before = 0;
    int32_t status;
    if (beliefs == NULL) return surefill_rule_init(rule);
    status = surefill_preset_rule(&settings->preset, waits_recent(beliefs_waits(beliefs)), rule);
    if (rule->criterion == SUREFILL_CRITERION_BOUND) rule->criterion = SUREFILL_CRITERION_PROBABILITY;
    /* The pass may remember some of what this head job has been charged: nothing counts twice. */
    if (status == SUREFILL_OK) status = surefill_node_pass_spent(sharer->pass, rule->criterion, &before);
    rule->budget = fmax(settings->budget - spent + before, 0);
    rule->unmeasured = 0; /* the head job's wait is told by the same scenarios */
    return status;
}

static int32_t judge(struct sharer *sharer, struct share *share, const surefill_rule *rule, struct decision *decision,
                     double *head_wait) {
    double begun = clock_seconds();
    int32_t status, step, chosen;
    double half_width;
    for (;;) {
        status = surefill_node_pass_decide(sharer->pass, sharer->machine.nodes, rule, WORK, &step, &chosen);
        if (status == SUREFILL_OK && *head_wait < 0 &&
            surefill_node_pass_head_wait(sharer->pass, head_wait, &half_width) != SUREFILL_OK)
            *head_wait = -1; /* no scenario has been needed yet */
        if (status != SUREFILL_OK || step == SUREFILL_STEP_DONE) return status;
        if (step == SUREFILL_STEP_ACCEPT) {
            status = accept(sharer, share, decision, chosen);
            if (status != SUREFILL_OK) return status;
        } else if (clock_seconds() - begun > LONGEST) {
            decision->outcome = OUTCOME_OUT_OF_TIME;
            return SUREFILL_OK;
        }
    }
}

void share_decide(struct sharer *sharer, const struct settings *settings, struct beliefs *beliefs, double spent,
                  struct pool *pool, struct share *share, struct decision *decision, double *head_wait) {
    surefill_node_pass_options options;
    surefill_rule rule;
    int32_t status, count = 0;
    const char *wrong;
    *decision = (struct decision){.outcome = OUTCOME_NOTHING, .head_median = -1};
    *head_wait = -1;
    share->spot_count = 0;
    wrong = machine_make(&sharer->machine, share, share->wish_count, count_parts(share));
    if (wrong != NULL) {
        give_up(decision, "what runs on shared nodes", wrong);
        decision->outcome = OUTCOME_STRANGE;
        return;
    }
    wrong = prepare_lists(sharer, pool->candidate_count) ? NULL : "no memory for decisions";
    if (wrong == NULL) wrong = prepare_pass(sharer, settings, beliefs == NULL ? 1 : beliefs_bins(beliefs), share);
    if (wrong != NULL) {
        give_up(decision, "describing shared nodes", wrong);
        return;
    }
    decision->accepted = sharer->accepted;
    status = surefill_node_pass_options_init(&options);
    /* The same run times are drawn for a head job in every cycle: who is refused is not tried until it has luck. */
    options.seed = pool->head.id;
    if (beliefs == NULL) options.scenarios = 0;
    if (status == SUREFILL_OK)
        status = surefill_node_pass_begin(sharer->pass, sharer->machine.nodes, pool->now, pool->head.id, &share->head,
                                          order_within(pool->now - pool->head.submit), &options);
    if (status == SUREFILL_ERROR_HEAD_FITS) {
        decision->outcome = OUTCOME_HEAD_FITS;
        return;
    }
    if (status == SUREFILL_OK) status = describe_running(sharer, beliefs, share);
    if (status == SUREFILL_OK) status = describe_waiting(sharer, settings, beliefs, pool, share, &count);
    if (status == SUREFILL_OK) status = make_rule(sharer, settings, beliefs, spent, &rule);
    if (status == SUREFILL_OK && count > 0) {
        decision->outcome = OUTCOME_DONE;
        status = judge(sharer, share, &rule, decision, head_wait);
    }
    for (int32_t i = 0; i < count && status == SUREFILL_OK; i++) {
        struct verdict *judged = &pool->candidates[sharer->places[i].index].judged;
        double half_width;
        int32_t scenarios;
        status = surefill_node_pass_judgement(sharer->pass, i, &judged->delay, &half_width, &scenarios, &judged->verdict);
        judged->exactness = SUREFILL_DELAY_ESTIMATE;
        if (judged->verdict == SUREFILL_VERDICT_HEAD_NEVER) decision->outcome = OUTCOME_HEAD_NEVER;
    }
    if (status != SUREFILL_OK) give_up(decision, "deciding about shared nodes", surefill_status_text(status));
}
