/* SPDX-License-Identifier: MIT */
/*
 * Goal of this test: the chance that two hosts hash to one worker number is the
 * exact birthday probability, to the part per million, over all of its range.
 */

#include "frazil/extras.h"
#include "lib/test.h"

static uint32_t ppm_of(uint32_t hosts, uint64_t workers)
{
    uint32_t ppm = UINT32_MAX;

    if (frazil_worker_collision(hosts, workers, &ppm) != FRAZIL_OK)
        fail_msg("%u hosts, %llu workers: refused", hosts, (unsigned long long)workers);
    return ppm;
}

TEST("Computed in 60 decimal digits and rounded up, at both ends of the range and where the bits run short")
{
    static const struct {
        uint32_t hosts;
        uint64_t workers;
        uint32_t ppm;
    } rows[] = {
        {1, 1, 0},
        {1, 1024, 0},
        {1, UINT64_C(1) << 32, 0},
        {2, 1, 1000000},
        {2, 2, 500000},
        {2, 1024, 977},
        {2, UINT64_C(1) << 32, 1},
        {3, 2, 1000000},
        {3, 3, 777778},
        {8, 1024, 27039},
        {20, 4096, 45398},
        {23, 365, 507298},
        {64, 65536, 30304},
        {70, 365, 999160},
        {77, 1000003, 2922},
        {100, 1024, 993253},
        {100, 1048576, 4710},
        {200, 1024, 1000000},
        {256, 65536, 392678},
        {500, 7, 1000000},
        {1000, 65536, 999530},
        {1000, UINT64_C(1) << 32, 117},
        {1024, 1024, 1000000},
        {9300, UINT64_C(1) << 32, 10018},
        {65535, UINT64_C(1) << 32, 393458},
        {65536, 65536, 1000000},
        {65536, UINT64_C(2147483655), 632119},
        {65536, (UINT64_C(1) << 32) - 1, 393467},
        {65536, UINT64_C(1) << 32, 393467},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        assert_int_equal(ppm_of(rows[i].hosts, rows[i].workers), rows[i].ppm);
}

TEST("The table of the post on snowflake ids, whose instances draw one of 1024 numbers; it is printed to one digit or "
     "two")
{
    static const struct {
        uint32_t hosts;
        uint32_t printed_ppm;
        uint32_t last_place_ppm;
    } rows[] = {
        {5, 9000, 1000},     {10, 40000, 10000},  {20, 170000, 10000},
        {30, 350000, 10000}, {40, 540000, 10000}, {50, 700000, 10000},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const uint32_t ppm = ppm_of(rows[i].hosts, 1024);
        assert_in_range(ppm, rows[i].printed_ppm - rows[i].last_place_ppm,
                        rows[i].printed_ppm + rows[i].last_place_ppm);
    }
}

TEST("Against the product in floating point, which is exact to far less than a part per million, for all small numbers")
{
    for (uint32_t workers = 1; workers <= 400; workers++) {
        double apart = 1;
        for (uint32_t hosts = 1; hosts <= workers + 1; hosts++) {
            const double exact_ppm = (1 - apart) * 1e6;
            const double ppm = ppm_of(hosts, workers);
            if (ppm < exact_ppm - 1e-4 || ppm > exact_ppm + 1.001)
                fail_msg("%u hosts, %u workers: %f instead of %f", hosts, workers, ppm, exact_ppm);
            apart *= ((double)workers - hosts) / workers;
        }
    }
}

TEST("More hosts are never less likely to collide, and more workers never more")
{
    for (uint32_t hosts = 1; hosts <= 60000; hosts += 1 + hosts / 3) {
        for (uint64_t workers = 1; workers <= UINT64_C(1) << 31; workers += 1 + workers / 2) {
            assert_true(ppm_of(hosts, workers) <= ppm_of(hosts + 1, workers));
            assert_true(ppm_of(hosts, workers) >= ppm_of(hosts, workers + 1));
        }
    }
}

TEST("A question without an answer is refused, and the output is left alone")
{
    uint32_t ppm = 42;

    assert_int_equal(frazil_worker_collision(0, 1024, &ppm), FRAZIL_EINVAL);
    assert_int_equal(frazil_worker_collision(65537, 1024, &ppm), FRAZIL_EINVAL);
    assert_int_equal(frazil_worker_collision(UINT32_MAX, 1024, &ppm), FRAZIL_EINVAL);
    assert_int_equal(frazil_worker_collision(5, 0, &ppm), FRAZIL_EINVAL);
    assert_int_equal(frazil_worker_collision(5, (UINT64_C(1) << 32) + 1, &ppm), FRAZIL_EINVAL);
    assert_int_equal(frazil_worker_collision(5, UINT64_MAX, &ppm), FRAZIL_EINVAL);
    assert_int_equal(ppm, 42);
}
