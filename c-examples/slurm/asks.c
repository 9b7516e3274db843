/* The request of a waiting job, as the scheduler of surefill.h takes it: a number of tasks, each on a node of its
 * own or anywhere, and the cores, memory and generic resources of each. Of a job that cannot be said so it is the
 * least that it takes. Licence: GPL-2.0-or-later. */
#include "cluster.h"

#include <string.h>

/* A number that was given. */
static bool given(uint16_t number) { return number != 0 && number != NO_VAL16 && number != INFINITE16; }

/* The first reason stays. */
static void note(const char **why, const char *reason) {
    if (*why == NULL) *why = reason;
}

/* Why a job cannot be described so, whatever its tasks are; NULL where it can. */
static const char *why_special(const job_record_t *job, const part_record_t *part, const struct cluster *cluster) {
    const job_details_t *details = job->details;
    const multi_core_data_t *cores = details->mc_ptr;
    const int32_t place = cluster_partition(cluster, part->name);
    if (cluster->unlike != NULL) return cluster->unlike;
    if (place >= 0 && cluster->unlike_pools[cluster->partitions[place].pool] != NULL)
        return cluster->unlike_pools[cluster->partitions[place].pool];
    if (details->prefer != NULL) return "prefers nodes";
    if (details->contiguous || job->req_switch != 0) return "asks for neighbouring nodes";
    if (details->core_spec != NO_VAL16) return "specialises cores";
    if (job->burst_buffer != NULL) return "needs a burst buffer";
    if (job->reboot) return "reboots its nodes";
    if ((details->whole_node & ~WHOLE_NODE_REQUIRED) != 0) return "keeps other users or labels off its nodes";
    if (details->overcommit != 0 || details->share_res == 1) return "shares cores";
    if ((job->bit_flags & (GRES_ENFORCE_BIND | SPREAD_JOB)) != 0) return "says how it is to lie on its nodes";
    if (cores != NULL && (given(cores->sockets_per_node) || given(cores->cores_per_socket) ||
                          given(cores->ntasks_per_socket) || (cluster->threads > 1 && given(cores->ntasks_per_core))))
        return "asks for sockets, or cores of sockets";
    return NULL;
}

/* Several lists of features, or numbers of nodes with them. */
static bool wants_several(const job_details_t *details) {
    bool several = false;
    list_itr_t *at;
    job_feature_t *feature;
    if (details->feature_list == NULL) return false;
    at = list_iterator_create(details->feature_list);
    while ((feature = list_next(at)) != NULL)
        several |= feature->count > 0 || feature->op_code == FEATURE_OP_XAND || feature->op_code == FEATURE_OP_MOR;
    list_iterator_destroy(at);
    return several;
}

/* The layout of a job on nodes. */
struct shape {
    uint32_t nodes; /* 0: its tasks lie anywhere */
    uint64_t tasks; /* on each of them, or together; 0 for unknown */
    uint64_t cpus;  /* of a node or a task */
};

/* False where Slurm would refuse the job in this partition. */
static bool find_shape(job_record_t *job, part_record_t *part, bool memory, struct shape *shape, const char **why) {
    const job_details_t *details = job->details;
    const uint32_t asked = compat_max_nodes(job), tasks = details->num_tasks == NO_VAL ? 0 : details->num_tasks;
    const uint64_t each = given(details->cpus_per_task) ? details->cpus_per_task : 1;
    const uint64_t all = details->min_cpus == NO_VAL ? 1 : details->min_cpus;
    uint32_t least, wanted, most;
    if (!job_node_counts(job, part, &least, &wanted, &most)) return false;
    if (least <= 1 && tasks == 1) most = 1; /* a task has all that is its own on one node */
    if (least == 0) least = 1;
    *shape = (struct shape){.nodes = least, .cpus = 1};
    if (details->pn_min_cpus != NO_VAL && details->pn_min_cpus > 1) shape->cpus = details->pn_min_cpus;
    if (least < most) {
        if (least > 1 || (asked != 0 && asked != NO_VAL)) {
            note(why, "takes a range of nodes");
            shape->cpus = larger(shape->cpus, divided(most, all));
        } else {
            if (tasks == 0 || all > tasks * each || given(details->ntasks_per_node)) note(why, "does not say how its tasks lie");
            if (details->pn_min_cpus != NO_VAL && details->pn_min_cpus > each)
                note(why, "asks for processors of each node, and for no number of nodes");
            *shape = (struct shape){.tasks = tasks, .cpus = each};
            if (tasks == 0 || all > tasks * each) *shape = (struct shape){.tasks = all, .cpus = 1};
        }
        return true;
    }
    if (given(details->ntasks_per_node)) {
        shape->tasks = details->ntasks_per_node;
    } else if (least == 1 || tasks <= least) {
        shape->tasks = tasks > 0 ? divided(least, tasks) : 0;
    } else if (!job_takes_whole_nodes(job, part)) {
        const bool by_node = job->gres_list_req != NULL || (memory && (details->pn_min_memory & MEM_PER_CPU) == 0);
        note(why, "leaves open how many of its tasks each of its nodes has");
        shape->cpus = larger(shape->cpus, each);
        if (!by_node) *shape = (struct shape){.tasks = tasks, .cpus = each};
        return true;
    }
    shape->cpus = larger(larger(divided(least, all), shape->tasks * each), shape->cpus);
    return true;
}

/* --- Generic resources --- */

struct wanted {
    job_record_t *job;
    const part_record_t *part;
    const struct cluster *cluster;
    const struct shape *shape;
    uint64_t each[KINDS];
    uint64_t cpus, memory;                /* that come with them */
    uint32_t types[KINDS];                /* 0: any */
    const char **why;
};

static int want_gres(void *entry, void *argument) {
    static const char unsaid[] = "does not say how generic resources lie";
    const gres_state_t *gres = entry;
    const gres_job_state_t *state = gres->gres_data;
    struct wanted *wanted = argument;
    const struct shape *shape = wanted->shape;
    const int32_t kind = cluster_kind(wanted->cluster, gres->plugin_id);
    uint64_t count = 0;
    if (state == NULL) return 0;
    if (kind < 0) {
        note(wanted->why, "asks for generic resources that no node has, or that are shared in parts");
        return 0;
    }
    if (state->gres_per_socket != 0 || given(state->ntasks_per_gres)) {
        note(wanted->why, "says how generic resources and tasks lie");
    } else if (shape->nodes == 0) {
        if (state->gres_per_node != 0 || state->gres_per_task == 0) note(wanted->why, unsaid);
        count = state->gres_per_task;
    } else {
        count = state->gres_per_node;
        if (state->gres_per_task != 0 && shape->tasks == 0) note(wanted->why, unsaid);
        count = larger(count, state->gres_per_task * shape->tasks);
        if (shape->nodes == 1)
            count = larger(count, state->gres_per_job);
        else if (count == 0 || state->gres_per_job > count * shape->nodes)
            note(wanted->why, unsaid);
    }
    wanted->each[kind] += count;
    /* The partition's default counts only where the job does not say it. */
    wanted->cpus = larger(wanted->cpus, count * (state->cpus_per_gres != 0 ? state->cpus_per_gres : state->def_cpus_per_gres));
    if (state->mem_per_gres != 0)
        wanted->memory += count * state->mem_per_gres;
    else if ((wanted->job->bit_flags & JOB_MEM_SET) == 0)
        wanted->memory += count * state->def_mem_per_gres;
    if (state->type_id != 0) wanted->types[kind] = state->type_id;
    return 0;
}

/* --- Sets of nodes --- */

static uint64_t mix_text(uint64_t hash, const char *text) {
    return text == NULL ? mix(hash, 0) : mix(hash, (uint64_t)surefill_hash(text, (int64_t)strlen(text)));
}

static uint64_t mix_nodes(uint64_t hash, const bitstr_t *nodes) {
    if (nodes == NULL) return mix(hash, 0);
    for (int i = bit_ffs((bitstr_t *)nodes), last = bit_fls((bitstr_t *)nodes); i >= 0 && i <= last; i++)
        if (bit_test((bitstr_t *)nodes, i)) hash = mix(hash, (uint64_t)i + 1);
    return hash;
}

/* The nodes that a job names, as many as it takes; NULL for none, or only some. */
static bitstr_t *named_nodes(const job_record_t *job, const struct wanted *wanted) {
    bitstr_t *named = job->details->req_node_bitmap;
    if (named == NULL || bit_ffs(named) < 0) return NULL;
    if (wanted->shape->nodes != 0 && (uint32_t)bit_set_count(named) == wanted->shape->nodes) return named;
    note(wanted->why, "names some of its nodes");
    return NULL;
}

/* A number for all that decides, beside amounts, on which nodes a job may be; 0 for a job that may be on any. */
static uint64_t request_of(const job_record_t *job, const struct wanted *wanted) {
    const job_details_t *details = job->details;
    const bitstr_t *named = named_nodes(job, wanted);
    uint64_t hash = mix(1, details->pn_min_tmp_disk);
    bool any = details->features == NULL && details->exc_node_bitmap == NULL && named == NULL &&
               (details->pn_min_tmp_disk == 0 || details->pn_min_tmp_disk == NO_VAL);
    hash = mix_nodes(mix_nodes(mix_text(hash, details->features), details->exc_node_bitmap), named);
    for (int kind = KIND_GRES; kind < KINDS; kind++) {
        if (wanted->types[kind] == 0) continue;
        any = false;
        hash = mix_text(mix(hash, wanted->types[kind]), wanted->part->name);
    }
    return any ? 0 : hash | 1;
}

/* The feature that these nodes have in common, and no others: 0 for all nodes, negative when there are too many
 * such. */
static int64_t feature_of(struct cluster *cluster, bitstr_t *nodes) {
    int place = -1;
    if (bit_set_count(nodes) == cluster->node_count) return 0;
    for (int i = 0; i < FEATURES; i++) {
        struct feature *feature = &cluster->features[i];
        if (feature->nodes != NULL && bit_equal(nodes, feature->nodes)) {
            feature->used = cluster->gathered;
            return INT64_C(1) << i;
        }
        if (place < 0 && (feature->nodes == NULL || feature->used + 1 < cluster->gathered)) place = i;
    }
    if (place < 0) return -1;
    FREE_NULL_BITMAP(cluster->features[place].nodes);
    cluster->features[place] = (struct feature){.nodes = bit_copy(nodes), .used = cluster->gathered};
    cluster->meaning_count = 0; /* some of them may have meant that place */
    return INT64_C(1) << place;
}

/* Leaves the nodes with the features and the disk that a job asks for. Slurm's test looks at amounts as well, which are
 * not looked at here: other jobs of the same features have others. */
static bool has_features(job_record_t *job, bitstr_t *nodes) {
    job_details_t *details = job->details;
    const uint64_t memory = details->pn_min_memory;
    const uint32_t cpus = details->pn_min_cpus;
    multi_core_data_t *cores = details->mc_ptr;
    bool good;
    job_use_features(job, false);
    details->pn_min_memory = 0;
    details->pn_min_cpus = 0;
    details->mc_ptr = NULL;
    good = job_req_node_filter(job, nodes, true) == SLURM_SUCCESS;
    details->pn_min_memory = memory;
    details->pn_min_cpus = cpus;
    details->mc_ptr = cores;
    return good;
}

/* Leaves the nodes that will do: not excluded, with the features that the job asks for. */
static void keep_nodes(job_record_t *job, const struct wanted *wanted, bitstr_t *nodes) {
    const job_details_t *details = job->details;
    const struct cluster *cluster = wanted->cluster;
    bitstr_t *named = named_nodes(job, wanted);
    if (details->exc_node_bitmap != NULL) bit_and_not(nodes, details->exc_node_bitmap);
    if (named != NULL) bit_and(nodes, named);
    if (!wants_several(details) && !has_features(job, nodes))
        note(wanted->why, "asks for features that Slurm does not know");
    for (int32_t kind = KIND_GRES; kind < cluster->kinds; kind++) {
        if (wanted->types[kind] == 0) continue;
        for (int i = bit_ffs(nodes), last = bit_fls(nodes); i >= 0 && i <= last; i++) {
            const gres_node_state_t *state;
            if (!bit_test(nodes, i) || (state = cluster_gres(cluster, i, kind)) == NULL) continue;
            if (state->type_cnt > 1 && bit_test(wanted->part->node_bitmap, i))
                note(wanted->why, "asks for one of several types of generic resources");
            else if (state->type_cnt > 1 || state->type_cnt == 0 || state->type_id[0] != wanted->types[kind])
                bit_clear(nodes, i);
        }
    }
}

static int64_t find_features(struct cluster *cluster, job_record_t *job, const struct wanted *wanted) {
    const uint64_t request = request_of(job, wanted);
    bitstr_t *nodes;
    int64_t bits;
    if (request == 0) return 0;
    if (wants_several(job->details)) note(wanted->why, "asks for nodes of several features by number");
    for (int32_t i = 0; i < cluster->meaning_count; i++) {
        if (cluster->meanings[i].request != request) continue;
        bits = cluster->meanings[i].bits;
        for (int k = 0; k < FEATURES; k++)
            if (bits == INT64_C(1) << k) cluster->features[k].used = cluster->gathered;
        return bits;
    }
    nodes = bit_alloc(cluster->node_count);
    for (int i = 0; i < cluster->node_count; i++)
        if (node_record_table_ptr[i] != NULL) bit_set(nodes, i);
    {
        const char *before = *wanted->why;
        keep_nodes(job, wanted, nodes);
        for (int i = 0; i < cluster->node_count; i++)
            if (node_record_table_ptr[i] == NULL) bit_set(nodes, i);
        bits = feature_of(cluster, nodes);
        FREE_NULL_BITMAP(nodes);
        if (bits < 0) note(wanted->why, "is one of too many that ask for some of the nodes");
        if (bits < 0) return 0;
        if (*wanted->why != before) return bits; /* the reason is found anew each time */
    }
    if (cluster->meaning_count == cluster->meaning_room) {
        cluster->meaning_room = cluster->meaning_room > 0 ? 2 * cluster->meaning_room : 64;
        xrecalloc(cluster->meanings, (size_t)cluster->meaning_room, sizeof *cluster->meanings);
    }
    cluster->meanings[cluster->meaning_count++] = (struct meaning){.request = request, .bits = bits};
    return bits;
}

/* --- The request --- */

int32_t job_width(const struct cluster *cluster, const job_record_t *job, const part_record_t *part) {
    uint64_t cpus, nodes;
    const job_details_t *details = job->details;
    if (details == NULL) return 1;
    nodes = details->min_nodes == 0 || details->min_nodes == NO_VAL ? 1 : details->min_nodes;
    cpus = details->orig_min_cpus == NO_VAL || details->orig_min_cpus < nodes ? nodes : details->orig_min_cpus;
    cpus = divided(cluster->threads, cpus);
    if (part != NULL && part->node_bitmap != NULL && bit_ffs(part->node_bitmap) >= 0 && job_takes_whole_nodes(job, part)) {
        const node_record_t *node = node_record_table_ptr[bit_ffs(part->node_bitmap)];
        const uint64_t cores = node->cpus_efctv / cluster->threads;
        cpus = larger(cpus, nodes * cores);
    }
    return bounded(larger(cpus, 1));
}

/* The memory that all nodes of the partition have, 0 when they differ. */
static uint64_t all_memory(const part_record_t *part) {
    uint64_t memory = 0;
    for (int i = bit_ffs(part->node_bitmap), last = bit_fls(part->node_bitmap); i >= 0 && i <= last; i++) {
        const node_record_t *node = node_record_table_ptr[i];
        uint64_t this;
        if (!bit_test(part->node_bitmap, i)) continue;
        this = node->real_memory > node->mem_spec_limit ? node->real_memory - node->mem_spec_limit : 0;
        if (memory != 0 && this != memory) return 0;
        memory = this;
    }
    return memory;
}

/* The least memory in MB of a node or a task, given the number of these and the cores of each. */
static uint64_t find_memory(const struct cluster *cluster, const job_record_t *job, const part_record_t *part,
                            const struct shape *shape, uint64_t count, uint64_t cores, uint64_t threads, uint64_t with_gres,
                            const char **why) {
    uint64_t memory = job->details->pn_min_memory & ~MEM_PER_CPU;
    if (!cluster->memory) return 0;
    if ((job->details->pn_min_memory & MEM_PER_CPU) != 0) return with_gres != 0 ? with_gres : memory * cores * threads;
    if (with_gres != 0) return with_gres;
    if (memory == 0 && (memory = all_memory(part)) == 0) {
        note(why, "asks for all the memory of nodes that differ");
        return 0;
    }
    if (shape->nodes != 0) return memory;
    if (count == 1) return memory;
    note(why, "asks for memory of each node, and for no number of nodes");
    return 0;
}

const char *job_asks(struct cluster *cluster, job_record_t *job, part_record_t *part, surefill_job *said, bool *never) {
    const job_details_t *details = job->details;
    const char *why = why_special(job, part, cluster);
    struct shape shape = {.nodes = 1, .cpus = 1};
    struct wanted wanted = {.job = job, .part = part, .cluster = cluster, .shape = &shape, .why = &why};
    uint64_t threads = cluster->threads, cores, count, memory;
    *never = !find_shape(job, part, cluster->memory, &shape, &why);
    if (job->gres_list_req != NULL) list_for_each(job->gres_list_req, want_gres, &wanted);
    said->features = find_features(cluster, job, &wanted);
    if (job_takes_whole_nodes(job, part)) said->flags |= SUREFILL_FLAG_EXCLUSIVE;
    if (details->mc_ptr != NULL && given(details->mc_ptr->threads_per_core) && details->mc_ptr->threads_per_core < threads)
        threads = details->mc_ptr->threads_per_core;
    shape.cpus = larger(shape.cpus, wanted.cpus);
    cores = divided(threads, shape.cpus);
    count = shape.nodes;
    if (shape.nodes == 0) {
        said->flags |= SUREFILL_FLAG_PACKED;
        count = shape.tasks;
        if (shape.cpus % threads != 0) { /* tasks that share a core: cores are counted instead */
            if (job->gres_list_req != NULL) note(&why, "does not say how generic resources lie");
            count = divided(threads, count * shape.cpus);
            cores = 1;
        }
    }
    memory = find_memory(cluster, job, part, &shape, count, cores, threads, wanted.memory, &why);
    if (count == 0 || count > SUREFILL_MAX_TASKS || cores > INT32_MAX || memory > INT32_MAX) note(&why, "asks for too much");
    said->count = count == 0 ? 1 : count > SUREFILL_MAX_TASKS ? SUREFILL_MAX_TASKS : (int32_t)count;
    said->each[KIND_CORES] = bounded(cores);
    if (cluster->memory) said->each[KIND_MEMORY] = bounded(memory);
    for (int32_t kind = KIND_GRES; kind < cluster->kinds; kind++) said->each[kind] = bounded(wanted.each[kind]);
    return why;
}
