/* The sweep of the hidden Markov model. */
#include "sweep.h"

#define NEW ((surefill_hmm *)world.new_hmm)

enum { STATES = 2, BINS_COUNT = 4, SLOTS = 4 };

static const double start[STATES] = {0.25, 0.75};
static const double transition[STATES * STATES] = {0.5, 0.5, 0.125, 0.875};
static const double emission[STATES * BINS_COUNT] = {0.5, 0.5, 0, 0, 0, 0.25, 0.25, 0.5};
static const double load[STATES] = {0.5, 1};

static surefill_hmm_capacity small_capacity(void) {
    surefill_hmm_capacity capacity;
    CHECK_OK(surefill_hmm_capacity_init(&capacity));
    capacity.states = STATES;
    capacity.bins = BINS_COUNT;
    capacity.slots = SLOTS;
    capacity.cells = 8;
    return capacity;
}

/* surefill_hmm_set_parameters with the structure's members one by one. */
static int32_t set(surefill_hmm *hmm, int32_t states, int32_t bins, int32_t model, const double *pi, const double *a,
                   const double *b, const double *l) {
    const surefill_model_parameters given = {states, bins, model, 0, (double *)pi, (double *)a, (double *)b, (double *)l};
    return surefill_hmm_set_parameters(hmm, &given);
}

/* surefill_hmm_parameters with the structure's members one by one. */
static int32_t get(const surefill_hmm *hmm, int32_t states, int32_t bins, int32_t *model, double *pi, double *a, double *b,
                   double *l) {
    surefill_model_parameters asked = {states, bins, *model, 0, pi, a, b, l};
    const int32_t status = surefill_hmm_parameters(hmm, &asked);
    *model = asked.load;
    return status;
}

/* One without parameters, one in training. */
void make_hmms(void) {
    world.hmm_capacity = small_capacity();
    surefill_hmm *hmm;
    int32_t step;
    CHECK_OK(surefill_hmm_init(world.new_hmm, sizeof world.new_hmm, &world.hmm_capacity, &hmm));
    CHECK_OK(surefill_hmm_extend(hmm, 0));
    CHECK_OK(surefill_hmm_init(world.hmm, sizeof world.hmm, &world.hmm_capacity, &hmm));
    CHECK_OK(set(hmm, STATES, BINS_COUNT, SUREFILL_LOAD_POISSON, start, transition, emission, load));
    for (int i = 0; i < SLOTS; i++) CHECK_OK(surefill_hmm_observe(hmm, i, i));
    CHECK_OK(surefill_hmm_begin_training(hmm, SUREFILL_INITIAL_PRESENT, 0, 0, SLOTS));
    CHECK_OK(surefill_hmm_train(hmm, 5, &step, &world.round));
    CHECK(step == SUREFILL_STEP_MORE);
}

void sweep_hmm_capacity_init(void) { BAD_INIT(surefill_hmm_capacity, p, n, (surefill_hmm_capacity_init)(p, n)); }

void sweep_hmm_size(void) {
    BAD_POINTER(p, &world.hmm_capacity, surefill_hmm_size(p, world.int64));
    BAD_POINTER(p, world.int64, surefill_hmm_size(&world.hmm_capacity, p));
    const struct {
        size_t offset;
        int32_t value;
    } wrong[] = {{offsetof(surefill_hmm_capacity, states), 0},     {offsetof(surefill_hmm_capacity, states), -1},
                 {offsetof(surefill_hmm_capacity, states), SUREFILL_MAX_STATES + 1},
                 {offsetof(surefill_hmm_capacity, bins), 1},       {offsetof(surefill_hmm_capacity, bins), SUREFILL_MAX_BINS + 1},
                 {offsetof(surefill_hmm_capacity, slots), 1},      {offsetof(surefill_hmm_capacity, slots), INT32_MIN},
                 {offsetof(surefill_hmm_capacity, slots), INT32_MAX}, {offsetof(surefill_hmm_capacity, cells), 3},
                 {offsetof(surefill_hmm_capacity, cells), INT32_MAX}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        surefill_hmm_capacity capacity = small_capacity();
        memcpy((char *)&capacity + wrong[i].offset, &wrong[i].value, sizeof wrong[i].value);
        REFUSED(SUREFILL_ERROR_OUT_OF_RANGE, surefill_hmm_size(&capacity, world.int64));
    }
    surefill_hmm_capacity capacity = small_capacity();
    const uint32_t sizes[] = {0, 3, 5, sizeof capacity - 1, 5000, UINT32_MAX};
    for (int i = 0; i < 6; i++) {
        capacity.struct_size = sizes[i];
        REFUSED(WRONG_SIZE(sizes[i]), surefill_hmm_size(&capacity, world.int64));
    }
    capacity.struct_size = sizeof capacity - 4; /* of an older program: the default cells */
    CHECK_OK(surefill_hmm_size(&capacity, world.int64));
    CHECK(world.int64[0] > 1200000);
}

static int64_t size(void) {
    int64_t bytes = 0;
    CHECK_OK(surefill_hmm_size(&world.hmm_capacity, &bytes));
    CHECK(bytes <= (int64_t)sizeof world.hmm);
    return bytes;
}

void sweep_hmm_init(void) {
    const int64_t bytes = size();
    BAD_MEMORY(bytes, m, n, out, surefill_hmm_init(m, n, &world.hmm_capacity, out));
    BAD_POINTER(p, &world.hmm_capacity, surefill_hmm_init(world.fresh, bytes, p, (surefill_hmm **)&world.handle[0]));
    surefill_hmm_capacity capacity = small_capacity();
    capacity.states = 0;
    REFUSED(SUREFILL_ERROR_OUT_OF_RANGE,
            surefill_hmm_init(world.fresh, bytes, &capacity, (surefill_hmm **)&world.handle[0]));
}

void sweep_hmm_seal(void) { BAD_HANDLE(KIND_HMM, h, surefill_hmm_seal(h)); }

void sweep_hmm_open(void) {
    surefill_hmm **out = (surefill_hmm **)&world.handle[0];
    const int64_t bytes = size();
    REFUSED(SUREFILL_ERROR_CORRUPT, surefill_hmm_open(world.hmm, bytes, out)); /* not sealed */
    CHECK_OK(surefill_hmm_seal(HMM));
    memcpy(world.fresh, world.hmm, (size_t)bytes);
    REFUSED(SUREFILL_ERROR_NULL, surefill_hmm_open(NULL, bytes, out));
    REFUSED(SUREFILL_ERROR_MISALIGNED, surefill_hmm_open(HALF(world.fresh), bytes, out));
    REFUSED(SUREFILL_ERROR_TOO_SMALL, surefill_hmm_open(world.fresh, bytes - 1, out));
    REFUSED(SUREFILL_ERROR_TOO_SMALL, surefill_hmm_open(world.fresh, 0, out));
    REFUSED(SUREFILL_ERROR_OUT_OF_RANGE, surefill_hmm_open(world.fresh, -1, out));
    BAD_POINTER(p, out, surefill_hmm_open(world.fresh, bytes, p));
    for (int64_t byte = 0; byte < bytes; byte++) {
        ((unsigned char *)world.fresh)[byte] ^= 0x10;
        const int32_t status = surefill_hmm_open(world.fresh, bytes, out);
        CHECK(status != SUREFILL_OK);
        ((unsigned char *)world.fresh)[byte] ^= 0x10;
    }
    for (int i = 0; i < 4; i++) { /* the magic of the other byte order */
        unsigned char *magic = (unsigned char *)world.fresh, low = magic[i];
        magic[i] = magic[7 - i];
        magic[7 - i] = low;
    }
    REFUSED(SUREFILL_ERROR_FOREIGN_BYTE_ORDER, surefill_hmm_open(world.fresh, bytes, out));
    memcpy(world.fresh, world.hmm, (size_t)bytes);
    CHECK_OK(surefill_hmm_open(world.fresh, bytes, out));
    CHECK(*out == (surefill_hmm *)world.fresh);
}

void sweep_hmm_set_parameters(void) {
    const int32_t poisson = SUREFILL_LOAD_POISSON;
    BAD_HANDLE(KIND_HMM, h,
               set(h, STATES, BINS_COUNT, poisson, start, transition, emission, load));
    BAD_POINTER(p, world.real, set(HMM, 2, 4, poisson, p, transition, emission, load));
    BAD_POINTER(p, world.real, set(HMM, 2, 4, poisson, start, p, emission, load));
    BAD_POINTER(p, world.real, set(HMM, 2, 4, poisson, start, transition, p, load));
    BAD_POINTER(p, world.real, set(HMM, 2, 4, poisson, start, transition, emission, p));
    const int32_t counts[][2] = {{1, 4}, {3, 4}, {2, 3}, {2, 5}, {-2, 4}, {2, -4}, {INT32_MAX, 4}, {0, 0}, {INT32_MIN, INT32_MIN}};
    for (int i = 0; i < 9; i++) /* before anything is read */
        REFUSED(SUREFILL_ERROR_OUT_OF_RANGE,
                set(HMM, counts[i][0], counts[i][1], poisson, NULL, NULL, NULL, NULL));
    surefill_model_parameters *given = &world.parameters;
    *given = (surefill_model_parameters){2, 4, poisson, 0, (double *)start, (double *)transition, (double *)emission,
                                         (double *)load};
    BAD_POINTER(p, given, surefill_hmm_set_parameters(HMM, p));
    given->reserved = 1;
    REFUSED(SUREFILL_ERROR_OUT_OF_RANGE, surefill_hmm_set_parameters(HMM, given));
    const int32_t loads[] = {-1, 3, INT32_MAX};
    for (int i = 0; i < 3; i++)
        REFUSED(SUREFILL_ERROR_OUT_OF_RANGE,
                set(HMM, 2, 4, loads[i], start, transition, emission, load));
    const double wrong[] = {NAN, -1, 2, INFINITY};
    for (int i = 0; i < 4; i++) {
        const int32_t expected = i == 0 ? SUREFILL_ERROR_NOT_A_NUMBER : SUREFILL_ERROR_OUT_OF_RANGE;
        const double bad[] = {wrong[i], 0.5, 0.5, 0.5, 0, 0.25, 0.25, 0.5};
        REFUSED(expected, set(HMM, 2, 4, poisson, bad, transition, emission, load));
        REFUSED(expected, set(HMM, 2, 4, poisson, start, bad, emission, load));
        REFUSED(expected, set(HMM, 2, 4, poisson, start, transition, bad, load));
        if (i != 2) REFUSED(expected, set(HMM, 2, 4, poisson, start, transition, emission, bad));
        if (i != 2)
            REFUSED(expected, set(HMM, 2, 4, SUREFILL_LOAD_GEOMETRIC, start, transition, emission, bad));
    }
    const double half[] = {0.5, 0.25, 0.25, 0.5, 0, 0.25, 0.25, 0.5};
    REFUSED(SUREFILL_ERROR_NOT_A_DISTRIBUTION, set(HMM, 2, 4, poisson, half, transition, emission, load));
    REFUSED(SUREFILL_ERROR_NOT_A_DISTRIBUTION, set(HMM, 2, 4, poisson, start, half, emission, load));
    REFUSED(SUREFILL_ERROR_NOT_A_DISTRIBUTION, set(HMM, 2, 4, poisson, start, transition, half, load));
    CHECK_OK(set(HMM, 2, 4, SUREFILL_LOAD_NONE, start, transition, emission, NULL));
    make_hmms();
}

void sweep_hmm_parameters(void) {
    double *a = world.real[0], *b = world.real[0] + 10, *c = world.real[0] + 20, *d = world.real[0] + 30;
    int32_t *l = world.int32;
    BAD_HANDLE(KIND_HMM, h, get(h, 2, 4, l, a, b, c, d));
    surefill_model_parameters *asked = &world.parameters;
    *asked = (surefill_model_parameters){2, 4, 0, 0, a, b, c, d};
    BAD_POINTER(p, asked, surefill_hmm_parameters(HMM, p));
    asked->reserved = 1;
    REFUSED(SUREFILL_ERROR_OUT_OF_RANGE, surefill_hmm_parameters(HMM, asked));
    BAD_POINTER(p, a, get(HMM, 2, 4, l, p, b, c, d));
    BAD_POINTER(p, b, get(HMM, 2, 4, l, a, p, c, d));
    BAD_POINTER(p, c, get(HMM, 2, 4, l, a, b, p, d));
    BAD_POINTER(p, d, get(HMM, 2, 4, l, a, b, c, p));
    REFUSED(SUREFILL_ERROR_OUT_OF_RANGE, get(HMM, 3, 4, l, a, b, c, d));
    REFUSED(SUREFILL_ERROR_OUT_OF_RANGE, get(HMM, 2, -4, l, a, b, c, d));
    REFUSED(SUREFILL_ERROR_WRONG_STATE, get(NEW, 2, 4, l, a, b, c, d));
    CHECK_OK(get(HMM, 2, 4, l, a, b, c, d));
    CHECK(*l == SUREFILL_LOAD_POISSON && memcmp(a, start, sizeof start) == 0 && memcmp(d, load, sizeof load) == 0);
    CHECK(memcmp(b, transition, sizeof transition) == 0 && memcmp(c, emission, sizeof emission) == 0);
}

void sweep_hmm_init_static(void) {
    BAD_HANDLE(KIND_HMM, h, surefill_hmm_init_static(h, 0, 1));
    REFUSED(SUREFILL_ERROR_NOT_A_NUMBER, surefill_hmm_init_static(HMM, 0, NAN));
    const double wrong[] = {0, -1, INFINITY, -INFINITY};
    for (int i = 0; i < 4; i++) REFUSED(SUREFILL_ERROR_OUT_OF_RANGE, surefill_hmm_init_static(HMM, 0, wrong[i]));
    REFUSED(SUREFILL_ERROR_OUT_OF_RANGE, surefill_hmm_init_static(HMM, -1, 1));
    REFUSED(SUREFILL_ERROR_OUT_OF_RANGE, surefill_hmm_init_static(HMM, 3, 1));
}

void sweep_hmm_halve_slots(void) {
    BAD_HANDLE(KIND_HMM, h, surefill_hmm_halve_slots(h));
    REFUSED(SUREFILL_ERROR_WRONG_STATE, surefill_hmm_halve_slots(NEW));
}

static const int64_t wrong_slots[] = {-1, INT64_MIN, INT64_MAX, (int64_t)1 << 54};

void sweep_hmm_observe(void) {
    BAD_HANDLE(KIND_HMM, h, surefill_hmm_observe(h, 3, 0));
    const int32_t wrong_bins[] = {-1, BINS_COUNT, INT32_MIN, INT32_MAX};
    for (int i = 0; i < 4; i++) {
        REFUSED(SUREFILL_ERROR_OUT_OF_RANGE, surefill_hmm_observe(HMM, 3, wrong_bins[i]));
        REFUSED(SUREFILL_ERROR_OUT_OF_RANGE, surefill_hmm_observe(HMM, wrong_slots[i], 0));
    }
}

void sweep_hmm_extend(void) {
    BAD_HANDLE(KIND_HMM, h, surefill_hmm_extend(h, 3));
    for (int i = 0; i < 4; i++) REFUSED(SUREFILL_ERROR_OUT_OF_RANGE, surefill_hmm_extend(HMM, wrong_slots[i]));
}

void sweep_hmm_slots(void) {
    BAD_HANDLE(KIND_HMM, h, surefill_hmm_slots(h, world.int64, world.int64 + 1));
    BAD_POINTER(p, world.int64, surefill_hmm_slots(HMM, p, world.int64 + 1));
    BAD_POINTER(p, world.int64, surefill_hmm_slots(HMM, world.int64, p));
}

/* Ranges of slots that are empty or not held. */
static const int64_t wrong_ranges[][2] = {{0, 0},  {2, 1}, {-1, 2}, {0, SLOTS + 1}, {SLOTS, SLOTS + 1}, {INT64_MIN, INT64_MAX},
                                          {INT64_MAX, INT64_MIN}};
enum { RANGES = sizeof wrong_ranges / sizeof *wrong_ranges };

void sweep_hmm_log_likelihood(void) {
    BAD_HANDLE(KIND_HMM, h, surefill_hmm_log_likelihood(h, 0, SLOTS, 0, world.real[0]));
    BAD_POINTER(p, world.real[0], surefill_hmm_log_likelihood(HMM, 0, SLOTS, 0, p));
    REFUSED(SUREFILL_ERROR_OUT_OF_RANGE, surefill_hmm_log_likelihood(HMM, 0, SLOTS, -1, world.real[0]));
    REFUSED(SUREFILL_ERROR_OUT_OF_RANGE, surefill_hmm_log_likelihood(HMM, 0, SLOTS, 2, world.real[0]));
    for (int i = 0; i < RANGES; i++)
        REFUSED(SUREFILL_ERROR_OUT_OF_RANGE,
                surefill_hmm_log_likelihood(HMM, wrong_ranges[i][0], wrong_ranges[i][1], 0, world.real[0]));
    REFUSED(SUREFILL_ERROR_WRONG_STATE, surefill_hmm_log_likelihood(NEW, 0, 1, 0, world.real[0]));
}

void sweep_hmm_filter(void) {
    double *p = world.real[0], *out = world.real[1];
    BAD_HANDLE(KIND_HMM, h, surefill_hmm_filter(h, 0, SLOTS, p, STATES, out));
    BAD_POINTER(q, p, surefill_hmm_filter(HMM, 0, SLOTS, q, STATES, out));
    BAD_POINTER(q, out, surefill_hmm_filter(HMM, 0, SLOTS, p, STATES, q));
    for (int i = 0; i < RANGES; i++)
        REFUSED(SUREFILL_ERROR_OUT_OF_RANGE, surefill_hmm_filter(HMM, wrong_ranges[i][0], wrong_ranges[i][1], p, STATES, out));
    const int32_t counts[] = {0, 1, 3, -2, INT32_MIN};
    for (int i = 0; i < 5; i++) REFUSED(SUREFILL_ERROR_OUT_OF_RANGE, surefill_hmm_filter(HMM, 0, SLOTS, p, counts[i], out));
    REFUSED(SUREFILL_ERROR_WRONG_STATE, surefill_hmm_filter(NEW, 0, 1, p, STATES, out));
}

void sweep_hmm_viterbi(void) {
    static int32_t path[SLOTS];
    double *out = world.real[1];
    BAD_HANDLE(KIND_HMM, h, surefill_hmm_viterbi(h, 0, SLOTS, path, SLOTS, out));
    BAD_POINTER(q, path, surefill_hmm_viterbi(HMM, 0, SLOTS, q, SLOTS, out));
    BAD_POINTER(q, out, surefill_hmm_viterbi(HMM, 0, SLOTS, path, SLOTS, q));
    for (int i = 0; i < RANGES; i++)
        REFUSED(SUREFILL_ERROR_OUT_OF_RANGE,
                surefill_hmm_viterbi(HMM, wrong_ranges[i][0], wrong_ranges[i][1], path, SLOTS, out));
    const int32_t lengths[] = {0, SLOTS - 1, SLOTS + 1, -SLOTS, INT32_MIN};
    for (int i = 0; i < 5; i++)
        REFUSED(SUREFILL_ERROR_OUT_OF_RANGE,
                surefill_hmm_viterbi(HMM, 0, SLOTS, path, lengths[i], out));
    REFUSED(SUREFILL_ERROR_WRONG_STATE, surefill_hmm_viterbi(NEW, 0, 1, path, 1, out));
}

void sweep_hmm_begin_training(void) {
    BAD_HANDLE(KIND_HMM, h, surefill_hmm_begin_training(h, SUREFILL_INITIAL_STATIC, 0, 0, SLOTS));
    const int32_t initials[] = {-2, 2, INT32_MIN, INT32_MAX}, loads[] = {-1, 3, INT32_MIN, INT32_MAX};
    for (int i = 0; i < 4; i++) {
        REFUSED(SUREFILL_ERROR_OUT_OF_RANGE, surefill_hmm_begin_training(HMM, initials[i], 0, 0, SLOTS));
        REFUSED(SUREFILL_ERROR_OUT_OF_RANGE, surefill_hmm_begin_training(HMM, SUREFILL_INITIAL_STATIC, loads[i], 0, SLOTS));
    }
    for (int initial = -1; initial < 2; initial++)
        for (int i = 0; i < RANGES; i++)
            REFUSED(SUREFILL_ERROR_OUT_OF_RANGE,
                    surefill_hmm_begin_training(HMM, initial, 0, wrong_ranges[i][0], wrong_ranges[i][1]));
    REFUSED(SUREFILL_ERROR_WRONG_STATE, surefill_hmm_begin_training(NEW, SUREFILL_INITIAL_PRESENT, 0, 0, 1));
    REFUSED(SUREFILL_ERROR_EMPTY, surefill_hmm_begin_training(NEW, SUREFILL_INITIAL_K_MEANS, 0, 0, 1));
}

void sweep_hmm_train(void) {
    int32_t *step = world.int32;
    BAD_HANDLE(KIND_HMM, h, surefill_hmm_train(h, 1, step, &world.round));
    BAD_POINTER(p, step, surefill_hmm_train(HMM, 1, p, &world.round));
    BAD_POINTER(p, &world.round, surefill_hmm_train(HMM, 1, step, p));
    BAD_SIZES(&world.round, 56, surefill_hmm_train(HMM, 1, step, &world.round));
    REFUSED(SUREFILL_ERROR_OUT_OF_RANGE, surefill_hmm_train(HMM, 0, step, &world.round));
    REFUSED(SUREFILL_ERROR_OUT_OF_RANGE, surefill_hmm_train(HMM, INT64_MIN, step, &world.round));
    REFUSED(SUREFILL_ERROR_WRONG_STATE, surefill_hmm_train(NEW, 1, step, &world.round));
}
