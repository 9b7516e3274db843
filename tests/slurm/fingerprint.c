/* The fingerprint that tells whether a decision still rests on what it was made from, on jobs and nodes made up here.
 * Licence: GPL-2.0-or-later, because it is built from slurmctld's own headers. */
#include "site.h"

#include "../expect.h"

#include <stdio.h>
#include <stdlib.h>

#include "src/common/list.h"
#include "src/slurmctld/node_scheduler.h"

enum { NODES = 8, LEAST = 100 };

/* slurmctld's own, as far as facts.c uses them. */
list_t *job_list;
bitstr_t *idle_node_bitmap, *avail_node_bitmap;
extern int get_node_cnts(job_record_t *job, uint32_t flags, part_record_t *part, uint32_t *least, uint32_t *wanted,
                         uint32_t *most) {
    (void)job, (void)flags, (void)part, (void)least, (void)wanted, (void)most;
    abort(); /* no fingerprint asks that */
}

/* The value matters, and coming back to what was comes back to the same fingerprint. */
#define MATTERS(place, value) \
    do { \
        const uint64_t before = site_fingerprint(LEAST); \
        const uint32_t was = (uint32_t)(place); \
        (place) = (value); \
        CHECK(site_fingerprint(LEAST) != before); \
        (place) = was; \
        CHECK(site_fingerprint(LEAST) == before); \
    } while (0)

int main(void) {
    job_details_t details[5] = {
        {.min_nodes = 3}, {.min_nodes = 4}, {.min_nodes = 1}, {.min_nodes = 1}, {.min_nodes = 2}};
    job_record_t jobs[5] = {
        {.job_id = 1, .job_state = JOB_RUNNING, .node_cnt = 3, .time_limit = 60},
        {.job_id = 2, .job_state = JOB_PENDING, .priority = LEAST, .time_limit = 60},      /* the head job */
        {.job_id = 3, .job_state = JOB_PENDING, .priority = LEAST - 1, .time_limit = 60},  /* a candidate */
        {.job_id = 4, .job_state = JOB_PENDING, .priority = 0, .time_limit = 60},          /* held */
        {.job_id = 5, .job_state = JOB_COMPLETE, .node_cnt = 2, .time_limit = 60},
    };
    uint64_t all;
    job_list = list_create(NULL);
    idle_node_bitmap = bit_alloc(NODES);
    avail_node_bitmap = bit_alloc(NODES);
    for (int i = 0; i < NODES; i++) bit_set(avail_node_bitmap, i);
    bit_set(idle_node_bitmap, 3);
    for (int i = 0; i < 5; i++) {
        jobs[i].details = &details[i];
        list_append(job_list, &jobs[i]);
    }
    all = site_fingerprint(LEAST);
    CHECK(site_fingerprint(LEAST) == all);

    /* Of running jobs their nodes, limits and ends; of the head job and those before it all that their turn depends
     * on. */
    MATTERS(jobs[0].node_cnt, 2);
    MATTERS(jobs[0].time_limit, 61);
    MATTERS(jobs[0].job_state, JOB_SUSPENDED);
    MATTERS(jobs[0].job_state, JOB_COMPLETE | JOB_COMPLETING);
    MATTERS(jobs[0].job_state, JOB_COMPLETE);
    MATTERS(jobs[1].priority, LEAST + 1);
    MATTERS(jobs[1].priority, LEAST - 1);
    MATTERS(jobs[1].priority, 0);
    MATTERS(jobs[1].time_limit, 61);
    MATTERS(jobs[1].job_state, JOB_CANCELLED);
    MATTERS(details[1].min_nodes, 5);
    MATTERS(jobs[2].priority, LEAST); /* raised past the head job */
    MATTERS(jobs[2].job_state, JOB_RUNNING); /* somebody else has started it */
    MATTERS(jobs[3].priority, LEAST); /* released */

    /* Candidates are looked at one by one when they start; held jobs and those that have ended do not count, nor does
     * the order of the list. */
    jobs[2].priority = LEAST - 50;
    jobs[2].time_limit = jobs[3].time_limit = jobs[4].time_limit = 5;
    details[2].min_nodes = 3;
    jobs[3].job_state = JOB_CANCELLED;
    CHECK(site_fingerprint(LEAST) == all);
    list_append(job_list, list_pop(job_list));
    CHECK(site_fingerprint(LEAST) == all);

    /* Which nodes are idle, and how many are in service. */
    bit_clear(idle_node_bitmap, 3);
    CHECK(site_fingerprint(LEAST) != all);
    bit_set(idle_node_bitmap, 4);
    CHECK(site_fingerprint(LEAST) != all);
    bit_clear(idle_node_bitmap, 4);
    bit_set(idle_node_bitmap, 3);
    CHECK(site_fingerprint(LEAST) == all);
    bit_clear(avail_node_bitmap, 7);
    CHECK(site_fingerprint(LEAST) != all);

    list_destroy(job_list);
    bit_free(idle_node_bitmap);
    bit_free(avail_node_bitmap);
    printf("fingerprint: %s\n", failures == 0 ? "every change that matters is seen, no other: passed" : "FAILED");
    return failures == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
