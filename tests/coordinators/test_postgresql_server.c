/* SPDX-License-Identifier: MIT */
/*
 * Goal of this test: what a PostgreSQL is, and may have become, is noticed:
 * restarted, promoted, restored, read-only; and what a swap has said is there to
 * stay, whatever the server's defaults are.
 */
#include <libpq-fe.h>
#include <pthread.h>

#include "lib/patience.h"
#include "lib/postgresql_server.h"
#include "lib/proxy.h"
#include "lib/test.h"
#include "os/clock.h"

/* One for all tests that do not end it. */
POSTGRESQL_SERVER_OF_ALL

static struct fz_register open_on(const struct server *one, const char *keys)
{
    return postgresql_open_url("postgres://owner@127.0.0.1:%u/postgres/orders?timeout=60s%s", (unsigned)one->port,
                               keys);
}

/* A register of the server, with an empty table. */
static struct fz_register start(void)
{
    struct fz_register reg = open_on(&server, "");

    postgresql_server_do(&server, "DROP TABLE IF EXISTS frazil_lease");
    register_prepare(&reg);
    return reg;
}

/* ---- identity ------------------------------------------------------------------ */

TEST("The clock is the server's, to the millisecond")
{
    struct fz_register reg = start();
    struct fz_register_status status = register_status_of(&reg);
    int64_t now_ms = fz_real_now().unix_ms; /* the same host */

    assert_true(status.has_clock);
    assert_in_range(now_ms - status.unix_ms, 0, 60000);
    uint64_t version = register_must_swap(&reg, 0, 0, "x");
    assert_in_range(version / 1000, (uint64_t)status.unix_ms, (uint64_t)fz_real_now().unix_ms);
    register_close(&reg);
}

TEST("The incarnation is the cluster, its timeline, the start of the server, the database and the table; all read it "
     "alike")
{
    static const char incarnation_sql[] = "SELECT system_identifier || '.00000001.' || (extract(epoch FROM "
                                          "pg_postmaster_start_time()) * 1000000)::bigint "
                                          "|| '.' || (SELECT oid FROM pg_database WHERE datname = 'postgres') "
                                          "|| '.' || 'frazil_lease'::regclass::oid FROM pg_control_system()";
    struct server own;
    char first[FZ_INCARNATION_SIZE];
    struct fz_record record;

    postgresql_server_start(&own, NULL);
    struct fz_register reg = open_on(&own, "");
    register_prepare(&reg);
    uint64_t version = register_must_swap(&reg, 0, 0, "kept");
    snprintf(first, sizeof first, "%s", postgresql_server_do(&own, incarnation_sql));
    assert_string_equal(register_status_of(&reg).incarnation, first);
    postgresql_server_do(&own, "VACUUM FULL frazil_lease");
    assert_string_equal(register_status_of(&reg).incarnation, first);
    postgresql_server_crash(&own);
    postgresql_server_restart(&own, NULL);
    assert_string_equal(register_status_of(&reg).incarnation, postgresql_server_do(&own, incarnation_sql));
    assert_string_not_equal(register_status_of(&reg).incarnation, first);
    assert_int_equal(register_read(&reg, 0, &record), FZ_REGISTER_OK);
    assert_int_equal(record.version, version);
    register_close(&reg);
    postgresql_server_stop(&own);
}

TEST("A table that was made again, as pg_restore --clean does, is another incarnation")
{
    struct fz_register reg = start();
    struct fz_register_status first = register_status_of(&reg);

    postgresql_server_do(&server, "CREATE TABLE kept AS TABLE frazil_lease; DROP TABLE frazil_lease");
    struct fz_register_status without = register_status_of(&reg);
    assert_string_not_equal(without.incarnation, first.incarnation);
    postgresql_server_do(&server, "ALTER TABLE kept RENAME TO frazil_lease");
    assert_string_not_equal(register_status_of(&reg).incarnation, first.incarnation);
    assert_string_not_equal(register_status_of(&reg).incarnation, without.incarnation);
    register_close(&reg);
}

TEST("A copy of the database that gets the name of its original is another incarnation")
{
    /* A copy from a template has the table under the same oid. */
    static const char url[] = "postgres://owner@127.0.0.1:%u/original/orders?timeout=60s";

    postgresql_server_do(&server, "CREATE DATABASE original");
    struct fz_register reg = postgresql_open_url(url, (unsigned)server.port);
    register_prepare(&reg);
    struct fz_register_status first = register_status_of(&reg);
    register_close(&reg);
    postgresql_server_do(&server, "CREATE DATABASE copy TEMPLATE original");
    postgresql_server_do(&server, "ALTER DATABASE original RENAME TO former");
    postgresql_server_do(&server, "ALTER DATABASE copy RENAME TO original");
    reg = postgresql_open_url(url, (unsigned)server.port);
    assert_string_not_equal(register_status_of(&reg).incarnation, first.incarnation);
    register_close(&reg);
    postgresql_server_do(&server, "DROP DATABASE former");
}

TEST("A standby is not asked, neither for records nor to keep one; promoted it is another incarnation")
{
    /* Of several hosts the primary is found, wherever it is, and again when it is another one. */
    struct server primary;
    struct server standby;
    struct fz_record record;
    uint64_t untouched = 4711;

    postgresql_server_start(&primary, NULL);
    struct fz_register reg = open_on(&primary, "");
    register_prepare(&reg);
    uint64_t version = register_must_swap(&reg, 0, 0, "kept");
    struct fz_register_status old = register_status_of(&reg);
    postgresql_server_follow(&standby, &primary);
    struct fz_register alone = open_on(&standby, "");
    struct fz_register any =
        postgresql_open_url("postgres://owner@127.0.0.1:%u,127.0.0.1:%u/postgres/orders?timeout=60s",
                            (unsigned)standby.port, (unsigned)primary.port);
    postgresql_server_await(&standby, "SELECT count(*) FROM frazil_lease", "1");
    assert_int_equal(register_read(&alone, 0, &record), FZ_REGISTER_UNREACHABLE);
    register_assert_said("is a standby: worker ids need the primary");
    assert_int_equal(register_swap(&alone, 0, version, "x", &untouched), FZ_REGISTER_UNREACHABLE);
    register_assert_said("is a standby, or read-only: worker ids need the primary");
    assert_int_equal(alone.prepare(alone.ctx, FZ_DEADLINE_NONE, NULL), FZ_REGISTER_UNREACHABLE);
    assert_string_equal(register_status_of(&any).incarnation, old.incarnation);

    postgresql_server_crash(&primary);
    assert_int_equal(register_read(&any, 0, &record), FZ_REGISTER_UNREACHABLE);
    assert_string_equal(postgresql_server_do(&standby, "SELECT pg_promote()"), "t");
    struct fz_register_status promoted = register_status_of(&alone);
    assert_non_null(strstr(old.incarnation, ".00000001."));
    assert_non_null(strstr(promoted.incarnation, ".00000002."));
    assert_int_equal(strcspn(promoted.incarnation, "."), strcspn(old.incarnation, "."));
    assert_memory_equal(promoted.incarnation, old.incarnation, strcspn(old.incarnation, "."));
    assert_string_equal(register_status_of(&any).incarnation, register_status_of(&alone).incarnation);
    assert_true(register_must_swap(&any, 0, version, "goes on") > version);
    assert_int_equal(untouched, 4711);
    register_close(&reg);
    register_close(&alone);
    register_close(&any);
    postgresql_server_stop(&standby);
    postgresql_server_stop(&primary);
}

TEST("A user whose transactions are read-only by default is told so")
{
    struct fz_register reg = start();
    uint64_t version;

    postgresql_server_do(&server, "ALTER ROLE owner SET default_transaction_read_only = on");
    register_close(&reg);
    reg = open_on(&server, "");
    enum fz_register_result result = register_swap(&reg, 0, 0, "x", &version);
    postgresql_server_do(&server, "BEGIN READ WRITE; ALTER ROLE owner RESET default_transaction_read_only; COMMIT");
    assert_int_equal(result, FZ_REGISTER_UNREACHABLE);
    register_assert_said("is a standby, or read-only");
    register_close(&reg);
}

/* ---- a committed write stays ----------------------------------------------------- */

TEST("A swap is on the disk when it returns, although the server's default is not to wait for that")
{
    static const char *const settings[] = {"synchronous_commit=off", "wal_writer_delay=10s", NULL};
    struct server own;
    struct fz_record record;

    postgresql_server_start(&own, settings);
    struct fz_register reg = open_on(&own, "");
    register_prepare(&reg);
    postgresql_server_do(&own, "CREATE TABLE others (n int); CHECKPOINT");
    uint64_t version = register_must_swap(&reg, 0, 0, "kept");
    postgresql_server_do(&own, "INSERT INTO others VALUES (1)");
    postgresql_server_crash(&own);
    postgresql_server_restart(&own, settings);
    assert_string_equal(postgresql_server_do(&own, "SELECT count(*) FROM others"), "0"); /* its effect on others */
    assert_int_equal(register_read(&reg, 0, &record), FZ_REGISTER_OK);
    assert_int_equal(record.version, version);
    register_close(&reg);
    postgresql_server_stop(&own);
}

TEST("A default that waits for less is overruled, one that waits for more is not")
{
    static const char *const levels[][2] = {
        {"off", "on"}, {"local", "on"}, {"remote_write", "on"}, {"on", "on"}, {"remote_apply", "remote_apply"}};
    struct fz_register reg = start();
    uint64_t version = 0;

    register_close(&reg);
    postgresql_server_do(&server, "CREATE TABLE seen (level text);"
                                  "CREATE FUNCTION see() RETURNS trigger LANGUAGE plpgsql AS "
                                  "'BEGIN INSERT INTO seen VALUES (current_setting(''synchronous_commit'')); RETURN "
                                  "NEW; END';"
                                  "CREATE TRIGGER see BEFORE INSERT OR UPDATE ON frazil_lease FOR EACH ROW EXECUTE "
                                  "FUNCTION see()");
    for (size_t i = 0; i < sizeof levels / sizeof levels[0]; i++) {
        char sql[96];
        snprintf(sql, sizeof sql, "ALTER ROLE owner SET synchronous_commit = %s", levels[i][0]);
        postgresql_server_do(&server, sql);
        reg = open_on(&server, "");
        version = register_must_swap(&reg, 0, version, "x");
        register_close(&reg);
        assert_string_equal(postgresql_server_do(&server, "DELETE FROM seen RETURNING level"), levels[i][1]);
    }
    postgresql_server_do(&server, "ALTER ROLE owner RESET synchronous_commit; DROP TABLE seen; "
                                  "DROP FUNCTION see() CASCADE");
}

static void *end_the_wait(void *ctx)
{
    (void)ctx;
    postgresql_server_await(&server,
                            "SELECT coalesce((SELECT pg_cancel_backend(pid) FROM pg_stat_activity "
                            "WHERE wait_event = 'SyncRep' AND application_name = 'frazil'), false)",
                            "t");
    return NULL;
}

TEST("With a synchronous standby that is away nothing is granted: there is no answer; and when somebody ends the wait, "
     "the server's warning that it may be lost is heard, also by a role that hears none by default")
{
    postgresql_server_do(&server, "ALTER ROLE owner SET client_min_messages = error");
    struct fz_register reg = start();
    pthread_t other;
    uint64_t untouched = 4711;
    struct fz_record record;

    struct fz_register hasty =
        postgresql_open_url("postgres://owner@127.0.0.1:%u/postgres/orders?timeout=300ms", (unsigned)server.port);
    AWAIT(register_read(&hasty, 0, &record) == FZ_REGISTER_OK, "%s", register_said.message); /* connects */
    postgresql_server_do(&server, "ALTER SYSTEM SET synchronous_standby_names = 'nobody'");
    postgresql_server_do(&server, "SELECT pg_reload_conf()");
    postgresql_server_await(&server, "SHOW synchronous_standby_names", "nobody");
    enum fz_register_result hasty_result;
    uint64_t hasty_version = 0;
    do /* a commit waits as soon as the checkpointer has read the setting, too */
        hasty_result = register_swap(&hasty, 0, hasty_version, "x", &hasty_version);
    while (hasty_result == FZ_REGISTER_OK);
    assert_int_equal(hasty_result, FZ_REGISTER_UNKNOWN);
    register_assert_said("did not answer within 300 ms");
    end_the_wait(NULL);
    postgresql_server_await(&server, "SELECT count(*) FROM frazil_lease", "1"); /* it was done all the same */
    assert_int_equal(register_read(&reg, 0, &record), FZ_REGISTER_OK);
    assert_int_equal(pthread_create(&other, NULL, end_the_wait, NULL), 0);
    enum fz_register_result result = register_swap(&reg, 0, record.version, "y", &untouched);
    pthread_join(other, NULL);
    postgresql_server_do(&server, "ALTER SYSTEM RESET synchronous_standby_names");
    postgresql_server_do(&server, "SELECT pg_reload_conf()");
    postgresql_server_await(&server, "SHOW synchronous_standby_names", "");
    postgresql_server_do(&server, "ALTER ROLE owner RESET client_min_messages");
    assert_int_equal(result, FZ_REGISTER_UNKNOWN);
    register_assert_said("warns: 'canceling wait for synchronous replication due to user request'");
    assert_int_equal(untouched, 4711);
    assert_int_equal(register_read(&reg, 0, &record), FZ_REGISTER_OK);
    assert_memory_equal(record.data, "y", 1);
    assert_true(register_must_swap(&reg, 0, record.version, "z") > record.version); /* the warning was that one's */
    register_close(&reg);
    register_close(&hasty);
}

TEST("Messages after a warning do not hide it: the write may have been lost all the same")
{
    static const char *const behind[] = {"INFO 'more'", "WARNING 'more'"};
    struct fz_register reg = start();
    uint64_t version = register_must_swap(&reg, 0, 0, "x");
    char sql[256];

    for (size_t i = 0; i < sizeof behind / sizeof behind[0]; i++) {
        struct fz_record record;
        uint64_t untouched = 4711;
        snprintf(sql, sizeof sql,
                 "CREATE FUNCTION speak() RETURNS trigger LANGUAGE plpgsql AS $$BEGIN RAISE WARNING 'lost'; RAISE %s; "
                 "RETURN NEW; END$$;"
                 "CREATE TRIGGER speak BEFORE UPDATE ON frazil_lease FOR EACH ROW EXECUTE FUNCTION speak()",
                 behind[i]);
        postgresql_server_do(&server, sql);
        enum fz_register_result result = register_swap(&reg, 0, version, "y", &untouched);
        postgresql_server_do(&server, "DROP FUNCTION speak() CASCADE");
        assert_int_equal(result, FZ_REGISTER_UNKNOWN);
        register_assert_said("warns: 'lost'");
        assert_int_equal(untouched, 4711);
        assert_int_equal(register_read(&reg, 0, &record), FZ_REGISTER_OK);
        version = register_must_swap(&reg, 0, record.version, "x");
    }
    register_close(&reg);
}

/* ---- others in the way ----------------------------------------------------------- */

static PGconn *lock_table(void)
{
    PGconn *session = postgresql_server_session(&server);

    PQclear(PQexec(session, "BEGIN"));
    PQclear(PQexec(session, "LOCK TABLE frazil_lease"));
    return session;
}

TEST("A table that somebody has locked: the server itself gives up in time, and then it was certainly not done")
{
    struct fz_register reg = start();
    uint64_t version = register_must_swap(&reg, 0, 0, "first");
    uint64_t untouched = 4711;

    struct fz_register hasty =
        postgresql_open_url("postgres://owner@127.0.0.1:%u/postgres/orders?timeout=8s", (unsigned)server.port);
    PGconn *session = lock_table();
    assert_int_equal(register_swap(&hasty, 0, version, "second", &untouched), FZ_REGISTER_UNREACHABLE);
    register_assert_said("canceling statement due to statement timeout' (57014)");
    assert_int_equal(untouched, 4711);
    PQfinish(session);
    assert_true(register_must_swap(&hasty, 0, version, "second") > version);
    assert_string_equal(postgresql_server_do(&server, "SELECT count(*) FROM pg_stat_activity WHERE "
                                                      "wait_event_type = 'Lock'"),
                        "0");
    register_close(&hasty);
    register_close(&reg);
}

static void *end_the_session(void *ctx)
{
    (void)ctx;
    postgresql_server_await(&server,
                            "SELECT coalesce((SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
                            "WHERE wait_event_type = 'Lock' AND application_name = 'frazil'), false)",
                            "t");
    return NULL;
}

TEST("A session that is ended in the middle: how far it came is not known; the next call has a new one")
{
    struct fz_register reg = start();
    uint64_t version = register_must_swap(&reg, 0, 0, "first");
    uint64_t untouched = 4711;
    pthread_t other;

    PGconn *session = lock_table();
    assert_int_equal(pthread_create(&other, NULL, end_the_session, NULL), 0);
    assert_int_equal(register_swap(&reg, 0, version, "second", &untouched), FZ_REGISTER_UNKNOWN);
    register_assert_said("terminating connection due to administrator command");
    pthread_join(other, NULL);
    PQfinish(session);
    assert_int_equal(untouched, 4711);
    assert_true(register_must_swap(&reg, 0, version, "second") > version);
    register_close(&reg);
}

TEST("Of several hosts the one that served last is asked first, when its session has ended")
{
    struct fz_register reg = start();
    struct fz_record record;
    struct proxy *gone = proxy_start(server.port);
    struct proxy *here = proxy_start(server.port);

    proxy_set(gone, PROXY_HANG_UP);
    struct fz_register any =
        postgresql_open_url("postgres://owner@127.0.0.1:%u,127.0.0.1:%u/postgres/orders?timeout=60s",
                            (unsigned)gone->port, (unsigned)here->port);
    assert_int_equal(register_read(&any, 0, &record), FZ_REGISTER_OK);
    unsigned asked = atomic_load(&gone->accepted);
    unsigned served = atomic_load(&here->accepted);
    assert_true(asked > 0);
    postgresql_server_do(&server, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
                                  "WHERE application_name = 'frazil'");
    AWAIT(register_read(&any, 0, &record) == FZ_REGISTER_OK && atomic_load(&here->accepted) > served, "%s",
          register_said.message);
    assert_int_equal(atomic_load(&gone->accepted), asked);
    register_close(&any);
    register_close(&reg);
    proxy_stop(gone);
    proxy_stop(here);
}

TEST("Of several hosts each has its share of the time: one that is silent hides no other")
{
    struct fz_register reg = start();
    struct fz_record record;
    struct proxy *silent = proxy_start(server.port);

    proxy_set(silent, PROXY_HOLD_REPLIES);
    struct fz_register any =
        postgresql_open_url("postgres://owner@127.0.0.1:%u,127.0.0.1:%u/postgres/orders?timeout=4s",
                            (unsigned)silent->port, (unsigned)server.port);
    AWAIT(register_read(&any, 0, &record) == FZ_REGISTER_OK, "%s", register_said.message);
    register_close(&any);
    register_close(&reg);
    proxy_stop(silent);
}

static void *commit(void *session)
{
    postgresql_server_await(&server,
                            "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' "
                            "AND application_name = 'frazil'",
                            "1");
    PQclear(PQexec(session, "COMMIT"));
    return NULL;
}

TEST("Transactions of another level by default wait as others do, and see what was committed meanwhile")
{
    static const char *const levels[] = {"repeatable read", "serializable"};

    for (size_t i = 0; i < sizeof levels / sizeof levels[0]; i++) {
        struct fz_register reg = start();
        uint64_t version = register_must_swap(&reg, 0, 0, "first");
        pthread_t other;
        char sql[96];
        snprintf(sql, sizeof sql, "ALTER ROLE owner SET default_transaction_isolation = '%s'", levels[i]);
        postgresql_server_do(&server, sql);
        PGconn *session = postgresql_server_session(&server);
        PQclear(PQexec(session, "BEGIN"));
        PQclear(PQexec(session, "UPDATE frazil_lease SET data = ''"));
        register_close(&reg);
        reg = open_on(&server, "");
        assert_int_equal(pthread_create(&other, NULL, commit, session), 0); /* while the swap waits for the row */
        uint64_t second = register_must_swap(&reg, 0, version, "second");
        pthread_join(other, NULL);
        PQclear(PQexec(session, "BEGIN"));
        PQclear(PQexec(session, "ALTER TABLE frazil_lease ALTER number TYPE numeric"));
        PQclear(PQexec(session, "ALTER TABLE frazil_lease ALTER number TYPE bigint"));
        assert_int_equal(pthread_create(&other, NULL, commit, session), 0); /* while the read waits for the table */
        struct fz_record record = register_must_read(&reg, 0);
        pthread_join(other, NULL);
        PQfinish(session);
        postgresql_server_do(&server, "ALTER ROLE owner RESET default_transaction_isolation");
        assert_int_equal(record.version, second);
        register_close(&reg);
    }
}

TEST("The code of a server's refusal decides whether it is one, also when it comes as late as the commit")
{
    static const struct {
        const char *code;
        enum fz_register_result result;
    } errors[] = {{"08006", FZ_REGISTER_UNKNOWN},     {"40003", FZ_REGISTER_UNKNOWN},
                  {"40P01", FZ_REGISTER_UNREACHABLE}, {"53100", FZ_REGISTER_UNREACHABLE},
                  {"55P03", FZ_REGISTER_UNREACHABLE}, {"57014", FZ_REGISTER_UNREACHABLE},
                  {"25006", FZ_REGISTER_UNREACHABLE}, {"23514", FZ_REGISTER_REFUSED},
                  {"42501", FZ_REGISTER_REFUSED},     {"P0001", FZ_REGISTER_REFUSED}};
    static const char *const times[] = {"NOT DEFERRABLE", "DEFERRABLE INITIALLY DEFERRED"};
    struct fz_register reg = start();
    struct fz_record record;
    char sql[512];

    for (size_t i = 0; i < 2 * sizeof errors / sizeof errors[0]; i++) {
        uint64_t untouched = 4711;
        snprintf(sql, sizeof sql,
                 "DROP FUNCTION IF EXISTS fail() CASCADE;"
                 "CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS "
                 "'BEGIN RAISE EXCEPTION ''so it is'' USING ERRCODE = ''%s''; END';"
                 "CREATE CONSTRAINT TRIGGER fail AFTER INSERT ON frazil_lease %s FOR EACH ROW EXECUTE FUNCTION fail()",
                 errors[i / 2].code, times[i % 2]);
        postgresql_server_do(&server, sql);
        enum fz_register_result result = register_swap(&reg, 0, 0, "x", &untouched);
        if (result != errors[i / 2].result)
            fail_msg("%s %s: %d, %s", errors[i / 2].code, times[i % 2], (int)result, register_said.message);
        register_assert_said("so it is");
        assert_int_equal(untouched, 4711);
        assert_int_equal(register_read(&reg, 0, &record), FZ_REGISTER_OK);
        assert_int_equal(record.version, 0);
    }
    postgresql_server_do(&server, "DROP FUNCTION fail() CASCADE");
    register_close(&reg);
}

TEST("A user who may not connect to the database is refused, which does not get better by itself")
{
    struct fz_register reg = start();
    struct fz_record record;

    postgresql_server_do(&server, "CREATE ROLE guest LOGIN");
    postgresql_server_do(&server, "REVOKE CONNECT ON DATABASE postgres FROM PUBLIC");
    struct fz_register guest =
        postgresql_open_url("postgres://guest@127.0.0.1:%u/postgres/orders?timeout=60s", (unsigned)server.port);
    enum fz_register_result result = register_read(&guest, 0, &record);
    postgresql_server_do(&server, "GRANT CONNECT ON DATABASE postgres TO PUBLIC");
    postgresql_server_do(&server, "DROP ROLE guest");
    assert_int_equal(result, FZ_REGISTER_REFUSED);
    register_assert_said("permission denied for database");
    register_close(&guest);
    register_close(&reg);
}

TEST("When no connection is left it answers that, which passes")
{
    struct fz_register reg = start();
    struct fz_record record;

    postgresql_server_do(&server, "DROP ROLE IF EXISTS lonely");
    postgresql_server_do(&server, "CREATE ROLE lonely LOGIN CONNECTION LIMIT 0");
    struct fz_register lonely =
        postgresql_open_url("postgres://lonely@127.0.0.1:%u/postgres/orders", (unsigned)server.port);
    assert_int_equal(register_read(&lonely, 0, &record), FZ_REGISTER_UNREACHABLE);
    register_assert_said("cannot connect: ");
    register_assert_said("too many connections for role \"lonely\"");
    assert_int_equal(register_said.code, FRAZIL_EAGAIN);
    register_close(&lonely);
    register_close(&reg);
}
