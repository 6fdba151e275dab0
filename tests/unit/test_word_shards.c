/* SPDX-License-Identifier: MIT */
/*
 * Goal of this test: words of one worker with other sequence bounds lie side by side,
 * and one that somebody has keeps out those that overlap with it.
 */
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/scratch.h"
#include "lib/test.h"
#include "os/word_file.h"

enum { PAYLOAD_SIZE = 320, AT_VERSION = 16 };

static const struct fz_word_identity identity = {.fingerprint = "41/10/12 epoch=0 tick=1ms", .worker = 7};
static const char *scratch;
static char path[512];

BEFORE_EACH
{
    char folder[600];

    scratch = scratch_make();
    snprintf(path, sizeof path, "%s/worker-7.word", scratch);
    snprintf(folder, sizeof folder, "%s.shards", path);
    assert_int_equal(mkdir(folder, 0700), 0);
}

AFTER_EACH
{
    scratch_remove(scratch);
}

static struct fz_word_identity identity_of(uint64_t min, uint64_t max)
{
    struct fz_word_identity part = identity;

    part.bounds = (struct fz_bounds){.min = min, .max = max, .top = 4095};
    return part;
}

/* Opens the word of these bounds, or expects a refusal that names both pairs. */
static void open_part(struct fz_word_file *ret, uint64_t min, uint64_t max, const char *refused_by)
{
    const struct fz_word_identity part = identity_of(min, max);
    char own[64];
    frazil_error err;

    frazil_err code = fz_word_file_open(ret, path, &part, PAYLOAD_SIZE, FZ_DEADLINE_NONE, &err);
    if (refused_by == NULL) {
        if (code != FRAZIL_OK)
            fail_msg("%s", err.message);
        return;
    }
    snprintf(own, sizeof own, "%u to %u", (unsigned)min, (unsigned)max);
    assert_int_equal(code, FRAZIL_EWORKER);
    if (strstr(err.message, own) == NULL || strstr(err.message, refused_by) == NULL)
        fail_msg("%s", err.message);
}

TEST(
    "Words of one worker are side by side where their bounds do not overlap; each keeps out those that overlap with it")
{
    struct fz_word_file low;
    struct fz_word_file high;
    struct fz_word_file same;
    struct fz_word_file other;

    open_part(&low, 0, 999, NULL);
    open_part(&same, 0, 999, NULL);
    assert_true(same.nonce == low.nonce);
    open_part(&other, 1, 1000, "0 to 999"); /* as wide, and shifted by one */
    open_part(&other, 0, 500, "0 to 999");  /* from the same number on */
    open_part(&other, 0, 1000, "0 to 999");
    open_part(&other, 999, 1000, "0 to 999"); /* the edge */
    open_part(&other, 100, 200, "0 to 999");  /* inside */
    open_part(&other, 0, 4095, "0 to 999");   /* around it */
    open_part(&high, 1000, 1999, NULL);       /* beside it */
    assert_true(low.nonce != high.nonce);
    open_part(&other, 1500, 4000, "1000 to 1999");
    fz_word_file_close(&low);
    open_part(&other, 1, 999, "0 to 999"); /* the second one still has it */
    fz_word_file_close(&same);
    open_part(&other, 1, 999, NULL);
    fz_word_file_close(&other);
    fz_word_file_close(&high);
    open_part(&other, 0, 4095, NULL);
    open_part(&low, 0, 999, "0 to 4095");
    fz_word_file_close(&other);
}

TEST("A word that was copied under the name of other bounds is not theirs")
{
    const struct fz_word_identity part = identity_of(5, 9);
    struct fz_word_file file;
    char from[600];
    char to[600];
    frazil_error err;

    open_part(&file, 0, 4, NULL);
    fz_word_file_close(&file);
    snprintf(from, sizeof from, "%s.shards/0-4", path);
    snprintf(to, sizeof to, "%s.shards/5-9", path);
    assert_int_equal(rename(from, to), 0);
    assert_int_equal(fz_word_file_open(&file, path, &part, PAYLOAD_SIZE, FZ_DEADLINE_NONE, &err), FRAZIL_ESTATE);
    assert_non_null(strstr(err.message, to));
    assert_non_null(strstr(err.message, "0 to 4"));
    assert_non_null(strstr(err.message, "5 to 9"));
}

TEST("A foreign file in the folder is none of the words")
{
    static const char *const names[] = {
        "0-999.new", "00-999", "999-0", "-", "0-", "1e3-2000", "0-18446744073709551616"};
    struct fz_word_file file;
    char name[700];

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        snprintf(name, sizeof name, "%s.shards/%s", path, names[i]);
        scratch_write(name, "", 0);
    }
    open_part(&file, 0, 999, NULL);
    fz_word_file_close(&file);
}
