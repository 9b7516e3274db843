/* What a waiting job asks of shared nodes, as the library's machine of nodes has it (surefill_nodes.h): a number of
 * tasks, each on a node of its own or anywhere, and the cores, memory and generic resources of each.
 * Licence: GPL-2.0-or-later. */
#include "shared.h"

#include <string.h>

/* A number that was given. */
static bool given(uint16_t number) { return number != 0 && number != NO_VAL16 && number != INFINITE16; }

static uint64_t larger(uint64_t one, uint64_t other) { return one > other ? one : other; }
static uint64_t divided(uint64_t by, uint64_t number) { return (number + by - 1) / by; }

/* What this cannot be said of, for whatever reason. */
static const char *why_special(const job_record_t *job, const struct kinds *kinds) {
    const job_details_t *details = job->details;
    const multi_core_data_t *cores = details->mc_ptr;
    if (details->contiguous || job->req_switch != 0) return "asks for neighbouring nodes";
    if (details->core_spec != NO_VAL16) return "specialises cores";
    if (job->burst_buffer != NULL) return "needs a burst buffer";
    if (job->reboot) return "reboots its nodes";
    if (job->resv_name != NULL || job->resv_list != NULL) return "has a reservation";
    if ((details->whole_node & ~WHOLE_NODE_REQUIRED) != 0) return "keeps other users or labels off its nodes";
    if (details->overcommit != 0 || details->share_res == 1) return "shares cores";
    if ((job->bit_flags & (GRES_ENFORCE_BIND | SPREAD_JOB)) != 0) return "says how it is to lie on its nodes";
    if (cores != NULL && (given(cores->sockets_per_node) || given(cores->cores_per_socket) ||
                          given(cores->ntasks_per_socket) || (kinds->threads > 1 && given(cores->ntasks_per_core))))
        return "asks for sockets, or cores of sockets";
    return NULL;
}

/* Several lists of features, or numbers of nodes with them. */
static const char *why_features(const job_details_t *details) {
    const char *why = NULL;
    list_itr_t *at;
    job_feature_t *feature;
    if (details->feature_list == NULL) return NULL;
    at = list_iterator_create(details->feature_list);
    while ((feature = list_next(at)) != NULL)
        if (feature->count > 0 || feature->op_code == FEATURE_OP_XAND || feature->op_code == FEATURE_OP_MOR)
            why = "asks for nodes of several features by number";
    list_iterator_destroy(at);
    return why;
}

/* How a job lies on nodes. */
struct shape {
    uint32_t nodes; /* 0: its tasks lie anywhere */
    uint64_t tasks; /* on each of them, or together; 0 for unknown */
    uint64_t cpus;  /* of a node or a task */
};

/* Tasks on a number of nodes may lie there as Slurm likes. Of a candidate it has to be known where; the head job is
 * taken for one that asks for less than it does, so that it seems to start rather too early than too late. */
static const char *find_uneven(const job_record_t *job, const struct kinds *kinds, bool candidate, uint32_t nodes,
                               uint32_t tasks, uint64_t each, struct shape *shape) {
    const job_details_t *details = job->details;
    bool by_node = job->gres_list_req != NULL || (kinds->memory && (details->pn_min_memory & MEM_PER_CPU) == 0);
    if (candidate) return "leaves open how many of its tasks each of its nodes has";
    if (by_node)
        *shape = (struct shape){.nodes = nodes, .tasks = 1, .cpus = each};
    else
        *shape = (struct shape){.nodes = 0, .tasks = tasks, .cpus = each};
    return NULL;
}

static const char *find_shape(job_record_t *job, part_record_t *part, const struct kinds *kinds, bool candidate,
                              struct shape *shape) {
    const job_details_t *details = job->details;
    uint32_t least, wanted, most, asked = compat_max_nodes(job);
    uint32_t tasks = details->num_tasks == NO_VAL ? 0 : details->num_tasks;
    uint64_t each = given(details->cpus_per_task) ? details->cpus_per_task : 1, all;
    if (!job_node_counts(job, part, &least, &wanted, &most)) return "has no number of nodes";
    all = details->min_cpus == NO_VAL ? 1 : details->min_cpus;
    if (least <= 1 && tasks == 1) most = 1; /* a task has all that is its own on one node */
    if (least == 0) least = 1;
    if (least < most) {
        if (least > 1 || (asked != 0 && asked != NO_VAL)) return "takes a range of nodes";
        if (tasks == 0 || all > tasks * each || given(details->ntasks_per_node)) return "does not say how its tasks lie";
        *shape = (struct shape){.nodes = 0, .tasks = tasks, .cpus = each};
        return NULL;
    }
    *shape = (struct shape){.nodes = least};
    if (given(details->ntasks_per_node))
        shape->tasks = details->ntasks_per_node;
    else if (least == 1 || tasks <= least)
        shape->tasks = tasks > 0 ? divided(least, tasks) : 0;
    else if (!job_takes_whole_nodes(job, part))
        return find_uneven(job, kinds, candidate, least, tasks, each, shape);
    shape->cpus = larger(divided(least, all), shape->tasks * each);
    if (details->pn_min_cpus != NO_VAL) shape->cpus = larger(shape->cpus, details->pn_min_cpus);
    return NULL;
}

/* --- Generic resources --- */

struct wanted {
    job_record_t *job;
    const struct kinds *kinds;
    const struct shape *shape;
    bitstr_t *nodes;                /* that will do */
    int64_t each[SHARE_KINDS];
    uint64_t cpus, memory;          /* that come with them */
    const char *why;
};

/* Leaves the nodes all of whose resources of this kind are of this type. */
static const char *keep_type(const struct kinds *kinds, int kind, uint32_t type, bitstr_t *nodes) {
    for (int i = bit_ffs(nodes), last = bit_fls(nodes); i >= 0 && i <= last; i++) {
        const gres_node_state_t *state;
        if (!bit_test(nodes, i) || (state = node_gres(kinds, i, kind)) == NULL) continue;
        if (state->type_cnt > 1) return "asks for one of several types of generic resources";
        if (state->type_cnt == 0 || state->type_id[0] != type) bit_clear(nodes, i);
    }
    return NULL;
}

static int want_gres(void *entry, void *argument) {
    const gres_state_t *gres = entry;
    const gres_job_state_t *state = gres->gres_data;
    struct wanted *wanted = argument;
    const struct shape *shape = wanted->shape;
    int kind = kind_of_gres(wanted->kinds, gres->plugin_id);
    uint64_t count = 0;
    if (wanted->why != NULL || state == NULL) return 0;
    if (kind < 0) {
        wanted->why = "asks for generic resources that no node has, or that are shared in parts";
    } else if (state->gres_per_socket != 0 || given(state->ntasks_per_gres)) {
        wanted->why = "says how generic resources and tasks lie";
    } else if (shape->nodes == 0) {
        if (state->gres_per_node != 0 || state->gres_per_task == 0) wanted->why = "does not say how generic resources lie";
        count = state->gres_per_task;
    } else {
        count = state->gres_per_node;
        if (state->gres_per_task != 0 && shape->tasks == 0) wanted->why = "does not say how generic resources lie";
        count = larger(count, state->gres_per_task * shape->tasks);
        if (shape->nodes == 1)
            count = larger(count, state->gres_per_job);
        else if (count == 0 || state->gres_per_job > count * shape->nodes)
            wanted->why = "does not say how generic resources lie";
    }
    if (wanted->why != NULL) return 0;
    wanted->each[kind] += (int64_t)count;
    /* The partition's default counts only where the job does not say it. */
    wanted->cpus = larger(wanted->cpus,
                          count * (state->cpus_per_gres != 0 ? state->cpus_per_gres : state->def_cpus_per_gres));
    if (state->mem_per_gres != 0)
        wanted->memory += count * state->mem_per_gres;
    else if ((wanted->job->bit_flags & JOB_MEM_SET) == 0)
        wanted->memory += count * state->def_mem_per_gres;
    if (state->type_id != 0) wanted->why = keep_type(wanted->kinds, kind, state->type_id, wanted->nodes);
    return 0;
}

/* --- The request --- */

/* Leaves the nodes that will do: not excluded, with all that the job asks of each, outside of reservations. */
static const char *keep_nodes(job_record_t *job, const struct kinds *kinds, const struct shape *shape, bool candidate,
                              bitstr_t *nodes) {
    const job_details_t *details = job->details;
    if (details->exc_node_bitmap != NULL) bit_and_not(nodes, details->exc_node_bitmap);
    if (details->req_node_bitmap != NULL && bit_ffs(details->req_node_bitmap) >= 0) {
        if (shape->nodes == 0 || (uint32_t)bit_set_count(details->req_node_bitmap) != shape->nodes)
            return "names some of its nodes";
        bit_and(nodes, details->req_node_bitmap);
    }
    job_use_features(job, false);
    if (job_req_node_filter(job, nodes, true) != SLURM_SUCCESS) return "asks for features that Slurm does not know";
    if (candidate && kinds->reservations) {
        struct exclusions exclusions = {0};
        time_t when = time(NULL);
        bitstr_t *free = NULL;
        bool overlap = false;
        if (job_test_resv(job, &when, false, &free, &exclusions.kept, &overlap, false) == SLURM_SUCCESS && free != NULL)
            bit_and(nodes, free);
        else
            bit_clear_all(nodes);
        FREE_NULL_BITMAP(free);
        exclusions_free(&exclusions);
    }
    return bit_ffs(nodes) >= 0 ? NULL : "finds no node in service that will do";
}

/* The memory that all of these nodes have, 0 when they differ. */
static uint64_t all_memory(bitstr_t *nodes) {
    uint64_t memory = 0;
    for (int i = bit_ffs(nodes), last = bit_fls(nodes); i >= 0 && i <= last; i++) {
        const node_record_t *node = node_record_table_ptr[i];
        uint64_t this;
        if (!bit_test(nodes, i)) continue;
        this = node->real_memory > node->mem_spec_limit ? node->real_memory - node->mem_spec_limit : 0;
        if (memory != 0 && this != memory) return 0;
        memory = this;
    }
    return memory;
}

const char *job_request(job_record_t *job, part_record_t *part, const struct kinds *kinds, bool candidate, bitstr_t *nodes,
                        surefill_request *request) {
    const job_details_t *details = job->details;
    struct shape shape;
    struct wanted wanted = {.job = job, .kinds = kinds, .shape = &shape, .nodes = nodes};
    uint64_t memory = details->pn_min_memory & ~MEM_PER_CPU, threads = kinds->threads, cores, count;
    const char *why = why_special(job, kinds);
    if (why == NULL) why = why_features(details);
    if (why == NULL) why = find_shape(job, part, kinds, candidate, &shape);
    if (why == NULL) why = keep_nodes(job, kinds, &shape, candidate, nodes);
    if (why != NULL) return why;
    if (job->gres_list_req != NULL) list_for_each(job->gres_list_req, want_gres, &wanted);
    if (wanted.why != NULL) return wanted.why;
    if (surefill_request_init(request) != SUREFILL_OK) return "has no request";
    request->spread = SUREFILL_SPREAD_NODES;
    request->exclusive = job_takes_whole_nodes(job, part);
    if (details->mc_ptr != NULL && given(details->mc_ptr->threads_per_core) && details->mc_ptr->threads_per_core < threads)
        threads = details->mc_ptr->threads_per_core;
    shape.cpus = larger(shape.cpus, wanted.cpus);
    cores = divided(threads, shape.cpus);
    count = shape.nodes;
    if (shape.nodes == 0) {
        request->spread = SUREFILL_SPREAD_TASKS;
        count = shape.tasks;
        if (shape.cpus % threads != 0) { /* tasks that share a core: cores are counted instead */
            if (job->gres_list_req != NULL) return "does not say how generic resources lie";
            count = divided(threads, count * shape.cpus);
            cores = 1;
        }
    }
    if ((details->pn_min_memory & MEM_PER_CPU) != 0)
        memory *= cores * threads;
    else if (kinds->memory && shape.nodes == 0 && shape.tasks > 1 && wanted.memory == 0)
        return "asks for memory of each node, and for no number of nodes";
    else if (kinds->memory && wanted.memory == 0 && memory == 0 && (memory = all_memory(nodes)) == 0)
        return "asks for all the memory of nodes that differ";
    else if (kinds->memory && shape.nodes == 0 && wanted.memory == 0 && memory != 0)
        return "asks for memory of each node, and for no number of nodes";
    if (wanted.memory != 0) memory = wanted.memory;
    if (count == 0 || count > SUREFILL_MAX_TASKS || cores > INT32_MAX || memory > INT32_MAX) return "asks for too much";
    request->count = (int32_t)count;
    request->each[KIND_CORES] = (int32_t)cores;
    if (kinds->memory) request->each[KIND_MEMORY] = (int32_t)memory;
    for (int i = KIND_GRES; i < kinds->count; i++) {
        if (wanted.each[i] > INT32_MAX) return "asks for too much";
        request->each[i] = (int32_t)wanted.each[i];
    }
    if (bit_ffs(nodes) < 0) return "finds no node in service that will do";
    return NULL;
}
