/* Replays a workload with nothing but surefill.h: a queue in a preset's order, and backfilling by run-time
 * distributions learnt from the jobs that have finished.
 *
 *   cc -std=c11 replay.c -lsurefill -lm
 *   ./a.out [--preset easy|papers|delay|delay-fast] [--criterion probability|bound|seconds|relative] [--tau X]
 *       TRACE.swf
 *
 * TRACE.swf is plain text in the Standard Workload Format, in order of submission. Without a preset it is delay; with a
 * criterion it is that rule alone, below 0.05 (of seconds 60) or X, first come first served.
 *
 * All memory is static; reaching one of the capacities below ends the program with a message. The standard library
 * allocates a FILE when the trace is opened, but it is read and closed before the replay starts, and from there to the
 * last line printed nothing is allocated.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <surefill_parts.h>

enum {
    MAX_JOBS = 1 << 19,
    MAX_ACTIVE = 1 << 14, /* jobs that wait or run at one time */
    MAX_RUNNING = 1 << 12,
    MAX_CANDIDATES = 1 << 12,
    PASS_WORDS = 16 << 20, /* 128 MiB: enough for the numbers above on some 20,000 processors */
    HISTORIES = 1 << 17, /* of like jobs, kept by the predictor */
    PREDICTOR_WORDS = 4 << 20,
    WAITS_WORDS = 1 << 16
};

struct job {
    int64_t submit, run_time, limit, start, user;
    int32_t processors, slot;
    const surefill_distribution *believed;
    double value; /* its place in the order */
};

#include "swf.h" /* jobs, job_count, machine */

static int32_t idle;
static int64_t now;
static int32_t waiting[MAX_ACTIVE], waiting_count; /* in the queue's order */
static int32_t running[MAX_RUNNING], running_count; /* in order of their start */

/* What is believed of the jobs that wait or run, and the slots that are free. */
static int64_t beliefs[MAX_ACTIVE][SUREFILL_DISTRIBUTION_SIZE / 8];
static int32_t free_slots[MAX_ACTIVE], free_count;

static int64_t predictor_memory[PREDICTOR_WORDS], pass_memory[PASS_WORDS];
static surefill_predictor *predictor;
static surefill_pass *pass;
static int64_t waits_memory[WAITS_WORDS];
static surefill_recent_waits *waits;
static surefill_preset preset;
static int64_t backfilled, judged, passes;

static void prepare(void) {
    static int64_t bins_memory[SUREFILL_BINS_SIZE / 8];
    surefill_bins *bins;
    surefill_predictor_options options;
    surefill_pass_capacity capacity;
    CHECK(surefill_bins_init_default(bins_memory, sizeof bins_memory, &bins));
    CHECK(surefill_predictor_options_init(SUREFILL_PREDICTOR_MIXTURE, &options));
    options.jobs = 1; /* it is told run times, and need not hold the jobs */
    options.histories = HISTORIES;
    CHECK(surefill_predictor_init(predictor_memory, sizeof predictor_memory, &options, bins, &predictor));
    CHECK(surefill_pass_capacity_init(&capacity));
    capacity.running = MAX_RUNNING;
    capacity.candidates = MAX_CANDIDATES;
    capacity.processors = machine;
    capacity.events_per_bin = preset.events_per_bin;
    CHECK(surefill_pass_init(pass_memory, sizeof pass_memory, &capacity, &pass));
    CHECK(surefill_recent_waits_init(waits_memory, sizeof waits_memory, &preset, &waits));
    idle = machine;
    for (free_count = 0; free_count < MAX_ACTIVE; free_count++) free_slots[free_count] = free_count;
}

/* What is believed of a job's run time now: before any job has finished, nothing but its limit. */
static void predict(struct job *job) {
    const int64_t keys[] = {job->user, job->limit, job->processors};
    surefill_distribution *made;
    int32_t answer;
    CHECK(surefill_predictor_predict(predictor, keys, 3, now, beliefs[job->slot], sizeof beliefs[0], &answer, &made));
    job->believed = made;
}

static void learn(const struct job *job) {
    const int64_t keys[] = {job->user, job->limit, job->processors};
    CHECK(surefill_predictor_learn(predictor, keys, 3, job->run_time));
}

static void submit(int32_t id) {
    if (free_count == 0) fail("replay", "too many jobs wait or run at one time");
    jobs[id].slot = free_slots[--free_count];
    predict(&jobs[id]);
    waiting[waiting_count++] = id; /* as many waiting jobs as slots: there is room */
}

/* Starts the waiting job at this position of the queue. */
static void start(int32_t position) {
    struct job *job = &jobs[waiting[position]];
    if (running_count == MAX_RUNNING) fail("replay", "too many running jobs");
    running[running_count++] = waiting[position];
    memmove(&waiting[position], &waiting[position + 1], (size_t)(--waiting_count - position) * sizeof *waiting);
    job->start = now;
    idle -= job->processors;
    CHECK(surefill_recent_waits_add(waits, now - job->submit));
}

static int64_t end_of(int32_t position) { return jobs[running[position]].start + jobs[running[position]].run_time; }

/* Which running job ends next; of those that end together, the first submitted. */
static int32_t next_end(void) {
    int32_t next = 0;
    for (int32_t i = 1; i < running_count; i++)
        if (end_of(i) < end_of(next) || (end_of(i) == end_of(next) && running[i] < running[next])) next = i;
    return next;
}

static void end(int32_t position) {
    const struct job *job = &jobs[running[position]];
    memmove(&running[position], &running[position + 1], (size_t)(--running_count - position) * sizeof *running);
    idle += job->processors;
    free_slots[free_count++] = job->slot;
    learn(job);
}

/* Jobs by their values, equal ones by submission. They are nearly in order already. */
static void sort(int32_t *ids, int32_t count) {
    for (int32_t i = 1; i < count; i++) {
        const int32_t id = ids[i];
        int32_t to = i;
        for (; to > 0; to--) {
            const int32_t before = ids[to - 1];
            if (jobs[before].value < jobs[id].value || (jobs[before].value == jobs[id].value && before < id)) break;
            ids[to] = before;
        }
        ids[to] = id;
    }
}

/* One scheduling pass. The run times of jobs that have not ended are not looked at. */
static void schedule(void) {
    static int32_t candidates[MAX_CANDIDATES];
    int32_t count = 0, step, chosen;
    surefill_rule rule;
    CHECK(surefill_rule_init(&rule));
    CHECK(surefill_preset_rule(&preset, waits, &rule));
    for (int32_t i = 0; i < waiting_count; i++) {
        struct job *job = &jobs[waiting[i]];
        CHECK(surefill_preset_queue_value(&preset, waits, job->believed, job->limit, job->processors, now - job->submit,
                                          &job->value));
    }
    sort(waiting, waiting_count);
    while (waiting_count > 0 && jobs[waiting[0]].processors <= idle) start(0);
    for (int32_t i = 1; i < waiting_count; i++) {
        if (jobs[waiting[i]].processors > idle) continue;
        if (count == MAX_CANDIDATES) fail("replay", "too many candidates");
        predict(&jobs[waiting[i]]); /* more is known than at its submission */
        candidates[count++] = waiting[i];
    }
    if (count == 0) return;
    for (int32_t i = 0; i < count; i++) {
        struct job *job = &jobs[candidates[i]];
        CHECK(surefill_preset_candidate_value(&preset, job->believed, job->limit, job->processors, now - job->submit,
                                              &job->value));
    }
    sort(candidates, count);
    CHECK(surefill_pass_begin(pass, now, idle, waiting[0], jobs[waiting[0]].processors,
                              now - jobs[waiting[0]].submit));
    for (int32_t i = 0; i < running_count; i++) {
        const struct job *job = &jobs[running[i]];
        CHECK(surefill_pass_add_running(pass, job->processors, now - job->start, job->limit, job->believed, NULL));
    }
    for (int32_t i = 0; i < count; i++) {
        const struct job *job = &jobs[candidates[i]];
        CHECK(surefill_pass_add_candidate(pass, job->processors, job->limit, job->believed, NULL));
    }
    do {
        CHECK(surefill_pass_decide(pass, &rule, 1000000, &step, &chosen));
        if (step == SUREFILL_STEP_ACCEPT) {
            int32_t position = 1;
            while (waiting[position] != candidates[chosen]) position++;
            CHECK(surefill_pass_commit(pass, chosen));
            start(position);
            backfilled++;
        }
    } while (step != SUREFILL_STEP_DONE);
    for (int32_t i = 0; i < count; i++) {
        double delay;
        int32_t exactness, verdict;
        CHECK(surefill_pass_judgement(pass, i, &delay, &exactness, &verdict));
        judged += verdict != SUREFILL_VERDICT_DOES_NOT_FIT;
    }
}

/* At every second at which something happens: terminations, then submissions, then one pass. */
static void replay(void) {
    for (int32_t next = 0; next < job_count || running_count > 0; passes++) {
        now = next < job_count ? jobs[next].submit : INT64_MAX;
        if (running_count > 0 && end_of(next_end()) < now) now = end_of(next_end());
        while (running_count > 0 && end_of(next_end()) <= now) end(next_end());
        while (next < job_count && jobs[next].submit <= now) submit(next++);
        schedule();
    }
}

static void report(void) {
    report_waits();
    printf("  backfilled           %12" PRId64 "\n", backfilled);
    printf("  judged               %12" PRId64 "\n", judged);
    printf("  passes               %12" PRId64 "\n", passes);
}

int main(int argc, char **argv) {
    static const char usage[] =
        "[--preset easy|papers|delay|delay-fast] [--criterion probability|bound|seconds|relative] [--tau X] TRACE.swf";
    static char output[BUFSIZ];
    const char *trace = NULL, *name = "delay";
    setvbuf(stdout, output, _IOLBF, sizeof output);
    CHECK(surefill_preset_init(&preset, SUREFILL_PRESET_DELAY));
    for (int i = 1; i < argc; i++) {
        char *rest;
        if (strcmp(argv[i], "--preset") == 0 && i + 1 < argc) {
            int32_t known = 0;
            for (name = argv[++i]; known < 4 && strcmp(name, surefill_name(SUREFILL_NAME_PRESET, known)) != 0;) known++;
            if (known == 4) fail("usage", usage);
            CHECK(surefill_preset_init(&preset, known));
        } else if (strcmp(argv[i], "--tau") == 0 && i + 1 < argc) {
            preset.threshold = strtod(argv[++i], &rest);
            if (rest == argv[i] || *rest != '\0' || !(preset.threshold >= 0)) fail("usage", usage);
        } else if (strcmp(argv[i], "--criterion") == 0 && i + 1 < argc) {
            int32_t known = 0;
            for (i++; known < 4 && strcmp(argv[i], surefill_name(SUREFILL_NAME_CRITERION, known)) != 0;) known++;
            if (known == 4) fail("usage", usage);
            name = surefill_name(SUREFILL_NAME_CRITERION, known);
            CHECK(surefill_preset_init(&preset, SUREFILL_PRESET_EASY)); /* for its order */
            preset.criterion = known;
            preset.threshold = known == SUREFILL_CRITERION_SECONDS ? 60 : 0.05;
            preset.guard_quantile = 1;
            preset.or_easy = 0;
            preset.events_per_bin = 4;
        } else if (argv[i][0] != '-' && trace == NULL) {
            trace = argv[i];
        } else {
            fail("usage", usage);
        }
    }
    if (trace == NULL) fail("usage", usage);
    read_trace(trace);
    prepare();
    printf("%s on %" PRId32 " processors, %s: ", trace, machine, name);
    if (preset.guard_quantile == 0 && preset.or_easy != 0) /* what EASY refuses is guarded against, what it starts starts */
        printf("by the time limits alone\n");
    else
        printf("%s below %g\n", surefill_name(SUREFILL_NAME_CRITERION, preset.criterion), preset.threshold);
    replay();
    report();
    return 0;
}
