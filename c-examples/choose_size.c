/* Chooses the processors of a malleable job: the idle ones now, or more of them later. The memory is as
 * much as a sizing says that it needs. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <surefill_parts.h>

#define CHECK(call) check((call), #call)
#define COUNT(array) ((int32_t)(sizeof(array) / sizeof *(array)))

static void check(int32_t status, const char *call) {
    if (status == SUREFILL_OK) return;
    fprintf(stderr, "%s: %s: %s\n", call, surefill_status_name(status), surefill_status_text(status));
    exit(EXIT_FAILURE);
}

int main(void) {
    /* The input: how long jobs ran lately, in order, and how long this one ran on 1, 2, ... processors. */
    const double lately[] = {12, 30, 75, 190, 480, 1200, 3100, 7800, 19500, 49000};
    const double tried_on[] = {1, 4, 16, 32, 64}, ran[] = {90000, 23000, 6500, 3800, 3050};
    /* The machine: 128 processors, 12 of them idle. Who holds how many, for how many seconds already. */
    const int32_t holds[] = {20, 8, 32, 16, 40};
    const double since[] = {600, 40, 9000, 2500, 300};
    const int32_t sizes[] = {4, 8, 12, 16, 20, 24, 32, 40, 48, 64};
    surefill_sizing_capacity capacity;
    surefill_choice_options options; /* the smallest mean wait plus run time */
    surefill_choice choice = {.struct_size = sizeof choice};
    surefill_sizing *sizing;
    double shortest, longest, parallelism, sigma, sequential, error, speedup, run_time, mean, median, combined, soon;
    int32_t processors;
    int64_t size;

    CHECK(surefill_lifetime_fit(lately, COUNT(lately), &shortest, &longest));
    CHECK(surefill_speedup_fit_run_times(tried_on, ran, COUNT(ran), &parallelism, &sigma, &sequential, &error));
    printf("Lifetimes from %.0f to %.0f s. The job: %.0f s on one processor, parallelism %.0f, sigma %.1f (to %.1f %%).\n",
           shortest, longest, sequential, parallelism, sigma, 100 * error);

    CHECK(surefill_sizing_capacity_init(&capacity));
    capacity.running = 64;
    capacity.processors = 128;
    CHECK(surefill_sizing_size(&capacity, &size));
    CHECK(surefill_sizing_init(malloc((size_t)size), size, &capacity, &sizing));
    CHECK(surefill_sizing_begin(sizing, 12));
    for (int i = 0; i < COUNT(holds); i++) CHECK(surefill_sizing_add_lifetime(sizing, holds[i], since[i], shortest, longest));

    puts("processors  run time (s)  wait: median  paper's    mean  mean total  free in 900 s");
    for (int i = 0; i < COUNT(sizes); i++) {
        CHECK(surefill_speedup(parallelism, sigma, sizes[i], &speedup));
        run_time = sequential / speedup;
        CHECK(surefill_sizing_wait(sizing, sizes[i], SUREFILL_WAIT_BY_QUANTILE, 0.5, &median));
        CHECK(surefill_sizing_wait(sizing, sizes[i], SUREFILL_WAIT_BY_COMBINED, 0, &combined));
        CHECK(surefill_sizing_wait(sizing, sizes[i], SUREFILL_WAIT_BY_MEAN, 0, &mean));
        CHECK(surefill_sizing_free_probability(sizing, sizes[i], 900, &soon));
        printf("%10" PRId32 "%14.0f%14.0f%9.0f%8.0f%12.0f%15.3f\n", sizes[i], run_time, median, combined, mean,
               run_time + mean, soon);
    }

    /* The choice by these lights. */
    CHECK(surefill_choice_options_init(&options));
    for (int how = 0; how < 3; how++) {
        const char *const names[] = {"as it is", "only for a gain of 25 %", "with 5 jobs behind it"};
        options.least_gain = how == 1 ? 0.25 : 0;
        options.weight = how == 2 ? 5 : 1;
        CHECK(surefill_sizing_choose(sizing, &options, parallelism, sigma, sequential, &choice));
        CHECK(surefill_choice_start(&choice, 12, 64, 0, &processors));
        printf("%-24s take %2" PRId32 ": wait %5.0f s, run %5.0f s, gain %5.0f s; start %s\n", names[how], choice.processors,
               choice.wait, choice.run_time, choice.gain, processors > 0 ? "now" : "later");
    }
    free(sizing);
    return 0;
}
