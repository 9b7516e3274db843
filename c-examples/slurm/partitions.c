/* Partitions as pools and queues: partitions with nodes in common, or with jobs that wait in both, are one pool;
 * each set of nodes that partitions have is a queue. Licence: GPL-2.0-or-later. */
#include "cluster.h"

#include <string.h>

int32_t cluster_partition(const struct cluster *cluster, const char *name) {
    for (int32_t i = 0; i < cluster->partition_count; i++)
        if (strcmp(cluster->partitions[i].name, name) == 0) return i;
    return -1;
}

static void free_partitions(struct cluster *cluster) {
    for (int32_t i = 0; i < cluster->partition_count; i++) xfree(cluster->partitions[i].name);
    xfree(cluster->partitions);
    xfree(cluster->pool_of);
    xfree(cluster->shares);
    for (int i = 0; i < POOLS; i++) FREE_NULL_BITMAP(cluster->pools[i]);
    for (int i = 0; i < QUEUES; i++) FREE_NULL_BITMAP(cluster->queues[i]);
    cluster->partition_count = cluster->pool_count = cluster->queue_count = 0;
}

static void free_features(struct cluster *cluster) {
    for (int i = 0; i < FEATURES; i++) FREE_NULL_BITMAP(cluster->features[i].nodes);
    cluster->meaning_count = 0;
}

static void merge_pools(struct cluster *cluster, int32_t to, int32_t from) {
    for (int32_t i = 0; i < cluster->partition_count; i++)
        if (cluster->partitions[i].pool == from) cluster->partitions[i].pool = to;
    for (int32_t i = 0; i < cluster->queue_count; i++)
        if (cluster->queue_pools[i] == from) cluster->queue_pools[i] = to;
    for (int32_t i = 0; i < cluster->node_count; i++)
        if (cluster->pool_of[i] == from) cluster->pool_of[i] = to;
    if (cluster->promises[from].job != 0 && cluster->promises[to].job == 0) {
        FREE_NULL_BITMAP(cluster->promises[to].nodes);
        cluster->promises[to] = cluster->promises[from];
        cluster->promises[to].pool = to;
        cluster->promises[from] = (struct promise){.job = 0};
    }
    if (cluster->unlike_pools[to] == NULL) cluster->unlike_pools[to] = cluster->unlike_pools[from];
    bit_or(cluster->pools[to], cluster->pools[from]);
    bit_clear_all(cluster->pools[from]);
}

void cluster_join(struct cluster *cluster, int32_t one, int32_t other) {
    const int32_t a = cluster->partitions[one].pool, b = cluster->partitions[other].pool;
    if (a == b) return;
    merge_pools(cluster, a < b ? a : b, a < b ? b : a);
    cluster->joined = true;
}

/* The pool of a partition's nodes: a new one, or that of a partition with which it has nodes in common. */
static int32_t find_pool(struct cluster *cluster, bitstr_t *nodes) {
    int32_t pool = -1;
    for (int32_t i = 0; i < cluster->pool_count; i++) {
        if (!bit_overlap_any(cluster->pools[i], nodes)) continue;
        if (pool >= 0)
            merge_pools(cluster, pool, i);
        else
            pool = i;
    }
    if (pool < 0) pool = cluster->pool_count < POOLS ? cluster->pool_count++ : POOLS - 1;
    if (cluster->pools[pool] == NULL) cluster->pools[pool] = bit_alloc(cluster->node_count);
    bit_or(cluster->pools[pool], nodes);
    for (int32_t i = 0; i < cluster->node_count; i++)
        if (bit_test(nodes, i)) cluster->pool_of[i] = pool;
    return pool;
}

/* The queue of a partition's nodes. The last one has all nodes of the last pool, and what does not find its nodes
 * there is refused by Slurm. */
static int32_t find_queue(struct cluster *cluster, bitstr_t *nodes, int32_t pool) {
    int32_t queue = 0;
    while (queue < cluster->queue_count && (cluster->queues[queue] == NULL || !bit_equal(cluster->queues[queue], nodes))) queue++;
    if (queue < cluster->queue_count) return queue;
    if (queue < QUEUES) {
        cluster->queue_count++;
        cluster->queues[queue] = bit_copy(nodes);
        cluster->queue_pools[queue] = pool;
        return queue;
    }
    FREE_NULL_BITMAP(cluster->queues[QUEUES - 1]);
    if (cluster->queue_pools[QUEUES - 1] != pool) {
        const int32_t other = cluster->queue_pools[QUEUES - 1];
        merge_pools(cluster, pool < other ? pool : other, pool < other ? other : pool);
    }
    return QUEUES - 1;
}

static int add_partition(void *entry, void *argument) {
    part_record_t *part = entry;
    struct cluster *cluster = argument;
    struct partition *made;
    int32_t pool;
    if (part->node_bitmap == NULL || bit_ffs(part->node_bitmap) < 0) return 0;
    pool = find_pool(cluster, part->node_bitmap);
    made = &cluster->partitions[cluster->partition_count++];
    *made = (struct partition){.name = xstrdup(part->name), .pool = pool};
    made->queue = find_queue(cluster, part->node_bitmap, pool);
    if ((part->max_share & SHARED_FORCE) == 0) return 0;
    for (int32_t i = 0; i < cluster->node_count; i++) /* each core is so many jobs' there */
        if (bit_test(part->node_bitmap, i) && (part->max_share & ~SHARED_FORCE) > cluster->shares[i])
            cluster->shares[i] = part->max_share & ~SHARED_FORCE;
    return 0;
}

/* --- Kinds of resource --- */

struct kinds_look {
    struct cluster *cluster;
    int32_t pool;
};

static int add_gres(void *entry, void *argument) {
    const gres_state_t *gres = entry;
    const gres_node_state_t *state = gres->gres_data;
    const struct kinds_look *look = argument;
    struct cluster *cluster = look->cluster;
    if (state == NULL || state->no_consume || state->gres_cnt_avail == 0) return 0;
    if ((gres->config_flags & GRES_CONF_SHARED) != 0) {
        cluster->unlike_pools[look->pool] = "generic resources of the nodes are shared in parts";
        return 0;
    }
    if (cluster_kind(cluster, gres->plugin_id) >= 0) return 0;
    if (cluster->kinds == KINDS)
        cluster->unlike_pools[look->pool] = "the nodes have too many kinds of generic resources";
    else
        cluster->gres[cluster->kinds++] = gres->plugin_id;
    return 0;
}

static int see_partition(void *entry, void *argument) {
    const part_record_t *part = entry;
    struct cluster *cluster = argument;
    const int32_t place = cluster_partition(cluster, part->name);
    const char **unlike = place < 0 ? NULL : &cluster->unlike_pools[cluster->partitions[place].pool];
    if (unlike == NULL) return 0;
    if (part->cr_type != 0) *unlike = "a partition has resources of its own";
    if ((part->max_cpus_per_node != INFINITE && part->max_cpus_per_node != 0) || compat_socket_limit(part))
        *unlike = "a partition has only some processors of each node";
    if ((part->max_share & ~SHARED_FORCE) > 1) *unlike = "jobs share cores";
    if (compat_keeps_others_off(part)) *unlike = "a partition keeps nodes for one user";
    return 0;
}

static void find_kinds(struct cluster *cluster) {
    const uint16_t shared = slurm_conf.select_type_param;
    const char *topology = slurm_conf.topology_plugin;
    bool threads = (shared & (CR_CPU | CR_ONE_TASK_PER_CORE)) != 0; /* are what jobs are given */
    cluster->unlike = NULL;
    memset(cluster->unlike_pools, 0, sizeof cluster->unlike_pools);
    cluster->kinds = KIND_GRES;
    cluster->threads = 0;
    cluster->memory = (shared & CR_MEMORY) != 0;
    for (int i = 0; i < cluster->node_count; i++) {
        const node_record_t *node = node_record_table_ptr[i];
        struct kinds_look look = {.cluster = cluster, .pool = cluster->pool_of[i]};
        if (node == NULL || node->tpc == 0 || look.pool < 0) continue;
        if (cluster->threads != 0 && node->tpc != cluster->threads) threads = true;
        cluster->threads = node->tpc;
        if (node->gres_list != NULL) list_for_each(node->gres_list, add_gres, &look);
    }
    if (cluster->threads > 1 && threads) cluster->unlike = "threads of the nodes' cores differ, or are what jobs are given";
    if (threads || cluster->threads == 0) cluster->threads = 1;
    list_for_each(part_list, see_partition, cluster);
    if (xstrcmp(slurm_conf.select_type, "select/cons_tres") != 0 && xstrcmp(slurm_conf.select_type, "select/linear") != 0)
        cluster->unlike = "nodes are not selected by select/cons_tres";
    if ((shared & CR_SOCKET) != 0) cluster->unlike = "sockets are what jobs are given";
    if (topology != NULL && strstr(topology, "default") == NULL && strstr(topology, "none") == NULL &&
        strstr(topology, "flat") == NULL && strstr(topology, "tree") == NULL)
        cluster->unlike = "the network's topology counts";
}

void cluster_configure(struct cluster *cluster) {
    const time_t changed = slurm_conf.last_update > last_part_update ? slurm_conf.last_update : last_part_update;
    /* Partitions that were read in the second of a change may have changed after it. */
    if (cluster->partitions != NULL && cluster->configured > changed && cluster->node_count == node_record_count) return;
    free_partitions(cluster);
    if (cluster->node_count != node_record_count) free_features(cluster);
    if (cluster->node_count != node_record_count) {
        xfree(cluster->nodes);
        cluster->nodes = xcalloc((size_t)node_record_count + 1, sizeof *cluster->nodes);
    }
    cluster->node_count = node_record_count;
    cluster->configured = time(NULL);
    cluster->updated = slurm_conf.last_update;
    cluster->partitions = xcalloc((size_t)list_count(part_list) + 1, sizeof *cluster->partitions);
    cluster->pool_of = xcalloc((size_t)node_record_count + 1, sizeof *cluster->pool_of);
    cluster->shares = xcalloc((size_t)node_record_count + 1, sizeof *cluster->shares);
    for (int32_t i = 0; i < node_record_count; i++) cluster->pool_of[i] = -1;
    list_for_each(part_list, add_partition, cluster);
    find_kinds(cluster);
    cluster->joined = true;
}

void cluster_free(struct cluster *cluster) {
    free_partitions(cluster);
    free_features(cluster);
    xfree(cluster->meanings);
    xfree(cluster->nodes);
    for (int32_t i = 0; i < cluster->reservation_count; i++) xfree_ptr((void *)cluster->reservations[i].nodes);
    xfree(cluster->reservations);
    xfree(cluster->keys);
    xfree(cluster->key_pools);
    for (int32_t i = 0; i < cluster->row_count; i++) row_free(&cluster->rows[i]);
    xfree(cluster->rows);
    xfree(cluster->found);
    for (int i = 0; i < POOLS; i++) FREE_NULL_BITMAP(cluster->promises[i].nodes);
}
