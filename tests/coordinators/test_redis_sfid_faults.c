/* SPDX-License-Identifier: MIT */
/*
 * Goal of this test: no worker id over sfid's keys is used by a process that may not be
 * its only owner, whatever goes wrong: lost answers, lost keys, clones, clocks, forks.
 * Between frazils nothing repeats even where these keys alone would let it.
 */
#include <sys/wait.h>
#include <unistd.h>

#include "lib/patience.h"
#include "lib/sfid_rig.h"
#include "lib/test.h"

HOOKS_OF(sfid)

TEST("A key that expired is lost, whether somebody has it by now or not: the next grant is of another pid")
{
    struct taker taker;

    for (int taken_by_sfid = 0; taken_by_sfid < 2; taken_by_sfid++) {
        sfid_open_plain(&taker, 5, 2);
        sfid_must(sfid_acquire(&taker), &taker);
        unsigned old = taker.held.worker;
        assert_string_equal(sfid_ask("DEL %s", sfid_key(old)), "1");
        if (taken_by_sfid)
            assert_true(sfid_takes(old, "another"));
        sfid_must(sfid_extend(&taker), &taker);
        assert_int_equal(taker.held.worker, 11 - old);
        assert_true(taker.held.floor > sfid_now_tick());
        assert_int_equal(sfid_exists(old), taken_by_sfid);
        if (taken_by_sfid)
            sfid_assert_value(old, "another");
        sfid_close_taker(&taker);
        redis_rig_begin_test(&sfid_rig);
    }
}

TEST("Lost, and no other is free, or no other is wanted: fenced")
{
    /* Nobody's key is touched. */
    struct taker takers[2];
    struct fz_lease_request stays = sfid_request(&takers[1], 6, 2);

    sfid_open_plain(&takers[0], 5, 1);
    sfid_must(sfid_acquire(&takers[0]), &takers[0]);
    sfid_ask("DEL %s", sfid_key(5));
    assert_true(sfid_takes(5, "another"));
    struct fz_grant before = takers[0].held;
    assert_int_equal(sfid_extend(&takers[0]), FRAZIL_ELEASE);
    sfid_assert_said(&takers[0], "all 1 slots of sfid app 'shop' (5 to 5) are taken");
    assert_memory_equal(&takers[0].held, &before, sizeof before);

    stays.stay = true;
    sfid_open_taker(&takers[1], &stays);
    sfid_must(sfid_acquire(&takers[1]), &takers[1]);
    sfid_ask("DEL %s", sfid_key(takers[1].held.worker));
    assert_int_equal(sfid_extend(&takers[1]), FRAZIL_ELEASE);
    sfid_assert_said(&takers[1], "of sfid app 'shop' is lost");
    sfid_assert_value(5, "another");
    sfid_close_taker(&takers[0]);
    sfid_close_taker(&takers[1]);
}

TEST("An answer to a taking that was lost burns the slot: it is not taken for the own one when it is met again")
{
    static const enum proxy_mode modes[] = {PROXY_LOSE_REPLIES, PROXY_CUT_REPLIES, PROXY_RESET};

    for (size_t i = 0; i < sizeof modes / sizeof modes[0]; i++) {
        struct taker taker;
        redis_rig_begin_test(&sfid_rig);
        sfid_open_through(&taker, 5, 2);
        proxy_set(sfid_rig.proxy, modes[i]);
        assert_int_equal(sfid_acquire(&taker), FRAZIL_EUNREACHABLE);
        while (!sfid_exists(5) && !sfid_exists(6))
            pause_shortly();
        unsigned burned = sfid_exists(5) ? 5 : 6;
        proxy_set(sfid_rig.proxy, PROXY_PASS);
        sfid_must(sfid_acquire(&taker), &taker);
        assert_int_equal(taker.held.worker, 11 - burned);
        assert_int_equal(sfid_acquire(&taker), FRAZIL_EPOOL);
        assert_true(sfid_pttl(burned) > 0);
        sfid_close_taker(&taker);
    }
}

TEST("An answer to an extension that was lost: the present grant stands, and the next one is of another pid")
{
    struct taker taker;

    sfid_open_through(&taker, 5, 2);
    sfid_must(sfid_acquire(&taker), &taker);
    struct fz_grant before = taker.held;
    char fence[256];
    snprintf(fence, sizeof fence, "%s", sfid_ask("HGET frazil:sfid:shop %u", before.worker));
    proxy_set(sfid_rig.proxy, PROXY_LOSE_REPLIES);
    assert_int_equal(sfid_extend(&taker), FRAZIL_EAGAIN);
    assert_memory_equal(&taker.held, &before, sizeof before);
    while (strcmp(fence, sfid_ask("HGET frazil:sfid:shop %u", before.worker)) == 0)
        pause_shortly();
    proxy_set(sfid_rig.proxy, PROXY_PASS);
    sfid_must(sfid_extend(&taker), &taker);
    assert_int_equal(taker.held.worker, 11 - before.worker);
    assert_true(sfid_exists(before.worker)); /* it may be a clone's: it is left to expire */
    sfid_close_taker(&taker);
}

TEST("A cloned machine has the same key and the same random numbers: one of the two is extended, the other one moves")
{
    struct taker takers[2];

    sfid_open_plain(&takers[0], 5, 2);
    sfid_open_plain(&takers[1], 5, 2);
    sfid_must(sfid_acquire(&takers[0]), &takers[0]);
    takers[1].held = takers[0].held;
    sfid_must(sfid_extend(&takers[1]), &takers[1]);
    assert_int_equal(takers[1].held.floor, takers[0].held.floor);
    uint32_t worker = takers[1].held.worker;
    sfid_must(sfid_extend(&takers[0]), &takers[0]);
    assert_int_equal(takers[0].held.worker, 11 - worker);
    sfid_must(sfid_extend(&takers[1]), &takers[1]);
    assert_int_equal(takers[1].held.worker, worker);
    sfid_close_taker(&takers[0]);
    sfid_close_taker(&takers[1]);
}

TEST("Released, the key is gone at once if the ids are old enough, and otherwise when they are")
{
    struct taker taker;

    sfid_open_plain(&taker, 5, 1);
    sfid_must(sfid_acquire(&taker), &taker);
    sfid_release(&taker, 0);
    assert_false(sfid_exists(5));
    sfid_must(sfid_acquire(&taker), &taker);
    sfid_release(&taker, sfid_now_tick() - SFID_SKEW_MS - 1000);
    assert_false(sfid_exists(5));
    sfid_must(sfid_acquire(&taker), &taker);
    sfid_release(&taker, sfid_now_tick());
    assert_in_range(sfid_pttl(5), SFID_SKEW_MS / 2, SFID_SKEW_MS + 1);
    sfid_ask("DEL %s", sfid_key(5));
    sfid_ask("DEL frazil:sfid:shop");
    sfid_must(sfid_acquire(&taker), &taker);
    sfid_release(&taker, sfid_now_tick() + 20000);
    assert_in_range(sfid_pttl(5), 10000, 20000 + SFID_SKEW_MS + 1);
    assert_false(sfid_takes(5, "another"));
    sfid_close_taker(&taker);
}

TEST("A key that has another owner by now is not released")
{
    struct taker takers[2];

    sfid_open_plain(&takers[0], 5, 1);
    sfid_must(sfid_acquire(&takers[0]), &takers[0]);
    sfid_ask("DEL %s", sfid_key(5));
    assert_true(sfid_takes(5, "another"));
    sfid_release(&takers[0], 0);
    sfid_assert_value(5, "another");
    sfid_ask("DEL %s", sfid_key(5));
    sfid_ask("DEL frazil:sfid:shop");
    sfid_open_plain(&takers[1], 5, 1);
    sfid_must(sfid_acquire(&takers[1]), &takers[1]);
    sfid_release(&takers[0], 0);
    assert_true(sfid_exists(5));
    sfid_must(sfid_extend(&takers[1]), &takers[1]);
    sfid_close_taker(&takers[0]);
    sfid_close_taker(&takers[1]);
}

TEST("Between frazils a pid whose key is gone is not free before the ticks that were granted have passed")
{
    struct taker takers[2];

    sfid_open_plain(&takers[0], 5, 1);
    sfid_open_plain(&takers[1], 5, 1);
    sfid_must(sfid_acquire(&takers[0]), &takers[0]);
    sfid_ask("DEL %s", sfid_key(5));
    assert_int_equal(sfid_acquire(&takers[1]), FRAZIL_EPOOL);
    assert_false(sfid_exists(5));
    assert_true(sfid_takes(5, "sfid")); /* which knows of no fence */
    sfid_ask("DEL %s", sfid_key(5));
    /* The same after a release, up to what was used. */
    sfid_must(sfid_extend(&takers[0]) == FRAZIL_ELEASE ? FRAZIL_OK : FRAZIL_EINVAL, &takers[0]);
    sfid_ask("DEL frazil:sfid:shop");
    sfid_must(sfid_acquire(&takers[0]), &takers[0]);
    sfid_release(&takers[0], sfid_now_tick() + 60000);
    sfid_ask("DEL %s", sfid_key(5));
    assert_int_equal(sfid_acquire(&takers[1]), FRAZIL_EPOOL);
    sfid_close_taker(&takers[0]);
    sfid_close_taker(&takers[1]);
}

TEST("A clock that differs from the server's by more than max_skew: refused, with both, and nothing is done")
{
    struct taker taker;

    sfid_open_plain(&taker, 5, 1);
    for (int sign = -1; sign <= 1; sign += 2) {
        uint64_t wrong = sfid_now_tick() + (uint64_t)(sign * 3600000);
        assert_int_equal(taker.granter.acquire(taker.granter.ctx, FZ_DEADLINE_NONE, wrong, &taker.held, &taker.err),
                         FRAZIL_ECLOCK);
        sfid_assert_said(&taker, "the clocks differ too much: it is 20");
        sfid_assert_said(&taker, "max_skew is 5 s");
        assert_string_equal(sfid_ask("DBSIZE"), "0");
    }
    sfid_must(sfid_acquire(&taker), &taker);
    sfid_ask("PEXPIRE %s 60000", sfid_key(5));
    assert_int_equal(sfid_extend_at(&taker, sfid_now_tick() - 3600000), FRAZIL_EAGAIN);
    assert_int_equal(sfid_extend_at(&taker, sfid_now_tick() + 3600000), FRAZIL_ELEASE); /* by that clock it has ended */
    sfid_assert_said(&taker, "the clocks differ too much");
    assert_true(sfid_pttl(5) <= 60000);
    sfid_close_taker(&taker);
}

TEST("frazils of two layouts do not share an app: both are named")
{
    struct taker takers[2];
    const frazil_layout other = sfid_layout_of("41/10/12 epoch=1767225600000");
    struct fz_lease_request request = sfid_request(&takers[1], 5, 2);

    sfid_open_plain(&takers[0], 5, 2);
    sfid_must(sfid_acquire(&takers[0]), &takers[0]);
    request.layout = &other;
    sfid_open_taker(&takers[1], &request);
    assert_int_equal(sfid_acquire(&takers[1]), FRAZIL_ENAMESPACE);
    sfid_assert_said(&takers[1], "'41/10/12 epoch=1766361600000 tick=1ms'");
    sfid_assert_said(&takers[1], "'41/10/12 epoch=1767225600000 tick=1ms'");
    sfid_assert_said(&takers[1], "'frazil:sfid:shop'");
    sfid_close_taker(&takers[0]);
    sfid_close_taker(&takers[1]);
}

TEST("A server that may throw keys away that expire is refused: volatile policies, too")
{
    struct taker taker;

    sfid_open_plain(&taker, 5, 1);
    sfid_ask("CONFIG SET maxmemory-policy volatile-ttl");
    sfid_ask("CONFIG SET maxmemory 100000000");
    assert_int_equal(sfid_acquire(&taker), FRAZIL_EREFUSED);
    sfid_assert_said(&taker, "maxmemory-policy 'volatile-ttl'");
    assert_false(sfid_exists(5));
    sfid_ask("CONFIG SET maxmemory 0");
    sfid_must(sfid_acquire(&taker), &taker);
    sfid_ask("CONFIG SET maxmemory-policy noeviction");
    sfid_close_taker(&taker);
}

TEST("After FLUSHALL a second owner can come; the first one notices at its next heartbeat, and moves")
{
    struct taker takers[2];

    sfid_open_plain(&takers[0], 5, 2);
    sfid_open_plain(&takers[1], 5, 1);
    sfid_must(sfid_acquire(&takers[0]), &takers[0]);
    sfid_release(&takers[0], 0);
    takers[0].held.worker = 0;
    while (takers[0].held.worker != 5)
        sfid_must(sfid_acquire(&takers[0]), &takers[0]);
    sfid_ask("FLUSHALL");
    sfid_must(sfid_acquire(&takers[1]), &takers[1]);
    assert_int_equal(takers[1].held.worker, 5);
    sfid_must(sfid_extend(&takers[0]), &takers[0]);
    assert_int_equal(takers[0].held.worker, 6);
    sfid_must(sfid_extend(&takers[1]), &takers[1]);
    sfid_close_taker(&takers[0]);
    sfid_close_taker(&takers[1]);
}

TEST("Nobody answers: the grant stands until it has ended, and then it is lost")
{
    struct taker taker;

    sfid_open_through(&taker, 5, 1);
    sfid_must(sfid_acquire(&taker), &taker);
    proxy_set(sfid_rig.proxy, PROXY_HANG_UP);
    sfid_ask("CLIENT KILL TYPE normal SKIPME yes");
    assert_int_equal(sfid_extend(&taker), FRAZIL_EAGAIN);
    assert_int_equal(sfid_extend_at(&taker, taker.held.until), FRAZIL_EAGAIN);
    assert_int_equal(sfid_extend_at(&taker, taker.held.until + 1), FRAZIL_ELEASE);
    proxy_set(sfid_rig.proxy, PROXY_PASS);
    struct fz_grant before = taker.held;
    sfid_must(sfid_extend(&taker), &taker);
    assert_int_equal(taker.held.worker, before.worker);
    assert_int_equal(taker.held.floor, before.floor);
    sfid_close_taker(&taker);
}

TEST("A child extends what its parent took, over a connection of its own, and the parent what the child extended")
{
    struct taker taker;
    int pipe_fds[2];
    int status;

    sfid_open_plain(&taker, 5, 2);
    sfid_must(sfid_acquire(&taker), &taker);
    struct fz_grant first = taker.held;
    assert_int_equal(pipe(pipe_fds), 0);
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        taker.granter.after_fork(taker.granter.ctx);
        bool good = sfid_extend(&taker) == FRAZIL_OK &&
                    write(pipe_fds[1], &taker.held, sizeof taker.held) == (ssize_t)sizeof taker.held;
        _exit(good ? 0 : 1);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
    assert_int_equal(read(pipe_fds[0], &taker.held, sizeof taker.held), sizeof taker.held);
    close(pipe_fds[0]);
    close(pipe_fds[1]);
    assert_true(taker.held.version > first.version);
    sfid_must(sfid_extend(&taker), &taker);
    assert_int_equal(taker.held.worker, first.worker);
    assert_int_equal(taker.held.floor, first.floor);
    sfid_close_taker(&taker);
}

TEST("A server that is no Redis grants nothing")
{
    static const char *const texts[] = {
        "HTTP/1.1 400 Bad Request\r\n\r\n",
        "+OK\r\n+OK\r\n",
        "*0\r\n+x\r\n",
        "*1\r\n:1\r\n+x\r\n",
        "*1\r\n$5\r\ntaken\r\n+x\r\n",
        "*5\r\n$5\r\ntaken\r\n$1\r\n1\r\n$1\r\n9\r\n$1\r\n1\r\n$2\r\n99\r\n+x\r\n",
        "*5\r\n$5\r\ntaken\r\n$1\r\n1\r\n$1\r\n9\r\n$1\r\n1\r\n$1\r\n4\r\n+x\r\n",
        "*5\r\n$5\r\ntaken\r\n$1\r\n1\r\n$1\r\n9\r\n$1\r\n1\r\n$1\r\n6\r\n+x\r\n",
        "*5\r\n$5\r\ntaken\r\n$1\r\n1\r\n$1\r\nx\r\n$1\r\n1\r\n$1\r\n5\r\n+x\r\n",
        "*5\r\n$5\r\ntaken\r\n$1\r\n1\r\n$20\r\n18446744073709551615\r\n$1\r\n1\r\n$1\r\n5\r\n+x\r\n",
        "*2\r\n$5\r\nclock\r\n$1\r\nx\r\n+x\r\n",
        "*1\r\n$6\r\nlayout\r\n+x\r\n",
        "*2\r\n$6\r\nevicts\r\n:1\r\n+x\r\n",
        "*1\r\n$4\r\nwhat\r\n+x\r\n",
    };
    struct taker taker;

    sfid_open_through(&taker, 5, 1);
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        struct fz_grant untouched = {.worker = 4711};
        taker.held = untouched;
        proxy_say(sfid_rig.proxy, texts[i]);
        frazil_err err = sfid_acquire(&taker);
        if (err != FRAZIL_EUNREACHABLE && err != FRAZIL_EREFUSED)
            fail_msg("%s: taken for an answer: %s", frazil_err_name(err), texts[i]);
        assert_memory_equal(&taker.held, &untouched, sizeof untouched);
        assert_int_not_equal(taker.err.message[0], '\0');
    }
    sfid_close_taker(&taker);
}
