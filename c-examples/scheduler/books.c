/* A hash table of the jobs that the resource manager remembers. */
#include "books.h"

#include <stdlib.h>
#include <string.h>

struct entry {
    struct facts facts; /* facts.id 0: an empty place */
    int64_t start;
    int64_t would_start;
    int32_t restarts;
    int32_t phase; /* PHASE_WAITING, PHASE_RUNNING or PHASE_ENDED */
    int32_t look;  /* the last look that saw it */
    int32_t joined; /* 1: it waits for its turn */
    int64_t bound; /* that was given for its wait then; -1 for none */
    int64_t headed; /* the last look in which it was the head of a pool; 0 for none */
};

struct books {
    struct entry *entries; /* open addressing, at most half full */
    size_t room, count;    /* room is a power of two, or 0 */
    int32_t look;
    struct books_totals totals;
    int64_t *service; /* names of nodes, in order */
    size_t service_count;
    books_tell *tell;
    void *context; /* tell's */
};

/* What books_save writes before the entries and the names of nodes. */
struct saved {
    struct books_totals totals;
    uint64_t count, entry_size, service_count;
};

struct books *books_make(void) { return calloc(1, sizeof(struct books)); }

void books_free(struct books *books) {
    if (books != NULL) free(books->entries);
    if (books != NULL) free(books->service);
    free(books);
}

static size_t place(const struct books *books, int64_t id) {
    size_t at = (size_t)((uint64_t)id * 0x9E3779B97F4A7C15u >> 20) & (books->room - 1);
    while (books->entries[at].facts.id != 0 && books->entries[at].facts.id != id) at = (at + 1) & (books->room - 1);
    return at;
}

static struct entry *find(const struct books *books, int64_t id) {
    struct entry *entry;
    if (books->room == 0) return NULL;
    entry = &books->entries[place(books, id)];
    return entry->facts.id == id ? entry : NULL;
}

/* Moves the entries that keep says into a table with room for at least need. */
static bool rebuild(struct books *books, size_t need, int32_t only_look) {
    struct books next = *books;
    next.room = 64;
    while (next.room < 2 * need) next.room *= 2;
    next.count = 0;
    next.entries = calloc(next.room, sizeof *next.entries);
    if (next.entries == NULL) return false;
    for (size_t i = 0; i < books->room; i++) {
        const struct entry *entry = &books->entries[i];
        if (entry->facts.id == 0 || (only_look >= 0 && entry->look != only_look)) continue;
        next.entries[place(&next, entry->facts.id)] = *entry;
        next.count++;
    }
    free(books->entries);
    *books = next;
    return true;
}

static struct entry *add(struct books *books, const struct facts *facts) {
    struct entry *entry;
    if (2 * (books->count + 1) > books->room && !rebuild(books, 2 * (books->count + 1), -1)) return NULL;
    entry = &books->entries[place(books, facts->id)];
    *entry = (struct entry){.facts = *facts, .phase = PHASE_WAITING};
    books->count++;
    return entry;
}

void books_begin(struct books *books) {
    books->look = books->look == INT32_MAX ? 1 : books->look + 1;
    books->totals.heads = 0;
}

/* Joins its queue, or leaves it again because it was held. */
static void queue(struct beliefs *beliefs, struct entry *entry, bool join, int64_t now) {
    if (join == (entry->joined != 0)) return;
    if (join) {
        entry->bound = waits_joined(beliefs_waits(beliefs), &entry->facts, now);
    } else {
        waits_left(beliefs_waits(beliefs), &entry->facts, now);
        starts_left(beliefs_starts(beliefs), entry->facts.id);
    }
    entry->joined = join;
}

static void withdraw(struct books *books, struct beliefs *beliefs, struct entry *entry, int64_t now) {
    queue(beliefs, entry, false, now);
    starts_left(beliefs_starts(beliefs), entry->facts.id); /* also of an answer that is older than these books */
    beliefs_withdrawn(beliefs, &entry->facts, now);
    books->totals.withdrawn++;
}

static void start(struct books *books, struct beliefs *beliefs, struct entry *entry, const struct sighting *seen,
                  bool fresh, int64_t now) {
    entry->phase = PHASE_RUNNING;
    entry->start = seen->start;
    if (entry->joined)
        waits_started(beliefs_waits(beliefs), &entry->facts, entry->bound, now);
    else if (fresh) /* it came and started between two looks, or is a task of an array, which has waited with that */
        waits_known(beliefs_waits(beliefs), &entry->facts, seen->start - seen->facts.submit);
    entry->joined = 0;
    starts_began(beliefs_starts(beliefs), entry->facts.id, seen->start);
    beliefs_started(beliefs, &entry->facts, now);
    books->totals.started++;
    if (entry->would_start == 0 || seen->start <= entry->would_start) return;
    books->totals.earlier++;
    books->totals.earlier_seconds += seen->start - entry->would_start;
    if (books->tell != NULL) books->tell(books->context, entry->facts.id, seen->start - entry->would_start, &books->totals);
}

static void submit(struct books *books, struct beliefs *beliefs, struct entry *entry, const struct facts *facts,
                   int64_t now) {
    *entry = (struct entry){.facts = *facts, .phase = PHASE_WAITING, .bound = -1};
    beliefs_submitted(beliefs, facts, now);
    books->totals.submitted++;
}

bool books_see(struct books *books, struct beliefs *beliefs, const struct sighting *seen, int64_t now) {
    struct entry *entry = find(books, seen->facts.id);
    bool over = seen->phase == PHASE_ENDED || seen->phase == PHASE_BROKEN, fresh = entry == NULL;
    if (fresh) {
        entry = add(books, &seen->facts);
        if (entry == NULL) return false;
        submit(books, beliefs, entry, &seen->facts, now);
    } else if (entry->phase == PHASE_RUNNING && (entry->restarts != seen->restarts || seen->phase == PHASE_WAITING)) {
        /* Put back into the queue, perhaps started again since: what ran before has not ended of itself. */
        withdraw(books, beliefs, entry, now);
        submit(books, beliefs, entry, &seen->facts, now);
    } else if (entry->phase == PHASE_ENDED && (entry->restarts != seen->restarts || !over)) {
        submit(books, beliefs, entry, &seen->facts, now); /* put back after its end */
    }
    entry->look = books->look;
    entry->restarts = seen->restarts;
    if (entry->phase == PHASE_ENDED) return true;
    if (entry->phase == PHASE_WAITING) {
        if (!over) { /* users may change waiting jobs */
            if (strcmp(entry->facts.queue, seen->facts.queue) != 0) queue(beliefs, entry, false, now);
            entry->facts = seen->facts;
            if (seen->phase == PHASE_WAITING) queue(beliefs, entry, !seen->held, now);
        }
        if (seen->phase == PHASE_RUNNING || seen->phase == PHASE_ENDED) start(books, beliefs, entry, seen, fresh, now);
    }
    if (!over) return true;
    entry->phase = PHASE_ENDED;
    if (seen->phase == PHASE_ENDED) {
        beliefs_ended(beliefs, &entry->facts, seen->run_time, now);
        books->totals.ended++;
    } else {
        withdraw(books, beliefs, entry, now);
    }
    return true;
}

void books_finish(struct books *books, struct beliefs *beliefs, int64_t now) {
    size_t left = 0, gone = 0;
    books->totals.waiting = books->totals.running = 0;
    for (size_t i = 0; i < books->room; i++) {
        struct entry *entry = &books->entries[i];
        if (entry->facts.id == 0) continue;
        if (entry->look == books->look) {
            left++;
            books->totals.waiting += entry->phase == PHASE_WAITING;
            books->totals.running += entry->phase == PHASE_RUNNING;
            continue;
        }
        gone++; /* the resource manager has forgotten it */
        if (entry->phase != PHASE_ENDED) withdraw(books, beliefs, entry, now);
        entry->phase = PHASE_ENDED;
    }
    starts_overdue(beliefs_starts(beliefs), now);
    if (gone > 0) rebuild(books, left + 1, books->look); /* without memory they stay, and are dropped at the next look */
}

void books_totals(const struct books *books, struct books_totals *totals) { *totals = books->totals; }

int64_t books_would_start(struct books *books, int64_t id, int64_t now) {
    struct entry *entry = find(books, id);
    if (entry == NULL) return now;
    if (entry->would_start == 0) entry->would_start = now;
    return entry->would_start;
}

void books_tell_earlier(struct books *books, books_tell *tell, void *context) {
    books->tell = tell;
    books->context = context;
}

/* --- Heads, and nodes in service --- */

static uint64_t mixed(int64_t value) { return ((uint64_t)value ^ (uint64_t)value >> 31) * 0x9E3779B97F4A7C15u; }

void books_note_head(struct books *books, int64_t id) {
    struct entry *entry = find(books, id);
    if (entry == NULL || entry->headed == books->look) return;
    entry->headed = books->look;
    books->totals.heads += mixed(id);
}

bool books_was_head(const struct books *books, int64_t id) {
    const struct entry *entry = find(books, id);
    return entry != NULL && entry->headed != 0 && (entry->headed == books->look || entry->headed == books->look - 1);
}

static int by_name(const void *one, const void *other) {
    int64_t a = *(const int64_t *)one, b = *(const int64_t *)other;
    return (a > b) - (a < b);
}

bool books_note_service(struct books *books, const int64_t *nodes, size_t count) {
    int64_t *copy = malloc((count + 1) * sizeof *copy);
    free(books->service);
    books->service = copy;
    books->service_count = 0;
    books->totals.service = 0;
    if (copy == NULL) return false;
    if (count > 0) memcpy(copy, nodes, count * sizeof *copy);
    books->service_count = count;
    qsort(copy, count, sizeof *copy, by_name);
    books->totals.service = 1;
    for (size_t i = 0; i < count; i++) books->totals.service += mixed(copy[i]);
    return true;
}

bool books_knows_service(const struct books *books) { return books->service != NULL; }

bool books_was_in_service(const struct books *books, int64_t node) {
    return books->service_count > 0 &&
           bsearch(&node, books->service, books->service_count, sizeof node, by_name) != NULL;
}

/* --- Kept over restarts --- */

void *books_save(const struct books *books, size_t *size) {
    struct saved saved = {.totals = books->totals, .entry_size = sizeof(struct entry), .service_count = books->service_count};
    const size_t names = books->service_count * sizeof *books->service;
    char *bytes;
    for (size_t i = 0; i < books->room; i++)
        saved.count += books->entries[i].facts.id != 0 && books->entries[i].look == books->look;
    *size = sizeof saved + saved.count * sizeof(struct entry) + names;
    bytes = malloc(*size);
    if (bytes == NULL) return NULL;
    memcpy(bytes, &saved, sizeof saved);
    for (size_t i = 0, at = sizeof saved; i < books->room; i++) {
        struct entry entry = books->entries[i];
        if (entry.facts.id == 0 || entry.look != books->look) continue;
        entry.headed = entry.headed == books->look; /* looks are counted anew after a load */
        memcpy(bytes + at, &entry, sizeof entry);
        at += sizeof entry;
    }
    if (names > 0) memcpy(bytes + *size - names, books->service, names);
    return bytes;
}

bool books_load(struct books *books, const void *bytes, size_t size) {
    struct books read = {.look = 1, .tell = books->tell, .context = books->context};
    struct saved saved;
    struct entry entry, *kept;
    if (size < sizeof saved) return false;
    memcpy(&saved, bytes, sizeof saved);
    size -= sizeof saved;
    if (saved.entry_size != sizeof entry || saved.count > size / sizeof entry) return false;
    size -= saved.count * sizeof entry;
    if (saved.service_count != size / sizeof *read.service || size % sizeof *read.service != 0) return false;
    read.totals = saved.totals;
    for (size_t i = 0; i < saved.count; i++) {
        memcpy(&entry, (const char *)bytes + sizeof saved + i * sizeof entry, sizeof entry);
        if (entry.facts.id == 0 || entry.phase < PHASE_WAITING || entry.phase > PHASE_ENDED ||
            find(&read, entry.facts.id) != NULL || (kept = add(&read, &entry.facts)) == NULL) {
            free(read.entries);
            return false;
        }
        entry.look = 1;
        entry.headed = entry.headed == 1;
        *kept = entry;
    }
    if (saved.totals.service != 0) {
        int64_t *names = malloc(size + sizeof *names);
        bool good = names != NULL;
        if (good) memcpy(names, (const char *)bytes + sizeof saved + saved.count * sizeof entry, size);
        good = good && books_note_service(&read, names, saved.service_count);
        free(names);
        if (!good) {
            free(read.service);
            free(read.entries);
            return false;
        }
    }
    free(books->entries);
    free(books->service);
    *books = read;
    return true;
}
