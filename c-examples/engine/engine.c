/* The scheduler's memory, its forecasts, and its state file: a sealed block, and nothing else. */
#define _POSIX_C_SOURCE 200809L
#include "engine.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { JOBS_AT_FIRST = 256, MOST_JOBS = 1 << 20, MOST_JOBS_ON_NODES = 1 << 18, MOST_PARTS = 1 << 21 };
enum { UNITS_AT_FIRST = 1024, MOST_UNITS = 1 << 24, WORDS = 1000 };
enum { SCENARIOS = 20, LEAST_SCENARIOS = 10 }; /* of a forecast: see results/starts.md */
enum { EVENTS = 10 };                          /* of a forecast between two looks at the clock */
/* Seconds of processor time for a forecast in one cycle, and in all: one that takes longer has fewer scenarios. */
static const double FORESEEING = 0.25, WHOLE_FORECAST = 5;

static const char prefix[] = "surefill_";

/* --- Settings --- */

/* Takes the shell's own words out of the text; the engine's are left in rest. */
static bool take_words(const char *words, struct pace *pace, char *folder, char *rest, char *message, size_t length) {
    static const char between[] = ", \t\n";
    *pace = (struct pace){.interval = 5, .save = 300, .starts = 60};
    *rest = *folder = '\0';
    for (const char *at = words == NULL ? "" : words; *(at += strspn(at, between)) != '\0'; at += strcspn(at, between)) {
        const int size = (int)strcspn(at, between);
        const char *value = memchr(at, '=', (size_t)size), *name = at + strlen(prefix);
        double seconds;
        char *end = NULL;
        if (strncmp(at, prefix, strlen(prefix)) != 0)
            return files_failed(message, length, "'%.*s': settings begin with %s", size, at, prefix);
        seconds = value == NULL ? 0 : strtod(value + 1, &end);
        if (strncmp(name, "interval=", 9) == 0) {
            if (end != at + size || !(seconds >= 0.1 && seconds <= 3600))
                return files_failed(message, length, "'%.*s': wanted is interval= 0.1 to 3600 seconds", size, at);
            pace->interval = seconds;
        } else if (strncmp(name, "save=", 5) == 0) {
            if (end != at + size || !(seconds >= 1 && seconds <= 86400))
                return files_failed(message, length, "'%.*s': wanted is save= 1 to 86400 seconds", size, at);
            pace->save = seconds;
        } else if (strncmp(name, "starts=", 7) == 0) {
            if (end != at + size || !(seconds == 0 || (seconds >= 1 && seconds <= 86400)))
                return files_failed(message, length, "'%.*s': wanted is starts= 1 to 86400 seconds, or 0", size, at);
            pace->starts = seconds;
        } else if (strncmp(name, "record=", 7) == 0) {
            snprintf(folder, FILES_PATH, "%.*s", size - (int)strlen(prefix) - 7, name + 7);
        } else if (strlen(rest) + (size_t)size + 2 > WORDS) {
            return files_failed(message, length, "too many settings");
        } else {
            strncat(strcat(rest, " "), at, (size_t)size);
        }
    }
    return true;
}

/* The value of a word in the settings in effect; NULL without it. */
static const char *after(const struct engine *engine, const char *word, char *words) {
    const size_t size = strlen(word);
    if (surefill_scheduler_words(engine->scheduler, words, WORDS) != SUREFILL_OK) return NULL;
    for (const char *at = words; (at = strstr(at, word)) != NULL; at += size)
        if (at == words || at[-1] == ' ') return at + size;
    return NULL;
}

bool engine_has(const struct engine *engine, const char *word) {
    char words[WORDS];
    const char *rest = after(engine, word, words);
    return rest != NULL && (*rest == ' ' || *rest == '\0');
}

int64_t engine_number(const struct engine *engine, const char *word) {
    char words[WORDS];
    const char *rest = after(engine, word, words);
    return rest == NULL ? 0 : (int64_t)strtod(rest, NULL);
}

/* --- Memory --- */

static bool make(struct engine *engine, struct engine_room room, int32_t jobs) {
    int64_t size;
    void *block;
    surefill_scheduler_capacity_init(&engine->capacity, jobs);
    engine->capacity.pools = room.pools;
    engine->capacity.queues = room.queues;
    engine->capacity.kinds = room.kinds;
    surefill_scheduler_size(&engine->capacity, &size);
    block = malloc((size_t)size);
    errno = block == NULL ? ENOMEM : 0;
    if (surefill_scheduler_init(block, size, &engine->capacity, &engine->scheduler) == SUREFILL_OK) return true;
    free(block);
    return false;
}

bool engine_make(struct engine *engine, struct engine_room room, const char *words, struct pace *pace, char *message,
                 size_t length) {
    char own[WORDS];
    *engine = (struct engine){.scheduler = NULL};
    errno = 0;
    if (!take_words(words, pace, engine->record.folder, own, message, length)) return false;
    engine->record.wanted = engine->record.folder[0] != '\0';
    if (!make(engine, room, JOBS_AT_FIRST)) return files_failed(message, length, "no memory");
    if (surefill_scheduler_configure(engine->scheduler, own, (int64_t)strlen(own), prefix, message, (int64_t)length) ==
        SUREFILL_OK)
        return true;
    engine_free(engine);
    errno = 0;
    return false;
}

bool engine_configure(struct engine *engine, const char *words, struct pace *pace, char *message, size_t length) {
    struct engine wanted;
    char text[WORDS];
    bool good = engine_make(&wanted, engine_one_pool, words, pace, message, length);
    if (!good) return false;
    surefill_scheduler_words(wanted.scheduler, text, sizeof text);
    good = surefill_scheduler_configure(engine->scheduler, text, (int64_t)strlen(text), NULL, message, (int64_t)length) ==
           SUREFILL_OK;
    if (good) {
        record_keep(&engine->record);
        engine->record.wanted = wanted.record.wanted;
        memcpy(engine->record.folder, wanted.record.folder, sizeof engine->record.folder);
    }
    engine_free(&wanted);
    return good;
}

void engine_free(struct engine *engine) {
    free(engine->scheduler);
    free(engine->scratch);
    free(engine->play);
    record_keep(&engine->record);
    record_drop(&engine->record);
    *engine = (struct engine){.scheduler = NULL};
}

/* Room as in this larger capacity. False when there is none. */
static bool grow(struct engine *engine, surefill_scheduler_capacity larger) {
    surefill_scheduler *grown;
    int64_t size;
    void *block;
    if (memcmp(&larger, &engine->capacity, sizeof larger) == 0) return false;
    if (surefill_scheduler_size(&larger, &size) != SUREFILL_OK || (block = malloc((size_t)size)) == NULL) return false;
    if (surefill_scheduler_grow(engine->scheduler, block, size, &larger, &grown) != SUREFILL_OK) {
        free(block);
        return false;
    }
    free(engine->scheduler);
    engine->scheduler = grown;
    engine->capacity = larger;
    engine->starts = NULL; /* it was the smaller one's */
    return true;
}

static int32_t at_most(int64_t number, int32_t most) { return number < most ? (int32_t)number : most; }

/* More room of the kind that a call has lacked. False for another status, and when there is no memory. */
static bool make_room(struct engine *engine, int32_t status) {
    surefill_scheduler_capacity larger = engine->capacity;
    if (status == SUREFILL_ERROR_PARTS_FULL)
        larger.parts = at_most(2 * (int64_t)larger.parts, MOST_PARTS);
    else if (status == SUREFILL_ERROR_DELAY_UNITS)
        larger.delay_units = larger.delay_units == 0 ? UNITS_AT_FIRST : at_most(2 * (int64_t)larger.delay_units, MOST_UNITS);
    else if (status != SUREFILL_ERROR_FULL)
        return false;
    else
        larger.jobs = at_most(2 * (int64_t)larger.jobs, larger.nodes > 0 ? MOST_JOBS_ON_NODES : MOST_JOBS);
    if (larger.ended < larger.jobs) larger.ended = larger.jobs;
    return grow(engine, larger);
}

int32_t engine_nodes(struct engine *engine, int32_t nodes) {
    surefill_scheduler_capacity larger = engine->capacity;
    if (nodes < 1) nodes = 1;
    if (nodes <= engine->capacity.nodes) return SUREFILL_OK;
    larger.nodes = nodes;
    if (larger.parts < 4 * (int64_t)nodes) larger.parts = at_most(4 * (int64_t)nodes, MOST_PARTS);
    if (larger.reservations == 0) larger.reservations = 64;
    return grow(engine, larger) ? SUREFILL_OK : SUREFILL_ERROR_FULL;
}

int32_t engine_list_begin(struct engine *engine, int64_t now, int32_t over) {
    surefill_scheduler_capacity larger = engine->capacity;
    record_keep(&engine->record);
    larger.ended = at_most(4 * (int64_t)over, MOST_JOBS);
    if (2 * (int64_t)over > engine->capacity.ended) (void)grow(engine, larger);
    return surefill_scheduler_list_begin(engine->scheduler, now);
}

int32_t engine_set_job(struct engine *engine, int64_t now, const surefill_job *job) {
    int32_t status;
    do status = surefill_scheduler_set_job(engine->scheduler, now, job);
    while (make_room(engine, status));
    if (engine->record.closed || job->prediction != NULL) { /* a distribution has no form for a file */
        record_keep(&engine->record);
    } else {
        const int64_t words[] = {status, now, job->part_count};
        surefill_job copy = *job;
        copy.parts = NULL;
        record_event(&engine->record, RECORD_JOB, words, sizeof words / sizeof *words);
        record_more(&engine->record, &copy, sizeof copy);
        record_more(&engine->record, job->parts, job->parts == NULL ? 0 : (size_t)job->part_count * sizeof *job->parts);
    }
    return status;
}

static int32_t begin_cycle(struct engine *engine, int32_t pool, int64_t now, surefill_cycle **cycle) {
    int64_t size;
    int32_t status = surefill_cycle_size(&engine->capacity, &size);
    if (status != SUREFILL_OK) return status;
    if (size > engine->scratch_size) {
        free(engine->scratch);
        engine->scratch = calloc(1, (size_t)size);
        engine->scratch_size = engine->scratch == NULL ? 0 : size;
        if (engine->scratch == NULL) return SUREFILL_ERROR_FULL;
    }
    return surefill_cycle_begin(engine->scratch, engine->scratch_size, engine->scheduler, pool, now, cycle);
}

int32_t engine_begin(struct engine *engine, int32_t pool, int64_t now, surefill_cycle **cycle) {
    int64_t size;
    int32_t status;
    record_keep(&engine->record);
    if (engine->record.wanted && surefill_scheduler_seal(engine->scheduler) == SUREFILL_OK &&
        surefill_scheduler_size(&engine->capacity, &size) == SUREFILL_OK)
        record_begin(&engine->record, engine->scheduler, size, pool, now);
    do status = begin_cycle(engine, pool, now, cycle);
    while (status == SUREFILL_ERROR_DELAY_UNITS && make_room(engine, status));
    return status;
}

bool engine_plan(struct engine *engine, int32_t pool, int64_t now, surefill_cycle **plan) {
    record_keep(&engine->record);
    return begin_cycle(engine, pool, now, plan) == SUREFILL_OK &&
           surefill_cycle_plan_all(*plan, engine->scheduler) == SUREFILL_OK;
}

static void record_action(struct engine *engine, const surefill_cycle *cycle, int32_t status, const surefill_action *action) {
    const int64_t words[] = {status,         action->step,  action->job,   action->head,
                             action->number, action->queue, action->count, action->why};
    surefill_part *parts;
    int32_t count = 0;
    record_event(&engine->record, RECORD_NEXT, words, sizeof words / sizeof *words);
    if (engine->record.count == 0 || status != SUREFILL_OK || action->step != SUREFILL_ACT_START) return;
    (void)surefill_cycle_parts(cycle, action->number, NULL, 0, &count);
    parts = calloc((size_t)count + 1, sizeof *parts);
    engine->record.failed |= parts == NULL;
    if (parts != NULL && surefill_cycle_parts(cycle, action->number, parts, count, &count) == SUREFILL_OK)
        record_more(&engine->record, parts, (size_t)count * sizeof *parts);
    free(parts);
}

int32_t engine_next(struct engine *engine, surefill_cycle *cycle, surefill_action *action) {
    int32_t status;
    *action = (surefill_action){.struct_size = sizeof *action};
    do status = surefill_cycle_next(cycle, engine->scheduler, action);
    while (make_room(engine, status));
    record_action(engine, cycle, status, action);
    return status;
}

int32_t engine_holds(struct engine *engine, const surefill_cycle *cycle, int32_t number, int32_t *holds) {
    const int32_t status = surefill_cycle_holds(cycle, engine->scheduler, number, holds);
    record_event(&engine->record, RECORD_HOLDS, (const int64_t[]){status, number, *holds}, 3);
    return status;
}

int32_t engine_started(struct engine *engine, surefill_cycle *cycle, int32_t number, int64_t job) {
    int32_t status;
    do status = surefill_cycle_started(cycle, engine->scheduler, number, job);
    while (make_room(engine, status));
    record_event(&engine->record, RECORD_STARTED, (const int64_t[]){status, number, job}, 3);
    return status;
}

int32_t engine_refused(struct engine *engine, surefill_cycle *cycle, const surefill_action *offer, int32_t why, int64_t now) {
    const uint32_t next = engine->refused++ % ENGINE_REFUSALS;
    const int32_t status = surefill_cycle_refused(cycle, engine->scheduler, offer->number, why);
    engine->refusals[next].id = offer->job;
    engine->refusals[next].until = now + engine_number(engine, "refused=");
    record_event(&engine->record, RECORD_REFUSED, (const int64_t[]){status, offer->number, why}, 3);
    return status;
}

int32_t engine_close(struct engine *engine, surefill_cycle *cycle, int32_t status) {
    if (status == SUREFILL_OK) {
        status = surefill_cycle_close(cycle, engine->scheduler);
        record_event(&engine->record, RECORD_CLOSED, (const int64_t[]){status}, 1);
    }
    engine->record.closed = true;
    return status;
}

int32_t engine_reason(struct engine *engine, int64_t now, int64_t job, surefill_reason *reason) {
    const int32_t status = surefill_scheduler_reason(engine->scheduler, now, job, reason);
    record_event(&engine->record, RECORD_REASON, (const int64_t[]){status, now, job}, 3);
    record_more(&engine->record, reason, status == SUREFILL_OK ? sizeof *reason : 0);
    return status;
}

const char *engine_trouble(struct engine *engine, char *message, size_t length) {
    record_keep(&engine->record);
    if (engine->record.trouble[0] == '\0') return NULL;
    snprintf(message, length, "cycles are not recorded: %s", engine->record.trouble);
    engine->record.trouble[0] = '\0';
    return message;
}

bool engine_refused_lately(const struct engine *engine, int64_t id, int64_t now) {
    for (int i = 0; i < ENGINE_REFUSALS; i++)
        if (engine->refusals[i].id == id && engine->refusals[i].until > now) return true;
    return false;
}

/* --- Predicted starts --- */

static double processor_seconds(void) {
    struct timespec used;
    return clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used) == 0 ? (double)used.tv_sec + 1e-9 * (double)used.tv_nsec : 0;
}

/* The number of scenarios that a pool's next forecast has time for, by what those of its last one have taken. */
static int32_t affordable(const struct engine *engine, int32_t pool) {
    const double seconds = engine->forecasts[pool].seconds;
    if (seconds <= 0) return SCENARIOS;
    return (int32_t)fmax(LEAST_SCENARIOS, fmin(SCENARIOS, WHOLE_FORECAST / seconds * engine->forecasts[pool].scenarios));
}

static bool begin_forecast(struct engine *engine, int32_t pool, int64_t now) {
    int32_t scenarios;
    int64_t size;
    if (pool < 0 || pool >= ENGINE_POOLS) return false;
    scenarios = affordable(engine, pool);
    if (surefill_starts_size(&engine->capacity, scenarios, &size) != SUREFILL_OK) return false;
    if (size > engine->play_size) {
        free(engine->play);
        engine->play = malloc((size_t)size);
        engine->play_size = engine->play == NULL ? 0 : size;
    }
    engine->foreseen = now;
    engine->foreseen_pool = pool;
    engine->played = false;
    engine->spent = 0;
    engine->forecasts[pool].scenarios = scenarios;
    engine->forecasts[pool].seconds = 0;
    if (engine->play == NULL ||
        surefill_starts_begin(engine->play, engine->play_size, engine->scheduler, pool, now, scenarios,
                              &engine->starts) != SUREFILL_OK ||
        surefill_starts_simplified(engine->starts, &engine->forecasts[pool].simplified) != SUREFILL_OK)
        engine->starts = NULL;
    return engine->starts != NULL;
}

bool engine_foresee(struct engine *engine, int32_t pool, int64_t now, double every) {
    const double begun = processor_seconds(), until = begun + FORESEEING;
    int32_t step = SUREFILL_STEP_MORE;
    if (every <= 0) return false;
    record_keep(&engine->record);
    if (engine->starts == NULL || engine->played) {
        const bool early = engine->foreseen != 0 && now >= engine->foreseen && (double)(now - engine->foreseen) < every;
        if (early || !begin_forecast(engine, pool, now)) return false;
    }
    while (step == SUREFILL_STEP_MORE && processor_seconds() < until)
        if (surefill_starts_run(engine->starts, engine->scheduler, EVENTS, &step) != SUREFILL_OK) {
            engine->starts = NULL;
            return false;
        }
    engine->spent += processor_seconds() - begun;
    engine->played = step == SUREFILL_STEP_DONE;
    if (engine->played) engine->forecasts[engine->foreseen_pool].seconds = engine->spent;
    return engine->played;
}

bool engine_forecast_news(struct engine *engine, char *text, size_t length) {
    enum { SIMPLIFIED = 1, FEWER = 2, QUIET = 3600 };
    const int32_t pool = engine->foreseen_pool, scenarios = engine->forecasts[pool].scenarios;
    const int32_t now = (engine->forecasts[pool].simplified != 0 ? SIMPLIFIED : 0) | (scenarios < SCENARIOS ? FEWER : 0);
    const int64_t ago = engine->foreseen - engine->forecasts[pool].said_at;
    if (now == engine->forecasts[pool].said || (ago >= 0 && ago < QUIET)) return false;
    engine->forecasts[pool].said = now;
    engine->forecasts[pool].said_at = engine->foreseen;
    snprintf(text, length, "predicted starts: by %d scenarios, %s", scenarios,
             (now & SIMPLIFIED) != 0 ? "simplified, as many jobs wait" : "in full");
    return true;
}

bool engine_expects(struct engine *engine, int64_t job, surefill_start *start) {
    *start = (surefill_start){.struct_size = sizeof *start};
    return engine->starts != NULL && engine->played &&
           surefill_starts_report(engine->starts, engine->scheduler, job, start) == SUREFILL_OK;
}

const char engine_cannot_tell[] = "surefill: cannot tell when it starts: longer waits are not known";
static const char stalled[] = "surefill: cannot tell when it starts: nothing starts, though a job may: the machine may be down";

int64_t engine_by(const surefill_start *start, int level) {
    return start->capped != 0 && start->by[level] >= start->by[4] ? 0 : start->by[level];
}

static const char expected[] = "surefill: expected to start at ", minutes[] = "%Y-%m-%d %H:%M";

/* The instant that a sentence names; -1 for another text. */
static int64_t shown_start(const char *shown) {
    struct tm local = {.tm_isdst = -1};
    if (shown == NULL || strncmp(shown, expected, sizeof expected - 1) != 0 ||
        sscanf(shown + sizeof expected - 1, "%d-%d-%d %d:%d", &local.tm_year, &local.tm_mon, &local.tm_mday, &local.tm_hour,
               &local.tm_min) != 5)
        return -1;
    local.tm_year -= 1900;
    local.tm_mon--;
    return (int64_t)mktime(&local);
}

static bool write_minute(int64_t when, char *text, size_t length) {
    const time_t moment = (time_t)when;
    struct tm local;
    return localtime_r(&moment, &local) != NULL && strftime(text, length, minutes, &local) > 0;
}

bool engine_start(struct engine *engine, int64_t job, int64_t now, const char *shown, char *text, size_t length) {
    surefill_start start = {.struct_size = sizeof start};
    const int64_t before = shown_start(shown);
    char median[32], late[32];
    if (engine->starts == NULL || !engine->played ||
        surefill_starts_predicted(engine->starts, engine->scheduler, job, &start) != SUREFILL_OK)
        return false;
    if (engine_by(&start, 2) == 0) {
        const char *why = start.capped == SUREFILL_START_STALLED ? stalled : engine_cannot_tell;
        const bool news = shown == NULL || strcmp(shown, why) != 0;
        return news && engine_expects(engine, job, &start) && snprintf(text, length, "%s", why) > 0;
    }
    /* A time that moves by less than a quarter of the rest is no news, unless it has passed. */
    if (before >= now && llabs(before - start.by[2]) <= 60 + (start.by[2] - now) / 4) return false;
    if (!engine_expects(engine, job, &start) ||
        !write_minute(start.by[2], median, sizeof median) || !write_minute(start.by[3], late, sizeof late))
        return false;
    snprintf(text, length, "%s%s, three of four such jobs by %s%s", expected, median, late,
             engine_by(&start, 3) == 0 ? " or later: longer waits are not known" : "");
    return true;
}

/* --- The state file --- */

/* A file that cannot be opened must not be destroyed by the next save. */
static enum engine_opened set_aside(const char *path, const char *why, char *message, size_t length) {
    char aside[FILES_PATH];
    int written = snprintf(aside, sizeof aside, "%s.refused", path);
    if (access(aside, F_OK) == 0) written = snprintf(aside, sizeof aside, "%s.refused.%lld", path, (long long)time(NULL));
    if (written >= (int)sizeof aside || rename(path, aside) != 0) {
        files_failed(message, length, "%s: %s, and it cannot be set aside: %s", path, why, strerror(errno));
        return ENGINE_FAILED;
    }
    files_failed(message, length, "%s: %s; kept as %s, starting without what was learnt", path, why, aside);
    return ENGINE_ASIDE;
}

enum engine_opened engine_open(struct engine *engine, const char *path, char *message, size_t length) {
    struct engine opened = {.capacity = engine->capacity, .scratch = engine->scratch, .scratch_size = engine->scratch_size,
                            .play = engine->play, .play_size = engine->play_size, .record = engine->record};
    char wanted[WORDS], own[WORDS];
    int64_t size, needed = 0;
    void *block = files_read(path, &size);
    int32_t status;
    message[0] = '\0';
    if (block == NULL && errno == ENOENT) return ENGINE_NEW;
    if (block == NULL) {
        files_failed(message, length, "%s: cannot be read: %s", path, strerror(errno));
        return ENGINE_FAILED;
    }
    status = surefill_scheduler_open(block, size, &opened.scheduler);
    if (status == SUREFILL_OK) status = surefill_scheduler_capacity_of(opened.scheduler, &opened.capacity);
    if (status == SUREFILL_OK) status = surefill_scheduler_size(&opened.capacity, &needed);
    if (status != SUREFILL_OK || needed != size || opened.capacity.pools != engine->capacity.pools ||
        opened.capacity.queues != engine->capacity.queues || opened.capacity.kinds != engine->capacity.kinds) {
        free(block);
        return set_aside(path, status == SUREFILL_OK ? "another program's state" : surefill_status_text(status), message,
                         length);
    }
    /* The file has the settings of the run before; what is not changed must not disturb a decision. */
    surefill_scheduler_words(engine->scheduler, wanted, sizeof wanted);
    surefill_scheduler_words(opened.scheduler, own, sizeof own);
    if (strcmp(wanted, own) != 0 &&
        surefill_scheduler_configure(opened.scheduler, wanted, (int64_t)strlen(wanted), NULL, own, sizeof own) != SUREFILL_OK) {
        files_failed(message, length, "%s: its predictor or seed is not that of the settings", path);
        free(block);
        return ENGINE_FAILED;
    }
    free(engine->scheduler);
    *engine = opened;
    return ENGINE_OPENED;
}

bool engine_save(struct engine *engine, const char *path, char *message, size_t length) {
    int64_t size;
    const int32_t status = surefill_scheduler_seal(engine->scheduler);
    if (status != SUREFILL_OK || surefill_scheduler_size(&engine->capacity, &size) != SUREFILL_OK)
        return files_failed(message, length, "%s: %s", path, surefill_status_text(status));
    return files_write(path, engine->scheduler, size, true, message, length);
}
