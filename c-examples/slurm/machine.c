/* Nodes and reservations, as the scheduler of surefill.h takes them. Licence: GPL-2.0-or-later. */
#include "cluster.h"

#include <string.h>

/* --- Generic resources --- */

int32_t cluster_kind(const struct cluster *cluster, uint32_t plugin) {
    for (int32_t i = KIND_GRES; i < cluster->kinds; i++)
        if (cluster->gres[i] == plugin) return i;
    return -1;
}

struct find_gres {
    uint32_t plugin;
    const gres_node_state_t *state;
};

static int match_gres(void *entry, void *argument) {
    const gres_state_t *gres = entry;
    struct find_gres *find = argument;
    if (gres->plugin_id == find->plugin) find->state = gres->gres_data;
    return 0;
}

const gres_node_state_t *cluster_gres(const struct cluster *cluster, int node, int32_t kind) {
    struct find_gres find = {.plugin = cluster->gres[kind]};
    if (node_record_table_ptr[node]->gres_list != NULL)
        list_for_each(node_record_table_ptr[node]->gres_list, match_gres, &find);
    return find.state;
}

/* --- Nodes --- */

static const int64_t SOON = 2; /* seconds until a node is expected that comes back by itself */

/* A node that is awaited is planned with as soon as it can be back, so that no other job overtakes one that wants it;
 * in every cycle anew, for as long as Slurm's state of it or its time limits say so. */
static int32_t state_of(const struct cluster *cluster, int i) {
    const node_record_t *node = node_record_table_ptr[i];
    if (bit_test(avail_node_bitmap, i)) /* Slurm starts nothing on a node that is being cleaned up */
        return bit_test(cg_node_bitmap, i) || IS_NODE_COMPLETING(node) ? SUREFILL_NODE_AWAITED : SUREFILL_NODE_UP;
    if (cluster->awaited != NULL && bit_test(cluster->awaited, i)) return SUREFILL_NODE_AWAITED;
    if (IS_NODE_DOWN(node) || IS_NODE_FAIL(node)) return SUREFILL_NODE_DOWN;
    if (IS_NODE_DRAIN(node)) return SUREFILL_NODE_CLOSED;
    if (IS_NODE_POWERING_UP(node) || IS_NODE_POWERING_DOWN(node) || IS_NODE_REBOOT_ISSUED(node)) return SUREFILL_NODE_AWAITED;
    return IS_NODE_UNKNOWN(node) || IS_NODE_FUTURE(node) ? SUREFILL_NODE_DOWN : SUREFILL_NODE_CLOSED;
}

static void see_node(struct cluster *cluster, int i) {
    const node_record_t *node = node_record_table_ptr[i];
    surefill_node *made = &cluster->nodes[i];
    const uint64_t memory = node->real_memory > node->mem_spec_limit ? node->real_memory - node->mem_spec_limit : 0;
    *made = (surefill_node){.struct_size = sizeof *made, .state = state_of(cluster, i)};
    made->name = surefill_hash(node->name, (int64_t)strlen(node->name));
    if (made->state == SUREFILL_NODE_AWAITED) made->until = cluster->now + SOON;
    made->amounts[KIND_CORES] = node->cpus_efctv / cluster->threads * (cluster->shares[i] > 1 ? cluster->shares[i] : 1);
    if (cluster->memory) made->amounts[KIND_MEMORY] = bounded(memory);
    if (node->config_ptr != NULL) made->weight = bounded(node->config_ptr->weight);
    for (int32_t kind = KIND_GRES; kind < cluster->kinds; kind++) {
        const gres_node_state_t *state = cluster_gres(cluster, i, kind);
        if (state != NULL && !state->no_consume) made->amounts[kind] = bounded(state->gres_cnt_avail);
    }
    for (int k = 0; k < FEATURES; k++)
        if (cluster->features[k].nodes != NULL && bit_test(cluster->features[k].nodes, i)) made->features |= INT64_C(1) << k;
}

void cluster_see_nodes(struct cluster *cluster) {
    for (int i = 0; i < cluster->node_count; i++) {
        cluster->nodes[i] = (surefill_node){.struct_size = 0};
        if (node_record_table_ptr[i] != NULL && node_record_table_ptr[i]->name != NULL && cluster->pool_of[i] >= 0)
            see_node(cluster, i);
    }
}

/* --- Reservations --- */

static bool of_parts(const slurmctld_resv_t *reservation) { return (reservation->ctld_flags & RESV_CTLD_FULL_NODE) == 0; }

/* Cores of these nodes that a reservation holds and none of its own jobs does are in no job's hands. */
static void take_cores(struct cluster *cluster, const slurmctld_resv_t *reservation) {
    const int64_t all = cr_get_coremap_offset((uint32_t)node_record_count);
    int64_t *held;
    if (reservation->core_bitmap == NULL || bit_size(reservation->core_bitmap) != all) return;
    held = xcalloc((size_t)cluster->node_count + 1, sizeof *held);
    for (int32_t r = 0; r < cluster->row_count; r++) {
        const struct row *row = &cluster->rows[r];
        if (row->parts == NULL || row->said.reservation != (int64_t)reservation->resv_id + 1) continue;
        for (int32_t p = 0; p < row->said.part_count; p++)
            held[row->parts[p].node] += (int64_t)row->parts[p].tasks * row->said.each[KIND_CORES];
    }
    for (int i = bit_ffs(reservation->node_bitmap), last = bit_fls(reservation->node_bitmap); i >= 0 && i <= last; i++) {
        int64_t cores = 0;
        int first;
        if (!bit_test(reservation->node_bitmap, i) || cluster->nodes[i].struct_size == 0) continue;
        first = (int)cr_get_coremap_offset((uint32_t)i);
        for (int core = 0; core < node_record_table_ptr[i]->tot_cores; core++)
            cores += bit_test(reservation->core_bitmap, first + core);
        cores -= held[i];
        if (cores > cluster->nodes[i].amounts[KIND_CORES]) cores = cluster->nodes[i].amounts[KIND_CORES];
        if (cores > 0) cluster->nodes[i].amounts[KIND_CORES] -= (int32_t)cores;
    }
    xfree(held);
}

struct reservation_look {
    struct cluster *cluster;
    int64_t longest; /* limit of a waiting job */
};

static void add_reservation(struct cluster *cluster, int32_t pool, int64_t key, int64_t from, int64_t to, const bitstr_t *nodes) {
    surefill_reservation *made;
    int32_t *numbers, count = 0;
    if (to <= cluster->now || nodes == NULL || !bit_overlap_any((bitstr_t *)nodes, cluster->pools[pool])) return;
    numbers = xcalloc((size_t)bit_set_count((bitstr_t *)nodes) + 1, sizeof *numbers);
    for (int i = bit_ffs((bitstr_t *)nodes), last = bit_fls((bitstr_t *)nodes); i >= 0 && i <= last; i++)
        if (bit_test((bitstr_t *)nodes, i) && cluster->pool_of[i] == pool) numbers[count++] = i;
    xrecalloc(cluster->reservations, (size_t)cluster->reservation_count + 1, sizeof *cluster->reservations);
    made = &cluster->reservations[cluster->reservation_count++];
    *made = (surefill_reservation){.struct_size = sizeof *made, .pool = pool, .key = key, .from = from, .to = to};
    made->nodes = numbers;
    made->node_count = count;
}

static int see_reservation(void *entry, void *argument) {
    const slurmctld_resv_t *reservation = entry;
    struct reservation_look *look = argument;
    struct cluster *cluster = look->cluster;
    int64_t from = (int64_t)reservation->start_time, to = (int64_t)reservation->end_time;
    if (reservation->node_bitmap == NULL) return 0;
    if ((reservation->flags & RESERVE_FLAG_TIME_FLOAT) != 0) { /* it begins a given time from now, whenever that is */
        from += cluster->now;
        to += cluster->now;
    }
    if (to <= cluster->now) return 0;
    if (of_parts(reservation)) {
        if (from <= cluster->now + look->longest) take_cores(cluster, reservation);
        return 0;
    }
    for (int32_t pool = 0; pool < cluster->pool_count; pool++)
        add_reservation(cluster, pool, (int64_t)reservation->resv_id + 1, from, to, reservation->node_bitmap);
    return 0;
}

void cluster_see_reservations(struct cluster *cluster) {
    struct reservation_look look = {.cluster = cluster};
    for (int32_t i = 0; i < cluster->row_count; i++)
        if (cluster->rows[i].order >= 0 && cluster->rows[i].said.limit > look.longest) look.longest = cluster->rows[i].said.limit;
    for (int32_t i = 0; i < cluster->reservation_count; i++) xfree_ptr((void *)cluster->reservations[i].nodes);
    cluster->reservation_count = 0;
    if (resv_list != NULL) list_for_each(resv_list, see_reservation, &look);
    for (int32_t pool = 0; pool < cluster->pool_count; pool++) {
        const struct promise *promise = &cluster->promises[pool];
        if (promise->job != 0)
            add_reservation(cluster, promise->pool, INT64_MIN + (int64_t)promise->job, (int64_t)promise->start,
                            (int64_t)promise->end, promise->nodes);
    }
}
