/* One thread pushes numbered events, another takes them out: nothing is lost, doubled, or out of order. The number of
 * events may be given. */
#include "check.h"

#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>

static int64_t memory[5200];
static surefill_inbox *inbox;
static int64_t events = 1000000, pushed, times_full, times_empty;
static int wrong_push;

static surefill_job_event event_of(int64_t number) {
    const int32_t kind = SUREFILL_EVENT_SUBMIT + (int32_t)(number % 4), processors = (int32_t)(number % 1000);
    return (surefill_job_event){kind, processors, number, 3 * number, 5 * number, -number};
}

static int is_event_of(int64_t number, const surefill_job_event *found) {
    const surefill_job_event event = event_of(number);
    return found->kind == event.kind && found->processors == event.processors && found->job == event.job &&
           found->time == event.time && found->limit == event.limit && found->user == event.user;
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
    int32_t length = -1;
    for (int round = 0; round < 3; round++) { /* the ring starts elsewhere in every round */
        for (int64_t i = 0; i < SUREFILL_INBOX_CAPACITY; i++) {
            event = event_of(i);
            CHECK_OK(surefill_inbox_push(inbox, &event));
        }
        CHECK_STATUS(SUREFILL_ERROR_FULL, surefill_inbox_push(inbox, &event));
        CHECK_OK(surefill_inbox_length(inbox, &length));
        CHECK(length == SUREFILL_INBOX_CAPACITY);
        for (int64_t i = 0; i < SUREFILL_INBOX_CAPACITY; i++) {
            CHECK_OK(surefill_inbox_pop(inbox, &event));
            CHECK(is_event_of(i, &event));
        }
        CHECK_STATUS(SUREFILL_ERROR_EMPTY, surefill_inbox_pop(inbox, &event));
        CHECK_OK(surefill_inbox_length(inbox, &length));
        CHECK(length == 0);
    }
}

static void two_threads(void) {
    pthread_t thread;
    int64_t popped = 0;
    int in_order = 1, length_in_range = 1, wrong_pop = 0;
    surefill_job_event event;
    if (!CHECK(pthread_create(&thread, NULL, push, NULL) == 0)) return;
    while (popped < events) {
        int32_t length = -1;
        const int32_t status = surefill_inbox_pop(inbox, &event);
        if (status == SUREFILL_OK) {
            in_order &= is_event_of(popped++, &event);
            if (surefill_inbox_length(inbox, &length) != SUREFILL_OK || length < 0 || length > SUREFILL_INBOX_CAPACITY)
                length_in_range = 0;
        } else if (status != SUREFILL_ERROR_EMPTY) {
            wrong_pop = 1;
        } else if (++times_empty % 64 == 0) {
            sched_yield();
        }
    }
    CHECK(pthread_join(thread, NULL) == 0);
    CHECK(in_order);
    CHECK(length_in_range);
    CHECK(!wrong_push && !wrong_pop);
    CHECK(popped == events && pushed == events);
    CHECK_STATUS(SUREFILL_ERROR_EMPTY, surefill_inbox_pop(inbox, &event));
}

int main(int argc, char **argv) {
    if (argc > 1) events = atoll(argv[1]);
    CHECK_OK(surefill_inbox_init(memory, sizeof memory, &inbox));
    fill_and_empty();
    two_threads();
    printf("found full %lld times, empty %lld times\n", (long long)times_full, (long long)times_empty);
    return checks_done();
}
