#include "seen.h"

#include <stdio.h>

void facts_of(const slurm_job_info_t *job, struct facts *facts) {
    *facts = (struct facts){
        .id = job->job_id,
        .user = job->user_id,
        .submit = (int64_t)job->submit_time,
        .limit = job->time_limit == INFINITE || job->time_limit == NO_VAL ? SUREFILL_MAX_SECONDS
                                                                           : (int64_t)job->time_limit * 60,
        .name = beliefs_name(job->name),
        .nodes = (int32_t)job->num_nodes,
        .asked = (int32_t)job->num_nodes,
    };
    if (job->partition != NULL) snprintf(facts->queue, sizeof facts->queue, "%s", job->partition);
}

int64_t age_of(const slurm_job_info_t *job, int64_t until) {
    int64_t from = (int64_t)(job->suspend_time != 0 ? job->suspend_time : job->start_time);
    int64_t age = until - from + (int64_t)job->pre_sus_time;
    return age > 0 ? age : 0;
}

/* What has happened since the last look. */
bool keep_books(struct books *books, struct beliefs *beliefs, const job_info_msg_t *jobs, held_check *held, int64_t now) {
    bool good = true;
    books_begin(books);
    for (uint32_t i = 0; i < jobs->record_count && good; i++) {
        const slurm_job_info_t *job = &jobs->job_array[i];
        struct sighting seen = {.phase = PHASE_BROKEN, .restarts = job->restart_cnt, .start = (int64_t)job->start_time};
        facts_of(job, &seen.facts);
        seen.held = held(job, now);
        switch (base_state(job)) {
        case JOB_PENDING: seen.phase = PHASE_WAITING; break;
        case JOB_RUNNING:
        case JOB_SUSPENDED: seen.phase = PHASE_RUNNING; break;
        case JOB_COMPLETE:
        case JOB_CANCELLED:
        case JOB_FAILED:
        case JOB_TIMEOUT:
        case JOB_DEADLINE:
        case JOB_OOM:
            if (!empty(job->nodes) && job->start_time != 0 && job->end_time >= job->start_time) seen.phase = PHASE_ENDED;
            break;
        default: break; /* node failures, preemption */
        }
        if (seen.phase == PHASE_ENDED) seen.run_time = age_of(job, (int64_t)job->end_time);
        good = books_see(books, beliefs, &seen, now);
    }
    if (good) books_finish(books, beliefs, now);
    return good;
}
