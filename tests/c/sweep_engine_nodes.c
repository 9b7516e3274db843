/* The sweep of pools of nodes, on a scheduler of its own: four nodes of two kinds of resource, on which job 1 runs. */
#include "sweep.h"

#undef REFUSED
#define REFUSED SCHEDULERS_REFUSED

enum { NOW = 1000000, RUNS = 1, WAITS = 2, BLOCK = 36000, SCRATCH = 120000 };

static int64_t block[BLOCK], block_before[BLOCK], scratch[SCRATCH];
#define NODES ((surefill_scheduler *)block)
#define KEPT(status, call)                                                                                    \
    do {                                                                                                      \
        memcpy(block_before, block, sizeof block);                                                            \
        CHECK_STATUS(status, call);                                                                           \
        check_that(memcmp(block_before, block, sizeof block) == 0, __FILE__, __LINE__, "nothing changed: " #call); \
    } while (0)

static const int32_t wrong_numbers[] = {4, -1, INT32_MIN, INT32_MAX};
static surefill_node node;
static surefill_reservation reservation;
static int32_t all_nodes[2] = {0, 3};

static void make_pool(void) {
    surefill_scheduler_capacity capacity = world.scheduler_capacity;
    surefill_scheduler *made;
    surefill_part part = {1, 2};
    surefill_job job = {.struct_size = sizeof job, .state = SUREFILL_JOB_RUNNING, .id = RUNS, .count = 2, .queue_count = 1};
    int32_t pool, queue;
    capacity.nodes = 4;
    capacity.kinds = 2;
    capacity.parts = 8;
    capacity.reservations = 1;
    CHECK_OK(surefill_scheduler_init(block, sizeof block, &capacity, &made));
    CHECK_OK(surefill_scheduler_set_pool(made, "a", 1, 0, -1, &pool));
    CHECK_OK(surefill_scheduler_set_queue(made, "a", 1, pool, &queue));
    CHECK_OK(surefill_scheduler_set_pool(made, "b", 1, 16, -1, &pool));
    CHECK_OK(surefill_scheduler_set_queue(made, "b", 1, pool, &queue));
    node = (surefill_node){.struct_size = sizeof node, .state = SUREFILL_NODE_UP, .amounts = {8, 64}};
    for (int32_t i = 0; i < 4; i++) CHECK_OK(surefill_scheduler_set_node(made, 0, i, &node));
    job.each[0] = 4;
    job.limit = 3600;
    job.flags = SUREFILL_FLAG_PACKED;
    job.parts = &part;
    job.part_count = 1;
    CHECK_OK(surefill_scheduler_set_job(made, NOW, &job));
    reservation = (surefill_reservation){.struct_size = sizeof reservation, .key = 5, .from = NOW + 9, .to = NOW + 99};
    reservation.nodes = all_nodes;
    reservation.node_count = 2;
}

/* A job asks for what can be, and holds nodes that there are. */
static void bad_wants(void) {
    static surefill_job bad;
    surefill_part parts[9] = {{0, 1}, {2, 1}};
    const surefill_job good = {.struct_size = sizeof good, .state = SUREFILL_JOB_RUNNING, .id = WAITS, .limit = 60, .count = 1,
                               .queue_count = 1, .each = {1, 1}, .parts = parts, .part_count = 2};
    const struct {
        int32_t *member, value, status;
    } numbers[] = {{&bad.each[0], -1, SUREFILL_ERROR_OUT_OF_RANGE},     {&bad.each[2], 1, SUREFILL_ERROR_OUT_OF_RANGE},
                   {&bad.licences[7], -1, SUREFILL_ERROR_OUT_OF_RANGE}, {&bad.part_count, -1, SUREFILL_ERROR_OUT_OF_RANGE},
                   {&bad.reserved_too, 1, SUREFILL_ERROR_WRONG_VERSION}, {&bad.queues[0], 1, SUREFILL_ERROR_OUT_OF_RANGE},
                   {&parts[1].node, 4, SUREFILL_ERROR_NO_SUCH_INDEX},   {&parts[1].node, -1, SUREFILL_ERROR_NO_SUCH_INDEX},
                   {&parts[1].node, 0, SUREFILL_ERROR_OUT_OF_RANGE},    {&parts[1].tasks, 0, SUREFILL_ERROR_OUT_OF_RANGE},
                   {&parts[1].tasks, -1, SUREFILL_ERROR_OUT_OF_RANGE}};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        bad = good;
        parts[1] = (surefill_part){2, 1};
        *numbers[i].member = numbers[i].value;
        KEPT(numbers[i].status, surefill_scheduler_set_job(NODES, NOW, &bad));
    }
    parts[1] = (surefill_part){2, 1};
    bad = good;
    bad.parts = NULL;
    KEPT(SUREFILL_ERROR_NULL, surefill_scheduler_set_job(NODES, NOW, &bad));
    bad.parts = ODD(parts);
    KEPT(SUREFILL_ERROR_MISALIGNED, surefill_scheduler_set_job(NODES, NOW, &bad));
    CHECK_OK(surefill_scheduler_set_job(NODES, NOW, &good));
}

void sweep_scheduler_set_node(void) {
    make_pool();
    BAD_HANDLE(KIND_SCHEDULER, h, surefill_scheduler_set_node(h, 0, 0, &node));
    BAD_POINTER(p, &node, surefill_scheduler_set_node(NODES, 0, 0, p));
    BAD_SIZES(&node, (uint32_t)sizeof node, surefill_scheduler_set_node(NODES, 0, 0, &node));
    for (int i = 0; i < 4; i++) {
        KEPT(SUREFILL_ERROR_NO_SUCH_INDEX, surefill_scheduler_set_node(NODES, 0, wrong_numbers[i], &node));
        KEPT(SUREFILL_ERROR_NO_SUCH_INDEX, surefill_scheduler_set_node(NODES, -1, wrong_numbers[i], NULL));
    }
    const int32_t pools[] = {1, 2, -2, INT32_MIN, INT32_MAX}, states[] = {0, 5, -1, INT32_MIN, INT32_MAX};
    for (int i = 0; i < 5; i++) {
        surefill_node bad = node;
        KEPT(SUREFILL_ERROR_NO_SUCH_INDEX, surefill_scheduler_set_node(NODES, pools[i], 0, &node));
        bad.state = states[i];
        KEPT(SUREFILL_ERROR_OUT_OF_RANGE, surefill_scheduler_set_node(NODES, 0, 0, &bad));
        bad = node;
        bad.amounts[i % 2] = i < 3 ? -1 : INT32_MIN;
        KEPT(SUREFILL_ERROR_OUT_OF_RANGE, surefill_scheduler_set_node(NODES, 0, 0, &bad));
        bad.amounts[i % 2] = 0;
        bad.amounts[2 + i] = 1; /* a kind that is not counted */
        KEPT(SUREFILL_ERROR_OUT_OF_RANGE, surefill_scheduler_set_node(NODES, 0, 0, &bad));
        bad = node;
        bad.weight = i < 3 ? -1 : INT32_MIN;
        KEPT(SUREFILL_ERROR_OUT_OF_RANGE, surefill_scheduler_set_node(NODES, 0, 0, &bad));
    }
    bad_wants();
    CHECK_OK(surefill_scheduler_set_node(NODES, -1, 3, NULL));
}

void sweep_scheduler_set_queue_nodes(void) {
    make_pool();
    BAD_HANDLE(KIND_SCHEDULER, h, surefill_scheduler_set_queue_nodes(h, 0, all_nodes, 2));
    KEPT(SUREFILL_ERROR_MISALIGNED, surefill_scheduler_set_queue_nodes(NODES, 0, ODD(all_nodes), 1));
    KEPT(SUREFILL_ERROR_OUT_OF_RANGE, surefill_scheduler_set_queue_nodes(NODES, 0, all_nodes, -1));
    const int32_t queues[] = {1, 2, -1, INT32_MIN, INT32_MAX};
    for (int i = 0; i < 5; i++)
        KEPT(SUREFILL_ERROR_NO_SUCH_INDEX, surefill_scheduler_set_queue_nodes(NODES, queues[i], all_nodes, 2));
    for (int i = 0; i < 4; i++)
        KEPT(SUREFILL_ERROR_NO_SUCH_INDEX, surefill_scheduler_set_queue_nodes(NODES, 0, &wrong_numbers[i], 1));
    CHECK_OK(surefill_scheduler_set_queue_nodes(NODES, 0, all_nodes, 2));
    CHECK_OK(surefill_scheduler_set_queue_nodes(NODES, 0, NULL, 0));
}

void sweep_scheduler_set_reservation(void) {
    make_pool();
    BAD_HANDLE(KIND_SCHEDULER, h, surefill_scheduler_set_reservation(h, &reservation));
    BAD_POINTER(p, &reservation, surefill_scheduler_set_reservation(NODES, p));
    BAD_SIZES(&reservation, (uint32_t)sizeof reservation, surefill_scheduler_set_reservation(NODES, &reservation));
    surefill_reservation bad = reservation;
    const int32_t pools[] = {1, 2, -1, INT32_MIN, INT32_MAX};
    for (int i = 0; i < 5; i++) {
        bad.pool = pools[i];
        KEPT(SUREFILL_ERROR_NO_SUCH_INDEX, surefill_scheduler_set_reservation(NODES, &bad));
    }
    bad = reservation;
    bad.key = 0;
    KEPT(SUREFILL_ERROR_OUT_OF_RANGE, surefill_scheduler_set_reservation(NODES, &bad));
    bad = reservation;
    bad.to = bad.from - 1;
    KEPT(SUREFILL_ERROR_OUT_OF_RANGE, surefill_scheduler_set_reservation(NODES, &bad));
    bad = reservation;
    bad.reserved = 1;
    KEPT(SUREFILL_ERROR_WRONG_VERSION, surefill_scheduler_set_reservation(NODES, &bad));
    bad = reservation;
    bad.nodes = NULL;
    KEPT(SUREFILL_ERROR_NULL, surefill_scheduler_set_reservation(NODES, &bad));
    bad.nodes = wrong_numbers;
    KEPT(SUREFILL_ERROR_NO_SUCH_INDEX, surefill_scheduler_set_reservation(NODES, &bad));
    bad = reservation;
    bad.to = 0; /* there is none to take away */
    KEPT(SUREFILL_ERROR_NO_SUCH_INDEX, surefill_scheduler_set_reservation(NODES, &bad));
    CHECK_OK(surefill_scheduler_set_reservation(NODES, &reservation));
    bad = reservation;
    bad.key = 6;
    KEPT(SUREFILL_ERROR_FULL, surefill_scheduler_set_reservation(NODES, &bad));
    bad = reservation;
    bad.to = 0;
    CHECK_OK(surefill_scheduler_set_reservation(NODES, &bad));
}

void sweep_scheduler_set_licences(void) {
    int32_t licences[SUREFILL_MAX_RESOURCES] = {1};
    make_pool();
    BAD_HANDLE(KIND_SCHEDULER, h, surefill_scheduler_set_licences(h, licences));
    BAD_POINTER(p, licences, surefill_scheduler_set_licences(NODES, p));
    licences[7] = -1;
    KEPT(SUREFILL_ERROR_OUT_OF_RANGE, surefill_scheduler_set_licences(NODES, licences));
    licences[7] = INT32_MAX;
    CHECK_OK(surefill_scheduler_set_licences(NODES, licences));
}

void sweep_cycle_parts(void) {
    surefill_action action = {.struct_size = sizeof action};
    surefill_job job = {.struct_size = sizeof job, .state = SUREFILL_JOB_WAITING, .id = WAITS, .limit = 60, .count = 2,
                        .queue_count = 1, .each = {8, 1}};
    surefill_part parts[2] = {{9, 9}, {9, 9}};
    surefill_cycle *cycle;
    int32_t *length = &world.int32[0];
    make_pool();
    CHECK_OK(surefill_scheduler_set_job(NODES, NOW, &job));
    CHECK_OK(surefill_cycle_begin(scratch, sizeof scratch, NODES, 0, NOW, &cycle));
    CHECK_OK(surefill_cycle_next(cycle, NODES, &action));
    CHECK(action.step == SUREFILL_ACT_START && action.job == WAITS && action.count == 2);
    BAD_HANDLE(KIND_CYCLE, h, surefill_cycle_parts(h, 0, parts, 2, length));
    const int32_t numbers[] = {1, -1, INT32_MIN, INT32_MAX};
    for (int i = 0; i < 4; i++) REFUSED(SUREFILL_ERROR_NO_SUCH_INDEX, surefill_cycle_parts(cycle, numbers[i], parts, 2, length));
    BAD_POINTER(p, length, surefill_cycle_parts(cycle, 0, parts, 2, p));
    REFUSED(SUREFILL_ERROR_NULL, surefill_cycle_parts(cycle, 0, NULL, 2, length));
    REFUSED(SUREFILL_ERROR_MISALIGNED, surefill_cycle_parts(cycle, 0, ODD(parts), 1, length));
    REFUSED(SUREFILL_ERROR_OUT_OF_RANGE, surefill_cycle_parts(cycle, 0, parts, -1, length));
    CHECK_STATUS(SUREFILL_ERROR_FULL, surefill_cycle_parts(cycle, 0, NULL, 0, length));
    CHECK(*length == 2 && parts[0].node == 9);
    CHECK_OK(surefill_cycle_parts(cycle, 0, parts, 2, length));
    CHECK(*length == 2 && parts[0].node == 0 && parts[0].tasks == 1 && parts[1].node == 2 && parts[1].tasks == 1);
    CHECK_OK(surefill_cycle_parts(CYCLE, 0, parts, 2, length)); /* of counted units none */
    CHECK(*length == 0);
}
