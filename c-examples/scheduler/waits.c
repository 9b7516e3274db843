/* One wait predictor a queue. */
#include "waits.h"

#include <stdlib.h>
#include <string.h>
#include <surefill.h>

const double WAITS_QUANTILE = 0.95, WAITS_CONFIDENCE = 0.95;

/* A machine that may be down is seen after 2,995 releases. */
enum { QUEUES = WAITS_QUEUES, REMEMBERED = 4096, RELEASES = 4096 };
static const int64_t LONGEST = (int64_t)1 << 26; /* bytes of one predictor */

struct queue {
    char name[QUEUE_NAME];
    surefill_wait *wait;
    int64_t given, kept;
};

struct waits {
    struct queue queues[QUEUES]; /* further queues have no bounds */
    char left_out[QUEUE_NAME];   /* the first of those */
    int count;
    surefill_recent_waits *recent;
    int64_t recent_size;
    int64_t size; /* of every predictor */
    int64_t now;  /* of the last event */
};

/* What waits_save writes: this, the sealed recent waits, then for every queue its name, given, kept and the sealed
 * predictor. */
struct saved {
    uint64_t count, size;
    int64_t now;
};

static bool capacity_and_options(surefill_wait_capacity *capacity, surefill_wait_options *options) {
    if (surefill_wait_capacity_init(capacity) != SUREFILL_OK || surefill_wait_options_init(options) != SUREFILL_OK) return false;
    capacity->history = REMEMBERED;
    capacity->queued = REMEMBERED;
    capacity->releases = RELEASES;
    options->quantile = WAITS_QUANTILE;
    options->confidence = WAITS_CONFIDENCE;
    return true;
}

static bool make_recent(struct waits *waits) {
    surefill_preset preset;
    void *memory;
    if (surefill_preset_init(&preset, SUREFILL_PRESET_FAIR) != SUREFILL_OK ||
        surefill_recent_waits_size(&preset, &waits->recent_size) != SUREFILL_OK)
        return false;
    memory = malloc((size_t)waits->recent_size);
    if (memory != NULL && surefill_recent_waits_init(memory, waits->recent_size, &preset, &waits->recent) == SUREFILL_OK)
        return true;
    free(memory);
    return false;
}

struct waits *waits_make(void) {
    struct waits *waits = calloc(1, sizeof *waits);
    surefill_wait_capacity capacity;
    surefill_wait_options options;
    if (waits != NULL && capacity_and_options(&capacity, &options) && surefill_wait_size(&capacity, &waits->size) == SUREFILL_OK &&
        make_recent(waits))
        return waits;
    free(waits);
    return NULL;
}

static void forget(struct waits *waits) {
    for (int i = 0; i < waits->count; i++) free(waits->queues[i].wait);
    waits->count = 0;
}

void waits_free(struct waits *waits) {
    if (waits != NULL) {
        forget(waits);
        free(waits->recent);
    }
    free(waits);
}

static struct queue *find(struct waits *waits, const char *name) {
    for (int i = 0; i < waits->count; i++)
        if (strcmp(waits->queues[i].name, name) == 0) return &waits->queues[i];
    return NULL;
}

static struct queue *find_or_make(struct waits *waits, const char *name) {
    struct queue *queue = find(waits, name);
    surefill_wait_capacity capacity;
    surefill_wait_options options;
    void *memory;
    if (queue != NULL) return queue;
    if (waits->count == QUEUES && waits->left_out[0] == '\0') memcpy(waits->left_out, name, strlen(name) + 1);
    if (waits->count == QUEUES || !capacity_and_options(&capacity, &options)) return NULL;
    queue = &waits->queues[waits->count];
    memory = malloc((size_t)waits->size);
    if (memory == NULL) return NULL;
    if (surefill_wait_init(memory, waits->size, &capacity, &options, &queue->wait) != SUREFILL_OK) {
        free(memory);
        return NULL;
    }
    memcpy(queue->name, name, strlen(name) + 1);
    queue->given = queue->kept = 0;
    waits->count++;
    return queue;
}

const char *waits_left_out(const struct waits *waits) { return waits->left_out[0] == '\0' ? NULL : waits->left_out; }

const surefill_recent_waits *waits_recent(const struct waits *waits) { return waits->recent; }

/* The time of an event. One that is a little late happens now; one that is earlier by more than that means that the
 * machine's clock has been set back: nobody would seem to wait any more until the clock is where it was. */
static int64_t clock_of(struct waits *waits, int64_t now) {
    if (now < waits->now && waits->now - now <= SUREFILL_MAX_LATE_SECONDS) return waits->now;
    for (int i = 0; now < waits->now && i < waits->count; i++) surefill_wait_set_clock(waits->queues[i].wait, now);
    return waits->now = now;
}

int64_t waits_joined(struct waits *waits, const struct facts *facts, int64_t now) {
    struct queue *queue = facts->queue[0] == '\0' ? NULL : find_or_make(waits, facts->queue);
    int32_t answer = SUREFILL_ANSWER_TOO_LITTLE_HISTORY;
    int64_t bound = -1;
    if (queue == NULL || surefill_wait_submit(queue->wait, facts->id, clock_of(waits, now), facts->limit,
                                                 facts->asked > 0 ? facts->asked : 0, &answer, &bound) != SUREFILL_OK)
        return -1; /* no memory, or more jobs wait than it has room for */
    return answer == SUREFILL_ANSWER_BOUND ? bound : -1;
}

void waits_started(struct waits *waits, const struct facts *facts, int64_t bound, int64_t now) {
    struct queue *queue = find(waits, facts->queue);
    int64_t waited;
    if (queue == NULL || surefill_wait_start(queue->wait, facts->id, clock_of(waits, now), &waited) != SUREFILL_OK) return;
    surefill_recent_waits_add(waits->recent, waited);
    if (bound < 0) return;
    queue->given++;
    queue->kept += waited <= bound;
}

void waits_known(struct waits *waits, const struct facts *facts, int64_t seconds) {
    struct queue *queue = facts->queue[0] == '\0' ? NULL : find_or_make(waits, facts->queue);
    if (queue == NULL || seconds < 0 || seconds > SUREFILL_MAX_SECONDS) return;
    surefill_recent_waits_add(waits->recent, seconds);
    surefill_wait_known(queue->wait, seconds, facts->limit, facts->asked > 0 ? facts->asked : 0);
}

/* A job that had found no room is not known there: nothing to do. */
void waits_left(struct waits *waits, const struct facts *facts, int64_t now) {
    struct queue *queue = find(waits, facts->queue);
    if (queue != NULL) surefill_wait_cancel(queue->wait, facts->id, clock_of(waits, now));
}

void waits_each(const struct waits *waits, int64_t now, void (*see)(void *, const struct waits_report *), void *context) {
    int64_t smallest[SUREFILL_MAX_CLUSTERS], largest[SUREFILL_MAX_CLUSTERS], counts[SUREFILL_MAX_CLUSTERS];
    for (int i = 0; i < waits->count; i++) {
        const struct queue *queue = &waits->queues[i];
        struct waits_report report = {.queue = queue->name, .given = queue->given, .kept = queue->kept};
        int64_t when = now > waits->now ? now : waits->now;
        if (surefill_wait_counts(queue->wait, &report.waiting, &report.known) != SUREFILL_OK ||
            surefill_wait_clusters(queue->wait, smallest, largest, counts, SUREFILL_MAX_CLUSTERS, &report.kinds) != SUREFILL_OK)
            continue;
        for (int32_t k = 0; k < report.kinds && k < 4; k++) {
            int32_t answer;
            report.kind[k].from = smallest[k];
            report.kind[k].to = largest[k];
            if (surefill_wait_predict(queue->wait, smallest[k] < SUREFILL_MAX_SECONDS ? smallest[k] : SUREFILL_MAX_SECONDS, 1,
                                      WAITS_QUANTILE, WAITS_CONFIDENCE, when, &answer, &report.kind[k].bound) != SUREFILL_OK)
                report.kind[k].bound = -1;
        }
        see(context, &report);
    }
}

static size_t entry_size(const struct waits *waits) { return QUEUE_NAME + 2 * sizeof(int64_t) + (size_t)waits->size; }

void *waits_save(const struct waits *waits, size_t *size) {
    struct saved saved = {.count = (uint64_t)waits->count, .size = (uint64_t)waits->size, .now = waits->now};
    char *bytes, *at;
    *size = sizeof saved + (size_t)waits->recent_size + (size_t)waits->count * entry_size(waits);
    bytes = calloc(1, *size);
    if (bytes == NULL || surefill_recent_waits_seal(waits->recent) != SUREFILL_OK) {
        free(bytes);
        return NULL;
    }
    memcpy(bytes, &saved, sizeof saved);
    at = bytes + sizeof saved;
    memcpy(at, waits->recent, (size_t)waits->recent_size);
    at += waits->recent_size;
    for (int i = 0; i < waits->count; i++, at += entry_size(waits)) {
        const struct queue *queue = &waits->queues[i];
        if (surefill_wait_seal(queue->wait) != SUREFILL_OK) {
            free(bytes);
            return NULL;
        }
        memcpy(at, queue->name, QUEUE_NAME);
        memcpy(at + QUEUE_NAME, &queue->given, sizeof queue->given);
        memcpy(at + QUEUE_NAME + sizeof queue->given, &queue->kept, sizeof queue->kept);
        memcpy(at + QUEUE_NAME + 2 * sizeof queue->given, queue->wait, (size_t)waits->size);
    }
    return bytes;
}

bool waits_load(struct waits *waits, const void *bytes, size_t size) {
    struct waits read = {.size = waits->size, .recent_size = waits->recent_size};
    struct saved saved;
    const char *at = (const char *)bytes + sizeof saved;
    void *recent;
    if (size < sizeof saved + (size_t)waits->recent_size) return false;
    memcpy(&saved, bytes, sizeof saved);
    if (saved.size != (uint64_t)waits->size || waits->size > LONGEST || saved.count > QUEUES ||
        size != sizeof saved + (size_t)waits->recent_size + saved.count * entry_size(waits))
        return false;
    read.now = saved.now;
    recent = malloc((size_t)waits->recent_size);
    if (recent == NULL) return false;
    memcpy(recent, at, (size_t)waits->recent_size);
    at += waits->recent_size;
    if (surefill_recent_waits_open(recent, waits->recent_size, &read.recent) != SUREFILL_OK) {
        free(recent);
        return false;
    }
    for (uint64_t i = 0; i < saved.count; i++, at += entry_size(waits)) {
        struct queue *queue = &read.queues[read.count];
        void *memory = malloc((size_t)waits->size);
        memcpy(queue->name, at, QUEUE_NAME);
        memcpy(&queue->given, at + QUEUE_NAME, sizeof queue->given);
        memcpy(&queue->kept, at + QUEUE_NAME + sizeof queue->given, sizeof queue->kept);
        if (memory != NULL) memcpy(memory, at + QUEUE_NAME + 2 * sizeof queue->given, (size_t)waits->size);
        if (memory == NULL || queue->name[QUEUE_NAME - 1] != '\0' || find(&read, queue->name) != NULL ||
            surefill_wait_open(memory, waits->size, &queue->wait) != SUREFILL_OK) {
            free(memory);
            forget(&read);
            free(recent);
            return false;
        }
        read.count++;
    }
    forget(waits);
    free(waits->recent);
    *waits = read;
    return true;
}
