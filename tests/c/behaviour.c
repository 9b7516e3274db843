/* Answers that can be worked out by hand. */
#include "check.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum { NOW = 1000000, DAY = 86400 };

/* Memory as a program may have it: not zeroed, and not a byte more than asked for. */
static void *block_of(int64_t size) {
    void *block = malloc((size_t)size);
    if (block == NULL) abort();
    return block;
}

static surefill_pass *new_pass(int32_t processors) {
    surefill_pass_capacity capacity;
    surefill_pass *pass = NULL;
    int64_t size = 0;
    CHECK_OK(surefill_pass_capacity_init(&capacity));
    capacity.running = capacity.candidates = 12;
    capacity.processors = processors;
    capacity.bins = 24;
    capacity.tie_cells = 0;
    CHECK_OK(surefill_pass_size(&capacity, &size));
    CHECK_OK(surefill_pass_init(block_of(size), size, &capacity, &pass));
    return pass;
}

static surefill_bins *new_bins(double first, double ratio, int32_t count) {
    surefill_bins *bins = NULL;
    CHECK_OK(surefill_bins_init(block_of(SUREFILL_BINS_SIZE), SUREFILL_BINS_SIZE, first, ratio, count, &bins));
    return bins;
}

static surefill_distribution *new_counts(const surefill_bins *bins, const double *counts, int32_t count) {
    const int64_t size = SUREFILL_DISTRIBUTION_SIZE;
    surefill_distribution *made = NULL;
    CHECK_OK(surefill_distribution_init_counts(block_of(size), size, bins, counts, count, &made));
    return made;
}

static surefill_distribution *new_single(int64_t seconds) {
    const int64_t size = SUREFILL_DISTRIBUTION_SIZE;
    surefill_distribution *made = NULL;
    CHECK_OK(surefill_distribution_init_single(block_of(size), size, seconds, &made));
    return made;
}

static surefill_rule new_rule(int32_t criterion, double threshold, double budget) {
    surefill_rule rule;
    CHECK_OK(surefill_rule_init(&rule));
    rule.criterion = criterion;
    rule.threshold = threshold;
    rule.budget = budget;
    rule.or_easy = 0;
    return rule;
}

/* Decides and commits until it is done; returns the number of answers MORE. */
static int run(surefill_pass *pass, const surefill_rule *rule, int64_t work) {
    int32_t step = 0, candidate;
    int more = 0;
    while (CHECK_OK(surefill_pass_decide(pass, rule, work, &step, &candidate)) && step != SUREFILL_STEP_DONE) {
        more += step == SUREFILL_STEP_MORE;
        if (step == SUREFILL_STEP_ACCEPT) CHECK_OK(surefill_pass_commit(pass, candidate));
    }
    return more;
}

static int judged(surefill_pass *pass, int32_t candidate, int32_t verdict, double delay) {
    double found = NAN;
    int32_t exactness = -1, found_verdict = -1;
    CHECK_OK(surefill_pass_judgement(pass, candidate, &found, &exactness, &found_verdict));
    const int32_t known = verdict == SUREFILL_VERDICT_DOES_NOT_FIT ? SUREFILL_DELAY_NOT_MEASURED : SUREFILL_DELAY_EXACT;
    if (found_verdict == verdict && fabs(found - delay) <= 1e-12 * fmax(1, delay) && exactness == known) return 1;
    return found_verdict == verdict && verdict == SUREFILL_VERDICT_REFUSED && exactness == SUREFILL_DELAY_AT_LEAST &&
           found <= delay + 1e-12;
}

static void structures_are_laid_out_as_in_other_languages(void) {
    CHECK(sizeof(surefill_pass_capacity) == 28 && sizeof(surefill_rule) == 48);
    CHECK(offsetof(surefill_pass_capacity, running) == 4 && offsetof(surefill_pass_capacity, candidates) == 8);
    CHECK(offsetof(surefill_pass_capacity, processors) == 12 && offsetof(surefill_pass_capacity, bins) == 16);
    CHECK(offsetof(surefill_pass_capacity, events_per_bin) == 20 && offsetof(surefill_pass_capacity, tie_cells) == 24);
    CHECK(offsetof(surefill_rule, criterion) == 4 && offsetof(surefill_rule, threshold) == 8);
    CHECK(offsetof(surefill_rule, budget) == 16 && offsetof(surefill_rule, slip) == 24);
    CHECK(offsetof(surefill_rule, guard) == 32 && offsetof(surefill_rule, or_easy) == 40);

    surefill_pass_capacity capacity;
    surefill_rule rule;
    CHECK_OK(surefill_pass_capacity_init(&capacity));
    CHECK(capacity.struct_size == sizeof capacity && capacity.running == 256 && capacity.candidates == 256);
    CHECK(capacity.processors == 1024 && capacity.bins == 32 && capacity.events_per_bin == 4);
    CHECK_OK(surefill_rule_init(&rule));
    CHECK(rule.struct_size == sizeof rule && rule.criterion == SUREFILL_CRITERION_RELATIVE);
    CHECK(isinf(rule.budget) && isinf(rule.slip) && isinf(rule.guard) && rule.or_easy == 1);
}

static void bins_are_exact_at_their_edges(void) {
    surefill_bins *bins = new_bins(10, 10, 4);
    const struct {
        double seconds;
        int32_t bin;
    } cases[] = {{0, 0}, {9.999, 0}, {10, 1}, {99, 1}, {100, 2}, {999, 2}, {1000, 3}, {1e12, 3}};
    int32_t bin = -1, count = -1;
    double lower, upper, next;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        CHECK_OK(surefill_bins_index(bins, cases[i].seconds, &bin));
        CHECK(bin == cases[i].bin);
    }
    CHECK_OK(surefill_bins_edges(bins, 3, &lower, &upper));
    CHECK(lower == 1000 && isinf(upper));
    free(bins);
    CHECK_OK(surefill_bins_init_default(block_of(SUREFILL_BINS_SIZE), SUREFILL_BINS_SIZE, &bins));
    CHECK_OK(surefill_bins_count(bins, &count));
    CHECK(count == 24);
    for (int32_t i = 1; i < count; i++) { /* every edge belongs to the bin that it starts */
        CHECK_OK(surefill_bins_edges(bins, i - 1, &upper, &next));
        CHECK_OK(surefill_bins_edges(bins, i, &lower, &upper));
        CHECK(next == lower);
        CHECK_OK(surefill_bins_index(bins, lower, &bin));
        CHECK(bin == i);
        CHECK_OK(surefill_bins_index(bins, nextafter(lower, 0), &bin));
        CHECK(bin == i - 1);
    }
    CHECK(lower > 7 * DAY && lower < 7.5 * DAY);
    CHECK_OK(surefill_bins_init_covering(bins, SUREFILL_BINS_SIZE, 10, 10, 1000, &bins));
    CHECK_OK(surefill_bins_count(bins, &count));
    CHECK(count == 5); /* the edge at 1000 is not above 1000 */
    free(bins);
}

/* Bins 1-10, 10-100, 100-1000, 1000- seconds with probabilities .1 .4 .4 .1. */
static void conditioning(void) {
    surefill_bins *bins = new_bins(10, 10, 4);
    surefill_distribution *d = new_counts(bins, (const double[]){1, 4, 4, 1}, 4);
    double p[64];
    int64_t t[64], median;
    int32_t n = -1;
    /* At age 10 the first bin is over; a limit of 1000 removes the last. */
    CHECK_OK(surefill_distribution_recalculate(d, 10, 1000, p, 4, &n));
    CHECK(n == 4 && p[0] == 0 && fabs(p[1] - 0.5) < 1e-15 && fabs(p[2] - 0.5) < 1e-15 && p[3] == 0);
    /* At age sqrt(10 x 100), rounded, half of the second bin is over, for logarithms. */
    CHECK_OK(surefill_distribution_recalculate(d, 32, 1000, p, 4, &n));
    const double left = 0.4 * log(100.0 / 32) / log(10.0);
    CHECK(n == 4 && fabs(p[1] - left / (left + 0.4)) < 1e-14 && fabs(p[1] + p[2] - 1) < 1e-14);
    /* One event a bin is at its end; of two the first is at its logarithmic middle. */
    CHECK_OK(surefill_distribution_remaining(d, 10, 1000, 1, t, p, 4, &n));
    CHECK(n == 2 && t[0] == 90 && t[1] == 990 && fabs(p[0] - 0.5) < 1e-15);
    CHECK_OK(surefill_distribution_remaining(d, 10, 1000, 2, t, p, 8, &n));
    CHECK(n == 4 && t[0] == 22 && t[1] == 90 && t[2] == 307 && t[3] == 990 && fabs(p[3] - 0.25) < 1e-15);
    CHECK_OK(surefill_distribution_quantile(d, 0.5, 10, 1000, &median));
    CHECK(median == 124); /* .1 of .9 is at the limit: the median is an eighth into the third bin, for logarithms */
    /* Nothing left: the limit if it is ahead, else one second. */
    CHECK_OK(surefill_distribution_recalculate(d, 2000, 1500, p, 4, &n));
    CHECK(n == 0);
    CHECK_OK(surefill_distribution_remaining(d, 2000, 1500, 1, t, p, 4, &n));
    CHECK(n == 1 && t[0] == 1 && p[0] == 1);
    CHECK_OK(surefill_distribution_remaining(NULL, 100, 1500, 1, t, p, 1, &n));
    CHECK(n == 1 && t[0] == 1400 && p[0] == 1);
    /* Samples are counted into the same bins. */
    const int64_t runs[] = {5, 50, 500, 5000}, size = SUREFILL_DISTRIBUTION_SIZE;
    const double weights[] = {1, 4, 4, 1};
    surefill_distribution *sampled = NULL;
    CHECK_OK(surefill_distribution_init_samples(block_of(size), size, bins, runs, weights, 4, &sampled));
    CHECK(sampled != NULL && memcmp(sampled, d, (size_t)size) == 0);
    free(sampled);
    free(d);
    free(bins);
}

/* Limits alone: the head job's reservation is at 3600 s, when 4 + 8 processors are free of which it needs 10. */
static void limits_are_easy(void) {
    const struct {
        int32_t processors;
        int64_t limit;
        int32_t verdict;
    } cases[] = {{4, 7200, SUREFILL_VERDICT_REFUSED},     /* too wide for the 2 extra processors, too long */
                 {5, 60, SUREFILL_VERDICT_DOES_NOT_FIT},  /* 4 are idle */
                 {2, 7200, SUREFILL_VERDICT_ACCEPTED},    /* on the extra processors, for ever */
                 {1, 7200, SUREFILL_VERDICT_REFUSED},     /* none is left */
                 {1, 3600, SUREFILL_VERDICT_ACCEPTED},    /* over when the head job starts */
                 {1, 3601, SUREFILL_VERDICT_REFUSED}};    /* a second later */
    const surefill_rule rule = new_rule(SUREFILL_CRITERION_PROBABILITY, 0.05, INFINITY);
    surefill_pass *pass = new_pass(16);
    int32_t idle = -1;
    int64_t when = -1;
    double p = -1;
    CHECK_OK(surefill_pass_begin(pass, NOW, 4, 7, 10, 0));
    CHECK_OK(surefill_pass_add_running(pass, 8, 3600, 7200, NULL, NULL));
    CHECK_OK(surefill_pass_add_running(pass, 4, 0, 9000, NULL, NULL));
    for (int i = 0; i < 6; i++)
        CHECK_OK(surefill_pass_add_candidate(pass, cases[i].processors, cases[i].limit, NULL, NULL));
    run(pass, &rule, INT64_MAX);
    for (int i = 0; i < 6; i++) CHECK(judged(pass, i, cases[i].verdict, cases[i].verdict == SUREFILL_VERDICT_REFUSED));
    CHECK_OK(surefill_pass_idle(pass, &idle));
    CHECK(idle == 1);
    CHECK_OK(surefill_pass_head_start_quantile(pass, 1, &when));
    CHECK(when == NOW + 3600);
    CHECK_OK(surefill_pass_free_probability(pass, 10, NOW + 3599, &p));
    CHECK(p == 0);
    CHECK_OK(surefill_pass_free_probability(pass, 10, NOW + 3600, &p));
    CHECK(p == 1);
    /* 1 idle, 8 and the backfilled one at 3600, the backfilled two at 7200, four at 9000. */
    CHECK_OK(surefill_pass_free_probability(pass, 11, NOW + 7199, &p));
    CHECK(p == 0);
    CHECK_OK(surefill_pass_free_probability(pass, 12, NOW + 7200, &p));
    CHECK(p == 1);
    CHECK_OK(surefill_pass_free_probability(pass, 0, NOW, &p));
    CHECK(p == 1);
    free(pass);
}

/* 8 of 16 processors are idle, the head job needs 12. A job of 8 ends after 100 s or after 1000 s, with 1/2 each; a
 * candidate of 8 that ends after `runs` seconds delays the head job if that is later. */
static void begin_coin(surefill_pass *pass, int64_t head, const surefill_distribution *coin) {
    CHECK_OK(surefill_pass_begin(pass, NOW, 8, head, 12, 0));
    CHECK_OK(surefill_pass_add_running(pass, 8, 10, 1000, coin, NULL));
}

static surefill_distribution *new_coin(void) {
    surefill_bins *bins = new_bins(10, 10, 4);
    surefill_distribution *coin = new_counts(bins, (const double[]){0, 1, 1, 0}, 4);
    free(bins); /* the distribution has its own copy */
    return coin;
}

/* A pass with one event a bin, so that the coin has two sides: 90 and 990 s from now. */
static surefill_pass *new_coin_pass(void) {
    surefill_pass_capacity capacity;
    surefill_pass *pass = NULL;
    int64_t size = 0;
    CHECK_OK(surefill_pass_capacity_init(&capacity));
    capacity.processors = 16;
    capacity.events_per_bin = 1;
    CHECK_OK(surefill_pass_size(&capacity, &size));
    CHECK_OK(surefill_pass_init(block_of(size), size, &capacity, &pass));
    return pass;
}

static void criteria(void) {
    /* The candidate of 8 runs 490 s: with 1/2 the head job waits from 90 to 490 s. Its own expected wait is 540 s. */
    const double expected[] = {0.5, 0.5, 200, 200.0 / 540};
    surefill_distribution *coin = new_coin(), *single = new_single(490);
    surefill_pass *pass = new_coin_pass();
    for (int32_t criterion = 0; criterion < 4; criterion++) {
        const surefill_rule rule = new_rule(criterion, expected[criterion] + 1e-9, INFINITY);
        begin_coin(pass, criterion, coin);
        CHECK_OK(surefill_pass_add_candidate(pass, 8, DAY, single, NULL));
        run(pass, &rule, INT64_MAX);
        CHECK(judged(pass, 0, SUREFILL_VERDICT_ACCEPTED, expected[criterion]));
        /* At the threshold itself it is refused. */
        const surefill_rule strict = new_rule(criterion, expected[criterion] * (1 - 1e-9), INFINITY);
        begin_coin(pass, criterion, coin);
        CHECK_OK(surefill_pass_add_candidate(pass, 8, DAY, single, NULL));
        run(pass, &strict, INT64_MAX);
        CHECK(judged(pass, 0, SUREFILL_VERDICT_REFUSED, expected[criterion]));
    }
    free(pass);
    free(single);
    free(coin);
}

static void quantiles(void) {
    surefill_distribution *coin = new_coin();
    surefill_pass *pass = new_coin_pass();
    const struct {
        double probability;
        int64_t after;
    } cases[] = {{1e-9, 90}, {0.5, 90}, {0.500001, 990}, {1, 990}};
    const struct {
        int64_t after;
        double probability;
    } starts[] = {{0, 0}, {89, 0}, {90, 0.5}, {989, 0.5}, {990, 1}, {DAY, 1}};
    begin_coin(pass, 7, coin);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int64_t when = -1;
        CHECK_OK(surefill_pass_head_start_quantile(pass, cases[i].probability, &when));
        CHECK(when == NOW + cases[i].after);
    }
    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++) {
        double p = -1, q = -1;
        CHECK_OK(surefill_pass_free_probability(pass, 12, NOW + starts[i].after, &p));
        CHECK_OK(surefill_pass_free_probability(pass, 12, NOW + starts[i].after, &q));
        CHECK(fabs(p - starts[i].probability) < 1e-15 && p == q);
    }
    free(pass);
    free(coin);
}

/* Two candidates of risk 1/2 each, for one head job over several passes. */
static void budgets(void) {
    surefill_distribution *coin = new_coin(), *single = new_single(490);
    surefill_pass *pass = new_coin_pass();
    const surefill_rule rule = new_rule(SUREFILL_CRITERION_PROBABILITY, 0.6, 0.75);
    const struct {
        int64_t head;
        int32_t verdict;
    } passes[] = {{7, SUREFILL_VERDICT_ACCEPTED},
                  {7, SUREFILL_VERDICT_OVER_BUDGET}, /* kept for the same head job */
                  {8, SUREFILL_VERDICT_ACCEPTED},    /* another head job */
                  {7, SUREFILL_VERDICT_OVER_BUDGET}}; /* kept while another job was head */
    for (int i = 0; i < 4; i++) {
        begin_coin(pass, passes[i].head, coin);
        CHECK_OK(surefill_pass_add_candidate(pass, 8, DAY, single, NULL));
        run(pass, &rule, INT64_MAX);
        CHECK(judged(pass, 0, passes[i].verdict, 0.5));
    }
    free(pass);
    free(single);
    free(coin);
}

/* In the smallest steps, with questions in between, the answers are those of one go, bit for bit. */
static void small_steps(void) {
    const int64_t runs[] = {30, 80, 300, 900, 4000, 20000};
    const int64_t size = SUREFILL_DISTRIBUTION_SIZE;
    const double thresholds[] = {0.05, 0.05, 60, 0.05};
    surefill_bins *bins = new_bins(1.5, 1.8, 24);
    surefill_distribution *d = NULL;
    CHECK_OK(surefill_distribution_init_samples(block_of(size), size, bins, runs, NULL, 6, &d));
    for (int32_t criterion = 0; criterion < 4; criterion++) {
        const surefill_rule rule = new_rule(criterion, thresholds[criterion], INFINITY);
        surefill_pass *passes[2] = {new_pass(64), new_pass(64)};
        double found[2][10], p;
        int more = 0;
        for (int small = 0; small < 2; small++) {
            CHECK_OK(surefill_pass_begin(passes[small], NOW, 16, 7, 40, 0));
            for (int i = 0; i < 8; i++)
                CHECK_OK(surefill_pass_add_running(passes[small], 4 + i % 4, 50 * i, 9000 + 1000 * i, d, NULL));
            for (int i = 0; i < 10; i++) CHECK_OK(surefill_pass_add_candidate(passes[small], 1 + i, 600 * i, d, NULL));
            if (small) {
                int32_t step = 0, candidate;
                CHECK_OK(surefill_pass_decide(passes[small], &rule, 1, &step, &candidate));
                CHECK(step == SUREFILL_STEP_MORE);
                CHECK_OK(surefill_pass_free_probability(passes[small], 40, NOW + 3000, &p));
                more = run(passes[small], &rule, 1);
            } else {
                CHECK(run(passes[small], &rule, INT64_MAX) == 0);
            }
            for (int i = 0; i < 10; i++) {
                int32_t exactness, verdict;
                CHECK_OK(surefill_pass_judgement(passes[small], i, &found[small][i], &exactness, &verdict));
                found[small][i] += 1e6 * (exactness + 10 * verdict);
            }
        }
        CHECK(more > 20);
        CHECK(memcmp(found[0], found[1], sizeof found[0]) == 0);
        free(passes[0]);
        free(passes[1]);
    }
    free(d);
    free(bins);
}

/* Two states that never change: in the first every job runs in bin 0, in the second bins 1 and 2 are alike. */
static void models(void) {
    static int64_t memory[1000], copy[1000];
    const double start[] = {0.25, 0.75}, stay[] = {1, 0, 0, 1}, emission[] = {1, 0, 0, 0, 0.5, 0.5};
    double p[2], found[4], likelihood;
    int32_t path[3], step;
    int64_t first, end;
    surefill_hmm_capacity capacity;
    surefill_round round = {.struct_size = sizeof round};
    surefill_hmm *hmm;
    CHECK_OK(surefill_hmm_capacity_init(&capacity));
    capacity.states = 2;
    capacity.bins = 3;
    capacity.slots = 10;
    capacity.cells = 20;
    CHECK_OK(surefill_hmm_init(memory, sizeof memory, &capacity, &hmm));
    const surefill_model_parameters given = {2, 3, SUREFILL_LOAD_NONE, 0, (double *)start, (double *)stay, (double *)emission, NULL};
    CHECK_OK(surefill_hmm_set_parameters(hmm, &given));
    CHECK_OK(surefill_hmm_extend(hmm, 5)); /* nothing is known of an empty slot */
    CHECK_OK(surefill_hmm_filter(hmm, 5, 6, p, 2, &likelihood));
    CHECK(p[0] == 0.25 && p[1] == 0.75 && likelihood == 0);
    CHECK_OK(surefill_hmm_observe(hmm, 6, 1));
    CHECK_OK(surefill_hmm_observe(hmm, 7, 2));
    CHECK_OK(surefill_hmm_slots(hmm, &first, &end));
    CHECK(first == 5 && end == 8);
    CHECK_OK(surefill_hmm_filter(hmm, 5, 8, p, 2, &likelihood));
    CHECK(p[0] == 0 && p[1] == 1 && fabs(likelihood - log(0.75 / 4)) < 1e-15);
    CHECK_OK(surefill_hmm_viterbi(hmm, 5, 8, path, 3, &likelihood));
    CHECK(path[0] == 1 && path[1] == 1 && path[2] == 1 && fabs(likelihood - log(0.75 / 4)) < 1e-15);
    CHECK_OK(surefill_hmm_observe(hmm, 7, 0)); /* both states are impossible now */
    CHECK_OK(surefill_hmm_log_likelihood(hmm, 5, 8, SUREFILL_EVIDENCE_JOBS, &likelihood));
    CHECK(likelihood == -INFINITY);
    CHECK_OK(surefill_hmm_log_likelihood(hmm, 5, 8, SUREFILL_EVIDENCE_LOAD, &likelihood));
    CHECK(likelihood == 0);
    /* Training on the first two slots finds the second state, whose only job was in bin 1. It stops between slots, and
     * goes on in a copy. */
    CHECK_OK(surefill_hmm_begin_training(hmm, SUREFILL_INITIAL_PRESENT, 0, 5, 7));
    CHECK_OK(surefill_hmm_train(hmm, 3, &step, &round));
    CHECK(step == SUREFILL_STEP_MORE);
    CHECK_OK(surefill_hmm_seal(hmm));
    memcpy(copy, memory, sizeof memory);
    CHECK_OK(surefill_hmm_open(copy, sizeof copy, &hmm));
    CHECK_OK(surefill_hmm_train(hmm, 1000, &step, &round));
    CHECK(step == SUREFILL_STEP_DONE && round.rounds == 1 && round.jobs == 1 && round.adapted == 0);
    CHECK(fabs(round.log_likelihood - log(0.75 / 2)) < 1e-15);
    /* start moves by 1/4 twice, emission of the second state by 1/2 twice */
    CHECK(fabs(round.l1 - 1.5) < 1e-15 && round.l_infinity == 0.5);
    double a[4], b[6];
    surefill_model_parameters asked = {2, 3, -1, 0, p, a, b, found};
    CHECK_OK(surefill_hmm_parameters(hmm, &asked));
    CHECK(asked.load == SUREFILL_LOAD_NONE && p[0] == 0 && p[1] == 1 && found[0] == 0);
    CHECK(a[0] == 1 && a[3] == 1 && b[0] == 1 && b[4] == 1 && b[5] == 0);
    CHECK_OK(surefill_hmm_halve_slots(hmm)); /* who never leaves a state still does not */
    CHECK_OK(surefill_hmm_parameters(hmm, &asked));
    CHECK(a[0] == 1 && a[1] == 0 && a[3] == 1);
}

/* A model given beforehand; what running jobs say, and that nothing is lost on the way to disk and back. */
static void predictions(void) {
    static int64_t memory[2000], copy[2000], bins_block[120], made[220];
    double start[] = {0.5, 0.5}, change[] = {0.5, 0.5, 0.5, 0.5}, emission[] = {0.75, 0.25, 0, 0, 0.5, 0.5};
    double p[3];
    int32_t answer, wants, written, held, step;
    surefill_bins *three;
    surefill_predictor_options options;
    surefill_predictor *predictor;
    surefill_distribution *found;
    surefill_round round = {.struct_size = sizeof round};
    surefill_model_parameters model = {2, 3, SUREFILL_LOAD_NONE, 0, start, change, emission, NULL};
    CHECK_OK(surefill_bins_init(bins_block, sizeof bins_block, 10, 10, 3, &three)); /* below 10 s, to 100 s, above */
    CHECK_OK(surefill_predictor_options_init(SUREFILL_PREDICTOR_HMM, &options));
    options.jobs = options.window = 4;
    options.states = 2;
    options.bins = 3;
    options.slots = options.cells = 20;
    options.slot_seconds = 60;
    options.initial_seconds = 0;
    options.floor = 0; /* the thesis's rule */
    CHECK_OK(surefill_predictor_init(memory, sizeof memory, &options, three, &predictor));
    CHECK_OK(surefill_predictor_set_model(predictor, &model));
    CHECK_OK(surefill_predictor_submit(predictor, 7, NULL, 0, 0));
    CHECK_OK(surefill_predictor_probabilities(predictor, NULL, 0, 0, p, 3, &answer));
    CHECK(answer == SUREFILL_PREDICTION_MADE && p[0] == 0.375 && p[1] == 0.375 && p[2] == 0.25);
    /* At an age of 10 s the job is not in bin 0: the states' factors are 1/4 and 1, so 1/5 and 4/5. */
    CHECK_OK(surefill_predictor_start(predictor, 7, 20));
    CHECK_OK(surefill_predictor_probabilities(predictor, NULL, 0, 29, p, 3, &answer));
    CHECK(answer == SUREFILL_PREDICTION_MADE && p[0] == 0.375);
    CHECK_OK(surefill_predictor_probabilities(predictor, NULL, 0, 30, p, 3, &answer));
    CHECK(answer == SUREFILL_PREDICTION_MADE);
    CHECK(fabs(p[0] - 0.15) < 1e-15 && fabs(p[1] - 0.45) < 1e-15 && fabs(p[2] - 0.4) < 1e-15);
    CHECK_OK(surefill_predictor_predict(predictor, NULL, 0, 30, made, sizeof made, &answer, &found));
    CHECK_OK(surefill_distribution_recalculate(found, 0, SUREFILL_MAX_SECONDS, p, 3, &step));
    CHECK(answer == SUREFILL_PREDICTION_MADE && step == 3 && fabs(p[0] - 0.15) < 1e-15);
    /* The job itself was predicted for when it was submitted. */
    CHECK_OK(surefill_predictor_said(predictor, 7, made, sizeof made, &answer, &found));
    CHECK_OK(surefill_distribution_recalculate(found, 0, SUREFILL_MAX_SECONDS, p, 3, &step));
    CHECK(answer == SUREFILL_PREDICTION_MADE && p[0] == 0.375 && p[2] == 0.25);
    /* Written, read back, and the same again. The next slot knows nothing of this one: the states are drawn anew. */
    CHECK_OK(surefill_predictor_seal(predictor));
    memcpy(copy, memory, sizeof memory);
    CHECK_OK(surefill_predictor_open(copy, sizeof copy, &predictor));
    CHECK_OK(surefill_predictor_end(predictor, 7, 31));
    CHECK_OK(surefill_predictor_jobs(predictor, NULL, 0, &written, &held));
    CHECK_OK(surefill_predictor_probabilities(predictor, NULL, 0, 59, p, 3, &answer));
    CHECK(held == 0 && answer == SUREFILL_PREDICTION_MADE && fabs(p[2] - 1.0 / 3) < 1e-15); /* 11 s: bin 1, 1/4 and 1/2 */
    CHECK_OK(surefill_predictor_probabilities(predictor, NULL, 0, 60, p, 3, &answer));
    CHECK(answer == SUREFILL_PREDICTION_MADE && fabs(p[0] - 0.375) < 1e-15);
    /* The questions have not moved the clock. */
    CHECK_OK(surefill_predictor_wants_training(predictor, &wants));
    CHECK(wants == 0);
    /* The slot of the job is finished: there is something to be learnt. All jobs run in bin 1, as far as is known. */
    CHECK_OK(surefill_predictor_set_clock(predictor, 60));
    CHECK_OK(surefill_predictor_wants_training(predictor, &wants));
    CHECK(wants == 1);
    do {
        CHECK_OK(surefill_predictor_train(predictor, 1, &step, &round));
    } while (step == SUREFILL_STEP_MORE);
    CHECK(step == SUREFILL_STEP_DONE && round.jobs == 1);
    CHECK_OK(surefill_predictor_probabilities(predictor, NULL, 0, 60, p, 3, &answer));
    CHECK(answer == SUREFILL_PREDICTION_MADE && p[0] == 0.005 && p[1] == 0.99 && p[2] == 0.005);
    /* A job in another bin cannot be explained: silence, and the wish to learn. */
    CHECK_OK(surefill_predictor_submit(predictor, 8, NULL, 0, 60));
    CHECK_OK(surefill_predictor_start(predictor, 8, 60));
    CHECK_OK(surefill_predictor_end(predictor, 8, 63));
    CHECK_OK(surefill_predictor_set_clock(predictor, 120));
    CHECK_OK(surefill_predictor_predict(predictor, NULL, 0, 120, made, sizeof made, &answer, &found));
    CHECK_OK(surefill_predictor_wants_training(predictor, &wants));
    CHECK(answer == SUREFILL_PREDICTION_UNEXPLAINED && wants == 1);
}

/* One mixture learns from its jobs. */
static void events_of_a_mixture(void) {
    static int64_t memory[60000], bins_block[120], made[220];
    const int64_t keys[] = {7, 600, 4};
    surefill_bins *bins;
    surefill_predictor_options options;
    surefill_predictor *predictor;
    surefill_distribution *found;
    surefill_held_job held[2] = {{.struct_size = sizeof held[0]}};
    int32_t answer, written, all;
    int64_t seconds;
    CHECK_OK(surefill_bins_init_default(bins_block, sizeof bins_block, &bins));
    CHECK_OK(surefill_predictor_options_init(SUREFILL_PREDICTOR_MIXTURE, &options));
    options.jobs = 10;
    options.histories = 1000;
    CHECK_OK(surefill_predictor_init(memory, sizeof memory, &options, bins, &predictor));
    for (int64_t job = 0; job < 50; job++) {
        CHECK_OK(surefill_predictor_submit(predictor, job, keys, 3, 1000 * job));
        CHECK_OK(surefill_predictor_start(predictor, job, 1000 * job + 10));
        CHECK_OK(surefill_predictor_jobs(predictor, held, 2, &written, &all));
        CHECK(written == 1 && all == 1 && held[0].job == job && held[0].submitted == 1000 * job);
        CHECK(held[0].running == 1 && held[0].started == 1000 * job + 10 && held[0].given_up == 0);
        if (job % 10 == 9)
            CHECK_OK(surefill_predictor_cancel(predictor, job, 1000 * job + 60));
        else
            CHECK_OK(surefill_predictor_end(predictor, job, 1000 * job + 60));
    }
    /* All ended after 50 s, and what was cancelled does not count. */
    CHECK_OK(surefill_predictor_predict(predictor, keys, 3, 50000, made, sizeof made, &answer, &found));
    CHECK_OK(surefill_distribution_quantile(found, 0.5, 0, 600, &seconds));
    CHECK(answer == SUREFILL_PREDICTION_MADE && seconds > 27 && seconds < 92); /* the bin from 27.5 to 91 s */
    /* A job that is held: its first prediction is kept, its present one changes. */
    CHECK_OK(surefill_predictor_submit(predictor, 100, keys, 3, 50000));
    for (int i = 0; i < 60; i++) CHECK_OK(surefill_predictor_learn(predictor, keys, 3, 500));
    CHECK_OK(surefill_predictor_said(predictor, 100, made, sizeof made, &answer, &found));
    CHECK_OK(surefill_distribution_quantile(found, 0.5, 0, 600, &seconds));
    CHECK(answer == SUREFILL_PREDICTION_MADE && seconds < 92);
    CHECK_OK(surefill_predictor_predict_job(predictor, 100, made, sizeof made, &answer, &found));
    CHECK_OK(surefill_distribution_quantile(found, 0.5, 0, 600, &seconds));
    CHECK(answer == SUREFILL_PREDICTION_MADE && seconds > 300);
    /* After ten days it is given up: it is still listed, and its end would still be understood. */
    CHECK_OK(surefill_predictor_set_clock(predictor, 50000 + options.oldest_seconds + 1));
    CHECK_OK(surefill_predictor_jobs(predictor, held, 2, &written, &all));
    CHECK(written == 1 && held[0].job == 100 && held[0].given_up == 1);
    CHECK_OK(surefill_predictor_cancel(predictor, 100, 50000 + options.oldest_seconds + 2));
}

int main(void) {
    structures_are_laid_out_as_in_other_languages();
    bins_are_exact_at_their_edges();
    conditioning();
    limits_are_easy();
    criteria();
    quantiles();
    budgets();
    small_steps();
    models();
    predictions();
    events_of_a_mixture();
    return checks_done();
}
