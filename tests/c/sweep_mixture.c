/* The sweep of the mixture. */
#include "sweep.h"

enum { BINS_COUNT = 4, KEYS = 2, EXPERTS = 2 };

static const int64_t keys[KEYS] = {7, 600};

static surefill_mixture_limits small_limits(void) {
    surefill_mixture_limits limits;
    CHECK_OK(surefill_mixture_limits_init(&limits));
    limits.bins = BINS_COUNT;
    limits.keys = KEYS;
    limits.experts = EXPERTS;
    limits.histories = 3;
    return limits;
}

/* One that has learnt from a job. */
void make_mixtures(void) {
    surefill_mixture *mixture;
    world.mixture_limits = small_limits();
    for (int i = 0; i < EXPERTS; i++) world.experts[i] = (surefill_expert){i + 1, 0, 0.5, 1};
    CHECK_OK(surefill_mixture_init(world.mixture, sizeof world.mixture, &world.mixture_limits, BINS, world.experts, EXPERTS,
                                   &mixture));
    CHECK_OK(surefill_mixture_learn(mixture, keys, KEYS, 50));
}

static int64_t size(void) {
    int64_t bytes = 0;
    CHECK_OK(surefill_mixture_size(&world.mixture_limits, &bytes));
    CHECK(bytes <= (int64_t)sizeof world.mixture);
    return bytes;
}

void sweep_mixture_limits_init(void) {
    BAD_POINTER(p, &world.mixture_limits, surefill_mixture_limits_init(p));
}

void sweep_experts_init(void) {
    BAD_POINTER(p, world.experts, surefill_experts_init(SUREFILL_EXPERTS_USER, p, 1, world.int32));
    BAD_POINTER(p, world.int32, surefill_experts_init(SUREFILL_EXPERTS_USER, world.experts, 1, p));
    REFUSED(SUREFILL_ERROR_OUT_OF_RANGE, surefill_experts_init(-1, world.experts, 1, world.int32));
    REFUSED(SUREFILL_ERROR_OUT_OF_RANGE, surefill_experts_init(2, world.experts, 1, world.int32));
    REFUSED(SUREFILL_ERROR_OUT_OF_RANGE, surefill_experts_init(SUREFILL_EXPERTS_USER, world.experts, -1, world.int32));
    REFUSED(SUREFILL_ERROR_FULL, surefill_experts_init(SUREFILL_EXPERTS_USER, world.experts, 0, world.int32));
    REFUSED(SUREFILL_ERROR_FULL, surefill_experts_init(SUREFILL_EXPERTS_MIX, world.experts, 2, world.int32));
}

void sweep_mixture_size(void) {
    BAD_POINTER(p, &world.mixture_limits, surefill_mixture_size(p, world.int64));
    BAD_POINTER(p, world.int64, surefill_mixture_size(&world.mixture_limits, p));
    for (size_t offset = 4; offset < sizeof(surefill_mixture_limits); offset += 4) {
        const int32_t wrong[] = {0, -1, INT32_MIN, INT32_MAX};
        for (int i = 0; i < 4; i++) {
            surefill_mixture_limits limits = small_limits();
            memcpy((char *)&limits + offset, &wrong[i], sizeof wrong[i]);
            REFUSED(SUREFILL_ERROR_OUT_OF_RANGE, surefill_mixture_size(&limits, world.int64));
        }
    }
    surefill_mixture_limits limits = small_limits();
    const uint32_t sizes[] = {0, 3, 5, sizeof limits - 1, 5000, UINT32_MAX};
    for (int i = 0; i < 6; i++) {
        limits.struct_size = sizes[i];
        REFUSED(SUREFILL_ERROR_WRONG_VERSION, surefill_mixture_size(&limits, world.int64));
    }
}

void sweep_mixture_init(void) {
    const int64_t bytes = size();
    surefill_mixture **out = (surefill_mixture **)&world.handle[0];
    const surefill_mixture_limits *limits = &world.mixture_limits;
    surefill_expert *experts = world.experts;
    BAD_MEMORY(bytes, m, n, made, surefill_mixture_init(m, n, limits, BINS, experts, EXPERTS, made));
    BAD_POINTER(p, limits, surefill_mixture_init(world.fresh, bytes, p, BINS, experts, EXPERTS, out));
    BAD_POINTER(p, experts, surefill_mixture_init(world.fresh, bytes, limits, BINS, p, EXPERTS, out));
    BAD_HANDLE(KIND_BINS, h, surefill_mixture_init(world.fresh, bytes, limits, h, experts, EXPERTS, out));
    REFUSED(SUREFILL_ERROR_OUT_OF_RANGE, /* more bins than the limits say */
            surefill_mixture_init(world.fresh, bytes, limits, (surefill_bins *)world.wide_bins, experts, EXPERTS, out));
    const int32_t counts[] = {INT32_MIN, -1, 0, 1};
    for (int i = 0; i < 4; i++)
        REFUSED(SUREFILL_ERROR_OUT_OF_RANGE,
                surefill_mixture_init(world.fresh, bytes, limits, BINS, experts, counts[i], out));
    const surefill_expert good = experts[1];
    const surefill_expert bad[] = {{4, 0, 0.5, 1},        {-1, 0, 0.5, 1},      {INT32_MIN, 0, 0.5, 1},
                                   {1, 1, 0.5, 1},        {1, -1, 0.5, 1},      {1, 0, -0.5, 1},
                                   {1, 0, 1.5, 1},        {1, 0, INFINITY, 1},  {1, 0, 0.5, 0},
                                   {1, 0, 0.5, -1},       {1, 0, 0.5, 2e9},     {1, 0, 0.5, INFINITY}};
    for (int i = 0; i < 12; i++) {
        experts[1] = bad[i];
        REFUSED(SUREFILL_ERROR_OUT_OF_RANGE,
                surefill_mixture_init(world.fresh, bytes, limits, BINS, experts, EXPERTS, out));
    }
    for (int i = 0; i < 2; i++) {
        experts[1] = (surefill_expert){1, 0, i ? NAN : 0.5, i ? 1 : NAN};
        REFUSED(SUREFILL_ERROR_NOT_A_NUMBER,
                surefill_mixture_init(world.fresh, bytes, limits, BINS, experts, EXPERTS, out));
    }
    experts[1] = good;
}

/* As many keys as the limits say, and where they are. */
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

void sweep_mixture_learn(void) {
    BAD_HANDLE(KIND_MIXTURE, h, surefill_mixture_learn(h, keys, KEYS, 50));
    BAD_KEYS(k, n, surefill_mixture_learn(MIXTURE, k, n, 50));
    const int64_t wrong[] = {INT64_MIN, -1, SUREFILL_MAX_SECONDS + 1, INT64_MAX};
    for (int i = 0; i < 4; i++)
        REFUSED(SUREFILL_ERROR_OUT_OF_RANGE, surefill_mixture_learn(MIXTURE, keys, KEYS, wrong[i]));
}

void sweep_mixture_predict(void) {
    const int64_t bytes = surefill_distribution_size();
    surefill_distribution **out = (surefill_distribution **)&world.handle[0];
    BAD_HANDLE(KIND_MIXTURE, h, surefill_mixture_predict(h, keys, KEYS, world.fresh, bytes, out));
    BAD_KEYS(k, n, surefill_mixture_predict(MIXTURE, k, n, world.fresh, bytes, out));
    BAD_MEMORY(bytes, m, n, made, surefill_mixture_predict(MIXTURE, keys, KEYS, m, n, made));
    double probabilities[BINS_COUNT];
    int32_t count;
    CHECK_OK(surefill_distribution_recalculate(*out, 0, SUREFILL_MAX_SECONDS, probabilities, BINS_COUNT, &count));
    /* Bins below 10, 100 and 1,000 s: all that was seen ran for 50. */
    CHECK(count == BINS_COUNT && probabilities[1] == 1);
}

void sweep_mixture_weights(void) {
    double *weights = world.real[0];
    BAD_HANDLE(KIND_MIXTURE, h, surefill_mixture_weights(h, keys, KEYS, weights, EXPERTS));
    BAD_KEYS(k, n, surefill_mixture_weights(MIXTURE, k, n, weights, EXPERTS));
    BAD_POINTER(p, weights, surefill_mixture_weights(MIXTURE, keys, KEYS, p, EXPERTS));
    REFUSED(SUREFILL_ERROR_OUT_OF_RANGE, surefill_mixture_weights(MIXTURE, keys, KEYS, weights, -1));
    REFUSED(SUREFILL_ERROR_FULL, surefill_mixture_weights(MIXTURE, keys, KEYS, weights, 0));
    REFUSED(SUREFILL_ERROR_FULL, surefill_mixture_weights(MIXTURE, keys, KEYS, weights, EXPERTS - 1));
    CHECK_OK(surefill_mixture_weights(MIXTURE, keys, KEYS, weights, EXPERTS));
    CHECK(weights[0] == 0.5 && weights[1] == 0.5);
}

void sweep_mixture_seal(void) { BAD_HANDLE(KIND_MIXTURE, h, surefill_mixture_seal(h)); }

void sweep_mixture_open(void) {
    surefill_mixture **out = (surefill_mixture **)&world.handle[0];
    const int64_t bytes = size();
    REFUSED(SUREFILL_ERROR_CORRUPT, surefill_mixture_open(world.mixture, bytes, out)); /* not sealed */
    CHECK_OK(surefill_mixture_seal(MIXTURE));
    memcpy(world.fresh, world.mixture, (size_t)bytes);
    REFUSED(SUREFILL_ERROR_NULL, surefill_mixture_open(NULL, bytes, out));
    REFUSED(SUREFILL_ERROR_MISALIGNED, surefill_mixture_open(HALF(world.fresh), bytes, out));
    const int64_t short_lengths[] = {0, 1, 24, bytes - 1};
    for (int i = 0; i < 4; i++)
        REFUSED(SUREFILL_ERROR_TOO_SMALL, surefill_mixture_open(world.fresh, short_lengths[i], out));
    REFUSED(SUREFILL_ERROR_OUT_OF_RANGE, surefill_mixture_open(world.fresh, -1, out));
    REFUSED(SUREFILL_ERROR_WRONG_OBJECT, surefill_mixture_open(world.filling_pass, sizeof world.filling_pass, out));
    BAD_POINTER(p, out, surefill_mixture_open(world.fresh, bytes, p));
    for (int64_t byte = 0; byte < bytes; byte++) {
        ((unsigned char *)world.fresh)[byte] ^= 1;
        CHECK(surefill_mixture_open(world.fresh, bytes, out) != SUREFILL_OK);
        ((unsigned char *)world.fresh)[byte] ^= 1;
    }
    CHECK_OK(surefill_mixture_open(world.fresh, bytes, out));
    CHECK(*out == (surefill_mixture *)world.fresh);
}
