/* Counts the failures of the examples' tests. Included once by each. */
#ifndef EXPECT_H
#define EXPECT_H

#include <stdio.h>

static int failures;

#define CHECK(condition) \
    do { \
        if (!(condition)) { \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition); \
            failures++; \
        } \
    } while (0)

#endif
