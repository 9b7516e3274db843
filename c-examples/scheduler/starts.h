/* When waiting jobs were told that they would have started, and what came, in every pool; and what to tell the next
 * ones by that: the library's calibration of foretold starts. */
#ifndef STARTS_H
#define STARTS_H

#include "pool.h"

#include <stddef.h>
#include <surefill_models.h>

struct starts;

/* The levels at which a forecast is asked; users are told the last one's wait. */
extern const double STARTS_LEVELS[SUREFILL_START_LEVELS];
enum { STARTS_TOLD = SUREFILL_START_LEVELS - 1 };

/* Of one who has heard of nothing; NULL when memory is short. */
struct starts *starts_make(void);
void starts_free(struct starts *starts);

/* Within how many seconds a job of this pool is to be told that it has started, at the level of STARTS_TOLD, where the
 * forecast says so at each level. What is told is remembered, of a job when it is first asked about and now and then
 * while it waits, of a thousand at once in a pool; nothing of a job that starts under another number (several). */
int64_t starts_told(struct starts *starts, int64_t key, const struct facts *facts, bool several, int64_t now,
                    const int64_t forecast[SUREFILL_START_LEVELS]);

/* A job has started at this time; or it waits for its turn no more, and nothing is learnt. */
void starts_began(struct starts *starts, int64_t id, int64_t start);
void starts_left(struct starts *starts, int64_t id);
/* Who has not started by now is later than it was told at some levels: that is learnt at once. */
void starts_overdue(struct starts *starts, int64_t now);

/* Answers whose job has started since, and how many of them had told a time by which it had. */
struct starts_totals {
    int64_t known, held;
};
void starts_totals(const struct starts *starts, struct starts_totals *totals);

/* As beliefs_save and beliefs_load. */
void *starts_save(const struct starts *starts, size_t *size);
bool starts_load(struct starts *starts, const void *bytes, size_t size);

#endif
