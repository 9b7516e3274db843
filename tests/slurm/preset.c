/* What a preset does to the decisions of one pool: which candidate is tried first, and whom a long wait guards; and
 * what is learnt of the delays that follow. */
#include "../expect.h"
#include "decide.h"
#include "foretell.h"
#include "order.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <surefill_models.h>

enum { SLOW = 1, QUICK = 2 };

/* Jobs of one user run for an hour, those of the other for ten seconds; all ask for two hours. */
static struct beliefs *learnt(void) {
    struct beliefs *beliefs = beliefs_make(PREDICTOR_MIX);
    for (int i = 0; i < 60; i++)
        for (int user = SLOW; user <= QUICK; user++) {
            const struct facts facts = {.id = 1 + i, .user = user, .limit = 7200, .nodes = 1, .asked = 1};
            beliefs_ended(beliefs, &facts, user == SLOW ? 3600 + i : 10 + i % 3, i);
        }
    return beliefs;
}

static void read(struct settings *settings, const char *words) {
    char message[200];
    CHECK(settings_read(settings, words, message, sizeof message));
}

/* One idle node, two candidates that would do: within one rank the preset's order counts, the site's ranks come first,
 * and a rule of the site's own takes them as they come. */
static void short_ones_come_first(void) {
    struct running running[] = {{.nodes = 4, .age = 0, .facts = {.id = 1, .user = SLOW, .limit = 7200, .asked = 1}}};
    struct candidate candidates[] = {{.facts = {.id = 11, .user = SLOW, .nodes = 1, .limit = 7200, .asked = 1}},
                                     {.facts = {.id = 12, .user = QUICK, .nodes = 1, .limit = 7200, .asked = 1}}};
    struct pool pool = {.nodes = 5, .idle = 1, .now = 1000, .head = {.id = 10, .nodes = 5, .submit = 1000},
                        .running = running, .running_count = 1, .candidates = candidates, .candidate_count = 2};
    struct decider *decider = decider_make();
    struct beliefs *beliefs = learnt();
    struct settings settings;
    struct decision decision;
    read(&settings, "surefill_tau=1000");
    decide(decider, &settings, beliefs, 0, &pool, &decision);
    CHECK(decision.accepted_count == 1 && decision.accepted[0] == 1);
    candidates[1].rank = 7;
    decide(decider, &settings, beliefs, 0, &pool, &decision);
    CHECK(decision.accepted_count == 1 && decision.accepted[0] == 0);
    candidates[1].rank = 0;
    read(&settings, "surefill_criterion=relative,surefill_tau=1000");
    decide(decider, &settings, beliefs, 0, &pool, &decision);
    CHECK(decision.accepted_count == 1 && decision.accepted[0] == 0);
    decider_free(decider);
    beliefs_free(beliefs);
}

/* Ahead of a head job that has come just now a job may start that is expected to end soon; when the head job has waited
 * longer than nearly all others lately, only one that ends in time by its limit. What long is survives a restart. */
static void a_long_wait_guards(void) {
    struct running running[] = {{.nodes = 4, .age = 0, .facts = {.id = 1, .user = SLOW, .limit = 7200, .asked = 1}}};
    struct candidate candidates[] = {{.facts = {.id = 11, .user = QUICK, .nodes = 1, .limit = 9000, .asked = 1}},
                                     {.facts = {.id = 12, .user = SLOW, .nodes = 1, .limit = 7000, .asked = 1}}};
    struct pool pool = {.nodes = 5, .idle = 1, .now = 100000, .head = {.id = 10, .nodes = 5, .submit = 100000},
                        .running = running, .running_count = 1, .candidates = candidates, .candidate_count = 1};
    struct decider *decider = decider_make();
    struct beliefs *beliefs = learnt(), *again = beliefs_make(PREDICTOR_MIX);
    struct settings settings;
    struct decision decision;
    int32_t count = 0;
    size_t size;
    void *saved;
    for (int i = 0; i < 300; i++) { /* waits of a quarter of an hour */
        struct facts facts = {.id = 100 + i, .user = QUICK, .limit = 7200, .nodes = 1, .asked = 1};
        strcpy(facts.queue, "main");
        waits_joined(beliefs_waits(beliefs), &facts, 1000 * i);
        waits_started(beliefs_waits(beliefs), &facts, -1, 1000 * i + 900);
    }
    saved = beliefs_save(beliefs, &size);
    CHECK(saved != NULL && beliefs_load(again, saved, size));
    CHECK(surefill_recent_waits_count(waits_recent(beliefs_waits(again)), &count) == SUREFILL_OK && count == 300);
    read(&settings, "surefill_preset=fair");
    for (int round = 0; round < 2; round++) {
        pool.candidate_count = 1;
        pool.head.id = 10 + round;
        pool.head.submit = pool.now;
        decide(decider, &settings, round == 0 ? beliefs : again, 0, &pool, &decision);
        CHECK(decision.accepted_count == 1);
        pool.head.id = 20 + round;
        pool.head.submit = pool.now - 3 * 3600;
        decide(decider, &settings, round == 0 ? beliefs : again, 0, &pool, &decision);
        CHECK(decision.accepted_count == 0 && candidates[0].judged.verdict == SUREFILL_VERDICT_GUARDED);
        pool.candidate_count = 2;
        decide(decider, &settings, round == 0 ? beliefs : again, 0, &pool, &decision);
        CHECK(decision.accepted_count == 1 && decision.accepted[0] == 1);
    }
    free(saved);
    decider_free(decider);
    beliefs_free(beliefs);
    beliefs_free(again);
}

/* The head job lacks six nodes, which end at 1000; one of the two idle ones is given to a job that ends at 1500, so
 * that it costs the head job 500 s. What is told follows, through a save between decision and outcome, and in this pool
 * alone. A job of another pool with many nodes ends meanwhile. */
static void delays_are_learnt(void) {
    struct beliefs *beliefs = beliefs_make(PREDICTOR_MIX), *later = beliefs_make(PREDICTOR_MIX);
    struct running running[] = {{.nodes = 6, .facts = {.id = 1, .limit = 5000}}};
    struct candidate candidate = {.facts = {.id = 2, .nodes = 1, .limit = 5000},
                                  .judged = {.missing = 6, .predicted = 50}};
    struct pool pool = {.key = 7, .nodes = 10, .idle = 2, .head = {.id = 3, .nodes = 8}, .running = running,
                        .running_count = 1};
    const int32_t seconds = SUREFILL_CRITERION_RELATIVE;
    struct delays_totals totals;
    size_t size;
    CHECK(delays_told(beliefs_delays(beliefs), 7, seconds, 50) == 50);
    for (int i = 0; i < 40; i++) {
        void *saved;
        pool.now = 10000 * i;
        running[0].age = 100 * i;
        delays_overtook(beliefs_delays(beliefs), &pool, seconds, &candidate);
        saved = beliefs_save(beliefs, &size);
        CHECK(saved != NULL && beliefs_load(later, saved, size));
        free(saved);
        delays_ended(beliefs_delays(later), 99, pool.now + 500);
        beliefs_ended(later, &running[0].facts, 1000, pool.now + 1000);
        beliefs_withdrawn(later, &candidate.facts, pool.now + 1500);
        saved = beliefs_save(later, &size);
        CHECK(saved != NULL && beliefs_load(beliefs, saved, size));
        CHECK(!beliefs_load(later, saved, size - 1));
        free(saved);
    }
    delays_totals(beliefs_delays(beliefs), seconds, &totals);
    CHECK(totals.known == 40 && totals.predicted == 40 * 50 && totals.observed == 40 * 500 && totals.told > 2 * totals.predicted);
    CHECK(delays_told(beliefs_delays(beliefs), 7, seconds, 50) > 200);
    CHECK(delays_told(beliefs_delays(beliefs), 8, seconds, 50) == 50);
    candidate.judged.missing = 0; /* judged by limits: nothing was predicted */
    delays_overtook(beliefs_delays(beliefs), &pool, seconds, &candidate);
    delays_ended(beliefs_delays(beliefs), 2, pool.now + 3000);
    delays_totals(beliefs_delays(beliefs), seconds, &totals);
    CHECK(totals.known == 40);
    beliefs_free(beliefs);
    beliefs_free(later);
}

/* Two whole-machine jobs behind the head job: the short one is expected before the long one, unless the site ranks the
 * long one before it. */
static void starts_follow_the_order(void) {
    struct running running[] = {{.nodes = 5, .age = 0, .facts = {.id = 1, .user = SLOW, .limit = 7200, .asked = 1}}};
    struct facts whole = {.id = 10, .user = QUICK, .nodes = 5, .limit = 7200, .asked = 1, .submit = 1000};
    struct candidate candidates[] = {{.facts = whole}, {.facts = whole}};
    struct pool pool = {.nodes = 5, .now = 1000, .head = whole, .running = running, .running_count = 1,
                        .candidates = candidates, .candidate_count = 2};
    struct teller *teller = teller_make();
    struct beliefs *beliefs = learnt();
    struct settings settings;
    candidates[0].facts.id = 11;
    candidates[0].facts.user = SLOW;
    candidates[1].facts.id = 12;
    read(&settings, "");
    CHECK(foretell(teller, &settings, beliefs, &pool) == NULL);
    CHECK(pool.head_expected > 1000 && candidates[1].expected > pool.head_expected &&
          candidates[1].expected + 5 < candidates[0].expected);
    candidates[1].rank = 7;
    CHECK(foretell(teller, &settings, beliefs, &pool) == NULL);
    CHECK(candidates[0].expected + 1000 < candidates[1].expected);
    candidates[1].rank = 0;
    read(&settings, "surefill_order=site");
    CHECK(foretell(teller, &settings, beliefs, &pool) == NULL);
    CHECK(candidates[0].expected + 1000 < candidates[1].expected);
    teller_free(teller);
    beliefs_free(beliefs);
}

struct asked {
    struct facts facts;
    uint32_t rank;
};

static bool ranked_alike(const void *one, const void *next) {
    return ((const struct asked *)one)->rank == ((const struct asked *)next)->rank;
}

/* The numbers of the jobs in the order of the queue, as decimal digits. */
static long in_order(const char *words, struct beliefs *beliefs, const struct asked *queue, int count, double deadline) {
    struct asked jobs[8];
    struct settings settings;
    long digits = 0;
    read(&settings, words);
    memcpy(jobs, queue, (size_t)count * sizeof *jobs);
    order_queue(&settings, beliefs, 100000, jobs, count, sizeof *jobs, ranked_alike, deadline);
    for (int i = 0; i < count; i++) digits = 10 * digits + (long)jobs[i].facts.id;
    return digits;
}

/* Among jobs that the site ranks equally short ones are asked first, and one that has waited longer than nearly all
 * lately before them. */
static void the_queue_has_an_order(void) {
    struct asked queue[] = {
        {.facts = {.id = 1, .user = SLOW, .nodes = 1, .limit = 7200, .asked = 1, .submit = 99990}, .rank = 3},
        {.facts = {.id = 2, .user = QUICK, .nodes = 1, .limit = 7200, .asked = 1, .submit = 99991}, .rank = 3},
        {.facts = {.id = 3, .user = SLOW, .nodes = 1, .limit = 7200, .asked = 1, .submit = 99992}, .rank = 2},
        {.facts = {.id = 4, .user = QUICK, .nodes = 1, .limit = 7200, .asked = 1, .submit = 99993}, .rank = 2},
        {.facts = {.id = 5, .user = QUICK, .nodes = 1, .limit = 7200, .asked = 1, .submit = 99994}, .rank = 1}};
    struct beliefs *beliefs = learnt();
    CHECK(in_order("", beliefs, queue, 5, INFINITY) == 21435);
    CHECK(in_order("surefill_order=candidates", beliefs, queue, 5, INFINITY) == 12345);
    CHECK(in_order("surefill_order=site", beliefs, queue, 5, INFINITY) == 12345);
    CHECK(in_order("surefill_preset=easy", beliefs, queue, 5, INFINITY) == 12345);
    CHECK(in_order("surefill_preset=papers", beliefs, queue, 5, INFINITY) == 12345);
    CHECK(in_order("surefill_criterion=relative", beliefs, queue, 5, INFINITY) == 12345);
    CHECK(in_order("surefill_order=queue,surefill_criterion=relative", beliefs, queue, 5, INFINITY) == 21435);
    CHECK(in_order("surefill_mode=shadow", beliefs, queue, 5, INFINITY) == 12345);
    CHECK(in_order("surefill_mode=limits", beliefs, queue, 5, INFINITY) == 12345);
    CHECK(in_order("", beliefs, queue, 5, 0) == 12345); /* no time: as it was */
    CHECK(in_order("", beliefs, queue, 1, INFINITY) == 1 && in_order("", beliefs, queue, 0, INFINITY) == 0);
    queue[0].facts.submit = 90000; /* it has waited ten thousand seconds */
    CHECK(in_order("", beliefs, queue, 5, INFINITY) == 21435);
    for (int i = 0; i < 300; i++) { /* others a quarter of an hour */
        struct facts facts = {.id = 100 + i, .user = QUICK, .limit = 7200, .nodes = 1, .asked = 1};
        strcpy(facts.queue, "main");
        waits_joined(beliefs_waits(beliefs), &facts, 1000 * i);
        waits_started(beliefs_waits(beliefs), &facts, -1, 1000 * i + 900);
    }
    CHECK(in_order("", beliefs, queue, 5, INFINITY) == 12435);
    beliefs_free(beliefs);
}

int main(void) {
    the_queue_has_an_order();
    starts_follow_the_order();
    short_ones_come_first();
    a_long_wait_guards();
    delays_are_learnt();
    printf("preset: %s\n", failures == 0 ? "the orders of queue and candidates, the guard of long waits, delays: passed" : "FAILED");
    return failures == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
