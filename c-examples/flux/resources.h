/* Flux's resources: which cores and GPUs of which rank are free, which ranks a constraint admits, and what a jobspec
 * asks for. */
#ifndef RESOURCES_H
#define RESOURCES_H

#include <flux/idset.h>
#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <surefill.h>

struct resources {
    struct rank {
        struct idset *cores, *gpus, *free_cores, *free_gpus; /* NULL: there is no such rank */
        char *host;
        bool up, been_up;
    } *ranks;
    int32_t count;           /* of ranks, by the largest one and 1 more */
    struct idset *all;       /* those that are there */
    json_t *properties, *scheduling; /* of R; NULL for none */
};

/* All resources by R; they are down. False for another text, and without memory. */
bool resources_read(struct resources *resources, json_t *R);
void resources_free(struct resources *resources);

/* The request of a jobspec in the terms of the engine, and its number of slots. False, and the reason, for a request
 * that R or the engine cannot express. */
bool resources_wanted(json_t *jobspec, surefill_job *job, double *duration, int64_t *slots, char *why, size_t length);

/* The ranks that a constraint (RFC 31) admits; NULL for another text. */
struct idset *resources_admitted(const struct resources *resources, json_t *constraint);

/* Number of a job's tasks that have room on these ranks if nothing runs; on those that are up, or on all. */
int64_t resources_room(const struct resources *resources, const surefill_job *job, const struct idset *ranks, bool up);

/* Takes a job's parts and returns R, without its times; NULL where they are not free. */
json_t *resources_place(struct resources *resources, const surefill_job *job, int64_t slots);

/* The resources in R are taken, and the job's parts are these; false for ranks that are not there. Or they are free
 * again, and the parts are fewer. */
bool resources_take(struct resources *resources, json_t *R, surefill_job *job);
void resources_give(struct resources *resources, json_t *R, surefill_job *job);

#endif
