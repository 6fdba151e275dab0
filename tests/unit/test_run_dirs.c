/* SPDX-License-Identifier: MIT */
/*
 * Goal of this test: two run directories of one device with one state directory are told apart, whoever lives, and one
 * that was wiped is known again.  Openings are on hosts of their own where nothing else is said, as in containers that
 * share volumes: process/test_claims has two run directories of one host.
 */
#include <unistd.h>

#include "lib/rig.h"
#include "lib/scratch.h"
#include "lib/test.h"
#include "state/store_files.h"

EACH_IN_SCRATCH

static frazil_err open_on(unsigned host, struct rig *rig, const char *run, frazil_error *reterr)
{
    const struct ports ports = {.clock = &rig->clock};
    char spec[1200];

    assert_int_equal(frazil_manual_clock_open(&rig->manual, RIG_NOW, 0, NULL), FRAZIL_OK);
    rig->clock = port_of(rig->manual);
    snprintf(spec, sizeof spec,
             "worker=fixed:7 state=file run_dir=%s/%s state_dir=%s/state host_dir=%s/host-%u "
             "keeper=inline",
             scratch, run, scratch, scratch, host);
    return ports_open(&rig->gen, spec, &ports, reterr);
}

static frazil_err open_in(struct rig *rig, const char *run, frazil_error *reterr)
{
    static unsigned hosts = 1;

    return open_on(hosts++, rig, run, reterr);
}

TEST("A process with another run directory is refused while the first one lives, and that one goes on")
{
    struct rig first = {.gen = NULL};
    struct rig second = {.gen = NULL};
    frazil_error err;

    assert_int_equal(open_in(&first, "a", &err), FRAZIL_OK);
    assert_int_equal(open_in(&second, "b", &err), FRAZIL_EWORKER);
    assert_non_null(strstr(err.message, "with another run directory"));
    frazil_manual_clock_close(second.manual);
    for (int i = 0; i < 20; i++) {
        (void)rig_next(&first);
        frazil_manual_clock_advance(first.manual, RIG_S);
    }
    rig_close(&first);
    assert_int_equal(open_in(&second, "b", &err), FRAZIL_OK);
    rig_close(&second);
}

TEST("The same run directory whose files were removed is the same place: the newcomer begins above the first one")
{
    struct rig first = {.gen = NULL};
    struct rig second = {.gen = NULL};
    frazil_error err;

    assert_int_equal(open_in(&first, "a", &err), FRAZIL_OK);
    scratch_delete(scratch_path(scratch, "a"));
    assert_int_equal(open_in(&second, "a", &err), FRAZIL_OK);
    rig_close(&second);
    rig_close(&first);
}

TEST("On one host the newcomer is refused until the first one has ended, also if the state directory is gone")
{
    static const char *const lost[] = {"a", "state"};
    struct rig first = {.gen = NULL};
    struct rig second = {.gen = NULL};
    frazil_error err;

    assert_int_equal(open_on(0, &first, "a", &err), FRAZIL_OK);
    for (size_t i = 0; i < sizeof lost / sizeof lost[0]; i++) {
        scratch_delete(scratch_path(scratch, lost[i]));
        assert_int_equal(open_on(0, &second, "a", &err), FRAZIL_EWORKER);
        assert_non_null(strstr(err.message, "not with the files that are found there: if its files"));
        frazil_manual_clock_close(second.manual);
    }
    rig_close(&first);
    assert_int_equal(open_on(0, &second, "a", &err), FRAZIL_OK);
    rig_close(&second);
}

TEST("A place is a device and a path")
{
    assert_true(fz_store_place(25, "/run/frazil/x") == fz_store_place(25, "/run/frazil/x"));
    assert_true(fz_store_place(25, "/run/frazil/x") != fz_store_place(26, "/run/frazil/x"));
    assert_true(fz_store_place(25, "/run/frazil/x") != fz_store_place(25, "/run/other/x"));
    assert_true(fz_store_place(0, "") != 0);
}
