/* SPDX-License-Identifier: MIT */
#include "events.h"

#include "core/now.h"
#include "core/sized.h"
#include "generator_internal.h"

/* An overflow is told anew when there was none for this time: a busy program would push all else out of the ring. */
static const int64_t overflow_rest_ms = 1000;

/* Begins to write event `number`.  False: a writer of an earlier round is still at it, or one of a later round was
 * faster; then this event is one that readers miss. */
static bool begin_event(struct fz_event_place *place, uint64_t number)
{
    uint64_t version = atomic_load_explicit(&place->version, memory_order_relaxed);

    return (version & 1) == 0 && version < 2 * number + 2 &&
           atomic_compare_exchange_strong_explicit(&place->version, &version, 2 * number + 1, memory_order_acquire,
                                                   memory_order_relaxed);
}

void fz_event_write(struct fz_event_ring *ring, _Atomic uint64_t *count, const frazil_event *event)
{
    uint64_t number = atomic_fetch_add_explicit(count, 1, memory_order_relaxed);
    struct fz_event_place *place = &ring->places[number % FZ_EVENTS_KEPT];

    if (!begin_event(place, number))
        return;
    atomic_store_explicit(&place->unix_ms, event->unix_ms, memory_order_release);
    atomic_store_explicit(&place->value, event->value, memory_order_release);
    atomic_store_explicit(&place->kind, event->kind, memory_order_release);
    atomic_store_explicit(&place->code, event->code, memory_order_release);
    atomic_store_explicit(&place->worker, event->worker, memory_order_release);
    atomic_store_explicit(&place->version, 2 * number + 2, memory_order_release);
}

bool fz_event_read(const struct fz_event_ring *ring, uint64_t number, frazil_event *ret)
{
    const struct fz_event_place *place = &ring->places[number % FZ_EVENTS_KEPT];

    if (atomic_load_explicit(&place->version, memory_order_acquire) != 2 * number + 2)
        return false;
    ret->unix_ms = atomic_load_explicit(&place->unix_ms, memory_order_acquire);
    ret->value = atomic_load_explicit(&place->value, memory_order_acquire);
    ret->kind = atomic_load_explicit(&place->kind, memory_order_acquire);
    ret->code = atomic_load_explicit(&place->code, memory_order_acquire);
    ret->worker = atomic_load_explicit(&place->worker, memory_order_acquire);
    return atomic_load_explicit(&place->version, memory_order_relaxed) == 2 * number + 2;
}

static uint32_t granted_worker(const frazil *gen)
{
    return fz_grant_ring_read(&gen->shared->grants).worker;
}

void fz_events_tell(frazil *gen, frazil_event_kind kind, frazil_err code, int64_t unix_ms, uint64_t value)
{
    const frazil_event event = {.kind = (uint32_t)kind,
                                .code = (int32_t)code,
                                .worker = granted_worker(gen),
                                .unix_ms = unix_ms,
                                .value = value};

    fz_event_write(&gen->private_page->events, &gen->events.count, &event);
    fz_events_signal(gen);
}

void fz_events_begin(frazil *gen)
{
    atomic_store_explicit(&gen->events.told_worker, granted_worker(gen), memory_order_release);
    atomic_store_explicit(&gen->events.has_begun, true, memory_order_release);
}

/* Tells that the worker id is another one than was told last, if it is. */
static void tell_moved(frazil *gen)
{
    /* Told before granted: else a late look would tell of a worker id that has been replaced. */
    uint32_t told = atomic_load_explicit(&gen->events.told_worker, memory_order_acquire);
    uint32_t worker = granted_worker(gen);

    if (worker != told && atomic_compare_exchange_strong_explicit(&gen->events.told_worker, &told, worker,
                                                                  memory_order_acq_rel, memory_order_relaxed))
        fz_events_tell(gen, FRAZIL_EVENT_MOVED, FRAZIL_OK, fz_now(&gen->clock).unix_ms, told);
}

void fz_events_see_grant(frazil *gen, const struct fz_grant *grant)
{
    if (grant->version != 0 && atomic_load_explicit(&gen->events.has_begun, memory_order_acquire) &&
        grant->worker != atomic_load_explicit(&gen->events.told_worker, memory_order_relaxed))
        tell_moved(gen);
}

void fz_events_note_end(frazil *gen, const struct fz_grant *grant)
{
    uint64_t end = grant->until + 1;

    if (atomic_exchange_explicit(&gen->events.told_end, end, memory_order_relaxed) != end)
        fz_events_tell(gen, FRAZIL_EVENT_LOST, FRAZIL_ELEASE, fz_now(&gen->clock).unix_ms, 0);
}

void fz_events_note_grant(frazil *gen, const struct fz_grant *grant)
{
    if (grant->worker != atomic_load_explicit(&gen->events.told_worker, memory_order_relaxed))
        tell_moved(gen);
    if (grant->floor > grant->until)
        fz_events_note_end(gen, grant);
}

void fz_events_note_failure(frazil *gen, frazil_err code, bool is_first)
{
    int32_t told = atomic_exchange_explicit(&gen->events.told_failure, (int32_t)code, memory_order_relaxed);
    const struct fz_grant held = fz_grant_ring_read(&gen->shared->grants);

    if (code == FRAZIL_ELEASE)
        fz_events_note_end(gen, &held);
    /* A failure that goes on would push all else out of the ring. */
    else if (is_first || told != (int32_t)code)
        fz_events_tell(gen, FRAZIL_EVENT_EXTENSION_FAILED, code, fz_now(&gen->clock).unix_ms, 0);
}

void fz_events_note_overflow(frazil *gen, int64_t unix_ms)
{
    int64_t last_ms = atomic_load_explicit(&gen->events.overflow_ms, memory_order_relaxed);

    if (last_ms == unix_ms || !atomic_compare_exchange_strong_explicit(&gen->events.overflow_ms, &last_ms, unix_ms,
                                                                       memory_order_relaxed, memory_order_relaxed))
        return;
    if (last_ms == 0 || unix_ms < last_ms || unix_ms - last_ms >= overflow_rest_ms)
        fz_events_tell(gen, FRAZIL_EVENT_OVERFLOW, FRAZIL_OK, unix_ms, 0);
}

/* The next event behind the cursor, which it moves on.  False: there is none. */
static bool read_next(const frazil *gen, uint64_t *cursor, frazil_event *ret)
{
    uint64_t count = atomic_load_explicit(&gen->events.count, memory_order_relaxed);
    uint64_t oldest = count > FZ_EVENTS_KEPT ? count - FZ_EVENTS_KEPT : 0;
    for (uint64_t number = *cursor > oldest ? *cursor : oldest; number < count; number++) {
        /* One that is not there is passed over if a later one is: its writer may be gone, or in no hurry. */
        if (!fz_event_read(&gen->private_page->events, number, ret))
            continue;
        ret->missed = number - *cursor;
        *cursor = number + 1;
        return true;
    }
    return false;
}

bool frazil_next_event(frazil *gen, uint64_t *cursor, frazil_event *ret, size_t size)
{
    frazil_event event = {.kind = 0};

    tell_moved(gen); /* another process may have moved it */
    if (!read_next(gen, cursor, &event)) {
        /* Drained before the last look: what is told after that makes the descriptor readable again. */
        if (!fz_events_drain(gen) || !read_next(gen, cursor, &event))
            return false;
        fz_events_signal(gen); /* there may be more of them */
    }
    fz_give_sized(ret, size, &event, sizeof event);
    return true;
}

const char *frazil_event_name(uint32_t kind)
{
    switch (kind) {
#define EVENT_CASE(name, number, text, what)                                                                           \
    case number:                                                                                                       \
        return text;
        FRAZIL_EVENTS(EVENT_CASE)
#undef EVENT_CASE
    default:
        return "?";
    }
}
