/* SPDX-License-Identifier: MIT */
/*
 * Goal of this test: where the host directory lies on a disk, a loss of power leaves no claim that is marked as
 * finished without its content, and that costs one sync for each claim that is won.  The kind of the disk is what the
 * test says it is; what is synced, and when files are marked, is seen by the calls themselves.
 */
#include <dlfcn.h>
#include <errno.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "lib/claim_key.h"
#include "lib/scratch.h"
#include "lib/test.h"
#include "os/claim_internal.h"

enum { NUMBER = 7, NOW = 1000, TRIES = 20, FS_OF_DISK = 0xef53, FS_OF_MEMORY = 0x01021994 };

#define REAL(name) ((__typeof__(&(name)))(uintptr_t)dlsym(RTLD_NEXT, #name))

static const char *scratch;
static char *claims;

/* The calls of the test that runs. */
static struct {
    unsigned syncs;
    unsigned marks;
    ino_t durable; /* the file whose whole content was synced last */
    int sync_error;
    bool marked_too_soon;
    unsigned file_system;
} seen;

int statfs(const char *path, struct statfs *ret)
{
    (void)path;
    *ret = (struct statfs){.f_type = seen.file_system};
    return 0;
}

int fdatasync(int fd)
{
    struct fz_claim_page page;
    struct stat status;

    errno = seen.sync_error;
    if (seen.sync_error != 0)
        return -1;
    seen.syncs++;
    if (fz_claim_page_read(fd, &page) == 0 && fstat(fd, &status) == 0)
        seen.durable = status.st_ino;
    return REAL(fdatasync)(fd);
}

int fchmod(int fd, mode_t mode)
{
    struct stat status;

    if ((mode & FZ_CLAIM_FINISHED) != 0) {
        seen.marks++;
        seen.marked_too_soon |= fstat(fd, &status) != 0 || status.st_ino != seen.durable;
    }
    return REAL(fchmod)(fd, mode);
}

BEFORE_EACH
{
    scratch = scratch_make();
    claims = strdup(scratch_path(scratch, "claims"));
    assert_int_equal(mkdir(claims, 0755), 0);
    memset(&seen, 0, sizeof seen);
    seen.file_system = FS_OF_DISK;
}

AFTER_EACH
{
    free(claims);
    scratch_remove(scratch);
}

TEST("On a disk a claim is marked after its content is there, by one sync, and never again")
{
    const struct fz_claim_key key = claim_key(claims, 1, NOW);
    struct fz_claim_other other;
    struct fz_claim claim;

    for (unsigned i = 0; i < TRIES; i++) {
        assert_int_equal(fz_claim_try(&claim, &key, NUMBER, &other), 0);
        fz_claim_raise(&claim, NOW + i);
        fz_claim_release(&claim);
    }
    assert_int_equal(seen.syncs, 1);
    assert_int_equal(seen.marks, 1);
    assert_false(seen.marked_too_soon);
}

TEST("A claim that is refused costs no sync, however often it is tried")
{
    const struct fz_claim_key first = claim_key(claims, 1, NOW);
    const struct fz_claim_key second = claim_key(claims, 2, NOW);
    struct fz_claim_other other;
    struct fz_claim held;
    struct fz_claim refused;

    assert_int_equal(fz_claim_try(&held, &first, NUMBER, &other), 0);
    for (unsigned i = 0; i < TRIES; i++)
        assert_int_equal(fz_claim_try(&refused, &second, NUMBER, &other), FZ_CLAIM_TAKEN);
    assert_int_equal(claim_insist(&refused, &second, NUMBER, &other), FZ_CLAIM_TAKEN);
    assert_int_equal(seen.syncs, 1);
    assert_int_equal(seen.marks, 1);
    fz_claim_release(&held);
}

TEST("A claim that comes back after it was removed is synced and marked as a new one is")
{
    const struct fz_claim_key key = claim_key(claims, 1, NOW);
    struct fz_claim_other other;
    struct fz_claim claim;

    assert_int_equal(fz_claim_try(&claim, &key, NUMBER, &other), 0);
    assert_int_equal(remove(claim.path), 0);
    assert_int_equal(fz_claim_keep(&claim, NOW, FZ_DEADLINE_NONE, &other), 0);
    assert_int_equal(seen.syncs, 2);
    assert_int_equal(seen.marks, 2);
    assert_false(seen.marked_too_soon);
    fz_claim_release(&claim);
}

TEST("A sync that fails is the error of the claim, and the next claim is marked after a sync of its own")
{
    const struct fz_claim_key key = claim_key(claims, 1, NOW);
    struct fz_claim_other other;
    struct fz_claim claim;
    frazil_error why;

    seen.sync_error = EIO;
    assert_int_equal(claim_take(&claim, &key, NUMBER, &why), FRAZIL_ESYS);
    assert_int_equal(why.sys_errno, EIO);
    assert_int_equal(seen.marks, 0);
    seen.sync_error = 0;
    assert_int_equal(fz_claim_try(&claim, &key, NUMBER, &other), 0);
    assert_int_equal(seen.syncs, 1);
    assert_false(seen.marked_too_soon);
    fz_claim_release(&claim);
}

TEST("A claim that was lost with the power before it was marked says nothing, and is made ready by the next one")
{
    static const char zeros[sizeof(struct fz_claim_page)];
    const struct fz_claim_key key = claim_key(claims, 1, NOW);
    const struct fz_claim_key stranger = claim_key(claims, 2, NOW);
    struct fz_claim_other other;
    struct fz_claim claim;

    assert_int_equal(fz_claim_try(&claim, &key, NUMBER, &other), 0);
    fz_claim_release(&claim);
    scratch_write(claim.path, zeros, sizeof zeros);
    assert_int_equal(chmod(claim.path, 0644), 0);
    assert_int_equal(fz_claim_find(&stranger, NUMBER, &other), 0);
    assert_int_equal(fz_claim_try(&claim, &key, NUMBER, &other), 0);
    assert_int_equal(seen.syncs, 2);
    fz_claim_raise(&claim, NOW);
    fz_claim_release(&claim);
    assert_int_equal(fz_claim_try(&claim, &stranger, NUMBER, &other), 0);
    assert_int_equal(claim.floor, NOW + 1);
    fz_claim_release(&claim);
}

TEST("A claim that finds no room leaves no file, though each try is for another word")
{
    struct fz_claim_other other;
    struct rlimit limit;
    struct fz_claim claim;
    unsigned failed = 0;

    assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
    const struct rlimit full = {.rlim_cur = 0, .rlim_max = limit.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &full), 0);
    for (uint64_t word = 1; word <= TRIES; word++) {
        const struct fz_claim_key key = claim_key(claims, word, NOW);
        failed += fz_claim_try(&claim, &key, NUMBER, &other) == EFBIG;
    }
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
    assert_int_equal(failed, TRIES);
    assert_int_equal(rmdir(claims), 0); /* it is empty */
}

TEST("In memory nothing is synced")
{
    const struct fz_claim_key key = claim_key(claims, 1, NOW);
    struct fz_claim_other other;
    struct fz_claim claim;

    seen.file_system = FS_OF_MEMORY;
    assert_int_equal(fz_claim_try(&claim, &key, NUMBER, &other), 0);
    assert_int_equal(seen.syncs, 0);
    assert_int_equal(seen.marks, 1);
    fz_claim_release(&claim);
}
