/* The order of the queue, and that in which candidates are tried. */
#ifndef ORDER_H
#define ORDER_H

#include "beliefs.h"
#include "settings.h"

/* Where a waiting job comes. */
struct place {
    int32_t run;   /* jobs of one rank that are neighbours in the site's order */
    double value;  /* the smaller the earlier */
    int32_t index; /* in the site's order; of a candidate, in the pool */
};

/* Puts a queue into the order of the preset, where that has one for the queue, among neighbours that the site ranks
 * equally. jobs are count entries of size bytes, in the site's order, each beginning with its struct facts; now is in
 * seconds since 1970. When clock_seconds() passes the deadline (INFINITY for none) the others of one rank stay behind
 * those looked at, in the site's order. Without memory, and after an error of the library, the queue is as it was. */
void order_queue(const struct settings *settings, struct beliefs *beliefs, int64_t now, void *jobs, int32_t count,
                 size_t size, bool (*of_one_rank)(const void *one, const void *next), double deadline);

/* Puts the candidates that are still undecided into places, where there is room for all, in the order in which they
 * are tried: the site's, and within one rank the preset's (the site's own without beliefs). Returns a status of the
 * library; *count is how many they are. */
int32_t order_candidates(const struct settings *settings, struct beliefs *beliefs, const struct pool *pool,
                         struct place *places, int32_t *count);

/* A wait in seconds, as the library takes it. */
int64_t order_within(int64_t seconds);

#endif
