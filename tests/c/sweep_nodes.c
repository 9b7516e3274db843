/* The sweep of the machine of nodes. */
#include "sweep_nodes.h"

enum { JOBS = 2, PARTS = 4, CLASSES = 2 };

#define FRESH ((surefill_nodes *)world.fresh)

static const int32_t wrong_nodes[] = {-1, SOME_NODES, INT32_MIN, INT32_MAX};

surefill_nodes_capacity small_nodes(void) {
    surefill_nodes_capacity capacity;
    CHECK_OK(surefill_nodes_capacity_init(&capacity));
    capacity.nodes = SOME_NODES;
    capacity.classes = CLASSES;
    capacity.resources = KINDS_OF_RESOURCE;
    capacity.jobs = JOBS;
    capacity.parts = PARTS;
    return capacity;
}

surefill_request half_a_node(void) {
    surefill_request request;
    CHECK_OK(surefill_request_init(&request));
    request.each[0] = 4;
    request.each[1] = 2;
    return request;
}

void make_nodes(void) {
    const surefill_nodes_capacity capacity = small_nodes();
    const int32_t large[] = {8, 4}, small[] = {4, 0};
    const surefill_part part = {0, 1};
    const surefill_request half = half_a_node();
    surefill_nodes *nodes;
    int32_t kind, first, job;
    CHECK_OK(surefill_nodes_init(world.nodes, sizeof world.nodes, &capacity, &nodes));
    CHECK_OK(surefill_nodes_add_class(nodes, 1, large, 2, &kind));
    CHECK_OK(surefill_nodes_add_nodes(nodes, kind, 2, &first));
    CHECK(kind == 0 && first == 0);
    CHECK_OK(surefill_nodes_add_class(nodes, 0, small, 1, &kind));
    CHECK_OK(surefill_nodes_add_nodes(nodes, kind, 2, &first));
    CHECK(kind == 1 && first == 2);
    CHECK_OK(surefill_nodes_allocate(nodes, &half, &part, 1, &job));
    CHECK(job == 0);
}

static surefill_nodes *copy(void) {
    memcpy(world.fresh, world.nodes, sizeof world.nodes);
    return FRESH;
}

void sweep_nodes_capacity_init(void) {
    BAD_INIT(surefill_nodes_capacity, p, n, (surefill_nodes_capacity_init)(p, n));
}

void sweep_request_init(void) {
    BAD_INIT(surefill_request, p, n, (surefill_request_init)(p, n));
}

static int32_t size_of(const surefill_nodes_capacity *capacity) { return surefill_nodes_size(capacity, &world.int64[0]); }

static int32_t make(const surefill_nodes_capacity *capacity) {
    return surefill_nodes_init(world.fresh, sizeof world.fresh, capacity, (surefill_nodes **)&world.handle[0]);
}

static void sweep_capacity(int32_t (*call)(const surefill_nodes_capacity *)) {
    static const struct {
        size_t member;
        int32_t largest, smallest;
    } members[] = {{offsetof(surefill_nodes_capacity, nodes), 1 << 16, 1},
                   {offsetof(surefill_nodes_capacity, classes), 1 << 16, 1},
                   {offsetof(surefill_nodes_capacity, resources), SUREFILL_MAX_RESOURCES, 1},
                   {offsetof(surefill_nodes_capacity, jobs), 1 << 20, 0},
                   {offsetof(surefill_nodes_capacity, parts), 1 << 24, 0}};
    for (size_t i = 0; i < sizeof members / sizeof *members; i++) {
        const int32_t wrong[] = {members[i].largest + 1, members[i].smallest - 1, INT32_MAX, INT32_MIN};
        for (int w = 0; w < 4; w++) {
            surefill_nodes_capacity capacity = small_nodes();
            memcpy((char *)&capacity + members[i].member, &wrong[w], sizeof wrong[w]);
            REFUSED(SUREFILL_ERROR_OUT_OF_RANGE, call(&capacity));
        }
    }
}

void sweep_nodes_size(void) {
    const surefill_nodes_capacity capacity = small_nodes();
    BAD_LAYOUT(p, &capacity, size_of(p));
    BAD_POINTER(p, world.int64, surefill_nodes_size(&capacity, p));
    sweep_capacity(size_of);
    const surefill_nodes_capacity largest = {sizeof largest, 1 << 16, 1 << 16, SUREFILL_MAX_RESOURCES, 1 << 20, 1 << 24};
    CHECK_OK(size_of(&largest));
    CHECK(world.int64[0] > (int64_t)1 << 28);
    REFUSED(SUREFILL_ERROR_TOO_SMALL, make(&largest));
}

void sweep_nodes_init(void) {
    int64_t size;
    const surefill_nodes_capacity capacity = small_nodes();
    CHECK_OK(surefill_nodes_size(&capacity, &size));
    CHECK(size <= (int64_t)sizeof world.nodes);
    BAD_MEMORY(size, m, n, out, surefill_nodes_init(m, n, &capacity, out));
    BAD_LAYOUT(p, &capacity, make(p));
    sweep_capacity(make);
}

void sweep_nodes_seal(void) { BAD_HANDLE(KIND_NODES, h, surefill_nodes_seal(h)); }

void sweep_nodes_open(void) {
    int64_t size;
    const surefill_nodes_capacity capacity = small_nodes();
    void *out = &world.handle[0];
    surefill_nodes *opened;
    CHECK_OK(surefill_nodes_size(&capacity, &size));
    copy();
    REFUSED(SUREFILL_ERROR_CORRUPT, surefill_nodes_open(world.fresh, size, out)); /* not sealed */
    CHECK_OK(surefill_nodes_seal(FRESH));
    BAD_MEMORY(size, m, n, o, surefill_nodes_open(m, n, o));
    CHECK_OK(surefill_nodes_open(world.fresh, size, &opened));
    CHECK_OK(surefill_nodes_set_open(opened, 3, 0));
    REFUSED(SUREFILL_ERROR_CORRUPT, surefill_nodes_open(world.fresh, size, out)); /* changed since */
}

/* Amounts out of range, and more kinds than there are. */
#define BAD_AMOUNTS(p, n, call)                                                     \
    do {                                                                            \
        int32_t p##_wrong[SUREFILL_MAX_RESOURCES + 1] = {1, 1}, *p = p##_wrong, n;  \
        const int32_t wrong_counts[] = {-1, INT32_MIN, SUREFILL_MAX_RESOURCES + 1}; \
        for (int i = 0; i < 3; i++) {                                               \
            n = wrong_counts[i];                                                    \
            REFUSED(SUREFILL_ERROR_OUT_OF_RANGE, call);                             \
        }                                                                           \
        n = 2;                                                                      \
        p[1] = -1;                                                                  \
        REFUSED(SUREFILL_ERROR_OUT_OF_RANGE, call);                                 \
        p[1] = INT32_MIN;                                                           \
        REFUSED(SUREFILL_ERROR_OUT_OF_RANGE, call);                                 \
        p = NULL;                                                                   \
        REFUSED(SUREFILL_ERROR_NULL, call);                                         \
        p = ODD(p##_wrong);                                                         \
        REFUSED(SUREFILL_ERROR_MISALIGNED, call);                                   \
    } while (0)

void sweep_nodes_add_class(void) {
    const surefill_nodes_capacity capacity = small_nodes();
    const int32_t amounts[] = {1, 2, 3};
    int32_t *n = &world.int32[0];
    CHECK_OK(make(&capacity));
    BAD_HANDLE(KIND_NODES, h, surefill_nodes_add_class(h, 0, amounts, 2, n));
    BAD_AMOUNTS(p, count, surefill_nodes_add_class(FRESH, 0, p, count, n));
    BAD_POINTER(p, n, surefill_nodes_add_class(FRESH, 0, amounts, 2, p));
    REFUSED(SUREFILL_ERROR_OUT_OF_RANGE, surefill_nodes_add_class(FRESH, 0, amounts, 3, n)); /* two kinds are counted */
    REFUSED(SUREFILL_ERROR_FULL, surefill_nodes_add_class(NODES, 0, amounts, 2, n));
    CHECK_OK(surefill_nodes_add_class(FRESH, -1, NULL, 0, n)); /* all features, nothing on it */
}

void sweep_nodes_add_nodes(void) {
    const surefill_nodes_capacity capacity = small_nodes();
    const int32_t amounts[] = {1};
    int32_t *n = &world.int32[0], kind;
    CHECK_OK(make(&capacity));
    CHECK_OK(surefill_nodes_add_class(FRESH, 0, amounts, 1, &kind));
    BAD_HANDLE(KIND_NODES, h, surefill_nodes_add_nodes(h, 0, 1, n));
    BAD_POINTER(p, n, surefill_nodes_add_nodes(FRESH, 0, 1, p));
    const int32_t classes[] = {-1, 1, INT32_MIN, INT32_MAX}, counts[] = {SOME_NODES + 1, INT32_MAX};
    for (int i = 0; i < 4; i++) REFUSED(SUREFILL_ERROR_NO_SUCH_INDEX, surefill_nodes_add_nodes(FRESH, classes[i], 1, n));
    for (int i = 0; i < 2; i++) REFUSED(SUREFILL_ERROR_FULL, surefill_nodes_add_nodes(FRESH, 0, counts[i], n));
    REFUSED(SUREFILL_ERROR_OUT_OF_RANGE, surefill_nodes_add_nodes(FRESH, 0, -1, n));
    REFUSED(SUREFILL_ERROR_OUT_OF_RANGE, surefill_nodes_add_nodes(FRESH, 0, INT32_MIN, n));
    CHECK_OK(surefill_nodes_add_nodes(FRESH, 0, SOME_NODES, n));
    REFUSED(SUREFILL_ERROR_FULL, surefill_nodes_add_nodes(FRESH, 0, 1, n));
}

void sweep_nodes_set_open(void) {
    BAD_HANDLE(KIND_NODES, h, surefill_nodes_set_open(h, 0, 1));
    for (int i = 0; i < 4; i++)
        REFUSED(SUREFILL_ERROR_NO_SUCH_INDEX, surefill_nodes_set_open(NODES, wrong_nodes[i], 1));
}

/* Room for amounts out of range. */
#define BAD_ROOM(p, n, call)                                                        \
    do {                                                                            \
        int32_t *p = world.int32, n;                                                \
        const int32_t wrong_counts[] = {-1, INT32_MIN, SUREFILL_MAX_RESOURCES + 1}; \
        for (int i = 0; i < 3; i++) {                                               \
            n = wrong_counts[i];                                                    \
            p = (int32_t *)world.int64;                                             \
            REFUSED(SUREFILL_ERROR_OUT_OF_RANGE, call);                             \
        }                                                                           \
        n = 2;                                                                      \
        p = NULL;                                                                   \
        REFUSED(SUREFILL_ERROR_NULL, call);                                         \
        p = ODD(world.int32);                                                       \
        REFUSED(SUREFILL_ERROR_MISALIGNED, call);                                   \
    } while (0)

void sweep_nodes_free(void) {
    int32_t *free = world.int32;
    BAD_HANDLE(KIND_NODES, h, surefill_nodes_free(h, 0, free, 2));
    BAD_ROOM(p, n, surefill_nodes_free(NODES, 0, p, n));
    for (int i = 0; i < 4; i++)
        REFUSED(SUREFILL_ERROR_NO_SUCH_INDEX, surefill_nodes_free(NODES, wrong_nodes[i], free, 2));
    CHECK_OK(surefill_nodes_free(NODES, 0, free, 2));
    CHECK(free[0] == 4 && free[1] == 2);
}

void sweep_nodes_place(void) {
    const surefill_request request = half_a_node();
    surefill_part *parts = (surefill_part *)world.int64;
    int32_t *count = &world.int32[0];
    BAD_HANDLE(KIND_NODES, h, surefill_nodes_place(h, &request, SUREFILL_FIT_BEST, parts, 4, count));
    BAD_REQUEST(p, &request, surefill_nodes_place(NODES, p, SUREFILL_FIT_BEST, parts, 4, count));
    const int32_t fits[] = {-1, SUREFILL_FIT_APART + 1, INT32_MIN, INT32_MAX};
    for (int i = 0; i < 4; i++)
        REFUSED(SUREFILL_ERROR_OUT_OF_RANGE, surefill_nodes_place(NODES, &request, fits[i], parts, 4, count));
    BAD_POINTER(p, parts, surefill_nodes_place(NODES, &request, SUREFILL_FIT_FIRST, p, 4, count));
    BAD_POINTER(p, count, surefill_nodes_place(NODES, &request, SUREFILL_FIT_FIRST, parts, 4, p));
    REFUSED(SUREFILL_ERROR_OUT_OF_RANGE, surefill_nodes_place(NODES, &request, SUREFILL_FIT_FIRST, parts, -1, count));
    REFUSED(SUREFILL_ERROR_FULL, surefill_nodes_place(NODES, &request, SUREFILL_FIT_FIRST, NULL, 0, count));
    for (int32_t fit = SUREFILL_FIT_FIRST; fit <= SUREFILL_FIT_APART; fit++) {
        CHECK_OK(surefill_nodes_place(NODES, &request, fit, parts, 1, count));
        CHECK(*count == 1 && parts[0].node == 0 && parts[0].tasks == 1);
    }
}

/* Placements that are not valid; `c` stands for the number of parts. */
#define BAD_PARTS(p, c, call)                                                              \
    do {                                                                                   \
        surefill_part p##_wrong[2] = {{0, 1}, {1, 1}}, *p = p##_wrong;                     \
        int32_t c = -1;                                                                    \
        REFUSED(SUREFILL_ERROR_OUT_OF_RANGE, call);                                        \
        c = 2;                                                                             \
        REFUSED(SUREFILL_ERROR_DOES_NOT_FIT, call); /* two tasks of one */                 \
        c = 0;                                                                             \
        REFUSED(SUREFILL_ERROR_DOES_NOT_FIT, call);                                        \
        c = 1;                                                                             \
        for (int i = 0; i < 4; i++) {                                                      \
            p[0].node = wrong_nodes[i];                                                    \
            REFUSED(SUREFILL_ERROR_NO_SUCH_INDEX, call);                                   \
        }                                                                                  \
        p[0].node = 2;                                                                     \
        REFUSED(SUREFILL_ERROR_DOES_NOT_FIT, call); /* nothing of the second kind there */ \
        p[0] = (surefill_part){0, 0};                                                      \
        REFUSED(SUREFILL_ERROR_OUT_OF_RANGE, call);                                        \
        p[0].tasks = -1;                                                                   \
        REFUSED(SUREFILL_ERROR_OUT_OF_RANGE, call);                                        \
        p[0] = (surefill_part){1, 1};                                                      \
        c = 2; /* the same node twice */                                                   \
        REFUSED(SUREFILL_ERROR_OUT_OF_RANGE, call);                                        \
        p = NULL;                                                                          \
        REFUSED(SUREFILL_ERROR_NULL, call);                                                \
        p = ODD(p##_wrong);                                                                \
        REFUSED(SUREFILL_ERROR_MISALIGNED, call);                                          \
    } while (0)

void sweep_nodes_allocate(void) {
    const surefill_request request = half_a_node();
    const surefill_part part = {1, 1};
    int32_t *job = &world.int32[0];
    BAD_HANDLE(KIND_NODES, h, surefill_nodes_allocate(h, &request, &part, 1, job));
    BAD_REQUEST(p, &request, surefill_nodes_allocate(NODES, p, &part, 1, job));
    BAD_PARTS(p, count, surefill_nodes_allocate(NODES, &request, p, count, job));
    BAD_POINTER(p, job, surefill_nodes_allocate(NODES, &request, &part, 1, p));
    copy();
    CHECK_OK(surefill_nodes_allocate(FRESH, &request, &part, 1, job));
    CHECK(*job == 2048); /* the second slot for the first time */
    REFUSED(SUREFILL_ERROR_FULL, surefill_nodes_allocate(FRESH, &request, &part, 1, job)); /* of jobs */
}

static const int32_t wrong_jobs[] = {-1, 1, INT32_MIN, INT32_MAX};

void sweep_nodes_release(void) {
    BAD_HANDLE(KIND_NODES, h, surefill_nodes_release(h, 0));
    for (int i = 0; i < 4; i++) REFUSED(SUREFILL_ERROR_UNKNOWN_JOB, surefill_nodes_release(NODES, wrong_jobs[i]));
    copy();
    CHECK_OK(surefill_nodes_release(FRESH, 0));
    REFUSED(SUREFILL_ERROR_UNKNOWN_JOB, surefill_nodes_release(FRESH, 0)); /* once */
}

void sweep_nodes_placement(void) {
    surefill_part *parts = (surefill_part *)world.int64;
    int32_t *count = &world.int32[0];
    BAD_HANDLE(KIND_NODES, h, surefill_nodes_placement(h, 0, parts, 4, count));
    for (int i = 0; i < 4; i++)
        REFUSED(SUREFILL_ERROR_UNKNOWN_JOB, surefill_nodes_placement(NODES, wrong_jobs[i], parts, 4, count));
    REFUSED(SUREFILL_ERROR_OUT_OF_RANGE, surefill_nodes_placement(NODES, 0, parts, -1, count));
    REFUSED(SUREFILL_ERROR_FULL, surefill_nodes_placement(NODES, 0, NULL, 0, count));
    BAD_POINTER(p, parts, surefill_nodes_placement(NODES, 0, p, 4, count));
    BAD_POINTER(p, count, surefill_nodes_placement(NODES, 0, parts, 4, p));
    CHECK_OK(surefill_nodes_placement(NODES, 0, parts, 1, count));
    CHECK(*count == 1 && parts[0].node == 0 && parts[0].tasks == 1);
}
