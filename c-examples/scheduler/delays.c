/* For every pool a calibration, and the jobs that ran when candidates overtook there: the end of any other job tells
 * nothing. */
#include "delays.h"

#include <stdlib.h>
#include <string.h>
#include <surefill_models.h>

enum { POOLS = 8, PENDING = 1024 }; /* pools beyond so many are told what is predicted */

struct ran {
    int64_t id, started;
    int32_t nodes; /* of the pool */
    int32_t padding;
};

struct place {
    int64_t key;
    surefill_delay_calibration *calibration; /* NULL for a free place */
    struct ran *ran;
    size_t count, room;
};

struct delays {
    struct place places[POOLS];
    surefill_delay_calibration_capacity capacity; /* of each calibration */
    int64_t size;
};

struct delays *delays_make(void) {
    struct delays *delays = calloc(1, sizeof *delays);
    if (delays != NULL && surefill_delay_calibration_capacity_init(&delays->capacity) == SUREFILL_OK) {
        delays->capacity.backfills = PENDING;
        if (surefill_delay_calibration_size(&delays->capacity, &delays->size) == SUREFILL_OK) return delays;
    }
    free(delays);
    return NULL;
}

void delays_free(struct delays *delays) {
    if (delays == NULL) return;
    for (int i = 0; i < POOLS; i++) {
        free(delays->places[i].calibration);
        free(delays->places[i].ran);
    }
    free(delays);
}

static struct place *find(const struct delays *delays, int64_t key) {
    for (int i = 0; i < POOLS; i++)
        if (delays->places[i].calibration != NULL && delays->places[i].key == key) return (struct place *)&delays->places[i];
    return NULL;
}

static struct place *make_place(struct delays *delays, int64_t key) {
    struct place *place = find(delays, key);
    for (int i = 0; i < POOLS && place == NULL; i++) {
        void *memory;
        if (delays->places[i].calibration != NULL) continue;
        place = &delays->places[i];
        memory = malloc((size_t)delays->size);
        if (memory == NULL ||
            surefill_delay_calibration_init(memory, delays->size, &delays->capacity, &place->calibration) != SUREFILL_OK) {
            free(memory);
            place->calibration = NULL;
            return NULL;
        }
        place->key = key;
    }
    return place;
}

double delays_told(const struct delays *delays, int64_t key, int32_t criterion, double predicted) {
    const struct place *place = find(delays, key);
    double told = predicted;
    if (place != NULL) surefill_delay_calibration_told(place->calibration, criterion, predicted, &told);
    return told;
}

/* Where the job is among those remembered, which are in the order of their numbers, or would be. */
static size_t position(const struct place *place, int64_t id) {
    size_t low = 0, high = place->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (place->ran[middle].id < id)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bool note(struct place *place, int64_t id, int64_t started, int32_t nodes) {
    size_t at = position(place, id);
    if (at < place->count && place->ran[at].id == id) return true;
    if (place->count == place->room) {
        size_t room = place->room == 0 ? 64 : 2 * place->room;
        struct ran *more = realloc(place->ran, room * sizeof *more);
        if (more == NULL) return false;
        place->ran = more;
        place->room = room;
    }
    memmove(&place->ran[at + 1], &place->ran[at], (place->count - at) * sizeof *place->ran);
    place->ran[at] = (struct ran){.id = id, .started = started, .nodes = nodes};
    place->count++;
    return true;
}

void delays_overtook(struct delays *delays, const struct pool *pool, int32_t criterion, const struct candidate *candidate) {
    const struct verdict *judged = &candidate->judged;
    struct place *place;
    double told;
    if (judged->missing < 1 || (place = make_place(delays, pool->key)) == NULL) return;
    for (int32_t i = 0; i < pool->running_count; i++) {
        const struct running *job = &pool->running[i];
        /* Of a job that is not remembered the end would be missed, and the head job would seem to wait for ever. */
        if (!note(place, job->facts.id, pool->now - job->age, job->nodes)) return;
    }
    if (note(place, candidate->facts.id, pool->now, candidate->facts.nodes))
        surefill_delay_calibration_accepted(place->calibration, criterion, candidate->facts.id, pool->now,
                                            candidate->facts.nodes, judged->missing, judged->predicted, &told);
}

void delays_ended(struct delays *delays, int64_t id, int64_t now) {
    for (int i = 0; i < POOLS; i++) {
        struct place *place = &delays->places[i];
        size_t at = position(place, id);
        struct ran ran;
        if (at == place->count || place->ran[at].id != id) continue;
        ran = place->ran[at];
        surefill_delay_calibration_ended(place->calibration, id, ran.started < now ? ran.started : now, now, ran.nodes);
        place->count--;
        memmove(&place->ran[at], &place->ran[at + 1], (place->count - at) * sizeof *place->ran);
    }
}

void delays_totals(const struct delays *delays, int32_t criterion, struct delays_totals *totals) {
    *totals = (struct delays_totals){.known = 0};
    for (int i = 0; i < POOLS; i++) {
        struct delays_totals one;
        if (delays->places[i].calibration == NULL ||
            surefill_delay_calibration_totals(delays->places[i].calibration, criterion, &one.known, &one.predicted, &one.told,
                                              &one.observed) != SUREFILL_OK)
            continue;
        totals->known += one.known;
        totals->predicted += one.predicted;
        totals->told += one.told;
        totals->observed += one.observed;
    }
}

/* What is saved of a pool: this, its sealed calibration, the jobs that ran. */
struct front {
    int64_t key;
    uint64_t size, count;
};

void *delays_save(const struct delays *delays, size_t *size) {
    char *bytes, *at;
    *size = 0;
    for (int i = 0; i < POOLS; i++)
        if (delays->places[i].calibration != NULL)
            *size += sizeof(struct front) + (size_t)delays->size + delays->places[i].count * sizeof(struct ran);
    at = bytes = malloc(*size + 1);
    for (int i = 0; i < POOLS && bytes != NULL; i++) {
        const struct place *place = &delays->places[i];
        const struct front front = {.key = place->key, .size = (uint64_t)delays->size, .count = place->count};
        if (place->calibration == NULL) continue;
        if (surefill_delay_calibration_seal(place->calibration) != SUREFILL_OK) {
            free(bytes);
            return NULL;
        }
        memcpy(at, &front, sizeof front);
        memcpy(at += sizeof front, place->calibration, (size_t)delays->size);
        at += delays->size;
        if (place->count > 0) memcpy(at, place->ran, place->count * sizeof *place->ran);
        at += place->count * sizeof *place->ran;
    }
    return bytes;
}

bool delays_load(struct delays *delays, const void *bytes, size_t size) {
    struct delays *read = delays_make();
    const char *at = bytes;
    bool good = read != NULL;
    for (int i = 0; good && size > 0; i++) {
        struct place *place;
        struct front front;
        good = i < POOLS && size >= sizeof front;
        if (!good) break;
        memcpy(&front, at, sizeof front);
        at += sizeof front;
        size -= sizeof front;
        good = front.size == (uint64_t)read->size && size >= front.size &&
               front.count <= (size - front.size) / sizeof(struct ran) && find(read, front.key) == NULL &&
               (place = make_place(read, front.key)) != NULL;
        if (!good) break;
        memcpy(place->calibration, at, (size_t)front.size);
        good = surefill_delay_calibration_open(place->calibration, read->size, &place->calibration) == SUREFILL_OK;
        at += front.size;
        for (uint64_t k = 0; good && k < front.count; k++, at += sizeof(struct ran)) {
            struct ran ran;
            memcpy(&ran, at, sizeof ran);
            good = note(place, ran.id, ran.started, ran.nodes);
        }
        size -= (size_t)(front.size + front.count * sizeof(struct ran));
    }
    if (good) {
        struct delays before = *delays;
        *delays = *read;
        *read = before;
    }
    delays_free(read);
    return good;
}
