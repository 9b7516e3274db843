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
    forget_rows(scheduler);
}

/* --- Reporting to the engine --- */

static void report(struct scheduler *scheduler, const struct batch_status *job, surefill_job *said, int64_t now) {
    const int32_t status = engine_set_job(&scheduler->engine, now, said);
    if (status != SUREFILL_OK && status != SUREFILL_ERROR_UNKNOWN_JOB)
        say(scheduler, "%s is left to PBS: %s", job->name, surefill_status_text(status));
}

/* Decides how many tasks of each job may start in this cycle. A job that asks for more than can be said waits for its
 * turn: when all that a former cycle has seen before it have started, no job overtakes it. */
static void admit(struct scheduler *scheduler, int64_t now) {
    bool waited = false;
    scheduler->head = NULL;
    for (int32_t i = 0; i < scheduler->startable && !waited && scheduler->head == NULL; i++) {
        const struct row *row = &scheduler->rows[i];
        if (row->tasks == 0 || engine_refused_lately(&scheduler->engine, row->said.id, now)) continue;
        if (!row->complete) scheduler->head = row;
        waited = row->said.submit < scheduler->decided;
    }
    for (int32_t i = 0; i < scheduler->startable; i++) {
        struct row *row = &scheduler->rows[i];
        const bool behind = scheduler->head != NULL && row >= scheduler->head;
        row->admitted = row->complete && !behind ? row->tasks : 0;
    }
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

/* The vnodes. No job starts on one of which PBS has given away more than known jobs hold. */
static int32_t report_vnodes(struct scheduler *scheduler, int32_t pool) {
    const struct batch_status *at = scheduler->all_vnodes;
    int32_t status = SUREFILL_OK, number = 0;
    for (; number < scheduler->vnode_count && status == SUREFILL_OK; number++) {
        const struct vnode *vnode = &scheduler->vnodes[number];
        surefill_node node = {.struct_size = sizeof node, .state = vnode->state};
        while (strcmp(at->name, vnode->name) != 0) at = at->next;
        if (node.state == SUREFILL_NODE_UP && vnode->assigned > vnode->known) node.state = SUREFILL_NODE_CLOSED;
        node.name = surefill_hash(vnode->name, (int64_t)strlen(vnode->name));
        node.features = features_of(scheduler, at);
        memcpy(node.amounts, vnode->amounts, sizeof vnode->amounts);
        status = surefill_scheduler_set_node(scheduler->engine.scheduler, pool, number, &node);
    }
    for (; number < scheduler->engine.capacity.nodes && status == SUREFILL_OK; number++)
        status = surefill_scheduler_set_node(scheduler->engine.scheduler, -1, number, NULL);
    return status;
}

/* The reservations that PBS has confirmed, of whole vnodes. Those that are over end by themselves. */
static int32_t report_reservations(struct scheduler *scheduler, const struct batch_status *all, int32_t pool) {
    int32_t *nodes = calloc((size_t)scheduler->vnode_count + 1, sizeof *nodes), status = SUREFILL_OK;
    if (nodes == NULL) return SUREFILL_ERROR_FULL;
    for (; all != NULL && status == SUREFILL_OK; all = all->next) {
        const char *at = attribute(all, "resv_nodes", NULL);
        surefill_reservation reservation = {.struct_size = sizeof reservation, .pool = pool, .nodes = nodes};
        struct piece piece;
        reservation.key = surefill_hash(all->name, (int64_t)strlen(all->name));
        reservation.from = attribute_number(all, "reserve_start", NULL, 0);
        reservation.to = attribute_number(all, "reserve_end", NULL, 0);
        while ((at = next_piece(at, &piece)) != NULL)
            for (int32_t i = 0; i < scheduler->vnode_count; i++)
                if (strcmp(scheduler->vnodes[i].name, piece.vnode) == 0) nodes[reservation.node_count++] = i;
        if (reservation.node_count == 0 || reservation.to <= reservation.from) continue;
        status = surefill_scheduler_set_reservation(scheduler->engine.scheduler, &reservation);
        if (status != SUREFILL_ERROR_FULL) continue;
        say(scheduler, "%s: there are more reservations than are remembered, its vnodes are left alone", all->name);
        status = SUREFILL_OK;
        for (int32_t i = 0; i < reservation.node_count; i++) scheduler->vnodes[nodes[i]].state = SUREFILL_NODE_CLOSED;
    }
    free(nodes);
    return status;
}

/* The whole listing. */
static bool report_all(struct scheduler *scheduler, const struct batch_status *jobs, const struct batch_status *reservations,
                       int64_t now) {
    static const char name[] = "vnodes";
    int32_t pool, queue, doubted = 0, over = 0, status;
    for (const struct batch_status *job = jobs; job != NULL; job = job->next) over += is_over(job);
    status = engine_nodes(&scheduler->engine, scheduler->vnode_count);
    if (status == SUREFILL_OK)
        status = surefill_scheduler_set_pool(scheduler->engine.scheduler, name, sizeof name - 1, 0, -1, &pool);
    if (status == SUREFILL_OK)
        status = surefill_scheduler_set_queue(scheduler->engine.scheduler, name, sizeof name - 1, pool, &queue);
    if (status == SUREFILL_OK) status = engine_list_begin(&scheduler->engine, now, over);
    if (status == SUREFILL_OK) status = report_reservations(scheduler, reservations, pool);
    if (status == SUREFILL_OK) status = report_vnodes(scheduler, pool);
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

/* The vnodes of an offer for a job's chunks, as pbs_runjob takes them; NULL when memory is short. */
static char *place_for(const struct scheduler *scheduler, const struct row *row, const surefill_part *parts, int32_t count) {
    const struct chunks *chunks = &row->chunks;
    size_t room = 1, length = 0;
    char *where;
    for (int32_t i = 0; i < count; i++)
        room += (size_t)(parts[i].tasks * row->packed) * (strlen(scheduler->vnodes[parts[i].node].name) + 80);
    where = calloc(1, room);
    for (int32_t i = 0; i < count && where != NULL; i++)
        for (int32_t chunk = 0; chunk < parts[i].tasks * row->packed; chunk++) {
            length += (size_t)snprintf(where + length, room - length, "%s(%s:ncpus=%d", length > 0 ? "+" : "",
                                       scheduler->vnodes[parts[i].node].name, chunks->processors);
            if (chunks->kilobytes > 0)
                length += (size_t)snprintf(where + length, room - length, ":mem=%lldkb", (long long)chunks->kilobytes);
            if (chunks->gpus > 0) length += (size_t)snprintf(where + length, room - length, ":ngpus=%d", chunks->gpus);
            length += (size_t)snprintf(where + length, room - length, ")");
        }
    return where;
}

/* An offer, to PBS. *lost: it is not PBS that refuses, it cannot be asked. */
static bool start(struct scheduler *scheduler, int connection, const surefill_cycle *cycle, const surefill_action *offer,
                  const struct row *row, const struct batch_status *task, bool *lost) {
    const struct row *head = offer->head == 0 ? NULL : find_row(scheduler, offer->head);
    surefill_part *parts = calloc((size_t)scheduler->vnode_count + 1, sizeof *parts);
    int32_t count = 0;
    char *where = NULL;
    if (parts != NULL && surefill_cycle_parts(cycle, offer->number, parts, scheduler->vnode_count, &count) == SUREFILL_OK)
        where = place_for(scheduler, row, parts, count);
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
    free(parts);
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
    if (engine_forecast_news(&scheduler->engine, text, sizeof text)) say(scheduler, "%s", text);
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

/* The reason for which a job waits, as its comment says it: without times, which would be old when they are read. False
 * where the engine knows none, where it is PBS's, and where the comment that is shown says as much. */
static bool reason_of(struct scheduler *scheduler, const struct row *row, int64_t now, char *text, size_t length) {
    static const char begins[] = "surefill: ", short_of[] = "surefill: no room: ";
    const char *shown = attribute(row->job, "comment", NULL);
    surefill_reason reason = {.struct_size = sizeof reason};
    const struct row *head;
    int64_t needed;
    if (engine_reason(&scheduler->engine, now, row->said.id, &reason) != SUREFILL_OK ||
        reason.why < SUREFILL_WHY_NO_ROOM || reason.why >= SUREFILL_WHY_HOLD)
        return false;
    head = reason.head == 0 ? NULL : find_row(scheduler, reason.head);
    reason.start = reason.by_limits = reason.until = 0;
    memcpy(text, begins, sizeof begins);
    if (surefill_reason_sentence(&reason, NULL, head == NULL ? NULL : head->job->name, text + sizeof begins - 1,
                                 (int64_t)(length - sizeof begins + 1), &needed) != SUREFILL_OK)
        return false;
    /* A changed number of idle processors alone is not worth a message. */
    return shown == NULL || (strcmp(shown, text) != 0 && (strncmp(shown, short_of, sizeof short_of - 1) != 0 ||
                                                          strncmp(text, short_of, sizeof short_of - 1) != 0));
}

/* Where no starts are predicted, on vnodes that jobs share or that differ, the comments say why jobs wait. */
static void write_reasons(struct scheduler *scheduler, int connection, int64_t now) {
    enum { MOST_FAILURES = 10 };
    static char name[] = "comment";
    char text[LINE];
    struct attrl comment = {.name = name, .value = text, .op = SET};
    int failures = 0;
    const int64_t since = now - scheduler->explained;
    if (scheduler->starts <= 0 || scheduler->engine.starts != NULL || (since >= 0 && (double)since < scheduler->starts)) return;
    scheduler->explained = now;
    for (int32_t i = 0; i < scheduler->startable && failures < MOST_FAILURES; i++) {
        const struct row *row = &scheduler->rows[i];
        if (row->tasks == 0 || !reason_of(scheduler, row, now, text, sizeof text)) continue;
        if (pbs_alterjob(connection, row->job->name, &comment, NULL) == 0) continue;
        say(scheduler, "%s: no comment: %s", row->job->name, why_not(connection));
        failures++;
    }
}

/* Starts what the engine offers. False when PBS cannot be asked any more, or the engine. */
static bool decide(struct scheduler *scheduler, int connection, int64_t now, struct done *done) {
    surefill_scheduler *engine = scheduler->engine.scheduler;
    surefill_cycle *cycle = NULL;
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
        if (task != NULL && read_job(task->name, &id) && start(scheduler, connection, cycle, &action, row, task, &lost)) {
            row->next_task = task->next;
            row->tasks--;
            row->admitted--;
            row->said.tasks--;
            done->started++;
            status = engine_started(&scheduler->engine, cycle, action.number, id);
        } else if (lost) { /* the offer is not answered */
            break;
        } else {
            status = engine_refused(&scheduler->engine, cycle, &action, SUREFILL_REFUSED_NOT_NOW, now);
        }
    }
    status = engine_close(&scheduler->engine, cycle, status);
    if (status != SUREFILL_OK) say(scheduler, "no decision: %s", surefill_status_text(status));
    scheduler->unanswered = status != SUREFILL_OK || lost;
    if (!scheduler->unanswered) scheduler->decided = now;
    return !scheduler->unanswered;
}

/* Starts what may start. False when PBS cannot be asked any more. */
static bool schedule(struct scheduler *scheduler, int connection, int64_t now, struct done *done) {
    const bool shadow = engine_has(&scheduler->engine, "mode=shadow");
    const struct row *head;
    const struct batch_status *task;
    for (;;) {
        const uint32_t refused = scheduler->engine.refused;
        if (!decide(scheduler, connection, now, done)) return false;
        if (scheduler->head == NULL || refused == scheduler->engine.refused) break;
        /* Those behind a job that PBS has refused have their turn. */
        admit(scheduler, now);
        for (int32_t i = 0; i < scheduler->startable; i++)
            if (scheduler->rows[i].tasks > 0) report_row(scheduler, &scheduler->rows[i], now);
    }
    head = scheduler->head;
    if (head == NULL || shadow) return true;
    for (const struct row *row = scheduler->rows; row < head; row++)
        if (row->tasks > 0 && !engine_refused_lately(&scheduler->engine, row->said.id, now)) return true; /* not its turn */
    task = next_task(head, head->next_task);
    if (task != NULL && pbs_runjob(connection, task->name, NULL, NULL) == 0) {
        say(scheduler, "%s: started on vnodes that PBS chose", task->name);
        done->started++;
        done->again = true; /* which vnodes it has got is seen by looking */
    } else if (head + 1 < scheduler->rows + scheduler->startable) {
        say(scheduler, "%s waits, nobody overtakes it: it asks for more than can be said", head->job->name);
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
    struct batch_status *queues, *vnodes = NULL, *jobs = NULL, *reservations = NULL;
    char trouble[LINE];
    bool good = true;
    *done = (struct done){.started = 0};
    pbs_errno = 0;
    queues = asked(scheduler, "queues", pbs_statque(connection, all, NULL, NULL), &good);
    if (good) vnodes = asked(scheduler, "vnodes", pbs_statvnode(connection, all, NULL, NULL), &good);
    if (good) jobs = asked(scheduler, "jobs", pbs_statjob(connection, all, NULL, history_and_subjobs), &good);
    if (good) reservations = asked(scheduler, "reservations", pbs_statresv(connection, all, NULL, NULL), &good);
    scheduler->all_vnodes = vnodes;
    if (good && !(see_vnodes(scheduler, vnodes) && see_jobs(scheduler, jobs, queues, reservations))) {
        say(scheduler, "no memory");
        good = false;
    }
    if (good) {
        admit(scheduler, now);
        if (report_all(scheduler, jobs, reservations, now)) {
            write_soft_limits(scheduler, connection, now);
            if (!scheduler->plans_only) good = schedule(scheduler, connection, now, done);
            if (good && !scheduler->plans_only && !engine_has(&scheduler->engine, "mode=shadow")) {
                write_starts(scheduler, connection, now);
                write_reasons(scheduler, connection, now);
            }
        }
    }
    pbs_statfree(queues);
    pbs_statfree(vnodes);
    pbs_statfree(jobs);
    pbs_statfree(reservations);
    scheduler->all_vnodes = NULL;
    if (engine_trouble(&scheduler->engine, trouble, sizeof trouble) != NULL) say(scheduler, "%s", trouble);
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
