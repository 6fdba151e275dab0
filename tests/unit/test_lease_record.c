/* SPDX-License-Identifier: MIT */
/*
 * Goal of this test: a record is read back as it was written, in a form that is
 * stated here once more, and nothing else is taken for one.
 */

#include "lease/record.h"
#include "lib/near_miss.h"
#include "lib/test.h"

#define WORKER                                                                                                         \
    "frazil1 worker until=7130 floor=5000 token=0123456789abcdeffedcba9876543210 owner=web-3:411 since=1767225600000 " \
    "released=no owners=3 extensions=17"
#define NAMESPACE                                                                                                      \
    "frazil1 namespace layout=\"41/10/12 epoch=1767225600000 tick=1ms\" horizon=60000 max_skew=250 workers=1024 "      \
    "token=0123456789abcdeffedcba9876543210 created=1767225600001 quarantine=99 losses=3 incarnation=a1:b2"

static struct fz_worker_record worker_sample(void)
{
    return (struct fz_worker_record){.until = 7130,
                                     .floor = 5000,
                                     .token = {UINT64_C(0x0123456789abcdef), UINT64_C(0xfedcba9876543210)},
                                     .owner = "web-3:411",
                                     .since_unix_ms = INT64_C(1767225600000),
                                     .owners = 3,
                                     .extensions = 17};
}

static struct fz_namespace_record namespace_sample(void)
{
    return (struct fz_namespace_record){.layout = "41/10/12 epoch=1767225600000 tick=1ms",
                                        .horizon_ms = 60000,
                                        .max_skew_ms = 250,
                                        .workers = 1024,
                                        .token = {UINT64_C(0x0123456789abcdef), UINT64_C(0xfedcba9876543210)},
                                        .created_unix_ms = INT64_C(1767225600001),
                                        .quarantine_until = 99,
                                        .losses = 3,
                                        .incarnation = "a1:b2"};
}

static void assert_worker_equal(const struct fz_worker_record *a, const struct fz_worker_record *b)
{
    assert_true(a->until == b->until && a->floor == b->floor && fz_token_equal(a->token, b->token));
    assert_string_equal(a->owner, b->owner);
    assert_true(a->since_unix_ms == b->since_unix_ms && a->released == b->released);
    assert_true(a->owners == b->owners && a->extensions == b->extensions);
}

static void assert_refused(const char *text, const char *why)
{
    struct fz_worker_record worker = {.until = 4711};
    struct fz_namespace_record space = {.workers = 4711};
    frazil_error err;
    bool is_worker = strstr(text, " namespace ") == NULL;

    assert_int_equal(is_worker ? fz_worker_record_parse(text, strlen(text), &worker, &err)
                               : fz_namespace_record_parse(text, strlen(text), &space, &err),
                     FRAZIL_EPARSE);
    if (strstr(err.message, why) == NULL)
        fail_msg("%s: %s, not %s", text, err.message, why);
    assert_int_equal(worker.until, 4711);
    assert_int_equal(space.workers, 4711);
}

TEST("The text of each record is exactly the documented one, which will be read by every later version")
{
    char buf[FZ_RECORD_SIZE_MAX];
    struct fz_worker_record worker = worker_sample();
    struct fz_namespace_record space = namespace_sample();

    assert_int_equal(fz_worker_record_format(&worker, buf), strlen(WORKER));
    assert_memory_equal(buf, WORKER, strlen(WORKER));
    assert_int_equal(fz_namespace_record_format(&space, buf), strlen(NAMESPACE));
    assert_memory_equal(buf, NAMESPACE, strlen(NAMESPACE));
}

TEST("A written record is read back, at the bounds of each field, too, and fits")
{
    char buf[FZ_RECORD_SIZE_MAX];
    struct fz_worker_record worker = worker_sample();
    struct fz_worker_record read;
    struct fz_namespace_record space = namespace_sample();
    struct fz_namespace_record space_read;

    worker.until = FZ_TICK_MAX;
    worker.floor = FZ_TICK_MAX + 1;
    worker.since_unix_ms = INT64_C(253402300799999);
    worker.released = true;
    worker.owners = worker.extensions = UINT64_MAX;
    memset(worker.owner, 'x', FZ_OWNER_SIZE - 1);
    assert_int_equal(fz_worker_record_parse(buf, fz_worker_record_format(&worker, buf), &read, NULL), FRAZIL_OK);
    assert_worker_equal(&read, &worker);
    worker = (struct fz_worker_record){.owner = "_", .owners = 1};
    assert_int_equal(fz_worker_record_parse(buf, fz_worker_record_format(&worker, buf), &read, NULL), FRAZIL_OK);
    assert_worker_equal(&read, &worker);

    memset(space.layout, '/', sizeof space.layout - 1);
    memset(space.incarnation, 'z', sizeof space.incarnation - 1);
    space.horizon_ms = FZ_HORIZON_MS_MAX;
    space.max_skew_ms = FZ_SKEW_MS_MAX;
    space.losses = UINT64_MAX;
    space.workers = FZ_NAMESPACE;
    space.quarantine_until = FZ_TICK_MAX;
    space.created_unix_ms = INT64_C(253402300799999);
    size_t len = fz_namespace_record_format(&space, buf);
    assert_int_equal(fz_namespace_record_parse(buf, len, &space_read, NULL), FRAZIL_OK);
    assert_memory_equal(&space_read, &space, sizeof space);
    space.incarnation[0] = '\0';
    space.quarantine_until = 0;
    len = fz_namespace_record_format(&space, buf);
    assert_int_equal(fz_namespace_record_parse(buf, len, &space_read, NULL), FRAZIL_OK);
    assert_string_equal(space_read.incarnation, "");
}

TEST("A record of a newer form is not guessed at: the sentence says that it is newer")
{
    assert_refused("frazil2 worker until=1 floor=1 whatever", "written by a newer frazil in form 2");
    assert_refused("frazil3 namespace x", "written by a newer frazil in form 3, and this one reads form 1");
    assert_refused("frazil0 worker", "from 1 to");
}

TEST("Each field is held to its range")
{
    static const char *const texts[][2] = {
        {"frazil1 worker until=9223372036854775808 ", "until= at position 22"},
        {"frazil1 worker until=7 floor=9 ", "expected a number from 0 to 8 after"},
        {"frazil1 worker until=7 floor=07 ", "floor="},
        {"frazil1 worker until=7 floor=8 token=0123456789ABCDEF", "expected a digit of"},
        {"frazil1 worker until=7 floor=8 token=00000000000000000000000000000000 owner= s", "position 77"},
        {"frazil1 worker until=7 floor=8 token=00000000000000000000000000000000 owner=a\x1b[m ", "position 78"},
        {"frazil1 worker until=7 floor=8 token=00000000000000000000000000000000 owner=a since=253402300800000 r",
         "since="},
        {"frazil1 worker until=7 floor=8 token=00000000000000000000000000000000 owner=a since=0 released=maybe",
         "expected no"},
        {"frazil1 worker until=7 floor=8 token=00000000000000000000000000000000 owner=a since=0 released=yes owners=0 "
         "e",
         "owners="},
        {"frazil1 namespace layout=\"\" ", "position 27"},
        {"frazil1 namespace layout=\"1/1/1\" horizon=99 ", "expected a number from 100 to"},
        {"frazil1 namespace layout=\"1/1/1\" horizon=604800001 ", "horizon="},
        {"frazil1 namespace layout=\"1/1/1\" horizon=1000 max_skew=1 workers=0 ", "workers="},
        {"frazil1 namespace layout=\"1/1/1\" horizon=1000 max_skew=604800001 ", "max_skew="},
        {"frazil1 namespace layout=\"1/1/1\" horizon=1000 max_skew=-1 ", "max_skew="},
        {"frazil1 namespace layout=\"1/1/1\" horizon=1000 max_skew=1 workers=4294967296 ", "workers="},
        {WORKER " ", "expected its end"},
        {WORKER "0 more=1", "expected its end"},
    };

    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        assert_refused(texts[i][0], texts[i][1]);
}

static void refuse_prefix(void *ctx, const char *variant, size_t len, size_t index)
{
    struct fz_worker_record worker;
    struct fz_namespace_record space;

    (void)index;
    if (ctx != NULL)
        assert_int_equal(fz_worker_record_parse(variant, len, &worker, NULL), FRAZIL_EPARSE);
    else
        assert_int_equal(fz_namespace_record_parse(variant, len, &space, NULL), FRAZIL_EPARSE);
}

TEST("A record that was cut off is none, wherever it was cut (its last field must not be one that can be cut short)")
{
    near_miss_prefixes(WORKER, strlen(WORKER) - 1, refuse_prefix, (void *)1);
    near_miss_prefixes(NAMESPACE, strlen(NAMESPACE) - strlen("a1:b2"), refuse_prefix, NULL);
}

/* Each accepted text is written again as the same text: there is one text for each record. */
static void accept_only_canonical(void *ctx, const char *variant, size_t len, size_t index)
{
    struct fz_worker_record worker;
    struct fz_namespace_record space;
    char buf[FZ_RECORD_SIZE_MAX];

    (void)index;
    if (ctx != NULL && fz_worker_record_parse(variant, len, &worker, NULL) == FRAZIL_OK) {
        assert_int_equal(fz_worker_record_format(&worker, buf), len);
        assert_memory_equal(buf, variant, len);
    }
    if (ctx == NULL && fz_namespace_record_parse(variant, len, &space, NULL) == FRAZIL_OK) {
        assert_int_equal(fz_namespace_record_format(&space, buf), len);
        assert_memory_equal(buf, variant, len);
    }
}

TEST("Any single byte changed: refused, or another record that says so itself")
{
    near_miss_bytes(WORKER, strlen(WORKER), accept_only_canonical, (void *)1);
    near_miss_bytes(NAMESPACE, strlen(NAMESPACE), accept_only_canonical, NULL);
}

TEST("An owner's text can be anything, and what is kept of it can harm neither the record nor a terminal")
{
    char owner[FZ_OWNER_SIZE];
    char text[200];

    fz_owner_sanitise("web-3.example:411", owner);
    assert_string_equal(owner, "web-3.example:411");
    fz_owner_sanitise("a b=\"c\"\x1b\n\xc3\xa4", owner);
    assert_string_equal(owner, "a_b__c_____");
    fz_owner_sanitise("", owner);
    assert_string_equal(owner, "_");
    memset(text, 'y', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    fz_owner_sanitise(text, owner);
    assert_int_equal(strlen(owner), FZ_OWNER_SIZE - 1);
}
