/* SPDX-License-Identifier: MIT */
/*
 * The memory model: Relacy (package relacy-dev).  A run's shared variables are
 * Relacy's atomics, found by the address that the code under test uses; the rest
 * of its memory is ordinary, and is made anew by the scenario for each run.
 */
#include <relacy/relacy.hpp>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ostream>
#include <streambuf>

#include "model.h"

namespace
{

enum { SHARED_MAX = 24, COUNTED_MAX = 24, SITES_MAX = 128, DEEPEST = 5000 };

typedef rl::atomic<uint64_t> shared_value;

/* ---- what runs ------------------------------------------------------------------ */

/* An address that was told of before the threads started. */
struct place {
    const volatile char *at;
    size_t size;
};

struct run {
    const scenario *what;
    shared_value *values; /* NULL: no threads run, and every operation is an ordinary one */
    rl::var<int> *plain;
    place shared[SHARED_MAX];
    place counted[COUNTED_MAX];
    unsigned shared_count;
    unsigned counted_count;
};

run now;

int weak_site = -1;
model_weakness weakness = MODEL_AS_IT_IS;

/* Of a check: the runs so far, and how many are enough. */
uint64_t runs;
uint64_t runs_max;

[[noreturn]] void give_up(const char *what, const model_site *site)
{
    std::fprintf(stderr, "%s: %s", now.what == NULL ? "memory-model" : now.what->name, what);
    if (site != NULL)
        std::fprintf(stderr, ": %s in %s (%s:%d)", site->operand, site->function, site->file, site->line);
    std::fputc('\n', stderr);
    std::exit(2);
}

/* ---- where operations stand -------------------------------------------------------- */

struct known_site {
    model_site site;
    bool met;
};

known_site sites[SITES_MAX];
int sites_count;

/* A header's function is compiled into several objects, so names are compared, not addresses. */
bool is_same(const model_site &a, const model_site &b)
{
    return a.line == b.line && a.operation == b.operation && std::strcmp(a.function, b.function) == 0;
}

int site_number(const model_site &site)
{
    int i = 0;

    while (i < sites_count && !is_same(sites[i].site, site))
        i++;
    if (i == SITES_MAX)
        give_up("too many sites", &site);
    if (i == sites_count)
        sites[sites_count++].site = site;
    sites[i].met = true;
    return i;
}

struct order {
    rl::memory_order of;
    bool in_two;
};

bool acquires(model_order of)
{
    return of == MODEL_ACQUIRE || of == MODEL_ACQ_REL;
}

bool releases(model_order of)
{
    return of == MODEL_RELEASE || of == MODEL_ACQ_REL;
}

rl::memory_order composed(bool acquire, bool release)
{
    if (acquire)
        return release ? rl::mo_acq_rel : rl::mo_acquire;
    return release ? rl::mo_release : rl::mo_relaxed;
}

/* The order in which an operation is to be done. */
order order_of(const model_site &site)
{
    bool weak = site_number(site) == weak_site;
    bool acquire = acquires(site.order) && !(weak && weakness == MODEL_NO_ACQUIRE);
    bool release = releases(site.order) && !(weak && weakness == MODEL_NO_RELEASE);

    if (site.order == MODEL_CONSUME || site.order == MODEL_SEQ_CST)
        give_up("an order that the model does not have", &site);
    order ret = {composed(acquire, release), weak && weakness == MODEL_IN_TWO};
    return ret;
}

/* The parts of it that a load and a store can have. */
rl::memory_order load_part(rl::memory_order of)
{
    return of == rl::mo_acquire || of == rl::mo_acq_rel ? rl::mo_acquire : rl::mo_relaxed;
}

rl::memory_order store_part(rl::memory_order of)
{
    return of == rl::mo_release || of == rl::mo_acq_rel ? rl::mo_release : rl::mo_relaxed;
}

rl::debug_info info_of(const model_site &site)
{
    return rl::debug_info(site.function, site.file, static_cast<unsigned>(site.line));
}

/* ---- where values lie ---------------------------------------------------------------- */

uint64_t peek(const volatile void *at, size_t size)
{
    switch (size) {
    case 1:
        return *static_cast<const volatile uint8_t *>(at);
    case 4:
        return *static_cast<const volatile uint32_t *>(at);
    case 8:
        return *static_cast<const volatile uint64_t *>(at);
    default:
        give_up("an atomic that has neither 1 nor 4 nor 8 bytes", NULL);
    }
}

void poke(volatile void *at, size_t size, uint64_t value)
{
    switch (size) {
    case 1:
        *static_cast<volatile uint8_t *>(at) = static_cast<uint8_t>(value);
        break;
    case 4:
        *static_cast<volatile uint32_t *>(at) = static_cast<uint32_t>(value);
        break;
    case 8:
        *static_cast<volatile uint64_t *>(at) = value;
        break;
    default:
        give_up("an atomic that has neither 1 nor 4 nor 8 bytes", NULL);
    }
}

bool lies_in(const volatile void *at, const place &where)
{
    const volatile char *byte = static_cast<const volatile char *>(at);

    return byte >= where.at && byte < where.at + where.size;
}

shared_value *shared_at(const volatile void *at)
{
    for (unsigned i = 0; now.values != NULL && i < now.shared_count; i++) {
        if (now.shared[i].at == at)
            return &now.values[i];
    }
    return NULL;
}

/* What is not shared is written at once, and only if it is told of. */
void poke_at_once(volatile void *at, size_t size, uint64_t value, const model_site &site)
{
    bool may = now.values == NULL;

    for (unsigned i = 0; i < now.counted_count; i++)
        may = may || lies_in(at, now.counted[i]);
    if (!may)
        give_up("written, but not told of", &site);
    poke(at, size, value);
}

/* ---- a scenario in Relacy's terms -------------------------------------------------------- */

template <int THREADS> struct suite : rl::test_suite<suite<THREADS>, THREADS> {
    shared_value values[SHARED_MAX];
    rl::var<int> plain[MODEL_PLAIN_VARIABLES];

    void before()
    {
        now.shared_count = 0;
        now.counted_count = 0;
        now.values = NULL;
        now.what->begin();
        for (unsigned i = 0; i < now.shared_count; i++)
            values[i]($).store(peek(now.shared[i].at, now.shared[i].size), rl::mo_relaxed);
        for (unsigned i = 0; i < MODEL_PLAIN_VARIABLES; i++)
            plain[i]($) = 0;
        now.values = values;
        now.plain = plain;
    }

    void thread(unsigned i)
    {
        now.what->run[i]();
    }

    void after()
    {
        if (now.what->end != NULL)
            now.what->end();
        now.values = NULL;
        /* Relacy ends a full search before its time only for a failure. */
        if (++runs >= runs_max)
            rl::ctx().fail_test("enough runs", rl::test_result_user_assert_failed, $);
    }
};

/* What Relacy says, up to an end.  A string's memory would be Relacy's inside of a run, and ours outside. */
class notes : public std::streambuf
{
  public:
    char text[1 << 20];

    void empty()
    {
        setp(text, text + sizeof text - 1);
    }

    /* All of it, as a string. */
    const char *all()
    {
        *pptr() = '\0';
        return text;
    }
};

template <int THREADS> bool simulate(rl::test_params &params)
{
    return rl::simulate<suite<THREADS>>(params);
}

} // namespace

/* ---- model.h ------------------------------------------------------------------------------- */

uint64_t model_load(const volatile void *at, size_t size, const model_site *site)
{
    shared_value *shared = shared_at(at);

    return shared == NULL ? peek(at, size) : shared->load(order_of(*site).of, info_of(*site));
}

void model_store(volatile void *at, size_t size, uint64_t value, const model_site *site)
{
    shared_value *shared = shared_at(at);

    if (shared == NULL)
        poke_at_once(at, size, value, *site);
    else
        shared->store(value, order_of(*site).of, info_of(*site));
}

uint64_t model_exchange(volatile void *at, size_t size, uint64_t value, const model_site *site)
{
    shared_value *shared = shared_at(at);

    if (shared == NULL) {
        uint64_t before = peek(at, size);
        poke_at_once(at, size, value, *site);
        return before;
    }
    order order = order_of(*site);
    if (!order.in_two)
        return shared->exchange(value, order.of, info_of(*site));
    uint64_t before = shared->load(load_part(order.of), info_of(*site));
    shared->store(value, store_part(order.of), info_of(*site));
    return before;
}

uint64_t model_add(volatile void *at, size_t size, uint64_t value, const model_site *site)
{
    shared_value *shared = shared_at(at);

    if (shared == NULL) {
        uint64_t before = peek(at, size);
        poke_at_once(at, size, before + value, *site);
        return before;
    }
    order order = order_of(*site);
    if (!order.in_two)
        return shared->fetch_add(value, order.of, info_of(*site));
    uint64_t before = shared->load(load_part(order.of), info_of(*site));
    shared->store(before + value, store_part(order.of), info_of(*site));
    return before;
}

/* The same as a load, a comparison and a store. */
static bool swap_in_two(shared_value *shared, uint64_t *seen, uint64_t desired, rl::memory_order of,
                        const model_site &site)
{
    uint64_t expected = *seen;

    *seen = shared->load(load_part(of), info_of(site));
    if (*seen != expected)
        return false;
    shared->store(desired, store_part(of), info_of(site));
    return true;
}

static bool swap_shared(shared_value *shared, uint64_t *seen, uint64_t desired, bool weak, const model_site &site)
{
    order order = order_of(site);

    if (order.in_two)
        return swap_in_two(shared, seen, desired, order.of, site);
    if (weak)
        return shared->compare_exchange(rl::bool_t<true>(), *seen, desired, order.of, rl::mo_relaxed, info_of(site));
    return shared->compare_exchange(rl::bool_t<false>(), *seen, desired, order.of, rl::mo_relaxed, info_of(site));
}

bool model_swap(volatile void *at, size_t size, void *expected, uint64_t desired, bool weak, const model_site *site)
{
    shared_value *shared = shared_at(at);
    uint64_t seen = peek(expected, size);

    if (shared != NULL) {
        bool swapped = swap_shared(shared, &seen, desired, weak, *site);
        if (!swapped)
            poke(expected, size, seen);
        return swapped;
    }
    uint64_t current = peek(at, size);
    if (current == seen)
        poke_at_once(at, size, desired, *site);
    else
        poke(expected, size, current);
    return current == seen;
}

int model_pause(void)
{
    rl::yield(1, $);
    return 0;
}

void model_lock(void *lock)
{
    static const model_site site = {"model_lock", "lock", __FILE__, __LINE__, MODEL_SWAP, MODEL_ACQUIRE};
    uint64_t free = 0;

    while (!model_swap(lock, sizeof free, &free, 1, false, &site)) {
        model_pause();
        free = 0;
    }
}

void model_unlock(void *lock)
{
    static const model_site site = {"model_unlock", "lock", __FILE__, __LINE__, MODEL_STORE, MODEL_RELEASE};

    model_store(lock, sizeof(uint64_t), 0, &site);
}

void model_share(volatile void *at, size_t size)
{
    if (now.shared_count == SHARED_MAX)
        give_up("too much is shared", NULL);
    place place = {static_cast<volatile char *>(at), size};
    now.shared[now.shared_count++] = place;
}

void model_count(volatile void *at, size_t size)
{
    if (now.counted_count == COUNTED_MAX)
        give_up("too much is counted", NULL);
    place place = {static_cast<volatile char *>(at), size};
    now.counted[now.counted_count++] = place;
}

unsigned model_choose(unsigned n)
{
    return n < 2 ? 0 : rl::rand(n);
}

void model_expect(bool holds, const char *what)
{
    if (!holds)
        rl::ctx().fail_test(what, rl::test_result_user_assert_failed, $);
}

void model_plain_write(unsigned i)
{
    now.plain[i]($) = 1;
}

void model_plain_read(unsigned i)
{
    int value = now.plain[i]($);
    (void)value;
}

model_result model_check(const scenario *what, int site, model_weakness how, uint64_t most_runs, bool tell)
{
    static notes notes;
    static std::ostream nowhere(NULL);
    rl::test_params params;
    model_result result = {};

    notes.empty();
    std::ostream story(&notes);
    now.what = what;
    weak_site = site;
    weakness = how;
    runs = 0;
    runs_max = most_runs;
    for (int i = 0; i < sites_count; i++)
        sites[i].met = false;
    params.search_type = what->bound == 0 ? rl::sched_full : rl::sched_bound;
    params.context_bound = what->bound;
    params.execution_depth_limit = DEEPEST;
    params.output_stream = &story;
    params.progress_stream = &nowhere;
    bool holds = what->threads == 2 ? simulate<2>(params) : simulate<3>(params);
    now.values = NULL;
    now.what = NULL;
    result.runs = params.stop_iteration;
    result.cut = runs >= runs_max;
    result.broken = !holds && !result.cut;
    if (result.broken) {
        /* The first line names the suite, the second one says what is wrong; then comes the story. */
        const char *verdict = std::strchr(notes.all(), '\n');
        std::snprintf(result.what, sizeof result.what, "%.*s",
                      verdict == NULL ? 0 : int(std::strcspn(verdict + 1, "\n")), verdict + 1);
    }
    if (result.broken && tell)
        std::fputs(notes.all(), stdout);
    return result;
}

const model_site *model_site_at(int i)
{
    return i < sites_count ? &sites[i].site : NULL;
}

bool model_met(int i)
{
    return sites[i].met;
}
