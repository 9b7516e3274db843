/* One scheduling pass, complete: may waiting jobs overtake the head of the queue? All memory is static. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <surefill_parts.h>

#define COUNT(array) ((int32_t)(sizeof(array) / sizeof *(array)))
#define CHECK(call) check((call), #call)

static int64_t bins_memory[SUREFILL_BINS_SIZE / 8], tests_memory[SUREFILL_DISTRIBUTION_SIZE / 8], models_memory[SUREFILL_DISTRIBUTION_SIZE / 8], pass_memory[30000]; /* aligned to 8 bytes */

static void check(int32_t status, const char *call) {
    if (status == SUREFILL_OK) return;
    fprintf(stderr, "%s: %s: %s\n", call, surefill_status_name(status), surefill_status_text(status));
    exit(EXIT_FAILURE);
}

int main(void) {
    const int64_t now = 1000000, hour = 3600;
    const int64_t tests_ran[] = {20, 45, 90, 250, 600}; /* run times of finished jobs of this class, in seconds */
    const int64_t models_ran[] = {900, 4000, 7000, 9000, 11000, 26000};
    surefill_bins *bins;
    surefill_distribution *tests, *models;
    surefill_pass_capacity capacity;
    surefill_rule rule;
    surefill_pass *pass;
    int32_t step, job, exactness, verdict;
    double delay;

    CHECK(surefill_bins_init_default(bins_memory, sizeof bins_memory, &bins));
    CHECK(surefill_distribution_init_samples(tests_memory, sizeof tests_memory, bins, tests_ran, NULL, 5, &tests));
    CHECK(surefill_distribution_init_samples(models_memory, sizeof models_memory, bins, models_ran, NULL, 6, &models));
    CHECK(surefill_pass_capacity_init(&capacity)); /* a pass is made once and used for every scheduling pass */
    capacity.running = capacity.candidates = 8;
    capacity.processors = 128;
    capacity.bins = 24;
    capacity.tie_cells = 0; /* raised to the least that is useful */
    CHECK(surefill_pass_init(pass_memory, sizeof pass_memory, &capacity, &pass));

    /* 32 of 128 processors are idle, the head job (number 7) needs 96. Of some jobs only the limit is known: NULL. */
    CHECK(surefill_pass_begin(pass, now, 32, 7, 96, 0));
    const surefill_pass_job running[] = {{sizeof *running, 64, 2 * hour, 8 * hour, models}, {sizeof *running, 32, hour, 12 * hour, NULL}};
    CHECK(surefill_pass_add_running_many(pass, running, COUNT(running), NULL));
    const char *names[] = {"short test", "model run", "wide test", "stranger", "second test"};
    const surefill_pass_job queue[] = {{sizeof *queue, 16, 0, hour, tests},
                                       {sizeof *queue, 16, 0, 8 * hour, models},
                                       {sizeof *queue, 48, 0, hour, tests},
                                       {sizeof *queue, 8, 0, 12 * hour, NULL},
                                       {sizeof *queue, 8, 0, hour, tests}};
    CHECK(surefill_pass_add_candidates_many(pass, queue, COUNT(queue), NULL));

    CHECK(surefill_rule_init(&rule));
    rule.criterion = SUREFILL_CRITERION_PROBABILITY, rule.threshold = 0.05, rule.or_easy = 0; /* not the default */
    do { /* Work is bounded: after SUREFILL_STEP_MORE a scheduler may do something else first. */
        CHECK(surefill_pass_decide(pass, &rule, 500, &step, &job));
        if (step == SUREFILL_STEP_ACCEPT) /* start the job here */
            CHECK(surefill_pass_commit(pass, job));
    } while (step != SUREFILL_STEP_DONE);

    printf("%-12s %10s  %9s  %s\n", "candidate", "processors", "Pr(delay)", "verdict");
    for (job = 0; job < COUNT(queue); job++) {
        CHECK(surefill_pass_judgement(pass, job, &delay, &exactness, &verdict));
        printf("%-12s %10" PRId32 "  %2s %6.4f  %s\n", names[job], queue[job].processors, surefill_name(SUREFILL_NAME_DELAY_SIGN, exactness),
               delay, surefill_name(SUREFILL_NAME_VERDICT, verdict));
    }
    const double quantiles[] = {0.1, 0.5, 0.9};
    int64_t starts[COUNT(quantiles)];
    do {
        CHECK(surefill_pass_head_start_quantiles(pass, quantiles, COUNT(quantiles), 500, starts, &step));
    } while (step != SUREFILL_STEP_DONE);
    for (job = 0; job < COUNT(quantiles); job++)
        printf("%.0f %%: the head job starts within %" PRId64 " minutes\n", 100 * quantiles[job], (starts[job] - now + 59) / 60);
    return 0;
}
