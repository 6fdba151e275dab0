/* SPDX-License-Identifier: MIT */
/*
 * The generators that the daemon serves, by name.  Each is opened once and shared by all threads, so that its ids keep
 * their order over all connections.
 */
#ifndef FRAZILD_GENERATORS_H
#define FRAZILD_GENERATORS_H

#include <frazil.h>

#include "log.h"
#include "rate.h"
#include "settings.h"
#include "take_thread.h"

enum { WORKER_SIZE = 32 };

/* The state of an engine that the monitor logged last. */
struct seen {
    uint64_t failures; /* in a row */
    uint64_t reason;   /* of the last one */
    uint64_t told_ns;  /* when the log got that */
    int32_t state;     /* a frazil_health_state */
    uint32_t worker;
    struct log_limit limit;
};

/* An open generator, of one worker id.  It outlives a reload, and is held by each set and each request that needs it.
 */
struct engine {
    frazil *gen;
    struct take_thread *taker; /* takes the ids, as a coordinator gives each (state=URL); NULL: event threads do */
    frazil_layout layout;
    bool is_sno;
    bool is_strict;   /* on_full=error: no call waits for a tick, so all ids of a request come from one */
    uint64_t lead_ns; /* max_lead; UINT64_MAX: unlimited */
    char name[NAME_MAX_LEN + 1];
    char worker[WORKER_SIZE]; /* what its spec means for that key; empty if it is a URL */
    struct spec meaning;      /* a reload cannot change it; none in all but the first */
    struct engine *next;      /* the same by another worker id; this one holds it */
    atomic_uint holders;
    _Atomic uint64_t ids;     /* that clients got */
    _Atomic uint64_t waiting; /* requests that wait for ids now */
    struct seen seen;
};

/* The offer to clients: an engine, or several in a row, with the limits of one configuration. */
struct generator {
    struct engine *engine;
    const char *name;
    char *keys; /* patterns of INCR's keys */
    uint32_t max_batch;
    struct rate rate; /* of all clients together */
};

/* A set of generators, in the order of their names. */
struct generators {
    struct generator *rows;
    size_t count;
};

/* Looks for a pattern of keys= that two generators have, or that is the name of another; each is added to errors. */
void generators_check_keys(const struct settings *settings, struct bytes *errors);

/*
 * Notes which generators are in use: they are open (before, which may be NULL), and mean the same, so that a reload
 * does not touch them.  Looks at the URLs of the others, and at the files that these name.  What is wrong is added to
 * errors, and not understood then.
 */
void generators_check_urls(struct settings *settings, const struct generators *before, struct bytes *errors);

/* Looks for two generators whose layouts differ only in how they divide the bits below the time; warns of each. */
void generators_look_at_layouts(const struct settings *settings, struct bytes *warnings);

/* Lets a set go; the engines that nobody else holds are closed, each within wait_ns. */
void generators_close(struct generators *set, uint64_t wait_ns);

/* Holds an engine once more, or lets it go: the last one to do so closes it within wait_ns.  Any thread. */
void engine_hold(struct engine *engine);
void engine_release(struct engine *engine, uint64_t wait_ns);

/* How many engines, thus worker ids, a generator has; what clients got of all, and how many wait for one of them. */
uint32_t generator_worker_ids(const struct generator *generator);
uint64_t generator_ids(const struct generator *generator);
uint64_t generator_waiting(const struct generator *generator);

/* The engine of a generator that is worst off. */
const struct engine *generator_worst(const struct generator *generator);

/* Its health, to which a coordinator belongs that gives each id.  why (may be NULL) is set if last_code is an error. */
void engine_health(const struct engine *engine, frazil_health *ret, frazil_error *why);

/* Whether another process is to extend its grant (keeper=other). */
bool is_kept_elsewhere(const frazil_health *health);

/* The generator of that name; NULL: there is none. */
struct generator *generators_find(const struct generators *set, struct slice name);

/* The generator for a client that names none: `main`, or the only one; NULL: there is neither. */
struct generator *generators_default(const struct generators *set);

/*
 * The generator for a key of INCR: by name, else by the longest pattern that fits, of equally long ones that of the
 * first generator.  NULL: none.
 */
struct generator *generators_by_key(const struct generators *set, struct slice key);

/* Whether a pattern fits a text: * stands for any characters. */
bool pattern_fits(struct slice pattern, struct slice text);

#endif
