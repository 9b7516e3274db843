#include "check.h"

#include <stdio.h>

enum { MOST_DESCRIBED = 20 };

static int passed, failed;

int check_that(int holds, const char *file, int line, const char *text) {
    if (holds)
        passed++;
    else if (++failed <= MOST_DESCRIBED)
        fprintf(stderr, "%s:%d: does not hold: %s\n", file, line, text);
    return holds;
}

int check_status(int32_t expected, int32_t status, const char *file, int line, const char *text) {
    if (status == expected)
        passed++;
    else if (++failed <= MOST_DESCRIBED)
        fprintf(stderr, "%s:%d: %s instead of %s: %s\n", file, line, surefill_status_name(status),
                surefill_status_name(expected), text);
    return status == expected;
}

int checks_done(void) {
    printf("%d passed, %d failed\n", passed, failed);
    return failed != 0;
}
