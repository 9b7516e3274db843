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
    bool foretold;      /* the library says when the head job and the candidates on shared nodes start */
    const char *name;   /* of the first pool, for the log */
    struct hold *holds; /* one a job at most: of head jobs, then of those whose starts are told */
    int hold_count, hold_room;
    struct turn *turns; /* the candidates, in order of priority */
    int32_t turn_count, turn_room;
    int started;
};

enum { TRIES = 4 }; /* ends of other reservations after which a head job's own is tried; then after all of them */

/* --- Reservations --- */

/* The nodes that nobody but these nodes' own head job may use who needs them from now until then, or (after) still
 * reserved at that time; NULL for none. */
static bitstr_t *held(const struct plan *plan, uint32_t job, time_t until, bool after) {
    bitstr_t *nodes = NULL;
    for (int i = 0; i < plan->hold_count; i++) {
        const struct hold *hold = &plan->holds[i];
        if (hold->job == job || (after ? hold->end <= until : hold->start >= until)) continue;
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

static void add_hold(struct plan *plan, const struct hold *hold) {
    if (plan->hold_count == plan->hold_room) {
        plan->hold_room = plan->hold_room > 0 ? 2 * plan->hold_room : 8;
        xrecalloc(plan->holds, (size_t)plan->hold_room, sizeof *plan->holds);
    }
    plan->holds[plan->hold_count++] = *hold;
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
        without = held(plan, job->job_id, from, true);
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
        add_hold(plan, &best);
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

/* Starts this candidate if no head job loses by it. If it does not find its nodes it waits, as users see, for this. */
static const char *consider(struct plan *plan, const struct turn *turn, enum job_state_reason wait,
                            enum start_result *result) {
    const struct facts *facts = &turn->candidate->facts;
    part_record_t *part = find_part_record(plan->site->partitions[turn->candidate->place]);
    job_record_t *job = find_job_record((uint32_t)facts->id);
    const char *refused = "wait (Slurm does not let it start now)";
    bitstr_t *without;
    bool in_time;
    *result = START_NOT_NOW;
    if (part == NULL || job == NULL || !may_start(job, part)) return refused;
    if (turn->group->has_head && !leaves_licences(job, turn->group->pool.head.id)) return "wait (licences that the head job needs)";
    without = held(plan, job->job_id, time(NULL) + (time_t)facts->limit, false);
    in_time = without == NULL;
    *result = start_job(job, part, without, SLURMDB_JOB_FLAG_BACKFILL, plan->site);
    FREE_NULL_BITMAP(without);
    if (*result == START_DONE) {
        plan->started++;
        turn->candidate->started = true;
        return in_time ? "start (by its limit it ends in time)" : "start (off the head job's nodes)";
    }
    if (*result == START_NOT_NOW || *result == START_ABSENT || *result == START_NEVER) return refused;
    say_why(job, wait); /* Slurm's reason would speak of nodes that only we kept from it */
    return in_time ? "wait (no nodes for it)" : "wait (no nodes for it but the head job's)";
}

static void tell(const struct turn *turn, const char *decision) {
    debug("surefill: decision: JobId=%u nodes=%d limit=%ld head=%u Slurm's own test: %s",
          (uint32_t)turn->candidate->facts.id, turn->candidate->facts.nodes, (long)turn->candidate->facts.limit,
          (uint32_t)turn->group->pool.head.id, decision);
}

/* --- The family --- */

/* The head job's reservation. False when it is no head here: it has started in another partition, has a reservation in
 * another pool, or will never start as far as Slurm can say, and then keeps nobody back. */
static bool settle_head(struct plan *plan, struct group *group) {
    job_record_t *job = find_job_record((uint32_t)group->pool.head.id);
    part_record_t *part = find_part_record(plan->site->partitions[group->head_place]);
    bool known = false, found;
    time_t told;
    if (job == NULL || part == NULL || !IS_JOB_PENDING(job)) return false;
    told = job->start_time;
    for (int i = 0; i < plan->hold_count; i++) known |= plan->holds[i].job == job->job_id;
    found = reserve(plan, group->name, group->pool.head.limit, job, part);
    if (plan->foretold) job->start_time = told;
    if (!found) {
        debug("surefill: %s: Slurm cannot say when JobId=%u will start: it keeps nobody back", group->name, job->job_id);
        return false;
    }
    return !known;
}

/* The job before the place where the latest walk through these candidates was cut short; 0 where it was not. */
static uint32_t cut_at(const struct site *site, const char *pool, bool head) {
    for (int i = 0; i < CUTS; i++)
        if (site->cuts[i].head == head && strcmp(site->cuts[i].pool, pool) == 0) return site->cuts[i].job;
    return 0;
}

static void cut_behind(struct site *site, const char *pool, bool head, uint32_t job) {
    struct cut *cut = NULL;
    for (int i = 0; i < CUTS; i++)
        if (site->cuts[i].head == head && strcmp(site->cuts[i].pool, pool) == 0) cut = &site->cuts[i];
    if (job == 0 && cut != NULL) *cut = (struct cut){.job = 0};
    if (job == 0) return;
    if (cut == NULL) {
        cut = &site->cuts[site->next_cut];
        site->next_cut = (site->next_cut + 1) % CUTS;
    }
    *cut = (struct cut){.head = head, .job = job};
    snprintf(cut->pool, NAME_LENGTH, "%s", pool);
}

/* Finds the pool's head job and makes its reservation: the one that the walk through the queue found, or the first
 * candidate that does not find its nodes. Whom it passes has been considered. Returns the index of the first candidate
 * behind the head; the number of candidates when there was no time to find it, as nobody overtakes one that is not
 * known: the next cycle goes on from there. */
static int32_t settle(struct plan *plan, struct group *group) {
    struct pool *pool = &group->pool;
    const uint32_t cut = cut_at(plan->site, group->name, true);
    int32_t at = 0, tried = 0;
    cut_behind(plan->site, group->name, true, 0);
    if (group->has_head && settle_head(plan, group)) return 0;
    group->has_head = false;
    for (int32_t i = 0; i < pool->candidate_count && cut != 0; i++)
        if ((uint32_t)pool->candidates[i].facts.id == cut) at = i + 1;
    for (; at < pool->candidate_count; at++) {
        const struct turn turn = {.group = group, .candidate = &pool->candidates[at]};
        enum start_result result;
        const char *decision;
        if (tried++ > 0 && site_time_is_up(plan->site, group->name, pool->candidate_count - at)) {
            /* Its head job may want any of these nodes: other pools that have some of them leave them alone. */
            const struct hold all = {.start = 0, .end = time(NULL) + 1, .nodes = bit_copy(group->nodes)};
            add_hold(plan, &all);
            cut_behind(plan->site, group->name, true, (uint32_t)pool->candidates[at - 1].facts.id);
            return pool->candidate_count;
        }
        decision = consider(plan, &turn, WAIT_RESOURCES, &result);
        if (result == START_BUSY || result == START_WITHHELD) {
            job_record_t *job = find_job_record((uint32_t)turn.candidate->facts.id);
            group->has_head = true;
            group->head_place = turn.candidate->place;
            pool->head = turn.candidate->facts;
            pool->head_several = turn.candidate->several;
            if (settle_head(plan, group)) {
                if (job != NULL) pool->head_priority = job->priority;
                return at + 1;
            }
            group->has_head = false;
        } else {
            tell(&turn, decision);
        }
    }
    return at;
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

/* The place behind all tasks of this job; 0 when there is none. */
static int32_t behind(const struct plan *plan, uint32_t job) {
    for (int32_t i = plan->turn_count; i > 0; i--)
        if ((uint32_t)plan->turns[i - 1].candidate->facts.id == job) return i;
    return 0;
}

/* All the candidates, as far as there is time: whoever had none comes first in the next cycle. */
static void try_candidates(struct plan *plan) {
    uint32_t last = cut_at(plan->site, plan->name, false);
    int32_t first = behind(plan, last), tried;
    for (tried = 0; tried < plan->turn_count; tried++) {
        const struct turn *turn = &plan->turns[(first + tried) % plan->turn_count];
        enum start_result result;
        if (tried > 0 && site_time_is_up(plan->site, plan->name, plan->turn_count - tried)) {
            cut_behind(plan->site, plan->name, false, last);
            return;
        }
        last = (uint32_t)turn->candidate->facts.id;
        tell(turn, consider(plan, turn, WAIT_PRIORITY, &result));
    }
    cut_behind(plan->site, plan->name, false, 0);
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
        time_t before;
        if (job == NULL || part == NULL || !IS_JOB_PENDING(job) || job->job_id == last) continue;
        last = job->job_id;
        told++;
        before = job->start_time;
        reserve(plan, plan->name, candidate->facts.limit, job, part); /* says so in the job */
        if (plan->foretold && candidate->shared) job->start_time = before;
    }
}

int site_start_by_limits(struct site *site, int family, bool leave_shared, bool foretold) {
    struct plan plan = {.site = site,
                        .family = family,
                        .leave_shared = leave_shared,
                        .foretold = foretold,
                        .name = site->groups[family].name};
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
