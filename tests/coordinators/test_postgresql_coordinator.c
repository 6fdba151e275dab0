/* SPDX-License-Identifier: MIT */
/*
 * Goal of this test: PostgreSQL as a coordinator tells an operator what to know of it,
 * and each finding is there when its cause is, and only then.
 */
#include <libpq-fe.h>

#include "frazil/coordinators.h"
#include "lib/findings.h"
#include "lib/postgresql_server.h"
#include "lib/test.h"

/* The findings on this server by this user. */
static struct findings diagnose_as(const struct server *server, const char *user)
{
    return findings_at(frazil_coordinator_postgresql(), "postgres://%s@127.0.0.1:%u/postgres/orders?timeout=60s", user,
                       (unsigned)server->port);
}

static struct findings diagnose(const struct server *server)
{
    return diagnose_as(server, "owner");
}

static void start(struct server *server, const char *const *settings)
{
    postgresql_server_start(server, settings);
    struct fz_register reg =
        postgresql_open_url("postgres://owner@127.0.0.1:%u/postgres/orders?timeout=60s", (unsigned)server->port);
    register_prepare(&reg);
    register_close(&reg);
}

TEST("A server as one wishes it: nothing but OK, once table and namespace are there")
{
    struct server server;

    postgresql_server_start(&server, NULL);
    struct findings findings = diagnose(&server);
    assert_found(findings, "FAIL there is no namespace orders\n");
    assert_found(findings,
                 "FAIL permissions: there is no table \"public\".\"frazil_lease\": frazil lease init creates it\n");
    postgresql_server_do(&server, "CREATE TABLE frazil_lease (namespace text COLLATE \"C\", number bigint, version "
                                  "bigint NOT NULL, data bytea NOT NULL, PRIMARY KEY (namespace, number))");
    postgresql_server_do(&server, "INSERT INTO frazil_lease VALUES ('orders', 4294967295, 1, 'x')");
    findings = diagnose(&server);
    assert_not_found(findings, "FAIL");
    assert_not_found(findings, "WARN");
    assert_found(findings, "OK version: '1");
    assert_found(findings, "OK role: primary\n");
    assert_found(findings, "OK durability: a grant is on the disk before it is used");
    assert_found(findings, "OK replication: no standby is connected: nothing that was acknowledged can be lost\n");
    assert_found(findings, "OK permissions: this user may read and write \"public\".\"frazil_lease\"\n");
    postgresql_server_stop(&server);
}

TEST("The effect of a crash of the host is a finding")
{
    static const char *const no_fsync[] = {"fsync=off", NULL};
    static const char *const no_full_pages[] = {"full_page_writes=off", NULL};
    struct server server;

    start(&server, no_fsync);
    assert_found(diagnose(&server), "FAIL durability: fsync is off");
    postgresql_server_crash(&server);
    postgresql_server_restart(&server, no_full_pages);
    assert_found(diagnose(&server), "WARN durability: full_page_writes is off");
    postgresql_server_stop(&server);
}

TEST("A standby is a danger unless commits wait for it, and is not itself asked")
{
    static const char *const logical[] = {"wal_level=logical", NULL};
    struct server primary;
    struct server standby;

    start(&primary, logical);
    postgresql_server_follow(&standby, &primary);
    struct findings findings = diagnose(&primary);
    assert_found(findings, "WARN replication: asynchronous standbys: '1'; one that is promoted may lack the last");
    postgresql_server_do(&primary, "CREATE ROLE app LOGIN; GRANT SELECT, INSERT, UPDATE ON frazil_lease TO app");
    assert_found(diagnose_as(&primary, "app"), "WARN replication: asynchronous standbys: '1'");
    findings = diagnose(&standby);
    assert_found(findings, "FAIL the coordinator cannot serve until that is fixed: ");
    assert_found(findings, "is a standby: worker ids need the primary");
    postgresql_server_do(&primary, "ALTER SYSTEM SET synchronous_standby_names = 'FIRST 1 (*)'");
    postgresql_server_do(&primary, "SELECT pg_reload_conf()");
    postgresql_server_await(&primary, "SELECT sync_state FROM pg_stat_replication", "sync");
    findings = diagnose(&primary);
    assert_found(findings,
                 "OK replication: a grant waits for the synchronous standbys 'FIRST 1 (*)': promote no other");
    assert_not_found(findings, "WARN replication");
    postgresql_server_stop(&standby);
    postgresql_server_stop(&primary);
}

TEST("A subscriber takes nothing over, and is not counted")
{
    static const char *const settings[] = {"wal_level=logical", NULL};
    struct server server;
    char info[128];

    start(&server, settings);
    postgresql_server_do(&server, "CREATE PUBLICATION p FOR ALL TABLES");
    postgresql_server_do(&server, "SELECT pg_create_logical_replication_slot('s', 'pgoutput')");
    snprintf(info, sizeof info, "host=127.0.0.1 port=%u user=owner dbname=postgres replication=database",
             (unsigned)server.port);
    PGconn *subscriber = PQconnectdb(info);
    PGresult *result =
        PQexec(subscriber, "START_REPLICATION SLOT s LOGICAL 0/0 (proto_version '1', publication_names 'p')");
    assert_int_equal(PQresultStatus(result), PGRES_COPY_BOTH);
    postgresql_server_await(&server, "SELECT count(*) FROM pg_stat_replication", "1");
    assert_found(diagnose(&server), "OK replication: no standby is connected");
    PQclear(result);
    PQfinish(subscriber);
    postgresql_server_stop(&server);
}

TEST("A table that a subscription writes to as well may be granting what its publisher grants")
{
    static const char *const settings[] = {"wal_level=logical", NULL};
    struct server publisher;
    struct server subscriber;
    char sql[192];

    start(&publisher, settings);
    start(&subscriber, NULL);
    assert_not_found(diagnose(&subscriber), "a subscription writes");
    postgresql_server_do(&publisher, "CREATE PUBLICATION p FOR ALL TABLES");
    snprintf(sql, sizeof sql,
             "CREATE SUBSCRIPTION s CONNECTION 'host=127.0.0.1 port=%u user=owner dbname=postgres' PUBLICATION p "
             "WITH (copy_data = false)",
             (unsigned)publisher.port);
    postgresql_server_do(&subscriber, sql);
    assert_found(diagnose(&subscriber),
                 "WARN replication: a subscription writes to \"public\".\"frazil_lease\", too: ");
    assert_not_found(diagnose(&publisher), "a subscription writes");
    postgresql_server_stop(&subscriber);
    postgresql_server_stop(&publisher);
}

TEST("A key without the order of bytes is a finding, which ends with the statement that mends it")
{
    struct server server;
    char sql[256];

    start(&server, NULL);
    assert_not_found(diagnose(&server), "WARN table");
    postgresql_server_do(&server, "ALTER TABLE frazil_lease ALTER COLUMN namespace TYPE text");
    struct findings findings = diagnose(&server);
    assert_found(findings, "WARN table: its key has the order of the collation 'default', which an upgrade or");
    const char *run = strstr(findings.text, "run ALTER TABLE");
    assert_non_null(run);
    snprintf(sql, sizeof sql, "%.*s", (int)strcspn(run + 4, "\n"), run + 4);
    postgresql_server_do(&server, sql);
    assert_not_found(diagnose(&server), "WARN table");
    postgresql_server_stop(&server);
}

TEST("The examination names the rights of this user, and those that are missing")
{
    static const char *const privileges[] = {"SELECT, INSERT", "SELECT, UPDATE"};
    struct server server;

    start(&server, NULL);
    postgresql_server_do(&server, "CREATE ROLE app LOGIN");
    assert_found(diagnose_as(&server, "app"), "FAIL the coordinator refuses: ");
    for (size_t i = 0; i < sizeof privileges / sizeof privileges[0]; i++) {
        char sql[128];
        snprintf(sql, sizeof sql, "REVOKE ALL ON frazil_lease FROM app; GRANT %s ON frazil_lease TO app",
                 privileges[i]);
        postgresql_server_do(&server, sql);
        assert_found(diagnose_as(&server, "app"),
                     "FAIL permissions: this user needs SELECT, INSERT and UPDATE on \"public\".\"frazil_lease\"\n");
    }
    postgresql_server_do(&server, "GRANT SELECT, INSERT, UPDATE ON frazil_lease TO app");
    assert_found(diagnose_as(&server, "app"), "OK permissions: this user may read and write");
    postgresql_server_do(&server, "ALTER ROLE app SET default_transaction_read_only = on");
    assert_found(diagnose_as(&server, "app"), "FAIL role: default_transaction_read_only is set");
    postgresql_server_stop(&server);
}

BEFORE_ALL
{
    test_need(postgresql_server_installed());
}
