/* SPDX-License-Identifier: MIT */
/*
 * Goal of this test: a process whose paths lead elsewhere since it opened a generator, as after chroot() or with a
 * mount of its own, neither gives its number up in silence nor writes anything where nobody else looks.
 */
#define _GNU_SOURCE /* unshare */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/claim_key.h"
#include "lib/jail.h"
#include "lib/scratch.h"
#include "lib/test.h"
#include "os/dirs.h"
#include "os/fail_errno.h"
#include "os/host.h"
#include "state/grant_store.h"

enum { NUMBER = 7, NOW = 10000, RESERVE = 100 };

static const char *scratch;
static const char *host;
static char state[512];

BEFORE_ALL
{
    test_need(geteuid() == 0);
    test_need(unshare(CLONE_NEWNS) == 0 && mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0);
}

BEFORE_EACH
{
    scratch = scratch_make();
    host = scratch_host(scratch);
    snprintf(state, sizeof state, "%s/state", scratch);
    jail_make_folders(state, 0700);
    jail_make(scratch);
}

AFTER_EACH
{
    scratch_remove(scratch);
}

static void count_name(void *ctx, const char *name)
{
    (void)name;
    ++*(unsigned *)ctx;
}

static unsigned files_in(const char *path)
{
    unsigned n = 0;

    assert_int_equal(fz_list_dir(path, count_name, &n), 0);
    return n;
}

/* ---- claims ------------------------------------------------------------------------ */

static int try_for(uint64_t word, struct fz_claim *ret)
{
    const struct fz_claim_key key = claim_key(host, word, NOW);
    struct fz_claim_other other;

    return fz_claim_try(ret, &key, NUMBER, &other);
}

static int keep(struct fz_claim *claim)
{
    struct fz_claim_other other;

    return fz_claim_keep(claim, NOW, FZ_DEADLINE_NONE, &other);
}

/* Others are kept away by that claim. */
static void assert_held(struct fz_claim *held)
{
    struct fz_claim second;

    assert_int_equal(try_for(2, &second), FZ_CLAIM_TAKEN);
    fz_claim_release(held);
    assert_int_equal(try_for(2, &second), 0);
    fz_claim_release(&second);
}

TEST("After chroot() a claim stays where the others look, though the jail has a folder of that name")
{
    struct fz_claim held;

    jail_make_folders(jailed(host), 01777);
    assert_int_equal(try_for(1, &held), 0);
    jail_enter();
    int err = keep(&held);
    jail_leave();
    assert_int_equal(err, 0);
    assert_int_equal(files_in(jailed(host)), 0);
    assert_held(&held);
}

TEST("After chroot() no folder is made that the jail does not have")
{
    struct fz_claim held;

    assert_int_equal(try_for(1, &held), 0);
    jail_enter();
    int err = keep(&held);
    jail_leave();
    assert_int_equal(err, 0);
    assert_false(scratch_exists(jailed(host)));
    assert_held(&held);
}

TEST("A claim that was removed is put back by no process of a jail, and by one that is outside again")
{
    for (int i = 0; i < 2; i++) {
        struct fz_claim held;
        if (i == 1)
            jail_make_folders(jailed(host), 01777);
        assert_int_equal(try_for(1, &held), 0);
        assert_int_equal(unlink(held.path), 0);
        jail_enter();
        int err = keep(&held);
        jail_leave();
        assert_int_equal(err, FZ_REFUSED_ELSEWHERE);
        if (i == 0)
            assert_false(scratch_exists(jailed(host)));
        else
            assert_int_equal(files_in(jailed(host)), 0);
        assert_int_equal(keep(&held), 0);
        assert_held(&held);
    }
}

TEST("In a jail that has the host directory itself, a claim that was removed is put back")
{
    struct fz_claim held;

    jail_make_folders(jailed(host), 01777);
    assert_int_equal(mount(host, jailed(host), NULL, MS_BIND, NULL), 0);
    assert_int_equal(try_for(1, &held), 0);
    assert_int_equal(unlink(held.path), 0);
    jail_enter();
    int err = keep(&held);
    jail_leave();
    assert_int_equal(err, 0);
    assert_held(&held);
    assert_int_equal(umount(jailed(host)), 0);
}

TEST("A program that has closed its descriptors before chroot() keeps its claim, and knows that it cannot tell")
{
    struct fz_claim held;

    jail_make_folders(jailed(host), 01777);
    assert_int_equal(try_for(1, &held), 0);
    close(fz_kept_fd_known(&held.file));
    jail_enter();
    int err = keep(&held);
    jail_leave();
    assert_int_equal(err, FZ_REFUSED_ELSEWHERE);
    assert_int_equal(files_in(jailed(host)), 0);
    struct fz_claim second;
    assert_int_equal(try_for(2, &second), FZ_CLAIM_TAKEN);
    fz_claim_release(&held);
}

/* Covers the host directory, as far as this namespace goes; by another folder of the same disk if that is noticed. */
static void cover_host(void)
{
    char other[1024];

    snprintf(other, sizeof other, "%s/other", scratch);
    if (!scratch_exists(other))
        jail_make_folders(other, 01777);
    if (fz_mount_of(host) == 0)
        assert_int_equal(mount("none", host, "tmpfs", 0, "mode=1777"), 0);
    else
        assert_int_equal(mount(other, host, NULL, MS_BIND, NULL), 0);
}

static void uncover_host(void)
{
    assert_int_equal(umount2(host, MNT_DETACH), 0);
}

TEST("A claim that a mount has covered for all comes back in the new folder, and is kept in the former one, too")
{
    struct fz_claim held;
    struct fz_claim second;

    assert_int_equal(try_for(1, &held), 0);
    cover_host();
    assert_int_equal(try_for(2, &second), 0); /* who sees only the new folder */
    assert_int_equal(keep(&held), FZ_CLAIM_TAKEN);
    fz_claim_raise(&second, NOW);
    fz_claim_release(&second);
    assert_int_equal(keep(&held), 0);
    assert_int_equal(held.floor, NOW + 1);
    assert_int_equal(try_for(2, &second), FZ_CLAIM_TAKEN);
    uncover_host();
    assert_int_equal(try_for(2, &second), FZ_CLAIM_TAKEN);
    assert_int_equal(keep(&held), 0);
    assert_int_equal(try_for(2, &second), FZ_CLAIM_TAKEN);
    cover_host();
    assert_int_equal(keep(&held), 0);
    assert_held(&held);
    uncover_host();
    assert_int_equal(try_for(2, &second), 0);
    fz_claim_release(&second);
}

TEST("A successor in the new folder begins above what was used there, and so does one in the former one")
{
    struct fz_claim held;
    struct fz_claim second;

    assert_int_equal(try_for(1, &held), 0);
    fz_claim_raise(&held, NOW + 10);
    cover_host();
    assert_int_equal(keep(&held), 0);
    fz_claim_raise(&held, NOW + 50);
    fz_claim_lower(&held, NOW + 50, NOW + 40);
    fz_claim_release(&held);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(try_for(2, &second), 0);
        assert_int_equal(second.floor, NOW + 41);
        fz_claim_release(&second);
        if (i == 0)
            uncover_host();
    }
}

/* Goes into a mount namespace of its own, and says how to come back; -1: the system does not tell them apart. */
static int leave_space(void)
{
    if (fz_mount_space() == 0)
        return -1;
    int space = open("/proc/self/ns/mnt", O_RDONLY | O_CLOEXEC);
    assert_true(space >= 0 && unshare(CLONE_NEWNS) == 0);
    return space;
}

static void come_back(int space)
{
    assert_int_equal(setns(space, CLONE_NEWNS), 0);
    close(space);
}

TEST("A claim that a process has covered for itself alone stays, and nothing is made in the new folder")
{
    struct fz_claim held;
    struct fz_claim second;

    assert_int_equal(try_for(1, &held), 0);
    int space = leave_space();
    if (space < 0)
        skip();
    cover_host();
    int err = keep(&held);
    held.folder.view.root_mount = 0; /* as before Linux 5.8 */
    held.folder.mount = 0;
    int without_numbers = keep(&held);
    unsigned made = files_in(host);
    assert_int_equal(try_for(2, &second), 0); /* who was started here */
    int beside_another = keep(&held);
    fz_claim_raise(&second, NOW);
    fz_claim_release(&second);
    int after_another = keep(&held);
    come_back(space);
    assert_int_equal(err, 0);
    assert_int_equal(without_numbers, 0);
    assert_int_equal(made, 0);
    assert_int_equal(beside_another, FZ_CLAIM_TAKEN);
    assert_int_equal(after_another, 0);
    assert_int_equal(held.floor, NOW + 1);
    assert_int_equal(keep(&held), 0);
    assert_held(&held);
}

TEST("In a jail, a file that nobody holds is no holder, though the clock was set back far below its ticks")
{
    struct fz_claim held;
    struct fz_claim dead;
    struct fz_claim_other other;

    jail_make_folders(jailed(host), 01777);
    for (int i = 0; i < 2; i++) {
        if (i == 1)
            jail_enter();
        assert_int_equal(try_for(2, &dead), 0);
        fz_claim_raise(&dead, NOW + 900);
        fz_claim_release(&dead);
        if (i == 1)
            jail_leave();
    }
    assert_int_equal(try_for(1, &held), 0);
    assert_int_equal(held.floor, NOW + 901);
    jail_enter();
    int err = fz_claim_keep(&held, 10, FZ_DEADLINE_NONE, &other);
    jail_leave();
    assert_int_equal(err, 0);
    assert_held(&held);
}

TEST("In a jail, where no descriptor is left to look for others, that is a failure")
{
    struct fz_claim held;
    struct rlimit limit;

    jail_make_folders(jailed(host), 01777);
    assert_int_equal(try_for(1, &held), 0);
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
    const struct rlimit none = {.rlim_cur = 0, .rlim_max = limit.rlim_max};
    jail_enter();
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
    int err = keep(&held);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
    jail_leave();
    assert_int_equal(err, EMFILE);
    assert_held(&held);
}

TEST("A host directory that was removed with the folder above it is missing, and no other one than at the opening")
{
    struct fz_claim held;
    char former[600];

    snprintf(former, sizeof former, "%s-former", scratch);
    assert_int_equal(try_for(1, &held), 0);
    assert_int_equal(unlink(held.path), 0);
    assert_int_equal(rename(scratch, former), 0);
    int err = keep(&held);
    assert_int_equal(rename(former, scratch), 0);
    assert_int_equal(err, ENOENT);
    assert_int_equal(keep(&held), 0);
    assert_held(&held);
}

TEST("A folder that was made anew is in its place, though its mount was not known at the note")
{
    struct fz_folder folder;
    char file[600];
    char former[600];

    snprintf(file, sizeof file, "%s/file", state);
    snprintf(former, sizeof former, "%s-former", state);
    fz_folder_note(&folder, file);
    folder.mount = 0;
    folder.view.root_mount = 0;
    assert_int_equal(rename(state, former), 0);
    assert_int_equal(mkdir(state, 0700), 0);
    assert_int_equal(fz_folder_at(&folder, file), 0);
}

/* ---- grants ------------------------------------------------------------------------ */

struct word {
    struct fz_claim claim;
    struct fz_granter granter;
    struct fz_grant grant;
};

static void begin(struct word *word)
{
    const struct fz_grant_owner owner = {.fingerprint = "41/10/12 epoch=0 tick=1ms", .worker = NUMBER, .nonce = 1};

    assert_int_equal(try_for(1, &word->claim), 0);
    assert_int_equal(fz_grant_store_open(&word->granter, scratch_path(state, "worker-7.grant"), &owner, RESERVE, NULL),
                     FRAZIL_OK);
    fz_grant_store_claim(&word->granter, &word->claim);
    assert_int_equal(word->granter.acquire(word->granter.ctx, FZ_DEADLINE_NONE, NOW, &word->grant, NULL), FRAZIL_OK);
}

static frazil_err extend_to(struct word *word, uint64_t now, frazil_error *reterr)
{
    return word->granter.extend(word->granter.ctx, FZ_DEADLINE_NONE, now, &word->grant, &word->grant, reterr);
}

static void end(struct word *word)
{
    word->granter.close(word->granter.ctx);
    fz_claim_release(&word->claim);
}

TEST("After chroot() no grant is written into a folder of the jail, and the sentence says why")
{
    struct word word;
    frazil_error why;

    jail_make_folders(jailed(state), 0700);
    begin(&word);
    jail_enter();
    frazil_err err = extend_to(&word, NOW + 50, &why);
    jail_leave();
    assert_int_equal(err, FRAZIL_EAGAIN);
    assert_non_null(strstr(why.message, "its folder is another one than at the opening"));
    assert_int_equal(files_in(jailed(state)), 0);
    assert_int_equal(extend_to(&word, NOW + 60, NULL), FRAZIL_OK);
    end(&word);
}

TEST("In a jail that has the state directory itself, grants go on")
{
    struct word word;

    jail_make_folders(jailed(state), 0700);
    assert_int_equal(mount(state, jailed(state), NULL, MS_BIND, NULL), 0);
    begin(&word);
    jail_enter();
    frazil_err err = extend_to(&word, NOW + 50, NULL);
    jail_leave();
    assert_int_equal(err, FRAZIL_OK);
    assert_int_equal(word.grant.until, NOW + 50 + RESERVE);
    assert_int_equal(umount(jailed(state)), 0);
    end(&word);
}

TEST("A state directory that was made anew is used, and one that was mounted over it is not")
{
    struct word word;
    char former[600];

    snprintf(former, sizeof former, "%s-former", state);
    begin(&word);
    assert_int_equal(rename(state, former), 0);
    assert_int_equal(mkdir(state, 0700), 0);
    assert_int_equal(extend_to(&word, NOW + 50, NULL), FRAZIL_OK);
    char other[600];
    snprintf(other, sizeof other, "%s-other", state); /* of the same disk, which only the mount tells apart */
    jail_make_folders(other, 0700);
    for (int i = fz_mount_of(state) == 0 ? 1 : 0; i < 2; i++) {
        assert_int_equal(
            i == 0 ? mount(other, state, NULL, MS_BIND, NULL) : mount("none", state, "tmpfs", 0, "mode=0700"), 0);
        assert_int_equal(extend_to(&word, NOW + 150, NULL), FRAZIL_EAGAIN);
        assert_int_equal(files_in(state), 0);
        assert_int_equal(umount(state), 0);
    }
    assert_int_equal(extend_to(&word, NOW + 150, NULL), FRAZIL_OK);
    end(&word);
}
