/* SPDX-License-Identifier: MIT */
/*
 * Goal of this test: beside sfid frazil keeps to its keys, to the byte and to the second,
 * and a worker id belongs to one of them at a time.
 */

#include "core/layout_internal.h"
#include "lib/grant_oracle.h"
#include "lib/near_miss.h"
#include "lib/sfid_rig.h"
#include "lib/test.h"
#include "os/clock.h"

/* The Unix ms before which the ids of a pid lie, as the fence says. */
static long long fenced_ms(unsigned pid)
{
    return strtoll(sfid_ask("HGET frazil:sfid:shop %u", pid), NULL, 10);
}

HOOKS_OF(sfid)

TEST("The key is \"sfid:{app}:\" and the pid in two bytes, low one first; it holds a UUID and expires after 600 s")
{
    struct taker taker;

    sfid_open_plain(&taker, 0x102, 1);
    sfid_must(sfid_acquire(&taker), &taker);
    assert_int_equal(taker.held.worker, 0x102);
    assert_true(sfid_exists(0x102));
    assert_in_range(sfid_pttl(0x102), 590001, 600000);
    char uuid[64];
    snprintf(uuid, sizeof uuid, "%s", sfid_ask("GET %s", sfid_key(0x102)));
    assert_int_equal(strlen(uuid), 36);
    assert_int_equal(strspn(uuid, "0123456789abcdef-"), 36);
    assert_int_equal(uuid[14], '4');
    assert_non_null(strchr("89ab", uuid[19]));
    assert_true(uuid[8] == '-' && uuid[13] == '-' && uuid[18] == '-' && uuid[23] == '-');
    assert_string_equal(sfid_ask("DBSIZE"), "2"); /* the other one is the fence, which never expires */
    assert_string_equal(sfid_ask("TTL frazil:sfid:shop"), "-1");
    sfid_close_taker(&taker);
}

TEST("The grant begins above every clock and ends a minute before the key can expire")
{
    struct taker taker;

    sfid_open_plain(&taker, 5, 1);
    int64_t before_ms = fz_real_now().unix_ms;
    sfid_must(sfid_acquire(&taker), &taker);
    int64_t after_ms = fz_real_now().unix_ms;
    assert_in_range(taker.held.floor, sfid_tick_of(before_ms + SFID_SKEW_MS + 1),
                    sfid_tick_of(after_ms + SFID_SKEW_MS + 1));
    assert_in_range(taker.held.until, sfid_tick_of(before_ms + SFID_HOLD_MS - 1),
                    sfid_tick_of(after_ms + SFID_HOLD_MS - 1));
    sfid_close_taker(&taker);
}

TEST("Long ticks: only those that begin after the one bound and end before the other are granted")
{
    static const char text[] = "30/10/12 epoch=1766361600001 tick=7s";
    const frazil_layout seconds = sfid_layout_of(text);
    struct taker taker;
    struct fz_lease_request request = sfid_request(&taker, 5, 1);
    uint64_t now;

    request.layout = &seconds;
    sfid_open_taker(&taker, &request);
    int64_t before_ms = fz_real_now().unix_ms;
    assert_int_equal(fz_layout_tick_of(&seconds, before_ms, &now, NULL), FRAZIL_OK);
    sfid_must(taker.granter.acquire(taker.granter.ctx, FZ_DEADLINE_NONE, now, &taker.held, &taker.err), &taker);
    int64_t tick_ends = fz_layout_tick_unix_ms(&seconds, now) + 6999;
    int64_t floor_ms = fz_layout_tick_unix_ms(&seconds, taker.held.floor);
    assert_in_range(floor_ms - tick_ends, SFID_SKEW_MS + 1, SFID_SKEW_MS + 7000);
    int64_t until_ms = fz_layout_tick_unix_ms(&seconds, taker.held.until) + 7000;
    assert_in_range(fz_layout_tick_unix_ms(&seconds, now) + SFID_HOLD_MS - until_ms, 0, 6999);
    sfid_close_taker(&taker);
}

TEST("A number that sfid holds is passed over; if all are taken, the error says how many there are")
{
    struct taker takers[2];

    for (unsigned pid = 0; pid < 1024; pid++) {
        if (pid != 700)
            assert_true(sfid_takes(pid, "somebody"));
    }
    sfid_open_plain(&takers[0], 0, 1024);
    sfid_open_plain(&takers[1], 0, 0);
    sfid_must(sfid_acquire(&takers[0]), &takers[0]);
    assert_int_equal(takers[0].held.worker, 700);
    assert_false(sfid_takes(700, "somebody"));
    assert_int_equal(sfid_acquire(&takers[1]), FRAZIL_EPOOL);
    sfid_assert_said(&takers[1], "all 1024 slots of sfid app 'shop' (0 to 1023) are taken");
    sfid_assert_value(699, "somebody");
    sfid_close_taker(&takers[0]);
    sfid_close_taker(&takers[1]);
}

TEST("From wherever it begins it goes once round all, with more of them than one call looks at, too")
{
    const frazil_layout wide = sfid_layout_of("41/12/10");
    struct taker taker;

    sfid_ask(
        "EVAL \"for pid = 0, 4095 do redis.call('SET', 'sfid:shop:' .. string.char(pid %% 256, math.floor(pid / 256)), "
        "'x', 'EX', 600) end\" 0");
    for (int i = 0; i < 8; i++) {
        struct fz_lease_request request = sfid_request(&taker, 0, 4096);
        request.layout = &wide;
        sfid_open_taker(&taker, &request);
        uint64_t tick;
        assert_int_equal(fz_layout_tick_of(&wide, fz_real_now().unix_ms, &tick, NULL), FRAZIL_OK);
        assert_int_equal(taker.granter.acquire(taker.granter.ctx, FZ_DEADLINE_NONE, tick, &taker.held, &taker.err),
                         FRAZIL_EPOOL);
        sfid_ask("DEL %s", sfid_key(3000));
        sfid_must(taker.granter.acquire(taker.granter.ctx, FZ_DEADLINE_NONE, tick, &taker.held, &taker.err), &taker);
        assert_int_equal(taker.held.worker, 3000);
        sfid_close_taker(&taker);
        sfid_ask("DEL frazil:sfid:shop");
    }
}

TEST("It begins anywhere")
{
    enum { N = 64 };
    unsigned halves[2] = {0, 0};
    uint32_t first = 0;
    bool different = false;

    for (int i = 0; i < N; i++) {
        struct taker taker;
        sfid_open_plain(&taker, 0, 1024);
        sfid_must(sfid_acquire(&taker), &taker);
        first = i == 0 ? taker.held.worker : first;
        different = different || taker.held.worker > first + N || taker.held.worker + N < first;
        halves[taker.held.worker / 512]++;
        sfid_close_taker(&taker);
    }
    assert_true(different);
    assert_true(halves[0] > 8 && halves[1] > 8);
}

TEST("A heartbeat makes the key last 600 s again, and the grant reach further, contiguously")
{
    struct taker taker;

    sfid_open_plain(&taker, 5, 3);
    sfid_must(sfid_acquire(&taker), &taker);
    for (int i = 0; i < 3; i++) {
        struct fz_grant before = taker.held;
        uint64_t later = sfid_now_tick() + 1000;
        assert_string_equal(sfid_ask("PEXPIRE %s 60000", sfid_key(before.worker)), "1");
        sfid_must(sfid_extend_at(&taker, later), &taker);
        assert_int_equal(taker.held.worker, before.worker);
        assert_int_equal(taker.held.floor, before.floor);
        assert_true(taker.held.until >= before.until);
        assert_true(taker.held.until < later + SFID_HOLD_MS);
        assert_true(taker.held.version > before.version);
        assert_in_range(sfid_pttl(before.worker), 590001, 600000);
    }
    /* With a clock that went back by less than max_skew nothing that was granted is taken away. */
    struct fz_grant before = taker.held;
    long long fenced_before_ms = fenced_ms(before.worker);
    sfid_must(sfid_extend_at(&taker, sfid_now_tick() - 2000), &taker);
    assert_int_equal(taker.held.until, before.until);
    assert_true(fenced_ms(before.worker) == fenced_before_ms);
    /* Nor does the fence grow when a pid is freed. */
    sfid_release(&taker, before.until + 1000);
    assert_true(fenced_ms(before.worker) == fenced_before_ms);
    sfid_close_taker(&taker);
}

/* ---- a mixed fleet ------------------------------------------------------------------ */

enum { FRAZILS = 6, PIDS = 48, STEPS = 3000 };

struct fleet {
    struct taker frazils[FRAZILS];
    bool holds[FRAZILS];
    bool vanished[FRAZILS]; /* its key, and it does not know it yet */
    bool sfids[PIDS];       /* whether an sfid believes it has the pid */
    struct grant_oracle oracle;
    uint64_t seed;
    unsigned moves;
    unsigned taken_by_sfid;
};

static void note_grant(struct fleet *fleet, unsigned i, uint64_t first)
{
    const struct fz_grant *grant = &fleet->frazils[i].held;

    if (!grant_oracle_add(&fleet->oracle, i, grant->worker, first, grant->until))
        fail_msg("ticks of worker %u were granted twice", grant->worker);
    if (fleet->sfids[grant->worker])
        fail_msg("worker %u is sfid's", grant->worker);
}

static void frazil_acts(struct fleet *fleet, unsigned i)
{
    struct taker *taker = &fleet->frazils[i];
    struct fz_grant before = taker->held;

    if (!fleet->holds[i]) {
        fleet->holds[i] = sfid_acquire(taker) == FRAZIL_OK;
        if (fleet->holds[i])
            note_grant(fleet, i, taker->held.floor);
    } else if (seeded_next(&fleet->seed) % 4 == 0) {
        sfid_release(taker, 0); /* nothing was used */
        grant_oracle_give_back(&fleet->oracle, i, before.worker, before.floor - 1);
        fleet->holds[i] = false;
    } else if (sfid_extend(taker) == FRAZIL_OK) {
        bool moved = taker->held.worker != before.worker || taker->held.floor != before.floor;
        fleet->moves += moved;
        fleet->vanished[i] = fleet->vanished[i] && !moved;
        if (moved || taker->held.until > before.until)
            note_grant(fleet, i, moved ? taker->held.floor : before.until + 1);
    } else {
        fleet->holds[i] = false; /* fenced; its ticks stay its own */
    }
}

static void sfid_acts(struct fleet *fleet, unsigned pid)
{
    if (fleet->sfids[pid]) {
        sfid_ask("DEL %s", sfid_key(pid));
        fleet->sfids[pid] = false;
    } else if (sfid_takes(pid, "sfid")) {
        fleet->sfids[pid] = true;
        fleet->taken_by_sfid++;
        for (unsigned i = 0; i < FRAZILS; i++) {
            if (fleet->holds[i] && fleet->frazils[i].held.worker == pid && !fleet->vanished[i])
                fail_msg("worker %u is a frazil's", pid);
        }
    }
}

TEST("Of frazils and sfids that come and go no two have one pid, and between frazils no tick is granted twice even if "
     "keys vanish")
{
    struct fleet fleet = {.seed = 7};

    for (unsigned i = 0; i < FRAZILS; i++)
        sfid_open_plain(&fleet.frazils[i], 0, PIDS);
    for (int step = 0; step < STEPS; step++) {
        unsigned who = (unsigned)(seeded_next(&fleet.seed) % (FRAZILS + 4));
        if (who < FRAZILS)
            frazil_acts(&fleet, who);
        else
            sfid_acts(&fleet, (unsigned)(seeded_next(&fleet.seed) % PIDS));
        unsigned i = (unsigned)(seeded_next(&fleet.seed) % FRAZILS);
        if (step % 100 == 0 && fleet.holds[i] && !fleet.vanished[i]) { /* a key expires before its time */
            sfid_ask("PEXPIRE %s 0", sfid_key(fleet.frazils[i].held.worker));
            fleet.vanished[i] = true;
        }
    }
    assert_true(fleet.moves > 5);
    assert_true(fleet.taken_by_sfid > 100);
    for (unsigned i = 0; i < FRAZILS; i++)
        sfid_close_taker(&fleet.frazils[i]);
    grant_oracle_free(&fleet.oracle);
}
