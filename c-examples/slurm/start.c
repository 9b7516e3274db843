/* Starting jobs: Slurm's own tests have the last word. Licence: GPL-2.0-or-later. */
#include "cluster.h"

#include <math.h>
#include <time.h>

double clock_seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

void cluster_locked(struct cluster *cluster, double share) {
    cluster->timing.locked_since = clock_seconds();
    cluster->timing.deadline = cluster->timing.locked_since + share * cluster->locked;
}

void cluster_unlocked(struct cluster *cluster) {
    const double held = clock_seconds() - cluster->timing.locked_since;
    cluster->timing.locked_seconds += held;
    cluster->timing.longest_locked = fmax(cluster->timing.longest_locked, held);
}

bool cluster_time_is_up(struct cluster *cluster, const char *work, int left) {
    const double now = clock_seconds();
    static bool reported;
    if (left == 0 || now <= cluster->timing.deadline) return false;
    log_var(reported ? LOG_LEVEL_VERBOSE : LOG_LEVEL_INFO,
            "surefill: %s: cut short, the locks have been held for %.1f ms; %d left for the next cycle", work,
            1e3 * (now - cluster->timing.locked_since), left);
    reported = true;
    cluster->timing.cut_short = true;
    return true;
}

static bool job_misses_deadline(job_record_t *job) {
    return job->deadline != 0 && job->deadline != NO_VAL && !deadline_ok(job, "surefill");
}

void say_why(job_record_t *job, enum job_state_reason why) {
    if (job->state_reason == why) return;
    job->state_reason = why;
    xfree(job->state_desc);
    last_job_update = time(NULL);
}

bool start_is_unknown(const job_record_t *job) {
    return job->admin_comment != NULL && strcmp(job->admin_comment, engine_cannot_tell) == 0;
}

void note_unknown_start(job_record_t *job, bool unknown) {
    const bool empty = job->admin_comment == NULL || job->admin_comment[0] == '\0';
    if (unknown ? !empty : !start_is_unknown(job)) return;
    xfree(job->admin_comment);
    if (unknown) job->admin_comment = xstrdup(engine_cannot_tell);
    last_job_update = time(NULL);
}

/* Whether the job's association may still use its QOS; else Slurm says so, as both of its schedulers do. */
static bool has_qos(job_record_t *job) {
    assoc_mgr_lock_t locks = {.assoc = READ_LOCK, .qos = READ_LOCK};
    bool revoked;
    if (job->qos_id == 0) return true;
    assoc_mgr_lock(&locks);
    revoked = job->assoc_ptr != NULL && (accounting_enforce & ACCOUNTING_ENFORCE_QOS) != 0 && !job->limit_set.qos &&
              (job->qos_id >= g_qos_count || job->assoc_ptr->usage == NULL || job->assoc_ptr->usage->valid_qos == NULL ||
               !bit_test(job->assoc_ptr->usage->valid_qos, job->qos_id));
    assoc_mgr_unlock(&locks);
    if (revoked && job->state_reason != FAIL_QOS) {
        job_fail_qos(job, "surefill", false);
        last_job_update = time(NULL);
    }
    if (!revoked && job->state_reason == FAIL_QOS) say_why(job, WAIT_NO_REASON);
    return !revoked;
}

bool may_start(job_record_t *job, part_record_t *part) {
    if (!IS_JOB_PENDING(job) || job->priority == 0 || job->details == NULL || job->preempt_in_progress) return false;
    if ((part->state_up & PARTITION_SCHED) == 0 || part->node_bitmap == NULL) return false;
    if (!compat_front_end(job)) return false;
    if (!job_array_start_test(job)) return false;
    job->part_ptr = part;
    if (!has_qos(job)) return false;
    if (job_limits_check(&job, false) != WAIT_NO_REASON) return false;
    if (!job_independent(job)) return false;
    if (license_job_test(job, time(NULL), true) != SLURM_SUCCESS) {
        say_why(job, WAIT_LICENSES);
        return false;
    }
    if (!acct_policy_job_runnable_pre_select(job, false)) return false;
    return !job_misses_deadline(job);
}

/* --- Licences --- */

static int same_licence(void *entry, void *name) { return xstrcmp(((const licenses_t *)entry)->name, name) == 0; }

/* Adds to a candidate's licences those of the same name that the head job asks for. False when the cluster does not
 * own that number of one of them: Slurm's own test would say so in its log in every cycle. */
static bool add_licences(list_t *candidate, list_t *head) {
    list_itr_t *at = list_iterator_create(candidate);
    licenses_t *mine;
    bool enough = true;
    while ((mine = list_next(at)) != NULL) {
        const licenses_t *its = list_find_first(head, same_licence, mine->name);
        if (its == NULL) continue;
        mine->total = its->total > UINT32_MAX - mine->total ? UINT32_MAX : mine->total + its->total;
        enough = enough && mine->total <= get_total_license_cnt(mine->name);
    }
    list_iterator_destroy(at);
    return enough;
}

bool leaves_licences(job_record_t *job, int64_t other) {
    const job_record_t *head = find_job_record((uint32_t)other);
    list_t *own = job->license_list;
    bool leaves;
    if (own == NULL || head == NULL || head->license_list == NULL || head == job) return true;
    job->license_list = license_copy(own);
    leaves = add_licences(job->license_list, head->license_list) &&
             license_job_test(job, time(NULL), true) == SLURM_SUCCESS;
    FREE_NULL_LIST(job->license_list);
    job->license_list = own;
    return leaves;
}

/* The limit in minutes with which a job with a deadline starts, as under both of Slurm's schedulers: it ends by then.
 * Only a --time-min, or no limit of its own, lets it come to that (deadline_ok). */
static uint32_t limit_by_deadline(const job_record_t *job, const part_record_t *part) {
    uint32_t limit = job->time_limit, left;
    time_t now = time(NULL);
    if (job->deadline == 0 || job->deadline == NO_VAL) return limit;
    left = job->deadline > now ? (uint32_t)((job->deadline - now) / 60) : 0;
    if (limit == NO_VAL || limit == INFINITE) limit = part->default_time;
    if (limit == NO_VAL || limit == INFINITE) limit = part->max_time;
    return left > 0 && left < limit ? left : limit;
}

enum start_result start_job(struct cluster *cluster, job_record_t *job, part_record_t *part, const bitstr_t *without,
                            uint32_t flag) {
    double begun = clock_seconds();
    bitstr_t *saved = NULL;
    const uint32_t limit = job->time_limit, shortened = job_shortened(cluster, job, part);
    bool withheld = without != NULL && bit_overlap_any((bitstr_t *)without, part->node_bitmap);
    int status;
    job->part_ptr = part;
    job->last_sched_eval = time(NULL);
    if (without != NULL) { /* as slurmctld's own loop keeps lower jobs off the nodes of blocked partitions */
        saved = bit_copy(avail_node_bitmap);
        bit_and_not(avail_node_bitmap, (bitstr_t *)without);
    }
    job->time_limit = limit_by_deadline(job, part);
    if (shortened > 0 && shortened < job->time_limit) job->time_limit = shortened;
    if (fed_mgr_job_lock(job) != SLURM_SUCCESS) {
        status = ESLURM_FED_JOB_LOCK;
    } else {
        status = SLURM_ERROR;
        if (job->details->prefer != NULL) {
            job_use_features(job, true);
            status = compat_select_nodes(job, flag);
        }
        if (status != SLURM_SUCCESS) {
            job_use_features(job, false);
            status = compat_select_nodes(job, flag);
        }
        if (status == SLURM_SUCCESS)
            fed_mgr_job_start(job, job->start_time);
        else
            fed_mgr_job_unlock(job);
    }
    if (status != SLURM_SUCCESS) job->time_limit = limit;
    if (saved != NULL) {
        FREE_NULL_BITMAP(avail_node_bitmap);
        avail_node_bitmap = saved;
    }
    if (status == SLURM_SUCCESS) {
        last_job_update = time(NULL);
        info("surefill: started JobId=%u in %s on %s", job->job_id, part->name, job->nodes);
        if (job->time_limit != limit && shortened > 0)
            debug("surefill: JobId=%u has a limit of %u min, as its --time-min allows", job->job_id, job->time_limit);
        note_unknown_start(job, false);
        compat_power(job);
        if (job->batch_flag == 0)
            srun_allocate(job);
        else if (!IS_JOB_CONFIGURING(job))
            launch_job(job);
        rebuild_job_part_list(job);
        if (flag == SLURMDB_JOB_FLAG_BACKFILL) {
            slurmctld_diag_stats.backfilled_jobs++;
            slurmctld_diag_stats.last_backfilled_jobs++;
        }
        /* Else a slurmctld that is killed finds the job pending when it comes back, and starts it a second time.
         * Slurm's own main loop saves what it has started itself, but not what a plugin starts. */
        schedule_job_save();
        schedule_node_save();
    }
    cluster->timing.slurm_seconds += clock_seconds() - begun;
    if (status == SLURM_SUCCESS) return START_DONE;
    if (status == ESLURM_NODES_BUSY) return START_BUSY;
    if (status == ESLURM_REQUESTED_NODE_CONFIG_UNAVAILABLE) return START_NEVER;
    if (status == ESLURM_NODE_NOT_AVAIL) return withheld ? START_WITHHELD : START_ABSENT;
    return START_NOT_NOW;
}
