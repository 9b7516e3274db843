/* A damaged predictor of any kind, wait predictor, forecast, sizing, scheduler or cycle is refused, or gives some
 * answer: it never crashes or hangs, and what it answers with SUREFILL_OK is a number. Every byte of the block is
 * damaged in turn, of the contexts' every 31st, of the scheduler and the cycle fewer where their predictor and plan
 * lie; `damage_objects N` does every N-th of these. */
#include "objects.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Whether a status is one, and what came with SUREFILL_OK a number. */
static int valid(int32_t status, double answer) {
    return status <= SUREFILL_OK && status >= SUREFILL_ERROR_DOES_NOT_FIT && (status != SUREFILL_OK || !isnan(answer));
}

static int use_predictor(void *made) {
    surefill_predictor *predictor = made;
    int64_t memory[SUREFILL_DISTRIBUTION_SIZE / 8], seconds = 0;
    surefill_distribution *found;
    surefill_held_job held[4] = {{.struct_size = sizeof held[0]}};
    surefill_round round = {.struct_size = sizeof round};
    double p[BINS] = {0, 0, 0, 0};
    int32_t answer = -1, written, all, step, sound = 1;
    int32_t status = surefill_predictor_probabilities(predictor, keys, key_count, NOW + 50, p, BINS, &answer);
    for (int i = 0; i < BINS; i++) sound &= valid(status, answer == SUREFILL_PREDICTION_MADE ? p[i] : 0);
    status = surefill_predictor_said(predictor, 100, memory, sizeof memory, &answer, &found);
    sound &= valid(status, 0);
    if (status == SUREFILL_OK) sound &= surefill_distribution_quantile(found, 0.5, 0, 3600, &seconds) == SUREFILL_OK;
    status = surefill_predictor_predict_job(predictor, 101, memory, sizeof memory, &answer, &found);
    sound &= valid(status, 0);
    if (status == SUREFILL_OK) sound &= surefill_distribution_quantile(found, 0.5, 0, 3600, &seconds) == SUREFILL_OK;
    sound &= valid(surefill_predictor_jobs(predictor, held, 4, &written, &all), 0);
    sound &= valid(surefill_predictor_start(predictor, 101, NOW + 50), 0);
    sound &= valid(surefill_predictor_end(predictor, 100, NOW + 250), 0);
    sound &= valid(surefill_predictor_submit(predictor, 102, keys, key_count, NOW + 300), 0);
    sound &= valid(surefill_predictor_train(predictor, 500, &step, &round), 0);
    sound &= valid(surefill_predictor_set_clock(predictor, NOW + 100), 0);
    sound &= valid(surefill_predictor_cancel(predictor, 102, NOW + 400), 0);
    return sound;
}

static int use_wait(void *made) {
    surefill_wait *wait = made;
    int64_t bound, waited, rests_on;
    int32_t answer, step, sound;
    double p = 0, least = 0;
    sound = valid(surefill_wait_predict(wait, 3600, 4, 0.5, 0.9, NOW, &answer, &bound), 0);
    sound &= valid(surefill_wait_predict(wait, 3600, 4, 0.95, 0.95, NOW, &answer, &bound), 0);
    sound &= valid(surefill_wait_predict_waiting(wait, 100, 0.5, 0.9, NOW, &answer, &bound), 0);
    int32_t status = surefill_wait_start_probability(wait, 3600, 4, 0, 50, 0.9, &p, &least, &rests_on);
    sound &= valid(status, p) && valid(status, least);
    sound &= valid(surefill_wait_submit(wait, 101, NOW + 10, 3600, 4, &answer, &bound), 0);
    sound &= valid(surefill_wait_start(wait, 100, NOW + 100, &waited), 0);
    sound &= valid(surefill_wait_recluster(wait, 300, &step), 0);
    sound &= valid(surefill_wait_cancel(wait, 101, NOW + 100), 0);
    return sound;
}

static int64_t make_forecast(void) {
    surefill_forecast_capacity capacity;
    surefill_forecast_options options;
    surefill_forecast *forecast;
    int64_t size;
    int32_t step;
    CHECK_OK(surefill_forecast_capacity_init(&capacity));
    CHECK_OK(surefill_forecast_options_init(&options));
    capacity.running = capacity.waiting = 3;
    capacity.processors = 16;
    capacity.bins = BINS;
    capacity.events_per_bin = 2;
    capacity.scenarios = options.scenarios = 8;
    options.reservations = 2;
    CHECK_OK(surefill_forecast_size(&capacity, &size));
    CHECK(size <= ROOM);
    CHECK_OK(surefill_forecast_init(good, sizeof good, &capacity, &forecast));
    CHECK_OK(surefill_forecast_begin(forecast, NOW, 4, &options));
    CHECK_OK(surefill_forecast_add_running(forecast, 8, 100, 5000, runs, NULL));
    CHECK_OK(surefill_forecast_add_running(forecast, 4, 100, 900, NULL, NULL));
    for (int i = 0; i < 3; i++) CHECK_OK(surefill_forecast_add_waiting(forecast, 12 - 4 * i, 3000, NOW - 10, runs, NULL));
    CHECK_OK(surefill_forecast_run(forecast, 150, &step));
    CHECK(step == SUREFILL_STEP_MORE);
    return size;
}

static int use_forecast(void *made) {
    surefill_forecast *forecast = made;
    int64_t when;
    int32_t step = SUREFILL_STEP_MORE, status = SUREFILL_OK, sound = 1;
    double p = 0, half = 0, mean = 0;
    for (int i = 0; i < 50 && step == SUREFILL_STEP_MORE && status == SUREFILL_OK; i++)
        sound &= valid(status = surefill_forecast_run(forecast, 1000, &step), 0);
    for (int32_t job = 0; job < 3; job++) {
        status = surefill_forecast_start_quantile(forecast, job, 0.5, &when, &half);
        sound &= valid(status, half);
        status = surefill_forecast_start_probability(forecast, job, NOW + 500, &p, &half);
        sound &= valid(status, p) && valid(status, half);
        status = surefill_forecast_start_mean(forecast, job, &mean, &half);
        sound &= valid(status, mean) && valid(status, half);
    }
    return sound;
}

static int64_t make_sizing(void) {
    surefill_sizing_capacity capacity;
    surefill_sizing *sizing;
    int64_t size;
    CHECK_OK(surefill_sizing_capacity_init(&capacity));
    capacity.running = 3;
    capacity.processors = 16;
    CHECK_OK(surefill_sizing_size(&capacity, &size));
    CHECK(size <= ROOM);
    CHECK_OK(surefill_sizing_init(good, sizeof good, &capacity, &sizing));
    CHECK_OK(surefill_sizing_begin(sizing, 4));
    CHECK_OK(surefill_sizing_add_lifetime(sizing, 8, 100, 50, 5000));
    CHECK_OK(surefill_sizing_add_lifetime(sizing, 4, 100, 10, 9000));
    return size;
}

static int use_sizing(void *made) {
    surefill_sizing *sizing = made;
    surefill_choice_options options;
    surefill_choice choice = {.struct_size = sizeof choice};
    double seconds = 0, p = 0;
    int32_t sound = 1, status;
    for (int32_t by = SUREFILL_WAIT_BY_BENEFACTORS; by <= SUREFILL_WAIT_BY_MEAN; by++) {
        status = surefill_sizing_wait(sizing, 12, by, 0.5, &seconds);
        sound &= valid(status, seconds);
    }
    status = surefill_sizing_free_probability(sizing, 12, 500, &p);
    sound &= valid(status, p);
    CHECK_OK(surefill_choice_options_init(&options));
    status = surefill_sizing_choose(sizing, &options, 12, 1, 5000, &choice);
    sound &= valid(status, choice.wait) && valid(status, choice.run_time);
    return sound;
}

static int64_t cycle_memory[ROOM / 8], larger_memory[ROOM / 8];

/* Runs a cycle to its end, however it is called; offers are started and refused in turn. */
static int use_cycle(surefill_cycle *cycle, surefill_scheduler *scheduler) {
    surefill_action action = {.struct_size = sizeof action};
    int64_t start;
    int32_t holds, sound = 1, status = SUREFILL_OK;
    for (int i = 0; i < 8 && status == SUREFILL_OK && (i == 0 || action.step < SUREFILL_ACT_DONE); i++) {
        sound &= valid(status = surefill_cycle_next(cycle, scheduler, &action), 0);
        sound &= status != SUREFILL_OK || (action.step >= SUREFILL_ACT_START && action.step <= SUREFILL_ACT_STALE);
        sound &= valid(surefill_cycle_holds(cycle, scheduler, action.number, &holds), 0);
        if (i % 3 == 1)
            sound &= valid(surefill_cycle_refused(cycle, scheduler, action.number, SUREFILL_REFUSED_BUSY), 0);
        else
            sound &= valid(surefill_cycle_started(cycle, scheduler, action.number, action.job + 20 * (i == 2)), 0);
    }
    sound &= valid(surefill_cycle_planned(cycle, scheduler, 2, &start), 0);
    sound &= valid(surefill_cycle_planned(cycle, scheduler, 3, &start), 0);
    surefill_reason reason = {.struct_size = sizeof reason};
    for (int64_t job = 1; job < 6; job++) {
        sound &= valid(surefill_cycle_reason(cycle, scheduler, job, &reason), 0);
        sound &= valid(surefill_scheduler_reason(scheduler, NOW, job, &reason), 0);
    }
    if (surefill_cycle_plan_all(cycle, scheduler) == SUREFILL_OK) {
        surefill_job job = {.struct_size = sizeof job, .count = 1, .limit = 100, .queue_count = 1};
        sound &= valid(surefill_cycle_try(cycle, scheduler, &job, &reason), 0);
    }
    return sound & valid(surefill_cycle_close(cycle, scheduler), 0);
}

static int use_scheduler(void *made) {
    surefill_scheduler *scheduler = made, *larger;
    surefill_scheduler_capacity more = scheduler_capacity;
    surefill_totals totals = {.struct_size = sizeof totals};
    surefill_cycle *cycle;
    int64_t when, pools;
    int32_t number, sound = 1, status;
    char words[400];
    sound &= valid(surefill_scheduler_wake(scheduler, NOW, &when, &pools), 0);
    sound &= valid(surefill_scheduler_run_time(scheduler, NOW, 1, 0.9, &when), 0);
    sound &= valid(surefill_scheduler_words(scheduler, words, sizeof words), 0);
    sound &= valid(surefill_scheduler_totals(scheduler, &totals), 0);
    more.jobs = 5;
    sound &= valid(surefill_scheduler_grow(scheduler, larger_memory, sizeof larger_memory, &more, &larger), 0);
    for (int64_t now = NOW; now < NOW + 2000; now += 1000) {
        status = surefill_cycle_begin(cycle_memory, sizeof cycle_memory, scheduler, 0, now, &cycle);
        sound &= valid(status, 0);
        if (status == SUREFILL_OK) sound &= use_cycle(cycle, scheduler);
        sound &= valid(tell(scheduler, now + 10, 1, now == NOW ? SUREFILL_JOB_SUSPENDED : SUREFILL_JOB_ENDED), 0);
        sound &= valid(tell(scheduler, now + 20, 2, now == NOW ? SUREFILL_JOB_HELD : SUREFILL_JOB_BROKEN), 0);
        sound &= valid(tell(scheduler, now + 20, 4, SUREFILL_JOB_WAITING), 0);
    }
    sound &= valid(surefill_scheduler_set_priority(scheduler, 3, 1, 5), 0);
    sound &= valid(surefill_scheduler_configure(scheduler, "order=priority seconds=2", 24, NULL, words, sizeof words), 0);
    sound &= valid(surefill_scheduler_set_pool(scheduler, "nodes", 5, 6, 2, &number), 0);
    sound &= valid(surefill_scheduler_set_queue(scheduler, "batch", 5, 0, &number), 0);
    sound &= valid(surefill_scheduler_list_begin(scheduler, NOW + 1500), 0); /* the clock is set back */
    sound &= valid(tell(scheduler, NOW + 1500, 3, SUREFILL_JOB_WAITING), 0);
    sound &= valid(tell(scheduler, NOW + 1500, 5, SUREFILL_JOB_RUNNING), 0);
    sound &= valid(surefill_scheduler_list_end(scheduler, NOW + 1500, &number), 0);
    status = surefill_cycle_begin(cycle_memory, sizeof cycle_memory, scheduler, 0, NOW + 3000, &cycle);
    sound &= valid(status, 0);
    if (status == SUREFILL_OK) sound &= use_cycle(cycle, scheduler);
    return sound;
}

/* Damage number `how` of the byte at this place; the last is of the word that begins there. */
static void damage_at(int64_t *memory, int64_t i, int how) {
    unsigned char *byte = (unsigned char *)memory + i;
    if (how == 3)
        memory[i / 8] = -61;
    else
        *byte = (unsigned char)(how == 0 ? 0xff : how == 1 ? *byte ^ 0x80 : *byte + 1);
}

static void damage_scheduler(int64_t every) {
    enum { SCALARS = 6000 };
    static int64_t good_cycle[ROOM / 8], damaged_cycle[ROOM / 8], sealed[ROOM / 8];
    const int64_t size = make_scheduler();
    surefill_scheduler *opened;
    surefill_cycle *cycle;
    int64_t cycle_size, wrong = 0;
    CHECK_OK(surefill_cycle_size(&scheduler_capacity, &cycle_size));
    CHECK(cycle_size <= ROOM);
    memcpy(block, good, (size_t)size);
    CHECK(use_scheduler(block));
    for (int64_t i = 0; i < size; i += every * (i < SCALARS ? 1 : 211)) {
        for (int how = 0; how < 3 + (i % 8 == 0); how++) {
            memcpy(block, good, (size_t)size);
            damage_at(block, i, how);
            wrong += !use_scheduler(block);
        }
    }
    CHECK(wrong == 0);

    memcpy(sealed, good, (size_t)size);
    CHECK_OK(surefill_scheduler_seal((surefill_scheduler *)sealed));
    memcpy(block, sealed, (size_t)size);
    CHECK_OK(surefill_scheduler_open(block, size, &opened));
    for (int64_t i = 0; i < size; i += every * (i < SCALARS ? 3 : 97)) {
        memcpy(block, sealed, (size_t)size);
        damage_at(block, i, i % 2 == 0 ? 1 : 2);
        wrong += surefill_scheduler_open(block, size, &opened) == SUREFILL_OK;
    }
    CHECK(wrong == 0);

    CHECK_OK(surefill_cycle_begin(good_cycle, cycle_size, (surefill_scheduler *)good, 0, NOW, &cycle));
    surefill_action action = {.struct_size = sizeof action};
    CHECK_OK(surefill_cycle_next(cycle, (surefill_scheduler *)good, &action));
    CHECK(action.step == SUREFILL_ACT_START);
    for (int64_t i = 0; i < cycle_size; i += every * (i < 2000 ? 1 : 101)) {
        for (int how = 0; how < 3 + (i % 8 == 0); how++) {
            memcpy(block, good, (size_t)size);
            memcpy(damaged_cycle, good_cycle, (size_t)cycle_size);
            damage_at(damaged_cycle, i, how);
            wrong += !use_cycle((surefill_cycle *)damaged_cycle, (surefill_scheduler *)block);
        }
    }
    CHECK(wrong == 0);
}

static void damage(const char *name, int64_t size, int (*use)(void *object), int64_t every) {
    int64_t wrong = 0;
    memcpy(block, good, (size_t)size);
    CHECK(use(block)); /* of a sound one everything is asked for good */
    for (int64_t i = 0; i < size; i += every) {
        for (int how = 0; how < 3; how++) {
            memcpy(block, good, (size_t)size);
            unsigned char *byte = (unsigned char *)block + i;
            *byte = (unsigned char)(how == 0 ? 0xff : how == 1 ? *byte ^ 0x80 : *byte + 1);
            if (!use(block) && wrong++ == 0) printf("%s: byte %ld, change %d\n", name, (long)i, how);
        }
    }
    if (wrong > 0) printf("%s: %ld changes give an answer that is no number\n", name, (long)wrong);
    CHECK(wrong == 0);
}

int main(int argc, char **argv) {
    const int64_t every = argc > 1 ? atoll(argv[1]) : 1;
    make_bins();
    for (kind = SUREFILL_PREDICTOR_MIXTURE; kind <= SUREFILL_PREDICTOR_HMM_ONLINE; kind++)
        damage("predictor", make_predictor(), use_predictor, every);
    kind = SUREFILL_PREDICTOR_CONTEXTS;
    damage("contexts", make_predictor(), use_predictor, 31 * every);
    damage("sizing", make_sizing(), use_sizing, every);
    damage("forecast", make_forecast(), use_forecast, every);
    damage("wait", make_wait(), use_wait, every);
    damage_scheduler(every);
    return checks_done();
}
