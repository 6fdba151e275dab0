/* SPDX-License-Identifier: MIT */
#include "oracle.h"

#include <stdlib.h>
#include <string.h>

#include "host.h"
#include "process.h"
#include "shared_memory.h"
#include "story.h"
#include "world.h"

#include "frazil/error.h"

/* Slots in a row that one owner has issued; both ends included. */
struct interval {
    uint64_t first;
    uint64_t last;
    unsigned owner; /* see owner_of_self */
};

struct issued {
    struct interval *at; /* ascending, none overlaps another */
    size_t count;
    size_t room;
    uint64_t forgotten; /* the highest slot that is not kept any more; 0: none */
};

/* A worker, and the ids that it issued. */
struct worker {
    struct {
        struct bounds bounds;
        uint64_t until;
    } recorded[SHARDS_MAX];
    size_t recorded_count;
    struct issued issued;
};

static struct {
    struct promises promises;
    struct worker *workers;
    size_t workers_count;
    uint64_t common[A_FEW_HOSTS][WORKERS_MAX]; /* up to which tick a host's copies may repeat its ids */
    uint64_t ids;
    uint64_t repeated;
} oracle;

void oracle_begin(const struct promises *promises)
{
    for (size_t i = 0; i < oracle.workers_count; i++)
        free(oracle.workers[i].issued.at);
    free(oracle.workers);
    oracle.workers_count = promises->workers > WORKERS_MAX ? promises->workers : WORKERS_MAX;
    oracle.workers = calloc(oracle.workers_count, sizeof *oracle.workers);
    if (oracle.workers == NULL)
        abort();
    oracle.promises = *promises;
    memset(oracle.common, 0, sizeof oracle.common);
    oracle.ids = oracle.repeated = 0;
}

uint64_t oracle_ids(void)
{
    return oracle.ids;
}

uint64_t oracle_repeated(void)
{
    return oracle.repeated;
}

/* ---- I2: what is on record ----------------------------------------------------- */

uint64_t oracle_largest_sequence(void)
{
    return (UINT64_C(1) << oracle.promises.sequence_bits) - 1;
}

/* The number of the record with these bounds, which may be the next free one. */
static size_t find_record(uint32_t worker, struct bounds bounds)
{
    size_t i = 0;

    while (i < oracle.workers[worker].recorded_count &&
           (oracle.workers[worker].recorded[i].bounds.first != bounds.first ||
            oracle.workers[worker].recorded[i].bounds.last != bounds.last ||
            oracle.workers[worker].recorded[i].bounds.state_dir != bounds.state_dir))
        i++;
    return i;
}

void oracle_recorded(uint32_t worker, struct bounds bounds, uint64_t until)
{
    if (worker >= oracle.workers_count)
        return;
    size_t i = find_record(worker, bounds);
    if (i == SHARDS_MAX) {
        world_fail("the oracle has no room for all sequence bounds");
        return;
    }
    if (i == oracle.workers[worker].recorded_count) {
        oracle.workers[worker].recorded[i].bounds = bounds;
        oracle.workers[worker].recorded[i].until = until;
        oracle.workers[worker].recorded_count++;
    }
    if (until > oracle.workers[worker].recorded[i].until)
        oracle.workers[worker].recorded[i].until = until;
}

void oracle_given_back(uint32_t worker, uint64_t until)
{
    if (worker < oracle.workers_count && oracle.workers[worker].recorded_count > 0)
        oracle.workers[worker].recorded[0].until = until;
}

/* Whether the copies of a host may repeat its ids up to that tick.  Hosts of a fleet are not copied. */
static bool is_common(unsigned family, uint32_t worker, uint64_t tick)
{
    return family < A_FEW_HOSTS && worker < WORKERS_MAX && tick <= oracle.common[family][worker];
}

/* I2, I8: the id's tick is on record for its generator's sequence numbers, and its own is one of them. */
static void check_record(uint32_t worker, uint64_t tick, uint64_t sequence)
{
    struct bounds bounds = self()->bounds;
    size_t i = find_record(worker, bounds);

    if (sequence < bounds.first || sequence > bounds.last)
        world_fail("I8: the sequence number %llu is not one of %llu to %llu", (unsigned long long)sequence,
                   (unsigned long long)bounds.first, (unsigned long long)bounds.last);
    bool is_excused = is_common(self()->host->family, worker, tick);
    if (i == oracle.workers[worker].recorded_count || (tick > oracle.workers[worker].recorded[i].until && !is_excused))
        world_fail("I2: worker %llu, sequence numbers %llu to %llu, issues in tick %llu, which is not on record",
                   (unsigned long long)worker, (unsigned long long)bounds.first, (unsigned long long)bounds.last,
                   (unsigned long long)tick);
}

uint64_t oracle_record_of(uint32_t worker)
{
    uint64_t highest = 0;

    for (size_t i = 0; i < oracle.workers[worker].recorded_count; i++) {
        uint64_t until = oracle.workers[worker].recorded[i].until;
        highest = until > highest ? until : highest;
    }
    return highest;
}

uint64_t oracle_highest_record(void)
{
    uint64_t highest = 0;

    for (uint32_t worker = 0; worker < oracle.workers_count; worker++) {
        uint64_t until = oracle_record_of(worker);
        highest = until > highest ? until : highest;
    }
    return highest;
}

/* ---- I1: never twice ------------------------------------------------------------- */

void oracle_cloned(unsigned family, uint32_t worker, uint64_t until)
{
    if (oracle.common[family][worker] < until)
        oracle.common[family][worker] = until;
}

/* The one that has a tick as a whole: a host, or a run directory where the sequence of a worker is not divided. */
static unsigned owner_of_self(void)
{
    return self()->host->number + (oracle.promises.divides ? 0 : hosts_max * self()->user.run_dir);
}

static const struct host *host_of(unsigned owner)
{
    return &hosts[owner % hosts_max];
}

static bool may_repeat(uint32_t worker, uint64_t slot, unsigned owner, unsigned other)
{
    uint64_t tick = slot >> oracle.promises.sequence_bits;

    return owner != other &&
           (is_common(host_of(owner)->family, worker, tick) || is_common(host_of(other)->family, worker, tick));
}

/* The first interval that does not lie wholly below the slot. */
static size_t find(const struct issued *issued, uint64_t slot)
{
    size_t low = 0;
    size_t high = issued->count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (issued->at[middle].last < slot)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/*
 * Keeps the later half.  An id that lies below is an error: it has come before or is far behind the clock,
 * and either breaks a promise.  Returns by how many places the others move.
 */
static size_t forget_half(struct issued *issued, size_t before)
{
    size_t n = issued->count / 2 < before ? issued->count / 2 : before;

    if (n > 0)
        issued->forgotten = issued->at[n - 1].last;
    issued->count -= n;
    memmove(issued->at, issued->at + n, issued->count * sizeof *issued->at);
    return n;
}

static void insert(struct issued *issued, size_t i, uint64_t slot, unsigned owner)
{
    struct interval *below = i > 0 ? &issued->at[i - 1] : NULL;

    if (below != NULL && below->last + 1 == slot && below->owner == owner) {
        below->last = slot;
        return;
    }
    if (i < issued->count && issued->at[i].first == slot + 1 && issued->at[i].owner == owner) {
        issued->at[i].first = slot;
        return;
    }
    if (issued->count == oracle.promises.remembered && issued->count > 0)
        i -= forget_half(issued, i);
    if (issued->count == issued->room) {
        issued->room = issued->room == 0 ? 16 : 2 * issued->room;
        issued->at = realloc(issued->at, issued->room * sizeof *issued->at);
        if (issued->at == NULL)
            abort();
    }
    memmove(&issued->at[i + 1], &issued->at[i], (issued->count - i) * sizeof *issued->at);
    issued->at[i] = (struct interval){.first = slot, .last = slot, .owner = owner};
    issued->count++;
}

/* Whether somebody else has slots of the slot's tick: an owner has whole ticks, whatever it takes of them. */
static bool has_other_owner(uint32_t worker, uint64_t slot, unsigned owner, const struct interval *neighbour)
{
    unsigned bits = oracle.promises.sequence_bits;
    bool is_of_tick = neighbour->first >> bits == slot >> bits || neighbour->last >> bits == slot >> bits;

    return is_of_tick && neighbour->owner != owner && !may_repeat(worker, slot, owner, neighbour->owner);
}

static void check_owner(uint32_t worker, uint64_t slot, unsigned owner, const struct interval *neighbour)
{
    if (has_other_owner(worker, slot, owner, neighbour))
        world_fail("I1: worker %u, tick %llu has two owners: %u before, %u now", (unsigned)worker,
                   (unsigned long long)(slot >> oracle.promises.sequence_bits), neighbour->owner, owner);
}

static void check_unique(uint32_t worker, uint64_t slot)
{
    struct issued *issued = &oracle.workers[worker].issued;
    unsigned owner = owner_of_self();
    size_t i = find(issued, slot);

    if (slot <= issued->forgotten && issued->forgotten > 0)
        world_fail("I1: worker %u, tick %llu lies below what was issued long ago", (unsigned)worker,
                   (unsigned long long)(slot >> oracle.promises.sequence_bits));
    else if (i == issued->count || issued->at[i].first > slot) {
        if (i > 0)
            check_owner(worker, slot, owner, &issued->at[i - 1]);
        if (i < issued->count)
            check_owner(worker, slot, owner, &issued->at[i]);
        insert(issued, i, slot, owner);
    } else if (may_repeat(worker, slot, owner, issued->at[i].owner)) {
        oracle.repeated++;
    } else {
        world_fail("I1: worker %u, tick %llu, sequence %llu is issued twice: by %u before, by %u now", (unsigned)worker,
                   (unsigned long long)(slot >> oracle.promises.sequence_bits),
                   (unsigned long long)(slot & ((UINT64_C(1) << oracle.promises.sequence_bits) - 1)),
                   issued->at[i].owner, owner);
    }
}

/* ---- calls -------------------------------------------------------------------------- */

struct oracle_call oracle_call_begins(bool by_handle)
{
    struct page *page = page_of_self();

    return (struct oracle_call){.started_ns = world_now(),
                                .readings = self()->threads[self_thread()].readings,
                                .slept_ns = self()->threads[self_thread()].slept_ns,
                                .highest = page == NULL ? 0 : *page_highest(page),
                                .by_handle = by_handle};
}

static int64_t floor_ms(int64_t ns)
{
    return ns / (int64_t)MS - (ns % (int64_t)MS < 0);
}

/*
 * From when on the last tick of a call must be one that the clock showed: since the call read it for the last time, or
 * if it has slept, before it slept for that tick, as it may be woken late.
 */
static uint64_t known_since(const struct oracle_call *call, const struct thread *thread)
{
    if (thread->readings == call->readings)
        return call->started_ns;
    return thread->read_before_sleep_ns >= call->started_ns ? thread->read_before_sleep_ns : thread->read_ns;
}

/*
 * I6: the tick is one that the clock showed during the call, or shortly before, give or take what was promised; the
 * last one of a call since what it knew at its end.
 */
static void check_time(const struct oracle_call *call, uint64_t tick, bool is_last)
{
    const struct promises *p = &oracle.promises;
    uint64_t before_ns = 2 * p->tick_ms * MS;
    const struct thread *thread = &self()->threads[self_thread()];
    uint64_t since_ns = is_last ? known_since(call, thread) : call->started_ns;
    uint64_t from_ns = since_ns > before_ns ? since_ns - before_ns : 0;
    int64_t tick_ms = p->epoch_unix_ms + (int64_t)(tick * p->tick_ms) - TRUE_UNIX_MS;
    int64_t least_ns;
    int64_t most_ns;

    host_clock_range(self()->host, from_ns, &least_ns, &most_ns);
    if (tick_ms + 2 * (int64_t)p->tick_ms <= floor_ms(least_ns))
        world_fail("I6: tick %llu is %lld ms behind the clock", (unsigned long long)tick,
                   (long long)(floor_ms(least_ns) - tick_ms));
    if (p->max_lead_ms != UINT64_MAX && tick_ms > floor_ms(most_ns) + (int64_t)p->max_lead_ms)
        world_fail("I6: tick %llu is %lld ms ahead of the clock", (unsigned long long)tick,
                   (long long)(tick_ms - floor_ms(most_ns)));
}

static void check_wait(const struct oracle_call *call)
{
    uint64_t slept_ns = self()->threads[self_thread()].slept_ns - call->slept_ns;

    if (slept_ns > oracle.promises.max_wait_ns)
        world_fail("I7: a call has slept for %llu us", (unsigned long long)(slept_ns / 1000));
}

/* I3: above all that had been issued from the same word when the call began; of a handle, above its own. */
static void check_order(const struct oracle_call *call, uint64_t id, uint64_t last_id)
{
    uint64_t below = call->by_handle ? last_id : call->highest;

    if (id <= below && below != 0)
        world_fail("I3: id %llx follows id %llx", (unsigned long long)id, (unsigned long long)below);
}

void oracle_issued(const struct oracle_call *call, const uint64_t *ids, size_t n, uint64_t *last_id)
{
    const struct promises *p = &oracle.promises;
    uint64_t last = *last_id;
    struct page *page = page_of_self();

    for (size_t i = 0; i < n; i++) {
        uint64_t sequence = ids[i] & ((UINT64_C(1) << p->sequence_bits) - 1);
        uint64_t worker = ids[i] >> p->sequence_bits & ((UINT64_C(1) << p->worker_bits) - 1);
        uint64_t tick = ids[i] >> (p->sequence_bits + p->worker_bits);
        uint64_t slot = tick << p->sequence_bits | sequence;

        if (i == 0)
            tell(TOLD_ISSUES, worker, n, slot);
        if (worker >= p->workers || worker >= oracle.workers_count || tick >> p->time_bits != 0) {
            world_fail("I8: id %llx has worker %llu and tick %llu", (unsigned long long)ids[i],
                       (unsigned long long)worker, (unsigned long long)tick);
            return;
        }
        check_order(call, ids[i], i == 0 ? *last_id : last);
        if (i > 0 && ids[i] <= last)
            world_fail("I3: a call returns id %llx after %llx", (unsigned long long)ids[i], (unsigned long long)last);
        last = ids[i];
        check_record((uint32_t)worker, tick, sequence);
        check_time(call, tick, i + 1 == n);
        check_unique((uint32_t)worker, slot);
    }
    check_wait(call);
    *last_id = last;
    if (page != NULL && last > *page_highest(page))
        *page_highest(page) = last;
    oracle.ids += n;
}

void oracle_refused(const struct oracle_call *call, int code, size_t n, bool life_may_end)
{
    tell(TOLD_REFUSED, (uint64_t)(int64_t)code, 0, 0);
    if (code != FRAZIL_EFULL && code != FRAZIL_ECLOCK && code != FRAZIL_ELEASE && code != FRAZIL_EAGAIN &&
        code != FRAZIL_EUNREACHABLE && !(code == FRAZIL_EEXHAUSTED && life_may_end) &&
        !(code == FRAZIL_ESTOPPED && oracle.promises.may_stop) &&
        !(code == FRAZIL_EINVAL && n > 1)) /* more than a whole grant holds */
        world_fail("a call fails with %s", frazil_err_name(code));
    check_wait(call);
}
