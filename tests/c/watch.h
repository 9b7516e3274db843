/* What a program asks of the library and of the C library, watched by functions that the linker puts before theirs
 * (--wrap): tests/c/watch.c says how. */
#ifndef WATCH_H
#define WATCH_H

#include <stddef.h>

/* Calls that returned another status than the schedulers may get, the first few described on the standard error. */
long watch_surprises(void);

/* The watched calls, and how often each returned which error, a line for each function. */
void watch_report(void);

/* What is allocated now. */
struct watch_memory {
    size_t blocks, bytes;
};
struct watch_memory watch_memory(void);

#endif
