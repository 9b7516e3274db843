/* The library's forecast of one pool whose nodes jobs share. */
#include "share_foretell.h"

#include "clock.h"
#include "foretell.h"
#include "order.h"

#include <stdlib.h>

static const int64_t WORK = 1000000; /* steps between two looks at the clock */

struct share_teller {
    struct machine machine;
    surefill_node_forecast_capacity capacity; /* of the forecast; all zero before there is one */
    surefill_node_forecast *forecast;
    void *memory;
};

struct share_teller *share_teller_make(void) { return calloc(1, sizeof(struct share_teller)); }

void share_teller_free(struct share_teller *teller) {
    if (teller == NULL) return;
    machine_free(&teller->machine);
    free(teller->memory);
    free(teller);
}

static int32_t larger(int32_t one, int32_t other) { return one > other ? one : other; }

static int32_t parts_of(const struct share *share, const surefill_request *request) {
    return request->count < share->node_count ? request->count : share->node_count;
}

/* A forecast with room for this share, and some more. */
static const char *prepare(struct share_teller *teller, int32_t bins, const struct share *share) {
    const surefill_node_forecast_capacity *have = &teller->capacity;
    surefill_node_forecast_capacity capacity;
    int64_t size, parts = parts_of(share, &share->head);
    int32_t status = surefill_node_forecast_capacity_init(&capacity);
    if (status != SUREFILL_OK) return surefill_status_text(status);
    for (int32_t i = 0; i < share->wish_count; i++) parts += parts_of(share, &share->wishes[i].request);
    capacity.resources = share->kinds;
    capacity.nodes = larger(have->nodes, share->node_count);
    capacity.classes = larger(have->classes, teller->machine.class_count);
    capacity.running = pool_room(have->running, teller->machine.held_count);
    capacity.waiting = pool_room(have->waiting, share->wish_count + 1);
    capacity.parts = pool_room(have->parts, parts);
    capacity.bins = larger(have->bins, bins);
    capacity.events_per_bin = FORETELL_EVENTS;
    capacity.scenarios = FORETELL_SCENARIOS;
    if (teller->forecast != NULL && capacity.resources == have->resources && capacity.nodes == have->nodes &&
        capacity.classes == have->classes && capacity.running == have->running && capacity.waiting == have->waiting &&
        capacity.parts == have->parts && capacity.bins == have->bins)
        return NULL;
    free(teller->memory);
    teller->forecast = NULL;
    teller->memory = NULL;
    status = surefill_node_forecast_size(&capacity, &size);
    if (status != SUREFILL_OK) return surefill_status_text(status);
    teller->memory = malloc((size_t)size);
    if (teller->memory == NULL) return "no memory for a forecast";
    status = surefill_node_forecast_init(teller->memory, size, &capacity, &teller->forecast);
    if (status != SUREFILL_OK) return surefill_status_text(status);
    teller->capacity = capacity;
    return NULL;
}

/* What is nobody's ends at its time for certain. */
static int32_t add_running(struct share_teller *teller, struct beliefs *beliefs, const struct share *share,
                           const struct held *held) {
    const struct share_job *job = held->job < 0 ? NULL : &share->jobs[held->job];
    int32_t status = SUREFILL_OK;
    const surefill_distribution *believed = job == NULL ? NULL : beliefs_predict(beliefs, &job->facts, &status);
    if (status != SUREFILL_OK) return status;
    return surefill_node_forecast_add_running(teller->forecast, teller->machine.nodes, held->handle,
                                              job == NULL ? 0 : job->age,
                                              job == NULL ? order_within(held->until) : job->facts.limit, believed, NULL);
}

static int32_t add_waiting(struct share_teller *teller, struct beliefs *beliefs, const struct facts *facts,
                           const surefill_request *request, int64_t now) {
    int32_t status;
    const surefill_distribution *believed = beliefs_predict(beliefs, facts, &status);
    int64_t submit = facts->submit < now ? facts->submit : now;
    if (status != SUREFILL_OK) return status;
    return surefill_node_forecast_add_waiting(teller->forecast, teller->machine.nodes, request, SUREFILL_FIT_APART,
                                              facts->nodes, facts->limit, submit, believed, NULL);
}

/* By when the head job (-1) or a candidate, of this number in the forecast, is told that it has started; 0 when that is
 * unknown. */
static int64_t told(const struct share_teller *teller, struct beliefs *beliefs, const struct pool *pool, int32_t candidate,
                    int32_t number) {
    int64_t when[SUREFILL_START_LEVELS];
    double half_width;
    int32_t status = SUREFILL_OK;
    for (int i = 0; i < SUREFILL_START_LEVELS && status == SUREFILL_OK; i++)
        status = surefill_node_forecast_start_quantile(teller->forecast, number, STARTS_LEVELS[i], &when[i], &half_width);
    return status == SUREFILL_OK ? foretell_told(beliefs, pool, candidate, when) : 0;
}

const char *share_foretell(struct share_teller *teller, const struct settings *settings, struct beliefs *beliefs,
                           struct pool *pool, const struct share *share) {
    surefill_forecast_options options;
    double begun = clock_seconds();
    int32_t status, step = SUREFILL_STEP_MORE, number = 0;
    const char *wrong;
    pool->head_expected = 0;
    for (int32_t i = 0; i < pool->candidate_count; i++) pool->candidates[i].expected = 0;
    wrong = machine_make(&teller->machine, share, 0, 0);
    if (wrong == NULL) wrong = prepare(teller, beliefs == NULL ? 1 : beliefs_bins(beliefs), share);
    if (wrong != NULL) return wrong;
    status = foretell_options(settings, beliefs, pool, &options);
    if (status == SUREFILL_OK)
        status = surefill_node_forecast_begin(teller->forecast, teller->machine.nodes, pool->now, &options);
    for (int32_t i = 0; i < teller->machine.held_count && status == SUREFILL_OK; i++)
        status = add_running(teller, beliefs, share, &teller->machine.held[i]);
    if (status == SUREFILL_OK) status = add_waiting(teller, beliefs, &pool->head, &share->head, pool->now);
    for (int32_t i = 0; i < share->wish_count && status == SUREFILL_OK; i++) {
        const struct share_wish *wish = &share->wishes[i];
        if (pool->candidates[wish->candidate].started) continue;
        status = add_waiting(teller, beliefs, &pool->candidates[wish->candidate].facts, &wish->request, pool->now);
    }
    while (status == SUREFILL_OK && step == SUREFILL_STEP_MORE && clock_seconds() - begun < FORETELL_SECONDS)
        status = surefill_node_forecast_run(teller->forecast, teller->machine.nodes, WORK, &step);
    if (status != SUREFILL_OK) return surefill_status_text(status);
    if (step != SUREFILL_STEP_DONE) return "there is no time for the forecast";
    pool->head_expected = told(teller, beliefs, pool, -1, number++);
    for (int32_t i = 0; i < share->wish_count; i++) {
        struct candidate *candidate = &pool->candidates[share->wishes[i].candidate];
        if (candidate->started) continue;
        if (!candidate->launched) candidate->expected = told(teller, beliefs, pool, share->wishes[i].candidate, number);
        number++;
    }
    return NULL;
}
