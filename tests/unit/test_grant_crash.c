/* SPDX-License-Identifier: MIT */
/*
 * Goal of this test: two processes in a row are killed anywhere, or their disk fails,
 * and a loss of power leaves anything of what was written.  The grant file can be used
 * again, and nobody is ever granted a tick that another word was told of.
 *
 * All of it is tried: each call that changes the disk, each subset of the writes
 * that were not durable, a few places to tear a sector at.
 */

#include "lease/grant_file.h"
#include "lib/power_disk.h"
#include "lib/test.h"

enum { RESERVE = 100, NOW = 10000, EXTENSIONS = 3, TOLD_MAX = 32, RUNS_MIN = 40000 };

/* Inside the record's numbers, inside its text, before its last byte. */
static const size_t tears[] = {0, 60, 400, 511, 512};
#define TEAR_COUNT (sizeof tears / sizeof tears[0])

/* ---- the oracle: what anybody was told ----------------------------------- */

static struct {
    uint64_t nonce;
    struct fz_grant grant;
} told[TOLD_MAX];
static size_t told_count;

/* Ticks of one word may come again, for they are all its own; those of two may not. */
static void tell(uint64_t nonce, struct fz_grant grant)
{
    assert_true(grant.floor <= grant.until);
    for (size_t i = 0; i < told_count; i++) {
        if (told[i].nonce != nonce && grant.floor <= told[i].grant.until && told[i].grant.floor <= grant.until)
            fail_msg("word %u is told %u to %u, word %u was told %u to %u", (unsigned)nonce, (unsigned)grant.floor,
                     (unsigned)grant.until, (unsigned)told[i].nonce, (unsigned)told[i].grant.floor,
                     (unsigned)told[i].grant.until);
    }
    assert_true(told_count < TOLD_MAX);
    told[told_count].nonce = nonce;
    told[told_count++].grant = grant;
}

/* ---- processes ----------------------------------------------------------- */

static struct power_disk disk;

/* The fault of a process: at its change number `at` it is killed, with `torn` bytes done, or the disk fails once. */
struct fate {
    unsigned at; /* 0: nothing happens */
    bool killed;
    size_t torn;
};

/* A process that acquires, extends a few times, and releases if it has.  Whether it was granted anything. */
static bool live(uint64_t nonce, uint64_t now, unsigned extensions, struct fate fate)
{
    struct fz_grant_file file = {
        .port = power_disk_port(&disk),
        .owner = {.fingerprint = "41/10/12 epoch=0 tick=1ms", .worker = 7, .nonce = nonce, .place = 25, .pid = nonce},
        .reserve_ticks = RESERVE};
    struct fz_granter granter = fz_grant_file_granter(&file);
    struct fz_grant grant;

    power_disk_restart(&disk);
    disk.dies_at = fate.killed ? fate.at : 0;
    disk.fails_at = fate.killed ? 0 : fate.at;
    disk.torn = fate.torn;
    if (granter.acquire(&file, FZ_DEADLINE_NONE, now, &grant, NULL) != FRAZIL_OK || disk.is_dead)
        return false;
    tell(nonce, grant);
    for (unsigned i = 1; i <= extensions; i++) {
        frazil_err err = granter.extend(&file, FZ_DEADLINE_NONE, now + 40 * i, &grant, &grant, NULL);
        if (disk.is_dead)
            return true;
        if (err == FRAZIL_OK)
            tell(nonce, grant);
        else
            assert_int_equal(err, FRAZIL_EAGAIN);
    }
    if (extensions > 0)
        granter.release(&file, FZ_DEADLINE_NONE, &grant, grant.until);
    return true;
}

/* Changes that a process makes to whom nothing happens. */
static unsigned count_changes(uint64_t nonce, uint64_t now)
{
    struct power_disk before = disk;
    size_t told_before = told_count;

    live(nonce, now, EXTENSIONS, (struct fate){.at = 0});
    unsigned changes = disk.changes;
    disk = before;
    told_count = told_before;
    return changes;
}

/* ---- all that can happen ------------------------------------------------- */

typedef void (*continuation)(uint64_t arg);

/* Each fate of a process, and then what follows. */
static void each_fate(uint64_t nonce, uint64_t now, continuation next, uint64_t arg)
{
    struct power_disk before = disk;
    size_t told_before = told_count;
    unsigned changes = count_changes(nonce, now);

    for (unsigned at = 0; at <= changes; at++) {
        bool torn = at > 0;
        for (size_t way = 0; way <= TEAR_COUNT; way++) {
            bool fails = way == TEAR_COUNT;
            if (way > 0 && (at == 0 || (!fails && !torn)))
                continue; /* the same as before */
            live(nonce, now, EXTENSIONS, (struct fate){.at = at, .killed = !fails, .torn = fails ? 0 : tears[way]});
            torn = torn && (disk.is_torn || fails);
            next(arg);
            disk = before;
            told_count = told_before;
        }
    }
}

/* The power stays on, or is lost with each outcome; and then what follows. */
static void each_loss(continuation next, uint64_t arg)
{
    struct power_disk before = disk;
    size_t told_before = told_count;

    next(arg);
    for (unsigned kept = 0; kept < 1U << power_disk_pending(&before); kept++) {
        for (size_t i = 0; i < TEAR_COUNT; i++) {
            disk = before;
            told_count = told_before;
            power_disk_lose_power(&disk, kept, tears[i]);
            next(arg);
            if (kept == 0)
                break;
        }
    }
    disk = before;
    told_count = told_before;
}

static unsigned long runs;

/* The last one: whatever came before, a new word gets a grant, with the clock set back, and its successor, too. */
static void last_ones(uint64_t arg)
{
    struct power_disk before = disk;
    size_t told_before = told_count;

    (void)arg;
    if (!live(3, NOW, 0, (struct fate){.at = 0}))
        fail_msg("the file cannot be used any more");
    power_disk_lose_power(&disk, 0, 0);
    if (!live(4, NOW, 0, (struct fate){.at = 0}))
        fail_msg("the file cannot be used any more");
    disk = before;
    told_count = told_before;
    runs++;
}

static void then_power(uint64_t arg)
{
    each_loss(last_ones, arg);
}

static void second_process(uint64_t nonce)
{
    each_fate(nonce, NOW + 60, then_power, 0);
}

static void power_then_second(uint64_t nonce)
{
    each_loss(second_process, nonce);
}

static void everything(uint64_t second_nonce)
{
    disk = (struct power_disk){.exists = false};
    told_count = 0;
    runs = 0;
    each_fate(1, NOW, power_then_second, second_nonce);
    print_message("%lu courses of events\n", runs);
    assert_true(runs >= RUNS_MIN);
}

TEST("The second process has found the word of the first one: it goes on with its grant")
{
    everything(1);
}

TEST("The second process has a new word")
{
    everything(2);
}
