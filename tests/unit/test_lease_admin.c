/* SPDX-License-Identifier: MIT */
/*
 * Goal of this test: an operator sees who holds what, and can free a worker id
 * without a tick of it being granted twice.
 */

#include "lib/fleet.h"
#include "lib/test.h"

AFTER_EACH
{
    fleet_stop();
}

#define NOW FLEET_NOW

struct listed {
    size_t n;
    size_t unreadable;
    uint32_t workers;
    struct fz_worker_record last;
};

static void note_entry(void *ctx, const struct fz_lease_entry *entry)
{
    struct listed *listed = ctx;

    listed->n++;
    listed->unreadable += !entry->readable;
    listed->workers |= 1U << entry->worker;
    if (entry->readable)
        listed->last = entry->record;
    else
        assert_int_equal(entry->parse_error.code, FRAZIL_EPARSE);
}

TEST("The list shows each worker ever taken, also what cannot be read, and the namespace")
{
    struct listed listed = {.n = 0};
    struct fz_namespace_record space;
    frazil_error err;

    fleet_start_with(8, 0);
    struct fz_register reg = sim_register(&fleet.observer.link);
    fleet_write(3, &(struct fz_worker_record){.until = 77, .owner = "x:1", .owners = 2});
    fleet_write_text(5, "nonsense");
    assert_int_equal(fz_lease_list(&reg, "orders", note_entry, &listed, &space, &err), FRAZIL_OK);
    assert_int_equal(listed.n, 2);
    assert_int_equal(listed.unreadable, 1);
    assert_int_equal(listed.workers, 1U << 3 | 1U << 5);
    assert_int_equal(listed.last.until, 77);
    assert_int_equal(space.workers, 8);

    fleet_write_text(FZ_NAMESPACE, "nonsense");
    assert_int_equal(fz_lease_list(&reg, "orders", note_entry, &listed, &space, &err), FRAZIL_ENAMESPACE);
    sim_link_script(&fleet.observer.link, SIM_UNREACHABLE);
    assert_int_equal(fz_lease_list(&reg, "orders", note_entry, &listed, &space, &err), FRAZIL_EUNREACHABLE);
    sim_server_wipe(&fleet.server);
    assert_int_equal(fz_lease_list(&reg, "orders", note_entry, &listed, &space, &err), FRAZIL_ENAMESPACE);
    assert_non_null(strstr(err.message, "there is no namespace 'orders'"));
}

TEST("Freed by hand, the floor is kept: the owner loses the worker, and none of its ticks is granted again")
{
    struct fz_worker_record record;

    fleet_start_with(1, 2);
    struct fz_register reg = sim_register(&fleet.observer.link);
    fleet_must_acquire(0, NOW);
    const struct fz_grant old = *fleet_held(0);
    assert_int_equal(fz_lease_release_by_hand(&reg, "orders", 0, NULL), FRAZIL_OK);
    fleet_record(0, &record);
    assert_true(record.released);
    assert_int_equal(record.until, old.until);
    assert_string_equal(record.owner, "host-0:100");
    fleet_must_acquire(1, NOW + 1);
    assert_int_equal(fleet_held(1)->floor, old.until + 1);
    assert_int_equal(fleet_extend(0, NOW + 1), FRAZIL_ELEASE);
}

TEST("A worker id that is not there, free already, unreadable or without an answer cannot be freed, and the sentence "
     "says so")
{
    frazil_error err;

    fleet_start_with(4, 0);
    struct fz_register reg = sim_register(&fleet.observer.link);
    assert_int_equal(fz_lease_release_by_hand(&reg, "orders", 1, &err), FRAZIL_EINVAL);
    assert_non_null(strstr(err.message, "worker id 1 of namespace 'orders' was never taken"));
    /* Where the namespace's own record is, no worker id is. */
    assert_int_equal(fz_lease_release_by_hand(&reg, "orders", UINT32_MAX, &err), FRAZIL_EINVAL);
    assert_non_null(strstr(err.message, "worker id 4294967295 of namespace 'orders' was never taken"));
    fleet_write(1, &(struct fz_worker_record){.owner = "x", .released = true, .owners = 1});
    assert_int_equal(fz_lease_release_by_hand(&reg, "orders", 1, &err), FRAZIL_EINVAL);
    assert_non_null(strstr(err.message, "free already"));
    fleet_write_text(1, "frazil3 worker");
    assert_int_equal(fz_lease_release_by_hand(&reg, "orders", 1, &err), FRAZIL_ENAMESPACE);
    assert_non_null(strstr(err.message, "newer frazil"));
    sim_link_script(&fleet.observer.link, SIM_UNREACHABLE);
    assert_int_equal(fz_lease_release_by_hand(&reg, "orders", 1, &err), FRAZIL_EUNREACHABLE);
    fleet_write(1, &(struct fz_worker_record){.owner = "x", .owners = 1});
    sim_link_script(&fleet.observer.link, SIM_NONE);
    sim_link_script(&fleet.observer.link, SIM_RIVAL);
    assert_int_equal(fz_lease_release_by_hand(&reg, "orders", 1, &err), FRAZIL_EAGAIN);
}
