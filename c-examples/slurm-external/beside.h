/* Programs that stay beside slurmctld: they learn from all jobs, and change those that wait, a few at each look. */
#ifndef BESIDE_H
#define BESIDE_H

#include "daemon.h"
#include "seen.h"

enum { MESSAGE = 300, PARTITIONS = 64 };

struct beside {
    struct engine engine;
    const char *state_file;
    const char *partitions[PARTITIONS];
    int partition_count;       /* 0: all */
    double quantile, interval; /* of the predicted run times; seconds from look to look */
    long changes;              /* jobs changed at one look at most: each is a call that takes slurmctld's locks */
    bool once, clear;
};

/* The outcome of a look: jobs changed, refused, left for the next look, and other people's. */
struct tally {
    long changed, failed, left, others;
    bool all; /* however many changes it takes */
};

/* The options of all of them by default. */
struct beside beside_defaults(void);

/* The options that all of them have, for getopt_long: these letters, and "clear" as 'x'. */
#define BESIDE_OPTIONS "q:s:p:i:c:1"
#define BESIDE_CLEAR {"clear", no_argument, NULL, 'x'}

/* Takes one of them; false when it is none or its argument is wrong. */
bool beside_option(struct beside *beside, int option, const char *argument);

/* A number between two bounds; false when the text is none. */
bool number(const char *text, double least, double most, double *value);

/* Loads all jobs and reports them to the engine, where there is one; NULL when that fails, which has been said. */
job_info_msg_t *beside_look(struct beside *beside, int64_t now);

/* Whether the job waits in one of the partitions that are meant. */
bool beside_meant(const struct beside *beside, const slurm_job_info_t *job);

/* The job's limit in seconds, 0 where it has none; a quantile of its predicted run time, 0 where nothing is known. */
int64_t limit_of(const slurm_job_info_t *job);
int64_t run_time_of(const struct beside *beside, const slurm_job_info_t *job, double quantile, int64_t now);

/* Makes one change, where enough are not made yet, and counts it; an array is changed as one. */
void beside_change(const struct beside *beside, const slurm_job_info_t *job, job_desc_msg_t *wanted,
                   struct tally *tally);

/* Looks until it is asked to stop, or once, and returns the exit status; the engine lives as long. `look` takes
 * back what was written where `clear` is true: with --clear and, with `take_back`, at the end. */
int beside_run(struct beside *beside, bool (*look)(struct beside *beside, bool clear), bool take_back);

#endif
