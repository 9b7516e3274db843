/* Reports what has been gathered to the scheduler: pools, queues, nodes, reservations, and a listing of all jobs.
 * Pools and queues are known by their numbers here, which are the scheduler's. Licence: GPL-2.0-or-later. */
#include "cluster.h"

#include <stdio.h>
#include <string.h>

static int32_t report_queue(const struct cluster *cluster, struct engine *engine, int32_t queue) {
    char name[16];
    int32_t number, status, *nodes, count = 0;
    snprintf(name, sizeof name, "queue%d", queue);
    status = surefill_scheduler_set_queue(engine->scheduler, name, (int64_t)strlen(name), cluster->queue_pools[queue], &number);
    if (status != SUREFILL_OK || number != queue) return status != SUREFILL_OK ? status : SUREFILL_ERROR_WRONG_STATE;
    /* A queue that has all nodes of its pool lists none: starts are predicted by scenarios for such pools alone. */
    if (cluster->queues[queue] == NULL || bit_equal(cluster->queues[queue], cluster->pools[cluster->queue_pools[queue]]))
        return surefill_scheduler_set_queue_nodes(engine->scheduler, queue, NULL, 0);
    nodes = xcalloc((size_t)cluster->node_count + 1, sizeof *nodes);
    for (int32_t i = 0; i < cluster->node_count; i++)
        if (bit_test(cluster->queues[queue], i)) nodes[count++] = i;
    status = surefill_scheduler_set_queue_nodes(engine->scheduler, queue, nodes, count);
    xfree(nodes);
    return status;
}

/* Pools and queues, where the partitions are others than before. */
static int32_t report_pools(struct cluster *cluster, struct engine *engine) {
    int32_t status = engine_nodes(engine, cluster->node_count);
    for (int32_t pool = 0; pool < cluster->pool_count && status == SUREFILL_OK; pool++) {
        char name[16];
        int32_t number;
        snprintf(name, sizeof name, "pool%d", pool);
        status = surefill_scheduler_set_pool(engine->scheduler, name, (int64_t)strlen(name), 0, -1, &number);
        if (status == SUREFILL_OK && number != pool) status = SUREFILL_ERROR_WRONG_STATE;
    }
    return status;
}

static int32_t report_nodes(struct cluster *cluster, struct engine *engine) {
    int32_t status = SUREFILL_OK;
    /* The reservations of a scheduler that was opened are unknown: nodes that come anew are in none. */
    for (int32_t i = 0; i < engine->capacity.nodes && !cluster->reported && status == SUREFILL_OK; i++)
        status = surefill_scheduler_set_node(engine->scheduler, -1, i, NULL);
    cluster->reported = status == SUREFILL_OK;
    for (int32_t i = 0; i < engine->capacity.nodes && status == SUREFILL_OK; i++) {
        const bool there = i < cluster->node_count && cluster->nodes[i].struct_size != 0;
        status = surefill_scheduler_set_node(engine->scheduler, there ? cluster->pool_of[i] : -1, i, there ? &cluster->nodes[i] : NULL);
    }
    return status;
}

/* Those that are no more are taken away; of more than there is room for the last are left to Slurm's own test. */
static int32_t report_reservations(struct cluster *cluster, struct engine *engine) {
    for (int32_t i = 0; i < cluster->key_count; i++) {
        surefill_reservation gone = {.struct_size = sizeof gone, .key = cluster->keys[i], .pool = cluster->key_pools[i]};
        bool is_there = false;
        for (int32_t k = 0; k < cluster->reservation_count; k++)
            is_there |= cluster->reservations[k].key == gone.key && cluster->reservations[k].pool == gone.pool;
        if (!is_there) (void)surefill_scheduler_set_reservation(engine->scheduler, &gone);
    }
    cluster->key_count = 0;
    xrecalloc(cluster->keys, (size_t)cluster->reservation_count + 1, sizeof *cluster->keys);
    xrecalloc(cluster->key_pools, (size_t)cluster->reservation_count + 1, sizeof *cluster->key_pools);
    for (int32_t i = 0; i < cluster->reservation_count; i++) {
        const surefill_reservation *reservation = &cluster->reservations[i];
        const int32_t status = surefill_scheduler_set_reservation(engine->scheduler, reservation);
        if (status == SUREFILL_ERROR_FULL) continue; /* it is not there; those behind it may be, and are renewed */
        if (status != SUREFILL_OK) return status;
        cluster->keys[cluster->key_count] = reservation->key;
        cluster->key_pools[cluster->key_count++] = reservation->pool;
    }
    return SUREFILL_OK;
}

/* A job that holds nodes of a partition that is no more is in a queue of their pool. */
static void find_queue(const struct cluster *cluster, surefill_job *said) {
    if (said->queue_count > 0 || said->part_count == 0) return;
    for (int32_t queue = 0; queue < cluster->queue_count && said->queue_count == 0; queue++)
        if (cluster->queue_pools[queue] == cluster->pool_of[said->parts[0].node]) {
            said->queues[0] = queue;
            said->queue_count = 1;
        }
}

static bool is_over(const surefill_job *said) { return said->state >= SUREFILL_JOB_ENDED; }

/* The scheduler does not take a job: Slurm is asked for it. Said once. */
static void leave(struct cluster *cluster, uint32_t job, const char *why) {
    for (int i = 0; i < REMEMBERED; i++)
        if (cluster->left[i] == job) return;
    debug("surefill: JobId=%u is left to Slurm: %s", job, why);
    cluster->left[cluster->left_count++ % REMEMBERED] = job;
}

static void take_back(struct cluster *cluster, uint32_t job) {
    for (int i = 0; i < REMEMBERED; i++)
        if (cluster->left[i] == job) cluster->left[i] = 0;
}

static int32_t report_jobs(struct cluster *cluster, struct engine *engine) {
    int32_t over = 0, doubted = 0, status;
    for (int32_t i = 0; i < cluster->row_count; i++) over += is_over(&cluster->rows[i].said);
    status = engine_list_begin(engine, cluster->now, over);
    for (int32_t i = 0; i < cluster->row_count && status == SUREFILL_OK; i++) {
        surefill_job *said = &cluster->rows[i].said;
        find_queue(cluster, said);
        if (said->queue_count == 0 && !is_over(said)) continue; /* of a partition without nodes */
        status = engine_set_job(engine, cluster->now, said);
        if (status == SUREFILL_ERROR_UNKNOWN_JOB) status = SUREFILL_OK;
        if (status == SUREFILL_OK && cluster->left_count > 0) take_back(cluster, (uint32_t)said->id);
        if (status != SUREFILL_OK && status != SUREFILL_ERROR_FULL && status != SUREFILL_ERROR_PARTS_FULL) {
            leave(cluster, (uint32_t)said->id, surefill_status_text(status));
            status = SUREFILL_OK;
        }
    }
    if (status == SUREFILL_OK) status = surefill_scheduler_list_end(engine->scheduler, cluster->now, &doubted);
    if (doubted) debug("surefill: most of the running jobs are missing: the next look counts");
    return status;
}

bool cluster_report(struct cluster *cluster, struct engine *engine, char *message, size_t length) {
    const bool joined = cluster->joined;
    const char *what = "pools";
    int32_t status = joined ? report_pools(cluster, engine) : SUREFILL_OK;
    if (status == SUREFILL_OK) {
        what = "nodes";
        status = report_nodes(cluster, engine);
    }
    for (int32_t queue = 0; queue < cluster->queue_count && joined && status == SUREFILL_OK; queue++) {
        what = "queues";
        status = report_queue(cluster, engine, queue);
    }
    if (status == SUREFILL_OK) {
        what = "reservations";
        status = report_reservations(cluster, engine);
    }
    if (status == SUREFILL_OK) {
        what = "jobs";
        status = report_jobs(cluster, engine);
    }
    cluster->joined = joined && status != SUREFILL_OK;
    if (status == SUREFILL_OK) return true;
    snprintf(message, length, "the scheduler does not take the %s: %s", what, surefill_status_text(status));
    return false;
}
