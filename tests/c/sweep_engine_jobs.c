/* The sweep of the jobs that are reported to a scheduler, and of its cycles; sweep_engine.c has made them. */
#include "sweep.h"

#undef REFUSED
#define REFUSED SCHEDULERS_REFUSED

enum { NOW = 1000000, RUNS = 1, STARTED = 2, OFFERED = 3, HELD = 4, NO_JOB = 99 };

static int32_t set(const surefill_job *job) { return surefill_scheduler_set_job(SCHEDULER, NOW, job); }

static int32_t set_with(const void *prediction) {
    surefill_job job = world.job;
    job.prediction = prediction;
    return set(&job);
}

static void bad_members(void) {
    static surefill_job bad;
    int64_t *const spans[] = {&bad.submit, &bad.begin, &bad.start, &bad.limit, &bad.ran};
    int32_t *const counts[] = {&bad.count, &bad.units, &bad.restarts, &bad.tasks, &bad.at_once, &bad.state, &bad.why, &bad.queue_count};
    for (int i = 0; i < 5; i++) {
        bad = world.job;
        if (i < 3) BAD_TIMES(t, (*spans[i] = t, set(&bad)));
        *spans[i] = SUREFILL_MAX_SECONDS + 1;
        if (i >= 3) REFUSED(SUREFILL_ERROR_SPAN_TOO_LONG, set(&bad));
        *spans[i] = -1;
        if (i >= 3) REFUSED(SUREFILL_ERROR_OUT_OF_RANGE, set(&bad));
    }
    for (int i = 0; i < 8; i++) {
        bad = world.job;
        for (*counts[i] = -1;; *counts[i] = INT32_MIN) {
            REFUSED(SUREFILL_ERROR_OUT_OF_RANGE, set(&bad));
            if (*counts[i] == INT32_MIN) break;
        }
    }
    const struct {
        int32_t *member, value, status;
    } numbers[] = {{&bad.state, SUREFILL_JOB_GONE + 1, SUREFILL_ERROR_OUT_OF_RANGE},
                   {&bad.state, INT32_MAX, SUREFILL_ERROR_OUT_OF_RANGE},
                   {&bad.why, SUREFILL_WHY_BY_DELAY + 1, SUREFILL_ERROR_OUT_OF_RANGE},
                   {&bad.why, SUREFILL_WHY_HOLD - 1, SUREFILL_ERROR_OUT_OF_RANGE},
                   {&bad.why, SUREFILL_WHY_ARRAY + 1, SUREFILL_ERROR_OUT_OF_RANGE},
                   {&bad.flags, 2 * SUREFILL_FLAG_HOLDS_NOTHING, SUREFILL_ERROR_WRONG_VERSION},
                   {&bad.flags, -1, SUREFILL_ERROR_WRONG_VERSION},
                   {&bad.reserved, 1, SUREFILL_ERROR_WRONG_VERSION},
                   {&bad.count, 0, SUREFILL_ERROR_OUT_OF_RANGE},
                   {&bad.queue_count, 0, SUREFILL_ERROR_NO_SUCH_INDEX},
                   {&bad.queue_count, 9, SUREFILL_ERROR_OUT_OF_RANGE},
                   {&bad.queue_count, 2, SUREFILL_ERROR_OUT_OF_RANGE}, /* the second queue is another pool's */
                   {&bad.queues[0], 2, SUREFILL_ERROR_NO_SUCH_INDEX},
                   {&bad.queues[0], -1, SUREFILL_ERROR_NO_SUCH_INDEX},
                   {&bad.queues[0], INT32_MIN, SUREFILL_ERROR_NO_SUCH_INDEX}};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        bad = world.job;
        bad.queues[1] = 1;
        *numbers[i].member = numbers[i].value;
        REFUSED(numbers[i].status, set(&bad));
    }
    bad = world.job;
    bad.id = 0;
    REFUSED(SUREFILL_ERROR_OUT_OF_RANGE, set(&bad));
    bad = world.job;
    bad.priority = NAN;
    REFUSED(SUREFILL_ERROR_NOT_A_NUMBER, set(&bad));
    bad.priority = INFINITY;
    REFUSED(SUREFILL_ERROR_OUT_OF_RANGE, set(&bad));
    bad.priority = -INFINITY;
    REFUSED(SUREFILL_ERROR_OUT_OF_RANGE, set(&bad));
    BAD_HANDLE_OR(0, KIND_DISTRIBUTION, h, set_with(h));
    bad = world.job;
    bad.prediction = DISTRIBUTION; /* in other bins than the default ones */
    REFUSED(SUREFILL_ERROR_OUT_OF_RANGE, set(&bad));
}

void sweep_scheduler_set_job(void) {
    static struct {
        surefill_job job;
        int64_t more;
    } longer;
    surefill_job over = {.struct_size = sizeof over, .state = SUREFILL_JOB_ENDED, .id = NO_JOB};
    BAD_HANDLE(KIND_SCHEDULER, h, surefill_scheduler_set_job(h, NOW, &world.job));
    BAD_POINTER(p, &world.job, surefill_scheduler_set_job(SCHEDULER, NOW, p));
    BAD_TIMES(t, surefill_scheduler_set_job(SCHEDULER, t, &world.job));
    const uint32_t sizes[] = {0, 1, 4, sizeof over - 8, sizeof over - 1, 4097, UINT32_MAX};
    for (int i = 0; i < 7; i++) {
        longer.job = world.job;
        longer.job.struct_size = sizes[i];
        REFUSED(WRONG_SIZE(sizes[i]), set(&longer.job));
    }
    longer.job.struct_size = sizeof longer; /* with a member that this library does not know */
    longer.more = 1;
    REFUSED(SUREFILL_ERROR_WRONG_VERSION, set(&longer.job));
    bad_members();
    longer.job.id = 11;
    REFUSED(SUREFILL_ERROR_WRONG_VERSION, surefill_scheduler_set_job(TIGHT, NOW, &longer.job));
    REFUSED(SUREFILL_ERROR_FULL, surefill_scheduler_set_job(TIGHT, NOW, &world.job));
    /* Only the number is noted of a job that is over and was not known. */
    int64_t unknown = 0;
    for (int32_t state = SUREFILL_JOB_ENDED; state <= SUREFILL_JOB_GONE; state++) {
        surefill_totals totals = {.struct_size = sizeof totals};
        over.state = state;
        CHECK_STATUS(SUREFILL_ERROR_UNKNOWN_JOB, set(&over));
        CHECK_OK(surefill_scheduler_totals(SCHEDULER, &totals));
        CHECK(totals.unknown_jobs == ++unknown && totals.waiting == 2 && totals.running == 2 && totals.submitted == 4);
    }
    longer.more = 0; /* a member that is not used */
    longer.job.id = world.job.id;
    memcpy(world.fresh, schedulers.scheduler, sizeof schedulers.scheduler);
    CHECK_OK(surefill_scheduler_set_job((surefill_scheduler *)world.fresh, NOW, &longer.job));
}

void sweep_scheduler_set_priority(void) {
    BAD_HANDLE(KIND_SCHEDULER, h, surefill_scheduler_set_priority(h, OFFERED, 0, 1));
    REFUSED(SUREFILL_ERROR_UNKNOWN_JOB, surefill_scheduler_set_priority(SCHEDULER, NO_JOB, 0, 1));
    REFUSED(SUREFILL_ERROR_UNKNOWN_JOB, surefill_scheduler_set_priority(SCHEDULER, 0, 0, 1));
    REFUSED(SUREFILL_ERROR_NOT_A_NUMBER, surefill_scheduler_set_priority(SCHEDULER, OFFERED, 0, NAN));
    REFUSED(SUREFILL_ERROR_OUT_OF_RANGE, surefill_scheduler_set_priority(SCHEDULER, OFFERED, 0, INFINITY));
    REFUSED(SUREFILL_ERROR_OUT_OF_RANGE, surefill_scheduler_set_priority(SCHEDULER, OFFERED, 0, -INFINITY));
}

/* A copy of the world's scheduler in which a listing is under way. */
surefill_scheduler *listing(void) {
    surefill_scheduler *copy = (surefill_scheduler *)world.fresh;
    memcpy(world.fresh, schedulers.scheduler, sizeof schedulers.scheduler);
    CHECK_OK(surefill_scheduler_list_begin(copy, NOW));
    return copy;
}

void sweep_scheduler_list_begin(void) {
    BAD_HANDLE(KIND_SCHEDULER, h, surefill_scheduler_list_begin(h, NOW));
    BAD_TIMES(t, surefill_scheduler_list_begin(SCHEDULER, t));
}

void sweep_scheduler_list_end(void) {
    int32_t *doubted = &world.int32[0];
    BAD_HANDLE(KIND_SCHEDULER, h, surefill_scheduler_list_end(h, NOW, doubted));
    REFUSED(SUREFILL_ERROR_WRONG_STATE, surefill_scheduler_list_end(SCHEDULER, NOW, doubted));
    surefill_scheduler *copy = listing();
    BAD_POINTER(p, doubted, surefill_scheduler_list_end(copy, NOW, p));
    BAD_TIMES(t, surefill_scheduler_list_end(copy, t, doubted));
    CHECK_OK(surefill_scheduler_list_end(copy, NOW, doubted));
    CHECK(*doubted == 0);
}

void sweep_scheduler_wake(void) {
    int64_t *when = &world.int64[0], *pools = &world.int64[1];
    surefill_scheduler *made;
    BAD_HANDLE(KIND_SCHEDULER, h, surefill_scheduler_wake(h, NOW, when, pools));
    BAD_POINTER(p, when, surefill_scheduler_wake(SCHEDULER, NOW, p, pools));
    BAD_POINTER(p, pools, surefill_scheduler_wake(SCHEDULER, NOW, when, p));
    CHECK_OK(surefill_scheduler_init(world.fresh, sizeof world.fresh, &world.scheduler_capacity, &made));
    REFUSED(SUREFILL_ERROR_NEVER, surefill_scheduler_wake(made, NOW, when, pools));
    CHECK(surefill_scheduler_wake(SCHEDULER, NOW, when, pools) == SUREFILL_OK && *when == NOW && *pools & 2);
}

void sweep_scheduler_run_time(void) {
    int64_t *seconds = &world.int64[0];
    BAD_HANDLE(KIND_SCHEDULER, h, surefill_scheduler_run_time(h, NOW, RUNS, 0.5, seconds));
    BAD_POINTER(p, seconds, surefill_scheduler_run_time(SCHEDULER, NOW, RUNS, 0.5, p));
    REFUSED(SUREFILL_ERROR_UNKNOWN_JOB, surefill_scheduler_run_time(SCHEDULER, NOW, NO_JOB, 0.5, seconds));
    REFUSED(SUREFILL_ERROR_NOT_A_NUMBER, surefill_scheduler_run_time(SCHEDULER, NOW, RUNS, NAN, seconds));
    const double wrong[] = {-0.001, 1.001, INFINITY, -INFINITY};
    for (int i = 0; i < 4; i++)
        REFUSED(SUREFILL_ERROR_OUT_OF_RANGE, surefill_scheduler_run_time(SCHEDULER, NOW, RUNS, wrong[i], seconds));
    CHECK(surefill_scheduler_run_time(SCHEDULER, NOW, RUNS, 1, seconds) == SUREFILL_OK && *seconds == 3600);
}

void sweep_scheduler_job(void) {
    const int32_t none[] = {-1, 4, INT32_MIN, INT32_MAX};
    BAD_HANDLE(KIND_SCHEDULER, h, surefill_scheduler_job(h, 0, world.int64, world.int32));
    BAD_POINTER(p, world.int64, surefill_scheduler_job(SCHEDULER, 0, p, world.int32));
    BAD_POINTER(p, world.int32, surefill_scheduler_job(SCHEDULER, 0, world.int64, p));
    for (int i = 0; i < 4; i++)
        REFUSED(SUREFILL_ERROR_NO_SUCH_INDEX, surefill_scheduler_job(SCHEDULER, none[i], world.int64, world.int32));
    for (int32_t number = 0; number < 4; number++) {
        CHECK_OK(surefill_scheduler_job(SCHEDULER, number, world.int64, world.int32));
        CHECK((*world.int32 < SUREFILL_JOB_STARTING) == (number < 2)); /* two wait, two hold room */
    }
}

void sweep_scheduler_totals(void) {
    BAD_HANDLE(KIND_SCHEDULER, h, surefill_scheduler_totals(h, &world.totals));
    FILLS(surefill_totals, 16, p, surefill_scheduler_totals(SCHEDULER, p));
    CHECK_OK(surefill_scheduler_totals(SCHEDULER, &world.totals));
    CHECK(world.totals.waiting == 2 && world.totals.running == 2);
}

static int32_t cycle_of(const surefill_scheduler_capacity *c) { return surefill_cycle_size(c, &world.int64[0]); }

void sweep_cycle_size(void) {
    int64_t bytes;
    bad_capacities(cycle_of);
    BAD_POINTER(p, &world.int64[0], surefill_cycle_size(&world.scheduler_capacity, p));
    CHECK_OK(surefill_cycle_size(&world.scheduler_capacity, &bytes));
    CHECK(bytes > 0 && bytes <= (int64_t)sizeof schedulers.cycle);
}

void sweep_cycle_begin(void) {
    surefill_cycle **out = (surefill_cycle **)&world.handle[0];
    int64_t *memory = schedulers.new_cycle, size;
    CHECK_OK(surefill_cycle_size(&world.scheduler_capacity, &size));
    BAD_HANDLE(KIND_SCHEDULER, h, surefill_cycle_begin(memory, size, h, 0, NOW, out));
    const int32_t pools[] = {2, -1, INT32_MIN, INT32_MAX};
    for (int i = 0; i < 4; i++)
        REFUSED(SUREFILL_ERROR_NO_SUCH_INDEX, surefill_cycle_begin(memory, size, SCHEDULER, pools[i], NOW, out));
    BAD_TIMES(t, surefill_cycle_begin(memory, size, SCHEDULER, 0, t, out));
    BAD_MEMORY(size, m, n, out, surefill_cycle_begin(m, n, SCHEDULER, 0, NOW, out));
    surefill_scheduler *copy = listing();
    REFUSED(SUREFILL_ERROR_WRONG_STATE, surefill_cycle_begin(memory, size, copy, 0, NOW, out));
}

void sweep_cycle_next(void) {
    BAD_HANDLE(KIND_CYCLE, h, surefill_cycle_next(h, SCHEDULER, &world.action));
    BAD_HANDLE(KIND_SCHEDULER, h, surefill_cycle_next(CYCLE, h, &world.action));
    BAD_POINTER(p, &world.action, surefill_cycle_next(CYCLE, SCHEDULER, p));
    BAD_SIZES(&world.action, (uint32_t)sizeof world.action, surefill_cycle_next(CYCLE, SCHEDULER, &world.action));
    /* There is no slot for another task of the array. */
    REFUSED(SUREFILL_ERROR_FULL, surefill_cycle_next(TIGHT_CYCLE, TIGHT, &world.action));
}

void sweep_cycle_holds(void) {
    int32_t *holds = &world.int32[0];
    BAD_HANDLE(KIND_CYCLE, h, surefill_cycle_holds(h, SCHEDULER, 1, holds));
    BAD_HANDLE(KIND_SCHEDULER, h, surefill_cycle_holds(CYCLE, h, 1, holds));
    BAD_POINTER(p, holds, surefill_cycle_holds(CYCLE, SCHEDULER, 1, p));
    const int32_t numbers[] = {2, -1, INT32_MIN, INT32_MAX};
    for (int i = 0; i < 4; i++)
        REFUSED(SUREFILL_ERROR_NO_SUCH_INDEX, surefill_cycle_holds(CYCLE, SCHEDULER, numbers[i], holds));
    CHECK(surefill_cycle_holds(CYCLE, SCHEDULER, 1, holds) == SUREFILL_OK && *holds == 0); /* settings have changed since */
    CHECK(surefill_cycle_holds(CYCLE, SCHEDULER, 0, holds) == SUREFILL_OK && *holds == 0);
}

void sweep_cycle_started(void) {
    BAD_HANDLE(KIND_CYCLE, h, surefill_cycle_started(h, SCHEDULER, 1, OFFERED));
    BAD_HANDLE(KIND_SCHEDULER, h, surefill_cycle_started(CYCLE, h, 1, OFFERED));
    const int32_t numbers[] = {2, -1, INT32_MIN, INT32_MAX};
    for (int i = 0; i < 4; i++)
        REFUSED(SUREFILL_ERROR_NO_SUCH_INDEX, surefill_cycle_started(CYCLE, SCHEDULER, numbers[i], OFFERED));
    REFUSED(SUREFILL_ERROR_WRONG_STATE, surefill_cycle_started(CYCLE, SCHEDULER, 0, STARTED));
    REFUSED(SUREFILL_ERROR_OUT_OF_RANGE, surefill_cycle_started(CYCLE, SCHEDULER, 1, HELD)); /* it is no array */
    REFUSED(SUREFILL_ERROR_OUT_OF_RANGE, surefill_cycle_started(CYCLE, SCHEDULER, 1, 0));
    REFUSED(SUREFILL_ERROR_FULL, surefill_cycle_started(TIGHT_CYCLE, TIGHT, 0, NO_JOB));
}

void sweep_cycle_refused(void) {
    BAD_HANDLE(KIND_CYCLE, h, surefill_cycle_refused(h, SCHEDULER, 1, SUREFILL_REFUSED_BUSY));
    BAD_HANDLE(KIND_SCHEDULER, h, surefill_cycle_refused(CYCLE, h, 1, SUREFILL_REFUSED_BUSY));
    const int32_t numbers[] = {2, -1, INT32_MIN, INT32_MAX}, reasons[] = {0, 3, 5, -1, INT32_MIN, INT32_MAX};
    for (int i = 0; i < 4; i++)
        REFUSED(SUREFILL_ERROR_NO_SUCH_INDEX, surefill_cycle_refused(CYCLE, SCHEDULER, numbers[i], SUREFILL_REFUSED_BUSY));
    for (int i = 0; i < 6; i++)
        REFUSED(SUREFILL_ERROR_OUT_OF_RANGE, surefill_cycle_refused(CYCLE, SCHEDULER, 1, reasons[i]));
    REFUSED(SUREFILL_ERROR_WRONG_STATE, surefill_cycle_refused(CYCLE, SCHEDULER, 0, SUREFILL_REFUSED_BUSY));
}

void sweep_cycle_planned(void) {
    int64_t *start = &world.int64[0];
    BAD_HANDLE(KIND_CYCLE, h, surefill_cycle_planned(h, SCHEDULER, OFFERED, start));
    BAD_HANDLE(KIND_SCHEDULER, h, surefill_cycle_planned(CYCLE, h, OFFERED, start));
    REFUSED(SUREFILL_ERROR_UNKNOWN_JOB, surefill_cycle_planned(CYCLE, SCHEDULER, NO_JOB, start));
    REFUSED(SUREFILL_ERROR_NEVER, surefill_cycle_planned(CYCLE, SCHEDULER, RUNS, start));
    BAD_POINTER(p, start, surefill_cycle_planned(CYCLE, SCHEDULER, OFFERED, p));
    surefill_cycle *cycle;
    CHECK_OK(surefill_cycle_begin(schedulers.new_cycle, sizeof schedulers.new_cycle, SCHEDULER, 0, NOW, &cycle));
    REFUSED(SUREFILL_ERROR_WRONG_STATE, surefill_cycle_planned(cycle, SCHEDULER, OFFERED, start));
    CHECK(surefill_cycle_planned(CYCLE, SCHEDULER, OFFERED, start) == SUREFILL_OK && *start == NOW);
}

void sweep_cycle_plan_all(void) {
    BAD_HANDLE(KIND_CYCLE, h, surefill_cycle_plan_all(h, SCHEDULER));
    BAD_HANDLE(KIND_SCHEDULER, h, surefill_cycle_plan_all(CYCLE, h));
    REFUSED(SUREFILL_ERROR_WRONG_STATE, surefill_cycle_plan_all(CYCLE, SCHEDULER));
    surefill_cycle *cycle;
    CHECK_OK(surefill_cycle_begin(schedulers.new_cycle, sizeof schedulers.new_cycle, SCHEDULER, 0, NOW, &cycle));
    CHECK_OK(surefill_cycle_plan_all(cycle, SCHEDULER));
}

/* Another cycle of the scheduler, in which all that wait are planned. */
static surefill_cycle *planning(void) {
    surefill_cycle *cycle;
    CHECK_OK(surefill_cycle_begin(schedulers.new_cycle, sizeof schedulers.new_cycle, SCHEDULER, 0, NOW, &cycle));
    CHECK_OK(surefill_cycle_plan_all(cycle, SCHEDULER));
    return cycle;
}

static surefill_reason no_reason(void) { return (surefill_reason){.struct_size = sizeof(surefill_reason)}; }

void sweep_cycle_reason(void) {
    static surefill_reason reason;
    surefill_cycle *cycle;
    reason = no_reason();
    CHECK_OK(surefill_cycle_begin(schedulers.new_cycle, sizeof schedulers.new_cycle, SCHEDULER, 0, NOW, &cycle));
    REFUSED(SUREFILL_ERROR_WRONG_STATE, surefill_cycle_reason(cycle, SCHEDULER, OFFERED, &reason));
    cycle = planning();
    BAD_HANDLE(KIND_CYCLE, h, surefill_cycle_reason(h, SCHEDULER, OFFERED, &reason));
    BAD_HANDLE(KIND_SCHEDULER, h, surefill_cycle_reason(cycle, h, OFFERED, &reason));
    BAD_POINTER(p, &reason, surefill_cycle_reason(cycle, SCHEDULER, OFFERED, p));
    BAD_SIZES(&reason, (uint32_t)offsetof(surefill_reason, expected), surefill_cycle_reason(cycle, SCHEDULER, OFFERED, &reason));
    REFUSED(SUREFILL_ERROR_UNKNOWN_JOB, surefill_cycle_reason(cycle, SCHEDULER, NO_JOB, &reason));
    REFUSED(SUREFILL_ERROR_UNKNOWN_JOB, surefill_cycle_reason(cycle, SCHEDULER, RUNS, &reason));
    CHECK_OK(surefill_cycle_reason(cycle, SCHEDULER, HELD, &reason));
    CHECK(reason.why == SUREFILL_WHY_HOLD && reason.job == HELD && reason.now == NOW && reason.wanted == 4);
    CHECK_OK(surefill_cycle_reason(cycle, SCHEDULER, OFFERED, &reason));
    CHECK(reason.why == SUREFILL_WHY_PLANNED && reason.start == NOW && reason.rank == 1 && reason.tasks == 1);
    CHECK(reason.idle == 4 && reason.units == 16 && reason.saved == 0 && reason.by_limits == 0 && reason.until == 0);
}

void sweep_cycle_try(void) {
    static surefill_reason reason;
    surefill_job job = world.job;
    surefill_cycle *cycle;
    reason = no_reason();
    CHECK_OK(surefill_cycle_begin(schedulers.new_cycle, sizeof schedulers.new_cycle, SCHEDULER, 0, NOW, &cycle));
    REFUSED(SUREFILL_ERROR_WRONG_STATE, surefill_cycle_try(cycle, SCHEDULER, &job, &reason));
    cycle = planning();
    BAD_HANDLE(KIND_CYCLE, h, surefill_cycle_try(h, SCHEDULER, &job, &reason));
    BAD_HANDLE(KIND_SCHEDULER, h, surefill_cycle_try(cycle, h, &job, &reason));
    BAD_POINTER(p, &job, surefill_cycle_try(cycle, SCHEDULER, p, &reason));
    BAD_POINTER(p, &reason, surefill_cycle_try(cycle, SCHEDULER, &job, p));
    BAD_SIZES(&reason, (uint32_t)offsetof(surefill_reason, expected), surefill_cycle_try(cycle, SCHEDULER, &job, &reason));
    job.id = OFFERED;
    REFUSED(SUREFILL_ERROR_DUPLICATE_JOB, surefill_cycle_try(cycle, SCHEDULER, &job, &reason));
    job.id = 0;
    const int32_t states[] = {SUREFILL_JOB_RUNNING, SUREFILL_JOB_ENDED, SUREFILL_JOB_GONE};
    for (int i = 0; i < 3; i++) {
        job.state = states[i];
        REFUSED(SUREFILL_ERROR_OUT_OF_RANGE, surefill_cycle_try(cycle, SCHEDULER, &job, &reason));
    }
    job.state = SUREFILL_JOB_WAITING;
    job.queues[0] = 1; /* of the other pool */
    REFUSED(SUREFILL_ERROR_OUT_OF_RANGE, surefill_cycle_try(cycle, SCHEDULER, &job, &reason));
    job.queues[0] = 0;
    schedulers_before = schedulers;
    CHECK_OK(surefill_cycle_try(cycle, SCHEDULER, &job, &reason));
    CHECK(memcmp(schedulers_before.scheduler, schedulers.scheduler, sizeof schedulers.scheduler) == 0);
    CHECK(reason.why == SUREFILL_WHY_PLANNED && reason.start == NOW && reason.rank == 2 && reason.job == INT64_MAX);
    job.count = 17;
    CHECK_OK(surefill_cycle_try(cycle, SCHEDULER, &job, &reason));
    CHECK(reason.why == SUREFILL_WHY_NEVER && reason.start == 0 && reason.rank == 0);
}

void sweep_scheduler_reason(void) {
    static surefill_reason reason;
    reason = no_reason();
    BAD_HANDLE(KIND_SCHEDULER, h, surefill_scheduler_reason(h, NOW, HELD, &reason));
    BAD_POINTER(p, &reason, surefill_scheduler_reason(SCHEDULER, NOW, HELD, p));
    BAD_SIZES(&reason, (uint32_t)offsetof(surefill_reason, expected), surefill_scheduler_reason(SCHEDULER, NOW, HELD, &reason));
    REFUSED(SUREFILL_ERROR_UNKNOWN_JOB, surefill_scheduler_reason(SCHEDULER, NOW, NO_JOB, &reason));
    REFUSED(SUREFILL_ERROR_UNKNOWN_JOB, surefill_scheduler_reason(SCHEDULER, NOW, RUNS, &reason));
    CHECK_OK(surefill_cycle_close(planning(), SCHEDULER));
    CHECK_OK(surefill_scheduler_reason(SCHEDULER, NOW, HELD, &reason));
    CHECK(reason.why == SUREFILL_WHY_HOLD && reason.job == HELD);
    CHECK_OK(surefill_scheduler_reason(SCHEDULER, NOW, OFFERED, &reason));
    CHECK(reason.why == SUREFILL_WHY_PLANNED && reason.now == NOW);
}

void sweep_reason_sentence(void) {
    static const char said[] = "no room: 1 of 8 nodes is idle, it wants 4; planned in 2 h 10 min";
    static char text[100];
    struct {
        surefill_reason reason;
        int64_t behind;
    } longer = {.reason = {.struct_size = sizeof longer, .why = SUREFILL_WHY_NO_ROOM, .job = 7, .now = NOW, .wanted = 4}};
    surefill_reason reason = longer.reason, bad;
    int64_t *needed = &world.int64[0];
    reason.struct_size = sizeof reason;
    longer.reason.start = reason.start = NOW + 7830;
    longer.reason.idle = reason.idle = 1;
    longer.reason.units = reason.units = 8;
    const int64_t length = (int64_t)sizeof said - 1;
    BAD_POINTER(p, &reason, surefill_reason_sentence(p, NULL, NULL, text, sizeof text, needed));
    BAD_POINTER(p, needed, surefill_reason_sentence(&reason, NULL, NULL, text, sizeof text, p));
    BAD_SIZES(&reason, (uint32_t)sizeof reason, surefill_reason_sentence(&reason, NULL, NULL, text, sizeof text, needed));
    REFUSED(SUREFILL_ERROR_NULL, surefill_reason_sentence(&reason, NULL, NULL, NULL, 10, needed));
    REFUSED(SUREFILL_ERROR_OUT_OF_RANGE, surefill_reason_sentence(&reason, NULL, NULL, text, -1, needed));
    REFUSED(SUREFILL_ERROR_OUT_OF_RANGE, surefill_reason_sentence(&reason, "\xff", NULL, text, sizeof text, needed));
    REFUSED(SUREFILL_ERROR_OUT_OF_RANGE, surefill_reason_sentence(&reason, NULL, "\xff", text, sizeof text, needed));
    int32_t *const members[] = {&bad.why, &bad.rank, &bad.tasks, &bad.wanted, &bad.idle, &bad.units};
    for (int i = 0; i < 6; i++) {
        bad = reason;
        *members[i] = -1;
        REFUSED(SUREFILL_ERROR_OUT_OF_RANGE, surefill_reason_sentence(&bad, NULL, NULL, text, sizeof text, needed));
    }
    const int32_t unknown[] = {5, 15, 28, 47, 56, INT32_MAX};
    for (int i = 0; i < 6; i++) {
        bad = reason;
        bad.why = unknown[i];
        REFUSED(SUREFILL_ERROR_OUT_OF_RANGE, surefill_reason_sentence(&bad, NULL, NULL, text, sizeof text, needed));
    }
    bad = reason;
    bad.saved = -1;
    REFUSED(SUREFILL_ERROR_OUT_OF_RANGE, surefill_reason_sentence(&bad, NULL, NULL, text, sizeof text, needed));
    longer.behind = 1; /* of a newer version, which says more */
    REFUSED(SUREFILL_ERROR_WRONG_VERSION, surefill_reason_sentence(&longer.reason, NULL, NULL, text, sizeof text, needed));
    longer.behind = 0;
    CHECK_OK(surefill_reason_sentence(&longer.reason, "nodes", NULL, text, sizeof text, needed));
    CHECK(strcmp(text, said) == 0 && *needed == length + 1);
    CHECK_OK(surefill_reason_sentence(&reason, "nodes", "", text, length + 1, needed));
    /* The rest is left out, and how much room the whole takes is said. */
    CHECK_STATUS(SUREFILL_ERROR_FULL, surefill_reason_sentence(&reason, "nodes", NULL, text, length, needed));
    CHECK((int64_t)strlen(text) == length - 1 && strncmp(text, said, strlen(text)) == 0 && *needed == length + 1);
    *needed = 0;
    CHECK_STATUS(SUREFILL_ERROR_FULL, surefill_reason_sentence(&reason, "nodes", NULL, NULL, 0, needed));
    CHECK(*needed == length + 1);
    /* Every reason has a sentence, whatever its members are. */
    for (int32_t why = 0; why < 60; why++) {
        const int64_t far[] = {0, 1, -1, INT64_MIN, INT64_MAX};
        for (int i = 0; i < 25; i++) {
            bad = reason;
            bad.why = why;
            bad.head = bad.start = bad.until = far[i % 5];
            bad.now = bad.by_limits = bad.others = far[i / 5];
            bad.saved = i % 2 == 0 ? UINT32_MAX : 0;
            bad.idle = bad.wanted = bad.units = INT32_MAX;
            const int32_t status = surefill_reason_sentence(&bad, NULL, NULL, text, sizeof text, needed);
            const int known = why < 5 || (why >= 16 && why <= 27) || (why >= 48 && why <= 55);
            CHECK(known ? (status == SUREFILL_OK || status == SUREFILL_ERROR_FULL) && text[0] != 0 && *needed > 1
                        : status == SUREFILL_ERROR_OUT_OF_RANGE);
        }
    }
}

void sweep_cycle_close(void) {
    BAD_HANDLE(KIND_CYCLE, h, surefill_cycle_close(h, SCHEDULER));
    BAD_HANDLE(KIND_SCHEDULER, h, surefill_cycle_close(CYCLE, h));
    CHECK_OK(surefill_cycle_close(CYCLE, SCHEDULER));
}
