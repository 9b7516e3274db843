/* Looking at slurmctld under its locks. Licence: GPL-2.0-or-later. */
#include "shared.h"
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
        made->pool.key = beliefs_name(part->name);
        made->nodes = bit_copy(part->node_bitmap);
        count_service(made);
    }
    snprintf(site->partitions[at], NAME_LENGTH, "%s", part->name);
    site->group_of[at] = group;
    site->partition_count++;
    return 0;
}

void site_unjudged(struct group *group, const char *why) {
    if (group->unjudged[0] == '\0') snprintf(group->unjudged, WHY_LENGTH, "%s", why);
}

void site_short_of_memory(struct group *group, const char *what) {
    group->short_of_memory = true;
    site_unjudged(group, what);
}

static int overlaps_reservation(void *entry, void *argument) {
    const slurmctld_resv_t *reservation = entry;
    struct site *site = argument;
    for (int i = 0; i < site->group_count; i++)
        if (reservation->node_bitmap != NULL && reservation->end_time > time(NULL) &&
            bit_overlap_any(reservation->node_bitmap, site->groups[i].nodes))
            site_unjudged(&site->groups[i], "a reservation holds some of the nodes");
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
        struct running running = {.age = job_age(job, look->now), .ending = ending};
        bitstr_t *mine;
        if (!group->has_head || !bit_overlap_any((bitstr_t *)holds, group->nodes)) continue;
        mine = bit_copy(group->nodes);
        bit_and(mine, (bitstr_t *)holds);
        bit_and(mine, avail_node_bitmap); /* nodes being drained do not come back */
        running.nodes = bit_set_count(mine);
        for (int node = bit_ffs(mine), last = bit_fls(mine); node >= 0 && node <= last; node++)
            if (bit_test(mine, node) && node_record_table_ptr[node]->run_job_cnt > 1)
                site_unjudged(group, "running jobs share nodes");
        bit_free(mine);
        if (IS_JOB_SUSPENDED(job)) site_unjudged(group, "a job is suspended");
        group->sharing |= !ending && leaves_cores(job);
        if (running.nodes == 0) continue;
        job_facts(job, job->part_ptr, (int32_t)job->node_cnt, &running.facts);
        if (!pool_add_running(&group->pool, &running)) site_short_of_memory(group, "no memory for the running jobs");
    }
    return 0;
}

/* Counts the nodes of a group with a head job, and says whether that decides. */
static void count_nodes(struct group *group) {
    bitstr_t *mine = bit_copy(group->nodes);
    const node_record_t *first = NULL;
    bit_and(mine, avail_node_bitmap);
    group->pool.nodes = bit_set_count(mine);
    if (group->pool.head.nodes > group->pool.nodes) site_unjudged(group, "some of the nodes the head job needs do not answer");
    for (int i = bit_ffs(mine), last = bit_fls(mine); i >= 0 && i <= last; i++) {
        const node_record_t *node = node_record_table_ptr[i];
        if (!bit_test(mine, i)) continue;
        if (first == NULL) first = node;
        if (node->cpus_efctv != first->cpus_efctv || node->real_memory != first->real_memory ||
            node->tmp_disk != first->tmp_disk || node->tot_cores != first->tot_cores)
            site_unjudged(group, "the nodes differ");
    }
    bit_and(mine, idle_node_bitmap);
    group->pool.idle = bit_set_count(mine);
    bit_free(mine);
    if (slurm_preemption_enabled()) site_unjudged(group, "jobs may be preempted");
}

/* --- The result --- */

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
            site_unjudged(one, "another partition with a waiting job has some of the nodes");
            site_unjudged(other, "another partition with a waiting job has some of the nodes");
            for (int g = 0; g <= i; g++)
                if (site->groups[g].family == from) site->groups[g].family = to;
        }
}

/* Jobs that would share nodes are judged as if they took whole ones, unless there are nodes to share. */
static void judge_sharing(struct group *group) {
    bool waiting = false;
    for (int32_t i = 0; i < group->pool.candidate_count; i++) waiting |= group->pool.candidates[i].shares_nodes;
    if (waiting && group->sharing) site_unjudged(group, "jobs that share nodes wait for nodes that are shared");
}

/* Whom Slurm refused lately is no candidate where nodes are counted. */
static void drop_refused(struct group *group) {
    struct pool *pool = &group->pool;
    int32_t kept = 0;
    for (int32_t i = 0; i < pool->candidate_count && group->refused > 0; i++) {
        if (pool->candidates[i].refused)
            debug2("surefill: JobId=%u is no candidate: Slurm refused it lately", (uint32_t)pool->candidates[i].facts.id);
        else
            pool->candidates[kept++] = pool->candidates[i];
    }
    if (group->refused > 0) pool->candidate_count = kept;
    group->refused = 0;
}

/* A pool that counting does not describe: what the library's machine of shared nodes can say is left to be judged on it
 * without the locks. What EASY would start by Slurm's own test is started first where the rule starts that whatever it
 * delays, and in any case what the machine cannot say. */
static void finish_alone(struct site *site, const struct settings *settings, struct group *group) {
    struct model model = {.group = NULL};
    const char *why = NULL;
    bool by_rule = settings->mode == MODE_ON && settings->preset.or_easy == 0;
    if (!group->has_head || settings->mode == MODE_LIMITS || group->short_of_memory)
        why = "";
    else
        why = model_waiting(site, group, &model);
    if (why != NULL) {
        debug("surefill: %s: %s: left to limits and Slurm's own test%s%s%s", group->name, group->unjudged,
              why[0] == '\0' ? "" : " (", why, why[0] == '\0' ? "" : ")");
        for (int32_t i = 0; i < group->pool.candidate_count; i++) group->pool.candidates[i].shared = false;
    } else {
        debug("surefill: %s: %s: judged on shared nodes", group->name, group->unjudged);
    }
    site->started += site_start_by_limits(site, group->family, why == NULL && by_rule, why == NULL && !site->untold);
    if (why == NULL) {
        why = model_running(group, &model);
        group->modelled = why == NULL;
        if (why != NULL) { /* by limits the next time */
            debug("surefill: %s: %s: nothing is judged on shared nodes", group->name, why);
            refusals_add(&site->refusals, model.head, site->running, (int64_t)time(NULL));
        }
    }
    model_free(&model);
}

/* Whether the head job still waits: one of several partitions may have started in another of them. */
static bool head_waits(const struct group *group) {
    const job_record_t *job = find_job_record((uint32_t)group->pool.head.id);
    return job != NULL && IS_JOB_PENDING(job);
}

/* What counting nodes describes is left to be judged without the locks; the rest is decided here by Slurm's own
 * tests, or modelled. */
static void finish_family(struct site *site, const struct settings *settings, int family) {
    struct group *alone = NULL;
    int waiting = 0;
    for (int i = 0; i < site->group_count; i++) {
        struct group *group = &site->groups[i];
        struct pool *pool = &group->pool;
        int32_t held = pool->idle;
        if (group->family != family || (!group->has_head && pool->candidate_count == 0)) continue;
        if (group->awaits) { /* alone in its family: whoever may want some of its nodes is left out */
            debug("surefill: %s: %s: nobody overtakes JobId=%u", group->name, group->unjudged, (uint32_t)pool->head.id);
            return;
        }
        waiting++;
        alone = group;
        for (int32_t k = 0; k < pool->running_count; k++) held += pool->running[k].nodes;
        if (held > pool->nodes) site_unjudged(group, "jobs hold nodes together"); /* one still ends where another starts */
        judge_sharing(group);
        if (group->has_head && !head_waits(group)) site_unjudged(group, "the head job has started in another partition");
        if (group->has_head && pool->head.nodes <= pool->idle)
            site_unjudged(group, "the head job would fit, but Slurm does not start it");
        if (group->unjudged[0] == '\0') { /* alone in its family */
            drop_refused(group);
            return;
        }
    }
    if (waiting == 1) {
        finish_alone(site, settings, alone);
    } else if (waiting > 1) {
        for (int i = 0; i < site->group_count; i++)
            if (site->groups[i].family == family && site->groups[i].unjudged[0] != '\0')
                debug("surefill: %s: %s: left to limits and Slurm's own test", site->groups[i].name, site->groups[i].unjudged);
        site->started += site_start_by_limits(site, family, false, false);
    }
}

bool site_gather(struct site *site, const struct settings *settings, struct books *books, struct beliefs *beliefs) {
    slurmctld_lock_t locks = CYCLE_LOCKS;
    struct look look = {.site = site, .books = books, .beliefs = beliefs};
    uint64_t reasons;
    time_t updated;
    site_clear(site);
    site->slurm_seconds = site->locked_seconds = site->longest_locked = 0;
    lock_slurmctld(locks);
    site_locked(site);
    look.now = (int64_t)time(NULL);
    reasons = site_reasons();
    updated = last_job_update;
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
        site_await(site, books);
        for (int i = 0; i < site->group_count; i++)
            site->groups[i].awaits = site->awaited != NULL && bit_overlap_any(site->awaited, site->groups[i].nodes);
        if (slurm_conf.complete_wait == 0 || !job_is_completing(NULL)) site_walk_queue(site, settings, books, beliefs);
        if (resv_list != NULL) list_for_each(resv_list, overlaps_reservation, site);
        for (int i = 0; i < site->group_count; i++) {
            site->groups[i].pool.now = look.now;
            if (site->groups[i].has_head) count_nodes(&site->groups[i]);
        }
        list_for_each(job_list, add_running, &look);
        site_set_deadline(site, settings, 1);
        site->telling = clock_seconds() - site->told >= TELL_EVERY;
        if (site->telling) site->told = clock_seconds();
        if (site->group_count > 0) site->turn = (site->turn + 1) % site->group_count;
        find_families(site);
        for (int i = 0; i < site->group_count; i++) finish_family(site, settings, (site->turn + i) % site->group_count);
        site->fingerprint = site_fingerprint(site_least_priority(site));
        site->ending = bit_ffs(cg_node_bitmap) >= 0;
        site_plan_nodes(site);
        site_note(site, books);
        /* Reasons change and change back while jobs are tried. Where users see no change in the end there was none:
         * else the plugin would take its own work for an event, and wake every second. */
        if (site->started == 0 && site_reasons() == reasons) last_job_update = updated;
    }
    site_unlocked(site);
    unlock_slurmctld(locks);
    return !look.foreign;
}

void site_clear(struct site *site) {
    for (int i = 0; i < site->group_count; i++) {
        FREE_NULL_BITMAP(site->groups[i].nodes);
        pool_free(&site->groups[i].pool);
        share_free(&site->groups[i].share);
    }
    xfree(site->groups);
    xfree(site->partitions);
    xfree(site->group_of);
    FREE_NULL_BITMAP(site->planned);
    site->group_count = site->partition_count = site->started = 0;
    site->pending = 0;
    site->cut_short = site->forgetful = false;
}
