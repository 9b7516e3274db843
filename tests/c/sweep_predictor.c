/* The sweep of the predictor: one with a hidden Markov model, and a mixture. */
#include "sweep.h"

enum { NOW = 1000, STATES = 2, BINS_COUNT = 4, KEYS = 2, EXPERTS = 2 };

static const int64_t keys[KEYS] = {7, 600};

static surefill_predictor_options small(int32_t kind) {
    surefill_predictor_options options;
    CHECK_OK(surefill_predictor_options_init(kind, &options));
    options.jobs = 2;
    options.bins = BINS_COUNT;
    options.keys = KEYS;
    options.experts = world.experts;
    options.expert_count = EXPERTS;
    options.histories = 3;
    options.states = STATES;
    options.slots = options.cells = 8;
    options.window = 2;
    return options;
}

/* A new one; one with a queued job (1) and a running one (2), which is full; a mixture that has learnt from a job of 50
 * s, and has the same jobs. */
void make_predictors(void) {
    surefill_predictor *predictor;
    for (int i = 0; i < EXPERTS; i++) world.experts[i] = (surefill_expert){i + 1, 0, 0.5, 1};
    world.options = small(SUREFILL_PREDICTOR_HMM);
    world.mixture_options = small(SUREFILL_PREDICTOR_MIXTURE);
    CHECK_OK(surefill_predictor_init(world.new_predictor, sizeof world.new_predictor, &world.options, BINS, &predictor));
    CHECK_OK(surefill_predictor_init(world.predictor, sizeof world.predictor, &world.options, BINS, &predictor));
    for (int64_t job = 1; job <= 2; job++) CHECK_OK(surefill_predictor_submit(predictor, job, NULL, 0, NOW));
    CHECK_OK(surefill_predictor_start(predictor, 2, NOW));
    CHECK_OK(surefill_predictor_init(world.mixture, sizeof world.mixture, &world.mixture_options, BINS, &predictor));
    CHECK_OK(surefill_predictor_learn(predictor, keys, KEYS, 50));
    for (int64_t job = 1; job <= 2; job++) CHECK_OK(surefill_predictor_submit(predictor, job, keys, KEYS, NOW));
    CHECK_OK(surefill_predictor_start(predictor, 2, NOW));
}

void sweep_predictor_options_init(void) {
    BAD_INIT(surefill_predictor_options, p, n, (surefill_predictor_options_init)(SUREFILL_PREDICTOR_HMM, p, n));
    const int32_t kinds[] = {0, -1, 6, INT32_MIN, INT32_MAX};
    for (int i = 0; i < 5; i++)
        REFUSED(SUREFILL_ERROR_OUT_OF_RANGE, surefill_predictor_options_init(kinds[i], &world.options));
}

void sweep_experts_init(void) {
    const int32_t user = SUREFILL_PREDICTOR_USER, mixture = SUREFILL_PREDICTOR_MIXTURE;
    BAD_POINTER(p, world.experts, surefill_experts_init(user, p, 1, world.int32));
    BAD_POINTER(p, world.int32, surefill_experts_init(user, world.experts, 1, p));
    const int32_t kinds[] = {0, -1, SUREFILL_PREDICTOR_HMM, SUREFILL_PREDICTOR_HMM_ONLINE, SUREFILL_PREDICTOR_CONTEXTS, 6,
                             INT32_MIN, INT32_MAX};
    for (int i = 0; i < 8; i++)
        REFUSED(SUREFILL_ERROR_OUT_OF_RANGE, surefill_experts_init(kinds[i], world.experts, 1, world.int32));
    REFUSED(SUREFILL_ERROR_OUT_OF_RANGE, surefill_experts_init(user, world.experts, -1, world.int32));
    REFUSED(SUREFILL_ERROR_FULL, surefill_experts_init(user, world.experts, 0, world.int32));
    REFUSED(SUREFILL_ERROR_FULL, surefill_experts_init(mixture, world.experts, 2, world.int32));
}

/* Contexts need more memory than the world has: their refusals leave this block as it was. */
enum { CONTEXTS_BYTES = 320000, CONTEXTS_KEYS = 3 };
static int64_t contexts_block[CONTEXTS_BYTES / 8], contexts_before[CONTEXTS_BYTES / 8];
static const int64_t contexts_keys[CONTEXTS_KEYS] = {7, 600, 4};
#define CONTEXTS ((surefill_predictor *)contexts_block)
#define CONTEXTS_REFUSE(status, call)                                                                  \
    do {                                                                                               \
        memcpy(contexts_before, contexts_block, sizeof contexts_block);                                \
        REFUSED(status, call);                                                                         \
        CHECK(memcmp(contexts_before, contexts_block, sizeof contexts_block) == 0);                    \
    } while (0)

/* Like the mixture, it has learnt from a job of 50 s, holds a queued job (1) and a running one (2), and is full. */
static void make_contexts(void) {
    surefill_predictor_options options;
    surefill_predictor *made;
    int64_t bytes = 0;
    CHECK_OK(surefill_predictor_options_init(SUREFILL_PREDICTOR_CONTEXTS, &options));
    CHECK(options.keys == CONTEXTS_KEYS && options.bins == 24 && options.histories == 65536 && options.jobs == 4096);
    options.jobs = 2;
    options.bins = BINS_COUNT;
    options.histories = 3;
    const int32_t wrong[] = {0, -1, INT32_MIN, INT32_MAX};
    for (int i = 0; i < 4; i++) {
        surefill_predictor_options bad[4] = {options, options, options, options};
        bad[0].jobs = bad[1].bins = bad[2].histories = bad[3].keys = wrong[i];
        for (int member = 0; member < 4; member++)
            REFUSED(SUREFILL_ERROR_OUT_OF_RANGE, surefill_predictor_size(&bad[member], world.int64));
    }
    surefill_predictor_options bad[3] = {options, options, options};
    bad[0].bins = 1;
    bad[1].histories = (1 << 24) + 1;
    bad[2].keys = KEYS;
    for (int member = 0; member < 3; member++)
        REFUSED(SUREFILL_ERROR_OUT_OF_RANGE, surefill_predictor_size(&bad[member], world.int64));
    CHECK_OK(surefill_predictor_size(&options, &bytes));
    CHECK(bytes <= CONTEXTS_BYTES);
    CONTEXTS_REFUSE(SUREFILL_ERROR_TOO_SMALL, surefill_predictor_init(contexts_block, bytes - 1, &options, BINS, &made));
    CHECK_OK(surefill_predictor_init(contexts_block, bytes, &options, BINS, &made));
    CHECK_OK(surefill_predictor_learn(made, contexts_keys, CONTEXTS_KEYS, 50));
    for (int64_t job = 1; job <= 2; job++) CHECK_OK(surefill_predictor_submit(made, job, contexts_keys, CONTEXTS_KEYS, NOW));
    CHECK_OK(surefill_predictor_start(made, 2, NOW));
}

/* Events, questions and checkpoints of contexts. */
static void sweep_contexts(void) {
    surefill_predictor **out = (surefill_predictor **)&world.handle[0];
    double p[BINS_COUNT];
    int32_t answer, step;
    make_contexts();
    for (int32_t count = 0; count <= 4; count++)
        if (count != CONTEXTS_KEYS) {
            const int64_t given[4] = {7, 600, 4, 1};
            CONTEXTS_REFUSE(SUREFILL_ERROR_OUT_OF_RANGE, surefill_predictor_submit(CONTEXTS, 3, given, count, NOW));
            CONTEXTS_REFUSE(SUREFILL_ERROR_OUT_OF_RANGE, surefill_predictor_learn(CONTEXTS, given, count, 50));
        }
    CONTEXTS_REFUSE(SUREFILL_ERROR_NULL, surefill_predictor_submit(CONTEXTS, 3, NULL, CONTEXTS_KEYS, NOW));
    CONTEXTS_REFUSE(SUREFILL_ERROR_FULL, surefill_predictor_submit(CONTEXTS, 3, contexts_keys, CONTEXTS_KEYS, NOW));
    CONTEXTS_REFUSE(SUREFILL_ERROR_DUPLICATE_JOB, surefill_predictor_submit(CONTEXTS, 1, contexts_keys, CONTEXTS_KEYS, NOW));
    CONTEXTS_REFUSE(SUREFILL_ERROR_TIME_WENT_BACK,
                    surefill_predictor_submit(CONTEXTS, 3, contexts_keys, CONTEXTS_KEYS, NOW - 1));
    CONTEXTS_REFUSE(SUREFILL_ERROR_UNKNOWN_JOB, surefill_predictor_start(CONTEXTS, 3, NOW));
    CONTEXTS_REFUSE(SUREFILL_ERROR_ALREADY_STARTED, surefill_predictor_start(CONTEXTS, 2, NOW));
    CONTEXTS_REFUSE(SUREFILL_ERROR_NOT_STARTED, surefill_predictor_end(CONTEXTS, 1, NOW));
    CONTEXTS_REFUSE(SUREFILL_ERROR_UNKNOWN_JOB, surefill_predictor_cancel(CONTEXTS, 3, NOW));
    CONTEXTS_REFUSE(SUREFILL_ERROR_OUT_OF_RANGE, surefill_predictor_learn(CONTEXTS, contexts_keys, CONTEXTS_KEYS, -1));
    CONTEXTS_REFUSE(SUREFILL_ERROR_SPAN_TOO_LONG,
                    surefill_predictor_learn(CONTEXTS, contexts_keys, CONTEXTS_KEYS, SUREFILL_MAX_SECONDS + 1));
    CONTEXTS_REFUSE(SUREFILL_ERROR_WRONG_STATE, surefill_predictor_model(CONTEXTS, &world.parameters));
    CONTEXTS_REFUSE(SUREFILL_ERROR_OUT_OF_RANGE, surefill_predictor_set_clock(CONTEXTS, INT64_MIN));
    CHECK_OK(surefill_predictor_train(CONTEXTS, 1, &step, &world.round));
    CHECK(step == SUREFILL_STEP_IDLE);
    CHECK_OK(surefill_predictor_probabilities(CONTEXTS, contexts_keys, CONTEXTS_KEYS, NOW, p, BINS_COUNT, &answer));
    CHECK(answer == SUREFILL_PREDICTION_MADE && p[0] > 0 && p[3] > 0 && fabs(p[0] + p[1] + p[2] + p[3] - 1) < 1e-12);
    /* A job without a limit has 0 in its place. */
    const int64_t no_limit[] = {7, 0, 4};
    CHECK_OK(surefill_predictor_cancel(CONTEXTS, 1, NOW));
    CHECK_OK(surefill_predictor_submit(CONTEXTS, 1, no_limit, CONTEXTS_KEYS, NOW));
    surefill_distribution *found;
    CHECK_OK(surefill_predictor_said(CONTEXTS, 1, world.fresh, sizeof world.fresh, &answer, &found));
    CHECK(answer == SUREFILL_PREDICTION_MADE);
    CHECK_OK(surefill_predictor_predict_job(CONTEXTS, 1, world.fresh, sizeof world.fresh, &answer, &found));
    CHECK(answer == SUREFILL_PREDICTION_MADE);
    /* A checkpoint, and damage to it. */
    CHECK_OK(surefill_predictor_seal(CONTEXTS));
    memcpy(contexts_before, contexts_block, sizeof contexts_block);
    for (size_t byte = 0; byte < sizeof contexts_block; byte += byte < 600 ? 1 : 1009) {
        ((unsigned char *)contexts_before)[byte] ^= 1;
        const int32_t status = surefill_predictor_open(contexts_before, sizeof contexts_before, out);
        CHECK(status != SUREFILL_OK || byte >= (size_t)contexts_block[2]);
        ((unsigned char *)contexts_before)[byte] ^= 1;
    }
    CHECK_OK(surefill_predictor_open(contexts_before, sizeof contexts_before, out));
    CHECK_OK(surefill_predictor_end(*out, 2, NOW + 70));
}

void sweep_predictor_size(void) {
    BAD_POINTER(p, &world.options, surefill_predictor_size(p, world.int64));
    BAD_POINTER(p, world.int64, surefill_predictor_size(&world.options, p));
    const size_t members[] = {offsetof(surefill_predictor_options, kind),   offsetof(surefill_predictor_options, jobs),
                              offsetof(surefill_predictor_options, bins),   offsetof(surefill_predictor_options, states),
                              offsetof(surefill_predictor_options, slots),  offsetof(surefill_predictor_options, cells),
                              offsetof(surefill_predictor_options, window), offsetof(surefill_predictor_options, kind),
                              offsetof(surefill_predictor_options, jobs),   offsetof(surefill_predictor_options, bins),
                              offsetof(surefill_predictor_options, keys),   offsetof(surefill_predictor_options, expert_count),
                              offsetof(surefill_predictor_options, histories)};
    for (int member = 0; member < 13; member++) {
        const int32_t wrong[] = {0, -1, INT32_MIN, INT32_MAX};
        for (int i = 0; i < 4; i++) {
            surefill_predictor_options options = member < 7 ? world.options : world.mixture_options;
            memcpy((char *)&options + members[member], &wrong[i], sizeof wrong[i]);
            REFUSED(SUREFILL_ERROR_OUT_OF_RANGE, surefill_predictor_size(&options, world.int64));
        }
    }
    surefill_predictor_options options = world.options;
    const uint32_t sizes[] = {0, 3, 5, sizeof options - 1, 5000, UINT32_MAX};
    for (int i = 0; i < 6; i++) {
        options.struct_size = sizes[i];
        REFUSED(WRONG_SIZE(sizes[i]), surefill_predictor_size(&options, world.int64));
    }
}

static int64_t size_of(const surefill_predictor_options *options) {
    int64_t bytes = 0;
    CHECK_OK(surefill_predictor_size(options, &bytes));
    CHECK(bytes <= (int64_t)sizeof world.predictor);
    return bytes;
}

static void bad_experts(int64_t bytes, surefill_predictor **out) {
    surefill_predictor_options options = world.mixture_options;
    options.experts = ODD(world.experts);
    REFUSED(SUREFILL_ERROR_MISALIGNED, surefill_predictor_init(world.fresh, bytes, &options, BINS, out));
    options.experts = world.experts;
    const surefill_expert good = world.experts[1];
    const surefill_expert bad[] = {{4, 0, 0.5, 1},  {-1, 0, 0.5, 1},     {INT32_MIN, 0, 0.5, 1}, {1, 1, 0.5, 1},
                                   {1, -1, 0.5, 1}, {1, 0, -0.5, 1},     {1, 0, 1.5, 1},         {1, 0, INFINITY, 1},
                                   {1, 0, 0.5, 0},  {1, 0, 0.5, -1},     {1, 0, 0.5, 2e9},       {1, 0, 0.5, INFINITY},
                                   {1, 0, NAN, 1},  {1, 0, 0.5, NAN}};
    for (int i = 0; i < 14; i++) {
        world.experts[1] = bad[i];
        REFUSED(i < 12 ? SUREFILL_ERROR_OUT_OF_RANGE : SUREFILL_ERROR_NOT_A_NUMBER,
                surefill_predictor_init(world.fresh, bytes, &options, BINS, out));
    }
    world.experts[1] = good;
}

void sweep_predictor_init(void) {
    const int64_t bytes = size_of(&world.options), mixture_bytes = size_of(&world.mixture_options);
    surefill_predictor **out = (surefill_predictor **)&world.handle[0];
    BAD_MEMORY(bytes, m, n, made, surefill_predictor_init(m, n, &world.options, BINS, made));
    BAD_MEMORY(mixture_bytes, m, n, made, surefill_predictor_init(m, n, &world.mixture_options, BINS, made));
    BAD_POINTER(p, &world.options, surefill_predictor_init(world.fresh, bytes, p, BINS, out));
    BAD_HANDLE(KIND_BINS, h, surefill_predictor_init(world.fresh, bytes, &world.options, h, out));
    REFUSED(SUREFILL_ERROR_OUT_OF_RANGE, /* more bins than the options say */
            surefill_predictor_init(world.fresh, bytes, &world.options, (surefill_bins *)world.wide_bins, out));
    bad_experts(mixture_bytes, out);
    const surefill_predictor_options good = world.options;
    surefill_predictor_options bad[24];
    int count = 0;
    for (int i = 0; i < 24; i++) bad[i] = good;
    bad[count++].oldest_seconds = 0;
    bad[count++].oldest_seconds = INT64_MAX;
    bad[count++].load = -1;
    bad[count++].load = 3;
    bad[count++].initial = SUREFILL_INITIAL_PRESENT;
    bad[count++].initial = 2;
    bad[count++].termination = -1;
    bad[count++].termination = 3;
    bad[count++].threshold = -1;
    bad[count].termination = SUREFILL_TERMINATION_ROUNDS;
    bad[count++].threshold = 0;
    bad[count].termination = SUREFILL_TERMINATION_ROUNDS;
    bad[count++].threshold = 2.5;
    bad[count].termination = SUREFILL_TERMINATION_ROUNDS;
    bad[count++].threshold = INFINITY;
    bad[count++].most_rounds = 0;
    bad[count++].most_rounds = INT64_MIN;
    bad[count++].slot_seconds = 0;
    bad[count++].slot_seconds = INT64_MAX;
    bad[count++].initial_seconds = -1;
    bad[count++].restart_seconds = 0;
    bad[count++].floor = -1e-9;
    bad[count++].floor = 1;
    bad[count++].exponent = 0.5;
    bad[count++].exponent = 1.5;
    bad[count++].hold = -1;
    for (int i = 0; i < count; i++)
        REFUSED(SUREFILL_ERROR_OUT_OF_RANGE, surefill_predictor_init(world.fresh, bytes, &bad[i], BINS, out));
    bad[0] = good;
    bad[0].floor = NAN;
    REFUSED(SUREFILL_ERROR_NOT_A_NUMBER, surefill_predictor_init(world.fresh, bytes, &bad[0], BINS, out));
    bad[0] = good;
    bad[0].threshold = NAN;
    REFUSED(SUREFILL_ERROR_NOT_A_NUMBER, surefill_predictor_init(world.fresh, bytes, &bad[0], BINS, out));
    bad[0].struct_size = 17;
    REFUSED(SUREFILL_ERROR_WRONG_VERSION, surefill_predictor_init(world.fresh, bytes, &bad[0], BINS, out));
}

void sweep_predictor_seal(void) { BAD_HANDLE(KIND_PREDICTOR, h, surefill_predictor_seal(h)); }

static void bad_checkpoints(int64_t *sealed, int64_t bytes) {
    surefill_predictor **out = (surefill_predictor **)&world.handle[0];
    REFUSED(SUREFILL_ERROR_CORRUPT, surefill_predictor_open(sealed, bytes, out)); /* not sealed */
    CHECK_OK(surefill_predictor_seal((surefill_predictor *)sealed));
    memcpy(world.fresh, sealed, (size_t)bytes);
    REFUSED(SUREFILL_ERROR_NULL, surefill_predictor_open(NULL, bytes, out));
    REFUSED(SUREFILL_ERROR_MISALIGNED, surefill_predictor_open(HALF(world.fresh), bytes, out));
    REFUSED(SUREFILL_ERROR_TOO_SMALL, surefill_predictor_open(world.fresh, bytes - 1, out));
    REFUSED(SUREFILL_ERROR_OUT_OF_RANGE, surefill_predictor_open(world.fresh, -1, out));
    REFUSED(SUREFILL_ERROR_WRONG_OBJECT, surefill_predictor_open(world.hmm, sizeof world.hmm, out));
    BAD_POINTER(p, out, surefill_predictor_open(world.fresh, bytes, p));
    for (int64_t byte = 0; byte < bytes; byte++) {
        ((unsigned char *)world.fresh)[byte] ^= 1;
        CHECK(surefill_predictor_open(world.fresh, bytes, out) != SUREFILL_OK);
        ((unsigned char *)world.fresh)[byte] ^= 1;
    }
    CHECK_OK(surefill_predictor_open(world.fresh, bytes, out));
    CHECK(*out == (surefill_predictor *)world.fresh);
}

void sweep_predictor_open(void) {
    bad_checkpoints(world.predictor, size_of(&world.options));
    bad_checkpoints(world.mixture, size_of(&world.mixture_options));
    sweep_contexts();
}

/* Every event: before the last one's time, and at no time at all. */
#define BAD_TIME(call)                                      \
    do {                                                    \
        int64_t when = NOW - 1;                             \
        REFUSED(SUREFILL_ERROR_TIME_WENT_BACK, call);       \
        when = INT64_MIN;                                   \
        REFUSED(SUREFILL_ERROR_OUT_OF_RANGE, call);         \
        when = INT64_MAX;                                   \
        REFUSED(SUREFILL_ERROR_OUT_OF_RANGE, call);         \
    } while (0)

/* Wrong keys of a mixture: another number than the options', or none. */
#define BAD_KEYS(k, n, call)                                          \
    do {                                                              \
        const int64_t *k = keys;                                      \
        int32_t n = KEYS;                                             \
        const int32_t counts[] = {INT32_MIN, -1, 0, KEYS - 1};        \
        for (int i = 0; i < 4; i++) {                                 \
            n = counts[i];                                            \
            REFUSED(SUREFILL_ERROR_OUT_OF_RANGE, call);               \
        }                                                             \
        n = KEYS;                                                     \
        k = NULL;                                                     \
        REFUSED(SUREFILL_ERROR_NULL, call);                           \
        k = (const int64_t *)HALF(world.int64);                       \
        REFUSED(SUREFILL_ERROR_MISALIGNED, call);                     \
    } while (0)

void sweep_predictor_submit(void) {
    BAD_HANDLE(KIND_PREDICTOR, h, surefill_predictor_submit(h, 3, NULL, 0, NOW));
    BAD_TIME(surefill_predictor_submit(PREDICTOR, 3, NULL, 0, when));
    BAD_TIME(surefill_predictor_submit(MIXTURE, 3, keys, KEYS, when));
    BAD_KEYS(k, n, surefill_predictor_submit(MIXTURE, 3, k, n, NOW));
    REFUSED(SUREFILL_ERROR_OUT_OF_RANGE, surefill_predictor_submit(PREDICTOR, 3, keys, 1, NOW));
    for (int64_t job = 1; job <= 3; job++) {
        const int32_t status = job == 3 ? SUREFILL_ERROR_FULL : SUREFILL_ERROR_DUPLICATE_JOB;
        REFUSED(status, surefill_predictor_submit(PREDICTOR, job, NULL, 0, NOW));
        REFUSED(status, surefill_predictor_submit(MIXTURE, job, keys, KEYS, NOW));
    }
}

void sweep_predictor_start(void) {
    BAD_HANDLE(KIND_PREDICTOR, h, surefill_predictor_start(h, 1, NOW));
    BAD_TIME(surefill_predictor_start(PREDICTOR, 1, when));
    REFUSED(SUREFILL_ERROR_UNKNOWN_JOB, surefill_predictor_start(PREDICTOR, 3, NOW));
    REFUSED(SUREFILL_ERROR_ALREADY_STARTED, surefill_predictor_start(PREDICTOR, 2, NOW));
    REFUSED(SUREFILL_ERROR_ALREADY_STARTED, surefill_predictor_start(MIXTURE, 2, NOW));
}

void sweep_predictor_end(void) {
    BAD_HANDLE(KIND_PREDICTOR, h, surefill_predictor_end(h, 2, NOW));
    BAD_TIME(surefill_predictor_end(PREDICTOR, 2, when));
    REFUSED(SUREFILL_ERROR_UNKNOWN_JOB, surefill_predictor_end(PREDICTOR, 3, NOW));
    REFUSED(SUREFILL_ERROR_NOT_STARTED, surefill_predictor_end(PREDICTOR, 1, NOW));
    REFUSED(SUREFILL_ERROR_NOT_STARTED, surefill_predictor_end(MIXTURE, 1, NOW));
}

void sweep_predictor_cancel(void) {
    BAD_HANDLE(KIND_PREDICTOR, h, surefill_predictor_cancel(h, 2, NOW));
    BAD_TIME(surefill_predictor_cancel(PREDICTOR, 2, when));
    REFUSED(SUREFILL_ERROR_UNKNOWN_JOB, surefill_predictor_cancel(PREDICTOR, 3, NOW));
}

void sweep_predictor_learn(void) {
    BAD_HANDLE(KIND_PREDICTOR, h, surefill_predictor_learn(h, keys, KEYS, 50));
    BAD_KEYS(k, n, surefill_predictor_learn(MIXTURE, k, n, 50));
    const int64_t wrong[] = {INT64_MIN, -1, SUREFILL_MAX_SECONDS + 1, INT64_MAX};
    for (int i = 0; i < 4; i++)
        REFUSED(i < 2 ? SUREFILL_ERROR_OUT_OF_RANGE : SUREFILL_ERROR_SPAN_TOO_LONG,
                surefill_predictor_learn(MIXTURE, keys, KEYS, wrong[i]));
    REFUSED(SUREFILL_ERROR_WRONG_STATE, surefill_predictor_learn(PREDICTOR, NULL, 0, 50));
}

void sweep_predictor_set_clock(void) {
    BAD_HANDLE(KIND_PREDICTOR, h, surefill_predictor_set_clock(h, NOW));
    const int64_t wrong[] = {INT64_MIN, -(INT64_C(1) << 53) - 1, (INT64_C(1) << 53) + 1, INT64_MAX};
    for (int i = 0; i < 4; i++) {
        REFUSED(SUREFILL_ERROR_OUT_OF_RANGE, surefill_predictor_set_clock(PREDICTOR, wrong[i]));
        REFUSED(SUREFILL_ERROR_OUT_OF_RANGE, surefill_predictor_set_clock(MIXTURE, wrong[i]));
    }
    int64_t *const both[] = {world.predictor, world.mixture};
    for (int i = 0; i < 2; i++) {
        surefill_predictor *copy = (surefill_predictor *)world.fresh;
        memcpy(world.fresh, both[i], sizeof world.predictor);
        CHECK_OK(surefill_predictor_set_clock(copy, NOW - 500));
        CHECK_OK(surefill_predictor_cancel(copy, 1, NOW - 499));
    }
}

void sweep_predictor_jobs(void) {
    int32_t *written = &world.int32[0], *held = &world.int32[1];
    BAD_HANDLE(KIND_PREDICTOR, h, surefill_predictor_jobs(h, world.held, 3, written, held));
    FILLS(surefill_held_job, 104, p, surefill_predictor_jobs(PREDICTOR, p, 1, written, held));
    BAD_POINTER(p, written, surefill_predictor_jobs(PREDICTOR, world.held, 3, p, held));
    BAD_POINTER(p, held, surefill_predictor_jobs(PREDICTOR, world.held, 3, written, p));
    REFUSED(SUREFILL_ERROR_OUT_OF_RANGE, surefill_predictor_jobs(PREDICTOR, world.held, -1, written, held));
    CHECK_OK(surefill_predictor_jobs(PREDICTOR, NULL, 0, written, held));
    CHECK(*written == 0 && *held == 2);
    CHECK_OK(surefill_predictor_jobs(PREDICTOR, world.held, 1, written, held));
    CHECK(*written == 1 && *held == 2 && world.held[0].job == 1);
    CHECK_OK(surefill_predictor_jobs(PREDICTOR, world.held, 3, written, held));
    CHECK(*written == 2 && world.held[0].submitted == NOW && world.held[0].running == 0 && world.held[0].given_up == 0);
    CHECK(world.held[1].job == 2 && world.held[1].running == 1 && world.held[1].started == NOW);
    CHECK(world.held[1].key_count == 0); /* this one has a hidden Markov model */
    make_contexts();
    CHECK_OK(surefill_predictor_jobs(CONTEXTS, world.held, 3, written, held));
    CHECK(world.held[1].running == 1 && world.held[1].key_count == CONTEXTS_KEYS && world.held[1].keys[3] == 0);
    CHECK(memcmp(world.held[1].keys, contexts_keys, sizeof contexts_keys) == 0);
}

/* Wrong arguments for the distribution of a predictor's answer. */
#define BAD_PREDICTION(m, n, a, made, call)                                                     \
    do {                                                                                        \
        int32_t *a = world.int32;                                                               \
        BAD_MEMORY(SUREFILL_DISTRIBUTION_SIZE, m, n, made, call);                             \
        void *m = world.fresh, *made = &world.handle[0];                                        \
        const int64_t n = sizeof world.fresh;                                                   \
        a = NULL;                                                                               \
        REFUSED(SUREFILL_ERROR_NULL, call);                                                     \
        a = ODD(world.int32);                                                                   \
        REFUSED(SUREFILL_ERROR_MISALIGNED, call);                                               \
    } while (0)

static int64_t median(void) {
    int64_t found = -1;
    CHECK_OK(surefill_distribution_quantile((surefill_distribution *)world.fresh, 0.5, 0, 77, &found));
    return found;
}

void sweep_predictor_predict(void) {
    int32_t *answer = world.int32;
    surefill_distribution **out = (surefill_distribution **)&world.handle[0];
    const int64_t bytes = SUREFILL_DISTRIBUTION_SIZE;
    BAD_HANDLE(KIND_PREDICTOR, h, surefill_predictor_predict(h, NULL, 0, NOW, world.fresh, bytes, answer, out));
    BAD_PREDICTION(m, n, a, made, surefill_predictor_predict(PREDICTOR, NULL, 0, NOW, m, n, a, made));
    BAD_PREDICTION(m, n, a, made, surefill_predictor_predict(MIXTURE, keys, KEYS, NOW, m, n, a, made));
    BAD_KEYS(k, n, surefill_predictor_predict(MIXTURE, k, n, NOW, world.fresh, bytes, answer, out));
    BAD_TIME(surefill_predictor_predict(PREDICTOR, NULL, 0, when, world.fresh, bytes, answer, out));
    BAD_TIME(surefill_predictor_predict(MIXTURE, keys, KEYS, when, world.fresh, bytes, answer, out));
    /* A question about later changes nothing. */
    CHECK_OK(surefill_predictor_predict(PREDICTOR, NULL, 0, NOW + 1000000, world.fresh, bytes, answer, out));
    CHECK_OK(surefill_predictor_predict(PREDICTOR, NULL, 0, NOW, world.fresh, bytes, answer, out));
    CHECK(*answer == SUREFILL_PREDICTION_INITIAL_PERIOD && *out == (surefill_distribution *)world.fresh && median() == 77);
    CHECK_OK(surefill_predictor_predict(MIXTURE, keys, KEYS, NOW, world.fresh, bytes, answer, out));
    CHECK(*answer == SUREFILL_PREDICTION_MADE && median() < 77);
}

void sweep_predictor_probabilities(void) {
    int32_t *answer = world.int32;
    double *p = world.real[0];
    BAD_HANDLE(KIND_PREDICTOR, h, surefill_predictor_probabilities(h, NULL, 0, NOW, p, BINS_COUNT, answer));
    BAD_POINTER(q, p, surefill_predictor_probabilities(PREDICTOR, NULL, 0, NOW, q, BINS_COUNT, answer));
    BAD_POINTER(q, answer, surefill_predictor_probabilities(PREDICTOR, NULL, 0, NOW, p, BINS_COUNT, q));
    BAD_TIME(surefill_predictor_probabilities(PREDICTOR, NULL, 0, when, p, BINS_COUNT, answer));
    BAD_KEYS(k, n, surefill_predictor_probabilities(MIXTURE, k, n, NOW, p, BINS_COUNT, answer));
    const int32_t counts[] = {0, 3, 5, -4, INT32_MIN};
    for (int i = 0; i < 5; i++) {
        REFUSED(SUREFILL_ERROR_OUT_OF_RANGE, surefill_predictor_probabilities(PREDICTOR, NULL, 0, NOW, p, counts[i], answer));
        REFUSED(SUREFILL_ERROR_OUT_OF_RANGE,
                surefill_predictor_probabilities(MIXTURE, keys, KEYS, NOW, p, counts[i], answer));
    }
    /* Bins below 10, 100 and 1,000 s: all that was seen ran for 50; the others share a hundredth. */
    CHECK_OK(surefill_predictor_probabilities(MIXTURE, keys, KEYS, NOW, p, BINS_COUNT, answer));
    CHECK(*answer == SUREFILL_PREDICTION_MADE && p[1] == 0.99 && p[0] == 0.01 / 3 && p[2] == p[0] && p[3] == p[0]);
}

void sweep_predictor_said(void) {
    int32_t *answer = world.int32;
    surefill_distribution **out = (surefill_distribution **)&world.handle[0];
    const int64_t bytes = SUREFILL_DISTRIBUTION_SIZE;
    BAD_HANDLE(KIND_PREDICTOR, h, surefill_predictor_said(h, 1, world.fresh, bytes, answer, out));
    BAD_PREDICTION(m, n, a, made, surefill_predictor_said(PREDICTOR, 1, m, n, a, made));
    BAD_PREDICTION(m, n, a, made, surefill_predictor_said(MIXTURE, 1, m, n, a, made));
    REFUSED(SUREFILL_ERROR_UNKNOWN_JOB, surefill_predictor_said(PREDICTOR, 3, world.fresh, bytes, answer, out));
    CHECK_OK(surefill_predictor_said(PREDICTOR, 1, world.fresh, bytes, answer, out));
    CHECK(*answer == SUREFILL_PREDICTION_INITIAL_PERIOD && median() == 77);
    CHECK_OK(surefill_predictor_said(MIXTURE, 2, world.fresh, bytes, answer, out));
    CHECK(*answer == SUREFILL_PREDICTION_MADE && median() < 77);
}

void sweep_predictor_predict_job(void) {
    int32_t *answer = world.int32;
    surefill_distribution **out = (surefill_distribution **)&world.handle[0];
    const int64_t bytes = SUREFILL_DISTRIBUTION_SIZE;
    BAD_HANDLE(KIND_PREDICTOR, h, surefill_predictor_predict_job(h, 1, world.fresh, bytes, answer, out));
    BAD_PREDICTION(m, n, a, made, surefill_predictor_predict_job(PREDICTOR, 1, m, n, a, made));
    BAD_PREDICTION(m, n, a, made, surefill_predictor_predict_job(MIXTURE, 1, m, n, a, made));
    REFUSED(SUREFILL_ERROR_UNKNOWN_JOB, surefill_predictor_predict_job(MIXTURE, 3, world.fresh, bytes, answer, out));
    CHECK_OK(surefill_predictor_predict_job(PREDICTOR, 2, world.fresh, bytes, answer, out));
    CHECK(*answer == SUREFILL_PREDICTION_INITIAL_PERIOD);
    CHECK_OK(surefill_predictor_predict_job(MIXTURE, 1, world.fresh, bytes, answer, out));
    CHECK(*answer == SUREFILL_PREDICTION_MADE && median() < 77);
}

void sweep_predictor_wants_training(void) {
    BAD_HANDLE(KIND_PREDICTOR, h, surefill_predictor_wants_training(h, world.int32));
    BAD_POINTER(p, world.int32, surefill_predictor_wants_training(PREDICTOR, p));
    CHECK(surefill_predictor_wants_training(PREDICTOR, world.int32) == SUREFILL_OK && world.int32[0] == 0);
    CHECK(surefill_predictor_wants_training(MIXTURE, world.int32) == SUREFILL_OK && world.int32[0] == 0);
}

void sweep_predictor_train(void) {
    int32_t *step = world.int32;
    BAD_HANDLE(KIND_PREDICTOR, h, surefill_predictor_train(h, 1, step, &world.round));
    BAD_POINTER(p, step, surefill_predictor_train(PREDICTOR, 1, p, &world.round));
    BAD_POINTER(p, &world.round, surefill_predictor_train(PREDICTOR, 1, step, p));
    BAD_SIZES(&world.round, 56, surefill_predictor_train(PREDICTOR, 1, step, &world.round));
    REFUSED(SUREFILL_ERROR_OUT_OF_RANGE, surefill_predictor_train(PREDICTOR, 0, step, &world.round));
    REFUSED(SUREFILL_ERROR_OUT_OF_RANGE, surefill_predictor_train(PREDICTOR, -1, step, &world.round));
    CHECK(surefill_predictor_train(PREDICTOR, 1, step, &world.round) == SUREFILL_OK && *step == SUREFILL_STEP_IDLE);
    CHECK(surefill_predictor_train(MIXTURE, 1, step, &world.round) == SUREFILL_OK && *step == SUREFILL_STEP_IDLE);
}

static double half[] = {0.5, 0.5, 0.5, 0.5}, quarter[] = {0.25, 0.25, 0.25, 0.25, 0.25, 0.25, 0.25, 0.25};

static surefill_model_parameters uniform(void) {
    return (surefill_model_parameters){STATES, BINS_COUNT, SUREFILL_LOAD_NONE, 0, half, half, quarter, NULL};
}

void sweep_predictor_set_model(void) {
    surefill_predictor *new_one = (surefill_predictor *)world.new_predictor;
    surefill_model_parameters given = uniform();
    BAD_HANDLE(KIND_PREDICTOR, h, surefill_predictor_set_model(h, &given));
    BAD_POINTER(p, &world.parameters, surefill_predictor_set_model(new_one, p));
    BAD_POINTER(p, world.real, (given.start = p, surefill_predictor_set_model(new_one, &given)));
    given = uniform();
    BAD_POINTER(p, world.real, (given.transition = p, surefill_predictor_set_model(new_one, &given)));
    given = uniform();
    BAD_POINTER(p, world.real, (given.emission = p, surefill_predictor_set_model(new_one, &given)));
    given = uniform();
    given.load = SUREFILL_LOAD_POISSON;
    REFUSED(SUREFILL_ERROR_NULL, surefill_predictor_set_model(new_one, &given));
    for (int i = 0; i < 4; i++) {
        given = uniform();
        (i == 0 ? &given.states : i == 1 ? &given.bins : i == 2 ? &given.load : &given.reserved)[0] += i < 2 ? -1 : 7;
        REFUSED(SUREFILL_ERROR_OUT_OF_RANGE, surefill_predictor_set_model(new_one, &given));
    }
    given = uniform();
    given.start = quarter;
    REFUSED(SUREFILL_ERROR_NOT_A_DISTRIBUTION, surefill_predictor_set_model(new_one, &given));
    given = uniform();
    REFUSED(SUREFILL_ERROR_WRONG_STATE, surefill_predictor_set_model(PREDICTOR, &given));
    REFUSED(SUREFILL_ERROR_WRONG_STATE, surefill_predictor_set_model(MIXTURE, &given));
}

void sweep_predictor_model(void) {
    surefill_predictor *new_one = (surefill_predictor *)world.new_predictor;
    double *a = world.real[0];
    const surefill_model_parameters good = {STATES, BINS_COUNT, 7, 0, a, a + 10, a + 20, a + 30}, given = uniform();
    surefill_model_parameters *to = &world.parameters;
    *to = good;
    REFUSED(SUREFILL_ERROR_WRONG_STATE, surefill_predictor_model(PREDICTOR, to));
    REFUSED(SUREFILL_ERROR_WRONG_STATE, surefill_predictor_model(MIXTURE, to));
    CHECK_OK(surefill_predictor_set_model(new_one, &given));
    BAD_HANDLE(KIND_PREDICTOR, h, surefill_predictor_model(h, to));
    BAD_POINTER(p, to, surefill_predictor_model(new_one, p));
    double **const arrays[] = {&to->start, &to->transition, &to->emission, &to->load_parameter};
    for (int i = 0; i < 4; i++) {
        *to = good;
        *arrays[i] = NULL;
        REFUSED(SUREFILL_ERROR_NULL, surefill_predictor_model(new_one, to));
        *arrays[i] = ODD(a);
        REFUSED(SUREFILL_ERROR_MISALIGNED, surefill_predictor_model(new_one, to));
    }
    for (int i = 0; i < 3; i++) {
        *to = good;
        (i == 0 ? &to->states : i == 1 ? &to->bins : &to->reserved)[0]++;
        REFUSED(SUREFILL_ERROR_OUT_OF_RANGE, surefill_predictor_model(new_one, to));
    }
    *to = good;
    CHECK_OK(surefill_predictor_model(new_one, to));
    CHECK(to->load == SUREFILL_LOAD_NONE && memcmp(to->transition, half, sizeof half) == 0 &&
          memcmp(to->emission, quarter, sizeof quarter) == 0);
}
