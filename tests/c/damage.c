/* A damaged pass is refused, or gives some answer: it never hangs, and never leaves its block (valgrind watches). Every
 * byte of the block is damaged in turn; `damage N` does only the first N. */
#include "check.h"

#include <stdlib.h>
#include <string.h>

enum { NOW = 1000, MOST_STEPS = 2000 };

static surefill_rule rule;

/* All questions to a pass, with its own answers as arguments. */
static int use(surefill_pass *pass) {
    int32_t step = SUREFILL_STEP_MORE, candidate, idle, exactness, verdict;
    int64_t when;
    double real;
    const double half = 0.5;
    const surefill_pass_job job = {sizeof job, 4, 0, 60, NULL};
    int statuses[16], count = 0, valid = 1;
    for (int i = 0; i < MOST_STEPS && step != SUREFILL_STEP_DONE; i++) {
        if ((statuses[0] = surefill_pass_decide(pass, &rule, 50, &step, &candidate)) != SUREFILL_OK) break;
        if (step == SUREFILL_STEP_ACCEPT && (statuses[0] = surefill_pass_commit(pass, candidate)) != SUREFILL_OK) break;
    }
    count++;
    statuses[count++] = surefill_pass_judgement(pass, 0, &real, &exactness, &verdict);
    statuses[count++] = surefill_pass_judgement(pass, 2, &real, &exactness, &verdict);
    statuses[count++] = surefill_pass_idle(pass, &idle);
    statuses[count++] = surefill_pass_free_probability(pass, 12, NOW + 500, &real);
    statuses[count++] = surefill_pass_head_start_quantile(pass, 0.5, &when);
    statuses[count] = surefill_pass_head_start_quantiles(pass, &half, 1, 50, &when, &step);
    if (statuses[count++] == SUREFILL_OK) statuses[count++] = surefill_pass_head_start_quantiles(pass, &half, 1, 5000, &when, &step);
    statuses[count++] = surefill_pass_begin(pass, NOW + 1, 4, 8, 12, 0);
    statuses[count++] = surefill_pass_add_running(pass, 4, 0, 60, NULL, NULL);
    statuses[count++] = surefill_pass_add_candidate(pass, 4, 60, NULL, NULL);
    statuses[count++] = surefill_pass_add_running_many(pass, &job, 1, NULL);
    statuses[count++] = surefill_pass_add_candidates_many(pass, &job, 1, NULL);
    for (int i = 0; i < count; i++) valid &= statuses[i] <= SUREFILL_OK && statuses[i] >= SUREFILL_ERROR_DOES_NOT_FIT;
    return valid;
}

/* In the middle of a decision, where there is most to damage. */
static void make(surefill_pass *pass, const surefill_distribution *runs) {
    int32_t step, candidate;
    CHECK_OK(surefill_pass_begin(pass, NOW, 4, 7, 12, 0));
    CHECK_OK(surefill_pass_add_running(pass, 8, 10, 5000, runs, NULL));
    CHECK_OK(surefill_pass_add_running(pass, 2, 20, 5000, runs, NULL));
    CHECK_OK(surefill_pass_add_running(pass, 2, 20, 900, NULL, NULL));
    for (int i = 0; i < 3; i++) CHECK_OK(surefill_pass_add_candidate(pass, 1 + i, 5000, runs, NULL));
    CHECK_OK(surefill_pass_decide(pass, &rule, 1, &step, &candidate));
    CHECK(step == SUREFILL_STEP_MORE);
}

int main(int argc, char **argv) {
    static int64_t bins_memory[120], runs_memory[220];
    const double counts[] = {1, 2, 3, 1};
    surefill_bins *bins;
    surefill_distribution *runs;
    surefill_pass_capacity capacity;
    surefill_pass *pass;
    int64_t size = 0;
    CHECK_OK(surefill_bins_init(bins_memory, sizeof bins_memory, 10, 10, 4, &bins));
    CHECK_OK(surefill_distribution_init_counts(runs_memory, sizeof runs_memory, bins, counts, 4, &runs));
    CHECK_OK(surefill_pass_capacity_init(&capacity));
    capacity.running = capacity.candidates = 4;
    capacity.processors = 16;
    capacity.bins = 4;
    capacity.events_per_bin = 2;
    capacity.tie_cells = 0;
    CHECK_OK(surefill_pass_size(&capacity, &size));
    unsigned char *block = malloc((size_t)size), *good = calloc((size_t)size, 1);
    if (block == NULL || good == NULL) return 2;
    for (int32_t criterion = 0; criterion < 4; criterion++) {
        CHECK_OK(surefill_rule_init(&rule));
        rule.criterion = criterion;
        CHECK_OK(surefill_pass_init(good, size, &capacity, &pass));
        make(pass, runs);
        const int64_t most = argc > 1 ? atoll(argv[1]) : size;
        for (int64_t i = 0; i < most && i < size; i++) {
            for (int how = 0; how < 3; how++) {
                memcpy(block, good, (size_t)size);
                block[i] = (unsigned char)(how == 0 ? 0xff : how == 1 ? block[i] ^ 0x80 : block[i] + 1);
                CHECK(use((surefill_pass *)(void *)block));
            }
        }
    }
    free(good);
    free(block);
    return checks_done();
}
