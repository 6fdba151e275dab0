/* SPDX-License-Identifier: MIT */
/*
 * One generator for all openings of a process that mean the same.
 *
 * A fork can come at any step of another thread, and the child has memory as it was at that step and none of the
 * threads.  So:
 * - A lock word holds the mark of its holder's process.  The mark of another process means that its holder did not come
 *   along: the lock is free.
 * - Each change of the list is one store, before which or after which a child may be born: an entry is linked when it
 * is complete, and unlinked before it is freed.
 * - An entry has its generator only while that is wholly open: from behind its opening to before its closing.
 * An entry whose generator was stopped is passed over by openings, and lives as long as its users.
 * A child cannot know that a thread was about to leave.  The child counts that user for ever, and keeps open what was
 * to be closed, until it ends.
 */
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "background_job.h"
#include "config/canonical.h"
#include "config/options.h"
#include "core/sentence.h"
#include "core/wipe.h"
#include "generator_internal.h"
#include "open.h"
#include "os/clock.h"
#include "os/deadline.h"
#include "os/this_process.h"

enum { PAUSE_NS = 1000000 };

/*
 * How long closing tries to give back what is held.  The shortest bounds frazil_close, also where a thread has to end a
 * request first; the longest is that of a URL's timeout.
 */
static const uint64_t shortest_close_ns = 2000000000;
static const uint64_t longest_close_ns = 60000000000;

/* All entries of the process. */
struct fz_shared_generators {
    struct fz_shared_generator *_Atomic first;
    _Atomic uint64_t lock;
};

struct fz_shared_generator {
    struct fz_shared_generators *all;
    struct fz_shared_generator *_Atomic next;
    _Atomic uint64_t lock; /* of opening and closing */
    _Atomic bool stopped;  /* the generator was: it stays with its users, and no opening joins them */
    uint64_t users;        /* under the lock of all; a thread that waits for the entry's own is one, too */
    frazil *_Atomic gen;   /* under the entry's lock; NULL: nobody has opened it, or it is being closed */
    char text[];           /* the key of what was decided, passwords included */
};

/* ---- locks -------------------------------------------------------------------------- */

/* False: the deadline has passed, and others have held the lock until then. */
static bool entry_enter_until(_Atomic uint64_t *lock, uint64_t process, struct fz_deadline deadline)
{
    const frazil_clock clock = fz_real_clock();
    uint64_t holder = atomic_load_explicit(lock, memory_order_relaxed);

    while (holder == process ||
           !atomic_compare_exchange_weak_explicit(lock, &holder, process, memory_order_acquire, memory_order_relaxed)) {
        if (holder == process && fz_deadline_left_ns(deadline) == 0)
            return false;
        /* The process that opens may wait for a coordinator, so this takes a while. */
        if (holder == process)
            clock.sleep_until(clock.ctx, clock.monotonic_ns(clock.ctx) + PAUSE_NS);
        holder = atomic_load_explicit(lock, memory_order_relaxed);
    }
    return true;
}

static void entry_enter(_Atomic uint64_t *lock, uint64_t process)
{
    (void)entry_enter_until(lock, process, FZ_DEADLINE_NONE);
}

static void entry_exit(_Atomic uint64_t *lock)
{
    atomic_store_explicit(lock, 0, memory_order_release);
}

/* ---- the list -------------------------------------------------------------------------- */

static bool entry_is_stopped(const struct fz_shared_generator *entry)
{
    return atomic_load_explicit(&entry->stopped, memory_order_acquire);
}

/* Made by the first thread that needs them; NULL: out of memory. */
static struct fz_shared_generators *entries_of_process(void)
{
    struct fz_shared_generators *all = fz_process_kept(FZ_KEPT_SHARED_GENERATORS);

    if (all != NULL)
        return all;
    struct fz_shared_generators *own = fz_process_alloc(sizeof *own);
    if (own == NULL || fz_process_keep(FZ_KEPT_SHARED_GENERATORS, NULL, own))
        return own;
    fz_process_free(own); /* another thread was faster */
    return fz_process_kept(FZ_KEPT_SHARED_GENERATORS);
}

static struct fz_shared_generator *entry_of(const struct fz_shared_generators *all, const char *text)
{
    struct fz_shared_generator *entry = atomic_load_explicit(&all->first, memory_order_acquire);

    while (entry != NULL && (strcmp(entry->text, text) != 0 || entry_is_stopped(entry)))
        entry = atomic_load_explicit(&entry->next, memory_order_acquire);
    return entry;
}

/* The entry for a text, with one user more; NULL: out of memory. */
static struct fz_shared_generator *entry_join(const char *text, uint64_t process)
{
    size_t size = strlen(text) + 1;
    struct fz_shared_generators *all = entries_of_process();

    if (all == NULL)
        return NULL;
    entry_enter(&all->lock, process);
    struct fz_shared_generator *entry = entry_of(all, text);
    if (entry == NULL && (entry = calloc(1, sizeof *entry + size)) != NULL) {
        entry->all = all;
        memcpy(entry->text, text, size);
        atomic_init(&entry->next, atomic_load_explicit(&all->first, memory_order_relaxed));
        atomic_store_explicit(&all->first, entry, memory_order_release);
    }
    if (entry != NULL)
        entry->users++;
    entry_exit(&all->lock);
    return entry;
}

/*
 * Removes one user, unless it is the last; false: it is.  It needs no lock of the entry: a user that gives up waiting
 * for it has none, and must not leave the generator to nobody.
 */
static bool entry_part_from_others(struct fz_shared_generator *entry, uint64_t process)
{
    entry_enter(&entry->all->lock, process);
    bool has_others = entry->users > 1;
    entry->users -= has_others;
    entry_exit(&entry->all->lock);
    return has_others;
}

/* Removes one user, which holds the entry's lock; the last user removes the entry. */
static void entry_part(struct fz_shared_generator *entry, uint64_t process)
{
    struct fz_shared_generators *all = entry->all;
    struct fz_shared_generator *_Atomic *place = &all->first;

    entry_enter(&all->lock, process);
    bool is_last = --entry->users == 0;
    if (is_last) {
        while (atomic_load_explicit(place, memory_order_relaxed) != entry)
            place = &atomic_load_explicit(place, memory_order_relaxed)->next;
        atomic_store_explicit(place, atomic_load_explicit(&entry->next, memory_order_relaxed), memory_order_release);
    }
    entry_exit(&all->lock);
    if (!is_last) {
        entry_exit(&entry->lock);
        return;
    }
    fz_wipe(entry->text, strlen(entry->text));
    free(entry);
}

/* ---- opening and closing ------------------------------------------------------------------ */

/* Leaves an entry whose lock the caller holds.  The last one closes the generator, and has the result. */
static frazil_err entry_leave_entered(struct fz_shared_generator *entry, uint64_t process, struct fz_deadline deadline)
{
    if (entry_part_from_others(entry, process)) {
        entry_exit(&entry->lock);
        return FRAZIL_OK;
    }
    frazil *gen = atomic_load_explicit(&entry->gen, memory_order_relaxed);
    atomic_store_explicit(&entry->gen, NULL, memory_order_release);
    frazil_err err = fz_close_opened(gen, deadline);
    entry_part(entry, process);
    return err;
}

/*
 * Enters the entry for a text, with one user more.  NULL: *ret_err is FRAZIL_ENOMEM, or FRAZIL_EAGAIN if others have
 * held it until the deadline.
 */
static struct fz_shared_generator *entry_enter_text(const char *text, uint64_t process, struct fz_deadline deadline,
                                                    frazil_err *ret_err, frazil_error *reterr)
{
    struct fz_shared_generator *entry;

    while ((entry = entry_join(text, process)) != NULL) {
        if (!entry_enter_until(&entry->lock, process, deadline)) {
            if (entry_part_from_others(entry, process)) {
                *ret_err = fz_fail(reterr, FRAZIL_EAGAIN,
                                   "another thread of this process has been opening or closing this shared generator "
                                   "for as long as opening may take (open_wait): open it again");
                return NULL;
            }
            entry_enter(&entry->lock, process); /* the one that held it has just left */
        }
        if (!entry_is_stopped(entry))
            return entry;
        /* It was stopped while this thread waited for it. */
        (void)entry_leave_entered(entry, process, fz_deadline_earlier(deadline, fz_deadline_in(shortest_close_ns)));
    }
    *ret_err = fz_fail(reterr, FRAZIL_ENOMEM, "out of memory");
    return NULL;
}

/* An opening: what was decided, and which parts are there. */
struct shared_opening {
    struct fz_decision decision;
    struct fz_ports ports; /* no clock, random numbers or granter */
};

static frazil_err entry_open(struct fz_shared_generator *entry, const struct shared_opening *opening,
                             struct fz_deadline deadline, frazil_error *reterr)
{
    frazil *gen;

    if (atomic_load_explicit(&entry->gen, memory_order_relaxed) != NULL)
        return FRAZIL_OK;
    frazil_err err = fz_open_decided(&gen, &opening->decision, &opening->ports, deadline, reterr);
    if (err != FRAZIL_OK)
        return err;
    gen->shared_generator = entry;
    atomic_store_explicit(&entry->gen, gen, memory_order_release);
    return FRAZIL_OK;
}

static frazil_err entry_open_text(frazil **ret, const char *text, const struct shared_opening *opening,
                                  frazil_error *reterr)
{
    struct fz_deadline deadline = fz_deadline_in(opening->decision.open_wait_ns);
    uint64_t process = fz_this_process();
    frazil_err err;

    if (process == 0)
        return fz_fail(reterr, FRAZIL_ENOMEM, "out of memory");
    struct fz_shared_generator *entry = entry_enter_text(text, process, deadline, &err, reterr);
    if (entry == NULL)
        return err;
    err = entry_open(entry, opening, deadline, reterr);
    if (err != FRAZIL_OK) {
        entry_part(entry, process);
        return err;
    }
    *ret = atomic_load_explicit(&entry->gen, memory_order_relaxed);
    entry_exit(&entry->lock);
    return FRAZIL_OK;
}

/* Writes the key of a decision; on success the caller wipes and frees it. */
static frazil_err entry_make_key(const struct fz_decision *decision, char **ret, frazil_error *reterr)
{
    size_t len;

    (void)fz_canonical_text(decision, FZ_TEXT_KEY, NULL, 0, &len);
    size_t size = len + 1;
    char *key = malloc(size);
    frazil_err err = key == NULL ? FRAZIL_ENOMEM : fz_canonical_text(decision, FZ_TEXT_KEY, key, size, &len);
    if (err == FRAZIL_OK) {
        *ret = key;
        return err;
    }
    free(key);
    return fz_fail(reterr, err, key == NULL ? "out of memory" : "another thread changed the environment meanwhile");
}

static frazil_err entry_open_decided(frazil **ret, const struct shared_opening *opening, frazil_error *reterr)
{
    char *key = NULL;

    frazil_err err = entry_make_key(&opening->decision, &key, reterr);
    if (err != FRAZIL_OK)
        return err;
    err = entry_open_text(ret, key, opening, reterr);
    fz_wipe(key, strlen(key));
    free(key);
    return err;
}

/* An option that the text of the options does not hold, by which shared generators are found; NULL: there is none. */
static const char *what_no_text_says(const frazil_options *options)
{
    return options->has_clock      ? "a clock of the program's"
           : options->has_random   ? "random numbers of the program's"
           : options->has_granter  ? "a granter of the program's"
           : options->has_snapshot ? "a snapshot"
                                   : NULL;
}

frazil_err frazil_open_shared_with(frazil **ret, const frazil_options *options, frazil_error *reterr)
{
    struct shared_opening opening = {.ports = {.coordinators = options->coordinators}};
    const char *what = what_no_text_says(options);
    int cancel;

    if (what != NULL)
        return fz_fail(reterr, FRAZIL_EINVAL,
                       "%s cannot be shared by all openings that mean the same: open a generator of its own with it",
                       what);
    /* A thread that ends in here would hold its lock for ever. */
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
    frazil_err err = fz_options_decide(&opening.decision, options, FZ_OPENING_GENERATOR, reterr);
    if (err == FRAZIL_OK) {
        err = entry_open_decided(ret, &opening, reterr);
        fz_decision_free(&opening.decision);
    }
    pthread_setcancelstate(cancel, NULL);
    return err;
}

frazil_err frazil_open_shared(frazil **ret, const char *spec, frazil_error *reterr)
{
    frazil_options options = {.environment = FRAZIL_ENVIRONMENT_BY_KEY};

    frazil_err err = fz_options_of_spec(&options, spec, reterr);
    if (err == FRAZIL_OK)
        err = frazil_open_shared_with(ret, &options, reterr);
    fz_options_forget(&options);
    return err;
}

static frazil_err entry_leave(struct fz_shared_generator *entry, struct fz_deadline deadline)
{
    uint64_t process = fz_this_process();
    int cancel;

    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
    entry_enter(&entry->lock, process);
    frazil_err err = entry_leave_entered(entry, process, deadline);
    pthread_setcancelstate(cancel, NULL);
    return err;
}

/* A thread that ended in here would leave half of the generator open. */
static frazil_err close_job(frazil *gen, struct fz_deadline deadline, frazil_error *reterr)
{
    int cancel;

    (void)reterr;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
    frazil_err err =
        gen->shared_generator != NULL ? entry_leave(gen->shared_generator, deadline) : fz_close_opened(gen, deadline);
    pthread_setcancelstate(cancel, NULL);
    return err;
}

/* Gives back what can be given back in that time, but tries for a while also if the caller does not wait. */
static struct fz_deadline close_deadline(uint64_t wait_ns)
{
    uint64_t ns = wait_ns < shortest_close_ns ? shortest_close_ns : wait_ns;

    return fz_deadline_in(ns < longest_close_ns ? ns : longest_close_ns);
}

/* Nothing of the program's is called after a call that closes has returned. */
static bool closes_itself(const frazil *gen)
{
    return gen->fixed.has_program_ports || gen->overflow.fn != NULL;
}

/* Has a thread close it, for which the caller waits so long; without a thread it closes in that time itself. */
static frazil_err close_aside(frazil *gen, uint64_t most_ns)
{
    const struct fz_background_wait wait = {.until = fz_deadline_in(most_ns)};
    frazil_err err = FRAZIL_OK;

    switch (fz_background_run(gen, close_job, close_deadline(most_ns), &wait, &err, NULL)) {
    case FZ_BACKGROUND_ENDED:
        return err;
    case FZ_BACKGROUND_NO_THREAD:
        return close_job(gen, fz_deadline_earlier(close_deadline(most_ns), wait.until), NULL);
    case FZ_BACKGROUND_GOES_ON:
        break;
    }
    return FRAZIL_EAGAIN;
}

void frazil_close(frazil *gen)
{
    frazil_err ignored = FRAZIL_OK;

    if (gen == NULL)
        return;
    /* A request that the keeper's thread is just making ends with its own timeout. */
    if (closes_itself(gen) || !gen->keeper.asks_coordinator)
        ignored = close_job(gen, close_deadline(shortest_close_ns), NULL);
    else
        ignored = close_aside(gen, shortest_close_ns);
    (void)ignored;
}

frazil_err frazil_close_within(frazil *gen, uint64_t wait_ns)
{
    if (gen == NULL)
        return FRAZIL_OK;
    uint64_t most_ns = wait_ns == FRAZIL_WAIT_DEFAULT ? gen->fixed.max_wait_ns : wait_ns;
    if (closes_itself(gen) || most_ns == FRAZIL_WAIT_FOREVER)
        return close_job(gen, close_deadline(most_ns), NULL);
    return close_aside(gen, most_ns);
}

/* ---- stopping ------------------------------------------------------------------------------- */

/* How often to wait for a thread that is just publishing an anchor; one of a parent process never comes to an end. */
enum { SHUT_TRIES = 1000 };

void frazil_stop(frazil *gen)
{
    /* First, so that a child that is born in between has no stopped generator that others would join. */
    if (gen->shared_generator != NULL)
        atomic_store_explicit(&gen->shared_generator->stopped, true, memory_order_release);
    atomic_store_explicit(&gen->stopped, true, memory_order_relaxed);
    for (int tries = 0; tries < SHUT_TRIES && !fz_anchor_shut(&gen->private_page->anchor); tries++)
        sched_yield();
}
