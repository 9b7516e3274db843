/* The jobs that the resource manager remembers, as the last look found them. From one look to the next the books tell
 * the beliefs what has happened, every start and end once: nothing is missed while ended jobs are remembered longer
 * than the time between two looks. */
#ifndef BOOKS_H
#define BOOKS_H

#include "beliefs.h"

enum phase { PHASE_WAITING, PHASE_RUNNING, PHASE_ENDED, PHASE_BROKEN };

/* A job as seen now. */
struct sighting {
    struct facts facts;
    enum phase phase;  /* PHASE_ENDED: its run time counts; PHASE_BROKEN: it does not (never ran, node failed) */
    bool held;         /* PHASE_WAITING: for something else than its turn (a hold, another job, its time) */
    int32_t restarts;  /* how often it has been put back into the queue */
    int64_t start;     /* of its run */
    int64_t run_time;  /* of an ended job */
};

struct books;

struct books *books_make(void);
void books_free(struct books *books);

/* A look: begin, see every job, finish. Returns false when memory is short; the job is then not remembered. */
void books_begin(struct books *books);
bool books_see(struct books *books, struct beliefs *beliefs, const struct sighting *sighting, int64_t now);
void books_finish(struct books *books, struct beliefs *beliefs, int64_t now);

struct books_totals {
    int64_t earlier, earlier_seconds; /* jobs that the shadow mode would have started earlier, and by how much together */
    int64_t submitted, started, ended, withdrawn; /* since the books were made, kept over restarts */
    int64_t waiting, running;                     /* now */
    uint64_t heads, service;                      /* changes with what is noted below */
};
void books_totals(const struct books *books, struct books_totals *totals);

/* Of the latest look, and after a load of the one before it was saved: which jobs were the heads of their pools, and
 * which nodes were in service, by beliefs_name. A head is noted after its look has been finished, the nodes when they
 * change; nothing is known of nodes before. Nodes that there is no memory for are not known: false. */
void books_note_head(struct books *books, int64_t id);
bool books_was_head(const struct books *books, int64_t id);
bool books_note_service(struct books *books, const int64_t *nodes, size_t count);
bool books_knows_service(const struct books *books);
bool books_was_in_service(const struct books *books, int64_t node);

/* For the shadow mode: this waiting job would start now. Returns since when that has been so. */
int64_t books_would_start(struct books *books, int64_t id, int64_t now);
/* Called when a job is seen to have started that would have started this number of seconds earlier. */
typedef void books_tell(void *context, int64_t id, int64_t seconds, const struct books_totals *totals);
void books_tell_earlier(struct books *books, books_tell *tell, void *context);

/* As beliefs_save and beliefs_load. */
void *books_save(const struct books *books, size_t *size);
bool books_load(struct books *books, const void *bytes, size_t size);

#endif
