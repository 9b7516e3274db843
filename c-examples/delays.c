/* What do predicted delays of the head job come to? Beliefs about run times are wrong in the same way again and again;
 * the calibration of delays learns from each accepted backfill what its prediction should have said.
 *
 *   cc delays.c -lsurefill && ./a.out */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <surefill_parts.h>

enum { PASSES = 400, IDLE = 40, RUNS = 60, NARROW = 30, HEAD = 80 }; /* processors */

static int64_t pass_block[1 << 18], bins_block[SUREFILL_BINS_SIZE / 8], hour_block[SUREFILL_DISTRIBUTION_SIZE / 8];
static int64_t delays_block[4000], disk[4000];

#define CHECK(call) check((call), #call)
static void check(int32_t status, const char *call) {
    if (status == SUREFILL_OK) return;
    fprintf(stderr, "%s: %s: %s\n", call, surefill_status_name(status), surefill_status_text(status));
    exit(EXIT_FAILURE);
}

int main(void) {
    const int64_t believed[] = {1200, 1800, 2400, 3000, 3600}; /* of all jobs; they will run longer */
    const int32_t by_seconds = SUREFILL_CRITERION_SECONDS;
    surefill_pass_capacity capacity;
    surefill_delay_calibration_capacity remembered;
    surefill_pass *pass;
    surefill_delay_calibration *delays;
    surefill_bins *bins;
    surefill_distribution *runs;
    surefill_rule rule, calibrated;
    int64_t bytes, known;
    int32_t step, candidate, exactness, verdict;
    double delay, told, predicted, told_before, observed;

    CHECK(surefill_bins_init(bins_block, sizeof bins_block, 600, 1.2, 12, &bins));
    CHECK(surefill_distribution_init_samples(hour_block, sizeof hour_block, bins, believed, NULL, 5, &runs));
    CHECK(surefill_pass_capacity_init(&capacity));
    capacity.running = capacity.candidates = 4;
    capacity.processors = 100;
    CHECK(surefill_pass_init(pass_block, sizeof pass_block, &capacity, &pass));
    CHECK(surefill_delay_calibration_capacity_init(&remembered));
    remembered.backfills = 16;
    CHECK(surefill_delay_calibration_size(&remembered, &bytes));
    CHECK(surefill_delay_calibration_init(delays_block, sizeof delays_block, &remembered, &delays));
    CHECK(surefill_rule_init(&rule));
    rule.criterion = by_seconds;
    rule.threshold = 3600;

    for (int64_t i = 0, now = 0; i < PASSES; i++, now += 20000) {
        CHECK(surefill_pass_begin(pass, now, IDLE, i, HEAD, 0));
        CHECK(surefill_pass_add_running(pass, RUNS, 0, 7200, runs, NULL));
        CHECK(surefill_pass_add_candidate(pass, NARROW, 7200, runs, NULL));
        CHECK(surefill_pass_decide(pass, &rule, 1000000, &step, &candidate));
        if (step != SUREFILL_STEP_ACCEPT) continue;
        CHECK(surefill_pass_judgement(pass, candidate, &delay, &exactness, &verdict));
        CHECK(surefill_pass_commit(pass, candidate));
        CHECK(surefill_delay_calibration_accepted(delays, by_seconds, 2 * i, now, NARROW, HEAD - IDLE, delay, &told));
        /* In truth the backfilled job runs for half as long again as it was believed. */
        const int64_t runs_for = believed[i % 5], narrow_for = believed[i / 5 % 5] * 3 / 2;
        const int narrow_first = narrow_for < runs_for; /* the ends come in the order of time */
        if (narrow_first) CHECK(surefill_delay_calibration_ended(delays, 2 * i, now, now + narrow_for, NARROW));
        CHECK(surefill_delay_calibration_ended(delays, 2 * i + 1, now - 60, now + runs_for, RUNS));
        if (!narrow_first) CHECK(surefill_delay_calibration_ended(delays, 2 * i, now, now + narrow_for, NARROW));
    }
    CHECK(surefill_delay_calibration_seal(delays)); /* written to disk, and read again by the next run */
    memcpy(disk, delays_block, (size_t)bytes);
    CHECK(surefill_delay_calibration_open(disk, sizeof disk, &delays));
    CHECK(surefill_delay_calibration_totals(delays, by_seconds, &known, &predicted, &told_before, &observed));
    CHECK(surefill_delay_calibration_told(delays, by_seconds, 500, &told));
    CHECK(surefill_rule_init(&calibrated));
    CHECK(surefill_delay_calibration_rule(delays, &rule, &calibrated));
    printf("%" PRId64 " backfills: a mean delay of %.0f s was predicted, %.0f s told, %.0f s observed\n", known,
           predicted / (double)known, told_before / (double)known, observed / (double)known);
    printf("predicted 500 s means %.0f s; below %.0f s is predicted below %.0f s\n", told, rule.threshold, calibrated.threshold);
    return 0;
}
