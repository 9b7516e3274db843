/* The sweep of presets and recent waits. */
#include "sweep.h"

enum { WAITS = 8 };

/* A preset that wants this number of recent waits. */
static const surefill_preset *waits(int32_t count) {
    static surefill_preset preset;
    CHECK_OK(surefill_preset_init(&preset, SUREFILL_PRESET_DELAY));
    preset.recent_waits = count;
    return &preset;
}

void make_recent_waits(void) {
    surefill_recent_waits *recent;
    CHECK_OK(surefill_recent_waits_init(world.recent, sizeof world.recent, waits(WAITS), &recent));
    for (int64_t wait = 1; wait <= 10; wait++) CHECK_OK(surefill_recent_waits_add(recent, wait * 1000));
}

void sweep_preset_init(void) {
    BAD_INIT(surefill_preset, p, n, (surefill_preset_init)(p, SUREFILL_PRESET_DELAY, n));
    const int32_t wrong[] = {-1, 4, INT32_MIN, INT32_MAX};
    for (int i = 0; i < 4; i++) REFUSED(SUREFILL_ERROR_OUT_OF_RANGE, surefill_preset_init(&world.preset, wrong[i]));
    surefill_preset easy, papers;
    CHECK_OK(surefill_preset_init(&easy, SUREFILL_PRESET_EASY));
    CHECK(easy.struct_size == sizeof easy && easy.guard_quantile == 0 && easy.or_easy == 1 && easy.queue_age == 0);
    CHECK_OK(surefill_preset_init(&papers, SUREFILL_PRESET_PAPERS));
    CHECK(papers.criterion == SUREFILL_CRITERION_BOUND && papers.threshold == 0.05 && papers.or_easy == 0);
    CHECK(papers.guard_quantile == 1 && papers.front_quantile == 1 && papers.events_per_bin == 1);
}

/* Every call that reads a preset refuses one that is not valid. */
static void bad_presets(int32_t (*call)(const surefill_preset *preset)) {
    static surefill_preset preset;
    REFUSED(SUREFILL_ERROR_NULL, call(NULL));
    REFUSED(SUREFILL_ERROR_MISALIGNED, call(ODD(&world.preset)));
    const uint32_t sizes[] = {0, 1, 3, 12, 44, sizeof preset - 1, 4097, UINT32_MAX};
    for (int i = 0; i < 8; i++) {
        preset = world.preset;
        preset.struct_size = sizes[i];
        REFUSED(WRONG_SIZE(sizes[i]), call(&preset));
    }
    double *const numbers[] = {&preset.threshold, &preset.budget, &preset.slip, &preset.guard_quantile,
                               &preset.front_quantile, &preset.shortest_long_wait, &preset.queue_run_time,
                               &preset.queue_processors, &preset.queue_age_unit, &preset.queue_age,
                               &preset.candidate_run_time, &preset.candidate_processors, &preset.candidate_age_unit,
                               &preset.candidate_age};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        preset = world.preset;
        *numbers[i] = NAN;
        REFUSED(SUREFILL_ERROR_NOT_A_NUMBER, call(&preset));
        *numbers[i] = -9;
        REFUSED(SUREFILL_ERROR_OUT_OF_RANGE, call(&preset));
    }
    preset = world.preset;
    preset.criterion = 4;
    REFUSED(SUREFILL_ERROR_OUT_OF_RANGE, call(&preset));
    preset = world.preset;
    preset.events_per_bin = -1;
    REFUSED(SUREFILL_ERROR_OUT_OF_RANGE, call(&preset));
    preset = world.preset;
    preset.recent_waits = 0;
    REFUSED(SUREFILL_ERROR_OUT_OF_RANGE, call(&preset));
    preset = world.preset;
    preset.criterion = SUREFILL_CRITERION_PROBABILITY;
    preset.slip = 0.1;
    REFUSED(SUREFILL_ERROR_OUT_OF_RANGE, call(&preset));
}

static int32_t rule_of(const surefill_preset *preset) { return surefill_preset_rule(preset, RECENT, &world.rule); }
static int32_t size_of(const surefill_preset *preset) { return surefill_recent_waits_size(preset, world.int64); }
static int32_t waits_of(const surefill_preset *preset) {
    return surefill_recent_waits_init(world.fresh, sizeof world.fresh, preset, (surefill_recent_waits **)&world.handle[0]);
}
static int32_t queue_value(const surefill_preset *preset) {
    return surefill_preset_queue_value(preset, RECENT, DISTRIBUTION, 5000, 4, 100, &world.real[0][0]);
}
static int32_t candidate_value(const surefill_preset *preset) {
    return surefill_preset_candidate_value(preset, DISTRIBUTION, 5000, 4, 100, &world.real[0][0]);
}

void sweep_preset_rule(void) {
    bad_presets(rule_of);
    BAD_HANDLE_OR(0, KIND_RECENT_WAITS, h, surefill_preset_rule(&world.preset, h, &world.rule));
    FILLS(surefill_rule, 4, p, surefill_preset_rule(&world.preset, RECENT, p));
    surefill_preset preset = world.preset;
    surefill_rule rule = {.struct_size = sizeof rule};
    preset.guard_quantile = 0.5;
    preset.shortest_long_wait = 0;
    CHECK_OK(surefill_preset_rule(&preset, RECENT, &rule)); /* the waits 3,000 to 10,000 are kept */
    CHECK(rule.struct_size == sizeof rule && rule.guard == 6000 && rule.threshold == preset.threshold);
    CHECK(surefill_preset_rule(&preset, NULL, &rule) == SUREFILL_OK && isinf(rule.guard));
    preset.guard_quantile = 0;
    CHECK(surefill_preset_rule(&preset, NULL, &rule) == SUREFILL_OK && rule.guard == 0);
}

/* Wrong numbers about a job. */
#define BAD_JOBS(call)                                                                              \
    do {                                                                                            \
        static const int64_t longest = SUREFILL_MAX_SECONDS;                                        \
        const struct {                                                                              \
            int64_t limit;                                                                          \
            int32_t processors;                                                                     \
            int64_t waited;                                                                         \
        } jobs[] = {{-1, 1, 0},   {longest + 1, 1, 0},   {100, 0, 0},         {100, -1, 0},         \
                    {100, 1, -1}, {100, 1, longest + 1}, {100, 1, INT64_MIN}, {INT64_MIN, 1, 0}};   \
        for (int i = 0; i < 8; i++) {                                                               \
            const int64_t limit = jobs[i].limit, waited = jobs[i].waited;                           \
            const int32_t processors = jobs[i].processors;                                          \
            REFUSED(limit > longest || waited > longest ? SUREFILL_ERROR_SPAN_TOO_LONG              \
                                                        : SUREFILL_ERROR_OUT_OF_RANGE,              \
                    call);                                                                          \
        }                                                                                           \
    } while (0)

void sweep_preset_queue_value(void) {
    double *value = &world.real[0][0];
    bad_presets(queue_value);
    BAD_HANDLE_OR(0, KIND_RECENT_WAITS, h,
                  surefill_preset_queue_value(&world.preset, h, DISTRIBUTION, 5000, 4, 100, value));
    BAD_HANDLE_OR(0, KIND_DISTRIBUTION, h, surefill_preset_queue_value(&world.preset, RECENT, h, 5000, 4, 100, value));
    BAD_POINTER(p, value, surefill_preset_queue_value(&world.preset, RECENT, DISTRIBUTION, 5000, 4, 100, p));
    BAD_JOBS(surefill_preset_queue_value(&world.preset, RECENT, NULL, limit, processors, waited, value));
    surefill_preset preset = world.preset;
    preset.queue_run_time = 1;
    preset.queue_processors = 2;
    preset.queue_age = 1;
    preset.queue_age_unit = 50;
    preset.front_quantile = 0.5;
    CHECK_OK(surefill_preset_queue_value(&preset, RECENT, NULL, 600, 3, 100, value));
    CHECK(fabs(*value - 600.0 * 9 / 3) < 1e-9);
    CHECK_OK(surefill_preset_queue_value(&preset, RECENT, NULL, 600, 3, 6001, value));
    CHECK(*value == -6001);
    CHECK_OK(surefill_preset_queue_value(&preset, NULL, NULL, 600, 3, 6001, value));
    CHECK(*value > 0);
}

void sweep_preset_candidate_value(void) {
    double *value = &world.real[0][0];
    bad_presets(candidate_value);
    BAD_HANDLE_OR(0, KIND_DISTRIBUTION, h, surefill_preset_candidate_value(&world.preset, h, 5000, 4, 100, value));
    BAD_POINTER(p, value, surefill_preset_candidate_value(&world.preset, DISTRIBUTION, 5000, 4, 100, p));
    BAD_JOBS(surefill_preset_candidate_value(&world.preset, NULL, limit, processors, waited, value));
    surefill_preset preset = world.preset;
    preset.candidate_run_time = 1;
    preset.candidate_processors = 0;
    preset.candidate_age = 0;
    CHECK_OK(surefill_preset_candidate_value(&preset, NULL, 5, 3, 1000000, value));
    CHECK(*value == 10); /* shorter medians are not told apart */
}

void sweep_recent_waits_size(void) {
    bad_presets(size_of);
    BAD_POINTER(p, &world.int64[0], surefill_recent_waits_size(waits(WAITS), p));
    const int32_t wrong[] = {0, -1, 4194305, INT32_MIN, INT32_MAX};
    for (int i = 0; i < 5; i++)
        REFUSED(SUREFILL_ERROR_OUT_OF_RANGE, surefill_recent_waits_size(waits(wrong[i]), &world.int64[0]));
    CHECK_OK(surefill_recent_waits_size(waits(WAITS), &world.int64[0]));
    CHECK(world.int64[0] > 0 && world.int64[0] <= (int64_t)sizeof world.recent);
}

void sweep_recent_waits_init(void) {
    int64_t size;
    CHECK_OK(surefill_recent_waits_size(waits(WAITS), &size));
    bad_presets(waits_of);
    BAD_MEMORY(size, m, n, out, surefill_recent_waits_init(m, n, waits(WAITS), out));
    void *out = &world.handle[0];
    const int32_t wrong[] = {0, -1, 4194305, INT32_MIN, INT32_MAX};
    for (int i = 0; i < 5; i++)
        REFUSED(SUREFILL_ERROR_OUT_OF_RANGE, surefill_recent_waits_init(world.fresh, sizeof world.fresh, waits(wrong[i]), out));
}

void sweep_recent_waits_add(void) {
    BAD_HANDLE(KIND_RECENT_WAITS, h, surefill_recent_waits_add(h, 5));
    const int64_t wrong[] = {-1, INT64_MIN, SUREFILL_MAX_SECONDS + 1, INT64_MAX};
    for (int i = 0; i < 4; i++) REFUSED(span_error(wrong[i]), surefill_recent_waits_add(RECENT, wrong[i]));
}

void sweep_recent_waits_seal(void) {
    BAD_HANDLE(KIND_RECENT_WAITS, h, surefill_recent_waits_seal(h));
}

void sweep_recent_waits_open(void) {
    int64_t size;
    surefill_preset preset;
    surefill_rule rule;
    surefill_recent_waits *opened;
    CHECK_OK(surefill_recent_waits_size(waits(WAITS), &size));
    memcpy(world.fresh, world.recent, sizeof world.recent);
    void *out = &world.handle[0];
    REFUSED(SUREFILL_ERROR_CORRUPT, surefill_recent_waits_open(world.fresh, size, out)); /* not sealed */
    CHECK_OK(surefill_recent_waits_seal((surefill_recent_waits *)world.fresh));
    REFUSED(SUREFILL_ERROR_NULL, surefill_recent_waits_open(NULL, size, out));
    REFUSED(SUREFILL_ERROR_TOO_SMALL, surefill_recent_waits_open(world.fresh, size - 1, out));
    REFUSED(SUREFILL_ERROR_OUT_OF_RANGE, surefill_recent_waits_open(world.fresh, -1, out));
    REFUSED(SUREFILL_ERROR_NULL, surefill_recent_waits_open(world.fresh, size, NULL));
    REFUSED(SUREFILL_ERROR_WRONG_OBJECT, surefill_recent_waits_open(world.zeros, sizeof world.zeros, out));
    CHECK_OK(surefill_recent_waits_open(world.fresh, size, &opened));
    CHECK_OK(surefill_preset_init(&preset, SUREFILL_PRESET_DELAY));
    CHECK_OK(surefill_rule_init(&rule));
    preset.guard_quantile = 0.5;
    preset.shortest_long_wait = 0;
    CHECK(surefill_preset_rule(&preset, opened, &rule) == SUREFILL_OK && rule.guard == 6000);
    CHECK_OK(surefill_recent_waits_add(opened, 1));
    REFUSED(SUREFILL_ERROR_CORRUPT, surefill_recent_waits_open(world.fresh, size, out));
}

static int32_t forecast_of(const surefill_preset *preset) {
    return surefill_preset_forecast(preset, NULL, &world.forecast_options);
}

void sweep_preset_forecast(void) {
    surefill_forecast_options found = {.struct_size = sizeof found};
    bad_presets(forecast_of);
    FILLS(surefill_forecast_options, 4, p, surefill_preset_forecast(&world.preset, NULL, p));
    BAD_HANDLE_OR(0, KIND_RECENT_WAITS, h, surefill_preset_forecast(&world.preset, h, &world.forecast_options));
    CHECK_OK(surefill_preset_forecast(&world.preset, NULL, &found));
    CHECK(found.order == SUREFILL_ORDER_PRIORITY && found.front > 1e300);
    CHECK(found.queue_age == world.preset.queue_age && found.candidate_age_unit == world.preset.candidate_age_unit);
    CHECK(found.slack == (world.preset.criterion == SUREFILL_CRITERION_RELATIVE ? world.preset.threshold : 0));
}
