/* A scheduler for PBS on the IFL calls: what it keeps from cycle to cycle, and one cycle. */
#ifndef SCHEDULER_H
#define SCHEDULER_H

#include "decide.h"
#include "refusals.h"
#include "state.h"

#include <stdbool.h>
#include <stdint.h>

enum { REASON = 160 };

struct vnode;
struct waiting;

struct scheduler {
    struct settings settings;
    struct beliefs *beliefs;
    struct books *books;
    struct decider *decider;
    const char *queue;   /* the only queue looked at, and the vnodes that belong to it; NULL: those without a queue */
    double soft;         /* quantile to write as soft_walltime of waiting jobs; 0 for none */
    void (*say)(void *context, const char *line);
    void *context; /* say's */
    bool plans_only;     /* PBS's own scheduler starts the jobs: nothing but soft_walltime is written */
    bool limits_only;    /* after an error */
    /* One cycle's. */
    struct pool pool;
    struct vnode *vnodes;
    int32_t vnode_count;
    struct waiting *waiting; /* in the order in which they may start */
    int32_t waiting_count;
    char unjudged[REASON];   /* why nothing may overtake the head job; empty when decisions are made */
    /* Kept. */
    struct refusals refusals;
    int64_t spent_for;   /* head job */
    double spent;        /* of its budget */
    int64_t told_head, told_start; /* what its comment says */
};

/* Makes what is NULL. False when memory is short. */
bool scheduler_init(struct scheduler *scheduler);
void scheduler_free(struct scheduler *scheduler);

/* What a cycle did. */
struct done {
    int32_t in_order, overtaken;
    bool again; /* what was decided has changed meanwhile: look again at once */
};

/* One look at PBS, and what follows from it. now is in seconds since 1970. False when PBS cannot be asked: connect
 * again. */
bool scheduler_cycle(struct scheduler *scheduler, int connection, int64_t now, struct done *done);

/* Whether this server can be scheduled from outside, or, where its own scheduler is active, planned for (soft is above
 * 0); otherwise says what its manager has to set. */
bool scheduler_may(struct scheduler *scheduler, int connection);

#endif
