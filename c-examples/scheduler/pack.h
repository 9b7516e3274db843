/* Blocks that are mostly one word again and again (room for what has not happened yet), made short for the state
 * file. */
#ifndef PACK_H
#define PACK_H

#include <stdbool.h>
#include <stddef.h>

/* A shorter form of these bytes, *packed bytes long, to be freed by the caller; NULL when memory is short. At most
 * sixteen bytes longer than they are. O(size). */
void *pack(const void *bytes, size_t size, size_t *packed);

/* Writes exactly size bytes, or returns false: then this was not packed from that number. */
bool unpack(const void *packed, size_t length, void *bytes, size_t size);

#endif
