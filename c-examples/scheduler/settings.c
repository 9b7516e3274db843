/* Reading SchedulerParameters. */
#include "settings.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <surefill.h>

static const char *const modes[] = {"on", "shadow", "limits"};                               /* enum mode */
static const char *const predictors[] = {"mix", "hmm", "user"};                              /* enum predictor */
static const char *const criteria[] = {"probability", "bound", "seconds", "relative", NULL}; /* SUREFILL_CRITERION_ */
static const char prefix[] = "surefill_";

void settings_defaults(struct settings *settings) {
    *settings = (struct settings){.mode = MODE_ON,
                                  .criterion = SUREFILL_CRITERION_PROBABILITY,
                                  .tau = 0.05,
                                  .budget = INFINITY,
                                  .interval = 5,
                                  .save = 60,
                                  .locked = 2,
                                  .depth = 1000,
                                  .events = 4};
}

const char *settings_mode_name(enum mode mode) { return modes[mode]; }

const char *settings_predictor_name(enum predictor predictor) { return predictors[predictor]; }

const char *settings_criterion_name(int32_t criterion) { return criteria[criterion]; }

static int find(const char *const *names, int count, const char *name) {
    for (int i = 0; i < count; i++)
        if (strcmp(names[i], name) == 0) return i;
    return -1;
}

static bool number(const char *text, double least, double most, double *value) {
    char *end;
    double read = strtod(text, &end);
    if (end == text || *end != '\0' || !(read >= least && read <= most)) return false;
    *value = read;
    return true;
}

static bool integer(const char *text, int32_t least, int32_t most, int32_t *value) {
    double read;
    if (!number(text, least, most, &read) || read != floor(read)) return false;
    *value = (int32_t)read;
    return true;
}

/* One word without its prefix. Returns what is wrong with it, NULL for nothing. */
static const char *read_word(struct settings *settings, const char *key, const char *value) {
    if (value == NULL) return "it needs a value";
    if (strcmp(key, "mode") == 0) {
        int mode = find(modes, 3, value);
        if (mode < 0) return "the modes are on, shadow and limits";
        settings->mode = (enum mode)mode;
    } else if (strcmp(key, "predictor") == 0) {
        int predictor = find(predictors, 3, value);
        if (predictor < 0) return "the predictors are mix, hmm and user";
        settings->predictor = (enum predictor)predictor;
    } else if (strcmp(key, "criterion") == 0) {
        int criterion = find(criteria, 4, value);
        if (criterion < 0) return "the criteria are probability, bound, seconds and relative";
        settings->criterion = criterion;
    } else if (strcmp(key, "tau") == 0) {
        if (!number(value, 0, 1e12, &settings->tau)) return "it must be a number that is not negative";
    } else if (strcmp(key, "budget") == 0) {
        if (!number(value, 0, HUGE_VAL, &settings->budget)) return "it must be a number that is not negative";
    } else if (strcmp(key, "interval") == 0) {
        if (!number(value, 0.1, 3600, &settings->interval)) return "it must be 0.1 to 3,600 seconds";
    } else if (strcmp(key, "save") == 0) {
        if (!number(value, 1, 86400, &settings->save)) return "it must be 1 to 86,400 seconds";
    } else if (strcmp(key, "locked") == 0) {
        if (!number(value, 0.001, 60, &settings->locked)) return "it must be 0.001 to 60 seconds";
    } else if (strcmp(key, "depth") == 0) {
        if (!integer(value, 0, 100000, &settings->depth)) return "it must be an integer from 0 to 100,000";
    } else if (strcmp(key, "events") == 0) {
        if (!integer(value, 1, SUREFILL_MAX_EVENTS_PER_BIN, &settings->events)) return "it must be 1 to 16";
    } else {
        return "there is no such parameter";
    }
    return NULL;
}

bool settings_read(struct settings *settings, const char *parameters, char *message, size_t length) {
    struct settings read;
    settings_defaults(&read);
    for (const char *at = parameters; at != NULL && *at != '\0';) {
        char word[128];
        size_t size = strcspn(at, ",");
        if (strncmp(at, prefix, strlen(prefix)) == 0) {
            const char *wrong = "it is too long";
            if (size < sizeof word) {
                char *value;
                memcpy(word, at, size);
                word[size] = '\0';
                value = strchr(word, '=');
                if (value != NULL) *value++ = '\0';
                wrong = read_word(&read, word + strlen(prefix), value);
            }
            if (wrong != NULL) {
                snprintf(message, length, "SchedulerParameters: %.*s: %s", (int)(size < 100 ? size : 100), at, wrong);
                return false;
            }
        }
        at += size;
        at += *at == ',';
    }
    *settings = read;
    return true;
}

bool settings_all_ours(const char *parameters) {
    for (const char *at = parameters; at != NULL && *at != '\0'; at += strcspn(at, ","), at += *at == ',')
        if (strncmp(at, prefix, strlen(prefix)) != 0) return false;
    return true;
}
