/* Pools whose nodes jobs share: slurmctld's nodes, running jobs and reservations as the library's machine of nodes has
 * them. What that cannot say leaves the pool to Slurm's own test. Licence: GPL-2.0-or-later. */
#include "shared.h"

#include <stdio.h>
#include <string.h>

/* --- Kinds of resource --- */

int kind_of_gres(const struct kinds *kinds, uint32_t plugin) {
    for (int i = KIND_GRES; i < kinds->count; i++)
        if (kinds->gres[i] == plugin) return i;
    return -1;
}

struct find_gres {
    uint32_t plugin;
    const gres_node_state_t *state;
};

static int match_gres(void *entry, void *argument) {
    const gres_state_t *gres = entry;
    struct find_gres *find = argument;
    if (gres->plugin_id == find->plugin) find->state = gres->gres_data;
    return 0;
}

const gres_node_state_t *node_gres(const struct kinds *kinds, int node, int kind) {
    struct find_gres find = {.plugin = kinds->gres[kind]};
    if (node_record_table_ptr[node]->gres_list != NULL)
        list_for_each(node_record_table_ptr[node]->gres_list, match_gres, &find);
    return find.state;
}

struct add_gres {
    struct kinds *kinds;
    const char *why;
};

/* Resources that one job takes from another in parts (shards, MPS) are no kind of their own, and GPUs are none where
 * they are shared so. */
static int add_gres(void *entry, void *argument) {
    const gres_state_t *gres = entry;
    const gres_node_state_t *state = gres->gres_data;
    struct add_gres *add = argument;
    struct kinds *kinds = add->kinds;
    if (state == NULL || state->no_consume || state->gres_cnt_avail == 0) return 0;
    if ((gres->config_flags & GRES_CONF_SHARED) != 0) {
        add->why = "generic resources of the nodes are shared in parts";
        return 0;
    }
    if (kind_of_gres(kinds, gres->plugin_id) >= 0) return 0;
    if (kinds->count == SHARE_KINDS)
        add->why = "the nodes have too many kinds of generic resources";
    else
        kinds->gres[kinds->count++] = gres->plugin_id;
    return 0;
}

/* --- What the pool is like --- */

static const char *why_partitions(const struct site *site, const struct group *group) {
    const part_record_t *first = NULL;
    for (int i = 0; i < site->partition_count; i++) {
        const part_record_t *part;
        if (&site->groups[site->group_of[i]] != group || (part = find_part_record(site->partitions[i])) == NULL) continue;
        if (first == NULL) first = part;
        if ((part->max_share & SHARED_FORCE) != (first->max_share & SHARED_FORCE)) return "only some partitions force sharing";
        if (part->cr_type != 0) return "a partition has resources of its own";
        if ((part->max_cpus_per_node != INFINITE && part->max_cpus_per_node != 0) || compat_socket_limit(part))
            return "a partition has only some processors of each node";
        if ((part->max_share & ~SHARED_FORCE) > 1) return "jobs share cores";
        if (compat_keeps_others_off(part)) return "a partition keeps nodes for one user";
    }
    return NULL;
}

static const char *why_cluster(const struct kinds *kinds) {
    uint16_t shared = slurm_conf.select_type_param;
    const char *topology = slurm_conf.topology_plugin;
    if (xstrcmp(slurm_conf.select_type, "select/cons_tres") != 0) return "nodes are not selected by select/cons_tres";
    if ((shared & CR_SOCKET) != 0 || (shared & (CR_CORE | CR_CPU)) == 0) return "cores are not what jobs are given";
    if (kinds->threads > 1 && (shared & (CR_CPU | CR_ONE_TASK_PER_CORE)) != 0) return "threads are what jobs are given";
    if (topology != NULL && strstr(topology, "default") == NULL && strstr(topology, "none") == NULL &&
        strstr(topology, "flat") == NULL && strstr(topology, "tree") == NULL)
        return "the network's topology counts";
    if (slurm_preemption_enabled()) return "jobs may be preempted";
    return NULL;
}

static const char *find_kinds(struct model *model) {
    struct kinds *kinds = &model->kinds;
    struct add_gres add = {.kinds = kinds};
    kinds->count = KIND_GRES;
    kinds->memory = (slurm_conf.select_type_param & CR_MEMORY) != 0;
    for (int i = bit_ffs(model->nodes), last = bit_fls(model->nodes); i >= 0 && i <= last; i++) {
        const node_record_t *node = node_record_table_ptr[i];
        if (!bit_test(model->nodes, i)) continue;
        if (node->tpc == 0 || (kinds->threads != 0 && node->tpc != kinds->threads)) return "threads of the nodes' cores differ";
        kinds->threads = node->tpc;
        if (node->gres_list != NULL) list_for_each(node->gres_list, add_gres, &add);
    }
    return add.why;
}

static const char *add_nodes(struct model *model) {
    struct kinds *kinds = &model->kinds;
    model->places = xcalloc((size_t)node_record_count, sizeof *model->places);
    for (int i = 0; i < node_record_count; i++) {
        const node_record_t *node = node_record_table_ptr[i];
        struct share_node made = {.id = i, .taken = -1};
        uint64_t memory;
        model->places[i] = -1;
        if (!bit_test(model->nodes, i)) continue;
        made.amounts[KIND_CORES] = node->cpus_efctv / kinds->threads;
        memory = node->real_memory > node->mem_spec_limit ? node->real_memory - node->mem_spec_limit : 0;
        if (kinds->memory) made.amounts[KIND_MEMORY] = memory > INT32_MAX ? INT32_MAX : (int32_t)memory;
        for (int kind = KIND_GRES; kind < kinds->count; kind++) {
            const gres_node_state_t *state = node_gres(kinds, i, kind);
            if (state == NULL || state->no_consume) continue;
            made.amounts[kind] = state->gres_cnt_avail > INT32_MAX ? INT32_MAX : (int32_t)state->gres_cnt_avail;
        }
        if (bit_test(cg_node_bitmap, i) || IS_NODE_COMPLETING(node)) made.taken = 0; /* Slurm starts nothing there until that is over */
        model->places[i] = model->group->share.node_count;
        if (!share_add_node(&model->group->share, &made)) return "no memory for shared nodes";
    }
    return NULL;
}

/* --- What waits --- */

/* The feature that these nodes have in common, and no others: 0 for all nodes, negative when there are too many
 * such. */
static int64_t feature_of(struct model *model, const bitstr_t *nodes) {
    if (bit_equal((bitstr_t *)nodes, model->nodes)) return 0;
    for (int i = 0; i < model->granted_count; i++)
        if (bit_equal((bitstr_t *)nodes, model->granted[i])) return INT64_C(1) << i;
    if (model->granted_count == SHARE_FEATURES) return -1;
    model->granted[model->granted_count] = bit_copy((bitstr_t *)nodes);
    return INT64_C(1) << model->granted_count++;
}

static const char *ask(struct model *model, const struct site *site, uint32_t id, int32_t partition, bool candidate,
                       surefill_request *request) {
    part_record_t *part = find_part_record(site->partitions[partition]);
    job_record_t *job = find_job_record(id);
    const char *why = "is gone";
    bitstr_t *nodes;
    /* A job of several partitions that has started elsewhere meanwhile keeps the partition in which it runs. */
    if (job == NULL || part == NULL || job->details == NULL || !IS_JOB_PENDING(job)) return why;
    nodes = bit_copy(model->nodes);
    job->part_ptr = part;
    why = job_request(job, part, &model->kinds, candidate, nodes, request);
    if (why == NULL) {
        request->features = feature_of(model, nodes);
        if (request->features < 0) why = "is one of too many that ask for some of the nodes";
    }
    FREE_NULL_BITMAP(nodes);
    return why;
}

static void grant_features(struct model *model) {
    for (int i = 0; i < model->granted_count; i++)
        for (int32_t at = 0; at < model->group->share.node_count; at++) {
            struct share_node *node = &model->group->share.nodes[at];
            if (bit_test(model->granted[i], node->id)) node->features |= INT64_C(1) << i;
        }
}

/* --- What runs, and what is reserved --- */

struct running_look {
    struct model *model;
    time_t now;
    const char *why;
};

static bool counts(const job_record_t *job, const struct model *model) {
    /* What is being cleaned up is nobody's: see add_nodes(). */
    return (IS_JOB_RUNNING(job) || IS_JOB_SUSPENDED(job)) && job->node_bitmap != NULL &&
           bit_overlap_any(job->node_bitmap, model->nodes);
}

static int check_job(void *entry, void *argument) {
    const job_record_t *job = entry;
    struct running_look *look = argument;
    const job_resources_t *held = job->job_resrcs;
    if (look->why != NULL || !counts(job, look->model)) return 0;
    if (IS_JOB_SUSPENDED(job))
        look->why = "a job is suspended";
    else if (held == NULL || held->node_bitmap == NULL || held->core_bitmap == NULL)
        look->why = "a job's resources are not known";
    else if ((held->whole_node & ~WHOLE_NODE_REQUIRED) != 0)
        look->why = "a job keeps other users or labels off its nodes";
    return 0;
}

static bool reserves(const slurmctld_resv_t *reservation, const struct model *model, time_t now) {
    return reservation->node_bitmap != NULL && reservation->end_time > now &&
           bit_overlap_any(reservation->node_bitmap, model->nodes);
}

static bool of_parts(const slurmctld_resv_t *reservation) {
    return (reservation->ctld_flags & RESV_CTLD_FULL_NODE) == 0;
}

static int64_t all_cores(void) { return cr_get_coremap_offset((uint32_t)node_record_count); }

static int check_reservation(void *entry, void *argument) {
    const slurmctld_resv_t *reservation = entry;
    struct running_look *look = argument;
    if (!reserves(reservation, look->model, look->now)) return 0;
    look->model->kinds.reservations = true;
    if ((reservation->flags & RESERVE_FLAG_TIME_FLOAT) != 0)
        look->why = "a reservation has no time of its own";
    else if (compat_reserves_gres(reservation))
        look->why = "a reservation holds generic resources";
    else if (of_parts(reservation) && (reservation->core_bitmap == NULL || bit_size(reservation->core_bitmap) != all_cores()))
        look->why = "a reservation's cores are not known";
    return 0;
}

static const char *why_running(struct model *model) {
    struct running_look look = {.model = model};
    list_for_each(job_list, check_job, &look);
    if (resv_list != NULL) list_for_each(resv_list, check_reservation, &look);
    return look.why;
}

const char *model_waiting(struct site *site, struct group *group, struct model *model) {
    struct pool *pool = &group->pool;
    static char head[WHY_LENGTH]; /* the locks are held: one thread at a time */
    const char *why;
    double now = clock_seconds(), deadline = site->deadline;
    *model = (struct model){.group = group, .head = pool->head.id, .nodes = bit_copy(group->nodes)};
    bit_and(model->nodes, avail_node_bitmap);
    if (bit_ffs(model->nodes) < 0) return "no node answers";
    if (refused_lately(&site->refusals, pool->head.id, site->running, (int64_t)time(NULL)))
        return "that would not do for the head job lately";
    why = why_partitions(site, group);
    if (why == NULL) why = find_kinds(model);
    if (why == NULL) why = why_cluster(&model->kinds);
    if (why == NULL) why = why_running(model);
    if (why == NULL) why = add_nodes(model);
    if (why != NULL) return why;
    group->share.kinds = model->kinds.count;
    /* Reservations end: the head job may be on those nodes afterwards. */
    why = ask(model, site, (uint32_t)pool->head.id, group->head_place, false, &group->share.head);
    if (why != NULL) {
        snprintf(head, sizeof head, "the head job %s", why);
        return head;
    }
    site->deadline = now + (deadline - now) / 2; /* the rest is for Slurm's own test */
    for (int32_t i = 0; i < pool->candidate_count && !site_time_is_up(site, group->name, pool->candidate_count - i); i++) {
        struct candidate *candidate = &pool->candidates[i];
        struct share_wish wish = {.candidate = i};
        if (candidate->refused) continue;
        /* The tasks of an array ask for the same. */
        if (i > 0 && candidate[-1].facts.id == candidate->facts.id && candidate[-1].place == candidate->place) {
            if (!candidate[-1].shared) continue;
            wish.request = group->share.wishes[group->share.wish_count - 1].request;
        } else if ((why = ask(model, site, (uint32_t)candidate->facts.id, candidate->place, true, &wish.request)) != NULL) {
            debug2("surefill: JobId=%u is left to Slurm's own test: it %s", (uint32_t)candidate->facts.id, why);
            why = NULL;
            continue;
        }
        if (!share_add_wish(&group->share, &wish)) {
            why = "no memory for the candidates";
            break;
        }
        candidate->shared = true;
    }
    site->deadline = deadline;
    grant_features(model);
    return why;
}

/* --- Reservations of parts of nodes --- */

/* Whether a reservation is a job that runs for the head job: it has begun, or begins before that can end. */
static bool matters(const slurmctld_resv_t *reservation, const struct running_look *look) {
    return reserves(reservation, look->model, look->now) &&
           reservation->start_time <= look->now + (time_t)look->model->group->pool.head.limit;
}

/* Calls see for each core that the reservation holds of the model's nodes: its number among all cores, and its node. */
static void each_core(const slurmctld_resv_t *reservation, struct model *model, void *argument,
                      void (*see)(struct model *model, void *argument, int core, int node)) {
    for (int i = bit_ffs(reservation->node_bitmap), last = bit_fls(reservation->node_bitmap); i >= 0 && i <= last; i++) {
        int first, end;
        if (!bit_test(reservation->node_bitmap, i) || model->places[i] < 0) continue;
        first = (int)cr_get_coremap_offset((uint32_t)i);
        end = first + node_record_table_ptr[i]->tot_cores;
        for (int core = first; core < end; core++)
            if (bit_test(reservation->core_bitmap, core)) see(model, argument, core, i);
    }
}

static void reserve_core(struct model *model, void *argument, int core, int node) {
    const time_t until = *(const time_t *)argument;
    (void)node;
    if (model->reserved[core] < until) model->reserved[core] = until;
}

static int mark_reservation(void *entry, void *argument) {
    const slurmctld_resv_t *reservation = entry;
    struct running_look *look = argument;
    struct model *model = look->model;
    time_t until = reservation->end_time;
    if (!of_parts(reservation) || !matters(reservation, look)) return 0;
    if (model->reserved == NULL) model->reserved = xcalloc((size_t)all_cores() + 1, sizeof *model->reserved);
    each_core(reservation, model, &until, reserve_core);
    return 0;
}

/* A core that a job holds, of a node, until then: the reservation's if that lasts as long. */
static bool is_jobs_own(struct model *model, int node, int core, time_t until) {
    time_t *reserved = model->reserved == NULL ? NULL : &model->reserved[cr_get_coremap_offset((uint32_t)node) + (uint32_t)core];
    if (reserved == NULL || *reserved == 0) return true;
    if (until <= *reserved) return false;
    *reserved = 0;
    return true;
}

struct claim {
    time_t until;
    struct share_hold hold; /* of the node seen last */
    bool good;
};

static void add_claim(struct model *model, struct claim *claim) {
    if (claim->hold.amounts[KIND_CORES] > 0) claim->good &= share_add_hold(&model->group->share, &claim->hold);
    claim->hold.amounts[KIND_CORES] = 0;
}

static void claim_core(struct model *model, void *argument, int core, int node) {
    struct claim *claim = argument;
    if (model->reserved[core] != claim->until) return; /* a job's, or another reservation's */
    model->reserved[core] = 0;
    if (claim->hold.node != model->places[node]) add_claim(model, claim);
    claim->hold.node = model->places[node];
    claim->hold.amounts[KIND_CORES]++;
}

static const char *add_parts(struct model *model, const slurmctld_resv_t *reservation, time_t now) {
    struct claim claim = {.until = reservation->end_time, .good = true};
    const struct share_job nobody = {.until = (int64_t)difftime(reservation->end_time, now)};
    if (!share_add_job(&model->group->share, &nobody)) return "no memory for running jobs";
    each_core(reservation, model, &claim, claim_core);
    add_claim(model, &claim);
    return claim.good ? NULL : "no memory for running jobs";
}

/* --- What runs --- */

struct gres_look {
    const struct kinds *kinds;
    int32_t (*amounts)[SHARE_KINDS]; /* of the job's nodes, one after the other */
    int count;
    bool strange;
};

/* What the job holds of this kind on each of its nodes. */
static int add_job_gres(void *entry, void *argument) {
    const gres_state_t *gres = entry;
    const gres_job_state_t *state = gres->gres_data;
    struct gres_look *look = argument;
    int kind = kind_of_gres(look->kinds, gres->plugin_id);
    if (state == NULL || state->gres_cnt_node_alloc == NULL) return 0; /* not consumed */
    if (kind < 0) return 0; /* nor by anybody here */
    if ((int)state->node_cnt != look->count) look->strange = true;
    for (int i = 0; i < look->count && i < (int)state->node_cnt; i++) {
        if (state->gres_cnt_node_alloc[i] > INT32_MAX / 2 || look->amounts[i][kind] > INT32_MAX / 2)
            look->strange = true;
        else
            look->amounts[i][kind] += (int32_t)state->gres_cnt_node_alloc[i];
    }
    return 0;
}

static bool is_something(const struct share_hold *hold) {
    for (int kind = 0; kind < SHARE_KINDS; kind++)
        if (hold->amounts[kind] > 0) return true;
    return false;
}

/* Adds the job's holds of the model's nodes; of nodes that it has alone, those are whole. */
static const char *add_holds(struct model *model, const job_record_t *job, bool alone) {
    const time_t until = alone ? INT64_MAX : job->end_time;
    const job_resources_t *held = job->job_resrcs;
    struct share *share = &model->group->share;
    int count = bit_set_count(held->node_bitmap), at = 0, core = 0;
    struct gres_look look = {.kinds = &model->kinds, .count = count};
    const char *why = NULL;
    look.amounts = xcalloc((size_t)count + 1, sizeof *look.amounts);
    if (job->gres_list_alloc != NULL) list_for_each(job->gres_list_alloc, add_job_gres, &look);
    if (look.strange) why = "a job's generic resources are not those of its nodes";
    for (int i = bit_ffs(held->node_bitmap), last = bit_fls(held->node_bitmap); i >= 0 && i <= last && why == NULL; i++) {
        struct share_hold hold;
        int cores;
        if (!bit_test(held->node_bitmap, i)) continue;
        cores = node_record_table_ptr[i]->tot_cores;
        hold = (struct share_hold){.node = model->places[i]};
        memcpy(hold.amounts, look.amounts[at], sizeof hold.amounts);
        if (core + cores > bit_size(held->core_bitmap)) {
            why = "a job's cores are not those of its nodes";
            break;
        }
        for (int c = 0; c < cores; c++)
            if (bit_test(held->core_bitmap, core + c) && (hold.node < 0 || is_jobs_own(model, i, c, until)))
                hold.amounts[KIND_CORES]++;
        if (model->kinds.memory && held->memory_allocated != NULL)
            hold.amounts[KIND_MEMORY] = held->memory_allocated[at] > INT32_MAX ? INT32_MAX : (int32_t)held->memory_allocated[at];
        core += cores;
        at++;
        /* A node that the job has given back already is no longer its own. */
        if (hold.node >= 0 && bit_test(job->node_bitmap, i) && (alone || is_something(&hold)) &&
            !share_add_hold(share, &hold))
            why = "no memory for running jobs";
    }
    xfree(look.amounts);
    return why;
}

static int add_job(void *entry, void *argument) {
    const job_record_t *job = entry;
    struct running_look *look = argument;
    struct model *model = look->model;
    struct share_job made = {.age = 0};
    check_job(entry, argument); /* again: some have just been started */
    if (look->why != NULL || !counts(job, model)) return 0;
    job_facts(job, job->part_ptr, (int32_t)job->node_cnt, &made.facts);
    made.age = (int64_t)difftime(look->now, job->start_time) - (int64_t)job->tot_sus_time;
    if (made.age < 0) made.age = 0;
    made.alone = job->job_resrcs->whole_node == WHOLE_NODE_REQUIRED || job->job_resrcs->node_req == NODE_CR_RESERVED;
    look->why = share_add_job(&model->group->share, &made) ? add_holds(model, job, made.alone) : "no memory for running jobs";
    return 0;
}

/* A reservation is a job that ends for certain. One that is still to come is so for a head job that cannot end before
 * it. */
static int add_reservation(void *entry, void *argument) {
    const slurmctld_resv_t *reservation = entry;
    struct running_look *look = argument;
    struct model *model = look->model;
    struct share *share = &model->group->share;
    if (look->why != NULL || !matters(reservation, look)) return 0;
    if (of_parts(reservation)) {
        look->why = add_parts(model, reservation, look->now);
        return 0;
    }
    for (int32_t i = 0; i < share->node_count; i++) {
        int64_t until = (int64_t)difftime(reservation->end_time, look->now);
        if (bit_test(reservation->node_bitmap, share->nodes[i].id) && until > share->nodes[i].taken)
            share->nodes[i].taken = until;
    }
    return 0;
}

const char *model_running(struct group *group, struct model *model) {
    struct running_look look = {.model = model, .now = time(NULL)};
    const job_record_t *head = find_job_record((uint32_t)group->pool.head.id);
    if (!group->has_head || group->pool.head.id != model->head || head == NULL || !IS_JOB_PENDING(head))
        return "the head job is another one now";
    if (resv_list != NULL) list_for_each(resv_list, mark_reservation, &look);
    list_for_each(job_list, add_job, &look);
    if (resv_list != NULL && look.why == NULL) list_for_each(resv_list, add_reservation, &look);
    return look.why;
}

void model_free(struct model *model) {
    for (int i = 0; i < model->granted_count; i++) FREE_NULL_BITMAP(model->granted[i]);
    FREE_NULL_BITMAP(model->nodes);
    xfree(model->places);
    xfree(model->reserved);
}
