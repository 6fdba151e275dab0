/* SPDX-License-Identifier: MIT */
/*
 * Goal of this test: if a step of a swap of a file's record fails, the answer says exactly what is known.  It is
 * UNREACHABLE only if nobody will ever read the new record, and UNKNOWN otherwise.
 * After a failure no file of a name of its own is left, and the next swap goes well.
 */
#include <sys/stat.h>
#include <unistd.h>

#include "coordinators/file/file_register.h"
#include "faults/disk_log.h"
#include "lib/scratch.h"
#include "lib/test.h"

EACH_ON_LOGGED_DISK

/* The file that a swap finds, and its answer when the change of that number fails. */
struct course {
    bool other;          /* another process has written the record */
    bool since;          /* likewise, after this one */
    unsigned swaps;      /* before it; 0: there is no file */
    const char *answers; /* a letter for each change: 'n' UNREACHABLE, '?' UNKNOWN; then it went well */
};

static uint64_t prepare(const struct course *course, const struct fz_register *reg)
{
    uint64_t version = 0;

    for (unsigned i = 0; i < course->swaps; i++)
        assert_int_equal(
            reg->swap(reg->ctx, FZ_DEADLINE_NONE, &(struct fz_swap){3, version, "old", 3}, &version, NULL, NULL),
            FZ_REGISTER_OK);
    return version;
}

static struct fz_register open_ok(void)
{
    struct fz_register reg;

    assert_int_equal(fz_file_register_open(&reg, root, NULL), FRAZIL_OK);
    return reg;
}

/* Another process swaps it. */
static uint64_t swap_elsewhere(uint64_t version)
{
    struct fz_register reg = open_ok();

    assert_int_equal(
        reg.swap(reg.ctx, FZ_DEADLINE_NONE, &(struct fz_swap){3, version, "other", 5}, &version, NULL, NULL),
        FZ_REGISTER_OK);
    reg.close(reg.ctx);
    return version;
}

/* Swaps while change number `at` fails. */
static enum fz_register_result swap_with_failure(const struct course *course, unsigned at)
{
    struct fz_record record = {.version = 0};
    char new_path[DISK_PATH_MAX + 16];
    struct fz_register reg = open_ok();

    snprintf(new_path, sizeof new_path, "%s/worker-3.new", root);
    scratch_write(scratch_path(root, "records.lock"), "", 0); /* so that it is no change */
    uint64_t before = prepare(course, &reg);
    if (course->other) {
        reg.close(reg.ctx);
        reg = open_ok();
    }
    if (course->since)
        before = swap_elsewhere(before);
    uint64_t version = 4711;
    disk_log_begin(root);
    disk_log_doom(DISK_FAILS, at);
    enum fz_register_result result =
        reg.swap(reg.ctx, FZ_DEADLINE_NONE, &(struct fz_swap){3, before, "new", 3}, &version, NULL, NULL);
    disk_log_doom(DISK_LIVES, 0);
    disk_log_stop();
    assert_false(scratch_exists(new_path));
    assert_int_equal(reg.read(reg.ctx, FZ_DEADLINE_NONE, 3, &record, NULL, NULL), FZ_REGISTER_OK);
    if (result == FZ_REGISTER_OK)
        assert_int_equal(record.version, version);
    else
        assert_int_equal(version, 4711);
    if (result == FZ_REGISTER_UNREACHABLE)
        assert_int_equal(record.version, before);
    assert_int_equal(
        reg.swap(reg.ctx, FZ_DEADLINE_NONE, &(struct fz_swap){3, record.version, "next", 4}, &version, NULL, NULL),
        FZ_REGISTER_OK);
    reg.close(reg.ctx);
    return result;
}

static void run(const struct course *course)
{
    for (unsigned at = 1;; at++) {
        if (scratch_exists(root))
            scratch_delete(root);
        assert_int_equal(mkdir(root, S_IRWXU), 0);
        enum fz_register_result result = swap_with_failure(course, at);
        char wanted = at <= strlen(course->answers) ? course->answers[at - 1] : '\0';
        char answer = result == FZ_REGISTER_UNREACHABLE ? 'n' : result == FZ_REGISTER_UNKNOWN ? '?' : '\0';
        if (result > FZ_REGISTER_UNREACHABLE || result == FZ_REGISTER_CONFLICT || answer != wanted)
            fail_msg("change %u fails, and the answer is %d, wanted '%c'", at, (int)result, wanted);
        if (result == FZ_REGISTER_OK)
            return;
    }
}

TEST("The new file is named, written, synced and renamed: up to then nobody reads it; the directory is synced")
{
    static const struct course course = {.answers = "nnnn?"};

    run(&course);
}

TEST("Its own record of before is durable: the slot is written, and synced")
{
    static const struct course course = {.swaps = 2, .answers = "n?"};

    run(&course);
}

TEST("Another one's is written once more, synced, and so is its name; then as above")
{
    static const struct course course = {.other = true, .swaps = 2, .answers = "nnnn?"};

    run(&course);
}

TEST("So is one that another has written since")
{
    static const struct course course = {.since = true, .swaps = 2, .answers = "nnnn?"};

    run(&course);
}
