/* Files of the schedulers: read as a whole, and written beside the old one before they take its place. */
#define _POSIX_C_SOURCE 200809L
#include "files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PAGE = 4096 };

bool files_failed(char *message, size_t length, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, length, format, arguments);
    va_end(arguments);
    return false;
}

void *files_read(const char *path, int64_t *size) {
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    struct stat found = {.st_size = 0};
    char *bytes = NULL;
    int64_t at = 0;
    ssize_t got = 1;
    if (file < 0) return NULL;
    errno = EINVAL;
    if (fstat(file, &found) == 0 && S_ISREG(found.st_mode)) bytes = malloc((size_t)found.st_size + 1);
    for (*size = found.st_size; bytes != NULL && at < *size && got > 0; at += got)
        got = read(file, bytes + at, (size_t)(*size - at));
    close(file);
    if (bytes != NULL && got > 0) return bytes;
    if (bytes != NULL && got == 0) errno = EIO;
    free(bytes);
    return NULL;
}

/* Writes the block, leaving pages out that are all zero. */
static bool write_block(int file, const char *bytes, int64_t size) {
    static const char zeros[PAGE];
    for (int64_t at = 0; at < size;) {
        const size_t part = size - at < PAGE ? (size_t)(size - at) : PAGE;
        ssize_t written = memcmp(bytes + at, zeros, part) == 0 ? (ssize_t)part : pwrite(file, bytes + at, part, at);
        if (written <= 0) return false;
        at += written;
    }
    return ftruncate(file, size) == 0;
}

/* Until the folder is synced too a loss of power may undo the renaming. Where folders cannot be synced nothing is
 * amiss: the old state is whole as well. */
static void sync_folder(const char *path) {
    char folder[FILES_PATH];
    const char *slash = strrchr(path, '/');
    int length = slash == NULL ? 0 : (int)(slash - path) + 1, file = -1;
    if (snprintf(folder, sizeof folder, "%.*s.", length, path) < (int)sizeof folder)
        file = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (file < 0) return;
    (void)fsync(file);
    close(file);
}

bool files_write(const char *path, const void *bytes, int64_t size, bool durable, char *message, size_t length) {
    char temporary[FILES_PATH];
    bool good;
    int file;
    if (snprintf(temporary, sizeof temporary, "%s.new", path) >= (int)sizeof temporary)
        return files_failed(message, length, "%s: the name is too long", path);
    /* A file that lies there is of an interrupted save, or a user has put a link there to be followed. */
    unlink(temporary);
    file = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (file < 0) return files_failed(message, length, "%s: cannot be opened: %s", temporary, strerror(errno));
    good = write_block(file, bytes, size) && (!durable || fsync(file) == 0);
    good = close(file) == 0 && good && rename(temporary, path) == 0;
    if (good) {
        if (durable) sync_folder(path);
        return true;
    }
    files_failed(message, length, "%s: cannot be written: %s", temporary, strerror(errno));
    unlink(temporary);
    return false;
}
