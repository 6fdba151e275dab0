/* SPDX-License-Identifier: MIT */
/*
 * Goal of this test: two copies of the library in one process, as a wheel's and the system's are, know nothing of each
 * other, and yet give no id twice, as they share words by their files.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include "frazil.h"
#include "lib/idset.h"
#include "lib/scratch.h"
#include "lib/test.h"

EACH_IN_SCRATCH

enum { IDS = 20000, COPIES = 2 };

/* The functions of a copy that the tests use. */
struct copy {
    frazil_err (*open)(frazil **ret, const char *spec, frazil_error *reterr);
    frazil_err (*next)(frazil *gen, uint64_t *ret_id);
    void (*get_info)(frazil *gen, frazil_info *ret, size_t size);
    void (*close)(frazil *gen);
    frazil *gen;
};

static struct copy copies[COPIES];

static void *symbol(void *library, const char *name)
{
    void *address = dlsym(library, name);

    if (address == NULL)
        fail_msg("%s", dlerror());
    return address;
}

/* dlsym returns a pointer to data, which POSIX lets stand for a function. */
#define FIND(library, copy, name)                                                                                      \
    do {                                                                                                               \
        void *address = symbol(library, "frazil_" #name);                                                              \
        memcpy(&(copy)->name, &address, sizeof address);                                                               \
    } while (0)

/* A second name of one file would be the same library. */
static void load(struct copy *ret, const char *name)
{
    static char bytes[32 << 20];
    const char *path = scratch_path(scratch, name);

    scratch_write(path, bytes, scratch_read(FRAZIL_SHARED_LIBRARY, bytes, sizeof bytes));
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (library == NULL)
        fail_msg("%s", dlerror());
    FIND(library, ret, open);
    FIND(library, ret, next);
    FIND(library, ret, get_info);
    FIND(library, ret, close);
}

static void open_both(const char *keys)
{
    char spec[600];

    snprintf(spec, sizeof spec, "%s state=file run_dir='%s' state_dir='%s'", keys, scratch_path(scratch, "run"),
             scratch_path(scratch, "state"));
    load(&copies[0], "of-a-wheel.so");
    load(&copies[1], "of-the-system.so");
    assert_ptr_not_equal(copies[0].next, copies[1].next);
    for (size_t i = 0; i < COPIES; i++) {
        frazil_error why = {.message = ""};
        if (copies[i].open(&copies[i].gen, spec, &why) != FRAZIL_OK)
            fail_msg("%s", why.message);
    }
}

static void close_both(void)
{
    for (size_t i = 0; i < COPIES; i++)
        copies[i].close(copies[i].gen);
}

/* One for each thread: those of the parent, and of the child. */
struct taker {
    struct copy *copy;
    struct idset *ids;
};

static void *take_all(void *ctx)
{
    struct taker *taker = ctx;

    for (size_t i = 0; i < IDS; i++) {
        uint64_t id;
        assert_int_equal(taker->copy->next(taker->copy->gen, &id), FRAZIL_OK);
        idset_add(taker->ids, id);
    }
    return NULL;
}

/* A thread takes from each copy. */
static void take_from_both(struct idset *sets)
{
    pthread_t threads[COPIES];
    struct taker takers[COPIES];

    for (size_t i = 0; i < COPIES; i++) {
        takers[i] = (struct taker){&copies[i], &sets[i]};
        assert_int_equal(pthread_create(&threads[i], NULL, take_all, &takers[i]), 0);
    }
    for (size_t i = 0; i < COPIES; i++)
        pthread_join(threads[i], NULL);
}

TEST("One sequence: what either gives is larger than what both gave before")
{
    uint64_t last = 0;

    open_both("worker=fixed:7");
    for (size_t i = 0; i < IDS; i++) {
        uint64_t id;
        struct copy *copy = &copies[i % 3 % COPIES];
        assert_int_equal(copy->next(copy->gen, &id), FRAZIL_OK);
        assert_true(id > last);
        last = id;
    }
    close_both();
}

TEST("Threads of both copies, in a process and in its child, and after one copy was closed: no id twice")
{
    struct idset *sets = idsets_open(2 * COPIES, 2 * IDS);
    int status;

    open_both("worker=fixed:7");
    pid_t child = fork();
    assert_true(child >= 0);
    take_from_both(child == 0 ? sets : sets + COPIES);
    if (child == 0)
        _exit(0);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    copies[0].close(copies[0].gen);
    struct taker last = {&copies[1], &sets[COPIES + 1]};
    (void)take_all(&last);
    copies[1].close(copies[1].gen);
    assert_int_equal(idsets_count(sets, 2 * COPIES), 5 * IDS);
    idsets_assert_unique_and_increasing(sets, 2 * COPIES);
    idsets_close(sets, 2 * COPIES);
}

TEST("A number that one copy holds by file-lock, the other does not get")
{
    frazil_info info[COPIES];

    open_both("worker=file-lock");
    for (size_t i = 0; i < COPIES; i++)
        copies[i].get_info(copies[i].gen, &info[i], sizeof info[i]);
    assert_int_not_equal(info[0].worker, info[1].worker);
    close_both();
}
