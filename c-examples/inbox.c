/* Threads of a resource manager hand job events to the thread that decides, and never wait for it: surefill_inbox.
 *
 *   cc inbox.c -lsurefill -lpthread && ./a.out
 *
 * Two threads stand for those in which a resource manager hears of jobs. The main thread stands for the scheduler:
 * before each pass it takes all events out and tells its predictor of waits. */
#include <inttypes.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <surefill_parts.h>

enum { THREADS = 2, JOBS = 1000, EVENTS = 256 };

static surefill_inbox *inbox;

/* Ends the program with what the library says when a call fails. */
#define CHECK(call) check(call, #call)
static void check(int32_t status, const char *call) {
    if (status == SUREFILL_OK) return;
    fprintf(stderr, "%s: %s (%s)\n", call, surefill_status_text(status), surefill_status_name(status));
    exit(1);
}

/* In a resource manager's thread. An inbox that is full refuses the event and counts it; here it is tried again. */
static void tell(int32_t kind, int64_t job, int64_t time) {
    const surefill_job_event event = {.kind = kind, .processors = 4, .job = job, .time = time, .limit = 3600, .user = job % 7};
    int32_t status;
    while ((status = surefill_inbox_push(inbox, &event)) == SUREFILL_ERROR_FULL) sched_yield();
    CHECK(status);
}

/* A job each minute, which starts two minutes later. */
static void *hear(void *number) {
    const int64_t first = *(int *)number;
    for (int64_t i = 0; i < JOBS + 2; i++) {
        if (i < JOBS) tell(SUREFILL_EVENT_SUBMIT, first + THREADS * i, 60 * i);
        if (i >= 2) tell(SUREFILL_EVENT_START, first + THREADS * (i - 2), 60 * i);
    }
    return NULL;
}

int main(void) {
    surefill_inbox_capacity capacity;
    surefill_wait_capacity wait_capacity;
    surefill_wait_options options;
    surefill_wait *waits;
    surefill_job_event event;
    pthread_t threads[THREADS];
    int numbers[THREADS], told = 0;
    int64_t bytes, now = 0, bound, waited, remembered, refused;
    int32_t answer, status, waiting;
    CHECK(surefill_inbox_capacity_init(&capacity));
    capacity.events = EVENTS;
    CHECK(surefill_inbox_size(&capacity, &bytes));
    CHECK(surefill_inbox_init(malloc((size_t)bytes), bytes, &capacity, &inbox));
    CHECK(surefill_wait_capacity_init(&wait_capacity));
    CHECK(surefill_wait_options_init(&options));
    CHECK(surefill_wait_size(&wait_capacity, &bytes));
    CHECK(surefill_wait_init(malloc((size_t)bytes), bytes, &wait_capacity, &options, &waits));
    for (int i = 0; i < THREADS; i++) {
        numbers[i] = i;
        if (pthread_create(&threads[i], NULL, hear, &numbers[i]) != 0) return 1;
    }
    while (told < 2 * THREADS * JOBS) { /* a scheduler makes a pass each time here */
        while ((status = surefill_inbox_pop(inbox, &event)) == SUREFILL_OK) {
            if (event.time > now) now = event.time; /* the threads are not equally fast, and time does not go back */
            if (event.kind == SUREFILL_EVENT_SUBMIT)
                CHECK(surefill_wait_submit(waits, event.job, now, event.limit, event.processors, &answer, &bound));
            else
                CHECK(surefill_wait_start(waits, event.job, now, &waited));
            told++;
        }
        if (status != SUREFILL_ERROR_EMPTY) CHECK(status);
    }
    for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
    CHECK(surefill_wait_counts(waits, &waiting, &remembered));
    CHECK(surefill_inbox_refused(inbox, &refused));
    printf("%d events, %" PRId64 " waits known\n", told, remembered);
    fprintf(stderr, "%" PRId64 " times an event was refused and tried again\n", refused);
    free(waits);
    free(inbox);
    return 0;
}
