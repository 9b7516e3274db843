/* Jobs by the million through what the example schedulers share: books, beliefs, waits, delays, decisions, the state
 * file. A made-up resource manager behaves as badly as real ones may over years:
 *
 * - its clock is set hours and days ahead and back, and so jobs seem to have ended before they started;
 * - looks are missed, for hours too; jobs vanish waiting or running, or are seen twice, or as they were before;
 * - jobs never end, are put back into the queue, held, moved to other queues; the numbers of jobs come round again,
 *   also while the books still know the last one of that number;
 * - the scheduler is stopped and started, with all that it knows or with what it had saved some time before.
 *
 * Whatever happens, answers stay what they should be: probabilities between 0 and 1 that sum to 1, finite delays,
 * bounds and quantiles in order; no more jobs are known than there are; the library returns none but expected statuses;
 * and memory is at the end what it was after a tenth of the jobs.
 *
 *   long_run [SEED [JOBS [mix|user|hmm]]]      1, 200,000 and mix unless said otherwise */
#include "check.h"
#include "decide.h"
#include "state.h"
#include "watch.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

enum { NODES = 256, MOST = 2000, QUEUES = 12, USERS = 300, ENDLESS = 8, LAST_NUMBER = 30000, HOUR = 3600, DAY = 86400 };
enum { REMEMBERED = 300 }; /* seconds for which the resource manager remembers a job that has ended */
enum { SAVED = 8000, RESTARTED = 20000 }; /* jobs from one save to the next, and from one restart to the next */

/* --- The resource manager --- */

static uint64_t state_of_draws;
static uint64_t draw(uint64_t below) { /* splitmix64 */
    uint64_t z = state_of_draws += 0x9E3779B97F4A7C15u;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
    z = (z ^ z >> 27) * 0x94D049BB133111EBu;
    return (z ^ z >> 31) % below;
}
static bool one_in(uint64_t times) { return draw(times) == 0; }

struct job {
    struct sighting is, was; /* as the next look finds it, and as the one before did */
    int64_t end;             /* in true time, while it runs or when it has ended; INT64_MAX for never */
    bool seen, forgotten;
};

static struct job jobs[MOST]; /* in the order of their submission */
static int job_count, idle = NODES, endless;
static int64_t now, ahead; /* true time; by how much the machine's clock is ahead of it */
static int64_t next_number = 1, submitted;
static int64_t jumps, outages, lost, doubled, reused, restarts, kills, looks, passes, overtaken;

static int64_t machine_time(void) { return 1700000000 + now + ahead; }

static bool taken(int64_t number) {
    for (int i = 0; i < job_count; i++)
        if (jobs[i].is.facts.id == number) return true;
    return false;
}

static void set_clock(void) {
    if (!one_in(400)) return;
    jumps++;
    switch (draw(4)) {
    case 0: ahead = 0; break;
    case 1: ahead += (int64_t)draw(120) - 60; break;
    case 2: ahead += (int64_t)draw(48 * HOUR) - 24 * HOUR; break;
    default: ahead += (int64_t)draw(40 * DAY) - 20 * DAY;
    }
}

static void join(struct facts *facts, int queue) {
    snprintf(facts->queue, sizeof facts->queue, "queue%d", queue);
}

static void submit(void) {
    static const int64_t limits[] = {60, 600, HOUR, 4 * HOUR, DAY, SUREFILL_MAX_SECONDS, 0};
    struct job *job = &jobs[job_count];
    struct facts *facts = &job->is.facts;
    if (job_count == MOST) return;
    do {
        next_number = next_number % LAST_NUMBER + 1;
    } while (taken(next_number));
    *job = (struct job){.end = INT64_MAX};
    facts->id = next_number;
    facts->user = (int64_t)draw(USERS);
    facts->name = (int64_t)draw(5) + 5 * facts->user;
    facts->submit = machine_time();
    facts->limit = one_in(100) ? limits[draw(7)] : limits[(size_t)(facts->user + (int64_t)draw(2)) % 5];
    facts->nodes = facts->asked = one_in(500) ? 1 + (int32_t)draw(NODES) : 1 + (int32_t)draw(8);
    if (one_in(300)) facts->asked = (int32_t)draw(3) - 1;
    if (!one_in(500)) join(facts, (int)((facts->user + (int64_t)draw(2)) % QUEUES));
    job->is.held = one_in(20);
    job_count++;
    submitted++;
}

static void start(struct job *job) {
    const struct facts *facts = &job->is.facts;
    int64_t longest = facts->limit < DAY && facts->limit > 0 ? facts->limit : DAY, runs;
    runs = 1 + (int64_t)(20 * exp((double)draw(350) / 100) * (1 + (double)(facts->user % 7)) / 4); /* by its user */
    job->is.phase = PHASE_RUNNING;
    job->is.start = machine_time() - (int64_t)draw(60); /* some time since the last look */
    job->end = now + (runs < longest ? runs : longest);
    if (endless < ENDLESS && one_in(5000)) {
        job->end = INT64_MAX;
        endless++;
    }
    idle -= facts->nodes;
}

static void stop(struct job *job) {
    idle += job->is.facts.nodes;
    endless -= job->end == INT64_MAX;
    job->end = now;
}

static void put_back(struct job *job) {
    stop(job);
    job->is.phase = PHASE_WAITING;
    job->is.restarts++;
    job->is.start = 0;
    job->end = INT64_MAX;
}

/* Everything that happens until the next look. */
static void pass_time(int64_t seconds) {
    int left = 0;
    now += seconds;
    set_clock();
    for (int i = 0; i < job_count; i++) {
        struct job *job = &jobs[i];
        if (job->is.phase == PHASE_RUNNING && job->end <= now) {
            stop(job);
            job->is.phase = one_in(50) ? PHASE_BROKEN : PHASE_ENDED;
            job->is.run_time = machine_time() - job->is.start; /* negative when the clock was set back */
        } else if (job->is.phase == PHASE_RUNNING && one_in(5000)) {
            put_back(job);
        } else if (job->is.phase == PHASE_RUNNING && job->end == INT64_MAX && one_in(20000)) {
            stop(job); /* by an operator, after all */
            job->is.phase = PHASE_BROKEN;
        } else if (job->is.phase == PHASE_WAITING && one_in(100)) {
            job->is.held = !job->is.held && one_in(3);
        } else if (job->is.phase == PHASE_WAITING && one_in(3000)) {
            join(&job->is.facts, (int)draw(QUEUES));
        }
        if (one_in(20000)) { /* it vanishes, as when the resource manager has lost its own state */
            if (job->is.phase == PHASE_RUNNING) stop(job);
            job->forgotten = true;
            lost++;
            if (one_in(2)) { /* and its number goes to the next job, which the books may take for it */
                next_number = job->is.facts.id - 1;
                reused++;
            }
        }
        if (job->is.phase == PHASE_ENDED || job->is.phase == PHASE_BROKEN)
            job->forgotten |= now - job->end > REMEMBERED;
    }
    for (int i = 0; i < job_count; i++)
        if (!jobs[i].forgotten) jobs[left++] = jobs[i];
    job_count = left;
}

/* --- The scheduler --- */

static enum predictor predictor;
static struct books *books;
static struct beliefs *beliefs;
static struct decider *decider;
static struct pool pool;
static struct settings rules[4];
static struct state_mark mark;
static char folder[] = "/tmp/surefill-long.XXXXXX", path[64];
static struct settings *settings = rules;

static bool finite_and_not_negative(double value) { return isfinite(value) && value >= 0; }

static void wake(void) {
    books = books_make();
    beliefs = beliefs_make(predictor);
    decider = decider_make();
    if (books == NULL || beliefs == NULL || decider == NULL) exit(EXIT_FAILURE);
    mark = (struct state_mark){.device = 0};
}

static void sleep_well(void) {
    books_free(books);
    beliefs_free(beliefs);
    decider_free(decider);
}

static void save(void) {
    char message[300];
    CHECK(state_save_changes(path, beliefs, books, &mark, message, sizeof message));
}

/* With all that it knows, or killed some time after its last save. */
static void restart(void) {
    struct books_totals before, after;
    char message[300];
    bool kill = one_in(2);
    if (!kill) save();
    books_totals(books, &before);
    sleep_well();
    wake();
    CHECK(state_load(path, beliefs, books, message, sizeof message));
    books_totals(books, &after);
    CHECK(kill ? after.submitted <= before.submitted : memcmp(&before, &after, sizeof before) == 0);
    kills += kill;
    restarts++;
}

static void look(void) {
    looks++;
    books_begin(books);
    for (int i = 0; i < job_count; i++) {
        struct job *job = &jobs[i];
        bool late = job->seen && one_in(3000), twice = one_in(300);
        CHECK(books_see(books, beliefs, late ? &job->was : &job->is, machine_time()));
        if (twice) CHECK(books_see(books, beliefs, one_in(4) && job->seen ? &job->was : &job->is, machine_time()));
        doubled += twice || late;
        job->was = job->is;
        job->seen = true;
    }
    books_finish(books, beliefs, machine_time());
}

/* First come, first served as far as jobs fit; then those that decide() lets overtake, in one cycle of twelve. */
static void schedule(bool judge) {
    struct decision decision;
    int head = 0;
    for (; head < job_count; head++) {
        if (jobs[head].is.phase != PHASE_WAITING || jobs[head].is.held) continue;
        if (jobs[head].is.facts.nodes > idle) break;
        start(&jobs[head]);
    }
    if (!judge || head == job_count || idle == 0) return;
    pool.key = 1 + (int64_t)draw(3);
    pool.nodes = NODES;
    pool.idle = idle;
    pool.now = machine_time();
    pool.head = jobs[head].is.facts;
    pool.running_count = pool.candidate_count = 0;
    for (int i = 0; i < job_count; i++) {
        const struct job *job = &jobs[i];
        int64_t age = pool.now - job->is.start;
        if (job->is.phase == PHASE_RUNNING) {
            struct running one = {.facts = job->is.facts, .nodes = job->is.facts.nodes, .age = age < 0 ? 0 : age};
            CHECK(pool_add_running(&pool, &one));
        } else if (job->is.phase == PHASE_WAITING && !job->is.held && i > head) {
            CHECK(pool_add_candidate(&pool, &(struct candidate){.facts = job->is.facts, .place = i}));
        }
    }
    settings = &rules[draw(4)];
    decide(decider, settings, beliefs, 0, &pool, &decision);
    passes++;
    CHECK(decision.outcome == OUTCOME_DONE || decision.outcome == OUTCOME_OUT_OF_TIME);
    if (decision.outcome == OUTCOME_ERROR) fprintf(stderr, "decide: %s\n", decision.message);
    CHECK(decision.head_median == -1 || decision.head_median >= pool.now);
    for (int32_t i = 0; i < pool.candidate_count; i++) {
        const struct verdict *judged = &pool.candidates[i].judged;
        const double most = settings->criterion == SUREFILL_CRITERION_PROBABILITY ? 1 : INFINITY;
        CHECK(finite_and_not_negative(judged->delay) && judged->delay <= most);
        CHECK(finite_and_not_negative(judged->predicted) && finite_and_not_negative(judged->told));
    }
    for (int32_t i = 0; i < decision.accepted_count; i++) {
        const struct candidate *candidate = &pool.candidates[decision.accepted[i]];
        CHECK(candidate->facts.nodes <= idle);
        start(&jobs[candidate->place]);
        delays_overtook(beliefs_delays(beliefs), &pool, settings->criterion, candidate);
        overtaken++;
    }
}

/* --- The answers --- */

/* What is believed of a job at some age under its limit is a distribution. */
static void a_prediction_is_sane(void) {
    const struct sighting *job = &jobs[draw((uint64_t)job_count)].is;
    const surefill_distribution *believed;
    double p[SUREFILL_MAX_BINS], sum = 0;
    int64_t age = (int64_t)draw(3) * (int64_t)draw(2 * DAY), last = 0;
    int32_t status, count = 0;
    bool between = true;
    believed = beliefs_predict(beliefs, &job->facts, &status);
    CHECK_OK(status);
    if (believed == NULL) return;
    CHECK_OK(surefill_distribution_recalculate(believed, age, job->facts.limit, p, SUREFILL_MAX_BINS, &count));
    for (int32_t i = 0; i < count; i++) {
        between = between && p[i] >= 0 && p[i] <= 1;
        sum += p[i];
    }
    CHECK(between && (count == 0 || fabs(sum - 1) < 1e-9));
    for (int i = 0; i <= 10; i++) {
        int64_t remaining = -1;
        CHECK_OK(surefill_distribution_quantile(believed, i / 10.0, age, job->facts.limit, &remaining));
        CHECK(remaining >= 1 && remaining >= last && remaining <= SUREFILL_MAX_SECONDS);
        last = remaining;
    }
}

static int64_t bounds_given, bounds_kept, jobs_waiting;
static void a_report_is_sane(void *context, const struct waits_report *report) {
    (void)context;
    CHECK(report->known >= 0 && report->waiting >= 0 && report->kept >= 0 && report->kept <= report->given);
    CHECK(report->kinds >= 1 && report->kinds <= SUREFILL_MAX_CLUSTERS);
    for (int32_t k = 0; k < report->kinds && k < 4; k++) {
        CHECK(report->kind[k].from <= report->kind[k].to);
        CHECK(report->kind[k].bound >= -1 && report->kind[k].bound <= SUREFILL_MAX_SECONDS);
    }
    bounds_given += report->given;
    bounds_kept += report->kept;
    jobs_waiting += report->waiting;
}

static void answers_are_sane(void) {
    struct books_totals totals;
    books_totals(books, &totals);
    CHECK(totals.waiting >= 0 && totals.running >= 0 && totals.waiting + totals.running <= job_count);
    CHECK(totals.submitted >= totals.started && totals.submitted >= totals.ended + totals.withdrawn);
    CHECK(totals.submitted - totals.ended - totals.withdrawn == totals.waiting + totals.running);
    bounds_given = bounds_kept = jobs_waiting = 0;
    waits_each(beliefs_waits(beliefs), machine_time(), a_report_is_sane, NULL);
    CHECK(jobs_waiting <= totals.waiting);
    for (int32_t criterion = SUREFILL_CRITERION_PROBABILITY; criterion <= SUREFILL_CRITERION_RELATIVE; criterion++) {
        struct delays_totals delays;
        double told = delays_told(beliefs_delays(beliefs), 1, criterion, 0.5);
        delays_totals(beliefs_delays(beliefs), criterion, &delays);
        CHECK(delays.known >= 0 && finite_and_not_negative(delays.predicted) && finite_and_not_negative(delays.told) &&
              finite_and_not_negative(delays.observed) && finite_and_not_negative(told));
    }
    if (job_count > 0) a_prediction_is_sane();
}

/* --- The run --- */

static int64_t kilobytes(void) { /* the most that the process has had */
    struct rusage usage;
    return getrusage(RUSAGE_SELF, &usage) == 0 ? usage.ru_maxrss : -1;
}

static void say_memory(int64_t after, struct watch_memory memory, int64_t most) {
    printf("memory after %" PRId64 " jobs: %zu blocks, %zu bytes; the process at most %" PRId64 " kB\n", after,
           memory.blocks, memory.bytes, most);
}

static void run(int64_t count) {
    struct watch_memory early = {.blocks = 0}, late;
    int64_t early_jobs = 0, early_kilobytes = 0, late_kilobytes;
    while (submitted < count) {
        const uint64_t queue = 20 + draw(100);
        int64_t before = submitted;
        int waiting = 0;
        pass_time(one_in(2000) ? (int64_t)draw(15 * HOUR) : 1 + (int64_t)draw(120));
        if (one_in(1000)) ahead += 3; /* a leap of the time service */
        for (int i = 0; i < job_count; i++) waiting += jobs[i].is.phase == PHASE_WAITING;
        for (; waiting < (int)queue && submitted < before + 60; waiting++) submit();
        schedule(one_in(12));
        if (one_in(50)) {
            outages++;
        } else {
            look();
            if (one_in(10)) answers_are_sane();
        }
        if (predictor == PREDICTOR_HMM && one_in(20)) beliefs_train(beliefs, 0.001);
        if (submitted / SAVED != before / SAVED) save();
        if (submitted / RESTARTED != before / RESTARTED) restart();
        /* A restart takes more memory than all else. */
        if (early_jobs == 0 && submitted >= count / 10 && restarts > 1) {
            early_jobs = submitted;
            early = watch_memory();
            early_kilobytes = kilobytes();
        }
    }
    late = watch_memory();
    late_kilobytes = kilobytes();
    printf("%" PRId64 " jobs, %" PRId64 " looks, %" PRId64 " missed, %" PRId64 " passes, %" PRId64 " jobs overtook\n",
           submitted, looks, outages, passes, overtaken);
    printf("%" PRId64 " changes of the clock, %" PRId64 " jobs lost, %" PRId64 " seen twice or late, %" PRId64
           " numbers reused at once\n%" PRId64 " restarts, %" PRId64 " of them kills\n",
           jumps, lost, doubled, reused, restarts, kills);
    printf("bounds on waits: %" PRId64 " of %" PRId64 " held\n", bounds_kept, bounds_given);
    watch_report();
    if (early_jobs == 0) {
        printf("memory is not compared: there were too few restarts\n");
    } else {
        say_memory(early_jobs, early, early_kilobytes);
        say_memory(submitted, late, late_kilobytes);
        CHECK(late.blocks <= early.blocks + 8 && late.bytes <= early.bytes + early.bytes / 50);
        CHECK(late_kilobytes <= early_kilobytes + early_kilobytes / 4); /* how the blocks lie changes */
    }
    CHECK(watch_surprises() == 0);
}

int main(int argc, char **argv) {
    static const char *const words[] = {"", "surefill_preset=fast", "surefill_criterion=probability,surefill_tau=0.1",
                                        "surefill_criterion=seconds,surefill_events=1"};
    const int64_t count = argc > 2 ? strtoll(argv[2], NULL, 10) : 200000;
    char message[200];
    state_of_draws = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
    predictor = argc > 3 && strcmp(argv[3], "hmm") == 0 ? PREDICTOR_HMM
                : argc > 3 && strcmp(argv[3], "user") == 0 ? PREDICTOR_USER : PREDICTOR_MIX;
    if (mkdtemp(folder) == NULL) return EXIT_FAILURE;
    snprintf(path, sizeof path, "%s/state", folder);
    for (int i = 0; i < 4; i++) CHECK(settings_read(&rules[i], words[i], message, sizeof message));
    wake();
    save();
    run(count);
    sleep_well();
    pool_free(&pool);
    CHECK(watch_memory().blocks == 0);
    unlink(path);
    rmdir(folder);
    return checks_done();
}
