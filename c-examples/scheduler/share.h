/* What a cycle knows of nodes that jobs share by cores, memory, GPUs and other resources, copied out of the resource
 * manager beside the pool (pool.h), and the library's machine made of it. */
#ifndef SHARE_H
#define SHARE_H

#include "pool.h"

#include <surefill_nodes.h>

enum { SHARE_KINDS = SUREFILL_MAX_RESOURCES, SHARE_FEATURES = 62 };

struct share_node {
    int32_t id;                   /* the resource manager's, rising */
    int32_t amounts[SHARE_KINDS]; /* of each kind of resource that jobs may have */
    int64_t features;             /* bits that requests ask for */
    /* Seconds until then: above 0 nobody waiting can have any of it before (a reservation); 0: what no job holds is
     * being cleaned up; -1: neither. */
    int64_t taken;
};

/* What a running job holds of one node, by its place in the nodes. */
struct share_hold {
    int32_t node;
    int32_t amounts[SHARE_KINDS];
};

struct share_job {
    struct facts facts;
    int64_t age;          /* seconds it has run, suspensions not counted */
    bool alone;           /* on its nodes */
    int64_t until;        /* above 0: it is nobody's (parts of nodes that are reserved), and gone within so many seconds */
    int32_t first, count; /* its holds, by rising node */
};

/* What a candidate asks for, by its index in the pool. Rising. */
struct share_wish {
    int32_t candidate;
    surefill_request request;
};

/* The answer: an accepted candidate was judged on this node. */
struct share_spot {
    int32_t candidate;
    int32_t id;
};

struct share {
    int32_t kinds; /* of resources, at least 1 */
    surefill_request head;
    struct share_node *nodes;
    struct share_hold *holds;
    struct share_job *jobs;
    struct share_wish *wishes;
    struct share_spot *spots;
    int32_t node_count, node_room, hold_count, hold_room, job_count, job_room, wish_count, wish_room, spot_count, spot_room;
};

/* Each appends a copy. False when memory is short: the share is as it was. A hold belongs to the job that was added
 * last. */
bool share_add_node(struct share *share, const struct share_node *node);
bool share_add_job(struct share *share, const struct share_job *job);
bool share_add_hold(struct share *share, const struct share_hold *hold);
bool share_add_wish(struct share *share, const struct share_wish *wish);
bool share_add_spot(struct share *share, const struct share_spot *spot);

/* Frees the arrays; the share is empty then. */
void share_free(struct share *share);

/* The library's machine with what is held on it. All zero is none yet. */
struct machine {
    void *memory;
    int64_t size;
    surefill_nodes *nodes;
    int32_t class_count;  /* of its nodes */
    surefill_part *parts; /* room for one on each node */
    int32_t part_room;
    struct held {
        int32_t handle;
        int32_t job;   /* of the share, -1 for nobody's */
        int64_t until; /* nobody's: seconds from now on */
    } *held;
    int32_t held_count, held_room;
};

/* Makes the machine of this share, with room for this number of jobs more on this number of nodes together. Returns
 * NULL, or what failed.
 *
 * The library's jobs hold the same on each of their nodes, or whole multiples of it. Of one that holds other amounts
 * what it has on every node is one job of the machine, and the rest is nobody's and gone within a second: so the head
 * job seems to start rather too early than too late, and who would delay it is judged rather too strictly. */
const char *machine_make(struct machine *machine, const struct share *share, int32_t jobs, int64_t parts);
void machine_free(struct machine *machine);

#endif
