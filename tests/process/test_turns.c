/* SPDX-License-Identifier: MIT */
/*
 * Goal of this test: programs with two run directories take quick turns on one worker id, several of each at a time,
 * and each one that gets the number has its id at once.
 */
#include <poll.h>
#include <pthread.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "frazil.h"
#include "lib/bound.h"
#include "lib/scratch.h"
#include "lib/test.h"
#include "os/word_file.h"
#include "state/store.h"

enum { PLACES = 2, AT_ONCE = 2, TURNS = 15 };

EACH_IN_SCRATCH

static void write_spec(char spec[1024], size_t place)
{
    const char *host = scratch_path(scratch, "host");

    (void)mkdir(host, 0700);
    snprintf(spec, 1024, "worker=fixed:7 state=file run_dir=%s/run-%zu state_dir=%s/state-%zu host_dir=%s", scratch,
             place, scratch, place, host);
}

/* One that works in a place, as `frazil next` in a loop. */
struct turns {
    pthread_t thread;
    char spec[1024];
    uint64_t ids[TURNS];
    frazil_error why;
};

static void *take_turns(void *arg)
{
    struct turns *turns = arg;
    frazil *gen;

    for (size_t i = 0; i < TURNS; i++) {
        do
            turns->why.code = frazil_open(&gen, turns->spec, &turns->why);
        while (turns->why.code == FRAZIL_EWORKER);
        if (turns->why.code == FRAZIL_OK)
            turns->why.code = frazil_take(gen, &turns->ids[i], 1, FRAZIL_WAIT_DEFAULT, &turns->why);
        if (turns->why.code != FRAZIL_OK)
            return NULL;
        frazil_close(gen);
    }
    return NULL;
}

TEST("Two that take turns on a number do not push each other into the future, also where each is several")
{
    static struct turns turns[PLACES * AT_ONCE];
    uint64_t ids[PLACES * AT_ONCE * TURNS];

    for (size_t i = 0; i < PLACES * AT_ONCE; i++) {
        write_spec(turns[i].spec, i % PLACES);
        assert_int_equal(pthread_create(&turns[i].thread, NULL, take_turns, &turns[i]), 0);
    }
    for (size_t i = 0; i < PLACES * AT_ONCE; i++) {
        assert_int_equal(pthread_join(turns[i].thread, NULL), 0);
        if (turns[i].why.code != FRAZIL_OK)
            fail_msg("%s", turns[i].why.message);
        memcpy(ids + i * TURNS, turns[i].ids, sizeof turns[i].ids);
    }
    for (size_t i = 0; i < PLACES * AT_ONCE * TURNS; i++) {
        for (size_t k = 0; k < i; k++)
            assert_true(ids[i] != ids[k]);
    }
}

/* Whether somebody has the word of the place. */
static bool is_word_in_use(size_t place)
{
    struct fz_word_file_status status;
    frazil_layout layout;
    char value[FRAZIL_FINGERPRINT_SIZE];
    char path[1024];

    assert_int_equal(frazil_layout_parse("frazil", strlen("frazil"), &layout, NULL), FRAZIL_OK);
    assert_int_equal(frazil_layout_fingerprint(&layout, value, sizeof value, NULL), FRAZIL_OK);
    snprintf(path, sizeof path, "%s/run-%zu/default/worker-7.word", scratch, place);
    const struct fz_word_identity identity = {
        .fingerprint = value, .worker = 7, .bounds = {.min = 0, .max = 4095, .top = 4095}};
    assert_int_equal(fz_word_file_inspect(&status, path, &identity, 1, NULL), FRAZIL_OK);
    assert_true(status.exists);
    return status.in_use;
}

TEST("A program that waits for a number has no word open meanwhile: its owner must see that it is the last one")
{
    char specs[PLACES][1024];
    frazil *gen;
    int status;

    for (size_t i = 0; i < PLACES; i++) {
        write_spec(specs[i], i);
        snprintf(strchr(specs[i], '\0'), 32, " namespace=default");
    }
    assert_int_equal(frazil_open(&gen, specs[0], NULL), FRAZIL_OK);
    frazil_close(gen);
    assert_int_equal(frazil_open(&gen, specs[1], NULL), FRAZIL_OK);
    pid_t pid = bound_fork();
    if (pid == 0) {
        frazil *other;
        _exit(frazil_open(&other, specs[0], NULL) == FRAZIL_EWORKER ? 0 : 1);
    }
    while (waitpid(pid, &status, WNOHANG) == 0)
        assert_false(is_word_in_use(0));
    assert_int_equal(status, 0);
    frazil_close(gen);
}

static frazil_err open_with_state(frazil **ret, const char *state, frazil_error *reterr)
{
    char spec[1024];
    const char *host = scratch_path(scratch, "host");

    (void)mkdir(host, 0700);
    snprintf(spec, sizeof spec, "worker=fixed:7 state=file run_dir=%s/run state_dir=%s/%s host_dir=%s", scratch,
             scratch, state, host);
    return frazil_open(ret, spec, reterr);
}

TEST("A second state directory for one run directory is refused while the first one is in use, with both names")
{
    frazil_error why;
    frazil *gens[3];

    assert_int_equal(open_with_state(&gens[0], "first", &why), FRAZIL_OK);
    assert_int_equal(open_with_state(&gens[1], "second", &why), FRAZIL_EWORKER);
    assert_non_null(strstr(why.message, "/first/"));
    assert_non_null(strstr(why.message, "/second/"));
    /* Another name of the first one is no second one. */
    assert_int_equal(symlink("first", scratch_path(scratch, "link")), 0);
    assert_int_equal(open_with_state(&gens[1], "link", &why), FRAZIL_OK);
    frazil_close(gens[0]);
    assert_int_equal(open_with_state(&gens[2], "second", &why), FRAZIL_EWORKER);
    frazil_close(gens[1]);
    assert_int_equal(open_with_state(&gens[2], "second", &why), FRAZIL_OK);
    frazil_close(gens[2]);
}

TEST("A state directory that was removed and made anew is the same one as soon as its generator has written to it")
{
    frazil_error why;
    frazil *gen;
    frazil *other;

    assert_int_equal(open_with_state(&gen, "state", &why), FRAZIL_OK);
    assert_int_equal(rename(scratch_path(scratch, "state"), scratch_path(scratch, "removed")), 0);
    while ((why.code = open_with_state(&other, "state", &why)) == FRAZIL_EWORKER)
        (void)poll(NULL, 0, 10);
    if (why.code != FRAZIL_OK)
        fail_msg("%s", why.message);
    frazil_close(other);
    frazil_close(gen);
}
