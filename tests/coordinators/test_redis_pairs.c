/* SPDX-License-Identifier: MIT */
/*
 * Goal of this test: hosts that mean the same share one line of slots of a Redis however they say it, and the ids of
 * two that differ are unique, or one of them is refused.
 */
#include "frazil.h"
#include "lib/idset.h"
#include "lib/pairs.h"
#include "lib/scratch.h"
#include "lib/slots_rig.h"
#include "lib/spec_spelling.h"
#include "lib/test.h"

/* A new line rests for 1.5 s, so there are few. */
enum { ROUNDS = 4, IDS = 100, TRIES = 100 };

static const char *scratch;
static char line[64];
static struct spec_spelling spelling;
static char one_text[sizeof spelling.spec];
static frazil_error why_not;

BEFORE_ALL
{
    test_need(redis_server_installed());
    redis_rig_start(&slots_rig, NULL);
    unsetenv("FRAZIL_STATE");
}

AFTER_ALL
{
    redis_rig_stop(&slots_rig);
}

BEFORE_EACH
{
    redis_rig_begin_test(&slots_rig);
    scratch = scratch_make();
    url_write_files(scratch);
}

AFTER_EACH
{
    scratch_remove(scratch);
}

/* Keys whose different values make two lines or one; the bounds have tests of their own. */
static bool is_of_lines(enum fz_key key)
{
    const struct spec_choice *choice;

    for (size_t i = 0; (choice = spec_choice(i)) != NULL; i++) {
        if (choice->key == key)
            return (choice->shapes >> SPEC_SLOTS & 1) != 0 && key != FZ_KEY_MAX_LEAD && key != FZ_KEY_MAX_SKEW;
    }
    return key != FZ_KEY_SHARE && key != FZ_KEY_STATE && key != FZ_KEY_PARTITION && key != FZ_KEY_EXPECT;
}

/* Slots go with bounds on how far ids may be ahead, and with a keeper of their own. */
static void make(struct spec_meaning *ret, enum fz_key key, uint64_t *random)
{
    do {
        if (!spec_make(ret, key, random))
            fail_msg("nobody has decided what %s= means", fz_key_name(key));
    } while (ret->shape != SPEC_SLOTS);
    ret->line = line;
    ret->choice[FZ_KEY_ALLOW_SHORT_LIFE] = 1;
}

/* NULL: it is refused. */
static frazil *open_one(const struct spec_meaning *meaning, uint64_t *random)
{
    frazil *gen = NULL;

    spec_set(meaning, scratch, false, random, &spelling);
    frazil_err err = frazil_options_coordinator(spelling.options, frazil_coordinator_redis(), &why_not);
    /* A new line rests for as long as both say; the environment counts nevertheless. */
    if (err == FRAZIL_OK)
        err = frazil_options_environment(spelling.options, FRAZIL_ENVIRONMENT_ALL, &why_not);
    if (err == FRAZIL_OK)
        err = frazil_options_set(spelling.options, "max_lead", "10ms", strlen("10ms"), &why_not);
    if (err == FRAZIL_OK)
        err = frazil_options_set(spelling.options, "max_skew", "10ms", strlen("10ms"), &why_not);
    if (err == FRAZIL_OK)
        err = frazil_open_with(&gen, spelling.options, &why_not);
    spec_unset(&spelling);
    return err == FRAZIL_OK ? gen : NULL;
}

/* Takes ids in turns, so that both are at it in the same ticks.  false: a line is refused to one of them. */
static bool take_both(frazil *one, frazil *other, enum fz_key key)
{
    struct idset *sets = idsets_open(2, IDS);
    frazil *const gens[] = {one, other};
    bool is_refused = false;
    uint64_t id;

    for (int i = 0; i < 2 * IDS; i++) {
        frazil_err err = frazil_next(gens[i % 2], &id);
        if (err == FRAZIL_OK)
            idset_add(&sets[i % 2], id);
        is_refused = is_refused || err == FRAZIL_ENAMESPACE;
    }
    size_t duplicates = idsets_duplicates(sets, 2, &id);
    if (duplicates != 0)
        fail_msg("%s and %s (%s): %zu ids twice", one_text, spelling.spec, fz_key_name(key), duplicates);
    idsets_close(sets, 2);
    return !is_refused;
}

static frazil *open_first(struct spec_meaning *ret, enum fz_key key, uint64_t *random)
{
    for (int i = 0; i < TRIES; i++) {
        make(ret, key, random);
        frazil *gen = open_one(ret, random);
        if (gen != NULL)
            return gen;
    }
    fail_msg("%s: %s", spelling.spec, why_not.message);
    return NULL;
}

/* How many lines the server keeps. */
static int lines(void)
{
    return (int)strtol(slots_ask("DBSIZE"), NULL, 10);
}

static void try_key(enum fz_key key, uint64_t *random)
{
    struct spec_meaning meaning;

    static unsigned pairs;

    snprintf(line, sizeof line, "redis://127.0.0.1:%u/pair-%u", (unsigned)slots_rig.server.port, pairs++);
    int before = lines();
    frazil *one = open_first(&meaning, key, random);
    if (one == NULL)
        return;
    snprintf(one_text, sizeof one_text, "%s", spelling.spec);
    frazil *same = open_one(&meaning, random);
    if (same == NULL) {
        fail_msg("%s is accepted, and %s is not: %s", one_text, spelling.spec, why_not.message);
        return;
    }
    if (!take_both(one, same, key) || lines() > before + 1)
        fail_msg("%s and %s mean the same, and have %d lines, or none", one_text, spelling.spec, lines() - before);
    (void)spec_change(&meaning, key, random);
    frazil *other = open_one(&meaning, random);
    bool is_other_layout = key == FZ_KEY_EPOCH || key == FZ_KEY_TICK || key == FZ_KEY_LAYOUT;
    if (other != NULL && !is_other_layout)
        (void)take_both(one, other, key);
    frazil_close(other);
    frazil_close(same);
    frazil_close(one);
}

TEST("Specs that mean the same share one line, and the ids of those that differ are unique")
{
    for (int key = 0; key < FZ_KEYS_TOTAL; key++) {
        uint64_t random = pairs_seed((uint64_t)FZ_KEYS_TOTAL * 2 + (uint64_t)key);
        for (size_t i = 0; is_of_lines((enum fz_key)key) && i < pairs_of(ROUNDS); i++)
            try_key((enum fz_key)key, &random);
    }
}
