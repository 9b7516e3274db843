/* The power fails while the state file is being saved. Every call by which a save changes the disk goes through the
 * functions below, put before the C library's by the linker (--wrap), which carry it out and write it down. From what
 * they wrote down follows what the disk may hold after a failure at any instant, between two calls or after any byte of
 * one:
 *
 * - bytes of a file that fsync has not confirmed are there up to any byte, the rest missing or zeros, or blocks of them
 *   are;
 * - a new name, a removed one, a renamed file, which an fsync of the folder has not confirmed, each on its own or not.
 *
 * What is then loaded is the old state in full or the new one in full, and after a save that has returned the new one.
 * That this test would see a loss is shown on a disk where fsync does nothing: there a state may be lost, but what is
 * not whole is refused with a message.
 *
 *   power_loss [STEP]      of the disk without fsync every STEPth length; 1 unless said otherwise */
#include "../expect.h"
#include "state.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* --- What a save does to the disk --- */

enum { CALLS = 200, MOST_BYTES = 1 << 20, PIECE = 1000, BLOCK = 4096, DESCRIPTORS = 64, NOW_AND_THEN = 9973 };
enum name { STATE, FRESH, NAMES, NONE = -1 }; /* path and path.new */
enum file { OLD, LEFT, WRITTEN, FILES }; /* what lies there, what an earlier save has left over, what this one makes */
enum kind { CREATE, WRITE, SYNC, UNLINK, RENAME, SYNC_FOLDER };

struct call {
    enum kind kind;
    enum name from, to; /* CREATE, UNLINK, RENAME */
    size_t bytes;       /* WRITE: at the end of WRITTEN */
};

static char folder[] = "/tmp/surefill-power.XXXXXX", paths[NAMES][80], aside[80];
static struct call calls[CALLS];
static int call_count, written_by = -1, is_folder[DESCRIPTORS];
static bool recording;
static unsigned char written[MOST_BYTES];
static size_t written_bytes;

int __real_open(const char *path, int flags, ...);
ssize_t __real_write(int file, const void *bytes, size_t size);
int __real_fsync(int file);
int __real_close(int file);
int __real_rename(const char *from, const char *to);
int __real_unlink(const char *path);
int __wrap_open(const char *path, int flags, ...);
ssize_t __wrap_write(int file, const void *bytes, size_t size);
int __wrap_fsync(int file);
int __wrap_close(int file);
int __wrap_rename(const char *from, const char *to);
int __wrap_unlink(const char *path);

static void record(struct call call) {
    if (!recording) return;
    CHECK(call_count < CALLS);
    if (call_count < CALLS) calls[call_count++] = call;
}

static enum name name_of(const char *path) {
    for (int name = 0; name < NAMES; name++)
        if (strcmp(path, paths[name]) == 0) return (enum name)name;
    CHECK(!recording); /* a save touches no other file */
    return NONE;
}

int __wrap_open(const char *path, int flags, ...) {
    int file, mode = 0;
    struct stat found;
    va_list arguments;
    va_start(arguments, flags);
    if (flags & O_CREAT) mode = va_arg(arguments, int);
    va_end(arguments);
    file = __real_open(path, flags, mode);
    if (!recording || file < 0) return file;
    CHECK(file < DESCRIPTORS && fstat(file, &found) == 0);
    is_folder[file] = S_ISDIR(found.st_mode);
    if (!is_folder[file]) {
        CHECK(written_by < 0 && (flags & O_CREAT) && (flags & O_EXCL)); /* one new file */
        written_by = file;
        record((struct call){.kind = CREATE, .to = name_of(path)});
    }
    return file;
}

/* As a disk that is nearly full may, it takes some of the bytes only. */
ssize_t __wrap_write(int file, const void *bytes, size_t size) {
    ssize_t done = __real_write(file, bytes, recording && size > PIECE ? PIECE : size);
    if (!recording || done <= 0) return done;
    CHECK(file == written_by && written_bytes + (size_t)done <= MOST_BYTES);
    memcpy(written + written_bytes, bytes, (size_t)done);
    written_bytes += (size_t)done;
    record((struct call){.kind = WRITE, .bytes = (size_t)done});
    return done;
}

/* The real disk need not be waited for. */
int __wrap_fsync(int file) {
    if (!recording) return 0;
    CHECK(file == written_by || (file >= 0 && file < DESCRIPTORS && is_folder[file]));
    record((struct call){.kind = file == written_by ? SYNC : SYNC_FOLDER});
    return 0;
}

int __wrap_close(int file) {
    if (file == written_by) written_by = -1;
    return __real_close(file);
}

int __wrap_rename(const char *from, const char *to) {
    int result = __real_rename(from, to);
    if (recording && result == 0) record((struct call){.kind = RENAME, .from = name_of(from), .to = name_of(to)});
    return result;
}

int __wrap_unlink(const char *path) {
    int result = __real_unlink(path);
    if (recording && result == 0) record((struct call){.kind = UNLINK, .from = name_of(path)});
    return result;
}

/* --- States --- */

struct whole { /* beliefs and books in full, as they are saved */
    void *beliefs, *books;
    size_t beliefs_size, books_size;
};

/* Books that have been read count their looks from one again, and so all are compared as they are read. */
static struct whole whole_of(const struct beliefs *beliefs, const struct books *books) {
    struct books *again = books_make();
    struct whole whole;
    whole.beliefs = beliefs_save(beliefs, &whole.beliefs_size);
    whole.books = books_save(books, &whole.books_size);
    CHECK(whole.beliefs != NULL && whole.books != NULL && again != NULL);
    CHECK(books_load(again, whole.books, whole.books_size));
    free(whole.books);
    whole.books = books_save(again, &whole.books_size);
    books_free(again);
    CHECK(whole.books != NULL);
    return whole;
}

static void whole_free(struct whole *whole) {
    free(whole->beliefs);
    free(whole->books);
    *whole = (struct whole){.beliefs = NULL};
}

static bool same(const struct whole *one, const struct whole *other) {
    return one->beliefs_size == other->beliefs_size && one->books_size == other->books_size &&
           memcmp(one->beliefs, other->beliefs, one->beliefs_size) == 0 &&
           memcmp(one->books, other->books, one->books_size) == 0;
}

static void live(struct books *books, struct beliefs *beliefs, int64_t from, int64_t to) {
    for (int64_t id = from; id < to; id++) {
        struct sighting seen = {.facts = {.id = id, .user = id % 3, .submit = 100 * id, .limit = 3600, .nodes = 1,
                                          .asked = 1, .queue = "main"}};
        books_begin(books);
        books_see(books, beliefs, &seen, 100 * id);
        seen.phase = PHASE_RUNNING;
        seen.start = 100 * id + 20;
        books_see(books, beliefs, &seen, seen.start);
        seen.phase = id % 4 == 0 ? PHASE_RUNNING : PHASE_ENDED;
        seen.run_time = 30;
        books_see(books, beliefs, &seen, 100 * id + 50);
        books_finish(books, beliefs, 100 * id + 50);
    }
}

/* --- What may be found after a failure --- */

static struct whole old, new;
static struct books *books, *old_books, *read_books;
static struct beliefs *beliefs, *old_beliefs, *read_beliefs;
static unsigned char *contents[FILES];
static size_t sizes[FILES];
static bool old_exists, fsync_works;
static size_t step = 1;
static long disks, olds, news, refused;

static void put(enum name name, const void *bytes, size_t size) {
    int file = __real_open(paths[name], O_WRONLY | O_CREAT | O_TRUNC, 0600);
    CHECK(file >= 0 && __real_write(file, bytes, size) == (ssize_t)size && __real_close(file) == 0);
}

/* Loads what lies there, into beliefs and books for that. */
static bool load(char *message, size_t length, struct whole *found) {
    bool good = state_load(paths[STATE], read_beliefs, read_books, message, length);
    if (good) *found = whole_of(read_beliefs, read_books);
    return good;
}

/* The disk as it is after the failure: these bytes under path, NULL for none, and these under path.new. must_be_new:
 * the save had returned. */
static void start_again(const unsigned char *bytes, size_t size, const unsigned char *left, size_t left_size,
                        bool must_be_new) {
    const bool is_there = bytes != NULL;
    const bool is_old =
        old_exists ? is_there && size == sizes[OLD] && memcmp(bytes, contents[OLD], size) == 0 : !is_there;
    const bool is_new = is_there && size == written_bytes && memcmp(bytes, written, size) == 0;
    struct whole found = {.beliefs = NULL};
    char message[300];
    bool loaded;
    disks++;
    olds += is_old;
    news += is_new;
    CHECK(!fsync_works || is_new || (is_old && !must_be_new));
    /* Whole files are loaded in full now and then, as that takes a while: the same bytes are the same state. */
    if ((is_old || is_new) && disks % NOW_AND_THEN != 1 && !must_be_new) return;
    for (int name = 0; name < NAMES; name++) __real_unlink(paths[name]);
    if (is_there) put(STATE, bytes, size);
    if (left != NULL) put(FRESH, left, left_size);
    loaded = load(message, sizeof message, &found);
    if (loaded) {
        CHECK((is_old && same(&found, &old)) || (is_new && same(&found, &new)));
        whole_free(&found);
    } else if (!is_there) {
        CHECK(message[0] == '\0'); /* a first start */
    } else {
        refused++;
        CHECK(!is_old && !is_new && message[0] != '\0' && __real_unlink(aside) == 0);
    }
    if (disks % NOW_AND_THEN != 1) return;
    /* Whatever is left lying about, the next save succeeds, and can be loaded. */
    CHECK(state_save(paths[STATE], beliefs, books, message, sizeof message) && access(paths[FRESH], F_OK) != 0);
    loaded = load(message, sizeof message, &found);
    CHECK(loaded && same(&found, &new));
    whole_free(&found);
}

/* All that may be found of a file of which these numbers of bytes have been written and confirmed. */
static void file_survives(const enum file under[NAMES], size_t bytes, size_t confirmed, bool must_be_new) {
    static unsigned char disk[MOST_BYTES];
    const unsigned char *left =
        under[FRESH] == FILES ? NULL : under[FRESH] == WRITTEN ? written : contents[under[FRESH]];
    const size_t left_size = under[FRESH] == FILES ? 0 : under[FRESH] == WRITTEN ? bytes : sizes[under[FRESH]];
    const size_t blocks = (bytes + BLOCK - 1) / BLOCK;
    if (under[STATE] != WRITTEN) {
        bool none = under[STATE] == FILES;
        start_again(none ? NULL : contents[under[STATE]], none ? 0 : sizes[under[STATE]], left, left_size, must_be_new);
        return;
    }
    memcpy(disk, written, bytes);
    start_again(disk, bytes, left, left_size, must_be_new);
    for (size_t length = confirmed; length < bytes; length += step) {
        start_again(written, length, left, left_size, must_be_new); /* the rest is missing */
        memset(disk, 0, bytes);
        memcpy(disk, written, length);
        start_again(disk, bytes, left, left_size, must_be_new); /* or zeros */
        if (confirmed == 0) {
            memset(disk, 0, length);
            start_again(disk, length, left, left_size, must_be_new); /* or nothing but the length has got there */
        }
    }
    for (size_t set = 0; confirmed == 0 && set < (size_t)1 << blocks; set++) { /* whole blocks, in any order */
        for (size_t k = 0; k < blocks; k++) {
            size_t from = k * BLOCK, end = from + BLOCK < bytes ? from + BLOCK : bytes;
            if (set >> k & 1)
                memcpy(disk + from, written + from, end - from);
            else
                memset(disk + from, 0, end - from);
        }
        start_again(disk, bytes, left, left_size, must_be_new);
    }
}

/* The failure comes after this number of calls and this number of bytes of the next. */
static void power_fails(int done, size_t part, bool left_over) {
    int pending[CALLS], count = 0;
    size_t bytes = part, confirmed = 0;
    bool must_be_new = fsync_works && done == call_count;
    for (int i = 0; i < done; i++) {
        const struct call *call = &calls[i];
        if (call->kind == WRITE) bytes += call->bytes;
        if (call->kind == SYNC && fsync_works) confirmed = bytes;
        if (call->kind == CREATE || call->kind == UNLINK || call->kind == RENAME) pending[count++] = i;
    }
    for (unsigned set = 0; set < 1u << count; set++) { /* those of them that have reached the disk */
        enum file under[NAMES] = {old_exists ? OLD : FILES, left_over ? LEFT : FILES};
        bool possible = true;
        for (int k = 0; k < count; k++) {
            const struct call *call = &calls[pending[k]];
            bool confirmed_by_folder = false;
            for (int i = pending[k]; i < done; i++) confirmed_by_folder |= fsync_works && calls[i].kind == SYNC_FOLDER;
            if (!(set >> k & 1)) {
                possible &= !confirmed_by_folder;
                continue;
            }
            if (call->kind == CREATE) under[call->to] = WRITTEN;
            if (call->kind == UNLINK) under[call->from] = FILES;
            if (call->kind != RENAME) continue;
            possible &= under[call->from] == WRITTEN; /* renamed is what has been made */
            under[call->to] = under[call->from];
            under[call->from] = FILES;
        }
        if (possible) file_survives(under, bytes, confirmed, must_be_new);
    }
}

/* One save, with or without an earlier state and with or without something left over of a save that was interrupted;
 * then a failure at every instant of it. */
static void save_and_fail(bool with_old, bool left_over, bool honest) {
    static unsigned char half[777];
    char message[300];
    old_exists = with_old;
    fsync_works = honest;
    call_count = 0;
    written_bytes = 0;
    disks = olds = news = refused = 0;
    for (int name = 0; name < NAMES; name++) __real_unlink(paths[name]);
    if (with_old) {
        int file;
        CHECK(state_save(paths[STATE], old_beliefs, old_books, message, sizeof message));
        file = __real_open(paths[STATE], O_RDONLY);
        contents[OLD] = malloc(MOST_BYTES);
        CHECK(file >= 0 && contents[OLD] != NULL);
        sizes[OLD] = (size_t)read(file, contents[OLD], MOST_BYTES);
        __real_close(file);
    }
    contents[LEFT] = half;
    sizes[LEFT] = sizeof half;
    if (left_over) put(FRESH, half, sizeof half);
    recording = true;
    CHECK(state_save(paths[STATE], beliefs, books, message, sizeof message));
    recording = false;
    CHECK(written_bytes > 1000 && call_count > 5);
    /* Without fsync the last instant has all that the others have. */
    for (int done = honest ? 0 : call_count; done <= call_count; done++) {
        power_fails(done, 0, left_over);
        for (size_t part = 1; done < call_count && calls[done].kind == WRITE && part < calls[done].bytes; part++)
            power_fails(done, part, left_over);
    }
    printf("power_loss: %s, %s, fsync %s: %d calls, %ld disks: %ld %s, %ld new, %ld refused\n",
           with_old ? "an old state" : "no state", left_over ? "a file left over" : "nothing left over",
           honest ? "works" : "does nothing", call_count, disks, olds, with_old ? "old" : "without a state", news,
           refused);
    CHECK(olds > 0 && news > 0);
    /* Without fsync much is lost, and all of it seen. */
    CHECK(honest ? refused == 0 && olds + news == disks : refused > 10000 / (long)step);
    free(contents[OLD]);
    contents[OLD] = NULL;
}

int main(int argc, char **argv) {
    if (argc > 1) step = (size_t)strtoul(argv[1], NULL, 10);
    if (step < 1 || mkdtemp(folder) == NULL) return EXIT_FAILURE;
    snprintf(paths[STATE], sizeof paths[STATE], "%s/state", folder);
    snprintf(paths[FRESH], sizeof paths[FRESH], "%s/state.new", folder);
    snprintf(aside, sizeof aside, "%s/state.refused", folder);
    old_beliefs = beliefs_make(PREDICTOR_MIX);
    beliefs = beliefs_make(PREDICTOR_MIX);
    read_beliefs = beliefs_make(PREDICTOR_MIX);
    old_books = books_make();
    books = books_make();
    read_books = books_make();
    if (!beliefs || !old_beliefs || !read_beliefs || !books || !old_books || !read_books) return EXIT_FAILURE;
    live(old_books, old_beliefs, 1, 8);
    live(books, beliefs, 1, 12);
    old = whole_of(old_beliefs, old_books);
    new = whole_of(beliefs, books);
    CHECK(!same(&old, &new));
    for (int round = 0; round < 4; round++) save_and_fail(round % 2 == 1, round / 2 == 1, true);
    save_and_fail(true, false, false);
    for (int name = 0; name < NAMES; name++) __real_unlink(paths[name]);
    rmdir(folder);
    whole_free(&old);
    whole_free(&new);
    beliefs_free(beliefs);
    beliefs_free(old_beliefs);
    beliefs_free(read_beliefs);
    books_free(books);
    books_free(old_books);
    books_free(read_books);
    printf("power_loss: %s\n", failures == 0 ? "the old state in full or the new one: passed" : "FAILED");
    return failures == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
