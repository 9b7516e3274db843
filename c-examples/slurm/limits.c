/* Limits on numbers of running jobs, of QOS and associations: the waiting jobs that a start would keep from theirs.
 * Licence: GPL-2.0-or-later. */
#include "cluster.h"

#include <string.h>

enum {
    COUNTS = 32, /* limits of one job: three of its QOS, and one of each association above it */
    MOST = 16    /* starts that a limit leaves; where it leaves more, the order matters little */
};

/* A limit that counts for a job, and the number of jobs that may still start by it. */
struct count {
    const void *of; /* the QOS or association */
    uint64_t whom;  /* kind of limit, user or account */
    uint32_t left;
};

struct counts {
    struct count of[COUNTS];
    int32_t number;
};

static void add_count(struct counts *counts, const void *of, uint64_t whom, uint32_t most, uint32_t used) {
    if (used >= most || counts->number == COUNTS) return;
    counts->of[counts->number++] = (struct count){.of = of, .whom = whom, .left = most - used};
}

static int same_user(void *entry, void *user) { return ((const slurmdb_used_limits_t *)entry)->uid == *(const uint32_t *)user; }
static int same_account(void *entry, void *account) { return xstrcmp(((const slurmdb_used_limits_t *)entry)->acct, account) == 0; }

static uint32_t running_of(list_t *list, ListFindF same, void *whom) {
    const slurmdb_used_limits_t *used = list == NULL ? NULL : list_find_first(list, same, whom);
    return used == NULL ? 0 : used->jobs;
}

/* The limits that acct_policy_job_runnable_pre_select looks at, the ones that replace others as there: the first QOS
 * that has a limit, and a QOS instead of the associations. */
static void find_counts(job_record_t *job, struct counts *counts) {
    assoc_mgr_lock_t locks = {.assoc = READ_LOCK, .qos = READ_LOCK};
    slurmdb_qos_rec_t *qos[2];
    bool group = false, account = false, user = false;
    counts->number = 0;
    if ((accounting_enforce & ACCOUNTING_ENFORCE_LIMITS) == 0) return;
    assoc_mgr_lock(&locks);
    acct_policy_set_qos_order(job, &qos[0], &qos[1]);
    for (int i = 0; i < 2; i++) {
        slurmdb_qos_rec_t *one = qos[i];
        char *own = job->assoc_ptr == NULL ? NULL : job->assoc_ptr->acct;
        if (one == NULL || one->usage == NULL) continue;
        if (!group && (group = one->grp_jobs != INFINITE)) add_count(counts, one, 0, one->grp_jobs, one->usage->grp_used_jobs);
        if (!account && own != NULL && (account = one->max_jobs_pa != INFINITE))
            add_count(counts, one, mix(1, (uint64_t)surefill_hash(own, (int64_t)strlen(own))), one->max_jobs_pa,
                      running_of(one->usage->acct_limit_list, same_account, own));
        if (!user && (user = one->max_jobs_pu != INFINITE))
            add_count(counts, one, mix(2, job->user_id), one->max_jobs_pu,
                      running_of(one->usage->user_limit_list, same_user, &job->user_id));
    }
    for (const slurmdb_assoc_rec_t *at = job->assoc_ptr; at != NULL && at->usage != NULL; at = at->usage->parent_assoc_ptr) {
        if (!group && at->grp_jobs != INFINITE) add_count(counts, at, 0, at->grp_jobs, at->usage->used_jobs);
        if (!account && !user && at == job->assoc_ptr && at->max_jobs != INFINITE)
            add_count(counts, at, 3, at->max_jobs, at->usage->used_jobs);
    }
    assoc_mgr_unlock(&locks);
}

static bool share_one(const struct counts *counts, const struct count *limit) {
    for (int32_t i = 0; i < counts->number; i++)
        if (counts->of[i].of == limit->of && counts->of[i].whom == limit->whom) return true;
    return false;
}

struct row *cluster_precedes(struct cluster *cluster, const struct row *row, job_record_t *job) {
    struct counts counts, others;
    find_counts(job, &counts);
    for (int32_t k = 0; k < counts.number; k++) {
        const struct count *limit = &counts.of[k];
        struct row *first = NULL;
        uint32_t before = 0;
        if (limit->left > MOST) continue;
        for (int32_t i = 0; i < cluster->row_count && before < limit->left; i++) {
            struct row *other = &cluster->rows[i];
            job_record_t *earlier;
            if (other->order < 0 || other->order >= row->order || other->said.state != SUREFILL_JOB_WAITING) continue;
            earlier = find_job_record((uint32_t)other->said.id);
            if (earlier == NULL || earlier->magic != JOB_MAGIC || !IS_JOB_PENDING(earlier)) continue;
            if (earlier->user_id != job->user_id && earlier->qos_ptr != job->qos_ptr && earlier->assoc_ptr != job->assoc_ptr) continue;
            find_counts(earlier, &others);
            if (!share_one(&others, limit)) continue;
            if (first == NULL) first = other;
            before += other->array ? (uint32_t)other->said.tasks : 1;
        }
        if (first != NULL && before >= limit->left) return first;
    }
    return NULL;
}
