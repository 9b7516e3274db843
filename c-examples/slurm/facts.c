/* Facts of jobs that count for a decision, and whether anything has changed. Licence: GPL-2.0-or-later. */
#include "cluster.h"

/* The limit in minutes, that of the partition for a job without its own. */
static uint32_t whole_limit(const job_record_t *job, const part_record_t *part) {
    if (job->time_limit != NO_VAL) return job->time_limit;
    return part == NULL ? INFINITE : part->max_time;
}

uint32_t job_shortened(const struct cluster *cluster, const job_record_t *job, const part_record_t *part) {
    static const uint32_t YEAR = 365 * 24 * 60; /* half of no limit */
    const uint32_t whole = whole_limit(job, part), least = job->time_min;
    uint32_t halves = 0, length;
    if (!IS_JOB_PENDING(job) || cluster->soft || least == 0 || least == NO_VAL || least >= whole) return 0;
    length = whole < YEAR ? whole : YEAR;
    while (length >> halves > least) halves++;
    halves = cluster->halvings % (halves + 1);
    length >>= halves;
    return halves == 0 ? 0 : length > least ? length : least;
}

int64_t job_limit(const struct cluster *cluster, const job_record_t *job, const part_record_t *part) {
    const uint32_t shortened = job_shortened(cluster, job, part), minutes = shortened > 0 ? shortened : whole_limit(job, part);
    return minutes == INFINITE ? SUREFILL_MAX_SECONDS : (int64_t)minutes * 60;
}

static bool single_core(const node_record_t *node) { return node->tot_cores <= 1; }

bool job_takes_whole_nodes(const job_record_t *job, const part_record_t *part) {
    if (part->max_share == 0 || xstrcmp(slurm_conf.select_type, "select/linear") == 0) return true;
    if (part->max_share & SHARED_FORCE) return false;
    if (job->details->whole_node == WHOLE_NODE_REQUIRED) return true;
    for (int i = bit_ffs(part->node_bitmap), last = bit_fls(part->node_bitmap); i >= 0 && i <= last; i++)
        if (bit_test(part->node_bitmap, i) && !single_core(node_record_table_ptr[i])) return false;
    return job->details->share_res != 1 && (part->max_share & ~SHARED_FORCE) <= 1;
}

bool job_node_counts(job_record_t *job, part_record_t *part, uint32_t *least, uint32_t *wanted, uint32_t *most) {
    assoc_mgr_lock_t qos_read_lock = {.qos = READ_LOCK};
    uint32_t qos_flags = 0;
    assoc_mgr_lock(&qos_read_lock);
    if (job->qos_ptr != NULL) qos_flags = job->qos_ptr->flags;
    assoc_mgr_unlock(&qos_read_lock);
    return get_node_cnts(job, qos_flags, part, least, wanted, most) == SLURM_SUCCESS;
}

static int print_job(void *entry, void *argument) {
    const job_record_t *job = entry;
    uint64_t *sum = argument; /* the order of the list does not matter */
    if (IS_JOB_PENDING(job) || (IS_JOB_FINISHED(job) && !IS_JOB_COMPLETING(job))) return 0;
    *sum += mix(mix(mix(mix(1, job->job_id), job->job_state), job->node_cnt), job->time_limit);
    return 0;
}

uint64_t running_print(void) {
    uint64_t sum = 0;
    list_for_each(job_list, print_job, &sum);
    for (int i = bit_ffs(idle_node_bitmap), last = bit_fls(idle_node_bitmap); i >= 0 && i <= last; i++)
        if (bit_test(idle_node_bitmap, i)) sum += mix(2, (uint64_t)i);
    return mix(sum, (uint64_t)bit_set_count(avail_node_bitmap));
}

static int print_reason(void *entry, void *argument) {
    const job_record_t *job = entry;
    uint64_t *sum = argument, hash = mix(mix(mix(3, job->job_id), job->state_reason), job->priority);
    if (!IS_JOB_PENDING(job)) { /* a preempted one may have a new end */
        *sum += mix(mix(mix(4, job->job_id), job->job_state), (uint64_t)job->end_time);
        return 0;
    }
    for (const char *at = job->state_desc; at != NULL && *at != '\0'; at++) hash = mix(hash, (unsigned char)*at);
    *sum += hash;
    return 0;
}

uint64_t reasons_print(void) {
    uint64_t sum = 0;
    list_for_each(job_list, print_reason, &sum);
    return sum;
}
