/* The scheduler for Flux: what it keeps, and what its files give each other. */
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
    double median, planned, words_until; /* 0 for none; a median of -1 lies beyond all that is known */
    char words[TEXT];
    json_t *annotations; /* as last sent */
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
    double scale, every, due, annotated_at, ready, saved, pause, ended; /* every: seconds between annotations */
    double expiration, forecast, spent; /* the instance's; seconds for the last forecast, and for the one under way */
    const char *state, *depth;
    bool by_name;
    json_int_t busy, denied, reported, moved;
};

/* The time of the clock, and the engine's; a span in the engine's. */
double clock_now(void);
int64_t now_of(const struct shell *shell);
int64_t seconds(const struct shell *shell, double span);

/* jobs.c: the job of this id; NULL for none. A new one, or the one that is known; NULL without memory. */
struct job *find(const struct shell *shell, int64_t id);
struct job *add(struct shell *shell, int64_t id);

/* A job's request is over, and the job stays; or the job goes as well. */
void forget_request(struct shell *shell, struct job *job);
void drop(struct shell *shell, struct job *job);

/* The id as Flux writes it, in ID bytes. */
const char *name_of(int64_t id, char *name);

/* Reports a job to the engine, in this state. */
bool report(struct shell *shell, struct job *job, int32_t state);

/* nodes.c: an answer to resource.acquire, of which the first one has all resources; the later ones as a callback. */
bool acquired(struct shell *shell, flux_future_t *future);
void resources_changed(flux_future_t *future, void *shell);

/* The engine's feature for the ranks that a constraint admits: -1 for all ranks, CONSTRAINTS where all features are in
 * use. */
int feature_of(struct shell *shell, const struct idset *ranks);

/* decide.c: a pending job is made known to the engine. */
void ask(struct shell *shell, struct job *job);

/* A decision is wanted after this delay in seconds, though not before a pause as long as the last one; as a callback,
 * it is made. */
void soon(struct shell *shell, double delay);
void decide(flux_reactor_t *reactor, flux_watcher_t *watcher, int events, void *shell);

/* The watcher's timer begins anew, and ends after this delay in seconds. */
void after(flux_watcher_t *watcher, double delay);

/* Writes the state file. */
void save(struct shell *shell);

/* annotations.c: annotates all pending jobs. */
void annotate_all(struct shell *shell);

/* An annotation that takes back all that a pending job has. */
json_t *cleared_annotations(const struct job *job);

#endif
