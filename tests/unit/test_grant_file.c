/* SPDX-License-Identifier: MIT */
/*
 * Goal of this test: grants from a file continue for the word that owns them,
 * begin above everybody else's for any other, reach to now + reserve and no
 * further, and survive clocks that step.
 */

#include "lib/host_grants.h"
#include "lib/test.h"

BEFORE_EACH
{
    host_empty_disk();
}

/* ---- one word ------------------------------------------------------------ */

TEST("The first grant of all begins now and reaches as far as is reserved; it is durable before anybody learns of it")
{
    struct host_process a;

    host_start(&a, 1);
    host_acquire(&a, NOW);
    host_assert_grant(&a, NOW, NOW + RESERVE);
    assert_true(host_disk.exists);
    assert_memory_equal(host_disk.durable, host_disk.cache, sizeof host_disk.cache);
}

TEST("A grant is extended without a gap, durably, and only when there is something to gain")
{
    struct host_process a;

    host_start(&a, 1);
    host_acquire(&a, NOW);
    for (uint64_t now = NOW + 30; now < NOW + 3000; now += 30) {
        uint64_t version = a.grant.version;
        host_extend(&a, now);
        host_assert_grant(&a, NOW, now + RESERVE);
        assert_true(a.grant.version > version);
        assert_int_equal(host_disk.pending_count, 0);
    }
    host_assert_refused(
        &a, true, NOW + 2970, FRAZIL_EAGAIN,
        (const char *[]){"reaches to 1970-01-01T00:00:13.070Z already, and the clock shows 1970-01-01T00:00:12.970Z",
                         NULL});
    host_assert_refused(&a, true, NOW, FRAZIL_EAGAIN, (const char *[]){"already", NULL}); /* the clock went back */
}

TEST("Processes that share the word share the grant: whoever comes later goes on with it, and sees what others did")
{
    struct host_process a;
    struct host_process b;

    host_start(&a, 1);
    host_start(&b, 1);
    host_acquire(&a, NOW);
    host_acquire(&b, NOW + 10);
    host_assert_grant(&b, NOW, NOW + 10 + RESERVE);
    host_extend(&a, NOW + 10); /* finds the other's extension */
    host_assert_grant(&a, NOW, NOW + 10 + RESERVE);
    host_extend(&a, NOW + 50);
    host_extend(&b, NOW + 60);
    host_assert_grant(&b, NOW, NOW + 60 + RESERVE);
    host_acquire(&b, NOW + 40); /* nothing to gain: the present one */
    host_assert_grant(&b, NOW, NOW + 60 + RESERVE);
}

TEST("Found by another process, an extension is made sure of before anybody builds on it: its writer may have died")
{
    struct host_process a;
    struct host_process b;
    struct host_process c;

    host_start(&a, 1);
    host_start(&b, 1);
    host_start(&c, 2);
    host_acquire(&a, NOW);
    host_acquire(&b, NOW);
    host_disk.changes = 0;
    host_disk.dies_at = 2; /* b writes and is killed before its sync */
    assert_int_not_equal(b.granter.extend(&b.file, FZ_DEADLINE_NONE, NOW + 50, &b.grant, &b.grant, NULL), FRAZIL_OK);
    power_disk_restart(&host_disk);
    host_extend(&a, NOW + 50);
    host_assert_grant(&a, NOW, NOW + 50 + RESERVE);
    power_disk_lose_power(&host_disk, 0, 0);
    host_acquire(&c, NOW);
    assert_int_equal(c.grant.floor, NOW + 50 + RESERVE + 1);
}

TEST("A clock that has left the grant behind gets a new one where it is; the ticks between belong to nobody")
{
    struct host_process a;
    struct host_process b;

    host_start(&a, 1);
    host_acquire(&a, NOW);
    host_extend(&a, NOW + 2 * RESERVE); /* late, but near enough */
    host_assert_grant(&a, NOW, NOW + 3 * RESERVE);
    host_extend(&a, NOW + 4 * RESERVE + 1);
    host_assert_grant(&a, NOW + 4 * RESERVE + 1, NOW + 5 * RESERVE + 1);
    host_start(&b, 2);
    host_acquire(&b, NOW + 3 * RESERVE + 1);
    host_assert_grant(&b, NOW + 3 * RESERVE + 1, NOW + 4 * RESERVE);
}

/* ---- restarts ------------------------------------------------------------ */

TEST("A new word begins above everything that was granted, wherever the clock stands")
{
    static const uint64_t clocks[] = {NOW, NOW + 1, NOW + RESERVE, NOW + RESERVE + 1, NOW + 2 * RESERVE};

    for (size_t i = 0; i < sizeof clocks / sizeof clocks[0]; i++) {
        struct host_process a;
        struct host_process b;
        host_empty_disk();
        host_start(&a, 1);
        host_start(&b, 2);
        host_acquire(&a, NOW);
        host_acquire(&b, clocks[i]);
        assert_int_equal(b.grant.floor, NOW + RESERVE + 1);
        assert_true(b.grant.until >= b.grant.floor && b.grant.until <= clocks[i] + RESERVE + 1);
    }
}

TEST("One that begins long after begins now: the ticks between stay free")
{
    struct host_process a;
    struct host_process b;

    host_start(&a, 1);
    host_start(&b, 2);
    host_acquire(&a, NOW);
    host_acquire(&b, NOW + 2 * RESERVE + 1);
    host_assert_grant(&b, NOW + 2 * RESERVE + 1, NOW + 3 * RESERVE + 1);
}

TEST("A thousand crashes in a row, each with a new word, push the file ahead by a tick each, not by a reserve")
{
    struct host_process a;

    for (uint64_t i = 1; i <= 1000; i++) {
        host_start(&a, i);
        host_acquire(&a, NOW);
    }
    host_assert_grant(&a, NOW + RESERVE + 999, NOW + RESERVE + 999);
}

TEST("The last one to leave gives back what it did not use; the next word begins there")
{
    struct host_process a;
    struct host_process b;

    host_start(&a, 1);
    host_acquire(&a, NOW);
    a.granter.release(&a.file, FZ_DEADLINE_NONE, &a.grant, NOW + 17);
    host_start(&b, 2);
    host_disk.has_others = false;
    host_acquire(&b, NOW + 5);
    host_assert_grant(&b, NOW + 18, NOW + 5 + RESERVE);
    b.granter.release(&b.file, FZ_DEADLINE_NONE, &b.grant, NOW + 1); /* nothing of it was used: one tick is burned */
    host_start(&a, 3);
    host_acquire(&a, NOW);
    host_assert_grant(&a, NOW + 19, NOW + RESERVE);
    a.granter.release(&a.file, FZ_DEADLINE_NONE, &a.grant, UINT64_MAX); /* gives nothing back */
    host_start(&b, 4);
    host_acquire(&b, NOW);
    assert_int_equal(b.grant.floor, NOW + RESERVE + 1);
}

TEST("A process that opens the word again after its release goes on with its grant")
{
    struct host_process a;

    host_start(&a, 1);
    host_acquire(&a, NOW);
    a.granter.release(&a.file, FZ_DEADLINE_NONE, &a.grant, NOW + 17);
    host_start(&a, 1);
    host_acquire(&a, NOW + 20);
    host_assert_grant(&a, NOW, NOW + 20 + RESERVE);
}

TEST("A word that has lost the worker cannot give anything back")
{
    struct host_process a;
    struct host_process b;
    struct host_process c;

    host_start(&a, 1);
    host_start(&b, 2);
    host_start(&c, 3);
    host_acquire(&a, NOW);
    host_acquire(&b, NOW + 50);
    a.granter.release(&a.file, FZ_DEADLINE_NONE, &a.grant, NOW + 1);
    host_acquire(&c, NOW + 50);
    assert_int_equal(c.grant.floor, b.grant.until + 1);
}

/* ---- clocks -------------------------------------------------------------- */

TEST("A clock that was in 2106 does not put the worker out of use until then: with the clock right again, it goes on "
     "where it was, and keeps clear of what was granted there")
{
    struct host_process a;
    struct host_process b;

    host_start(&a, 1);
    host_acquire(&a, NOW);
    host_extend(&a, YEAR_2106);
    host_assert_grant(&a, YEAR_2106, YEAR_2106 + RESERVE);
    host_start(&b, 2);
    host_acquire(&b, NOW + 10);
    host_assert_grant(&b, NOW + RESERVE + 1, NOW + RESERVE + 10);
    host_extend(&b, NOW + 200);
    host_assert_grant(&b, NOW + RESERVE + 1, NOW + RESERVE + 200);
    host_start(&a, 3);
    host_acquire(&a, YEAR_2106 + 50);
    host_assert_grant(&a, YEAR_2106 + RESERVE + 1, YEAR_2106 + 50 + RESERVE);
}

TEST("Up to an island, a grant uses what is left before it; then it goes on behind it")
{
    const uint64_t island = NOW + 1000;
    struct host_process a;
    struct host_process b;

    host_start(&a, 1);
    host_acquire(&a, NOW);
    host_start(&b, 2);
    host_acquire(&b, island); /* island to island + RESERVE */
    host_start(&a, 3);
    host_acquire(&a, NOW + 850);
    host_extend(&a, NOW + 940);
    host_assert_grant(&a, NOW + 850, island - 1);
    host_assert_refused(&a, true, island - 1, FRAZIL_EAGAIN, (const char *[]){"already", NULL});
    host_extend(&a, island + 1);
    host_assert_grant(&a, island + RESERVE + 1, island + RESERVE + 1);
    host_extend(&a, island + 20);
    host_assert_grant(&a, island + RESERVE + 1, island + RESERVE + 20);
}

TEST("The last tick there is can be granted; after it there is none")
{
    struct host_process a;
    struct host_process b;

    host_start(&a, 1);
    host_start(&b, 2);
    host_acquire(&a, UINT64_MAX - 5);
    host_assert_grant(&a, UINT64_MAX - 5, UINT64_MAX);
    host_assert_refused(&b, false, UINT64_MAX - 5, FRAZIL_EEXHAUSTED, (const char *[]){"worker 7", NULL});
    host_assert_refused(&a, true, UINT64_MAX, FRAZIL_EAGAIN, (const char *[]){"already", NULL});
}

TEST("A clock that has shown the last ticks before: when it comes there again, nothing is left for who is extended")
{
    struct host_process a;
    struct host_process b;

    host_start(&b, 2);
    host_acquire(&b, UINT64_MAX - 5);
    host_start(&a, 1);
    host_acquire(&a, NOW);
    host_assert_refused(&a, true, UINT64_MAX - 3, FRAZIL_EEXHAUSTED, (const char *[]){"worker 7", NULL});
}

/* ---- others -------------------------------------------------------------- */

TEST("A word whose worker another word has taken over is told so; its own ticks stay its own")
{
    struct host_process a;
    struct host_process b;

    host_start(&a, 1);
    host_start(&b, 2);
    host_acquire(&a, NOW);
    host_acquire(&b, NOW);
    host_disk.has_others = true;
    host_assert_refused(&a, true, NOW + 50, FRAZIL_ELEASE,
                        (const char *[]){"run directory was wiped", "process 102 took worker 7 over",
                                         "close this generator and open it again", NULL});
    host_disk.fails_looking = true; /* whether the other one lives cannot be told: nothing is taken back from it */
    host_assert_refused(&a, true, NOW + 50, FRAZIL_EAGAIN, (const char *[]){"the disk failed", NULL});
    host_extend(&b, NOW + 50);
}

TEST("Once the word that took the worker over is given up, or its last process was killed, the first one has it back")
{
    struct host_process a;
    struct host_process b;

    host_start(&a, 1);
    host_acquire(&a, NOW);
    host_start(&b, 2);
    host_acquire(&b, NOW);
    host_assert_grant(&b, NOW + RESERVE + 1, NOW + RESERVE + 1);
    b.granter.release(&b.file, FZ_DEADLINE_NONE, &b.grant, NOW + RESERVE + 1);
    host_disk.has_others = true; /* children of the first one */
    host_extend(&a, NOW + 50);
    host_assert_grant(&a, NOW + RESERVE + 2, NOW + 50 + RESERVE);

    host_start(&b, 3);
    host_acquire(&b, NOW + 60);
    uint64_t granted = b.grant.until;
    host_assert_refused(&a, true, NOW + 70, FRAZIL_ELEASE, (const char *[]){"process 103", NULL});
    host_disk.has_others = false;
    host_extend(&a, NOW + 70);
    assert_true(a.grant.floor > granted);
    host_disk.has_others = true;
    host_assert_refused(&b, true, NOW + 500, FRAZIL_ELEASE, (const char *[]){"process 101", NULL});
}

TEST("A living process with a word in another directory is not robbed; one whose word was removed here is")
{
    struct host_process a;
    struct host_process b;

    host_start(&a, 1);
    host_acquire(&a, NOW);
    host_disk.has_others = true;
    host_start(&b, 2);
    b.file.owner.place = 26;
    host_assert_refused(&b, false, NOW, FRAZIL_EWORKER,
                        (const char *[]){"worker 7", "process 101", "/disk/worker-7.grant", "run_dir=", NULL});
    b.file.owner.place = 0;
    host_assert_refused(&b, false, NOW, FRAZIL_EWORKER, (const char *[]){"worker 7", NULL});
    b.file.owner.place = 25;
    host_acquire(&b, NOW);
    host_disk.has_others = false;
    host_start(&a, 3);
    a.file.owner.place = 0;
    host_acquire(&a, NOW);
    host_start(&b, 4);
    b.file.owner.place = 0;
    host_disk.has_others = true; /* neither has a file, so neither lies where the other did */
    host_assert_refused(&b, false, NOW, FRAZIL_EWORKER, (const char *[]){"process 103", NULL});
    host_disk.fails_looking = true;
    host_assert_refused(&b, false, NOW, FRAZIL_ESYS, (const char *[]){"the disk failed", NULL});
    host_start(&b, 3);
    b.file.owner.place = 0;
    host_acquire(&b, NOW); /* need not look */
}

TEST("A child process leaves the file that its parent was in; closing closes it")
{
    struct host_process a;

    host_start(&a, 1);
    host_disk.is_inside = true;
    a.granter.after_fork(a.granter.ctx);
    assert_false(host_disk.is_inside);
    a.granter.close(a.granter.ctx);
    assert_true(host_disk.is_dead);
}
