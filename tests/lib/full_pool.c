/* SPDX-License-Identifier: MIT */
#include "lib/full_pool.h"

#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/asserts.h"
#include "lib/bound.h"
#include "lib/callers.h"
#include "lib/patience.h"
#include "os/clock.h"

#define MS UINT64_C(1000000)

enum { CROWD = 30, HOLDS_MS = 100, SPEC_SIZE = 2048, WAIT_MS = 1000, LAST_LOOK_MS = 50 };

static frazil_err try_open(frazil **ret, const char *spec, const char *open_wait, const struct ports *ports,
                           frazil_error *reterr)
{
    char whole[SPEC_SIZE];

    snprintf(whole, sizeof whole, "%s open_wait=%s", spec, open_wait);
    return ports_open(ret, whole, ports, reterr);
}

static frazil *must_open(const char *spec, const struct ports *ports)
{
    frazil_error err;
    frazil *gen;

    if (try_open(&gen, spec, "5m", ports, &err) != FRAZIL_OK)
        fail_msg("%s", err.message);
    return gen;
}

/* In a child: has a worker id for so long, as soon as the pipe says so. */
static int have_one(int go, const char *spec, const char *open_wait, const struct ports *ports)
{
    frazil_error err;
    frazil *gen;
    uint64_t id;
    char byte;

    if (read(go, &byte, 1) < 0)
        return 1;
    if (try_open(&gen, spec, open_wait, ports, &err) != FRAZIL_OK ||
        frazil_take(gen, &id, 1, FRAZIL_WAIT_DEFAULT, &err) != FRAZIL_OK) {
        (void)fprintf(stderr, "%s\n", err.message);
        return 2;
    }
    pause_ns(HOLDS_MS * MS);
    frazil_close(gen);
    return 0;
}

/* It was forked before anything is open: a child would have a copy of it, and keep its worker id. */
static pid_t start(const int go[2], const char *spec, const char *open_wait, const struct ports *ports)
{
    pid_t child = bound_fork();

    assert_true(child >= 0);
    if (child == 0) {
        close(go[1]);
        _exit(have_one(go[0], spec, open_wait, ports));
    }
    return child;
}

static void finish(pid_t child)
{
    int status;

    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

void full_pool_lets_in(const char *holder, const char *waiter, const struct ports *ports)
{
    int go[2];

    assert_int_equal(pipe(go), 0);
    pid_t child = start(go, waiter, "5m", ports);
    close(go[0]);
    frazil *gen = must_open(holder, ports);
    close(go[1]);
    pause_ns(WAIT_MS * MS);
    assert_int_equal(waitpid(child, NULL, WNOHANG), 0);
    frazil_close(gen);
    finish(child);
}

void full_pool_refuses_at_the_end(const char *holder, const char *waiter, const struct ports *ports, const char *words,
                                  uint64_t *ret_retry_ns)
{
    frazil_error err;
    frazil *none;

    frazil *gen = must_open(holder, ports);
    uint64_t begun_ns = fz_real_monotonic_ns();
    assert_int_equal(try_open(&none, waiter, "1s", ports, &err), FRAZIL_EPOOL);
    assert_in_range(fz_real_monotonic_ns() - begun_ns, (WAIT_MS - LAST_LOOK_MS) * MS, PATIENCE_S * 1000 * MS);
    if (strstr(err.message, words) == NULL)
        fail_msg("'%s' is not in: %s", words, err.message);
    *ret_retry_ns = err.retry_ns;
    frazil_close(gen);
}

void full_pool_serves_a_crowd(const char *spec, const struct ports *ports)
{
    pid_t children[CROWD];
    int go[2];

    assert_int_equal(pipe(go), 0);
    for (int i = 0; i < CROWD; i++)
        children[i] = start(go, spec, "5m", ports);
    close(go[0]);
    close(go[1]);
    for (int i = 0; i < CROWD; i++)
        finish(children[i]);
}
