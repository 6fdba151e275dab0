/* SPDX-License-Identifier: MIT */
#define _DEFAULT_SOURCE /* makecontext, MAP_ANONYMOUS */
#include "process.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>

#include "host.h"
#include "shared_memory.h"
#include "world.h"

/* Slots: fewer than there may be processes, so some are there in turns; in a fleet each has one, which is faster. */
/* Heap: for its generators, and for the copies of those that its parent had, and the parent's parent. */
enum { SLOTS_OF_A_FEW_HOSTS = 24, HEAP_SIZE = 192 * 1024, STACK_SIZE = 96 * 1024, BELOW_FRAME = 2048, ALIGNMENT = 64 };

/* A block of a process's memory; its bytes follow. */
struct block {
    _Alignas(ALIGNMENT) size_t size;
    struct block *next_free;
};

struct stack {
    _Alignas(ALIGNMENT) char bytes[STACK_SIZE];
    ucontext_t context;
    void *(*run)(void *arg);
    void *arg;
};

/* The addresses of a process. */
struct slot {
    _Alignas(ALIGNMENT) char heap[HEAP_SIZE];
    size_t heap_used;
    struct block *free_blocks;
    struct stack stacks[THREADS_MAX];

    /* Not a part of its contents. */
    struct process *resident;
    unsigned users; /* processes that live there; none: it is one of the free slots */
    struct slot *next_free;
};

static struct slot *slots;
static size_t slots_count;
static struct {
    struct process *first;
    struct process *last;
    struct process *dead; /* events may still refer to them */
    unsigned alive;
    unsigned alive_max;
    struct slot *free_slots;
    size_t shared_slot; /* the last one that more than one process was given */

    struct process *running;
    unsigned thread;
    ucontext_t scheduler;
    void (*outside)(void *arg);
    void *outside_arg;
} all;

static void *must(void *memory)
{
    if (memory == NULL)
        abort();
    return memory;
}

/* ---- contents ---------------------------------------------------------------- */

/* Calls move for each stretch of addresses that is in use; returns how many bytes that are. */
static size_t each_stretch(const struct process *process, char *packed, void (*move)(char *at, char *packed, size_t n))
{
    struct slot *slot = process->slot;
    size_t done = 0;
    size_t heap = (size_t)((char *)&slot->stacks[0] - slot->heap);

    /* The heap's counters first, so that they are right when the rest is put back. */
    size_t head = heap - HEAP_SIZE;
    if (move != NULL)
        move(slot->heap + HEAP_SIZE, packed, head);
    done += head;
    size_t used = slot->heap_used;
    if (move != NULL)
        move(slot->heap, packed + done, used);
    done += used;
    for (unsigned i = 0; i < THREADS_MAX; i++) {
        if (process->threads[i].state != THREAD_LIVE)
            continue;
        char *low = process->threads[i].low;
        size_t n = (size_t)((char *)(&slot->stacks[i] + 1) - low);
        if (move != NULL)
            move(low, packed + done, n);
        done += n;
    }
    return done;
}

static void move_out(char *at, char *packed, size_t n)
{
    memcpy(packed, at, n);
}

static void move_in(char *at, char *packed, size_t n)
{
    memcpy(at, packed, n);
}

/* Exchanges the memory at the process's addresses for this process's own. */
static char *pack(const struct process *process)
{
    char *packed = must(malloc(each_stretch(process, NULL, NULL)));

    each_stretch(process, packed, move_out);
    return packed;
}

/* Nobody's contents are there any more. */
static void vacate(struct slot *slot)
{
    if (slot->resident != NULL)
        slot->resident->saved = pack(slot->resident);
    slot->resident = NULL;
}

static void make_resident(struct process *process)
{
    struct slot *slot = process->slot;

    if (slot->resident == process)
        return;
    vacate(slot);
    if (process->saved != NULL)
        each_stretch(process, process->saved, move_in);
    free(process->saved);
    process->saved = NULL;
    slot->resident = process;
    for (unsigned i = 0; process->is_child && i < WIPED_MAX; i++) {
        if (process->wiped[i].at != NULL)
            memset(process->wiped[i].at, 0, process->wiped[i].size);
    }
    process->is_child = false;
}

/* ---- running ------------------------------------------------------------------ */

struct process *self(void)
{
    return all.running;
}

unsigned self_thread(void)
{
    return all.thread;
}

bool world_place(unsigned *ret_host, unsigned *ret_pid, unsigned *ret_thread)
{
    if (all.running == NULL)
        return false;
    *ret_host = host_number(all.running->host);
    *ret_pid = all.running->pid;
    *ret_thread = all.thread;
    return true;
}

static void run(struct process *process, unsigned thread)
{
    make_resident(process);
    for (unsigned i = 0; i < PAGES_MAX; i++) {
        if (process->pages[i] != NULL)
            page_make_resident(process->pages[i]);
    }
    all.running = process;
    all.thread = thread;
    swapcontext(&all.scheduler, &process->slot->stacks[thread].context);
    all.running = NULL;
    if (all.outside != NULL) {
        void (*outside)(void *arg) = all.outside;
        all.outside = NULL;
        outside(all.outside_arg);
    }
}

static void wake(void *arg, uint64_t number)
{
    struct process *process = arg;
    unsigned i = (unsigned)(number % THREADS_MAX);
    struct thread *thread = &process->threads[i];

    if (!process->live || thread->state != THREAD_LIVE || thread->wait != number / THREADS_MAX)
        return;
    if (process->stopped_until > world_now()) {
        world_at(process->stopped_until, wake, process, number);
        return;
    }
    thread->wait++;
    thread->waits_for = NULL;
    run(process, i);
}

static void wake_at(struct process *process, unsigned thread, uint64_t when_ns)
{
    process->threads[thread].wake_ns = when_ns;
    world_at(when_ns, wake, process, process->threads[thread].wait * THREADS_MAX + thread);
}

/* Goes back to the scheduler.  The stack below this frame is not needed any more. */
static __attribute__((noinline)) void leave(void)
{
    struct process *process = all.running;

    process->threads[all.thread].low = (char *)__builtin_frame_address(0) - BELOW_FRAME;
    swapcontext(&process->slot->stacks[all.thread].context, &all.scheduler);
}

void self_wait(const void *what, uint64_t until_ns)
{
    all.running->threads[all.thread].waits_for = what;
    wake_at(all.running, all.thread, until_ns);
    leave();
}

void self_spend(uint64_t ns)
{
    uint64_t until = ns > UINT64_MAX - world_now() ? UINT64_MAX : world_now() + ns;

    if (all.running->stopped_until > world_now() || !world_skip_to(until))
        self_wait(NULL, until);
}

void process_wake(struct process *process, const void *what)
{
    for (unsigned i = 0; process->live && i < THREADS_MAX; i++) {
        struct thread *thread = &process->threads[i];
        if (thread->state == THREAD_LIVE && thread->waits_for == what) {
            thread->wait++;
            wake_at(process, i, world_now());
        }
    }
}

void wake_all(const void *what)
{
    for (struct process *p = all.first; p != NULL; p = p->next)
        process_wake(p, what);
}

void self_outside(void (*fn)(void *arg), void *arg)
{
    all.outside = fn;
    all.outside_arg = arg;
    wake_at(all.running, all.thread, world_now());
    leave();
}

/* ---- beginning and ending ------------------------------------------------------ */

static void end_process(void *arg)
{
    process_kill(arg);
}

void self_exit(void)
{
    self_outside(end_process, all.running);
    abort();
}

static void begin_thread(void)
{
    struct stack *stack = &all.running->slot->stacks[all.thread];

    stack->run(stack->arg);
    if (all.thread == 0)
        self_exit();
    all.running->threads[all.thread].state = THREAD_ENDED;
    process_wake(all.running, &all.running->slot->stacks[all.thread]);
    leave();
}

static void prepare_thread(struct process *process, unsigned i, void *(*fn)(void *arg), void *arg)
{
    struct stack *stack = &process->slot->stacks[i];

    memset(&stack->context, 0, sizeof stack->context);
    getcontext(&stack->context);
    stack->context.uc_stack.ss_sp = stack->bytes;
    stack->context.uc_stack.ss_size = sizeof stack->bytes;
    stack->context.uc_link = NULL;
    makecontext(&stack->context, begin_thread, 0);
    stack->run = fn;
    stack->arg = arg;
    process->threads[i] = (struct thread){.state = THREAD_LIVE, .low = stack->bytes + STACK_SIZE - BELOW_FRAME};
    wake_at(process, i, world_now());
}

unsigned self_start_thread(void *(*fn)(void *arg), void *arg)
{
    for (unsigned i = 1; i < THREADS_MAX; i++) {
        if (all.running->threads[i].state != THREAD_LIVE && !all.running->threads[i].is_to_be_joined) {
            prepare_thread(all.running, i, fn, arg);
            return i;
        }
    }
    return 0;
}

unsigned self_start_joinable(void *(*fn)(void *arg), void *arg)
{
    unsigned thread = self_start_thread(fn, arg);

    if (thread != 0)
        all.running->threads[thread].is_to_be_joined = true;
    return thread;
}

void self_join(unsigned thread)
{
    while (all.running->threads[thread].state == THREAD_LIVE)
        self_spend(MS);
    all.running->threads[thread].is_to_be_joined = false;
}

static struct process *add_process(struct host *host, unsigned pid, const void *program, struct slot *slot)
{
    struct process *process = must(calloc(1, sizeof *process));

    process->live = true;
    process->pid = pid;
    process->host = host;
    process->program = program;
    process->slot = slot;
    slot->users++;
    process->previous = all.last;
    *(all.last == NULL ? &all.first : &all.last->next) = process;
    all.last = process;
    process->next_of_host = host->processes;
    host->processes = process;
    all.alive++;
    return process;
}

static void put_free(struct slot *slot)
{
    slot->next_free = all.free_slots;
    all.free_slots = slot;
}

/* One that nobody lives in, or else the next of all: then its processes are there in turns. */
static struct slot *choose_slot(void)
{
    struct slot *slot = all.free_slots;

    if (slot == NULL)
        return &slots[all.shared_slot = (all.shared_slot + 1) % slots_count];
    all.free_slots = slot->next_free;
    return slot;
}

struct process *process_start(struct host *host, unsigned pid, const void *program, void *(*fn)(void *arg), void *arg)
{
    if (all.alive == all.alive_max)
        return NULL;
    struct slot *slot = choose_slot();
    vacate(slot);
    slot->heap_used = 0;
    slot->free_blocks = NULL;
    struct process *process = add_process(host, pid, program, slot);
    slot->resident = process;
    prepare_thread(process, 0, fn, arg);
    return process;
}

void process_kill(struct process *process)
{
    if (!process->live)
        return;
    process->live = false;
    host_let_go(process->host, process->user.holds);
    all.alive--;
    *(process->previous == NULL ? &all.first : &process->previous->next) = process->next;
    *(process->next == NULL ? &all.last : &process->next->previous) = process->previous;
    struct process **at = &process->host->processes;
    while (*at != process)
        at = &(*at)->next_of_host;
    *at = process->next_of_host;
    if (--process->slot->users == 0)
        put_free(process->slot);
    process->next_dead = all.dead;
    all.dead = process;
    free(process->saved);
    process->saved = NULL;
    if (process->slot->resident == process)
        process->slot->resident = NULL;
    for (unsigned i = 0; i < PAGES_MAX; i++) {
        if (process->pages[i] != NULL)
            page_drop(process->pages[i]);
        process->pages[i] = NULL;
    }
}

void process_stop(struct process *process, uint64_t ns)
{
    if (process->stopped_until < world_now() + ns)
        process->stopped_until = world_now() + ns;
}

struct process *process_first(void)
{
    return all.first;
}

/* Memory that is there only as far as it is touched. */
static void make_slots(size_t count)
{
    if (slots_count != count) {
        if (slots_count > 0)
            munmap(slots, slots_count * sizeof *slots);
        slots = mmap(NULL, count * sizeof *slots, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
                     -1, 0);
        if (slots == MAP_FAILED)
            abort();
        slots_count = count;
    }
    for (size_t i = count; i > 0; i--) {
        slots[i - 1].resident = NULL;
        slots[i - 1].users = 0;
        put_free(&slots[i - 1]);
    }
}

void processes_begin(unsigned alive_max)
{
    while (all.first != NULL)
        process_kill(all.first);
    while (all.dead != NULL) {
        struct process *next = all.dead->next_dead;
        free(all.dead);
        all.dead = next;
    }
    memset(&all, 0, sizeof all);
    all.alive_max = alive_max;
    make_slots(alive_max > PROCESSES_OF_A_FEW_HOSTS ? alive_max : SLOTS_OF_A_FEW_HOSTS);
    shared_memory_begin(alive_max > PROCESSES_OF_A_FEW_HOSTS ? alive_max : 0);
}

/* ---- children and copies -------------------------------------------------------- */

/* A process with the same memory at the same addresses. */
static struct process *add_twin(const struct process *process, struct host *host, unsigned pid)
{
    struct process *twin = add_process(host, pid, process->program, process->slot);

    twin->bounds = process->bounds;
    twin->user = process->user;
    memcpy(twin->kept, process->kept, sizeof twin->kept);
    memcpy(twin->threads, process->threads, sizeof twin->threads);
    memcpy(twin->wiped, process->wiped, sizeof twin->wiped);
    memcpy(twin->pages, process->pages, sizeof twin->pages);
    memcpy(twin->open_files, process->open_files, sizeof twin->open_files);
    return twin;
}

struct forking {
    struct process *parent;
    unsigned thread;
    unsigned pid;
};

/* Only the thread that forks lives on in the child. */
static void make_child(void *arg)
{
    const struct forking *forking = arg;
    struct process *child = add_twin(forking->parent, forking->parent->host, forking->pid);

    for (unsigned i = 0; i < THREADS_MAX; i++) {
        if (i != forking->thread)
            child->threads[i] = (struct thread){.state = THREAD_NONE};
    }
    child->saved = pack(child);
    child->is_child = true;
    for (unsigned i = 0; i < PAGES_MAX; i++) {
        if (child->pages[i] != NULL)
            page_hold(child->pages[i]);
    }
    child->threads[forking->thread].wait++;
    wake_at(child, forking->thread, world_now());
}

int self_fork(void)
{
    static struct forking forking; /* read before anybody else can fork */

    if (all.alive == all.alive_max)
        return -1;
    unsigned pid = host_new_pid(all.running->host);
    forking = (struct forking){.parent = all.running, .thread = all.thread, .pid = pid};
    self_outside(make_child, &forking);
    return all.running->pid == pid ? 0 : (int)pid;
}

static void copy_process(struct process *process, struct host *to, uint64_t delay_ns)
{
    struct process *twin = add_twin(process, to, process->pid);

    twin->is_service = process->is_service;
    make_resident(process);
    twin->saved = pack(twin);
    for (unsigned i = 0; i < PAGES_MAX; i++) {
        if (process->pages[i] != NULL)
            twin->pages[i] = page_copy(process->pages[i]);
    }
    /* Until the host is resumed nothing wakes it, whatever it waits for. */
    uint64_t stopped_until = process->stopped_until > world_now() ? process->stopped_until : world_now();
    twin->stopped_until = stopped_until + delay_ns;
    for (unsigned i = 0; i < THREADS_MAX; i++) {
        struct thread *thread = &twin->threads[i];
        uint64_t left = thread->wake_ns > world_now() ? thread->wake_ns - world_now() : 0;
        thread->reply = NULL;
        if (thread->state == THREAD_LIVE)
            wake_at(twin, i, world_now() + delay_ns + left);
    }
}

void process_copy_all(const struct host *from, struct host *to, uint64_t delay_ns)
{
    pages_begin_copying();
    struct process *last = all.first;
    while (last != NULL && last->next != NULL)
        last = last->next;
    for (struct process *p = all.first; p != NULL; p = p->next) {
        if (p->live && p->host == from && all.alive < all.alive_max)
            copy_process(p, to, delay_ns);
        if (p == last)
            break;
    }
}

/* ---- memory ---------------------------------------------------------------------- */

void *self_alloc(size_t size)
{
    struct slot *slot = all.running->slot;
    size_t rounded = (size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;

    struct block **best = NULL; /* the smallest: blocks are not divided */
    for (struct block **at = &slot->free_blocks; *at != NULL; at = &(*at)->next_free) {
        if ((*at)->size >= rounded && (best == NULL || (*at)->size < (*best)->size))
            best = at;
    }
    if (best != NULL) {
        struct block *block = *best;
        *best = block->next_free;
        return block + 1;
    }
    if (HEAP_SIZE - slot->heap_used < rounded + sizeof(struct block))
        return NULL;
    struct block *block = (struct block *)(void *)(slot->heap + slot->heap_used);
    slot->heap_used += rounded + sizeof *block;
    block->size = rounded;
    return block + 1;
}

void self_free(void *memory)
{
    struct slot *slot = all.running->slot;

    if (memory == NULL)
        return;
    struct block *block = (struct block *)memory - 1;
    block->next_free = slot->free_blocks;
    slot->free_blocks = block;
}

size_t self_block_size(const void *memory)
{
    return ((const struct block *)memory - 1)->size;
}

void self_wipe_in_child(void *at, size_t size)
{
    for (unsigned i = 0; i < WIPED_MAX; i++) {
        if (all.running->wiped[i].at == NULL) {
            all.running->wiped[i].at = at;
            all.running->wiped[i].size = size;
            return;
        }
    }
    abort();
}

void self_keep_in_child(const void *at)
{
    for (unsigned i = 0; i < WIPED_MAX; i++) {
        if (all.running->wiped[i].at == at)
            all.running->wiped[i].at = NULL;
    }
}
