/* A look at PBS: its vnodes and jobs, as the scheduler needs them. */
#ifndef LOOK_H
#define LOOK_H

#include "attributes.h"
#include "scheduler.h"

enum { NAME = 280 };

struct vnode {
    char name[NAME];
    int32_t processors;
    int64_t kilobytes;
    bool usable, idle, held, offered; /* held: by a job of this look; offered to PBS for the job that is to start */
};

/* A job that is not over. */
struct row {
    const struct batch_status *job;
    surefill_job said; /* what is reported of it */
    struct chunks chunks;
    bool counted;  /* whole vnodes of this pool, one a chunk: counting them says whether it fits */
    int32_t tasks; /* of it that may start, as far as PBS is concerned: of an array several, 0 for a job that may not */
    int32_t admitted; /* of these, that may start in this cycle */
    const struct batch_status *next_task; /* where to look for the next one of an array */
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
bool see_jobs(struct scheduler *scheduler, const struct batch_status *jobs, const struct batch_status *queues);
struct row *find_row(const struct scheduler *scheduler, int64_t id);

#endif
