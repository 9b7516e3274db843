/* The gentlest seam of all: Slurm's own sched/backfill stays in charge, and plans with predicted run times.
 *
 *   surefill-soft-limits [-q QUANTILE] [-s STATE_FILE] [-p PARTITION]... [-i SECONDS] [-c CHANGES] [-1]
 *   surefill-soft-limits --clear
 *
 * Slurm 23.11 and later take a job's --time-min for the time it is planned with, and its limit for the time it may
 * take, when SchedulerParameters has the word time_min_as_soft_limit. This program writes a quantile of the job's
 * predicted run time there, rounded up to minutes, for every waiting job that has no --time-min of its user's. It only
 * writes while the word is there: without it Slurm would shorten limits, and jobs would be killed. When it is stopped,
 * and with --clear, the waiting jobs' predictions are taken back.
 *
 * A job is marked in its AdminComment, which users cannot change; a job with another AdminComment is left alone. */
#define _POSIX_C_SOURCE 200809L
#include "daemon.h"
#include "seen.h"

#include <errno.h>
#include <getopt.h>
#include <slurm/slurm_errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static const char MARK[] = "surefill-soft-limit";
static const char WORD[] = "time_min_as_soft_limit";
enum { MESSAGE = 300, PARTITIONS = 64 };
static const double NEARLY = 0.2; /* a prediction that has moved by less than this part of itself is not written again */

struct program {
    struct engine engine;
    const char *state_file;
    const char *partitions[PARTITIONS];
    int partition_count; /* 0: all */
    double quantile, interval;
    long changes; /* jobs changed in one cycle at most: each is a call that takes slurmctld's locks */
};

enum limits { SOFT, HARD, NO_ANSWER };

/* Whether slurmctld plans with --time-min and leaves limits alone, and why not. */
static enum limits ask_limits(char *why, size_t length) {
    slurm_conf_t *conf = NULL;
    int year = 0, month = 0;
    enum limits limits = HARD;
    if (slurm_load_ctl_conf((time_t)0, &conf) != SLURM_SUCCESS) {
        snprintf(why, length, "slurmctld does not answer: %s", slurm_strerror(errno));
        return NO_ANSWER;
    }
    if (conf->version == NULL || sscanf(conf->version, "%d.%d", &year, &month) != 2 || year < 23 ||
        (year == 23 && month < 11))
        snprintf(why, length, "Slurm %s would shorten limits to what is predicted; 23.11 is needed",
                 conf->version == NULL ? "of an unknown version" : conf->version);
    else if (!same(conf->schedtype, "sched/backfill"))
        snprintf(why, length, "SchedulerType is not sched/backfill");
    else if (conf->sched_params == NULL || strstr(conf->sched_params, WORD) == NULL)
        snprintf(why, length, "SchedulerParameters has no %s: Slurm would shorten limits to what is predicted", WORD);
    else
        limits = SOFT;
    free_conf(conf);
    return limits;
}

static bool ours(const struct program *program, const char *partition) {
    for (int i = 0; i < program->partition_count; i++)
        if (same(partition, program->partitions[i])) return true;
    return program->partition_count == 0;
}

/* Reports all jobs to the engine. */
static bool look(struct program *program, const job_info_msg_t *jobs, int64_t now) {
    surefill_cycle *cycle;
    int32_t status = listing_begin(&program->engine, 0, 0, jobs, now);
    for (uint32_t i = 0; i < jobs->record_count && status == SUREFILL_OK; i++) {
        const slurm_job_info_t *job = &jobs->job_array[i];
        const int32_t why = job->priority == 0 ? SUREFILL_WHY_HOLD : why_not_yet(job, now);
        surefill_job said;
        if (is_over(job)) continue;
        describe(job, now, &said);
        if (said.state == SUREFILL_JOB_WAITING && why != 0) {
            said.state = SUREFILL_JOB_HELD;
            said.why = why;
        }
        report(&program->engine, &said, now);
    }
    if (status == SUREFILL_OK) status = listing_end(&program->engine, now);
    /* A cycle predicts anew by the jobs that have ended; nothing is decided in it. */
    if (status == SUREFILL_OK && (status = engine_begin(&program->engine, 0, now, &cycle)) == SUREFILL_OK)
        status = surefill_cycle_close(cycle, program->engine.scheduler);
    return status == SUREFILL_OK;
}

/* Minutes that the job is to be planned with; 0 when nothing better than its limit is known. */
static uint32_t predicted(const struct program *program, const slurm_job_info_t *job, int64_t now) {
    surefill_job said;
    int64_t seconds, minutes;
    describe(job, now, &said);
    if (surefill_scheduler_run_time(program->engine.scheduler, now, said.id, program->quantile, &seconds) !=
        SUREFILL_OK)
        return 0;
    minutes = (seconds + 59) / 60;
    if (minutes < 1) minutes = 1;
    return minutes * 60 < (said.limit > 0 ? said.limit : SUREFILL_MAX_SECONDS) ? (uint32_t)minutes : 0;
}

/* Writes the minutes, or takes them back (0). An array is changed as one. */
static bool change(const slurm_job_info_t *job, uint32_t minutes) {
    job_desc_msg_t wanted;
    job_array_resp_msg_t *answer = NULL;
    char name[32];
    bool good;
    slurm_init_job_desc_msg(&wanted);
    snprintf(name, sizeof name, "%u", job->array_task_str != NULL ? job->array_job_id : job->job_id);
    wanted.job_id_str = name;
    wanted.time_min = minutes;
    wanted.admin_comment = (char *)(minutes > 0 ? MARK : "");
    good = slurm_update_job2(&wanted, &answer) == SLURM_SUCCESS;
    if (answer != NULL) slurm_free_job_array_resp(answer);
    if (!good) say("JobId=%s cannot be changed: %s", name, slurm_strerror(errno));
    return good;
}

static bool differs(uint32_t was, uint32_t is) {
    double gap = was > is ? (double)(was - is) : (double)(is - was);
    return (was == 0) != (is == 0) || gap > NEARLY * (double)is;
}

/* What is waiting gets its prediction; what has one of ours that is no longer wanted loses it. */
static bool write_predictions(struct program *program, const job_info_msg_t *jobs, bool clear, int64_t now) {
    long changed = 0, left = 0, others = 0, failed = 0;
    for (uint32_t i = 0; i < jobs->record_count; i++) {
        const slurm_job_info_t *job = &jobs->job_array[i];
        bool marked = same(job->admin_comment, MARK);
        uint32_t minutes;
        if (base_state(job) != JOB_PENDING || completing(job) || !ours(program, job->partition)) continue;
        if (!marked && (job->time_min != 0 || !empty(job->admin_comment))) {
            others++;
            continue;
        }
        minutes = clear ? 0 : predicted(program, job, now);
        if (!differs(marked ? job->time_min : 0, minutes)) continue;
        if (!clear && changed >= program->changes) {
            left++;
            continue;
        }
        if (change(job, minutes))
            changed++;
        else
            failed++;
    }
    if (changed + left + failed > 0)
        say("%s the soft limits of %ld jobs; %ld failed, %ld left for the next cycle; %ld have a --time-min or a comment of "
            "others", clear ? "taken back" : "set", changed, failed, left, others);
    return failed == 0;
}

/* One look. Also without the word in SchedulerParameters it learns, and takes back what it has written; when slurmctld
 * does not answer, nothing is changed. */
static bool cycle(struct program *program, bool clear) {
    job_info_msg_t *jobs = NULL;
    char why[MESSAGE] = "";
    static char said[MESSAGE];
    enum limits limits = ask_limits(why, sizeof why);
    const int64_t now = (int64_t)time(NULL);
    bool good;
    if (strcmp(why, said) != 0) {
        if (!clear) say("%s", limits == SOFT ? "limits are soft now" : why);
        memcpy(said, why, sizeof said);
    }
    if (slurm_load_jobs((time_t)0, &jobs, SHOW_ALL | SHOW_DETAIL) != SLURM_SUCCESS) {
        say("slurmctld does not answer: %s", slurm_strerror(errno));
        return false;
    }
    good = program->engine.scheduler == NULL || look(program, jobs, now);
    if (good && (clear || limits != NO_ANSWER)) good = write_predictions(program, jobs, clear || limits == HARD, now);
    if (!clear && limits != SOFT) good = false;
    slurm_free_job_info_msg(jobs);
    return good;
}

static int usage(void) {
    fprintf(stderr, "surefill-soft-limits [-q QUANTILE] [-s STATE_FILE] [-p PARTITION]... [-i SECONDS] [-c CHANGES] [-1]\n"
                    "surefill-soft-limits --clear\n");
    return 2;
}

/* A number between two bounds, or usage. */
static bool number(const char *text, double least, double most, double *value) {
    char *end;
    *value = strtod(text, &end);
    return end != text && *end == '\0' && *value >= least && *value <= most;
}

int main(int argc, char **argv) {
    static const struct option names[] = {{"clear", no_argument, NULL, 'x'}, {NULL, 0, NULL, 0}};
    struct program program = {.quantile = 0.5, .interval = 30, .changes = 200};
    struct pace pace;
    char message[MESSAGE] = "";
    bool once = false, clear = false, good = true;
    double value, saved = 0;
    int option;
    while ((option = getopt_long(argc, argv, "q:s:p:i:c:1", names, NULL)) != -1) {
        switch (option) {
        case 'q':
            if (!number(optarg, 0.01, 0.99, &program.quantile)) return usage();
            break;
        case 'i':
            if (!number(optarg, 0.1, 3600, &program.interval)) return usage();
            break;
        case 'c':
            if (!number(optarg, 1, 1e6, &value)) return usage();
            program.changes = (long)value;
            break;
        case 'p':
            if (program.partition_count == PARTITIONS) return usage();
            program.partitions[program.partition_count++] = optarg;
            break;
        case 's': program.state_file = optarg; break;
        case '1': once = true; break;
        case 'x': clear = true; break;
        default: return usage();
        }
    }
    if (optind < argc) return usage();
    stop_on_signals();
    slurm_init(NULL);
    if (clear) {
        good = cycle(&program, true);
        slurm_fini();
        return good ? 0 : 1;
    }
    if (ask_limits(message, sizeof message) != SOFT) {
        fprintf(stderr, "surefill-soft-limits: %s\n", message);
        return 1;
    }
    if (!engine_make(&program.engine, engine_one_pool, NULL, &pace, message, sizeof message)) {
        fprintf(stderr, "%s\n", message);
        return 1;
    }
    if (!remember(program.state_file, &program.engine)) return 1;
    do {
        good = cycle(&program, false);
        saved += program.interval;
        if (saved >= pace.save) {
            saved = 0;
            keep(program.state_file, &program.engine);
        }
        if (!once) sleep_seconds(program.interval);
    } while (!once && !asked_to_stop());
    keep(program.state_file, &program.engine);
    if (!once) good = cycle(&program, true); /* what could not be taken back has to be said */
    slurm_fini();
    engine_free(&program.engine);
    return good ? 0 : 1;
}
