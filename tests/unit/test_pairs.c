/* SPDX-License-Identifier: MIT */
/*
 * Goal of this test: two specs share a word, a lease or a generator if and only if they mean the same, however each of
 * them says it.  For each key of the table pairs are made that mean the same, and pairs that differ in that key alone.
 */
#include "config/options.h"
#include "frazil.h"
#include "lib/identity.h"
#include "lib/idset.h"
#include "lib/pairs.h"
#include "lib/scratch.h"
#include "lib/spec_spelling.h"
#include "lib/test.h"

EACH_IN_SCRATCH

enum { ROUNDS = 600, OPENED = 40, IDS = 200, TRIES = 200 };

BEFORE_ALL
{
    scratch_prefer_memory(); /* the files of each pair are made anew */
    unsetenv("FRAZIL_STATE");
}

/* A key that nobody has decided fails the test. */
static void make(struct spec_meaning *ret, enum fz_key key, uint64_t *random)
{
    if (!spec_make(ret, key, random))
        fail_msg("nobody has decided what %s= means for an identity: say it in lib/spec_spelling.c", fz_key_name(key));
}

/* ---- decisions ------------------------------------------------------------------- */

static struct spec_spelling spelling;
static char one_text[sizeof spelling.spec];

/* false: it is refused, and why_not says the reason. */
static frazil_error why_not;

static bool identify(const struct spec_meaning *meaning, uint64_t *random, struct identity *ret)
{
    struct fz_decision decision;

    spec_set(meaning, scratch, false, random, &spelling);
    frazil_err err = fz_options_decide(&decision, spelling.options, FZ_OPENING_GENERATOR, &why_not);
    if (err == FRAZIL_OK) {
        identity_of(&decision, ret);
        fz_decision_free(&decision);
    }
    spec_unset(&spelling);
    return err == FRAZIL_OK;
}

/* One that is accepted. */
static void make_accepted(struct spec_meaning *ret, enum fz_key key, uint64_t *random, struct identity *ret_identity)
{
    for (int i = 0; i < TRIES; i++) {
        make(ret, key, random);
        if (identify(ret, random, ret_identity))
            return;
    }
    fail_msg("no spec with %s= is accepted: %s: %s", fz_key_name(key), spelling.spec, why_not.message);
}

/* false: the other spec is refused. */
static bool try_key(enum fz_key key, uint64_t *random)
{
    static struct identity one, same, other;
    struct spec_meaning meaning;

    make_accepted(&meaning, key, random, &one);
    snprintf(one_text, sizeof one_text, "%s", spelling.spec);
    if (!identify(&meaning, random, &same))
        fail_msg("%s is accepted, and %s is not: %s", one_text, spelling.spec, why_not.message);
    if (identity_apart(&one, &same) != SPEC_NOTHING)
        fail_msg("%s and %s mean the same, and are apart:\n%s\n%s\n%s\n%s", one_text, spelling.spec, one.place,
                 same.place, one.generator, same.generator);
    int apart = spec_change(&meaning, key, random);
    if (!identify(&meaning, random, &other))
        return false;
    if (identity_apart(&one, &other) != apart)
        fail_msg("%s and %s differ in %s: %d apart, not %d:\n%s\n%s\n%s\n%s", one_text, spelling.spec, fz_key_name(key),
                 identity_apart(&one, &other), apart, one.place, other.place, one.generator, other.generator);
    return true;
}

TEST("Specs that mean the same share all, and specs that differ in any key share what that key does not decide")
{
    url_write_files(scratch);
    for (int key = 0; key < FZ_KEYS_TOTAL; key++) {
        uint64_t random = pairs_seed((uint64_t)key);
        size_t accepted = 0;
        if (!spec_is_here((enum fz_key)key))
            continue;
        for (size_t i = 0; i < pairs_of(ROUNDS); i++)
            accepted += try_key((enum fz_key)key, &random);
        if (accepted < pairs_of(ROUNDS) / 2)
            fail_msg("%s: of %zu pairs only %zu differ: %s", fz_key_name((enum fz_key)key), pairs_of(ROUNDS), accepted,
                     why_not.message);
    }
}

/* ---- openings ---------------------------------------------------------------------- */

/* One whose ids are numbers, and whose word is kept in files. */
static void make_of_files(struct spec_meaning *ret, enum fz_key key, uint64_t *random)
{
    do {
        make(ret, key, random);
    } while (ret->shape != SPEC_FILES || ret->layout.kind != FRAZIL_LAYOUT_64);
    ret->choice[FZ_KEY_ALLOW_SHORT_LIFE] = 1;
}

static bool is_of_files(enum fz_key key)
{
    const struct spec_choice *choice;

    for (size_t i = 0; (choice = spec_choice(i)) != NULL; i++) {
        if (choice->key == key)
            return (choice->shapes >> SPEC_FILES & 1) != 0 || key == FZ_KEY_BASE;
    }
    return key != FZ_KEY_SHARE && key != FZ_KEY_STATE && key != FZ_KEY_PARTITION;
}

/* Whether two layouts, namespaces or folders are meant, whose numbers nobody compares. */
static bool parts_on_purpose(enum fz_key key, int apart)
{
    return (key == FZ_KEY_LAYOUT && apart == SPEC_BOTH) || key == FZ_KEY_EPOCH || key == FZ_KEY_TICK ||
           key == FZ_KEY_NAMESPACE || key == FZ_KEY_RUN_DIR || key == FZ_KEY_STATE_DIR;
}

/* NULL: it is refused. */
static frazil *open_one(const struct spec_meaning *meaning, uint64_t *random)
{
    frazil *gen = NULL;

    spec_set(meaning, scratch, true, random, &spelling);
    if (frazil_open_shared(&gen, spelling.spec, &why_not) != FRAZIL_OK)
        gen = NULL;
    spec_unset(&spelling);
    return gen;
}

/* Both take their ids in the same ticks. */
static void assert_unique(frazil *one, frazil *other, enum fz_key key)
{
    struct idset *sets = idsets_open(2, IDS);
    uint64_t id;

    for (int i = 0; i < IDS; i++) {
        if (frazil_next(one, &id) == FRAZIL_OK)
            idset_add(&sets[0], id);
        if (frazil_next(other, &id) == FRAZIL_OK)
            idset_add(&sets[1], id);
    }
    size_t duplicates = idsets_duplicates(sets, 2, &id);
    if (duplicates != 0)
        fail_msg("%s and %s differ in %s: %zu ids twice", one_text, spelling.spec, fz_key_name(key), duplicates);
    idsets_close(sets, 2);
}

static void open_pair(enum fz_key key, uint64_t *random)
{
    struct spec_meaning meaning;
    frazil *one = NULL;

    for (int i = 0; one == NULL && i < TRIES; i++) {
        make_of_files(&meaning, key, random);
        one = open_one(&meaning, random);
    }
    snprintf(one_text, sizeof one_text, "%s", spelling.spec);
    if (one == NULL)
        fail_msg("%s: %s", one_text, why_not.message);
    frazil *same = open_one(&meaning, random);
    if (same != one)
        fail_msg("%s and %s mean the same, and are two generators: %s", one_text, spelling.spec, why_not.message);
    int apart = spec_change(&meaning, key, random);
    frazil *other = open_one(&meaning, random);
    if (other != NULL && (other == one) != ((apart & SPEC_GENERATOR) == 0))
        fail_msg("%s and %s differ in %s, and are wrongly one generator, or two", one_text, spelling.spec,
                 fz_key_name(key));
    if (other != NULL && !parts_on_purpose(key, apart))
        assert_unique(one, other, key);
    frazil_close(other);
    frazil_close(same);
    frazil_close(one);
}

TEST("Two that mean the same are one generator, and the ids of two that differ are unique, or one of them is refused")
{
    url_write_files(scratch);
    for (int key = 0; key < FZ_KEYS_TOTAL; key++) {
        uint64_t random = pairs_seed((uint64_t)FZ_KEYS_TOTAL + (uint64_t)key);
        for (size_t i = 0; is_of_files((enum fz_key)key) && i < pairs_of(OPENED); i++)
            open_pair((enum fz_key)key, &random);
    }
}
