/* SPDX-License-Identifier: MIT */
#include <stddef.h> /* an empty unit would be none */

#ifdef FRAZIL_HAVE_POSTGRESQL
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "lib/asserts.h"
#include "lib/postgresql_rig.h"
#include "lib/register_kinds.h"

/* One server for all tests of a program, because making one takes longer than a test.  Its crashes are not the host's.
 */
static const char *const settings[] = {"fsync=off", "max_connections=100", NULL};

static struct server server;
static pid_t owner;

/* A failed test may have left it in any state. */
static void end(void)
{
    if (getpid() == owner)
        postgresql_server_stop(&server);
}

static void url(uint16_t port, const char *name, char *buf, size_t size)
{
    snprintf(buf, size, "postgres://owner@127.0.0.1:%u/postgres/%s", (unsigned)(port == 0 ? server.port : port), name);
}

static struct fz_register open_register(uint16_t port, unsigned timeout_ms)
{
    return postgresql_open_url("postgres://owner@127.0.0.1:%u/postgres/orders?timeout=%ums",
                               (unsigned)(port == 0 ? server.port : port), timeout_ms);
}

static bool start(void)
{
    if (!postgresql_server_installed())
        return false;
    if (owner != getpid()) {
        postgresql_server_start(&server, settings);
        owner = getpid();
        assert_int_equal(atexit(end), 0);
    } else if (server.pid == 0) {
        postgresql_server_restart(&server, settings);
    }
    postgresql_server_do(&server, "DROP TABLE IF EXISTS frazil_lease");
    struct fz_register reg = open_register(0, 10000);
    register_prepare(&reg);
    reg.close(reg.ctx);
    return true;
}

static void stop(void)
{
    /* It is started once. */
}

static void wipe(void)
{
    postgresql_server_do(&server, "DELETE FROM frazil_lease");
}

static void raise_version(uint64_t version)
{
    char sql[96];

    snprintf(sql, sizeof sql, "UPDATE frazil_lease SET version = %llu WHERE number = 0", (unsigned long long)version);
    postgresql_server_do(&server, sql);
}

static void kill_server(void)
{
    postgresql_server_crash(&server);
}

static void restart(void)
{
    postgresql_server_restart(&server, settings);
}

static void damage(void)
{
    postgresql_server_do(&server, "INSERT INTO frazil_lease VALUES ('orders', 0, 0, 'x')");
}

static void intrude(void)
{
    postgresql_server_do(&server, "INSERT INTO frazil_lease VALUES ('orders', -1, 7, '')");
}

const struct register_kind kind_postgresql = {.name = "postgresql",
                                              .start = start,
                                              .stop = stop,
                                              .open = open_register,
                                              .coordinator = frazil_coordinator_postgresql,
                                              .url = url,
                                              .client = "libpq ",
                                              .damage = damage,
                                              .intrude = intrude,
                                              .wipe = wipe,
                                              .raise = raise_version,
                                              .server = &server,
                                              .kill = kill_server,
                                              .restart = restart};
#endif
