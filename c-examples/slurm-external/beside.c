#define _POSIX_C_SOURCE 200809L
#include "beside.h"

#include <errno.h>
#include <slurm/slurm_errno.h>
#include <stdio.h>
#include <stdlib.h>

struct beside beside_defaults(void) { return (struct beside){.quantile = 0.5, .interval = 30, .changes = 200}; }

bool number(const char *text, double least, double most, double *value) {
    char *end;
    *value = strtod(text, &end);
    return end != text && *end == '\0' && *value >= least && *value <= most;
}

bool beside_option(struct beside *beside, int option, const char *argument) {
    double value;
    switch (option) {
    case 'q': return number(argument, 0.01, 0.99, &beside->quantile);
    case 'i': return number(argument, 0.1, 3600, &beside->interval);
    case 'c':
        if (!number(argument, 1, 1e6, &value)) return false;
        beside->changes = (long)value;
        return true;
    case 'p':
        if (beside->partition_count == PARTITIONS) return false;
        beside->partitions[beside->partition_count++] = argument;
        return true;
    case 's': beside->state_file = argument; return true;
    case '1': beside->once = true; return true;
    case 'x': beside->clear = true; return true;
    default: return false;
    }
}

/* Reports all jobs to the engine. */
static bool learn(struct engine *engine, const job_info_msg_t *jobs, int64_t now) {
    surefill_cycle *cycle = NULL;
    int32_t status = listing_begin(engine, 0, 0, jobs, now);
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
        report(engine, &said, now);
    }
    if (status == SUREFILL_OK) status = listing_end(engine, now);
    /* A cycle predicts anew by the jobs that have ended; nothing is decided in it. */
    if (status == SUREFILL_OK) status = engine_begin(engine, 0, now, &cycle);
    status = engine_close(engine, cycle, status);
    return status == SUREFILL_OK;
}

job_info_msg_t *beside_look(struct beside *beside, int64_t now) {
    job_info_msg_t *jobs = NULL;
    if (slurm_load_jobs((time_t)0, &jobs, SHOW_ALL | SHOW_DETAIL) != SLURM_SUCCESS) {
        say("slurmctld does not answer: %s", slurm_strerror(errno));
        return NULL;
    }
    if (beside->engine.scheduler == NULL || learn(&beside->engine, jobs, now)) return jobs;
    slurm_free_job_info_msg(jobs);
    return NULL;
}

bool beside_meant(const struct beside *beside, const slurm_job_info_t *job) {
    bool meant = beside->partition_count == 0;
    if (base_state(job) != JOB_PENDING || completing(job)) return false;
    for (int i = 0; i < beside->partition_count; i++) meant = meant || same(job->partition, beside->partitions[i]);
    return meant;
}

int64_t limit_of(const slurm_job_info_t *job) {
    return job->time_limit == INFINITE || job->time_limit == NO_VAL ? 0 : (int64_t)job->time_limit * 60;
}

int64_t run_time_of(const struct beside *beside, const slurm_job_info_t *job, double quantile, int64_t now) {
    surefill_job said;
    int64_t seconds;
    describe(job, now, &said);
    if (surefill_scheduler_run_time(beside->engine.scheduler, now, said.id, quantile, &seconds) != SUREFILL_OK) return 0;
    return seconds;
}

void beside_change(const struct beside *beside, const slurm_job_info_t *job, job_desc_msg_t *wanted,
                   struct tally *tally) {
    job_array_resp_msg_t *answer = NULL;
    char name[32];
    if (!tally->all && tally->changed >= beside->changes) {
        tally->left++;
        return;
    }
    snprintf(name, sizeof name, "%u", job->array_task_str != NULL ? job->array_job_id : job->job_id);
    wanted->job_id_str = name;
    if (slurm_update_job2(wanted, &answer) == SLURM_SUCCESS) {
        tally->changed++;
    } else {
        tally->failed++;
        say("JobId=%s cannot be changed: %s", name, slurm_strerror(errno));
    }
    if (answer != NULL) slurm_free_job_array_resp(answer);
}

int beside_run(struct beside *beside, bool (*look)(struct beside *beside, bool clear), bool take_back) {
    struct pace pace;
    char message[MESSAGE] = "";
    double saved = 0;
    bool good;
    if (!engine_make(&beside->engine, engine_one_pool, NULL, &pace, message, sizeof message)) {
        fprintf(stderr, "%s\n", message);
        return 1;
    }
    if (!remember(beside->state_file, &beside->engine)) return 1;
    do {
        good = look(beside, false);
        saved += beside->interval;
        if (saved >= pace.save) {
            saved = 0;
            keep(beside->state_file, &beside->engine);
        }
        if (!beside->once) sleep_seconds(beside->interval);
    } while (!beside->once && !asked_to_stop());
    keep(beside->state_file, &beside->engine);
    if (!beside->once) good = !take_back || look(beside, true); /* what could not be taken back has to be said */
    engine_free(&beside->engine);
    return good ? 0 : 1;
}
