/* SPDX-License-Identifier: MIT */
/*
 * Goal of this test: a program's own granter gives a generator its worker id and its time; what it gives is used
 * exactly, checked before it counts, extended, given back, and shared with children.
 */
#include <sys/wait.h>
#include <unistd.h>

#include "frazil.h"
#include "lib/rig.h"
#include "lib/test.h"
#include "os/memory.h"

enum { WORKERS = 4, GRANT_MS = 3000 };

#define PATIENT "keeper=inline start=zero open_wait=1s "
#define SPEC "keeper=inline start=zero max_wait=1ms open_wait=1ms "

/* A program's table of worker ids, in memory that children share. */
struct table {
    struct {
        int64_t end_unix_ms; /* of all that was ever granted of it */
        bool held;
    } workers[WORKERS];
    uint64_t token;
    unsigned acquired, extended, released, forked;
    int64_t used_end_unix_ms; /* as the last release said */
    frazil_err failure;       /* FRAZIL_OK: none */
    const char *sentence;
    uint64_t retry_ns;
    frazil_grant forced; /* given instead of what is right, unless its token is 0 */
};

static struct table *table;
static struct rig rig;
static frazil_granter granter;

static frazil_err refuse(frazil_error *reterr)
{
    if (table->sentence != NULL)
        snprintf(reterr->message, sizeof reterr->message, "%s", table->sentence);
    reterr->retry_ns = table->retry_ns;
    return table->failure;
}

static frazil_err acquire(void *ctx, int64_t now_unix_ms, frazil_grant *ret, frazil_error *reterr)
{
    assert_ptr_equal(ctx, table);
    table->acquired++;
    if (table->failure != FRAZIL_OK)
        return refuse(reterr);
    if (table->forced.token != 0) {
        *ret = table->forced;
        return FRAZIL_OK;
    }
    for (uint32_t worker = 0; worker < WORKERS; worker++) {
        if (table->workers[worker].held)
            continue;
        int64_t end = table->workers[worker].end_unix_ms;
        *ret = (frazil_grant){.worker = worker,
                              .from_unix_ms = end,
                              .end_unix_ms = (end > now_unix_ms ? end : now_unix_ms) + GRANT_MS,
                              .token = ++table->token};
        table->workers[worker].end_unix_ms = ret->end_unix_ms;
        table->workers[worker].held = true;
        return FRAZIL_OK;
    }
    return FRAZIL_EPOOL;
}

static frazil_err extend(void *ctx, int64_t now_unix_ms, const frazil_grant *held, frazil_grant *ret,
                         frazil_error *reterr)
{
    assert_ptr_equal(ctx, table);
    assert_memory_equal(ret, held, sizeof *ret);
    table->extended++;
    if (table->failure != FRAZIL_OK)
        return refuse(reterr);
    if (table->forced.token != 0) {
        *ret = table->forced;
        return FRAZIL_OK;
    }
    if (held->token != table->token || !table->workers[held->worker].held)
        return acquire(ctx, now_unix_ms, ret, reterr);
    ret->end_unix_ms = now_unix_ms + GRANT_MS;
    table->workers[held->worker].end_unix_ms = ret->end_unix_ms;
    return FRAZIL_OK;
}

static void release(void *ctx, const frazil_grant *held, int64_t used_end_unix_ms)
{
    assert_ptr_equal(ctx, table);
    table->released++;
    table->used_end_unix_ms = used_end_unix_ms;
    table->workers[held->worker].end_unix_ms = used_end_unix_ms;
    table->workers[held->worker].held = false;
}

static void after_fork(void *ctx)
{
    assert_ptr_equal(ctx, table);
    table->forked++;
}

BEFORE_EACH
{
    table = fz_map_shared(sizeof *table);
    assert_non_null(table);
    granter = (frazil_granter){.size = sizeof granter,
                               .ctx = table,
                               .acquire = acquire,
                               .extend = extend,
                               .release = release,
                               .after_fork = after_fork};
    rig = (struct rig){.random_state = 1, .granter = &granter};
}

AFTER_EACH
{
    rig_close(&rig);
    fz_unmap(table, sizeof *table);
}

static void close_generator(void)
{
    frazil_close(rig.gen);
    rig.gen = NULL;
}

/* Opening fails with code, in a sentence that holds `why`. */
static void refused(const char *spec, frazil_err code, const char *why)
{
    frazil_manual_clock *manual;
    assert_int_equal(frazil_manual_clock_open(&manual, RIG_NOW, 0, NULL), FRAZIL_OK);
    const frazil_clock clock = port_of(manual);
    const struct ports ports = {.clock = &clock, .granter = &granter};

    assert_open_refused(spec, &ports, code, why);
    frazil_manual_clock_close(manual);
}

TEST("Ids bear the worker that was granted; closing says where the next grant may begin, which is above them all")
{
    table->workers[0].held = true;
    rig_open(&rig, SPEC, RIG_NOW);
    frazil_fields fields = rig_parts(&rig, rig_next(&rig));
    assert_int_equal(fields.worker, 1);
    assert_int_equal(fields.unix_ms, RIG_NOW);
    rig_advance(&rig, 5);
    rig_next(&rig);
    close_generator();
    assert_int_equal(table->released, 1);
    assert_int_equal(table->used_end_unix_ms, RIG_NOW + 6);
}

TEST("Nothing is issued before the grant begins: who had the worker before may have issued up to there")
{
    table->workers[0].end_unix_ms = RIG_NOW + 40;
    rig_open(&rig, PATIENT, RIG_NOW);
    assert_int_equal(rig_parts(&rig, rig_next(&rig)).unix_ms, RIG_NOW + 40);
}

TEST("A generator that issued nothing gives all of its grant back")
{
    table->workers[0].end_unix_ms = RIG_NOW - 100;
    rig_open(&rig, SPEC, RIG_NOW);
    close_generator();
    assert_int_equal(table->used_end_unix_ms, RIG_NOW - 100);
}

TEST("Ticks longer than a millisecond: begin and end are rounded inwards, so two grants that meet have no tick in "
     "common")
{
    table->workers[0].end_unix_ms = RIG_NOW + 3;
    rig_open(&rig, PATIENT "layout=sonyflake", RIG_NOW);
    assert_int_equal(rig_parts(&rig, rig_next(&rig)).unix_ms, RIG_NOW + 10);
    close_generator();
    assert_int_equal(table->used_end_unix_ms, RIG_NOW + 20);
    frazil_manual_clock_close(rig.manual);
    rig.manual = NULL;
    table->forced = (frazil_grant){.worker = 2, .from_unix_ms = RIG_NOW + 1, .end_unix_ms = RIG_NOW + 19, .token = 1};
    refused(SPEC "layout=sonyflake", FRAZIL_EWORKER, "must hold a whole tick");
}

TEST("It is extended by whoever takes an id in its last quarter, and goes on without a gap")
{
    rig_open(&rig, SPEC, RIG_NOW);
    rig_next(&rig);
    rig_advance(&rig, GRANT_MS * 4 / 5);
    rig_next(&rig);
    assert_int_equal(table->extended, 1);
    assert_int_equal(table->workers[0].end_unix_ms, rig_now_ms(&rig) + GRANT_MS);
    assert_int_equal(stat_of(rig.gen, FRAZIL_STAT_EXTENSIONS), 1);
    assert_int_equal(stat_of(rig.gen, FRAZIL_STAT_MOVES), 0);
}

TEST("A lost worker id is replaced by another one, if the granter has one")
{
    rig_open(&rig, SPEC, RIG_NOW);
    assert_int_equal(rig_parts(&rig, rig_next(&rig)).worker, 0);
    table->token++;
    rig_advance(&rig, GRANT_MS + 1);
    assert_int_equal(rig_parts(&rig, rig_next(&rig)).worker, 1);
    assert_int_equal(stat_of(rig.gen, FRAZIL_STAT_MOVES), 1);
}

TEST("A granter that does not answer takes nothing away before the grant's end; then the reason is the granter's")
{
    frazil_error err;
    uint64_t id;

    rig_open(&rig, SPEC, RIG_NOW);
    table->failure = FRAZIL_EAGAIN;
    table->sentence = "the table is locked";
    rig_advance(&rig, GRANT_MS * 4 / 5);
    rig_next(&rig);
    rig_advance(&rig, GRANT_MS / 5);
    assert_int_equal(frazil_take(rig.gen, &id, 1, 0, &err), FRAZIL_ELEASE);
    assert_non_null(strstr(err.message, "the program's granter reports: the table is locked"));
    table->failure = FRAZIL_OK;
    rig_advance(&rig, 6000);
    rig_next(&rig);
}

TEST("No extension takes back what is held, or grants it twice: it counts as a failure, and the grant in force stands")
{
    rig_open(&rig, SPEC, RIG_NOW);
    rig_next(&rig);
    const int64_t from = INT64_C(1767225600000); /* the layout's epoch: nobody ever had this worker before */
    const int64_t end = table->workers[0].end_unix_ms;
    const frazil_grant wrong[] = {
        {.worker = 0, .from_unix_ms = from, .end_unix_ms = end - 1, .token = 9},           /* shorter */
        {.worker = 0, .from_unix_ms = end - 1, .end_unix_ms = end + GRANT_MS, .token = 9}, /* overlaps */
        {.worker = 1024, .from_unix_ms = end, .end_unix_ms = end + GRANT_MS, .token = 9},  /* no such worker */
        {.worker = 1, .from_unix_ms = end, .end_unix_ms = end, .token = 9},                /* empty */
        {.worker = 1, .from_unix_ms = 0, .end_unix_ms = RIG_NOW, .token = 9},              /* over */
        {.worker = 1, .reserved = {[4] = 1}, .from_unix_ms = 0, .end_unix_ms = end, .token = 9},
    };
    rig_advance(&rig, GRANT_MS / 2);
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        uint64_t next_ns;
        frazil_error err;
        table->forced = wrong[i];
        assert_int_equal(frazil_keep(rig.gen, FRAZIL_WAIT_FOREVER, &next_ns, &err), FRAZIL_EWORKER);
        assert_non_null(strstr(err.message, "the program's granter gave"));
        frazil_manual_clock_advance(rig.manual, 200 * RIG_MS); /* past the pause after a failure */
        table->extended = 0;
    }
    assert_int_equal(stat_of(rig.gen, FRAZIL_STAT_MOVES) + stat_of(rig.gen, FRAZIL_STAT_EXTENSIONS), 0);
    assert_int_equal(rig_parts(&rig, rig_next(&rig)).worker, 0);
}

TEST("The first grant is checked as well, and its errors become those of opening")
{
    static const frazil_grant wrong[] = {
        {.worker = 1024, .from_unix_ms = RIG_NOW, .end_unix_ms = RIG_NOW + 100, .token = 1},
        {.worker = 1, .from_unix_ms = RIG_NOW, .end_unix_ms = RIG_NOW, .token = 1},
        {.worker = 1, .from_unix_ms = RIG_NOW - 100, .end_unix_ms = RIG_NOW, .token = 1},
        {.worker = 1, .from_unix_ms = INT64_MAX, .end_unix_ms = INT64_MIN, .token = 1},
        {.worker = 1, .reserved = {7}, .from_unix_ms = RIG_NOW, .end_unix_ms = RIG_NOW + 100, .token = 1},
    };

    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        table->forced = wrong[i];
        refused(SPEC, FRAZIL_EWORKER, "the program's granter gave");
    }
    assert_int_equal(table->released, 0); /* nobody has anything to give back */
}

static frazil_err no_token(void *ctx, int64_t now_unix_ms, frazil_grant *ret, frazil_error *reterr)
{
    (void)ctx;
    (void)reterr;
    *ret = (frazil_grant){.worker = 1, .from_unix_ms = now_unix_ms, .end_unix_ms = now_unix_ms + GRANT_MS};
    return FRAZIL_OK;
}

TEST("A token of 0 would look like no grant at all")
{
    granter.acquire = no_token;
    refused(SPEC, FRAZIL_EWORKER, "with token 0");
}

TEST("Errors of the table are the program's to choose; another number is its mistake")
{
    table->failure = FRAZIL_EPOOL;
    refused(SPEC, FRAZIL_EPOOL, "the program's granter reports: all worker ids are taken");
    table->failure = FRAZIL_ESYS;
    table->sentence = "the table cannot be read";
    refused(SPEC, FRAZIL_ESYS, "the program's granter reports: the table cannot be read");
    table->failure = (frazil_err)77;
    refused(SPEC, FRAZIL_EWORKER, "returned 77, which is not an error");
    table->failure = FRAZIL_EAGAIN;
    table->acquired = 0;
    refused("open_wait=1s", FRAZIL_EAGAIN, "the table cannot be read");
    assert_in_range(table->acquired, 3, 1000); /* it was tried again while the call could wait */
}

TEST("A port of another size, or without its functions, is refused before anything is called")
{
    granter.size--;
    refused(SPEC, FRAZIL_EINVAL, "sizeof(frazil_granter)");
    granter.size++;
    granter.extend = NULL;
    refused(SPEC, FRAZIL_EINVAL, "lacks acquire or extend");
    granter.extend = extend;
    granter.acquire = NULL;
    refused(SPEC, FRAZIL_EINVAL, "lacks acquire or extend");
    assert_int_equal(table->acquired, 0);
}

TEST("The spec names no other source, and keeps nothing in files")
{
    refused("worker=fixed:3", FRAZIL_ESPEC, "worker is given, and the program's own granter");
    refused("layout=sno partition=3", FRAZIL_ESPEC, "partition is given");
    refused("count=3", FRAZIL_ESPEC, "count is given");
    refused("state=file", FRAZIL_ESPEC, "cannot be combined with a granter");
    refused("state=redis://127.0.0.1/x", FRAZIL_ESPEC, "give each its own");
    assert_int_equal(table->acquired, 0);
}

TEST("release and after_fork may be left out")
{
    granter.release = NULL;
    granter.after_fork = NULL;
    rig_open(&rig, SPEC, RIG_NOW);
    rig_next(&rig);
    close_generator();
    assert_int_equal(table->released, 0);
}

TEST(
    "Parent and child share one grant: their ids differ, the child is told of the fork, and the last one gives it back")
{
    uint64_t mine[2];
    uint64_t *theirs = fz_map_shared(sizeof *theirs);
    int status;

    assert_non_null(theirs);
    rig_open(&rig, SPEC, RIG_NOW);
    mine[0] = rig_next(&rig);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        rig_advance(&rig, GRANT_MS * 4 / 5);
        theirs[0] = rig_next(&rig);
        frazil_close(rig.gen);
        _exit(0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    assert_int_equal(table->forked, 1);
    assert_int_equal(table->extended, 1);
    assert_int_equal(table->released, 0);
    rig_advance(&rig, GRANT_MS * 4 / 5);
    mine[1] = rig_next(&rig);
    assert_true(mine[0] < theirs[0] && theirs[0] < mine[1]);
    close_generator();
    assert_int_equal(table->released, 1);
    fz_unmap(theirs, sizeof *theirs);
}

TEST("Two generators, one after the other and side by side, never have an id in common: the rule that all rests on")
{
    struct rig other = {.random_state = 2, .granter = &granter};
    uint64_t last = 0;

    rig_open(&rig, SPEC, RIG_NOW);
    rig_open(&other, SPEC, RIG_NOW);
    assert_int_not_equal(rig_parts(&rig, rig_next(&rig)).worker, rig_parts(&other, rig_next(&other)).worker);
    last = rig_next(&rig);
    close_generator();
    frazil_manual_clock_close(rig.manual);
    rig_open(&rig, SPEC, RIG_NOW - 2); /* a clock that is behind */
    uint64_t next = 0;
    frazil_error err;
    if (frazil_take(rig.gen, &next, 1, RIG_S, &err) != FRAZIL_OK)
        fail_msg("%s", err.message);
    assert_int_equal(rig_parts(&rig, next).worker, rig_parts(&rig, last).worker);
    assert_true(next > last);
    rig_close(&other);
}
