/* SPDX-License-Identifier: MIT */
/*
 * Goal of this test: the grants of a state file and the claims of the host agree.  Ticks that another word may have
 * used are granted to nobody, and a word whose claim was removed uses nothing that somebody else may use.
 */
#include <sys/stat.h>
#include <unistd.h>

#include "lib/claim_key.h"
#include "lib/scratch.h"
#include "lib/test.h"
#include "state/grant_store.h"

enum { RESERVE = 100, NOW = 10000 };

EACH_IN_SCRATCH

/* A word with a claim, a state file of its own and the granter of both. */
struct word {
    struct fz_claim claim;
    struct fz_granter granter;
    struct fz_grant grant;
};

static void claim_for(struct word *word, uint64_t nonce, uint64_t now)
{
    const struct fz_claim_key key = claim_key(scratch, nonce, now);
    struct fz_claim_other other;

    assert_int_equal(fz_claim_try(&word->claim, &key, 7, &other), 0);
}

static void begin(struct word *word, uint64_t nonce, uint64_t now)
{
    struct fz_grant_owner owner = {.fingerprint = "41/10/12 epoch=0 tick=1ms", .worker = 7, .nonce = nonce};
    char name[32];

    claim_for(word, nonce, now);
    snprintf(name, sizeof name, "worker-7-%u.grant", (unsigned)nonce);
    assert_int_equal(fz_grant_store_open(&word->granter, scratch_path(scratch, name), &owner, RESERVE, NULL),
                     FRAZIL_OK);
    fz_grant_store_claim(&word->granter, &word->claim);
    assert_int_equal(word->granter.acquire(word->granter.ctx, FZ_DEADLINE_NONE, now, &word->grant, NULL), FRAZIL_OK);
}

static void extend_ok(struct word *word, uint64_t now)
{
    assert_int_equal(word->granter.extend(word->granter.ctx, FZ_DEADLINE_NONE, now, &word->grant, &word->grant, NULL),
                     FRAZIL_OK);
}

/* Ends without a word, as a process that is killed does. */
static void die(struct word *word)
{
    word->granter.close(word->granter.ctx);
    fz_claim_release(&word->claim);
}

TEST("A claim that was removed comes back at the next extension, and says how far the grant goes")
{
    struct word first;
    struct word second;

    begin(&first, 1, NOW);
    assert_int_equal(remove(first.claim.path), 0);
    extend_ok(&first, NOW + 50);
    assert_int_equal(first.grant.floor, NOW);
    assert_int_equal(first.grant.until, NOW + 50 + RESERVE);
    die(&first);
    begin(&second, 2, NOW + 60);
    assert_int_equal(second.grant.floor, NOW + 50 + RESERVE + 1);
    die(&second);
}

TEST("A word that has lost the number to another one has no tick left at once, and is told why, until that one has "
     "ended")
{
    struct word first;
    struct word second;
    frazil_error why;

    begin(&first, 1, NOW);
    assert_int_equal(remove(first.claim.path), 0);
    begin(&second, 2, NOW);
    extend_ok(&first, NOW + 50);
    assert_true(first.grant.floor > first.grant.until);
    assert_int_equal(
        first.granter.extend(first.granter.ctx, FZ_DEADLINE_NONE, NOW + 51, &first.grant, &first.grant, &why),
        FRAZIL_ELEASE);
    assert_non_null(strstr(why.message, "with the run directory '/run/second' has the worker id now"));
    extend_ok(&second, NOW + 60);
    die(&second);
    extend_ok(&first, NOW + 70);
    assert_int_equal(first.grant.floor, second.grant.until + 1);
    assert_true(first.grant.until >= first.grant.floor);
    die(&first);
}

TEST("A claim that cannot be put back is tried again, and the grant stands")
{
    struct word first;
    frazil_error why;
    const char *hidden = scratch_path(scratch, "hidden");

    begin(&first, 1, NOW);
    /* A folder in the claim's place. */
    assert_int_equal(rename(first.claim.path, hidden), 0);
    assert_int_equal(mkdir(first.claim.path, 0700), 0);
    const struct fz_grant held = first.grant;
    assert_int_equal(
        first.granter.extend(first.granter.ctx, FZ_DEADLINE_NONE, NOW + 50, &first.grant, &first.grant, &why),
        FRAZIL_EAGAIN);
    assert_non_null(strstr(why.message, first.claim.path));
    assert_memory_equal(&first.grant, &held, sizeof held);
    assert_int_equal(rmdir(first.claim.path), 0);
    extend_ok(&first, NOW + 60);
    assert_int_equal(first.grant.floor, NOW);
    die(&first);
}

TEST("Words that are killed one after the other push each other no further into the future than the clock goes")
{
    for (uint64_t i = 0; i < 50; i++) {
        struct word word;
        begin(&word, i + 1, NOW + i);
        assert_int_equal(word.grant.floor, i == 0 ? NOW : NOW + i + RESERVE);
        assert_int_equal(word.grant.until, NOW + i + RESERVE);
        die(&word);
    }
}

TEST("A word that has used nothing of its grant leaves the number as it found it")
{
    struct word first;
    struct word second;
    struct word third;

    begin(&first, 1, NOW);
    die(&first);
    begin(&second, 2, NOW + 50);
    assert_int_equal(second.grant.floor, NOW + RESERVE + 1);
    assert_int_equal(second.granter.release(second.granter.ctx, FZ_DEADLINE_NONE, &second.grant, 0), FRAZIL_OK);
    die(&second);
    begin(&third, 3, NOW + 50);
    assert_int_equal(third.grant.floor, NOW + RESERVE + 1);
    die(&third);
}

TEST("A word that goes on with its grant after another one begins above that one's ticks, and has some")
{
    struct word first;
    struct word second;

    for (uint64_t later = 0; later < 4 * RESERVE; later += 10) {
        begin(&first, 1, NOW + 10 * later);
        die(&first);
        begin(&second, 2, NOW + 10 * later);
        die(&second);
        const uint64_t until = second.grant.until;
        begin(&first, 1, NOW + 10 * later);
        assert_int_equal(first.grant.floor, until + 1);
        assert_true(first.grant.until >= first.grant.floor);
        extend_ok(&first, NOW + 10 * later + RESERVE);
        assert_true(first.grant.until > until + 1);
        die(&first);
    }
}

/* Grants that would answer for each tick. */
static bool know_all(void *ctx, uint64_t first, uint64_t last)
{
    (void)ctx;
    (void)first;
    (void)last;
    return true;
}

/* The floor of a second word of the first one's run directory, whose grants are in that folder. */
static uint64_t floor_of_second_word(const char *state)
{
    static const struct fz_claim_grants grants = {.knows = know_all};
    struct fz_claim_key key = claim_key(scratch, 2, NOW);
    struct fz_claim_other other;
    struct fz_claim claim;

    key.holder = "/run/first";
    key.state = scratch_path(scratch, state);
    key.grants = &grants;
    assert_int_equal(fz_claim_try(&claim, &key, 7, &other), 0);
    const uint64_t floor = claim.floor;
    fz_claim_release(&claim);
    return floor;
}

TEST("Only the grants of the folder in which a word was granted its ticks can know better than its claim")
{
    static const char *const folders[] = {"one", "another"};
    struct fz_claim_key key = claim_key(scratch, 1, NOW);
    struct fz_claim_other other;
    struct fz_claim claim;

    for (size_t i = 0; i < 2; i++)
        assert_int_equal(mkdir(scratch_path(scratch, folders[i]), 0700), 0);
    key.state = scratch_path(scratch, "one");
    assert_int_equal(fz_claim_try(&claim, &key, 7, &other), 0);
    fz_claim_begin(&claim, NOW);
    fz_claim_raise(&claim, NOW + RESERVE);
    fz_claim_release(&claim);
    assert_int_equal(floor_of_second_word("one"), 0);
    assert_int_equal(floor_of_second_word("another"), NOW + RESERVE + 1);
}
