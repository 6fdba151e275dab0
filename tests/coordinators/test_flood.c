/* SPDX-License-Identifier: MIT */
/*
 * Goal of this test: a coordinator that is silent, that trickles or that never stops sending costs a call its timeout
 * and a bounded amount of memory, and never passes for an answer.  One suite for each coordinator with a protocol.
 */
#define _DEFAULT_SOURCE /* wait4 */
#include <errno.h>
#include <pthread.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "frazil/coordinators.h"
#include "lease/coordinator.h"
#include "lib/flood.h"
#include "lib/patience.h"
#include "lib/ports.h"
#include "lib/register_rig.h"
#include "lib/test.h"
#include "os/clock.h"

/* A call may take half a second.  What comes a byte at a time goes on for longer than PATIENCE_S. */
enum { MEMORY_MAX_KIB = 192 * 1024, LIBPQ_MAX_KIB = 768 * 1024 };

/* Sanitizers keep what was freed. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define MEMORY_IS_SHOWN false
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#define MEMORY_IS_SHOWN false
#endif
#endif
#ifndef MEMORY_IS_SHOWN
#define MEMORY_IS_SHOWN true
#endif

#define TEXT(literal) (literal), sizeof(literal) - 1

static uint64_t now_ms(void)
{
    return fz_real_monotonic_ns() / 1000000;
}

struct target {
    const char *name;
    const frazil_coordinator *(*coordinator)(void);
    const char *front; /* of the URL, and what follows the port */
    const char *back;
};

/* ---- one call, in a process of its own -------------------------------------------- */

/* 0: the call said in time that there is no answer. */
static int ask(const struct target *target, uint16_t port, char what)
{
    char name[FZ_LEASE_NAME_SIZE];
    frazil_error why = {.message = ""};
    enum fz_register_result result;
    struct fz_register reg;
    struct fz_record record;
    uint64_t version;
    char url[256];

    snprintf(url, sizeof url, "%s%u%s", target->front, (unsigned)port, target->back);
    if (target->coordinator()->open_register(url, &reg, name, &why) != FRAZIL_OK)
        return 2;
    uint64_t begun_ms = now_ms();
    if (what == 's')
        result = reg.swap(reg.ctx, FZ_DEADLINE_NONE, &(struct fz_swap){7, 4711, "kept", 4}, &version, NULL, &why);
    else if (what == 'a')
        result = reg.read_all(reg.ctx, FZ_DEADLINE_NONE, register_ignore, NULL, NULL, &why);
    else if (what == 'm')
        result =
            reg.read_many(reg.ctx, FZ_DEADLINE_NONE, (const uint32_t[]){7, 8}, 2, 2, register_ignore, NULL, NULL, &why);
    else
        result = reg.read(reg.ctx, FZ_DEADLINE_NONE, 7, &record, NULL, &why);
    uint64_t took_ms = now_ms() - begun_ms;
    reg.close(reg.ctx);
    fprintf(stderr, "    %c: %llu ms: %s\n", what, (unsigned long long)took_ms, why.message);
    if (result == FZ_REGISTER_OK || result == FZ_REGISTER_CONFLICT || why.message[0] == '\0')
        return 3;
    if (strstr(why.message, strerror(EMSGSIZE)) != NULL) /* which tells nobody that it is the reply */
        return 5;
    return took_ms <= PATIENCE_MS ? 0 : 4;
}

static void hold_within(const struct target *target, const struct flood *flood, const char *how, long memory_max_kib)
{
    uint16_t port;
    pid_t server = flood_start(flood, &port);

    print_message("%s: %s\n", target->name, how);
    for (const char *what = "rams"; *what != '\0'; what++) {
        struct rusage before;
        struct rusage used;
        int status;
        getrusage(RUSAGE_SELF, &before);
        pid_t child = fork();
        assert_true(child >= 0);
        if (child == 0)
            _exit(ask(target, port, *what));
        assert_int_equal(wait4(child, &status, 0, &used), child);
        print_message("    %ld KiB\n", used.ru_maxrss - before.ru_maxrss);
        assert_int_equal(status, 0);
        if (MEMORY_IS_SHOWN)
            assert_true(used.ru_maxrss - before.ru_maxrss < memory_max_kib);
    }
    flood_stop(server);
}

static void hold(const struct target *target, const struct flood *flood, const char *how)
{
    hold_within(target, flood, how, MEMORY_MAX_KIB);
}

/* Silent, and slow: each takes the whole timeout. */
static void hold_to_time(const struct target *target, const struct flood *slow)
{
    static const struct flood silent = {.pace = FLOOD_SILENT, .piece = "x", .piece_len = 1};

    hold(target, &silent, "silent");
    hold(target, slow, "a byte at a time");
}

/* ---- the protocols ------------------------------------------------------------------ */

#ifdef FRAZIL_HAVE_REDIS
static const struct target redis = {"redis", frazil_coordinator_redis, "redis://127.0.0.1:", "/orders?timeout=500ms"};

TEST("A Redis that never stops answering, or answers a byte at a time, costs neither time nor memory without end")
{
    static const struct flood slow = {FLOOD_TRICKLE, NULL, 0, TEXT("$99999\r\n"), TEXT("x")};
    static const struct flood bulk = {FLOOD_FAST, NULL, 0, TEXT("$500000000\r\n"), TEXT("x")};
    static const struct flood line = {FLOOD_FAST, NULL, 0, TEXT("+"), TEXT("x")};
    static const struct flood array = {FLOOD_FAST, NULL, 0, TEXT("*500000000\r\n"), TEXT(":1\r\n")};
    static const struct flood arrays = {FLOOD_FAST, NULL, 0, TEXT("*500000\r\n"), TEXT("*3\r\n$-1\r\n*0\r\n:1\r\n")};

    hold_to_time(&redis, &slow);
    hold(&redis, &bulk, "a text without end");
    hold(&redis, &line, "a line without end");
    hold(&redis, &array, "an array of half a billion");
    hold(&redis, &arrays, "arrays in an array");
}
#endif

#ifdef FRAZIL_HAVE_ETCD
#define HTTP "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"

static const struct target etcd = {"etcd", frazil_coordinator_etcd, "etcd://127.0.0.1:", "/orders?timeout=500ms"};

TEST("Nor does such an etcd")
{
    static const struct flood slow = {FLOOD_TRICKLE, NULL, 0, TEXT(HTTP "\r\n{\"kvs\":["), TEXT("1,")};
    static const struct flood body = {FLOOD_FAST, NULL, 0, TEXT(HTTP "\r\n{\"kvs\":["), TEXT("1,")};
    static const struct flood headers = {FLOOD_FAST, NULL, 0, TEXT(HTTP), TEXT("Header: xxxxxxxxxxxxxxxxxxxxxxxx\r\n")};
    static const struct flood header = {FLOOD_FAST, NULL, 0, TEXT(HTTP "Header: "), TEXT("x")};
    static const struct flood early = {FLOOD_FAST, NULL, 0, TEXT(""), TEXT("HTTP/1.1 103 Early\r\nLink: x\r\n\r\n")};
    static const struct flood chunks = {FLOOD_FAST, NULL, 0, TEXT(HTTP "Transfer-Encoding: chunked\r\n\r\n"),
                                        TEXT("10\r\n1,2,3,4,5,6,7,8,\r\n")};

    hold_to_time(&etcd, &slow);
    hold(&etcd, &body, "a body without end");
    hold(&etcd, &headers, "headers without end");
    hold(&etcd, &header, "a header without end");
    hold(&etcd, &early, "early answers without end");
    hold(&etcd, &chunks, "chunks without end");
}
#endif

#ifdef FRAZIL_HAVE_POSTGRESQL
#define AUTHENTICATED "R\0\0\0\10\0\0\0\0"
#define GREETING                                                                                                       \
    AUTHENTICATED "S\0\0\0\30server_version\00015.0\0S\0\0\0\31client_encoding\0UTF8\0K\0\0\0\14\0\0\0\1\0\0\0\2"      \
                  "Z\0\0\0\5I"
/* Parsed, bound, and one column of text. */
#define ROWS "1\0\0\0\0042\0\0\0\4T\0\0\0\32\0\1c\0\0\0\0\0\0\0\0\0\0\31\377\377\0\0\0\0\0\0"

static const struct target postgresql = {"postgresql", frazil_coordinator_postgresql,
                                         "postgres://me@127.0.0.1:", "/db/orders?timeout=500ms&sslmode=disable"};

TEST("Nor does such a PostgreSQL, beyond what libpq makes room for")
{
    static const struct flood slow = {FLOOD_TRICKLE, TEXT(GREETING), TEXT(ROWS), TEXT("D\0\0\0\14\0\1\0\0\0\2ab")};
    static const struct flood rows = {FLOOD_FAST, TEXT(GREETING), TEXT(ROWS), TEXT("D\0\0\0\14\0\1\0\0\0\2ab")};
    static const struct flood row = {FLOOD_FAST, TEXT(GREETING), TEXT(ROWS "D\77\377\377\0\0\1\77\377\376\0"),
                                     TEXT("x")};
    static const struct flood notices = {FLOOD_FAST, TEXT(GREETING), TEXT("1\0\0\0\4"),
                                         TEXT("N\0\0\0\24SWARNING\0Mfull\0\0")};
    static const struct flood settings = {FLOOD_FAST, NULL, 0, TEXT(AUTHENTICATED), TEXT("S\0\0\0\12abc\0d\0")};
    static const struct flood error = {FLOOD_FAST, TEXT(GREETING), TEXT("E\77\377\377\0SERROR\0M"), TEXT("x")};

    hold_to_time(&postgresql, &slow);
    hold(&postgresql, &rows, "rows without end");
    /* libpq makes room for the length that a message claims, and reads on while something is there. */
    hold_within(&postgresql, &row, "a row of a gigabyte", LIBPQ_MAX_KIB);
    hold(&postgresql, &notices, "notices without end");
    hold(&postgresql, &settings, "settings without end, before one is logged in");
    hold_within(&postgresql, &error, "an error of a gigabyte", LIBPQ_MAX_KIB);
}
#endif

#ifdef FRAZIL_HAVE_MYSQL
/* A greeting of a server with TLS. */
#define TLS_GREETING                                                                                                   \
    "\123\0\0\0\12"                                                                                                    \
    "10.11.0-MariaDB\0\1\0\0\0saltsalt\0\11\252\55\2\0\13\0\25\0\0\0\0\0\0\0\0\0\0saltsaltsalt\0"                      \
    "mysql_native_password\0"

static const struct target mysql = {"mysql", frazil_coordinator_mysql,
                                    "mysql://me@127.0.0.1:", "/db/orders?timeout=500ms"};
static const struct target mysql_tls = {"mysql", frazil_coordinator_mysql,
                                        "mysql://me:s3cret@127.0.0.1:", "/db/orders?timeout=500ms"};

TEST("Nor does such a MySQL, which speaks first")
{
    static const struct flood packet = {FLOOD_FAST | FLOOD_FIRST, NULL, 0, TEXT("\377\377\377\0"), TEXT("x")};
    static const struct flood slow = {FLOOD_TRICKLE | FLOOD_FIRST, NULL, 0, TEXT("\112\0\0\0\12"), TEXT("1")};
    static const struct flood answer = {FLOOD_FAST | FLOOD_FIRST, TEXT(TLS_GREETING), TEXT("\377\377\377\2"),
                                        TEXT("x")};

    hold_to_time(&mysql, &slow);
    hold(&mysql, &packet, "a packet of 16 megabytes in place of a greeting");
    hold(&mysql, &answer, "a packet of 16 megabytes in place of an answer to the login");
}

TEST("Nor does a MySQL that is silent in the handshake of TLS, or sends what is none")
{
    static const struct flood silent = {FLOOD_SILENT | FLOOD_FIRST, TEXT(TLS_GREETING), TEXT(""), TEXT("x")};
    static const struct flood fast = {FLOOD_FAST | FLOOD_FIRST, TEXT(TLS_GREETING), TEXT("\26\3\3\77\377"), TEXT("x")};

    hold(&mysql_tls, &silent, "silent");
    hold(&mysql_tls, &fast, "no handshake");
}
#endif

#ifdef FRAZIL_HAVE_ZOOKEEPER
/* A session of 40 s. */
#define SESSION "\0\0\0\45\0\0\0\0\0\0\234\100\0\0\0\0\0\0\0\1\0\0\0\20pppppppppppppppp\0"

static const struct target zookeeper = {"zookeeper", frazil_coordinator_zookeeper,
                                        "zookeeper://127.0.0.1:", "/orders?timeout=500ms"};

TEST("Nor does such a ZooKeeper")
{
    static const struct flood slow = {FLOOD_TRICKLE, TEXT(SESSION), TEXT("\0\1\377\0"), TEXT("\0")};
    static const struct flood packet = {FLOOD_FAST, TEXT(SESSION), TEXT("\77\377\377\0"), TEXT("x")};
    static const struct flood pings = {FLOOD_FAST, TEXT(SESSION), TEXT(""),
                                       TEXT("\0\0\0\20\377\377\377\376\0\0\0\0\0\0\0\1\0\0\0\0")};
    static const struct flood early = {FLOOD_FAST, NULL, 0, TEXT("\77\377\377\0"), TEXT("x")};

    hold_to_time(&zookeeper, &slow);
    hold(&zookeeper, &packet, "a packet of a gigabyte");
    hold(&zookeeper, &pings, "pings without end");
    hold(&zookeeper, &early, "a packet of a gigabyte in place of a session");
}
#endif

/* ---- slots from elsewhere --------------------------------------------------------------- */

#ifdef FRAZIL_HAVE_REDIS
/* A call that waited for the URL's timeout, or one that waited for the others in turn, would take a minute. */
enum { CALLERS = 200, MAX_WAIT_MS = 300, LONGEST_MS = MAX_WAIT_MS + 30000 };

static void *take_one(void *ctx)
{
    frazil *gen = ctx;
    uint64_t id;
    uint64_t begun_ms = now_ms();

    frazil_err err = frazil_next(gen, &id);
    /* The thread that asked learns that nobody answers, the others that no id is free. */
    bool is_told = err == FRAZIL_EUNREACHABLE || err == FRAZIL_EAGAIN;
    return (void *)(uintptr_t)(is_told ? now_ms() - begun_ms : UINT64_MAX);
}

TEST("Many threads at a silent coordinator wait as long as one: max_wait, whatever the timeout of the URL is")
{
    static const struct flood silent = {.pace = FLOOD_SILENT, .piece = "x", .piece_len = 1};
    const frazil_coordinator *coordinators[] = {frazil_coordinator_redis(), NULL};
    const struct ports ports = {.coordinators = coordinators};
    pthread_t threads[CALLERS];
    frazil_error err;
    uint16_t port;
    char spec[160];
    frazil *gen;

    pid_t server = flood_start(&silent, &port);
    snprintf(spec, sizeof spec, "worker=fixed:7 max_wait=%dms state=redis://127.0.0.1:%u/orders?timeout=60s",
             MAX_WAIT_MS, (unsigned)port);
    if (ports_open(&gen, spec, &ports, &err) != FRAZIL_OK)
        fail_msg("%s", err.message);
    for (size_t i = 0; i < CALLERS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, take_one, gen), 0);
    for (size_t i = 0; i < CALLERS; i++) {
        void *took_ms;
        assert_int_equal(pthread_join(threads[i], &took_ms), 0);
        print_message("%u ms\n", (unsigned)(uintptr_t)took_ms);
        assert_true((uintptr_t)took_ms < LONGEST_MS);
    }
    frazil_close(gen);
    flood_stop(server);
}
#endif
