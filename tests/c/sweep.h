/* Helpers of the parts of the sweep: a world of objects and outputs, and a call that must not change any of it. */
#ifndef SWEEP_H
#define SWEEP_H

#include "check.h"
#include "sizes.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

enum {
    HEADER_WORDS = 3, /* what every block begins with */
    BINS_WORDS = 102,
    DISTRIBUTION_WORDS = 200,
    PASS_WORDS = 4000,
    FORECAST_WORDS = 500,
    HMM_WORDS = 700,
    PREDICTOR_WORDS = 1200,
    ONLINE_WORDS = 400,
    WAIT_WORDS = 20000,
    SIZING_WORDS = 100,
    NODES_WORDS = 300,
    NODE_PASS_WORDS = 12000,
    NODE_FORECAST_WORDS = 700,
    SCHEDULER_WORDS = 34200,
    CYCLE_WORDS = 7200,
    STARTS_WORDS = 58000,
    LARGEST_WORDS = WAIT_WORDS,
    FRESH_WORDS = SCHEDULER_WORDS + 800,
    OUTPUTS = 80
};

/* Everything that a call can reach. */
struct world {
    int64_t bins[BINS_WORDS], wide_bins[BINS_WORDS];
    int64_t distribution[DISTRIBUTION_WORDS], wide_distribution[DISTRIBUTION_WORDS];
    int64_t new_pass[PASS_WORDS], filling_pass[PASS_WORDS], accepting_pass[PASS_WORDS], more_pass[PASS_WORDS];
    int64_t new_forecast[FORECAST_WORDS], filled_forecast[FORECAST_WORDS], more_forecast[FORECAST_WORDS],
        done_forecast[FORECAST_WORDS];
    int64_t new_hmm[HMM_WORDS], hmm[HMM_WORDS];
    int64_t new_predictor[PREDICTOR_WORDS], predictor[PREDICTOR_WORDS];
    int64_t mixture[PREDICTOR_WORDS]; /* a predictor too */
    int64_t wait[WAIT_WORDS];
    int64_t nodes[NODES_WORDS];
    int64_t new_node_pass[NODE_PASS_WORDS], filling_node_pass[NODE_PASS_WORDS], accepting_node_pass[NODE_PASS_WORDS],
        more_node_pass[NODE_PASS_WORDS];
    int64_t new_node_forecast[NODE_FORECAST_WORDS], filled_node_forecast[NODE_FORECAST_WORDS],
        more_node_forecast[NODE_FORECAST_WORDS], done_node_forecast[NODE_FORECAST_WORDS];
    int64_t new_sizing[SIZING_WORDS], sizing[SIZING_WORDS];
    int64_t online_hmm[ONLINE_WORDS];
    int64_t zeros[BINS_WORDS], garbage[BINS_WORDS];
    int64_t other_version[HEADER_WORDS], foreign[HEADER_WORDS], damaged[3][LARGEST_WORDS];
    int64_t fresh[FRESH_WORDS]; /* where objects are made */
    int32_t int32[2];
    int64_t int64[OUTPUTS];
    double real[2][OUTPUTS];
    void *handle[2];
    surefill_pass_capacity capacity;
    surefill_rule rule;
    surefill_forecast_capacity forecast_capacity;
    surefill_forecast_options forecast_options;
    surefill_hmm_capacity hmm_capacity;
    surefill_predictor_options options, mixture_options;
    surefill_held_job held[3];
    surefill_model_parameters parameters;
    surefill_round round;
    surefill_expert experts[2];
    surefill_wait_capacity wait_capacity;
    surefill_wait_options wait_options;
    surefill_sizing_capacity sizing_capacity;
    surefill_choice_options choice_options;
    surefill_choice choice;
    surefill_online_hmm_options online_options;
    surefill_scheduler_capacity scheduler_capacity, tight_capacity;
    surefill_job job;
    surefill_totals totals;
    surefill_action action;
    surefill_start start;
};
extern struct world world, before;

/* The schedulers and their cycles, apart from the others because they are large: what calls of other objects can reach
 * need not be compared with these. */
struct schedulers {
    int64_t scheduler[SCHEDULER_WORDS], tight_scheduler[SCHEDULER_WORDS];
    int64_t cycle[CYCLE_WORDS], new_cycle[CYCLE_WORDS], tight_cycle[CYCLE_WORDS];
    int64_t damaged[3][SCHEDULER_WORDS];
};
extern struct schedulers schedulers, schedulers_before;

/* Forecasts of the starts of a scheduler's jobs, apart for the same reason; `fresh` is where one is made. */
struct starts {
    int64_t done[STARTS_WORDS], begun[STARTS_WORDS], fresh[STARTS_WORDS];
    int64_t damaged[3][STARTS_WORDS];
};
extern struct starts starts, starts_before;

/* The handles of the objects in the world. */
#define BINS ((surefill_bins *)world.bins)
#define DISTRIBUTION ((surefill_distribution *)world.distribution)
#define HMM ((surefill_hmm *)world.hmm)
#define PREDICTOR ((surefill_predictor *)world.predictor)
#define MIXTURE ((surefill_predictor *)world.mixture)
#define WAIT ((surefill_wait *)world.wait)
#define SIZING ((surefill_sizing *)world.sizing)
#define ONLINE_HMM ((surefill_online_hmm *)world.online_hmm)
#define SCHEDULER ((surefill_scheduler *)schedulers.scheduler)
#define TIGHT ((surefill_scheduler *)schedulers.tight_scheduler)
#define CYCLE ((surefill_cycle *)schedulers.cycle)
#define TIGHT_CYCLE ((surefill_cycle *)schedulers.tight_cycle)
#define STARTS ((surefill_starts *)starts.done)
#define BEGUN_STARTS ((surefill_starts *)starts.begun)
#define FILLING ((surefill_pass *)world.filling_pass)
#define ACCEPTING ((surefill_pass *)world.accepting_pass)

/* A pointer that is aligned to nothing, and one that is aligned for an int32_t only. */
#define ODD(pointer) ((void *)((char *)(pointer) + 1))
#define HALF(pointer) ((void *)((char *)(pointer) + 4))

/* Whether all objects are compared after a call that changes nothing. `sweep --accesses` leaves that out for valgrind,
 * in which comparing 1.5 MB 8,000 times takes five times as long as all calls. */
extern int comparing;

/* The call has this status and has changed nothing. */
#define REFUSED(status, call)                                                                     \
    do {                                                                                          \
        if (comparing) before = world;                                                            \
        CHECK_STATUS(status, call);                                                               \
        if (comparing)                                                                            \
            check_that(memcmp(&before, &world, sizeof world) == 0, __FILE__, __LINE__,            \
                       "nothing changed: " #call);                                                \
    } while (0)

/* The same, also for the schedulers. */
#define SCHEDULERS_REFUSED(status, call)                                                          \
    do {                                                                                          \
        if (comparing) before = world, schedulers_before = schedulers;                            \
        CHECK_STATUS(status, call);                                                               \
        if (comparing)                                                                            \
            check_that(memcmp(&before, &world, sizeof world) == 0 &&                              \
                           memcmp(&schedulers_before, &schedulers, sizeof schedulers) == 0,       \
                       __FILE__, __LINE__, "nothing changed: " #call);                            \
    } while (0)

/* Error for a wrong span of seconds. */
static inline int32_t span_error(int64_t seconds) {
    return seconds < 0 ? SUREFILL_ERROR_OUT_OF_RANGE : SUREFILL_ERROR_SPAN_TOO_LONG;
}

/* Error for a wrong number of processors. */
static inline int32_t processors_error(int32_t processors) {
    return processors <= 0 ? SUREFILL_ERROR_OUT_OF_RANGE : SUREFILL_ERROR_TOO_MANY_PROCESSORS;
}

/* The call is refused for NULL and for a misaligned pointer in the place of `p`. */
#define BAD_POINTER(p, good, call)                 \
    do {                                           \
        void *p = NULL;                            \
        REFUSED(SUREFILL_ERROR_NULL, call);        \
        p = ODD(good);                             \
        REFUSED(SUREFILL_ERROR_MISALIGNED, call);  \
    } while (0)

/* The call is refused for every handle that is not of this kind. */
struct bad_handle {
    void *handle;
    int32_t status;
};
enum kind {
    KIND_BINS,
    KIND_DISTRIBUTION,
    KIND_PASS,
    KIND_HMM,
    KIND_PREDICTOR,
    KIND_WAIT,
    KIND_SIZING,
    KIND_ONLINE_HMM,
    KIND_FORECAST,
    KIND_NODES,
    KIND_NODE_PASS,
    KIND_NODE_FORECAST,
    KIND_SCHEDULER,
    KIND_CYCLE,
    KIND_STARTS,
    KINDS
};
enum { BAD_HANDLES = KINDS + 9 };
int bad_handles(enum kind kind, int null_is_bad, struct bad_handle bad[BAD_HANDLES]);
#define BAD_HANDLE_OR(null_is_bad, kind, h, call)                              \
    do {                                                                       \
        struct bad_handle bad[BAD_HANDLES];                                      \
        int bad_count = bad_handles(kind, null_is_bad, bad);                   \
        for (int bad_index = 0; bad_index < bad_count; bad_index++) {          \
            void *h = bad[bad_index].handle;                                   \
            REFUSED(bad[bad_index].status, call);                              \
        }                                                                      \
    } while (0)
#define BAD_HANDLE(kind, h, call) BAD_HANDLE_OR(1, kind, h, call)

/* The call that makes an object of `size` bytes in this array is refused for unusable memory and outputs. */
#define BAD_MEMORY_IN(array, size, m, n, out, call)                                             \
    do {                                                                                        \
        void *m = NULL, *out = &world.handle[0];                                                \
        int64_t n = sizeof (array);                                                             \
        REFUSED(SUREFILL_ERROR_NULL, call);                                                     \
        m = ODD(array);                                                                         \
        REFUSED(SUREFILL_ERROR_MISALIGNED, call);                                               \
        m = HALF(array);                                                                        \
        REFUSED(SUREFILL_ERROR_MISALIGNED, call);                                               \
        m = (array);                                                                            \
        const int64_t short_lengths[] = {0, 1, 8, 24, (size)-8, (size)-1};                      \
        for (int i = 0; i < 6; i++) {                                                           \
            n = short_lengths[i];                                                               \
            REFUSED(SUREFILL_ERROR_TOO_SMALL, call);                                            \
        }                                                                                       \
        n = -1;                                                                                 \
        REFUSED(SUREFILL_ERROR_OUT_OF_RANGE, call);                                             \
        n = INT64_MIN;                                                                          \
        REFUSED(SUREFILL_ERROR_OUT_OF_RANGE, call);                                             \
        n = (size);                                                                             \
        out = NULL;                                                                             \
        REFUSED(SUREFILL_ERROR_NULL, call);                                                     \
        out = ODD(world.handle);                                                                \
        REFUSED(SUREFILL_ERROR_MISALIGNED, call);                                               \
        out = HALF(world.handle);                                                               \
        REFUSED(SUREFILL_ERROR_MISALIGNED, call);                                               \
        /* Just long enough is; and then the handle is the block's address. */                  \
        out = &world.handle[0];                                                                 \
        CHECK_OK(call);                                                                         \
        CHECK(world.handle[0] == (array));                                                      \
    } while (0)

/* The same for an object in world.fresh. */
#define BAD_MEMORY(size, m, n, out, call) BAD_MEMORY_IN(world.fresh, size, m, n, out, call)

/* The times that no clock shows are refused. */
#define BAD_TIMES(t, call)                                                                         \
    do {                                                                                           \
        const int64_t far = (INT64_C(1) << 53) + 1, times[] = {far, -far, INT64_MIN, INT64_MAX};   \
        for (int time_index = 0; time_index < 4; time_index++) {                                   \
            const int64_t t = times[time_index];                                                   \
            REFUSED(SUREFILL_ERROR_OUT_OF_RANGE, call);                                            \
        }                                                                                          \
    } while (0)

/* Sizes of the structure that no version has, where the call writes at least this many bytes of it. */
#define BAD_SIZES(structure, least, call)                                                            \
    do {                                                                                             \
        const uint32_t sizes[] = {0, 1, (least)-1, 4097, UINT32_MAX}, good = (structure)->struct_size; \
        for (int i = 0; i < 5; i++) {                                                                \
            (structure)->struct_size = sizes[i];                                                     \
            REFUSED(WRONG_SIZE(sizes[i]), call);                                                     \
        }                                                                                            \
        (structure)->struct_size = good;                                                             \
    } while (0)

/* sweep_pass.c: one function for each exported one. */
void sweep_bins_init(void);
void sweep_bins_init_default(void);
void sweep_bins_init_covering(void);
void sweep_bins_count(void);
void sweep_bins_index(void);
void sweep_bins_edges(void);
void sweep_distribution_init_counts(void);
void sweep_distribution_init_samples(void);
void sweep_distribution_init_single(void);
void sweep_distribution_recalculate(void);
void sweep_distribution_remaining(void);
void sweep_distribution_quantile(void);
void sweep_pass_capacity_init(void);
void sweep_rule_init(void);
void sweep_pass_size(void);
void sweep_pass_init(void);
void sweep_pass_begin(void);
void sweep_pass_add_running(void);
void sweep_pass_add_candidate(void);
void sweep_pass_add_running_many(void);
void sweep_pass_add_candidates_many(void);
void sweep_pass_decide(void);
void sweep_pass_commit(void);
void sweep_pass_judgement(void);
void sweep_pass_idle(void);
void sweep_pass_free_probability(void);
void sweep_pass_head_start_quantile(void);
void sweep_pass_head_start_quantiles(void);

/* sweep_forecast.c: one function for each exported one. */
void sweep_forecast_capacity_init(void);
void sweep_forecast_options_init(void);
void sweep_forecast_size(void);
void sweep_forecast_init(void);
void sweep_forecast_begin(void);
void sweep_forecast_add_running(void);
void sweep_forecast_add_waiting(void);
void sweep_forecast_run(void);
void sweep_forecast_start_quantile(void);
void sweep_forecast_start_probability(void);
void sweep_forecast_start_mean(void);

/* sweep_nodes.c: one function for each exported one. */
void sweep_nodes_capacity_init(void);
void sweep_request_init(void);
void sweep_nodes_size(void);
void sweep_nodes_init(void);
void sweep_nodes_seal(void);
void sweep_nodes_open(void);
void sweep_nodes_add_class(void);
void sweep_nodes_add_nodes(void);
void sweep_nodes_set_open(void);
void sweep_nodes_free(void);
void sweep_nodes_place(void);
void sweep_nodes_allocate(void);
void sweep_nodes_release(void);
void sweep_nodes_placement(void);
void make_nodes(void);

/* sweep_node_pass.c: one function for each exported one. */
void sweep_node_pass_capacity_init(void);
void sweep_node_pass_size(void);
void sweep_node_pass_init(void);
void sweep_node_pass_begin(void);
void sweep_node_pass_add_running(void);
void sweep_node_pass_add_candidate(void);
void sweep_node_pass_add_placed(void);
void sweep_node_pass_decide(void);
void sweep_node_pass_commit(void);
void sweep_node_pass_judgement(void);
void sweep_node_pass_placement(void);
void make_node_passes(void);

/* sweep_node_forecast.c: one function for each exported one. */
void sweep_node_forecast_capacity_init(void);
void sweep_node_forecast_size(void);
void sweep_node_forecast_init(void);
void sweep_node_forecast_begin(void);
void sweep_node_forecast_add_running(void);
void sweep_node_forecast_add_waiting(void);
void sweep_node_forecast_run(void);
void sweep_node_forecast_start_quantile(void);
void sweep_node_forecast_start_probability(void);
void make_node_forecasts(void);

/* sweep_hmm.c: one function for each exported one. */
void sweep_hmm_capacity_init(void);
void sweep_hmm_size(void);
void sweep_hmm_init(void);
void sweep_hmm_seal(void);
void sweep_hmm_open(void);
void sweep_hmm_set_parameters(void);
void sweep_hmm_parameters(void);
void sweep_hmm_init_static(void);
void sweep_hmm_halve_slots(void);
void sweep_hmm_observe(void);
void sweep_hmm_extend(void);
void sweep_hmm_slots(void);
void sweep_hmm_log_likelihood(void);
void sweep_hmm_filter(void);
void sweep_hmm_viterbi(void);
void sweep_hmm_begin_training(void);
void sweep_hmm_train(void);

/* sweep_online.c */
void sweep_online_hmm_options_init(void);
void sweep_online_hmm_size(void);
void sweep_online_hmm_init(void);
void sweep_online_hmm_seal(void);
void sweep_online_hmm_open(void);
void sweep_online_hmm_learn(void);
void sweep_online_hmm_probabilities(void);
void sweep_online_hmm_slots(void);
void sweep_online_hmm_parameters(void);

/* sweep_predictor.c */
void sweep_predictor_options_init(void);
void sweep_predictor_size(void);
void sweep_predictor_init(void);
void sweep_predictor_seal(void);
void sweep_predictor_open(void);
void sweep_predictor_submit(void);
void sweep_predictor_start(void);
void sweep_predictor_end(void);
void sweep_predictor_cancel(void);
void sweep_predictor_learn(void);
void sweep_predictor_set_clock(void);
void sweep_predictor_jobs(void);
void sweep_predictor_predict(void);
void sweep_predictor_probabilities(void);
void sweep_predictor_said(void);
void sweep_predictor_predict_job(void);
void sweep_predictor_wants_training(void);
void sweep_predictor_train(void);
void sweep_predictor_set_model(void);
void sweep_predictor_model(void);
void sweep_experts_init(void);

/* sweep_wait.c */
void sweep_wait_capacity_init(void);
void sweep_wait_options_init(void);
void sweep_wait_size(void);
void sweep_wait_init(void);
void sweep_wait_seal(void);
void sweep_wait_open(void);
void sweep_wait_submit(void);
void sweep_wait_start(void);
void sweep_wait_cancel(void);
void sweep_wait_known(void);
void sweep_wait_set_clock(void);
void sweep_wait_jobs(void);
void sweep_wait_recluster(void);
void sweep_wait_predict(void);
void sweep_wait_predict_lower(void);
void sweep_wait_predict_waiting(void);
void sweep_wait_start_probability(void);
void sweep_wait_counts(void);
void sweep_wait_clusters(void);
void sweep_binomial_upper(void);
void sweep_binomial_lower(void);
void sweep_binomial_two_sided(void);
void sweep_binomial_fewest(void);

/* sweep_allocate.c */
void sweep_speedup(void);
void sweep_speedup_fit_run_times(void);
void sweep_lifetime_fit(void);
void sweep_sizing_capacity_init(void);
void sweep_sizing_size(void);
void sweep_sizing_init(void);
void sweep_sizing_begin(void);
void sweep_sizing_add_lifetime(void);
void sweep_sizing_wait(void);
void sweep_sizing_free_probability(void);
void sweep_choice_options_init(void);
void sweep_sizing_choose(void);
void sweep_choice_start(void);

/* sweep_engine.c */
void sweep_hash(void);
void sweep_scheduler_capacity_init(void);
void sweep_scheduler_size(void);
void sweep_scheduler_init(void);
void sweep_scheduler_grow(void);
void sweep_scheduler_seal(void);
void sweep_scheduler_open(void);
void sweep_scheduler_capacity_of(void);
void sweep_scheduler_configure(void);
void sweep_scheduler_words(void);
void sweep_scheduler_set_pool(void);
void sweep_scheduler_set_queue(void);
void make_schedulers(void);
void bad_capacities(int32_t (*call)(const surefill_scheduler_capacity *capacity));

/* sweep_engine_jobs.c */
void sweep_scheduler_set_job(void);
void sweep_scheduler_set_priority(void);
void sweep_scheduler_list_begin(void);
void sweep_scheduler_list_end(void);
void sweep_scheduler_wake(void);
void sweep_scheduler_run_time(void);
void sweep_scheduler_job(void);
void sweep_scheduler_totals(void);
void sweep_cycle_size(void);
void sweep_cycle_begin(void);
void sweep_cycle_next(void);
void sweep_cycle_holds(void);
void sweep_cycle_started(void);
void sweep_cycle_refused(void);
void sweep_cycle_planned(void);
void sweep_cycle_reason(void);
void sweep_cycle_try(void);
void sweep_scheduler_reason(void);
void sweep_reason_sentence(void);
void sweep_cycle_plan_all(void);
/* sweep_engine_nodes.c */
void sweep_scheduler_set_node(void);
void sweep_scheduler_set_queue_nodes(void);
void sweep_scheduler_set_reservation(void);
void sweep_scheduler_set_licences(void);
void sweep_cycle_parts(void);
void sweep_cycle_close(void);
surefill_scheduler *listing(void);

/* sweep_starts.c */
void sweep_starts_size(void);
void sweep_starts_begin(void);
void sweep_starts_run(void);
void sweep_starts_predicted(void);
void sweep_starts_report(void);
void sweep_starts_probability(void);
void sweep_starts_simplified(void);
void make_starts(void);

/* Makes the world's models, predictors and so on. */
void make_hmms(void);
void make_online_hmms(void);
void make_predictors(void);
void make_waits(void);
void make_sizings(void);

/* Makes the world's forecasts, in the states of their names. */
void make_forecasts(void);

/* Makes the world's passes, in the states of their names. */
void make_passes(void);

#endif
