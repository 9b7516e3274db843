/* A whole scheduler on surefill.h, and a stand-in for a resource manager that replays a workload under it.
 *
 *   cc -std=c11 whole_scheduler.c -lsurefill -lm
 *   ./a.out [--listings] [--state FILE] [--explain JOB] "WORDS" TRACE.swf
 *
 * WORDS are settings such as "preset=fast", "" for none. The scheduler is what stands between its two lines of stars:
 * some fifty lines, the same whatever the manager is. The stand-in reports each event, or with --listings all its jobs
 * again at every second at which something happens: the decisions are the same. With --state the scheduler goes on from
 * a file, if there is one, and is saved in it at the end. With --explain it says why the job of this number (from 1, in
 * the order of the trace) waits, whenever there is another reason.
 *
 * TRACE.swf is plain text in the Standard Workload Format, in order of submission.
 */
#include <stdbool.h>
#include <stdint.h>

enum { MAX_JOBS = 1 << 19 };

struct job {
    int64_t submit, run_time, limit, start, user;
    int32_t processors;
    bool started, ended;
};

#include "swf.h" /* jobs, job_count, machine */

static int64_t now, passes, offers, refusals;

/* ******************************************************************************************************************
 * The scheduler. */

static surefill_scheduler_capacity capacity = {.struct_size = sizeof capacity};
static surefill_scheduler *scheduler;
static surefill_cycle *cycle;
static void *block, *scratch;
static int64_t block_size, scratch_size;
static int32_t pool, queue;

/* The manager's answer to an offer: it starts the job (0), or says why not. */
static int32_t manager_starts(const surefill_action *offer);

static void *room(int64_t size) {
    void *memory = malloc((size_t)size);
    if (memory == NULL) fail("memory", "there is not enough");
    return memory;
}

/* The block that a file holds, and what it has room for. */
static void scheduler_open(const char *state, FILE *file) {
    int64_t head[3]; /* says how long it is */
    if (fread(head, 1, sizeof head, file) != sizeof head || surefill_block_size(head, &block_size) != SUREFILL_OK)
        fail(state, "is no state of a scheduler");
    rewind(file);
    block = room(block_size);
    if (fread(block, 1, (size_t)block_size, file) != (size_t)block_size) fail(state, "cannot be read");
    const int32_t status = surefill_scheduler_open(block, block_size, &scheduler);
    if (status != SUREFILL_OK) fail(state, surefill_status_text(status));
    CHECK(surefill_scheduler_capacity_of(scheduler, &capacity));
}

/* Once: a block for this number of jobs, which grows; or the one that a file holds. */
static void scheduler_make(int32_t most_jobs, const char *words, const char *state) {
    char message[300];
    FILE *file = state != NULL ? fopen(state, "rb") : NULL;
    if (file != NULL) {
        scheduler_open(state, file);
        fclose(file);
    } else {
        CHECK(surefill_scheduler_capacity_init(&capacity, most_jobs));
        capacity.delay_units = machine; /* for preset=papers and rule=delay */
        CHECK(surefill_scheduler_size(&capacity, &block_size));
        block = room(block_size);
        CHECK(surefill_scheduler_init(block, block_size, &capacity, &scheduler));
    }
    CHECK(surefill_cycle_size(&capacity, &scratch_size));
    scratch = room(scratch_size);
    if (surefill_scheduler_configure(scheduler, words, (int64_t)strlen(words), NULL, message, sizeof message) != SUREFILL_OK)
        fail("settings", message);
}

/* At the end, and every five minutes. */
static void scheduler_save(const char *state) {
    FILE *file = fopen(state, "wb");
    CHECK(surefill_scheduler_seal(scheduler));
    if (file == NULL || fwrite(block, 1, (size_t)block_size, file) != (size_t)block_size || fclose(file) != 0)
        fail(state, "cannot be written");
}

/* The manager says this of a job. */
static void scheduler_reports(const surefill_job *job) {
    int32_t status;
    while ((status = surefill_scheduler_set_job(scheduler, now, job)) == SUREFILL_ERROR_FULL) {
        surefill_scheduler *larger;
        capacity.jobs *= 2;
        CHECK(surefill_scheduler_size(&capacity, &block_size));
        CHECK(surefill_cycle_size(&capacity, &scratch_size));
        void *memory = room(block_size);
        CHECK(surefill_scheduler_grow(scheduler, memory, block_size, &capacity, &larger));
        free(block);
        free(scratch);
        block = memory;
        scheduler = larger;
        scratch = room(scratch_size);
    }
    check(status, "surefill_scheduler_set_job");
}

/* Which job is explained; 0 for none. */
static int64_t explained;

/* Before the cycle is closed: after that surefill_scheduler_reason knows as much, but for the price. */
static void scheduler_explains(void) {
    static int32_t before = SUREFILL_WHY_UNKNOWN;
    surefill_reason reason = {.struct_size = sizeof reason};
    char text[300];
    int64_t needed;
    if (surefill_cycle_reason(cycle, scheduler, explained, &reason) != SUREFILL_OK || reason.why == before) return;
    before = reason.why;
    CHECK(surefill_reason_sentence(&reason, NULL, NULL, text, sizeof text, &needed));
    printf("%" PRId64 ": job %" PRId64 ": %s\n", now, reason.job, text);
}

/* Whenever something was reported, and at the time that it asks for. */
static void scheduler_decides(void) {
    surefill_action action = {.struct_size = sizeof action};
    int64_t when, pools;
    if (surefill_scheduler_wake(scheduler, now, &when, &pools) != SUREFILL_OK || when > now) return;
    CHECK(surefill_cycle_begin(scratch, scratch_size, scheduler, pool, now, &cycle));
    for (CHECK(surefill_cycle_next(cycle, scheduler, &action)); action.step < SUREFILL_ACT_DONE;
         CHECK(surefill_cycle_next(cycle, scheduler, &action))) {
        if (action.step != SUREFILL_ACT_START) continue;
        const int32_t refused = manager_starts(&action);
        if (refused == 0)
            CHECK(surefill_cycle_started(cycle, scheduler, action.number, action.job));
        else
            CHECK(surefill_cycle_refused(cycle, scheduler, action.number, refused));
    }
    if (explained != 0) scheduler_explains();
    CHECK(surefill_cycle_close(cycle, scheduler));
}

/* ******************************************************************************************************************
 * The manager: a machine whose jobs run for as long as the trace says. */

static int32_t idle, first_unfinished, submitted;

static int32_t manager_starts(const surefill_action *offer) {
    struct job *job = &jobs[offer->job - 1];
    int32_t holds;
    offers++;
    CHECK(surefill_cycle_holds(cycle, scheduler, offer->number, &holds));
    if (!holds || job->started || job->processors > idle) {
        refusals++;
        return SUREFILL_REFUSED_BUSY;
    }
    job->started = true;
    job->start = now;
    idle -= job->processors;
    return 0;
}

static surefill_job said(int32_t id) {
    const struct job *job = &jobs[id];
    return (surefill_job){
        .struct_size = sizeof(surefill_job),
        .state = job->ended ? SUREFILL_JOB_ENDED : job->started ? SUREFILL_JOB_RUNNING : SUREFILL_JOB_WAITING,
        .id = id + 1,
        .user = job->user,
        .submit = job->submit,
        .start = job->started ? job->start : 0,
        .limit = job->limit,
        .ran = job->ended ? job->run_time : 0,
        .count = job->processors,
        .queue_count = 1,
        .queues = {queue},
    };
}

static int64_t end_of(int32_t id) { return jobs[id].start + jobs[id].run_time; }

static bool runs(int32_t id) { return jobs[id].started && !jobs[id].ended; }

/* All jobs that are in the system, or have just left it. */
static void list(void) {
    int32_t doubted;
    CHECK(surefill_scheduler_list_begin(scheduler, now));
    for (int32_t id = submitted - 1; id >= first_unfinished; id--) { /* the order does not matter */
        const surefill_job job = said(id);
        if (!jobs[id].ended || end_of(id) == now) scheduler_reports(&job);
    }
    CHECK(surefill_scheduler_list_end(scheduler, now, &doubted));
}

static void replay(bool listings) {
    for (;; passes++) {
        now = submitted < job_count ? jobs[submitted].submit : INT64_MAX;
        for (int32_t id = first_unfinished; id < submitted; id++)
            if (runs(id) && end_of(id) < now) now = end_of(id);
        if (now == INT64_MAX) break;
        for (int32_t id = first_unfinished; id < submitted; id++) {
            if (!runs(id) || end_of(id) > now) continue;
            jobs[id].ended = true;
            idle += jobs[id].processors;
            const surefill_job job = said(id);
            if (!listings) scheduler_reports(&job);
        }
        for (; submitted < job_count && jobs[submitted].submit <= now; submitted++) {
            const surefill_job job = said(submitted);
            if (!listings) scheduler_reports(&job);
        }
        if (listings) list();
        while (first_unfinished < submitted && jobs[first_unfinished].ended) first_unfinished++;
        scheduler_decides();
    }
}

int main(int argc, char **argv) {
    bool listings = false;
    const char *words = NULL, *trace = NULL, *state = NULL;
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--listings") == 0)
            listings = true;
        else if (strcmp(argv[i], "--state") == 0 && i + 1 < argc)
            state = argv[++i];
        else if (strcmp(argv[i], "--explain") == 0 && i + 1 < argc)
            explained = strtoll(argv[++i], NULL, 10);
        else if (words == NULL)
            words = argv[i];
        else if (trace == NULL)
            trace = argv[i];
        else
            fail("usage", "[--listings] [--state FILE] [--explain JOB] \"WORDS\" TRACE.swf");
    }
    if (trace == NULL) fail("usage", "[--listings] [--state FILE] [--explain JOB] \"WORDS\" TRACE.swf");
    read_trace(trace);
    idle = machine;
    scheduler_make(256, words, state);
    CHECK(surefill_scheduler_set_pool(scheduler, "nodes", 5, machine, -1, &pool));
    CHECK(surefill_scheduler_set_queue(scheduler, "batch", 5, pool, &queue));
    printf("%s on %" PRId32 " processors, %s\n", trace, machine, words);
    replay(listings);
    report_waits();
    surefill_totals totals = {.struct_size = sizeof totals};
    CHECK(surefill_scheduler_totals(scheduler, &totals));
    printf("  started              %12" PRId64 "\n", totals.started);
    printf("  offers, refused      %12" PRId64 ", %" PRId64 "\n", offers, refusals);
    printf("  passes               %12" PRId64 "\n", passes);
    if (state != NULL) scheduler_save(state);
    free(block);
    free(scratch);
    return 0;
}
