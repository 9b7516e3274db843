/* Jobs with a reservation wait for each other only: within each reservation EASY backfilling by limits and Slurm's
 * own test. Licence: GPL-2.0-or-later. */
#include "cluster.h"

/* The head job of a reservation, the first that did not find its nodes there, and the nodes that it waits for. */
struct head {
    const slurmctld_resv_t *reservation;
    uint32_t job;
    time_t start;
    bitstr_t *nodes;
};

struct inside {
    struct cluster *cluster;
    struct head *heads;
    int count, room;
};

struct inside *inside_make(struct cluster *cluster) {
    struct inside *inside = xcalloc(1, sizeof *inside);
    inside->cluster = cluster;
    return inside;
}

void inside_free(struct inside *inside) {
    for (int i = 0; i < inside->count; i++) FREE_NULL_BITMAP(inside->heads[i].nodes);
    xfree(inside->heads);
    xfree(inside);
}

static const struct head *find(const struct inside *inside, const slurmctld_resv_t *reservation) {
    for (int i = 0; i < inside->count; i++)
        if (inside->heads[i].reservation == reservation) return &inside->heads[i];
    return NULL;
}

bool inside_was_head(const struct inside *inside, uint32_t job) {
    for (int i = 0; i < REMEMBERED; i++)
        if (inside->cluster->heads[i] == job) return true;
    return false;
}

static bool awaits(const struct inside *inside, const slurmctld_resv_t *reservation) {
    const bitstr_t *awaited = inside->cluster->awaited;
    return awaited != NULL && reservation != NULL && reservation->node_bitmap != NULL &&
           bit_overlap_any((bitstr_t *)awaited, reservation->node_bitmap);
}

/* The job becomes the head of its reservation, where Slurm can say when it will start. While some of the
 * reservation's nodes have not registered it keeps all of them. */
static void add_head(struct inside *inside, job_record_t *job, part_record_t *part) {
    struct head head = {.reservation = job->resv_ptr, .job = job->job_id};
    if (awaits(inside, job->resv_ptr))
        head.nodes = bit_copy(job->resv_ptr->node_bitmap);
    else if ((head.start = reserve_for(job, part, NULL, &head.nodes)) == 0)
        return;
    if (inside->count == inside->room) {
        inside->room = inside->room > 0 ? 2 * inside->room : 8;
        xrecalloc(inside->heads, (size_t)inside->room, sizeof *inside->heads);
    }
    inside->heads[inside->count++] = head;
    if (inside_was_head(inside, head.job)) return;
    inside->cluster->heads[inside->cluster->head_count++ % REMEMBERED] = head.job;
}

enum start_result inside_start(struct inside *inside, job_record_t *job, part_record_t *part) {
    const slurmctld_resv_t *reservation = job->resv_ptr;
    const struct head *head = find(inside, reservation);
    enum start_result result;
    bool in_time, own = head != NULL && head->job == job->job_id; /* in another of its partitions */
    in_time = head == NULL || own || time(NULL) + (time_t)job_limit(inside->cluster, job, part) <= head->start;
    result = start_job(inside->cluster, job, part, in_time ? NULL : head->nodes, SLURMDB_JOB_FLAG_SCHED);
    if (head == NULL && (result == START_BUSY || (result == START_ABSENT && awaits(inside, reservation))))
        add_head(inside, job, part);
    if (!in_time && (result == START_BUSY || result == START_WITHHELD))
        say_why(job, WAIT_PRIORITY); /* Slurm's reason would speak of nodes that only we kept from it */
    return result;
}
