/* Recorded cycles of the example schedulers: what is kept is what was decided, a damaged or cut file is refused at
 * every byte, the folder keeps forty files, and a full disk changes no decision.
 *
 *   records FOLDER       leaves records for surefill-cycle in same, different and layout below it */
#include "engine.h"

#include "../expect.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { UNITS = 40, NODES = 5, MOST = 4000, NOW = 1000000 };

static const char *base;
static bool full; /* the disk */
ssize_t __real_pwrite(int file, const void *bytes, size_t count, off_t at);
ssize_t __wrap_pwrite(int file, const void *bytes, size_t count, off_t at) {
    if (!full) return __real_pwrite(file, bytes, count, at);
    errno = ENOSPC;
    return at < 4096 ? __real_pwrite(file, bytes, count, at) : -1;
}

static const char *path_of(const char *folder, const char *name) {
    static char paths[4][600];
    static int next;
    char *path = paths[next++ % 4];
    snprintf(path, sizeof *paths, "%s/%s%s%s", base, folder, name == NULL ? "" : "/", name == NULL ? "" : name);
    return path;
}

static int files_in(const char *folder, char names[][80], int most) {
    DIR *open = opendir(path_of(folder, NULL));
    int count = 0;
    CHECK(open != NULL);
    for (const struct dirent *entry; open != NULL && (entry = readdir(open)) != NULL;)
        if (entry->d_name[0] != '.' && count < most) snprintf(names[count++], 80, "%.79s", entry->d_name);
    closedir(open);
    return count;
}

/* --- A manager that does what it likes --- */

static uint32_t random_state = 7;
static int below(int bound) {
    random_state = random_state * 1664525u + 1013904223u;
    return (int)((uint64_t)(random_state >> 8) * (uint64_t)bound >> 24);
}

struct manager {
    struct engine engine;
    surefill_job jobs[MOST];
    int64_t now, ends[MOST];
    int32_t pool, queue, count;
    bool nodes;
};

static void make(struct manager *manager, const char *words, const char *folder, bool nodes) {
    char text[800], message[400];
    struct pace pace;
    surefill_node node = {.struct_size = sizeof node, .state = SUREFILL_NODE_UP, .amounts = {8, 64}};
    memset(manager, 0, sizeof *manager);
    snprintf(text, sizeof text, "%s,surefill_record=%s", words, path_of(folder, NULL));
    mkdir(path_of(folder, NULL), 0700);
    CHECK(engine_make(&manager->engine, engine_one_pool, text, &pace, message, sizeof message));
    manager->now = NOW;
    manager->nodes = nodes;
    if (nodes) CHECK(engine_nodes(&manager->engine, NODES) == SUREFILL_OK);
    CHECK(surefill_scheduler_set_pool(manager->engine.scheduler, "p", 1, nodes ? 0 : UNITS, -1, &manager->pool) == SUREFILL_OK);
    CHECK(surefill_scheduler_set_queue(manager->engine.scheduler, "q", 1, manager->pool, &manager->queue) == SUREFILL_OK);
    for (int32_t i = 0; nodes && i < NODES; i++) {
        node.name = i + 1;
        CHECK(surefill_scheduler_set_node(manager->engine.scheduler, manager->pool, i, &node) == SUREFILL_OK);
    }
}

static void report(struct manager *manager, const surefill_job *job) {
    CHECK(engine_set_job(&manager->engine, manager->now, job) == SUREFILL_OK);
}

static surefill_job *submit(struct manager *manager, int32_t tasks) {
    surefill_job *job = &manager->jobs[manager->count++];
    *job = (surefill_job){.struct_size = sizeof *job, .state = SUREFILL_JOB_WAITING, .id = manager->count, .user = below(4) + 1};
    job->submit = manager->now;
    job->limit = 600 * (1 + below(12));
    job->count = manager->nodes ? 1 + below(NODES) : 1 + below(UNITS);
    job->tasks = tasks;
    job->queue_count = 1;
    job->queues[0] = manager->queue;
    job->flags = manager->nodes && below(2) == 0 ? SUREFILL_FLAG_PACKED : 0;
    if (manager->nodes) job->each[0] = 1 + below(8);
    if (tasks > 1) job->count = 1 + below(3);
    report(manager, job);
    return job;
}

static void start(struct manager *manager, surefill_cycle *cycle, const surefill_action *offer) {
    surefill_job *job = &manager->jobs[offer->job - 1];
    if (job->tasks > 1) { /* a task of its own number */
        surefill_job *task = &manager->jobs[manager->count++];
        *task = *job;
        task->id = manager->count;
        task->tasks = 0;
        job->tasks--;
        job = task;
    }
    CHECK(engine_started(&manager->engine, cycle, offer->number, job->id) == SUREFILL_OK);
    job->state = SUREFILL_JOB_RUNNING;
    manager->ends[job->id - 1] = manager->now + 1 + below((int)job->limit);
}

/* A cycle in which nothing but the record looks at what is asked. */
static void cycle(struct manager *manager, bool meddles) {
    static const int32_t refusals[] = {SUREFILL_REFUSED_BUSY, SUREFILL_REFUSED_NOT_NOW, SUREFILL_REFUSED_NEVER};
    struct engine *engine = &manager->engine;
    surefill_cycle *cycle = NULL;
    surefill_action action;
    surefill_reason reason = {.struct_size = sizeof reason};
    int32_t holds, status = engine_begin(engine, manager->pool, manager->now, &cycle);
    while (status == SUREFILL_OK && (status = engine_next(engine, cycle, &action)) == SUREFILL_OK && action.step < SUREFILL_ACT_DONE) {
        if (action.step != SUREFILL_ACT_START) continue;
        if (meddles) { /* none of this may matter to what is offered next */
            for (int32_t i = 0; i < manager->count; i += 1 + below(5))
                (void)surefill_cycle_reason(cycle, engine->scheduler, manager->jobs[i].id, &reason);
            (void)surefill_scheduler_reason(engine->scheduler, manager->now, action.job, &reason);
        }
        if (meddles && below(8) == 0) { /* it is edited while it is offered */
            surefill_job *job = &manager->jobs[action.job - 1];
            job->limit += 60;
            report(manager, job);
        }
        CHECK(engine_holds(engine, cycle, action.number, &holds) == SUREFILL_OK);
        if (!holds || below(9) == 0) continue; /* withdrawn */
        if (below(6) == 0)
            CHECK(engine_refused(engine, cycle, &action, refusals[below(meddles ? 2 : 3)], manager->now) == SUREFILL_OK);
        else
            start(manager, cycle, &action);
    }
    CHECK(engine_close(engine, cycle, status) == SUREFILL_OK);
    for (int32_t i = 0; i < manager->count; i += 3)
        if (manager->jobs[i].state == SUREFILL_JOB_WAITING)
            (void)engine_reason(engine, manager->now, manager->jobs[i].id, &reason);
}

/* Forecasts, plans and tries behind a cycle change what is remembered, and so the blocks of later records. */
static void ask(struct manager *manager) {
    struct engine *engine = &manager->engine;
    surefill_reason reason = {.struct_size = sizeof reason};
    surefill_job tried = manager->jobs[0];
    surefill_cycle *plan;
    surefill_start expected;
    char text[200];
    if (manager->count == 0) return;
    while (!manager->nodes && !engine_foresee(engine, manager->pool, manager->now, 1) && engine->starts != NULL) continue;
    for (int32_t i = 0; i < manager->count; i++) {
        if (below(2) == 0) (void)engine_start(engine, manager->jobs[i].id, manager->now, NULL, text, sizeof text);
        (void)engine_expects(engine, manager->jobs[i].id, &expected);
    }
    CHECK(engine_plan(engine, manager->pool, manager->now, &plan));
    tried.id = 0;
    tried.state = SUREFILL_JOB_WAITING;
    CHECK(surefill_cycle_try(plan, engine->scheduler, &tried, &reason) == SUREFILL_OK);
}

static void live(struct manager *manager, int seconds, bool meddles) {
    for (int second = 0; second < seconds; second++) {
        manager->now += 1 + below(600);
        for (int32_t i = 0; i < manager->count; i++) {
            surefill_job *job = &manager->jobs[i];
            if (job->state != SUREFILL_JOB_RUNNING || manager->ends[i] > manager->now) continue;
            job->state = SUREFILL_JOB_ENDED;
            report(manager, &(surefill_job){.struct_size = sizeof *job, .state = SUREFILL_JOB_ENDED, .id = job->id, .ran = 1 + below(600)});
        }
        for (int jobs = below(4); jobs > 0 && manager->count < MOST / 2; jobs--) submit(manager, below(9) == 0 ? 2 + below(30) : 0);
        cycle(manager, meddles);
        if (meddles) ask(manager);
    }
}

/* --- The tests --- */

static struct manager manager;

/* Every record is decided again as it was: under every preset, on units and on nodes, whatever was asked between. */
static void round_trip(void) {
    static const char *const presets[] = {"surefill_preset=fair", "surefill_preset=fast", "surefill_preset=easy",
                                          "surefill_mode=shadow"};
    for (int i = 0; i < 8; i++) {
        char folder[20];
        snprintf(folder, sizeof folder, "same/%d", i);
        make(&manager, presets[i % 4], folder, i >= 4);
        live(&manager, 12, true);
        engine_free(&manager.engine);
    }
}

static bool reads(const char *path, const char *what) {
    struct recorded recorded;
    char message[FILES_PATH + 200] = "";
    const bool good = record_read(path, &recorded, message, sizeof message);
    CHECK(good || strstr(message, what) != NULL);
    if (good) recorded_free(&recorded);
    return good;
}

static void write_file(const char *path, const void *bytes, size_t size) {
    FILE *file = fopen(path, "wb");
    CHECK(file != NULL && fwrite(bytes, 1, size, file) == size && fclose(file) == 0);
}

/* The words of a file with one of them changed, and a checksum that says it is whole. */
static void write_changed(const char *path, const int64_t *words, int64_t size, int64_t at, int64_t word) {
    const int64_t count = size / (int64_t)sizeof *words;
    int64_t *copy = malloc((size_t)size);
    memcpy(copy, words, (size_t)size);
    copy[at] = word;
    copy[count - 1] = surefill_hash((const char *)copy, size - (int64_t)sizeof *words);
    write_file(path, copy, (size_t)size);
    free(copy);
}

/* A record says what was there: the block of that time, and each event. Then it is damaged. */
static void format(void) {
    surefill_cycle *cycle = NULL;
    surefill_action action;
    struct recorded recorded;
    char message[FILES_PATH + 200], names[2][80];
    char *block, *bytes, *bad = malloc(1 << 20);
    const char *file;
    int64_t size, sealed;
    make(&manager, "surefill_preset=easy", "format", false);
    submit(&manager, 0)->count = 8;
    report(&manager, &manager.jobs[0]);
    CHECK(surefill_scheduler_size(&manager.engine.capacity, &size) == SUREFILL_OK);
    CHECK(surefill_scheduler_seal(manager.engine.scheduler) == SUREFILL_OK);
    block = malloc((size_t)size);
    memcpy(block, manager.engine.scheduler, (size_t)size);
    CHECK(engine_begin(&manager.engine, manager.pool, NOW, &cycle) == SUREFILL_OK);
    CHECK(engine_next(&manager.engine, cycle, &action) == SUREFILL_OK && action.job == 1);
    start(&manager, cycle, &action);
    CHECK(engine_next(&manager.engine, cycle, &action) == SUREFILL_OK && action.step == SUREFILL_ACT_DONE);
    CHECK(engine_close(&manager.engine, cycle, SUREFILL_OK) == SUREFILL_OK);
    CHECK(files_in("format", names, 2) == 0);
    CHECK(engine_trouble(&manager.engine, message, sizeof message) == NULL);
    CHECK(files_in("format", names, 2) == 1 && strcmp(names[0], "cycle-0000000000.surefill") == 0);
    file = path_of("format", names[0]);
    CHECK(record_read(file, &recorded, message, sizeof message));
    CHECK(recorded.pool == 0 && recorded.now == NOW && recorded.size == size && memcmp(recorded.block, block, (size_t)size) == 0);
    {
        const int64_t expected[] = {RECORD_NEXT,   8, 0, SUREFILL_ACT_START, 1, 0, 0, 0, 8, SUREFILL_WHY_IN_ORDER,
                                    RECORD_STARTED, 3, 0, 0, 1,
                                    RECORD_NEXT,   8, 0, SUREFILL_ACT_DONE,  0, 0, 0, 0, 0, 0,
                                    RECORD_CLOSED, 1, 0};
        CHECK(recorded.end - recorded.events == sizeof expected / sizeof *expected);
        CHECK(memcmp(recorded.events, expected, sizeof expected) == 0);
    }
    bytes = files_read(file, &sealed);
    for (int64_t at = 0; at < sealed; at++) {
        memcpy(bad, bytes, (size_t)sealed);
        bad[at] = (char)(bad[at] ^ 1 << at % 8);
        write_file(file, bad, (size_t)sealed);
        CHECK(!reads(file, at < 8 ? "not a record" : "damaged"));
    }
    for (int64_t cut = 0; cut < sealed; cut++) {
        write_file(file, bytes, (size_t)cut);
        CHECK(!reads(file, cut < 8 ? "not a record" : "cut short"));
    }
    memcpy(bad, bytes, (size_t)sealed);
    memset(bad + sealed, 0, 16);
    for (int longer = 1; longer <= 16; longer++) {
        write_file(file, bad, (size_t)(sealed + longer));
        CHECK(!reads(file, "cut short"));
    }
    write_file(file, bytes, (size_t)sealed);
    CHECK(reads(file, ""));
    /* Whole files that lie: sizes and counts beyond the end. */
    for (int64_t at = 3; at < sealed / 8 - 1; at += at < 8 ? 1 : 11) {
        static const int64_t lies[] = {-1, INT64_MIN, INT64_MAX, INT64_C(1) << 32, 1, 1000};
        for (size_t i = 0; i < sizeof lies / sizeof *lies; i++) {
            write_changed(file, (const int64_t *)(void *)bytes, sealed, at, lies[i]);
            (void)reads(file, ""); /* valgrind and the sanitizers look */
        }
    }
    mkdir(path_of("different", NULL), 0700);
    mkdir(path_of("layout", NULL), 0700);
    {
        const int64_t *words = (const int64_t *)(void *)bytes, first = recorded.events - recorded.words;
        write_changed(path_of("different", "job"), words, sealed, first + 4, 2);
        write_changed(path_of("different", "reason"), words, sealed, first + 9, SUREFILL_WHY_PLANNED);
        write_changed(path_of("layout", "block"), words, sealed, 9, words[9] ^ INT64_C(1) << 32);
    }
    recorded_free(&recorded);
    free(bytes);
    free(bad);
    free(block);
    engine_free(&manager.engine);
}

static int by_name(const void *one, const void *other) { return strcmp(one, other); }

/* Forty files, the newest; files of other names stay. */
static void bound(void) {
    char names[100][80];
    make(&manager, "surefill_preset=fast", "bound", false);
    write_file(path_of("bound", "cycle-7.surefill"), "x", 1);
    write_file(path_of("bound", "notes"), "x", 1);
    live(&manager, 65, false);
    engine_free(&manager.engine); /* the last record is kept as well */
    CHECK(files_in("bound", names, 100) == RECORDS_KEPT + 2);
    qsort(names, RECORDS_KEPT + 2, sizeof *names, by_name);
    CHECK(strcmp(names[0], "cycle-0000000025.surefill") == 0 && strcmp(names[39], "cycle-0000000064.surefill") == 0);
    CHECK(strcmp(names[40], "cycle-7.surefill") == 0 && strcmp(names[41], "notes") == 0);
    make(&manager, "surefill_preset=fast", "bound", false);
    live(&manager, 2, false);
    engine_free(&manager.engine);
    CHECK(files_in("bound", names, 100) == RECORDS_KEPT + 2);
    qsort(names, RECORDS_KEPT + 2, sizeof *names, by_name);
    CHECK(strcmp(names[0], "cycle-0000000027.surefill") == 0 && strcmp(names[39], "cycle-0000000066.surefill") == 0);
}

/* The start of a job behind one without a limit lies beyond all that is known: that is reported, once, and no
 * instant, until the other has a limit. */
static void unknown_starts(void) {
    struct engine *engine = &manager.engine;
    surefill_start expects;
    surefill_reason reason = {.struct_size = sizeof reason};
    char text[200], next[200];
    make(&manager, "surefill_preset=easy", "unknown", false);
    for (int i = 0; i < 2; i++) {
        surefill_job *job = submit(&manager, 0);
        job->count = UNITS;
        job->limit = i == 0 ? 0 : 3600;
        job->state = i == 0 ? SUREFILL_JOB_RUNNING : SUREFILL_JOB_WAITING;
        job->start = i == 0 ? NOW : 0;
        report(&manager, job);
    }
    while (!engine_foresee(engine, manager.pool, NOW, 1)) CHECK(engine->starts != NULL);
    CHECK(engine_expects(engine, 2, &expects) && expects.capped == 1 && expects.by[2] > NOW);
    for (int level = 0; level < 5; level++) CHECK(engine_by(&expects, level) == 0);
    CHECK(engine_reason(engine, NOW, 2, &reason) == SUREFILL_OK && reason.expected == 0);
    CHECK(engine_start(engine, 2, NOW, NULL, text, sizeof text) && strcmp(text, engine_cannot_tell) == 0);
    CHECK(!engine_start(engine, 2, NOW, text, next, sizeof next));
    manager.now = NOW + 10;
    manager.jobs[0].limit = 7200;
    report(&manager, &manager.jobs[0]);
    while (!engine_foresee(engine, manager.pool, NOW + 10, 1)) CHECK(engine->starts != NULL);
    CHECK(engine_start(engine, 2, NOW + 10, text, next, sizeof next) && strstr(next, "expected to start at") != NULL);
    CHECK(engine_expects(engine, 2, &expects) && engine_by(&expects, 2) == NOW + 7200 && engine_by(&expects, 3) >= NOW + 7200);
    CHECK(engine_reason(engine, NOW + 10, 2, &reason) == SUREFILL_OK && reason.expected == NOW + 7200);
    expects = (surefill_start){.capped = 1, .by = {NOW, NOW + 1, NOW + 2, NOW + 9, NOW + 9}};
    CHECK(engine_by(&expects, 2) == NOW + 2 && engine_by(&expects, 3) == 0);
    engine_free(engine);
}

/* A forecast of a long queue is simplified, and one that took long is followed by one of fewer scenarios; the log says
 * so where it changes. */
static void long_queue(void) {
    enum { LONG = 300 };
    struct engine *engine = &manager.engine;
    char text[200];
    make(&manager, "surefill_preset=fair", "long", false);
    for (int i = 0; i < LONG; i++) {
        surefill_job *job = submit(&manager, 0);
        job->count = UNITS;
        job->limit = 600;
        job->state = i == 0 ? SUREFILL_JOB_RUNNING : SUREFILL_JOB_WAITING;
        job->start = i == 0 ? NOW : 0;
        report(&manager, job);
        if (i != 1) continue;
        while (!engine_foresee(engine, manager.pool, NOW, 1)) CHECK(engine->starts != NULL);
        CHECK(!engine_forecast_news(engine, text, sizeof text));
    }
    for (int i = 0; i < 5; i++) {
        /* Seconds that the last forecast took: of 5 that it may take; and scenarios, and news, of the next one. */
        static const struct {
            double took;
            int after;
            const char *news;
        } next[] = {{0.1, 10, "by 20 scenarios, simplified"}, {6.5, 1000, NULL}, {6.5, 5000, "by 15 scenarios, simplified"},
                    {1000, 9000, NULL}, {0.5, 13000, "by 20 scenarios, in full"}};
        const int scenarios[] = {20, 15, 15, 10, 20};
        if (i == 4)
            for (int job = 2; job < LONG; job++) {
                manager.jobs[job].state = SUREFILL_JOB_GONE;
                report(&manager, &manager.jobs[job]);
            }
        engine->forecasts[manager.pool].seconds = next[i].took;
        if (i > 0) engine->forecasts[manager.pool].scenarios = 20;
        while (!engine_foresee(engine, manager.pool, NOW + next[i].after, 1)) CHECK(engine->starts != NULL);
        CHECK(engine->forecasts[manager.pool].scenarios == scenarios[i]);
        CHECK(engine_forecast_news(engine, text, sizeof text) == (next[i].news != NULL));
        CHECK(next[i].news == NULL || strstr(text, next[i].news) != NULL);
    }
    CHECK(!engine_forecast_news(engine, text, sizeof text));
    engine_free(engine);
}

/* On a full disk, and without the folder, cycles go on as they would; it is said once, and again after a good one. */
static void trouble(void) {
    char message[FILES_PATH], names[100][80];
    int files;
    make(&manager, "surefill_preset=fair", "full", false);
    live(&manager, 5, false);
    CHECK(engine_trouble(&manager.engine, message, sizeof message) == NULL);
    files = files_in("full", names, 100);
    CHECK(files == 5);
    for (int again = 0; again < 2; again++) {
        full = true;
        live(&manager, 1, false);
        CHECK(engine_trouble(&manager.engine, message, sizeof message) == message && strstr(message, "No space left") != NULL);
        live(&manager, 5, false);
        CHECK(engine_trouble(&manager.engine, message, sizeof message) == NULL);
        CHECK(files_in("full", names, 100) == files + again);
        full = false;
        live(&manager, 1, false);
        CHECK(engine_trouble(&manager.engine, message, sizeof message) == NULL);
        CHECK(files_in("full", names, 100) == files + again + 1);
    }
    engine_free(&manager.engine);
    make(&manager, "surefill_preset=fair", "gone", false);
    rmdir(path_of("gone", NULL));
    live(&manager, 3, false);
    CHECK(engine_trouble(&manager.engine, message, sizeof message) == message && strstr(message, "No such file") != NULL);
    live(&manager, 3, false);
    CHECK(engine_trouble(&manager.engine, message, sizeof message) == NULL);
    engine_free(&manager.engine);
}

/* Recording changes no decision: the same random manager, with and without. */
static uint64_t decisions(bool recorded) {
    surefill_totals totals = {.struct_size = sizeof totals};
    uint64_t hash = 0;
    random_state = 99;
    make(&manager, "surefill_preset=fair", "aside", false);
    if (!recorded) manager.engine.record.wanted = false;
    live(&manager, 30, true);
    CHECK(surefill_scheduler_totals(manager.engine.scheduler, &totals) == SUREFILL_OK && totals.started > 10);
    for (int32_t i = 0; i < manager.count; i++) hash = hash * 31 + (uint64_t)manager.ends[i];
    engine_free(&manager.engine);
    return hash;
}

int main(int argc, char **argv) {
    if (argc != 2) return 2;
    base = argv[1];
    mkdir(path_of("same", NULL), 0700);
    round_trip();
    format();
    unknown_starts();
    long_queue();
    bound();
    trouble();
    CHECK(decisions(true) == decisions(false));
    if (failures == 0) printf("records: kept, refused when damaged, forty of them, and no decision is another\n");
    return failures > 0;
}
