/* SPDX-License-Identifier: MIT */
/* Goal of this test: a drain, with all that it waits for, is over when drain_timeout is. */
#include "drain_times.h"
#include "lib/test.h"

#define NOW (1000 * NS_PER_S)

static const uint64_t timeouts_ns[] = {0, 1, 3, NS_PER_MS, NS_PER_S, 4 * NS_PER_S, 30 * NS_PER_S, 3600 * NS_PER_S};

#define TIMEOUTS (sizeof timeouts_ns / sizeof timeouts_ns[0])

TEST("Clients are cut, worker ids are given back, and nothing is waited for after drain_timeout")
{
    for (size_t i = 0; i < TIMEOUTS; i++) {
        struct drain_times times = drain_times_of(NOW, timeouts_ns[i]);
        assert_true(times.cut_ns >= NOW);
        assert_true(times.cut_ns <= times.closed_ns);
        assert_true(times.closed_ns <= times.end_ns);
        assert_int_equal(times.end_ns, NOW + timeouts_ns[i]);
    }
}

TEST("The last second is for worker ids, or the last quarter of a short time; half of it is for being late")
{
    struct drain_times usual = drain_times_of(NOW, 30 * NS_PER_S), brief = drain_times_of(NOW, 2 * NS_PER_S);

    assert_int_equal(usual.cut_ns, NOW + 29 * NS_PER_S);
    assert_int_equal(usual.closed_ns, NOW + 29 * NS_PER_S + NS_PER_S / 2);
    assert_int_equal(brief.cut_ns, NOW + 1500 * NS_PER_MS);
    assert_int_equal(brief.closed_ns, NOW + 1750 * NS_PER_MS);
}

TEST("A second signal cuts clients at once, and leaves the time to give worker ids back")
{
    struct drain_times times = drain_times_of(NOW, 30 * NS_PER_S);

    drain_times_cut(&times, NOW + NS_PER_S);
    assert_int_equal(times.cut_ns, NOW + NS_PER_S);
    assert_int_equal(times.end_ns, NOW + 2 * NS_PER_S);
}

TEST("A signal that comes when clients are cut already changes nothing")
{
    struct drain_times times = drain_times_of(NOW, 2 * NS_PER_S);

    drain_times_cut(&times, NOW + 1900 * NS_PER_MS);
    assert_int_equal(times.cut_ns, NOW + 1500 * NS_PER_MS);
    assert_int_equal(times.end_ns, NOW + 2 * NS_PER_S);
}
