/* sched/surefill: a scheduler plugin for Slurm. Starts jobs in order of priority; others are let through when the
 * probability that they delay the job at the head is small enough (probabilistic backfilling, depth 1).
 *
 * This file: the symbols slurmctld asks for, the thread, and the cycle. A cycle gathers under slurmctld's locks,
 * decides without them, and starts under them after checking that nothing has changed.
 *
 * Licence: GPL-2.0-or-later, because it is built from slurmctld's own headers. */
#include "site.h"

#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "foretell.h"
#include "settings.h"
#include "share_foretell.h"
#include "share_pass.h"
#include "state.h"

const char plugin_name[] = "Probabilistic backfill scheduler";
const char plugin_type[] = "sched/surefill";
const uint32_t plugin_version = SLURM_VERSION_NUMBER;

int init(void);
void fini(void);
int sched_p_reconfig(void);

enum { ATTEMPTS = 3, MESSAGE = 300 };
static const double TRAINING = 0.1; /* seconds after a cycle, without locks */
static const double LOOK = 0.05;    /* seconds between two looks at whether something has happened */
static const double ENDING = 2;     /* seconds after that for which nodes being cleaned up are waited for closely */

static pthread_t thread;
static bool running;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of the two below */
static pthread_cond_t wake = PTHREAD_COND_INITIALIZER;
static bool stopping, reconfigured;

/* What changes in slurmctld when there may be something to start: its counters at once, its times of change, which have
 * a resolution of a second, for all else (a release, a node that is back). They are looked at without a lock: what is
 * missed is seen at the next look. */
struct events {
    uint32_t submitted, completed, cancelled, failed;
};

/* What the thread works with. */
struct plugin {
    struct settings settings;
    struct beliefs *beliefs;
    struct books *books;
    struct decider *decider;
    struct sharer *sharer;
    struct teller *teller;
    struct share_teller *share_teller;
    struct site site;
    char state_file[4096];
    char refused[MESSAGE]; /* why the parameters cannot be used; empty when they can */
    char *words;           /* SchedulerParameters, when they were read last */
    bool told;        /* what the settings are */
    bool limits_only; /* after an error, until the next reconfiguration */
    bool silent;      /* even limits have failed since, and that has been said */
    struct account {
        int64_t head;
        double spent;
    } accounts[64]; /* the latest head jobs' */
    int next_account;
    double last_save;
    struct state_mark saved;
    bool left_out; /* it has been said that some partitions have no bounds on waits */
    struct events events; /* at the beginning of the last cycle */
    time_t looked;        /* when that was */
    bool unfinished;      /* it was cut short */
    double stirred;       /* when something had last happened since such a look */
};

/* --- Waits --- */

/* One line a partition; in the shadow mode for all to see. */
static bool waits_to_info;
static void report_waits(void *context, const struct waits_report *waits) {
    char bounds[MESSAGE] = "";
    size_t used = 0;
    (void)context;
    for (int32_t i = 0; i < waits->kinds && i < 4 && used < sizeof bounds - 80; i++) {
        const char *gap = used > 0 ? ", " : "";
        if (waits->kind[i].bound < 0)
            used += (size_t)snprintf(bounds + used, sizeof bounds - used, "%sunknown", gap);
        else
            used += (size_t)snprintf(bounds + used, sizeof bounds - used, "%s%ld s", gap, (long)waits->kind[i].bound);
        if (waits->kinds > 1)
            used += (size_t)snprintf(bounds + used, sizeof bounds - used, " for limits from %ld s",
                                     (long)waits->kind[i].from);
    }
    if (waits_to_info)
        info("surefill: waits: %s: %ld known, %d waiting; %g of new jobs start within %s; %ld of %ld bounds held",
             waits->queue, (long)waits->known, waits->waiting, WAITS_QUANTILE, bounds, (long)waits->kept,
             (long)waits->given);
    else
        debug("surefill: waits: %s: %ld known, %d waiting; %g of new jobs start within %s; %ld of %ld bounds held",
              waits->queue, (long)waits->known, waits->waiting, WAITS_QUANTILE, bounds, (long)waits->kept,
              (long)waits->given);
}

/* --- Settings and state --- */

static void fall_back(struct plugin *plugin, const char *why) {
    if (!plugin->limits_only) error("surefill: %s; from here on only time limits count (EASY)", why);
    plugin->limits_only = true;
}

static void tell_note(void *context, const char *text) {
    (void)context; /* messages go to slurmctld's log */
    info("surefill: SchedulerParameters: %s", text);
}

static void read_settings(struct plugin *plugin) {
    slurmctld_lock_t locks = {.conf = READ_LOCK};
    char message[MESSAGE] = "", threshold[64];
    struct settings before = plugin->settings, in_effect;
    bool good, known, limits_only = plugin->limits_only;
    char *words;
    lock_slurmctld(locks);
    good = settings_read(&plugin->settings, slurm_conf.sched_params, message, sizeof message);
    snprintf(plugin->state_file, sizeof plugin->state_file, "%s/surefill_state", slurm_conf.state_save_location);
    words = xstrdup(slurm_conf.sched_params);
    unlock_slurmctld(locks);
    if (xstrcmp(words, plugin->words) != 0 || !plugin->told) settings_notes(words, tell_note, NULL);
    xfree(plugin->words);
    plugin->words = words;
    plugin->limits_only = plugin->silent = false;
    known = strcmp(plugin->refused, message) == 0; /* slurmctld also reconfigures us when it has just started */
    memcpy(plugin->refused, message, sizeof message);
    if (!good) {
        plugin->settings = before;
        if (!known) fall_back(plugin, message);
        plugin->limits_only = true;
    }
    if (plugin->told && plugin->limits_only == limits_only &&
        memcmp(&before, &plugin->settings, sizeof before) == 0)
        return;
    plugin->told = true;
    in_effect = plugin->settings;
    if (plugin->limits_only) in_effect.mode = MODE_LIMITS;
    settings_threshold(&in_effect, threshold, sizeof threshold);
    info("surefill: mode %s, predictor %s, %s: %s, order %s, budget %g, a cycle every %g s, %d candidates, %d events a bin, "
         "saved every %g s, locks held for %g s",
         settings_mode_name(in_effect.mode), settings_predictor_name(in_effect.predictor), settings_rule_name(&in_effect),
         threshold, settings_order_name(in_effect.order), in_effect.budget, in_effect.interval, in_effect.depth,
         in_effect.events, in_effect.save, in_effect.locked);
}

static void save(struct plugin *plugin) {
    char message[MESSAGE];
    struct books_totals totals;
    struct delays_totals delays;
    struct starts_totals starts;
    books_totals(plugin->books, &totals);
    debug("surefill: books: %ld submitted, %ld started, %ld ended, %ld withdrawn; %ld waiting, %ld running; learnt from "
          "%.0f jobs", (long)totals.submitted, (long)totals.started, (long)totals.ended, (long)totals.withdrawn,
          (long)totals.waiting, (long)totals.running, beliefs_jobs(plugin->beliefs));
    delays_totals(beliefs_delays(plugin->beliefs), plugin->settings.criterion, &delays);
    debug("surefill: delays of head jobs: %ld known; predicted %.6g, told %.6g, observed %.6g together", (long)delays.known,
          delays.predicted, delays.told, delays.observed);
    starts_totals(beliefs_starts(plugin->beliefs), &starts);
    debug("surefill: starts foretold: %ld of %ld answers held, %g are meant to", (long)starts.held, (long)starts.known,
          STARTS_LEVELS[STARTS_TOLD]);
    waits_to_info = plugin->settings.mode == MODE_SHADOW;
    waits_each(beliefs_waits(plugin->beliefs), (int64_t)time(NULL), report_waits, NULL);
    if (!plugin->left_out && waits_left_out(beliefs_waits(plugin->beliefs)) != NULL) {
        info("surefill: waits: bounds are kept for %d partitions, none for %s and those that come after it", WAITS_QUEUES,
             waits_left_out(beliefs_waits(plugin->beliefs)));
        plugin->left_out = true;
    }
    if (!state_save_changes(plugin->state_file, plugin->beliefs, plugin->books, &plugin->saved, message, sizeof message))
        error("surefill: state not saved: %s", message);
    plugin->last_save = clock_seconds();
}

/* --- Budgets: what the candidates started for a head job may still delay it --- */

static double *account(struct plugin *plugin, int64_t head) {
    for (int i = 0; i < 64; i++)
        if (plugin->accounts[i].head == head) return &plugin->accounts[i].spent;
    plugin->next_account = (plugin->next_account + 1) % 64;
    plugin->accounts[plugin->next_account] = (struct account){.head = head};
    return &plugin->accounts[plugin->next_account].spent;
}

/* --- Decisions --- */

static void log_decisions(const struct plugin *plugin, const struct group *group, const struct decision *decision,
                          const char *mode) {
    if (get_log_level() < LOG_LEVEL_DEBUG) return;
    if (decision->head_median >= 0)
        debug("surefill: %s: %d of %d nodes idle, head JobId=%u needs %d, starts within %ld s (median)", group->name,
              group->pool.idle, group->pool.nodes, (uint32_t)group->pool.head.id, group->pool.head.nodes,
              (long)(decision->head_median - group->pool.now));
    for (int32_t i = 0; i < group->pool.candidate_count; i++) {
        const struct candidate *candidate = &group->pool.candidates[i];
        if (candidate->judged.verdict == SUREFILL_VERDICT_DOES_NOT_FIT) continue;
        debug("surefill: decision: JobId=%u nodes=%d limit=%ld head=%u %s%s%.6f: %s (%s)",
              (uint32_t)candidate->facts.id, candidate->facts.nodes, (long)candidate->facts.limit,
              (uint32_t)group->pool.head.id, surefill_name(SUREFILL_NAME_CRITERION, plugin->settings.criterion),
              surefill_name(SUREFILL_NAME_DELAY_SIGN, candidate->judged.exactness), candidate->judged.delay,
              surefill_name(SUREFILL_NAME_VERDICT, candidate->judged.verdict), mode);
    }
}

/* A job has started that probability would have let through earlier. */
static void tell_earlier(void *context, int64_t job, int64_t seconds, const struct books_totals *totals) {
    (void)context;
    info("surefill: shadow: JobId=%u has started, would have started %ld s earlier; so far %ld jobs, %ld s each on "
         "average", (uint32_t)job, (long)seconds, (long)totals->earlier, (long)(totals->earlier_seconds / totals->earlier));
}

static void note_shadow(struct plugin *plugin, const struct group *group, const struct decision *decision) {
    for (int32_t i = 0; i < decision->accepted_count; i++) {
        const struct candidate *candidate = &group->pool.candidates[decision->accepted[i]];
        if (books_would_start(plugin->books, candidate->facts.id, group->pool.now) == group->pool.now)
            info("surefill: shadow: JobId=%u would start now, ahead of JobId=%u, which it delays by %s %.4f",
                 (uint32_t)candidate->facts.id, (uint32_t)group->pool.head.id,
                 surefill_name(SUREFILL_NAME_CRITERION, plugin->settings.criterion), candidate->judged.delay);
    }
}

/* Decides one pool; by limits alone when that is asked for or when something goes wrong. */
static void decide_group(struct plugin *plugin, struct group *group, struct decision *decision) {
    bool limits = plugin->limits_only || plugin->settings.mode == MODE_LIMITS;
    double spent = *account(plugin, group->pool.head.id);
    if (!limits) {
        decide(plugin->decider, &plugin->settings, plugin->beliefs, spent, &group->pool, decision);
        if (decision->outcome == OUTCOME_ERROR) {
            fall_back(plugin, decision->message);
            limits = true;
        } else {
            log_decisions(plugin, group, decision, settings_mode_name(plugin->settings.mode));
            if (plugin->settings.mode == MODE_SHADOW) {
                note_shadow(plugin, group, decision);
                limits = true;
            }
        }
    }
    if (limits) {
        decide(plugin->decider, &plugin->settings, NULL, 0, &group->pool, decision);
        if (decision->outcome != OUTCOME_ERROR) {
            log_decisions(plugin, group, decision, "limits");
        } else if (!plugin->silent) {
            error("surefill: %s: %s; jobs start in order of priority alone", group->name, decision->message);
            plugin->silent = true;
        }
    }
    if (decision->outcome == OUTCOME_HEAD_FITS)
        debug("surefill: %s: JobId=%u would fit, but Slurm does not start it: no decisions", group->name,
              (uint32_t)group->pool.head.id);
}

/* As decide_group, where nodes are shared. Returns true when the pool is to be looked at again: the library sees there
 * what Slurm does not, and it is left to Slurm's own test until a job starts or ends. */
static bool decide_shared(struct plugin *plugin, struct site *site, struct group *group, struct decision *decision) {
    const char *name = group->name;
    uint32_t head = (uint32_t)group->pool.head.id;
    double wait;
    *decision = (struct decision){.outcome = OUTCOME_NOTHING};
    if (plugin->limits_only || group->share.wish_count == 0) return false;
    share_decide(plugin->sharer, &plugin->settings, plugin->beliefs, *account(plugin, group->pool.head.id), &group->pool,
                 &group->share, decision, &wait);
    if (decision->outcome == OUTCOME_ERROR) {
        fall_back(plugin, decision->message);
    } else if (decision->outcome == OUTCOME_HEAD_FITS || decision->outcome == OUTCOME_HEAD_NEVER ||
               decision->outcome == OUTCOME_STRANGE) {
        if (decision->outcome == OUTCOME_HEAD_FITS)
            debug("surefill: %s: JobId=%u would fit on shared nodes, but Slurm does not start it", name, head);
        else if (decision->outcome == OUTCOME_HEAD_NEVER)
            debug("surefill: %s: JobId=%u would never fit on shared nodes", name, head);
        else
            debug("surefill: %s: %s", name, decision->message);
        decision->accepted_count = 0;
        refusals_add(&site->refusals, group->pool.head.id, site->running, (int64_t)time(NULL));
        return true;
    } else {
        if (wait >= 0)
            debug("surefill: %s: %d shared nodes, %d running jobs, head JobId=%u starts within %.0f s (expected)", name,
                  group->share.node_count, group->share.job_count, head, wait);
        log_decisions(plugin, group, decision, settings_mode_name(plugin->settings.mode));
        if (plugin->settings.mode == MODE_SHADOW) {
            note_shadow(plugin, group, decision);
            decision->accepted_count = 0;
        }
    }
    return false;
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

/* When the waiting jobs are expected to start; what Slurm's own test decides has been said while gathering, also of
 * those that the machine of shared nodes cannot say. */
static void tell_starts(struct plugin *plugin) {
    struct site *site = &plugin->site;
    bool limits = plugin->limits_only || plugin->settings.mode != MODE_ON;
    site->untold = false;
    for (int i = 0; i < site->group_count; i++) {
        struct group *group = &site->groups[i];
        const char *wrong;
        int told;
        if (!group->has_head || (group->unjudged[0] != '\0' && !group->modelled)) continue;
        if (group->modelled)
            wrong = share_foretell(plugin->share_teller, &plugin->settings, limits ? NULL : plugin->beliefs, &group->pool,
                                   &group->share);
        else
            wrong = foretell(plugin->teller, &plugin->settings, limits ? NULL : plugin->beliefs, &group->pool);
        if (group->modelled) site->untold |= wrong != NULL;
        told = site_tell(site, group);
        if (wrong != NULL)
            debug("surefill: %s: no expected starts: %s", group->name, wrong);
        else
            debug("surefill: %s: expected starts of %d waiting jobs", group->name, told);
    }
}

enum next { NEXT_SLEEP, NEXT_AGAIN, NEXT_STOP };

static enum next cycle(struct plugin *plugin) {
    struct site *site = &plugin->site;
    double begun = clock_seconds(), deciding = 0, working;
    int backfilled = 0, judged = 0;
    bool changed = false, refused = false, again;
    struct settings settings = plugin->settings;
    plugin->looked = time(NULL);
    plugin->events = events_now();
    if (plugin->limits_only) settings.mode = MODE_LIMITS;
    if (!site_gather(site, &settings, plugin->books, plugin->beliefs)) {
        error("surefill: slurmctld's jobs cannot be read, this was built for another Slurm: the plugin stops here");
        return NEXT_STOP;
    }
    if (site->forgetful) fall_back(plugin, "no memory to remember jobs");
    for (int i = 0; i < site->group_count && !changed; i++) {
        struct group *group = &site->groups[(site->turn + i) % site->group_count];
        struct decision decision;
        double before = clock_seconds();
        int started;
        if (!group->has_head || (group->unjudged[0] != '\0' && !group->modelled)) continue;
        if (group->modelled)
            refused |= decide_shared(plugin, site, group, &decision);
        else
            decide_group(plugin, group, &decision);
        deciding += clock_seconds() - before;
        judged += group->pool.candidate_count;
        if (decision.accepted_count == 0) continue;
        *account(plugin, group->pool.head.id) +=
            site_start(site, group, &decision, &plugin->settings, beliefs_delays(plugin->beliefs), &started, &changed);
        backfilled += started;
        if (changed)
            debug("surefill: %s: what the decisions rest on has changed: nothing is started", group->name);
        if (started < decision.accepted_count) refused = true; /* this pool alone: judge it again */
    }
    if (site->telling) tell_starts(plugin);
    plugin->unfinished = site->cut_short;
    again = (changed || refused) && !site->cut_short; /* else slurmctld has waited long enough for its locks */
    working = clock_seconds() - begun;
    site_count_cycle(site, working, judged);
    debug("surefill: cycle: %ld pending, %d started in order, %d backfilled; %.2f ms, of them %.2f ms in Slurm's own "
          "calls, %.2f ms locked (%.2f at a time), %.2f ms deciding%s",
          (long)site->pending, site->started, backfilled, 1e3 * working, 1e3 * site->slurm_seconds,
          1e3 * site->locked_seconds, 1e3 * site->longest_locked, 1e3 * deciding, again ? "; to be judged again" : "");
    if (clock_seconds() - plugin->last_save >= plugin->settings.save) save(plugin);
    site_clear(site);
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
 * cleaned up after that, or when the last one was cut short; but at least for four times as long as the last cycle has
 * held the locks. False when the plugin is to stop. */
static bool sleep_until_due(struct plugin *plugin) {
    const double interval = plugin->settings.interval, rest = fmax(LOOK, 4 * plugin->site.locked_seconds);
    double begun = clock_seconds(), passed;
    while ((passed = clock_seconds() - begun) < interval && !sleep_for(fmin(LOOK, interval - passed))) {
        bool ending = plugin->site.ending && clock_seconds() - plugin->stirred <= ENDING;
        if (anything_since(&plugin->events, plugin->looked))
            plugin->stirred = clock_seconds();
        else if (!ending && !plugin->unfinished)
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

/* What the thread keeps. Without memory for it nothing starts, but it is asked for again. False when the plugin is to
 * stop. */
static bool make(struct plugin *plugin) {
    for (bool said = false;; said = true) {
        if (plugin->beliefs == NULL) plugin->beliefs = beliefs_make(plugin->settings.predictor);
        if (plugin->books == NULL) plugin->books = books_make();
        if (plugin->decider == NULL) plugin->decider = decider_make();
        if (plugin->sharer == NULL) plugin->sharer = sharer_make();
        if (plugin->teller == NULL) plugin->teller = teller_make();
        if (plugin->share_teller == NULL) plugin->share_teller = share_teller_make();
        if (plugin->beliefs != NULL && plugin->books != NULL && plugin->decider != NULL && plugin->sharer != NULL &&
            plugin->teller != NULL && plugin->share_teller != NULL)
            return true;
        if (!said) error("surefill: no memory: nothing starts until there is some");
        sleep_for(plugin->settings.interval);
        if (is_stopping()) return false;
        if (take_reconfigured()) read_settings(plugin);
    }
}

/* As make: a good file is worth waiting for. */
static bool load(struct plugin *plugin) {
    char message[MESSAGE];
    bool loaded;
    for (bool said = false;; said = true) {
        loaded = state_load(plugin->state_file, plugin->beliefs, plugin->books, message, sizeof message);
        if (loaded || errno != ENOMEM) break;
        if (!said) error("surefill: %s: nothing starts until there is some", message);
        sleep_for(plugin->settings.interval);
        if (is_stopping()) return false;
        if (take_reconfigured()) read_settings(plugin);
    }
    if (loaded)
        info("surefill: %s: learnt from %.0f jobs", plugin->state_file, beliefs_jobs(plugin->beliefs));
    else if (message[0] != '\0')
        error("surefill: %s: refused, starting without what was learnt", message);
    else
        info("surefill: %s: none yet", plugin->state_file);
    return true;
}

static void *agent(void *nothing) {
    struct plugin state = {.told = false}, *plugin = &state;
    enum next next = NEXT_SLEEP;
    (void)nothing;
    settings_defaults(&plugin->settings);
    site_begin(&plugin->site);
    read_settings(plugin);
    if (make(plugin) && load(plugin)) {
        books_tell_earlier(plugin->books, tell_earlier, NULL);
        plugin->last_save = clock_seconds();
        while (next != NEXT_STOP && sleep_until_due(plugin)) {
            if (take_reconfigured()) {
                read_settings(plugin);
                site_begin(&plugin->site);
            }
            if (slurmctld_config.scheduling_disabled || slurmctld_config.shutdown_time || !fed_mgr_sibs_synced())
                continue;
            next = NEXT_AGAIN;
            for (int attempt = 0; attempt < ATTEMPTS && next == NEXT_AGAIN; attempt++) next = cycle(plugin);
            beliefs_train(plugin->beliefs, TRAINING);
            if (next == NEXT_AGAIN) debug("surefill: the jobs change faster than decisions are made");
        }
        if (next != NEXT_STOP) {
            save(plugin); /* else the books have missed a look, and the file is better than they are */
            site_forget_plans();
        }
    }
    site_clear(&plugin->site);
    FREE_NULL_BITMAP(plugin->site.awaited);
    FREE_NULL_BITMAP(plugin->site.served);
    xfree(plugin->site.passed.entries);
    xfree(plugin->words);
    decider_free(plugin->decider);
    sharer_free(plugin->sharer);
    teller_free(plugin->teller);
    share_teller_free(plugin->share_teller);
    books_free(plugin->books);
    beliefs_free(plugin->beliefs);
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
