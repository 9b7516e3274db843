/* What a cycle knows of one pool of interchangeable nodes, copied out of the resource manager so that decisions need no
 * lock. Times are seconds since 1970. */
#ifndef POOL_H
#define POOL_H

#include <stdbool.h>
#include <stdint.h>

enum { QUEUE_NAME = 48 };

/* What is known of a job when it is submitted, and all that its run time is predicted from. */
struct facts {
    int64_t id;
    int64_t user;
    int64_t submit;
    int64_t limit; /* seconds, SUREFILL_MAX_SECONDS for none */
    int64_t name;  /* beliefs_name of the job's name */
    int32_t nodes; /* that it needs or holds */
    int32_t asked; /* processors it asked for, the same from its submission to its end */
    char queue[QUEUE_NAME]; /* the partition or queue it waits in, as far as there is room for its name; empty for none */
};

struct running {
    struct facts facts;
    int32_t nodes; /* of this pool */
    int64_t age;   /* seconds it has run, suspensions not counted */
    bool ending;   /* has ended; its nodes are being cleaned up */
};

struct verdict {
    double delay;      /* of the head job, in the criterion's unit */
    int32_t exactness; /* one of SUREFILL_DELAY_ */
    int32_t verdict;   /* one of SUREFILL_VERDICT_ */
};

struct candidate {
    struct facts facts;
    uint32_t rank; /* the site's: neighbours of one rank may change places */
    int64_t array; /* number of the array it is a task of, 0 for none */
    int32_t place; /* the partition it would start in; the resource manager's business */
    int32_t order; /* in the whole queue */
    bool shares_nodes; /* with other jobs: counting nodes does not describe it */
    struct verdict judged;
    int64_t expected;  /* by when it is expected to have started; 0 for unknown */
};

struct pool {
    int32_t nodes; /* that are in service */
    int32_t idle;
    int64_t now;
    struct facts head; /* the job at the head of the queue, that does not fit; nodes is what it needs */
    uint32_t head_priority;
    int64_t head_expected; /* as a candidate's */
    struct running *running;
    int32_t running_count, running_room;
    struct candidate *candidates; /* in order of priority */
    int32_t candidate_count, candidate_room;
};

#endif
