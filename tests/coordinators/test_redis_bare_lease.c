/* SPDX-License-Identifier: MIT */
/*
 * Goal of this test: bare worker ids over a real Redis: one process has a number at a time, also when its owner is
 * killed; and sfid's key is taken, and freed, as sfid::allocate does.
 */
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/bound.h"
#include "lib/new_namespace.h"
#include "lib/patience.h"
#include "lib/ports.h"
#include "lib/redis_server.h"
#include "lib/test.h"
#include "os/clock.h"

enum { HORIZON_MS = 60000 };

static struct server server;
static char spec[256];
static const frazil_coordinator *coordinators[2];

/* A namespace with one worker id, in a new server. */
BEFORE_ALL
{
    test_need(redis_server_installed());
}

BEFORE_EACH
{
    char url[128];

    coordinators[0] = frazil_coordinator_redis();
    redis_server_start(&server, NULL);
    snprintf(url, sizeof url, "redis://127.0.0.1:%u/orders?timeout=60s", (unsigned)server.port);
    new_namespace(coordinators[0], url, "frazil", 1, HORIZON_MS);
    snprintf(spec, sizeof spec, "worker=%s max_wait=0ms", url);
}

AFTER_EACH
{
    server_stop(&server);
}

static const struct ports ports = {.coordinators = coordinators};

static frazil_err try_open(frazil_lease **ret, frazil_error *reterr)
{
    return ports_lease_open(ret, spec, &ports, reterr);
}

static frazil_lease *must_open(void)
{
    frazil_lease *lease;
    frazil_error err;

    if (try_open(&lease, &err) != FRAZIL_OK)
        fail_msg("%s: %s", spec, err.message);
    return lease;
}

/* Nobody has the number but its owner.  An opening waits for a number as long as it may. */
static void assert_refused(frazil_err code)
{
    frazil_lease *lease = NULL;
    frazil_error err = {.code = FRAZIL_OK};
    char impatient[sizeof spec + 16];

    snprintf(impatient, sizeof impatient, "%s open_wait=1s", spec);
    if (ports_lease_open(&lease, impatient, &ports, &err) != code)
        fail_msg("%s", err.message);
    assert_null(lease);
}

/* A process that leases the number, says so, and waits to be killed. */
static pid_t start_owner(void)
{
    int ready[2];
    char byte = 'n';

    assert_int_equal(pipe(ready), 0);
    pid_t owner = bound_fork();
    assert_true(owner >= 0);
    if (owner == 0) {
        frazil_lease *lease;
        byte = try_open(&lease, NULL) == FRAZIL_OK ? 'y' : 'n';
        ssize_t written = write(ready[1], &byte, 1);
        (void)written;
        alarm(PATIENCE_S); /* it does not outlive a test that failed */
        for (;;)
            pause();
    }
    close(ready[1]);
    assert_int_equal(read(ready[0], &byte, 1), 1);
    assert_int_equal(byte, 'y');
    close(ready[0]);
    return owner;
}

TEST("The number is the owner's while it lives, and after it was killed until the end of its lease: nobody guesses")
{
    pid_t owner = start_owner();
    assert_refused(FRAZIL_EPOOL);
    assert_int_equal(kill(owner, SIGKILL), 0);
    assert_int_equal(waitpid(owner, NULL, 0), owner);
    assert_refused(FRAZIL_EPOOL);
}

TEST("A number that is given back can be taken at once, from where the last owner stopped")
{
    frazil_lease_info info;
    frazil_error err;

    frazil_lease *first = must_open();
    if (frazil_lease_get_info(first, &info, sizeof info, &err) != FRAZIL_OK)
        fail_msg("%s", err.message);
    int64_t used_ms = fz_real_now().unix_ms;
    assert_in_range(info.end_unix_ms, used_ms + 1, used_ms + HORIZON_MS + 1);
    frazil_lease_close(first, used_ms);
    frazil_lease *second = NULL;
    for (int i = 0; i < 500 && try_open(&second, &err) == FRAZIL_EAGAIN; i++)
        pause_shortly(); /* nobody takes it before the server's clock has passed what was used */
    assert_non_null(second);
    while (frazil_lease_get_info(second, &info, sizeof info, &err) == FRAZIL_ECLOCK)
        pause_shortly();
    assert_int_equal(info.worker, 0);
    assert_int_equal(info.from_unix_ms, used_ms + 1);
    frazil_lease_close(second, FRAZIL_LEASE_ALL_USED);
}

TEST("The key is sfid's, and gone when the number was given back and its last stamp is over")
{
    frazil_lease_info info;
    frazil_error err;

    snprintf(spec, sizeof spec, "worker=sfid+redis://127.0.0.1:%u/shop layout=sfid base=65 count=1",
             (unsigned)server.port);
    frazil_lease *lease = must_open();
    assert_int_equal(redis_server_ask(&server, "EXISTS frazil:sfid:shop")[0], '1');
    assert_string_equal(redis_server_ask(&server, "DBSIZE"), "3"); /* the namespace, the fence and the key */
    frazil_err code = frazil_lease_get_info(lease, &info, sizeof info, &err);
    assert_true(code == FRAZIL_OK || code == FRAZIL_ECLOCK); /* it begins above every clock */
    frazil_lease_close(lease, 0);                            /* nothing was stamped */
    for (int i = 0; i < 500 && strcmp(redis_server_ask(&server, "DBSIZE"), "2") != 0; i++)
        pause_shortly();
    assert_string_equal(redis_server_ask(&server, "DBSIZE"), "2");
}
