/* Jobs as programs on libslurm's public functions see them, and report them to the engine. */
#ifndef SEEN_H
#define SEEN_H

#include "engine.h"

#include <slurm/slurm.h>

/* Frees what slurm_load_ctl_conf gave: 26.05 has another name. */
#if SLURM_VERSION_NUMBER >= SLURM_VERSION_NUM(26, 5, 0)
#define free_conf slurm_free_conf
#else
#define free_conf slurm_free_ctl_conf
#endif
#include <string.h>

static inline bool empty(const char *text) { return text == NULL || *text == '\0'; }
static inline bool same(const char *one, const char *other) { return one != NULL && strcmp(one, other) == 0; }
static inline uint32_t base_state(const slurm_job_info_t *job) { return job->job_state & JOB_STATE_BASE; }
static inline bool completing(const slurm_job_info_t *job) { return (job->job_state & JOB_COMPLETING) != 0; }

/* Whether it is neither waiting nor holding nodes. */
bool is_over(const slurm_job_info_t *job);

/* The place-th waiting task (0, 1, ...) of an array's record, and how many there are; 0 for one that is no array's.
 * SLURM_BITSTR_LEN=0 in the environment has libslurm name all of them. */
int32_t waiting_tasks(const slurm_job_info_t *job, int32_t place, uint32_t *task);

/* The engine's id of a task: a task has a number of its own in Slurm only once it is parted from its array. */
int64_t task_id(const slurm_job_info_t *job, uint32_t task);

/* Fills in the report of a job. One that is put back while its nodes are cleaned is held; all others that wait are
 * waiting: the caller knows better which of them may start. */
void describe(const slurm_job_info_t *job, int64_t now, surefill_job *said);

/* Why a waiting job could not start if it was not held by anybody, one of SUREFILL_WHY_; 0 if it could. */
int32_t why_not_yet(const slurm_job_info_t *job, int64_t now);

/* Begins a listing for the one pool, of this many nodes, and reports the jobs that are over; those of other partitions
 * are learnt from as well. */
int32_t listing_begin(struct engine *engine, int32_t nodes, int32_t idle, const job_info_msg_t *jobs, int64_t now);
void report(struct engine *engine, const surefill_job *said, int64_t now);
int32_t listing_end(struct engine *engine, int64_t now);

#endif
