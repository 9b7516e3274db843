/* Candidates on shared nodes, without Slurm: what is held on which node, who waits for whom, and on which nodes
 * somebody is let through. */
#include "../expect.h"
#include "share_foretell.h"
#include "share_pass.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CORES, MEMORY, GPUS, KINDS, NOW = 1000000 };

/* Every allocation of the program goes through these, put before the real ones by the linker (--wrap): the one that
 * this counts down to fails. */
static int until_shortage = -1;

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *old, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *old, size_t size);

static bool is_short(void) { return until_shortage >= 0 && until_shortage-- == 0; }
void *__wrap_malloc(size_t size) { return is_short() ? NULL : __real_malloc(size); }
void *__wrap_calloc(size_t count, size_t size) { return is_short() ? NULL : __real_calloc(count, size); }
void *__wrap_realloc(void *old, size_t size) { return is_short() ? NULL : __real_realloc(old, size); }

static struct facts facts(int64_t id, int64_t user, int64_t limit) {
    return (struct facts){.id = id, .user = user, .submit = NOW - 100, .limit = limit, .nodes = 1, .asked = 1};
}

static surefill_request wish(int32_t count, int32_t cores, int32_t memory, int32_t gpus) {
    surefill_request request;
    CHECK(surefill_request_init(&request) == SUREFILL_OK);
    request.count = count;
    request.spread = SUREFILL_SPREAD_NODES;
    request.each[CORES] = cores, request.each[MEMORY] = memory, request.each[GPUS] = gpus;
    return request;
}

/* Two nodes with eight cores, 100 of memory and four GPUs, known as 5 and 9; the head job wants all of both. */
struct scene {
    struct pool pool;
    struct share share;
};

static void open_scene(struct scene *scene) {
    const struct share_node one = {.id = 5, .amounts = {8, 100, 4}, .taken = -1}, other = {.id = 9, .amounts = {8, 100, 4}, .taken = -1};
    memset(scene, 0, sizeof *scene);
    scene->pool.now = NOW;
    scene->pool.head = facts(7, 1, 3600);
    scene->share.kinds = KINDS;
    scene->share.head = wish(2, 8, 0, 4);
    CHECK(share_add_node(&scene->share, &one) && share_add_node(&scene->share, &other));
}

static void close_scene(struct scene *scene) {
    pool_free(&scene->pool);
    share_free(&scene->share);
}

static void run(struct scene *scene, int64_t id, int64_t user, int64_t age, int64_t limit) {
    const struct share_job job = {.facts = facts(id, user, limit), .age = age};
    CHECK(share_add_job(&scene->share, &job));
}

static void hold(struct scene *scene, int32_t node, int32_t cores, int32_t memory, int32_t gpus) {
    const struct share_hold held = {.node = node, .amounts = {cores, memory, gpus}};
    CHECK(share_add_hold(&scene->share, &held));
}

static void queue_up(struct scene *scene, int64_t id, int64_t user, int64_t limit, surefill_request request) {
    const struct candidate candidate = {.facts = facts(id, user, limit), .shared = true};
    const struct share_wish wished = {.candidate = scene->pool.candidate_count, .request = request};
    CHECK(pool_add_candidate(&scene->pool, &candidate) && share_add_wish(&scene->share, &wished));
}

/* User 1's jobs run for 600 s, user 2's for 7,000 s, user 3's for one. */
static struct beliefs *history(void) {
    struct beliefs *beliefs = beliefs_make(PREDICTOR_MIX);
    const int64_t ran[] = {600, 7000, 1};
    int64_t now = NOW / 2;
    CHECK(beliefs != NULL);
    for (int i = 0; i < 120; i++) {
        const struct facts one = facts(100 + i, 1 + i % 3, 7200);
        beliefs_submitted(beliefs, &one, now);
        beliefs_started(beliefs, &one, now);
        beliefs_ended(beliefs, &one, ran[i % 3], now + ran[i % 3]);
        now += ran[i % 3];
    }
    return beliefs;
}

static struct settings rule(double tau) {
    struct settings settings;
    char words[100], message[100];
    settings_defaults(&settings);
    snprintf(words, sizeof words, "surefill_criterion=probability,surefill_tau=%g", tau);
    CHECK(settings_read(&settings, words, message, sizeof message));
    return settings;
}

static void longer_ones_wait(struct sharer *sharer, struct beliefs *beliefs) {
    struct settings settings = rule(0.2);
    struct decision decision;
    struct scene scene;
    double head_wait;
    open_scene(&scene);
    run(&scene, 1, 1, 60, 3600);
    hold(&scene, 0, 2, 10, 2);
    run(&scene, 2, 1, 60, 3600);
    hold(&scene, 1, 2, 10, 3);
    queue_up(&scene, 11, 2, 7200, wish(1, 1, 10, 1)); /* long by what is known of its user */
    queue_up(&scene, 12, 3, 7200, wish(1, 1, 10, 1)); /* short */
    queue_up(&scene, 13, 3, 7200, wish(1, 1, 10, 4)); /* does not fit */
    queue_up(&scene, 14, 3, 7200, wish(2, 1, 10, 1)); /* short, on both nodes: only one has room by now */
    share_decide(sharer, &settings, beliefs, 0, &scene.pool, &scene.share, &decision, &head_wait);
    CHECK(decision.outcome == OUTCOME_DONE && decision.accepted_count >= 1 && decision.accepted[0] == 1);
    CHECK(scene.pool.candidates[0].judged.verdict == SUREFILL_VERDICT_REFUSED);
    CHECK(scene.pool.candidates[1].judged.verdict == SUREFILL_VERDICT_ACCEPTED);
    CHECK(scene.pool.candidates[2].judged.verdict == SUREFILL_VERDICT_DOES_NOT_FIT);
    CHECK(scene.share.spot_count >= 1 && scene.share.spots[0].candidate == 1);
    CHECK(scene.share.spots[0].id == 5 || scene.share.spots[0].id == 9);
    CHECK(head_wait > 100 && head_wait < 3600);
    if (decision.accepted_count == 2) CHECK(decision.accepted[1] == 3 && scene.share.spot_count == 3);
    settings = rule(0.9999); /* now everybody who fits starts, in order */
    share_decide(sharer, &settings, beliefs, 0, &scene.pool, &scene.share, &decision, &head_wait);
    CHECK(decision.accepted_count >= 2 && decision.accepted[0] == 0 && decision.accepted[1] == 1);
    settings.preset.or_easy = 1; /* by limits alone nobody is harmless */
    share_decide(sharer, &settings, NULL, 0, &scene.pool, &scene.share, &decision, &head_wait);
    CHECK(decision.outcome == OUTCOME_DONE && decision.accepted_count == 0);
    scene.pool.candidates[1].started = true; /* while the pool was gathered */
    settings = rule(0.2);
    share_decide(sharer, &settings, beliefs, 0, &scene.pool, &scene.share, &decision, &head_wait);
    CHECK(scene.pool.candidates[1].judged.verdict == SUREFILL_VERDICT_DOES_NOT_FIT);
    close_scene(&scene);
}

/* The head job may only be on the first node, which is free for it in a while. Who has a place on the other one never
 * delays it. */
static void features_keep_apart(struct sharer *sharer, struct beliefs *beliefs) {
    struct settings settings = rule(0.2);
    struct decision decision;
    struct scene scene;
    double head_wait;
    open_scene(&scene);
    scene.share.nodes[0].features = 1;
    scene.share.head = wish(1, 8, 0, 4);
    scene.share.head.features = 1;
    run(&scene, 1, 1, 60, 3600);
    hold(&scene, 0, 2, 10, 2);
    queue_up(&scene, 11, 2, 7200, wish(1, 8, 10, 1));
    queue_up(&scene, 12, 2, 7200, wish(1, 1, 10, 1));
    share_decide(sharer, &settings, beliefs, 0, &scene.pool, &scene.share, &decision, &head_wait);
    CHECK(decision.accepted_count == 1 && decision.accepted[0] == 0);
    CHECK(scene.share.spot_count == 1 && scene.share.spots[0].id == 9);
    CHECK(scene.pool.candidates[1].judged.verdict == SUREFILL_VERDICT_REFUSED);
    scene.share.head.features = 2; /* which no node has */
    share_decide(sharer, &settings, beliefs, 0, &scene.pool, &scene.share, &decision, &head_wait);
    CHECK(decision.outcome == OUTCOME_HEAD_NEVER);
    scene.share.head.features = 0; /* and now it fits on the second one */
    share_decide(sharer, &settings, beliefs, 0, &scene.pool, &scene.share, &decision, &head_wait);
    CHECK(decision.outcome == OUTCOME_HEAD_FITS && decision.accepted_count == 0);
    close_scene(&scene);
}

/* What is reserved is nobody's until then, whatever runs there; what is being cleaned up is free in a moment. */
static void reservations_end(struct sharer *sharer, struct beliefs *beliefs) {
    const int64_t until[] = {300, 0};
    struct settings settings = rule(0.2);
    for (int i = 0; i < 2; i++) {
        struct decision decision;
        struct scene scene;
        double head_wait;
        open_scene(&scene);
        scene.share.nodes[1].taken = until[i];
        run(&scene, 1, 1, 3000, 3600); /* on both nodes; alone on what is not reserved */
        hold(&scene, 0, 2, 10, 2);
        if (i == 0) hold(&scene, 1, 2, 10, 2);
        queue_up(&scene, 11, 3, 7200, wish(1, 1, 10, 1));
        share_decide(sharer, &settings, beliefs, 0, &scene.pool, &scene.share, &decision, &head_wait);
        CHECK(decision.accepted_count == 1 && scene.share.spot_count == 1 && scene.share.spots[0].id == 5);
        CHECK(i == 0 ? head_wait >= 300 : head_wait < 3600);
        close_scene(&scene);
    }
}

static void expect_free(const struct machine *machine, int32_t node, int32_t cores, int32_t memory, int32_t gpus) {
    int32_t amounts[KINDS];
    CHECK(surefill_nodes_free(machine->nodes, node, amounts, KINDS) == SUREFILL_OK);
    CHECK(amounts[CORES] == cores && amounts[MEMORY] == memory && amounts[GPUS] == gpus);
}

/* Multiples of one amount are one job of the machine; other amounts are one, and a rest. */
static void machines_hold_everything(void) {
    struct machine machine = {.size = 0};
    struct scene scene;
    open_scene(&scene);
    run(&scene, 1, 1, 60, 3600);
    hold(&scene, 0, 3, 30, 0);
    hold(&scene, 1, 1, 10, 0);
    CHECK(machine_make(&machine, &scene.share, 0, 0) == NULL && machine.held_count == 1);
    expect_free(&machine, 0, 5, 70, 4);
    expect_free(&machine, 1, 7, 90, 4);
    run(&scene, 2, 1, 60, 3600);
    hold(&scene, 0, 2, 10, 1);
    hold(&scene, 1, 1, 10, 1);
    CHECK(machine_make(&machine, &scene.share, 0, 0) == NULL && machine.held_count == 3);
    CHECK(machine.held[1].job == 1 && machine.held[2].job == -1 && machine.held[2].until == 0);
    expect_free(&machine, 0, 3, 60, 3);
    expect_free(&machine, 1, 6, 80, 3);
    run(&scene, 3, 1, 0, 0); /* cores that are reserved: nobody's, all until then */
    scene.share.jobs[2].until = 500;
    hold(&scene, 0, 2, 0, 0);
    hold(&scene, 1, 1, 0, 0);
    CHECK(machine_make(&machine, &scene.share, 0, 0) == NULL && machine.held_count == 4);
    CHECK(machine.held[3].job == -1 && machine.held[3].until == 500);
    expect_free(&machine, 0, 1, 60, 3);
    expect_free(&machine, 1, 5, 80, 3);
    scene.share.job_count--;
    scene.share.hold_count -= 2;
    scene.share.nodes[1].taken = 60; /* reserved: whoever runs there counts no more */
    CHECK(machine_make(&machine, &scene.share, 0, 0) == NULL);
    expect_free(&machine, 0, 3, 60, 3);
    expect_free(&machine, 1, 0, 0, 0);
    run(&scene, 3, 1, 60, 3600); /* more than there is */
    hold(&scene, 0, 4, 10, 0);
    CHECK(machine_make(&machine, &scene.share, 0, 0) != NULL);
    machine_free(&machine);
    close_scene(&scene);
}

/* Whichever allocation fails, it is said, and with memory again all goes on. */
static void shortages_are_said(struct beliefs *beliefs) {
    struct settings settings = rule(0.2);
    struct sharer *sharer = sharer_make();
    struct decision decision;
    struct scene scene;
    double head_wait;
    int failed = 0;
    open_scene(&scene);
    run(&scene, 1, 1, 60, 3600);
    hold(&scene, 0, 2, 10, 2);
    queue_up(&scene, 12, 3, 7200, wish(1, 1, 10, 1));
    for (;; failed++) {
        bool done;
        sharer_free(sharer);
        CHECK((sharer = sharer_make()) != NULL);
        until_shortage = failed;
        share_decide(sharer, &settings, beliefs, 0, &scene.pool, &scene.share, &decision, &head_wait);
        done = until_shortage >= 0;
        until_shortage = -1;
        if (done) break;
        CHECK(decision.outcome == OUTCOME_ERROR || decision.outcome == OUTCOME_STRANGE);
        CHECK(decision.accepted_count == 0 && decision.message[0] != '\0');
    }
    CHECK(failed >= 5 && decision.outcome == OUTCOME_DONE && decision.accepted_count == 1);
    sharer_free(sharer);
    close_scene(&scene);
}

/* By limits every start is known, by hand. Both nodes are held in part until 1000 and 2000 seconds from now: the head
 * job, which wants both, starts then and runs for an hour. Of who is behind it one fits beside and ends in time, one
 * does not end in time, one never fits, and one has started while the pool was gathered. */
static void starts_are_foretold(struct beliefs *beliefs) {
    struct settings settings = rule(0.2);
    struct share_teller *teller = share_teller_make();
    struct candidate *candidates;
    struct scene scene;
    open_scene(&scene);
    run(&scene, 1, 1, 100, 1100);
    hold(&scene, 0, 2, 10, 2);
    run(&scene, 2, 2, 0, 2000);
    hold(&scene, 1, 2, 10, 3);
    scene.pool.head.submit = NOW - 10;
    queue_up(&scene, 11, 3, 900, wish(1, 1, 10, 2));
    queue_up(&scene, 12, 3, 7200, wish(1, 1, 10, 1));
    queue_up(&scene, 13, 3, 60, wish(1, 9, 10, 1));
    queue_up(&scene, 14, 3, 60, wish(2, 1, 10, 4));
    candidates = scene.pool.candidates;
    candidates[3].started = true;
    CHECK(share_foretell(teller, &settings, NULL, &scene.pool, &scene.share) == NULL);
    CHECK(scene.pool.head_expected == NOW + 2000);
    CHECK(candidates[0].expected == NOW && candidates[1].expected == NOW + 2000 + 3600);
    CHECK(candidates[2].expected == 0 && candidates[3].expected == 0);
    candidates[3].started = false; /* behind all others: it wants the GPUs of both nodes */
    CHECK(share_foretell(teller, &settings, NULL, &scene.pool, &scene.share) == NULL);
    CHECK(candidates[3].expected == NOW + 2000 + 3600 + 7200);
    /* By what is known user 1's job ends after ten minutes, user 2's hardly before its limit. */
    CHECK(share_foretell(teller, &settings, beliefs, &scene.pool, &scene.share) == NULL);
    CHECK(scene.pool.head_expected > NOW + 300 && scene.pool.head_expected <= NOW + 2000);
    scene.share.nodes[1].taken = 5000; /* reserved */
    CHECK(share_foretell(teller, &settings, NULL, &scene.pool, &scene.share) == NULL);
    CHECK(scene.pool.head_expected == NOW + 5000);
    for (int failed = 0;; failed++) { /* whichever allocation fails, nothing is told, and later all is again */
        const char *wrong;
        bool done;
        share_teller_free(teller);
        CHECK((teller = share_teller_make()) != NULL);
        until_shortage = failed;
        wrong = share_foretell(teller, &settings, NULL, &scene.pool, &scene.share);
        done = until_shortage >= 0;
        until_shortage = -1;
        CHECK(done == (wrong == NULL) && scene.pool.head_expected == (done ? NOW + 5000 : 0));
        if (done) break;
    }
    scene.share.head = wish(2, 9, 0, 0); /* more than the nodes have */
    CHECK(share_foretell(teller, &settings, NULL, &scene.pool, &scene.share) == NULL && scene.pool.head_expected == 0);
    run(&scene, 3, 1, 60, 3600); /* more than there is */
    hold(&scene, 0, 8, 10, 0);
    CHECK(share_foretell(teller, &settings, NULL, &scene.pool, &scene.share) != NULL && scene.pool.head_expected == 0);
    share_teller_free(teller);
    close_scene(&scene);
}

int main(void) {
    struct sharer *sharer = sharer_make();
    struct beliefs *beliefs = history();
    CHECK(sharer != NULL);
    longer_ones_wait(sharer, beliefs);
    features_keep_apart(sharer, beliefs);
    reservations_end(sharer, beliefs);
    machines_hold_everything();
    shortages_are_said(beliefs);
    starts_are_foretold(beliefs);
    sharer_free(sharer);
    beliefs_free(beliefs);
    printf("share: %s\n", failures == 0 ? "who waits, who is let through, on which nodes, starts: passed" : "FAILED");
    return failures == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
