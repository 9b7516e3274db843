#define _POSIX_C_SOURCE 200809L
#include "daemon.h"

#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <time.h>

enum { MESSAGE = 300 };

static volatile sig_atomic_t stopping;

void say(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    printf("%lld ", (long long)time(NULL));
    vprintf(format, arguments);
    putchar('\n');
    fflush(stdout);
    va_end(arguments);
}

static void stop(int signal) {
    (void)signal;
    stopping = 1;
}

void stop_on_signals(void) {
    struct sigaction action = {.sa_handler = stop};
    sigaction(SIGTERM, &action, NULL);
    sigaction(SIGINT, &action, NULL);
}

bool asked_to_stop(void) { return stopping != 0; }

void sleep_seconds(double seconds) {
    struct timespec pause = {.tv_sec = (time_t)seconds};
    pause.tv_nsec = (long)(1e9 * (seconds - (double)pause.tv_sec));
    if (!stopping) nanosleep(&pause, NULL);
}

bool remember(const char *state_file, struct engine *engine) {
    surefill_totals totals = {.struct_size = sizeof totals};
    char message[MESSAGE];
    enum engine_opened opened = ENGINE_NEW;
    if (state_file != NULL) opened = engine_open(engine, state_file, message, sizeof message);
    if (opened == ENGINE_NEW) return true;
    if (opened == ENGINE_OPENED && surefill_scheduler_totals(engine->scheduler, &totals) == SUREFILL_OK)
        snprintf(message, sizeof message, "%s: learnt from %lld jobs", state_file, (long long)totals.ended);
    say("%s", message);
    return opened != ENGINE_FAILED;
}

void keep(const char *state_file, struct engine *engine) {
    char message[MESSAGE];
    if (state_file != NULL && !engine_save(engine, state_file, message, sizeof message))
        say("state not saved: %s", message);
}
