/* What users and administrators see: expected starts (squeue --start), planned nodes (sinfo), the counters of sdiag.
 * Licence: GPL-2.0-or-later. */
#include "site.h"

static int tell_one(uint32_t id, int64_t expected) {
    job_record_t *job = find_job_record(id);
    if (job == NULL || !IS_JOB_PENDING(job) || expected <= 0) return 0;
    /* As sched/backfill does: of a waiting job it is an estimate. */
    job->start_time = (time_t)expected;
    return 1;
}

int site_tell(struct site *site, const struct group *group) {
    slurmctld_lock_t locks = {.conf = READ_LOCK, .job = WRITE_LOCK};
    int told;
    uint32_t last = (uint32_t)group->pool.head.id;
    lock_slurmctld(locks);
    site_locked(site);
    told = tell_one(last, group->pool.head_expected);
    for (int32_t i = 0; i < group->pool.candidate_count; i++) {
        const struct candidate *candidate = &group->pool.candidates[i];
        if ((uint32_t)candidate->facts.id == last) continue; /* of an array's tasks the first one counts */
        last = (uint32_t)candidate->facts.id;
        told += tell_one(last, candidate->expected);
    }
    site_unlocked(site);
    unlock_slurmctld(locks);
    return told;
}

void site_plan_nodes(const struct site *site) {
    bitstr_t *planned = bit_alloc(node_record_count);
    bool changed = false;
    if (site != NULL && site->planned != NULL) bit_or(planned, site->planned);
    for (int i = 0; site != NULL && i < site->group_count; i++) {
        const struct group *group = &site->groups[i];
        if (!group->has_head || group->unjudged[0] != '\0') continue;
        bit_or(planned, group->nodes); /* any of them will do for the head job: those that are idle wait for it */
    }
    bit_and(planned, idle_node_bitmap);
    bit_and(planned, avail_node_bitmap);
    for (int i = 0; i < node_record_count; i++) {
        node_record_t *node = node_record_table_ptr[i];
        bool now;
        if (node == NULL) continue;
        now = (node->node_state & NODE_STATE_PLANNED) != 0;
        if (now == (bit_test(planned, i) != 0)) continue;
        changed = true;
        if (now)
            node->node_state &= ~(uint32_t)NODE_STATE_PLANNED;
        else
            node->node_state |= NODE_STATE_PLANNED;
    }
    if (changed) last_node_update = time(NULL);
    FREE_NULL_BITMAP(planned);
}

void site_forget_plans(void) {
    slurmctld_lock_t locks = {.conf = READ_LOCK, .node = WRITE_LOCK};
    lock_slurmctld(locks);
    site_plan_nodes(NULL);
    unlock_slurmctld(locks);
}

void site_count_cycle(const struct site *site, double seconds, int judged) {
    diag_stats_t *stats = &slurmctld_diag_stats;
    uint32_t took = (uint32_t)(1e6 * seconds), depth = 0;
    for (int i = 0; i < site->group_count; i++)
        depth += (uint32_t)site->groups[i].pool.candidate_count + (site->groups[i].has_head ? 1 : 0);
    stats->bf_when_last_cycle = time(NULL);
    stats->bf_cycle_counter++;
    stats->bf_cycle_last = took;
    stats->bf_cycle_sum += took;
    if (took > stats->bf_cycle_max) stats->bf_cycle_max = took;
    stats->bf_queue_len = (uint32_t)site->pending;
    stats->bf_queue_len_sum += (uint32_t)site->pending;
    stats->bf_last_depth = depth;
    stats->bf_depth_sum += depth;
    stats->bf_last_depth_try = (uint32_t)judged;
    stats->bf_depth_try_sum += (uint32_t)judged;
}
