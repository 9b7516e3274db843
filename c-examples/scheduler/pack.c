/* Run lengths of words. A token holds a number of words, twice that, plus one when the word behind it is to be repeated
 * so often; else that number of words follows. The bytes behind the last whole word come at the end as they are. */
#include "pack.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { WORD = sizeof(uint64_t), SHORTEST = 4 }; /* a repetition of fewer words is not worth its token */

static uint64_t word_at(const char *bytes, size_t index) {
    uint64_t word;
    memcpy(&word, bytes + index * WORD, WORD);
    return word;
}

static size_t repeated(const char *bytes, size_t from, size_t words) {
    size_t at = from + 1;
    while (at < words && word_at(bytes, at) == word_at(bytes, from)) at++;
    return at - from;
}

static char *put(char *to, const void *bytes, size_t size) {
    memcpy(to, bytes, size);
    return to + size;
}

void *pack(const void *bytes, size_t size, size_t *packed) {
    const size_t words = size / WORD;
    /* Between two literal runs lies a repetition, which saves at least what the two tokens cost. */
    char *made = malloc(size + 2 * WORD), *to = made;
    if (made == NULL) return NULL;
    for (size_t at = 0; at < words;) {
        size_t run = repeated(bytes, at, words), from = at;
        uint64_t token;
        if (run >= SHORTEST) {
            token = 2 * (uint64_t)run + 1;
            to = put(put(to, &token, WORD), (const char *)bytes + at * WORD, WORD);
            at += run;
            continue;
        }
        while (at < words && (run = repeated(bytes, at, words)) < SHORTEST) at += run;
        token = 2 * (uint64_t)(at - from);
        to = put(put(to, &token, WORD), (const char *)bytes + from * WORD, (at - from) * WORD);
    }
    to = put(to, (const char *)bytes + words * WORD, size % WORD);
    *packed = (size_t)(to - made);
    return made;
}

bool unpack(const void *packed, size_t length, void *bytes, size_t size) {
    const char *from = packed;
    char *to = bytes;
    size_t words = size / WORD, rest = size % WORD;
    while (words > 0) {
        uint64_t token, count;
        if (length < WORD) return false;
        memcpy(&token, from, WORD);
        from += WORD;
        length -= WORD;
        count = token / 2;
        if (count == 0 || count > words || length < WORD * (token % 2 ? 1 : (size_t)count)) return false;
        for (size_t i = 0; i < count; i++, to += WORD) {
            memcpy(to, from, WORD);
            if (token % 2 == 0) from += WORD;
        }
        if (token % 2) from += WORD;
        length -= WORD * (token % 2 ? 1 : (size_t)count);
        words -= (size_t)count;
    }
    if (length != rest) return false;
    memcpy(to, from, rest);
    return true;
}
