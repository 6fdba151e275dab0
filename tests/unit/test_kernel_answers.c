/* SPDX-License-Identifier: MIT */
/*
 * Goal of this test: src/os copes with the kernel's rare answers.  A signal interrupts a lock, or a lock keeps nobody
 * out; a file is removed at the wrong moment; a descriptor stands for something else.
 */
#define _GNU_SOURCE /* adjtimex, syscall */

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/timex.h>
#include <unistd.h>

#include "lib/scratch.h"
#include "lib/test.h"
#include "os/clock.h"
#include "os/counter.h"
#include "os/dirs.h"
#include "os/fork_mark.h"
#include "os/guard.h"
#include "os/host.h"
#include "os/kept_fd.h"
#include "os/own_file.h"
#include "os/socket.h"
#include "os/worker_lock.h"

/* ---- the kernel ------------------------------------------------------------------ */

/* How this test's kernel differs from the real one; all zero: not at all. */
static struct kernel {
    unsigned interrupted_locks;
    bool locks_nothing;
    const char *removed_at_lock; /* a file, once */
    const char *machine_id;      /* a file in place of the machine's */
    const char *clock_source;    /* a file in place of the kernel's */
    bool is_unsynchronised;
    bool has_no_ipv4;
    uid_t user; /* 0: the real one */
} kernel;

static char path[FZ_PATH_SIZE];
static const char *scratch;

/* These stand before the C library's. */
int flock(int fd, int operation)
{
    if (kernel.interrupted_locks > 0) {
        kernel.interrupted_locks--;
        errno = EINTR;
        return -1;
    }
    if (kernel.removed_at_lock != NULL)
        assert_int_equal(unlink(kernel.removed_at_lock), 0);
    kernel.removed_at_lock = NULL;
    return kernel.locks_nothing ? 0 : (int)syscall(SYS_flock, fd, operation);
}

int open(const char *name, int flags, ...)
{
    mode_t mode = 0;
    va_list args;

    va_start(args, flags);
    if ((flags & O_CREAT) != 0)
        mode = va_arg(args, mode_t);
    va_end(args);
    if (kernel.machine_id != NULL && strcmp(name, "/etc/machine-id") == 0)
        name = kernel.machine_id;
    if (kernel.clock_source != NULL && strstr(name, "/current_clocksource") != NULL)
        name = kernel.clock_source;
    return (int)syscall(SYS_openat, AT_FDCWD, name, flags, mode);
}

int adjtimex(struct timex *ret)
{
    ret->status = kernel.is_unsynchronised ? STA_UNSYNC : 0;
    ret->maxerror = 500;
    return TIME_OK;
}

int connect(int fd, const struct sockaddr *address, socklen_t len)
{
    if (!kernel.has_no_ipv4)
        return (int)syscall(SYS_connect, fd, address, len);
    errno = ENETUNREACH;
    return address->sa_family == AF_INET ? -1 : 0;
}

uid_t geteuid(void)
{
    return kernel.user != 0 ? kernel.user : (uid_t)syscall(SYS_geteuid);
}

BEFORE_EACH
{
    scratch = scratch_make();
    assert_int_equal(fz_path_join(path, scratch, "/file", ""), 0);
}

AFTER_EACH
{
    kernel = (struct kernel){.user = 0};
    scratch_remove(scratch);
}

/* ---- descriptors ----------------------------------------------------------------- */

TEST("A descriptor stands for what was marked only if inode and device are the same: each disk counts its inodes anew")
{
    struct fz_fd_mark mark = {.device = 0};
    int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);

    assert_int_equal(fz_fd_mark(fd, &mark), 0);
    assert_true(fz_fd_is_marked(fd, &mark));
    mark.device++;
    assert_false(fz_fd_is_marked(fd, &mark));
    mark.device--;
    mark.inode++;
    assert_false(fz_fd_is_marked(fd, &mark));
    mark.inode--;
    assert_false(fz_fd_is_marked(-1, &mark));
    close(fd);
    assert_false(fz_fd_is_marked(fd, &mark));
}

TEST("A descriptor that open() failed to give is not kept, and its errno comes out")
{
    struct fz_kept_fd kept = FZ_KEPT_NONE;

    assert_int_equal(fz_kept_fd_take(&kept, open("/nothing/here", O_RDONLY | O_CLOEXEC)), ENOENT);
    assert_false(fz_kept_fd_is_set(&kept));
    assert_int_equal(fz_kept_fd_take(&kept, open("/dev/null", O_RDONLY | O_CLOEXEC)), 0);
    assert_int_equal(fz_kept_fd_get(&kept), fz_kept_fd_known(&kept));
    fz_kept_fd_close(&kept);
}

/* ---- locks ----------------------------------------------------------------------- */

TEST("A signal does not end the taking of a lock")
{
    int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);

    kernel.interrupted_locks = 3;
    assert_int_equal(fz_own_file_lock(fd, LOCK_EX), 0);
    assert_int_equal(kernel.interrupted_locks, 0);
    close(fd);
}

TEST("Locks work on a disk if they keep another process out, not if two can have one")
{
    bool works = false;

    assert_int_equal(fz_disk_try_flock(scratch, &works), 0);
    assert_true(works);
    kernel.locks_nothing = true;
    assert_int_equal(fz_disk_try_flock(scratch, &works), 0);
    assert_false(works);
}

TEST("A process that enters a guard whose file was removed enters the file of that name, where it meets the others")
{
    struct fz_guard guard;
    struct fz_guard other;
    char name[FZ_PATH_SIZE];

    assert_int_equal(fz_path_join(name, path, ".lock", ""), 0);
    assert_int_equal(fz_guard_open(&guard, path), 0);
    assert_int_equal(unlink(name), 0);
    assert_int_equal(fz_guard_open(&other, path), 0);
    assert_int_equal(fz_guard_enter(&guard, FZ_DEADLINE_NONE), 0);
    int fd = open(name, O_RDWR | O_CLOEXEC);
    assert_int_equal(fz_own_file_lock(fd, LOCK_EX), EWOULDBLOCK);
    fz_guard_leave(&guard);
    assert_int_equal(fz_own_file_lock(fd, LOCK_EX), 0);
    close(fd);
    fz_guard_close(&other);
    fz_guard_close(&guard);
}

TEST("A worker's lock whose file is removed between open and lock is not kept: it is taken again, under the name")
{
    struct fz_worker_lock lock;
    struct fz_worker_lock second;
    char name[FZ_PATH_SIZE];

    assert_int_equal(fz_path_join(name, scratch, "/worker-5.lock", ""), 0);
    kernel.removed_at_lock = name;
    assert_int_equal(fz_worker_lock_take(&lock, scratch, 5, 1, NULL), FRAZIL_OK);
    assert_null(kernel.removed_at_lock);
    assert_int_equal(fz_worker_lock_take(&second, scratch, 5, 1, NULL), FRAZIL_EPOOL);
    fz_worker_lock_release(&lock);
}

/* ---- processes ------------------------------------------------------------------- */

TEST("A process whose page was wiped takes a number that none before it had, however often")
{
    _Atomic uint64_t wiped = 0;
    struct fz_fork_mark mark;

    fz_fork_mark_init(&mark, &wiped);
    for (uint64_t number = 1; number < 5; number++) {
        assert_int_equal(fz_fork_mark_read(&mark), number);
        assert_int_equal(fz_fork_mark_read(&mark), number);
        atomic_store(&wiped, 0);
    }
}

/* ---- connections ----------------------------------------------------------------- */

TEST("Bytes that a connection received before are not counted, and later ones are")
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t len = sizeof address;
    char bytes[1000] = {0};
    int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    int here = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

    assert_int_equal(bind(listener, (struct sockaddr *)&address, len), 0);
    assert_int_equal(listen(listener, 1), 0);
    assert_int_equal(getsockname(listener, (struct sockaddr *)&address, &len), 0);
    assert_int_equal(connect(here, (struct sockaddr *)&address, len), 0);
    int there = accept(listener, NULL, NULL);
    assert_int_equal(send(there, bytes, 1000, 0), 1000);
    assert_int_equal(recv(here, bytes, 1000, MSG_WAITALL), 1000);
    struct fz_intake intake = fz_intake_of(here);
    if (intake.is_known) {
        assert_false(fz_intake_exceeds(&intake, here, 500));
        assert_int_equal(send(there, bytes, 500, 0), 500);
        assert_int_equal(recv(here, bytes, 500, MSG_WAITALL), 500);
        assert_false(fz_intake_exceeds(&intake, here, 500));
        assert_int_equal(send(there, bytes, 1, 0), 1);
        assert_int_equal(recv(here, bytes, 1, MSG_WAITALL), 1);
        assert_true(fz_intake_exceeds(&intake, here, 500));
    }
    close(listener);
    close(here);
    close(there);
    if (!intake.is_known)
        skip();
}

/* ---- the host -------------------------------------------------------------------- */

static void write_machine_id(const char *text)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

    assert_int_equal(write(fd, text, strlen(text)), strlen(text));
    close(fd);
    kernel.machine_id = path;
}

TEST("A machine that has not been given its id yet has none: all of its copies would have the same")
{
    char id[FZ_MACHINE_ID_SIZE] = "untouched";

    write_machine_id("uninitialized\n");
    assert_int_equal(fz_machine_id(id), ENOENT);
    write_machine_id("\n");
    assert_int_equal(fz_machine_id(id), ENOENT);
    assert_string_equal(id, "untouched");
    write_machine_id("0123456789abcdef0123456789abcdef\n");
    assert_int_equal(fz_machine_id(id), 0);
    assert_string_equal(id, "0123456789abcdef0123456789abcdef");
}

TEST("A host without IPv4 has its address of IPv6")
{
    char text[FZ_ADDRESS_SIZE] = "";
    int fd = socket(AF_INET6, SOCK_DGRAM | SOCK_CLOEXEC, 0);

    if (fd < 0)
        skip();
    close(fd);
    kernel.has_no_ipv4 = true;
    assert_int_equal(fz_host_address(text), 0);
    assert_int_equal(fz_address_version(text), 6);
}

TEST("The counter of the processor is used only while the kernel says that it tells time by it")
{
    char name[FZ_CLOCK_SOURCE_SIZE];

    if (fz_clock_source(name) == ENOTSUP)
        skip();
    kernel.clock_source = path;
    assert_false(fz_counter_usable());
    scratch_write(path, "hpet\n", 5);
    assert_false(fz_counter_usable());
    if (!fz_counter_is_constant())
        return;
    const char *sources = FZ_COUNTER_CLOCKSOURCES;
    size_t len = strcspn(sources, " ");
    memcpy(name, sources, len);
    name[len] = '\n';
    scratch_write(path, name, len + 1);
    assert_true(fz_counter_usable());
}

TEST("A clock is synchronised only if no word of the kernel's says that it is not")
{
    struct fz_kernel_clock clock = {.synchronised = false};

    if (fz_kernel_clock_read(&clock) == ENOTSUP)
        skip();
    assert_true(clock.synchronised);
    assert_int_equal(clock.max_error_us, 500);
    kernel.is_unsynchronised = true;
    assert_int_equal(fz_kernel_clock_read(&clock), 0);
    assert_false(clock.synchronised);
}

TEST("A run directory where everybody may make names has to be the user's own: not even root's will do")
{
    char directory[FZ_PATH_SIZE] = "";
    char found[FZ_PATH_SIZE] = "untouched";
    frazil_error err;

    if (geteuid() != 0)
        skip();
    unsetenv("RUNTIME_DIRECTORY");
    unsetenv("XDG_RUNTIME_DIR");
    kernel.user = (uid_t)(1000000000 + getpid());
    assert_int_equal(fz_dir_find(directory, FZ_DIR_RUN, NULL, &err), FRAZIL_OK);
    assert_int_equal(mkdir(directory, 0700), 0);
    frazil_err result = fz_dir_prepare(found, FZ_DIR_RUN, NULL, &err);
    assert_int_equal(rmdir(directory), 0);
    assert_int_not_equal(result, FRAZIL_OK);
    assert_non_null(strstr(err.message, "belongs to"));
    assert_string_equal(found, "untouched");
}
