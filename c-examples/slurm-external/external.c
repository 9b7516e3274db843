/* The plugin's decisions from outside: a scheduler on libslurm's public functions alone. It cannot harm slurmctld and
 * survives Slurm's upgrades; a start takes about a second, and priorities are not known: first come, first served.
 *
 *   surefill-slurm [-p PARTITION] [-s STATE_FILE] [-l LOCK_FILE] [-k] [-1] [SETTINGS]
 *   surefill-slurm [-p PARTITION] --release-all
 *
 * SETTINGS are the plugin's words ("surefill_tau=0.1,surefill_interval=2"), -1 makes one cycle and ends. Every job is
 * held at submission (see job_submit.lua); this program releases it when it may start, and Slurm's own loop starts it.
 * When it is stopped it releases all it still holds, unless -k says that it will be back. The lock file keeps a second
 * one from the same partition, and tells job_submit.lua that the first one is alive. */
#define _POSIX_C_SOURCE 200809L
#include "daemon.h"
#include "decide.h"
#include "order.h"
#include "seen.h"

#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <math.h>
#include <slurm/slurm.h>
#include <slurm/slurm_errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static const char TAG[] = "surefill"; /* what job_submit.lua writes into admin_comment */
static const char STAY[] = "hold";    /* a user's comment on a job that is to stay held */
enum { MESSAGE = 300, NAME = 64, MOST_REFUSED = 10 };
enum { LIFE = 60 }; /* seconds beyond the next cycle for which job_submit.lua goes on holding jobs */

/* A waiting job that we hold. */
struct held {
    struct facts facts;
    char name[NAME]; /* what Slurm knows it by: its number, or that of an array's next task */
    const slurm_job_info_t *job;
};

struct scheduler {
    struct settings settings;
    struct beliefs *beliefs;
    struct books *books;
    struct decider *decider;
    const char *partition, *state_file;
    char lock_file[300];
    int lock; /* open, and locked by us */
    struct pool pool;
    struct held *held;
    int32_t held_count;
    char unjudged[MESSAGE]; /* why nothing may overtake the head job; empty when decisions are made */
    double spent;           /* of the head job's budget */
    int64_t spent_for;
    bool limits_only;
    struct state_mark saved;
};

static void not_judged(struct scheduler *scheduler, const char *why) {
    if (scheduler->unjudged[0] == '\0') snprintf(scheduler->unjudged, sizeof scheduler->unjudged, "%s", why);
}

/* A released job that free nodes alone do not start: a limit, a licence, a node out of service. It holds nothing. */
static bool waits_for_more(const slurm_job_info_t *job) {
    return job->state_reason != WAIT_NO_REASON && job->state_reason != WAIT_PRIORITY &&
           job->state_reason != WAIT_RESOURCES && job->state_reason != WAIT_HELD && job->state_reason != WAIT_HELD_USER;
}

/* A waiting job that would not start if we released it, or is not ours to release. */
static bool held_by_others(const slurm_job_info_t *job, int64_t now) {
    return (job->priority == 0 && !same(job->admin_comment, TAG)) || same(job->comment, STAY) || !empty(job->dependency) ||
           job->eligible_time > now || job->het_job_id != 0;
}

/* Which entries of the node table belong to the partition: pairs of first and last index, ended by -1. */
static bool in_ranges(const int32_t *ranges, int32_t node) {
    for (; ranges != NULL && ranges[0] >= 0; ranges += 2)
        if (node >= ranges[0] && node <= ranges[1]) return true;
    return false;
}

static int32_t common_nodes(const int32_t *one, const int32_t *other, int32_t nodes) {
    int32_t count = 0;
    for (int32_t i = 0; i < nodes; i++) count += in_ranges(one, i) && in_ranges(other, i);
    return count;
}

static void count_nodes(struct scheduler *scheduler, const partition_info_t *partition, const node_info_msg_t *nodes) {
    const uint32_t out = NODE_STATE_DRAIN | NODE_STATE_FAIL | NODE_STATE_MAINT | NODE_STATE_NO_RESPOND |
                         NODE_STATE_REBOOT_REQUESTED | NODE_STATE_POWERING_DOWN;
    const node_info_t *first = NULL;
    scheduler->pool.nodes = scheduler->pool.idle = 0;
    for (uint32_t i = 0; i < nodes->record_count; i++) {
        const node_info_t *node = &nodes->node_array[i];
        uint32_t base = node->node_state & NODE_STATE_BASE;
        if (!in_ranges(partition->node_inx, (int32_t)i) || (node->node_state & out) != 0) continue;
        if (base != NODE_STATE_IDLE && base != NODE_STATE_ALLOCATED && base != NODE_STATE_MIXED) continue;
        if (first == NULL) first = node;
        if (node->cpus != first->cpus || node->real_memory != first->real_memory) not_judged(scheduler, "the nodes differ");
        if (base == NODE_STATE_MIXED) not_judged(scheduler, "running jobs share nodes");
        scheduler->pool.nodes++;
        scheduler->pool.idle += base == NODE_STATE_IDLE && (node->node_state & NODE_STATE_COMPLETING) == 0;
    }
}

static bool add_running(struct scheduler *scheduler, const slurm_job_info_t *job, int32_t nodes, bool ending, int64_t age) {
    struct running running = {.nodes = nodes, .age = age, .ending = ending};
    facts_of(job, &running.facts);
    return pool_add_running(&scheduler->pool, &running);
}

static int by_submission(const void *one, const void *other) {
    const struct held *a = one, *b = other;
    if (a->facts.submit != b->facts.submit) return a->facts.submit < b->facts.submit ? -1 : 1;
    return a->facts.id < b->facts.id ? -1 : a->facts.id > b->facts.id;
}

/* Held jobs have no priority. */
static bool of_one_rank(const void *one, const void *next) {
    (void)one;
    (void)next;
    return true;
}

/* Jobs that run, jobs that have been released and are about to, and jobs that we hold. */
static bool sort_jobs(struct scheduler *scheduler, const partition_info_t *partition, const job_info_msg_t *jobs,
                      int32_t node_count, int64_t now) {
    free(scheduler->held);
    scheduler->held = calloc(jobs->record_count + 1, sizeof *scheduler->held);
    scheduler->held_count = 0;
    scheduler->pool.running_count = 0;
    if (scheduler->held == NULL) return false;
    for (uint32_t i = 0; i < jobs->record_count; i++) {
        const slurm_job_info_t *job = &jobs->job_array[i];
        uint32_t state = base_state(job);
        if (state == JOB_RUNNING || state == JOB_SUSPENDED || completing(job)) {
            int32_t nodes = common_nodes(job->node_inx, partition->node_inx, node_count);
            if (state == JOB_SUSPENDED) not_judged(scheduler, "a job is suspended");
            if (nodes > 0 && !add_running(scheduler, job, nodes, completing(job), age_of(job, now))) return false;
        } else if (state == JOB_PENDING && same(job->partition, scheduler->partition)) {
            struct held *held = &scheduler->held[scheduler->held_count];
            if (job->priority != 0) { /* released by us, or not ours: Slurm may start it at any moment */
                if (!empty(job->dependency) || job->eligible_time > now || waits_for_more(job)) continue;
                scheduler->pool.idle -= (int32_t)job->num_nodes;
                if (!add_running(scheduler, job, (int32_t)job->num_nodes, false, 0)) return false;
                continue;
            }
            if (held_by_others(job, now)) continue;
            held->job = job;
            facts_of(job, &held->facts);
            if (job->array_task_str != NULL)
                snprintf(held->name, NAME, "%u_%lu", job->array_job_id, strtoul(job->array_task_str, NULL, 10));
            else
                snprintf(held->name, NAME, "%u", job->job_id);
            scheduler->held_count++;
        }
    }
    qsort(scheduler->held, (size_t)scheduler->held_count, sizeof *scheduler->held, by_submission);
    if (!scheduler->limits_only)
        order_queue(&scheduler->settings, scheduler->beliefs, now, scheduler->held, scheduler->held_count,
                    sizeof *scheduler->held, of_one_rank, INFINITY);
    return true;
}

/* Whether any free nodes of the partition will do for the head job. */
static void check_head(struct scheduler *scheduler, const slurm_job_info_t *job, const partition_info_t *partition) {
    reserve_info_msg_t *reservations = NULL;
    bool whole = partition->max_share == 0 || job->shared == 0;
    if (!whole && job->cores_per_socket != 1 && partition->total_cpus != partition->total_nodes)
        not_judged(scheduler, "the head job shares nodes");
    if (!empty(job->features) || !empty(job->prefer)) not_judged(scheduler, "the head job asks for node features");
    if (!empty(job->req_nodes) || !empty(job->exc_nodes)) not_judged(scheduler, "the head job names nodes");
    if (!empty(job->licenses)) not_judged(scheduler, "the head job needs licences");
    if (!empty(job->resv_name)) not_judged(scheduler, "the head job has a reservation");
    if (!empty(job->tres_per_job) || !empty(job->tres_per_node))
        not_judged(scheduler, "the head job needs generic resources");
    if (job->contiguous || job->req_switch != 0) not_judged(scheduler, "the head job asks for neighbouring nodes");
    if (slurm_load_reservations((time_t)0, &reservations) != SLURM_SUCCESS) {
        not_judged(scheduler, "reservations cannot be read");
        return;
    }
    for (uint32_t i = 0; i < reservations->record_count; i++)
        for (const int32_t *range = reservations->reservation_array[i].node_inx; range != NULL && range[0] >= 0; range += 2)
            for (int32_t node = range[0]; node <= range[1]; node++)
                if (in_ranges(partition->node_inx, node)) not_judged(scheduler, "a reservation holds some of the nodes");
    slurm_free_reservation_info_msg(reservations);
}

static bool release(struct held *held) {
    job_desc_msg_t change;
    job_array_resp_msg_t *answer = NULL;
    bool good;
    slurm_init_job_desc_msg(&change);
    change.job_id_str = held->name;
    change.priority = INFINITE; /* whatever Slurm's priority plugin says */
    good = slurm_update_job2(&change, &answer) == SLURM_SUCCESS;
    if (answer != NULL) slurm_free_job_array_resp(answer);
    if (!good) say("JobId=%s cannot be released: %s", held->name, slurm_strerror(errno));
    return good;
}

/* Judges those behind the head job, and releases the accepted ones. */
static int overtake(struct scheduler *scheduler, int32_t head) {
    struct pool *pool = &scheduler->pool;
    struct decision decision;
    bool limits = scheduler->limits_only || scheduler->settings.mode == MODE_LIMITS;
    const char *accepted = scheduler->settings.mode == MODE_SHADOW ? "would start" : "start";
    int released = 0;
    pool->candidate_count = 0;
    for (int32_t i = head + 1; i < scheduler->held_count && pool->candidate_count < scheduler->settings.depth; i++)
        if (!pool_add_candidate(pool, &(struct candidate){.facts = scheduler->held[i].facts, .place = i})) return 0;
    if (scheduler->spent_for != pool->head.id) {
        scheduler->spent_for = pool->head.id;
        scheduler->spent = 0;
    }
    for (;;) {
        decide(scheduler->decider, &scheduler->settings, limits ? NULL : scheduler->beliefs, scheduler->spent, pool,
               &decision);
        if (decision.outcome != OUTCOME_ERROR || limits) break;
        say("%s; from here on only time limits count (EASY)", decision.message);
        scheduler->limits_only = limits = true;
    }
    for (int32_t i = 0; i < pool->candidate_count; i++) {
        const struct verdict *judged = &pool->candidates[i].judged;
        if (judged->verdict == SUREFILL_VERDICT_DOES_NOT_FIT || judged->verdict == SUREFILL_VERDICT_UNDECIDED) continue;
        say("decision: JobId=%s head=%lld %s %s%.4f: %s", scheduler->held[pool->candidates[i].place].name,
            (long long)pool->head.id, surefill_name(SUREFILL_NAME_CRITERION, scheduler->settings.criterion),
            delay_sign(judged->exactness), judged->delay,
            judged->verdict == SUREFILL_VERDICT_ACCEPTED ? accepted : "wait");
    }
    for (int32_t i = 0; i < decision.accepted_count && scheduler->settings.mode != MODE_SHADOW; i++) {
        const struct candidate *candidate = &pool->candidates[decision.accepted[i]];
        if (!release(&scheduler->held[candidate->place])) break; /* those behind it were judged as if it ran */
        scheduler->spent += candidate->judged.delay;
        delays_overtook(beliefs_delays(scheduler->beliefs), pool, scheduler->settings.criterion, candidate);
        if (candidate->judged.missing > 0)
            say("JobId=%s has overtaken the head job: predicted %.6g, told %.6g", scheduler->held[candidate->place].name,
                candidate->judged.predicted, candidate->judged.told);
        released++;
    }
    return released;
}

/* Jobs on nodes that are being drained, or down, hold more than what is in service. */
static void check_sum(struct scheduler *scheduler) {
    int32_t held = scheduler->pool.idle;
    for (int32_t i = 0; i < scheduler->pool.running_count; i++) held += scheduler->pool.running[i].nodes;
    if (held > scheduler->pool.nodes) not_judged(scheduler, "jobs hold nodes out of service");
}

static const partition_info_t *find_partition(const partition_info_msg_t *partitions, const char *name) {
    for (uint32_t i = 0; i < partitions->record_count; i++)
        if (same(partitions->partition_array[i].name, name)) return &partitions->partition_array[i];
    return NULL;
}

static bool schedule(struct scheduler *scheduler, const partition_info_msg_t *partitions, const node_info_msg_t *nodes,
                     const job_info_msg_t *jobs) {
    const partition_info_t *partition = find_partition(partitions, scheduler->partition);
    int64_t now = (int64_t)time(NULL);
    int32_t head = 0;
    int overtaken = 0, refused = 0;
    scheduler->unjudged[0] = '\0';
    scheduler->pool.now = now;
    if (partition == NULL) {
        say("there is no partition %s", scheduler->partition);
        return false;
    }
    if (!keep_books(scheduler->books, scheduler->beliefs, jobs, held_by_others, now)) return false;
    count_nodes(scheduler, partition, nodes);
    for (uint32_t i = 0; i < partitions->record_count; i++)
        if (&partitions->partition_array[i] != partition &&
            common_nodes(partitions->partition_array[i].node_inx, partition->node_inx, (int32_t)nodes->record_count) > 0)
            not_judged(scheduler, "another partition has some of the nodes");
    if (!sort_jobs(scheduler, partition, jobs, (int32_t)nodes->record_count, now)) return false;
    while (head < scheduler->held_count && scheduler->held[head].facts.nodes <= scheduler->pool.idle) {
        if (!release(&scheduler->held[head])) { /* it must not stop the others; next time it is asked for again */
            if (++refused == MOST_REFUSED) return true;
            memmove(&scheduler->held[head], &scheduler->held[head + 1],
                    (size_t)(--scheduler->held_count - head) * sizeof *scheduler->held);
            continue;
        }
        scheduler->pool.idle -= scheduler->held[head].facts.nodes;
        if (!add_running(scheduler, scheduler->held[head].job, scheduler->held[head].facts.nodes, false, 0)) return false;
        head++;
    }
    if (head + 1 < scheduler->held_count && scheduler->pool.idle > 0) {
        scheduler->pool.head = scheduler->held[head].facts;
        check_head(scheduler, scheduler->held[head].job, partition);
        check_sum(scheduler);
        if (scheduler->unjudged[0] == '\0')
            overtaken = overtake(scheduler, head);
        else
            say("JobId=%s waits, nobody overtakes it: %s", scheduler->held[head].name, scheduler->unjudged);
    }
    if (head + overtaken > 0)
        say("released %d in order, %d ahead of JobId=%s", (int)head, overtaken,
            overtaken > 0 ? scheduler->held[head].name : "none");
    return true;
}

/* One look at everything, and what follows from it. */
static bool cycle(struct scheduler *scheduler) {
    partition_info_msg_t *partitions = NULL;
    node_info_msg_t *nodes = NULL;
    job_info_msg_t *jobs = NULL;
    bool good = slurm_load_partitions((time_t)0, &partitions, SHOW_ALL) == SLURM_SUCCESS &&
                slurm_load_node((time_t)0, &nodes, SHOW_ALL) == SLURM_SUCCESS &&
                slurm_load_jobs((time_t)0, &jobs, SHOW_ALL | SHOW_DETAIL) == SLURM_SUCCESS;
    if (!good)
        say("slurmctld does not answer: %s", slurm_strerror(errno));
    else
        good = schedule(scheduler, partitions, nodes, jobs);
    if (partitions != NULL) slurm_free_partition_info_msg(partitions);
    if (nodes != NULL) slurm_free_node_info_msg(nodes);
    if (jobs != NULL) slurm_free_job_info_msg(jobs);
    return good;
}

/* --- The lock file --- */

/* The time as the lock file shows it: so long job_submit.lua believes that somebody will release what it holds. */
static void show_life(const struct scheduler *scheduler, int64_t until) {
    char line[64];
    int length = snprintf(line, sizeof line, "%10ld %20lld\n", (long)getpid(), (long long)until);
    if (pwrite(scheduler->lock, line, (size_t)length, 0) != length)
        say("%s: cannot be written: %s", scheduler->lock_file, strerror(errno));
}

/* One scheduler a partition. fcntl's locks end with their process, however it ends. */
static bool lock(struct scheduler *scheduler, const char *file) {
    struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET}, holder = whole;
    slurm_conf_t *conf = NULL;
    if (file != NULL) {
        snprintf(scheduler->lock_file, sizeof scheduler->lock_file, "%s", file);
    } else {
        if (slurm_load_ctl_conf((time_t)0, &conf) != SLURM_SUCCESS) {
            fprintf(stderr, "slurmctld does not answer: %s\n", slurm_strerror(errno));
            return false;
        }
        snprintf(scheduler->lock_file, sizeof scheduler->lock_file, "/run/surefill-slurm-%.100s-%.100s.lock",
                 conf->cluster_name, scheduler->partition);
        slurm_free_ctl_conf(conf);
    }
    scheduler->lock = open(scheduler->lock_file, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0644);
    if (scheduler->lock < 0) {
        fprintf(stderr, "%s: cannot be opened: %s\n", scheduler->lock_file, strerror(errno));
        return false;
    }
    if (fcntl(scheduler->lock, F_SETLK, &whole) == 0) return true;
    if (fcntl(scheduler->lock, F_GETLK, &holder) == 0 && holder.l_type != F_UNLCK)
        fprintf(stderr, "%s: process %ld schedules partition %s\n", scheduler->lock_file, (long)holder.l_pid,
                scheduler->partition);
    else
        fprintf(stderr, "%s: cannot be locked: %s\n", scheduler->lock_file, strerror(errno));
    close(scheduler->lock);
    scheduler->lock = -1;
    return false;
}

/* --- The end --- */

/* Releases every job of the partition that job_submit.lua has held, so that Slurm's own loop starts them. */
static bool release_all(const struct scheduler *scheduler) {
    job_info_msg_t *jobs = NULL;
    int released = 0, failed = 0;
    if (slurm_load_jobs((time_t)0, &jobs, SHOW_ALL | SHOW_DETAIL) != SLURM_SUCCESS) {
        say("slurmctld does not answer: %s", slurm_strerror(errno));
        return false;
    }
    for (uint32_t i = 0; i < jobs->record_count; i++) {
        const slurm_job_info_t *job = &jobs->job_array[i];
        struct held held = {.job = job};
        if (base_state(job) != JOB_PENDING || job->priority != 0 || !same(job->partition, scheduler->partition) ||
            !same(job->admin_comment, TAG) || same(job->comment, STAY))
            continue;
        snprintf(held.name, NAME, "%u", job->array_job_id != 0 && job->array_task_str != NULL ? job->array_job_id
                                                                                                : job->job_id);
        if (release(&held))
            released++;
        else
            failed++;
    }
    slurm_free_job_info_msg(jobs);
    say("released all that was held in partition %s: %d jobs%s", scheduler->partition, released,
        failed > 0 ? ", but not all of them" : "");
    return failed == 0;
}

static int usage(void) {
    fprintf(stderr, "surefill-slurm [-p PARTITION] [-s STATE_FILE] [-l LOCK_FILE] [-k] [-1] [surefill_tau=X,...]\n"
                    "surefill-slurm [-p PARTITION] --release-all\n");
    return 2;
}

int main(int argc, char **argv) {
    static const struct option names[] = {{"release-all", no_argument, NULL, 'r'},
                                          {"keep-held", no_argument, NULL, 'k'},
                                          {NULL, 0, NULL, 0}};
    struct scheduler scheduler = {.partition = "main", .lock = -1};
    const char *lock_file = NULL;
    char message[MESSAGE];
    bool once = false, stays = false, only_release = false, good = true;
    int option;
    double saved = 0;
    while ((option = getopt_long(argc, argv, "p:s:l:1k", names, NULL)) != -1) {
        switch (option) {
        case 'p': scheduler.partition = optarg; break;
        case 's': scheduler.state_file = optarg; break;
        case 'l': lock_file = optarg; break;
        case '1': once = true; break;
        case 'k': stays = true; break;
        case 'r': only_release = true; break;
        default: return usage();
        }
    }
    if (argc - optind > 1 || !settings_all_ours(argv[optind])) return usage();
    settings_defaults(&scheduler.settings);
    if (!settings_read(&scheduler.settings, argv[optind], message, sizeof message)) {
        fprintf(stderr, "%s\n", message);
        return 2;
    }
    stop_on_signals();
    slurm_init(NULL);
    if (only_release) { /* whether or not a scheduler runs: an emergency */
        good = release_all(&scheduler);
        slurm_fini();
        return good ? 0 : 1;
    }
    if (!lock(&scheduler, lock_file)) return 1;
    scheduler.beliefs = beliefs_make(scheduler.settings.predictor);
    scheduler.books = books_make();
    scheduler.decider = decider_make();
    if (scheduler.beliefs == NULL || scheduler.books == NULL || scheduler.decider == NULL) {
        fprintf(stderr, "no memory\n");
        return 1;
    }
    if (!remember(scheduler.state_file, scheduler.beliefs, scheduler.books)) return 1;
    do {
        double interval = scheduler.settings.interval;
        if (!once) show_life(&scheduler, (int64_t)time(NULL) + (int64_t)interval + LIFE);
        good = cycle(&scheduler);
        beliefs_train(scheduler.beliefs, 0.1);
        saved += interval;
        if (saved >= scheduler.settings.save || once) {
            saved = 0;
            keep(scheduler.state_file, scheduler.beliefs, scheduler.books, &scheduler.saved);
        }
        if (!once) sleep_seconds(interval);
    } while (!once && !asked_to_stop());
    keep(scheduler.state_file, scheduler.beliefs, scheduler.books, &scheduler.saved);
    if (!once && !stays) {
        show_life(&scheduler, 0); /* from now on nothing is held at submission */
        release_all(&scheduler);
    }
    slurm_fini();
    free(scheduler.held);
    pool_free(&scheduler.pool);
    decider_free(scheduler.decider);
    books_free(scheduler.books);
    beliefs_free(scheduler.beliefs);
    return once && !good ? 1 : 0;
}
