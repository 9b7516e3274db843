/* EASY backfilling by Slurm's own tests, for pools that counting nodes does not describe: when and where the head job
 * would start if every job ran to its limit, and which candidates end before that or stay off those nodes.
 * Licence: GPL-2.0-or-later. */
#include "site.h"

#include <stdio.h>
#include <string.h>

#include "src/common/assoc_mgr.h"
#include "src/common/select.h"
#include "src/common/xmalloc.h"
#include "src/slurmctld/job_scheduler.h"
#include "src/slurmctld/node_scheduler.h"
#include "src/slurmctld/reservation.h"

/* When the head job is to start, and on which nodes (to be freed). 0 when Slurm does not know. */
static time_t reserve(job_record_t *head, part_record_t *part, bitstr_t **nodes) {
    bitstr_t *exclude_cores = NULL;
    time_t when = time(NULL), start = 0, estimate = head->start_time;
    uint32_t least, wanted, most;
    bool overlap = false;
    *nodes = NULL;
    head->part_ptr = part;
    if (get_node_cnts(head, 0, part, &least, &wanted, &most) == SLURM_SUCCESS &&
        job_test_resv(head, &when, true, nodes, &exclude_cores, &overlap, false) == SLURM_SUCCESS && *nodes != NULL) {
        bit_and(*nodes, part->node_bitmap);
        bit_and(*nodes, avail_node_bitmap);
        if (head->details->exc_node_bitmap != NULL) bit_and_not(*nodes, head->details->exc_node_bitmap);
        if (select_g_job_test(head, *nodes, least, most, wanted, SELECT_MODE_WILL_RUN, NULL, NULL, exclude_cores) ==
            SLURM_SUCCESS)
            start = head->start_time > when ? head->start_time : when;
        else
            head->start_time = estimate;
    }
    FREE_NULL_BITMAP(exclude_cores);
    if (start == 0) FREE_NULL_BITMAP(*nodes);
    return start;
}

/* The nodes of other groups with a waiting head job: nobody from here may take those. */
static bitstr_t *others(const struct site *site, const struct group *group) {
    bitstr_t *nodes = bit_alloc(node_record_count);
    for (int i = 0; i < site->group_count; i++)
        if (&site->groups[i] != group && site->groups[i].has_head) bit_or(nodes, site->groups[i].nodes);
    return nodes;
}

/* One candidate: starts it if the head job, due at start, loses nothing. Returns what is to be said of that. */
static const char *consider(struct site *site, const struct candidate *candidate, time_t start, const bitstr_t *reserved,
                            const bitstr_t *forbidden, bool *started) {
    part_record_t *part = find_part_record(site->partitions[candidate->place]);
    job_record_t *job = find_job_record((uint32_t)candidate->facts.id);
    const char *refused = "wait (Slurm does not let it start now)";
    enum start_result result;
    bool in_time = (int64_t)time(NULL) + candidate->facts.limit <= (int64_t)start;
    *started = false;
    if (part == NULL || job == NULL || !may_start(job, part)) return refused;
    result = start_job(job, part, in_time ? forbidden : reserved, SLURMDB_JOB_FLAG_BACKFILL, site);
    *started = result == START_DONE;
    if (*started) return in_time ? "start (by its limit it ends in time)" : "start (off the head job's nodes)";
    if (result == START_NOT_NOW) return refused;
    job->state_reason = WAIT_PRIORITY; /* Slurm's reason would speak of nodes that only we kept from it */
    xfree(job->state_desc);
    last_job_update = time(NULL);
    if (!in_time) return "wait (no nodes for it but the head job's)";
    return result == START_WITHHELD ? "wait (no nodes for it but another pool's)" : "wait (no nodes for it)";
}

/* The last candidate of a pool that there was time for, 0 when there was time for all. */
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
static int32_t behind(const struct pool *pool, uint32_t job) {
    for (int32_t i = pool->candidate_count; i > 0; i--)
        if ((uint32_t)pool->candidates[i - 1].facts.id == job) return i;
    return 0;
}

int site_start_by_limits(struct site *site, struct group *group) {
    job_record_t *head = find_job_record((uint32_t)group->pool.head.id);
    bitstr_t *reserved = NULL, *forbidden;
    double begun = slurm_clock();
    time_t start = 0;
    uint32_t id = (uint32_t)group->pool.head.id, *last;
    int32_t count = group->pool.candidate_count, first, tried;
    int started = 0;
    if (head == NULL || head->part_ptr == NULL || count == 0 || site_time_is_up(site, group->name, count)) return 0;
    start = reserve(head, head->part_ptr, &reserved);
    site->slurm_seconds += slurm_clock() - begun;
    if (start == 0) {
        debug("surefill: %s: Slurm cannot say when JobId=%u will start: nobody overtakes it", group->name, id);
        return 0;
    }
    forbidden = others(site, group);
    bit_or(reserved, forbidden);
    debug("surefill: %s: by limits JobId=%u starts within %ld s", group->name, id, (long)(start - time(NULL)));
    last = last_tried(site, group->name); /* whoever comes behind those has his turn as well */
    first = behind(&group->pool, *last);
    for (tried = 0; tried < count; tried++) {
        const struct candidate *candidate = &group->pool.candidates[(first + tried) % count];
        const char *decision;
        bool done;
        if (tried > 0 && site_time_is_up(site, group->name, count - tried)) break;
        *last = (uint32_t)candidate->facts.id;
        decision = consider(site, candidate, start, reserved, forbidden, &done);
        started += done;
        debug("surefill: decision: JobId=%u nodes=%d limit=%ld head=%u Slurm's own test: %s", (uint32_t)candidate->facts.id,
              candidate->facts.nodes, (long)candidate->facts.limit, id, decision);
    }
    if (tried == count) *last = 0;
    FREE_NULL_BITMAP(reserved);
    FREE_NULL_BITMAP(forbidden);
    return started;
}
