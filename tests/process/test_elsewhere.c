/* SPDX-License-Identifier: MIT */
/*
 * Goal of this test: a process whose paths lead elsewhere since it opened a generator, as after chroot() or with a
 * mount of its own, neither gives its number up in silence nor writes anything where nobody else looks.
 */
#define _GNU_SOURCE /* unshare, chroot */
#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/claim_key.h"
#include "lib/scratch.h"
#include "lib/test.h"
#include "os/dirs.h"
#include "os/fail_errno.h"
#include "state/grant_store.h"

enum { NUMBER = 7, NOW = 10000, RESERVE = 100 };

static const char *scratch;
static const char *host;
static char state[512];
static char jail[512];
static int root_of_host;

BEFORE_ALL
{
    test_need(geteuid() == 0);
    test_need(unshare(CLONE_NEWNS) == 0 && mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0);
    root_of_host = open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    assert_true(root_of_host >= 0);
}

/* Makes a folder and all above it. */
static void make_folders(const char *path, mode_t mode)
{
    char copy[1024];

    snprintf(copy, sizeof copy, "%s", path);
    for (char *at = strchr(copy + 1, '/'); at != NULL; at = strchr(at + 1, '/')) {
        *at = '\0';
        (void)mkdir(copy, 0755);
        *at = '/';
    }
    assert_int_equal(mkdir(copy, mode), 0);
    assert_int_equal(chmod(copy, mode), 0);
}

/* The same path in the jail. */
static const char *jailed(const char *path)
{
    static char text[2][1024];
    static unsigned next;
    char *buf = text[next++ % 2];

    snprintf(buf, sizeof text[0], "%s%s", jail, path);
    return buf;
}

BEFORE_EACH
{
    scratch = scratch_make();
    host = scratch_host(scratch);
    snprintf(state, sizeof state, "%s/state", scratch);
    snprintf(jail, sizeof jail, "%s/jail", scratch);
    make_folders(state, 0700);
    make_folders(jail, 0755);
    make_folders(jailed(scratch), 0755);
}

AFTER_EACH
{
    scratch_remove(scratch);
}

static void enter_jail(void)
{
    assert_true(chroot(jail) == 0 && chdir("/") == 0);
}

static void leave_jail(void)
{
    assert_true(fchdir(root_of_host) == 0 && chroot(".") == 0);
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

    make_folders(jailed(host), 01777);
    assert_int_equal(try_for(1, &held), 0);
    enter_jail();
    int err = keep(&held);
    leave_jail();
    assert_int_equal(err, 0);
    assert_int_equal(files_in(jailed(host)), 0);
    assert_held(&held);
}

TEST("After chroot() no folder is made that the jail does not have")
{
    struct fz_claim held;

    assert_int_equal(try_for(1, &held), 0);
    enter_jail();
    int err = keep(&held);
    leave_jail();
    assert_int_equal(err, 0);
    assert_false(scratch_exists(jailed(host)));
    assert_held(&held);
}

TEST("A claim that was removed is put back by no process of a jail, and by one that is outside again")
{
    for (int i = 0; i < 2; i++) {
        struct fz_claim held;
        if (i == 1)
            make_folders(jailed(host), 01777);
        assert_int_equal(try_for(1, &held), 0);
        assert_int_equal(unlink(held.path), 0);
        enter_jail();
        int err = keep(&held);
        leave_jail();
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

    make_folders(jailed(host), 01777);
    assert_int_equal(mount(host, jailed(host), NULL, MS_BIND, NULL), 0);
    assert_int_equal(try_for(1, &held), 0);
    assert_int_equal(unlink(held.path), 0);
    enter_jail();
    int err = keep(&held);
    leave_jail();
    assert_int_equal(err, 0);
    assert_held(&held);
    assert_int_equal(umount(jailed(host)), 0);
}

TEST("A program that has closed its descriptors before chroot() keeps its claim, and knows that it cannot tell")
{
    struct fz_claim held;

    make_folders(jailed(host), 01777);
    assert_int_equal(try_for(1, &held), 0);
    close(fz_kept_fd_known(&held.file));
    enter_jail();
    int err = keep(&held);
    leave_jail();
    assert_int_equal(err, FZ_REFUSED_ELSEWHERE);
    assert_int_equal(files_in(jailed(host)), 0);
    struct fz_claim second;
    assert_int_equal(try_for(2, &second), FZ_CLAIM_TAKEN);
    fz_claim_release(&held);
}

/* Whether that is so for this process alone, or for all, no process can tell. */
TEST("A claim that a mount has covered stays, and its process finds one that has got the number in the new folder")
{
    struct fz_claim held;
    struct fz_claim second;
    char other[1024];

    snprintf(other, sizeof other, "%s/other", scratch);
    (void)mkdir(other, 01777);
    assert_int_equal(chmod(other, 01777), 0);
    assert_int_equal(try_for(1, &held), 0);
    if (fz_mount_of(host) == 0)
        assert_int_equal(mount("none", host, "tmpfs", 0, "mode=1777"), 0);
    else
        assert_int_equal(mount(other, host, NULL, MS_BIND, NULL), 0);
    assert_int_equal(keep(&held), 0);
    assert_int_equal(files_in(host), 0);
    assert_int_equal(try_for(2, &second), 0); /* who sees only the new folder */
    assert_int_equal(keep(&held), FZ_CLAIM_TAKEN);
    fz_claim_raise(&second, NOW);
    fz_claim_release(&second);
    assert_int_equal(keep(&held), 0);
    assert_int_equal(held.floor, NOW + 1);
    assert_int_equal(umount2(host, MNT_DETACH), 0);
    assert_int_equal(keep(&held), 0);
    assert_held(&held);
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

    make_folders(jailed(state), 0700);
    begin(&word);
    enter_jail();
    frazil_err err = extend_to(&word, NOW + 50, &why);
    leave_jail();
    assert_int_equal(err, FRAZIL_EAGAIN);
    assert_non_null(strstr(why.message, "its folder is another one than at the opening"));
    assert_int_equal(files_in(jailed(state)), 0);
    assert_int_equal(extend_to(&word, NOW + 60, NULL), FRAZIL_OK);
    end(&word);
}

TEST("In a jail that has the state directory itself, grants go on")
{
    struct word word;

    make_folders(jailed(state), 0700);
    assert_int_equal(mount(state, jailed(state), NULL, MS_BIND, NULL), 0);
    begin(&word);
    enter_jail();
    frazil_err err = extend_to(&word, NOW + 50, NULL);
    leave_jail();
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
    assert_int_equal(mount("none", state, "tmpfs", 0, "mode=0700"), 0);
    assert_int_equal(extend_to(&word, NOW + 150, NULL), FRAZIL_EAGAIN);
    assert_int_equal(files_in(state), 0);
    assert_int_equal(umount(state), 0);
    assert_int_equal(extend_to(&word, NOW + 150, NULL), FRAZIL_OK);
    end(&word);
}
