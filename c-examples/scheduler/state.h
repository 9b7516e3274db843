/* The plugin's memory on disk: one file, written beside and renamed over the old one, refused when damaged. */
#ifndef STATE_H
#define STATE_H

#include "beliefs.h"
#include "books.h"

/* Both return false with a message; a message without failure (a first start) is empty. A failed save leaves
 * nothing behind. When the power fails during a save, the old state is there afterwards in full, or the new one;
 * after a save it is the new one, where the file system syncs folders. After a failed load the beliefs and the
 * books are as they were, and the file is kept under its name with .refused (and the time, if there is one
 * already). What is not a regular file is left alone, and so is the file when memory is short: then errno is
 * ENOMEM, which it is after no other failed load, and the load may be tried again. */
bool state_save(const char *path, const struct beliefs *beliefs, const struct books *books, char *message, size_t length);
bool state_load(const char *path, struct beliefs *beliefs, struct books *books, char *message, size_t length);

/* What has been saved last, all zero for nothing yet. */
struct state_mark {
    struct books_totals totals;
    uint64_t device, number, seconds, nanoseconds; /* of the file */
};

/* As state_save, unless nothing has happened since the save that mark tells of and its file is still there. */
bool state_save_changes(const char *path, const struct beliefs *beliefs, const struct books *books,
                        struct state_mark *mark, char *message, size_t length);

#endif
