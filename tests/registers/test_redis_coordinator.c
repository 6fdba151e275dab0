/* SPDX-License-Identifier: MIT */
/*
 * Goal of this test: Redis as a coordinator tells an operator what he should know of
 * it, and each finding is there when what it speaks of is, and only then.
 */

#include "lease/coordinator.h"
#include "lib/redis_rig.h"
#include "lib/test.h"
#include "os/clock.h"

struct findings {
    char text[4096]; /* "OK sentence\nWARN sentence\n..." */
    size_t len;
};

static void note(void *ctx, enum fz_finding_level level, const char *sentence)
{
    static const char *const names[] = {"OK", "WARN", "FAIL"};
    struct findings *findings = ctx;

    int len = snprintf(findings->text + findings->len, sizeof findings->text - findings->len, "%s %s\n", names[level],
                       sentence);
    findings->len += (size_t)len;
    assert_true(findings->len < sizeof findings->text);
}

/* What is found on this server by this user ("NAME:PASSWORD@" or nothing), with these keys of the URL. */
static struct findings examine_as(const struct server *server, const char *user, const char *keys)
{
    struct findings findings = {.len = 0};
    frazil_clock clock = fz_real_clock();
    frazil_error err;
    char url[256];

    snprintf(url, sizeof url, "redis://%s127.0.0.1:%u/orders%s", user, (unsigned)server->port, keys);
    if (frazil_redis()->examine(frazil_redis(), url, &clock, note, &findings, &err) != FRAZIL_OK)
        fail_msg("%s", err.message);
    return findings;
}

static struct findings examine(const struct server *server, const char *keys)
{
    return examine_as(server, "", keys);
}

static void assert_found(struct findings findings, const char *words)
{
    if (strstr(findings.text, words) == NULL)
        fail_msg("not found: %s\nbut: %s", words, findings.text);
}

static void assert_not_found(struct findings findings, const char *words)
{
    if (strstr(findings.text, words) != NULL)
        fail_msg("found: %s\nin: %s", words, findings.text);
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

TEST("It is of this version, names its client library and its URLs, and opens a register of each of them")
{
    const frazil_coordinator *redis = frazil_redis();
    char name[FZ_LEASE_NAME_SIZE];
    struct fz_register reg;
    frazil_error err;

    assert_string_equal(redis->version, FRAZIL_VERSION);
    assert_string_equal(redis->part, "redis");
    assert_memory_equal(redis->client, "hiredis ", 8);
    assert_in_range(redis->client[8], '0', '9');
    assert_string_equal(redis->schemes[0], "redis");
    assert_string_equal(redis->schemes[1], "redis+unix");
    assert_string_equal(redis->schemes[2], "rediss");
    assert_string_equal(redis->schemes[3], "sfid+redis");
    assert_string_equal(redis->schemes[4], "sfid+redis+unix");
    assert_string_equal(redis->schemes[5], "konayuki+redis");
    assert_string_equal(redis->schemes[6], "konayuki+redis+unix");
    assert_null(redis->schemes[7]);
    assert_int_equal(redis->open_register("redis://nobody/orders.7", &reg, name, &err), FRAZIL_OK);
    assert_string_equal(name, "orders.7");
    reg.close(reg.ctx);
    assert_int_equal(redis->open_register("redis://nobody/", &reg, name, &err), FRAZIL_ESPEC);
}

TEST("A server as one wishes it: nothing but OK, once the namespace is there")
{
    static const char *const arguments[] = {"--appendonly", "yes", NULL};
    struct server server;

    redis_server_start(&server, arguments);
    struct findings findings = examine(&server, "");
    assert_found(findings, "FAIL there is no namespace orders\n");
    ask(&server, "HSET frazil:lease:orders namespace '1 x'");
    findings = examine(&server, "");
    assert_not_found(findings, "FAIL");
    assert_not_found(findings, "WARN");
    assert_found(findings, "OK version: ");
    assert_found(findings, "OK role: master\n");
    assert_found(findings, "OK eviction: maxmemory-policy 'noeviction', and no maxmemory\n");
    assert_found(findings, "OK persistence: appendonly, appendfsync 'everysec'\n");
    assert_found(findings, "OK replication: no replica\n");
    server_stop(&server);
}

TEST("What it does with its data when it stops")
{
    struct server server;

    redis_server_start(&server, NULL);
    ask(&server, "CONFIG SET save '3600 1'");
    assert_found(examine(&server, ""), "WARN persistence: snapshots only");
    ask(&server, "CONFIG SET save ''");
    assert_found(examine(&server, ""), "WARN persistence: none");
    ask(&server, "CONFIG SET appendonly yes");
    assert_found(examine(&server, ""), "OK persistence: appendonly");
    server_stop(&server);
}

TEST("What it does when its memory is full")
{
    struct server server;

    redis_server_start(&server, NULL);
    ask(&server, "CONFIG SET maxmemory 1000000000");
    assert_found(examine(&server, ""), "OK eviction: maxmemory-policy 'noeviction'\n");
    assert_not_found(examine(&server, ""), "memory: nine tenths");
    ask(&server, "CONFIG SET maxmemory-policy volatile-lru");
    assert_found(examine(&server, ""), "WARN eviction: maxmemory-policy 'volatile-lru' spares leases");
    ask(&server, "CONFIG SET maxmemory 0");
    assert_found(examine(&server, ""), "OK eviction: maxmemory-policy 'volatile-lru', and no maxmemory\n");
    ask(&server, "CONFIG SET maxmemory-policy noeviction");
    ask(&server, "CONFIG SET maxmemory 100000");
    assert_found(examine(&server, ""), "WARN memory: nine tenths");
    server_stop(&server);
}

TEST("An evicting server is refused by the register, and the finding says why")
{
    static const char *const arguments[] = {"--maxmemory-policy", "allkeys-lru", NULL};
    struct server server;

    redis_server_start(&server, arguments);
    assert_found(examine(&server, ""), "FAIL the coordinator does not answer: redis://");
    assert_found(examine(&server, ""), "maxmemory-policy 'allkeys-lru'");
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
    assert_found(examine(&master, ""), "WARN replication: replicas: '1'; one that is cut off");
    assert_found(examine(&master, "?wait=1"), "OK replication: replicas: '1'; a grant waits for them\n");
    ask(&master, "CONFIG SET min-replicas-to-write 1");
    assert_found(examine(&master, ""), "OK replication: replicas: '1'; writes need some of them\n");
    assert_found(examine(&replica, ""), "is a replica: worker ids need its master");
    server_stop(&replica);
    server_stop(&master);
}

TEST("A user without CONFIG: that is said, and what INFO tells is still there")
{
    struct server server;

    redis_server_start(&server, NULL);
    ask(&server, "ACL SETUSER frazil on >pw ~frazil:* +eval +evalsha +script|load +time +info +hget +hset +hgetall");
    struct findings findings = examine_as(&server, "frazil:pw@", "");
    assert_found(findings, "WARN CONFIG GET is not allowed to this user");
    assert_found(findings, "WARN persistence: snapshots only");
    assert_found(findings, "OK role: master\n");
    assert_not_found(findings, "does not answer");
    assert_not_found(findings, "cannot be read");
    server_stop(&server);
}

TEST("Nobody there: a finding, and no error")
{
    const struct server nobody = {.port = free_port()};
    struct findings findings = {.len = 0};
    frazil_clock clock = fz_real_clock();

    assert_found(examine(&nobody, ""), "FAIL the coordinator does not answer: redis://127.0.0.1:");
    assert_int_equal(frazil_redis()->examine(frazil_redis(), "redis://", &clock, note, &findings, NULL), FRAZIL_ESPEC);
    assert_int_equal(findings.len, 0);
}
