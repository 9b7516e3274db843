/* The PBS scheduler against the simulated server: decisions, order, faults, and what it does not judge. */
#include "../expect.h"
#include "attributes.h"
#include "scheduler.h"
#include "server.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int part = 1; /* the random streams are this factor shorter */

/* --- What the scheduler says --- */

static char said_all[1 << 16];
static void hear(void *context, const char *line) {
    char *all = context;
    size_t used = strlen(all), more = strlen(line);
    if (used + more + 2 > sizeof said_all) used = 0; /* only the latest matters */
    snprintf(all + used, sizeof said_all - used, "%s\n", line);
}
static bool said(const char *what) { return strstr(said_all, what) != NULL; }

/* --- Driving --- */

static struct scheduler begin(int vnodes, const char *settings) {
    struct scheduler scheduler = {.say = hear, .context = said_all};
    char message[200];
    server_begin(vnodes, 4);
    said_all[0] = '\0';
    settings_defaults(&scheduler.settings);
    CHECK(settings_read(&scheduler.settings, settings, message, sizeof message));
    CHECK(scheduler_init(&scheduler));
    return scheduler;
}

static void set(struct scheduler *scheduler, const char *settings) {
    char message[200];
    CHECK(settings_read(&scheduler->settings, settings, message, sizeof message));
}

/* The cycles of this second. */
static void look(struct scheduler *scheduler) {
    struct done done = {.again = true};
    for (int attempt = 0; attempt < 3 && done.again; attempt++) CHECK(scheduler_cycle(scheduler, 1, server.now, &done));
}

static void run(struct scheduler *scheduler, int64_t seconds) {
    for (int64_t second = 0; second < seconds; second++) {
        server_clock(server.now + 1);
        look(scheduler);
    }
}

/* Lets a number of jobs of this owner run, one after the other: a history. */
static void teach(struct scheduler *scheduler, const char *owner, const char *select, int64_t walltime, int64_t run_time,
                  int jobs) {
    for (int i = 0; i < jobs; i++) {
        server_submit(owner, select, walltime, run_time);
        look(scheduler);
        server_clock(server.now + run_time);
        look(scheduler);
    }
}

static bool unfinished(void) {
    for (int i = 0; i < server.job_count; i++)
        if (strchr("FX", server.jobs[i].state) == NULL) return true;
    return false;
}

/* --- Reading attributes --- */

static void attributes_are_read(void) {
    static const struct {
        const char *text;
        int64_t value; /* -1: refused */
    } durations[] = {{"90", 90}, {"01:30", 90}, {"10:00:00", 36000}, {"100:00:01", 360001}, {"5.7", 5}, {"", -1}, {"x", -1},
                     {"1:", -1}, {"1:2:3:4", -1}, {"-1", -1}, {"1h", -1}, {":1", -1}},
      sizes[] = {{"10gb", 10485760}, {"512mb", 524288}, {"1000", 1}, {"1025b", 2}, {"4kb", 4}, {"8mw", 65536}, {"2k", 2},
                 {"1tb", 1073741824}, {"", -1}, {"gb", -1}, {"1xb", -1}, {"1gbb", -1}, {"999999999999pb", -1}},
      jobs[] = {{"12.pbs", 12LL << 22}, {"12", 12LL << 22}, {"12[3].pbs.site.org", (12LL << 22) + 4}, {"12[0].p", (12LL << 22) + 1},
                {"12[].pbs", -1}, {"x.pbs", -1}, {"12[3", -1}, {"12[9999999].p", -1}};
    static const struct {
        const char *text;
        int32_t count, processors;
        int64_t kilobytes; /* count 0: refused */
    } selects[] = {{"3:ncpus=4", 3, 4, 0}, {"ncpus=2", 1, 2, 0}, {"5", 5, 1, 0}, {"2:ncpus=4:mpiprocs=4:mem=2gb", 2, 4, 2097152},
                   {"2:ncpus=4+1:ncpus=2", 0, 0, 0}, {"1:ncpus=4:ngpus=1", 0, 0, 0}, {"1:host=n3", 0, 0, 0},
                   {"0:ncpus=4", 0, 0, 0}, {"1:ncpus=0", 0, 0, 0}, {"1:", 0, 0, 0}, {"", 0, 0, 0}, {"1:ncpus=4x", 0, 0, 0}};
    const char *at = "(a:ncpus=2:mem=4kb+b:ncpus=2)+(c:ncpus=4)";
    char name[8], all[40] = "";
    int64_t value;
    struct chunks chunks;
    for (size_t i = 0; i < sizeof durations / sizeof *durations; i++)
        CHECK(read_duration(durations[i].text, &value) ? value == durations[i].value : durations[i].value == -1);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        CHECK(read_size(sizes[i].text, &value) ? value == sizes[i].value : sizes[i].value == -1);
    for (size_t i = 0; i < sizeof jobs / sizeof *jobs; i++)
        CHECK(read_job(jobs[i].text, &value) ? value == jobs[i].value : jobs[i].value == -1);
    for (size_t i = 0; i < sizeof selects / sizeof *selects; i++) {
        bool good = read_select(selects[i].text, &chunks);
        CHECK(good == (selects[i].count > 0));
        CHECK(!good || (chunks.count == selects[i].count && chunks.processors == selects[i].processors &&
                        chunks.kilobytes == selects[i].kilobytes));
    }
    while ((at = next_vnode(at, name, sizeof name)) != NULL) strcat(strcat(all, name), ".");
    CHECK(strcmp(all, "a.b.c.") == 0);
    CHECK(has_word("offline,job-exclusive", ", ", "offline") && !has_word("offline2, job", ", ", "offline") && !has_word(NULL, ",", "x"));
}

/* --- Decisions --- */

/* Three of five vnodes are busy, the head job wants all five; a long and a short job could overtake it. */
struct scene {
    struct server_job *busy, *head, *longer, *shorter;
};

static struct scene scene(struct scheduler *scheduler) {
    struct scene made;
    made.busy = server_submit("games", "3:ncpus=4", 3600, 30);
    look(scheduler);
    made.head = server_submit("games", "5:ncpus=4", 3600, 10);
    made.longer = server_submit("nobody", "1:ncpus=4", 7200, 20); /* by its history it would run two hours */
    made.shorter = server_submit("man", "1:ncpus=4", 7200, 2);
    return made;
}

static void the_scenarios(void) {
    struct scheduler scheduler = begin(5, "surefill_criterion=probability,surefill_tau=0.2");
    struct scene now;
    char comment[SERVER_TEXT];
    for (int i = 0; i < 40; i++) {
        teach(&scheduler, "games", "3:ncpus=4", 3600, 30, 1);
        teach(&scheduler, "man", "1:ncpus=4", 7200, 2, 1);
        teach(&scheduler, "nobody", "1:ncpus=4", 7200, 7000, 1);
    }
    CHECK(beliefs_jobs(scheduler.beliefs) == 120);

    /* The long job would delay the head job and waits; the short one starts, although by its limit it would as well. */
    now = scene(&scheduler);
    run(&scheduler, 100);
    CHECK(now.shorter->began < now.busy->ended);
    CHECK(now.longer->began >= now.head->began);
    CHECK(now.head->began == now.busy->ended);
    CHECK(said("probability 0.") && said(": wait") && said(": start"));
    strcpy(comment, now.head->comment);
    CHECK(strncmp(comment, "surefill: next in line, starts within ", 38) == 0);
    CHECK(atoi(comment + 38) > 5 && atoi(comment + 38) < 100);

    /* At a larger tau it starts, and ends in time. */
    set(&scheduler, "surefill_criterion=probability,surefill_tau=1.1");
    now = scene(&scheduler);
    run(&scheduler, 100);
    CHECK(now.longer->began < now.busy->ended && now.head->began == now.busy->ended);

    /* Beyond the budget nothing overtakes. */
    set(&scheduler, "surefill_criterion=probability,surefill_tau=1.1,surefill_budget=0.1");
    now = scene(&scheduler);
    run(&scheduler, 100);
    CHECK(now.longer->began >= now.head->began);

    /* In the shadow only what limits allow, and the log says what would have been. */
    said_all[0] = '\0';
    set(&scheduler, "surefill_criterion=probability,surefill_tau=0.2,surefill_mode=shadow");
    now = scene(&scheduler);
    run(&scheduler, 100);
    CHECK(now.shorter->began >= now.head->began && said("would start now"));

    /* An error of the library: said once, limits from there on. */
    said_all[0] = '\0';
    set(&scheduler, "surefill_criterion=probability,surefill_tau=0.2");
    scheduler.settings.preset.threshold = NAN;
    now = scene(&scheduler);
    run(&scheduler, 100);
    CHECK(now.shorter->began >= now.head->began && scheduler.limits_only);
    CHECK(said("from here on only time limits count") && strstr(strstr(said_all, "from here on") + 1, "from here on") == NULL);
    CHECK(server.refused == 0);
    scheduler_free(&scheduler);
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

static uint32_t random_state = 1;
static int random_below(int bound) {
    random_state = random_state * 1664525u + 1013904223u;
    return (int)((uint64_t)(random_state >> 8) * (uint64_t)bound >> 24);
}

static void limits_are_easy(void) {
    enum { MOST = 250, NODES = 12 };
    static struct plain_job plain[MOST];
    struct server_job *jobs[MOST];
    const int count = MOST / part;
    struct scheduler scheduler = begin(NODES, "surefill_mode=limits");
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

/* --- Everything at once --- */

static void every_job_ends_once(void) {
    const int seconds_in_all = 1500 / part;
    static const char *const owners[] = {"games", "man", "nobody"};
    struct scheduler scheduler = begin(16, "surefill_criterion=probability,surefill_tau=0.2,surefill_predictor=hmm");
    struct books_totals books;
    int ended = 0, twice = 0, lost = 0, deleted = 0, held = 0, restarted = 0, broken = -1;
    static char extend[] = "";
    static char user[] = "u";
    for (int second = 0; second < seconds_in_all || (unfinished() && second < 10 * seconds_in_all); second++) {
        server_clock(server.now + 1);
        if (second < seconds_in_all && random_below(4) == 0) {
            char select[40];
            int64_t limit = 20 + random_below(80);
            struct server_job *job;
            snprintf(select, sizeof select, "%d:ncpus=%d:mem=1gb", 1 + random_below(random_below(5) ? 5 : 16), 1 + random_below(4));
            if (random_below(30) == 0)
                job = server_submit_array(owners[random_below(3)], "1:ncpus=4", limit, 1 + random_below((int)limit), 1 + random_below(9));
            else
                job = server_submit(owners[random_below(3)], select, limit, 1 + random_below((int)limit));
            job->priority = random_below(3);
            if (random_below(12) == 0 && pbs_holdjob(1, job->name, user, extend) == 0) held++;
        }
        if (random_below(30) == 0 && server.job_count > 0) { /* a job is taken back, waiting or running */
            struct server_job *job = &server.jobs[random_below(server.job_count)];
            if (strchr("QRH", job->state) != NULL && strstr(job->name, "[]") == NULL && deleted < 40 && second < seconds_in_all)
                deleted += pbs_deljob(1, job->name, extend) == 0;
        }
        if (second % 200 == 50 && second < seconds_in_all) server_break(broken = random_below(16));
        if (second % 200 == 150 && broken >= 0) server_repair(broken);
        if (second % 50 == 0) /* users release what they held */
            for (int i = 0; i < server.job_count; i++)
                if (server.jobs[i].state == 'H' && random_below(4) == 0) pbs_rlsjob(1, server.jobs[i].name, user, extend);
        if (second == seconds_in_all / 2) { /* the scheduler starts anew from its state file */
            static const char file[] = "pbs-test.state";
            char message[200];
            double learnt = beliefs_jobs(scheduler.beliefs);
            struct scheduler again = {.say = hear, .context = said_all, .settings = scheduler.settings};
            CHECK(state_save(file, scheduler.beliefs, scheduler.books, message, sizeof message));
            scheduler_free(&scheduler);
            scheduler = again;
            CHECK(scheduler_init(&scheduler));
            CHECK(state_load(file, scheduler.beliefs, scheduler.books, message, sizeof message));
            CHECK(beliefs_jobs(scheduler.beliefs) == learnt && learnt > 20 / part);
            remove(file);
        }
        look(&scheduler);
        if (second % 100 == 0) beliefs_train(scheduler.beliefs, 0.001);
    }
    for (int i = 0; i < server.job_count; i++) {
        const struct server_job *job = &server.jobs[i];
        if (strstr(job->name, "[]") != NULL) continue;
        ended += job->ends == 1;
        twice += job->ends > 1;
        restarted += job->starts > 1;
        lost += strchr("FX", job->state) == NULL;
    }
    books_totals(scheduler.books, &books);
    CHECK(twice == 0 && lost == 0 && ended > 300 / part && deleted > 10 / part && held > 20 / part &&
          (restarted > 3 || part > 1) && server.refused == 0);
    CHECK(books.ended == ended && books.waiting == 0 && books.running == 0 && books.submitted == books.ended + books.withdrawn);
    printf("pbs: %d jobs ended once, %d of them restarted after a broken vnode, %d deleted, %d held for a while\n", ended,
           restarted, deleted, held);
    scheduler_free(&scheduler);
}

/* --- Faults --- */

static void faults_are_survived(void) {
    struct scheduler scheduler = begin(4, "surefill_mode=limits");
    struct server_job *one, *two, *head, *three;
    struct done done;
    CHECK(scheduler_may(&scheduler, 1));
    server.history = "False";
    CHECK(!scheduler_may(&scheduler, 1) && said("job_history_enable = True"));
    server.history = "True";
    server.scheduling = "True";
    CHECK(!scheduler_may(&scheduler, 1) && said("scheduling = False"));
    server.scheduling = "False";

    /* The server refuses a job that should start: those behind it go on, and it is tried again after a minute. */
    one = server_submit("games", "1:ncpus=4", 100, 10);
    two = server_submit("games", "1:ncpus=4", 100, 10);
    one->refuse = 1;
    run(&scheduler, 1);
    CHECK(two->starts == 1 && one->starts == 0 && said("PBS does not start it: Resources temporarily unavailable"));
    run(&scheduler, 30);
    CHECK(one->starts == 0);
    run(&scheduler, 60);
    CHECK(one->starts == 1 && one->ends == 1);

    /* It refuses a candidate: the next one is judged again without it. */
    one = server_submit("games", "3:ncpus=4", 100, 50);
    run(&scheduler, 1);
    head = server_submit("games", "4:ncpus=4", 100, 10);
    two = server_submit("games", "1:ncpus=4", 20, 10);
    three = server_submit("games", "1:ncpus=4", 20, 10);
    two->refuse = 1;
    run(&scheduler, 1);
    CHECK(two->starts == 0 && three->starts == 1 && head->starts == 0);
    run(&scheduler, 200);
    CHECK(head->began == one->ended && two->ends == 1);

    /* The connection breaks at any call of a cycle: reported, and nothing is lost. */
    for (int calls = 0; calls < 6; calls++) {
        one = server_submit("games", "4:ncpus=4", 100, 10);
        two = server_submit("games", "4:ncpus=4", 100, 10);
        server.answers = calls;
        if (calls < 3) CHECK(!scheduler_cycle(&scheduler, 1, server.now, &done));
        if (calls >= 3) scheduler_cycle(&scheduler, 1, server.now, &done);
        server.answers = -1;
        run(&scheduler, 200);
        CHECK(one->ends == 1 && two->ends == 1 && one->starts == 1 && two->starts == 1);
    }
    CHECK(said("PBS does not tell its queues: error 15031"));
    CHECK(server.refused == 0);
    scheduler_free(&scheduler);
}

/* --- What counting does not describe --- */

/* With these changes nobody overtakes, and the log says why. */
static void expect_unjudged(const char *why, void (*change)(struct scene *)) {
    struct scheduler scheduler = begin(5, "surefill_mode=limits");
    struct scene now;
    now.busy = server_submit("games", "3:ncpus=4", 100, 30);
    look(&scheduler);
    now.head = server_submit("games", "5:ncpus=4", 100, 10);
    now.longer = server_submit("games", "1:ncpus=4", 20, 10);
    now.shorter = server_submit("games", "1:ncpus=4", 20, 10);
    change(&now);
    run(&scheduler, 5);
    if (!said(why)) fprintf(stderr, "expected \"%s\", said:\n%s", why, said_all);
    CHECK(said(why) && now.shorter->starts == 0);
    scheduler_free(&scheduler);
}

static void reserve(struct scene *now) { (void)now, server.vnodes[4].resv = "R1.pbs"; }
static void differ(struct scene *now) { (void)now, server.vnodes[4].kilobytes *= 2; }
static void suspend(struct scene *now) { server_suspend(now->busy); }
static void share(struct scene *now) {
    struct server_job *other = server_submit("games", "1:ncpus=1", 100, 30);
    static char where[] = "(n0:ncpus=1)";
    strcpy(now->longer->place, "free"); /* one that shares, and is no candidate */
    strcpy(now->busy->place, strcpy(other->place, "free"));
    now->busy->exclusive = false;
    server.vnodes[0].ncpus = 8;
    CHECK(pbs_runjob(1, other->name, where, NULL) == 0);
    server.vnodes[0].ncpus = 4;
}
static void ask_for_gpus(struct scene *now) { strcpy(now->head->select, "5:ncpus=4:ngpus=1"); }
static void ask_for_licence(struct scene *now) { now->head->resource = "matlab"; }
static void ask_too_much(struct scene *now) {
    (void)now;
    server.vnodes[4].out = "offline";
}

static void nothing_is_guessed(void) {
    struct scheduler scheduler;
    struct server_job *held, *other, *gpu, *array;
    static char user[] = "u", extend[] = "";
    expect_unjudged("a reservation holds some of the vnodes", reserve);
    expect_unjudged("the vnodes differ", differ);
    expect_unjudged("a job is suspended", suspend);
    expect_unjudged("running jobs share vnodes", share);
    expect_unjudged("counting vnodes does not describe the head job", ask_for_gpus);
    expect_unjudged("counting vnodes does not describe the head job", ask_for_licence);
    expect_unjudged("the head job needs vnodes out of service", ask_too_much);

    /* Held jobs, stopped queues, other queues' vnodes; PBS's own scheduler places what we cannot. */
    scheduler = begin(4, "surefill_mode=limits");
    server.vnodes[3].queue = "special";
    held = server_submit("games", "1:ncpus=4", 100, 10);
    CHECK(pbs_holdjob(1, held->name, user, extend) == 0);
    other = server_submit("games", "1:ncpus=4", 100, 10);
    strcpy(other->queue, "special");
    gpu = server_submit("games", "1:ncpus=4:ngpus=1", 100, 10);
    array = server_submit_array("games", "1:ncpus=4", 100, 10, 3);
    run(&scheduler, 3);
    CHECK(held->starts == 0 && gpu->starts == 1 && said("started on vnodes that PBS chose"));
    CHECK(server.vnodes[3].assigned == 0);
    run(&scheduler, 60);
    CHECK(held->starts == 0 && array[0].ends == 1 && array[1].ends == 1 && array[2].ends == 1 && array[-1].state == 'F');
    server.started = "False";
    CHECK(pbs_rlsjob(1, held->name, user, extend) == 0);
    run(&scheduler, 20);
    CHECK(held->starts == 0);
    server.started = "True";
    run(&scheduler, 20);
    CHECK(held->ends == 1);
    scheduler_free(&scheduler);

    /* One queue with vnodes of its own. */
    scheduler = begin(4, "surefill_mode=limits");
    scheduler.queue = "special";
    server.vnodes[3].queue = "special";
    held = server_submit("games", "1:ncpus=4", 100, 10);
    other = server_submit("games", "1:ncpus=4", 100, 10);
    strcpy(other->queue, "special");
    run(&scheduler, 20);
    CHECK(held->starts == 0 && other->ends == 1 && strcmp(other->where, "(n3:ncpus=4)") == 0);
    scheduler_free(&scheduler);
}

/* --- The gentle seam --- */

static void soft_limits_are_written(void) {
    struct scheduler scheduler = begin(4, "surefill_mode=limits");
    struct server_job *busy, *waits, *own;
    teach(&scheduler, "games", "4:ncpus=4", 3600, 30, 50);
    scheduler.soft = 0.9;
    busy = server_submit("games", "4:ncpus=4", 3600, 30);
    run(&scheduler, 1);
    waits = server_submit("games", "4:ncpus=4", 3600, 30);
    own = server_submit("games", "4:ncpus=4", 3600, 30);
    own->soft = 1234;
    run(&scheduler, 1);
    CHECK(busy->starts == 1 && waits->soft >= 30 && waits->soft < 120 && own->soft == 1234);

    /* Where PBS's own scheduler starts jobs, that is all. */
    server.scheduling = "True";
    CHECK(scheduler_may(&scheduler, 1) && scheduler.plans_only);
    run(&scheduler, 60);
    waits = server_submit("games", "4:ncpus=4", 3600, 30);
    run(&scheduler, 60);
    CHECK(waits->starts == 0 && waits->soft >= 30);
    scheduler_free(&scheduler);
}

int main(int argc, char **argv) {
    if (argc > 1 && strcmp(argv[1], "short") == 0) part = 5;
    attributes_are_read();
    the_scenarios();
    limits_are_easy();
    every_job_ends_once();
    faults_are_survived();
    nothing_is_guessed();
    soft_limits_are_written();
    printf("pbs: %s\n", failures == 0 ? "attributes, decisions, EASY's order, faults, rules, soft limits: passed" : "FAILED");
    return failures == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
