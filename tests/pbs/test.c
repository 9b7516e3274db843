/* The PBS scheduler against the simulated server: decisions, order, faults, and what it does not judge. */
#include "attributes.h"
#include "driving.h"

#include <time.h>

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
                {"12[].pbs", 12LL << 22}, {"x.pbs", -1}, {"12[3", -1}, {"12[9999999].p", -1}};
    static const struct {
        const char *text;
        int32_t count, processors;
        int64_t kilobytes; /* count 0: refused */
    } selects[] = {{"3:ncpus=4", 3, 4, 0}, {"ncpus=2", 1, 2, 0}, {"5", 5, 1, 0}, {"2:ncpus=4:mpiprocs=4:mem=2gb", 2, 4, 2097152},
                   {"2:ncpus=4+1:ncpus=2", 0, 0, 0}, {"1:ncpus=4:ngpus=1", 1, 4, 0}, {"1:host=n3", 1, 1, 0}, {"1:ngpus=x", 0, 0, 0},
                   {"0:ncpus=4", 0, 0, 0}, {"1:ncpus=0", 0, 0, 0}, {"1:", 0, 0, 0}, {"", 0, 0, 0}, {"1:ncpus=4x", 0, 0, 0}};
    const char *at = "(a:ncpus=2:mem=4kb+b:ncpus=2:ngpus=1)+(c:ncpus=4)+d";
    char all[80] = "", one[400];
    int64_t value;
    struct chunks chunks;
    struct piece piece;
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
    while ((at = next_piece(at, &piece)) != NULL) {
        snprintf(one, sizeof one, "%s %d %d %d.", piece.vnode, (int)piece.processors, (int)piece.gpus, (int)piece.kilobytes);
        strcat(all, one);
    }
    CHECK(strcmp(all, "a 2 0 4.b 2 1 0.c 4 0 0.d 0 0 0.") == 0);
    CHECK(read_select("2:ncpus=4:arch=linux:ngpus=2:host=n3", &chunks) && chunks.gpus == 2 && chunks.count == 2 &&
          strcmp(chunks.others, "arch=linux:host=n3") == 0);
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

/* The instants of a waiting job's comment: by when it starts with even chances, and with three in four. */
static bool commented(const struct server_job *job, int64_t *median, int64_t *late) {
    struct tm one = {.tm_isdst = -1}, other = {.tm_isdst = -1};
    const bool good = sscanf(job->comment, "surefill: expected to start at %d-%d-%d %d:%d, three of four such jobs by %d-%d-%d %d:%d",
                             &one.tm_year, &one.tm_mon, &one.tm_mday, &one.tm_hour, &one.tm_min, &other.tm_year, &other.tm_mon,
                             &other.tm_mday, &other.tm_hour, &other.tm_min) == 10;
    one.tm_year -= 1900, other.tm_year -= 1900, one.tm_mon--, other.tm_mon--;
    *median = good ? (int64_t)mktime(&one) : -1;
    *late = good ? (int64_t)mktime(&other) : -1;
    return good;
}

/* The plan lets those through that are predicted to end in time, whatever their limits, and no others; and who waits
 * reads when it is expected to start. */
static void the_scenarios(void) {
    struct scheduler scheduler = begin(5, "surefill_preset=fair");
    struct scene now;
    int64_t median, late;
    scheduler.starts = 1;
    for (int i = 0; i < 40; i++) {
        teach(&scheduler, "games", "3:ncpus=4", 3600, 30, 1);
        teach(&scheduler, "man", "1:ncpus=4", 7200, 2, 1);
        teach(&scheduler, "nobody", "1:ncpus=4", 7200, 7000, 1);
    }
    CHECK(totals_of(&scheduler).ended == 120);

    /* The long job would delay the head job and waits; the short one starts, although by its limit it would as well. */
    now = scene(&scheduler);
    run(&scheduler, 100);
    CHECK(now.shorter->began < now.busy->ended);
    CHECK(now.longer->began >= now.head->began);
    CHECK(now.head->began == now.busy->ended);
    CHECK(said(", ahead of "));
    /* Times are shown in whole minutes. */
    CHECK(commented(now.head, &median, &late) && median <= late);
    CHECK(median > now.busy->ended - 60 && median <= now.busy->ended + 60);
    CHECK(commented(now.longer, &median, &late) && median >= now.busy->ended - 60);

    /* By the limits alone the short job waits as well. */
    set(&scheduler, "preset=easy");
    server_clock(server.now + 7200);
    look(&scheduler);
    now = scene(&scheduler);
    run(&scheduler, 100);
    CHECK(now.shorter->began >= now.head->began && commented(now.head, &median, &late));

    /* In the shadow nothing starts, and the log says, once, what would. */
    set(&scheduler, "preset=fair");
    server_clock(server.now + 7200);
    look(&scheduler);
    now = scene(&scheduler);
    set(&scheduler, "mode=shadow");
    said_all[0] = '\0';
    run(&scheduler, 20);
    CHECK(now.shorter->starts == 0 && now.longer->starts == 0 && said("shadow: ") && said(now.shorter->name));
    CHECK(now.head->comment[0] == '\0');
    CHECK(!said(now.longer->name) && strstr(strstr(said_all, "shadow: ") + 1, "shadow: ") == NULL);
    CHECK(server.refused == 0);

    /* It is watched beside PBS's own scheduler, which must be on. */
    CHECK(!scheduler_may(&scheduler, 1) && said("mode=shadow starts nothing"));
    server.scheduling = "True";
    CHECK(scheduler_may(&scheduler, 1) && !scheduler.plans_only && said("what would start is logged, nothing is started"));
    scheduler_free(&scheduler);
}

/* On vnodes that differ no starts are predicted: the comments say why jobs wait. */
static void comments_say_why(void) {
    struct scheduler scheduler = begin(2, "surefill_preset=easy");
    struct server_job *runs, *wide, *next, *never;
    scheduler.starts = 60;
    server.vnodes[1].ncpus = 8;
    runs = server_submit("ada", "1:ncpus=7", 3600, 300);
    look(&scheduler);
    server_clock(server.now + 1);
    wide = server_submit("ada", "2:ncpus=3", 3600, 30);
    next = server_submit("ada", "1:ncpus=4", 7200, 30);
    never = server_submit("ada", "3:ncpus=8", 60, 30);
    run(&scheduler, 70);
    CHECK(runs->starts == 1 && wide->starts == 0 && next->starts == 0);
    CHECK(strcmp(wide->comment, "surefill: first in line, no room: 4 of 12 processors are idle, it wants 6") == 0);
    CHECK(strstr(next->comment, "surefill: starting it now could delay ") == next->comment && strstr(next->comment, wide->name) != NULL);
    CHECK(strncmp(never->comment, "surefill: never: ", 17) == 0);
    scheduler_free(&scheduler);
}

/* --- Everything at once --- */

static void every_job_ends_once(void) {
    const int seconds_in_all = 1500 / part;
    static const char settings[] = "surefill_preset=fast";
    static const char *const owners[] = {"games", "man", "nobody"};
    struct scheduler scheduler = begin(16, settings);
    surefill_totals totals;
    int requeued = 0, ended = 0, twice = 0, lost = 0, deleted = 0, held = 0, restarted = 0, broken = -1;
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
        if (second == seconds_in_all / 2) {
            const surefill_totals learnt = totals_of(&scheduler);
            restart(&scheduler, settings);
            totals = totals_of(&scheduler);
            CHECK(memcmp(&learnt, &totals, sizeof totals) == 0 && learnt.ended > 20 / part);
        }
        look(&scheduler);
    }
    for (int i = 0; i < server.job_count; i++) {
        const struct server_job *job = &server.jobs[i];
        if (strstr(job->name, "[]") != NULL) continue;
        ended += job->ends == 1;
        twice += job->ends > 1;
        restarted += job->starts > 1;
        requeued += job->run_count - job->ends;
        lost += strchr("FX", job->state) == NULL;
    }
    totals = totals_of(&scheduler);
    CHECK(twice == 0 && lost == 0 && ended > 300 / part && deleted > 10 / part && held > 20 / part &&
          (restarted > 3 || part > 1) && server.refused == 0);
    CHECK(totals.ended == ended && totals.waiting == 0 && totals.running == 0 && totals.broken == 0 &&
          totals.surprises == 0 && totals.requeued == requeued);
    printf("pbs: %d jobs ended once, %d of them restarted after a broken vnode, %d deleted, %d held for a while\n", ended,
           restarted, deleted, held);
    scheduler_free(&scheduler);
}

/* --- Faults --- */

static void faults_are_survived(void) {
    struct scheduler scheduler = begin(4, "surefill_preset=easy");
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
    CHECK(said("PBS does not report its queues: error 15031"));
    CHECK(server.refused == 0);
    scheduler_free(&scheduler);
}

/* --- Vnodes that jobs share, and that differ --- */

/* Jobs of every shape on vnodes of three kinds, by every preset: whatever is offered PBS takes, and all of them end. */
static void vnodes_are_shared(void) {
    static const char *const settings[] = {"surefill_preset=fair", "surefill_preset=fast", "surefill_preset=easy,surefill_fit=first"};
    static const char *const owners[] = {"games", "man", "nobody"};
    for (int preset = 0; preset < 3; preset++) {
        const int seconds_in_all = 600 / part;
        struct scheduler scheduler = begin(9, settings[preset]);
        int shared = 0, with_gpus = 0, broken = -1, overtaken = 0;
        surefill_totals totals;
        for (int i = 0; i < 9; i++) {
            server.vnodes[i].arch = i % 2 == 0 ? "linux" : "other";
            server.vnodes[i].ncpus = i < 3 ? 8 : 4;
            server.vnodes[i].ngpus = i < 3 ? 2 : 0;
            server.vnodes[i].kilobytes = (i < 6 ? 4 : 2) * 1048576;
        }
        for (int second = 0; second < seconds_in_all || (unfinished() && second < 10 * seconds_in_all); second++) {
            server_clock(server.now + 1);
            if (second < seconds_in_all && random_below(3) != 0) {
                static const char *const places[] = {"free", "free", "pack", "scatter", "scatter:excl", "free:shared"};
                const char *place = places[random_below(6)];
                const int64_t limit = 20 + random_below(80);
                const bool gpus = random_below(4) == 0;
                char select[100];
                struct server_job *job;
                snprintf(select, sizeof select, "%d:ncpus=%d:mem=%dgb%s%s", 1 + random_below(gpus || place[0] == 'p' ? 2 : 4),
                         1 + random_below(place[0] == 'p' ? 2 : 4), 1 + random_below(place[0] == 'p' ? 1 : 2), gpus ? ":ngpus=1" : "",
                         random_below(8) == 0 ? ":arch=linux" : "");
                job = server_submit(owners[random_below(3)], select, limit, 1 + random_below((int)limit));
                strcpy(job->place, place);
                job->priority = random_below(6) == 0;
                with_gpus += gpus;
            }
            if (second % 150 == 50 && second < seconds_in_all) server_break(broken = random_below(9));
            if (second % 150 == 100 && broken >= 0) server_repair(broken);
            if (second == seconds_in_all / 2) restart(&scheduler, settings[preset]);
            look(&scheduler);
            for (int i = 0; i < server.vnode_count; i++) {
                int jobs = 0;
                for (int k = 0; k < server.job_count; k++) jobs += server.jobs[k].on_count > 0 && server.jobs[k].on[0] == i;
                shared += jobs > 1;
            }
        }
        for (int i = 0; i < server.job_count; i++) {
            CHECK(server.jobs[i].ends == 1);
            for (int k = 0; k < i; k++) overtaken += server.jobs[k].began > server.jobs[i].began;
        }
        totals = totals_of(&scheduler);
        CHECK(server.refused == 0 && totals.ended == server.job_count && totals.surprises == 0 && !said("asks for more"));
        CHECK(shared > 500 / part && with_gpus > 50 / part && overtaken > 100 / part);
        scheduler_free(&scheduler);
    }
}

/* The job on the vnodes of a reservation ends before it begins, or waits; one of its own queue starts in it. */
static void reservations_are_kept(void) {
    struct scheduler scheduler = begin(2, "surefill_preset=fair");
    struct server_reservation *reservation = &server.reservations[server.reservation_count++];
    struct server_job *longer, *shorter, *inside, *other;
    *reservation = (struct server_reservation){.name = "R1.pbs", .queue = "R1", .start = server.now + 100, .end = server.now + 200};
    strcpy(reservation->where, "(n0:ncpus=4)");
    other = server_submit("games", "1:ncpus=4", 1000, 300);
    strcpy(other->select, "1:ncpus=4:host=n1");
    look(&scheduler);
    longer = server_submit("games", "1:ncpus=4", 101, 10);
    shorter = server_submit("games", "1:ncpus=4", 90, 10);
    inside = server_submit("games", "1:ncpus=4", 90, 10);
    strcpy(inside->queue, "R1");
    run(&scheduler, 50);
    CHECK(shorter->ends == 1 && longer->starts == 0 && inside->starts == 0 && other->starts == 1);
    run(&scheduler, 70);
    CHECK(inside->starts == 1 && longer->starts == 0);
    run(&scheduler, 100);
    CHECK(longer->starts == 1 && server.refused == 0);
    scheduler_free(&scheduler);
}

/* A wide job that waits for a vnode of which the server knows nothing yet keeps its place; when the vnode is down for
 * good it blocks no other. */
static void vnodes_are_awaited(void) {
    struct scheduler scheduler = begin(4, "surefill_preset=easy");
    struct server_job *wide, *narrow;
    run(&scheduler, 1);
    server.vnodes[3].out = "state-unknown,down";
    wide = server_submit("games", "4:ncpus=4", 5000, 10);
    narrow = server_submit("games", "1:ncpus=4", 5000, 10);
    run(&scheduler, 100);
    CHECK(wide->starts == 0 && narrow->starts == 0);
    server.vnodes[3].out = NULL;
    run(&scheduler, 20);
    CHECK(wide->ends == 1);
    run(&scheduler, 20);
    CHECK(narrow->ends == 1);
    server.vnodes[3].out = "down";
    wide = server_submit("games", "4:ncpus=4", 5000, 10);
    narrow = server_submit("games", "1:ncpus=4", 5000, 10);
    run(&scheduler, 20);
    CHECK(wide->starts == 0 && narrow->ends == 1 && server.refused == 0);
    scheduler_free(&scheduler);
}

/* --- What cannot be said --- */

/* A head job that asks for more than can be said is overtaken by no job, and the log says why. */
static void expect_guard_by(const char *settings, void (*change)(struct scene *)) {
    struct scheduler scheduler = begin(5, settings);
    struct scene now;
    now.busy = server_submit("games", "3:ncpus=4", 100, 30);
    look(&scheduler);
    now.head = server_submit("games", "5:ncpus=4", 100, 10);
    now.longer = server_submit("games", "1:ncpus=4", 20, 10);
    now.shorter = server_submit("games", "1:ncpus=4", 20, 10);
    change(&now);
    run(&scheduler, 5);
    CHECK(said("waits, nobody overtakes it: it asks for more than can be said") && now.shorter->starts == 0);
    scheduler_free(&scheduler);
}

static void ask_unevenly(struct scene *now) { strcpy(now->head->select, "3:ncpus=4+2:ncpus=4"); }
static void ask_for_licence(struct scene *now) { now->head->resource = "matlab"; }

static void nothing_is_guessed(void) {
    struct scheduler scheduler;
    struct server_job *held, *other, *gpu, *array;
    static char user[] = "u", extend[] = "";
    expect_guard_by("surefill_preset=easy", ask_unevenly);
    expect_guard_by("surefill_preset=fast", ask_unevenly);
    expect_guard_by("surefill_preset=fast", ask_for_licence);

    /* Held jobs, stopped queues, other queues' vnodes; PBS's own scheduler places what we cannot. */
    scheduler = begin(4, "surefill_preset=easy");
    server.vnodes[3].queue = "special";
    held = server_submit("games", "1:ncpus=4", 100, 10);
    CHECK(pbs_holdjob(1, held->name, user, extend) == 0);
    other = server_submit("games", "1:ncpus=4", 100, 10);
    strcpy(other->queue, "special");
    gpu = server_submit("games", "1:ncpus=4", 100, 10);
    gpu->resource = "matlab";
    array = server_submit_array("games", "1:ncpus=4", 100, 10, 3);
    run(&scheduler, 3);
    CHECK(held->starts == 0 && gpu->starts == 1 && said("started on vnodes that PBS chose"));
    CHECK(server.vnodes[3].assigned == 0 && other->starts == 0);
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

    /* At most two subjobs at once, in the order of their numbers; one that is put back runs again. */
    scheduler = begin(4, "surefill_preset=fair");
    array = server_submit_array("games", "1:ncpus=4", 100, 10, 5);
    array[-1].at_once = 2;
    run(&scheduler, 1);
    CHECK(array[0].starts == 1 && array[1].starts == 1 && array[2].starts == 0);
    run(&scheduler, 3);
    CHECK(array[2].starts == 0);
    server_break(1);
    run(&scheduler, 60);
    for (int i = 0; i < 5; i++) CHECK(array[i].ends == 1 && array[i].starts == 1 + (i == 1));
    CHECK(array[-1].state == 'F' && totals_of(&scheduler).requeued == 1);
    scheduler_free(&scheduler);

    /* Where no job overtakes, a job that PBS refuses does not keep back those behind it. */
    scheduler = begin(4, "surefill_preset=fair");
    held = server_submit("games", "3:ncpus=4", 100, 10);
    other = server_submit("games", "2:ncpus=4", 100, 10);
    gpu = server_submit("games", "4:ncpus=4", 100, 10);
    gpu->resource = "matlab";
    array = server_submit_array("games", "1:ncpus=4", 100, 10, 3);
    held->refuse = 1;
    run(&scheduler, 1);
    CHECK(held->starts == 0 && other->starts == 1 && gpu->starts == 0 && array[0].starts == 0);
    run(&scheduler, 15);
    CHECK(gpu->began == other->ended && array[0].starts == 0);
    run(&scheduler, 100);
    CHECK(held->began >= 1000061 && held->ends == 1 && array[2].ends == 1 && server.refused == 0);
    scheduler_free(&scheduler);

    /* One queue with vnodes of its own. */
    scheduler = begin(4, "surefill_preset=easy");
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
    struct scheduler scheduler = begin(4, "surefill_preset=easy");
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
    comments_say_why();
    every_job_ends_once();
    faults_are_survived();
    vnodes_are_shared();
    reservations_are_kept();
    vnodes_are_awaited();
    nothing_is_guessed();
    soft_limits_are_written();
    printf("pbs: %s\n", failures == 0 ? "attributes, decisions, faults, rules, soft limits: passed" : "FAILED");
    return failures == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
