/* Every exported function with every kind of wrong argument, one at a time: the documented status, and nothing changed.
 *
 * `sweep --list` prints the functions swept, for the comparison with the header; `sweep --accesses` makes the same
 * calls and does not compare what they may not change. Bins and distributions are in sweep_values.c, passes in
 * sweep_pass.c, machines of nodes in sweep_nodes.c, sweep_node_pass.c and
 * sweep_node_forecast.c, forecasts in sweep_forecast.c, models in sweep_hmm.c and sweep_online.c, predictors in
 * sweep_predictor.c, waits in sweep_wait.c, sizes in sweep_allocate.c, schedulers and their cycles in
 * sweep_engine.c and sweep_engine_jobs.c, forecasts of their starts in sweep_starts.c. */
#include "sweep.h"

struct world world, before;
struct schedulers schedulers, schedulers_before;
struct starts starts, starts_before;
int comparing = 1;

/* Every block begins with 8 bytes of magic, its kind and its version in 4 bytes each, and its size in 8. */
enum { VERSION_OFFSET = 12, SIZE_OFFSET = 16, CONTENT_OFFSET = 24 };

int bad_handles(enum kind kind, int null_is_bad, struct bad_handle bad[BAD_HANDLES]) {
    void *const objects[KINDS] = {world.bins,      world.distribution, world.filling_pass, world.hmm,
                                  world.predictor, world.wait,  world.sizing,
                                  world.online_hmm, world.done_forecast,
                                  world.nodes, world.filling_node_pass,
                                  world.done_node_forecast, schedulers.scheduler, schedulers.cycle, starts.done};
    const size_t sizes[KINDS] = {sizeof world.bins, sizeof world.distribution,
                                 sizeof world.filling_pass, sizeof world.hmm, sizeof world.predictor,
                                 sizeof world.wait, sizeof world.sizing,
                                 sizeof world.online_hmm, sizeof world.done_forecast,
                                 sizeof world.nodes, sizeof world.filling_node_pass, sizeof world.done_node_forecast,
                                 sizeof schedulers.scheduler, sizeof schedulers.cycle, sizeof starts.done};
    int count = 0;
    if (null_is_bad) bad[count++] = (struct bad_handle){NULL, SUREFILL_ERROR_NULL};
    bad[count++] = (struct bad_handle){ODD(objects[kind]), SUREFILL_ERROR_MISALIGNED};
    bad[count++] = (struct bad_handle){HALF(objects[kind]), SUREFILL_ERROR_MISALIGNED};
    bad[count++] = (struct bad_handle){world.zeros, SUREFILL_ERROR_WRONG_OBJECT};
    bad[count++] = (struct bad_handle){world.garbage, SUREFILL_ERROR_WRONG_OBJECT};
    for (int other = 0; other < KINDS; other++)
        if (other != (int)kind) bad[count++] = (struct bad_handle){objects[other], SUREFILL_ERROR_WRONG_OBJECT};

    /* Copies of another version and of the other byte order, of which but the header is looked at, and damaged ones. */
    int64_t *damaged[3];
    for (int i = 0; i < 3; i++)
        damaged[i] = kind == KIND_SCHEDULER ? schedulers.damaged[i]
                     : kind == KIND_STARTS  ? starts.damaged[i]
                                            : world.damaged[i];
    memcpy(world.other_version, objects[kind], sizeof world.other_version);
    ((unsigned char *)world.other_version)[VERSION_OFFSET]++;
    bad[count++] = (struct bad_handle){world.other_version, SUREFILL_ERROR_WRONG_VERSION};
    memcpy(world.foreign, objects[kind], sizeof world.foreign);
    for (int i = 0; i < 8; i++) ((char *)world.foreign)[i] = ((const char *)objects[kind])[7 - i];
    bad[count++] = (struct bad_handle){world.foreign, SUREFILL_ERROR_FOREIGN_BYTE_ORDER};
    for (int i = 0; i < 3; i++) memcpy(damaged[i], objects[kind], sizes[kind]);
    const double nan = NAN;
    switch (kind) {
    case KIND_BINS: /* ratio, its logarithm, count, edges */
        damaged[0][CONTENT_OFFSET / 8 + 2] = 0;
        damaged[1][CONTENT_OFFSET / 8 + 2] = SUREFILL_MAX_BINS + 1;
        memcpy(&damaged[2][CONTENT_OFFSET / 8 + 4], &nan, sizeof nan);
        break;
    case KIND_DISTRIBUTION: /* all bytes set: no shape, count or probability is valid */
        for (int i = 0; i < 3; i++)
            memset((char *)damaged[i] + CONTENT_OFFSET, 0xff - i, sizes[kind] - CONTENT_OFFSET);
        break;
    case KIND_HMM:
    case KIND_PREDICTOR:
    case KIND_WAIT:
    case KIND_SIZING:
    case KIND_ONLINE_HMM:
    case KIND_FORECAST:
    case KIND_NODES:
    case KIND_NODE_PASS:
    case KIND_NODE_FORECAST:
    case KIND_SCHEDULER:
    case KIND_CYCLE:
    case KIND_STARTS:
    case KIND_PASS: /* a size that its capacity does not have; a capacity out of range */
        damaged[0][SIZE_OFFSET / 8]++;
        damaged[1][SIZE_OFFSET / 8] = INT64_MIN;
        memset((char *)damaged[2] + CONTENT_OFFSET, 0xff, 24);
        break;
    case KINDS:
        break;
    }
    for (int i = 0; i < 3; i++) bad[count++] = (struct bad_handle){damaged[i], SUREFILL_ERROR_CORRUPT};
    return count;
}

static void make_world(void) {
    surefill_bins *bins;
    surefill_distribution *made;
    const double counts[SUREFILL_MAX_BINS] = {1, 1, 1, 1};
    CHECK_OK(surefill_bins_init(world.bins, sizeof world.bins, 10, 10, 4, &bins));
    CHECK_OK(surefill_bins_init(world.wide_bins, sizeof world.wide_bins, 1, 1.25, SUREFILL_MAX_BINS, &bins));
    CHECK_OK(surefill_distribution_init_counts(world.distribution, sizeof world.distribution, BINS, counts, 4, &made));
    CHECK_OK(surefill_distribution_init_counts(world.wide_distribution, sizeof world.wide_distribution, bins, counts,
                                               SUREFILL_MAX_BINS, &made));
    unsigned char *garbage = (unsigned char *)world.garbage;
    for (size_t i = 0; i < sizeof world.garbage; i++) garbage[i] = (unsigned char)(i * 151 + 7);
    world.held[0].struct_size = sizeof world.held[0];
    world.round.struct_size = sizeof world.round;
    world.choice.struct_size = sizeof world.choice;
    CHECK_OK(surefill_pass_capacity_init(&world.capacity));
    CHECK_OK(surefill_rule_init(&world.rule));
    for (int i = 0; i < OUTPUTS; i++) world.int64[i] = world.real[0][i] = world.real[1][i] = -77;
    make_passes();
    make_nodes();
    make_node_passes();
    make_forecasts();
    make_node_forecasts();
    make_hmms();
    make_online_hmms();
    make_predictors();
    make_waits();
    make_sizings();
    make_schedulers();
    make_starts();
}

static void sweep_version_number(void) { CHECK(surefill_version_number() == SUREFILL_VERSION_NUMBER); }
static void sweep_abi_version(void) { CHECK(surefill_abi_version() == SUREFILL_ABI_VERSION); }

/* The same of any object; copies of heads alone are enough. */
static void sweep_block_size(void) {
    struct bad_handle bad[BAD_HANDLES];
    const int count = bad_handles(KIND_BINS, 1, bad);
    for (int i = 0; i < count; i++)
        if (bad[i].status != SUREFILL_ERROR_CORRUPT && (i < 5 || i >= 5 + KINDS - 1))
            REFUSED(bad[i].status, surefill_block_size(bad[i].handle, &world.int64[0]));
    BAD_POINTER(p, world.int64, surefill_block_size(BINS, p));
    CHECK_OK(surefill_block_size(BINS, &world.int64[0]));
    CHECK(world.int64[0] == SUREFILL_BINS_SIZE);
    int64_t size;
    CHECK_OK(surefill_scheduler_size(&world.scheduler_capacity, &size));
    CHECK_OK(surefill_block_size(SCHEDULER, &world.int64[0]));
    CHECK(world.int64[0] == size);
}

static void sweep_status_name(void) {
    CHECK(strcmp(surefill_status_name(SUREFILL_OK), "SUREFILL_OK") == 0);
    CHECK(strcmp(surefill_status_name(SUREFILL_ERROR_NULL), "SUREFILL_ERROR_NULL") == 0);
    CHECK(strcmp(surefill_status_name(SUREFILL_ERROR_NEVER), "SUREFILL_ERROR_NEVER") == 0);
    const int32_t unknown[] = {1, SUREFILL_ERROR_DELAY_ON_NODES - 1, INT32_MIN, INT32_MAX};
    for (int i = 0; i < 4; i++) CHECK(strcmp(surefill_status_name(unknown[i]), "unknown status") == 0);
}

/* The meaning of each number is compared with the header's constants in tests/capi.rs. */
static void sweep_names(int32_t family, int32_t first, const char *const *words) {
    const int32_t unknown[] = {-1, INT32_MIN, INT32_MAX};
    for (; *words != NULL; words++) CHECK(strcmp(surefill_name(family, first++), *words) == 0);
    CHECK(strcmp(surefill_name(family, first), "unknown") == 0);
    for (int i = 0; i < 3; i++) CHECK(strcmp(surefill_name(family, unknown[i]), "unknown") == 0);
}

#define NAMES(family, first, ...)                               \
    do {                                                        \
        const char *const words[] = {__VA_ARGS__, NULL};        \
        sweep_names(SUREFILL_NAME_##family, first, words);      \
    } while (0)

static void sweep_name(void) {
    NAMES(STEP, 0, "idle", "more", "done", "accept");
    NAMES(CRITERION, 0, "probability", "bound", "seconds", "relative");
    NAMES(VERDICT, 0, "undecided", "accepted", "refused", "over budget", "does not fit", "declined", "guarded",
        "head never");
    NAMES(DELAY, 0, "exact", "at least", "at most", "estimate", "not measured");
    NAMES(DELAY_SIGN, 0, "=", ">=", "<=", "~", "?");
    NAMES(ANSWER, 0, "bound", "too little history", "may be down", "exceeded");
    NAMES(PREDICTION, 0, "made", "nothing learnt", "initial period", "initial jobs", "untrained", "unexplained");
    NAMES(PREDICTOR, 1, "mixture", "user", "hmm", "hmm online", "contexts");
    NAMES(FIT, 0, "first", "best", "apart");
    NAMES(SPREAD, 0, "nodes", "tasks");
    const int32_t none[] = {-1, SUREFILL_NAME_SPREAD + 1, INT32_MIN, INT32_MAX};
    for (int i = 0; i < 4; i++) CHECK(strcmp(surefill_name(none[i], 1), "unknown") == 0);
}

static void sweep_status_text(void) {
    for (int32_t status = SUREFILL_OK; status >= SUREFILL_ERROR_DOES_NOT_FIT; status--) {
        const char *text = surefill_status_text(status);
        CHECK(strlen(text) > 3 && text[strlen(text) - 1] != '.' && strcmp(text, "unknown status") != 0);
    }
    CHECK(strcmp(surefill_status_text(INT32_MIN), "unknown status") == 0);
}

#define SWEEP(name) {"surefill_" #name, sweep_##name}
static const struct {
    const char *name;
    void (*sweep)(void);
} sweeps[] = {SWEEP(version_number),
              SWEEP(abi_version),
              SWEEP(block_size),
              SWEEP(status_name),
              SWEEP(status_text),
              SWEEP(name),
              SWEEP(bins_init),
              SWEEP(bins_init_default),
              SWEEP(bins_init_covering),
              SWEEP(bins_count),
              SWEEP(bins_index),
              SWEEP(bins_edges),
              SWEEP(distribution_init_counts),
              SWEEP(distribution_init_samples),
              SWEEP(distribution_init_single),
              SWEEP(distribution_recalculate),
              SWEEP(distribution_remaining),
              SWEEP(distribution_quantile),
              SWEEP(pass_capacity_init),
              SWEEP(rule_init),
              SWEEP(pass_size),
              SWEEP(pass_init),
              SWEEP(pass_begin),
              SWEEP(pass_add_running),
              SWEEP(pass_add_candidate),
              SWEEP(pass_add_running_many),
              SWEEP(pass_add_candidates_many),
              SWEEP(pass_decide),
              SWEEP(pass_commit),
              SWEEP(pass_judgement),
              SWEEP(pass_idle),
              SWEEP(pass_free_probability),
              SWEEP(pass_head_start_quantile), SWEEP(pass_head_start_quantiles),
              SWEEP(nodes_capacity_init),
              SWEEP(request_init),
              SWEEP(nodes_size),
              SWEEP(nodes_init),
              SWEEP(nodes_seal),
              SWEEP(nodes_open),
              SWEEP(nodes_add_class),
              SWEEP(nodes_add_nodes),
              SWEEP(nodes_set_open),
              SWEEP(nodes_free),
              SWEEP(nodes_place),
              SWEEP(nodes_allocate),
              SWEEP(nodes_release),
              SWEEP(nodes_placement),
              SWEEP(node_pass_capacity_init),
              SWEEP(node_pass_size),
              SWEEP(node_pass_init),
              SWEEP(node_pass_begin),
              SWEEP(node_pass_add_running),
              SWEEP(node_pass_add_candidate),
              SWEEP(node_pass_add_placed),
              SWEEP(node_pass_decide),
              SWEEP(node_pass_commit),
              SWEEP(node_pass_judgement),
              SWEEP(node_pass_placement),
              SWEEP(node_forecast_capacity_init),
              SWEEP(node_forecast_size),
              SWEEP(node_forecast_init),
              SWEEP(node_forecast_begin),
              SWEEP(node_forecast_add_running),
              SWEEP(node_forecast_add_waiting),
              SWEEP(node_forecast_run),
              SWEEP(node_forecast_start_quantile),
              SWEEP(node_forecast_start_probability),
              SWEEP(forecast_capacity_init),
              SWEEP(forecast_options_init),
              SWEEP(forecast_size),
              SWEEP(forecast_init),
              SWEEP(forecast_begin),
              SWEEP(forecast_add_running),
              SWEEP(forecast_add_waiting),
              SWEEP(forecast_run),
              SWEEP(forecast_start_quantile),
              SWEEP(forecast_start_probability),
              SWEEP(forecast_start_mean),
              SWEEP(hmm_capacity_init),
              SWEEP(hmm_size),
              SWEEP(hmm_init),
              SWEEP(hmm_seal),
              SWEEP(hmm_open),
              SWEEP(hmm_set_parameters),
              SWEEP(hmm_parameters),
              SWEEP(hmm_init_static),
              SWEEP(hmm_halve_slots),
              SWEEP(hmm_observe),
              SWEEP(hmm_extend),
              SWEEP(hmm_slots),
              SWEEP(hmm_log_likelihood),
              SWEEP(hmm_filter),
              SWEEP(hmm_viterbi),
              SWEEP(hmm_begin_training),
              SWEEP(hmm_train),
              SWEEP(online_hmm_options_init),
              SWEEP(online_hmm_size),
              SWEEP(online_hmm_init),
              SWEEP(online_hmm_seal),
              SWEEP(online_hmm_open),
              SWEEP(online_hmm_learn),
              SWEEP(online_hmm_probabilities),
              SWEEP(online_hmm_slots),
              SWEEP(online_hmm_parameters),
              SWEEP(predictor_options_init),
              SWEEP(predictor_size),
              SWEEP(predictor_init),
              SWEEP(predictor_seal),
              SWEEP(predictor_open),
              SWEEP(predictor_submit),
              SWEEP(predictor_start),
              SWEEP(predictor_end),
              SWEEP(predictor_cancel),
              SWEEP(predictor_learn),
              SWEEP(predictor_set_clock),
              SWEEP(predictor_jobs),
              SWEEP(predictor_predict),
              SWEEP(predictor_probabilities),
              SWEEP(predictor_said),
              SWEEP(predictor_predict_job),
              SWEEP(predictor_wants_training),
              SWEEP(predictor_train),
              SWEEP(predictor_set_model),
              SWEEP(predictor_model),
              SWEEP(experts_init),
              SWEEP(wait_capacity_init),
              SWEEP(wait_options_init),
              SWEEP(wait_size),
              SWEEP(wait_init),
              SWEEP(wait_seal),
              SWEEP(wait_open),
              SWEEP(wait_submit),
              SWEEP(wait_start),
              SWEEP(wait_cancel),
              SWEEP(wait_known),
              SWEEP(wait_set_clock),
              SWEEP(wait_jobs),
              SWEEP(wait_recluster),
              SWEEP(wait_predict),
              SWEEP(wait_predict_lower),
              SWEEP(wait_predict_waiting),
              SWEEP(wait_start_probability),
              SWEEP(wait_counts),
              SWEEP(wait_clusters),
              SWEEP(binomial_upper),
              SWEEP(binomial_lower),
              SWEEP(binomial_two_sided),
              SWEEP(binomial_fewest),
              SWEEP(speedup),
              SWEEP(speedup_fit_run_times),
              SWEEP(lifetime_fit),
              SWEEP(sizing_capacity_init),
              SWEEP(sizing_size),
              SWEEP(sizing_init),
              SWEEP(sizing_begin),
              SWEEP(sizing_add_lifetime),
              SWEEP(sizing_wait),
              SWEEP(sizing_free_probability),
              SWEEP(choice_options_init),
              SWEEP(sizing_choose),
              SWEEP(choice_start),
              SWEEP(hash),
              SWEEP(scheduler_capacity_init),
              SWEEP(scheduler_size),
              SWEEP(scheduler_init),
              SWEEP(scheduler_grow),
              SWEEP(scheduler_seal),
              SWEEP(scheduler_open),
              SWEEP(scheduler_capacity_of),
              SWEEP(scheduler_configure),
              SWEEP(scheduler_words),
              SWEEP(scheduler_set_pool),
              SWEEP(scheduler_set_queue),
              SWEEP(scheduler_set_job),
              SWEEP(scheduler_set_priority),
              SWEEP(scheduler_list_begin),
              SWEEP(scheduler_list_end),
              SWEEP(scheduler_wake),
              SWEEP(scheduler_set_node),
              SWEEP(scheduler_set_queue_nodes),
              SWEEP(scheduler_set_reservation),
              SWEEP(scheduler_set_licences),
              SWEEP(cycle_parts),
              SWEEP(scheduler_run_time),
              SWEEP(scheduler_job),
              SWEEP(scheduler_totals),
              SWEEP(cycle_size),
              SWEEP(cycle_begin),
              SWEEP(cycle_next),
              SWEEP(cycle_holds),
              SWEEP(cycle_started),
              SWEEP(cycle_refused),
              SWEEP(cycle_planned),
              SWEEP(cycle_plan_all),
              SWEEP(cycle_reason),
              SWEEP(cycle_try),
              SWEEP(scheduler_reason),
              SWEEP(reason_sentence),
              SWEEP(cycle_close),
              SWEEP(starts_size),
              SWEEP(starts_begin),
              SWEEP(starts_run),
              SWEEP(starts_predicted),
              SWEEP(starts_report),
              SWEEP(starts_probability),
              SWEEP(starts_simplified)};

int main(int argc, char **argv) {
    const int list = argc > 1 && strcmp(argv[1], "--list") == 0;
    comparing = argc == 1;
    if (!list) make_world();
    for (size_t i = 0; i < sizeof sweeps / sizeof *sweeps; i++) {
        if (list)
            puts(sweeps[i].name);
        else
            sweeps[i].sweep();
    }
    return list ? 0 : checks_done();
}
