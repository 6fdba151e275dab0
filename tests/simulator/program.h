/* SPDX-License-Identifier: MIT */
/* The programs of the simulated processes. */
#ifndef SIMULATOR_PROGRAM_H
#define SIMULATOR_PROGRAM_H

#include <stdbool.h>
#include <stdint.h>

#include "generator/keeper.h"

/* Ids that are taken in one call, at the most. */
enum { PROGRAM_BATCH_MAX = 48 };

enum { PROGRAM_SPEC_SIZE = 896 };

/* A service that issues ids, as it was installed on a host. */
struct program {
    char settings[640]; /* all of the spec but the layout, which each opening says in its own way */
    enum fz_keeper_mode keeper;
    unsigned threads; /* that take ids, besides the first */
    bool uses_handles;
    bool forks;
    unsigned number; /* of the service on its host */

    /* Of the worlds with several users. */
    unsigned run_dir;
    unsigned state_dir;
    uint32_t first_worker; /* of those it asks for */
    uint32_t workers;
    bool locks; /* worker=file-lock, not fixed */
};

/* Installs the services of a host with the worker (of hosts that have their own). */
struct host;
void program_install(struct host *host, uint32_t worker);

/* Writes the spec for one opening. */
void program_spec(const struct program *program, char ret[PROGRAM_SPEC_SIZE]);

/* Opens a generator for a process of the program; NULL: it is refused, for a reason that may be. */
struct frazil *program_open(const struct program *program);

/* Starts whoever creates the namespace once, and does nothing else. */
void program_start_founder(struct host *host);

/* Starts a service that is installed there. */
void program_start(struct host *host, unsigned number);

/* Starts whoever creates the namespace, and frees workers by hand. */
void program_start_operator(struct host *host);

/* Starts one that asks for what must be refused: another layout in the same namespace, or worker ids outside. */
void program_start_stranger(struct host *host);

#endif
