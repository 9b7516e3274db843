/* The sweep of the predictor. */
#include "sweep.h"

enum { NOW = 1000, STATES = 2, BINS_COUNT = 4 };

static surefill_predictor_limits small_limits(void) {
    surefill_predictor_limits limits;
    CHECK_OK(surefill_predictor_limits_init(&limits));
    limits.jobs = 2;
    limits.states = STATES;
    limits.bins = BINS_COUNT;
    limits.slots = limits.cells = 8;
    limits.window = 2;
    return limits;
}

/* A new one, and one with a queued job (1) and a running one (2), which is full. */
void make_predictors(void) {
    surefill_predictor *predictor;
    world.predictor_limits = small_limits();
    CHECK_OK(surefill_predictor_options_init(&world.options));
    CHECK_OK(surefill_predictor_init(world.new_predictor, sizeof world.new_predictor, &world.predictor_limits, BINS,
                                     &world.options, &predictor));
    CHECK_OK(surefill_predictor_init(world.predictor, sizeof world.predictor, &world.predictor_limits, BINS,
                                     &world.options, &predictor));
    for (int64_t job = 1; job <= 2; job++) CHECK_OK(surefill_predictor_submit(predictor, job, NOW));
    CHECK_OK(surefill_predictor_start(predictor, 2, NOW));
}

void sweep_predictor_limits_init(void) {
    BAD_POINTER(p, &world.predictor_limits, surefill_predictor_limits_init(p));
}

void sweep_predictor_options_init(void) { BAD_POINTER(p, &world.options, surefill_predictor_options_init(p)); }

void sweep_predictor_size(void) {
    BAD_POINTER(p, &world.predictor_limits, surefill_predictor_size(p, world.int64));
    BAD_POINTER(p, world.int64, surefill_predictor_size(&world.predictor_limits, p));
    for (size_t offset = 4; offset < sizeof(surefill_predictor_limits); offset += 4) {
        const int32_t wrong[] = {-1, INT32_MIN, INT32_MAX, 0};
        const int all = offset == offsetof(surefill_predictor_limits, online) ? 3 : 4; /* 0 says how to learn */
        for (int i = 0; i < all; i++) {
            surefill_predictor_limits limits = small_limits();
            memcpy((char *)&limits + offset, &wrong[i], sizeof wrong[i]);
            REFUSED(SUREFILL_ERROR_OUT_OF_RANGE, surefill_predictor_size(&limits, world.int64));
        }
    }
    surefill_predictor_limits limits = small_limits();
    const uint32_t sizes[] = {0, 3, 5, sizeof limits - 1, 5000, UINT32_MAX};
    for (int i = 0; i < 6; i++) {
        limits.struct_size = sizes[i];
        REFUSED(SUREFILL_ERROR_WRONG_VERSION, surefill_predictor_size(&limits, world.int64));
    }
}

static int64_t size(void) {
    int64_t bytes = 0;
    CHECK_OK(surefill_predictor_size(&world.predictor_limits, &bytes));
    CHECK(bytes <= (int64_t)sizeof world.predictor);
    return bytes;
}

void sweep_predictor_init(void) {
    const int64_t bytes = size();
    surefill_predictor **out = (surefill_predictor **)&world.handle[0];
    const surefill_predictor_limits *limits = &world.predictor_limits;
    BAD_MEMORY(bytes, m, n, made, surefill_predictor_init(m, n, limits, BINS, &world.options, made));
    BAD_POINTER(p, limits, surefill_predictor_init(world.fresh, bytes, p, BINS, &world.options, out));
    BAD_POINTER(p, &world.options, surefill_predictor_init(world.fresh, bytes, limits, BINS, p, out));
    BAD_HANDLE(KIND_BINS, h, surefill_predictor_init(world.fresh, bytes, limits, h, &world.options, out));
    REFUSED(SUREFILL_ERROR_OUT_OF_RANGE, /* more bins than the limits say */
            surefill_predictor_init(world.fresh, bytes, limits, (surefill_bins *)world.wide_bins, &world.options, out));
    const surefill_predictor_options good = world.options;
    surefill_predictor_options bad[24];
    int count = 0;
    for (int i = 0; i < 24; i++) bad[i] = good;
    bad[count++].load = -1;
    bad[count++].load = 3;
    bad[count++].initial = SUREFILL_INITIAL_PRESENT;
    bad[count++].initial = 2;
    bad[count++].termination = -1;
    bad[count++].termination = 3;
    bad[count++].threshold = -1;
    bad[count].termination = SUREFILL_TERMINATION_ROUNDS;
    bad[count++].threshold = 0;
    bad[count].termination = SUREFILL_TERMINATION_ROUNDS;
    bad[count++].threshold = 2.5;
    bad[count].termination = SUREFILL_TERMINATION_ROUNDS;
    bad[count++].threshold = INFINITY;
    bad[count++].most_rounds = 0;
    bad[count++].most_rounds = INT64_MIN;
    bad[count++].slot_seconds = 0;
    bad[count++].slot_seconds = INT64_MAX;
    bad[count++].initial_seconds = -1;
    bad[count++].restart_seconds = 0;
    bad[count++].floor = -1e-9;
    bad[count++].floor = 1;
    bad[count++].exponent = 0.5;
    bad[count++].exponent = 1.5;
    bad[count++].hold = -1;
    for (int i = 0; i < count; i++)
        REFUSED(SUREFILL_ERROR_OUT_OF_RANGE, surefill_predictor_init(world.fresh, bytes, limits, BINS, &bad[i], out));
    bad[0] = good;
    bad[0].floor = NAN;
    REFUSED(SUREFILL_ERROR_NOT_A_NUMBER, surefill_predictor_init(world.fresh, bytes, limits, BINS, &bad[0], out));
    bad[0] = good;
    bad[0].threshold = NAN;
    REFUSED(SUREFILL_ERROR_NOT_A_NUMBER, surefill_predictor_init(world.fresh, bytes, limits, BINS, &bad[0], out));
    bad[0].struct_size = 17;
    REFUSED(SUREFILL_ERROR_WRONG_VERSION, surefill_predictor_init(world.fresh, bytes, limits, BINS, &bad[0], out));
}

void sweep_predictor_seal(void) { BAD_HANDLE(KIND_PREDICTOR, h, surefill_predictor_seal(h)); }

void sweep_predictor_open(void) {
    surefill_predictor **out = (surefill_predictor **)&world.handle[0];
    const int64_t bytes = size();
    REFUSED(SUREFILL_ERROR_CORRUPT, surefill_predictor_open(world.predictor, bytes, out)); /* not sealed */
    CHECK_OK(surefill_predictor_seal(PREDICTOR));
    memcpy(world.fresh, world.predictor, (size_t)bytes);
    REFUSED(SUREFILL_ERROR_NULL, surefill_predictor_open(NULL, bytes, out));
    REFUSED(SUREFILL_ERROR_MISALIGNED, surefill_predictor_open(HALF(world.fresh), bytes, out));
    REFUSED(SUREFILL_ERROR_TOO_SMALL, surefill_predictor_open(world.fresh, bytes - 1, out));
    REFUSED(SUREFILL_ERROR_OUT_OF_RANGE, surefill_predictor_open(world.fresh, -1, out));
    REFUSED(SUREFILL_ERROR_WRONG_OBJECT, surefill_predictor_open(world.hmm, sizeof world.hmm, out));
    BAD_POINTER(p, out, surefill_predictor_open(world.fresh, bytes, p));
    for (int64_t byte = 0; byte < bytes; byte++) {
        ((unsigned char *)world.fresh)[byte] ^= 1;
        CHECK(surefill_predictor_open(world.fresh, bytes, out) != SUREFILL_OK);
        ((unsigned char *)world.fresh)[byte] ^= 1;
    }
    CHECK_OK(surefill_predictor_open(world.fresh, bytes, out));
    CHECK(*out == (surefill_predictor *)world.fresh);
}

/* Every event: before the last one's time, and at no time at all. */
#define BAD_TIME(call)                                      \
    do {                                                    \
        int64_t when = NOW - 1;                             \
        REFUSED(SUREFILL_ERROR_TIME_WENT_BACK, call);       \
        when = INT64_MIN;                                   \
        REFUSED(SUREFILL_ERROR_OUT_OF_RANGE, call);         \
        when = INT64_MAX;                                   \
        REFUSED(SUREFILL_ERROR_OUT_OF_RANGE, call);         \
    } while (0)

void sweep_predictor_submit(void) {
    BAD_HANDLE(KIND_PREDICTOR, h, surefill_predictor_submit(h, 3, NOW));
    BAD_TIME(surefill_predictor_submit(PREDICTOR, 3, when));
    REFUSED(SUREFILL_ERROR_DUPLICATE_JOB, surefill_predictor_submit(PREDICTOR, 1, NOW));
    REFUSED(SUREFILL_ERROR_DUPLICATE_JOB, surefill_predictor_submit(PREDICTOR, 2, NOW));
    REFUSED(SUREFILL_ERROR_FULL, surefill_predictor_submit(PREDICTOR, 3, NOW));
}

void sweep_predictor_start(void) {
    BAD_HANDLE(KIND_PREDICTOR, h, surefill_predictor_start(h, 1, NOW));
    BAD_TIME(surefill_predictor_start(PREDICTOR, 1, when));
    REFUSED(SUREFILL_ERROR_UNKNOWN_JOB, surefill_predictor_start(PREDICTOR, 3, NOW));
    REFUSED(SUREFILL_ERROR_ALREADY_STARTED, surefill_predictor_start(PREDICTOR, 2, NOW));
}

void sweep_predictor_end(void) {
    BAD_HANDLE(KIND_PREDICTOR, h, surefill_predictor_end(h, 2, NOW));
    BAD_TIME(surefill_predictor_end(PREDICTOR, 2, when));
    REFUSED(SUREFILL_ERROR_UNKNOWN_JOB, surefill_predictor_end(PREDICTOR, 3, NOW));
    REFUSED(SUREFILL_ERROR_NOT_STARTED, surefill_predictor_end(PREDICTOR, 1, NOW));
}

void sweep_predictor_cancel(void) {
    BAD_HANDLE(KIND_PREDICTOR, h, surefill_predictor_cancel(h, 2, NOW));
    BAD_TIME(surefill_predictor_cancel(PREDICTOR, 2, when));
    REFUSED(SUREFILL_ERROR_UNKNOWN_JOB, surefill_predictor_cancel(PREDICTOR, 3, NOW));
}

void sweep_predictor_jobs(void) {
    BAD_HANDLE(KIND_PREDICTOR, h, surefill_predictor_jobs(h, world.int32));
    BAD_POINTER(p, world.int32, surefill_predictor_jobs(PREDICTOR, p));
    CHECK(surefill_predictor_jobs(PREDICTOR, world.int32) == SUREFILL_OK && world.int32[0] == 2);
}

void sweep_predictor_predict(void) {
    int32_t *known = world.int32;
    surefill_distribution **out = (surefill_distribution **)&world.handle[0];
    const int64_t bytes = surefill_distribution_size();
    BAD_HANDLE(KIND_PREDICTOR, h, surefill_predictor_predict(h, NOW, world.fresh, bytes, known, out));
    BAD_MEMORY(bytes, m, n, made, surefill_predictor_predict(PREDICTOR, NOW, m, n, known, made));
    BAD_POINTER(p, known, surefill_predictor_predict(PREDICTOR, NOW, world.fresh, bytes, p, out));
    BAD_TIME(surefill_predictor_predict(PREDICTOR, when, world.fresh, bytes, known, out));
    CHECK_OK(surefill_predictor_predict(PREDICTOR, NOW, world.fresh, bytes, known, out));
    CHECK(*known == 0 && *out == (surefill_distribution *)world.fresh);
    CHECK(surefill_distribution_quantile(*out, 0.5, 0, 77, world.int64) == SUREFILL_OK && world.int64[0] == 77);
}

void sweep_predictor_probabilities(void) {
    int32_t *known = world.int32;
    double *p = world.real[0];
    BAD_HANDLE(KIND_PREDICTOR, h, surefill_predictor_probabilities(h, NOW, p, BINS_COUNT, known));
    BAD_POINTER(q, p, surefill_predictor_probabilities(PREDICTOR, NOW, q, BINS_COUNT, known));
    BAD_POINTER(q, known, surefill_predictor_probabilities(PREDICTOR, NOW, p, BINS_COUNT, q));
    BAD_TIME(surefill_predictor_probabilities(PREDICTOR, when, p, BINS_COUNT, known));
    const int32_t counts[] = {0, 3, 5, -4, INT32_MIN};
    for (int i = 0; i < 5; i++)
        REFUSED(SUREFILL_ERROR_OUT_OF_RANGE, surefill_predictor_probabilities(PREDICTOR, NOW, p, counts[i], known));
}

void sweep_predictor_wants_training(void) {
    BAD_HANDLE(KIND_PREDICTOR, h, surefill_predictor_wants_training(h, world.int32));
    BAD_POINTER(p, world.int32, surefill_predictor_wants_training(PREDICTOR, p));
    CHECK(surefill_predictor_wants_training(PREDICTOR, world.int32) == SUREFILL_OK && world.int32[0] == 0);
}

void sweep_predictor_train(void) {
    int32_t *step = world.int32;
    BAD_HANDLE(KIND_PREDICTOR, h, surefill_predictor_train(h, 1, step, &world.round));
    BAD_POINTER(p, step, surefill_predictor_train(PREDICTOR, 1, p, &world.round));
    BAD_POINTER(p, &world.round, surefill_predictor_train(PREDICTOR, 1, step, p));
    REFUSED(SUREFILL_ERROR_OUT_OF_RANGE, surefill_predictor_train(PREDICTOR, 0, step, &world.round));
    REFUSED(SUREFILL_ERROR_OUT_OF_RANGE, surefill_predictor_train(PREDICTOR, -1, step, &world.round));
    CHECK(surefill_predictor_train(PREDICTOR, 1, step, &world.round) == SUREFILL_OK && *step == SUREFILL_TRAINING_IDLE);
}

static const double half[] = {0.5, 0.5, 0.5, 0.5}, quarter[] = {0.25, 0.25, 0.25, 0.25, 0.25, 0.25, 0.25, 0.25};

void sweep_predictor_set_model(void) {
    surefill_predictor *new_one = (surefill_predictor *)world.new_predictor;
    BAD_HANDLE(KIND_PREDICTOR, h, surefill_predictor_set_model(h, 2, 4, 0, half, half, quarter, NULL));
    BAD_POINTER(p, world.real, surefill_predictor_set_model(new_one, 2, 4, 0, p, half, quarter, NULL));
    BAD_POINTER(p, world.real, surefill_predictor_set_model(new_one, 2, 4, 0, half, p, quarter, NULL));
    BAD_POINTER(p, world.real, surefill_predictor_set_model(new_one, 2, 4, 0, half, half, p, NULL));
    REFUSED(SUREFILL_ERROR_NULL, surefill_predictor_set_model(new_one, 2, 4, 1, half, half, quarter, NULL));
    REFUSED(SUREFILL_ERROR_OUT_OF_RANGE, surefill_predictor_set_model(new_one, 1, 4, 0, half, half, quarter, NULL));
    REFUSED(SUREFILL_ERROR_OUT_OF_RANGE, surefill_predictor_set_model(new_one, 2, 3, 0, half, half, quarter, NULL));
    REFUSED(SUREFILL_ERROR_OUT_OF_RANGE, surefill_predictor_set_model(new_one, 2, 4, 7, half, half, quarter, NULL));
    REFUSED(SUREFILL_ERROR_NOT_A_DISTRIBUTION, surefill_predictor_set_model(new_one, 2, 4, 0, quarter, half, quarter, NULL));
    REFUSED(SUREFILL_ERROR_WRONG_STATE, surefill_predictor_set_model(PREDICTOR, 2, 4, 0, half, half, quarter, NULL));
}

void sweep_predictor_model(void) {
    double *a = world.real[0], *b = world.real[0] + 10, *c = world.real[0] + 20, *d = world.real[0] + 30;
    int32_t *l = world.int32;
    surefill_predictor *new_one = (surefill_predictor *)world.new_predictor;
    REFUSED(SUREFILL_ERROR_WRONG_STATE, surefill_predictor_model(PREDICTOR, 2, 4, l, a, b, c, d));
    CHECK_OK(surefill_predictor_set_model(new_one, 2, 4, 0, half, half, quarter, NULL));
    BAD_HANDLE(KIND_PREDICTOR, h, surefill_predictor_model(h, 2, 4, l, a, b, c, d));
    BAD_POINTER(p, l, surefill_predictor_model(new_one, 2, 4, p, a, b, c, d));
    BAD_POINTER(p, a, surefill_predictor_model(new_one, 2, 4, l, p, b, c, d));
    BAD_POINTER(p, b, surefill_predictor_model(new_one, 2, 4, l, a, p, c, d));
    BAD_POINTER(p, c, surefill_predictor_model(new_one, 2, 4, l, a, b, p, d));
    BAD_POINTER(p, d, surefill_predictor_model(new_one, 2, 4, l, a, b, c, p));
    REFUSED(SUREFILL_ERROR_OUT_OF_RANGE, surefill_predictor_model(new_one, 3, 4, l, a, b, c, d));
    CHECK_OK(surefill_predictor_model(new_one, 2, 4, l, a, b, c, d));
    CHECK(*l == SUREFILL_LOAD_NONE && memcmp(b, half, sizeof half) == 0 && memcmp(c, quarter, sizeof quarter) == 0);
}
