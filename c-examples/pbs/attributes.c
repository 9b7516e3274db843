/* Reading attributes. Whatever is not understood is refused, never guessed. */
#include "attributes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *attribute(const struct batch_status *entry, const char *name, const char *resource) {
    for (const struct attrl *at = entry->attribs; at != NULL; at = at->next) {
        bool plain = at->resource == NULL || at->resource[0] == '\0';
        if (strcmp(at->name, name) != 0 || plain != (resource == NULL)) continue;
        if (plain || strcmp(at->resource, resource) == 0) return at->value;
    }
    return NULL;
}

bool attribute_is(const struct batch_status *entry, const char *name, const char *value) {
    const char *is = attribute(entry, name, NULL);
    return is != NULL && strcmp(is, value) == 0;
}

int64_t attribute_number(const struct batch_status *entry, const char *name, const char *resource, int64_t otherwise) {
    const char *text = attribute(entry, name, resource);
    char *end;
    long long value;
    if (text == NULL) return otherwise;
    value = strtoll(text, &end, 10);
    return end == text || *end != '\0' ? otherwise : (int64_t)value;
}

/* Digits, at most twelve of them. */
static const char *digits(const char *text, int64_t *value) {
    const char *at = text;
    for (*value = 0; *at >= '0' && *at <= '9' && at - text < 12; at++) *value = *value * 10 + (*at - '0');
    return at == text ? NULL : at;
}

bool read_duration(const char *text, int64_t *seconds) {
    int64_t all = 0, part;
    const char *at = text;
    for (int parts = 1; at != NULL; parts++) {
        at = digits(at, &part);
        if (at == NULL) return false;
        all = all * 60 + part;
        if (*at == '.') at += strspn(at + 1, "0123456789") + 1;
        if (*at == '\0') {
            *seconds = all;
            return true;
        }
        if (*at++ != ':' || parts == 3) return false;
    }
    return false;
}

bool read_size(const char *text, int64_t *kilobytes) {
    static const char units[] = "kmgtp";
    int64_t value;
    const char *unit, *at = text == NULL ? NULL : digits(text, &value);
    int power = 0;
    if (at == NULL) return false;
    unit = *at == '\0' ? NULL : strchr(units, *at);
    if (unit != NULL) {
        power = (int)(unit - units) + 1;
        at++;
    }
    if (*at == 'w') value *= 8;
    if (*at == 'w' || *at == 'b') at++;
    if (*at != '\0') return false;
    if (power == 0) {
        *kilobytes = (value + 1023) / 1024;
        return true;
    }
    for (; power > 1; power--) {
        if (value > INT64_MAX / 1024) return false;
        value *= 1024;
    }
    *kilobytes = value;
    return true;
}

bool read_job(const char *name, int64_t *id) {
    enum { INDICES = 1 << 22 };
    int64_t sequence, index = -1;
    const char *at = name == NULL ? NULL : digits(name, &sequence);
    if (at == NULL) return false;
    if (*at == '[') {
        at = at[1] == ']' ? at + 1 : digits(at + 1, &index);
        if (at == NULL || *at++ != ']' || index >= INDICES - 1) return false;
    }
    if (*at != '\0' && *at != '.') return false;
    *id = sequence * INDICES + index + 1;
    return true;
}

/* One "name=value" of a chunk. */
static bool read_chunk_word(const char *word, struct chunks *chunks) {
    static const char *const harmless[] = {"mpiprocs=", "ompthreads="};
    const bool is_gpu = strncmp(word, "ngpus=", 6) == 0;
    int64_t value;
    const char *end;
    if (is_gpu || strncmp(word, "ncpus=", 6) == 0) {
        end = digits(word + 6, &value);
        if (end == NULL || *end != '\0' || value < (is_gpu ? 0 : 1) || value > INT32_MAX) return false;
        if (is_gpu)
            chunks->gpus = (int32_t)value;
        else
            chunks->processors = (int32_t)value;
        return true;
    }
    if (strncmp(word, "mem=", 4) == 0) return read_size(word + 4, &chunks->kilobytes);
    for (size_t i = 0; i < sizeof harmless / sizeof *harmless; i++)
        if (strncmp(word, harmless[i], strlen(harmless[i])) == 0) return true;
    /* Another resource: whether vnodes have it as a name or as an amount is not known here. */
    if (strchr(word, '=') == NULL || strlen(chunks->others) + strlen(word) + 2 > sizeof chunks->others) return false;
    strcat(strcat(chunks->others, chunks->others[0] == '\0' ? "" : ":"), word);
    return true;
}

bool read_select(const char *select, struct chunks *chunks) {
    char word[64];
    int64_t count;
    const char *at = select == NULL ? NULL : digits(select, &count);
    *chunks = (struct chunks){.count = 1, .processors = 1};
    if (select == NULL || *select == '\0' || strchr(select, '+') != NULL) return false;
    if (at != NULL && (*at == ':' || *at == '\0')) {
        if (count < 1 || count > INT32_MAX) return false;
        chunks->count = (int32_t)count;
        if (*at++ == '\0') return true;
    } else {
        at = select;
    }
    for (;;) {
        size_t length = strcspn(at, ":");
        if (length == 0 || length >= sizeof word) return false;
        memcpy(word, at, length);
        word[length] = '\0';
        if (!read_chunk_word(word, chunks)) return false;
        at += length;
        if (*at++ == '\0') return true;
    }
}

bool has_word(const char *text, const char *separators, const char *word) {
    if (text == NULL) return false;
    for (const char *at = text; *at != '\0';) {
        size_t length = strcspn(at, separators);
        if (length == strlen(word) && strncmp(at, word, length) == 0) return true;
        at += length;
        at += strspn(at, separators);
    }
    return false;
}

/* The amount of a resource that "ncpus=2:mem=4kb:ngpus=1" asks for, 0 for none. */
static int64_t amount(const char *text, size_t length, const char *resource, bool is_size) {
    const size_t name = strlen(resource);
    for (const char *at = text + (length > 0); at < text + length; at += strcspn(at, ":+)") + 1) {
        char value[32];
        int64_t number = 0;
        const size_t size = strcspn(at, ":+)");
        if (strncmp(at, resource, name) != 0 || size - name >= sizeof value) continue;
        memcpy(value, at + name, size - name);
        value[size - name] = '\0';
        if (is_size ? read_size(value, &number) : digits(value, &number) != NULL) return number;
    }
    return 0;
}

const char *next_piece(const char *exec_vnode, struct piece *piece) {
    const char *at = exec_vnode;
    size_t size, all;
    if (at == NULL) return NULL;
    at += strspn(at, "(+)");
    size = strcspn(at, ":+)");
    all = strcspn(at, "+)");
    if (*at == '\0' || size == 0 || size >= sizeof piece->vnode) return NULL;
    memcpy(piece->vnode, at, size);
    piece->vnode[size] = '\0';
    piece->processors = amount(at + size, all - size, "ncpus=", false);
    piece->gpus = amount(at + size, all - size, "ngpus=", false);
    piece->kilobytes = amount(at + size, all - size, "mem=", true);
    return at + strcspn(at, "+");
}
