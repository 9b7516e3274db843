/* A look at all of slurmctld's jobs: the waiting ones in Slurm's order, whether each may start now, and what the
 * others hold. Licence: GPL-2.0-or-later. */
#include "cluster.h"

#include <math.h>
#include <string.h>

/* --- Rows --- */

void row_free(struct row *row) {
    xfree(row->parts);
}

static uint32_t place_of(const struct cluster *cluster, int64_t job) {
    const uint32_t mask = cluster->found_size - 1;
    uint32_t at = (uint32_t)((uint64_t)job * 0x9E3779B97F4A7C15u >> 40) & mask;
    while (cluster->found[at] != 0 && cluster->rows[cluster->found[at] - 1].said.id != job) at = (at + 1) & mask;
    return at;
}

struct row *cluster_row(const struct cluster *cluster, int64_t job) {
    if (cluster->found_size == 0) return NULL;
    const int32_t found = cluster->found[place_of(cluster, job)];
    return found == 0 ? NULL : &cluster->rows[found - 1];
}

/* Room for this number of rows, those that there are kept. */
static void make_room(struct cluster *cluster, int32_t rows) {
    uint32_t size = 64;
    if (rows <= cluster->row_room) return;
    cluster->row_room = rows + rows / 4;
    xrecalloc(cluster->rows, (size_t)cluster->row_room, sizeof *cluster->rows);
    while (size < 2 * (uint32_t)cluster->row_room) size *= 2;
    xfree(cluster->found);
    cluster->found = xcalloc(size, sizeof *cluster->found);
    cluster->found_size = size;
    for (int32_t i = 0; i < cluster->row_count; i++) cluster->found[place_of(cluster, cluster->rows[i].said.id)] = i + 1;
}

static void begin_row(struct row *row, int64_t job, int32_t order) {
    row_free(row);
    *row = (struct row){.order = order};
    row->said.struct_size = sizeof row->said;
    row->said.id = job;
}

/* Rows may lie elsewhere afterwards. */
static struct row *add_row(struct cluster *cluster, int64_t job) {
    make_room(cluster, cluster->row_count + 1);
    begin_row(&cluster->rows[cluster->row_count], job, -1);
    cluster->found[place_of(cluster, job)] = cluster->row_count + 1;
    return &cluster->rows[cluster->row_count++];
}

static void clear_rows(struct cluster *cluster) {
    for (int32_t i = 0; i < cluster->row_count; i++) row_free(&cluster->rows[i]);
    cluster->row_count = 0;
    make_room(cluster, 1);
    memset(cluster->found, 0, cluster->found_size * sizeof *cluster->found);
}

/* --- What a job is --- */

static bool is_array(const job_record_t *job) { return job->array_recs != NULL && job->array_task_id == NO_VAL; }

/* Seconds without suspensions from its start until then. */
static int64_t ran_until(const job_record_t *job, time_t until) {
    const int64_t ran = (int64_t)difftime(until, job->start_time) - (int64_t)job->tot_sus_time;
    return ran > 0 ? ran : 0;
}

static int32_t state_of(const job_record_t *job) {
    if (IS_JOB_PENDING(job)) return IS_JOB_COMPLETING(job) ? SUREFILL_JOB_HELD : SUREFILL_JOB_WAITING;
    if (IS_JOB_SUSPENDED(job)) return SUREFILL_JOB_SUSPENDED;
    if (IS_JOB_RUNNING(job)) return SUREFILL_JOB_RUNNING;
    if (job->start_time == 0 || job->nodes == NULL) return SUREFILL_JOB_GONE;
    if (IS_JOB_COMPLETING(job) && job->node_bitmap_cg != NULL && bit_ffs(job->node_bitmap_cg) >= 0) return SUREFILL_JOB_ENDING;
    if (job->end_time < job->start_time) return SUREFILL_JOB_BROKEN;
    if (IS_JOB_COMPLETE(job) || IS_JOB_FAILED(job) || IS_JOB_TIMEOUT(job) || IS_JOB_CANCELLED(job) || IS_JOB_OOM(job) ||
        IS_JOB_DEADLINE(job))
        return SUREFILL_JOB_ENDED;
    return SUREFILL_JOB_BROKEN; /* node failures, preemption */
}

/* The site's priority, larger first. That of priority/basic says only who came first and how nice a user is, unless
 * an administrator has set it. Where points are worth seconds of waiting those of age are left out: the scheduler
 * counts the wait itself. */
static double priority_of(const struct cluster *cluster, const job_record_t *job) {
    static const double FIRST = 0xFFFF0000; /* of priority/basic; later ones are lower */
    if (job->direct_set_prio) return job->priority;
    if (xstrcmp(slurm_conf.priority_type, "priority/basic") != 0) {
        const bool aged = cluster->by_points && job->prio_factors != NULL;
        const double rest = (double)job->priority - (aged ? job->prio_factors->priority_age : 0);
        return rest > 0 ? rest : 0;
    }
    return FIRST - ((double)(job->details == NULL ? NICE_OFFSET : job->details->nice) - NICE_OFFSET);
}

int32_t why_held(const job_record_t *job, int64_t now) {
    if (job->details != NULL && (int64_t)job->details->begin_time > now) return SUREFILL_WHY_BEGIN;
    if ((job->bit_flags & JOB_DEPENDENT) != 0) return SUREFILL_WHY_DEPENDENCY;
    if (job->priority == 0) return SUREFILL_WHY_HOLD;
    return job->state_reason > WAIT_PART_DOWN ? SUREFILL_WHY_LIMIT : SUREFILL_WHY_OTHER;
}

/* Tasks of an array that wait, and how many may start now. */
static void count_tasks(const job_record_t *job, surefill_job *said) {
    const job_record_t *base = find_job_record(job->array_job_id);
    said->tasks = (int32_t)job->array_recs->task_cnt;
    if (base == NULL || base->array_recs == NULL || base->array_recs->max_run_tasks == 0) return;
    said->at_once = (int32_t)base->array_recs->max_run_tasks - (int32_t)base->array_recs->tot_run_tasks;
    if (said->at_once <= 0) { /* its limit is reached */
        said->at_once = 1;
        said->state = SUREFILL_JOB_HELD;
        said->why = SUREFILL_WHY_LIMIT;
    }
}

void row_describe(struct cluster *cluster, job_record_t *job, part_record_t *part, struct row *row) {
    surefill_job *said = &row->said;
    const job_details_t *details = job->details;
    const int32_t place = part == NULL ? -1 : cluster_partition(cluster, part->name);
    const char *why = NULL;
    bool never = false;
    said->state = state_of(job);
    said->user = (int64_t)job->user_id + 1;
    said->submit = details == NULL ? 0 : (int64_t)details->submit_time;
    said->limit = job_limit(cluster, job, part);
    said->priority = priority_of(cluster, job);
    said->tier = part == NULL ? 0 : part->priority_tier;
    said->restarts = job->restart_cnt;
    said->units = job_width(cluster, job, part);
    said->count = 1;
    if (place >= 0) {
        said->queues[0] = cluster->partitions[place].queue;
        said->queue_count = 1;
        row->places[0] = place;
    }
    row->array = is_array(job);
    if (IS_JOB_PENDING(job)) {
        if (job->start_time > (time_t)cluster->now) row->expected = (int64_t)job->start_time; /* as reported before */
        if (start_is_unknown(job)) row->expected = UNKNOWN_START;
        said->begin = details == NULL ? 0 : (int64_t)details->begin_time;
        if (said->begin <= cluster->now) said->begin = 0;
        if (details != NULL && part != NULL) why = job_asks(cluster, job, part, said, &never);
        if (why != NULL) debug2("surefill: JobId=%u: its nodes are Slurm's choice: %s", job->job_id, why);
        row->outside = why != NULL;
        if (never) said->state = SUREFILL_JOB_HELD;
        if (never) said->why = SUREFILL_WHY_OTHER;
        if (row->array) count_tasks(job, said);
        return;
    }
    said->start = (int64_t)job->start_time;
    if (job->resv_ptr != NULL) said->reservation = (int64_t)job->resv_ptr->resv_id + 1;
    said->ran = ran_until(job, said->state == SUREFILL_JOB_RUNNING || said->state == SUREFILL_JOB_SUSPENDED ? cluster->now
                                                                                                          : job->end_time);
    if (said->state == SUREFILL_JOB_SUSPENDED) said->flags |= SUREFILL_FLAG_HOLDS_NOTHING;
}

/* --- The others --- */

static int see_job(void *entry, void *argument) {
    job_record_t *job = entry;
    struct cluster *cluster = argument;
    struct row *row = cluster_row(cluster, job->job_id);
    if (row != NULL && IS_JOB_PENDING(job)) return 0;
    if (row == NULL)
        row = add_row(cluster, job->job_id);
    else
        begin_row(row, job->job_id, -1); /* it has just been started */
    row_describe(cluster, job, job->part_ptr, row);
    if (IS_JOB_PENDING(job)) {
        row->said.why = why_held(job, cluster->now);
        row->said.state = SUREFILL_JOB_HELD;
    } else if (row->said.state == SUREFILL_JOB_RUNNING || row->said.state == SUREFILL_JOB_SUSPENDED ||
               row->said.state == SUREFILL_JOB_ENDING) {
        job_holds(cluster, job, row);
    }
    return 0;
}

static int check_job(void *entry, void *argument) {
    const job_record_t *job = entry;
    bool *foreign = argument;
    *foreign = job->magic != JOB_MAGIC;
    return *foreign ? -1 : 0;
}

/* --- The walk through the queue --- */

struct walk {
    struct cluster *cluster;
    struct inside *inside;
    bool quiet;     /* nothing starts */
    bool without_scheduler;
    bool blocked[POOLS]; /* then: no other job starts in this pool */
    bool checking;  /* jobs are asked whether they may start; behind the last of them there is no time */
    bool waits[POOLS]; /* a job waits in this pool already */
    int32_t order;
    int asked, not_reached; /* jobs that were asked, and those that there was no time for */
};

/* A job that waits in another partition as well. */
static void add_place(struct cluster *cluster, struct row *row, int32_t place) {
    surefill_job *said = &row->said;
    const int32_t queue = cluster->partitions[place].queue;
    for (int32_t i = 0; i < said->queue_count; i++)
        if (row->places[i] == place) return; /* with another QOS */
    if (said->queue_count == JOB_QUEUES) return;
    cluster_join(cluster, row->places[0], place);
    row->places[said->queue_count] = place;
    said->queues[said->queue_count++] = queue;
}

/* Whether the nodes of its pool that are in service, or will be at once, can ever be enough for the job. */
static bool fits_service(const struct cluster *cluster, const struct row *row) {
    const surefill_job *said = &row->said;
    const bitstr_t *wanted = NULL;
    int64_t tasks = 0;
    for (int k = 0; k < FEATURES; k++)
        if ((said->features & INT64_C(1) << k) != 0) wanted = cluster->features[k].nodes;
    for (int32_t i = 0; i < cluster->node_count && tasks < said->count; i++) {
        const surefill_node *node = &cluster->nodes[i];
        int64_t here = INT32_MAX;
        bool in_queue = false;
        if (node->struct_size == 0 || (node->state != SUREFILL_NODE_UP && node->state != SUREFILL_NODE_AWAITED)) continue;
        if (wanted != NULL && !bit_test((bitstr_t *)wanted, i)) continue;
        for (int32_t k = 0; k < said->queue_count && !in_queue; k++)
            in_queue = cluster->queues[said->queues[k]] == NULL || bit_test(cluster->queues[said->queues[k]], i);
        if (!in_queue) continue;
        for (int32_t kind = 0; kind < cluster->kinds; kind++)
            if (said->each[kind] > 0 && node->amounts[kind] / said->each[kind] < here) here = node->amounts[kind] / said->each[kind];
        tasks += (said->flags & SUREFILL_FLAG_PACKED) != 0 ? here : here > 0 ? 1 : 0;
    }
    return tasks >= said->count;
}

void hold_for_ever(job_record_t *job) {
    if (job->part_ptr_list != NULL || job->resv_name != NULL || job->resv_ptr != NULL || job->resv_list != NULL) return;
    if (compat_may_change(job)) return;
    info("surefill: JobId=%u is held: no nodes are what it asks for", job->job_id);
    say_why(job, FAIL_BAD_CONSTRAINTS);
    job->start_time = job->end_time = time(NULL);
    job->priority = 0;
}

static bool is_left(const struct cluster *cluster, uint32_t job) {
    for (int i = 0; i < REMEMBERED; i++)
        if (cluster->left[i] == job) return true;
    return false;
}

static bool may_preempt(job_record_t *job) {
    list_t *others;
    bool some;
    if (!slurm_preemption_enabled()) return false;
    others = slurm_find_preemptable_jobs(job);
    some = others != NULL && list_count(others) > 0;
    FREE_NULL_LIST(others);
    return some;
}

/* Whether a job's reservation has nodes enough in the partition, as slurmctld's own loop asks before all else. */
static bool reservation_will_do(const job_record_t *job, const part_record_t *part) {
    return job->resv_ptr == NULL || job->resv_ptr->node_bitmap == NULL || part->node_bitmap == NULL ||
           bit_overlap(job->resv_ptr->node_bitmap, part->node_bitmap) >= (int64_t)job->node_cnt_wag;
}

/* Jobs that only Slurm can start: those with a promise, for which its own test has found nodes; those that may
 * preempt others; those for which the scheduler has no nodes. */
static void ask_slurm(struct walk *walk, job_record_t *job, part_record_t *part, struct row *row, bool first) {
    struct cluster *cluster = walk->cluster;
    const int32_t pool = cluster->partitions[row->places[0]].pool;
    const bool promised = cluster->promises[pool].job == job->job_id, fits = fits_service(cluster, row) && !is_left(cluster, job->job_id);
    enum start_result result;
    if (!promised && fits && !may_preempt(job)) return;
    if (promised && !first) { /* a job of more priority has come */
        cluster->promises[pool].job = 0;
        return;
    }
    if (!fits) {
        row->said.state = SUREFILL_JOB_HELD;
        row->said.why = SUREFILL_WHY_OTHER;
    }
    if (walk->quiet) return;
    result = cluster_ask(cluster, job, part, pool, first);
    if (result == START_DONE) cluster->started++;
    if (result == START_NEVER && cluster->awaited == NULL) hold_for_ever(job);
    if (result == START_DONE) return;
    if (cluster->promises[pool].job == job->job_id) {
        cluster->promises[pool].kept = true;
        /* Its nodes are kept for it by a reservation, which no other job may use. */
        row->said.state = SUREFILL_JOB_HELD;
        row->said.why = SUREFILL_WHY_OTHER;
    }
}

/* Starts a job where none before it in Slurm's order waits in its pool. */
static void start_alone(struct walk *walk, job_record_t *job, part_record_t *part, int32_t pool) {
    const uint32_t id = job->job_id;
    while (!walk->blocked[pool] && !walk->quiet && job != NULL && IS_JOB_PENDING(job) && may_start(job, part)) {
        const bool more = is_array(job);
        const enum start_result result = start_job(walk->cluster, job, part, NULL, SLURMDB_JOB_FLAG_SCHED);
        walk->blocked[pool] = result == START_BUSY || (result == START_ABSENT && walk->cluster->awaited != NULL);
        if (result != START_DONE) break;
        walk->cluster->started++;
        job = more ? find_job_record(id) : NULL;
    }
}

/* Takes one entry of the queue. */
static void take(struct walk *walk, job_record_t *job, part_record_t *part) {
    struct cluster *cluster = walk->cluster;
    const int32_t place = cluster_partition(cluster, part->name);
    const bool reserved = job->resv_name != NULL;
    struct row *row = cluster_row(cluster, job->job_id);
    const double begun = clock_seconds();
    const uint32_t id = job->job_id;
    bool may = true, first;
    int32_t pool;
    if (job->het_job_id != 0) {
        if (!cluster->het_known)
            info("surefill: JobId=%u is part of a heterogeneous job: such jobs wait until SchedulerType is sched/backfill", id);
        cluster->het_known = true;
        return;
    }
    if (place < 0) return;
    if (walk->checking && walk->asked++ > 0 && clock_seconds() > cluster->timing.deadline) {
        walk->checking = false;
        cluster->resume_at = id;
    }
    if (!walk->checking) walk->not_reached++;
    if (reserved) { /* a job with a reservation waits for those of the same only */
        const bool asks = (walk->checking || inside_was_head(walk->inside, id)) && !walk->quiet;
        while (asks && job != NULL && IS_JOB_PENDING(job) && reservation_will_do(job, part) &&
               may_start(job, part)) {
            const bool more = is_array(job);
            if (inside_start(walk->inside, job, part) != START_DONE) break;
            cluster->started++;
            job = more ? find_job_record(id) : NULL; /* the array's other tasks */
        }
        walk->order++;
        return;
    }
    if (walk->without_scheduler && walk->checking) {
        start_alone(walk, job, part, cluster->partitions[place].pool);
        job = find_job_record(id);
        if (job == NULL || !IS_JOB_PENDING(job)) return;
    }
    if (walk->checking) may = may_start(job, part);
    cluster->timing.slurm_seconds += clock_seconds() - begun;
    if (row != NULL && row->order >= 0 &&
        (row->said.state == SUREFILL_JOB_WAITING || row->said.state == SUREFILL_JOB_AS_BEFORE)) {
        if (may) add_place(cluster, row, place);
        return;
    }
    /* It has its promise in another partition. */
    if (row != NULL && row->order >= 0 && row->said.queue_count > 0 &&
        cluster->promises[cluster->partitions[row->places[0]].pool].job == id)
        return;
    if (row == NULL) row = add_row(cluster, id);
    begin_row(row, id, walk->order++);
    row_describe(cluster, job, part, row);
    if (!may) {
        row->said.state = SUREFILL_JOB_HELD;
        row->said.why = why_held(job, cluster->now);
    } else if (!walk->checking && row->said.state == SUREFILL_JOB_WAITING) {
        row->said.state = SUREFILL_JOB_AS_BEFORE;
    }
    if (row->said.state == SUREFILL_JOB_HELD) return;
    pool = cluster->partitions[place].pool;
    first = !walk->waits[pool];
    if (walk->checking) ask_slurm(walk, job, part, row, first);
    if (!walk->checking && cluster->promises[pool].job == id) cluster->promises[pool].kept = true;
    if ((row->said.state != SUREFILL_JOB_HELD && !cluster_bars(cluster, id)) || cluster->promises[pool].job == id)
        walk->waits[pool] = true;
}

static void walk_queue(struct walk *walk) {
    struct cluster *cluster = walk->cluster;
    const double begun = clock_seconds();
    list_t *queue = build_job_queue(false, false);
    const uint32_t from = cluster->resume_at;
    bool is_there = false;
    job_queue_rec_t **entries;
    int count;
    sort_job_queue(queue);
    count = list_count(queue);
    entries = xcalloc((size_t)count + 1, sizeof *entries);
    for (int i = 0; i < count; i++) entries[i] = list_pop(queue);
    FREE_NULL_LIST(queue);
    cluster->pending = count;
    cluster->timing.slurm_seconds += clock_seconds() - begun;
    for (int i = 0; i < count; i++) is_there |= entries[i]->job_ptr->job_id == from;
    walk->checking = !is_there; /* the walk before had no time for this one and those behind it */
    cluster->timing.deadline = fmax(cluster->timing.deadline, clock_seconds() + 0.25 * cluster->locked);
    cluster->resume_at = 0;
    for (int i = 0; i < count; i++) {
        job_queue_rec_t *entry = entries[i];
        job_record_t *job = entry->job_ptr;
        const bool array_started = job->array_task_id != entry->array_task_id && entry->array_task_id == NO_VAL;
        if (array_started) job = find_job_record(job->array_job_id); /* in another partition */
        if (job != NULL && IS_JOB_PENDING(job)) {
            const uint32_t id = job->job_id;
            if (is_there && id == from) {
                /* Each walk gets on. */
                cluster->timing.deadline = fmax(cluster->timing.deadline, clock_seconds() + 0.25 * cluster->locked);
                walk->checking = true;
                is_there = false;
            }
            job->priority = entry->priority;
            compat_use_qos(job, entry);
            if (job->resv_list != NULL)
                job_queue_rec_resv_list(entry);
            else
                job_queue_rec_magnetic_resv(entry);
            if (!entry->use_prefer) take(walk, job, entry->part_ptr);
            job_resv_clear_magnetic_flag(job);
            if ((job = find_job_record(id)) != NULL) job_resv_clear_magnetic_flag(job); /* what is left of an array */
        }
        xfree(entry);
    }
    xfree(entries);
}

/* --- All of it --- */

/* Whether the features of nodes are others than when the meanings of requests were found. */
static void check_features(struct cluster *cluster) {
    uint64_t print = 1;
    for (int i = 0; i < cluster->node_count; i++) {
        const node_record_t *node = node_record_table_ptr[i];
        if (node == NULL) continue;
        print = print * 31 + (node->features_act == NULL ? 0 : (uint64_t)surefill_hash(node->features_act, (int64_t)strlen(node->features_act)));
        print = print * 31 + node->tmp_disk;
    }
    if (print != cluster->features_print) cluster->meaning_count = 0;
    cluster->features_print = print;
}

/* A promise whose job does not wait any more, or whose pool is another one now, is none. */
static void forget_promises(struct cluster *cluster) {
    for (int32_t pool = 0; pool < POOLS; pool++) {
        struct promise *promise = &cluster->promises[pool];
        const job_record_t *job = promise->job == 0 ? NULL : find_job_record(promise->job);
        if (promise->job != 0 && (job == NULL || !IS_JOB_PENDING(job) || job->priority == 0 || promise->pool >= cluster->pool_count ||
                                  promise->nodes == NULL || bit_size(promise->nodes) != cluster->node_count ||
                                  !bit_overlap_any(promise->nodes, cluster->pools[promise->pool])))
            promise->job = 0;
        if (promise->job == 0) FREE_NULL_BITMAP(promise->nodes);
        promise->kept = false;
    }
}

/* Chooses the length with which jobs with --time-min are tried in this cycle: their limit where anything runs or is
 * idle that was not, unless that was the last one; else halves of it in turn, down to the least and from the limit on
 * again. */
static void choose_length(struct cluster *cluster, uint64_t running) {
    const bool again = running != cluster->running && cluster->halvings != 0;
    cluster->halvings = again ? 0 : ++cluster->lengths;
    cluster->running = running;
    cluster->soft = xstrcasestr(slurm_conf.sched_params, "time_min_as_soft_limit") != NULL;
}

void cluster_gather(struct cluster *cluster, bool alone) {
    slurmctld_lock_t locks = CYCLE_LOCKS;
    struct walk walk = {.cluster = cluster, .without_scheduler = alone, .checking = true};
    uint64_t reasons;
    time_t updated;
    cluster->timing = (struct timing){.cut_short = false};
    cluster->started = 0;
    cluster->gathered++;
    lock_slurmctld(locks);
    cluster_locked(cluster, 0.5);
    cluster->now = (int64_t)time(NULL);
    reasons = reasons_print();
    updated = last_job_update;
    list_for_each(job_list, check_job, &cluster->foreign);
    if (!cluster->foreign) {
        choose_length(cluster, running_print());
        cluster_configure(cluster);
        cluster_await(cluster);
        check_features(cluster);
        forget_promises(cluster);
        clear_rows(cluster);
        cluster_see_nodes(cluster);
        walk.inside = inside_make(cluster);
        cluster->completing = slurm_conf.complete_wait != 0 && job_is_completing(NULL);
        walk.quiet = cluster->completing;
        walk_queue(&walk);
        inside_free(walk.inside);
        list_for_each(job_list, see_job, cluster);
        for (int32_t pool = 0; pool < POOLS; pool++) /* of jobs that wait for something else now, such as a limit */
            if (!cluster->promises[pool].kept && !walk.quiet) cluster->promises[pool].job = 0;
        cluster_see_nodes(cluster); /* again: with the features that jobs ask for, and of those that have just started */
        cluster_see_reservations(cluster);
        cluster->timing.cut_short = walk.not_reached > 0;
        cluster->ending = bit_ffs(cg_node_bitmap) >= 0;
        if (walk.not_reached > 0)
            debug("surefill: the queue: cut short, the locks have been held for %.1f ms; %d left for the next cycle",
                  1e3 * (clock_seconds() - cluster->timing.locked_since), walk.not_reached);
        /* Reasons change and change back while jobs are tried. Where users see no change in the end there was none:
         * else the plugin would take its own work for an event, and wake every second. */
        if (cluster->started == 0 && reasons_print() == reasons) last_job_update = updated;
    }
    cluster_unlocked(cluster);
    unlock_slurmctld(locks);
}
