/* C calls and nothing else, for counting their instructions: scripts/instructions-calls.sh runs them under callgrind,
 * which counts only inside `measured`. Ten times all of them, behind a past of 2,000 jobs that ended. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <surefill_parts.h>

#define CHECK(call) check((call), #call)

enum { PAST = 2000, TIMES = 10, WAITING = 100 };

static void check(int32_t status, const char *call) {
    if (status == SUREFILL_OK) return;
    fprintf(stderr, "%s: %s\n", call, surefill_status_name(status));
    exit(EXIT_FAILURE);
}

static void *room(int64_t bytes) {
    void *memory = calloc(1, (size_t)bytes);
    if (memory == NULL) exit(EXIT_FAILURE);
    return memory;
}

/* Numbers that look random, below a count. */
static uint64_t state = 7;
static int64_t below(int64_t count) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (int64_t)((state >> 33) % (uint64_t)count);
}

static surefill_pass *pass;
static surefill_wait *waits;
static surefill_predictor *predictor;
static surefill_scheduler *scheduler;
static surefill_cycle *cycle;
static int64_t found_memory[SUREFILL_DISTRIBUTION_SIZE / 8];
static int64_t now = 1000000;
static surefill_job job;

static void make_pass(void) {
    surefill_pass_capacity capacity;
    int64_t bytes;
    CHECK(surefill_pass_capacity_init(&capacity));
    CHECK(surefill_pass_size(&capacity, &bytes));
    CHECK(surefill_pass_init(room(bytes), bytes, &capacity, &pass));
    CHECK(surefill_pass_begin(pass, now, 16, 7, 48, 900));
    CHECK(surefill_pass_add_running(pass, 32, 600, 7200, NULL, NULL));
    CHECK(surefill_pass_add_candidate(pass, 16, 3600, NULL, NULL));
}

static void make_waits(void) {
    surefill_wait_capacity capacity;
    surefill_wait_options options;
    int64_t bytes, waited;
    int32_t answer;
    CHECK(surefill_wait_capacity_init(&capacity));
    CHECK(surefill_wait_options_init(&options));
    CHECK(surefill_wait_size(&capacity, &bytes));
    CHECK(surefill_wait_init(room(bytes), bytes, &capacity, &options, &waits));
    for (int64_t i = 1; i <= PAST + WAITING; i++) {
        CHECK(surefill_wait_submit(waits, i, now + 60 * i, 600 * (i % 97), 1 + (int32_t)(i % 13), &answer, &waited));
        if (i > WAITING) CHECK(surefill_wait_start(waits, i - WAITING, now + 60 * i, &waited));
    }
}

/* One of 200 users, a limit and a width. */
static void describe(int64_t keys[3]) {
    keys[0] = below(200);
    keys[1] = 600 << below(8);
    keys[2] = 1 << below(5);
}

static void make_predictor(void) {
    static int64_t bins_memory[SUREFILL_BINS_SIZE / 8];
    surefill_bins *bins;
    surefill_predictor_options options;
    int64_t bytes, keys[3];
    CHECK(surefill_bins_init_default(bins_memory, sizeof bins_memory, &bins));
    CHECK(surefill_predictor_options_init(SUREFILL_PREDICTOR_CONTEXTS, &options));
    CHECK(surefill_predictor_size(&options, &bytes));
    CHECK(surefill_predictor_init(room(bytes), bytes, &options, bins, &predictor));
    for (int64_t i = 1; i <= PAST; i++) {
        describe(keys);
        CHECK(surefill_predictor_submit(predictor, i, keys, 3, now + 60 * i));
        CHECK(surefill_predictor_start(predictor, i, now + 60 * i));
        CHECK(surefill_predictor_end(predictor, i, now + 60 * i + below(60)));
    }
}

/* A job of the scheduler's in this state. */
static void report(int64_t id, int32_t state_of_it) {
    job.id = id;
    job.state = state_of_it;
    job.start = state_of_it == SUREFILL_JOB_WAITING ? 0 : now - job.ran;
    CHECK(surefill_scheduler_set_job(scheduler, now, &job));
}

static void make_scheduler(void) {
    surefill_scheduler_capacity capacity;
    int64_t bytes, keys[3];
    int32_t pool;
    CHECK(surefill_scheduler_capacity_init(&capacity, 1000));
    CHECK(surefill_scheduler_size(&capacity, &bytes));
    CHECK(surefill_scheduler_init(room(bytes), bytes, &capacity, &scheduler));
    CHECK(surefill_scheduler_set_pool(scheduler, "nodes", 5, 128, -1, &pool));
    CHECK(surefill_scheduler_set_queue(scheduler, "batch", 5, pool, &job.queues[0]));
    job.struct_size = sizeof job;
    job.queue_count = 1;
    for (int64_t i = 1; i <= PAST + WAITING; i++) {
        describe(keys);
        job.user = keys[0], job.limit = keys[1], job.count = (int32_t)keys[2];
        now += 60;
        job.submit = now - 400;
        job.ran = i > PAST ? 0 : 1 + below(300);
        report(i, i > PAST ? SUREFILL_JOB_WAITING : SUREFILL_JOB_ENDED);
    }
    surefill_action action = {.struct_size = sizeof action};
    CHECK(surefill_cycle_size(&capacity, &bytes));
    CHECK(surefill_cycle_begin(room(bytes), bytes, scheduler, pool, now, &cycle));
    CHECK(surefill_cycle_next(cycle, scheduler, &action));
    if (action.step != SUREFILL_ACT_START) exit(EXIT_FAILURE);
}

void measured(int64_t id);
void measured(int64_t id) {
    double delay;
    int32_t first, second;
    int64_t number, keys[3];
    surefill_distribution *found;
    surefill_totals totals = {.struct_size = sizeof totals};
    surefill_held_job held = {.struct_size = sizeof held};
    CHECK(surefill_pass_judgement(pass, 0, &delay, &first, &second));
    CHECK(surefill_wait_counts(waits, &first, &number));
    CHECK(surefill_wait_jobs(waits, &held, 1, &first, &second));
    const int64_t wait = PAST + WAITING + id, at = 1000000 + 60 * wait;
    CHECK(surefill_wait_submit(waits, wait, at, 600 * (wait % 97), 1 + (int32_t)(wait % 13), &first, &number));
    CHECK(surefill_wait_start(waits, wait - WAITING, at, &number));
    CHECK(surefill_scheduler_totals(scheduler, &totals));
    CHECK(surefill_scheduler_job(scheduler, 5, &number, &first));
    CHECK(surefill_cycle_holds(cycle, scheduler, 0, &first));
    describe(keys);
    const int64_t then = now + 60 * (PAST + id);
    CHECK(surefill_predictor_submit(predictor, PAST + id, keys, 3, then));
    CHECK(surefill_predictor_predict_job(predictor, PAST + id, found_memory, sizeof found_memory, &first, &found));
    CHECK(surefill_predictor_said(predictor, PAST + id, found_memory, sizeof found_memory, &first, &found));
    CHECK(surefill_predictor_start(predictor, PAST + id, then));
    CHECK(surefill_predictor_end(predictor, PAST + id, then + 30));
    job.user = keys[0], job.limit = keys[1], job.count = (int32_t)keys[2], job.submit = now - 400;
    job.ran = 0;
    report(PAST + WAITING + id, SUREFILL_JOB_WAITING);
    report(PAST + WAITING + id, SUREFILL_JOB_RUNNING);
    now += job.ran = 30;
    report(PAST + WAITING + id, SUREFILL_JOB_ENDED);
}

int main(void) {
    make_pass();
    make_waits();
    make_predictor();
    make_scheduler();
    for (int64_t i = 1; i <= TIMES; i++) measured(i);
    printf("%d\n", TIMES);
    return 0;
}
