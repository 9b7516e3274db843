/* The words of SchedulerParameters that concern the plugin. Licence: GPL-2.0-or-later. */
#include "cluster.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WORD = 240 };

void words_note(const char *parameters) {
    char backfill[WORD] = "";
    size_t used = 0;
    bool loop = true, defers = false;
    for (const char *at = parameters; at != NULL && *at != '\0'; at += strcspn(at, ","), at += *at == ',') {
        const int size = (int)strcspn(at, ",");
        if (strncasecmp(at, "bf_", 3) == 0 && used + (size_t)size + 3 < sizeof backfill)
            used += (size_t)snprintf(backfill + used, sizeof backfill - used, "%s%.*s", used > 0 ? ", " : "", size, at);
        loop &= strncasecmp(at, "sched_interval=-1", 17) != 0;
        defers |= strncasecmp(at, "defer", 5) == 0;
    }
    if (backfill[0] != '\0')
        info("surefill: SchedulerParameters: without effect, as they are for sched/backfill alone: %s", backfill);
    if (loop)
        info("surefill: SchedulerParameters: slurmctld's own main loop starts jobs in order of priority as well; "
             "sched_interval=-1 turns it off");
    if (!defers)
        info("surefill: SchedulerParameters: slurmctld itself starts a job when it is submitted and nobody in its partition "
             "comes before it; defer leaves that to the plugin (and makes slurmctld refuse salloc -I)");
}

static bool number(const char *text, double least, double most, double *value) {
    char *end;
    const double read = strtod(text, &end);
    if (end == text || *end != '\0' || !(read >= least && read <= most)) return false;
    *value = read;
    return true;
}

bool words_take(struct words *words, const char *parameters, double point, char *message, size_t length) {
    static const char prefix[] = "surefill_", record[] = "surefill_record=";
    bool points = true; /* the order lets points be worth seconds */
    words->limits = words->shadow = false;
    words->locked = 0.1;
    /* First, so that what the site says counts; a word that the scheduler takes, however long the ages of the site. */
    words->scheduler[0] = '\0';
    point = fmin(point, 1e6);
    if (point > 0) snprintf(words->scheduler, sizeof words->scheduler, "surefill_seconds=%.6f", point);
    for (const char *at = parameters; at != NULL && *at != '\0'; at += strcspn(at, ","), at += *at == ',') {
        char word[WORD];
        const char *from = at;
        size_t size = 0;
        bool folder = false; /* a folder's name is not in lower case */
        for (; *from != ',' && *from != '\0' && size + 1 < sizeof word; from++) {
            if (!isspace((unsigned char)*from)) word[size++] = folder ? *from : (char)tolower((unsigned char)*from);
            folder = folder || (size == strlen(record) && strncmp(word, record, size) == 0);
        }
        word[size] = '\0';
        if (folder && *from != ',' && *from != '\0') {
            snprintf(message, length, "%s...: the name of the folder is too long", record);
            return false;
        }
        if (strncmp(word, prefix, strlen(prefix)) != 0) {
            if (strncmp(word, "surefil", 7) != 0) continue;
            snprintf(message, length, "%s: settings begin with %s", word, prefix);
            return false;
        }
        if (strncmp(word, "surefill_mode=", 14) == 0) {
            words->limits = strcmp(word + 14, "limits") == 0;
            words->shadow = strcmp(word + 14, "shadow") == 0;
            if (words->limits || words->shadow || strcmp(word + 14, "on") == 0) continue;
            snprintf(message, length, "%s: the modes are on, shadow and limits", word);
            return false;
        }
        if (strncmp(word, "surefill_locked=", 16) == 0) {
            if (number(word + 16, 0.001, 60, &words->locked)) continue;
            snprintf(message, length, "%s: wanted is locked= 0.001 to 60 seconds", word);
            return false;
        }
        if (strncmp(word, "surefill_order=", 15) == 0)
            points = strcmp(word + 15, "auto") == 0 || strcmp(word + 15, "priority") == 0;
        if (strncmp(word, "surefill_seconds=", 17) == 0) point = strtod(word + 17, NULL);
        if (strlen(words->scheduler) + size + 2 > sizeof words->scheduler) {
            snprintf(message, length, "too many settings");
            return false;
        }
        strcat(strcat(words->scheduler, words->scheduler[0] == '\0' ? "" : ","), word);
    }
    words->by_points = points && point > 0;
    return true;
}
