/* The engine's decisions from outside Slurm: a scheduler on libslurm's public functions alone. It cannot harm slurmctld
 * and survives Slurm's upgrades; a start takes about a second, and priorities are not known.
 *
 *   surefill-slurm [-p PARTITION] [-s STATE_FILE] [-l LOCK_FILE] [-k] [-1] [SETTINGS]
 *   surefill-slurm [-p PARTITION] --release-all
 *
 * SETTINGS are words such as "surefill_preset=fast,surefill_interval=2": README.md has them. -1 makes one cycle and
 * ends. Every job is held at submission (see job_submit.lua); this program releases it when it may start, and Slurm's
 * own loop starts it. When it is stopped it releases all it still holds, unless -k says that it will be back. The lock
 * file keeps a second one from the same partition, and shows job_submit.lua that the first one is alive. */
#define _POSIX_C_SOURCE 200809L
#include "daemon.h"
#include "look.h"

#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <slurm/slurm_errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

/* That slurmctld has released a job is not in doubt: one that it keeps back all the same holds no nodes. */
static const char SETTLED[] = "settle=0";
enum { MESSAGE = 300, NAME = 64, MOST_REFUSED = 10 };
enum { LIFE = 60 }; /* seconds beyond the next cycle for which job_submit.lua goes on holding jobs */

struct scheduler {
    struct engine engine;
    const char *partition, *state_file;
    double starts; /* seconds between forecasts of the waiting jobs' starts; 0 for none */
    char lock_file[300];
    int lock; /* open, and locked by us */
    struct look look;
    const struct row *head; /* the first that was submitted for which there is no room */
    bool unanswered;        /* the last cycle was broken off */
};

/* --- Reporting to the engine --- */

/* Decides which jobs may start in this cycle, by holding back all others. Where no job may overtake the first one
 * without room those before it may start alone, and the answer is why; else NULL. */
static const char *admit(struct scheduler *scheduler, int64_t now) {
    struct look *look = &scheduler->look;
    const char *why = NULL;
    int32_t room = look->idle, before = 0;
    scheduler->head = NULL;
    for (; before < look->startable && scheduler->head == NULL; before++) {
        struct row *row = &look->rows[before];
        int32_t fit = room / row->said.count;
        /* A job that asks for more nodes than there are must not keep all others back. */
        if (row->tasks == 0 || row->said.count > look->nodes || engine_refused_lately(&scheduler->engine, row->said.id, now)) continue;
        room -= row->said.count * (fit < row->tasks ? fit : row->tasks);
        if (fit >= row->tasks) continue;
        scheduler->head = row;
        why = look->unjudged != NULL ? look->unjudged : row->why;
        if (why != NULL) row->tasks = fit;
    }
    /* Behind a head job that counts, what does not count waits for its turn. */
    for (int32_t i = before; i < look->startable; i++)
        if (why != NULL || look->rows[i].why != NULL) look->rows[i].tasks = 0;
    return why;
}

static bool report_all(struct scheduler *scheduler, const job_info_msg_t *jobs, int64_t now) {
    const struct look *look = &scheduler->look;
    int32_t status = listing_begin(&scheduler->engine, look->nodes, look->idle, jobs, now);
    for (int32_t i = 0; i < look->count && status == SUREFILL_OK; i++) {
        const struct row *row = &look->rows[i];
        surefill_job said = row->said;
        if (row->startable && row->tasks == 0) {
            said.state = SUREFILL_JOB_HELD;
            said.why = SUREFILL_WHY_LIMIT;
        }
        if (said.tasks > 0) said.at_once = row->tasks;
        report(&scheduler->engine, &said, now);
    }
    if (status == SUREFILL_OK) status = listing_end(&scheduler->engine, now);
    return status == SUREFILL_OK;
}

/* --- Releasing --- */

/* Releases a job by what Slurm knows it by. Its answer may be one for each task. */
static bool release(const char *name) {
    job_desc_msg_t change;
    job_array_resp_msg_t *answer = NULL;
    char text[NAME], tag[] = TAG;
    bool good;
    int why;
    slurm_init_job_desc_msg(&change);
    snprintf(text, sizeof text, "%s", name);
    change.job_id_str = text;
    change.admin_comment = tag; /* without the sentence on its start */
    change.priority = INFINITE; /* whatever Slurm's priority plugin says */
    good = slurm_update_job2(&change, &answer) == SLURM_SUCCESS;
    why = errno;
    for (uint32_t i = 0; good && answer != NULL && i < answer->job_array_count; i++)
        if (answer->error_code[i] != SLURM_SUCCESS) {
            good = false;
            why = (int)answer->error_code[i];
        }
    if (answer != NULL) slurm_free_job_array_resp(answer);
    if (!good) say("JobId=%s cannot be released: %s", name, slurm_strerror(why));
    errno = why;
    return good;
}

/* The number by which Slurm knows a job: its own, or that of an array's next task, whose id in the engine it writes. */
static int64_t name_of(const struct row *row, char *name) {
    uint32_t task;
    if (waiting_tasks(row->job, row->released, &task) == 0 || task == NO_VAL) {
        snprintf(name, NAME, "%u", row->job->job_id);
        return row->said.id;
    }
    snprintf(name, NAME, "%u_%u", row->job->array_job_id, task);
    return task_id(row->job, task);
}

static struct row *find_row(const struct look *look, int64_t id) {
    for (int32_t i = 0; i < look->startable; i++)
        if (look->rows[i].said.id == id) return &look->rows[i];
    return NULL;
}

/* An offer. *lost: it is not the job that Slurm refuses, slurmctld does not answer. */
static int32_t answer(struct scheduler *scheduler, surefill_cycle *cycle, const surefill_action *offer, int64_t now,
                      bool *lost) {
    struct row *row = find_row(&scheduler->look, offer->job);
    const struct row *head = offer->head == 0 ? NULL : find_row(&scheduler->look, offer->head);
    char name[NAME], passed[NAME] = "";
    int64_t id;
    if (row != NULL) {
        id = name_of(row, name);
        if (head != NULL) name_of(head, passed);
        if (release(name)) {
            row->released++;
            say("JobId=%s released%s%s", name, head == NULL ? "" : ", ahead of JobId=", passed);
            return engine_started(&scheduler->engine, cycle, offer->number, id);
        }
        *lost = errno < ESLURM_INVALID_PARTITION_NAME; /* slurmctld's own refusals begin there */
        if (*lost) return SUREFILL_OK;
    }
    return engine_refused(&scheduler->engine, cycle, offer, SUREFILL_REFUSED_NOT_NOW, now);
}

static void say_shadow(const struct row *row) {
    char name[NAME];
    if (row == NULL) return;
    name_of(row, name);
    say("shadow: JobId=%s would be released now", name);
}

/* Releases what the engine offers. False when slurmctld cannot be asked any more, or the engine. */
static bool decide(struct scheduler *scheduler, int64_t now) {
    const uint32_t refused = scheduler->engine.refused;
    surefill_cycle *cycle = NULL;
    surefill_action action;
    int64_t when, pools;
    bool lost = false;
    int32_t status = surefill_scheduler_wake(scheduler->engine.scheduler, now, &when, &pools);
    const bool wanted = status != SUREFILL_ERROR_NEVER && (status != SUREFILL_OK || when <= now);
    if (!wanted && !scheduler->unanswered) return true;
    status = engine_begin(&scheduler->engine, 0, now, &cycle);
    while (status == SUREFILL_OK && !lost) {
        status = engine_next(&scheduler->engine, cycle, &action);
        if (status != SUREFILL_OK || action.step >= SUREFILL_ACT_DONE) break;
        if (action.step == SUREFILL_ACT_WOULD_START) say_shadow(find_row(&scheduler->look, action.job));
        if (action.step == SUREFILL_ACT_START) status = answer(scheduler, cycle, &action, now, &lost);
        if (scheduler->engine.refused - refused == MOST_REFUSED) lost = true;
    }
    status = engine_close(&scheduler->engine, cycle, status);
    if (status != SUREFILL_OK) say("no decision: %s", surefill_status_text(status));
    scheduler->unanswered = status != SUREFILL_OK || lost;
    return !scheduler->unanswered;
}

/* --- Predicted starts --- */

/* The admin comments of the jobs that are held here say when they are expected to start; each is written when that is
 * news. */
static void write_starts(struct scheduler *scheduler, int64_t now) {
    const struct look *look = &scheduler->look;
    char news[MESSAGE];
    int failures = 0;
    if (look->shadow || !engine_foresee(&scheduler->engine, 0, now, scheduler->starts)) return;
    if (engine_forecast_news(&scheduler->engine, news, sizeof news)) say("%s", news);
    for (int32_t i = 0; i < look->startable && failures < MOST_REFUSED; i++) {
        const struct row *row = &look->rows[i];
        job_desc_msg_t change;
        char name[NAME], text[MESSAGE];
        /* One sentence for all tasks of an array would be wrong for most. */
        if (!held_by_us(row->job) || row->released > 0 || row->job->array_job_id != 0 ||
            !engine_start(&scheduler->engine, row->said.id, now, row->job->admin_comment, text, sizeof text))
            continue;
        slurm_init_job_desc_msg(&change);
        snprintf(name, NAME, "%u", row->job->job_id);
        change.job_id_str = name;
        change.admin_comment = text;
        if (slurm_update_job(&change) == SLURM_SUCCESS) continue;
        /* One may have left meanwhile; when many cannot be written, nor will the others. */
        say("JobId=%s: no admin comment: %s", name, slurm_strerror(errno));
        failures++;
    }
}

/* --- A cycle --- */

static const partition_info_t *find_partition(const partition_info_msg_t *partitions, const char *name) {
    for (uint32_t i = 0; i < partitions->record_count; i++)
        if (same(partitions->partition_array[i].name, name)) return &partitions->partition_array[i];
    return NULL;
}

static bool schedule(struct scheduler *scheduler, const struct listed *listed) {
    const partition_info_t *partition = find_partition(listed->partitions, scheduler->partition);
    const int64_t now = (int64_t)time(NULL);
    struct look *look = &scheduler->look;
    const char *why;
    char trouble[MESSAGE];
    if (partition == NULL) {
        say("there is no partition %s", scheduler->partition);
        return false;
    }
    if (!look_at(look, listed, partition, now)) {
        say("no memory");
        return false;
    }
    why = admit(scheduler, now);
    if (!report_all(scheduler, listed->jobs, now) || !decide(scheduler, now)) return false;
    write_starts(scheduler, now);
    if (why != NULL && scheduler->head + 1 < look->rows + look->startable && look->idle > 0) {
        char name[NAME];
        name_of(scheduler->head, name);
        say("JobId=%s waits, nobody overtakes it: %s", name, why);
    }
    if (engine_trouble(&scheduler->engine, trouble, sizeof trouble) != NULL) say("%s", trouble);
    return true;
}

/* One look at everything, and what follows from it. */
static bool cycle(struct scheduler *scheduler) {
    struct listed listed = {.jobs = NULL};
    bool good = slurm_load_partitions((time_t)0, &listed.partitions, SHOW_ALL) == SLURM_SUCCESS &&
                slurm_load_node((time_t)0, &listed.nodes, SHOW_ALL) == SLURM_SUCCESS &&
                slurm_load_reservations((time_t)0, &listed.reservations) == SLURM_SUCCESS &&
                slurm_load_jobs((time_t)0, &listed.jobs, SHOW_ALL | SHOW_DETAIL) == SLURM_SUCCESS;
    if (!good)
        say("slurmctld does not answer: %s", slurm_strerror(errno));
    else
        good = schedule(scheduler, &listed);
    if (listed.partitions != NULL) slurm_free_partition_info_msg(listed.partitions);
    if (listed.nodes != NULL) slurm_free_node_info_msg(listed.nodes);
    if (listed.reservations != NULL) slurm_free_reservation_info_msg(listed.reservations);
    if (listed.jobs != NULL) slurm_free_job_info_msg(listed.jobs);
    return good;
}

/* --- The lock file --- */

/* Until then, as the lock file shows it, job_submit.lua counts on a program that releases what it holds. */
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
        free_conf(conf);
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
        const bool whole_array = job->array_job_id != 0 && job->array_task_str != NULL;
        char name[NAME];
        if (!held_by_us(job) || !same(job->partition, scheduler->partition)) continue;
        snprintf(name, NAME, "%u", whole_array ? job->array_job_id : job->job_id);
        if (release(name))
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
    fprintf(stderr, "surefill-slurm [-p PARTITION] [-s STATE_FILE] [-l LOCK_FILE] [-k] [-1] [surefill_preset=P,...]\n"
                    "surefill-slurm [-p PARTITION] --release-all\n");
    return 2;
}

int main(int argc, char **argv) {
    static const struct option names[] = {{"release-all", no_argument, NULL, 'r'},
                                          {"keep-held", no_argument, NULL, 'k'},
                                          {NULL, 0, NULL, 0}};
    struct scheduler scheduler = {.partition = "main", .lock = -1};
    struct pace pace;
    const char *lock_file = NULL;
    char message[MESSAGE];
    bool once = false, stays = false, only_release = false, shadow, good = true;
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
    if (argc - optind > 1) return usage();
    if (!engine_make(&scheduler.engine, engine_one_pool, argv[optind], &pace, message, sizeof message)) {
        fprintf(stderr, "%s\n", message);
        return errno == ENOMEM ? 1 : 2;
    }
    surefill_scheduler_configure(scheduler.engine.scheduler, SETTLED, sizeof SETTLED - 1, NULL, message, MESSAGE);
    scheduler.starts = pace.starts;
    shadow = scheduler.look.shadow = engine_has(&scheduler.engine, "mode=shadow");
    stop_on_signals();
    setenv("SLURM_BITSTR_LEN", "0", 1); /* libslurm names all tasks of an array */
    slurm_init(NULL);
    if (only_release) { /* whether or not a scheduler runs: an emergency */
        good = release_all(&scheduler);
        slurm_fini();
        return good ? 0 : 1;
    }
    if (!lock(&scheduler, lock_file)) return 1;
    if (!remember(scheduler.state_file, &scheduler.engine)) return 1;
    if (shadow) { /* nothing would release what is held */
        show_life(&scheduler, 0);
        release_all(&scheduler);
    }
    do {
        if (!once && !shadow) show_life(&scheduler, (int64_t)time(NULL) + (int64_t)pace.interval + LIFE);
        good = cycle(&scheduler);
        saved += pace.interval;
        if (saved >= pace.save) {
            saved = 0;
            keep(scheduler.state_file, &scheduler.engine);
        }
        if (!once) sleep_seconds(pace.interval);
    } while (!once && !asked_to_stop());
    keep(scheduler.state_file, &scheduler.engine);
    if (!once && !stays && !shadow) {
        show_life(&scheduler, 0); /* from now on nothing is held at submission */
        release_all(&scheduler);
    }
    slurm_fini();
    free(scheduler.look.rows);
    engine_free(&scheduler.engine);
    return once && !good ? 1 : 0;
}
