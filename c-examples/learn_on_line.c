/* A hidden Markov model that learns slot by slot and keeps no history: what runs by day and what by night is learnt
 * from a model that knows nothing, in a block whose size never changes.
 *
 *   cc learn_on_line.c -lsurefill && ./a.out */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <surefill_parts.h>

enum { STATES = 2, BINS = 3, A_DAY = 48, DAYS = 60 }; /* slots of half an hour; short, middling and long jobs */

static int64_t block[4000], disk[4000];
static double start[STATES] = {0.5, 0.5}, transition[STATES * STATES] = {0.9, 0.1, 0.1, 0.9};
static double emission[STATES * BINS] = {0.34, 0.33, 0.33, 0.33, 0.33, 0.34}; /* equal states would stay equal */
static double load[STATES];

#define CHECK(call) check((call), #call)
static void check(int32_t status, const char *call) {
    if (status == SUREFILL_OK) return;
    fprintf(stderr, "%s: %s: %s\n", call, surefill_status_name(status), surefill_status_text(status));
    exit(EXIT_FAILURE);
}

/* Draws that are the same everywhere (Knuth's MMIX generator), uniform from 0 to 1. */
static double draw(void) {
    static uint64_t state = 1;
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (double)(state >> 11) / 9007199254740992.0;
}

int main(void) {
    surefill_model_parameters model = {STATES, BINS, SUREFILL_LOAD_NONE, 0, start, transition, emission, load};
    surefill_online_hmm_options options;
    surefill_online_hmm *online;
    int64_t bytes, slots;
    int32_t explained;
    double log_likelihood, p[BINS];

    CHECK(surefill_online_hmm_options_init(&options));
    CHECK(surefill_online_hmm_size(&model, &bytes));
    CHECK(surefill_online_hmm_init(block, sizeof block, &model, &options, &online));
    for (int slot = 0; slot < DAYS * A_DAY; slot++) {
        const int hour = slot % A_DAY / 2, by_day = hour >= 8 && hour < 20;
        int32_t counts[BINS] = {0, 0, 0};
        for (int job = 0; job < 3; job++) { /* seven jobs of ten are short by day, and long by night */
            const double u = draw();
            counts[u < 0.2 ? 1 : (u < 0.3) == by_day ? BINS - 1 : 0]++;
        }
        if (slot >= (DAYS - 1) * A_DAY && hour % 6 == 0 && slot % 2 == 0) {
            CHECK(surefill_online_hmm_probabilities(online, p, BINS)); /* before the slot's own jobs are known */
            printf("%02d:00  a job is short with probability %.2f, long with %.2f\n", hour, p[0], p[BINS - 1]);
        }
        CHECK(surefill_online_hmm_learn(online, counts, BINS, &log_likelihood, &explained));
        if (slot % (30 * A_DAY) == 0) { /* once a month the program ends, and goes on from the checkpoint */
            CHECK(surefill_online_hmm_seal(online));
            memcpy(disk, block, (size_t)bytes);
            CHECK(surefill_online_hmm_open(disk, sizeof disk, &online));
            memcpy(block, disk, (size_t)bytes);
            CHECK(surefill_online_hmm_open(block, sizeof block, &online));
        }
    }
    CHECK(surefill_online_hmm_slots(online, &slots));
    CHECK(surefill_online_hmm_parameters(online, &model));
    printf("%" PRId64 " slots in %" PRId64 " bytes; short jobs by state: %.2f and %.2f\n", slots, bytes, emission[0],
           emission[BINS]);
    return 0;
}
