/* SPDX-License-Identifier: MIT */
/*
 * Goal of this test: a claim that is removed under a running generator, as systemd does it at the end of a session,
 * comes back.  A generator that has lost its number to another one by then stops, says so, and goes on after that.
 */
#include <errno.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include "frazil.h"
#include "lib/claim_key.h"
#include "lib/scratch.h"
#include "lib/test.h"
#include "os/dirs.h"

enum { NUMBER = 7, NOW = 1000 };

EACH_ON_SCRATCH_HOST

/* ---- claims ------------------------------------------------------------------------ */

static int try_at(uint64_t now_tick, uint64_t word, struct fz_claim *ret)
{
    const struct fz_claim_key key = claim_key(host, word, now_tick);
    struct fz_claim_other other;

    return fz_claim_try(ret, &key, NUMBER, &other);
}

static int try_for(uint64_t word, struct fz_claim *ret)
{
    return try_at(NOW, word, ret);
}

/* The first tick that another word finds free. */
static uint64_t floor_for(uint64_t word)
{
    struct fz_claim claim;

    assert_int_equal(try_for(word, &claim), 0);
    uint64_t floor = claim.floor;
    fz_claim_release(&claim);
    return floor;
}

TEST("A claim that was removed comes back, with all that it said")
{
    struct fz_claim_other other;
    struct fz_claim held;
    struct fz_claim second;

    assert_int_equal(try_for(1, &held), 0);
    fz_claim_raise(&held, 1500);
    assert_int_equal(fz_claim_keep(&held, NOW, FZ_DEADLINE_NONE, &other), 0);
    assert_int_equal(remove(held.path), 0);
    assert_int_equal(try_for(2, &second), 0);
    fz_claim_release(&second);
    assert_int_equal(fz_claim_keep(&held, NOW, FZ_DEADLINE_NONE, &other), 0);
    assert_int_equal(try_for(2, &second), FZ_CLAIM_TAKEN);
    fz_claim_release(&held);
    assert_int_equal(floor_for(2), 1501);
}

TEST("Another process of the word that has put it back holds it together with this one")
{
    struct fz_claim_other other;
    struct fz_claim held[2];
    struct fz_claim third;

    assert_int_equal(try_for(1, &held[0]), 0);
    assert_int_equal(try_for(1, &held[1]), 0);
    assert_int_equal(remove(held[0].path), 0);
    assert_int_equal(fz_claim_keep(&held[0], NOW, FZ_DEADLINE_NONE, &other), 0);
    assert_int_equal(fz_claim_keep(&held[1], NOW, FZ_DEADLINE_NONE, &other), 0);
    fz_claim_release(&held[0]);
    assert_int_equal(try_for(2, &third), FZ_CLAIM_TAKEN);
    fz_claim_release(&held[1]);
    assert_int_equal(floor_for(2), 0);
}

TEST("When a claim comes back, it knows of those who have used the number meanwhile")
{
    struct fz_claim_other other;
    struct fz_claim held;
    struct fz_claim second;

    assert_int_equal(try_for(1, &held), 0);
    assert_int_equal(remove(held.path), 0);
    assert_int_equal(try_for(2, &second), 0);
    fz_claim_raise(&second, 1900);
    assert_int_equal(fz_claim_keep(&held, NOW, FZ_DEADLINE_NONE, &other), FZ_CLAIM_TAKEN);
    fz_claim_release(&second);
    assert_int_equal(held.floor, 0);
    assert_int_equal(fz_claim_keep(&held, NOW, FZ_DEADLINE_NONE, &other), 0);
    assert_int_equal(held.floor, 1901);
    fz_claim_release(&held);
}

TEST("A claim comes back though the clock was set back far below the ticks above which it began")
{
    static const uint64_t begun[] = {NOW,
                                     2 * NOW}; /* before the other's ticks are over, and after, when they are its own */

    for (size_t i = 0; i < sizeof begun / sizeof begun[0]; i++) {
        struct fz_claim_other other;
        struct fz_claim held;
        struct fz_claim second;

        assert_int_equal(try_for(2, &second), 0);
        fz_claim_raise(&second, 1900);
        fz_claim_release(&second);
        assert_int_equal(try_at(begun[i], 1, &held), 0);
        assert_int_equal(held.floor, 1901);
        assert_int_equal(remove(held.path), 0);
        assert_int_equal(fz_claim_keep(&held, 10, FZ_DEADLINE_NONE, &other), 0);
        assert_int_equal(held.floor, 1901);
        /* Others are refused as before. */
        assert_int_equal(try_at(10, 3, &second), FZ_CLAIM_TAKEN);
        assert_int_equal(remove(held.path), 0);
        fz_claim_release(&held);
    }
}

TEST("The host directory that was removed as a whole comes back with the claim, and for all users")
{
    struct fz_claim_other other;
    struct fz_claim held;
    struct fz_claim second;
    struct stat status;

    assert_int_equal(try_for(1, &held), 0);
    assert_int_equal(remove(held.path), 0);
    assert_int_equal(rmdir(host), 0);
    assert_int_equal(fz_claim_keep(&held, NOW, FZ_DEADLINE_NONE, &other), 0);
    assert_int_equal(stat(host, &status), 0);
    assert_int_equal(status.st_mode & 07777, 01777);
    assert_int_equal(try_for(2, &second), FZ_CLAIM_TAKEN);
    fz_claim_release(&held);
}

TEST("A claim that cannot be put back is a failure that names its path")
{
    struct fz_claim_other other;
    struct fz_claim held;

    assert_int_equal(try_for(1, &held), 0);
    assert_int_equal(remove(held.path), 0);
    assert_int_equal(rmdir(host), 0);
    assert_int_equal(symlink("nowhere", host), 0);
    assert_int_equal(fz_claim_keep(&held, NOW, FZ_DEADLINE_NONE, &other), ENOENT);
    assert_string_equal(other.path, held.path);
    assert_int_equal(unlink(host), 0);
    assert_int_equal(mkdir(host, 01777), 0);
    assert_int_equal(fz_claim_keep(&held, NOW, FZ_DEADLINE_NONE, &other), 0);
    fz_claim_release(&held);
}

/* ---- generators -------------------------------------------------------------------- */

/* The grant is extended by the keeper, or by those who take ids. */
static const char *const keepers[] = {"thread", "inline"};

static frazil_err try_open(frazil **ret, const char *name, const char *keeper, frazil_error *reterr)
{
    char spec[1024];

    snprintf(spec, sizeof spec,
             "worker=fixed:7 state=file run_dir=%s/%s-%s-run state_dir=%s/%s-%s-state host_dir=%s keeper=%s "
             "max_wait=60s namespace=%s",
             scratch, name, keeper, scratch, name, keeper, host, keeper, keeper);
    return frazil_open(ret, spec, reterr);
}

static frazil *must_open(const char *name, const char *keeper)
{
    frazil_error why;
    frazil *gen;

    if (try_open(&gen, name, keeper, &why) != FRAZIL_OK)
        fail_msg("%s", why.message);
    return gen;
}

static size_t claims;

static void count_claim(void *ctx, const char *name)
{
    (void)ctx;
    (void)name;
    claims++;
}

static void remove_claim(void *ctx, const char *name)
{
    (void)ctx;
    assert_int_equal(remove(scratch_path(host, name)), 0);
}

static void remove_claims(void)
{
    assert_int_equal(fz_list_dir(host, remove_claim, NULL), 0);
}

static size_t count_claims(void)
{
    claims = 0;
    assert_int_equal(fz_list_dir(host, count_claim, NULL), 0);
    return claims;
}

/* One id in a while. */
static frazil_err take_slowly(frazil *gen, uint64_t *ret, frazil_error *reterr)
{
    (void)poll(NULL, 0, 1);
    return frazil_take(gen, ret, 1, 0, reterr);
}

TEST("A claim that is removed under a running generator comes back, and keeps others out again")
{
    for (size_t i = 0; i < sizeof keepers / sizeof keepers[0]; i++) {
        frazil *gen = must_open("first", keepers[i]);
        frazil *other;
        frazil_error why;
        uint64_t id;
        remove_claims();
        while (count_claims() == 0)
            assert_int_equal(take_slowly(gen, &id, NULL), FRAZIL_OK);
        assert_int_equal(try_open(&other, "second", keepers[i], &why), FRAZIL_EWORKER);
        frazil_close(gen);
        remove_claims();
    }
}

TEST("A generator goes on though the host directory was removed as a whole")
{
    for (size_t i = 0; i < sizeof keepers / sizeof keepers[0]; i++) {
        frazil *gen = must_open("first", keepers[i]);
        struct stat status;
        uint64_t id;
        remove_claims();
        assert_int_equal(rmdir(host), 0);
        while (stat(host, &status) != 0 || count_claims() == 0)
            assert_int_equal(take_slowly(gen, &id, NULL), FRAZIL_OK);
        assert_int_equal(take_slowly(gen, &id, NULL), FRAZIL_OK);
        frazil_close(gen);
        remove_claims();
    }
}

TEST("A generator whose number another one has got stops, says so, and goes on above that one's ids when it has ended")
{
    for (size_t i = 0; i < sizeof keepers / sizeof keepers[0]; i++) {
        frazil *gen = must_open("first", keepers[i]);
        frazil_error why = {.message = ""};
        uint64_t id;
        uint64_t of_other;
        remove_claims();
        frazil *other = must_open("second", keepers[i]);
        /* The first call that fails may be told less. */
        while (take_slowly(gen, &id, &why) == FRAZIL_OK || strstr(why.message, "has the worker id now") == NULL)
            assert_int_equal(frazil_next(other, &of_other), FRAZIL_OK);
        assert_int_equal(why.code, FRAZIL_ELEASE);
        assert_non_null(strstr(why.message, "/second-"));
        assert_int_equal(frazil_next(other, &of_other), FRAZIL_OK);
        frazil_close(other);
        while (take_slowly(gen, &id, &why) != FRAZIL_OK) {
        }
        assert_true(id > of_other);
        frazil_close(gen);
        remove_claims();
    }
}
