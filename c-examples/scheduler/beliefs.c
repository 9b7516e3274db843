/* The library's mixture of histories of like jobs: the user's, those with the same limit, width or name, and several of
 * these at once, weighed for each user by how well they have done; or the user's alone; and its hidden Markov model, if
 * wanted. */
#include "beliefs.h"
#include "markov.h"

#include <stdlib.h>
#include <string.h>

enum { BINS = 24, KEYS = 4, BIN_WORDS = SUREFILL_BINS_SIZE / 8, DISTRIBUTION_WORDS = SUREFILL_DISTRIBUTION_SIZE / 8 };
enum { KEY_USER, KEY_LIMIT, KEY_WIDTH, KEY_NAME }; /* the first three are those of the library's own experts */
static const surefill_expert BY_NAME[] = {
    {.keys = 1 << KEY_USER | 1 << KEY_NAME, .decay = 0.9, .prior = 2},
    {.keys = 1 << KEY_USER | 1 << KEY_NAME | 1 << KEY_LIMIT | 1 << KEY_WIDTH, .decay = 0.9, .prior = 2},
};
enum { NAMED = sizeof BY_NAME / sizeof *BY_NAME };

struct beliefs {
    int64_t bins_memory[BIN_WORDS], distribution_memory[DISTRIBUTION_WORDS];
    surefill_bins *bins;
    surefill_predictor *mixture; /* knows jobs by their keys, and need not hold any */
    int64_t size, experts; /* of the mixture */
    struct waits *waits;
    struct delays *delays;
    struct starts *starts;
    struct markov *markov; /* NULL unless wanted */
    int64_t jobs;
};

/* A mixture that has seen no job: of one history for each user, or of all. */
static bool make_mixture(struct beliefs *beliefs, bool users_only) {
    int32_t kind = users_only ? SUREFILL_PREDICTOR_USER : SUREFILL_PREDICTOR_MIXTURE, named = users_only ? 0 : NAMED;
    surefill_predictor_options options;
    surefill_expert experts[SUREFILL_MAX_EXPERTS];
    int32_t count = 0;
    void *memory;
    if (surefill_predictor_options_init(kind, &options) != SUREFILL_OK ||
        surefill_experts_init(kind, experts, SUREFILL_MAX_EXPERTS, &count) != SUREFILL_OK ||
        count + named > SUREFILL_MAX_EXPERTS)
        return false;
    memcpy(experts + count, BY_NAME, (size_t)named * sizeof *BY_NAME);
    options.jobs = 1;
    options.bins = BINS;
    options.keys = KEYS;
    options.experts = experts;
    beliefs->experts = options.expert_count = count + named;
    if (surefill_predictor_size(&options, &beliefs->size) != SUREFILL_OK) return false;
    memory = malloc((size_t)beliefs->size);
    if (memory == NULL) return false;
    if (surefill_predictor_init(memory, beliefs->size, &options, beliefs->bins, &beliefs->mixture) == SUREFILL_OK)
        return true;
    free(memory);
    return false;
}

void beliefs_free(struct beliefs *beliefs) {
    if (beliefs == NULL) return;
    free(beliefs->mixture);
    waits_free(beliefs->waits);
    delays_free(beliefs->delays);
    starts_free(beliefs->starts);
    markov_free(beliefs->markov);
    free(beliefs);
}

struct beliefs *beliefs_make(enum predictor predictor) {
    struct beliefs *beliefs = calloc(1, sizeof *beliefs);
    bool good;
    if (beliefs == NULL) return NULL;
    good = surefill_bins_init_default(beliefs->bins_memory, sizeof beliefs->bins_memory, &beliefs->bins) == SUREFILL_OK &&
           make_mixture(beliefs, predictor == PREDICTOR_USER) &&
           (beliefs->waits = waits_make()) != NULL && (beliefs->delays = delays_make()) != NULL &&
           (beliefs->starts = starts_make()) != NULL;
    if (good && predictor == PREDICTOR_HMM) good = (beliefs->markov = markov_make(beliefs->bins, BINS)) != NULL;
    if (good) return beliefs;
    beliefs_free(beliefs);
    return NULL;
}

int64_t beliefs_name(const char *name) {
    uint64_t hash = 0xCBF29CE484222325u; /* FNV-1a */
    for (; name != NULL && *name != '\0'; name++) hash = (hash ^ (unsigned char)*name) * 0x100000001B3u;
    return (int64_t)(hash >> 1);
}

static void keys_of(const struct facts *facts, int64_t keys[KEYS]) {
    keys[KEY_USER] = facts->user;
    keys[KEY_LIMIT] = facts->limit;
    keys[KEY_WIDTH] = facts->asked;
    keys[KEY_NAME] = facts->name;
}

/* Histories of like jobs need neither submissions nor starts. */
void beliefs_submitted(struct beliefs *beliefs, const struct facts *facts, int64_t now) {
    if (beliefs->markov != NULL) markov_submitted(beliefs->markov, facts->id, now);
}

void beliefs_started(struct beliefs *beliefs, const struct facts *facts, int64_t now) {
    if (beliefs->markov != NULL) markov_started(beliefs->markov, facts->id, now);
}

void beliefs_withdrawn(struct beliefs *beliefs, const struct facts *facts, int64_t now) {
    delays_ended(beliefs->delays, facts->id, now);
    if (beliefs->markov != NULL) markov_withdrawn(beliefs->markov, facts->id, now);
}

void beliefs_ended(struct beliefs *beliefs, const struct facts *facts, int64_t run_time, int64_t now) {
    int64_t keys[KEYS];
    keys_of(facts, keys);
    if (surefill_predictor_learn(beliefs->mixture, keys, KEYS, run_time) == SUREFILL_OK) beliefs->jobs++;
    delays_ended(beliefs->delays, facts->id, now);
    if (beliefs->markov != NULL) markov_ended(beliefs->markov, facts->id, now);
}

void beliefs_train(struct beliefs *beliefs, double seconds) {
    if (beliefs->markov != NULL) markov_train(beliefs->markov, seconds);
}

const surefill_distribution *beliefs_predict(struct beliefs *beliefs, const struct facts *facts, int32_t *status) {
    const int64_t length = sizeof beliefs->distribution_memory;
    int64_t keys[KEYS];
    int32_t answer;
    surefill_distribution *made = NULL;
    *status = SUREFILL_OK;
    if (beliefs == NULL) return NULL;
    if (beliefs->markov != NULL && markov_said(beliefs->markov, facts->id, beliefs->distribution_memory, length, &made))
        return made;
    keys_of(facts, keys);
    *status = surefill_predictor_predict(beliefs->mixture, keys, KEYS, 0, beliefs->distribution_memory, length, &answer, &made);
    return *status == SUREFILL_OK ? made : NULL;
}

int32_t beliefs_bins(const struct beliefs *beliefs) {
    (void)beliefs;
    return BINS;
}

struct waits *beliefs_waits(struct beliefs *beliefs) { return beliefs->waits; }

struct delays *beliefs_delays(struct beliefs *beliefs) { return beliefs->delays; }

struct starts *beliefs_starts(struct beliefs *beliefs) { return beliefs->starts; }

double beliefs_jobs(const struct beliefs *beliefs) { return (double)beliefs->jobs; }

/* What is saved: this, the sealed mixture, waits, delays, starts, the hidden Markov model if there is one. */
struct front {
    int64_t jobs, experts; /* their number tells one set from the other */
    uint64_t waits, delays, starts; /* bytes */
};

void *beliefs_save(const struct beliefs *beliefs, size_t *size) {
    size_t waits_size = 0, delays_size = 0, starts_size = 0, models;
    char *copy = NULL, *at, *waits = waits_save(beliefs->waits, &waits_size),
         *delays = delays_save(beliefs->delays, &delays_size), *starts = starts_save(beliefs->starts, &starts_size);
    const struct front front = {.jobs = beliefs->jobs,
                                .experts = beliefs->experts,
                                .waits = waits_size,
                                .delays = delays_size,
                                .starts = starts_size};
    models = sizeof front + (size_t)beliefs->size + waits_size + delays_size + starts_size;
    *size = models + (beliefs->markov == NULL ? 0 : markov_size(beliefs->markov));
    if (waits != NULL && delays != NULL && starts != NULL) copy = malloc(*size);
    if (copy != NULL && (surefill_predictor_seal(beliefs->mixture) != SUREFILL_OK ||
                         (beliefs->markov != NULL && !markov_save(beliefs->markov, copy + models)))) {
        free(copy);
        copy = NULL;
    }
    if (copy != NULL) {
        memcpy(copy, &front, sizeof front);
        memcpy(copy + sizeof front, beliefs->mixture, (size_t)beliefs->size);
        at = copy + sizeof front + (size_t)beliefs->size;
        memcpy(at, waits, waits_size);
        memcpy(at += waits_size, delays, delays_size);
        memcpy(at += delays_size, starts, starts_size);
    }
    free(waits);
    free(delays);
    free(starts);
    return copy;
}

bool beliefs_load(struct beliefs *beliefs, const void *bytes, size_t size) {
    struct front front;
    size_t fixed = sizeof front + (size_t)beliefs->size, models;
    const char *at = (const char *)bytes + fixed;
    surefill_predictor *opened;
    struct waits *waits;
    struct delays *delays;
    struct starts *starts;
    void *memory;
    if (size < fixed) return false;
    memcpy(&front, bytes, sizeof front);
    if (front.experts != beliefs->experts || front.waits > size - fixed || front.delays > size - fixed - front.waits ||
        front.starts > size - fixed - front.waits - front.delays)
        return false;
    models = fixed + (size_t)(front.waits + front.delays + front.starts);
    memory = malloc((size_t)beliefs->size);
    waits = waits_make();
    delays = delays_make();
    starts = starts_make();
    if (memory != NULL) memcpy(memory, (const char *)bytes + sizeof front, (size_t)beliefs->size);
    if (memory == NULL || waits == NULL || delays == NULL || starts == NULL ||
        surefill_predictor_open(memory, beliefs->size, &opened) != SUREFILL_OK ||
        !waits_load(waits, at, (size_t)front.waits) || !delays_load(delays, at + front.waits, (size_t)front.delays) ||
        !starts_load(starts, at + front.waits + front.delays, (size_t)front.starts) ||
        (beliefs->markov != NULL && size > models &&
         !markov_load(beliefs->markov, (const char *)bytes + models, size - models))) {
        free(memory);
        waits_free(waits);
        delays_free(delays);
        starts_free(starts);
        return false;
    }
    free(beliefs->mixture);
    waits_free(beliefs->waits);
    delays_free(beliefs->delays);
    starts_free(beliefs->starts);
    beliefs->mixture = opened;
    beliefs->waits = waits;
    beliefs->delays = delays;
    beliefs->starts = starts;
    beliefs->jobs = front.jobs;
    return true;
}
