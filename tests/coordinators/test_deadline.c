/* SPDX-License-Identifier: MIT */
/*
 * Goal of this test: a request has no more time than is left to the call that it serves, however long the URL's timeout
 * is; one that has none is not sent.  One suite for every kind that has a server.
 */
#include <time.h>

#include "lib/patience.h"
#include "lib/proxy.h"
#include "lib/register_kinds.h"
#include "lib/register_rig.h"
#include "lib/test.h"
#include "os/deadline.h"

/* The longest timeout that a URL may have; whoever waited for that has not heard of the deadline. */
enum { TIMEOUT_MS = 60000, HANG_S = 40 };

static const struct fz_deadline passed = {1};

struct rig {
    struct proxy *proxy;
    struct fz_register through; /* the proxy */
    struct fz_register direct;
};

static void start(struct rig *rig, const struct register_kind *kind)
{
    rig->proxy = proxy_start(kind->server->port);
    rig->through = kind_open(kind, rig->proxy->port, TIMEOUT_MS);
    rig->direct = kind_open(kind, 0, TIMEOUT_MS);
    register_prepare(&rig->direct);
}

static void stop(struct rig *rig)
{
    rig->through.close(rig->through.ctx);
    rig->direct.close(rig->direct.ctx);
    proxy_stop(rig->proxy);
}

static void ignore_finding(void *ctx, enum fz_finding_level level, const char *sentence)
{
    (void)ctx;
    (void)level;
    (void)sentence;
}

/* Every request that there is. */
static enum fz_register_result ask(const struct fz_register *reg, int which, struct fz_deadline deadline)
{
    const uint32_t numbers[] = {0, FZ_NAMESPACE};
    const struct fz_swap swap = {.number = 0, .data = "one", .len = 3};
    struct fz_record record;
    uint64_t version;

    switch (which) {
    case 0:
        return reg->read(reg->ctx, deadline, 0, &record, NULL, &register_said);
    case 1:
        return reg->read_all(reg->ctx, deadline, register_ignore, NULL, NULL, &register_said);
    case 2:
        return reg->read_many(reg->ctx, deadline, numbers, 2, 2, register_ignore, NULL, NULL, &register_said);
    case 3:
        return reg->swap(reg->ctx, deadline, &swap, &version, NULL, &register_said);
    case 4:
        return reg->diagnose(reg->ctx, deadline, ignore_finding, NULL, &register_said);
    default:
        return reg->prepare == NULL ? FZ_REGISTER_UNREACHABLE : reg->prepare(reg->ctx, deadline, &register_said);
    }
}

enum { REQUESTS = 6 };

TEST_OF_KINDS(
    for_each_server,
    "Without time left no request is sent, over a connection or to make one, and a swap was certainly not done")
{
    struct fz_record record;
    struct rig rig;

    start(&rig, kind);
    for (int connected = 0; connected < 2; connected++) {
        if (connected)
            (void)register_must_read(&rig.through, 0);
        unsigned sent = rig.proxy->requests;
        unsigned accepted = rig.proxy->accepted;
        for (int i = 0; i < REQUESTS; i++) {
            assert_int_equal(ask(&rig.through, i, passed), FZ_REGISTER_UNREACHABLE);
            register_assert_said("not asked: the call had no time left: raise open_wait or max_wait");
        }
        assert_int_equal(rig.proxy->requests, sent);
        assert_int_equal(rig.proxy->accepted, accepted);
    }
    assert_int_equal(register_read(&rig.direct, 0, &record), FZ_REGISTER_OK);
    assert_int_equal(record.version, 0);
    stop(&rig);
}

/* Whether a request came back before its URL's timeout; a busy machine has half a minute more than it needs. */
static void assert_cut(const struct rig *rig, int which, enum proxy_mode mode)
{
    struct timespec begun;
    struct timespec now;

    proxy_set(rig->proxy, mode);
    clock_gettime(CLOCK_MONOTONIC, &begun);
    enum fz_register_result result = ask(&rig->through, which, fz_deadline_in(100000000));
    clock_gettime(CLOCK_MONOTONIC, &now);
    if (result == FZ_REGISTER_OK || result == FZ_REGISTER_CONFLICT || now.tv_sec - begun.tv_sec >= HANG_S)
        fail_msg("request %d, proxy %d: %d after %ld s: %s", which, (int)mode, (int)result,
                 (long)(now.tv_sec - begun.tv_sec), register_said.message);
    proxy_set(rig->proxy, PROXY_PASS);
}

TEST_OF_KINDS(for_each_server,
              "A coordinator that is silent, does not read or dribbles holds a request up no longer than its call may "
              "take")
{
    static const enum proxy_mode modes[] = {PROXY_HOLD_REPLIES, PROXY_HOLD_REQUESTS, PROXY_DRIBBLE};
    struct rig rig;

    start(&rig, kind);
    for (size_t i = 0; i < sizeof modes / sizeof modes[0]; i++) {
        for (int which = 0; which < 4; which++) {
            assert_cut(&rig, which, modes[i]); /* while it connects */
            while (ask(&rig.through, 0, FZ_DEADLINE_NONE) != FZ_REGISTER_OK)
                pause_shortly();
            assert_cut(&rig, which, modes[i]);
        }
    }
    stop(&rig);
}
