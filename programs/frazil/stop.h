/* SPDX-License-Identifier: MIT */
/*
 * Stopping in order: a command that holds a worker id gives it back when a signal
 * asks it to end, and then dies by that signal, so that its parent sees it.
 */
#ifndef STOP_H
#define STOP_H

#include <stdbool.h>

/*
 * From now on the first SIGINT, SIGTERM or SIGHUP is noted, and ends the library's
 * waits; any further one ends the process at once.  A signal that is ignored
 * (nohup, a job in the background) stays so.
 */
void stop_watch(void);

/* Whether a signal has asked for the end. */
bool stop_wanted(void);

/* Sleeps until CLOCK_MONOTONIC shows this time in seconds, or until a signal asks for the end. */
void stop_sleep_until(double seconds);

/* CLOCK_MONOTONIC in seconds. */
double stop_seconds_now(void);

/* Lets calls wait again, so that closing takes the time that it needs. */
void stop_allow_waits(void);

/* Ends the process by the signal that asked for it; returns if none has. */
void stop_die(void);

#endif
