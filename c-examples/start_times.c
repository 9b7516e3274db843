/* When will every waiting job start? The queue played forward over run times that are only known as distributions.
 * The forecast's memory is as much as it says that it needs. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <surefill_parts.h>

#define CHECK(call) check((call), #call)

static int64_t bins_memory[SUREFILL_BINS_SIZE / 8], minutes_memory[SUREFILL_DISTRIBUTION_SIZE / 8],
    hours_memory[SUREFILL_DISTRIBUTION_SIZE / 8]; /* aligned to 8 bytes */
static int64_t pass_memory[200000];

static void check(int32_t status, const char *call) {
    if (status == SUREFILL_OK) return;
    fprintf(stderr, "%s: %s: %s\n", call, surefill_status_name(status), surefill_status_text(status));
    exit(EXIT_FAILURE);
}

int main(void) {
    const int64_t now = 1000000, hour = 3600;
    surefill_bins *bins;
    surefill_distribution *minutes, *hours; /* what like jobs ran */
    const int64_t short_runs[] = {90, 250, 300, 2000}, long_runs[] = {1500, 6000, 9000, 14000};
    CHECK(surefill_bins_init_default(bins_memory, sizeof bins_memory, &bins));
    CHECK(surefill_distribution_init_samples(minutes_memory, sizeof minutes_memory, bins, short_runs, NULL, 4, &minutes));
    CHECK(surefill_distribution_init_samples(hours_memory, sizeof hours_memory, bins, long_runs, NULL, 4, &hours));

    surefill_forecast_capacity capacity;
    surefill_forecast_options options;
    surefill_forecast *forecast;
    CHECK(surefill_forecast_capacity_init(&capacity));
    capacity.running = capacity.waiting = 8;
    capacity.processors = 64;
    capacity.scenarios = 500;
    int64_t size;
    CHECK(surefill_forecast_size(&capacity, &size));
    CHECK(surefill_forecast_init(malloc((size_t)size), size, &capacity, &forecast));
    CHECK(surefill_forecast_options_init(&options)); /* EASY by limits */
    options.scenarios = 500;
    CHECK(surefill_forecast_begin(forecast, now, 16, &options));
    CHECK(surefill_forecast_add_running(forecast, 32, 600, 24 * hour, hours, NULL));
    CHECK(surefill_forecast_add_running(forecast, 16, 60, 24 * hour, hours, NULL));

    /* In the order of the queue; the last is expected in half an hour. */
    const struct { int32_t processors; int64_t limit, submit; int is_short; } queue[] = {
        {48, 2 * hour, now - 700, 0}, {16, 30 * hour, now - 650, 0}, {16, hour, now - 300, 1}, {8, hour, now + 1800, 1}};
    for (int32_t job = 0; job < 4; job++)
        CHECK(surefill_forecast_add_waiting(forecast, queue[job].processors, queue[job].limit, queue[job].submit,
                                            queue[job].is_short ? minutes : hours, NULL));
    int32_t step;
    do /* Work is bounded: after MORE a scheduler may do something else first. */
        CHECK(surefill_forecast_run(forecast, 100000, &step));
    while (step == SUREFILL_STEP_MORE);
    for (int32_t job = 0; job < 4; job++) {
        double half_width, mean;
        int64_t when[3];
        for (int i = 0; i < 3; i++)
            CHECK(surefill_forecast_start_quantile(forecast, job, 0.05 + 0.45 * i, &when[i], &half_width));
        CHECK(surefill_forecast_start_mean(forecast, job, &mean, &half_width));
        printf("job %" PRId32 " 5%%: %6" PRId64 " 50%%: %6" PRId64 " 95%%: %6" PRId64 " mean: %8.1f +- %.1f s from now\n",
               job, when[0] - now, when[1] - now, when[2] - now, mean, half_width);
    }

    /* The job that overtakes the head here has ended after two hours; without it, the head's start is known exactly. */
    surefill_pass_capacity pass_capacity;
    surefill_pass *pass;
    double exact, found, half_width;
    CHECK(surefill_pass_capacity_init(&pass_capacity));
    pass_capacity.running = pass_capacity.candidates = 4;
    pass_capacity.processors = 64;
    CHECK(surefill_pass_init(pass_memory, sizeof pass_memory, &pass_capacity, &pass));
    CHECK(surefill_pass_begin(pass, now, 16, 0, 48, 0));
    CHECK(surefill_pass_add_running(pass, 32, 600, 24 * hour, hours, NULL));
    CHECK(surefill_pass_add_running(pass, 16, 60, 24 * hour, hours, NULL));
    CHECK(surefill_pass_free_probability(pass, 48, now + 2 * hour, &exact));
    CHECK(surefill_forecast_start_probability(forecast, 0, now + 2 * hour, &found, &half_width));
    printf("head job exactly %.4f, forecast as %.4f +- %.4f, started in two hours\n", exact, found, half_width);
    free(forecast);
    return 0;
}
