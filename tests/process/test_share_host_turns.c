/* SPDX-License-Identifier: MIT */
/*
 * Goal of this test: the processes that share a lease with share=host take turns at the coordinator.  One that is slow,
 * stopped or fails in its turn costs the others neither the lease nor their worker id, and they learn what it was told.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "generator/extension_lock.h"
#include "generator/generator_internal.h"
#include "lib/callers.h"
#include "lib/members.h"
#include "lib/memory_namespace.h"
#include "lib/ports.h"
#include "lib/rig.h"
#include "lib/test.h"

enum { HORIZON_MS = 1000 };

static enum fz_register_result (*real_swap)(void *, struct fz_deadline, const struct fz_swap *, uint64_t *,
                                            struct fz_register_status *, frazil_error *);
static frazil *overtakes;  /* before the next swap */
static uint64_t stands_ns; /* for how long the one that swaps stands still before that */
static bool is_cut_short;  /* the next swap: there is no time for it */
static bool is_away;       /* the coordinator, for all swaps */

/* The one that swaps is stopped for so long that its turn is over, and another one does its work. */
static void be_overtaken(void)
{
    frazil *other = overtakes;

    overtakes = NULL;
    frazil_manual_clock_advance(members.manual, stands_ns);
    atomic_store(&other->shared->keeper.extension_since_ns, 0);
    (void)take(other);
}

static enum fz_register_result swap_late(void *ctx, struct fz_deadline deadline, const struct fz_swap *swap,
                                         uint64_t *ret_version, struct fz_register_status *status, frazil_error *reterr)
{
    bool fails = is_cut_short;

    is_cut_short = false;
    if (overtakes != NULL)
        be_overtaken();
    if (fails || is_away)
        return FZ_REGISTER_UNREACHABLE;
    return real_swap(ctx, deadline, swap, ret_version, status, reterr);
}

static void wrap(struct fz_register *reg)
{
    real_swap = reg->swap;
    reg->swap = swap_late;
}

BEFORE_EACH
{
    members_start(HORIZON_MS);
    memory_namespace_wrap = wrap;
    overtakes = NULL;
    is_cut_short = false;
    is_away = false;
}

AFTER_EACH
{
    members_stop();
}

/* A process that stands still as it extends, for so long, while another one extends. */
static void overtake_for(uint64_t ns)
{
    frazil *first = open_member(members.spec);
    frazil *second = open_member(members.spec);
    uint32_t worker = worker_of(first);

    frazil_manual_clock_advance(members.manual, HORIZON_MS * RIG_MS * 4 / 5);
    overtakes = first;
    stands_ns = ns;
    uint64_t id = take(second);
    assert_null(overtakes);
    assert_true(take(first) > id && take(second) > id);
    assert_int_equal(worker_of(second), worker);
    assert_int_equal(atomic_load(&second->shared->keeper.failures), 0);
    /* And in the next round there is nothing that it still has to come to terms with. */
    frazil_manual_clock_advance(members.manual, HORIZON_MS * RIG_MS * 4 / 5);
    (void)take(second);
    assert_int_equal(worker_of(first), worker);
    frazil_close(first);
    frazil_close(second);
}

TEST("A process that was overtaken as it extended goes on with what the other has put in force, and takes no other "
     "worker id")
{
    overtake_for(0);
}

TEST("So does one that was stopped until its grant had ended")
{
    overtake_for(2 * HORIZON_MS * RIG_MS);
}

TEST("A process that takes over the turn of a slow one opens with that one's lease where its own time does not suffice")
{
    const uint64_t open_wait_ns = 10000 * RIG_MS;
    frazil *slow = open_member(members.spec);

    frazil_manual_clock_advance(members.manual, 2 * HORIZON_MS * RIG_MS);
    overtakes = slow;
    stands_ns = open_wait_ns;
    is_cut_short = true;
    frazil *hasty = open_member(members.spec);
    assert_null(overtakes);
    assert_false(is_cut_short);
    assert_int_equal(worker_of(hasty), worker_of(slow));
    assert_true(take(hasty) < take(slow));
    frazil_close(hasty);
    frazil_close(slow);
}

static atomic_bool has_waited;

/* Other processes that ask fail meanwhile, one after the other. */
static void *fail_meanwhile(void *member)
{
    frazil *gen = member;

    do {
        fz_shared_message_write(&gen->shared->keeper.failure, "redis://h/n: no route");
        pause_ns(20 * RIG_MS);
    } while (!has_waited);
    return NULL;
}

TEST("A process that only waited behind others that failed says what they were told, and nothing of before")
{
    const struct ports ports = members_ports();
    struct fz_extension_lock lock;
    char told[FZ_SHARED_MESSAGE_SIZE];
    char hasty[1200];
    frazil_error err;
    frazil *behind;
    pthread_t thread;

    has_waited = false;
    frazil *before = open_member(members.spec);
    frazil_manual_clock_advance(members.manual, 2 * HORIZON_MS * RIG_MS);
    snprintf(hasty, sizeof hasty, "%s open_wait=300ms", members.spec);
    assert_true(fz_extension_lock_try(before, &lock));
    fz_shared_message_write(&before->shared->keeper.failure, "of an hour ago");
    assert_int_equal(ports_open_in_time(&behind, hasty, &ports, &err), FRAZIL_EAGAIN);
    assert_non_null(strstr(err.message, "each had its turn before this one: open it again"));
    fz_extension_lock_release(before, &lock); /* before its time is over */
    assert_true(fz_extension_lock_try(before, &lock));
    assert_int_equal(pthread_create(&thread, NULL, fail_meanwhile, before), 0);
    assert_int_equal(ports_open_in_time(&behind, hasty, &ports, &err), FRAZIL_EAGAIN);
    has_waited = true;
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_non_null(strstr(err.message, "and the last one failed: redis://h/n: no route"));
    fz_extension_lock_release(before, &lock);

    is_away = true;
    assert_int_equal(ports_open_in_time(&behind, hasty, &ports, &err), FRAZIL_EUNREACHABLE);
    fz_shared_message_read(&before->shared->keeper.failure, told);
    assert_string_equal(told, err.message);
    assert_int_equal(before->shared->keeper.failure_code, FRAZIL_EUNREACHABLE);
    is_away = false;
    frazil_close(open_member(members.spec));
    fz_shared_message_read(&before->shared->keeper.failure, told);
    assert_string_equal(told, "");
    frazil_close(before);
}
