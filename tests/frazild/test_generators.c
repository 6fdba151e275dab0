/* SPDX-License-Identifier: MIT */
/*
 * Goal of this test: the daemon's generators are opened in full or the daemon learns why not, and a reload compares
 * them with those of before, each spec to its end.  A start that is given up keeps no worker id.
 */
#include "clock.h"
#include "failing_memory.h"
#include "generators.h"
#include "lib/patience.h"
#include "lib/scratch.h"
#include "lib/test.h"
#include "opening.h"

#include <limits.h>
#include <pthread.h>
#include <semaphore.h>
#include <sys/stat.h>

#define MAIN "[daemon]\n[listen resp]\naddress=127.0.0.1:0\n[generator main]\nworker=fixed:1\nstate=memory\nkeys=a:*\n"
#define OLD "[generator old]\nworker=fixed:2\nstate=memory\nkeys=b:* c:*\n"
#define NEW "[generator new]\nworker=fixed:3\nstate=memory\n"
#define OLD_BY_ANOTHER_NAME "[generator new]\nworker=fixed:2\nstate=memory\nnamespace=apart\n"

static unsigned opens_left = UINT_MAX; /* then the next one waits for an answer */
static sem_t asked, answers;
static atomic_uint opened, closed;
static bool compares = true; /* else nothing can be added to a group */

#pragma GCC visibility push(default)
frazil_err __real_frazil_admin_group_add(frazil_admin_group *group, const char *name, const char *spec,
                                         uint32_t worker_ids, frazil_error *reterr);
frazil_err __wrap_frazil_admin_group_add(frazil_admin_group *group, const char *name, const char *spec,
                                         uint32_t worker_ids, frazil_error *reterr);
frazil_err __real_frazil_open_with(frazil **ret, const frazil_options *options, frazil_error *reterr);
frazil_err __wrap_frazil_open_with(frazil **ret, const frazil_options *options, frazil_error *reterr);
frazil_err __real_frazil_close_within(frazil *gen, uint64_t wait_ns);
frazil_err __wrap_frazil_close_within(frazil *gen, uint64_t wait_ns);
#pragma GCC visibility pop

frazil_err __wrap_frazil_open_with(frazil **ret, const frazil_options *options, frazil_error *reterr)
{
    if (opens_left-- == 0) {
        (void)sem_post(&asked);
        (void)sem_wait(&answers);
    }
    frazil_err err = __real_frazil_open_with(ret, options, reterr);
    if (err == FRAZIL_OK)
        (void)atomic_fetch_add(&opened, 1);
    return err;
}

frazil_err __wrap_frazil_close_within(frazil *gen, uint64_t wait_ns)
{
    frazil_err err = __real_frazil_close_within(gen, wait_ns);

    (void)atomic_fetch_add(&closed, 1);
    return err;
}

frazil_err __wrap_frazil_admin_group_add(frazil_admin_group *group, const char *name, const char *spec,
                                         uint32_t worker_ids, frazil_error *reterr)
{
    if (compares)
        return __real_frazil_admin_group_add(group, name, spec, worker_ids, reterr);
    (void)snprintf(reterr->message, sizeof reterr->message, "out of memory");
    return FRAZIL_ENOMEM;
}

EACH_IN_SCRATCH

/* A configuration and its generators. */
struct side {
    struct settings settings;
    struct generators set;
    struct bytes errors;
};

static void expect_no_errors(const struct side *side)
{
    if (!config_is_good(&side->errors))
        fail_msg("%.*s", (int)side->errors.len, side->errors.at);
}

static void read_side(struct side *side, const char *config)
{
    const char *path = scratch_path(scratch, "f.conf");

    *side = (struct side){.set = {0}};
    scratch_write(path, config, strlen(config));
    settings_read(&side->settings, path, &side->errors);
    expect_no_errors(side);
}

/* words: a part of the expected error; NULL: no error is expected. */
static void close_side(struct side *side, const char *words)
{
    bytes_add(&side->errors, "", 1);
    if (words == NULL ? side->errors.at[0] != '\0' : strstr(side->errors.at, words) == NULL)
        fail_msg("%s", side->errors.at);
    generators_close(&side->set, NS_PER_S);
    bytes_free(&side->errors);
    settings_free(&side->settings);
}

/* Reads a configuration, and opens its generators over those of before. */
static void expect(const char *config, const struct side *before, const char *words)
{
    struct opening opening = {0};
    struct side side;

    read_side(&side, config);
    opening_generators(&opening, &side.set, &side.settings, &before->set, &side.errors);
    close_side(&side, words);
}

/* The same where specs that were read cannot be compared any more. */
static void expect_uncompared(const char *config, const struct side *before, const char *words)
{
    struct opening opening = {0};
    struct side side;

    read_side(&side, config);
    compares = false;
    opening_generators(&opening, &side.set, &side.settings, &before->set, &side.errors);
    compares = true;
    close_side(&side, words);
}

static void open_first(struct side *side, const char *config)
{
    struct opening opening = {0};

    read_side(side, config);
    opening_generators(&opening, &side->set, &side->settings, NULL, &side->errors);
    expect_no_errors(side);
}

static void expect_served(const struct generators *set)
{
    assert_int_equal(set->count, 2);
    assert_string_equal(generators_by_key(set, slice_of("a:1"))->name, "main");
    assert_string_equal(generators_by_key(set, slice_of("c:1"))->name, "old");
    assert_null(generators_by_key(set, slice_of("d:1")));
}

TEST("Whichever memory is missing, each generator is open with its keys, or the daemon learns that it is not")
{
    struct side side;
    bool has_failed = true;

    read_side(&side, MAIN OLD);
    for (unsigned at = 1; has_failed; at++) {
        struct opening opening = {0};
        memory_fails_at(at);
        opening_generators(&opening, &side.set, &side.settings, NULL, &side.errors);
        has_failed = memory_calls() >= at;
        memory_fails_at(0);
        if (config_is_good(&side.errors))
            expect_served(&side.set);
        assert_int_equal(config_is_good(&side.errors), !has_failed);
        generators_close(&side.set, NS_PER_S);
        bytes_free(&side.errors);
    }
    close_side(&side, "");
}

TEST("A generator that goes and cannot be compared keeps back what is new, and nothing else")
{
    struct side before;

    open_first(&before, MAIN OLD);
    expect_uncompared(MAIN, &before, NULL);
    expect_uncompared(MAIN OLD NEW, &before, NULL);
    expect_uncompared(MAIN NEW, &before, "[generator old]: out of memory\n");
    expect(MAIN NEW, &before, NULL);
    expect(MAIN OLD_BY_ANOTHER_NAME, &before, "[generator new]: it can make the same ids as [generator old]");
    close_side(&before, NULL);
}

/*
 * A generator whose spec is longer than any buffer of 4,096 characters, as a path's quotes take two each in it.  Its
 * directory of claims comes last, with this end; it must be there, the others are made.
 */
static const char *long_section(const char *rest, const char *end)
{
    static const char *const keys[] = {"run_dir", "state_dir", "host_dir"};
    static char text[8192];
    size_t len = (size_t)snprintf(text, sizeof text, MAIN "[generator long]\nstate=file\n%s", rest);

    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        len += (size_t)snprintf(text + len, sizeof text - len, "%s='%s/host", keys[i], scratch);
        for (unsigned k = 0; k < 800; k++)
            len += (size_t)snprintf(text + len, sizeof text - len, k % 200 == 0 ? "/" : "\\'");
        len += (size_t)snprintf(text + len, sizeof text - len, "%s'\n", i == 2 ? end : "");
    }
    return text;
}

static void make_long_host(void)
{
    char path[1024];
    size_t len = (size_t)snprintf(path, sizeof path, "%s", scratch_host(scratch));

    for (unsigned k = 0; k < 800; k += 200) {
        path[len++] = '/';
        memset(path + len, '\'', 199);
        path[len += 199] = '\0';
        assert_int_equal(mkdir(path, 0700), 0);
        assert_int_equal(chmod(path, 01777), 0);
    }
}

TEST("Specs are compared to their ends, however long they are")
{
    static const char changed[] = "[generator long]: its layout, worker or another key of its spec changed";
    struct side before;

    make_long_host();
    open_first(&before, long_section("worker=fixed:2\n", ""));
    assert_int_equal(before.set.count, 2);
    assert_true(strlen(before.set.rows[0].engine->meaning.text) > 4096);
    expect(long_section("worker=fixed:3\n", ""), &before, changed);
    expect(long_section("worker=fixed:2\n", "x"), &before, changed);
    expect(long_section("worker=fixed:2\nmax_wait=3s\n", ""), &before, changed);
    expect(long_section("worker=fixed:2\nmax_batch=5\n", ""), &before, NULL);
    close_side(&before, NULL);
}

struct start {
    struct side side;
    struct opening opening;
};

static void *open_start(void *arg)
{
    struct start *start = arg;

    opening_generators(&start->opening, &start->side.set, &start->side.settings, NULL, &start->side.errors);
    return NULL;
}

/* Has another thread open the generators; it waits for an answer after so many. */
static void begin(struct start *start, const char *config, unsigned opens)
{
    pthread_t thread;

    read_side(&start->side, config);
    opens_left = opens;
    assert_int_equal(sem_init(&asked, 0, 0), 0);
    assert_int_equal(sem_init(&answers, 0, 0), 0);
    assert_int_equal(pthread_create(&thread, NULL, open_start, start), 0);
    assert_int_equal(pthread_detach(thread), 0);
    assert_int_equal(sem_wait(&asked), 0);
    opens_left = UINT_MAX;
}

/* MAIN, and a generator of three worker ids; of the three, so many are wanted. */
static const char *several(unsigned wanted)
{
    static char text[4096];

    (void)snprintf(text, sizeof text,
                   MAIN "[generator several]\nworker=file-lock\nbase=5\ncount=3\nworker_ids=%u\nstate=file\n"
                        "run_dir='%s/run'\nstate_dir='%s/state'\n",
                   wanted, scratch, scratch);
    return text;
}

static bool can_open(const char *config)
{
    struct opening opening = {0};
    struct side side;

    read_side(&side, config);
    opening_generators(&opening, &side.set, &side.settings, NULL, &side.errors);
    const bool good = config_is_good(&side.errors);
    close_side(&side, good ? NULL : "");
    return good;
}

TEST("A start that is given up while it waits has no worker id, neither one that comes too late")
{
    static struct start start; /* its thread never ends */

    begin(&start, several(3), 3);
    assert_false(can_open(several(2)));
    assert_true(opening_give_up(&start.opening, NS_PER_S));
    assert_true(can_open(several(3)));
    assert_int_equal(atomic_load(&opened), atomic_load(&closed));
    const unsigned before = atomic_load(&opened);
    assert_int_equal(sem_post(&answers), 0);
    AWAIT(atomic_load(&closed) == before + 1, "the worker id that came too late was not given back");
}
