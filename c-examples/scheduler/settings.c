/* Reading SchedulerParameters. */
#define _POSIX_C_SOURCE 200809L
#include "settings.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <surefill.h>

static const char *const modes[] = {"on", "shadow", "limits"}; /* enum mode */
static const char *const predictors[] = {"mix", "hmm", "user"}; /* enum predictor */
static const char *const orders[] = {"queue", "candidates", "site"}; /* enum order */
static const char prefix[] = "surefill_";

/* Takes over a preset's values. */
static void take_preset(struct settings *settings, int32_t name) {
    settings->name = name;
    settings->own_rule = false;
    memset(&settings->preset, 0, sizeof settings->preset);
    surefill_preset_init(&settings->preset, name); /* the name is one of its own */
    settings->criterion = settings->preset.criterion;
    settings->tau = settings->preset.threshold;
    settings->budget = settings->preset.budget;
    settings->events = settings->preset.events_per_bin;
}

/* A rule of the site's own: a threshold for all candidates, in order of priority, and nothing else. */
static void take_criterion(struct settings *settings, int32_t criterion) {
    settings->own_rule = true;
    settings->criterion = criterion;
    settings->tau = criterion == SUREFILL_CRITERION_SECONDS ? 60 : 0.05;
    settings->budget = INFINITY;
    settings->events = 4;
    settings->preset.slip = INFINITY;
    settings->preset.or_easy = settings->preset.unmeasured = 0;
    settings->preset.guard_quantile = 1;
    settings->order = ORDER_SITE;
}

/* Leaves the preset those of its orders that are asked for. */
static void take_order(surefill_preset *preset, enum order order) {
    if (order != ORDER_QUEUE) {
        preset->queue_run_time = preset->queue_processors = preset->queue_age = 0;
        preset->front_quantile = 1;
    }
    if (order == ORDER_SITE) preset->candidate_run_time = preset->candidate_processors = preset->candidate_age = 0;
}

void settings_defaults(struct settings *settings) {
    memset(settings, 0, sizeof *settings); /* they are compared byte by byte */
    settings->mode = MODE_ON;
    settings->interval = 5;
    settings->save = 60;
    settings->locked = 0.1;
    settings->depth = 1000;
    take_preset(settings, SUREFILL_PRESET_FAIR);
}

const char *settings_rule_name(const struct settings *settings) {
    return settings->own_rule ? "own rule" : surefill_name(SUREFILL_NAME_PRESET, settings->name);
}

void settings_threshold(const struct settings *settings, char *text, size_t length) {
    /* The guard, which counts after any wait, refuses what EASY refuses; what EASY starts is started. */
    bool easy = settings->preset.guard_quantile == 0 && settings->preset.or_easy != 0;
    if (easy || settings->mode == MODE_LIMITS)
        snprintf(text, length, "by the time limits alone");
    else
        snprintf(text, length, "%s below %g", surefill_name(SUREFILL_NAME_CRITERION, settings->criterion), settings->tau);
}

const char *settings_mode_name(enum mode mode) { return modes[mode]; }

const char *settings_order_name(enum order order) { return orders[order]; }

const char *settings_predictor_name(enum predictor predictor) { return predictors[predictor]; }

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

/* Which of the words are taken over in one reading: later ones rest on the earlier ones. */
enum reading { READ_PRESET, READ_CRITERION, READ_REST, READINGS };

/* One word without its prefix. Returns what is wrong with it, NULL for nothing. */
static const char *read_word(struct settings *settings, enum reading reading, const char *key, const char *value) {
    if (value == NULL) return "it needs a value";
    if (strcmp(key, "preset") == 0) {
        int32_t name = 0;
        while (name <= SUREFILL_PRESET_FAST && strcmp(surefill_name(SUREFILL_NAME_PRESET, name), value) != 0) name++;
        if (name > SUREFILL_PRESET_FAST) return "the presets are easy, papers, fair and fast";
        if (reading == READ_PRESET) take_preset(settings, name);
        return NULL;
    }
    if (strcmp(key, "mode") == 0) {
        int mode = find(modes, 3, value);
        if (mode < 0) return "the modes are on, shadow and limits";
        settings->mode = (enum mode)mode;
    } else if (strcmp(key, "predictor") == 0) {
        int predictor = find(predictors, 3, value);
        if (predictor < 0) return "the predictors are mix, hmm and user";
        settings->predictor = (enum predictor)predictor;
    } else if (strcmp(key, "criterion") == 0) {
        int32_t criterion = SUREFILL_CRITERION_PROBABILITY;
        while (criterion <= SUREFILL_CRITERION_RELATIVE && strcmp(surefill_name(SUREFILL_NAME_CRITERION, criterion), value) != 0) criterion++;
        if (criterion > SUREFILL_CRITERION_RELATIVE) return "the criteria are probability, bound, seconds and relative";
        if (reading == READ_CRITERION) take_criterion(settings, criterion);
    } else if (strcmp(key, "order") == 0) {
        int order = find(orders, 3, value);
        if (order < 0) return "the orders are queue, candidates and site";
        if (reading == READ_REST) settings->order = (enum order)order;
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

/* --- Words --- */

/* The next word of "a=1, B ,c=x" without the blanks around it, in lower case up to its "=", cut to what there is room
 * for. False at the end. *length is its whole length. */
static bool next_word(const char **at, char *word, size_t room, size_t *length) {
    const char *from = *at;
    size_t size;
    if (from == NULL) return false;
    from += strspn(from, ", \t\n");
    if (*from == '\0') return false;
    size = strcspn(from, ",");
    *at = from + size;
    while (size > 0 && isspace((unsigned char)from[size - 1])) size--;
    *length = size;
    if (size > room - 1) size = room - 1;
    memcpy(word, from, size);
    word[size] = '\0';
    for (char *letter = word; *letter != '\0' && *letter != '='; letter++) *letter = (char)tolower((unsigned char)*letter);
    return true;
}

static bool is_ours(const char *word) { return strncmp(word, prefix, strlen(prefix)) == 0; }

/* Whether the word begins with something that is the prefix but for two letters added, left out or changed. (The
 * distance of Levenshtein between the prefix and the best beginning of the word.) */
static bool nearly_ours(const char *word) {
    enum { LENGTH = sizeof prefix - 1 };
    int row[LENGTH + 3], best; /* distances between the prefix so far and beginnings of the word */
    int columns = (int)strnlen(word, LENGTH + 2);
    for (int k = 0; k <= columns; k++) row[k] = k;
    for (int i = 1; i <= LENGTH; i++) {
        int diagonal = row[0];
        row[0] = i;
        for (int k = 1; k <= columns; k++) {
            int changed = diagonal + (prefix[i - 1] != word[k - 1]), least = row[k] < row[k - 1] ? row[k] : row[k - 1];
            diagonal = row[k];
            row[k] = changed < least + 1 ? changed : least + 1;
        }
    }
    best = row[0];
    for (int k = 1; k <= columns; k++) best = row[k] < best ? row[k] : best;
    return best <= 2;
}

bool settings_read(struct settings *settings, const char *parameters, char *message, size_t length) {
    struct settings read;
    settings_defaults(&read);
    for (int reading = READ_PRESET; reading < READINGS; reading++) {
        const char *at = parameters;
        char word[128], *value;
        size_t size;
        while (next_word(&at, word, sizeof word, &size)) {
            const char *wrong = NULL;
            value = strchr(word, '=');
            if (is_ours(word)) {
                if (size >= sizeof word) {
                    wrong = "it is too long";
                } else {
                    if (value != NULL) *value = '\0';
                    wrong = read_word(&read, (enum reading)reading, word + strlen(prefix), value == NULL ? NULL : value + 1);
                    if (value != NULL) *value = '=';
                }
            } else if (nearly_ours(word)) {
                wrong = "our parameters begin with surefill_";
            }
            if (wrong != NULL) {
                snprintf(message, length, "SchedulerParameters: %.100s: %s", word, wrong);
                return false;
            }
        }
    }
    read.preset.criterion = read.criterion;
    read.preset.threshold = read.tau;
    read.preset.budget = INFINITY; /* what is left of it is told to every pass */
    read.preset.events_per_bin = read.events;
    take_order(&read.preset, read.order);
    if (read.mode == MODE_SHADOW) read.preset.unmeasured = 0; /* it says what each would delay the head job by */
    memcpy(settings, &read, sizeof read);
    return true;
}

/* sched/backfill's words that other parts of slurmctld look at as well. */
static bool has_effect(const char *word) {
    static const char *const others[] = {"bf_busy_nodes", "bf_window_linear", "bf_licenses", "bf_min_age_reserve",
                                         "bf_min_prio_reserve"};
    size_t length = strcspn(word, "=");
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (strlen(others[i]) == length && strncmp(word, others[i], length) == 0) return true;
    return false;
}

void settings_notes(const char *parameters, void (*note)(void *context, const char *text), void *context) {
    char word[128], idle[200] = "", text[300];
    size_t size, used = 0;
    bool defer = false, loop = true;
    while (next_word(&parameters, word, sizeof word, &size)) {
        defer |= strcmp(word, "defer") == 0;
        if (strcmp(word, "sched_interval=-1") == 0) loop = false;
        if (strncmp(word, "bf_", 3) != 0 || has_effect(word) || used + size + 3 >= sizeof idle) continue;
        used += (size_t)snprintf(idle + used, sizeof idle - used, "%s%s", used > 0 ? ", " : "", word);
    }
    if (used > 0) {
        snprintf(text, sizeof text, "without effect, as they are for sched/backfill alone: %s", idle);
        note(context, text);
    }
    if (loop)
        note(context, "slurmctld's own main loop starts jobs in order of priority as well; sched_interval=-1 turns it off");
    if (!defer)
        note(context, "slurmctld itself starts a job when it is submitted and nobody in its partition comes before it; defer leaves "
             "that to the plugin (and makes slurmctld refuse salloc -I)");
}
