/* Reads pbs_statque, pbs_statvnode and pbs_statjob: the vnodes that may be used, and the jobs that are not over. */
#include "look.h"

#include <stdlib.h>
#include <string.h>

/* --- Vnodes --- */

static int32_t find_vnode(const struct scheduler *scheduler, const char *name) {
    for (int32_t i = 0; i < scheduler->vnode_count; i++)
        if (strcmp(scheduler->vnodes[i].name, name) == 0) return i;
    return -1;
}

static bool ours(const struct scheduler *scheduler, const struct batch_status *vnode) {
    const char *queue = attribute(vnode, "queue", NULL);
    return scheduler->queue == NULL ? queue == NULL : queue != NULL && strcmp(queue, scheduler->queue) == 0;
}

/* The worst of a vnode's states. Right after a restart of the server it does not know its vnodes yet. */
static int32_t state_of_vnode(const char *states) {
    static const struct {
        const char *word;
        int32_t state;
    } known[] = {{"state-unknown", SUREFILL_NODE_AWAITED}, {"initializing", SUREFILL_NODE_AWAITED},
                 {"provisioning", SUREFILL_NODE_AWAITED},  {"wait-provisioning", SUREFILL_NODE_AWAITED},
                 {"sleep", SUREFILL_NODE_AWAITED},         {"down", SUREFILL_NODE_DOWN},
                 {"stale", SUREFILL_NODE_DOWN},            {"unresolvable", SUREFILL_NODE_DOWN},
                 {"unknown", SUREFILL_NODE_DOWN},          {"offline", SUREFILL_NODE_CLOSED},
                 {"maintenance", SUREFILL_NODE_CLOSED},    {"resv-exclusive", SUREFILL_NODE_CLOSED}};
    if (states == NULL) return SUREFILL_NODE_DOWN;
    if (has_word(states, ", ", "offline") && has_word(states, ", ", "down")) return SUREFILL_NODE_DOWN;
    for (size_t i = sizeof known / sizeof *known; i-- > 9;)
        if (has_word(states, ", ", known[i].word)) return known[i].state;
    for (size_t i = 0; i < 9; i++)
        if (has_word(states, ", ", known[i].word)) return known[i].state;
    return SUREFILL_NODE_UP;
}

static int32_t bounded(int64_t number) { return number < 0 ? 0 : number > INT32_MAX ? INT32_MAX : (int32_t)number; }

bool see_vnodes(struct scheduler *scheduler, const struct batch_status *all) {
    size_t count = 0;
    for (const struct batch_status *at = all; at != NULL; at = at->next) count++;
    free(scheduler->vnodes);
    scheduler->vnodes = calloc(count + 1, sizeof *scheduler->vnodes);
    scheduler->vnode_count = 0;
    if (scheduler->vnodes == NULL) return false;
    for (const struct batch_status *at = all; at != NULL; at = at->next) {
        struct vnode *vnode = &scheduler->vnodes[scheduler->vnode_count];
        const char *memory = attribute(at, "resources_available", "mem"), *sharing = attribute(at, "sharing", NULL);
        int64_t kilobytes = 0;
        if (!ours(scheduler, at) || strlen(at->name) >= sizeof vnode->name) continue;
        strcpy(vnode->name, at->name);
        if (memory != NULL && !read_size(memory, &kilobytes)) kilobytes = 0;
        vnode->amounts[PROCESSORS] = bounded(attribute_number(at, "resources_available", "ncpus", 0));
        vnode->amounts[MEMORY] = bounded(kilobytes / 1024);
        vnode->amounts[GPUS] = bounded(attribute_number(at, "resources_available", "ngpus", 0));
        vnode->state = state_of_vnode(attribute(at, "state", NULL));
        vnode->assigned = attribute_number(at, "resources_assigned", "ncpus", 0);
        vnode->alone = sharing != NULL && strstr(sharing, "excl") != NULL;
        scheduler->vnode_count++;
    }
    return true;
}

/* A word "name=value" of a chunk, and whether a vnode has it: as the value, or one of several. */
static bool has_feature(const struct batch_status *vnode, const char *word, size_t length) {
    char name[160];
    const char *has;
    char *value;
    if (length >= sizeof name) return false;
    memcpy(name, word, length);
    name[length] = '\0';
    value = strchr(name, '=');
    *value++ = '\0';
    if (strcmp(name, "vnode") == 0) return strcmp(vnode->name, value) == 0;
    has = attribute(vnode, "resources_available", name);
    return has_word(has, ", ", value);
}

int64_t features_of(const struct scheduler *scheduler, const struct batch_status *vnode) {
    uint64_t bits = 0;
    for (int i = 0; i < scheduler->feature_count; i++) {
        bool all = true;
        for (const char *at = scheduler->features[i]; *at != '\0' && all; at += at[strcspn(at, ":")] == ':') {
            all = has_feature(vnode, at, strcspn(at, ":"));
            at += strcspn(at, ":");
        }
        if (all) bits |= (uint64_t)1 << i;
    }
    return (int64_t)bits;
}

/* Whether vnodes have an amount of this resource, which is not counted here. */
static bool is_amount(const struct batch_status *vnodes, const char *word) {
    char name[160];
    const size_t length = strcspn(word, "=");
    int64_t value;
    if (length >= sizeof name) return true;
    memcpy(name, word, length);
    name[length] = '\0';
    for (; vnodes != NULL; vnodes = vnodes->next) {
        const char *has = attribute(vnodes, "resources_available", name);
        if (strcmp(name, "vnode") != 0 && strcmp(name, "host") != 0 && has != NULL && read_size(has, &value)) return true;
    }
    return false;
}

/* The bit of these features; false where there is none left, or they are amounts. */
static bool find_features(struct scheduler *scheduler, const char *others, int64_t *bits) {
    *bits = 0;
    if (*others == '\0') return true;
    for (const char *at = others; at != NULL && *at != '\0'; at = strchr(at, ':') == NULL ? NULL : strchr(at, ':') + 1)
        if (is_amount(scheduler->all_vnodes, at)) return false;
    for (int i = 0; i < scheduler->feature_count; i++)
        if (strcmp(scheduler->features[i], others) == 0) {
            *bits = (int64_t)((uint64_t)1 << i);
            return true;
        }
    if (scheduler->feature_count == FEATURES) return false;
    *bits = (int64_t)((uint64_t)1 << scheduler->feature_count);
    strcpy(scheduler->features[scheduler->feature_count++], others);
    return true;
}

/* The vnodes of this pool that a job holds, as parts of equal tasks: its chunks, or, where these lie on several vnodes,
 * its processors or GPUs. False for one that holds none of them. */
static bool see_parts(struct scheduler *scheduler, struct row *row) {
    const char *at = attribute(row->job, "exec_vnode", NULL);
    const struct chunks *chunks = &row->chunks;
    int64_t processors = 0, gpus = 0, kilobytes = 0, unit;
    bool even = row->complete && row->packed == 1;
    int32_t count = 0;
    struct piece piece;
    for (int32_t i = 0; i < scheduler->vnode_count; i++) {
        struct vnode *vnode = &scheduler->vnodes[i];
        vnode->tasks = 0;
        vnode->processors = vnode->gpus = vnode->kilobytes = 0;
    }
    while ((at = next_piece(at, &piece)) != NULL) {
        const int32_t number = find_vnode(scheduler, piece.vnode);
        struct vnode *vnode = &scheduler->vnodes[number < 0 ? 0 : number];
        if (number < 0) continue;
        even &= piece.processors == chunks->processors && piece.gpus == chunks->gpus;
        count += vnode->tasks++ == 0;
        vnode->processors += piece.processors, vnode->gpus += piece.gpus, vnode->kilobytes += piece.kilobytes;
        processors += piece.processors, gpus += piece.gpus, kilobytes += piece.kilobytes;
    }
    if (count == 0) return false;
    row->parts = calloc((size_t)count, sizeof *row->parts);
    if (row->parts == NULL) return false;
    unit = gpus > 0 ? gpus : processors > 0 ? processors : 1;
    if (!even) {
        row->said.each[PROCESSORS] = bounded(processors / unit);
        row->said.each[GPUS] = bounded(gpus / unit);
        row->said.each[MEMORY] = bounded(kilobytes / 1024 / unit);
        row->said.count = bounded(unit);
        row->said.flags |= SUREFILL_FLAG_PACKED;
    }
    for (int32_t i = 0; i < scheduler->vnode_count; i++) {
        struct vnode *vnode = &scheduler->vnodes[i];
        const int64_t units = gpus > 0 ? vnode->gpus : vnode->processors;
        if (vnode->tasks == 0) continue;
        vnode->known += vnode->processors;
        row->parts[row->said.part_count++] = (surefill_part){i, even ? vnode->tasks : units > 0 ? bounded(units) : 1};
    }
    row->said.parts = row->parts;
    return true;
}

/* --- Jobs --- */

char state_of(const struct batch_status *job) {
    const char *state = attribute(job, "job_state", NULL);
    return state == NULL ? '?' : state[0];
}

static bool is_one_of(const char *states, char state) { return strchr(states, state) != NULL; }

bool is_over(const struct batch_status *job) { return is_one_of("FXM", state_of(job)); }

bool runs(const struct batch_status *job) { return is_one_of("RSEU", state_of(job)); }

bool whole_array(const struct batch_status *job) {
    return attribute_is(job, "array", "True") && strstr(job->name, "[]") != NULL;
}

bool is_task(const struct batch_status *job) {
    return attribute(job, "array_id", NULL) != NULL && is_one_of("QHWT", state_of(job)) &&
           attribute_number(job, "run_count", NULL, 0) == 0;
}

bool describe(const struct batch_status *job, surefill_job *said) {
    const char *limit = attribute(job, "Resource_List", "walltime"), *user = attribute(job, "euser", NULL);
    int64_t count = attribute_number(job, "Resource_List", "nodect", 1), runs_so_far = attribute_number(job, "run_count", NULL, 0);
    if (user == NULL) user = attribute(job, "Job_Owner", NULL);
    *said = (surefill_job){.struct_size = sizeof *said, .queue_count = 1};
    if (!read_job(job->name, &said->id) || (limit != NULL && !read_duration(limit, &said->limit))) return false;
    if (said->limit > SUREFILL_MAX_SECONDS) said->limit = SUREFILL_MAX_SECONDS;
    said->user = user == NULL ? -1 : surefill_hash(user, (int64_t)strlen(user));
    said->submit = attribute_number(job, "qtime", NULL, 0);
    said->start = is_one_of("QHWT", state_of(job)) ? 0 : attribute_number(job, "stime", NULL, 0);
    said->priority = (double)attribute_number(job, "Priority", NULL, 0);
    said->count = bounded(count < 1 ? 1 : count);
    said->units = bounded(attribute_number(job, "Resource_List", "ncpus", count));
    if (!is_one_of("QHWTB", state_of(job))) runs_so_far--; /* PBS counts starts */
    said->restarts = (int32_t)(runs_so_far < 0 ? 0 : runs_so_far > INT32_MAX ? INT32_MAX : runs_so_far);
    return true;
}

/* Whether all that a job asks for can be said: equal chunks, each of them on one vnode. */
static bool tell(struct scheduler *scheduler, struct row *row) {
    static const char *const known[] = {"ncpus",    "nodect", "walltime", "select",        "place", "mem",
                                        "mpiprocs", "nodes",  "ngpus",    "soft_walltime", "ompthreads"};
    const char *place = attribute(row->job, "Resource_List", "place");
    const bool pack = has_word(place, ":", "pack");
    surefill_job *said = &row->said;
    struct chunks *chunks = &row->chunks;
    bool alone = has_word(place, ":", "excl") || has_word(place, ":", "exclhost");
    row->packed = 1;
    if (!read_select(attribute(row->job, "Resource_List", "select"), chunks)) return false;
    if (place != NULL && strstr(place, "group=") != NULL) return false;
    /* Resources that are the whole job's, not a chunk's. */
    for (const struct attrl *at = row->job->attribs; at != NULL; at = at->next) {
        bool is_known = strcmp(at->name, "Resource_List") != 0 || at->resource == NULL;
        for (size_t i = 0; i < sizeof known / sizeof *known && !is_known; i++)
            is_known = strcmp(at->resource, known[i]) == 0 || has_word(chunks->others, ":=", at->resource);
        if (!is_known) return false;
    }
    if (!find_features(scheduler, chunks->others, &said->features)) return false;
    for (int32_t i = 0; i < scheduler->vnode_count && !has_word(place, ":", "shared"); i++) alone |= scheduler->vnodes[i].alone;
    if (pack) row->packed = chunks->count;
    said->count = pack ? 1 : chunks->count;
    said->each[PROCESSORS] = bounded((int64_t)row->packed * chunks->processors);
    said->each[GPUS] = bounded((int64_t)row->packed * chunks->gpus);
    said->each[MEMORY] = bounded(row->packed * ((chunks->kilobytes + 1023) / 1024));
    said->flags |= alone ? SUREFILL_FLAG_EXCLUSIVE : 0;
    if (!has_word(place, ":", "scatter") && !has_word(place, ":", "vscatter")) said->flags |= SUREFILL_FLAG_PACKED;
    return true;
}

static const struct batch_status *find_queue(const struct batch_status *queues, const char *name) {
    for (const struct batch_status *queue = queues; queue != NULL && name != NULL; queue = queue->next)
        if (strcmp(queue->name, name) == 0) return queue;
    return NULL;
}

/* Whether a queue's jobs compete for this pool: without -q those of queues that have no vnodes of their own. */
static bool is_of_pool(const struct scheduler *scheduler, const struct batch_status *queue) {
    if (scheduler->queue != NULL) return queue != NULL && strcmp(queue->name, scheduler->queue) == 0;
    return queue == NULL || !attribute_is(queue, "hasnodes", "True");
}

/* Why a waiting job may not start, one of SUREFILL_WHY_; 0 if it may. */
static int32_t why_held(const struct batch_status *job, const struct batch_status *queue) {
    const char *holds = attribute(job, "Hold_Types", NULL);
    const char state = state_of(job);
    if (state == 'W') return SUREFILL_WHY_BEGIN;
    if (state == 'H' || (holds != NULL && strcmp(holds, "n") != 0)) return SUREFILL_WHY_HOLD;
    if (!is_one_of("QB", state)) return SUREFILL_WHY_OTHER;
    return queue != NULL && attribute_is(queue, "started", "True") ? 0 : SUREFILL_WHY_QUEUE_CLOSED;
}

/* Takes a running job over; one that holds nothing of this pool is another's. */
static bool see_running(struct scheduler *scheduler, struct row *row) {
    const char state = state_of(row->job), *used = attribute(row->job, "resources_used", "walltime");
    surefill_job *said = &row->said;
    row->complete = tell(scheduler, row);
    if (!see_parts(scheduler, row)) return false;
    said->state = state == 'E' ? SUREFILL_JOB_ENDING : SUREFILL_JOB_RUNNING;
    if (state == 'E' && used != NULL && !read_duration(used, &said->ran)) said->ran = 0;
    if (state == 'S' || state == 'U') { /* PBS gives what it had to others */
        said->state = SUREFILL_JOB_SUSPENDED;
        said->flags |= SUREFILL_FLAG_HOLDS_NOTHING;
    }
    return true;
}

/* The reservation whose queue a job waits in; its key, 0 for none. */
static int64_t reservation_of(const struct batch_status *reservations, const char *queue) {
    for (; reservations != NULL && queue != NULL; reservations = reservations->next) {
        const char *own = attribute(reservations, "queue", NULL);
        if (own != NULL && strcmp(own, queue) == 0)
            return surefill_hash(reservations->name, (int64_t)strlen(reservations->name));
    }
    return 0;
}

static int in_order(const void *one, const void *other) {
    const struct row *a = one, *b = other;
    if ((a->tasks > 0) != (b->tasks > 0)) return a->tasks > 0 ? -1 : 1;
    if (a->said.priority != b->said.priority) return a->said.priority > b->said.priority ? -1 : 1;
    if (a->said.submit != b->said.submit) return a->said.submit < b->said.submit ? -1 : 1;
    return a->said.id < b->said.id ? -1 : a->said.id > b->said.id;
}

struct row *find_row(const struct scheduler *scheduler, int64_t id) {
    for (int32_t i = 0; i < scheduler->row_count; i++)
        if (scheduler->rows[i].said.id == id) return &scheduler->rows[i];
    return NULL;
}

/* Counts the tasks of the arrays, those that wait and those that run. */
static void see_tasks(struct scheduler *scheduler, const struct batch_status *jobs) {
    struct row *array = NULL;
    for (const struct batch_status *job = jobs; job != NULL; job = job->next) {
        const char *name = attribute(job, "array_id", NULL);
        int64_t id;
        if (name == NULL || is_over(job) || !read_job(name, &id)) continue;
        if (array == NULL || array->said.id != id) array = find_row(scheduler, id);
        if (array == NULL) continue;
        if (runs(job) && array->said.at_once > 0 && --array->said.at_once == 0) {
            array->said.why = SUREFILL_WHY_LIMIT;
            array->tasks = 0;
        }
        if (is_task(job) && state_of(job) == 'Q') array->said.tasks++;
    }
}

void forget_rows(struct scheduler *scheduler) {
    for (int32_t i = 0; i < scheduler->row_count; i++) free(scheduler->rows[i].parts);
    free(scheduler->rows);
    scheduler->rows = NULL;
    scheduler->row_count = scheduler->startable = 0;
}

bool see_jobs(struct scheduler *scheduler, const struct batch_status *jobs, const struct batch_status *queues,
              const struct batch_status *reservations) {
    size_t count = 0;
    for (const struct batch_status *job = jobs; job != NULL; job = job->next) count++;
    forget_rows(scheduler);
    scheduler->rows = calloc(count + 1, sizeof *scheduler->rows);
    scheduler->feature_count = 0;
    if (scheduler->rows == NULL) return false;
    for (const struct batch_status *job = jobs; job != NULL; job = job->next) {
        struct row *row = &scheduler->rows[scheduler->row_count];
        const struct batch_status *queue = find_queue(queues, attribute(job, "queue", NULL));
        if (is_over(job) || is_task(job)) continue;
        *row = (struct row){.job = job, .next_task = jobs};
        if (!describe(job, &row->said)) {
            if (runs(job)) say(scheduler, "%s runs and cannot be read: its vnodes are left alone", job->name);
            continue;
        }
        if (runs(job)) {
            scheduler->row_count += see_running(scheduler, row);
            continue;
        }
        row->said.reservation = reservation_of(reservations, attribute(job, "queue", NULL));
        if (row->said.reservation == 0 && !is_of_pool(scheduler, queue)) continue;
        row->complete = tell(scheduler, row);
        row->said.why = why_held(job, queue);
        row->said.at_once = whole_array(job) ? (int32_t)attribute_number(job, "max_run_subjobs", NULL, 0) : 0;
        row->tasks = row->said.why == 0;
        scheduler->row_count++;
    }
    see_tasks(scheduler, jobs);
    for (int32_t i = 0; i < scheduler->row_count; i++) {
        struct row *row = &scheduler->rows[i];
        if (!whole_array(row->job) || row->tasks == 0) continue;
        row->tasks = row->said.tasks;
        if (row->said.at_once > 0 && row->tasks > row->said.at_once) row->tasks = row->said.at_once;
    }
    qsort(scheduler->rows, (size_t)scheduler->row_count, sizeof *scheduler->rows, in_order);
    while (scheduler->startable < scheduler->row_count && scheduler->rows[scheduler->startable].tasks > 0)
        scheduler->startable++;
    return true;
}
