/* SPDX-License-Identifier: MIT */
/*
 * The compiler includes this file before each file of the library's rooms, for the
 * simulator.  So their sources need no hook: memory, threads, locks and process numbers
 * are those of a simulated process.  At each atomic operation the simulator may stop the
 * thread and let others go on.
 */
#ifndef SIMULATOR_STAND_IN_H
#define SIMULATOR_STAND_IN_H

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "../../lib/uncancelled.h"

/*
 * Worlds have pools of 1 to 14 worker ids, and samples so small that most of these are looked at in part first.  Fleets
 * have the library's samples.
 */
#define FZ_SMALL_POOL 3
#define FZ_SAMPLES(ROW) ROW(14, {2, 1}, {1, 2}) FZ_SAMPLES_OF_LARGE(ROW)

/* See libc.h. */
void sim_step(void);
int sim_weak_fails(void);
void *sim_malloc(size_t size);
void *sim_calloc(size_t n, size_t size);
void *sim_aligned_alloc(size_t alignment, size_t size);
void *sim_realloc(void *block, size_t size);
void sim_free(void *block);
char *sim_strdup(const char *text);
char *sim_strndup(const char *text, size_t len);
pid_t sim_getpid(void);
int sim_clock_gettime(clockid_t id, struct timespec *ret);
int sim_clock_nanosleep(clockid_t id, int flags, const struct timespec *pause, struct timespec *ret_left);
int sim_mutex_init(pthread_mutex_t *mutex, const pthread_mutexattr_t *attributes);
int sim_mutex_lock(pthread_mutex_t *mutex);
int sim_mutex_unlock(pthread_mutex_t *mutex);
int sim_mutex_destroy(pthread_mutex_t *mutex);
int sim_cond_init(pthread_cond_t *cond, const pthread_condattr_t *attributes);
int sim_cond_signal(pthread_cond_t *cond);
int sim_cond_wait(pthread_cond_t *cond, pthread_mutex_t *mutex);
int sim_cond_timedwait(pthread_cond_t *cond, pthread_mutex_t *mutex, const struct timespec *until);
int sim_cond_destroy(pthread_cond_t *cond);
int sim_thread_create(pthread_t *ret, const pthread_attr_t *attributes, void *(*run)(void *), void *arg);
pthread_t sim_thread_self(void);
int sim_thread_join(pthread_t thread, void **ret);
int sim_sigmask(int how, const sigset_t *set, sigset_t *ret);

#define malloc sim_malloc
#define calloc sim_calloc
#define aligned_alloc sim_aligned_alloc
#define realloc sim_realloc
#define free sim_free
#undef strdup /* a macro where libc has one */
#undef strndup
#define strdup sim_strdup
#define strndup sim_strndup
#define getpid sim_getpid
#define clock_gettime sim_clock_gettime
#define clock_nanosleep sim_clock_nanosleep
#define pthread_mutex_init sim_mutex_init
#define pthread_mutex_lock sim_mutex_lock
#define pthread_mutex_unlock sim_mutex_unlock
#define pthread_mutex_destroy sim_mutex_destroy
#define pthread_cond_init sim_cond_init
#define pthread_cond_signal sim_cond_signal
#define pthread_cond_broadcast sim_cond_signal /* which wakes all who wait */
#define pthread_cond_wait sim_cond_wait
#define pthread_cond_timedwait sim_cond_timedwait
#define pthread_cond_destroy sim_cond_destroy
#define pthread_create sim_thread_create
#define pthread_self sim_thread_self
#define pthread_join sim_thread_join
#define pthread_sigmask sim_sigmask

/*
 * One thread runs at a time, so an atomic operation needs no more than to be one
 * expression.  A weak compare-and-swap also fails where nobody was faster, as some
 * processors have it.
 */
#undef atomic_init
#undef atomic_load_explicit
#undef atomic_store_explicit
#undef atomic_exchange_explicit
#undef atomic_fetch_add_explicit
#undef atomic_compare_exchange_strong_explicit
#undef atomic_compare_exchange_weak_explicit
#ifdef __clang__
#define SIM_ATOMIC(operation) __c11_atomic_##operation
#define SIM_ATOMIC_CAS(p, expected, desired, success, failure)                                                         \
    __c11_atomic_compare_exchange_strong(p, expected, desired, success, failure)
#else
#define SIM_ATOMIC(operation) __atomic_##operation##_n
#define SIM_ATOMIC_CAS(p, expected, desired, success, failure)                                                         \
    __atomic_compare_exchange_n(p, expected, desired, 0, success, failure)
#define __atomic_fetch_add_n __atomic_fetch_add
#endif
/* No step: gcc would make a store of it, and clang would not. */
#define atomic_init(p, value) ((void)(*(p) = (value)))
#define atomic_load_explicit(p, order) (sim_step(), SIM_ATOMIC(load)(p, order))
#define atomic_store_explicit(p, value, order) (sim_step(), SIM_ATOMIC(store)(p, value, order))
#define atomic_exchange_explicit(p, value, order) (sim_step(), SIM_ATOMIC(exchange)(p, value, order))
#define atomic_fetch_add_explicit(p, value, order) (sim_step(), SIM_ATOMIC(fetch_add)(p, value, order))
#define atomic_compare_exchange_strong_explicit(p, expected, desired, success, failure)                                \
    (sim_step(), SIM_ATOMIC_CAS(p, expected, desired, success, failure))
#define atomic_compare_exchange_weak_explicit(p, expected, desired, success, failure)                                  \
    (sim_step(), sim_weak_fails() ? (*(expected) = SIM_ATOMIC(load)(p, failure), 0)                                    \
                                  : SIM_ATOMIC_CAS(p, expected, desired, success, failure))

#endif
