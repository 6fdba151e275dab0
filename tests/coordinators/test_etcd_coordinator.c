/* SPDX-License-Identifier: MIT */
/*
 * Goal of this test: etcd as a coordinator tells an operator what to know of it,
 * and each finding is there when its cause is, and only then.
 */

#include "frazil/coordinators.h"
#include "lib/etcd_server.h"
#include "lib/findings.h"
#include "lib/test.h"

/* The findings on this server by this user ("NAME:PASSWORD@" or nothing). */
static struct findings diagnose(const struct server *server, const char *user)
{
    return findings_at(frazil_coordinator_etcd(), "etcd://%s127.0.0.1:%u/orders?timeout=60s", user,
                       (unsigned)server->port);
}

BEFORE_ALL
{
    test_need(etcd_server_installed());
}

TEST("A cluster of one without users works, and there is more to wish for")
{
    struct server server;

    etcd_server_start(&server, NULL);
    struct findings findings = diagnose(&server, "");
    assert_found(findings, "FAIL there is no namespace orders\n");
    assert_found(findings, "OK class: strict");
    assert_found(findings, "OK version: '3.");
    assert_found(findings, "OK leader: known\n");
    assert_found(findings, "WARN members: 1: when one of them stops nothing can be granted: use three\n");
    assert_found(findings, "OK alarms: none\n");
    assert_found(findings, "OK permissions: may read and write\n");
    assert_found(findings, "WARN users: no user is configured");
    assert_not_found(findings, "in the clear");
    findings = diagnose(&server, "joe:s3cret@");
    assert_found(findings, "WARN users: the URL names 'joe', but authentication is not enabled: etcdctl auth enable\n");
    assert_found(findings, "WARN encryption: none");
    assert_not_found(findings, "s3cret");
    server_stop(&server);
}

TEST("A user without the right to write is told so; nothing is written to find it out")
{
    static const char *const commands[] = {
        "user add root:r00t",  "user grant-role root root",
        "role add orders",     "role grant-permission orders readwrite frazil/lease/orders/ --prefix=true",
        "role add reader",     "role grant-permission reader read frazil/lease/orders/ --prefix=true",
        "user add joe:s3cret", "user grant-role joe orders",
        "user add eve:s3cret", "user grant-role eve reader",
        "auth enable"};
    struct server server;
    struct fz_record record;

    etcd_server_start(&server, NULL);
    for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++)
        etcd_server_must(&server, commands[i]);
    struct findings findings = diagnose(&server, "joe:s3cret@");
    assert_found(findings, "OK users: logged in as 'joe'\n");
    assert_found(findings, "OK permissions: may read and write\n");
    findings = diagnose(&server, "eve:s3cret@");
    assert_found(findings, "FAIL permissions: may not write: etcd://127.0.0.1:");
    assert_found(findings, "permission denied");
    struct fz_register reg = etcd_open_url("etcd://joe:s3cret@127.0.0.1:%u/orders?timeout=60s", (unsigned)server.port);
    assert_int_equal(reg.read(reg.ctx, FZ_DEADLINE_NONE, FZ_NAMESPACE, &record, NULL, NULL), FZ_REGISTER_OK);
    assert_int_equal(record.version, 0);
    reg.close(reg.ctx);
    server_stop(&server);
}

TEST("A full database is an alarm: nothing can be granted, and it says what to do")
{
    static const char *const arguments[] = {"--quota-backend-bytes", "65536", NULL};
    struct server server;
    char value[400];
    char words[512];
    uint64_t version;
    frazil_error err = {.message = ""};

    etcd_server_start(&server, arguments);
    memset(value, 'x', sizeof value - 1);
    value[sizeof value - 1] = '\0';
    for (int i = 0, more = true; more; i++) {
        snprintf(words, sizeof words, "put %d %s", i, value);
        more = etcd_server_control(&server, words);
        assert_true(i < 1000);
    }
    struct findings findings = diagnose(&server, "");
    assert_found(findings, "FAIL alarm: 'NOSPACE': it refuses to write: compact, defragment");
    assert_not_found(findings, "alarms: none");
    struct fz_register reg = etcd_open_url("etcd://127.0.0.1:%u/orders?timeout=60s", (unsigned)server.port);
    assert_int_equal(reg.swap(reg.ctx, FZ_DEADLINE_NONE, &(struct fz_swap){0, 0, "x", 1}, &version, NULL, &err),
                     FZ_REGISTER_UNREACHABLE);
    assert_int_equal(err.code, FRAZIL_EREFUSED); /* which is said as "cannot serve until that is fixed" */
    assert_non_null(strstr(err.message, "database space exceeded"));
    reg.close(reg.ctx);
    server_stop(&server);
}
