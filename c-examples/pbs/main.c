/* A scheduler for PBS from outside: on the IFL calls, by the engine's plan of the whole queue.
 *
 *   surefill-pbs [-q QUEUE] [-s STATE_FILE] [-w QUANTILE] [-1] [SETTINGS]
 *
 * SETTINGS are words such as "surefill_preset=fast,surefill_interval=2": README.md has them. -q: only this queue and
 * the vnodes that belong to it. -w: waiting jobs get this quantile of their predicted run time as soft_walltime. -1
 * makes one cycle and ends. */
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
    fprintf(stderr, "surefill-pbs [-q QUEUE] [-s STATE_FILE] [-w QUANTILE] [-1] [surefill_preset=P,surefill_mode=M,...]\n");
    return 2;
}

static void save(struct scheduler *scheduler, const char *file) {
    char message[MESSAGE], line[MESSAGE + 40];
    if (file == NULL || engine_save(&scheduler->engine, file, message, sizeof message)) return;
    snprintf(line, sizeof line, "state not saved: %s", message);
    say(stdout, line);
}

/* False when the file is there and cannot be read: what was learnt is not to be lost for that. */
static bool load(struct scheduler *scheduler, const char *file) {
    surefill_totals totals = {.struct_size = sizeof totals};
    char message[MESSAGE];
    enum engine_opened opened = ENGINE_NEW;
    if (file != NULL) opened = engine_open(&scheduler->engine, file, message, sizeof message);
    if (opened == ENGINE_NEW) return true;
    if (opened == ENGINE_OPENED && surefill_scheduler_totals(scheduler->engine.scheduler, &totals) == SUREFILL_OK)
        snprintf(message, sizeof message, "%s: learnt from %lld jobs", file, (long long)totals.ended);
    say(stdout, message);
    return opened != ENGINE_FAILED;
}

static void pause_for(double seconds) {
    struct timespec pause = {.tv_sec = (time_t)seconds};
    pause.tv_nsec = (long)(1e9 * (seconds - (double)pause.tv_sec));
    if (!stopping) nanosleep(&pause, NULL);
}

/* Cycles until it is to stop. False when this server cannot be scheduled. */
static bool run(struct scheduler *scheduler, const char *file, const struct pace *pace, bool once) {
    double since_save = 0;
    int connection = -1;
    bool reported = false, good = true;
    while (good && !stopping) {
        struct done done = {.again = true};
        if (connection < 0) {
            connection = pbs_connect(NULL);
            if (connection < 0 && !reported) say(stdout, "no connection to the server; trying again");
            reported = connection < 0;
            if (connection >= 0 && !(good = scheduler_may(scheduler, connection))) break;
        }
        for (int attempt = 0; connection >= 0 && done.again && attempt < ATTEMPTS; attempt++) {
            if (scheduler_cycle(scheduler, connection, (int64_t)time(NULL), &done)) continue;
            pbs_disconnect(connection);
            connection = -1;
        }
        if (once) {
            good = connection >= 0;
            break;
        }
        since_save += pace->interval;
        if (since_save >= pace->save) {
            save(scheduler, file);
            since_save = 0;
        }
        pause_for(pace->interval);
    }
    if (connection >= 0) pbs_disconnect(connection);
    return good;
}

int main(int argc, char **argv) {
    struct scheduler scheduler = {.say = say, .context = stdout};
    struct pace pace;
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
    if (argc - optind > 1) return usage();
    if (!engine_make(&scheduler.engine, engine_one_pool, argv[optind], &pace, message, sizeof message)) {
        fprintf(stderr, "%s\n", message);
        return errno == ENOMEM ? 1 : 2;
    }
    scheduler.starts = pace.starts;
    sigaction(SIGTERM, &action, NULL);
    sigaction(SIGINT, &action, NULL);
    good = load(&scheduler, file);
    if (good) {
        good = run(&scheduler, file, &pace, once);
        save(&scheduler, file);
    }
    scheduler_free(&scheduler);
    return good ? 0 : 1;
}
