/* For every pool a calibration, and what some of the jobs that still wait have been told: in the order of their
 * numbers.
 *
 * The library counts the answers of one jam once, however many there are: how far they move it is its rule alone. Only
 * memory is bounded here. A job is remembered when it is first asked about, and again when it has waited so much longer
 * that the answer is about another kind of wait. */
#include "starts.h"

#include <stdlib.h>
#include <string.h>

/* Pools beyond these are told what is forecast, until one of them has not been asked about for FORGOTTEN seconds. */
enum { LEVELS = SUREFILL_START_LEVELS, POOLS = 64, FORGOTTEN = 10 * 86400 };
enum { ALL_HEARD = (1 << LEVELS) - 1 };

/* Of one pool at most MOST_OPEN answers are remembered of which something is still to be heard; of a job the first, and
 * another each time that it has waited MORE times as long as at the one before, and SOON seconds. */
enum { MOST_OPEN = 1000, SOON = 3600, MORE = 3 };

const double STARTS_LEVELS[LEVELS] = {0.05, 0.25, 0.5, 0.75, 0.95};

struct answer {
    int64_t id, key, when;
    int32_t age, heard; /* heard: the levels that have missed so far, as the library counts them */
    int32_t forecast[LEVELS], told[LEVELS];
};

struct place {
    int64_t key, asked; /* asked: when last */
    surefill_start_calibration *calibration; /* NULL for a free place */
    int64_t open; /* answers that something is still to be heard of */
};

struct starts {
    struct place places[POOLS];
    struct answer *answers;
    size_t count, room;
    struct starts_totals totals;
};

struct starts *starts_make(void) { return calloc(1, sizeof(struct starts)); }

void starts_free(struct starts *starts) {
    if (starts == NULL) return;
    for (int i = 0; i < POOLS; i++) free(starts->places[i].calibration);
    free(starts->answers);
    free(starts);
}

static struct place *find(struct starts *starts, int64_t key) {
    for (int i = 0; i < POOLS; i++)
        if (starts->places[i].calibration != NULL && starts->places[i].key == key) return &starts->places[i];
    return NULL;
}

/* Whether an answer is of this pool, also of one that has waited longer than all that it was told. */
static bool is_answered(const struct starts *starts, int64_t key) {
    for (size_t i = 0; i < starts->count; i++)
        if (starts->answers[i].key == key) return true;
    return false;
}

/* Frees the place that has not been asked about for the longest time, if that is long enough. */
static void forget(struct starts *starts, int64_t now) {
    struct place *oldest = &starts->places[0];
    for (int i = 1; i < POOLS; i++)
        if (starts->places[i].asked < oldest->asked) oldest = &starts->places[i];
    if (now - oldest->asked < FORGOTTEN || is_answered(starts, oldest->key)) return;
    free(oldest->calibration);
    oldest->calibration = NULL;
}

static struct place *make_place(struct starts *starts, int64_t key, int64_t now) {
    struct place *place = find(starts, key);
    int used = 0;
    for (int i = 0; i < POOLS; i++) used += starts->places[i].calibration != NULL;
    if (place == NULL && used == POOLS) forget(starts, now);
    for (int i = 0; i < POOLS && place == NULL; i++) {
        void *memory;
        if (starts->places[i].calibration != NULL) continue;
        place = &starts->places[i];
        memory = malloc(SUREFILL_START_CALIBRATION_SIZE);
        if (memory == NULL || surefill_start_calibration_init(memory, SUREFILL_START_CALIBRATION_SIZE,
                                                              &place->calibration) != SUREFILL_OK) {
            free(memory);
            place->calibration = NULL;
            return NULL;
        }
        place->key = key;
        place->open = 0;
    }
    if (place != NULL) place->asked = now;
    return place;
}

/* Whether something is still to be heard of an answer: who has waited longer than all that it was told, be it for
 * weeks, keeps nobody from being heard. */
static bool is_open(const struct answer *answer) { return answer->heard != ALL_HEARD; }

/* The first answer of this job or of one behind it. */
static size_t first_of(const struct starts *starts, int64_t id) {
    size_t low = 0, high = starts->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (starts->answers[middle].id < id)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Behind the last one of it. */
static size_t end_of(const struct starts *starts, size_t first, int64_t id) {
    while (first < starts->count && starts->answers[first].id == id) first++;
    return first;
}

/* Without memory the answer is not remembered, and nothing is learnt of it. */
static bool insert(struct starts *starts, size_t at, const struct answer *answer) {
    struct place *place = find(starts, answer->key);
    if (place == NULL) return false;
    if (starts->count == starts->room) {
        size_t room = starts->room == 0 ? 64 : 2 * starts->room;
        struct answer *more = realloc(starts->answers, room * sizeof *more);
        if (more == NULL) return false;
        starts->answers = more;
        starts->room = room;
    }
    memmove(&starts->answers[at + 1], &starts->answers[at], (starts->count - at) * sizeof *starts->answers);
    starts->answers[at] = *answer;
    starts->count++;
    place->open += is_open(answer);
    return true;
}

/* Remembers an answer, unless there is one of this job and pool from when it had waited nearly as long. */
static void note(struct starts *starts, const struct place *place, const struct facts *facts, int64_t now, int64_t age,
                 const int64_t forecast[LEVELS], const int64_t told[LEVELS]) {
    struct answer made = {.id = facts->id, .key = place->key, .when = now, .age = (int32_t)age};
    size_t first, end;
    if (age > INT32_MAX || place->open >= MOST_OPEN) return;
    for (int i = 0; i < LEVELS; i++) {
        if (forecast[i] > INT32_MAX || told[i] > INT32_MAX) return;
        made.forecast[i] = (int32_t)forecast[i];
        made.told[i] = (int32_t)told[i];
    }
    first = first_of(starts, facts->id);
    end = end_of(starts, first, facts->id);
    for (size_t i = first; i < end; i++)
        if (starts->answers[i].key == place->key && age < SOON + (int64_t)MORE * starts->answers[i].age) return;
    insert(starts, end, &made);
}

int64_t starts_told(struct starts *starts, int64_t key, const struct facts *facts, bool several, int64_t now,
                    const int64_t forecast[LEVELS]) {
    struct place *place = make_place(starts, key, now);
    int64_t told[LEVELS], age = facts->submit < now ? now - facts->submit : 0;
    if (place == NULL || surefill_start_calibration_told(place->calibration, age, forecast, LEVELS, told) != SUREFILL_OK)
        return forecast[STARTS_TOLD];
    if (!several) note(starts, place, facts, now, age, forecast, told);
    return told[STARTS_TOLD];
}

/* Says to the calibration what an answer was and what came. */
static void hear(struct starts *starts, struct answer *answer, int64_t waited, bool started) {
    const struct place *place = find(starts, answer->key); /* no answer is without */
    int64_t forecast[LEVELS], told[LEVELS];
    for (int i = 0; i < LEVELS; i++) {
        forecast[i] = answer->forecast[i];
        told[i] = answer->told[i];
    }
    if (started)
        surefill_start_calibration_learn(place->calibration, answer->age, forecast, told, LEVELS, waited, answer->heard);
    else
        surefill_start_calibration_overdue(place->calibration, answer->age, forecast, told, LEVELS, waited, &answer->heard);
}

void starts_left(struct starts *starts, int64_t id) {
    size_t first = first_of(starts, id), end = end_of(starts, first, id);
    if (first == end) return;
    for (size_t i = first; i < end; i++)
        find(starts, starts->answers[i].key)->open -= is_open(&starts->answers[i]);
    memmove(&starts->answers[first], &starts->answers[end], (starts->count - end) * sizeof *starts->answers);
    starts->count -= end - first;
}

void starts_began(struct starts *starts, int64_t id, int64_t start) {
    size_t first = first_of(starts, id), end = end_of(starts, first, id);
    for (size_t i = first; i < end; i++) {
        struct answer *answer = &starts->answers[i];
        int64_t waited = start > answer->when ? start - answer->when : 0;
        hear(starts, answer, waited, true);
        starts->totals.known++;
        starts->totals.held += waited <= answer->told[STARTS_TOLD];
    }
    starts_left(starts, id);
}

void starts_overdue(struct starts *starts, int64_t now) {
    for (size_t i = 0; i < starts->count; i++) {
        struct answer *answer = &starts->answers[i];
        int64_t waited = now - answer->when;
        int next = 0;
        while (next < LEVELS && (answer->heard >> next & 1) != 0) next++;
        if (next == LEVELS || waited <= answer->told[next]) continue;
        hear(starts, answer, waited, false);
        if (!is_open(answer)) find(starts, answer->key)->open--;
    }
}

void starts_totals(const struct starts *starts, struct starts_totals *totals) { *totals = starts->totals; }

/* What is saved: this, the pools with their sealed calibrations, the answers. */
struct front {
    struct starts_totals totals;
    uint64_t places, answers;
};
struct saved {
    int64_t key, asked;
};
enum { PLACE_SIZE = sizeof(struct saved) + SUREFILL_START_CALIBRATION_SIZE };

void *starts_save(const struct starts *starts, size_t *size) {
    struct front front = {.totals = starts->totals, .answers = starts->count};
    char *bytes, *at;
    for (int i = 0; i < POOLS; i++) front.places += starts->places[i].calibration != NULL;
    *size = sizeof front + (size_t)front.places * PLACE_SIZE + starts->count * sizeof(struct answer);
    bytes = malloc(*size);
    if (bytes == NULL) return NULL;
    memcpy(bytes, &front, sizeof front);
    at = bytes + sizeof front;
    for (int i = 0; i < POOLS; i++) {
        const struct place *place = &starts->places[i];
        struct saved saved = {.key = place->key, .asked = place->asked};
        if (place->calibration == NULL) continue;
        if (surefill_start_calibration_seal(place->calibration) != SUREFILL_OK) {
            free(bytes);
            return NULL;
        }
        memcpy(at, &saved, sizeof saved);
        memcpy(at + sizeof saved, place->calibration, SUREFILL_START_CALIBRATION_SIZE);
        at += PLACE_SIZE;
    }
    if (starts->count > 0) memcpy(at, starts->answers, starts->count * sizeof(struct answer));
    return bytes;
}

static bool load_places(struct starts *starts, const char *at, uint64_t count) {
    for (uint64_t i = 0; i < count; i++, at += PLACE_SIZE) {
        struct place *place;
        struct saved saved;
        memcpy(&saved, at, sizeof saved);
        if (find(starts, saved.key) != NULL || (place = make_place(starts, saved.key, saved.asked)) == NULL)
            return false;
        memcpy(place->calibration, at + sizeof saved, SUREFILL_START_CALIBRATION_SIZE);
        if (surefill_start_calibration_open(place->calibration, SUREFILL_START_CALIBRATION_SIZE, &place->calibration) !=
            SUREFILL_OK)
            return false;
    }
    return true;
}

static bool load_answers(struct starts *starts, const char *at, uint64_t count) {
    for (uint64_t i = 0; i < count; i++, at += sizeof(struct answer)) {
        struct answer answer;
        memcpy(&answer, at, sizeof answer);
        if (i > 0 && starts->answers[i - 1].id > answer.id) return false;
        if (answer.heard < 0 || answer.heard >> LEVELS != 0 || !insert(starts, starts->count, &answer)) return false;
    }
    return true;
}

bool starts_load(struct starts *starts, const void *bytes, size_t size) {
    struct starts *read = starts_make();
    struct front front;
    bool good = read != NULL && size >= sizeof front;
    if (good) {
        memcpy(&front, bytes, sizeof front);
        size -= sizeof front;
        good = front.places <= POOLS && front.places <= size / PLACE_SIZE &&
               (size - front.places * PLACE_SIZE) % sizeof(struct answer) == 0 &&
               front.answers == (size - front.places * PLACE_SIZE) / sizeof(struct answer) &&
               load_places(read, (const char *)bytes + sizeof front, front.places) &&
               load_answers(read, (const char *)bytes + sizeof front + front.places * PLACE_SIZE, front.answers);
    }
    if (good) {
        struct starts before = *starts;
        *starts = *read;
        starts->totals = front.totals;
        *read = before;
    }
    starts_free(read);
    return good;
}
