/* Counting checks for small test programs. */
#ifndef CHECK_H
#define CHECK_H

#include <surefill_parts.h>

/* Both go on after a failure and return whether the check held. */
#define CHECK(condition) check_that((condition) ? 1 : 0, __FILE__, __LINE__, #condition)
#define CHECK_STATUS(expected, call) check_status((expected), (call), __FILE__, __LINE__, #call)
#define CHECK_OK(call) CHECK_STATUS(SUREFILL_OK, call)

/* The status of a structure whose struct_size, this one, is that of no version. */
#define WRONG_SIZE(size) ((size) == 0 ? SUREFILL_ERROR_NO_STRUCT_SIZE : SUREFILL_ERROR_WRONG_VERSION)

int check_that(int holds, const char *file, int line, const char *text);
int check_status(int32_t expected, int32_t status, const char *file, int line, const char *text);

/* Prints the counts, the last line of every test program; returns its exit status. */
int checks_done(void);

#endif
