/* Shared nodes: the arrays of a share, and the library's machine made of them. */
#include "share.h"

#include <stdlib.h>
#include <string.h>

/* --- The arrays --- */

bool share_add_node(struct share *share, const struct share_node *node) {
    struct share_node *all = pool_grown(share->nodes, &share->node_room, share->node_count, sizeof *all);
    if (all == NULL) return false;
    share->nodes = all;
    all[share->node_count++] = *node;
    return true;
}

bool share_add_job(struct share *share, const struct share_job *job) {
    struct share_job *all = pool_grown(share->jobs, &share->job_room, share->job_count, sizeof *all);
    if (all == NULL) return false;
    share->jobs = all;
    all[share->job_count] = *job;
    all[share->job_count].first = share->hold_count;
    all[share->job_count++].count = 0;
    return true;
}

bool share_add_hold(struct share *share, const struct share_hold *hold) {
    struct share_hold *all = pool_grown(share->holds, &share->hold_room, share->hold_count, sizeof *all);
    if (all == NULL) return false;
    share->holds = all;
    all[share->hold_count++] = *hold;
    share->jobs[share->job_count - 1].count++;
    return true;
}

bool share_add_wish(struct share *share, const struct share_wish *wish) {
    struct share_wish *all = pool_grown(share->wishes, &share->wish_room, share->wish_count, sizeof *all);
    if (all == NULL) return false;
    share->wishes = all;
    all[share->wish_count++] = *wish;
    return true;
}

bool share_add_spot(struct share *share, const struct share_spot *spot) {
    struct share_spot *all = pool_grown(share->spots, &share->spot_room, share->spot_count, sizeof *all);
    if (all == NULL) return false;
    share->spots = all;
    all[share->spot_count++] = *spot;
    return true;
}

void share_free(struct share *share) {
    free(share->nodes);
    free(share->holds);
    free(share->jobs);
    free(share->wishes);
    free(share->spots);
    memset(share, 0, sizeof *share);
}

/* --- The machine --- */

void machine_free(struct machine *machine) {
    free(machine->memory);
    free(machine->parts);
    free(machine->held);
    *machine = (struct machine){.size = 0};
}

static bool alike(const struct share_node *one, const struct share_node *other) {
    return one->features == other->features && memcmp(one->amounts, other->amounts, sizeof one->amounts) == 0;
}

/* The first node of each class. Returns how many they are. */
static int32_t find_classes(const struct share *share, int32_t *firsts) {
    int32_t count = 0;
    for (int32_t i = 0; i < share->node_count; i++) {
        int32_t at = 0;
        while (at < count && !alike(&share->nodes[firsts[at]], &share->nodes[i])) at++;
        if (at == count) firsts[count++] = i;
    }
    return count;
}

/* Without a job yet. */
static const char *make_nodes(struct machine *machine, const struct share *share, int64_t jobs, int64_t parts) {
    surefill_nodes_capacity capacity;
    int32_t *firsts = calloc((size_t)share->node_count + 1, sizeof *firsts), status, classes, first;
    int64_t size = 0;
    if (firsts == NULL) return "no memory for classes of nodes";
    classes = machine->class_count = find_classes(share, firsts);
    status = surefill_nodes_capacity_init(&capacity);
    capacity.nodes = share->node_count;
    capacity.classes = classes;
    capacity.resources = share->kinds;
    capacity.jobs = jobs > INT32_MAX ? INT32_MAX : (int32_t)jobs;
    capacity.parts = parts > INT32_MAX ? INT32_MAX : (int32_t)parts;
    if (status == SUREFILL_OK) status = surefill_nodes_size(&capacity, &size);
    if (status == SUREFILL_OK && size > machine->size) {
        free(machine->memory);
        machine->size = 0;
        machine->memory = malloc((size_t)size);
        if (machine->memory == NULL) {
            free(firsts);
            return "no memory for shared nodes";
        }
        machine->size = size;
    }
    if (status == SUREFILL_OK) status = surefill_nodes_init(machine->memory, machine->size, &capacity, &machine->nodes);
    for (int32_t i = 0; i < classes && status == SUREFILL_OK; i++) {
        const struct share_node *node = &share->nodes[firsts[i]];
        status = surefill_nodes_add_class(machine->nodes, node->features, node->amounts, share->kinds, &first);
    }
    for (int32_t i = 0; i < share->node_count && status == SUREFILL_OK; i++) {
        int32_t at = 0;
        while (!alike(&share->nodes[firsts[at]], &share->nodes[i])) at++;
        status = surefill_nodes_add_nodes(machine->nodes, at, 1, &first);
    }
    free(firsts);
    return status == SUREFILL_OK ? NULL : surefill_status_text(status);
}

/* Takes that much on the machine's parts from the first one on. */
static const char *take(struct machine *machine, const surefill_request *request, int32_t count, int32_t job, int64_t until) {
    struct held *all = pool_grown(machine->held, &machine->held_room, machine->held_count, sizeof *all);
    int32_t status;
    if (all == NULL) return "no memory for what jobs hold";
    machine->held = all;
    all[machine->held_count] = (struct held){.job = job, .until = until};
    status = surefill_nodes_allocate(machine->nodes, request, machine->parts, count, &all[machine->held_count].handle);
    if (status != SUREFILL_OK) return surefill_status_text(status);
    machine->held_count++;
    return NULL;
}

static int32_t divisor(int32_t one, int32_t other) {
    while (other != 0) {
        int32_t rest = one % other;
        one = other;
        other = rest;
    }
    return one;
}

/* What a job holds on one node, in tasks of the same amounts everywhere: each is that amount. Returns the tasks, 0 when
 * there is no such number. */
static int32_t multiple(const int32_t *amounts, const int32_t *each, int32_t kinds) {
    int32_t tasks = 0;
    for (int32_t k = 0; k < kinds; k++) {
        int32_t these;
        if (each[k] == 0) continue;
        these = amounts[k] / each[k];
        if (these == 0 || (tasks != 0 && these != tasks)) return 0;
        tasks = these;
    }
    return tasks == 0 ? 1 : tasks;
}

/* The job's holds outside of nodes that are reserved. */
static const char *put_job(struct machine *machine, const struct share *share, int32_t index) {
    const struct share_job *job = &share->jobs[index];
    surefill_request request;
    const int32_t who = job->until > 0 ? -1 : index;
    int32_t count = 0, tasks = 0, greatest[SHARE_KINDS] = {0}, least[SHARE_KINDS] = {0}, status;
    bool whole = true;
    const char *wrong;
    status = surefill_request_init(&request);
    if (status != SUREFILL_OK) return surefill_status_text(status);
    for (int32_t i = 0; i < job->count; i++) {
        const struct share_hold *hold = &share->holds[job->first + i];
        if (share->nodes[hold->node].taken > 0) continue;
        for (int32_t k = 0; k < share->kinds; k++) {
            greatest[k] = divisor(greatest[k], hold->amounts[k]);
            if (count == 0 || hold->amounts[k] < least[k]) least[k] = hold->amounts[k];
        }
        machine->parts[count++] = (surefill_part){.node = hold->node, .tasks = 1};
    }
    if (count == 0) return NULL;
    request.count = count;
    request.spread = SUREFILL_SPREAD_NODES;
    request.exclusive = job->alone;
    if (job->alone) return take(machine, &request, count, who, job->until);
    for (int32_t i = 0, at = 0; i < job->count && whole; i++) {
        const struct share_hold *hold = &share->holds[job->first + i];
        if (share->nodes[hold->node].taken > 0) continue;
        machine->parts[at].tasks = multiple(hold->amounts, greatest, share->kinds);
        whole = machine->parts[at].tasks > 0 && machine->parts[at].tasks <= SUREFILL_MAX_TASKS - tasks;
        tasks += whole ? machine->parts[at++].tasks : 0;
    }
    if (whole) {
        request.count = tasks;
        if (tasks > count) request.spread = SUREFILL_SPREAD_TASKS;
        memcpy(request.each, greatest, sizeof request.each);
        return take(machine, &request, count, who, job->until);
    }
    for (int32_t i = 0; i < count; i++) machine->parts[i].tasks = 1;
    memcpy(request.each, least, (size_t)share->kinds * sizeof *least);
    wrong = take(machine, &request, count, who, job->until);
    request.count = 1;
    for (int32_t i = 0; i < job->count && wrong == NULL; i++) {
        const struct share_hold *hold = &share->holds[job->first + i];
        bool more = false;
        if (share->nodes[hold->node].taken > 0) continue;
        for (int32_t k = 0; k < share->kinds; k++) {
            request.each[k] = hold->amounts[k] - least[k];
            more |= request.each[k] > 0;
        }
        machine->parts[0] = (surefill_part){.node = hold->node, .tasks = 1};
        if (more) wrong = take(machine, &request, 1, -1, job->until);
    }
    return wrong;
}

/* What nobody waiting can have of a node for now: all of it when it is reserved, else what no job holds. */
static const char *put_nobody(struct machine *machine, const struct share *share, int32_t index) {
    const struct share_node *node = &share->nodes[index];
    surefill_request request;
    int32_t status = surefill_request_init(&request);
    if (status == SUREFILL_OK) status = surefill_nodes_free(machine->nodes, index, request.each, share->kinds);
    if (status != SUREFILL_OK) return surefill_status_text(status);
    machine->parts[0] = (surefill_part){.node = index, .tasks = 1};
    for (int32_t k = 0; k < share->kinds; k++)
        if (request.each[k] > 0) return take(machine, &request, 1, -1, node->taken);
    return NULL;
}

const char *machine_make(struct machine *machine, const struct share *share, int32_t jobs, int64_t parts) {
    const char *wrong;
    machine->held_count = 0;
    /* A job is one of the machine, or one and the rest of it on each node; a node may have one that is nobody's. */
    wrong = make_nodes(machine, share, (int64_t)share->job_count + share->hold_count + share->node_count + jobs,
                       2 * (int64_t)share->hold_count + share->node_count + parts);
    if (wrong == NULL && machine->part_room < share->node_count) {
        surefill_part *more = realloc(machine->parts, (size_t)share->node_count * sizeof *more);
        if (more == NULL) return "no memory for shared nodes";
        machine->parts = more;
        machine->part_room = share->node_count;
    }
    for (int32_t i = 0; i < share->job_count && wrong == NULL; i++) wrong = put_job(machine, share, i);
    for (int32_t i = 0; i < share->node_count && wrong == NULL; i++)
        if (share->nodes[i].taken >= 0) wrong = put_nobody(machine, share, i);
    return wrong;
}
