/* Bounds on waiting times, queue by queue (a partition, a PBS queue): the library's QBETS, fed with the jobs that join
 * a queue, start, or leave it. Times are those at which jobs are seen, so that waits are known to within a cycle. */
#ifndef WAITS_H
#define WAITS_H

#include "pool.h"

#include <stddef.h>
#include <surefill.h>

struct waits;

enum { WAITS_QUEUES = 64 };

/* NULL when memory is short. */
struct waits *waits_make(void);
void waits_free(struct waits *waits);

/* A job joins its queue: held jobs and those that depend on others join later. Returns the seconds that it will wait at
 * most, at WAITS_QUANTILE and WAITS_CONFIDENCE; -1 for nothing known, or when the machine may be down. */
int64_t waits_joined(struct waits *waits, const struct facts *facts, int64_t now);
/* It starts; bound is what was said when it joined. Or it leaves otherwise, and nothing is learnt. */
void waits_started(struct waits *waits, const struct facts *facts, int64_t bound, int64_t now);
void waits_left(struct waits *waits, const struct facts *facts, int64_t now);

extern const double WAITS_QUANTILE, WAITS_CONFIDENCE;

/* A job that has never been seen waiting has waited this number of seconds. */
void waits_known(struct waits *waits, const struct facts *facts, int64_t seconds);

/* The waits of the jobs of all queues that were started last. */
const surefill_recent_waits *waits_recent(const struct waits *waits);

/* What is known of a queue. */
struct waits_report {
    const char *queue;
    int64_t known;        /* waits remembered */
    int32_t waiting;
    int64_t given, kept;  /* bounds given to jobs that have started since, and how many of them held */
    int32_t kinds;        /* jobs are told apart by their limits */
    struct {
        int64_t from, to; /* limits in seconds, INT64_MAX for no end */
        int64_t bound;    /* for the wait of a job that joins now, in seconds; -1 for none */
    } kind[4];            /* the first of them */
};
/* Calls see for every queue, in no order, with context. */
void waits_each(const struct waits *waits, int64_t now, void (*see)(void *context, const struct waits_report *report),
                void *context);

/* The name of the first queue for which there was no room any more, NULL for none: waits are bounded for
 * WAITS_QUEUES. */
const char *waits_left_out(const struct waits *waits);

/* As beliefs_save and beliefs_load. */
void *waits_save(const struct waits *waits, size_t *size);
bool waits_load(struct waits *waits, const void *bytes, size_t size);

#endif
