/* Jobs that the resource manager would not start although they were to: something that we do not see keeps them back.
 * They are left alone for a while, so that those behind them have their turn. */
#ifndef REFUSALS_H
#define REFUSALS_H

#include <stdbool.h>
#include <stdint.h>

enum { REFUSALS = 256, REFUSED_FOR = 60 /* seconds */ };

/* The latest refusals; all zero is none. */
struct refusals {
    struct refusal {
        int64_t job, until;
        uint64_t machine;
    } latest[REFUSALS];
    int next; /* the place of the next one: the oldest goes */
};

/* The job has been refused at this time (seconds since 1970). machine is what the refusal may come from, as a number
 * that changes with it (a fingerprint of what runs); always the same where nothing is known of that. Never fails: of
 * more than REFUSALS the oldest are forgotten. */
void refusals_add(struct refusals *refusals, int64_t job, uint64_t machine, int64_t now);

/* Whether the job was refused less than REFUSED_FOR seconds before now, when the machine was as it is now. */
bool refused_lately(const struct refusals *refusals, int64_t job, uint64_t machine, int64_t now);

#endif
