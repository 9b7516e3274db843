/* PBS's words as numbers: attributes of jobs and vnodes as the IFL calls return them. */
#ifndef ATTRIBUTES_H
#define ATTRIBUTES_H

#include <pbs_ifl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The attribute's value, NULL when there is none. resource is NULL for an attribute without resources. */
const char *attribute(const struct batch_status *entry, const char *name, const char *resource);
bool attribute_is(const struct batch_status *entry, const char *name, const char *value);
int64_t attribute_number(const struct batch_status *entry, const char *name, const char *resource, int64_t otherwise);

/* Seconds of "seconds" or "[[hours:]minutes:]seconds", with a fraction that is dropped; false when it is neither. */
bool read_duration(const char *text, int64_t *seconds);
/* Kilobytes, rounded up, of a size such as "10gb", "512mb", "8mw" or "1000" (bytes; a word has eight). */
bool read_size(const char *text, int64_t *kilobytes);
/* A number that stands for a job, from "12.server", "12[3].server" or, for a whole array, "12[].server"; false when it
 * is none of these. */
bool read_job(const char *name, int64_t *id);

/* The chunks of a job that asks for equal ones. */
struct chunks {
    int32_t count, processors, gpus; /* processors and GPUs of each */
    int64_t kilobytes;               /* of each, 0 for none asked for */
    char others[160];                /* what else each asks for: "arch=linux:host=n3" */
};
bool read_select(const char *select, struct chunks *chunks);

/* Whether one of the words between separators in text is word. */
bool has_word(const char *text, const char *separators, const char *word);

/* A piece of "(a:ncpus=2:mem=4kb+b:ncpus=2)+(c:ncpus=4)". */
enum { NAME = 280 };
struct piece {
    char vnode[NAME];
    int64_t processors, gpus, kilobytes;
};

/* Reads the next piece; returns where to go on, NULL at the end. */
const char *next_piece(const char *exec_vnode, struct piece *piece);

#endif
