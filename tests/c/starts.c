/* Forecasts of starts by the C interface, with the outcomes worked out by hand: run times that are known, offsets that
 * follow what came, slices, jobs of which nothing is predicted, later submissions and probabilities. */
#include "check.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

enum { NOW = 1000000, DAY = 86400, SCENARIOS = 20, WORDS = 120000, LEVELS = 5 };

static int64_t memory[WORDS], scratch[WORDS], forecast_memory[2][WORDS];
static int64_t distribution_memory[SUREFILL_DISTRIBUTION_SIZE / 8];
static surefill_scheduler *scheduler;
static int32_t pool, other_pool, queue, other_queue;
static const double levels[LEVELS] = {.05, .25, .5, .75, .95};
static const double first_offsets[LEVELS] = {-.2, -.05, 0, .08, .2};

static void begin_with(int32_t units, int32_t arrivals, const char *words) {
    surefill_scheduler_capacity capacity;
    char message[200];
    int64_t bytes;
    CHECK_OK(surefill_scheduler_capacity_init(&capacity, 64));
    capacity.pools = capacity.queues = 2;
    capacity.histories = 8;
    capacity.waits = 8;
    capacity.arrivals = arrivals;
    CHECK_OK(surefill_scheduler_init(memory, sizeof memory, &capacity, &scheduler));
    CHECK_OK(surefill_scheduler_configure(scheduler, words, (int64_t)strlen(words), NULL, message, sizeof message));
    CHECK_OK(surefill_scheduler_set_pool(scheduler, "nodes", 5, units, -1, &pool));
    CHECK_OK(surefill_scheduler_set_pool(scheduler, "other", 5, units, -1, &other_pool));
    CHECK_OK(surefill_scheduler_set_queue(scheduler, "batch", 5, pool, &queue));
    CHECK_OK(surefill_scheduler_set_queue(scheduler, "aside", 5, other_pool, &other_queue));
    CHECK_OK(surefill_starts_size(&capacity, SCENARIOS, &bytes));
    CHECK(bytes <= (int64_t)sizeof forecast_memory[0]);
}

/* A job of the first pool that waits; 0 for no prediction of its run time. */
static surefill_job job_of(int64_t id, int32_t count, int64_t run_time, int64_t limit) {
    surefill_job job = {.struct_size = sizeof job, .state = SUREFILL_JOB_WAITING, .id = id, .user = 7};
    surefill_distribution *single = NULL;
    job.limit = limit;
    job.count = count;
    job.queue_count = 1;
    job.queues[0] = queue;
    if (run_time > 0)
        CHECK_OK(surefill_distribution_init_single(distribution_memory, sizeof distribution_memory, run_time, &single));
    job.prediction = single;
    return job;
}

static void submit(int64_t now, int64_t id, int32_t count, int64_t run_time, int64_t limit) {
    const surefill_job job = job_of(id, count, run_time, limit);
    CHECK_OK(surefill_scheduler_set_job(scheduler, now, &job));
}

static void ended(int64_t now, int64_t id) {
    const surefill_job over = {.struct_size = sizeof over, .state = SUREFILL_JOB_ENDED, .id = id};
    CHECK_OK(surefill_scheduler_set_job(scheduler, now, &over));
}

/* A cycle in which whatever is offered starts; the jobs that did, as a set of bits by their ids below 64, and of the
 * others the last one. */
static uint64_t started_at(int64_t now, int64_t *last) {
    surefill_action action = {.struct_size = sizeof action};
    surefill_cycle *cycle;
    uint64_t started = 0;
    CHECK_OK(surefill_cycle_begin(scratch, sizeof scratch, scheduler, pool, now, &cycle));
    for (int i = 0; i < 64; i++) {
        CHECK_OK(surefill_cycle_next(cycle, scheduler, &action));
        if (action.step != SUREFILL_ACT_START) break;
        CHECK_OK(surefill_cycle_started(cycle, scheduler, action.number, action.job));
        if (action.job < 64) started |= UINT64_C(1) << action.job;
        if (last != NULL) *last = action.job;
    }
    CHECK(action.step == SUREFILL_ACT_DONE);
    CHECK_OK(surefill_cycle_close(cycle, scheduler));
    return started;
}

static uint64_t bits(int64_t id) { return UINT64_C(1) << id; }

/* A forecast in this one of the two memories, not played yet. */
static surefill_starts *begun(int which, int64_t now, int32_t scenarios) {
    surefill_starts *starts = NULL;
    int64_t *block = forecast_memory[which];
    CHECK_OK(surefill_starts_begin(block, sizeof forecast_memory[0], scheduler, pool, now, scenarios, &starts));
    return starts;
}

/* Plays all scenarios, this number of events at a time; returns how many calls that took. */
static int played(surefill_starts *starts, int64_t work) {
    int32_t step = SUREFILL_STEP_MORE;
    int calls = 0;
    for (; step == SUREFILL_STEP_MORE && calls < 100000; calls++)
        CHECK_OK(surefill_starts_run(starts, scheduler, work, &step));
    CHECK(step == SUREFILL_STEP_DONE);
    return calls;
}

static surefill_starts *forecast(int64_t now, int64_t work) {
    surefill_starts *starts = begun(0, now, SCENARIOS);
    played(starts, work);
    return starts;
}

static surefill_start predicted(const surefill_starts *starts, int64_t job) {
    surefill_start start = {.struct_size = sizeof start};
    CHECK_OK(surefill_starts_predicted(starts, scheduler, job, &start));
    return start;
}

static surefill_start reported(const surefill_starts *starts, int64_t job) {
    surefill_start start = {.struct_size = sizeof start};
    CHECK_OK(surefill_starts_report(starts, scheduler, job, &start));
    return start;
}

/* Whether this start is what all scenarios agree on, this long from now, moved by the offsets. */
static int agreed(const surefill_start *start, int64_t now, int64_t rest, const double offsets[LEVELS]) {
    for (int i = 0; i < LEVELS; i++)
        if (start->by[i] != now + (int64_t)(((double)rest + 60) * exp(offsets[i]) - 60)) return 0;
    return start->capped == 0 && start->struct_size == sizeof *start;
}

/* Job 1 runs for 600 s on 12 of 16 units and job 3 beside it for 300 s. Job 2 wants all 16. Job 4 fits beside job 1,
 * but its limit of 7,200 s would delay job 2 by the limit of job 1, which is an hour; the limit of job 5 would not. */
static void known_run_times(void) {
    begin_with(16, 16, "preset=easy");
    submit(NOW, 1, 12, 600, 3600);
    submit(NOW, 2, 16, 900, 3600);
    submit(NOW, 3, 4, 300, 600);
    submit(NOW, 4, 4, 300, 7200);
    submit(NOW, 5, 4, 100, 1000);
    CHECK(started_at(NOW, NULL) == (bits(1) | bits(3)));
    const struct {
        int64_t job, rest;
    } known[] = {{2, 600}, {4, 1500}, {5, 300}};
    surefill_starts *starts = forecast(NOW, 1000);
    for (int i = 0; i < 3; i++) {
        const surefill_start start = predicted(starts, known[i].job);
        CHECK(start.by[2] == NOW + known[i].rest && agreed(&start, NOW, known[i].rest, first_offsets));
    }
    /* Any number of scenarios says the same. */
    const int32_t scenarios[] = {1, 2, 3, SUREFILL_MAX_START_SCENARIOS};
    for (int i = 0; i < 4; i++) {
        starts = begun(1, NOW, scenarios[i]);
        played(starts, 7);
        const surefill_start start = predicted(starts, 2);
        CHECK(agreed(&start, NOW, 600, first_offsets));
    }
    /* A little later the jobs that run are older, and the starts the same. */
    starts = forecast(NOW + 100, 1000);
    for (int i = 0; i < 3; i++) {
        const surefill_start start = predicted(starts, known[i].job);
        CHECK(agreed(&start, NOW + 100, known[i].rest - 100, first_offsets));
    }
    /* And so it comes. */
    ended(NOW + 300, 3);
    CHECK(started_at(NOW + 300, NULL) == bits(5));
    ended(NOW + 400, 5);
    CHECK(started_at(NOW + 400, NULL) == 0);
    ended(NOW + 600, 1);
    CHECK(started_at(NOW + 600, NULL) == bits(2));
    ended(NOW + 1500, 2);
    CHECK(started_at(NOW + 1500, NULL) == bits(4));
}

/* One job runs on the whole pool, one waits. Two of three starts come with the scenarios, one a minute late; every
 * fourth job is not reported, and its start moves nothing. */
static void what_came(void) {
    double offsets[LEVELS];
    int64_t now = NOW, last = 0;
    memcpy(offsets, first_offsets, sizeof offsets);
    begin_with(2, 16, "preset=easy settle=0");
    submit(now, 100, 2, 500, 1000);
    for (int64_t id = 101; id < 250; id++) {
        started_at(now, &last);
        CHECK(last == id - 1);
        submit(now, id, 2, 500, 1000);
        surefill_starts *starts = forecast(now, 3);
        const surefill_start before = predicted(starts, id);
        CHECK(agreed(&before, now, 500, offsets));
        if (id % 4 != 0) {
            for (int twice = 0; twice < 2; twice++) {
                const surefill_start start = reported(starts, id);
                CHECK(memcmp(&start, &before, sizeof start) == 0);
            }
        }
        now += id % 3 == 0 ? 560 : 500;
        ended(now, id - 1);
        for (int i = 0; i < LEVELS && id % 4 != 0; i++) offsets[i] += .002 * (levels[i] - (now <= before.by[i]));
    }
    CHECK(offsets[3] != first_offsets[3]);
}

/* A median that was reported stays while the forecast allows it, and moves no further than half way to the quartile. */
static void medians_stay(void) {
    begin_with(2, 16, "preset=easy");
    submit(NOW, 1, 2, 500, 3000);
    CHECK(started_at(NOW, NULL) == bits(1));
    submit(NOW, 2, 2, 500, 1000);
    CHECK(reported(forecast(NOW, 50), 2).by[2] == NOW + 500);
    CHECK(reported(forecast(NOW + 100, 50), 2).by[2] == NOW + 500);
    surefill_job longer = job_of(1, 2, 2000, 3000);
    longer.state = SUREFILL_JOB_RUNNING;
    CHECK_OK(surefill_scheduler_set_job(scheduler, NOW + 200, &longer));
    surefill_starts *starts = forecast(NOW + 200, 50);
    const surefill_start start = predicted(starts, 2), answer = reported(starts, 2);
    CHECK(answer.by[2] == NOW + 2000 - (NOW + 2000 - start.by[1]) / 2);
    /* A question between reports has the same answer. */
    for (int level = 0; level < 5; level++) CHECK(answer.by[level] == start.by[level]);
}

/* Three days on which every 40 minutes an unknown run time of at most 30 minutes was submitted, and what is left in the
 * end: jobs that run, and a wide one that waits among others. */
static void busy_days(int32_t arrivals, const char *words) {
    int64_t now = NOW, id = 100;
    begin_with(8, arrivals, words);
    for (; now < NOW + 3 * DAY; now += 2400, id++) {
        submit(now, id, 2, 1500, 1800);
        started_at(now, NULL);
        ended(now + 1500, id);
    }
    for (int64_t more = 0; more < 4; more++) submit(now, 10 + more, 2, 0, 7200 + more);
    CHECK(started_at(now, NULL) == (bits(10) | bits(11) | bits(12) | bits(13)));
    submit(now, 20, 8, 0, 30000);
    submit(now, 21, 2, 0, 9000);
    submit(now, 22, 3, 4000, 5000);
    CHECK(started_at(now, NULL) == 0);
}

static void slices(void) {
    const char *const words[] = {"preset=easy", "preset=fair seed=3", "preset=fast"};
    const int64_t now = NOW + 3 * DAY;
    for (int i = 0; i < 3; i++) {
        for (int32_t arrivals = 0; arrivals <= 60; arrivals += 60) {
            busy_days(arrivals, words[i]);
            surefill_starts *whole = begun(0, now, SCENARIOS), *sliced = begun(1, now, SCENARIOS);
            CHECK(played(whole, INT64_MAX) == 1);
            const int events = played(sliced, 1);
            CHECK(events >= SCENARIOS && (arrivals == 0 || events > 10 * SCENARIOS));
            for (int64_t id = 20; id <= 22; id++) {
                const surefill_start first = predicted(whole, id), second = predicted(sliced, id);
                CHECK(memcmp(&first, &second, sizeof first) == 0);
                CHECK(first.by[0] >= now && first.by[0] < first.by[4]);
                for (int level = 1; level < LEVELS; level++) CHECK(first.by[level] >= first.by[level - 1]);
            }
        }
    }
}

/* Short narrow jobs come all the time and overtake the wide one that waits; without submissions that are remembered it
 * starts when what runs has ended, which it does within 1,500 s. */
static surefill_start overtaken(int32_t arrivals) {
    int64_t now = NOW, id = 100, ends[8], jobs[8];
    int count = 0;
    begin_with(8, arrivals, "preset=fast");
    for (; now < NOW + 3 * DAY;) {
        int64_t last = 0;
        submit(now, id, 2, 1500, 1800);
        started_at(now, &last);
        CHECK(last == id && count < 8);
        ends[count] = now + 1500;
        jobs[count++] = id++;
        now += 600;
        while (count > 0 && ends[0] <= now) {
            ended(ends[0], jobs[0]);
            count--;
            memmove(ends, ends + 1, (size_t)count * sizeof *ends);
            memmove(jobs, jobs + 1, (size_t)count * sizeof *jobs);
        }
    }
    submit(now, id, 8, 40000, 40000);
    CHECK(started_at(now, NULL) == 0);
    surefill_start start = predicted(forecast(now, 100), id);
    for (int i = 0; i < LEVELS; i++) start.by[i] -= now;
    return start;
}

static void later_jobs(void) {
    const surefill_start alone = overtaken(0), with = overtaken(300);
    CHECK(alone.by[2] <= 1500 && with.by[2] > alone.by[2] && with.by[4] > 2000);
}

/* The statuses of all three questions about a job, which must be the same. */
static int32_t status_of(const surefill_starts *starts, int64_t job) {
    surefill_start start = {.struct_size = sizeof start};
    double probability = -1;
    const int32_t status = surefill_starts_predicted(starts, scheduler, job, &start);
    CHECK_STATUS(status, surefill_starts_report(starts, scheduler, job, &start));
    CHECK_STATUS(status, surefill_starts_probability(starts, scheduler, job, NOW + 500, &probability));
    CHECK(status == SUREFILL_OK ? start.by[0] >= NOW : start.by[0] == 0 && probability == -1);
    return status;
}

static void unpredicted(void) {
    enum { RUNS = 1, HELD, WAITS, ASIDE, WIDE, LATER, UNKNOWN = 99 };
    int32_t step = SUREFILL_STEP_DONE;
    begin_with(4, 16, "preset=easy");
    submit(NOW, RUNS, 4, 100, 200);
    CHECK(started_at(NOW, NULL) == bits(RUNS));
    submit(NOW, WAITS, 1, 100, 200);
    surefill_job job = job_of(HELD, 1, 100, 200);
    job.state = SUREFILL_JOB_HELD;
    CHECK_OK(surefill_scheduler_set_job(scheduler, NOW, &job));
    job = job_of(ASIDE, 1, 100, 200);
    job.queues[0] = other_queue;
    CHECK_OK(surefill_scheduler_set_job(scheduler, NOW, &job));
    submit(NOW, WIDE, 5, 100, 200); /* wider than the pool */
    job = job_of(LATER, 1, 100, 200);
    job.begin = NOW + 1000;
    CHECK_OK(surefill_scheduler_set_job(scheduler, NOW, &job));
    const int64_t nothing[] = {RUNS, HELD, ASIDE, WIDE, UNKNOWN};

    surefill_starts *starts = begun(0, NOW, SCENARIOS);
    CHECK(status_of(starts, WAITS) == SUREFILL_ERROR_WRONG_STATE);
    CHECK(surefill_starts_run(starts, scheduler, 1, &step) == SUREFILL_OK && step == SUREFILL_STEP_MORE);
    CHECK(status_of(starts, WAITS) == SUREFILL_ERROR_WRONG_STATE);
    CHECK(status_of(starts, UNKNOWN) == SUREFILL_ERROR_WRONG_STATE);
    played(starts, 1);
    CHECK(status_of(starts, WAITS) == SUREFILL_OK);
    const double later_levels[LEVELS] = {0, 0, 0, 0.08, 0.2}; /* none lies before its begin time */
    const surefill_start later = predicted(starts, LATER); /* when its time has come */
    CHECK(later.by[0] == NOW + 1000 && later.by[2] == NOW + 1000 && agreed(&later, NOW, 1000, later_levels));
    for (int i = 0; i < 5; i++) CHECK(status_of(starts, nothing[i]) == SUREFILL_ERROR_NEVER);
    played(starts, 1); /* once more: nothing is left to do */
    CHECK(status_of(starts, WAITS) == SUREFILL_OK);

    /* A job that was over since the forecast began is not reported, and a start that came is not judged twice. */
    surefill_start start = {.struct_size = sizeof start};
    starts = forecast(NOW, 100);
    ended(NOW + 100, RUNS);
    CHECK(started_at(NOW + 100, NULL) == bits(WAITS));
    CHECK_STATUS(SUREFILL_ERROR_NEVER, surefill_starts_report(starts, scheduler, WAITS, &start));
    ended(NOW + 200, WAITS);
    CHECK_STATUS(SUREFILL_ERROR_NEVER, surefill_starts_report(starts, scheduler, WAITS, &start));

    /* Where nothing waits all scenarios are played at once, and nothing is predicted. */
    begin_with(4, 0, "preset=fast");
    starts = begun(0, NOW, SCENARIOS);
    CHECK(played(starts, INT64_MAX) == 1 && status_of(starts, WAITS) == SUREFILL_ERROR_NEVER);
}

static double probability(const surefill_starts *starts, int64_t job, int64_t when) {
    double found = -1;
    CHECK_OK(surefill_starts_probability(starts, scheduler, job, when, &found));
    return found;
}

/* The probability runs through the levels, straight between them. */
static void probabilities(void) {
    begin_with(2, 16, "preset=fast");
    submit(NOW, 1, 2, 0, 7200);
    CHECK(started_at(NOW, NULL) == bits(1));
    submit(NOW, 2, 2, 0, 7200);
    surefill_starts *starts = forecast(NOW, 50);
    const surefill_start start = predicted(starts, 2);
    for (int i = 0; i < LEVELS; i++) CHECK(fabs(probability(starts, 2, start.by[i]) - levels[i]) < 1e-9);
    for (int i = 1; i < LEVELS; i++) {
        const int64_t between = start.by[i - 1] + (start.by[i] - start.by[i - 1]) / 3;
        const double share = (double)(between - start.by[i - 1]) / (double)(start.by[i] - start.by[i - 1]);
        CHECK(start.by[i] > start.by[i - 1]);
        CHECK(fabs(probability(starts, 2, between) - levels[i - 1] - share * (levels[i] - levels[i - 1])) < 1e-9);
    }
    CHECK(probability(starts, 2, INT64_MIN) == 0 && probability(starts, 2, NOW) == 0);
    CHECK(probability(starts, 2, INT64_MAX) == 1 && probability(starts, 2, start.by[4] + (start.by[4] - NOW)) == 1);
    double before = 0;
    for (int64_t when = NOW - 100; when < NOW + 2 * 7200; when += 100) {
        const double now = probability(starts, 2, when);
        CHECK(now >= before && now <= 1);
        before = now;
    }
}

int main(void) {
    known_run_times();
    what_came();
    medians_stay();
    slices();
    later_jobs();
    unpredicted();
    probabilities();
    return checks_done();
}
