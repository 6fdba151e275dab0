/* SPDX-License-Identifier: MIT */
/*
 * Goal of this test: generators of one worker with other sequence bounds run one after
 * the other and side by side, on one host.  Each issues its own ids, others keep it out,
 * and it copes with the files of a frazil that did not know bounds yet.
 */
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "admin/state.h"
#include "core/bounds.h"
#include "lib/idset.h"
#include "lib/rig.h"
#include "lib/scratch.h"
#include "lib/state_repair.h"
#include "lib/test.h"
#include "state/grant_store.h"

enum { TICK_MS = 4, RESERVE_MS = 6000, SNOS = 3000, TOP = 65535 };

EACH_IN_SCRATCH

/* With the run directory of that name. */
static const char *spec_in(const char *run, unsigned min, unsigned max)
{
    static char spec[900];

    snprintf(spec, sizeof spec,
             "layout=sno worker=fixed:7 state=file namespace=n run_dir=%s/%s state_dir=%s/state keeper=inline "
             "max_wait=2m seq_min=%u seq_max=%u",
             scratch, run, scratch, min, max);
    return spec;
}

static const char *spec_of(unsigned min, unsigned max)
{
    return spec_in("run", min, max);
}

static const char *grant_path(unsigned min, unsigned max)
{
    static char path[600];

    if (min == 0 && max == TOP)
        snprintf(path, sizeof path, "%s/state/n/worker-7.grant", scratch);
    else
        snprintf(path, sizeof path, "%s/state/n/worker-7.grant.shards/%u-%u", scratch, min, max);
    return path;
}

/* A generator with these bounds, on a clock of its own. */
static void open_at(struct rig *rig, unsigned min, unsigned max, int64_t unix_ms)
{
    *rig = (struct rig){.random_state = 1};
    rig_open(rig, spec_of(min, max), unix_ms);
}

static int64_t time_of(const frazil_sno *sno)
{
    frazil_sno_fields fields;

    frazil_sno_decompose(sno, &fields);
    return fields.unix_ms;
}

/* A process that opens, takes one sno and is killed. */
static void crash(unsigned min, unsigned max, int64_t unix_ms)
{
    pid_t pid = fork();

    assert_true(pid >= 0);
    if (pid == 0) {
        struct rig rig;
        open_at(&rig, min, max, unix_ms);
        (void)rig_sno(&rig);
        _exit(0);
    }
    int status;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
}

/* ---- bounds ----------------------------------------------------------------------- */

TEST("Two stretches overlap if and only if they have a number in common, be it an end of both")
{
    enum { NUMBERS = 5 };

    for (unsigned i = 0; i < NUMBERS * NUMBERS * NUMBERS * NUMBERS; i++) {
        const struct fz_bounds a = {.min = i % NUMBERS, .max = i / NUMBERS % NUMBERS, .top = NUMBERS - 1};
        const struct fz_bounds b = {
            .min = i / NUMBERS / NUMBERS % NUMBERS, .max = i / NUMBERS / NUMBERS / NUMBERS, .top = NUMBERS - 1};
        bool common = false;
        if (a.min > a.max || b.min > b.max)
            continue;
        for (uint64_t number = a.min; number <= a.max; number++)
            common = common || (number >= b.min && number <= b.max);
        assert_int_equal(fz_bounds_overlap(&a, &b), common);
    }
}

/* ---- side by side ---------------------------------------------------------------- */

TEST("Several generators of one partition in one process under the default state: no sno twice, each within its bounds")
{
    static const unsigned edges[] = {0, 1000, 1004, 30000, TOP + 1};
    enum { SHARDS = sizeof edges / sizeof edges[0] - 1 };
    struct idset *sets = idsets_open(SHARDS, SNOS);
    struct rig rigs[SHARDS];

    for (size_t i = 0; i < SHARDS; i++)
        open_at(&rigs[i], edges[i], edges[i + 1] - 1, RIG_NOW);
    for (unsigned n = 0; n < SNOS; n++) {
        for (size_t i = 0; i < SHARDS; i++) {
            frazil_sno_fields fields;
            frazil_sno sno = rig_sno(&rigs[i]);
            frazil_sno_decompose(&sno, &fields);
            assert_int_equal(fields.partition, 7);
            assert_in_range(fields.sequence, edges[i], edges[i + 1] - 1);
            idset_add(&sets[i], sno_key(&sno));
        }
    }
    idsets_assert_unique_and_increasing(sets, SHARDS);
    for (size_t i = 0; i < SHARDS; i++)
        rig_close(&rigs[i]);
    idsets_close(sets, SHARDS);
}

TEST("A generator for all sequence numbers and those for some keep each other out, whoever comes first")
{
    struct rig rig;
    frazil_error err;
    frazil *gen;

    open_at(&rig, 0, TOP, RIG_NOW);
    assert_int_equal(frazil_open(&gen, spec_of(0, 999), &err), FRAZIL_EWORKER);
    assert_non_null(strstr(err.message, "0 to 65535"));
    assert_non_null(strstr(err.message, "0 to 999"));
    rig_close(&rig);
    open_at(&rig, 0, 999, RIG_NOW);
    assert_int_equal(frazil_open(&gen, spec_of(0, TOP), &err), FRAZIL_EWORKER);
    assert_non_null(strstr(err.message, "0 to 65535"));
    assert_non_null(strstr(err.message, "0 to 999"));
    rig_close(&rig);
    open_at(&rig, 0, TOP, RIG_NOW + 1000);
    rig_close(&rig);
}

/* ---- one after the other ----------------------------------------------------------- */

TEST("A killed generator's grant is a floor for all that overlap with it; not for others")
{
    static const struct {
        unsigned min;
        unsigned max;
        bool overlaps;
    } cases[] = {{500, 1499, true}, {1, 1000, true},     {400, 600, true},  {0, TOP, true},
                 {999, 2000, true}, {1000, 1999, false}, {2000, TOP, false}};

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct rig rig;
        scratch_remove(scratch);
        scratch = scratch_make();
        test_change_host();
        crash(0, 999, RIG_NOW);
        test_change_host(); /* a boot has taken the claims, which say the same */
        open_at(&rig, cases[i].min, cases[i].max, RIG_NOW + 1000);
        frazil_sno sno = rig_sno(&rig);
        assert_true(time_of(&sno) == RIG_NOW + (cases[i].overlaps ? RESERVE_MS + TICK_MS : 1000));
        rig_close(&rig);
    }
}

/* All snos of some whole ticks, from now on.  While the ticks ahead are another's, the call fails and time passes. */
static void take_ticks(struct rig *rig, struct idset *set, unsigned n)
{
    while (set->count < n) {
        frazil_sno sno;
        if (frazil_sno_next(rig->gen, 0, &sno) == FRAZIL_OK)
            idset_add(set, sno_key(&sno));
        else
            rig_advance(rig, 25);
    }
}

TEST("A word that is left behind, and whose grant is still in force, goes on with it, and keeps clear of what others "
     "were granted in the meantime, who overlap")
{
    enum { ROUNDS = 6, TAKEN = 4000 };
    struct idset *sets = idsets_open((size_t)2 * ROUNDS, TAKEN);
    uint64_t twice = 0;

    for (unsigned round = 0; round < 2 * ROUNDS; round++) {
        struct rig rig;
        pid_t pid = fork();
        assert_true(pid >= 0);
        if (pid == 0) {
            /* 8 numbers a tick, 4 of them common: 500 ticks in a round, on a clock that is set back each time. */
            open_at(&rig, round % 2 == 0 ? 0 : 4, round % 2 == 0 ? 7 : 11, RIG_NOW + round % 3 * 1000);
            take_ticks(&rig, &sets[round], TAKEN);
            _exit(0);
        }
        int status;
        assert_int_equal(waitpid(pid, &status, 0), pid);
        assert_int_equal(status, 0);
        assert_int_equal(sets[round].count, TAKEN);
    }
    assert_int_equal(idsets_duplicates(sets, (size_t)2 * ROUNDS, &twice), 0);
    idsets_close(sets, (size_t)2 * ROUNDS);
}

/* ---- refusals --------------------------------------------------------------- */

TEST("The run directory was wiped under a living generator: one that overlaps is refused")
{
    struct rig rig;
    frazil_error err;
    frazil *gen;
    char word[600];

    open_at(&rig, 0, 999, RIG_NOW);
    snprintf(word, sizeof word, "%s/run/n/worker-7.word.shards/0-999", scratch);
    assert_int_equal(unlink(word), 0);
    assert_int_equal(frazil_open(&gen, spec_of(999, 2000), &err), FRAZIL_EWORKER);
    assert_non_null(strstr(err.message, "files were removed"));
    /* On a host that has lost its claims, by the grant file. */
    test_change_host();
    assert_int_equal(frazil_open(&gen, spec_of(999, 2000), &err), FRAZIL_EWORKER);
    assert_non_null(strstr(err.message, "0 to 999"));
    assert_non_null(strstr(err.message, "999 to 2000"));
    rig_close(&rig);
}

/* Makes what is wrong anew, as the spec has it. */
static void repair(void *ctx, const frazil_admin_kept *kept)
{
    unsigned *repaired = ctx;

    assert_int_equal(kept->worker, 7);
    *repaired = *repaired * 10 + 1 + kept->is_part;
}

TEST("The grant of a neighbour that overlaps is damaged: nobody can know what it said, until it is made anew")
{
    struct rig rig;
    frazil_error err;
    frazil *gen;
    unsigned repaired = 0;

    crash(0, 999, RIG_NOW);
    scratch_write(grant_path(0, 999), "rubbish", 7);
    open_at(&rig, 1000, 1999, RIG_NOW); /* it is none of this one's business */
    rig_close(&rig);
    assert_int_equal(frazil_open(&gen, spec_of(500, 1499), &err), FRAZIL_ESTATE);
    assert_non_null(strstr(err.message, grant_path(0, 999)));
    if (state_repair(spec_of(500, 1499), false, repair, &repaired, &err) != FRAZIL_OK)
        fail_msg("%s", err.message);
    assert_int_equal(repaired, 2);
    if (frazil_open(&gen, spec_of(500, 1499), &err) != FRAZIL_OK)
        fail_msg("%s", err.message);
    frazil_close(gen);
}

/* Expects a refusal that names the neighbour's file, and the next step. */
static void assert_not_repaired(const char *spec, const char *file)
{
    frazil_error err;
    unsigned repaired = 0;

    assert_int_equal(state_repair(spec, true, repair, &repaired, &err), FRAZIL_EWORKER);
    assert_int_equal(repaired, 0);
    if (strstr(err.message, file) == NULL || strstr(err.message, "stop the") == NULL)
        fail_msg("no %s: %s", file, err.message);
}

TEST("Nothing is made anew beside a living neighbour that overlaps, which would be held up, from whichever run_dir")
{
    struct rig rig;
    frazil_error err;
    unsigned repaired = 0;

    crash(1000, 1999, RIG_NOW);
    crash(2000, 2999, RIG_NOW);
    open_at(&rig, 500, 1499, RIG_NOW);
    assert_not_repaired(spec_of(1000, 1999), ".shards/500-1499");
    assert_not_repaired(spec_in("other-run", 1000, 1999), ".grant.shards/500-1499");
    assert_not_repaired(spec_of(0, 999), ".shards/500-1499"); /* nothing is kept of it */
    if (state_repair(spec_of(2000, 2999), false, repair, &repaired, &err) != FRAZIL_OK)
        fail_msg("%s", err.message);
    (void)rig_sno(&rig);
    rig_close(&rig);
    if (state_repair(spec_of(1000, 1999), true, repair, &repaired, &err) != FRAZIL_OK)
        fail_msg("%s", err.message);
}

TEST("A grant file under the name of other bounds is not theirs")
{
    char from[600];
    frazil_error err;
    frazil *gen;

    crash(0, 999, RIG_NOW);
    snprintf(from, sizeof from, "%s", grant_path(0, 999));
    assert_int_equal(rename(from, grant_path(2000, 2999)), 0);
    assert_int_equal(frazil_open(&gen, spec_of(2000, 2999), &err), FRAZIL_ESTATE);
    assert_non_null(strstr(err.message, "0 to 999"));
    assert_non_null(strstr(err.message, "2000 to 2999"));
}

/* ---- looking ---------------------------------------------------------------------- */

TEST("A spec shows the words whose bounds overlap with its own: those that matter to a start with it")
{
    struct fz_state seen;
    frazil_error err;

    crash(0, 999, RIG_NOW);
    crash(1000, 1999, RIG_NOW);
    crash(3000, 3999, RIG_NOW);
    if (state_look(spec_of(500, 1499), &seen, &err) != FRAZIL_OK)
        fail_msg("%s", err.message);
    assert_int_equal(seen.count, 3);
    assert_int_equal(seen.workers[0].seq_min, 0);
    assert_int_equal(seen.workers[0].seq_max, 999);
    assert_true(seen.workers[0].is_part);
    assert_true(seen.workers[0].word.exists && !seen.workers[0].word.in_use);
    assert_true(seen.workers[0].grant.exists && !seen.workers[0].grant.in_use);
    assert_int_equal(seen.workers[1].seq_min, 500);
    assert_false(seen.workers[1].word.exists || seen.workers[1].grant.exists);
    assert_int_equal(seen.workers[2].seq_min, 1000);
    fz_state_free(&seen);
    assert_int_equal(state_look(spec_of(0, TOP), &seen, &err), FRAZIL_OK);
    assert_int_equal(seen.count, 4);
    assert_false(seen.workers[0].is_part);
    assert_int_equal(seen.workers[3].seq_max, 3999);
    fz_state_free(&seen);
}
