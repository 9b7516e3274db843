/* When would a job start if it were submitted now, on how many nodes, with how many licences? Asked of a scheduler that
 * knows a machine of four nodes and its queue; nothing is submitted. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <surefill.h>

#define CHECK(call) check((call), #call)
enum { NODES = 4, CORES = 64 };

static void check(int32_t status, const char *call) {
    if (status == SUREFILL_OK) return;
    fprintf(stderr, "%s: %s: %s\n", call, surefill_status_name(status), surefill_status_text(status));
    exit(EXIT_FAILURE);
}

static void *room(int64_t size) {
    void *memory = malloc((size_t)size);
    if (memory == NULL) exit(EXIT_FAILURE);
    return memory;
}

static const int64_t now = 1000000, hour = 3600;
static surefill_scheduler *scheduler;
static int32_t pool, queue;

/* A job that has whole nodes, and a licence on each. */
static surefill_job a_job(int64_t id, int32_t nodes, int64_t limit) {
    return (surefill_job){.struct_size = sizeof(surefill_job), .state = SUREFILL_JOB_WAITING, .id = id, .user = 7, .submit = now,
                          .limit = limit, .count = nodes, .each = {CORES}, .licences = {nodes}, .queue_count = 1, .queues = {queue}};
}

static void ask(const char *title) {
    void *scratch;
    int64_t size;
    surefill_scheduler_capacity capacity = {.struct_size = sizeof capacity};
    surefill_cycle *plan;
    CHECK(surefill_scheduler_capacity_of(scheduler, &capacity));
    CHECK(surefill_cycle_size(&capacity, &size));
    scratch = room(size);
    CHECK(surefill_cycle_begin(scratch, size, scheduler, pool, now, &plan));
    CHECK(surefill_cycle_plan_all(plan, scheduler));
    puts(title);
    for (int32_t nodes = 1; nodes <= NODES; nodes++) {
        const surefill_job job = a_job(0, nodes, hour);
        surefill_reason reason = {.struct_size = sizeof reason};
        char text[300];
        CHECK(surefill_cycle_try(plan, scheduler, &job, &reason));
        CHECK(surefill_reason_sentence(&reason, NULL, NULL, text, sizeof text, &size));
        printf("  %" PRId32 " nodes for an hour: %s\n", nodes, text);
    }
    CHECK(surefill_cycle_close(plan, scheduler));
    free(scratch);
}

int main(void) {
    const int32_t licences[SUREFILL_MAX_RESOURCES] = {3};
    const surefill_part part = {.node = 0, .tasks = 1};
    surefill_node node = {.struct_size = sizeof node, .state = SUREFILL_NODE_UP, .amounts = {CORES}};
    surefill_scheduler_capacity capacity;
    int64_t size;
    if (surefill_version_number() < SUREFILL_VERSION_NUMBER) { /* it may lack words of settings */
        fputs("the library is older than its header\n", stderr);
        return EXIT_FAILURE;
    }
    CHECK(surefill_scheduler_capacity_init(&capacity, 16));
    capacity.nodes = NODES, capacity.kinds = 1, capacity.parts = 64;
    CHECK(surefill_scheduler_size(&capacity, &size));
    void *block = room(size);
    CHECK(surefill_scheduler_init(block, size, &capacity, &scheduler));
    CHECK(surefill_scheduler_set_pool(scheduler, "nodes", 5, 0, -1, &pool));
    CHECK(surefill_scheduler_set_queue(scheduler, "batch", 5, pool, &queue));
    for (int32_t i = 0; i < NODES; i++) CHECK(surefill_scheduler_set_node(scheduler, pool, i, &node));
    CHECK(surefill_scheduler_set_licences(scheduler, licences));

    surefill_job runs = a_job(1, 1, 4 * hour);
    runs.state = SUREFILL_JOB_RUNNING, runs.start = now - hour, runs.parts = &part, runs.part_count = 1;
    CHECK(surefill_scheduler_set_job(scheduler, now, &runs));
    const surefill_job wide = a_job(2, 3, 6 * hour), small = a_job(3, 1, 6 * hour);
    CHECK(surefill_scheduler_set_job(scheduler, now, &wide));
    CHECK(surefill_scheduler_set_job(scheduler, now, &small));
    ask("job 2 waits for three nodes and licences, job 3 for one");
    CHECK(surefill_scheduler_set_priority(scheduler, 3, 1, 0)); /* an operator puts job 3 in a tier above the others */
    ask("job 3 put in front");
    free(block);
    return 0;
}
