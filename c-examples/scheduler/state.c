/* The state file: a header, then packed the beliefs and the books. Native byte order: it stays on the machine that
 * wrote it. */
#define _POSIX_C_SOURCE 200809L
#include "state.h"

#include "pack.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static const char MAGIC[8] = "surefill";
enum { VERSION = 9, BYTE_ORDER_MARK = 0x01020304 };
static const size_t LONGEST = (size_t)1 << 30;

struct header {
    char magic[8];
    uint32_t version, byte_order;
    uint64_t beliefs, books; /* bytes */
    uint64_t packed_beliefs, packed_books;
    uint64_t checksum; /* FNV-1a of everything else */
};

static uint64_t fnv(uint64_t hash, const void *bytes, size_t size) {
    for (const unsigned char *at = bytes, *end = at + size; at < end; at++) hash = (hash ^ *at) * 0x100000001B3u;
    return hash;
}

static uint64_t checksum(struct header header, const void *packed_beliefs, const void *packed_books) {
    header.checksum = 0;
    return fnv(fnv(fnv(0xCBF29CE484222325u, &header, sizeof header), packed_beliefs, header.packed_beliefs), packed_books,
               header.packed_books);
}

static bool failed(char *message, size_t length, const char *path, const char *what, int error) {
    snprintf(message, length, "%s: %s%s%s", path, what, error ? ": " : "", error ? strerror(error) : "");
    return false;
}

static bool write_all(int file, const void *bytes, size_t size) {
    for (const char *at = bytes; size > 0;) {
        ssize_t written = write(file, at, size);
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) return false;
        at += written;
        size -= (size_t)written;
    }
    return true;
}

static bool read_all(int file, void *bytes, size_t size) {
    for (char *at = bytes; size > 0;) {
        ssize_t got = read(file, at, size);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return false;
        at += got;
        size -= (size_t)got;
    }
    return true;
}

static bool holds(int file, uint64_t bytes) {
    struct stat found;
    return fstat(file, &found) == 0 && (uint64_t)found.st_size >= bytes;
}

/* A device or a folder must be neither read as a state file nor replaced by one. */
static bool something_else(const char *path) {
    struct stat found;
    return stat(path, &found) == 0 && !S_ISREG(found.st_mode);
}

/* Until the folder is synced too a loss of power may undo the renaming, and bring the old state back long after a newer
 * one has been saved. That is whole as well: where folders cannot be read or synced nothing is amiss. */
static void sync_folder(const char *path) {
    char folder[4096];
    const char *slash = strrchr(path, '/');
    int length = slash == NULL ? 0 : (int)(slash - path) + 1, file = -1;
    if (snprintf(folder, sizeof folder, "%.*s.", length, path) < (int)sizeof folder)
        file = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (file < 0) return;
    (void)fsync(file);
    close(file);
}

/* Writes the file beside the old one and puts it in its place; whatever fails, nothing is left lying about. */
static bool replace(const char *path, const struct header *header, const void *beliefs, const void *books, char *message,
                    size_t length) {
    char temporary[4096];
    bool good;
    int file;
    if (snprintf(temporary, sizeof temporary, "%s.new", path) >= (int)sizeof temporary)
        return failed(message, length, path, "the name is too long", 0);
    /* What lies there is of an interrupted save, or somebody has put a link there for us to follow. */
    if (unlink(temporary) != 0 && errno != ENOENT) return failed(message, length, temporary, "cannot be removed", errno);
    file = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (file < 0) return failed(message, length, temporary, "cannot be opened", errno);
    good = write_all(file, header, sizeof *header) && write_all(file, beliefs, header->packed_beliefs) &&
           write_all(file, books, header->packed_books) && fsync(file) == 0;
    if (!good) failed(message, length, temporary, "cannot be written", errno);
    if (close(file) != 0 && good) good = failed(message, length, temporary, "cannot be closed", errno);
    if (good && rename(temporary, path) != 0) good = failed(message, length, path, "cannot be replaced", errno);
    if (good) sync_folder(path);
    if (!good) unlink(temporary); /* the last free bytes are for slurmctld's own files */
    return good;
}

bool state_save(const char *path, const struct beliefs *beliefs, const struct books *books, char *message,
                size_t length) {
    struct header header = {.version = VERSION, .byte_order = BYTE_ORDER_MARK};
    size_t beliefs_size = 0, books_size = 0, packed_beliefs = 0, packed_books = 0;
    void *one, *other, *packed_one = NULL, *packed_other = NULL;
    bool good = false;
    message[0] = '\0';
    if (something_else(path)) return failed(message, length, path, "is not a regular file", 0);
    one = beliefs_save(beliefs, &beliefs_size);
    if (one != NULL) packed_one = pack(one, beliefs_size, &packed_beliefs);
    free(one);
    other = books_save(books, &books_size);
    if (other != NULL) packed_other = pack(other, books_size, &packed_books);
    free(other);
    if (packed_one == NULL || packed_other == NULL) {
        failed(message, length, path, "no memory to save", 0);
    } else {
        memcpy(header.magic, MAGIC, sizeof MAGIC);
        header.beliefs = beliefs_size;
        header.books = books_size;
        header.packed_beliefs = packed_beliefs;
        header.packed_books = packed_books;
        header.checksum = checksum(header, packed_one, packed_other);
        good = replace(path, &header, packed_one, packed_other, message, length);
    }
    free(packed_one);
    free(packed_other);
    return good;
}

static bool look_at(const char *path, struct state_mark *mark) {
    struct stat found;
    if (lstat(path, &found) != 0) return false;
    mark->device = (uint64_t)found.st_dev;
    mark->number = (uint64_t)found.st_ino;
    mark->seconds = (uint64_t)found.st_mtim.tv_sec;
    mark->nanoseconds = (uint64_t)found.st_mtim.tv_nsec;
    return true;
}

bool state_save_changes(const char *path, const struct beliefs *beliefs, const struct books *books,
                        struct state_mark *mark, char *message, size_t length) {
    struct state_mark now = {.device = 0};
    books_totals(books, &now.totals);
    message[0] = '\0';
    if (look_at(path, &now) && memcmp(&now, mark, sizeof now) == 0) return true;
    if (!state_save(path, beliefs, books, message, length)) return false;
    if (look_at(path, &now)) *mark = now;
    return true;
}

/* The next save must not destroy what somebody may want to look at. */
static void set_aside(const char *path, char *message, size_t length) {
    char aside[4096];
    size_t end = strlen(message);
    int written = snprintf(aside, sizeof aside, "%s.refused", path);
    if (access(aside, F_OK) == 0) written = snprintf(aside, sizeof aside, "%s.refused.%lld", path, (long long)time(NULL));
    if (written < (int)sizeof aside && rename(path, aside) == 0)
        snprintf(message + end, length - end, " (kept as %s)", aside);
}

bool state_load(const char *path, struct beliefs *beliefs, struct books *books, char *message, size_t length) {
    struct header header;
    void *packed_one = NULL, *packed_other = NULL, *one = NULL, *other = NULL, *before = NULL;
    size_t size;
    char extra;
    bool good = false, memory = true;
    int file;
    message[0] = '\0';
    errno = 0;
    if (something_else(path)) return failed(message, length, path, "is not a regular file", 0);
    file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) {
        int error = errno;
        if (error == ENOENT) return false;
        failed(message, length, path, "cannot be opened", error);
        if (error != ENOMEM) set_aside(path, message, length);
        errno = error;
        return false;
    }
    if (!read_all(file, &header, sizeof header)) {
        failed(message, length, path, "is too short", 0);
    } else if (memcmp(header.magic, MAGIC, sizeof MAGIC) != 0 || header.byte_order != BYTE_ORDER_MARK) {
        failed(message, length, path, "is not a state file of this kind of machine", 0);
    } else if (header.version != VERSION) {
        failed(message, length, path, "was written by another version", 0);
    } else if (header.beliefs > LONGEST || header.books > LONGEST || header.packed_beliefs > LONGEST ||
               header.packed_books > LONGEST) {
        failed(message, length, path, "is damaged (lengths)", 0);
    } else if (!holds(file, sizeof header + header.packed_beliefs + header.packed_books)) {
        failed(message, length, path, "is truncated", 0);
    } else if ((packed_one = malloc(header.packed_beliefs + 1)) == NULL ||
               (packed_other = malloc(header.packed_books + 1)) == NULL || (one = malloc(header.beliefs + 1)) == NULL ||
               (other = malloc(header.books + 1)) == NULL) {
        memory = false;
    } else if (!read_all(file, packed_one, header.packed_beliefs) ||
               !read_all(file, packed_other, header.packed_books)) {
        failed(message, length, path, "cannot be read", 0);
    } else if (read(file, &extra, 1) != 0 || checksum(header, packed_one, packed_other) != header.checksum ||
               !unpack(packed_one, header.packed_beliefs, one, header.beliefs) ||
               !unpack(packed_other, header.packed_books, other, header.books)) {
        failed(message, length, path, "is damaged (checksum)", 0);
    } else if ((before = beliefs_save(beliefs, &size)) == NULL) {
        memory = false;
    } else if (errno = 0, !beliefs_load(beliefs, one, header.beliefs)) {
        memory = errno != ENOMEM;
        failed(message, length, path, "holds beliefs of another shape", 0);
    } else if (!books_load(books, other, header.books)) {
        memory = errno != ENOMEM;
        beliefs_load(beliefs, before, size);
        failed(message, length, path, "holds books of another shape", 0);
    } else {
        good = true;
    }
    close(file);
    if (!memory)
        failed(message, length, path, "no memory to read it", 0);
    else if (!good)
        set_aside(path, message, length);
    free(packed_one);
    free(packed_other);
    free(one);
    free(other);
    free(before);
    errno = memory ? 0 : ENOMEM;
    return good;
}
