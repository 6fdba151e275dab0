/* SPDX-License-Identifier: MIT */
#include "lib/proxy.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "lib/asserts.h"
#include "lib/patience.h"

enum { CHUNK = 65536, CUT_BYTES = 7, SLOW_NS = 50000000, LATE_MS = 4300, DRIBBLE_NS = 2000000 };

static struct sockaddr_in loopback(uint16_t port)
{
    return (struct sockaddr_in){
        .sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
}

static void pause_ns(long ns)
{
    const struct timespec pause = {.tv_nsec = ns};

    clock_nanosleep(CLOCK_MONOTONIC, 0, &pause, NULL);
}

/* ---- links ------------------------------------------------------------------ */

static void hang_up(struct proxy_link *link, bool with_reset)
{
    const struct linger at_once = {.l_onoff = 1, .l_linger = 0};

    if (with_reset)
        setsockopt(link->client, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
    if (link->client >= 0)
        close(link->client);
    close(link->server);
    *link = (struct proxy_link){.client = -1, .server = -1};
}

static void accept_one(struct proxy *proxy)
{
    struct sockaddr_in address = loopback(proxy->target);
    int client = accept(proxy->listener, NULL, NULL);

    if (client < 0)
        return;
    proxy->accepted++;
    for (size_t i = 0; i < PROXY_LINKS_MAX && proxy->mode != PROXY_HANG_UP; i++) {
        struct proxy_link *link = &proxy->links[i];
        if (link->server >= 0)
            continue;
        int server = socket(AF_INET, SOCK_STREAM, 0);
        if (connect(server, (struct sockaddr *)&address, sizeof address) != 0) {
            close(server);
            break;
        }
        *link = (struct proxy_link){.client = client, .server = server};
        return;
    }
    close(client);
}

static void send_all(int fd, const char *text, size_t len)
{
    while (len > 0) {
        ssize_t sent = send(fd, text, len, MSG_NOSIGNAL);
        if (sent <= 0)
            return;
        text += sent;
        len -= (size_t)sent;
    }
}

/* When the mode changes the rest comes at once: a stream has no hole. */
static void dribble(struct proxy *proxy, struct proxy_link *link, const char *text, size_t len)
{
    size_t i = 0;

    for (; i < len && proxy->mode == PROXY_DRIBBLE; i++) {
        send_all(link->client, text + i, 1);
        pause_ns(DRIBBLE_NS);
    }
    send_all(link->client, text + i, len - i);
}

/* Whether this is the head of an HTTP request alone: its body may come by itself, and both get one answer. */
static bool is_head_alone(const char *chunk, size_t len)
{
    static const char method[] = "POST ";
    static const char end[] = "\r\n\r\n";

    return len > sizeof method + sizeof end && memcmp(chunk, method, sizeof method - 1) == 0 &&
           memcmp(chunk + len - (sizeof end - 1), end, sizeof end - 1) == 0;
}

/* From the client. */
static void pass_request(struct proxy *proxy, struct proxy_link *link)
{
    char chunk[CHUNK];
    ssize_t got = recv(link->client, chunk, sizeof chunk, 0);

    if (got <= 0) { /* the server still answers what it has been asked */
        shutdown(link->server, SHUT_WR);
        close(link->client);
        link->client = -1;
        return;
    }
    proxy->requests++;
    if (proxy->mode == PROXY_SAY) {
        const char *text = is_head_alone(chunk, (size_t)got) ? "" : proxy->text;
        send_all(link->client, text, strlen(text));
    } else {
        send_all(link->server, chunk, (size_t)got);
    }
}

/* From the server. */
static void pass_reply(struct proxy *proxy, struct proxy_link *link)
{
    char chunk[CHUNK];
    ssize_t got = recv(link->server, chunk, sizeof chunk, 0);

    if (got <= 0 || (link->has_lost && proxy->mode != PROXY_LOSE_REPLIES)) {
        hang_up(link, false);
        proxy->replies++;
        return;
    }
    switch (link->client < 0 ? PROXY_LOSE_REPLIES : (enum proxy_mode)proxy->mode) {
    case PROXY_LOSE_REPLIES:
        link->has_lost = link->client >= 0;
        break;
    case PROXY_CUT_REPLIES:
        send_all(link->client, chunk, got < CUT_BYTES ? (size_t)got : CUT_BYTES);
        hang_up(link, false);
        break;
    case PROXY_CUT_LATE:
        send_all(link->client, chunk, (size_t)got - 1);
        hang_up(link, false);
        break;
    case PROXY_RESET:
        hang_up(link, true);
        break;
    case PROXY_END_ONCE:
        proxy->mode = PROXY_PASS;
        hang_up(link, false);
        break;
    case PROXY_SLOW:
        pause_ns(proxy->slow_ns);
        send_all(link->client, chunk, (size_t)got);
        break;
    case PROXY_LATE:
        for (int ms = 0; ms < LATE_MS && proxy->mode == PROXY_LATE; ms++)
            pause_ns(1000000);
        send_all(link->client, chunk, (size_t)got);
        break;
    case PROXY_DRIBBLE:
        dribble(proxy, link, chunk, (size_t)got);
        break;
    default:
        send_all(link->client, chunk, (size_t)got);
        break;
    }
    proxy->replies++;
}

/* ---- the thread --------------------------------------------------------------- */

static void *run(void *ctx)
{
    struct proxy *proxy = ctx;
    char byte;

    while (!proxy->stopping) {
        struct pollfd fds[2 + 2 * PROXY_LINKS_MAX] = {{.fd = proxy->wake[0], .events = POLLIN},
                                                      {.fd = proxy->listener, .events = POLLIN}};
        unsigned changes = proxy->changes;
        int mode = proxy->mode;
        for (size_t i = 0; i < PROXY_LINKS_MAX; i++) {
            fds[2 + 2 * i] =
                (struct pollfd){.fd = mode == PROXY_HOLD_REQUESTS ? -1 : proxy->links[i].client, .events = POLLIN};
            fds[3 + 2 * i] =
                (struct pollfd){.fd = mode == PROXY_HOLD_REPLIES ? -1 : proxy->links[i].server, .events = POLLIN};
        }
        proxy->noted = changes;
        if (poll(fds, 2 + 2 * PROXY_LINKS_MAX, -1) < 0)
            continue;
        if (fds[0].revents != 0 && read(proxy->wake[0], &byte, 1) < 0)
            break;
        for (size_t i = 0; i < PROXY_LINKS_MAX; i++) {
            struct proxy_link *link = &proxy->links[i];
            if (fds[2 + 2 * i].revents != 0 && link->client >= 0)
                pass_request(proxy, link);
            if (fds[3 + 2 * i].revents != 0 && link->server >= 0)
                pass_reply(proxy, link);
        }
        if (fds[1].revents != 0)
            accept_one(proxy);
    }
    return NULL;
}

static void wake(struct proxy *proxy)
{
    assert_int_equal(write(proxy->wake[1], "", 1), 1);
}

struct proxy *proxy_start(uint16_t target)
{
    struct sockaddr_in address = loopback(0);
    socklen_t len = sizeof address;
    struct proxy *proxy = calloc(1, sizeof *proxy);

    assert_non_null(proxy);
    proxy->target = target;
    proxy->slow_ns = SLOW_NS;
    for (size_t i = 0; i < PROXY_LINKS_MAX; i++)
        proxy->links[i] = (struct proxy_link){.client = -1, .server = -1};
    proxy->listener = socket(AF_INET, SOCK_STREAM, 0);
    assert_true(proxy->listener >= 0);
    assert_int_equal(bind(proxy->listener, (struct sockaddr *)&address, sizeof address), 0);
    assert_int_equal(listen(proxy->listener, 16), 0);
    assert_int_equal(getsockname(proxy->listener, (struct sockaddr *)&address, &len), 0);
    proxy->port = ntohs(address.sin_port);
    assert_int_equal(pipe(proxy->wake), 0);
    assert_int_equal(pthread_create(&proxy->thread, NULL, run, proxy), 0);
    return proxy;
}

void proxy_await(_Atomic unsigned *counter, unsigned n)
{
    AWAIT(*counter >= n, "it counts %u instead of %u", *counter, n);
}

void proxy_set(struct proxy *proxy, enum proxy_mode mode)
{
    proxy->mode = (int)mode;
    unsigned change = ++proxy->changes;
    wake(proxy);
    proxy_await(&proxy->noted, change);
}

void proxy_say(struct proxy *proxy, const char *text)
{
    proxy->text = text;
    proxy_set(proxy, PROXY_SAY);
}

void proxy_stop(struct proxy *proxy)
{
    proxy->stopping = 1;
    wake(proxy);
    pthread_join(proxy->thread, NULL);
    for (size_t i = 0; i < PROXY_LINKS_MAX; i++) {
        if (proxy->links[i].server >= 0)
            hang_up(&proxy->links[i], false);
    }
    close(proxy->listener);
    close(proxy->wake[0]);
    close(proxy->wake[1]);
    free(proxy);
}
