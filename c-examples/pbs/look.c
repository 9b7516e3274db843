/* Reads pbs_statque, pbs_statvnode and pbs_statjob: the vnodes that may be used, and the jobs that are not over. */
#include "look.h"

#include <stdlib.h>
#include <string.h>

static void not_judged(struct scheduler *scheduler, const char *why) {
    if (scheduler->unjudged == NULL) scheduler->unjudged = why;
}

/* --- Vnodes --- */

static struct vnode *find_vnode(const struct scheduler *scheduler, const char *name) {
    for (int32_t i = 0; i < scheduler->vnode_count; i++)
        if (strcmp(scheduler->vnodes[i].name, name) == 0) return &scheduler->vnodes[i];
    return NULL;
}

static bool ours(const struct scheduler *scheduler, const struct batch_status *vnode) {
    const char *queue = attribute(vnode, "queue", NULL);
    return scheduler->queue == NULL ? queue == NULL : queue != NULL && strcmp(queue, scheduler->queue) == 0;
}

bool see_vnodes(struct scheduler *scheduler, const struct batch_status *all) {
    static const char *const busy[] = {"job-exclusive", "job-busy"};
    static const char *const gone[] = {"down", "offline", "stale", "state-unknown", "unresolvable", "maintenance",
                                       "provisioning", "resv-exclusive", "sleep", "initializing", "unknown"};
    const struct vnode *first = NULL;
    size_t count = 0;
    for (const struct batch_status *at = all; at != NULL; at = at->next) count++;
    free(scheduler->vnodes);
    scheduler->vnodes = calloc(count + 1, sizeof *scheduler->vnodes);
    scheduler->vnode_count = 0;
    scheduler->usable = 0;
    if (scheduler->vnodes == NULL) return false;
    for (const struct batch_status *at = all; at != NULL; at = at->next) {
        struct vnode *vnode = &scheduler->vnodes[scheduler->vnode_count];
        const char *state = attribute(at, "state", NULL), *memory = attribute(at, "resources_available", "mem");
        const char *jobs = attribute(at, "jobs", NULL);
        if (!ours(scheduler, at) || strlen(at->name) >= sizeof vnode->name) continue;
        strcpy(vnode->name, at->name);
        vnode->processors = (int32_t)attribute_number(at, "resources_available", "ncpus", 0);
        if (memory != NULL && !read_size(memory, &vnode->kilobytes)) vnode->kilobytes = 0;
        vnode->usable = state != NULL && vnode->processors > 0;
        for (size_t i = 0; i < sizeof gone / sizeof *gone; i++)
            if (has_word(state, ", ", gone[i])) vnode->usable = false;
        vnode->idle = vnode->usable && (jobs == NULL || *jobs == '\0') &&
                      attribute_number(at, "resources_assigned", "ncpus", 0) == 0;
        for (size_t i = 0; i < sizeof busy / sizeof *busy; i++)
            if (has_word(state, ", ", busy[i])) vnode->idle = false;
        scheduler->vnode_count++;
        if (!vnode->usable) continue;
        if (attribute(at, "resv", NULL) != NULL) not_judged(scheduler, "a reservation holds some of the vnodes");
        if (first == NULL) first = vnode;
        if (vnode->processors != first->processors || vnode->kilobytes != first->kilobytes)
            not_judged(scheduler, "the vnodes differ");
        scheduler->usable++;
    }
    return true;
}

/* The usable vnodes of this pool that a job holds and no job before it; those that are out of service do not come back.
 * -1 for a job that holds none of the pool's at all. */
static int32_t vnodes_held(struct scheduler *scheduler, const struct batch_status *job) {
    const char *at = attribute(job, "exec_vnode", NULL);
    char name[NAME];
    int32_t count = -1;
    while ((at = next_vnode(at, name, sizeof name)) != NULL) {
        struct vnode *vnode = find_vnode(scheduler, name);
        if (vnode == NULL) continue;
        count += count < 0;
        if (!vnode->usable) continue;
        if (vnode->held)
            not_judged(scheduler, "running jobs share vnodes");
        else
            count++;
        vnode->held = true;
        vnode->idle = false;
    }
    return count;
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
    struct chunks chunks;
    int64_t count = attribute_number(job, "Resource_List", "nodect", 1);
    int64_t runs_so_far = attribute_number(job, "run_count", NULL, 0);
    if (read_select(attribute(job, "Resource_List", "select"), &chunks)) count = chunks.count;
    if (user == NULL) user = attribute(job, "Job_Owner", NULL);
    *said = (surefill_job){.struct_size = sizeof *said, .queue_count = 1};
    if (!read_job(job->name, &said->id) || (limit != NULL && !read_duration(limit, &said->limit))) return false;
    if (said->limit > SUREFILL_MAX_SECONDS) said->limit = SUREFILL_MAX_SECONDS;
    said->user = user == NULL ? 0 : surefill_hash(user, (int64_t)strlen(user));
    said->submit = attribute_number(job, "qtime", NULL, 0);
    said->start = is_one_of("QHWT", state_of(job)) ? 0 : attribute_number(job, "stime", NULL, 0);
    said->priority = (double)attribute_number(job, "Priority", NULL, 0);
    said->count = (int32_t)(count < 1 ? 1 : count > INT32_MAX ? INT32_MAX : count);
    if (!is_one_of("QHWTB", state_of(job))) runs_so_far--; /* PBS counts starts */
    said->restarts = (int32_t)(runs_so_far < 0 ? 0 : runs_so_far > INT32_MAX ? INT32_MAX : runs_so_far);
    return true;
}

/* Whether the job takes whole vnodes of this pool, one a chunk. */
static bool is_counted(const struct scheduler *scheduler, const struct batch_status *job, struct chunks *chunks) {
    const char *place = attribute(job, "Resource_List", "place");
    const struct vnode *first = NULL;
    bool whole = has_word(place, ":", "excl") || has_word(place, ":", "exclhost");
    for (int32_t i = 0; i < scheduler->vnode_count && first == NULL; i++)
        if (scheduler->vnodes[i].usable) first = &scheduler->vnodes[i];
    if (first == NULL || !read_select(attribute(job, "Resource_List", "select"), chunks)) return false;
    if (chunks->processors > first->processors || chunks->kilobytes > first->kilobytes) return false;
    if (place != NULL && (strstr(place, "group=") != NULL || has_word(place, ":", "pack"))) return false;
    /* Resources that are the whole job's, not a chunk's. */
    for (const struct attrl *at = job->attribs; at != NULL; at = at->next) {
        static const char *const known[] = {"ncpus",    "nodect", "walltime", "select", "place", "mem",
                                            "mpiprocs", "nodes",  "soft_walltime"};
        bool is_known = strcmp(at->name, "Resource_List") != 0 || at->resource == NULL;
        for (size_t i = 0; i < sizeof known / sizeof *known && !is_known; i++)
            is_known = strcmp(at->resource, known[i]) == 0;
        if (!is_known) return false;
    }
    if (chunks->processors == first->processors) return true;
    return whole && (chunks->count == 1 || has_word(place, ":", "scatter") || 2 * chunks->processors > first->processors);
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
static bool see_running(struct scheduler *scheduler, const struct batch_status *job, surefill_job *said) {
    const char state = state_of(job), *used = attribute(job, "resources_used", "walltime");
    said->units = vnodes_held(scheduler, job);
    if (said->units < 0) return false;
    said->state = state == 'E' ? SUREFILL_JOB_ENDING : SUREFILL_JOB_RUNNING;
    if (state == 'E' && used != NULL && !read_duration(used, &said->ran)) said->ran = 0;
    if (state == 'S' || state == 'U') {
        not_judged(scheduler, "a job is suspended");
        said->state = SUREFILL_JOB_SUSPENDED;
    }
    if (said->units == 0) { /* all that it has is out of service, or counted as another job's */
        said->state = SUREFILL_JOB_SUSPENDED;
        said->flags = SUREFILL_FLAG_HOLDS_NOTHING;
    }
    return true;
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

bool see_jobs(struct scheduler *scheduler, const struct batch_status *jobs, const struct batch_status *queues) {
    size_t count = 0;
    for (const struct batch_status *job = jobs; job != NULL; job = job->next) count++;
    free(scheduler->rows);
    scheduler->rows = calloc(count + 1, sizeof *scheduler->rows);
    scheduler->row_count = scheduler->startable = scheduler->idle = 0;
    if (scheduler->rows == NULL) return false;
    for (const struct batch_status *job = jobs; job != NULL; job = job->next) {
        struct row *row = &scheduler->rows[scheduler->row_count];
        const struct batch_status *queue = find_queue(queues, attribute(job, "queue", NULL));
        if (is_over(job) || is_task(job)) continue;
        *row = (struct row){.job = job, .next_task = jobs};
        if (!describe(job, &row->said)) {
            if (runs(job)) not_judged(scheduler, "a running job cannot be read");
            continue;
        }
        if (runs(job)) {
            scheduler->row_count += see_running(scheduler, job, &row->said);
            continue;
        }
        if (!is_of_pool(scheduler, queue)) continue;
        row->counted = is_counted(scheduler, job, &row->chunks);
        row->said.why = why_held(job, queue);
        row->said.at_once = whole_array(job) ? (int32_t)attribute_number(job, "max_run_subjobs", NULL, 0) : 0;
        if (row->counted && row->said.count > scheduler->vnode_count) { /* it must not keep all others back */
            say(scheduler, "%s asks for more vnodes than there are: left out", job->name);
            row->said.why = SUREFILL_WHY_OTHER;
        }
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
    for (int32_t i = 0; i < scheduler->vnode_count; i++) scheduler->idle += scheduler->vnodes[i].idle;
    return true;
}
