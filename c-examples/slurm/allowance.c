/* Limits on the number of running jobs, of QOS, users and accounts: of several waiting jobs that one limit lets start
 * only in part, the first in Slurm's order come first. Licence: GPL-2.0-or-later. */
#include "cluster.h"

#include <stdlib.h>
#include <string.h>

enum { LIMITS = 32 }; /* of one job: three of each of two QOS, and one of each association above it */

/* A limit, and how many more jobs may run by it. */
struct use {
    uint64_t key;
    uint32_t left;
};

struct uses {
    struct use of[LIMITS];
    int32_t count;
};

/* Leaves out what Slurm, which has let the job through, does not count: a limit that another one replaces. */
static void add_use(struct uses *uses, uint64_t kind, const void *holder, uint64_t whom, uint32_t most, uint32_t used) {
    if (most == INFINITE || most == NO_VAL || used >= most || uses->count == LIMITS) return;
    uses->of[uses->count++] = (struct use){.key = mix(mix(mix(7, kind), (uint64_t)(uintptr_t)holder), whom), .left = most - used};
}

static int same_user(void *entry, void *user) { return ((const slurmdb_used_limits_t *)entry)->uid == *(const uint32_t *)user; }
static int same_account(void *entry, void *account) { return xstrcmp(((const slurmdb_used_limits_t *)entry)->acct, account) == 0; }

static uint32_t running_of(list_t *list, ListFindF same, void *whom) {
    const slurmdb_used_limits_t *used = list == NULL ? NULL : list_find_first(list, same, whom);
    return used == NULL ? 0 : used->jobs;
}

static void add_qos(struct uses *uses, const slurmdb_qos_rec_t *qos, const job_record_t *job) {
    uint32_t user = job->user_id;
    char *account = job->assoc_ptr == NULL ? NULL : job->assoc_ptr->acct;
    if (qos == NULL || qos->usage == NULL) return;
    add_use(uses, 1, qos, 0, qos->grp_jobs, qos->usage->grp_used_jobs);
    add_use(uses, 2, qos, user, qos->max_jobs_pu, running_of(qos->usage->user_limit_list, same_user, &user));
    if (account != NULL)
        add_use(uses, 3, qos, (uint64_t)surefill_hash(account, (int64_t)strlen(account)), qos->max_jobs_pa,
                running_of(qos->usage->acct_limit_list, same_account, account));
}

/* The limits that count for the job. */
static void find_uses(job_record_t *job, const part_record_t *part, struct uses *uses) {
    assoc_mgr_lock_t locks = {.assoc = READ_LOCK, .qos = READ_LOCK};
    uses->count = 0;
    if ((accounting_enforce & ACCOUNTING_ENFORCE_LIMITS) == 0) return;
    assoc_mgr_lock(&locks);
    add_qos(uses, job->qos_ptr, job);
    if (part->qos_ptr != job->qos_ptr) add_qos(uses, part->qos_ptr, job);
    for (const slurmdb_assoc_rec_t *at = job->assoc_ptr; at != NULL && at->usage != NULL; at = at->usage->parent_assoc_ptr) {
        if (at == job->assoc_ptr) add_use(uses, 4, at, 0, at->max_jobs, at->usage->used_jobs);
        add_use(uses, 5, at, 0, at->grp_jobs, at->usage->used_jobs);
    }
    assoc_mgr_unlock(&locks);
}

/* --- Counting --- */

static struct taken *place_of(const struct allowance *allowance, uint64_t key) {
    const uint32_t mask = allowance->size - 1;
    uint32_t at = (uint32_t)(key >> 32) & mask;
    while (allowance->taken[at].key != 0 && allowance->taken[at].key != key) at = (at + 1) & mask;
    return &allowance->taken[at];
}

/* Waiting jobs that were counted by a limit before; a new limit has none. */
static struct taken *taken_by(struct allowance *allowance, uint64_t key) {
    struct taken *taken;
    if (2 * allowance->count >= allowance->size) {
        struct allowance larger = {.size = allowance->size == 0 ? 64 : 2 * allowance->size};
        larger.taken = xcalloc(larger.size, sizeof *larger.taken);
        for (uint32_t i = 0; i < allowance->size; i++)
            if (allowance->taken[i].key != 0) *place_of(&larger, allowance->taken[i].key) = allowance->taken[i];
        xfree(allowance->taken);
        allowance->taken = larger.taken;
        allowance->size = larger.size;
    }
    taken = place_of(allowance, key);
    if (taken->key == 0) allowance->count++;
    taken->key = key;
    return taken;
}

static int by_number(const void *one, const void *other) {
    const uint32_t a = *(const uint32_t *)one, b = *(const uint32_t *)other;
    return (a > b) - (a < b);
}

/* Whether the scheduler had no nodes for the job when no other of its limit was in its way, and nothing has changed
 * since. */
static bool was_passed(const struct cluster *cluster, uint32_t job) {
    const struct allowance *allowance = &cluster->allowance;
    return allowance->passed_count > 0 && allowance->cause == cluster->running &&
           bsearch(&job, allowance->passed, (size_t)allowance->passed_count, sizeof job, by_number) != NULL;
}

void allowance_begin(struct cluster *cluster) {
    struct allowance *allowance = &cluster->allowance;
    if (allowance->size > 0) memset(allowance->taken, 0, allowance->size * sizeof *allowance->taken);
    allowance->count = 0;
    allowance->beyond = 0;
    if (allowance->cause != cluster->running) allowance->passed_count = 0;
}

bool allowance_take(struct cluster *cluster, job_record_t *job, const part_record_t *part, struct row *row, bool first) {
    struct allowance *allowance = &cluster->allowance;
    int64_t most = row->array ? row->said.tasks : 1, left;
    struct uses uses;
    find_uses(job, part, &uses);
    if (uses.count == 0 || was_passed(cluster, job->job_id)) return true;
    for (int32_t i = 0; i < uses.count; i++) {
        left = (int64_t)uses.of[i].left - taken_by(allowance, uses.of[i].key)->jobs;
        if (left < most) most = left;
    }
    if (most <= 0 && !first) {
        allowance->beyond++;
        return false;
    }
    if (most <= 0) most = 1;
    if (row->array && (row->said.at_once == 0 || row->said.at_once > most)) row->said.at_once = (int32_t)most;
    for (int32_t i = 0; i < uses.count; i++) taken_by(allowance, uses.of[i].key)->jobs += most;
    row->counted = true;
    return true;
}

bool allowance_pass(struct cluster *cluster) {
    struct allowance *allowance = &cluster->allowance;
    int32_t more = 0;
    if (allowance->beyond == 0) return false;
    allowance->cause = cluster->running;
    for (int32_t i = 0; i < cluster->row_count; i++) more += cluster->rows[i].counted && cluster->rows[i].said.state == SUREFILL_JOB_WAITING;
    xrecalloc(allowance->passed, (size_t)(allowance->passed_count + more) + 1, sizeof *allowance->passed);
    for (int32_t i = 0; i < cluster->row_count; i++) {
        const struct row *row = &cluster->rows[i];
        if (row->counted && row->said.state == SUREFILL_JOB_WAITING) allowance->passed[allowance->passed_count++] = (uint32_t)row->said.id;
    }
    qsort(allowance->passed, (size_t)allowance->passed_count, sizeof *allowance->passed, by_number);
    return more > 0;
}

void allowance_free(struct allowance *allowance) {
    xfree(allowance->taken);
    xfree(allowance->passed);
    *allowance = (struct allowance){.cause = 0};
}
