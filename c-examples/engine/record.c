/* Records of cycles: packed, checked, and kept in a folder. */
#define _POSIX_C_SOURCE 200809L
#include "record.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Words of a file: the magic bytes, the format's version, all words, the pool, the time, the block's bytes, the words
 * of the packed block; then that block, the events, and surefill_hash of all before as the last one. */
enum { MAGIC, VERSION, ALL, POOL, NOW, BYTES, PACKED, HEADER };
static const char magic[8] = {'S', 'F', 'C', 'Y', 'C', 'L', 'E', '\n'};
static const int64_t MOST_BYTES = INT64_C(1) << 36; /* of a block: no scheduler is larger */

static int64_t hash_of(const int64_t *words, size_t count) {
    return surefill_hash((const char *)words, (int64_t)(count * sizeof *words));
}

/* --- Writing --- */

/* Room for further words; NULL when there is none. */
static int64_t *extend(struct record *record, size_t count) {
    size_t room = record->room == 0 ? 4096 : record->room;
    while (room - record->count < count) room *= 2;
    if (record->failed) return NULL;
    if (room != record->room || record->words == NULL) {
        int64_t *larger = realloc(record->words, room * sizeof *larger);
        record->failed = larger == NULL;
        if (larger == NULL) return NULL;
        record->words = larger;
        record->room = room;
    }
    record->count += count;
    return record->words + record->count - count;
}

static void add(struct record *record, const int64_t *words, size_t count) {
    int64_t *to = extend(record, count);
    if (to != NULL && count > 0) memcpy(to, words, count * sizeof *words);
}

/* The block as runs: a word with the number of zero words (upper half) and of others that follow (lower half), then
 * these. Most of a block is zero. */
static void pack(struct record *record, const int64_t *block, size_t count) {
    for (size_t at = 0; at < count;) {
        const size_t begun = at;
        size_t others;
        int64_t run;
        while (at < count && block[at] == 0) at++;
        for (others = at; others < count && block[others] != 0;) others++;
        run = (int64_t)((uint64_t)(at - begun) << 32 | (uint64_t)(others - at));
        add(record, &run, 1);
        add(record, block + at, others - at);
        at = others;
    }
}

void record_begin(struct record *record, const void *block, int64_t size, int32_t pool, int64_t now) {
    int64_t header[HEADER] = {[VERSION] = RECORD_VERSION, [POOL] = pool, [NOW] = now, [BYTES] = size};
    memcpy(header, magic, sizeof magic);
    record->count = record->event = 0;
    record->closed = record->failed = false;
    add(record, header, HEADER);
    pack(record, block, (size_t)size / sizeof(int64_t));
    if (!record->failed) record->words[PACKED] = (int64_t)(record->count - HEADER);
}

void record_event(struct record *record, enum record_kind kind, const int64_t *words, size_t count) {
    const int64_t head[] = {kind, 0};
    if (record->count == 0) return;
    record->event = record->count;
    add(record, head, 2);
    record_more(record, words, count * sizeof *words);
    record->closed = record->closed || kind == RECORD_CLOSED;
}

void record_more(struct record *record, const void *words, size_t bytes) {
    if (record->count == 0) return;
    add(record, words, bytes / sizeof(int64_t));
    if (!record->failed) record->words[record->event + 1] = (int64_t)(record->count - record->event - 2);
}

void record_drop(struct record *record) {
    free(record->words);
    record->words = NULL;
    record->count = record->room = 0;
}

static const char name_format[] = "cycle-%010llu.surefill";

/* The number of a record's name; -1 for another name. */
static long long number_of(const char *name) {
    unsigned long long number;
    char same[40];
    if (sscanf(name, name_format, &number) != 1 || number > 9999999999) return -1;
    snprintf(same, sizeof same, name_format, number);
    return strcmp(same, name) == 0 ? (long long)number : -1;
}

/* Removes the records of the folder up to this number; returns the highest one, -1 for none. */
static long long remove_up_to(DIR *folder, const char *path, long long last) {
    long long highest = -1;
    rewinddir(folder);
    for (const struct dirent *entry; (entry = readdir(folder)) != NULL;) {
        const long long number = number_of(entry->d_name);
        char file[FILES_PATH + 256];
        if (number > highest) highest = number;
        if (number < 0 || number > last) continue;
        snprintf(file, sizeof file, "%s/%s", path, entry->d_name);
        unlink(file);
    }
    return highest;
}

static bool keep(struct record *record, char *message, size_t length) {
    char path[FILES_PATH];
    DIR *folder;
    int64_t hash;
    long long number;
    bool good;
    if (record->failed) return files_failed(message, length, "%s: no memory", record->folder);
    record->words[ALL] = (int64_t)record->count + 1;
    hash = hash_of(record->words, record->count);
    add(record, &hash, 1);
    folder = opendir(record->folder);
    if (folder == NULL) return files_failed(message, length, "%s: %s", record->folder, strerror(errno));
    number = remove_up_to(folder, record->folder, -1) + 1;
    snprintf(path, sizeof path, "%.*s/", FILES_PATH - 50, record->folder);
    snprintf(path + strlen(path), 40, name_format, (unsigned long long)number);
    good = !record->failed && files_write(path, record->words, (int64_t)(record->count * sizeof(int64_t)), false, message, length);
    if (record->failed) files_failed(message, length, "%s: no memory", record->folder);
    if (good) remove_up_to(folder, record->folder, number - RECORDS_KEPT);
    closedir(folder);
    return good;
}

void record_keep(struct record *record) {
    char message[sizeof record->trouble];
    if ((record->count > 0 || record->failed) && record->folder[0] != '\0') {
        if (keep(record, message, sizeof message)) {
            record->said = false;
        } else if (!record->said) {
            record->said = true;
            memcpy(record->trouble, message, sizeof message);
        }
    }
    record->count = 0;
    record->failed = false;
}

/* --- Reading --- */

/* The block from its runs; false where they are not those of as many words. */
static bool unpack(const int64_t *packed, size_t count, int64_t *block, size_t room) {
    size_t to = 0;
    for (size_t at = 0; at < count;) {
        const uint64_t run = (uint64_t)packed[at++], zeros = run >> 32, others = run & UINT32_MAX;
        if (zeros > room - to || others > room - to - zeros || others > count - at) return false;
        memcpy(block + to + zeros, packed + at, others * sizeof *block);
        to += zeros + others;
        at += others;
    }
    return to == room;
}

/* The fault of these words; NULL for none. */
static const char *look(const int64_t *words, int64_t size, struct recorded *recorded) {
    const size_t count = (size_t)size / sizeof *words;
    if (size < (int64_t)sizeof magic || memcmp(words, magic, sizeof magic) != 0) return "not a record of a cycle";
    if (size % (int64_t)sizeof *words != 0 || count <= HEADER) return "cut short";
    if (words[VERSION] != RECORD_VERSION) return "a record of another version, or damaged";
    if (words[ALL] != (int64_t)count) return "cut short, or damaged";
    if (hash_of(words, count - 1) != words[count - 1] || words[PACKED] < 0 || words[PACKED] > (int64_t)count - HEADER - 1 ||
        words[BYTES] <= 0 || words[BYTES] > MOST_BYTES || words[BYTES] % (int64_t)sizeof *words != 0)
        return "damaged";
    recorded->pool = (int32_t)words[POOL];
    recorded->now = words[NOW];
    recorded->size = words[BYTES];
    recorded->events = words + HEADER + words[PACKED];
    recorded->end = words + count - 1;
    for (const int64_t *at = recorded->events; at < recorded->end; at += 2 + at[1])
        if (recorded->end - at < 2 || at[1] < 0 || at[1] > recorded->end - at - 2) return "damaged";
    recorded->block = calloc((size_t)recorded->size / sizeof *words, sizeof *words);
    if (recorded->block == NULL) return "no memory";
    return unpack(words + HEADER, (size_t)words[PACKED], recorded->block, (size_t)recorded->size / sizeof *words) ? NULL : "damaged";
}

bool record_read(const char *path, struct recorded *recorded, char *message, size_t length) {
    const char *wrong;
    int64_t size;
    *recorded = (struct recorded){.words = files_read(path, &size)};
    if (recorded->words == NULL) return files_failed(message, length, "%s: cannot be read: %s", path, strerror(errno));
    wrong = look(recorded->words, size, recorded);
    if (wrong == NULL) return true;
    recorded_free(recorded);
    return files_failed(message, length, "%s: %s", path, wrong);
}

void recorded_free(struct recorded *recorded) {
    free(recorded->words);
    free(recorded->block);
    *recorded = (struct recorded){.words = NULL};
}
