/* The sweep of the forecast of starts on a machine of nodes. */
#include "sweep_nodes.h"

enum { NOW = 1000000, RUNNING = 2, WAITING = 3, PARTS = 6, SCENARIOS = 8 };

#define NEW ((surefill_node_forecast *)world.new_node_forecast)
#define FILLED ((surefill_node_forecast *)world.filled_node_forecast)
#define UNDER_WAY ((surefill_node_forecast *)world.more_node_forecast)
#define DONE ((surefill_node_forecast *)world.done_node_forecast)
#define FRESH ((surefill_node_forecast *)world.fresh)

static const int64_t wrong_spans[] = {-1, INT64_MIN, SUREFILL_MAX_SECONDS + 1, INT64_MAX};

static surefill_node_forecast_capacity small_capacity(void) {
    surefill_node_forecast_capacity capacity;
    CHECK_OK(surefill_node_forecast_capacity_init(&capacity));
    capacity.nodes = SOME_NODES;
    capacity.classes = 2;
    capacity.resources = KINDS_OF_RESOURCE;
    capacity.running = RUNNING;
    capacity.waiting = WAITING;
    capacity.parts = PARTS;
    capacity.bins = 4;
    capacity.events_per_bin = 2;
    capacity.scenarios = SCENARIOS;
    return capacity;
}

static surefill_request whole_nodes(int32_t count) {
    surefill_request request;
    CHECK_OK(surefill_request_init(&request));
    request.spread = SUREFILL_SPREAD_NODES;
    request.count = count;
    request.each[0] = 8;
    return request;
}

/* The first waits for both large nodes, the second for three, of which there are two; one place is left. */
void make_node_forecasts(void) {
    const surefill_node_forecast_capacity capacity = small_capacity();
    const surefill_request two = whole_nodes(2), three = whole_nodes(3);
    const int32_t best = SUREFILL_FIT_BEST;
    surefill_node_forecast *made;
    int32_t step;
    CHECK_OK(surefill_node_forecast_init(world.new_node_forecast, sizeof world.new_node_forecast, &capacity, &made));
    memcpy(world.filled_node_forecast, world.new_node_forecast, sizeof world.new_node_forecast);
    CHECK_OK(surefill_node_forecast_begin(FILLED, NODES, NOW, &world.forecast_options));
    CHECK_OK(surefill_node_forecast_add_running(FILLED, NODES, 0, 10, 5000, DISTRIBUTION, NULL));
    CHECK_OK(surefill_node_forecast_add_waiting(FILLED, NODES, &two, best, 16, 5000, NOW, DISTRIBUTION, NULL));
    CHECK_OK(surefill_node_forecast_add_waiting(FILLED, NODES, &three, best, 24, 9000, NOW, NULL, NULL));
    memcpy(world.more_node_forecast, world.filled_node_forecast, sizeof world.new_node_forecast);
    memcpy(world.done_node_forecast, world.filled_node_forecast, sizeof world.new_node_forecast);
    CHECK_OK(surefill_node_forecast_run(UNDER_WAY, NODES, 1, &step));
    CHECK(step == SUREFILL_STEP_MORE);
    CHECK_OK(surefill_node_forecast_run(DONE, NODES, INT64_MAX, &step));
    CHECK(step == SUREFILL_STEP_DONE);
}

static surefill_node_forecast *copy(const int64_t *forecast) {
    memcpy(world.fresh, forecast, sizeof world.new_node_forecast);
    return FRESH;
}

#define CHANGED_MACHINE ((surefill_nodes *)world.fresh)

/* Makes the machine of the world after a change. */
static void change_machine(void) {
    memcpy(world.fresh, world.nodes, sizeof world.nodes);
    CHECK_OK(surefill_nodes_set_open(CHANGED_MACHINE, 3, 0));
}

void sweep_node_forecast_capacity_init(void) {
    BAD_INIT(surefill_node_forecast_capacity, p, n, (surefill_node_forecast_capacity_init)(p, n));
}

static int32_t size_of(const surefill_node_forecast_capacity *capacity) {
    return surefill_node_forecast_size(capacity, &world.int64[0]);
}

static int32_t make(const surefill_node_forecast_capacity *capacity) {
    return surefill_node_forecast_init(world.fresh, sizeof world.fresh, capacity,
                                       (surefill_node_forecast **)&world.handle[0]);
}

static void sweep_capacity(int32_t (*call)(const surefill_node_forecast_capacity *)) {
    static const struct {
        size_t member;
        int32_t largest, smallest;
    } members[] = {{offsetof(surefill_node_forecast_capacity, nodes), 1 << 16, 1},
                   {offsetof(surefill_node_forecast_capacity, classes), 1 << 16, 1},
                   {offsetof(surefill_node_forecast_capacity, resources), SUREFILL_MAX_RESOURCES, 1},
                   {offsetof(surefill_node_forecast_capacity, running), 1 << 20, 0},
                   {offsetof(surefill_node_forecast_capacity, waiting), 1 << 20, 0},
                   {offsetof(surefill_node_forecast_capacity, parts), 1 << 24, 0},
                   {offsetof(surefill_node_forecast_capacity, bins), SUREFILL_MAX_BINS, 1},
                   {offsetof(surefill_node_forecast_capacity, events_per_bin), SUREFILL_MAX_EVENTS_PER_BIN, 1},
                   {offsetof(surefill_node_forecast_capacity, scenarios), SUREFILL_MAX_SCENARIOS, 2}};
    for (size_t i = 0; i < sizeof members / sizeof *members; i++) {
        const int32_t wrong[] = {members[i].largest + 1, members[i].smallest - 1, INT32_MAX, INT32_MIN};
        for (int w = 0; w < 4; w++) {
            surefill_node_forecast_capacity capacity = small_capacity();
            memcpy((char *)&capacity + members[i].member, &wrong[w], sizeof wrong[w]);
            REFUSED(SUREFILL_ERROR_OUT_OF_RANGE, call(&capacity));
        }
    }
}

void sweep_node_forecast_size(void) {
    const surefill_node_forecast_capacity capacity = small_capacity();
    BAD_LAYOUT(p, &capacity, size_of(p));
    BAD_POINTER(p, world.int64, surefill_node_forecast_size(&capacity, p));
    sweep_capacity(size_of);
}

void sweep_node_forecast_init(void) {
    int64_t size;
    const surefill_node_forecast_capacity capacity = small_capacity();
    CHECK_OK(surefill_node_forecast_size(&capacity, &size));
    CHECK(size <= (int64_t)sizeof world.new_node_forecast);
    BAD_MEMORY(size, m, n, out, surefill_node_forecast_init(m, n, &capacity, out));
    BAD_LAYOUT(p, &capacity, make(p));
    sweep_capacity(make);
}

void sweep_node_forecast_begin(void) {
    const surefill_forecast_options *good = &world.forecast_options;
    BAD_HANDLE(KIND_NODE_FORECAST, h, surefill_node_forecast_begin(h, NODES, NOW, good));
    BAD_HANDLE(KIND_NODES, h, surefill_node_forecast_begin(NEW, h, NOW, good));
    BAD_LAYOUT(p, good, surefill_node_forecast_begin(NEW, NODES, NOW, p));
    const int64_t far[] = {INT64_MIN, INT64_MAX, -((int64_t)1 << 53) - 1, ((int64_t)1 << 53) + 1};
    for (int i = 0; i < 4; i++)
        REFUSED(SUREFILL_ERROR_OUT_OF_RANGE, surefill_node_forecast_begin(NEW, NODES, far[i], good));
    surefill_forecast_options options = *good;
    options.reservations = 2;
    REFUSED(SUREFILL_ERROR_OUT_OF_RANGE, surefill_node_forecast_begin(NEW, NODES, NOW, &options));
    options = *good;
    options.slack = NAN;
    REFUSED(SUREFILL_ERROR_NOT_A_NUMBER, surefill_node_forecast_begin(NEW, NODES, NOW, &options));
    options = *good;
    options.scenarios = SCENARIOS + 1;
    REFUSED(SUREFILL_ERROR_OUT_OF_RANGE, surefill_node_forecast_begin(NEW, NODES, NOW, &options));
    /* A forecast for fewer nodes or classes, or other kinds of resource. */
    for (int i = 0; i < 3; i++) {
        surefill_node_forecast_capacity other = small_capacity();
        if (i == 0) other.nodes = SOME_NODES - 1;
        if (i == 1) other.classes = 1;
        if (i == 2) other.resources = KINDS_OF_RESOURCE + 1;
        CHECK_OK(make(&other));
        REFUSED(SUREFILL_ERROR_OUT_OF_RANGE, surefill_node_forecast_begin(FRESH, NODES, NOW, good));
    }
    copy(world.more_node_forecast);
    options = *good;
    options.seed = INT64_MIN;
    CHECK_OK(surefill_node_forecast_begin(FRESH, NODES, -((int64_t)1 << 53), &options));
}

void sweep_node_forecast_add_running(void) {
    int32_t *n = world.int32;
    BAD_HANDLE(KIND_NODE_FORECAST, h, surefill_node_forecast_add_running(h, NODES, 0, 0, 60, NULL, n));
    BAD_HANDLE(KIND_NODES, h, surefill_node_forecast_add_running(FILLED, h, 0, 0, 60, NULL, n));
    BAD_HANDLE_OR(0, KIND_DISTRIBUTION, h, surefill_node_forecast_add_running(FILLED, NODES, 0, 0, 60, h, n));
    REFUSED(SUREFILL_ERROR_MISALIGNED, surefill_node_forecast_add_running(FILLED, NODES, 0, 0, 60, NULL, ODD(n)));
    const int32_t jobs[] = {-1, 1, INT32_MIN, INT32_MAX};
    for (int i = 0; i < 4; i++) {
        REFUSED(SUREFILL_ERROR_UNKNOWN_JOB, surefill_node_forecast_add_running(FILLED, NODES, jobs[i], 0, 60, NULL, n));
        REFUSED(span_error(wrong_spans[i]),
                surefill_node_forecast_add_running(FILLED, NODES, 0, wrong_spans[i], 60, NULL, n));
        REFUSED(span_error(wrong_spans[i]),
                surefill_node_forecast_add_running(FILLED, NODES, 0, 0, wrong_spans[i], NULL, n));
    }
    REFUSED(SUREFILL_ERROR_FULL, surefill_node_forecast_add_running(FILLED, NODES, 0, 0, 60,
                                                                    (surefill_distribution *)world.wide_distribution, n));
    REFUSED(SUREFILL_ERROR_WRONG_STATE, surefill_node_forecast_add_running(NEW, NODES, 0, 0, 60, NULL, n));
    REFUSED(SUREFILL_ERROR_WRONG_STATE, surefill_node_forecast_add_running(UNDER_WAY, NODES, 0, 0, 60, NULL, n));
    REFUSED(SUREFILL_ERROR_WRONG_STATE, surefill_node_forecast_add_running(DONE, NODES, 0, 0, 60, NULL, n));
    change_machine();
    REFUSED(SUREFILL_ERROR_WRONG_STATE, surefill_node_forecast_add_running(FILLED, CHANGED_MACHINE, 0, 0, 60, NULL, n));
    copy(world.filled_node_forecast);
    CHECK_OK(surefill_node_forecast_add_running(FRESH, NODES, 0, SUREFILL_MAX_SECONDS, 0, DISTRIBUTION, n));
    CHECK(*n == 1);
    REFUSED(SUREFILL_ERROR_FULL, surefill_node_forecast_add_running(FRESH, NODES, 0, 0, 60, NULL, n));
}

static int32_t add_waiting(surefill_node_forecast *forecast, const surefill_nodes *nodes, const surefill_request *request,
                           int32_t fit, int64_t limit, int64_t submit, const void *runs) {
    return surefill_node_forecast_add_waiting(forecast, nodes, request, fit, 4, limit, submit, runs, world.int32);
}

void sweep_node_forecast_add_waiting(void) {
    const int32_t best = SUREFILL_FIT_BEST;
    surefill_request half = half_a_node();
    int32_t *n = world.int32;
    BAD_HANDLE(KIND_NODE_FORECAST, h, add_waiting(h, NODES, &half, best, 60, NOW, NULL));
    BAD_HANDLE(KIND_NODES, h, add_waiting(FILLED, h, &half, best, 60, NOW, NULL));
    BAD_HANDLE_OR(0, KIND_DISTRIBUTION, h, add_waiting(FILLED, NODES, &half, best, 60, NOW, h));
    BAD_REQUEST(p, &half, add_waiting(FILLED, NODES, p, best, 60, NOW, NULL));
    REFUSED(SUREFILL_ERROR_MISALIGNED,
            surefill_node_forecast_add_waiting(FILLED, NODES, &half, best, 4, 60, NOW, NULL, ODD(n)));
    REFUSED(SUREFILL_ERROR_OUT_OF_RANGE,
            surefill_node_forecast_add_waiting(FILLED, NODES, &half, best, -1, 60, NOW, NULL, n));
    const int32_t fits[] = {-1, SUREFILL_FIT_APART + 1, INT32_MIN, INT32_MAX};
    for (int i = 0; i < 4; i++) {
        REFUSED(SUREFILL_ERROR_OUT_OF_RANGE, add_waiting(FILLED, NODES, &half, fits[i], 60, NOW, NULL));
        REFUSED(span_error(wrong_spans[i]), add_waiting(FILLED, NODES, &half, best, wrong_spans[i], NOW, NULL));
    }
    const int64_t far[] = {NOW + SUREFILL_MAX_SECONDS + 1, INT64_MAX};
    for (int i = 0; i < 2; i++)
        REFUSED(SUREFILL_ERROR_SPAN_TOO_LONG, add_waiting(FILLED, NODES, &half, best, 60, far[i], NULL));
    REFUSED(SUREFILL_ERROR_FULL, add_waiting(FILLED, NODES, &half, best, 60, NOW, world.wide_distribution));
    REFUSED(SUREFILL_ERROR_WRONG_STATE, add_waiting(NEW, NODES, &half, best, 60, NOW, NULL));
    REFUSED(SUREFILL_ERROR_WRONG_STATE, add_waiting(UNDER_WAY, NODES, &half, best, 60, NOW, NULL));
    REFUSED(SUREFILL_ERROR_WRONG_STATE, add_waiting(DONE, NODES, &half, best, 60, NOW, NULL));
    change_machine();
    REFUSED(SUREFILL_ERROR_WRONG_STATE, add_waiting(FILLED, CHANGED_MACHINE, &half, best, 60, NOW, NULL));
    half.count = 2; /* two parts, and one is left */
    REFUSED(SUREFILL_ERROR_FULL, add_waiting(FILLED, NODES, &half, best, 60, NOW, NULL));
    half.count = 1;
    copy(world.filled_node_forecast);
    CHECK_OK(add_waiting(FRESH, NODES, &half, best, SUREFILL_MAX_SECONDS, INT64_MIN, DISTRIBUTION));
    CHECK(*n == 2);
    REFUSED(SUREFILL_ERROR_FULL, add_waiting(FRESH, NODES, &half, best, 60, NOW, NULL));
}

void sweep_node_forecast_run(void) {
    int32_t *step = world.int32;
    BAD_HANDLE(KIND_NODE_FORECAST, h, surefill_node_forecast_run(h, NODES, 100, step));
    BAD_HANDLE(KIND_NODES, h, surefill_node_forecast_run(FILLED, h, 100, step));
    BAD_POINTER(p, step, surefill_node_forecast_run(FILLED, NODES, 100, p));
    const int64_t wrong_work[] = {0, -1, INT64_MIN};
    for (int i = 0; i < 3; i++)
        REFUSED(SUREFILL_ERROR_OUT_OF_RANGE, surefill_node_forecast_run(FILLED, NODES, wrong_work[i], step));
    REFUSED(SUREFILL_ERROR_WRONG_STATE, surefill_node_forecast_run(NEW, NODES, 100, step));
    change_machine();
    REFUSED(SUREFILL_ERROR_WRONG_STATE, surefill_node_forecast_run(FILLED, CHANGED_MACHINE, 100, step));
    copy(world.more_node_forecast);
    do CHECK_OK(surefill_node_forecast_run(FRESH, NODES, 1, step));
    while (*step == SUREFILL_STEP_MORE);
    CHECK_OK(surefill_node_forecast_run(FRESH, NODES, 1, step));
    CHECK(*step == SUREFILL_STEP_DONE);
    CHECK(memcmp(world.fresh, world.done_node_forecast, sizeof world.done_node_forecast) == 0);
}

static const int32_t none[] = {-1, 2, INT32_MIN, INT32_MAX};

void sweep_node_forecast_start_quantile(void) {
    int64_t *when = world.int64;
    double *h = world.real[0];
    BAD_HANDLE(KIND_NODE_FORECAST, f, surefill_node_forecast_start_quantile(f, 0, 0.5, when, h));
    BAD_POINTER(p, when, surefill_node_forecast_start_quantile(DONE, 0, 0.5, p, h));
    BAD_POINTER(p, h, surefill_node_forecast_start_quantile(DONE, 0, 0.5, when, p));
    for (int i = 0; i < 4; i++)
        REFUSED(SUREFILL_ERROR_NO_SUCH_INDEX, surefill_node_forecast_start_quantile(DONE, none[i], 0.5, when, h));
    const double wrong[] = {0, -0.5, 1.0000001, INFINITY, -INFINITY};
    for (int i = 0; i < 5; i++)
        REFUSED(SUREFILL_ERROR_OUT_OF_RANGE, surefill_node_forecast_start_quantile(DONE, 0, wrong[i], when, h));
    REFUSED(SUREFILL_ERROR_NOT_A_NUMBER, surefill_node_forecast_start_quantile(DONE, 0, NAN, when, h));
    REFUSED(SUREFILL_ERROR_NEVER, surefill_node_forecast_start_quantile(DONE, 1, 0.5, when, h));
    REFUSED(SUREFILL_ERROR_WRONG_STATE, surefill_node_forecast_start_quantile(NEW, 0, 0.5, when, h));
    REFUSED(SUREFILL_ERROR_WRONG_STATE, surefill_node_forecast_start_quantile(UNDER_WAY, 0, 0.5, when, h));
    CHECK_OK(surefill_node_forecast_start_quantile(DONE, 0, 1, when, h));
    CHECK(*when >= NOW);
}

void sweep_node_forecast_start_probability(void) {
    double *p0 = world.real[0], *h = world.real[1];
    BAD_HANDLE(KIND_NODE_FORECAST, f, surefill_node_forecast_start_probability(f, 0, NOW, p0, h));
    BAD_POINTER(p, p0, surefill_node_forecast_start_probability(DONE, 0, NOW, p, h));
    BAD_POINTER(p, h, surefill_node_forecast_start_probability(DONE, 0, NOW, p0, p));
    for (int i = 0; i < 4; i++)
        REFUSED(SUREFILL_ERROR_NO_SUCH_INDEX, surefill_node_forecast_start_probability(DONE, none[i], NOW, p0, h));
    REFUSED(SUREFILL_ERROR_WRONG_STATE, surefill_node_forecast_start_probability(FILLED, 0, NOW, p0, h));
    CHECK_OK(surefill_node_forecast_start_probability(DONE, 0, INT64_MAX, p0, h));
    CHECK(*p0 == 1);
    CHECK_OK(surefill_node_forecast_start_probability(DONE, 1, INT64_MAX, p0, h));
    CHECK(*p0 == 0);
}
