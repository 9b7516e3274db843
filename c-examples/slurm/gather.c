/* Looking at slurmctld under its locks. Licence: GPL-2.0-or-later. */
#include "site.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double TELL_EVERY = 5; /* seconds */

/* One look, handed through list_for_each. */
struct look {
    struct site *site;
    struct books *books;
    struct beliefs *beliefs;
    int64_t now;
    bool foreign; /* these are not the jobs that this was compiled for */
};

static int64_t job_age(const job_record_t *job, int64_t until) {
    int64_t age = until - (int64_t)job->start_time - (int64_t)job->tot_sus_time;
    return age > 0 ? age : 0;
}

/* --- What has happened since the last look --- */

static enum phase phase_of(const job_record_t *job) {
    if (IS_JOB_PENDING(job)) return PHASE_WAITING;
    if (IS_JOB_RUNNING(job) || IS_JOB_SUSPENDED(job)) return PHASE_RUNNING;
    if (job->nodes == NULL || job->start_time == 0 || job->end_time < job->start_time) return PHASE_BROKEN;
    if (IS_JOB_COMPLETE(job) || IS_JOB_FAILED(job) || IS_JOB_TIMEOUT(job) || IS_JOB_CANCELLED(job) ||
        IS_JOB_OOM(job) || IS_JOB_DEADLINE(job))
        return PHASE_ENDED;
    return PHASE_BROKEN; /* node failures, preemption */
}

/* A waiting job that has not joined its queue yet. */
static bool is_held(const job_record_t *job, int64_t now) {
    return job->priority == 0 || job->details == NULL || (int64_t)job->details->begin_time > now ||
           (job->bit_flags & JOB_DEPENDENT) != 0;
}

static int see_job(void *entry, void *argument) {
    job_record_t *job = entry;
    struct look *look = argument;
    struct sighting seen = {.phase = PHASE_WAITING};
    if (job->magic != JOB_MAGIC) {
        look->foreign = true;
        return -1;
    }
    job_facts(job, job->part_ptr, job->details == NULL ? 0 : (int32_t)job->details->min_nodes, &seen.facts);
    seen.phase = phase_of(job);
    if (seen.phase != PHASE_WAITING && job->node_cnt > 0) seen.facts.nodes = (int32_t)job->node_cnt;
    seen.held = seen.phase == PHASE_WAITING && is_held(job, look->now);
    seen.restarts = job->restart_cnt;
    seen.start = (int64_t)job->start_time;
    if (seen.phase == PHASE_ENDED) seen.run_time = job_age(job, (int64_t)job->end_time);
    if (!books_see(look->books, look->beliefs, &seen, look->now)) look->site->forgetful = true;
    return 0;
}

/* --- Pools --- */

static void *grown(void *array, int32_t *room, int32_t count, size_t size) {
    if (count < *room) return array;
    *room = *room > 0 ? 2 * *room : 64;
    return xrealloc(array, (size_t)*room * size);
}

/* A node that does not answer for a moment, or is powered down, is in service. */
static void count_service(struct group *group) {
    for (int i = bit_ffs(group->nodes), last = bit_fls(group->nodes); i >= 0 && i <= last; i++) {
        const node_record_t *node = node_record_table_ptr[i];
        if (!bit_test(group->nodes, i) || IS_NODE_DOWN(node) || IS_NODE_DRAIN(node) || IS_NODE_FAIL(node)) continue;
        group->service_nodes++;
        group->service_cpus += node->cpus; /* a job may use specialised cores as well */
    }
}

static int add_partition(void *entry, void *argument) {
    part_record_t *part = entry;
    struct site *site = argument;
    int at = site->partition_count, group;
    static bool told;
    if (part->node_bitmap == NULL) return 0;
    if (strlen(part->name) >= NAME_LENGTH) {
        if (!told) error("surefill: partition %s: the name is too long, its jobs are not started", part->name);
        told = true;
        return 0;
    }
    for (group = 0; group < site->group_count; group++)
        if (bit_equal(site->groups[group].nodes, part->node_bitmap)) break;
    if (group == site->group_count) {
        struct group *made = &site->groups[site->group_count++];
        snprintf(made->name, NAME_LENGTH, "%s", part->name);
        made->nodes = bit_copy(part->node_bitmap);
        count_service(made);
    }
    snprintf(site->partitions[at], NAME_LENGTH, "%s", part->name);
    site->group_of[at] = group;
    site->partition_count++;
    return 0;
}

static int partition_index(const struct site *site, const part_record_t *part) {
    for (int i = 0; i < site->partition_count; i++)
        if (strcmp(site->partitions[i], part->name) == 0) return i;
    return -1;
}

static void unjudged(struct group *group, const char *why) {
    if (group->unjudged[0] == '\0') snprintf(group->unjudged, WHY_LENGTH, "%s", why);
}

/* Whether any free nodes of the partition will do for this job, so that counting them says when it can start. */
static const char *why_head_not_counted(const job_record_t *job, const part_record_t *part) {
    const job_details_t *details = job->details;
    if (!job_takes_whole_nodes(job, part)) return "the head job shares nodes";
    /* job_nodes() says its most; Slurm starts it as soon as there is its least. */
    if (details->max_nodes > details->min_nodes && (job->bit_flags & USE_MIN_NODES) == 0)
        return "the head job takes a range of nodes";
    if (details->features != NULL) return "the head job asks for node features";
    if (details->req_node_bitmap != NULL || details->exc_node_bitmap != NULL) return "the head job names nodes";
    if (job->license_list != NULL) return "the head job needs licences";
    if (job->resv_name != NULL || job->resv_list != NULL) return "the head job has a reservation";
    if (job->gres_list_req != NULL) return "the head job needs generic resources";
    if (details->contiguous || job->req_switch != 0) return "the head job asks for neighbouring nodes";
    if (details->core_spec != NO_VAL16) return "the head job specialises cores";
    if (job->burst_buffer != NULL) return "the head job needs a burst buffer";
    if (job->reboot) return "the head job reboots its nodes";
    return NULL;
}

static int overlaps_reservation(void *entry, void *argument) {
    const slurmctld_resv_t *reservation = entry;
    struct site *site = argument;
    for (int i = 0; i < site->group_count; i++)
        if (reservation->node_bitmap != NULL && reservation->end_time > time(NULL) &&
            bit_overlap_any(reservation->node_bitmap, site->groups[i].nodes))
            unjudged(&site->groups[i], "a reservation holds some of the nodes");
    return 0;
}

/* Whether another job could use some of its nodes' cores. */
static bool leaves_cores(const job_record_t *job) {
    uint64_t cores = 0;
    if (job->job_resrcs == NULL || job->job_resrcs->whole_node == WHOLE_NODE_REQUIRED) return false;
    for (int node = bit_ffs(job->node_bitmap), last = bit_fls(job->node_bitmap); node >= 0 && node <= last; node++)
        if (bit_test(job->node_bitmap, node)) cores += node_record_table_ptr[node]->cpus_efctv;
    return job->job_resrcs->ncpus < cores;
}

/* Adds a job that holds nodes to the pools of those nodes. */
static int add_running(void *entry, void *argument) {
    job_record_t *job = entry;
    struct look *look = argument;
    bool ending = !IS_JOB_RUNNING(job) && !IS_JOB_SUSPENDED(job);
    const bitstr_t *holds = ending ? job->node_bitmap_cg : job->node_bitmap;
    if (holds == NULL || (ending && !IS_JOB_COMPLETING(job))) return 0;
    for (int i = 0; i < look->site->group_count; i++) {
        struct group *group = &look->site->groups[i];
        struct running *running;
        bitstr_t *mine;
        int nodes;
        if (!group->has_head || !bit_overlap_any((bitstr_t *)holds, group->nodes)) continue;
        mine = bit_copy(group->nodes);
        bit_and(mine, (bitstr_t *)holds);
        bit_and(mine, avail_node_bitmap); /* nodes being drained do not come back */
        nodes = bit_set_count(mine);
        for (int node = bit_ffs(mine), last = bit_fls(mine); node >= 0 && node <= last; node++)
            if (bit_test(mine, node) && node_record_table_ptr[node]->run_job_cnt > 1)
                unjudged(group, "running jobs share nodes");
        bit_free(mine);
        if (IS_JOB_SUSPENDED(job)) unjudged(group, "a job is suspended");
        group->sharing |= !ending && leaves_cores(job);
        if (nodes == 0) continue;
        group->pool.running = grown(group->pool.running, &group->pool.running_room, group->pool.running_count,
                                    sizeof *running);
        running = &group->pool.running[group->pool.running_count++];
        job_facts(job, job->part_ptr, (int32_t)job->node_cnt, &running->facts);
        running->nodes = nodes;
        running->age = job_age(job, look->now);
        running->ending = ending;
    }
    return 0;
}

/* Counts the nodes of a group with a head job, and says whether that decides. */
static void count_nodes(struct group *group) {
    bitstr_t *mine = bit_copy(group->nodes);
    const node_record_t *first = NULL;
    bit_and(mine, avail_node_bitmap);
    group->pool.nodes = bit_set_count(mine);
    if (group->pool.head.nodes > group->pool.nodes) unjudged(group, "some of the nodes the head job needs do not answer");
    for (int i = bit_ffs(mine), last = bit_fls(mine); i >= 0 && i <= last; i++) {
        const node_record_t *node = node_record_table_ptr[i];
        if (!bit_test(mine, i)) continue;
        if (first == NULL) first = node;
        if (node->cpus_efctv != first->cpus_efctv || node->real_memory != first->real_memory ||
            node->tmp_disk != first->tmp_disk || node->tot_cores != first->tot_cores)
            unjudged(group, "the nodes differ");
    }
    bit_and(mine, idle_node_bitmap);
    group->pool.idle = bit_set_count(mine);
    bit_free(mine);
    if (slurm_preemption_enabled()) unjudged(group, "jobs may be preempted");
}

/* --- The queue --- */

/* Several tasks that share one record until they start. */
static bool is_array(const job_record_t *job) { return job->array_recs != NULL && job->array_task_id == NO_VAL; }

static void wait_for_priority(job_record_t *job) {
    if (job->state_reason == WAIT_NO_REASON || job->state_reason == WAIT_RESOURCES || job->state_reason == WAIT_LICENSES)
        say_why(job, WAIT_PRIORITY);
}

/* The site's priorities come first. Those of priority/basic say only who came first, how nice a user is, and which
 * partition. */
static uint32_t rank_of(const job_record_t *job, const part_record_t *part) {
    if (xstrcmp(slurm_conf.priority_type, "priority/basic") != 0) return job->priority;
    return job->details->nice ^ (uint32_t)part->priority_tier << 8;
}

/* Adds a waiting job, or the tasks of an array that may run, the first ones left out. */
static void add_candidates(struct site *site, struct group *group, job_record_t *job, part_record_t *part, int place,
                           int32_t order, int32_t left_out, int32_t depth) {
    struct pool *pool = &group->pool;
    double begun = slurm_clock();
    int32_t nodes = job_nodes(job, part), copies = 1, most;
    site->slurm_seconds += slurm_clock() - begun;
    if (nodes == 0) return;
    if (is_array(job)) {
        const job_record_t *base = find_job_record(job->array_job_id);
        copies = (int32_t)job->array_recs->task_cnt;
        if (base != NULL && base->array_recs != NULL && base->array_recs->max_run_tasks != 0) {
            int32_t left = (int32_t)base->array_recs->max_run_tasks - (int32_t)base->array_recs->tot_run_tasks;
            if (left < copies) copies = left;
        }
        most = bit_set_count(group->nodes) / nodes + 1; /* more are not started in one cycle anyway */
        if (copies > most) copies = most;
    }
    for (copies -= left_out; copies > 0 && pool->candidate_count < depth; copies--) {
        struct candidate *candidate;
        pool->candidates = grown(pool->candidates, &pool->candidate_room, pool->candidate_count, sizeof *candidate);
        candidate = &pool->candidates[pool->candidate_count++];
        *candidate = (struct candidate){
            .rank = rank_of(job, part), .place = place, .order = order, .shares_nodes = !job_takes_whole_nodes(job, part)};
        job_facts(job, part, nodes, &candidate->facts);
    }
}

/* Whether all nodes in service together are not enough. (Slurm says so only while none of them is busy.) */
static bool too_wide(const job_record_t *job, const struct group *group) {
    const job_details_t *details = job->details;
    return details->min_nodes > group->service_nodes ||
           (details->min_cpus != NO_VAL && details->min_cpus > group->service_cpus);
}

static void make_head(struct site *site, struct group *group, job_record_t *job, part_record_t *part, int place,
                      int32_t order, bitstr_t *blocked, int32_t depth) {
    const char *why = why_head_not_counted(job, part);
    int32_t nodes = job_nodes(job, part);
    if (nodes == 0) return;
    group->has_head = true;
    group->head_place = place;
    group->head_order = order;
    group->head_licences = job->license_list != NULL;
    group->pool.head_priority = job->priority;
    job_facts(job, part, nodes, &group->pool.head);
    if (why != NULL) unjudged(group, why);
    bit_or(blocked, group->nodes);
    if (is_array(job)) add_candidates(site, group, job, part, place, order, 1, depth); /* its other tasks */
}

/* Takes one entry of the queue: starts the job, makes it the head of its pool, or notes it as a candidate. Returns how
 * many tasks of an array it has had no time for. */
static int take(struct site *site, job_record_t *job, part_record_t *part, int32_t order, bitstr_t *blocked,
                int32_t depth) {
    int place = partition_index(site, part);
    struct group *group = place < 0 ? NULL : &site->groups[site->group_of[place]];
    uint32_t id = job->job_id;
    bool alone = job->resv_name != NULL; /* a job with a reservation waits for that alone, and never for others */
    if (group == NULL || job->het_job_id != 0) return 0;
    for (;;) { /* an array's tasks one by one */
        double begun = slurm_clock();
        /* Somebody of more priority waits for nodes of this pool, in this partition or in one that overlaps it. */
        bool behind = group->has_head || bit_overlap_any(blocked, group->nodes), may, more;
        enum start_result result;
        if (behind && group->pool.candidate_count >= depth && !alone) {
            /* Neither head nor candidate: no time for it, others are behind. */
            if (!job_misses_deadline(job)) wait_for_priority(job);
            return 0;
        }
        may = may_start(job, part);
        site->slurm_seconds += slurm_clock() - begun;
        if (!may) return 0;
        more = is_array(job);
        if (!alone && too_wide(job, group)) { /* hundreds of them must not take all the time */
            say_why(job, WAIT_NODE_NOT_AVAIL);
            return 0;
        }
        if (behind && !alone) {
            wait_for_priority(job);
            if (site_refused_lately(site, id) || (group->head_licences && job->license_list != NULL))
                debug2("surefill: JobId=%u is no candidate: %s", id,
                       site_refused_lately(site, id) ? "Slurm refused it lately" : "the head job needs licences as well");
            else
                add_candidates(site, group, job, part, place, order, 0, depth);
            return 0;
        }
        result = start_job(job, part, NULL, SLURMDB_JOB_FLAG_SCHED, site);
        if (result != START_DONE) {
            if (result == START_BUSY && !alone) make_head(site, group, job, part, place, order, blocked, depth);
            return 0;
        }
        site->started++;
        if (!more) return 0;
        job = find_job_record(id);
        if (job == NULL || !IS_JOB_PENDING(job)) return 0; /* that was the last one */
        if (slurm_clock() > site->deadline) return is_array(job) ? (int)job->array_recs->task_cnt : 1;
    }
}

static void walk_queue(struct site *site, const struct settings *settings) {
    double begun = slurm_clock();
    list_t *queue = build_job_queue(false, false);
    bitstr_t *blocked = bit_alloc(node_record_count);
    job_queue_rec_t *entry;
    int32_t order = 0;
    sort_job_queue(queue);
    site->pending = list_count(queue);
    site->slurm_seconds += slurm_clock() - begun;
    site->deadline = slurm_clock() + settings->locked / 2; /* from here on: looking at all jobs leaves time to start some */
    while ((entry = list_pop(queue)) != NULL) {
        job_record_t *job = entry->job_ptr;
        int left = 0;
        bool array_started = job->array_task_id != entry->array_task_id && entry->array_task_id == NO_VAL;
        if (array_started) job = find_job_record(job->array_job_id); /* in another partition */
        if (job != NULL && IS_JOB_PENDING(job)) {
            job->priority = entry->priority;
            if (job->resv_list != NULL)
                job_queue_rec_resv_list(entry);
            else
                job_queue_rec_magnetic_resv(entry);
            if (!entry->use_prefer) left = take(site, job, entry->part_ptr, order++, blocked, settings->depth);
            job_resv_clear_magnetic_flag(job);
        }
        xfree(entry);
        if (site_time_is_up(site, "the queue", left + list_count(queue))) break;
    }
    FREE_NULL_LIST(queue);
    FREE_NULL_BITMAP(blocked);
}

/* --- What comes of it --- */

/* Pools with waiting jobs and nodes in common are one family, named after one of them. */
static void find_families(struct site *site) {
    for (int i = 0; i < site->group_count; i++) site->groups[i].family = i;
    for (int i = 0; i < site->group_count; i++)
        for (int k = 0; k < i; k++) {
            struct group *one = &site->groups[i], *other = &site->groups[k];
            int from = one->family, to = other->family;
            if ((!one->has_head && one->pool.candidate_count == 0) ||
                (!other->has_head && other->pool.candidate_count == 0) || !bit_overlap_any(one->nodes, other->nodes))
                continue;
            unjudged(one, "another partition with a waiting job has some of the nodes");
            unjudged(other, "another partition with a waiting job has some of the nodes");
            for (int g = 0; g <= i; g++)
                if (site->groups[g].family == from) site->groups[g].family = to;
        }
}

/* Jobs that would share nodes are judged as if they took whole ones, unless there are nodes to share. */
static void judge_sharing(struct group *group) {
    bool waiting = false;
    for (int32_t i = 0; i < group->pool.candidate_count; i++) waiting |= group->pool.candidates[i].shares_nodes;
    if (waiting && group->sharing) unjudged(group, "jobs that share nodes wait for nodes that are shared");
}

/* What counting nodes describes is left to be judged without the locks; the rest is decided here by Slurm's own
 * tests. */
static void finish_family(struct site *site, int family) {
    bool waiting = false;
    for (int i = 0; i < site->group_count; i++) {
        struct group *group = &site->groups[i];
        struct pool *pool = &group->pool;
        int32_t held = pool->idle;
        if (group->family != family || (!group->has_head && pool->candidate_count == 0)) continue;
        waiting = true;
        for (int32_t k = 0; k < pool->running_count; k++) held += pool->running[k].nodes;
        if (held > pool->nodes) unjudged(group, "jobs hold nodes together"); /* one still ends where another starts */
        judge_sharing(group);
        if (group->has_head && pool->head.nodes <= pool->idle)
            unjudged(group, "the head job would fit, but Slurm does not start it");
        if (group->unjudged[0] == '\0') return; /* alone in its family */
        debug("surefill: %s: %s: left to limits and Slurm's own test", group->name, group->unjudged);
    }
    if (waiting) site->started += site_start_by_limits(site, family);
}

bool site_gather(struct site *site, const struct settings *settings, struct books *books, struct beliefs *beliefs) {
    slurmctld_lock_t locks = CYCLE_LOCKS;
    struct look look = {.site = site, .books = books, .beliefs = beliefs};
    site_clear(site);
    site->slurm_seconds = site->locked_seconds = 0;
    lock_slurmctld(locks);
    site->locked_since = slurm_clock();
    look.now = (int64_t)time(NULL);
    site->running = site_fingerprint(UINT32_MAX);
    site->configured = slurm_conf.last_update;
    books_begin(books);
    list_for_each(job_list, see_job, &look);
    if (!look.foreign) {
        int partitions = list_count(part_list);
        books_finish(books, beliefs, look.now);
        site->groups = xcalloc((size_t)partitions + 1, sizeof *site->groups);
        site->partitions = xcalloc((size_t)partitions + 1, sizeof *site->partitions);
        site->group_of = xcalloc((size_t)partitions + 1, sizeof *site->group_of);
        list_for_each(part_list, add_partition, site);
        if (slurm_conf.complete_wait == 0 || !job_is_completing(NULL)) walk_queue(site, settings);
        if (resv_list != NULL) list_for_each(resv_list, overlaps_reservation, site);
        for (int i = 0; i < site->group_count; i++) {
            site->groups[i].pool.now = look.now;
            if (site->groups[i].has_head) count_nodes(&site->groups[i]);
        }
        list_for_each(job_list, add_running, &look);
        site->deadline = slurm_clock() + settings->locked / 2;
        site->telling = slurm_clock() - site->told >= TELL_EVERY;
        if (site->telling) site->told = slurm_clock();
        if (site->group_count > 0) site->turn = (site->turn + 1) % site->group_count;
        find_families(site);
        for (int i = 0; i < site->group_count; i++) finish_family(site, (site->turn + i) % site->group_count);
        site->fingerprint = site_fingerprint(site_least_priority(site));
        site->ending = bit_ffs(cg_node_bitmap) >= 0;
        site_plan_nodes(site);
    }
    site->locked_seconds += slurm_clock() - site->locked_since;
    unlock_slurmctld(locks);
    return !look.foreign;
}

void site_clear(struct site *site) {
    for (int i = 0; i < site->group_count; i++) {
        FREE_NULL_BITMAP(site->groups[i].nodes);
        xfree(site->groups[i].pool.running);
        xfree(site->groups[i].pool.candidates);
    }
    xfree(site->groups);
    xfree(site->partitions);
    xfree(site->group_of);
    FREE_NULL_BITMAP(site->planned);
    site->group_count = site->partition_count = site->started = 0;
    site->pending = 0;
    site->cut_short = site->forgetful = false;
}
