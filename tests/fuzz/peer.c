/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE /* memmem */
#include "peer.h"

#include <netinet/in.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "lease/coordinator.h"

enum { ANSWER_SIZE_MAX = 65536 };

/* The present answer; an earlier connection may still be served when it changes. */
static struct {
    pthread_mutex_t lock;
    const struct peer *peer;
    size_t len;
    uint8_t answer[ANSWER_SIZE_MAX];
} saying = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void set_answer(const struct peer *peer, const uint8_t *answer, size_t len)
{
    pthread_mutex_lock(&saying.lock);
    saying.peer = peer;
    saying.len = len < ANSWER_SIZE_MAX ? len : ANSWER_SIZE_MAX;
    memcpy(saying.answer, answer, saying.len);
    pthread_mutex_unlock(&saying.lock);
}

/* ---- the server ------------------------------------------------------------- */

static bool say(int fd, const void *bytes, size_t len)
{
    return len == 0 || send(fd, bytes, len, MSG_NOSIGNAL) == (ssize_t)len;
}

static bool hear(int fd)
{
    char heard[16384];

    return recv(fd, heard, sizeof heard, 0) > 0;
}

/* Hangs up as a server that dies does: who waits for more learns that none will come. */
static void serve(int fd)
{
    static uint8_t answer[ANSWER_SIZE_MAX];

    pthread_mutex_lock(&saying.lock);
    const struct peer *peer = saying.peer;
    size_t len = saying.len;
    memcpy(answer, saying.answer, len);
    pthread_mutex_unlock(&saying.lock);
    if ((!peer->speaks_first && !hear(fd)) ||
        (peer->greeting != NULL && (!say(fd, peer->greeting, peer->greeting_len) || !hear(fd))))
        return;
    if (!say(fd, peer->head, peer->head_len) || !say(fd, answer, len))
        return;
    (void)shutdown(fd, SHUT_WR);
    while (hear(fd))
        continue;
}

static void *serve_one(void *arg)
{
    int fd = *(int *)arg;

    for (;;) {
        int connection = accept(fd, NULL, NULL);
        REQUIRE(connection >= 0);
        serve(connection);
        close(connection);
    }
    return NULL;
}

static uint16_t start(void)
{
    static int fd;
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t len = sizeof address;
    pthread_t thread;

    fd = socket(AF_INET, SOCK_STREAM, 0);
    REQUIRE(fd >= 0 && bind(fd, (const struct sockaddr *)&address, sizeof address) == 0 && listen(fd, 64) == 0);
    REQUIRE(getsockname(fd, (struct sockaddr *)&address, &len) == 0);
    REQUIRE(pthread_create(&thread, NULL, serve_one, &fd) == 0 && pthread_detach(thread) == 0);
    return ntohs(address.sin_port);
}

/* ---- questions to a register ------------------------------------------------------------ */

/* The password in the URLs.  No input has it: what a server says may be quoted. */
static const char secret[] = "hunter2";

static void require_sentence(const char *sentence)
{
    size_t len = strnlen(sentence, FRAZIL_ERROR_MESSAGE_SIZE);

    REQUIRE(len > 0 && len < FRAZIL_ERROR_MESSAGE_SIZE);
    for (size_t i = 0; i < len; i++)
        REQUIRE((unsigned char)sentence[i] >= ' ' && sentence[i] != 0x7f);
    REQUIRE(strstr(sentence, secret) == NULL);
}

static void require_record(const struct fz_record *record)
{
    REQUIRE(record->len <= FZ_RECORD_SIZE_MAX && (record->version != 0 || record->len == 0));
}

static void visit_record(void *ctx, uint32_t number, const struct fz_record *record)
{
    (void)ctx;
    (void)number;
    REQUIRE(record->version != 0);
    require_record(record);
}

static void visit_finding(void *ctx, enum fz_finding_level level, const char *sentence)
{
    (void)ctx;
    REQUIRE(level == FZ_FINDING_OK || level == FZ_FINDING_WARN || level == FZ_FINDING_FAIL);
    require_sentence(sentence);
}

static void require_status(const struct fz_register_status *status)
{
    REQUIRE(strnlen(status->incarnation, FZ_INCARNATION_SIZE) < FZ_INCARNATION_SIZE);
    for (const char *c = status->incarnation; *c != '\0'; c++)
        REQUIRE((*c >= '0' && *c <= '9') || (*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') ||
                strchr("._:-", *c) != NULL);
}

static void ask(const struct fz_register *reg, char what)
{
    struct fz_register_status status = {.has_clock = false};
    struct fz_record record = {.version = 0};
    frazil_error why = {.message = ""};
    enum fz_register_result result;
    uint64_t version = 0;

    if (what == 'r') {
        result = reg->read(reg->ctx, FZ_DEADLINE_NONE, 7, &record, &status, &why);
        if (result == FZ_REGISTER_OK)
            require_record(&record);
    } else if (what == 'a') {
        result = reg->read_all(reg->ctx, FZ_DEADLINE_NONE, visit_record, NULL, &status, &why);
    } else if (what == 'm') {
        result = reg->read_many(reg->ctx, FZ_DEADLINE_NONE, (const uint32_t[]){7, FZ_NAMESPACE}, 2, 2, visit_record,
                                NULL, &status, &why);
    } else if (what == 'f') {
        result = reg->read_many(reg->ctx, FZ_DEADLINE_NONE, (const uint32_t[]){FZ_NAMESPACE, 7}, 2, 1, visit_record,
                                NULL, &status, &why);
    } else if (what == 's') {
        result = reg->swap(reg->ctx, FZ_DEADLINE_NONE, &(struct fz_swap){7, 4711, "kept", 4}, &version, &status, &why);
        REQUIRE(result != FZ_REGISTER_OK || version > 4711);
    } else {
        result = reg->diagnose(reg->ctx, FZ_DEADLINE_NONE, visit_finding, NULL, &why);
    }
    if (result == FZ_REGISTER_OK)
        require_status(&status);
    else if (result != FZ_REGISTER_CONFLICT)
        require_sentence(why.message);
}

void peer_ask(const struct peer *peer, const uint8_t *data, size_t size)
{
    static uint16_t port;
    char name[FZ_LEASE_NAME_SIZE];
    char url[256];
    struct fz_register reg;
    frazil_error why;

    if (size == 0 || memmem(data, size, secret, strlen(secret)) != NULL)
        return;
    if (port == 0)
        port = start();
    set_answer(peer, data + 1, size - 1);
    (void)snprintf(url, sizeof url, "%s%u%s", peer->url, (unsigned)port, peer->rest);
    REQUIRE(peer->coordinator()->open_register(url, &reg, name, &why) == FRAZIL_OK);
    ask(&reg, (char)data[0]);
    reg.close(reg.ctx);
}
