/* SPDX-License-Identifier: MIT */
/*
 * Goal of this test: frazil_options_check opens nothing, for each source of worker ids and each URL: it opens no file
 * but the config file, makes none and no folder, and connects to nobody.
 */
#define _GNU_SOURCE /* syscall */
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdarg.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "config/coordinators.h"
#include "config/worker_sources.h"
#include "frazil.h"
#include "lib/scratch.h"
#include "lib/test.h"

/* ---- the calls that open ------------------------------------------------------------ */

/* How often each was made. */
static struct calls {
    unsigned open;
    unsigned mkdir;
    unsigned flock;
    unsigned datagrams; /* sockets that ask the kernel for the host's own address */
    unsigned streams;   /* all others */
} calls;

static char opened[256]; /* the last file */

/* These stand before the C library's. */
int open(const char *path, int flags, ...)
{
    mode_t mode = 0;
    va_list args;

    va_start(args, flags);
    if ((flags & O_CREAT) != 0)
        mode = va_arg(args, mode_t);
    va_end(args);
    calls.open++;
    snprintf(opened, sizeof opened, "%s", path);
    return (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}

int mkdir(const char *path, mode_t mode)
{
    calls.mkdir++;
    return (int)syscall(SYS_mkdirat, AT_FDCWD, path, mode);
}

int flock(int fd, int operation)
{
    calls.flock++;
    return (int)syscall(SYS_flock, fd, operation);
}

int socket(int family, int type, int protocol)
{
    if ((type & SOCK_DGRAM) != 0)
        calls.datagrams++;
    else
        calls.streams++;
    return (int)syscall(SYS_socket, family, type, protocol);
}

/* ---- the options -------------------------------------------------------------------------- */

static const char *scratch;
static frazil_options *options;
static frazil_error why;
static int listener;
static unsigned port;

static void listen_somewhere(void)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
    socklen_t size = sizeof address;

    listener = socket(AF_INET, SOCK_STREAM, 0);
    assert_int_equal(bind(listener, (struct sockaddr *)&address, size), 0);
    assert_int_equal(listen(listener, 1), 0);
    assert_int_equal(getsockname(listener, (struct sockaddr *)&address, &size), 0);
    assert_int_equal(fcntl(listener, F_SETFL, O_NONBLOCK), 0);
    port = ntohs(address.sin_port);
}

BEFORE_EACH
{
    unsetenv("FRAZIL_STATE");
    setenv("WORKER_OF_THIS_TEST", "5", 1);
    scratch = scratch_make();
    listen_somewhere();
}

AFTER_EACH
{
    close(listener);
    scratch_remove(scratch);
    unsetenv("WORKER_OF_THIS_TEST");
    setenv("FRAZIL_STATE", "memory", 1);
}

/* Options of that text, whose folders would be in the scratch folder. */
static void begin(const char *spec)
{
    char text[1024];

    snprintf(text, sizeof text, "%s run_dir=%s/run state_dir=%s/state", spec, scratch, scratch);
    assert_int_equal(frazil_options_open(&options, &why), FRAZIL_OK);
    if (frazil_options_spec(options, text, strlen(text), &why) != FRAZIL_OK)
        fail_msg("%s: %s", text, why.message);
    calls = (struct calls){.open = 0};
}

static void check(const char *spec)
{
    begin(spec);
    if (frazil_options_check(options, &why) != FRAZIL_OK)
        fail_msg("%s: %s", spec, why.message);
    frazil_options_close(options);
}

/* Neither files nor folders, and nobody was connected to. */
static void assert_opened_nothing(const char *spec)
{
    if (calls.open + calls.mkdir + calls.flock + calls.streams != 0)
        fail_msg("%s: %u files, %u folders, %u locks, %u sockets", spec, calls.open, calls.mkdir, calls.flock,
                 calls.streams);
    assert_false(scratch_exists(scratch_path(scratch, "run")));
    assert_false(scratch_exists(scratch_path(scratch, "state")));
    assert_int_equal(accept(listener, NULL, NULL), -1);
    assert_true(errno == EAGAIN || errno == EWOULDBLOCK);
}

/* ---- tests --------------------------------------------------------------------------------- */

TEST("The test sees what opening does: it makes folders, opens files and takes locks")
{
    frazil *gen;

    begin("worker=file-lock keeper=inline");
    assert_int_equal(frazil_open_with(&gen, options, &why), FRAZIL_OK);
    frazil_options_close(options);
    assert_true(calls.mkdir > 0 && calls.open > 0 && calls.flock > 0);
    frazil_close(gen);
}

/* One spec for each source, in the order of the table; "" for URLs, which have a test of their own. */
static const char *const specs[] = {
    "worker=fixed:1",
    "worker=env:WORKER_OF_THIS_TEST",
    "worker=ordinal hostname=orders-3",
    "worker=file-lock",
    "",
    "worker=ip-last-octet ip=10.0.0.7",
    "worker=ip-hash expect=2 ip=10.0.0.7",
    "worker=hostname-hash expect=2",
    "worker=auto layout=sno",
};

TEST("Checking opens nothing, whatever the worker id comes from")
{
    size_t count = 0;

    for (const struct fz_worker_source *source; (source = fz_worker_source_at(count)) != NULL; count++) {
        assert_true(count < sizeof specs / sizeof specs[0]);
        if (specs[count][0] == '\0')
            continue;
        assert_non_null(strstr(specs[count], source->name));
        check(specs[count]);
        assert_opened_nothing(specs[count]);
        assert_int_equal(calls.datagrams, 0);
    }
    assert_int_equal(count, sizeof specs / sizeof specs[0]);
}

TEST("The host's own address is asked of the kernel, by a socket that sends nothing")
{
    begin("worker=ip-hash expect=2");
    frazil_err err = frazil_options_check(options, &why);
    frazil_options_close(options);
    assert_true(err == FRAZIL_OK || err == FRAZIL_ESYS || err == FRAZIL_EWORKER); /* a host without a network */
    assert_true(calls.datagrams > 0);
    assert_opened_nothing("worker=ip-hash");
}

static const char all_schemes[] =
#define KIND_SCHEMES(part, schemes, port, help) schemes " "
    FZ_COORDINATORS(KIND_SCHEMES)
#undef KIND_SCHEMES
    ;

TEST("Checking connects to no coordinator, and loads nothing, whichever URL gives worker ids or slots")
{
    char spec[256];

    for (const char *scheme = all_schemes; *scheme != '\0'; scheme += strcspn(scheme, " ") + 1) {
        int len = (int)strcspn(scheme, " ");
        snprintf(spec, sizeof spec, "worker=%.*s://127.0.0.1:%u/orders", len, scheme, port);
        check(spec);
        assert_opened_nothing(spec);
        snprintf(spec, sizeof spec, "worker=fixed:1 start=zero state=%.*s://127.0.0.1:%u/orders", len, scheme, port);
        check(spec);
        assert_opened_nothing(spec);
    }
}

TEST("The config file is all that is opened, and only if one is named; the text of the options opens no more")
{
    char config[256];
    char spec[512];
    char text[2048];

    snprintf(config, sizeof config, "%s", scratch_path(scratch, "config"));
    scratch_write(config, "worker=file-lock\n", strlen("worker=file-lock\n"));
    snprintf(spec, sizeof spec, "config=%s", config);
    check(spec);
    assert_int_equal(calls.open, 1);
    assert_string_equal(opened, config);
    calls.open = 0;
    assert_opened_nothing(spec);
    begin("worker=file-lock");
    assert_int_equal(frazil_options_text(options, 0, text, sizeof text, NULL, &why), FRAZIL_OK);
    frazil_options_close(options);
    assert_opened_nothing("frazil_options_text");
}
