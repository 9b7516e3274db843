/* When will every waiting job start on nodes with GPUs that jobs share? The queue played forward on the nodes, over run
 * times that are only known as distributions. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <surefill_parts.h>

#define CHECK(call) check((call), #call)
enum { CORES, GIB, GPUS, KINDS, NODES = 4, WAITING = 3, SCENARIOS = 400 };

static int64_t bins_memory[SUREFILL_BINS_SIZE / 8], runs_memory[SUREFILL_DISTRIBUTION_SIZE / 8];

static void check(int32_t status, const char *call) {
    if (status == SUREFILL_OK) return;
    fprintf(stderr, "%s: %s: %s\n", call, surefill_status_name(status), surefill_status_text(status));
    exit(EXIT_FAILURE);
}

static surefill_request request(int32_t tasks, int32_t cores, int32_t gib, int32_t gpus) {
    surefill_request wish;
    CHECK(surefill_request_init(&wish));
    wish.count = tasks, wish.each[CORES] = cores, wish.each[GIB] = gib, wish.each[GPUS] = gpus;
    return wish;
}

int main(void) {
    const int64_t now = 1000000, hour = 3600, ran[] = {900, 4000, 7000, 9000, 26000}; /* seconds that like jobs ran */
    const int32_t gpu_node[KINDS] = {64, 512, 4};
    surefill_bins *bins;
    surefill_distribution *runs;
    CHECK(surefill_bins_init_default(bins_memory, sizeof bins_memory, &bins));
    CHECK(surefill_distribution_init_samples(runs_memory, sizeof runs_memory, bins, ran, NULL, 5, &runs));

    /* Two GPUs of node 0 and all of node 1 are busy. */
    surefill_nodes_capacity capacity;
    surefill_nodes *nodes;
    int32_t kind, first, job[2];
    int64_t size;
    CHECK(surefill_nodes_capacity_init(&capacity));
    capacity.nodes = NODES, capacity.classes = 1, capacity.jobs = capacity.parts = 16;
    CHECK(surefill_nodes_size(&capacity, &size));
    CHECK(surefill_nodes_init(malloc((size_t)size), size, &capacity, &nodes));
    CHECK(surefill_nodes_add_class(nodes, 0, gpu_node, KINDS, &kind));
    CHECK(surefill_nodes_add_nodes(nodes, kind, NODES, &first));
    const surefill_request half = request(1, 16, 64, 2), whole = request(1, 16, 64, 4);
    CHECK(surefill_nodes_allocate(nodes, &half, &(surefill_part){0, 1}, 1, &job[0]));
    CHECK(surefill_nodes_allocate(nodes, &whole, &(surefill_part){1, 1}, 1, &job[1]));

    surefill_node_forecast_capacity room;
    surefill_forecast_options options;
    surefill_node_forecast *forecast;
    CHECK(surefill_node_forecast_capacity_init(&room));
    room.nodes = NODES, room.classes = 1, room.resources = KINDS, room.running = 2, room.waiting = WAITING;
    room.parts = WAITING * NODES, room.scenarios = SCENARIOS;
    CHECK(surefill_node_forecast_size(&room, &size));
    CHECK(surefill_node_forecast_init(malloc((size_t)size), size, &room, &forecast));
    CHECK(surefill_forecast_options_init(&options));
    /* The order of the queue in force: shorter jobs first, wide ones a little earlier, with ageing. */
    options.queue_run_time = 1, options.queue_processors = -0.3, options.queue_age_unit = 4 * hour, options.queue_age = 2;
    options.scenarios = SCENARIOS;
    CHECK(surefill_node_forecast_begin(forecast, nodes, now, &options));
    CHECK(surefill_node_forecast_add_running(forecast, nodes, job[0], hour, 8 * hour, runs, NULL));
    CHECK(surefill_node_forecast_add_running(forecast, nodes, job[1], 60, 2 * hour, runs, NULL));
    /* The queue: three whole nodes, two GPUs of one node, and a job without GPUs. How wide they are to the
     * queue's order is the number of their cores. */
    const surefill_request queue[WAITING] = {request(3, 32, 256, 4), request(1, 8, 32, 2), request(4, 16, 64, 0)};
    for (int32_t i = 0; i < WAITING; i++)
        CHECK(surefill_node_forecast_add_waiting(forecast, nodes, &queue[i], SUREFILL_FIT_BEST, queue[i].count * queue[i].each[CORES],
                                                 8 * hour, now - 600 + 60 * i, runs, NULL));
    int32_t step;
    do /* Work is bounded: after MORE a scheduler may do something else first. */
        CHECK(surefill_node_forecast_run(forecast, nodes, 10000, &step));
    while (step == SUREFILL_STEP_MORE);
    for (int32_t i = 0; i < WAITING; i++) {
        double half_width, within;
        int64_t when[2];
        CHECK(surefill_node_forecast_start_quantile(forecast, i, 0.5, &when[0], &half_width));
        CHECK(surefill_node_forecast_start_quantile(forecast, i, 0.9, &when[1], &half_width));
        CHECK(surefill_node_forecast_start_probability(forecast, i, now + hour, &within, &half_width));
        printf("job %" PRId32 " 50%%: %6" PRId64 " 90%%: %6" PRId64 " s from now; within an hour: %.3f +- %.3f\n", i, when[0] - now,
               when[1] - now, within, half_width);
    }
    free(forecast);
    free(nodes);
    return 0;
}
