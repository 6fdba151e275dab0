/* SPDX-License-Identifier: MIT */
/*
 * Goal of this test: power may be lost at any call, also after processes that were
 * killed at any call or had it fail.  The disk then has anything that POSIX allows of
 * the writes that were not synced, with a sector torn at any byte.  The grant file and
 * the records of a file register can be used afterwards as they are.  Nobody is granted
 * a tick that another process was told of.  No record falls back behind the last one
 * that a process was told to be in place.
 *
 * Everything above the calls of the system is the real thing; disk_log.h says
 * what a disk may do.  All of it is tried.
 */
#include <sys/stat.h>
#include <unistd.h>

#include "coordinators/file/file_register.h"
#include "coordinators/file/record_file.h"
#include "faults/disk_log.h"
#include "lib/scratch.h"
#include "lib/test.h"
#include "state/grant_store.h"
#include "state/store_files.h"

EACH_ON_LOGGED_DISK

/* The use of one of the two kinds of files. */
struct subject {
    void (*live)(unsigned who);             /* a process, which tells what it was told */
    void (*recover)(unsigned first_nobody); /* after a loss of power: two processes nobody has been yet, one by one */
    void (*forget_after)(unsigned ops);     /* forgets news that came after that change */
};

/* ---- counting ------------------------------------------------------------------ */

enum { SEEN_SIZE = 1 << 18 };

static struct {
    unsigned long courses; /* orders of kills, and of the power that fails */
    unsigned long tried;   /* disks of another content, or after which something else was told */
    unsigned long left_out;
    uint64_t seen[SEEN_SIZE]; /* hashes of what was tried, by their lowest bits */
} count;

/* Whether something like that was not tried yet. */
static bool is_new(uint64_t hash)
{
    hash |= hash == 0;
    for (size_t i = hash % SEEN_SIZE;; i = (i + 1) % SEEN_SIZE) {
        if (count.seen[i] == hash) {
            count.left_out++;
            return false;
        }
        if (count.seen[i] == 0) {
            count.seen[i] = hash;
            assert_true(++count.tried < SEEN_SIZE / 2);
            return true;
        }
    }
}

/* ---- grants ---------------------------------------------------------------------- */

enum { RESERVE = 100, NOW = 10000, TOLD_MAX = 32 };

static struct told {
    unsigned who;
    unsigned at; /* after so many changes */
    struct fz_grant grant;
} told[TOLD_MAX];
static unsigned told_count;
static uint64_t now_tick;

/* Ticks of one word may come again, for they are all its own; those of two may not. */
static void tell(unsigned who, struct fz_grant grant)
{
    for (unsigned i = 0; i < told_count; i++) {
        if (told[i].who != who && grant.floor <= told[i].grant.until && told[i].grant.floor <= grant.until)
            fail_msg("word %u is told %u to %u, word %u was told %u to %u", who, (unsigned)grant.floor,
                     (unsigned)grant.until, told[i].who, (unsigned)told[i].grant.floor, (unsigned)told[i].grant.until);
    }
    assert_true(told_count < TOLD_MAX);
    told[told_count++] = (struct told){.who = who, .at = disk_log_len(), .grant = grant};
}

static void forget_grants_after(unsigned ops)
{
    unsigned n = 0;

    for (unsigned i = 0; i < told_count; i++) {
        if (told[i].at <= ops)
            told[n++] = told[i];
    }
    told_count = n;
}

/* Opens the grant file of a worker whose word has that nonce. */
static frazil_err open_grants(unsigned who, struct fz_granter *ret)
{
    const struct fz_grant_owner owner = {
        .fingerprint = "41/10/12 epoch=0 tick=1ms", .worker = 7, .nonce = who, .place = 25};
    char folder[FZ_PATH_SIZE];
    char path[FZ_PATH_SIZE];

    frazil_err err = fz_dir_prepare_inside(folder, FZ_DIR_STATE, scratch_path(root, "state"), "orders", NULL);
    if (err == FRAZIL_OK)
        err = fz_store_file(path, folder, 7, FZ_STORE_GRANT_SUFFIX, NULL);
    return err == FRAZIL_OK ? fz_grant_store_open(ret, path, &owner, RESERVE, NULL) : err;
}

static struct fz_granter open_ok(unsigned who)
{
    struct fz_granter granter = {.ctx = NULL};

    while (open_grants(who, &granter) != FRAZIL_OK)
        fail();
    return granter;
}

/* Acquires, extends three times and gives back, or as far as it comes. */
static void live_on_grants(unsigned who)
{
    struct fz_granter granter;
    struct fz_grant grant;

    if (open_grants(who, &granter) != FRAZIL_OK)
        return;
    frazil_err err = granter.acquire(granter.ctx, FZ_DEADLINE_NONE, now_tick, &grant, NULL);
    bool has_any = err == FRAZIL_OK;
    if (has_any)
        tell(who, grant);
    for (unsigned i = 0; has_any && i < 3 && !disk_log_is_dead(); i++) {
        now_tick += 60;
        err = granter.extend(granter.ctx, FZ_DEADLINE_NONE, now_tick, &grant, &grant, NULL);
        if (err == FRAZIL_OK)
            tell(who, grant);
        else
            assert_int_equal(err, FRAZIL_EAGAIN);
    }
    if (has_any && !disk_log_is_dead())
        granter.release(granter.ctx, FZ_DEADLINE_NONE, &grant, grant.until);
    granter.close(granter.ctx);
}

/* A word that nobody had gets a grant, with the clock at any time at which somebody else was told one. */
static void recover_grants(unsigned first_nobody)
{
    static const uint64_t nows[] = {NOW, NOW + 150};
    struct fz_grant grant;
    frazil_error why;

    for (unsigned i = 0; i < 2; i++) {
        struct fz_granter granter = open_ok(first_nobody + i);
        if (granter.acquire(granter.ctx, FZ_DEADLINE_NONE, nows[i], &grant, &why) != FRAZIL_OK)
            fail_msg("the file cannot be used any more: %s", why.message);
        tell(first_nobody + i, grant);
        granter.close(granter.ctx);
    }
}

static const struct subject grants = {live_on_grants, recover_grants, forget_grants_after};

/* ---- records --------------------------------------------------------------------- */

enum { RECORDS = 2, SWAPS_MAX = 32 };

static const uint32_t numbers[RECORDS] = {FZ_NAMESPACE, 3};

/* The swaps of a record, in their order. */
static struct swapped {
    char data[FZ_RECORD_SIZE_MAX];
    unsigned begun; /* after so many changes */
    unsigned told;  /* likewise; UINT_MAX: it never was */
} swapped[RECORDS][SWAPS_MAX];
static unsigned swaps[RECORDS];

static void forget_swaps_after(unsigned ops)
{
    for (unsigned i = 0; i < RECORDS; i++) {
        while (swaps[i] > 0 && swapped[i][swaps[i] - 1].begun > ops)
            swaps[i]--;
        for (unsigned n = 0; n < swaps[i]; n++) {
            if (swapped[i][n].told > ops)
                swapped[i][n].told = UINT32_MAX;
        }
    }
}

/* Reads a record, and holds it against what was told. */
static struct fz_record read_record(const struct fz_register *reg, unsigned i)
{
    struct fz_record record = {.version = 0};
    frazil_error why = {.message = ""};
    unsigned n = swaps[i];

    if (reg->read(reg->ctx, FZ_DEADLINE_NONE, numbers[i], &record, NULL, &why) != FZ_REGISTER_OK)
        fail_msg("the record cannot be read any more: %s", why.message);
    while (n > 0 && (record.version == 0 || strncmp(swapped[i][n - 1].data, record.data, record.len) != 0))
        n--;
    if (n == 0 && record.version != 0)
        fail_msg("a record that nobody wrote");
    for (; n < swaps[i]; n++) {
        if (swapped[i][n].told != UINT32_MAX)
            fail_msg("record %u is gone: %s", i, swapped[i][n].data);
    }
    return record;
}

/* Replaces a record.  False: it is not known whether it was. */
static bool swap_record(const struct fz_register *reg, unsigned i, unsigned who)
{
    struct fz_record found = read_record(reg, i);
    uint64_t version;

    assert_true(swaps[i] < SWAPS_MAX);
    struct swapped *next = &swapped[i][swaps[i]];
    /* Two sectors long, so that one of them can be lost. */
    snprintf(next->data, sizeof next->data, "%u of process %u: %0*d", swaps[i], who, FZ_RECORD_SIZE_MAX - 40, 0);
    next->begun = disk_log_len();
    next->told = UINT32_MAX;
    swaps[i]++;
    if (reg->swap(reg->ctx, FZ_DEADLINE_NONE,
                  &(struct fz_swap){numbers[i], found.version, next->data, strlen(next->data)}, &version, NULL,
                  NULL) != FZ_REGISTER_OK)
        return false;
    next->told = disk_log_len();
    return true;
}

/* How many of a few swaps went well. */
static unsigned swap_all(unsigned who)
{
    struct fz_register reg;
    unsigned well = 0;

    if (fz_file_register_open(&reg, scratch_path(root, "orders"), NULL) != FRAZIL_OK)
        return 0;
    for (unsigned swap = 0; swap < 2 * RECORDS && !disk_log_is_dead(); swap++)
        well += swap_record(&reg, swap % RECORDS, who);
    reg.close(reg.ctx);
    return well;
}

static void live_on_records(unsigned who)
{
    (void)swap_all(who);
}

static void recover_records(unsigned first_nobody)
{
    assert_int_equal(swap_all(first_nobody), 2 * RECORDS);
}

static const struct subject records = {live_on_records, recover_records, forget_swaps_after};

/* ---- all that can happen ------------------------------------------------------------ */

static const struct subject *subject;

/* All that was told so far, so that another course of events can be tried from here. */
struct memory {
    struct told told[TOLD_MAX];
    unsigned told_count;
    struct swapped swapped[RECORDS][SWAPS_MAX];
    unsigned swaps[RECORDS];
};

static void remember(struct memory *memory)
{
    memcpy(memory->told, told, sizeof told);
    memory->told_count = told_count;
    memcpy(memory->swapped, swapped, sizeof swapped);
    memcpy(memory->swaps, swaps, sizeof swaps);
}

static void go_back_to(const struct memory *memory)
{
    memcpy(told, memory->told, sizeof told);
    told_count = memory->told_count;
    memcpy(swapped, memory->swapped, sizeof swapped);
    memcpy(swaps, memory->swaps, sizeof swaps);
}

/* The answers are in it, too: a disk may do after one course of events and not after another. */
static uint64_t hash_all(const struct disk_outcome *outcome)
{
    uint64_t hash = disk_log_hash(outcome);

    for (unsigned i = 0; i < told_count; i++)
        hash = hash * 31 + told[i].grant.floor * 7 + told[i].grant.until + told[i].who;
    for (unsigned i = 0; i < RECORDS; i++) {
        for (unsigned n = 0; n < swaps[i]; n++)
            hash = hash * 31 + (swapped[i][n].told != UINT32_MAX) + 2;
    }
    return hash;
}

typedef void (*continuation)(void);

static void recover_once(void)
{
    subject->recover(100);
}

/* Power is lost, and comes back. */
static void lose_power(const struct disk_outcome *outcome, continuation next)
{
    struct memory before;

    remember(&before);
    subject->forget_after(outcome->ops);
    count.courses++;
    if (is_new(hash_all(outcome))) {
        disk_log_restart(outcome);
        disk_log_push();
        next();
        disk_log_pop();
    }
    go_back_to(&before);
}

/* Each sector that was being written is torn in each way. */
static void tear_everything(struct disk_outcome outcome, const struct disk_atom *atoms, unsigned atom_count)
{
    for (outcome.torn = 0; outcome.torn < atom_count; outcome.torn++) {
        if ((outcome.kept >> outcome.torn & 1) == 0 || atoms[outcome.torn].sector < 0)
            continue;
        for (outcome.cut = 1; outcome.cut < DISK_SECTOR; outcome.cut++) {
            outcome.tear = DISK_TEAR_PREFIX;
            lose_power(&outcome, recover_once);
            outcome.tear = DISK_TEAR_SUFFIX;
            lose_power(&outcome, recover_once);
        }
        for (outcome.tear = DISK_TEAR_ZEROS; outcome.tear <= DISK_TEAR_BLOCK; outcome.tear++)
            lose_power(&outcome, recover_once);
    }
}

/* Power is lost after each change from `first` on, with each outcome. */
static void lose_power_everywhere(unsigned first, bool tears, continuation next)
{
    struct disk_atom atoms[DISK_ATOMS];

    disk_log_stop();
    for (struct disk_outcome outcome = {.ops = first}; outcome.ops <= disk_log_len(); outcome.ops++) {
        unsigned n = disk_log_atoms(outcome.ops, atoms);
        for (outcome.kept = 0; outcome.kept < 1U << n; outcome.kept++) {
            lose_power(&outcome, next);
            if (tears)
                tear_everything(outcome, atoms, n);
        }
    }
}

/* The one who comes after a loss of power loses it, too. */
static void recover_and_lose(void)
{
    disk_log_begin(root);
    /* News of before is final. */
    for (unsigned i = 0; i < told_count; i++)
        told[i].at = 0;
    for (unsigned i = 0; i < RECORDS; i++) {
        for (unsigned n = 0; n < swaps[i]; n++) {
            swapped[i][n].begun = 0;
            swapped[i][n].told = swapped[i][n].told == UINT32_MAX ? UINT32_MAX : 0;
        }
    }
    subject->recover(100);
    disk_log_stop();
    lose_power_everywhere(0, false, recover_once);
}

/* A first process meets its fate at its change number `at`, and a second one lives.  Changes by the first one. */
static unsigned live_twice(enum disk_fate fate, unsigned at, unsigned second)
{
    if (scratch_exists(root))
        scratch_delete(root);
    assert_int_equal(mkdir(root, S_IRWXU), 0);
    told_count = swaps[0] = swaps[1] = 0;
    now_tick = NOW;
    disk_log_begin(root);
    disk_log_doom(fate, at);
    subject->live(1);
    unsigned changes = disk_log_len();
    disk_log_doom(DISK_LIVES, 0);
    now_tick += 60;
    subject->live(second);
    return changes;
}

static void everything(const struct subject *which, unsigned second, unsigned long tried_at_least)
{
    subject = which;
    memset(&count, 0, sizeof count);
    unsigned changes = live_twice(DISK_LIVES, 0, second);
    lose_power_everywhere(0, true, recover_once);
    for (unsigned at = 1; at <= changes; at++) {
        unsigned first = live_twice(DISK_DIES, at, second);
        lose_power_everywhere(first, false, recover_once);
        live_twice(DISK_FAILS, at, second);
        lose_power_everywhere(at - 1, false, recover_once);
    }
    /* And once more, and then power is lost twice. */
    memset(count.seen, 0, sizeof count.seen);
    live_twice(DISK_LIVES, 0, second);
    lose_power_everywhere(0, false, recover_and_lose);
    print_message("%u changes by one process; %lu losses of power; %lu states of the disk tried\n", changes,
                  count.courses, count.tried);
    assert_true(count.tried >= tried_at_least);
}

TEST("The second process has found the word of the first one: it goes on with its grant")
{
    everything(&grants, 1, 500);
}

TEST("The second process has a new word")
{
    everything(&grants, 2, 500);
}

TEST("Records that are swapped, read and swapped again")
{
    everything(&records, 2, 8000);
}

/* ---- damage -------------------------------------------------------------------------- */

/* A file of one grant that was changed to `len` of these bytes is damaged, and nothing else. */
static void assert_damaged(const char *path, const unsigned char *bytes, size_t len)
{
    struct fz_grant grant = {.until = 4711};
    frazil_error why;

    scratch_write(path, bytes, len);
    struct fz_granter granter = open_ok(5);
    if (granter.acquire(granter.ctx, FZ_DEADLINE_NONE, NOW, &grant, &why) != FRAZIL_ESTATE)
        fail_msg("a damaged file of %zu bytes is not found to be that", len);
    assert_int_equal(grant.until, 4711);
    assert_non_null(strstr(why.message, path));
    granter.close(granter.ctx);
    count.tried++;
}

TEST("A grant file that was cut at any length, lacks any bit of its one record, or is zeros or junk, is never taken "
     "for none, nor for one in which less was granted")
{
    unsigned char bytes[FZ_GRANT_FILE_SIZE];
    struct fz_grant grant;
    const char *path = scratch_path(root, "state/orders/worker-7.grant");

    count.tried = 0;
    assert_int_equal(mkdir(root, S_IRWXU), 0);
    struct fz_granter granter = open_ok(1);
    assert_int_equal(granter.acquire(granter.ctx, FZ_DEADLINE_NONE, NOW, &grant, NULL), FRAZIL_OK);
    granter.close(granter.ctx);
    assert_int_equal(scratch_read(path, bytes, sizeof bytes), sizeof bytes);
    char kept[DISK_PATH_MAX];
    assert_true(snprintf(kept, sizeof kept, "%s", path) < (int)sizeof kept);
    for (size_t len = 0; len < sizeof bytes; len++)
        assert_damaged(kept, bytes, len);
    /* The first record has sequence 1 and lies in the second slot. */
    for (size_t bit = 0; bit < FZ_GRANT_SLOT_SIZE * 8; bit++) {
        bytes[FZ_GRANT_SLOT_DISTANCE + bit / 8] ^= (unsigned char)(1U << bit % 8);
        assert_damaged(kept, bytes, sizeof bytes);
        bytes[FZ_GRANT_SLOT_DISTANCE + bit / 8] ^= (unsigned char)(1U << bit % 8);
    }
    for (unsigned byte = 0; byte <= 255; byte++) {
        memset(bytes, (int)byte, sizeof bytes);
        assert_damaged(kept, bytes, sizeof bytes);
    }
    print_message("%lu damaged files\n", count.tried);
}

/* A record's file that was changed to `len` of these bytes is damaged, and nothing else. */
static void assert_record_damaged(const struct fz_register *reg, const char *path, const void *bytes, size_t len)
{
    struct fz_record record = {.version = 4711};
    uint64_t version;

    scratch_write(path, bytes, len);
    if (reg->read(reg->ctx, FZ_DEADLINE_NONE, 3, &record, NULL, NULL) != FZ_REGISTER_REFUSED)
        fail_msg("a damaged file of %zu bytes is not found to be that", len);
    assert_int_equal(reg->swap(reg->ctx, FZ_DEADLINE_NONE, &(struct fz_swap){3, 0, "another", 7}, &version, NULL, NULL),
                     FZ_REGISTER_REFUSED);
    assert_int_equal(record.version, 4711);
}

TEST("A record's file that was cut at any length, or lacks any bit of its one record, is refused; it is never a record "
     "that is not there, nor another one")
{
    unsigned char bytes[FZ_RECORD_FILE_SIZE];
    char path[DISK_PATH_MAX];
    struct fz_register reg;
    uint64_t version;

    assert_int_equal(mkdir(root, S_IRWXU), 0);
    assert_int_equal(fz_file_register_open(&reg, scratch_path(root, "orders"), NULL), FRAZIL_OK);
    assert_int_equal(reg.swap(reg.ctx, FZ_DEADLINE_NONE, &(struct fz_swap){3, 0, "a record", 8}, &version, NULL, NULL),
                     FZ_REGISTER_OK);
    assert_true(snprintf(path, sizeof path, "%s/orders/worker-3", root) < (int)sizeof path);
    assert_int_equal(scratch_read(path, bytes, sizeof bytes), sizeof bytes);
    for (size_t len = 0; len < sizeof bytes; len++)
        assert_record_damaged(&reg, path, bytes, len);
    unsigned char *slot = bytes + (version & 1) * FZ_RECORD_SLOT_DISTANCE;
    for (size_t bit = 0; bit < FZ_RECORD_SLOT_SIZE * 8; bit++) {
        slot[bit / 8] ^= (unsigned char)(1U << bit % 8);
        assert_record_damaged(&reg, path, bytes, sizeof bytes);
        slot[bit / 8] ^= (unsigned char)(1U << bit % 8);
    }
    reg.close(reg.ctx);
}

BEFORE_ALL
{
    scratch_prefer_memory();
}
