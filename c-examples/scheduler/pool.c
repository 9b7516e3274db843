/* The arrays of a pool, which grow with its jobs. */
#include "pool.h"

#include <stdlib.h>

enum { LEAST = 64 };

void *pool_grown(void *array, int32_t *room, int32_t count, size_t size) {
    int32_t more = *room > 0 ? 2 * *room : LEAST;
    void *larger;
    if (count < *room) return array;
    larger = realloc(array, (size_t)more * size);
    if (larger != NULL) *room = more;
    return larger;
}

int32_t pool_room(int32_t have, int64_t need) {
    if (need <= have) return have;
    need = need + need / 2 > LEAST ? need + need / 2 : LEAST;
    return need > INT32_MAX ? INT32_MAX : (int32_t)need;
}

bool pool_add_running(struct pool *pool, const struct running *running) {
    struct running *all = pool_grown(pool->running, &pool->running_room, pool->running_count, sizeof *all);
    if (all == NULL) return false;
    pool->running = all;
    all[pool->running_count++] = *running;
    return true;
}

bool pool_add_candidate(struct pool *pool, const struct candidate *candidate) {
    struct candidate *all = pool_grown(pool->candidates, &pool->candidate_room, pool->candidate_count, sizeof *all);
    if (all == NULL) return false;
    pool->candidates = all;
    all[pool->candidate_count++] = *candidate;
    return true;
}

void pool_free(struct pool *pool) {
    free(pool->running);
    free(pool->candidates);
    pool->running = NULL;
    pool->candidates = NULL;
    pool->running_count = pool->running_room = 0;
    pool->candidate_count = pool->candidate_room = 0;
}
