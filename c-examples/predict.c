/* Predicts how long a job will run, learnt on line from the jobs before it. All memory is static. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <surefill_parts.h>

#define CHECK(call) check((call), #call)

enum { RUNNING = 16 }; /* no more jobs run at a time */

static int64_t bins_memory[SUREFILL_BINS_SIZE / 8], found_memory[SUREFILL_DISTRIBUTION_SIZE / 8], predictor_memory[60000]; /* aligned to 8 bytes */

static void check(int32_t status, const char *call) {
    if (status == SUREFILL_OK) return;
    fprintf(stderr, "%s: %s: %s\n", call, surefill_status_name(status), surefill_status_text(status));
    exit(EXIT_FAILURE);
}

int main(void) {
    const int64_t minute = 60, hour = 60 * minute, day = 24 * hour;
    surefill_bins *bins;
    surefill_predictor_options options;
    surefill_predictor *predictor;
    surefill_distribution *found; /* what a pass takes for a candidate */
    surefill_round round = {.struct_size = sizeof round};
    int32_t answer, step, trainings = 0, silent = 0;
    int64_t jobs = 0, ends[RUNNING];
    double p[24];

    CHECK(surefill_bins_init_default(bins_memory, sizeof bins_memory, &bins));
    CHECK(surefill_predictor_options_init(SUREFILL_PREDICTOR_HMM, &options)); /* nothing is said in the first week */
    options.jobs = options.window = 64;
    options.states = 4;
    options.slots = options.cells = 4000; /* 40 days of 15 minutes */
    options.termination = SUREFILL_TERMINATION_ROUNDS; /* 100 rounds of training, every week */
    options.threshold = 100;
    CHECK(surefill_predictor_init(predictor_memory, sizeof predictor_memory, &options, bins, &predictor));

    /* Three weeks: a job every 20 minutes, tests of a few minutes by day, model runs of about three hours by night. */
    for (int64_t now = 8 * hour; now < 21 * day; now += minute) {
        for (int64_t job = jobs > RUNNING ? jobs - RUNNING : 0; job < jobs; job++)
            if (ends[job % RUNNING] == now) CHECK(surefill_predictor_end(predictor, job, now));
        if (now / minute % 20 != 0) continue;
        const int64_t time_of_day = now % day;
        const int by_day = time_of_day >= 8 * hour && time_of_day < 20 * hour;
        ends[jobs % RUNNING] = now + (by_day ? 2 + jobs % 7 : 160 + jobs % 40) * minute;
        CHECK(surefill_predictor_submit(predictor, jobs, NULL, 0, now)); /* and what is predicted is kept with the job */
        CHECK(surefill_predictor_said(predictor, jobs, found_memory, sizeof found_memory, &answer, &found));
        silent += answer != SUREFILL_PREDICTION_MADE;
        if (answer == SUREFILL_PREDICTION_MADE && now > 20 * day && time_of_day % (4 * hour) == 2 * hour) {
            int64_t half, most;
            CHECK(surefill_distribution_quantile(found, 0.5, 0, SUREFILL_MAX_SECONDS, &half));
            CHECK(surefill_distribution_quantile(found, 0.9, 0, SUREFILL_MAX_SECONDS, &most));
            printf("%02" PRId64 ":%02" PRId64 " (%s)  half of the jobs run up to %6.1f minutes, 90 %% up to %6.1f\n",
                   time_of_day / hour, time_of_day % hour / minute, by_day ? "day" : "night",
                   (double)half / 60, (double)most / 60);
        }
        CHECK(surefill_predictor_start(predictor, jobs++, now));
        do { /* Work is bounded: after MORE a scheduler may do something else first. */
            CHECK(surefill_predictor_train(predictor, 1000, &step, &round));
            trainings += step == SUREFILL_STEP_DONE;
        } while (step == SUREFILL_STEP_MORE);
    }
    CHECK(surefill_predictor_probabilities(predictor, NULL, 0, 21 * day, p, 24, &answer));
    printf("silent for %" PRId32 " jobs, trained %" PRId32 " times; at the end a job submitted now runs\n",
           silent, trainings);
    for (int32_t j = 0; answer == SUREFILL_PREDICTION_MADE && j < 24; j++) {
        double lower, upper;
        CHECK(surefill_bins_edges(bins, j, &lower, &upper));
        if (p[j] >= 0.005) printf("  %8.0f to %8.0f s with probability %.3f\n", lower, upper, p[j]);
    }
    return 0;
}
