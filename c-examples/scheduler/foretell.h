/* When the jobs of a pool will start: the queue played forward under the rule in force. Needs nothing but surefill.h;
 * takes no lock. */
#ifndef FORETELL_H
#define FORETELL_H

#include "settings.h"

struct teller;

struct teller *teller_make(void);
void teller_free(struct teller *teller);

extern const double FORETELL_SECONDS; /* for one pool */

enum { FORETELL_SCENARIOS = 100, FORETELL_EVENTS = 1 };

/* How the pool's queue is played: as the preset works where all jobs are of one rank, else as EASY by medians; without
 * beliefs by limits. Returns a status of the library. */
int32_t foretell_options(const struct settings *settings, struct beliefs *beliefs, const struct pool *pool,
                         surefill_forecast_options *options);

/* The time by which the head job (-1) or a candidate of this index is told that it has started, where the forecast says
 * so at each of STARTS_LEVELS: with beliefs stretched by what earlier answers were worth. */
int64_t foretell_told(struct beliefs *beliefs, const struct pool *pool, int32_t candidate,
                      const int64_t when[SUREFILL_START_LEVELS]);

/* Writes when the head job and every candidate are expected to have started (pool.h); 0 where that is unknown. Without
 * beliefs all jobs run to their limits. Takes at most a quarter of a second; what is not told in that time stays
 * unknown. Returns NULL, or what failed. */
const char *foretell(struct teller *teller, const struct settings *settings, struct beliefs *beliefs,
                     struct pool *pool);

#endif
