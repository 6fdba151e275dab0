/* SPDX-License-Identifier: MIT */
/*
 * Simulated processes: memory, threads and children of their own.  A process is
 * made of coroutines that run the library's real code.  It can be stopped, killed,
 * forked and copied together with its host at any point at which it may be held
 * up: two that were one before have the same addresses, and whichever runs has its
 * contents put there.
 *
 * Code that runs in a process must not keep a pointer to it on its stack beyond a
 * call that lets time pass: the stack may be a copy's by then.
 */
#ifndef SIMULATOR_PROCESS_H
#define SIMULATOR_PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "oracle.h"
#include "os/this_process.h"

enum { THREADS_MAX = 6, OPEN_FILES_MAX = 32, PAGES_MAX = 16, WIPED_MAX = 16 };

struct host;
struct page; /* memory that processes share */

enum thread_state { THREAD_NONE, THREAD_LIVE, THREAD_ENDED };

struct thread {
    enum thread_state state;
    bool is_to_be_joined;  /* until then, no other thread has its number */
    uint64_t wait;         /* the number of its present wait */
    uint64_t wake_ns;      /* when that ends by itself */
    const void *waits_for; /* something at this address; NULL: time only */
    uint64_t serial;       /* of the request whose reply it waits for; 0: none */
    void *reply;
    uint64_t slept_ns;             /* in all, by the clock port */
    uint64_t readings;             /* of the clock */
    uint64_t read_ns;              /* when the last of them was */
    uint64_t read_before_sleep_ns; /* the last one before the thread last went to sleep */
    char *low;                     /* the lowest address of its stack that is in use while it does not run */
};

/* Of worlds with several users (users.h). */
struct process_user {
    unsigned uid;
    unsigned run_dir;       /* the number of its run directory */
    uint64_t asked_ns;      /* when its last opening began, */
    int64_t asked_clock_ns; /* and what its host's clock showed then */
    bool asks;              /* it has not ended */
    uint32_t holds;         /* the workers that it has or asks for: a bit for each */
};

struct process {
    struct process *next; /* of those that live; of a dead one, those that lived when it died */
    struct process *previous;
    struct process *next_of_host; /* likewise */
    struct process *next_dead;
    bool live;
    unsigned pid; /* a copied host's processes have the same */
    struct host *host;
    const void *program;  /* see program.h */
    struct bounds bounds; /* of the sequence numbers that its generator uses */
    struct process_user user;
    bool is_service; /* it is to issue ids when all faults are over */
    bool is_heir;    /* a service's child, which is to do so too unless it has ended */
    bool recovered;  /* and has done so */
    uint64_t stopped_until;
    struct thread threads[THREADS_MAX];

    void *kept[FZ_KEPT_TOTAL];

    struct slot *slot; /* where it lives */
    char *saved;       /* its contents while another lives there */
    bool is_child;     /* its pages have yet to be wiped, as in a child */
    struct {
        void *at;
        size_t size;
    } wiped[WIPED_MAX];
    struct page *pages[PAGES_MAX];
    uint64_t open_files[OPEN_FILES_MAX]; /* 0: none; shared with those children that have not closed them */
};

/* How many may live at a time in a world without a fleet. */
enum { PROCESSES_OF_A_FEW_HOSTS = 40 };

/* Forgets all processes of the world before.  No more than that many may live at a time. */
void processes_begin(unsigned alive_max);

/* Starts one whose first thread calls run(arg).  NULL: there are too many. */
struct process *process_start(struct host *host, unsigned pid, const void *program, void *(*run)(void *arg), void *arg);

/* It is no more.  Not for the one that runs. */
void process_kill(struct process *process);

/* It does not run for a while, wherever it is. */
void process_stop(struct process *process, uint64_t ns);

/* The first of those that live. */
struct process *process_first(void);

/* Copies all processes of a host to another one, where they go on after delay_ns, with what they share. */
void process_copy_all(const struct host *from, struct host *to, uint64_t delay_ns);

/* ---- for what runs in a process -------------------------------------------- */

/* The process and the thread that run now.  NULL: none does. */
struct process *self(void);
unsigned self_thread(void);

/* Lets time pass for the calling thread, in which others act. */
void self_spend(uint64_t ns);

/* Waits for something at an address, until self_wake or until that time. */
void self_wait(const void *what, uint64_t until_ns);

/* Has all processes that wait for it go on. */
void wake_all(const void *what);

/* Ends such waits of the process's threads. */
void process_wake(struct process *process, const void *what);

/* Has fn called when the thread has left its stack; then it goes on, if it still lives. */
void self_outside(void (*fn)(void *arg), void *arg);

/* Starts a thread.  Its number, or 0 if there are too many. */
unsigned self_start_thread(void *(*run)(void *arg), void *arg);

/* Starts one that self_join is called for. */
unsigned self_start_joinable(void *(*run)(void *arg), void *arg);

/* Waits until it has ended. */
void self_join(unsigned thread);

/* Forks: 0 in the child, its number in the parent, -1 if there are too many. */
int self_fork(void);

/* Ends the process.  Does not return. */
void self_exit(void);

/* Memory of the process, and back.  NULL: there is none left. */
void *self_alloc(size_t size);
void self_free(void *block);

/* How much the caller of self_alloc may use there. */
size_t self_block_size(const void *block);

/* Has these bytes zeroed in each child; or no more. */
void self_wipe_in_child(void *at, size_t size);
void self_keep_in_child(const void *at);

#endif
