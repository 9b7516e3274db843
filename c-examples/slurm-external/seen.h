/* What programs on libslurm's public functions see of its jobs, in the schedulers' own terms. */
#ifndef SEEN_H
#define SEEN_H

#include "books.h"

#include <slurm/slurm.h>
#include <string.h>

static inline bool empty(const char *text) { return text == NULL || *text == '\0'; }
static inline bool same(const char *one, const char *other) { return one != NULL && strcmp(one, other) == 0; }
static inline uint32_t base_state(const slurm_job_info_t *job) { return job->job_state & JOB_STATE_BASE; }
static inline bool completing(const slurm_job_info_t *job) { return (job->job_state & JOB_COMPLETING) != 0; }

void facts_of(const slurm_job_info_t *job, struct facts *facts);

/* Seconds it has run until then, suspensions not counted. */
int64_t age_of(const slurm_job_info_t *job, int64_t until);

/* Whether a waiting job waits for something else than its turn. */
typedef bool held_check(const slurm_job_info_t *job, int64_t now);

/* Tells the beliefs what has happened since the last look; false when memory is short. */
bool keep_books(struct books *books, struct beliefs *beliefs, const job_info_msg_t *jobs, held_check *held, int64_t now);

#endif
