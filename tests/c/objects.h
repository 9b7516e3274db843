/* Small objects that are checkpoints when sealed, each with something of everything in it, for the tests that damage
 * them and those that keep them. Each is made in `good`; its size comes back. */
#ifndef OBJECTS_H
#define OBJECTS_H

#include "check.h"

#include <stddef.h>
#include <stdint.h>

enum { NOW = 100000, BINS = 4, ROOM = 400000 };

static int64_t good[ROOM / 8], block[ROOM / 8];
static int64_t bins_memory[SUREFILL_BINS_SIZE / 8], runs_memory[SUREFILL_DISTRIBUTION_SIZE / 8];
static surefill_bins *bins;
static surefill_distribution *runs;
static int64_t keys[SUREFILL_MAX_KEYS] = {501, 3600, 16, 1, 2, 3, 4, 5};
static int32_t kind, key_count;

static int64_t make_predictor(void) {
    surefill_predictor_options options;
    surefill_predictor *predictor;
    surefill_round round = {.struct_size = sizeof round};
    int64_t size;
    int32_t step;
    CHECK_OK(surefill_predictor_options_init(kind, &options));
    key_count = kind == SUREFILL_PREDICTOR_HMM || kind == SUREFILL_PREDICTOR_HMM_ONLINE ? 0 : options.keys;
    options.jobs = 4;
    options.bins = BINS;
    options.histories = 24;
    options.states = 2;
    options.slots = 40;
    options.cells = 40;
    options.window = 8;
    options.slot_seconds = 100;
    options.initial_seconds = 1000;
    options.termination = SUREFILL_TERMINATION_ROUNDS;
    options.threshold = 3;
    CHECK_OK(surefill_predictor_size(&options, &size));
    CHECK(size <= ROOM);
    CHECK_OK(surefill_predictor_init(good, sizeof good, &options, bins, &predictor));
    for (int64_t job = 0; job < 30; job++) {
        const int64_t then = NOW - 3000 + 90 * job;
        CHECK_OK(surefill_predictor_submit(predictor, job, keys, key_count, then));
        CHECK_OK(surefill_predictor_start(predictor, job, then + 5));
        CHECK_OK(surefill_predictor_end(predictor, job, then + 20 + job % 3 * 20));
        CHECK_OK(surefill_predictor_train(predictor, 1000, &step, &round));
    }
    double p[BINS];
    int32_t answer;
    CHECK_OK(surefill_predictor_probabilities(predictor, keys, key_count, NOW - 200, p, BINS, &answer));
    CHECK(answer == SUREFILL_PREDICTION_MADE);
    CHECK_OK(surefill_predictor_submit(predictor, 100, keys, key_count, NOW - 100));
    CHECK_OK(surefill_predictor_start(predictor, 100, NOW - 50));
    CHECK_OK(surefill_predictor_submit(predictor, 101, keys, key_count, NOW));
    return size;
}

static int64_t make_wait(void) {
    surefill_wait_capacity capacity;
    surefill_wait_options options;
    surefill_wait *wait;
    int64_t size, bound, waited;
    int32_t answer;
    CHECK_OK(surefill_wait_capacity_init(&capacity));
    CHECK_OK(surefill_wait_options_init(&options));
    capacity.history = 100;
    capacity.queued = 4;
    capacity.releases = 64;
    capacity.clusters = 2;
    capacity.neighbours = 16;
    CHECK_OK(surefill_wait_size(&capacity, &size));
    CHECK(size <= ROOM);
    CHECK_OK(surefill_wait_init(good, sizeof good, &capacity, &options, &wait));
    for (int64_t job = 0; job < 90; job++) {
        CHECK_OK(surefill_wait_submit(wait, job, NOW - 9000 + 100 * job, 3600, 1 + job % 8, &answer, &bound));
        CHECK_OK(surefill_wait_start(wait, job, NOW - 9000 + 100 * job + job % 7 * 10, &waited));
    }
    CHECK_OK(surefill_wait_submit(wait, 100, NOW, 3600, 4, &answer, &bound));
    return size;
}

static surefill_scheduler_capacity scheduler_capacity;

static surefill_job a_job(int64_t id, int32_t state) {
    surefill_job job = {.struct_size = sizeof job, .state = state, .id = id, .user = 7, .submit = NOW - 900};
    job.start = state == SUREFILL_JOB_RUNNING ? NOW - 100 : 0;
    job.limit = 3600;
    job.count = 4;
    job.tasks = id == 3 ? 2 : 0;
    job.queue_count = 1;
    return job;
}

static int32_t tell(surefill_scheduler *scheduler, int64_t now, int64_t id, int32_t state) {
    const surefill_job job = a_job(id, state);
    return surefill_scheduler_set_job(scheduler, now, &job);
}

/* A job runs on 4 of 8 units, one waits, and two tasks of an array; some have ended. */
static int64_t make_scheduler(void) {
    surefill_scheduler *scheduler;
    int64_t size;
    int32_t pool, queue;
    CHECK_OK(surefill_scheduler_capacity_init(&scheduler_capacity, 4));
    scheduler_capacity.ended = 2;
    scheduler_capacity.pools = scheduler_capacity.queues = 1;
    scheduler_capacity.histories = 8;
    scheduler_capacity.waits = 4;
    scheduler_capacity.bins = 4;
    scheduler_capacity.arrivals = 4;
    CHECK_OK(surefill_scheduler_size(&scheduler_capacity, &size));
    CHECK(size <= ROOM);
    CHECK_OK(surefill_scheduler_init(good, sizeof good, &scheduler_capacity, &scheduler));
    CHECK_OK(surefill_scheduler_configure(scheduler, "preset=fast proposals=4", 23, NULL, NULL, 0));
    CHECK_OK(surefill_scheduler_set_pool(scheduler, "nodes", 5, 8, -1, &pool));
    CHECK_OK(surefill_scheduler_set_queue(scheduler, "batch", 5, pool, &queue));
    for (int64_t id = 11; id < 15; id++) {
        CHECK_OK(tell(scheduler, NOW - 800, id, SUREFILL_JOB_RUNNING));
        CHECK_OK(tell(scheduler, NOW - 20 * id, id, SUREFILL_JOB_ENDED));
    }
    CHECK_OK(tell(scheduler, NOW - 100, 1, SUREFILL_JOB_RUNNING));
    CHECK_OK(tell(scheduler, NOW - 50, 2, SUREFILL_JOB_WAITING));
    CHECK_OK(tell(scheduler, NOW - 50, 3, SUREFILL_JOB_WAITING));
    return size;
}

/* Objects that the others need. */
static void make_bins(void) {
    const double counts[BINS] = {1, 2, 3, 1};
    CHECK_OK(surefill_bins_init(bins_memory, sizeof bins_memory, 10, 10, BINS, &bins));
    CHECK_OK(surefill_distribution_init_counts(runs_memory, sizeof runs_memory, bins, counts, BINS, &runs));
}

#endif
