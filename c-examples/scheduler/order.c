/* The site's order, and within one rank the preset's. */
#include "order.h"

#include <stdlib.h>

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
