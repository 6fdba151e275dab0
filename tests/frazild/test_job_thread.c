/* SPDX-License-Identifier: MIT */
/*
 * Goal of this test: a thread does its jobs one after another, tells each submitter once, and frees each job once, when
 * nobody needs it, whenever that is.
 */
#include "clock.h"
#include "job_thread.h"
#include "lib/patience.h"
#include "lib/test.h"

#include <errno.h>
#include <semaphore.h>

enum { ALIKE_MAX = 3, NAMES_MAX = 16 };
#define HOUR_NS (3600 * NS_PER_S)

struct event_thread {
    atomic_uint told;
};

/* Jobs of one name are alike. */
struct piece {
    struct job job;
    char name;
};

static struct job_thread thread;
static struct event_thread here;
static pthread_mutex_t noting = PTHREAD_MUTEX_INITIALIZER;
static sem_t begun, go, noted, freed, ended;
static char done[NAMES_MAX + 1]; /* their names, with a blank behind those that were done together; - for no job */
static atomic_uint alive;
static uint64_t rest_ns;      /* that a job wants */
static atomic_uint rests;     /* that it had */
static uint64_t due_ns;       /* when it is to be called without a job */
static unsigned threads_left; /* that the system has */

#pragma GCC visibility push(default)
int __real_pthread_create(pthread_t *ret, const pthread_attr_t *attr, void *(*body)(void *), void *arg);
int __wrap_pthread_create(pthread_t *ret, const pthread_attr_t *attr, void *(*body)(void *), void *arg);
#pragma GCC visibility pop

int __wrap_pthread_create(pthread_t *ret, const pthread_attr_t *attr, void *(*body)(void *), void *arg)
{
    return threads_left-- == 0 ? EAGAIN : __real_pthread_create(ret, attr, body, arg);
}

static void note(char what)
{
    (void)pthread_mutex_lock(&noting);
    size_t len = strlen(done);
    if (len < NAMES_MAX)
        done[len] = what;
    (void)pthread_mutex_unlock(&noting);
}

static uint64_t run(struct job_thread *its, struct job *group)
{
    (void)its;
    if (group == NULL) {
        note('-');
        (void)sem_post(&noted);
        return UINT64_MAX;
    }
    (void)sem_post(&begun);
    (void)sem_wait(&go);
    if (rest_ns > 0 && job_may_rest(group, rest_ns))
        (void)atomic_fetch_add(&rests, 1);
    for (const struct job *at = group; at != NULL; at = at->next)
        note(((const struct piece *)at)->name);
    note(' ');
    return due_ns;
}

static bool have_one_name(const struct job *a, const struct job *b)
{
    return ((const struct piece *)a)->name == ((const struct piece *)b)->name;
}

static void free_job(struct job *job)
{
    free(job);
    (void)atomic_fetch_sub(&alive, 1);
    (void)sem_post(&freed);
}

static void notify(struct event_thread *event_thread)
{
    (void)atomic_fetch_add(&event_thread->told, 1);
    (void)sem_post(&noted);
}

static void on_end(void *what)
{
    (void)sem_post(what);
}

static const struct job_kind kind = {run, have_one_name, free_job, ALIKE_MAX, 1};
static const struct job_kind of_two = {run, have_one_name, free_job, ALIKE_MAX, 2};

/* NULL: too many wait. */
static struct job *submit(char name)
{
    struct piece *piece = malloc(sizeof *piece);

    assert_non_null(piece);
    *piece = (struct piece){.job = {.event_thread = &here, .notify = notify}, .name = name};
    if (!job_submit(&thread, &piece->job)) {
        free(piece);
        return NULL;
    }
    (void)atomic_fetch_add(&alive, 1);
    return &piece->job;
}

/* The same, and waits until it has begun. */
static struct job *submit_and_begin(char name)
{
    struct job *job = submit(name);

    assert_non_null(job);
    assert_int_equal(sem_wait(&begun), 0);
    return job;
}

/* Lets so many runs go on, and waits until submitters were told of so many jobs. */
static void go_on(unsigned runs, unsigned jobs)
{
    for (unsigned i = 0; i < runs; i++)
        (void)sem_post(&go);
    for (unsigned i = 0; i < jobs; i++)
        assert_int_equal(sem_wait(&noted), 0);
}

static void stop(void)
{
    assert_true(job_thread_stop(&thread, UINT64_MAX, NULL, NULL));
}

BEFORE_EACH
{
    sem_t *const all[] = {&begun, &go, &noted, &freed, &ended};

    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        assert_int_equal(sem_init(all[i], 0, 0), 0);
    memset(done, 0, sizeof done);
    atomic_store(&here.told, 0);
    rest_ns = 0;
    atomic_store(&rests, 0);
    due_ns = UINT64_MAX;
    threads_left = JOB_THREADS_MAX;
    assert_true(job_thread_start(&thread, &kind));
}

AFTER_EACH
{
    assert_int_equal(atomic_load(&alive), 0);
}

TEST("Jobs are done in the order in which they came, and each submitter is told once")
{
    struct job *jobs[] = {submit_and_begin('a'), submit('b'), submit('c')};

    assert_false(job_is_done(jobs[0]));
    go_on(3, 3);
    assert_string_equal(done, "a b c ");
    assert_int_equal(atomic_load(&here.told), 3);
    for (size_t i = 0; i < 3; i++) {
        assert_true(job_is_done(jobs[i]));
        job_abandon(jobs[i]);
    }
    stop();
}

TEST("Jobs that are alike are done together, without those that came when that had begun")
{
    struct job *jobs[] = {submit_and_begin('a'), submit('b'), submit('a'), submit('b')};

    go_on(3, 4);
    assert_string_equal(done, "a bb a ");
    assert_int_equal(atomic_load(&here.told), 4);
    for (size_t i = 0; i < 4; i++)
        job_abandon(jobs[i]);
    stop();
}

TEST("A queue that is full of jobs that are alike takes no more of these, and what is under way is not in it")
{
    struct job *jobs[] = {submit_and_begin('b'), submit('b'), submit('b'), submit('b'), submit('c')};

    assert_null(submit('b'));
    go_on(3, 5);
    assert_string_equal(done, "b bbb c ");
    for (size_t i = 0; i < 5; i++)
        job_abandon(jobs[i]);
    stop();
}

TEST("Of several threads one does a job that is alike, and the others do what comes behind it")
{
    stop();
    assert_true(job_thread_start(&thread, &of_two));
    struct job *first = submit_and_begin('a'), *alike = submit('a');
    assert_true(job_has_begun(alike));
    struct job *other = submit_and_begin('b'), *last = submit('c');
    assert_true(job_has_begun(other));
    assert_false(job_has_begun(last));
    go_on(4, 4);
    struct job *const jobs[] = {first, alike, other, last};
    for (size_t i = 0; i < 4; i++)
        job_abandon(jobs[i]);
    stop();
}

TEST("A stop ends several threads, those that rest and those that do a job")
{
    stop();
    assert_true(job_thread_start(&thread, &of_two));
    job_abandon(submit_and_begin('a'));
    assert_false(job_thread_stop(&thread, 1, on_end, &ended));
    assert_int_not_equal(sem_trywait(&ended), 0);
    (void)sem_post(&go);
    assert_int_equal(sem_wait(&ended), 0);
    assert_int_not_equal(sem_trywait(&ended), 0);
}

TEST("A job that is abandoned before it began is freed at once, and leaves its place, first, last or between")
{
    static const char *const left[] = {"a c d e ", "a b d e ", "a b c e "};

    for (size_t out = 0; out < 3; out++) {
        struct job *first = submit_and_begin('a'), *jobs[] = {submit('b'), submit('c'), submit('d')};
        memset(done, 0, sizeof done);
        job_abandon(jobs[out]);
        assert_int_equal(atomic_load(&alive), 3);
        jobs[out] = submit('e');
        assert_non_null(jobs[out]);
        go_on(4, 4);
        assert_string_equal(done, left[out]);
        for (unsigned i = 0; i < 3; i++) {
            assert_int_equal(sem_wait(&begun), 0);
            job_abandon(jobs[i]);
        }
        job_abandon(first);
    }
    stop();
}

TEST("A job that is abandoned while it is under way is freed when it is through, and nobody is told")
{
    job_abandon(submit_and_begin('a'));
    assert_int_equal(atomic_load(&alive), 1);
    go_on(1, 0);
    assert_int_equal(sem_wait(&freed), 0);
    assert_string_equal(done, "a ");
    assert_int_equal(atomic_load(&here.told), 0);
    stop();
}

TEST("A job that is done is its submitter's until it is abandoned")
{
    struct job *job = submit_and_begin('a');

    go_on(1, 1);
    assert_true(job_is_done(job));
    assert_int_equal(atomic_load(&alive), 1);
    job_abandon(job);
    assert_int_equal(atomic_load(&alive), 0);
    stop();
}

TEST("Of jobs that are done together the others' are told when one was abandoned")
{
    struct job *first = submit_and_begin('a'), *one = submit('b'), *other = submit('b');

    go_on(1, 1);
    assert_int_equal(sem_wait(&begun), 0);
    job_abandon(one);
    go_on(1, 1);
    assert_true(job_is_done(other));
    assert_int_equal(atomic_load(&here.told), 2);
    job_abandon(first);
    job_abandon(other);
    stop();
}

/* Whether a job that rests, or is about to, is done when another one comes. */
static bool ends_with_another(void)
{
    job_abandon(submit('b'));
    return sem_trywait(&noted) == 0;
}

TEST("The rest of a job ends when another one comes")
{
    struct job *job = submit_and_begin('a');

    rest_ns = HOUR_NS;
    go_on(1000, 0);
    AWAIT(ends_with_another(), "it rests although others came");
    assert_true(atomic_load(&rests) > 0);
    job_abandon(job);
    stop();
}

TEST("A job for which nobody waits does not rest")
{
    rest_ns = HOUR_NS;
    job_abandon(submit_and_begin('a'));
    go_on(1, 0);
    assert_int_equal(sem_wait(&freed), 0);
    assert_int_equal(atomic_load(&rests), 0);
    stop();
}

TEST("A stop ends the rest of a job")
{
    rest_ns = HOUR_NS;
    struct job *job = submit_and_begin('a');
    go_on(1, 0);
    job_abandon(job);
    stop();
    assert_string_equal(done, "a ");
}

TEST("The thread is called without a job when it said so, and once")
{
    due_ns = 1;
    struct job *job = submit_and_begin('a');
    go_on(1, 2);
    assert_string_equal(done, "a -");
    due_ns = clock_ns() + HOUR_NS;
    job_abandon(job);
    job = submit_and_begin('b');
    go_on(1, 1);
    job_abandon(job);
    stop();
    assert_string_equal(done, "a -b ");
}

TEST("A stop waits for the job that is under way")
{
    job_abandon(submit_and_begin('a'));
    (void)sem_post(&go);
    assert_true(job_thread_stop(&thread, clock_ns() + HOUR_NS, on_end, &ended));
    assert_string_equal(done, "a ");
    assert_int_not_equal(sem_trywait(&ended), 0);
}

TEST("A stop whose time is over leaves the thread alone with its job, and hears of its end")
{
    job_abandon(submit_and_begin('a'));
    assert_false(job_thread_stop(&thread, 1, on_end, &ended));
    assert_int_equal(atomic_load(&alive), 1);
    assert_int_not_equal(sem_trywait(&ended), 0);
    (void)sem_post(&go);
    assert_int_equal(sem_wait(&ended), 0);
    assert_string_equal(done, "a ");
    assert_int_equal(atomic_load(&alive), 0);
}

TEST("A stop whose time is over ends a thread that has no job")
{
    struct job *job = submit_and_begin('a');

    go_on(1, 1);
    job_abandon(job);
    assert_true(job_thread_stop(&thread, 1, on_end, &ended));
    assert_int_not_equal(sem_trywait(&ended), 0);
}

TEST("Where the system has no thread, the reason is told")
{
    stop();
    for (unsigned some = 0; some < 2; some++) {
        threads_left = some;
        errno = 0;
        assert_false(job_thread_start(&thread, &of_two));
        assert_int_equal(errno, EAGAIN);
    }
}
