/* SPDX-License-Identifier: MIT */
/*
 * Goal of this test: what a ZooKeeper has answered is believed only if its servers agreed on the write before it, and
 * only if all records could be read; and no program that is executed meanwhile has its socket.  The client library's
 * answers are changed or looked at on their way.
 */
#define _GNU_SOURCE /* RTLD_NEXT */
#include <dlfcn.h>
#include <fcntl.h>

#include "coordinators/zookeeper/zookeeper_connection.h"
#include "lib/test.h"
#include "lib/zookeeper_server.h"

/* The answers to the next transaction, and to the next record of that path; ZOK: the server's own. */
static int transaction_rc;
static int record_rc;
static const char *record_path;

/* The socket that the client library named last, and how often it was used although other programs would have it. */
static int socket_fd = -1;
static unsigned uses, open_uses;

static struct server server;
static struct fz_register reg;
static frazil_error err;

/* A completion with what the caller wants of it. */
static struct {
    void_completion_t done;
    const void *data;
} transaction;
static struct {
    data_completion_t done;
    const void *data;
} one_record;

static void finish_transaction(int rc, const void *data)
{
    (void)data;
    transaction.done(transaction_rc == ZOK ? rc : transaction_rc, transaction.data);
}

static void finish_record(int rc, const char *value, int len, const struct Stat *stat, const void *data)
{
    (void)data;
    one_record.done(record_rc == ZOK ? rc : record_rc, value, len, stat, one_record.data);
}

/* These stand before the client library's. */
int zoo_amulti(zhandle_t *handle, int count, const zoo_op_t *ops, zoo_op_result_t *results, void_completion_t done,
               const void *data)
{
    int (*real)(zhandle_t *, int, const zoo_op_t *, zoo_op_result_t *, void_completion_t, const void *);

    *(void **)&real = dlsym(RTLD_NEXT, "zoo_amulti");
    if (transaction_rc == ZOK)
        return real(handle, count, ops, results, done, data);
    transaction.done = done;
    transaction.data = data;
    return real(handle, count, ops, results, finish_transaction, NULL);
}

int zoo_aget(zhandle_t *handle, const char *path, int watch, data_completion_t done, const void *data)
{
    int (*real)(zhandle_t *, const char *, int, data_completion_t, const void *);

    *(void **)&real = dlsym(RTLD_NEXT, "zoo_aget");
    if (record_rc == ZOK || strcmp(path, record_path) != 0)
        return real(handle, path, watch, done, data);
    one_record.done = done;
    one_record.data = data;
    return real(handle, path, watch, finish_record, NULL);
}

int zookeeper_interest(zhandle_t *handle, int *fd, int *interest, struct timeval *wait)
{
    int (*real)(zhandle_t *, int *, int *, struct timeval *);

    *(void **)&real = dlsym(RTLD_NEXT, "zookeeper_interest");
    int rc = real(handle, fd, interest, wait);
    socket_fd = *fd;
    return rc;
}

int zookeeper_process(zhandle_t *handle, int events)
{
    int (*real)(zhandle_t *, int);

    *(void **)&real = dlsym(RTLD_NEXT, "zookeeper_process");
    uses++;
    open_uses += (fcntl(socket_fd, F_GETFD) & FD_CLOEXEC) == 0;
    return real(handle, events);
}

static void count(void *ctx, uint32_t number, const struct fz_record *record)
{
    (void)number;
    (void)record;
    (*(unsigned *)ctx)++;
}

BEFORE_ALL
{
    test_need(zookeeper_server_installed());
    zookeeper_server_start(&server, NULL);
    reg = zookeeper_open_url("zookeeper://127.0.0.1:%u/orders?timeout=60s", (unsigned)server.port);
    for (uint32_t i = 0; i < 3; i++)
        register_must_swap(&reg, i, 0, "x");
}

AFTER_ALL
{
    reg.close(reg.ctx);
    server_stop(&server);
}

AFTER_EACH
{
    transaction_rc = record_rc = ZOK;
}

TEST("A read is believed only if the servers agreed on the write before it: else it may be of long ago")
{
    static const int refused[] = {ZCONNECTIONLOSS, ZOPERATIONTIMEOUT, ZRUNTIMEINCONSISTENCY, ZNODEEXISTS};
    unsigned seen = 0;

    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++) {
        struct fz_record record = {.version = 4711};
        transaction_rc = refused[i];
        assert_int_not_equal(reg.read(reg.ctx, FZ_DEADLINE_NONE, 0, &record, NULL, &err), FZ_REGISTER_OK);
        assert_int_equal(record.version, 4711);
        assert_int_not_equal(reg.read_all(reg.ctx, FZ_DEADLINE_NONE, count, &seen, NULL, &err), FZ_REGISTER_OK);
    }
    assert_int_equal(seen, 0);
}

TEST("Records of which one cannot be read are not all records: its number would seem to be free")
{
    unsigned seen = 0;

    record_rc = ZNOAUTH;
    record_path = "/frazil/orders/1";
    assert_int_equal(reg.read_all(reg.ctx, FZ_DEADLINE_NONE, count, &seen, NULL, &err), FZ_REGISTER_REFUSED);
    record_rc = ZOK;
    seen = 0;
    assert_int_equal(reg.read_all(reg.ctx, FZ_DEADLINE_NONE, count, &seen, NULL, &err), FZ_REGISTER_OK);
    assert_int_equal(seen, 3);
}

TEST("Its socket is closed when a program is executed, from when it is made on and not only when there is a session")
{
    struct fz_record record;

    uses = open_uses = 0;
    struct fz_register other = zookeeper_open_url("zookeeper://127.0.0.1:%u/orders?timeout=60s", (unsigned)server.port);
    assert_int_equal(other.read(other.ctx, FZ_DEADLINE_NONE, 0, &record, NULL, &err), FZ_REGISTER_OK);
    assert_true(uses >= 2); /* for the session, and for the record */
    assert_int_equal(open_uses, 0);
    other.close(other.ctx);
}
