/* The sweep of the wait predictor, and of the bounds from plain numbers. */
#include "sweep.h"

enum { NOW = 1000, KNOWN = 100, REQUESTED = 3600, PROCESSORS = 4 };

static surefill_wait_capacity small_capacity(void) {
    surefill_wait_capacity capacity;
    CHECK_OK(surefill_wait_capacity_init(&capacity));
    capacity.history = 4;
    capacity.queued = capacity.releases = capacity.clusters = capacity.neighbours = 2;
    return capacity;
}

/* One with a known wait and two waiting jobs (1 and 2), which is full. */
void make_waits(void) {
    surefill_wait *wait;
    world.wait_capacity = small_capacity();
    CHECK_OK(surefill_wait_options_init(&world.wait_options));
    world.wait_options.quantile = world.wait_options.confidence = 0.5; /* a single wait is enough */
    world.wait_options.components = SUREFILL_COMPONENT_TRIM | SUREFILL_COMPONENT_CLUSTER | SUREFILL_COMPONENT_AVAILABILITY;
    CHECK_OK(surefill_wait_init(world.wait, sizeof world.wait, &world.wait_capacity, &world.wait_options, &wait));
    CHECK_OK(surefill_wait_known(wait, KNOWN, REQUESTED, PROCESSORS));
    for (int64_t job = 1; job <= 2; job++)
        CHECK_OK(surefill_wait_submit(wait, job, NOW, REQUESTED, PROCESSORS, world.int32, world.int64));
}

static int64_t size(void) {
    int64_t bytes = 0;
    CHECK_OK(surefill_wait_size(&world.wait_capacity, &bytes));
    CHECK(bytes <= (int64_t)sizeof world.wait);
    return bytes;
}

/* Every event and question: before the last event's time, and at no time at all. */
#define BAD_TIME(t, call)                             \
    do {                                              \
        int64_t t = NOW - 1;                          \
        REFUSED(SUREFILL_ERROR_TIME_WENT_BACK, call); \
        t = INT64_MIN;                                \
        REFUSED(SUREFILL_ERROR_OUT_OF_RANGE, call);   \
        t = INT64_MAX;                                \
        REFUSED(SUREFILL_ERROR_OUT_OF_RANGE, call);   \
        t = ((int64_t)1 << 53) + 1;                   \
        REFUSED(SUREFILL_ERROR_OUT_OF_RANGE, call);   \
    } while (0)

/* A span of time out of range. */
#define BAD_SPAN(t, call)                                                                       \
    do {                                                                                        \
        const int64_t wrong_spans[] = {-1, INT64_MIN, SUREFILL_MAX_SECONDS + 1, INT64_MAX};     \
        for (int span = 0; span < 4; span++) {                                                  \
            int64_t t = wrong_spans[span];                                                      \
            REFUSED(span_error(t), call);                                                       \
        }                                                                                       \
    } while (0)

/* Wrong requests of a job. */
#define BAD_FEATURES(r, n, call)                    \
    do {                                            \
        int32_t n = PROCESSORS;                     \
        BAD_SPAN(r, call);                          \
        int64_t r = REQUESTED;                      \
        n = -1;                                     \
        REFUSED(SUREFILL_ERROR_OUT_OF_RANGE, call); \
        n = INT32_MIN;                              \
        REFUSED(SUREFILL_ERROR_OUT_OF_RANGE, call); \
    } while (0)

/* A quantile or confidence. */
#define BAD_PROBABILITY(q, call)                                                        \
    do {                                                                                \
        const double wrong_ones[] = {0, -0.0, 1, -1, 1.0000001, -INFINITY, INFINITY};   \
        double q = NAN;                                                                 \
        REFUSED(SUREFILL_ERROR_NOT_A_NUMBER, call);                                     \
        for (int i = 0; i < 7; i++) {                                                   \
            q = wrong_ones[i];                                                          \
            REFUSED(SUREFILL_ERROR_OUT_OF_RANGE, call);                                 \
        }                                                                               \
    } while (0)

void sweep_wait_capacity_init(void) { BAD_INIT(surefill_wait_capacity, p, n, (surefill_wait_capacity_init)(p, n)); }

void sweep_wait_options_init(void) { BAD_INIT(surefill_wait_options, p, n, (surefill_wait_options_init)(p, n)); }

void sweep_wait_size(void) {
    BAD_POINTER(p, &world.wait_capacity, surefill_wait_size(p, world.int64));
    BAD_POINTER(p, world.int64, surefill_wait_size(&world.wait_capacity, p));
    for (size_t offset = 4; offset < sizeof(surefill_wait_capacity); offset += 4) {
        const int32_t wrong[] = {-1, INT32_MIN, INT32_MAX, (1 << 22) + 1, 0};
        const int zero_is_wrong = offset != offsetof(surefill_wait_capacity, releases) &&
                                  offset != offsetof(surefill_wait_capacity, neighbours);
        for (int i = 0; i < 4 + zero_is_wrong; i++) {
            surefill_wait_capacity capacity = small_capacity();
            memcpy((char *)&capacity + offset, &wrong[i], sizeof wrong[i]);
            REFUSED(SUREFILL_ERROR_OUT_OF_RANGE, surefill_wait_size(&capacity, world.int64));
        }
    }
    surefill_wait_capacity capacity = small_capacity();
    const uint32_t sizes[] = {0, 3, 5, sizeof capacity - 1, 5000, UINT32_MAX};
    for (int i = 0; i < 6; i++) {
        capacity.struct_size = sizes[i];
        REFUSED(WRONG_SIZE(sizes[i]), surefill_wait_size(&capacity, world.int64));
    }
    /* An older program's structure keeps the defaults behind its end. */
    int64_t shorter = 0, whole = 0;
    CHECK_OK(surefill_wait_capacity_init(&capacity));
    capacity.history = 100;
    CHECK_OK(surefill_wait_size(&capacity, &whole));
    capacity.struct_size = 8;
    capacity.queued = capacity.releases = capacity.clusters = -1;
    CHECK(surefill_wait_size(&capacity, &shorter) == SUREFILL_OK && shorter == whole);
}

void sweep_wait_init(void) {
    const int64_t bytes = size();
    surefill_wait **out = (surefill_wait **)&world.handle[0];
    const surefill_wait_capacity *capacity = &world.wait_capacity;
    BAD_MEMORY(bytes, m, n, made, surefill_wait_init(m, n, capacity, &world.wait_options, made));
    BAD_POINTER(p, capacity, surefill_wait_init(world.fresh, bytes, p, &world.wait_options, out));
    BAD_POINTER(p, &world.wait_options, surefill_wait_init(world.fresh, bytes, capacity, p, out));
    const surefill_wait_options good = world.wait_options;
    surefill_wait_options bad[32];
    int count = 0;
    for (int i = 0; i < 32; i++) bad[i] = good;
    bad[count++].method = -1;
    bad[count++].method = 4;
    bad[count++].attribute = -1;
    bad[count++].attribute = 4;
    bad[count++].components = -1;
    bad[count++].components = 32;
    bad[count++].components = INT32_MIN;
    bad[count++].quantile = 0;
    bad[count++].quantile = 1;
    bad[count++].quantile = INFINITY;
    bad[count++].quantile = 0.95; /* needs more waits than the history holds */
    bad[count++].confidence = 0;
    bad[count++].confidence = 1;
    bad[count++].confidence = -INFINITY;
    bad[count++].confidence = 1 - 1e-9;
    bad[count++].down_quantile = 0;
    bad[count++].down_quantile = 1;
    bad[count++].rate = -0.1;
    bad[count++].rate = 1.1;
    bad[count++].rate = INFINITY;
    bad[count++].recluster_every = 0;
    bad[count++].recluster_every = -1;
    bad[count++].recluster_every = INT64_MIN;
    bad[count++].recluster_every = (int64_t)1 << 32;
    bad[count++].oldest_seconds = 0;
    bad[count++].oldest_seconds = SUREFILL_MAX_SECONDS + 1;
    for (int i = 0; i < count; i++)
        REFUSED(SUREFILL_ERROR_OUT_OF_RANGE, surefill_wait_init(world.fresh, bytes, capacity, &bad[i], out));
    for (int i = 0; i < 4; i++) {
        bad[0] = good;
        (&bad[0].quantile)[i] = NAN; /* confidence, down_quantile and rate follow */
        REFUSED(SUREFILL_ERROR_NOT_A_NUMBER, surefill_wait_init(world.fresh, bytes, capacity, &bad[0], out));
    }
    bad[0] = good;
    bad[0].struct_size = 17;
    REFUSED(SUREFILL_ERROR_WRONG_VERSION, surefill_wait_init(world.fresh, bytes, capacity, &bad[0], out));

    /* The smallest one works, with every component on and off. */
    surefill_wait_capacity smallest = *capacity;
    smallest.history = smallest.queued = smallest.clusters = 1;
    smallest.releases = 0;
    for (int32_t components = 0; components < 32; components++) {
        surefill_wait_options options = good;
        int32_t answer = -1, step = -1;
        int64_t bound = -1;
        options.components = components;
        CHECK_OK(surefill_wait_init(world.fresh, sizeof world.fresh, &smallest, &options, out));
        CHECK_OK(surefill_wait_recluster(*out, 1, &step));
        CHECK(step == SUREFILL_STEP_IDLE);
        for (int64_t job = 0; job < 5; job++) {
            CHECK_OK(surefill_wait_submit(*out, job, 10 * job, REQUESTED, PROCESSORS, &answer, &bound));
            CHECK_STATUS(SUREFILL_ERROR_FULL,
                         surefill_wait_submit(*out, 99, 10 * job, REQUESTED, PROCESSORS, &answer, &bound));
            CHECK_OK(surefill_wait_start(*out, job, 10 * job + 3, &bound));
            CHECK(bound == 3);
            CHECK_OK(surefill_wait_predict(*out, REQUESTED, PROCESSORS, 0.5, 0.5, 10 * job + 3, &answer, &bound));
            CHECK(answer == SUREFILL_ANSWER_BOUND && bound == 3);
        }
    }
}

void sweep_wait_seal(void) { BAD_HANDLE(KIND_WAIT, h, surefill_wait_seal(h)); }

void sweep_wait_open(void) {
    surefill_wait **out = (surefill_wait **)&world.handle[0];
    const int64_t bytes = size();
    REFUSED(SUREFILL_ERROR_CORRUPT, surefill_wait_open(world.wait, bytes, out)); /* not sealed */
    CHECK_OK(surefill_wait_seal(WAIT));
    memcpy(world.fresh, world.wait, (size_t)bytes);
    REFUSED(SUREFILL_ERROR_NULL, surefill_wait_open(NULL, bytes, out));
    REFUSED(SUREFILL_ERROR_MISALIGNED, surefill_wait_open(HALF(world.fresh), bytes, out));
    const int64_t short_lengths[] = {0, 1, 24, bytes - 1};
    for (int i = 0; i < 4; i++)
        REFUSED(SUREFILL_ERROR_TOO_SMALL, surefill_wait_open(world.fresh, short_lengths[i], out));
    REFUSED(SUREFILL_ERROR_OUT_OF_RANGE, surefill_wait_open(world.fresh, -1, out));
    REFUSED(SUREFILL_ERROR_WRONG_OBJECT, surefill_wait_open(world.filling_pass, sizeof world.filling_pass, out));
    BAD_POINTER(p, out, surefill_wait_open(world.fresh, bytes, p));
    /* All of the first bytes, then every 131st. */
    for (int64_t byte = 0; byte < bytes; byte += byte < 200 ? 1 : 131) {
        ((unsigned char *)world.fresh)[byte] ^= 1;
        CHECK(surefill_wait_open(world.fresh, bytes, out) != SUREFILL_OK);
        ((unsigned char *)world.fresh)[byte] ^= 1;
    }
    CHECK_OK(surefill_wait_open(world.fresh, bytes, out));
    CHECK(*out == (surefill_wait *)world.fresh);
}

void sweep_wait_submit(void) {
    int32_t *a = world.int32;
    int64_t *b = world.int64;
    BAD_HANDLE(KIND_WAIT, h, surefill_wait_submit(h, 3, NOW, REQUESTED, PROCESSORS, a, b));
    BAD_POINTER(p, a, surefill_wait_submit(WAIT, 3, NOW, REQUESTED, PROCESSORS, p, b));
    BAD_POINTER(p, b, surefill_wait_submit(WAIT, 3, NOW, REQUESTED, PROCESSORS, a, p));
    BAD_TIME(t, surefill_wait_submit(WAIT, 3, t, REQUESTED, PROCESSORS, a, b));
    BAD_FEATURES(r, n, surefill_wait_submit(WAIT, 3, NOW, r, n, a, b));
    for (int64_t job = 1; job <= 2; job++)
        REFUSED(SUREFILL_ERROR_DUPLICATE_JOB, surefill_wait_submit(WAIT, job, NOW, REQUESTED, PROCESSORS, a, b));
    REFUSED(SUREFILL_ERROR_FULL, surefill_wait_submit(WAIT, 3, NOW, REQUESTED, PROCESSORS, a, b));
}

void sweep_wait_start(void) {
    int64_t *w = world.int64;
    BAD_HANDLE(KIND_WAIT, h, surefill_wait_start(h, 1, NOW, w));
    BAD_POINTER(p, w, surefill_wait_start(WAIT, 1, NOW, p));
    BAD_TIME(t, surefill_wait_start(WAIT, 1, t, w));
    REFUSED(SUREFILL_ERROR_UNKNOWN_JOB, surefill_wait_start(WAIT, 3, NOW, w));
}

void sweep_wait_cancel(void) {
    BAD_HANDLE(KIND_WAIT, h, surefill_wait_cancel(h, 1, NOW));
    BAD_TIME(t, surefill_wait_cancel(WAIT, 1, t));
    REFUSED(SUREFILL_ERROR_UNKNOWN_JOB, surefill_wait_cancel(WAIT, 3, NOW));
}

void sweep_wait_known(void) {
    BAD_HANDLE(KIND_WAIT, h, surefill_wait_known(h, KNOWN, REQUESTED, PROCESSORS));
    BAD_SPAN(t, surefill_wait_known(WAIT, t, REQUESTED, PROCESSORS));
    BAD_FEATURES(r, n, surefill_wait_known(WAIT, KNOWN, r, n));
}

void sweep_wait_set_clock(void) {
    BAD_HANDLE(KIND_WAIT, h, surefill_wait_set_clock(h, NOW));
    const int64_t wrong[] = {INT64_MIN, -(INT64_C(1) << 53) - 1, (INT64_C(1) << 53) + 1, INT64_MAX};
    for (int i = 0; i < 4; i++)
        REFUSED(SUREFILL_ERROR_OUT_OF_RANGE, surefill_wait_set_clock(WAIT, wrong[i]));
    /* On a copy: back, and jobs start from then on. */
    surefill_wait *copy = (surefill_wait *)world.fresh;
    memcpy(world.fresh, world.wait, (size_t)size());
    CHECK_OK(surefill_wait_set_clock(copy, NOW - 500));
    CHECK_OK(surefill_wait_start(copy, 1, NOW - 490, world.int64));
    CHECK(world.int64[0] == 10);
}

void sweep_wait_jobs(void) {
    int32_t *written = &world.int32[0], *held = &world.int32[1];
    BAD_HANDLE(KIND_WAIT, h, surefill_wait_jobs(h, world.held, 3, written, held));
    FILLS(surefill_held_job, 104, p, surefill_wait_jobs(WAIT, p, 1, written, held));
    BAD_POINTER(p, written, surefill_wait_jobs(WAIT, world.held, 3, p, held));
    BAD_POINTER(p, held, surefill_wait_jobs(WAIT, world.held, 3, written, p));
    REFUSED(SUREFILL_ERROR_OUT_OF_RANGE, surefill_wait_jobs(WAIT, world.held, -1, written, held));
    CHECK_OK(surefill_wait_jobs(WAIT, NULL, 0, written, held));
    CHECK(*written == 0 && *held == 2);
    CHECK_OK(surefill_wait_jobs(WAIT, world.held, 1, written, held));
    CHECK(*written == 1 && *held == 2 && world.held[0].job == 1 && world.held[0].submitted == NOW);
    CHECK(world.held[0].running == 0 && world.held[0].given_up == 0 && world.held[0].key_count == 2);
}

void sweep_wait_recluster(void) {
    int32_t *s = world.int32;
    BAD_HANDLE(KIND_WAIT, h, surefill_wait_recluster(h, 1, s));
    BAD_POINTER(p, s, surefill_wait_recluster(WAIT, 1, p));
    REFUSED(SUREFILL_ERROR_OUT_OF_RANGE, surefill_wait_recluster(WAIT, 0, s));
    REFUSED(SUREFILL_ERROR_OUT_OF_RANGE, surefill_wait_recluster(WAIT, -1, s));
    REFUSED(SUREFILL_ERROR_OUT_OF_RANGE, surefill_wait_recluster(WAIT, INT64_MIN, s));
    CHECK(surefill_wait_recluster(WAIT, 1, s) == SUREFILL_OK && *s == SUREFILL_STEP_MORE);
    CHECK(surefill_wait_recluster(WAIT, INT64_MAX, s) == SUREFILL_OK && *s == SUREFILL_STEP_DONE);
}

/* Those that predict take the same. */
#define BAD_QUESTION(ask)                                                \
    do {                                                                 \
        BAD_HANDLE(KIND_WAIT, h, ask(h, REQUESTED, PROCESSORS, 0.5, 0.5, NOW)); \
        BAD_FEATURES(r, n, ask(WAIT, r, n, 0.5, 0.5, NOW));              \
        BAD_PROBABILITY(q, ask(WAIT, REQUESTED, PROCESSORS, q, 0.5, NOW)); \
        BAD_PROBABILITY(c, ask(WAIT, REQUESTED, PROCESSORS, 0.5, c, NOW)); \
        BAD_TIME(t, ask(WAIT, REQUESTED, PROCESSORS, 0.5, 0.5, t));      \
    } while (0)

#define PREDICT(h, r, n, q, c, t) surefill_wait_predict(h, r, n, q, c, t, world.int32, world.int64)
#define LOWER(h, r, n, q, c, t) surefill_wait_predict_lower(h, r, n, q, c, t, world.int32, world.int64)

void sweep_wait_predict(void) {
    int32_t *a = world.int32;
    int64_t *b = world.int64;
    BAD_QUESTION(PREDICT);
    BAD_POINTER(p, a, surefill_wait_predict(WAIT, REQUESTED, PROCESSORS, 0.5, 0.5, NOW, p, b));
    BAD_POINTER(p, b, surefill_wait_predict(WAIT, REQUESTED, PROCESSORS, 0.5, 0.5, NOW, a, p));
    CHECK_OK(PREDICT(WAIT, REQUESTED, PROCESSORS, 0.5, 0.5, NOW));
    CHECK(*a == SUREFILL_ANSWER_BOUND && *b == KNOWN);
    CHECK_OK(PREDICT(WAIT, SUREFILL_MAX_SECONDS, INT32_MAX, 0.5, 0.5, NOW));
    CHECK(*a == SUREFILL_ANSWER_BOUND && *b == KNOWN);
    CHECK_OK(PREDICT(WAIT, REQUESTED, PROCESSORS, 0.95, 0.95, NOW)); /* no prediction is an answer, too */
    CHECK(*a == SUREFILL_ANSWER_TOO_LITTLE_HISTORY && *b == -1);
    CHECK_OK(PREDICT(WAIT, REQUESTED, PROCESSORS, 1 - 1e-15, 1 - 1e-15, NOW));
    CHECK(*a == SUREFILL_ANSWER_TOO_LITTLE_HISTORY && *b == -1);
}

void sweep_wait_predict_lower(void) {
    int32_t *a = world.int32;
    int64_t *b = world.int64;
    BAD_QUESTION(LOWER);
    BAD_POINTER(p, a, surefill_wait_predict_lower(WAIT, REQUESTED, PROCESSORS, 0.5, 0.5, NOW, p, b));
    BAD_POINTER(p, b, surefill_wait_predict_lower(WAIT, REQUESTED, PROCESSORS, 0.5, 0.5, NOW, a, p));
    CHECK_OK(surefill_wait_known(WAIT, KNOWN + 50, REQUESTED, PROCESSORS));
    CHECK_OK(LOWER(WAIT, REQUESTED, PROCESSORS, 0.5, 0.5, NOW));
    CHECK(*a == SUREFILL_ANSWER_BOUND && *b == KNOWN);
}

void sweep_wait_predict_waiting(void) {
    int32_t *a = world.int32;
    int64_t *b = world.int64;
    BAD_HANDLE(KIND_WAIT, h, surefill_wait_predict_waiting(h, 1, 0.5, 0.5, NOW, a, b));
    BAD_POINTER(p, a, surefill_wait_predict_waiting(WAIT, 1, 0.5, 0.5, NOW, p, b));
    BAD_POINTER(p, b, surefill_wait_predict_waiting(WAIT, 1, 0.5, 0.5, NOW, a, p));
    BAD_PROBABILITY(q, surefill_wait_predict_waiting(WAIT, 1, q, 0.5, NOW, a, b));
    BAD_PROBABILITY(c, surefill_wait_predict_waiting(WAIT, 1, 0.5, c, NOW, a, b));
    BAD_TIME(t, surefill_wait_predict_waiting(WAIT, 1, 0.5, 0.5, t, a, b));
    REFUSED(SUREFILL_ERROR_UNKNOWN_JOB, surefill_wait_predict_waiting(WAIT, 3, 0.5, 0.5, NOW, a, b));
    CHECK_OK(surefill_wait_predict_waiting(WAIT, 1, 0.5, 0.5, NOW + KNOWN + 10, a, b));
    CHECK(*a == SUREFILL_ANSWER_BOUND && *b == KNOWN + 50); /* of two waits, one was as long */
    CHECK_OK(surefill_wait_predict_waiting(WAIT, 1, 0.5, 0.5, NOW + KNOWN + 51, a, b));
    CHECK(*a == SUREFILL_ANSWER_TOO_LITTLE_HISTORY && *b == -1);
}

void sweep_wait_start_probability(void) {
    double *p = world.real[0], *l = world.real[1];
    int64_t *w = world.int64;
    BAD_HANDLE(KIND_WAIT, h, surefill_wait_start_probability(h, REQUESTED, PROCESSORS, 0, 9, 0.5, p, l, w));
    BAD_POINTER(q, p, surefill_wait_start_probability(WAIT, REQUESTED, PROCESSORS, 0, 9, 0.5, q, l, w));
    BAD_POINTER(q, l, surefill_wait_start_probability(WAIT, REQUESTED, PROCESSORS, 0, 9, 0.5, p, q, w));
    BAD_POINTER(q, w, surefill_wait_start_probability(WAIT, REQUESTED, PROCESSORS, 0, 9, 0.5, p, l, q));
    BAD_FEATURES(r, n, surefill_wait_start_probability(WAIT, r, n, 0, 9, 0.5, p, l, w));
    BAD_PROBABILITY(c, surefill_wait_start_probability(WAIT, REQUESTED, PROCESSORS, 0, 9, c, p, l, w));
    const int64_t negative[] = {-1, INT64_MIN};
    for (int i = 0; i < 2; i++) {
        REFUSED(SUREFILL_ERROR_OUT_OF_RANGE,
                surefill_wait_start_probability(WAIT, REQUESTED, PROCESSORS, negative[i], 9, 0.5, p, l, w));
        REFUSED(SUREFILL_ERROR_OUT_OF_RANGE,
                surefill_wait_start_probability(WAIT, REQUESTED, PROCESSORS, 0, negative[i], 0.5, p, l, w));
    }
    CHECK_OK(surefill_wait_start_probability(WAIT, REQUESTED, PROCESSORS, 0, KNOWN, 0.5, p, l, w));
    CHECK(*p == 0.5 && *l > 0 && *l < 0.5 && *w == 2);
    CHECK_OK(surefill_wait_start_probability(WAIT, REQUESTED, PROCESSORS, INT64_MAX, INT64_MAX, 0.5, p, l, w));
    CHECK(*p == 0 && *l == 0 && *w == 0);
}

void sweep_wait_counts(void) {
    BAD_HANDLE(KIND_WAIT, h, surefill_wait_counts(h, world.int32, world.int64));
    BAD_POINTER(p, world.int32, surefill_wait_counts(WAIT, p, world.int64));
    BAD_POINTER(p, world.int64, surefill_wait_counts(WAIT, world.int32, p));
    CHECK_OK(surefill_wait_counts(WAIT, world.int32, world.int64));
    CHECK(world.int32[0] == 2 && world.int64[0] == 2);
}

void sweep_wait_clusters(void) {
    int64_t *s = world.int64, *l = world.int64 + 20, *w = world.int64 + 40;
    int32_t *n = world.int32;
    BAD_HANDLE(KIND_WAIT, h, surefill_wait_clusters(h, s, l, w, 16, n));
    BAD_POINTER(p, s, surefill_wait_clusters(WAIT, p, l, w, 16, n));
    BAD_POINTER(p, l, surefill_wait_clusters(WAIT, s, p, w, 16, n));
    BAD_POINTER(p, w, surefill_wait_clusters(WAIT, s, l, p, 16, n));
    BAD_POINTER(p, n, surefill_wait_clusters(WAIT, s, l, w, 16, p));
    REFUSED(SUREFILL_ERROR_FULL, surefill_wait_clusters(WAIT, NULL, NULL, NULL, 0, n));
    REFUSED(SUREFILL_ERROR_OUT_OF_RANGE, surefill_wait_clusters(WAIT, s, l, w, -1, n));
    REFUSED(SUREFILL_ERROR_OUT_OF_RANGE, surefill_wait_clusters(WAIT, s, l, w, INT32_MIN, n));
    CHECK_OK(surefill_wait_clusters(WAIT, s, l, w, 1, n));
    CHECK(*n == 1 && *s == 0 && *l == INT64_MAX && *w == 2);
}

static const int64_t wrong_numbers[] = {-1, INT64_MIN, ((int64_t)1 << 32) + 1, INT64_MAX};

void sweep_binomial_upper(void) {
    int64_t *k = world.int64;
    BAD_POINTER(p, k, surefill_binomial_upper(59, 0.95, 0.95, p));
    BAD_PROBABILITY(q, surefill_binomial_upper(59, q, 0.95, k));
    BAD_PROBABILITY(c, surefill_binomial_upper(59, 0.95, c, k));
    for (int i = 0; i < 4; i++)
        REFUSED(SUREFILL_ERROR_OUT_OF_RANGE, surefill_binomial_upper(wrong_numbers[i], 0.95, 0.95, k));
    CHECK(surefill_binomial_upper(0, 0.95, 0.95, k) == SUREFILL_OK && *k == 0);
    CHECK(surefill_binomial_upper(58, 0.95, 0.95, k) == SUREFILL_OK && *k == 0);
    CHECK(surefill_binomial_upper(59, 0.95, 0.95, k) == SUREFILL_OK && *k == 59);
}

void sweep_binomial_lower(void) {
    int64_t *k = world.int64;
    BAD_POINTER(p, k, surefill_binomial_lower(59, 0.05, 0.95, p));
    BAD_PROBABILITY(q, surefill_binomial_lower(59, q, 0.95, k));
    BAD_PROBABILITY(c, surefill_binomial_lower(59, 0.05, c, k));
    for (int i = 0; i < 4; i++)
        REFUSED(SUREFILL_ERROR_OUT_OF_RANGE, surefill_binomial_lower(wrong_numbers[i], 0.05, 0.95, k));
    CHECK(surefill_binomial_lower(58, 0.05, 0.95, k) == SUREFILL_OK && *k == 0);
    CHECK(surefill_binomial_lower(59, 0.05, 0.95, k) == SUREFILL_OK && *k == 1);
}

void sweep_binomial_two_sided(void) {
    int64_t *l = world.int64, *u = world.int64 + 1;
    BAD_POINTER(p, l, surefill_binomial_two_sided(6, 0.5, 0.95, p, u));
    BAD_POINTER(p, u, surefill_binomial_two_sided(6, 0.5, 0.95, l, p));
    BAD_PROBABILITY(q, surefill_binomial_two_sided(6, q, 0.95, l, u));
    BAD_PROBABILITY(c, surefill_binomial_two_sided(6, 0.5, c, l, u));
    for (int i = 0; i < 4; i++)
        REFUSED(SUREFILL_ERROR_OUT_OF_RANGE, surefill_binomial_two_sided(wrong_numbers[i], 0.5, 0.95, l, u));
    CHECK(surefill_binomial_two_sided(5, 0.5, 0.95, l, u) == SUREFILL_OK && *l == 0 && *u == 0);
    CHECK(surefill_binomial_two_sided(6, 0.5, 0.95, l, u) == SUREFILL_OK && *l == 1 && *u == 6); /* 2^-6 < .025 */
}

void sweep_binomial_fewest(void) {
    int64_t *n = world.int64;
    BAD_POINTER(p, n, surefill_binomial_fewest(0.95, 0.95, p));
    BAD_PROBABILITY(q, surefill_binomial_fewest(q, 0.95, n));
    BAD_PROBABILITY(c, surefill_binomial_fewest(0.95, c, n));
    REFUSED(SUREFILL_ERROR_OUT_OF_RANGE, surefill_binomial_fewest(1 - 1e-12, 0.95, n)); /* more than 2^32 */
    CHECK(surefill_binomial_fewest(0.95, 0.95, n) == SUREFILL_OK && *n == 59);
}
