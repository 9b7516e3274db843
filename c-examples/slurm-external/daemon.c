#define _POSIX_C_SOURCE 200809L
#include "daemon.h"

#include <errno.h>
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

bool remember(const char *state_file, struct beliefs *beliefs, struct books *books) {
    char message[MESSAGE];
    if (state_file == NULL) return true;
    if (state_load(state_file, beliefs, books, message, sizeof message))
        say("%s: learnt from %.0f jobs", state_file, beliefs_jobs(beliefs));
    else if (errno == ENOMEM) {
        fprintf(stderr, "%s\n", message);
        return false;
    } else if (message[0] != '\0')
        say("%s: refused, starting without what was learnt", message);
    return true;
}

void keep(const char *state_file, const struct beliefs *beliefs, const struct books *books, struct state_mark *saved) {
    char message[MESSAGE];
    if (state_file != NULL && !state_save_changes(state_file, beliefs, books, saved, message, sizeof message))
        say("state not saved: %s", message);
}
