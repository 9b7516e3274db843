/* Bounds a job's wait. Standard input says what others have waited, one a line in the order of their starts:
 * seconds waited, seconds requested, processors. The arguments: what this job requests, how long it has waited already.
 *     SLURM_TIME_FORMAT=%s sacct -anPX -S now-60days -E now -s CD,F,TO -o Start,Submit,TimelimitRaw,NCPUS | sort -n |
 *         awk -F '|' '{ print $1 - $2, 60 * $3, $4 }' | wait_bounds 3600 16 1800
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <surefill_parts.h>

#define CHECK(call) check((call), #call)

static int64_t memory[500000]; /* aligned to 8 bytes; 16,384 waits */

static void check(int32_t status, const char *call) {
    if (status == SUREFILL_OK) return;
    fprintf(stderr, "%s: %s: %s\n", call, surefill_status_name(status), surefill_status_text(status));
    exit(EXIT_FAILURE);
}

static void print_bound(const char *side, int32_t answer, int64_t seconds) {
    if (answer == SUREFILL_ANSWER_BOUND)
        printf("  %s %8" PRId64 " s", side, seconds);
    else
        printf("  (%s: too few waits)", side);
}

int main(int argc, char **argv) {
    const double quantiles[] = {0.5, 0.75, 0.9, 0.95}, confidence = 0.95;
    const int64_t spans[] = {600, 3600, 14400, 86400};
    const int64_t requested = argc > 1 ? atoll(argv[1]) : 3600, age = argc > 3 ? atoll(argv[3]) : 0;
    const int32_t processors = argc > 2 ? atoi(argv[2]) : 1;
    surefill_wait_capacity capacity;
    surefill_wait_options options; /* the .95 quantile with 95 % confidence, clusters by requested time */
    surefill_wait *wait;
    int64_t waits = 0, bound;
    int32_t answer, step;
    CHECK(surefill_wait_capacity_init(&capacity));
    capacity.queued = 1, capacity.history = 16384, capacity.releases = capacity.neighbours = 0;
    capacity.clusters = SUREFILL_MAX_CLUSTERS;
    CHECK(surefill_wait_options_init(&options));
    /* A list of waits does not tell whether the machine is up, nor what its jobs saw when they came: the paper's
     * clusters. */
    options.components = SUREFILL_COMPONENT_TRIM | SUREFILL_COMPONENT_CLUSTER;
    CHECK(surefill_wait_init(memory, sizeof memory, &capacity, &options, &wait));
    for (char line[200]; fgets(line, sizeof line, stdin) != NULL; waits++) {
        int64_t waited, limit;
        int32_t width;
        char rest;
        if (sscanf(line, "%" SCNd64 "%" SCNd64 "%" SCNd32 " %c", &waited, &limit, &width, &rest) != 3 ||
            surefill_wait_known(wait, waited, limit, width) != SUREFILL_OK) {
            fprintf(stderr, "line %" PRId64 ": seconds waited, seconds requested and processors are expected\n", waits + 1);
            return EXIT_FAILURE;
        }
    }
    do /* Work is bounded: after MORE a scheduler may do something else first. */
        CHECK(surefill_wait_recluster(wait, 1000, &step));
    while (step == SUREFILL_STEP_MORE);
    CHECK(surefill_wait_submit(wait, 1, 0, requested, processors, &answer, &bound));
    printf("%" PRId64 " waits; for %" PRId64 " s on %" PRId32, waits, requested, processors);
    puts(" processors, with 95 % confidence:");
    for (int i = 0; i < 4; i++) {
        printf("the %4.2f quantile of the wait is", quantiles[i]);
        if (age == 0) { /* a new job; else bounds are from the waits that were at least as long */
            CHECK(surefill_wait_predict_lower(wait, requested, processors, quantiles[i], confidence, 0, &answer, &bound));
            print_bound("at least", answer, bound);
        }
        CHECK(surefill_wait_predict_waiting(wait, 1, quantiles[i], confidence, age, &answer, &bound));
        print_bound("at most", answer, bound);
        puts("");
    }
    for (int i = 0; i < 4; i++) {
        double probability, at_least;
        CHECK(surefill_wait_start_probability(wait, requested, processors, age, age + spans[i], confidence, &probability,
                                              &at_least, &bound));
        printf("it starts within %5" PRId64 " s with probability %5.3f, at least %5.3f\n", spans[i], probability, at_least);
    }
    return 0;
}
