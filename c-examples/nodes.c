/* Nodes with GPUs, shared by jobs: may a small job overtake the head of the queue, and on which nodes? Then the machine
 * outlives its program, a job ends, and a node is closed. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <surefill_parts.h>

#define CHECK(call) check((call), #call)
enum { CORES, GIB, GPUS, KINDS, NODES = 4 };

static int64_t bins_memory[SUREFILL_BINS_SIZE / 8], runs_memory[SUREFILL_DISTRIBUTION_SIZE / 8];
static int64_t nodes_memory[1000], file[1000]; /* aligned to 8 bytes */

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

    surefill_nodes_capacity capacity;
    surefill_nodes *nodes;
    int32_t kind, first, job[2];
    CHECK(surefill_nodes_capacity_init(&capacity));
    capacity.nodes = NODES, capacity.classes = 1, capacity.jobs = capacity.parts = 16;
    CHECK(surefill_nodes_init(nodes_memory, sizeof nodes_memory, &capacity, &nodes));
    CHECK(surefill_nodes_add_class(nodes, 0, gpu_node, KINDS, &kind));
    CHECK(surefill_nodes_add_nodes(nodes, kind, NODES, &first));

    /* Two GPUs of node 0 and all of node 1 are busy. The head job wants three nodes with four GPUs each. */
    const surefill_request half = request(1, 16, 64, 2), whole = request(1, 16, 64, 4), head = request(3, 32, 256, 4);
    surefill_part part;
    int32_t step, candidate, started, parts, scenarios, verdict;
    CHECK(surefill_nodes_place(nodes, &half, SUREFILL_FIT_FIRST, &part, 1, &parts)); /* parts: 0 where it does not fit */
    CHECK(surefill_nodes_allocate(nodes, &half, &part, parts, &job[0]));
    CHECK(surefill_nodes_place(nodes, &whole, SUREFILL_FIT_FIRST, &part, 1, &parts));
    CHECK(surefill_nodes_allocate(nodes, &whole, &part, parts, &job[1]));
    surefill_node_pass_capacity room;
    surefill_node_pass *pass;
    int64_t size;
    CHECK(surefill_node_pass_capacity_init(&room));
    room.nodes = NODES, room.running = room.candidates = room.parts = 8;
    CHECK(surefill_node_pass_size(&room, &size));
    CHECK(surefill_node_pass_init(malloc((size_t)size), size, &room, &pass));
    CHECK(surefill_node_pass_begin(pass, nodes, now, 7, &head, 600));
    CHECK(surefill_node_pass_add_running(pass, nodes, job[0], hour, 8 * hour, runs, NULL));
    CHECK(surefill_node_pass_add_running(pass, nodes, job[1], 60, 2 * hour, runs, NULL));

    /* The same candidate twice: where a scheduler that knows of no head job put it, and where it disturbs least. */
    const surefill_request small = request(1, 8, 32, 1);
    CHECK(surefill_node_pass_add_placed(pass, nodes, &small, &(surefill_part){2, 1}, 1, 8 * hour, runs, NULL));
    CHECK(surefill_node_pass_add_candidate(pass, nodes, &small, SUREFILL_FIT_APART, 8 * hour, runs, NULL));
    surefill_rule rule;
    CHECK(surefill_rule_init(&rule));
    rule.criterion = SUREFILL_CRITERION_PROBABILITY, rule.threshold = 0.6, rule.or_easy = 0;
    do { /* Work is bounded: after SUREFILL_STEP_MORE a scheduler may do something else first. */
        CHECK(surefill_node_pass_decide(pass, nodes, &rule, 10000, &step, &candidate));
        if (step == SUREFILL_STEP_ACCEPT) CHECK(surefill_node_pass_commit(pass, nodes, candidate, &started));
    } while (step != SUREFILL_STEP_DONE);
    for (candidate = 0; candidate < 2; candidate++) {
        double delay, half_width;
        CHECK(surefill_node_pass_judgement(pass, candidate, &delay, &half_width, &scenarios, &verdict));
        CHECK(surefill_node_pass_placement(pass, candidate, &part, 1, &parts));
        printf("on node %" PRId32 ": delays the head job with probability %.3f +- %.3f: %s\n", part.node, delay, half_width,
               surefill_name(SUREFILL_NAME_VERDICT, verdict));
    }

    /* The sealed block is written, and read by the next program; the numbers of the jobs are what they were. */
    int32_t amounts[KINDS];
    CHECK(surefill_nodes_seal(nodes));
    memcpy(file, nodes_memory, sizeof file);
    CHECK(surefill_nodes_open(file, sizeof file, &nodes));
    CHECK(surefill_nodes_placement(nodes, job[0], &part, 1, &parts));
    CHECK(surefill_nodes_release(nodes, job[0]));
    CHECK(surefill_nodes_free(nodes, part.node, amounts, KINDS));
    CHECK(surefill_nodes_set_open(nodes, part.node, 0)); /* to be repaired: nothing more starts there */
    CHECK(surefill_nodes_place(nodes, &whole, SUREFILL_FIT_FIRST, &part, 1, &parts));
    printf("job 0 has ended: %" PRId32 " GPUs free there; with that node closed ", amounts[GPUS]);
    printf(parts > 0 ? "the next is node %" PRId32 "\n" : "no node is left\n", part.node);
    free(pass);
    return 0;
}
