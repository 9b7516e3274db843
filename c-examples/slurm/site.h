/* What one cycle of the plugin sees of slurmctld, and the two moments at which it holds slurmctld's locks: gathering
 * and starting. Everything between works on copies.
 * Licence: GPL-2.0-or-later, as this whole folder. */
#ifndef SITE_H
#define SITE_H

#include "books.h"
#include "clock.h"
#include "compat.h"
#include "decide.h"
#include "order.h"
#include "refusals.h"
#include "share.h"

#include <time.h>

enum { NAME_LENGTH = 64, WHY_LENGTH = 100, CUTS = 64 };

/* Partitions of exactly the same nodes: one pool. */
struct group {
    char name[NAME_LENGTH]; /* of its first partition */
    bitstr_t *nodes;
    uint32_t service_nodes, service_cpus; /* of those neither down nor draining nor failed */
    struct pool pool;
    bool has_head;         /* pool.head waits for nodes */
    bool awaits;           /* some of the nodes have not registered yet: nobody overtakes */
    int32_t head_place, head_order; /* its partition, and its place in the whole queue */
    int family;            /* of pools with waiting jobs that have nodes in common: the index of one of them */
    bool sharing;          /* a running job leaves cores of its nodes to others */
    bool short_of_memory;  /* some of its jobs are left out */
    int32_t refused;       /* candidates that Slurm refused lately */
    char unjudged[WHY_LENGTH]; /* why node counts do not decide here; empty when they do */
    bool modelled;         /* then the library's machine of shared nodes does, of what it can say */
    struct share share;
};

struct site {
    struct group *groups;
    int group_count;
    char (*partitions)[NAME_LENGTH];
    int *group_of; /* partition to group */
    int partition_count;
    time_t configured;     /* slurm_conf.last_update at the time of gathering */
    uint64_t fingerprint;  /* of all that a decision rests on */
    uint64_t running;      /* of the running jobs and idle nodes at the beginning of the cycle */
    int64_t pending;       /* jobs that could run, at the time of gathering */
    int started;           /* in order of priority, while gathering */
    bool ending;           /* some nodes are being cleaned up after a job */
    bool forgetful;        /* no memory for the books: some jobs are not in them */
    double locked_since;   /* by clock_seconds() */
    double deadline;       /* when starting jobs has to end for now, because the locks are held */
    bool cut_short;        /* it came before all was done */
    double slurm_seconds;  /* spent in slurmctld's own functions: the clock is read around them */
    double locked_seconds; /* spent holding its locks, waiting for them not counted */
    double longest_locked; /* of that, without giving them back in between */
    struct refusals refusals; /* kept from cycle to cycle; each counts while the same jobs run on the same nodes */
    struct cut {
        char pool[NAME_LENGTH];
        bool head;         /* while its head job was looked for */
        uint32_t job;
    } cuts[CUTS];          /* where the latest walks through a pool's candidates by limits were cut short; kept as well */
    int next_cut;
    int cut_walks;         /* the latest walks through the queue in a row that were cut short; kept as well */
    struct passed {
        struct entry {
            uint32_t job, place, reservation, qos;
        } *entries;
        int count, room;
    } passed;              /* whom Slurm refused in the walks through the queue since one was cut short; kept as well */
    bitstr_t *planned;     /* nodes that head jobs of pools left to Slurm's own test wait for */
    bool telling;          /* it is time to say when waiting jobs are expected to start */
    double told;           /* when that was so last, by clock_seconds() */
    bool untold;           /* there was no forecast on shared nodes then: limits say it there */
    int turn;              /* the pool that comes first, another in each cycle */
    double began;          /* when slurmctld started or was reconfigured, by clock_seconds() */
    bool settled;          /* the nodes that were in service have registered since, or their time is over */
    bitstr_t *awaited;     /* those that have not; NULL for none */
    bitstr_t *served;      /* nodes in service, as the books know them; NULL while they do not */
    time_t noted;          /* slurm_conf.last_update at that time */
};

/* The locks have been taken, and are about to be given back: how long they are held is counted in between. */
void site_locked(struct site *site);
void site_unlocked(struct site *site);

/* Sets the deadline of what is done next, given that share of the time for which the locks may still be held. The time
 * is four fifths of the setting: the call of Slurm's that is under way at its end takes its time as well. Two fifths of
 * the share of the setting are always left, so that every piece of work gets on. */
void site_set_deadline(struct site *site, const struct settings *settings, double share);
/* Whether the locks have been held for so long that what is left of this work has to wait for the next cycle; says
 * so. */
bool site_time_is_up(struct site *site, const char *work, int left);

/* facts.c. Of all running jobs, and of the waiting ones with at least this priority. Job and node read locks held. */
uint64_t site_fingerprint(uint32_t least_priority);
uint32_t site_least_priority(const struct site *site);
/* Of the reasons that users see for which jobs wait, their priorities, and the states and ends of the others. Job read
 * lock held. */
uint64_t site_reasons(void);

/* What counts of a job for a decision, NULL details left out by the caller. Job read lock held. */
void job_facts(const job_record_t *job, const part_record_t *part, int32_t nodes, struct facts *facts);
/* How many nodes a job takes at least, wants and takes at most in this partition, with what its QOS lets it exceed;
 * false where Slurm would refuse it. */
bool job_node_counts(job_record_t *job, part_record_t *part, uint32_t *least, uint32_t *wanted, uint32_t *most);
/* Whole nodes of this partition that a waiting job needs; 0 when Slurm says that it cannot run there now. */
int32_t job_nodes(job_record_t *job, part_record_t *part);
/* Whether the job never shares a node with another one. */
bool job_takes_whole_nodes(const job_record_t *job, const part_record_t *part);

/* gather.c: takes the locks, tells the books what has happened, has the queue walked through, and copies what decisions
 * need. Returns false when these are not the jobs that this was compiled for. */
bool site_gather(struct site *site, const struct settings *settings, struct books *books, struct beliefs *beliefs);
/* Notes why counting nodes does not say when the group's head job can start; the first reason stays. */
void site_unjudged(struct group *group, const char *why);
/* As that: there is no memory for some of its jobs. */
void site_short_of_memory(struct group *group, const char *what);
/* Frees what a cycle has gathered; what is kept from cycle to cycle stays. */
void site_clear(struct site *site);

/* awaited.c: slurmctld has started, or has been reconfigured. */
void site_begin(struct site *site);
/* Finds the nodes that have not registered since and are waited for. Node read lock held. */
void site_await(struct site *site, const struct books *books);
/* Tells the books which jobs are heads and which nodes are in service. Node read lock held. */
void site_note(struct site *site, struct books *books);

/* queue.c: starts jobs in order of priority, equal ones in the preset's order, while they fit; notes head jobs and
 * candidates. Under the locks. */
void site_walk_queue(struct site *site, const struct settings *settings, const struct books *books, struct beliefs *beliefs);

/* start.c: what Slurm says to a start. job may become another record of the same array. */
enum start_result {
    START_DONE,
    START_BUSY,     /* its nodes are not free */
    START_WITHHELD, /* it would need nodes that we kept from it */
    START_ABSENT,   /* some of its nodes are not in service */
    START_NEVER,    /* no nodes of the partition are what it asks for */
    START_NOT_NOW   /* anything else: limits, reservations, ... */
};
enum start_result start_job(job_record_t *job, part_record_t *part, const bitstr_t *without, uint32_t flag,
                            struct site *site);
/* The job's reason, as users see it. */
void say_why(job_record_t *job, enum job_state_reason why);
/* Says so in the job's reason, as Slurm does. */
bool job_misses_deadline(job_record_t *job);
/* Everything Slurm's own schedulers ask before they look for nodes. */
bool may_start(job_record_t *job, part_record_t *part);
/* Whether the head job's licences, which are free, are so still when this job has its own. */
bool leaves_licences(job_record_t *job, int64_t head_id);
/* Starts the accepted candidates of a group under the locks, held for at most settings->locked seconds, in order, as
 * far as they may start although others were refused. Returns the delay of the head job that those started have been
 * charged with (0 by limits) and their number; *changed says that what the decision rests on has changed, and then
 * nothing has been started. */
double site_start(struct site *site, struct group *group, const struct decision *decision, const struct settings *settings,
                  struct delays *delays, int *started, bool *changed);

/* tell.c: what users and administrators see. Writes the expected starts of a group's waiting jobs into slurmctld's
 * records, taking the locks; returns how many. */
int site_tell(struct site *site, const struct group *group);
/* Marks the idle nodes that head jobs wait for as planned, and no others. Node write lock held. */
void site_plan_nodes(const struct site *site);
/* As site_plan_nodes for none, taking the locks: the plugin stops. */
void site_forget_plans(void);
/* Counts a cycle for sdiag: its microseconds, how many jobs waited, were looked at, and were judged. */
void site_count_cycle(const struct site *site, double seconds, int judged);

/* reserve.c: when this waiting job would start in this partition, not on those nodes (NULL for none), if every running
 * job ran to its limit, and on which nodes (to be freed); 0 when Slurm does not know. Locks held. */
time_t site_reserve(job_record_t *job, part_record_t *part, const bitstr_t *without, bitstr_t **nodes);
/* Which features Slurm's tests are to look for: those required, or those preferred. */
void job_use_features(job_record_t *job, bool preferred);

/* limits.c: EASY with Slurm's own tests for a family of groups that node counts do not describe. Candidates that are
 * judged on shared nodes are left out if so asked, and the starts that the library foretells are not told. Locks held.
 * Returns how many jobs were started. */
int site_start_by_limits(struct site *site, int family, bool leave_shared, bool foretold);

#endif
