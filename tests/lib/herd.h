/* SPDX-License-Identifier: MIT */
/*
 * A herd of real processes, each with a generator of its own, which take ids as
 * long as they are let, and are stopped, continued and killed by the test.
 *
 * The test watches a process through memory that they share: its
 * ids in the order in which it took them, and its errors.  Nothing of that is lost
 * when it is killed.
 */
#ifndef TESTS_LIB_HERD_H
#define TESTS_LIB_HERD_H

#include <stdatomic.h>
#include <sys/types.h>

#include "frazil.h"

/* Shared by the test and one process. */
struct herd_member {
    pid_t pid; /* 0: not started, or ended */
    _Atomic uint64_t ids;
    _Atomic uint64_t errors;
    _Atomic int last_error;  /* of the last call: FRAZIL_OK if it gave an id */
    _Atomic int open_result; /* of frazil_open; 1: still at it */
    _Atomic uint32_t worker;
    _Atomic uint64_t moves;
    uint64_t burned; /* swaps without an answer, or answered after losses; known when it has finished */
    _Atomic bool stop;
    uint64_t first;     /* where its ids stand in herd.ids */
    uint64_t room;      /* how many fit; when it has taken so many it goes on with nothing but waiting to be stopped */
    frazil_error error; /* of the last call that failed; stable while the process is stopped or ended */
};

struct herd {
    const frazil_coordinator *const *coordinators;
    _Atomic int64_t
        *offset_ms; /* how far the clock of all of them is ahead of the real one; NULL: it is the real one */
    struct herd_member *members;
    size_t count; /* started up to now */
    size_t size;
    uint64_t *ids;
    uint64_t ids_used;
    uint64_t ids_size;
};

/* Room for `size` processes, one after the other or at the same time, and for `ids` ids of all of them together. */
void herd_open(struct herd *herd, size_t size, uint64_t ids, const frazil_coordinator *const *coordinators);

/* Gives those that are started from now on a clock that herd_set_clock can set, by so much ahead of the real one. */
void herd_use_clock(struct herd *herd);
void herd_set_clock(struct herd *herd, int64_t offset_ms);

/* Kills what is left, and frees. */
void herd_close(struct herd *herd);

/* Starts one, which takes an id every pause_us microseconds, `room` at the most; returns its index. */
size_t herd_start(struct herd *herd, const char *spec, uint64_t room, unsigned pause_us);

/* Waits until it is open; returns what frazil_open returned. */
frazil_err herd_await_open(struct herd *herd, size_t i);

/* Waits until it has taken n more ids than now; fails the test, with its last error, if it never does. */
void herd_await_ids(struct herd *herd, size_t i, uint64_t n);

/* Waits until its last call fails with this code and these words; fails the test if it never does. */
void herd_await_error(struct herd *herd, size_t i, frazil_err code, const char *words);

/* Stops it, as SIGSTOP does, and waits until it stands; lets it go on. */
void herd_pause(struct herd *herd, size_t i);
void herd_resume(struct herd *herd, size_t i);

/* Ends it as kill -9 does. */
void herd_kill(struct herd *herd, size_t i);

/* Lets it close its generator and exit; fails the test if it does not exit well. */
void herd_finish(struct herd *herd, size_t i);

/* Fails the test if any id was taken twice, by whomever. */
void herd_assert_unique(const struct herd *herd);

/* Fails the test unless its ids increase in the order in which it took them. */
void herd_assert_increasing(const struct herd *herd, size_t i);

#endif
