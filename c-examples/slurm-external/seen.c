#define _POSIX_C_SOURCE 200809L
#include "seen.h"

#include "daemon.h"

#include <stdlib.h>

int32_t waiting_tasks(const slurm_job_info_t *job, int32_t place, uint32_t *task) {
    const char *at = job->array_task_str;
    int64_t count = 0;
    *task = NO_VAL;
    while (at != NULL && *at >= '0' && *at <= '9') { /* such as 1-3,7,10-20:5 and then perhaps %2 */
        char *end;
        const int64_t first = strtol(at, &end, 10);
        int64_t last = first, step = 1, more;
        if (*end == '-') last = strtol(end + 1, &end, 10);
        if (*end == ':') step = strtol(end + 1, &end, 10);
        if (last < first || step < 1) break;
        more = (last - first) / step + 1;
        if (place >= count && place < count + more) *task = (uint32_t)(first + (place - count) * step);
        count += more;
        at = *end == ',' ? end + 1 : NULL;
    }
    return count > INT32_MAX ? INT32_MAX : (int32_t)count;
}

int64_t task_id(const slurm_job_info_t *job, uint32_t task) {
    return (int64_t)job->array_job_id | ((int64_t)task + 1) << 32;
}

bool is_over(const slurm_job_info_t *job) {
    const uint32_t state = base_state(job);
    return state != JOB_PENDING && state != JOB_RUNNING && state != JOB_SUSPENDED && !completing(job);
}

/* Seconds it has run until then, suspensions not counted; at least 1, as 0 is unknown. */
static int64_t age_of(const slurm_job_info_t *job, int64_t until) {
    const int64_t from = (int64_t)(job->suspend_time != 0 ? job->suspend_time : job->start_time);
    const int64_t age = until - from + (int64_t)job->pre_sus_time;
    return age > 1 ? age : 1;
}

/* Whether a job that is over has run until it ended by itself, its limit or its user. */
static bool has_run(const slurm_job_info_t *job) {
    switch (base_state(job)) {
    case JOB_COMPLETE:
    case JOB_CANCELLED:
    case JOB_FAILED:
    case JOB_TIMEOUT:
    case JOB_DEADLINE:
    case JOB_OOM: return !empty(job->nodes) && job->start_time != 0 && job->end_time >= job->start_time;
    default: return false; /* node failures, preemption */
    }
}

void describe(const slurm_job_info_t *job, int64_t now, surefill_job *said) {
    const uint32_t state = base_state(job);
    uint32_t task;
    *said = (surefill_job){
        .struct_size = sizeof *said,
        .id = job->job_id,
        .user = job->user_id,
        .submit = (int64_t)job->submit_time,
        .limit = job->time_limit == INFINITE || job->time_limit == NO_VAL ? 0 : (int64_t)job->time_limit * 60,
        .count = job->num_nodes < 1 ? 1 : job->num_nodes > INT32_MAX ? INT32_MAX : (int32_t)job->num_nodes,
        .restarts = job->restart_cnt,
        .queue_count = 1,
    };
    if (job->array_job_id != 0 && job->array_task_id != NO_VAL) {
        said->id = task_id(job, job->array_task_id);
    } else if (job->array_job_id != 0) {
        said->tasks = waiting_tasks(job, 0, &task);
        if (said->tasks == 1) said->id = task_id(job, task); /* so it keeps its id when it starts */
    }
    if (state == JOB_PENDING) {
        said->state = completing(job) ? SUREFILL_JOB_HELD : SUREFILL_JOB_WAITING;
        said->why = completing(job) ? SUREFILL_WHY_OTHER : 0;
        return;
    }
    said->start = (int64_t)job->start_time;
    if (state == JOB_RUNNING || state == JOB_SUSPENDED) {
        said->state = state == JOB_RUNNING ? SUREFILL_JOB_RUNNING : SUREFILL_JOB_SUSPENDED;
        if (state == JOB_RUNNING) said->ran = age_of(job, now);
    } else if (has_run(job)) {
        said->state = completing(job) ? SUREFILL_JOB_ENDING : SUREFILL_JOB_ENDED;
        said->ran = age_of(job, (int64_t)job->end_time);
    } else {
        said->state = completing(job) ? SUREFILL_JOB_SUSPENDED : SUREFILL_JOB_BROKEN; /* nothing is learnt from it */
    }
}

int32_t why_not_yet(const slurm_job_info_t *job, int64_t now) {
    if (!empty(job->dependency)) return SUREFILL_WHY_DEPENDENCY;
    if (job->eligible_time > now) return SUREFILL_WHY_BEGIN;
    return job->het_job_id != 0 ? SUREFILL_WHY_OTHER : 0;
}

void report(struct engine *engine, const surefill_job *said, int64_t now) {
    const int32_t status = engine_set_job(engine, now, said);
    if (status != SUREFILL_OK && status != SUREFILL_ERROR_UNKNOWN_JOB)
        say("JobId=%lld is left to Slurm: %s", (long long)(said->id & UINT32_MAX), surefill_status_text(status));
}

int32_t listing_begin(struct engine *engine, int32_t nodes, int32_t idle, const job_info_msg_t *jobs, int64_t now) {
    static const char name[] = "nodes";
    int32_t pool, queue, over = 0, status;
    for (uint32_t i = 0; i < jobs->record_count; i++) over += is_over(&jobs->job_array[i]);
    status = surefill_scheduler_set_pool(engine->scheduler, name, sizeof name - 1, nodes, idle, &pool);
    if (status == SUREFILL_OK)
        status = surefill_scheduler_set_queue(engine->scheduler, name, sizeof name - 1, pool, &queue);
    if (status == SUREFILL_OK) status = engine_list_begin(engine, now, over);
    for (uint32_t i = 0; i < jobs->record_count && status == SUREFILL_OK; i++) {
        surefill_job said;
        if (!is_over(&jobs->job_array[i])) continue;
        describe(&jobs->job_array[i], now, &said);
        report(engine, &said, now);
    }
    if (status != SUREFILL_OK) say("the engine does not take the listing: %s", surefill_status_text(status));
    return status;
}

int32_t listing_end(struct engine *engine, int64_t now) {
    int32_t doubted = 0;
    const int32_t status = surefill_scheduler_list_end(engine->scheduler, now, &doubted);
    if (status != SUREFILL_OK) say("the engine does not take the listing: %s", surefill_status_text(status));
    if (doubted) say("most of the running jobs are missing in Slurm's listing: the next one counts");
    return status;
}
