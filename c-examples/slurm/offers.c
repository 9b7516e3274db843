/* Carrying out what the scheduler offers: each offer is checked again under the locks, and Slurm's own tests have
 * the last word. Licence: GPL-2.0-or-later. */
#include "cluster.h"

#include <string.h>

/* --- Promises --- */

bitstr_t *cluster_promised(const struct cluster *cluster, uint32_t job, int64_t limit) {
    bitstr_t *nodes = NULL;
    for (int i = 0; i < POOLS; i++) {
        const struct promise *promise = &cluster->promises[i];
        if (promise->job == 0 || promise->job == job || (int64_t)promise->start >= cluster->now + limit ||
            (int64_t)promise->end <= cluster->now)
            continue;
        if (nodes == NULL) nodes = bit_alloc(cluster->node_count);
        bit_or(nodes, promise->nodes);
    }
    return nodes;
}

/* Keeps the nodes for a job on which it starts when those that run there have ended by their limits. Nothing, where
 * Slurm cannot say when that is: then it keeps no job back. */
static void make_promise(struct cluster *cluster, job_record_t *job, part_record_t *part, int32_t pool, int64_t limit) {
    struct promise *promise = &cluster->promises[pool];
    bitstr_t *nodes;
    const time_t start = reserve_for(job, part, NULL, &nodes);
    FREE_NULL_BITMAP(promise->nodes);
    *promise = (struct promise){.job = 0};
    if (start == 0) {
        debug("surefill: %s: Slurm cannot say when JobId=%u will start: it keeps nobody back", part->name, job->job_id);
        return;
    }
    debug("surefill: %s: by limits JobId=%u starts within %ld s, on nodes that Slurm has chosen", part->name, job->job_id,
          (long)(start - time(NULL)));
    *promise = (struct promise){.job = job->job_id, .pool = pool, .start = start, .end = start + (time_t)limit, .nodes = nodes};
}

/* --- Asking --- */

/* A number for all that an answer of Slurm's may rest on: what runs, what is reserved, and the job itself. */
static uint64_t cause_of(const struct cluster *cluster, const job_record_t *job, const part_record_t *part) {
    const job_details_t *details = job->details;
    const uint64_t own[] = {(uint64_t)last_resv_update,
                            (uint64_t)last_part_update,
                            (uint64_t)job_limit(cluster, job, part),
                            details->min_nodes,
                            details->max_nodes,
                            details->min_cpus,
                            details->pn_min_memory,
                            (uint64_t)cluster_partition(cluster, part->name)};
    uint64_t hash = cluster->running;
    for (size_t i = 0; i < sizeof own / sizeof *own; i++) hash = mix(hash, own[i]);
    return hash;
}

static bool was_asked(const struct cluster *cluster, uint32_t job, uint64_t cause) {
    return cluster->asked[job % ASKED].job == job && cluster->asked[job % ASKED].cause == cause;
}

static void note_asked(struct cluster *cluster, uint32_t job, uint64_t cause) {
    cluster->asked[job % ASKED].job = job;
    cluster->asked[job % ASKED].cause = cause;
}

bool cluster_bars(const struct cluster *cluster, uint32_t job) {
    for (int i = 0; i < REMEMBERED; i++)
        if (cluster->barred[i].job == job && cluster->barred[i].until > cluster->now) return true;
    return false;
}

enum start_result cluster_ask(struct cluster *cluster, job_record_t *job, part_record_t *part, int32_t pool, bool first) {
    const uint32_t id = job->job_id;
    const struct promise *promise = &cluster->promises[pool];
    const bool due = promise->job == id && (int64_t)promise->start <= cluster->now;
    enum start_result result;
    const int64_t limit = job_limit(cluster, job, part);
    const uint64_t cause = cause_of(cluster, job, part);
    bitstr_t *without;
    if (was_asked(cluster, id, cause) && !due) return START_NOT_NOW;
    without = cluster_promised(cluster, id, limit);
    result = start_job(cluster, job, part, without, SLURMDB_JOB_FLAG_SCHED);
    FREE_NULL_BITMAP(without);
    if (result == START_DONE) return result;
    note_asked(cluster, id, cause);
    if (first && (result == START_BUSY || result == START_WITHHELD))
        make_promise(cluster, job, part, pool, limit);
    else if (promise->job == id && !(result == START_ABSENT && cluster->awaited != NULL))
        cluster->promises[pool].job = 0; /* nodes will not do any more, or it waits for something else */
    if (result == START_WITHHELD) say_why(job, first ? WAIT_RESOURCES : WAIT_PRIORITY);
    return result;
}

/* --- Offers --- */

/* The partition of the job that has all of the offer's nodes. */
static part_record_t *partition_of(const struct cluster *cluster, const struct row *row, const struct offer *offer) {
    for (int32_t i = 0; i < row->said.queue_count; i++) {
        part_record_t *part = find_part_record(cluster->partitions[row->places[i]].name);
        bool all = part != NULL && part->node_bitmap != NULL;
        for (int32_t k = 0; k < offer->part_count && all; k++)
            all = offer->parts[k].node < bit_size(part->node_bitmap) && bit_test(part->node_bitmap, offer->parts[k].node);
        if (all) return part;
    }
    return NULL;
}

/* Whether two descriptions of a waiting job ask for the same. */
static bool same_request(const surefill_job *one, const surefill_job *other) {
    return one->submit == other->submit && one->limit == other->limit && one->count == other->count &&
           one->features == other->features && one->flags == other->flags &&
           memcmp(one->each, other->each, sizeof one->each) == 0;
}

/* The job of an offer as it is now; NULL where it is no longer what was decided on, as is then reported. */
static job_record_t *same_job(struct cluster *cluster, struct engine *engine, const struct row *row, part_record_t *part) {
    job_record_t *job = find_job_record((uint32_t)row->said.id);
    struct row now = {.order = row->order};
    part_record_t *own;
    if (job == NULL || job->magic != JOB_MAGIC || !IS_JOB_PENDING(job) || job->details == NULL || part == NULL) return NULL;
    now.said.struct_size = sizeof now.said;
    now.said.id = row->said.id;
    /* Described by its first partition, like the listing. Whether it may start in this one Slurm is asked next. */
    own = find_part_record(cluster->partitions[row->places[0]].name);
    row_describe(cluster, job, own != NULL ? own : part, &now);
    if (same_request(&now.said, &row->said)) return job;
    memcpy(now.said.queues, row->said.queues, sizeof now.said.queues);
    now.said.queue_count = row->said.queue_count;
    (void)engine_set_job(engine, cluster->now, &now.said);
    return NULL;
}

/* Whether no other job of its pool that waits comes before it in Slurm's order. */
static bool is_first(const struct cluster *cluster, const struct row *row) {
    const int32_t pool = cluster->partitions[row->places[0]].pool;
    for (int32_t i = 0; i < cluster->row_count; i++) {
        const struct row *other = &cluster->rows[i];
        if (other->order < 0 || other->order >= row->order || other->said.queue_count == 0) continue;
        if (cluster->partitions[other->places[0]].pool != pool) continue;
        if (cluster->promises[pool].job == (uint32_t)other->said.id) return false;
        if (other->said.state != SUREFILL_JOB_WAITING && other->said.state != SUREFILL_JOB_AS_BEFORE) continue;
        if (!other->refused && !cluster_bars(cluster, (uint32_t)other->said.id)) return false;
    }
    return true;
}

/* All nodes but those of the offer. Of a job that the scheduler cannot describe they are a guess: when its turn has
 * come it may have any that are not promised to others. */
static bitstr_t *nodes_without(const struct cluster *cluster, const struct row *row, const struct offer *offer, bool free) {
    bitstr_t *without = cluster_promised(cluster, (uint32_t)row->said.id, row->said.limit), *others;
    if (free) return without;
    others = bit_alloc(cluster->node_count);
    bit_set_all(others);
    for (int32_t i = 0; i < offer->part_count; i++) bit_clear(others, offer->parts[i].node);
    if (without != NULL) bit_or(others, without);
    FREE_NULL_BITMAP(without);
    return others;
}

static enum start_result start_offer(struct cluster *cluster, struct row *row, const struct offer *offer, job_record_t *job,
                                     part_record_t *part) {
    const bool first = is_first(cluster, row), free = row->outside && first;
    bitstr_t *without = nodes_without(cluster, row, offer, free);
    const uint32_t flag = offer->action.head == 0 ? SLURMDB_JOB_FLAG_SCHED : SLURMDB_JOB_FLAG_BACKFILL;
    const uint32_t id = job->job_id;
    enum start_result result = start_job(cluster, job, part, without, flag);
    FREE_NULL_BITMAP(without);
    if ((result != START_BUSY && result != START_WITHHELD) || (job = find_job_record(id)) == NULL || !IS_JOB_PENDING(job))
        return result;
    /* Slurm has another opinion of the nodes than the scheduler: by its own the job has those on which it can
     * start. */
    if (!free && (first || (row->outside && !cluster->strict))) {
        without = cluster_promised(cluster, id, row->said.limit);
        result = start_job(cluster, job, part, without, flag);
        FREE_NULL_BITMAP(without);
        if (result != START_BUSY && result != START_WITHHELD) return result;
    }
    /* Slurm's reason would speak of nodes that only we kept from it. */
    if (result == START_WITHHELD) say_why(job, first ? WAIT_RESOURCES : WAIT_PRIORITY);
    if (first) {
        make_promise(cluster, job, part, cluster->partitions[row->places[0]].pool, row->said.limit);
    } else if (row->outside) { /* the scheduler predicts no start for a refused job: users see Slurm's, by limits */
        (void)reserve_for(job, part, NULL, &without);
        FREE_NULL_BITMAP(without);
    }
    return result;
}

/* Tells the scheduler what has changed of running jobs since they were gathered: their limits, by which others
 * start. */
static void renew_running(struct cluster *cluster, struct engine *engine) {
    for (int32_t i = 0; i < cluster->row_count; i++) {
        struct row *row = &cluster->rows[i];
        const job_record_t *job;
        int64_t limit;
        if (row->said.state != SUREFILL_JOB_RUNNING) continue;
        job = find_job_record((uint32_t)row->said.id);
        if (job == NULL || job->magic != JOB_MAGIC || !IS_JOB_RUNNING(job)) continue;
        limit = job_limit(cluster, job, job->part_ptr);
        if (limit == row->said.limit) continue;
        row->said.limit = limit;
        (void)engine_set_job(engine, cluster->now, &row->said);
    }
}

/* Starts another job on the nodes of this offer, which comes before the offer's in Slurm's order where a limit on
 * running jobs leaves starts for one of them alone. It has to end no later by its limit, unless the offer's job
 * overtakes no third one. */
static void start_earlier(struct cluster *cluster, const struct row *row, const struct offer *offer, job_record_t *job) {
    struct row *earlier = cluster_precedes(cluster, row, job);
    part_record_t *part = earlier == NULL ? NULL : partition_of(cluster, earlier, offer);
    bitstr_t *without;
    if (part == NULL || (job = find_job_record((uint32_t)earlier->said.id)) == NULL) return;
    if (offer->action.head != 0 && offer->action.head != earlier->said.id && earlier->said.limit > row->said.limit) return;
    if (!may_start(job, part) || !leaves_licences(job, offer->action.head)) return;
    without = nodes_without(cluster, earlier, offer, false);
    if (start_job(cluster, job, part, without, SLURMDB_JOB_FLAG_SCHED) == START_DONE) {
        cluster->started++;
        if (!earlier->array || --earlier->said.tasks == 0) earlier->said.state = SUREFILL_JOB_STARTING;
    }
    FREE_NULL_BITMAP(without);
}

struct carried cluster_carry_out(struct cluster *cluster, struct engine *engine, surefill_cycle *cycle, struct offer *offers,
                                 int32_t count) {
    slurmctld_lock_t locks = CYCLE_LOCKS;
    struct carried done = {0};
    lock_slurmctld(locks);
    cluster_locked(cluster, 0.8);
    if (slurm_conf.last_update != cluster->updated || node_record_count != cluster->node_count) {
        done.withdrawn = count; /* nodes may have other numbers: the next look finds out */
        count = 0;
    }
    if (count > 0) renew_running(cluster, engine);
    for (int32_t i = 0; i < count; i++) {
        struct offer *offer = &offers[i];
        struct row *row = cluster_row(cluster, offer->action.job);
        part_record_t *part = row == NULL ? NULL : partition_of(cluster, row, offer);
        const double begun = clock_seconds();
        job_record_t *job;
        enum start_result result = START_NOT_NOW;
        int32_t holds = 0;
        if (i > 0 && cluster_time_is_up(cluster, "offers", count - i)) {
            done.withdrawn += count - i;
            break;
        }
        job = row == NULL ? NULL : same_job(cluster, engine, row, part);
        if (job == NULL || engine_holds(engine, cycle, offer->action.number, &holds) != SUREFILL_OK || holds == 0) {
            done.withdrawn++;
            continue;
        }
        start_earlier(cluster, row, offer, job);
        if (!may_start(job, part)) {
            if (why_held(job, cluster->now) == SUREFILL_WHY_LIMIT) result = START_BUSY; /* until another job ends */
        } else if (leaves_licences(job, offer->action.head)) {
            cluster->timing.slurm_seconds += clock_seconds() - begun;
            result = start_offer(cluster, row, offer, job, part);
        }
        if (result == START_DONE) {
            done.started++;
            done.backfilled += offer->action.head != 0;
            if (offer->action.head != 0)
                debug("surefill: JobId=%u has overtaken JobId=%u", job->job_id, (uint32_t)offer->action.head);
            (void)engine_started(engine, cycle, offer->action.number, (int64_t)job->job_id);
            if (row->array && --row->said.tasks > 0) continue;
            row->said.state = SUREFILL_JOB_STARTING;
            continue;
        }
        done.refused++;
        row->refused = true;
        debug("surefill: JobId=%u was offered, but Slurm does not start it now%s", (uint32_t)row->said.id,
              row->outside ? " on nodes that were a guess" : "");
        if (result == START_BUSY || result == START_WITHHELD) {
            (void)engine_refused(engine, cycle, &offer->action, SUREFILL_REFUSED_BUSY, cluster->now);
            continue;
        }
        if (result == START_NEVER && cluster->awaited == NULL && (job = find_job_record((uint32_t)row->said.id)) != NULL)
            hold_for_ever(job);
        cluster->barred[cluster->barred_count % REMEMBERED].job = (uint32_t)row->said.id;
        cluster->barred[cluster->barred_count++ % REMEMBERED].until = cluster->now + engine_number(engine, "refused=");
        (void)engine_refused(engine, cycle, &offer->action, SUREFILL_REFUSED_NOT_NOW, cluster->now);
    }
    cluster_unlocked(cluster);
    unlock_slurmctld(locks);
    return done;
}
