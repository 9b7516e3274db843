/* The parts with which both programs here run until they are stopped: messages, signals, files of what was learnt. */
#ifndef DAEMON_H
#define DAEMON_H

#include "engine.h"

/* Prints a line with the time in front. */
void say(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* From now on SIGTERM and SIGINT ask the program to stop. */
void stop_on_signals(void);
bool asked_to_stop(void);

/* Sleeps until the next cycle; a signal ends it. */
void sleep_seconds(double seconds);

/* Goes on from the state file, where one is named, and says so; one that is not the engine's is set aside. False when
 * it is there and cannot be read: what was learnt is not to be lost for that. */
bool remember(const char *state_file, struct engine *engine);

/* Saves what was learnt, where a file is named, and says when that fails. */
void keep(const char *state_file, struct engine *engine);

#endif
