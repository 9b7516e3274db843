/* What jobs that overtook have cost the head jobs, in every pool, and what to tell of the next ones by that: the
 * library's calibration of predicted delays. */
#ifndef DELAYS_H
#define DELAYS_H

#include "pool.h"

#include <stddef.h>

struct delays;

/* Of one who has heard of nothing; NULL when memory is short. */
struct delays *delays_make(void);
void delays_free(struct delays *delays);

/* What to expect where the pass predicts so much: a probability, or seconds for the criteria in seconds. */
double delays_told(const struct delays *delays, int64_t key, int32_t criterion, double predicted);

/* A candidate of this pool that was judged by beliefs has been started ahead of the head job. */
void delays_overtook(struct delays *delays, const struct pool *pool, int32_t criterion, const struct candidate *candidate);

/* A job has ended, was cancelled or put back into the queue. */
void delays_ended(struct delays *delays, int64_t id, int64_t now);

/* Outcomes that are known, and the sums of what was predicted, told and observed. */
struct delays_totals {
    int64_t known;
    double predicted, told, observed;
};
void delays_totals(const struct delays *delays, int32_t criterion, struct delays_totals *totals);

/* As beliefs_save and beliefs_load. */
void *delays_save(const struct delays *delays, size_t *size);
bool delays_load(struct delays *delays, const void *bytes, size_t size);

#endif
