/* SPDX-License-Identifier: MIT */
/*
 * Goal of this test: what src/os promises of the kernel's memory, files, names
 * and clocks, also on a kernel that knows less, and what the manual clocks do in
 * its place.
 */
#define _DEFAULT_SOURCE /* syscall, MADV_WIPEONFORK */

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "core/now.h"
#include "frazil/clock.h"
#include "lib/ports.h"
#include "lib/test.h"
#include "os/clock.h"
#include "os/fail_errno.h"
#include "os/file.h"
#include "os/guard.h"
#include "os/host.h"
#include "os/memory.h"
#include "os/state_file.h"

#define S_NS UINT64_C(1000000000)

/* ---- kernels ----------------------------------------------------------------- */

/* How the kernel answers to advice: as the real one, like one before 4.14, like an emulator that ignores all. */
static enum kernel { REAL_KERNEL, OLD_KERNEL, EMULATOR } kernel;

/* Stands before the C library's. */
int madvise(void *addr, size_t length, int advice)
{
    if (kernel == EMULATOR)
        return 0;
    if (kernel == OLD_KERNEL) {
        errno = EINVAL;
        return -1;
    }
    return (int)syscall(SYS_madvise, addr, length, advice);
}

AFTER_EACH
{
    kernel = REAL_KERNEL;
}

/* ---- memory ------------------------------------------------------------------ */

/* The first byte of a page in a child, and whether the child's writes are seen here. */
static unsigned char first_byte_in_child(unsigned char *page)
{
    int status;
    pid_t pid = fork();

    if (pid == 0) {
        unsigned char seen = page[0];
        page[1] = 99;
        _exit(seen);
    }
    assert_true(pid > 0);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status));
    return (unsigned char)WEXITSTATUS(status);
}

TEST("Shared pages start at zero, and parent and child see what each other writes")
{
    unsigned char *page = fz_map_shared(5000);

    assert_non_null(page);
    for (size_t i = 0; i < 5000; i++)
        assert_int_equal(page[i], 0);
    page[0] = 42;
    assert_int_equal(first_byte_in_child(page), 42);
    assert_int_equal(page[1], 99);
    fz_unmap(page, 5000);
}

TEST("Wiped pages are zero in a child and in its child, and stay what they are in the parent")
{
    bool wiped = false;
    unsigned char *page = fz_map_wiped(5000, &wiped);
    int status;

    assert_non_null(page);
    if (!wiped)
        skip();
    page[0] = 42;
    page[4999] = 43;
    assert_int_equal(first_byte_in_child(page), 0);
    assert_int_equal(page[0], 42);
    assert_int_equal(page[1], 0);

    pid_t pid = fork();
    if (pid == 0) {
        bool bad = page[4999] != 0;
        page[0] = 44;
        _exit(bad || first_byte_in_child(page) != 0);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
    assert_int_equal(page[4999], 43);
    fz_unmap(page, 5000);
}

static void assert_inherited_under(enum kernel wanted)
{
    bool wiped = true;

    kernel = wanted;
    unsigned char *page = fz_map_wiped(4096, &wiped);
    assert_non_null(page);
    assert_false(wiped);
    page[0] = 42;
    assert_int_equal(first_byte_in_child(page), 42);
    fz_unmap(page, 4096);
}

TEST("A kernel that cannot wipe says so, and is believed; the page is inherited")
{
    assert_inherited_under(OLD_KERNEL);
}

TEST("One that accepts every advice is not believed")
{
    assert_inherited_under(EMULATOR);
}

TEST("Memory that cannot be mapped is NULL with an errno; giving nothing back is allowed")
{
    bool untouched = true;

    errno = 0;
    assert_null(fz_map_shared(SIZE_MAX / 2));
    assert_int_equal(errno, ENOMEM);
    errno = 0;
    assert_null(fz_map_wiped(SIZE_MAX / 2, &untouched));
    assert_int_equal(errno, ENOMEM);
    assert_true(untouched);
    fz_unmap(NULL, 4096);
}

/* ---- files --------------------------------------------------------------------- */

static char path[] = "/tmp/frazil-test-os-XXXXXX";

BEFORE_ALL
{
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, "0123456789", 10), 10);
    assert_int_equal(close(fd), 0);
}

AFTER_ALL
{
    assert_int_equal(unlink(path), 0);
}

TEST("The whole file, and a zero byte behind it")
{
    char buf[64];
    size_t len = 77;

    memset(buf, 'x', sizeof buf);
    assert_int_equal(fz_file_read(path, buf, sizeof buf, &len), 0);
    assert_int_equal(len, 10);
    assert_string_equal(buf, "0123456789");
    assert_int_equal(buf[11], 'x');
    assert_int_equal(fz_file_read("/dev/null", buf, sizeof buf, &len), 0);
    assert_int_equal(len, 0);
    assert_string_equal(buf, "");
}

TEST("The file and its zero byte must fit: ten bytes go into eleven, and not into ten")
{
    char buf[12];
    size_t len = 77;

    for (size_t size = 0; size <= 10; size++) {
        assert_int_equal(fz_file_read(path, buf, size, &len), FZ_REFUSED_LENGTH);
        assert_int_equal(len, 77);
    }
    buf[11] = 'x';
    assert_int_equal(fz_file_read(path, buf, 11, &len), 0);
    assert_int_equal(len, 10);
    assert_string_equal(buf, "0123456789");
    assert_int_equal(buf[11], 'x');
}

TEST("The kernel gives out some files in pieces, however large the buffer is: all of them are read")
{
    static const char file[] = "/proc/self/smaps";
    enum { SIZE = 4 * 1024 * 1024 };
    char *buf = malloc(SIZE);
    size_t len = 0;

    assert_non_null(buf);
    int fd = open(file, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        skip();
    ssize_t piece = read(fd, buf, SIZE);
    close(fd);
    assert_int_equal(fz_file_read(file, buf, SIZE, &len), 0);
    assert_true(piece > 0 && len > (size_t)piece);
    free(buf);
}

TEST("Errors are the system's, nothing is returned, and no descriptor is left open")
{
    char buf[16];
    size_t len = 77;

    int unused = open("/dev/null", O_RDONLY);
    close(unused);
    assert_int_equal(fz_file_read("/tmp", buf, sizeof buf, &len), EISDIR);
    assert_int_equal(fz_file_read("/nonexistent/file", buf, sizeof buf, &len), ENOENT);
    assert_int_equal(fz_file_read("", buf, sizeof buf, &len), ENOENT);
    assert_int_equal(fz_file_read("/dev/null/x", buf, sizeof buf, &len), ENOTDIR);
    assert_int_equal(fz_file_read("/dev/zero", buf, sizeof buf, &len), FZ_REFUSED_LENGTH);
    assert_int_equal(len, 77);
    int again = open("/dev/null", O_RDONLY);
    assert_int_equal(again, unused);
    close(again);
}

TEST("A write that was given up leaves nothing behind, and the file that has the name stays as it is")
{
    char name[FZ_PATH_SIZE];
    char buf[64];
    size_t len = 0;
    int fd = -1;

    assert_int_equal(fz_path_join(name, path, ".new", ""), 0);
    assert_int_equal(fz_new_file_begin(path, &fd), 0);
    assert_true(fz_file_exists(name));
    fz_new_file_abandon(path, fd);
    assert_false(fz_file_exists(name));
    assert_int_equal(fz_file_read(path, buf, sizeof buf, &len), 0);
    assert_string_equal(buf, "0123456789");
}

TEST("A process that left a guard is not in it any more, whatever a child forked meanwhile still holds")
{
    struct fz_guard guard;
    struct fz_guard other;
    char name[FZ_PATH_SIZE];
    int ends[2];
    char byte;

    assert_int_equal(pipe(ends), 0);
    assert_int_equal(fz_guard_open(&guard, path), 0);
    assert_int_equal(fz_guard_enter(&guard, FZ_DEADLINE_NONE), 0);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        close(ends[1]);
        _exit(read(ends[0], &byte, 1) == 0 ? 0 : 1);
    }
    fz_guard_leave(&guard);
    assert_int_equal(fz_guard_open(&other, path), 0);
    assert_int_equal(fz_guard_enter(&other, FZ_DEADLINE_NONE), 0);
    fz_guard_leave(&other);
    fz_guard_close(&other);
    fz_guard_close(&guard);
    close(ends[0]);
    close(ends[1]);
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    assert_int_equal(fz_path_join(name, path, ".lock", ""), 0);
    assert_int_equal(unlink(name), 0);
}

TEST("A record that the file holds in part only is an error, not one with whatever stood in the buffer")
{
    static const struct fz_bounds all = {.min = 0, .max = 15, .top = 15};
    struct fz_state_file file;
    frazil_error err = {.sys_errno = 0};
    char buf[8] = "xxxxxxx";

    assert_int_equal(fz_state_file_name(&file, path, &all, &err), FRAZIL_OK);
    assert_int_equal(fz_state_file_look(&file), 0);
    assert_int_equal(fz_state_file_read(&file, 2, buf, sizeof buf, &err), FRAZIL_OK);
    assert_memory_equal(buf, "23456789", sizeof buf);
    for (uint64_t offset = 3; offset <= 11; offset++) {
        assert_int_equal(fz_state_file_read(&file, offset, buf, sizeof buf, &err), FRAZIL_ESYS);
        assert_int_equal(err.sys_errno, EIO);
    }
    fz_state_file_close(&file);
}

/* ---- the host --------------------------------------------------------------------- */

TEST("The name that gethostname gives; one that does not fit is an error or is cut, and terminated in any case")
{
    char right[256];
    char name[256];
    char small[2] = {'x', 'x'};

    assert_int_equal(gethostname(right, sizeof right), 0);
    assert_int_equal(fz_host_name(name, sizeof name), 0);
    assert_string_equal(name, right);
    if (strlen(right) > 1 && fz_host_name(small, sizeof small) == 0)
        assert_int_equal(small[1], '\0');
}

TEST("Two draws of 64 bits differ, and so do their halves")
{
    uint64_t a = 0;
    uint64_t b = 0;

    assert_int_equal(fz_host_entropy(&a), 0);
    assert_int_equal(fz_host_entropy(&b), 0);
    assert_int_not_equal(a, b);
    assert_int_not_equal(a >> 32, a & 0xffffffff);
}

/* ---- the real clock ---------------------------------------------------------------- */

static int64_t ns_of(frazil_instant instant)
{
    return instant.unix_ms * 1000000 + instant.ns;
}

TEST("It shows what clock_gettime shows, to the nanosecond, and its nanoseconds stay within the millisecond")
{
    frazil_clock clock = fz_real_clock();

    for (int i = 0; i < 10000; i++) {
        struct timespec before;
        struct timespec after;
        clock_gettime(CLOCK_REALTIME, &before);
        frazil_instant now = i % 2 == 0 ? fz_real_now() : fz_now(&clock);
        clock_gettime(CLOCK_REALTIME, &after);
        assert_in_range(now.ns, 0, 999999);
        assert_true(ns_of(now) >= (int64_t)before.tv_sec * 1000000000 + before.tv_nsec);
        assert_true(ns_of(now) <= (int64_t)after.tv_sec * 1000000000 + after.tv_nsec);
    }
}

TEST("Monotonic time never goes back, and goes on")
{
    frazil_clock clock = fz_real_clock();
    uint64_t first = clock.monotonic_ns(clock.ctx);
    uint64_t last = first;

    for (int i = 0; i < 10000; i++) {
        uint64_t now = clock.monotonic_ns(clock.ctx);
        assert_true(now >= last);
        last = now;
    }
    assert_true(last > first);
}

TEST("A sleep does not end before its time, and one whose time has passed ends at once")
{
    frazil_clock clock = fz_real_clock();
    uint64_t until = clock.monotonic_ns(clock.ctx) + S_NS / 200;

    clock.sleep_until(clock.ctx, until);
    assert_true(clock.monotonic_ns(clock.ctx) >= until);
    clock.sleep_until(clock.ctx, until);
    clock.sleep_until(clock.ctx, 0);
}

static volatile sig_atomic_t alarms;

static void count_alarm(int number)
{
    (void)number;
    alarms++;
}

TEST("A signal ends it early: this one would last a year")
{
    frazil_clock clock = fz_real_clock();
    struct sigaction action = {.sa_handler = count_alarm, .sa_flags = SA_RESTART};
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGALRM};
    struct itimerspec soon = {.it_value = {.tv_nsec = 5000000}, .it_interval = {.tv_nsec = 5000000}};
    uint64_t until = clock.monotonic_ns(clock.ctx) + 365 * 86400 * S_NS;
    timer_t timer;

    assert_int_equal(sigaction(SIGALRM, &action, NULL), 0);
    assert_int_equal(timer_create(CLOCK_MONOTONIC, &event, &timer), 0);
    assert_int_equal(timer_settime(timer, 0, &soon, NULL), 0);
    clock.sleep_until(clock.ctx, until);
    assert_int_equal(timer_delete(timer), 0);
    assert_true(alarms > 0);
    assert_true(clock.monotonic_ns(clock.ctx) < until);
}

/* ---- manual clocks ------------------------------------------------------------------ */

static void assert_shows(frazil_clock clock, int64_t unix_ms, uint32_t ns, uint64_t monotonic_ns)
{
    frazil_instant now = fz_now(&clock);

    assert_int_equal(now.unix_ms, unix_ms);
    assert_int_equal(now.ns, ns);
    assert_int_equal(clock.monotonic_ns(clock.ctx), monotonic_ns);
}

TEST("It moves when it is told to, on both times, with a carry from nanoseconds to milliseconds")
{
    frazil_manual_clock *manual;

    assert_int_equal(frazil_manual_clock_open(&manual, 5000, 0, NULL), FRAZIL_OK);
    frazil_clock clock = port_of(manual);
    assert_shows(clock, 5000, 0, 0);
    assert_shows(clock, 5000, 0, 0);
    frazil_manual_clock_advance(manual, 999999);
    assert_shows(clock, 5000, 999999, 999999);
    frazil_manual_clock_advance(manual, 1);
    assert_shows(clock, 5001, 0, 1000000);
    frazil_manual_clock_advance(manual, 2500001);
    assert_shows(clock, 5003, 500001, 3500001);
    frazil_manual_clock_close(manual);
    frazil_manual_clock_close(NULL);
}

TEST("A step sets the wall time to a whole millisecond, either way and before 1970; monotonic time stays")
{
    frazil_manual_clock *manual;

    assert_int_equal(frazil_manual_clock_open(&manual, 5000, 0, NULL), FRAZIL_OK);
    frazil_clock clock = port_of(manual);
    frazil_manual_clock_advance(manual, 1500000);
    frazil_manual_clock_set(manual, 9000);
    assert_shows(clock, 9000, 0, 1500000);
    frazil_manual_clock_set(manual, -3);
    assert_shows(clock, -3, 0, 1500000);
    frazil_manual_clock_advance(manual, 1500000);
    assert_shows(clock, -2, 500000, 3000000);
    frazil_manual_clock_close(manual);
}

TEST("A sleep moves a manual clock on by the time slept, and back never")
{
    frazil_manual_clock *manual;

    assert_int_equal(frazil_manual_clock_open(&manual, 5000, 0, NULL), FRAZIL_OK);
    frazil_clock clock = port_of(manual);
    clock.sleep_until(clock.ctx, 2000001);
    assert_shows(clock, 5002, 1, 2000001);
    clock.sleep_until(clock.ctx, 2000001);
    clock.sleep_until(clock.ctx, 5);
    assert_shows(clock, 5002, 1, 2000001);
    frazil_manual_clock_close(manual);
}

TEST("Another flag is refused with a sentence, and nothing is opened")
{
    static const uint32_t wrong[] = {2, 3, UINT32_C(1) << 31, UINT32_MAX};

    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        frazil_manual_clock *manual = NULL;
        frazil_error err;
        assert_int_equal(frazil_manual_clock_open(&manual, 5000, wrong[i], &err), FRAZIL_EINVAL);
        assert_non_null(strstr(err.message, "flags"));
        assert_null(manual);
    }
}

TEST("The port of a clock fills as much of a struct as a program knows, and says how much; what is behind it is zero")
{
    frazil_manual_clock *manual;
    struct {
        frazil_clock port;
        uint64_t newer[2];
    } longer;

    assert_int_equal(frazil_manual_clock_open(&manual, 5000, 0, NULL), FRAZIL_OK);
    const frazil_clock whole = port_of(manual);
    assert_int_equal(whole.size, sizeof whole);
    memset(&longer, 0xff, sizeof longer);
    frazil_manual_clock_port(manual, &longer.port, sizeof longer);
    assert_memory_equal(&longer.port, &whole, sizeof whole);
    assert_int_equal(longer.newer[0] | longer.newer[1], 0);
    frazil_clock shorter;
    memset(&shorter, 0xff, sizeof shorter);
    frazil_manual_clock_port(manual, &shorter, offsetof(frazil_clock, sleep_until));
    assert_int_equal(shorter.size, offsetof(frazil_clock, sleep_until));
    assert_true(shorter.now == whole.now && shorter.sleep_until != whole.sleep_until);
    frazil_manual_clock_close(manual);
}

TEST("A frozen one keeps its wall time through sleeps, but can be set and advanced")
{
    frazil_manual_clock *frozen;

    assert_int_equal(frazil_manual_clock_open(&frozen, 5000, FRAZIL_CLOCK_FROZEN, NULL), FRAZIL_OK);
    frazil_clock clock = port_of(frozen);
    clock.sleep_until(clock.ctx, 2000001);
    assert_shows(clock, 5000, 0, 2000001);
    frazil_manual_clock_advance(frozen, 1000000);
    assert_shows(clock, 5001, 0, 3000001);
    frazil_manual_clock_set(frozen, 7000);
    assert_shows(clock, 7000, 0, 3000001);
    frazil_manual_clock_close(frozen);
}
