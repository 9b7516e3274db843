/* Pools whose nodes jobs share, modelled for the library (share.h). Licence: GPL-2.0-or-later. */
#ifndef SHARED_H
#define SHARED_H

#include "share.h"
#include "site.h"

/* Where cores and memory stand among the kinds of resource; generic ones follow. */
enum { KIND_CORES, KIND_MEMORY, KIND_GRES };

/* The kinds of resource of a pool's nodes. */
struct kinds {
    bool memory;                /* is counted */
    bool reservations;          /* there are some */
    uint16_t threads;           /* of a core, on every node */
    uint32_t gres[SHARE_KINDS]; /* numbers of the generic resources' plugins, from KIND_GRES on */
    int count;
};

/* What a pool is modelled from. */
struct model {
    struct group *group;
    struct kinds kinds;
    int64_t head;     /* the head job */
    bitstr_t *nodes;  /* of the pool, in service */
    int32_t *places;  /* of slurmctld's nodes among those of the share, -1 elsewhere */
    bitstr_t *granted[SHARE_FEATURES]; /* the nodes that requests ask for, feature by feature */
    int granted_count;
    time_t *reserved; /* until when each of the cluster's cores is, where reservations hold parts of nodes; else NULL */
};

/* wants.c: what the head job or a candidate asks for. Of nodes those that will not do are taken away, for a candidate
 * also those that are reserved while it may run. Returns NULL, or why the library's machine cannot say it: "asks for
 * ...". Locks held. */
const char *job_request(job_record_t *job, part_record_t *part, const struct kinds *kinds, bool candidate, bitstr_t *nodes,
                        surefill_request *request);

/* shared.c: the place among the kinds of a generic resource, -1 for none; and what a node has of it, NULL for none. */
int kind_of_gres(const struct kinds *kinds, uint32_t plugin);
const gres_node_state_t *node_gres(const struct kinds *kinds, int node, int kind);

/* Describes the nodes, the head job and the candidates of a group for the library; says in each candidate whether it is
 * judged there. Returns NULL, or why that cannot be done. */
const char *model_waiting(struct site *site, struct group *group, struct model *model);
/* And then what its running jobs and reservations hold. */
const char *model_running(struct group *group, struct model *model);
void model_free(struct model *model);

#endif
