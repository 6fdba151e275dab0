/* SPDX-License-Identifier: MIT */
/*
 * The compiler includes this file before each file of the library's rooms, for the
 * memory model.  So their sources need no hook: atomic operations go to model.h, with
 * the place where they stand, and a thread that waits lets others go on.
 */
#ifndef MEMORY_MODEL_STAND_IN_H
#define MEMORY_MODEL_STAND_IN_H

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <time.h>

#include "../../lib/uncancelled.h"
#include "model.h"

/* As few as will do: an entry of two is used again before a slow reader has forgotten it. */
#define FZ_GRANT_ENTRIES 2
#define FZ_GRANT_PARTS 7
#define FZ_SHARED_MESSAGE_WORDS 2
#define FZ_EVENTS_KEPT 1

#define MODEL_SITE(p, kind, memory_order)                                                                              \
    (&(const struct model_site){.function = __func__,                                                                  \
                                .operand = #p,                                                                         \
                                .file = __FILE__,                                                                      \
                                .line = __LINE__,                                                                      \
                                .operation = (kind),                                                                   \
                                .order = (enum model_order)(memory_order)})
/* The value of the atomic at p. */
#define MODEL_TYPE(p) __typeof__(*(p) + 0)
/* Pointers and numbers to 64 bits and back. */
#define MODEL_IN(p, value) ((uint64_t)(MODEL_TYPE(p))(value))
#define MODEL_OUT(p, value) ((MODEL_TYPE(p))(value))

#undef atomic_load_explicit
#undef atomic_store_explicit
#undef atomic_exchange_explicit
#undef atomic_fetch_add_explicit
#undef atomic_fetch_sub_explicit
#undef atomic_compare_exchange_strong_explicit
#undef atomic_compare_exchange_weak_explicit
#define atomic_load_explicit(p, order) MODEL_OUT(p, model_load(p, sizeof *(p), MODEL_SITE(p, MODEL_LOAD, order)))
#define atomic_store_explicit(p, value, order)                                                                         \
    model_store(p, sizeof *(p), MODEL_IN(p, value), MODEL_SITE(p, MODEL_STORE, order))
#define atomic_exchange_explicit(p, value, order)                                                                      \
    MODEL_OUT(p, model_exchange(p, sizeof *(p), MODEL_IN(p, value), MODEL_SITE(p, MODEL_EXCHANGE, order)))
#define atomic_fetch_add_explicit(p, value, order)                                                                     \
    MODEL_OUT(p, model_add(p, sizeof *(p), MODEL_IN(p, value), MODEL_SITE(p, MODEL_ADD, order)))
#define atomic_fetch_sub_explicit(p, value, order)                                                                     \
    MODEL_OUT(p, model_add(p, sizeof *(p), 0 - MODEL_IN(p, value), MODEL_SITE(p, MODEL_ADD, order)))
#define atomic_compare_exchange_strong_explicit(p, expected, desired, success, failure)                                \
    model_swap(p, sizeof *(p), expected, MODEL_IN(p, desired), false, MODEL_SITE(p, MODEL_SWAP, success))
#define atomic_compare_exchange_weak_explicit(p, expected, desired, success, failure)                                  \
    model_swap(p, sizeof *(p), expected, MODEL_IN(p, desired), true, MODEL_SITE(p, MODEL_SWAP, success))

/* Between processes time decides who extends the grant, between threads it does not. */
#define clock_gettime(clock, now) (*(now) = (struct timespec){.tv_sec = 1}, 0)
#define clock_nanosleep(clock, flags, pause, left) ((void)(pause), model_pause())
#define sched_yield() model_pause()

#endif
