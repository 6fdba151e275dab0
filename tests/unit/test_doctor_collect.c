/* SPDX-License-Identifier: MIT */
/*
 * Goal of this test: the facts that frazil doctor judges are those of this
 * machine, and what it compares with is what the last run has left.
 */
#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#include "admin/doctor_judge.h"
#include "config/decide.h"
#include "lib/scratch.h"
#include "lib/test.h"

EACH_IN_SCRATCH

/* ---- memory ------------------------------------------------------------------------- */

TEST("The next run finds the note of this one; nothing, half a line and too much are nothing")
{
    char last[FZ_MEMORY_SIZE];
    char long_line[FZ_MEMORY_SIZE + 1];

    assert_false(fz_doctor_remember(scratch, "doctor.x", "one", last));
    assert_true(fz_doctor_remember(scratch, "doctor.x", "two", last));
    assert_string_equal(last, "one");
    scratch_write(scratch_path(scratch, "doctor.x"), "half", 4);
    assert_false(fz_doctor_remember(scratch, "doctor.x", "three", last));
    scratch_write(scratch_path(scratch, "doctor.x"), "a\0b\n", 4);
    assert_false(fz_doctor_remember(scratch, "doctor.x", "three", last));
    memset(long_line, 'x', sizeof long_line);
    scratch_write(scratch_path(scratch, "doctor.x"), long_line, sizeof long_line);
    assert_false(fz_doctor_remember(scratch, "doctor.x", "four", last));
    assert_true(fz_doctor_remember(scratch, "doctor.x", "five", last));
    assert_string_equal(last, "four");
    assert_false(fz_doctor_remember("/proc/nowhere", "doctor.x", "one", last));
}

/* ---- clock -------------------------------------------------------------------------- */

static struct fz_decision decision_of(const char *spec)
{
    const struct fz_occasion occasion = {.opening = FZ_OPENING_FILES};
    struct fz_decision decision;

    assert_int_equal(fz_decide(&decision, spec, &occasion, NULL), FRAZIL_OK);
    return decision;
}

/* Leaves what a run would have left whose wall clock was that far behind. */
static void leave_offset(const char *boot, int64_t behind_us)
{
    char line[FZ_MEMORY_SIZE];
    uint64_t offset_us = (uint64_t)fz_clock_since_boot_us() - (uint64_t)behind_us;
    int len = snprintf(line, sizeof line, "%s %llu\n", boot, (unsigned long long)offset_us);

    scratch_write(scratch_path(scratch, "doctor.clock"), line, (size_t)len);
}

TEST("A step since the last run is seen, in both directions; of another boot nothing can be said")
{
    struct fz_decision decision = decision_of("state=redis://h/x worker=fixed:1 start=zero max_skew=9ms");
    struct fz_clock_facts facts;
    char boot[FZ_BOOT_ID_SIZE];

    assert_int_equal(fz_boot_id(boot), 0);
    fz_collect_clock(&facts, &decision, scratch);
    assert_false(facts.compared);
    assert_int_equal(facts.max_skew_ms, 9);
    assert_true(facts.has_coordinator);
    leave_offset(boot, 3600000000);
    fz_collect_clock(&facts, &decision, scratch);
    assert_true(facts.compared);
    assert_true(facts.step_us > 3599000000 && facts.step_us < 3601000000);
    leave_offset(boot, -3600000000);
    fz_collect_clock(&facts, &decision, scratch);
    assert_true(facts.step_us < -3599000000 && facts.step_us > -3601000000);
    boot[0] = boot[0] == '0' ? '1' : '0';
    leave_offset(boot, 3600000000);
    fz_collect_clock(&facts, &decision, scratch);
    assert_false(facts.compared);
    fz_collect_clock(&facts, &decision, scratch);
    assert_true(facts.compared); /* with the run before */
    assert_int_equal(fz_boot_id(boot), 0);
    leave_offset(boot, INT64_MIN); /* no clock has been there */
    fz_collect_clock(&facts, &decision, scratch);
    assert_false(facts.compared);
    fz_collect_clock(&facts, &decision, scratch);
    assert_true(facts.step_us > -1000000 && facts.step_us < 1000000);
    fz_collect_clock(&facts, &decision, NULL);
    assert_false(facts.compared);
    fz_decision_free(&decision);
}

TEST("The kernel says something of its clock, or why not; its bound is no negative number")
{
    struct fz_kernel_clock kernel;
    char source[FZ_CLOCK_SOURCE_SIZE];

    int sys = fz_kernel_clock_read(&kernel);
    assert_true(sys == 0 ? kernel.max_error_us >= 0 : sys == EPERM || sys == ENOSYS || sys == ENOTSUP);
    if (fz_clock_source(source) == 0)
        assert_true(strlen(source) > 0 && strchr(source, '\n') == NULL);
}

/* ---- directories -------------------------------------------------------------------- */

TEST("Memory is told from what is none, and who else may write")
{
    struct fz_disk disk;

    assert_int_equal(fz_disk_look("/proc/nowhere", &disk), ENOENT);
    assert_int_equal(fz_disk_look("/dev/shm", &disk), 0);
#if defined(FRAZIL_PORTABLE)
    assert_int_equal(disk.kind, FZ_DISK_UNKNOWN);
#else
    assert_int_equal(disk.kind, FZ_DISK_MEMORY);
#endif
    assert_int_equal(fz_disk_look(scratch, &disk), 0);
    assert_false(disk.open_to_others);
    assert_true(disk.free_bytes > 0);
    assert_int_equal(chmod(scratch, 0720), 0);
    assert_int_equal(fz_disk_look(scratch, &disk), 0);
    assert_true(disk.open_to_others);
}

TEST("A lock is tried out by two processes, and nothing is left of it")
{
    unsigned fds = scratch_open_fds();
    bool works = false;

    assert_int_equal(fz_disk_try_flock(scratch, &works), 0);
    assert_true(works);
    assert_int_equal(scratch_open_fds(), fds);
    assert_false(scratch_exists(scratch_path(scratch, "doctor.lock")));
    assert_int_equal(fz_disk_try_flock("/proc/nowhere", &works), ENOENT);
    assert_int_equal(symlink("/nowhere", scratch_path(scratch, "doctor.lock")), 0);
    assert_int_equal(fz_disk_try_flock(scratch, &works), ELOOP);
}

TEST("Directories are made as opening would, and what cannot be is a fact")
{
    struct fz_dir_facts facts;
    char path[256];

    snprintf(path, sizeof path, "%s/state", scratch);
    fz_collect_dir(&facts, FZ_DIR_STATE, path);
    assert_string_equal(facts.path, path);
    assert_true(facts.unusable.code == FRAZIL_OK && facts.look_errno == 0 && facts.flock_errno == 0);
    assert_true(facts.flock_works && scratch_exists(path));
    fz_collect_dir(&facts, FZ_DIR_RUN, "/proc/nowhere");
    assert_int_equal(facts.unusable.code, FRAZIL_ESYS);
}

/* ---- copies -------------------------------------------------------------------------- */

TEST("A state directory that was last seen on another machine")
{
    struct fz_fork_facts facts;
    char machine[FZ_MACHINE_ID_SIZE];

    fz_collect_fork(&facts, NULL);
    assert_false(facts.compared);
    if (fz_machine_id(machine) != 0)
        skip(); /* a container without one */
    fz_collect_fork(&facts, scratch);
    assert_false(facts.compared);
    fz_collect_fork(&facts, scratch);
    assert_true(facts.compared && facts.same_machine);
    scratch_write(scratch_path(scratch, "doctor.machine"), "another\n", 8);
    fz_collect_fork(&facts, scratch);
    assert_true(facts.compared && !facts.same_machine);
}
