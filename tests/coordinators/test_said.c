/* SPDX-License-Identifier: MIT */
/*
 * Goal of this test: a server that quotes what it was sent shows no password.  A Redis whose AUTH has another name
 * does that, and so do gateways that take a request apart.
 */
#include <netinet/in.h>
#include <pthread.h>
#include <sys/socket.h>
#include <unistd.h>

#include "common/said.h"
#include "frazil/coordinators.h"
#include "lease/coordinator.h"
#include "lib/test.h"

#define PASSWORD "s3cret"

/* NULL: this build lacks its client library, and nobody could say anything. */
#ifdef FRAZIL_HAVE_REDIS
#define REDIS frazil_coordinator_redis()
#else
#define REDIS NULL
#endif
#ifdef FRAZIL_HAVE_ETCD
#define ETCD frazil_coordinator_etcd()
#else
#define ETCD NULL
#endif
#ifdef FRAZIL_HAVE_POSTGRESQL
#define POSTGRESQL frazil_coordinator_postgresql()
#else
#define POSTGRESQL NULL
#endif

#ifdef FRAZIL_HAVE_MYSQL
#define MYSQL_COORDINATOR frazil_coordinator_mysql()
#else
#define MYSQL_COORDINATOR NULL
#endif

/* ---- the text ---------------------------------------------------------------------- */

static const char *said(const char *text, const char *password)
{
    static char ret[FZ_SAID_SIZE];

    return fz_said(text, strlen(text), password, ret);
}

TEST("The password is left out wherever it stands, and nothing else is")
{
    assert_string_equal(said("with 's3cret' and s3crets3cret", PASSWORD), "with '...' and ......");
    assert_string_equal(said("s3cre", PASSWORD), "s3cre");
    assert_string_equal(said("nothing of the kind", PASSWORD), "nothing of the kind");
    assert_string_equal(said("nobody gave one", ""), "nobody gave one");
    assert_string_equal(said("nobody gave one", NULL), "nobody gave one");
    assert_string_equal(said("", PASSWORD), "");
}

TEST("A short password is left out where the server quotes it, and no word that has its letters is spoilt")
{
    assert_string_equal(said("access denied: 'a'@'localhost' (using 'a')", "a"),
                        "access denied: '...'@'localhost' (using '...')");
    assert_string_equal(said("a at the beginning, at the end a", "a"), "... at the beginning, at the end ...");
    assert_string_equal(said("pwd, apwd, pwd1, 1pwd and pwd", "pwd"), "..., apwd, pwd1, 1pwd and ...");
    assert_string_equal(said("a-b, '-' and -", "-"), "a-b, '...' and ...");
    assert_string_equal(said("four, fourth", "four"), "..., ...th");
}

TEST("Of a long text there is the beginning, and no part of a password at its end")
{
    char text[2 * FZ_SAID_SIZE];

    for (size_t front = FZ_SAID_SIZE - 20; front < FZ_SAID_SIZE + 5; front++) {
        memset(text, '-', sizeof text - 1);
        text[sizeof text - 1] = '\0';
        memcpy(text + front, PASSWORD, sizeof PASSWORD - 1);
        assert_true(strlen(said(text, PASSWORD)) < FZ_SAID_SIZE);
        assert_null(strstr(said(text, PASSWORD), "s3"));
    }
}

/* ---- the servers ------------------------------------------------------------------- */

struct echo {
    int listener;
    bool speaks_first;
    void (*answer)(int fd, const char *heard, size_t len);
};

/* The bytes that were heard, on one line, without those that would end a text. */
static void flatten(const char *heard, size_t len, char *ret)
{
    for (size_t i = 0; i < len; i++) {
        char c = heard[i];
        *ret++ = c == '\r' || c == '\n' || c == '\0' || c == '"' ? ' ' : c;
    }
    *ret = '\0';
}

static void send_text(int fd, const char *text, size_t len)
{
    (void)send(fd, text, len, MSG_NOSIGNAL);
}

static void answer_as_redis(int fd, const char *heard, size_t len)
{
    char text[8192];

    send_text(fd, "-ERR unknown command, with args beginning with: ", 48);
    flatten(heard, len, text);
    send_text(fd, text, strlen(text));
    send_text(fd, "\r\n", 2);
}

static void answer_as_etcd(int fd, const char *heard, size_t len)
{
    char echo[4096];
    char body[5000];
    char text[6000];

    if (memcmp(heard, "POST", 4) == 0 && strstr(heard, PASSWORD) == NULL)
        return; /* the head came alone */
    flatten(heard, len, echo);
    snprintf(body, sizeof body, "{\"error\": \"%s\", \"code\": 3}", echo);
    snprintf(text, sizeof text, "HTTP/1.1 400 Bad Request\r\nContent-Length: %zu\r\n\r\n%s", strlen(body), body);
    send_text(fd, text, strlen(text));
}

static void answer_as_proxy(int fd, const char *heard, size_t len)
{
    static const char head[] = "HTTP/1.1 502 Bad Gateway\r\n\r\nno answer to ";

    if (strstr(heard, PASSWORD) == NULL)
        return;
    send_text(fd, head, sizeof head - 1);
    send_text(fd, strstr(heard, "{"), len - (size_t)(strstr(heard, "{") - heard));
    shutdown(fd, SHUT_RDWR);
}

static void answer_as_postgresql(int fd, const char *heard, size_t len)
{
    static const char in_clear_text[] = {'R', 0, 0, 0, 8, 0, 0, 0, 3};
    char text[8192];

    if (heard[0] != 'p') {
        send_text(fd, in_clear_text, sizeof in_clear_text);
        return;
    }
    int n = snprintf(text + 5, sizeof text - 5, "SFATAL%cVFATAL%cC28P01%cMno user has the password %.*s%c", 0, 0, 0,
                     (int)len - 6, heard + 5, 0);
    text[0] = 'E';
    text[1] = text[2] = text[3] = 0;
    text[4] = (char)(n + 5);
    text[n + 5] = '\0';
    send_text(fd, text, (size_t)n + 6);
}

/* In place of its greeting: it has not heard the password, but may have it from elsewhere. */
static void answer_as_mysql(int fd, const char *heard, size_t len)
{
    static const char refusal[] = "\30\0\0\0\377\20\4me had " PASSWORD " before 12";

    (void)heard;
    if (len == 0)
        send_text(fd, refusal, sizeof refusal - 1);
}

static void *serve_all(void *ctx)
{
    const struct echo *echo = ctx;
    char heard[4096];

    for (;;) {
        int fd = accept(echo->listener, NULL, NULL);
        size_t len = 0;
        if (fd < 0)
            return NULL; /* it was shut down */
        if (echo->speaks_first)
            echo->answer(fd, "", 0);
        for (;;) {
            ssize_t got = recv(fd, heard + len, sizeof heard - 1 - len, 0);
            if (got <= 0)
                break;
            len += (size_t)got;
            heard[len] = '\0';
            echo->answer(fd, heard, len);
            if (heard[0] != 'P') /* of a POST the body may come by itself */
                len = 0;
        }
        close(fd);
    }
}

static void assert_kept(void (*answer)(int fd, const char *heard, size_t len), const frazil_coordinator *coordinator,
                        const char *front, const char *back)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    struct echo echo = {.answer = answer, .speaks_first = answer == answer_as_mysql};
    socklen_t len = sizeof address;
    char name[FZ_LEASE_NAME_SIZE];
    frazil_error why = {.message = ""};
    struct fz_register reg;
    struct fz_record record;
    pthread_t thread;
    char url[256];

    if (coordinator == NULL)
        return;
    echo.listener = socket(AF_INET, SOCK_STREAM, 0);
    assert_int_equal(bind(echo.listener, (const struct sockaddr *)&address, sizeof address), 0);
    assert_int_equal(listen(echo.listener, 8), 0);
    assert_int_equal(getsockname(echo.listener, (struct sockaddr *)&address, &len), 0);
    assert_int_equal(pthread_create(&thread, NULL, serve_all, &echo), 0);
    snprintf(url, sizeof url, "%s127.0.0.1:%u/%s", front, (unsigned)ntohs(address.sin_port), back);
    assert_int_equal(coordinator->open_register(url, &reg, name, &why), FRAZIL_OK);
    assert_int_not_equal(reg.read(reg.ctx, FZ_DEADLINE_NONE, 7, &record, NULL, &why), FZ_REGISTER_OK);
    reg.close(reg.ctx);
    shutdown(echo.listener, SHUT_RDWR);
    pthread_join(thread, NULL);
    close(echo.listener);
    if (strstr(why.message, "...") == NULL || strstr(why.message, PASSWORD) != NULL)
        fail_msg("%s", why.message);
}

TEST("Redis that quotes a command")
{
    assert_kept(answer_as_redis, REDIS, "redis://me:" PASSWORD "@", "orders?timeout=60s");
}

TEST("etcd that quotes a request, and a proxy before it that answers by what it was sent")
{
    assert_kept(answer_as_etcd, ETCD, "etcd://me:" PASSWORD "@", "orders?timeout=60s");
    assert_kept(answer_as_proxy, ETCD, "etcd://me:" PASSWORD "@", "orders?timeout=60s");
}

TEST("PostgreSQL that quotes a password, also one that the URL does not have")
{
    assert_kept(answer_as_postgresql, POSTGRESQL, "postgres://me:" PASSWORD "@",
                "db/orders?timeout=60s&sslmode=disable");
    assert_int_equal(setenv("PGPASSWORD", PASSWORD, 1), 0);
    assert_kept(answer_as_postgresql, POSTGRESQL, "postgres://me@", "db/orders?timeout=60s&sslmode=disable");
    assert_int_equal(unsetenv("PGPASSWORD"), 0);
}

TEST("MySQL that knows a password")
{
    assert_kept(answer_as_mysql, MYSQL_COORDINATOR, "mysql://me:" PASSWORD "@",
                "db/orders?timeout=60s&ssl-mode=DISABLED");
}
