#include "look.h"

#include <stdlib.h>

enum { OURS = 1, IN_SERVICE = 2, IDLE = 4, HELD = 8 }; /* of the partition; not drained or down; no job's; a job's */

static void not_judged(struct look *look, const char *why) {
    if (look->unjudged == NULL) look->unjudged = why;
}

/* --- Nodes --- */

/* Which entries of the node table are meant: pairs of first and last index, ended by -1. Adds the marks to each, and
 * returns whether one of them belongs to the partition. */
static bool mark(unsigned char *marks, uint32_t count, const int32_t *ranges, unsigned char marking) {
    bool ours = false;
    for (; ranges != NULL && ranges[0] >= 0; ranges += 2)
        for (int32_t node = ranges[0]; node <= ranges[1] && (uint32_t)node < count; node++) {
            ours = ours || (marks[node] & OURS) != 0;
            marks[node] |= marking;
        }
    return ours;
}

static void see_nodes(struct look *look, unsigned char *marks, const node_info_msg_t *nodes) {
    const uint32_t out = NODE_STATE_DRAIN | NODE_STATE_FAIL | NODE_STATE_MAINT | NODE_STATE_NO_RESPOND |
                         NODE_STATE_REBOOT_REQUESTED | NODE_STATE_POWERING_DOWN;
    const node_info_t *first = NULL;
    for (uint32_t i = 0; i < nodes->record_count; i++) {
        const node_info_t *node = &nodes->node_array[i];
        const uint32_t base = node->node_state & NODE_STATE_BASE;
        if ((marks[i] & OURS) == 0 || (node->node_state & out) != 0) continue;
        if (base != NODE_STATE_IDLE && base != NODE_STATE_ALLOCATED && base != NODE_STATE_MIXED) continue;
        if (first == NULL) first = node;
        if (node->cpus != first->cpus || node->real_memory != first->real_memory) not_judged(look, "the nodes differ");
        if (base == NODE_STATE_MIXED) not_judged(look, "running jobs share nodes");
        look->nodes++;
        marks[i] |= IN_SERVICE;
        if (base == NODE_STATE_IDLE && (node->node_state & NODE_STATE_COMPLETING) == 0) marks[i] |= IDLE;
    }
}

/* The nodes in service of this partition that a job holds and no job before it; those that are out of service do not
 * come back when it ends. -1 for a job that holds none of the partition's at all. */
static int32_t nodes_held(struct look *look, unsigned char *marks, uint32_t count, const int32_t *ranges) {
    int32_t held = -1;
    for (; ranges != NULL && ranges[0] >= 0; ranges += 2)
        for (int32_t node = ranges[0]; node <= ranges[1] && (uint32_t)node < count; node++) {
            if ((marks[node] & OURS) == 0) continue;
            held += held < 0;
            if ((marks[node] & HELD) != 0) not_judged(look, "running jobs share nodes");
            held += (marks[node] & (IN_SERVICE | HELD)) == IN_SERVICE;
            marks[node] &= (unsigned char)~IDLE; /* it may have started since the nodes were read */
            marks[node] |= HELD;
        }
    return held;
}

/* --- Jobs --- */

/* The tag alone, or with the sentence on the job's start. */
static bool tagged(const char *comment) { return comment != NULL && strncmp(comment, TAG, strlen(TAG)) == 0; }

bool held_by_us(const slurm_job_info_t *job) {
    return base_state(job) == JOB_PENDING && job->priority == 0 && tagged(job->admin_comment) &&
           !same(job->comment, STAY);
}

/* A released job that free nodes alone do not start: a limit, a licence, a node out of service. */
static bool waits_for_more(const slurm_job_info_t *job) {
    return job->state_reason != WAIT_NO_REASON && job->state_reason != WAIT_PRIORITY &&
           job->state_reason != WAIT_RESOURCES && job->state_reason != WAIT_HELD && job->state_reason != WAIT_HELD_USER;
}

/* Why counting nodes does not say whether a waiting job fits; NULL where it does. */
static const char *not_counted(const slurm_job_info_t *job, const partition_info_t *partition) {
    const bool whole = partition->max_share == 0 || job->shared == 0;
    if (!whole && job->cores_per_socket != 1 && partition->total_cpus != partition->total_nodes)
        return "the head job shares nodes";
    if (!empty(job->features) || !empty(job->prefer)) return "the head job asks for node features";
    if (!empty(job->req_nodes) || !empty(job->exc_nodes)) return "the head job names nodes";
    if (!empty(job->licenses)) return "the head job needs licences";
    if (!empty(job->resv_name)) return "the head job has a reservation";
    if (!empty(job->tres_per_job) || !empty(job->tres_per_node)) return "the head job needs generic resources";
    return job->contiguous || job->req_switch != 0 ? "the head job asks for neighbouring nodes" : NULL;
}

/* A waiting job. */
static void see_waiting(const struct look *look, const partition_info_t *partition, struct row *row, int64_t now) {
    const slurm_job_info_t *job = row->job;
    const bool held = job->priority == 0 && !held_by_us(job);
    int32_t why = same(job->comment, STAY) || held ? SUREFILL_WHY_HOLD : why_not_yet(job, now);
    if (row->said.state == SUREFILL_JOB_HELD) return;
    if (why == 0 && job->priority != 0 && waits_for_more(job)) why = SUREFILL_WHY_LIMIT;
    if (why != 0) {
        row->said.state = SUREFILL_JOB_HELD;
        row->said.why = why;
    } else if (job->priority != 0 && !look->shadow) { /* Slurm may start it at any moment */
        row->said.state = SUREFILL_JOB_STARTING;
        row->said.tasks = 0;
    } else {
        row->startable = true;
        row->why = not_counted(job, partition);
    }
}

/* A job with nodes. False for one that has none of this partition's. */
static bool see_holding(struct look *look, unsigned char *marks, uint32_t count, struct row *row) {
    row->said.units = nodes_held(look, marks, count, row->job->node_inx);
    if (row->said.units < 0) return false;
    if (base_state(row->job) == JOB_SUSPENDED) not_judged(look, "a job is suspended");
    if (row->said.units == 0) { /* all that it has is out of service, or counted as another job's */
        row->said.state = SUREFILL_JOB_SUSPENDED;
        row->said.flags = SUREFILL_FLAG_HOLDS_NOTHING;
    }
    return true;
}

static int in_order(const void *one, const void *other) {
    const struct row *a = one, *b = other;
    if (a->startable != b->startable) return a->startable ? -1 : 1;
    if (a->said.submit != b->said.submit) return a->said.submit < b->said.submit ? -1 : 1;
    return a->job->job_id < b->job->job_id ? -1 : a->job->job_id > b->job->job_id;
}

/* Number of tasks of the arrays that may start now: tasks that the array's own limit holds back are not released. */
static void see_tasks(struct look *look, const job_info_msg_t *jobs) {
    for (int32_t i = 0; i < look->startable; i++) {
        struct row *row = &look->rows[i];
        const uint32_t most = row->job->array_max_tasks;
        uint32_t running = 0;
        row->tasks = row->said.tasks > 1 ? row->said.tasks : 1;
        if (most == 0 || most == NO_VAL || row->said.tasks == 0) continue;
        for (uint32_t j = 0; j < jobs->record_count; j++) {
            const slurm_job_info_t *job = &jobs->job_array[j];
            running += job->array_job_id == row->job->array_job_id && job->array_task_id != NO_VAL && !is_over(job) &&
                       (base_state(job) != JOB_PENDING || job->priority != 0);
        }
        if (running >= most) row->tasks = 0;
        if (running < most && (uint32_t)row->tasks > most - running) row->tasks = (int32_t)(most - running);
    }
}

static bool see_jobs(struct look *look, unsigned char *marks, uint32_t count, const partition_info_t *partition,
                     const job_info_msg_t *jobs, int64_t now) {
    free(look->rows);
    look->rows = calloc(jobs->record_count + 1, sizeof *look->rows);
    if (look->rows == NULL) return false;
    for (uint32_t i = 0; i < jobs->record_count; i++) {
        struct row *row = &look->rows[look->count];
        *row = (struct row){.job = &jobs->job_array[i]};
        if (is_over(row->job)) continue;
        describe(row->job, now, &row->said);
        if (base_state(row->job) != JOB_PENDING) {
            look->count += see_holding(look, marks, count, row);
        } else if (same(row->job->partition, partition->name)) {
            see_waiting(look, partition, row, now);
            if (row->said.state == SUREFILL_JOB_STARTING) look->idle -= row->said.count;
            look->startable += row->startable;
            look->count++;
        }
    }
    qsort(look->rows, (size_t)look->count, sizeof *look->rows, in_order);
    see_tasks(look, jobs);
    for (uint32_t i = 0; i < count; i++) look->idle += (marks[i] & IDLE) != 0;
    if (look->idle < 0) look->idle = 0;
    return true;
}

bool look_at(struct look *look, const struct listed *listed, const partition_info_t *partition, int64_t now) {
    const uint32_t count = listed->nodes->record_count;
    unsigned char *marks = calloc((size_t)count + 1, 1);
    bool good;
    *look = (struct look){.shadow = look->shadow, .rows = look->rows};
    if (marks == NULL) return false;
    mark(marks, count, partition->node_inx, OURS);
    see_nodes(look, marks, listed->nodes);
    for (uint32_t i = 0; i < listed->partitions->record_count; i++) {
        const partition_info_t *other = &listed->partitions->partition_array[i];
        if (other != partition && mark(marks, count, other->node_inx, 0))
            not_judged(look, "another partition has some of the nodes");
    }
    for (uint32_t i = 0; i < listed->reservations->record_count; i++)
        if (mark(marks, count, listed->reservations->reservation_array[i].node_inx, 0))
            not_judged(look, "a reservation holds some of the nodes");
    good = see_jobs(look, marks, count, partition, listed->jobs, now);
    free(marks);
    return good;
}
