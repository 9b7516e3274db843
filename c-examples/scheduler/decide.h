/* Which candidates of a pool may start ahead of its head job. Needs nothing but surefill.h; takes no lock. */
#ifndef DECIDE_H
#define DECIDE_H

#include "beliefs.h"
#include "settings.h"

struct decider;

struct decider *decider_make(void);
void decider_free(struct decider *decider);

enum outcome {
    OUTCOME_DONE,      /* every candidate has its verdict */
    OUTCOME_OUT_OF_TIME, /* the time for one cycle was up: the rest is undecided */
    OUTCOME_NOTHING,   /* nothing to decide: no candidates, or none that fits */
    OUTCOME_HEAD_FITS, /* by node counts the head job could start: the resource manager sees something we do not */
    OUTCOME_HEAD_NEVER, /* on shared nodes: the head job cannot ever start */
    OUTCOME_STRANGE,   /* on shared nodes: jobs hold what nodes do not have, or there is no memory; message says what */
    OUTCOME_ERROR      /* message says what */
};

struct decision {
    enum outcome outcome;
    int32_t *accepted;    /* indices of candidates, in the order in which they may start */
    int32_t accepted_count;
    int64_t head_median;  /* by when the head job starts with a probability of one half; -1 for unknown */
    char message[200];
};

/* Writes every candidate's verdict into the pool and the accepted ones into the decision, whose memory belongs to the
 * decider until its next call. Without beliefs only time limits count, which is EASY. spent is what candidates started
 * before have cost this head job. */
void decide(struct decider *decider, const struct settings *settings, struct beliefs *beliefs, double spent,
            struct pool *pool, struct decision *decision);

#endif
