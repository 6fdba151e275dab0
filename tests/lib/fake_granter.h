/* SPDX-License-Identifier: MIT */
/*
 * A granter that does as it is told and writes down what it granted, for tests
 * of the keeper.  Its memory is shared over a fork, as a coordinator would be.
 */
#ifndef FRAZIL_TESTS_LIB_FAKE_GRANTER_H
#define FRAZIL_TESTS_LIB_FAKE_GRANTER_H

#include <stdatomic.h>
#include <stdbool.h>

#include "frazil/generator.h"
#include "generator/keeper.h"
#include "lease/granter.h"
#include "lib/rig.h"

enum { FAKE_LOG_SIZE = 4096 };

struct fake_granter {
    /* The usual grant, unless another one is named for the next time. */
    uint32_t worker;
    uint64_t horizon;     /* a grant reaches to now + horizon */
    uint64_t first_floor; /* of the first grant; 0: now */

    /* The next call. */
    _Atomic frazil_err fails; /* each call does, with this code */
    uint64_t retry_ns;        /* and says when to try again; 0: nothing */
    bool next_is_given;       /* the next grant is `next`, whatever the time */
    struct fz_grant next;
    _Atomic bool holds; /* a call to extend is held up inside until this is false */
    uint64_t takes_ns;  /* that a call to extend takes, by the rig's clock */
    frazil_manual_clock *clock;

    /* The calls up to now. */
    _Atomic unsigned acquired;
    _Atomic unsigned extended; /* calls, also those that failed */
    _Atomic unsigned released;
    _Atomic unsigned closed;
    _Atomic unsigned forks;
    _Atomic uint64_t used_tick;   /* as it was told by release */
    _Atomic uint64_t deadline_ns; /* of the last call */
    _Atomic unsigned overlaps;    /* calls while another one was inside */
    _Atomic bool inside;

    /* Every grant there was, recorded before anybody was told of it. */
    struct fz_grant log[FAKE_LOG_SIZE];
    _Atomic unsigned log_count;
};

/* One that grants that worker as far as now + horizon ticks.  Never NULL. */
struct fake_granter *fake_granter_new(uint32_t worker, uint64_t horizon);

/* Frees it, after the generator. */
void fake_granter_free(struct fake_granter *fake);

/* Closes the generator, of which it was, and frees it.  Fails the test if it was not closed once, or entered twice at a
 * time. */
void fake_granter_end(struct fake_granter *fake, struct rig *rig);

/* Puts it behind a generator that was opened with state=memory.  Fails the test if that does not succeed. */
void fake_granter_install(struct fake_granter *fake, frazil *gen, enum fz_keeper_mode mode);

/* Opens a generator at RIG_NOW with one of its own behind it. */
struct fake_granter *fake_granter_open(struct rig *rig, const char *spec, uint32_t worker, uint64_t horizon,
                                       enum fz_keeper_mode mode);

/* Names the next grant: that worker from floor to until. */
void fake_granter_say(struct fake_granter *fake, uint32_t worker, uint64_t floor, uint64_t until);

/* The latest grant. */
struct fz_grant fake_granter_last(const struct fake_granter *fake);

/* Whether that tick of that worker was ever granted. */
bool fake_granter_covers(const struct fake_granter *fake, uint32_t worker, uint64_t tick);

#endif
