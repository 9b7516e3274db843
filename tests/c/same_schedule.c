/* The scheduler of c-examples/whole_scheduler.c over a stand-in for a resource manager that reports as a real one may:
 * each event, or all jobs again, in any order, after each event and at random seconds between two.
 *
 *   ./a.out events|listings|random "WORDS" TRACE.swf
 *
 * It prints the start of every job, a line each in the order of the trace. same_schedule.sh compares them with the
 * simulator's. */
#define main whole_main
#include "../../c-examples/whole_scheduler.c"
#undef main

static uint64_t state = 88172645463325252;

static uint64_t drawn(void) { /* xorshift64 (Marsaglia 2003) */
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state;
}

/* The jobs of a listing from both ends, the next one from either, so that no order can be relied on. */
static void list_in_any_order(void) {
    int32_t doubted, first = first_unfinished, last = submitted - 1;
    CHECK(surefill_scheduler_list_begin(scheduler, now));
    while (first <= last) {
        const int32_t id = drawn() % 2 == 0 ? first++ : last--;
        const surefill_job job = said(id);
        if (!jobs[id].ended || end_of(id) == now) scheduler_reports(&job);
    }
    CHECK(surefill_scheduler_list_end(scheduler, now, &doubted));
    if (doubted != 0) fail("list_end", "doubts jobs that were listed");
}

static int64_t next_event(void) {
    int64_t when = submitted < job_count ? jobs[submitted].submit : INT64_MAX;
    for (int32_t id = first_unfinished; id < submitted; id++)
        if (runs(id) && end_of(id) < when) when = end_of(id);
    return when;
}

/* Seconds between now and the next event at which the manager lists its jobs although nothing has happened, two in
 * eight events; in one of them the scheduler is saved and opened again. */
static void between(int64_t when) {
    while (when - now > 1 && drawn() % 8 < 2) {
        now += 1 + (int64_t)(drawn() % (uint64_t)(when - now - 1 > 0 ? when - now - 1 : 1));
        if (now >= when) fail("between", "the next event is passed");
        list_in_any_order();
        scheduler_decides();
        if (drawn() % 16 != 0) continue;
        CHECK(surefill_scheduler_seal(scheduler));
        void *moved = room(block_size);
        memcpy(moved, block, (size_t)block_size);
        free(block);
        block = moved;
        CHECK(surefill_scheduler_open(block, block_size, &scheduler));
    }
}

int main(int argc, char **argv) {
    if (argc != 4) fail("usage", "events|listings|random \"WORDS\" TRACE.swf");
    const bool random = strcmp(argv[1], "random") == 0, events = strcmp(argv[1], "events") == 0;
    read_trace(argv[3]);
    idle = machine;
    scheduler_make(256, argv[2], NULL);
    CHECK(surefill_scheduler_set_pool(scheduler, "nodes", 5, machine, -1, &pool));
    CHECK(surefill_scheduler_set_queue(scheduler, "batch", 5, pool, &queue));
    for (int64_t when; (when = next_event()) != INT64_MAX;) {
        if (random) between(when);
        now = when;
        for (int32_t id = first_unfinished; id < submitted; id++) {
            if (!runs(id) || end_of(id) > now) continue;
            jobs[id].ended = true;
            idle += jobs[id].processors;
            const surefill_job job = said(id);
            if (events) scheduler_reports(&job);
        }
        for (; submitted < job_count && jobs[submitted].submit <= now; submitted++) {
            const surefill_job job = said(submitted);
            if (events) scheduler_reports(&job);
        }
        if (!events) list_in_any_order();
        while (first_unfinished < submitted && jobs[first_unfinished].ended) first_unfinished++;
        scheduler_decides();
    }
    for (int32_t id = 0; id < job_count; id++) printf("%" PRId64 "\n", jobs[id].start);
    free(block);
    free(scratch);
    return refusals == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
