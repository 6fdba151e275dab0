/* SPDX-License-Identifier: MIT */
/*
 * The daemon's life: it starts, serves, reloads, drains and ends.
 */
#ifndef FRAZILD_DAEMON_H
#define FRAZILD_DAEMON_H

/* Runs it with the configuration at path (NULL: the default one) until a signal ends it.  Returns the exit status. */
int daemon_run(const char *path);

#endif
