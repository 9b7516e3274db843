/* The jobs that Flux has reported, in the order of their ids, and the time. */
#define _POSIX_C_SOURCE 200809L
#include "sched-surefill.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

double clock_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

int64_t now_of(const struct shell *shell) { return (int64_t)(clock_now() * shell->scale); }

/* The difference of two instants is not exact: another limit would be another kind of job. */
int64_t seconds(const struct shell *shell, double span) {
    return (int64_t)fmin(ceil(round(span * shell->scale * 1000) / 1000), (double)SUREFILL_MAX_SECONDS);
}

static size_t place_of(const struct shell *shell, int64_t id) {
    size_t low = 0, high = shell->count;
    while (low < high) {
        const size_t middle = (low + high) / 2;
        if (shell->jobs[middle]->said.id < id) low = middle + 1;
        else high = middle;
    }
    return low;
}

struct job *find(const struct shell *shell, int64_t id) {
    const size_t at = place_of(shell, id);
    return at < shell->count && shell->jobs[at]->said.id == id ? shell->jobs[at] : NULL;
}

struct job *add(struct shell *shell, int64_t id) {
    const size_t at = place_of(shell, id);
    struct job *job = find(shell, id);
    if (job != NULL) return job;
    if (shell->count == shell->room) {
        struct job **more = realloc(shell->jobs, (2 * shell->room + 64) * sizeof *more);
        if (more == NULL) return NULL;
        shell->jobs = more;
        shell->room = 2 * shell->room + 64;
    }
    if ((job = calloc(1, sizeof *job)) == NULL) return NULL;
    memmove(shell->jobs + at + 1, shell->jobs + at, (shell->count++ - at) * sizeof *shell->jobs);
    job->feature = -1;
    job->said = (surefill_job){.struct_size = sizeof job->said, .id = id, .queue_count = 1, .queues = {shell->queue}};
    return shell->jobs[at] = job;
}

void forget_request(struct shell *shell, struct job *job) {
    if (job->request != NULL) shell->pending--;
    if (job->known && job->feature >= 0) shell->constraints[job->feature].waiting--;
    flux_msg_decref(job->request);
    idset_destroy(job->ranks);
    json_decref(job->annotations);
    job->request = NULL, job->ranks = NULL, job->annotations = NULL, job->known = false, job->feature = -1;
}

void drop(struct shell *shell, struct job *job) {
    const size_t at = place_of(shell, job->said.id);
    forget_request(shell, job);
    free((void *)job->said.parts);
    free(job);
    memmove(shell->jobs + at, shell->jobs + at + 1, (--shell->count - at) * sizeof *shell->jobs);
}

const char *name_of(int64_t id, char *name) {
    return flux_job_id_encode((flux_jobid_t)id, "f58", name, ID) == 0 ? name : "?";
}

bool report(struct shell *shell, struct job *job, int32_t state) {
    char name[ID];
    job->said.state = state;
    const int32_t status = engine_set_job(&shell->engine, now_of(shell), &job->said);
    if (status == SUREFILL_OK) return true;
    flux_log(shell->h, LOG_ERR, "%s: %s", name_of(job->said.id, name), surefill_status_text(status));
    return false;
}
