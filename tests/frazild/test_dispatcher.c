/* SPDX-License-Identifier: MIT */
/*
 * Goal of this test: requests that wait for ids share what comes, each ends once, and none outlives its deadline.  Ids
 * in a row are consecutive numbers, whatever tick they come from and whoever else takes some.
 */
#include "admission.h"
#include "clock.h"
#include "event_thread.h"
#include "failing_memory.h"
#include "lib/test.h"

#include <semaphore.h>

#define LARGE 4000
#define TICK_IDS 256
#define SPEC "layout=39/16/8 tick=10ms worker=fixed:1 state=memory max_lead=0s"

static frazil_manual_clock *manual;
static struct engine engine;
static struct dispatcher dispatcher;
static uint64_t now_ns;
static uint64_t room[8][LARGE];
static struct id_request id_requests[8];
static unsigned ended; /* bit i: request i is over */

static void on_done(struct id_request *id_request)
{
    unsigned bit = 1U << (id_request - id_requests);

    assert_int_equal(ended & bit, 0);
    ended |= bit;
}

BEFORE_EACH
{
    frazil_options *options = NULL;

    assert_int_equal(frazil_manual_clock_open(&manual, INT64_C(1780272000000), 0, NULL), FRAZIL_OK);
    frazil_clock port;
    frazil_manual_clock_port(manual, &port, sizeof port);
    assert_int_equal(frazil_options_open(&options, NULL), FRAZIL_OK);
    assert_int_equal(frazil_options_spec(options, SPEC, strlen(SPEC), NULL), FRAZIL_OK);
    assert_int_equal(frazil_options_clock(options, &port, NULL), FRAZIL_OK);
    engine = (struct engine){0};
    assert_int_equal(frazil_open_with(&engine.gen, options, NULL), FRAZIL_OK);
    frazil_options_close(options);
    atomic_init(&engine.holders, 1);
    dispatcher = (struct dispatcher){0};
    now_ns = 1000 * NS_PER_S;
    ended = 0;
}

AFTER_EACH
{
    assert_null(dispatcher.queues);
    assert_int_equal(atomic_load(&engine.waiting), 0);
    assert_int_equal(atomic_load(&engine.holders), 1);
    frazil_close(engine.gen);
    frazil_manual_clock_close(manual);
}

static bool ask_as(unsigned i, uint32_t n, bool in_a_row, uint64_t wait_ns)
{
    id_requests[i] = (struct id_request){.engine = &engine,
                                         .ids = room[i],
                                         .wanted = n,
                                         .in_a_row = in_a_row,
                                         .deadline_ns = now_ns + wait_ns,
                                         .done = on_done};
    if (dispatcher_take(&dispatcher, &id_requests[i], now_ns))
        return true;
    assert_true(dispatcher_park(&dispatcher, &id_requests[i], now_ns));
    return false;
}

/* Asks for n ids; whether that was over at once. */
static bool ask(unsigned i, uint32_t n, uint64_t wait_ns)
{
    return ask_as(i, n, false, wait_ns);
}

static bool ask_row(unsigned i, uint32_t n)
{
    return ask_as(i, n, true, 60 * NS_PER_S);
}

/* Lets ticks of 10 ms pass, one after the other. */
static void pass(unsigned ticks)
{
    for (unsigned i = 0; i < ticks; i++) {
        frazil_manual_clock_advance(manual, 10 * NS_PER_MS);
        now_ns += 10 * NS_PER_MS;
        dispatcher_run(&dispatcher, now_ns);
    }
}

TEST("An error that passes by itself is worth another try, and no other one is")
{
    static const frazil_err passing[] = {FRAZIL_EAGAIN, FRAZIL_EFULL, FRAZIL_ECLOCK, FRAZIL_EUNREACHABLE};
    static const frazil_err staying[] = {FRAZIL_OK, FRAZIL_ELEASE, FRAZIL_EEXHAUSTED, FRAZIL_EREFUSED, FRAZIL_ENOMEM};

    for (size_t i = 0; i < sizeof passing / sizeof passing[0]; i++)
        assert_true(dispatcher_is_passing(passing[i]));
    for (size_t i = 0; i < sizeof staying / sizeof staying[0]; i++)
        assert_false(dispatcher_is_passing(staying[i]));
}

TEST("A single id does not wait for a large batch that came before it")
{
    assert_false(ask(0, LARGE, 60 * NS_PER_S));
    assert_false(ask(1, 1, 60 * NS_PER_S));
    pass(1);
    assert_int_equal(ended, 2);
    assert_int_equal(id_requests[1].code, FRAZIL_OK);
    pass(LARGE / TICK_IDS + 1);
    assert_int_equal(ended, 3);
    for (unsigned i = 1; i < LARGE; i++)
        assert_true(room[0][i] > room[0][i - 1]);
}

TEST("Large batches get on at the same pace")
{
    assert_false(ask(0, 1000, 60 * NS_PER_S));
    assert_false(ask(1, 2000, 60 * NS_PER_S));
    assert_false(ask(2, 2000, 60 * NS_PER_S));
    pass(10);
    assert_int_equal(ended, 1);
    assert_in_range(id_requests[1].got > id_requests[2].got ? id_requests[1].got - id_requests[2].got
                                                            : id_requests[2].got - id_requests[1].got,
                    0, 64);
    pass(10);
    assert_int_equal(ended, 7);
}

TEST("Where others wait in other threads, one round is left between two")
{
    assert_false(ask(0, LARGE, 60 * NS_PER_S));
    (void)atomic_fetch_add(&engine.waiting, 1);
    uint32_t before = id_requests[0].got;
    pass(1);
    assert_int_equal(id_requests[0].got - before, 64);
    assert_int_equal(dispatcher_due_ns(&dispatcher), now_ns + 20000);
    (void)atomic_fetch_sub(&engine.waiting, 1);
    pass(1);
    assert_true(id_requests[0].got - before > 2 * 64);
    dispatcher_cancel(&dispatcher, &id_requests[0]);
}

TEST("Each request ends at its own deadline, wherever it stands in the queue")
{
    assert_false(ask(0, LARGE, 60 * NS_PER_S));
    assert_false(ask(1, LARGE, 25 * NS_PER_MS));
    assert_false(ask(2, LARGE, 60 * NS_PER_S));
    assert_false(ask(3, LARGE, 25 * NS_PER_MS));
    pass(1);
    assert_int_equal(ended, 0);
    pass(1);
    assert_int_equal(ended, 2 + 8);
    assert_int_equal(id_requests[1].code, FRAZIL_EAGAIN);
    assert_int_equal(id_requests[3].code, FRAZIL_EAGAIN);
    assert_true(id_requests[1].retry_ns > 0);
    pass(2 * LARGE / TICK_IDS + 2);
    assert_int_equal(ended, 15);
    assert_int_equal(id_requests[2].code, FRAZIL_OK);
}

TEST("A request that was taken out is met no more, first, last or between, and others park behind it")
{
    for (unsigned out = 0; out < 3; out++) {
        assert_false(ask(0, LARGE, 60 * NS_PER_S));
        assert_false(ask(1, 1, 60 * NS_PER_S));
        assert_false(ask(2, 1, 60 * NS_PER_S));
        dispatcher_cancel(&dispatcher, &id_requests[out]);
        assert_false(ask(3, 1, 60 * NS_PER_S));
        dispatcher_cancel(&dispatcher, &id_requests[3]);
        assert_false(ask(4, 1, 60 * NS_PER_S));
        pass(LARGE / TICK_IDS + 1);
        assert_int_equal(ended, 0x17 & ~(1U << out));
        ended = 0;
    }
}

TEST("When the last one is taken out nothing is due, and the next one parks anew")
{
    assert_false(ask(0, LARGE, 60 * NS_PER_S));
    dispatcher_cancel(&dispatcher, &id_requests[0]);
    assert_true(dispatcher_due_ns(&dispatcher) == UINT64_MAX);
    pass(1);
    assert_false(ask(1, TICK_IDS + 1, 60 * NS_PER_S));
    pass(1);
    assert_int_equal(ended, 2);
}

/* ---- ids in a row ----------------------------------------------------------------- */

static void assert_row(unsigned i, uint32_t n)
{
    assert_int_equal(id_requests[i].code, FRAZIL_OK);
    assert_int_equal(id_requests[i].got, n);
    for (uint32_t at = 1; at < n; at++)
        assert_true(room[i][at] == room[i][at - 1] + 1);
}

TEST("A row that a tick's end would break begins anew in the next one")
{
    assert_true(ask(0, TICK_IDS - 3, 60 * NS_PER_S));
    assert_false(ask_row(1, 5));
    pass(1);
    assert_row(1, 5);
    assert_int_equal(room[1][0] & (TICK_IDS - 1), 0);
}

TEST("A row as long as a tick is given although others wait for their shares")
{
    assert_false(ask(0, 3 * TICK_IDS, 60 * NS_PER_S));
    assert_false(ask_row(1, TICK_IDS));
    assert_false(ask(2, 1, 60 * NS_PER_S));
    pass(12);
    assert_row(1, TICK_IDS);
    assert_int_equal(id_requests[0].got, 3 * TICK_IDS);
    assert_int_equal(id_requests[2].got, 1);
}

TEST("Ids that were dropped before a row are given to nobody else")
{
    assert_true(ask(0, TICK_IDS - 3, 60 * NS_PER_S));
    assert_false(ask_row(1, 5));
    assert_false(ask(2, 1, 60 * NS_PER_S));
    pass(2);
    assert_row(1, 5);
    assert_true(room[2][0] > room[1][4] || room[2][0] < room[1][0]);
    assert_true(room[2][0] > room[0][TICK_IDS - 4]);
}

/* ---- a grant that has ended ------------------------------------------------------------- */

#define GRANT_MS 1000

static frazil_err granter_says;

static frazil_err acquire(void *ctx, int64_t now_unix_ms, frazil_grant *ret, frazil_error *reterr)
{
    (void)ctx;
    (void)reterr;
    *ret = (frazil_grant){.worker = 1, .from_unix_ms = now_unix_ms, .end_unix_ms = now_unix_ms + GRANT_MS, .token = 1};
    return FRAZIL_OK;
}

static frazil_err extend(void *ctx, int64_t now_unix_ms, const frazil_grant *held, frazil_grant *ret,
                         frazil_error *reterr)
{
    (void)ctx;
    (void)held;
    if (granter_says == FRAZIL_OK)
        ret->end_unix_ms = now_unix_ms + GRANT_MS;
    else
        (void)snprintf(reterr->message, sizeof reterr->message, "cannot write /srv/frazil/words");
    return granter_says;
}

/* The engine's generator has a grant now, which only frazil_keep extends, and which ends here. */
static void let_a_grant_end(void)
{
    static const frazil_granter granter = {.size = sizeof granter, .acquire = acquire, .extend = extend};
    static const char spec[] = "layout=39/16/8 tick=10ms keeper=hook max_lead=0s";
    frazil_options *options = NULL;
    frazil_clock port;

    granter_says = FRAZIL_OK;
    frazil_close(engine.gen);
    frazil_manual_clock_port(manual, &port, sizeof port);
    assert_int_equal(frazil_options_open(&options, NULL), FRAZIL_OK);
    assert_int_equal(frazil_options_spec(options, spec, strlen(spec), NULL), FRAZIL_OK);
    assert_int_equal(frazil_options_clock(options, &port, NULL), FRAZIL_OK);
    assert_int_equal(frazil_options_granter(options, &granter, NULL), FRAZIL_OK);
    assert_int_equal(frazil_open_with(&engine.gen, options, NULL), FRAZIL_OK);
    frazil_options_close(options);
    frazil_manual_clock_advance(manual, 5 * NS_PER_S);
}

static frazil_err keep(void)
{
    uint64_t ignored;

    return frazil_keep(engine.gen, FRAZIL_WAIT_FOREVER, &ignored, NULL);
}

/* Lets time pass for those who wait, and not for the grant. */
static void wait_ms(unsigned ms)
{
    now_ns += ms * NS_PER_MS;
    dispatcher_run(&dispatcher, now_ns);
}

TEST("A request waits while a grant that has ended is being extended")
{
    let_a_grant_end();
    assert_false(ask(0, 1, 60 * NS_PER_S));
    wait_ms(5);
    assert_int_equal(ended, 0);
    assert_int_equal(keep(), FRAZIL_OK);
    wait_ms(5);
    assert_int_equal(ended, 1);
    assert_int_equal(id_requests[0].code, FRAZIL_OK);
}

TEST("A request whose time goes by before a grant is extended learns that it has ended")
{
    let_a_grant_end();
    assert_false(ask(0, 1, 20 * NS_PER_MS));
    assert_false(ask(1, 1, 60 * NS_PER_S));
    for (unsigned i = 0; i < 5; i++)
        wait_ms(5);
    assert_int_equal(ended, 1);
    assert_int_equal(id_requests[0].code, FRAZIL_ELEASE);
    dispatcher_cancel(&dispatcher, &id_requests[1]);
}

TEST("No request waits for a grant that could not be extended")
{
    let_a_grant_end();
    granter_says = FRAZIL_EUNREACHABLE;
    assert_int_not_equal(keep(), FRAZIL_OK);
    assert_true(ask(0, 1, 60 * NS_PER_S));
    assert_int_equal(id_requests[0].code, FRAZIL_ELEASE);
}

static bool is_kept_by_another;
static const frazil *fenced; /* NULL: none */

void __real_frazil_get_health(frazil *gen, frazil_health *ret, size_t size, frazil_error *ret_failure);
void __wrap_frazil_get_health(frazil *gen, frazil_health *ret, size_t size, frazil_error *ret_failure);

/* With keeper=other, for which a coordinator would be needed here, the library says that this process is to keep
 * nothing.
 */
void __wrap_frazil_get_health(frazil *gen, frazil_health *ret, size_t size, frazil_error *ret_failure)
{
    __real_frazil_get_health(gen, ret, size, ret_failure);
    if (is_kept_by_another)
        ret->next_keep_ns = FRAZIL_WAIT_FOREVER;
    if (gen == fenced)
        ret->state = FRAZIL_HEALTH_FENCED;
}

TEST("A generator of several worker ids is as well as the worst of them, wherever that stands")
{
    struct engine rows[3] = {{.next = &rows[1]}, {.next = &rows[2]}, {.next = NULL}};
    const struct generator generator = {.engine = rows};

    for (size_t i = 0; i < 3; i++) {
        frazil_error err;
        char spec[64];
        (void)snprintf(spec, sizeof spec, "worker=fixed:%zu state=memory", 100 + i);
        assert_int_equal(frazil_open(&rows[i].gen, spec, &err), FRAZIL_OK);
    }
    for (size_t i = 0; i < 3; i++) {
        fenced = rows[i].gen;
        assert_ptr_equal(generator_worst(&generator), &rows[i]);
    }
    fenced = NULL;
    for (size_t i = 0; i < 3; i++)
        frazil_close(rows[i].gen);
}

TEST("No request waits for a grant that another process is to extend, which may be gone")
{
    is_kept_by_another = true;
    let_a_grant_end();
    bool has_ended = ask(0, 1, 60 * NS_PER_S);
    is_kept_by_another = false;
    assert_true(has_ended);
    assert_int_equal(id_requests[0].code, FRAZIL_ELEASE);
}

TEST("A client is not told the files of the daemon's host")
{
    struct refusal refusal;

    let_a_grant_end();
    granter_says = FRAZIL_EREFUSED;
    assert_int_not_equal(keep(), FRAZIL_OK);
    assert_true(ask(0, 1, 60 * NS_PER_S));
    admission_explain(&id_requests[0], &refusal);
    assert_int_equal(refusal.code, CODE_FENCED);
    assert_null(strchr(refusal.text, '/'));
    assert_non_null(strstr(refusal.text, "the daemon's log says why"));
}

/* ---- ids that a coordinator gives ------------------------------------------------------- */

static struct event_thread event_thread;
static sem_t asked, may_answer, noted;
static bool is_coordinated;
static frazil_err answer;

#pragma GCC visibility push(default)
frazil_err __real_frazil_take(frazil *gen, uint64_t *ret_ids, size_t n, uint64_t wait_ns, frazil_error *reterr);
frazil_err __wrap_frazil_take(frazil *gen, uint64_t *ret_ids, size_t n, uint64_t wait_ns, frazil_error *reterr);
#pragma GCC visibility pop

/* The coordinator answers when the test has it do so. */
frazil_err __wrap_frazil_take(frazil *gen, uint64_t *ret_ids, size_t n, uint64_t wait_ns, frazil_error *reterr)
{
    if (is_coordinated) {
        (void)sem_post(&asked);
        (void)sem_wait(&may_answer);
    }
    if (is_coordinated && answer != FRAZIL_OK) {
        reterr->code = answer;
        return answer;
    }
    return __real_frazil_take(gen, ret_ids, n, wait_ns, reterr);
}

static void on_notify(struct event_thread *its)
{
    (void)its;
    (void)sem_post(&noted);
}

static void begin_jobs(void)
{
    sem_t *const all[] = {&asked, &may_answer, &noted};

    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        assert_int_equal(sem_init(all[i], 0, 0), 0);
    is_coordinated = true;
    dispatcher.event_thread = &event_thread;
    dispatcher.notify = on_notify;
    now_ns = clock_ns();
    engine.taker = take_thread_start(engine.gen, false);
    assert_non_null(engine.taker);
}

static void end_jobs(void)
{
    assert_true(take_thread_stop(engine.taker, 3600 * NS_PER_S, NULL, NULL));
    take_thread_free(engine.taker);
    engine.taker = NULL;
    is_coordinated = false;
}

static void await_take(void)
{
    assert_int_equal(sem_wait(&asked), 0);
}

static void let_answer(frazil_err code)
{
    answer = code;
    (void)sem_post(&may_answer);
}

/* Does what the event thread does when it is told that a job is done. */
static void collect(void)
{
    assert_int_equal(sem_wait(&noted), 0);
    dispatcher_collect(&dispatcher);
    dispatcher_run(&dispatcher, now_ns);
}

/* One job, from its take to what it brings. */
static void do_job(void)
{
    await_take();
    let_answer(FRAZIL_OK);
    collect();
}

TEST("Ids that a coordinator gives are shared in turns, too")
{
    begin_jobs();
    assert_false(ask(0, 130, 60 * NS_PER_S));
    assert_false(ask(1, 1, 60 * NS_PER_S));
    dispatcher_run(&dispatcher, now_ns);
    do_job();
    assert_int_equal(id_requests[0].got, 64);
    do_job();
    assert_int_equal(ended, 2);
    do_job();
    do_job();
    assert_int_equal(ended, 3);
    assert_int_equal(id_requests[0].code, FRAZIL_OK);
    for (unsigned i = 1; i < 130; i++)
        assert_true(room[0][i] > room[0][i - 1]);
    end_jobs();
}

TEST("A row that a coordinator gives comes at once")
{
    begin_jobs();
    assert_false(ask_row(0, 100));
    dispatcher_run(&dispatcher, now_ns);
    do_job();
    assert_int_equal(ended, 1);
    assert_row(0, 100);
    end_jobs();
}

TEST("A request that is given up while its ids are taken leaves them, and the next one has its own")
{
    begin_jobs();
    assert_false(ask(0, 1, 60 * NS_PER_S));
    assert_false(ask(1, 1, 60 * NS_PER_S));
    dispatcher_run(&dispatcher, now_ns);
    await_take();
    dispatcher_cancel(&dispatcher, &id_requests[0]);
    dispatcher_run(&dispatcher, now_ns);
    let_answer(FRAZIL_OK);
    do_job();
    assert_int_equal(ended, 2);
    assert_int_equal(id_requests[1].code, FRAZIL_OK);
    end_jobs();
}

TEST("A request whose time is over ends while a coordinator is silent, with what that said last")
{
    begin_jobs();
    assert_false(ask(0, 1, 25 * NS_PER_MS));
    assert_false(ask(1, 1, 60 * NS_PER_S));
    dispatcher_run(&dispatcher, now_ns);
    await_take();
    now_ns = dispatcher_due_ns(&dispatcher);
    dispatcher_run(&dispatcher, now_ns);
    assert_int_equal(ended, 1);
    assert_int_equal(id_requests[0].code, FRAZIL_EAGAIN);
    let_answer(FRAZIL_EUNREACHABLE);
    await_take();
    now_ns = dispatcher_due_ns(&dispatcher);
    dispatcher_run(&dispatcher, now_ns);
    assert_int_equal(ended, 3);
    assert_int_equal(id_requests[1].code, FRAZIL_EUNREACHABLE);
    let_answer(FRAZIL_OK);
    end_jobs();
}

TEST("A request whose time is over ends while a coordinator is silent, also behind one that has more time")
{
    begin_jobs();
    assert_false(ask(0, 1, 60 * NS_PER_S));
    assert_false(ask(1, 1, 25 * NS_PER_MS));
    dispatcher_run(&dispatcher, now_ns);
    await_take();
    now_ns += NS_PER_S;
    assert_true(dispatcher_due_ns(&dispatcher) < now_ns);
    dispatcher_run(&dispatcher, now_ns);
    assert_int_equal(ended, 2);
    assert_int_equal(id_requests[1].code, FRAZIL_EAGAIN);
    let_answer(FRAZIL_OK);
    collect();
    assert_int_equal(ended, 3);
    assert_int_equal(id_requests[0].code, FRAZIL_OK);
    end_jobs();
}

TEST("Without memory for a job it is tried a little later")
{
    begin_jobs();
    assert_false(ask(0, 1, 60 * NS_PER_S));
    memory_fails_at(1);
    dispatcher_run(&dispatcher, now_ns);
    memory_fails_at(0);
    assert_int_equal(dispatcher_due_ns(&dispatcher), now_ns + 100 * NS_PER_MS);
    now_ns = dispatcher_due_ns(&dispatcher);
    dispatcher_run(&dispatcher, now_ns);
    do_job();
    assert_int_equal(ended, 1);
    end_jobs();
}
