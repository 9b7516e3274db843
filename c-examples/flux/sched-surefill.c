/* A scheduler for Flux as a broker module in C.
 *
 *     flux module remove sched-simple
 *     flux module load build/flux/sched-surefill.so preset=fair state=/var/lib/flux/surefill
 *
 * libschedutil speaks the protocol (RFC 27), resources.c knows which cores are whose, and the engine decides which jobs
 * start now and on which nodes, and plans a start for all others. README.md has the words, and what is left to Flux. */
#define _POSIX_C_SOURCE 200809L
#include "sched-surefill.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char pool_name[] = "flux";
static const struct engine_room room = {4, 16, 3}; /* as the scheduler in Python has it: they share state files */

/* --- Flux's reports --- */

/* By what the engine knows jobs that run alike: the user, or where all are of one user the job's name. */
static int64_t alike(const struct shell *shell, json_int_t userid, json_t *jobspec) {
    const char *name = NULL, *command = "";
    char user[ID];
    (void)json_unpack(jobspec, "{s:{s:{s:{s:s}}}}", "attributes", "system", "job", "name", &name);
    (void)json_unpack(jobspec, "{s:[{s:[s]}]}", "tasks", "command", &command);
    if (name == NULL) name = strrchr(command, '/') == NULL ? command : strrchr(command, '/') + 1;
    snprintf(user, sizeof user, "%lld", (long long)userid);
    return shell->by_name ? surefill_hash(name, (int64_t)strlen(name)) : surefill_hash(user, (int64_t)strlen(user));
}

/* The request of a jobspec. False, and the reason, for one that never has room. */
static bool wanted(struct shell *shell, json_t *jobspec, struct job *job, char *why) {
    json_t *system = json_object_get(json_object_get(jobspec, "attributes"), "system");
    if (!resources_wanted(jobspec, &job->said, &job->duration, &job->slots, why, TEXT)) return false;
    job->ranks = resources_admitted(&shell->resources, json_object_get(system, "constraints"));
    if (job->ranks == NULL) {
        snprintf(why, TEXT, "the constraint is not understood");
    } else {
        const int64_t most = resources_room(&shell->resources, &job->said, job->ranks, false);
        if (most >= job->said.count) return true;
        snprintf(why, TEXT, "unsatisfiable request: there are %lld of %d such %s", (long long)most,
                 (int)job->said.count, job->said.flags & SUREFILL_FLAG_PACKED ? "slots" : "nodes");
        idset_destroy(job->ranks);
        job->ranks = NULL;
    }
    return false;
}

static void alloc(flux_t *h, const flux_msg_t *request, void *arg) {
    struct shell *shell = arg;
    json_int_t id, priority, userid;
    double submit, begin;
    json_t *jobspec;
    struct job *job;
    char why[TEXT] = "no memory";
    if (flux_request_unpack(request, NULL, "{s:I,s:I,s:I,s:F,s:o}", "id", &id, "priority", &priority, "userid", &userid,
                            "t_submit", &submit, "jobspec", &jobspec) < 0) {
        flux_log_error(h, "a request is not understood");
        return;
    }
    if ((job = add(shell, id)) == NULL || !wanted(shell, jobspec, job, why)) {
        shell->denied++;
        if (job != NULL) drop(shell, job);
        (void)schedutil_alloc_respond_deny(shell->util, request, why);
        return;
    }
    job->request = flux_msg_incref(request);
    job->annotations = json_object();
    shell->pending++;
    /* Time in which it could not start, for a dependency say, is no wait. Right after a start of this module all that
     * wait are asked for again, and nothing is known of that. */
    if (job->first <= 0) job->first = clock_now() - shell->ready > 5 ? clock_now() : submit;
    begin = job->first * shell->scale;
    job->said.user = alike(shell, userid, jobspec);
    job->said.priority = (double)priority;
    job->said.limit = seconds(shell, job->duration);
    job->said.submit = (int64_t)(submit * shell->scale);
    job->said.begin = (int64_t)fmin(begin, (double)now_of(shell));
    ask(shell, job);
    soon(shell, 0);
}

static void cancel(flux_t *h, const flux_msg_t *message, void *arg) {
    struct shell *shell = arg;
    struct job *job;
    json_int_t id = 0;
    size_t back = 0;
    (void)h;
    (void)flux_request_unpack(message, NULL, "{s:I}", "id", &id);
    if ((job = find(shell, id)) == NULL || job->request == NULL) return;
    if (job->known) (void)report(shell, job, SUREFILL_JOB_GONE);
    job->said.state = SUREFILL_JOB_GONE;
    (void)schedutil_alloc_respond_annotate_pack(shell->util, job->request, "{s:o}", "sched", cleared_annotations(job));
    (void)schedutil_alloc_respond_cancel(shell->util, job->request);
    forget_request(shell, job);
    soon(shell, 0);
    /* It may be asked for again, after a stopped queue or a changed limit: its first request is remembered. */
    for (size_t i = 0; i < shell->count; i++) back += shell->jobs[i]->said.state == SUREFILL_JOB_GONE;
    for (size_t i = shell->count; back > TAKEN_BACK && i-- > 0;)
        if (shell->jobs[i]->said.state == SUREFILL_JOB_GONE) drop(shell, shell->jobs[i]);
}

static void prioritize(flux_t *h, const flux_msg_t *message, void *arg) {
    struct shell *shell = arg;
    json_t *jobs = NULL, *pair;
    size_t i;
    (void)h;
    (void)flux_request_unpack(message, NULL, "{s:o}", "jobs", &jobs);
    json_array_foreach(jobs, i, pair) {
        struct job *job = find(shell, json_integer_value(json_array_get(pair, 0)));
        if (job == NULL) continue;
        job->said.priority = (double)json_integer_value(json_array_get(pair, 1));
        if (job->known)
            (void)surefill_scheduler_set_priority(shell->engine.scheduler, job->said.id, 0, job->said.priority);
    }
    soon(shell, 0);
}

static int hello(flux_t *h, const flux_msg_t *message, const char *text, void *arg) {
    struct shell *shell = arg;
    json_t *R = json_loads(text, 0, NULL), *jobspec = NULL;
    json_int_t id, priority, userid;
    double submit, start = 0, expiration = 0;
    struct job *job = NULL;
    const bool good = flux_msg_unpack(message, "{s:I,s:I,s:I,s:F}", "id", &id, "priority", &priority, "userid", &userid,
                                      "t_submit", &submit) == 0 &&
                      (job = add(shell, id)) != NULL && resources_take(&shell->resources, R, &job->said) &&
                      json_unpack(R, "{s:{s?F s?F}}", "execution", "starttime", &start, "expiration", &expiration) == 0;
    if (good && shell->by_name) {
        char key[64];
        const char *found = NULL;
        const bool named = flux_job_kvs_key(key, sizeof key, (flux_jobid_t)id, "jobspec") >= 0;
        flux_future_t *future = named ? flux_kvs_lookup(h, NULL, 0, key) : NULL;
        if (future != NULL && flux_kvs_lookup_get(future, &found) == 0) jobspec = json_loads(found, 0, NULL);
        flux_future_destroy(future);
    }
    if (good) {
        job->said.user = alike(shell, userid, jobspec);
        job->said.priority = (double)priority;
        job->said.submit = (int64_t)(submit * shell->scale);
        job->said.start = (int64_t)(start * shell->scale);
        job->said.limit = expiration > 0 ? seconds(shell, expiration - start) : 0;
        (void)report(shell, job, SUREFILL_JOB_RUNNING);
    } else if (job != NULL) {
        drop(shell, job);
    }
    json_decref(R);
    json_decref(jobspec);
    errno = good ? 0 : EINVAL;
    return good ? 0 : -1;
}

static void give_back(flux_t *h, const flux_msg_t *message, const char *unused, void *arg) {
    struct shell *shell = arg;
    surefill_job stranger = {.part_count = 0};
    json_int_t id;
    json_t *R;
    int final = 0;
    (void)unused;
    if (flux_request_unpack(message, NULL, "{s:I s:o s?b}", "id", &id, "R", &R, "final", &final) < 0) {
        flux_log_error(h, "a report of free resources is not understood");
        return;
    }
    struct job *job = find(shell, id);
    resources_give(&shell->resources, R, job == NULL ? &stranger : &job->said);
    if (job != NULL && (final || job->said.part_count > 0))
        (void)report(shell, job, final ? SUREFILL_JOB_ENDED : SUREFILL_JOB_ENDING);
    if (job != NULL && final) drop(shell, job);
    soon(shell, 0);
}

static void expiration(flux_t *h, flux_msg_handler_t *handler, const flux_msg_t *request, void *arg) {
    struct shell *shell = arg;
    json_int_t id = 0;
    double when = -1;
    (void)handler;
    if (flux_request_unpack(request, NULL, "{s:I s:F}", "id", &id, "expiration", &when) < 0 || when < 0) {
        (void)flux_respond_error(h, request, EINVAL, "no expiration");
        return;
    }
    struct job *job = find(shell, id);
    if (job != NULL && job->said.start > 0) {
        const int64_t limit = seconds(shell, when) - job->said.start;
        job->said.limit = when <= 0 ? 0 : limit > 1 ? limit : 1;
        (void)report(shell, job, job->said.state);
    }
    (void)flux_respond(h, request, NULL);
    soon(shell, 0);
}

static void feasible(flux_t *h, flux_msg_handler_t *handler, const flux_msg_t *request, void *arg) {
    struct job job = {.request = NULL};
    json_t *jobspec = NULL;
    char why[TEXT] = "no jobspec";
    (void)handler;
    if (flux_request_unpack(request, NULL, "{s:o}", "jobspec", &jobspec) < 0 || !wanted(arg, jobspec, &job, why))
        (void)flux_respond_error(h, request, EOVERFLOW, why);
    else
        (void)flux_respond(h, request, NULL);
    idset_destroy(job.ranks);
}

static void stats(flux_t *h, flux_msg_handler_t *handler, const flux_msg_t *request, void *arg) {
    const struct shell *shell = arg;
    surefill_totals totals = {.struct_size = sizeof totals};
    (void)handler;
    (void)surefill_scheduler_totals(shell->engine.scheduler, &totals);
    (void)flux_respond_pack(h, request, "{s:I,s:I,s:I,s:I,s:I,s:{s:I,s:I,s:I,s:I,s:I,s:I}}", "pending_jobs",
                            (json_int_t)shell->pending, "busy", shell->busy, "denied", shell->denied, "reported",
                            shell->reported, "moved", shell->moved, "engine", "started", (json_int_t)totals.started,
                            "ended", (json_int_t)totals.ended, "broken", (json_int_t)totals.broken, "withdrawn",
                            (json_int_t)totals.withdrawn, "refused", (json_int_t)totals.refused, "surprises",
                            (json_int_t)totals.surprises);
}

/* --- The module --- */

static void tell(flux_reactor_t *reactor, flux_watcher_t *watcher, int events, void *arg) {
    (void)reactor, (void)watcher, (void)events;
    annotate_all(arg);
}

/* The words, and the engine as its state file has it. False, and a message, for a word that is not understood. */
static bool make(struct shell *shell, int argc, char **argv, char *message, size_t length) {
    char words[1000] = "surefill_settle=0"; /* Flux's word for a start is final */
    for (int i = 0; i < argc; i++) {
        const char *value = strchr(argv[i], '=') == NULL ? "" : strchr(argv[i], '=') + 1;
        if (strncmp(argv[i], "state=", 6) == 0) shell->state = value;
        else if (strncmp(argv[i], "queue-depth=", 12) == 0) shell->depth = value;
        else if (strncmp(argv[i], "scale=", 6) == 0) shell->scale = strtod(value, NULL);
        else if (strncmp(argv[i], "tell=", 5) == 0) shell->every = strtod(value, NULL);
        else if (strcmp(argv[i], "like=name") == 0 || strcmp(argv[i], "like=user") == 0) shell->by_name = *value == 'n';
        else if (strcmp(argv[i], "mode=shadow") == 0)
            return files_failed(message, length,
                                "mode=shadow: an instance has one scheduler, and nobody else would start its jobs");
        else if (strlen(words) + strlen(argv[i]) + 12 > sizeof words)
            return files_failed(message, length, "too many words");
        else strcat(strcat(words, ",surefill_"), argv[i]);
    }
    if (!(shell->scale > 0) || !(shell->every >= 0))
        return files_failed(message, length, "scale= is above 0, tell= not below");
    if (!engine_make(&shell->engine, room, words, &shell->pace, message, length)) return false;
    if (shell->state != NULL)
        switch (engine_open(&shell->engine, shell->state, message, length)) {
        case ENGINE_FAILED: return false;
        case ENGINE_ASIDE: flux_log(shell->h, LOG_ERR, "%s", message); break;
        case ENGINE_NEW:
        case ENGINE_OPENED: break;
        }
    const int64_t size = sizeof pool_name - 1;
    return (engine_nodes(&shell->engine, 1) == SUREFILL_OK &&
            surefill_scheduler_set_pool(shell->engine.scheduler, pool_name, size, 0, -1, &shell->pool) == SUREFILL_OK &&
            surefill_scheduler_set_queue(shell->engine.scheduler, pool_name, size, shell->pool, &shell->queue) ==
                SUREFILL_OK) ||
           files_failed(message, length, "no memory");
}

static bool service(flux_t *h, const char *name) {
    flux_future_t *future = flux_service_register(h, name);
    const bool good = future != NULL && flux_future_get(future, NULL) == 0;
    flux_future_destroy(future);
    return good;
}

__attribute__((visibility("default"))) int mod_main(flux_t *h, int argc, char **argv) {
    static const struct schedutil_ops ops = {hello, alloc, give_back, cancel, prioritize};
    struct shell shell = {.h = h, .scale = 1, .every = 2, .due = INFINITY, .depth = "unlimited", .saved = clock_now()};
    char message[2 * FILES_PATH + TEXT], depth[TEXT] = "unlimited", topic[TEXT];
    const struct flux_msg_handler_spec own[] = {{FLUX_MSGTYPE_REQUEST, "sched.expiration", expiration, 0},
                                                {FLUX_MSGTYPE_REQUEST, "feasibility.check", feasible, 0},
                                                {FLUX_MSGTYPE_REQUEST, topic, stats, 0},
                                                FLUX_MSGHANDLER_TABLE_END};
    flux_msg_handler_t **handlers = NULL;
    flux_future_t *acquire = NULL;
    flux_reactor_t *reactor = flux_get_reactor(h);
    int32_t doubted, result = -1;
    snprintf(topic, sizeof topic, "%s.stats-get", (const char *)flux_aux_get(h, "flux::name"));
    if (!make(&shell, argc, argv, message, sizeof message)) {
        flux_log(h, LOG_ERR, "%s", message);
        engine_free(&shell.engine);
        errno = EINVAL;
        return -1;
    }
    if (strcmp(shell.depth, depth) != 0) snprintf(depth, sizeof depth, "limited=%s", shell.depth);
    shell.decide = flux_timer_watcher_create(reactor, 0, 0, decide, &shell);
    shell.tell = flux_timer_watcher_create(reactor, 0, 0, tell, &shell);
    shell.util = schedutil_create(h, SCHEDUTIL_HELLO_PARTIAL_OK, &ops, &shell);
    if (shell.decide != NULL && shell.tell != NULL && shell.util != NULL && service(h, "feasibility") &&
        flux_msg_handler_addvec(h, own, &shell, &handlers) == 0 && flux_module_set_running(h) == 0 &&
        (acquire = flux_rpc(h, "resource.acquire", NULL, FLUX_NODEID_ANY, FLUX_RPC_STREAMING)) != NULL &&
        acquired(&shell, acquire)) {
        flux_future_reset(acquire);
        /* The running jobs are a listing: what else the state file says to be running has ended meanwhile. */
        (void)engine_list_begin(&shell.engine, now_of(&shell), 0);
        result = schedutil_hello(shell.util);
        (void)surefill_scheduler_list_end(shell.engine.scheduler, now_of(&shell), &doubted);
        shell.ready = clock_now();
        if (result == 0 && (result = schedutil_ready(shell.util, depth, NULL)) == 0 &&
            (result = flux_future_then(acquire, -1, resources_changed, &shell)) == 0)
            result = flux_reactor_run(reactor, 0) < 0 ? -1 : 0;
        save(&shell);
    }
    if (result != 0) flux_log_error(h, "it ends");
    flux_future_destroy(acquire);
    flux_msg_handler_delvec(handlers);
    while (shell.count > 0) drop(&shell, shell.jobs[shell.count - 1]);
    for (int i = 0; i < CONSTRAINTS; i++) idset_destroy(shell.constraints[i].ranks);
    schedutil_destroy(shell.util);
    flux_watcher_destroy(shell.decide);
    flux_watcher_destroy(shell.tell);
    resources_free(&shell.resources);
    engine_free(&shell.engine);
    free(shell.jobs);
    return result;
}
