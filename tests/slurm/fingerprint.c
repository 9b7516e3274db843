/* The print of running jobs and idle nodes, by which a job is asked of Slurm once after each change, on jobs and
 * nodes made up here. Licence: GPL-2.0-or-later, because it is built from slurmctld's own headers. */
#include "cluster.h"

#include "../expect.h"

#include <stdio.h>
#include <stdlib.h>

#include "src/common/list.h"
#include "src/slurmctld/node_scheduler.h"

enum { NODES = 8 };

/* slurmctld's own, as far as facts.c uses them. */
list_t *job_list;
bitstr_t *idle_node_bitmap, *avail_node_bitmap;
extern int get_node_cnts(job_record_t *job, uint32_t flags, part_record_t *part, uint32_t *least, uint32_t *wanted,
                         uint32_t *most) {
    (void)job, (void)flags, (void)part, (void)least, (void)wanted, (void)most;
    abort(); /* no print asks that */
}

/* The value matters, and coming back to the former one comes back to the same print. */
#define MATTERS(place, value) \
    do { \
        const uint64_t before = running_print(); \
        const uint32_t was = (uint32_t)(place); \
        (place) = (value); \
        CHECK(running_print() != before); \
        (place) = was; \
        CHECK(running_print() == before); \
    } while (0)

int main(void) {
    job_record_t jobs[4] = {
        {.job_id = 1, .job_state = JOB_RUNNING, .node_cnt = 3, .time_limit = 60},
        {.job_id = 2, .job_state = JOB_PENDING, .priority = 100, .time_limit = 60},
        {.job_id = 3, .job_state = JOB_PENDING, .priority = 0, .time_limit = 60}, /* held */
        {.job_id = 4, .job_state = JOB_COMPLETE, .node_cnt = 2, .time_limit = 60},
    };
    uint64_t all;
    job_list = list_create(NULL);
    idle_node_bitmap = bit_alloc(NODES);
    avail_node_bitmap = bit_alloc(NODES);
    for (int i = 0; i < NODES; i++) bit_set(avail_node_bitmap, i);
    bit_set(idle_node_bitmap, 3);
    for (int i = 0; i < 4; i++) list_append(job_list, &jobs[i]);
    all = running_print();
    CHECK(running_print() == all);

    /* Running jobs: their nodes, limits and ends. */
    MATTERS(jobs[0].node_cnt, 2);
    MATTERS(jobs[0].time_limit, 61);
    MATTERS(jobs[0].job_state, JOB_SUSPENDED);
    MATTERS(jobs[0].job_state, JOB_COMPLETE | JOB_COMPLETING);
    MATTERS(jobs[0].job_state, JOB_COMPLETE);
    MATTERS(jobs[1].job_state, JOB_RUNNING);

    /* Waiting jobs and those that have ended do not count, nor does the order of the list. */
    jobs[1].priority = 7;
    jobs[1].time_limit = jobs[2].time_limit = jobs[3].time_limit = 5;
    jobs[2].job_state = JOB_CANCELLED;
    CHECK(running_print() == all);
    list_append(job_list, list_pop(job_list));
    CHECK(running_print() == all);

    /* The idle nodes, and the number of those in service. */
    bit_clear(idle_node_bitmap, 3);
    CHECK(running_print() != all);
    bit_set(idle_node_bitmap, 4);
    CHECK(running_print() != all);
    bit_clear(idle_node_bitmap, 4);
    bit_set(idle_node_bitmap, 3);
    CHECK(running_print() == all);
    bit_clear(avail_node_bitmap, 7);
    CHECK(running_print() != all);

    list_destroy(job_list);
    bit_free(idle_node_bitmap);
    bit_free(avail_node_bitmap);
    printf("fingerprint: %s\n", failures == 0 ? "every change that matters is seen, no other: passed" : "FAILED");
    return failures == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
