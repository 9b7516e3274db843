/* The walk through the queue: jobs start in order of priority, equal ones in the preset's order, until one does not
 * find its nodes, which is the head of its pool; those behind it become candidates. Licence: GPL-2.0-or-later. */
#include "site.h"

#include <stdlib.h>
#include <string.h>

/* What a reservation's head job, the first that did not find its nodes there, waits for. */
struct inside {
    const slurmctld_resv_t *reservation;
    uint32_t job;
    time_t start;
    bitstr_t *nodes;
};

/* One walk. */
struct walk {
    struct site *site;
    int32_t depth;     /* candidates a pool */
    const struct books *books;
    bitstr_t *blocked; /* nodes of pools that have a head job */
    bitstr_t *held;    /* nodes of pools that have one, and some that have not registered yet */
    struct inside *inside;
    int inside_count, inside_room;
    int passed_before; /* of site->passed, in order */
};

static int partition_index(const struct site *site, const part_record_t *part) {
    for (int i = 0; i < site->partition_count; i++)
        if (strcmp(site->partitions[i], part->name) == 0) return i;
    return -1;
}

/* Whether any free nodes of the partition will do for this job, so that counting them says when it can start. */
static const char *why_head_not_counted(const job_record_t *job, const part_record_t *part) {
    const job_details_t *details = job->details;
    if (!job_takes_whole_nodes(job, part)) return "the head job shares nodes";
    /* job_nodes() says its most; Slurm starts it as soon as there is its least. */
    if (compat_max_nodes(job) > details->min_nodes && (job->bit_flags & USE_MIN_NODES) == 0)
        return "the head job takes a range of nodes";
    if (details->features != NULL) return "the head job asks for node features";
    if (details->req_node_bitmap != NULL || details->exc_node_bitmap != NULL) return "the head job names nodes";
    if (job->resv_name != NULL || job->resv_list != NULL) return "the head job has a reservation";
    if (job->gres_list_req != NULL) return "the head job needs generic resources";
    if (details->contiguous || job->req_switch != 0) return "the head job asks for neighbouring nodes";
    if (details->core_spec != NO_VAL16) return "the head job specialises cores";
    if (job->burst_buffer != NULL) return "the head job needs a burst buffer";
    if (job->reboot) return "the head job reboots its nodes";
    return NULL;
}

/* Several tasks that share one record until they start. */
static bool is_array(const job_record_t *job) { return job->array_recs != NULL && job->array_task_id == NO_VAL; }

static void wait_for_priority(job_record_t *job) {
    if (job->state_reason == WAIT_NO_REASON || job->state_reason == WAIT_RESOURCES || job->state_reason == WAIT_LICENSES)
        say_why(job, WAIT_PRIORITY);
}

/* The site's priorities come first. Those of priority/basic say only who came first, how nice a user is, and which
 * partition, unless an administrator has set them. Equal ranks are equal tiers, and equal in one of the two ways. */
static uint64_t rank_of(const job_record_t *job, const part_record_t *part, uint32_t priority) {
    uint64_t tier = (uint64_t)part->priority_tier << 33;
    if (job->direct_set_prio || xstrcmp(slurm_conf.priority_type, "priority/basic") != 0) return tier | priority;
    return tier | UINT64_C(1) << 32 | job->details->nice;
}

/* Adds a waiting job, or the tasks of an array that may run, the first ones left out. */
static void add_candidates(struct site *site, struct group *group, job_record_t *job, part_record_t *part, int place,
                           int32_t order, int32_t left_out, bool refused, int32_t depth) {
    struct pool *pool = &group->pool;
    double begun = clock_seconds();
    int32_t nodes = job_nodes(job, part), copies = 1, most;
    site->slurm_seconds += clock_seconds() - begun;
    if (nodes == 0) return;
    if (is_array(job)) {
        const job_record_t *base = find_job_record(job->array_job_id);
        copies = (int32_t)job->array_recs->task_cnt;
        if (base != NULL && base->array_recs != NULL && base->array_recs->max_run_tasks != 0) {
            int32_t left = (int32_t)base->array_recs->max_run_tasks - (int32_t)base->array_recs->tot_run_tasks;
            if (left < copies) copies = left;
        }
        /* More are not started in one cycle anyway. */
        if (job_takes_whole_nodes(job, part))
            most = bit_set_count(group->nodes) / nodes + 1;
        else
            most = (int32_t)(group->service_cpus / (job->details->min_cpus > 0 ? job->details->min_cpus : 1)) + 1;
        if (copies > most) copies = most;
    }
    for (copies -= left_out; copies > 0 && pool->candidate_count - group->refused < depth; copies--) {
        struct candidate candidate = {.rank = rank_of(job, part, job->priority),
                                      .place = place,
                                      .order = order,
                                      .shares_nodes = !job_takes_whole_nodes(job, part),
                                      .refused = refused,
                                      .several = is_array(job)};
        job_facts(job, part, nodes, &candidate.facts);
        if (!pool_add_candidate(pool, &candidate)) {
            site_short_of_memory(group, "no memory for the candidates");
            return;
        }
        if (refused) group->refused++;
    }
}

/* Whether all nodes in service together are not enough. (Slurm says so only while none of them is busy.) */
static bool too_wide(const job_record_t *job, const struct group *group) {
    const job_details_t *details = job->details;
    return details->min_nodes > group->service_nodes ||
           (details->min_cpus != NO_VAL && details->min_cpus > group->service_cpus);
}

static void make_head(struct walk *walk, struct group *group, job_record_t *job, part_record_t *part, int place,
                      int32_t order) {
    const char *why = why_head_not_counted(job, part);
    int32_t nodes = job_nodes(job, part);
    if (nodes == 0) return;
    if (group->awaits) {
        site_unjudged(group, "some of the nodes have not registered yet");
        bit_or(walk->held, group->nodes);
    }
    group->has_head = true;
    group->head_place = place;
    group->head_order = order;
    group->pool.head_priority = job->priority;
    group->pool.head_rank = rank_of(job, part, job->priority);
    group->pool.head_several = is_array(job);
    job_facts(job, part, nodes, &group->pool.head);
    if (why != NULL) site_unjudged(group, why);
    bit_or(walk->blocked, group->nodes);
    if (is_array(job) && !group->awaits) /* its other tasks */
        add_candidates(walk->site, group, job, part, place, order, 1, false, walk->depth);
}

/* --- Inside reservations, whose jobs wait for each other only: EASY by limits and Slurm's own test --- */

static const struct inside *head_inside(const struct walk *walk, const slurmctld_resv_t *reservation) {
    for (int i = 0; i < walk->inside_count; i++)
        if (walk->inside[i].reservation == reservation) return &walk->inside[i];
    return NULL;
}

static bool awaits_inside(const struct walk *walk, const slurmctld_resv_t *reservation) {
    return walk->site->awaited != NULL && reservation != NULL && reservation->node_bitmap != NULL &&
           bit_overlap_any(walk->site->awaited, reservation->node_bitmap);
}

/* The job becomes the head of its reservation, where Slurm can say when it will start. While some of the
 * reservation's nodes have not registered it keeps all of them. */
static void make_head_inside(struct walk *walk, job_record_t *job, part_record_t *part) {
    struct inside head = {.reservation = job->resv_ptr, .job = job->job_id};
    if (awaits_inside(walk, job->resv_ptr))
        head.nodes = bit_copy(job->resv_ptr->node_bitmap);
    else if ((head.start = site_reserve(job, part, NULL, &head.nodes)) == 0)
        return;
    if (walk->inside_count == walk->inside_room) {
        walk->inside_room = walk->inside_room > 0 ? 2 * walk->inside_room : 8;
        xrecalloc(walk->inside, (size_t)walk->inside_room, sizeof *walk->inside);
    }
    walk->inside[walk->inside_count++] = head;
}

/* Starts a job with a reservation, off the nodes of its reservation's head job where it would not end in time.
 * *head_job says whether it is that job. */
static enum start_result start_inside(struct walk *walk, job_record_t *job, part_record_t *part, bool *head_job) {
    const struct inside *head = head_inside(walk, job->resv_ptr);
    enum start_result result;
    struct facts facts;
    bool in_time, own = head != NULL && head->job == job->job_id; /* in another of its partitions */
    job_facts(job, part, 1, &facts);
    in_time = head == NULL || own || time(NULL) + (time_t)facts.limit <= head->start;
    result = start_job(job, part, in_time ? NULL : head->nodes, SLURMDB_JOB_FLAG_SCHED, walk->site);
    if (head == NULL && (result == START_BUSY || (result == START_ABSENT && awaits_inside(walk, job->resv_ptr))))
        make_head_inside(walk, job, part);
    head = head_inside(walk, job->resv_ptr);
    *head_job = head != NULL && head->job == job->job_id;
    if (!in_time && (result == START_BUSY || result == START_WITHHELD))
        say_why(job, WAIT_PRIORITY); /* Slurm's reason would speak of nodes that only we kept from it */
    return result;
}

/* --- Walks that are cut short --- */

static int by_entry(const void *one, const void *other) { return memcmp(one, other, sizeof(struct entry)); }

/* A job in one of its partitions and reservations, with one of its QOS. */
static struct entry entry_of(const job_record_t *job, int place) {
    bool reserved = job->resv_name != NULL && job->resv_ptr != NULL;
    return (struct entry){.job = job->job_id,
                          .place = (uint32_t)place,
                          .reservation = reserved ? job->resv_ptr->resv_id : 0,
                          .qos = job->qos_id};
}

/* Whether Slurm refused it in the walks since one was cut short: then those behind it have their turn. */
static bool is_passed(const struct walk *walk, const struct entry *entry) {
    const struct passed *passed = &walk->site->passed;
    return walk->passed_before > 0 &&
           bsearch(entry, passed->entries, (size_t)walk->passed_before, sizeof *entry, by_entry) != NULL;
}

static void pass(struct passed *passed, const struct entry *entry) {
    if (passed->count == passed->room) {
        passed->room = passed->room > 0 ? 2 * passed->room : 256;
        xrecalloc(passed->entries, (size_t)passed->room, sizeof *passed->entries);
    }
    passed->entries[passed->count++] = *entry;
}

/* --- The walk --- */

/* Whether a job's reservation has nodes enough in the partition, as slurmctld's own loop asks before all else. */
static bool reservation_will_do(const job_record_t *job, const part_record_t *part) {
    return job->resv_ptr == NULL || job->resv_ptr->node_bitmap == NULL || part->node_bitmap == NULL ||
           bit_overlap(job->resv_ptr->node_bitmap, part->node_bitmap) >= (int64_t)job->node_cnt_wag;
}

/* No nodes of its partition are what the job asks for: it is held, as by Slurm's own main loop. One of several
 * partitions may have others, and a reservation changes. */
static void hold_for_ever(job_record_t *job) {
    if (job->part_ptr_list != NULL || job->resv_name != NULL || job->resv_ptr != NULL || job->resv_list != NULL) return;
    if (compat_may_change(job)) return;
    info("surefill: JobId=%u is held: no nodes are what it asks for", job->job_id);
    say_why(job, FAIL_BAD_CONSTRAINTS);
    job->start_time = job->end_time = time(NULL);
    job->priority = 0;
}

/* Whether a job that has not started for this reason waits for nodes. Those that have not registered yet are not in
 * service for Slurm, and may lack what they are asked for: who was the head before is so still, and a new job is when
 * it does not name other nodes. */
static bool waits_for_nodes(const struct walk *walk, const struct group *group, const job_record_t *job,
                            enum start_result result) {
    bitstr_t *named = job->details->req_node_bitmap;
    if (result == START_BUSY) return true;
    if (!group->awaits || (result != START_ABSENT && result != START_NEVER)) return false;
    if (books_was_head(walk->books, job->job_id)) return true;
    return result == START_ABSENT && (named == NULL || bit_overlap_any(walk->site->awaited, named));
}

/* Takes one entry of the queue: starts the job, makes it the head of its pool, or notes it as a candidate. Returns how
 * many tasks of an array it has had no time for. */
static int take(struct walk *walk, job_record_t *job, part_record_t *part, int32_t order) {
    struct site *site = walk->site;
    int place = partition_index(site, part);
    struct group *group = place < 0 ? NULL : &site->groups[site->group_of[place]];
    uint32_t id = job->job_id;
    if (group == NULL || job->het_job_id != 0) return 0;
    for (;;) { /* an array's tasks one by one */
        double begun = clock_seconds();
        /* A job with a reservation waits for those of the same only. What is left of an array may have none. */
        bool alone = job->resv_name != NULL, head_inside = false;
        const struct entry entry = entry_of(job, place);
        /* Somebody of more priority waits for nodes of this pool, in this partition or in one that overlaps it. */
        bool behind = group->has_head || bit_overlap_any(walk->blocked, group->nodes), may, more;
        enum start_result result;
        if (behind && group->pool.candidate_count - group->refused >= walk->depth && !alone) {
            /* Neither head nor candidate: no time for it, others are behind. */
            if (!job_misses_deadline(job)) wait_for_priority(job);
            return 0;
        }
        if (is_passed(walk, &entry)) return 0;
        may = reservation_will_do(job, part) && may_start(job, part);
        site->slurm_seconds += clock_seconds() - begun;
        more = is_array(job);
        if (may && !alone && too_wide(job, group)) { /* hundreds of them must not take all the time */
            say_why(job, WAIT_NODE_NOT_AVAIL);
            may = false;
        }
        if (!may) {
            pass(&site->passed, &entry);
            return 0;
        }
        if (behind && !alone) {
            bool refused = refused_lately(&site->refusals, id, site->running, (int64_t)time(NULL));
            wait_for_priority(job);
            if (group->awaits || bit_overlap_any(walk->held, group->nodes)) {
                /* It may want nodes that somebody before it waits for, and somebody behind it those that it does. */
                bit_or(walk->held, group->nodes);
                bit_or(walk->blocked, group->nodes);
                return 0;
            }
            if (!leaves_licences(job, group->pool.head.id))
                debug2("surefill: JobId=%u is no candidate: it would take licences that the head job needs", id);
            else
                add_candidates(site, group, job, part, place, order, 0, refused, walk->depth);
            return 0;
        }
        result = alone ? start_inside(walk, job, part, &head_inside)
                       : start_job(job, part, NULL, SLURMDB_JOB_FLAG_SCHED, site);
        if (result != START_DONE) {
            if (!alone && waits_for_nodes(walk, group, job, result))
                make_head(walk, group, job, part, place, order);
            else if (!head_inside) /* the head job of a reservation is one in every walk */
                pass(&site->passed, &entry);
            if (result == START_NEVER && !group->awaits) hold_for_ever(job);
            return 0;
        }
        site->started++;
        if (!more) return 0;
        job = find_job_record(id);
        if (job == NULL || !IS_JOB_PENDING(job)) return 0; /* that was the last one */
        if (clock_seconds() > site->deadline) return is_array(job) ? (int)job->array_recs->task_cnt : 1;
    }
}

/* An entry of the queue in the site's order. */
struct queued {
    struct facts facts; /* first, for order_queue */
    job_queue_rec_t *entry;
    uint64_t rank;
    bool fixed; /* it keeps its place: it has a reservation */
};

static bool of_one_rank(const void *one, const void *next) {
    const struct queued *a = one, *b = next;
    return !a->fixed && !b->fixed && a->rank == b->rank;
}

/* The waiting jobs in the order in which they are asked; to be freed, and each entry of it. */
static struct queued *line_up(struct site *site, const struct settings *settings, struct beliefs *beliefs, int *count) {
    list_t *queue = build_job_queue(false, false);
    struct queued *queued;
    sort_job_queue(queue);
    *count = list_count(queue);
    queued = xcalloc((size_t)*count + 1, sizeof *queued);
    for (int i = 0; i < *count; i++) {
        job_queue_rec_t *entry = list_pop(queue);
        const job_record_t *job = entry->job_ptr;
        uint32_t nodes = job->node_cnt_wag > job->details->min_nodes ? job->node_cnt_wag : job->details->min_nodes;
        queued[i].entry = entry;
        queued[i].rank = rank_of(job, entry->part_ptr, entry->priority);
        queued[i].fixed = job->resv_name != NULL || job->resv_list != NULL || entry->resv_ptr != NULL;
        job_facts(job, entry->part_ptr, nodes > INT32_MAX ? INT32_MAX : (int32_t)nodes, &queued[i].facts);
    }
    FREE_NULL_LIST(queue);
    /* Where jobs may preempt others, Slurm's order says who does. */
    if (slurm_conf.preempt_mode == PREEMPT_MODE_OFF) {
        site_set_deadline(site, settings, 0.25);
        order_queue(settings, beliefs, (int64_t)time(NULL), queued, *count, sizeof *queued, of_one_rank,
                    site->deadline);
    }
    return queued;
}

void site_walk_queue(struct site *site, const struct settings *settings, const struct books *books, struct beliefs *beliefs) {
    double begun = clock_seconds();
    /* Candidates are looked at anew in every walk: where these take all the time, fewer are in the next one. */
    struct walk walk = {.site = site,
                        .depth = settings->depth >> site->cut_walks > 0 ? settings->depth >> site->cut_walks : 1,
                        .books = books,
                        .blocked = bit_alloc(node_record_count),
                        .held = bit_alloc(node_record_count),
                        .passed_before = site->passed.count};
    struct queued *queue;
    int32_t order = 0;
    int count, next = 0;
    bool cut = false;
    queue = line_up(site, settings, beliefs, &count);
    if (site->passed.count > 0) qsort(site->passed.entries, (size_t)site->passed.count, sizeof *site->passed.entries, by_entry);
    site->pending = count;
    site->slurm_seconds += clock_seconds() - begun;
    site_set_deadline(site, settings, 0.5);
    while (!cut && next < count) {
        job_queue_rec_t *entry = queue[next++].entry;
        job_record_t *job = entry->job_ptr;
        int left = 0;
        bool array_started = job->array_task_id != entry->array_task_id && entry->array_task_id == NO_VAL;
        if (array_started) entry->job_ptr = job = find_job_record(job->array_job_id); /* in another partition */
        if (job != NULL && IS_JOB_PENDING(job)) {
            uint32_t id = job->job_id;
            job->priority = entry->priority;
            compat_use_qos(job, entry);
            if (job->resv_list != NULL)
                job_queue_rec_resv_list(entry);
            else
                job_queue_rec_magnetic_resv(entry);
            if (!entry->use_prefer) left = take(&walk, job, entry->part_ptr, order++);
            job_resv_clear_magnetic_flag(job);
            if ((job = find_job_record(id)) != NULL) job_resv_clear_magnetic_flag(job); /* what is left of an array */
        }
        xfree(entry);
        cut = site_time_is_up(site, "the queue", left + count - next);
    }
    while (next < count) xfree(queue[next++].entry);
    xfree(queue);
    if (!cut) site->passed.count = 0; /* the next walk asks everybody again */
    site->cut_walks = !cut ? 0 : site->cut_walks < 16 ? site->cut_walks + 1 : 16;
    FREE_NULL_BITMAP(walk.blocked);
    FREE_NULL_BITMAP(walk.held);
    for (int i = 0; i < walk.inside_count; i++) FREE_NULL_BITMAP(walk.inside[i].nodes);
    xfree(walk.inside);
}
