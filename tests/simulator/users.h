/* SPDX-License-Identifier: MIT */
/*
 * Worlds in which the services of a host belong to several users, one of them with two run directories, and ask for the
 * same worker ids, or for some that overlap.
 */
#ifndef SIMULATOR_USERS_H
#define SIMULATOR_USERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "frazil/error.h"

enum { SERVICE_PLACES = 3 };

struct host;
struct process;
struct program;

/* Chooses whose service it is, and its worker ids; writes them as keys of a spec. */
void users_install(struct program *program, const struct host *host, char *settings, size_t size);

/* Makes a process that of the service's user. */
void users_start(struct process *process, const struct program *program);

/* An opening begins; it has this worker; it is refused, which somebody or something must explain. */
void users_ask(const struct program *program);
void users_have(uint32_t worker);
void users_refused(const struct program *program, frazil_err code);

/* The generator is closed. */
void users_let_go(void);

/*
 * Removes what one of the users of whom no process lives has in the host directory, as RemoveIPC= of systemd does.  So
 * many times it looks for a moment when it can; an event (world_at) of the host.
 */
void users_remove_claims(void *host, uint64_t tries);

/* The host's clock will show nothing any more that may have been used by now, as nobody knows that any more. */
void users_forget(struct host *host);

#endif
