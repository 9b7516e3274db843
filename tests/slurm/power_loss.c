/* The state file of the example schedulers, when the process or the machine stops at any instant of a save:
 * afterwards the old state opens in full or the new one does. Every call that the save makes is an instant; its
 * order is that by which a loss of power loses nothing either: the data are on the disk before the name is changed,
 * and the folder after it. */
#include "engine.h"

#include "../expect.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum call { OPEN, WRITE, TRUNCATE, SYNC, SYNC_FOLDER, CLOSE, CLOSE_FOLDER, RENAME, UNLINK, NONE };
static const char *const names[] = {"open", "write", "truncate", "sync", "sync of the folder", "close", "close of the folder",
                                    "rename", "unlink"};

enum { MOST_CALLS = 20000 };
static unsigned char calls[MOST_CALLS];
static int call_count, stops_at = -1; /* the process stops before the call of that number */
static int folder_file = -1;
static bool recording;

int __real_open(const char *path, int flags, ...);
ssize_t __real_pwrite(int file, const void *bytes, size_t count, off_t at);
int __real_ftruncate(int file, off_t length);
int __real_fsync(int file);
int __real_close(int file);
int __real_rename(const char *from, const char *to);
int __real_unlink(const char *path);

static void note(enum call call) {
    if (!recording) return;
    if (call_count == stops_at) _exit(7);
    if (call_count < MOST_CALLS) calls[call_count] = (unsigned char)call;
    call_count++;
}

int __wrap_open(const char *path, int flags, ...) {
    va_list arguments;
    int file, mode;
    va_start(arguments, flags);
    mode = (flags & O_CREAT) != 0 ? va_arg(arguments, int) : 0;
    va_end(arguments);
    note(OPEN);
    file = __real_open(path, flags, mode);
    if ((flags & O_DIRECTORY) != 0)
        folder_file = file;
    else if (file == folder_file)
        folder_file = -1;
    return file;
}

/* Half of it has been written when the process stops within the call. */
ssize_t __wrap_pwrite(int file, const void *bytes, size_t count, off_t at) {
    if (recording && call_count == stops_at) (void)!__real_pwrite(file, bytes, count / 2, at);
    note(WRITE);
    return __real_pwrite(file, bytes, count, at);
}

int __wrap_ftruncate(int file, off_t length) {
    note(TRUNCATE);
    return __real_ftruncate(file, length);
}

int __wrap_fsync(int file) {
    note(file == folder_file ? SYNC_FOLDER : SYNC);
    return __real_fsync(file);
}

int __wrap_close(int file) {
    note(file == folder_file && file >= 0 ? CLOSE_FOLDER : CLOSE);
    return __real_close(file);
}

int __wrap_rename(const char *from, const char *to) {
    note(RENAME);
    return __real_rename(from, to);
}

int __wrap_unlink(const char *path) {
    note(UNLINK);
    return __real_unlink(path);
}

/* --- States --- */

static char state[300], fresh[310], folder[] = "/tmp/power_loss.XXXXXX";

/* A scheduler that has learnt from this number of jobs. */
static struct engine learnt(int jobs) {
    static const char name[] = "nodes";
    struct engine engine;
    struct pace pace;
    char message[300];
    int32_t number;
    CHECK(engine_make(&engine, engine_one_pool, NULL, &pace, message, sizeof message));
    CHECK(surefill_scheduler_set_pool(engine.scheduler, name, 5, 8, -1, &number) == SUREFILL_OK);
    CHECK(surefill_scheduler_set_queue(engine.scheduler, name, 5, number, &number) == SUREFILL_OK);
    for (int64_t id = 1; id <= jobs; id++) {
        surefill_job job = {.struct_size = sizeof job, .state = SUREFILL_JOB_RUNNING, .id = id, .user = id % 3, .submit = 100 * id,
                            .start = 100 * id, .limit = 3600, .count = 1, .queue_count = 1};
        CHECK(engine_set_job(&engine, 100 * id, &job) == SUREFILL_OK);
        job.state = SUREFILL_JOB_ENDED;
        job.ran = 10 + id;
        CHECK(engine_set_job(&engine, 100 * id + 50, &job) == SUREFILL_OK);
    }
    return engine;
}

/* Number of jobs that the saved state has learnt from; 0 for none, -1 where it is refused. */
static int64_t opened(void) {
    struct engine engine;
    struct pace pace;
    char message[400];
    surefill_totals totals = {.struct_size = sizeof totals};
    enum engine_opened result;
    int64_t jobs;
    CHECK(engine_make(&engine, engine_one_pool, NULL, &pace, message, sizeof message));
    result = engine_open(&engine, state, message, sizeof message);
    CHECK(surefill_scheduler_totals(engine.scheduler, &totals) == SUREFILL_OK);
    jobs = result == ENGINE_OPENED ? totals.ended : result == ENGINE_NEW ? 0 : -1;
    engine_free(&engine);
    return jobs;
}

/* A save that stops at this call, in a process of its own. True when it got to its end. */
static bool save_until(struct engine *engine, int call) {
    char message[300];
    int status;
    const pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        stops_at = call;
        call_count = 0;
        recording = true;
        _exit(engine_save(engine, state, message, sizeof message) ? 0 : 1);
    }
    CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status));
    CHECK(WEXITSTATUS(status) == 0 || WEXITSTATUS(status) == 7);
    return WEXITSTATUS(status) == 0;
}

static int last_of(enum call call) {
    for (int i = call_count - 1; i >= 0; i--)
        if (calls[i] == call) return i;
    return -1;
}

static int first_of(enum call call) {
    for (int i = 0; i < call_count; i++)
        if (calls[i] == call) return i;
    return -1;
}

/* The order of the calls is that by which a loss of power at any instant leaves one of the two states. */
static void check_order(struct engine *engine) {
    char message[300];
    call_count = 0;
    recording = true;
    CHECK(engine_save(engine, state, message, sizeof message));
    recording = false;
    CHECK(call_count > 10 && call_count < MOST_CALLS);
    CHECK(first_of(OPEN) >= 0 && last_of(WRITE) > first_of(OPEN));
    CHECK(first_of(SYNC) > last_of(WRITE) && first_of(SYNC) > last_of(TRUNCATE) && last_of(TRUNCATE) >= 0);
    CHECK(first_of(RENAME) > last_of(SYNC) && first_of(RENAME) == last_of(RENAME));
    CHECK(first_of(SYNC_FOLDER) > last_of(RENAME));
    for (int i = first_of(RENAME) + 1; i < call_count; i++) CHECK(calls[i] != WRITE && calls[i] != TRUNCATE && calls[i] != UNLINK);
    if (failures > 0)
        for (int i = 0; i < call_count; i++)
            if (calls[i] != WRITE) printf("power_loss: call %d: %s\n", i, names[calls[i]]);
}

int main(void) {
    struct engine old = learnt(8), new = learnt(12);
    char message[300];
    long olds = 0, news = 0;
    int instants = 0;
    if (mkdtemp(folder) == NULL) return EXIT_FAILURE;
    snprintf(state, sizeof state, "%s/state", folder);
    snprintf(fresh, sizeof fresh, "%s.new", state);
    check_order(&old);
    check_order(&new);
    for (int with_old = 1; with_old >= 0; with_old--) {
        bool whole = false;
        for (int call = 0; !whole; call++) {
            int64_t found;
            if (call < call_count && calls[call] == WRITE && call % 16 != 0) continue; /* one write is like the next */
            if (with_old)
                CHECK(engine_save(&old, state, message, sizeof message));
            else
                __real_unlink(state);
            whole = save_until(&new, call);
            found = opened();
            CHECK(found == (with_old ? 8 : 0) || found == 12); /* those that it has learnt from */
            CHECK(!whole || found == 12);
            olds += found != 12;
            news += found == 12;
            instants++;
            if (call % 2 == 0) __real_unlink(fresh); /* else it is left over for the next save */
        }
    }
    CHECK(olds > 10 && news >= 2);
    __real_unlink(state);
    __real_unlink(fresh);
    rmdir(folder);
    engine_free(&old);
    engine_free(&new);
    printf("power_loss: %d instants: %ld times the old state, %ld times the new one: %s\n", instants, olds, news,
           failures == 0 ? "passed" : "FAILED");
    return failures == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
