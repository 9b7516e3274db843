/* A forecast of starts that is damaged, or of a damaged scheduler, is refused or gives some answer: it never crashes or
 * hangs, and what it answers with SUREFILL_OK is a number in its range. Of both blocks every byte of the scalars and of
 * what is not zero is damaged in turn, of the rest fewer; `damage_starts N` does every N-th of these. */
#include "check.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NOW = 1000000, DAY = 86400, SCENARIOS = 3, SCHEDULER_WORDS = 35000, STARTS_WORDS = 80000, SCALARS = 40 };

static int64_t good[SCHEDULER_WORDS], block[SCHEDULER_WORDS];
static int64_t good_starts[STARTS_WORDS], starts_block[STARTS_WORDS];
static surefill_scheduler_capacity capacity;

/* Whether a status is one, and what came with SUREFILL_OK a number. */
static int valid(int32_t status, double answer) {
    return status <= SUREFILL_OK && status >= SUREFILL_ERROR_DOES_NOT_FIT && (status != SUREFILL_OK || !isnan(answer));
}

static void tell(int64_t now, int64_t id, int32_t state, int32_t tasks) {
    surefill_job job = {.struct_size = sizeof job, .state = state, .id = id, .user = id % 3};
    job.limit = 3600;
    job.count = id % 2 == 0 ? 8 : 4;
    job.tasks = tasks;
    job.queue_count = 1;
    CHECK_OK(surefill_scheduler_set_job((surefill_scheduler *)good, now, &job));
}

/* A job runs on 4 of 8 units; two wait, and two tasks of an array. Submissions of the two days before are remembered:
 * jobs that ran, one that was withdrawn, one that runs. */
static void make_scheduler(const char *words) {
    surefill_scheduler *scheduler;
    int32_t pool, queue;
    CHECK_OK(surefill_scheduler_capacity_init(&capacity, 6));
    capacity.ended = 2;
    capacity.pools = capacity.queues = 1;
    capacity.histories = 4;
    capacity.waits = 4;
    capacity.bins = 4;
    capacity.arrivals = 12;
    CHECK_OK(surefill_scheduler_init(good, sizeof good, &capacity, &scheduler));
    CHECK_OK(surefill_scheduler_configure(scheduler, words, (int64_t)strlen(words), NULL, NULL, 0));
    CHECK_OK(surefill_scheduler_set_pool(scheduler, "nodes", 5, 8, -1, &pool));
    CHECK_OK(surefill_scheduler_set_queue(scheduler, "batch", 5, pool, &queue));
    for (int64_t id = 11; id < 17; id++) {
        const int64_t then = NOW - 2 * DAY - 5000 + 25000 * (id - 11);
        tell(then, id, SUREFILL_JOB_WAITING, id == 12 ? 3 : 0);
        tell(then + 100, id, id == 14 ? SUREFILL_JOB_GONE : SUREFILL_JOB_RUNNING, 0);
        if (id != 14) tell(then + 400 * (id - 10), id, SUREFILL_JOB_ENDED, 0);
    }
    tell(NOW - 200, 1, SUREFILL_JOB_WAITING, 0);
    tell(NOW - 100, 1, SUREFILL_JOB_RUNNING, 0);
    tell(NOW - 50, 2, SUREFILL_JOB_WAITING, 0);
    tell(NOW - 50, 3, SUREFILL_JOB_WAITING, 2);
    tell(NOW - 40, 4, SUREFILL_JOB_WAITING, 0);
}

/* Plays a forecast in some slices, because with damage a scenario can become long, and asks for all that it knows. */
static int use(surefill_starts *starts, surefill_scheduler *scheduler) {
    const int64_t whens[] = {INT64_MIN, NOW, NOW + 500, NOW + 5000, INT64_MAX};
    surefill_start start = {.struct_size = sizeof start};
    int32_t step = SUREFILL_STEP_MORE, sound = 1, status = SUREFILL_OK;
    for (int i = 0; i < 200 && status == SUREFILL_OK && step == SUREFILL_STEP_MORE; i++) {
        sound &= valid(status = surefill_starts_run(starts, scheduler, 5, &step), 0);
        sound &= step == SUREFILL_STEP_MORE || step == SUREFILL_STEP_DONE;
    }
    for (int64_t job = 1; job < 6; job++) {
        double before = 0, p = 0;
        sound &= valid(surefill_starts_predicted(starts, scheduler, job, &start), 0);
        sound &= valid(surefill_starts_report(starts, scheduler, job, &start), 0);
        sound &= start.struct_size == sizeof start && (start.capped >= 0 && start.capped <= SUREFILL_START_STALLED);
        for (int i = 0; i < 5; i++) {
            sound &= valid(status = surefill_starts_probability(starts, scheduler, job, whens[i], &p), p);
            if (status == SUREFILL_OK) sound &= p >= before && p <= 1;
            before = p;
        }
    }
    return sound;
}

/* A forecast from its beginning, and then a start that was reported. */
static int forecast(surefill_scheduler *scheduler) {
    surefill_starts *starts;
    surefill_job job = {.struct_size = sizeof job, .state = SUREFILL_JOB_RUNNING, .id = 2};
    int32_t status = surefill_starts_begin(starts_block, sizeof starts_block, scheduler, 0, NOW, SCENARIOS, &starts);
    int sound = valid(status, 0);
    if (status == SUREFILL_OK) sound &= use(starts, scheduler);
    job.limit = 3600;
    job.count = 8;
    job.queue_count = 1;
    return sound & valid(surefill_scheduler_set_job(scheduler, NOW + 300, &job), 0);
}

/* Damage number `how` of the byte at this place; the last is of the word that begins there. */
static void damage_at(int64_t *memory, int64_t i, int how) {
    unsigned char *byte = (unsigned char *)memory + i;
    if (how == 3)
        memory[i / 8] = -61;
    else
        *byte = (unsigned char)(how == 0 ? 0xff : how == 1 ? *byte ^ 0x80 : *byte + 1);
}

/* The next place that is damaged. */
static int64_t after(const int64_t *memory, int64_t i, int64_t size, int64_t every) {
    for (i += every; i < size; i += every)
        if (i / 8 < SCALARS || memory[i / 8] != 0 || i / 8 % 499 == 0) break;
    return i;
}

static int64_t damage_scheduler(int64_t size, int64_t every) {
    int64_t wrong = 0;
    memcpy(block, good, (size_t)size);
    CHECK(forecast((surefill_scheduler *)block));
    for (int64_t i = 0; i < size; i = after(good, i, size, every)) {
        for (int how = 0; how < 3 + (i % 8 == 0); how++) {
            memcpy(block, good, (size_t)size);
            damage_at(block, i, how);
            if (!forecast((surefill_scheduler *)block) && wrong++ == 0)
                printf("scheduler: byte %ld, change %d\n", (long)i, how);
        }
    }
    return wrong;
}

/* The scheduler of the forecast is sound. */
static int64_t damage_starts(int64_t size, int64_t starts_size, int64_t every) {
    surefill_starts *starts = (surefill_starts *)starts_block;
    int64_t wrong = 0;
    memcpy(block, good, (size_t)size);
    memcpy(starts_block, good_starts, (size_t)starts_size);
    CHECK(use(starts, (surefill_scheduler *)block));
    for (int64_t i = 0; i < starts_size; i = after(good_starts, i, starts_size, every)) {
        for (int how = 0; how < 3 + (i % 8 == 0); how++) {
            memcpy(block, good, (size_t)size);
            memcpy(starts_block, good_starts, (size_t)starts_size);
            damage_at(starts_block, i, how);
            if (!use(starts, (surefill_scheduler *)block) && wrong++ == 0)
                printf("starts: byte %ld, change %d\n", (long)i, how);
        }
    }
    return wrong;
}

int main(int argc, char **argv) {
    const int64_t every = argc > 1 ? atoll(argv[1]) : 1;
    const char *const words[] = {"preset=fast proposals=4", "preset=easy"};
    for (int i = 0; i < 2; i++) {
        int64_t size, starts_size;
        int32_t step;
        surefill_scheduler *scheduler = (surefill_scheduler *)good;
        surefill_starts *starts;
        make_scheduler(words[i]);
        CHECK_OK(surefill_scheduler_size(&capacity, &size));
        CHECK_OK(surefill_starts_size(&capacity, SCENARIOS, &starts_size));
        CHECK(damage_scheduler(size, every) == 0);
        /* The forecast is damaged at its beginning, and in the midst of the first scenario and of the second. */
        memset(good_starts, 0, sizeof good_starts);
        CHECK_OK(surefill_starts_begin(good_starts, starts_size, scheduler, 0, NOW, SCENARIOS, &starts));
        const int64_t events[] = {0, 2, 4};
        for (int k = 0; k < 3; k++) {
            if (events[k] > 0) {
                CHECK_OK(surefill_starts_run(starts, scheduler, events[k], &step));
                CHECK(step == SUREFILL_STEP_MORE);
            }
            CHECK(damage_starts(size, starts_size, every) == 0);
        }
    }
    return checks_done();
}
