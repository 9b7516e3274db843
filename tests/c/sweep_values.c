/* The sweep of bins and distributions. */
#include "sweep.h"

void sweep_bins_init(void) {
    const struct {
        double first, ratio;
        int32_t count, status;
    } cases[] = {{NAN, 2, 4, SUREFILL_ERROR_NOT_A_NUMBER},
                 {1, NAN, 4, SUREFILL_ERROR_NOT_A_NUMBER},
                 {0, 2, 4, SUREFILL_ERROR_OUT_OF_RANGE},
                 {-1, 2, 4, SUREFILL_ERROR_OUT_OF_RANGE},
                 {INFINITY, 2, 4, SUREFILL_ERROR_OUT_OF_RANGE},
                 {-INFINITY, 2, 4, SUREFILL_ERROR_OUT_OF_RANGE},
                 {1, 1, 4, SUREFILL_ERROR_OUT_OF_RANGE},
                 {1, 0, 4, SUREFILL_ERROR_OUT_OF_RANGE},
                 {1, -2, 4, SUREFILL_ERROR_OUT_OF_RANGE},
                 {1, INFINITY, 4, SUREFILL_ERROR_OUT_OF_RANGE},
                 {1, 2, 0, SUREFILL_ERROR_OUT_OF_RANGE},
                 {1, 2, -1, SUREFILL_ERROR_OUT_OF_RANGE},
                 {1, 2, SUREFILL_MAX_BINS + 1, SUREFILL_ERROR_OUT_OF_RANGE},
                 {1, 2, INT32_MIN, SUREFILL_ERROR_OUT_OF_RANGE},
                 {1, 2, INT32_MAX, SUREFILL_ERROR_OUT_OF_RANGE},
                 {1, 2, 43, SUREFILL_ERROR_OUT_OF_RANGE}, /* an edge beyond SUREFILL_MAX_SECONDS */
                 {1e300, 1e300, 4, SUREFILL_ERROR_OUT_OF_RANGE}};
    BAD_MEMORY(SUREFILL_BINS_SIZE, m, n, out, surefill_bins_init(m, n, 1, 2, 4, out));
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        REFUSED(cases[i].status, surefill_bins_init(world.fresh, sizeof world.fresh, cases[i].first, cases[i].ratio,
                                                    cases[i].count, (surefill_bins **)&world.handle[0]));
    CHECK_OK(surefill_bins_init(world.fresh, INT64_MAX, 1, 2, 1, (surefill_bins **)&world.handle[0]));
}

void sweep_bins_init_default(void) {
    BAD_MEMORY(SUREFILL_BINS_SIZE, m, n, out, surefill_bins_init_default(m, n, out));
}

void sweep_bins_init_covering(void) {
    surefill_bins **out = (surefill_bins **)&world.handle[0];
    BAD_MEMORY(SUREFILL_BINS_SIZE, m, n, made, surefill_bins_init_covering(m, n, 1, 2, 1000, made));
    const int64_t length = sizeof world.fresh;
    REFUSED(SUREFILL_ERROR_NOT_A_NUMBER, surefill_bins_init_covering(world.fresh, length, NAN, 2, 1000, out));
    REFUSED(SUREFILL_ERROR_NOT_A_NUMBER, surefill_bins_init_covering(world.fresh, length, 1, NAN, 1000, out));
    REFUSED(SUREFILL_ERROR_OUT_OF_RANGE, surefill_bins_init_covering(world.fresh, length, 0, 2, 1000, out));
    REFUSED(SUREFILL_ERROR_OUT_OF_RANGE, surefill_bins_init_covering(world.fresh, length, 1, INFINITY, 1000, out));
    REFUSED(SUREFILL_ERROR_OUT_OF_RANGE, surefill_bins_init_covering(world.fresh, length, 1, 1.0001, 1000, out));
    REFUSED(SUREFILL_ERROR_OUT_OF_RANGE, surefill_bins_init_covering(world.fresh, length, 1, 2, INT64_MAX, out));
}

void sweep_bins_count(void) {
    BAD_HANDLE(KIND_BINS, h, surefill_bins_count(h, &world.int32[0]));
    BAD_POINTER(p, world.int32, surefill_bins_count(BINS, p));
}

void sweep_bins_index(void) {
    BAD_HANDLE(KIND_BINS, h, surefill_bins_index(h, 5, &world.int32[0]));
    BAD_POINTER(p, world.int32, surefill_bins_index(BINS, 5, p));
    REFUSED(SUREFILL_ERROR_NOT_A_NUMBER, surefill_bins_index(BINS, NAN, &world.int32[0]));
    const double low[] = {-INFINITY, -1e300, -1, -0.0}, high[] = {1e4, 1e300, INFINITY};
    for (int i = 0; i < 4; i++) CHECK(surefill_bins_index(BINS, low[i], &world.int32[0]) == 0 && world.int32[0] == 0);
    for (int i = 0; i < 3; i++) CHECK(surefill_bins_index(BINS, high[i], &world.int32[0]) == 0 && world.int32[0] == 3);
}

void sweep_bins_edges(void) {
    double *lower = world.real[0], *upper = world.real[1];
    BAD_HANDLE(KIND_BINS, h, surefill_bins_edges(h, 0, lower, upper));
    BAD_POINTER(p, lower, surefill_bins_edges(BINS, 0, p, upper));
    BAD_POINTER(p, upper, surefill_bins_edges(BINS, 0, lower, p));
    const int32_t none[] = {-1, 4, INT32_MIN, INT32_MAX};
    for (int i = 0; i < 4; i++)
        REFUSED(SUREFILL_ERROR_NO_SUCH_INDEX, surefill_bins_edges(BINS, none[i], lower, upper));
}

void sweep_distribution_init_counts(void) {
    const int64_t size = SUREFILL_DISTRIBUTION_SIZE;
    double *counts = world.real[0];
    surefill_distribution **out = (surefill_distribution **)&world.handle[0];
    for (int i = 0; i < 4; i++) counts[i] = i;
    BAD_MEMORY(size, m, n, made, surefill_distribution_init_counts(m, n, BINS, counts, 4, made));
    BAD_HANDLE(KIND_BINS, h, surefill_distribution_init_counts(world.fresh, size, h, counts, 4, out));
    BAD_POINTER(p, counts, surefill_distribution_init_counts(world.fresh, size, BINS, p, 4, out));
    const int32_t lengths[] = {0, 3, 5, -1, INT32_MIN};
    for (int i = 0; i < 5; i++)
        REFUSED(SUREFILL_ERROR_OUT_OF_RANGE,
                surefill_distribution_init_counts(world.fresh, size, BINS, counts, lengths[i], out));
    const double wrong[] = {-1, -INFINITY, INFINITY, NAN};
    for (int i = 0; i < 4; i++) {
        counts[2] = wrong[i];
        REFUSED(isnan(wrong[i]) ? SUREFILL_ERROR_NOT_A_NUMBER : SUREFILL_ERROR_OUT_OF_RANGE,
                surefill_distribution_init_counts(world.fresh, size, BINS, counts, 4, out));
    }
    counts[1] = counts[2] = 1e308; /* the sum overflows */
    REFUSED(SUREFILL_ERROR_OUT_OF_RANGE, surefill_distribution_init_counts(world.fresh, size, BINS, counts, 4, out));
    memset(counts, 0, 4 * sizeof *counts); /* nothing known: allowed */
    CHECK_OK(surefill_distribution_init_counts(world.fresh, size, BINS, counts, 4, out));
}

void sweep_distribution_init_samples(void) {
    const int64_t size = SUREFILL_DISTRIBUTION_SIZE;
    int64_t *runs = world.int64;
    double *weights = world.real[0];
    surefill_distribution **out = (surefill_distribution **)&world.handle[0];
    for (int i = 0; i < 4; i++) weights[i] = runs[i] = i;
    BAD_MEMORY(size, m, n, made, surefill_distribution_init_samples(m, n, BINS, runs, weights, 4, made));
    BAD_HANDLE(KIND_BINS, h, surefill_distribution_init_samples(world.fresh, size, h, runs, weights, 4, out));
    BAD_POINTER(p, runs, surefill_distribution_init_samples(world.fresh, size, BINS, p, weights, 4, out));
    REFUSED(SUREFILL_ERROR_MISALIGNED,
            surefill_distribution_init_samples(world.fresh, size, BINS, runs, ODD(weights), 4, out));
    REFUSED(SUREFILL_ERROR_OUT_OF_RANGE,
            surefill_distribution_init_samples(world.fresh, size, BINS, runs, weights, -1, out));
    REFUSED(SUREFILL_ERROR_OUT_OF_RANGE,
            surefill_distribution_init_samples(world.fresh, size, BINS, runs, NULL, INT32_MIN, out));
    const int64_t wrong_runs[] = {-1, INT64_MIN, SUREFILL_MAX_SECONDS + 1, INT64_MAX};
    for (int i = 0; i < 4; i++) {
        runs[3] = wrong_runs[i];
        REFUSED(span_error(wrong_runs[i]),
                surefill_distribution_init_samples(world.fresh, size, BINS, runs, weights, 4, out));
    }
    runs[3] = SUREFILL_MAX_SECONDS;
    const double wrong[] = {-1, -INFINITY, INFINITY, NAN};
    for (int i = 0; i < 4; i++) {
        weights[3] = wrong[i];
        REFUSED(isnan(wrong[i]) ? SUREFILL_ERROR_NOT_A_NUMBER : SUREFILL_ERROR_OUT_OF_RANGE,
                surefill_distribution_init_samples(world.fresh, size, BINS, runs, weights, 4, out));
    }
    CHECK_OK(surefill_distribution_init_samples(world.fresh, size, BINS, runs, NULL, 4, out));
    CHECK_OK(surefill_distribution_init_samples(world.fresh, size, BINS, NULL, NULL, 0, out)); /* nothing known */
}

void sweep_distribution_init_single(void) {
    const int64_t wrong[] = {-1, INT64_MIN, SUREFILL_MAX_SECONDS + 1, INT64_MAX};
    BAD_MEMORY(SUREFILL_DISTRIBUTION_SIZE, m, n, out, surefill_distribution_init_single(m, n, 60, out));
    for (int i = 0; i < 4; i++)
        REFUSED(span_error(wrong[i]),
                surefill_distribution_init_single(world.fresh, sizeof world.fresh, wrong[i],
                                                  (surefill_distribution **)&world.handle[0]));
}

static const int64_t wrong_spans[] = {-1, INT64_MIN, SUREFILL_MAX_SECONDS + 1, INT64_MAX};

void sweep_distribution_recalculate(void) {
    double *p = world.real[0];
    int32_t *n = world.int32;
    BAD_HANDLE_OR(0, KIND_DISTRIBUTION, h, surefill_distribution_recalculate(h, 0, 100, p, OUTPUTS, n));
    BAD_POINTER(out, p, surefill_distribution_recalculate(DISTRIBUTION, 0, 100, out, OUTPUTS, n));
    BAD_POINTER(out, n, surefill_distribution_recalculate(DISTRIBUTION, 0, 100, p, OUTPUTS, out));
    for (int i = 0; i < 4; i++) {
        REFUSED(span_error(wrong_spans[i]),
                surefill_distribution_recalculate(DISTRIBUTION, wrong_spans[i], 9, p, 4, n));
        REFUSED(span_error(wrong_spans[i]),
                surefill_distribution_recalculate(DISTRIBUTION, 9, wrong_spans[i], p, 4, n));
    }
    REFUSED(SUREFILL_ERROR_FULL, surefill_distribution_recalculate(DISTRIBUTION, 0, 100, NULL, 0, n));
    REFUSED(SUREFILL_ERROR_FULL, surefill_distribution_recalculate(DISTRIBUTION, 0, 100, p, 1, n));
    REFUSED(SUREFILL_ERROR_FULL, surefill_distribution_recalculate(DISTRIBUTION, 0, 100, p, 3, n));
    REFUSED(SUREFILL_ERROR_OUT_OF_RANGE, surefill_distribution_recalculate(DISTRIBUTION, 0, 100, p, -1, n));
    REFUSED(SUREFILL_ERROR_OUT_OF_RANGE, surefill_distribution_recalculate(DISTRIBUTION, 0, 100, p, INT32_MIN, n));
    CHECK_OK(surefill_distribution_recalculate(NULL, 0, 100, NULL, 0, n)); /* no bins, no room needed */
    CHECK(*n == 0);
}

void sweep_distribution_remaining(void) {
    int64_t *t = world.int64;
    double *p = world.real[0];
    int32_t *n = world.int32;
    BAD_HANDLE_OR(0, KIND_DISTRIBUTION, h, surefill_distribution_remaining(h, 0, 100, 4, t, p, OUTPUTS, n));
    BAD_POINTER(out, t, surefill_distribution_remaining(DISTRIBUTION, 0, 100, 4, out, p, OUTPUTS, n));
    BAD_POINTER(out, p, surefill_distribution_remaining(DISTRIBUTION, 0, 100, 4, t, out, OUTPUTS, n));
    BAD_POINTER(out, n, surefill_distribution_remaining(DISTRIBUTION, 0, 100, 4, t, p, OUTPUTS, out));
    for (int i = 0; i < 4; i++) {
        REFUSED(span_error(wrong_spans[i]),
                surefill_distribution_remaining(DISTRIBUTION, wrong_spans[i], 9, 4, t, p, OUTPUTS, n));
        REFUSED(span_error(wrong_spans[i]),
                surefill_distribution_remaining(DISTRIBUTION, 9, wrong_spans[i], 4, t, p, OUTPUTS, n));
    }
    const int32_t wrong_events[] = {0, -1, SUREFILL_MAX_EVENTS_PER_BIN + 1, INT32_MIN, INT32_MAX};
    for (int i = 0; i < 5; i++)
        REFUSED(SUREFILL_ERROR_OUT_OF_RANGE,
                surefill_distribution_remaining(DISTRIBUTION, 0, 100, wrong_events[i], t, p, OUTPUTS, n));
    REFUSED(SUREFILL_ERROR_FULL, surefill_distribution_remaining(DISTRIBUTION, 0, 100, 4, NULL, NULL, 0, n));
    REFUSED(SUREFILL_ERROR_FULL, surefill_distribution_remaining(DISTRIBUTION, 0, 100, 4, t, p, 1, n));
    REFUSED(SUREFILL_ERROR_FULL, surefill_distribution_remaining(NULL, 0, 100, 4, NULL, NULL, 0, n));
    REFUSED(SUREFILL_ERROR_OUT_OF_RANGE, surefill_distribution_remaining(DISTRIBUTION, 0, 100, 4, t, p, -1, n));
    CHECK_OK(surefill_distribution_remaining(DISTRIBUTION, 0, 100, 4, t, p, 16, n)); /* bins x events is enough */
}

void sweep_distribution_quantile(void) {
    int64_t *t = world.int64;
    BAD_HANDLE_OR(0, KIND_DISTRIBUTION, h, surefill_distribution_quantile(h, 0.5, 0, 100, t));
    BAD_POINTER(out, t, surefill_distribution_quantile(DISTRIBUTION, 0.5, 0, 100, out));
    for (int i = 0; i < 4; i++) {
        REFUSED(span_error(wrong_spans[i]), surefill_distribution_quantile(DISTRIBUTION, 0.5, wrong_spans[i], 9, t));
        REFUSED(span_error(wrong_spans[i]), surefill_distribution_quantile(DISTRIBUTION, 0.5, 9, wrong_spans[i], t));
    }
    const double wrong[] = {-1e-300, 1.0000001, -INFINITY, INFINITY};
    for (int i = 0; i < 4; i++)
        REFUSED(SUREFILL_ERROR_OUT_OF_RANGE, surefill_distribution_quantile(DISTRIBUTION, wrong[i], 0, 100, t));
    REFUSED(SUREFILL_ERROR_NOT_A_NUMBER, surefill_distribution_quantile(DISTRIBUTION, NAN, 0, 100, t));
}
