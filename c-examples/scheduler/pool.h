/* What a cycle knows of one pool of interchangeable nodes, copied out of the resource manager so that decisions need no
 * lock. Times are seconds since 1970. */
#ifndef POOL_H
#define POOL_H

#include <stdbool.h>
#include <stddef.h>
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
    int32_t missing;   /* of an accepted one whose delay is measured: nodes that the head job lacked before it; else 0 */
    double predicted;  /* its delay as a probability, or in seconds where the criterion knows seconds */
    double told;       /* the same by what earlier ones have really cost */
};

struct candidate {
    struct facts facts;
    uint64_t rank; /* the site's: neighbours of one rank may change places */
    int32_t place; /* the partition it would start in; the resource manager's business */
    int32_t order; /* in the whole queue */
    bool shares_nodes; /* with other jobs: counting nodes does not describe it */
    bool refused; /* the resource manager would not start it lately where we wanted it */
    bool shared;  /* it is judged on a machine of shared nodes (share.h) */
    bool started; /* it has been, while the pool was gathered */
    bool launched; /* it has been, since the pool was decided on */
    bool several; /* an array's task: it starts under another number */
    struct verdict judged;
    int64_t expected;  /* by when it is expected to have started; 0 for unknown */
};

struct pool {
    int64_t key;   /* tells pools apart, from cycle to cycle */
    int32_t nodes; /* that are in service */
    int32_t idle;
    int64_t now;
    struct facts head; /* the job at the head of the queue, that does not fit; nodes is what it needs */
    uint32_t head_priority;
    uint64_t head_rank;
    bool head_several;     /* as a candidate's */
    int64_t head_expected; /* as a candidate's */
    struct running *running;
    int32_t running_count, running_room;
    struct candidate *candidates; /* in order of priority */
    int32_t candidate_count, candidate_room;
};

/* Room for need entries, of which there is room for have: with a reserve when it grows, so that a queue that grows does
 * not cost a new block in every cycle. */
int32_t pool_room(int32_t have, int64_t need);

/* Appends a copy. False when memory is short: the pool is as it was. The arrays are realloc's, kept when the counts are
 * set back to 0 for the next cycle; entries move when they grow. */
bool pool_add_running(struct pool *pool, const struct running *running);
bool pool_add_candidate(struct pool *pool, const struct candidate *candidate);

/* The array with room for one more than count; NULL when memory is short, and then it is what it was. Doubled, so that
 * many entries are not copied once for each of them. */
void *pool_grown(void *array, int32_t *room, int32_t count, size_t size);

/* Frees both arrays; the pool is without jobs then, and may be filled again. */
void pool_free(struct pool *pool);

#endif
