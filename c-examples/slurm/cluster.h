/* The plugin's view of slurmctld in a cycle, as the scheduler of surefill.h takes it: pools, nodes, reservations and
 * jobs. Copied under slurmctld's locks, reported without them. Licence: GPL-2.0-or-later. */
#ifndef CLUSTER_H
#define CLUSTER_H

#include "compat.h"
#include "engine.h"

#include <surefill.h>

enum { KIND_CORES, KIND_MEMORY, KIND_GRES }; /* where kinds of resource stand; generic ones follow */

enum {
    POOLS = ENGINE_POOLS,             /* disjoint groups of partitions; further ones share the last pool */
    QUEUES = ENGINE_QUEUES,           /* different sets of nodes that partitions have; further ones have all of their pool's */
    KINDS = SUREFILL_MAX_RESOURCES,   /* of resource on a node: cores, memory, generic ones */
    FEATURES = 62,                    /* sets of nodes that jobs ask for */
    JOB_QUEUES = 8,                   /* partitions of a job */
    REMEMBERED = 256,                 /* jobs that Slurm did not start */
    ASKED = 8192                      /* jobs that it was asked for */
};

struct partition {
    char *name;
    int32_t pool, queue;
};

/* A set of nodes that jobs ask for, a feature of its nodes. */
struct feature {
    bitstr_t *nodes;   /* NULL for a free place */
    uint64_t used;     /* the gathering that used it last */
};

/* Which set of nodes a request means, as it was found last. */
struct meaning {
    uint64_t request;
    int64_t bits;
};

/* A job of slurmctld's. */
struct row {
    surefill_job said;
    surefill_part *parts;
    int32_t order;     /* its first place in Slurm's queue, -1 for a job that is not in it */
    int32_t places[JOB_QUEUES]; /* the partitions in which it may start, in that order, one for each of its queues */
    bool outside;      /* the scheduler knows the least that it asks for; where it starts is Slurm's choice */
    bool array;
    bool refused;      /* by Slurm, in this cycle */
    int64_t expected;  /* its start; 0 for none, UNKNOWN_START for one that lies beyond all that is known */
};
enum { UNKNOWN_START = -1 };

/* A job that Slurm's own test has placed in the future: a reservation keeps its nodes for it until then. */
struct promise {
    uint32_t job;      /* 0 for none */
    int32_t pool;
    time_t start, end;
    bitstr_t *nodes;
    bool kept;         /* in this walk through the queue: else its job does not wait for nodes any more */
};

/* The time of a cycle, by clock_seconds(). */
struct timing {
    double locked_since;
    double deadline;       /* when work under the locks has to end for now */
    double slurm_seconds;  /* spent in slurmctld's own functions */
    double locked_seconds; /* spent holding its locks, waiting for them not counted */
    double longest_locked; /* of that, without giving them back in between */
    bool cut_short;        /* a deadline came before all was done */
};

struct inside;

struct cluster {
    double locked;               /* seconds for which slurmctld's locks are held at a time */
    bool by_points;              /* points are worth seconds of waiting, and those of age are left out */
    struct timing timing;
    double began;                /* when slurmctld started or was reconfigured, by clock_seconds() */
    bool settled;                /* the nodes that were in service have registered since, or their time is over */
    bitstr_t *awaited;           /* those that have not; NULL for none */
    bool ending;                 /* some nodes are being cleaned up after a job */
    int started;                 /* jobs, while gathering */
    time_t configured, updated;  /* when the partitions were read, and slurm_conf.last_update then */
    struct partition *partitions;
    int32_t partition_count, pool_count, queue_count;
    int32_t node_count;          /* slurmctld's numbers of nodes are below this */
    int32_t *pool_of;            /* of each node, -1 for none */
    uint16_t *shares;            /* of each node: the jobs that have a core together, 0 for 1 (OverSubscribe=FORCE) */
    bitstr_t *pools[POOLS];      /* their nodes */
    bitstr_t *queues[QUEUES];    /* their nodes; NULL for all of a pool's */
    int32_t queue_pools[QUEUES];
    bool joined;                 /* partitions have come to share a pool: queues and nodes are to be reported anew */
    bool reported;               /* nodes, to this scheduler */
    bool memory;                 /* is counted */
    uint16_t threads;            /* of a core, on every node; 1 where threads are what is counted */
    uint32_t gres[KINDS];        /* numbers of the generic resources' plugins, from KIND_GRES on */
    int32_t kinds;
    const char *unlike;          /* why jobs do not have cores of nodes here as the scheduler counts them; NULL */
    const char *unlike_pools[POOLS]; /* and those of a pool alone */
    surefill_node *nodes;        /* by number */
    struct feature features[FEATURES];
    struct meaning *meanings;
    int32_t meaning_count, meaning_room;
    uint64_t features_print;     /* of the features of all nodes */
    uint64_t gathered;           /* how often */
    surefill_reservation *reservations; /* with their nodes */
    int32_t reservation_count;
    int64_t *keys;               /* of the reservations that were reported, and their pools */
    int32_t *key_pools;
    int32_t key_count;
    struct row *rows;
    int32_t row_count, row_room;
    int32_t *found;              /* rows by the hash of their job */
    uint32_t found_size;
    int64_t now;
    int64_t pending;
    bool strict;                 /* the first job is protected by limits: others start on no other nodes than those offered */
    bool completing;             /* nothing starts until a job has been cleaned up (CompleteWait) */
    bool foreign;                /* these are not the jobs that this was compiled for */
    uint32_t resume_at;          /* the first job for which the last walk had no time; 0 for none */
    struct promise promises[POOLS];
    struct {
        uint32_t job;
        uint64_t cause;
    } asked[ASKED];              /* jobs that Slurm was asked for though the scheduler sees no nodes for them */
    struct {
        uint32_t job;
        int64_t until;
    } barred[REMEMBERED];        /* jobs that Slurm refused for another reason than their nodes */
    uint32_t barred_count;
    uint32_t left[REMEMBERED];   /* jobs that the scheduler does not take: Slurm is asked for them */
    uint32_t left_count;
    uint32_t heads[REMEMBERED];  /* of reservations, lately */
    uint32_t head_count;
    uint64_t running;            /* the fingerprint of the running jobs and idle nodes */
    uint32_t halvings;           /* how often the limit of jobs with --time-min is halved in this cycle, modulo the steps that
                                    each has; 0: whole limits */
    uint32_t lengths;            /* how many such cycles there have been */
    bool het_known;              /* a heterogeneous job has been seen: said once */
    bool soft;                   /* time_min_as_soft_limit: nothing is shortened */
    int32_t behind;              /* the place in Slurm's order from which on jobs are next tested behind reservations */
};

/* Arithmetic of amounts and of prints. */
static inline uint64_t larger(uint64_t one, uint64_t other) { return one > other ? one : other; }
static inline uint64_t divided(uint64_t by, uint64_t number) { return (number + by - 1) / by; }
static inline int32_t bounded(uint64_t amount) { return amount > INT32_MAX ? INT32_MAX : (int32_t)amount; }
static inline uint64_t mix(uint64_t hash, uint64_t value) {
    hash = (hash ^ value) * 0x9E3779B97F4A7C15u;
    return hash ^ hash >> 29;
}

enum { WORDS = 1000 };

/* Settings, as SchedulerParameters has them. */
struct words {
    char scheduler[WORDS]; /* the words for the scheduler and its shell */
    bool limits, shadow;   /* surefill_mode= */
    double locked;         /* seconds for which slurmctld's locks are held at a time */
    bool by_points;        /* points are worth seconds of waiting */
};

/* words.c: takes the plugin's own words out of SchedulerParameters. False, and a message, for one that cannot be
 * used. A point of which nothing else is said is worth these seconds, 0 for none. */
bool words_take(struct words *words, const char *parameters, double point, char *message, size_t length);
/* Says which words of sched/backfill have no effect, and which of slurmctld concern who starts jobs. */
void words_note(const char *parameters);

/* start.c: a monotonic clock, in seconds. */
double clock_seconds(void);
/* slurmctld's locks have been taken, and are about to be given back: how long they are held is counted in between.
 * Work has until this share of the time for which they may be held. */
void cluster_locked(struct cluster *cluster, double share);
void cluster_unlocked(struct cluster *cluster);
/* Whether that time is up, and what is left of this work has to wait for the next cycle; says so. */
bool cluster_time_is_up(struct cluster *cluster, const char *work, int left);
/* Slurm's answer to a start. job may become another record of the same array. */
enum start_result {
    START_DONE,
    START_BUSY,     /* its nodes are not free */
    START_WITHHELD, /* it would need nodes that we kept from it */
    START_ABSENT,   /* some of its nodes are not in service */
    START_NEVER,    /* no nodes of the partition are what it asks for */
    START_NOT_NOW   /* anything else: limits, reservations, ... */
};
enum start_result start_job(struct cluster *cluster, job_record_t *job, part_record_t *part, const bitstr_t *without,
                            uint32_t flag);
/* The job's reason, as users see it. */
void say_why(job_record_t *job, enum job_state_reason why);
/* Whether users read in the job's admin comment that its start is unknown, and whether they should; a comment of
 * others stays. */
bool start_is_unknown(const job_record_t *job);
void note_unknown_start(job_record_t *job, bool unknown);
/* Everything Slurm's own schedulers ask before they look for nodes. */
bool may_start(job_record_t *job, part_record_t *part);
/* Whether another job's licences, which are free, are so still when this one has its own. */
bool leaves_licences(job_record_t *job, int64_t other);

/* facts.c: the limit in minutes with which a waiting job would start in this cycle where its --time-min lets it be
 * shorter than its own; 0 for its own. */
uint32_t job_shortened(const struct cluster *cluster, const job_record_t *job, const part_record_t *part);
/* The limit in seconds, by which a job ends; the shortened one of a job that has one. */
int64_t job_limit(const struct cluster *cluster, const job_record_t *job, const part_record_t *part);
/* The numbers of nodes that a job needs, wants and takes at most in this partition, with what its QOS lets it exceed;
 * false where Slurm would refuse it. */
bool job_node_counts(job_record_t *job, part_record_t *part, uint32_t *least, uint32_t *wanted, uint32_t *most);
/* Whether the job never shares a node with another one. */
bool job_takes_whole_nodes(const job_record_t *job, const part_record_t *part);
/* A number for the running jobs and the idle nodes. Job and node read locks held. */
uint64_t running_print(void);
/* A number for the reasons that users see for which jobs wait, their priorities, and the states and ends of the
 * others. Job read lock held. */
uint64_t reasons_print(void);

/* awaited.c: slurmctld has started, or has been reconfigured. */
void cluster_begin(struct cluster *cluster);
/* Finds the nodes that have not registered since and are waited for. Node read lock held. */
void cluster_await(struct cluster *cluster);

/* reserve.c: when this waiting job would start in this partition, not on those nodes (NULL for none), if every
 * running job ran to its limit, and on which nodes (to be freed); 0 when Slurm does not know. Locks held. */
time_t reserve_for(job_record_t *job, part_record_t *part, const bitstr_t *without, bitstr_t **nodes);
/* Whether reservations leave the job too few nodes of the partition to start now. Locks held. */
bool reservations_close(const struct cluster *cluster, const job_record_t *job, const part_record_t *part);
/* The start of such a job by Slurm's test, as reserve_for, when enough of these reservations have ended. Locks held. */
time_t reserve_behind(const struct cluster *cluster, job_record_t *job, part_record_t *part);
/* Which features Slurm's tests are to look for: those required, or those preferred. */
void job_use_features(job_record_t *job, bool preferred);

/* tell.c: what users and administrators see. Writes reasons and expected starts of waiting jobs into slurmctld's
 * records, and marks the idle nodes that jobs wait for as planned, and no others. Takes the locks. */
void cluster_tell(struct cluster *cluster);
/* No node is planned: the plugin stops. Takes the locks. */
void cluster_forget_plans(void);
/* Counts a cycle for sdiag: its microseconds, and how many jobs were offered. */
void cluster_count_cycle(const struct cluster *cluster, double seconds, int offered);

/* partitions.c: reads partitions, pools and kinds of resource where the configuration has changed. Locks held. */
void cluster_configure(struct cluster *cluster);
/* The index of a partition, -1 for none. */
int32_t cluster_partition(const struct cluster *cluster, const char *name);
/* Jobs wait in both partitions: they compete in one pool from now on. */
void cluster_join(struct cluster *cluster, int32_t one, int32_t other);
void cluster_free(struct cluster *cluster);

/* machine.c: copies nodes and reservations. Locks held. */
void cluster_see_nodes(struct cluster *cluster);
void cluster_see_reservations(struct cluster *cluster);
int32_t cluster_kind(const struct cluster *cluster, uint32_t plugin);
const gres_node_state_t *cluster_gres(const struct cluster *cluster, int node, int32_t kind);

/* asks.c: what a job asks for in this partition. Returns NULL, or why that is only the least of it: "asks for ...".
 * *never where Slurm would refuse it there. Locks held. */
const char *job_asks(struct cluster *cluster, job_record_t *job, part_record_t *part, surefill_job *said, bool *never);
/* The cores by which a job is known as wide. */
int32_t job_width(const struct cluster *cluster, const job_record_t *job, const part_record_t *part);

/* holds.c: what a job holds, and where. Locks held. */
void job_holds(const struct cluster *cluster, const job_record_t *job, struct row *row);

/* listing.c: looks at all jobs, and starts those of reservations; without a scheduler (alone) others as well, in
 * Slurm's order until one of a pool does not find its nodes. Takes the locks. */
void cluster_gather(struct cluster *cluster, bool alone);
struct row *cluster_row(const struct cluster *cluster, int64_t job);
/* A job's description, where it is waiting in this partition or holds something; the state is left to the caller. */
void row_describe(struct cluster *cluster, job_record_t *job, part_record_t *part, struct row *row);
void row_free(struct row *row);
/* The reason why a waiting job may not start, as one of SUREFILL_WHY_. */
int32_t why_held(const job_record_t *job, int64_t now);
/* No nodes of its partition are what the job asks for: it is held, as by Slurm's own main loop. One of several
 * partitions may have others, and a reservation changes. */
void hold_for_ever(job_record_t *job);

/* limits.c: the first waiting job before this one in Slurm's order that could not start once this one has started, as a
 * limit on running jobs (of a QOS, user or account) leaves starts for those before it alone; NULL for none. The
 * scheduler knows no such limits. Locks held. */
struct row *cluster_precedes(struct cluster *cluster, const struct row *row, job_record_t *job);

/* inside.c: jobs with reservations. */
struct inside *inside_make(struct cluster *cluster);
void inside_free(struct inside *inside);
/* Whether the job was the first of its reservation lately: then it is asked first in every walk. */
bool inside_was_head(const struct inside *inside, uint32_t job);
/* Starts the job if it finds its nodes in its reservation, off those that the first job of the reservation waits for
 * where it would not end in time. */
enum start_result inside_start(struct inside *inside, job_record_t *job, part_record_t *part);

/* report.c: tells the scheduler what has been gathered. False, and a message, when that fails. */
bool cluster_report(struct cluster *cluster, struct engine *engine, char *message, size_t length);

/* offers.c */
struct offer {
    surefill_action action;
    surefill_part *parts;
    int32_t part_count;
};
struct carried {
    int32_t started, backfilled, refused, withdrawn;
};
/* Starts what the scheduler offers, as far as there is time, and answers. Takes the locks. */
struct carried cluster_carry_out(struct cluster *cluster, struct engine *engine, surefill_cycle *cycle, struct offer *offers,
                                 int32_t count);
/* Asks Slurm to start a job that the scheduler has no nodes for, or that has a promise; at most once while the same
 * jobs run on the same nodes. With first it has a promise where Slurm finds nodes for it later. Locks held. */
enum start_result cluster_ask(struct cluster *cluster, job_record_t *job, part_record_t *part, int32_t pool, bool first);
/* Whether Slurm refused the job lately for another reason than its nodes: it keeps no job back. */
bool cluster_bars(const struct cluster *cluster, uint32_t job);
/* The nodes that are promised to others than this job from now on for so long; NULL for none, to be freed. */
bitstr_t *cluster_promised(const struct cluster *cluster, uint32_t job, int64_t limit);

#endif
