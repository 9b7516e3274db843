/* The sweep of the calibration of predicted delays. */
#include "sweep.h"

enum { BACKFILLS = 4 };

static const surefill_delay_calibration_capacity capacity = {sizeof(surefill_delay_calibration_capacity), BACKFILLS};

/* One backfill of two processors at second 100, for a head job that lacked five. */
void make_delay_calibration(void) {
    surefill_delay_calibration *delays;
    double told;
    CHECK_OK(surefill_delay_calibration_init(world.delays, sizeof world.delays, &capacity, &delays));
    CHECK_OK(surefill_delay_calibration_accepted(delays, SUREFILL_CRITERION_SECONDS, 7, 100, 2, 5, 3.5, &told));
    CHECK(told == 3.5);
}

static surefill_delay_calibration *copy(void) {
    memcpy(world.fresh, world.delays, sizeof world.delays);
    return (surefill_delay_calibration *)world.fresh;
}

void sweep_delay_calibration_capacity_init(void) {
    surefill_delay_calibration_capacity made = {0, 0};
    BAD_INIT(surefill_delay_calibration_capacity, p, n, (surefill_delay_calibration_capacity_init)(p, n));
    CHECK_OK(surefill_delay_calibration_capacity_init(&made));
    CHECK(made.struct_size == sizeof made && made.backfills == 256);
}

/* Numbers of backfills out of range, and sizes of the structure that no version has. */
#define BAD_DELAY_CAPACITY(c, call)                                                                 \
    do {                                                                                            \
        const int32_t wrong_backfills[] = {0, -1, 1048577, INT32_MIN, INT32_MAX};                   \
        const uint32_t wrong_sizes[] = {0, 3, 5, sizeof(surefill_delay_calibration_capacity) - 1, 5000}; \
        surefill_delay_calibration_capacity bad = capacity, *c = &bad;                              \
        for (int i = 0; i < 5; i++) {                                                               \
            bad = capacity;                                                                         \
            bad.backfills = wrong_backfills[i];                                                     \
            REFUSED(SUREFILL_ERROR_OUT_OF_RANGE, call);                                             \
            bad = capacity;                                                                         \
            bad.struct_size = wrong_sizes[i];                                                       \
            REFUSED(WRONG_SIZE(wrong_sizes[i]), call);                                              \
        }                                                                                           \
    } while (0)

void sweep_delay_calibration_size(void) {
    BAD_POINTER(p, &capacity, surefill_delay_calibration_size(p, world.int64));
    BAD_POINTER(p, world.int64, surefill_delay_calibration_size(&capacity, p));
    BAD_DELAY_CAPACITY(c, surefill_delay_calibration_size(c, world.int64));
    CHECK_OK(surefill_delay_calibration_size(&capacity, world.int64));
    CHECK(world.int64[0] > 0 && world.int64[0] <= (int64_t)sizeof world.delays);
}

void sweep_delay_calibration_init(void) {
    surefill_delay_calibration **made = (surefill_delay_calibration **)&world.handle[0];
    int64_t size;
    CHECK_OK(surefill_delay_calibration_size(&capacity, &size));
    BAD_MEMORY(size, m, n, out, surefill_delay_calibration_init(m, n, &capacity, out));
    BAD_POINTER(p, &capacity, surefill_delay_calibration_init(world.fresh, size, p, made));
    BAD_DELAY_CAPACITY(c, surefill_delay_calibration_init(world.fresh, sizeof world.fresh, c, made));
}

void sweep_delay_calibration_seal(void) {
    BAD_HANDLE(KIND_DELAY_CALIBRATION, h, surefill_delay_calibration_seal(h));
}

void sweep_delay_calibration_open(void) {
    int64_t size;
    surefill_delay_calibration *made = copy(), *opened;
    void *out = &world.handle[0];
    CHECK_OK(surefill_delay_calibration_size(&capacity, &size));
    REFUSED(SUREFILL_ERROR_CORRUPT, surefill_delay_calibration_open(world.fresh, size, out)); /* not sealed */
    CHECK_OK(surefill_delay_calibration_seal(made));
    BAD_MEMORY(size, m, n, o, surefill_delay_calibration_open(m, n, o));
    CHECK_OK(surefill_delay_calibration_open(world.fresh, size, &opened));
    CHECK_OK(surefill_delay_calibration_ended(opened, 1, 50, 160, 9));
    REFUSED(SUREFILL_ERROR_CORRUPT, surefill_delay_calibration_open(world.fresh, size, out)); /* changed since */
}

void sweep_delay_calibration_told(void) {
    double *told = &world.real[0][0];
    BAD_HANDLE(KIND_DELAY_CALIBRATION, h, surefill_delay_calibration_told(h, SUREFILL_CRITERION_SECONDS, 1, told));
    BAD_POINTER(p, told, surefill_delay_calibration_told(DELAYS, SUREFILL_CRITERION_SECONDS, 1, p));
    const int32_t wrong[] = {-1, 4, INT32_MIN, INT32_MAX};
    for (int i = 0; i < 4; i++)
        REFUSED(SUREFILL_ERROR_OUT_OF_RANGE, surefill_delay_calibration_told(DELAYS, wrong[i], 0.5, told));
    REFUSED(SUREFILL_ERROR_OUT_OF_RANGE, surefill_delay_calibration_told(DELAYS, SUREFILL_CRITERION_BOUND, 1.5, told));
    REFUSED(SUREFILL_ERROR_OUT_OF_RANGE, surefill_delay_calibration_told(DELAYS, SUREFILL_CRITERION_SECONDS, -1, told));
    REFUSED(SUREFILL_ERROR_NOT_A_NUMBER, surefill_delay_calibration_told(DELAYS, SUREFILL_CRITERION_SECONDS, NAN, told));
    CHECK_OK(surefill_delay_calibration_told(DELAYS, SUREFILL_CRITERION_SECONDS, 12, told));
    CHECK(*told == 12); /* no outcome is known yet */
}

void sweep_delay_calibration_rule(void) {
    surefill_rule given = world.rule;
    BAD_HANDLE(KIND_DELAY_CALIBRATION, h, surefill_delay_calibration_rule(h, &given, &world.rule));
    BAD_POINTER(p, &given, surefill_delay_calibration_rule(DELAYS, p, &world.rule));
    FILLS(surefill_rule, 4, p, surefill_delay_calibration_rule(DELAYS, &given, p));
    given.struct_size = 5;
    REFUSED(SUREFILL_ERROR_WRONG_VERSION, surefill_delay_calibration_rule(DELAYS, &given, &world.rule));
    given = world.rule;
    given.threshold = NAN;
    REFUSED(SUREFILL_ERROR_NOT_A_NUMBER, surefill_delay_calibration_rule(DELAYS, &given, &world.rule));
    given.threshold = -1;
    REFUSED(SUREFILL_ERROR_OUT_OF_RANGE, surefill_delay_calibration_rule(DELAYS, &given, &world.rule));
    given = world.rule;
    CHECK_OK(surefill_delay_calibration_rule(DELAYS, &given, &given));
    CHECK(given.threshold == world.rule.threshold && given.or_easy == world.rule.or_easy);
}

void sweep_delay_calibration_accepted(void) {
    double *told = &world.real[0][0];
    const int32_t seconds = SUREFILL_CRITERION_SECONDS;
    BAD_HANDLE(KIND_DELAY_CALIBRATION, h, surefill_delay_calibration_accepted(h, seconds, 8, 100, 1, 1, 1, told));
    BAD_POINTER(p, told, surefill_delay_calibration_accepted(DELAYS, seconds, 8, 100, 1, 1, 1, p));
    const int32_t wrong[] = {-1, 4, INT32_MIN, INT32_MAX};
    for (int i = 0; i < 4; i++)
        REFUSED(SUREFILL_ERROR_OUT_OF_RANGE,
                surefill_delay_calibration_accepted(DELAYS, wrong[i], 8, 100, 1, 1, 0.5, told));
    const int32_t counts[] = {0, -1, INT32_MIN};
    for (int i = 0; i < 3; i++) {
        REFUSED(SUREFILL_ERROR_OUT_OF_RANGE,
                surefill_delay_calibration_accepted(DELAYS, seconds, 8, 100, counts[i], 1, 1, told));
        REFUSED(SUREFILL_ERROR_OUT_OF_RANGE,
                surefill_delay_calibration_accepted(DELAYS, seconds, 8, 100, 1, counts[i], 1, told));
    }
    REFUSED(SUREFILL_ERROR_OUT_OF_RANGE,
            surefill_delay_calibration_accepted(DELAYS, seconds, 8, INT64_MIN, 1, 1, 1, told));
    REFUSED(SUREFILL_ERROR_OUT_OF_RANGE, surefill_delay_calibration_accepted(DELAYS, seconds, 8, 100, 1, 1, -1, told));
    REFUSED(SUREFILL_ERROR_NOT_A_NUMBER, surefill_delay_calibration_accepted(DELAYS, seconds, 8, 100, 1, 1, NAN, told));
}

void sweep_delay_calibration_ended(void) {
    BAD_HANDLE(KIND_DELAY_CALIBRATION, h, surefill_delay_calibration_ended(h, 1, 50, 160, 1));
    const int32_t counts[] = {0, -1, INT32_MIN};
    for (int i = 0; i < 3; i++)
        REFUSED(SUREFILL_ERROR_OUT_OF_RANGE, surefill_delay_calibration_ended(DELAYS, 1, 50, 160, counts[i]));
    REFUSED(SUREFILL_ERROR_OUT_OF_RANGE, surefill_delay_calibration_ended(DELAYS, 1, INT64_MIN, 160, 1));
    REFUSED(SUREFILL_ERROR_OUT_OF_RANGE, surefill_delay_calibration_ended(DELAYS, 1, 50, INT64_MAX, 1));
    REFUSED(SUREFILL_ERROR_TIME_WENT_BACK, surefill_delay_calibration_ended(DELAYS, 1, 50, 49, 1));
}

void sweep_delay_calibration_totals(void) {
    int64_t *known = &world.int64[0];
    double *predicted = &world.real[0][0], *told = &world.real[0][1], *observed = &world.real[0][2];
    const int32_t seconds = SUREFILL_CRITERION_SECONDS;
    BAD_HANDLE(KIND_DELAY_CALIBRATION, h,
               surefill_delay_calibration_totals(h, seconds, known, predicted, told, observed));
    BAD_POINTER(p, known, surefill_delay_calibration_totals(DELAYS, seconds, p, predicted, told, observed));
    BAD_POINTER(p, predicted, surefill_delay_calibration_totals(DELAYS, seconds, known, p, told, observed));
    BAD_POINTER(p, told, surefill_delay_calibration_totals(DELAYS, seconds, known, predicted, p, observed));
    BAD_POINTER(p, observed, surefill_delay_calibration_totals(DELAYS, seconds, known, predicted, told, p));
    const int32_t wrong[] = {-1, 4, INT32_MIN, INT32_MAX};
    for (int i = 0; i < 4; i++)
        REFUSED(SUREFILL_ERROR_OUT_OF_RANGE,
                surefill_delay_calibration_totals(DELAYS, wrong[i], known, predicted, told, observed));
    /* Six processors are free at second 160; the seventh comes with the backfill's end. */
    surefill_delay_calibration *delays = copy();
    CHECK_OK(surefill_delay_calibration_ended(delays, 1, 50, 160, 6));
    CHECK_OK(surefill_delay_calibration_totals(delays, seconds, known, predicted, told, observed));
    CHECK(*known == 0 && *observed == 0);
    CHECK_OK(surefill_delay_calibration_ended(delays, 7, 100, 190, 2));
    CHECK_OK(surefill_delay_calibration_totals(delays, seconds, known, predicted, told, observed));
    CHECK(*known == 1 && *predicted == 3.5 && *told == 3.5 && *observed == 30);
}
