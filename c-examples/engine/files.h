/* Files of the schedulers: read as a whole, and written beside the old one before they take its place. */
#ifndef FILES_H
#define FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { FILES_PATH = 4096 };

/* Writes a message; false. */
bool files_failed(char *message, size_t length, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* The whole file, to be freed, or NULL and errno. Behind it lies no more than was read. */
void *files_read(const char *path, int64_t *size);

/* Writes the bytes to a new file that then takes the place of the one of this name, so that the one or the other is
 * whole whatever happens; durable: after a loss of power as well. Pages that are all zero take no room. False, and a
 * message, when that fails: the old file is as it was. */
bool files_write(const char *path, const void *bytes, int64_t size, bool durable, char *message, size_t length);

#endif
