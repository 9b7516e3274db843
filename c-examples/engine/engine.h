/* A shell's surroundings of the scheduler of surefill.h: its memory, which grows, and its state file. For shells with
 * one pool, or several. */
#ifndef ENGINE_H
#define ENGINE_H

#include "record.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <surefill.h>

enum { ENGINE_REFUSALS = 256 };

/* The most that a shell needs: pools, their queues, and kinds of resource on a node. */
struct engine_room {
    int32_t pools, queues, kinds;
};
enum { ENGINE_POOLS = 16, ENGINE_QUEUES = 63 };
static const struct engine_room engine_one_pool = {1, 1, 3};
static const struct engine_room engine_many_pools = {ENGINE_POOLS, ENGINE_QUEUES, SUREFILL_MAX_RESOURCES};

struct engine {
    surefill_scheduler *scheduler;
    surefill_scheduler_capacity capacity;
    void *scratch; /* a cycle's */
    int64_t scratch_size;
    void *play; /* a forecast's */
    int64_t play_size;
    surefill_starts *starts; /* the forecast under way, or the last one; NULL for none */
    int32_t foreseen_pool;   /* of which pool */
    int64_t foreseen;        /* when it was begun */
    bool played;
    double spent; /* seconds of processor time that the forecast has taken */
    struct {
        int32_t scenarios;  /* of its last forecast; 0 before the first */
        int32_t simplified; /* 1 if that is a cheaper one, as many jobs wait */
        double seconds;     /* of processor time that it took; 0 if it is not complete */
        int32_t said;       /* how forecasts are made, as it was said last */
        int64_t said_at;
    } forecasts[ENGINE_POOLS]; /* by pool */
    struct {
        int64_t id, until;
    } refusals[ENGINE_REFUSALS]; /* the latest jobs that the manager would not start, and how long they are left alone */
    uint32_t refused;            /* how many there were */
    struct record record;        /* of the cycle under way, where cycles are recorded */
};

/* The shell's own words. */
struct pace {
    double interval, save; /* seconds between cycles, and between saves */
    double starts;         /* seconds between forecasts of the waiting jobs' starts; 0 for none */
};

/* A scheduler that knows nothing, with these settings: words such as "surefill_preset=fast,surefill_interval=2", NULL
 * for none. False, and a message, for a word that is not understood or does not begin with "surefill_", and when memory
 * is short (errno is ENOMEM then, else 0). */
bool engine_make(struct engine *engine, struct engine_room room, const char *words, struct pace *pace, char *message,
                 size_t length);
void engine_free(struct engine *engine);

/* The scheduler goes on with the settings that engine_make gives with these words. False, and a message, where it does
 * not (the settings are as before): a word is not understood, or it is one that only a new scheduler can have. */
bool engine_configure(struct engine *engine, const char *words, struct pace *pace, char *message, size_t length);

/* Whether this word is among the settings in effect, such as "mode=shadow"; the number of one such as "refused=". */
bool engine_has(const struct engine *engine, const char *word);
int64_t engine_number(const struct engine *engine, const char *word);

enum engine_opened {
    ENGINE_NEW,    /* there is no such file */
    ENGINE_OPENED, /* the scheduler goes on from the file, with the settings that engine_make was given */
    ENGINE_ASIDE,  /* not a state file, a damaged one or another version's: it has another name now, and the scheduler
                    * knows nothing. The message says why, and the name. */
    ENGINE_FAILED  /* it cannot be read, memory is short, or it was made with settings that cannot be changed: the
                    * message says which. Nothing should be saved in its place. */
};
enum engine_opened engine_open(struct engine *engine, const char *path, char *message, size_t length);

/* Writes the state beside the file and puts it in its place. False, and a message, when that fails. */
bool engine_save(struct engine *engine, const char *path, char *message, size_t length);

/* Room for this number of nodes, with processors, memory and GPUs, if there is less; for shells whose pool consists of
 * them. SUREFILL_ERROR_FULL when there is no memory. */
int32_t engine_nodes(struct engine *engine, int32_t nodes);

/* surefill_scheduler_list_begin, for a manager that still lists this number of jobs that are over: each is learnt
 * once. */
int32_t engine_list_begin(struct engine *engine, int64_t now, int32_t over);

/* The functions of surefill.h, in more memory where that is short; SUREFILL_ERROR_FULL when there is none. */
int32_t engine_set_job(struct engine *engine, int64_t now, const surefill_job *job);
int32_t engine_begin(struct engine *engine, int32_t pool, int64_t now, surefill_cycle **cycle);
int32_t engine_next(struct engine *engine, surefill_cycle *cycle, surefill_action *action);
int32_t engine_holds(struct engine *engine, const surefill_cycle *cycle, int32_t number, int32_t *holds);
int32_t engine_started(struct engine *engine, surefill_cycle *cycle, int32_t number, int64_t job);
int32_t engine_reason(struct engine *engine, int64_t now, int64_t job, surefill_reason *reason);

/* The cycle that has come so far with this status is over: where that is OK it is closed. Returns the status. */
int32_t engine_close(struct engine *engine, surefill_cycle *cycle, int32_t status);

/* Keeps the record of the last cycle, with the reasons asked since, where the word record= names a folder; without that
 * call the next listing, plan, forecast or cycle does. Writes the message, once, where records cannot be kept; NULL
 * else. Decisions do not depend on it. */
const char *engine_trouble(struct engine *engine, char *message, size_t length);

/* A plan of all that wait in this pool, for surefill_cycle_planned; no cycle may be under way. False when it fails. */
bool engine_plan(struct engine *engine, int32_t pool, int64_t now, surefill_cycle **plan);

/* The manager will not start the job of this offer now, for one of SUREFILL_REFUSED_; and whether it would not start a
 * job lately, which the engine knows but has no function to ask. */
int32_t engine_refused(struct engine *engine, surefill_cycle *cycle, const surefill_action *offer, int32_t why, int64_t now);
bool engine_refused_lately(const struct engine *engine, int64_t id, int64_t now);

/* Goes on with a forecast of the waiting jobs' starts, for some tenths of a second; a new one, of this pool, begins
 * when the last is `every` seconds old (0: never). True when one has just been completed: its starts are to be
 * reported. */
bool engine_foresee(struct engine *engine, int32_t pool, int64_t now, double every);

/* A text for the log about the completed forecast, where forecasts of its pool are made in another way than it said
 * last: simplified, or by fewer scenarios than 20. False where they are not, or it was said within an hour. */
bool engine_forecast_news(struct engine *engine, char *text, size_t length);

/* By the completed forecast, when a job is expected to start; it counts as reported. */
bool engine_expects(struct engine *engine, int64_t job, surefill_start *start);

/* The instant at this level of a predicted start (0 to 4: .05, .25, .5, .75, .95); 0 where it lies beyond all that is
 * known. Then engine_cannot_tell is reported instead of an instant. */
int64_t engine_by(const surefill_start *start, int level);
extern const char engine_cannot_tell[];

/* By the completed forecast, a sentence on when a job is expected to start, if that is news to people who are shown the
 * last such sentence (NULL: another text, or none); it counts as reported. */
bool engine_start(struct engine *engine, int64_t job, int64_t now, const char *shown, char *text, size_t length);

#endif
