/* R is read and written by hand, as flux-core keeps its functions for that to itself. */
#define _POSIX_C_SOURCE 200809L
#include "resources.h"

#include <flux/hostlist.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool failed(char *why, size_t length, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(why, length, format, arguments);
    va_end(arguments);
    return false;
}

static struct idset *none(void) { return idset_create(0, IDSET_FLAG_AUTOGROW); }

/* --- R --- */

/* A visit to a rank of R, with what R has of it. */
struct visit {
    struct resources *resources;
    struct rank *rank;
    int32_t number;
    const struct idset *cores, *gpus;
};

static bool each_rank(struct resources *resources, json_t *R, bool (*look)(const struct visit *, void *), void *with) {
    json_t *lite, *entry;
    size_t i;
    bool good = json_unpack(R, "{s:{s:o}}", "execution", "R_lite", &lite) == 0;
    if (good) json_array_foreach(lite, i, entry) {
        const char *ids, *core = "", *gpu = "";
        if (json_unpack(entry, "{s:s s:{s?s s?s}}", "rank", &ids, "children", "core", &core, "gpu", &gpu) != 0)
            return false;
        struct idset *ranks = idset_decode(ids), *cores = idset_decode(core), *gpus = idset_decode(gpu);
        good = good && ranks != NULL && cores != NULL && gpus != NULL;
        for (unsigned rank = idset_first(ranks); good && rank != IDSET_INVALID_ID; rank = idset_next(ranks, rank)) {
            const bool known = idset_test(resources->all, rank);
            const struct visit visit = {resources, known ? &resources->ranks[rank] : NULL, (int32_t)rank, cores, gpus};
            good = rank < UINT16_MAX && look(&visit, with);
        }
        idset_destroy(ranks);
        idset_destroy(cores);
        idset_destroy(gpus);
    }
    return good;
}

static bool add(const struct visit *visit, void *with) {
    struct resources *resources = visit->resources;
    const int32_t rank = visit->number;
    (void)with;
    if (visit->rank != NULL) return false;
    if (rank >= resources->count) {
        struct rank *more = realloc(resources->ranks, ((size_t)rank + 1) * sizeof *more);
        if (more == NULL) return false;
        memset(more + resources->count, 0, (size_t)(rank + 1 - resources->count) * sizeof *more);
        resources->ranks = more;
        resources->count = rank + 1;
    }
    resources->ranks[rank].cores = idset_copy(visit->cores);
    resources->ranks[rank].gpus = idset_copy(visit->gpus);
    resources->ranks[rank].free_cores = idset_copy(visit->cores);
    resources->ranks[rank].free_gpus = idset_copy(visit->gpus);
    return idset_set(resources->all, (unsigned)rank) == 0;
}

bool resources_read(struct resources *resources, json_t *R) {
    struct hostlist *hosts = hostlist_create();
    json_t *names = NULL, *name;
    size_t i;
    int32_t number = 0;
    *resources = (struct resources){.all = none()};
    bool good = hosts != NULL && resources->all != NULL && each_rank(resources, R, add, NULL) &&
                json_unpack(R, "{s?O s:{s?o s?O}}", "scheduling", &resources->scheduling, "execution", "nodelist",
                            &names, "properties", &resources->properties) == 0;
    json_array_foreach(names, i, name) good = good && hostlist_append(hosts, json_string_value(name)) >= 0;
    for (int32_t rank = 0; good && rank < resources->count; rank++) {
        const char *host = idset_test(resources->all, (unsigned)rank) ? hostlist_nth(hosts, number++) : NULL;
        if (host != NULL) resources->ranks[rank].host = strdup(host);
    }
    hostlist_destroy(hosts);
    return good;
}

void resources_free(struct resources *resources) {
    for (int32_t i = 0; i < resources->count; i++) {
        struct rank *rank = &resources->ranks[i];
        idset_destroy(rank->cores);
        idset_destroy(rank->gpus);
        idset_destroy(rank->free_cores);
        idset_destroy(rank->free_gpus);
        free(rank->host);
    }
    free(resources->ranks);
    idset_destroy(resources->all);
    json_decref(resources->properties);
    json_decref(resources->scheduling);
}

struct held {
    surefill_part *parts;
    int32_t (*amounts)[2], count;
};

static bool take(const struct visit *visit, void *with) {
    struct held *held = with;
    if (visit->rank == NULL || held->count == visit->resources->count) return false;
    held->parts[held->count].node = visit->number;
    held->amounts[held->count][0] = (int32_t)idset_count(visit->cores);
    held->amounts[held->count++][1] = (int32_t)idset_count(visit->gpus);
    return idset_subtract(visit->rank->free_cores, visit->cores) == 0 &&
           idset_subtract(visit->rank->free_gpus, visit->gpus) == 0;
}

static int by_node(const void *a, const void *b) {
    return ((const surefill_part *)a)->node - ((const surefill_part *)b)->node;
}

bool resources_take(struct resources *resources, json_t *R, surefill_job *job) {
    struct held held = {calloc((size_t)resources->count + 1, sizeof *held.parts),
                        calloc((size_t)resources->count + 1, sizeof *held.amounts), 0};
    const bool good =
        held.parts != NULL && held.amounts != NULL && each_rank(resources, R, take, &held) && held.count > 0;
    int32_t each[2] = {0, 0};
    job->count = 0;
    job->flags = SUREFILL_FLAG_PACKED;
    for (int32_t i = 0; good && i < held.count; i++) {
        int32_t units = held.amounts[i][0], rest = held.amounts[i][1];
        while (rest != 0) {
            const int32_t next = units % rest;
            units = rest;
            rest = next;
        }
        for (int kind = 0; kind < 2 && units > 0; kind++) {
            if (i == 0) each[kind] = held.amounts[i][kind] / units;
            if (each[kind] != held.amounts[i][kind] / units) job->flags = SUREFILL_FLAG_EXCLUSIVE;
        }
        held.parts[i].tasks = units;
        job->count += units;
    }
    if (job->flags == SUREFILL_FLAG_EXCLUSIVE) { /* cores and GPUs in several proportions: no other job starts there */
        each[0] = 1, each[1] = 0, job->count = held.count;
        for (int32_t i = 0; i < held.count; i++) held.parts[i].tasks = 1;
    }
    job->each[0] = each[0], job->each[2] = each[1];
    if (good) qsort(held.parts, (size_t)held.count, sizeof *held.parts, by_node);
    if (good) job->parts = held.parts, job->part_count = held.count;
    else free(held.parts);
    free(held.amounts);
    return good;
}

static bool give(const struct visit *visit, void *with) {
    surefill_job *job = with;
    surefill_part *parts = (surefill_part *)job->parts;
    int32_t left = 0;
    for (int32_t i = 0; i < job->part_count; i++)
        if (parts[i].node != visit->number) parts[left++] = parts[i];
    job->part_count = left;
    return visit->rank == NULL || (idset_add(visit->rank->free_cores, visit->cores) == 0 &&
                                   idset_add(visit->rank->free_gpus, visit->gpus) == 0);
}

void resources_give(struct resources *resources, json_t *R, surefill_job *job) {
    (void)each_rank(resources, R, give, job);
}

/* The first of what is free, taken. */
static struct idset *pick(struct idset *free, int64_t count) {
    struct idset *picked = none();
    for (unsigned id = idset_first(free); count > 0 && id != IDSET_INVALID_ID; id = idset_next(free, id), count--)
        idset_set(picked, id);
    idset_subtract(free, picked);
    return picked;
}

/* A new entry of R_lite, or one rank more in the last one. */
static void add_entry(json_t *lite, unsigned rank, const struct idset *cores, const struct idset *gpus) {
    char *core = idset_encode(cores, IDSET_FLAG_RANGE), *gpu = idset_encode(gpus, IDSET_FLAG_RANGE), *ids;
    json_t *last = json_array_get(lite, json_array_size(lite) - 1);
    json_t *children = json_pack("{s:s s:s*}", "core", core, "gpu", idset_empty(gpus) ? NULL : gpu);
    const bool same = last != NULL && json_equal(json_object_get(last, "children"), children);
    struct idset *ranks = same ? idset_decode(json_string_value(json_object_get(last, "rank"))) : none();
    idset_set(ranks, rank);
    ids = idset_encode(ranks, IDSET_FLAG_RANGE);
    if (same) json_object_set_new(last, "rank", json_string(ids));
    else json_array_append_new(lite, json_pack("{s:s s:O}", "rank", ids, "children", children));
    json_decref(children);
    idset_destroy(ranks);
    free(ids);
    free(core);
    free(gpu);
}

json_t *resources_place(struct resources *resources, const surefill_job *job, int64_t slots) {
    json_t *lite = json_array(), *properties = json_object(), *ids, *R;
    struct hostlist *hosts = hostlist_create();
    struct idset *ranks = none();
    const char *name;
    char *list;
    bool good = true;
    for (int32_t i = 0; i < job->part_count; i++) {
        const struct rank *rank = &resources->ranks[job->parts[i].node];
        const size_t tasks = (size_t)job->parts[i].tasks;
        good = good && rank->up && idset_count(rank->free_cores) >= tasks * (size_t)job->each[0] &&
               idset_count(rank->free_gpus) >= tasks * (size_t)job->each[2] &&
               (!(job->flags & SUREFILL_FLAG_EXCLUSIVE) || idset_equal(rank->free_cores, rank->cores));
    }
    for (int32_t i = 0; good && i < job->part_count; i++) {
        const struct rank *rank = &resources->ranks[job->parts[i].node];
        const int64_t tasks = job->flags & SUREFILL_FLAG_EXCLUSIVE ? INT32_MAX : job->parts[i].tasks;
        struct idset *cores = pick(rank->free_cores, tasks * job->each[0]);
        struct idset *gpus = pick(rank->free_gpus, job->flags & SUREFILL_FLAG_EXCLUSIVE ? tasks : tasks * job->each[2]);
        add_entry(lite, (unsigned)job->parts[i].node, cores, gpus);
        idset_set(ranks, (unsigned)job->parts[i].node);
        hostlist_append(hosts, rank->host);
        idset_destroy(cores);
        idset_destroy(gpus);
    }
    json_object_foreach(resources->properties, name, ids) {
        struct idset *those = idset_decode(json_string_value(ids)), *here = idset_intersect(those, ranks);
        char *text = idset_encode(here, IDSET_FLAG_RANGE);
        if (!idset_empty(here)) json_object_set_new(properties, name, json_string(text));
        idset_destroy(those);
        idset_destroy(here);
        free(text);
    }
    list = hostlist_encode(hosts);
    R = json_pack("{s:i s:{s:O s:[s] s:I}}", "version", 1, "execution", "R_lite", lite, "nodelist", list, "nslots",
                  (json_int_t)slots);
    if (json_object_size(properties) > 0) json_object_set(json_object_get(R, "execution"), "properties", properties);
    if (resources->scheduling != NULL) json_object_set(R, "scheduling", resources->scheduling);
    json_decref(lite);
    json_decref(properties);
    hostlist_destroy(hosts);
    idset_destroy(ranks);
    free(list);
    if (good) return R;
    json_decref(R);
    return NULL;
}

/* --- Requests --- */

/* The ranks that a value of a constraint names. */
static struct idset *named(const struct resources *resources, const char *kind, const char *name) {
    struct idset *ranks = NULL;
    if (name == NULL) return NULL;
    if (strcmp(kind, "ranks") == 0) return idset_decode(name);
    if (strcmp(kind, "properties") == 0) {
        const char *ids = json_string_value(json_object_get(resources->properties, name + (*name == '^')));
        struct idset *those = idset_decode(ids == NULL ? "" : ids);
        ranks = *name == '^' ? idset_difference(resources->all, those) : idset_copy(those);
        idset_destroy(those);
    } else if (strcmp(kind, "hostlist") == 0) {
        struct hostlist *hosts = hostlist_decode(name);
        ranks = hosts == NULL ? NULL : none();
        for (int32_t rank = 0; ranks != NULL && rank < resources->count; rank++)
            if (resources->ranks[rank].host != NULL && hostlist_find(hosts, resources->ranks[rank].host) >= 0)
                idset_set(ranks, (unsigned)rank);
        hostlist_destroy(hosts);
    }
    return ranks;
}

struct idset *resources_admitted(const struct resources *resources, json_t *constraint) {
    struct idset *ranks = idset_copy(resources->all);
    const char *kind;
    json_t *values, *value;
    size_t i;
    json_object_foreach(constraint, kind, values) {
        const bool no = strcmp(kind, "not") == 0, every = no || strcmp(kind, "and") == 0, any = strcmp(kind, "or") == 0;
        const bool meet = every || strcmp(kind, "properties") == 0;
        struct idset *those = !json_is_array(values) ? NULL : meet ? idset_copy(resources->all) : none(), *both;
        json_array_foreach(values, i, value) {
            struct idset *one = !every && !any ? named(resources, kind, json_string_value(value))
                                : json_is_object(value) ? resources_admitted(resources, value) : NULL;
            both = one == NULL ? NULL : meet ? idset_intersect(those, one) : idset_union(those, one);
            idset_destroy(one);
            idset_destroy(those);
            if ((those = both) == NULL) break;
        }
        both = those == NULL ? NULL : no ? idset_difference(ranks, those) : idset_intersect(ranks, those);
        idset_destroy(those);
        idset_destroy(ranks);
        if ((ranks = both) == NULL) return NULL;
    }
    return ranks;
}

int64_t resources_room(const struct resources *resources, const surefill_job *job, const struct idset *ranks, bool up) {
    int64_t room = 0;
    for (unsigned number = idset_first(ranks); number != IDSET_INVALID_ID; number = idset_next(ranks, number)) {
        if (!idset_test(resources->all, number) || (up && !resources->ranks[number].up)) continue;
        int64_t fit = (int64_t)idset_count(resources->ranks[number].cores) / job->each[0];
        const int64_t gpus = (int64_t)idset_count(resources->ranks[number].gpus);
        if (job->each[2] > 0 && gpus / job->each[2] < fit) fit = gpus / job->each[2];
        room += job->flags & SUREFILL_FLAG_PACKED ? fit : fit > 0;
    }
    return room;
}

enum { NODE, SLOT, CORE, GPU, KINDS };
static const char *const kinds[KINDS] = {"node", "slot", "core", "gpu"};

struct wanted {
    int64_t counts[KINDS], above; /* above: slots and others that the node is within */
    bool exclusive, some;         /* some: only some numbers within a range will do */
};

/* The least of a count in one of its forms (RFC 14); 0 for none of them. */
static int64_t least(json_t *count, bool *some) {
    const char *text = json_string_value(count);
    const char *by = json_string_value(json_object_get(count, "operator"));
    json_t *operand = json_object_get(count, "operand");
    int64_t number = json_integer_value(json_is_object(count) ? json_object_get(count, "min") : count);
    if (count == NULL) return 1;
    *some = *some || (by != NULL && strcmp(by, "+") != 0) || (operand != NULL && json_integer_value(operand) != 1);
    *some = *some || (text != NULL && strpbrk(text, ",:") != NULL);
    if (text != NULL) number = strtoll(text + (*text == '['), NULL, 10);
    return number > 0 && number <= SUREFILL_MAX_TASKS ? number : 0;
}

static bool walk(json_t *list, unsigned within, int64_t above, struct wanted *wanted, char *why, size_t length) {
    json_t *vertex;
    size_t i;
    json_array_foreach(list, i, vertex) {
        json_t *count = NULL, *with = NULL;
        const char *type = "";
        int kind = 0, exclusive = 0;
        (void)json_unpack(vertex, "{s:s s?o s?o s?b}", "type", &type, "count", &count, "with", &with, "exclusive",
                          &exclusive);
        while (kind < KINDS && strcmp(type, kinds[kind]) != 0) kind++;
        if (kind == KINDS) return failed(why, length, "resource type '%s' is not supported", type);
        if (kind <= SLOT && json_array_size(list) > 1)
            return failed(why, length, "several different nodes or slots in one job are not supported");
        if (within >> kind & 1) return failed(why, length, "a %s within a %s is not supported", type, type);
        if ((wanted->counts[kind] = least(count, &wanted->some)) == 0)
            return failed(why, length, "a count of %ss is not understood", type);
        if (kind == NODE) wanted->above = above;
        wanted->exclusive |= exclusive && kind <= SLOT;
        if (kind != NODE) above = above > SUREFILL_MAX_TASKS ? above : above * wanted->counts[kind];
        if (!walk(with, within | 1u << kind, above, wanted, why, length)) return false;
    }
    return true;
}

bool resources_wanted(json_t *jobspec, surefill_job *job, double *duration, int64_t *slots, char *why, size_t length) {
    struct wanted wanted = {.above = 1};
    int64_t *counts = wanted.counts, per_task;
    json_t *system = json_object_get(json_object_get(jobspec, "attributes"), "system");
    json_t *limit = json_object_get(system, "duration");
    if (!walk(json_object_get(jobspec, "resources"), 0, 1, &wanted, why, length)) return false;
    if (limit == NULL && json_integer_value(json_object_get(jobspec, "version")) == 1)
        return failed(why, length, "the jobspec has no duration");
    if (counts[SLOT] == 0 || counts[CORE] == 0)
        return failed(why, length, "the jobspec has no slots, or no cores in them");
    if (wanted.some) return failed(why, length, "only discrete counts of a range will do, which is not supported");
    if (wanted.exclusive && counts[NODE] == 0) counts[NODE] = counts[SLOT], counts[SLOT] = 1;
    per_task = counts[NODE] > 0 ? counts[SLOT] : 1;
    if (wanted.above > SUREFILL_MAX_TASKS || per_task * counts[CORE] > INT32_MAX ||
        per_task * counts[GPU] > INT32_MAX ||
        (counts[NODE] > 0 && counts[NODE] * wanted.above > SUREFILL_MAX_TASKS / counts[SLOT]))
        return failed(why, length, "unsatisfiable request: more than any machine has");
    *slots = (counts[NODE] > 0 ? counts[NODE] * wanted.above : 1) * counts[SLOT];
    job->count = (int32_t)(*slots / per_task);
    job->each[0] = (int32_t)(per_task * counts[CORE]);
    job->each[2] = (int32_t)(per_task * counts[GPU]);
    job->flags = wanted.exclusive ? SUREFILL_FLAG_EXCLUSIVE : counts[NODE] == 0 ? SUREFILL_FLAG_PACKED : 0;
    *duration = json_number_value(limit);
    return true;
}
