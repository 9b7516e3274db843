/* The plugin's parts that need no Slurm: books, beliefs, state file, decisions, pools, refusals. */
#include "../expect.h"
#include "decide.h"
#include "foretell.h"
#include "refusals.h"
#include "state.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <surefill_models.h>
#include <sys/stat.h>
#include <unistd.h>

/* Every allocation of the program goes through these, put before the real ones by the linker (--wrap): the one that
 * this counts down to fails. */
static int until_shortage = -1;

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *old, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *old, size_t size);

static bool is_short(void) {
    if (until_shortage < 0 || until_shortage-- > 0) return false;
    errno = ENOMEM;
    return true;
}

void *__wrap_malloc(size_t size) { return is_short() ? NULL : __real_malloc(size); }
void *__wrap_calloc(size_t count, size_t size) { return is_short() ? NULL : __real_calloc(count, size); }
void *__wrap_realloc(void *old, size_t size) { return is_short() ? NULL : __real_realloc(old, size); }

static struct sighting job(int64_t id, enum phase phase) {
    return (struct sighting){.facts = {.id = id, .user = id % 7, .limit = 3600, .nodes = 1, .asked = 1},
                             .phase = phase, .start = 1000, .run_time = 60};
}

static int64_t told_id, told_seconds;
static void tell(void *context, int64_t id, int64_t seconds, const struct books_totals *totals) {
    *(int64_t *)context = id;
    told_seconds = seconds;
    CHECK(totals->earlier == 1 && totals->earlier_seconds == seconds);
}

static void look(struct books *books, struct beliefs *beliefs, const struct sighting *seen, int count, int64_t now) {
    books_begin(books);
    for (int i = 0; i < count; i++) CHECK(books_see(books, beliefs, &seen[i], now));
    books_finish(books, beliefs, now);
}

static void expect(const struct books *books, int64_t submitted, int64_t started, int64_t ended, int64_t withdrawn,
                   int64_t waiting, int64_t running, int line) {
    struct books_totals is;
    books_totals(books, &is);
    if (is.submitted == submitted && is.started == started && is.ended == ended && is.withdrawn == withdrawn &&
        is.waiting == waiting && is.running == running)
        return;
    fprintf(stderr, "plain.c:%d: books: %ld submitted %ld started %ld ended %ld withdrawn %ld waiting %ld running\n", line,
            (long)is.submitted, (long)is.started, (long)is.ended, (long)is.withdrawn, (long)is.waiting, (long)is.running);
    failures++;
}
#define EXPECT(...) expect(books, __VA_ARGS__, __LINE__)

static void books_follow_every_path(void) {
    struct books *books = books_make(), *again = books_make();
    struct beliefs *beliefs = beliefs_make(PREDICTOR_MIX);
    struct sighting seen[4] = {job(1, PHASE_WAITING), job(2, PHASE_WAITING), job(3, PHASE_RUNNING), job(4, PHASE_WAITING)};
    size_t size;
    char *bytes;
    books_tell_earlier(books, tell, &told_id);
    look(books, beliefs, seen, 4, 1000);
    EXPECT(4, 1, 0, 0, 3, 1);
    CHECK(books_would_start(books, 1, 1001) == 1001 && books_would_start(books, 1, 1005) == 1001);
    seen[0].phase = PHASE_RUNNING; /* starts */
    seen[0].start = 1010;
    seen[1].phase = PHASE_ENDED; /* starts and ends between two looks */
    seen[2].phase = PHASE_WAITING; /* put back */
    seen[2].restarts = 1;
    look(books, beliefs, seen, 3, 1010); /* 4: forgotten while it waited */
    EXPECT(5, 3, 1, 2, 1, 1);
    CHECK(told_id == 1 && told_seconds == 9 && beliefs_jobs(beliefs) == 1);
    look(books, beliefs, seen, 3, 1011); /* the same again: nothing happens twice */
    EXPECT(5, 3, 1, 2, 1, 1);
    bytes = books_save(books, &size);
    CHECK(bytes != NULL && books_load(again, bytes, size));
    CHECK(!books_load(again, bytes, size - 1) && !books_load(again, bytes, 3) && !books_load(again, bytes, 0));
    free(bytes);
    seen[0].phase = PHASE_BROKEN; /* its node has failed */
    seen[1].phase = PHASE_WAITING; /* put back after its end */
    seen[2].phase = PHASE_ENDED;
    look(again, beliefs, seen, 3, 1020);
    look(books, beliefs, seen, 3, 1020);
    EXPECT(6, 4, 2, 3, 1, 0);
    expect(again, 6, 4, 2, 3, 1, 0, __LINE__);
    look(books, beliefs, NULL, 0, 1030); /* all forgotten */
    EXPECT(6, 4, 2, 4, 0, 0);
    for (int64_t id = 1; id <= 5000; id++) { /* the table grows and shrinks */
        struct sighting one = job(id, id % 2 ? PHASE_WAITING : PHASE_RUNNING);
        books_begin(books);
        CHECK(books_see(books, beliefs, &one, 1040));
    }
    books_finish(books, beliefs, 1040);
    EXPECT(5006, 2504, 2, 5003, 0, 1);
    books_free(books);
    books_free(again);
    beliefs_free(beliefs);
}

/* Which jobs were heads at the latest look, and which nodes were in service, is known again after a load. */
static void heads_and_nodes_are_known_again(void) {
    struct books *books = books_make(), *again = books_make();
    struct beliefs *beliefs = beliefs_make(PREDICTOR_MIX);
    struct sighting seen[2] = {job(1, PHASE_WAITING), job(2, PHASE_WAITING)};
    struct books_totals before, after;
    const int64_t nodes[3] = {beliefs_name("n3"), beliefs_name("n1"), beliefs_name("n2")};
    size_t size;
    char *bytes;
    CHECK(!books_knows_service(books) && !books_was_in_service(books, nodes[0]) && !books_was_head(books, 1));
    look(books, beliefs, seen, 2, 1000);
    books_note_head(books, 1), books_note_head(books, 7); /* the second is nobody */
    books_totals(books, &before);
    CHECK(books_note_service(books, nodes, 3));
    books_totals(books, &after);
    CHECK(before.heads != 0 && before.heads == after.heads && before.service != after.service);
    CHECK(books_was_head(books, 1) && !books_was_head(books, 2) && !books_was_head(books, 7));
    bytes = books_save(books, &size);
    CHECK(bytes != NULL && !books_load(again, bytes, size - 1) && !books_load(again, bytes, size - sizeof *nodes));
    CHECK(!books_knows_service(again) && books_load(again, bytes, size) && books_load(again, bytes, size));
    free(bytes);
    CHECK(books_was_head(again, 1) && !books_was_head(again, 2) && books_knows_service(again));
    for (int i = 0; i < 3; i++) CHECK(books_was_in_service(again, nodes[i]) && !books_was_in_service(again, beliefs_name("n4")));
    books_begin(again);
    CHECK(books_was_head(again, 1)); /* while the next look is under way */
    for (int i = 0; i < 2; i++) CHECK(books_see(again, beliefs, &seen[i], 1010));
    books_finish(again, beliefs, 1010), books_note_head(again, 2);
    look(again, beliefs, seen, 2, 1020);
    CHECK(!books_was_head(again, 1) && books_was_head(again, 2) && books_note_service(again, NULL, 0)); /* none is in service */
    bytes = books_save(again, &size);
    CHECK(bytes != NULL && books_load(books, bytes, size));
    free(bytes);
    CHECK(books_knows_service(books) && !books_was_in_service(books, nodes[0]) && !books_was_head(books, 2));
    books_free(books), books_free(again), beliefs_free(beliefs);
}

/* Every byte of a state file matters: whichever changes, the file is refused and nothing is taken over. */
static void damage_is_found(void) {
    char path[] = "/tmp/surefill-plain-XXXXXX", aside[sizeof path + 8], message[300];
    struct books *books = books_make();
    struct beliefs *beliefs = beliefs_make(PREDICTOR_MIX), *other = beliefs_make(PREDICTOR_MIX);
    struct sighting seen = job(1, PHASE_ENDED);
    FILE *file;
    long size;
    int descriptor = mkstemp(path), accepted = 0, tried = 0;
    CHECK(descriptor >= 0);
    snprintf(aside, sizeof aside, "%s.refused", path);
    look(books, beliefs, &seen, 1, 1000);
    CHECK(state_save(path, beliefs, books, message, sizeof message));
    CHECK(state_load(path, other, books, message, sizeof message) && beliefs_jobs(other) == 1);
    look(books, other, &seen, 1, 1000);
    CHECK(beliefs_jobs(other) == 1); /* known to have ended */
    file = fopen(path, "r+b");
    CHECK(file != NULL);
    fseek(file, 0, SEEK_END);
    size = ftell(file);
    for (long at = 0; at < size; at += 1 + size / 5000, tried++) {
        int byte;
        fseek(file, at, SEEK_SET);
        byte = fgetc(file);
        fseek(file, at, SEEK_SET);
        fputc(byte ^ 0x10, file);
        fflush(file);
        accepted += state_load(path, other, books, message, sizeof message) || message[0] == '\0';
        CHECK(rename(aside, path) == 0); /* where it is kept */
        fseek(file, at, SEEK_SET);
        fputc(byte, file);
        fflush(file);
    }
    CHECK(tried > 200 && accepted == 0 && beliefs_jobs(other) == 1);
    CHECK(state_load(path, other, books, message, sizeof message));
    for (long length = size - 1; length > 0; length = length * 2 / 3) {
        CHECK(truncate(path, length) == 0);
        CHECK(!state_load(path, other, books, message, sizeof message) && strstr(message, aside) != NULL);
        CHECK(rename(aside, path) == 0);
    }
    fclose(file);
    close(descriptor);
    unlink(path);
    CHECK(!state_load(path, other, books, message, sizeof message) && message[0] == '\0'); /* none yet: no complaint */
    CHECK(!state_save("/nowhere/at/all", beliefs, books, message, sizeof message) && message[0] != '\0');
    CHECK(mkdir(path, 0700) == 0); /* not a regular file: neither read nor replaced */
    CHECK(!state_load(path, other, books, message, sizeof message) && strstr(message, "regular") != NULL);
    CHECK(!state_save(path, beliefs, books, message, sizeof message) && strstr(message, "regular") != NULL);
    CHECK(rmdir(path) == 0);
    for (int repeat = 0; repeat < 2; repeat++) { /* what is kept from an earlier time stays */
        CHECK((descriptor = open(path, O_WRONLY | O_CREAT, 0600)) >= 0 && close(descriptor) == 0);
        CHECK(!state_load(path, other, books, message, sizeof message) && access(aside, F_OK) == 0 &&
              (strstr(message, ".refused.") != NULL) == (repeat == 1));
    }
    unlink(aside);
    *strrchr(message, ')') = '\0';
    CHECK(unlink(strstr(message, "kept as ") + 8) == 0);
    books_free(books);
    beliefs_free(beliefs);
    beliefs_free(other);
}

/* Whichever allocation fails, a good state file stays where it is and can be read later. */
static void a_shortage_loses_nothing(void) {
    char path[] = "/tmp/surefill-plain-XXXXXX", aside[sizeof path + 8], message[300];
    struct books *books = books_make();
    struct beliefs *beliefs = beliefs_make(PREDICTOR_HMM), *other = beliefs_make(PREDICTOR_HMM);
    struct sighting seen[] = {job(1, PHASE_WAITING), job(2, PHASE_ENDED)};
    int descriptor = mkstemp(path), shortages = 0;
    bool loaded = false;
    CHECK(descriptor >= 0);
    snprintf(aside, sizeof aside, "%s.refused", path);
    look(books, beliefs, seen, 2, 1000);
    CHECK(state_save(path, beliefs, books, message, sizeof message));
    while (shortages < 100) {
        until_shortage = shortages;
        loaded = state_load(path, other, books, message, sizeof message);
        if (loaded) break;
        CHECK(errno == ENOMEM && strstr(message, "no memory to read it") != NULL && access(aside, F_OK) != 0);
        shortages++;
    }
    until_shortage = -1;
    CHECK(loaded && shortages >= 8 && beliefs_jobs(other) == 1);
    CHECK(truncate(path, 30) == 0);
    CHECK(!state_load(path, other, books, message, sizeof message) && errno == 0 && access(aside, F_OK) == 0);
    unlink(aside);
    close(descriptor);
    books_free(books);
    beliefs_free(beliefs);
    beliefs_free(other);
}

/* By limits alone the decisions are EASY's, on a case worked out by hand. Ten nodes; six are held until 1,000, two
 * until 2,000, two are idle; the head needs eight and so starts at 1,000, when no node is left over but the two that
 * end later are: a candidate on two nodes that does not end by then would delay it. */
static void limits_are_easy(void) {
    struct running running[] = {{.nodes = 6, .age = 100, .facts = {.id = 1, .limit = 1100}},
                                {.nodes = 2, .age = 0, .facts = {.id = 2, .limit = 2000}}};
    struct candidate candidates[] = {{.facts = {.id = 11, .nodes = 1, .limit = 1001}},
                                     {.facts = {.id = 12, .nodes = 3, .limit = 10}},
                                     {.facts = {.id = 13, .nodes = 1, .limit = 999}},
                                     {.facts = {.id = 14, .nodes = 1, .limit = 5000}},
                                     {.facts = {.id = 15, .nodes = 1, .limit = 60}},
                                     {.facts = {.id = 16, .nodes = 1, .limit = 60}},
                                     {.facts = {.id = 17, .nodes = 11, .limit = 60}}}; /* more than is in service */
    static const int32_t verdicts[] = {SUREFILL_VERDICT_REFUSED,      SUREFILL_VERDICT_DOES_NOT_FIT,
                                       SUREFILL_VERDICT_ACCEPTED,     SUREFILL_VERDICT_REFUSED,
                                       SUREFILL_VERDICT_ACCEPTED,     SUREFILL_VERDICT_DOES_NOT_FIT,
                                       SUREFILL_VERDICT_DOES_NOT_FIT};
    struct pool pool = {.nodes = 10, .idle = 2, .now = 0, .head = {.id = 10, .nodes = 8}, .running = running,
                        .running_count = 2, .candidates = candidates, .candidate_count = 7};
    struct decider *decider = decider_make();
    struct settings settings;
    struct decision decision;
    settings_defaults(&settings);
    decide(decider, &settings, NULL, 0, &pool, &decision);
    CHECK(decision.outcome == OUTCOME_DONE && decision.head_median == 1000);
    CHECK(decision.accepted_count == 2 && decision.accepted[0] == 2 && decision.accepted[1] == 4);
    for (int i = 0; i < 7; i++) CHECK(candidates[i].judged.verdict == verdicts[i]);
    pool.idle = 8;
    pool.running_count = 1;
    running[0].nodes = 2;
    decide(decider, &settings, NULL, 0, &pool, &decision);
    CHECK(decision.outcome == OUTCOME_HEAD_FITS && decision.accepted_count == 0);
    pool.idle = 2; /* a node more than the pool has: the library's refusal comes out as an error with a message */
    pool.running_count = 2;
    running[0].nodes = 7000;
    decide(decider, &settings, NULL, 0, &pool, &decision);
    CHECK(decision.outcome == OUTCOME_ERROR && decision.message[0] != '\0' && decision.accepted_count == 0);
    /* With what is idle and what runs the head job never starts (nodes have gone meanwhile): nobody is let through. */
    running[0].nodes = 2;
    pool.running_count = 1;
    pool.head.nodes = pool.nodes;
    pool.idle = 2;
    decide(decider, &settings, NULL, 0, &pool, &decision);
    CHECK(decision.outcome == OUTCOME_DONE && decision.accepted_count == 0 && decision.head_median == -1);
    for (int i = 0; i < 7; i++)
        CHECK(candidates[i].judged.verdict == SUREFILL_VERDICT_HEAD_NEVER ||
              candidates[i].judged.verdict == SUREFILL_VERDICT_DOES_NOT_FIT);
    decider_free(decider);
}

/* By limits every start is known, by hand. The head job starts when six nodes are free at 1000; the next fits beside
 * until then; the widest gets all nodes at 2000; the long one may delay neither, and comes after both. */
static void starts_are_foretold(void) {
    struct running running[] = {{.nodes = 6, .age = 100, .facts = {.id = 1, .limit = 1100}},
                                {.nodes = 2, .age = 0, .facts = {.id = 2, .limit = 2000}}};
    struct candidate candidates[] = {{.facts = {.id = 11, .nodes = 1, .limit = 999}},
                                     {.facts = {.id = 12, .nodes = 10, .limit = 60}},
                                     {.facts = {.id = 13, .nodes = 11, .limit = 60}}, /* more than is in service */
                                     {.facts = {.id = 14, .nodes = 1, .limit = 5000}}};
    struct pool pool = {.nodes = 10, .idle = 2, .now = 0, .head = {.id = 10, .nodes = 8, .limit = 500},
                        .running = running, .running_count = 2, .candidates = candidates, .candidate_count = 4};
    struct settings settings;
    struct teller *teller = teller_make();
    settings_defaults(&settings);
    CHECK(foretell(teller, &settings, NULL, &pool) == NULL);
    CHECK(pool.head_expected == 1000 && candidates[1].expected == 2000);
    CHECK(candidates[2].expected == 0 && candidates[3].expected == 2060);
    candidates[0].facts.nodes = 2; /* more than there was room for */
    pool.idle = 0;
    pool.running_count = 1; /* nobody knows who has the other nodes: the head job never starts */
    CHECK(foretell(teller, &settings, NULL, &pool) == NULL && pool.head_expected == 0);
    running[0].nodes = 7000; /* as limits_are_easy: refused, and nothing is told */
    CHECK(foretell(teller, &settings, NULL, &pool) != NULL && pool.head_expected == 0 && candidates[1].expected == 0);
    teller_free(teller);
}

/* The users' histories alone: what other users do counts only for those who have none; and the mixture does not take
 * them for its own, nor the other way round. */
static void users_are_asked(void) {
    struct beliefs *users = beliefs_make(PREDICTOR_USER), *again = beliefs_make(PREDICTOR_USER);
    struct beliefs *mix = beliefs_make(PREDICTOR_MIX);
    struct facts facts = {.limit = 86400, .nodes = 1, .asked = 1};
    int64_t quarters[3][2];
    int32_t status;
    size_t size, other;
    void *bytes, *more;
    for (int i = 0; i < 100; i++) {
        facts.id = i;
        facts.user = 1 + i % 2;
        beliefs_ended(users, &facts, facts.user == 1 ? 60 : 36000, i);
        beliefs_ended(mix, &facts, facts.user == 1 ? 60 : 36000, i);
    }
    for (int user = 1; user <= 3; user++) {
        facts.user = user;
        for (int i = 0; i < 2; i++)
            CHECK(surefill_distribution_quantile(beliefs_predict(users, &facts, &status), i == 0 ? 0.25 : 0.75, 0,
                                                 facts.limit, &quarters[user - 1][i]) == SUREFILL_OK);
    }
    CHECK(quarters[0][1] < 120 && quarters[1][0] > 18000 && quarters[2][0] < 120 && quarters[2][1] > 18000);
    bytes = beliefs_save(users, &size);
    more = beliefs_save(mix, &other);
    CHECK(bytes != NULL && more != NULL && beliefs_load(again, bytes, size) && beliefs_jobs(again) == 100);
    CHECK(!beliefs_load(mix, bytes, size) && !beliefs_load(again, more, other) && beliefs_jobs(mix) == 100);
    free(bytes);
    free(more);
    beliefs_free(users);
    beliefs_free(again);
    beliefs_free(mix);
}

/* A budget counts what earlier cycles have spent, and each expense once. */
static void budgets_last(void) {
    struct running running[] = {{.nodes = 3, .age = 0, .facts = {.id = 1, .user = 1, .limit = 3600, .asked = 3}}};
    struct candidate candidates[] = {{.facts = {.id = 11, .user = 1, .nodes = 1, .limit = 7200, .asked = 1}}};
    struct pool pool = {.nodes = 5, .idle = 2, .now = 1000, .head = {.id = 10, .nodes = 5}, .running = running,
                        .running_count = 1, .candidates = candidates, .candidate_count = 1};
    struct beliefs *beliefs = beliefs_make(PREDICTOR_MIX);
    struct decider *decider = decider_make();
    struct settings settings;
    struct decision decision;
    char message[200];
    double delay;
    for (int i = 0; i < 50; i++) {
        const struct facts facts = {.id = i, .user = 1, .limit = 3600, .nodes = 1, .asked = 1};
        beliefs_ended(beliefs, &facts, 1 + 37 * i, i);
    }
    CHECK(settings_read(&settings, "surefill_criterion=probability,surefill_tau=2", message, sizeof message));
    decide(decider, &settings, beliefs, 0, &pool, &decision);
    CHECK(decision.accepted_count == 1);
    delay = candidates[0].judged.delay;
    CHECK(delay > 0.2 && delay < 0.8);
    settings.budget = 1.5 * delay;
    for (int cycle = 0; cycle < 3; cycle++) { /* the pass remembers its own commits: they must not count as spent */
        decide(decider, &settings, beliefs, 0, &pool, &decision);
        CHECK(decision.accepted_count == 1);
    }
    decide(decider, &settings, beliefs, delay, &pool, &decision);
    CHECK(decision.accepted_count == 0 && candidates[0].judged.verdict == SUREFILL_VERDICT_OVER_BUDGET);
    decider_free(decider);
    beliefs_free(beliefs);
}

/* Ten days of a job every twenty minutes, minutes long by day and hours by night. After its first week the hidden
 * Markov model speaks: a job submitted by day is shorter than one submitted by night, although the histories see one
 * kind. What it said of a job stays with the job until that ends, whatever other jobs come and go, and survives a
 * save. */
static void the_model_is_asked(void) {
    enum { DAY = 86400, MINUTE = 60, KEPT = 300 };
    struct beliefs *beliefs = beliefs_make(PREDICTOR_HMM), *again = beliefs_make(PREDICTOR_HMM);
    struct beliefs *histories = beliefs_make(PREDICTOR_MIX);
    int64_t median[2] = {0, 0}, now, id = 0, first, ends[1000];
    struct facts facts = {.user = 1, .limit = DAY, .nodes = 1, .asked = 1};
    int32_t status, wrong = 0, differ = 0;
    size_t size, other;
    void *bytes, *more;
    facts.id = -1; /* at first the machine's clock is a month ahead */
    beliefs_submitted(beliefs, &facts, 30 * DAY);
    beliefs_withdrawn(beliefs, &facts, 30 * DAY);
    for (now = 0; now < 10 * DAY; now += MINUTE) {
        bool day = now % DAY >= DAY / 3 && now % DAY < 5 * DAY / 6;
        for (int64_t job = id > 50 ? id - 50 : 1; job <= id; job++)
            if (ends[job] == now) {
                facts.id = job;
                beliefs_ended(beliefs, &facts, day ? 240 : 12000, now);
            }
        if (now % (20 * MINUTE) != 0) continue;
        facts.id = ++id;
        ends[id] = now + (day ? 4 : 200) * MINUTE;
        beliefs_submitted(beliefs, &facts, now);
        beliefs_started(beliefs, &facts, now);
        beliefs_train(beliefs, 0.05);
        if (now >= 9 * DAY && now % DAY % (DAY / 2) == 0) { /* midnight and noon */
            const surefill_distribution *believed = beliefs_predict(beliefs, &facts, &status);
            CHECK(status == SUREFILL_OK && believed != NULL);
            CHECK(surefill_distribution_quantile(believed, 0.5, 0, DAY, &median[day]) == SUREFILL_OK);
        }
    }
    if (median[0] <= 3 * median[1])
        fprintf(stderr, "median by night %ld s, by day %ld s\n", (long)median[0], (long)median[1]);
    CHECK(median[0] > 3 * median[1] && median[1] > 0);

    first = id + 1; /* jobs that stay, among others that leave */
    for (int round = 0; round < 2 * KEPT; round++) {
        facts.id = ++id;
        beliefs_submitted(beliefs, &facts, now + round * MINUTE);
    }
    for (int64_t job = first + 1; job <= id; job += 2) {
        facts.id = job;
        beliefs_withdrawn(beliefs, &facts, now + 2 * KEPT * MINUTE);
    }
    bytes = beliefs_save(beliefs, &size);
    CHECK(bytes != NULL && beliefs_load(again, bytes, size));
    CHECK(!beliefs_load(again, bytes, size - 1) && !beliefs_load(again, bytes, size - 8));
    CHECK(beliefs_load(histories, bytes, size) && beliefs_jobs(histories) == beliefs_jobs(beliefs));
    for (int64_t job = first; job <= id; job += 2) {
        int64_t mine = -1, theirs = -2, plain = -3;
        facts.id = job;
        surefill_distribution_quantile(beliefs_predict(beliefs, &facts, &status), 0.3, 0, DAY, &mine);
        surefill_distribution_quantile(beliefs_predict(again, &facts, &status), 0.3, 0, DAY, &theirs);
        surefill_distribution_quantile(beliefs_predict(histories, &facts, &status), 0.3, 0, DAY, &plain);
        wrong += mine != theirs;
        differ += mine != plain;
    }
    if (wrong > 0 || differ < 30) fprintf(stderr, "%d after a save, %d beside histories\n", wrong, differ);
    CHECK(wrong == 0 && differ >= 30);
    more = beliefs_save(again, &other);
    CHECK(more != NULL && other == size);
    free(bytes);
    free(more);
    beliefs_free(beliefs);
    beliefs_free(again);
    beliefs_free(histories);
}

static struct waits_report reported[4];
static int reports;
static void see_report(void *context, const struct waits_report *report) {
    struct waits_report *all = context;
    if (reports < 4) all[reports] = *report;
    reports++;
}
static void ask_waits(struct beliefs *beliefs, int64_t now) {
    reports = 0;
    waits_each(beliefs_waits(beliefs), now, see_report, reported);
}

/* A hundred jobs that wait 1, 2, ..., 100 s: the bound is that of the order statistic which the library names. Held
 * jobs have not joined; a job that moves to another queue, or leaves, teaches nothing; what is seen running first has
 * waited since its submission. */
static void waits_are_bounded(void) {
    struct books *books = books_make();
    struct beliefs *beliefs = beliefs_make(PREDICTOR_MIX), *again = beliefs_make(PREDICTOR_MIX);
    struct sighting seen[102];
    int64_t rank, now = 1000;
    size_t size;
    void *bytes;
    for (int i = 0; i < 102; i++) {
        seen[i] = job(i + 1, PHASE_WAITING);
        strcpy(seen[i].facts.queue, i == 101 ? "other" : "main");
    }
    seen[100].held = true;
    look(books, beliefs, seen, 102, now);
    ask_waits(beliefs, now);
    CHECK(reports == 2 && reported[0].waiting == 100 && reported[1].waiting == 1 && reported[0].kind[0].bound == -1);
    for (int i = 0; i < 100; i++) {
        seen[i].phase = PHASE_RUNNING;
        seen[i].start = ++now;
        look(books, beliefs, seen, 102, now);
    }
    CHECK(surefill_binomial_upper(100, WAITS_QUANTILE, WAITS_CONFIDENCE, &rank) == SUREFILL_OK && rank > 95);
    ask_waits(beliefs, now);
    CHECK(strcmp(reported[0].queue, "main") == 0 && reported[0].known == 100 && reported[0].waiting == 0);
    CHECK(reported[0].kind[0].bound == rank && reported[0].kinds == 1 && reported[0].given == 0);

    seen[100].held = false; /* joins now, with a bound, and starts 3 s later: the bound holds */
    strcpy(seen[101].facts.queue, "main"); /* moves there */
    look(books, beliefs, seen, 102, now);
    ask_waits(beliefs, now);
    CHECK(reported[0].waiting == 2 && reported[1].waiting == 0);
    bytes = beliefs_save(beliefs, &size);
    CHECK(bytes != NULL && beliefs_load(again, bytes, size));
    for (size_t cut = 1; cut < size; cut = 2 * cut + 1) CHECK(!beliefs_load(again, bytes, size - cut));
    free(bytes);
    seen[100].phase = PHASE_RUNNING;
    seen[100].start = now + 3;
    seen[101].phase = PHASE_BROKEN; /* deleted */
    look(books, beliefs, seen, 102, now + 3);
    waits_started(beliefs_waits(again), &seen[100].facts, rank, now + 3); /* what was read back goes on in the same way */
    waits_left(beliefs_waits(again), &seen[101].facts, now + 3);
    for (int i = 0; i < 2; i++) {
        ask_waits(i == 0 ? beliefs : again, now + 3);
        CHECK(reports == 2 && reported[0].known == 101 && reported[0].waiting == 0);
        CHECK(reported[0].given == 1 && reported[0].kept == 1);
        CHECK(reported[1].known == 0 && reported[1].waiting == 0);
    }

    seen[101] = job(500, PHASE_RUNNING); /* never seen waiting */
    strcpy(seen[101].facts.queue, "third");
    seen[101].facts.submit = 100;
    seen[101].start = 160;
    look(books, beliefs, seen, 102, now + 4);
    ask_waits(beliefs, now + 4);
    CHECK(reports == 3 && reported[2].known == 1 && reported[2].waiting == 0);
    books_free(books);
    beliefs_free(beliefs);
    beliefs_free(again);
}

/* The clock is ten days ahead while a job comes and goes, and is set right: from then on waits are known as they are. A
 * minute is no such thing. */
static void clocks_are_set_right(void) {
    struct books *books = books_make();
    struct beliefs *beliefs = beliefs_make(PREDICTOR_MIX);
    int64_t now = 1000000;
    struct sighting seen = job(1, PHASE_WAITING);
    strcpy(seen.facts.queue, "main");
    look(books, beliefs, &seen, 1, now + 10 * 86400);
    seen.phase = PHASE_BROKEN;
    look(books, beliefs, &seen, 1, now + 10 * 86400 + 5);
    for (int i = 2; i < 202; i++, now += 400) {
        seen = job(i, PHASE_WAITING);
        strcpy(seen.facts.queue, "main");
        look(books, beliefs, &seen, 1, now);
        seen.phase = PHASE_RUNNING;
        seen.start = now + 300;
        look(books, beliefs, &seen, 1, now + 300);
        look(books, beliefs, &seen, 1, now + 270);
    }
    ask_waits(beliefs, now);
    CHECK(reports == 1 && reported[0].known == 200 && reported[0].waiting == 0);
    CHECK(reported[0].kind[0].bound == 300 && reported[0].given > 100 && reported[0].kept == reported[0].given);
    books_free(books);
    beliefs_free(beliefs);
}

/* A pool that cannot grow for want of memory is as it was. A refusal counts for 60 s, and for its machine, by a
 * clock that may be set back. */
static void pools_grow_and_refusals_end(void) {
    struct pool pool = {.key = 7};
    struct refusals refusals = {.next = 0};
    for (int32_t i = 0; i < 1000; i++) {
        const struct running running = {.nodes = i};
        const struct candidate candidate = {.place = i};
        const struct pool before = pool;
        until_shortage = i == pool.running_room ? 0 : -1;
        CHECK(pool_add_running(&pool, &running) == (i < before.running_room));
        until_shortage = i == pool.candidate_room ? 0 : -1;
        CHECK(pool_add_candidate(&pool, &candidate) == (i < before.candidate_room));
        CHECK(i < before.running_room || memcmp(&pool, &before, sizeof pool) == 0);
        CHECK(i < before.running_room || (pool_add_running(&pool, &running) && pool_add_candidate(&pool, &candidate)));
    }
    for (int32_t i = 0; i < 1000; i++) CHECK(pool.running[i].nodes == i && pool.candidates[i].place == i);
    pool_free(&pool);
    CHECK(pool.running == NULL && pool.candidates == NULL && pool.running_count + pool.candidate_room == 0);
    refusals_add(&refusals, 1, 8, 1000);
    CHECK(refused_lately(&refusals, 1, 8, 1059) && !refused_lately(&refusals, 1, 8, 1060));
    CHECK(!refused_lately(&refusals, 1, 9, 1001) && !refused_lately(&refusals, 2, 8, 1001));
    CHECK(!refused_lately(&refusals, 1, 8, 900)); /* the clock was set back: it was refused at no time that counts */
    for (int64_t job = 2; job <= REFUSALS + 1; job++) refusals_add(&refusals, job, 8, 1000); /* one too many */
    for (int64_t job = 1; job <= REFUSALS + 1; job++) CHECK(refused_lately(&refusals, job, 8, 1001) == (job > 1));
}

int main(void) {
    pools_grow_and_refusals_end();
    waits_are_bounded();
    clocks_are_set_right();
    the_model_is_asked();
    books_follow_every_path();
    heads_and_nodes_are_known_again();
    damage_is_found();
    a_shortage_loses_nothing();
    limits_are_easy();
    starts_are_foretold();
    users_are_asked();
    budgets_last();
    printf("plain: %s\n", failures == 0 ? "pools, books, waits, state file, decisions: passed" : "FAILED");
    return failures == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
