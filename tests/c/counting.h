/* An allocator that counts. It takes the standard library's place for the whole program, so that what the standard
 * library allocates counts as well. */
#ifndef COUNTING_H
#define COUNTING_H

#include <stdalign.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Never reused: the programs that are looked at need next to nothing. */
static alignas(max_align_t) unsigned char arena[1 << 16];
static size_t used;
static long calls;

void *malloc(size_t size) {
    const size_t step = alignof(max_align_t), start = used;
    calls++;
    if (size > sizeof arena - start - step) return NULL;
    used = start + (size + step - 1) / step * step;
    return arena + start;
}

void free(void *memory) { calls += memory != NULL; }

void *calloc(size_t count, size_t size) {
    if (size != 0 && count > SIZE_MAX / size) return NULL;
    void *memory = malloc(count * size);
    return memory == NULL ? NULL : memset(memory, 0, count * size);
}

void *realloc(void *memory, size_t size) {
    void *grown = malloc(size);
    const size_t most = grown == NULL ? 0 : (size_t)(arena + sizeof arena - (unsigned char *)grown);
    return memory == NULL || grown == NULL ? grown : memmove(grown, memory, size < most ? size : most);
}

/* Blocks that a program takes itself come from here, where they are not counted with the library's. */
static alignas(max_align_t) unsigned char site[1 << 26];
static size_t site_used;
static int site_blocks;

static void *site_malloc(size_t size) {
    const size_t step = alignof(max_align_t), start = site_used;
    if (size > sizeof site - start - step) return NULL;
    site_used = start + (size + step - 1) / step * step;
    site_blocks++;
    return memset(site + start, 0xa5, size); /* blocks of a heap are not zeroed either */
}

static void site_free(void *memory) { site_blocks -= memory != NULL; }

#endif
