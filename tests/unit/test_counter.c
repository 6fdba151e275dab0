/* SPDX-License-Identifier: MIT */
/*
 * Goal of this test: the processor's counter is used only where the processor
 * says that it is constant and the kernel tells time by it.
 */

#include "lib/test.h"
#include "os/clock.h"
#include "os/counter.h"

TEST("Every clock source that is built on the counter will do, if the processor agrees")
{
    static const char list[] = FZ_COUNTER_CLOCKSOURCES;
    char name[64];

    for (const char *word = list; *word != '\0';) {
        size_t len = strcspn(word, " ");
        memcpy(name, word, len);
        name[len] = '\0';
        assert_int_equal(fz_counter_drives(name), fz_counter_is_constant());
        word += len + 1;
    }
}

TEST("Any other source means that the kernel does not trust the counter; so does what merely looks like a good one")
{
    static const char *const others[] = {"hpet",  "acpi_pm", "jiffies", "xen",      "",
                                         " ",     "ts",      "tscx",    "tsc2",     "vm-clock",
                                         "clock", "TSC",     "kvm-",    "arch_sys", "arch_sys_counters"};

    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        if (fz_counter_drives(others[i]))
            fail_msg("'%s' was taken for a good source", others[i]);
    }
}

TEST("The counter is used if it drives the clock of this kernel, and not where the kernel does not say")
{
    char name[FZ_CLOCK_SOURCE_SIZE];
    bool says = fz_clock_source(name) == 0;

    assert_int_equal(fz_counter_usable(), says && fz_counter_drives(name));
}

TEST("A constant counter goes on, on one processor as between readings")
{
    uint64_t first = fz_counter_read();
    uint64_t last = first;

    for (int i = 0; i < 100000; i++)
        last = fz_counter_read();
    if (fz_counter_is_constant())
        assert_true(last - first < UINT64_MAX / 2 && last != first);
}

TEST("The counter is in a range that has just begun; not in an empty one, nor in one that is over, nor in one that it "
     "has yet to reach, as one that has run backward has")
{
    const uint64_t long_ago = UINT64_C(1) << 32;
    uint64_t start, range;

    if (!fz_counter_is_constant())
        return;
    do {
        start = fz_counter_read();
        range = fz_counter_clip(start, long_ago - 1);
    } while (range < UINT64_C(1) << 28); /* so that it does not end while this runs */
    assert_true(fz_counter_is_in(start, range));
    assert_false(fz_counter_is_in(start, 0));
    assert_false(fz_counter_is_in(start - long_ago, fz_counter_clip(start - long_ago, range)));
    assert_false(fz_counter_is_in(start + long_ago, fz_counter_clip(start + long_ago, range)));
    assert_false(fz_counter_is_in(start + (range >> 1), range >> 1));
}

TEST("A range is never made longer, and not shorter where the whole of it can be asked of")
{
    for (unsigned bit = 0; bit < 64; bit++) {
        uint64_t start = (UINT64_C(1) << bit) - 1;
        for (unsigned length = 0; length < 64; length++)
            assert_true(fz_counter_clip(start, UINT64_C(1) << length) <= UINT64_C(1) << length);
        assert_int_equal(fz_counter_clip(start, 0), 0);
    }
    assert_int_equal(fz_counter_clip(UINT64_C(5) << 32, 4000000), 4000000);
}

#if defined(__x86_64__)
TEST("For every range that is not too long, the halves of a counter say what the whole of it says")
{
    static const uint64_t edges[] = {0,
                                     1,
                                     2,
                                     UINT64_C(0x7fffffff),
                                     UINT64_C(0x80000000),
                                     UINT64_C(0xfffffffe),
                                     UINT64_C(0xffffffff),
                                     UINT64_C(0x100000000),
                                     UINT64_C(0x100000001),
                                     UINT64_C(0x1fffffffe),
                                     UINT64_C(0x1ffffffff),
                                     UINT64_C(0x200000000),
                                     UINT64_C(0xfffffffeffffffff),
                                     UINT64_C(0xffffffff00000000),
                                     UINT64_MAX - 1,
                                     UINT64_MAX};
    enum { EDGES = sizeof edges / sizeof edges[0] };

    for (unsigned i = 0; i < EDGES * EDGES * EDGES; i++) {
        uint64_t start = edges[i % EDGES], counter = edges[i / EDGES % EDGES];
        uint64_t range = fz_counter_clip(start, edges[i / EDGES / EDGES]);
        assert_int_equal(fz_counter_halves_in((uint32_t)counter, (uint32_t)(counter >> 32), start, range),
                         counter - start < range);
    }
}
#endif
