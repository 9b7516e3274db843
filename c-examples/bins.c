/* The rest of a job that has run for a while. Run times are predicted in bins whose edges grow by a ratio, and
 * recalculated by the job's age and its limit: Algorithm 1 of Nissimov and Feitelson 2007. All memory is static. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <surefill_parts.h>

#define CHECK(call) check((call), #call)
#define COUNT(array) ((int32_t)(sizeof(array) / sizeof *(array)))

/* Aligned to 8 bytes. */
static int64_t bins_memory[SUREFILL_BINS_SIZE / 8], classes_memory[SUREFILL_BINS_SIZE / 8];
static int64_t memory[2][SUREFILL_DISTRIBUTION_SIZE / 8];

static void check(int32_t status, const char *call) {
    if (status == SUREFILL_OK) return;
    fprintf(stderr, "%s: %s: %s\n", call, surefill_status_name(status), surefill_status_text(status));
    exit(EXIT_FAILURE);
}

/* The expected rest of a job of this age, by the events that the delay rule adds up, two in each bin. */
static double mean_rest(const surefill_distribution *predicted, int64_t age, int64_t limit) {
    int64_t seconds[2 * SUREFILL_MAX_BINS];
    double probabilities[2 * SUREFILL_MAX_BINS], mean = 0;
    int32_t events;
    CHECK(surefill_distribution_remaining(predicted, age, limit, 2, seconds, probabilities, COUNT(seconds), &events));
    for (int32_t i = 0; i < events; i++) mean += probabilities[i] * (double)seconds[i];
    return mean;
}

int main(void) {
    const int64_t ran[] = {20, 45, 50, 90, 240, 250, 310, 2000, 2900, 5400, 9000, 30000}, limit = 14400;
    const int64_t ages[] = {0, 600, 7200};
    double counts[SUREFILL_MAX_BINS] = {0}, left[COUNT(ages)][SUREFILL_MAX_BINS], from, to;
    int32_t bin_count, bin, known[COUNT(ages)], each[3] = {0, 0, 0};
    surefill_bins *bins, *classes;
    surefill_distribution *predicted, *guessed;

    CHECK(surefill_bins_init_covering(bins_memory, sizeof bins_memory, 30, 3, 86400, &bins)); /* the last from a day on */
    CHECK(surefill_bins_count(bins, &bin_count));
    for (int i = 0; i < COUNT(ran); i++) { /* a history may be kept as counts, which are as small however long it is */
        CHECK(surefill_bins_index(bins, (double)ran[i], &bin));
        counts[bin]++;
    }
    CHECK(surefill_distribution_init_counts(memory[0], sizeof memory[0], bins, counts, bin_count, &predicted));
    CHECK(surefill_distribution_init_single(memory[1], sizeof memory[1], 3600, &guessed)); /* what the user says */

    for (int i = 0; i < COUNT(ages); i++)
        CHECK(surefill_distribution_recalculate(predicted, ages[i], limit, left[i], SUREFILL_MAX_BINS, &known[i]));
    puts("run time (s)        new   after 600 s  after 7200 s");
    for (bin = 0; bin < bin_count; bin++) {
        CHECK(surefill_bins_edges(bins, bin, &from, &to));
        printf("%6.0f to %6.0f  %6.3f", from, to, left[0][bin]);
        for (int i = 1; i < COUNT(ages); i++) printf("%14.3f", bin < known[i] ? left[i][bin] : 0);
        puts("");
    }
    for (int i = 0; i < COUNT(ages); i++)
        printf("after %4" PRId64 " s  %6.0f s are left by the history, %6.0f s by the user's word\n", ages[i],
               mean_rest(predicted, ages[i], limit), mean_rest(guessed, ages[i], limit));
    /* Classes of the program's own: up to ten minutes, up to an hour, longer. */
    CHECK(surefill_bins_init(classes_memory, sizeof classes_memory, 600, 6, COUNT(each), &classes));
    for (int i = 0; i < COUNT(ran); i++) {
        CHECK(surefill_bins_index(classes, (double)ran[i], &bin));
        each[bin]++;
    }
    printf("ten minutes were enough for %" PRId32 " jobs, an hour for %" PRId32 " more\n", each[0], each[1]);
    return 0;
}
