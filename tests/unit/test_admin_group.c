/* SPDX-License-Identifier: MIT */
/*
 * Goal of this test: a program that opens several generators is told, through frazil/admin.h, which of them do not go
 * together, and whether their URLs are right; no sentence has a password.
 */
#include <stdlib.h>
#include <string.h>

#include "frazil.h"
#include "frazil/admin.h"
#include "lib/memory_namespace.h"
#include "lib/test.h"

/* Adds a spec to a group; a refusal has these words, and "" is for none. */
static void add(frazil_admin_group *group, const char *name, const char *text, uint32_t worker_ids, frazil_err right,
                const char *words)
{
    frazil_error err = {.message = ""};

    assert_int_equal(frazil_admin_group_add(group, name, text, worker_ids, &err), right);
    if (strstr(err.message, words) == NULL || strstr(err.message, "s3cret") != NULL)
        fail_msg("%s: %s", text, err.message);
}

TEST("A group takes the generators that go together; what it refuses is not in it")
{
    frazil_admin_group *group = NULL;
    char text[64];

    assert_int_equal(frazil_admin_group_open(&group, NULL), FRAZIL_OK);
    assert_int_equal(setenv("FRAZIL_BASE", "1020", 1), 0); /* the environment is in the specs already */
    add(group, "a", "state=memory worker=fixed:7", 1, FRAZIL_OK, "");
    assert_int_equal(frazil_admin_state_check("state=memory worker=fixed:7", NULL), FRAZIL_OK);
    assert_int_equal(unsetenv("FRAZIL_BASE"), 0);
    add(group, "b", "state=memory worker=fixed:7", 1, FRAZIL_EWORKER,
        "it can make the same ids as a: both have worker id 7 of one layout");
    add(group, "b", "state=memory worker=fixed:8 colour=red", 1, FRAZIL_ESPEC, "colour");
    add(group, "b", "state=memory worker=fixed:8", 2, FRAZIL_EPOOL, "gives one number");
    add(group, "b", "state=memory worker=fixed:8", 0, FRAZIL_EINVAL, "worker_ids=0");
    add(group, "b", "state=memory worker=fixed:8", 1, FRAZIL_OK, "");
    for (uint32_t worker = 9; worker < 99; worker++) { /* more than any room that was made at first */
        snprintf(text, sizeof text, "state=memory worker=fixed:%u", worker);
        add(group, "c", text, 1, FRAZIL_OK, "");
    }
    add(group, "d", "state=file worker=file-lock base=98 count=1 namespace=n", 1, FRAZIL_EWORKER,
        "as c: both have worker id 98");
    frazil_admin_group_close(group);
}

TEST("A source of worker ids gives all who take from it as many as it has, and no more")
{
    static const char *const sources[] = {"worker=file-lock state=file base=5 count=3",
                                          "worker=memory://a base=5 count=3",
                                          "layout=twitter worker=memory://a base=5 workers=8"};

    for (size_t i = 0; i < sizeof sources / sizeof sources[0]; i++) {
        frazil_admin_group *group = NULL;
        assert_int_equal(frazil_admin_group_open(&group, NULL), FRAZIL_OK);
        add(group, "a", sources[i], 4, FRAZIL_EPOOL, "worker_ids=4, but its source has 3 worker ids");
        add(group, "a", sources[i], 2, FRAZIL_OK, "");
        add(group, "b", sources[i], 2, FRAZIL_EPOOL,
            "has 3 worker ids from 5 to 7 (base=, count=, workers=, layout=), of which other generators take 2");
        add(group, "b", sources[i], 1, FRAZIL_OK, "");
        add(group, "c", sources[i], 1, FRAZIL_EPOOL, "take 3");
        frazil_admin_group_close(group);
    }
}

TEST("A group counts the worker ids of ranges that overlap")
{
    const char *two = "state=file worker=file-lock base=0 count=2",
               *three = "state=file worker=file-lock base=0 count=3";
    const char *last = "state=file worker=file-lock base=2 count=1";
    frazil_admin_group *group = NULL;

    assert_int_equal(frazil_admin_group_open(&group, NULL), FRAZIL_OK);
    add(group, "a", three, 3, FRAZIL_OK, "");
    add(group, "b", two, 1, FRAZIL_EPOOL,
        "worker_ids=1, but its source has 3 worker ids from 0 to 2 (base=, count=, workers=, layout=), of which other "
        "generators take 3");
    add(group, "b", last, 1, FRAZIL_EPOOL, "take 3");
    frazil_admin_group_close(group);

    assert_int_equal(frazil_admin_group_open(&group, NULL), FRAZIL_OK);
    add(group, "a", three, 1, FRAZIL_OK, ""); /* it can have the third one */
    add(group, "b", two, 2, FRAZIL_OK, "");
    add(group, "c", last, 1, FRAZIL_EPOOL, "has 3 worker ids from 0 to 2");
    add(group, "c", "state=file worker=file-lock base=3 count=2", 2, FRAZIL_OK, "");
    add(group, "x", "state=file layout=twitter worker=fixed:9", 1, FRAZIL_OK, ""); /* another layout's */
    add(group, "e", "state=file worker=fixed:9", 1, FRAZIL_OK, "");
    add(group, "f", "state=file worker=fixed:9", 1, FRAZIL_OK, "");
    add(group, "g", "state=file worker=file-lock base=9 count=2", 2, FRAZIL_EPOOL, "of which other generators take 1");
    add(group, "g", "state=file worker=file-lock base=9 count=2", 1, FRAZIL_OK, "");
    add(group, "h", "state=file worker=fixed:9", 1, FRAZIL_OK, "");
    add(group, "h", "state=file worker=fixed:10", 1, FRAZIL_EPOOL,
        "worker id 10 is one of 2 from 9 to 10, and other generators take 2 (worker_ids=, base=, count=)");
    add(group, "d", "state=file worker=file-lock base=1 count=3", 1, FRAZIL_EPOOL, "has 5 worker ids from 0 to 4");
    frazil_admin_group_close(group);
}

TEST("A group counts the worker ids of one source, whatever the bounds of their sequences are")
{
    static const char *const sources[] = {"worker=file-lock state=file base=0 count=1",
                                          "worker=memory://a base=0 count=1", "worker=fixed:0 state=file"};
    char low[128], high[128];

    for (size_t i = 0; i < sizeof sources / sizeof sources[0]; i++) {
        bool is_fixed = strstr(sources[i], "fixed") != NULL;
        frazil_admin_group *group = NULL;
        snprintf(low, sizeof low, "%s seq_min=0 seq_max=7", sources[i]);
        snprintf(high, sizeof high, "%s seq_min=8 seq_max=15", sources[i]);
        assert_int_equal(frazil_admin_group_open(&group, NULL), FRAZIL_OK);
        add(group, "a", low, 1, FRAZIL_OK, "");
        add(group, "b", high, 1, is_fixed ? FRAZIL_OK : FRAZIL_EPOOL, is_fixed ? "" : "take 1");
        /* A fixed number that a pool has is one less for the pool. */
        add(group, "c", "worker=file-lock state=file base=0 count=1 seq_min=16 seq_max=31", 1,
            strstr(sources[i], "memory") != NULL ? FRAZIL_OK : FRAZIL_EPOOL, "");
        frazil_admin_group_close(group);
    }
}

TEST("A group refuses what one namespace has two of")
{
    static const struct {
        const char *one, *other, *words; /* NULL: both can be */
    } cases[] = {
        {"layout=twitter", "layout=discord", "it has the namespace of a and another layout=: give both the same one"},
        {"layout=twitter", "layout=40/10/12 epoch=1288834974657", "another layout="}, /* fewer bits of time */
        {"layout=twitter", "layout=41/10/12 epoch=1288834974657", NULL},
        {"max_skew=100ms", "max_skew=200ms", "another max_skew="},
        {"max_skew=100ms", "", NULL},
        {"horizon=30s", "horizon=60s", "another horizon="},
        {"workers=8", "workers=9", "another workers="},
        {"workers=8", "workers=8", NULL},
    };
    char one[128], other[128];

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        frazil_admin_group *group = NULL;
        snprintf(one, sizeof one, "worker=memory://a %s", cases[i].one);
        snprintf(other, sizeof other, "worker=memory://a %s", cases[i].other);
        assert_int_equal(frazil_admin_group_open(&group, NULL), FRAZIL_OK);
        add(group, "a", one, 1, FRAZIL_OK, "");
        add(group, "b", other, 1, cases[i].words == NULL ? FRAZIL_OK : FRAZIL_ENAMESPACE,
            cases[i].words == NULL ? "" : cases[i].words);
        snprintf(other, sizeof other, "worker=memory://b %s", cases[i].other);
        add(group, "c", other, 1, FRAZIL_OK, "");
        frazil_admin_group_close(group);
    }
}

TEST("A URL is parsed as an opening does it, without its coordinator and its password, and a group needs neither")
{
    static const struct {
        const char *spec;
        frazil_err right;
        const char *words;
    } rows[] = {
        {"worker=nosuch://u:s3cret@h/x", FRAZIL_ESPEC, "worker: no coordinator is called"},
        {"worker=fixed:1 state=nosuch://u:s3cret@h/x", FRAZIL_ESPEC, "state: no coordinator is called"},
        {"worker=fixed:1 state=memory://orders", FRAZIL_ESPEC, "no slots"},
        {"worker=fixed:1 colour=red", FRAZIL_ESPEC, "colour"},
        {"worker=memory://orders", FRAZIL_OK, ""},
        {"worker=fixed:1 state=memory", FRAZIL_OK, ""},
    };
    frazil_admin_group *group = NULL;

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        frazil_error err = {.message = ""};
        assert_int_equal(frazil_admin_url_check(rows[i].spec, memory_coordinators, &err), rows[i].right);
        if (strstr(err.message, rows[i].words) == NULL || strstr(err.message, "s3cret") != NULL)
            fail_msg("%s: %s", rows[i].spec, err.message);
    }
    assert_int_equal(frazil_admin_group_open(&group, NULL), FRAZIL_OK);
    add(group, "a", "worker=nosuch://u:s3cret@h/x", 1, FRAZIL_OK, "");
    add(group, "b", "worker=etcds://h/n?ca=/none&password_file=/none", 1, FRAZIL_OK, "");
    frazil_admin_group_close(group);
}
