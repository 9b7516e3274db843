/* A hidden Markov model of run times: trained on a history, looked into, kept on disk, and given to a predictor, which
 * speaks at once instead of after a week. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <surefill_parts.h>
enum { STATES = 2, BINS = 24, A_DAY = 96, SLOTS = 28 * A_DAY }; /* four weeks in slots of 15 minutes */

static int64_t block[40000], disk[40000], predictor_block[60000], bins_block[SUREFILL_BINS_SIZE / 8];
static int64_t found_block[SUREFILL_DISTRIBUTION_SIZE / 8];
static int32_t path[SLOTS];
static double start[STATES], transition[STATES][STATES], emission[STATES][BINS], load[STATES], now[STATES];
static surefill_model_parameters model = {STATES, BINS, SUREFILL_LOAD_NONE, 0, start, transition[0], emission[0], load};

#define CHECK(call) check((call), #call)
static void check(int32_t status, const char *call) {
    if (status == SUREFILL_OK) return;
    fprintf(stderr, "%s: %s: %s\n", call, surefill_status_name(status), surefill_status_text(status));
    exit(EXIT_FAILURE);
}

int main(void) {
    surefill_bins *bins;
    surefill_hmm_capacity capacity;
    surefill_predictor_options options;
    surefill_hmm *hmm;
    surefill_round round = {.struct_size = sizeof round};
    surefill_predictor *predictor;
    surefill_distribution *found;
    int64_t bytes, first, end, median;
    int32_t bin, step, answer, wants, changes = 0;
    double before, after, likeliest, lower, upper;
    CHECK(surefill_bins_init_default(bins_block, sizeof bins_block, &bins));
    CHECK(surefill_hmm_capacity_init(&capacity));
    capacity.states = STATES, capacity.slots = capacity.cells = SLOTS;
    CHECK(surefill_hmm_size(&capacity, &bytes));
    CHECK(surefill_hmm_init(block, sizeof block, &capacity, &hmm)); /* TOO_SMALL if bytes are more */
    for (int64_t slot = 0; slot < SLOTS; slot += 2) { /* tests of minutes by day, runs of hours by night */
        const int64_t hour = slot % A_DAY / 4, seconds = hour >= 8 && hour < 20 ? 120 + slot % 7 * 60 : 7200 + slot % 5 * 1800;
        CHECK(surefill_bins_index(bins, (double)seconds, &bin));
        CHECK(surefill_hmm_observe(hmm, slot, bin));
    }
    CHECK(surefill_hmm_extend(hmm, SLOTS - 1)); /* the last slot, in which no job was submitted */
    CHECK(surefill_hmm_slots(hmm, &first, &end));
    CHECK(surefill_hmm_init_static(hmm, SUREFILL_LOAD_NONE, 1));
    CHECK(surefill_hmm_log_likelihood(hmm, first, end, SUREFILL_EVIDENCE_JOBS, &before));
    CHECK(surefill_hmm_begin_training(hmm, SUREFILL_INITIAL_K_MEANS, SUREFILL_LOAD_NONE, first, end));
    for (int rounds = 0; rounds < 50; rounds += step == SUREFILL_STEP_DONE)
        CHECK(surefill_hmm_train(hmm, 1000, &step, &round)); /* a slice of bounded work */
    CHECK(surefill_hmm_filter(hmm, first, end, now, STATES, &after));
    CHECK(surefill_hmm_viterbi(hmm, first, end, path, SLOTS, &likeliest));
    for (int i = 1; i < SLOTS; i++) changes += path[i] != path[i - 1];
    printf("log-likelihood %.0f before training, %.0f after; %" PRId32 " changes of state in 28 days\n", before, after, changes);
    CHECK(surefill_hmm_seal(hmm)); /* written to disk and read again */
    memcpy(disk, block, (size_t)bytes);
    CHECK(surefill_hmm_open(disk, sizeof disk, &hmm));
    CHECK(surefill_hmm_parameters(hmm, &model));
    for (int state = 0; state < STATES; state++) {
        for (int j = bin = 0; j < BINS; j++) bin = emission[state][j] > emission[state][bin] ? j : bin;
        CHECK(surefill_bins_edges(bins, bin, &lower, &upper));
        printf("state with probability %.2f, stays with %.3f, mostly %.0f to %.0f s\n", now[state], transition[state][state],
               lower, upper);
    }
    CHECK(surefill_hmm_halve_slots(hmm)); /* what the model is for slots of 7.5 minutes, and back */
    CHECK(surefill_hmm_set_parameters(hmm, &model));
    CHECK(surefill_predictor_options_init(SUREFILL_PREDICTOR_HMM, &options));
    options.states = STATES;
    options.jobs = options.window = 64, options.slots = options.cells = 2000;
    CHECK(surefill_predictor_init(predictor_block, sizeof predictor_block, &options, bins, &predictor));
    CHECK(surefill_predictor_set_model(predictor, &model));
    CHECK(surefill_predictor_submit(predictor, 1, NULL, 0, 0)); /* the first job that is reported to it */
    CHECK(surefill_predictor_said(predictor, 1, found_block, sizeof found_block, &answer, &found));
    CHECK(surefill_distribution_quantile(found, 0.5, 0, SUREFILL_MAX_SECONDS, &median));
    CHECK(surefill_predictor_wants_training(predictor, &wants));
    CHECK(surefill_predictor_model(predictor, &model));
    printf("the predictor says %" PRId64 " s of its first job%s\n", median, wants ? ", and wants training" : "");
    return 0;
}
