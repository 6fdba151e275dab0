/* SPDX-License-Identifier: MIT */
/*
 * The small things that Linux does in its own way, each behind the header of its
 * section; posix/system.c has their counterparts.
 */
#define _GNU_SOURCE /* adjtimex, CLOCK_BOOTTIME, dladdr, dl_iterate_phdr, getentropy, madvise, SOCK_CLOEXEC */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <sys/timex.h>
#include <time.h>
#include <unistd.h>

#include "os/claim.h"
#include "os/clock.h"
#include "os/dirs.h"
#include "os/file.h"
#include "os/folder.h"
#include "os/fork_mark.h"
#include "os/host.h"
#include "os/memory.h"
#include "os/socket.h"

/* ---- small files in which the kernel tells of itself ----------------------- */

/*
 * fz_file_read of a file in /proc or /sys.  The kernel gives all of it at the first read, and it is no FIFO: three
 * system calls, where a file that anybody may have made takes five.
 */
static int read_kernel_file(const char *path, char *buf, size_t size, size_t *ret_len)
{
    ssize_t len;
    int fd;

    do
        fd = open(path, O_RDONLY | O_CLOEXEC);
    while (fd < 0 && errno == EINTR);
    if (fd < 0)
        return errno;
    do
        len = read(fd, buf, size);
    while (len < 0 && errno == EINTR);
    int err = len < 0 ? errno : (size_t)len == size ? EFBIG : 0;
    close(fd);
    if (err != 0)
        return err;
    buf[len] = '\0';
    *ret_len = (size_t)len;
    return 0;
}

/* ---- os/host.h ------------------------------------------------------------- */

#define BOOT_ID_FILE "/proc/sys/kernel/random/boot_id"

int fz_host_entropy(uint64_t *ret)
{
    return getentropy(ret, sizeof *ret) == 0 ? 0 : errno;
}

/* No process lives through a boot, so each asks once. */
static struct {
    atomic_int state;
    char id[FZ_BOOT_ID_SIZE];
} boot;

enum { BOOT_UNKNOWN, BOOT_BEING_NOTED, BOOT_KNOWN };

static void note_boot(const char id[FZ_BOOT_ID_SIZE])
{
    int state = BOOT_UNKNOWN;

    if (!atomic_compare_exchange_strong_explicit(&boot.state, &state, BOOT_BEING_NOTED, memory_order_relaxed,
                                                 memory_order_relaxed))
        return;
    memcpy(boot.id, id, sizeof boot.id);
    atomic_store_explicit(&boot.state, BOOT_KNOWN, memory_order_release);
}

int fz_boot_id(char ret[FZ_BOOT_ID_SIZE])
{
    size_t len;

    if (atomic_load_explicit(&boot.state, memory_order_acquire) == BOOT_KNOWN) {
        memcpy(ret, boot.id, sizeof boot.id);
        return 0;
    }
    int err = read_kernel_file(BOOT_ID_FILE, ret, FZ_BOOT_ID_SIZE, &len);
    if (err != 0)
        return err;
    memset(ret + strcspn(ret, "\n"), 0, FZ_BOOT_ID_SIZE - strcspn(ret, "\n"));
    note_boot(ret);
    return 0;
}

uint64_t fz_mount_space(void)
{
    struct stat space;

    /* The first one is the thread's own, as unshare() changes that alone; not before Linux 3.17. */
    bool is_told = stat("/proc/thread-self/ns/mnt", &space) == 0 || stat("/proc/self/ns/mnt", &space) == 0;
    return is_told ? (uint64_t)space.st_ino : 0;
}

bool fz_machine_has_generation(void)
{
    return fz_file_exists("/sys/bus/acpi/drivers/vmgenid/bind") ||
           fz_file_exists("/sys/bus/platform/drivers/vmgenid/bind");
}

/* The kernel's word about the start: it also knows of capabilities, and giving the rights up does not change it. */
bool fz_environment_is_foreign(void)
{
    return getauxval(AT_SECURE) != 0;
}

/* ---- os/claim.h ------------------------------------------------------------ */

FZ_PRIVATE const char fz_default_host_dir[FZ_DEFAULT_HOST_DIR_SIZE] = "/dev/shm";

/* ---- os/clock.h ------------------------------------------------------------ */

#define CLOCKSOURCE_FILE "/sys/devices/system/clocksource/clocksource0/current_clocksource"

/* How often both clocks are read: one of the readings will not have been interrupted. */
enum { READINGS = 8 };

int fz_kernel_clock_read(struct fz_kernel_clock *ret)
{
    struct timex kernel = {.modes = 0};

    int state = adjtimex(&kernel);
    if (state < 0)
        return errno;
    *ret = (struct fz_kernel_clock){.synchronised = state != TIME_ERROR && (kernel.status & STA_UNSYNC) == 0,
                                    .max_error_us = kernel.maxerror};
    return 0;
}

int fz_clock_source(char ret[FZ_CLOCK_SOURCE_SIZE])
{
    size_t len;
    int err = read_kernel_file(CLOCKSOURCE_FILE, ret, FZ_CLOCK_SOURCE_SIZE, &len);

    if (err == 0)
        ret[strcspn(ret, "\n")] = '\0';
    return err;
}

static int64_t microseconds_of(clockid_t clock)
{
    struct timespec at;

    (void)clock_gettime(clock, &at); /* both exist since Linux 2.6.39 */
    return (int64_t)at.tv_sec * 1000000 + at.tv_nsec / 1000;
}

int64_t fz_clock_since_boot_us(void)
{
    int64_t best_us = INT64_MAX;
    int64_t offset_us = 0;

    for (int i = 0; i < READINGS; i++) {
        int64_t before_us = microseconds_of(CLOCK_BOOTTIME);
        int64_t real_us = microseconds_of(CLOCK_REALTIME);
        int64_t took_us = microseconds_of(CLOCK_BOOTTIME) - before_us;
        if (took_us < best_us) {
            best_us = took_us;
            offset_us = real_us - (before_us + took_us / 2);
        }
    }
    return offset_us;
}

/* ---- os/dirs.h ------------------------------------------------------------- */

FZ_PRIVATE const char fz_run_dir_of_root[FZ_RUN_DIR_SIZE] = "/run/frazil";
FZ_PRIVATE const char fz_run_dir_of_users[FZ_RUN_DIR_SIZE] = "/dev/shm/frazil-";

/* The numbers by which Linux tells file systems apart. */
static const struct {
    uint32_t magic;
    enum fz_disk_kind kind;
} kinds[] = {
    {0x01021994, FZ_DISK_MEMORY},  /* tmpfs */
    {0x858458f6, FZ_DISK_MEMORY},  /* ramfs */
    {0x794c7630, FZ_DISK_LAYER},   /* overlayfs */
    {0x00006969, FZ_DISK_REMOTE},  /* nfs */
    {0xff534d42, FZ_DISK_REMOTE},  /* cifs */
    {0xfe534d42, FZ_DISK_REMOTE},  /* smb2 */
    {0x00c36400, FZ_DISK_REMOTE},  /* ceph */
    {0x5346414f, FZ_DISK_REMOTE},  /* afs */
    {0x0bd00bd0, FZ_DISK_REMOTE},  /* lustre */
    {0x65735546, FZ_DISK_FUSE},    /* fuse */
    {0x0000f15f, FZ_DISK_UNKNOWN}, /* ecryptfs: there as long as its user is logged in */
};

int fz_disk_look(const char *path, struct fz_disk *ret)
{
    struct statfs system;
    struct stat status;
    enum fz_disk_kind kind = FZ_DISK_LASTING;

    if (statfs(path, &system) != 0 || stat(path, &status) != 0)
        return errno;
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        if (kinds[i].magic == (uint32_t)system.f_type)
            kind = kinds[i].kind;
    }
    *ret = (struct fz_disk){.kind = kind,
                            .free_bytes = (uint64_t)system.f_bavail * (uint64_t)system.f_bsize,
                            .has_no_files = system.f_files != 0 && system.f_ffree == 0,
                            .open_to_others = (status.st_mode & (S_IWGRP | S_IWOTH)) != 0};
    return 0;
}

/* ---- os/file.h ------------------------------------------------------------- */

/* The kernel's struct statx: musl before 1.2.5 and glibc before 2.28 have neither it nor statx(). */
struct kernel_statx {
    uint32_t mask;
    uint32_t others[19];
    int64_t birth_s;
    uint32_t birth_ns;
    uint32_t further[13];
    uint64_t mount;
    uint32_t more[26];
};
_Static_assert(sizeof(struct kernel_statx) == 256 && offsetof(struct kernel_statx, birth_s) == 80 &&
                   offsetof(struct kernel_statx, mount) == 144,
               "as the kernel has it");
enum { KERNEL_STATX_BTIME = 0x800, KERNEL_STATX_MOUNT = 0x1000, KERNEL_STATX_MOUNT_UNIQUE = 0x4000 };

uint64_t fz_file_birth(int fd)
{
    const uint64_t ns_per_s = 1000000000;
    struct kernel_statx status;

    if (syscall(SYS_statx, fd, "", AT_EMPTY_PATH, KERNEL_STATX_BTIME, &status) != 0 ||
        (status.mask & KERNEL_STATX_BTIME) == 0)
        return 0;
    return (uint64_t)status.birth_s * ns_per_s + status.birth_ns;
}

/* ---- os/folder.h ----------------------------------------------------------- */

uint64_t fz_mount_of(const char *path)
{
    /* A number that no later mount is given, from a kernel that has such ones. */
    const unsigned wanted = KERNEL_STATX_MOUNT | KERNEL_STATX_MOUNT_UNIQUE;
    struct kernel_statx status;

    if (syscall(SYS_statx, AT_FDCWD, path, 0, wanted, &status) != 0 || (status.mask & wanted) == 0)
        return 0;
    return status.mount;
}

/* ---- os/memory.h and os/fork_mark.h ---------------------------------------- */

enum { PID_BITS = 32 };

/* No kernel knows this advice; one that accepts it accepts anything and wipes nothing. */
#define UNKNOWN_ADVICE 0x7ffffff

bool fz_wipe_on_fork(void *pages, size_t size)
{
#ifdef MADV_WIPEONFORK
    return madvise(pages, size, UNKNOWN_ADVICE) != 0 && madvise(pages, size, MADV_WIPEONFORK) == 0;
#else
    (void)pages;
    (void)size;
    return false;
#endif
}

/* The handle is not closed: RTLD_NODELETE keeps the library in any case. */
void fz_keep_loaded(const void *here)
{
    Dl_info own;

    if (dladdr(here, &own) != 0)
        (void)dlopen(own.dli_fname, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);
}

static bool has_interpreter(const ElfW(Phdr) * headers, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (headers[i].p_type == PT_INTERP)
            return true;
    }
    return false;
}

/* The first of all is the program. */
static int look_at_program(struct dl_phdr_info *program, size_t size, void *ret_static)
{
    (void)size;
    *(bool *)ret_static = !has_interpreter(program->dlpi_phdr, program->dlpi_phnum);
    return 1;
}

/*
 * To a library that dlmopen() has loaded, glibc shows the libraries of that namespace alone, and not the program.
 * getauxval() shows the program there; with musl, it shows the dynamic linker if that was started by hand.
 */
bool fz_program_is_static(void)
{
    const ElfW(Phdr) *headers = (const ElfW(Phdr) *)getauxval(AT_PHDR);
    bool is_static = false;

    (void)dl_iterate_phdr(look_at_program, &is_static);
    return is_static && headers != NULL && !has_interpreter(headers, getauxval(AT_PHNUM));
}

/* Process ids repeat only in other namespaces, or when their process has ended. */
uint64_t fz_process_name(void)
{
    struct stat space;
    uint64_t inode = stat("/proc/self/ns/pid", &space) == 0 ? (uint64_t)space.st_ino : 0;

    return inode << PID_BITS | (uint32_t)getpid();
}

/* ---- os/socket.h; its fz_socket_received is in socket.c ---------------------- */

int fz_socket_open(int family, int type)
{
    return socket(family, type | SOCK_CLOEXEC, 0);
}

int fz_socket_pair(int ret_fds[2])
{
    return socketpair(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0, ret_fds);
}
