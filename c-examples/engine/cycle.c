/* Decides recorded cycles again: the same must be offered in the same order, given the answers of then.
 *
 *   surefill-cycle [-v] FILE...
 *
 * One line a file: how many offers, and that they are the same, or the first difference. -v: also why each waiting job
 * waits. Ends with 1 after a difference, with 2 when a file cannot be read. */
#define _POSIX_C_SOURCE 200809L
#include "engine.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SAME, DIFFERENT, UNREADABLE, MESSAGE = FILES_PATH + 200 };

/* The fewest words of each kind of event. */
static const int64_t fewest[RECORD_KINDS] = {[RECORD_NEXT] = 8,    [RECORD_STARTED] = 3,
                                             [RECORD_REFUSED] = 3, [RECORD_HOLDS] = 3,
                                             [RECORD_JOB] = 3 + sizeof(surefill_job) / sizeof(int64_t),
                                             [RECORD_REASON] = 3,  [RECORD_CLOSED] = 1};

/* Does again what this event did. False for one that this version does not know. */
static bool repeat(struct engine *engine, surefill_cycle *cycle, const int64_t *event, int64_t now) {
    const int64_t kind = event[0], count = event[1], *words = event + 2;
    surefill_reason reason = {.struct_size = sizeof reason};
    surefill_action action;
    surefill_job job;
    int32_t holds;
    if (kind < RECORD_NEXT || kind >= RECORD_KINDS || count < fewest[kind]) return false;
    switch ((enum record_kind)kind) {
    case RECORD_NEXT: (void)engine_next(engine, cycle, &action); break;
    case RECORD_STARTED: (void)engine_started(engine, cycle, (int32_t)words[1], words[2]); break;
    case RECORD_REFUSED:
        action = (surefill_action){.number = (int32_t)words[1]};
        (void)engine_refused(engine, cycle, &action, (int32_t)words[2], now);
        break;
    case RECORD_HOLDS: (void)engine_holds(engine, cycle, (int32_t)words[1], &holds); break;
    case RECORD_JOB:
        memcpy(&job, words + 3, sizeof job);
        if (job.struct_size != sizeof job || job.part_count != words[2] || (count != fewest[kind] && count != fewest[kind] + words[2]))
            return false;
        job.parts = count > fewest[kind] ? (const surefill_part *)(words + fewest[kind]) : NULL;
        job.prediction = NULL;
        (void)engine_set_job(engine, words[1], &job);
        break;
    case RECORD_REASON: (void)engine_reason(engine, words[1], words[2], &reason); break;
    case RECORD_CLOSED: (void)engine_close(engine, cycle, SUREFILL_OK); break;
    case RECORD_KINDS: break;
    }
    return true;
}

/* An event in words. */
static const char *describe(const int64_t *event, char *text, size_t length) {
    static const char *const kinds[RECORD_KINDS] = {"", "next", "started", "refused", "holds", "job", "reason", "closed"};
    const int64_t *words = event + 2;
    if (event[0] != RECORD_NEXT || words[0] != SUREFILL_OK)
        snprintf(text, length, "%s, %s", kinds[event[0]], surefill_status_text((int32_t)words[0]));
    else if (words[1] >= SUREFILL_ACT_DONE)
        snprintf(text, length, "%s", words[1] == SUREFILL_ACT_DONE ? "nothing more starts" : "less room than it seemed");
    else
        snprintf(text, length, "job %" PRId64 " %s on %" PRId64 ", ahead of %" PRId64, words[2],
                 words[1] == SUREFILL_ACT_START ? "starts" : "would start", words[6], words[3]);
    return text;
}

/* The reasons of all jobs that wait, as they are after the cycle. */
static void explain(const surefill_scheduler *scheduler, int64_t now) {
    int64_t job, needed;
    int32_t state;
    for (int32_t number = 0; surefill_scheduler_job(scheduler, number, &job, &state) == SUREFILL_OK; number++) {
        surefill_reason reason = {.struct_size = sizeof reason};
        char text[400];
        if ((state != SUREFILL_JOB_WAITING && state != SUREFILL_JOB_HELD) ||
            surefill_scheduler_reason(scheduler, now, job, &reason) != SUREFILL_OK ||
            surefill_reason_sentence(&reason, NULL, NULL, text, sizeof text, &needed) != SUREFILL_OK)
            continue;
        printf("  job %" PRId64 ": %s%s\n", job, text,
               reason.start == 0 && reason.expected == 0 ? "; there is no prediction of its start" : "");
    }
}

/* The block of a record as an engine. False, and a message, where it is not one of this version. */
static bool open_block(struct recorded *recorded, const char *path, struct engine *engine, char *message) {
    int64_t size = 0;
    int32_t status = surefill_scheduler_open(recorded->block, recorded->size, &engine->scheduler);
    if (status == SUREFILL_OK) {
        recorded->block = NULL; /* the engine's */
        surefill_scheduler_capacity_init(&engine->capacity, 1);
        (void)surefill_scheduler_capacity_of(engine->scheduler, &engine->capacity);
        (void)surefill_scheduler_size(&engine->capacity, &size);
        if (size == recorded->size) return true;
        status = SUREFILL_ERROR_CORRUPT;
    }
    return files_failed(message, MESSAGE, "%s: %s: %s", path, surefill_status_text(status),
                        status == SUREFILL_ERROR_WRONG_VERSION ? "its block has the layout of another version of surefill" :
                                                                 "its block is not a scheduler's");
}

/* One file, decided again. */
static int decide(const char *path, bool verbose) {
    struct engine engine = {.record.wanted = true};
    struct recorded recorded;
    surefill_cycle *cycle = NULL;
    char message[MESSAGE], then[200], now[200];
    int64_t number = 0, offers = 0;
    int found = UNREADABLE;
    if (!record_read(path, &recorded, message, sizeof message)) {
        fprintf(stderr, "%s\n", message);
        return UNREADABLE;
    }
    if (open_block(&recorded, path, &engine, message)) {
        const int32_t status = engine_begin(&engine, recorded.pool, recorded.now, &cycle);
        found = status == SUREFILL_OK ? SAME : UNREADABLE;
        files_failed(message, sizeof message, "%s: no cycle begins: %s", path, surefill_status_text(status));
        for (const int64_t *event = recorded.events; event < recorded.end && found == SAME; event += 2 + event[1], number++) {
            const struct record *again = &engine.record;
            if (!repeat(&engine, cycle, event, recorded.now) || again->failed) {
                files_failed(message, sizeof message, "%s: %s", path, again->failed ? "no memory" : "an event of another version");
                found = UNREADABLE;
            } else if (again->count - again->event != (size_t)event[1] + 2 ||
                       memcmp(again->words + again->event, event, ((size_t)event[1] + 2) * sizeof *event) != 0) {
                printf("%s: event %" PRId64 " differs: then %s; now %s\n", path, number, describe(event, then, sizeof then),
                       describe(again->words + again->event, now, sizeof now));
                found = DIFFERENT;
            }
            offers += event[0] == RECORD_NEXT && event[2] == SUREFILL_OK && event[3] < SUREFILL_ACT_DONE;
        }
    }
    if (found == UNREADABLE) fprintf(stderr, "%s\n", message);
    if (found == SAME) printf("%s: %" PRId64 " offers, the same\n", path, offers);
    if (found != UNREADABLE && verbose) {
        if (!engine.record.closed) (void)engine_close(&engine, cycle, SUREFILL_OK);
        explain(engine.scheduler, recorded.now);
    }
    recorded_free(&recorded);
    engine_free(&engine);
    return found;
}

int main(int argc, char **argv) {
    int worst = SAME, option;
    bool verbose = false, good = true;
    while ((option = getopt(argc, argv, "v")) != -1) option == 'v' ? (verbose = true) : (good = false);
    if (!good || optind == argc) {
        fprintf(stderr, "surefill-cycle [-v] FILE...\n");
        return UNREADABLE;
    }
    for (int i = optind; i < argc; i++) {
        const int found = decide(argv[i], verbose);
        if (found > worst) worst = found;
    }
    return worst;
}
