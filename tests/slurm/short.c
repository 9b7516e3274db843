/* For LD_PRELOAD under slurmctld: while there is a file of the name in SUREFILL_SHORT, the plugin, and nothing else,
 * gets no memory; while there is one of that name and .arrays, none for arrays that grow. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *old, size_t size);

static bool is_short(const void *caller, const char *of) {
    const char *name;
    char file[300];
    Dl_info found;
    if (dladdr(caller, &found) == 0 || strstr(found.dli_fname, "sched_surefill") == NULL) return false;
    name = getenv("SUREFILL_SHORT");
    if (name == NULL || snprintf(file, sizeof file, "%s%s", name, of) >= (int)sizeof file) return false;
    return access(file, F_OK) == 0;
}

void *malloc(size_t size) { return is_short(__builtin_return_address(0), "") ? NULL : __libc_malloc(size); }

void *calloc(size_t count, size_t size) {
    return is_short(__builtin_return_address(0), "") ? NULL : __libc_calloc(count, size);
}

void *realloc(void *old, size_t size) {
    return is_short(__builtin_return_address(0), ".arrays") ? NULL : __libc_realloc(old, size);
}
