/* SPDX-License-Identifier: MIT */
/*
 * Goal of this test: each register is a register, as lease/register.h says: one
 * suite for all of them.
 */
#define _GNU_SOURCE /* RTLD_NEXT */
#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "lib/bound.h"
#include "lib/register_kinds.h"
#include "lib/register_rig.h"
#include "lib/test.h"

/* ---- the clock --------------------------------------------------------------------- */

static _Atomic int64_t ahead_s;

/* That of this process, whose wall clock can be set. */
int clock_gettime(clockid_t clock, struct timespec *ret)
{
    __typeof__(&clock_gettime) real = (__typeof__(&clock_gettime))(uintptr_t)dlsym(RTLD_NEXT, "clock_gettime");
    int result = real(clock, ret);

    if (result == 0 && clock == CLOCK_REALTIME)
        ret->tv_sec += (time_t)atomic_load(&ahead_s);
    return result;
}

struct seen {
    size_t n;
    bool space;
    unsigned char workers[2048];
};

static void note(void *ctx, uint32_t number, const struct fz_record *record)
{
    struct seen *seen = ctx;

    seen->n++;
    assert_int_not_equal(record->version, 0);
    if (number == FZ_NAMESPACE) {
        assert_false(seen->space);
        seen->space = true;
    } else {
        char text[24];
        assert_true(number < sizeof seen->workers && seen->workers[number]++ == 0);
        snprintf(text, sizeof text, "worker %u", (unsigned)number);
        assert_int_equal(record->len, strlen(text));
        assert_memory_equal(record->data, text, record->len);
    }
}

enum { FOUND = 2 };

/* Of a worker id's record that is not shown: FOUND. */
static void note_found(void *ctx, uint32_t number, const struct fz_record *record)
{
    struct seen *seen = ctx;

    if (number == FZ_NAMESPACE || record->len > 0) {
        note(ctx, number, record);
        return;
    }
    seen->n++;
    assert_int_equal(record->version, 1);
    assert_true(number < sizeof seen->workers && seen->workers[number] == 0);
    seen->workers[number] = FOUND;
}

/* ---- the rules -------------------------------------------------------------------- */

TEST_OF_KINDS(for_each_kind, "A missing record has version 0, also in a list of all")
{
    struct fz_register reg = kind_open(kind, 0, 10000);
    struct seen seen = {.n = 0};

    assert_int_equal(register_must_read(&reg, 0).version, 0);
    assert_int_equal(register_must_read(&reg, FZ_NAMESPACE).version, 0);
    assert_int_equal(register_must_read(&reg, FZ_NAMESPACE - 1).version, 0);
    assert_int_equal(reg.read_all(reg.ctx, FZ_DEADLINE_NONE, note, &seen, NULL, NULL), FZ_REGISTER_OK);
    assert_int_equal(seen.n, 0);
    register_close(&reg);
}

TEST_OF_KINDS(for_each_kind, "A record that was created is read back, by others, too; and it is not created again")
{
    struct fz_register a = kind_open(kind, 0, 10000);
    struct fz_register b = kind_open(kind, 0, 10000);
    uint64_t version = register_must_swap(&a, 3, 0, "first");
    uint64_t untouched = 4711;

    register_assert_record(&b, 3, version, "first");
    assert_int_equal(register_swap(&b, 3, 0, "second", &untouched), FZ_REGISTER_CONFLICT);
    assert_int_equal(untouched, 4711);
    register_assert_record(&a, 3, version, "first");
    register_close(&a);
    register_close(&b);
}

TEST_OF_KINDS(for_each_kind, "Of two that swap what both have read, one succeeds, and its record stays")
{
    struct fz_register a = kind_open(kind, 0, 10000);
    struct fz_register b = kind_open(kind, 0, 10000);
    uint64_t first = register_must_swap(&a, 0, 0, "first");
    uint64_t second = register_must_swap(&b, 0, first, "of b");
    uint64_t untouched = 4711;

    assert_int_equal(register_swap(&a, 0, first, "of a", &untouched), FZ_REGISTER_CONFLICT);
    assert_int_equal(untouched, 4711);
    register_assert_record(&a, 0, second, "of b");
    register_close(&a);
    register_close(&b);
}

TEST_OF_KINDS(
    for_each_kind,
    "A swap needs the version of now: not an older one, nor a newer one, nor that of another record; nor the same data")
{
    struct fz_register reg = kind_open(kind, 0, 10000);
    uint64_t v1 = register_must_swap(&reg, 0, 0, "same");
    uint64_t v2 = register_must_swap(&reg, 0, v1, "same");
    uint64_t other = register_must_swap(&reg, 1, 0, "same");
    const uint64_t wrong[] = {0, 1, v1, v2 + 1, UINT64_MAX, other == v2 ? v1 : other};

    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        uint64_t version;
        assert_int_equal(register_swap(&reg, 0, wrong[i], "wrong", &version), FZ_REGISTER_CONFLICT);
    }
    assert_int_equal(register_swap(&reg, 2, v2, "wrong", &other), FZ_REGISTER_CONFLICT);
    register_assert_record(&reg, 0, v2, "same");
    register_close(&reg);
}

TEST_OF_KINDS(for_each_kind, "Each byte value, no bytes, and as many as a record may have: all come back as they were")
{
    struct fz_register reg = kind_open(kind, 0, 10000);
    char data[FZ_RECORD_SIZE_MAX];
    uint64_t version = 0;

    for (size_t i = 0; i < sizeof data; i++)
        data[i] = (char)i;
    for (size_t len = 0; len <= sizeof data; len = len == 0 ? 1 : 2 * len) {
        assert_int_equal(
            reg.swap(reg.ctx, FZ_DEADLINE_NONE, &(struct fz_swap){9, version, data, len}, &version, NULL, NULL),
            FZ_REGISTER_OK);
        struct fz_record record = register_must_read(&reg, 9);
        assert_int_equal(record.version, version);
        assert_int_equal(record.len, len);
        assert_memory_equal(record.data, data, len);
    }
    register_close(&reg);
}

TEST_OF_KINDS(for_each_kind, "read_all shows each record once, with its number")
{
    struct fz_register reg = kind_open(kind, 0, 10000);
    struct seen seen = {.n = 0};

    register_must_swap(&reg, FZ_NAMESPACE, 0, "the namespace");
    for (uint32_t worker = 0; worker < 300; worker++) {
        char text[24];
        snprintf(text, sizeof text, "worker %u", (unsigned)worker);
        register_must_swap(&reg, worker, 0, text);
    }
    assert_int_equal(reg.read_all(reg.ctx, FZ_DEADLINE_NONE, note, &seen, NULL, NULL), FZ_REGISTER_OK);
    assert_int_equal(seen.n, 301);
    assert_true(seen.space);
    register_close(&reg);
}

/* Writes the record of a worker id that has none. */
static void write_first(struct fz_register *reg, uint32_t worker)
{
    char text[24];

    snprintf(text, sizeof text, "worker %u", (unsigned)worker);
    register_must_swap(reg, worker, 0, text);
}

TEST_OF_KINDS(for_each_kind, "read_many shows those of the records listed that exist, each once, and no others")
{
    enum { LISTED = FZ_READ_MANY_MAX, LAST = 2 * (LISTED - 2) };
    static const uint32_t some[] = {0, 600, LAST};
    static const uint32_t lists[][2] = {{2, 0}, {1, 1}, {FZ_NAMESPACE, 1}}; /* a number, and how many there are */
    struct fz_register reg = kind_open(kind, 0, 10000);
    uint32_t numbers[LISTED] = {FZ_NAMESPACE};
    struct fz_register_status status;
    struct seen seen = {.n = 0};

    for (size_t i = 1; i < LISTED; i++)
        numbers[i] = LAST - 2 * ((uint32_t)i - 1); /* the even ones, the last of them first */
    assert_int_equal(reg.read_many(reg.ctx, FZ_DEADLINE_NONE, numbers, LISTED, LISTED, note, &seen, NULL, NULL),
                     FZ_REGISTER_OK);
    assert_int_equal(seen.n, 0);
    register_must_swap(&reg, FZ_NAMESPACE, 0, "the namespace");
    for (size_t i = 0; i < sizeof some / sizeof some[0]; i++) {
        write_first(&reg, some[i]);
        write_first(&reg, some[i] + 1); /* not listed */
    }
    memset(&status, 0x5a, sizeof status);
    assert_int_equal(reg.read_many(reg.ctx, FZ_DEADLINE_NONE, numbers, LISTED, LISTED, note, &seen, &status, NULL),
                     FZ_REGISTER_OK);
    assert_int_equal(seen.n, 4);
    assert_true(seen.space && seen.workers[0] == 1 && seen.workers[600] == 1 && seen.workers[LAST] == 1);
    assert_int_equal(status.has_clock, kind->server != NULL);
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) {
        seen = (struct seen){.n = 0};
        assert_int_equal(reg.read_many(reg.ctx, FZ_DEADLINE_NONE, &lists[i][0], 1, 1, note, &seen, NULL, NULL),
                         FZ_REGISTER_OK);
        assert_int_equal(seen.n, lists[i][1]);
        assert_int_equal(seen.workers[1], lists[i][0] == 1);
    }
    register_close(&reg);
}

TEST_OF_KINDS(for_each_kind,
              "read_many shows the first of the records listed, and of the others at least that they exist")
{
    enum { LISTED = FZ_READ_MANY_MAX, WHOLE = 300 };
    static const uint32_t some[] = {0, WHOLE - 2, WHOLE - 1, LISTED - 2}; /* number 0 is the second that is listed */
    struct fz_register reg = kind_open(kind, 0, 10000);
    uint32_t numbers[LISTED] = {FZ_NAMESPACE};
    struct fz_register_status status;
    struct seen seen = {.n = 0};

    assert_int_equal(reg.finds_for_less, kind->finds);
    for (uint32_t i = 1; i < LISTED; i++)
        numbers[i] = i - 1;
    assert_int_equal(reg.read_many(reg.ctx, FZ_DEADLINE_NONE, numbers, LISTED, WHOLE, note_found, &seen, NULL, NULL),
                     FZ_REGISTER_OK);
    assert_int_equal(seen.n, 0);
    register_must_swap(&reg, FZ_NAMESPACE, 0, "the namespace");
    for (size_t i = 0; i < sizeof some / sizeof some[0]; i++)
        write_first(&reg, some[i]);
    memset(&status, 0x5a, sizeof status);
    assert_int_equal(reg.read_many(reg.ctx, FZ_DEADLINE_NONE, numbers, LISTED, WHOLE, note_found, &seen, &status, NULL),
                     FZ_REGISTER_OK);
    assert_int_equal(seen.n, 1 + 4);
    assert_int_equal(status.has_clock, kind->server != NULL);
    assert_true(seen.space && seen.workers[0] == 1 && seen.workers[WHOLE - 2] == 1);
    uint64_t found = kind->finds ? FOUND : 1;
    assert_true(seen.workers[WHOLE - 1] == found && seen.workers[LISTED - 2] == found);
    register_close(&reg);
}

TEST_OF_KINDS(for_each_kind, "A version never comes back, not even when everything was lost and made again")
{
    struct fz_register reg = kind_open(kind, 0, 10000);
    uint64_t highest = 0;

    for (int lives = 0; lives < 3 && kind->wipe != NULL; lives++) {
        uint64_t version = register_must_swap(&reg, 0, 0, "x");
        assert_true(version > highest);
        for (int i = 0; i < 5; i++)
            version = register_must_swap(&reg, 0, version, "x");
        uint64_t untouched;
        if (highest != 0)
            assert_int_equal(register_swap(&reg, 0, highest, "of before", &untouched), FZ_REGISTER_CONFLICT);
        highest = version;
        kind->wipe();
        assert_int_equal(register_must_read(&reg, 0).version, 0);
    }
    register_close(&reg);
}

TEST_OF_KINDS(for_each_kind, "Versions grow when the clock that they come from steps back, too")
{
    static const int64_t step_s = 3600;
    struct fz_register reg = kind_open(kind, 0, 10000);

    atomic_store(&ahead_s, kind->raise == NULL ? step_s : 0);
    uint64_t version = register_must_swap(&reg, 0, 0, "ahead");
    atomic_store(&ahead_s, 0);
    if (kind->raise != NULL) {
        version += (uint64_t)step_s * 1000000;
        kind->raise(version);
    }
    for (int i = 0; i < 3; i++) {
        uint64_t before = version;
        uint64_t untouched;
        version = register_must_swap(&reg, 0, before, "behind");
        register_assert_record(&reg, 0, version, "behind");
        assert_int_equal(register_swap(&reg, 0, before, "of before", &untouched), FZ_REGISTER_CONFLICT);
    }
    register_close(&reg);
}

static int64_t now_ms(void)
{
    struct timespec now;

    clock_gettime(CLOCK_REALTIME, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* Every server shows its clock, which is this host's here, as far as it tells it; what has no server has no clock. */
static void assert_time(const struct register_kind *kind, const struct fz_register_status *told, int64_t before_ms)
{
    assert_int_equal(told->has_clock, kind->server != NULL);
    if (!told->has_clock)
        return;
    assert_true(told->clock_width_ms <= 1000);
    assert_true(told->unix_ms <= now_ms());
    assert_true(told->unix_ms + told->clock_width_ms >= before_ms);
}

TEST_OF_KINDS(
    for_each_kind,
    "Status may be asked for or not; each answer tells the time, and an incarnation does not change by itself")
{
    struct fz_register reg = kind_open(kind, 0, 10000);
    struct fz_register_status first;
    struct fz_register_status then;
    struct fz_record record;
    struct seen seen = {.n = 0};
    uint64_t version;
    int64_t before_ms = now_ms();

    memset(&first, 0x5a, sizeof first); /* all of it is told */
    memset(&then, 0x5a, sizeof then);
    if (reg.prepare != NULL)
        assert_int_equal(reg.prepare(reg.ctx, FZ_DEADLINE_NONE, NULL), FZ_REGISTER_OK);
    assert_int_equal(reg.read(reg.ctx, FZ_DEADLINE_NONE, 0, &record, &first, NULL), FZ_REGISTER_OK);
    assert_time(kind, &first, before_ms);
    before_ms = now_ms();
    assert_int_equal(reg.swap(reg.ctx, FZ_DEADLINE_NONE, &(struct fz_swap){0, 0, "worker 0", 8}, &version, &then, NULL),
                     FZ_REGISTER_OK);
    assert_time(kind, &then, before_ms);
    assert_string_equal(first.incarnation, then.incarnation);
    before_ms = now_ms();
    assert_int_equal(
        reg.swap(reg.ctx, FZ_DEADLINE_NONE, &(struct fz_swap){0, version, "worker 0", 8}, &version, &then, NULL),
        FZ_REGISTER_OK);
    assert_time(kind, &then, before_ms);
    assert_int_equal(reg.swap(reg.ctx, FZ_DEADLINE_NONE, &(struct fz_swap){0, 0, "x", 1}, &version, &then, NULL),
                     FZ_REGISTER_CONFLICT);
    assert_string_equal(first.incarnation, then.incarnation);
    then.incarnation[0] = '?';
    before_ms = now_ms();
    assert_int_equal(reg.read_all(reg.ctx, FZ_DEADLINE_NONE, note, &seen, &then, NULL), FZ_REGISTER_OK);
    assert_time(kind, &then, before_ms);
    assert_string_equal(first.incarnation, then.incarnation);
    memset(&then, 0x5a, sizeof then);
    before_ms = now_ms();
    assert_int_equal(reg.read_many(reg.ctx, FZ_DEADLINE_NONE, &(uint32_t){0}, 1, 1, register_ignore, NULL, &then, NULL),
                     FZ_REGISTER_OK);
    assert_time(kind, &then, before_ms);
    assert_string_equal(first.incarnation, then.incarnation);
    if (reg.register_class == FZ_REGISTER_ASYNCHRONOUS) /* a register that may have lost records says when */
        assert_int_not_equal(first.incarnation[0], '\0');
    if (reg.register_class == FZ_REGISTER_ONE_HOST)
        assert_int_equal(first.incarnation[0], '\0');
    register_close(&reg);
}

/* ---- several at once ------------------------------------------------------------- */

enum { ROUNDS = 100, THREADS = 4 };

/* Counts the record up, by one each time, however often it takes. */
static void count_up(const struct fz_register *reg)
{
    for (int done = 0; done < ROUNDS;) {
        struct fz_record record = {.version = 0};
        char text[24];
        uint64_t version;
        if (reg->read(reg->ctx, FZ_DEADLINE_NONE, 0, &record, NULL, NULL) != FZ_REGISTER_OK)
            return;
        snprintf(text, sizeof text, "%d",
                 record.version == 0 ? 1 : (int)strtol((record.data[record.len] = '\0', record.data), NULL, 10) + 1);
        done += reg->swap(reg->ctx, FZ_DEADLINE_NONE, &(struct fz_swap){0, record.version, text, strlen(text)},
                          &version, NULL, NULL) == FZ_REGISTER_OK;
    }
}

static void *count_in_thread(void *ctx)
{
    const struct register_kind *kind = ctx;
    struct fz_register reg = kind_open(kind, 0, 10000);

    count_up(&reg);
    register_close(&reg);
    return NULL;
}

TEST_OF_KINDS(for_each_kind, "Several who count one record up never lose a count")
{
    pthread_t threads[THREADS];
    struct fz_register reg = kind_open(kind, 0, 10000);

    for (size_t i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, count_in_thread, (void *)(uintptr_t)kind), 0);
    for (size_t i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    register_assert_record(&reg, 0, register_must_read(&reg, 0).version, "400");
    register_close(&reg);
}

TEST_OF_KINDS(for_each_kind,
              "A child drops what it inherited and goes on beside its parent, each with answers of its own")
{
    struct fz_register reg = kind_open(kind, 0, 10000);
    int status_word;

    if (reg.register_class == FZ_REGISTER_ONE_HOST && kind->wipe == NULL)
        return; /* memory: a child has its own */
    register_must_swap(&reg, 0, 0, "0");
    pid_t child = bound_fork();
    assert_true(child >= 0);
    if (child == 0) {
        if (reg.after_fork != NULL)
            reg.after_fork(reg.ctx);
        count_up(&reg);
        _exit(0);
    }
    count_up(&reg);
    assert_int_equal(waitpid(child, &status_word, 0), child);
    assert_int_equal(status_word, 0);
    register_assert_record(&reg, 0, register_must_read(&reg, 0).version, "200");
    register_close(&reg);
}
