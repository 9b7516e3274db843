/* Drives the PBS scheduler in its tests, on the simulated server. Included once by each. */
#ifndef DRIVING_H
#define DRIVING_H

#include "../expect.h"
#include "scheduler.h"
#include "server.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static int part = 1; /* the random streams are this factor shorter */

/* --- What the scheduler says --- */

static char said_all[1 << 16];
static inline void hear(void *context, const char *line) {
    char *all = context;
    size_t used = strlen(all), more = strlen(line);
    if (used + more + 2 > sizeof said_all) used = 0; /* only the latest matters */
    snprintf(all + used, sizeof said_all - used, "%s\n", line);
}
static inline bool said(const char *what) { return strstr(said_all, what) != NULL; }

/* --- Driving --- */

static const char state_file[] = "pbs-test.state";

/* With PBS_RECORDS each scheduler records its cycles, in a folder of its own below that one. */
static inline struct scheduler make(const char *settings) {
    static int made;
    const char *records = getenv("PBS_RECORDS");
    struct scheduler scheduler = {.say = hear, .context = said_all};
    struct pace pace;
    char message[400], words[FILES_PATH], folder[FILES_PATH];
    snprintf(words, sizeof words, "%s", settings == NULL ? "" : settings);
    if (records != NULL) {
        snprintf(folder, sizeof folder, "%.2000s/%d", records, made++);
        mkdir(folder, 0700);
        snprintf(words, sizeof words, "%.1000s surefill_record=%.2100s", settings == NULL ? "" : settings, folder);
    }
    CHECK(engine_make(&scheduler.engine, engine_one_pool, words, &pace, message, sizeof message));
    return scheduler;
}

static inline struct scheduler begin(int vnodes, const char *settings) {
    server_begin(vnodes, 4);
    said_all[0] = '\0';
    return make(settings);
}

static inline void set(struct scheduler *scheduler, const char *words) {
    char message[400];
    const int64_t length = (int64_t)strlen(words);
    CHECK(surefill_scheduler_configure(scheduler->engine.scheduler, words, length, NULL, message, sizeof message) == 0);
}

static inline surefill_totals totals_of(const struct scheduler *scheduler) {
    surefill_totals totals = {.struct_size = sizeof totals};
    CHECK(surefill_scheduler_totals(scheduler->engine.scheduler, &totals) == SUREFILL_OK);
    return totals;
}

/* The program ends, and starts anew from its state file. */
static inline void restart(struct scheduler *scheduler, const char *settings) {
    struct scheduler again;
    char message[400];
    CHECK(engine_save(&scheduler->engine, state_file, message, sizeof message));
    scheduler_free(scheduler);
    again = make(settings);
    CHECK(engine_open(&again.engine, state_file, message, sizeof message) == ENGINE_OPENED);
    remove(state_file);
    *scheduler = again;
}

/* The cycles of this second. */
static inline void look(struct scheduler *scheduler) {
    struct done done = {.again = true};
    for (int attempt = 0; attempt < 3 && done.again; attempt++) CHECK(scheduler_cycle(scheduler, 1, server.now, &done));
}

static inline void run(struct scheduler *scheduler, int64_t seconds) {
    for (int64_t second = 0; second < seconds; second++) {
        server_clock(server.now + 1);
        look(scheduler);
    }
}

/* Lets a number of jobs of this owner run, one after the other: a history. */
static inline void teach(struct scheduler *scheduler, const char *owner, const char *select, int64_t walltime, int64_t run_time,
                  int jobs) {
    for (int i = 0; i < jobs; i++) {
        server_submit(owner, select, walltime, run_time);
        look(scheduler);
        server_clock(server.now + run_time);
        look(scheduler);
    }
}

static inline bool unfinished(void) {
    for (int i = 0; i < server.job_count; i++)
        if (strchr("FX", server.jobs[i].state) == NULL) return true;
    return false;
}

static uint32_t random_state = 2;
static inline int random_below(int bound) {
    random_state = random_state * 1664525u + 1013904223u;
    return (int)((uint64_t)(random_state >> 8) * (uint64_t)bound >> 24);
}

#endif
