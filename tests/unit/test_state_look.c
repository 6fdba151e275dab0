/* SPDX-License-Identifier: MIT */
/*
 * Goal of this test: what an operator is told of the files of a host's workers is
 * what is in them, also where a file cannot be read at all; what is repaired is
 * what was wrong.
 */
#include <sys/stat.h>
#include <unistd.h>

#include "admin/state.h"
#include "core/layout_internal.h"
#include "frazil.h"
#include "lease/grant_file.h"
#include "lib/scratch.h"
#include "lib/state_repair.h"
#include "lib/test.h"
#include "os/clock.h"

static const char *scratch;
static char spec[512];

BEFORE_EACH
{
    scratch = scratch_make();
    unsetenv("FRAZIL_STATE");
    snprintf(spec, sizeof spec, "namespace=n run_dir=%s/run state_dir=%s/state", scratch, scratch);
    mkdir(scratch_path(scratch, "state"), 0700);
    mkdir(scratch_path(scratch, "state/n"), 0700);
}

AFTER_EACH
{
    scratch_remove(scratch);
}

static struct fz_state look_ok(void)
{
    struct fz_state state;
    frazil_error err;

    if (state_look(spec, &state, &err) != FRAZIL_OK)
        fail_msg("%s", err.message);
    return state;
}

/* Writes a grant file whose first slot has this record. */
static void write_grant(const char *name, const struct fz_grant_record *record)
{
    unsigned char content[FZ_GRANT_FILE_SIZE] = {0};

    fz_grant_record_encode(record, content + (record->sequence & 1) * FZ_GRANT_SLOT_DISTANCE);
    scratch_write(scratch_path(scratch, name), content, sizeof content);
}

static struct fz_grant_record record_of(uint32_t worker)
{
    frazil_layout layout;
    struct fz_grant_record record = {
        .sequence = 4, .worker = worker, .nonce = 5, .pid = 4711, .floor = 1000, .seq_max = 4095};

    assert_int_equal(frazil_layout_parse("frazil", strlen("frazil"), &layout, NULL), FRAZIL_OK);
    fz_layout_value(&layout, record.fingerprint);
    record.until = 2000;
    fz_used_add(&record.used, 1000, 2000);
    return record;
}

TEST("The grant's ticks as times, who wrote it, and the island of a clock that was ahead")
{
    const int64_t epoch_ms = INT64_C(1767225600000);
    struct fz_grant_record record = record_of(7);

    fz_used_add(&record.used, 500000, 600000);
    write_grant("state/n/worker-7.grant", &record);
    struct fz_state seen = look_ok();
    assert_int_equal(seen.count, 1);
    const struct fz_kept *kept = &seen.workers[0];
    assert_int_equal(kept->worker, 7);
    assert_true(kept->grant.exists && !kept->grant.in_use && !kept->word.exists);
    assert_int_equal(kept->pid, 4711);
    assert_int_equal(kept->from_unix_ms, epoch_ms + 1000);
    assert_int_equal(kept->until_unix_ms, epoch_ms + 2000);
    assert_int_equal(kept->highest_unix_ms, epoch_ms + 600000);
    assert_false(fz_kept_is_wrong(kept));
    fz_state_free(&seen);
}

TEST("A clock beyond the layout's end left an island that has no time: it is shown as the end")
{
    struct fz_grant_record record = record_of(7);
    frazil_layout layout;
    frazil_layout_info info;

    assert_int_equal(frazil_layout_parse("frazil", strlen("frazil"), &layout, NULL), FRAZIL_OK);
    frazil_layout_get_info(&layout, &info, sizeof info);
    fz_used_add(&record.used, UINT64_C(1) << 62, UINT64_MAX);
    write_grant("state/n/worker-7.grant", &record);
    struct fz_state seen = look_ok();
    assert_int_equal(seen.workers[0].highest_unix_ms, info.last_unix_ms);
    fz_state_free(&seen);
}

TEST("In the order of their numbers, each once, and no other file of the folder")
{
    static const char *const others[] = {"worker-3.grant.lock", "worker-.grant", "worker-03.grant", "worker-5.lock",
                                         "worker-9999.grant",   "other",         "worker-x.word"};
    static const uint32_t workers[] = {900, 3, 20, 100};
    struct fz_state seen;

    mkdir(scratch_path(scratch, "run"), 0700);
    mkdir(scratch_path(scratch, "run/n"), 0700);
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        char name[64];
        snprintf(name, sizeof name, "state/n/%s", others[i]);
        scratch_write(scratch_path(scratch, name), "", 0);
    }
    for (size_t i = 0; i < sizeof workers / sizeof workers[0]; i++) {
        char name[64];
        struct fz_grant_record record = record_of(workers[i]);
        snprintf(name, sizeof name, "state/n/worker-%u.grant", (unsigned)workers[i]);
        write_grant(name, &record);
    }
    scratch_write(scratch_path(scratch, "run/n/worker-20.word"), "", 0);
    seen = look_ok();
    assert_int_equal(seen.count, 4);
    assert_int_equal(seen.workers[0].worker, 3);
    assert_int_equal(seen.workers[1].worker, 20);
    assert_true(fz_kept_is_wrong(&seen.workers[1]));
    assert_int_equal(seen.workers[2].worker, 100);
    assert_int_equal(seen.workers[3].worker, 900);
    fz_state_free(&seen);
}

TEST("A newer version, and what is no file: wrong, with the reason")
{
    struct fz_grant_record record = record_of(1);
    unsigned char content[FZ_GRANT_FILE_SIZE];

    write_grant("state/n/worker-1.grant", &record);
    scratch_read(scratch_path(scratch, "state/n/worker-1.grant"), content, sizeof content);
    content[8] = 2; /* the version; the checksum no longer matches, so this slot is damaged */
    scratch_write(scratch_path(scratch, "state/n/worker-1.grant"), content, sizeof content);
    assert_int_equal(symlink("/nowhere", scratch_path(scratch, "state/n/worker-2.grant")), 0);
    mkdir(scratch_path(scratch, "state/n/worker-3.grant"), 0700);
    struct fz_state seen = look_ok();
    assert_int_equal(seen.count, 3);
    assert_int_equal(seen.workers[0].grant.wrong.code, FRAZIL_ESTATE);
    assert_int_equal(seen.workers[1].grant.wrong.code, FRAZIL_ESYS);
    assert_int_equal(seen.workers[2].grant.wrong.code, FRAZIL_ESTATE);
    fz_state_free(&seen);
}

static void note(void *ctx, const frazil_admin_kept *kept)
{
    *(uint64_t *)ctx = *(uint64_t *)ctx * 1000 + kept->worker;
}

TEST("A wrong file is made anew above the clock; its readable part stays taken; the rest is as it was")
{
    struct fz_grant_record record = record_of(8); /* in a file of worker 9 */
    uint64_t repaired = 0;
    frazil_error err;

    write_grant("state/n/worker-8.grant", &record);
    write_grant("state/n/worker-9.grant", &record);
    int64_t now_ms = fz_real_now().unix_ms;
    if (state_repair(spec, false, note, &repaired, &err) != FRAZIL_OK)
        fail_msg("%s", err.message);
    assert_int_equal(repaired, 9);
    struct fz_state seen = look_ok();
    assert_int_equal(seen.workers[0].pid, 4711);
    assert_false(fz_kept_is_wrong(&seen.workers[1]));
    assert_true(seen.workers[1].until_unix_ms >= now_ms + 6000);
    fz_state_free(&seen);
    assert_int_equal(state_repair(spec, true, note, &repaired, &err), FRAZIL_OK);
    assert_int_equal(repaired, 9008009);
    snprintf(spec + strlen(spec), sizeof spec - strlen(spec), " worker=fixed:1 epoch=2099-01-01");
    assert_int_equal(state_repair(spec, true, note, &repaired, &err), FRAZIL_ERANGE);
}
