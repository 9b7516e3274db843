/* A scheduler for PBS from outside, on the IFL calls: in order of priority, with probabilistic backfilling.
 *
 *   surefill-pbs [-q QUEUE] [-s STATE_FILE] [-w QUANTILE] [-1] [SETTINGS]
 *
 * SETTINGS are words such as "surefill_tau=0.1,surefill_interval=2" (../slurm/README.md has them all). -q: only this
 * queue and the vnodes that belong to it. -w: waiting jobs get this quantile of their predicted run time as
 * soft_walltime. -1 makes one cycle and ends. */
#define _POSIX_C_SOURCE 200809L
#include "scheduler.h"

#include <pbs_ifl.h>

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { MESSAGE = 300, ATTEMPTS = 3 };

static volatile sig_atomic_t stopping;

static void stop(int signal) {
    (void)signal;
    stopping = 1;
}

static void say(void *context, const char *line) {
    FILE *output = context;
    fprintf(output, "%lld %s\n", (long long)time(NULL), line);
    fflush(output);
}

static int usage(void) {
    fprintf(stderr, "surefill-pbs [-q QUEUE] [-s STATE_FILE] [-w QUANTILE] [-1] [surefill_tau=X,surefill_mode=M,...]\n");
    return 2;
}

static void save(const struct scheduler *scheduler, const char *file) {
    static struct state_mark saved;
    char message[MESSAGE], line[MESSAGE + 40];
    if (file == NULL || state_save_changes(file, scheduler->beliefs, scheduler->books, &saved, message, sizeof message))
        return;
    snprintf(line, sizeof line, "state not saved: %s", message);
    say(stdout, line);
}

/* False when there is no memory for what was learnt: it is not to be lost for that. */
static bool load(struct scheduler *scheduler, const char *file) {
    char message[MESSAGE], line[MESSAGE + 60];
    bool loaded, memory;
    if (file == NULL) return true;
    loaded = state_load(file, scheduler->beliefs, scheduler->books, message, sizeof message);
    memory = loaded || errno != ENOMEM;
    if (loaded)
        snprintf(line, sizeof line, "%s: learnt from %.0f jobs", file, beliefs_jobs(scheduler->beliefs));
    else if (!memory)
        snprintf(line, sizeof line, "%s", message);
    else if (message[0] != '\0')
        snprintf(line, sizeof line, "%s: refused, starting without what was learnt", message);
    else
        return true;
    say(stdout, line);
    return memory;
}

static void pause_for(double seconds) {
    struct timespec pause = {.tv_sec = (time_t)seconds};
    pause.tv_nsec = (long)(1e9 * (seconds - (double)pause.tv_sec));
    if (!stopping) nanosleep(&pause, NULL);
}

/* Cycles until it is to stop. False when this server cannot be scheduled. */
static bool run(struct scheduler *scheduler, const char *file, bool once) {
    double since_save = 0;
    int connection = -1;
    bool told = false, good = true;
    while (good && !stopping) {
        struct done done = {.again = true};
        if (connection < 0) {
            connection = pbs_connect(NULL);
            if (connection < 0 && !told) say(stdout, "no connection to the server; trying again");
            told = connection < 0;
            if (connection >= 0 && !(good = scheduler_may(scheduler, connection))) break;
        }
        for (int attempt = 0; connection >= 0 && done.again && attempt < ATTEMPTS; attempt++) {
            if (scheduler_cycle(scheduler, connection, (int64_t)time(NULL), &done)) continue;
            pbs_disconnect(connection);
            connection = -1;
        }
        beliefs_train(scheduler->beliefs, 0.1);
        if (once) {
            good = connection >= 0;
            break;
        }
        since_save += scheduler->settings.interval;
        if (since_save >= scheduler->settings.save) {
            save(scheduler, file);
            since_save = 0;
        }
        pause_for(scheduler->settings.interval);
    }
    if (connection >= 0) pbs_disconnect(connection);
    return good;
}

int main(int argc, char **argv) {
    struct scheduler scheduler = {.say = say, .context = stdout};
    struct sigaction action = {.sa_handler = stop};
    const char *file = NULL;
    char message[MESSAGE], *end;
    bool once = false, good;
    int option;
    while ((option = getopt(argc, argv, "q:s:w:1")) != -1) {
        if (option == 'q') {
            scheduler.queue = optarg;
        } else if (option == 's') {
            file = optarg;
        } else if (option == 'w') {
            scheduler.soft = strtod(optarg, &end);
            if (end == optarg || *end != '\0' || !(scheduler.soft > 0 && scheduler.soft < 1)) return usage();
        } else if (option == '1') {
            once = true;
        } else {
            return usage();
        }
    }
    if (argc - optind > 1 || !settings_all_ours(argv[optind])) return usage();
    settings_defaults(&scheduler.settings);
    if (!settings_read(&scheduler.settings, argv[optind], message, sizeof message)) {
        fprintf(stderr, "%s\n", message);
        return 2;
    }
    if (!scheduler_init(&scheduler)) {
        fprintf(stderr, "no memory\n");
        return 1;
    }
    sigaction(SIGTERM, &action, NULL);
    sigaction(SIGINT, &action, NULL);
    good = load(&scheduler, file);
    if (good) {
        good = run(&scheduler, file, once);
        save(&scheduler, file);
    }
    scheduler_free(&scheduler);
    return good ? 0 : 1;
}
