/* The library's forecast of one pool. */
#include "foretell.h"

#include "clock.h"

#include <stdlib.h>

const double FORETELL_SECONDS = 0.25;

static const int64_t WORK = 10000000; /* steps between two looks at the clock */

struct teller {
    surefill_forecast_capacity capacity; /* of the forecast; all zero before there is one */
    surefill_forecast *forecast;
    void *memory;
};

struct teller *teller_make(void) { return calloc(1, sizeof(struct teller)); }

void teller_free(struct teller *teller) {
    if (teller == NULL) return;
    free(teller->memory);
    free(teller);
}

static int32_t larger(int32_t one, int32_t other) { return one > other ? one : other; }

/* A forecast with room for this pool, and some more. */
static const char *prepare(struct teller *teller, int32_t bins, const struct pool *pool) {
    surefill_forecast_capacity capacity;
    int64_t size;
    int32_t waiting = pool->candidate_count + 1;
    int32_t status = surefill_forecast_capacity_init(&capacity);
    if (status != SUREFILL_OK) return surefill_status_text(status);
    if (teller->forecast != NULL && pool->running_count <= teller->capacity.running &&
        waiting <= teller->capacity.waiting && pool->nodes <= teller->capacity.processors &&
        pool->head.nodes <= teller->capacity.processors && bins <= teller->capacity.bins)
        return NULL;
    capacity.running = pool_room(teller->capacity.running, pool->running_count);
    capacity.waiting = pool_room(teller->capacity.waiting, waiting);
    capacity.processors = larger(teller->capacity.processors, larger(1, larger(pool->nodes, pool->head.nodes)));
    capacity.bins = larger(teller->capacity.bins, bins);
    capacity.events_per_bin = FORETELL_EVENTS;
    capacity.scenarios = FORETELL_SCENARIOS;
    status = surefill_forecast_size(&capacity, &size);
    if (status != SUREFILL_OK) return surefill_status_text(status);
    free(teller->memory);
    teller->forecast = NULL;
    teller->memory = malloc((size_t)size);
    if (teller->memory == NULL) return "no memory for a forecast";
    status = surefill_forecast_init(teller->memory, size, &capacity, &teller->forecast);
    if (status != SUREFILL_OK) return surefill_status_text(status);
    teller->capacity = capacity;
    return NULL;
}

static int32_t add(surefill_forecast *forecast, struct beliefs *beliefs, const struct facts *facts, int64_t now) {
    int32_t status;
    const surefill_distribution *believed = beliefs_predict(beliefs, facts, &status);
    int64_t submit = facts->submit < now ? facts->submit : now;
    if (status != SUREFILL_OK) return status;
    return surefill_forecast_add_waiting(forecast, facts->nodes, facts->limit, submit, believed, NULL);
}

/* Whether the site ranks all of them equally. */
static bool is_of_one_rank(const struct pool *pool) {
    for (int32_t i = 0; i < pool->candidate_count; i++)
        if (pool->candidates[i].rank != pool->head_rank) return false;
    return true;
}

int64_t foretell_told(struct beliefs *beliefs, const struct pool *pool, int32_t candidate,
                      const int64_t when[SUREFILL_START_LEVELS]) {
    const struct candidate *one = candidate < 0 ? NULL : &pool->candidates[candidate];
    int64_t within[SUREFILL_START_LEVELS];
    if (beliefs == NULL) return when[STARTS_TOLD];
    for (int i = 0; i < SUREFILL_START_LEVELS; i++) within[i] = when[i] > pool->now ? when[i] - pool->now : 0;
    return pool->now + starts_told(beliefs_starts(beliefs), pool->key, one == NULL ? &pool->head : &one->facts,
                                   one == NULL ? pool->head_several : one->several, pool->now, within);
}

int32_t foretell_options(const struct settings *settings, struct beliefs *beliefs, const struct pool *pool,
                         surefill_forecast_options *options) {
    int32_t status = surefill_forecast_options_init(options);
    if (beliefs == NULL)
        options->plans = SUREFILL_PLANS_LIMITS;
    else if (!settings->own_rule && is_of_one_rank(pool))
        status = surefill_preset_forecast(&settings->preset, waits_recent(beliefs_waits(beliefs)), options);
    else
        options->plans = SUREFILL_PLANS_MEDIANS;
    options->scenarios = FORETELL_SCENARIOS;
    return status;
}

const char *foretell(struct teller *teller, const struct settings *settings, struct beliefs *beliefs, struct pool *pool) {
    surefill_forecast_options options;
    double begun = clock_seconds();
    int32_t status, step = SUREFILL_STEP_MORE, added = 0;
    const char *wrong;
    pool->head_expected = 0;
    for (int32_t i = 0; i < pool->candidate_count; i++) pool->candidates[i].expected = 0;
    wrong = prepare(teller, beliefs == NULL ? 1 : beliefs_bins(beliefs), pool);
    if (wrong != NULL) return wrong;
    status = foretell_options(settings, beliefs, pool, &options);
    if (status == SUREFILL_OK) status = surefill_forecast_begin(teller->forecast, pool->now, pool->idle, &options);
    for (int32_t i = 0; i < pool->running_count && status == SUREFILL_OK; i++) {
        const struct running *job = &pool->running[i];
        const surefill_distribution *believed = job->ending ? NULL : beliefs_predict(beliefs, &job->facts, &status);
        if (status == SUREFILL_OK)
            status = surefill_forecast_add_running(teller->forecast, job->nodes, job->age,
                                                   job->ending ? 0 : job->facts.limit, believed, NULL);
    }
    if (status == SUREFILL_OK) status = add(teller->forecast, beliefs, &pool->head, pool->now);
    for (int32_t i = 0; i < pool->candidate_count && status == SUREFILL_OK; i++) {
        if (pool->candidates[i].facts.nodes > pool->nodes) continue; /* wider than all that is in service */
        status = add(teller->forecast, beliefs, &pool->candidates[i].facts, pool->now);
        pool->candidates[i].expected = ++added; /* its number, until it is known */
    }
    while (status == SUREFILL_OK && step == SUREFILL_STEP_MORE && clock_seconds() - begun < FORETELL_SECONDS)
        status = surefill_forecast_run(teller->forecast, WORK, &step);
    for (int32_t i = -1; i < pool->candidate_count; i++) {
        int64_t *expected = i < 0 ? &pool->head_expected : &pool->candidates[i].expected, when[SUREFILL_START_LEVELS];
        int32_t number = (int32_t)*expected, known = SUREFILL_OK;
        double half_width;
        *expected = 0;
        if (status != SUREFILL_OK || step != SUREFILL_STEP_DONE || (i >= 0 && number == 0)) continue;
        if (i >= 0 && pool->candidates[i].launched) continue; /* nobody is told what has come already */
        for (int k = 0; k < SUREFILL_START_LEVELS && known == SUREFILL_OK; k++)
            known = surefill_forecast_start_quantile(teller->forecast, number, STARTS_LEVELS[k], &when[k], &half_width);
        if (known == SUREFILL_OK) *expected = foretell_told(beliefs, pool, i, when);
    }
    return status == SUREFILL_OK ? NULL : surefill_status_text(status);
}
