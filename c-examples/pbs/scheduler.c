/* One cycle: pbs_statque, pbs_statvnode and pbs_statjob say how things are, decide() who may start, pbs_runjob
 * starts. */
#include "scheduler.h"

#include "attributes.h"
#include "order.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAME = 280, LINE = 400 };
enum { MACHINE = 0 }; /* a refusal counts for its time, whatever starts or ends */

struct vnode {
    char name[NAME];
    int32_t processors;
    int64_t kilobytes;
    bool usable, idle;
    int jobs; /* of this cycle's look that run on it */
};

/* A waiting job. */
struct waiting {
    struct facts facts;
    char name[NAME];
    int64_t priority;
    struct chunks chunks;
    bool counted; /* whole vnodes of this pool, one a chunk: counting them says whether it fits */
    bool planned; /* has a soft_walltime */
};

static void say(const struct scheduler *scheduler, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void say(const struct scheduler *scheduler, const char *format, ...) {
    char line[LINE];
    va_list arguments;
    if (scheduler->say == NULL) return;
    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    scheduler->say(scheduler->context, line);
}

static void not_judged(struct scheduler *scheduler, const char *why) {
    if (scheduler->unjudged[0] == '\0') snprintf(scheduler->unjudged, sizeof scheduler->unjudged, "%s", why);
}

static const char *why_not(int connection) {
    const char *why = pbs_geterrmsg(connection);
    return why == NULL ? "no reason given" : why;
}

bool scheduler_init(struct scheduler *scheduler) {
    if (scheduler->beliefs == NULL) scheduler->beliefs = beliefs_make(scheduler->settings.predictor);
    if (scheduler->books == NULL) scheduler->books = books_make();
    if (scheduler->decider == NULL) scheduler->decider = decider_make();
    return scheduler->beliefs != NULL && scheduler->books != NULL && scheduler->decider != NULL;
}

void scheduler_free(struct scheduler *scheduler) {
    decider_free(scheduler->decider);
    books_free(scheduler->books);
    beliefs_free(scheduler->beliefs);
    pool_free(&scheduler->pool);
    free(scheduler->vnodes);
    free(scheduler->waiting);
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

static bool see_vnodes(struct scheduler *scheduler, const struct batch_status *all) {
    static const char *const busy[] = {"job-exclusive", "job-busy"};
    static const char *const gone[] = {"down", "offline", "stale", "state-unknown", "unresolvable", "maintenance",
                                       "provisioning", "resv-exclusive", "sleep", "initializing", "unknown"};
    const struct vnode *first = NULL;
    size_t count = 0;
    for (const struct batch_status *at = all; at != NULL; at = at->next) count++;
    free(scheduler->vnodes);
    scheduler->vnodes = calloc(count + 1, sizeof *scheduler->vnodes);
    scheduler->vnode_count = 0;
    scheduler->pool.nodes = scheduler->pool.idle = 0;
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
        scheduler->pool.nodes++;
        scheduler->pool.idle += vnode->idle;
    }
    return true;
}

/* --- Jobs --- */

static bool facts_of(const struct batch_status *job, struct facts *facts) {
    const char *limit = attribute(job, "Resource_List", "walltime"), *name = attribute(job, "Job_Name", NULL);
    const char *user = attribute(job, "euser", NULL), *queue = attribute(job, "queue", NULL);
    *facts = (struct facts){.limit = SUREFILL_MAX_SECONDS};
    if (user == NULL) user = attribute(job, "Job_Owner", NULL);
    if (!read_job(job->name, &facts->id)) return false;
    if (limit != NULL && !read_duration(limit, &facts->limit)) return false;
    if (facts->limit > SUREFILL_MAX_SECONDS) facts->limit = SUREFILL_MAX_SECONDS;
    facts->user = beliefs_name(user);
    facts->name = beliefs_name(name);
    facts->submit = attribute_number(job, "qtime", NULL, 0);
    if (queue != NULL) snprintf(facts->queue, sizeof facts->queue, "%s", queue);
    facts->nodes = (int32_t)attribute_number(job, "Resource_List", "nodect", 1);
    facts->asked = (int32_t)attribute_number(job, "Resource_List", "ncpus", 1);
    return true;
}

/* An array as a whole stands for its subjobs, which are listed themselves. */
static bool whole_array(const struct batch_status *job) {
    return attribute_is(job, "array", "True") && strstr(job->name, "[]") != NULL;
}

static char state_of(const struct batch_status *job) {
    const char *state = attribute(job, "job_state", NULL);
    return state == NULL ? '?' : state[0];
}

static bool ran(const struct batch_status *job) {
    return attribute(job, "stime", NULL) != NULL && attribute_number(job, "Exit_status", NULL, 0) >= 0;
}

static bool keep_books(struct scheduler *scheduler, const struct batch_status *jobs, int64_t now) {
    books_begin(scheduler->books);
    for (const struct batch_status *job = jobs; job != NULL; job = job->next) {
        struct sighting seen = {.phase = PHASE_BROKEN};
        const char *used = attribute(job, "resources_used", "walltime");
        char state = state_of(job);
        if (whole_array(job) || !facts_of(job, &seen.facts)) continue;
        seen.restarts = (int32_t)attribute_number(job, "run_count", NULL, 0);
        seen.start = attribute_number(job, "stime", NULL, 0);
        seen.held = state != 'Q';
        if (strchr("QHWT", state) != NULL)
            seen.phase = PHASE_WAITING;
        else if (strchr("RSEU", state) != NULL)
            seen.phase = PHASE_RUNNING;
        else if (strchr("FX", state) != NULL && ran(job) && used != NULL && read_duration(used, &seen.run_time))
            seen.phase = PHASE_ENDED;
        if (!books_see(scheduler->books, scheduler->beliefs, &seen, now)) return false;
    }
    books_finish(scheduler->books, scheduler->beliefs, now);
    return true;
}

/* The vnodes of this pool that a job holds, and whether another job holds one of them too. */
static bool see_running(struct scheduler *scheduler, const struct batch_status *job, int64_t now) {
    const char *at = attribute(job, "exec_vnode", NULL);
    char name[NAME];
    struct running running = {.nodes = 0};
    if (!facts_of(job, &running.facts)) {
        not_judged(scheduler, "a running job cannot be read");
        return true;
    }
    while ((at = next_vnode(at, name, sizeof name)) != NULL) {
        struct vnode *vnode = find_vnode(scheduler, name);
        if (vnode == NULL || !vnode->usable) continue; /* other pools'; vnodes taken out of service do not come back */
        if (vnode->jobs++ > 0) not_judged(scheduler, "running jobs share vnodes");
        vnode->idle = false;
        running.nodes++;
    }
    if (running.nodes == 0) return true;
    if (state_of(job) == 'S' || state_of(job) == 'U') not_judged(scheduler, "a job is suspended");
    running.age = now - attribute_number(job, "stime", NULL, now);
    if (running.age < 0) running.age = 0;
    running.ending = state_of(job) == 'E';
    return pool_add_running(&scheduler->pool, &running);
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
        for (size_t i = 0; i < sizeof known / sizeof *known && !is_known; i++) is_known = strcmp(at->resource, known[i]) == 0;
        if (!is_known) return false;
    }
    if (chunks->processors == first->processors) return true;
    return whole && (chunks->count == 1 || has_word(place, ":", "scatter") || 2 * chunks->processors > first->processors);
}

static bool queue_starts(const struct batch_status *queues, const char *name) {
    for (const struct batch_status *queue = queues; queue != NULL && name != NULL; queue = queue->next)
        if (strcmp(queue->name, name) == 0) return attribute_is(queue, "started", "True");
    return false;
}

/* The array that a subjob belongs to may be held as a whole. */
static bool array_waits(const struct batch_status *jobs, const struct batch_status *subjob) {
    const char *array = attribute(subjob, "array_id", NULL);
    for (const struct batch_status *job = jobs; job != NULL && array != NULL; job = job->next)
        if (strcmp(job->name, array) == 0) return strchr("QB", state_of(job)) == NULL;
    return false;
}

static int in_order(const void *one, const void *other) {
    const struct waiting *a = one, *b = other;
    if (a->priority != b->priority) return a->priority > b->priority ? -1 : 1;
    if (a->facts.submit != b->facts.submit) return a->facts.submit < b->facts.submit ? -1 : 1;
    return a->facts.id < b->facts.id ? -1 : a->facts.id > b->facts.id;
}

static bool of_one_rank(const void *one, const void *next) {
    return ((const struct waiting *)one)->priority == ((const struct waiting *)next)->priority;
}

static bool see_jobs(struct scheduler *scheduler, const struct batch_status *jobs, const struct batch_status *queues,
                     int64_t now) {
    size_t count = 0;
    for (const struct batch_status *job = jobs; job != NULL; job = job->next) count++;
    free(scheduler->waiting);
    scheduler->waiting = calloc(count + 1, sizeof *scheduler->waiting);
    scheduler->waiting_count = 0;
    scheduler->pool.running_count = 0;
    if (scheduler->waiting == NULL) return false;
    for (const struct batch_status *job = jobs; job != NULL; job = job->next) {
        struct waiting *waiting = &scheduler->waiting[scheduler->waiting_count];
        const char *queue = attribute(job, "queue", NULL), *holds = attribute(job, "Hold_Types", NULL);
        if (whole_array(job)) continue;
        if (strchr("RSEU", state_of(job)) != NULL && !see_running(scheduler, job, now)) return false;
        if (state_of(job) != 'Q' || (holds != NULL && strcmp(holds, "n") != 0) || !queue_starts(queues, queue)) continue;
        if (scheduler->queue != NULL && strcmp(scheduler->queue, queue) != 0) continue;
        if (array_waits(jobs, job) || strlen(job->name) >= NAME || !facts_of(job, &waiting->facts)) continue;
        strcpy(waiting->name, job->name);
        waiting->priority = attribute_number(job, "Priority", NULL, 0);
        waiting->planned = attribute(job, "Resource_List", "soft_walltime") != NULL;
        waiting->counted = is_counted(scheduler, job, &waiting->chunks);
        if (waiting->counted) waiting->facts.nodes = waiting->chunks.count;
        if (waiting->counted && waiting->chunks.count > scheduler->vnode_count) { /* it must not keep all others back */
            say(scheduler, "%s asks for more vnodes than there are: left out", waiting->name);
            continue;
        }
        scheduler->waiting_count++;
    }
    qsort(scheduler->waiting, (size_t)scheduler->waiting_count, sizeof *scheduler->waiting, in_order);
    if (!scheduler->limits_only)
        order_queue(&scheduler->settings, scheduler->beliefs, now, scheduler->waiting, scheduler->waiting_count,
                    sizeof *scheduler->waiting, of_one_rank, INFINITY);
    scheduler->pool.idle = 0;
    for (int32_t i = 0; i < scheduler->vnode_count; i++) scheduler->pool.idle += scheduler->vnodes[i].idle;
    return true;
}

/* --- Starting --- */

/* Starts the job on the first idle vnodes, or where PBS's own scheduler finds room if counting does not describe it. */
static bool start(struct scheduler *scheduler, int connection, struct waiting *job, int64_t now) {
    size_t room = 1, length = 0;
    int32_t left = job->counted ? job->chunks.count : 0;
    char *where = NULL;
    bool good;
    for (int32_t i = 0; i < scheduler->vnode_count; i++) room += strlen(scheduler->vnodes[i].name) + 60;
    if (left > 0 && (where = malloc(room)) == NULL) return false;
    for (int32_t i = 0; i < scheduler->vnode_count && left > 0; i++) {
        struct vnode *vnode = &scheduler->vnodes[i];
        if (!vnode->idle) continue;
        length += (size_t)snprintf(where + length, room - length, "%s(%s:ncpus=%d", length > 0 ? "+" : "", vnode->name,
                                   job->chunks.processors);
        if (job->chunks.kilobytes > 0)
            length += (size_t)snprintf(where + length, room - length, ":mem=%lldkb", (long long)job->chunks.kilobytes);
        length += (size_t)snprintf(where + length, room - length, ")");
        vnode->idle = false;
        left--;
    }
    good = pbs_runjob(connection, job->name, where, NULL) == 0;
    if (good) {
        say(scheduler, "%s: started on %s", job->name, where == NULL ? "vnodes that PBS chose" : where);
    } else if (job->counted) {
        say(scheduler, "%s: PBS does not start it: %s; left alone for %d s", job->name, why_not(connection), REFUSED_FOR);
        refusals_add(&scheduler->refusals, job->facts.id, MACHINE, now);
    }
    free(where);
    return good;
}

/* Tells the head job's owner, when there is news. */
static void tell_owner(struct scheduler *scheduler, int connection, const struct waiting *head, int64_t start) {
    static char name[] = "comment";
    char text[LINE];
    struct attrl comment = {.name = name, .value = text, .op = SET};
    int64_t now = scheduler->pool.now, wait = start - now;
    int64_t moved = scheduler->told_start > start ? scheduler->told_start - start : start - scheduler->told_start;
    if (start < 0 || (scheduler->told_head == head->facts.id && moved <= 60 + wait / 4)) return;
    snprintf(text, sizeof text, "surefill: next in line, starts within %lld s with a probability of one half", (long long)wait);
    char job[NAME];
    strcpy(job, head->name);
    if (pbs_alterjob(connection, job, &comment, NULL) != 0)
        say(scheduler, "%s: no comment: %s", head->name, why_not(connection));
    scheduler->told_head = head->facts.id;
    scheduler->told_start = start;
}

static bool take_candidates(struct scheduler *scheduler, int32_t head, int64_t now) {
    struct pool *pool = &scheduler->pool;
    uint32_t rank = 0;
    pool->candidate_count = 0;
    for (int32_t i = head + 1; i < scheduler->waiting_count && pool->candidate_count < scheduler->settings.depth; i++) {
        const struct waiting *job = &scheduler->waiting[i];
        if (!of_one_rank(&scheduler->waiting[i - 1], job)) rank++;
        if (!job->counted || refused_lately(&scheduler->refusals, job->facts.id, MACHINE, now)) continue;
        if (!pool_add_candidate(pool, &(struct candidate){.facts = job->facts, .place = i, .rank = rank})) return false;
    }
    return true;
}

static void log_decisions(const struct scheduler *scheduler, const char *mode) {
    for (int32_t i = 0; i < scheduler->pool.candidate_count; i++) {
        const struct candidate *candidate = &scheduler->pool.candidates[i];
        if (candidate->judged.verdict == SUREFILL_VERDICT_DOES_NOT_FIT || candidate->judged.verdict == SUREFILL_VERDICT_UNDECIDED)
            continue;
        say(scheduler, "%s: %s %s%.4f (%s): %s", scheduler->waiting[candidate->place].name,
            surefill_name(SUREFILL_NAME_CRITERION, scheduler->settings.criterion),
            delay_sign(candidate->judged.exactness), candidate->judged.delay, mode,
            candidate->judged.verdict == SUREFILL_VERDICT_ACCEPTED ? "start" : "wait");
    }
}

static void note_shadow(struct scheduler *scheduler, const struct decision *decision) {
    for (int32_t i = 0; i < decision->accepted_count; i++) {
        const struct candidate *candidate = &scheduler->pool.candidates[decision->accepted[i]];
        if (books_would_start(scheduler->books, candidate->facts.id, scheduler->pool.now) == scheduler->pool.now)
            say(scheduler, "shadow: %s would start now", scheduler->waiting[candidate->place].name);
    }
}

/* Judges those behind the head job and starts the accepted ones. */
static bool overtake(struct scheduler *scheduler, int connection, int32_t head, int64_t now, struct done *done) {
    struct decision decision;
    bool limits = scheduler->limits_only || scheduler->settings.mode == MODE_LIMITS;
    if (!take_candidates(scheduler, head, now)) return false;
    if (scheduler->spent_for != scheduler->pool.head.id) {
        scheduler->spent_for = scheduler->pool.head.id;
        scheduler->spent = 0;
    }
    if (!limits) {
        decide(scheduler->decider, &scheduler->settings, scheduler->beliefs, scheduler->spent, &scheduler->pool, &decision);
        if (decision.outcome == OUTCOME_ERROR) {
            say(scheduler, "%s; from here on only time limits count (EASY)", decision.message);
            scheduler->limits_only = limits = true;
        } else {
            log_decisions(scheduler, settings_mode_name(scheduler->settings.mode));
            tell_owner(scheduler, connection, &scheduler->waiting[head], decision.head_median);
        }
    }
    if (!limits && scheduler->settings.mode == MODE_SHADOW) {
        note_shadow(scheduler, &decision);
        limits = true;
    }
    if (limits) {
        decide(scheduler->decider, &scheduler->settings, NULL, 0, &scheduler->pool, &decision);
        if (decision.outcome == OUTCOME_ERROR) {
            say(scheduler, "%s: jobs start in order alone", decision.message);
            return true;
        }
        log_decisions(scheduler, "limits");
    }
    for (int32_t i = 0; i < decision.accepted_count; i++) {
        const struct candidate *candidate = &scheduler->pool.candidates[decision.accepted[i]];
        if (!start(scheduler, connection, &scheduler->waiting[candidate->place], now)) {
            done->again = true; /* those behind it were judged as if it ran */
            break;
        }
        scheduler->spent += candidate->judged.delay;
        delays_overtook(beliefs_delays(scheduler->beliefs), &scheduler->pool, scheduler->settings.criterion, candidate);
        if (candidate->judged.missing > 0)
            say(scheduler, "%s has overtaken the head job: predicted %.6g, told %.6g",
                scheduler->waiting[candidate->place].name, candidate->judged.predicted, candidate->judged.told);
        done->overtaken++;
    }
    return true;
}

/* Writes what waiting jobs are expected to run, for PBS's own planning. */
static void plan(struct scheduler *scheduler, int connection) {
    enum { MOST_FAILURES = 10 };
    static char name[] = "Resource_List", resource[] = "soft_walltime";
    int failures = 0;
    for (int32_t i = 0; i < scheduler->waiting_count && scheduler->soft > 0; i++) {
        struct waiting *job = &scheduler->waiting[i];
        char text[32];
        struct attrl limit = {.name = name, .resource = resource, .value = text, .op = SET};
        const surefill_distribution *believed;
        int32_t status;
        int64_t seconds;
        if (job->planned) continue;
        believed = beliefs_predict(scheduler->beliefs, &job->facts, &status);
        if (believed == NULL || beliefs_jobs(scheduler->beliefs) < 1 ||
            surefill_distribution_quantile(believed, scheduler->soft, 0, job->facts.limit, &seconds) != SUREFILL_OK ||
            seconds >= job->facts.limit)
            continue;
        snprintf(text, sizeof text, "%lld", (long long)seconds);
        if (pbs_alterjob(connection, job->name, &limit, NULL) == 0) continue;
        /* One may have left meanwhile; when many cannot be written, nor will the others. */
        say(scheduler, "%s: soft_walltime cannot be written: %s", job->name, why_not(connection));
        if (++failures == MOST_FAILURES) return;
    }
}

static bool schedule(struct scheduler *scheduler, int connection, int64_t now, struct done *done) {
    int32_t head = 0;
    for (; head < scheduler->waiting_count; head++) {
        struct waiting *job = &scheduler->waiting[head];
        if (refused_lately(&scheduler->refusals, job->facts.id, MACHINE, now)) continue;
        if (job->counted && job->facts.nodes > scheduler->pool.idle) break;
        if (!start(scheduler, connection, job, now)) {
            if (!job->counted) {
                not_judged(scheduler, "counting vnodes does not describe the head job");
                break;
            }
            done->again = true;
            return true;
        }
        done->in_order++;
        if (!job->counted) { /* which vnodes it has got is seen by looking */
            done->again = true;
            return true;
        }
        scheduler->pool.idle -= job->facts.nodes;
        if (!pool_add_running(&scheduler->pool, &(struct running){.facts = job->facts, .nodes = job->facts.nodes}))
            return false;
    }
    if (head + 1 >= scheduler->waiting_count || scheduler->pool.idle == 0) return true;
    scheduler->pool.head = scheduler->waiting[head].facts;
    if (scheduler->pool.head.nodes > scheduler->pool.nodes) not_judged(scheduler, "the head job needs vnodes out of service");
    if (scheduler->unjudged[0] == '\0') return overtake(scheduler, connection, head, now, done);
    say(scheduler, "%s waits, nobody overtakes it: %s", scheduler->waiting[head].name, scheduler->unjudged);
    return true;
}

/* --- A cycle --- */

/* PBS answers with nothing both when there is nothing and when something is wrong. */
static struct batch_status *asked(struct scheduler *scheduler, const char *what, struct batch_status *answer, bool *good) {
    if (answer == NULL && pbs_errno != 0) {
        say(scheduler, "PBS does not tell its %s: error %d", what, pbs_errno);
        *good = false;
    }
    return answer;
}

bool scheduler_cycle(struct scheduler *scheduler, int connection, int64_t now, struct done *done) {
    static char all[] = "", history_and_subjobs[] = "tx";
    struct batch_status *queues, *vnodes = NULL, *jobs = NULL;
    bool good = true;
    *done = (struct done){.in_order = 0};
    scheduler->unjudged[0] = '\0';
    scheduler->pool.now = now;
    pbs_errno = 0;
    queues = asked(scheduler, "queues", pbs_statque(connection, all, NULL, NULL), &good);
    if (good) vnodes = asked(scheduler, "vnodes", pbs_statvnode(connection, all, NULL, NULL), &good);
    if (good) jobs = asked(scheduler, "jobs", pbs_statjob(connection, all, NULL, history_and_subjobs), &good);
    if (good && !(keep_books(scheduler, jobs, now) && see_vnodes(scheduler, vnodes) &&
                  see_jobs(scheduler, jobs, queues, now))) {
        say(scheduler, "no memory");
        good = false;
    }
    if (good) plan(scheduler, connection);
    if (good && !scheduler->plans_only) good = schedule(scheduler, connection, now, done);
    pbs_statfree(queues);
    pbs_statfree(vnodes);
    pbs_statfree(jobs);
    return good;
}

bool scheduler_may(struct scheduler *scheduler, int connection) {
    struct batch_status *server = pbs_statserver(connection, NULL, NULL);
    bool good = server != NULL;
    if (!good) say(scheduler, "the server does not answer: %s", why_not(connection));
    scheduler->plans_only = good && scheduler->soft > 0 && !attribute_is(server, "scheduling", "False");
    if (scheduler->plans_only) {
        say(scheduler, "PBS's own scheduler is active: soft_walltime is written, nothing is started");
    } else if (good && !attribute_is(server, "scheduling", "False")) {
        say(scheduler, "PBS's own scheduler is active: qmgr -c 'set server scheduling = False'");
        good = false;
    }
    if (good && !attribute_is(server, "job_history_enable", "True")) {
        say(scheduler, "ended jobs are forgotten: qmgr -c 'set server job_history_enable = True'");
        good = false;
    }
    pbs_statfree(server);
    return good;
}
