/* SPDX-License-Identifier: MIT */
/*
 * A setup: the settings, and what was opened for them.  A reload makes a new one; each thread goes over to it between
 * two iterations, and the last one lets the old one go.
 */
#ifndef FRAZILD_SETUP_H
#define FRAZILD_SETUP_H

#include "generators.h"
#include "opening.h"
#include "page.h"
#include "settings.h"
#include "tls.h"
#include "users.h"

struct setup {
    struct settings settings;
    struct generators generators;
    struct users users;
    struct tls *tls[PROTOCOL_COUNT]; /* NULL: no listener of that protocol, or none with TLS */
    struct page *page;               /* for browsers; NULL: there is none */
    bool is_reached[PROTOCOL_COUNT]; /* by other hosts, at a socket of the service manager; kept by reloads */
    struct bytes warnings;           /* lines as those of errors, for the operator to know */
    atomic_uint holders;
};

/*
 * Makes a setup from a file (NULL: the default one), sharing the engines of `before`, which may be NULL.  Returns NULL
 * if that fails, and adds what is wrong to errors: also a change that needs a restart.  Warnings go to the log.
 */
struct setup *setup_make(const char *path, const struct setup *before, struct opening *opening, struct bytes *errors);

/* Looks at the files alone, and opens nothing.  Returns whether they are right; if so, out has them in full. */
bool setup_check(const char *path, struct bytes *out, struct bytes *warnings, struct bytes *errors);

/* Writes each of the errors as a line of the log, and frees them. */
void setup_log_errors(struct bytes *errors);

/* Holds a setup once more, or releases it.  The last holder waits at most 5 s, or wait_ns, for coordinators. */
void setup_hold(struct setup *setup);
void setup_release(struct setup *setup);
void setup_release_within(struct setup *setup, uint64_t wait_ns);

#endif
