/* Decisions: what the engine offers is started where it says. */
#include "sched-surefill.h"

#include <math.h>
#include <stdlib.h>

void after(flux_watcher_t *watcher, double delay) {
    flux_watcher_stop(watcher);
    flux_timer_watcher_reset(watcher, delay > 0 ? delay : 0, 0);
    flux_watcher_start(watcher);
}

void soon(struct shell *shell, double delay) {
    const double now = clock_now(), due = fmax(now + delay, shell->ended + shell->pause);
    if (shell->pending == 0 || due >= shell->due) return;
    shell->due = due;
    after(shell->decide, due - now);
}

void ask(struct shell *shell, struct job *job) {
    job->feature = feature_of(shell, job->ranks);
    if (job->feature == CONSTRAINTS) return;
    job->said.features = job->feature < 0 ? 0 : (int64_t)1 << job->feature;
    job->known = report(shell, job, SUREFILL_JOB_WAITING);
    if (job->known && job->feature >= 0) shell->constraints[job->feature].waiting++;
}

static bool start(struct shell *shell, const surefill_cycle *cycle, const surefill_action *offer, struct job *job) {
    surefill_part *parts = calloc((size_t)shell->resources.count + 1, sizeof *parts);
    const double now = clock_now(), end = job->duration > 0 ? now + job->duration : shell->expiration;
    json_t *R = NULL, *execution;
    char *text;
    if (parts != NULL && surefill_cycle_parts(cycle, offer->number, parts, shell->resources.count,
                                              &job->said.part_count) == SUREFILL_OK) {
        job->said.parts = parts;
        R = resources_place(&shell->resources, &job->said, job->slots);
    }
    if (R == NULL) {
        char name[ID];
        free(parts);
        job->said.parts = NULL, job->said.part_count = 0, job->refused = true;
        flux_log(shell->h, LOG_WARNING, "%s: the nodes that it was offered are not free", name_of(job->said.id, name));
        shell->busy++;
        return false;
    }
    execution = json_object_get(R, "execution");
    json_object_set_new(execution, "starttime", json_real(now));
    json_object_set_new(execution, "expiration", json_real(end));
    text = json_dumps(R, JSON_COMPACT);
    if (schedutil_alloc_respond_success_pack(shell->util, job->request, text, "{s:o}", "sched",
                                             cleared_annotations(job)) < 0)
        flux_log_error(shell->h, "a start is not reported");
    free(text);
    json_decref(R);
    forget_request(shell, job);
    job->said.start = now_of(shell);
    job->fresh = true;
    return true;
}

void save(struct shell *shell) {
    char message[FILES_PATH + TEXT];
    shell->saved = clock_now();
    if (shell->state != NULL && !engine_save(&shell->engine, shell->state, message, sizeof message))
        flux_log(shell->h, LOG_ERR, "state not saved: %s", message);
}

void decide(flux_reactor_t *reactor, flux_watcher_t *watcher, int events, void *arg) {
    struct shell *shell = arg;
    const double begun = clock_now();
    const int64_t now = now_of(shell);
    char message[2 * FILES_PATH + TEXT];
    surefill_cycle *cycle = NULL;
    surefill_action action;
    int64_t when, pools;
    int32_t status;
    (void)watcher, (void)events;
    shell->due = INFINITY;
    for (size_t i = 0; i < shell->count; i++) {
        shell->jobs[i]->refused = shell->jobs[i]->fresh = false;
        if (shell->jobs[i]->request != NULL && !shell->jobs[i]->known) ask(shell, shell->jobs[i]);
    }
    status = engine_begin(&shell->engine, shell->pool, now, &cycle);
    while (status == SUREFILL_OK && (status = engine_next(&shell->engine, cycle, &action)) == SUREFILL_OK &&
           action.step < SUREFILL_ACT_DONE) {
        struct job *job = find(shell, action.job);
        if (action.step != SUREFILL_ACT_START) continue;
        if (job != NULL && job->request != NULL && start(shell, cycle, &action, job))
            status = engine_started(&shell->engine, cycle, action.number, action.job);
        else
            status = engine_refused(&shell->engine, cycle, &action,
                                    job == NULL ? SUREFILL_REFUSED_NOT_NOW : SUREFILL_REFUSED_BUSY, now);
    }
    status = engine_close(&shell->engine, cycle, status);
    for (size_t i = 0; i < shell->count; i++)
        if (shell->jobs[i]->fresh) (void)report(shell, shell->jobs[i], SUREFILL_JOB_RUNNING);
    if (engine_trouble(&shell->engine, message, sizeof message) != NULL) flux_log(shell->h, LOG_ERR, "%s", message);
    shell->ended = clock_now();
    shell->pause = fmin(shell->ended - begun, 1);
    flux_reactor_now_update(reactor); /* timers begin now */
    if (status != SUREFILL_OK) { /* a module that ends takes its broker with it */
        flux_log(shell->h, LOG_ERR, "nothing is decided: %s", surefill_status_text(status));
        soon(shell, 5);
        return;
    }
    if (surefill_scheduler_wake(shell->engine.scheduler, now_of(shell), &when, &pools) == SUREFILL_OK)
        soon(shell, fmax((double)when / shell->scale - shell->ended, 0.05));
    if (shell->ended - shell->saved > shell->pace.save) save(shell);
    if (shell->pending > 0) after(shell->tell, shell->annotated_at + shell->every - shell->ended);
}
