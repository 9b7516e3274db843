/* The site's order, and within one rank the preset's. */
#include "order.h"

#include "clock.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int64_t order_within(int64_t seconds) {
    if (seconds < 0) return 0;
    return seconds < SUREFILL_MAX_SECONDS ? seconds : SUREFILL_MAX_SECONDS;
}

static int by_place(const void *one, const void *other) {
    const struct place *a = one, *b = other;
    if (a->run != b->run) return a->run < b->run ? -1 : 1;
    if (a->value != b->value) return a->value < b->value ? -1 : 1;
    return (a->index > b->index) - (a->index < b->index);
}

/* Whether the preset has an order of its own for the queue. */
static bool orders_queue(const struct settings *settings) {
    const surefill_preset *preset = &settings->preset;
    return settings->mode == MODE_ON && (preset->front_quantile < 1 || fabs(preset->queue_run_time) > 0 ||
                                         fabs(preset->queue_processors) > 0 || preset->queue_age > 0);
}

static int32_t queue_value(const struct settings *settings, struct beliefs *beliefs, int64_t now, const struct facts *job,
                           double *value) {
    int32_t status, nodes = job->nodes > 0 ? job->nodes : 1;
    const surefill_distribution *believed = beliefs_predict(beliefs, job, &status);
    if (status != SUREFILL_OK) return status;
    return surefill_preset_queue_value(&settings->preset, waits_recent(beliefs_waits(beliefs)), believed, job->limit, nodes,
                                       order_within(now - job->submit), value);
}

void order_queue(const struct settings *settings, struct beliefs *beliefs, int64_t now, void *jobs, int32_t count,
                 size_t size, bool (*of_one_rank)(const void *one, const void *next), double deadline) {
    struct place *places;
    unsigned char *before, *at = jobs;
    int32_t status = SUREFILL_OK;
    if (count < 2 || !orders_queue(settings)) return;
    places = calloc((size_t)count, sizeof *places);
    before = malloc((size_t)count * size);
    if (places == NULL || before == NULL) count = 0;
    for (int32_t i = 0, run = 0; i < count; i++) {
        if (i > 0 && !of_one_rank(at + (size_t)(i - 1) * size, at + (size_t)i * size)) run++;
        places[i] = (struct place){.index = i, .run = run, .value = INFINITY};
    }
    for (int32_t i = 0; i < count && status == SUREFILL_OK && clock_seconds() < deadline; i++) {
        const void *job = at + (size_t)i * size;
        bool alone = (i == 0 || places[i - 1].run != places[i].run) && (i + 1 == count || places[i + 1].run != places[i].run);
        if (!alone) status = queue_value(settings, beliefs, now, job, &places[i].value);
    }
    if (count > 0 && status == SUREFILL_OK) {
        memcpy(before, jobs, (size_t)count * size);
        qsort(places, (size_t)count, sizeof *places, by_place);
        for (int32_t i = 0; i < count; i++) memcpy(at + (size_t)i * size, before + (size_t)places[i].index * size, size);
    }
    free(places);
    free(before);
}

int32_t order_candidates(const struct settings *settings, struct beliefs *beliefs, const struct pool *pool,
                         struct place *places, int32_t *count) {
    int32_t status = SUREFILL_OK, run = 0;
    *count = 0;
    for (int32_t i = 0; i < pool->candidate_count && status == SUREFILL_OK; i++) {
        const struct candidate *job = &pool->candidates[i];
        struct place place = {.index = i, .value = 0};
        if (i > 0 && job->rank != job[-1].rank) run++;
        place.run = run;
        if (job->judged.verdict != SUREFILL_VERDICT_UNDECIDED) continue;
        if (beliefs != NULL) {
            const surefill_distribution *believed = beliefs_predict(beliefs, &job->facts, &status);
            int64_t waited = pool->now - job->facts.submit;
            if (status == SUREFILL_OK)
                status = surefill_preset_candidate_value(&settings->preset, believed, job->facts.limit, job->facts.nodes,
                                                         order_within(waited), &place.value);
        }
        places[(*count)++] = place;
    }
    if (*count > 0) qsort(places, (size_t)*count, sizeof *places, by_place);
    return status;
}
