/* The sweep of the forecasts of starts. */
#include "sweep.h"

#define NEW ((surefill_forecast *)world.new_forecast)
#define FILLED ((surefill_forecast *)world.filled_forecast)
#define UNDER_WAY ((surefill_forecast *)world.more_forecast)
#define DONE ((surefill_forecast *)world.done_forecast)
#define FRESH ((surefill_forecast *)world.fresh)

enum { NOW = 1000000, RUNNING = 3, WAITING = 3, PROCESSORS = 16, SCENARIOS = 8 };

static const int32_t wrong_processors[] = {0, -1, PROCESSORS + 1, INT32_MIN, INT32_MAX};
static const int64_t wrong_spans[] = {-1, INT64_MIN, SUREFILL_MAX_SECONDS + 1, INT64_MAX};

static surefill_forecast_capacity small_capacity(void) {
    surefill_forecast_capacity capacity;
    CHECK_OK(surefill_forecast_capacity_init(&capacity));
    capacity.running = RUNNING;
    capacity.waiting = WAITING;
    capacity.processors = PROCESSORS;
    capacity.bins = 4;
    capacity.events_per_bin = 2;
    capacity.scenarios = SCENARIOS;
    return capacity;
}

/* 4 of 16 processors are idle, 2 are out of service; one place is left for a running and for a waiting job, and the
 * second of the waiting jobs cannot start before processors come back. */
void make_forecasts(void) {
    surefill_forecast *made;
    int32_t step;
    const surefill_forecast_capacity capacity = small_capacity();
    CHECK_OK(surefill_forecast_capacity_init(&world.forecast_capacity));
    CHECK_OK(surefill_forecast_options_init(&world.forecast_options));
    world.forecast_options.scenarios = SCENARIOS;
    CHECK_OK(surefill_forecast_init(world.new_forecast, sizeof world.new_forecast, &capacity, &made));
    /* A forecast holds no pointers: a copy is another forecast. */
    memcpy(world.filled_forecast, world.new_forecast, sizeof world.new_forecast);
    CHECK_OK(surefill_forecast_begin(FILLED, NOW, 4, &world.forecast_options));
    CHECK_OK(surefill_forecast_add_running(FILLED, 8, 10, 5000, DISTRIBUTION, NULL));
    CHECK_OK(surefill_forecast_add_running(FILLED, 2, 10, 900, NULL, NULL));
    CHECK_OK(surefill_forecast_add_waiting(FILLED, 12, 5000, NOW - 50, DISTRIBUTION, NULL));
    CHECK_OK(surefill_forecast_add_waiting(FILLED, 15, 9000, NOW, NULL, NULL));
    memcpy(world.more_forecast, world.filled_forecast, sizeof world.new_forecast);
    memcpy(world.done_forecast, world.filled_forecast, sizeof world.new_forecast);
    CHECK_OK(surefill_forecast_run(UNDER_WAY, 1, &step));
    CHECK(step == SUREFILL_STEP_MORE);
    CHECK_OK(surefill_forecast_run(DONE, INT64_MAX, &step));
    CHECK(step == SUREFILL_STEP_DONE);
}

void sweep_forecast_capacity_init(void) {
    BAD_INIT(surefill_forecast_capacity, p, n, (surefill_forecast_capacity_init)(p, n));
}

void sweep_forecast_options_init(void) {
    BAD_INIT(surefill_forecast_options, p, n, (surefill_forecast_options_init)(p, n));
}

/* A structure with room behind it, as a newer program would have. */
union newer {
    surefill_forecast_capacity capacity;
    surefill_forecast_options options;
    uint32_t struct_size;
    unsigned char bytes[8192];
};

/* Sizes that no version of a structure has, and members that this version does not know. */
#define BAD_STRUCT(p, known_size, good, call)                       \
    do {                                                            \
        static union newer newer;                                   \
        void *p = &newer;                                           \
        const uint32_t sizes[] = {0, 1, 3, 4097, INT32_MAX, UINT32_MAX}; \
        memset(&newer, 0, sizeof newer);                            \
        memcpy(&newer, good, known_size);                           \
        for (int i = 0; i < 6; i++) {                               \
            newer.struct_size = sizes[i];                           \
            REFUSED(WRONG_SIZE(sizes[i]), call);                    \
        }                                                           \
        newer.struct_size = known_size + 8;                         \
        newer.bytes[known_size + 7] = 1;                            \
        REFUSED(SUREFILL_ERROR_WRONG_VERSION, call);                \
        p = NULL;                                                   \
        REFUSED(SUREFILL_ERROR_NULL, call);                         \
        p = ODD(&newer);                                            \
        REFUSED(SUREFILL_ERROR_MISALIGNED, call);                   \
    } while (0)

/* Every member of the capacity, out of range. */
static void sweep_capacity(int32_t (*call)(const surefill_forecast_capacity *)) {
    static const struct {
        size_t member;
        int32_t largest, smallest;
    } members[] = {{offsetof(surefill_forecast_capacity, running), 1 << 20, 0},
                   {offsetof(surefill_forecast_capacity, waiting), 1 << 20, 0},
                   {offsetof(surefill_forecast_capacity, processors), 1 << 24, 1},
                   {offsetof(surefill_forecast_capacity, bins), SUREFILL_MAX_BINS, 1},
                   {offsetof(surefill_forecast_capacity, events_per_bin), SUREFILL_MAX_EVENTS_PER_BIN, 1},
                   {offsetof(surefill_forecast_capacity, scenarios), SUREFILL_MAX_SCENARIOS, 2}};
    for (size_t i = 0; i < sizeof members / sizeof *members; i++) {
        const int32_t wrong[] = {members[i].largest + 1, members[i].smallest - 1, INT32_MAX, INT32_MIN};
        for (int w = 0; w < 4; w++) {
            surefill_forecast_capacity capacity = small_capacity();
            memcpy((char *)&capacity + members[i].member, &wrong[w], sizeof wrong[w]);
            REFUSED(SUREFILL_ERROR_OUT_OF_RANGE, call(&capacity));
        }
    }
}

static int32_t size_of(const surefill_forecast_capacity *capacity) {
    return surefill_forecast_size(capacity, &world.int64[0]);
}

static int32_t make(const surefill_forecast_capacity *capacity) {
    return surefill_forecast_init(world.fresh, sizeof world.fresh, capacity, (surefill_forecast **)&world.handle[0]);
}

void sweep_forecast_size(void) {
    const surefill_forecast_capacity capacity = small_capacity();
    BAD_STRUCT(p, sizeof capacity, &capacity, size_of(p));
    BAD_POINTER(p, world.int64, surefill_forecast_size(&capacity, p));
    sweep_capacity(size_of);
    /* The documented defaults: a few members of an older program. */
    const int64_t rows[][6] = {{3, 3, 16, 4, 2, 8}, {0, 0, 1, 1, 1, 2}, {100, 500, 4096, 24, 4, 200}, {256, 256, 1024, 32, 4, 200}};
    surefill_forecast_capacity other;
    for (int i = 0; i < 4; i++) {
        const int64_t *n = rows[i];
        int64_t size = 0;
        other = (surefill_forecast_capacity){sizeof other,   (int32_t)n[0], (int32_t)n[1], (int32_t)n[2],
                                             (int32_t)n[3], (int32_t)n[4], (int32_t)n[5]};
        CHECK_OK(surefill_forecast_size(&other, &size));
        CHECK(size <= 16 * (n[0] + n[1]) * n[3] * n[4] + 8 * n[1] * n[5] + 128 * n[0] + 256 * n[1] + 800);
        if (i == 3) {
            int64_t defaults = 0;
            other.struct_size = 4;
            other.running = 5;
            CHECK_OK(surefill_forecast_size(&other, &defaults));
            CHECK(size == defaults);
        }
    }
    /* The largest of everything has a size, too. */
    const surefill_forecast_capacity largest = {sizeof largest,    1 << 20, 1 << 20, 1 << 24,
                                                SUREFILL_MAX_BINS, SUREFILL_MAX_EVENTS_PER_BIN, SUREFILL_MAX_SCENARIOS};
    CHECK_OK(surefill_forecast_size(&largest, &world.int64[0]));
    CHECK(world.int64[0] > (int64_t)1 << 39);
    REFUSED(SUREFILL_ERROR_TOO_SMALL, make(&largest));
}

void sweep_forecast_init(void) {
    int64_t size;
    int32_t step;
    const surefill_forecast_capacity capacity = small_capacity();
    CHECK_OK(surefill_forecast_size(&capacity, &size));
    CHECK(size <= (int64_t)sizeof world.new_forecast);
    BAD_MEMORY(size, m, n, out, surefill_forecast_init(m, n, &capacity, out));
    BAD_STRUCT(p, sizeof capacity, &capacity, make(p));
    sweep_capacity(make);

    /* Capacity 0 is a capacity: what is added finds it full, and there is nothing to play. */
    surefill_forecast_capacity none = small_capacity();
    none.running = none.waiting = 0;
    none.processors = none.bins = none.events_per_bin = 1;
    CHECK_OK(make(&none));
    CHECK_OK(surefill_forecast_begin(FRESH, NOW, 0, &world.forecast_options));
    REFUSED(SUREFILL_ERROR_FULL, surefill_forecast_add_running(FRESH, 1, 0, 10, NULL, NULL));
    REFUSED(SUREFILL_ERROR_FULL, surefill_forecast_add_waiting(FRESH, 1, 10, NOW, NULL, NULL));
    do CHECK_OK(surefill_forecast_run(FRESH, 1, &step));
    while (step == SUREFILL_STEP_MORE);
    CHECK(step == SUREFILL_STEP_DONE);
    REFUSED(SUREFILL_ERROR_NO_SUCH_INDEX, surefill_forecast_start_mean(FRESH, 0, world.real[0], world.real[1]));
}

static int32_t begin(surefill_forecast *forecast, const surefill_forecast_options *options) {
    return surefill_forecast_begin(forecast, NOW, 4, options);
}

void sweep_forecast_begin(void) {
    const surefill_forecast_options *good = &world.forecast_options;
    BAD_HANDLE(KIND_FORECAST, h, begin(h, good));
    BAD_STRUCT(p, sizeof *good, good, begin(NEW, p));
    REFUSED(SUREFILL_ERROR_MISALIGNED, begin(NEW, HALF(good)));
    const int64_t far[] = {INT64_MIN, INT64_MAX, -((int64_t)1 << 53) - 1, ((int64_t)1 << 53) + 1};
    for (int i = 0; i < 4; i++) REFUSED(SUREFILL_ERROR_OUT_OF_RANGE, surefill_forecast_begin(NEW, far[i], 4, good));
    for (int i = 1; i < 5; i++)
        REFUSED(processors_error(wrong_processors[i]), surefill_forecast_begin(NEW, NOW, wrong_processors[i], good));
    static const struct {
        size_t member;
        int32_t largest, smallest;
    } members[] = {{offsetof(surefill_forecast_options, policy), 1, 0},
                   {offsetof(surefill_forecast_options, reservations), 1 << 20, 0},
                   {offsetof(surefill_forecast_options, order), 2, 0},
                   {offsetof(surefill_forecast_options, plans), 1, 0},
                   {offsetof(surefill_forecast_options, scenarios), SCENARIOS, 2}};
    for (size_t i = 0; i < sizeof members / sizeof *members; i++) {
        const int32_t wrong[] = {members[i].largest + 1, members[i].smallest - 1, INT32_MAX, INT32_MIN};
        for (int w = 0; w < 4; w++) {
            surefill_forecast_options options = *good;
            memcpy((char *)&options + members[i].member, &wrong[w], sizeof wrong[w]);
            REFUSED(SUREFILL_ERROR_OUT_OF_RANGE, begin(NEW, &options));
        }
    }
    const double wrong[] = {0, 1, -0.5, 1.5, INFINITY, -INFINITY, NAN};
    for (int i = 0; i < 7; i++) {
        surefill_forecast_options options = *good;
        options.confidence = wrong[i];
        REFUSED(isnan(wrong[i]) ? SUREFILL_ERROR_NOT_A_NUMBER : SUREFILL_ERROR_OUT_OF_RANGE, begin(NEW, &options));
    }
    /* Orders that do not exist, and waits and shares below 0. */
    static const struct {
        size_t member;
        double value;
        int32_t error;
    } orders[] = {{offsetof(surefill_forecast_options, queue_run_time), 9, SUREFILL_ERROR_OUT_OF_RANGE},
                  {offsetof(surefill_forecast_options, queue_processors), NAN, SUREFILL_ERROR_NOT_A_NUMBER},
                  {offsetof(surefill_forecast_options, queue_age_unit), 0, SUREFILL_ERROR_OUT_OF_RANGE},
                  {offsetof(surefill_forecast_options, queue_age), -1, SUREFILL_ERROR_OUT_OF_RANGE},
                  {offsetof(surefill_forecast_options, candidate_run_time), NAN, SUREFILL_ERROR_NOT_A_NUMBER},
                  {offsetof(surefill_forecast_options, candidate_processors), -9, SUREFILL_ERROR_OUT_OF_RANGE},
                  {offsetof(surefill_forecast_options, candidate_age_unit), INFINITY, SUREFILL_ERROR_OUT_OF_RANGE},
                  {offsetof(surefill_forecast_options, candidate_age), -1, SUREFILL_ERROR_OUT_OF_RANGE},
                  {offsetof(surefill_forecast_options, front), -1, SUREFILL_ERROR_OUT_OF_RANGE},
                  {offsetof(surefill_forecast_options, front), NAN, SUREFILL_ERROR_NOT_A_NUMBER},
                  {offsetof(surefill_forecast_options, slack), -1, SUREFILL_ERROR_OUT_OF_RANGE},
                  {offsetof(surefill_forecast_options, slack), NAN, SUREFILL_ERROR_NOT_A_NUMBER}};
    for (size_t i = 0; i < sizeof orders / sizeof *orders; i++) {
        surefill_forecast_options options = *good;
        memcpy((char *)&options + orders[i].member, &orders[i].value, sizeof orders[i].value);
        REFUSED(orders[i].error, begin(NEW, &options));
    }
    /* Time may run backwards between two forecasts, and one may begin before the last is done; any seed will do. */
    surefill_forecast_options options = *good;
    options.seed = INT64_MIN;
    memcpy(world.fresh, world.more_forecast, sizeof world.more_forecast);
    CHECK_OK(surefill_forecast_begin(FRESH, -((int64_t)1 << 53), PROCESSORS, &options));
}

void sweep_forecast_add_running(void) {
    int32_t *n = world.int32;
    BAD_HANDLE(KIND_FORECAST, h, surefill_forecast_add_running(h, 1, 0, 60, NULL, n));
    BAD_HANDLE_OR(0, KIND_DISTRIBUTION, h, surefill_forecast_add_running(FILLED, 1, 0, 60, h, n));
    REFUSED(SUREFILL_ERROR_MISALIGNED, surefill_forecast_add_running(FILLED, 1, 0, 60, NULL, ODD(n)));
    for (int i = 0; i < 5; i++)
        REFUSED(processors_error(wrong_processors[i]),
                surefill_forecast_add_running(FILLED, wrong_processors[i], 0, 60, NULL, n));
    REFUSED(SUREFILL_ERROR_OVERFULL, surefill_forecast_add_running(FILLED, 3, 0, 60, NULL, n)); /* 4 + 8 + 2 of 16 */
    for (int i = 0; i < 4; i++) {
        REFUSED(span_error(wrong_spans[i]), surefill_forecast_add_running(FILLED, 1, wrong_spans[i], 60, NULL, n));
        REFUSED(span_error(wrong_spans[i]), surefill_forecast_add_running(FILLED, 1, 0, wrong_spans[i], NULL, n));
    }
    REFUSED(SUREFILL_ERROR_FULL, /* more bins than the capacity has */
            surefill_forecast_add_running(FILLED, 1, 0, 60, (surefill_distribution *)world.wide_distribution, n));
    REFUSED(SUREFILL_ERROR_WRONG_STATE, surefill_forecast_add_running(NEW, 1, 0, 60, NULL, n));
    REFUSED(SUREFILL_ERROR_WRONG_STATE, surefill_forecast_add_running(UNDER_WAY, 1, 0, 60, NULL, n));
    REFUSED(SUREFILL_ERROR_WRONG_STATE, surefill_forecast_add_running(DONE, 1, 0, 60, NULL, n));
    memcpy(world.fresh, world.filled_forecast, sizeof world.filled_forecast);
    CHECK_OK(surefill_forecast_add_running(FRESH, 1, SUREFILL_MAX_SECONDS, 0, DISTRIBUTION, n));
    CHECK(*n == 2);
    REFUSED(SUREFILL_ERROR_FULL, surefill_forecast_add_running(FRESH, 1, 0, 60, NULL, n));
}

void sweep_forecast_add_waiting(void) {
    int32_t *n = world.int32;
    BAD_HANDLE(KIND_FORECAST, h, surefill_forecast_add_waiting(h, 1, 60, NOW, NULL, n));
    BAD_HANDLE_OR(0, KIND_DISTRIBUTION, h, surefill_forecast_add_waiting(FILLED, 1, 60, NOW, h, n));
    REFUSED(SUREFILL_ERROR_MISALIGNED, surefill_forecast_add_waiting(FILLED, 1, 60, NOW, NULL, ODD(n)));
    for (int i = 0; i < 5; i++)
        REFUSED(processors_error(wrong_processors[i]),
                surefill_forecast_add_waiting(FILLED, wrong_processors[i], 60, NOW, NULL, n));
    for (int i = 0; i < 4; i++)
        REFUSED(span_error(wrong_spans[i]), surefill_forecast_add_waiting(FILLED, 1, wrong_spans[i], NOW, NULL, n));
    const int64_t far[] = {NOW + SUREFILL_MAX_SECONDS + 1, INT64_MAX};
    for (int i = 0; i < 2; i++)
        REFUSED(SUREFILL_ERROR_SPAN_TOO_LONG, surefill_forecast_add_waiting(FILLED, 1, 60, far[i], NULL, n));
    REFUSED(SUREFILL_ERROR_FULL,
            surefill_forecast_add_waiting(FILLED, 1, 60, NOW, (surefill_distribution *)world.wide_distribution, n));
    REFUSED(SUREFILL_ERROR_WRONG_STATE, surefill_forecast_add_waiting(NEW, 1, 60, NOW, NULL, n));
    REFUSED(SUREFILL_ERROR_WRONG_STATE, surefill_forecast_add_waiting(UNDER_WAY, 1, 60, NOW, NULL, n));
    REFUSED(SUREFILL_ERROR_WRONG_STATE, surefill_forecast_add_waiting(DONE, 1, 60, NOW, NULL, n));
    memcpy(world.fresh, world.filled_forecast, sizeof world.filled_forecast);
    CHECK_OK(surefill_forecast_add_waiting(FRESH, PROCESSORS, SUREFILL_MAX_SECONDS, INT64_MIN, DISTRIBUTION, n));
    CHECK(*n == 2);
    REFUSED(SUREFILL_ERROR_FULL, surefill_forecast_add_waiting(FRESH, 1, 60, NOW, NULL, n));
}

void sweep_forecast_run(void) {
    int32_t *step = world.int32;
    BAD_HANDLE(KIND_FORECAST, h, surefill_forecast_run(h, 100, step));
    BAD_POINTER(p, step, surefill_forecast_run(FILLED, 100, p));
    const int64_t wrong_work[] = {0, -1, INT64_MIN};
    for (int i = 0; i < 3; i++) REFUSED(SUREFILL_ERROR_OUT_OF_RANGE, surefill_forecast_run(FILLED, wrong_work[i], step));
    REFUSED(SUREFILL_ERROR_WRONG_STATE, surefill_forecast_run(NEW, 100, step));
    /* Done is done; slices come to the same. */
    memcpy(world.fresh, world.more_forecast, sizeof world.more_forecast);
    do CHECK_OK(surefill_forecast_run(FRESH, 1, step));
    while (*step == SUREFILL_STEP_MORE);
    CHECK_OK(surefill_forecast_run(FRESH, 1, step));
    CHECK(*step == SUREFILL_STEP_DONE && memcmp(world.fresh, world.done_forecast, sizeof world.done_forecast) == 0);
}

static const int32_t none[] = {-1, 2, INT32_MIN, INT32_MAX};

void sweep_forecast_start_quantile(void) {
    int64_t *when = world.int64;
    double *h = world.real[0];
    BAD_HANDLE(KIND_FORECAST, f, surefill_forecast_start_quantile(f, 0, 0.5, when, h));
    BAD_POINTER(p, when, surefill_forecast_start_quantile(DONE, 0, 0.5, p, h));
    BAD_POINTER(p, h, surefill_forecast_start_quantile(DONE, 0, 0.5, when, p));
    for (int i = 0; i < 4; i++)
        REFUSED(SUREFILL_ERROR_NO_SUCH_INDEX, surefill_forecast_start_quantile(DONE, none[i], 0.5, when, h));
    const double wrong[] = {0, -0.5, 1.0000001, INFINITY, -INFINITY};
    for (int i = 0; i < 5; i++)
        REFUSED(SUREFILL_ERROR_OUT_OF_RANGE, surefill_forecast_start_quantile(DONE, 0, wrong[i], when, h));
    REFUSED(SUREFILL_ERROR_NOT_A_NUMBER, surefill_forecast_start_quantile(DONE, 0, NAN, when, h));
    REFUSED(SUREFILL_ERROR_NEVER, surefill_forecast_start_quantile(DONE, 1, 0.5, when, h));
    REFUSED(SUREFILL_ERROR_WRONG_STATE, surefill_forecast_start_quantile(NEW, 0, 0.5, when, h));
    REFUSED(SUREFILL_ERROR_WRONG_STATE, surefill_forecast_start_quantile(FILLED, 0, 0.5, when, h));
    REFUSED(SUREFILL_ERROR_WRONG_STATE, surefill_forecast_start_quantile(UNDER_WAY, 0, 0.5, when, h));
    CHECK_OK(surefill_forecast_start_quantile(DONE, 0, 1, when, h));
    CHECK(*when > NOW && *h == INFINITY);
}

void sweep_forecast_start_probability(void) {
    double *p = world.real[0], *h = world.real[1];
    BAD_HANDLE(KIND_FORECAST, f, surefill_forecast_start_probability(f, 0, NOW, p, h));
    BAD_POINTER(out, p, surefill_forecast_start_probability(DONE, 0, NOW, out, h));
    BAD_POINTER(out, h, surefill_forecast_start_probability(DONE, 0, NOW, p, out));
    for (int i = 0; i < 4; i++)
        REFUSED(SUREFILL_ERROR_NO_SUCH_INDEX, surefill_forecast_start_probability(DONE, none[i], NOW, p, h));
    REFUSED(SUREFILL_ERROR_WRONG_STATE, surefill_forecast_start_probability(NEW, 0, NOW, p, h));
    REFUSED(SUREFILL_ERROR_WRONG_STATE, surefill_forecast_start_probability(FILLED, 0, NOW, p, h));
    REFUSED(SUREFILL_ERROR_WRONG_STATE, surefill_forecast_start_probability(UNDER_WAY, 0, NOW, p, h));
    /* Any time may be asked about. */
    CHECK_OK(surefill_forecast_start_probability(DONE, 0, INT64_MIN, p, h));
    CHECK(*p == 0 && *h == 0);
    CHECK_OK(surefill_forecast_start_probability(DONE, 0, INT64_MAX, p, h));
    CHECK(*p == 1 && *h > 0 && *h < 1);
    CHECK_OK(surefill_forecast_start_probability(DONE, 1, INT64_MAX, p, h));
    CHECK(*p == 0 && *h == 0);
}

void sweep_forecast_start_mean(void) {
    double *s = world.real[0], *h = world.real[1];
    BAD_HANDLE(KIND_FORECAST, f, surefill_forecast_start_mean(f, 0, s, h));
    BAD_POINTER(out, s, surefill_forecast_start_mean(DONE, 0, out, h));
    BAD_POINTER(out, h, surefill_forecast_start_mean(DONE, 0, s, out));
    for (int i = 0; i < 4; i++) REFUSED(SUREFILL_ERROR_NO_SUCH_INDEX, surefill_forecast_start_mean(DONE, none[i], s, h));
    REFUSED(SUREFILL_ERROR_NEVER, surefill_forecast_start_mean(DONE, 1, s, h));
    REFUSED(SUREFILL_ERROR_WRONG_STATE, surefill_forecast_start_mean(NEW, 0, s, h));
    REFUSED(SUREFILL_ERROR_WRONG_STATE, surefill_forecast_start_mean(FILLED, 0, s, h));
    REFUSED(SUREFILL_ERROR_WRONG_STATE, surefill_forecast_start_mean(UNDER_WAY, 0, s, h));
}
