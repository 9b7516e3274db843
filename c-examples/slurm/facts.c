/* What counts of jobs and nodes for a decision, and whether it has changed. Licence: GPL-2.0-or-later. */
#include "site.h"

#include <stdio.h>

void job_facts(const job_record_t *job, const part_record_t *part, int32_t nodes, struct facts *facts) {
    uint32_t minutes = job->time_limit;
    uint32_t asked = job->details == NULL ? 0 : job->details->orig_min_cpus;
    if (job->details != NULL && job->details->min_nodes > asked) asked = job->details->min_nodes;
    if (minutes == NO_VAL) minutes = part == NULL ? INFINITE : part->max_time;
    *facts = (struct facts){.id = job->job_id,
                            .user = job->user_id,
                            .submit = job->details == NULL ? 0 : (int64_t)job->details->submit_time,
                            .limit = minutes == INFINITE ? SUREFILL_MAX_SECONDS : (int64_t)minutes * 60,
                            .name = beliefs_name(job->name),
                            .nodes = nodes,
                            .asked = asked > INT32_MAX ? 0 : (int32_t)asked};
    if (part != NULL) snprintf(facts->queue, sizeof facts->queue, "%s", part->name);
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

int32_t job_nodes(job_record_t *job, part_record_t *part) {
    uint32_t least, wanted, most, cpus = UINT32_MAX, need, by_cpus, by_tasks;
    const job_details_t *details = job->details;
    if (!job_node_counts(job, part, &least, &wanted, &most)) return 0;
    for (int i = bit_ffs(part->node_bitmap), last = bit_fls(part->node_bitmap); i >= 0 && i <= last; i++)
        if (bit_test(part->node_bitmap, i) && node_record_table_ptr[i]->cpus_efctv < cpus)
            cpus = node_record_table_ptr[i]->cpus_efctv;
    if (cpus == 0 || cpus == UINT32_MAX) return 0;
    need = wanted > least ? wanted : least;
    by_cpus = (details->min_cpus + cpus - 1) / cpus;
    if (details->min_cpus != NO_VAL && by_cpus > need) need = by_cpus;
    if (details->ntasks_per_node != 0 && details->ntasks_per_node != NO_VAL16 && details->num_tasks != NO_VAL) {
        by_tasks = (details->num_tasks + details->ntasks_per_node - 1) / details->ntasks_per_node;
        if (by_tasks > need) need = by_tasks;
    }
    return need > INT32_MAX / 2 ? 0 : (int32_t)need;
}

static uint64_t mix(uint64_t hash, uint64_t value) {
    hash = (hash ^ value) * 0x9E3779B97F4A7C15u;
    return hash ^ hash >> 29;
}

struct print {
    uint64_t sum;
    uint32_t least_priority;
};

/* A sum: the order of the list does not matter. */
static int print_job(void *entry, void *argument) {
    const job_record_t *job = entry;
    struct print *print = argument;
    uint64_t hash = mix(1, job->job_id);
    if (IS_JOB_PENDING(job)) {
        if (job->priority == 0 || job->priority < print->least_priority) return 0;
        hash = mix(mix(mix(hash, job->priority), job->time_limit), job->details == NULL ? 0 : job->details->min_nodes);
    } else if (IS_JOB_FINISHED(job) && !IS_JOB_COMPLETING(job)) {
        return 0;
    } else {
        hash = mix(mix(mix(hash, job->job_state), job->node_cnt), job->time_limit);
    }
    print->sum += hash;
    return 0;
}

uint64_t site_fingerprint(uint32_t least_priority) {
    struct print print = {.least_priority = least_priority};
    list_for_each(job_list, print_job, &print);
    for (int i = bit_ffs(idle_node_bitmap), last = bit_fls(idle_node_bitmap); i >= 0 && i <= last; i++)
        if (bit_test(idle_node_bitmap, i)) print.sum += mix(2, (uint64_t)i);
    return mix(print.sum, (uint64_t)bit_set_count(avail_node_bitmap));
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

uint64_t site_reasons(void) {
    uint64_t sum = 0;
    list_for_each(job_list, print_reason, &sum);
    return sum;
}

uint32_t site_least_priority(const struct site *site) {
    uint32_t least = UINT32_MAX;
    for (int i = 0; i < site->group_count; i++)
        if (site->groups[i].has_head && site->groups[i].pool.head_priority < least)
            least = site->groups[i].pool.head_priority;
    return least;
}
