/* What is believed of jobs' run times and waits: learns from jobs that end, predicts those that wait or run. */
#ifndef BELIEFS_H
#define BELIEFS_H

#include "delays.h"
#include "pool.h"
#include "starts.h"
#include "waits.h"

#include <stddef.h>
#include <surefill.h>

struct beliefs;

enum predictor {
    PREDICTOR_MIX, /* histories of like jobs */
    PREDICTOR_HMM, /* the hidden Markov model of the workload; where it is silent, the histories, which learn all the same */
    PREDICTOR_USER /* the user's own latest jobs */
};

/* Beliefs of one who has seen no job; NULL when memory is short. */
struct beliefs *beliefs_make(enum predictor predictor);
void beliefs_free(struct beliefs *beliefs);

/* The number that stands for a job's name, NULL allowed. */
int64_t beliefs_name(const char *name);

/* A job has been submitted, has started, has ended, was withdrawn before it ended of itself. A time long before the
 * last one means that the machine's clock has been set back. */
void beliefs_submitted(struct beliefs *beliefs, const struct facts *facts, int64_t now);
void beliefs_started(struct beliefs *beliefs, const struct facts *facts, int64_t now);
void beliefs_ended(struct beliefs *beliefs, const struct facts *facts, int64_t run_time, int64_t now);
void beliefs_withdrawn(struct beliefs *beliefs, const struct facts *facts, int64_t now);

/* What is believed of this job's run time. The result is valid until the next call; NULL means that only its limit is
 * known (always without beliefs, which may be NULL), and after an error, of which *status says more. */
const surefill_distribution *beliefs_predict(struct beliefs *beliefs, const struct facts *facts, int32_t *status);

/* The bounds on waiting times, which lie in the same state. */
struct waits *beliefs_waits(struct beliefs *beliefs);

/* What overtaking has cost head jobs, which lies there too. */
struct delays *beliefs_delays(struct beliefs *beliefs);

/* What waiting jobs have been told about their starts, which lies there too. */
struct starts *beliefs_starts(struct beliefs *beliefs);

/* Training that is due, for about this number of seconds. */
void beliefs_train(struct beliefs *beliefs, double seconds);

/* Bins of the distributions. */
int32_t beliefs_bins(const struct beliefs *beliefs);
/* Jobs learnt from. */
double beliefs_jobs(const struct beliefs *beliefs);

/* A copy of everything, size bytes long, to be freed by the caller; NULL when memory is short. */
void *beliefs_save(const struct beliefs *beliefs, size_t *size);
/* Takes over what beliefs_save made; of another predictor's only the histories. Refuses what cannot be that (false) and
 * then changes nothing, as when memory is short (false, and errno is ENOMEM). */
bool beliefs_load(struct beliefs *beliefs, const void *bytes, size_t size);

#endif
