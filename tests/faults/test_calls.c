/* SPDX-License-Identifier: MIT */
/*
 * Goal of this test: each call that the library makes of the system and of libc
 * fails once, and then from there on.  Meanwhile a program opens a generator by each
 * source of worker ids, takes ids, sees grants end, forks and closes.  scenario.h
 * says what must come out.
 */
#include <sys/stat.h>
#include <unistd.h>

#include "admin/leases.h"
#include "faults/calls.h"
#include "faults/scenario.h"
#include "lib/scratch.h"
#include "lib/test.h"
#include "os/this_process.h"

#define FILES "run_dir=@/run state_dir=@/disk/state namespace=orders layout=frazil "
#define LEASE "worker=file://@/disk/leases layout=frazil max_wait=1s open_wait=1s "

#define GRANT_S SCENARIO_GRANT_S
/* Opening and closing may cost so many calls of fstat, stat and lstat; it was 66 when each check looked for itself, and
 * 45 when each step of an opening did.  Six are for the claim among the users of the host,
 * six for the turn in which a grant is asked for, and eleven for the folders, which must be those of the opening. */
#if defined(FRAZIL_PORTABLE) /* which makes the word anew */
#define LOOKS_MAX 62
#else
#define LOOKS_MAX 56
#endif
#define LEASE_S 60 /* as the namespace says */

static const struct scenario *now;

static void open_take_close(void)
{
    if (scenario_open(now->spec)) {
        scenario_take();
        scenario_take();
    }
    scenario_close();
}

static void try(const struct scenario *scenario, unsigned calls_at_least)
{
    now = scenario;
    scenario_try(scenario, calls_at_least);
}

static void only_open(void)
{
    assert_true(scenario_open(now->spec));
}

static void open_and_take(void)
{
    only_open();
    assert_true(scenario_take());
}

BEFORE_ALL
{
    unsetenv("FRAZIL_STATE");
    scratch_prefer_memory();
    assert_int_not_equal(fz_this_process(), 0); /* the page of its mark is kept, and nothing of any one call */
}

/* ---- state files ------------------------------------------------------------------ */

TEST("The first one on this host makes all files; it says no keeper, so that no call comes from another thread")
{
    try(&(struct scenario){"a number that is given, for the first time", FILES "worker=fixed:7 keeper=inline", NULL,
                           open_take_close, NULL},
        60);
}

static void live_before(void)
{
    open_and_take();
    scenario_close();
    calls_pass(SCENARIO_S);
}

TEST("The second one finds them, and looks at each of them no more often than it uses it")
{
    try(&(struct scenario){"a number that is given, again", FILES "worker=fixed:7 keeper=inline", live_before,
                           open_take_close, NULL},
        50);
    print_message("it looked at files %u times\n", scenario_looks());
    assert_true(scenario_looks() <= LOOKS_MAX);
}

TEST("The lowest free number of the host")
{
    try(&(struct scenario){"file-lock", FILES "worker=file-lock keeper=inline", NULL, open_take_close, NULL}, 60);
}

static void set_number(void)
{
    setenv("FAULTS_NUMBER", "7", 1);
}

TEST("A number from the environment")
{
    try(&(struct scenario){"env", FILES "worker=env:FAULTS_NUMBER keeper=inline", set_number, open_take_close, NULL},
        60);
}

TEST("With the keeper's thread, whose own calls are left alone")
{
    try(&(struct scenario){"with the keeper's thread", FILES "worker=fixed:7 keeper=thread", NULL, open_take_close,
                           NULL},
        60);
}

/* ---- without files ------------------------------------------------------------------ */

TEST("Opening, taking and closing in memory survives the failure of each call")
{
    try(&(struct scenario){"in memory", "worker=fixed:7 state=memory layout=frazil", NULL, open_take_close, NULL}, 5);
}

TEST("Numbers that are made of the host's address and of its name")
{
    try(&(struct scenario){"ip-last-octet", "worker=ip-last-octet state=memory layout=frazil", NULL, open_take_close,
                           NULL},
        8);
    try(&(struct scenario){"ip-hash", "worker=ip-hash expect=2 state=memory layout=frazil", NULL, open_take_close,
                           NULL},
        8);
    try(&(struct scenario){"hostname-hash", "worker=hostname-hash expect=2 state=memory layout=frazil", NULL,
                           open_take_close, NULL},
        6);
}

static void write_config(void)
{
    static const char text[] = "layout=frazil\nworker=fixed:7\nstate=memory\n";

    scratch_write(scenario_text("@/frazil.conf"), text, sizeof text - 1);
}

TEST("Settings from a file")
{
    try(&(struct scenario){"settings from a file", "config=@/frazil.conf", write_config, open_take_close, NULL}, 10);
}

static void use_local(void)
{
    static frazil_local *const untouched = (frazil_local *)(uintptr_t)0x5a5a;
    frazil_local *local = untouched;
    uint64_t id;

    frazil_err err = frazil_local_open(&local, scenario_gen, NULL);
    const frazil_error why = {.code = err, .message = "its code says it"};
    if (scenario_check(err, &why)) {
        if (frazil_local_next(local, &id) != FRAZIL_OK)
            scenario_fail("there is no id");
        frazil_local_close(local);
    } else if (local != untouched) {
        scenario_fail("a failure has set what it should return");
    }
}

TEST("A thread's own handle")
{
    try(&(struct scenario){"a handle", "worker=fixed:7 state=memory layout=frazil", only_open, use_local, NULL}, 2);
}

TEST("Slots that are counted in a folder")
{
    try(&(struct scenario){"konayuki+file", "worker=fixed:7 state=konayuki+file://@/slots layout=frazil max_wait=1s",
                           NULL, open_take_close, NULL},
        20);
}

/* ---- a file register ------------------------------------------------------------------ */

static void found_namespace(void)
{
    frazil_error why;

    if (fz_leases_init(scenario_text(LEASE), NULL, true, &(int64_t){0}, &why) != FRAZIL_OK)
        fail_msg("%s", why.message);
}

TEST("Opening, taking and closing with a lease survives the failure of each call")
{
    try(&(struct scenario){"a lease", LEASE "keeper=inline", found_namespace, open_take_close, NULL}, 60);
}

static void lease_before(void)
{
    found_namespace();
    open_and_take();
}

/* ---- grants that end -------------------------------------------------------------------- */

static void keep_in_time(void)
{
    calls_pass(GRANT_S / 2 * SCENARIO_S);
    scenario_keep();
    scenario_take();
}

static void take_late(void)
{
    calls_pass((GRANT_S + 1) * SCENARIO_S);
    scenario_take();
    scenario_take();
}

TEST("Extending a grant, and taking where it has ended, survives the failure of each call")
{
    try(&(struct scenario){"a grant is extended", FILES "worker=fixed:7 keeper=hook", open_and_take, keep_in_time,
                           NULL},
        10);
    try(&(struct scenario){"a grant has ended", FILES "worker=fixed:7 keeper=inline", open_and_take, take_late, NULL},
        10);
}

static void keep_lease_in_time(void)
{
    calls_pass(LEASE_S / 2 * SCENARIO_S);
    scenario_keep();
    scenario_take();
}

static void take_late_of_lease(void)
{
    calls_pass((LEASE_S + 1) * SCENARIO_S);
    scenario_take();
    scenario_take();
}

TEST("Extending a lease, and taking where it has ended, survives the failure of each call")
{
    try(&(struct scenario){"a lease is extended", LEASE "keeper=hook", lease_before, keep_lease_in_time, NULL}, 10);
    try(&(struct scenario){"a lease has ended", LEASE "keeper=inline", lease_before, take_late_of_lease, NULL}, 10);
}

/* ---- closing and forking ------------------------------------------------------------------ */

TEST("Closing, and giving a lease back, survives the failure of each call")
{
    try(&(struct scenario){"closing", FILES "worker=fixed:7 keeper=inline", open_and_take, scenario_close, NULL}, 20);
    try(&(struct scenario){"giving a lease back", LEASE "keeper=inline", lease_before, scenario_close, NULL}, 20);
}

static void take_late_and_close(void)
{
    take_late();
    scenario_close();
}

static void take_late_of_lease_and_close(void)
{
    take_late_of_lease();
    scenario_close();
}

static void fork_late(void)
{
    scenario_in_child(take_late_and_close);
}

static void fork_late_with_lease(void)
{
    scenario_in_child(take_late_of_lease_and_close);
}

TEST("A child opens anew what the kernel takes for its parent's")
{
    try(&(struct scenario){"a child extends a grant", FILES "worker=fixed:7 keeper=inline", open_and_take, fork_late,
                           NULL},
        20);
    try(&(struct scenario){"a child extends a lease", LEASE "keeper=inline", lease_before, fork_late_with_lease, NULL},
        20);
}
