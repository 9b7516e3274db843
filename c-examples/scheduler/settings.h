/* What the site asks of the plugin: the surefill_ words of SchedulerParameters. */
#ifndef SETTINGS_H
#define SETTINGS_H

#include <stdbool.h>
#include "beliefs.h"

#include <stddef.h>
#include <stdint.h>

enum mode {
    MODE_ON,     /* decides by probability */
    MODE_SHADOW, /* decides by probability and by limits, starts what limits allow, reports the difference */
    MODE_LIMITS  /* EASY: believes in time limits alone */
};

enum order {
    ORDER_QUEUE,      /* the preset's orders of the queue and of the candidates, among jobs of one rank */
    ORDER_CANDIDATES, /* that of the candidates alone */
    ORDER_SITE        /* neither */
};

struct settings {
    enum mode mode;
    enum order order;
    enum predictor predictor; /* looked at when the beliefs are made */
    int32_t name;           /* of the preset: one of SUREFILL_PRESET_ */
    bool own_rule;          /* a criterion has been given: the rest of the preset's rule does not count */
    surefill_preset preset; /* with what has been given in the place of its own values */
    int32_t criterion;      /* the preset's, one of SUREFILL_CRITERION_ */
    double tau;        /* the preset's: a candidate is started when its delay of the head job is strictly below this */
    double budget;     /* the preset's: what the delays of all candidates may add up to for one head job */
    double interval;   /* seconds between cycles */
    double save;       /* seconds between two saves of the state */
    double locked;     /* seconds for which the resource manager's locks may be held at a time, where there are any */
    int32_t depth;     /* candidates judged in one cycle and pool */
    int32_t events;    /* the preset's: events into which the probability of a bin is divided */
};

void settings_defaults(struct settings *settings);

/* Reads SchedulerParameters ("a=1, b,c=x"; NULL is empty), of which only words that begin with surefill_ concern us, in
 * small or capital letters. On a word it does not know, a value it cannot use, or a word that nearly begins so, it says
 * which in message, leaves settings alone and returns false. */
bool settings_read(struct settings *settings, const char *parameters, char *message, size_t length);

/* For the plugin: what an administrator should know of the other words of SchedulerParameters. note is called with
 * context and the text of each note. */
void settings_notes(const char *parameters, void (*note)(void *context, const char *text), void *context);

const char *settings_mode_name(enum mode mode);
const char *settings_order_name(enum order order);
const char *settings_predictor_name(enum predictor predictor);
/* The preset's name, or "own rule". */
const char *settings_rule_name(const struct settings *settings);
/* By what candidates are judged, for a log, in length bytes: "relative below 0.3", or "by the time limits alone". */
void settings_threshold(const struct settings *settings, char *text, size_t length);

#endif
