/* Users' and administrators' side: reasons, expected starts (squeue --start), planned nodes (sinfo), the counters of
 * sdiag. Licence: GPL-2.0-or-later. */
#include "cluster.h"

enum { LOOKS = 64, TESTS = 2 }; /* in a cycle: at jobs without a start, and of them by Slurm */

/* Gives starts by Slurm's own test to jobs off whose nodes reservations keep them, and of which neither a plan nor
 * scenarios say a start: some of them in each cycle, from where the last one has ended. */
static void find_starts(struct cluster *cluster) {
    int32_t looks = 0, tests = 0, last = -1;
    if (resv_list == NULL || list_count(resv_list) == 0) return;
    for (int32_t i = 0; i < cluster->row_count && looks < LOOKS && tests < TESTS; i++) {
        const struct row *row = &cluster->rows[i];
        job_record_t *job;
        part_record_t *part;
        if (row->order < cluster->behind || row->said.state != SUREFILL_JOB_WAITING || row->expected != 0) continue;
        if (row->said.queue_count == 0 || clock_seconds() > cluster->timing.deadline) continue;
        last = row->order;
        looks++;
        job = find_job_record((uint32_t)row->said.id);
        part = find_part_record(cluster->partitions[row->places[0]].name);
        if (job == NULL || part == NULL || job->magic != JOB_MAGIC || !IS_JOB_PENDING(job)) continue;
        if (!reservations_close(cluster, job, part)) continue;
        tests++;
        if (reserve_behind(cluster, job, part) > 0) note_unknown_start(job, false);
    }
    cluster->behind = last + 1;
}

/* The first job of a pool that waits does so for its nodes, those behind it for their turn. Other reasons are
 * Slurm's. */
static void tell_jobs(struct cluster *cluster) {
    int32_t first[POOLS];
    for (int pool = 0; pool < POOLS; pool++) first[pool] = INT32_MAX;
    for (int32_t i = 0; i < cluster->row_count; i++) {
        const struct row *row = &cluster->rows[i];
        const int32_t pool = row->order < 0 || row->said.queue_count == 0 ? -1 : cluster->partitions[row->places[0]].pool;
        if (pool >= 0 && row->said.state == SUREFILL_JOB_WAITING && row->order < first[pool]) first[pool] = row->order;
    }
    for (int32_t i = 0; i < cluster->row_count; i++) {
        const struct row *row = &cluster->rows[i];
        job_record_t *job;
        bool is_first;
        if (row->order < 0 || row->said.state != SUREFILL_JOB_WAITING) continue;
        job = find_job_record((uint32_t)row->said.id);
        if (job == NULL || job->magic != JOB_MAGIC || !IS_JOB_PENDING(job)) continue;
        is_first = row->order == first[cluster->partitions[row->places[0]].pool];
        if (!row->refused && (job->state_reason == WAIT_NO_REASON || job->state_reason == WAIT_RESOURCES ||
                              job->state_reason == WAIT_PRIORITY || job->state_reason == WAIT_LICENSES))
            say_why(job, is_first ? WAIT_RESOURCES : WAIT_PRIORITY);
        /* start_time of a waiting job is an estimate, like sched/backfill's. */
        if (row->expected != 0) {
            job->start_time = row->expected > 0 ? (time_t)row->expected : 0;
            note_unknown_start(job, row->expected == UNKNOWN_START);
        }
    }
}

/* The idle nodes of the pools in which jobs wait, of NULL none. */
static void plan_nodes(const struct cluster *cluster) {
    bitstr_t *planned = bit_alloc(node_record_count);
    bool waits[POOLS] = {false}, changed = false;
    for (int32_t i = 0; cluster != NULL && i < cluster->row_count; i++) {
        const struct row *row = &cluster->rows[i];
        if (row->order >= 0 && row->said.queue_count > 0 && row->said.state == SUREFILL_JOB_WAITING)
            waits[cluster->partitions[row->places[0]].pool] = true;
    }
    for (int32_t pool = 0; cluster != NULL && pool < cluster->pool_count; pool++) {
        if (cluster->node_count != node_record_count) break;
        if (waits[pool]) bit_or(planned, cluster->pools[pool]);
        if (cluster->promises[pool].job != 0) bit_or(planned, cluster->promises[pool].nodes);
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

void cluster_tell(struct cluster *cluster) {
    slurmctld_lock_t locks = CYCLE_LOCKS;
    lock_slurmctld(locks);
    cluster_locked(cluster, 1);
    tell_jobs(cluster);
    find_starts(cluster);
    plan_nodes(cluster);
    cluster_unlocked(cluster);
    unlock_slurmctld(locks);
}

void cluster_forget_plans(void) {
    slurmctld_lock_t locks = {.conf = READ_LOCK, .node = WRITE_LOCK};
    lock_slurmctld(locks);
    plan_nodes(NULL);
    unlock_slurmctld(locks);
}

void cluster_count_cycle(const struct cluster *cluster, double seconds, int offered) {
    diag_stats_t *stats = &slurmctld_diag_stats;
    uint32_t took = (uint32_t)(1e6 * seconds), depth = 0;
    for (int32_t i = 0; i < cluster->row_count; i++) depth += cluster->rows[i].order >= 0;
    stats->bf_when_last_cycle = time(NULL);
    stats->bf_cycle_counter++;
    stats->bf_cycle_last = took;
    stats->bf_cycle_sum += took;
    if (took > stats->bf_cycle_max) stats->bf_cycle_max = took;
    stats->bf_queue_len = (uint32_t)cluster->pending;
    stats->bf_queue_len_sum += (uint32_t)cluster->pending;
    stats->bf_last_depth = depth;
    stats->bf_depth_sum += depth;
    stats->bf_last_depth_try = (uint32_t)offered;
    stats->bf_depth_try_sum += (uint32_t)offered;
}
