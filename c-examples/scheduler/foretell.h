/* When the jobs of a pool will start: the queue played forward under the rule in force. Needs nothing but surefill.h;
 * takes no lock. */
#ifndef FORETELL_H
#define FORETELL_H

#include "settings.h"

struct teller;

struct teller *teller_make(void);
void teller_free(struct teller *teller);

/* A job is told the time by which it has started with this probability, if nobody comes who is let through before
 * it. */
extern const double FORETELL_LEVEL;
extern const double FORETELL_SECONDS; /* for one pool */

enum { FORETELL_SCENARIOS = 100, FORETELL_EVENTS = 1 };

/* How the pool's queue is played: as the preset works where all jobs are of one rank, else as EASY by medians; without
 * beliefs by limits. Returns a status of the library. */
int32_t foretell_options(const struct settings *settings, struct beliefs *beliefs, const struct pool *pool,
                         surefill_forecast_options *options);

/* Writes when the head job and every candidate are expected to start (pool.h); 0 where that is unknown. Without beliefs
 * all jobs run to their limits. Takes at most a quarter of a second; what is not told in that time stays unknown.
 * Returns NULL, or what failed. */
const char *foretell(struct teller *teller, const struct settings *settings, struct beliefs *beliefs,
                     struct pool *pool);

#endif
