/* A scheduler for PBS on the IFL calls: what it keeps from cycle to cycle, and one cycle. */
#ifndef SCHEDULER_H
#define SCHEDULER_H

#include "engine.h"

#include <stdbool.h>
#include <stdint.h>

struct batch_status;
struct vnode;
struct row;

enum { FEATURES = 64, FEATURE = 160 };

struct scheduler {
    struct engine engine; /* made by the caller */
    const char *queue;    /* the only queue looked at, and the vnodes that belong to it; NULL: those without a queue */
    double starts;        /* seconds between forecasts of the waiting jobs' starts; 0 for none */
    double soft;          /* quantile to write as soft_walltime of waiting jobs; 0 for none */
    void (*say)(void *context, const char *line);
    void *context;        /* say's */
    bool plans_only;      /* PBS's own scheduler starts the jobs: nothing but soft_walltime is written */
    /* One cycle's. */
    const struct batch_status *all_vnodes;
    struct vnode *vnodes; /* their numbers are the engine's */
    int32_t vnode_count;
    char features[FEATURES][FEATURE]; /* that chunks ask for, a bit each */
    int feature_count;
    struct row *rows;      /* jobs that are not over, those that may start first, in the site's order */
    int32_t row_count, startable;
    const struct row *head; /* the first in the site's order, which asks for more than can be said; NULL for none */
    /* Kept. */
    bool unanswered; /* the last cycle was broken off */
    int64_t decided; /* when the last one was not */
    int64_t explained; /* when comments last said why jobs wait */
};

void scheduler_free(struct scheduler *scheduler);

/* The outcome of a cycle. */
struct done {
    int32_t started;
    bool again; /* PBS has placed a job by itself: look again at once */
};

/* One look at PBS, and what follows from it. now is in seconds since 1970. False when PBS cannot be asked: connect
 * again. */
bool scheduler_cycle(struct scheduler *scheduler, int connection, int64_t now, struct done *done);

/* Whether this server can be scheduled from outside, or, where its own scheduler is active, planned for (soft is above
 * 0) or watched (mode=shadow); otherwise says what its manager has to set. */
bool scheduler_may(struct scheduler *scheduler, int connection);

#endif
