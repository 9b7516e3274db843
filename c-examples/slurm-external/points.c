/* Points for stock sched/backfill: short, narrow and old jobs rise within the site's own priorities.
 *
 *   surefill-points [-w POINTS] [-q QUANTILE | --limit] [--fixed] [-s STATE_FILE] [-p PARTITION]... [-i SECONDS]
 *                   [-c CHANGES] [--look] [-1]
 *   surefill-points --clear
 *
 * Slurm's priority/multifactor adds a job's SiteFactor to its other factors. This program writes there, for every
 * waiting job,
 *
 *   W (1 - (ln(r / 60 s) + ln(cores) / 2 - 2 ln(1 + w / 10 h)) / 10), within 0 and 2 W
 *
 * with r the mean of the job's predicted run time (-q: a quantile, --limit: its limit), w its wait since it has been
 * eligible (--fixed: 0, where PriorityWeightAge is as large as W), and W the PriorityWeightFairshare (or -w). slurmctld
 * itself reckons the priority every PriorityCalcPeriod and starts the jobs; when this program is not running the points
 * stay as they are. --clear takes them back, --look changes nothing.
 *
 * A job is marked in its AdminComment, which users cannot change, with the points that were written: a job with another
 * AdminComment or with other points than these is left alone, and so are held jobs and those whose priority a user
 * has set by hand, as their SiteFactor does not count. */
#define _POSIX_C_SOURCE 200809L
#include "beside.h"

#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <math.h>
#include <slurm/slurm_errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define MARK "surefill-points"
enum { QUANTILES = 100 };            /* whose average is the mean */
static const double NEARLY = 0.01;          /* of W: points that have moved by less are not written again */
static const double LONGEST = 365 * 86400.0; /* seconds that a job without a limit counts as */

struct program {
    struct beside beside; /* first, so that it leads to the rest */
    double weight;        /* W; 0: PriorityWeightFairshare */
    bool limits, fixed, look;
    uint32_t *by_hand; /* the jobs whose priority a user has set */
    size_t hands;
};

/* W where points count, else 0, and why they do not. */
static double ask_weight(const struct program *program, char *why, size_t length) {
    slurm_conf_t *conf = NULL;
    double weight = 0;
    if (slurm_load_ctl_conf((time_t)0, &conf) != SLURM_SUCCESS) {
        snprintf(why, length, "slurmctld does not answer: %s", slurm_strerror(errno));
        return 0;
    }
    weight = program->weight > 0 ? program->weight : conf->priority_weight_fs;
    if (!same(conf->priority_type, "priority/multifactor")) {
        snprintf(why, length, "PriorityType is not priority/multifactor: a SiteFactor does not count");
        weight = 0;
    } else if (!empty(conf->site_factor_plugin) && !same(conf->site_factor_plugin, "site_factor/none")) {
        snprintf(why, length, "PrioritySiteFactorPlugin is %s, which overwrites points", conf->site_factor_plugin);
        weight = 0;
    } else if (!(weight > 0)) {
        snprintf(why, length, "PriorityWeightFairshare is 0: name the weight with -w");
    } else if (conf->priority_flags & PRIORITY_FLAGS_INCR_ONLY) {
        snprintf(why, length, "PriorityFlags has INCR_ONLY: a priority does not fall with its points");
    } else if (conf->min_job_age > 0 && conf->min_job_age <= program->beside.interval) {
        snprintf(why, length, "MinJobAge is %" PRIu32 " s: jobs that end between two looks are not learnt from; lower -i",
                 conf->min_job_age);
    } else if (program->fixed && conf->priority_weight_age < weight) {
        snprintf(why, length, "PriorityWeightAge is below %.0f: with --fixed waits count for little", weight);
    } else {
        snprintf(why, length, "points count up to %.0f now", 2 * weight);
    }
    free_conf(conf);
    return weight;
}

static int by_number(const void *one, const void *other) {
    const uint32_t a = *(const uint32_t *)one, b = *(const uint32_t *)other;
    return (a > b) - (a < b);
}

/* Lists the jobs whose priority a user has set. */
static bool ask_hands(struct program *program) {
    priority_factors_response_msg_t *answer = NULL;
    const priority_factors_object_t *of;
    size_t room = 0;
    program->hands = 0;
#if SLURM_VERSION_NUMBER >= SLURM_VERSION_NUM(23, 2, 0)
    if (slurm_load_job_prio(&answer, 0) != SLURM_SUCCESS || answer == NULL) {
#else
    if (slurm_load_job_prio(&answer, NULL, NULL, NULL, 0) != SLURM_SUCCESS || answer == NULL) {
#endif
        say("slurmctld does not answer: %s", slurm_strerror(errno));
        return false;
    }
    if (answer->priority_factors_list != NULL) room = (size_t)slurm_list_count(answer->priority_factors_list);
    free(program->by_hand);
    program->by_hand = calloc(room + 1, sizeof *program->by_hand);
    if (program->by_hand != NULL && room > 0) {
        void *at = slurm_list_iterator_create(answer->priority_factors_list);
        while (program->hands < room && (of = slurm_list_next(at)) != NULL) {
            if (!(of->direct_prio > 0)) continue;
#if SLURM_VERSION_NUMBER >= SLURM_VERSION_NUM(26, 5, 0)
            program->by_hand[program->hands++] = of->step_id.job_id;
#else
            program->by_hand[program->hands++] = of->job_id;
#endif
        }
        slurm_list_iterator_destroy(at);
        qsort(program->by_hand, program->hands, sizeof *program->by_hand, by_number);
    }
    slurm_free_priority_factors_response_msg(answer);
    return program->by_hand != NULL;
}

/* The points of a job that has waited so long. Seconds; by the same formula as the simulator's order. */
static double points_of(double weight, double run_time, double cores, double waited) {
    const double size = log(fmax(run_time, 1) / 60) + 0.5 * log(fmax(cores, 1));
    const double points = 1 - (size - 2 * log1p(fmax(waited, 0) / 36000)) / 10;
    return weight * fmin(fmax(points, 0), 2);
}

/* The predicted run time in seconds; 0 where nothing is known. */
static double predicted_run_time(const struct program *program, const slurm_job_info_t *job, int64_t now) {
    double sum = 0;
    if (program->beside.quantile > 0) return (double)run_time_of(&program->beside, job, program->beside.quantile, now);
    for (int i = 0; i < QUANTILES; i++)
        sum += (double)run_time_of(&program->beside, job, (i + 0.5) / QUANTILES, now);
    return sum / QUANTILES;
}

static double wanted_points(const struct program *program, const slurm_job_info_t *job, double weight, int64_t now) {
    const int64_t eligible = (int64_t)job->eligible_time, limit = limit_of(job);
    const double cores = job->num_cpus > job->num_nodes ? job->num_cpus : job->num_nodes;
    double run_time = limit > 0 ? (double)limit : LONGEST;
    if (!program->limits) {
        const double predicted = predicted_run_time(program, job, now);
        if (predicted > 0) run_time = fmin(run_time, predicted);
    }
    return points_of(weight, run_time, cores, eligible > 0 && !program->fixed ? (double)(now - eligible) : 0);
}

/* Whether the job has the points that this program has written. */
static bool is_own(const slurm_job_info_t *job, int64_t has) {
    char mark[40];
    snprintf(mark, sizeof mark, MARK " %" PRId64, has);
    return same(job->admin_comment, mark);
}

static bool set_by_hand(const struct program *program, uint32_t job) {
    return program->hands > 0 &&
           bsearch(&job, program->by_hand, program->hands, sizeof job, by_number) != NULL;
}

/* Every waiting job gets its points; with `clear` those that have ours lose them. */
static bool write_points(struct program *program, const job_info_msg_t *jobs, double weight, bool clear, int64_t now) {
    struct beside *beside = &program->beside;
    struct tally tally = {.all = clear};
    for (uint32_t i = 0; i < jobs->record_count; i++) {
        const slurm_job_info_t *job = &jobs->job_array[i];
        const int64_t has = (int64_t)job->site_factor - NICE_OFFSET;
        const bool own = is_own(job, has);
        char mark[40] = "";
        int64_t points = 0;
        job_desc_msg_t wanted;
        if (!beside_meant(beside, job)) continue;
        if (!clear && job->priority == 0) continue;
        if (clear ? !own : (!own && (has != 0 || !empty(job->admin_comment))) || set_by_hand(program, job->job_id)) {
            tally.others++;
            continue;
        }
        if (!clear) {
            points = llround(wanted_points(program, job, weight, now));
            if (fabs((double)(points - has)) < NEARLY * weight) continue;
            snprintf(mark, sizeof mark, MARK " %" PRId64, points);
        }
        if (program->look) {
            if (beside->once) say("JobId=%" PRIu32 " would have %" PRId64 " points", job->job_id, points);
            tally.changed++;
            continue;
        }
        slurm_init_job_desc_msg(&wanted);
        wanted.site_factor = (uint32_t)(NICE_OFFSET + points);
        wanted.admin_comment = mark;
        beside_change(beside, job, &wanted, &tally);
    }
    if (tally.changed + tally.left + tally.failed > 0)
        say("%s the points of %ld jobs; %ld failed, %ld left for the next cycle; %ld are left alone",
            clear ? "taken back" : program->look ? "would set" : "set", tally.changed, tally.failed, tally.left,
            tally.others);
    return tally.failed == 0;
}

/* One look. Where points do not count it learns only. */
static bool cycle(struct beside *beside, bool clear) {
    struct program *program = (struct program *)beside;
    const int64_t now = (int64_t)time(NULL);
    static char said[MESSAGE];
    char why[MESSAGE] = "";
    const double weight = ask_weight(program, why, sizeof why);
    job_info_msg_t *jobs;
    bool good = false;
    if (!clear && strcmp(why, said) != 0) say("%s", why);
    memcpy(said, why, sizeof said);
    if ((jobs = beside_look(beside, now)) == NULL) return false;
    if (clear || (weight > 0 && ask_hands(program))) good = write_points(program, jobs, weight, clear, now);
    slurm_free_job_info_msg(jobs);
    return good;
}

static int usage(void) {
    fprintf(stderr, "surefill-points [-w POINTS] [-q QUANTILE | --limit] [--fixed] [-s STATE_FILE] [-p PARTITION]... "
                    "[-i SECONDS] [-c CHANGES] [--look] [-1]\n"
                    "surefill-points --clear\n");
    return 2;
}

int main(int argc, char **argv) {
    static const struct option names[] = {
        BESIDE_CLEAR,
        {"limit", no_argument, NULL, 'l'},
        {"fixed", no_argument, NULL, 'f'},
        {"look", no_argument, NULL, 'n'},
        {NULL, 0, NULL, 0},
    };
    struct program program = {.beside = beside_defaults()};
    char message[MESSAGE] = "";
    int option, status = 1;
    program.beside.quantile = 0; /* the mean */
    while ((option = getopt_long(argc, argv, BESIDE_OPTIONS "w:", names, NULL)) != -1) {
        switch (option) {
        case 'w':
            if (!number(optarg, 1, 1e9, &program.weight)) return usage();
            break;
        case 'l': program.limits = true; break;
        case 'f': program.fixed = true; break;
        case 'n': program.look = true; break;
        default:
            if (!beside_option(&program.beside, option, optarg)) return usage();
        }
    }
    if (optind < argc || (program.look && program.beside.clear)) return usage();
    stop_on_signals();
    slurm_init(NULL);
    if (program.beside.clear)
        status = cycle(&program.beside, true) ? 0 : 1;
    else if (ask_weight(&program, message, sizeof message) > 0)
        status = beside_run(&program.beside, cycle, false);
    else
        fprintf(stderr, "surefill-points: %s\n", message);
    slurm_fini();
    free(program.by_hand);
    return status;
}
