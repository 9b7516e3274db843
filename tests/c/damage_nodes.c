/* A damaged machine of nodes, or pass or forecast on one, is refused, or gives some answer: it never crashes or hangs,
 * and what it answers with SUREFILL_OK is a number. Every byte of the blocks is damaged in turn; `damage_nodes N` does
 * every N-th. */
#include "check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { NOW = 1000, MOST_STEPS = 500, NODE_COUNT = 4, KINDS = 2 };

static int64_t machine[300], pass_memory[12000], good_machine[300], good_pass[12000];
static int64_t forecast_memory[900], good_forecast[900];
static surefill_rule rule;

/* Whether a status is one, and what came with SUREFILL_OK a number. */
static int valid(int32_t status, double answer) {
    return status <= SUREFILL_OK && status >= SUREFILL_ERROR_DOES_NOT_FIT && (status != SUREFILL_OK || !isnan(answer));
}

static surefill_request wish(int32_t count, int32_t cores, int32_t gpus) {
    surefill_request request;
    CHECK_OK(surefill_request_init(&request));
    request.count = count;
    request.each[0] = cores;
    request.each[1] = gpus;
    return request;
}

/* All that can be asked of a pass and its machine. */
static int use(surefill_node_pass *pass, surefill_nodes *nodes) {
    int32_t step = SUREFILL_STEP_MORE, candidate, count, job, scenarios, verdict, amounts[KINDS];
    int32_t status = SUREFILL_OK, sound = 1;
    double delay = 0, half_width = 0;
    surefill_part parts[NODE_COUNT];
    const surefill_request small = wish(2, 4, 1), head = wish(2, 8, 4);
    for (int i = 0; i < MOST_STEPS && step != SUREFILL_STEP_DONE && status == SUREFILL_OK; i++) {
        sound &= valid(status = surefill_node_pass_decide(pass, nodes, &rule, 50, &step, &candidate), 0);
        if (status == SUREFILL_OK && step == SUREFILL_STEP_ACCEPT)
            sound &= valid(status = surefill_node_pass_commit(pass, nodes, candidate, &job), 0);
    }
    for (int32_t i = 0; i < 3; i++) {
        status = surefill_node_pass_judgement(pass, i, &delay, &half_width, &scenarios, &verdict);
        sound &= valid(status, delay) && valid(status, half_width);
        sound &= valid(surefill_node_pass_placement(pass, i, parts, NODE_COUNT, &count), 0);
    }
    for (int32_t node = 0; node < NODE_COUNT; node++) sound &= valid(surefill_nodes_free(nodes, node, amounts, KINDS), 0);
    for (int32_t fit = SUREFILL_FIT_FIRST; fit <= SUREFILL_FIT_APART; fit++)
        sound &= valid(surefill_nodes_place(nodes, &small, fit, parts, NODE_COUNT, &count), 0);
    parts[0].node = 3;
    parts[0].tasks = 2;
    sound &= valid(surefill_nodes_allocate(nodes, &small, parts, 1, &job), 0);
    sound &= valid(surefill_nodes_placement(nodes, 0, parts, NODE_COUNT, &count), 0);
    sound &= valid(surefill_node_pass_begin(pass, nodes, NOW + 1, 8, &head, 0), 0);
    sound &= valid(surefill_node_pass_add_running(pass, nodes, 0, 0, 60, NULL, NULL), 0);
    sound &= valid(surefill_node_pass_add_candidate(pass, nodes, &small, SUREFILL_FIT_APART, 60, NULL, NULL), 0);
    for (int i = 0; i < 3; i++) sound &= valid(surefill_nodes_release(nodes, 2048 * i), 0); /* of places not given back yet */
    sound &= valid(surefill_nodes_set_open(nodes, 0, 0), 0);
    return sound;
}

/* All that can be asked of a forecast and its machine. */
static int forecast_starts(surefill_node_forecast *forecast, surefill_nodes *nodes) {
    int32_t step = SUREFILL_STEP_MORE, status = SUREFILL_OK, sound = 1;
    const surefill_request small = wish(2, 4, 1);
    surefill_forecast_options options;
    for (int i = 0; i < MOST_STEPS && step != SUREFILL_STEP_DONE && status == SUREFILL_OK; i++)
        sound &= valid(status = surefill_node_forecast_run(forecast, nodes, 50, &step), 0);
    for (int32_t i = 0; i < 3; i++) {
        int64_t when;
        double value = 0, half_width = 0;
        status = surefill_node_forecast_start_quantile(forecast, i, 0.5, &when, &half_width);
        sound &= valid(status, half_width);
        status = surefill_node_forecast_start_probability(forecast, i, NOW + 500, &value, &half_width);
        sound &= valid(status, value) && valid(status, half_width);
    }
    CHECK_OK(surefill_forecast_options_init(&options));
    options.scenarios = 4;
    sound &= valid(surefill_node_forecast_begin(forecast, nodes, NOW + 1, &options), 0);
    sound &= valid(surefill_node_forecast_add_running(forecast, nodes, 0, 0, 60, NULL, NULL), 0);
    sound &= valid(surefill_node_forecast_add_waiting(forecast, nodes, &small, SUREFILL_FIT_APART, 4, 60, NOW, NULL, NULL), 0);
    sound &= valid(surefill_node_forecast_run(forecast, nodes, 100, &step), 0);
    return sound;
}

/* Damages every byte of a forecast in the middle of its run, and of its machine. */
static void damage_forecast(int64_t every, int64_t machine_size, const int32_t job[2], const surefill_distribution *runs) {
    const surefill_request half = wish(1, 4, 2), head = wish(4, 8, 0);
    const int32_t fits[] = {SUREFILL_FIT_BEST, SUREFILL_FIT_BEST, SUREFILL_FIT_APART};
    surefill_nodes *nodes = (surefill_nodes *)good_machine;
    surefill_node_forecast_capacity room;
    surefill_forecast_options options;
    surefill_node_forecast *forecast;
    int64_t size;
    int32_t step;
    CHECK_OK(surefill_node_forecast_capacity_init(&room));
    room.nodes = NODE_COUNT;
    room.classes = 1;
    room.resources = KINDS;
    room.running = room.waiting = room.scenarios = room.bins = 4;
    room.parts = 8;
    room.events_per_bin = 2;
    CHECK_OK(surefill_node_forecast_size(&room, &size));
    CHECK(size <= (int64_t)sizeof good_forecast);
    CHECK_OK(surefill_node_forecast_init(good_forecast, sizeof good_forecast, &room, &forecast));
    CHECK_OK(surefill_forecast_options_init(&options));
    options.scenarios = 4;
    CHECK_OK(surefill_node_forecast_begin(forecast, nodes, NOW, &options));
    for (int i = 0; i < 2; i++) CHECK_OK(surefill_node_forecast_add_running(forecast, nodes, job[i], 10, 5000, runs, NULL));
    for (int i = 0; i < 3; i++)
        CHECK_OK(surefill_node_forecast_add_waiting(forecast, nodes, i == 0 ? &head : &half, fits[i], 8, 700 + i, NOW, runs, NULL));
    CHECK_OK(surefill_node_forecast_run(forecast, nodes, 60, &step));
    CHECK(step == SUREFILL_STEP_MORE);
    memcpy(machine, good_machine, sizeof machine);
    memcpy(forecast_memory, good_forecast, sizeof forecast_memory);
    CHECK(forecast_starts((surefill_node_forecast *)forecast_memory, (surefill_nodes *)machine));
    for (int64_t i = 0; i < machine_size + size; i += every) {
        for (int how = 0; how < 3; how++) {
            memcpy(machine, good_machine, sizeof machine);
            memcpy(forecast_memory, good_forecast, sizeof forecast_memory);
            unsigned char *byte = i < machine_size ? (unsigned char *)machine + i : (unsigned char *)forecast_memory + i - machine_size;
            *byte = (unsigned char)(how == 0 ? 0xff : how == 1 ? *byte ^ 0x80 : *byte + 1);
            CHECK(forecast_starts((surefill_node_forecast *)forecast_memory, (surefill_nodes *)machine));
        }
    }
}

int main(int argc, char **argv) {
    const int64_t every = argc > 1 ? atoll(argv[1]) : 1;
    const double counts[] = {1, 2, 3, 1};
    static int64_t bins_memory[SUREFILL_BINS_SIZE / 8], runs_memory[SUREFILL_DISTRIBUTION_SIZE / 8];
    const int32_t amounts[KINDS] = {8, 4};
    const surefill_request half = wish(1, 4, 2), whole = wish(2, 8, 0), head = wish(4, 8, 0);
    const surefill_part one[] = {{0, 1}}, two[] = {{1, 1}, {2, 1}};
    surefill_bins *bins;
    surefill_distribution *runs;
    surefill_nodes_capacity capacity;
    surefill_node_pass_capacity room;
    surefill_nodes *nodes;
    surefill_node_pass *pass;
    int64_t sizes[2];
    int32_t kind, first, job[2], step, candidate;
    CHECK_OK(surefill_bins_init(bins_memory, sizeof bins_memory, 10, 10, 4, &bins));
    CHECK_OK(surefill_distribution_init_counts(runs_memory, sizeof runs_memory, bins, counts, 4, &runs));
    CHECK_OK(surefill_nodes_capacity_init(&capacity));
    capacity.nodes = NODE_COUNT;
    capacity.classes = 1;
    capacity.resources = KINDS;
    capacity.jobs = 5;
    capacity.parts = 10;
    CHECK_OK(surefill_nodes_size(&capacity, &sizes[0]));
    CHECK(sizes[0] <= (int64_t)sizeof machine);
    CHECK_OK(surefill_nodes_init(good_machine, sizeof good_machine, &capacity, &nodes));
    CHECK_OK(surefill_nodes_add_class(nodes, 0, amounts, KINDS, &kind));
    CHECK_OK(surefill_nodes_add_nodes(nodes, kind, NODE_COUNT, &first));
    CHECK_OK(surefill_nodes_allocate(nodes, &half, one, 1, &job[0]));
    CHECK_OK(surefill_nodes_allocate(nodes, &whole, two, 2, &job[1]));
    CHECK_OK(surefill_node_pass_capacity_init(&room));
    room.nodes = NODE_COUNT;
    room.resources = KINDS;
    room.running = room.candidates = 4;
    room.parts = 8;
    room.bins = 4;
    room.events_per_bin = 2;
    CHECK_OK(surefill_node_pass_size(&room, &sizes[1]));
    CHECK(sizes[1] <= (int64_t)sizeof pass_memory);
    damage_forecast(every, sizes[0], job, runs);
    for (int32_t criterion = 0; criterion < 4; criterion++) {
        if (criterion == SUREFILL_CRITERION_BOUND) continue;
        CHECK_OK(surefill_rule_init(&rule));
        rule.criterion = criterion;
        CHECK_OK(surefill_node_pass_init(good_pass, sizeof good_pass, &room, &pass));
        CHECK_OK(surefill_node_pass_begin(pass, nodes, NOW, 7, &head, 0));
        CHECK_OK(surefill_node_pass_add_running(pass, nodes, job[0], 10, 5000, runs, NULL));
        CHECK_OK(surefill_node_pass_add_running(pass, nodes, job[1], 20, 900, runs, NULL));
        CHECK_OK(surefill_node_pass_add_candidate(pass, nodes, &half, SUREFILL_FIT_BEST, 5000, runs, NULL));
        CHECK_OK(surefill_node_pass_add_candidate(pass, nodes, &half, SUREFILL_FIT_APART, 50000, runs, NULL));
        CHECK_OK(surefill_node_pass_add_candidate(pass, nodes, &half, SUREFILL_FIT_FIRST, 300, NULL, NULL));
        /* In the middle of a decision, where there is most to damage. */
        CHECK_OK(surefill_node_pass_decide(pass, nodes, &rule, 1, &step, &candidate));
        memcpy(machine, good_machine, sizeof machine);
        memcpy(pass_memory, good_pass, sizeof pass_memory);
        CHECK(use((surefill_node_pass *)pass_memory, (surefill_nodes *)machine));
        for (int which = 0; which < 2; which++) {
            /* Most of a pass are scenarios that it keeps, all alike. */
            for (int64_t i = 0; i < sizes[which]; i += i < 8000 ? every : 37 * every) {
                for (int how = 0; how < 3; how++) {
                    memcpy(machine, good_machine, sizeof machine);
                    memcpy(pass_memory, good_pass, sizeof pass_memory);
                    unsigned char *byte = (unsigned char *)(which == 0 ? machine : pass_memory) + i;
                    *byte = (unsigned char)(how == 0 ? 0xff : how == 1 ? *byte ^ 0x80 : *byte + 1);
                    CHECK(use((surefill_node_pass *)pass_memory, (surefill_nodes *)machine));
                }
            }
        }
    }
    return checks_done();
}
