/* A look at one partition: its nodes, what runs on them, and the jobs that wait there. */
#ifndef LOOK_H
#define LOOK_H

#include "seen.h"

/* The text that job_submit.lua writes into admin_comment of the jobs that it holds, behind which their predicted starts
 * are written, and a user's comment on a job that is to stay held. */
#define TAG "surefill"
#define STAY "hold"

/* All that Slurm lists. */
struct listed {
    partition_info_msg_t *partitions;
    node_info_msg_t *nodes;
    reserve_info_msg_t *reservations;
    job_info_msg_t *jobs;
};

/* A job that waits, or holds nodes. */
struct row {
    const slurm_job_info_t *job;
    surefill_job said; /* what is reported of it */
    bool startable;    /* it waits, and may start as far as Slurm is concerned */
    const char *why;   /* why counting nodes does not say whether it fits; NULL where it does */
    int32_t tasks;     /* of it that may start now: of an array several, 0 for a job that may not */
    int32_t released;  /* of these, in this cycle */
};

struct look {
    bool shadow;          /* Slurm's own loop starts the jobs, whether or not they are held */
    int32_t nodes, idle;  /* in service; of these, neither held nor about to be */
    struct row *rows;     /* startable ones first, in the order of submission */
    int32_t count, startable;
    const char *unjudged; /* why counting nodes does not describe what runs; NULL where it does */
};

/* A waiting job that job_submit.lua holds, and that no user wants to stay held. */
bool held_by_us(const slurm_job_info_t *job);

/* Looks at this partition in what Slurm lists. False when memory is short. */
bool look_at(struct look *look, const struct listed *listed, const partition_info_t *partition, int64_t now);

#endif
