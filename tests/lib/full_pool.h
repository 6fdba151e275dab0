/* SPDX-License-Identifier: MIT */
/*
 * Openings over a full pool, whoever gives their worker ids: one suite for coordinators and file-lock.
 * Specs say nothing of open_wait, and their pool is free when a function is called and when it returns.  Coordinators
 * as in struct ports.
 */
#ifndef TESTS_LIB_FULL_POOL_H
#define TESTS_LIB_FULL_POOL_H

#include "lib/ports.h"

/* A process waits with waiter's spec for the only worker id, which another one has with holder's until it closes. */
void full_pool_lets_in(const char *holder, const char *waiter, const struct ports *ports);

/* Nobody closes: FRAZIL_EPOOL at the end of open_wait, with these words.  *ret_retry_ns is what the error says. */
void full_pool_refuses_at_the_end(const char *holder, const char *waiter, const struct ports *ports, const char *words,
                                  uint64_t *ret_retry_ns);

/* Thirty processes, each of which has one of three worker ids for 100 ms: all get one. */
void full_pool_serves_a_crowd(const char *spec, const struct ports *ports);

#endif
