/* SPDX-License-Identifier: MIT */
/*
 * Goal of this test: what a Redis is, and may have become, is noticed: restarted,
 * promoted, evicting, locked, or somebody else's.
 */
#include <sys/stat.h>
#include <time.h>

#include "lib/patience.h"
#include "lib/redis_rig.h"
#include "lib/test.h"

static struct redis_rig rig;

BEFORE_ALL
{
    test_need(redis_server_installed());
}

AFTER_EACH
{
    redis_rig_stop(&rig);
}

TEST("A restart is another incarnation, with what was saved or without; nothing else is")
{
    struct fz_record record;
    uint64_t version = 0;

    static const char *const durable[] = {"--appendonly", "yes", "--appendfsync", "always", "--save", "", NULL};
    redis_rig_start(&rig, durable);
    assert_int_equal(register_swap(&rig.direct, 0, 0, "first", &version), FZ_REGISTER_OK);
    struct fz_register_status first = register_status_of(&rig.direct);
    assert_string_equal(redis_server_ask(&rig.server, "FLUSHALL"), "OK");
    assert_string_equal(register_status_of(&rig.direct).incarnation, first.incarnation);
    version = 0;
    assert_int_equal(register_swap(&rig.direct, 0, 0, "again", &version), FZ_REGISTER_OK);
    server_kill(&rig.server);
    redis_server_restart(&rig.server, durable);
    struct fz_register_status second = register_status_of(&rig.direct);
    assert_string_not_equal(second.incarnation, first.incarnation);
    assert_int_equal(register_read(&rig.direct, 0, &record), FZ_REGISTER_OK);
    assert_int_equal(record.version, version);
}

TEST("The clock is the server's")
{
    redis_rig_start(&rig, NULL);
    struct fz_register_status status = register_status_of(&rig.direct);
    long long before_s = strtoll(redis_server_ask(&rig.server, "EVAL \"return redis.call('TIME')[1]\" 0"), NULL, 10);
    assert_true(status.has_clock);
    assert_in_range(before_s * 1000 - status.unix_ms + 60000, 0, 120000);
}

TEST("The incarnation is the run id and the replication id, each of which can change alone")
{
    char run_id[64];
    char wanted[FZ_INCARNATION_SIZE];

    redis_rig_start(&rig, NULL);
    snprintf(run_id, sizeof run_id, "%s",
             redis_server_ask(&rig.server, "EVAL \"return redis.call('INFO', 'server'):match('run_id:(%x+)')\" 0"));
    assert_int_equal(strlen(run_id), 40);
    for (int promotions = 0; promotions < 2; promotions++) {
        snprintf(
            wanted, sizeof wanted, "%s:%s", run_id,
            redis_server_ask(&rig.server, "EVAL \"return redis.call('INFO', 'replication'):match('replid:(%x+)')\" 0"));
        assert_string_equal(register_status_of(&rig.direct).incarnation, wanted);
        assert_string_equal(redis_server_ask(&rig.server, "REPLICAOF 127.0.0.1 1"), "OK");
        assert_string_equal(redis_server_ask(&rig.server, "REPLICAOF NO ONE"), "OK");
        assert_string_not_equal(register_status_of(&rig.direct).incarnation, wanted);
    }
}

static void start_replica(struct server *ret)
{
    char port[8];
    const char *arguments[] = {"--replicaof", "127.0.0.1", port, "--repl-diskless-sync-delay", "0", NULL};

    snprintf(port, sizeof port, "%u", (unsigned)rig.server.port);
    /* On the command line the two words of replicaof are one option's. */
    redis_server_start(ret, arguments);
    static const char look[] = "EVAL \"return redis.call('INFO', 'replication'):match('link_status:(%a+)')\" 0";
    AWAIT(strcmp(redis_server_ask(ret, look), "up") == 0, "the replica does not find its master");
}

TEST("The first replica makes the server another incarnation, and one that comes back does not")
{
    struct server replica;

    redis_rig_start(&rig, NULL);
    struct fz_register_status alone = register_status_of(&rig.direct);
    start_replica(&replica);
    struct fz_register_status with_one = register_status_of(&rig.direct);
    assert_string_not_equal(with_one.incarnation, alone.incarnation);
    server_stop(&replica);
    start_replica(&replica);
    assert_string_equal(register_status_of(&rig.direct).incarnation, with_one.incarnation);
    server_stop(&replica);
}

TEST("A replica is not asked; when it has been made a master it is another incarnation than the old one was")
{
    struct server replica;
    struct fz_record record;
    uint64_t version;

    redis_rig_start(&rig, NULL);
    struct fz_register_status old = register_status_of(&rig.direct);
    start_replica(&replica);
    struct fz_register reg = redis_open_url("redis://127.0.0.1:%u/orders", (unsigned)replica.port);
    assert_int_equal(register_read(&reg, 0, &record), FZ_REGISTER_UNREACHABLE);
    register_assert_said("is a replica: worker ids need its master");
    assert_int_equal(register_swap(&reg, 0, 0, "x", &version), FZ_REGISTER_UNREACHABLE);
    assert_string_equal(redis_server_ask(&replica, "REPLICAOF NO ONE"), "OK");
    assert_string_not_equal(register_status_of(&reg).incarnation, old.incarnation);
    register_close(&reg);
    server_stop(&replica);
}

TEST("wait=N: a write that too few replicas have is done, and yet not to be relied on")
{
    struct server replica;
    struct fz_record record;
    uint64_t version = 0;

    redis_rig_start(&rig, NULL);
    struct fz_register reg = redis_open_url("redis://127.0.0.1:%u/orders?wait=1&timeout=4s", (unsigned)rig.server.port);
    enum fz_register_result result = FZ_REGISTER_UNREACHABLE;
    AWAIT((result = register_swap(&reg, 0, 0, "lonely", &version)) != FZ_REGISTER_UNREACHABLE, "%s",
          register_said.message); /* not sent in time */
    assert_int_equal(result, FZ_REGISTER_UNKNOWN);
    register_assert_said("only 0 of the 1 required replicas have the write");
    assert_int_equal(register_read(&reg, 0, &record), FZ_REGISTER_OK);
    assert_memory_equal(record.data, "lonely", 6);
    assert_int_equal(register_swap(&reg, 0, 1, "x", &version), FZ_REGISTER_CONFLICT);
    register_close(&reg);

    start_replica(&replica);
    reg = redis_open_url("redis://127.0.0.1:%u/orders?wait=1&timeout=60s", (unsigned)rig.server.port);
    assert_int_equal(register_swap(&reg, 0, record.version, "kept", &version), FZ_REGISTER_OK);
    assert_string_equal(
        redis_server_ask(&replica, "EVAL \"return redis.call('HGET', 'frazil:lease:orders', '0'):sub(-4)\" 0"), "kept");
    register_close(&reg);
    server_stop(&replica);
}

TEST("A server that may evict any key is refused, and the sentence says what to set")
{
    static const char *const arguments[] = {"--maxmemory-policy", "allkeys-lru", NULL};
    struct fz_record record;
    uint64_t version;

    redis_rig_start(&rig, arguments);
    assert_int_equal(register_read(&rig.direct, 0, &record), FZ_REGISTER_REFUSED);
    register_assert_said("maxmemory-policy 'allkeys-lru'");
    register_assert_said("set noeviction, or a volatile-* policy");
    assert_int_equal(register_swap(&rig.direct, 0, 0, "x", &version), FZ_REGISTER_REFUSED);
    assert_string_equal(redis_server_ask(&rig.server, "EXISTS frazil:lease:orders"), "0");
    assert_string_equal(redis_server_ask(&rig.server, "CONFIG SET maxmemory-policy volatile-lru"), "OK");
    assert_int_equal(register_swap(&rig.direct, 0, 0, "x", &version), FZ_REGISTER_OK);
    assert_string_equal(redis_server_ask(&rig.server, "TTL frazil:lease:orders"), "-1");
}

TEST("A password, by the URL or by a file; without it or with a wrong one: refused, and no sentence has it")
{
    static const char *const arguments[] = {"--requirepass", "s3cret/?", NULL};
    struct fz_record record;
    char path[128];

    redis_rig_start(&rig, arguments);
    assert_int_equal(register_read(&rig.direct, 0, &record), FZ_REGISTER_REFUSED);
    register_assert_said("NOAUTH Authentication required.': give the password in the URL");
    unsigned port = rig.server.port;
    struct fz_register wrong = redis_open_url("redis://:wr0ng@127.0.0.1:%u/orders", port);
    assert_int_equal(register_read(&wrong, 0, &record), FZ_REGISTER_REFUSED);
    register_assert_said("WRONGPASS");
    assert_null(strstr(register_said.message, "wr0ng"));
    struct fz_register right = redis_open_url("redis://:s3cret%%2f%%3f@127.0.0.1:%u/orders", port);
    assert_int_equal(register_read(&right, 0, &record), FZ_REGISTER_OK);
    struct fz_register named = redis_open_url("redis://default:s3cret%%2f%%3f@127.0.0.1:%u/orders?db=2", port);
    assert_int_equal(register_read(&named, 0, &record), FZ_REGISTER_OK);

    snprintf(path, sizeof path, "%s/password", rig.server.folder);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs("s3cret/?\n", file) >= 0);
    assert_int_equal(fclose(file), 0);
    assert_int_equal(chmod(path, 0600), 0);
    struct fz_register by_file = redis_open_url("redis://127.0.0.1:%u/orders?password_file=%s", port, path);
    assert_int_equal(register_read(&by_file, 0, &record), FZ_REGISTER_OK);
    register_close(&by_file);
    register_close(&named);
    register_close(&right);
    register_close(&wrong);
}

TEST("The rights that the manual names are enough; one of them less is refused")
{
    uint64_t version = 0;

    redis_rig_start(&rig, NULL);
    assert_string_equal(redis_server_ask(&rig.server, "ACL SETUSER frazil on >s3cret ~frazil:* +eval +evalsha +time "
                                                      "+info +wait +select +config|get +hget +hset +hgetall"),
                        "OK");
    struct fz_register reg =
        redis_open_url("redis://frazil:s3cret@127.0.0.1:%u/orders?db=1", (unsigned)rig.server.port);
    assert_int_equal(register_swap(&reg, 0, 0, "x", &version), FZ_REGISTER_OK);
    uint64_t versions[4] = {0};
    assert_int_equal(reg.read_many(reg.ctx, FZ_DEADLINE_NONE, (uint32_t[]){0, 1}, 2, 2, register_note_versions,
                                   versions, NULL, NULL),
                     FZ_REGISTER_OK);
    assert_int_equal(reg.read_all(reg.ctx, FZ_DEADLINE_NONE, register_note_versions, versions, NULL, NULL),
                     FZ_REGISTER_OK);
    assert_int_equal(versions[0], version);
    assert_string_equal(redis_server_ask(&rig.server, "ACL SETUSER frazil -hset"), "OK");
    assert_int_equal(register_swap(&reg, 0, version, "y", &version), FZ_REGISTER_REFUSED);
    assert_string_equal(redis_server_ask(&rig.server, "ACL SETUSER frazil -evalsha"), "OK");
    assert_int_equal(register_swap(&reg, 0, version, "y", &version), FZ_REGISTER_REFUSED);
    register_assert_said("NOPERM");
    register_close(&reg);
}

TEST("Without an answer to the password nothing that matters was sent: nothing is in doubt")
{
    uint64_t version;

    redis_rig_start(&rig, NULL);
    struct fz_register reg = redis_open_url("redis://:x@127.0.0.1:%u/orders?timeout=100ms", (unsigned)rig.proxy->port);
    proxy_set(rig.proxy, PROXY_HOLD_REPLIES);
    assert_int_equal(register_swap(&reg, 0, 0, "x", &version), FZ_REGISTER_UNREACHABLE);
    register_assert_said("did not answer within 100 ms");
    register_close(&reg);
}

TEST("Databases and namespaces are apart; one that does not exist is refused before anything is written elsewhere")
{
    struct fz_record record;
    uint64_t version;

    redis_rig_start(&rig, NULL);
    struct fz_register other_db = redis_open_url("redis://127.0.0.1:%u/orders?db=3", (unsigned)rig.server.port);
    struct fz_register other_name = redis_open_url("redis://127.0.0.1:%u/bills", (unsigned)rig.server.port);
    struct fz_register no_db = redis_open_url("redis://127.0.0.1:%u/orders?db=99", (unsigned)rig.server.port);
    struct fz_register by_socket = redis_open_url("redis+unix://%s/orders?db=3", redis_server_socket(&rig.server));
    assert_int_equal(register_swap(&other_db, 0, 0, "db 3", &version), FZ_REGISTER_OK);
    assert_int_equal(register_read(&rig.direct, 0, &record), FZ_REGISTER_OK);
    assert_int_equal(record.version, 0);
    assert_int_equal(register_read(&other_name, 0, &record), FZ_REGISTER_OK);
    assert_int_equal(record.version, 0);
    assert_int_equal(register_read(&by_socket, 0, &record), FZ_REGISTER_OK);
    assert_int_equal(record.version, version);
    for (int i = 0; i < 2; i++) { /* the second time, too */
        assert_int_equal(register_swap(&no_db, 0, 0, "x", &version), FZ_REGISTER_REFUSED);
        register_assert_said("out of range");
    }
    assert_int_equal(register_read(&rig.direct, 0, &record), FZ_REGISTER_OK);
    assert_int_equal(record.version, 0);
    register_close(&other_db);
    register_close(&other_name);
    register_close(&no_db);
    register_close(&by_socket);
}

/* How often the server was sent a script and not its name, this question included. */
static long scripts_sent(void)
{
    return strtol(redis_server_ask(&rig.server, "EVAL \"return redis.call('INFO', "
                                                "'commandstats'):match('cmdstat_eval:calls=(%d+)') or 0\" 0"),
                  NULL, 10);
}

TEST("One process of a fleet sends the script; the others call it by its name at once")
{
    uint64_t version;

    redis_rig_start(&rig, NULL);
    (void)scripts_sent();
    long before = scripts_sent();
    assert_int_equal(register_swap(&rig.direct, 0, 0, "x", &version), FZ_REGISTER_OK);
    assert_int_equal(scripts_sent() - before, 2);
    before = scripts_sent();
    struct fz_register another = redis_open_url("redis://127.0.0.1:%u/orders", (unsigned)rig.server.port);
    assert_int_equal(register_swap(&another, 1, 0, "x", &version), FZ_REGISTER_OK);
    assert_int_equal(scripts_sent() - before, 1);
    register_close(&another);
}

TEST("After SCRIPT FLUSH the script is sent again, by itself")
{
    uint64_t version = 0;

    redis_rig_start(&rig, NULL);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(register_swap(&rig.direct, 0, version, "x", &version), FZ_REGISTER_OK);
        assert_int_equal(register_swap(&rig.direct, 0, version, "x", &version), FZ_REGISTER_OK);
        assert_string_equal(redis_server_ask(&rig.server, "SCRIPT FLUSH"), "OK");
    }
}

TEST("Versions grow when the server's clock has gone back, too")
{
    uint64_t version = 0;

    redis_rig_start(&rig, NULL);
    assert_string_equal(redis_server_ask(&rig.server, "HSET frazil:lease:orders 0 '9000000000000000 x'"), "1");
    assert_int_equal(register_swap(&rig.direct, 0, UINT64_C(9000000000000000), "y", &version), FZ_REGISTER_OK);
    assert_int_equal(version, UINT64_C(9000000000000001));
}

TEST("A foreign value in the key is refused, or shown as damaged, and never overwritten")
{
    struct fz_record record;
    uint64_t version;
    uint64_t versions[4] = {0};

    redis_rig_start(&rig, NULL);
    assert_string_equal(redis_server_ask(&rig.server, "SET frazil:lease:orders x"), "OK");
    assert_int_equal(register_read(&rig.direct, 0, &record), FZ_REGISTER_REFUSED);
    register_assert_said("WRONGTYPE");
    assert_int_equal(register_swap(&rig.direct, 0, 0, "x", &version), FZ_REGISTER_REFUSED);
    assert_string_equal(redis_server_ask(&rig.server, "DEL frazil:lease:orders"), "1");

    assert_string_equal(redis_server_ask(&rig.server, "HSET frazil:lease:orders 0 foreign 1 '7 x' 2 07"), "3");
    assert_int_equal(register_read(&rig.direct, 0, &record), FZ_REGISTER_REFUSED);
    register_assert_said("was not written by frazil");
    assert_int_equal(register_swap(&rig.direct, 0, 0, "x", &version), FZ_REGISTER_CONFLICT);
    assert_int_equal(
        rig.direct.read_all(rig.direct.ctx, FZ_DEADLINE_NONE, register_note_versions, versions, NULL, NULL),
        FZ_REGISTER_OK);
    assert_int_equal(versions[0], 1);
    assert_int_equal(versions[1], 7);
    assert_int_equal(versions[2], 1);
    assert_int_equal(versions[3], 0);
    assert_string_equal(redis_server_ask(&rig.server, "HSET frazil:lease:orders namespace foreign"), "1");
    assert_int_equal(
        rig.direct.read_all(rig.direct.ctx, FZ_DEADLINE_NONE, register_note_versions, versions, NULL, &register_said),
        FZ_REGISTER_REFUSED);
    assert_string_equal(redis_server_ask(&rig.server, "HDEL frazil:lease:orders namespace"), "1");
    assert_string_equal(redis_server_ask(&rig.server, "HSET frazil:lease:orders worker x"), "1");
    assert_int_equal(
        rig.direct.read_all(rig.direct.ctx, FZ_DEADLINE_NONE, register_note_versions, versions, NULL, &register_said),
        FZ_REGISTER_REFUSED);
}
