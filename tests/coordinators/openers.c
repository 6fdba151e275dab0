/* SPDX-License-Identifier: MIT */
/*
 * openers SPEC LIVES [exit]: a program as others write them, over libfrazil as it is installed.  In each life a process
 * that has loaded no part begins to open generators in threads, and forks meanwhile, wherever they are.  Each child
 * opens one itself, takes ids and closes it, or is told that it was forked in a bad moment.  No id may come twice.
 *
 * With exit, each life has no children and calls exit() meanwhile, wherever its threads are.
 *
 * Prints how many children there were, and how many of them were told so.
 */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include <frazil.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "lib/bound.h"
#include "lib/patience.h"

enum { THREADS = 2, CHILDREN = 20, IDS_EACH = 2, IDS_OF_LIFE = 4000 };
enum { SPREAD_NS = 4000000, EXIT_SPREAD_NS = 80000000, NS_PER_S = 1000000000 };

/* The ends of a process. */
enum { WELL, TOLD, BAD };

/* In memory that the processes of all lives share. */
struct book {
    atomic_size_t count;
    size_t size;
    uint64_t ids[];
};

static struct book *book;
static const char *spec;
static bool exits;
static _Atomic bool stop;

static int bad(const char *what, const frazil_error *why)
{
    fprintf(stderr, "%s: %s: %s\n", what, frazil_err_name((frazil_err)why->code), why->message);
    return BAD;
}

/* One opening as any, of the program's own or of one that it shares with the rest of the process. */
static int open_take_close(const char *who, bool shared)
{
    uint64_t ids[IDS_EACH];
    frazil_error why;
    frazil *gen;

    frazil_err err = shared ? frazil_open_shared(&gen, spec, &why) : frazil_open(&gen, spec, &why);
    if (err == FRAZIL_ESYS && strstr(why.message, "this process was forked while another thread") != NULL)
        return TOLD;
    if (err == FRAZIL_ESYS && exits)
        return TOLD; /* that the process ends */
    if (err != FRAZIL_OK)
        return bad(who, &why);
    err = frazil_take(gen, ids, IDS_EACH, FRAZIL_WAIT_DEFAULT, &why);
    frazil_close(gen);
    if (err != FRAZIL_OK)
        return bad(who, &why);
    size_t at = atomic_fetch_add(&book->count, IDS_EACH);
    for (size_t i = 0; i < IDS_EACH && at + i < book->size; i++)
        book->ids[at + i] = ids[i];
    return WELL;
}

static void *open_and_open(void *ctx)
{
    while (!stop) {
        if (open_take_close("thread", ctx != NULL) != WELL)
            return &stop;
    }
    return NULL;
}

static void pause_somewhat(uint64_t *random, uint64_t spread_ns)
{
    *random = *random * UINT64_C(6364136223846793005) + 1442695040888963407;
    struct timespec at;
    (void)clock_gettime(CLOCK_MONOTONIC, &at);
    at.tv_nsec += (long)((*random >> 33) % spread_ns);
    at.tv_sec += at.tv_nsec / NS_PER_S;
    at.tv_nsec %= NS_PER_S;
    (void)clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL);
}

/* A life: how many of its children were told; -1: something went wrong. */
static int live(uint64_t random)
{
    pthread_t threads[THREADS];
    pid_t children[CHILDREN];
    bool is_good = true;
    int told = 0;

    for (size_t i = 0; i < THREADS; i++)
        is_good = pthread_create(&threads[i], NULL, open_and_open, i == 0 ? NULL : &threads[i]) == 0 && is_good;
    for (size_t i = 0; i < CHILDREN; i++) {
        pause_somewhat(&random, SPREAD_NS);
        children[i] = bound_fork();
        if (children[i] == 0) {
            (void)alarm(PATIENCE_S);
            _exit(open_take_close("child", i % 2 == 1));
        }
    }
    for (size_t i = 0; i < CHILDREN; i++) {
        int status = -1;
        if (waitpid(children[i], &status, 0) != children[i] || !WIFEXITED(status) || WEXITSTATUS(status) == BAD) {
            fprintf(stderr, "child %zu ended with %x\n", i, (unsigned)status);
            is_good = false;
        } else if (WEXITSTATUS(status) == TOLD) {
            told++;
        }
    }
    stop = true;
    for (size_t i = 0; i < THREADS; i++) {
        void *failed = NULL;
        is_good = pthread_join(threads[i], &failed) == 0 && failed == NULL && is_good;
    }
    return is_good ? told : -1;
}

static int live_until_exit(uint64_t random)
{
    pthread_t thread;

    for (size_t i = 0; i < THREADS; i++) {
        if (pthread_create(&thread, NULL, open_and_open, i == 0 ? NULL : &thread) != 0)
            return -1;
    }
    pause_somewhat(&random, EXIT_SPREAD_NS);
    exit(0);
}

/* The same in a process of its own, which has loaded nothing yet. */
static int live_apart(uint64_t random)
{
    int status = -1;
    pid_t life = bound_fork();

    if (life == 0) {
        int told = exits ? live_until_exit(random) : live(random);
        _exit(told < 0 ? 255 : told);
    }
    if (life < 0 || waitpid(life, &status, 0) != life || !WIFEXITED(status) || WEXITSTATUS(status) == 255) {
        fprintf(stderr, "a life ended with %x\n", (unsigned)status);
        return -1;
    }
    return WEXITSTATUS(status);
}

static int order(const void *a, const void *b)
{
    const uint64_t *x = a;
    const uint64_t *y = b;

    return (*x > *y) - (*x < *y);
}

static size_t count_duplicates(void)
{
    size_t n = book->count < book->size ? book->count : book->size;
    size_t duplicates = 0;

    qsort(book->ids, n, sizeof *book->ids, order);
    /* A process may end before it has written its ids down. */
    for (size_t i = 1; i < n; i++)
        duplicates += book->ids[i] != 0 && book->ids[i] == book->ids[i - 1];
    return duplicates;
}

int main(int argc, char **argv)
{
    size_t lives = argc >= 3 ? strtoul(argv[2], NULL, 10) : 0;
    size_t size = lives * IDS_OF_LIFE;
    size_t failed = 0;
    size_t told = 0;

    if (lives == 0)
        return 2;
    spec = argv[1];
    exits = argc > 3;
    book =
        mmap(NULL, sizeof *book + size * sizeof *book->ids, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (book == MAP_FAILED)
        return 2;
    book->size = size;
    for (size_t i = 0; i < lives; i++) {
        int result = live_apart(i + 1);
        failed += result < 0;
        told += result < 0 ? 0 : (size_t)result;
    }
    size_t duplicates = count_duplicates();
    printf("%zu children, %zu told, %zu of %zu ids twice, %zu of %zu lives bad\n", exits ? 0 : lives * CHILDREN, told,
           duplicates, (size_t)book->count, failed, lives);
    return failed == 0 && duplicates == 0 ? 0 : 1;
}
