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
#include "beside.h"

#include <errno.h>
#include <getopt.h>
#include <slurm/slurm_errno.h>
#include <stdio.h>
#include <time.h>

static const char MARK[] = "surefill-soft-limit";
static const char WORD[] = "time_min_as_soft_limit";
static const double NEARLY = 0.2; /* a prediction that has moved by less than this part of itself is not written again */

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

/* Minutes that the job is to be planned with; 0 when nothing better than its limit is known. */
static uint32_t predicted(const struct beside *beside, const slurm_job_info_t *job, int64_t now) {
    const int64_t limit = limit_of(job), seconds = run_time_of(beside, job, beside->quantile, now);
    int64_t minutes = (seconds + 59) / 60;
    if (minutes < 1) minutes = 1;
    return seconds > 0 && minutes * 60 < (limit > 0 ? limit : SUREFILL_MAX_SECONDS) ? (uint32_t)minutes : 0;
}

static bool differs(uint32_t was, uint32_t is) {
    double gap = was > is ? (double)(was - is) : (double)(is - was);
    return (was == 0) != (is == 0) || gap > NEARLY * (double)is;
}

/* Every waiting job gets its prediction; those that have one of ours which is no longer wanted lose it. */
static bool write_predictions(const struct beside *beside, const job_info_msg_t *jobs, bool clear, int64_t now) {
    struct tally tally = {.all = clear};
    for (uint32_t i = 0; i < jobs->record_count; i++) {
        const slurm_job_info_t *job = &jobs->job_array[i];
        bool marked = same(job->admin_comment, MARK);
        job_desc_msg_t wanted;
        if (!beside_meant(beside, job)) continue;
        if (!marked && (job->time_min != 0 || !empty(job->admin_comment))) {
            tally.others++;
            continue;
        }
        slurm_init_job_desc_msg(&wanted);
        wanted.time_min = clear ? 0 : predicted(beside, job, now);
        wanted.admin_comment = (char *)(wanted.time_min > 0 ? MARK : "");
        if (differs(marked ? job->time_min : 0, wanted.time_min)) beside_change(beside, job, &wanted, &tally);
    }
    if (tally.changed + tally.left + tally.failed > 0)
        say("%s the soft limits of %ld jobs; %ld failed, %ld left for the next cycle; %ld have a --time-min or a comment of "
            "others", clear ? "taken back" : "set", tally.changed, tally.failed, tally.left, tally.others);
    return tally.failed == 0;
}

/* One look. Also without the word in SchedulerParameters it learns, and takes back what it has written; when slurmctld
 * does not answer, nothing is changed. */
static bool cycle(struct beside *beside, bool clear) {
    job_info_msg_t *jobs;
    char why[MESSAGE] = "";
    static char said[MESSAGE];
    enum limits limits = ask_limits(why, sizeof why);
    const int64_t now = (int64_t)time(NULL);
    bool good = true;
    if (strcmp(why, said) != 0) {
        if (!clear) say("%s", limits == SOFT ? "limits are soft now" : why);
        memcpy(said, why, sizeof said);
    }
    if ((jobs = beside_look(beside, now)) == NULL) return false;
    if (clear || limits != NO_ANSWER) good = write_predictions(beside, jobs, clear || limits == HARD, now);
    if (!clear && limits != SOFT) good = false;
    slurm_free_job_info_msg(jobs);
    return good;
}

static int usage(void) {
    fprintf(stderr, "surefill-soft-limits [-q QUANTILE] [-s STATE_FILE] [-p PARTITION]... [-i SECONDS] [-c CHANGES] [-1]\n"
                    "surefill-soft-limits --clear\n");
    return 2;
}

int main(int argc, char **argv) {
    static const struct option names[] = {BESIDE_CLEAR, {NULL, 0, NULL, 0}};
    struct beside beside = beside_defaults();
    char message[MESSAGE] = "";
    int option, status = 1;
    while ((option = getopt_long(argc, argv, BESIDE_OPTIONS, names, NULL)) != -1)
        if (!beside_option(&beside, option, optarg)) return usage();
    if (optind < argc) return usage();
    stop_on_signals();
    slurm_init(NULL);
    if (beside.clear)
        status = cycle(&beside, true) ? 0 : 1;
    else if (ask_limits(message, sizeof message) == SOFT)
        status = beside_run(&beside, cycle, true);
    else
        fprintf(stderr, "surefill-soft-limits: %s\n", message);
    slurm_fini();
    return status;
}
