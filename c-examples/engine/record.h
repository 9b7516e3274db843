/* Records of cycles: the sealed block as it was at a cycle's begin, and all that was offered, answered, reported and
 * asked in it, so that another machine can decide the same cycle again. README.md has the format. */
#ifndef RECORD_H
#define RECORD_H

#include "files.h"

#include <surefill.h>

enum { RECORD_VERSION = 1, RECORDS_KEPT = 40 };

/* Events of a record, each two words (its kind, and the number of words that follow) and these. */
enum record_kind {
    RECORD_NEXT = 1, /* status, the action's step, job, head, number, queue, count and why, and its parts */
    RECORD_STARTED,  /* status, number, job */
    RECORD_REFUSED,  /* status, number, why */
    RECORD_HOLDS,    /* status, number, whether the offer holds */
    RECORD_JOB,      /* status, time, number of parts, the job's structure without pointers, its parts */
    RECORD_REASON,   /* status, time, job, the reason's structure */
    RECORD_CLOSED,   /* status */
    RECORD_KINDS
};

struct record {
    bool wanted;             /* cycles are recorded */
    char folder[FILES_PATH]; /* where they are kept; empty for none */
    int64_t *words;          /* the record under way, or the last one until it is kept; NULL for none */
    size_t count, room, event; /* its words, and where its last event begins */
    bool closed, failed;     /* the cycle is over; there was no memory for all of it */
    bool said;               /* since the last record that was kept a trouble was said */
    char trouble[2 * FILES_PATH];
};

/* A record begins with this sealed block. */
void record_begin(struct record *record, const void *block, int64_t size, int32_t pool, int64_t now);

/* Adds an event of these words, and some that follow it; nothing without a record under way. */
void record_event(struct record *record, enum record_kind kind, const int64_t *words, size_t count);
void record_more(struct record *record, const void *words, size_t bytes);

/* Keeps the record as the newest file of the folder, and the RECORDS_KEPT newest. The record is over. */
void record_keep(struct record *record);
void record_drop(struct record *record);

/* A record that was read: its events, and its block, to be freed. */
struct recorded {
    int64_t *words, *block;
    const int64_t *events, *end;
    int64_t size, now; /* bytes of the block; the cycle's time */
    int32_t pool;
};

/* Reads a record. False, and a message, for a file that is damaged, cut short or something else. */
bool record_read(const char *path, struct recorded *recorded, char *message, size_t length);
void recorded_free(struct recorded *recorded);

#endif
