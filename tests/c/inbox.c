/* Threads push numbered events, another takes them out: nothing is lost, doubled, or out of order of one thread. The
 * number of events may be given. A bit that is flipped anywhere delivers no wrong event. */
#include "check.h"

#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { EVENTS = 1024, PUSHERS = 3 };

static int64_t memory[9000];
static surefill_inbox *inbox;
static int64_t events = 1000000, pushed, times_full, times_empty;
static int wrong_push;

static surefill_job_event event_of(int64_t number) {
    const int32_t kind = SUREFILL_EVENT_SUBMIT + (int32_t)(number % 4), processors = (int32_t)(number % 1000);
    return (surefill_job_event){kind, processors, number, 3 * number, 5 * number, -number, number + 7};
}

static int is_event_of(int64_t number, const surefill_job_event *found) {
    const surefill_job_event event = event_of(number);
    return found->kind == event.kind && found->processors == event.processors && found->job == event.job &&
           found->time == event.time && found->limit == event.limit && found->user == event.user && found->name == event.name;
}

static void *push(void *unused) {
    (void)unused;
    while (pushed < events) {
        const surefill_job_event event = event_of(pushed);
        const int32_t status = surefill_inbox_push(inbox, &event);
        if (status == SUREFILL_OK)
            pushed++;
        else if (status != SUREFILL_ERROR_FULL)
            wrong_push = 1;
        else if (++times_full % 64 == 0)
            sched_yield(); /* on a machine of one processor the other thread needs it */
    }
    return NULL;
}

/* Without a second thread: full and empty are seen exactly where they are. */
static void fill_and_empty(void) {
    surefill_job_event event = event_of(0);
    for (int round = 0; round < 3; round++) { /* the ring starts elsewhere in every round */
        for (int64_t i = 0; i < EVENTS; i++) {
            event = event_of(i);
            CHECK_OK(surefill_inbox_push(inbox, &event));
        }
        CHECK_STATUS(SUREFILL_ERROR_FULL, surefill_inbox_push(inbox, &event));
        for (int64_t i = 0; i < EVENTS; i++) {
            CHECK_OK(surefill_inbox_pop(inbox, &event));
            CHECK(is_event_of(i, &event));
        }
        CHECK_STATUS(SUREFILL_ERROR_EMPTY, surefill_inbox_pop(inbox, &event));
    }
}

static void two_threads(void) {
    pthread_t thread;
    int64_t popped = 0;
    int in_order = 1, wrong_pop = 0;
    surefill_job_event event;
    if (!CHECK(pthread_create(&thread, NULL, push, NULL) == 0)) return;
    while (popped < events) {
        const int32_t status = surefill_inbox_pop(inbox, &event);
        if (status == SUREFILL_OK) {
            in_order &= is_event_of(popped++, &event);
        } else if (status != SUREFILL_ERROR_EMPTY) {
            wrong_pop = 1;
        } else if (++times_empty % 64 == 0) {
            sched_yield();
        }
    }
    CHECK(pthread_join(thread, NULL) == 0);
    CHECK(in_order);
    CHECK(!wrong_push && !wrong_pop);
    CHECK(popped == events && pushed == events);
    CHECK_STATUS(SUREFILL_ERROR_EMPTY, surefill_inbox_pop(inbox, &event));
}

/* Each pusher has every PUSHERS-th number. */
static int64_t numbers[PUSHERS];

static void *push_some(void *pusher) {
    int64_t *number = pusher;
    for (; *number < events; *number += PUSHERS) {
        const surefill_job_event event = event_of(*number);
        int32_t status;
        while ((status = surefill_inbox_push(inbox, &event)) == SUREFILL_ERROR_FULL) sched_yield();
        if (status != SUREFILL_OK) wrong_push = 1;
    }
    return NULL;
}

static void several_threads(void) {
    pthread_t threads[PUSHERS];
    int64_t next[PUSHERS], popped = 0;
    int in_order = 1, wrong_pop = 0;
    for (int i = 0; i < PUSHERS; i++) {
        numbers[i] = next[i] = i;
        if (!CHECK(pthread_create(&threads[i], NULL, push_some, &numbers[i]) == 0)) return;
    }
    while (popped < events) {
        surefill_job_event event;
        const int32_t status = surefill_inbox_pop(inbox, &event);
        if (status == SUREFILL_OK) {
            int64_t *own = &next[event.job % PUSHERS];
            in_order &= is_event_of(*own, &event);
            *own += PUSHERS;
            popped++;
        } else if (status != SUREFILL_ERROR_EMPTY) {
            wrong_pop = 1;
        } else {
            sched_yield();
        }
    }
    for (int i = 0; i < PUSHERS; i++) CHECK(pthread_join(threads[i], NULL) == 0);
    CHECK(in_order && !wrong_push && !wrong_pop);
}

/* A damaged block delivers only events that were pushed, or none. */
static void flipped_bits(void) {
    static int64_t good[40], block[40];
    surefill_inbox_capacity capacity;
    surefill_inbox *small;
    surefill_job_event event;
    int64_t bytes;
    int wrong = 0;
    CHECK_OK(surefill_inbox_capacity_init(&capacity));
    capacity.events = 4;
    CHECK_OK(surefill_inbox_size(&capacity, &bytes));
    if (!CHECK(bytes <= (int64_t)sizeof good)) return;
    CHECK_OK(surefill_inbox_init(good, sizeof good, &capacity, &small));
    for (int64_t i = 0; i < 3; i++) {
        event = event_of(i);
        CHECK_OK(surefill_inbox_push(small, &event));
    }
    for (int64_t bit = 0; bit < 8 * bytes; bit++) {
        int64_t last = -1;
        memcpy(block, good, sizeof block);
        ((unsigned char *)block)[bit / 8] ^= (unsigned char)(1 << bit % 8);
        event = event_of(3);
        surefill_inbox_push((surefill_inbox *)block, &event);
        for (int i = 0; i < 6; i++) {
            if (surefill_inbox_pop((surefill_inbox *)block, &event) != SUREFILL_OK) continue;
            wrong |= event.job <= last || event.job > 3 || !is_event_of(event.job, &event);
            last = event.job;
        }
    }
    CHECK(!wrong);
}

int main(int argc, char **argv) {
    surefill_inbox_capacity capacity;
    if (argc > 1) events = atoll(argv[1]);
    flipped_bits();
    CHECK_OK(surefill_inbox_capacity_init(&capacity));
    capacity.events = EVENTS;
    CHECK_OK(surefill_inbox_init(memory, sizeof memory, &capacity, &inbox));
    fill_and_empty();
    two_threads();
    several_threads();
    printf("found full %lld times, empty %lld times\n", (long long)times_full, (long long)times_empty);
    return checks_done();
}
