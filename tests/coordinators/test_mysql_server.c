/* SPDX-License-Identifier: MIT */
/*
 * Goal of this test: what a MariaDB is, and may have become, is noticed: restarted, promoted, read-only, of another
 * engine; whatever its defaults are; and a password goes to nobody who has not proved who it is.
 */
#include <mysql.h>

#include "frazil/coordinators.h"
#include "lib/findings.h"
#include "lib/mysql_server.h"
#include "lib/test.h"

/* One for all tests that do not end it. */
MYSQL_SERVER_OF_ALL

static struct fz_register open_on(const struct server *one, const char *user, const char *keys)
{
    return mysql_open_url("mysql://%s@127.0.0.1:%u/app/orders?timeout=60s%s", user, (unsigned)one->port, keys);
}

/* A register of the server, with an empty table. */
static struct fz_register start(void)
{
    struct fz_register reg = open_on(&server, "app", "");

    mysql_server_do(&server, "DROP TABLE IF EXISTS frazil_lease");
    register_prepare(&reg);
    return reg;
}

static struct findings diagnose(const struct server *one)
{
    return findings_at(frazil_coordinator_mysql(), "mysql://app@127.0.0.1:%u/app/orders?timeout=60s",
                       (unsigned)one->port);
}

/* Times in an incarnation are whole seconds: waits for the next one. */
static void await_next_second(const struct server *one)
{
    char sql[64];

    snprintf(sql, sizeof sql, "SELECT UNIX_TIMESTAMP() > %s", mysql_server_do(one, "SELECT UNIX_TIMESTAMP()"));
    mysql_server_await(one, sql, "1");
}

/* ---- identity ------------------------------------------------------------------ */

TEST("A restart and a table that was made again are other incarnations; the records are there after kill -9")
{
    struct fz_record record;
    struct server own;

    mysql_server_start(&own, NULL);
    struct fz_register reg = open_on(&own, "app", "");
    register_prepare(&reg);
    uint64_t version = register_must_swap(&reg, 0, 0, "kept");
    struct fz_register_status first = register_status_of(&reg);
    await_next_second(&own);
    server_kill(&own);
    mysql_server_restart(&own, NULL);
    struct fz_register_status then = register_status_of(&reg);
    assert_string_not_equal(then.incarnation, first.incarnation);
    assert_int_equal(register_read(&reg, 0, &record), FZ_REGISTER_OK);
    assert_int_equal(record.version, version);
    await_next_second(&own);
    mysql_server_do(&own, "CREATE TABLE kept LIKE frazil_lease");
    mysql_server_do(&own, "DROP TABLE frazil_lease");
    assert_string_not_equal(register_status_of(&reg).incarnation, then.incarnation);
    mysql_server_do(&own, "RENAME TABLE kept TO frazil_lease");
    assert_string_not_equal(register_status_of(&reg).incarnation, then.incarnation);
    register_close(&reg);
    server_stop(&own);
}

TEST("A replica is not asked, neither for records nor to keep one, not even as one who may write there; promoted it is "
     "another incarnation, and of several hosts it is found")
{
    static const char *const options[] = {"--server-id=1", "--log-bin=log-bin", NULL};
    struct server primary;
    struct server replica;
    struct fz_record record;
    uint64_t untouched = 4711;

    mysql_server_start(&primary, options);
    struct fz_register reg = open_on(&primary, "app", "");
    register_prepare(&reg);
    uint64_t version = register_must_swap(&reg, 0, 0, "kept");
    struct fz_register_status old = register_status_of(&reg);
    mysql_server_follow(&replica, &primary);
    assert_found(diagnose(&primary), "WARN replication: asynchronous");
    assert_found(diagnose(&primary), "WARN replication: sync_binlog is '0'");
    assert_not_found(diagnose(&primary), "applies the writes of another one");
    mysql_server_do(&replica, "SET GLOBAL read_only = OFF");
    struct findings findings = diagnose(&replica);
    mysql_server_do(&replica, "SET GLOBAL read_only = ON");
    assert_found(findings,
                 "WARN replication: this server applies the writes of another one, and accepts writes itself");
    struct fz_register alone = open_on(&replica, "owner", "");
    struct fz_register any = mysql_open_url("mysql://app@127.0.0.1:%u,127.0.0.1:%u/app/orders?timeout=60s",
                                            (unsigned)replica.port, (unsigned)primary.port);
    assert_int_equal(register_read(&alone, 0, &record), FZ_REGISTER_UNREACHABLE);
    register_assert_said("is read-only, as replicas are: worker ids need the primary");
    assert_int_equal(register_swap(&alone, 0, version, "x", &untouched), FZ_REGISTER_UNREACHABLE);
    assert_string_equal(register_status_of(&any).incarnation, old.incarnation);

    server_kill(&primary);
    assert_int_equal(register_read(&any, 0, &record), FZ_REGISTER_UNREACHABLE);
    mysql_server_do(&replica, "STOP SLAVE");
    mysql_server_do(&replica, "SET GLOBAL read_only = OFF");
    assert_string_not_equal(register_status_of(&any).incarnation, old.incarnation);
    assert_true(register_must_swap(&any, 0, version, "goes on") > version);
    assert_int_equal(untouched, 4711);
    register_close(&reg);
    register_close(&alone);
    register_close(&any);
    server_stop(&replica);
    server_stop(&primary);
}

TEST("A primary that becomes read-only while one is connected grants nothing")
{
    struct fz_register app = start();
    struct fz_register owner = open_on(&server, "owner", "");
    struct fz_record record;
    uint64_t version = register_must_swap(&owner, 0, 0, "first");

    register_assert_record(&app, 0, version, "first");
    mysql_server_do(&server, "SET GLOBAL read_only = ON");
    enum fz_register_result by_app = register_swap(&app, 0, version, "x", &version);
    enum fz_register_result by_owner = register_swap(&owner, 0, version, "done", &version);
    enum fz_register_result read = register_read(&app, 0, &record);
    mysql_server_do(&server, "SET GLOBAL read_only = OFF");
    assert_int_equal(by_app, FZ_REGISTER_UNREACHABLE);
    assert_int_equal(by_owner, FZ_REGISTER_UNKNOWN); /* its user may write all the same, and has */
    assert_int_equal(read, FZ_REGISTER_UNREACHABLE);
    register_close(&app);
    register_close(&owner);
}

/* Preloaded into a server: its wall clock is an hour ahead as long as there is a file. */
static const char clock_source[] =
    "#define _GNU_SOURCE\n#include <sys/syscall.h>\n#include <time.h>\n#include <unistd.h>\n"
    "int clock_gettime(clockid_t clock, struct timespec *ret)\n{\n"
    "    int result = (int)syscall(SYS_clock_gettime, clock, ret);\n"
    "    if (result == 0 && clock == CLOCK_REALTIME && access(AHEAD, F_OK) == 0)\n"
    "        ret->tv_sec += 3600;\n    return result;\n}\n";

static void write_file(const struct server *own, const char *name, const char *text)
{
    char path[96];

    snprintf(path, sizeof path, "%s/%s", own->folder, name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

TEST("A server whose clock is set back behind its own start answers, and is the same incarnation")
{
    char ahead[128];
    char library[96];
    const char *const compile[] = {"cc", "-shared", "-fPIC", ahead, "-o", "clock.so", "clock.c", NULL};
    static const char *const set_back[] = {"rm", "ahead", NULL};
    struct server own;

    test_need(server_installed("cc"));
    mysql_server_start(&own, NULL);
    server_kill(&own);
    snprintf(ahead, sizeof ahead, "-DAHEAD=\"%s/ahead\"", own.folder);
    snprintf(library, sizeof library, "%s/clock.so", own.folder);
    write_file(&own, "clock.c", clock_source);
    write_file(&own, "ahead", "");
    assert_true(server_command(&own, compile));
    assert_int_equal(setenv("LD_PRELOAD", library, 1), 0);
    mysql_server_restart(&own, NULL);
    assert_int_equal(unsetenv("LD_PRELOAD"), 0);
    struct fz_register reg = open_on(&own, "app", "");
    register_prepare(&reg);
    uint64_t version = register_must_swap(&reg, 0, 0, "ahead");
    struct fz_register_status first = register_status_of(&reg);
    assert_true(server_command(&own, set_back));
    struct fz_register_status then = register_status_of(&reg);
    assert_true(then.unix_ms < first.unix_ms);
    assert_string_equal(then.incarnation, first.incarnation);
    assert_true(register_must_swap(&reg, 0, version, "behind") > version);
    register_close(&reg);
    server_stop(&own);
}

/* ---- the server's defaults ------------------------------------------------------- */

TEST("Defaults that would show what is old, or what is not committed, do not count; a lock ends in an answer")
{
    struct fz_register reg = start();
    struct fz_register other = open_on(&server, "app", "");
    uint64_t version;

    mysql_server_do(&server, "SET GLOBAL autocommit = OFF, tx_isolation = 'READ-UNCOMMITTED'");
    struct fz_register odd = open_on(&server, "app", "");
    register_must_read(&odd, 0);
    mysql_server_do(&server, "SET GLOBAL autocommit = ON, tx_isolation = 'REPEATABLE-READ'");
    version = register_must_swap(&reg, 0, 0, "first");
    register_assert_record(&odd, 0, version, "first");
    version = register_must_swap(&odd, 0, version, "second");
    register_assert_record(&reg, 0, version, "second");

    MYSQL *session = mysql_init(NULL);
    assert_non_null(mysql_real_connect(session, "127.0.0.1", "owner", "", "app", server.port, NULL, 0));
    assert_int_equal(mysql_query(session, "BEGIN"), 0);
    assert_int_equal(mysql_query(session, "UPDATE frazil_lease SET data = 'not committed'"), 0);
    register_assert_record(&odd, 0, version, "second");
    uint64_t untouched = 4711;
    assert_int_equal(register_swap(&other, 0, version, "x", &untouched), FZ_REGISTER_UNREACHABLE);
    register_assert_said("Lock wait timeout exceeded");
    assert_int_equal(mysql_query(session, "ROLLBACK"), 0);
    mysql_close(session);
    assert_true(register_must_swap(&other, 0, version, "third") > version);
    register_close(&reg);
    register_close(&other);
    register_close(&odd);
}

static void count_record(void *ctx, uint32_t number, const struct fz_record *record)
{
    (void)number;
    (void)record;
    ++*(size_t *)ctx;
}

TEST("Defaults that would leave out rows, or refuse a statement, do not count: not even at the look for read_only")
{
    static const uint32_t numbers[] = {0, 1, 2};
    struct fz_register reg = start();
    struct fz_record record;
    size_t all = 0;
    size_t many = 0;

    for (size_t i = 0; i < 3; i++)
        register_must_swap(&reg, numbers[i], 0, "x");
    register_close(&reg);
    mysql_server_do(&server, "SET GLOBAL sql_select_limit = 1, sql_big_selects = OFF, max_join_size = 1, "
                             "sql_safe_updates = ON, sql_mode = 'ORACLE'");
    reg = open_on(&server, "app", "");
    enum fz_register_result of_all = reg.read_all(reg.ctx, FZ_DEADLINE_NONE, count_record, &all, NULL, &register_said);
    enum fz_register_result of_many =
        reg.read_many(reg.ctx, FZ_DEADLINE_NONE, numbers, 3, 3, count_record, &many, NULL, NULL);
    struct findings findings = diagnose(&server);
    register_close(&reg);
    mysql_server_do(&server, "SET GLOBAL sql_select_limit = 0, read_only = ON");
    reg = open_on(&server, "owner", "");
    enum fz_register_result of_read_only = register_read(&reg, 0, &record);
    mysql_server_do(&server, "SET GLOBAL sql_select_limit = DEFAULT, sql_big_selects = ON, max_join_size = DEFAULT, "
                             "sql_safe_updates = OFF, sql_mode = DEFAULT, read_only = OFF");
    assert_int_equal(of_all, FZ_REGISTER_OK);
    assert_int_equal(of_many, FZ_REGISTER_OK);
    assert_int_equal(all, 3);
    assert_int_equal(many, 3);
    assert_found(findings, "OK version: '10.");
    assert_int_equal(of_read_only, FZ_REGISTER_UNREACHABLE);
    register_close(&reg);
}

TEST("A table of another engine is refused")
{
    struct fz_register reg = start();
    struct fz_record record;

    mysql_server_do(&server, "ALTER TABLE frazil_lease ENGINE = MyISAM");
    assert_int_equal(register_read(&reg, 0, &record), FZ_REGISTER_REFUSED);
    register_assert_said("run ALTER TABLE frazil_lease ENGINE = InnoDB");
    register_close(&reg);
}

/* ---- access -------------------------------------------------------------------------- */

TEST("A password goes over TCP to a server that proves who it is, or where the URL allows it; never in a sentence")
{
    struct fz_register reg = start();
    struct fz_record record;
    char keys[160];

    register_close(&reg);
    mysql_server_do(&server, "CREATE OR REPLACE USER guarded@'%' IDENTIFIED BY 's3cret'");
    mysql_server_do(&server, "GRANT SELECT, INSERT, UPDATE ON app.* TO guarded@'%'");
    reg = open_on(&server, "guarded:s3cret", "");
    assert_int_equal(register_read(&reg, 0, &record), FZ_REGISTER_REFUSED);
    register_assert_said("no password is sent without TLS that verifies the server");
    register_close(&reg);
    reg = open_on(&server, "guarded:s3cret", "&ssl-mode=DISABLED");
    assert_int_equal(register_read(&reg, 0, &record), FZ_REGISTER_OK);
    register_close(&reg);
    reg = open_on(&server, "guarded:wrong", "&ssl-mode=DISABLED");
    assert_int_equal(register_read(&reg, 0, &record), FZ_REGISTER_REFUSED);
    register_assert_said("access denied");
    register_close(&reg);
    reg = open_on(&server, "app", "&ssl-ca=/etc/hostname"); /* no password, but a file of TLS */
    assert_int_equal(register_read(&reg, 0, &record), FZ_REGISTER_REFUSED);
    register_assert_said("cannot connect: ");
    register_close(&reg);
    snprintf(keys, sizeof keys, "mysql://guarded:s3cret@/app/orders?timeout=60s&socket=%s/socket", server.folder);
    reg = mysql_open_url("%s", keys);
    assert_int_equal(register_read(&reg, 0, &record), FZ_REGISTER_OK);
    register_close(&reg);
}

TEST("Over TLS, to a server whose certificate is good, and to no other one; a child leaves its parent's session alone")
{
    char keys[128];
    struct fz_record record;
    struct server own;

    mysql_server_start_tls(&own);
    struct fz_register reg = open_on(&own, "guarded:s3cret", "");
    assert_int_equal(register_read(&reg, 0, &record), FZ_REGISTER_REFUSED);
    register_assert_said("no password is sent without TLS that verifies the server");
    register_close(&reg);
    snprintf(keys, sizeof keys, "&ssl-ca=%s/ids.pem", own.folder);
    reg = open_on(&own, "guarded:s3cret", keys);
    register_prepare(&reg);
    uint64_t version = register_must_swap(&reg, 0, 0, "first");
    register_assert_child_reads(&reg, version);
    (void)register_must_swap(&reg, 0, version, "second");
    register_close(&reg);
    server_stop(&own);
}

/* ---- the doctor ---------------------------------------------------------------------- */

TEST("The doctor tells a primary that waits for its replica from one that gives the wait up")
{
    static const char *const options[] = {"--server-id=1",
                                          "--log-bin=log-bin",
                                          "--rpl-semi-sync-master-enabled",
                                          "--rpl-semi-sync-master-wait-point=AFTER_SYNC",
                                          "--rpl-semi-sync-master-timeout=18446744073709551615",
                                          NULL};
    static const char fallback[] = "WARN replication: semi-synchronous; it falls back to asynchronous";
    struct server own;

    mysql_server_start(&own, options);
    assert_found(diagnose(&own), "OK replication: semi-synchronous; nothing is acknowledged without a replica\n");
    mysql_server_do(&own, "SET GLOBAL rpl_semi_sync_master_wait_point = AFTER_COMMIT");
    assert_found(diagnose(&own), fallback);
    mysql_server_do(&own,
                    "SET GLOBAL rpl_semi_sync_master_wait_point = AFTER_SYNC, rpl_semi_sync_master_timeout = 10000");
    assert_found(diagnose(&own), fallback);
    server_stop(&own);
}

TEST("The doctor does not take a lock of another session for a lack of rights")
{
    static const char *const locks[] = {"FLUSH TABLES WITH READ LOCK", "LOCK TABLES frazil_lease READ"};
    struct fz_register reg = start();

    for (size_t i = 0; i < sizeof locks / sizeof locks[0]; i++) {
        MYSQL *other = mysql_init(NULL);
        assert_non_null(mysql_real_connect(other, "127.0.0.1", "owner", NULL, "app", server.port, NULL, 0));
        assert_int_equal(mysql_query(other, locks[i]), 0);
        const struct findings findings = diagnose(&server);
        mysql_close(other);
        assert_found(findings, "FAIL table: it cannot be written now: ");
        assert_found(findings, "(1205)");
        assert_not_found(findings, "permissions:");
    }
    assert_found(diagnose(&server), "OK permissions:");
    register_close(&reg);
}

TEST("The doctor names what is missing, and what a crash would lose")
{
    struct fz_register reg = start();
    struct findings findings = diagnose(&server);

    assert_found(findings, "OK version: '10.");
    assert_found(findings, "OK durability: a grant is on the disk before it is used\n");
    assert_found(findings, "OK replication: there is no binary log");
    assert_found(findings, "OK permissions: this user may read and write frazil_lease\n");
    mysql_server_do(&server, "SET GLOBAL innodb_flush_log_at_trx_commit = 2");
    findings = diagnose(&server);
    mysql_server_do(&server, "SET GLOBAL innodb_flush_log_at_trx_commit = 1");
    assert_found(findings, "WARN durability: innodb_flush_log_at_trx_commit is '2'");
    mysql_server_do(&server, "CREATE OR REPLACE USER reader@'%'");
    mysql_server_do(&server, "GRANT SELECT ON app.* TO reader@'%'");
    assert_found(findings_at(frazil_coordinator_mysql(), "mysql://reader@127.0.0.1:%u/app/orders?timeout=60s",
                             (unsigned)server.port),
                 "FAIL permissions: this user needs SELECT, INSERT and UPDATE on frazil_lease\n");
    mysql_server_do(&server, "DROP TABLE frazil_lease");
    assert_found(diagnose(&server), "FAIL permissions: there is no table frazil_lease: frazil lease init creates it\n");
    register_close(&reg);
}
