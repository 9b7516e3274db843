/* The PBS scheduler starts jobs when others do that must agree with it: the engine by itself, EASY in other words, and
 * the program before it ended and started anew, in more memory or from its state file. */
#include "driving.h"

/* --- The engine by itself --- */

/* A stream of jobs whose users' run times can be learnt. */
enum { STREAM = 250, STREAM_VNODES = 12 };

struct stream_job {
    const char *owner;
    int nodes, priority;
    int64_t submit, limit, run, start; /* start -1: waits */
};

static void make_stream(struct stream_job *jobs, int count) {
    static const char *const owners[] = {"games", "man", "nobody", "root"};
    static const int part_of_limit[] = {5, 20, 50, 100}; /* per cent */
    int64_t submit = 0;
    for (int i = 0; i < count; i++) {
        const int owner = random_below(4);
        submit += random_below(9);
        jobs[i] = (struct stream_job){.owner = owners[owner], .submit = submit, .start = -1};
        jobs[i].nodes = 1 + random_below(random_below(4) ? 4 : STREAM_VNODES);
        jobs[i].priority = random_below(8) == 0;
        jobs[i].limit = 20 * (1 + random_below(9));
        jobs[i].run = 1 + jobs[i].limit * part_of_limit[owner] / 100 * (90 + random_below(10)) / 100;
    }
}

/* The decisions of surefill.h on these jobs: each submission and each end is reported when it happens, nothing else. */
static void play_events(struct stream_job *jobs, int count, int64_t zero) {
    enum { ROOM = 1024 };
    surefill_scheduler_capacity capacity;
    surefill_scheduler *engine;
    surefill_cycle *cycle;
    int64_t size, scratch_size, when, pools;
    int32_t pool, queue;
    void *block, *scratch;
    surefill_node node = {.struct_size = sizeof node, .state = SUREFILL_NODE_UP, .amounts = {4, 1024}};
    CHECK(surefill_scheduler_capacity_init(&capacity, ROOM) == SUREFILL_OK);
    capacity.nodes = STREAM_VNODES;
    capacity.parts = STREAM_VNODES;
    CHECK(surefill_scheduler_size(&capacity, &size) == SUREFILL_OK);
    CHECK(surefill_cycle_size(&capacity, &scratch_size) == SUREFILL_OK);
    block = malloc((size_t)size);
    scratch = calloc(1, (size_t)scratch_size);
    CHECK(surefill_scheduler_init(block, size, &capacity, &engine) == SUREFILL_OK);
    CHECK(surefill_scheduler_set_pool(engine, "all", 3, 0, -1, &pool) == SUREFILL_OK);
    CHECK(surefill_scheduler_set_queue(engine, "all", 3, pool, &queue) == SUREFILL_OK);
    for (int32_t i = 0; i < STREAM_VNODES; i++) CHECK(surefill_scheduler_set_node(engine, pool, i, &node) == SUREFILL_OK);
    for (int64_t left = count, now = zero; left > 0; now++) {
        for (int ends = 1; ends >= 0; ends--) {
            for (int i = 0; i < count; i++) {
                const bool is_end = jobs[i].start >= 0 && jobs[i].start + jobs[i].run == now;
                surefill_job job = {.struct_size = sizeof job, .id = (int64_t)(i + 1) << 22, .queue_count = 1};
                if (ends ? !is_end : zero + jobs[i].submit != now) continue;
                job.state = ends ? SUREFILL_JOB_ENDED : SUREFILL_JOB_WAITING;
                job.user = surefill_hash(jobs[i].owner, (int64_t)strlen(jobs[i].owner));
                job.submit = zero + jobs[i].submit;
                job.limit = jobs[i].limit;
                job.count = jobs[i].nodes;
                job.each[0] = 4;
                job.flags = SUREFILL_FLAG_EXCLUSIVE;
                job.priority = jobs[i].priority;
                job.queues[0] = queue;
                job.ran = ends ? jobs[i].run : 0;
                CHECK(surefill_scheduler_set_job(engine, now, &job) == SUREFILL_OK);
                left -= ends;
            }
        }
        if (surefill_scheduler_wake(engine, now, &when, &pools) != SUREFILL_OK || when > now) continue;
        CHECK(surefill_cycle_begin(scratch, scratch_size, engine, pool, now, &cycle) == SUREFILL_OK);
        for (;;) {
            surefill_action action = {.struct_size = sizeof action};
            CHECK(surefill_cycle_next(cycle, engine, &action) == SUREFILL_OK);
            if (action.step != SUREFILL_ACT_START) break;
            jobs[(action.job >> 22) - 1].start = now;
            CHECK(surefill_cycle_started(cycle, engine, action.number, action.job) == SUREFILL_OK);
        }
        CHECK(surefill_cycle_close(cycle, engine) == SUREFILL_OK);
    }
    free(block);
    free(scratch);
}

/* Number of jobs that start at another second with the program than by these events. With restarts above 0 it ends
 * and starts anew every time that this number of seconds has passed. */
static int differences(const struct stream_job *jobs, int count, int restarts) {
    static const char settings[] = "surefill_preset=fair";
    struct server_job *said_of[STREAM];
    struct scheduler scheduler = begin(STREAM_VNODES, settings);
    const int64_t zero = server.now;
    int next = 0, differ = 0;
    for (int64_t now = 0; next < count || unfinished(); now++) {
        server_clock(zero + now);
        for (; next < count && jobs[next].submit == now; next++) {
            char select[40];
            snprintf(select, sizeof select, "%d:ncpus=4", jobs[next].nodes);
            said_of[next] = server_submit(jobs[next].owner, select, jobs[next].limit, jobs[next].run);
            said_of[next]->priority = jobs[next].priority;
        }
        if (restarts > 0 && now % restarts == restarts / 2) restart(&scheduler, settings);
        look(&scheduler);
    }
    for (int i = 0; i < count; i++) differ += said_of[i]->starts != 1 || said_of[i]->began != jobs[i].start;
    CHECK(server.refused == 0);
    scheduler_free(&scheduler);
    return differ;
}

static void decisions_are_the_engines(void) {
    static struct stream_job jobs[STREAM];
    const int count = STREAM / part;
    int overtaken = 0, differ;
    make_stream(jobs, count);
    play_events(jobs, count, 1000000);
    for (int i = 0; i < count; i++)
        for (int k = 0; k < i; k++) overtaken += jobs[k].start > jobs[i].start;
    differ = differences(jobs, count, 0);
    if (differ > 0) fprintf(stderr, "%d of %d jobs start at another time than by events\n", differ, count);
    CHECK(differ == 0 && overtaken > 100 / part);
    differ = differences(jobs, count, 150);
    if (differ > 0) fprintf(stderr, "with restarts %d of %d jobs start at another time\n", differ, count);
    CHECK(differ == 0);
}

/* --- Limits alone: EASY --- */

/* EASY in its own words, on the same stream: starts[job], by seconds. */
struct plain_job {
    int nodes;
    int64_t submit, limit, run, start; /* start -1: waits */
};

static void start_easy(struct plain_job *jobs, int count, int nodes, int64_t now) {
    int idle = nodes, head = -1, extra = 0;
    int64_t shadow = 0;
    for (int i = 0; i < count; i++)
        if (jobs[i].start >= 0 && jobs[i].start + jobs[i].run > now) idle -= jobs[i].nodes;
    for (int i = 0; i < count; i++) {
        if (jobs[i].start >= 0 || jobs[i].submit > now) continue;
        if (head < 0 && jobs[i].nodes <= idle) {
            jobs[i].start = now;
            idle -= jobs[i].nodes;
        } else if (head < 0) { /* when enough of those that run have reached their limits */
            head = i;
            for (extra = idle, shadow = now; extra < jobs[i].nodes; shadow++) {
                extra = idle;
                for (int k = 0; k < count; k++) {
                    int64_t end = jobs[k].start + jobs[k].limit > now ? jobs[k].start + jobs[k].limit : now + 1;
                    if (jobs[k].start >= 0 && jobs[k].start + jobs[k].run > now && end <= shadow + 1) extra += jobs[k].nodes;
                }
            }
            extra -= jobs[i].nodes;
        } else if (jobs[i].nodes <= idle && (now + jobs[i].limit <= shadow || jobs[i].nodes <= extra)) {
            if (now + jobs[i].limit > shadow) extra -= jobs[i].nodes;
            jobs[i].start = now;
            idle -= jobs[i].nodes;
        }
    }
}

static void limits_are_easy(void) {
    enum { MOST = 250, NODES = 12 };
    static struct plain_job plain[MOST];
    struct server_job *jobs[MOST];
    const int count = MOST / part;
    struct scheduler scheduler = begin(NODES, "surefill_preset=easy");
    int64_t zero = server.now, submit = 0;
    int overtaken = 0, next = 0, differ = 0;
    for (int i = 0; i < count; i++) {
        submit += random_below(9);
        plain[i] = (struct plain_job){.nodes = 1 + random_below(random_below(4) ? 4 : NODES), .submit = submit, .start = -1};
        plain[i].limit = 5 + random_below(60);
        plain[i].run = 1 + random_below((int)plain[i].limit);
    }
    for (int64_t now = 0; now <= submit || unfinished(); now++) {
        server_clock(zero + now);
        for (; next < count && plain[next].submit == now; next++) {
            char select[40];
            snprintf(select, sizeof select, "%d:ncpus=4", plain[next].nodes);
            jobs[next] = server_submit("games", select, plain[next].limit, plain[next].run);
        }
        start_easy(plain, count, NODES, now);
        look(&scheduler);
    }
    for (int i = 0; i < count; i++) {
        differ += jobs[i]->starts != 1 || jobs[i]->began != zero + plain[i].start;
        for (int k = 0; k < i; k++) overtaken += jobs[k]->began > jobs[i]->began;
    }
    if (differ > 0) fprintf(stderr, "%d of %d jobs start at another time than under EASY\n", differ, count);
    CHECK(differ == 0 && overtaken > 100 / part && server.refused == 0);
    scheduler_free(&scheduler);
}

/* --- Memory --- */

/* More jobs, more tasks of an array and more ended jobs than there is room for at first: nothing is lost, and every run
 * time is learnt once. */
static void memory_grows(void) {
    const int jobs = 700 / part, tasks = 1000 / part;
    struct scheduler scheduler = begin(60, "surefill_preset=fast");
    const struct server_job *array;
    surefill_totals totals;
    for (int i = 0; i < jobs; i++) server_submit("games", "2:ncpus=4", 60, 2);
    array = server_submit_array("man", "1:ncpus=4", 60, 1, tasks);
    for (int second = 0; second < 200 && unfinished(); second++) run(&scheduler, 1);
    run(&scheduler, 1);
    for (int i = 0; i < server.job_count; i++)
        CHECK(server.jobs[i].ends == (&server.jobs[i] != array - 1) && server.jobs[i].starts == server.jobs[i].ends);
    totals = totals_of(&scheduler);
    CHECK(totals.ended == jobs + tasks && totals.started == totals.ended && totals.waiting == 0 && totals.running == 0);
    CHECK(part > 1 || (scheduler.engine.capacity.jobs > 256 && scheduler.engine.capacity.ended >= 1024));
    CHECK(server.refused == 0 && !said("left to PBS") && !said("no decision"));
    scheduler_free(&scheduler);
}

/* --- State files --- */

/* Puts one byte of the file into another state; the file's first bytes say which layout it has. */
static void change_byte(long at) {
    FILE *file = fopen(state_file, "r+b");
    int byte;
    CHECK(file != NULL && fseek(file, at, SEEK_SET) == 0 && (byte = fgetc(file)) != EOF);
    CHECK(file != NULL && fseek(file, at, SEEK_SET) == 0 && fputc(byte ^ 64, file) != EOF && fclose(file) == 0);
}

static void other_files_are_set_aside(void) {
    static const char aside[] = "pbs-test.state.refused", settings[] = "surefill_preset=fast,surefill_mode=shadow";
    struct scheduler scheduler = begin(4, "surefill_preset=fast"), again;
    char message[400];
    CHECK(engine_open(&scheduler.engine, state_file, message, sizeof message) == ENGINE_NEW);
    teach(&scheduler, "games", "4:ncpus=4", 3600, 30, 3);
    for (long at = 0; at < 700; at = 2 * at + 4) { /* its layout's numbers, and its contents */
        FILE *kept;
        CHECK(engine_save(&scheduler.engine, state_file, message, sizeof message));
        change_byte(at);
        again = make(settings);
        CHECK(engine_open(&again.engine, state_file, message, sizeof message) == ENGINE_ASIDE);
        CHECK(strstr(message, "kept as pbs-test.state.refused, starting without what was learnt") != NULL);
        CHECK(totals_of(&again).ended == 0 && fopen(state_file, "rb") == NULL);
        kept = fopen(aside, "rb");
        CHECK(kept != NULL && fclose(kept) == 0 && remove(aside) == 0);
        scheduler_free(&again);
    }
    /* The settings are those of this start, not those of the run before. */
    CHECK(engine_save(&scheduler.engine, state_file, message, sizeof message));
    again = make(settings);
    CHECK(engine_open(&again.engine, state_file, message, sizeof message) == ENGINE_OPENED);
    CHECK(totals_of(&again).ended == 3 && engine_has(&again.engine, "mode=shadow") && engine_has(&again.engine, "preset=fast"));
    scheduler_free(&again);
    /* A setting that cannot be changed is not, and the file stays. */
    again = make("surefill_predictor=limit");
    CHECK(engine_open(&again.engine, state_file, message, sizeof message) == ENGINE_FAILED);
    CHECK(strstr(message, "its predictor or seed") != NULL && remove(state_file) == 0);
    scheduler_free(&again);
    scheduler_free(&scheduler);
}

int main(int argc, char **argv) {
    if (argc > 1 && strcmp(argv[1], "short") == 0) part = 5;
    decisions_are_the_engines();
    limits_are_easy();
    memory_grows();
    other_files_are_set_aside();
    printf("pbs: %s\n", failures == 0 ? "the engine's starts, EASY's starts, restarts, memory, state files: passed" : "FAILED");
    return failures == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
