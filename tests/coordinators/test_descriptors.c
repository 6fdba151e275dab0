/* SPDX-License-Identifier: MIT */
/*
 * Goal of this test: no register touches a descriptor that is not its own: a
 * program may close all of them, as daemons do, and open others that get the same
 * numbers; and a child has its parent's.  A program that is executed inherits none of
 * its connections.  One suite for every kind that has a server.
 */
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/patience.h"
#include "lib/ports.h"
#include "lib/proxy.h"
#include "lib/register_kinds.h"
#include "lib/scratch.h"
#include "lib/test.h"
#include "os/kept_fd.h"

enum { FDS_MAX = 256, TIMEOUT_MS = ANSWER_MS, SHORT_MS = 20, WAITING_MAX = 16 };

static bool swap(const struct fz_register *reg, const char *text, uint64_t *version)
{
    return reg->swap(reg->ctx, FZ_DEADLINE_NONE, &(struct fz_swap){0, *version, text, strlen(text)}, version, NULL,
                     NULL) == FZ_REGISTER_OK;
}

static bool is_open(int fd)
{
    return fcntl(fd, F_GETFD) >= 0;
}

/* ---- a daemon -------------------------------------------------------------------- */

enum deed { GOES_ON, CLOSES, FORKS };

/* The program's file in place of the register's connection. */
struct program {
    int ends[2]; /* a pair of sockets: the first one has all these numbers */
    int fds[FDS_MAX];
    size_t n;
    struct fz_fd_mark mark;
};

/* Puts its own into each place that was not taken before; a byte lies there to be read. */
static bool take_over(struct program *program, const bool was_open[FDS_MAX])
{
    bool is_new[FDS_MAX];

    for (int fd = 0; fd < FDS_MAX; fd++)
        is_new[fd] = is_open(fd) && !was_open[fd];
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, program->ends) != 0 || fz_fd_mark(program->ends[0], &program->mark) != 0)
        return false;
    for (int fd = 0; fd < FDS_MAX; fd++) {
        if (is_new[fd] && dup2(program->ends[0], fd) == fd)
            program->fds[program->n++] = fd;
    }
    return program->n > 0 && write(program->ends[1], "x", 1) == 1;
}

/* Nobody has closed them, read from them or written to them. */
static bool is_untouched(const struct program *program)
{
    struct pollfd other = {.fd = program->ends[1], .events = POLLIN};
    char byte;

    for (size_t i = 0; i < program->n; i++) {
        if (!fz_fd_is_marked(program->fds[i], &program->mark))
            return false;
    }
    return poll(&other, 1, 0) == 0 && recv(program->ends[0], &byte, 1, MSG_PEEK | MSG_DONTWAIT) == 1;
}

static bool becomes_daemon(const struct register_kind *kind, enum deed deed)
{
    static struct program program;
    bool was_open[FDS_MAX];
    uint64_t version = 0;

    for (int fd = 0; fd < FDS_MAX; fd++)
        was_open[fd] = is_open(fd);
    struct fz_register reg = kind_open(kind, 0, TIMEOUT_MS);
    if (!swap(&reg, "first", &version) || !take_over(&program, was_open))
        return false;
    if (deed == FORKS)
        reg.after_fork(reg.ctx);
    bool is_well = is_untouched(&program);
    if (deed != CLOSES)
        is_well = swap(&reg, "second", &version) && is_untouched(&program) && is_well;
    reg.close(reg.ctx);
    return is_untouched(&program) && is_well;
}

TEST_OF_KINDS(for_each_server,
              "A file that the program opened in place of a register's connection is neither written to,  "
              "read from nor closed; and the register goes on over another")
{
    for (enum deed deed = GOES_ON; deed <= FORKS; deed++) {
        int status;
        if (kind->wipe != NULL)
            kind->wipe();
        pid_t child = fork(); /* which does not have to tidy up: what a client has made may have to be given up */
        assert_true(child >= 0);
        if (child == 0)
            _exit(becomes_daemon(kind, deed) ? 0 : 1);
        assert_int_equal(waitpid(child, &status, 0), child);
        if (status != 0)
            fail_msg("%s: deed %d: status %d", kind->name, (int)deed, status);
    }
}

/* ---- a child --------------------------------------------------------------------- */

struct asker {
    const struct fz_register *reg;
    uint64_t version;
    bool was_answered;
};

static void *ask(void *arg)
{
    struct asker *asker = arg;

    asker->was_answered = swap(asker->reg, "second", &asker->version);
    return NULL;
}

/* Born while a thread of its parent's awaits an answer, a child goes on over a connection of its own. */
static pid_t give_birth(const struct fz_register *reg)
{
    struct fz_record record = {.version = 0};
    pid_t child = fork();

    assert_true(child >= 0);
    if (child != 0)
        return child;
    reg->after_fork(reg->ctx);
    bool was_read = reg->read(reg->ctx, FZ_DEADLINE_NONE, 0, &record, NULL, NULL) == FZ_REGISTER_OK;
    reg->close(reg->ctx);
    _exit(was_read && record.len == strlen("second") ? 0 : 1);
}

TEST_OF_KINDS(for_each_server, "The answer that the parent awaited comes to the parent")
{
    struct fz_record record = {.version = 0};
    struct proxy *proxy = proxy_start(kind->server->port);
    pthread_t thread;
    int status;

    struct fz_register reg = kind_open(kind, proxy->port, TIMEOUT_MS);
    struct fz_register direct = kind_open(kind, 0, TIMEOUT_MS);
    struct asker asker = {.reg = &reg};
    assert_true(swap(&reg, "first", &asker.version));
    uint64_t before = asker.version;
    proxy_set(proxy, PROXY_HOLD_REPLIES);
    assert_int_equal(pthread_create(&thread, NULL, ask, &asker), 0);
    AWAIT(direct.read(direct.ctx, FZ_DEADLINE_NONE, 0, &record, NULL, NULL) == FZ_REGISTER_OK &&
              record.version > before,
          "its swap is not carried out");
    pid_t child = give_birth(&reg);
    proxy_set(proxy, PROXY_PASS);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    assert_true(asker.was_answered);
    assert_true(swap(&reg, "third", &asker.version));
    reg.close(reg.ctx);
    direct.close(direct.ctx);
    proxy_stop(proxy);
}

/* ---- another program ------------------------------------------------------------------ */

static bool is_connection(int fd)
{
    struct sockaddr_storage peer;
    socklen_t size = sizeof peer;

    return getpeername(fd, (struct sockaddr *)&peer, &size) == 0 &&
           (peer.ss_family == AF_INET || peer.ss_family == AF_INET6);
}

TEST_OF_KINDS(for_each_server, "A program that is executed has none of a register's connections")
{
    bool was_open[FDS_MAX];
    uint64_t version = 0;
    unsigned connections = 0;

    for (int fd = 0; fd < FDS_MAX; fd++)
        was_open[fd] = is_open(fd);
    struct fz_register reg = kind_open(kind, 0, TIMEOUT_MS);
    assert_true(swap(&reg, "first", &version));
    for (int fd = 0; fd < FDS_MAX; fd++) {
        if (was_open[fd] || !is_connection(fd))
            continue;
        connections++;
        if ((fcntl(fd, F_GETFD) & FD_CLOEXEC) == 0)
            fail_msg("%s: descriptor %d stays open", kind->name, fd);
    }
    assert_true(connections > 0);
    reg.close(reg.ctx);
}

/* ---- a server that takes no connection ---------------------------------------------- */

/* A listener whose queue is full: who connects to it waits. */
struct full {
    struct sockaddr_in address;
    int listener;
    int waiting[WAITING_MAX];
    size_t n;
};

/* False: the queue has no room for another one. */
static bool add_waiting(struct full *full)
{
    int fd = socket(AF_INET, SOCK_STREAM, 0);

    assert_true(fd >= 0 && full->n < WAITING_MAX && fcntl(fd, F_SETFL, O_NONBLOCK) == 0);
    full->waiting[full->n++] = fd;
    if (connect(fd, (const struct sockaddr *)&full->address, sizeof full->address) != 0 && errno != EINPROGRESS)
        fail_msg("connect: errno %d", errno);
    return poll(&(struct pollfd){.fd = fd, .events = POLLOUT}, 1, SHORT_MS) == 1;
}

static void full_start(struct full *full)
{
    socklen_t size = sizeof full->address;

    *full = (struct full){.address = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}},
                          .listener = socket(AF_INET, SOCK_STREAM, 0)};
    assert_int_equal(bind(full->listener, (const struct sockaddr *)&full->address, size), 0);
    assert_int_equal(getsockname(full->listener, (struct sockaddr *)&full->address, &size), 0);
    assert_int_equal(listen(full->listener, 0), 0);
    while (add_waiting(full))
        ;
}

static void full_stop(struct full *full)
{
    while (full->n > 0)
        close(full->waiting[--full->n]);
    close(full->listener);
}

/* How many descriptors are open after so many attempts. */
static unsigned fds_after(const struct register_kind *kind, const struct full *full, int attempts)
{
    struct fz_register reg = kind_open(kind, ntohs(full->address.sin_port), SHORT_MS);

    for (int i = 0; i < attempts; i++) {
        struct fz_record record = {.version = 0};
        assert_int_equal(reg.read(reg.ctx, FZ_DEADLINE_NONE, 0, &record, NULL, NULL), FZ_REGISTER_UNREACHABLE);
    }
    reg.close(reg.ctx);
    return scratch_open_fds();
}

TEST_OF_KINDS(for_each_server, "Attempts to connect that were out of time leave no descriptor behind")
{
    struct full full;

    full_start(&full);
    unsigned before = fds_after(kind, &full, 1); /* with what a client library keeps for good */
    unsigned after = fds_after(kind, &full, 5);
    full_stop(&full);
    if (after != before)
        fail_msg("%s: %u descriptors instead of %u", kind->name, after, before);
}

/* ---- the last descriptors ---------------------------------------------------------- */

enum { FREE_MAX = 16, LIMIT = 64 };

/* Opens with so many descriptors free.  0: it has connected, 1: it says what is missing, and soon; 2: neither. */
static int open_with_few(const struct register_kind *kind, const char *url, int free_fds)
{
    const frazil_coordinator *const coordinators[] = {kind->coordinator(), NULL};
    const struct ports ports = {.coordinators = coordinators};
    const struct rlimit limit = {.rlim_cur = LIMIT, .rlim_max = LIMIT};
    char spec[600];
    frazil_error why;
    frazil *gen;
    int held[LIMIT];
    int n = 0;

    snprintf(spec, sizeof spec, "layout='41/10/12 epoch=2026-01-01' worker=%s open_wait=%us state=memory", url,
             (unsigned)ANSWER_S);
    if (setrlimit(RLIMIT_NOFILE, &limit) != 0)
        return 2;
    while (n < LIMIT && (held[n] = dup(STDERR_FILENO)) >= 0)
        n++;
    for (int i = 0; i < free_fds && n > 0; i++)
        close(held[--n]);
    frazil_err err = ports_open(&gen, spec, &ports, &why);
    if (err == FRAZIL_OK || err == FRAZIL_ENAMESPACE)
        return 0;
    if (err == FRAZIL_ESYS && why.sys_errno == EMFILE && strstr(why.message, "(ulimit -n)") != NULL)
        return 1;
    fprintf(stderr, "%s, %d free: %s\n", kind->name, free_fds, why.message);
    return 2;
}

TEST_OF_KINDS(for_each_server, "An opening that has too few descriptors fails with that, and not for want of an answer")
{
    unsigned told[3] = {0};
    char url[400];

    kind->url(kind->server->port, "few", TIMEOUT_MS, url, sizeof url);
    for (int free_fds = 0; free_fds < FREE_MAX; free_fds++) {
        int status;
        pid_t child = fork();
        assert_true(child >= 0);
        if (child == 0)
            _exit(open_with_few(kind, url, free_fds));
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_true(WIFEXITED(status));
        told[WEXITSTATUS(status)]++;
    }
    if (told[0] == 0 || told[1] == 0 || told[2] != 0)
        fail_msg("%s: %u connected, %u told, %u neither", kind->name, told[0], told[1], told[2]);
}
