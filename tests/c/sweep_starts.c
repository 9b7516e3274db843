/* The sweep of forecasts of starts, of the scheduler that sweep_engine.c has made: in the pool with two jobs that run,
 * one that waits and one that is held. All scenarios of the one forecast are played, of the other none. */
#include "sweep.h"

enum { NOW = 1000000, RUNS = 1, STARTED = 2, OFFERED = 3, HELD = 4, NOBODY = 99, SCENARIOS = 2 };

/* The call has changed neither the world and its schedulers nor a forecast of starts. */
#undef REFUSED
#define REFUSED(status, call)                                                    \
    do {                                                                         \
        if (comparing) starts_before = starts;                                   \
        SCHEDULERS_REFUSED(status, call);                                        \
        if (comparing)                                                           \
            check_that(memcmp(&starts_before, &starts, sizeof starts) == 0,      \
                       __FILE__, __LINE__, "no forecast changed: " #call);       \
    } while (0)

static surefill_starts *begin(int64_t memory[STARTS_WORDS]) {
    surefill_starts *made = NULL;
    CHECK_OK(surefill_starts_begin(memory, STARTS_WORDS * 8, SCHEDULER, 0, NOW, SCENARIOS, &made));
    CHECK((void *)made == (void *)memory);
    return made;
}

void make_starts(void) {
    int32_t step = SUREFILL_STEP_MORE;
    begin(starts.begun);
    surefill_starts *made = begin(starts.done);
    for (int i = 0; i < 100 && step == SUREFILL_STEP_MORE; i++)
        CHECK_OK(surefill_starts_run(made, SCHEDULER, 10, &step));
    CHECK(step == SUREFILL_STEP_DONE);
    world.start.struct_size = sizeof world.start;
}

static int32_t starts_of(const surefill_scheduler_capacity *c) {
    return surefill_starts_size(c, SCENARIOS, &world.int64[0]);
}

void sweep_starts_size(void) {
    const int32_t wrong[] = {0, SUREFILL_MAX_START_SCENARIOS + 1, -1, INT32_MIN, INT32_MAX};
    int64_t *size = &world.int64[0], few, many;
    bad_capacities(starts_of);
    BAD_POINTER(p, size, surefill_starts_size(&world.scheduler_capacity, SCENARIOS, p));
    for (int i = 0; i < 5; i++)
        REFUSED(SUREFILL_ERROR_OUT_OF_RANGE, surefill_starts_size(&world.scheduler_capacity, wrong[i], size));
    CHECK_OK(surefill_starts_size(&world.scheduler_capacity, SCENARIOS, &few));
    CHECK(few > 0 && few <= (int64_t)sizeof starts.done);
    CHECK_OK(surefill_starts_size(&world.scheduler_capacity, SUREFILL_MAX_START_SCENARIOS, &many));
    CHECK(many > few);
}

void sweep_starts_begin(void) {
    surefill_starts **out = (surefill_starts **)&world.handle[0];
    int64_t *memory = starts.fresh, size;
    CHECK_OK(surefill_starts_size(&world.scheduler_capacity, SCENARIOS, &size));
    BAD_HANDLE(KIND_SCHEDULER, h, surefill_starts_begin(memory, size, h, 0, NOW, SCENARIOS, out));
    const int32_t pools[] = {2, -1, INT32_MIN, INT32_MAX};
    for (int i = 0; i < 4; i++)
        REFUSED(SUREFILL_ERROR_NO_SUCH_INDEX,
                surefill_starts_begin(memory, size, SCHEDULER, pools[i], NOW, SCENARIOS, out));
    BAD_TIMES(t, surefill_starts_begin(memory, size, SCHEDULER, 0, t, SCENARIOS, out));
    const int32_t scenarios[] = {0, SUREFILL_MAX_START_SCENARIOS + 1, -1, INT32_MIN, INT32_MAX};
    for (int i = 0; i < 5; i++)
        REFUSED(SUREFILL_ERROR_OUT_OF_RANGE, surefill_starts_begin(memory, size, SCHEDULER, 0, NOW, scenarios[i], out));
    REFUSED(SUREFILL_ERROR_TOO_SMALL, surefill_starts_begin(memory, size, SCHEDULER, 0, NOW, SCENARIOS + 1, out));
    surefill_scheduler *copy = listing();
    REFUSED(SUREFILL_ERROR_WRONG_STATE, surefill_starts_begin(memory, size, copy, 0, NOW, SCENARIOS, out));
    BAD_MEMORY_IN(starts.fresh, size, m, n, out, surefill_starts_begin(m, n, SCHEDULER, 0, NOW, SCENARIOS, out));
}

void sweep_starts_run(void) {
    int32_t *step = &world.int32[0];
    BAD_HANDLE(KIND_STARTS, h, surefill_starts_run(h, SCHEDULER, 10, step));
    BAD_HANDLE(KIND_SCHEDULER, h, surefill_starts_run(BEGUN_STARTS, h, 10, step));
    BAD_POINTER(p, step, surefill_starts_run(BEGUN_STARTS, SCHEDULER, 10, p));
    const int64_t work[] = {0, -1, INT64_MIN};
    for (int i = 0; i < 3; i++)
        REFUSED(SUREFILL_ERROR_OUT_OF_RANGE, surefill_starts_run(BEGUN_STARTS, SCHEDULER, work[i], step));
    /* Where all scenarios are played nothing is left to do, whatever the work; and the most work is one call. */
    CHECK(surefill_starts_run(STARTS, SCHEDULER, 1, step) == SUREFILL_OK && *step == SUREFILL_STEP_DONE);
    surefill_starts *made = begin(starts.fresh);
    CHECK(surefill_starts_run(made, SCHEDULER, INT64_MAX, step) == SUREFILL_OK && *step == SUREFILL_STEP_DONE);
}

void sweep_starts_simplified(void) {
    int32_t *simplified = &world.int32[0];
    BAD_HANDLE(KIND_STARTS, h, surefill_starts_simplified(h, simplified));
    BAD_POINTER(p, simplified, surefill_starts_simplified(STARTS, p));
    /* A few jobs wait, before and after all scenarios are played. */
    CHECK(surefill_starts_simplified(STARTS, simplified) == SUREFILL_OK && *simplified == 0);
    CHECK(surefill_starts_simplified(BEGUN_STARTS, simplified) == SUREFILL_OK && *simplified == 0);
}

/* Nothing is predicted of jobs that run, are held, or are not known. */
static const int64_t unpredicted[] = {RUNS, STARTED, HELD, NOBODY, 0, -1, INT64_MIN, INT64_MAX};
enum { UNPREDICTED = 8 };

/* The start of a job, by either function that writes one. */
typedef int32_t question(const surefill_starts *of, surefill_scheduler *scheduler, int64_t job, surefill_start *start);

static int32_t predicted(const surefill_starts *of, surefill_scheduler *scheduler, int64_t job, surefill_start *start) {
    return surefill_starts_predicted(of, scheduler, job, start);
}

static void sweep_question(question *ask) {
    surefill_start *start = &world.start;
    BAD_HANDLE(KIND_STARTS, h, ask(h, SCHEDULER, OFFERED, start));
    BAD_HANDLE(KIND_SCHEDULER, h, ask(STARTS, h, OFFERED, start));
    REFUSED(SUREFILL_ERROR_WRONG_STATE, ask(BEGUN_STARTS, SCHEDULER, OFFERED, start));
    REFUSED(SUREFILL_ERROR_WRONG_STATE, ask(BEGUN_STARTS, SCHEDULER, NOBODY, start));
    for (int i = 0; i < UNPREDICTED; i++)
        REFUSED(SUREFILL_ERROR_NEVER, ask(STARTS, SCHEDULER, unpredicted[i], start));
    CHECK_OK(ask(STARTS, SCHEDULER, OFFERED, start));
    CHECK(start->struct_size == sizeof *start && (start->capped == 0 || start->capped == 1) && start->by[0] >= NOW);
    for (int i = 1; i < 5; i++) CHECK(start->by[i] >= start->by[i - 1]);
    FILLS(surefill_start, sizeof(surefill_start), p, ask(STARTS, SCHEDULER, OFFERED, p));
}

void sweep_starts_predicted(void) {
    sweep_question(predicted);
    /* An answer that is not reported changes nothing but itself. */
    starts_before = starts;
    schedulers_before = schedulers;
    CHECK_OK(surefill_starts_predicted(STARTS, SCHEDULER, OFFERED, &world.start));
    CHECK(memcmp(&starts_before, &starts, sizeof starts) == 0);
    CHECK(memcmp(&schedulers_before, &schedulers, sizeof schedulers) == 0);
}

void sweep_starts_report(void) { sweep_question(surefill_starts_report); }

void sweep_starts_probability(void) {
    double *p = &world.real[0][0];
    BAD_HANDLE(KIND_STARTS, h, surefill_starts_probability(h, SCHEDULER, OFFERED, NOW, p));
    BAD_HANDLE(KIND_SCHEDULER, h, surefill_starts_probability(STARTS, h, OFFERED, NOW, p));
    BAD_POINTER(bad, p, surefill_starts_probability(STARTS, SCHEDULER, OFFERED, NOW, bad));
    REFUSED(SUREFILL_ERROR_WRONG_STATE, surefill_starts_probability(BEGUN_STARTS, SCHEDULER, OFFERED, NOW, p));
    for (int i = 0; i < UNPREDICTED; i++)
        REFUSED(SUREFILL_ERROR_NEVER, surefill_starts_probability(STARTS, SCHEDULER, unpredicted[i], NOW, p));
    /* Every instant is one, also those that no clock shows. */
    const int64_t never[] = {INT64_MIN, -1, 0, NOW - 1, NOW};
    const int64_t always[] = {NOW + (INT64_C(1) << 40), INT64_MAX - 1, INT64_MAX};
    for (int i = 0; i < 5; i++)
        CHECK(surefill_starts_probability(STARTS, SCHEDULER, OFFERED, never[i], p) == SUREFILL_OK && *p == 0);
    for (int i = 0; i < 3; i++)
        CHECK(surefill_starts_probability(STARTS, SCHEDULER, OFFERED, always[i], p) == SUREFILL_OK && *p == 1);
}
