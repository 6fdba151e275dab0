/* SPDX-License-Identifier: MIT */
/*
 * Goal of this test: two processes of a host that mean one layout and one worker id give no id twice.  Each may say the
 * layout in its own way: by another name, in the environment, in a config file, or by numbers.
 */
#include <sys/wait.h>
#include <unistd.h>

#include "frazil.h"
#include "lib/callers.h"
#include "lib/idset.h"
#include "lib/scratch.h"
#include "lib/test.h"
#include "os/clock.h"

EACH_IN_SCRATCH

BEFORE_ALL
{
    scratch_prefer_memory(); /* the files of each pair are made anew */
}

enum { IDS = 40000 / INSTRUMENT_SLOWDOWN, PROCESSES = 2 };

static char places[1024];

static void name_places(void)
{
    snprintf(places, sizeof places, "state=file run_dir=%s/run state_dir=%s/state", scratch, scratch);
}

/* ---- ways to say a layout ------------------------------------------------------------------ */

/* Opens worker 7 of a layout; NULL: cannot be opened, and the reason is printed. */
typedef frazil *(*opener)(const char *layout);

static frazil *open_spec(const char *spec)
{
    frazil *gen;
    frazil_error why;

    if (frazil_open(&gen, spec, &why) == FRAZIL_OK)
        return gen;
    fprintf(stderr, "%s: %s\n", spec, why.message);
    return NULL;
}

static frazil *by_spec(const char *layout)
{
    char spec[1200];

    snprintf(spec, sizeof spec, "%s%s%s worker=fixed:7 %s", layout[0] == '\0' ? "" : "layout='", layout,
             layout[0] == '\0' ? "" : "'", places);
    return open_spec(spec);
}

/* The environment says what ids look like for a program that says nothing. */
static frazil *by_environment(const char *layout)
{
    setenv("FRAZIL_LAYOUT", layout, 1);
    setenv("FRAZIL_WORKER", "fixed:7", 1);
    setenv("FRAZIL_STATE", "file", 1);
    setenv("FRAZIL_RUN_DIR", scratch_path(scratch, "run"), 1);
    setenv("FRAZIL_STATE_DIR", scratch_path(scratch, "state"), 1);
    return open_spec("");
}

static frazil *by_config(const char *layout)
{
    char spec[1200];
    const char *path = scratch_path(scratch, "config");
    int len = snprintf(spec, sizeof spec, "layout='%s'\n", layout);

    scratch_write(path, spec, (size_t)len);
    snprintf(spec, sizeof spec, "worker=fixed:7 config=%s %s", path, places);
    setenv("FRAZIL_CONFIG", path, 1);
    return open_spec(spec);
}

static frazil *by_numbers(const char *layout)
{
    frazil_options *options;
    frazil_layout made;
    char text[FRAZIL_FINGERPRINT_SIZE];
    size_t len;
    frazil *gen = NULL;
    frazil_error why = {.message = ""};

    if (frazil_layout_parse(layout, strlen(layout), &made, &why) != FRAZIL_OK)
        return NULL;
    memset(made.name, 0, sizeof made.name);
    memcpy(made.name, "custom", sizeof "custom");
    made.datacenter_bits = 1;
    if (frazil_layout_validate(&made, &why) != FRAZIL_OK ||
        frazil_layout_fingerprint(&made, text, sizeof text, &len) != FRAZIL_OK ||
        frazil_options_open(&options, &why) != FRAZIL_OK)
        return NULL;
    char spec[1200];
    snprintf(spec, sizeof spec, "worker=fixed:7 %s", places);
    frazil_err err = frazil_options_spec(options, spec, strlen(spec), &why);
    if (err == FRAZIL_OK)
        err = frazil_options_set(options, "layout", text, len, &why);
    if (err == FRAZIL_OK)
        err = frazil_open_with(&gen, options, &why);
    frazil_options_close(options);
    if (err != FRAZIL_OK)
        fprintf(stderr, "%s by numbers: %s\n", layout, why.message);
    return err == FRAZIL_OK ? gen : NULL;
}

/* ---- two processes --------------------------------------------------------------------------- */

/* Takes ids once the other process has opened, too, so that both are at it in the same ticks.  false: an error. */
static bool take_beside(frazil *gen, struct idset *set, int tell, int hear)
{
    char byte = 0;

    if (gen == NULL || write(tell, &byte, 1) != 1 || read(hear, &byte, 1) != 1)
        return false;
    for (int i = 0; i < IDS; i++) {
        uint64_t id;
        if (frazil_next(gen, &id) != FRAZIL_OK)
            return false;
        idset_add(set, id);
    }
    frazil_close(gen);
    return true;
}

struct side {
    opener open;
    const char *layout;
};

static void assert_no_id_twice(const struct side *here, const struct side *there)
{
    struct idset *sets = idsets_open(PROCESSES, IDS);
    int there_is[2];
    int here_is[2];
    int status = -1;
    uint64_t twice;

    assert_int_equal(pipe(there_is), 0);
    assert_int_equal(pipe(here_is), 0);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        close(here_is[1]);
        close(there_is[0]);
        _exit(take_beside(there->open(there->layout), &sets[1], there_is[1], here_is[0]) ? 0 : 1);
    }
    close(here_is[0]);
    close(there_is[1]);
    bool good = take_beside(here->open(here->layout), &sets[0], here_is[1], there_is[0]);
    close(here_is[1]);
    close(there_is[0]);
    assert_int_equal(waitpid(child, &status, 0), child);
    if (!good || status != 0)
        fail_msg("%s beside %s: no ids (%d, %d)", here->layout, there->layout, good, status);
    size_t duplicates = idsets_duplicates(sets, PROCESSES, &twice);
    if (duplicates != 0)
        fail_msg("%s beside %s: %zu ids twice, as %llu", here->layout, there->layout, duplicates,
                 (unsigned long long)twice);
    idsets_close(sets, PROCESSES);
}

/* The sets are memory that both processes share; nothing of a pair stays for the next one. */
static void assert_same(const struct side pairs[][PROCESSES], size_t n)
{
    for (size_t i = 0; i < n; i++) {
        name_places();
        assert_no_id_twice(&pairs[i][0], &pairs[i][1]);
        scratch_delete(scratch_path(scratch, "run"));
        scratch_delete(scratch_path(scratch, "state"));
    }
}

TEST("Two names of one layout have one worker id on a host: no id comes twice")
{
    static const struct side pairs[][PROCESSES] = {
        {{by_spec, ""}, {by_spec, "41/10/12"}},
        {{by_spec, "frazil"}, {by_spec, "konayuki"}},
        {{by_spec, "twitter"}, {by_spec, "41/10/12 epoch=1288834974657"}},
        {{by_spec, "twitter"}, {by_spec, "41/3+7/12 epoch=2010-11-04T01:42:54.657Z tick=1ms"}},
        {{by_spec, "sonyflake"}, {by_spec, "39/8s/16w epoch=2014-09-01 tick=10ms"}},
        {{by_spec, ""}, {by_spec, "40/10/12"}},
        {{by_spec, "41/10/12 epoch=0"}, {by_spec, "42/9+1/12 epoch=1970-01-01"}},
    };

    assert_same(pairs, sizeof pairs / sizeof pairs[0]);
}

TEST("So has a layout that comes from the environment, from a config file or from numbers")
{
    static const struct side pairs[][PROCESSES] = {
        {{by_spec, "twitter"}, {by_environment, "41/10/12 epoch=1288834974657"}},
        {{by_spec, ""}, {by_environment, "konayuki"}},
        {{by_spec, "twitter"}, {by_config, "41/10/12 epoch=1288834974657"}},
        {{by_spec, "twitter"}, {by_numbers, "twitter"}},
        {{by_spec, "41/10/12"}, {by_numbers, "frazil"}},
    };

    assert_same(pairs, sizeof pairs / sizeof pairs[0]);
}

TEST("Where one of them has less time, its ids end when its time does, though the other one went on")
{
    enum { BITS = 10, HOUR_MS = 3600000, TIME_SHIFT = 22 };
    /* The shorter one's last hour has half an hour to go. */
    int64_t epoch_ms = fz_real_now().unix_ms - INT64_C(1) * HOUR_MS * ((1 << BITS) - 1) - HOUR_MS / 2;
    char keys[1200];
    char spec[1300];
    uint64_t id;

    name_places();
    snprintf(keys, sizeof keys,
             "allow_short_life=yes worker=fixed:7 seq_max=1 on_full=lead max_lead=unlimited epoch=%lld tick=1h %s",
             (long long)epoch_ms, places);
    snprintf(spec, sizeof spec, "layout=%d/10/12 %s", BITS + 1, keys);
    frazil *longer = open_spec(spec);
    snprintf(spec, sizeof spec, "layout=%d/10/12 %s", BITS, keys);
    frazil *shorter = open_spec(spec);
    if (longer == NULL || shorter == NULL) {
        fail();
        return;
    }
    assert_int_equal(frazil_next(shorter, &id), FRAZIL_OK);
    while (id >> TIME_SHIFT < UINT64_C(1) << BITS)
        assert_int_equal(frazil_next(longer, &id), FRAZIL_OK);
    assert_int_equal(frazil_next(shorter, &id), FRAZIL_EEXHAUSTED);
    frazil_close(shorter);
    shorter = open_spec(spec);
    if (shorter == NULL) {
        fail();
        return;
    }
    assert_int_equal(frazil_next(shorter, &id), FRAZIL_EEXHAUSTED);
    frazil_close(shorter);
    frazil_close(longer);
}
