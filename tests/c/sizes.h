/* Structures that begin with their size, in the sweep. */
#ifndef SIZES_H
#define SIZES_H

#include "check.h"

#include <string.h>

/* An init function, called with a structure `p` of `n` bytes: refused for NULL, for a misaligned pointer and for sizes
 * that no version has. Of an older program's structure nothing behind its end is written, what a newer one's has behind
 * what is known here is zero, and the number is the program's. */
#define BAD_INIT(type, p, n, call)                                                                        \
    do {                                                                                                  \
        enum { NEWER = sizeof(type) + 64 };                                                               \
        static union { type known; uint32_t size; unsigned char bytes[NEWER]; int64_t aligned; } whole;   \
        const int64_t sizes[] = {INT64_MIN, -1, 0, 1, 3, 4097, INT64_MAX};                                \
        int64_t n = sizeof(type);                                                                         \
        void *p = NULL;                                                                                   \
        REFUSED(SUREFILL_ERROR_NULL, call);                                                               \
        p = ODD(&whole);                                                                                  \
        REFUSED(SUREFILL_ERROR_MISALIGNED, call);                                                         \
        p = &whole;                                                                                       \
        memset(&whole, 0x5a, sizeof whole);                                                               \
        for (int i = 0; i < 7; i++) {                                                                     \
            n = sizes[i];                                                                                 \
            REFUSED(SUREFILL_ERROR_WRONG_VERSION, call);                                                  \
        }                                                                                                 \
        n = 8;                                                                                            \
        CHECK_OK(call);                                                                                   \
        CHECK(whole.size == 8);                                                                           \
        for (int i = 8; i < NEWER; i++) CHECK(whole.bytes[i] == 0x5a);                                    \
        n = NEWER;                                                                                        \
        CHECK_OK(call);                                                                                   \
        CHECK(whole.size == NEWER);                                                                       \
        for (int i = sizeof(type); i < NEWER; i++) CHECK(whole.bytes[i] == 0);                            \
    } while (0)

/* The same of a structure that a call fills: of a shorter one nothing behind the end, of a longer one zeros. `least` is
 * what its first version had. */
#define FILLS(type, least, p, call)                                                                       \
    do {                                                                                                  \
        enum { NEWER = sizeof(type) + 64 };                                                               \
        static union { type known; uint32_t size; unsigned char bytes[NEWER]; int64_t aligned; } whole;   \
        const uint32_t sizes[] = {0, 3, (least) - 1, 4097, UINT32_MAX};                                   \
        void *p = NULL;                                                                                   \
        REFUSED(SUREFILL_ERROR_NULL, call);                                                               \
        p = ODD(&whole);                                                                                  \
        REFUSED(SUREFILL_ERROR_MISALIGNED, call);                                                         \
        p = &whole;                                                                                       \
        for (int i = 0; i < 5; i++) {                                                                     \
            whole.size = sizes[i];                                                                        \
            REFUSED(WRONG_SIZE(sizes[i]), call);                                                          \
        }                                                                                                 \
        memset(&whole, 0x5a, sizeof whole);                                                               \
        whole.size = (least);                                                                             \
        CHECK_OK(call);                                                                                   \
        CHECK(whole.size == (least));                                                                     \
        for (int i = (least); i < NEWER; i++) CHECK(whole.bytes[i] == 0x5a);                              \
        whole.size = NEWER;                                                                               \
        CHECK_OK(call);                                                                                   \
        CHECK(whole.size == NEWER);                                                                       \
        for (int i = sizeof(type); i < NEWER; i++) CHECK(whole.bytes[i] == 0);                            \
    } while (0)

#endif
