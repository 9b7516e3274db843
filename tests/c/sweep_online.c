/* The sweep of the model that learns on line. */
#include "sweep.h"

enum { STATES = 2, BINS_COUNT = 4 };

static const double start[STATES] = {0.25, 0.75};
static const double transition[STATES * STATES] = {0.5, 0.5, 0.125, 0.875};
static const double emission[STATES * BINS_COUNT] = {0.5, 0.5, 0, 0, 0, 0.25, 0.75, 0};
static const double load[STATES] = {0.5, 1};
static const int32_t counts[BINS_COUNT] = {1, 0, 2, 0};

/* surefill_online_hmm_init with the parameters one by one. */
static int32_t init(void *memory, int64_t length, int32_t states, int32_t bins, int32_t model, const double *pi,
                    const double *a, const double *b, const double *l, const surefill_online_hmm_options *options,
                    surefill_online_hmm **online) {
    const surefill_model_parameters given = {states, bins, model, 0, (double *)pi, (double *)a, (double *)b, (double *)l};
    return surefill_online_hmm_init(memory, length, &given, options, online);
}

/* surefill_online_hmm_parameters with the structure's members one by one. */
static int32_t get(const surefill_online_hmm *hmm, int32_t states, int32_t bins, int32_t *model, double *pi, double *a, double *b,
                   double *l) {
    surefill_model_parameters asked = {states, bins, *model, 0, pi, a, b, l};
    const int32_t status = surefill_online_hmm_parameters(hmm, &asked);
    *model = asked.load;
    return status;
}

void make_online_hmms(void) {
    surefill_online_hmm *made;
    CHECK_OK(surefill_online_hmm_options_init(&world.online_options));
    CHECK_OK(init(world.online_hmm, sizeof world.online_hmm, STATES, BINS_COUNT, SUREFILL_LOAD_POISSON, start, transition,
                  emission, load, &world.online_options, &made));
}

void sweep_online_hmm_options_init(void) {
    BAD_INIT(surefill_online_hmm_options, p, n, (surefill_online_hmm_options_init)(p, n));
}

void sweep_online_hmm_size(void) {
    surefill_model_parameters *given = &world.parameters;
    *given = (surefill_model_parameters){.states = STATES, .bins = BINS_COUNT};
    BAD_POINTER(p, world.int64, surefill_online_hmm_size(given, p));
    BAD_POINTER(p, given, surefill_online_hmm_size(p, world.int64));
    const int32_t states[] = {0, -1, INT32_MIN, SUREFILL_MAX_STATES + 1, INT32_MAX};
    for (int i = 0; i < 5; i++) {
        *given = (surefill_model_parameters){.states = states[i], .bins = 4};
        REFUSED(SUREFILL_ERROR_OUT_OF_RANGE, surefill_online_hmm_size(given, world.int64));
    }
    const int32_t bins[] = {0, 1, -1, INT32_MIN, SUREFILL_MAX_BINS + 1, INT32_MAX};
    for (int i = 0; i < 6; i++) {
        *given = (surefill_model_parameters){.states = 2, .bins = bins[i]};
        REFUSED(SUREFILL_ERROR_OUT_OF_RANGE, surefill_online_hmm_size(given, world.int64));
    }
}

static int64_t size(void) {
    int64_t bytes = 0;
    const surefill_model_parameters given = {.states = STATES, .bins = BINS_COUNT};
    CHECK_OK(surefill_online_hmm_size(&given, &bytes));
    CHECK(bytes <= (int64_t)sizeof world.online_hmm);
    /* The documented size, with S = 8. */
    CHECK(bytes <= 8 * 8 * (STATES * (STATES + 1 + BINS_COUNT) + 3 * STATES + 3 * BINS_COUNT + 8) + 100);
    return bytes;
}

void sweep_online_hmm_init(void) {
    const int64_t bytes = size();
    const surefill_online_hmm_options *good = &world.online_options;
    surefill_online_hmm **out = (surefill_online_hmm **)&world.handle[0];
    BAD_MEMORY(bytes, m, n, made, init(m, n, STATES, BINS_COUNT, 1, start, transition, emission, load, good, made));
    BAD_POINTER(p, start, init(world.fresh, bytes, 2, 4, 1, p, transition, emission, load, good, out));
    BAD_POINTER(p, start, init(world.fresh, bytes, 2, 4, 1, start, p, emission, load, good, out));
    BAD_POINTER(p, start, init(world.fresh, bytes, 2, 4, 1, start, transition, p, load, good, out));
    BAD_POINTER(p, start, init(world.fresh, bytes, 2, 4, 1, start, transition, emission, p, good, out));
    BAD_POINTER(p, good, init(world.fresh, bytes, 2, 4, 1, start, transition, emission, load, p, out));
    surefill_model_parameters *given = &world.parameters;
    *given = (surefill_model_parameters){2, 4, 1, 0, (double *)start, (double *)transition, (double *)emission, (double *)load};
    BAD_POINTER(p, given, surefill_online_hmm_init(world.fresh, bytes, p, good, out));
    const struct {
        int32_t states, bins, load;
    } wrong[] = {{0, 4, 1}, {-1, 4, 1}, {65, 4, 1}, {INT32_MAX, INT32_MAX, 1}, {2, 1, 1}, {2, 97, 1}, {2, -4, 1}, {2, 4, -1}, {2, 4, 3}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        REFUSED(SUREFILL_ERROR_OUT_OF_RANGE, init(world.fresh, bytes, wrong[i].states, wrong[i].bins, wrong[i].load, start,
                                                  transition, emission, load, good, out));
    const double half[STATES] = {0.5, 0.25}, nan[STATES] = {0.5, NAN}, negative[STATES] = {-0.5, 1.5};
    REFUSED(SUREFILL_ERROR_NOT_A_DISTRIBUTION, init(world.fresh, bytes, 2, 4, 1, half, transition, emission, load, good, out));
    REFUSED(SUREFILL_ERROR_NOT_A_NUMBER, init(world.fresh, bytes, 2, 4, 1, nan, transition, emission, load, good, out));
    REFUSED(SUREFILL_ERROR_OUT_OF_RANGE, init(world.fresh, bytes, 2, 4, 1, negative, transition, emission, load, good, out));
    REFUSED(SUREFILL_ERROR_OUT_OF_RANGE, init(world.fresh, bytes, 2, 4, 1, start, transition, emission, negative, good, out));
    surefill_online_hmm_options bad[8];
    for (int i = 0; i < 8; i++) bad[i] = *good;
    bad[0].reserved = 1;
    bad[1].exponent = 0.5;
    bad[2].exponent = 1.001;
    bad[3].floor = -1e-9;
    bad[4].floor = 1;
    bad[5].hold = -1;
    for (int i = 0; i < 6; i++)
        REFUSED(SUREFILL_ERROR_OUT_OF_RANGE, init(world.fresh, bytes, 2, 4, 1, start, transition, emission, load, &bad[i], out));
    bad[6].exponent = NAN;
    bad[7].floor = NAN;
    for (int i = 6; i < 8; i++)
        REFUSED(SUREFILL_ERROR_NOT_A_NUMBER, init(world.fresh, bytes, 2, 4, 1, start, transition, emission, load, &bad[i], out));
    const uint32_t sizes[] = {0, 3, 5, sizeof *good - 1, 5000, UINT32_MAX};
    for (int i = 0; i < 6; i++) {
        bad[0] = *good;
        bad[0].struct_size = sizes[i];
        REFUSED(WRONG_SIZE(sizes[i]), init(world.fresh, bytes, 2, 4, 1, start, transition, emission, load, &bad[0], out));
    }
    /* Without a load model its parameters are not read. */
    CHECK_OK(init(world.fresh, bytes, 2, 4, SUREFILL_LOAD_NONE, start, transition, emission, NULL, good, out));
}

void sweep_online_hmm_seal(void) { BAD_HANDLE(KIND_ONLINE_HMM, h, surefill_online_hmm_seal(h)); }

void sweep_online_hmm_open(void) {
    surefill_online_hmm **out = (surefill_online_hmm **)&world.handle[0];
    const int64_t bytes = size();
    REFUSED(SUREFILL_ERROR_CORRUPT, surefill_online_hmm_open(world.online_hmm, bytes, out)); /* not sealed */
    CHECK_OK(surefill_online_hmm_seal(ONLINE_HMM));
    memcpy(world.fresh, world.online_hmm, (size_t)bytes);
    REFUSED(SUREFILL_ERROR_NULL, surefill_online_hmm_open(NULL, bytes, out));
    REFUSED(SUREFILL_ERROR_MISALIGNED, surefill_online_hmm_open(HALF(world.fresh), bytes, out));
    REFUSED(SUREFILL_ERROR_TOO_SMALL, surefill_online_hmm_open(world.fresh, bytes - 1, out));
    REFUSED(SUREFILL_ERROR_OUT_OF_RANGE, surefill_online_hmm_open(world.fresh, -1, out));
    REFUSED(SUREFILL_ERROR_WRONG_OBJECT, surefill_online_hmm_open(world.hmm, sizeof world.hmm, out));
    BAD_POINTER(p, out, surefill_online_hmm_open(world.fresh, bytes, p));
    for (int64_t byte = 0; byte < bytes; byte++) {
        ((unsigned char *)world.fresh)[byte] ^= 1;
        CHECK(surefill_online_hmm_open(world.fresh, bytes, out) != SUREFILL_OK);
        ((unsigned char *)world.fresh)[byte] ^= 1;
    }
    CHECK_OK(surefill_online_hmm_open(world.fresh, bytes, out));
    CHECK(*out == (surefill_online_hmm *)world.fresh);
}

void sweep_online_hmm_learn(void) {
    double *likelihood = world.real[0];
    int32_t *explained = world.int32;
    BAD_HANDLE(KIND_ONLINE_HMM, h, surefill_online_hmm_learn(h, counts, BINS_COUNT, likelihood, explained));
    BAD_POINTER(p, counts, surefill_online_hmm_learn(ONLINE_HMM, p, BINS_COUNT, likelihood, explained));
    BAD_POINTER(p, likelihood, surefill_online_hmm_learn(ONLINE_HMM, counts, BINS_COUNT, p, explained));
    BAD_POINTER(p, explained, surefill_online_hmm_learn(ONLINE_HMM, counts, BINS_COUNT, likelihood, p));
    const int32_t lengths[] = {0, 3, -4, INT32_MIN};
    for (int i = 0; i < 4; i++)
        REFUSED(SUREFILL_ERROR_OUT_OF_RANGE, surefill_online_hmm_learn(ONLINE_HMM, counts, lengths[i], likelihood, explained));
    static const int32_t many[SUREFILL_MAX_BINS + 1] = {0};
    REFUSED(SUREFILL_ERROR_OUT_OF_RANGE, surefill_online_hmm_learn(ONLINE_HMM, many, 5, likelihood, explained));
    REFUSED(SUREFILL_ERROR_OUT_OF_RANGE,
            surefill_online_hmm_learn(ONLINE_HMM, many, SUREFILL_MAX_BINS + 1, likelihood, explained));
    const int32_t negative[BINS_COUNT] = {1, 0, -1, 0}, sum[BINS_COUNT] = {INT32_MAX, INT32_MAX, 2, 0};
    REFUSED(SUREFILL_ERROR_OUT_OF_RANGE, surefill_online_hmm_learn(ONLINE_HMM, negative, BINS_COUNT, likelihood, explained));
    REFUSED(SUREFILL_ERROR_OUT_OF_RANGE, surefill_online_hmm_learn(ONLINE_HMM, sum, BINS_COUNT, likelihood, explained));
    /* No state has bins 0 and 2 both, which the floor makes possible. */
    CHECK_OK(surefill_online_hmm_learn(ONLINE_HMM, counts, BINS_COUNT, likelihood, explained));
    CHECK(*explained == 0 && *likelihood < 0 && *likelihood > -INFINITY);
    make_online_hmms(); /* as it was */
}

void sweep_online_hmm_probabilities(void) {
    double *p = world.real[0];
    BAD_HANDLE(KIND_ONLINE_HMM, h, surefill_online_hmm_probabilities(h, p, BINS_COUNT));
    BAD_POINTER(q, p, surefill_online_hmm_probabilities(ONLINE_HMM, q, BINS_COUNT));
    const int32_t lengths[] = {0, 3, 5, -4, INT32_MIN};
    for (int i = 0; i < 5; i++)
        REFUSED(SUREFILL_ERROR_OUT_OF_RANGE, surefill_online_hmm_probabilities(ONLINE_HMM, p, lengths[i]));
    CHECK_OK(surefill_online_hmm_probabilities(ONLINE_HMM, p, BINS_COUNT));
    CHECK(p[0] == 0.125 && p[1] == 0.3125 && p[2] == 0.5625 && p[3] == 0);
}

void sweep_online_hmm_slots(void) {
    BAD_HANDLE(KIND_ONLINE_HMM, h, surefill_online_hmm_slots(h, world.int64));
    BAD_POINTER(p, world.int64, surefill_online_hmm_slots(ONLINE_HMM, p));
    CHECK(surefill_online_hmm_slots(ONLINE_HMM, world.int64) == SUREFILL_OK && world.int64[0] == 0);
}

void sweep_online_hmm_parameters(void) {
    double *a = world.real[0], *b = world.real[0] + 10, *c = world.real[0] + 20, *d = world.real[0] + 30;
    int32_t *l = world.int32;
    BAD_HANDLE(KIND_ONLINE_HMM, h, get(h, 2, 4, l, a, b, c, d));
    surefill_model_parameters *asked = &world.parameters;
    *asked = (surefill_model_parameters){2, 4, 0, 0, a, b, c, d};
    BAD_POINTER(p, asked, surefill_online_hmm_parameters(ONLINE_HMM, p));
    BAD_POINTER(p, a, get(ONLINE_HMM, 2, 4, l, p, b, c, d));
    BAD_POINTER(p, b, get(ONLINE_HMM, 2, 4, l, a, p, c, d));
    BAD_POINTER(p, c, get(ONLINE_HMM, 2, 4, l, a, b, p, d));
    BAD_POINTER(p, d, get(ONLINE_HMM, 2, 4, l, a, b, c, p));
    REFUSED(SUREFILL_ERROR_OUT_OF_RANGE, get(ONLINE_HMM, 3, 4, l, a, b, c, d));
    REFUSED(SUREFILL_ERROR_OUT_OF_RANGE, get(ONLINE_HMM, 2, 5, l, a, b, c, d));
    REFUSED(SUREFILL_ERROR_OUT_OF_RANGE, get(ONLINE_HMM, -2, -4, l, a, b, c, d));
    CHECK_OK(get(ONLINE_HMM, 2, 4, l, a, b, c, d));
    CHECK(*l == SUREFILL_LOAD_POISSON && memcmp(a, start, sizeof start) == 0 &&
          memcmp(b, transition, sizeof transition) == 0 && memcmp(c, emission, sizeof emission) == 0 &&
          memcmp(d, load, sizeof load) == 0);
}
