/* SPDX-License-Identifier: MIT */
/*
 * Goal of this test: Redis as a coordinator tells an operator what to know of it,
 * and each finding is there when its cause is, and only then.
 */

#include "frazil/coordinators.h"
#include "lib/findings.h"
#include "lib/redis_rig.h"
#include "lib/test.h"

/* The findings on this server by this user ("NAME:PASSWORD@" or nothing), with these keys of the URL. */
static struct findings diagnose_as(const struct server *server, const char *user, const char *keys)
{
    return findings_at(frazil_coordinator_redis(), "redis://%s127.0.0.1:%u/orders%s", user, (unsigned)server->port,
                       keys);
}

static struct findings diagnose(const struct server *server, const char *keys)
{
    return diagnose_as(server, "", keys);
}

static void ask(const struct server *server, const char *command)
{
    const char *reply = redis_server_ask(server, command);

    if (reply[0] == '-')
        fail_msg("%s: %s", command, reply);
}

BEFORE_ALL
{
    test_need(redis_server_installed());
}

TEST("A server as one wishes it: nothing but OK, once the namespace is there")
{
    static const char *const arguments[] = {"--appendonly", "yes", NULL};
    struct server server;

    redis_server_start(&server, arguments);
    struct findings findings = diagnose(&server, "");
    assert_found(findings, "FAIL there is no namespace orders\n");
    ask(&server, "HSET frazil:lease:orders namespace '1 x'");
    findings = diagnose(&server, "");
    assert_not_found(findings, "FAIL");
    assert_not_found(findings, "WARN");
    assert_found(findings, "OK version: ");
    assert_found(findings, "OK role: master\n");
    assert_found(findings, "OK eviction: maxmemory-policy 'noeviction', and no maxmemory\n");
    assert_found(findings, "OK persistence: appendonly, appendfsync 'everysec'\n");
    assert_found(findings, "OK replication: no replica\n");
    assert_found(findings, "OK writes: allowed\n");
    assert_found(
        diagnose(&server, "?wait=1"),
        "FAIL replication: replicas: '0', and wait=1 of the URL needs more: nothing is granted without them\n");
    server_stop(&server);
}

TEST("The fate of its data when it stops is a finding")
{
    struct server server;

    redis_server_start(&server, NULL);
    ask(&server, "CONFIG SET save '3600 1'");
    assert_found(diagnose(&server, ""), "WARN persistence: snapshots only");
    ask(&server, "CONFIG SET save ''");
    assert_found(diagnose(&server, ""), "WARN persistence: none");
    ask(&server, "CONFIG SET appendonly yes");
    assert_found(diagnose(&server, ""), "OK persistence: appendonly");
    server_stop(&server);
}

TEST("Its behaviour when its memory is full is a finding")
{
    struct server server;

    redis_server_start(&server, NULL);
    ask(&server, "CONFIG SET maxmemory 1000000000");
    assert_found(diagnose(&server, ""), "OK eviction: maxmemory-policy 'noeviction'\n");
    assert_not_found(diagnose(&server, ""), "memory: nine tenths");
    ask(&server, "CONFIG SET maxmemory-policy volatile-lru");
    assert_found(diagnose(&server, ""), "WARN eviction: maxmemory-policy 'volatile-lru' spares leases");
    ask(&server, "CONFIG SET maxmemory 0");
    assert_found(diagnose(&server, ""), "OK eviction: maxmemory-policy 'volatile-lru', and no maxmemory\n");
    ask(&server, "CONFIG SET maxmemory-policy noeviction");
    ask(&server, "CONFIG SET maxmemory 100000");
    struct findings findings = diagnose(&server, "");
    assert_found(findings, "FAIL memory: maxmemory is used up");
    assert_not_found(findings, "memory: nine tenths");
    ask(&server, "CONFIG SET maxmemory 100mb");
    ask(&server, "EVAL \"redis.call('SET', 'x', string.rep('x', 94 * 1024 * 1024))\" 0");
    findings = diagnose(&server, "");
    assert_found(findings, "WARN memory: nine tenths");
    assert_not_found(findings, "memory: maxmemory is used up");
    server_stop(&server);
}

TEST("An evicting server is refused by the register, and the finding says why")
{
    static const char *const arguments[] = {"--maxmemory-policy", "allkeys-lru", NULL};
    struct server server;

    redis_server_start(&server, arguments);
    assert_found(diagnose(&server, ""), "FAIL the coordinator refuses: redis://");
    assert_found(diagnose(&server, ""), "maxmemory-policy 'allkeys-lru'");
    server_stop(&server);
}

TEST("Replicas without anybody who waits for them are a warning; with somebody they are not")
{
    struct server master;
    struct server replica;
    char port[8];

    redis_server_start(&master, NULL);
    snprintf(port, sizeof port, "%u", (unsigned)master.port);
    const char *arguments[] = {"--replicaof", "127.0.0.1", port, "--repl-diskless-sync-delay", "0", NULL};
    redis_server_start(&replica, arguments);
    while (strcmp(redis_server_ask(&master, "WAIT 1 100"), "1") != 0)
        ;
    assert_found(diagnose(&master, ""), "WARN replication: replicas: '1'; one that is promoted");
    assert_found(diagnose(&master, "?wait=1"), "OK replication: replicas: '1'; a grant waits for them\n");
    ask(&master, "CONFIG SET min-replicas-to-write 1");
    assert_found(diagnose(&master, ""), "OK replication: replicas: '1'; writes need some of them\n");
    assert_found(diagnose(&replica, ""), "is a replica: worker ids need its master");
    server_stop(&replica);
    server_stop(&master);
}

TEST("Fewer than half of the replicas are no fence: two masters can have as many each, and that is a warning")
{
    enum { REPLICAS = 3 };
    struct server master;
    struct server replicas[REPLICAS];
    char port[8];

    redis_server_start(&master, NULL);
    snprintf(port, sizeof port, "%u", (unsigned)master.port);
    const char *arguments[] = {"--replicaof", "127.0.0.1", port, "--repl-diskless-sync-delay", "0", NULL};
    for (int i = 0; i < REPLICAS; i++)
        redis_server_start(&replicas[i], arguments);
    while (strcmp(redis_server_ask(&master, "WAIT 3 100"), "3") != 0)
        ;
    assert_found(diagnose(&master, ""), "WARN replication: replicas: '3'; one that is promoted");
    for (int i = 0; i < 2; i++) {
        struct findings findings = diagnose(&master, i == 0 ? "?wait=1" : "");
        assert_found(findings, "WARN replication: replicas: '3', and writes need 1 of them: in a network partition");
        assert_found(findings, "set min-replicas-to-write 2, or put wait=2 into the URL\n");
        ask(&master, "CONFIG SET min-replicas-to-write 1");
    }
    assert_found(diagnose(&master, "?wait=2"), "OK replication: replicas: '3'; a grant waits for them\n");
    ask(&master, "CONFIG SET min-replicas-to-write 2");
    assert_found(diagnose(&master, "?wait=1"), "OK replication: replicas: '3'; writes need some of them\n");
    server_stop(&replicas[0]);
    while (strcmp(redis_server_ask(&master, "WAIT 3 1"), "2") != 0)
        ;
    ask(&master, "CONFIG SET min-replicas-to-write 0");
    assert_found(diagnose(&master, "?wait=1"), "OK replication: replicas: '2'; a grant waits for them\n");
    for (int i = 1; i < REPLICAS; i++)
        server_stop(&replicas[i]);
    server_stop(&master);
}

TEST("A server that wants replicas for a write, and has none: that is said, to users without CONFIG as well")
{
    struct server server;

    redis_server_start(&server, NULL);
    ask(&server, "HSET frazil:lease:orders namespace '1 x'");
    ask(&server, "ACL SETUSER frazil on >pw ~frazil:* +eval +evalsha +time +info +hget +hset +hgetall");
    ask(&server, "CONFIG SET min-replicas-to-write 2");
    for (int i = 0; i < 2; i++) {
        struct findings findings = diagnose_as(&server, i == 0 ? "" : "frazil:pw@", "");
        assert_found(findings, "FAIL replication: replicas that keep up: '0', and min-replicas-to-write needs more");
        assert_found(
            findings,
            "FAIL writes: refused, so that nothing can be granted: HSET of 'frazil:lease:orders': 'NOREPLICAS ");
    }
    ask(&server, "CONFIG SET min-replicas-to-write 0");
    assert_not_found(diagnose(&server, ""), "FAIL");
    server_stop(&server);
}

TEST("A user who may read and not write: that is said, and nothing is written to find out")
{
    struct server server;

    redis_server_start(&server, NULL);
    ask(&server, "HSET frazil:lease:orders namespace '1 x'");
    ask(&server, "ACL SETUSER reader on >pw ~frazil:* +eval +evalsha +time +info +config|get +hget +hgetall");
    assert_found(diagnose_as(&server, "reader:pw@", ""),
                 "FAIL writes: refused, so that nothing can be granted: HSET of 'frazil:lease:orders': '");
    ask(&server, "ACL SETUSER reader +hset");
    assert_found(diagnose_as(&server, "reader:pw@", ""), "OK writes: allowed\n");
    assert_string_equal(redis_server_ask(&server, "HLEN frazil:lease:orders"), "1");
    server_stop(&server);
}

TEST("A user without CONFIG: that is said, and what INFO tells is still there")
{
    struct server server;

    redis_server_start(&server, NULL);
    ask(&server, "ACL SETUSER frazil on >pw ~frazil:* +eval +evalsha +time +info +hget +hset +hgetall");
    struct findings findings = diagnose_as(&server, "frazil:pw@", "");
    assert_found(findings, "WARN this user may not run CONFIG GET");
    assert_found(findings, "WARN persistence: snapshots only");
    assert_found(findings, "OK role: master\n");
    assert_not_found(findings, "does not answer");
    assert_not_found(findings, "cannot be read");
    server_stop(&server);
}
