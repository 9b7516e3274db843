/* The sweep of the pass on a machine of nodes. */
#include "sweep_nodes.h"

enum { NOW = 1000000, RUNNING = 2, CANDIDATES = 4, PIECES = 4 };

#define NEW ((surefill_node_pass *)world.new_node_pass)
#define FILLING_ON_NODES NODE_PASS
#define ACCEPTING_ON_NODES ((surefill_node_pass *)world.accepting_node_pass)
#define MORE ((surefill_node_pass *)world.more_node_pass)
#define FRESH ((surefill_node_pass *)world.fresh)

static const int64_t wrong_spans[] = {-1, INT64_MIN, SUREFILL_MAX_SECONDS + 1, INT64_MAX};
static const int32_t wrong_indices[] = {-1, 2, INT32_MIN, INT32_MAX};

static surefill_node_pass_capacity small_capacity(void) {
    surefill_node_pass_capacity capacity;
    CHECK_OK(surefill_node_pass_capacity_init(&capacity));
    capacity.nodes = SOME_NODES;
    capacity.resources = KINDS_OF_RESOURCE;
    capacity.running = RUNNING;
    capacity.candidates = CANDIDATES;
    capacity.parts = PIECES;
    capacity.bins = 4;
    capacity.events_per_bin = 2;
    return capacity;
}

/* Both large nodes whole: it waits for the job on the first. */
static surefill_request head_job(void) {
    surefill_request request;
    CHECK_OK(surefill_request_init(&request));
    request.count = 2;
    request.each[0] = 8;
    return request;
}

static void fill(surefill_node_pass *pass) {
    const surefill_request half = half_a_node(), head = head_job();
    CHECK_OK(surefill_node_pass_begin(pass, NODES, NOW, 7, &head, 0));
    CHECK_OK(surefill_node_pass_add_running(pass, NODES, 0, 10, 5000, DISTRIBUTION, NULL));
    CHECK_OK(surefill_node_pass_add_candidate(pass, NODES, &half, SUREFILL_FIT_BEST, 5000, DISTRIBUTION, NULL));
    CHECK_OK(surefill_node_pass_add_candidate(pass, NODES, &half, SUREFILL_FIT_APART, 9000, NULL, NULL));
}

void make_node_passes(void) {
    const surefill_node_pass_capacity capacity = small_capacity();
    surefill_node_pass *pass;
    surefill_rule rule = world.rule;
    int32_t step, candidate;
    CHECK_OK(surefill_node_pass_init(world.new_node_pass, sizeof world.new_node_pass, &capacity, &pass));
    memcpy(world.filling_node_pass, world.new_node_pass, sizeof world.new_node_pass);
    fill(FILLING_ON_NODES);
    memcpy(world.accepting_node_pass, world.filling_node_pass, sizeof world.new_node_pass);
    memcpy(world.more_node_pass, world.filling_node_pass, sizeof world.new_node_pass);
    rule.threshold = 2e9;
    CHECK_OK(surefill_node_pass_decide(ACCEPTING_ON_NODES, NODES, &rule, 1000000, &step, &candidate));
    CHECK(step == SUREFILL_STEP_ACCEPT && candidate == 0);
    rule = world.rule;
    rule.or_easy = 0;
    CHECK_OK(surefill_node_pass_decide(MORE, NODES, &rule, 1, &step, &candidate));
    CHECK(step == SUREFILL_STEP_MORE && candidate == -1);
}

static surefill_node_pass *copy(const int64_t *pass) {
    memcpy(world.fresh, pass, sizeof world.new_node_pass);
    return FRESH;
}

void sweep_node_pass_capacity_init(void) {
    BAD_INIT(surefill_node_pass_capacity, p, n, (surefill_node_pass_capacity_init)(p, n));
}

static int32_t size_of(const surefill_node_pass_capacity *capacity) {
    return surefill_node_pass_size(capacity, &world.int64[0]);
}

static int32_t make(const surefill_node_pass_capacity *capacity) {
    return surefill_node_pass_init(world.fresh, sizeof world.fresh, capacity, (surefill_node_pass **)&world.handle[0]);
}

static void sweep_capacity(int32_t (*call)(const surefill_node_pass_capacity *)) {
    static const struct {
        size_t member;
        int32_t largest, smallest;
    } members[] = {{offsetof(surefill_node_pass_capacity, nodes), 1 << 16, 1},
                   {offsetof(surefill_node_pass_capacity, resources), SUREFILL_MAX_RESOURCES, 1},
                   {offsetof(surefill_node_pass_capacity, running), 1 << 20, 0},
                   {offsetof(surefill_node_pass_capacity, candidates), 1 << 20, 0},
                   {offsetof(surefill_node_pass_capacity, parts), 1 << 24, 0},
                   {offsetof(surefill_node_pass_capacity, bins), SUREFILL_MAX_BINS, 1},
                   {offsetof(surefill_node_pass_capacity, events_per_bin), SUREFILL_MAX_EVENTS_PER_BIN, 1}};
    for (size_t i = 0; i < sizeof members / sizeof *members; i++) {
        const int32_t wrong[] = {members[i].largest + 1, members[i].smallest - 1, INT32_MAX, INT32_MIN};
        for (int w = 0; w < 4; w++) {
            surefill_node_pass_capacity capacity = small_capacity();
            memcpy((char *)&capacity + members[i].member, &wrong[w], sizeof wrong[w]);
            REFUSED(SUREFILL_ERROR_OUT_OF_RANGE, call(&capacity));
        }
    }
}

void sweep_node_pass_size(void) {
    const surefill_node_pass_capacity capacity = small_capacity();
    BAD_LAYOUT(p, &capacity, size_of(p));
    BAD_POINTER(p, world.int64, surefill_node_pass_size(&capacity, p));
    sweep_capacity(size_of);
}

void sweep_node_pass_init(void) {
    int64_t size;
    const surefill_node_pass_capacity capacity = small_capacity();
    CHECK_OK(surefill_node_pass_size(&capacity, &size));
    CHECK(size <= (int64_t)sizeof world.new_node_pass);
    BAD_MEMORY(size, m, n, out, surefill_node_pass_init(m, n, &capacity, out));
    BAD_LAYOUT(p, &capacity, make(p));
    sweep_capacity(make);
}

void sweep_node_pass_begin(void) {
    const surefill_request head = head_job(), half = half_a_node();
    BAD_HANDLE(KIND_NODE_PASS, h, surefill_node_pass_begin(h, NODES, NOW, 7, &head, 0));
    BAD_HANDLE(KIND_NODES, h, surefill_node_pass_begin(NEW, h, NOW, 7, &head, 0));
    BAD_REQUEST(p, &head, surefill_node_pass_begin(NEW, NODES, NOW, 7, p, 0));
    const int64_t far[] = {INT64_MIN, INT64_MAX, -((int64_t)1 << 53) - 1, ((int64_t)1 << 53) + 1};
    for (int i = 0; i < 4; i++) {
        REFUSED(SUREFILL_ERROR_OUT_OF_RANGE, surefill_node_pass_begin(NEW, NODES, far[i], 7, &head, 0));
        REFUSED(span_error(wrong_spans[i]), surefill_node_pass_begin(NEW, NODES, NOW, 7, &head, wrong_spans[i]));
    }
    REFUSED(SUREFILL_ERROR_HEAD_FITS, surefill_node_pass_begin(NEW, NODES, NOW, 7, &half, 0));
    /* A pass for fewer nodes, or other kinds of resource. */
    for (int i = 0; i < 2; i++) {
        surefill_node_pass_capacity other = small_capacity();
        if (i == 0) other.nodes = SOME_NODES - 1;
        if (i == 1) other.resources = KINDS_OF_RESOURCE + 1;
        CHECK_OK(make(&other));
        REFUSED(SUREFILL_ERROR_OUT_OF_RANGE, surefill_node_pass_begin(FRESH, NODES, NOW, 7, &head, 0));
    }
    copy(world.new_node_pass);
    CHECK_OK(surefill_node_pass_begin(FRESH, NODES, NOW, 7, &head, SUREFILL_MAX_SECONDS));
}

void sweep_node_pass_add_running(void) {
    int32_t *n = world.int32;
    BAD_HANDLE(KIND_NODE_PASS, h, surefill_node_pass_add_running(h, NODES, 0, 0, 60, NULL, n));
    BAD_HANDLE(KIND_NODES, h, surefill_node_pass_add_running(FILLING_ON_NODES, h, 0, 0, 60, NULL, n));
    BAD_HANDLE_OR(0, KIND_DISTRIBUTION, h, surefill_node_pass_add_running(FILLING_ON_NODES, NODES, 0, 0, 60, h, n));
    REFUSED(SUREFILL_ERROR_MISALIGNED, surefill_node_pass_add_running(FILLING_ON_NODES, NODES, 0, 0, 60, NULL, ODD(n)));
    const int32_t jobs[] = {-1, 1, INT32_MIN, INT32_MAX};
    for (int i = 0; i < 4; i++) {
        REFUSED(SUREFILL_ERROR_UNKNOWN_JOB, surefill_node_pass_add_running(FILLING_ON_NODES, NODES, jobs[i], 0, 60, NULL, n));
        REFUSED(span_error(wrong_spans[i]), surefill_node_pass_add_running(FILLING_ON_NODES, NODES, 0, wrong_spans[i], 60, NULL, n));
        REFUSED(span_error(wrong_spans[i]), surefill_node_pass_add_running(FILLING_ON_NODES, NODES, 0, 0, wrong_spans[i], NULL, n));
    }
    REFUSED(SUREFILL_ERROR_FULL, surefill_node_pass_add_running(FILLING_ON_NODES, NODES, 0, 0, 60,
                                                                (surefill_distribution *)world.wide_distribution, n));
    REFUSED(SUREFILL_ERROR_WRONG_STATE, surefill_node_pass_add_running(NEW, NODES, 0, 0, 60, NULL, n));
    REFUSED(SUREFILL_ERROR_WRONG_STATE, surefill_node_pass_add_running(MORE, NODES, 0, 0, 60, NULL, n));
    REFUSED(SUREFILL_ERROR_WRONG_STATE, surefill_node_pass_add_running(ACCEPTING_ON_NODES, NODES, 0, 0, 60, NULL, n));
    copy(world.filling_node_pass);
    CHECK_OK(surefill_node_pass_add_running(FRESH, NODES, 0, SUREFILL_MAX_SECONDS, 0, DISTRIBUTION, n));
    CHECK(*n == 1);
    REFUSED(SUREFILL_ERROR_FULL, surefill_node_pass_add_running(FRESH, NODES, 0, 0, 60, NULL, n));
    /* The machine is not the one that the pass began with. */
    memcpy(world.fresh, world.nodes, sizeof world.nodes);
    CHECK_OK(surefill_nodes_set_open((surefill_nodes *)world.fresh, 3, 0));
    REFUSED(SUREFILL_ERROR_WRONG_STATE,
            surefill_node_pass_add_running(FILLING_ON_NODES, (surefill_nodes *)world.fresh, 0, 0, 60, NULL, n));
}

void sweep_node_pass_add_candidate(void) {
    const int32_t best = SUREFILL_FIT_BEST;
    surefill_request half = half_a_node();
    int32_t *n = world.int32;
    BAD_HANDLE(KIND_NODE_PASS, h, surefill_node_pass_add_candidate(h, NODES, &half, best, 60, NULL, n));
    BAD_HANDLE(KIND_NODES, h, surefill_node_pass_add_candidate(FILLING_ON_NODES, h, &half, best, 60, NULL, n));
    BAD_HANDLE_OR(0, KIND_DISTRIBUTION, h, surefill_node_pass_add_candidate(FILLING_ON_NODES, NODES, &half, best, 60, h, n));
    BAD_REQUEST(p, &half, surefill_node_pass_add_candidate(FILLING_ON_NODES, NODES, p, best, 60, NULL, n));
    REFUSED(SUREFILL_ERROR_MISALIGNED, surefill_node_pass_add_candidate(FILLING_ON_NODES, NODES, &half, best, 60, NULL, ODD(n)));
    const int32_t fits[] = {-1, SUREFILL_FIT_APART + 1, INT32_MIN, INT32_MAX};
    for (int i = 0; i < 4; i++) {
        REFUSED(SUREFILL_ERROR_OUT_OF_RANGE, surefill_node_pass_add_candidate(FILLING_ON_NODES, NODES, &half, fits[i], 60, NULL, n));
        REFUSED(span_error(wrong_spans[i]),
                surefill_node_pass_add_candidate(FILLING_ON_NODES, NODES, &half, best, wrong_spans[i], NULL, n));
    }
    REFUSED(SUREFILL_ERROR_FULL, surefill_node_pass_add_candidate(FILLING_ON_NODES, NODES, &half, best, 60,
                                                                  (surefill_distribution *)world.wide_distribution, n));
    REFUSED(SUREFILL_ERROR_WRONG_STATE, surefill_node_pass_add_candidate(NEW, NODES, &half, best, 60, NULL, n));
    REFUSED(SUREFILL_ERROR_WRONG_STATE, surefill_node_pass_add_candidate(MORE, NODES, &half, best, 60, NULL, n));
    copy(world.filling_node_pass);
    half.count = 3; /* on two nodes, but that is not known here: three parts, and two are left */
    REFUSED(SUREFILL_ERROR_FULL, surefill_node_pass_add_candidate(FRESH, NODES, &half, best, 60, NULL, n));
    half.count = 4; /* does not fit, which takes no parts */
    for (int32_t i = 2; i < CANDIDATES; i++) {
        CHECK_OK(surefill_node_pass_add_candidate(FRESH, NODES, &half, best, SUREFILL_MAX_SECONDS, DISTRIBUTION, n));
        CHECK(*n == i);
    }
    REFUSED(SUREFILL_ERROR_FULL, surefill_node_pass_add_candidate(FRESH, NODES, &half, best, 60, NULL, n));
}

void sweep_node_pass_add_placed(void) {
    const surefill_request half = half_a_node();
    const surefill_part good = {1, 1};
    int32_t *n = world.int32;
    BAD_HANDLE(KIND_NODE_PASS, h, surefill_node_pass_add_placed(h, NODES, &half, &good, 1, 60, NULL, n));
    BAD_HANDLE(KIND_NODES, h, surefill_node_pass_add_placed(FILLING_ON_NODES, h, &half, &good, 1, 60, NULL, n));
    BAD_HANDLE_OR(0, KIND_DISTRIBUTION, h, surefill_node_pass_add_placed(FILLING_ON_NODES, NODES, &half, &good, 1, 60, h, n));
    BAD_REQUEST(p, &half, surefill_node_pass_add_placed(FILLING_ON_NODES, NODES, p, &good, 1, 60, NULL, n));
    BAD_POINTER(p, &good, surefill_node_pass_add_placed(FILLING_ON_NODES, NODES, &half, p, 1, 60, NULL, n));
    REFUSED(SUREFILL_ERROR_MISALIGNED, surefill_node_pass_add_placed(FILLING_ON_NODES, NODES, &half, &good, 1, 60, NULL, ODD(n)));
    const struct {
        surefill_part part;
        int32_t status;
    } wrong[] = {{{-1, 1}, SUREFILL_ERROR_NO_SUCH_INDEX},
                 {{SOME_NODES, 1}, SUREFILL_ERROR_NO_SUCH_INDEX},
                 {{1, 0}, SUREFILL_ERROR_OUT_OF_RANGE},
                 {{1, -1}, SUREFILL_ERROR_OUT_OF_RANGE},
                 {{1, 2}, SUREFILL_ERROR_DOES_NOT_FIT},
                 {{2, 1}, SUREFILL_ERROR_DOES_NOT_FIT}};
    for (int i = 0; i < 6; i++)
        REFUSED(wrong[i].status, surefill_node_pass_add_placed(FILLING_ON_NODES, NODES, &half, &wrong[i].part, 1, 60, NULL, n));
    REFUSED(SUREFILL_ERROR_OUT_OF_RANGE, surefill_node_pass_add_placed(FILLING_ON_NODES, NODES, &half, &good, -1, 60, NULL, n));
    REFUSED(SUREFILL_ERROR_WRONG_STATE, surefill_node_pass_add_placed(NEW, NODES, &half, &good, 1, 60, NULL, n));
    copy(world.filling_node_pass);
    for (int32_t i = 2; i < CANDIDATES; i++)
        CHECK_OK(surefill_node_pass_add_placed(FRESH, NODES, &half, &good, 1, 60, NULL, NULL));
    REFUSED(SUREFILL_ERROR_FULL, surefill_node_pass_add_placed(FRESH, NODES, &half, &good, 1, 60, NULL, n));
}

static int32_t decide(surefill_node_pass *pass, const surefill_nodes *nodes, const surefill_rule *rule) {
    return surefill_node_pass_decide(pass, nodes, rule, 1000000, &world.int32[0], &world.int32[1]);
}

void sweep_node_pass_decide(void) {
    int32_t *step = &world.int32[0], *candidate = &world.int32[1];
    surefill_rule rule = world.rule;
    BAD_HANDLE(KIND_NODE_PASS, h, decide(h, NODES, &rule));
    BAD_HANDLE(KIND_NODES, h, decide(FILLING_ON_NODES, h, &rule));
    BAD_LAYOUT(p, &rule, decide(FILLING_ON_NODES, NODES, p));
    BAD_POINTER(p, step, surefill_node_pass_decide(FILLING_ON_NODES, NODES, &rule, 100, p, candidate));
    BAD_POINTER(p, candidate, surefill_node_pass_decide(FILLING_ON_NODES, NODES, &rule, 100, step, p));
    const int64_t work[] = {0, -1, INT64_MIN};
    for (int i = 0; i < 3; i++)
        REFUSED(SUREFILL_ERROR_OUT_OF_RANGE, surefill_node_pass_decide(FILLING_ON_NODES, NODES, &rule, work[i], step, candidate));
    const int32_t criteria[] = {-1, 4, SUREFILL_CRITERION_BOUND, INT32_MIN, INT32_MAX};
    for (int i = 0; i < 5; i++) {
        rule.criterion = criteria[i];
        REFUSED(SUREFILL_ERROR_OUT_OF_RANGE, decide(FILLING_ON_NODES, NODES, &rule));
    }
    const double numbers[] = {-1, -INFINITY, NAN};
    for (int i = 0; i < 3; i++) {
        rule = world.rule;
        rule.threshold = numbers[i];
        REFUSED(isnan(numbers[i]) ? SUREFILL_ERROR_NOT_A_NUMBER : SUREFILL_ERROR_OUT_OF_RANGE,
                decide(FILLING_ON_NODES, NODES, &rule));
    }
    rule = world.rule;
    REFUSED(SUREFILL_ERROR_WRONG_STATE, decide(NEW, NODES, &rule));
    REFUSED(SUREFILL_ERROR_WRONG_STATE, decide(ACCEPTING_ON_NODES, NODES, &rule));
    rule.threshold /= 2;
    REFUSED(SUREFILL_ERROR_WRONG_STATE, decide(MORE, NODES, &rule));
    memcpy(world.fresh, world.nodes, sizeof world.nodes);
    CHECK_OK(surefill_nodes_set_open((surefill_nodes *)world.fresh, 3, 0));
    REFUSED(SUREFILL_ERROR_WRONG_STATE, decide(FILLING_ON_NODES, (surefill_nodes *)world.fresh, &rule));
}

void sweep_node_pass_commit(void) {
    int32_t *job = &world.int32[0];
    BAD_HANDLE(KIND_NODE_PASS, h, surefill_node_pass_commit(h, NODES, 0, job));
    BAD_HANDLE(KIND_NODES, h, surefill_node_pass_commit(ACCEPTING_ON_NODES, h, 0, job));
    BAD_POINTER(p, job, surefill_node_pass_commit(ACCEPTING_ON_NODES, NODES, 0, p));
    const int32_t others[] = {1, 2, -1, INT32_MIN, INT32_MAX};
    for (int i = 0; i < 5; i++)
        REFUSED(SUREFILL_ERROR_NO_SUCH_INDEX, surefill_node_pass_commit(ACCEPTING_ON_NODES, NODES, others[i], job));
    REFUSED(SUREFILL_ERROR_WRONG_STATE, surefill_node_pass_commit(NEW, NODES, 0, job));
    REFUSED(SUREFILL_ERROR_WRONG_STATE, surefill_node_pass_commit(FILLING_ON_NODES, NODES, 0, job));
    REFUSED(SUREFILL_ERROR_WRONG_STATE, surefill_node_pass_commit(MORE, NODES, 0, job));
    /* A machine without room for another job: then the pass still waits for an answer. */
    int64_t *machine = world.fresh + sizeof world.new_node_pass / 8;
    surefill_nodes *nodes = (surefill_nodes *)machine;
    copy(world.accepting_node_pass);
    memcpy(machine, world.nodes, sizeof world.nodes);
    CHECK_OK(surefill_node_pass_commit(FRESH, nodes, 0, job));
    CHECK(*job == 2048); /* the second slot for the first time */
    REFUSED(SUREFILL_ERROR_WRONG_STATE, surefill_node_pass_commit(FRESH, nodes, 0, job)); /* once */
}

void sweep_node_pass_judgement(void) {
    double *delay = &world.real[0][0], *half = &world.real[0][1];
    int32_t *n = &world.int32[0], *verdict = &world.int32[1];
    BAD_HANDLE(KIND_NODE_PASS, h, surefill_node_pass_judgement(h, 0, delay, half, n, verdict));
    BAD_POINTER(p, delay, surefill_node_pass_judgement(FILLING_ON_NODES, 0, p, half, n, verdict));
    BAD_POINTER(p, half, surefill_node_pass_judgement(FILLING_ON_NODES, 0, delay, p, n, verdict));
    BAD_POINTER(p, n, surefill_node_pass_judgement(FILLING_ON_NODES, 0, delay, half, p, verdict));
    BAD_POINTER(p, verdict, surefill_node_pass_judgement(FILLING_ON_NODES, 0, delay, half, n, p));
    for (int i = 0; i < 4; i++)
        REFUSED(SUREFILL_ERROR_NO_SUCH_INDEX,
                surefill_node_pass_judgement(FILLING_ON_NODES, wrong_indices[i], delay, half, n, verdict));
}

void sweep_node_pass_placement(void) {
    surefill_part *parts = (surefill_part *)world.int64;
    int32_t *count = &world.int32[0];
    BAD_HANDLE(KIND_NODE_PASS, h, surefill_node_pass_placement(h, 0, parts, 4, count));
    BAD_POINTER(p, parts, surefill_node_pass_placement(ACCEPTING_ON_NODES, 0, p, 4, count));
    BAD_POINTER(p, count, surefill_node_pass_placement(ACCEPTING_ON_NODES, 0, parts, 4, p));
    REFUSED(SUREFILL_ERROR_OUT_OF_RANGE, surefill_node_pass_placement(ACCEPTING_ON_NODES, 0, parts, -1, count));
    REFUSED(SUREFILL_ERROR_FULL, surefill_node_pass_placement(ACCEPTING_ON_NODES, 0, NULL, 0, count));
    for (int i = 0; i < 4; i++)
        REFUSED(SUREFILL_ERROR_NO_SUCH_INDEX, surefill_node_pass_placement(FILLING_ON_NODES, wrong_indices[i], parts, 4, count));
    CHECK_OK(surefill_node_pass_placement(ACCEPTING_ON_NODES, 0, parts, 1, count));
    CHECK(*count == 1 && parts[0].node == 0 && parts[0].tasks == 1);
}
