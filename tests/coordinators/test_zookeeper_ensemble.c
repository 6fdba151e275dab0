/* SPDX-License-Identifier: MIT */
/*
 * Goal of this test: over an ensemble of three, one of which may be away, a register
 * is one register: what one server has acknowledged every other one shows.
 */

#include "lib/patience.h"
#include "lib/test.h"
#include "lib/zookeeper_server.h"

enum { SERVERS = 3, ROUNDS = 300 };

static struct server servers[SERVERS];
static frazil_error err; /* of the last operation */

BEFORE_ALL
{
    test_need(zookeeper_server_installed());
    zookeeper_ensemble_start(servers, SERVERS);
}

AFTER_ALL
{
    for (size_t i = 0; i < SERVERS; i++)
        server_stop(&servers[i]);
}

static struct fz_register open_one(size_t i)
{
    return zookeeper_open_url("zookeeper://127.0.0.1:%u/orders?timeout=60s", (unsigned)servers[i].port);
}

static struct fz_register open_all(unsigned timeout_ms)
{
    return zookeeper_open_url("zookeeper://127.0.0.1:%u,127.0.0.1:%u,127.0.0.1:%u/orders?timeout=%ums",
                              (unsigned)servers[0].port, (unsigned)servers[1].port, (unsigned)servers[2].port,
                              timeout_ms);
}

static void note_version(void *ctx, uint32_t number, const struct fz_record *record)
{
    uint64_t *version = ctx;

    if (number == 0)
        *version = record->version;
}

/* The version that a server tells, alone or with all others, as soon as it has an answer: it may have none on a slow
 * disk. */
static uint64_t await_version(const struct fz_register *reg, bool alone)
{
    struct fz_record record = {.version = 0};
    uint64_t version = 0;

    AWAIT((alone ? reg->read(reg->ctx, FZ_DEADLINE_NONE, 0, &record, NULL, &err)
                 : reg->read_all(reg->ctx, FZ_DEADLINE_NONE, note_version, &version, NULL, &err)) == FZ_REGISTER_OK,
          "%s", err.message);
    return alone ? record.version : version;
}

TEST("A write that one server acknowledged is read from another one at once, alone or with all others")
{
    struct fz_register regs[SERVERS];
    uint64_t version = 0;
    size_t acknowledged = 0;

    for (size_t i = 0; i < SERVERS; i++)
        regs[i] = open_one(i);
    for (size_t round = 0; round < ROUNDS; round++) {
        const struct fz_register *writer = &regs[round % SERVERS];
        const struct fz_register *reader = &regs[(round + 1 + round / SERVERS % 2) % SERVERS];
        if (writer->swap(writer->ctx, FZ_DEADLINE_NONE, &(struct fz_swap){0, version, "x", 1}, &version, NULL, &err) !=
            FZ_REGISTER_OK) {
            version = await_version(writer, true);
            continue;
        }
        acknowledged++;
        assert_int_equal(await_version(reader, round % 2 == 0), version);
    }
    assert_true(acknowledged > ROUNDS / 2);
    for (size_t i = 0; i < SERVERS; i++)
        regs[i].close(regs[i].ctx);
}

/* Reads until it works: after a server was lost the others first find out who leads them. */
static struct fz_record await_read(const struct fz_register *reg)
{
    struct fz_record record = {.version = 0};

    AWAIT(reg->read(reg->ctx, FZ_DEADLINE_NONE, 1, &record, NULL, &err) == FZ_REGISTER_OK, "%s", err.message);
    return record;
}

TEST("Whichever server is lost, the leader, too, the others go on; with one alone there is nothing to be had")
{
    struct fz_register reg = open_all(2000);
    uint64_t version = register_must_swap(&reg, 1, 0, "x");
    struct fz_record record;

    size_t leader = 0;
    while (strstr(zookeeper_server_ask(&servers[leader], "srvr"), "Mode: leader") == NULL)
        assert_true(++leader < SERVERS);
    server_kill(&servers[leader]);
    assert_true(await_read(&reg).version == version);
    register_must_swap(&reg, 1, version, "x");
    server_kill(&servers[(leader + 1) % SERVERS]);
    zookeeper_server_await(&servers[(leader + 2) % SERVERS], "srvr", "not currently serving");
    assert_int_equal(reg.read(reg.ctx, FZ_DEADLINE_NONE, 1, &record, NULL, &err), FZ_REGISTER_UNREACHABLE);
    assert_int_equal(reg.swap(reg.ctx, FZ_DEADLINE_NONE, &(struct fz_swap){1, version, "x", 1}, &version, NULL, &err),
                     FZ_REGISTER_UNREACHABLE);
    reg.close(reg.ctx);
}
