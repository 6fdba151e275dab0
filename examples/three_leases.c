/* SPDX-License-Identifier: MIT */
/*
 * Three leased worker ids in one event loop (epoll and timerfd, so for Linux) that no
 * coordinator holds up.  With keeper=hook the program extends the leases itself: a thread
 * for each does that, as to ask takes as long as an answer does.  The loop takes ids by
 * frazil_try_take and asks frazil_get_health how it is; neither of them ever waits.
 * Takes the URL of a namespace as lease.c does, and ends at the end of standard input.
 */
#include <frazil.h>
#include <inttypes.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>
#include <unistd.h>

enum { GENERATORS = 3, TURN_NS = 10000000 };

static struct service {
    frazil *gen;
    pthread_t keeper;
    int ready; /* as it was said last */
} services[GENERATORS];

static int end_fd; /* readable when the keepers are to end */

static void *keep(void *ctx)
{
    const struct service *service = ctx;
    struct pollfd end = {.fd = end_fd, .events = POLLIN};
    uint64_t next_ns;

    do {
        /* A failure is no harm before the grant ends, and health tells it. */
        frazil_err ignored = frazil_keep(service->gen, FRAZIL_WAIT_FOREVER, &next_ns, NULL);
        (void)ignored;
    } while (poll(&end, 1, next_ns == FRAZIL_WAIT_FOREVER ? -1 : (int)(next_ns / 1000000 + 1)) == 0);
    return NULL;
}

/* Says when it has become ready, or is no more: what an endpoint for health checks would answer. */
static void tell(size_t i)
{
    frazil_health health;
    char end[FRAZIL_TIME_SIZE];

    frazil_get_health(services[i].gen, &health, sizeof health, NULL);
    int ready = health.state == FRAZIL_HEALTH_SERVING || health.state == FRAZIL_HEALTH_NEEDS_GRANT;
    if (ready == services[i].ready)
        return;
    services[i].ready = ready;
    if (frazil_time_format(health.grant_end_unix_ms, end, sizeof end, NULL) == FRAZIL_OK)
        fprintf(stderr, "%zu: %s, grant of worker %" PRIu32 " until %s\n", i, ready ? "ready" : "not ready",
                health.worker, end);
}

static void turn(void)
{
    uint64_t id;
    uint64_t retry_ns;
    size_t taken;

    for (size_t i = 0; i < GENERATORS; i++) {
        tell(i);
        if (frazil_try_take(services[i].gen, &id, 1, &taken, &retry_ns, NULL) == FRAZIL_OK)
            printf("%" PRIu64 "\n", id);
    }
}

static int watch(int epoll_fd, int fd)
{
    struct epoll_event event = {.events = EPOLLIN, .data.fd = fd};

    return epoll_ctl(epoll_fd, EPOLL_CTL_ADD, fd, &event);
}

static int loop(void)
{
    const struct itimerspec turns = {.it_interval.tv_nsec = TURN_NS, .it_value.tv_nsec = TURN_NS};
    int epoll_fd = epoll_create1(EPOLL_CLOEXEC);
    int timer_fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
    struct epoll_event event;
    uint64_t expired;

    if (timerfd_settime(timer_fd, 0, &turns, NULL) != 0 || watch(epoll_fd, timer_fd) != 0 ||
        watch(epoll_fd, STDIN_FILENO) != 0)
        return 1;
    while (epoll_wait(epoll_fd, &event, 1, -1) == 1 && event.data.fd == timer_fd) {
        if (read(timer_fd, &expired, sizeof expired) == sizeof expired)
            turn();
    }
    return 0;
}

static int open_all(const char *url)
{
    char spec[1024];
    frazil_error err;

    snprintf(spec, sizeof spec, "keeper=hook state=memory horizon=3s worker=%s", url);
    for (size_t i = 0; i < GENERATORS; i++) {
        if (frazil_open(&services[i].gen, spec, &err) != FRAZIL_OK) {
            fprintf(stderr, "%s\n", err.message);
            return 1;
        }
    }
    return 0;
}

int main(int argc, char **argv)
{
    const uint64_t one = 1;
    int status;

    if (argc != 2 || open_all(argv[1]) != 0)
        return 1;
    end_fd = eventfd(0, EFD_CLOEXEC);
    for (size_t i = 0; i < GENERATORS; i++) {
        if (pthread_create(&services[i].keeper, NULL, keep, &services[i]) != 0)
            return 1;
    }
    status = loop();
    if (write(end_fd, &one, sizeof one) != sizeof one)
        return 1;
    for (size_t i = 0; i < GENERATORS; i++) {
        pthread_join(services[i].keeper, NULL);
        frazil_close(services[i].gen);
    }
    return status;
}
