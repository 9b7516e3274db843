/* The scheduler by its C interface: arrays, refusals, holds, requeues and a state file, with the outcomes worked out by
 * hand. All run times are the limits, and EASY backfilling decides. */
#include "check.h"

#include <stdint.h>
#include <string.h>

enum { NOW = 1000000, LIMIT = 3600, SIZE = 600000 };

static int64_t memory[SIZE / 8], scratch[SIZE / 8];
static surefill_scheduler *scheduler;
static surefill_cycle *cycle;
static surefill_action action = {.struct_size = sizeof action};
static int32_t pool, queue;

static void begin_with(int32_t units, const char *words) {
    surefill_scheduler_capacity capacity;
    char message[200];
    CHECK_OK(surefill_scheduler_capacity_init(&capacity, 64));
    capacity.pools = capacity.queues = 1;
    capacity.histories = 8;
    capacity.waits = 8;
    capacity.arrivals = 16;
    CHECK_OK(surefill_scheduler_init(memory, sizeof memory, &capacity, &scheduler));
    CHECK_OK(surefill_scheduler_configure(scheduler, words, (int64_t)strlen(words), NULL, message, sizeof message));
    CHECK_OK(surefill_scheduler_set_pool(scheduler, "nodes", 5, units, -1, &pool));
    CHECK_OK(surefill_scheduler_set_queue(scheduler, "batch", 5, pool, &queue));
}

static surefill_job job_of(int64_t id, int32_t state, int32_t count) {
    surefill_job job = {.struct_size = sizeof job, .state = state, .id = id, .user = 7, .submit = NOW};
    job.limit = LIMIT;
    job.count = count;
    job.queue_count = 1;
    return job;
}

static void tell_job(int64_t now, const surefill_job *job) { CHECK_OK(surefill_scheduler_set_job(scheduler, now, job)); }

static void tell(int64_t now, int64_t id, int32_t state, int32_t count) {
    const surefill_job job = job_of(id, state, count);
    tell_job(now, &job);
}

static void begin_cycle(int64_t now) {
    CHECK_OK(surefill_cycle_begin(scratch, sizeof scratch, scheduler, pool, now, &cycle));
}

static void ends(void) {
    CHECK_OK(surefill_cycle_next(cycle, scheduler, &action));
    CHECK(action.step == SUREFILL_ACT_DONE && action.job == 0 && action.count == 0);
    CHECK_OK(surefill_cycle_close(cycle, scheduler));
}

/* The cycle offers this job, which passes that one. */
static int offers(int64_t job, int64_t head, int32_t why) {
    CHECK_OK(surefill_cycle_next(cycle, scheduler, &action));
    return action.step == SUREFILL_ACT_START && action.job == job && action.head == head && action.why == why &&
           action.queue == queue;
}

static void start(int64_t job) { CHECK_OK(surefill_cycle_started(cycle, scheduler, action.number, job)); }
static void refuse(int32_t why) { CHECK_OK(surefill_cycle_refused(cycle, scheduler, action.number, why)); }

static surefill_totals totals(void) {
    surefill_totals totals = {.struct_size = sizeof totals};
    CHECK_OK(surefill_scheduler_totals(scheduler, &totals));
    return totals;
}

/* When a cycle is wanted; 0 for never. */
static int64_t wake(int64_t now) {
    int64_t when = 0, pools = 0;
    const int32_t status = surefill_scheduler_wake(scheduler, now, &when, &pools);
    CHECK(status == SUREFILL_OK ? pools == 1 && when >= now : status == SUREFILL_ERROR_NEVER && when == 0);
    return when;
}

static void backfilling(void) {
    int64_t start_of = 0, seconds = 0;
    begin_with(16, "preset=easy predictor=limit");
    tell(NOW, 1, SUREFILL_JOB_WAITING, 12);
    tell(NOW, 2, SUREFILL_JOB_WAITING, 16);
    tell(NOW, 3, SUREFILL_JOB_WAITING, 4);
    surefill_job longer = job_of(4, SUREFILL_JOB_WAITING, 4);
    longer.limit = LIMIT + 1;
    tell_job(NOW, &longer);
    CHECK(wake(NOW) == NOW);
    begin_cycle(NOW);
    CHECK(offers(1, 0, SUREFILL_WHY_IN_ORDER) && action.number == 0 && action.count == 12);
    start(1);
    CHECK(offers(3, 2, SUREFILL_WHY_BY_LIMITS) && action.number == 1 && action.count == 4);
    start(3);
    ends(); /* job 4 would delay job 2 by a second */
    CHECK(wake(NOW) == 0);
    CHECK(totals().waiting == 2 && totals().running == 2 && totals().submitted == 4 && totals().started == 2);
    CHECK_OK(surefill_scheduler_run_time(scheduler, NOW, 4, 0.5, &seconds));
    CHECK(seconds == LIMIT + 1);

    /* The plan of the whole queue has the same start now, and says for when the others are planned. */
    begin_with(16, "preset=fair predictor=limit");
    for (int64_t id = 1; id <= 2; id++) tell(NOW, id, SUREFILL_JOB_WAITING, 16);
    begin_cycle(NOW);
    CHECK_STATUS(SUREFILL_ERROR_WRONG_STATE, surefill_cycle_planned(cycle, scheduler, 2, &start_of));
    CHECK(offers(1, 0, SUREFILL_WHY_IN_ORDER));
    CHECK(surefill_cycle_planned(cycle, scheduler, 1, &start_of) == SUREFILL_OK && start_of == NOW);
    CHECK_OK(surefill_cycle_planned(cycle, scheduler, 2, &start_of)); /* on the plan's grid */
    CHECK(start_of >= NOW + LIMIT && start_of <= NOW + LIMIT + LIMIT / 16);
    start(1);
    ends();
    /* No job can start now: a cycle of its own plans all the same. */
    tell(NOW, 3, SUREFILL_JOB_WAITING, 16);
    begin_cycle(NOW);
    CHECK_OK(surefill_cycle_plan_all(cycle, scheduler));
    int64_t next = 0;
    CHECK(surefill_cycle_planned(cycle, scheduler, 2, &start_of) == SUREFILL_OK && start_of >= NOW + LIMIT);
    CHECK(surefill_cycle_planned(cycle, scheduler, 3, &next) == SUREFILL_OK && next >= NOW + 2 * LIMIT);
    ends();
}

static void refusals(void) {
    int64_t now = NOW;
    begin_with(8, "preset=easy predictor=limit refused=60");
    tell(now, 1, SUREFILL_JOB_WAITING, 8);
    begin_cycle(now);
    CHECK(offers(1, 0, SUREFILL_WHY_IN_ORDER));
    refuse(SUREFILL_REFUSED_NOT_NOW);
    CHECK_STATUS(SUREFILL_ERROR_WRONG_STATE, surefill_cycle_refused(cycle, scheduler, action.number, SUREFILL_REFUSED_BUSY));
    CHECK_STATUS(SUREFILL_ERROR_WRONG_STATE, surefill_cycle_started(cycle, scheduler, action.number, 1));
    ends();
    CHECK(wake(now) == now + 60);
    begin_cycle(now + 59);
    ends();
    now += 60;
    /* For want of room: offered again when the pool has changed, the third time in a row others may pass. */
    for (int busy = 1; busy <= 3; busy++) {
        begin_cycle(now);
        CHECK(offers(1, 0, SUREFILL_WHY_IN_ORDER));
        refuse(SUREFILL_REFUSED_BUSY);
        ends();
        CHECK(wake(now) == now + 60); /* at the latest */
        begin_cycle(now + 1);
        ends();
        now += 10;
        tell(now, 100 + busy, SUREFILL_JOB_RUNNING, 1);
        tell(now, 100 + busy, SUREFILL_JOB_ENDED, 1);
    }
    begin_cycle(now);
    ends();
    /* For ever, but for a job that is changed. */
    now += 60;
    begin_cycle(now);
    CHECK(offers(1, 0, SUREFILL_WHY_IN_ORDER));
    refuse(SUREFILL_REFUSED_NEVER);
    ends();
    CHECK(wake(now) == 0);
    now += 1000000;
    begin_cycle(now);
    ends();
    surefill_job shorter = job_of(1, SUREFILL_JOB_WAITING, 8);
    shorter.limit = LIMIT / 2;
    tell_job(now, &shorter);
    begin_cycle(now);
    CHECK(offers(1, 0, SUREFILL_WHY_IN_ORDER));
    start(1);
    ends();
    CHECK(totals().refused == 5 && totals().ended == 3 && totals().started == 4 && totals().running == 1);
}

static void arrays(void) {
    surefill_job array = job_of(100, SUREFILL_JOB_WAITING, 4);
    begin_with(16, "preset=easy predictor=limit");
    array.tasks = 5;
    array.at_once = 2;
    tell_job(NOW, &array);
    begin_cycle(NOW);
    for (int64_t task = 101; task <= 102; task++) {
        CHECK(offers(100, 0, SUREFILL_WHY_IN_ORDER) && action.count == 4 && action.number == task - 101);
        CHECK_STATUS(SUREFILL_ERROR_OUT_OF_RANGE, surefill_cycle_started(cycle, scheduler, action.number, 0));
        CHECK_STATUS(SUREFILL_ERROR_OUT_OF_RANGE, surefill_cycle_started(cycle, scheduler, action.number, 100));
        start(task);
    }
    ends();
    CHECK(totals().waiting == 1 && totals().running == 2 && totals().started == 2);
    array.tasks = 3; /* the manager says how many wait, and that two more may start */
    tell_job(NOW + 10, &array);
    begin_cycle(NOW + 10);
    CHECK(offers(100, 0, SUREFILL_WHY_IN_ORDER));
    start(103);
    CHECK(offers(100, 0, SUREFILL_WHY_IN_ORDER));
    start(104);
    ends();
    tell(NOW + 20, 102, SUREFILL_JOB_ENDED, 4);
    array.tasks = 1;
    tell_job(NOW + 20, &array);
    begin_cycle(NOW + 20);
    CHECK(offers(100, 0, SUREFILL_WHY_IN_ORDER)); /* the last task has the array's own id */
    start(100);
    ends();
    CHECK(totals().waiting == 0 && totals().running == 4 && totals().started == 5 && totals().ended == 1);
    CHECK(totals().surprises == 0 && totals().requeued == 0);
}

static void holds(void) {
    surefill_job held = job_of(1, SUREFILL_JOB_HELD, 8), later = job_of(2, SUREFILL_JOB_WAITING, 4);
    int32_t still = -1;
    begin_with(8, "preset=easy predictor=limit");
    held.why = SUREFILL_WHY_DEPENDENCY;
    later.begin = NOW + 500;
    tell_job(NOW, &held);
    tell_job(NOW, &later);
    begin_cycle(NOW);
    ends(); /* a held job is no head job, and the other's time has not come */
    CHECK(wake(NOW) == NOW + 500 && totals().waiting == 2);
    held.state = SUREFILL_JOB_AS_BEFORE; /* it is held still */
    tell_job(NOW + 100, &held);
    begin_cycle(NOW + 100);
    ends();
    begin_cycle(NOW + 500);
    CHECK(offers(2, 0, SUREFILL_WHY_IN_ORDER) && action.count == 4);
    CHECK(surefill_cycle_holds(cycle, scheduler, action.number, &still) == SUREFILL_OK && still == 1);
    later.state = SUREFILL_JOB_HELD; /* in between: the offer is void, the cycle goes on */
    later.why = SUREFILL_WHY_HOLD;
    tell_job(NOW + 501, &later);
    CHECK(surefill_cycle_holds(cycle, scheduler, action.number, &still) == SUREFILL_OK && still == 0);
    ends();
    held.state = SUREFILL_JOB_WAITING;
    tell_job(NOW + 502, &held);
    begin_cycle(NOW + 502);
    CHECK(offers(1, 0, SUREFILL_WHY_IN_ORDER) && action.count == 8);
    start(1);
    ends();
    /* Suspended it holds its units, unless the manager says that it does not. */
    surefill_job stopped = job_of(1, SUREFILL_JOB_SUSPENDED, 8);
    tell_job(NOW + 600, &stopped);
    later.state = SUREFILL_JOB_WAITING;
    tell_job(NOW + 600, &later);
    begin_cycle(NOW + 600);
    ends();
    stopped.flags = SUREFILL_FLAG_HOLDS_NOTHING;
    tell_job(NOW + 610, &stopped);
    begin_cycle(NOW + 610);
    CHECK(offers(2, 0, SUREFILL_WHY_IN_ORDER));
    start(2);
    ends();
    /* It goes on beside job 2: nothing is idle, and when job 2 has ended nothing is yet. */
    tell(NOW + 620, 1, SUREFILL_JOB_RUNNING, 8);
    tell(NOW + 620, 3, SUREFILL_JOB_WAITING, 1);
    begin_cycle(NOW + 620);
    ends();
    tell(NOW + 630, 2, SUREFILL_JOB_ENDED, 4);
    begin_cycle(NOW + 630);
    ends();
    tell(NOW + 640, 1, SUREFILL_JOB_ENDED, 8);
    begin_cycle(NOW + 640);
    CHECK(offers(3, 0, SUREFILL_WHY_IN_ORDER));
    start(3);
    ends();
    CHECK(totals().surprises == 0);
}

static void requeues(void) {
    surefill_job job = job_of(1, SUREFILL_JOB_RUNNING, 8);
    begin_with(8, "preset=easy predictor=limit settle=60");
    tell(NOW, 1, SUREFILL_JOB_WAITING, 8);
    begin_cycle(NOW);
    CHECK(offers(1, 0, SUREFILL_WHY_IN_ORDER));
    start(1);
    ends();
    tell(NOW + 60, 1, SUREFILL_JOB_WAITING, 8); /* the manager has not carried the start out yet */
    CHECK(totals().running == 1 && totals().requeued == 0 && wake(NOW + 60) == 0);
    tell_job(NOW + 70, &job);
    job.state = SUREFILL_JOB_WAITING;
    job.restarts = 1;
    tell_job(NOW + 100, &job);
    CHECK(totals().running == 0 && totals().waiting == 1 && totals().requeued == 1 && totals().surprises == 0);
    begin_cycle(NOW + 100);
    CHECK(offers(1, 0, SUREFILL_WHY_IN_ORDER));
    start(1);
    ends();
    tell_job(NOW + 161, &job); /* no restart more, but it waits: no manager should say so */
    CHECK(totals().running == 0 && totals().waiting == 1 && totals().requeued == 2 && totals().surprises == 1);
    CHECK(totals().started == 2 && totals().submitted == 1);
    job.state = SUREFILL_JOB_GONE;
    tell_job(NOW + 200, &job);
    CHECK(totals().waiting == 0 && totals().withdrawn == 1);
}

/* A listing of the jobs up to this one; returns whether it is doubted. */
static int32_t listing(int64_t now, int64_t last) {
    int32_t doubted = -1;
    CHECK_OK(surefill_scheduler_list_begin(scheduler, now));
    for (int64_t id = 1; id <= last; id++) tell(now, id, SUREFILL_JOB_RUNNING, 1);
    CHECK_OK(surefill_scheduler_list_end(scheduler, now, &doubted));
    return doubted;
}

/* Jobs that are missing in a listing have left after the second one; to a scheduler that was just opened, at once. */
static void state_files(void) {
    static int64_t file[SIZE / 8];
    begin_with(64, "preset=easy predictor=limit");
    CHECK(listing(NOW, 40) == 0 && totals().running == 40);
    CHECK_OK(surefill_scheduler_seal(scheduler));
    memcpy(file, memory, sizeof file);
    CHECK(listing(NOW + 10, 3) == 1 && totals().running == 40 && totals().doubted == 1);
    CHECK(listing(NOW + 20, 3) == 0 && totals().running == 3 && totals().broken == 37);
    memcpy(memory, file, sizeof file);
    CHECK_OK(surefill_scheduler_open(memory, sizeof memory, &scheduler));
    CHECK_OK(surefill_scheduler_open(memory, sizeof memory, &scheduler)); /* it is a checkpoint still */
    CHECK(totals().running == 40 && totals().doubted == 0);
    CHECK(listing(NOW + 30, 3) == 0 && totals().running == 3 && totals().broken == 37);
}

static void shadows(void) {
    begin_with(8, "preset=easy predictor=limit mode=shadow");
    tell(NOW, 1, SUREFILL_JOB_WAITING, 8);
    begin_cycle(NOW);
    CHECK_OK(surefill_cycle_next(cycle, scheduler, &action));
    CHECK(action.step == SUREFILL_ACT_WOULD_START && action.job == 1 && action.count == 8);
    ends();
    begin_cycle(NOW + 1);
    ends(); /* it is said once */
    CHECK(totals().waiting == 1 && totals().started == 0 && totals().refused == 0);
}

int main(void) {
    backfilling();
    refusals();
    arrays();
    holds();
    requeues();
    state_files();
    shadows();
    return checks_done();
}
