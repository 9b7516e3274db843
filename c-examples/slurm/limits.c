/* EASY backfilling by Slurm's own tests, for pools that counting nodes does not describe: when and where a head job
 * would start if every job ran to its limit, and which candidates end before that or stay off those nodes. Pools with
 * nodes in common are one family. Each of them has a head job and that its reservation, made in order of priority and
 * around those made before; a candidate respects them all.
 * Licence: GPL-2.0-or-later. */
#include "site.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A head job's reservation. */
struct hold {
    uint32_t job;
    time_t start, end;
    bitstr_t *nodes;
};

struct turn {
    struct group *group;
    struct candidate *candidate;
};

/* One family's business. */
struct plan {
    struct site *site;
    int family;
    bool leave_shared;  /* to the library */
    const char *name;   /* of the first pool, for the log */
    struct hold *holds; /* one a head job at most */
    int hold_count, hold_room;
    struct turn *turns; /* the candidates, in order of priority */
    int32_t turn_count, turn_room;
    int started;
};

enum { TRIES = 4 }; /* ends of other reservations after which a head job's own is tried; then after all of them */

/* --- Reservations --- */

/* The nodes that nobody may use who needs them from now until then, or (after) still reserved at that time; NULL for
 * none. */
static bitstr_t *held(const struct plan *plan, time_t until, bool after) {
    bitstr_t *nodes = NULL;
    for (int i = 0; i < plan->hold_count; i++) {
        const struct hold *hold = &plan->holds[i];
        if (after ? hold->end <= until : hold->start >= until) continue;
        if (nodes == NULL) nodes = bit_alloc(node_record_count);
        bit_or(nodes, hold->nodes);
    }
    return nodes;
}

/* When the last reservation ends. */
static time_t last_end(const struct plan *plan) {
    time_t last = 0;
    for (int i = 0; i < plan->hold_count; i++)
        if (plan->holds[i].end > last) last = plan->holds[i].end;
    return last;
}

/* The earliest start of this head job around the reservations made before. A job that waits in several partitions keeps
 * the earliest of its reservations. False when Slurm cannot say when it will start. */
static bool reserve(struct plan *plan, const char *name, int64_t limit, job_record_t *job, part_record_t *part) {
    struct site *site = plan->site;
    struct hold best = {.job = job->job_id}, *place = NULL;
    time_t now = time(NULL);
    double begun = clock_seconds();
    for (int i = 0; i < plan->hold_count; i++)
        if (plan->holds[i].job == job->job_id) place = &plan->holds[i];
    for (int i = -1; i < plan->hold_count && i <= TRIES; i++) {
        time_t from = i < 0 ? now : i < TRIES ? plan->holds[i].end : last_end(plan), start;
        bitstr_t *without, *nodes;
        if ((best.nodes != NULL && from >= best.start) || (i >= 0 && i < TRIES && place == &plan->holds[i])) continue;
        without = held(plan, from, true);
        start = site_reserve(job, part, without, &nodes);
        FREE_NULL_BITMAP(without);
        if (start == 0) continue;
        if (start < from) start = from;
        if (best.nodes != NULL && start >= best.start) {
            FREE_NULL_BITMAP(nodes);
            continue;
        }
        FREE_NULL_BITMAP(best.nodes);
        best.nodes = nodes;
        best.start = start;
    }
    site->slurm_seconds += clock_seconds() - begun;
    if (best.nodes == NULL) return place != NULL;
    best.end = best.start + (time_t)limit;
    debug("surefill: %s: by limits JobId=%u starts within %ld s", name, job->job_id, (long)(best.start - now));
    if (place == NULL) {
        if (plan->hold_count == plan->hold_room) {
            plan->hold_room = plan->hold_room > 0 ? 2 * plan->hold_room : 8;
            xrecalloc(plan->holds, (size_t)plan->hold_room, sizeof *plan->holds);
        }
        plan->holds[plan->hold_count++] = best;
    } else if (best.start < place->start) {
        FREE_NULL_BITMAP(place->nodes);
        *place = best;
    } else {
        FREE_NULL_BITMAP(best.nodes);
        job->start_time = place->start;
        return true;
    }
    job->start_time = best.start;
    return true;
}

/* --- Candidates --- */

/* Starts this candidate if no head job loses by it. */
static const char *consider(struct plan *plan, const struct turn *turn, enum start_result *result) {
    const struct facts *facts = &turn->candidate->facts;
    part_record_t *part = find_part_record(plan->site->partitions[turn->candidate->place]);
    job_record_t *job = find_job_record((uint32_t)facts->id);
    const char *refused = "wait (Slurm does not let it start now)";
    bitstr_t *without;
    bool in_time;
    *result = START_NOT_NOW;
    if (part == NULL || job == NULL || !may_start(job, part)) return refused;
    without = held(plan, time(NULL) + (time_t)facts->limit, false);
    in_time = without == NULL;
    *result = start_job(job, part, without, SLURMDB_JOB_FLAG_BACKFILL, plan->site);
    FREE_NULL_BITMAP(without);
    if (*result == START_DONE) {
        plan->started++;
        turn->candidate->started = true;
        return in_time ? "start (by its limit it ends in time)" : "start (off the head job's nodes)";
    }
    if (*result == START_NOT_NOW) return refused;
    say_why(job, WAIT_PRIORITY); /* Slurm's reason would speak of nodes that only we kept from it */
    return in_time ? "wait (no nodes for it)" : "wait (no nodes for it but the head job's)";
}

static void tell(const struct turn *turn, const char *decision) {
    debug("surefill: decision: JobId=%u nodes=%d limit=%ld head=%u Slurm's own test: %s",
          (uint32_t)turn->candidate->facts.id, turn->candidate->facts.nodes, (long)turn->candidate->facts.limit,
          (uint32_t)turn->group->pool.head.id, decision);
}

/* --- The family --- */

/* The pool's next waiting jobs, until one does not find its nodes: that is its head job now. Returns the index
 * behind. */
static int32_t find_head(struct plan *plan, struct group *group, int32_t from) {
    struct pool *pool = &group->pool;
    for (; from < pool->candidate_count; from++) {
        const struct turn turn = {.group = group, .candidate = &pool->candidates[from]};
        enum start_result result;
        const char *decision = consider(plan, &turn, &result);
        if (result == START_BUSY || result == START_WITHHELD) {
            job_record_t *job = find_job_record((uint32_t)turn.candidate->facts.id);
            group->has_head = true;
            group->head_place = turn.candidate->place;
            pool->head = turn.candidate->facts;
            if (job != NULL) {
                pool->head_priority = job->priority;
                say_why(job, WAIT_RESOURCES);
            }
            return from + 1;
        }
        tell(&turn, decision);
    }
    return from;
}

/* Finds the pool's head job, if it has none yet, and makes its reservation. A job that has been given one in another
 * pool is no head here. Returns the index of the first candidate behind it; all when none may overtake. */
static int32_t settle(struct plan *plan, struct group *group) {
    int32_t behind = 0;
    for (;;) {
        bool known = false;
        job_record_t *job;
        part_record_t *part;
        if (!group->has_head) behind = find_head(plan, group, behind);
        if (!group->has_head) return behind;
        job = find_job_record((uint32_t)group->pool.head.id);
        part = find_part_record(plan->site->partitions[group->head_place]);
        if (job == NULL || part == NULL || !IS_JOB_PENDING(job)) { /* has started in another partition */
            group->has_head = false;
            continue;
        }
        for (int i = 0; i < plan->hold_count; i++) known |= plan->holds[i].job == job->job_id;
        if (!reserve(plan, group->name, group->pool.head.limit, job, part)) {
            debug("surefill: %s: Slurm cannot say when JobId=%u will start: nobody overtakes it", group->name,
                  job->job_id);
            group->stuck = true;
            return group->pool.candidate_count;
        }
        if (!known) return behind;
        group->has_head = false;
    }
}

static int32_t order_of(const struct group *group) {
    if (group->has_head) return group->head_order;
    return group->pool.candidate_count > 0 ? group->pool.candidates[0].order : INT32_MAX;
}

static int by_order_of_groups(const void *one, const void *other) {
    const int32_t a = order_of(*(struct group *const *)one), b = order_of(*(struct group *const *)other);
    return (a > b) - (a < b);
}

static int by_order(const void *one, const void *other) {
    const struct candidate *a = ((const struct turn *)one)->candidate, *b = ((const struct turn *)other)->candidate;
    if (a->order != b->order) return a->order < b->order ? -1 : 1;
    return (a > b) - (a < b); /* tasks of one array */
}

static void add_turns(struct plan *plan, struct group *group, int32_t from) {
    for (; from < group->pool.candidate_count; from++) {
        if (plan->leave_shared && group->pool.candidates[from].shared) continue;
        if (plan->turn_count == plan->turn_room) {
            plan->turn_room = plan->turn_room > 0 ? 2 * plan->turn_room : 64;
            xrecalloc(plan->turns, (size_t)plan->turn_room, sizeof *plan->turns);
        }
        plan->turns[plan->turn_count++] = (struct turn){.group = group, .candidate = &group->pool.candidates[from]};
    }
}

/* The last candidate of a family that there was time for, 0 when there was time for all. */
static uint32_t *last_tried(struct site *site, const char *pool) {
    struct cut *cut;
    for (int i = 0; i < CUTS; i++)
        if (strcmp(site->cuts[i].pool, pool) == 0) return &site->cuts[i].job;
    cut = &site->cuts[site->next_cut];
    site->next_cut = (site->next_cut + 1) % CUTS;
    *cut = (struct cut){.job = 0};
    snprintf(cut->pool, NAME_LENGTH, "%s", pool);
    return &cut->job;
}

/* The place behind all tasks of this job; 0 when there is none. */
static int32_t behind(const struct plan *plan, uint32_t job) {
    for (int32_t i = plan->turn_count; i > 0; i--)
        if ((uint32_t)plan->turns[i - 1].candidate->facts.id == job) return i;
    return 0;
}

/* All the candidates, as far as there is time: whoever had none comes first in the next cycle. */
static void try_candidates(struct plan *plan) {
    uint32_t *last = last_tried(plan->site, plan->name);
    int32_t first = behind(plan, *last), tried;
    for (tried = 0; tried < plan->turn_count; tried++) {
        const struct turn *turn = &plan->turns[(first + tried) % plan->turn_count];
        enum start_result result;
        if (tried > 0 && site_time_is_up(plan->site, plan->name, plan->turn_count - tried)) return;
        *last = (uint32_t)turn->candidate->facts.id;
        tell(turn, consider(plan, turn, &result));
    }
    *last = 0;
}

/* --- What users see --- */

enum { TOLD = 20 };

/* When the first waiting jobs would start, each around the reservations of those before it: for squeue --start, as
 * sched/backfill tells it. For half of the time that is left. */
static void tell_starts(struct plan *plan) {
    double now = clock_seconds(), until = now + (plan->site->deadline - now) / 2;
    uint32_t last = 0;
    for (int32_t i = 0, told = 0; i < plan->turn_count && told < TOLD && clock_seconds() < until; i++) {
        const struct candidate *candidate = plan->turns[i].candidate;
        job_record_t *job = find_job_record((uint32_t)candidate->facts.id);
        part_record_t *part = find_part_record(plan->site->partitions[candidate->place]);
        if (job == NULL || part == NULL || !IS_JOB_PENDING(job) || job->job_id == last) continue;
        last = job->job_id;
        told++;
        reserve(plan, plan->name, candidate->facts.limit, job, part); /* says so in the job */
    }
}

int site_start_by_limits(struct site *site, int family, bool leave_shared) {
    struct plan plan = {.site = site, .family = family, .leave_shared = leave_shared, .name = site->groups[family].name};
    struct group **groups = xcalloc((size_t)site->group_count, sizeof *groups);
    int count = 0, candidates = 0;
    for (int i = 0; i < site->group_count; i++)
        if (site->groups[i].family == family && order_of(&site->groups[i]) != INT32_MAX) {
            groups[count++] = &site->groups[i];
            candidates += site->groups[i].pool.candidate_count;
        }
    if (candidates > 0 && !site_time_is_up(site, plan.name, candidates)) {
        qsort(groups, (size_t)count, sizeof *groups, by_order_of_groups);
        for (int i = 0; i < count; i++) add_turns(&plan, groups[i], settle(&plan, groups[i]));
        if (plan.turn_count > 0) qsort(plan.turns, (size_t)plan.turn_count, sizeof *plan.turns, by_order);
        try_candidates(&plan);
        for (int i = 0; i < plan.hold_count; i++) {
            if (site->planned == NULL) site->planned = bit_alloc(node_record_count);
            bit_or(site->planned, plan.holds[i].nodes);
        }
        if (site->telling) tell_starts(&plan);
    }
    for (int i = 0; i < plan.hold_count; i++) FREE_NULL_BITMAP(plan.holds[i].nodes);
    xfree(plan.holds);
    xfree(plan.turns);
    xfree(groups);
    return plan.started;
}
