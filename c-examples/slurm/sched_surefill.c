/* sched/surefill: a scheduler plugin for Slurm. The scheduler of surefill.h plans the whole queue by predicted run
 * times; Slurm's own tests have the last word for every start.
 *
 * This file: the symbols slurmctld asks for, the thread, and the cycle. A cycle gathers under slurmctld's locks,
 * decides without them, and starts under them after each offer has been checked again.
 *
 * Licence: GPL-2.0-or-later, because it is built from slurmctld's own headers. */
#include "cluster.h"

#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char plugin_name[] = "Plan-based backfill scheduler";
const char plugin_type[] = "sched/surefill";
const uint32_t plugin_version = SLURM_VERSION_NUMBER;

int init(void);
void fini(void);
int sched_p_reconfig(void);

enum { ATTEMPTS = 3, MESSAGE = 300, PATH = 4096 };
static const double LOOK = 0.05;  /* seconds between two looks at whether something has happened */
static const double ENDING = 2;   /* seconds after that for which nodes being cleaned up are waited for closely */
static const double PLANNING = 5; /* seconds between two plans that are made for starts alone */
static const double REST = 4;     /* a cycle begins at the earliest after this many times the time for which the last has held the locks */

static pthread_t thread;
static bool running;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of the two below */
static pthread_cond_t wake = PTHREAD_COND_INITIALIZER;
static bool stopping, reconfigured;

/* Changes in slurmctld after which there may be something to start: its counters at once, its times of change,
 * which have a resolution of a second, for all else (a release, a node that is back). They are looked at without a
 * lock: what is missed is seen at the next look. */
struct events {
    uint32_t submitted, completed, cancelled, failed;
};

/* The two ways to decide: by the settings, or by limits alone; and that the scheduler is configured for neither. */
enum rule { BY_NOTHING, BY_SETTINGS, BY_LIMITS };

struct plugin {
    struct engine engine;
    struct cluster cluster;
    struct pace pace;
    struct words words;     /* of SchedulerParameters */
    struct words good;      /* the last ones that could be used */
    char *parameters;       /* SchedulerParameters, when they were read last */
    char state_file[PATH];
    char refused[MESSAGE];  /* why the parameters cannot be used; empty when they can */
    bool limits_only;       /* after an error, until the next reconfiguration */
    bool alone;             /* the scheduler cannot decide: jobs start in Slurm's order, as far as they find their nodes */
    enum rule rule;         /* the one that the scheduler is configured for */
    bool not_to_be_saved;   /* the state file is one that cannot be read now */
    double last_save;
    bool decide_all;        /* the next cycle decides on every pool, whether or not anything has happened there */
    int32_t turn;           /* the pool of the next forecast */
    double planned;         /* when starts were last predicted by a plan, by clock_seconds() */
    struct events events;   /* at the beginning of the last cycle */
    time_t looked;          /* when that was */
    double stirred;         /* when something had last happened since such a look */
    double wakes;           /* when the scheduler wants a cycle, by clock_seconds() */
};

/* --- Settings --- */

static void fall_back(struct plugin *plugin, const char *why) {
    if (!plugin->limits_only) error("surefill: %s; from here on only time limits count (EASY)", why);
    plugin->limits_only = true;
}

/* The words of a rule: the settings', or EASY with the rest of them. */
static const char *words_of(const struct plugin *plugin, enum rule rule, char *text) {
    snprintf(text, WORDS + 32, "%s%s%s", plugin->words.scheduler, plugin->words.scheduler[0] == '\0' ? "" : ",",
             rule == BY_LIMITS ? "surefill_preset=easy" : plugin->words.shadow ? "surefill_mode=shadow" : "surefill_mode=on");
    return text;
}

/* The scheduler decides by this rule from now on. */
static bool follow(struct plugin *plugin, enum rule rule, char *message) {
    char text[WORDS + 32];
    struct pace pace;
    plugin->cluster.strict = engine_has(&plugin->engine, "preset=easy");
    if (plugin->rule == rule) return true;
    if (!engine_configure(&plugin->engine, words_of(plugin, rule, text), &pace, message, MESSAGE)) return false;
    plugin->rule = rule;
    plugin->cluster.strict = engine_has(&plugin->engine, "preset=easy");
    return true;
}

/* The settings in effect, for all to see. */
static void tell_settings(struct plugin *plugin) {
    char in_effect[WORDS], message[MESSAGE];
    (void)follow(plugin, plugin->limits_only || plugin->words.limits ? BY_LIMITS : BY_SETTINGS, message);
    surefill_scheduler_words(plugin->engine.scheduler, in_effect, sizeof in_effect);
    info("surefill: mode %s, a cycle every %g s, saved every %g s, starts every %g s, locks held for %g s: %s",
         plugin->limits_only || plugin->words.limits ? "limits" : plugin->words.shadow ? "shadow" : "on", plugin->pace.interval,
         plugin->pace.save, plugin->pace.starts, plugin->cluster.locked, in_effect);
}

/* Words that cannot be used are said once, and only limits count until the next reconfiguration. */
static void refuse_settings(struct plugin *plugin, const char *message) {
    const bool known = strcmp(plugin->refused, message) == 0; /* slurmctld also reconfigures us when it has just started */
    snprintf(plugin->refused, sizeof plugin->refused, "%s", message);
    if (!known) fall_back(plugin, message);
    plugin->limits_only = true;
    plugin->words = plugin->good; /* the rest of the last ones that could be used: the predictor stays */
    plugin->words.shadow = false;
}

static void read_settings(struct plugin *plugin) {
    slurmctld_lock_t locks = {.conf = READ_LOCK};
    char message[MESSAGE] = "", text[WORDS + 32];
    char *parameters;
    double point = 0; /* seconds of age that earn a point */
    bool same;
    lock_slurmctld(locks);
    parameters = xstrdup(slurm_conf.sched_params != NULL ? slurm_conf.sched_params : "");
    snprintf(plugin->state_file, sizeof plugin->state_file, "%s/surefill_state", slurm_conf.state_save_location);
    if (xstrcmp(slurm_conf.priority_type, "priority/multifactor") == 0 && slurm_conf.priority_weight_age > 0)
        point = (double)slurm_conf.priority_max_age / slurm_conf.priority_weight_age;
    unlock_slurmctld(locks);
    same = plugin->parameters != NULL && strcmp(parameters, plugin->parameters) == 0;
    if (!same) words_note(parameters);
    xfree(plugin->parameters);
    plugin->parameters = parameters;
    plugin->limits_only = false;
    errno = 0;
    if (!words_take(&plugin->words, parameters, point, message, sizeof message))
        refuse_settings(plugin, message);
    else if (plugin->engine.scheduler != NULL &&
             !engine_configure(&plugin->engine, words_of(plugin, BY_SETTINGS, text), &plugin->pace, message, sizeof message) &&
             errno != ENOMEM) /* without memory the settings stay as they were */
        refuse_settings(plugin, message);
    else
        plugin->refused[0] = '\0';
    if (plugin->refused[0] == '\0' && plugin->engine.scheduler != NULL) plugin->good = plugin->words;
    plugin->cluster.locked = plugin->words.locked;
    plugin->cluster.by_points = plugin->words.by_points;
    plugin->rule = plugin->refused[0] == '\0' ? BY_SETTINGS : BY_NOTHING;
    if (!same && plugin->engine.scheduler != NULL) tell_settings(plugin);
}

/* --- The state file --- */

static void save(struct plugin *plugin) {
    char message[MESSAGE];
    surefill_totals totals = {.struct_size = sizeof totals};
    plugin->last_save = clock_seconds();
    if (surefill_scheduler_totals(plugin->engine.scheduler, &totals) == SUREFILL_OK)
        debug("surefill: books: %ld submitted, %ld started, %ld ended, %ld withdrawn; %ld waiting, %ld running; %ld refused by Slurm; learnt "
              "from %ld jobs",
              (long)totals.submitted, (long)totals.started, (long)totals.ended, (long)totals.withdrawn, (long)totals.waiting,
              (long)totals.running, (long)totals.refused, (long)totals.ended);
    /* A file that could not be read is not replaced while it is there. */
    plugin->not_to_be_saved &= access(plugin->state_file, F_OK) == 0;
    if (!plugin->not_to_be_saved && !engine_save(&plugin->engine, plugin->state_file, message, sizeof message))
        error("surefill: state not saved: %s", message);
}

/* --- Decisions --- */

/* The name of a pool for people: that of its first partition. */
static const char *pool_name(const struct cluster *cluster, int32_t pool) {
    for (int32_t i = 0; i < cluster->partition_count; i++)
        if (cluster->partitions[i].pool == pool) return cluster->partitions[i].name;
    return "";
}

struct decided {
    int32_t offered, started, backfilled, refused, withdrawn;
};

/* Collects what the scheduler offers now. In the shadow mode it is said alone. */
static int32_t collect(struct plugin *plugin, surefill_cycle *cycle, struct offer **offers, int32_t *count) {
    struct cluster *cluster = &plugin->cluster;
    surefill_action action;
    int32_t status, offered = 0, room_for = 0;
    *offers = NULL;
    while ((status = engine_next(&plugin->engine, cycle, &action)) == SUREFILL_OK && action.step < SUREFILL_ACT_DONE) {
        struct offer *offer;
        if (action.step == SUREFILL_ACT_WOULD_START) {
            if (action.head != 0)
                info("surefill: shadow: JobId=%u would start now, ahead of JobId=%u", (uint32_t)action.job, (uint32_t)action.head);
            else
                info("surefill: shadow: JobId=%u would start now", (uint32_t)action.job);
            continue;
        }
        if (action.step != SUREFILL_ACT_START) continue;
        if (offered == room_for) {
            room_for = room_for > 0 ? 2 * room_for : 16;
            xrecalloc(*offers, (size_t)room_for, sizeof **offers);
        }
        offer = &(*offers)[offered];
        *offer = (struct offer){.action = action};
        offer->parts = xcalloc((size_t)cluster->node_count + 1, sizeof *offer->parts);
        status = surefill_cycle_parts(cycle, action.number, offer->parts, cluster->node_count, &offer->part_count);
        offered++;
        if (status != SUREFILL_OK) break;
    }
    *count = offered;
    return status;
}

static void free_offers(struct offer *offers, int32_t count) {
    for (int32_t i = 0; i < count; i++) xfree(offers[i].parts);
    xfree(offers);
}

/* Decides a pool, and carries it out; after a refusal once more. */
static bool decide(struct plugin *plugin, int32_t pool, struct decided *done, char *message) {
    struct cluster *cluster = &plugin->cluster;
    surefill_cycle *cycle = NULL;
    int32_t status = engine_begin(&plugin->engine, pool, cluster->now, &cycle);
    for (int attempt = 0; attempt < ATTEMPTS && status == SUREFILL_OK; attempt++) {
        struct carried carried = {0};
        struct offer *offers;
        int32_t count;
        status = collect(plugin, cycle, &offers, &count);
        if (status == SUREFILL_OK && count > 0) carried = cluster_carry_out(cluster, &plugin->engine, cycle, offers, count);
        free_offers(offers, count);
        done->offered += count;
        done->started += carried.started;
        done->backfilled += carried.backfilled;
        done->refused += carried.refused;
        done->withdrawn += carried.withdrawn;
        if (carried.refused == 0 || cluster->timing.cut_short) break;
    }
    status = engine_close(&plugin->engine, cycle, status);
    if (status == SUREFILL_OK) return true;
    snprintf(message, MESSAGE, "%s: no decision: %s", pool_name(cluster, pool), surefill_status_text(status));
    return false;
}

/* Decides by this rule the pools that want it. False, and a message, when one cannot be decided. */
static bool decide_all(struct plugin *plugin, enum rule rule, int64_t pools, struct decided *done, char *message) {
    bool good = pools == 0 || follow(plugin, rule, message);
    for (int32_t pool = 0; pool < POOLS && good; pool++)
        if ((pools >> pool & 1) != 0) good = decide(plugin, pool, done, message);
    return good;
}

/* Says when decisions cannot be made, for want of memory above all, and when they are made again. */
static void note_alone(struct plugin *plugin, bool alone, const char *why) {
    if (alone && !plugin->alone)
        error("surefill: %s; until that is over jobs start in order of priority alone", why);
    else if (!alone && plugin->alone)
        info("surefill: decisions are made again");
    plugin->alone = alone;
    plugin->decide_all |= alone;
}

/* The starts by a plan, where scenarios do not say more: in pools whose nodes jobs share, and of jobs that have come
 * since the last scenarios (missing). */
static int32_t note_planned(struct plugin *plugin, int32_t pool, bool missing) {
    struct cluster *cluster = &plugin->cluster;
    surefill_cycle *plan;
    int32_t reported = 0;
    if (!engine_plan(&plugin->engine, pool, cluster->now, &plan)) return 0;
    for (int32_t i = 0; i < cluster->row_count; i++) {
        struct row *row = &cluster->rows[i];
        int64_t start;
        if (row->order < 0 || row->said.queue_count == 0 || cluster->partitions[row->places[0]].pool != pool) continue;
        if (missing && row->expected != 0) continue;
        if (surefill_cycle_planned(plan, plugin->engine.scheduler, row->said.id, &start) != SUREFILL_OK) continue;
        row->expected = start;
        reported++;
    }
    return reported;
}

/* The starts of waiting jobs, pool after pool: by scenarios, or by a plan. */
static void foresee(struct plugin *plugin) {
    struct cluster *cluster = &plugin->cluster;
    int32_t reported = 0, waiting[POOLS] = {0}, pools = 0, pool, lacking = -1;
    char news[MESSAGE];
    for (int32_t i = 0; i < cluster->row_count; i++) {
        const struct row *row = &cluster->rows[i];
        if (row->order < 0 || row->said.queue_count == 0 || row->said.state != SUREFILL_JOB_WAITING) continue;
        pool = cluster->partitions[row->places[0]].pool;
        pools += waiting[pool]++ == 0;
        if (row->expected == 0) lacking = pool;
    }
    if (pools == 0 || plugin->pace.starts <= 0) return;
    for (int i = 0; i < POOLS && waiting[plugin->turn] == 0; i++) plugin->turn = (plugin->turn + 1) % POOLS;
    pool = plugin->turn;
    if (!engine_foresee(&plugin->engine, pool, cluster->now, plugin->pace.starts / pools)) {
        const bool played = plugin->engine.starts != NULL; /* there are scenarios, of this pool or another */
        if ((played && (lacking < 0 || !plugin->engine.played)) || clock_seconds() - plugin->planned < PLANNING) return;
        plugin->planned = clock_seconds();
        if (played)
            pool = lacking;
        else
            plugin->turn = (pool + 1) % POOLS;
        reported = note_planned(plugin, pool, played);
        debug("surefill: %s: planned starts of %d waiting jobs", pool_name(cluster, pool), reported);
        return;
    }
    pool = plugin->engine.foreseen_pool;
    plugin->turn = (pool + 1) % POOLS;
    for (int32_t i = 0; i < cluster->row_count; i++) {
        struct row *row = &cluster->rows[i];
        surefill_start start;
        if (row->order < 0 || row->said.state != SUREFILL_JOB_WAITING || !engine_expects(&plugin->engine, row->said.id, &start)) continue;
        row->expected = engine_by(&start, 3); /* three of four such jobs have started by then */
        if (row->expected == 0) row->expected = UNKNOWN_START;
        reported++;
    }
    debug("surefill: %s: expected starts of %d waiting jobs", pool_name(cluster, pool), reported);
    if (engine_forecast_news(&plugin->engine, news, sizeof news)) info("surefill: %s: %s", pool_name(cluster, pool), news);
}

/* --- Events --- */

static struct events events_now(void) {
    return (struct events){.submitted = slurmctld_diag_stats.jobs_submitted,
                           .completed = slurmctld_diag_stats.jobs_completed,
                           .cancelled = slurmctld_diag_stats.jobs_canceled,
                           .failed = slurmctld_diag_stats.jobs_failed};
}

/* A time of change that is the second of the look may hide changes after it: these count when that second is over. */
static bool changed_since(time_t change, time_t look) { return change > look || (change == look && time(NULL) > look); }

static bool anything_since(const struct events *then, time_t look) {
    struct events now = events_now();
    return memcmp(&now, then, sizeof now) != 0 || changed_since(last_job_update, look) ||
           changed_since(last_node_update, look) || changed_since(last_part_update, look) ||
           changed_since(last_resv_update, look);
}

/* --- The cycle --- */

enum next { NEXT_SLEEP, NEXT_AGAIN, NEXT_STOP };

static enum next cycle(struct plugin *plugin) {
    struct cluster *cluster = &plugin->cluster;
    const double begun = clock_seconds();
    const bool limits = plugin->limits_only || plugin->words.limits;
    struct decided done = {0}, shadow = {0};
    char message[MESSAGE] = "";
    double gathered, working;
    int64_t when = 0, pools = 0;
    int32_t status;
    bool again, good;
    plugin->looked = time(NULL);
    plugin->events = events_now();
    cluster_gather(cluster, plugin->alone);
    if (cluster->foreign) {
        error("surefill: slurmctld's jobs cannot be read, this was built for another Slurm: the plugin stops here");
        return NEXT_STOP;
    }
    gathered = clock_seconds();
    good = cluster_report(cluster, &plugin->engine, message, sizeof message);
    status = surefill_scheduler_wake(plugin->engine.scheduler, cluster->now, &when, &pools);
    if (status != SUREFILL_OK || when > cluster->now) pools = 0;
    if (plugin->decide_all || (plugin->words.shadow && pools != 0)) pools |= (INT64_C(1) << cluster->pool_count) - 1;
    plugin->decide_all = cluster->completing;
    if (good && !cluster->completing) {
        good = decide_all(plugin, limits || plugin->words.shadow ? BY_LIMITS : BY_SETTINGS, pools, &done, message);
        if (good && plugin->words.shadow && !limits) good = decide_all(plugin, BY_SETTINGS, pools, &shadow, message);
    }
    note_alone(plugin, !good, message);
    /* There may have been more offers than a cycle has room for; the plans that are made for starts alone would have it
     * forgotten. */
    if (surefill_scheduler_wake(plugin->engine.scheduler, cluster->now, &when, &pools) == SUREFILL_OK && when <= cluster->now)
        plugin->decide_all = true;
    foresee(plugin);
    cluster_tell(cluster);
    if (engine_trouble(&plugin->engine, message, sizeof message) != NULL) error("surefill: %s", message);
    again = done.withdrawn > 0 && !cluster->timing.cut_short; /* else slurmctld has waited long enough for its locks */
    plugin->decide_all |= done.withdrawn > 0;
    plugin->wakes = 0;
    if (surefill_scheduler_wake(plugin->engine.scheduler, cluster->now, &when, &pools) == SUREFILL_OK)
        plugin->wakes = clock_seconds() + fmax(1, (double)(when - cluster->now));
    if (plugin->decide_all) plugin->wakes = clock_seconds() + 1;
    working = clock_seconds() - begun;
    cluster_count_cycle(cluster, working, done.offered);
    debug("surefill: cycle: %ld pending, %d started by Slurm's own test, %d in order, %d backfilled; %d refused, %d withdrawn; %.2f ms, "
          "of them %.2f ms in Slurm's own calls, %.2f ms locked (%.2f at a time), %.2f ms gathering%s",
          (long)cluster->pending, cluster->started, done.started - done.backfilled, done.backfilled, done.refused, done.withdrawn,
          1e3 * working,
          1e3 * cluster->timing.slurm_seconds, 1e3 * cluster->timing.locked_seconds, 1e3 * cluster->timing.longest_locked,
          1e3 * (gathered - begun), again ? "; to be decided again" : "");
    if (clock_seconds() - plugin->last_save >= plugin->pace.save) save(plugin);
    return again ? NEXT_AGAIN : NEXT_SLEEP;
}

/* Sleeps for this number of seconds; true when slurmctld has called meanwhile. */
static bool sleep_for(double seconds) {
    struct timespec until;
    bool called;
    clock_gettime(CLOCK_MONOTONIC, &until); /* whatever happens to the time of day */
    until.tv_sec += (time_t)seconds;
    until.tv_nsec += (long)(1e9 * (seconds - floor(seconds)));
    if (until.tv_nsec >= 1000000000) {
        until.tv_sec++;
        until.tv_nsec -= 1000000000;
    }
    pthread_mutex_lock(&lock);
    while (!stopping && !reconfigured && pthread_cond_clockwait(&wake, &lock, CLOCK_MONOTONIC, &until) != ETIMEDOUT)
        continue;
    called = stopping || reconfigured;
    pthread_mutex_unlock(&lock);
    return called;
}

static bool is_stopping(void) {
    bool stop;
    pthread_mutex_lock(&lock);
    stop = stopping;
    pthread_mutex_unlock(&lock);
    return stop;
}

/* Sleeps until the next cycle is due: after the interval, or when something has happened, or while nodes are being
 * cleaned up after that, or when the last one was cut short, or when the scheduler wants one; but at least for four
 * times as long as the last cycle has held the locks. False when the plugin is to stop. */
static bool sleep_until_due(struct plugin *plugin) {
    const double interval = plugin->pace.interval, rest = fmax(LOOK, REST * plugin->cluster.timing.locked_seconds);
    const double begun = clock_seconds();
    double passed;
    while ((passed = clock_seconds() - begun) < interval && !sleep_for(fmin(LOOK, interval - passed))) {
        const bool ending = plugin->cluster.ending && clock_seconds() - plugin->stirred <= ENDING;
        const bool wanted = plugin->wakes > 0 && clock_seconds() >= plugin->wakes;
        if (anything_since(&plugin->events, plugin->looked))
            plugin->stirred = clock_seconds();
        else if (!ending && !wanted && !plugin->cluster.timing.cut_short)
            continue;
        if (clock_seconds() - begun >= rest) break;
    }
    return !is_stopping();
}

static bool take_reconfigured(void) {
    bool was;
    pthread_mutex_lock(&lock);
    was = reconfigured;
    reconfigured = false;
    pthread_mutex_unlock(&lock);
    return was;
}

/* Makes the scheduler. Without memory for it nothing starts, but it is asked for again. False when the plugin is to
 * stop. */
static bool make(struct plugin *plugin) {
    char message[MESSAGE], text[WORDS + 32];
    for (bool said = false; plugin->engine.scheduler == NULL;) {
        errno = 0;
        if (engine_make(&plugin->engine, engine_many_pools, words_of(plugin, BY_SETTINGS, text), &plugin->pace, message,
                        sizeof message))
            break;
        if (errno != ENOMEM && plugin->words.scheduler[0] != '\0') { /* it begins without them: good ones there are none */
            refuse_settings(plugin, message);
            continue;
        }
        if (!said) error("surefill: no memory: nothing starts until there is some");
        said = true;
        sleep_for(plugin->pace.interval);
        if (is_stopping()) return false;
        if (take_reconfigured()) read_settings(plugin);
    }
    if (plugin->refused[0] == '\0') plugin->good = plugin->words;
    plugin->rule = plugin->refused[0] == '\0' ? BY_SETTINGS : BY_NOTHING;
    tell_settings(plugin);
    return true;
}

/* Like make, it waits for memory: a good file is worth waiting for. */
static bool load(struct plugin *plugin) {
    char message[MESSAGE];
    surefill_totals totals = {.struct_size = sizeof totals};
    enum engine_opened opened = ENGINE_FAILED;
    for (bool said = false;; said = true) {
        errno = 0;
        opened = engine_open(&plugin->engine, plugin->state_file, message, sizeof message);
        if (opened != ENGINE_FAILED || errno != ENOMEM) break;
        if (!said) error("surefill: %s: nothing starts until there is some", message);
        sleep_for(plugin->pace.interval);
        if (is_stopping()) return false;
        if (take_reconfigured()) read_settings(plugin);
    }
    plugin->not_to_be_saved = opened == ENGINE_FAILED;
    if (opened == ENGINE_OPENED && surefill_scheduler_totals(plugin->engine.scheduler, &totals) == SUREFILL_OK)
        info("surefill: %s: learnt from %ld jobs", plugin->state_file, (long)totals.ended);
    else if (opened == ENGINE_NEW)
        info("surefill: %s: none yet", plugin->state_file);
    else
        error("surefill: %s", message);
    return true;
}

static void *agent(void *nothing) {
    struct plugin *plugin = xcalloc(1, sizeof *plugin);
    enum next next = NEXT_SLEEP;
    (void)nothing;
    plugin->pace = (struct pace){.interval = 5, .save = 300, .starts = 60};
    plugin->good.locked = 0.1;
    cluster_begin(&plugin->cluster);
    read_settings(plugin);
    if (make(plugin) && load(plugin)) {
        plugin->last_save = clock_seconds();
        plugin->decide_all = true;
        while (next != NEXT_STOP && sleep_until_due(plugin)) {
            if (take_reconfigured()) {
                save(plugin);
                read_settings(plugin);
                cluster_begin(&plugin->cluster);
            }
            if (slurmctld_config.scheduling_disabled || slurmctld_config.shutdown_time || !fed_mgr_sibs_synced())
                continue;
            next = NEXT_AGAIN;
            for (int attempt = 0; attempt < ATTEMPTS && next == NEXT_AGAIN; attempt++) next = cycle(plugin);
            if (next == NEXT_AGAIN) debug("surefill: the jobs change faster than decisions are made");
        }
        if (next != NEXT_STOP) {
            save(plugin);
            cluster_forget_plans();
        }
    }
    cluster_free(&plugin->cluster);
    FREE_NULL_BITMAP(plugin->cluster.awaited);
    engine_free(&plugin->engine);
    xfree(plugin->parameters);
    xfree(plugin);
    return NULL;
}

/* --- What slurmctld calls --- */

int init(void) {
    if (running) return SLURM_SUCCESS;
    if (surefill_abi_version() != SUREFILL_ABI_VERSION) {
        error("surefill: linked with another library than it was compiled for");
        return SLURM_ERROR;
    }
    stopping = reconfigured = false;
    running = pthread_create(&thread, NULL, agent, NULL) == 0;
    if (!running) error("surefill: no thread");
    return running ? SLURM_SUCCESS : SLURM_ERROR;
}

void fini(void) {
    if (!running) return;
    pthread_mutex_lock(&lock);
    stopping = true;
    pthread_cond_signal(&wake);
    pthread_mutex_unlock(&lock);
    pthread_join(thread, NULL);
    running = false;
}

int sched_p_reconfig(void) {
    pthread_mutex_lock(&lock);
    reconfigured = true;
    pthread_cond_signal(&wake);
    pthread_mutex_unlock(&lock);
    return SLURM_SUCCESS;
}
