/* SPDX-License-Identifier: MIT */
/*
 * A thread, or a few, with one queue of jobs, which may take seconds each, as a coordinator must answer.  Event threads
 * submit them, and do not wait.  They are begun in the order in which they came, but a job waits as long as one that is
 * alike is under way, and those behind it do not.
 *
 * The submitter must abandon each job, done or not, before its event thread ends.  Until then the job stays in memory.
 * After that it is freed as soon as the thread does not need it.
 */
#ifndef FRAZILD_JOB_THREAD_H
#define FRAZILD_JOB_THREAD_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#define JOB_THREADS_MAX 8

struct event_thread;
struct job_thread;

/* The first member of a job; all behind it is the submitter's order, and what the thread makes of it. */
struct job {
    struct event_thread *event_thread;                 /* the submitter's; NULL: nobody waits for it any more */
    void (*notify)(struct event_thread *event_thread); /* called by the thread when it is done */
    struct job_thread *thread;                         /* the rest is filled in by job_submit or job_skip */
    struct job *next;
    atomic_bool done;
};

/* How jobs are done. */
struct job_kind {
    /*
     * Does a job, and those alike behind its next: called by the thread, which holds no lock.  Returns when it is to be
     * called with NULL if no job comes before that; UINT64_MAX: never, as where there are several threads.
     */
    uint64_t (*run)(struct job_thread *thread, struct job *group);
    bool (*are_alike)(const struct job *a, const struct job *b); /* so that they are done together; NULL: none are */
    void (*free_job)(struct job *job);
    unsigned alike_max; /* jobs in the queue that are alike; UINT_MAX: any number */
    unsigned threads;   /* 1 .. JOB_THREADS_MAX */
};

/* The first member of what a kind of jobs needs beside it.  All of it is for job_thread.c alone. */
struct job_thread {
    const struct job_kind *kind;
    pthread_t threads[JOB_THREADS_MAX];
    unsigned count; /* of those that were started */
    unsigned begun; /* of these, those that have looked at the queue */
    unsigned alive; /* of these, those that have not ended */
    unsigned idle;  /* of these, those that wait for a job */
    pthread_mutex_t lock;
    pthread_cond_t more;
    pthread_cond_t over;
    struct job *waiting;
    struct job *busy[JOB_THREADS_MAX]; /* the first of the jobs that a thread does; NULL: it does none */
    bool stopping;
    void (*on_end)(void *ctx); /* NULL: somebody waits for the end */
    void *ctx;
};

/* Starts all threads of the kind.  False: errno says why not. */
bool job_thread_start(struct job_thread *thread, const struct job_kind *kind);

/*
 * Ends it, when all jobs were abandoned: it may be in the middle of one, and is waited for until that time (UINT64_MAX:
 * for ever), or just until it has ended, if it does none.  False: it goes on, and what it needs must stay; the last
 * thing that it does is to call on_end(ctx).
 */
bool job_thread_stop(struct job_thread *thread, uint64_t until_ns, void (*on_end)(void *ctx), void *ctx);

/* Submits a job.  False: too many alike wait already, and the job is still the caller's. */
bool job_submit(struct job_thread *thread, struct job *job);

/* In place of job_submit, for a job that needs no thread: it is done, and nobody is told. */
void job_skip(struct job_thread *thread, struct job *job);

/* Whether it is done.  Called by its submitter. */
bool job_is_done(const struct job *job);

/* Whether the job, or one alike, is under way; if not, it waits for a thread.  Any thread. */
bool job_has_begun(const struct job *job);

/* For run: waits for so long, or until another job comes, before it tries once more.  False: nobody wants that. */
bool job_may_rest(struct job *job, uint64_t rest_ns);

/* The submitter needs it no more, done or not: it is done only if that has begun. */
void job_abandon(struct job *job);

#endif
