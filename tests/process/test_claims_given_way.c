/* SPDX-License-Identifier: MIT */
/*
 * Goal of this test: a process that gives way for a number removes its claim only while that says nothing.  Another
 * process of the same word can get the number, use it and end between any two calls of the one that gives way.
 */
#include <dlfcn.h>
#include <sys/file.h>
#include <sys/stat.h>

#include "lib/claim_key.h"
#include "lib/scratch.h"
#include "lib/test.h"

enum { NUMBER = 7, NOW = 1000 };

#define REAL(name) ((__typeof__(&(name)))(uintptr_t)dlsym(RTLD_NEXT, #name))

EACH_IN_SCRATCH

/* The test lets this happen just before a call of flock(LOCK_EX). */
static struct {
    unsigned calls; /* so far */
    unsigned call;  /* the one that counts; 0: none */
    void (*happens)(void);
} meanwhile;

static struct fz_claim in_the_way;

int flock(int fd, int operation)
{
    if ((operation & LOCK_EX) != 0 && ++meanwhile.calls == meanwhile.call)
        meanwhile.happens();
    return REAL(flock)(fd, operation);
}

static int try_for(uint64_t word, struct fz_claim *ret)
{
    const struct fz_claim_key key = claim_key(scratch, word, NOW);
    struct fz_claim_other other;

    return fz_claim_try(ret, &key, NUMBER, &other);
}

/* The one in the way ends.  Another process of the refused word gets the number, uses a tick, and ends as well. */
static void let_a_relative_use_it(void)
{
    struct fz_claim relative;

    meanwhile.call = 0;
    fz_claim_release(&in_the_way);
    assert_int_equal(try_for(2, &relative), 0);
    fz_claim_raise(&relative, NOW);
    fz_claim_release(&relative);
}

TEST("A claim that another process of the word has used by the time that it is to be removed stays, and says so")
{
    /* The calls that lock: its own claim, that of the one in the way, and its own again, to remove it. */
    for (unsigned call = 1; call <= 3; call++) {
        struct fz_claim refused;
        struct fz_claim third;

        assert_int_equal(try_for(1, &in_the_way), 0);
        meanwhile.calls = 0;
        meanwhile.call = call;
        meanwhile.happens = let_a_relative_use_it;
        if (try_for(2, &refused) == 0)
            fz_claim_release(&refused);
        assert_int_equal(meanwhile.call, 0);
        assert_int_equal(try_for(3, &third), 0);
        assert_int_equal(third.floor, NOW + 1);
        fz_claim_release(&third);
        assert_int_equal(remove(third.path), 0);
    }
}
