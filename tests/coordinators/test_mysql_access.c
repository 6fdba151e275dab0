/* SPDX-License-Identifier: MIT */
/*
 * Goal of this test: how one comes to the table of a MariaDB, and the sentence where that does not work.  It refuses
 * who is unknown, ways to log in that tell the password, users without a right to the table, and nodes of Galera.
 */
#include <unistd.h>

#include "lib/mysql_server.h"
#include "lib/test.h"

static const char galera[] = "/usr/lib/galera/libgalera_smm.so";

/* One for all tests that do not start their own. */
MYSQL_SERVER_OF_ALL

static struct fz_register open_on(const struct server *one, const char *user, const char *rest)
{
    return mysql_open_url("mysql://%s@127.0.0.1:%u/%s", user, (unsigned)one->port, rest);
}

/* A read by this user is refused, and why. */
static void assert_refused(const char *user, const char *rest, const char *why)
{
    struct fz_register reg = open_on(&server, user, rest);
    struct fz_record record;

    assert_int_equal(register_read(&reg, 0, &record), FZ_REGISTER_REFUSED);
    register_assert_said(why);
    assert_null(strstr(register_said.message, "s3cret"));
    register_close(&reg);
}

/* Runs as "owner" what a sentence says that somebody should run. */
static void run_what_was_said(void)
{
    char sql[FRAZIL_ERROR_MESSAGE_SIZE];
    const char *run = strstr(register_said.message, " run: ");

    assert_non_null(run);
    snprintf(sql, sizeof sql, "%s", run + 6);
    char *end = strstr(sql, "; GRANT");
    assert_non_null(end);
    *end = '\0';
    mysql_server_do(&server, sql);
    mysql_server_do(&server, end + 2);
}

TEST("Who, or where, does not exist is refused; nothing of that gets better by itself")
{
    mysql_server_do(&server, "CREATE OR REPLACE USER guarded@'%' IDENTIFIED BY 's3cret'");
    assert_refused("nobody:s3cret", "app/orders?timeout=60s&ssl-mode=DISABLED", "access denied");
    assert_refused("guarded", "app/orders?timeout=60s", "access denied");
    assert_refused("app", "elsewhere/orders?timeout=60s", "elsewhere");
    mysql_server_do(&server, "ALTER USER guarded@'%' ACCOUNT LOCK");
    assert_refused("guarded:s3cret", "app/orders?timeout=60s&ssl-mode=DISABLED", "locked");
}

TEST("When a user has no connection left the server answers that, which passes")
{
    struct fz_record record;

    mysql_server_do(&server, "CREATE OR REPLACE USER lonely@'%' WITH MAX_USER_CONNECTIONS 1");
    mysql_server_do(&server, "GRANT SELECT, INSERT, UPDATE, CREATE ON app.* TO lonely@'%'");
    struct fz_register first = open_on(&server, "lonely", "app/orders?timeout=60s");
    struct fz_register second = open_on(&server, "lonely", "app/orders?timeout=60s");
    register_prepare(&first);
    assert_int_equal(register_read(&second, 0, &record), FZ_REGISTER_UNREACHABLE);
    register_assert_said("cannot connect: ");
    register_assert_said("max_user_connections");
    assert_int_equal(register_said.code, FRAZIL_EAGAIN);
    register_close(&second);
    register_close(&first);
}

TEST("A user logs in where the password is kept secret")
{
    struct fz_register reg;
    struct fz_record record;

    mysql_server_do(&server, "INSTALL SONAME 'auth_ed25519'");
    mysql_server_do(&server, "CREATE OR REPLACE USER signer@'%' IDENTIFIED VIA ed25519 USING PASSWORD('s3cret')");
    mysql_server_do(&server, "GRANT SELECT, INSERT, UPDATE, CREATE ON app.* TO signer@'%'");
    reg = open_on(&server, "signer:s3cret", "app/orders?timeout=60s&ssl-mode=DISABLED");
    register_prepare(&reg);
    assert_int_equal(register_read(&reg, 0, &record), FZ_REGISTER_OK);
    register_close(&reg);
}

TEST("A user who may not create the table is told what to have run; that is enough, also for a second init")
{
    struct fz_register reg;
    uint64_t version = 4711;

    mysql_server_do(&server, "DROP TABLE IF EXISTS frazil_lease");
    mysql_server_do(&server, "CREATE OR REPLACE USER \"the app's\"@'127.0.0.%' IDENTIFIED BY ''");
    reg = open_on(&server, "the%20app's", "app/orders?timeout=60s");
    assert_int_equal(reg.prepare(reg.ctx, FZ_DEADLINE_NONE, &register_said), FZ_REGISTER_REFUSED);
    register_assert_said("this user has no privileges in the database");
    mysql_server_do(&server, "GRANT DELETE HISTORY ON app.* TO \"the app's\"@'127.0.0.%'");
    assert_int_equal(reg.prepare(reg.ctx, FZ_DEADLINE_NONE, &register_said), FZ_REGISTER_REFUSED);
    register_assert_said("TO 'the app\\'s'@'127.0.0.%';");
    run_what_was_said();
    register_prepare(&reg);
    register_prepare(&reg);
    (void)register_must_swap(&reg, 0, 0, "first");
    mysql_server_do(&server, "REVOKE ALL ON app.frazil_lease FROM \"the app's\"@'127.0.0.%'");
    assert_int_equal(register_swap(&reg, 1, 0, "x", &version), FZ_REGISTER_REFUSED);
    register_assert_said("command denied to user");
    assert_int_equal(version, 4711);
    register_close(&reg);
}

TEST("Whatever database the server chooses for a session, a URL leads to the table in its own one")
{
    mysql_server_do(&server, "DROP TABLE IF EXISTS frazil_lease");
    mysql_server_do(&server, "CREATE DATABASE `we``b`");
    mysql_server_do(&server, "CREATE OR REPLACE USER web@'127.0.0.%' IDENTIFIED BY ''");
    mysql_server_do(&server, "GRANT ALL ON `we``b`.* TO web@'127.0.0.%'");
    mysql_server_do(&server, "GRANT ALL ON app.* TO web@'127.0.0.%'");
    mysql_server_do(&server, "SET GLOBAL init_connect = 'USE app'");
    struct fz_register reg = open_on(&server, "web", "we%60b/orders?timeout=60s");
    register_prepare(&reg);
    (void)register_must_swap(&reg, 0, 0, "x");
    register_close(&reg);
    mysql_server_do(&server, "SET GLOBAL init_connect = ''");
    assert_string_equal(mysql_server_do(&server, "SELECT GROUP_CONCAT(table_schema) FROM information_schema.tables "
                                                 "WHERE table_name = 'frazil_lease'"),
                        "we`b");
    mysql_server_do(&server, "DROP DATABASE `we``b`");
}

TEST("A node of a Galera cluster is refused")
{
    char provider[96];
    char listen[96];
    const char *const options[] = {
        "--wsrep-on=ON", "--binlog-format=ROW", "--wsrep-cluster-address=gcomm://", provider, listen, NULL};
    struct server node;
    struct fz_record record;

    if (access(galera, R_OK) != 0)
        skip(); /* a build of MariaDB without it */
    snprintf(provider, sizeof provider, "--wsrep-provider=%s", galera);
    snprintf(listen, sizeof listen, "--wsrep-provider-options=gmcast.listen_addr=tcp://127.0.0.1:%u",
             (unsigned)free_port());
    mysql_server_start(&node, options);
    mysql_server_await(&node,
                       "SELECT variable_value FROM information_schema.global_status "
                       "WHERE variable_name = 'wsrep_ready'",
                       "ON");
    struct fz_register reg = open_on(&node, "app", "app/orders?timeout=60s");
    assert_int_equal(register_read(&reg, 0, &record), FZ_REGISTER_REFUSED);
    register_assert_said("is a node of a Galera cluster, which frazil does not support");
    assert_int_equal(reg.prepare(reg.ctx, FZ_DEADLINE_NONE, &register_said), FZ_REGISTER_REFUSED);
    register_close(&reg);
    server_stop(&node);
}
