/* One cycle: what look.c has read is reported to the engine, and pbs_runjob starts what it offers. */
#define _POSIX_C_SOURCE 200809L
#include "scheduler.h"

#include "look.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { LINE = 400 };

void say(const struct scheduler *scheduler, const char *format, ...) {
    char line[LINE];
    va_list arguments;
    if (scheduler->say == NULL) return;
    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    scheduler->say(scheduler->context, line);
}

static const char *why_not(int connection) {
    const char *why = pbs_geterrmsg(connection);
    return why == NULL ? "no reason given" : why;
}

void scheduler_free(struct scheduler *scheduler) {
    engine_free(&scheduler->engine);
    free(scheduler->vnodes);
    free(scheduler->rows);
}

/* --- Reporting to the engine --- */

static void report(struct scheduler *scheduler, const struct batch_status *job, surefill_job *said, int64_t now) {
    const int32_t status = engine_set_job(&scheduler->engine, now, said);
    if (status != SUREFILL_OK && status != SUREFILL_ERROR_UNKNOWN_JOB)
        say(scheduler, "%s is left to PBS: %s", job->name, surefill_status_text(status));
}

/* Decides how many tasks of each job may start in this cycle. Where nobody may overtake the first one in the site's
 * order for which there is no room, these are the tasks before it alone, and the answer is why; else NULL. */
static const char *admit(struct scheduler *scheduler, int64_t now) {
    const char *why = scheduler->unjudged;
    int32_t room = scheduler->idle;
    scheduler->head = NULL;
    for (int32_t i = 0; i < scheduler->startable; i++) {
        struct row *row = &scheduler->rows[i];
        row->admitted = 0;
        if (row->tasks == 0 || scheduler->head != NULL || engine_refused_lately(&scheduler->engine, row->said.id, now)) continue;
        if (!row->counted) {
            scheduler->head = row;
            if (why == NULL) why = "counting vnodes does not describe the head job";
            continue;
        }
        row->admitted = room / row->said.count < row->tasks ? room / row->said.count : row->tasks;
        room -= row->admitted * row->said.count;
        if (row->admitted == row->tasks) continue;
        scheduler->head = row;
        if (why == NULL && row->said.count > scheduler->usable) why = "the head job needs vnodes out of service";
    }
    if (scheduler->head != NULL && why != NULL) return why;
    for (int32_t i = 0; i < scheduler->startable; i++) {
        struct row *row = &scheduler->rows[i];
        if (row->counted) row->admitted = row->tasks;
    }
    return NULL;
}

/* A job that is not over. */
static void report_row(struct scheduler *scheduler, struct row *row, int64_t now) {
    surefill_job said = row->said;
    if (whole_array(row->job) && said.tasks == 0) return; /* its subjobs are reported themselves */
    if (!runs(row->job)) {
        said.state = row->admitted > 0 ? SUREFILL_JOB_WAITING : SUREFILL_JOB_HELD;
        said.at_once = whole_array(row->job) ? row->admitted : 0;
        if (row->admitted == 0 && said.why == 0) said.why = SUREFILL_WHY_OTHER;
    }
    report(scheduler, row->job, &said, now);
}

static bool ran(const struct batch_status *job) {
    return attribute(job, "stime", NULL) != NULL && attribute_number(job, "Exit_status", NULL, 0) >= 0;
}

static void report_over(struct scheduler *scheduler, const struct batch_status *job, int64_t now) {
    const char *used = attribute(job, "resources_used", "walltime");
    surefill_job said;
    if (whole_array(job) || !describe(job, &said)) return;
    said.state = attribute(job, "stime", NULL) == NULL ? SUREFILL_JOB_GONE : SUREFILL_JOB_BROKEN;
    if (ran(job) && used != NULL && read_duration(used, &said.ran)) said.state = SUREFILL_JOB_ENDED;
    report(scheduler, job, &said, now);
}

/* The whole listing. */
static bool report_all(struct scheduler *scheduler, const struct batch_status *jobs, int64_t now) {
    static const char name[] = "vnodes";
    const int32_t units = scheduler->usable > 0 ? scheduler->usable : 1;
    int32_t pool, queue, doubted = 0, over = 0, status;
    for (const struct batch_status *job = jobs; job != NULL; job = job->next) over += is_over(job);
    status = surefill_scheduler_set_pool(scheduler->engine.scheduler, name, sizeof name - 1, units, scheduler->idle, &pool);
    if (status == SUREFILL_OK)
        status = surefill_scheduler_set_queue(scheduler->engine.scheduler, name, sizeof name - 1, pool, &queue);
    if (status == SUREFILL_OK) status = engine_list_begin(&scheduler->engine, now, over);
    for (int32_t i = 0; i < scheduler->row_count && status == SUREFILL_OK; i++)
        report_row(scheduler, &scheduler->rows[i], now);
    for (const struct batch_status *job = jobs; job != NULL && status == SUREFILL_OK; job = job->next)
        if (is_over(job)) report_over(scheduler, job, now);
    if (status == SUREFILL_OK) status = surefill_scheduler_list_end(scheduler->engine.scheduler, now, &doubted);
    if (status != SUREFILL_OK) say(scheduler, "the engine does not take the listing: %s", surefill_status_text(status));
    if (doubted) say(scheduler, "most of the running jobs are missing in PBS's listing: the next one counts");
    return status == SUREFILL_OK;
}

/* Writes what waiting jobs are expected to run, for PBS's own planning. */
static void write_soft_limits(struct scheduler *scheduler, int connection, int64_t now) {
    enum { MOST_FAILURES = 10 };
    static char name[] = "Resource_List", resource[] = "soft_walltime";
    int failures = 0;
    for (int32_t i = 0; i < scheduler->startable && scheduler->soft > 0; i++) {
        const struct row *row = &scheduler->rows[i];
        const int64_t walltime = row->said.limit > 0 ? row->said.limit : SUREFILL_MAX_SECONDS;
        char text[32];
        struct attrl limit = {.name = name, .resource = resource, .value = text, .op = SET};
        int64_t seconds;
        if (attribute(row->job, "Resource_List", "soft_walltime") != NULL) continue;
        if (surefill_scheduler_run_time(scheduler->engine.scheduler, now, row->said.id, scheduler->soft, &seconds) !=
                SUREFILL_OK ||
            seconds >= walltime)
            continue;
        snprintf(text, sizeof text, "%lld", (long long)seconds);
        if (pbs_alterjob(connection, row->job->name, &limit, NULL) == 0) continue;
        /* One may have left meanwhile; when many cannot be written, nor will the others. */
        say(scheduler, "%s: soft_walltime cannot be written: %s", row->job->name, why_not(connection));
        if (++failures == MOST_FAILURES) return;
    }
}

/* --- Starting --- */

/* The job itself, or of an array the next task from this one on. */
static const struct batch_status *next_task(const struct row *row, const struct batch_status *from) {
    if (!whole_array(row->job)) return row->job;
    for (; from != NULL; from = from->next) {
        const char *array = attribute(from, "array_id", NULL);
        if (array != NULL && is_task(from) && state_of(from) == 'Q' && strcmp(array, row->job->name) == 0) return from;
    }
    return NULL;
}

/* The first idle vnodes for a job's chunks, as pbs_runjob takes them; NULL when memory is short. */
static char *place_for(struct scheduler *scheduler, const struct row *row) {
    size_t room = 1, length = 0;
    int32_t left = row->chunks.count;
    char *where;
    for (int32_t i = 0; i < scheduler->vnode_count; i++) room += strlen(scheduler->vnodes[i].name) + 60;
    where = calloc(1, room);
    for (int32_t i = 0; i < scheduler->vnode_count && left > 0 && where != NULL; i++) {
        struct vnode *vnode = &scheduler->vnodes[i];
        if (!vnode->idle) continue;
        length += (size_t)snprintf(where + length, room - length, "%s(%s:ncpus=%d", length > 0 ? "+" : "", vnode->name,
                                   row->chunks.processors);
        if (row->chunks.kilobytes > 0)
            length += (size_t)snprintf(where + length, room - length, ":mem=%lldkb", (long long)row->chunks.kilobytes);
        length += (size_t)snprintf(where + length, room - length, ")");
        vnode->offered = true;
        left--;
    }
    return where;
}

/* An offer, to PBS. *lost: it is not PBS that refuses, it cannot be asked. */
static bool start(struct scheduler *scheduler, int connection, const struct row *row, const struct batch_status *task,
                  int64_t passed, bool *lost) {
    const struct row *head = passed == 0 ? NULL : find_row(scheduler, passed);
    char *where = place_for(scheduler, row);
    const bool good = where != NULL && pbs_runjob(connection, task->name, where, NULL) == 0;
    if (good) {
        say(scheduler, "%s: started on %s%s%s", task->name, where, head == NULL ? "" : ", ahead of ",
            head == NULL ? "" : head->job->name);
    } else {
        struct batch_status *server;
        say(scheduler, "%s: PBS does not start it: %s", task->name, where == NULL ? "no memory" : why_not(connection));
        server = pbs_statserver(connection, NULL, NULL);
        *lost = server == NULL;
        pbs_statfree(server);
    }
    for (int32_t i = 0; i < scheduler->vnode_count; i++) {
        struct vnode *vnode = &scheduler->vnodes[i];
        if (vnode->offered && good) vnode->idle = false;
        vnode->offered = false;
    }
    free(where);
    return good;
}

/* The comments of waiting jobs say when they are expected to start; each is written when that is news. */
static void write_starts(struct scheduler *scheduler, int connection, int64_t now) {
    enum { MOST_FAILURES = 10 };
    static char name[] = "comment";
    char text[LINE];
    struct attrl comment = {.name = name, .value = text, .op = SET};
    int failures = 0;
    if (!engine_foresee(&scheduler->engine, 0, now, scheduler->starts)) return;
    for (int32_t i = 0; i < scheduler->startable && failures < MOST_FAILURES; i++) {
        const struct row *row = &scheduler->rows[i];
        const char *shown = attribute(row->job, name, NULL);
        if (row->tasks == 0 || !engine_start(&scheduler->engine, row->said.id, now, shown, text, sizeof text)) continue;
        if (pbs_alterjob(connection, row->job->name, &comment, NULL) == 0) continue;
        /* One may have left meanwhile; when many cannot be written, nor will the others. */
        say(scheduler, "%s: no comment: %s", row->job->name, why_not(connection));
        failures++;
    }
}

/* Starts what the engine offers. False when PBS cannot be asked any more, or the engine. */
static bool decide(struct scheduler *scheduler, int connection, int64_t now, struct done *done) {
    surefill_scheduler *engine = scheduler->engine.scheduler;
    surefill_cycle *cycle;
    surefill_action action;
    int64_t when, pools;
    bool lost = false;
    int32_t status = surefill_scheduler_wake(engine, now, &when, &pools);
    if (!scheduler->unanswered && (status == SUREFILL_ERROR_NEVER || (status == SUREFILL_OK && when > now))) return true;
    scheduler->unanswered = true;
    status = engine_begin(&scheduler->engine, 0, now, &cycle);
    while (status == SUREFILL_OK && (status = engine_next(&scheduler->engine, cycle, &action)) == SUREFILL_OK &&
           action.step < SUREFILL_ACT_DONE) {
        struct row *row = find_row(scheduler, action.job);
        const struct batch_status *task = row == NULL ? NULL : next_task(row, row->next_task);
        int64_t id;
        if (action.step == SUREFILL_ACT_WOULD_START && row != NULL) {
            say(scheduler, "shadow: %s would start now", row->job->name);
            continue;
        }
        if (action.step != SUREFILL_ACT_START) continue;
        if (task != NULL && read_job(task->name, &id) && start(scheduler, connection, row, task, action.head, &lost)) {
            row->next_task = task->next;
            row->tasks--;
            row->admitted--;
            row->said.tasks--;
            scheduler->idle -= row->said.count;
            done->started++;
            status = engine_started(&scheduler->engine, cycle, action.number, id);
        } else if (lost) { /* the offer is not answered */
            break;
        } else {
            status = engine_refused(&scheduler->engine, cycle, &action, now);
        }
    }
    if (status == SUREFILL_OK) status = surefill_cycle_close(cycle, scheduler->engine.scheduler);
    if (status != SUREFILL_OK) say(scheduler, "no decision: %s", surefill_status_text(status));
    scheduler->unanswered = status != SUREFILL_OK || lost;
    return !scheduler->unanswered;
}

/* Starts what may start. why: nobody may overtake the head job. False when PBS cannot be asked any more. */
static bool schedule(struct scheduler *scheduler, int connection, const char *why, int64_t now, struct done *done) {
    const bool shadow = engine_has(&scheduler->engine, "mode=shadow");
    const struct row *head;
    const struct batch_status *task;
    for (;;) {
        const uint32_t refused = scheduler->engine.refused;
        if (!decide(scheduler, connection, now, done)) return false;
        if (why == NULL || refused == scheduler->engine.refused) break;
        /* Those behind a job that PBS has refused have their turn. */
        why = admit(scheduler, now);
        for (int32_t i = 0; i < scheduler->startable; i++)
            if (scheduler->rows[i].tasks > 0) report_row(scheduler, &scheduler->rows[i], now);
    }
    head = scheduler->head;
    if (why == NULL || head == NULL) return true;
    task = next_task(head, head->next_task);
    if (!head->counted && !shadow && task != NULL && pbs_runjob(connection, task->name, NULL, NULL) == 0) {
        say(scheduler, "%s: started on vnodes that PBS chose", task->name);
        done->started++;
        done->again = true; /* which vnodes it has got is seen by looking */
    } else if (head + 1 < scheduler->rows + scheduler->startable && scheduler->idle > 0) {
        say(scheduler, "%s waits, nobody overtakes it: %s", head->job->name, why);
    }
    return true;
}

/* --- A cycle --- */

/* PBS answers with nothing both when there is nothing and when something is wrong. */
static struct batch_status *asked(struct scheduler *scheduler, const char *what, struct batch_status *answer, bool *good) {
    if (answer == NULL && pbs_errno != 0) {
        say(scheduler, "PBS does not report its %s: error %d", what, pbs_errno);
        *good = false;
    }
    return answer;
}

bool scheduler_cycle(struct scheduler *scheduler, int connection, int64_t now, struct done *done) {
    static char all[] = "", history_and_subjobs[] = "tx";
    struct batch_status *queues, *vnodes = NULL, *jobs = NULL;
    bool good = true;
    *done = (struct done){.started = 0};
    scheduler->unjudged = NULL;
    pbs_errno = 0;
    queues = asked(scheduler, "queues", pbs_statque(connection, all, NULL, NULL), &good);
    if (good) vnodes = asked(scheduler, "vnodes", pbs_statvnode(connection, all, NULL, NULL), &good);
    if (good) jobs = asked(scheduler, "jobs", pbs_statjob(connection, all, NULL, history_and_subjobs), &good);
    if (good && !(see_vnodes(scheduler, vnodes) && see_jobs(scheduler, jobs, queues))) {
        say(scheduler, "no memory");
        good = false;
    }
    if (good) {
        const char *why = admit(scheduler, now);
        if (report_all(scheduler, jobs, now)) {
            write_soft_limits(scheduler, connection, now);
            if (!scheduler->plans_only) good = schedule(scheduler, connection, why, now, done);
            if (good && !scheduler->plans_only && !engine_has(&scheduler->engine, "mode=shadow"))
                write_starts(scheduler, connection, now);
        }
    }
    pbs_statfree(queues);
    pbs_statfree(vnodes);
    pbs_statfree(jobs);
    return good;
}

bool scheduler_may(struct scheduler *scheduler, int connection) {
    struct batch_status *server = pbs_statserver(connection, NULL, NULL);
    const bool shadow = engine_has(&scheduler->engine, "mode=shadow");
    const bool other = server != NULL && !attribute_is(server, "scheduling", "False"), writes = scheduler->soft > 0;
    bool good = server != NULL;
    scheduler->plans_only = other && writes && !shadow;
    if (!good) {
        say(scheduler, "the server does not answer: %s", why_not(connection));
    } else if (other && (shadow || writes)) {
        say(scheduler, "PBS's own scheduler is active: %s, nothing is started",
            shadow ? "what would start is logged" : "soft_walltime is written");
    } else if (other) {
        say(scheduler, "PBS's own scheduler is active: qmgr -c 'set server scheduling = False'");
        good = false;
    } else if (shadow) {
        say(scheduler, "mode=shadow starts nothing, and PBS's own scheduler is off: qmgr -c 'set server scheduling = True'");
        good = false;
    }
    if (good && !attribute_is(server, "job_history_enable", "True")) {
        say(scheduler, "ended jobs are forgotten: qmgr -c 'set server job_history_enable = True'");
        good = false;
    }
    pbs_statfree(server);
    return good;
}
