/* SPDX-License-Identifier: MIT */
/*
 * Goal of this test: a file system is of the kind that its number in Linux says.  The kernel's answer is made here, as
 * a test may mount nothing.
 */
#include <string.h>
#include <sys/statfs.h>

#include "lib/test.h"
#include "os/dirs.h"

static uint32_t magic;

/* Stands for the one of libc. */
int statfs(const char *path, struct statfs *ret)
{
    (void)path;
    memset(ret, 0, sizeof *ret);
    ret->f_type = (__typeof__(ret->f_type))magic;
    ret->f_bsize = 4096;
    return 0;
}

static enum fz_disk_kind kind_of(uint32_t number)
{
    struct fz_disk disk;

    magic = number;
    assert_int_equal(fz_disk_look("/", &disk), 0);
    return disk.kind;
}

TEST("FUSE and eCryptfs lie on another file system, and nobody can tell which")
{
    assert_int_equal(kind_of(0x65735546), FZ_DISK_FUSE);
    assert_int_equal(kind_of(0xf15f), FZ_DISK_UNKNOWN);
}

TEST("Memory, a container's layer, other hosts, and a number that nobody knows, which is taken for a disk")
{
    static const uint32_t remote[] = {0x6969, 0xff534d42, 0xfe534d42, 0x00c36400, 0x5346414f, 0x0bd00bd0};

    assert_int_equal(kind_of(0x01021994), FZ_DISK_MEMORY);
    assert_int_equal(kind_of(0x858458f6), FZ_DISK_MEMORY);
    assert_int_equal(kind_of(0x794c7630), FZ_DISK_LAYER);
    for (size_t i = 0; i < sizeof remote / sizeof remote[0]; i++)
        assert_int_equal(kind_of(remote[i]), FZ_DISK_REMOTE);
    assert_int_equal(kind_of(0xef53), FZ_DISK_LASTING);
}
