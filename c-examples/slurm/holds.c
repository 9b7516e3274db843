/* The nodes and amounts that a job holds, as equal tasks of the scheduler's. Licence: GPL-2.0-or-later. */
#include "cluster.h"

#include <string.h>

struct gres_look {
    const struct cluster *cluster;
    uint64_t (*amounts)[KINDS]; /* of the job's nodes, one after the other */
    int count;
};

/* Adds the amounts of this kind that the job holds on each of its nodes. */
static int add_gres(void *entry, void *argument) {
    const gres_state_t *gres = entry;
    const gres_job_state_t *state = gres->gres_data;
    struct gres_look *look = argument;
    const int32_t kind = cluster_kind(look->cluster, gres->plugin_id);
    if (kind < 0 || state == NULL || state->gres_cnt_node_alloc == NULL) return 0; /* not consumed */
    for (int i = 0; i < look->count && i < (int)state->node_cnt; i++) look->amounts[i][kind] += state->gres_cnt_node_alloc[i];
    return 0;
}

/* Equal amounts on all nodes are a task on each of them; else a task is a core and its share of the rest, the
 * largest where these differ. */
static void find_tasks(const struct cluster *cluster, struct row *row, uint64_t (*amounts)[KINDS], int count) {
    bool equal = true;
    for (int i = 1; i < count; i++) equal &= memcmp(amounts[i], amounts[0], sizeof amounts[0]) == 0;
    for (int32_t kind = 0; kind < cluster->kinds; kind++) {
        uint64_t each = 0;
        for (int i = 0; i < count; i++) {
            const uint64_t tasks = equal || amounts[i][KIND_CORES] == 0 ? 1 : amounts[i][KIND_CORES];
            const uint64_t this = divided(tasks, amounts[i][kind]);
            if (this > each) each = this;
        }
        for (int i = 0; i < count && !equal && kind != KIND_CORES; i++) { /* no more than a node has: else it is closed */
            const uint64_t tasks = amounts[i][KIND_CORES] == 0 ? 1 : amounts[i][KIND_CORES];
            const uint64_t most = (uint64_t)cluster->nodes[row->parts[i].node].amounts[kind] / tasks;
            if (each > most) each = most;
        }
        row->said.each[kind] = bounded(each);
    }
    row->said.count = 0;
    for (int i = 0; i < count; i++) {
        const uint64_t tasks = equal || amounts[i][KIND_CORES] == 0 ? 1 : amounts[i][KIND_CORES];
        row->parts[i].tasks = bounded(tasks > SUREFILL_MAX_TASKS ? SUREFILL_MAX_TASKS : tasks);
        if (row->said.count < SUREFILL_MAX_TASKS - row->parts[i].tasks) row->said.count += row->parts[i].tasks;
    }
    if (!equal) row->said.flags |= SUREFILL_FLAG_PACKED;
}

void job_holds(const struct cluster *cluster, const job_record_t *job, struct row *row) {
    const job_resources_t *held = job->job_resrcs;
    uint64_t (*amounts)[KINDS];
    struct gres_look look = {.cluster = cluster};
    int count, at = 0, core = 0, kept = 0;
    if (held == NULL || held->node_bitmap == NULL || held->core_bitmap == NULL) return;
    count = bit_set_count(held->node_bitmap);
    amounts = xcalloc((size_t)count + 1, sizeof *amounts);
    row->parts = xcalloc((size_t)count + 1, sizeof *row->parts);
    look.amounts = amounts;
    look.count = count;
    if (job->gres_list_alloc != NULL) list_for_each(job->gres_list_alloc, add_gres, &look);
    for (int i = bit_ffs(held->node_bitmap), last = bit_fls(held->node_bitmap); i >= 0 && i <= last; i++) {
        bitstr_t *still = IS_JOB_COMPLETING(job) ? job->node_bitmap_cg : job->node_bitmap;
        int cores;
        if (!bit_test(held->node_bitmap, i) || node_record_table_ptr[i] == NULL) continue;
        cores = node_record_table_ptr[i]->tot_cores;
        for (int c = 0; c < cores && core + c < bit_size(held->core_bitmap); c++)
            amounts[at][KIND_CORES] += bit_test(held->core_bitmap, core + c);
        if (cluster->threads == 1) amounts[at][KIND_CORES] *= node_record_table_ptr[i]->tpc > 0 ? node_record_table_ptr[i]->tpc : 1;
        if (cluster->memory && held->memory_allocated != NULL) amounts[at][KIND_MEMORY] = held->memory_allocated[at];
        core += cores;
        /* A node that the job has given back already is no longer its own. */
        if (still != NULL && bit_test(still, i) && i < cluster->node_count && cluster->pool_of[i] >= 0) {
            memmove(amounts[kept], amounts[at], sizeof amounts[0]);
            row->parts[kept++].node = i;
        }
        at++;
    }
    if (kept > 0) {
        find_tasks(cluster, row, amounts, kept);
        row->said.parts = row->parts;
        row->said.part_count = kept;
    }
    if (held->whole_node == WHOLE_NODE_REQUIRED || held->node_req == NODE_CR_RESERVED)
        row->said.flags |= SUREFILL_FLAG_EXCLUSIVE;
    xfree(amounts);
}
