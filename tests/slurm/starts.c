/* What waiting jobs are told about their starts is stretched by what came: the level that is told holds, however early
 * the forecasts are, and who still waits is heard of while it waits. Without Slurm. */
#include "../expect.h"
#include "books.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LEVELS = SUREFILL_START_LEVELS, POOL = 7 };
static const int64_t FORECAST[LEVELS] = {60, 600, 1200, 1800, 3000};

static struct facts job(int64_t id, int64_t submit) {
    return (struct facts){.id = id, .user = 3, .submit = submit, .limit = 3600, .nodes = 1, .asked = 1, .queue = "main"};
}

static int64_t tell(struct starts *starts, int64_t id, int64_t submit, int64_t now) {
    const struct facts facts = job(id, submit);
    return starts_told(starts, POOL, &facts, false, now, FORECAST);
}

static int64_t known(const struct starts *starts) {
    struct starts_totals totals;
    starts_totals(starts, &totals);
    return totals.known;
}

/* Uniform draws above 0 and below 1, Lehmer's. */
static double drawn(void) {
    static int64_t x = 11;
    x = x * 48271 % 2147483647;
    return (double)x / 2147483647.0;
}

/* Waits that are exponential with a mean of three times the forecast's highest quantile: 28 % start by then. By what
 * they are told nineteen in twenty start, whether one job waits at a time or a hundred; and nobody is ever told more
 * than thirty times the forecast. */
static void the_level_holds(int64_t waiting) {
    enum { JOBS = 6000 };
    static int64_t starts_at[JOBS], told_by[JOBS];
    struct starts *starts = starts_make();
    int64_t now = 1000, held = 0, most = 0;
    for (int64_t i = 0; i < JOBS; i++, now += 60) {
        int64_t told = tell(starts, 1 + i, now, now);
        told_by[i] = now + told;
        starts_at[i] = now + (int64_t)(-9000 * log(drawn()));
        if (told > most) most = told;
        if (i >= waiting) starts_began(starts, 1 + i - waiting, starts_at[i - waiting]);
    }
    for (int64_t i = JOBS / 2; i < JOBS; i++) held += starts_at[i] <= told_by[i];
    CHECK(fabs((double)held / (JOBS / 2) - 0.95) < 0.02);
    CHECK(most < 30 * FORECAST[STARTS_TOLD]);
    starts_free(starts);
}

/* A job that waits on is heard of when its time is over, and once: others are told more from then on. */
static void who_waits_is_heard_of(void) {
    struct starts *starts = starts_make();
    int64_t first = tell(starts, 1, 0, 0), later;
    CHECK(first == FORECAST[STARTS_TOLD]);
    starts_overdue(starts, FORECAST[0]);
    CHECK(tell(starts, 2, FORECAST[0], FORECAST[0]) == first);
    starts_left(starts, 2);
    starts_overdue(starts, first + 1);
    later = tell(starts, 3, first + 1, first + 1);
    CHECK(later > first && known(starts) == 0);
    starts_overdue(starts, first + 2);
    CHECK(tell(starts, 4, first + 2, first + 2) == later);
    starts_overdue(starts, -100); /* the clock has been set back */
    CHECK(tell(starts, 5, -100, -100) == later);
    starts_free(starts);
}

/* A hundred jobs of one jam, all of them late, count once: the next are told more, but not years. Of a job that has
 * left the queue, or is an array's task, nothing is remembered; of the others one answer, and another when they have
 * waited for hours. */
static void jams_are_no_flood(void) {
    struct starts *starts = starts_make();
    const struct facts task = job(900, 0);
    int64_t first = FORECAST[STARTS_TOLD], later;
    starts_told(starts, POOL, &task, true, 0, FORECAST);
    tell(starts, 901, 0, 0);
    starts_left(starts, 901);
    starts_left(starts, 901);
    for (int64_t now = 0; now < 50; now += 5)
        for (int64_t id = 1; id <= 100; id++) tell(starts, id, 0, now);
    starts_overdue(starts, 60000);
    later = tell(starts, 902, 60000, 60000);
    CHECK(later > 3 * first / 2 && later < 2 * first);
    starts_left(starts, 902);
    starts_began(starts, 900, 70000);
    starts_began(starts, 901, 70000);
    CHECK(known(starts) == 0);
    for (int64_t id = 1; id <= 100; id++) starts_began(starts, id, 70000);
    CHECK(known(starts) == 100 && tell(starts, 903, 70000, 70000) < 2 * first);
    starts_left(starts, 903);
    tell(starts, 904, 70000, 70000);
    tell(starts, 904, 70000, 73000);
    tell(starts, 904, 70000, 74000);
    tell(starts, 904, 70000, 80000);
    tell(starts, 904, 70000, 86000);
    starts_began(starts, 904, 90000);
    CHECK(known(starts) == 103);
    for (int64_t id = 1000; id < 4000; id++) tell(starts, id, 90000, 90000);
    for (int64_t id = 1000; id < 4000; id++) starts_began(starts, id, 990000);
    CHECK(known(starts) == 1103 && tell(starts, 905, 990000, 990000) < 4 * first);
    starts_free(starts);
}

/* A job that waits for weeks, for a limit or a licence, keeps nobody else from being heard. */
static void who_never_starts_is_in_nobodys_way(void) {
    struct starts *starts = starts_make();
    int64_t told = tell(starts, 1, 0, 0), now = 0;
    for (int64_t id = 2; id < 200; id++) {
        now += 4000;
        starts_overdue(starts, now);
        told = tell(starts, id, now, now);
        starts_began(starts, id, now + 100);
    }
    CHECK(known(starts) > 100 && told < 2 * FORECAST[STARTS_TOLD]);
    starts_free(starts);
}

/* Each pool learns for itself; there is room for 64, and for another when one has been forgotten. */
static void pools_are_apart(void) {
    struct starts *starts = starts_make();
    const struct facts facts = job(1, 0);
    for (int64_t key = 1; key <= 65; key++)
        CHECK(starts_told(starts, key, &facts, true, 0, FORECAST) == FORECAST[STARTS_TOLD]);
    for (int64_t id = 2; id < 50; id++) {
        tell(starts, id, 0, 0);
        starts_began(starts, id, 100000);
    }
    CHECK(tell(starts, 60, 0, 0) > 2 * FORECAST[STARTS_TOLD]);
    CHECK(starts_told(starts, 8, &facts, true, 0, FORECAST) == FORECAST[STARTS_TOLD]);
    CHECK(starts_told(starts, 65, &facts, true, 0, FORECAST) == FORECAST[STARTS_TOLD]);
    for (int64_t id = 100; id < 150; id++) {
        const int64_t now = 11 * 86400;
        const struct facts late = job(id, now);
        starts_told(starts, 65, &late, false, now, FORECAST);
        starts_began(starts, id, now + 100000);
    }
    CHECK(starts_told(starts, 65, &facts, true, 11 * 86400, FORECAST) > 2 * FORECAST[STARTS_TOLD]);
    starts_free(starts);
}

/* What the books see is what the answers hear: a start under its own time, a hold, a cancellation. */
static void books_tell_of_starts(void) {
    struct beliefs *beliefs = beliefs_make(PREDICTOR_MIX);
    struct books *books = books_make();
    struct sighting seen[4];
    for (int64_t i = 0; i < 4; i++) seen[i] = (struct sighting){.facts = job(i + 1, 100), .phase = PHASE_WAITING};
    for (int64_t now = 100; now <= 5000; now += 100) {
        if (now == 2000) seen[0] = (struct sighting){.facts = job(1, 100), .phase = PHASE_RUNNING, .start = 1950};
        if (now == 2000) seen[1].held = true;
        if (now == 2000) seen[2].phase = PHASE_BROKEN;
        if (now == 4000) seen[1] = (struct sighting){.facts = job(2, 100), .phase = PHASE_RUNNING, .start = 4000};
        books_begin(books);
        for (int i = 0; i < 4; i++) CHECK(books_see(books, beliefs, &seen[i], now));
        books_finish(books, beliefs, now);
        if (now == 100)
            for (int64_t i = 1; i <= 4; i++) tell(beliefs_starts(beliefs), i, 100, now);
        CHECK(known(beliefs_starts(beliefs)) == (now >= 2000));
    }
    CHECK(tell(beliefs_starts(beliefs), 9, 5000, 5000) > FORECAST[STARTS_TOLD]); /* the fourth is overdue */
    books_free(books);
    beliefs_free(beliefs);
}

/* A saved state goes on as it would have; what is damaged is refused, and changes nothing. */
static void states_are_kept(void) {
    struct beliefs *beliefs = beliefs_make(PREDICTOR_MIX), *other = beliefs_make(PREDICTOR_MIX);
    struct starts *starts = beliefs_starts(beliefs);
    size_t size;
    char *bytes;
    int64_t told, loaded = 0;
    for (int64_t id = 1; id < 50; id++) {
        tell(starts, id, 0, 0);
        if (id < 40) starts_began(starts, id, 5000);
    }
    told = tell(starts, 99, 0, 0);
    bytes = beliefs_save(beliefs, &size);
    CHECK(bytes != NULL && beliefs_load(other, bytes, size));
    free(bytes);
    CHECK(known(beliefs_starts(other)) == 39 && tell(beliefs_starts(other), 98, 0, 0) == told);
    starts_began(starts, 40, 10);
    starts_began(beliefs_starts(other), 40, 10);
    CHECK(known(starts) > 39 && known(beliefs_starts(other)) == known(starts));
    tell(starts, 200, 0, 0);
    bytes = starts_save(starts, &size);
    CHECK(starts_load(beliefs_starts(other), bytes, size));
    for (size_t less = 1; less < size; less++) CHECK(!starts_load(beliefs_starts(other), bytes, size - less));
    for (size_t at = 16; at < size; at++) { /* the totals are anybody's, and so are an answer's times */
        char kept = bytes[at];
        struct starts *read = starts_make();
        bytes[at] = (char)(kept ^ 0x55);
        if (starts_load(read, bytes, size)) {
            loaded++;
            starts_overdue(read, 100000);
            starts_began(read, 200, 100000);
        }
        bytes[at] = kept;
        starts_free(read);
    }
    CHECK(loaded < 700); /* of 3,900: the answers' times are many */
    CHECK(known(beliefs_starts(other)) == known(starts));
    free(bytes);
    beliefs_free(beliefs);
    beliefs_free(other);
}

int main(void) {
    the_level_holds(0);
    the_level_holds(100);
    who_waits_is_heard_of();
    jams_are_no_flood();
    who_never_starts_is_in_nobodys_way();
    pools_are_apart();
    books_tell_of_starts();
    states_are_kept();
    printf("starts: %s\n", failures == 0 ? "what is told holds, who waits is heard of, states: passed" : "FAILED");
    return failures == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
