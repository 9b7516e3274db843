/* The sweep of the scheduler and of its cycles.
 *
 * The scheduler has two pools with a queue each. In the first, of 16 units, job 1 runs on 4; its cycle has offered
 * job 2, which was started, and job 3, which was not answered; job 4 is held. The tight one has room for one pool, one
 * queue and two jobs: an array, of which its cycle has offered a task, and a job that was submitted since. */
#include "sweep.h"

#undef REFUSED
#define REFUSED SCHEDULERS_REFUSED

enum { NOW = 1000000, RUNS = 1, STARTED = 2, OFFERED = 3, HELD = 4, ARRAY = 10, OTHER = 11 };

static surefill_scheduler_capacity small(int32_t jobs, int32_t pools) {
    surefill_scheduler_capacity capacity;
    CHECK_OK(surefill_scheduler_capacity_init(&capacity, jobs));
    CHECK(capacity.struct_size == sizeof capacity && capacity.jobs == jobs && capacity.ended == jobs);
    capacity.pools = capacity.queues = pools;
    capacity.histories = 1;
    capacity.waits = 4;
    capacity.bins = 2;
    capacity.arrivals = 4;
    return capacity;
}

/* A job of one queue that waits. */
static surefill_job waiting(int64_t id, int32_t count) {
    surefill_job job = {.struct_size = sizeof job, .state = SUREFILL_JOB_WAITING, .id = id, .user = 7};
    job.limit = 3600;
    job.count = count;
    job.queue_count = 1;
    return job;
}

static void tell(surefill_scheduler *scheduler, int64_t id, int32_t state, int32_t tasks) {
    surefill_job job = waiting(id, 4);
    job.state = state;
    job.tasks = tasks;
    CHECK_OK(surefill_scheduler_set_job(scheduler, NOW, &job));
}

static void begin(int64_t memory[CYCLE_WORDS], surefill_scheduler *scheduler) {
    surefill_cycle *cycle;
    CHECK_OK(surefill_cycle_begin(memory, CYCLE_WORDS * 8, scheduler, 0, NOW, &cycle));
}

static void offered(int64_t memory[CYCLE_WORDS], surefill_scheduler *scheduler, int64_t job, int32_t number) {
    surefill_action action = {.struct_size = sizeof action};
    CHECK_OK(surefill_cycle_next((surefill_cycle *)memory, scheduler, &action));
    CHECK(action.step == SUREFILL_ACT_START && action.job == job && action.number == number && action.count == 4);
}

void make_schedulers(void) {
    int32_t pool, queue;
    surefill_scheduler *made;
    world.scheduler_capacity = small(8, 2);
    world.tight_capacity = small(2, 1);
    CHECK_OK(surefill_scheduler_init(schedulers.scheduler, sizeof schedulers.scheduler, &world.scheduler_capacity, &made));
    CHECK_OK(surefill_scheduler_set_pool(made, "a", 1, 16, -1, &pool));
    CHECK_OK(surefill_scheduler_set_queue(made, "a", 1, pool, &queue));
    CHECK(pool == 0 && queue == 0);
    CHECK_OK(surefill_scheduler_set_pool(made, "b", 1, 16, -1, &pool));
    CHECK_OK(surefill_scheduler_set_queue(made, "b", 1, pool, &queue));
    CHECK(pool == 1 && queue == 1);
    tell(made, RUNS, SUREFILL_JOB_RUNNING, 0);
    tell(made, STARTED, SUREFILL_JOB_WAITING, 0);
    tell(made, OFFERED, SUREFILL_JOB_WAITING, 0);
    tell(made, HELD, SUREFILL_JOB_HELD, 0);
    begin(schedulers.cycle, made);
    begin(schedulers.new_cycle, made);
    offered(schedulers.cycle, made, STARTED, 0);
    CHECK_OK(surefill_cycle_started(CYCLE, made, 0, STARTED));
    offered(schedulers.cycle, made, OFFERED, 1);

    CHECK_OK(surefill_scheduler_init(schedulers.tight_scheduler, sizeof schedulers.tight_scheduler, &world.tight_capacity, &made));
    CHECK_OK(surefill_scheduler_set_pool(made, "a", 1, 16, -1, &pool));
    CHECK_OK(surefill_scheduler_set_queue(made, "a", 1, pool, &queue));
    tell(made, ARRAY, SUREFILL_JOB_WAITING, 3);
    begin(schedulers.tight_cycle, made);
    offered(schedulers.tight_cycle, made, ARRAY, 0);
    tell(made, OTHER, SUREFILL_JOB_WAITING, 0);
    world.totals.struct_size = sizeof world.totals;
    world.action.struct_size = sizeof world.action;
    world.job = waiting(HELD + 1, 4);
}

void sweep_hash(void) {
    CHECK(surefill_hash("", 0) == INT64_C(-3750763034362895579)); /* the offset of FNV-1a */
    CHECK(surefill_hash("a", 1) == (int64_t)UINT64_C(0xaf63dc4c8601ec8c));
    CHECK(surefill_hash("foobar", 6) == (int64_t)UINT64_C(0x85944171f73967e8));
    CHECK(surefill_hash(NULL, 5) == surefill_hash("", 0) && surefill_hash("a", INT64_MIN) == surefill_hash("", 0));
    CHECK(surefill_hash("a", -1) == surefill_hash("", 0) && surefill_hash("a", INT64_MAX) == surefill_hash("", 0));
}

void sweep_scheduler_capacity_init(void) {
    surefill_scheduler_capacity largest;
    BAD_INIT(surefill_scheduler_capacity, p, n, (surefill_scheduler_capacity_init)(p, 8, n));
    const int32_t wrong[] = {0, -1, (1 << 20) + 1, INT32_MIN, INT32_MAX};
    for (int i = 0; i < 5; i++)
        REFUSED(SUREFILL_ERROR_OUT_OF_RANGE, surefill_scheduler_capacity_init(&world.scheduler_capacity, wrong[i]));
    CHECK_OK(surefill_scheduler_capacity_init(&largest, 1 << 20));
    CHECK_OK(surefill_scheduler_size(&largest, world.int64));
    CHECK_OK(surefill_cycle_size(&largest, world.int64));
    CHECK_OK(surefill_starts_size(&largest, SUREFILL_MAX_START_SCENARIOS, world.int64));
}

/* Every call that reads a capacity refuses one with a member out of range, or of a size that no version has. */
void bad_capacities(int32_t (*call)(const surefill_scheduler_capacity *capacity)) {
    static surefill_scheduler_capacity bad;
    const uint32_t sizes[] = {0, 1, 4, 7, 9, sizeof bad - 1, 4097, UINT32_MAX};
    const struct {
        int32_t *member, most;
    } members[] = {{&bad.jobs, 1 << 20},       {&bad.ended, 1 << 20}, {&bad.pools, 63}, {&bad.queues, 63},
                   {&bad.histories, 1 << 24}, {&bad.waits, 1 << 22}, {&bad.bins, SUREFILL_MAX_BINS},
                   {&bad.arrivals, 1 << 20},   {&bad.nodes, 65535},  {&bad.kinds, SUREFILL_MAX_RESOURCES},
                   {&bad.parts, 1 << 21},      {&bad.reservations, 64}};
    REFUSED(SUREFILL_ERROR_NULL, call(NULL));
    REFUSED(SUREFILL_ERROR_MISALIGNED, call(ODD(&world.scheduler_capacity)));
    for (int i = 0; i < 8; i++) {
        bad = world.scheduler_capacity;
        bad.struct_size = sizes[i];
        REFUSED(WRONG_SIZE(sizes[i]), call(&bad));
    }
    for (int i = 0; i < 12; i++) {
        const int32_t wrong[] = {-1, members[i].most + 1, INT32_MIN, INT32_MAX, 0};
        const int32_t *member = members[i].member;
        const int none_is_allowed = member == &bad.ended || member == &bad.histories || (i >= 7 && member != &bad.kinds);
        for (int j = 0; j < (none_is_allowed ? 4 : 5); j++) {
            bad = world.scheduler_capacity;
            *members[i].member = wrong[j];
            REFUSED(SUREFILL_ERROR_OUT_OF_RANGE, call(&bad));
        }
    }
    bad = world.scheduler_capacity;
    bad.bins = 1;
    REFUSED(SUREFILL_ERROR_OUT_OF_RANGE, call(&bad));
}

static int32_t size_of(const surefill_scheduler_capacity *c) { return surefill_scheduler_size(c, &world.int64[0]); }
static int32_t made_of(const surefill_scheduler_capacity *c) {
    return surefill_scheduler_init(world.fresh, sizeof world.fresh, c, (surefill_scheduler **)&world.handle[0]);
}
static int32_t grown_to(const surefill_scheduler_capacity *c) {
    return surefill_scheduler_grow(SCHEDULER, world.fresh, sizeof world.fresh, c, (surefill_scheduler **)&world.handle[0]);
}

void sweep_scheduler_size(void) {
    surefill_scheduler_capacity older = world.scheduler_capacity;
    int64_t bytes;
    bad_capacities(size_of);
    BAD_POINTER(p, &world.int64[0], surefill_scheduler_size(&world.scheduler_capacity, p));
    CHECK_OK(surefill_scheduler_size(&world.scheduler_capacity, &bytes));
    CHECK(bytes > 0 && bytes <= (int64_t)sizeof schedulers.scheduler);
    /* A program that knows but the first members has the default for the others. */
    for (older.struct_size = 8; older.struct_size < sizeof older; older.struct_size += 4)
        CHECK_OK(surefill_scheduler_size(&older, &bytes));
    /* Any number of submissions can be remembered, also none. */
    const int32_t arrivals[] = {0, 1, 1 << 20};
    int64_t least = 0;
    for (int i = 0; i < 3; i++) {
        older = world.scheduler_capacity;
        older.arrivals = arrivals[i];
        CHECK_OK(surefill_scheduler_size(&older, &bytes));
        CHECK(bytes > least);
        least = bytes;
    }
}

void sweep_scheduler_init(void) {
    int64_t size;
    CHECK_OK(surefill_scheduler_size(&world.scheduler_capacity, &size));
    bad_capacities(made_of);
    BAD_MEMORY(size, m, n, out, surefill_scheduler_init(m, n, &world.scheduler_capacity, out));
}

void sweep_scheduler_grow(void) {
    surefill_scheduler_capacity larger = world.scheduler_capacity, other;
    surefill_scheduler *grown;
    surefill_totals totals = {.struct_size = sizeof totals};
    int64_t size;
    bad_capacities(grown_to);
    larger.jobs = 16;
    CHECK_OK(surefill_scheduler_size(&larger, &size));
    BAD_HANDLE(KIND_SCHEDULER, h,
               surefill_scheduler_grow(h, world.fresh, size, &larger, (surefill_scheduler **)&world.handle[0]));
    BAD_MEMORY(size, m, n, out, surefill_scheduler_grow(SCHEDULER, m, n, &larger, out));
    /* There must be room for as much as there is, and learnt is what was learnt. */
    int32_t *const members[] = {&other.jobs,  &other.pools, &other.queues,  &other.histories,
                                &other.waits, &other.bins,  &other.arrivals};
    for (int i = 0; i < 7; i++) {
        other = larger;
        *members[i] = i == 0 ? 7 : i < 3 ? 1 : *members[i] + 1;
        REFUSED(SUREFILL_ERROR_OUT_OF_RANGE, grown_to(&other));
    }
    schedulers_before = schedulers;
    CHECK_OK(surefill_scheduler_grow(SCHEDULER, world.fresh, size, &larger, &grown));
    CHECK(memcmp(schedulers.scheduler, schedulers_before.scheduler, sizeof schedulers.scheduler) == 0);
    CHECK_OK(surefill_scheduler_totals(grown, &totals));
    CHECK(totals.waiting == 2 && totals.running == 2 && totals.submitted == 4 && totals.started == 2);
}

void sweep_scheduler_seal(void) { BAD_HANDLE(KIND_SCHEDULER, h, surefill_scheduler_seal(h)); }

void sweep_scheduler_open(void) {
    surefill_scheduler *opened;
    int64_t size;
    CHECK_OK(surefill_scheduler_size(&world.scheduler_capacity, &size));
    memcpy(world.fresh, schedulers.scheduler, sizeof schedulers.scheduler);
    REFUSED(SUREFILL_ERROR_CORRUPT, surefill_scheduler_open(world.fresh, size, (surefill_scheduler **)&world.handle[0]));
    CHECK_OK(surefill_scheduler_seal((surefill_scheduler *)world.fresh));
    BAD_MEMORY(size, m, n, out, surefill_scheduler_open(m, n, out));
    CHECK_OK(surefill_scheduler_open(world.fresh, size, &opened)); /* once more */
    const int64_t sealed = world.fresh[0];
    unsigned char *magic = (unsigned char *)world.fresh;
    for (int i = 0; i < 8; i++) magic[i] = ((const unsigned char *)&sealed)[7 - i];
    REFUSED(SUREFILL_ERROR_FOREIGN_BYTE_ORDER,
            surefill_scheduler_open(world.fresh, size, (surefill_scheduler **)&world.handle[0]));
    world.fresh[0] = sealed;
    void *out = &world.handle[0];
    REFUSED(SUREFILL_ERROR_TOO_SMALL, surefill_scheduler_open(world.zeros, 100, out));
    REFUSED(SUREFILL_ERROR_WRONG_OBJECT, surefill_scheduler_open(world.wait, sizeof world.wait, out));
    CHECK_OK(surefill_scheduler_set_priority(opened, OFFERED, 1, 5));
    REFUSED(SUREFILL_ERROR_CORRUPT, surefill_scheduler_open(world.fresh, size, out));
}

void sweep_scheduler_capacity_of(void) {
    surefill_scheduler_capacity found = {.struct_size = sizeof found};
    BAD_HANDLE(KIND_SCHEDULER, h, surefill_scheduler_capacity_of(h, &world.scheduler_capacity));
    FILLS(surefill_scheduler_capacity, 4, p, surefill_scheduler_capacity_of(SCHEDULER, p));
    CHECK_OK(surefill_scheduler_capacity_of(SCHEDULER, &found));
    CHECK(memcmp(&found, &world.scheduler_capacity, sizeof found) == 0);
}

void sweep_scheduler_configure(void) {
    static char message[300], few[8], whole[400];
    const char *const bad[] = {"presto", "mode=on presto=fair", "proposals=2.5", "front=0", "cut=nan", "mode=", "=", "seed=-1"};
    const char *const named[] = {"'presto': ", "'presto=fair': ", "'proposals=2.5': ", "'front=0': ", "'cut=nan': ",
                                 "'mode=': ", "'=': ", "'seed=-1': "};
    BAD_HANDLE(KIND_SCHEDULER, h, surefill_scheduler_configure(h, "mode=on", 7, NULL, message, sizeof message));
    REFUSED(SUREFILL_ERROR_NULL, surefill_scheduler_configure(SCHEDULER, NULL, 7, NULL, message, sizeof message));
    REFUSED(SUREFILL_ERROR_NULL, surefill_scheduler_configure(SCHEDULER, "mode=on", 7, NULL, NULL, 1));
    const int64_t lengths[] = {INT64_C(1) << 31, INT64_MAX, -1, INT64_MIN};
    for (int i = 0; i < 4; i++)
        REFUSED(SUREFILL_ERROR_OUT_OF_RANGE,
                surefill_scheduler_configure(SCHEDULER, "mode=on", lengths[i], NULL, message, sizeof message));
    for (int i = 2; i < 4; i++)
        REFUSED(SUREFILL_ERROR_OUT_OF_RANGE,
                surefill_scheduler_configure(SCHEDULER, "mode=on", 7, NULL, message, lengths[i]));
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        const int64_t length = (int64_t)strlen(bad[i]);
        REFUSED(SUREFILL_ERROR_OUT_OF_RANGE,
                surefill_scheduler_configure(SCHEDULER, bad[i], length, "", message, sizeof message));
        CHECK(strncmp(message, named[i], strlen(named[i])) == 0 && strstr(message, "wanted is ") != NULL);
    }
    /* Neither what was predicted nor how the pools' plans go on can be changed behind them. */
    REFUSED(SUREFILL_ERROR_OUT_OF_RANGE,
            surefill_scheduler_configure(SCHEDULER, "mode=on predictor=limit", 23, NULL, message, sizeof message));
    CHECK(strcmp(message, "'predictor=limit': wanted is predictor= before the first job") == 0);
    REFUSED(SUREFILL_ERROR_OUT_OF_RANGE, surefill_scheduler_configure(SCHEDULER, "seed=5,mode=on", 14, NULL, message, sizeof message));
    CHECK(strcmp(message, "'seed=5': wanted is seed= before the first pool") == 0);
    /* Bytes that are no text, in the words and in the prefix. */
    REFUSED(SUREFILL_ERROR_OUT_OF_RANGE, surefill_scheduler_configure(SCHEDULER, "\xff", 1, NULL, message, sizeof message));
    CHECK(strstr(message, "UTF-8") != NULL);
    REFUSED(SUREFILL_ERROR_OUT_OF_RANGE, surefill_scheduler_configure(SCHEDULER, "a", 1, "\xff", message, sizeof message));
    CHECK(strstr(message, "UTF-8") != NULL);
    /* A short message has its end, and none at all needs no room. */
    REFUSED(SUREFILL_ERROR_OUT_OF_RANGE, surefill_scheduler_configure(SCHEDULER, "presto", 6, NULL, few, 7));
    CHECK(strcmp(few, "'prest") == 0);
    REFUSED(SUREFILL_ERROR_OUT_OF_RANGE, surefill_scheduler_configure(SCHEDULER, "presto", 6, NULL, NULL, 0));
    /* Only what begins with the prefix is looked at. */
    CHECK_OK(surefill_scheduler_configure(SCHEDULER, "presto,my_proposals=9", 21, "my_", message, sizeof message));
    CHECK(message[0] == 0);
    CHECK_OK(surefill_scheduler_words(SCHEDULER, whole, sizeof whole));
    CHECK(strstr(whole, "proposals=9 ") != NULL);
    CHECK_OK(surefill_scheduler_configure(SCHEDULER, NULL, 0, NULL, NULL, 0));
}

void sweep_scheduler_words(void) {
    static char words[400], again[400];
    BAD_HANDLE(KIND_SCHEDULER, h, surefill_scheduler_words(h, words, sizeof words));
    REFUSED(SUREFILL_ERROR_NULL, surefill_scheduler_words(SCHEDULER, NULL, 10));
    REFUSED(SUREFILL_ERROR_OUT_OF_RANGE, surefill_scheduler_words(SCHEDULER, words, -1));
    REFUSED(SUREFILL_ERROR_OUT_OF_RANGE, surefill_scheduler_words(SCHEDULER, words, INT64_MIN));
    CHECK_OK(surefill_scheduler_words(SCHEDULER, words, sizeof words));
    const int64_t length = (int64_t)strlen(words);
    CHECK_OK(surefill_scheduler_words(SCHEDULER, again, length + 1));
    CHECK(strcmp(words, again) == 0);
    REFUSED(SUREFILL_ERROR_FULL, surefill_scheduler_words(SCHEDULER, again, length));
    CHECK((int64_t)strlen(again) == length - 1 && strncmp(words, again, strlen(again)) == 0);
    REFUSED(SUREFILL_ERROR_FULL, surefill_scheduler_words(SCHEDULER, NULL, 0));
    CHECK_OK(surefill_scheduler_configure(SCHEDULER, words, length, NULL, again, sizeof again));
}

void sweep_scheduler_set_pool(void) {
    int32_t *pool = &world.int32[0];
    BAD_HANDLE(KIND_SCHEDULER, h, surefill_scheduler_set_pool(h, "c", 1, 4, -1, pool));
    BAD_POINTER(p, pool, surefill_scheduler_set_pool(SCHEDULER, "a", 1, 16, -1, p));
    REFUSED(SUREFILL_ERROR_NULL, surefill_scheduler_set_pool(SCHEDULER, NULL, 1, 16, -1, pool));
    const int32_t units[] = {-1, INT32_MIN}, idle[] = {-2, 17, INT32_MIN, INT32_MAX};
    for (int i = 0; i < 2; i++)
        REFUSED(SUREFILL_ERROR_OUT_OF_RANGE, surefill_scheduler_set_pool(SCHEDULER, "a", 1, units[i], -1, pool));
    for (int i = 0; i < 4; i++)
        REFUSED(SUREFILL_ERROR_OUT_OF_RANGE, surefill_scheduler_set_pool(SCHEDULER, "a", 1, 16, idle[i], pool));
    REFUSED(SUREFILL_ERROR_OUT_OF_RANGE, surefill_scheduler_set_pool(SCHEDULER, "a", -1, 16, -1, pool));
    REFUSED(SUREFILL_ERROR_OUT_OF_RANGE, surefill_scheduler_set_pool(SCHEDULER, "a", INT64_MAX, 16, -1, pool));
    REFUSED(SUREFILL_ERROR_FULL, surefill_scheduler_set_pool(SCHEDULER, "c", 1, 16, -1, pool));
    CHECK(surefill_scheduler_set_pool(SCHEDULER, "b", 1, INT32_MAX, -1, pool) == SUREFILL_OK && *pool == 1);
    /* None of them is in service. */
    CHECK(surefill_scheduler_set_pool(SCHEDULER, "b", 1, 0, -1, pool) == SUREFILL_OK && *pool == 1);
}

void sweep_scheduler_set_queue(void) {
    int32_t *queue = &world.int32[0];
    BAD_HANDLE(KIND_SCHEDULER, h, surefill_scheduler_set_queue(h, "a", 1, 0, queue));
    BAD_POINTER(p, queue, surefill_scheduler_set_queue(SCHEDULER, "a", 1, 0, p));
    REFUSED(SUREFILL_ERROR_NULL, surefill_scheduler_set_queue(SCHEDULER, NULL, 1, 0, queue));
    REFUSED(SUREFILL_ERROR_OUT_OF_RANGE, surefill_scheduler_set_queue(SCHEDULER, "a", -1, 0, queue));
    const int32_t pools[] = {2, -1, INT32_MIN, INT32_MAX};
    for (int i = 0; i < 4; i++)
        REFUSED(SUREFILL_ERROR_NO_SUCH_INDEX, surefill_scheduler_set_queue(SCHEDULER, "a", 1, pools[i], queue));
    REFUSED(SUREFILL_ERROR_FULL, surefill_scheduler_set_queue(SCHEDULER, "c", 1, 0, queue));
    CHECK(surefill_scheduler_set_queue(SCHEDULER, "b", 1, 1, queue) == SUREFILL_OK && *queue == 1);
}
