/* What the scheduler for Flux keeps: its jobs (jobs.c), and what their users are told of them (told.c). */
#ifndef SCHED_SUREFILL_H
#define SCHED_SUREFILL_H

#include "engine.h"
#include "resources.h"

#include <flux/core.h>
#include <flux/schedutil.h>

enum { CONSTRAINTS = 63, TAKEN_BACK = 10000, TEXT = 400, ID = 32 };

struct job {
    surefill_job said;         /* its last report */
    const flux_msg_t *request; /* NULL: it runs, or it was taken back */
    struct idset *ranks;       /* that its constraint admits */
    double duration, first;    /* its limit; when it was first asked for */
    int64_t slots;
    int feature;
    bool known, fresh, lost, refused; /* to the engine; started by this decision; its nodes are down; not free */
    surefill_reason reason, before;
    double median, planned, words_until; /* 0 for none */
    char words[TEXT];
    json_t *told;
};

struct shell {
    flux_t *h;
    schedutil_t *util;
    struct engine engine;
    struct pace pace;
    struct resources resources;
    int32_t pool, queue;
    struct job **jobs; /* by their ids */
    size_t count, room, pending;
    struct {
        struct idset *ranks;
        int waiting;
    } constraints[CONSTRAINTS];
    flux_watcher_t *decide, *tell;
    double scale, every, due, told_at, ready, saved, pause, ended; /* every: seconds between annotations */
    double expiration, forecast, spent; /* the instance's; seconds for the last forecast, and for the one under way */
    const char *state, *depth;
    bool by_name;
    json_int_t busy, denied, told, moved;
};

/* The time of the clock, and the engine's. */
double clock_now(void);
int64_t now_of(const struct shell *shell);

/* The job of this id; NULL for none. A new one, or the one that is known; NULL without memory. */
struct job *find(const struct shell *shell, int64_t id);
struct job *add(struct shell *shell, int64_t id);

/* What belongs to a request is over, and the job stays; or it goes as well. */
void forget_request(struct shell *shell, struct job *job);
void drop(struct shell *shell, struct job *job);

/* The id as Flux writes it, in ID bytes. */
const char *name_of(int64_t id, char *name);

/* Annotates all pending jobs. */
void tell_all(struct shell *shell);

/* What a pending job was told does not hold any more, as an annotation. */
json_t *untold(const struct job *job);

#endif
