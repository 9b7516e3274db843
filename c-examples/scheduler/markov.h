/* The library's hidden Markov model of run times, fed on line; it keeps what it said of each job. */
#ifndef MARKOV_H
#define MARKOV_H

#include "pool.h"

#include <stddef.h>
#include <surefill.h>

struct markov;

/* For run times in these bins, count of them. NULL when memory is short. */
struct markov *markov_make(const surefill_bins *bins, int32_t count);
void markov_free(struct markov *markov);

/* As the functions of beliefs.h. */
void markov_submitted(struct markov *markov, int64_t job, int64_t now);
void markov_started(struct markov *markov, int64_t job, int64_t now);
void markov_ended(struct markov *markov, int64_t job, int64_t now);
void markov_withdrawn(struct markov *markov, int64_t job, int64_t now);

/* Makes the distribution that the model gave this job at its submission, in this memory of length bytes; false when it
 * knew nothing then. */
bool markov_said(const struct markov *markov, int64_t job, void *memory, int64_t length, surefill_distribution **said);

/* Trains for about this number of seconds if the model wants to be trained. */
void markov_train(struct markov *markov, double seconds);

/* What markov_save writes: its size, and all of it into that much memory. False when the model cannot be sealed. */
size_t markov_size(const struct markov *markov);
bool markov_save(const struct markov *markov, void *bytes);
/* Takes over what markov_save wrote. Refuses what cannot be that (false) and then changes nothing. */
bool markov_load(struct markov *markov, const void *bytes, size_t size);

#endif
