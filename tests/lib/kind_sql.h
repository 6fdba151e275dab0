/* SPDX-License-Identifier: MIT */
/*
 * A kind of register that is a table of SQL (register_kinds.h), for the file of its database, which includes this once
 * and says before it, as macros and a list:
 *
 *   SQL(name)       the function of its server, or of its rig, of that name: mysql_NAME
 *   SQL_STOP, SQL_KILL  those that end its server in good order, and at once
 *   SQL_URL         a URL up to the port, as a format for it; SQL_DATABASE: what stands behind it
 *   SQL_NO_NUMBER   what the column of numbers takes, and no record has
 *   settings        those that its server is started with
 */
#ifndef TESTS_LIB_KIND_SQL_H
#define TESTS_LIB_KIND_SQL_H

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "lib/asserts.h"
#include "lib/register_kinds.h"

/* One server for all tests of a program, because making one takes longer than a test. */
static struct server server;
static pid_t owner;

/* A failed test may have left it in any state. */
static void end(void)
{
    if (getpid() == owner)
        SQL_STOP(&server);
}

static void url(uint16_t port, const char *name, unsigned timeout_ms, char *buf, size_t size)
{
    snprintf(buf, size, SQL_URL SQL_DATABASE "%s?timeout=%ums", (unsigned)(port == 0 ? server.port : port), name,
             timeout_ms);
}

static bool start(void)
{
    if (!SQL(server_installed)())
        return false;
    if (owner != getpid()) {
        SQL(server_start)(&server, settings);
        owner = getpid();
        assert_int_equal(atexit(end), 0);
    } else if (server.pid == 0) {
        SQL(server_restart)(&server, settings);
    }
    SQL(server_do)(&server, "DROP TABLE IF EXISTS frazil_lease");
    struct fz_register reg = SQL(open_url)(SQL_URL SQL_DATABASE "orders?timeout=60s", (unsigned)server.port);
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
    SQL(server_do)(&server, "DELETE FROM frazil_lease");
}

static void raise_version(uint64_t version)
{
    char sql[96];

    snprintf(sql, sizeof sql, "UPDATE frazil_lease SET version = %llu WHERE number = 0", (unsigned long long)version);
    SQL(server_do)(&server, sql);
}

static void restart(void)
{
    SQL(server_restart)(&server, settings);
}

static void damage(void)
{
    SQL(server_do)(&server, "INSERT INTO frazil_lease VALUES ('orders', 0, 0, 'x')");
}

static void intrude(void)
{
    SQL(server_do)(&server, "INSERT INTO frazil_lease VALUES ('orders', " SQL_NO_NUMBER ", 7, '')");
}

#define KIND_SQL                                                                                                       \
    .start = start, .stop = stop, .url = url, .damage = damage, .intrude = intrude, .wipe = wipe,                      \
    .raise = raise_version, .server = &server, .kill = SQL_KILL, .restart = restart

#endif
