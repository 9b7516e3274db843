/* The sweep of the scheduling pass. */
#include "sweep.h"

#define NEW ((surefill_pass *)world.new_pass)
#define MORE ((surefill_pass *)world.more_pass)
#define FRESH ((surefill_pass *)world.fresh)

enum { NOW = 1000000, RUNNING = 3, CANDIDATES = 3, PROCESSORS = 16 };

static const int32_t wrong_processors[] = {0, -1, PROCESSORS + 1, INT32_MIN, INT32_MAX};
/* Error for a time that lies before the pass's or too far behind it; one whose distance is no number is out of
 * range. */
static int32_t time_error(int64_t when) {
    return when < NOW ? SUREFILL_ERROR_OUT_OF_RANGE : SUREFILL_ERROR_SPAN_TOO_LONG;
}

static const int64_t wrong_spans[] = {-1, INT64_MIN, SUREFILL_MAX_SECONDS + 1, INT64_MAX};

static surefill_pass_capacity small_capacity(void) {
    surefill_pass_capacity capacity;
    CHECK_OK(surefill_pass_capacity_init(&capacity));
    capacity.running = RUNNING;
    capacity.candidates = CANDIDATES;
    capacity.processors = PROCESSORS;
    capacity.bins = 4;
    capacity.events_per_bin = 2;
    capacity.tie_cells = 0;
    return capacity;
}

/* 4 of 16 processors are idle, the head job needs 12; one place is left for a running job and for a candidate. */
static void fill(surefill_pass *pass, int64_t head_waited) {
    CHECK_OK(surefill_pass_begin(pass, NOW, 4, 7, 12, head_waited));
    CHECK_OK(surefill_pass_add_running(pass, 8, 10, 5000, DISTRIBUTION, NULL));
    CHECK_OK(surefill_pass_add_running(pass, 2, 10, 900, NULL, NULL));
    CHECK_OK(surefill_pass_add_candidate(pass, 2, 5000, DISTRIBUTION, NULL));
    CHECK_OK(surefill_pass_add_candidate(pass, 1, 9000, DISTRIBUTION, NULL));
}

void make_passes(void) {
    surefill_pass *pass;
    const surefill_pass_capacity capacity = small_capacity();
    int32_t step, candidate;
    surefill_rule rule = world.rule;
    CHECK_OK(surefill_pass_init(world.new_pass, sizeof world.new_pass, &capacity, &pass));
    /* A pass holds no pointers: a copy is another pass. */
    memcpy(world.filling_pass, world.new_pass, sizeof world.new_pass);
    fill(FILLING, 0);
    memcpy(world.accepting_pass, world.filling_pass, sizeof world.new_pass);
    memcpy(world.more_pass, world.filling_pass, sizeof world.new_pass);
    rule.threshold = 2;
    CHECK_OK(surefill_pass_decide(ACCEPTING, &rule, 1000000, &step, &candidate));
    CHECK(step == SUREFILL_STEP_ACCEPT && candidate == 0);
    CHECK_OK(surefill_pass_decide(MORE, &world.rule, 1, &step, &candidate));
    CHECK(step == SUREFILL_STEP_MORE && candidate == -1);
}

void sweep_pass_capacity_init(void) { BAD_INIT(surefill_pass_capacity, p, n, (surefill_pass_capacity_init)(p, n)); }
void sweep_rule_init(void) { BAD_INIT(surefill_rule, p, n, (surefill_rule_init)(p, n)); }

/* A structure with room behind it, as a newer program would have. */
union newer {
    surefill_pass_capacity capacity;
    surefill_rule rule;
    uint32_t struct_size;
    unsigned char bytes[8192];
};

/* Sizes that no version of a structure has, and members that this version does not know. */
#define BAD_STRUCT(p, known_size, good, call)                                                             \
    do {                                                                                                  \
        static union newer newer;                                                                         \
        void *p = &newer;                                                                                 \
        const uint32_t sizes[] = {0, 1, 3, 4097, INT32_MAX, UINT32_MAX};                                  \
        memset(&newer, 0, sizeof newer);                                                                  \
        memcpy(&newer, good, known_size);                                                                 \
        for (int i = 0; i < 6; i++) {                                                                     \
            newer.struct_size = sizes[i];                                                                 \
            REFUSED(WRONG_SIZE(sizes[i]), call);                                                          \
        }                                                                                                 \
        newer.struct_size = known_size + 8;                                                               \
        newer.bytes[known_size + 7] = 1;                                                                  \
        REFUSED(SUREFILL_ERROR_WRONG_VERSION, call);                                                      \
        p = NULL;                                                                                         \
        REFUSED(SUREFILL_ERROR_NULL, call);                                                               \
        p = ODD(&newer);                                                                                  \
        REFUSED(SUREFILL_ERROR_MISALIGNED, call);                                                         \
    } while (0)

/* Limits of other sizes that are accepted mean what they say, and defaults where they say nothing. */
static void limits_of_other_versions(void) {
    union newer newer;
    int64_t size = 0, expected = -1;
    surefill_pass_capacity capacity;
    CHECK_OK(surefill_pass_capacity_init(&capacity));
    capacity.running = 5;
    capacity.candidates = 6;
    CHECK_OK(surefill_pass_size(&capacity, &expected));
    memset(&newer, 0xee, sizeof newer);
    newer.capacity = capacity;
    newer.struct_size = offsetof(surefill_pass_capacity, processors); /* an older program: the rest is not read */
    memset(newer.bytes + newer.struct_size, 0xee, 64);
    CHECK_OK(surefill_pass_size(&newer.capacity, &size));
    CHECK(size == expected);
    memset(&newer, 0, sizeof newer);
    newer.capacity = capacity;
    newer.struct_size = 4096; /* a newer one that does not use what is new */
    CHECK_OK(surefill_pass_size(&newer.capacity, &size));
    CHECK(size == expected);
    CHECK_OK(surefill_pass_capacity_init(&capacity));
    CHECK_OK(surefill_pass_size(&capacity, &expected));
    newer.struct_size = 4; /* nothing but its size: all defaults */
    CHECK_OK(surefill_pass_size(&newer.capacity, &size));
    CHECK(size == expected);
}

/* Every member of the capacity, out of range. */
static void sweep_capacity(int32_t (*call)(const surefill_pass_capacity *)) {
    static const struct {
        size_t member;
        int32_t largest, smallest;
    } members[] = {{offsetof(surefill_pass_capacity, running), 1 << 20, 0},
                   {offsetof(surefill_pass_capacity, candidates), 1 << 20, 0},
                   {offsetof(surefill_pass_capacity, processors), 1 << 24, 1},
                   {offsetof(surefill_pass_capacity, bins), SUREFILL_MAX_BINS, 1},
                   {offsetof(surefill_pass_capacity, events_per_bin), SUREFILL_MAX_EVENTS_PER_BIN, 1},
                   {offsetof(surefill_pass_capacity, tie_cells), 1 << 28, 0}};
    for (size_t i = 0; i < sizeof members / sizeof *members; i++) {
        const int32_t wrong[] = {members[i].largest + 1, members[i].smallest - 1, INT32_MAX, INT32_MIN};
        for (int w = 0; w < 4; w++) {
            surefill_pass_capacity capacity = small_capacity();
            memcpy((char *)&capacity + members[i].member, &wrong[w], sizeof wrong[w]);
            REFUSED(SUREFILL_ERROR_OUT_OF_RANGE, call(&capacity));
        }
    }
}

static int32_t size_of(const surefill_pass_capacity *capacity) { return surefill_pass_size(capacity, &world.int64[0]); }

static int32_t make(const surefill_pass_capacity *capacity) {
    return surefill_pass_init(world.fresh, sizeof world.fresh, capacity, (surefill_pass **)&world.handle[0]);
}

void sweep_pass_size(void) {
    const surefill_pass_capacity capacity = small_capacity();
    BAD_STRUCT(p, sizeof capacity, &capacity, size_of(p));
    BAD_POINTER(p, world.int64, surefill_pass_size(&capacity, p));
    sweep_capacity(size_of);
    limits_of_other_versions();
    /* The largest of everything has a size, too. */
    const surefill_pass_capacity largest = {sizeof largest,    1 << 20, 1 << 20, 1 << 24,
                                          SUREFILL_MAX_BINS, SUREFILL_MAX_EVENTS_PER_BIN, 1 << 28};
    CHECK_OK(surefill_pass_size(&largest, &world.int64[0]));
    CHECK(world.int64[0] > (int64_t)1 << 36);
    REFUSED(SUREFILL_ERROR_TOO_SMALL, make(&largest));
}

void sweep_pass_init(void) {
    int64_t size;
    const surefill_pass_capacity capacity = small_capacity();
    CHECK_OK(surefill_pass_size(&capacity, &size));
    CHECK(size <= (int64_t)sizeof world.new_pass);
    BAD_MEMORY(size, m, n, out, surefill_pass_init(m, n, &capacity, out));
    BAD_STRUCT(p, sizeof capacity, &capacity, make(p));
    sweep_capacity(make);

    /* Capacity 0 is a capacity: what is added finds it full, and there is nothing to decide. */
    surefill_pass_capacity none = small_capacity();
    int32_t step, candidate;
    none.running = none.candidates = 0;
    none.processors = none.bins = none.events_per_bin = 1;
    CHECK_OK(make(&none));
    CHECK_OK(surefill_pass_begin(FRESH, NOW, 0, 7, 1, 0));
    REFUSED(SUREFILL_ERROR_FULL, surefill_pass_add_running(FRESH, 1, 0, 10, NULL, NULL));
    REFUSED(SUREFILL_ERROR_FULL, surefill_pass_add_candidate(FRESH, 1, 10, NULL, NULL));
    CHECK_OK(surefill_pass_decide(FRESH, &world.rule, 1, &step, &candidate));
    CHECK(step == SUREFILL_STEP_DONE && candidate == -1);
    REFUSED(SUREFILL_ERROR_NO_SUCH_INDEX, surefill_pass_commit(FRESH, -1));
    /* And so is 1, on a machine of one processor. */
    none.running = none.candidates = 1;
    CHECK_OK(make(&none));
    CHECK_OK(surefill_pass_begin(FRESH, NOW, 0, 7, 1, 0));
    CHECK_OK(surefill_pass_add_running(FRESH, 1, 0, 10, NULL, &world.int32[0]));
    CHECK(world.int32[0] == 0);
    CHECK_OK(surefill_pass_add_candidate(FRESH, 1, 10, NULL, NULL));
    REFUSED(SUREFILL_ERROR_FULL, surefill_pass_add_candidate(FRESH, 1, 10, NULL, NULL));
    do CHECK_OK(surefill_pass_decide(FRESH, &world.rule, 1, &step, &candidate));
    while (step == SUREFILL_STEP_MORE);
    CHECK(step == SUREFILL_STEP_DONE);
}

void sweep_pass_begin(void) {
    BAD_HANDLE(KIND_PASS, h, surefill_pass_begin(h, NOW, 4, 7, 12, 0));
    const int64_t far[] = {INT64_MIN, INT64_MAX, -((int64_t)1 << 53) - 1, ((int64_t)1 << 53) + 1};
    for (int i = 0; i < 4; i++) REFUSED(SUREFILL_ERROR_OUT_OF_RANGE, surefill_pass_begin(NEW, far[i], 4, 7, 12, 0));
    for (int i = 1; i < 5; i++) {
        REFUSED(processors_error(wrong_processors[i]), surefill_pass_begin(NEW, NOW, wrong_processors[i], 7, 12, 0));
        REFUSED(processors_error(wrong_processors[i]), surefill_pass_begin(NEW, NOW, 4, 7, wrong_processors[i], 0));
    }
    for (int i = 0; i < 4; i++) REFUSED(span_error(wrong_spans[i]), surefill_pass_begin(FILLING, NOW, 4, 7, 12, wrong_spans[i]));
    REFUSED(SUREFILL_ERROR_HEAD_FITS, surefill_pass_begin(FILLING, NOW, 4, 7, 4, 0));
    REFUSED(SUREFILL_ERROR_HEAD_FITS, surefill_pass_begin(FILLING, NOW, 16, 7, 12, 0));
    REFUSED(SUREFILL_ERROR_HEAD_FITS, surefill_pass_begin(FILLING, NOW, 0, 7, 0, 0));
    /* Time may run backwards between two passes (clocks are set): each knows only its own. */
    memcpy(world.fresh, world.filling_pass, sizeof world.filling_pass);
    CHECK_OK(surefill_pass_begin(FRESH, NOW - 500, 4, INT64_MIN, 12, 0));
    CHECK_OK(surefill_pass_begin(FRESH, -((int64_t)1 << 53), 0, INT64_MAX, 1, SUREFILL_MAX_SECONDS));
    /* A head job that has waited for so long is guarded: only what is harmless by the limits may start, and nothing
     * is. */
    surefill_rule rule = world.rule;
    rule.threshold = INFINITY;
    rule.guard = 100;
    for (int64_t waited = 99; waited <= 100; waited++) {
        int32_t verdict, exactness, step, candidate;
        double delay;
        memcpy(world.fresh, world.new_pass, sizeof world.new_pass);
        fill(FRESH, waited);
        CHECK_OK(surefill_pass_decide(FRESH, &rule, 1000000, &step, &candidate));
        while (step == SUREFILL_STEP_ACCEPT) {
            CHECK_OK(surefill_pass_commit(FRESH, candidate));
            CHECK_OK(surefill_pass_decide(FRESH, &rule, 1000000, &step, &candidate));
        }
        CHECK_OK(surefill_pass_judgement(FRESH, 1, &delay, &exactness, &verdict));
        CHECK((verdict == SUREFILL_VERDICT_GUARDED && delay == 0) == (waited == 100));
    }
}

typedef int32_t adder(surefill_pass *, int32_t, int64_t, int64_t, const surefill_distribution *, int32_t *);

static void sweep_adder(adder *add_running) {
    int32_t *n = world.int32;
    BAD_HANDLE(KIND_PASS, h, add_running(h, 1, 0, 60, NULL, n));
    BAD_HANDLE_OR(0, KIND_DISTRIBUTION, h, add_running(FILLING, 1, 0, 60, h, n));
    REFUSED(SUREFILL_ERROR_MISALIGNED, add_running(FILLING, 1, 0, 60, NULL, ODD(n)));
    for (int i = 0; i < 5; i++)
        REFUSED(processors_error(wrong_processors[i]), add_running(FILLING, wrong_processors[i], 0, 60, NULL, n));
    REFUSED(SUREFILL_ERROR_OVERFULL, add_running(FILLING, 3, 0, 60, NULL, n)); /* 4 + 8 + 2 of 16 */
    for (int i = 0; i < 4; i++) {
        REFUSED(span_error(wrong_spans[i]), add_running(FILLING, 1, wrong_spans[i], 60, NULL, n));
        REFUSED(span_error(wrong_spans[i]), add_running(FILLING, 1, 0, wrong_spans[i], NULL, n));
    }
    REFUSED(SUREFILL_ERROR_FULL, /* more bins than the capacity has */
            add_running(FILLING, 1, 0, 60, (surefill_distribution *)world.wide_distribution, n));
    REFUSED(SUREFILL_ERROR_WRONG_STATE, add_running(NEW, 1, 0, 60, NULL, n));
    REFUSED(SUREFILL_ERROR_WRONG_STATE, add_running(MORE, 1, 0, 60, NULL, n));
    REFUSED(SUREFILL_ERROR_WRONG_STATE, add_running(ACCEPTING, 1, 0, 60, NULL, n));
    memcpy(world.fresh, world.filling_pass, sizeof world.filling_pass);
    CHECK_OK(add_running(FRESH, 1, SUREFILL_MAX_SECONDS, 0, DISTRIBUTION, n));
    CHECK(*n == 2);
    REFUSED(SUREFILL_ERROR_FULL, add_running(FRESH, 1, 0, 60, NULL, n));
}

void sweep_pass_add_running(void) { sweep_adder(surefill_pass_add_running); }

/* Jobs one by one, by arrays; the number of the first that is added here is 2. */
typedef int32_t adder_of_many(surefill_pass *, const surefill_pass_job *, int32_t, int32_t *);

static int32_t one_of_many(adder_of_many *add, surefill_pass *pass, surefill_pass_job job, int32_t *number) {
    int32_t wrong = 7;
    if ((uintptr_t)number % 4 != 0) return add(pass, &job, 1, number);
    const int32_t status = add(pass, &job, 1, &wrong);
    CHECK(wrong == (status == SUREFILL_OK ? -1 : 0) || wrong == -1);
    if (status == SUREFILL_OK) *number = 2;
    return status;
}

/* Wrong arrays; and where the second job is refused, the pass stays as it was before. */
static void sweep_adder_of_many(adder_of_many *add, int32_t (*one)(surefill_pass *, int32_t)) {
    int32_t wrong = 7;
    static struct {
        surefill_pass_job known;
        int64_t unknown;
    } newer[2];
    surefill_pass_job jobs[2] = {{sizeof *jobs, 1, 0, 60, NULL}, {0, 0, 0, 60, NULL}};
    BAD_POINTER(p, jobs, add(FILLING, p, 1, &wrong));
    BAD_SIZES(jobs, sizeof *jobs, add(FILLING, jobs, 1, &wrong));
    jobs[0].struct_size = sizeof *jobs + 4;
    REFUSED(SUREFILL_ERROR_WRONG_VERSION, add(FILLING, jobs, 1, &wrong));
    jobs[0].struct_size = sizeof *jobs;
    REFUSED(SUREFILL_ERROR_OUT_OF_RANGE, add(FILLING, jobs, -1, &wrong));
    CHECK(wrong == -1);
    CHECK_OK(add(FILLING, NULL, 0, NULL));
    for (int i = 0; i < 5; i++) {
        memcpy(world.fresh, world.filling_pass, sizeof world.filling_pass);
        jobs[1].processors = wrong_processors[i];
        CHECK_STATUS(processors_error(wrong_processors[i]), add(FRESH, jobs, 2, &wrong));
        CHECK(wrong == 1);
        CHECK_OK(one(FRESH, 1)); /* the place for one more is free still */
        CHECK_STATUS(SUREFILL_ERROR_FULL, one(FRESH, 1));
    }
    jobs[1].processors = 1;
    memcpy(world.fresh, world.filling_pass, sizeof world.filling_pass);
    CHECK_STATUS(SUREFILL_ERROR_FULL, add(FRESH, jobs, 2, NULL));
    /* A newer program's array, as long as nothing new is used. */
    newer[0].known = newer[1].known = jobs[0];
    newer[0].known.struct_size = sizeof *newer;
    newer[1].unknown = 1;
    CHECK_OK(surefill_pass_begin(FRESH, NOW, 4, 7, 12, 0));
    CHECK_STATUS(SUREFILL_ERROR_WRONG_VERSION, add(FRESH, &newer[0].known, 2, &wrong));
    CHECK(wrong == 1);
    newer[1].unknown = 0;
    CHECK_OK(add(FRESH, &newer[0].known, 2, &wrong));
    CHECK(wrong == -1);
    CHECK_OK(add(FRESH, jobs, 1, NULL));
    CHECK_STATUS(SUREFILL_ERROR_FULL, one(FRESH, 1));
}

static int32_t running_of_many(surefill_pass *pass, int32_t processors, int64_t age, int64_t limit,
                               const surefill_distribution *distribution, int32_t *number) {
    const surefill_pass_job job = {sizeof job, processors, age, limit, distribution};
    return one_of_many(surefill_pass_add_running_many, pass, job, number);
}

static int32_t one_running(surefill_pass *pass, int32_t processors) {
    return surefill_pass_add_running(pass, processors, 0, 60, NULL, NULL);
}

void sweep_pass_add_running_many(void) {
    sweep_adder(running_of_many);
    sweep_adder_of_many(surefill_pass_add_running_many, one_running);
}

static int32_t one_candidate(surefill_pass *pass, int32_t processors) {
    return surefill_pass_add_candidate(pass, processors, 60, NULL, NULL);
}

void sweep_pass_add_candidates_many(void) {
    const surefill_pass_job aged = {sizeof aged, 1, 1, 60, NULL}, good = {sizeof good, 1, 0, 60, NULL};
    BAD_HANDLE(KIND_PASS, h, surefill_pass_add_candidates_many(h, &good, 1, NULL));
    REFUSED(SUREFILL_ERROR_MISALIGNED, surefill_pass_add_candidates_many(FILLING, &good, 1, ODD(world.int32)));
    REFUSED(SUREFILL_ERROR_OUT_OF_RANGE, surefill_pass_add_candidates_many(FILLING, &aged, 1, NULL));
    REFUSED(SUREFILL_ERROR_WRONG_STATE, surefill_pass_add_candidates_many(MORE, &good, 1, NULL));
    sweep_adder_of_many(surefill_pass_add_candidates_many, one_candidate);
}

void sweep_pass_add_candidate(void) {
    int32_t *n = world.int32;
    BAD_HANDLE(KIND_PASS, h, surefill_pass_add_candidate(h, 1, 60, NULL, n));
    BAD_HANDLE_OR(0, KIND_DISTRIBUTION, h, surefill_pass_add_candidate(FILLING, 1, 60, h, n));
    REFUSED(SUREFILL_ERROR_MISALIGNED, surefill_pass_add_candidate(FILLING, 1, 60, NULL, ODD(n)));
    for (int i = 0; i < 5; i++)
        REFUSED(processors_error(wrong_processors[i]), surefill_pass_add_candidate(FILLING, wrong_processors[i], 60, NULL, n));
    for (int i = 0; i < 4; i++)
        REFUSED(span_error(wrong_spans[i]), surefill_pass_add_candidate(FILLING, 1, wrong_spans[i], NULL, n));
    REFUSED(SUREFILL_ERROR_FULL,
            surefill_pass_add_candidate(FILLING, 1, 60, (surefill_distribution *)world.wide_distribution, n));
    REFUSED(SUREFILL_ERROR_WRONG_STATE, surefill_pass_add_candidate(NEW, 1, 60, NULL, n));
    REFUSED(SUREFILL_ERROR_WRONG_STATE, surefill_pass_add_candidate(MORE, 1, 60, NULL, n));
    REFUSED(SUREFILL_ERROR_WRONG_STATE, surefill_pass_add_candidate(ACCEPTING, 1, 60, NULL, n));
    memcpy(world.fresh, world.filling_pass, sizeof world.filling_pass);
    CHECK_OK(surefill_pass_add_candidate(FRESH, PROCESSORS, SUREFILL_MAX_SECONDS, DISTRIBUTION, n));
    CHECK(*n == 2);
    REFUSED(SUREFILL_ERROR_FULL, surefill_pass_add_candidate(FRESH, 1, 60, NULL, n));
}

static int32_t decide(surefill_pass *pass, const surefill_rule *rule) {
    return surefill_pass_decide(pass, rule, 1000000, &world.int32[0], &world.int32[1]);
}

void sweep_pass_decide(void) {
    int32_t *step = &world.int32[0], *candidate = &world.int32[1];
    BAD_HANDLE(KIND_PASS, h, decide(h, &world.rule));
    BAD_POINTER(p, step, surefill_pass_decide(FILLING, &world.rule, 100, p, candidate));
    BAD_POINTER(p, candidate, surefill_pass_decide(FILLING, &world.rule, 100, step, p));
    BAD_STRUCT(p, sizeof world.rule, &world.rule, decide(FILLING, p));
    REFUSED(SUREFILL_ERROR_MISALIGNED, decide(FILLING, HALF(&world.rule)));
    const int64_t wrong_work[] = {0, -1, INT64_MIN};
    for (int i = 0; i < 3; i++)
        REFUSED(SUREFILL_ERROR_OUT_OF_RANGE,
                surefill_pass_decide(FILLING, &world.rule, wrong_work[i], step, candidate));
    surefill_rule rule = world.rule;
    const int32_t criteria[] = {-1, 4, INT32_MIN, INT32_MAX};
    for (int i = 0; i < 4; i++) {
        rule.criterion = criteria[i];
        REFUSED(SUREFILL_ERROR_OUT_OF_RANGE, decide(FILLING, &rule));
    }
    const double wrong[] = {-1, -1e-300, -INFINITY, NAN};
    for (int i = 0; i < 4; i++) {
        const int32_t status = isnan(wrong[i]) ? SUREFILL_ERROR_NOT_A_NUMBER : SUREFILL_ERROR_OUT_OF_RANGE;
        rule = world.rule;
        rule.threshold = wrong[i];
        REFUSED(status, decide(FILLING, &rule));
        rule = world.rule;
        rule.budget = wrong[i];
        REFUSED(status, decide(FILLING, &rule));
        rule = world.rule;
        rule.slip = wrong[i];
        REFUSED(status, decide(FILLING, &rule));
        rule = world.rule;
        rule.guard = wrong[i];
        REFUSED(status, decide(FILLING, &rule));
    }
    REFUSED(SUREFILL_ERROR_WRONG_STATE, decide(NEW, &world.rule));
    REFUSED(SUREFILL_ERROR_WRONG_STATE, decide(ACCEPTING, &world.rule));
    rule = world.rule;
    rule.threshold /= 2;
    REFUSED(SUREFILL_ERROR_WRONG_STATE, decide(MORE, &rule));
    rule = world.rule;
    rule.budget = 1;
    REFUSED(SUREFILL_ERROR_WRONG_STATE, decide(MORE, &rule));
    rule = world.rule;
    rule.slip = 1;
    REFUSED(SUREFILL_ERROR_WRONG_STATE, decide(MORE, &rule));
    rule = world.rule;
    rule.guard = 1;
    REFUSED(SUREFILL_ERROR_WRONG_STATE, decide(MORE, &rule));
    rule = world.rule;
    rule.or_easy = !rule.or_easy;
    REFUSED(SUREFILL_ERROR_WRONG_STATE, decide(MORE, &rule));
    rule = world.rule;
    rule.criterion = SUREFILL_CRITERION_PROBABILITY;
    rule.slip = 1;
    REFUSED(SUREFILL_ERROR_OUT_OF_RANGE, decide(FILLING, &rule));
    rule = world.rule;
    rule.criterion = SUREFILL_CRITERION_SECONDS;
    REFUSED(SUREFILL_ERROR_WRONG_STATE, decide(MORE, &rule));
    rule = world.rule;
    rule.unmeasured = 1;
    REFUSED(SUREFILL_ERROR_WRONG_STATE, decide(MORE, &rule));
    rule = world.rule;
    rule.criterion = SUREFILL_CRITERION_SECONDS;
    /* The largest of everything is allowed. */
    rule.threshold = rule.budget = INFINITY;
    memcpy(world.fresh, world.filling_pass, sizeof world.filling_pass);
    CHECK_OK(surefill_pass_decide(FRESH, &rule, INT64_MAX, step, candidate));
    CHECK(*step == SUREFILL_STEP_ACCEPT && *candidate == 0);
}

static void sweep_answer(int32_t (*answer)(surefill_pass *, int32_t)) {
    BAD_HANDLE(KIND_PASS, h, answer(h, 0));
    const int32_t others[] = {1, 2, 3, -1, INT32_MIN, INT32_MAX};
    for (int i = 0; i < 6; i++) REFUSED(SUREFILL_ERROR_NO_SUCH_INDEX, answer(ACCEPTING, others[i]));
    REFUSED(SUREFILL_ERROR_WRONG_STATE, answer(NEW, 0));
    REFUSED(SUREFILL_ERROR_WRONG_STATE, answer(FILLING, 0));
    REFUSED(SUREFILL_ERROR_WRONG_STATE, answer(MORE, 0));
    memcpy(world.fresh, world.accepting_pass, sizeof world.accepting_pass);
    CHECK_OK(answer(FRESH, 0));
    REFUSED(SUREFILL_ERROR_WRONG_STATE, answer(FRESH, 0)); /* once */
}

void sweep_pass_commit(void) { sweep_answer(surefill_pass_commit); }

void sweep_pass_judgement(void) {
    double *delay = world.real[0];
    int32_t *exactness = &world.int32[0], *verdict = &world.int32[1];
    BAD_HANDLE(KIND_PASS, h, surefill_pass_judgement(h, 0, delay, exactness, verdict));
    BAD_POINTER(p, delay, surefill_pass_judgement(FILLING, 0, p, exactness, verdict));
    BAD_POINTER(p, exactness, surefill_pass_judgement(FILLING, 0, delay, p, verdict));
    BAD_POINTER(p, verdict, surefill_pass_judgement(FILLING, 0, delay, exactness, p));
    const int32_t none[] = {-1, 2, INT32_MIN, INT32_MAX};
    for (int i = 0; i < 4; i++)
        REFUSED(SUREFILL_ERROR_NO_SUCH_INDEX, surefill_pass_judgement(FILLING, none[i], delay, exactness, verdict));
    REFUSED(SUREFILL_ERROR_NO_SUCH_INDEX, surefill_pass_judgement(NEW, 0, delay, exactness, verdict));
}

void sweep_pass_idle(void) {
    BAD_HANDLE(KIND_PASS, h, surefill_pass_idle(h, world.int32));
    BAD_POINTER(p, world.int32, surefill_pass_idle(FILLING, p));
}

/* Times that no question may be about: before the pass, and further away than any time limit. */
static const int64_t wrong_times[] = {NOW - 1, INT64_MIN, -1, NOW + SUREFILL_MAX_SECONDS + 1, INT64_MAX};

void sweep_pass_free_probability(void) {
    double *p = world.real[0];
    BAD_HANDLE(KIND_PASS, h, surefill_pass_free_probability(h, 8, NOW, p));
    BAD_POINTER(out, p, surefill_pass_free_probability(FILLING, 8, NOW, out));
    for (int i = 0; i < 5; i++)
        REFUSED(time_error(wrong_times[i]), surefill_pass_free_probability(FILLING, 8, wrong_times[i], p));
    for (int i = 1; i < 5; i++) /* none at all is allowed */
        REFUSED(processors_error(wrong_processors[i]), surefill_pass_free_probability(FILLING, wrong_processors[i], NOW, p));
    REFUSED(SUREFILL_ERROR_WRONG_STATE, surefill_pass_free_probability(NEW, 8, NOW, p));
}

void sweep_pass_head_start_quantile(void) {
    int64_t *when = world.int64;
    BAD_HANDLE(KIND_PASS, h, surefill_pass_head_start_quantile(h, 0.5, when));
    BAD_POINTER(p, when, surefill_pass_head_start_quantile(FILLING, 0.5, p));
    const double wrong[] = {0, -0.5, 1.0000001, INFINITY, -INFINITY};
    for (int i = 0; i < 5; i++)
        REFUSED(SUREFILL_ERROR_OUT_OF_RANGE, surefill_pass_head_start_quantile(FILLING, wrong[i], when));
    REFUSED(SUREFILL_ERROR_NOT_A_NUMBER, surefill_pass_head_start_quantile(FILLING, NAN, when));
    REFUSED(SUREFILL_ERROR_WRONG_STATE, surefill_pass_head_start_quantile(NEW, 0.5, when));
    /* 4 idle and 10 running processors are not 16. */
    memcpy(world.fresh, world.new_pass, sizeof world.new_pass);
    CHECK_OK(surefill_pass_begin(FRESH, NOW, 4, 7, PROCESSORS, 0));
    CHECK_OK(surefill_pass_add_running(FRESH, 10, 0, 60, NULL, NULL));
    REFUSED(SUREFILL_ERROR_NEVER, surefill_pass_head_start_quantile(FRESH, 0.5, when));
}

void sweep_pass_head_start_quantiles(void) {
    double asked[2] = {0.5, 0.9};
    int64_t *whens = world.int64;
    int32_t *step = world.int32;
    BAD_HANDLE(KIND_PASS, h, surefill_pass_head_start_quantiles(h, asked, 1, 1, whens, step));
    BAD_POINTER(p, asked, surefill_pass_head_start_quantiles(FILLING, p, 1, 1, whens, step));
    BAD_POINTER(p, whens, surefill_pass_head_start_quantiles(FILLING, asked, 1, 1, p, step));
    BAD_POINTER(p, step, surefill_pass_head_start_quantiles(FILLING, asked, 1, 1, whens, p));
    REFUSED(SUREFILL_ERROR_OUT_OF_RANGE, surefill_pass_head_start_quantiles(FILLING, asked, -1, 1, whens, step));
    REFUSED(SUREFILL_ERROR_OUT_OF_RANGE, surefill_pass_head_start_quantiles(FILLING, asked, 1, 0, whens, step));
    REFUSED(SUREFILL_ERROR_OUT_OF_RANGE, surefill_pass_head_start_quantiles(FILLING, asked, 1, -1, whens, step));
    const double wrong[] = {0, -0.5, 1.0000001, INFINITY, -INFINITY};
    for (int i = 0; i < 5; i++) {
        asked[0] = wrong[i];
        REFUSED(SUREFILL_ERROR_OUT_OF_RANGE, surefill_pass_head_start_quantiles(FILLING, asked, 1, 1, whens, step));
    }
    asked[0] = 0.95; /* descending */
    REFUSED(SUREFILL_ERROR_OUT_OF_RANGE, surefill_pass_head_start_quantiles(FILLING, asked, 2, 1, whens, step));
    asked[0] = NAN;
    REFUSED(SUREFILL_ERROR_NOT_A_NUMBER, surefill_pass_head_start_quantiles(FILLING, asked, 1, 1, whens, step));
    asked[0] = 0.5;
    REFUSED(SUREFILL_ERROR_WRONG_STATE, surefill_pass_head_start_quantiles(NEW, asked, 1, 1, whens, step));
    memcpy(world.fresh, world.new_pass, sizeof world.new_pass);
    CHECK_OK(surefill_pass_begin(FRESH, NOW, 4, 7, PROCESSORS, 0));
    CHECK_OK(surefill_pass_add_running(FRESH, 10, 0, 60, NULL, NULL));
    REFUSED(SUREFILL_ERROR_NEVER, surefill_pass_head_start_quantiles(FRESH, asked, 1, 1, whens, step));
}
