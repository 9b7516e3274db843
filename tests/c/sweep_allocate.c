/* The sweep of what chooses a job's size: models of speedup and lifetimes, sizings. */
#include "sweep.h"

enum { RUNNING = 2, PROCESSORS = 8 };

#define NEW ((surefill_sizing *)world.new_sizing)

static const double most = 1099511627776.0; /* 2^40 */

static surefill_sizing_capacity small_capacity(void) {
    surefill_sizing_capacity capacity;
    CHECK_OK(surefill_sizing_capacity_init(&capacity));
    capacity.running = RUNNING;
    capacity.processors = PROCESSORS;
    return capacity;
}

/* 2 of 8 processors are idle; one job holds 4, another 1: no place is left, one processor is neither idle nor busy. */
void make_sizings(void) {
    surefill_sizing *sizing;
    world.sizing_capacity = small_capacity();
    CHECK_OK(surefill_choice_options_init(&world.choice_options));
    world.choice = (surefill_choice){sizeof world.choice, 4, 10, 100, 5};
    CHECK_OK(surefill_sizing_init(world.new_sizing, sizeof world.new_sizing, &world.sizing_capacity, &sizing));
    CHECK_OK(surefill_sizing_init(world.sizing, sizeof world.sizing, &world.sizing_capacity, &sizing));
    CHECK_OK(surefill_sizing_begin(sizing, 2));
    CHECK_OK(surefill_sizing_add_lifetime(sizing, 4, 10, 1, 1000));
    CHECK_OK(surefill_sizing_add_lifetime(sizing, 1, 20, 1, 1000));
}

/* A real number from low to high. */
#define BAD_REAL(low, high, x, call)                                              \
    do {                                                                          \
        double x = NAN;                                                           \
        REFUSED(SUREFILL_ERROR_NOT_A_NUMBER, call);                               \
        const double beyond[] = {nextafter((low), -INFINITY), -1e300, -INFINITY,  \
                                 nextafter((high), INFINITY), 1e300, INFINITY};   \
        for (int i = 0; i < ((high) <= most ? 6 : 3); i++) {                         \
            x = beyond[i];                                                        \
            REFUSED(SUREFILL_ERROR_OUT_OF_RANGE, call);                           \
        }                                                                         \
    } while (0)

void sweep_speedup(void) {
    double *s = world.real[0];
    BAD_POINTER(p, s, surefill_speedup(8, 0.5, 4, p));
    BAD_REAL(1, most, a, surefill_speedup(a, 0.5, 4, s));
    BAD_REAL(0, INFINITY, sigma, surefill_speedup(8, sigma, 4, s));
    BAD_REAL(1, most, n, surefill_speedup(8, 0.5, n, s));
    CHECK(surefill_speedup(8, 0, 4, s) == SUREFILL_OK && *s == 4);
    CHECK(surefill_speedup(8, INFINITY, 9, s) == SUREFILL_OK && fabs(*s - 4.5) < 1e-12);
    CHECK(surefill_speedup(8, INFINITY, most, s) == SUREFILL_OK && *s > 7.99 && *s < 8); /* 8 n / (8 + n - 1) */
}

/* Measurements: 4 of them, of which 3 are enough. */
#define BAD_MEASUREMENTS(n, v, count, call)                                                         \
    do {                                                                                            \
        double *n = world.real[0], *v = world.real[0] + 10;                                         \
        int32_t count = 4;                                                                          \
        for (int i = 0; i < 4; i++) n[i] = v[i] = 1 + i;                                            \
        BAD_POINTER(n, world.real[0], call);                                                        \
        BAD_POINTER(v, world.real[0], call);                                                        \
        const double bad_n[] = {0, 0.5, -1, 1048577, INFINITY, -INFINITY};                          \
        const double bad_v[] = {0, -0.0, -1, 2 * most, INFINITY, -INFINITY};                        \
        for (int i = 0; i < 6; i++) {                                                               \
            n[3] = bad_n[i];                                                                        \
            REFUSED(SUREFILL_ERROR_OUT_OF_RANGE, call);                                             \
            n[3] = 4;                                                                               \
            v[3] = bad_v[i];                                                                        \
            REFUSED(SUREFILL_ERROR_OUT_OF_RANGE, call);                                             \
            v[3] = 4;                                                                               \
        }                                                                                           \
        n[2] = NAN;                                                                                 \
        REFUSED(SUREFILL_ERROR_NOT_A_NUMBER, call);                                                 \
        n[2] = 3;                                                                                   \
        v[2] = NAN;                                                                                 \
        REFUSED(SUREFILL_ERROR_NOT_A_NUMBER, call);                                                 \
        v[2] = 3;                                                                                   \
        const int32_t counts[] = {INT32_MIN, -1, 0, 1, 2};                                          \
        for (int i = 0; i < 5; i++) {                                                               \
            count = counts[i];                                                                      \
            REFUSED(SUREFILL_ERROR_OUT_OF_RANGE, call);                                             \
        }                                                                                           \
        count = 4;                                                                                  \
        n[0] = n[1] = n[2] = n[3];                                                                  \
        REFUSED(SUREFILL_ERROR_OUT_OF_RANGE, call); /* all on one number of processors */           \
        for (int i = 0; i < 4; i++) n[i] = 1 << i;                                                  \
    } while (0)

void sweep_speedup_fit_run_times(void) {
    double *a = world.real[1], *s = world.real[1] + 1, *l = world.real[1] + 2, *e = world.real[1] + 3;
    double *n = world.real[0], *v = n + 10;
    BAD_MEASUREMENTS(nn, vv, count, surefill_speedup_fit_run_times(nn, vv, count, a, s, l, e));
    BAD_POINTER(p, a, surefill_speedup_fit_run_times(n, v, 4, p, s, l, e));
    BAD_POINTER(p, s, surefill_speedup_fit_run_times(n, v, 4, a, p, l, e));
    BAD_POINTER(p, l, surefill_speedup_fit_run_times(n, v, 4, a, s, p, e));
    BAD_POINTER(p, e, surefill_speedup_fit_run_times(n, v, 4, a, s, l, p));
    for (int i = 0; i < 4; i++) {
        CHECK_OK(surefill_speedup(3, 0, 1 << i, &v[i]));
        v[i] = 90 / v[i];
    }
    CHECK_OK(surefill_speedup_fit_run_times(n, v, 4, a, s, l, e));
    CHECK(fabs(*a - 3) < 1e-3 && *s < 1e-3 && fabs(*l - 90) < 0.1 && *e < 1e-3);
}

/* Between which lifetimes: in their order, and different. */
#define BAD_LIFETIMES(low, high, call)                            \
    do {                                                          \
        double low = 10, high = 10;                               \
        REFUSED(SUREFILL_ERROR_OUT_OF_RANGE, call);               \
        high = 5;                                                 \
        REFUSED(SUREFILL_ERROR_OUT_OF_RANGE, call);               \
        high = nextafter(10, 11); /* but not their logarithms */  \
        REFUSED(SUREFILL_ERROR_OUT_OF_RANGE, call);               \
        high = 20;                                                \
        BAD_REAL(1e-9, most, low, call);                          \
        low = 10;                                                 \
        BAD_REAL(1e-9, most, high, call);                         \
    } while (0)

void sweep_lifetime_fit(void) {
    double *t = world.real[0], *low = world.real[1], *high = world.real[1] + 1;
    for (int i = 0; i < 10; i++) t[i] = exp(1 + (i + 0.5) / 10);
    BAD_POINTER(p, t, surefill_lifetime_fit(p, 10, low, high));
    BAD_POINTER(p, low, surefill_lifetime_fit(t, 10, p, high));
    BAD_POINTER(p, high, surefill_lifetime_fit(t, 10, low, p));
    const int32_t counts[] = {INT32_MIN, -1, 0, 1};
    for (int i = 0; i < 4; i++) REFUSED(SUREFILL_ERROR_OUT_OF_RANGE, surefill_lifetime_fit(t, counts[i], low, high));
    const double good = t[5], wrong[] = {0, -1, 1e300, INFINITY, -INFINITY, t[3]};
    for (int i = 0; i < 6; i++) {
        t[5] = wrong[i];
        REFUSED(SUREFILL_ERROR_OUT_OF_RANGE, surefill_lifetime_fit(t, 10, low, high));
    }
    t[5] = NAN;
    REFUSED(SUREFILL_ERROR_NOT_A_NUMBER, surefill_lifetime_fit(t, 10, low, high));
    t[5] = good;
    CHECK_OK(surefill_lifetime_fit(t, 10, low, high));
    CHECK(fabs(*low - exp(1)) < 1e-9 && fabs(*high - exp(2)) < 1e-9);
    for (int i = 0; i < 10; i++) t[i] = 7;
    REFUSED(SUREFILL_ERROR_OUT_OF_RANGE, surefill_lifetime_fit(t, 10, low, high)); /* all the same */
}

void sweep_sizing_capacity_init(void) { BAD_INIT(surefill_sizing_capacity, p, n, (surefill_sizing_capacity_init)(p, n)); }

void sweep_sizing_size(void) {
    BAD_POINTER(p, &world.sizing_capacity, surefill_sizing_size(p, world.int64));
    BAD_POINTER(p, world.int64, surefill_sizing_size(&world.sizing_capacity, p));
    for (size_t offset = 4; offset < sizeof(surefill_sizing_capacity); offset += 4) {
        const int32_t wrong[] = {-1, INT32_MIN, INT32_MAX, (1 << 24) + 1, 0};
        const int zero_is_wrong = offset != offsetof(surefill_sizing_capacity, running);
        for (int i = 0; i < 4 + zero_is_wrong; i++) {
            surefill_sizing_capacity capacity = small_capacity();
            memcpy((char *)&capacity + offset, &wrong[i], sizeof wrong[i]);
            REFUSED(SUREFILL_ERROR_OUT_OF_RANGE, surefill_sizing_size(&capacity, world.int64));
        }
    }
    surefill_sizing_capacity capacity = small_capacity();
    const uint32_t sizes[] = {0, 3, 5, sizeof capacity - 1, 5000, UINT32_MAX};
    for (int i = 0; i < 6; i++) {
        capacity.struct_size = sizes[i];
        REFUSED(WRONG_SIZE(sizes[i]), surefill_sizing_size(&capacity, world.int64));
    }
}

void sweep_sizing_init(void) {
    int64_t bytes = 0;
    CHECK_OK(surefill_sizing_size(&world.sizing_capacity, &bytes));
    CHECK(bytes <= (int64_t)sizeof world.sizing);
    BAD_MEMORY(bytes, m, n, made, surefill_sizing_init(m, n, &world.sizing_capacity, made));
    BAD_POINTER(p, &world.sizing_capacity,
                surefill_sizing_init(world.fresh, bytes, p, (surefill_sizing **)&world.handle[0]));
    /* The smallest one works: no jobs, a single processor. */
    surefill_sizing *sizing;
    surefill_sizing_capacity capacity = {sizeof capacity, 0, 1};
    double seconds = -1;
    CHECK_OK(surefill_sizing_init(world.fresh, sizeof world.fresh, &capacity, &sizing));
    CHECK_OK(surefill_sizing_begin(sizing, 0));
    CHECK_STATUS(SUREFILL_ERROR_FULL, surefill_sizing_add_lifetime(sizing, 1, 0, 1, 10));
    CHECK_STATUS(SUREFILL_ERROR_NEVER, surefill_sizing_wait(sizing, 1, SUREFILL_WAIT_BY_MEAN, 0, &seconds));
    CHECK_OK(surefill_sizing_begin(sizing, 1));
    CHECK_OK(surefill_sizing_wait(sizing, 1, SUREFILL_WAIT_BY_MEAN, 0, &seconds));
    CHECK(seconds == 0);
}

static const int32_t wrong_processors[] = {-1, INT32_MIN, PROCESSORS + 1, INT32_MAX};

void sweep_sizing_begin(void) {
    BAD_HANDLE(KIND_SIZING, h, surefill_sizing_begin(h, 2));
    for (int i = 0; i < 4; i++) REFUSED(processors_error(wrong_processors[i]), surefill_sizing_begin(SIZING, wrong_processors[i]));
}

void sweep_sizing_add_lifetime(void) {
    surefill_sizing *sizing = (surefill_sizing *)world.fresh;
    BAD_HANDLE(KIND_SIZING, h, surefill_sizing_add_lifetime(h, 1, 10, 1, 1000));
    REFUSED(SUREFILL_ERROR_WRONG_STATE, surefill_sizing_add_lifetime(NEW, 1, 10, 1, 1000));
    REFUSED(SUREFILL_ERROR_FULL, surefill_sizing_add_lifetime(SIZING, 1, 10, 1, 1000));
    memcpy(sizing, NEW, sizeof world.new_sizing);
    CHECK_OK(surefill_sizing_begin(sizing, 2));
    for (int i = 0; i < 4; i++)
        REFUSED(processors_error(wrong_processors[i]), surefill_sizing_add_lifetime(sizing, wrong_processors[i], 10, 1, 1000));
    REFUSED(SUREFILL_ERROR_OUT_OF_RANGE, surefill_sizing_add_lifetime(sizing, 0, 10, 1, 1000));
    REFUSED(SUREFILL_ERROR_OVERFULL, surefill_sizing_add_lifetime(sizing, 7, 10, 1, 1000)); /* 6 are left */
    BAD_REAL(0, most, age, surefill_sizing_add_lifetime(sizing, 1, age, 1, 1000));
    BAD_LIFETIMES(low, high, surefill_sizing_add_lifetime(sizing, 1, 10, low, high));
    CHECK_OK(surefill_sizing_add_lifetime(sizing, 6, most, 1, 1000));
}

void sweep_sizing_wait(void) {
    double *t = world.real[0];
    BAD_HANDLE(KIND_SIZING, h, surefill_sizing_wait(h, 4, SUREFILL_WAIT_BY_MEAN, 0.5, t));
    BAD_POINTER(p, t, surefill_sizing_wait(SIZING, 4, SUREFILL_WAIT_BY_MEAN, 0.5, p));
    REFUSED(SUREFILL_ERROR_WRONG_STATE, surefill_sizing_wait(NEW, 4, SUREFILL_WAIT_BY_MEAN, 0.5, t));
    for (int i = 0; i < 4; i++)
        REFUSED(processors_error(wrong_processors[i]), surefill_sizing_wait(SIZING, wrong_processors[i], SUREFILL_WAIT_BY_MEAN, 0.5, t));
    const int32_t wrong[] = {-1, 5, INT32_MIN, INT32_MAX};
    for (int i = 0; i < 4; i++) REFUSED(SUREFILL_ERROR_OUT_OF_RANGE, surefill_sizing_wait(SIZING, 4, wrong[i], 0.5, t));
    BAD_REAL(0, 1, q, surefill_sizing_wait(SIZING, 4, SUREFILL_WAIT_BY_QUANTILE, q, t));
    for (int32_t by = 0; by < 5; by++) {
        REFUSED(SUREFILL_ERROR_NEVER, surefill_sizing_wait(SIZING, PROCESSORS, by, 0.5, t)); /* 7 are known of */
        CHECK(surefill_sizing_wait(SIZING, 2, by, 0.5, t) == SUREFILL_OK && *t == 0);
        CHECK(surefill_sizing_wait(SIZING, 0, by, 0.5, t) == SUREFILL_OK && *t == 0);
        CHECK(surefill_sizing_wait(SIZING, 6, by, by == SUREFILL_WAIT_BY_QUANTILE ? 0.5 : NAN, t) == SUREFILL_OK && *t > 0);
    }
    /* For the seventh both must end: there is no benefactor. */
    REFUSED(SUREFILL_ERROR_NEVER, surefill_sizing_wait(SIZING, 7, SUREFILL_WAIT_BY_BENEFACTORS, 0.5, t));
    CHECK(surefill_sizing_wait(SIZING, 7, SUREFILL_WAIT_BY_COMBINED, 0.5, t) == SUREFILL_OK && *t > 0);
}

void sweep_sizing_free_probability(void) {
    double *p = world.real[0];
    BAD_HANDLE(KIND_SIZING, h, surefill_sizing_free_probability(h, 4, 10, p));
    BAD_POINTER(q, p, surefill_sizing_free_probability(SIZING, 4, 10, q));
    REFUSED(SUREFILL_ERROR_WRONG_STATE, surefill_sizing_free_probability(NEW, 4, 10, p));
    for (int i = 0; i < 4; i++)
        REFUSED(processors_error(wrong_processors[i]), surefill_sizing_free_probability(SIZING, wrong_processors[i], 10, p));
    BAD_REAL(0, most, wait, surefill_sizing_free_probability(SIZING, 4, wait, p));
    CHECK(surefill_sizing_free_probability(SIZING, 2, 0, p) == SUREFILL_OK && *p == 1);
    CHECK(surefill_sizing_free_probability(SIZING, 4, 90, p) == SUREFILL_OK && *p > 0 && *p < 1);
    CHECK(surefill_sizing_free_probability(SIZING, PROCESSORS, most, p) == SUREFILL_OK && *p == 0);
}

void sweep_choice_options_init(void) { BAD_INIT(surefill_choice_options, p, n, (surefill_choice_options_init)(p, n)); }

#define CHOOSE(h, o, out) surefill_sizing_choose(h, o, 8, 0, 100000, out)

/* Whatever can be wrong in the options. */
static void bad_choices(void) {
    const surefill_choice_options good = world.choice_options;
    surefill_choice_options bad[20];
    surefill_choice *out = &world.choice;
    int count = 0;
    for (int i = 0; i < 20; i++) bad[i] = good;
    BAD_HANDLE(KIND_SIZING, h, CHOOSE(h, &good, out));
    REFUSED(SUREFILL_ERROR_WRONG_STATE, CHOOSE(NEW, &good, out));
    BAD_POINTER(p, &world.choice_options, CHOOSE(SIZING, p, out));
    BAD_POINTER(p, out, CHOOSE(SIZING, &good, p));
    bad[count++].predictor = -1;
    bad[count++].predictor = 5;
    bad[count].predictor = SUREFILL_WAIT_BY_QUANTILE;
    bad[count++].quantile = 1.5;
    bad[count].predictor = SUREFILL_WAIT_BY_QUANTILE;
    bad[count++].quantile = -INFINITY;
    bad[count++].least = 0;
    bad[count++].least = -1;
    bad[count++].least = PROCESSORS + 1;
    bad[count++].least = INT32_MAX;
    bad[count++].most = 0;
    bad[count++].most = INT32_MIN;
    bad[count++].weight = -1;
    bad[count++].weight = INFINITY;
    bad[count++].least_gain = -0.1;
    bad[count++].least_gain = 1.1;
    for (int i = 0; i < count; i++)
        REFUSED(bad[i].least > PROCESSORS ? SUREFILL_ERROR_TOO_MANY_PROCESSORS : SUREFILL_ERROR_OUT_OF_RANGE,
                CHOOSE(SIZING, &bad[i], out));
    bad[0] = bad[1] = bad[2] = good;
    bad[0].predictor = SUREFILL_WAIT_BY_QUANTILE;
    bad[0].quantile = bad[1].weight = bad[2].least_gain = NAN;
    for (int i = 0; i < 3; i++)
        REFUSED(SUREFILL_ERROR_NOT_A_NUMBER, CHOOSE(SIZING, &bad[i], out));
    bad[0] = good;
    bad[0].least = PROCESSORS;
    REFUSED(SUREFILL_ERROR_NEVER, CHOOSE(SIZING, &bad[0], out));
    bad[0] = good;
    bad[0].struct_size = 17;
    REFUSED(SUREFILL_ERROR_WRONG_VERSION, CHOOSE(SIZING, &bad[0], out));
}

void sweep_sizing_choose(void) {
    const surefill_choice_options *options = &world.choice_options;
    surefill_choice *out = &world.choice;
    bad_choices();
    BAD_REAL(1, most, a, surefill_sizing_choose(SIZING, options, a, 0, 1000, out));
    BAD_REAL(0, INFINITY, sigma, surefill_sizing_choose(SIZING, options, 8, sigma, 1000, out));
    BAD_REAL(0, most, t, surefill_sizing_choose(SIZING, options, 8, 0, t, out));
    for (int32_t by = 0; by < 5; by++) {
        surefill_choice_options own = *options;
        own.predictor = by;
        CHECK_OK(surefill_sizing_choose(SIZING, &own, 8, 0, 100000, out));
        /* A day's work waits for all that can be had; predictor A sees none that frees seven. */
        CHECK(out->processors == (by == SUREFILL_WAIT_BY_BENEFACTORS ? 6 : 7) && out->wait > 0 && out->gain > 0);
        CHECK(out->struct_size == sizeof *out && out->run_time == 100000.0 / out->processors);
        CHECK_OK(surefill_sizing_choose(SIZING, &own, 8, 0, 0, out));
        CHECK(out->processors == 1 && out->wait == 0 && out->run_time == 0); /* nothing to do */
    }
}

void sweep_choice_start(void) {
    int32_t *n = world.int32;
    world.choice = (surefill_choice){sizeof world.choice, 4, 10, 100, 5};
    const surefill_choice *choice = &world.choice;
    BAD_POINTER(p, &world.choice, surefill_choice_start(p, 8, 8, 0, n));
    BAD_SIZES(&world.choice, (uint32_t)sizeof world.choice, surefill_choice_start(choice, 8, 8, 0, n));
    BAD_POINTER(p, n, surefill_choice_start(choice, 8, 8, 0, p));
    REFUSED(SUREFILL_ERROR_OUT_OF_RANGE, surefill_choice_start(choice, -1, 8, 0, n));
    REFUSED(SUREFILL_ERROR_OUT_OF_RANGE, surefill_choice_start(choice, 8, -1, 0, n));
    REFUSED(SUREFILL_ERROR_OUT_OF_RANGE, surefill_choice_start(choice, 8, 3, 0, n));
    REFUSED(SUREFILL_ERROR_OUT_OF_RANGE, surefill_choice_start(choice, 8, 8, 2, n));
    REFUSED(SUREFILL_ERROR_OUT_OF_RANGE, surefill_choice_start(choice, 8, 8, -1, n));
    const int32_t wrong[] = {0, -1, INT32_MIN};
    for (int i = 0; i < 3; i++) {
        surefill_choice none = *choice;
        none.processors = wrong[i];
        REFUSED(SUREFILL_ERROR_OUT_OF_RANGE, surefill_choice_start(&none, 8, 8, 0, n));
    }
    CHECK(surefill_choice_start(choice, 3, 6, 0, n) == SUREFILL_OK && *n == 0);
    CHECK(surefill_choice_start(choice, 5, 6, 0, n) == SUREFILL_OK && *n == 5);
    CHECK(surefill_choice_start(choice, INT32_MAX, 6, 0, n) == SUREFILL_OK && *n == 6);
    CHECK(surefill_choice_start(choice, 8, 6, 1, n) == SUREFILL_OK && *n == 4);
}
