/* SPDX-License-Identifier: MIT */
/*
 * Goal of this test: a take is tried again while that can help and somebody waits for it, and the health says what the
 * coordinator did last.
 */
#include "clock.h"
#include "failing_memory.h"
#include "lib/test.h"
#include "take_thread.h"

#include <errno.h>
#include <semaphore.h>

#define HOUR_NS (3600 * NS_PER_S)

static char generator; /* which nobody looks at */
static frazil *const gen = (frazil *)(void *)&generator;
static struct take_thread *taker;
static sem_t asked, may_answer, noted, ended;
static frazil_err answer; /* of the coordinator */
static atomic_uint takes;
static bool was_stopped, no_threads;

#pragma GCC visibility push(default)
frazil_err __wrap_frazil_take(frazil *its, uint64_t *ret_ids, size_t n, uint64_t wait_ns, frazil_error *reterr);
frazil_err __wrap_frazil_sno_take(frazil *its, uint8_t meta, frazil_sno *ret_ids, size_t n, uint64_t wait_ns,
                                  frazil_error *reterr);
void __wrap_frazil_stop(frazil *its);
int __real_pthread_create(pthread_t *ret, const pthread_attr_t *attr, void *(*body)(void *), void *arg);
int __wrap_pthread_create(pthread_t *ret, const pthread_attr_t *attr, void *(*body)(void *), void *arg);
#pragma GCC visibility pop

/* Waits until the test has set the answer. */
static frazil_err answer_now(frazil_error *reterr)
{
    (void)sem_post(&asked);
    (void)sem_wait(&may_answer);
    (void)atomic_fetch_add(&takes, 1);
    if (answer != FRAZIL_OK)
        *reterr = (frazil_error){.code = answer, .retry_ns = 77, .message = "no answer"};
    return answer;
}

frazil_err __wrap_frazil_take(frazil *its, uint64_t *ret_ids, size_t n, uint64_t wait_ns, frazil_error *reterr)
{
    (void)its;
    (void)wait_ns;
    for (size_t i = 0; i < n; i++)
        ret_ids[i] = 1000 + i;
    return answer_now(reterr);
}

frazil_err __wrap_frazil_sno_take(frazil *its, uint8_t meta, frazil_sno *ret_ids, size_t n, uint64_t wait_ns,
                                  frazil_error *reterr)
{
    (void)its;
    (void)wait_ns;
    memset(ret_ids, meta, n * sizeof *ret_ids);
    return answer_now(reterr);
}

void __wrap_frazil_stop(frazil *its)
{
    was_stopped = its == gen;
}

int __wrap_pthread_create(pthread_t *ret, const pthread_attr_t *attr, void *(*body)(void *), void *arg)
{
    return no_threads ? EAGAIN : __real_pthread_create(ret, attr, body, arg);
}

static void notify(struct event_thread *event_thread)
{
    (void)event_thread;
    (void)sem_post(&noted);
}

static struct take_job *submit(uint32_t n, uint64_t deadline_ns)
{
    static char here;
    const struct take_job order = {.job = {.event_thread = (struct event_thread *)(void *)&here, .notify = notify},
                                   .deadline_ns = deadline_ns,
                                   .meta = 0x5a,
                                   .n = n};

    return take_job_submit(taker, &order);
}

/* Waits until the coordinator is asked, and has it say that. */
static void let_answer(frazil_err code)
{
    assert_int_equal(sem_wait(&asked), 0);
    answer = code;
    (void)sem_post(&may_answer);
}

static void await_end(void)
{
    assert_int_equal(sem_wait(&noted), 0);
}

static frazil_health health(frazil_error *why)
{
    frazil_health ret = {.state = FRAZIL_HEALTH_SERVING};

    take_thread_add_health(taker, &ret, why);
    return ret;
}

static void open_taker(bool is_sno)
{
    taker = take_thread_start(gen, is_sno);
    assert_non_null(taker);
}

static void close_taker(void)
{
    assert_true(take_thread_stop(taker, HOUR_NS, NULL, NULL));
    take_thread_free(taker);
}

BEFORE_EACH
{
    sem_t *const all[] = {&asked, &may_answer, &noted, &ended};

    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        assert_int_equal(sem_init(all[i], 0, 0), 0);
    atomic_store(&takes, 0);
    was_stopped = no_threads = false;
}

AFTER_EACH
{
    memory_fails_at(0);
}

TEST("A take brings its ids, of either kind")
{
    for (int is_sno = 0; is_sno < 2; is_sno++) {
        open_taker(is_sno);
        struct take_job *job = submit(3, clock_ns() + HOUR_NS);
        let_answer(FRAZIL_OK);
        await_end();
        assert_true(job_is_done(&job->job));
        assert_int_equal(job->code, FRAZIL_OK);
        if (is_sno)
            assert_int_equal(((const unsigned char *)job->ids)[3 * sizeof(frazil_sno) - 1], 0x5a);
        else
            assert_int_equal(((const uint64_t *)job->ids)[2], 1002);
        job_abandon(&job->job);
        close_taker();
        assert_true(was_stopped);
    }
}

TEST("A take that fails for a while is tried again, and the health has the failures until it is over")
{
    frazil_error why = {.retry_ns = 0};

    open_taker(false);
    struct take_job *job = submit(1, clock_ns() + HOUR_NS);
    assert_int_equal(health(&why).failures, 0);
    let_answer(FRAZIL_EUNREACHABLE);
    let_answer(FRAZIL_EUNREACHABLE);
    assert_int_equal(sem_wait(&asked), 0);
    assert_false(job_is_done(&job->job));
    assert_int_equal(health(&why).failures, 2);
    assert_int_equal(health(&why).state, FRAZIL_HEALTH_FENCED);
    assert_int_equal(health(NULL).last_code, FRAZIL_EUNREACHABLE);
    assert_string_equal(why.message, "no answer");
    answer = FRAZIL_OK;
    (void)sem_post(&may_answer);
    await_end();
    assert_int_equal(job->code, FRAZIL_OK);
    assert_int_equal(health(&why).failures, 0);
    assert_int_equal(health(&why).state, FRAZIL_HEALTH_SERVING);
    job_abandon(&job->job);
    close_taker();
}

TEST("A tick that is full is tried again, and is no failure of the coordinator")
{
    open_taker(false);
    struct take_job *job = submit(1, clock_ns() + HOUR_NS);
    let_answer(FRAZIL_EUNREACHABLE);
    let_answer(FRAZIL_EFULL);
    assert_int_equal(sem_wait(&asked), 0);
    assert_int_equal(health(NULL).failures, 0);
    answer = FRAZIL_OK;
    (void)sem_post(&may_answer);
    await_end();
    job_abandon(&job->job);
    close_taker();
}

TEST("A take that fails for good, or whose time is over, is tried once")
{
    static const frazil_err codes[] = {FRAZIL_EEXHAUSTED, FRAZIL_EAGAIN, FRAZIL_EREFUSED};

    for (size_t i = 0; i < 3; i++) {
        open_taker(false);
        atomic_store(&takes, 0);
        struct take_job *job = submit(1, codes[i] == FRAZIL_EAGAIN ? 1 : clock_ns() + HOUR_NS);
        let_answer(codes[i]);
        await_end();
        assert_int_equal(job->code, codes[i]);
        assert_int_equal(job->retry_ns, 77);
        assert_int_equal(atomic_load(&takes), 1);
        assert_int_equal(health(NULL).failures, codes[i] == FRAZIL_EREFUSED);
        job_abandon(&job->job);
        if (codes[i] == FRAZIL_EREFUSED)
            (void)sem_post(&may_answer); /* it may look whether the coordinator is back */
        close_taker();
    }
}

TEST("Whatever keeps the coordinator from giving ids is a failure of its, also that its clock differs")
{
    static const frazil_err codes[] = {FRAZIL_EUNREACHABLE, FRAZIL_EREFUSED, FRAZIL_ENAMESPACE, FRAZIL_ECLOCK};

    for (size_t i = 0; i < sizeof codes / sizeof codes[0]; i++) {
        open_taker(false);
        struct take_job *job = submit(1, 1);
        let_answer(codes[i]);
        await_end();
        assert_int_equal(health(NULL).failures, 1);
        assert_int_equal(health(NULL).last_code, codes[i]);
        job_abandon(&job->job);
        (void)sem_post(&may_answer); /* it may look whether the coordinator is back */
        close_taker();
        while (sem_trywait(&may_answer) == 0 || sem_trywait(&asked) == 0)
            continue;
    }
}

TEST("A take for which nobody waits any more is not tried again, and the next one begins")
{
    open_taker(false);
    struct take_job *gone = submit(1, clock_ns() + HOUR_NS), *next = submit(1, clock_ns() + HOUR_NS);
    assert_int_equal(sem_wait(&asked), 0);
    job_abandon(&gone->job);
    answer = FRAZIL_EAGAIN;
    (void)sem_post(&may_answer);
    let_answer(FRAZIL_OK);
    await_end();
    assert_int_equal(next->code, FRAZIL_OK);
    assert_int_equal(atomic_load(&takes), 2);
    job_abandon(&next->job);
    close_taker();
}

TEST("While its coordinator is away, the thread finds out by itself that it is back")
{
    open_taker(true);
    struct take_job *job = submit(1, 1);
    let_answer(FRAZIL_EUNREACHABLE);
    await_end();
    assert_int_equal(health(NULL).failures, 1);
    job_abandon(&job->job);
    let_answer(FRAZIL_OK);
    close_taker();
    assert_int_equal(atomic_load(&takes), 2);
}

static void on_end(void *what)
{
    (void)sem_post(what);
}

TEST("A stop does not wait for a coordinator that is silent for longer than that, and hears of the end")
{
    open_taker(false);
    struct take_job *job = submit(1, clock_ns() + HOUR_NS);
    assert_int_equal(sem_wait(&asked), 0);
    job_abandon(&job->job);
    assert_false(take_thread_stop(taker, 1, on_end, &ended));
    assert_int_not_equal(sem_trywait(&ended), 0);
    answer = FRAZIL_ESTOPPED;
    (void)sem_post(&may_answer);
    assert_int_equal(sem_wait(&ended), 0);
    assert_int_equal(atomic_load(&takes), 1);
    take_thread_free(taker);
}

TEST("Without memory or threads there is no thread, and without memory no job")
{
    memory_fails_at(1);
    assert_null(take_thread_start(gen, false));
    memory_fails_at(0);
    no_threads = true;
    assert_null(take_thread_start(gen, false));
    no_threads = false;
    open_taker(false);
    for (unsigned at = 1; at <= 2; at++) {
        memory_fails_at(at);
        assert_null(submit(1, clock_ns() + HOUR_NS));
    }
    memory_fails_at(0);
    close_taker();
    assert_int_equal(atomic_load(&takes), 0);
}
