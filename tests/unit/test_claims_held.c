/* SPDX-License-Identifier: MIT */
/*
 * Goal of this test: who looks through the host directory finds the numbers of a layout that programs of the host have,
 * in whichever namespace, and no others.  Who is refused removes none of them.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/claim_key.h"
#include "lib/scratch.h"
#include "lib/test.h"

enum { NOW = 1000 };

EACH_IN_SCRATCH

/* For a namespace, and sequence numbers to that one. */
static struct fz_claim_key key_of(const char *name, uint64_t max)
{
    struct fz_claim_key key = claim_key(scratch, 1, NOW);

    key.name = name;
    key.bounds.max = max;
    return key;
}

static struct fz_claim hold(const struct fz_claim_key *key, uint32_t worker)
{
    struct fz_claim_other other;
    struct fz_claim claim;

    assert_int_equal(fz_claim_try(&claim, key, worker, &other), 0);
    return claim;
}

/* The looker has the namespace of no claim. */
static struct fz_claims_held held(uint32_t first, uint32_t last)
{
    struct fz_claim_key key = claim_key(scratch, 2, NOW);
    struct fz_claims_held held;

    key.name = NULL;
    key.bounds.min = 100;
    assert_int_equal(fz_claim_find_held(&key, first, last, &held), 0);
    return held;
}

static void assert_held(uint64_t count, uint32_t first, uint32_t last)
{
    const struct fz_claims_held found = held(0, 1023);

    assert_int_equal(found.count, count);
    assert_int_equal(found.first, first);
    assert_int_equal(found.last, last);
}

TEST("The numbers that are held are counted in all namespaces, with the holder of the lowest")
{
    const struct fz_claim_key here = key_of("orders", 4095);
    struct fz_claim_key there = key_of("payments", 4095);
    char who[FZ_CLAIM_OTHER_SIZE];

    there.holder = "/run/payments";
    assert_held(0, 0, 0);
    struct fz_claim seven = hold(&here, 7), twelve = hold(&here, 12), five = hold(&there, 5);
    assert_held(3, 5, 12);
    const struct fz_claims_held found = held(0, 1023);
    fz_claim_say_other(who, &found.other);
    assert_non_null(strstr(who, " with the run directory '/run/payments'"));
    assert_int_equal(held(6, 1023).first, 7);
    assert_int_equal(held(5, 11).last, 7);
    assert_int_equal(held(8, 11).count, 0);
    fz_claim_raise(&seven, NOW + 1); /* what was used stays said, and nobody holds it */
    fz_claim_release(&seven);
    assert_held(2, 5, 12);
    fz_claim_release(&twelve);
    fz_claim_release(&five);
}

TEST("Another layout, sequence numbers that are apart, and other files are not counted")
{
    const struct fz_claim_key here = key_of("orders", 4095), apart = key_of("orders", 99);
    struct fz_claim_key other = here;

    other.fingerprint = "another layout";
    struct fz_claim kept = hold(&apart, 3), foreign = hold(&other, 4);
    assert_held(0, 0, 0);
    struct fz_claim nine = hold(&here, 9);
    assert_held(1, 9, 9);
    scratch_write(scratch_path(scratch, "frazil-claim-"), "", 0);
    scratch_write(scratch_path(scratch, "frazil-claim-1-2"), "", 0);
    assert_held(1, 9, 9);
    fz_claim_release(&nine);
    fz_claim_release(&foreign);
    fz_claim_release(&kept);
}

TEST("A host directory that is not there has no claims")
{
    const struct fz_claim_key key = claim_key("/nowhere", 2, NOW);
    struct fz_claims_held found;

    assert_int_equal(fz_claim_find_held(&key, 0, 1023, &found), ENOENT);
    assert_int_equal(found.count, 0);
}

TEST("Who is refused leaves the claims that nobody holds to those who look at the same time; who gets the number takes "
     "them over")
{
    struct fz_claim_key first = claim_key(scratch, 1, NOW), second = claim_key(scratch, 2, NOW + 1);
    struct fz_claim_key third = claim_key(scratch, 3, NOW + 1);
    struct fz_claim_other other;
    struct fz_claim refused;

    struct fz_claim claim = hold(&first, 7);
    char *leftover = strdup(claim.path);
    fz_claim_raise(&claim, NOW);
    fz_claim_release(&claim);
    second.bounds.max = 99; /* it overlaps with both, but the leftover is more than its own */
    claim = hold(&second, 7);
    assert_int_equal(fz_claim_try(&refused, &third, 7, &other), FZ_CLAIM_TAKEN);
    assert_true(scratch_exists(leftover));
    fz_claim_release(&claim);
    claim = hold(&third, 7);
    assert_false(scratch_exists(leftover));
    assert_int_equal(claim.floor, NOW + 1);
    fz_claim_release(&claim);
    free(leftover);
}
