/* SPDX-License-Identifier: MIT */
#include <stddef.h> /* an empty unit would be none */

#ifdef FRAZIL_HAVE_MYSQL
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "lib/asserts.h"
#include "lib/mysql_rig.h"
#include "lib/register_kinds.h"

/* One server for all tests of a program, because making one takes longer than a test. */
static const char *const settings[] = {"--innodb-flush-method=nosync", NULL};

static struct server server;
static pid_t owner;

/* A failed test may have left it in any state. */
static void end(void)
{
    if (getpid() == owner)
        server_stop(&server);
}

static void url(uint16_t port, const char *name, char *buf, size_t size)
{
    snprintf(buf, size, "mysql://app@127.0.0.1:%u/app/%s", (unsigned)(port == 0 ? server.port : port), name);
}

static struct fz_register open_register(uint16_t port, unsigned timeout_ms)
{
    return mysql_open_url("mysql://app@127.0.0.1:%u/app/orders?timeout=%ums",
                          (unsigned)(port == 0 ? server.port : port), timeout_ms);
}

static bool start(void)
{
    if (!mysql_server_installed())
        return false;
    if (owner != getpid()) {
        mysql_server_start(&server, settings);
        owner = getpid();
        assert_int_equal(atexit(end), 0);
    } else if (server.pid == 0) {
        mysql_server_restart(&server, settings);
    }
    mysql_server_do(&server, "DROP TABLE IF EXISTS frazil_lease");
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
    mysql_server_do(&server, "DELETE FROM frazil_lease");
}

static void raise_version(uint64_t version)
{
    char sql[96];

    snprintf(sql, sizeof sql, "UPDATE frazil_lease SET version = %llu WHERE number = 0", (unsigned long long)version);
    mysql_server_do(&server, sql);
}

static void kill_server(void)
{
    server_kill(&server);
}

static void restart(void)
{
    mysql_server_restart(&server, settings);
}

static void damage(void)
{
    mysql_server_do(&server, "INSERT INTO frazil_lease VALUES ('orders', 0, 0, 'x')");
}

static void intrude(void)
{
    mysql_server_do(&server, "INSERT INTO frazil_lease VALUES ('orders', 4294967296, 7, '')");
}

const struct register_kind kind_mysql = {.name = "mysql",
                                         .start = start,
                                         .stop = stop,
                                         .open = open_register,
                                         .coordinator = frazil_coordinator_mysql,
                                         .url = url,
                                         .client = "libmariadb ",
                                         .damage = damage,
                                         .intrude = intrude,
                                         .wipe = wipe,
                                         .raise = raise_version,
                                         .server = &server,
                                         .kill = kill_server,
                                         .restart = restart};
#endif
