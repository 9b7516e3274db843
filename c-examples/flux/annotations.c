/* The annotations of pending jobs: when each is expected to start, how many start before it, and why it waits. */
#include "sched-surefill.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

json_t *cleared_annotations(const struct job *job) {
    json_t *nothing = json_object(), *value;
    const char *key;
    json_object_foreach(job->annotations, key, value) json_object_set_new(nothing, key, json_null());
    return nothing;
}

/* Annotates what has changed. */
static void annotate(struct shell *shell, struct job *job, json_t *sched) {
    json_t *news = json_object(), *value;
    const char *key;
    json_object_foreach(sched, key, value) {
        json_t *before = json_object_get(job->annotations, key);
        if (before == NULL ? !json_is_null(value) : !json_equal(before, value)) json_object_set(news, key, value);
    }
    json_object_update(job->annotations, news);
    if (json_object_size(news) > 0)
        (void)schedutil_alloc_respond_annotate_pack(shell->util, job->request, "{s:O}", "sched", news);
    json_decref(news);
    json_decref(sched);
}

/* A reason as it is annotated: while it stays the same its numbers are of some time ago. */
static const char *words_of(const struct shell *shell, struct job *job, double now) {
    const int32_t why = job->reason.why;
    char name[ID];
    int64_t needed;
    if (!job->known) return "more than 63 different constraints wait";
    if (job->lost) return "nodes are down or drained that it needs";
    if (job->refused) return "the nodes that it was offered were not free";
    if (job->median < 0) return strstr(engine_cannot_tell, "cannot");
    if (why == job->before.why && job->reason.head == job->before.head && now < job->words_until) return job->words;
    const bool room = why == SUREFILL_WHY_NO_ROOM || why == SUREFILL_WHY_HEAD || why == SUREFILL_WHY_LATER ||
                      why == SUREFILL_WHY_GUARDED || why == SUREFILL_WHY_DEPTH || why == SUREFILL_WHY_REFUSED;
    strcpy(job->words, room ? "insufficient resources: " : "");
    (void)surefill_reason_sentence(&job->reason, NULL, job->reason.head == 0 ? NULL : name_of(job->reason.head, name),
                                   job->words + strlen(job->words), (int64_t)(TEXT - strlen(job->words)), &needed);
    job->before = job->reason;
    job->words_until = now + fmax(shell->pace.starts, 60) / shell->scale;
    return job->words;
}

/* Its estimated start is another one only when that has moved by more than a minute and a quarter. */
static void annotate_start(struct shell *shell, struct job *job, int64_t ahead, double now) {
    json_t *place = json_object_get(job->annotations, "jobs_ahead");
    const double reported = json_number_value(json_object_get(job->annotations, "t_estimate"));
    double estimate = job->planned <= 0 || job->median < 0 ? 0 : fmax(job->median > 0 ? job->median : job->planned / shell->scale, now);
    if (estimate > 0 && reported > now && fabs(estimate - reported) <= 60 / shell->scale + (reported - now) / 4)
        estimate = reported;
    shell->reported += reported <= 0 && estimate > 0;
    shell->moved += reported > 0 && fabs(reported - estimate) > 0;
    if (place != NULL && ahead > 0 && llabs(ahead - json_integer_value(place)) * 10 <= json_integer_value(place))
        ahead = json_integer_value(place);
    annotate(shell, job, json_pack("{s:o s:I s:s}", "t_estimate", estimate > 0 ? json_real(estimate) : json_null(),
                                   "jobs_ahead", (json_int_t)ahead, "reason_pending", words_of(shell, job, now)));
}

/* Those that are planned by their starts, then those that can be, then the others; like ones in the site's order. */
static int in_turn(const void *a, const void *b) {
    const struct job *one = *(struct job *const *)a, *other = *(struct job *const *)b;
    const int ranks[] = {one->planned > 0 ? 0 : 1 + (one->lost || !one->known),
                         other->planned > 0 ? 0 : 1 + (other->lost || !other->known)};
    const double keys[][2] = {
        {ranks[0], ranks[1]}, {one->planned, other->planned}, {other->said.priority, one->said.priority}};
    for (int i = 0; i < 3; i++)
        if (keys[i][0] < keys[i][1] || keys[i][0] > keys[i][1]) return keys[i][0] < keys[i][1] ? -1 : 1;
    if (one->said.submit != other->said.submit) return one->said.submit < other->said.submit ? -1 : 1;
    return one->said.id < other->said.id ? -1 : one->said.id > other->said.id;
}

/* The medians of a forecast that has just been completed. It may take a twentieth of the time. */
static void foresee(struct shell *shell, int64_t now) {
    const double begun = clock_now(), every = fmax(shell->pace.starts, 20 * shell->forecast) * shell->scale;
    const bool done = shell->pace.starts > 0 && engine_foresee(&shell->engine, shell->pool, now, every);
    surefill_start start;
    char news[200];
    const bool going = done || (shell->engine.starts != NULL && !shell->engine.played);
    shell->spent = going ? shell->spent + clock_now() - begun : 0;
    if (!done) return;
    shell->forecast = shell->spent;
    shell->spent = 0;
    if (engine_forecast_news(&shell->engine, news, sizeof news)) flux_log(shell->h, LOG_INFO, "%s", news);
    for (size_t i = 0; i < shell->count; i++) {
        struct job *job = shell->jobs[i];
        const bool expected = job->known && engine_expects(&shell->engine, job->said.id, &start);
        const double median = expected ? (double)engine_by(&start, 2) / shell->scale : 0;
        job->median = expected && median <= 0 ? -1 : median;
    }
}

void annotate_all(struct shell *shell) {
    const double clock = shell->annotated_at = clock_now();
    const int64_t now = now_of(shell);
    struct job **waiting = calloc(shell->pending + 1, sizeof *waiting);
    surefill_cycle *plan;
    double cores = 0, end = (double)now;
    size_t count = 0;
    foresee(shell, now);
    if (waiting == NULL || !engine_plan(&shell->engine, shell->pool, now, &plan)) {
        flux_log(shell->h, LOG_ERR, "nothing is planned");
        free(waiting);
        return;
    }
    for (size_t i = 0; i < shell->count; i++) {
        struct job *job = shell->jobs[i];
        if (job->request == NULL) continue;
        waiting[count++] = job;
        job->reason = (surefill_reason){.struct_size = sizeof job->reason};
        job->lost = resources_room(&shell->resources, &job->said, job->ranks, true) < job->said.count;
        if (job->known) (void)surefill_cycle_reason(plan, shell->engine.scheduler, job->said.id, &job->reason);
        job->planned = (double)job->reason.start;
        end = fmax(end, job->planned);
    }
    for (int32_t i = 0; i < shell->resources.count; i++)
        if (shell->resources.ranks[i].up) cores += (double)idset_count(shell->resources.ranks[i].cores);
    qsort(waiting, count, sizeof *waiting, in_turn);
    for (size_t i = 0; i < count; i++) {
        struct job *job = waiting[i];
        int64_t run = 0;
        /* Those behind the plan, which orders 64 jobs, follow one after the other, as fast as the machine works. */
        if (job->planned <= 0 && job->known && !job->lost) {
            (void)surefill_scheduler_run_time(shell->engine.scheduler, now, job->said.id, 0.5, &run);
            job->planned = floor(end);
            end += (double)job->said.count * job->said.each[0] * (double)run / fmax(cores, 1);
        }
        annotate_start(shell, job, (int64_t)i, clock);
    }
    free(waiting);
    if (shell->spent > 0 && count > 0) after(shell->tell, shell->every); /* the forecast goes on */
}
