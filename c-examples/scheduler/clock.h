/* A clock that is never set. */
#ifndef CLOCK_H
#define CLOCK_H

/* Seconds since some time in the past. */
double clock_seconds(void);

#endif
