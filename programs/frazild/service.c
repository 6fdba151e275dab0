/* SPDX-License-Identifier: MIT */
#include "service.h"

#include "clock.h"
#include "log.h"

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

/* The last state that was not sent yet, because the manager's queue was full; "": all were. */
static struct {
    pthread_mutex_t lock;
    char lines[80];
} untold = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* False: the manager has no room for more now, and may have later. */
static bool send_to_manager(const char *lines)
{
    const char *path = secure_getenv("NOTIFY_SOCKET");
    struct sockaddr_un name = {.sun_family = AF_UNIX};

    if (path == NULL || (path[0] != '/' && path[0] != '@') || strlen(path) >= sizeof name.sun_path)
        return true;
    memcpy(name.sun_path, path, strlen(path));
    if (path[0] == '@')
        name.sun_path[0] = '\0'; /* an abstract name */
    int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return false;
    socklen_t len = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + strlen(path));
    /* A thread that waited here for a manager that does not read would hear no signal. */
    bool is_sent =
        sendto(fd, lines, strlen(lines), MSG_NOSIGNAL | MSG_DONTWAIT, (const struct sockaddr *)&name, len) >= 0;
    bool is_full = !is_sent && (errno == EAGAIN || errno == ENOBUFS || errno == ENOMEM);
    (void)close(fd);
    return !is_full;
}

static void tell_untold(void)
{
    if (untold.lines[0] != '\0' && send_to_manager(untold.lines))
        untold.lines[0] = '\0';
}

static void tell(const char *lines)
{
    (void)pthread_mutex_lock(&untold.lock);
    (void)snprintf(untold.lines, sizeof untold.lines, "%s", lines);
    tell_untold();
    (void)pthread_mutex_unlock(&untold.lock);
}

void service_tell_ready(void)
{
    tell("READY=1");
}

void service_tell_again(void)
{
    (void)pthread_mutex_lock(&untold.lock);
    tell_untold();
    (void)pthread_mutex_unlock(&untold.lock);
}

void service_tell_alive(void)
{
    (void)send_to_manager("WATCHDOG=1");
}

void service_tell_reloading(void)
{
    char lines[64];

    (void)snprintf(lines, sizeof lines, "RELOADING=1\nMONOTONIC_USEC=%" PRIu64, clock_ns() / 1000);
    tell(lines);
}

void service_tell_stopping(uint64_t within_ns)
{
    char lines[80];

    (void)snprintf(lines, sizeof lines, "STOPPING=1\nEXTEND_TIMEOUT_USEC=%" PRIu64, within_ns / 1000);
    tell(lines);
}

/* Reads digits, and nothing else; false: it is no such number, or too large. */
static bool read_number(const char *text, uint64_t *ret)
{
    char *end;

    errno = 0;
    *ret = strtoull(text, &end, 10);
    return text[0] >= '0' && text[0] <= '9' && *end == '\0' && errno == 0;
}

/* Whether the variable has the number of this process: what stands beside it may be meant for another one. */
static bool is_us(const char *variable)
{
    const char *text = secure_getenv(variable);
    uint64_t pid;

    return text != NULL && read_number(text, &pid) && pid == (uint64_t)getpid();
}

uint64_t service_watchdog_ns(void)
{
    const char *text = secure_getenv("WATCHDOG_USEC");
    uint64_t us;

    if (text == NULL || (secure_getenv("WATCHDOG_PID") != NULL && !is_us("WATCHDOG_PID")))
        return 0;
    if (read_number(text, &us) && us <= UINT64_MAX / 1000)
        return us * 1000;
    log_line(LOG_ALWAYS, "WATCHDOG_USEC=%s is not a number of microseconds: the manager gets no watchdog messages",
             text);
    return 0;
}

int service_fds(const char **ret_wrong)
{
    const char *text = is_us("LISTEN_PID") ? secure_getenv("LISTEN_FDS") : NULL;
    uint64_t fds;

    *ret_wrong = NULL;
    if (text == NULL)
        return 0;
    if (read_number(text, &fds) && fds <= SERVICE_FDS_MAX)
        return (int)fds;
    *ret_wrong = text;
    return 0;
}

const char *service_fd_name(int i, int *ret_len)
{
    const char *names = secure_getenv("LISTEN_FDNAMES");

    for (; names != NULL && i > 0; i--) {
        names = strchr(names, ':');
        names = names != NULL ? names + 1 : NULL;
    }
    *ret_len = names != NULL ? (int)strcspn(names, ":") : 0;
    return names != NULL ? names : "";
}
