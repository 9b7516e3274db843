/* The order in which candidates are tried. */
#ifndef ORDER_H
#define ORDER_H

#include "beliefs.h"
#include "settings.h"

/* Where a candidate comes. */
struct place {
    int32_t run;   /* candidates of one rank that are neighbours */
    double value;  /* the smaller the earlier */
    int32_t index; /* in the pool */
};

/* Puts the candidates that are still undecided into places, where there is room for all, in the order in which they
 * are tried: the site's, and within one rank the preset's (the site's own without beliefs). Returns a status of the
 * library; *count is how many they are. */
int32_t order_candidates(const struct settings *settings, struct beliefs *beliefs, const struct pool *pool,
                         struct place *places, int32_t *count);

/* A wait in seconds, as the library takes it. */
int64_t order_within(int64_t seconds);

#endif
