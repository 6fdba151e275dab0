/* SPDX-License-Identifier: MIT */
/*
 * Goal of this test: options say what a spec says.  A value needs no quotes, a text of the options means the same as
 * the options, and options that mean the same have one text.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "config/decide_internal.h"
#include "frazil/extras.h"
#include "lib/near_miss.h"
#include "lib/ports.h"
#include "lib/rig.h"
#include "lib/scratch.h"
#include "lib/test.h"

static frazil_options *options;
static frazil_error why;

BEFORE_EACH
{
    unsetenv("FRAZIL_STATE");
    assert_int_equal(frazil_options_open(&options, &why), FRAZIL_OK);
    assert_int_equal(frazil_options_environment(options, FRAZIL_ENVIRONMENT_NONE, &why), FRAZIL_OK);
}

AFTER_EACH
{
    frazil_options_close(options);
    setenv("FRAZIL_STATE", "memory", 1);
}

/* ---- saying -------------------------------------------------------------------------- */

static void set(const char *key, const char *value)
{
    if (frazil_options_set(options, key, value, value == NULL ? 0 : strlen(value), &why) != FRAZIL_OK)
        fail_msg("%s=%s: %s", key, value, why.message);
}

static void say(const char *spec)
{
    if (frazil_options_spec(options, spec, strlen(spec), &why) != FRAZIL_OK)
        fail_msg("%s: %s", spec, why.message);
}

/* The text of the options; valid until the next call. */
static const char *text_of(unsigned flags)
{
    static char text[4096];
    size_t len;

    if (frazil_options_text(options, flags, text, sizeof text, &len, &why) != FRAZIL_OK)
        fail_msg("%s", why.message);
    assert_int_equal(strlen(text), len);
    return text;
}

static void refused(frazil_err err, frazil_err code, const char *part)
{
    if (err != code || strstr(why.message, part) == NULL)
        fail_msg("%s: %s", frazil_err_name(err), why.message);
}

static const struct {
    const char *spec;
    frazil_state_kind kept;
} with_state[] = {
    {"worker=fixed:7 state=memory", FRAZIL_STATE_MEMORY},
    {"worker=fixed:7 state=file", FRAZIL_STATE_FILE},
    {"worker=file-lock", FRAZIL_STATE_FILE},
    {"layout=sno worker=auto", FRAZIL_STATE_MEMORY},
};

TEST(
    "A clock of the program's own needs to be told of the state, where that is not kept by whoever gives the worker id")
{
    static const char right[] = "needs state=memory";
    frazil_manual_clock *manual;

    assert_int_equal(frazil_manual_clock_open(&manual, RIG_NOW, 0, NULL), FRAZIL_OK);
    const frazil_clock clock = port_of(manual);
    const struct ports ports = {.clock = &clock};
    assert_open_refused("worker=fixed:7", &ports, FRAZIL_ESPEC, right);
    assert_open_refused("layout=sno worker=fixed:7", &ports, FRAZIL_ESPEC, right);
    assert_open_refused("worker=fixed:7 clock=frozen:2026-06-01", &ports, FRAZIL_ESPEC, right);
    for (size_t i = 0; i < sizeof with_state / sizeof with_state[0]; i++) {
        const char *dir = scratch_make();
        char spec[512];
        frazil_info info;
        frazil_error err;
        frazil *gen;

        assert_in_range(
            snprintf(spec, sizeof spec, "%s run_dir=%s/run state_dir=%s/state", with_state[i].spec, dir, dir), 1,
            sizeof spec - 1);
        if (ports_open(&gen, spec, &ports, &err) != FRAZIL_OK)
            fail_msg("%s: %s", spec, err.message);
        frazil_get_info(gen, &info, sizeof info);
        assert_int_equal(info.state, with_state[i].kept);
        frazil_close(gen);
        scratch_remove(dir);
    }
    frazil_manual_clock_close(manual);
}

TEST("A value is taken as it is: spaces, quotes and '=' need nothing, and its length ends it")
{
    set("worker", "fixed:1");
    assert_int_equal(frazil_options_set(options, "run_dir", "/tmp/a b='c'\\d, and more", 14, &why), FRAZIL_OK);
    assert_non_null(strstr(text_of(0), " run_dir='/tmp/a b=\\'c\\'\\\\d' "));
}

TEST("A later value replaces the earlier one, and NULL takes it back")
{
    set("worker", "fixed:1");
    say("worker=fixed:2 state=memory");
    assert_non_null(strstr(text_of(0), " worker=fixed:2 "));
    set("worker", "fixed:3");
    assert_non_null(strstr(text_of(0), " worker=fixed:3 "));
    set("worker", NULL);
    refused(frazil_options_check(options, &why), FRAZIL_ENOWORKER, "no worker id is given");
}

TEST("A wrong key or value is refused, and changes nothing")
{
    set("worker", "fixed:1");
    set("state", "memory");
    refused(frazil_options_set(options, "wroker", "x", 1, &why), FRAZIL_ESPEC, "did you mean worker");
    refused(frazil_options_set(options, "worker", "", 0, &why), FRAZIL_ESPEC, "value of worker is empty");
    refused(frazil_options_set(options, "worker", "fixed\0:2", 8, &why), FRAZIL_ESPEC, "zero byte");
    refused(frazil_options_spec(options, "worker=fixed:2\0", 15, &why), FRAZIL_ESPEC, "zero byte");
    refused(frazil_options_spec(options, "worker=fixed:2 state", 20, &why), FRAZIL_ESPEC, "has no value");
    refused(frazil_options_environment(options, (frazil_environment)3, &why), FRAZIL_EINVAL, "3 is not a choice");
    refused(frazil_options_text(options, 2, (char[8]){0}, 8, NULL, &why), FRAZIL_EINVAL, "flags 2");
    assert_non_null(strstr(text_of(0), " worker=fixed:1 "));
}

TEST("The path of a folder or a socket is taken as it is: one that is percent-encoded as well would be another place")
{
    static const char *const wrong[][2] = {{"worker", "file:///srv/a%20b"},
                                           {"state", "konayuki+file:///srv/%41"},
                                           {"state", "redis+unix:///run/a%2fb/orders?db=1"},
                                           {"worker", "mysql+unix:///run/%6d.sock/app/orders?user=%61"}};
    static const char *const right[][2] = {{"worker", "file:///srv/a b%2"},
                                           {"worker", "file:///srv/100%/%zz"},
                                           {"worker", "redis+unix:///run/redis.sock/orders?user=%61"},
                                           {"worker", "redis://a%20b:c%20d@db1/orders"}};

    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        frazil_options_close(options);
        assert_int_equal(frazil_options_open(&options, &why), FRAZIL_OK);
        set("worker", "fixed:1");
        set(wrong[i][0], wrong[i][1]);
        refused(frazil_options_check(options, &why), FRAZIL_ESPEC, "write the path without percent-encoding");
    }
    for (size_t i = 0; i < sizeof right / sizeof *right; i++) {
        assert_int_equal(frazil_options_set(options, "state", NULL, 0, &why), FRAZIL_OK);
        set(right[i][0], right[i][1]);
        assert_int_equal(frazil_options_check(options, &why), FRAZIL_OK);
    }
}

TEST("An error in a spec says how many bytes stand before what is wrong; one in a value alone says none")
{
    /* A '^' stands before what is wrong, and is no part of the text. */
    static const char *const wrong[] = {
        "^wroker=fixed:1",       "worker=fixed:1 ^stat=memory",
        "worker=fixed:1 state^", "worker=fixed:1 state ^x",
        "state=memory worker=^", "worker=^''",
        "worker=^'fixed:1",      "worker='fixed:1'^x",
        "worker=fixed^'1'",      "worker=fixed:1 ^worker=x",
        " ^redis://h/n",
    };

    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        size_t before = strcspn(wrong[i], "^");
        char text[64];
        snprintf(text, sizeof text, "%.*s%s", (int)before, wrong[i], wrong[i] + before + 1);
        assert_int_equal(frazil_options_spec(options, text, strlen(text), &why), FRAZIL_ESPEC);
        if (why.position != (int64_t)before)
            fail_msg("'%s': %s at %lld, not at %zu", text, why.message, (long long)why.position, before);
    }
    refused(frazil_options_spec(options, "worker=fixed:2\0", 15, &why), FRAZIL_ESPEC, "zero byte");
    assert_int_equal(why.position, 14);
    say("worker=fixed:1 layout='41/10/x'");
    assert_int_equal(frazil_options_check(options, &why), FRAZIL_ELAYOUT);
    assert_int_equal(why.position, FRAZIL_NO_POSITION);
    set("layout", "41/10/12 epoch=1970-01-01 tick=1ms");
    set("epoch", "2026-02-29");
    assert_int_equal(frazil_options_check(options, &why), FRAZIL_ELAYOUT);
    assert_int_equal(why.position, FRAZIL_NO_POSITION);
}

/* ---- ports ------------------------------------------------------------------------------- */

static uint64_t no_number(void *ctx)
{
    (void)ctx;
    return 0;
}

static frazil_err no_grant(void *ctx, int64_t now_unix_ms, frazil_grant *ret, frazil_error *reterr)
{
    (void)ctx, (void)now_unix_ms, (void)ret, (void)reterr;
    return FRAZIL_EPOOL;
}

TEST("A port of a wrong size, or without a function, is refused; NULL takes one back")
{
    frazil_manual_clock *manual;
    assert_int_equal(frazil_manual_clock_open(&manual, RIG_NOW, 0, NULL), FRAZIL_OK);
    frazil_clock clock = port_of(manual);
    frazil_random random = {.size = sizeof random, .next = no_number};
    frazil_granter granter = {.size = sizeof granter, .acquire = no_grant};

    assert_int_equal(frazil_options_clock(options, &clock, &why), FRAZIL_OK);
    assert_int_equal(frazil_options_random(options, &random, &why), FRAZIL_OK);
    assert_int_equal(frazil_options_clock(options, NULL, &why), FRAZIL_OK);
    assert_int_equal(frazil_options_random(options, NULL, &why), FRAZIL_OK);
    assert_int_equal(frazil_options_granter(options, NULL, &why), FRAZIL_OK);
    refused(frazil_options_granter(options, &granter, &why), FRAZIL_EINVAL, "lacks");
    random.next = NULL;
    refused(frazil_options_random(options, &random, &why), FRAZIL_EINVAL, "lacks");
    clock.now = NULL;
    refused(frazil_options_clock(options, &clock, &why), FRAZIL_EINVAL, "lacks");
    clock.size--;
    random.size++;
    granter.size = 0;
    refused(frazil_options_clock(options, &clock, &why), FRAZIL_EINVAL, "sizeof(frazil_clock)");
    refused(frazil_options_random(options, &random, &why), FRAZIL_EINVAL, "sizeof(frazil_random)");
    refused(frazil_options_granter(options, &granter, &why), FRAZIL_EINVAL, "has size 0");
    frazil_manual_clock_close(manual);
}

TEST("Of a port that says a wrong size nothing else is read")
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    const size_t size = sizeof size;
    void *pages = NULL;
    uint64_t salt;
    assert_int_equal(posix_memalign(&pages, page, 2 * page), 0);
    char *end = (char *)pages + page;
    assert_int_equal(mprotect(end, page, PROT_NONE), 0);
    void *port = memcpy(end - sizeof size, &size, sizeof size); /* no member is there */

    refused(frazil_options_clock(options, port, &why), FRAZIL_EINVAL, "has size");
    refused(frazil_options_random(options, port, &why), FRAZIL_EINVAL, "has size");
    refused(frazil_options_granter(options, port, &why), FRAZIL_EINVAL, "has size");
    refused(frazil_salt_new(port, &salt, &why), FRAZIL_EINVAL, "a wrong size");
    assert_int_equal(mprotect(end, page, PROT_READ | PROT_WRITE), 0);
    free(pages);
}

TEST("There is room for sixteen coordinators")
{
    static const char anything;

    for (int i = 0; i < 16; i++)
        assert_int_equal(frazil_options_coordinator(options, (const void *)&anything, &why), FRAZIL_OK);
    refused(frazil_options_coordinator(options, (const void *)&anything, &why), FRAZIL_EINVAL, "no room for another");
}

TEST("Options can be used again, and for a snapshot without saying its layout")
{
    static const char snapshot[] = "{\"partition\":[0,7]}, and what follows";
    const size_t len = strlen("{\"partition\":[0,7]}");
    frazil *gen;

    set("worker", "fixed:1");
    set("state", "memory");
    set("host_dir", getenv("FRAZIL_HOST_DIR")); /* which these options do not read */
    for (int i = 0; i < 2; i++) {
        if (frazil_open_with(&gen, options, &why) != FRAZIL_OK)
            fail_msg("%s", why.message);
        frazil_close(gen);
    }
    set("worker", NULL);
    assert_int_equal(frazil_options_snapshot(options, snapshot, len, &why), FRAZIL_OK);
    refused(frazil_options_snapshot(options, snapshot, len + 1, &why), FRAZIL_EPARSE, "the end of the text");
    assert_int_equal(why.position, (int64_t)len);
    assert_int_equal(frazil_open_with(&gen, options, &why), FRAZIL_OK);
    frazil_info info;
    frazil_get_info(gen, &info, sizeof info);
    assert_int_equal(layout_of(gen)->kind, FRAZIL_LAYOUT_SNO);
    assert_int_equal(info.worker, 7);
    frazil_close(gen);
    assert_int_equal(frazil_options_snapshot(options, NULL, 0, &why), FRAZIL_OK);
    refused(frazil_options_check(options, &why), FRAZIL_ENOWORKER, "no worker id is given");
}

/* ---- the text ---------------------------------------------------------------------------------- */

TEST("Specs that mean the same have one text, and specs that do not have two")
{
    static const char *const same[][2] = {
        {"worker=fixed:1", "layout=frazil worker=fixed:1"},
        {"worker=fixed:1", "keeper=thread  worker='fixed:1'"},
        {"worker=fixed:1 max_wait=2s", "worker=fixed:1"},
        {"worker=fixed:1 open_wait=10s", "worker=fixed:1"},
        {"worker=fixed:1 max_wait=1000ms", "max_wait=1s worker=fixed:1"},
        {"worker=fixed:1 max_lead=none", "worker=fixed:1 max_lead=unlimited"},
        {"worker=fixed:1 seq_min=9 seq_max=5", "worker=fixed:1 seq_min=5 seq_max=9"},
        {"worker=fixed:1 behaviour=post", "worker=fixed:1 on_backward=wait start=zero max_lead=0"},
        {"worker=fixed:3 base=4", "worker=fixed:7"},
        {"worker=ordinal hostname=orders-7", "worker=fixed:7"},
        {"layout=flake datacenter=1 worker=fixed:3", "layout=flake worker=fixed:35"},
        {"layout=sno worker=auto", "layout=sno worker=auto state=memory"},
        {"layout=sno partition=A,10", "layout=sno worker=fixed:16650"},
        {"worker=file-lock", "worker=file-lock base=0 count=1024"},
        {"worker=redis://me:secret@h/n", "worker=redis://me:other@h/n"},
        {"worker=fixed:1 clock=frozen:2026-06-01", "worker=fixed:1 clock=frozen:1780272000000"},
        {"worker=fixed:1 allow_short_life=no", "worker=fixed:1 clock=real"},
    };
    static const char *const other[][2] = {
        {"worker=fixed:1", "worker=fixed:2"},
        {"worker=fixed:1", "worker=fixed:1 state=memory"},
        {"worker=fixed:1", "worker=fixed:1 namespace=n"},
        {"worker=fixed:1", "worker=fixed:1 run_dir=/x"},
        {"worker=fixed:1", "worker=fixed:1 state_dir=/x"},
        {"worker=fixed:1", "worker=fixed:1 keeper=hook"},
        {"worker=fixed:1", "worker=fixed:1 max_wait=1s"},
        {"worker=fixed:1", "worker=fixed:1 open_wait=1s"},
        {"worker=fixed:1", "worker=fixed:1 max_lead=2s"},
        {"worker=fixed:1", "worker=fixed:1 on_full=error"},
        {"worker=fixed:1", "worker=fixed:1 on_backward=error"},
        {"worker=fixed:1", "worker=fixed:1 start=random"},
        {"worker=fixed:1", "worker=fixed:1 seq_max=9"},
        {"worker=fixed:1", "worker=fixed:1 tick=2ms"},
        {"worker=fixed:1", "worker=fixed:1 allow_short_life=yes"},
        {"worker=fixed:1 state=memory", "worker=fixed:1 clock=frozen:0"},
        {"worker=fixed:1 state=redis://h/n start=zero", "worker=fixed:1 state=redis://h/n start=zero batch=3"},
        {"worker=redis://h/n", "worker=redis://h/m"},
        {"worker=redis://h/n", "worker=redis://h/n count=3"},
        {"worker=redis://h/n", "worker=redis://h/n on_loss=stop"},
        {"worker=redis://h/n", "worker=redis://h/n max_skew=250ms"},
        {"worker=redis://h/n", "worker=redis://h/n horizon=9s"},
        {"worker=redis://h/n", "worker=redis://h/n workers=9"},
    };

    for (size_t i = 0; i < sizeof same / sizeof same[0] + sizeof other / sizeof other[0]; i++) {
        bool equal = i < sizeof same / sizeof same[0];
        const char *const *pair = equal ? same[i] : other[i - sizeof same / sizeof same[0]];
        char first[4096];
        for (int side = 0; side < 2; side++) {
            frazil_options_close(options);
            assert_int_equal(frazil_options_open(&options, NULL), FRAZIL_OK);
            assert_int_equal(frazil_options_environment(options, FRAZIL_ENVIRONMENT_NONE, NULL), FRAZIL_OK);
            say(pair[side]);
            if (side == 0)
                snprintf(first, sizeof first, "%s", text_of(0));
        }
        if ((strcmp(first, text_of(0)) == 0) != equal)
            fail_msg("%s and %s:\n%s\n%s", pair[0], pair[1], first, text_of(0));
    }
}

TEST("Passwords are left out unless they are asked for")
{
    say("worker=redis://me:s3cret@h/n?password=t0p state=memory");
    assert_null(strstr(text_of(0), "s3cret"));
    assert_null(strstr(text_of(0), "t0p"));
    assert_non_null(strstr(text_of(FRAZIL_OPTIONS_WITH_SECRETS), "worker=redis://me:s3cret@h/n?password=t0p "));
}

TEST("A buffer that is too small is told how long the text is, and nothing is written")
{
    char text[4096];
    size_t len;

    say("worker=fixed:1");
    size_t whole = strlen(text_of(0));
    for (size_t size = 1; size <= whole; size++) {
        memcpy(text, "untouched", sizeof "untouched");
        assert_int_equal(frazil_options_text(options, 0, text, size, &len, &why), FRAZIL_EBUFFER);
        assert_int_equal(len, whole);
        assert_string_equal(text, "untouched");
    }
    assert_int_equal(frazil_options_text(options, 0, text, whole + 1, NULL, &why), FRAZIL_OK);
    assert_int_equal(strlen(text), whole);
    set("run_dir", "/a-long-one");
    assert_int_equal(frazil_options_text(options, 0, text, 0, &len, NULL), FRAZIL_EBUFFER);
    assert_true(len > whole);
}

/* ---- the text means what the options mean ----------------------------------------------------------- */

#define CHOICES 6

/* One of the choices of each row, or none of them, makes a spec; many of them are refused. */
static const char *const choices[][CHOICES] = {
    {"layout=frazil", "layout=sno", "layout=flake", "layout=js53", "layout='41/12/10 epoch=2020-01-01'",
     "layout=sonyflake"},
    {"worker=fixed:3", "worker=file-lock", "worker=auto", "worker=redis://u:p@h/n", "partition=9",
     "worker=hostname-hash expect=2 hostname=h"},
    {"behaviour=konayuki", "behaviour=sfid", "behaviour=sno", "behaviour=flake", "on_full=lead", "on_full=error"},
    {"on_backward=hold", "on_backward=wait", "on_backward=error", "on_backward=ticktock", NULL, NULL},
    {"start=zero", "start=random", "start=spread", NULL, NULL, NULL},
    {"max_lead=0", "max_lead=15ms", "max_lead=unlimited", "max_lead=3h", NULL, NULL},
    {"max_wait=0", "max_wait=15ms", "max_wait=unlimited", "max_wait=1ns", "open_wait=0", "open_wait=15ms"},
    {"seq_min=3 seq_max=100", "seq_min=0", "seq_max=17", NULL, NULL, NULL},
    {"state=file", "state=memory", "state=redis://u:p@h/n", "state=redis://h/n batch=7", NULL, NULL},
    {"base=2 count=9", "base=7", "count=3", "datacenter=1", NULL, NULL},
    {"keeper=hook", "keeper=inline", "clock=frozen:1780272000000", "allow_short_life=yes", "namespace=n", NULL},
    {"run_dir='/a b\\'c'", "state_dir=/d", "max_skew=9ms", "horizon=2s", "workers=8 on_loss=stop", "tick=3ms"},
};

static void random_spec(uint64_t *seed, char *buf, size_t size)
{
    size_t len = 0;

    buf[0] = '\0';
    for (size_t i = 0; i < sizeof choices / sizeof choices[0]; i++) {
        /* A worker nearly always, and few of the rest. */
        uint64_t dice = seeded_next(seed);
        const char *choice = choices[i][dice % CHOICES];
        if (choice != NULL && (i == 1 || (dice >> 20) % 4 == 0))
            len += (size_t)snprintf(buf + len, size - len, "%s ", choice);
    }
}

static bool decide(struct fz_decision *ret, const char *spec)
{
    const struct fz_occasion occasion = {.opening = FZ_OPENING_GENERATOR};
    struct fz_settings given = {.value = {NULL}};

    *ret = (struct fz_decision){.max_wait_ns = 0};
    frazil_err err = fz_settings_set_spec(&given, spec, strlen(spec), &why);
    if (err == FRAZIL_OK)
        err = fz_decide_given(ret, &given, FRAZIL_ENVIRONMENT_NONE, &occasion, &why);
    fz_settings_free(&given);
    return err == FRAZIL_OK;
}

static bool same_text(const char *a, const char *b)
{
    return a == NULL || b == NULL ? a == b : strcmp(a, b) == 0;
}

static bool same_rules(const struct fz_slot_rules *a, const struct fz_slot_rules *b)
{
    return a->seq_bits == b->seq_bits && a->seq_min == b->seq_min && a->capacity == b->capacity &&
           a->floor == b->floor && a->last_tick == b->last_tick && a->max_lead == b->max_lead &&
           a->on_full == b->on_full && a->on_backward == b->on_backward && a->start == b->start &&
           a->spread_bits == b->spread_bits && a->has_sides == b->has_sides;
}

/* All that a generator reads. */
static bool same_decision(const struct fz_decision *a, const struct fz_decision *b)
{
    char prints[2][FRAZIL_FINGERPRINT_SIZE];

    assert_int_equal(frazil_layout_fingerprint(&a->layout, prints[0], sizeof prints[0], NULL), FRAZIL_OK);
    assert_int_equal(frazil_layout_fingerprint(&b->layout, prints[1], sizeof prints[1], NULL), FRAZIL_OK);
    return strcmp(prints[0], prints[1]) == 0 && same_rules(&a->rules, &b->rules) &&
           fz_bounds_are_equal(&a->bounds, &b->bounds) && a->max_wait_ns == b->max_wait_ns &&
           a->open_wait_ns == b->open_wait_ns && a->allow_short_life == b->allow_short_life && a->frozen == b->frozen &&
           a->frozen_unix_ms == b->frozen_unix_ms && a->keeper == b->keeper && a->worker.first == b->worker.first &&
           a->worker.count == b->worker.count && a->worker.lock == b->worker.lock &&
           same_text(a->worker.url, b->worker.url) && a->worker.in_process == b->worker.in_process &&
           a->state.kind == b->state.kind && same_text(a->state.url, b->state.url) &&
           a->state.batch == b->state.batch && a->lease.max_skew_ms == b->lease.max_skew_ms &&
           a->lease.max_skew_is_set == b->lease.max_skew_is_set && a->lease.horizon_ms == b->lease.horizon_ms &&
           a->lease.workers == b->lease.workers && a->lease.stay == b->lease.stay &&
           strcmp(a->places.name, b->places.name) == 0 &&
           (a->state.kind != FZ_STATE_FILES ||
            (same_text(a->places.run_dir, b->places.run_dir) && same_text(a->places.state_dir, b->places.state_dir)));
}

TEST("The text read again decides the same, and has itself for its text")
{
    enum { SPECS = 20000 };
    uint64_t seed = 5;
    int understood = 0;

    for (int i = 0; i < SPECS; i++) {
        char spec[1024];
        char text[4096];
        struct fz_decision first;
        struct fz_decision second;
        random_spec(&seed, spec, sizeof spec);
        if (!decide(&first, spec))
            continue;
        understood++;
        frazil_options_close(options);
        assert_int_equal(frazil_options_open(&options, NULL), FRAZIL_OK);
        assert_int_equal(frazil_options_environment(options, FRAZIL_ENVIRONMENT_NONE, NULL), FRAZIL_OK);
        say(spec);
        snprintf(text, sizeof text, "%s", text_of(FRAZIL_OPTIONS_WITH_SECRETS));
        if (!decide(&second, text))
            fail_msg("%s\n%s\n%s", spec, text, why.message);
        if (!same_decision(&first, &second))
            fail_msg("%s\n%s", spec, text);
        fz_decision_free(&first);
        fz_decision_free(&second);
        frazil_options_close(options);
        assert_int_equal(frazil_options_open(&options, NULL), FRAZIL_OK);
        assert_int_equal(frazil_options_environment(options, FRAZIL_ENVIRONMENT_NONE, NULL), FRAZIL_OK);
        say(text);
        assert_string_equal(text_of(FRAZIL_OPTIONS_WITH_SECRETS), text);
    }
    assert_true(understood > SPECS / 20);
}

/* ---- the environment ------------------------------------------------------------------------------------ */

static const char *decided_layout(const char *spec)
{
    static char name[64];
    struct fz_decision decision;
    const struct fz_occasion occasion = {.opening = FZ_OPENING_GENERATOR};

    if (fz_decide(&decision, spec, &occasion, &why) != FRAZIL_OK)
        fail_msg("%s: %s", spec, why.message);
    snprintf(name, sizeof name, "%s worker=%u", decision.layout.name, (unsigned)decision.worker.first);
    fz_decision_free(&decision);
    return name;
}

TEST("The program decides what ids look like: the environment does only for an empty spec")
{
    setenv("FRAZIL_LAYOUT", "twitter", 1);
    setenv("FRAZIL_WORKER", "fixed:5", 1);
    assert_string_equal(decided_layout(NULL), "twitter worker=5");
    assert_string_equal(decided_layout(""), "twitter worker=5");
    assert_string_equal(decided_layout("  "), "twitter worker=5");
    assert_string_equal(decided_layout("max_wait=1s"), "frazil worker=5");
    assert_string_equal(decided_layout("worker=fixed:6"), "frazil worker=6");
    assert_int_equal(frazil_options_environment(options, FRAZIL_ENVIRONMENT_ALL, &why), FRAZIL_OK);
    set("worker", "fixed:6");
    assert_non_null(strstr(text_of(0), "layout=twitter "));
    assert_int_equal(frazil_options_environment(options, FRAZIL_ENVIRONMENT_BY_KEY, &why), FRAZIL_OK);
    assert_non_null(strstr(text_of(0), "layout=frazil "));
    set("worker", NULL);
    assert_non_null(strstr(text_of(0), "layout=twitter "));
    assert_int_equal(frazil_options_environment(options, FRAZIL_ENVIRONMENT_NONE, &why), FRAZIL_OK);
    assert_int_equal(frazil_options_check(options, &why), FRAZIL_ENOWORKER);
    unsetenv("FRAZIL_LAYOUT");
    unsetenv("FRAZIL_WORKER");
}

enum { KEYS_SIZE = 256 };

static void note_key(void *ctx, const char *key, const char *where)
{
    (void)where;
    char *keys = ctx;
    size_t len = strlen(keys);

    snprintf(keys + len, KEYS_SIZE - len, "%s ", key);
}

TEST("Variables that are passed over are known to the doctor; those that the spec decides are not such")
{
    char keys[KEYS_SIZE] = "";
    struct fz_decision decision;
    const struct fz_occasion occasion = {.opening = FZ_OPENING_GENERATOR};

    setenv("FRAZIL_EPOCH", "2020-01-01", 1);
    setenv("FRAZIL_MAX_WAIT", "1s", 1);
    setenv("FRAZIL_NAMESPACE", "n", 1);
    assert_int_equal(fz_decide(&decision, "worker=fixed:1 max_wait=2s", &occasion, &why), FRAZIL_OK);
    fz_decision_idle_keys(&decision, note_key, keys);
    assert_string_equal(keys, "epoch ");
    fz_decision_free(&decision);
    unsetenv("FRAZIL_EPOCH");
    unsetenv("FRAZIL_MAX_WAIT");
    unsetenv("FRAZIL_NAMESPACE");
}
