/* A look at PBS: its vnodes and jobs, as the scheduler needs them. */
#ifndef LOOK_H
#define LOOK_H

#include "attributes.h"
#include "scheduler.h"

/* The kinds of resource that are counted; memory in MiB. */
enum { PROCESSORS, MEMORY, GPUS, KINDS };

struct vnode {
    char name[NAME];
    int32_t amounts[KINDS];
    int32_t state; /* one of SUREFILL_NODE_ */
    int64_t assigned, known; /* processors that PBS has given away, and those that jobs of this look hold */
    bool alone;              /* jobs are alone on it unless they say otherwise */
    int32_t tasks;           /* of the job that is looked at */
    int64_t processors, gpus, kilobytes; /* that it holds */
};

/* A job that is not over. */
struct row {
    const struct batch_status *job;
    surefill_job said; /* what is reported of it */
    struct chunks chunks;
    int32_t packed; /* chunks to a task of the report: all of a job that is packed on one vnode, else 1 */
    bool complete;  /* the report says all that it asks for */
    int32_t tasks; /* of it that may start, as far as PBS is concerned: of an array several, 0 for a job that may not */
    int32_t admitted; /* of these, that may start in this cycle */
    const struct batch_status *next_task; /* where to look for the next one of an array */
    surefill_part *parts; /* that it holds */
};

void say(const struct scheduler *scheduler, const char *format, ...) __attribute__((format(printf, 2, 3)));

char state_of(const struct batch_status *job);
bool is_over(const struct batch_status *job);
bool runs(const struct batch_status *job);
bool whole_array(const struct batch_status *job);
/* A subjob that has never run is one of its array's tasks; one that was put back is a job of its own. */
bool is_task(const struct batch_status *job);
/* Fills in the report of a job, but for its state. False for one that cannot be read. */
bool describe(const struct batch_status *job, surefill_job *said);

/* The vnodes of this pool, then everything that is not over, and in which order it may start. False when memory is
 * short. */
bool see_vnodes(struct scheduler *scheduler, const struct batch_status *all);
bool see_jobs(struct scheduler *scheduler, const struct batch_status *jobs, const struct batch_status *queues,
              const struct batch_status *reservations);
void forget_rows(struct scheduler *scheduler);
/* Which of the features that jobs ask for a vnode has. */
int64_t features_of(const struct scheduler *scheduler, const struct batch_status *vnode);
struct row *find_row(const struct scheduler *scheduler, int64_t id);

#endif
