/* SPDX-License-Identifier: MIT */
/*
 * Goal of this test: `frazil state init` makes anew what one run directory keeps for itself, and takes nothing from
 * what others on the host are told.  No second run or state directory repeats ids that were made ahead of the clock.
 */
#include <fcntl.h>
#include <glob.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "frazil.h"
#include "lib/ports.h"
#include "lib/scratch.h"
#include "lib/state_repair.h"
#include "lib/test.h"
#include "os/claim_page.h"

enum { IDS = 100, AHEAD_MS = 120000, LATER_MS = 10000, BACK_MS = 3000 };

static const char *scratch;
static const char *host;
static frazil_manual_clock *clock_of_test;
static int64_t now_ms;
static const char *state; /* the name of the state directory; NULL: that of the run directory */

BEFORE_EACH
{
    scratch = scratch_make();
    host = scratch_host(scratch);
    unsetenv("FRAZIL_STATE");
    state = NULL;
    now_ms = (int64_t)time(NULL) * 1000;
    assert_int_equal(frazil_manual_clock_open(&clock_of_test, now_ms, 0, NULL), FRAZIL_OK);
}

AFTER_EACH
{
    frazil_manual_clock_close(clock_of_test);
    scratch_remove(scratch);
}

static const char *spec_of(const char *name)
{
    static char spec[2048];

    snprintf(spec, sizeof spec,
             "worker=fixed:7 namespace=n state=file start=zero max_wait=1s run_dir=%s/%s-run state_dir=%s/%s-state "
             "host_dir=%s",
             scratch, name, scratch, state == NULL ? name : state, host);
    return spec;
}

static frazil_err try_open(frazil **ret, const char *name, frazil_error *reterr)
{
    const frazil_clock port = port_of(clock_of_test);
    const struct ports ports = {.clock = &port};

    return ports_open(ret, spec_of(name), &ports, reterr);
}

/* Takes ids with a run directory of that name, and returns the last one. */
static uint64_t take_from(const char *name)
{
    uint64_t ids[IDS] = {0};
    frazil_error why;
    frazil *gen;

    if (try_open(&gen, name, &why) != FRAZIL_OK || frazil_take(gen, ids, IDS, FRAZIL_WAIT_DEFAULT, &why) != FRAZIL_OK)
        fail_msg("%s", why.message);
    frazil_close(gen);
    return ids[IDS - 1];
}

static void assert_refused(const char *name)
{
    frazil_error why;
    frazil *gen;

    assert_int_equal(try_open(&gen, name, &why), FRAZIL_EWORKER);
    assert_non_null(strstr(why.message, "has used it on this host up to"));
}

/* No id comes until the clock is above that one. */
static void assert_begins_above(const char *name, uint64_t last)
{
    frazil_error why;
    frazil *gen;
    uint64_t id;

    assert_int_equal(try_open(&gen, name, &why), FRAZIL_OK);
    assert_int_equal(frazil_next(gen, &id), FRAZIL_ECLOCK);
    frazil_close(gen);
    frazil_manual_clock_set(clock_of_test, now_ms + AHEAD_MS);
    assert_true(take_from(name) > last);
}

static unsigned made;

static void count_made(void *ctx, const frazil_admin_kept *kept)
{
    (void)ctx;
    (void)kept;
    made++;
}

static void make_anew(const char *name, bool all)
{
    made = 0;
    frazil_error why = {.message = ""};
    if (state_repair(spec_of(name), all, count_made, NULL, &why) != FRAZIL_OK)
        fail_msg("%s", why.message);
    assert_int_equal(made, 1);
}

/* Ids of a clock that was ahead and has been put right.  The last one of them. */
static uint64_t take_ahead(const char *name)
{
    frazil_manual_clock_set(clock_of_test, now_ms + AHEAD_MS);
    uint64_t last = take_from(name);
    frazil_manual_clock_set(clock_of_test, now_ms);
    return last;
}

TEST("Files that are made anew let their own run directory go on below ids of a clock that was ahead, and nobody else")
{
    uint64_t ahead = take_ahead("first");

    assert_refused("second");
    make_anew("first", true);
    assert_refused("second");
    frazil_manual_clock_set(clock_of_test, now_ms + LATER_MS);
    assert_true(take_from("first") < ahead);
    assert_refused("second");
    make_anew("first", true);
    assert_refused("second");
    frazil_manual_clock_set(clock_of_test, now_ms + AHEAD_MS);
    assert_true(take_from("second") - (IDS - 1) > ahead);
    assert_true(take_from("first") - (IDS - 1) > ahead);
}

TEST("Where the grant is lost with what it said, its own run directory keeps clear of what was claimed, too, however "
     "often the grant is made anew")
{
    uint64_t ahead = take_ahead("first");

    scratch_write(scratch_path(scratch, "first-state/n/worker-7.grant"), "", 0);
    assert_int_equal(state_repair(spec_of("first"), false, count_made, NULL, NULL), FRAZIL_EWORKER);
    assert_refused("second");
    frazil_manual_clock_set(clock_of_test, now_ms + LATER_MS);
    for (int i = 0; i < 2; i++) {
        assert_refused("first");
        assert_int_equal(state_repair(spec_of("first"), true, count_made, NULL, NULL), FRAZIL_EWORKER);
    }
    frazil_manual_clock_set(clock_of_test, now_ms + AHEAD_MS);
    assert_true(take_from("first") - (IDS - 1) > ahead);
}

/* Does what the sentence says: removes the claim that it names, and makes the files anew if it says so. */
static void follow(const char *sentence, const char *name)
{
    char path[1024];
    const char *begin = strstr(sentence, host);

    if (begin == NULL) {
        fail_msg("%s", sentence);
        return;
    }
    snprintf(path, sizeof path, "%.*s", (int)strcspn(begin, "'"), begin);
    assert_int_equal(unlink(path), 0);
    if (strstr(sentence, "run `frazil state init --all` with") != NULL)
        make_anew(name, true);
}

TEST("Where the grant is lost, the first sentence says how ids come: without the claim, and with files made anew")
{
    frazil_error why;
    uint64_t id = 0;
    frazil *gen;

    take_ahead("first");
    assert_int_equal(unlink(scratch_path(scratch, "first-state/n/worker-7.grant")), 0);
    assert_int_equal(try_open(&gen, "first", &why), FRAZIL_OK);
    assert_int_equal(frazil_take(gen, &id, 1, FRAZIL_WAIT_DEFAULT, &why), FRAZIL_ECLOCK);
    frazil_close(gen);
    follow(why.message, "first");
    frazil_manual_clock_set(clock_of_test, now_ms + LATER_MS);
    take_from("first");
}

TEST("A sentence that is too long for the path of the claim still says what to run")
{
    enum { DEPTH = 5, NAME = 120 };
    static char path[1024];
    frazil_error why;
    uint64_t id = 0;
    frazil *gen;

    size_t len = (size_t)snprintf(path, sizeof path, "%s", host);
    for (int i = 0; i < DEPTH; i++) {
        len += (size_t)snprintf(path + len, sizeof path - len, "/%0*d", NAME, i);
        assert_int_equal(mkdir(path, 0700), 0);
    }
    assert_int_equal(chmod(path, 01777), 0);
    host = path;
    take_ahead("first");
    assert_int_equal(unlink(scratch_path(scratch, "first-state/n/worker-7.grant")), 0);
    if (try_open(&gen, "first", &why) != FRAZIL_OK)
        fail_msg("%s", why.message);
    assert_int_equal(frazil_take(gen, &id, 1, FRAZIL_WAIT_DEFAULT, &why), FRAZIL_ECLOCK);
    frazil_close(gen);
    if (strstr(why.message, "run `frazil state init --all` with their spec after removing '") == NULL)
        fail_msg("%s", why.message);
}

TEST("So does the sentence of the one who makes the files anew first, and of an opening with a new state directory")
{
    frazil_error why;
    frazil *gen;

    take_ahead("first");
    scratch_write(scratch_path(scratch, "first-state/n/worker-7.grant"), "", 0);
    assert_int_equal(state_repair(spec_of("first"), false, count_made, NULL, &why), FRAZIL_EWORKER);
    follow(why.message, "first");
    frazil_manual_clock_set(clock_of_test, now_ms + LATER_MS);
    take_from("first");

    take_ahead("first");
    state = "other";
    assert_int_equal(try_open(&gen, "first", &why), FRAZIL_EWORKER);
    follow(why.message, "first");
    frazil_manual_clock_set(clock_of_test, now_ms + LATER_MS);
    take_from("first");
}

TEST("Where the grant is there, files made anew are enough, and the sentence asks for no more")
{
    frazil_error why;
    uint64_t id = 0;
    frazil *gen;

    take_ahead("first");
    assert_int_equal(try_open(&gen, "first", &why), FRAZIL_OK);
    assert_int_equal(frazil_take(gen, &id, 1, FRAZIL_WAIT_DEFAULT, &why), FRAZIL_ECLOCK);
    frazil_close(gen);
    assert_null(strstr(why.message, host));
    assert_non_null(strstr(why.message, "run `frazil state init --all` with their spec"));
}

/* Lets the one claim of the host say that its number was used further ahead. */
static void claim_ahead(void)
{
    struct fz_claim_page page;
    glob_t found;

    assert_int_equal(glob(scratch_path(scratch, "host/frazil-claim-*"), 0, NULL, &found), 0);
    assert_int_equal(found.gl_pathc, 1);
    int fd = open(found.gl_pathv[0], O_RDWR | O_CLOEXEC);
    assert_int_equal(fz_claim_page_read(fd, &page), 0);
    fz_claim_raise_tick(&page.end, fz_claim_tick_of(&page.end) + AHEAD_MS);
    assert_int_equal(pwrite(fd, &page, sizeof page, 0), sizeof page);
    close(fd);
    globfree(&found);
}

TEST("Ticks that the claim says since the opening are no sign that the grant was lost")
{
    frazil_error why;
    uint64_t id = 0;
    frazil *gen;

    frazil_manual_clock_set(clock_of_test, now_ms + AHEAD_MS);
    if (try_open(&gen, "first", &why) != FRAZIL_OK || frazil_take(gen, &id, 1, FRAZIL_WAIT_DEFAULT, &why) != FRAZIL_OK)
        fail_msg("%s", why.message);
    claim_ahead(); /* as a grant does that is too late to come in force */
    frazil_manual_clock_set(clock_of_test, now_ms);
    assert_int_equal(frazil_take(gen, &id, 1, FRAZIL_WAIT_DEFAULT, &why), FRAZIL_ECLOCK);
    frazil_close(gen);
    assert_null(strstr(why.message, host));
    assert_non_null(strstr(why.message, "run `frazil state init --all` with their spec"));
}

TEST("A number whose own state was in memory when the clock was ahead is refused, and the sentence is a way out")
{
    char spec[512];
    frazil_error why;
    uint64_t id = 0;
    frazil *gen;

    snprintf(spec, sizeof spec, "worker=fixed:7 namespace=n state=memory host_dir=%s", host);
    for (int i = 0; i < 2; i++) {
        if (frazil_open(&gen, spec, &why) != FRAZIL_OK ||
            frazil_take(gen, &id, 1, FRAZIL_WAIT_DEFAULT, &why) != FRAZIL_OK)
            fail_msg("%s", why.message);
        frazil_close(gen);
        claim_ahead();
        assert_int_equal(frazil_open(&gen, spec, &why), FRAZIL_EWORKER);
        follow(why.message, "first");
    }
}

TEST("A number whose own ids in memory lead the clock by more than a call waits can be opened again, and goes on above")
{
    static uint64_t ids[4 * LATER_MS]; /* two in each tick */
    char spec[512];
    frazil_error why;
    uint64_t last = 0;

    snprintf(spec, sizeof spec,
             "worker=fixed:7 namespace=n state=memory seq_max=1 on_full=lead on_backward=hold max_lead=unlimited "
             "host_dir=%s",
             host);
    for (int i = 0; i < 2; i++) {
        frazil *gen = NULL;
        if (frazil_open(&gen, spec, &why) != FRAZIL_OK ||
            frazil_take(gen, ids, sizeof ids / sizeof ids[0], FRAZIL_WAIT_DEFAULT, &why) != FRAZIL_OK)
            fail_msg("%s", why.message);
        frazil_close(gen);
        assert_true(ids[0] > last);
        last = ids[sizeof ids / sizeof ids[0] - 1];
    }
}

TEST("A generator in memory that waits for what a claim says is told so, and not that a tick is full")
{
    char spec[512];
    frazil_error why;
    uint64_t id = 0;
    frazil *gen;

    (void)take_ahead("first");
    snprintf(spec, sizeof spec, "worker=fixed:7 namespace=n state=memory max_wait=1h host_dir=%s", host);
    if (frazil_open(&gen, spec, &why) != FRAZIL_OK)
        fail_msg("%s", why.message);
    assert_int_equal(frazil_take(gen, &id, 1, 0, &why), FRAZIL_EAGAIN);
    assert_non_null(strstr(why.message, "may have been issued already, by a process that was killed"));
    frazil_close(gen);
}

TEST("A state directory whose grants know nothing heeds what the same run directory has claimed with another one")
{
    take_ahead("first");
    make_anew("first", true);
    state = "other";
    assert_refused("first");
}

TEST("A state directory that was removed after its files were made anew heeds what was claimed with the former one")
{
    char former[512];

    take_ahead("first");
    make_anew("first", true);
    snprintf(former, sizeof former, "%s", scratch_path(scratch, "former"));
    /* It is moved, not removed: no new folder can have its inode. */
    assert_int_equal(rename(scratch_path(scratch, "first-state"), former), 0);
    assert_refused("first");
}

TEST(
    "A second run directory keeps clear of all that a grant that is made anew gives up, also if a boot took the claims")
{
    frazil_error why;
    frazil *gen;
    uint64_t id;

    frazil_manual_clock_set(clock_of_test, now_ms + BACK_MS);
    uint64_t last = take_from("first");
    frazil_manual_clock_set(clock_of_test, now_ms);
    scratch_delete(host);
    assert_true(mkdir(host, 0700) == 0 && chmod(host, 01777) == 0);
    scratch_write(scratch_path(scratch, "first-state/n/worker-7.grant"), "", 0);
    make_anew("first", false);
    frazil_manual_clock_set(clock_of_test, now_ms + BACK_MS);
    assert_int_equal(try_open(&gen, "second", &why), FRAZIL_OK);
    assert_int_equal(frazil_next(gen, &id), FRAZIL_ECLOCK);
    frazil_close(gen);
    frazil_manual_clock_set(clock_of_test, now_ms + AHEAD_MS);
    assert_true(take_from("second") > last);
    assert_true(take_from("first") > last);
}

TEST("Ticks that were taken over from another claim are known only to grants that know each of them")
{
    frazil_manual_clock_set(clock_of_test, now_ms + BACK_MS);
    take_from("first");
    frazil_manual_clock_set(clock_of_test, now_ms + 2 * BACK_MS);
    take_from("second");
    frazil_manual_clock_set(clock_of_test, now_ms + 3 * BACK_MS);
    take_from("first");
    frazil_manual_clock_set(clock_of_test, now_ms + 4 * BACK_MS);
    uint64_t last = take_from("second");
    scratch_delete(scratch_path(scratch, "second-run"));
    frazil_manual_clock_set(clock_of_test, now_ms + BACK_MS);
    assert_begins_above("second", last);
}

TEST("Ticks that another state directory has granted are not those of the present one")
{
    frazil_manual_clock_set(clock_of_test, now_ms + BACK_MS);
    take_from("first");
    state = "other";
    frazil_manual_clock_set(clock_of_test, now_ms + 2 * BACK_MS);
    uint64_t last = take_from("first");
    scratch_delete(scratch_path(scratch, "first-run"));
    frazil_manual_clock_set(clock_of_test, now_ms + BACK_MS);
    assert_begins_above("first", last);
}

TEST("A state directory that was made anew does not answer for what the removed one has granted")
{
    char former[512];

    frazil_manual_clock_set(clock_of_test, now_ms + BACK_MS);
    take_from("first");
    /* The grants alone are removed, so that the folder is the same one. */
    snprintf(former, sizeof former, "%s", scratch_path(scratch, "first-state/n/worker-7.grant"));
    assert_int_equal(unlink(former), 0);
    frazil_manual_clock_set(clock_of_test, now_ms + 3 * BACK_MS);
    uint64_t last = take_from("first");
    scratch_delete(scratch_path(scratch, "first-run"));
    frazil_manual_clock_set(clock_of_test, now_ms + BACK_MS);
    assert_begins_above("first", last);
}

TEST("In the first tick of a layout, which may last a day, no second run directory begins where the first one did")
{
    const frazil_clock port = port_of(clock_of_test);
    const struct ports ports = {.clock = &port};
    static const char *const names[] = {"a", "b"};
    frazil *gen[2];
    char spec[2304];
    uint64_t id;

    for (size_t i = 0; i < 2; i++) {
        snprintf(spec, sizeof spec, "%s layout='20/10/12 epoch=%jd tick=86400000ms'", spec_of(names[i]),
                 (intmax_t)now_ms);
        frazil_err opened = ports_open(&gen[i], spec, &ports, NULL);
        if (i == 0)
            assert_int_equal(opened, FRAZIL_OK);
        if (opened == FRAZIL_OK) {
            assert_int_equal(frazil_next(gen[i], &id), i == 0 ? FRAZIL_OK : FRAZIL_ECLOCK);
            frazil_close(gen[i]);
        }
    }
}
