/* The state file as an administrator meets it: small, written when something has happened, nothing left of a save that
 * fails, no link followed; and the packing in it. */
#include "../expect.h"
#include "pack.h"
#include "state.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

static uint64_t lehmer = 1;
static uint64_t draw(uint64_t below) { return (lehmer = lehmer * 48271 % 2147483647) % below; }

/* Whatever the bytes are, they come back, and no other length does; a packed form that is cut is refused. */
static void packing_is_reversible(void) {
    for (int round = 0; round < 2000; round++) {
        size_t size = draw(400), packed, other;
        unsigned char bytes[400], back[400];
        void *made;
        bool good = true;
        for (size_t i = 0; i < size; i++) bytes[i] = (unsigned char)(draw(4) ? 0 : draw(3));
        if (round % 3 == 0) memset(bytes, round % 256, size);
        made = pack(bytes, size, &packed);
        CHECK(made != NULL && packed <= size + 16);
        CHECK(unpack(made, packed, back, size) && memcmp(back, bytes, size) == 0);
        if (packed > 0) good = unpack(made, packed - 1, back, size);
        CHECK(packed == 0 || !good);
        other = size >= 8 ? size - 8 : size + 8;
        if (other <= sizeof back) CHECK(!unpack(made, packed, back, other));
        free(made);
    }
}

static void see(struct books *books, struct beliefs *beliefs, int64_t id, const char *queue, int64_t now) {
    struct sighting seen = {.facts = {.id = id, .user = id % 5, .submit = now, .limit = 3600, .nodes = 1, .asked = 1}};
    snprintf(seen.facts.queue, sizeof seen.facts.queue, "%s", queue);
    books_begin(books);
    seen.phase = PHASE_WAITING;
    books_see(books, beliefs, &seen, now);
    seen.phase = PHASE_RUNNING;
    seen.start = now + 5;
    books_see(books, beliefs, &seen, now + 5);
    seen.phase = PHASE_ENDED;
    seen.run_time = 3;
    books_see(books, beliefs, &seen, now + 8);
    books_finish(books, beliefs, now + 8);
}

static off_t size_of(const char *path) {
    struct stat found;
    return lstat(path, &found) == 0 ? found.st_size : -1;
}

static bool absent(const char *path) { return size_of(path) < 0 && errno == ENOENT; }

/* A partition that has seen thirty jobs takes less than 20 kB on disk; and what has been saved comes back. */
static void little_is_small(const char *path) {
    struct beliefs *beliefs = beliefs_make(PREDICTOR_MIX), *other = beliefs_make(PREDICTOR_MIX);
    struct books *books = books_make(), *others = books_make();
    struct books_totals one, two;
    char message[300], queue[20];
    CHECK(beliefs != NULL && other != NULL && books != NULL && others != NULL);
    for (int k = 0; k < WAITS_QUEUES + 2; k++) {
        CHECK((waits_left_out(beliefs_waits(beliefs)) != NULL) == (k > WAITS_QUEUES));
        snprintf(queue, sizeof queue, "queue%d", k);
        for (int i = 0; i < 30; i++) see(books, beliefs, 1 + i + 100 * k, queue, 1000 * k + 10 * i);
    }
    CHECK(strcmp(waits_left_out(beliefs_waits(beliefs)), "queue64") == 0);
    CHECK(state_save(path, beliefs, books, message, sizeof message));
    CHECK(size_of(path) > 0 && size_of(path) < 20000 * WAITS_QUEUES);
    printf("state: %ld bytes for %d partitions that have seen 30 jobs each\n", (long)size_of(path), WAITS_QUEUES);
    CHECK(state_load(path, other, others, message, sizeof message));
    books_totals(books, &one);
    books_totals(others, &two);
    CHECK(memcmp(&one, &two, sizeof one) == 0 && beliefs_jobs(other) == beliefs_jobs(beliefs));
    books_free(books);
    books_free(others);
    beliefs_free(beliefs);
    beliefs_free(other);
}

/* Nor is one partition's state large where there is a hidden Markov model beside the histories. */
static void models_are_small(const char *path) {
    struct beliefs *beliefs = beliefs_make(PREDICTOR_HMM);
    struct books *books = books_make();
    char message[300];
    for (int i = 0; i < 30; i++) see(books, beliefs, 1 + i, "main", 1000 + 10 * i);
    CHECK(state_save(path, beliefs, books, message, sizeof message));
    CHECK(size_of(path) > 0 && size_of(path) < 200000);
    printf("state: %ld bytes for one partition that has seen 30 jobs, predictor hmm\n", (long)size_of(path));
    books_free(books);
    beliefs_free(beliefs);
    unlink(path);
}

/* Nothing is written when nothing has happened, unless the file has gone or is another one. */
static void changes_are_saved(const char *path) {
    struct beliefs *beliefs = beliefs_make(PREDICTOR_MIX);
    struct books *books = books_make();
    struct state_mark mark = {.device = 0};
    struct stat before, after;
    char message[300];
    CHECK(state_save_changes(path, beliefs, books, &mark, message, sizeof message) && lstat(path, &before) == 0);
    CHECK(state_save_changes(path, beliefs, books, &mark, message, sizeof message) && lstat(path, &after) == 0);
    CHECK(before.st_ino == after.st_ino && before.st_mtim.tv_nsec == after.st_mtim.tv_nsec);
    see(books, beliefs, 1, "main", 10);
    CHECK(state_save_changes(path, beliefs, books, &mark, message, sizeof message) && lstat(path, &after) == 0);
    CHECK(before.st_ino != after.st_ino || before.st_mtim.tv_nsec != after.st_mtim.tv_nsec);
    unlink(path);
    CHECK(state_save_changes(path, beliefs, books, &mark, message, sizeof message) && size_of(path) > 0);
    CHECK(truncate(path, 5) == 0);
    CHECK(state_save_changes(path, beliefs, books, &mark, message, sizeof message) && size_of(path) > 5);
    books_free(books);
    beliefs_free(beliefs);
}

/* No room for the whole file: the old one stays, and nothing is left of the new one. A link or a folder under the new
 * one's name: not followed, what it points to stays. */
static void failures_leave_nothing(const char *path, const char *fresh, const char *victim) {
    struct beliefs *beliefs = beliefs_make(PREDICTOR_MIX);
    struct books *books = books_make();
    struct rlimit limit, small;
    off_t before;
    char message[300];
    int file;
    CHECK(state_save(path, beliefs, books, message, sizeof message) && absent(fresh));
    before = size_of(path);
    see(books, beliefs, 1, "main", 10);
    CHECK(getrlimit(RLIMIT_FSIZE, &limit) == 0);
    small = limit;
    small.rlim_cur = 100; /* as when the disk is full */
    signal(SIGXFSZ, SIG_IGN);
    CHECK(setrlimit(RLIMIT_FSIZE, &small) == 0);
    CHECK(!state_save(path, beliefs, books, message, sizeof message) && strstr(message, "cannot be written") != NULL);
    CHECK(setrlimit(RLIMIT_FSIZE, &limit) == 0);
    CHECK(absent(fresh) && size_of(path) == before);

    file = open(victim, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    CHECK(file >= 0 && write(file, "mine", 4) == 4 && close(file) == 0);
    CHECK(symlink(victim, fresh) == 0);
    CHECK(state_save(path, beliefs, books, message, sizeof message));
    CHECK(size_of(victim) == 4 && absent(fresh) && size_of(path) > before);

    CHECK(mkdir(fresh, 0700) == 0);
    CHECK(!state_save(path, beliefs, books, message, sizeof message) && message[0] != '\0');
    CHECK(rmdir(fresh) == 0);
    unlink(victim);
    books_free(books);
    beliefs_free(beliefs);
}

int main(void) {
    char folder[] = "/tmp/surefill-state.XXXXXX", path[64], fresh[80], victim[64];
    if (mkdtemp(folder) == NULL) return EXIT_FAILURE;
    snprintf(path, sizeof path, "%s/state", folder);
    snprintf(fresh, sizeof fresh, "%s.new", path);
    snprintf(victim, sizeof victim, "%s/victim", folder);
    packing_is_reversible();
    little_is_small(path);
    unlink(path);
    models_are_small(path);
    changes_are_saved(path);
    unlink(path);
    failures_leave_nothing(path, fresh, victim);
    unlink(path);
    rmdir(folder);
    printf("state: %s\n", failures == 0 ? "small, saved when changed, nothing left of failures: passed" : "FAILED");
    return failures == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
